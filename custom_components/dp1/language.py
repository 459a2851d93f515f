"""Texts in the language of a speaker, else in that of Home Assistant, which does not tell the one of a user."""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager, suppress
from contextvars import ContextVar
from typing import Final

from homeassistant.core import HomeAssistant, callback
from homeassistant.exceptions import HomeAssistantError
from homeassistant.helpers.translation import (
    async_get_cached_translations,
    async_get_translations,
    async_load_integrations,
)

from .const import DOMAIN

DEFAULT_LANGUAGE: Final = "en"
_SPOKEN: Final[ContextVar[str | None]] = ContextVar("dp1_spoken", default=None)


async def async_load_texts(hass: HomeAssistant) -> None:
    """Load the texts in the language of Home Assistant, which may just have changed."""
    await async_load_integrations(hass, {DOMAIN})


@asynccontextmanager
async def async_spoken_in(
    hass: HomeAssistant, language: str, component: str = DOMAIN
) -> AsyncIterator[None]:
    """Tell errors in the language of a speaker, until the end of the request."""
    await async_get_translations(hass, language, "exceptions", [component])
    token = _SPOKEN.set(language)
    try:
        yield
    finally:
        _SPOKEN.reset(token)


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
    template = _template(hass, key, component)
    if template is None:
        return default or key.rpartition(".")[2]
    return template.format(**placeholders)


@callback
def async_message(hass: HomeAssistant, err: HomeAssistantError) -> str:
    """Return the message of an error."""
    component, key = err.translation_domain, err.translation_key
    path = f"exceptions.{key}.message"
    if component and key and (template := _template(hass, path, component)):
        with suppress(KeyError, ValueError):
            return template.format(**(err.translation_placeholders or {}))
    return str(err)


def _template(hass: HomeAssistant, key: str, component: str) -> str | None:
    """Return a text with its placeholders."""
    category, path = key.partition(".")[0], f"component.{component}.{key}"
    own = hass.config.language
    for language in (_SPOKEN.get() or own, own, DEFAULT_LANGUAGE):
        texts = async_get_cached_translations(hass, language, category, component)
        if path in texts:
            return texts[path]
    return None
