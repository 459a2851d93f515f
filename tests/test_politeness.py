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


async def test_a_cast_to_the_error_page_that_wakes_nobody(house: House) -> None:
    """It is an error that names the reason."""
    wall = house.walls["wall"]
    await house.show("wall", playlist=series("Old", 2))
    wall.show_page(Page.ERROR, "service_failed")
    coordinator = house.entries["wall"].runtime_data
    await coordinator.async_refresh()
    await until(lambda: coordinator.data.error_page)
    with pytest.raises(HomeAssistantError) as raised:
        await house.show("wall", playlist=TIDES, wake=False)
    assert raised.value.translation_key == "on_error_page"
    assert "service_failed" in str(raised.value)
    assert wall.state.playlist_title == "Old"
