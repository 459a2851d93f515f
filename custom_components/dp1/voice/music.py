"""Assist's own sentences, which are about music: a display in a room with another player leaves them to that."""

from collections.abc import Mapping
from typing import Any, Final

from homeassistant.components.homeassistant.exposed_entities import async_expose_entity
from homeassistant.core import HomeAssistant, callback
from homeassistant.helpers import entity_registry as er
from homeassistant.helpers.event import async_track_device_registry_updated_event

from ..const import CONF_IGNORE_MUSIC, DOMAIN
from ..coordinator import DisplayConfigEntry
from ..displays import async_other_players, ignores_music

# The assistant whose own sentences are about music, too.
ASSIST: Final = "conversation"


@callback
def async_leave_music(hass: HomeAssistant, entry: DisplayConfigEntry) -> None:
    """Leave music to others in the room of a display, also once it hangs in another."""
    registry = er.async_get(hass)
    entity_id = entry.runtime_data.entity_id
    entity = registry.async_get(entity_id) if entity_id else None
    if entity is None or entity.disabled_by is not None:
        return

    @callback
    def leave(_event: object = None) -> None:
        """Look who else is in the room of now."""
        if (now := registry.async_get(entity.entity_id)) is not None:
            _async_leave(hass, now, entry.options.get(CONF_IGNORE_MUSIC))

    leave()
    if entity.device_id is not None:
        # Its area is often given a moment after it was added.
        entry.async_on_unload(
            async_track_device_registry_updated_event(hass, entity.device_id, leave)
        )


@callback
def _async_leave(
    hass: HomeAssistant, entity: er.RegistryEntry, option: bool | None
) -> None:
    """Hide a display from Assist's own sentences once if it ignores music, and show it again if it no longer does."""
    area_id = er.async_get_effective_area_id(hass, entity)
    ignores = option or (
        option is None
        and area_id is not None
        and any(
            er.async_get_effective_area_id(hass, other) == area_id
            for other in async_other_players(hass)
        )
    )
    exposure: Mapping[str, Any] = entity.options.get(ASSIST) or {}
    is_hidden = exposure.get("should_expose") is False
    if bool(ignores) is ignores_music(entity) or (ignores and is_hidden):
        return
    if ignores or option is False:
        er.async_get(hass).async_update_entity_options(
            entity.entity_id, DOMAIN, {CONF_IGNORE_MUSIC: bool(ignores)}
        )
        async_expose_entity(hass, ASSIST, entity.entity_id, not ignores)
