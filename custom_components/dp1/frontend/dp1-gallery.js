/** What fills a dashboard: the art gallery, the highlights, and the row of exhibitions in a tile. */

import { BASE_STYLE, CARD, DOMAIN, FEATURES, HIGHLIGHTS, PLAYER, browse, can, draw, isDisplay, loadTexts, make, pictures, rove, text } from "./dp1-cards.js";
import { EXHIBITIONS, choose, hang, openDisplaysMenu, openPictureMenu, perform, pictureItem, titleOf } from "./dp1-chooser.js";

const FAVORITES_AND_NEW = "dp1://highlights";
const FEATURE_SOURCES = 12;
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
  height: var(--feature-height, 42px); min-width: 44px; max-width: 240px; padding-inline: 4px 16px; color: var(--primary-text-color);
  border-radius: var(--feature-border-radius, 12px); background: var(--fill);
  display: flex; align-items: center; gap: 8px;
}
li { flex: none; }
button:not(:has(img)) { padding-inline: 16px; }
img { flex: none; height: calc(100% - 8px); aspect-ratio: 1; object-fit: cover; border-radius: 8px; }
button[aria-pressed="true"] { background: var(--primary-text-color); color: var(--paper); }
`;

const HIGHLIGHTS_STYLE = `
:host { display: block; }
ul { display: flex; gap: 12px; overflow-x: auto; padding-block-end: 4px; scrollbar-width: thin; }
ul[inert] { opacity: .4; filter: grayscale(1); }
li { flex: 0 0 132px; min-width: 0; }
.thumb { height: 88px; }
@media (min-width: 1100px) { ul { display: grid; grid-template-columns: repeat(auto-fill, minmax(132px, 1fr)); } }
`;

const grid = (...cards) => ({ type: "grid", cards });

const whileIn = (entity, state) => [{ condition: "state", entity, state }];

/** Today's work, and new and favorite art, as pictures to tap; of several displays, a tap asks on which. */
export const highlights = (card) => {
  const list = draw(card, BASE_STYLE + HIGHLIGHTS_STYLE, "<ul></ul>").querySelector("ul");
  let read;
  const load = async (hass, { entity, ask }, key) => {
    await loadTexts(hass);
    const media = await browse(hass, entity, FAVORITES_AND_NEW).catch(() => null);
    if (read !== key || !media) return;
    const tapped = (medium) => (button) => (ask ? openDisplaysMenu(hass, medium, button) : hang(hass, entity, medium, undefined, button));
    const menu = (medium) => (button) => openPictureMenu(hass, entity, medium, button);
    list.replaceChildren(...media.map((medium) => pictureItem(hass, medium, tapped(medium), menu(medium))));
    list.ariaLabel = text(hass, "highlights");
    card.hidden = !media.length;
  };
  return ({ hass, config }) => {
    const state = hass?.states[config.entity];
    // What cannot hang anywhere says so by its look.
    list.inert = !state || state.state === "unavailable";
    // A library that has news changes the sources.
    const key = JSON.stringify([config, state?.attributes.source_list]);
    if (!state || read === key) return;
    read = key;
    load(hass, config, key);
  };
};

/** The source list of a display, as a row to tap in a tile. */
export const exhibitions = (feature) => {
  const list = draw(feature, BASE_STYLE + FEATURE_STYLE, "<ul></ul>").querySelector("ul");
  list.addEventListener("keydown", (event) => rove(event, [...list.querySelectorAll("button")]));
  let properties = {};
  let drawn;
  let read;
  let thumbnails = new Map();
  const item = (source, chosen) => {
    const { hass, entityId } = properties;
    const button = make("button", { ariaPressed: chosen, title: source }, ...pictures(hass, thumbnails.get(source)), make("span", { className: "one-line", textContent: source }));
    button.onclick = () => perform(hass, entityId, source, [PLAYER, "select_source", { source }], { button, done: "back_to" });
    return button;
  };
  const more = () => {
    const button = make("button", { textContent: text(properties.hass, "more_art") || "…" });
    button.onclick = () => choose(properties, button);
    return button;
  };
  const render = () => {
    const { state, attributes: { source_list: sources = [], source: chosen } } = properties.state;
    const others = sources.filter((source) => source !== chosen);
    const row = [...(sources.includes(chosen) ? [chosen] : []), ...others].slice(0, FEATURE_SOURCES);
    const disabled = state === "unavailable";
    load(JSON.stringify([properties.entityId, sources]));
    const key = JSON.stringify([row, chosen, disabled]);
    if (drawn === key) return;
    drawn = key;
    const buttons = row.map((source) => item(source, source === chosen));
    if (can(properties.state, FEATURES.browse)) buttons.push(more());
    buttons.forEach((button, index) => Object.assign(button, { disabled, tabIndex: index ? -1 : 0 }));
    list.replaceChildren(...buttons.map((button) => make("li", {}, button)));
    list.scrollLeft = 0;
  };
  /** Look up the pictures of the exhibitions when they have changed. */
  const load = async (key) => {
    if (read === key) return;
    read = key;
    const { hass, entityId } = properties;
    await loadTexts(hass);
    const media = await browse(hass, entityId, EXHIBITIONS).catch(() => []);
    if (read !== key) return;
    thumbnails = new Map(media.map((medium) => [titleOf(hass, medium), medium.thumbnail]));
    drawn = null;
    render();
  };
  return ({ hass, context }) => {
    const entityId = context?.entity_id;
    const state = hass?.states[entityId];
    const isOther = state !== properties.state;
    properties = { hass, entityId, state };
    if (state && isOther) render();
  };
};

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
  const sections = displays.map(({ entity, name }) => grid(heading(name, { icon: "mdi:image-frame" }), { type: `custom:${CARD}`, entity }));
  if (displays.length) {
    const { entity } = displays.find((display) => hass.states[display.entity]?.state !== "unavailable") ?? displays[0];
    const highlights = { type: `custom:${HIGHLIGHTS}`, entity, ask: several, grid_options: { columns: "full" } };
    // Beside the only display, or below all.
    sections.push({ ...grid(heading(text(hass, "highlights"), { icon: "mdi:star-outline" }), highlights), column_span: several ? 4 : 1 });
  } else {
    const content = `${text(hass, "no_display")} [${text(hass, "add_display")}](/config/integrations/integration/${DOMAIN})`;
    sections.push(grid({ type: "markdown", content }));
  }
  const problems = ofLibraries
    .filter(({ translation_key: key }) => key === "library_problem")
    .map(({ entity_id: entity }) => ({ type: "tile", entity, name: [{ type: "device" }, { type: "entity" }], visibility: whileIn(entity, "on") }));
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
    const ofLibrary = { type: "tile", entity, name: { type: "entity" }, state_content: "device_name", ...options };
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
  return { ...ofLibrary, name: `${text(hass, "publish")} · ${name}`, icon: "mdi:publish", visibility: whileIn(entity, "playing"), tap_action: tap, icon_tap_action: tap };
};

/** Return a view that shows nothing but the display, for a tablet on the wall. */
const wall = ({ entity, name }) => {
  const id = entity.split(".")[1];
  const path = ["gallery", "settings"].includes(id) ? `${id}-display` : id;
  return { title: name, path, type: "panel", cards: [{ type: `custom:${CARD}`, entity }] };
};
