"""Test discovery of displays with real mDNS on loopback."""

from collections.abc import AsyncIterator
from typing import Any

import pytest
from zeroconf import IPVersion
from zeroconf.asyncio import AsyncZeroconf

from homeassistant.components.zeroconf.models import HaAsyncZeroconf
from homeassistant.config_entries import ConfigEntryState
from homeassistant.core import HomeAssistant
from homeassistant.setup import async_setup_component

from tests.displays import DEVICE_ID, entry_of, set_up, state_of, until
from tests.simulators.display import DisplaySimulator
from tests.timing import set_timing

# Announcements on one network reach all tests, in any process.
pytestmark = [
    pytest.mark.usefixtures("socket_enabled", "discovering"),
    pytest.mark.xdist_group("network"),
]


@pytest.fixture
async def discovering(hass: HomeAssistant, mdns: HaAsyncZeroconf) -> None:
    """Set up discovery."""
    assert await async_setup_component(hass, "zeroconf", {})
    await hass.async_block_till_done()


@pytest.fixture
async def network(socket_enabled: None) -> AsyncIterator[AsyncZeroconf]:
    """Make displays announce themselves by mDNS."""
    zeroconf = AsyncZeroconf(interfaces=["127.0.0.1"], ip_version=IPVersion.V4Only)
    yield zeroconf
    await zeroconf.async_close()


def flows(hass: HomeAssistant) -> list[Any]:
    """Return the discovery flows."""
    return [
        flow
        for flow in hass.config_entries.flow.async_progress_by_handler("dp1")
        if flow["context"]["source"] == "zeroconf"
    ]


@pytest.mark.parametrize("profile", ["A", "B"])
async def test_a_display_is_found_and_added(
    hass: HomeAssistant, network: AsyncZeroconf, profile: str
) -> None:
    """A discovered display is added after one confirmation."""
    async with DisplaySimulator(
        profile=profile, device_id=DEVICE_ID, name="Wall", zeroconf=network
    ):
        await until(lambda: flows(hass), 10.0)
        (flow,) = flows(hass)
        name = "Wall" if profile == "B" else DEVICE_ID
        assert flow["step_id"] == "zeroconf_confirm"
        card = "Wall (CD34)" if profile == "B" else DEVICE_ID
        assert flow["context"]["title_placeholders"] == {"name": card}
        result = await hass.config_entries.flow.async_configure(flow["flow_id"], {})
        await hass.async_block_till_done()
        entry = result["result"]
        assert entry.title == name
        assert entry.unique_id == DEVICE_ID
        assert entry.state is ConfigEntryState.LOADED
        entity_id = (
            "media_player.wall" if profile == "B" else "media_player.ff1_ab12cd34"
        )
        assert state_of(hass, entity_id).state == "idle"
        await hass.config_entries.async_unload(entry.entry_id)


async def test_a_display_that_moves_is_found_again(
    hass: HomeAssistant, network: AsyncZeroconf
) -> None:
    """The entry of a display with a new address is updated without a flow."""
    async with DisplaySimulator(
        profile="B", device_id=DEVICE_ID, zeroconf=network
    ) as display:
        entry = await set_up(hass, entry_of(display))
        old = display.port
        await display.move()
        assert display.port != old
        await until(lambda: entry.data["port"] == display.port, 10.0)
        await until(lambda: entry.state is ConfigEntryState.LOADED)
        assert not flows(hass)
        await hass.config_entries.async_unload(entry.entry_id)


async def test_an_announcement_cuts_the_wait_for_a_display_that_was_off(
    hass: HomeAssistant, network: AsyncZeroconf
) -> None:
    """Discovery sets up an entry that is being retried."""
    display = DisplaySimulator(profile="B", device_id=DEVICE_ID, zeroconf=network)
    async with display:
        await until(lambda: flows(hass), 10.0)
        await display.power_off()
        entry = await set_up(hass, entry_of(display))
        assert entry.state is ConfigEntryState.SETUP_RETRY
        await display.power_on()
        await until(lambda: entry.state is ConfigEntryState.LOADED, 10.0)
        await hass.config_entries.async_unload(entry.entry_id)


async def test_an_announcement_cuts_the_wait_for_a_display_that_was_lost(
    hass: HomeAssistant, network: AsyncZeroconf, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Discovery reconnects an unavailable display."""
    monkeypatch.setattr("custom_components.dp1.display.connection.MISSES_TO_LOSS", 1)
    async with DisplaySimulator(
        profile="B", device_id=DEVICE_ID, zeroconf=network
    ) as display:
        entry = await set_up(hass, entry_of(display, title="Wall"))
        await until(lambda: len(display.sockets))
        set_timing(hass, loss_patience=0.0, first_retry=600.0, last_retry=600.0)
        await display.power_off()
        entry.runtime_data.connection.async_retry_now()
        await until(lambda: state_of(hass).state == "unavailable")
        await display.power_on()
        await until(lambda: state_of(hass).state != "unavailable", 10.0)
        await hass.config_entries.async_unload(entry.entry_id)
