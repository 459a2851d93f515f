/**
 * Dashboard cards of the DP-1 Art Displays integration: the wall label, and what the other modules share with it.
 *
 * Plain modules: no build, no library, no request to another host. What comes from displays and libraries is written
 * by strangers: it becomes text content, and an address becomes a link only if it is http(s).
 * What opens over a card (dp1-chooser.js) and what fills a dashboard (dp1-gallery.js) is loaded when it is needed.
 */

export const CARD = "dp1-wall-label-card";
export const HIGHLIGHTS = "dp1-highlights-card";
const FEATURE = "dp1-exhibitions";
const GALLERY = "dp1-gallery";
export const DOMAIN = "dp1";
export const PLAYER = "media_player";
const DOCUMENTATION = "https://github.com/dp1-art-displays/home-assistant/blob/main/docs/dashboards.md";
// A page of a display that Home Assistant's media browser has for cards; see browse/.
export const UP_NEXT = "dp1://next";
export const NOTICE = "dp1-notice";
export const FEATURES = {
  volume: 4,
  mute: 8,
  previous: 16,
  next: 32,
  turnOn: 128,
  turnOff: 256,
  shuffle: 32768,
  browse: 131072,
  repeat: 262144,
  group: 524288,
  enqueue: 2097152,
};
const WALL_WIDTH = 600;
const TILE_WIDTH = 280;
const TILE_ROWS = 4;
const DAY = 864e5;
const HOLD_DELAY = 500;
const DOUBLE_TAP_DELAY = 250;
const APPEAR_TIME = 600;

// By chain: its name, how a contract's address looks, and the page of a token.
const CHAINS = new Map([
  ["evm", ["Ethereum", /^0x[0-9a-f]{40}$/i, (address, token) => `https://etherscan.io/nft/${address}/${token}`]],
  ["tezos", ["Tezos", /^KT1[1-9A-HJ-NP-Za-km-z]{33}$/, (address, token) => `https://tzkt.io/${address}/tokens/${token}`]],
  ["bitmark", ["Bitmark"]],
]);

export const BASE_STYLE = `
:host { --paper: var(--card-background-color, #fff); --fill: var(--secondary-background-color); }
[hidden] { display: none !important; }
p { margin: 0; }
button, input, select, summary { font: inherit; color: inherit; }
button { background: none; border: 0; border-radius: 8px; padding: 0; cursor: pointer; -webkit-tap-highlight-color: transparent; }
button:disabled { opacity: .5; cursor: default; }
:is(button, a, summary, input):focus-visible { outline: 2px solid var(--primary-color); outline-offset: -2px; }
a, summary, .act { color: inherit; text-decoration: underline; text-underline-offset: 2px; }
ul { list-style: none; margin: 0; padding: 0; }
li { position: relative; min-width: 0; }
.show { width: 100%; text-align: start; position: relative; }
.icon, .thumb, .corner, .picture { display: grid; place-items: center; }
.icon { width: max(44px, 2.75em); aspect-ratio: 1; position: relative; }
.corner { position: absolute; inset-block-start: 0; inset-inline-end: 0; width: 44px; height: 44px; --mdc-icon-size: 20px; }
.corner ha-icon { display: block; width: 28px; height: 28px; box-sizing: border-box; padding: 4px; line-height: 0; border-radius: 50%; background: var(--paper); }
[aria-busy="true"]::after {
  content: ""; position: absolute; inset: 0; margin: auto; width: 1.5em; height: 1.5em; border-radius: 50%;
  border: 2px solid var(--primary-color); border-block-start-color: transparent; box-sizing: border-box;
}
.icon[aria-busy="true"]::after { width: 72%; height: 72%; }
.show[aria-busy="true"] .thumb { opacity: .4; }
@media (prefers-reduced-motion: no-preference) {
  [aria-busy="true"]::after { animation: turn 1s linear infinite; }
  @keyframes turn { to { transform: rotate(1turn); } }
}
.thumb { border-radius: 8px; overflow: hidden; position: relative; background: var(--fill); color: var(--secondary-text-color); margin-block-end: 4px; }
:is(.thumb, .picture) img { position: absolute; inset: 0; width: 100%; height: 100%; object-fit: cover; }
.one-line { display: block; white-space: nowrap; overflow: hidden; text-overflow: ellipsis; }
.one-line, .label > p { text-align: -webkit-match-parent; text-align: match-parent; }
.clamp { display: -webkit-box; -webkit-box-orient: vertical; -webkit-line-clamp: 2; overflow: hidden; }
.soft { color: var(--secondary-text-color); }
.small { font-size: var(--ha-font-size-s, 12px); }
`;

