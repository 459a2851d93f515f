"""Test reading the details of a display, once at first and then while an entity listens."""

from datetime import timedelta

import pytest
from pytest_homeassistant_custom_component.common import (
    MockConfigEntry,
    async_fire_time_changed,
)

from homeassistant.core import HomeAssistant
from homeassistant.helpers import entity_registry as er
from homeassistant.util import dt as dt_util

from ..displays import FIRMWARE, set_up, until
from ..entities import entity_id, known, value
from ..simulators.display import DisplaySimulator, FaultKind

from tests.timing import set_timing

DETAILS = {"ddcPanelStatus", "deviceMetrics", "getContentPolicy"}


def asked(display: DisplaySimulator, command: str) -> int:
    """Return the number of commands of a kind."""
    return display.commands.count(command)


async def poll(entry: MockConfigEntry, times: int = 1) -> None:
    """Advance time by minutes."""
    for _ in range(times):
        await entry.runtime_data.async_read_optional()


@pytest.mark.parametrize(
    ("profile", "expected"),
    [
        ("A1", {"ddcPanelStatus", "deviceMetrics"}),
        ("B", DETAILS),
        ("legacy", set()),
    ],
)
async def test_learned_once(
    hass: HomeAssistant,
    display: DisplaySimulator,
    display_entry: MockConfigEntry,
    expected: set[str],
) -> None:
    """Supported details are read once, and unsupported ones not at all."""
    await set_up(hass, display_entry)
    await until(lambda: set(display.commands) >= expected)
    await poll(display_entry, 2)
    assert {command for command in display.commands if command in DETAILS} == expected
    assert all(asked(display, command) == 1 for command in expected)


async def test_polled_while_an_entity_listens(
    hass: HomeAssistant, display: DisplaySimulator, setup_display: MockConfigEntry
) -> None:
    """Details that only disabled entities use are not polled."""
    await known(hass, "number", "panel_brightness")
    sensor = er.async_get(hass).async_get(
        entity_id(hass, "sensor", "cpu_temperature") or ""
    )
    assert sensor is not None
    assert sensor.disabled_by
    await poll(setup_display, 4)
    assert asked(display, "ddcPanelStatus") == 1
    async_fire_time_changed(hass, dt_util.utcnow() + timedelta(seconds=61))
    await until(lambda: asked(display, "ddcPanelStatus") == 2)
    assert asked(display, "deviceMetrics") == 1


@pytest.mark.usefixtures("entity_registry_enabled_by_default")
@pytest.mark.parametrize("profile", FIRMWARE)
async def test_what_entities_show_is_read(
    hass: HomeAssistant,
    display: DisplaySimulator,
    display_entry: MockConfigEntry,
) -> None:
    """Details of enabled entities are polled, the panel less often."""
    # Without this the panel is pushed, too.
    display.poller.relayer_connected = False
    await set_up(hass, display_entry)
    await known(hass, "sensor", "cpu_temperature")
    await known(hass, "number", "panel_brightness")
    assert display.device.metrics is not None
    display.device.metrics["cpu"]["current_temperature"] = 61
    display.device.panel.values["brightness"] = 11
    await poll(display_entry)
    assert value(hass, "sensor", "cpu_temperature") == "61.0"
    assert value(hass, "number", "panel_brightness") != "11"
    await poll(display_entry, 4)
    assert value(hass, "number", "panel_brightness") == "11"


async def test_a_push_of_the_panel(
    hass: HomeAssistant, display: DisplaySimulator, setup_display: MockConfigEntry
) -> None:
    await known(hass, "number", "panel_brightness")
    await until(lambda: len(display.sockets))
    display.device.panel.values["brightness"] = 11
    await until(lambda: value(hass, "number", "panel_brightness") == "11")
    assert asked(display, "ddcPanelStatus") == 1


async def test_before_the_first_sample(
    hass: HomeAssistant, display: DisplaySimulator, display_entry: MockConfigEntry
) -> None:
    """A display without a measurement yet is asked again."""
    display.device.metrics, sample = None, display.device.metrics
    await set_up(hass, display_entry)
    await until(lambda: asked(display, "deviceMetrics"))
    await poll(display_entry)
    assert asked(display, "deviceMetrics") > 1
    assert not entity_id(hass, "sensor", "cpu_temperature")
    display.device.metrics = sample
    await poll(display_entry)
    await until(lambda: entity_id(hass, "sensor", "cpu_temperature"))


async def test_asked_again_after_a_failure(
    hass: HomeAssistant, display: DisplaySimulator, display_entry: MockConfigEntry
) -> None:
    fault = display.inject(FaultKind.CLOSE, command="ddcPanelStatus", times=2)
    await set_up(hass, display_entry)
    await until(lambda: fault.hits)
    await poll(display_entry, 2)
    assert await known(hass, "switch", "panel") == "on"


async def test_new_firmware_may_have_more(
    hass: HomeAssistant, display: DisplaySimulator, display_entry: MockConfigEntry
) -> None:
    """A command that the display does not support is not repeated, until its firmware is updated."""
    fault = display.inject(FaultKind.STATUS, command="ddcPanelStatus", status=500)
    await set_up(hass, display_entry)
    await until(lambda: entity_id(hass, "image", "screenshot"))
    await poll(display_entry, 6)
    assert asked(display, "ddcPanelStatus") == 1
    assert entity_id(hass, "switch", "panel") is None
    fault.times = 0
    display.device.installed_version = "3.0.0"
    coordinator = display_entry.runtime_data
    await coordinator.async_refresh()
    await until(lambda: coordinator.data.device.installed_version == "3.0.0")
    await poll(display_entry)
    assert await known(hass, "switch", "panel") == "on"


async def test_another_monitor_after_the_display_was_away(
    hass: HomeAssistant,
    display: DisplaySimulator,
    display_entry: MockConfigEntry,
) -> None:
    """Supported details are read again after the display was unavailable."""
    display.device.panel.supported = False
    display.poller.relayer_connected = False
    await set_up(hass, display_entry)
    set_timing(loss_patience=0.2)
    await until(lambda: entity_id(hass, "image", "screenshot"))
    assert entity_id(hass, "switch", "panel") is None
    await display.power_off()
    await until(lambda: hass.states.get("media_player.wall").state == "unavailable")
    display.device.panel.supported = True
    await display.power_on()
    assert await known(hass, "switch", "panel") == "on"
