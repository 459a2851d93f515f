"""Test the event entity of a display."""

import asyncio
from typing import Any

import pytest
from pytest_homeassistant_custom_component.common import MockConfigEntry

from homeassistant.core import Event, EventStateChangedData, HomeAssistant, callback

from .displays import FIRMWARE, playlist, set_up, settle, until
from .entities import entity_id, shown
from .simulators.display import DisplaySimulator
from .simulators.display.player import Page
from .timing import FAST

from tests.timing import Timing

pytestmark = pytest.mark.usefixtures("entity_registry_enabled_by_default")

EVENING = playlist("Dawn", "Noon", "Dusk")


class Heard:
    """Events of a display."""

    def __init__(self, hass: HomeAssistant) -> None:
        self.told: list[dict[str, Any]] = []
        self._entity_id = entity_id(hass, "event", "activity")
        hass.bus.async_listen("state_changed", self._hear)

    @callback
    def _hear(self, event: Event[EventStateChangedData]) -> None:
        state, before = event.data["new_state"], event.data["old_state"]
        if event.data["entity_id"] != self._entity_id or state is None:
            return
        if state.state not in ("unknown", "unavailable") and (
            before is None or before.state != state.state
        ):
            self.told.append(dict(state.attributes))

    @property
    def kinds(self) -> list[str]:
        return [event["event_type"] for event in self.told]

    def last(self, kind: str) -> dict[str, Any]:
        return next(
            event for event in reversed(self.told) if event["event_type"] == kind
        )


@pytest.fixture
def timing() -> Timing:
    """Shorten more delays."""
    return dict(FAST, loss_patience=0.2, first_retry=0.02, read_cooldown=0.05)


@pytest.fixture
async def heard(
    hass: HomeAssistant, display: DisplaySimulator, display_entry: MockConfigEntry
) -> Heard:
    """Listen to a display that shows a work."""
    display.player.load(EVENING)
    await set_up(hass, display_entry)
    return Heard(hass)


async def sleep(hass: HomeAssistant, asleep: bool) -> None:
    """Put the display to sleep or wake it."""
    await hass.services.async_call(
        "media_player",
        "turn_off" if asleep else "turn_on",
        {"entity_id": "media_player.wall"},
        blocking=True,
    )


async def test_kinds(hass: HomeAssistant, heard: Heard) -> None:
    """The event types are those listed."""
    assert shown(hass, "event", "activity").attributes["event_types"] == [
        "artwork_changed",
        "playlist_started",
        "playback_failed",
        "fell_asleep",
        "woke",
        "came_back",
    ]


@pytest.mark.parametrize("profile", FIRMWARE)
async def test_another_work(
    hass: HomeAssistant, display: DisplaySimulator, heard: Heard
) -> None:
    """Another work fires an event with title and position; the first work after setup fires none."""
    display.player.handle("moveToArtwork", {"index": 1})
    await until(lambda: heard.told)
    assert heard.kinds == ["artwork_changed"]
    told = heard.last("artwork_changed")
    assert told["title"] == "Noon"
    assert told["playlist"] == "Evening"
    assert (told["position"], told["works"]) == (2, 3)


@pytest.mark.parametrize("profile", FIRMWARE)
async def test_another_playlist(
    hass: HomeAssistant, display: DisplaySimulator, heard: Heard
) -> None:
    """Another playlist fires an event, and so does its first work."""
    night = playlist("Moon", "Stars", title="Night")
    for number, item in enumerate(night["items"]):
        item["id"] = f"5d0c9d5e-0000-4000-8000-00000000010{number}"
    display.player.load(night)
    await until(lambda: len(heard.told) == 2)
    assert sorted(heard.kinds) == ["artwork_changed", "playlist_started"]
    started = heard.last("playlist_started")
    assert (started["title"], started["playlist"]) == ("Moon", "Night")


async def test_the_same_in_another_order(
    hass: HomeAssistant, display: DisplaySimulator, heard: Heard
) -> None:
    """Shuffling fires no event."""
    # A change that only a read has seen is not pushed when it is undone at once.
    await settle(display)
    for enabled in (True, False):
        display.player.handle("setShuffle", {"enabled": enabled})
        await until(
            lambda: (
                hass.states.get("media_player.wall").attributes["shuffle"] is enabled  # noqa: B023
            )
        )
    assert not heard.told


async def test_emptied_and_shown_again(
    hass: HomeAssistant, display: DisplaySimulator, heard: Heard
) -> None:
    """The same work after an empty playlist fires an event."""
    display.player.handle("disconnect", {})
    await until(lambda: hass.states.get("media_player.wall").state == "idle")
    display.player.load(EVENING)
    await until(lambda: len(heard.told) == 2)
    assert sorted(heard.kinds) == ["artwork_changed", "playlist_started"]


@pytest.mark.parametrize("profile", FIRMWARE)
async def test_sleep(
    hass: HomeAssistant, display: DisplaySimulator, heard: Heard
) -> None:
    """Sleeping and waking fire one event each, and the same work afterwards none."""
    await sleep(hass, True)
    await until(lambda: heard.kinds == ["fell_asleep"])
    await sleep(hass, False)
    await until(lambda: heard.kinds == ["fell_asleep", "woke"])