const STYLE = `
:host { display: block; height: 100%; }
ha-card { --edge: 16px; height: 100%; overflow: hidden; color: var(--primary-text-color); position: relative; }
.frame { display: grid; height: 100%; box-sizing: border-box; grid: minmax(120px, 1fr) auto / minmax(0, 1fr); }
.picture {
  width: 100%; height: 100%; min-width: 0; min-height: 0; aspect-ratio: 16 / 10;
  background: var(--fill); color: var(--secondary-text-color); position: relative;
}
.picture img { box-sizing: border-box; object-fit: contain; padding: 12px; }
.picture ha-icon { --mdc-icon-size: 48px; }
:host([asleep]) .picture img { filter: grayscale(1) brightness(.4); }
.progress { position: absolute; inset: auto 0 0; height: 3px; overflow: hidden; }
.progress i { display: block; height: 100%; background: var(--primary-color); transform-origin: left; animation: fill linear both; }
@keyframes fill { from { transform: scaleX(0); } }
.side { display: flex; flex-direction: column; gap: 12px; padding: var(--edge); min-width: 0; }
.label { display: flex; flex-direction: column; gap: 2px; text-align: start; line-height: 1.4; min-width: 0; }
.label > p, .note { overflow-wrap: anywhere; }
.artist { font-weight: 500; }
.title { font-style: italic; }
.work { font-size: var(--ha-font-size-l, 16px); }
.reads { display: flex; flex-wrap: wrap; column-gap: 1em; }
.reads [open] { flex-basis: 100%; }
.links { display: contents; }
.links a, summary, .act { display: inline-flex; align-items: center; min-height: 44px; max-width: 100%; }
.notice { position: relative; }
.notice[aria-busy="true"] { padding-inline-start: 28px; }
.notice[aria-busy="true"]::after { inset-inline-end: auto; }
.trouble .act { display: flex; }
summary { cursor: pointer; list-style: none; }
summary::-webkit-details-marker { display: none; }
.note { max-width: 65ch; white-space: pre-line; }
.controls { display: flex; flex-wrap: wrap; align-items: center; margin-inline: -12px; }
.group { display: flex; align-items: center; min-width: 0; }
.group:last-child { margin-inline-start: auto; }
.transport { direction: ltr; }
.place { min-width: 56px; text-align: center; white-space: nowrap; }
[aria-pressed="true"] { color: var(--error-color, #db4437); }
.choose { display: flex; align-items: center; justify-content: center; gap: 8px; min-height: max(44px, 3.2em); border-radius: 3.2em; padding: 0 16px; background: var(--fill); font-weight: 500; }
.choose[aria-busy="true"]::after { position: static; order: -1; margin: 0; }
.choose[aria-busy="true"] ha-icon { display: none; }
.next { display: flex; gap: 8px; overflow-x: auto; margin: 0 calc(-1 * var(--edge)); padding: 0 var(--edge) 4px; scrollbar-width: thin; }
.next li { flex: none; }
.next li[dropbefore]::before {
  content: ""; position: absolute; inset-block: 0; inset-inline-start: -5px; width: 2px; background: var(--primary-color);
}
.next .show { width: calc(6 * var(--unit)); }
.next .thumb { height: calc(4 * var(--unit)); }
@media (hover: hover) { .next li:not(:hover, :focus-within) .corner[aria-expanded="false"] { opacity: 0; } }
.as-tile .side { padding: 8px 12px; gap: 0; }
.as-tile .picture img { padding: 6px; }
.as-tile .frame { grid-template-rows: minmax(40px, 1fr) auto; }
.as-tile .label { font-size: var(--ha-font-size-m, 14px); line-height: 1.3; }
.as-tile .work { font-size: inherit; }
.as-tile .clamp { -webkit-line-clamp: 1; }
.as-tile :is(.detail, .controls, .choose, .upcoming, .until, .act) { display: none; }

.as-wall { --edge: 1.5em; font-size: var(--unit); --mdc-icon-size: 1.5em; }
.as-wall .frame { grid: minmax(0, 1fr) / minmax(0, 1fr) clamp(304px, 30%, 27.5em); }
:host([stacked]) .frame { grid: minmax(0, 1fr) auto / minmax(0, 1fr); }
.as-wall .picture { aspect-ratio: auto; }
.as-wall .picture img { padding: 4%; }
.as-wall .side { justify-content: flex-end; padding-block-start: 2em; gap: 1em; overflow-y: auto; }
:host([stacked]) .side { padding-block-start: 1.25em; max-block-size: 45vh; justify-content: flex-start; }
.as-wall .label { margin-block-start: auto; line-height: 1.5; }
.as-wall .work { font-size: 1.25em; }
.as-wall .clamp { -webkit-line-clamp: 4; }
.as-wall :is(.choose, .place, .next .one-line) { font-size: .875em; }
`;

