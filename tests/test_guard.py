"""Hosts that the owner named."""

from typing import Any

from custom_components.dp1.client.display.casts import Cast
from custom_components.dp1.guard import NamedHosts
from homeassistant.const import (
    EVENT_HOMEASSISTANT_CLOSE,
    EVENT_HOMEASSISTANT_FINAL_WRITE,
)
from homeassistant.core import Context, Event, HomeAssistant

CLOSE = Event(EVENT_HOMEASSISTANT_CLOSE)
ART = {
    "items": [{"source": "http://frame.local:8080/a.png"}, {"source": "http://[::1"}]
}


async def test_hosts_of_casts_are_kept(
    hass: HomeAssistant, hass_storage: dict[str, Any]
) -> None:
    """The hosts of what an automation casts are allowed after a restart, too; a broken address names none."""
    hosts = NamedHosts(hass)
    await hosts.async_add(Context(), Cast("https://art.example.org/list"))
    await hosts.async_add(Context(), Cast(playlist=ART))
    hass.bus.async_fire(EVENT_HOMEASSISTANT_FINAL_WRITE)
    await hass.async_block_till_done()
    await hosts.async_close(CLOSE)
    again = NamedHosts(hass)
    await again.async_load()
    assert set(again.async_guard().allowed) == {
        "art.example.org:443",
        "frame.local:8080",
    }
    await again.async_close(CLOSE)


async def test_nobody_asked(hass: HomeAssistant) -> None:
    """What a display shows by itself names no host."""
    hosts = NamedHosts(hass)
    await hosts.async_add(None, Cast("https://art.example.org/list"))
    assert not hosts.async_guard().allowed
    await hosts.async_close(CLOSE)
