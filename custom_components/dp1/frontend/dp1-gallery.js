// @ts-check
/** What fills a dashboard: the art gallery with its rows of pictures, and the row of exhibitions in a tile. */

import {
  BASE_STYLE, CARD, DOMAIN, FEATURES, HIGHLIGHTS, PLAYER, act, addLibrary, draw, emptyKey, hang, isDisplay, loadTexts, make, modules, perform, readAll, readFolders, rove, text, textAt, titleOf,
} from "./dp1-shared.js";
import { openPictureMenu, pictureItem, surprise } from "./dp1-menus.js";

/**
 * @typedef {import("./dp1-shared.js").Hass} Hass
 * @typedef {import("./dp1-shared.js").State} State
 * @typedef {import("./dp1-shared.js").Config} Config
 * @typedef {import("./dp1-shared.js").Medium} Medium
 * @typedef {{entity: string, device?: string, name: string}} Display What is laid out of a display
 */

const NEW = "dp1://highlights";
// The rows of the gallery, by the kind of their folder; what else there is has a tile. Those that can be filled are there while they are empty.
const ROWS = ["exhibitions", "favorites", "shown_lately", "pictures"];
const ALWAYS = new Set(["exhibitions", "favorites", "pictures"]);
const MAX_IN_ROW = 12;
const READ_AGAIN = 3000;
const MAX_SOURCES = 12;
// Home Assistant's features of tiles for the settings of a display.
const SETTINGS = { number: [{ type: "numeric-input", style: "slider" }], select: [{ type: "select-options" }], switch: [], time: [] };

const FEATURE_STYLE = `
ul { display: flex; gap: 8px; overflow-x: auto; scrollbar-width: none; }
button {
  height: var(--feature-height, 42px); min-width: 44px; max-width: 240px; padding-inline: 16px; color: var(--primary-text-color);
  border-radius: var(--feature-border-radius, 12px); background: var(--fill);
}
li { flex: none; }
button[aria-pressed="true"] { background: var(--primary-text-color); color: var(--paper); }
`;

const ROWS_STYLE = `
:host { display: block; }
.rows { display: flex; flex-wrap: wrap; gap: 0 24px; }
section { min-width: 0; max-width: 100%; padding-block-end: 8px; }
section > div { display: flex; align-items: center; justify-content: space-between; gap: 12px; min-height: 44px; }
.all ~ .nothing { order: 1; flex-basis: 100%; padding: 0; }
.nothing > div { display: none; }
h3 { margin: 0; font-size: var(--ha-font-size-l, 16px); font-weight: 500; }
ul { display: flex; gap: 12px; overflow-x: auto; padding-block-end: 4px; scrollbar-width: thin; }
ul[inert] { opacity: .4; filter: grayscale(1); }
li { flex: 0 0 132px; }
.thumb { height: 88px; }
section p { display: flex; flex-wrap: wrap; align-items: center; gap: 0 12px; min-height: 44px; overflow-wrap: anywhere; }
.strip { padding: 2px; }
.strip li { flex: 0 1 340px; min-width: min(300px, 100%); }
`;

const ROWS_TEMPLATE = `<ul class="strip"></ul><section class="trouble" hidden><p role="status"><ha-icon icon="mdi:alert-circle-outline"></ha-icon><span></span><button class="act"></button></p></section><div class="rows"></div><input class="file" type="file" accept="image/*" multiple hidden>`;

