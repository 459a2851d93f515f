"""Test the event entity of a display."""

import asyncio
from datetime import timedelta
from typing import Any

import pytest

from homeassistant.core import Event, EventStateChangedData, callback

from .displays import FIRMWARE, playlist, settle, until
from .simulators.display.player import Page
from .timing import FAST
from .walls import EVENING, Wall

from tests.timing import Timing

pytestmark = pytest.mark.usefixtures("entity_registry_enabled_by_default")

NIGHT = playlist("Moon", "Stars", title="Night", id="0f9a8a36-4f6c-4f0c-8c7e-000000000")
for number, item in enumerate(NIGHT["items"]):
    item["id"] = f"5d0c9d5e-0000-4000-8000-00000000010{number}"


class Heard:
    """Events of a display."""

    def __init__(self, wall: Wall) -> None:
        self.events: list[dict[str, Any]] = []
        self._entity_id = wall.entity_id("event", "activity")
        wall.hass.bus.async_listen("state_changed", self._hear)

    @callback
    def _hear(self, event: Event[EventStateChangedData]) -> None:
        state, before = event.data["new_state"], event.data["old_state"]
        if event.data["entity_id"] != self._entity_id or state is None:
            return
        if state.state not in ("unknown", "unavailable") and (
            before is None or before.state != state.state
        ):
            self.events.append(dict(state.attributes))

    @property
    def kinds(self) -> list[str]:
        return [event["event_type"] for event in self.events]

    def all_of(self, name: str) -> list[Any]:
        return [event.get(name) for event in self.events]

    def last(self, kind: str) -> dict[str, Any]:
        events = reversed(self.events)
        return next(event for event in events if event["event_type"] == kind)


@pytest.fixture
def timing() -> Timing:
    """Shorten more delays."""
    return dict(FAST, loss_patience=0.2, first_retry=0.02, read_cooldown=0.05)


@pytest.fixture
async def wall(bare: Wall) -> Wall:
    """Set up a display that shows a work."""
    bare.display.player.load(EVENING)
    await bare.set_up()
    return bare


@pytest.fixture
async def heard(wall: Wall) -> Heard:
    return Heard(wall)


@pytest.mark.parametrize("profile", FIRMWARE)
async def test_another_work(wall: Wall, heard: Heard) -> None:
    """Another work fires an event with title and position; the first work after setup fires none."""
    wall.move(1)
    await until(lambda: heard.events)
    assert heard.kinds == ["artwork_changed"]
    event = heard.last("artwork_changed")
    assert (event["title"], event["playlist"]) == ("Noon", "Evening")
    assert (event["position"], event["works"]) == (2, 3)
    assert wall.shown("event", "activity").attributes["event_types"] == [
        "artwork_changed",
        "playlist_started",
        "playback_failed",
    ]


@pytest.mark.parametrize("profile", FIRMWARE)
async def test_another_playlist(wall: Wall, heard: Heard) -> None:
    """Another playlist fires an event, and so does its first work, and a work after an empty playlist."""
    wall.display.player.load(NIGHT)
    await until(lambda: len(heard.events) == 2)
    assert sorted(heard.kinds) == ["artwork_changed", "playlist_started"]
    started = heard.last("playlist_started")
    assert (started["title"], started["playlist"]) == ("Moon", "Night")
    heard.events.clear()
    wall.display.player.handle("disconnect", {})
    await until(lambda: wall.state == "idle")
    wall.display.player.load(NIGHT)
    await until(lambda: len(heard.events) == 2)
    assert sorted(heard.kinds) == ["artwork_changed", "playlist_started"]


async def test_the_same_in_another_order(wall: Wall, heard: Heard) -> None:
    """Shuffling fires no event."""
    # A change that only a read has seen is not pushed when it is undone at once.
    await settle(wall.display)
    for enabled in (True, False):
        wall.display.player.handle("setShuffle", {"enabled": enabled})
        await until(lambda enabled=enabled: wall.attribute("shuffle") is enabled)
    assert not heard.events


@pytest.mark.parametrize("profile", FIRMWARE)
async def test_sleep(wall: Wall, heard: Heard) -> None:
    """Sleeping and waking fire no event, nor does the same work afterwards, but another when the display wakes."""
    for action in ("turn_off", "turn_on"):
        await wall.do(action)
        await settle(wall.display)
    assert not heard.events
    await wall.do("turn_off")
    wall.display.player.load(NIGHT)
    await until(lambda: wall.display.state.current_title == "Moon")
    await wall.hass.async_block_till_done()
    assert (heard.kinds, wall.state) == ([], "off")
    await wall.do("turn_on")
    await until(lambda: len(heard.events) == 2)
    assert set(heard.kinds) == {"artwork_changed", "playlist_started"}


