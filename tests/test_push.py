"""What a pushed frame costs: how many functions of the integration are called from the socket to the written state."""

from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager
import json
from pathlib import Path
import sys
from types import CodeType
from typing import Any

import pytest
from pytest_homeassistant_custom_component.common import MockConfigEntry

from homeassistant.const import EVENT_STATE_CHANGED
from homeassistant.core import Event, HomeAssistant, callback

from .displays import ENTITY_ID, playlist, settle, state_of, until
from .simulators.display import DisplaySimulator, FaultKind
from .sources import INTEGRATION

FRAMES = 10
# A count may only fall.
ANOTHER_WORK = 260
SAME_AGAIN = 130


@contextmanager
def calls() -> Iterator[Counter[str]]:
    """Count the calls of functions of the integration, and how often a coroutine of it goes on."""
    found: Counter[str] = Counter()
    monitoring = sys.monitoring
    tool = next(number for number in range(6) if monitoring.get_tool(number) is None)
    watched = monitoring.events.PY_START | monitoring.events.PY_RESUME

    def count(code: CodeType, offset: int) -> Any:
        """Count a call of ours, and ask no more about other code."""
        path = Path(code.co_filename)
        if not path.is_relative_to(INTEGRATION):
            return monitoring.DISABLE
        found[f"{path.relative_to(INTEGRATION)}: {code.co_qualname}"] += 1
        return None

    monitoring.use_tool_id(tool, "calls")
    for event in (monitoring.events.PY_START, monitoring.events.PY_RESUME):
        monitoring.register_callback(tool, event, count)
    monitoring.restart_events()
    monitoring.set_events(tool, watched)
    try:
        yield found
    finally:
        monitoring.set_events(tool, 0)
        for event in (monitoring.events.PY_START, monitoring.events.PY_RESUME):
            monitoring.register_callback(tool, event, None)
        monitoring.free_tool_id(tool)


async def pushed(hass: HomeAssistant, wall: DisplaySimulator, index: int) -> None:
    """Push one of the works, until the state says so."""
    works = [
        {key: work[key] for key in ("id", "title", "duration", "license")}
        for work in playlist("Tide", "Dune", "Fog")["items"]
    ]
    message = {
        "ok": True,
        "castCommand": "displayPlaylist",
        "playlist": {"dpVersion": "", "title": "", "items": None},
        "index": index,
        "items": works,
        "isPaused": False,
        "loopMode": "playlist",
        "shuffle": False,
        "renderStatus": 2,
    }
    frame = {"message": message, "notification_type": "player_status"}
    await wall.send_frame(json.dumps(frame))
    await until(lambda: state_of(hass).attributes["media_track"] == index + 1)


async def cost(hass: HomeAssistant, wall: DisplaySimulator) -> Counter[str]:
    """Return the calls of the cheapest of some frames that each bring another work, as polls may come between."""
    for index in (1, 0):
        await pushed(hass, wall, index)
    await settle(wall)
    await hass.async_block_till_done()
    found = []
    for number in range(1, FRAMES + 1):
        with calls() as counts:
            await pushed(hass, wall, number % 3)
        found.append(counts)
    return min(found, key=Counter.total)


@pytest.fixture
async def shown(
    hass: HomeAssistant, display: DisplaySimulator, setup_display: MockConfigEntry
) -> DisplaySimulator:
    """Show a playlist on a display that pushes nothing by itself."""
    display.player.load(playlist("Tide", "Dune", "Fog"))
    await until(lambda: state_of(hass).attributes.get("media_playlist"))
    await settle(display)
    display.poller.muted = True
    return display


async def test_another_work(hass: HomeAssistant, shown: DisplaySimulator) -> None:
    """Only what another work changes is called for."""
    counts = await cost(hass, shown)
    assert counts.total() <= ANOTHER_WORK, "\n".join(
        f"{n} {k}" for k, n in counts.items()
    )


async def test_the_same_again(hass: HomeAssistant, shown: DisplaySimulator) -> None:
    """What is pushed again updates nothing."""
    await pushed(hass, shown, 1)
    await pushed(hass, shown, 2)
    written: list[str] = []

    @callback
    def note(event: Event[Any]) -> None:
        """Note a written state."""
        written.append(event.data["entity_id"])

    hass.bus.async_listen(EVENT_STATE_CHANGED, note)
    found = []
    for _ in range(FRAMES):
        with calls() as counts:
            await pushed(hass, shown, 2)
            await settle(shown)
        found.append(counts)
    assert ENTITY_ID not in written
    least = min(found, key=Counter.total)
    assert 0 < least.total() <= SAME_AGAIN, least


async def test_an_answer_from_before(
    hass: HomeAssistant, shown: DisplaySimulator, setup_display: MockConfigEntry
) -> None:
    """It does not replace what has been pushed since, though the same was pushed before."""
    for index in (1, 0, 1):
        await pushed(hass, shown, index)
    fault = shown.inject(FaultKind.LATE, command="checkStatus", times=1, seconds=0.6)
    # The simulator itself is still at the first work.
    answer = hass.async_create_task(setup_display.runtime_data.async_read_player())
    await until(lambda: fault.hits)
    for index in (2, 1):
        await pushed(hass, shown, index)
    await answer
    assert state_of(hass).attributes["media_track"] == 2
