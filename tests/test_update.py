"""Test the update entity of a display."""

from datetime import timedelta

import pytest
from pytest_homeassistant_custom_component.common import (
    MockConfigEntry,
    async_fire_time_changed,
)

from homeassistant.core import HomeAssistant
from homeassistant.exceptions import HomeAssistantError
from homeassistant.util import dt as dt_util

from .displays import FIRMWARE, set_up, until
from .entities import act, known, shown, value
from .simulators.display import DisplaySimulator, FaultKind
from .timing import FAST

from tests.timing import Timing


@pytest.fixture
def timing() -> Timing:
    """Shorten more delays."""
    return dict(FAST, first_retry=0.02)


@pytest.mark.parametrize("profile", FIRMWARE)
async def test_install(
    hass: HomeAssistant, display: DisplaySimulator, display_entry: MockConfigEntry
) -> None:
    """Firmware is installed on request, and in progress until the new version is reported."""
    display.device.latest_version = "9.9.9"
    display.boot_seconds = 0.3
    await set_up(hass, display_entry)
    state = shown(hass, "update", "firmware")
    assert state.state == "on"
    assert state.attributes["installed_version"] == display.firmware.version
    assert state.attributes["latest_version"] == "9.9.9"
    assert state.attributes["in_progress"] is False
    await act(hass, "update", "firmware", "install")
    state = shown(hass, "update", "firmware")
    assert state.attributes["in_progress"] is True
    assert state.attributes["update_percentage"] is None
    await until(lambda: value(hass, "update", "firmware") == "off")
    state = shown(hass, "update", "firmware")
    assert state.attributes["installed_version"] == "9.9.9"
    assert state.attributes["in_progress"] is False
    assert display.commands.count("updateToLatestVersion") == 1


async def test_installation_that_never_shows(
    hass: HomeAssistant,
    display: DisplaySimulator,
    display_entry: MockConfigEntry,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """The progress ends after a while without a new version."""
    display.server.gate = None
    display.device.latest_version = "9.9.9"
    display.device.on_update = lambda: None
    await set_up(hass, display_entry)
    for _ in range(2):
        await act(hass, "update", "firmware", "install")
        assert shown(hass, "update", "firmware").attributes["in_progress"] is True
        async_fire_time_changed(hass, dt_util.utcnow() + timedelta(minutes=31))
        await hass.async_block_till_done()
        assert shown(hass, "update", "firmware").attributes["in_progress"] is False
        assert value(hass, "update", "firmware") == "on"


async def test_installation_that_is_refused(
    hass: HomeAssistant, display: DisplaySimulator, display_entry: MockConfigEntry
) -> None:
    """A refused installation is not in progress."""
    display.device.latest_version = "9.9.9"
    await set_up(hass, display_entry)
    display.inject(FaultKind.STATUS, command="updateToLatestVersion", status=500)
    with pytest.raises(HomeAssistantError) as error:
        await act(hass, "update", "firmware", "install")
    assert error.value.translation_key == "display_rejected"
    assert shown(hass, "update", "firmware").attributes["in_progress"] is False


async def test_latest_firmware_unknown(
    hass: HomeAssistant, display: DisplaySimulator, display_entry: MockConfigEntry
) -> None:
    """The entity is unknown while the display does not know the latest version."""
    await display.set_internet(False)
    await set_up(hass, display_entry)
    assert value(hass, "update", "firmware") == "unknown"
    await display.set_internet(True)
    assert await known(hass, "update", "firmware") == "off"


async def test_unload_while_under_way(
    hass: HomeAssistant, display: DisplaySimulator, display_entry: MockConfigEntry
) -> None:
    """An entry can be unloaded during an installation."""
    display.device.latest_version = "9.9.9"
    display.device.on_update = lambda: None
    await set_up(hass, display_entry)
    await act(hass, "update", "firmware", "install")
    assert await hass.config_entries.async_unload(display_entry.entry_id)


async def test_an_update_that_is_refused_twice(
    hass: HomeAssistant, display: DisplaySimulator, display_entry: MockConfigEntry
) -> None:
    """It is not offered for ever, but the next one is."""
    display.device.latest_version = "9.9.9"
    await set_up(hass, display_entry)
    display.inject(
        FaultKind.STATUS,
        command="updateToLatestVersion",
        status=400,
        text="no controller has acknowledged it",
    )
    keys = []
    for _ in range(2):
        assert value(hass, "update", "firmware") == "on"
        with pytest.raises(HomeAssistantError) as caught:
            await act(hass, "update", "firmware", "install")
        keys.append(caught.value.translation_key)
    assert keys[1] == "update_refused" != keys[0]
    assert value(hass, "update", "firmware") == "off"
    display.device.latest_version = "9.9.10"
    await display_entry.runtime_data.async_read_device()
    await until(lambda: value(hass, "update", "firmware") == "on")
