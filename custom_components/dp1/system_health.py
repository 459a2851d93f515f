"""System health of the displays and the libraries."""

from typing import Any

from homeassistant.components import system_health
from homeassistant.core import HomeAssistant, callback
from homeassistant.helpers.network import NoURLAvailableError, get_url

from .const import CONF_KIND, DOMAIN, EntryKind
from .coordinator import async_displays
from .library.entries import async_libraries


@callback
def async_register(
    hass: HomeAssistant, register: system_health.SystemHealthRegistration
) -> None:
    """Register the system health information."""
    register.async_register_info(system_health_info)


async def system_health_info(hass: HomeAssistant) -> dict[str, Any]:
    """Return what is set up, and whether the servers of the libraries can be reached."""
    kinds = [
        entry.data.get(CONF_KIND) for entry in hass.config_entries.async_entries(DOMAIN)
    ]
    info: dict[str, Any] = {
        "displays": kinds.count(EntryKind.DISPLAY),
        "displays_connected": sum(
            display.last_update_success for display in async_displays(hass)
        ),
        "libraries": kinds.count(EntryKind.LIBRARY),
        "internal_url": _has_internal_url(hass),
    }
    for library in async_libraries(hass):
        for key, server in (
            ("can_reach_catalog", library.catalog_coordinator),
            ("can_reach_feed", library.feed_coordinator),
        ):
            if server.url and key not in info:
                info[key] = system_health.async_check_can_reach_url(hass, server.url)
    return info


def _has_internal_url(hass: HomeAssistant) -> bool:
    """Return whether displays can load media of Home Assistant."""
    try:
        get_url(hass, allow_external=False, allow_cloud=False)
    except NoURLAvailableError:
        return False
    return True
