"""Helpers for tests of a display in Home Assistant."""

import asyncio
from collections.abc import Callable
from socket import AF_INET, AI_NUMERICHOST
from typing import Any, override

from aiohttp.abc import AbstractResolver, ResolveResult
from pytest_homeassistant_custom_component.common import MockConfigEntry

from custom_components.dp1.addresses import ADDRESSES, HomeAddresses
from homeassistant.core import HomeAssistant, State

from .simulators.display import DisplaySimulator

DEVICE_ID = "FF1-AB12CD34"
ENTITY_ID = "media_player.wall"
# What displays have.
FIRMWARE = ("A1", "B")
DESCRIPTION = ("legacy", "legacy-strict")


class Names(AbstractResolver):
    """A resolver of known names.

    Attributes:
        seconds: how long it takes to fail for an unknown name.
    """

    seconds = 0.0

    def __init__(self, known: dict[str, str]) -> None:
        self._known = known

    @override
    async def resolve(
        self, host: str, port: int = 0, family: Any = AF_INET
    ) -> list[ResolveResult]:
        if (address := self._known.get(host)) is None:
            if self.seconds:
                await asyncio.sleep(self.seconds)
            raise OSError(None, "there is no such name")
        return [
            ResolveResult(
                hostname=host,
                host=address,
                port=port,
                family=AF_INET,
                proto=0,
                flags=AI_NUMERICHOST,
            )
        ]

    @override
    async def close(self) -> None:
        """Close nothing."""

    real_close = close


def entry_of(display: DisplaySimulator, **changes: Any) -> MockConfigEntry:
    known: dict[str, Any] = {"unique_id": DEVICE_ID, "title": "Wall", **changes}
    data = {
        "kind": "display",
        "host": display.host,
        "port": display.port,
        "dialect": "unknown",
        "macs": [],
        **known.pop("data", {}),
    }
    return MockConfigEntry(domain="dp1", data=data, **known)


async def set_up(hass: HomeAssistant, entry: MockConfigEntry) -> MockConfigEntry:
    """Set up an entry, whatever the result."""
    if hass.config_entries.async_get_entry(entry.entry_id) is None:
        entry.add_to_hass(hass)
        hass.config_entries._async_schedule_save()
    await hass.config_entries.async_setup(entry.entry_id)
    await hass.async_block_till_done()
    return entry


async def until(condition: Callable[[], object], seconds: float = 30.0) -> None:
    """Wait until a condition holds."""
    async with asyncio.timeout(seconds):
        while not condition():
            await asyncio.sleep(0.01)


async def settle(display: DisplaySimulator, seconds: float = 30.0) -> None:
    """Wait until a display has answered everything and its state was updated."""
    quiet = 0

    def settled() -> bool:
        """Return whether the display has been idle for several checks."""
        nonlocal quiet
        quiet = 0 if display.server.in_flight else quiet + 1
        return quiet > 10

    await until(settled, seconds)


async def name_hosts(hass: HomeAssistant, *urls: str) -> None:
    """Let all addresses of hosts be read, as if they were not at home."""
    addresses: Any = hass.data[ADDRESSES]
    servers = [url.rstrip("/") for url in urls]

    class Allowed(HomeAddresses):
        """Addresses with those of the hosts."""

        @override
        def __contains__(self, address: object) -> bool:
            """Return whether an address may be read."""
            text = str(address)
            return text.startswith(tuple(servers)) or super().__contains__(address)

    addresses.__class__ = Allowed


def state_of(hass: HomeAssistant, entity_id: str = ENTITY_ID) -> State:
    state = hass.states.get(entity_id)
    assert state is not None
    return state


def playlist(*titles: str, **more: Any) -> dict[str, Any]:
    items = [
        {
            "id": f"5d0c9d5e-0000-4000-8000-{number:012}",
            "title": title,
            "source": f"https://art.example.org/{number}",
            "duration": 300,
            "license": "open",
        }
        for number, title in enumerate(titles, 1)
    ]
    return {
        "dpVersion": "1.1.0",
        "id": "385f79b6-a45f-4c1c-8080-e93a192adccc",
        "title": "Evening",
        "items": items,
        **more,
    }
