// @ts-check
/** Pictures to tap and the menus over cards: what can be done with a picture, with a work, and with a display. */

import {
  BASE_STYLE, DOMAIN, FEATURES, PLAYER, UP_NEXT, busy, call, can, displays, draw, hang, icon, isRightToLeft, line, make, modules, nameOf,
  notify, onTaps, passing, perform, pictures, rove, stateOf, text, textAt, titleOf,
} from "./dp1-shared.js";

/**
 * @typedef {import("./dp1-shared.js").Hass} Hass
 * @typedef {import("./dp1-shared.js").Medium} Medium
 */

const WHILE = 30;
const MINUTES = [5, 15, WHILE, 60, 180];
const REPEAT = { one: "mdi:repeat-once", all: "mdi:repeat" };
// What can be done with a picture, by text, in the order of its menu.
const ACTS = {
  show_now: "mdi:play",
  show_next: "mdi:playlist-play",
  add: "mdi:playlist-plus",
  for_a_time: "mdi:timer-outline",
  only_series: "mdi:image-filter-none",
  look_inside: "mdi:folder-open-outline",
  to_playlist: "mdi:playlist-edit",
  move_up: "mdi:arrow-up",
  take_out: "mdi:close",
  never: "mdi:eye-off-outline",
  show_again: "mdi:eye-outline",
  details: "mdi:information-outline",
};

const MENU_STYLE = `
:host { position: fixed; inset: auto; margin: 0; padding: 0; border: 0; background: none; overflow: visible; z-index: 10; color: var(--primary-text-color); }
.menu {
  width: min(22em, 100vw - 16px); box-sizing: border-box; max-block-size: calc(100vh - 16px); overflow-y: auto; padding: 8px;
  border: 1px solid var(--divider-color); border-radius: 12px; box-shadow: 0 4px 24px rgba(0, 0, 0, .35); background: var(--paper); font-family: var(--ha-font-family-body);
}
:is(p, button) { display: flex; align-items: center; gap: 12px; min-height: 44px; width: 100%; padding: 0 12px; text-align: start; box-sizing: border-box; }
button:is(:hover, :focus-visible) { background: var(--fill); }
:is(span, .heading) { overflow-wrap: anywhere; }
.heading { min-height: 28px; }
span { flex: 1; min-width: 0; }
`;

const MENU_TEMPLATE = `<div class="menu"><div class="above"></div><div role="menu"></div></div>`;

const timeText = (language, minutes) => {
  const [value, unit] = minutes < 60 ? [minutes, "minute"] : [minutes / 60, "hour"];
  return new Intl.NumberFormat(language, { style: "unit", unit, unitDisplay: "long" }).format(value);
};

/** @param {Hass} hass */
export const timesOf = (hass) => MINUTES.map((minutes) => [minutes, timeText(hass.language, minutes)]);

// Pictures

/** Return what shows works that nobody chose. */
export const surprise = () => ({ title: text("surprise"), media_content_id: `${DOMAIN}://surprise`, media_content_type: "playlist", icon: "mdi:dice-5-outline" });

/**
 * Return a picture to tap, with its title, a second line and its kind, and a menu.
 *
 * @param {Hass} hass
 * @param {Medium} medium
 * @param {(button: HTMLElement) => void} tapped
 * @param {((button: HTMLElement) => void) | null} [menu]
 */
export const pictureItem = (hass, medium, tapped, menu) => {
  const { artist, year, kind } = medium.dp1 ?? {};
  const title = titleOf(medium);
  const second = [medium.why, artist, year].filter(Boolean).join(" · ");
  const badge = kind && text(`kind.${kind}`);
  const thumb = make("div", { className: "thumb" }, icon(medium.icon ?? "mdi:image-frame"), ...pictures(hass, medium.thumbnail));
  if (badge) thumb.append(make("span", { className: "badge kind", textContent: badge }));
  const words = make("span", { className: "words" }, make("span", { className: "clamp", dir: "auto", textContent: title }), ...(second ? [line(second, "one-line soft")] : []));
  const show = make("button", { title, className: "show" }, thumb, words);
  const item = make("li", {}, show);
  if (menu) {
    const label = text("more_of", { title });
    const corner = make("button", { className: "corner", title: label, ariaLabel: label, ariaHasPopup: "menu", ariaExpanded: false }, icon("mdi:dots-vertical"));
    corner.onclick = () => menu(corner);
    onTaps(show, { tap: () => tapped(show), hold: () => menu(corner) });
    item.append(corner);
  } else show.onclick = () => tapped(show);
  if (medium.dp1?.hidden) markHidden(item, true);
  return item;
};

