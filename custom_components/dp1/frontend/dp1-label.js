// @ts-check
/** The work on a display, with a label like those in museums. */

import {
  BASE_STYLE, DOMAIN, FEATURES, NOTICE, PLAYER, UP_NEXT, act, ask, browse, call, can, draw, fire, isDisplay, loadTexts, make, modules,
  nameOf, notices, onTaps, text, textAt, toast,
} from "./dp1-shared.js";

/**
 * @typedef {import("./dp1-shared.js").Hass} Hass
 * @typedef {import("./dp1-shared.js").State} State
 * @typedef {import("./dp1-shared.js").Config} Config
 * @typedef {import("./dp1-shared.js").Attributes} Attributes
 * @typedef {import("./dp1-shared.js").Help} Help
 * @typedef {object} View What a card shows of a state
 * @property {Record<string, any>} texts By selector; what has none is hidden
 * @property {Record<string, string | null | undefined>} links By selector
 * @property {Record<string, any>} buttons The label of each by its name; what has none is hidden
 * @property {{message?: string | null, helps?: Help[], isBusy?: boolean, lasts?: boolean}} status
 */

const LIVES = { network: "lives_network", home: "lives_home", only_home: "lives_only_home" };
const WALL_WIDTH = 600;
const TILE_WIDTH = 280;
const TILE_ROWS = 4;
const DAY = 864e5;
const APPEAR_TIME = 600;

const CHAINS = new Map([["evm", "Ethereum"], ["tezos", "Tezos"], ["bitmark", "Bitmark"]]);

