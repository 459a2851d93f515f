"""Test displays without internet, without a player, or with other network cards."""

from datetime import timedelta
import json
import time
from typing import Any

import pytest
from pytest_homeassistant_custom_component.common import (
    MockConfigEntry,
    async_capture_events,
)

from custom_components.dp1.coordinator import Contact
from homeassistant.config_entries import ConfigEntryState
from homeassistant.core import CoreState, HomeAssistant, callback
from homeassistant.exceptions import HomeAssistantError
from homeassistant.helpers import entity_registry as er

from .client.scripted_server import Reply, ScriptedServer
from .displays import ENTITY_ID, playlist, set_up, settle, state_of, until
from .entities import entity_id, known, shown, value
from .simulators.display import DisplaySimulator, FaultKind
from .simulators.display.player import Page
from .timing import set_timing

from tests.timing import DEFAULTS

# They wait more than they compute, best while other tests compute: those with a timeout are run first.
pytestmark = pytest.mark.timeout(60)

CHECKED = (Contact.PROBABLE, Contact.PROVEN)
EVENING = playlist("Dawn", "Noon", "Dusk")


async def act(hass: HomeAssistant, action: str, **data: Any) -> float:
    """Call an action of the media player and return its duration in seconds."""
    began = time.monotonic()
    await hass.services.async_call(
        "media_player", action, {"entity_id": ENTITY_ID, **data}, blocking=True
    )
    return time.monotonic() - began


async def connected(entry: MockConfigEntry) -> None:
    """Wait until the socket is open and the display identified."""
    coordinator = entry.runtime_data
    await until(
        lambda: coordinator.connection.connected and coordinator.contact in CHECKED
    )


# Without internet


@pytest.mark.parametrize("profile", ["A1", "B"])
async def test_added_without_a_device_status(
    hass: HomeAssistant, display: DisplaySimulator, display_entry: MockConfigEntry
) -> None:
    display.player.load(EVENING)
    display.device.status_seconds = 3
    await set_up(hass, display_entry)
    assert display_entry.state is ConfigEntryState.LOADED
    assert state_of(hass).state == "playing"
    assert value(hass, "select", "orientation") == "unknown"
    assert state_of(hass).attributes["media_track"] == 1
    await until(lambda: value(hass, "select", "orientation") == "landscape", 15)


async def test_a_device_status_that_is_cut_is_no_loss(
    hass: HomeAssistant,
    display: DisplaySimulator,
    setup_display: MockConfigEntry,
) -> None:
    """A display with an open socket is available, also without a device status."""
    set_timing(loss_patience=0.0)
    display.player.load(EVENING)
    await connected(setup_display)
    fault = display.inject(FaultKind.CUT, command="getDeviceStatus")
    for _ in range(4):
        await setup_display.runtime_data.async_refresh()
    await until(lambda: fault.hits)
    assert state_of(hass).state == "playing"


@pytest.mark.parametrize("profile", ["A1", "B"])
async def test_actions_return_without_the_device_status(
    hass: HomeAssistant, display: DisplaySimulator, setup_display: MockConfigEntry
) -> None:
    """Actions return after the acknowledgment, and the device status is read in the background."""
    display.player.load(EVENING)
    await connected(setup_display)
    display.device.status_seconds = 60
    assert await act(hass, "volume_set", volume_level=0.2) < 5
    assert await act(hass, "volume_mute", is_volume_muted=True) < 5
    assert await act(hass, "turn_off") < 5
    assert display.player.asleep
    assert state_of(hass).state == "off"
    assert await act(hass, "turn_on") < 5
    assert state_of(hass).state == "playing"


@pytest.mark.parametrize("action", ["volume_set", "volume_mute"])
async def test_actions_wait_once(
    hass: HomeAssistant,
    display: DisplaySimulator,
    setup_display: MockConfigEntry,
    action: str,
) -> None:
    """An action that reads the device status before and after its command waits only once for a late one."""
    await connected(setup_display)
    await settle(display)
    display.device.status_seconds = 60
    data = (
        {"volume_level": 0.2} if action == "volume_set" else {"is_volume_muted": True}
    )
    assert await act(hass, action, **data) < 1.7
    assert display.device.muted is (action == "volume_mute")


