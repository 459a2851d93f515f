"""Test a display that pushes without end."""

import asyncio
import json

import pytest
from pytest_homeassistant_custom_component.common import MockConfigEntry

from homeassistant.const import EVENT_STATE_CHANGED
from homeassistant.core import Event, EventStateChangedData, HomeAssistant, callback

from ..displays import ENTITY_ID, playlist, settle, state_of, until
from ..simulators.display import DisplaySimulator

WORKS = playlist("A", "B", "C")


def frame(index: int) -> str:
    """Return what is pushed of one of three works, which has loaded: one that loads would be read again."""
    works = [{"id": it["id"], "title": it["title"]} for it in WORKS["items"]]
    message = {
        "ok": True,
        "index": index,
        "items": works,
        "isPaused": False,
        "renderStatus": 2,
    }
    return json.dumps({"notification_type": "player_status", "message": message})


async def flood(display: DisplaySimulator) -> None:
    """Alternate two works as fast as possible, and end with the third."""
    for number in range(600):
        await display.send_frame(frame(number % 2))
        await asyncio.sleep(0.001)
    await display.send_frame(frame(2))


@pytest.fixture
async def silent(
    hass: HomeAssistant, display: DisplaySimulator, setup_display: MockConfigEntry
) -> DisplaySimulator:
    """Return a display that pushes nothing by itself."""
    display.player.load(WORKS)
    await until(lambda: state_of(hass).attributes.get("media_playlist"))
    await settle(display)
    display.poller.muted = True
    return display


async def test_only_so_many_changes_are_written(
    hass: HomeAssistant, silent: DisplaySimulator
) -> None:
    """A burst, then two a second, and at the end what is shown then."""
    changes: list[str] = []

    @callback
    def note(event: Event[EventStateChangedData]) -> None:
        if event.data["entity_id"] == ENTITY_ID:
            changes.append(event.data["new_state"].attributes.get("media_title"))

    hass.bus.async_listen(EVENT_STATE_CHANGED, note)
    began = hass.loop.time()
    await flood(silent)
    await until(lambda: state_of(hass).attributes["media_title"] == "C")
    await settle(silent)
    assert changes[-1] == "C"
    assert 8 <= len(changes) <= 12 + 2 * (hass.loop.time() - began)