@pytest.mark.parametrize("profile", FIRMWARE)
async def test_failure(wall: Wall, heard: Heard) -> None:
    """A failed player fires an event with the reason, and again only after a recovery."""

    def has_problem() -> bool:
        return wall.value("binary_sensor", "playback_problem") == "on"

    for times in (1, 2):
        wall.display.overheat()
        await until(lambda times=times: heard.kinds == ["playback_failed"] * times)
        assert heard.last("playback_failed")["reason"] == "overheating"
        wall.display.player.overheating = False
        wall.display.show_page(Page.PLAYLIST)
        await until(lambda: not has_problem())
    assert heard.kinds == ["playback_failed"] * 2


async def test_work_that_does_not_load(wall: Wall, heard: Heard) -> None:
    """A work that fails to load fires an event."""
    wall.display.player.render_status = 3
    await until(lambda: heard.kinds == ["playback_failed"])
    event = heard.last("playback_failed")
    assert (event["reason"], event["title"]) == ("render_failed", "Dawn")


async def test_return(wall: Wall, heard: Heard) -> None:
    """An available display fires an event for a changed work when it is back."""
    await wall.display.power_off()
    await until(lambda: wall.shown("event", "activity").state == "unavailable")
    wall.display.player.index = 2
    await wall.display.power_on()
    await until(lambda: "artwork_changed" in heard.kinds)
    assert heard.kinds == ["artwork_changed"]
    assert heard.last("artwork_changed")["title"] == "Dusk"


async def test_interlude(wall: Wall, heard: Heard) -> None:
    """An interlude fires one event at its start and one at its end, both marked as an interlude."""
    wall.move(1)
    # The name of the playlist is read after the work was pushed, and told then.
    await until(lambda: wall.attribute("media_playlist"))
    await until(lambda: heard.all_of("title") == ["Noon"])
    heard.events.clear()
    await wall.cast(playlist("Alarm", id=NIGHT["id"]), show_for=timedelta(seconds=1))
    await until(lambda: len(heard.events) > 1)
    await wall.hass.async_block_till_done()
    assert heard.kinds == ["artwork_changed"] * 2
    assert heard.all_of("title") == ["Alarm", "Noon"]
    assert all(heard.all_of("interlude"))
    assert heard.events[1]["work_id"] == EVENING["items"][1]["id"]
    assert {"link", "picture", "exhibition"} <= heard.events[1].keys()


@pytest.fixture
def looked_up(wall: Wall, monkeypatch: pytest.MonkeyPatch) -> asyncio.Event:
    """Let the libraries look for works until this is set."""
    event = asyncio.Event()

    async def wait(_: float) -> None:
        await event.wait()

    metadata = wall.coordinator.metadata
    monkeypatch.setattr(metadata, "async_wait", wait)
    monkeypatch.setattr(type(metadata), "is_looking_up", True)
    return event


async def test_a_work_on_the_way_to_something_else_is_not_told_as_the_one_before(
    wall: Wall, heard: Heard, looked_up: asyncio.Event
) -> None:
    """A work that the libraries look for long is told as itself, and the next once."""
    coordinator = wall.coordinator
    wall.move(1)
    await until(lambda: coordinator.data.player.index == 1)
    with coordinator.requests.steps():
        wall.move(2)
        await until(lambda: coordinator.data.player.index == 2)
        looked_up.set()
        await until(lambda: heard.events)
    await until(lambda: len(heard.events) > 1)
    await settle(wall.display)
    assert heard.all_of("title") == ["Noon", "Dusk"]


async def test_a_work_that_is_looked_up_while_the_display_falls_asleep(
    wall: Wall, heard: Heard, looked_up: asyncio.Event
) -> None:
    """The work is told once it has been looked up, and once."""
    wall.move(1)
    await until(lambda: wall.coordinator.data.player.index == 1)
    await wall.do("turn_off")
    looked_up.set()
    await until(lambda: heard.events)
    await settle(wall.display)
    assert heard.kinds == ["artwork_changed"]


async def test_a_new_policy_is_no_cast(wall: Wall, heard: Heard) -> None:
    """A display that sends again what hangs, as its policy was changed, has no news and keeps its history."""
    await wall.cast()
    await settle(wall.display)
    history = wall.coordinator.history
    (before,) = (entry.at for entry in history.entries())
    heard.events.clear()
    settings = wall.display.player.settings
    key = settings.showing_key
    policy = {"showMatureContent": False, "strictPersonal": False}
    wall.display.caster.policy.set(policy)
    assert settings.showing_key != key
    await settle(wall.display)
    assert heard.kinds == []
    assert [entry.at for entry in history.entries()] == [before]
