"""Texts in the language of Home Assistant, for places where the language of the user is not known."""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from contextvars import ContextVar
from typing import Final

from homeassistant.core import HomeAssistant, callback
from homeassistant.exceptions import HomeAssistantError
from homeassistant.helpers.translation import (
    async_get_cached_translations,
    async_get_translations,
)

from .const import DOMAIN

DEFAULT_LANGUAGE = "en"
SPOKEN: Final[ContextVar[str | None]] = ContextVar("dp1_spoken", default=None)


@asynccontextmanager
async def async_spoken_in(hass: HomeAssistant, language: str) -> AsyncIterator[None]:
    """Tell errors in the language of somebody who speaks, until the end of what they asked for."""
    await async_get_translations(hass, language, "exceptions", [DOMAIN])
    token = SPOKEN.set(language)
    try:
        yield
    finally:
        SPOKEN.reset(token)


@callback
def async_text(
    hass: HomeAssistant,
    key: str,
    *,
    component: str = DOMAIN,
    default: str | None = None,
    **placeholders: str,
) -> str:
    """Return a text by its path in the translations, in English if it is not translated."""
    path = f"component.{component}.{key}"
    category = key.partition(".")[0]
    for language in (SPOKEN.get(), hass.config.language, DEFAULT_LANGUAGE):
        if language is None:
            continue
        texts = async_get_cached_translations(hass, language, category, component)
        if path in texts:
            return texts[path].format(**placeholders)
    return default or key.rpartition(".")[2]


@callback
def async_message(hass: HomeAssistant, err: HomeAssistantError) -> str:
    """Return the message of an error."""
    if err.translation_domain != DOMAIN or not err.translation_key:
        return str(err)
    path = f"exceptions.{err.translation_key}.message"
    return async_text(hass, path, **(err.translation_placeholders or {}))