const TEMPLATE = `
<ha-card>
  <div class="frame">
    <button class="picture" data-do="picture">
      <ha-icon></ha-icon><img alt="" hidden><span class="progress" aria-hidden="true" hidden></span>
    </button>
    <div class="side">
      <div class="label">
        <p class="artist clamp" dir="auto"></p>
        <p class="work clamp"><bdi class="title"></bdi><span class="year"></span></p>
        <p class="facts soft detail"></p>
        <p class="exhibition soft detail" dir="auto"></p>
        <p class="state soft"></p>
        <p class="trouble"><span></span> <button class="act" data-do="mend"></button></p>
        <p class="with soft detail" dir="auto"></p>
        <p class="until soft"><span></span> · <button class="act" data-do="back"></button></p>
        <p class="notice soft" role="status"><span></span> <button class="act" data-do="notice"></button></p>
        <div class="reads detail">
          <details class="about" hidden><summary></summary><p class="note" dir="auto"></p></details>
          <details class="artists" hidden><summary></summary><p class="note" dir="auto"></p></details>
          <p class="links"><a class="link"></a><a class="maker"></a><a class="provenance"></a><span class="chain soft"></span></p>
        </div>
        <p class="signed soft detail" dir="auto"></p>
      </div>
      <div class="controls">
        <div class="group transport">
          <button class="icon" data-do="previous"><ha-icon icon="mdi:skip-previous"></ha-icon></button>
          <bdi class="place soft"></bdi>
          <button class="icon" data-do="next"><ha-icon icon="mdi:skip-next"></ha-icon></button>
        </div>
        <div class="group">
          <button class="icon" data-do="favorite"><ha-icon></ha-icon></button>
          <button class="icon" data-do="duration" aria-haspopup="menu" aria-expanded="false"><ha-icon icon="mdi:timer-outline"></ha-icon></button>
          <button class="icon" data-do="more" aria-haspopup="menu" aria-expanded="false"><ha-icon icon="mdi:dots-vertical"></ha-icon></button>
          <button class="icon" data-do="power"><ha-icon></ha-icon></button>
        </div>
      </div>
      <button class="choose" data-do="choose">
        <ha-icon icon="mdi:image-search-outline"></ha-icon><span></span>
      </button>
      <div class="upcoming" hidden><ul class="next"></ul></div>
    </div>
  </div>
  <input class="file" type="file" accept="image/*" multiple hidden>
</ha-card>
`;

/** Texts of the integration by language and category, as the function that looks them up. */
const texts = new Map();

export const loadTexts = async (hass, category = "config_panel") => {
  const key = `${hass.language} ${category}`;
  if (!texts.has(key)) {
    const loading = hass.loadBackendTranslation(category, DOMAIN).then(
      (localize) => texts.set(key, localize),
      () => texts.delete(key),
    );
    texts.set(key, loading);
  }
  return texts.get(key);
};

/** Return a text of the integration, empty while it is not loaded. */
export const textAt = (hass, path, values) => {
  const localize = hass && texts.get(`${hass.language} ${path.split(".", 1)}`);
  return typeof localize === "function" ? localize(`component.${DOMAIN}.${path}`, values) || "" : "";
};

/** Return a text of the card. */
export const text = (hass, key, values) => textAt(hass, `config_panel.card.${key}`, values);

export const currentHass = () => document.querySelector("home-assistant")?.hass;

/** Return a text outside of a card, in English until the texts are loaded. */
export const pageText = (key, english) => {
  const hass = currentHass();
  if (hass) loadTexts(hass);
  return text(hass, key) || english;
};

