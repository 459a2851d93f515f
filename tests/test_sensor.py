"""Test the sensors and binary sensors of a display."""

from datetime import datetime, timedelta

import pytest
from pytest_homeassistant_custom_component.common import MockConfigEntry

from homeassistant.core import HomeAssistant
from homeassistant.util import dt as dt_util

from .displays import FIRMWARE, playlist, set_up, until
from .entities import known, shown, value
from .simulators.display import DisplaySimulator

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
    coordinator = display_entry.runtime_data
    await coordinator.async_refresh()
    await until(lambda: value(hass, "binary_sensor", "internet") == "off")


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
    """A display on its set-up screen has no problem."""
    await set_up(hass, display_entry)
    display.show_setup_page()
    await display_entry.runtime_data.async_refresh()
    await display_entry.runtime_data.async_refresh()
    await until(lambda: value(hass, "binary_sensor", "playback_problem") == "unknown")
