"""What is read slowly: once to learn of it, then only while somebody looks."""

import pytest
from pytest_homeassistant_custom_component.common import MockConfigEntry

from custom_components.dp1 import details
from homeassistant.core import HomeAssistant
from homeassistant.helpers import entity_registry as er

from .displays import DESCRIPTION, FIRMWARE, set_up, until
from .entities import all_switched_on, entity_id, known, value
from .simulators.display import DisplaySimulator, FaultKind

SLOW = {"ddcPanelStatus", "deviceMetrics", "getContentPolicy"}


@pytest.fixture(autouse=True)
def _fast(monkeypatch: pytest.MonkeyPatch) -> None:
    """Let a minute pass in no time."""
    monkeypatch.setattr(details, "TICK", 0.05)


def asked(display: DisplaySimulator, command: str) -> int:
    """Count the commands of a kind."""
    return display.commands.count(command)


@pytest.mark.parametrize(
    ("profile", "expected"),
    [
        ("A", {"ddcPanelStatus", "deviceMetrics"}),
        ("A1", {"ddcPanelStatus", "deviceMetrics"}),
        ("B", SLOW),
        ("C", SLOW),
        *((profile, set()) for profile in DESCRIPTION),
    ],
)
async def test_learned_once(
    hass: HomeAssistant,
    display: DisplaySimulator,
    display_entry: MockConfigEntry,
    monkeypatch: pytest.MonkeyPatch,
    expected: set[str],
) -> None:
    """A display is asked once what it offers, and not after what it would not know."""
    monkeypatch.setattr(details, "TICK", 60)
    await set_up(hass, display_entry)
    await until(lambda: set(display.commands) >= expected)
    await hass.async_block_till_done()
    assert {command for command in display.commands if command in SLOW} == expected
    assert all(asked(display, command) == 1 for command in expected)


async def test_nobody_looks(
    hass: HomeAssistant, display: DisplaySimulator, setup_display: MockConfigEntry
) -> None:
    """What only entities show that are off is not asked for again."""
    await known(hass, "number", "panel_brightness")
    registry = er.async_get(hass)
    await until(lambda: asked(display, "ddcPanelStatus") >= 2)
    assert asked(display, "deviceMetrics") == 1
    assert registry.async_get(
        entity_id(hass, "sensor", "cpu_temperature") or ""
    ).disabled_by


@pytest.mark.parametrize("profile", FIRMWARE)
async def test_somebody_looks(
    hass: HomeAssistant,
    display: DisplaySimulator,
    display_entry: MockConfigEntry,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """What is looked at follows the display, the panel seldom."""
    all_switched_on(monkeypatch)
    await set_up(hass, display_entry)
    await known(hass, "sensor", "cpu_temperature")
    assert display.device.metrics is not None
    display.device.metrics["cpu"]["current_temperature"] = 61
    await until(lambda: value(hass, "sensor", "cpu_temperature") == "61.0")
    display.device.panel.values["brightness"] = 11
    await until(lambda: value(hass, "number", "panel_brightness") == "11")
    assert asked(display, "deviceMetrics") > 2 * asked(display, "ddcPanelStatus")


async def test_before_the_first_sample(
    hass: HomeAssistant, display: DisplaySimulator, display_entry: MockConfigEntry
) -> None:
    """A display that has measured nothing yet is asked again."""
    display.device.metrics, sample = None, display.device.metrics
    await set_up(hass, display_entry)
    await until(lambda: asked(display, "deviceMetrics") > 1)
    display.device.metrics = sample
    await until(lambda: entity_id(hass, "sensor", "cpu_temperature"))


async def test_asked_again_after_a_failure(
    hass: HomeAssistant, display: DisplaySimulator, display_entry: MockConfigEntry
) -> None:
    """An answer that gets lost is not taken for a no."""
    display.inject(FaultKind.CLOSE, command="ddcPanelStatus", times=2)
    await set_up(hass, display_entry)
    assert await known(hass, "switch", "panel") == "on"


async def test_a_no_is_a_no(
    hass: HomeAssistant, display: DisplaySimulator, display_entry: MockConfigEntry
) -> None:
    """A display that does not know a question is not asked it again."""
    display.inject(FaultKind.STATUS, command="ddcPanelStatus", status=500)
    await set_up(hass, display_entry)
    await until(lambda: asked(display, "ddcPanelStatus"))
    await until(lambda: entity_id(hass, "image", "screenshot"))
    assert asked(display, "ddcPanelStatus") == 1
    assert entity_id(hass, "switch", "panel") is None


async def test_new_firmware_may_offer_more(
    hass: HomeAssistant, display: DisplaySimulator, display_entry: MockConfigEntry
) -> None:
    """After an update the display is asked again what it offers."""
    fault = display.inject(FaultKind.STATUS, command="ddcPanelStatus", status=500)
    await set_up(hass, display_entry)
    await until(lambda: asked(display, "ddcPanelStatus"))
    fault.times = 0
    display.device.installed_version = "3.0.0"
    assert await known(hass, "switch", "panel") == "on"


async def test_another_monitor_after_the_display_was_away(
    hass: HomeAssistant,
    display: DisplaySimulator,
    display_entry: MockConfigEntry,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """A display that returns may have another monitor."""
    monkeypatch.setattr("custom_components.dp1.coordinator.PATIENCE", 0.2)
    monkeypatch.setattr("custom_components.dp1.coordinator.FIRST_RETRY", 0.02)
    display.device.panel.supported = False
    display.poller.relayer_connected = False
    await set_up(hass, display_entry)
    await until(lambda: entity_id(hass, "image", "screenshot"))
    assert entity_id(hass, "switch", "panel") is None
    await display.power_off()
    await until(lambda: hass.states.get("media_player.wall").state == "unavailable")
    await until(lambda: asked(display, "ddcPanelStatus") == 1)
    display.device.panel.supported = True
    await display.power_on()
    assert await known(hass, "switch", "panel") == "on"
