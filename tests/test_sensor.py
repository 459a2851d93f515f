"""Test the sensors and binary sensors of a display."""

import asyncio
from datetime import datetime, timedelta
from typing import Any

import pytest
from pytest_homeassistant_custom_component.common import MockConfigEntry

from custom_components.dp1.client.display.device_status import OfflineCache
from homeassistant.core import HomeAssistant
from homeassistant.exceptions import HomeAssistantError
from homeassistant.util import dt as dt_util

from .client.scripted_server import Reply, ScriptedServer
from .displays import ENTITY_ID, FIRMWARE, playlist, set_up, until
from .entities import known, shown, value
from .simulators.display import DisplaySimulator, offline

EVENING = playlist("Dawn", "<b>Noon</b>", "Dusk")


@pytest.mark.usefixtures("entity_registry_enabled_by_default")
@pytest.mark.parametrize("profile", FIRMWARE)
async def test_place_in_the_playlist(
    hass: HomeAssistant, display: DisplaySimulator, display_entry: MockConfigEntry
) -> None:
    """Position, number of works, and the next work follow the display."""
    display.player.load(EVENING)
    await set_up(hass, display_entry)
    assert value(hass, "sensor", "work_number") == "1"
    assert value(hass, "sensor", "works") == "3"
    assert value(hass, "sensor", "next_work") == "Noon"
    display.player.handle("moveToArtwork", {"index": 5})
    await until(lambda: value(hass, "sensor", "work_number") == "3")
    assert value(hass, "sensor", "next_work") == "Dawn"
    display.player.handle("setLoop", {"mode": "one"})
    await until(lambda: value(hass, "sensor", "next_work") == "Dusk")
    display.player.handle("setLoop", {"mode": "none"})
    await until(lambda: value(hass, "sensor", "next_work") == "unknown")
    display.player.handle("disconnect", {})
    await until(lambda: value(hass, "sensor", "work_number") == "unknown")
    assert value(hass, "sensor", "works") == "0"


@pytest.mark.usefixtures("entity_registry_enabled_by_default")
@pytest.mark.parametrize("profile", FIRMWARE)
async def test_measures(
    hass: HomeAssistant,
    display: DisplaySimulator,
    display_entry: MockConfigEntry,
) -> None:
    """Measurements have common units."""
    display.counters.playing_seconds = 5400
    display.counters.starts = 7
    display.counters.failures = 2
    await set_up(hass, display_entry)
    assert await known(hass, "sensor", "cpu_temperature") == "52.0"
    assert await known(hass, "sensor", "gpu_temperature") == "50.0"
    assert float(await known(hass, "sensor", "memory_usage")) == pytest.approx(
        33.12, 0.01
    )
    assert float(await known(hass, "sensor", "disk_usage")) == pytest.approx(
        12.92, 0.01
    )
    assert float(await known(hass, "sensor", "playback_time")) == pytest.approx(
        1.5, 0.01
    )
    assert await known(hass, "sensor", "casts") == "7"
    assert await known(hass, "sensor", "failed_casts") == "2"
    started = datetime.fromisoformat(await known(hass, "sensor", "started"))
    ago = dt_util.utcnow() - started
    assert abs(ago - timedelta(seconds=86400)) < timedelta(minutes=1)
    assert (
        shown(hass, "sensor", "playback_time").attributes["unit_of_measurement"] == "h"
    )


@pytest.mark.usefixtures("entity_registry_enabled_by_default")
async def test_measures_that_make_no_sense(
    hass: HomeAssistant,
    display: DisplaySimulator,
    display_entry: MockConfigEntry,
) -> None:
    """Invalid measurements are unknown."""
    assert display.device.metrics is not None
    display.device.metrics |= {
        "memory": {"max_capacity": 0, "used_capacity": 0},
        "uptime": 1e18,
    }
    await set_up(hass, display_entry)
    await known(hass, "sensor", "cpu_temperature")
    assert value(hass, "sensor", "memory_usage") is None
    assert value(hass, "sensor", "started") is None