const STYLE = `
:host { display: block; height: 100%; }
ha-card { --edge: 16px; height: 100%; overflow: hidden auto; color: var(--primary-text-color); position: relative; }
.frame { display: grid; height: 100%; box-sizing: border-box; grid: minmax(120px, 1fr) auto / minmax(0, 1fr); }
.picture {
  width: 100%; height: 100%; min-width: 0; min-height: 0; aspect-ratio: 16 / 10; border-radius: 0;
  background: var(--fill); color: var(--secondary-text-color); position: relative;
}
.picture img { box-sizing: border-box; object-fit: contain; padding: 12px; }
.picture ha-icon { --mdc-icon-size: 48px; }
:host([asleep]) .picture img { filter: grayscale(1) brightness(.4); }
.side { display: flex; flex-direction: column; gap: 4px; padding: 12px var(--edge) var(--edge); min-width: 0; }
.side > * { flex: none; min-width: 0; }
.label { display: flex; flex-direction: column; gap: 2px; line-height: 1.4; }
.rest { display: inline-flex; align-items: center; padding: 0; }
.artist { font-weight: 500; }
.title { font-style: italic; }
.work { font-size: var(--ha-font-size-l, 16px); }
.reads, .links, summary, .status, .controls, .group, .choices { display: flex; align-items: center; }
.reads { flex-wrap: wrap; column-gap: 1em; position: relative; }
.reads [open] { flex-basis: 100%; }
.links { margin-inline-start: auto; }
summary { gap: 4px; min-height: 44px; cursor: pointer; list-style: none; color: var(--secondary-text-color); }
summary::-webkit-details-marker { display: none; }
[open] > summary ha-icon { transform: rotate(180deg); }
.note { max-width: 65ch; padding-block-end: 8px; overflow-wrap: anywhere; white-space: pre-line; line-height: 1.4; }
.status { min-height: 44px; gap: 4px; color: var(--secondary-text-color); position: relative; line-height: 1.3; }
.lasts .clamp { -webkit-line-clamp: none; }
.status.lasts { flex-wrap: wrap; }
.status[aria-busy="true"] { padding-inline-start: 28px; }
.status[aria-busy="true"]::after { inset-inline-end: auto; }
.status .act { color: var(--primary-text-color); text-align: start; }
.controls { flex-wrap: wrap; margin-inline: -12px; }
.group { min-width: 0; }
.group:last-child { margin-inline-start: auto; }
.transport { direction: ltr; }
.place { min-width: 48px; text-align: center; white-space: nowrap; }
.icon[aria-pressed="true"] { color: var(--error-color, #db4437); }
.choices { gap: 8px; }
.choices button { display: flex; align-items: center; justify-content: center; gap: 8px; min-width: 56px; min-height: max(44px, 3.2em); border-radius: 3.2em; padding: 0 16px; background: var(--fill); }
.choose { flex: 1; font-weight: 500; }
.choose[aria-busy="true"]::after { position: static; order: -1; margin: 0; }
.choose[aria-busy="true"] ha-icon { display: none; }
h3 { margin: 8px 0 4px; font-size: var(--ha-font-size-s, 12px); font-weight: 500; }
.next { display: flex; gap: 8px; overflow-x: auto; margin: 0 calc(-1 * var(--edge)); padding: 0 var(--edge) 4px; scrollbar-width: thin; }
.next li { flex: none; width: calc(6 * var(--unit)); }
.next .thumb { height: calc(4 * var(--unit)); }
.as-label .picture { max-block-size: max(140px, 100vh - 540px); }
@media (max-height: 700px) and (min-width: 700px) {
  .as-label .frame { grid: auto auto / 2fr minmax(0, 3fr); gap: 4px 0; height: auto; }
  .as-label .picture { grid-row: 1 / 3; aspect-ratio: auto; max-block-size: none; min-height: 140px; }
  .as-label .side { display: contents; }
  .as-label .side > * { grid-column: 1 / -1; margin-inline: var(--edge); }
  .as-label .side > .label { grid-area: 1 / 2; padding-block-start: 12px; }
  .as-label .side > .status { grid-area: 2 / 2; }
  .as-label .side > .upcoming { padding-block-end: 12px; }
  .as-label .side > .controls { margin-inline: calc(var(--edge) - 12px); }
  .as-label .next .words { min-height: 0; }
}
.as-tile .side { padding: 8px 12px; gap: 0; }
.as-tile .picture img { padding: 6px; }
.as-tile .frame { grid-template-rows: minmax(40px, 1fr) auto; }
.as-tile .label { font-size: var(--ha-font-size-m, 14px); line-height: 1.3; }
.as-tile .work { font-size: inherit; }
:is(.as-tile, .as-strip) .clamp { -webkit-line-clamp: 1; }
.as-tile :is(.detail, .controls, .choices, .upcoming, .act), .as-tile .status:not(.lasts) { display: none; }
.as-tile .status { min-height: 0; }
:is(.as-tile, .as-strip) .status .clamp { -webkit-line-clamp: 2; }

.as-strip .frame { grid: auto / 96px minmax(0, 1fr); }
.as-strip .picture { aspect-ratio: 1; }
.as-strip .picture img { padding: 0; object-fit: cover; }
.as-strip:has([aria-pressed="true"].picture) { outline: 2px solid var(--primary-color); }
.as-strip .side { display: grid; grid: auto 1fr / minmax(0, 1fr) auto; padding: 8px; gap: 0; }
.as-strip .controls { grid-area: 1 / 2 / 3; margin: 0; flex-wrap: nowrap; }
.as-strip .status { grid-area: 2 / 1; min-height: 0; flex-wrap: nowrap; }
.as-strip:has(.lasts) .controls { display: none; }
.as-strip :is(.year, .detail, .choices, .upcoming, .place, [data-do]:not([data-do="next"], [data-do="favorite"])) { display: none; }

.as-wall { --edge: 1.5em; font-size: var(--unit); --mdc-icon-size: 1.5em; }
.as-wall .frame { grid: minmax(0, 1fr) / minmax(0, 1fr) clamp(360px, 30%, 27.5em); }
:host([stacked]) .frame { grid: minmax(0, 1fr) auto / minmax(0, 1fr); }
.as-wall .picture { aspect-ratio: auto; }
.as-wall .picture img { padding: 4%; }
.as-wall .side { overflow-y: auto; padding-block: 1.25em; contain: size; }
:host([stacked]) .side { max-block-size: 45vh; box-sizing: border-box; contain: none; }
.as-wall .work { font-size: 1.25em; }
.as-wall .reads { flex: 0 1 auto; min-height: 44px; overflow-y: auto; align-content: start; }
.as-wall .clamp { -webkit-line-clamp: 4; }
.as-wall .upcoming { flex: 1 1 0; min-height: calc(4 * var(--unit) + 5.5em); overflow: hidden auto; }
.as-wall .next { display: grid; grid-template-columns: repeat(auto-fill, minmax(calc(6 * var(--unit)), 1fr)); gap: .75em; overflow: visible; }
.as-wall .next li { width: auto; }
.as-wall :is(.choices, .place, .words, h3) { font-size: .875em; }
@media (max-height: 700px) {
  .as-wall .upcoming { min-height: calc(4 * var(--unit) + 3em); }
  .as-wall .words { display: none; }
}
`;

