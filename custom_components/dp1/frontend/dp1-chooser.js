// @ts-check
/** The dialogs over a card: choosing art, showing own pictures, publishing what is shown, and the form of a card. */

import {
  BASE_STYLE, DOMAIN, EXHIBITIONS, NOTICE, PLAYER, UP_NEXT, act, addLibrary, ask, browse, currentHass, displays, draw, emptyKey, hang, icon, line, loadTexts, make, nameOf,
  notices, perform, pictures, readAll, readFolders, rove, stateOf, text, textAt, titleOf, toast,
} from "./dp1-shared.js";
import { like, openPictureMenu, pictureItem, surprise, timesOf } from "./dp1-menus.js";

/**
 * @typedef {import("./dp1-shared.js").Hass} Hass
 * @typedef {import("./dp1-shared.js").Medium} Medium
 * @typedef {{kind: string, title: string, pages: string[], medium?: Medium}} Folder
 * @typedef {{entry: string, id: string, title: string, media_content_id: string}} Own A playlist that the user may change
 * @typedef {{hass: Hass, entityId: string, find?: (selector: string) => any}} Opener A card, or what stands for one
 */

const SEARCH_DELAY = 300;
const READ_AGAIN = 2000;
const MAX_SHOWN = 5;
// The name of a file that a camera has written.
const CAMERA_NAME = /^\D{0,12}\d{3,}/;
// How own pictures fill the wall, as playlists say it.
const FITS = { whole: "fit", filled: "fill", border: "fit" };
const MAT = { color: "#f2efe9", width: 6, max: 25 };
const PORTRAIT = /^portrait/;

const DIALOG_STYLE = `
dialog {
  box-sizing: border-box; width: min(960px, 100vw - 32px); max-height: min(800px, 100vh - 32px); padding: 0; border: 0; border-radius: 16px;
  color: var(--primary-text-color); background: var(--paper); overflow: hidden; font-family: var(--ha-font-family-body);
}
dialog::backdrop { background: rgba(0, 0, 0, .5); }
:is(h2, h3) { margin: 0; font-size: 20px; font-weight: 500; outline: none; overflow-wrap: anywhere; }
:is(input, select, .main, .chips button) {
  min-width: 0; min-height: 44px; box-sizing: border-box; padding: 0 16px; border: 0; border-radius: 22px; background: var(--fill);
}
.actions { display: flex; flex-wrap: wrap; gap: 12px; padding-block: 8px; }
:is(.main, .chips [aria-pressed="true"]) { font-weight: 500; background: var(--primary-text-color); color: var(--paper); }
`;

const CHOOSER_STYLE = `
dialog { margin-block-start: 16px; }
@media (max-width: 600px) { dialog { width: 100vw; max-width: none; max-height: 100vh; max-height: 100dvh; margin: 0; border-radius: 0 0 16px 16px; } }
.frame { display: flex; flex-direction: column; max-height: inherit; }
header { display: grid; grid: auto auto / minmax(0, 1fr) auto; align-items: center; gap: 0 12px; padding: 8px 8px 0 16px; }
input { grid-area: 2 / 1 / 3 / -1; margin-inline-end: 8px; }
.close { grid-area: 1 / -2; }
@media (min-width: 600px) { header { grid: auto / auto minmax(0, 1fr) auto; } input { grid-area: 1 / 2; } }
.chips { flex: none; display: flex; gap: 8px; overflow-x: auto; padding: 12px 16px; scrollbar-width: none; }
.letters { gap: 0; padding-block: 0 8px; }
.chips button { flex: none; }
.dice { order: -1; display: flex; align-items: center; gap: 8px; }
.letters button { width: 44px; padding: 0; background: none; }
.body { flex: 1; overflow-y: auto; padding: 0 16px; }
ul { display: grid; grid-template-columns: repeat(auto-fill, minmax(136px, 1fr)); gap: 12px; padding-block-end: 16px; }
ul:not(:has(> :nth-child(7))) { grid-template-columns: repeat(auto-fill, minmax(min(200px, 45%), 1fr)); }
.body .thumb { aspect-ratio: 4 / 3; }
.show[aria-current] .thumb { outline: 3px solid var(--primary-color); outline-offset: -3px; }
.place { display: flex; flex-wrap: wrap; align-items: center; gap: 4px 12px; padding-block-end: 12px; }
.place .thumb { width: 72px; margin: 0; }
.place .words { flex: 1 1 160px; padding: 0; align-content: center; }
.liked { color: var(--error-color, #db4437); }
[role=status] { position: sticky; inset-block-start: 0; z-index: 1; padding-block: 4px 8px; background: var(--paper); }
`;

