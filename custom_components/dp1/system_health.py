"""System health of the displays and the libraries."""

import asyncio
from typing import Any

from homeassistant.components import system_health
from homeassistant.core import HomeAssistant, callback
from homeassistant.util import dt as dt_util

from .client.hosts import ASKED_FOR, ASSETS_URL, GATEWAYS, content_of
from .const import CONF_KIND, DOMAIN, EntryKind
from .displays import async_displays
from .grants import internal_url, is_loopback
from .hosts import HOSTS
from .library.libraries import async_libraries


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
        info["can_reach_works"] = _async_check_host(hass, ASSETS_URL)
        own = hass.data[HOSTS].own
        for network, url in ASKED_FOR.items():
            small = content_of(url)
            assert small is not None
            if own is not None and network == "ipfs":
                info["can_reach_gateway"] = _async_check_host(hass, small.at(own))
            for gateway in GATEWAYS[network]:
                info[gateway.host] = _async_check_host(hass, small.at(gateway))
    return info


async def _async_check_host(hass: HomeAssistant, url: str) -> str | dict[str, str]:
    """Return whether a host of works answers, or since when it does not; each that was not heard of for an hour is asked once."""
    health = await hass.data[HOSTS].async_check(url)
    if health.failed_at is not None:
        return _told("unreachable", health.failed_at)
    return "ok"


async def _async_check_can_reach(
    hass: HomeAssistant, urls: list[str]
) -> str | dict[str, str]:
    """Return whether all of some servers can be reached, or since when the first cannot and why."""
    results = await asyncio.gather(
        *(system_health.async_check_can_reach_url(hass, url) for url in urls)
    )
    told: list[str | dict[str, str]] = []
    servers = hass.data[HOSTS].servers
    for url, result in zip(urls, results, strict=True):
        servers.note(url, 200 if result == "ok" else 0)
        if isinstance(result, dict):
            told.insert(0, _told(result["error"], servers.of(url).failed_at))
        else:
            told.append("ok")
    return told[0]


def _told(what: str, moment: float | None) -> dict[str, str]:
    """Return what is told of a server that cannot be reached since a moment, as core tells it."""
    if moment is not None:
        since = dt_util.as_local(dt_util.utc_from_timestamp(moment))
        what = f"{what} since {since:%Y-%m-%d %H:%M}"
    return {"type": "failed", "error": what}


def _internal_url(hass: HomeAssistant) -> str | dict[str, str]:
    """Return whether displays can load media of Home Assistant, as core tells it of a server."""
    if (url := internal_url(hass)) is None:
        return {"type": "failed", "error": "not set"}
    if is_loopback(url):
        return {"type": "failed", "error": "reaches only Home Assistant itself"}
    return "ok"
