/** What fills a dashboard: the art gallery, the highlights, and the row of exhibitions in a tile. */

import { BASE_STYLE, CARD, DOMAIN, FEATURES, HIGHLIGHTS, PLAYER, browse, can, draw, isDisplay, loadTexts, make, pictures, rove, text } from "./dp1-cards.js";
import { EXHIBITIONS, choose, hang, openDisplaysMenu, openPictureMenu, perform, pictureItem, titleOf } from "./dp1-chooser.js";

const FAVORITES_AND_NEW = "dp1://highlights";
const FEATURE_SOURCES = 12;
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
ul[aria-disabled="true"] { opacity: .4; filter: grayscale(1); }
li { flex: 0 0 132px; min-width: 0; }
.thumb { height: 88px; }
@media (min-width: 1100px) { ul { display: grid; grid-template-columns: repeat(auto-fill, minmax(132px, 1fr)); } }
`;

const grid = (...cards) => ({ type: "grid", cards });

const whileIn = (entity, state) => [{ condition: "state", entity, state }];

/** Today's work, and new and favorite art, as pictures to tap; of several displays, a tap asks on which. */
class Highlights extends HTMLElement {
  constructor() {
    super();
    this._list = draw(this, BASE_STYLE + HIGHLIGHTS_STYLE, "<ul></ul>").querySelector("ul");
  }

  setConfig(config) {
    this._config = config;
    if (this._hass) this.hass = this._hass;
  }

  set hass(hass) {
    this._hass = hass;
    const { entity } = this._config;
    const state = hass.states[entity];
    const isThere = state && state.state !== "unavailable";
    this._list.ariaDisabled = !isThere;
    for (const button of this._list.querySelectorAll("button")) button.disabled = !isThere;
    // A library that has news changes the sources.
    const key = JSON.stringify([entity, isThere, state?.attributes.source_list]);
    if (key !== this._key) this._load(entity, key, isThere);
  }

  async _load(entity, key, isThere) {
    this._key = key;
    await loadTexts(this._hass);
    // What was there stays, and says by its look that nothing can be done.
    if (!isThere) return;
    const media = await browse(this._hass, entity, FAVORITES_AND_NEW).catch(() => []);
    if (this._key !== key) return;
    this._list.replaceChildren(...media.map((medium) => this._item(entity, medium)));
    this._list.ariaLabel = text(this._hass, "highlights");
    this.hidden = !media.length;
  }

  _item(entity, medium) {
    const { ask } = this._config;
    const tapped = (button) => (ask ? openDisplaysMenu(this._hass, medium, button) : hang(this._hass, entity, medium, undefined, button));
    return pictureItem(this._hass, medium, tapped, (button) => openPictureMenu(this._hass, entity, medium, button));
  }
}

/** The source list of a display, as a row to tap in a tile. */
class Exhibitions extends HTMLElement {
  constructor() {
    super();
    this._list = draw(this, BASE_STYLE + FEATURE_STYLE, "<ul></ul>").querySelector("ul");
    this._list.addEventListener("keydown", (event) => rove(event, [...this._list.querySelectorAll("button")]));
    this._pictures = new Map();
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
    const row = [...(sources.includes(chosen) ? [chosen] : []), ...others].slice(0, FEATURE_SOURCES);
    const disabled = state.state === "unavailable";
    const key = JSON.stringify([row, chosen, disabled]);
    this._loadPictures(JSON.stringify([this._entityId, sources]));
    if (this._key === key) return;
    this._key = key;
    const items = row.map((source) => this._item(source, source === chosen));
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
    const media = await browse(this._hass, this._entityId, EXHIBITIONS).catch(() => []);
    if (this._asked !== wanted) return;
    this._pictures = new Map(media.filter(({ thumbnail: picture }) => picture).map((medium) => [titleOf(this._hass, medium), medium.thumbnail]));
    this._key = null;
    this._render();
  }

  _item(source, chosen) {
    const button = make("button", {}, ...pictures(this._hass, this._pictures.get(source)), source);
    button.ariaPressed = chosen;
    const select = [PLAYER, "select_source", { source }];
    button.onclick = () => perform(this._hass, this._entityId, source, select, { button, done: "back_to" });
    return make("li", {}, button);
  }

  _more() {
    const button = make("button", { textContent: text(this._hass, "more_art") || "…" });
    button.onclick = () => choose(this._hass, this._entityId, button);
    return make("li", {}, button);
  }
}

// The dashboard

const heading = (name, options) => ({ type: "heading", heading: name, ...options });

/** Lay out all displays, their settings and the libraries. */
export const generate = async (hass) => {
  await loadTexts(hass);
  const ours = Object.values(hass.entities).filter(({ platform, hidden }) => platform === DOMAIN && !hidden);
  const displays = ours
    .filter(({ entity_id: entityId }) => isDisplay(hass, entityId))
    .map((player) => displayOf(hass, player))
    .sort((one, other) => one.name.localeCompare(other.name, hass.language));
  const devices = new Set(displays.map(({ device }) => device));
  const ofLibraries = ours.filter(({ device_id: device }) => device && !devices.has(device));
  const views = [overview(hass, displays, ofLibraries)];
  if (displays.length) views.push(settings(hass, displays, ours, ofLibraries));
  return { title: text(hass, "gallery"), views: [...views, ...displays.map(wall)] };
};

/** Return what is laid out of a display; its name is that of its room where it has one to itself. */
const displayOf = (hass, { entity_id: entity, device_id: device, area_id: ownArea }) => {
  const { name, name_by_user: nameByUser, area_id: area } = hass.devices[device] ?? {};
  const room = hass.areas[ownArea ?? area]?.name;
  const own = nameByUser ?? name ?? entity;
  return { entity, device, name: room && room.toLowerCase() !== own.toLowerCase() ? `${room} · ${own}` : own };
};

const overview = (hass, displays, ofLibraries) => {
  const several = displays.length > 1;
  const sections = displays.map(({ entity, name }) => ({
    // What else there is stands beside the only display.
    ...grid(heading(name, { icon: "mdi:image-frame" }), { type: `custom:${CARD}`, entity, grid_options: { columns: 12 } }),
    column_span: several ? 1 : 2,
  }));
  if (displays.length) {
    const highlights = { type: `custom:${HIGHLIGHTS}`, entity: displays[0].entity, ask: several, grid_options: { columns: "full" } };
    const row = grid(heading(text(hass, "highlights"), { icon: "mdi:star-outline" }), highlights);
    if (several) sections.push({ ...row, column_span: 4 });
    else sections[0].cards.push(...row.cards);
  } else {
    const content = `${text(hass, "no_display")} [${text(hass, "add_display")}](/config/integrations/integration/${DOMAIN})`;
    sections.push(grid({ type: "markdown", content }));
  }
  const problems = ofLibraries
    .filter(({ translation_key: key }) => key === "library_problem")
    .map(({ entity_id: entity }) => ({ type: "tile", entity, name: LIBRARY_NAME, visibility: whileIn(entity, "on") }));
  if (problems.length) sections.push(grid(...problems));
  return { title: text(hass, "gallery"), path: "gallery", icon: "mdi:image-multiple", type: "sections", sections };
};

/** Return the settings of each display by what they are about, and what can be done with the libraries. */
const settings = (hass, displays, ours, ofLibraries) => {
  const options = { grid_options: { columns: 12 } };
  const tile = ({ entity_id: entity }) => {
    // A number that Home Assistant shows as a box has too wide a range for a slider.
    const isBox = hass.states[entity]?.attributes.mode === "box";
    return { type: "tile", entity, name: { type: "entity" }, features: isBox ? [] : SETTINGS.get(entity.split(".")[0]), ...options };
  };
  const groups = ({ device }) => {
    const own = ours.filter(({ entity_id: entity, device_id: of }) => of === device && SETTINGS.has(entity.split(".")[0]));
    return ["picture", "sleep_times", "monitor"].flatMap((group) => {
      const entities = own.filter(({ translation_key: key }) => group === (SETTING_GROUPS.get(key) ?? "picture"));
      return entities.length ? [heading(text(hass, group), { heading_style: "subtitle" }), ...entities.map(tile)] : [];
    });
  };
  const sections = displays.map((display) => grid(heading(display.name), ...groups(display)));
  const tiles = ofLibraries.flatMap(({ entity_id: entity, device_id: device, translation_key: key }) => {
    const ofLibrary = { type: "tile", entity, name: LIBRARY_NAME, hide_state: true, ...options };
    // Only a feed has playlists.
    const hasFeed = hass.states[entity]?.attributes.event_types?.includes("playlist_published");
    if (hasFeed) return displays.map((display) => publisher(hass, ofLibrary, device, display));
    return key === "refresh_library" ? [ofLibrary] : [];
  });
  if (tiles.length) sections.push(grid(heading(text(hass, "library")), ...tiles));
  return { title: text(hass, "settings"), path: "settings", icon: "mdi:tune", type: "sections", sections };
};

/** Return a tile that publishes what a display shows, and asks before. */
const publisher = (hass, ofLibrary, library, { entity, name }) => {
  const tap = {
    action: "perform-action",
    perform_action: `${DOMAIN}.publish_playlist`,
    data: { config_entry_id: hass.devices[library].primary_config_entry, entity_id: entity },
    confirmation: { text: text(hass, "publishing", { name }) },
  };
  const label = [LIBRARY_NAME[0], { type: "text", text: `· ${text(hass, "publish")} · ${name}` }];
  return { ...ofLibrary, name: label, icon: "mdi:publish", visibility: whileIn(entity, "playing"), tap_action: tap, icon_tap_action: tap };
};

/** Return a view that shows nothing but the display, for a tablet on the wall. */
const wall = ({ entity, name }) => {
  const id = entity.split(".")[1];
  const path = ["gallery", "settings"].includes(id) ? `${id}-display` : id;
  return { title: name, path, type: "panel", cards: [{ type: `custom:${CARD}`, entity }] };
};

const TAGS = { [`${HIGHLIGHTS}-list`]: Highlights, [`${DOMAIN}-exhibitions-row`]: Exhibitions };
for (const [tag, element] of Object.entries(TAGS)) if (!customElements.get(tag)) customElements.define(tag, element);

export const makeHighlights = () => make(`${HIGHLIGHTS}-list`);
export const makeFeature = () => make(`${DOMAIN}-exhibitions-row`);
