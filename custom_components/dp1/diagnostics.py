"""Diagnostics of a display and of a library.

Everything is on an allow-list: the status of a display holds its cloud credentials, network names, hardware addresses
and, in playlist URLs, wallet addresses.
"""

from typing import Any

from homeassistant.config_entries import ConfigEntry, ConfigEntryState
from homeassistant.const import CONF_API_KEY
from homeassistant.core import HomeAssistant

from .const import CONF_DIALECT, CONF_HAS_SIGNED, CONF_KIND, EntryKind
from .coordinator import DisplayCoordinator
from .display.reads import OPTIONAL
from .library.library import Library

PLAYER = "ok error cast_command index position asleep loop_mode shuffle render_status signature_status overlay"
DEVICE = (
    "screen_rotation installed_version latest_version analytics_disabled beta_features_enabled volume "
    "muted contract signature_mode"
)
SETTINGS = "scaling orientation default_duration tombstone"


async def async_get_config_entry_diagnostics(
    hass: HomeAssistant, entry: ConfigEntry[Any]
) -> dict[str, Any]:
    """Return diagnostics for a config entry."""
    if entry.state is not ConfigEntryState.LOADED:
        return {
            "state": entry.state.value,
            "reason": entry.error_reason_translation_key,
        }
    if entry.data[CONF_KIND] == EntryKind.LIBRARY:
        return _library(entry.runtime_data)
    return _display(entry.runtime_data)


def _display(coordinator: DisplayCoordinator) -> dict[str, Any]:
    """Return diagnostics of a display."""
    data = coordinator.data
    identity, player, device = data.identity, data.player, data.device
    return {
        "dialect": coordinator.display.dialect,
        "dialect_option": coordinator.config_entry.options.get(CONF_DIALECT),
        "has_id": coordinator.config_entry.unique_id is not None,
        "available": coordinator.last_update_success,
        "last_error": _class_name(coordinator.last_exception),
        "misses": coordinator.connection.misses,
        "cast_only": coordinator.cast_only,
        "details": sorted(name for name in OPTIONAL if getattr(data, name)),
        "firmware": identity.version if identity else None,
        "set_up": data.set_up,
        "player": _allowed(player, PLAYER.split()),
        "works": player.count if player else None,
        "has_playlist_url": bool(player and player.playlist_url),
        "settings": _allowed(player.settings if player else None, SETTINGS.split()),
        "offered_settings": sorted(player.settings.offered)
        if player and player.settings
        else None,
        "device": _allowed(device, DEVICE.split()),
        "wired": bool(device and device.mac_info and not device.connected_wifi),
        "sleep_schedule": bool(device and device.sleep_schedule),
    }


def _allowed(thing: object, names: list[str]) -> dict[str, Any] | None:
    """Return the allowed attributes of an object."""
    return None if thing is None else {name: getattr(thing, name) for name in names}


def _library(library: Library) -> dict[str, Any]:
    """Return diagnostics of a library."""
    return {
        "catalog": library.catalog is not None,
        "feed": library.feed is not None,
        "has_api_key": bool(library.entry.data[CONF_API_KEY]),
        "has_signed": bool(library.entry.data.get(CONF_HAS_SIGNED)),
        "options": sorted(library.entry.options),
        "sources": len(library.source_list().names),
        "since": library.since.isoformat() if library.since else None,
        "collections": [
            {
                "addresses": len(collection.addresses),
                "works": len(collection.list.records),
                "complete": collection.list.complete,
                "keep_current": collection.keep_current,
                "problem": _class_name(collection.problem),
            }
            for collection in library.collections.servers
        ],
        "problem": _class_name(library.problem),
    }


def _class_name(err: BaseException | None) -> str | None:
    """Return the class name of an error; its text may hold an address."""
    return type(err).__name__ if err else None
