/** What opens over a card: the chooser, menus and a form for own pictures; and pictures to tap, with what they do. */

import {
  BASE_STYLE, DOMAIN, FEATURES, NOTICE, PLAYER, UP_NEXT, browse, call, can, currentHass, draw, fire, icon, isDisplay,
  isRightToLeft, isSideways, loadTexts, make, notices, onHold, pageText, pictures, rove, text, textAt,
} from "./dp1-cards.js";

// Pages of a display that Home Assistant's media browser has for cards; see browse/.
export const EXHIBITIONS = "dp1://exhibitions";
const FOLDERS = "dp1://folders";
const ADD_LIBRARY = `/config/integrations/dashboard/add?domain=${DOMAIN}`;
const WHILE = 30;
const MINUTES = [5, 15, WHILE, 60, 180];
const VOLUME_STEPS = 20;
const REPEAT = { off: "mdi:repeat-off", one: "mdi:repeat-once", all: "mdi:repeat" };
// What can be done with a picture, by text, in the order of its menu.
const ACTS = {
  show_now: "mdi:play",
  show_next: "mdi:playlist-play",
  add: "mdi:playlist-plus",
  for_a_time: "mdi:timer-outline",
  only_series: "mdi:image-filter-none",
  look_inside: "mdi:folder-open-outline",
  take_out: "mdi:close",
  details: "mdi:information-outline",
};
const SEARCH_DELAY = 300;
const READ_AGAIN = 2000;
// Whoever waits longer is told for what.
const PATIENCE = 8000;
const NOTICE_LASTS = 60000;
// The name of a file that a camera has written.
const CAMERA_NAME = /^\D{0,12}\d{3,}/;
// How own pictures fill the wall, as playlists say it.
const FITS = { whole: { scaling: "fit" }, filled: { scaling: "fill" }, border: { scaling: "fit", margin: "6%", background: "#f2efe9" } };

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
.icon { width: 44px; padding: 0; margin-inline: -12px; display: grid; flex: none; }
:is(span, input) { flex: 1; min-width: 0; accent-color: var(--primary-color); }
input { height: 44px; }
`;

const MENU_TEMPLATE = `<div class="menu"><div class="above"></div><div role="menu"></div></div>`;

const DIALOG_STYLE = `
dialog {
  box-sizing: border-box; width: min(960px, 100vw - 32px); height: min(800px, 100vh - 32px); padding: 0; border: 0; border-radius: 16px;
  color: var(--primary-text-color); background: var(--paper); overflow: hidden; font-family: var(--ha-font-family-body);
}
dialog::backdrop { background: rgba(0, 0, 0, .5); }
h2 { margin: 0; font-size: 20px; font-weight: 500; outline: none; }
:is(input, select, .main, .chips button) {
  min-width: 0; min-height: 44px; box-sizing: border-box; padding: 0 16px; border: 0; border-radius: 22px; background: var(--fill);
}
.actions { display: flex; flex-wrap: wrap; gap: 12px; padding-block: 8px; }
:is(.main, .chips [aria-pressed="true"]) { font-weight: 500; background: var(--primary-text-color); color: var(--paper); }
`;

const CHOOSER_STYLE = `
@media (max-width: 600px) { dialog { width: 100vw; height: 100vh; height: 100dvh; max-width: none; max-height: none; border-radius: 0; } }
.frame { display: flex; flex-direction: column; height: 100%; }
header { display: grid; grid: auto auto / minmax(0, 1fr) auto; align-items: center; gap: 0 12px; padding: 8px 8px 0 16px; }
input { grid-area: 2 / 1 / 3 / -1; margin-inline-end: 8px; }
.close { grid-area: 1 / -2; }
@media (min-width: 600px) { header { grid: auto / auto minmax(0, 1fr) auto; } input { grid-area: 1 / 2; } }
.chips { flex: none; display: flex; gap: 8px; overflow-x: auto; padding: 12px 16px; scrollbar-width: none; }
.chips button { flex: none; }
.body { flex: 1; overflow-y: auto; padding: 0 16px; }
ul { display: grid; grid-template-columns: repeat(auto-fill, minmax(136px, 1fr)); gap: 16px 12px; padding-block-end: 16px; }
.thumb { aspect-ratio: 4 / 3; }
.show[aria-current] .thumb { outline: 3px solid var(--primary-color); outline-offset: -3px; }
.here { position: absolute; inset-block-end: 6px; inset-inline-start: 6px; padding: 2px 8px; border-radius: 10px; background: var(--paper); color: var(--primary-text-color); }
.place { display: flex; align-items: center; }
[role=status] { position: sticky; inset-block-start: 0; z-index: 1; padding-block: 4px 8px; background: var(--paper); }
footer { padding: 4px 16px; }
.all { min-height: 44px; }
`;

const CHOOSER_TEMPLATE = `
<dialog aria-labelledby="title">
  <div class="frame">
    <header>
      <h2 id="title" tabindex="-1"></h2>
      <input type="search" autocomplete="off">
      <button class="icon close"><ha-icon icon="mdi:close"></ha-icon></button>
    </header>
    <div class="chips" role="group"></div>
    <div class="body">
      <p class="place" hidden><button class="icon back"><ha-icon icon="mdi:arrow-left"></ha-icon></button><bdi></bdi></p>
      <p class="soft" role="status"></p><div class="actions" hidden></div><ul></ul>
    </div>
    <footer><button class="all act"></button></footer>
  </div>
