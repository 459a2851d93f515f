"""Descriptions for the logbook."""

from collections.abc import Callable

from homeassistant.components.logbook import (
    LOGBOOK_ENTRY_ENTITY_ID,
    LOGBOOK_ENTRY_MESSAGE,
    LOGBOOK_ENTRY_NAME,
)
from homeassistant.const import ATTR_ENTITY_ID
from homeassistant.core import Event, HomeAssistant, callback

from .const import DOMAIN, EVENT_WORK_CHANGED


@callback
def async_describe_events(
    hass: HomeAssistant,
    async_describe_event: Callable[
        [str, str, Callable[[Event], dict[str, str | None]]], None
    ],
) -> None:
    """Describe the events of displays."""

    @callback
    def describe(event: Event) -> dict[str, str | None]:
        """Describe a new work: its title and its artist."""
        entity_id = event.data.get(ATTR_ENTITY_ID)
        state = hass.states.get(entity_id) if entity_id else None
        names = event.data.get("title"), event.data.get("artist")
        return {
            LOGBOOK_ENTRY_NAME: state.name if state else entity_id,
            LOGBOOK_ENTRY_MESSAGE: ", ".join(filter(None, names)),
            LOGBOOK_ENTRY_ENTITY_ID: entity_id,
        }

    async_describe_event(DOMAIN, EVENT_WORK_CHANGED, describe)
