"""Texts in the language of Home Assistant, for places where the language of the user is not known."""

from homeassistant.core import HomeAssistant, callback
from homeassistant.exceptions import HomeAssistantError
from homeassistant.helpers.translation import async_get_cached_translations

from .const import DOMAIN

DEFAULT_LANGUAGE = "en"


@callback
def async_text(hass: HomeAssistant, key: str, **placeholders: str) -> str:
    """Return a text by its path in the translations, in English if it is not translated."""
    path = f"component.{DOMAIN}.{key}"
    category = key.partition(".")[0]
    for language in (hass.config.language, DEFAULT_LANGUAGE):
        texts = async_get_cached_translations(hass, language, category, DOMAIN)
        if path in texts:
            return texts[path].format(**placeholders)
    return key.rpartition(".")[2]


@callback
def async_message(hass: HomeAssistant, err: HomeAssistantError) -> str:
    """Return the message of an error."""
    if err.translation_domain != DOMAIN or not err.translation_key:
        return str(err)
    path = f"exceptions.{err.translation_key}.message"
    return async_text(hass, path, **(err.translation_placeholders or {}))