const markHidden = (item, isHidden) => {
  item.toggleAttribute("data-hidden", isHidden);
  item.querySelector(".away")?.remove();
  if (isHidden) item.querySelector(".thumb").append(make("span", { className: "badge here away", textContent: textAt("config_panel.browser.hidden") }));
};

// Menus

let openedMenu = null;

class Menu extends HTMLElement {
  /** @type {any} */
  card;
  /** @type {HTMLElement} */
  list;
  /** @type {ShadowRoot} */
  root;
  /** @type {HTMLElement} */
  opener;
  /** @type {() => HTMLElement[]} */
  entries;

  /** Open beside a button, with the focus on the first entry; a function makes the entries, which follow the state. */
  open(opener, above, entries, card) {
    const root = draw(this, BASE_STYLE + MENU_STYLE, MENU_TEMPLATE);
    Object.assign(this, { opener, card, entries, root, list: root.querySelector("[role=menu]") });
    opener.ariaExpanded = true;
    if (card) card.menu = this;
    this.list.ariaLabel = above?.textContent || opener.title || opener.ariaLabel;
    root.querySelector(".above").append(above ?? "");
    this.render(0);
    (opener.closest("dialog") ?? opener.getRootNode()).append(this);
    this.popover = "manual";
    this.showPopover?.();
    this.place();
    this.items[0].focus();
    root.addEventListener("keydown", (event) => this.key(event));
    root.addEventListener("focusout", ({ relatedTarget }) => relatedTarget && !root.contains(relatedTarget) && this.close());
    // A long press ends over the menu, perhaps.
    this.outside = (event) => event.composedPath().some((it) => it === this || it === opener) || this.close();
    window.addEventListener("pointerdown", this.outside);
    this.placed = () => this.place();
    window.addEventListener("resize", this.placed);
  }

  get items() {
    return /** @type {HTMLElement[]} */ ([...this.root.querySelectorAll("button")]);
  }

  render(focused) {
    this.list.replaceChildren(...this.entries());
    this.items.forEach((item, index) => (item.tabIndex = index === focused ? 0 : -1));
  }

  place() {
    const { top, bottom, left, right } = this.opener.getBoundingClientRect();
    const { offsetWidth: width, offsetHeight: height } = this;
    const fit = (at, size, room) => `${Math.max(8, Math.min(at, room - size - 8))}px`;
    this.style.left = fit(isRightToLeft(this) ? left : right - width, width, innerWidth);
    this.style.top = fit(bottom + height < innerHeight ? bottom : top - height, height, innerHeight);
  }

  close(refocus = false) {
    window.removeEventListener("pointerdown", this.outside);
    window.removeEventListener("resize", this.placed);
    openedMenu = null;
    if (this.card) this.card.menu = null;
    this.opener.ariaExpanded = "false";
    this.remove();
    if (refocus) this.opener.focus();
  }

  /** Follow the state; a menu goes with its button. */
  follow() {
    if (this.opener.hidden) return this.close();
    const look = (entries) => entries.map(({ textContent, ariaChecked }) => `${textContent} ${ariaChecked}`).join();
    if (look(this.entries()) === look([...this.list.children])) return;
    const focused = this.items.indexOf(/** @type {HTMLElement} */ (this.root.activeElement));
    this.render(Math.max(focused, 0));
    this.items[focused]?.focus();
  }

  key(event) {
    if (event.key === "Escape" || event.key === "Tab") {
      event.preventDefault();
      event.stopPropagation();
      this.close(true);
    } else rove(event, this.items);
  }
}

const openMenu = (opener, above, entries, card) => {
  const isOpen = openedMenu?.opener === opener;
  openedMenu?.close(isOpen);
  if (isOpen) return;
  openedMenu = make("dp1-menu");
  openedMenu.open(opener, above, entries, card);
};

/** Return an entry of a menu; one with a mark tells whether it is chosen. */
const entry = (label, name, act, chosen = /** @type {boolean | undefined} */ (undefined)) => {
  const button = make("button", { role: chosen === undefined ? "menuitem" : "menuitemcheckbox" }, icon(name), make("span", { textContent: label }));
  if (chosen !== undefined) {
    button.ariaChecked = chosen;
    button.append(icon(chosen ? "mdi:check" : ""));
  }
  button.onclick = () => {
    const { opener } = openedMenu;
    openedMenu.close(true);
    act(opener);
  };
  return button;
};

const heading = (textContent) => make("p", { className: "heading soft small" }, line(textContent, "clamp"));

