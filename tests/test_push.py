"""Test what a pushed frame changes."""

import json
from typing import Any

import pytest

from homeassistant.const import EVENT_STATE_CHANGED
from homeassistant.core import Event, callback

from .displays import ENTITY_ID, playlist, settle, until
from .simulators.display import FaultKind
from .walls import Wall

WORKS = playlist("Tide", "Dune", "Fog")


async def push(wall: Wall, index: int) -> None:
    """Push one of the works, until the state says so."""
    works = [
        {key: work[key] for key in ("id", "title", "duration", "license")}
        for work in WORKS["items"]
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
    await wall.display.send_frame(json.dumps(frame))
    await until(lambda: wall.attribute("media_track") == index + 1)


@pytest.fixture
async def quiet(wall: Wall) -> Wall:
    """Show a playlist on a display that pushes nothing by itself."""
    await wall.load(WORKS)
    await settle(wall.display)
    wall.display.poller.muted = True
    return wall


async def test_the_same_again(quiet: Wall) -> None:
    """What is pushed again updates nothing."""
    await push(quiet, 1)
    await push(quiet, 2)
    written: list[str] = []

    @callback
    def note(event: Event[Any]) -> None:
        written.append(event.data["entity_id"])

    quiet.hass.bus.async_listen(EVENT_STATE_CHANGED, note)
    await push(quiet, 2)
    await settle(quiet.display)
    assert ENTITY_ID not in written


async def test_an_answer_from_before(quiet: Wall) -> None:
    """It does not replace what has been pushed since, though the same was pushed before."""
    for index in (1, 0, 1):
        await push(quiet, index)
    late = {"command": "checkStatus", "times": 1, "seconds": 0.6}
    fault = quiet.display.inject(FaultKind.LATE, **late)
    # The simulator itself is still at the first work.
    answer = quiet.hass.async_create_task(quiet.coordinator.async_read_player())
    await until(lambda: fault.hits)
    for index in (2, 1):
        await push(quiet, index)
    await answer
    assert quiet.attribute("media_track") == 2
