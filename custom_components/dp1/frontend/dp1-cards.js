// @ts-check
/** The dashboard cards of the DP-1 Art Displays integration: what they are called, and how what opens over them is loaded. */

import { CARD, DOMAIN, HIGHLIGHTS, fire, isDisplay, modules, pageText } from "./dp1-shared.js";
import { WallLabelCard } from "./dp1-label.js";

const FEATURE = "dp1-exhibitions";
const GALLERY = "dp1-gallery";
const DOCUMENTATION = "https://github.com/dp1-art-displays/home-assistant/blob/main/docs/dashboards.md";

/** Return how a module is loaded; once it is, it is there before the next key is pressed. */
const once = (load) => {
  let loaded;
  return async () => (loaded ??= await load());
};

Object.assign(modules, {
  menus: once(() => import("./dp1-menus.js")),
  chooser: once(() => import("./dp1-chooser.js")),
  gallery: once(() => import("./dp1-gallery.js")),
});

/** Return the class of an element that another module fills, which is loaded with the first one. */
const lazy = (name) =>
  class extends HTMLElement {
    /** @type {((properties: object) => void) | undefined} */
    _update;

    setConfig(config) {
      this._take({ config });
    }

    set hass(hass) {
      this._take({ hass });
    }

    set context(context) {
      this._take({ context });
    }

    async _take(properties) {
      this._properties = { ...this._properties, ...properties };
      const { [name]: fill } = await modules.gallery();
      this._update ??= fill(this);
      this._update(this._properties);
    }
  };

class HighlightsCard extends lazy("highlights") {
  static getStubConfig = WallLabelCard.getStubConfig;

  static async getConfigForm() {
    return (await modules.chooser()).configForm();
  }
}

class ExhibitionsFeature extends lazy("exhibitions") {
  static getStubConfig() {
    return { type: `custom:${FEATURE}` };
  }
}

/** A dashboard that makes itself. */
class GalleryStrategy extends HTMLElement {
  static registryDependencies = ["entities", "devices", "areas"];
  static noEditor = true;

  static getCreateSuggestions() {
    return { title: pageText("gallery", "Art gallery"), icon: "mdi:image-frame" };
  }

  static async generate(_config, hass) {
    return (await modules.gallery()).generate(hass);
  }
}

/** The entry of the sidebar: the cards are loaded with it, and then the dashboard is there. */
class GalleryPanel extends HTMLElement {
  connectedCallback() {
    history.replaceState(null, "", "/dp1-art-gallery");
    fire(window, "location-changed", { replace: true });
  }
}

// Home Assistant puts a registry of its own in the place of the browser's while it starts: what is defined before that
// is unknown to it. "hc-main" is its page on Chromecast.
await Promise.race(["home-assistant", "hc-main"].map((tag) => customElements.whenDefined(tag)));

// The same file may be loaded by two addresses.
if (!customElements.get(CARD)) {
  customElements.define(CARD, WallLabelCard);
  customElements.define(HIGHLIGHTS, HighlightsCard);
  customElements.define(FEATURE, ExhibitionsFeature);
  customElements.define(`${GALLERY}-panel`, GalleryPanel);
  customElements.define(`ll-strategy-dashboard-${GALLERY}`, GalleryStrategy);
  // A tile of the gallery that asks what is published.
  window.addEventListener("ll-custom", async (/** @type {any} */ { detail }) => {
    const home = /** @type {any} */ (document.querySelector("home-assistant"));
    if (detail?.[DOMAIN]?.publish) (await modules.chooser()).publish(home.hass, detail[DOMAIN].publish);
  });
  const announce = (list, type, name, description, more) =>
    (/** @type {any} */ (window)[list] ??= []).push({
      type,
      preview: true,
      documentationURL: DOCUMENTATION,
      get name() {
        return pageText(...name);
      },
      get description() {
        return pageText(...description);
      },
      ...more,
    });
  announce("customCards", CARD, ["name", "Wall label"], ["description", "The work on an art display, with its label."], {
    getEntitySuggestion: (hass, entityId) =>
      isDisplay(hass, entityId) ? { config: { type: `custom:${CARD}`, entity: entityId } } : null,
  });
  announce("customCards", HIGHLIGHTS, ["highlights", "Today, new and favorite"], ["highlights_description", "Art to show with a tap."], {});
  announce("customCardFeatures", FEATURE, ["exhibitions", "Exhibitions"], [], {
    isSupported: (hass, context) => isDisplay(hass, context?.entity_id ?? ""),
  });
  announce("customStrategies", GALLERY, ["gallery", "Art gallery"], ["gallery_description", "All art displays and the library."], {
    strategyType: "dashboard",
  });
}