const CHOOSER_TEMPLATE = `
<dialog aria-labelledby="title">
<div class="frame">
<header>
<h2 id="title" tabindex="-1"></h2>
<input type="search" autocomplete="off">
<button class="icon close"><ha-icon icon="mdi:close"></ha-icon></button>
</header>
<div class="chips folders" role="group"></div>
<div class="chips letters" hidden></div>
<div class="body">
<div class="place" hidden></div>
<p class="soft" role="status"></p><div class="actions" hidden></div><ul></ul>
</div>
</div>
</dialog>
`;

const FORM_STYLE = `
dialog { width: min(440px, 100vw - 32px); padding: 20px; overflow-y: auto; }
:is(form, label) { display: grid; grid-template-columns: minmax(0, 1fr); gap: 12px; }
@media (max-height: 700px) and (min-width: 700px) {
  dialog:has(.preview) { width: 720px; }
  form:has(.preview) { grid-template-columns: repeat(2, minmax(0, 1fr)); }
  .preview { grid-row: 2 / 6; align-self: center; }
  :is(h2, .actions) { grid-column: 1 / -1; }
}
label { gap: 4px; }
.actions { justify-content: flex-end; }
.preview { position: relative; aspect-ratio: 16 / 9; width: min(100%, 50vh); margin: 0 auto; overflow: hidden; border-radius: 4px; background: #000; box-sizing: border-box; display: grid; }
.preview.upright { aspect-ratio: 9 / 16; width: 16vh; }
.preview canvas { width: 100%; height: 100%; min-height: 0; object-fit: contain; }
.mat { display: flex; gap: 12px; }
.mat label { flex: 1; }
input:is([type=color], [type=range]) { width: 100%; padding: 8px; accent-color: var(--primary-color); }
.works { display: flex; gap: 8px; overflow: hidden; }
.works .thumb { flex: none; width: 64px; height: 44px; margin: 0; }
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

/** Open a form with a heading, fields, and buttons to cancel and to do it, or to close it where nothing is left to do. */
const openForm = (hass, title, done, fields, submit) => {
  const cancel = act(hass.localize(done ? "ui.common.cancel" : "ui.common.close"), () => dialog.close(), { type: "button" });
  const actions = make("p", { className: "actions" }, cancel, ...(done ? [make("button", { className: "main", textContent: done })] : []));
  const form = make("form", { method: "dialog" }, make("h2", { textContent: title }), ...fields, actions);
  const dialog = openDialog("dp1-form", FORM_STYLE, "<dialog></dialog>", form);
  dialog.ariaLabel = title;
  form.onsubmit = submit;
  return dialog;
};

const fieldOf = (label, input) => make("label", {}, make("span", { className: "small soft", textContent: label }), input);

const selectOf = (options) => make("select", {}, ...options.map(([value, textContent]) => make("option", { value, textContent })));

const titleField = (value) => make("input", { value, dir: "auto", maxLength: 200, autocomplete: "off" });

const timeField = (hass) => selectOf([["", text("no_end")], ...timesOf(hass)]);

const lasting = (minutes) => (minutes ? { show_for: { minutes: Number(minutes) } } : {});

/** Ask for a line of text, and show it. */
export const write = ({ hass, entityId }) => {
  const words = make("input", { dir: "auto", maxLength: 200, required: true });
  const time = timeField(hass);
  time.value = "5";
  openForm(hass, text("write"), text("show"), [fieldOf(text("message"), words), fieldOf(text("show_for"), time)], () =>
    perform(hass, entityId, words.value, [DOMAIN, "show_message", { title: words.value, ...lasting(time.value) }]),
  );
};

// Own pictures

/** Ask how own pictures are shown, with a preview, and show them. */
export const upload = (card) => {
  const input = card.find(".file");
  const files = [...input.files];
  input.value = "";
  if (!files.length) return;
  const { hass } = card;
  const name = fileTitle(files[0]) || text("own_picture");
  const title = titleField(name);
  const fit = selectOf(Object.keys(FITS).map((key) => [key, text(`fit.${key}`)]));
  const color = make("input", { type: "color", value: MAT.color });
  const width = make("input", { type: "range", min: 1, max: MAT.max, value: MAT.width });
  const mat = make("div", { className: "mat" }, fieldOf(text("mat_color"), color), fieldOf(text("mat_width"), width));
  const time = timeField(hass);
  const image = make("canvas");
  // An address of its own for the file is what a strict policy forbids.
  createImageBitmap(files[0]).then((bitmap) => {
    Object.assign(image, { width: bitmap.width, height: bitmap.height });
    image.getContext("2d").drawImage(bitmap, 0, 0);
  }, () => preview.remove());
  const preview = make("div", { className: "preview" }, image);
  const orientation = card.relative?.("orientation");
  preview.classList.toggle("upright", PORTRAIT.test(hass.states[orientation]?.state ?? ""));
  const look = () => {
    const hasMat = fit.value === "border";
    mat.hidden = !hasMat;
    image.style.objectFit = fit.value === "filled" ? "cover" : "contain";
    preview.style.padding = hasMat ? `${width.value}%` : "0";
    preview.style.background = hasMat ? color.value : "#000";
  };
  fit.onchange = color.oninput = width.oninput = look;
  const fields = [preview, fieldOf(text("picture_title"), title), fieldOf(text("picture_fit"), fit), mat, fieldOf(text("show_for"), time)];
  openForm(hass, text("hang_picture"), text("show"), fields, () => {
    const border = fit.value === "border" ? { margin: `${width.value}%`, background: color.value } : {};
    showFiles(card, files, title.value.trim() || name, { scaling: FITS[fit.value], ...border }, time.value);
  });
  look();
  title.select();
};

/** Return the name of a file as a title, unless a camera gave it. */
const fileTitle = ({ name }) => (CAMERA_NAME.test(name) ? "" : name.replace(/\.\w+$/, "").replace(/[_\s]+/g, " ").trim());

/** Show pictures, which Home Assistant keeps. */
const showFiles = async (card, files, title, look, minutes) => {
  const { hass, entityId } = card;
  const button = card.find("[data-do=own]");
  button.ariaBusy = true;
  const media = [];
  for (const file of files) {
    const body = new FormData();
    body.append("file", file);
    const answer = await hass.fetchWithAuth("/api/image/upload", { method: "POST", body }).catch(() => null);
    if (answer?.ok) {
      const { id } = await answer.json();
      media.push({ media_content_id: `media-source://image_upload/${id}`, title: (files.length > 1 && fileTitle(file)) || title });
    } else toast(text(answer?.status === 413 ? "too_large" : "no_picture", { name: file.name }));
  }
  button.ariaBusy = null;
  if (media.length) await perform(hass, entityId, title, [DOMAIN, "cast_playlist", { media, title, ...look, ...lasting(minutes) }], { button, done: minutes ? "" : "back_to" });
};