</dialog>
`;

const UPLOAD_STYLE = `
dialog { width: min(420px, 100vw - 32px); height: fit-content; padding: 20px; }
:is(form, label) { display: grid; gap: 16px; }
label { gap: 4px; }
.actions { justify-content: flex-end; }
`;

/** Open a dialog, which goes when it is closed. */
const openDialog = (tag, style, markup, ...content) => {
  const host = make(tag);
  const dialog = draw(host, BASE_STYLE + DIALOG_STYLE + style, markup).querySelector("dialog");
  dialog.append(...content);
  dialog.addEventListener("close", () => host.remove());
  document.body.append(host);
  dialog.showModal();
  return dialog;
};

const timeText = (language, minutes) => {
  const [value, unit] = minutes < 60 ? [minutes, "minute"] : [minutes / 60, "hour"];
  return new Intl.NumberFormat(language, { style: "unit", unit, unitDisplay: "long" }).format(value);
};

const goTo = (path) => {
  history.pushState(null, "", path);
  fire(window, "location-changed", { replace: false });
};

/** Show a notice on the cards of a display, or as a toast where there is none. */
const notify = (entityId, notice) => {
  if (notice) notices.set(entityId, notice);
  else notices.delete(entityId);
  const isUnseen = window.dispatchEvent(new CustomEvent(NOTICE, { detail: entityId, cancelable: true }));
  if (!isUnseen || !notice) return;
  const { message, label, act } = notice;
  fire(document.querySelector("home-assistant") ?? window, "hass-notification", { message: message || label, action: act && { text: label, action: act } });
};

/**
 * Hang something with an action, and show that on what was tapped and on every card of the display.
 *
 * Whoever waits long is told for what and can give up. What was there before can come back, as "done" names it.
 */
export const perform = async (hass, entityId, title, action, { button, done } = {}) => {
  const stateOf = () => (currentHass() ?? hass).states[entityId] ?? { attributes: {} };
  const { state, attributes: before } = stateOf();
  const { media_content_id, media_playlist: playlist } = before;
  let own;
  let isCanceled = false;
  const put = (message, label, act, isBusy) => notify(entityId, (own = { message, label, act, isBusy }));
  const isOwn = () => notices.get(entityId) === own;
  const back = () => perform(hass, entityId, playlist, [PLAYER, "play_media", { media_content_id, media_content_type: "playlist" }]);
  const ask = (command) => hass.callWS({ type: `${DOMAIN}/${command}`, entity_id: entityId }).catch(() => "display");
  const cancel = () => {
    isCanceled = true;
    notify(entityId);
    ask("cancel");
  };
  const hanging = text(hass, "hanging", { title });
  put(hanging, "", null, true);
  const timer = setTimeout(async () => {
    const reason = text(hass, `waits_for.${await ask("waits_for")}`);
    if (isOwn()) put(`${hanging} ${reason}`, hass.localize("ui.common.cancel"), cancel, true);
  }, PATIENCE);
  const isDone = await call(hass, entityId, action, button);
  clearTimeout(timer);
  const canGoBack = isDone && state === "playing" && media_content_id;
  if (isCanceled && canGoBack && stateOf().attributes.media_playlist !== playlist) await back();
  if (!isOwn()) return;
  notify(entityId);
  if (!isDone || !done) return;
  if (done !== "back_to") put(text(hass, done, { title }), canGoBack && text(hass, "undo"), back);
  else if (canGoBack && playlist && playlist !== title) put("", text(hass, "back_to", { title: playlist }), back);
  setTimeout(() => isOwn() && notify(entityId), NOTICE_LASTS);
};

export const hang = (hass, entityId, medium, data, button) => {
  const { media_content_id, media_content_type } = medium;
  const done = data?.enqueue ? "added" : data?.extra ? "" : "back_to";
  return perform(hass, entityId, titleOf(hass, medium), [PLAYER, "play_media", { media_content_id, media_content_type, ...data }], { button, done });
};

/** Return the title of a medium; that of a work stands beside the one with artist and year. */
export const titleOf = (hass, { dp1, title }) => dp1?.title || title || text(hass, "untitled");

/** Return a picture to tap, with its title and a second line, and a menu. */
export const pictureItem = (hass, medium, tapped, menu) => {
  const { artist, year, kind } = medium.dp1 ?? {};
  const title = titleOf(hass, medium);
  const second = [artist, year, kind && text(hass, `kind.${kind}`)].filter(Boolean).join(" · ");
  const line = (textContent, className = "") => make("span", { className: `one-line small ${className}`, dir: "auto", textContent });
  const thumb = make("div", { className: "thumb" }, icon("mdi:image-frame"), ...pictures(hass, medium.thumbnail));
  const show = make("button", { title, className: "show" }, thumb, line(title), ...(second ? [line(second, "soft")] : []));
  show.onclick = () => tapped(show);
  const item = make("li", {}, show);
  if (menu) {
    const label = text(hass, "more_of", { title });
    const corner = make("button", { className: "corner", title: label, ariaLabel: label, ariaHasPopup: "menu", ariaExpanded: false }, icon("mdi:dots-vertical"));
    corner.onclick = () => menu(corner);
    onHold(show, () => menu(corner));
    item.append(corner);
  }
  return item;
};

// Menus

let openedMenu = null;

class Menu extends HTMLElement {
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
    this.place(opener.getBoundingClientRect());
    this.items[0].focus();
    root.addEventListener("keydown", (event) => this.key(event));
    root.addEventListener("focusout", ({ relatedTarget }) => relatedTarget && !root.contains(relatedTarget) && this.close());
    this.outside = (event) => event.composedPath().includes(this) || this.close();
    // The click that opens the menu is still on its way.
    setTimeout(() => this.isConnected && window.addEventListener("click", this.outside));
  }

  get items() {
    return [...this.root.querySelectorAll("button, input")];
  }

  render(focused) {
    this.list.replaceChildren(...this.entries());
    this.items.forEach((item, index) => (item.tabIndex = index === focused ? 0 : -1));
  }

  place({ top, bottom, left, right }) {
    const { offsetWidth: width, offsetHeight: height } = this;
    const fit = (at, size, room) => `${Math.max(8, Math.min(at, room - size - 8))}px`;
    this.style.left = fit(isRightToLeft(this) ? left : right - width, width, window.innerWidth);
    this.style.top = fit(bottom + height < window.innerHeight ? bottom : top - height, height, window.innerHeight);
  }

  close(refocus = false) {
    window.removeEventListener("click", this.outside);
    openedMenu = null;
    if (this.card) this.card.menu = null;
    this.opener.ariaExpanded = false;
    this.remove();
    if (refocus) this.opener.focus();
  }

  /** Follow the state; a menu goes with its button. */
  follow() {
    if (this.opener.hidden) return this.close();
    const look = (entries) => entries.map(({ textContent, ariaChecked }) => `${textContent} ${ariaChecked}`).join();
    if (look(this.entries()) === look([...this.list.children])) return;
    const focused = this.items.indexOf(this.root.activeElement);
    this.render(Math.max(focused, 0));
    this.items[focused]?.focus();
  }

  key(event) {
    if (event.key === "Escape" || event.key === "Tab") {
      event.preventDefault();
      event.stopPropagation();
      this.close(true);
    } else if (event.target.type !== "range" || /^Arrow(Up|Down)$/.test(event.key)) {
      rove(event, this.items);
    }
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
const entry = (label, name, act, chosen, role = "menuitemcheckbox") => {
  const button = make("button", { role: chosen === undefined ? "menuitem" : role }, icon(name), make("span", { textContent: label }));
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

/** Return how an action of ours is performed for a work on a card. */
const actOn = (card, title, button) => (action, data, done) => () =>
  perform(card.hass, card.entityId, title, [DOMAIN, action, data], { button, done });

const heading = (textContent) => make("p", { className: "heading soft small" }, make("span", { className: "clamp", dir: "auto", title: textContent, textContent }));

const timesOf = (hass) => MINUTES.map((minutes) => [minutes, timeText(hass.language, minutes)]);

const others = (hass, entityId, feature) =>
  Object.entries(hass.states)
    .filter(([id, state]) => id !== entityId && isDisplay(hass, id) && state.state !== "unavailable" && (!feature || can(state, feature)))
    .map(([id, { attributes }]) => [id, attributes.friendly_name ?? id]);

const onOthers = (hass, entityId, medium) =>
  others(hass, entityId).map(([id, name]) => entry(text(hass, "on_display", { name }), "mdi:monitor-share", () => hang(hass, id, medium)));

/** Ask on which display something is hung. */
export const openDisplaysMenu = (hass, medium, button) => openMenu(button, heading(titleOf(hass, medium)), () => onOthers(hass, "", medium));

/** Ask for how long the work on the wall stays. */
export const duration = (card, button) => {
  const { hass, work } = card;
  const show = (minutes) => card._act(button, DOMAIN, "show_work", { work: work.work_id, show_for: { minutes } });
  const entries = timesOf(hass).map(([minutes, label]) => entry(label, "mdi:timer-outline", () => show(minutes)));
  openMenu(button, heading(text(hass, "show_for")), () => entries, card);
};

/** Open the menu of a card, with what its display can do in its state. */
export const more = (card, button) => {
  const entries = () => {
    const { hass, state } = card;
    const details = entry(text(hass, "details"), "mdi:information-outline", () => card._moreInfo());
    if (state?.state === "unavailable") return [details];
    const upload = entry(text(hass, "hang_picture"), "mdi:image-plus", () => card._find(".file").click());
    return [...switches(card), upload, details];
  };
  openMenu(button, volume(card), entries, card);
};

const volume = (card) => {
  const { hass, state } = card;
  if (!can(state, FEATURES.volume) || ["off", "unavailable"].includes(state.state)) return null;
  const { volume_level: level = 0, is_volume_muted: muted } = state.attributes;
  const slider = make("input", { type: "range", min: 0, max: VOLUME_STEPS });
  slider.value = Math.round(level * VOLUME_STEPS);
  slider.ariaLabel = hass.localize("ui.card.media_player.volume") || "Volume";
  slider.onchange = () => card._act(openedMenu?.opener, PLAYER, "volume_set", { volume_level: slider.value / VOLUME_STEPS });
  const mute = entry("", `mdi:volume-${muted ? "off" : "medium"}`, (opener) => card._act(opener, PLAYER, "volume_mute", { is_volume_muted: !muted }));
  Object.assign(mute, { className: "icon", role: null, disabled: !can(state, FEATURES.mute) });
  mute.lastChild.remove();
  mute.ariaLabel = hass.localize(`ui.card.media_player.media_volume_${muted ? "un" : ""}mute`);
  return make("p", {}, mute, slider);
};

/** Return the entries that tell what is chosen. */
const switches = (card) => {
  const { hass, entityId, state } = card;
  const { shuffle, repeat, group_members: members } = state.attributes;
  const has = (feature) => state.state === "playing" && can(state, feature);
  const order = (label, chosen, name, action, data, role) =>
    entry(label, name, (opener) => card._act(opener, PLAYER, action, data), chosen, role);
  const repeats = has(FEATURES.repeat) ? Object.entries(REPEAT) : [];
  const together = can(state, FEATURES.group) ? others(hass, entityId, FEATURES.group) : [];
  return [
    ...(has(FEATURES.shuffle) ? [order(text(hass, "shuffle"), shuffle === true, "mdi:shuffle", "shuffle_set", { shuffle: !shuffle })] : []),
    ...repeats.map(([mode, name]) => order(text(hass, `repeat.${mode}`), repeat === mode, name, "repeat_set", { repeat: mode }, "menuitemradio")),
    ...together.map(([id, name]) => {
      const isIn = members?.includes(id) ?? false;
      const [action, data] = isIn ? ["unjoin", { entity_id: id }] : ["join", { group_members: [id] }];
      return order(text(hass, "together", { name }), isIn, "mdi:image-multiple-outline", action, data);
    }),
  ];
};

/** Open the menu of a picture, with what "acts" has of ACTS. */
const openActs = (hass, entityId, medium, button, acts, card) => {
  const time = timeText(hass.language, WHILE);
  const keys = Object.keys(ACTS).filter((key) => acts[key]);
  const entries = keys.map((key) => entry(text(hass, key, key === "for_a_time" ? { time } : {}), ACTS[key], acts[key]));
  if (medium.media_content_id) entries.push(...onOthers(hass, entityId, medium));
  openMenu(button, heading(titleOf(hass, medium)), () => entries, card);
};

/** Open the menu of a picture that can be hung; "look" opens what is inside it. */
export const openPictureMenu = (hass, entityId, medium, button, look) => {
  const state = (currentHass() ?? hass).states[entityId];
  const put = (data) => () => hang(hass, entityId, medium, data, button.previousSibling);
  const [, library, id] = /^(media-source:.*\/)artwork\/([^/]+)\/[^/]+$/.exec(medium.media_content_id) ?? [];
  const series = { title: medium.dp1?.series ?? titleOf(hass, medium), media_content_id: `${library}series/${id}`, media_content_type: "album" };
  const canAdd = can(state, FEATURES.enqueue) && state.state === "playing";
  openActs(hass, entityId, medium, button, {
    show_now: put(),
    show_next: canAdd && !state.attributes.shuffle && put({ enqueue: "next" }),
    add: canAdd && put({ enqueue: "add" }),
    for_a_time: put({ extra: { show_for: { minutes: WHILE } } }),
    only_series: library && (() => hang(hass, entityId, series)),
    look_inside: look && medium.can_expand && (() => look(medium)),
  });
};

/** Open the menu of the work on the wall. */
export const openWorkMenu = (card, button) => {
  const { hass, entityId, state, work } = card;
  const { media_content_id, media_title: title, media_playlist: playlist } = state.attributes;
  const { series, work_id: id } = work;
  const acts = {
    for_a_time: id && actOn(card, title, button)("show_work", { work: id, show_for: { minutes: WHILE } }),
    only_series: series && series !== playlist && actOn(card, series, button)("cast_playlist", { series }, "back_to"),
    details: () => card._moreInfo(),
  };
  openActs(hass, entityId, { title: playlist || title, media_content_id, media_content_type: "playlist" }, button, acts, card);
};

// The works that come next

export const renderUpNext = (card, works) => {
  const list = card._find(".next");
  const hadFocus = list.contains(card.shadowRoot.activeElement);
  list.replaceChildren(...works.map((work, index) => upNextItem(card, works, index)));
  list.scrollLeft = 0;
  card._find(".upcoming").hidden = !works.length;
  if (hadFocus) list.querySelector(".show")?.focus();
};

/** Return a work to come: it can be shown at once, dragged or moved with Alt and an arrow key, and taken out. */
const upNextItem = (card, works, index) => {
  const { hass, entityId, state } = card;
  const idOf = (at) => works[at]?.media_content_id.slice(UP_NEXT.length + 1);
  const work = idOf(index);
  const title = titleOf(hass, works[index]);
  const item = pictureItem(hass, works[index], () => acts.show_now(), (button) => openActs(hass, entityId, { title }, button, acts, card));
  const show = item.querySelector(".show");
  const act = actOn(card, title, show);
  const move = (to) => {
    if (to < 0 || to > works.length || to === index) return;
    card._act(show, DOMAIN, "move_work", { work, ...(idOf(to) && { before: idOf(to) }) });
  };
  const acts = {
    show_now: act("show_work", { work }),
    show_next: index && !state.attributes.shuffle && (() => move(0)),
    for_a_time: act("show_work", { work, show_for: { minutes: WHILE } }),
    take_out: act("remove_work", { work }, "removed"),
  };
  show.title = `${title} (${text(hass, "rearrange")})`;
  item.draggable = true;
  item.onkeydown = (event) => {
    if (event.altKey && isSideways(event)) {
      event.preventDefault();
      move(event.key === (isRightToLeft(item) ? "ArrowLeft" : "ArrowRight") ? index + 2 : index - 1);
    } else if (event.key === "Delete") acts.take_out();
  };
  item.ondragstart = ({ dataTransfer }) => {
    card.drop = move;
    dataTransfer.setData("text/plain", title);
  };
  item.ondragover = (event) => {
    if (!card.drop) return;
    event.preventDefault();
    item.toggleAttribute("dropbefore", true);
  };
  item.ondragleave = () => item.removeAttribute("dropbefore");
  item.ondrop = (event) => {
    event.preventDefault();
    item.ondragleave();
    card.drop?.(index);
  };
  // Comes after the drop.
  item.ondragend = () => (card.drop = null);
  return item;
};

// Own pictures

/** Ask how own pictures hang, and hang them. */
export const upload = (card) => {
  const input = card._find(".file");
  const files = [...input.files];
  input.value = "";
  if (!files.length) return;
  const { hass } = card;
  const field = (key, input) => make("label", {}, make("span", { className: "small soft", textContent: text(hass, key) }), input);
  const select = (options) => make("select", {}, ...options.map(([value, textContent]) => make("option", { value, textContent })));
  const title = make("input", { value: nameOf(files[0]) || text(hass, "own_picture"), dir: "auto", maxLength: 200, autocomplete: "off" });
  const fit = select(Object.keys(FITS).map((key) => [key, text(hass, `fit.${key}`)]));
  const time = select([["", text(hass, "no_end")], ...timesOf(hass)]);
  const cancel = make("button", { className: "act", type: "button", textContent: hass.localize("ui.common.cancel") });
  const actions = make("p", { className: "actions" }, cancel, make("button", { className: "main", textContent: text(hass, "hang") }));
  const fields = [field("picture_title", title), field("picture_fit", fit), field("show_for", time)];
  const form = make("form", { method: "dialog" }, make("h2", { textContent: text(hass, "hang_picture") }), ...fields, actions);
  const dialog = openDialog("dp1-upload", UPLOAD_STYLE, "<dialog></dialog>", form);
  dialog.ariaLabel = form.firstChild.textContent;
  cancel.onclick = () => dialog.close();
  form.onsubmit = () => hangFiles(card, files, title.value.trim() || text(hass, "own_picture"), FITS[fit.value], time.value);
  title.select();
};

/** Return the name of a file as a title, unless a camera gave it. */
const nameOf = ({ name }) => (CAMERA_NAME.test(name) ? "" : name.replace(/\.\w+$/, "").replace(/[_\s]+/g, " ").trim());

/** Hang pictures, which Home Assistant keeps. */
const hangFiles = async (card, files, title, fit, minutes) => {
  const { hass, entityId } = card;
  const button = card._find("[data-do=more]");
  button.ariaBusy = true;
  const media = [];
  for (const file of files) {
    const body = new FormData();
    body.append("file", file);
    const answer = await hass.fetchWithAuth("/api/image/upload", { method: "POST", body }).catch(() => null);
    if (answer?.ok) {
      const { id } = await answer.json();
      media.push({ media_content_id: `media-source://image_upload/${id}`, title: (files.length > 1 && nameOf(file)) || title });
    } else fire(card, "hass-notification", { message: text(hass, answer?.status === 413 ? "too_large" : "no_picture", { name: file.name }) });
  }
  button.ariaBusy = null;
  const time = minutes ? { show_for: { minutes: Number(minutes) } } : {};
  const cast = [DOMAIN, "cast_playlist", { media, title, ...fit, ...time }];
  if (media.length) await perform(hass, entityId, title, cast, { button, done: minutes ? "" : "back_to" });
};

