"""Test what a pushed frame changes."""

import json
from typing import Any

import pytest
from pytest_homeassistant_custom_component.common import MockConfigEntry

from homeassistant.const import EVENT_STATE_CHANGED
from homeassistant.core import Event, HomeAssistant, callback

from .displays import ENTITY_ID, playlist, settle, state_of, until
from .simulators.display import DisplaySimulator, FaultKind


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


async def test_the_same_again(hass: HomeAssistant, shown: DisplaySimulator) -> None:
    """What is pushed again updates nothing."""
    await pushed(hass, shown, 1)
    await pushed(hass, shown, 2)
    written: list[str] = []

    @callback
    def note(event: Event[Any]) -> None:
        written.append(event.data["entity_id"])

    hass.bus.async_listen(EVENT_STATE_CHANGED, note)
    await pushed(hass, shown, 2)
    await settle(shown)
    assert ENTITY_ID not in written


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
