/**
 * Dashboard cards of the DP-1 Art Displays integration.
 *
 * A plain module: no build, no library, no request to any other host. What comes from displays and libraries is
 * written by strangers: it becomes text content, and an address becomes a link only if it is http(s).
 */

const CARD = "dp1-wall-label-card";
const HIGHLIGHTS = "dp1-highlights-card";
const CHOOSER = "dp1-chooser";
const FEATURE = "dp1-exhibitions";
const GALLERY = "dp1-gallery";
const DOMAIN = "dp1";
const PLAYER = "media_player";
const DOCUMENTATION = "https://github.com/dp1-art-displays/home-assistant/blob/main/docs/dashboards.md";
// Pages of a display that Home Assistant's media browser has for cards; see browse/.
const UP_NEXT = "dp1://next";
const EXHIBITIONS = "dp1://exhibitions";
const FAVORITES_AND_NEW = "dp1://highlights";
const DIALOG = "dialog-media-player-browse";
const FOREVER = 0;
const MINUTES = [5, 15, 30, 60, 180];
const VOLUME_STEPS = 20;
const FEATURES = {
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
const REPEAT = { off: "mdi:repeat-off", one: "mdi:repeat-once", all: "mdi:repeat" };
const PARTS = ["artist", "facts", "exhibition", "statement", "links", "progress", "controls", "choose", "upcoming"];
const WALL_WIDTH = 600;
const TILE_WIDTH = 280;
const TILE_ROWS = 4;
const FEATURE_SOURCES = 12;
const SEARCH_DELAY = 300;
const HOLD_DELAY = 500;
const DOUBLE_TAP_DELAY = 250;
const LIBRARY_NAME = [{ type: "device" }, { type: "entity" }];
// Home Assistant's features of tiles for the settings of a display.
const SETTINGS = new Map([
  ["number", [{ type: "numeric-input", style: "slider" }]],
  ["select", [{ type: "select-options" }]],
  ["switch", []],
  ["time", []],
]);
// The heading of settings, by translation key; what is not named here is about the picture.
const SETTING_GROUPS = new Map([
  ...["sleep_schedule", "sleep_time", "wake_time", "sleep_days"].map((key) => [key, "sleep_times"]),
  ...["panel", "panel_brightness", "panel_contrast", "panel_volume"].map((key) => [key, "monitor"]),
]);

// By chain: its name, how a contract's address looks, and the page of a token.
const CHAINS = new Map([
  ["evm", ["Ethereum", /^0x[0-9a-f]{40}$/i, (address, token) => `https://etherscan.io/nft/${address}/${token}`]],
  ["tezos", ["Tezos", /^KT1[1-9A-HJ-NP-Za-km-z]{33}$/, (address, token) => `https://tzkt.io/${address}/tokens/${token}`]],
  ["bitmark", ["Bitmark"]],
]);

const BASE_STYLE = `
:host { --paper: var(--card-background-color, #fff); --fill: var(--secondary-background-color); }
[hidden] { display: none !important; }
p { margin: 0; }
button, input, summary { font: inherit; color: inherit; }
button { background: none; border: 0; padding: 0; cursor: pointer; -webkit-tap-highlight-color: transparent; }
button:disabled { opacity: .5; cursor: default; }
:is(button, a, summary, input):focus-visible { outline: 2px solid var(--primary-color); outline-offset: -2px; border-radius: 8px; }
a, summary, .until button, .all { color: inherit; text-decoration: underline; text-underline-offset: 2px; }
ul { list-style: none; margin: 0; padding: 0; }
li { position: relative; }
.show { width: 100%; text-align: start; border-radius: 8px; }
.icon, .thumb, .corner, .picture { display: grid; place-items: center; }
.icon { width: max(44px, 2.75em); aspect-ratio: 1; position: relative; }
.corner {
  position: absolute; inset-block-start: 2px; inset-inline-end: 2px; width: 28px; height: 28px; border-radius: 50%;
  background: var(--paper); --mdc-icon-size: 18px;
}
:is(.icon, .corner)[aria-busy="true"]::after {
  content: ""; position: absolute; inset: 14%; border-radius: 50%; border: 2px solid var(--primary-color);
  border-block-start-color: transparent;
}
@media (prefers-reduced-motion: no-preference) {
  [aria-busy="true"]::after { animation: turn 1s linear infinite; }
  @keyframes turn { to { transform: rotate(1turn); } }
}
.thumb { border-radius: 8px; overflow: hidden; position: relative; background: var(--fill); color: var(--secondary-text-color); margin-block-end: 4px; }
:is(.thumb, .picture) img { position: absolute; inset: 0; width: 100%; height: 100%; object-fit: cover; }
.one-line { display: block; white-space: nowrap; overflow: hidden; text-overflow: ellipsis; }
.soft { color: var(--secondary-text-color); }
.small { font-size: var(--ha-font-size-s, 12px); }
`;

const STYLE = `
:host { display: block; height: 100%; }
ha-card { height: 100%; overflow: hidden; color: var(--primary-text-color); position: relative; }
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
.side { display: flex; flex-direction: column; gap: 12px; padding: 16px; min-width: 0; }
.label { display: flex; flex-direction: column; gap: 2px; text-align: start; line-height: 1.4; min-width: 0; }
.label > p { overflow-wrap: anywhere; }
.artist { font-weight: 500; }
.title { font-style: italic; }
.work { font-size: var(--ha-font-size-l, 16px); }
.clamp { display: -webkit-box; -webkit-box-orient: vertical; -webkit-line-clamp: 2; overflow: hidden; }
.reads { display: flex; flex-wrap: wrap; column-gap: 1em; }
.reads [open] { flex-basis: 100%; }
.links { display: contents; }
.links a, summary, .until button { display: inline-flex; align-items: center; min-height: 32px; }
summary { cursor: pointer; list-style: none; }
summary::-webkit-details-marker { display: none; }
.note { max-width: 65ch; white-space: pre-line; }
.controls { display: flex; flex-wrap: wrap; align-items: center; justify-content: space-between; margin-inline: -12px; }
.group { display: flex; align-items: center; min-width: 0; }
.transport { direction: ltr; }
.place { min-width: 56px; text-align: center; white-space: nowrap; }
[aria-pressed="true"] { color: var(--error-color, #db4437); }
.choose { display: flex; align-items: center; justify-content: center; gap: 8px; min-height: max(44px, 3.2em); border-radius: 3.2em; padding: 0 16px; background: var(--fill); font-weight: 500; }
.choose:focus-visible { border-radius: 3.2em; outline-offset: 1px; }
.next { display: flex; gap: 8px; overflow-x: auto; margin: 0 -16px; padding: 0 16px 4px; scrollbar-width: thin; }
.next li { flex: none; }
.next li[dropbefore]::before {
  content: ""; position: absolute; inset-block: 0; inset-inline-start: -5px; width: 2px; background: var(--primary-color);
}
.next .show { width: calc(6 * var(--unit)); }
.next .thumb { height: calc(4 * var(--unit)); }
.next .corner { opacity: 0; }
.next li:is(:hover, :focus-within) .corner { opacity: 1; }
@media (hover: none) { .next .corner { opacity: .9; } }
.menu {
  position: absolute; z-index: 2; inset: auto 8px 8px auto; width: min(22em, 100% - 16px); box-sizing: border-box; max-block-size: calc(100% - 16px); overflow-y: auto;
  border-radius: 12px; padding: 8px; box-shadow: 0 4px 24px rgba(0, 0, 0, .35);
  background: var(--paper);
}
.menu :is(p, button) { display: flex; align-items: center; gap: 12px; min-height: 44px; width: 100%; padding: 0 12px; text-align: start; border-radius: 8px; box-sizing: border-box; }
.menu button:is(:hover, :focus-visible) { background: var(--fill); }
.menu .heading { min-height: 28px; }
.menu .icon { width: 44px; padding: 0; margin-inline: -12px; display: grid; flex: none; }
.menu :is(span, input) { flex: 1; min-width: 0; accent-color: var(--primary-color); }

.as-tile .side { padding: 8px 12px; gap: 0; }
.as-tile .picture img { padding: 6px; }
.as-tile .frame { grid-template-rows: minmax(40px, 1fr) auto; }
.as-tile .label { font-size: var(--ha-font-size-m, 14px); line-height: 1.3; }
.as-tile .work { font-size: inherit; }
.as-tile .clamp { -webkit-line-clamp: 1; }
.as-tile :is(.detail, .controls, .choose, .upcoming, .until) { display: none; }

.as-wall { font-size: var(--unit); --mdc-icon-size: 1.5em; }
.as-wall .frame { grid: minmax(0, 1fr) / minmax(0, 1fr) clamp(304px, 30%, 27.5em); }
:host([stacked]) .frame { grid: minmax(0, 1fr) auto / minmax(0, 1fr); }
.as-wall .picture { aspect-ratio: auto; }
.as-wall .picture img { padding: 4%; }
.as-wall .side { justify-content: flex-end; padding: 2em 1.5em 1.5em; gap: 1em; overflow-y: auto; }
:host([stacked]) .side { padding-block-start: 1.25em; max-block-size: 45vh; justify-content: flex-start; }
.as-wall .label { margin-block-start: auto; line-height: 1.5; }
.as-wall .work { font-size: 1.25em; }
.as-wall .clamp { -webkit-line-clamp: 4; }
.as-wall :is(.choose, .place, .next .one-line, .menu span) { font-size: .875em; }
.as-wall .next { margin: 0 -1.5em; padding: 0 1.5em 4px; }

@media (prefers-reduced-motion: no-preference) {
  .picture img.fresh { animation: appear 600ms ease-out; }
  @keyframes appear { from { opacity: 0; } }
}
`;

const FEATURE_STYLE = `
ul { display: flex; gap: 8px; overflow-x: auto; scrollbar-width: none; }
button {
  height: var(--feature-height, 42px); padding: 0 16px 0 4px; white-space: nowrap; color: var(--primary-text-color);
  border-radius: var(--feature-border-radius, 12px); background: var(--fill);
  display: flex; align-items: center; gap: 8px;
}
button:not(:has(img)) { padding-inline: 16px; }
img { height: calc(100% - 8px); aspect-ratio: 1; object-fit: cover; border-radius: 8px; }
button[aria-pressed="true"] { background: var(--primary-text-color); color: var(--paper); }
`;

const HIGHLIGHTS_STYLE = `
:host { display: block; }
ul { display: flex; gap: 12px; overflow-x: auto; padding-block-end: 4px; scrollbar-width: thin; }
li { flex: 0 0 132px; min-width: 0; }
.thumb { height: 88px; }
@media (min-width: 1100px) { ul { display: grid; grid-template-columns: repeat(auto-fill, minmax(132px, 1fr)); } }
`;

const CHOOSER_STYLE = `
dialog {
  box-sizing: border-box; width: min(960px, 100vw - 32px); height: min(800px, 100vh - 32px); padding: 0; border: 0;
  border-radius: 16px; color: var(--primary-text-color); background: var(--paper); overflow: hidden;
}
dialog::backdrop { background: rgba(0, 0, 0, .5); }
.frame { display: grid; grid-template-rows: auto 1fr auto; height: 100%; }
header, footer { display: flex; flex-wrap: wrap; align-items: center; gap: 12px; padding: 12px 16px; }
h2 { margin: 0; font-size: 20px; font-weight: 500; flex: 1 1 auto; }
input {
  flex: 1 1 200px; min-height: 44px; box-sizing: border-box; padding: 0 16px; border: 0; border-radius: 22px;
  background: var(--fill);
}
.body { overflow-y: auto; padding: 0 16px; }
ul { display: grid; grid-template-columns: repeat(auto-fill, minmax(148px, 1fr)); gap: 16px; }
.thumb { aspect-ratio: 4 / 3; }
.corner { width: 44px; height: 44px; --mdc-icon-size: 24px; }
[role=status] { position: sticky; inset-block-start: 0; z-index: 1; padding-block-end: 8px; background: var(--paper); }
footer button { min-height: 44px; padding: 0 16px; }
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
        <p class="until soft" hidden><span></span> · <button data-do="back"></button></p>
        <div class="reads detail">
          <details class="about" hidden><summary></summary><p class="note" dir="auto"></p></details>
          <details class="artists" hidden><summary></summary><p class="note" dir="auto"></p></details>
          <p class="links"><a class="link"></a><a class="provenance"></a><span class="chain soft"></span></p>
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
  <div class="menu" hidden><div class="above"></div><div role="menu"></div></div>
  <input class="file" type="file" accept="image/*" hidden>
</ha-card>
`;

const CHOOSER_TEMPLATE = `
<dialog aria-labelledby="title">
  <div class="frame">
    <header>
      <h2 id="title"></h2>
      <input type="search" autocomplete="off">
      <button class="icon close"><ha-icon icon="mdi:close"></ha-icon></button>
    </header>
    <div class="body"><p class="soft" role="status"></p><ul></ul></div>
    <footer><button class="all"></button></footer>
  </div>
</dialog>
`;

/** Texts of the integration by language, as the function that looks them up. */
const texts = new Map();

const loadTexts = async (hass) => {
  const language = hass.language;
  if (!texts.has(language)) {
    const loading = hass.loadBackendTranslation("config_panel", DOMAIN).then(
      (localize) => texts.set(language, localize),
      () => texts.delete(language),
    );
    texts.set(language, loading);
  }
  return texts.get(language);
};

/** Return a text of the card, empty while the texts are not loaded. */
const text = (hass, key, values) => {
  const localize = hass && texts.get(hass.language);
  return typeof localize === "function"
    ? localize(`component.${DOMAIN}.config_panel.card.${key}`, values) || ""
    : "";
};

/** Return a text outside of a card, in English until the texts are loaded. */
const pageText = (key, english) => {
  const hass = document.querySelector("home-assistant")?.hass;
  if (hass) loadTexts(hass);
  return text(hass, key) || english;
};

const safeUrl = (url) => (typeof url === "string" && /^https?:\/\//i.test(url) ? url : null);

const explorerUrl = (contract) => {
  const { chain, address, tokenId } = contract ?? {};
  const [, form, page] = CHAINS.get(chain) ?? [];
  return form?.test(address) && /^\d{1,78}$/.test(tokenId) ? page(address, tokenId) : null;
};

const isDisplay = (hass, entityId) =>
  entityId.startsWith("media_player.") && hass.entities?.[entityId]?.platform === DOMAIN;

const can = (state, feature) => Boolean(state?.attributes.supported_features & feature);

const fire = (element, type, detail) =>
  element.dispatchEvent(new CustomEvent(type, { detail, bubbles: true, composed: true }));

const draw = (element, style, markup) => {
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

const make = (tag, properties = {}, ...children) => {
  const element = Object.assign(document.createElement(tag), properties);
  element.append(...children);
  return element;
};

const icon = (name) => make("ha-icon", { icon: name });

const duration = (language, minutes) => {
  const [value, unit] = minutes < 60 ? [minutes, "minute"] : [minutes / 60, "hour"];
  return new Intl.NumberFormat(language, { style: "unit", unit, unitDisplay: "long" }).format(value);
};

/** Call an action for a display, and tell whether it succeeded; Home Assistant itself shows why it failed. */
const call = (hass, entityId, domain, action, data) =>
  hass.callService(domain, action, { entity_id: entityId, ...data }).then(
    () => true,
    () => false,
  );

const hang = (hass, entityId, { media_content_id, media_content_type }, data) =>
  call(hass, entityId, PLAYER, "play_media", { media_content_id, media_content_type, ...data });

/** Return what is on a page of the media browser of a display. */
const browse = (hass, entityId, page) =>
  hass
    .callWS({ type: "media_player/browse_media", entity_id: entityId, media_content_type: "directory", media_content_id: page })
    .then((found) => found?.children ?? []);

const grid = (...cards) => ({ type: "grid", cards });

const whileIn = (entity, state) => [{ condition: "state", entity, state }];

/** Return the picture at a path, which may be missing. */
const pictures = (hass, path) => {
  if (!path) return [];
  const image = make("img", { loading: "lazy", alt: "", src: hass.hassUrl(path) });
  image.onerror = () => image.remove();
  return [image];
};

const pictureItem = (hass, medium, tapped) => {
  const title = medium.title || text(hass, "untitled");
  const caption = make("span", { className: "one-line small", dir: "auto", textContent: title });
  const button = make("button", { title, className: "show", onclick: tapped }, make("div", { className: "thumb" }, icon("mdi:image-frame"), ...pictures(hass, medium.thumbnail)), caption);
  return make("li", {}, button);
};

const isSideways = ({ key }) => key === "ArrowLeft" || key === "ArrowRight";

const isRightToLeft = (element) => getComputedStyle(element).direction === "rtl";

/** Let arrow keys move between elements of which one is in the order of the Tab key. */
const rove = (event, elements) => {
  const steps = { ArrowDown: 1, ArrowRight: 1, ArrowUp: -1, ArrowLeft: -1, Home: -Infinity, End: Infinity };
  let step = steps[event.key];
  if (!step || !elements.length) return false;
  if (isSideways(event) && isRightToLeft(elements[0])) step = -step;
  const index = elements.indexOf(elements[0].getRootNode().activeElement);
  const wanted = elements[Math.min(Math.max(index + step, 0), elements.length - 1)];
  for (const element of elements) element.tabIndex = element === wanted ? 0 : -1;
  wanted.focus();
  event.preventDefault();
  return true;
};

/**
 * Return what loads Home Assistant's media dialog, or nothing if it cannot be had.
 *
 * Only Home Assistant's own cards know the file it is in: one is asked to open it, and its event is kept from rising.
 */
const mediaDialog = async (entity) => {
  if (customElements.get(DIALOG)) return () => Promise.resolve();
  try {
    const helpers = await window.loadCardHelpers();
    const card = helpers.createCardElement({ type: "media-control", entity });
    await customElements.whenDefined("hui-media-control-card");
    let found;
    card.addEventListener("show-dialog", (event) => {
      event.stopPropagation();
      found = event.detail;
    });
    card._handleBrowseMedia();
    return found?.dialogTag === DIALOG ? found.dialogImport : null;
  } catch {
    return null;
  }
};

/** Open Home Assistant's media browser for a display, as a dialog where it can be had. */
const browseAll = async (element, hass, entityId) => {
  const dialogImport = await mediaDialog(entityId);
  if (!dialogImport) {
    history.pushState(null, "", `/media-browser/${entityId}`);
    fire(window, "location-changed", { replace: false });
    return;
  }
  const mediaPickedCallback = ({ item }) => hang(hass, entityId, item);
  const dialogParams = { action: "play", entityId, mediaPickedCallback };
  fire(element, "show-dialog", { dialogTag: DIALOG, dialogImport, dialogParams });
};

const choose = (hass, entityId) => {
  const chooser = make(CHOOSER);
  document.body.append(chooser);
  return chooser.open(hass, entityId);
};

/** The exhibitions as pictures to choose from, with a search. */
class Chooser extends HTMLElement {
  constructor() {
    super();
    const root = draw(this, BASE_STYLE + CHOOSER_STYLE, CHOOSER_TEMPLATE);
    this._find = (selector) => root.querySelector(selector);
    this._dialog = this._find("dialog");
    this._dialog.onclose = () => this.remove();
    this._dialog.addEventListener("click", (event) => event.target === this._dialog && this._dialog.close());
    this._find(".close").onclick = () => this._dialog.close();
    this._find(".all").onclick = () => {
      this._dialog.close();
      browseAll(document.querySelector("home-assistant") ?? document.body, this._hass, this._entityId);
    };
    this._find("input").oninput = () => {
      clearTimeout(this._timer);
      this._timer = setTimeout(() => this._load(), SEARCH_DELAY);
    };
  }

  async open(hass, entityId) {
    this._hass = hass;
    this._entityId = entityId;
    await loadTexts(hass);
    this._find("h2").textContent = text(hass, "choose");
    this._find("input").placeholder = this._find("input").ariaLabel = text(hass, "search");
    this._find(".all").textContent = text(hass, "all_art");
    this._find(".close").ariaLabel = hass.localize("ui.common.close");
    this._dialog.showModal();
    await this._load();
  }

  async _load() {
    const query = this._find("input").value.trim();
    this._query = query;
    this._say("reading");
    const found = await this._ask(query).catch(() => null);
    if (this._query !== query) return;
    this._say(found?.length ? "" : found ? "nothing_found" : "not_read");
    this._find("ul").replaceChildren(...(found ?? []).map((medium) => this._item(medium)));
  }

  _item(medium) {
    const item = pictureItem(this._hass, medium, () => {
      this._dialog.close();
      hang(this._hass, this._entityId, medium);
    });
    if (can(this._hass.states[this._entityId], FEATURES.enqueue)) item.append(this._adder(medium));
    return item;
  }

  /** Return a button that adds art to what hangs; the dialog stays open for more. */
  _adder(medium) {
    const { title } = medium;
    const label = text(this._hass, "add", { title });
    const onclick = async () => {
      add.ariaBusy = true;
      if (await hang(this._hass, this._entityId, medium, { enqueue: "add" })) {
        add.firstElementChild.icon = "mdi:check";
        this._say("added", { title });
      }
      add.ariaBusy = null;
    };
    const add = make("button", { className: "corner", title: label, ariaLabel: label, onclick }, icon("mdi:plus"));
    return add;
  }

  async _ask(query) {
    if (!query) return browse(this._hass, this._entityId, EXHIBITIONS);
    const request = { type: "media_player/search_media", entity_id: this._entityId, search_query: query };
    return (await this._hass.callWS(request))?.result ?? [];
  }

  _say(key, values) {
    const status = this._find("[role=status]");
    status.textContent = key && text(this._hass, key, values);
    status.hidden = !key;
  }
}

/** The work on a display, with a label as in museums. */
class WallLabelCard extends HTMLElement {
  constructor() {
    super();
    const root = draw(this, BASE_STYLE + STYLE, TEMPLATE);
    this._find = (selector) => root.querySelector(selector);
    this._all = (selector) => root.querySelectorAll(selector);
    for (const button of this._all("[data-do]")) {
      const name = button.dataset.do;
      button.onclick = (event) =>
        this[`_${name}`] ? this[`_${name}`](button, event) : this._act(button, PLAYER, `media_${name}_track`);
    }
    const image = (this._image = this._find(".picture img"));
    image.onload = () => this._showImage(true);
    image.onerror = () => this._showImage(false);
    this._find(".picture").onpointerdown = () => this._press();
    this._find(".menu").onkeydown = (event) => this._menuKey(event);
    this._find(".file").onchange = (event) => this._upload(event.target);
    root.addEventListener("focusout", ({ relatedTarget }) => {
      if (relatedTarget && !this._find(".menu").contains(relatedTarget)) this._closeMenu();
    });
    this._outside = (event) => event.composedPath().includes(this._find(".menu")) || this._closeMenu();
    this._observer = new ResizeObserver(() => this._updateSize());
  }

  static getStubConfig(hass) {
    const shown = (entityId) => isDisplay(hass, entityId) && !hass.entities[entityId].hidden;
    return { entity: Object.keys(hass.entities ?? {}).find(shown) ?? "" };
  }

  static async getConfigForm() {
    const home = document.querySelector("home-assistant");
    if (home?.hass) await loadTexts(home.hass);
    const filter = { integration: DOMAIN, domain: PLAYER };
    const options = PARTS.map((part) => ({ value: part, label: pageText(`part.${part}`, part) }));
    return {
      schema: [
        { name: "entity", required: true, selector: { entity: { filter } } },
        { name: "name", selector: { text: {} } },
        { name: "hide", selector: { select: { multiple: true, mode: "list", options } } },
        { name: "tap_action", selector: { ui_action: { default_action: "more-info" } } },
        ...["hold_action", "double_tap_action"].map((name) => ({ name, selector: { ui_action: { default_action: "none" } } })),
      ],
      computeLabel: ({ name }, localize) =>
        name === "hide" ? pageText("hide", name) : localize(`ui.panel.lovelace.editor.card.generic.${name}`),
    };
  }

  setConfig(config) {
    if (typeof config?.entity !== "string" || !config.entity.startsWith("media_player.")) {
      throw new Error("Specify an entity from within the media_player domain");
    }
    if (config.entity !== this._config?.entity) this._lastPicture = null;
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
    const entityId = this._config?.entity;
    if (
      before?.states[entityId] !== hass.states[entityId] ||
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
    this._updateSize();
    // The bar starts anew.
    this._progress = null;
    this._render();
  }

  disconnectedCallback() {
    this._observer.disconnect();
    this._closeMenu();
  }

  getCardSize() {
    return this.getAttribute("size") === "tile" ? 4 : 9;
  }

  getGridOptions() {
    return { columns: 12, min_columns: 3, min_rows: 2 };
  }

  get _state() {
    return this._hass?.states[this._config?.entity];
  }

  /** What the display tells of the work on the wall. */
  get _work() {
    return (this._state?.state === "playing" && this._state.attributes.dp1) || {};
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
    const state = this._state;
    const attributes = state?.attributes ?? {};
    const shows = state?.state === "playing";
    const work = this._work;
    this.toggleAttribute("asleep", state?.state === "off");
    this._renderPicture(state, attributes, shows);
    this._renderProgress(attributes, shows);
    this._renderLabel(state, attributes, work, shows);
    this._renderLinks(work);
    this._renderControls(state, attributes, work, shows);
    this._updateUpNext(state, work, shows);
    this._renderMenu();
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
    const { entities, states } = this._hass;
    const device = entities?.[this._config.entity]?.device_id;
    const isIts = (entity) => device && entity.device_id === device && entity.translation_key === "work";
    const found = Object.keys(entities ?? {}).find((entityId) => entityId.startsWith("image.") && isIts(entities[entityId]));
    const { state, attributes: { entity_picture: path } = {} } = states[found] ?? {};
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
    image.classList.remove("fresh");
    if (visible) {
      void image.offsetWidth; // restarts the animation
      image.classList.add("fresh");
    }
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
    const facts = [this._medium(work.medium), this._edition(work.edition)].filter(Boolean);
    this._write(".facts", facts.join(" · "), "facts");
    const exhibition = shows && (work.exhibition || attributes.media_playlist);
    this._write(".exhibition", exhibition !== title && exhibition, "exhibition");
    this._write(".state", !shows && this._stateText(state));
    this._renderDetails(".about", "statement", work.note);
    this._renderDetails(".artists", "about_artist", work.about_artist);
    const until = shows && work.until ? new Date(work.until) : null;
    this._find(".until").hidden = !until;
    if (until) {
      const time = new Intl.DateTimeFormat(hass.language, { timeStyle: "short" }).format(until);
      this._find(".until span").textContent = text(hass, "until", { time });
      this._find(".until button").textContent = text(hass, "back");
    }
  }

  _stateText(state) {
    if (!state) return this._hass.localize("ui.card.common.entity_not_found") || "Entity not found";
    return state.state === "off" ? text(this._hass, "asleep") : this._hass.formatEntityState(state);
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
    this._link(".link", page, text(this._hass, "page"));
    this._link(".provenance", provenance, text(this._hass, "provenance", { chain }));
    this._write(".chain", !provenance && chain.slice(0, 40));
    this._find(".links").hidden = (!page && !chain) || this._hidden.has("links");
    const signer = work.signed_by;
    this._write(".signed", signer && text(this._hass, "signed_by", { signer }), "links");
  }

  _renderControls(state, attributes, work, shows) {
    const hass = this._hass;
    const isThere = state && state.state !== "unavailable";
    const hidden = this._hidden.has("controls") || !isThere;
    const asleep = state?.state === "off";
    const own = (key, values) => text(hass, key, values);
    const built = (key) => hass.localize(`ui.card.media_player.${key}`);
    this._button("previous", shows && can(state, FEATURES.previous), built("media_previous_track"));
    this._button("next", shows && can(state, FEATURES.next), built("media_next_track"));
    const place = { place: attributes.media_track, works: work.works };
    this._write(".place", shows && work.works && own("place", place));
    const favorite = work.favorite === true;
    const heart = this._button("favorite", typeof work.favorite === "boolean", own("favorite"));
    heart.ariaPressed = favorite;
    heart.firstElementChild.icon = favorite ? "mdi:heart" : "mdi:heart-outline";
    const power = asleep ? "wake" : "sleep";
    const hasPower = can(state, asleep ? FEATURES.turnOn : FEATURES.turnOff);
    this._button("power", hasPower, own(power)).firstElementChild.icon = asleep ? "mdi:power" : "mdi:power-sleep";
    this._button("choose", isThere && !this._hidden.has("choose") && can(state, FEATURES.browse), own("choose"));
    this._write(".choose span", own("choose"));
    this._find(".controls").hidden = hidden;
    this._find(".transport").hidden = !shows;
    this._button("duration", shows && work.work_id, own("show_for"));
    this._button("more", shows, own("more"));
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
    return this._config.name || state?.attributes.friendly_name || this._config.entity;
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

  async _updateUpNext(state, work, shows) {
    const entityId = this._config.entity;
    const size = this.getAttribute("size");
    const wanted = shows && size && size !== "tile" && !this._hidden.has("upcoming") && work.works > 1;
    const { media_track: place, shuffle, repeat, media_title: title } = state?.attributes ?? {};
    const key = wanted && JSON.stringify([entityId, work.work_id, work.playlist_id, work.works, place, title, shuffle, repeat]);
    if (this._upNextKey === key) return;
    this._upNextKey = key;
    const works = wanted ? await browse(this._hass, entityId, UP_NEXT).catch(() => null) : [];
    if (this._upNextKey !== key) return;
    // Asks again later.
    if (!works) this._upNextKey = null;
    this._renderUpNext(works ?? []);
  }

  _renderUpNext(works) {
    const list = this._find(".next");
    const hadFocus = list.contains(this.shadowRoot.activeElement);
    list.replaceChildren(...works.map((work, index) => this._upNextItem(works, index)));
    list.scrollLeft = 0;
    this._find(".upcoming").hidden = !works.length;
    if (hadFocus) list.querySelector(".show")?.focus();
  }

  /** Return a work to come: it can be shown at once, dragged or moved with Alt and an arrow key, and taken out. */
  _upNextItem(works, index) {
    const named = (at) => works[at]?.media_content_id.slice(UP_NEXT.length + 1);
    const work = named(index);
    const item = pictureItem(this._hass, works[index], ({ currentTarget }) =>
      this._act(currentTarget, DOMAIN, "show_work", { work }),
    );
    const move = (button, to) => {
      if (to < 0 || to > works.length || to === index) return;
      this._act(button, DOMAIN, "move_work", { work, ...(named(to) && { before: named(to) }) });
    };
    const show = item.querySelector(".show");
    show.title = `${show.title} (${text(this._hass, "rearrange")})`;
    const title = works[index].title || text(this._hass, "untitled");
    const remove = make("button", { className: "corner", ariaLabel: text(this._hass, "remove", { title }) }, icon("mdi:close"));
    remove.onclick = () => this._act(remove, DOMAIN, "remove_work", { work });
    item.append(remove);
    item.draggable = true;
    item.onkeydown = (event) => {
      if (event.altKey && isSideways(event)) {
        event.preventDefault();
        const isNext = event.key === (isRightToLeft(item) ? "ArrowLeft" : "ArrowRight");
        move(show, isNext ? index + 2 : index - 1);
      } else if (event.key === "Delete") {
        remove.click();
      }
    };
    item.ondragstart = ({ dataTransfer }) => {
      this._dragged = { move, show };
      dataTransfer.setData("text/plain", title);
    };
    item.ondragover = (event) => {
      if (!this._dragged) return;
      event.preventDefault();
      item.toggleAttribute("dropbefore", true);
    };
    item.ondragleave = () => item.removeAttribute("dropbefore");
    item.ondrop = (event) => {
      event.preventDefault();
      item.ondragleave();
      this._dragged?.move(this._dragged.show, index);
    };
    // Comes after the drop.
    item.ondragend = () => (this._dragged = null);
    return item;
  }

  /** Open a menu above the card, with the focus on its first entry. */
  _openMenu(button, above, ...entries) {
    const menu = this._find(".menu");
    if (this._opener === button) return this._closeMenu(true);
    this._closeMenu();
    this._opener = button;
    button.ariaExpanded = true;
    this._find("[role=menu]").ariaLabel = above?.textContent || button.title;
    this._find("[role=menu]").replaceChildren(...entries.filter(Boolean));
    this._find(".above").replaceChildren(above ?? "");
    menu.hidden = false;
    menu.scrollIntoView({ block: "nearest" });
    const items = this._menuItems();
    for (const item of items) item.tabIndex = -1;
    items[0].tabIndex = 0;
    items[0].focus();
    // The click that opens the menu is still on its way.
    setTimeout(() => this._opener === button && window.addEventListener("click", this._outside));
  }

  _closeMenu(refocus = false) {
    window.removeEventListener("click", this._outside);
    if (!this._opener) return;
    this._opener.ariaExpanded = false;
    this._find(".menu").hidden = true;
    if (refocus) this._opener.focus();
    this._opener = null;
  }

  _menuItems() {
    return [...this._all(".menu :is(button, input)")];
  }

  _menuKey(event) {
    if (event.key === "Escape" || event.key === "Tab") {
      event.stopPropagation();
      this._closeMenu(true);
    } else if (event.target.type !== "range" || /^Arrow(Up|Down)$/.test(event.key)) {
      rove(event, this._menuItems());
    }
  }

  /** Return an entry of a menu; one with a mark tells whether it is chosen. */
  _entry(label, chosen, name, role = "menuitemcheckbox") {
    const entry = make("button", {}, icon(name), make("span", { textContent: label }));
    entry.role = chosen === undefined ? "menuitem" : role;
    if (chosen !== undefined) {
      entry.ariaChecked = chosen;
      entry.append(icon(chosen ? "mdi:check" : ""));
    }
    return entry;
  }

  _chosen(entry, act) {
    entry.onclick = () => {
      const opener = this._opener;
      this._closeMenu(true);
      act(opener);
    };
    return entry;
  }

  _action(entry, domain, action, data) {
    return this._chosen(entry, (opener) => this._act(opener, domain, action, data));
  }

  /** Ask for how long something is shown. */
  _askHowLong(button, show, ...others) {
    const entries = [...others, ...MINUTES].map((minutes) => {
      const [label, name, time] = minutes
        ? [duration(this._hass.language, minutes), "mdi:timer-outline", { show_for: { minutes } }]
        : [text(this._hass, "no_end"), "mdi:infinity", {}];
      return this._chosen(this._entry(label, undefined, name), () => show(time));
    });
    const heading = make("p", { className: "heading soft small", textContent: text(this._hass, "show_for") });
    this._openMenu(button, heading, ...entries);
  }

  _duration(button) {
    const { work_id: work } = this._work;
    this._askHowLong(button, (time) => this._act(button, DOMAIN, "show_work", { work, ...time }));
  }

  _more(button) {
    const upload = this._entry(text(this._hass, "hang_picture"), undefined, "mdi:image-plus");
    upload.onclick = () => this._find(".file").click();
    this._openMenu(button, this._volume(this._state), ...this._switches(), upload);
  }

  /** Return the entries that tell what is chosen. */
  _switches() {
    const state = this._state;
    const { shuffle, repeat } = state.attributes;
    const order = (label, chosen, name, action, data, role) =>
      this._action(this._entry(text(this._hass, label), chosen, name, role), PLAYER, action, data);
    const orders = can(state, FEATURES.shuffle) ? [order("shuffle", shuffle === true, "mdi:shuffle", "shuffle_set", { shuffle: !shuffle })] : [];
    const repeats = can(state, FEATURES.repeat) ? Object.entries(REPEAT) : [];
    orders.push(...repeats.map(([mode, name]) => order(`repeat.${mode}`, repeat === mode, name, "repeat_set", { repeat: mode }, "menuitemradio")));
    return [...orders, ...this._others(state)];
  }

  /** Follow in the open menu what has changed; it goes with its button. */
  _renderMenu() {
    if (this._opener?.hidden) this._closeMenu();
    const entries = this._opener && this._state ? this._switches() : [];
    this._all("[role=menu] [aria-checked]").forEach((old, index) => {
      const entry = entries[index];
      if (!entry || old.ariaChecked === entry.ariaChecked) return;
      const hadFocus = old.matches(":focus");
      entry.tabIndex = old.tabIndex;
      old.replaceWith(entry);
      if (hadFocus) entry.focus();
    });
  }

  _volume(state) {
    if (!can(state, FEATURES.volume)) return null;
    const slider = make("input", { type: "range", min: 0, max: VOLUME_STEPS });
    slider.value = Math.round((state.attributes.volume_level ?? 0) * VOLUME_STEPS);
    slider.ariaLabel = this._hass.localize("ui.card.media_player.volume") || "Volume";
    slider.onchange = () => this._act(this._opener, PLAYER, "volume_set", { volume_level: slider.value / VOLUME_STEPS });
    const { is_volume_muted: muted } = state.attributes;
    const mute = make("button", { className: "icon" }, icon(muted ? "mdi:volume-off" : "mdi:volume-medium"));
    mute.ariaLabel = this._hass.localize(`ui.card.media_player.media_volume_${muted ? "un" : ""}mute`);
    mute.disabled = !can(state, FEATURES.mute);
    return make("p", {}, this._action(mute, PLAYER, "volume_mute", { is_volume_muted: !muted }), slider);
  }

  _others(state) {
    if (!can(state, FEATURES.group)) return [];
    const { states } = this._hass;
    const own = this._config.entity;
    const members = state.attributes.group_members ?? [];
    return Object.keys(states)
      .filter((other) => other !== own && isDisplay(this._hass, other) && can(states[other], FEATURES.group))
      .map((other) => {
        const name = states[other].attributes.friendly_name ?? other;
        const isMember = members.includes(other);
        const entry = this._entry(text(this._hass, "together", { name }), isMember, "mdi:image-multiple-outline");
        const data = isMember ? { entity_id: other } : { group_members: [other] };
        return this._action(entry, PLAYER, isMember ? "unjoin" : "join", data);
      });
  }

  /** Call an action, and show that something happens until the display has answered. */
  async _act(button, domain, action, data) {
    if (button) button.ariaBusy = true;
    await call(this._hass, this._config.entity, domain, action, data);
    if (button) button.ariaBusy = null;
  }

  _picture(button, { detail: taps }) {
    if (this._held && taps) return;
    const tap = () => this._perform("tap_action", { action: "more-info" });
    if (!this._isSet("double_tap_action")) return tap();
    clearTimeout(this._tapped);
    if (taps > 1) this._perform("double_tap_action");
    else this._tapped = setTimeout(tap, DOUBLE_TAP_DELAY);
  }

  _isSet(name) {
    return (this._config[name]?.action ?? "none") !== "none";
  }

  /** Wait for a long press on the picture. */
  _press() {
    this._held = false;
    if (!this._isSet("hold_action")) return;
    const timer = setTimeout(() => {
      this._held = true;
      this._perform("hold_action");
    }, HOLD_DELAY);
    for (const end of ["pointerup", "pointercancel"]) window.addEventListener(end, () => clearTimeout(timer), { once: true });
  }

  _perform(name, otherwise) {
    const { entity } = this._config;
    const action = this._config[name] ?? otherwise;
    if (action?.action === "more-info" && !action.entity) fire(this, "hass-more-info", { entityId: entity });
    else if (action) fire(this, "hass-action", { config: { entity, tap_action: action }, action: "tap" });
  }

  _favorite(button) {
    this._act(button, DOMAIN, button.ariaPressed === "true" ? "remove_favorite" : "add_favorite");
  }

  _power(button) {
    this._act(button, PLAYER, this.hasAttribute("asleep") ? "turn_on" : "turn_off");
  }

  _back(button) {
    this._act(button, DOMAIN, "show_previous");
  }

  _choose() {
    choose(this._hass, this._config.entity);
  }

  /** Hang a picture of the person's own, which Home Assistant keeps, for as long as is chosen. */
  _upload(input) {
    const [file] = input.files;
    input.value = "";
    this._closeMenu(true);
    if (!file) return;
    const more = this._find("[data-do=more]");
    this._askHowLong(more, (time) => this._hangFile(more, file, time), FOREVER);
  }

  async _hangFile(button, file, extra) {
    button.ariaBusy = true;
    const body = new FormData();
    body.append("file", file);
    const said = await this._hass.fetchWithAuth("/api/image/upload", { method: "POST", body }).catch(() => null);
    if (said?.ok) {
      const { id } = await said.json();
      const medium = { media_content_id: `media-source://image_upload/${id}`, media_content_type: "image" };
      await hang(this._hass, this._config.entity, medium, { extra });
    } else {
      const key = said?.status === 413 ? "too_large" : "no_picture";
      fire(this, "hass-notification", { message: text(this._hass, key) });
    }
    button.ariaBusy = null;
  }
}

/** Today's work, and new and favorite art, as pictures to tap. */
class HighlightsCard extends HTMLElement {
  constructor() {
    super();
    this._list = draw(this, BASE_STYLE + HIGHLIGHTS_STYLE, "<ul></ul>").querySelector("ul");
  }

  setConfig(config) {
    this._config = config;
  }

  set hass(hass) {
    this._hass = hass;
    // A library that has news changes the sources.
    const sources = JSON.stringify(hass.states[this._config.entity]?.attributes.source_list ?? []);
    if (sources !== this._sources) this._load(sources);
  }

  getCardSize() {
    return 3;
  }

  getGridOptions() {
    return { columns: 12, min_columns: 6 };
  }

  async _load(sources) {
    this._sources = sources;
    await loadTexts(this._hass);
    const { entity } = this._config;
    const found = await browse(this._hass, entity, FAVORITES_AND_NEW).catch(() => []);
    if (this._sources !== sources) return;
    this._list.replaceChildren(...found.map((medium) => pictureItem(this._hass, medium, () => hang(this._hass, entity, medium))));
    this._list.ariaLabel = text(this._hass, "highlights");
    this.hidden = !found.length;
  }
}

/** The source list of a display, as a row to tap in a tile. */
class ExhibitionsFeature extends HTMLElement {
  constructor() {
    super();
    this._list = draw(this, BASE_STYLE + FEATURE_STYLE, "<ul></ul>").querySelector("ul");
    this._list.addEventListener("keydown", (event) => rove(event, [...this._list.querySelectorAll("button")]));
    this._pictures = new Map();
  }

  static getStubConfig() {
    return { type: `custom:${FEATURE}` };
  }

  setConfig(config) {
    this._config = config;
  }

  // Home Assistant sets "hass" before "context".
  set context(context) {
    this._entityId = context?.entity_id;
    this._render();
  }

  set hass(hass) {
    const before = this._state;
    this._hass = hass;
    if (before !== this._state) this._render();
  }

  get _state() {
    return this._hass?.states[this._entityId];
  }

  _render() {
    const state = this._state;
    if (!state) return;
    const { source_list: sources = [], source: chosen } = state.attributes;
    const others = sources.filter((source) => source !== chosen);
    const shown = [...(sources.includes(chosen) ? [chosen] : []), ...others].slice(0, FEATURE_SOURCES);
    const disabled = state.state === "unavailable";
    const key = JSON.stringify([shown, chosen, disabled]);
    this._loadPictures(JSON.stringify([this._entityId, sources]));
    if (this._key === key) return;
    this._key = key;
    const items = shown.map((source) => this._item(source, source === chosen));
    if (can(state, FEATURES.browse)) items.push(this._more());
    for (const item of items) Object.assign(item.firstElementChild, { disabled, tabIndex: -1 });
    if (items.length) items[0].firstElementChild.tabIndex = 0;
    this._list.replaceChildren(...items);
    this._list.scrollLeft = 0;
  }

  /** Look up the pictures of the exhibitions when they have changed. */
  async _loadPictures(wanted) {
    if (this._asked === wanted) return;
    this._asked = wanted;
    await loadTexts(this._hass);
    const found = await browse(this._hass, this._entityId, EXHIBITIONS).catch(() => []);
    if (this._asked !== wanted) return;
    this._pictures = new Map(found.filter(({ thumbnail: picture }) => picture).map((medium) => [medium.title, medium.thumbnail]));
    this._key = null;
    this._render();
  }

  _item(source, chosen) {
    const button = make("button", {}, ...pictures(this._hass, this._pictures.get(source)), source);
    button.ariaPressed = chosen;
    button.onclick = () => call(this._hass, this._entityId, PLAYER, "select_source", { source });
    return make("li", {}, button);
  }

  _more() {
    const button = make("button", { textContent: text(this._hass, "more_art") || "…" });
    button.onclick = () => choose(this._hass, this._entityId);
    return make("li", {}, button);
  }
}

/** A dashboard that lays out all displays, their settings and the libraries by itself. */
class GalleryStrategy extends HTMLElement {
  static registryDependencies = ["entities", "devices", "areas"];
  static noEditor = true;

  static getCreateSuggestions() {
    return { title: pageText("gallery", "Art gallery"), icon: "mdi:image-frame" };
  }

  static async generate(config, hass) {
    await loadTexts(hass);
    const ours = Object.values(hass.entities).filter(({ platform, hidden }) => platform === DOMAIN && !hidden);
    const displays = ours
      .filter(({ entity_id: entityId }) => isDisplay(hass, entityId))
      .map((player) => this._display(hass, player))
      .sort((one, other) => one.name.localeCompare(other.name, hass.language));
    const views = [this._overview(hass, displays, ours)];
    if (displays.length) views.push(this._settings(hass, displays, ours));
    return { title: text(hass, "gallery"), views: [...views, ...displays.map(this._wall)] };
  }

  /** Return what is laid out of a display; its name is that of its room where it has one to itself. */
  static _display(hass, { entity_id: entity, device_id: device, area_id: ownArea }) {
    const { name, name_by_user: nameByUser, area_id: area } = hass.devices[device] ?? {};
    const room = hass.areas[ownArea ?? area]?.name;
    const own = nameByUser ?? name ?? entity;
    return { entity, device, name: room && room.toLowerCase() !== own.toLowerCase() ? `${room} · ${own}` : own };
  }

  static _library(displays, ours) {
    const devices = new Set(displays.map(({ device }) => device));
    return ours.filter(({ device_id: device }) => device && !devices.has(device));
  }

  static _overview(hass, displays, ours) {
    const sections = displays.map(({ entity, name }) => ({
      type: "grid",
      // What else there is stands beside the only display.
      column_span: displays.length > 1 ? 1 : 2,
      cards: [
        { type: "heading", heading: name, icon: "mdi:image-frame" },
        { type: `custom:${CARD}`, entity, grid_options: { columns: 12 } },
        { type: `custom:${HIGHLIGHTS}`, entity, grid_options: { columns: 12 } },
      ],
    }));
    const problems = this._library(displays, ours)
      .filter(({ translation_key: key }) => key === "library_problem")
      .map(({ entity_id: entity }) => ({ type: "tile", entity, name: LIBRARY_NAME, visibility: whileIn(entity, "on") }));
    if (problems.length) sections.push(grid(...problems));
    if (!displays.length) {
      const content = `${text(hass, "no_display")} [${text(hass, "add_display")}](/config/integrations/integration/${DOMAIN})`;
      sections.unshift(grid({ type: "markdown", content }));
    }
    return { title: text(hass, "gallery"), path: "gallery", icon: "mdi:image-multiple", type: "sections", sections };
  }

  /** Return the settings of each display by what they are about, and the buttons of the libraries. */
  static _settings(hass, displays, ours) {
    const tile = ({ entity_id: entity }) => {
      // A number that Home Assistant shows as a box has too wide a range for a slider.
      const isBox = hass.states[entity]?.attributes.mode === "box";
      const features = isBox ? [] : SETTINGS.get(entity.split(".")[0]);
      return { type: "tile", entity, name: { type: "entity" }, features };
    };
    const heading = (name, style = "title") => ({ type: "heading", heading: name, heading_style: style });
    const groups = ({ device }) => {
      const own = ours.filter(({ entity_id: entity, device_id: of }) => of === device && SETTINGS.has(entity.split(".")[0]));
      return ["picture", "sleep_times", "monitor"].flatMap((group) => {
        const entities = own.filter(({ translation_key: key }) => group === (SETTING_GROUPS.get(key) ?? "picture"));
        return entities.length ? [heading(text(hass, group), "subtitle"), ...entities.map(tile)] : [];
      });
    };
    const sections = displays.map((display) => grid(heading(display.name), ...groups(display)));
    const tiles = this._library(displays, ours).flatMap(({ entity_id: entity, device_id: device, translation_key: key }) => {
      const tile = { type: "tile", entity, name: LIBRARY_NAME, hide_state: true, grid_options: { columns: 12 } };
      // Only a feed has playlists.
      const hasFeed = hass.states[entity]?.attributes.event_types?.includes("playlist_published");
      if (hasFeed) return displays.map((display) => this._publish(hass, tile, device, display));
      return key === "refresh_library" ? [tile] : [];
    });
    if (tiles.length) sections.push(grid(heading(text(hass, "library")), ...tiles));
    return { title: text(hass, "settings"), path: "settings", icon: "mdi:tune", type: "sections", sections };
  }

  /** Return a tile that publishes what a display shows, and asks before. */
  static _publish(hass, tile, library, { entity, name }) {
    const tap = {
      action: "perform-action",
      perform_action: `${DOMAIN}.publish_playlist`,
      data: { config_entry_id: hass.devices[library].primary_config_entry, entity_id: entity },
      confirmation: { text: text(hass, "publishing", { name }) },
    };
    const named = [LIBRARY_NAME[0], { type: "text", text: `· ${text(hass, "publish")} · ${name}` }];
    const icon = "mdi:publish";
    return { ...tile, name: named, icon, visibility: whileIn(entity, "playing"), tap_action: tap, icon_tap_action: tap };
  }

  /** Return a view that shows nothing but the display, for a tablet on the wall. */
  static _wall({ entity, name }) {
    const id = entity.split(".")[1];
    const path = ["gallery", "settings"].includes(id) ? `${id}-display` : id;
    return { title: name, path, icon: "mdi:image-frame", type: "panel", cards: [{ type: `custom:${CARD}`, entity }] };
  }
}

// Home Assistant puts a registry of its own in the place of the browser's while it starts: what is defined before that
// is unknown to it. "hc-main" is its page on Chromecast.
await Promise.race(["home-assistant", "hc-main"].map((tag) => customElements.whenDefined(tag)));

// The same file may be loaded by two addresses.
if (!customElements.get(CARD)) {
  customElements.define(CHOOSER, Chooser);
  customElements.define(CARD, WallLabelCard);
  customElements.define(HIGHLIGHTS, HighlightsCard);
  customElements.define(FEATURE, ExhibitionsFeature);
  customElements.define(`ll-strategy-dashboard-${GALLERY}`, GalleryStrategy);
  const announce = (list, entry) => (window[list] = window[list] ?? []).push(entry);
  announce("customCards", {
    type: CARD,
    get name() {
      return pageText("name", "Wall label");
    },
    get description() {
      return pageText("description", "The work on an art display, with its label.");
    },
    preview: true,
    documentationURL: DOCUMENTATION,
    getEntitySuggestion: (hass, entityId) =>
      isDisplay(hass, entityId) ? { config: { type: `custom:${CARD}`, entity: entityId } } : null,
  });
  announce("customCardFeatures", {
    type: FEATURE,
    get name() {
      return pageText("exhibitions", "Exhibitions");
    },
    isSupported: (hass, context) => isDisplay(hass, context?.entity_id ?? ""),
  });
  announce("customStrategies", {
    type: GALLERY,
    strategyType: "dashboard",
    get name() {
      return pageText("gallery", "Art gallery");
    },
    get description() {
      return pageText("gallery_description", "All art displays and the library.");
    },
    documentationURL: DOCUMENTATION,
  });
}