/** Rows of new and favorite art, of what the libraries have, and of what was shown; of several displays, the chosen one shows it. */
export const highlights = (card) => {
  const root = draw(card, BASE_STYLE + ROWS_STYLE, ROWS_TEMPLATE);
  const find = (selector) => root.querySelector(selector);
  /** @type {{hass?: Hass, config?: Config}} */
  let given = {};
  let read;
  let chosen = "";
  const opener = {
    find,
    get hass() {
      return given.hass;
    },
    get entityId() {
      return chosen;
    },
  };
  find(".file").onchange = async () => (await modules.chooser()).upload(opener);
  // What cannot be shown anywhere says so by its look.
  const isAway = () => (given.hass.states[chosen]?.state ?? "unavailable") === "unavailable";
  const open = async (button, kind, inside) => (await modules.chooser()).choose(opener, button, kind, inside);
  const item = (kind, medium) => {
    const { hass } = given;
    const look = (folder, button) => open(button, kind || folder.dp1.kind, folder);
    const isFolder = medium.can_play === false;
    const tapped = (button) => (isFolder ? look(medium, button) : hang(hass, chosen, medium, undefined, button));
    const menu = isFolder ? null : (button) => openPictureMenu(hass, chosen, medium, button, (folder) => look(folder, button));
    return pictureItem(hass, kind ? { ...medium, dp1: { ...medium.dp1, kind: "" } } : medium, tapped, menu);
  };
  /** Fill the row of a folder, which keeps what it has until that is read; one that has nothing is a line at the end. */
  const row = ({ kind, title, pages, media }, key) => {
    const name = kind || "all";
    let section = find(`.rows .${name}`);
    if (!section) {
      const all = act(text("show_all"), () => open(all, kind), { ariaLabel: `${text("show_all")}: ${title}`, hidden: true });
      const line = make("p", { className: "soft", textContent: text("reading") });
      section = make("section", { className: name }, make("div", {}, make("h3"), all), make("ul", { inert: isAway() }), line);
    }
    const [{ firstChild: head, lastChild: all }, list, line] = section.children;
    head.textContent = list.ariaLabel = title;
    const fill = async () => {
      // What hung on several displays is there once.
      const walls = kind === "shown_lately" ? (given.config.displays ?? []).map(({ entity }) => entity) : [];
      const lists = () => Promise.all([chosen, ...walls.filter((id) => id !== chosen)].map((id) => readAll(given.hass, id, kind === "exhibitions" ? [NEW] : pages)));
      const found = media ?? (await lists().then((all) => [...new Map(all.flat().map((it) => [it.media_content_id, it])).values()], () => null));
      if (read !== key) return;
      const shown = (found ?? []).slice(0, MAX_IN_ROW).map((medium) => item(kind, medium));
      list.replaceChildren(...shown);
      const isEmpty = !shown.length;
      section.classList.toggle("nothing", isEmpty);
      list.hidden = isEmpty;
      all.hidden = isEmpty || !kind;
      line.hidden = !isEmpty;
      const ways = { pictures: [text("hang_picture"), () => find(".file").click(), "own"], favorites: [text("choose"), (button) => open(button, "")] };
      if (found) say(line, text(emptyKey(given.hass, kind)), ...(ways[kind] ?? []));
      else say(line, text("not_read"), text("try_again"), fill);
      if (isEmpty && emptyKey(given.hass, kind) === "still_reading") setTimeout(() => section.isConnected && fill(), READ_AGAIN);
    };
    fill();
    return section;
  };
  /** Write a sentence, with the one button that helps. */
  const say = (line, message, label = "", done = (/** @type {HTMLElement} */ button) => {}, name = "") => {
    line.replaceChildren(message);
    if (!label) return;
    const button = act(label, () => done(button));
    if (name) button.dataset.do = name;
    line.append(button);
  };
  const load = async (key) => {
    const { hass } = given;
    const rows = find(".rows");
    await loadTexts(hass);
    const line = make("p", { className: "soft", textContent: text("reading") });
    const isFirst = !rows.firstChild;
    if (isFirst) rows.append(make("section", {}, line));
    const folders = await readFolders(hass, chosen).catch(() => null);
    if (read !== key) return;
    if (!folders?.length) {
      // What was read before stays.
      if (!folders && !isFirst) return;
      rows.replaceChildren(make("section", {}, line));
      if (folders) say(line, text("no_library"), hass.localize("ui.common.add"), addLibrary);
      else say(line, text("not_read"), text("try_again"), () => load(key));
      return;
    }
    const found = new Map(folders.map((folder) => [folder.kind, folder]));
    const named = (kind) => found.get(kind) ?? { kind, title: textAt(`config_panel.browser.${kind}`), pages: [] };
    const others = folders.filter(({ kind }) => !ROWS.includes(kind) && kind !== "hidden").map(({ medium }) => medium);
    const [first, ...more] = ROWS.filter((kind) => found.has(kind) || ALWAYS.has(kind)).map(named);
    const all = { kind: "", title: text("library"), pages: [], media: [surprise(), ...others] };
    rows.replaceChildren(...[{ ...first, title: text("new") }, all, ...more].map((folder) => row(folder, key)));
  };
  /** Say why a library has not everything. */
  const renderTrouble = () => {
    const { hass } = given;
    const [problem] = Object.values(hass.entities ?? {}).filter(
      ({ platform, translation_key: key, entity_id: id }) => platform === DOMAIN && key === "library_problem" && hass.states[id]?.state === "on",
    );
    find(".trouble").hidden = !problem;
    if (!problem) return;
    find(".trouble span").textContent = hass.states[problem.entity_id].attributes.reason ?? "";
    const again = Object.values(hass.entities).find(({ device_id: device, translation_key: key }) => device === problem.device_id && key === "refresh_library");
    const button = find(".trouble button");
    button.hidden = !again;
    button.textContent = text("try_again");
    button.onclick = () => hass.callService("button", "press", { entity_id: again.entity_id });
  };
  /** Return the card of a display to choose. */
  const display = ({ entity, name }) => {
    const label = make(CARD);
    label.addEventListener("click", () => update({ hass: given.hass, config: given.config, id: entity }), true);
    label.setConfig({ entity, name, strip: true, tap_action: { action: "none" } });
    return make("li", {}, label);
  };
  const update = ({ hass, config, id = given.config === config ? chosen : config.entity }) => {
    const strip = find(".strip");
    if (given.config !== config) strip.replaceChildren(...(config.displays ?? []).map(display));
    given = { hass, config };
    chosen = id;
    if (!hass) return;
    for (const { firstChild: label } of strip.children) {
      label.hass = hass;
      label.find(".picture").ariaPressed = String(label.entityId === chosen);
    }
    const state = hass.states[chosen];
    for (const list of root.querySelectorAll(".rows ul")) list.inert = isAway();
    renderTrouble();
    // A library that has news changes the sources; what is shown changes the history and the favorites.
    const { source_list: sources, media_playlist: playlist, dp1 } = state?.attributes ?? {};
    const key = JSON.stringify([config, chosen, sources, playlist, dp1?.favorite, hass.language]);
    if (!state || read === key) return;
    read = key;
    load(key);
  };
  return update;
};