# The player


async def test_error_page(
    hass: HomeAssistant, display: DisplaySimulator, setup_display: MockConfigEntry
) -> None:
    """A display on its error page is idle with a reason, and leaves the page when woken."""
    display.player.load(EVENING)
    await connected(setup_display)
    display.show_page(Page.ERROR, "service_failed")
    await setup_display.runtime_data.async_read_device()
    assert state_of(hass).state == "idle"
    assert "media_title" not in state_of(hass).attributes
    problem = shown(hass, "binary_sensor", "playback_problem")
    assert problem.state == "on"
    assert problem.attributes["reason"] == "service_failed"
    await act(hass, "turn_on")
    await until(lambda: state_of(hass).state == "playing")
    assert value(hass, "binary_sensor", "playback_problem") == "off"


async def test_overheating_lasts_until_the_page_is_left(
    hass: HomeAssistant, display: DisplaySimulator, setup_display: MockConfigEntry
) -> None:
    """A cast clears the error in the device status, but not the error page."""
    await connected(setup_display)
    display.overheat()
    await until(lambda: value(hass, "binary_sensor", "playback_problem") == "on")
    await until(lambda: setup_display.runtime_data.data.error_page == "overheating")
    display.player.overheating = False
    display.player.load(EVENING)
    await setup_display.runtime_data.async_read_player()
    assert value(hass, "binary_sensor", "playback_problem") == "on"
    assert state_of(hass).state == "idle"


@pytest.mark.parametrize("page", [Page.SETUP, Page.BLANK])
async def test_a_page_without_a_player(
    hass: HomeAssistant,
    display: DisplaySimulator,
    setup_display: MockConfigEntry,
    page: Page,
) -> None:
    """A missing player is detected by a failed command, and its return without a command."""
    display.player.load(EVENING)
    await until(lambda: state_of(hass).state == "playing")
    display.show_page(page)
    with pytest.raises(Exception, match="Wall"):
        await act(hass, "media_next_track")
    assert state_of(hass).state == ("idle" if page is Page.SETUP else "unknown")
    display.show_page(Page.PLAYLIST)
    await until(lambda: state_of(hass).state == "playing")


@pytest.mark.parametrize(
    ("page", "reason"),
    [(Page.SETUP, "display_not_ready"), (Page.BLANK, "display_player_not_running")],
)
async def test_an_action_tells_why_nothing_moves(
    hass: HomeAssistant,
    display: DisplaySimulator,
    setup_display: MockConfigEntry,
    page: Page,
    reason: str,
) -> None:
    """An action is still offered when the player is known to be gone, and says so."""
    display.player.load(EVENING)
    await until(lambda: state_of(hass).state == "playing")
    await settle(display)
    offered = state_of(hass).attributes["supported_features"]
    display.show_page(page)
    await setup_display.runtime_data.async_read_player()
    assert state_of(hass).state == ("idle" if page is Page.SETUP else "unknown")
    assert state_of(hass).attributes["supported_features"] == offered
    for action, data in (
        ("media_next_track", {}),
        ("media_previous_track", {}),
        ("clear_playlist", {}),
        ("shuffle_set", {"shuffle": True}),
        ("repeat_set", {"repeat": "one"}),
    ):
        with pytest.raises(HomeAssistantError) as raised:
            await act(hass, action, **data)
        assert raised.value.translation_key == reason


@pytest.mark.parametrize("profile", ["A1"])
async def test_a_work_that_fails_to_load(
    hass: HomeAssistant, display: DisplaySimulator, setup_display: MockConfigEntry
) -> None:
    """A failed work is detected by a delayed request, since this firmware does not push it."""
    display.player.load_seconds = 60
    display.player.load(EVENING)
    await until(lambda: state_of(hass).state == "playing")
    display.player.render_status = 3
    await until(lambda: value(hass, "binary_sensor", "playback_problem") == "on")
    assert shown(hass, "binary_sensor", "playback_problem").attributes["reason"] == (
        "render_failed"
    )