// The chooser

export const choose = async (card, button) => {
  await loadTexts(card.hass);
  return new Chooser(card, button).open();
};

/** The libraries as pictures to choose from, with a search. */
class Chooser {
  constructor({ hass, entityId }, opener) {
    const dialog = openDialog("dp1-chooser", CHOOSER_STYLE, CHOOSER_TEMPLATE);
    const find = (selector) => dialog.querySelector(selector);
    const [input, chips] = [find("input"), find(".chips")];
    Object.assign(this, { hass, entityId, opener, find, path: [], dialog, input, chips });
    const noticed = (event) => event.detail === entityId && this.say(notices.get(entityId)?.message);
    window.addEventListener(NOTICE, noticed);
    dialog.onclose = () => {
      clearTimeout(this.timer);
      window.removeEventListener(NOTICE, noticed);
    };
    dialog.addEventListener("click", ({ target }) => target === dialog && dialog.close());
    find(".close").onclick = () => dialog.close();
    find(".back").onclick = () => this.look(this.path.slice(0, -1));
    find(".all").onclick = () => this.leave(() => goTo(`/media-browser/${entityId}`));
    input.oninput = () => {
      clearTimeout(this.timer);
      this.timer = setTimeout(() => this.load(), SEARCH_DELAY);
    };
    chips.addEventListener("keydown", (event) => rove(event, [...chips.children]));
    chips.ariaLabel = text(hass, "folders");
    find("h2").textContent = text(hass, "choose");
    input.placeholder = input.ariaLabel = text(hass, "search");
    find(".all").textContent = text(hass, "all_art");
    for (const name of ["close", "back"]) find(`.${name}`).ariaLabel = hass.localize(`ui.common.${name}`);
    // On touch, a keyboard would cover the pictures.
    (window.matchMedia("(pointer: coarse)").matches ? find("h2") : input).focus();
  }

