"""The displays of a home: those that are set up, and the media players that are registered."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from homeassistant.components.media_player import DOMAIN as MEDIA_PLAYER_DOMAIN
from homeassistant.config_entries import ConfigEntryState
from homeassistant.core import HomeAssistant, callback
from homeassistant.helpers import entity_registry as er

from .const import CONF_IGNORE_MUSIC, CONF_KIND, DOMAIN, EntryKind
from .coordinator import DisplayConfigEntry, DisplayCoordinator
from .display.discovery import async_display_of
from .errors import action_failed, invalid_input, translated_errors


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


@dataclass(frozen=True, slots=True)
class Target:
    """What an action targets: a display, or an entity that is none, such as of a display that was removed."""

    hass: HomeAssistant
    entity_id: str
    entry: DisplayConfigEntry | None

    def loaded(self) -> DisplayCoordinator | None:
        """Return the coordinator of the display, if it is set up."""
        if self.entry is None or self.entry.state is not ConfigEntryState.LOADED:
            return None
        return self.entry.runtime_data

    async def async_coordinator(self) -> DisplayCoordinator:
        """Return the coordinator; set the display up if necessary, or raise why that is not possible."""
        if (entry := self.entry) is None:
            raise invalid_input("not_a_display", entity_id=self.entity_id)
        if (coordinator := self.loaded()) is not None:
            return coordinator
        display = await async_display_of(self.hass, entry)
        with translated_errors("display", entry.title, display.url):
            await display.probe()
        if entry.state is ConfigEntryState.SETUP_RETRY:
            await self.hass.config_entries.async_reload(entry.entry_id)
        if (coordinator := self.loaded()) is not None:
            return coordinator
        raise action_failed("display_not_set_up", name=entry.title)


def find_entry(hass: HomeAssistant, entity_id: str) -> DisplayConfigEntry | None:
    """Return the config entry of a display by its media player, None for any other entity."""
    entity = er.async_get(hass).async_get(entity_id)
    if entity is None or not is_enabled_display(entity) or not entity.config_entry_id:
        return None
    return hass.config_entries.async_get_entry(entity.config_entry_id)


def target_of(hass: HomeAssistant, entity_id: str) -> Target:
    """Return the target that an entity is."""
    return Target(hass, entity_id, find_entry(hass, entity_id))


def find_display(hass: HomeAssistant, entity_id: str) -> DisplayConfigEntry:
    """Return the config entry of a display by its media player, or raise if it is none."""
    if (entry := find_entry(hass, entity_id)) is None:
        raise invalid_input("not_a_display", entity_id=entity_id)
    return entry
