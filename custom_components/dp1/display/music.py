"""Whether a display leaves music's commands to the other players of its room."""

import voluptuous as vol

from homeassistant.components.media_player import (
    DOMAIN as MEDIA_PLAYER_DOMAIN,
    MediaPlayerEntityFeature as Feature,
)
from homeassistant.core import HomeAssistant, callback
from homeassistant.helpers import entity_registry as er
from homeassistant.helpers.selector import BooleanSelector

from ..const import CONF_IGNORE_MUSIC, DOMAIN

# By these, Home Assistant chooses the player of "play Queen" and "next song".
MUSIC_FEATURES = (
    Feature.NEXT_TRACK.value | Feature.PREVIOUS_TRACK.value | Feature.SEARCH_MEDIA.value
)


@callback
def left_to_others(hass: HomeAssistant, entity_id: str) -> int:
    """Return the features that a display leaves to the other players of its room."""
    registry = er.async_get(hass)
    entity = registry.async_get(entity_id)
    if entity is None or entity.config_entry_id is None:
        return 0
    entry = hass.config_entries.async_get_entry(entity.config_entry_id)
    chosen = entry.options.get(CONF_IGNORE_MUSIC) if entry else None
    if chosen is None:
        chosen = _has_other_player(registry, entity)
    return MUSIC_FEATURES if chosen else 0


@callback
def music_field(hass: HomeAssistant) -> dict[vol.Marker, BooleanSelector]:
    """Return the field that asks about music when a display is added; none in a home without another player.

    The area of the display is not known yet. Without an answer, the players there decide.
    """
    if not any(map(_is_other_player, er.async_get(hass).entities.values())):
        return {}
    return {vol.Optional(CONF_IGNORE_MUSIC): BooleanSelector()}


def _is_other_player(entity: er.RegistryEntry) -> bool:
    """Return whether an entity is a media player of another integration."""
    return (
        entity.domain == MEDIA_PLAYER_DOMAIN
        and entity.platform != DOMAIN
        and entity.disabled_by is None
    )


def _has_other_player(registry: er.EntityRegistry, entity: er.RegistryEntry) -> bool:
    """Return whether the area of a display has a player of another integration."""
    hass = registry.hass
    area_id = er.async_get_effective_area_id(hass, entity)
    return area_id is not None and any(
        _is_other_player(other)
        and er.async_get_effective_area_id(hass, other) == area_id
        for other in registry.entities.values()
    )
