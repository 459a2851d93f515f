"""Test the update entity of a display."""

from datetime import timedelta
from typing import Any

import pytest
from pytest_homeassistant_custom_component.common import async_fire_time_changed

from homeassistant.exceptions import HomeAssistantError
from homeassistant.util import dt as dt_util

from .displays import FIRMWARE, until
from .simulators.display import FaultKind
from .timing import FAST
from .walls import Wall

from tests.timing import Timing


@pytest.fixture
def timing() -> Timing:
    """Shorten more delays."""
    return dict(FAST, first_retry=0.02)


@pytest.fixture
async def old(bare: Wall) -> Wall:
    """Set up a display for which there is new firmware."""
    bare.display.device.latest_version = "9.9.9"
    await bare.set_up()
    return bare


async def install(wall: Wall) -> None:
    await wall.act("update", "firmware", "install")


def attribute(wall: Wall, name: str) -> Any:
    return wall.shown("update", "firmware").attributes[name]


@pytest.mark.parametrize("profile", FIRMWARE)
async def test_install(old: Wall) -> None:
    """Firmware is installed on request, and in progress until the new version is reported."""
    old.display.boot_seconds = 0.3
    assert old.value("update", "firmware") == "on"
    assert attribute(old, "installed_version") == old.display.firmware.version
    assert attribute(old, "latest_version") == "9.9.9"
    assert attribute(old, "in_progress") is False
    await install(old)
    assert attribute(old, "in_progress") is True
    assert attribute(old, "update_percentage") is None
    await until(lambda: old.value("update", "firmware") == "off")
    assert attribute(old, "installed_version") == "9.9.9"
    assert attribute(old, "in_progress") is False
    assert old.display.commands.count("updateToLatestVersion") == 1


async def test_installation_that_never_shows(old: Wall) -> None:
    """The progress ends after a while without a new version, or when the entry is unloaded."""
    old.display.server.gate = None
    old.display.device.on_update = lambda: None
    for _ in range(2):
        await install(old)
        assert attribute(old, "in_progress") is True
        async_fire_time_changed(old.hass, dt_util.utcnow() + timedelta(minutes=31))
        await old.hass.async_block_till_done()
        assert attribute(old, "in_progress") is False
        assert old.value("update", "firmware") == "on"
    await install(old)
    assert await old.hass.config_entries.async_unload(old.entry.entry_id)


async def test_installation_that_is_refused(old: Wall) -> None:
    """A refused installation is not in progress."""
    refuse = {"command": "updateToLatestVersion", "status": 500}
    old.display.inject(FaultKind.STATUS, **refuse)
    with pytest.raises(HomeAssistantError) as caught:
        await install(old)
    assert caught.value.translation_key == "display_rejected"
    assert attribute(old, "in_progress") is False


async def test_latest_firmware_unknown(bare: Wall) -> None:
    """The entity is unknown while the display does not know the latest version."""
    await bare.display.set_internet(False)
    await bare.set_up()
    assert bare.value("update", "firmware") == "unknown"
    await bare.display.set_internet(True)
    assert await bare.known("update", "firmware") == "off"
