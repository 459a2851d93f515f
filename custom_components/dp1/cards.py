"""The dashboard cards: served, and announced to the frontend where there is one."""

from hashlib import sha256
from pathlib import Path
from typing import Final

from homeassistant.components.frontend import add_extra_js_url, remove_extra_js_url
from homeassistant.components.http import StaticPathConfig
from homeassistant.core import HomeAssistant, callback
from homeassistant.util.hass_dict import HassKey

from .const import DOMAIN

FOLDER: Final = Path(__file__).parent / "frontend"
CARDS_FILE: Final = "dp1-cards.js"
CARDS_URL: Final[HassKey[str]] = HassKey(f"{DOMAIN}_cards_url")


async def async_setup_cards(hass: HomeAssistant) -> None:
    """Serve the cards."""
    # The other modules are beside the one that is announced. Chromecast is given an address without a version.
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
    if "frontend" in hass.config.components:
        add_extra_js_url(hass, hass.data[CARDS_URL])


@callback
def async_remove_cards(hass: HomeAssistant) -> None:
    """Stop the frontend from loading the cards."""
    if "frontend" in hass.config.components:
        remove_extra_js_url(hass, hass.data[CARDS_URL])


def _version() -> str:
    """Return what changes with the modules: browsers keep them for a month."""
    modules = (path.read_bytes() for path in sorted(FOLDER.glob("*.js")))
    return sha256(b"".join(modules)).hexdigest()[:12]
