"""System health of the displays and the libraries."""

import asyncio
from typing import Any

from homeassistant.components import system_health
from homeassistant.core import HomeAssistant, callback
from homeassistant.util import dt as dt_util

from .client.hosts import ASSETS_URL, GATEWAYS
from .const import CONF_KIND, DOMAIN, EntryKind
from .displays import async_displays
from .grants import internal_url, is_loopback
from .hosts import HOSTS
from .library.entries import async_libraries


@callback
def async_register(
    hass: HomeAssistant, register: system_health.SystemHealthRegistration
) -> None:
    """Register the system health information."""
    register.async_register_info(system_health_info)


async def system_health_info(hass: HomeAssistant) -> dict[str, Any]:
    """Return the number of displays and libraries, and whether the servers of the libraries can be reached."""
    kinds = [
        entry.data.get(CONF_KIND) for entry in hass.config_entries.async_entries(DOMAIN)
    ]
    info: dict[str, Any] = {
        "displays": kinds.count(EntryKind.DISPLAY),
        "displays_connected": sum(
            display.last_update_success for display in async_displays(hass)
        ),
        "libraries": kinds.count(EntryKind.LIBRARY),
        "internal_url": _internal_url(hass),
    }
    libraries = async_libraries(hass)
    for key, urls in (
        ("can_reach_catalog", {each.catalog_server.url for each in libraries}),
        ("can_reach_feed", {each.feed_server.url for each in libraries}),
    ):
        if servers := [url for url in urls if url]:
            info[key] = _async_check_can_reach(hass, servers)
    if libraries:
        info["can_reach_works"] = _async_check_can_reach(hass, [ASSETS_URL])
    if gateways := _gateways(hass):
        info["gateways"] = gateways
    return info


def _gateways(hass: HomeAssistant) -> str:
    """Return which gateways that were asked answer, and since when others do not."""
    told = []
    for gateway in GATEWAYS["ipfs"]:
        health = hass.data[HOSTS].of(gateway.url)
        for sign, moment in (("✗", health.failed_at), ("✓", health.answered_at)):
            if moment is not None:
                since = dt_util.as_local(dt_util.utc_from_timestamp(moment))
                told.append(f"{gateway.host} {sign} {since:%Y-%m-%d %H:%M}")
                break
    return " · ".join(told)


async def _async_check_can_reach(
    hass: HomeAssistant, urls: list[str]
) -> str | dict[str, str]:
    """Return whether all of some servers can be reached, or why the first cannot."""
    results = await asyncio.gather(
        *(system_health.async_check_can_reach_url(hass, url) for url in urls)
    )
    return next((result for result in results if result != "ok"), "ok")


def _internal_url(hass: HomeAssistant) -> str | dict[str, str]:
    """Return whether displays can load media of Home Assistant, as core tells it of a server."""
    if (url := internal_url(hass)) is None:
        return {"type": "failed", "error": "not set"}
    if is_loopback(url):
        return {"type": "failed", "error": "reaches only Home Assistant itself"}
    return "ok"
