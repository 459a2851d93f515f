"""Test many requests to a display at the same time: none is refused, and the last of each kind counts."""

import asyncio
from collections.abc import AsyncIterator, Coroutine
from typing import Any

import pytest

from homeassistant.core import HomeAssistant
from homeassistant.exceptions import HomeAssistantError

from .displays import until
from .houses import House, series, titles
from .simulators.display.player import Page
from .timing import FAST

from tests.timing import Timing

pytestmark = pytest.mark.usefixtures("socket_enabled")

TIDES = series("Tides", 30)


@pytest.fixture
def timing() -> Timing:
    """Send commands at the rate of a real display."""
    return dict(FAST, pace=1)


@pytest.fixture
async def house(hass: HomeAssistant) -> AsyncIterator[House]:
    """Set up one display that refuses commands over its rate limit."""
    async with House.of(hass, "wall", storm_gate=True) as house:
        house.walls["wall"].reset_counters()
        yield house


async def at_once(*asked: Coroutine[Any, Any, object]) -> None:
    """Call everything at the same time, started in this order."""
    await asyncio.gather(*asked)


def refused(house: House) -> int:
    return sum(command.status == 429 for command in house.walls["wall"].received)


def prepare_meanwhile(house: House) -> None:
    """Let the first cast take so long that all others are prepared meanwhile."""
    house.walls["wall"].inject("slow", command="displayPlaylist", times=1, seconds=0.5)


async def test_twenty_automations_of_all_kinds(house: House) -> None:
    """Of twenty casts, moves, orders, volumes and sleeps, none is refused and the last count."""
    await house.show("wall", playlist=TIDES)
    wall = house.walls["wall"]
    await at_once(
        *(
            step
            for number in range(1, 5)
            for step in (
                house.show("wall", playlist=series(f"List {number}", 6)),
                house.do("dp1.show_work", "wall", work=number + 1),
                house.do("volume_set", "wall", volume_level=number * 0.12),
                house.do("repeat_set", "wall", repeat=("off", "one")[number % 2]),
                house.do("turn_on" if number % 2 else "turn_off", "wall"),
            )
        )
    )
    await house.hass.async_block_till_done()
    assert refused(house) == 0
    shown = wall.state
    assert shown.playlist_title == "List 4"
    assert shown.position == 4
    assert shown.volume == 48
    assert shown.loop_mode == "none"
    assert shown.asleep
    await until(lambda: house.state("wall").state == "off")
    assert wall.casts < 5


async def test_twenty_steps(house: House) -> None:
    """Twenty calls of next move twenty works on."""
    await house.show("wall", playlist=TIDES)
    await at_once(*(house.do("media_next_track", "wall") for _ in range(20)))
    assert refused(house) == 0
    assert house.hanging("wall") == "Tides 21"


@pytest.mark.parametrize(("last", "asleep"), [("turn_off", True), ("turn_on", False)])
async def test_twenty_changes_of_mind(house: House, last: str, asleep: bool) -> None:
    """The last call decides about sleep."""
    first = "turn_on" if last == "turn_off" else "turn_off"
    await at_once(
        *(house.do(action, "wall") for _ in range(10) for action in (first, last))
    )
    assert refused(house) == 0
    assert house.walls["wall"].state.asleep is asleep
    await until(lambda: (house.state("wall").state == "off") is asleep)


async def test_off_after_a_cast(house: House) -> None:
    """A cast does not wake a display that was turned off after the cast was requested."""
    await at_once(
        house.show("wall", playlist=TIDES),
        house.show("wall", playlist=TIDES),
        house.do("turn_off", "wall"),
    )
    assert house.walls["wall"].state.asleep
    assert house.walls["wall"].state.playlist_title == "Tides"


async def test_works_added_at_once(house: House) -> None:
    """All works that several automations add at the same time are added."""
    await house.show("wall", playlist=series("Tides", 2))
    await at_once(
        *(
            house.play(
                "wall",
                f"{house.door}/{number}.jpg",
                kind="image",
                enqueue="add",
            )
            for number in range(3)
        )
    )
    assert refused(house) == 0
    assert titles(house.walls["wall"].state.items) == [
        "Tides 1",
        "Tides 2",
        "0",
        "1",
        "2",
    ]


async def test_a_slow_address_does_not_come_last(house: House) -> None:
    """A cast that is slow to prepare is superseded by a later one."""
    house.walls["wall"].reset_counters()
    shown = asyncio.Event()

    async def answer(_: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        """Answer nothing until the later cast is shown."""
        await shown.wait()
        writer.close()

    async def show() -> None:
        await house.show("wall", playlist=TIDES)
        shown.set()

    async with await asyncio.start_server(answer, "127.0.0.1", 0) as server:
        port = server.sockets[0].getsockname()[1]
        await at_once(house.play("wall", f"http://127.0.0.1:{port}/slow"), show())
    assert house.hanging("wall") == "Tides 1"
    assert house.walls["wall"].casts == 1


@pytest.mark.parametrize("wake", [True, False])
async def test_a_cast_to_the_error_page(house: House, wake: bool) -> None:
    """A cast that wakes leaves the error page; otherwise it is an error that names the reason."""
    wall = house.walls["wall"]
    await house.show("wall", playlist=series("Old", 2))
    wall.show_page(Page.ERROR, "service_failed")
    coordinator = house.entries["wall"].runtime_data
    await coordinator.async_refresh()
    await until(lambda: coordinator.data.error_page)
    if wake:
        await house.show("wall", playlist=TIDES)
        await until(lambda: house.state("wall").state == "playing")
        await until(lambda: house.attribute("wall", "media_title") == "Tides 1")
        assert wall.player.page is Page.PLAYLIST
    else:
        with pytest.raises(HomeAssistantError) as raised:
            await house.show("wall", playlist=TIDES, wake=False)
        assert raised.value.translation_key == "on_error_page"
        assert "service_failed" in str(raised.value)
        assert wall.state.playlist_title == "Old"


async def test_casts_that_were_overtaken_say_so(house: House) -> None:
    """All but the last of several casts return that they were superseded."""
    names = [f"List {number}" for number in range(6)]
    prepare_meanwhile(house)
    responses = await asyncio.gather(
        *(
            house.do(
                "dp1.cast_playlist", "wall", response=True, playlist=series(name, 3)
            )
            for name in names
        )
    )
    told = [response[house.entity("wall")] for response in responses]
    shown = house.walls["wall"].state.playlist_title
    assert shown == names[-1]
    assert "superseded" not in told[-1]
    overtaken = [answer for answer in told if answer.get("superseded")]
    assert len(overtaken) >= 3
    assert all(answer["title"] != shown or answer in overtaken for answer in told[:-1])
