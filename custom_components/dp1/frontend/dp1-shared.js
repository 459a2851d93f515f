// @ts-check
/**
 * What the cards share: texts, elements, requests, and what goes on at each display.
 *
 * Plain modules: no build, no library, no request to another host. What comes from displays and libraries is written
 * by strangers: it becomes text content, and an address becomes a link only if it is http(s).
 *
 * @typedef {{[name: string]: any}} Attributes
 * @typedef {{state: string, attributes: Attributes, last_changed?: string}} State What Home Assistant knows of an entity
 * @typedef {{entity_id: string, platform: string, device_id?: string, area_id?: string, hidden?: boolean, translation_key?: string}} Entity
 * @typedef {object} Hass What Home Assistant gives to a card, as far as we ask for it
 * @property {string} language
 * @property {Record<string, State>} states
 * @property {Record<string, Entity>} entities
 * @property {Record<string, any>} devices
 * @property {Record<string, {name: string}>} areas
 * @property {{is_admin?: boolean}} [user]
 * @property {(key: string, values?: object) => string} localize
 * @property {(state: State) => string} formatEntityState
 * @property {(state: State, name: string) => string} formatEntityAttributeName
 * @property {(path: string) => string} hassUrl
 * @property {(category: string, domain: string) => Promise<Localize>} loadBackendTranslation
 * @property {(domain: string, action: string, data: object, target?: object, notify?: boolean, answers?: boolean) => Promise<any>} callService
 * @property {(message: object) => Promise<any>} callWS
 * @property {(method: string, path: string, data?: object) => Promise<any>} callApi
 * @property {(path: string, init: object) => Promise<Response>} fetchWithAuth
 * @typedef {(key: string, values?: object) => string} Localize
 * @typedef {object} Config Of a card
 * @property {string} entity
 * @property {string} [name]
 * @property {{action: string}} [hold_action]
 * @property {{entity: string, name: string}[]} [displays] Of which one is chosen
 * @property {boolean} [strip] It is one of these
 * @property {{rows?: number}} [grid_options]
 * @typedef {object} Details What the backend tells of a node for cards
 * @property {string} [kind]
 * @property {string} [title]
 * @property {string} [artist]
 * @property {number | string} [year]
 * @property {string} [series]
 * @property {string} [of] what it is a part, or by whom it was chosen
 * @property {boolean | null} [favorite]
 * @property {string | null} [lives]
 * @property {boolean | null} [hidden] of a work: whether it is never shown in a list
 * @typedef {object} Medium A node of a library as a browse item
 * @property {string} title
 * @property {string} [media_content_id]
 * @property {string} [media_content_type]
 * @property {string} [thumbnail]
 * @property {string} [icon] where it has no picture
 * @property {boolean} [can_play]
 * @property {boolean} [can_expand]
 * @property {Details} [dp1]
 * @property {string} [why] it was found: of what it is a part, where neither its title nor its artist has a word
 * @typedef {{label: string, act: (event?: any) => any}} Help
 * @typedef {{message: string, helps?: Help[], isBusy?: boolean, before?: string}} Notice "before" is the playlist that can come back
 * @typedef {[domain: string, action: string, data?: object]} Action
 */

