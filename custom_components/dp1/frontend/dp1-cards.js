/**
 * Dashboard cards of the DP-1 Art Displays integration: a wall label, a feature of tiles, and a dashboard of all displays.
 *
 * A plain module: no build, no library, no request to any other host. What comes from displays and libraries is
 * written by strangers: it becomes text content, and an address becomes a link only if it is http(s).
 */

const CARD = "dp1-wall-label-card";
const FEATURE = "dp1-exhibitions";
const GALLERY = "dp1-gallery";
const DOMAIN = "dp1";
const NAME = "Wall label";
const DESCRIPTION = "The work on a DP-1 art display, with its label.";
const DOCUMENTATION = "https://github.com/dp1-art-displays/home-assistant/blob/main/docs/dashboards.md";
// Home Assistant's browse page of the works that come next; see browse/up_next.py.
const UP_NEXT = "dp1://next";
const DIALOG = "dialog-media-player-browse";
const MINUTES = [5, 15, 30, 60, 180];
const FEATURES = { previous: 16, next: 32, turnOn: 128, turnOff: 256, browse: 131072 };
const WALL_WIDTH = 700;
const TILE_WIDTH = 280;
const TILE_ROWS = 4;
const MAX_SOURCES = 60;
// How Home Assistant names tiles: without the device, or with it.
const ENTITY_NAME = { type: "entity" };
const LIBRARY_NAME = [{ type: "device" }, { type: "entity" }];
// Home Assistant's features of tiles for the settings of a display.
const SETTINGS = new Map([
  ["number", [{ type: "numeric-input", style: "slider" }]],
  ["select", [{ type: "select-options" }]],
  ["switch", []],
  ["time", []],
]);

const CHAINS = new Map([
  ["evm", "Ethereum"],
  ["tezos", "Tezos"],
  ["bitmark", "Bitmark"],
]);
// By chain: how a contract's address looks, and the page of a token.
const EXPLORERS = new Map([
  ["evm", [/^0x[0-9a-f]{40}$/i, (address, token) => `https://etherscan.io/nft/${address}/${token}`]],
  ["tezos", [/^KT1[1-9A-HJ-NP-Za-km-z]{33}$/, (address, token) => `https://tzkt.io/${address}/tokens/${token}`]],
]);

