"""Test displays without internet, without a player, or with other network cards."""

import asyncio
from collections import defaultdict
import json
from typing import Any

import pytest
from pytest_homeassistant_custom_component.common import async_capture_events

from custom_components.dp1.client.display import transport
from custom_components.dp1.coordinator import Contact
from homeassistant.config_entries import ConfigEntryState
from homeassistant.core import CoreState
from homeassistant.exceptions import HomeAssistantError
from homeassistant.helpers import entity_registry as er

from .client.scripted_server import Reply, ScriptedServer
from .displays import ENTITY_ID, playlist, settle, until
from .simulators.display import FaultKind
from .simulators.display.player import Page
from .timing import set_timing
from .walls import Wall

from tests.timing import DEFAULTS

# They wait more than they compute, best while other tests compute: those with a timeout are run first.
pytestmark = pytest.mark.timeout(60)

CHECKED = (Contact.PROBABLE, Contact.PROVEN)
BOTH = pytest.mark.parametrize("profile", ["A1", "B"])


async def connected(wall: Wall) -> None:
    """Wait until the socket is open and the display identified."""
    coordinator = wall.coordinator
    await until(
        lambda: coordinator.connection.connected and coordinator.contact in CHECKED
    )


def problem(wall: Wall) -> object:
    """Return the reason why nothing is played."""
    return wall.shown("binary_sensor", "playback_problem").attributes["reason"]


async def has_problem(wall: Wall, state: str) -> None:
    await until(lambda: wall.value("binary_sensor", "playback_problem") == state)


# Without internet


@BOTH
async def test_added_without_a_device_status(
    bare: Wall, monkeypatch: pytest.MonkeyPatch
) -> None:
    """What is late is shown late; the volume can be set before, and what is muted is shown before the next status."""
    bare.display.player.load(playlist("Dawn", "Noon"))
    device = type(bare.display.device)
    answers, status = asyncio.Event(), device.status

    async def late(*args: Any) -> Any:
        await answers.wait()
        return await status(*args)

    monkeypatch.setattr(device, "status", late)
    await bare.set_up()
    assert bare.entry.state is ConfigEntryState.LOADED
    assert bare.state == "playing"
    assert bare.value("select", "orientation") == "unknown"
    assert bare.attribute("media_track") == 1
    await connected(bare)
    assert bare.coordinator.data.device is None
    await bare.do("volume_set", volume_level=0.4)
    assert bare.display.device.volume == 40
    answers.set()
    await until(lambda: bare.value("select", "orientation") == "landscape")
    assert bare.attribute("is_volume_muted") is False
    answers.clear()
    await bare.do("volume_mute", is_volume_muted=True)
    assert bare.display.device.muted
    assert bare.attribute("is_volume_muted") is True
    answers.set()


@pytest.mark.parametrize(
    ("fault", "more"),
    [
        (FaultKind.CUT, {}),
        (FaultKind.STATUS, {"status": 429, "text": "Too many commands, slow down"}),
        (FaultKind.STATUS, {"status": 500, "text": "Failed"}),
    ],
    ids=["cut", "busy", "error"],
)
async def test_a_device_status_that_fails_is_no_loss(
    wall: Wall, fault: FaultKind, more: dict[str, object]
) -> None:
    """A display with an open socket is available, also without a device status."""
    set_timing(loss_patience=0.0)
    await wall.load()
    await connected(wall)
    struck = wall.display.inject(fault, command="getDeviceStatus", **more)
    for _ in range(4):
        await wall.coordinator.async_refresh()
    await until(lambda: struck.hits)
    assert wall.state == "playing"