  async open() {
    const { hass, entityId, chips } = this;
    this.say(text(hass, "reading"));
    const folders = await browse(hass, entityId, FOLDERS).catch(() => null);
    if (folders && !folders.length) return this.sayWithoutLibrary();
    const all = { media_content_id: EXHIBITIONS, dp1: { kind: "exhibitions" } };
    const rest = (folders ?? []).filter(({ dp1 }) => dp1?.kind !== "exhibitions");
    chips.append(...[all, ...rest].map((folder, index) => this.chip(folder, index)));
    await this.load();
  }

  chip(folder, index) {
    const title = textAt(this.hass, `config_panel.browser.${folder.dp1?.kind}`) || titleOf(this.hass, folder);
    const chip = make("button", { textContent: title, tabIndex: index ? -1 : 0 });
    chip.onclick = () => this.look(index ? [{ ...folder, title }] : []);
    chip.dataset.page = folder.media_content_id;
    return chip;
  }

  leave(act) {
    this.dialog.close();
    act();
  }

  /** Look into a folder, by the way to it. */
  look(path) {
    this.path = path;
    this.input.value = "";
    return this.load();
  }

  async load() {
    clearTimeout(this.timer);
    const { hass, path } = this;
    const query = this.input.value.trim();
    const folder = path.at(-1);
    const asked = (this.asked = {});
    const page = path[0]?.media_content_id ?? EXHIBITIONS;
    for (const chip of this.chips.children) chip.ariaPressed = !query && chip.dataset.page === page;
    this.find(".place").hidden = query || path.length < 2;
    this.find("bdi").textContent = folder ? titleOf(hass, folder) : "";
    this.say(text(hass, "reading"));
    let problem = "";
    const media = await this.ask(query, folder).catch((error) => {
      problem = error?.message || text(hass, "not_read");
      return [];
    });
    if (this.asked !== asked) return;
    const key = query ? "nothing_found" : folder ? "empty" : "still_reading";
    this.say(media.length ? "" : problem || text(hass, key));
    if (!media.length && key === "still_reading") this.timer = setTimeout(() => this.load(), READ_AGAIN);
    // What is said of each is said of none.
    const isMixed = new Set(media.filter(({ can_play: canPlay }) => canPlay !== false).map(({ dp1 }) => dp1?.kind)).size > 1;
    this.find("ul").replaceChildren(...media.map((medium) => this.item(isMixed ? medium : { ...medium, dp1: { ...medium.dp1, kind: "" } })));
    this.find(".body").scrollTop = 0;
  }

