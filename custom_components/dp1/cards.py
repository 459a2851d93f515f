"""The dashboard cards and the art gallery: served, and announced to the frontend where there is one."""

from hashlib import sha256
from pathlib import Path
from typing import Any, Final, override

from homeassistant.components import frontend
from homeassistant.components.http import StaticPathConfig
from homeassistant.components.lovelace.const import LOVELACE_DATA, MODE_YAML
from homeassistant.components.lovelace.dashboard import LovelaceConfig
from homeassistant.core import HomeAssistant, callback
from homeassistant.helpers.json import json_bytes, json_fragment
from homeassistant.util.hass_dict import HassKey

from .const import CONF_DASHBOARD, DOMAIN, GALLERY
from .language import async_text

FOLDER: Final = Path(__file__).parent / "frontend"
CARDS_FILE: Final = "dp1-cards.js"
CARDS_URL: Final[HassKey[str]] = HassKey(f"{DOMAIN}_cards_url")
# The dashboard to which the entry of the sidebar leads.
GALLERY_DASHBOARD: Final = f"{DOMAIN}-art-gallery"
ICON: Final = "mdi:image-frame"


async def async_setup_cards(hass: HomeAssistant) -> None:
    """Serve the cards."""
    # The other modules are beside the one that is announced. Chromecast loads an address without a version.
    path = f"/{DOMAIN}/{await hass.async_add_executor_job(_version)}"
    await hass.http.async_register_static_paths(
        [
            StaticPathConfig(path, str(FOLDER), cache_headers=True),
            StaticPathConfig(f"/{DOMAIN}", str(FOLDER), cache_headers=False),
        ]
    )
    hass.data[CARDS_URL] = f"{path}/{CARDS_FILE}"


@callback
def async_add_cards(hass: HomeAssistant) -> None:
    """Let the frontend load the cards."""
    if frontend.DOMAIN in hass.config.components:
        frontend.add_extra_js_url(hass, hass.data[CARDS_URL])


class Gallery(LovelaceConfig):
    """The dashboard of the art gallery, which makes itself."""

    @property
    @override
    def mode(self) -> str:
        """Return that nobody edits it."""
        return MODE_YAML

    @override
    async def async_get_info(self) -> dict[str, Any]:
        """Return the mode."""
        return {"mode": self.mode}

    @override
    async def async_load(self, force: bool) -> dict[str, Any]:
        """Return the strategy."""
        return {"strategy": {"type": f"custom:{DOMAIN}-gallery"}}

    @override
    async def async_json(self, force: bool) -> json_fragment:
        """Return the strategy as JSON."""
        return json_fragment(json_bytes(await self.async_load(force)))


@callback
def async_update_gallery(hass: HomeAssistant) -> None:
    """Put the art gallery in the sidebar as long as a display wants it there."""
    entries = hass.config_entries.async_entries(DOMAIN, include_disabled=False)
    is_enabled = any(entry.options.get(CONF_DASHBOARD) for entry in entries)
    is_there = frontend.async_panel_exists(hass, GALLERY)
    if LOVELACE_DATA not in hass.data or is_enabled is is_there:
        return
    dashboards = hass.data[LOVELACE_DATA].dashboards
    if not is_enabled:
        del dashboards[GALLERY_DASHBOARD]
        for path in (GALLERY, GALLERY_DASHBOARD):
            frontend.async_remove_panel(hass, path)
        return
    title = async_text(hass, "config_panel.card.gallery")
    dashboards[GALLERY_DASHBOARD] = Gallery(hass, GALLERY_DASHBOARD, {"title": title})
    frontend.async_register_built_in_panel(
        hass,
        "lovelace",
        title,
        ICON,
        frontend_url_path=GALLERY_DASHBOARD,
        config={"mode": MODE_YAML},
        show_in_sidebar=False,
    )
    panel = {"name": f"{DOMAIN}-gallery-panel", "module_url": hass.data[CARDS_URL]}
    frontend.async_register_built_in_panel(
        hass,
        "custom",
        title,
        ICON,
        frontend_url_path=GALLERY,
        config={"_panel_custom": panel},
    )


def _version() -> str:
    """Return a hash of the modules: browsers keep them for a month."""
    modules = (path.read_bytes() for path in sorted(FOLDER.glob("*.js")))
    return sha256(b"".join(modules)).hexdigest()[:12]