const STYLE = `
  :host { display: block; height: 100%; }
  ha-card { height: 100%; overflow: hidden; color: var(--primary-text-color); }
  [hidden] { display: none !important; }
  p { margin: 0; }
  .frame { display: grid; height: 100%; box-sizing: border-box; grid: minmax(120px, 1fr) auto / minmax(0, 1fr); }
  button, select, summary { font: inherit; color: inherit; }
  button { background: none; border: 0; padding: 0; cursor: pointer; -webkit-tap-highlight-color: transparent; }
  a { color: inherit; text-decoration: underline; text-underline-offset: 2px; }
  :is(button, a, summary):focus-visible, .icon:focus-within {
    outline: 2px solid var(--primary-color); outline-offset: -2px; border-radius: 8px;
  }
  .picture { display: grid; place-items: center; width: 100%; height: 100%; min-width: 0; min-height: 0; aspect-ratio: 16 / 10; }
  .picture { background: var(--secondary-background-color); color: var(--secondary-text-color); position: relative; }
  .picture img { position: absolute; inset: 0; width: 100%; height: 100%; box-sizing: border-box; object-fit: contain; padding: 12px; }
  .picture ha-icon { --mdc-icon-size: 48px; }
  .side { display: flex; flex-direction: column; gap: 12px; padding: 16px; min-width: 0; }
  .label { display: flex; flex-direction: column; gap: 2px; text-align: start; line-height: 1.4; min-width: 0; }
  .label > p, .caption > * { overflow-wrap: anywhere; }
  .artist { font-weight: 500; }
  .title { font-style: italic; }
  .work { font-size: var(--ha-font-size-l, 16px); }
  .soft { color: var(--secondary-text-color); }
  .clamp { display: -webkit-box; -webkit-box-orient: vertical; -webkit-line-clamp: 2; overflow: hidden; }
  .links { display: flex; flex-wrap: wrap; column-gap: 16px; }
  .links a, summary { display: inline-flex; align-items: center; min-height: 32px; }
  summary { cursor: pointer; list-style: none; text-decoration: underline; text-underline-offset: 2px; }
  summary::-webkit-details-marker { display: none; }
  .note { max-width: 65ch; white-space: pre-line; }
  .controls { display: flex; flex-wrap: wrap; align-items: center; justify-content: space-between; margin-inline: -12px; }
  .group { display: flex; align-items: center; min-width: 0; }
  .transport { direction: ltr; }
  .icon { display: grid; place-items: center; width: 44px; height: 44px; position: relative; }
  .icon select { position: absolute; inset: 0; width: 100%; height: 100%; opacity: 0; cursor: pointer; }
  .icon select option { color: initial; }
  .place { min-width: 56px; text-align: center; white-space: nowrap; font-variant-numeric: tabular-nums; }
  [aria-pressed="true"] { color: var(--error-color, #db4437); }
  .choose { display: flex; align-items: center; justify-content: center; gap: 8px; min-height: 44px; border-radius: 22px; padding: 0 16px; }
  .choose { background: var(--secondary-background-color); font-weight: 500; }
  .choose:focus-visible { border-radius: 22px; outline-offset: 1px; }
  .next { display: flex; gap: 8px; overflow-x: auto; list-style: none; margin: 0 -16px; padding: 0 16px 4px; scrollbar-width: thin; }
  .next button { width: 96px; text-align: start; border-radius: 8px; }
  .next span { display: block; white-space: nowrap; overflow: hidden; text-overflow: ellipsis; }
  .thumb { display: grid; place-items: center; height: 64px; border-radius: 8px; overflow: hidden; position: relative; }
  .thumb { background: var(--secondary-background-color); color: var(--secondary-text-color); margin-block-end: 4px; }
  .thumb img { position: absolute; inset: 0; width: 100%; height: 100%; object-fit: cover; }
  .small { font-size: var(--ha-font-size-s, 12px); }

  :host([size="tile"]) .side { padding: 8px 12px; gap: 0; }
  :host([size="tile"]) .picture img { padding: 6px; }
  :host([size="tile"]) .frame { grid-template-rows: minmax(40px, 1fr) auto; }
  :host([size="tile"]) .label { font-size: var(--ha-font-size-m, 14px); line-height: 1.3; }
  :host([size="tile"]) .work { font-size: inherit; }
  :host([size="tile"]) .clamp { -webkit-line-clamp: 1; }
  :host([size="tile"]) :is(.detail, .controls, .choose, .upcoming) { display: none; }

  :host([size="wall"]) .frame { grid: minmax(0, 1fr) / minmax(0, 1fr) clamp(304px, 30%, 440px); }
  :host([size="wall"]) .picture { aspect-ratio: auto; }
  :host([size="wall"]) .picture img { padding: 4%; }
  :host([size="wall"]) .side { justify-content: flex-end; padding: 32px 24px 24px; gap: 16px; overflow-y: auto; }
  :host([size="wall"]) .label { margin-block-start: auto; line-height: 1.5; font-size: 16px; }
  :host([size="wall"]) .work { font-size: 20px; }
  :host([size="wall"]) .clamp { -webkit-line-clamp: 4; }
  :host([size="wall"]) .next { margin: 0 -24px; padding: 0 24px 4px; }

  @media (prefers-reduced-motion: no-preference) {
    .picture img.fresh { animation: appear 600ms ease-out; }
    @keyframes appear { from { opacity: 0; } }
    .next { scroll-behavior: smooth; }
  }
`;

const FEATURE_STYLE = `
  ul { display: flex; gap: 8px; margin: 0; padding: 0; list-style: none; overflow-x: auto; scrollbar-width: none; }
  button {
    height: var(--feature-height, 42px); padding: 0 16px; border: 0; cursor: pointer; white-space: nowrap;
    border-radius: var(--feature-border-radius, 12px); font: inherit; color: var(--primary-text-color);
    background: var(--secondary-background-color);
  }
  button[aria-pressed="true"] { background: var(--primary-text-color); color: var(--card-background-color, #fff); }
  button:focus-visible { outline: 2px solid var(--primary-color); outline-offset: -2px; }
`;