const safeUrl = (url) => (typeof url === "string" && /^https?:\/\//i.test(url) ? url : null);

const explorerUrl = (contract) => {
  const { chain, address, tokenId } = contract ?? {};
  const [, form, page] = CHAINS.get(chain) ?? [];
  return form?.test(address) && /^\d{1,78}$/.test(tokenId) ? page(address, tokenId) : null;
};

export const isDisplay = (hass, entityId) =>
  entityId.startsWith("media_player.") && hass.entities?.[entityId]?.platform === DOMAIN;

export const can = (state, feature) => Boolean(state?.attributes.supported_features & feature);

export const fire = (element, type, detail) =>
  element.dispatchEvent(new CustomEvent(type, { detail, bubbles: true, composed: true }));

export const draw = (element, style, markup) => {
  const root = element.attachShadow({ mode: "open" });
  const template = document.createElement("template");
  template.innerHTML = markup;
  root.append(template.content);
  if (root.adoptedStyleSheets) {
    // A strict content security policy allows no styles in the markup.
    const sheet = new CSSStyleSheet();
    sheet.replaceSync(style);
    root.adoptedStyleSheets = [sheet];
  } else root.prepend(make("style", { textContent: style }));
  return root;
};

export const make = (tag, properties = {}, ...children) => {
  const element = Object.assign(document.createElement(tag), properties);
  element.append(...children);
  return element;
};

export const icon = (name) => make("ha-icon", { icon: name });

let chooser;

/** Load what opens over a card; once loaded, it opens before the next key is pressed. */
const later = async () => (chooser ??= await import("./dp1-chooser.js"));

const gallery = () => import("./dp1-gallery.js");

/** Call an action for a display, which a button shows, and tell whether it succeeded; Home Assistant itself shows why it failed. */
export const call = async (hass, entityId, [domain, action, data], button) => {
  if (button) button.ariaBusy = true;
  const isDone = await hass.callService(domain, action, { entity_id: entityId, ...data }).then(
    () => true,
    () => false,
  );
  if (button) button.ariaBusy = null;
  return isDone;
};

/** What goes on at each display, for all of its cards: art that is being hung, or what can be taken back. */
export const notices = new Map();

/** Return what is on a page of the media browser of a display. */
export const browse = (hass, entityId, page) =>
  hass
    .callWS({ type: "media_player/browse_media", entity_id: entityId, media_content_type: "directory", media_content_id: page })
    .then((result) => result?.children ?? []);

/** Return the picture at a path, which may be missing. */
export const pictures = (hass, path) => {
  if (!path) return [];
  const image = make("img", { loading: "lazy", alt: "", src: hass.hassUrl(path) });
  image.onerror = () => image.remove();
  return [image];
};

/** Act on a long press, the other button of a mouse, and the menu key. */
export const onHold = (element, act) => {
  let timer;
  let isHeld = false;
  const hold = () => {
    clearTimeout(timer);
    isHeld = true;
    act();
  };
  element.onpointerdown = ({ button }) => {
    isHeld = false;
    if (!button) timer = setTimeout(hold, HOLD_DELAY);
  };
  element.onpointerup = element.onpointerleave = element.onpointercancel = () => clearTimeout(timer);
  element.oncontextmenu = (event) => {
    event.preventDefault();
    if (!isHeld) hold();
  };
  // The click that ends a long press is none.
  element.addEventListener("click", (event) => isHeld && event.detail && event.stopImmediatePropagation(), true);
};

export const isSideways = ({ key }) => key === "ArrowLeft" || key === "ArrowRight";

export const isRightToLeft = (element) => getComputedStyle(element).direction === "rtl";

/** Let arrow keys move between elements of which one is in the order of the Tab key. */
export const rove = (event, elements) => {
  const steps = { ArrowDown: 1, ArrowRight: 1, ArrowUp: -1, ArrowLeft: -1, Home: -Infinity, End: Infinity };
  let step = steps[event.key];
  if (!step || !elements.length) return;
  if (isSideways(event) && isRightToLeft(elements[0])) step = -step;
  const index = elements.indexOf(elements[0].getRootNode().activeElement);
  const wanted = elements[Math.min(Math.max(index + step, 0), elements.length - 1)];
  for (const element of elements) element.tabIndex = element === wanted ? 0 : -1;
  wanted.focus();
  event.preventDefault();
};

/** The work on a display, with a label like those in museums. */
class WallLabelCard extends HTMLElement {
  constructor() {
    super();
    const root = draw(this, BASE_STYLE + STYLE, TEMPLATE);
    this._find = (selector) => root.querySelector(selector);
    for (const button of root.querySelectorAll("[data-do]")) {
      const name = button.dataset.do;
      button.onclick = async (event) => (this[`_${name}`] ? this[`_${name}`](button, event) : (await later())[name](this, button));
    }
    const image = (this._image = this._find(".picture img"));
    image.onload = () => this._showImage(true);
    image.onerror = () => this._showImage(false);
    onHold(this._find(".picture"), () => this._hold());
    for (const sign of ["focusin", "pointerover"]) root.addEventListener(sign, later, { once: true });
    this._find(".file").onchange = async () => (await later()).upload(this);
    this._noticed = (event) => {
      if (event.detail !== this.entityId) return;
      event.preventDefault();
      this._renderNotice();
    };
    this._observer = new ResizeObserver(() => this._updateSize());
  }

  static getStubConfig(hass) {
    const shown = (entityId) => isDisplay(hass, entityId) && !hass.entities[entityId].hidden;
    return { entity: Object.keys(hass.entities ?? {}).find(shown) ?? "" };
  }

  static async getConfigForm() {
    return (await later()).configForm();
  }

  setConfig(config) {
    if (typeof config?.entity !== "string" || !config.entity.startsWith("media_player.")) {
      throw new Error("Specify an entity from within the media_player domain");
    }
    if (config.entity !== this.entityId) this._lastPicture = null;
    this._config = config;
    this._hidden = new Set(Array.isArray(config.hide) ? config.hide : []);
    this._updateSize();
    this._render();
  }

  set hass(hass) {
    const before = this._hass;
    this._hass = hass;
    // Is another one when Home Assistant is back.
    if (before?.localize !== hass.localize) loadTexts(hass).then(() => this._render());
    if (
      [this.entityId, this._imageId].some((id) => before?.states[id] !== hass.states[id]) ||
      before?.localize !== hass.localize ||
      before?.formatEntityState !== hass.formatEntityState
    ) {
      this._render();
    }
  }

  set layout(layout) {
    this._layout = layout;
    this._updateSize();
  }

  connectedCallback() {
    this._observer.observe(this);
    window.addEventListener(NOTICE, this._noticed);
    this._updateSize();
    // The bar starts anew.
    this._progress = null;
    this._render();
  }

  disconnectedCallback() {
    this._observer.disconnect();
    window.removeEventListener(NOTICE, this._noticed);
    this.menu?.close();
  }

  getCardSize() {
    return this.getAttribute("size") === "tile" ? 4 : 9;
  }

  getGridOptions() {
    return { columns: 12, min_columns: 3, min_rows: 2 };
  }

  // Drawing

  get hass() {
    return this._hass;
  }

  get entityId() {
    return this._config?.entity;
  }

  get state() {
    return this._hass?.states[this.entityId];
  }

  /** What the display tells of the work on the wall. */
  get work() {
    return (this.state?.state === "playing" && this.state.attributes.dp1) || {};
  }

  _updateSize() {
    const { offsetWidth: width, offsetHeight: height } = this;
    if (!width) return;
    const rows = this._config?.grid_options?.rows;
    const isTile = width < TILE_WIDTH || rows <= TILE_ROWS;
    const isWall = this._layout === "panel" && width >= WALL_WIDTH;
    const size = isWall ? "wall" : isTile ? "tile" : "label";
    this.toggleAttribute("stacked", isWall && width < height);
    // Read from farther away, a larger wall has larger type.
    this.style.setProperty("--unit", `${Math.min(Math.max(width / 90, height / 90, 16), 48)}px`);
    if (this.getAttribute("size") === size) return;
    this.setAttribute("size", size);
    this._find("ha-card").className = `as-${size}`;
    this._find(".about").open = isWall;
    this._render();
  }

  _render() {
    const hass = this._hass;
    if (!hass || !this._config) return;
    const { state, work } = this;
    const attributes = state?.attributes ?? {};
    const shows = state?.state === "playing";
    this.toggleAttribute("asleep", state?.state === "off");
    this._renderPicture(state, attributes, shows);
    this._renderProgress(attributes, shows);
    this._renderLabel(state, attributes, work, shows);
    this._renderLinks(work);
    this._renderControls(state, attributes, work, shows);
    this._renderNotice();
    this._updateUpNext(state, work, shows);
    this.menu?.follow();
  }

  _renderPicture(state, { media_title: title, media_artist: artist, entity_picture: picture }, shows) {
    const image = this._image;
    if (shows && picture) this._lastPicture = picture;
    const path = shows ? (this._isLarge && this._pictureOfWork()) || picture : state?.state === "off" && (this._lastPicture ?? this._pictureOfWork());
    const url = path ? this._hass.hassUrl(path) : null;
    const name = shows && [title, artist].filter(Boolean).join(", ");
    this._find(".picture").ariaLabel = name || this._name(state);
    this._find(".picture ha-icon").icon = state?.state === "off" ? "mdi:sleep" : "mdi:image-frame";
    if (!url) {
      image.removeAttribute("src");
      this._showImage(false);
    } else if (image.getAttribute("src") !== url) {
      image.src = url;
    }
  }

  /** Return the picture of the last work of a display that sleeps, from the entity of its picture. */
  _pictureOfWork() {
    const { state, attributes: { entity_picture: path } = {} } = this._hass.states[(this._imageId = this._relative("work"))] ?? {};
    return path && `${path}${path.includes("?") ? "&" : "?"}state=${encodeURIComponent(state)}`;
  }

  /** Return whether the picture of the media player is too small. */
  get _isLarge() {
    return this.getAttribute("size") === "wall" && this.offsetWidth * (window.devicePixelRatio || 1) > 960;
  }

  _showImage(visible) {
    const image = this._image;
    image.hidden = !visible;
    this._find(".picture ha-icon").hidden = visible;
    if (visible) image.animate({ opacity: [0, 1] }, window.matchMedia("(prefers-reduced-motion: reduce)").matches ? 0 : APPEAR_TIME);
  }

  /** Show how long the work has been on the wall, as an animation that needs no timer. */
  _renderProgress({ media_duration: seconds, media_position: position, media_position_updated_at: at }, shows) {
    const bar = this._find(".progress");
    const has = shows && seconds > 0 && typeof position === "number" && !this._hidden.has("progress");
    bar.hidden = !has;
    const key = has && `${seconds} ${position} ${at}`;
    if (this._progress === key) return;
    this._progress = key;
    if (!has) return;
    const passed = position + Math.max(0, (Date.now() - new Date(at ?? Date.now())) / 1000);
    const fill = make("i");
    fill.style.animationDuration = `${seconds}s`;
    fill.style.animationDelay = `${-Math.min(passed, seconds)}s`;
    bar.replaceChildren(fill);
  }

  _renderLabel(state, attributes, work, shows) {
    const hass = this._hass;
    const title = shows ? attributes.media_title : this._name(state);
    this._write(".artist", shows && attributes.media_artist, "artist");
    this._write(".title", title);
    this._find(".title").style.fontStyle = shows ? "" : "normal";
    this._write(".year", shows && work.year ? `, ${work.year}` : "");
    this._find(".work").title = this._find(".work").textContent;
    const facts = [this._medium(work.medium), this._edition(work.edition)].filter(Boolean);
    this._write(".facts", facts.join(" · "), "facts");
    const exhibition = shows && (work.exhibition || attributes.media_playlist);
    this._write(".exhibition", exhibition !== title && exhibition, "exhibition");
    const [sentence, label, help] = this._trouble(state, attributes);
    this._mend = help;
    this._writeWithButton(".trouble", sentence, label);
    this._write(".state", !shows && !help && this._stateText(state));
    const others = (attributes.group_members ?? []).filter((other) => other !== this.entityId);
    const names = others.map((other) => hass.states[other]?.attributes.friendly_name ?? other);
    const together = names.length && new Intl.ListFormat(hass.language).format(names);
    this._write(".with", together && text(hass, "together", { name: together }));
    this._renderDetails(".about", "statement", work.note);
    this._renderDetails(".artists", "about_artist", work.about_artist);
    const until = work.until && text(hass, "until", { time: this._format(new Date(work.until)) });
    this._writeWithButton(".until", until, until && text(hass, "back"));
  }

  _format(date, style = { timeStyle: "short" }) {
    return new Intl.DateTimeFormat(this._hass.language, style).format(date);
  }

  _stateText(state) {
    if (!state) return this._hass.localize("ui.card.common.entity_not_found") || "Entity not found";
    return state.state === "off" ? text(this._hass, "asleep") : this._hass.formatEntityState(state);
  }

  /** Return what keeps the display from showing art, and what helps: a sentence, the label of a button, and its action. */
  _trouble(state, { dp1: { error_page: reason, set_up: isSetUp, silent_host: host } = {} }) {
    const name = this._name(state);
    const details = () => this._moreInfo();
    const help = (key, ...action) => [text(this._hass, key), (button) => this._act(button, ...action)];
    if (state?.state === "unavailable") {
      const at = new Date(state.last_changed);
      const seen = at > 0 && { time: this._format(at, Date.now() - at < DAY ? undefined : { dateStyle: "medium" }) };
      return [text(this._hass, "out_of_reach", { name }), seen && text(this._hass, "last_seen", seen), details];
    }
    if (reason) return [this._error("on_error_page", { name, reason }), ...help("wake", PLAYER, "turn_on")];
    if (isSetUp) return [this._error("display_not_ready", { name }), ...help("look_again", "homeassistant", "update_entity")];
    if (host) {
      const silent = this._error("host_silent", { name: host });
      return can(state, FEATURES.next) ? [silent, ...help("next_work", PLAYER, "media_next_track")] : [silent];
    }
    if (state?.state !== "unknown") return [];
    const restart = this._relative("restart");
    const [label, press] = help("restart", "button", "press", { entity_id: restart });
    return [this._error("display_player_not_running", { name }), label, restart ? press : details];
  }

  /** Return the text of an error. */
  _error(key, values) {
    const category = "exceptions";
    if (!texts.has(`${this._hass.language} ${category}`)) loadTexts(this._hass, category).then(() => this._render());
    return textAt(this._hass, `${category}.${key}.message`, values);
  }

  /** Return an entity of the same display, by its translation key. */
  _relative(key) {
    const { entities } = this._hass;
    const device = entities?.[this.entityId]?.device_id;
    return Object.keys(entities ?? {}).find((id) => device && entities[id].device_id === device && entities[id].translation_key === key);
  }

  _renderNotice() {
    const { message, label, isBusy } = notices.get(this.entityId) ?? {};
    for (const part of [".notice", ".choose"]) this._find(part).ariaBusy = isBusy ? true : null;
    this._writeWithButton(".notice", message, label);
  }

  _notice() {
    notices.get(this.entityId)?.act?.();
  }

  _renderDetails(selector, key, note) {
    const details = this._find(selector);
    details.hidden = !note || this._hidden.has("statement");
    const isOther = this._write(`${selector} .note`, note);
    if (isOther && (selector !== ".about" || this.getAttribute("size") !== "wall")) details.open = false;
    this._write(`${selector} summary`, text(this._hass, key));
  }

  _renderLinks(work) {
    const page = safeUrl(work.link);
    const contract = work.provenance?.contract;
    const chain = CHAINS.get(contract?.chain)?.[0] ?? String(contract?.chain ?? "");
    const provenance = explorerUrl(contract);
    const [maker, site] = (work.artists ?? []).map((artist) => [artist.name, safeUrl(Object.values(artist.links ?? {})[0])]).find(([, url]) => url) ?? [];
    this._link(".link", page, text(this._hass, "page"));
    this._link(".maker", site, maker);
    this._link(".provenance", provenance, text(this._hass, "provenance", { chain }));
    this._write(".chain", !provenance && chain.slice(0, 40));
    this._find(".links").hidden = (!page && !site && !chain) || this._hidden.has("links");
    const signer = work.signed_by;
    this._write(".signed", signer && text(this._hass, "signed_by", { signer }), "links");
  }

  _renderControls(state, attributes, work, shows) {
    const hass = this._hass;
    const isThere = state && state.state !== "unavailable";
    const asleep = state?.state === "off";
    const own = (key, values) => text(hass, key, values);
    const built = (key) => hass.localize(`ui.card.media_player.${key}`);
    const hasOthers = shows && work.works !== 1;
    this._button("previous", hasOthers && can(state, FEATURES.previous), built("media_previous_track"));
    this._button("next", hasOthers && can(state, FEATURES.next), built("media_next_track"));
    const place = { place: attributes.media_track, works: work.works };
    this._write(".place", shows && work.works && own("place", place));
    const favorite = work.favorite === true;
    const heart = this._button("favorite", typeof work.favorite === "boolean", own("favorite"));
    heart.ariaPressed = favorite;
    heart.firstElementChild.icon = favorite ? "mdi:heart" : "mdi:heart-outline";
    const power = asleep ? "wake" : "sleep";
    const hasPower = can(state, asleep ? FEATURES.turnOn : FEATURES.turnOff);
    this._button("power", isThere && hasPower, own(power)).firstElementChild.icon = asleep ? "mdi:power" : "mdi:power-sleep";
    this._button("choose", isThere && !this._hidden.has("choose") && can(state, FEATURES.browse), own("choose"));
    this._write(".choose span", own("choose"));
    this._find(".controls").hidden = this._hidden.has("controls") || !state;
    this._find(".transport").hidden = !shows;
    this._button("duration", shows && work.work_id, own("show_for"));
    this._button("more", state, own("more"));
    this._find(".next").ariaLabel = own("next");
  }

  /** Write a text, hide the element if there is none or its part is not wanted, and tell whether it is another text. */
  _write(selector, content, part) {
    const element = this._find(selector);
    const value = content ? String(content) : "";
    element.hidden = !value || this._hidden.has(part);
    if (element.textContent === value) return false;
    element.textContent = value;
    if (element.classList.contains("clamp")) element.title = value;
    return true;
  }

  /** Write a sentence, and what can be done about it. */
  _writeWithButton(selector, sentence, label) {
    this._write(`${selector} span`, sentence);
    this._write(`${selector} button`, label);
    this._find(selector).hidden = !sentence && !label;
  }

  _link(selector, url, label) {
    const link = this._find(selector);
    link.hidden = !url || !label;
    link.textContent = label;
    if (url) Object.assign(link, { href: url, target: "_blank", rel: "noopener noreferrer" });
  }

  _button(name, visible, label) {
    const button = this._find(`[data-do="${name}"]`);
    button.hidden = !visible;
    button.title = button.ariaLabel = label;
    return button;
  }

  _name(state) {
    return this._config.name || state?.attributes.friendly_name || this.entityId;
  }

  _medium(medium) {
    return typeof medium === "string" ? text(this._hass, `medium.${medium}`) || medium : "";
  }

  /** Write the edition as labels do: 12 of 36. */
  _edition(edition) {
    const [, number, size] = /^#(\d+)(?: of (\d+))?$/.exec(edition ?? "") ?? [];
    if (!number) return edition ?? "";
    return text(this._hass, size ? "edition_of" : "edition", { number, size });
  }

  // The works that come next

  async _updateUpNext(state, work, shows) {
    const entityId = this.entityId;
    const size = this.getAttribute("size");
    const wanted = shows && size && size !== "tile" && !this._hidden.has("upcoming") && work.works > 1;
    const { media_track: place, shuffle, repeat, media_title: title } = state?.attributes ?? {};
    const key = wanted && JSON.stringify([entityId, work.work_id, work.playlist_id, work.works, place, title, shuffle, repeat]);
    if (this._upNextKey === key) return;
    this._upNextKey = key;
    if (!wanted && this._find(".upcoming").hidden) return;
    const reading = wanted ? browse(this._hass, entityId, UP_NEXT).catch(() => null) : [];
    const [{ renderUpNext }, works] = await Promise.all([later(), reading]);
    if (this._upNextKey !== key) return;
    // Asks again later.
    if (!works) this._upNextKey = null;
    renderUpNext(this, works ?? []);
  }

  // Actions

  _act(button, ...action) {
    return call(this._hass, this.entityId, action, button);
  }

  _picture(button, { detail: taps }) {
    if (!this._isSet("double_tap")) return this._perform("tap");
    clearTimeout(this._tapped);
    if (taps > 1) this._perform("double_tap");
    else this._tapped = setTimeout(() => this._perform("tap"), DOUBLE_TAP_DELAY);
  }

  _isSet(action) {
    return (this._config[`${action}_action`]?.action ?? "none") !== "none";
  }

  /** Let Home Assistant do what is set; a tap of which nothing is set opens the details. */
  _perform(action) {
    fire(this, "hass-action", { config: this._config, action });
  }

  _moreInfo() {
    fire(this, "hass-more-info", { entityId: this.entityId });
  }

  _favorite(button) {
    this._act(button, DOMAIN, button.ariaPressed === "true" ? "remove_favorite" : "add_favorite");
  }

  _power(button) {
    this._act(button, PLAYER, this.hasAttribute("asleep") ? "turn_on" : "turn_off");
  }

  _previous(button) {
    this._act(button, PLAYER, "media_previous_track");
  }

  _next(button) {
    this._act(button, PLAYER, "media_next_track");
  }

  _back(button) {
    this._act(button, DOMAIN, "show_previous");
  }

  /** Do what is set for a long press on the picture, or else open the menu of the work. */
  async _hold() {
    if (this._isSet("hold")) this._perform("hold");
    else if (this.state?.state === "playing") (await later()).openWorkMenu(this, this._find(".picture"));
  }
}

/** Return the class of an element that another module fills, which is loaded with the first one. */
const lazy = (name) =>
  class extends HTMLElement {
    setConfig(config) {
      this._take({ config });
    }

    set hass(hass) {
      this._take({ hass });
    }

    set context(context) {
      this._take({ context });
    }

    async _take(properties) {
      this._properties = { ...this._properties, ...properties };
      const { [name]: fill } = await gallery();
      this._update ??= fill(this);
      this._update(this._properties);
    }
  };

class HighlightsCard extends lazy("highlights") {
  static getStubConfig = WallLabelCard.getStubConfig;

  static async getConfigForm() {
    return (await later()).configForm(1);
  }
}

class ExhibitionsFeature extends lazy("exhibitions") {
  static getStubConfig() {
    return { type: `custom:${FEATURE}` };
  }
}

/** A dashboard that makes itself. */
class GalleryStrategy extends HTMLElement {
  static registryDependencies = ["entities", "devices", "areas"];
  static noEditor = true;

  static getCreateSuggestions() {
    return { title: pageText("gallery", "Art gallery"), icon: "mdi:image-frame" };
  }

  static async generate(config, hass) {
    return (await gallery()).generate(hass);
  }
}

/** The entry of the sidebar: the cards are loaded with it, and then the dashboard is there. */
class GalleryPanel extends HTMLElement {
  connectedCallback() {
    history.replaceState(null, "", "/dp1-art-gallery");
    fire(window, "location-changed", { replace: true });
  }
}

// Home Assistant puts a registry of its own in the place of the browser's while it starts: what is defined before that
// is unknown to it. "hc-main" is its page on Chromecast.
await Promise.race(["home-assistant", "hc-main"].map((tag) => customElements.whenDefined(tag)));

// The same file may be loaded by two addresses.
if (!customElements.get(CARD)) {
  customElements.define(CARD, WallLabelCard);
  customElements.define(HIGHLIGHTS, HighlightsCard);
  customElements.define(FEATURE, ExhibitionsFeature);
  customElements.define(`${GALLERY}-panel`, GalleryPanel);
  customElements.define(`ll-strategy-dashboard-${GALLERY}`, GalleryStrategy);
  const announce = (list, type, name, description, more) =>
    (window[list] ??= []).push({
      type,
      preview: true,
      documentationURL: DOCUMENTATION,
      get name() {
        return pageText(...name);
      },
      get description() {
        return pageText(...description);
      },
      ...more,
    });
  announce("customCards", CARD, ["name", "Wall label"], ["description", "The work on an art display, with its label."], {
    getEntitySuggestion: (hass, entityId) =>
      isDisplay(hass, entityId) ? { config: { type: `custom:${CARD}`, entity: entityId } } : null,
  });
  announce("customCards", HIGHLIGHTS, ["highlights", "Today, new and favorite"], ["highlights_description", "Art to hang with a tap."]);
  announce("customCardFeatures", FEATURE, ["exhibitions", "Exhibitions"], [], {
    isSupported: (hass, context) => isDisplay(hass, context?.entity_id ?? ""),
  });
  announce("customStrategies", GALLERY, ["gallery", "Art gallery"], ["gallery_description", "All art displays and the library."], {
    strategyType: "dashboard",
  });
}