// Publishing

/**
 * Ask what becomes public, with its pictures, where and under which title, and publish it.
 *
 * @param {Hass} hass
 * @param {{entry: string, name: string}[]} feeds
 */
export const publish = async (hass, feeds) => {
  await loadTexts(hass);
  const showing = displays(hass).filter((id) => hass.states[id].state === "playing");
  if (!showing.length) return toast(text("nothing_to_publish"));
  const display = selectOf(showing.map((id) => [id, nameOf(hass, id)]));
  const feed = selectOf(feeds.map(({ entry, name }) => [entry, name]));
  const title = titleField("");
  const works = make("div", { className: "works" });
  const question = make("p", { className: "soft" });
  const look = async () => {
    const { media_playlist: playlist, media_title: work, entity_picture: picture, dp1 } = stateOf(hass, display.value).attributes;
    title.value = playlist || work || "";
    question.textContent = text("publishing", { name: nameOf(hass, display.value), works: dp1?.works ?? 1, feed: feed.selectedOptions[0]?.textContent });
    const coming = await browse(hass, display.value, UP_NEXT).catch(() => []);
    const shown = [picture, ...coming.map((medium) => medium.thumbnail)].slice(0, MAX_SHOWN);
    works.replaceChildren(...shown.map((path) => make("div", { className: "thumb" }, icon("mdi:image-frame"), ...pictures(hass, path))));
  };
  display.onchange = feed.onchange = look;
  const fields = [works, fieldOf(text("picture_title"), title)];
  if (showing.length > 1) fields.unshift(fieldOf(text("publish"), display));
  if (feeds.length > 1) fields.push(fieldOf(text("feed"), feed));
  openForm(hass, text("publish"), text("publish_now"), [...fields, question], () => {
    publishAs(hass, title.value.trim(), { config_entry_id: feed.value, entity_id: display.value });
  });
  await look();
};

