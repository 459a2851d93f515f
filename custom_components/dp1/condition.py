"""Conditions of displays."""

from collections.abc import Mapping
from typing import Any, override

import voluptuous as vol

from homeassistant.components.media_player import (
    ATTR_MEDIA_ALBUM_NAME,
    ATTR_MEDIA_ARTIST,
    ATTR_MEDIA_PLAYLIST,
    ATTR_MEDIA_TITLE,
    DOMAIN as MEDIA_PLAYER_DOMAIN,
    MediaPlayerState,
)
from homeassistant.const import CONF_OPTIONS
from homeassistant.core import HomeAssistant, State
from homeassistant.helpers import config_validation as cv, entity_registry as er
from homeassistant.helpers.automation import DomainSpec
from homeassistant.helpers.condition import (
    ENTITY_STATE_CONDITION_SCHEMA_ANY_ALL,
    Condition,
    ConditionConfig,
    EntityConditionBase,
)

from .const import DOMAIN
from .fields import plain_text
from .playback.activity import is_wanted

SHOWING_SCHEMA = ENTITY_STATE_CONDITION_SCHEMA_ANY_ALL.extend(
    {
        vol.Required(CONF_OPTIONS, default={}): {
            vol.Optional("work"): plain_text,
            vol.Optional("exhibition"): plain_text,
            vol.Optional("artist"): plain_text,
            vol.Optional("playlist"): plain_text,
            vol.Optional("favorite"): cv.boolean,
        },
    }
)


class DisplayCondition(EntityConditionBase):
    """Condition of the targeted displays; other media players beside them do not count."""

    _domain_specs: Mapping[str, DomainSpec] = {
        MEDIA_PLAYER_DOMAIN: DomainSpec(value_source=DOMAIN)
    }

    @override
    def entity_filter(self, entities: set[str]) -> set[str]:
        """Return the displays among some entities."""
        registry = er.async_get(self._hass)
        return {
            entity_id
            for entity_id in super().entity_filter(entities)
            if (entity := registry.async_get(entity_id)) and entity.platform == DOMAIN
        }


class IsShowingCondition(DisplayCondition):
    """Condition for displays that show something, also something in particular."""

    _schema = SHOWING_SCHEMA

    def __init__(self, hass: HomeAssistant, config: ConditionConfig) -> None:
        """Initialize the condition."""
        super().__init__(hass, config)
        self._options = config.options or {}

    @override
    def is_valid_state(self, entity_state: State) -> bool:
        """Return whether a display shows it."""
        attributes = entity_state.attributes
        work = {
            **_details(entity_state),
            "title": attributes.get(ATTR_MEDIA_TITLE),
            "artist": attributes.get(ATTR_MEDIA_ARTIST),
            "exhibition": attributes.get(ATTR_MEDIA_ALBUM_NAME),
            "playlist": attributes.get(ATTR_MEDIA_PLAYLIST),
        }
        playing = entity_state.state == MediaPlayerState.PLAYING
        return playing and is_wanted(self._options, work)


def _details(state: State) -> dict[str, Any]:
    """Return the details of the work on a display."""
    return state.attributes.get(DOMAIN) or {}


CONDITIONS: dict[str, type[Condition]] = {
    "is_showing": IsShowingCondition,
}


async def async_get_conditions(hass: HomeAssistant) -> dict[str, type[Condition]]:
    """Return the conditions."""
    return CONDITIONS
