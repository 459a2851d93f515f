"""The dashboard cards: served, and announced to the frontend where there is one."""

from hashlib import sha256
from pathlib import Path
from typing import Final

from homeassistant.components.frontend import add_extra_js_url, remove_extra_js_url
from homeassistant.components.http import StaticPathConfig
from homeassistant.core import HomeAssistant, callback
from homeassistant.util.hass_dict import HassKey

from .const import DOMAIN

CARDS_FILE: Final = Path(__file__).parent / "frontend" / "dp1-cards.js"
CARDS_PATH: Final = f"/{DOMAIN}/{CARDS_FILE.name}"
CARDS_URL: Final[HassKey[str]] = HassKey(f"{DOMAIN}_cards_url")


async def async_setup_cards(hass: HomeAssistant) -> None:
    """Serve the cards."""
    await hass.http.async_register_static_paths(
        [StaticPathConfig(CARDS_PATH, str(CARDS_FILE), cache_headers=True)]
    )
    version = await hass.async_add_executor_job(_version)
    hass.data[CARDS_URL] = f"{CARDS_PATH}?v={version}"


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
    """Return what changes with the file: browsers keep it for a month."""
    return sha256(CARDS_FILE.read_bytes()).hexdigest()[:12]
