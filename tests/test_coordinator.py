"""Test the coordinator of a display."""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
import logging
import time

import pytest
from pytest_homeassistant_custom_component.common import MockConfigEntry

from homeassistant.config_entries import ConfigEntryState
from homeassistant.core import CoreState, HomeAssistant
from homeassistant.exceptions import HomeAssistantError
from homeassistant.helpers.update_coordinator import UpdateFailed
from homeassistant.setup import async_setup_component

from .client.scripted_server import Reply, ScriptedServer
from .displays import (
    DESCRIPTION,
    DEVICE_ID,
    ENTITY_ID,
    FIRMWARE,
    entry_of,
    playlist,
    set_up,
    settle,
    state_of,
    until,
)
from .simulators.display import DisplaySimulator, FaultKind
from .timing import FAST, set_timing

from tests.timing import Timing

pytestmark = pytest.mark.usefixtures("socket_enabled")

EVENING = playlist("Dawn", "Noon", "Dusk")


@pytest.fixture
def timing() -> Timing:
    """Shorten more delays."""
    return dict(FAST, loss_patience=0.3, last_retry=0.2, probe_interval=0.2)


async def lose(hass: HomeAssistant, display: DisplaySimulator) -> None:
    """Disconnect the display and wait until it is unavailable."""
    await display.power_off()
    await until(lambda: state_of(hass).state == "unavailable")


def told(caplog: pytest.LogCaptureFixture) -> list[str]:
    """Return the log messages about the display."""
    return [
        record.message.partition(":")[0]
        for record in caplog.records
        if record.name == "custom_components.dp1" and record.levelno >= logging.INFO
    ]


# Nothing is sent that was not asked for


@pytest.mark.parametrize("profile", [*FIRMWARE, *DESCRIPTION])
async def test_start_and_reload_only_read(
    hass: HomeAssistant, display: DisplaySimulator, display_entry: MockConfigEntry
) -> None:
    """Set-up and reload send nothing but status reads."""
    display.player.load(EVENING)
    display.player.turn_page(asleep=True)
    describes = display.firmware.profile in DESCRIPTION
    await until(lambda: display.player.asleep or describes)
    await set_up(hass, display_entry)
    assert display_entry.state is ConfigEntryState.LOADED
    await until(lambda: len(display.sockets) or describes)
    await hass.config_entries.async_reload(display_entry.entry_id)
    await hass.async_block_till_done()
    await hass.config_entries.async_unload(display_entry.entry_id)
    assert not display.writes
    assert display.player.asleep or describes


async def test_unloading_leaves_nothing_behind(
    hass: HomeAssistant, display: DisplaySimulator, setup_display: MockConfigEntry
) -> None:
    """Unloading closes the socket, and the entity is unavailable."""
    await until(lambda: len(display.sockets) == 1)
    assert await hass.config_entries.async_unload(setup_display.entry_id)
    await until(lambda: len(display.sockets) == 0)
    assert state_of(hass).state == "unavailable"
    before = len(display.commands)
    await hass.async_block_till_done()
    assert len(display.commands) == before


# Following


@pytest.mark.parametrize("profile", FIRMWARE)
async def test_what_happens_at_the_display_shows_at_once(
    hass: HomeAssistant, display: DisplaySimulator, setup_display: MockConfigEntry
) -> None:
    """A cast of another client is shown within two seconds, with what pushes omit."""
    await until(lambda: len(display.sockets) == 1)
    display.player.load(EVENING)
    await until(lambda: state_of(hass).attributes.get("media_title") == "Dawn", 2.0)
    await until(lambda: state_of(hass).attributes.get("media_playlist") == "Evening")


@pytest.mark.parametrize("profile", FIRMWARE)
async def test_what_happened_meanwhile_is_asked_for_after_reconnecting(
    hass: HomeAssistant,
    display: DisplaySimulator,
    setup_display: MockConfigEntry,
    caplog: pytest.LogCaptureFixture,
) -> None:
    """The state is read after a reconnect; a short interruption is no loss."""
    await until(lambda: len(display.sockets) == 1)
    await display.power_off()
    display.player.load(EVENING)
    await display.power_on()
    await until(lambda: state_of(hass).attributes.get("media_playlist") == "Evening")


