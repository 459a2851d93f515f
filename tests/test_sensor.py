"""Test the sensors and binary sensors of a display."""

import asyncio
from datetime import datetime, timedelta
from typing import Any

import pytest

from custom_components.dp1.client.display.device_status import OfflineCache
from homeassistant.exceptions import HomeAssistantError
from homeassistant.util import dt as dt_util

from .client.scripted_server import Reply, ScriptedServer
from .displays import FIRMWARE, playlist, until
from .walls import Wall

EVENING = playlist("Dawn", "<b>Noon</b>", "Dusk")


@pytest.mark.usefixtures("entity_registry_enabled_by_default")
@pytest.mark.parametrize("profile", FIRMWARE)
async def test_place_in_the_playlist(bare: Wall) -> None:
    """Position, number of works, and the next work follow the display."""
    bare.display.player.load(EVENING)
    await bare.set_up()
    assert bare.value("sensor", "work_number") == "1"
    assert bare.value("sensor", "works") == "3"
    assert bare.value("sensor", "next_work") == "Noon"
    bare.display.player.handle("moveToArtwork", {"index": 5})
    await until(lambda: bare.value("sensor", "work_number") == "3")
    assert bare.value("sensor", "next_work") == "Dawn"
    bare.display.player.handle("setLoop", {"mode": "one"})
    await until(lambda: bare.value("sensor", "next_work") == "Dusk")
    bare.display.player.handle("setLoop", {"mode": "none"})
    await until(lambda: bare.value("sensor", "next_work") == "unknown")
    bare.display.player.handle("disconnect", {})
    await until(lambda: bare.value("sensor", "work_number") == "unknown")
    assert bare.value("sensor", "works") == "0"


@pytest.mark.usefixtures("entity_registry_enabled_by_default")
@pytest.mark.parametrize("profile", FIRMWARE)
async def test_measures(bare: Wall) -> None:
    """Measurements have common units."""
    await bare.set_up()
    for key, value in {
        "cpu_temperature": 52,
        "gpu_temperature": 50,
        "memory_usage": 33.12,
        "disk_usage": 12.92,
    }.items():
        measured = float(await bare.known("sensor", key))
        assert measured == pytest.approx(value, 0.01), key
    started = datetime.fromisoformat(await bare.known("sensor", "started"))
    ago = dt_util.utcnow() - started
    assert abs(ago - timedelta(seconds=86400)) < timedelta(minutes=1)


@pytest.mark.usefixtures("entity_registry_enabled_by_default")
async def test_measures_that_make_no_sense(bare: Wall) -> None:
    """Invalid measurements are unknown."""
    assert bare.display.device.metrics is not None
    none = {"max_capacity": 0, "used_capacity": 0}
    # A machine without a sensor.
    cold = {"current_temperature": 0, "max_temperature": 0}
    bare.display.device.metrics |= {"memory": none, "uptime": 1e18, "gpu": cold}
    await bare.set_up()
    await bare.known("sensor", "cpu_temperature")
    assert bare.value("sensor", "gpu_temperature") is None
    assert bare.value("sensor", "memory_usage") is None
    assert bare.value("sensor", "started") is None


@pytest.mark.usefixtures("entity_registry_enabled_by_default")
async def test_network(bare: Wall) -> None:
    """The state of the network is shown."""
    await bare.set_up()
    assert bare.value("binary_sensor", "internet") == "on"
    assert bare.value("sensor", "last_outage") is None
    bare.display.device.last_outage = {
        "start": "2026-10-01T20:00:00Z",
        "end": "2026-10-01T20:05:00Z",
        "class": "wan-down",
        "count24h": 2,
    }
    assert await bare.known("sensor", "last_outage") == "2026-10-01T20:00:00+00:00"
    # Without the internet the device says nothing by itself.
    await bare.display.set_internet(False)
    async with asyncio.timeout(10):
        # A push from before may come while the answer is on its way, and counts more.
        while bare.value("binary_sensor", "internet") != "off":
            await bare.coordinator.async_refresh()
            await asyncio.sleep(0.05)


@pytest.mark.parametrize("profile", ["A"])
async def test_set_up_screen(wall: Wall) -> None:
    """A display on its set-up screen has no problem, also after something else of it was read."""
    key = ("binary_sensor", "playback_problem")
    wall.display.show_setup_page()
    for _ in range(2):
        await wall.coordinator.async_refresh()
    await until(lambda: wall.value(*key) == "unknown")
    wall.coordinator.async_assume_device(muted=True)
    await wall.coordinator.async_read_optional()
    await wall.hass.async_block_till_done()
    assert wall.coordinator.data.set_up
    assert wall.value(*key) == "unknown"


@pytest.mark.parametrize("profile", ["B"])
async def test_works_offline(bare: Wall) -> None:
    """A display downloads what it shows, by its URL or as it is, and tells how much of it is there; others refuse."""

    async def keep() -> Any:
        return await bare.do("dp1.keep_offline", response=True)

    async def refusal() -> HomeAssistantError:
        with pytest.raises(HomeAssistantError) as caught:
            await keep()
        return caught.value

    async def count(number: int) -> None:
        """Wait until so many works are kept."""
        await until(lambda: len(bare.display.offline.ready) == number)
        await bare.coordinator.async_read_optional()
        assert bare.value("sensor", "works_offline") == str(number)

    await bare.set_up()
    assert (await refusal()).translation_key == "nothing_shown"
    works = [
        {"title": name, "source": f"{bare.display.url}/simulator/works/{name}"}
        for name in ("One", "Two", "Three")
    ]
    bare.display.player.load({**playlist(), "items": works[:2]})
    error = await refusal()
    assert error.translation_key == "display_rejected"
    assert "downloadPlaylist" in str(error)
    assert bare.value("sensor", "works_offline") is None

    bare.display.offline.enabled = True
    assert await keep() == {"works": 2}
    await count(2)
    async with ScriptedServer.run(Reply(200, {**playlist(), "items": works})) as server:
        url = f"{server.url}/evening"
        bare.display.player.load({**playlist(), "items": works}, url)
        assert await keep() == {"works": 3}
        await count(3)
        assert url in bare.display.offline.playlists
    bare.display.offline.entries[works[0]["source"]]["state"] = "queued"
    await bare.coordinator.async_read_optional()
    assert bare.coordinator.data.offline == OfflineCache(2)