/** Publish something under a title and give its address to share; works that only this home can load are left out once that is confirmed. */
const publishAs = async (hass, title, data) => {
  try {
    const { response } = await hass.callService(DOMAIN, "publish_playlist", { ...data, ...(title && { title }) }, undefined, false, true);
    const address = make("input", { value: response.url, readOnly: true });
    openForm(hass, text("published", { title }), "", [fieldOf(text("share"), address)], undefined);
    address.select();
  } catch (error) {
    const { translation_key: key, translation_placeholders: counts } = error;
    if (key !== "works_at_home" || counts.count === counts.works) return toast(error.message);
    const question = make("p", { className: "soft", textContent: text("only_at_home", counts) });
    openForm(hass, text("leave_out"), text("leave_out_now"), [question], () => publishAs(hass, title, { ...data, only_public: true }));
  }
};

// Playlists of one's own

/**
 * Return the playlists that the user may change, and the feeds that take new ones.
 *
 * @param {Hass} hass
 * @returns {Promise<{feeds: {entry: string, name: string}[], playlists: Own[]}>}
 */
const ownPlaylists = (hass) => ask(hass, { type: `${DOMAIN}/playlists` });

/**
 * Change a playlist, and offer to undo that: what it was before is published again.
 *
 * @param {Hass} hass
 * @param {Own} playlist
 */
const change = async (hass, { entry, id }, action, data, done, after = async () => {}, tell = toast) => {
  const of = { config_entry_id: entry, playlist_id: id };
  const { response } = await hass.callService(DOMAIN, "get_playlist", of, undefined, true, true);
  const before = { ...response.playlist };
  await hass.callService(DOMAIN, action, { ...of, ...data });
  // It is signed anew, and an id that was deleted is not used again.
  for (const key of ["signature", "signatures", ...(action === "delete_playlist" ? ["id", "slug"] : [])]) delete before[key];
  const undo = () => hass.callService(DOMAIN, "publish_playlist", { config_entry_id: entry, playlist: before }).then(after, () => {});
  await after();
  tell(text(done, { title: before.title }), { text: text("undo"), action: undo });
};

