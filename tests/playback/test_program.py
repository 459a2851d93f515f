"""Test that casts to one display are taken in the order of the requests, whatever comes in between."""

import asyncio
from collections.abc import AsyncIterator
from dataclasses import replace
from datetime import timedelta
from typing import Any

import pytest
from pytest_homeassistant_custom_component.common import async_fire_time_changed

from custom_components.dp1.display.wall import Wall, async_wall
from custom_components.dp1.playback.request import ForTime, Inline, Request
from custom_components.dp1.playback.show import async_show_on
from homeassistant.core import HomeAssistant
from homeassistant.util import dt as dt_util

from tests.displays import settle, until
from tests.houses import House, series
from tests.simulators.display import FaultKind

pytestmark = pytest.mark.usefixtures("socket_enabled")

TIDES, DUNES = series("Tides", 3), series("Dunes", 3)
MOMENT = timedelta(seconds=60)


@pytest.fixture
async def house(hass: HomeAssistant) -> AsyncIterator[House]:
    async with House.of(hass, "wall") as house:
        yield house


def wall_of(house: House) -> Wall:
    return async_wall(house.hass, house.entries["wall"].entry_id)


async def show(
    house: House, document: Any, request: Request, duration: timedelta | None = None
) -> dict[str, Any]:
    """Show a document as a request that was made earlier."""
    term = None if duration is None else ForTime(duration)
    display = house.entries["wall"].runtime_data
    own = replace(request, art=Inline(document), term=term)
    return await async_show_on(display, own)


def asked() -> Request:
    """Return a request of now."""
    return Request(art=Inline({}))


async def end(house: House) -> None:
    """Let the time of an announcement pass."""
    await settle(house.walls["wall"])
    async_fire_time_changed(house.hass, dt_util.utcnow() + 3 * MOMENT)


async def test_an_older_cast_after_an_announcement(house: House) -> None:
    """It hangs when the announcement is over: the newest of those that come too late."""
    await house.phone_casts("wall", TIDES)
    oldest, older, newer = asked(), asked(), asked()
    await show(house, series("Rain", 1), newer, MOMENT)
    assert (await show(house, DUNES, older))["superseded"]
    assert (await show(house, series("Snow", 1), oldest))["superseded"]
    assert house.hanging("wall") == "Rain 1" and wall_of(house).is_announcing
    await end(house)
    await until(lambda: house.hanging("wall") == "Dunes 1")
    await until(lambda: not wall_of(house).is_announcing)


async def test_an_older_cast_after_an_announcement_has_ended(house: House) -> None:
    """It is shown, as nothing newer hangs."""
    await house.phone_casts("wall", TIDES)
    older, newer = asked(), asked()
    await show(house, series("Rain", 1), newer, MOMENT)
    await house.do("dp1.show_previous", "wall")
    assert "superseded" not in await show(house, DUNES, older)
    assert house.hanging("wall") == "Dunes 1"


async def test_the_newest_of_those_that_wait(house: House) -> None:
    """Only one of many that wait for a slow display is sent: the newest."""
    wall = house.walls["wall"]
    slow = wall.inject(FaultKind.SLOW, command="displayPlaylist", times=1, seconds=0.5)
    first = house.hass.async_create_task(show(house, TIDES, asked()))
    await until(lambda: slow.hits)
    starts = wall.caster._counters.starts
    responses = await asyncio.gather(
        *(show(house, series(f"Rain {n}", 1), asked()) for n in range(4))
    )
    assert "superseded" not in await first
    assert ["superseded" in response for response in responses] == [True] * 3 + [False]
    assert house.hanging("wall") == "Rain 3 1"
    assert wall.caster._counters.starts == starts + 2
