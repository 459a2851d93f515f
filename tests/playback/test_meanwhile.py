"""Test what is done while something is shown for a time: it counts for what comes back."""

from collections.abc import AsyncIterator
from datetime import timedelta
from typing import Any

import pytest
from pytest_homeassistant_custom_component.common import async_fire_time_changed

from homeassistant.core import HomeAssistant
from homeassistant.util import dt as dt_util

from .test_announce import advance

from tests.displays import settle, until
from tests.houses import House, series, titles
from tests.simulators.display import FaultKind

pytestmark = pytest.mark.usefixtures("socket_enabled")

TIDES, DUNES, RAIN = series("Tides", 5), series("Dunes", 3), series("Rain", 2)
SLEEPS = ("sleepNow", "setSleepMode")
SNOW = {"media_content_id": "https://art.example.org/snow.png", "kind": ""}


@pytest.fixture
async def house(hass: HomeAssistant) -> AsyncIterator[House]:
    async with House.of(hass, "wall") as house:
        yield house


@pytest.fixture
async def rooms(hass: HomeAssistant) -> AsyncIterator[House]:
    """Return a group of three displays that show one list."""
    async with House.of(hass, "left", "middle", "right") as house:
        await house.show("left", playlist=TIDES)
        await join(house, "middle", "right")
        yield house


async def join(house: House, *names: str) -> None:
    await house.do("join", "left", group_members=list(map(house.entity, names)))


async def tell(house: House, name: str = "wall") -> None:
    """Show a message for a minute."""
    await house.do("dp1.show_message", name, title="Tea", show_for={"seconds": 60})
    assert house.walls[name].state.playlist_title == "Tea"


async def end(house: House, *names: str) -> None:
    """Let the minute pass."""
    for name in names or ("wall",):
        await settle(house.walls[name])
    async_fire_time_changed(house.hass, dt_util.utcnow() + timedelta(seconds=61))


def works(house: House, name: str = "wall") -> list[str]:
    """Return the titles or sources of the works on a display."""
    return [
        item.get("title") or item["source"].rpartition("/")[2]
        for item in house.walls[name].state.items
    ]


async def test_a_display_that_slept_sleeps_again(house: House) -> None:
    """Adding to what comes back does not keep it awake."""
    await house.show("wall", playlist=DUNES)
    await house.do("turn_off", "wall")
    await tell(house)
    assert not house.walls["wall"].state.asleep
    await house.play("wall", SNOW["media_content_id"], enqueue="add")
    await end(house)
    await until(lambda: house.walls["wall"].state.asleep)
    assert works(house)[-1] == "snow"


# In a group


async def in_step(house: House, *shown: str) -> None:
    """Wait until the displays show works."""
    names = list(house.walls)
    await until(lambda: [house.hanging(name) for name in names] == list(shown))