/** Ask to which playlist something is added, or under which title it begins a new one. */
export const addToPlaylist = async (hass, medium) => {
  const { feeds, playlists } = await ownPlaylists(hass);
  if (!feeds.length) return toast(text("empty_folder.playlists"));
  const choice = selectOf([...playlists.map(({ title }, index) => [String(index), title]), ...feeds.map(({ name }, index) => [`new ${index}`, text("new_playlist", { name })])]);
  const title = titleField(titleOf(medium));
  const field = fieldOf(text("picture_title"), title);
  const isNew = () => choice.value.startsWith("new ");
  const look = () => (field.hidden = !isNew());
  choice.onchange = look;
  const fields = [fieldOf(text("kind.playlist"), choice), field, make("p", { className: "soft", textContent: text("playlists_are_public") })];
  openForm(hass, text("to_playlist"), hass.localize("ui.common.add"), fields, () => {
    const { media_content_id: id } = medium;
    if (!isNew()) return change(hass, playlists[choice.value], "update_playlist", { add: [id] }, "changed").catch(() => {});
    const { entry } = feeds[Number(choice.value.slice(4))];
    publishAs(hass, title.value.trim() || titleOf(medium), { config_entry_id: entry, media: [id] });
  });
  look();
};

// The chooser

/**
 * Open the chooser, or one of its folders, or what is inside of one.
 *
 * @param {Opener} card
 */
export const choose = async (card, button, kind = "", inside = /** @type {Medium | undefined} */ (undefined)) => {
  await loadTexts(card.hass);
  return new Chooser(card, button).open(kind, inside);
};

/** Return what an artist is looked up by: the last name. */
const lastNameOf = (medium) => titleOf(medium).trim().split(/\s+/).at(-1) ?? "";

/** Return of what something is a part that was searched for, where a word is in neither its title nor the name of its artist. */
const whyFound = (query, title, { artist = "", series = "", of = "" } = /** @type {any} */ ({})) => {
  const isIn = (word, name) => name.toLowerCase().includes(word);
  const word = query.toLowerCase().split(/\s+/).find((it) => it && !isIn(it, `${title} ${artist}`));
  return word && [series, of].find((name) => name && name !== title && isIn(word, name));
};

/** The libraries as pictures to choose from, with a search. */
class Chooser {
  /** @type {Opener} */
  card;
  /** @type {Hass} */
  hass;
  /** @type {string} */
  entityId;
  /** @type {HTMLElement} */
  opener;
  /** @type {(selector: string) => any} */
  find;
  /** @type {HTMLDialogElement} */
  dialog;
  /** @type {HTMLInputElement} */
  input;
  /** @type {HTMLElement} */
  chips;

  /** @param {Opener} card */
  constructor(card, opener) {
    const { hass, entityId } = card;
    const dialog = openDialog("dp1-chooser", CHOOSER_STYLE, CHOOSER_TEMPLATE);
    const find = (selector) => dialog.querySelector(selector);
    const input = find("input");
    const chips = find(".folders");
    Object.assign(this, { card, hass, entityId, opener, find, dialog, input, chips });
    /** @type {Folder[]} */
    this.folders = [];
    /** @type {Medium[]} */
    this.path = [];
    /** @type {Own[]} */
    this.own = [];
    const noticed = (event) => event.detail === entityId && this.say(notices.get(entityId)?.message);
    window.addEventListener(NOTICE, noticed);
    dialog.onclose = () => {
      clearTimeout(this.timer);
      window.removeEventListener(NOTICE, noticed);
    };
    dialog.addEventListener("click", ({ target }) => target === dialog && dialog.close());
    dialog.addEventListener("keydown", (event) => {
      if (event.key !== "Escape" || event.defaultPrevented || !(input.value || this.path.length)) return;
      // One step back.
      event.preventDefault();
      if (input.value) this.look(this.path);
      else this.stepBack();
    });
    find(".close").onclick = () => dialog.close();
    input.oninput = () => {
      clearTimeout(this.timer);
      this.timer = setTimeout(() => this.load(), SEARCH_DELAY);
    };
    for (const row of [chips, find(".letters")]) row.addEventListener("keydown", (event) => rove(event, [...row.children]));
    chips.ariaLabel = text("folders");
    find("h2").textContent = text("choose");
    input.placeholder = input.ariaLabel = text("search");
    find(".close").ariaLabel = find(".close").title = hass.localize("ui.common.close");
    // On touch, a keyboard would cover the pictures.
    (matchMedia("(pointer: coarse)").matches ? find("h2") : input).focus();
  }