/** The source list of a display, as a row to tap in a tile. */
export const exhibitions = (feature) => {
  const list = draw(feature, BASE_STYLE + FEATURE_STYLE, "<ul></ul>").querySelector("ul");
  list.addEventListener("keydown", (event) => rove(event, [...list.querySelectorAll("button")]));
  let properties = /** @type {any} */ ({});
  let drawn;
  const item = (source, chosen) => {
    const { hass, entityId } = properties;
    const button = make("button", { ariaPressed: chosen, title: source }, make("span", { className: "one-line", textContent: source }));
    button.onclick = () => perform(hass, entityId, source, [PLAYER, "select_source", { source }], { button, done: "back_to" });
    return button;
  };
  const more = () => {
    const button = make("button", { textContent: text("more_art") });
    button.onclick = async () => (await modules.chooser()).choose(properties, button);
    return button;
  };
  const render = async (hass, { state, attributes: { source_list: sources = [], source: chosen, supported_features } }) => {
    await loadTexts(hass);
    const others = sources.filter((source) => source !== chosen);
    const row = [...(sources.includes(chosen) ? [chosen] : []), ...others].slice(0, MAX_SOURCES);
    const disabled = state === "unavailable";
    const key = JSON.stringify([row, chosen, disabled, hass.language]);
    if (drawn === key) return;
    drawn = key;
    const buttons = row.map((source) => item(source, source === chosen));
    if (supported_features & FEATURES.browse) buttons.push(more());
    buttons.forEach((button, index) => Object.assign(button, { disabled, tabIndex: index ? -1 : 0 }));
    list.replaceChildren(...buttons.map((button) => make("li", {}, button)));
    list.scrollLeft = 0;
  };
  return ({ hass, context }) => {
    const entityId = context?.entity_id;
    const state = hass?.states[entityId];
    properties = { hass, entityId };
    if (state) render(hass, state);
  };
};