@pytest.mark.usefixtures("entity_registry_enabled_by_default")
@pytest.mark.parametrize("profile", ["B", "C"])
async def test_network(
    hass: HomeAssistant,
    display: DisplaySimulator,
    display_entry: MockConfigEntry,
) -> None:
    """The state of the network is shown."""
    await set_up(hass, display_entry)
    assert await known(hass, "sensor", "wifi_signal") == "71.0"
    assert value(hass, "binary_sensor", "internet") == "on"
    assert value(hass, "sensor", "last_outage") is None
    display.device.last_outage = {
        "start": "2026-10-01T20:00:00Z",
        "end": "2026-10-01T20:05:00Z",
        "class": "wan-down",
        "count24h": 2,
    }
    assert await known(hass, "sensor", "last_outage") == "2026-10-01T20:00:00+00:00"
    # Without the internet the device says nothing by itself.
    await display.set_internet(False)
    async with asyncio.timeout(10):
        # A push from before may come while the answer is on its way, and counts more.
        while value(hass, "binary_sensor", "internet") != "off":
            await display_entry.runtime_data.async_refresh()
            await asyncio.sleep(0.05)


@pytest.mark.parametrize("profile", FIRMWARE)
async def test_problem(
    hass: HomeAssistant, display: DisplaySimulator, display_entry: MockConfigEntry
) -> None:
    """A player that does not play has a problem, as long as it lasts."""
    display.player.load(EVENING)
    await set_up(hass, display_entry)
    assert value(hass, "binary_sensor", "playback_problem") == "off"
    display.break_page()
    await until(lambda: value(hass, "binary_sensor", "playback_problem") == "on")
    display.mend_page()
    await until(lambda: value(hass, "binary_sensor", "playback_problem") == "off")
    display.overheat()
    await until(lambda: value(hass, "binary_sensor", "playback_problem") == "on")


async def test_a_display_without_a_player(
    hass: HomeAssistant, display: DisplaySimulator, display_entry: MockConfigEntry
) -> None:
    """A page that has crashed from the start is a problem, too."""
    display.break_page()
    await set_up(hass, display_entry)
    assert value(hass, "binary_sensor", "playback_problem") == "on"


@pytest.mark.parametrize("profile", ["A"])
async def test_set_up_screen(
    hass: HomeAssistant, display: DisplaySimulator, display_entry: MockConfigEntry
) -> None:
    """A display on its set-up screen has no problem, also after something else of it was read."""
    await set_up(hass, display_entry)
    display.show_setup_page()
    coordinator = display_entry.runtime_data
    await coordinator.async_refresh()
    await coordinator.async_refresh()
    await until(lambda: value(hass, "binary_sensor", "playback_problem") == "unknown")
    coordinator.async_assume_device(muted=True)
    await coordinator.async_read_optional()
    await hass.async_block_till_done()
    assert coordinator.data.set_up
    assert value(hass, "binary_sensor", "playback_problem") == "unknown"


@pytest.mark.parametrize("profile", ["B"])
async def test_works_offline(
    hass: HomeAssistant,
    display: DisplaySimulator,
    display_entry: MockConfigEntry,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """A display downloads what it shows, by its URL or as it is, and tells how much of it is there; others refuse."""

    async def keep() -> Any:
        told = await hass.services.async_call(
            "dp1",
            "keep_offline",
            {"entity_id": ENTITY_ID},
            blocking=True,
            return_response=True,
        )
        return told and told[ENTITY_ID]

    async def count(number: int) -> None:
        """Wait until so many works are kept."""
        await until(lambda: len(display.offline.ready) == number)
        await display_entry.runtime_data.async_read_optional()
        assert value(hass, "sensor", "works_offline") == str(number)

    # A page has fewer works than there are.
    monkeypatch.setattr(offline, "_PAGE", 1)
    await set_up(hass, display_entry)
    with pytest.raises(HomeAssistantError) as caught:
        await keep()
    assert caught.value.translation_key == "nothing_shown"
    works = [
        {"title": name, "source": f"{display.url}/simulator/works/{name}"}
        for name in ("One", "Two", "Three")
    ]
    display.player.load({**playlist(), "items": works[:2]})
    with pytest.raises(HomeAssistantError) as caught:
        await keep()
    assert caught.value.translation_key == "display_rejected"
    assert "downloadPlaylist" in str(caught.value)
    assert value(hass, "sensor", "works_offline") is None

    display.offline.enabled = True
    assert await keep() == {"works": 2}
    await count(2)
    async with ScriptedServer.run(Reply(200, {**playlist(), "items": works})) as server:
        url = f"{server.url}/evening"
        display.player.load({**playlist(), "items": works}, url)
        assert await keep() == {"works": 3}
        await count(3)
        assert url in display.offline.playlists
    display.offline.entries[works[0]["source"]]["state"] = "queued"
    await display_entry.runtime_data.async_read_optional()
    assert display_entry.runtime_data.data.offline == OfflineCache(2)