# The connection


async def socket_fails(
    display: DisplaySimulator, entry: MockConfigEntry, status: int, route: str
) -> None:
    """Close the socket and refuse new ones."""
    display.inject(FaultKind.STATUS, route=route, status=status)
    await display.sockets.close()
    await until(lambda: not entry.runtime_data.connection.connected)
    await until(lambda: entry.runtime_data.connection.misses > 2)


@pytest.mark.parametrize("status", [200, 302, 401, 404, 500])
async def test_a_socket_returns(
    hass: HomeAssistant,
    display: DisplaySimulator,
    setup_display: MockConfigEntry,
    status: int,
) -> None:
    """The socket is reopened within five seconds, whatever response refused it."""
    assert DEFAULTS["last_retry"] < 5
    set_timing(last_retry=0.2)
    await connected(setup_display)
    await socket_fails(display, setup_display, status, "/api/notification")
    display.heal()
    await until(lambda: setup_display.runtime_data.connection.connected)


@pytest.mark.parametrize("status", [403, 429, 502])
async def test_nothing_but_errors(
    hass: HomeAssistant,
    display: DisplaySimulator,
    setup_display: MockConfigEntry,
    status: int,
) -> None:
    """A display that only returns errors for minutes becomes unavailable with a reason."""
    await connected(setup_display)
    await socket_fails(display, setup_display, status, "")
    assert state_of(hass).state != "unavailable"
    set_timing(error_patience=0.0)
    await until(lambda: state_of(hass).state == "unavailable")
    reason = setup_display.runtime_data.last_exception.translation_key
    assert (
        reason
        == {
            403: "display_address_not_accepted",
            429: "display_busy",
            502: "display_temporary",
        }[status]
    )
    display.heal()
    await until(lambda: state_of(hass).state != "unavailable")


# Startup


async def test_a_dead_display_does_not_delay_the_start(
    hass: HomeAssistant,
    display: DisplaySimulator,
    setup_display: MockConfigEntry,
) -> None:
    """A known display is set up from stored data, and available once it answers."""
    await known(hass, "number", "panel_brightness")
    await until(lambda: bool(entity_id(hass, "button", "take_screenshot")))
    ids = {entity.entity_id for entity in er.async_get(hass).entities.values()}
    await hass.config_entries.async_unload(setup_display.entry_id)
    display.inject(FaultKind.HANG)
    set_timing(start_patience=60.0)
    hass.set_state(CoreState.not_running)
    began = time.monotonic()
    await hass.config_entries.async_setup(setup_display.entry_id)
    assert time.monotonic() - began < 30
    assert setup_display.state is ConfigEntryState.LOADED
    assert state_of(hass).state == "unavailable"
    assert {state.entity_id for state in hass.states.async_all()} == {
        state.entity_id
        for state in hass.states.async_all()
        if state.state == "unavailable"
    }
    hass.set_state(CoreState.running)
    display.heal()
    setup_display.runtime_data.connection.async_retry_now()
    await until(lambda: state_of(hass).state == "idle", 15)
    assert ids == {entity.entity_id for entity in er.async_get(hass).entities.values()}


# Identity


async def test_other_network_cards(
    hass: HomeAssistant,
    display: DisplaySimulator,
    setup_display: MockConfigEntry,
) -> None:
    """A display with the same device id is accepted with new MAC addresses, which are stored."""
    await connected(setup_display)
    before = setup_display.data["macs"]
    display.device.hardware += 1
    await hass.config_entries.async_reload(setup_display.entry_id)
    assert setup_display.state is ConfigEntryState.LOADED
    await until(lambda: setup_display.data["macs"] != before)
    assert state_of(hass).state == "idle"