const grid = (...cards) => ({ type: "grid", cards });

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
  /** @type {object[]} */
  const views = [overview(hass, displays)];
  if (displays.length) views.push(settings(hass, displays, ours, ofLibraries));
  return { title: text("gallery"), views: [...views, ...displays.map(wall)] };
};

/** Return what is laid out of a display; its name is that of its room where it has one to itself. */
const displayOf = (hass, { entity_id: entity, device_id: device, area_id: ownArea }) => {
  const { name, name_by_user: nameByUser, area_id: area } = hass.devices[device] ?? {};
  const room = hass.areas[ownArea ?? area]?.name;
  const own = nameByUser ?? name ?? entity;
  return { entity, device, name: room && room.toLowerCase() !== own.toLowerCase() ? `${room} · ${own}` : own };
};

const overview = (hass, displays) => {
  const several = displays.length > 1;
  const sections = displays.map(({ entity, name }) => grid(heading(name, { icon: "mdi:image-frame" }), { type: `custom:${CARD}`, entity }));
  if (displays.length) {
    const { entity } = displays.find((display) => hass.states[display.entity]?.state !== "unavailable") ?? displays[0];
    const rows = { type: `custom:${HIGHLIGHTS}`, entity, ...(several && { displays }), grid_options: { columns: "full" } };
    // Beside the only display, or above all.
    if (several) sections.unshift({ ...grid(rows), column_span: 4 });
    else sections.push(grid(rows));
  } else {
    const content = `${text("no_display")} [${text("add_display")}](/config/integrations/integration/${DOMAIN})`;
    sections.push(grid({ type: "markdown", content }));
  }
  return { title: text("gallery"), path: "gallery", icon: "mdi:image-multiple", type: "sections", max_columns: several ? 4 : 2, sections };
};

/** Return the settings of each display, and what can be done with the libraries. */
const settings = (hass, displays, ours, ofLibraries) => {
  const options = { grid_options: { columns: 12 } };
  const tile = ({ entity_id: entity }) => {
    // A number that Home Assistant shows as a box has too wide a range for a slider.
    const features = hass.states[entity]?.attributes.mode === "box" ? [] : SETTINGS[entity.split(".")[0]];
    // The feature has the value.
    return { type: "tile", entity, name: { type: "entity" }, features, hide_state: !!features[0], ...options };
  };
  const isOf = (device) => ({ entity_id: entity, device_id: of }) => of === device && SETTINGS[entity.split(".")[0]];
  const sections = displays.map(({ device, name }) => grid(heading(name), ...ours.filter(isOf(device)).map(tile)));
  // Only a feed has playlists.
  const feeds = ofLibraries
    .filter(({ entity_id: entity }) => hass.states[entity]?.attributes.event_types?.includes("playlist_published"))
    .map(({ entity_id: entity, device_id: device }) => ({ entity, entry: hass.devices[device].primary_config_entry, name: hass.devices[device].name_by_user ?? hass.devices[device].name }));
  const ofAll = ofLibraries
    .filter(({ translation_key: key }) => key === "refresh_library")
    .map(({ entity_id: entity }) => ({ type: "tile", entity, name: { type: "entity" }, state_content: "device_name", ...options }));
  if (feeds.length && displays.length) ofAll.unshift(publisher(feeds, options));
  if (ofAll.length) sections.push(grid(heading(text("library")), ...ofAll));
  return { title: text("settings"), path: "settings", icon: "mdi:tune", type: "sections", sections };
};

/** Return the tile that publishes what a display shows, and asks before. */
const publisher = (feeds, options) => {
  const publish = feeds.map(({ entry, name }) => ({ entry, name }));
  const tap = { action: "fire-dom-event", [DOMAIN]: { publish } };
  return { type: "tile", entity: feeds[0].entity, name: text("publish"), hide_state: true, icon: "mdi:publish", tap_action: tap, icon_tap_action: tap, ...options };
};

/** Return a view that shows nothing but the display, for a tablet on the wall. */
const wall = ({ entity, name }) => {
  const id = entity.split(".")[1];
  const path = ["gallery", "settings"].includes(id) ? `${id}-display` : id;
  return { title: name, path, type: "panel", cards: [{ type: `custom:${CARD}`, entity }] };
};