const TEMPLATE = `
<ha-card>
<div class="frame">
<button class="picture">
<ha-icon></ha-icon><img alt="" hidden>
</button>
<div class="side">
<div class="label">
<p class="artist clamp" dir="auto"></p>
<p class="work clamp"><bdi class="title"></bdi><span class="year"></span></p>
<p class="facts soft detail clamp"></p>
<p class="exhibition soft detail clamp" dir="auto"></p>
</div>
<div class="reads detail">
<details class="about" hidden><summary><ha-icon icon="mdi:chevron-down"></ha-icon><span></span></summary><p class="note" dir="auto"></p><a class="act rest"></a></details>
<details class="artists" hidden><summary><ha-icon icon="mdi:chevron-down"></ha-icon><span></span></summary><p class="note" dir="auto"></p><a class="act rest"></a></details>
<div class="links">
<a class="icon link"><ha-icon icon="mdi:open-in-new"></ha-icon></a>
<a class="icon maker"><ha-icon icon="mdi:account-outline"></ha-icon></a>
<span class="chain soft small"></span>
</div>
</div>
<div class="status" role="status"><span class="clamp" dir="auto"></span></div>
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
<button class="icon" data-do="power"><ha-icon icon="mdi:power-sleep"></ha-icon></button>
</div>
</div>
<div class="choices">
<button class="choose" data-do="choose"><ha-icon icon="mdi:image-search-outline"></ha-icon><span></span></button>
<button data-do="own"><ha-icon icon="mdi:image-plus-outline"></ha-icon></button>
</div>
<div class="upcoming" hidden><h3 class="soft"></h3><ul class="next"></ul></div>
</div>
</div>
<input class="file" type="file" accept="image/*" multiple hidden>
</ha-card>
`;

