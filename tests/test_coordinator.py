"""Test the coordinator of a display."""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
import logging
from unittest.mock import Mock

import pytest

from homeassistant.config_entries import ConfigEntryState
from homeassistant.exceptions import HomeAssistantError
from homeassistant.helpers.update_coordinator import UpdateFailed

from .displays import DESCRIPTION, FIRMWARE, playlist, settle, until
from .simulators.display import DisplaySimulator, FaultKind
from .timing import DEFAULTS, FAST, set_timing
from .walls import EVENING, Wall

from tests.timing import Timing

pytestmark = pytest.mark.usefixtures("socket_enabled")


@pytest.fixture
def timing() -> Timing:
    """Shorten more delays."""
    return dict(FAST, loss_patience=0.3, last_retry=0.2, probe_interval=0.2)


async def lose(wall: Wall) -> None:
    """Disconnect the display and wait until it is unavailable."""
    await wall.display.power_off()
    await until(lambda: wall.state == "unavailable")


@asynccontextmanager
async def stranger(wall: Wall) -> AsyncIterator[DisplaySimulator]:
    """Run another display at the address, once that of the entry is off."""
    other = DisplaySimulator("B", "FF1-ZZ99ZZ99", port=wall.display.port)
    async with other:
        other.player.load(playlist("Storm", "Flood"))
        yield other


# Nothing is sent that was not asked for


@pytest.mark.parametrize("profile", [*FIRMWARE, *DESCRIPTION])
async def test_start_and_reload_only_read(
    bare: Wall, caplog: pytest.LogCaptureFixture
) -> None:
    """Set-up and reload send nothing but status reads, log at most a line, and change nothing on the wall."""
    # A machine that is slow for a moment is no loss that is worth a line.
    set_timing(**DEFAULTS)
    display = bare.display
    display.player.load(EVENING)
    display.player.turn_page(asleep=True)
    describes = display.firmware.profile in DESCRIPTION
    await until(lambda: display.player.asleep)
    await bare.set_up()
    assert bare.entry.state is ConfigEntryState.LOADED
    await until(lambda: len(display.sockets) or describes)
    before = display.state
    caplog.clear()
    caplog.set_level(logging.INFO)
    await bare.reload()
    await bare.hass.config_entries.async_unload(bare.entry.entry_id)
    assert not display.writes
    assert display.state == before
    lines = [record for record in caplog.records if ".dp1" in record.name]
    assert len(lines) <= 1


# Following


@pytest.mark.parametrize("profile", FIRMWARE)
async def test_what_happens_at_the_display_shows(wall: Wall) -> None:
    """A cast of another client is shown by a push, with what pushes omit, and so is one while nobody listened."""
    display = wall.display
    await until(lambda: len(display.sockets) == 1)
    display.player.load(EVENING)
    await until(lambda: wall.attribute("media_title") == "Dawn")
    await until(lambda: wall.attribute("media_playlist") == "Evening")
    await display.power_off()
    display.player.load(playlist("Sun", title="Morning"))
    await display.power_on()
    await until(lambda: wall.attribute("media_playlist") == "Morning")


async def test_a_display_without_the_makers_cloud_is_asked_for_the_rest(
    wall: Wall,
) -> None:
    """The volume is polled if it is not pushed."""
    wall.display.poller.relayer_connected = False
    wall.display.device.mixer = 0
    await wall.coordinator.async_refresh()
    assert wall.attribute("volume_level") == 0


async def test_a_push_during_a_reading_is_newer(wall: Wall) -> None:
    """An older answer does not replace a push, and whoever reads after the push gets none from before it."""
    await until(lambda: len(wall.display.sockets) == 1)
    await wall.load()
    late = {"command": "checkStatus", "times": 1, "seconds": 0.6}
    fault = wall.display.inject(FaultKind.LATE, **late)
    older = wall.hass.async_create_task(wall.coordinator.async_read_player())
    await until(lambda: fault.hits)
    wall.move(1)
    await until(lambda: wall.attribute("media_title") == "Noon")
    newer = await wall.coordinator.async_read_player()
    assert newer.current.title == "Noon"
    await older
    assert wall.attribute("media_title") == "Noon"


async def test_an_answer_may_be_newer_than_a_push_meanwhile(wall: Wall) -> None:
    """Neither tells of when it is: if they differ, the device is read again."""
    display, coordinator = wall.display, wall.coordinator
    await until(lambda: len(display.sockets) == 1)
    slow = {"command": "getDeviceStatus", "times": 1, "seconds": 0.6}
    fault = display.inject(FaultKind.SLOW, **slow)
    answer = wall.hass.async_create_task(coordinator.async_refresh())
    await until(lambda: fault.hits)
    display.device.orientation = "portrait"
    display.poller.force()
    await until(lambda: coordinator.data.device.screen_rotation == "portrait")
    display.poller.relayer_connected = False
    display.device.mixer = 0
    await answer
    await until(lambda: wall.attribute("volume_level") == 0)


async def test_a_work_after_a_player_was_gone_has_no_start(wall: Wall) -> None:
    """When a work appeared is unknown after its display showed another page."""
    await wall.load()
    wall.move(1)
    await until(lambda: wall.attribute("media_position_updated_at"))
    wall.display.show_setup_page()
    await wall.coordinator.async_refresh_player()
    assert wall.coordinator.data.set_up
    wall.display.show_setup_page(False)
    await wall.coordinator.async_refresh_player()
    assert wall.attribute("media_title") == "Noon"
    assert wall.attribute("media_position_updated_at") is None


# Loss