  async open(kind, inside) {
    const { hass, entityId, chips } = this;
    this.say(text("reading"));
    const folders = await readFolders(hass, entityId).catch(() => null);
    if (folders && !folders.length) return this.sayWithoutLibrary();
    const isOf = (name) => (folder) => folder.kind === name;
    const all = folders?.find(isOf("exhibitions")) ?? { kind: "exhibitions", title: text("exhibitions"), pages: [EXHIBITIONS] };
    this.folders = [all, ...(folders ?? []).filter((folder) => folder !== all)];
    if (kind && !this.folders.some(isOf(kind))) this.folders.push({ kind, title: textAt(`config_panel.browser.${kind}`), pages: [] });
    const of = this.folders.find(({ pages }) => pages.includes(inside?.media_content_id ?? ""));
    this.folder = of ?? ((kind && this.folders.find(isOf(kind))) || all);
    this.path = inside && !of ? [inside] : [];
    if (hass.user?.is_admin) this.readOwn();
    const medium = surprise();
    const dice = make("button", { className: "dice", tabIndex: -1, onclick: () => this.show(medium) }, icon(medium.icon), medium.title);
    chips.replaceChildren(...this.folders.map((folder, index) => this.chip(folder, index)), dice);
    await this.load();
  }

  async readOwn() {
    const { playlists } = await ownPlaylists(this.hass).catch(() => ({ playlists: [] }));
    this.own = playlists;
    if (this.ownOf(this.path.at(-1))) this.load();
  }

  /** @param {Folder} folder */
  chip(folder, index) {
    const chip = make("button", { textContent: folder.title, tabIndex: index ? -1 : 0 });
    chip.onclick = () => {
      this.folder = folder;
      this.look([]);
    };
    return chip;
  }

  leave(act) {
    this.dialog.close();
    act();
  }

  /**
   * Look into a folder, by the way to it.
   *
   * @param {Medium[]} path
   */
  look(path) {
    this.path = path;
    this.input.value = "";
    return this.load();
  }

  stepBack() {
    return this.look(this.path.slice(0, -1));
  }

  async load() {
    clearTimeout(this.timer);
    const { hass, path, folder, folders, input } = this;
    const query = input.value.trim();
    const inside = path.at(-1);
    const asked = (this.asked = {});
    [...this.chips.children].forEach((chip, index) => (chip.ariaPressed = String(!query && folders[index] === folder)));
    const place = query ? undefined : (inside ?? folder?.medium);
    this.renderPlace(place);
    this.say(text("reading"));
    let problem = "";
    const media = await this.read(query, inside).catch((error) => {
      problem = error?.message || text("not_read");
      return [];
    });
    if (this.asked !== asked) return;
    const key = query ? "nothing_found" : inside ? "empty" : emptyKey(currentHass() ?? hass, folder?.kind);
    const empty = text(key) || text("empty");
    const hidden = inside ? media.filter(({ dp1 }) => dp1?.hidden).length : 0;
    this.say(media.length ? hidden && text("left_out", { hidden, works: media.length }) : problem || empty);
    if (!media.length && key === "still_reading") this.timer = setTimeout(() => this.load(), READ_AGAIN);
    const isOfArtists = !query && !inside && folder?.kind === "artists";
    // What is said of each is said of none.
    const isMixed = new Set(media.filter(({ can_play: canPlay }) => canPlay !== false).map(({ dp1 }) => dp1?.kind)).size > 1;
    this.works = media;
    const about = this.find(".place .soft");
    if (media.length && !media.some((it) => it.can_expand)) about?.append(`${about.textContent && " · "}${text("count", { works: media.length })}`);
    // A folder without a picture has that of its first work.
    if (!place?.thumbnail) this.find(".place .thumb")?.append(...pictures(hass, media[0]?.thumbnail));
    const items = media.map((medium, index) => this.item(medium, isMixed ? medium : { ...medium, dp1: { ...medium.dp1, kind: "" } }, query, index));
    this.find("ul").replaceChildren(...items);
    this.renderLetters(isOfArtists ? media.filter(({ dp1 }) => dp1?.kind !== "more").map(lastNameOf) : [], items);
    this.find(".body").scrollTop = 0;
    // What had the focus is gone, perhaps: without one, Escape would close the dialog.
    const root = /** @type {ShadowRoot} */ (this.dialog.getRootNode());
    if (!root.activeElement) this.find(inside && !query ? ".back" : "h2").focus();
  }

