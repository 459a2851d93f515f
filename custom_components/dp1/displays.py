"""The displays of a home: those that are set up, and the media players that are registered."""

from collections.abc import Mapping
from typing import Any

from homeassistant.components.media_player import DOMAIN as MEDIA_PLAYER_DOMAIN
from homeassistant.core import HomeAssistant, callback
from homeassistant.helpers import entity_registry as er

from .const import CONF_IGNORE_MUSIC, CONF_KIND, DOMAIN, EntryKind
from .coordinator import DisplayCoordinator


@callback
def async_displays(hass: HomeAssistant) -> list[DisplayCoordinator]:
    """Return the displays that are set up."""
    return [
        entry.runtime_data
        for entry in hass.config_entries.async_loaded_entries(DOMAIN)
        if entry.data[CONF_KIND] == EntryKind.DISPLAY
    ]


@callback
def async_display(hass: HomeAssistant, entry_id: str) -> DisplayCoordinator | None:
    """Return a display that is set up."""
    displays = async_displays(hass)
    return next((d for d in displays if d.entry_id == entry_id), None)


def is_display(entity: er.RegistryEntry) -> bool:
    """Return whether an entity is the media player of a display, also if it is disabled."""
    return (entity.domain, entity.platform) == (MEDIA_PLAYER_DOMAIN, DOMAIN)


def is_enabled_display(entity: er.RegistryEntry) -> bool:
    """Return whether an entity is the media player of a display, and not disabled."""
    return is_display(entity) and entity.disabled_by is None


@callback
def async_display_entities(hass: HomeAssistant) -> list[er.RegistryEntry]:
    """Return the media players of displays, also of those that are not there."""
    return [*filter(is_enabled_display, er.async_get(hass).entities.values())]


def ignores_music(entity: er.RegistryEntry) -> bool:
    """Return whether a display was hidden from Assist's own sentences, as they are about music."""
    options: Mapping[str, Any] = entity.options.get(DOMAIN) or {}
    return bool(options.get(CONF_IGNORE_MUSIC))


@callback
def async_other_players(hass: HomeAssistant) -> list[er.RegistryEntry]:
    """Return the media players of other integrations."""
    return [
        entity
        for entity in er.async_get(hass).entities.values()
        if entity.domain == MEDIA_PLAYER_DOMAIN
        and entity.platform != DOMAIN
        and entity.disabled_by is None
    ]