async def test_a_display_without_the_makers_cloud_is_asked_for_the_rest(
    hass: HomeAssistant, display: DisplaySimulator, setup_display: MockConfigEntry
) -> None:
    """The volume is polled if it is not pushed."""
    display.poller.relayer_connected = False
    display.device.mixer = 0
    await setup_display.runtime_data.async_refresh()
    assert state_of(hass).attributes["volume_level"] == 0


async def test_a_push_during_a_reading_is_newer(
    hass: HomeAssistant, display: DisplaySimulator, setup_display: MockConfigEntry
) -> None:
    """An older answer does not replace a push, and whoever reads after the push gets none from before it."""
    await until(lambda: len(display.sockets) == 1)
    display.player.load(EVENING)
    await until(lambda: state_of(hass).attributes.get("media_playlist") == "Evening")
    fault = display.inject(FaultKind.LATE, command="checkStatus", times=1, seconds=0.6)
    coordinator = setup_display.runtime_data
    older = hass.async_create_task(coordinator.async_read_player())
    await until(lambda: fault.hits)
    display.player.handle("moveToArtwork", {"index": 1})
    await until(lambda: state_of(hass).attributes.get("media_title") == "Noon")
    newer = await coordinator.async_read_player()
    assert newer.current.title == "Noon"
    await older
    assert state_of(hass).attributes["media_title"] == "Noon"


async def test_an_answer_may_be_newer_than_a_push_meanwhile(
    hass: HomeAssistant, display: DisplaySimulator, setup_display: MockConfigEntry
) -> None:
    """Neither tells of when it is: if they differ, the device is read again."""
    await until(lambda: len(display.sockets) == 1)
    fault = display.inject(
        FaultKind.SLOW, command="getDeviceStatus", times=1, seconds=0.6
    )
    coordinator = setup_display.runtime_data
    answer = hass.async_create_task(coordinator.async_refresh())
    await until(lambda: fault.hits)
    display.device.orientation = "portrait"
    display.poller.force()
    await until(lambda: coordinator.data.device.screen_rotation == "portrait")
    display.poller.relayer_connected = False
    display.device.mixer = 0
    await answer
    await until(lambda: state_of(hass).attributes["volume_level"] == 0)


# Faults


@pytest.mark.parametrize("profile", ["B", "legacy"])
async def test_a_lost_display_is_told_once_and_comes_back(
    hass: HomeAssistant,
    display: DisplaySimulator,
    setup_display: MockConfigEntry,
    caplog: pytest.LogCaptureFixture,
) -> None:
    """Loss and return are logged once each, and the display is usable within five seconds."""
    caplog.set_level(logging.INFO, "custom_components.dp1")
    caplog.clear()
    await lose(hass, display)
    tries = setup_display.runtime_data.connection.misses
    await until(lambda: setup_display.runtime_data.connection.misses > tries + 3)
    await setup_display.runtime_data.async_refresh()
    assert told(caplog) == ["Wall is unavailable"]
    await display.power_on()
    await until(lambda: state_of(hass).state != "unavailable", 5.0)
    assert told(caplog) == [
        "Wall is unavailable",
        "Wall is back",
    ]


@pytest.mark.parametrize(
    ("status", "text"),
    [(429, "Too many commands, slow down"), (500, "Failed"), (503, "")],
)
async def test_a_display_that_answers_is_there(
    hass: HomeAssistant,
    display: DisplaySimulator,
    setup_display: MockConfigEntry,
    monkeypatch: pytest.MonkeyPatch,
    status: int,
    text: str,
) -> None:
    """A display that is busy or returns errors stays available."""
    monkeypatch.setattr("custom_components.dp1.client.display.transport._BACKOFF", 0.01)
    await until(lambda: len(display.sockets) == 1)
    display.inject(
        FaultKind.STATUS, command="getDeviceStatus", status=status, text=text
    )
    for _ in range(4):
        await setup_display.runtime_data.async_refresh()
    assert state_of(hass).state == "idle"


async def test_a_work_after_a_player_was_gone_has_no_start(
    hass: HomeAssistant, display: DisplaySimulator, setup_display: MockConfigEntry
) -> None:
    """When a work appeared is unknown after its display showed another page."""
    display.player.load(EVENING)
    await until(lambda: state_of(hass).attributes.get("media_playlist"))
    display.player.handle("moveToArtwork", {"index": 1})
    await until(lambda: "media_position_updated_at" in state_of(hass).attributes)
    coordinator = setup_display.runtime_data
    display.show_setup_page()
    await coordinator.async_refresh_player()
    assert coordinator.data.set_up
    display.show_setup_page(False)
    await coordinator.async_refresh_player()
    assert state_of(hass).attributes["media_title"] == "Noon"
    assert "media_position_updated_at" not in state_of(hass).attributes