  /** @returns {Promise<Medium[]>} */
  async read(query, inside) {
    const { hass, entityId, folder } = this;
    if (!query) return inside ? browse(hass, entityId, inside.media_content_id) : readAll(hass, entityId, folder?.pages ?? [EXHIBITIONS]);
    return (await ask(hass, { type: "media_player/search_media", entity_id: entityId, search_query: query }))?.result ?? [];
  }

  /** Write what one is in, with what can be done with all of it. */
  renderPlace(medium) {
    const { hass } = this;
    const place = this.find(".place");
    const isInside = this.path.length > 0;
    place.hidden = !medium || (!isInside && !medium.can_play);
    place.replaceChildren();
    if (place.hidden) return;
    const button = (name, title, act, className = "icon") => make("button", { className, title, ariaLabel: title, onclick: act }, icon(name));
    const title = titleOf(medium);
    const { kind, artist, year, favorite } = medium.dp1 ?? {};
    const about = [kind && text(`kind.${kind}`), artist, year].filter(Boolean).join(" · ");
    const words = make("div", { className: "words" }, make("h3", { dir: "auto", textContent: title }), line(about, "clamp soft"));
    const parts = [
      ...(isInside ? [button("mdi:arrow-left", hass.localize("ui.common.back"), () => this.stepBack(), "icon back")] : []),
      make("div", { className: "thumb" }, icon("mdi:image-frame"), ...pictures(hass, medium.thumbnail)),
      words,
    ];
    if (typeof favorite === "boolean") {
      const heart = button(favorite ? "mdi:heart" : "mdi:heart-outline", text("favorite"), async () => {
        await like(hass, medium, heart);
        this.renderPlace(medium);
        this.find(".heart").focus();
      }, `icon heart${favorite ? " liked" : ""}`);
      heart.ariaPressed = favorite;
      parts.push(heart);
    }
    const own = this.ownOf(medium);
    if (own) {
      parts.push(button("mdi:pencil-outline", hass.localize("ui.common.rename"), () => this.rename(own)));
      parts.push(button("mdi:delete-outline", hass.localize("ui.common.delete"), () => this.change(own, "delete_playlist", {}, "deleted", () => this.stepBack())));
    }
    if (medium.can_play !== false) parts.push(make("button", { className: "main", textContent: text("show_all"), onclick: () => this.show(medium) }));
    place.append(...parts);
  }

  /**
   * Return what can be changed of a medium, if it is a playlist of one's own.
   *
   * @param {Medium | undefined} medium
   */
  ownOf(medium) {
    return this.own.find(({ media_content_id: id }) => id === medium?.media_content_id);
  }

  /** @param {Own} own */
  rename(own) {
    const { hass } = this;
    const title = titleField(own.title);
    openForm(hass, hass.localize("ui.common.rename"), hass.localize("ui.common.save"), [fieldOf(text("picture_title"), title)], () => {
      const name = title.value.trim();
      const again = () => this.open(this.folder.kind, undefined);
      if (name) this.change(own, "update_playlist", { title: name }, "changed", again);
    });
  }

  /** Change a playlist, which is told where the pictures are: a toast would lie under the dialog. */
  change(own, action, data, done, after) {
    return change(this.hass, own, action, data, done, after, (message, undo) => this.say(message, undo)).catch(() => {});
  }

