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

from tests.displays import (
    DEVICE_ID,
    ENTITY_ID,
    entry_of,
    playlist,
    set_up,
    state_of,
    until,
)
from tests.flows import begin, fill
from tests.simulators.display import DisplaySimulator
from tests.simulators.display.mdns import close
from tests.timing import set_timing

# Announcements on one network reach all tests, in any process.
pytestmark = [
    pytest.mark.usefixtures("socket_enabled", "discovering"),
    pytest.mark.xdist_group("network"),
]


@pytest.fixture
async def discovering(hass: HomeAssistant, mdns: HaAsyncZeroconf) -> None:
    assert await async_setup_component(hass, "zeroconf", {})
    await hass.async_block_till_done()


@pytest.fixture
async def network(socket_enabled: None) -> AsyncIterator[AsyncZeroconf]:
    """Make displays announce themselves by mDNS."""
    zeroconf = AsyncZeroconf(interfaces=["127.0.0.1"], ip_version=IPVersion.V4Only)
    yield zeroconf
    await close(zeroconf)


@pytest.fixture(autouse=True)
async def unload(hass: HomeAssistant, discovering: None) -> AsyncIterator[None]:
    """Unload what was added, before the network is closed."""
    yield
    for entry in hass.config_entries.async_loaded_entries("dp1"):
        await hass.config_entries.async_unload(entry.entry_id)


def flows(hass: HomeAssistant) -> list[Any]:
    """Return what was discovered of the display, whatever other tests announce meanwhile."""
    return [
        flow
        for flow in hass.config_entries.flow.async_progress_by_handler("dp1")
        if flow["context"]["source"] == "zeroconf"
        and flow["context"]["unique_id"] == DEVICE_ID
    ]


@pytest.mark.parametrize("profile", ["A", "B"])
async def test_a_display_is_found_and_added(
    hass: HomeAssistant, network: AsyncZeroconf, profile: str
) -> None:
    """A discovered display is added after one confirmation."""
    async with DisplaySimulator(
        profile=profile, device_id=DEVICE_ID, name="Wall", zeroconf=network
    ):
        await until(lambda: flows(hass))
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


async def test_an_announcement_cuts_the_wait_for_a_display_that_was_off(
    hass: HomeAssistant, network: AsyncZeroconf
) -> None:
    """Discovery sets up an entry that is being retried."""
    display = DisplaySimulator(profile="B", device_id=DEVICE_ID, zeroconf=network)
    async with display:
        await until(lambda: flows(hass))
        await display.power_off()
        entry = await set_up(hass, entry_of(display))
        assert entry.state is ConfigEntryState.SETUP_RETRY
        await display.power_on()
        await until(lambda: entry.state is ConfigEntryState.LOADED)


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
        set_timing(loss_patience=0.0, first_retry=600.0, last_retry=600.0)
        await display.power_off()
        entry.runtime_data.connection.async_retry_now()
        await until(lambda: state_of(hass).state == "unavailable")
        await display.power_on()
        await until(lambda: state_of(hass).state != "unavailable")


async def test_a_record_that_comes_late(
    hass: HomeAssistant, network: AsyncZeroconf
) -> None:
    """A home that blocks the vendor's cloud gets no record for minutes after an outage: nothing waits for it."""
    async with DisplaySimulator(
        profile="A", device_id=DEVICE_ID, zeroconf=network
    ) as display:
        await set_up(hass, entry_of(display))
        await until(lambda: len(display.sockets))
        await display.block_cloud()
        assert display.announced
        await display.set_internet(False)
        assert not display.announced
        # It is gone, and answers all the same.
        display.player.load(playlist("Dawn", "Noon"))
        await until(lambda: state_of(hass).attributes.get("media_title") == "Dawn")
        await hass.services.async_call(
            "media_player", "media_next_track", {"entity_id": ENTITY_ID}, blocking=True
        )
        await until(lambda: state_of(hass).attributes.get("media_title") == "Noon")


async def test_a_name_whose_record_goes(
    hass: HomeAssistant, network: AsyncZeroconf
) -> None:
    """A display added by its name of mDNS is reached by the address that it announced, also once the record is gone."""
    async with DisplaySimulator(
        profile="A", device_id=DEVICE_ID, zeroconf=network
    ) as display:
        await until(lambda: flows(hass))
        name = f"{DEVICE_ID.lower()}.local:{display.port}"
        added = await fill(hass, await begin(hass, "display"), host=name)
        entry = added["result"]
        assert entry.data["host"] == display.host
        assert entry.unique_id == DEVICE_ID