async def test_another_display_at_the_address_is_left_alone(
    hass: HomeAssistant, display: DisplaySimulator, setup_display: MockConfigEntry
) -> None:
    """Another display at the address is neither shown nor sent commands."""
    port = display.port
    await display.power_off()
    async with DisplaySimulator(
        profile="B", device_id="FF1-ZZ99ZZ99", port=port, poll_interval=0.1
    ) as other:
        await until(lambda: state_of(hass).state == "unavailable")
        other.player.load(EVENING)
        await setup_display.runtime_data.async_refresh()
        assert isinstance(setup_display.runtime_data.last_exception, UpdateFailed)
        setup_display.runtime_data.async_set(set_up=True)
        with pytest.raises(HomeAssistantError) as caught:
            await hass.services.async_call(
                "dp1",
                "cast_playlist",
                {"entity_id": ENTITY_ID, "playlist": EVENING},
                blocking=True,
            )
        assert caught.value.translation_key == "another_display"
        assert state_of(hass).state == "unavailable"
        assert not other.writes
        await hass.config_entries.async_reload(setup_display.entry_id)
        await hass.async_block_till_done()
        assert setup_display.state is ConfigEntryState.SETUP_RETRY
        assert setup_display.error_reason_translation_key == "another_display"
    await display.power_on()
    await hass.config_entries.async_reload(setup_display.entry_id)
    assert setup_display.state is ConfigEntryState.LOADED


@asynccontextmanager
async def exchange(
    display: DisplaySimulator, entry: MockConfigEntry
) -> AsyncIterator[DisplaySimulator]:
    """Let another display answer at the address before the socket is opened again."""
    coordinator = entry.runtime_data
    display.player.load(EVENING)
    await until(lambda: coordinator.data.work and coordinator.connection.connected)
    await settle(display)
    set_timing(first_retry=60.0, last_retry=60.0)
    port = display.port
    await display.power_off()
    await until(lambda: not coordinator.connection.connected)
    async with DisplaySimulator(
        profile="B", device_id="FF1-ZZ99ZZ99", port=port, poll_interval=0.1
    ) as other:
        other.player.load(playlist("Storm", "Flood"))
        yield other


@pytest.mark.parametrize("is_set_up", [False, True])
async def test_another_display_is_not_shown_before_the_check(
    hass: HomeAssistant,
    display: DisplaySimulator,
    setup_display: MockConfigEntry,
    is_set_up: bool,
) -> None:
    """Nothing that is read between two connections is taken from another display."""
    coordinator = setup_display.runtime_data
    async with exchange(display, setup_display) as other:
        other.device.mixer = 100
        other.show_setup_page(is_set_up)
        await coordinator.async_read_device()
        await coordinator.async_refresh_player()
        assert coordinator.data.device.volume == 50
        assert coordinator.data.work.title == "Dawn"
        assert not coordinator.data.set_up
        assert state_of(hass).state == "unavailable"


async def test_another_display_gets_no_command_before_the_check(
    hass: HomeAssistant, display: DisplaySimulator, setup_display: MockConfigEntry
) -> None:
    """A command between two connections is for the display of the entry only."""
    async with exchange(display, setup_display) as other:
        with pytest.raises(HomeAssistantError) as caught:
            await hass.services.async_call(
                "media_player", "turn_off", {"entity_id": ENTITY_ID}, blocking=True
            )
        assert caught.value.translation_key == "another_display"
        assert not other.writes


async def test_a_display_is_woken_before_its_socket_is_open_again(
    hass: HomeAssistant, display: DisplaySimulator, setup_display: MockConfigEntry
) -> None:
    """A command needs no socket, only the display of the entry."""
    display.player.load(EVENING)
    coordinator = setup_display.runtime_data
    await until(lambda: coordinator.data.work and coordinator.connection.connected)
    display.inject(FaultKind.STATUS, route="/api/notification")
    await display.power_off()
    await until(lambda: not coordinator.connection.connected)
    await display.power_on()
    for action in ("turn_off", "turn_on"):
        await hass.services.async_call(
            "media_player", action, {"entity_id": ENTITY_ID}, blocking=True
        )
    assert not coordinator.connection.connected
    assert state_of(hass).state == "playing"