@pytest.mark.parametrize("profile", ["A1", "B"])
async def test_a_foreign_push(
    hass: HomeAssistant, display: DisplaySimulator, setup_display: MockConfigEntry
) -> None:
    """MAC addresses of a push are not stored, and do not lock out the display."""
    await connected(setup_display)
    await until(lambda: len(setup_display.data["macs"]) == 2)
    before = setup_display.data["macs"]
    push = {
        "notification_type": "device_status",
        "message": {
            "installedVersion": "1.0.0",
            "macInfo": {"en": "02:aa:00:00:00:01"},
        },
    }
    await display.send_frame(json.dumps(push))
    await setup_display.runtime_data.async_refresh()
    await until(lambda: state_of(hass).state == "idle")
    assert setup_display.data["macs"] == before
    await hass.config_entries.async_reload(setup_display.entry_id)
    assert setup_display.state is ConfigEntryState.LOADED


# Entities


async def test_entities_stay_during_a_set_up_screen(
    hass: HomeAssistant, display: DisplaySimulator, setup_display: MockConfigEntry
) -> None:
    """Entities of known features are added after a restart without a player."""
    display.player.load(EVENING)
    await known(hass, "number", "margin")
    before = {state.entity_id for state in hass.states.async_all()}
    await hass.config_entries.async_unload(setup_display.entry_id)
    display.show_setup_page()
    await hass.config_entries.async_setup(setup_display.entry_id)
    await hass.async_block_till_done()
    assert {state.entity_id for state in hass.states.async_all()} == before
    assert all("restored" not in state.attributes for state in hass.states.async_all())


# Interludes


@pytest.mark.usefixtures("entity_registry_enabled_by_default")
async def test_events_of_an_interlude(
    hass: HomeAssistant, display: DisplaySimulator, setup_display: MockConfigEntry
) -> None:
    """An interlude fires one event at its start and one at its end, both marked as an interlude."""
    display.player.load(EVENING)
    display.player.handle("moveToArtwork", {"index": 1})
    await until(lambda: state_of(hass).attributes.get("media_title") == "Noon")
    # The name of the playlist is read after the work was pushed, and fired then.
    await until(lambda: state_of(hass).attributes.get("media_playlist"))
    activity = entity_id(hass, "event", "activity")
    await until(lambda: state_of(hass, activity).attributes.get("title") == "Noon")
    await hass.async_block_till_done()
    heard: list[dict[str, Any]] = []

    @callback
    def note(event: Any) -> None:
        """Record an event."""
        state = event.data["new_state"]
        if event.data["entity_id"] != activity:
            return
        # An event about the work before may be late.
        is_first = not heard and state.attributes.get("interlude")
        if is_first or (heard and heard[-1]["at"] != state.state):
            heard.append({"at": state.state, **state.attributes})

    hass.bus.async_listen("state_changed", note)
    await hass.services.async_call(
        "dp1",
        "cast_playlist",
        {
            "entity_id": ENTITY_ID,
            "playlist": playlist("Alarm", id="0f9a8a36-4f6c-4f0c-8c7e-4d8f1f3b0000"),
            "show_for": timedelta(seconds=1),
        },
        blocking=True,
    )
    await until(lambda: state_of(hass).attributes.get("media_title") == "Alarm")
    await until(lambda: state_of(hass).attributes.get("media_title") == "Noon")
    await until(lambda: len(heard) > 1)
    await hass.async_block_till_done()
    assert [(told["event_type"], told["title"]) for told in heard] == [
        ("artwork_changed", "Alarm"),
        ("artwork_changed", "Noon"),
    ]
    assert all(told["interlude"] for told in heard)
    assert heard[1]["work_id"] == EVENING["items"][1]["id"]
    assert {"link", "picture", "exhibition"} <= heard[1].keys()


# What the player does not tell


async def cast(hass: HomeAssistant, document: dict[str, Any], **data: Any) -> None:
    await hass.services.async_call(
        "dp1",
        "cast_playlist",
        {"entity_id": ENTITY_ID, "playlist": document, **data},
        blocking=True,
    )