async def test_cast_while_asleep(
    hass: HomeAssistant, display: DisplaySimulator, heard: Heard
) -> None:
    """A cast to a sleeping display fires an event when the display wakes."""
    await sleep(hass, True)
    night = playlist("Moon", id="0f9a8a36-4f6c-4f0c-8c7e-4d8f1f3b0000", title="Night")
    night["items"][0]["id"] = "5d0c9d5e-0000-4000-8000-000000000100"
    display.player.load(night)
    await until(
        lambda: (
            hass.states.get("media_player.wall").state == "off"
            and display.state.current_title == "Moon"
        )
    )
    await hass.async_block_till_done()
    assert heard.kinds == ["fell_asleep"]
    await sleep(hass, False)
    await until(lambda: len(heard.told) == 4)
    assert heard.kinds[1] == "woke"
    assert set(heard.kinds[2:]) == {"artwork_changed", "playlist_started"}


@pytest.mark.parametrize("profile", FIRMWARE)
async def test_failure(
    hass: HomeAssistant, display: DisplaySimulator, heard: Heard
) -> None:
    """A failed player fires an event with the reason, and again only after a recovery."""
    for times in (1, 2):
        display.overheat()
        await until(lambda: heard.kinds == ["playback_failed"] * times)  # noqa: B023
        assert heard.last("playback_failed")["reason"] == "overheating"
        display.player.overheating = False
        display.show_page(Page.PLAYLIST)
        await until(
            lambda: shown(hass, "binary_sensor", "playback_problem").state == "off"
        )
    assert heard.kinds == ["playback_failed"] * 2


@pytest.mark.parametrize("profile", ["B", "C"])
async def test_work_that_does_not_load(
    hass: HomeAssistant, display: DisplaySimulator, heard: Heard
) -> None:
    """A work that fails to load fires an event."""
    display.player.render_status = 3
    await until(lambda: heard.kinds == ["playback_failed"])
    assert heard.last("playback_failed")["reason"] == "render_failed"
    assert heard.last("playback_failed")["title"] == "Dawn"


async def test_return(
    hass: HomeAssistant, display: DisplaySimulator, heard: Heard
) -> None:
    """An available display fires events for its return and for a changed work."""
    await display.power_off()
    await until(lambda: shown(hass, "event", "activity").state == "unavailable")
    display.player.index = 2
    await display.power_on()
    await until(lambda: "artwork_changed" in heard.kinds)
    assert heard.kinds == ["came_back", "artwork_changed"]
    assert heard.last("artwork_changed")["title"] == "Dusk"


async def test_a_work_on_the_way_to_something_else_is_not_told_as_the_one_before(
    hass: HomeAssistant,
    display: DisplaySimulator,
    display_entry: MockConfigEntry,
    heard: Heard,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """A work that the libraries look for long is told as itself, and the next once."""
    coordinator = display_entry.runtime_data
    looked_up = asyncio.Event()

    async def wait(_: float) -> None:
        await looked_up.wait()

    monkeypatch.setattr(coordinator.metadata, "async_wait", wait)
    monkeypatch.setattr(type(coordinator.metadata), "is_looking_up", True)
    display.player.handle("moveToArtwork", {"index": 1})
    await until(lambda: coordinator.data.player.index == 1)
    with coordinator.requests.steps():
        display.player.handle("moveToArtwork", {"index": 2})
        await until(lambda: coordinator.data.player.index == 2)
        looked_up.set()
        await until(lambda: heard.told)
    await until(lambda: len(heard.told) > 1)
    await settle(display)
    assert [event["title"] for event in heard.told] == ["Noon", "Dusk"]


async def test_a_work_that_is_looked_up_while_the_display_falls_asleep(
    hass: HomeAssistant,
    display: DisplaySimulator,
    display_entry: MockConfigEntry,
    heard: Heard,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """The work is told before that, and not again once it has been looked up."""
    coordinator = display_entry.runtime_data
    looked_up = asyncio.Event()

    async def wait(_: float) -> None:
        """Wait for the libraries."""
        await looked_up.wait()

    monkeypatch.setattr(coordinator.metadata, "async_wait", wait)
    monkeypatch.setattr(type(coordinator.metadata), "is_looking_up", True)
    display.player.handle("moveToArtwork", {"index": 1})
    await until(lambda: coordinator.data.player.index == 1)
    await sleep(hass, True)
    await until(lambda: len(heard.told) > 1)
    looked_up.set()
    await settle(display)
    assert heard.kinds == ["artwork_changed", "fell_asleep"]


async def test_a_new_policy_is_no_cast(
    hass: HomeAssistant, display: DisplaySimulator, heard: Heard
) -> None:
    """A display that sends again what hangs, as its policy was changed, has no news and keeps its history."""
    policy = {"showMatureContent": False, "strictPersonal": False}
    await hass.services.async_call(
        "dp1",
        "cast_playlist",
        {"entity_id": "media_player.wall", "playlist": EVENING},
        blocking=True,
    )
    await settle(display)
    coordinator = hass.config_entries.async_entries("dp1")[0].runtime_data
    (before,) = (e.cast_at for e in coordinator.history.entries())
    heard.told.clear()
    key = display.player.settings.showing_key
    display.caster.policy.set(policy)
    assert display.player.settings.showing_key != key
    await settle(display)
    assert heard.kinds == []
    assert [e.cast_at for e in coordinator.history.entries()] == [before]