async def test_another_display_is_noticed_without_a_socket(
    hass: HomeAssistant, display: DisplaySimulator, display_entry: MockConfigEntry
) -> None:
    """A display whose socket never opens is checked once it was lost."""
    display.inject(FaultKind.STATUS, route="/api/notification", status=404)
    display.player.load(EVENING)
    await set_up(hass, display_entry)
    set_timing(loss_patience=0.0, last_retry_without_socket=0.1)
    port = display.port
    await lose(hass, display)
    async with DisplaySimulator(
        profile="B", device_id="FF1-ZZ99ZZ99", port=port
    ) as other:
        other.inject(FaultKind.STATUS, route="/api/notification", status=404)
        other.player.load(playlist("Storm", "Flood"))
        await display_entry.runtime_data.async_refresh()
        assert display_entry.runtime_data.data.work.title == "Dawn"
        assert state_of(hass).state == "unavailable"


# At start


async def test_a_display_that_is_off_at_start_is_set_up_later(
    hass: HomeAssistant, display: DisplaySimulator, display_entry: MockConfigEntry
) -> None:
    """The reason is shown, and set-up is retried."""
    await display.power_off()
    await set_up(hass, display_entry)
    assert display_entry.state is ConfigEntryState.SETUP_RETRY
    assert display_entry.error_reason_translation_key == "display_refused"
    await display.power_on()
    await hass.config_entries.async_reload(display_entry.entry_id)
    assert display_entry.state is ConfigEntryState.LOADED


@pytest.mark.parametrize(
    ("dialect", "patience", "state"),
    [
        ("ff", 60.0, ConfigEntryState.LOADED),
        ("legacy", 0.05, ConfigEntryState.SETUP_RETRY),
    ],
)
async def test_silence_does_not_hold_up_the_start(
    hass: HomeAssistant,
    dialect: str,
    patience: float,
    state: ConfigEntryState,
) -> None:
    """A display that does not answer does not delay the start of Home Assistant."""
    assert await async_setup_component(hass, "dp1", {})
    set_timing(first_patience=60.0, start_patience=patience)
    hass.set_state(CoreState.not_running)
    async with ScriptedServer.run(Reply(fault="never")) as server:
        at = server.url.removeprefix("http://").split(":")
        entry = MockConfigEntry(
            domain="dp1",
            unique_id=DEVICE_ID,
            data={
                "kind": "display",
                "host": at[0],
                "port": int(at[1]),
                "dialect": dialect,
                "macs": [],
            },
        )
        began = time.monotonic()
        await set_up(hass, entry)
        assert time.monotonic() - began < 30
    assert entry.state is state
    await hass.config_entries.async_unload(entry.entry_id)


@pytest.mark.parametrize("profile", FIRMWARE)
async def test_what_was_learned_is_kept(
    hass: HomeAssistant, display: DisplaySimulator, display_entry: MockConfigEntry
) -> None:
    """Dialect and MAC addresses are stored."""
    await set_up(hass, display_entry)
    assert display_entry.data["dialect"] == "ff"
    assert len(display_entry.data["macs"]) == 2


async def test_a_chosen_dialect_is_not_overruled(
    hass: HomeAssistant, display: DisplaySimulator
) -> None:
    """The option takes precedence over the stored dialect."""
    entry = entry_of(display, options={"dialect": "legacy"})
    await set_up(hass, entry)
    assert entry.runtime_data.display.dialect == "legacy"
    assert entry.data["dialect"] == "unknown"


async def test_firmware_that_is_unwell_is_not_taken_for_another_kind(
    hass: HomeAssistant, display: DisplaySimulator, display_entry: MockConfigEntry
) -> None:
    """A first status read that fails does not make the display cast-only."""
    display.inject(FaultKind.STATUS, command="getDeviceStatus", times=1)
    display.inject(FaultKind.STATUS, route="/api/v2/status", status=404)
    await set_up(hass, display_entry)
    assert display_entry.state is ConfigEntryState.LOADED
    assert not display_entry.runtime_data.cast_only
