"""What the system health page tells."""

from collections.abc import AsyncIterator
from inspect import isawaitable
import re
from typing import Any

import pytest
from pytest_homeassistant_custom_component.common import (
    MockConfigEntry,
    get_system_health_info,
)

from custom_components.dp1 import addresses as addresses_module
from custom_components.dp1.client.hosts import GATEWAYS
from custom_components.dp1.hosts import HOSTS
from homeassistant.components.http import ApiConfig
from homeassistant.core import HomeAssistant
from homeassistant.core_config import async_process_ha_core_config
from homeassistant.helpers import issue_registry as ir
from homeassistant.setup import async_setup_component

from .displays import entry_of
from .libraries import library_entry, set_up
from .simulators.display import DisplaySimulator
from .simulators.feed import FeedSimulator
from .simulators.gateway import Internet, Mode

NEW = "cdn.artworks.feralfile.io"
TIME = r"\d{4}-\d\d-\d\d \d\d:\d\d"


@pytest.fixture
async def internet(
    monkeypatch: pytest.MonkeyPatch, socket_enabled: None
) -> AsyncIterator[Internet]:
    """An internet without hosts."""
    async with Internet().running() as simulated:
        monkeypatch.setattr(addresses_module, "public_session", simulated.session)
        yield simulated


async def health(hass: HomeAssistant) -> dict[str, Any]:
    """Read the system health."""
    assert await async_setup_component(hass, "system_health", {})
    await hass.async_block_till_done()
    info = await get_system_health_info(hass, "dp1")
    told = {
        key: await value if isawaitable(value) else value for key, value in info.items()
    }
    # It would be shown as a word of the program.
    assert not any(isinstance(value, bool) for value in told.values())
    return told


async def test_displays_and_libraries(
    hass: HomeAssistant,
    internet: Internet,
    display: DisplaySimulator,
    setup_display: MockConfigEntry,
    feed: FeedSimulator,
) -> None:
    """Displays are counted, and the servers of a library are tried."""
    entry_of(display, unique_id="FF1-OTHER").add_to_hass(hass)
    await set_up(hass, library_entry(feed.url))
    await async_process_ha_core_config(hass, {"internal_url": "http://192.0.2.1:8123"})
    first, second = "ipfs.filebase.io", "ipfs.hypha.coop"
    internet.hosts = {NEW: Mode.LIVES, first: Mode.ENDS, second: Mode.LIVES}
    internet.works[f"{NEW}/"] = ("text/html", b"Works")
    told = await health(hass)
    gateways = {
        gateway.host: told.pop(gateway.host)
        for network in ("ipfs", "ar")
        for gateway in GATEWAYS[network]
    }
    gone = re.compile(rf"unreachable since {TIME}")
    for key in ("can_reach_feed", "can_reach_works"):
        assert told.pop(key) == "ok", key
    assert told == {
        "displays": 2,
        "displays_connected": 1,
        "libraries": 1,
        "internal_url": "ok",
    }
    for host, line in gateways.items():
        if host == second:
            assert line == "ok"
        else:
            assert line["type"] == "failed"
            assert gone.fullmatch(line["error"])
    # Whoever was heard of within the hour is not asked again, and what a cast learns is told.
    asked = len(internet.asked)
    hass.data[HOSTS].note(f"https://{second}/ipfs/a", 502)
    assert gone.fullmatch((await health(hass))[second]["error"])
    assert len(internet.asked) == asked
    await feed.stop()
    assert gone.fullmatch((await health(hass))["can_reach_feed"]["error"])


async def test_every_library_is_tried(hass: HomeAssistant, feed: FeedSimulator) -> None:
    """A server that cannot be reached is told, whichever library it belongs to."""
    await set_up(hass, library_entry(feed.url, title="First"))
    await set_up(hass, library_entry("http://127.0.0.1:9/api/v1", title="Second"))
    told = (await health(hass))["can_reach_feed"]
    assert told["error"].startswith("unreachable since ")


async def test_without_an_internal_url(
    hass: HomeAssistant, setup_display: MockConfigEntry
) -> None:
    """With a certificate of its own, Home Assistant cannot be reached by number."""
    hass.config.api = ApiConfig("127.0.0.1", "127.0.0.1", 8123, use_ssl=True)
    info = await health(hass)
    assert info["internal_url"] == {"type": "failed", "error": "not set"}
    assert info["displays_connected"] == 1


@pytest.mark.parametrize(
    ("url", "reaches"),
    [
        ("http://localhost:8123", False),
        ("http://ha.localhost:8123", False),
        ("http://127.0.0.1:8123", False),
        ("http://127.1.2.3:8123", False),
        ("http://[::1]:8123", False),
        ("http://0.0.0.0:8123", False),
        ("http://192.168.1.2:8123", True),
        ("http://homeassistant.local:8123", True),
        ("http://localhost.example:8123", True),
    ],
)
async def test_an_internal_url_of_itself(
    hass: HomeAssistant, setup_display: MockConfigEntry, url: str, reaches: bool
) -> None:
    """Displays cannot load media from an internal URL that leads each machine to itself, which is an issue."""

    def has_issue() -> bool:
        issue = ir.async_get(hass).async_get_issue("dp1", "internal_url_loopback")
        return issue is not None

    async def set_url(url: str) -> None:
        """Change the internal URL as its form does."""
        await hass.config.async_update(internal_url=url)
        await hass.async_block_till_done()

    await set_url(url)
    assert ((await health(hass))["internal_url"] == "ok") is reaches
    assert has_issue() is not reaches
    entry_id = setup_display.entry_id
    await hass.config_entries.async_unload(entry_id)
    assert not has_issue()
    await hass.config_entries.async_setup(entry_id)
    assert has_issue() is not reaches
    await set_url("http://192.0.2.1:8123")
    assert not has_issue()