/** Return the entries that show a medium on each of several displays, and on all. */
const onDisplays = (hass, medium, but = "") => {
  const ids = displays(hass, but);
  const all = displays(hass);
  // A group is told once where one call names its members.
  const show = (id, entity_id = id) => hang(hass, id, medium, { entity_id });
  const entries = ids.map((id) => entry(text("on_display", { name: nameOf(hass, id) }), "mdi:monitor-share", () => show(id)));
  return all.length > 1 ? [...entries, entry(text("on_all"), "mdi:monitor-multiple", () => show(all[0], all))] : entries;
};

/** Ask for how long the work on the wall stays. */
export const duration = (card, button) => {
  const { hass, work } = card;
  const show = (minutes) => card.act(button, DOMAIN, "show_work", { work: work.work_id, show_for: { minutes } });
  const entries = timesOf(hass).map(([minutes, label]) => entry(label, "mdi:timer-outline", () => show(minutes)));
  openMenu(button, heading(text("show_for")), () => entries, card);
};

/** Open the menu of a card and of its work, with what its display can do in its state. */
export const more = (card, button) => {
  const entries = () => {
    const { hass, entityId, state, work: { work_id: id } } = card;
    const { media_content_id, media_playlist: playlist } = state?.attributes ?? {};
    return [
      ...(state?.state === "unavailable" ? [] : switches(card)),
      ...(id && media_content_id ? onDisplays(hass, { title: playlist, media_content_id, media_content_type: "playlist" }, entityId) : []),
      ...(id ? [entry(text("never"), ACTS.never, () => hide(hass, entityId, state.attributes.media_title, { entity_id: entityId }, button))] : []),
      entry(text("details"), ACTS.details, () => card.moreInfo()),
    ];
  };
  openMenu(button, null, entries, card);
};

/** Return the entries that tell what is chosen. */
const switches = (card) => {
  const { hass, entityId, state } = card;
  const { shuffle, repeat, group_members: members } = state.attributes;
  const has = (feature) => state.state === "playing" && can(state, feature);
  const order = (label, chosen, name, action, data) => entry(label, name, (opener) => card.act(opener, PLAYER, action, data), chosen);
  const repeats = has(FEATURES.repeat) ? Object.entries(REPEAT) : [];
  const together = can(state, FEATURES.group) ? displays(hass, entityId, FEATURES.group) : [];
  return [
    ...(has(FEATURES.shuffle) ? [order(text("shuffle"), shuffle === true, "mdi:shuffle", "shuffle_set", { shuffle: !shuffle })] : []),
    ...repeats.map(([mode, name]) => order(text(`repeat.${mode}`), repeat === mode, name, "repeat_set", { repeat: repeat === mode ? "off" : mode })),
    ...together.map((id) => {
      const isIn = members?.includes(id) ?? false;
      const [action, data] = isIn ? ["unjoin", { entity_id: id }] : ["join", { group_members: [id] }];
      return order(text("together", { name: nameOf(hass, id) }), isIn, "mdi:image-multiple-outline", action, data);
    }),
    ...(can(state, FEATURES.browse) ? [entry(text("write"), "mdi:message-text-outline", async () => (await modules.chooser()).write(card))] : []),
  ];
};

/**
 * Open the menu of a picture, with what "acts" has of ACTS, and entries of its own.
 *
 * @param {Hass} hass
 * @param {Medium} medium
 */
const openActs = (hass, entityId, medium, button, acts, card, own = []) => {
  const time = timeText(hass.language, WHILE);
  const keys = Object.keys(ACTS).filter((key) => acts[key]);
  const here = acts.show_now && displays(hass).length > 1 && text("on_display", { name: nameOf(hass, entityId) });
  const entries = keys.map((key) => entry((key === "show_now" && here) || text(key, key === "for_a_time" ? { time } : {}), ACTS[key], acts[key]));
  if (medium.media_content_id) entries.push(...own, ...onDisplays(hass, medium, entityId));
  openMenu(button, heading(titleOf(medium)), () => entries, card);
};

/**
 * Add a medium to the favorites, or remove it.
 *
 * @param {Hass} hass
 * @param {Medium} medium
 */
export const like = async (hass, medium, button) => {
  const { dp1 = {}, media_content_id } = medium;
  // The medium, and no display.
  const action = dp1.favorite ? "remove_favorite" : "add_favorite";
  const isDone = await busy(button, hass.callService(DOMAIN, action, { media_content_id })).then(() => true, () => false);
  // A favorite is not hidden.
  if (isDone) medium.dp1 = { ...dp1, favorite: !dp1.favorite, ...(dp1.hidden && { hidden: false }) };
  return isDone;
};