@pytest.mark.parametrize("profile", ["A1", "B"])
async def test_an_error_page_that_nobody_noticed(
    hass: HomeAssistant, display: DisplaySimulator, setup_display: MockConfigEntry
) -> None:
    """A cast that is lost on the error page wakes the display; one that must not wake it does not."""
    # It does not reach the cloud of its maker.
    display.poller.relayer_connected = False
    await connected(setup_display)
    display.player.load(EVENING)
    await until(lambda: display.player.render_status == 2)
    await settle(display)
    display.show_page(Page.ERROR)
    await settle(display)
    await cast(hass, playlist("Reef"), wake=False)
    await until(
        lambda: (
            shown(hass, "binary_sensor", "playback_problem").attributes["reason"]
            == "service_failed"
        )
    )
    assert display.player.page is Page.ERROR
    display.show_page(Page.PLAYLIST)
    await until(lambda: value(hass, "binary_sensor", "playback_problem") == "off")
    display.show_page(Page.ERROR)
    await settle(display)
    await cast(hass, playlist("Lagoon"))
    await until(lambda: display.sees)
    assert display.state.current_title == "Lagoon"
    await until(lambda: value(hass, "binary_sensor", "playback_problem") == "off")


@pytest.mark.parametrize("profile", ["A1", "B"])
async def test_a_work_that_never_loads(
    hass: HomeAssistant, display: DisplaySimulator, setup_display: MockConfigEntry
) -> None:
    """A work that loads for ever is a problem, until another is shown."""
    await connected(setup_display)
    stream = Reply(200, b"", {"Content-Type": "multipart/x-mixed-replace"})
    async with ScriptedServer.run(stream) as server:
        document = playlist("Camera", "Dawn")
        document["items"][0]["source"] = f"{server.url}/camera"
        display.caster.preflight = False
        await cast(hass, document)
        await until(lambda: value(hass, "binary_sensor", "playback_problem") == "on")
        problem = shown(hass, "binary_sensor", "playback_problem")
        assert problem.attributes["reason"] == "not_loading"
        await act(hass, "media_next_track")
        await until(lambda: value(hass, "binary_sensor", "playback_problem") == "off")


@pytest.mark.parametrize("profile", ["A1"])
async def test_the_artist_is_known_at_once(
    hass: HomeAssistant, display: DisplaySimulator, setup_display: MockConfigEntry
) -> None:
    """Older firmware drops the manifest of a work, which is known from the cast before it is read again."""
    await connected(setup_display)
    document = playlist("Dawn")
    document["items"][0]["inlineManifest"] = {
        "refVersion": "0.1.0",
        "metadata": {"artists": [{"name": "Ada"}]},
    }
    await cast(hass, document)
    assert state_of(hass).attributes["media_title"] == "Dawn"
    assert state_of(hass).attributes["media_artist"] == "Ada"


@pytest.mark.parametrize("profile", ["A1"])
async def test_a_player_that_was_killed(
    hass: HomeAssistant, display: DisplaySimulator, setup_display: MockConfigEntry
) -> None:
    """A player that does not answer is unknown, never idle, and the reason is no message of its daemon."""
    display.player.load(EVENING)
    await connected(setup_display)
    await until(lambda: state_of(hass).state == "playing")
    states = async_capture_events(hass, "state_changed")
    display.break_page("cdp: connection is not initialized")
    await until(lambda: state_of(hass).state == "unknown")
    await setup_display.runtime_data.async_refresh_player()
    await settle(display)
    found = {
        event.data["new_state"].state
        for event in states
        if event.data["entity_id"] == ENTITY_ID
    }
    assert found <= {"playing", "unknown"}
    problem = shown(hass, "binary_sensor", "playback_problem")
    assert problem.attributes["reason"] == "no_player"


@pytest.mark.parametrize("profile", ["A1", "B"])
async def test_sound_without_internet(
    hass: HomeAssistant, display: DisplaySimulator, display_entry: MockConfigEntry
) -> None:
    """The volume can be set before the first device status, and what is muted is shown before the next."""
    display.player.load(EVENING)
    display.device.status_seconds = 3
    await set_up(hass, display_entry)
    await connected(display_entry)
    assert display_entry.runtime_data.data.device is None
    await act(hass, "volume_set", volume_level=0.4)
    assert display.device.volume == 40
    await until(lambda: state_of(hass).attributes.get("is_volume_muted") is False)
    await act(hass, "volume_mute", is_volume_muted=True)
    assert display.device.muted
    assert state_of(hass).attributes["is_volume_muted"] is True