export const CARD = "dp1-wall-label-card";
export const HIGHLIGHTS = "dp1-highlights-card";
export const DOMAIN = "dp1";
export const PLAYER = "media_player";
// Pages of a display that Home Assistant's media browser has for cards; see browse/.
export const UP_NEXT = "dp1://next";
export const EXHIBITIONS = "dp1://exhibitions";
const FOLDERS = "dp1://folders";
export const NOTICE = "dp1-notice";
export const FEATURES = {
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
// Whoever waits longer is told for what.
const PATIENCE = 8000;
const NOTICE_LASTS = 60000;
// What the connection of the frontend rejects with while it comes back, and how often and after how long it is tried again.
const CONNECTION_LOST = 3;
const RECONNECT_DELAY = 2000;
const MAX_TRIES = 10;

/**
 * How the modules that open over others are loaded, as the first of all says.
 *
 * @type {Record<"menus" | "chooser" | "gallery", () => Promise<any>>}
 */
export const modules = { menus: async () => {}, chooser: async () => {}, gallery: async () => {} };

export const BASE_STYLE = `
:host { --paper: var(--card-background-color, #fff); --fill: var(--secondary-background-color); }
[hidden] { display: none !important; }
p { margin: 0; }
button, input, select, summary { font: inherit; color: inherit; }
button { background: none; border: 0; border-radius: 8px; padding: 0; cursor: pointer; -webkit-tap-highlight-color: transparent; }
button:disabled { opacity: .5; cursor: default; }
:is(button, a, summary, input):focus-visible { outline: 2px solid var(--primary-color); outline-offset: -2px; }
a { color: inherit; }
.act { position: relative; min-height: 44px; padding: 0 8px; text-decoration: underline; text-underline-offset: 2px; }
ul { list-style: none; margin: 0; padding: 0; }
li { position: relative; min-width: 0; }
.show { width: 100%; text-align: start; position: relative; }
.icon, .thumb, .corner, .picture { display: grid; place-items: center; }
.icon { flex: none; width: max(44px, 2.75em); aspect-ratio: 1; position: relative; }
.corner { position: absolute; inset-block-end: 0; inset-inline-end: -8px; width: 44px; height: 44px; --mdc-icon-size: 20px; }
li:not(:hover, :focus-within) .corner[aria-expanded="false"] { opacity: 0; }
@media (hover: hover) { .words { padding-inline-end: 36px; } }
@media (hover: none) { .corner:not(:focus-visible) { pointer-events: none; } }
.words { display: block; min-height: 44px; font-size: var(--ha-font-size-s, 12px); line-height: 1.3; }
.badge { position: absolute; inset-inline-start: 6px; padding: 2px 8px; border-radius: 10px; background: var(--paper); color: var(--primary-text-color); font-size: 11px; }
.kind { inset-block-start: 6px; }
.here { inset-block-end: 6px; }
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
[data-hidden] .thumb > :not(.badge) { opacity: .3; filter: grayscale(1); }
.thumb { border-radius: 8px; overflow: hidden; position: relative; background: var(--fill); color: var(--secondary-text-color); margin-block-end: 4px; }
:is(.thumb, .picture) img { position: absolute; inset: 0; width: 100%; height: 100%; object-fit: cover; }
.one-line { display: block; white-space: nowrap; overflow: hidden; text-overflow: ellipsis; }
.one-line, .clamp { text-align: -webkit-match-parent; text-align: match-parent; overflow-wrap: anywhere; }
.clamp { display: -webkit-box; -webkit-box-orient: vertical; -webkit-line-clamp: 2; overflow: hidden; }
.soft { color: var(--secondary-text-color); }
.small { font-size: var(--ha-font-size-s, 12px); }
`;

// Texts

/** What loads the texts of the integration, by language and category. */
const texts = new Map();
/** The function that looks them up, by category: of the language before until the texts of another are there. */
const words = {};

/**
 * Load the texts of a language, which all cards of a page speak.
 *
 * @param {Hass} hass
 */
export const loadTexts = async (hass, category = "config_panel") => {
  const key = `${hass.language} ${category}`;
  if (!texts.has(key)) texts.set(key, hass.loadBackendTranslation(category, DOMAIN));
  try {
    words[category] = await texts.get(key);
  } catch {
    texts.delete(key);
  }
};

/**
 * Return a text of the integration, empty while it is not loaded.
 *
 * @param {string} path
 * @param {object} [values]
 * @returns {string}
 */
export const textAt = (path, values) => words[path.split(".")[0]]?.(`component.${DOMAIN}.${path}`, values) || "";

/**
 * Return a text of the card.
 *
 * @param {string} key
 * @param {object} [values]
 */
export const text = (key, values) => textAt(`config_panel.card.${key}`, values);

/** Return the key of what is said where a folder has nothing: a library may have been read, and have nothing. */
export const emptyKey = (hass, kind) => {
  if (kind !== "exhibitions") return `empty_folder.${kind}`;
  return Object.values(hass.states).some(({ attributes }) => attributes?.reading === true) ? "still_reading" : "empty";
};

/** @returns {Hass} */
export const currentHass = () => /** @type {any} */ (document.querySelector("home-assistant"))?.hass;

/** Return a text outside of a card, in English until the texts are loaded. */
export const pageText = (key, english) => {
  const hass = currentHass();
  if (hass) loadTexts(hass);
  return text(key) || english;
};

// Home Assistant

/** @param {Hass} hass */
export const isDisplay = (hass, entityId) => entityId.startsWith("media_player.") && hass.entities?.[entityId]?.platform === DOMAIN;

/** @param {State | undefined} state */
export const can = (state, feature) => Boolean(state?.attributes.supported_features & feature);

/** @param {Hass} hass */
export const stateOf = (hass, entityId) => (currentHass() ?? hass).states[entityId] ?? { state: "", attributes: {} };

/** @param {Hass} hass */
export const nameOf = (hass, entityId) => hass.states[entityId]?.attributes.friendly_name ?? entityId;

/**
 * Return the displays that are there, but for one.
 *
 * @param {Hass} hass
 * @returns {string[]}
 */
export const displays = (hass, but = "", feature = 0) =>
  Object.keys(hass.states).filter(
    (id) => id !== but && isDisplay(hass, id) && hass.states[id].state !== "unavailable" && (!feature || can(hass.states[id], feature)),
  );

export const fire = (element, type, detail) => element.dispatchEvent(new CustomEvent(type, { detail, bubbles: true, composed: true }));

/** Lead to the dialog that adds a library. */
export const addLibrary = () => {
  history.pushState(null, "", `/config/integrations/dashboard/add?domain=${DOMAIN}`);
  fire(window, "location-changed", { replace: false });
};

export const toast = (message, action) => fire(document.querySelector("home-assistant") ?? window, "hass-notification", { message, action });

// Elements

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

/**
 * @param {string} tag
 * @param {object} [properties]
 * @param {...any} children
 * @returns {any}
 */
export const make = (tag, properties = {}, ...children) => {
  const element = Object.assign(document.createElement(tag), properties);
  element.append(...children);
  return element;
};

/** Return a button that looks like a link. */
export const act = (textContent, onclick, more = {}) => make("button", { className: "act", textContent, onclick, ...more });

export const icon = (name) => make("ha-icon", { icon: name });

/** Return a line of text, which says all of itself to whom it is cut. */
export const line = (textContent, className) => make("span", { className, dir: "auto", title: textContent, textContent });

/**
 * Return the picture at a path, which may be missing.
 *
 * @param {Hass} hass
 */
export const pictures = (hass, path) => {
  if (!path) return [];
  const image = make("img", { loading: "lazy", alt: "", src: hass.hassUrl(path) });
  image.onerror = () => image.remove();
  return [image];
};

/** Act on a tap, a long press, the other button of a mouse and the menu key. */
export const onTaps = (element, { tap, hold }) => {
  // Home Assistant tells taps; without it, a click is one.
  const handler = () => /** @type {any} */ (document.querySelector("action-handler") ?? document.body.appendChild(make("action-handler")));
  const offer = () => handler().bind?.(element, { hasHold: true });
  element.addEventListener("pointerover", offer);
  element.addEventListener("focus", offer);
  // To it, a key is still the long press that the pointer made before, wherever that was.
  element.addEventListener("keydown", (event) => ["Enter", " "].includes(event.key) && event.stopImmediatePropagation());
  element.addEventListener("action", ({ detail: { action } }) => ({ tap, hold })[action]?.());
  element.oncontextmenu = (event) => {
    event.preventDefault();
    if (!element.actionHandler || event.pointerType !== "touch") hold();
  };
  element.onclick = (event) => {
    if (element.actionHandler && event.detail) return;
    event.stopImmediatePropagation();
    tap();
  };
};

export const isRightToLeft = (element) => getComputedStyle(element).direction === "rtl";

/** Let arrow keys move between elements of which one is in the order of the Tab key. */
export const rove = (event, elements) => {
  const steps = { ArrowDown: 1, ArrowRight: 1, ArrowUp: -1, ArrowLeft: -1, Home: -Infinity, End: Infinity };
  let step = steps[event.key];
  if (!step || !elements.length) return;
  if (/Left|Right/.test(event.key) && isRightToLeft(elements[0])) step = -step;
  const index = elements.indexOf(elements[0].getRootNode().activeElement);
  const wanted = elements[Math.min(Math.max(index + step, 0), elements.length - 1)];
  for (const element of elements) element.tabIndex = element === wanted ? 0 : -1;
  wanted.focus();
  event.preventDefault();
};

// Requests

/**
 * Return the answer to a question, which is asked again while the connection comes back.
 *
 * @param {Hass} hass
 * @param {object} message
 */
export const ask = async (hass, message, tries = MAX_TRIES) => {
  try {
    return await hass.callWS(message);
  } catch (error) {
    const isLost = [error, error?.code, error?.error?.code].includes(CONNECTION_LOST);
    if (!isLost || tries <= 1) throw error;
    await new Promise((done) => setTimeout(done, RECONNECT_DELAY));
    return ask(currentHass() ?? hass, message, tries - 1);
  }
};

/**
 * Return what is on a page of the media browser of a display.
 *
 * @param {Hass} hass
 * @returns {Promise<Medium[]>}
 */
export const browse = async (hass, entityId, page) => {
  const message = { type: "media_player/browse_media", entity_id: entityId, media_content_type: "directory", media_content_id: page };
  return (await ask(hass, message))?.children ?? [];
};

/**
 * Return the folders of the libraries, those of one kind as one.
 *
 * @param {Hass} hass
 * @returns {Promise<{kind: string, title: string, pages: string[], medium: Medium}[]>} "medium" is the only one, or stands for all
 */
export const readFolders = async (hass, entityId) => {
  const folders = new Map();
  for (const medium of await browse(hass, entityId, FOLDERS)) {
    const { title, media_content_id: page = "", dp1: { kind = "", title: own = "" } = {} } = medium;
    const name = textAt(`config_panel.browser.${kind}`);
    const key = name ? kind : page;
    const folder = folders.get(key) ?? { kind, title: name || own || title, pages: [] };
    folder.pages.push(page);
    folder.medium = { ...medium, can_play: medium.can_play && folder.pages.length === 1, dp1: { ...medium.dp1, title: folder.title } };
    folders.set(key, folder);
  }
  const all = folders.get("exhibitions");
  // Those of all libraries, the newest first.
  if (all) all.pages = [EXHIBITIONS];
  return [...folders.values()];
};

/**
 * Return what is in all pages of a folder.
 *
 * @param {Hass} hass
 * @returns {Promise<Medium[]>}
 */
export const readAll = async (hass, entityId, pages) => (await Promise.all(pages.map((page) => browse(hass, entityId, page)))).flat();

/**
 * Wait for something that a button shows.
 *
 * @template T
 * @param {HTMLElement | null | undefined} button
 * @param {Promise<T>} promise
 */
export const busy = (button, promise) => {
  if (!button) return promise;
  button.ariaBusy = "true";
  return promise.finally(() => (button.ariaBusy = null));
};

/**
 * Call an action for a display, which a button shows, and return why it failed, if it did.
 *
 * @param {Hass} hass
 * @param {string | string[]} entityId
 * @param {Action} action
 * @param {HTMLElement} [button]
 * @param {boolean} [isTold] whether Home Assistant itself shows why
 * @returns {Promise<any>}
 */
export const call = (hass, entityId, [domain, action, data], button, isTold = true) =>
  busy(button, hass.callService(domain, action, { entity_id: entityId, ...data }, undefined, isTold)).then(
    () => null,
    (error) => error ?? {},
  );

/**
 * What goes on at each display, for all of its cards: art that is on its way, what can be taken back, and what failed.
 *
 * @type {Map<string, Notice>}
 */
export const notices = new Map();

/**
 * Show a notice on the cards of a display, or as a toast where there is none.
 *
 * @param {string} entityId
 * @param {Notice} [notice]
 */
export const notify = (entityId, notice) => {
  if (notice) notices.set(entityId, notice);
  else notices.delete(entityId);
  const isUnseen = window.dispatchEvent(new CustomEvent(NOTICE, { detail: entityId, cancelable: true }));
  if (!isUnseen || !notice) return;
  const { message, helps: [help] = [] } = notice;
  toast(message || help?.label, help && { text: help.label, action: help.act });
};

/**
 * Take the notice of a display away after a while.
 *
 * @param {string} entityId
 */
export const passing = (entityId) => {
  const notice = notices.get(entityId);
  setTimeout(() => notices.get(entityId) === notice && notify(entityId), NOTICE_LASTS);
};

/**
 * Show something with an action, and tell of it on what was tapped and on every card of the display.
 *
 * Whoever waits long is told for what and can give up. What was there before can come back, as "done" names it.
 *
 * @param {Hass} hass
 * @param {string} entityId
 * @param {string} title
 * @param {Action} action
 * @param {{button?: HTMLElement, done?: string}} [options]
 */
export const perform = async (hass, entityId, title, action, { button, done } = {}) => {
  const { state, attributes: before } = stateOf(hass, entityId);
  const { media_content_id, media_playlist: playlist } = before;
  let own;
  let isCanceled = false;
  const put = (message, helps = [], isBusy = false, before) => notify(entityId, (own = { message, helps, isBusy, before }));
  const isOwn = () => notices.get(entityId) === own;
  const back = () => perform(hass, entityId, playlist, [PLAYER, "play_media", { media_content_id, media_content_type: "playlist" }]);
  const tell = (command) => hass.callWS({ type: `${DOMAIN}/${command}`, entity_id: entityId }).catch(() => "display");
  const cancel = () => {
    isCanceled = true;
    notify(entityId);
    tell("cancel");
  };
  const hanging = text("hanging", { title });
  put(hanging, [], true);
  const timer = setTimeout(async () => {
    const reason = text(`waits_for.${await tell("waits_for")}`);
    if (isOwn()) put(`${hanging} ${reason}`, [{ label: hass.localize("ui.common.cancel"), act: cancel }], true);
  }, PATIENCE);
  const problem = await call(hass, entityId, action, button, false);
  clearTimeout(timer);
  const canGoBack = !problem && state === "playing" && media_content_id;
  if (isCanceled && canGoBack && stateOf(hass, entityId).attributes.media_playlist !== playlist) await back();
  if (!isOwn()) return;
  notify(entityId);
  if (problem) {
    const again = { label: text("try_again"), act: () => perform(hass, entityId, title, action, { button, done }) };
    const message = problem.message || text("not_read");
    put(message, [again, { label: text("dismiss"), act: () => notify(entityId) }]);
    // Whoever tapped sees no card, perhaps.
    toast(`${title}: ${message}`, { text: again.label, action: again.act });
  } else if (done) {
    if (done !== "back_to") put(text(done, { title }), canGoBack ? [{ label: text("undo"), act: back }] : []);
    else if (canGoBack && playlist && playlist !== title) put("", [{ label: text("back_to", { title: playlist }), act: back }], false, playlist);
    passing(entityId);
  }
};

/**
 * Return the title of a medium; that of a work stands beside the one with artist and year.
 *
 * @param {Medium} medium
 */
export const titleOf = ({ dp1, title }) => dp1?.title || title || text("untitled");

/**
 * @param {Hass} hass
 * @param {Medium} medium
 * @param {object} [data]
 * @param {HTMLElement} [button]
 */
export const hang = (hass, entityId, medium, data, button) => {
  const { media_content_id, media_content_type } = medium;
  const { enqueue, extra } = /** @type {any} */ (data ?? {});
  const done = enqueue ? "added" : extra ? "" : "back_to";
  return perform(hass, entityId, titleOf(medium), [PLAYER, "play_media", { media_content_id, media_content_type, ...data }], { button, done });
};