  /** Return what can be done with a work of a playlist of one's own, by its place. */
  actsOf(index) {
    const own = this.ownOf(this.path.at(-1));
    if (!own || this.input.value) return null;
    const ids = this.works.map((it) => decodeURIComponent((it.media_content_id ?? "").split("/").at(-1) ?? ""));
    const put = (data, at) => {
      const again = async () => {
        await this.load();
        this.find("ul").children[at]?.firstChild.focus();
      };
      return this.change(own, "update_playlist", data, "changed", again);
    };
    const order = [...ids];
    order.splice(index - 1, 2, ids[index], ids[index - 1]);
    return { move_up: index > 0 && (() => put({ order }, index - 1)), take_out: () => put({ remove: [ids[index]] }, index) };
  }

  /** Write the letters with which last names begin; each jumps to its first. */
  renderLetters(names, items) {
    const firsts = new Map();
    names.forEach((name, index) => {
      const letter = [...name.toLocaleUpperCase(this.hass.language)][0];
      if (letter && !firsts.has(letter)) firsts.set(letter, items[index]);
    });
    const letters = this.find(".letters");
    letters.hidden = firsts.size < 2;
    letters.replaceChildren(
      ...[...firsts].map(([letter, item], index) =>
        make("button", { textContent: letter, tabIndex: index ? -1 : 0, onclick: () => item.scrollIntoView({ block: "start" }) }),
      ),
    );
  }

  /** Show a medium on the display. */
  show(medium) {
    const { hass, entityId, opener } = this;
    this.leave(() => hang(hass, entityId, medium, undefined, opener));
  }

  /**
   * @param {Medium} medium
   * @param {Medium} shown with what is said of it
   */
  item(medium, shown, query, index) {
    const { hass, entityId } = this;
    const look = (folder) => this.look([...this.path, folder]);
    const isFolder = medium.can_play === false;
    const tapped = () => (isFolder ? look(medium) : this.show(medium));
    // Which playlists are one's own is known later.
    const menu = (button) => openPictureMenu(hass, entityId, medium, button, look, this.actsOf(index) ?? {});
    const item = pictureItem(hass, { ...shown, why: whyFound(query, titleOf(medium), medium.dp1) }, tapped, isFolder ? null : menu);
    const { state, attributes } = stateOf(hass, entityId);
    const { media_playlist, media_title, dp1 } = attributes;
    if (state === "playing" && [media_playlist, media_title, dp1?.exhibition].includes(titleOf(medium))) {
      item.firstChild.ariaCurrent = true;
      item.querySelector(".thumb").append(make("span", { className: "badge here", textContent: text("hangs") }));
    }
    return item;
  }

  /** Say that there is no library, and what can be done. */
  sayWithoutLibrary() {
    const { hass, card } = this;
    const action = (label, act) => make("button", { className: "main", textContent: label, onclick: () => this.leave(act) });
    const add = action(hass.localize("ui.common.add"), addLibrary);
    const own = card.find && action(text("hang_picture"), () => card.find?.(".file").click());
    this.find(".actions").replaceChildren(...[hass.user?.is_admin !== false && add, own].filter(Boolean));
    this.say(text("no_library"));
    this.find(".actions").hidden = false;
    this.input.hidden = this.chips.hidden = true;
  }

  say(message, help = /** @type {{text: string, action: () => void} | undefined} */ (undefined)) {
    const status = this.find("[role=status]");
    status.replaceChildren(message || "", ...(help ? [" ", act(help.text, help.action)] : []));
    status.hidden = !message;
  }
}

/** Return the form of a card, with what a tap does on one that has a picture. */
export const configForm = async (hasTaps = false) => {
  const action = (name, normal) => ({ name, selector: { ui_action: { default_action: normal } } });
  const entity = { name: "entity", required: true, selector: { entity: { filter: { integration: DOMAIN, domain: PLAYER } } } };
  const taps = [{ name: "name", selector: { text: {} } }, action("tap_action", "more-info"), action("hold_action", "none")];
  return { schema: [entity, ...(hasTaps ? taps : [])], computeLabel: ({ name }, localize) => localize(`ui.panel.lovelace.editor.card.generic.${name}`) };
};