  async ask(query, folder) {
    const { hass, entityId } = this;
    if (!query) return browse(hass, entityId, folder?.media_content_id ?? EXHIBITIONS);
    return (await hass.callWS({ type: "media_player/search_media", entity_id: entityId, search_query: query }))?.result ?? [];
  }

  item(medium) {
    const { hass, entityId, opener } = this;
    const look = (folder) => this.look([...this.path, folder]);
    const isFolder = medium.can_play === false;
    const tapped = () => (isFolder ? look(medium) : this.leave(() => hang(hass, entityId, medium, undefined, opener)));
    const menu = (button) => openPictureMenu(hass, entityId, medium, button, look);
    const item = pictureItem(hass, medium, tapped, isFolder ? null : menu);
    const { state, attributes } = (currentHass() ?? hass).states[entityId] ?? {};
    const { media_playlist, media_title, dp1 } = attributes ?? {};
    if (state === "playing" && [media_playlist, media_title, dp1?.exhibition].includes(titleOf(hass, medium))) {
      item.firstChild.ariaCurrent = true;
      item.querySelector(".thumb").append(make("span", { className: "here small", textContent: text(hass, "hangs") }));
    }
    return item;
  }

  /** Say that there is no library, and what can be done. */
  sayWithoutLibrary() {
    const { hass, opener } = this;
    const action = (key, act) => make("button", { className: "main", textContent: text(hass, key), onclick: () => this.leave(act) });
    const card = opener?.getRootNode().host;
    const actions = this.find(".actions");
    if (hass.user?.is_admin !== false) actions.append(action("add_library", () => goTo(ADD_LIBRARY)));
    if (card?._find) actions.append(action("hang_picture", () => card._find(".file").click()));
    this.say(text(hass, "no_library"));
    actions.hidden = false;
    this.input.hidden = this.chips.hidden = true;
  }

  say(message) {
    const status = this.find("[role=status]");
    status.textContent = message ?? "";
    status.hidden = !message;
  }
}

/** Return the form of a card, or its first fields. */
export const configForm = async (fields) => {
  const hass = currentHass();
  if (hass) await loadTexts(hass);
  const parts = ["artist", "facts", "exhibition", "statement", "links", "progress", "controls", "choose", "upcoming"];
  const options = parts.map((part) => ({ value: part, label: pageText(`part.${part}`, part) }));
  const action = (name, normal) => ({ name, selector: { ui_action: { default_action: normal } } });
  const schema = [
    { name: "entity", required: true, selector: { entity: { filter: { integration: DOMAIN, domain: PLAYER } } } },
    { name: "name", selector: { text: {} } },
    { name: "hide", selector: { select: { multiple: true, mode: "list", options } } },
    action("tap_action", "more-info"),
    action("hold_action", "none"),
    action("double_tap_action", "none"),
  ];
  const computeLabel = ({ name }, localize) => (name === "hide" ? pageText("hide", name) : localize(`ui.panel.lovelace.editor.card.generic.${name}`));
  return { schema: schema.slice(0, fields), computeLabel };
};

if (!customElements.get("dp1-menu")) customElements.define("dp1-menu", Menu);