/**
 * Never show a work again, by its medium or that on a display, or show it again; the first can be taken back.
 *
 * @param {Hass} hass
 * @param {string} entityId
 * @param {string} title
 * @param {{entity_id?: string, media_content_id?: string}} data
 * @param {HTMLElement} button
 */
const hide = async (hass, entityId, title, data, button, isAgain = false, after = (/** @type {boolean} */ isHidden) => {}, hung = /** @type {any} */ ({})) => {
  const { attributes } = stateOf(hass, entityId);
  const asked = hass.callService(DOMAIN, isAgain ? "unhide_work" : "hide_work", data, undefined, true, !isAgain);
  const answer = await busy(button, asked).then((given) => given ?? {}, () => null);
  if (!answer) return;
  after(!isAgain);
  const { media_content_id, media_playlist: playlist } = hung;
  const isBack = media_content_id && playlist === attributes.media_playlist;
  // It comes back where it hung.
  if (isBack) await call(hass, entityId, [PLAYER, "play_media", { media_content_id, media_content_type: "playlist" }], button);
  const undo = () => hide(hass, entityId, title, { media_content_id: answer.response?.hidden[0].media_content_id }, button, true, after, data.entity_id ? attributes : {});
  const key = isAgain ? (isBack ? "shown_again" : "comes_again") : "hid";
  notify(entityId, { message: text(key, { title }), helps: isAgain ? [] : [{ label: text("undo"), act: undo }] });
  passing(entityId);
};

/**
 * Open the menu of a picture that can be shown; "look" opens what is inside it.
 *
 * @param {Hass} hass
 * @param {Medium} medium
 */
export const openPictureMenu = (hass, entityId, medium, button, look, own = {}) => {
  const state = stateOf(hass, entityId);
  const put = (data) => () => hang(hass, entityId, medium, data, button.previousSibling);
  const [, library, id] = /^(media-source:.*\/)artwork\/([^/]+)\/[^/]+$/.exec(medium.media_content_id ?? "") ?? [];
  const series = { title: medium.dp1?.series ?? titleOf(medium), media_content_id: `${library}series/${id}`, media_content_type: "album" };
  const canAdd = can(state, FEATURES.enqueue) && state.state === "playing";
  const { favorite: isLiked, hidden: isHidden } = medium.dp1 ?? {};
  const item = button.closest("li");
  const follow = (hidden) => {
    medium.dp1 = { ...medium.dp1, hidden, ...(hidden && { favorite: false }) };
    markHidden(item, hidden);
  };
  const heart = () => entry(text(isLiked ? "unlike" : "like"), "mdi:heart-outline", async () => (await like(hass, medium)) && markHidden(item, false));
  const putAway = () => hide(hass, entityId, titleOf(medium), { media_content_id: medium.media_content_id }, button, isHidden === true, follow);
  const acts = {
    show_now: put(undefined),
    show_next: canAdd && !state.attributes.shuffle && put({ enqueue: "next" }),
    add: canAdd && put({ enqueue: "add" }),
    for_a_time: put({ extra: { show_for: { minutes: WHILE } } }),
    only_series: library && (() => hang(hass, entityId, series)),
    look_inside: look && medium.can_expand && (() => look(medium)),
    to_playlist: hass.user?.is_admin && medium.media_content_id?.startsWith("media-source:") && (async () => (await modules.chooser()).addToPlaylist(hass, medium)),
    never: isHidden === false && putAway,
    show_again: isHidden && putAway,
    ...own,
  };
  openActs(hass, entityId, medium, button, acts, undefined, typeof isLiked === "boolean" ? [heart()] : []);
};

// The works that come next

export const renderUpNext = (card, works) => {
  const list = card.find(".next");
  const hadFocus = list.contains(card.shadowRoot.activeElement);
  list.replaceChildren(...works.map((medium) => upNextItem(card, medium)));
  list.scrollLeft = 0;
  if (hadFocus) list.querySelector(".show")?.focus();
};

/** Return a work to come: it can be shown at once, and taken out. */
const upNextItem = (card, medium) => {
  const { hass, entityId } = card;
  const work = medium.media_content_id.slice(UP_NEXT.length + 1);
  const title = titleOf(medium);
  const item = pictureItem(hass, medium, () => acts.show_now(), (button) => openActs(hass, entityId, { title }, button, acts, card));
  const act = (action, data, done) => () => perform(hass, entityId, title, [DOMAIN, action, data], { button: item.firstChild, done });
  const acts = {
    show_now: act("show_work", { work }, ""),
    for_a_time: act("show_work", { work, show_for: { minutes: WHILE } }, ""),
    take_out: act("remove_work", { work }, "removed"),
  };
  return item;
};

if (!customElements.get("dp1-menu")) customElements.define("dp1-menu", Menu);