const safeUrl = (url) => (typeof url === "string" && /^https?:\/\//i.test(url) ? url : null);

/** Write the edition as labels do: 12 of 36. */
const editionOf = (edition) => {
  const [, number, size] = /^#(\d+)(?: of (\d+))?$/.exec(edition ?? "") ?? [];
  if (!number) return edition ?? "";
  return text(size ? "edition_of" : "edition", { number, size });
};

const mediumOf = (medium) => (typeof medium === "string" ? text(`medium.${medium}`) || medium : "");

export class WallLabelCard extends HTMLElement {
  /** @type {any} the menu that is open over the card */
  menu;

  constructor() {
    super();
    const root = draw(this, BASE_STYLE + STYLE, TEMPLATE);
    /** @type {(selector: string) => any} */
    this.find = (selector) => root.querySelector(selector);
    for (const button of root.querySelectorAll("[data-do]")) button.onclick = () => this._do(button.dataset.do, button);
    const image = (this._image = this.find(".picture img"));
    image.onload = () => this._showImage(true);
    image.onerror = () => this._showImage(false);
    onTaps(this.find(".picture"), {
      tap: () => this._perform("tap"),
      hold: () => this._hold(),
    });
    for (const sign of ["focusin", "pointerover"]) root.addEventListener(sign, () => modules.menus(), { once: true });
    this.find(".file").onchange = async () => (await modules.chooser()).upload(this);
    this._noticed = (event) => {
      if (event.detail !== this.entityId) return;
      event.preventDefault();
      this._render();
    };
    this._observer = new ResizeObserver(() => this._updateSize());
  }

  static getStubConfig(hass) {
    const shown = (entityId) => isDisplay(hass, entityId) && !hass.entities[entityId].hidden;
    return { entity: Object.keys(hass.entities).find(shown) ?? "" };
  }

  static async getConfigForm() {
    return (await modules.chooser()).configForm(true);
  }

  /** @param {Config} config */
  setConfig(config) {
    if (!config?.entity?.startsWith?.("media_player.")) {
      throw new Error("Specify an entity from within the media_player domain");
    }
    this._config = config;
    this._updateSize();
    this._render();
  }

  /** @param {Hass} hass */
  set hass(hass) {
    const before = this._hass;
    this._hass = hass;
    // Is another one when Home Assistant is back.
    if (before?.localize !== hass.localize) for (const category of ["config_panel", "exceptions"]) loadTexts(hass, category).then(() => this._render());
    if (
      [this.entityId, ...(this._relatives ?? [])].some((id) => before?.states[id] !== hass.states[id]) ||
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
    [this, this.find(".reads"), this.find(".upcoming")].forEach((it) => this._observer.observe(it));
    window.addEventListener(NOTICE, this._noticed);
    this._updateSize();
    this._render();
  }

  disconnectedCallback() {
    this._observer.disconnect();
    window.removeEventListener(NOTICE, this._noticed);
    this.menu?.close();
  }

  getCardSize() {
    return this.size === "tile" ? 4 : 9;
  }

  getGridOptions() {
    return { min_columns: 3, min_rows: 2 };
  }

  // What is known

  get hass() {
    return this._hass;
  }

  get entityId() {
    return this._config?.entity;
  }

  get size() {
    return this.getAttribute("size");
  }

  /** @returns {State | undefined} */
  get state() {
    return this._hass?.states[this.entityId];
  }

  /**
   * What the display tells of the work on the wall.
   *
   * @returns {Attributes}
   */
  get work() {
    return (this.state?.state === "playing" && this.state.attributes.dp1) || {};
  }

  get name() {
    return this._config.name || nameOf(this._hass, this.entityId);
  }

  /** Return an entity of the same display, by its translation key. */
  relative(key) {
    const { entities } = this._hass;
    const device = entities?.[this.entityId]?.device_id;
    const id = Object.keys(entities ?? {}).find((id) => device && entities[id].device_id === device && entities[id].translation_key === key);
    return this._hass.states[id] && id;
  }

  _updateSize() {
    const { offsetWidth: width, offsetHeight: height } = this;
    if (!width) return;
    const rows = this._config?.grid_options?.rows;
    const isTile = width < TILE_WIDTH || rows <= TILE_ROWS;
    const isWall = this._layout === "panel" && width >= WALL_WIDTH;
    const size = this._config?.strip ? "strip" : isWall ? "wall" : isTile ? "tile" : "label";
    this.toggleAttribute("stacked", isWall && width < height);
    // Read from farther away, a larger wall has larger type.
    this.style.setProperty("--unit", `${Math.min(Math.max(width / 90, height / 90, 16), 48)}px`);
    if (this.size === size) return;
    this.setAttribute("size", size);
    this.find("ha-card").className = `as-${size}`;
    this.find(".about").open = isWall;
    this._render();
  }

  // What is shown

  /**
   * Return what the card shows of the state: everything that is written, and what can be done.
   *
   * @returns {View}
   */
  _view() {
    const { _hass: hass, state, work, name } = this;
    const attributes = state?.attributes ?? {};
    const shows = state?.state === "playing";
    const isThere = state && state.state !== "unavailable";
    const title = shows ? attributes.media_title : this.size !== "strip" && name;
    const exhibition = shows && (work.exhibition || attributes.media_playlist);
    const { chain = "" } = work.provenance?.contract ?? {};
    const [maker, site] = (work.artists ?? []).map((artist) => [artist.name, safeUrl(Object.values(artist.links ?? {})[0])]).find(([, url]) => url) ?? [];
    const hasOthers = shows && work.works !== 1;
    const page = safeUrl(work.link);
    // A name may read like that of another site.
    const siteName = site && `${maker} · ${site.split("/", 3)[2]}`;
    const more = text("read_more");
    const isCut = (note) => typeof note === "string" && note.endsWith("…");
    const canChoose = isThere && can(state, FEATURES.browse);
    return {
      texts: {
        ".artist": this.size === "strip" ? name : shows && attributes.media_artist,
        ".title": title,
        ".year": shows && work.year && `, ${work.year}`,
        ".facts": [mediumOf(work.medium), editionOf(work.edition), LIVES[work.lives] && text(LIVES[work.lives])].filter(Boolean).join(" · "),
        ".exhibition": exhibition !== title && exhibition,
        ".chain": CHAINS.get(chain) ?? String(chain).slice(0, 40),
        ".about .note": work.note,
        ".about .rest": more,
        ".about summary span": text("statement"),
        ".artists .note": work.about_artist,
        ".artists .rest": more,
        ".artists summary span": text("about_artist"),
        ".place": hasOthers && work.works && text("place", { place: attributes.media_track, works: work.works }),
        ".choose span": text("choose"),
        ".upcoming h3": text("next"),
      },
      links: { ".link": page, ".maker": site, ".about .rest": isCut(work.note) && page, ".artists .rest": isCut(work.about_artist) && site },
      buttons: {
        ".link": text("page"),
        ".maker": siteName,
        ".about .rest": `${more} · ${text("page")}`,
        ".artists .rest": `${more} · ${siteName}`,
        previous: hasOthers && can(state, FEATURES.previous) && hass.localize("ui.card.media_player.media_previous_track"),
        next: hasOthers && can(state, FEATURES.next) && hass.localize("ui.card.media_player.media_next_track"),
        favorite: typeof work.favorite === "boolean" && text("favorite"),
        duration: shows && work.work_id && text("show_for"),
        more: state && text("more"),
        power: isThere && state.state !== "off" && can(state, FEATURES.turnOff) && text("sleep"),
        choose: canChoose && text("choose"),
        own: canChoose && text("hang_picture"),
      },
      status: this._status(state, attributes),
    };
  }

  /**
   * Return the line about the display, with what helps: what goes on, what keeps it from showing art, or how it shows it.
   *
   * @param {State | undefined} state
   * @param {Attributes} attributes
   * @returns {View["status"]}
   */
  _status(state, { dp1: { error_page: reason, set_up: isSetUp, silent_host: host, until, works, left_out: hidden } = /** @type {Attributes} */ ({}), group_members: members, media_playlist: playlist = null }) {
    const { _hass: hass, name } = this;
    const notice = notices.get(this.entityId);
    // What can be taken back waits while the display sleeps or is away; what is back already need not come back.
    if (notice && notice.before !== playlist && (notice.isBusy || ["playing", "idle"].includes(state?.state ?? ""))) return notice;
    /** @type {(key: string, domain: string, action: string, data?: object) => Help} */
    const help = (key, domain, action, data) => ({ label: text(key), act: ({ currentTarget }) => this.act(currentTarget, domain, action, data) });
    const press = (key, entity) => (entity ? [help(key, "button", "press", { entity_id: entity })] : []);
    const error = (key, values) => textAt(`exceptions.${key}.message`, values);
    const again = help("try_again", "homeassistant", "update_entity");
    const problem = this.relative("playback_problem");
    this._relatives = [problem, this.relative("work")].filter(Boolean);
    const wake = help("wake", PLAYER, "turn_on");
    const lasting = (message, ...helps) => ({ message, helps, lasts: true });
    if (!state) return lasting(hass.localize("ui.card.common.entity_not_found"));
    if (state.state === "unavailable") {
      const at = new Date(state.last_changed);
      const seen = Number(at) > 0 ? text("last_seen", { time: this._format(at, Date.now() - Number(at) < DAY ? undefined : { dateStyle: "medium" }) }) : "";
      const look = async (event) => {
        await again.act(event);
        if (this.state?.state === "unavailable") toast(text("no_answer", { name }));
      };
      return lasting(`${text("out_of_reach", { name })} ${seen}`.trim(), { ...again, act: look });
    }
    if (reason) return lasting(error("on_error_page", { name, reason }), wake);
    if (isSetUp) return lasting(error("display_not_ready", { name }), again);
    if (state.state === "unknown") return lasting(error("display_player_not_running", { name }), ...press("restart", this.relative("reboot")));
    if (state.state === "off") return lasting(text("asleep"), ...(can(state, FEATURES.turnOn) ? [wake] : []));
    if (state.state === "idle") return lasting(text("idle"));
    if (state.state !== "playing") return lasting(hass.formatEntityState(state));
    if (host || hass.states[problem]?.state === "on") {
      const next = works > 1 && can(state, FEATURES.next) ? [help("next_work", PLAYER, "media_next_track")] : [];
      return lasting(host ? error("host_silent", { name: host }) : text("not_loading"), ...next, ...press("try_again", this.relative("refresh_work")));
    }
    if (until) return { message: text("until", { time: this._format(new Date(until)) }), helps: [help("back", DOMAIN, "show_previous")] };
    const others = (members ?? []).filter((other) => other !== this.entityId).map((other) => nameOf(hass, other));
    if (others.length) return { message: text("together", { name: new Intl.ListFormat(hass.language).format(others) }) };
    if (!hidden) return {};
    const look = { label: text("look_inside"), act: async () => (await modules.chooser()).choose(this, this.find(".choose"), "hidden") };
    return { message: text("left_out", { hidden, works: works + hidden }), helps: [look] };
  }

  _format(date, style = /** @type {Intl.DateTimeFormatOptions} */ ({ timeStyle: "short" })) {
    return new Intl.DateTimeFormat(this._hass.language, style).format(date);
  }

  /** Write what there is to see; nothing else shows or hides a part. */
  _render() {
    if (!this._hass || !this._config) return;
    const { state, work } = this;
    const shows = state?.state === "playing";
    const { texts, links, buttons, status } = this._view();
    this.toggleAttribute("asleep", state?.state === "off");
    for (const [selector, content] of Object.entries(texts)) this._write(selector, content);
    for (const [selector, url] of Object.entries(links)) {
      if (url) Object.assign(this.find(selector), { href: url, target: "_blank", rel: "noopener noreferrer" });
      else buttons[selector] = null;
    }
    for (const [name, label] of Object.entries(buttons)) {
      const button = this.find(name.startsWith(".") ? name : `[data-do="${name}"]`);
      // Home Assistant has no words for a moment after a switch of the language: those of before stay.
      button.hidden = !label && label !== "";
      if (label) button.title = button.ariaLabel = label;
    }
    const heart = this.find("[data-do=favorite]");
    heart.ariaPressed = work.favorite === true;
    heart.firstElementChild.icon = work.favorite ? "mdi:heart" : "mdi:heart-outline";
    this.find(".work").title = this.find(".work").textContent;
    this.find(".title").style.fontStyle = shows ? "" : "normal";
    for (const part of [".about", ".artists"]) this.find(part).hidden = this.find(`${part} .note`).hidden;
    for (const part of [".links", ".reads", ".choices", ".controls"]) {
      this.find(part).hidden = [...this.find(part).querySelectorAll("a, button, details, .chain")].every((it) => it.hidden);
    }
    this._writeStatus(status);
    this._renderPicture(state, shows);
    this._updateUpNext(state, work, shows);
    this.menu?.follow();
  }

  /** Write a text, or hide its element if there is none. */
  _write(selector, content) {
    const element = this.find(selector);
    const value = content ? String(content) : "";
    element.hidden = !value;
    if (element.textContent === value) return;
    element.textContent = value;
    if (element.matches(".clamp")) element.title = value;
    // Another work, another text; on a wall the one about the work stays open.
    const details = element.matches(".note") && element.parentElement;
    if (details && !(details.matches(".about") && this.size === "wall")) details.open = false;
  }

  /** @param {View["status"]} status */
  _writeStatus({ message, helps = [], isBusy = false, lasts = false }) {
    const place = this.find(".status");
    const words = place.firstElementChild;
    this.find(".choose").ariaBusy = place.ariaBusy = isBusy ? "true" : null;
    place.classList.toggle("lasts", lasts || helps.length > 1);
    words.hidden = !message;
    words.title = words.textContent = message ?? "";
    const buttons = [...place.querySelectorAll("button")];
    const isSame = JSON.stringify(buttons.map((it) => it.textContent)) === JSON.stringify(helps.map((it) => it.label));
    // A button that has the focus stays.
    helps.forEach(({ act }, index) => isSame && (buttons[index].onclick = act));
    if (!isSame) {
      for (const button of buttons) button.remove();
      place.append(...helps.map(({ label, act: done }) => act(label, done)));
    }
  }

  _renderPicture(state, shows) {
    const { media_title: title, media_artist: artist, entity_picture: picture } = state?.attributes ?? {};
    const image = this._image;
    // For which the picture of the media player is too small.
    const isLarge = this.size === "wall" && this.offsetWidth * devicePixelRatio > 960;
    const path = shows ? (isLarge && this._pictureOfWork()) || picture : state?.state === "off" && this._pictureOfWork();
    const url = path ? this._hass.hassUrl(path) : null;
    this.find(".picture").ariaLabel = (shows && [title, artist].filter(Boolean).join(", ")) || this.name;
    this.find(".picture ha-icon").icon = state?.state === "off" ? "mdi:sleep" : "mdi:image-frame";
    if (!url) {
      image.removeAttribute("src");
      this._showImage(false);
    } else if (image.getAttribute("src") !== url) {
      image.src = url;
    }
  }

  /** Return the picture of the last work of a display that sleeps, from the entity of its picture. */
  _pictureOfWork() {
    const { state, attributes: { entity_picture: path } = {} } = /** @type {any} */ (this._hass.states[this.relative("work")] ?? {});
    return path && `${path}${path.includes("?") ? "&" : "?"}state=${encodeURIComponent(state)}`;
  }

  _showImage(visible) {
    this._image.hidden = !visible;
    this.find(".picture ha-icon").hidden = visible;
    if (visible) this._image.animate({ opacity: [0, 1] }, matchMedia("(prefers-reduced-motion: reduce)").matches ? 0 : APPEAR_TIME);
  }

  async _updateUpNext(state, work, shows) {
    const { entityId, size } = this;
    const wanted = shows && ["label", "wall"].includes(size) && work.works > 1;
    const { media_track: place, shuffle, repeat, media_title: title } = state?.attributes ?? {};
    const key = wanted && JSON.stringify([entityId, work.work_id, work.playlist_id, work.works, place, title, shuffle, repeat]);
    if (this._upNextKey === key) return;
    this._upNextKey = key;
    if (!wanted && this.find(".upcoming").hidden) return;
    const reading = wanted ? browse(this._hass, entityId, UP_NEXT).catch(() => null) : [];
    const [{ renderUpNext }, works] = await Promise.all([modules.menus(), reading]);
    if (this._upNextKey !== key) return;
    // Asks again later.
    if (!works) this._upNextKey = null;
    this.find(".upcoming").hidden = !works?.length;
    renderUpNext(this, works ?? []);
  }

  // What is done

  /** @param {HTMLElement} button */
  async _do(name, button) {
    const { work, work: { media_content_id } } = this;
    const play = (action) => this.act(button, PLAYER, action);
    if (name === "previous" || name === "next") return play(`media_${name}_track`);
    if (name === "power") return play("turn_off");
    // An action on the display is about what comes back.
    if (name === "favorite") return this.act(button, DOMAIN, work.favorite ? "remove_favorite" : "add_favorite", media_content_id && { entity_id: undefined, media_content_id });
    if (name === "own") return this.find(".file").click();
    if (name === "choose") return (await modules.chooser()).choose(this, button);
    return (await modules.menus())[name](this, button);
  }

  act(button, domain, action, data) {
    return call(this._hass, this.entityId, [domain, action, data], button);
  }

  /** Let Home Assistant do what is set; a tap of which nothing is set opens the details. */
  _perform(action) {
    fire(this, "hass-action", { config: this._config, action });
  }

  moreInfo() {
    fire(this, "hass-more-info", { entityId: this.entityId });
  }

  /** Do what is set for a long press on the picture, or else open the menu of the work. */
  async _hold() {
    if ((this._config.hold_action?.action ?? "none") !== "none") this._perform("hold");
    else if (this.state?.state === "playing") this._do("more", this.find(".picture"));
  }
}