@BOTH
async def test_actions_return_without_the_device_status(
    wall: Wall, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Actions return after the acknowledgment, and the device status is read in the background."""
    wall.display.player.load(playlist("Dawn"))
    await connected(wall)
    monkeypatch.setattr(transport, "_TIMEOUTS", defaultdict(lambda: 600.0))
    wall.display.device.status_seconds = 600
    await wall.do("volume_set", volume_level=0.2)
    await wall.do("turn_off")
    assert wall.display.player.asleep
    assert wall.state == "off"
    await wall.do("turn_on")
    assert wall.state == "playing"
    await wall.do("volume_mute", is_volume_muted=True)
    assert wall.display.device.muted


# The player


async def test_error_page(wall: Wall) -> None:
    """A display on its error page is idle with a reason, and leaves the page when woken."""
    wall.display.player.load(playlist("Dawn"))
    await connected(wall)
    wall.display.show_page(Page.ERROR, "service_failed")
    await wall.coordinator.async_read_device()
    assert (wall.state, wall.attribute("media_title")) == ("idle", None)
    await has_problem(wall, "on")
    assert problem(wall) == "service_failed"
    await wall.do("turn_on")
    await until(lambda: wall.state == "playing")
    await has_problem(wall, "off")


async def test_overheating_lasts_until_the_page_is_left(wall: Wall) -> None:
    """A cast clears the error in the device status, but not the error page."""
    await connected(wall)
    wall.display.overheat()
    await has_problem(wall, "on")
    await until(lambda: wall.coordinator.data.error_page == "overheating")
    wall.display.player.overheating = False
    wall.display.player.load(playlist("Dawn"))
    await wall.coordinator.async_read_player()
    assert wall.value("binary_sensor", "playback_problem") == "on"
    assert wall.state == "idle"


@pytest.mark.parametrize(
    ("page", "state", "reason"),
    [
        (Page.SETUP, "idle", "display_not_ready"),
        (Page.BLANK, "unknown", "display_player_not_running"),
    ],
)
async def test_a_page_without_a_player(
    wall: Wall, page: Page, state: str, reason: str
) -> None:
    """A missing player is noticed by a command that fails, which is still offered and says why; its return needs none."""
    await wall.load()
    await settle(wall.display)
    offered = wall.attribute("supported_features")
    wall.display.show_page(page)
    for action, data in (
        ("media_next_track", {}),
        ("media_previous_track", {}),
        ("clear_playlist", {}),
        ("shuffle_set", {"shuffle": True}),
        ("repeat_set", {"repeat": "one"}),
    ):
        with pytest.raises(HomeAssistantError) as raised:
            await wall.do(action, **data)
        assert raised.value.translation_key == reason
        assert wall.state == state
        assert wall.attribute("supported_features") == offered
    wall.display.show_page(Page.PLAYLIST)
    await until(lambda: wall.state == "playing")


@pytest.mark.parametrize("profile", ["A1"])
async def test_a_work_that_fails_to_load(wall: Wall) -> None:
    """A failed work is detected by a delayed request, since this firmware does not push it."""
    wall.display.player.load_seconds = 60
    wall.display.player.load(playlist("Dawn"))
    await until(lambda: wall.state == "playing")
    wall.display.player.render_status = 3
    await has_problem(wall, "on")
    assert problem(wall) == "render_failed"


@BOTH
async def test_a_work_that_never_loads(wall: Wall) -> None:
    """A work that loads for ever is a problem, until another is shown."""
    await connected(wall)
    stream = Reply(200, b"", {"Content-Type": "multipart/x-mixed-replace"})
    async with ScriptedServer.run(stream) as server:
        document = playlist("Camera", "Dawn")
        document["items"][0]["source"] = f"{server.url}/camera"
        wall.display.caster.preflight = False
        await wall.do("dp1.cast_playlist", playlist=document)
        await has_problem(wall, "on")
        assert problem(wall) == "not_loading"
        await wall.do("media_next_track")
        await has_problem(wall, "off")


@BOTH
async def test_an_error_page_that_nobody_noticed(wall: Wall) -> None:
    """A cast that is lost on the error page wakes the display; one that must not wake it does not."""
    # It does not reach the cloud of its maker.
    display = wall.display
    display.poller.relayer_connected = False
    await connected(wall)
    display.player.load(playlist("Dawn"))
    await until(lambda: display.player.render_status == 2)
    await settle(display)
    display.show_page(Page.ERROR)
    await settle(display)
    await wall.do("dp1.cast_playlist", playlist=playlist("Reef"), wake=False)
    await until(lambda: problem(wall) == "service_failed")
    assert display.player.page is Page.ERROR
    display.show_page(Page.PLAYLIST)
    await has_problem(wall, "off")
    display.show_page(Page.ERROR)
    await settle(display)
    await wall.do("dp1.cast_playlist", playlist=playlist("Lagoon"))
    await until(lambda: display.sees)
    assert display.state.current_title == "Lagoon"
    await has_problem(wall, "off")


@pytest.mark.parametrize("profile", ["A1"])
async def test_a_player_that_was_killed(wall: Wall) -> None:
    """A player that does not answer is unknown, never idle, and the reason is no message of its daemon."""
    await wall.load()
    await connected(wall)
    events = async_capture_events(wall.hass, "state_changed")
    wall.display.break_page("cdp: connection is not initialized")
    await until(lambda: wall.state == "unknown")
    await wall.coordinator.async_refresh_player()
    await settle(wall.display)
    ours = [event.data for event in events if event.data["entity_id"] == ENTITY_ID]
    assert {data["new_state"].state for data in ours} <= {"playing", "unknown"}
    assert problem(wall) == "no_player"


# The connection


async def socket_fails(wall: Wall, status: int, route: str) -> None:
    """Close the socket and refuse new ones."""
    await connected(wall)
    wall.display.inject(FaultKind.STATUS, route=route, status=status)
    await wall.display.sockets.close()
    connection = wall.coordinator.connection
    await until(lambda: not connection.connected and connection.misses > 2)


@pytest.mark.parametrize("status", [200, 302, 404])
async def test_a_socket_returns(wall: Wall, status: int) -> None:
    """The socket is reopened within five seconds, whatever response refused it."""
    assert DEFAULTS["last_retry"] < 5
    set_timing(last_retry=0.2)
    await socket_fails(wall, status, "/api/notification")
    wall.display.heal()
    await until(lambda: wall.coordinator.connection.connected)


@pytest.mark.parametrize(
    ("status", "reason"),
    [(403, "display_address_not_accepted"), (429, "display_busy")],
)
async def test_nothing_but_errors(wall: Wall, status: int, reason: str) -> None:
    """A display that only returns errors for minutes becomes unavailable with a reason."""
    await socket_fails(wall, status, "")
    assert wall.state != "unavailable"
    set_timing(error_patience=0.0)
    await until(lambda: wall.state == "unavailable")
    error = wall.coordinator.last_exception
    assert isinstance(error, HomeAssistantError) and error.translation_key == reason
    wall.display.heal()
    await until(lambda: wall.state != "unavailable")


# Startup, and what is remembered


async def test_a_dead_display_does_not_delay_the_start(wall: Wall) -> None:
    """A known display is set up from stored data, and available once it answers."""
    hass, entry = wall.hass, wall.entry
    await wall.known("number", "panel_brightness")
    await until(lambda: bool(wall.entity_id("button", "take_screenshot")))

    def ids() -> set[str]:
        return {entity.entity_id for entity in er.async_get(hass).entities.values()}

    before = ids()
    await hass.config_entries.async_unload(entry.entry_id)
    wall.display.inject(FaultKind.HANG)
    set_timing(first_patience=600.0)
    hass.set_state(CoreState.not_running)
    await hass.config_entries.async_setup(entry.entry_id)
    assert entry.state is ConfigEntryState.LOADED
    assert {state.state for state in hass.states.async_all()} == {"unavailable"}
    hass.set_state(CoreState.running)
    wall.display.heal()
    wall.coordinator.connection.async_retry_now()
    await until(lambda: wall.state == "idle")
    assert before == ids()


async def test_entities_stay_during_a_set_up_screen(wall: Wall) -> None:
    """Entities of known features are added after a restart without a player."""
    states = wall.hass.states
    wall.display.player.load(playlist("Dawn"))
    await wall.known("number", "margin")
    before = {*states.async_entity_ids()}
    await wall.hass.config_entries.async_unload(wall.entry.entry_id)
    wall.display.show_setup_page()
    await wall.hass.config_entries.async_setup(wall.entry.entry_id)
    await wall.hass.async_block_till_done()
    assert {*states.async_entity_ids()} == before
    assert all("restored" not in state.attributes for state in states.async_all())


async def test_other_network_cards(wall: Wall) -> None:
    """A display with the same device id is accepted with new MAC addresses, which are stored."""
    await connected(wall)
    before = wall.entry.data["macs"]
    wall.display.device.hardware += 1
    await wall.reload()
    assert wall.entry.state is ConfigEntryState.LOADED
    await until(lambda: wall.entry.data["macs"] != before)
    assert wall.state == "idle"


@BOTH
async def test_a_foreign_push(wall: Wall) -> None:
    """MAC addresses of a push are not stored, and do not lock out the display."""
    await connected(wall)
    await until(lambda: len(wall.entry.data["macs"]) == 2)
    before = wall.entry.data["macs"]
    hardware = {"en": "02:aa:00:00:00:01"}
    push = {
        "notification_type": "device_status",
        "message": {"installedVersion": "1.0.0", "macInfo": hardware},
    }
    await wall.display.send_frame(json.dumps(push))
    await wall.coordinator.async_refresh()
    await until(lambda: wall.state == "idle")
    assert wall.entry.data["macs"] == before
    await wall.reload()
    assert wall.entry.state is ConfigEntryState.LOADED
