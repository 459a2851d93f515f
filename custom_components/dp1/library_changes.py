"""Word of what has changed in the libraries, for the displays that show it."""

from typing import Any, Final

from homeassistant.config_entries import ConfigEntry
from homeassistant.core import CALLBACK_TYPE, HomeAssistant, callback
from homeassistant.helpers.dispatcher import (
    async_dispatcher_connect,
    async_dispatcher_send,
)
from homeassistant.util.signal_type import SignalType

from .const import DOMAIN

CHANGED: Final[SignalType[()]] = SignalType(f"{DOMAIN}_libraries_changed")


@callback
def async_follow_libraries(hass: HomeAssistant, action: CALLBACK_TYPE) -> CALLBACK_TYPE:
    """Call when a library comes, goes or has news; returns how to stop that."""
    return async_dispatcher_connect(hass, CHANGED, action)


@callback
def async_tell_of_library(hass: HomeAssistant, entry: ConfigEntry[Any]) -> None:
    """Let the displays know of a library for as long as it is loaded, and when it goes."""

    @callback
    def tell() -> None:
        """Let them know."""
        async_dispatcher_send(hass, CHANGED)

    entry.async_on_unload(entry.runtime_data.async_add_listener(tell))
    entry.async_on_unload(entry.async_on_state_change(tell))
    # It does not count as loaded any more by then.
    entry.async_on_unload(tell)