@pytest.mark.parametrize("profile", ["B", "legacy"])
async def test_a_lost_display_is_told_once_and_comes_back(
    wall: Wall, caplog: pytest.LogCaptureFixture
) -> None:
    """Loss and return are logged once each, and the display is usable within five seconds."""

    def lines() -> list[str]:
        """Return the log messages about the display."""
        return [
            record.message.partition(":")[0]
            for record in caplog.records
            if record.name == "custom_components.dp1" and record.levelno >= logging.INFO
        ]

    caplog.set_level(logging.INFO, "custom_components.dp1")
    caplog.clear()
    await lose(wall)
    connection = wall.coordinator.connection
    tries = connection.misses
    await until(lambda: connection.misses > tries + 3)
    await wall.coordinator.async_refresh()
    assert lines() == ["Wall is unavailable"]
    await wall.display.power_on()
    await until(lambda: wall.state != "unavailable")
    assert lines() == ["Wall is unavailable", "Wall is back"]


async def test_a_display_is_woken_before_its_socket_is_open_again(wall: Wall) -> None:
    """A command needs no socket, only the display of the entry."""
    connection = wall.coordinator.connection
    await wall.load()
    await until(lambda: connection.connected)
    wall.display.inject(FaultKind.STATUS, route="/api/notification")
    await wall.display.power_off()
    await until(lambda: not connection.connected)
    await wall.display.power_on()
    for action in ("turn_off", "turn_on"):
        await wall.do(action)
    assert not connection.connected
    assert wall.state == "playing"


# Another display at the address


async def test_another_display_at_the_address_is_left_alone(wall: Wall) -> None:
    """Another display at the address is neither shown nor sent commands."""
    await wall.display.power_off()
    async with stranger(wall) as other:
        await until(lambda: wall.state == "unavailable")
        await wall.coordinator.async_refresh()
        assert isinstance(wall.coordinator.last_exception, UpdateFailed)
        wall.coordinator.async_set(set_up=True)
        with pytest.raises(HomeAssistantError) as caught:
            await wall.do("dp1.cast_playlist", playlist=EVENING)
        assert caught.value.translation_key == "another_display"
        assert wall.state == "unavailable"
        assert not other.writes
        await wall.reload()
        assert wall.entry.state is ConfigEntryState.SETUP_RETRY
        assert wall.entry.error_reason_translation_key == "another_display"
    await wall.display.power_on()
    await wall.reload()
    assert wall.entry.state is ConfigEntryState.LOADED


@pytest.mark.parametrize("is_set_up", [False, True])
async def test_another_display_before_the_check(wall: Wall, is_set_up: bool) -> None:
    """Between two connections nothing is taken from another display, and it gets no command."""
    coordinator = wall.coordinator
    await wall.load()
    await until(lambda: coordinator.data.work and coordinator.connection.connected)
    await settle(wall.display)
    set_timing(first_retry=60.0, last_retry=60.0)
    await wall.display.power_off()
    await until(lambda: not coordinator.connection.connected)
    async with stranger(wall) as other:
        other.device.mixer = 100
        other.show_setup_page(is_set_up)
        with pytest.raises(HomeAssistantError) as caught:
            await wall.do("turn_off")
        assert caught.value.translation_key == "another_display"
        assert not other.writes
        await coordinator.async_read_device()
        await coordinator.async_refresh_player()
        assert coordinator.data.device.volume == 50
        assert coordinator.data.work.title == "Dawn"
        assert not coordinator.data.set_up
        assert wall.state == "unavailable"


async def test_another_display_is_noticed_without_a_socket(bare: Wall) -> None:
    """A display whose socket never opens is checked once it was lost."""
    no_socket = {"route": "/api/notification", "status": 404}
    bare.display.inject(FaultKind.STATUS, **no_socket)
    bare.display.player.load(EVENING)
    await bare.set_up()
    set_timing(loss_patience=0.0, last_retry_without_socket=0.1)
    await lose(bare)
    async with stranger(bare) as other:
        other.inject(FaultKind.STATUS, **no_socket)
        await bare.coordinator.async_refresh()
        assert bare.coordinator.data.work.title == "Dawn"
        assert bare.state == "unavailable"


# At start


async def test_a_display_that_is_off_at_start_is_set_up_later(bare: Wall) -> None:
    """The reason is shown, and set-up is retried."""
    await bare.display.power_off()
    await bare.set_up()
    assert bare.entry.state is ConfigEntryState.SETUP_RETRY
    assert bare.entry.error_reason_translation_key == "display_refused"
    await bare.display.power_on()
    await bare.reload()
    assert bare.entry.state is ConfigEntryState.LOADED
    assert bare.entry.data["dialect"] == "ff"
    assert len(bare.entry.data["macs"]) == 2


async def test_firmware_that_is_unwell_is_not_taken_for_another_kind(
    bare: Wall,
) -> None:
    """A first status read that fails does not make the display cast-only."""
    bare.display.inject(FaultKind.STATUS, command="getDeviceStatus", times=1)
    bare.display.inject(FaultKind.STATUS, route="/api/v2/status", status=404)
    await bare.set_up()
    assert bare.entry.state is ConfigEntryState.LOADED
    assert not bare.coordinator.cast_only


async def test_a_fault_of_ours_in_a_push(
    wall: Wall, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    """It is logged, and costs neither the connection nor the next push."""
    await wall.load()
    handle = Mock(side_effect=[KeyError])
    with monkeypatch.context() as patch:
        patch.setattr(wall.coordinator, "_handle_player", handle)
        wall.move(1)
        await until(lambda: "Unexpected error handling a push" in caplog.text)
    wall.move(2)
    await until(lambda: wall.attribute("media_track") == 3)
    assert wall.coordinator.connection.connected