const TEMPLATE = `
  <ha-card>
    <div class="frame">
      <button class="picture" data-do="moreInfo"><ha-icon aria-hidden="true"></ha-icon><img alt="" hidden></button>
      <div class="side">
        <div class="label">
          <p class="artist clamp" dir="auto"></p>
          <p class="work clamp"><bdi class="title"></bdi><span class="year"></span></p>
          <p class="facts soft detail"></p>
          <p class="exhibition soft detail" dir="auto"></p>
          <p class="state soft"></p>
          <details class="detail" hidden><summary></summary><p class="note" dir="auto"></p></details>
          <p class="links detail"><a class="link"></a><a class="provenance"></a><span class="chain soft"></span></p>
        </div>
        <div class="controls">
          <div class="group transport">
            <button class="icon" data-do="previous"><ha-icon icon="mdi:skip-previous" aria-hidden="true"></ha-icon></button>
            <bdi class="place soft"></bdi>
            <button class="icon" data-do="next"><ha-icon icon="mdi:skip-next" aria-hidden="true"></ha-icon></button>
          </div>
          <div class="group">
            <button class="icon" data-do="favorite"><ha-icon aria-hidden="true"></ha-icon></button>
            <span class="icon showFor"><ha-icon icon="mdi:timer-outline" aria-hidden="true"></ha-icon><select></select></span>
            <button class="icon" data-do="power"><ha-icon aria-hidden="true"></ha-icon></button>
          </div>
        </div>
        <button class="choose" data-do="browse">
          <ha-icon icon="mdi:image-search-outline" aria-hidden="true"></ha-icon><span></span>
        </button>
        <div class="upcoming" hidden><ul class="next"></ul></div>
      </div>
    </div>
  </ha-card>
`;

/** Texts of the integration by language, as the function that looks them up. */
const texts = new Map();