async def test_one_over_another_on_a_member(
    rooms: House, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Each ends at its own time, then the member shows what the others do by then, and sleeps as it did."""
    await rooms.do("turn_off", "middle")
    await rooms.show("middle", playlist=RAIN, show_for={"hours": 2})
    await tell(rooms, "middle")
    await rooms.show("left", playlist=DUNES, start_at=2)
    advance(monkeypatch, 61)
    await end(rooms, *rooms.walls)
    await in_step(rooms, "Dunes 2", "Rain 1", "Dunes 2")
    middle = rooms.walls["middle"]
    faults = [middle.inject(FaultKind.RESET, command=it) for it in SLEEPS]
    advance(monkeypatch, 7200)
    await end(rooms, *rooms.walls)
    # Two hours later the work of the others may be over, too.
    await until(lambda: middle.state.playlist_title == "Dunes")
    await until(lambda: len({rooms.hanging(it) for it in rooms.walls}) == 1)
    await until(lambda: any(fault.hits for fault in faults))
    middle.heal()
    await end(rooms, *rooms.walls)
    await until(lambda: middle.state.asleep)
    assert middle.state.playlist_title == "Dunes"


async def test_joining_during_a_message(hass: HomeAssistant) -> None:
    """Who joins follows once the message is over, on whichever display that is."""
    async with House.of(hass, "left", "right") as house:
        await house.show("left", playlist=TIDES)
        await house.show("right", playlist=DUNES)
        for name in ("right", "left"):
            await tell(house, name)
            await join(house, "right")
            await end(house, *house.walls)
            await in_step(house, "Tides 1", "Tides 1")
            await house.do("unjoin", "right")
            await house.show("right", playlist=DUNES)


async def test_somebody_casts_to_the_leader_during_its_message(rooms: House) -> None:
    """The others follow at once."""
    await tell(rooms, "left")
    await rooms.phone_casts("left", RAIN)
    await in_step(rooms, "Rain 1", "Rain 1", "Rain 1")


async def test_an_end_while_nothing_else_happens(rooms: House) -> None:
    """A message on the leader alone leaves the others where they were, and then all go on together."""
    await tell(rooms, "left")
    assert rooms.hanging("middle") == "Tides 1"
    await end(rooms, *rooms.walls)
    await in_step(rooms, "Tides 1", "Tides 1", "Tides 1")
    # The display shows it before Home Assistant has ended the message.
    await until(lambda: rooms.attribute("left", "dp1")["until"] is None)
    await until(lambda: rooms.attribute("left", "media_title") == "Tides 1")
    await rooms.do("media_next_track", "right")
    await in_step(rooms, "Tides 2", "Tides 2", "Tides 2")


# In the moment in which it ends

type Press = tuple[str, dict[str, Any]]


async def ending(house: House, kind: FaultKind) -> None:
    """Return while what comes back is sent: it is not shown yet, or shown but not answered yet."""
    wall = house.walls["wall"]
    await settle(wall)
    fault = wall.inject(kind, command="displayPlaylist", times=1, seconds=0.4)
    async_fire_time_changed(house.hass, dt_util.utcnow() + timedelta(seconds=61))
    await until(lambda: fault.hits)
    if kind is FaultKind.LATE:
        await until(lambda: wall.state.playlist_title == "Tides")


async def over_tides(house: House, kind: FaultKind | None) -> None:
    """Return during a message over the third of the tides, or while they come back."""
    await house.show("wall", playlist=TIDES, start_at=3)
    await tell(house)
    if kind:
        await ending(house, kind)


async def over(house: House, kind: FaultKind | None) -> None:
    """Wait until the message has ended."""
    if not kind:
        await end(house)
    await until(lambda: house.attribute("wall", "dp1")["until"] is None)
    await settle(house.walls["wall"])


@pytest.mark.parametrize("kind", [FaultKind.SLOW, FaultKind.LATE])
@pytest.mark.parametrize(
    ("press", "work", "listed"),
    [
        (("media_next_track", {}), 4, "12345"),
        (("dp1.show_work", {"work": 5}), 5, "12345"),
        (("dp1.remove_work", {"work": 1}), 3, "2345"),
        (("clear_playlist", {}), 0, ""),
    ],
    ids=lambda value: value[0] if isinstance(value, tuple) else None,
)
async def test_a_press(
    house: House, press: Press, work: int, listed: str, kind: FaultKind
) -> None:
    """What is pressed while the message ends is about what comes back, and neither is lost."""
    action, data = press
    await over_tides(house, kind)
    await house.do(action, "wall", **data)
    await over(house, kind)
    shown = f"Tides {work}" if work else ""
    await until(lambda: house.hanging("wall") == shown)
    await until(lambda: works(house) == [f"Tides {number}" for number in listed])


@pytest.mark.parametrize("kind", [None, FaultKind.SLOW, FaultKind.LATE])
@pytest.mark.parametrize("how", ["add", "next", "play"])
async def test_an_addition(house: House, how: str, kind: FaultKind | None) -> None:
    """A work that is queued during the message or its end is in what comes back, and the message is not."""
    await over_tides(house, kind)
    await house.play("wall", SNOW["media_content_id"], enqueue=how)
    await over(house, kind)
    listed = titles(TIDES["items"])
    listed.insert(5 if how == "add" else 3, "snow")
    await until(lambda: works(house) == listed)
    shown = listed.index("snow") if how == "play" else 2
    await until(lambda: house.walls["wall"].state.position == shown)


@pytest.mark.parametrize("kind", [None, FaultKind.SLOW, FaultKind.LATE])
@pytest.mark.parametrize(
    ("press", "name", "value"),
    [
        (("shuffle_set", {"shuffle": True}), "shuffle", True),
        (("repeat_set", {"repeat": "one"}), "loop_mode", "one"),
        (("volume_set", {"volume_level": 0.4}), "volume", 40),
        (("turn_off", {}), "asleep", True),
    ],
    ids=lambda value: value[0] if isinstance(value, tuple) else None,
)
async def test_a_setting(
    house: House, press: Press, name: str, value: object, kind: FaultKind | None
) -> None:
    """What is set during the message or its end is so afterwards."""
    action, data = press
    await over_tides(house, kind)
    await house.do(action, "wall", **data)
    await over(house, kind)
    await until(lambda: getattr(house.walls["wall"].state, name) == value)
    assert house.hanging("wall") == "Tides 3" or name == "shuffle"


@pytest.mark.parametrize("kind", [None, FaultKind.SLOW, FaultKind.LATE])
async def test_who_comes_while_it_is_awake(
    house: House, kind: FaultKind | None
) -> None:
    """A display that slept, and is turned on during the message or its end, stays awake."""
    await house.show("wall", playlist=TIDES)
    await house.do("turn_off", "wall")
    await tell(house)
    if kind:
        await ending(house, kind)
    await house.do("turn_on", "wall")
    await over(house, kind)
    assert not house.walls["wall"].state.asleep
    assert house.hanging("wall") == "Tides 1"


@pytest.mark.parametrize("kind", [FaultKind.SLOW, FaultKind.LATE])
async def test_a_press_while_a_cast_replaces_the_list(
    house: House, kind: FaultKind
) -> None:
    """It is about the list to come."""
    wall = house.walls["wall"]
    await house.show("wall", playlist=DUNES)
    fault = wall.inject(kind, command="displayPlaylist", times=1, seconds=0.4)
    cast = house.hass.async_create_task(house.show("wall", playlist=TIDES, start_at=3))
    await until(lambda: fault.hits)
    await house.do("media_next_track", "wall")
    await cast
    await until(lambda: house.hanging("wall") == "Tides 4")