/** Load the card's texts in the user's language. */
const loadTexts = (hass) => {
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

/** Return an address if it is one a browser may open. */
const safeUrl = (url) => (typeof url === "string" && /^https?:\/\//i.test(url) ? url : null);

/** Return the page of a token in the explorer of its chain. */
const explorerUrl = (contract) => {
  const { chain, address, tokenId } = contract ?? {};
  const [form, page] = EXPLORERS.get(chain) ?? [];
  return form?.test(address) && /^\d{1,78}$/.test(tokenId) ? page(address, tokenId) : null;
};

/** Tell whether an entity is the media player of a display. */
const isDisplay = (hass, entityId) =>
  entityId.startsWith("media_player.") && hass.entities?.[entityId]?.platform === DOMAIN;

const fire = (element, type, detail) =>
  element.dispatchEvent(new CustomEvent(type, { detail, bubbles: true, composed: true }));

/** The work on a display, with a label like those in museums. */
class WallLabelCard extends HTMLElement {
  constructor() {
    super();
    const root = this.attachShadow({ mode: "open" });
    root.innerHTML = `<style>${STYLE}</style>${TEMPLATE}`;
    this._find = (selector) => root.querySelector(selector);
    this._all = (selector) => root.querySelectorAll(selector);
    for (const button of this._all("[data-do]")) {
      button.addEventListener("click", () => this[`_${button.dataset.do}`]());
    }
    this._find("select").addEventListener("change", (event) => this._showFor(event.target));
    const image = this._find(".picture img");
    image.addEventListener("load", () => this._showImage(true));
    image.addEventListener("error", () => this._showImage(false));
    this._observer = new ResizeObserver(() => this._updateSize());
  }

  // What Home Assistant asks of a card

  static getStubConfig(hass) {
    const shown = (entityId) => isDisplay(hass, entityId) && !hass.entities[entityId].hidden;
    return { entity: Object.keys(hass.entities ?? {}).find(shown) ?? "" };
  }

  static async getConfigForm() {
    const home = document.querySelector("home-assistant");
    if (home?.hass) await loadTexts(home.hass);
    const filter = { integration: DOMAIN, domain: "media_player" };
    return {
      schema: [
        { name: "entity", required: true, selector: { entity: { filter } } },
        { name: "hide_controls", selector: { boolean: {} } },
      ],
      computeLabel: (schema, localize) =>
        schema.name === "entity"
          ? localize("ui.panel.lovelace.editor.card.generic.entity")
          : pageText(schema.name, schema.name),
    };
  }

  setConfig(config) {
    if (typeof config?.entity !== "string" || !config.entity.startsWith("media_player.")) {
      throw new Error("Specify an entity from within the media_player domain");
    }
    this._config = config;
    this._updateSize();
    this._render();
  }

  set hass(hass) {
    const before = this._hass;
    this._hass = hass;
    if (before?.language !== hass.language) this._loadTexts();
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
  }

  disconnectedCallback() {
    this._observer.disconnect();
  }

  getCardSize() {
    return this.getAttribute("size") === "tile" ? 4 : 9;
  }

  getGridOptions() {
    return { columns: 12, min_columns: 3, min_rows: 2 };
  }

  // Drawing

  async _loadTexts() {
    await loadTexts(this._hass);
    this._render();
  }

  _updateSize() {
    const width = this.offsetWidth;
    if (!width) return;
    const rows = this._config?.grid_options?.rows;
    const isTile = width < TILE_WIDTH || (typeof rows === "number" && rows <= TILE_ROWS);
    const isWall = this._layout === "panel" && width >= WALL_WIDTH;
    const size = isWall ? "wall" : isTile ? "tile" : "label";
    if (this.getAttribute("size") === size) return;
    this.setAttribute("size", size);
    this._find("details").open = isWall;
    this._render();
  }

  _render() {
    const hass = this._hass;
    if (!hass || !this._config) return;
    const state = hass.states[this._config.entity];
    const attributes = state?.attributes ?? {};
    const shows = state?.state === "playing";
    const work = (shows && attributes.dp1) || {};
    this.toggleAttribute("asleep", state?.state === "off");
    this._renderPicture(state, shows);
    this._renderLabel(state, attributes, work, shows);
    this._renderLinks(work);
    this._renderControls(state, attributes, work, shows);
    this._updateUpNext(state, work, shows);
  }

  _renderPicture(state, shows) {
    const { media_title: title, media_artist: artist, entity_picture: picture } = state?.attributes ?? {};
    const image = this._find(".picture img");
    const url = shows && picture ? this._hass.hassUrl(picture) : null;
    const name = (shows && [title, artist].filter(Boolean).join(", ")) || this._name(state);
    this._find(".picture").setAttribute("aria-label", name);
    this._find(".picture ha-icon").icon = state?.state === "off" ? "mdi:sleep" : "mdi:image-frame";
    if (!url) {
      image.removeAttribute("src");
      this._showImage(false);
    } else if (image.getAttribute("src") !== url) {
      image.src = url;
    }
  }

  _showImage(visible) {
    const image = this._find(".picture img");
    image.hidden = !visible;
    this._find(".picture ha-icon").hidden = visible;
    image.classList.remove("fresh");
    if (visible) {
      void image.offsetWidth; // restarts the animation
      image.classList.add("fresh");
    }
  }

  _renderLabel(state, attributes, work, shows) {
    const hass = this._hass;
    const title = shows ? attributes.media_title : this._name(state);
    this._write(".artist", shows && attributes.media_artist);
    this._write(".title", title);
    this._find(".title").style.fontStyle = shows ? "" : "normal";
    this._write(".year", shows && work.year ? `, ${work.year}` : "");
    this._write(".facts", [this._medium(work.medium), this._edition(work.edition)].filter(Boolean).join(" · "));
    const exhibition = shows && (work.exhibition || attributes.media_playlist);
    this._write(".exhibition", exhibition !== title && exhibition);
    const missing = hass.localize("ui.card.common.entity_not_found") || "Entity not found";
    this._write(".state", !shows && (state ? hass.formatEntityState(state) : missing));
    const details = this._find("details");
    details.hidden = !work.note;
    if (this._write(".note", work.note) && this.getAttribute("size") !== "wall") details.open = false;
    this._write("summary", text(hass, "statement"));
  }

  _renderLinks(work) {
    const contract = work.provenance?.contract;
    const chain = CHAINS.get(contract?.chain) ?? String(contract?.chain ?? "");
    const provenance = explorerUrl(contract);
    this._link(".link", safeUrl(work.link), text(this._hass, "page"));
    this._link(".provenance", provenance, text(this._hass, "provenance", { chain }));
    this._write(".chain", !provenance && chain.slice(0, 40));
    this._find(".links").hidden = !safeUrl(work.link) && !chain;
  }

  _renderControls(state, attributes, work, shows) {
    const hass = this._hass;
    const can = (feature) => Boolean(attributes.supported_features & feature);
    const hidden = this._config.hide_controls || !state || state.state === "unavailable";
    const asleep = state?.state === "off";
    const own = (key, values) => text(hass, key, values);
    const card = (key) => hass.localize(`ui.card.media_player.${key}`);
    this._button("previous", shows && can(FEATURES.previous), card("media_previous_track"));
    this._button("next", shows && can(FEATURES.next), card("media_next_track"));
    const place = { place: attributes.media_track, works: work.works };
    this._write(".place", shows && work.works && own("place", place));
    const favorite = work.favorite === true;
    const heart = this._button("favorite", typeof work.favorite === "boolean", own("favorite"));
    heart.setAttribute("aria-pressed", String(favorite));
    heart.firstElementChild.icon = favorite ? "mdi:heart" : "mdi:heart-outline";
    const power = asleep ? "wake" : "sleep";
    const hasPower = can(asleep ? FEATURES.turnOn : FEATURES.turnOff);
    this._button("power", hasPower, own(power)).firstElementChild.icon = asleep ? "mdi:power" : "mdi:power-sleep";
    const canChoose = !hidden && !asleep && can(FEATURES.browse);
    this._button("browse", canChoose, own("choose"));
    this._write(".choose span", own("choose"));
    this._find(".controls").hidden = hidden;
    this._find(".transport").hidden = !shows;
    this._find(".showFor").hidden = !shows || !work.work_id;
    this._renderDurations(own("show_for"));
    this._find(".next").setAttribute("aria-label", own("next"));
  }

  _renderDurations(label) {
    const select = this._find("select");
    const language = this._hass.language;
    if (select.dataset.language === language && select.ariaLabel === label) return;
    select.dataset.language = language;
    select.ariaLabel = label;
    const duration = (minutes) => {
      const [value, unit] = minutes < 60 ? [minutes, "minute"] : [minutes / 60, "hour"];
      return new Intl.NumberFormat(language, { style: "unit", unit, unitDisplay: "long" }).format(value);
    };
    const options = MINUTES.map((minutes) => new Option(duration(minutes), minutes));
    select.replaceChildren(new Option(label, ""), ...options);
  }

  /** Write a text, hide the element if there is none, and tell whether it is another text than before. */
  _write(selector, content) {
    const element = this._find(selector);
    const value = content ? String(content) : "";
    element.hidden = !value;
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
    else link.removeAttribute("href");
  }

  _button(name, visible, label) {
    const button = this._find(`[data-do="${name}"]`);
    button.hidden = !visible;
    if (name !== "browse") {
      button.title = label;
      button.setAttribute("aria-label", label);
    }
    return button;
  }

  _name(state) {
    return state?.attributes.friendly_name ?? this._config.entity;
  }

  _medium(medium) {
    return typeof medium === "string" ? text(this._hass, `medium.${medium}`) || medium : "";
  }

  /** Write the edition as labels do: 12 of 36. */
  _edition(edition) {
    const [, number, size] = /^#(\d+)(?: of (\d+))?$/.exec(edition ?? "") ?? [];
    if (!number) return edition ?? "";
    return size ? text(this._hass, "edition_of", { number, size }) : text(this._hass, "edition", { number });
  }

  // The works that come next

  async _updateUpNext(state, work, shows) {
    const entityId = this._config.entity;
    const size = this.getAttribute("size");
    const wanted = shows && size && size !== "tile" && !this._config.hide_controls && work.works > 1;
    const { media_track: place, shuffle, repeat, media_title: title } = state?.attributes ?? {};
    const key = wanted && JSON.stringify([entityId, work.work_id, work.playlist_id, work.works, place, title, shuffle, repeat]);
    if (this._upNextKey === key) return;
    this._upNextKey = key;
    const request = { type: "media_player/browse_media", entity_id: entityId };
    const page = wanted
      ? await this._hass
          .callWS({ ...request, media_content_type: "directory", media_content_id: UP_NEXT })
          .catch(() => null)
      : null;
    if (this._upNextKey === key) this._renderUpNext(page?.children ?? []);
  }

  _renderUpNext(works) {
    const list = this._find(".next");
    list.replaceChildren(...works.map((work) => this._upNextItem(work)));
    list.scrollLeft = 0;
    this._find(".upcoming").hidden = !works.length;
  }

  _upNextItem(work) {
    const item = document.createElement("li");
    item.innerHTML = `<button><div class="thumb"><ha-icon icon="mdi:image-outline" aria-hidden="true"></ha-icon></div><span class="small" dir="auto"></span></button>`;
    const button = item.firstElementChild;
    const title = work.title || text(this._hass, "untitled");
    button.title = title;
    button.lastElementChild.textContent = title;
    button.addEventListener("click", () =>
      this._call(DOMAIN, "show_work", { work: work.media_content_id.slice(UP_NEXT.length + 1) }),
    );
    if (work.thumbnail) {
      const image = Object.assign(new Image(), { loading: "lazy", alt: "" });
      image.addEventListener("error", () => image.remove());
      image.src = this._hass.hassUrl(work.thumbnail);
      button.firstElementChild.append(image);
    }
    return item;
  }

  // Actions

  /** Call an action; Home Assistant itself shows why it failed. */
  _call(domain, action, data) {
    return this._hass.callService(domain, action, { entity_id: this._config.entity, ...data }).catch(() => {});
  }

  _moreInfo() {
    fire(this, "hass-more-info", { entityId: this._config.entity });
  }

  _previous() {
    this._call("media_player", "media_previous_track");
  }

  _next() {
    this._call("media_player", "media_next_track");
  }

  _favorite() {
    const pressed = this._find('[data-do="favorite"]').getAttribute("aria-pressed") === "true";
    this._call(DOMAIN, pressed ? "remove_favorite" : "add_favorite");
  }

  _power() {
    this._call("media_player", this.hasAttribute("asleep") ? "turn_on" : "turn_off");
  }

  _showFor(select) {
    const minutes = Number(select.value);
    select.value = "";
    const work = this._hass.states[this._config.entity]?.attributes.dp1?.work_id;
    if (minutes && work) this._call(DOMAIN, "show_work", { work, show_for: { minutes } });
  }

  async _browse() {
    const entityId = this._config.entity;
    const dialogImport = await this._mediaDialog();
    if (!dialogImport) {
      history.pushState(null, "", `/media-browser/${entityId}`);
      fire(window, "location-changed", { replace: false });
      return;
    }
    const mediaPickedCallback = ({ item: { media_content_id, media_content_type } }) =>
      this._call("media_player", "play_media", { media_content_id, media_content_type });
    const dialogParams = { action: "play", entityId, mediaPickedCallback };
    fire(this, "show-dialog", { dialogTag: DIALOG, dialogImport, dialogParams });
  }

  /**
   * Return what loads Home Assistant's media dialog, or nothing if it cannot be had.
   *
   * Only Home Assistant's own cards know the file it is in: one is asked to open it, and its event is kept from rising.
   */
  async _mediaDialog() {
    if (customElements.get(DIALOG)) return () => Promise.resolve();
    try {
      const helpers = await window.loadCardHelpers();
      const card = helpers.createCardElement({ type: "media-control", entity: this._config.entity });
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
  }
}

/** The source list of a display, as a row to tap in a tile. */
class ExhibitionsFeature extends HTMLElement {
  constructor() {
    super();
    const root = this.attachShadow({ mode: "open" });
    root.innerHTML = `<style>${FEATURE_STYLE}</style><ul></ul>`;
    this._list = root.querySelector("ul");
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
    if (before !== this._state || !before) this._render();
  }

  get _state() {
    return this._hass?.states[this._entityId];
  }

  _render() {
    const { source_list: sources = [], source: chosen } = this._state?.attributes ?? {};
    const shown = sources.slice(0, MAX_SOURCES);
    const key = JSON.stringify([shown, chosen]);
    if (this._key === key) return;
    this._key = key;
    this._list.replaceChildren(...shown.map((source) => this._item(source, source === chosen)));
  }

  _item(source, chosen) {
    const item = document.createElement("li");
    const button = document.createElement("button");
    button.textContent = source;
    button.setAttribute("aria-pressed", String(chosen));
    button.addEventListener("click", () => {
      const data = { entity_id: this._entityId, source };
      this._hass.callService("media_player", "select_source", data).catch(() => {});
    });
    item.append(button);
    return item;
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
      .map((player) => GalleryStrategy._display(hass, player))
      .sort((one, other) => one.name.localeCompare(other.name, hass.language));
    const views = [GalleryStrategy._overview(hass, displays, ours)];
    if (displays.length) views.push(GalleryStrategy._settings(hass, displays, ours));
    return { title: text(hass, "gallery"), views: [...views, ...displays.map(GalleryStrategy._wall)] };
  }

  /** Return what is laid out of a display; its name is that of its room where it has one to itself. */
  static _display(hass, { entity_id: entity, device_id: device, area_id: ownArea }) {
    const { name, name_by_user: nameByUser, area_id: area } = hass.devices[device] ?? {};
    const room = hass.areas[ownArea ?? area]?.name;
    const own = nameByUser ?? name ?? entity;
    return { entity, device, name: room && room !== own ? `${room} · ${own}` : own };
  }

  static _overview(hass, displays, ours) {
    const devices = new Set(displays.map(({ device }) => device));
    const library = ours.filter(({ device_id: device }) => device && !devices.has(device));
    const sections = displays.map(({ entity, name }) => ({
      type: "grid",
      cards: [
        { type: "heading", heading: name, icon: "mdi:image-frame" },
        { type: `custom:${CARD}`, entity, grid_options: { columns: 12 } },
        { type: "tile", entity, features: [{ type: `custom:${FEATURE}` }], grid_options: { columns: 12 } },
      ],
    }));
    if (library.length) {
      const heading = { type: "heading", heading: text(hass, "library"), icon: "mdi:bookshelf" };
      const tiles = library.map(({ entity_id: entity }) => ({ type: "tile", entity, name: LIBRARY_NAME }));
      sections.push({ type: "grid", cards: [heading, ...tiles] });
    }
    if (!displays.length) {
      const content = `${text(hass, "no_display")} [${text(hass, "add_display")}](/config/integrations/integration/${DOMAIN})`;
      sections.unshift({ type: "grid", cards: [{ type: "markdown", content }] });
    }
    return { title: text(hass, "gallery"), path: "gallery", icon: "mdi:image-multiple", type: "sections", sections };
  }

  static _settings(hass, displays, ours) {
    const tiles = ({ device }) =>
      ours
        .filter(({ entity_id: entity, device_id: of }) => of === device && SETTINGS.has(entity.split(".")[0]))
        .map(({ entity_id: entity }) => {
          // A number that Home Assistant shows as a box has too wide a range for a slider.
          const isBox = hass.states[entity]?.attributes.mode === "box";
          const features = isBox ? [] : SETTINGS.get(entity.split(".")[0]);
          return { type: "tile", entity, name: ENTITY_NAME, features };
        });
    const sections = displays.map((display) => ({
      type: "grid",
      cards: [{ type: "heading", heading: display.name }, ...tiles(display)],
    }));
    return { title: text(hass, "settings"), path: "settings", icon: "mdi:tune", type: "sections", sections };
  }

  /** Return a view that shows nothing but the display, for a tablet on the wall. */
  static _wall({ entity, name }) {
    const path = entity.split(".")[1];
    return { title: name, path, icon: "mdi:image-frame", type: "panel", cards: [{ type: `custom:${CARD}`, entity }] };
  }
}

// Home Assistant puts a registry of its own in the place of the browser's while it starts: what is defined before that
// is unknown to it. "hc-main" is its page on Chromecast.
await Promise.race(["home-assistant", "hc-main"].map((tag) => customElements.whenDefined(tag)));

// The same file may be loaded by two addresses.
if (!window.customElements.get(CARD)) {
  window.customElements.define(CARD, WallLabelCard);
  window.customElements.define(FEATURE, ExhibitionsFeature);
  window.customElements.define(`ll-strategy-dashboard-${GALLERY}`, GalleryStrategy);
  const announce = (list, entry) => (window[list] = window[list] ?? []).push(entry);
  announce("customCards", {
    type: CARD,
    get name() {
      return pageText("name", NAME);
    },
    get description() {
      return pageText("description", DESCRIPTION);
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
