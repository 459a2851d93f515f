"""Test that a home goes on from the files that an earlier version has written: nothing of a person is lost."""

from collections.abc import AsyncIterator
from contextlib import AsyncExitStack
from dataclasses import dataclass
from datetime import datetime, timedelta
import json
from pathlib import Path
from typing import Any

import pytest
from pytest_homeassistant_custom_component.common import (
    MockConfigEntry,
    async_fire_time_changed,
)

from custom_components.dp1.display.wall import async_wall
from custom_components.dp1.grants import GRANTS
from custom_components.dp1.playback.groups import GROUPS, group_of
from homeassistant.config_entries import ConfigEntryState
from homeassistant.core import HomeAssistant
from homeassistant.util import dt as dt_util

from .displays import entry_of, set_up, settle, until
from .houses import series
from .libraries import DID, SEED, library_entry
from .simulators.catalog.simulator import CatalogSimulator
from .simulators.display import DisplaySimulator

pytestmark = pytest.mark.usefixtures("socket_enabled")

# A group of three with a spread playlist, messages on two displays, a list by its URL, a lent picture, a favorite.
STORED = Path(__file__).parent / "fixtures" / "stored.json"
ROOMS = ("LEFT", "MIDDLE", "RIGHT", "DOOR")
LOADED = ConfigEntryState.LOADED
# When the messages end, one of them an hour later than the other.
ENDS = {"MIDDLE": timedelta(hours=1), "DOOR": timedelta(hours=2)}


@dataclass
class Home:
    """The displays by the ids of their entries, and what is stored of them."""

    hass: HomeAssistant
    stored: dict[str, Any]
    walls: dict[str, DisplaySimulator]
    library: MockConfigEntry
    began: datetime

    def notes(self, room: str) -> Any:
        return async_wall(self.hass, room).notes


@pytest.fixture
async def home(
    hass: HomeAssistant, hass_storage: dict[str, Any]
) -> AsyncIterator[Home]:
    """Start a home whose displays show what they did when the files were written."""
    stored = json.loads(STORED.read_text())
    began = dt_util.utcnow()
    for room, lasts in ENDS.items():
        announcement = stored["dp1.displays"]["data"][room]["announcement"]
        announcement["since"] = began.isoformat()
        announcement["until"] = (began + lasts).isoformat()
    hass_storage.update(stored)
    tides = series("Tides", 5)
    async with AsyncExitStack() as stack:
        catalog = await stack.enter_async_context(CatalogSimulator())
        library = library_entry(None, catalog.url)
        object.__setattr__(library, "entry_id", "LIBRARY")
        walls: dict[str, DisplaySimulator] = {}
        entries = []
        for number, room in enumerate(ROOMS):
            wall = await stack.enter_async_context(
                DisplaySimulator(
                    profile="B",
                    device_id=f"FF1-{number:08}",
                    poll_interval=0.1,
                    page_delay=0.02,
                    storm_gate=False,
                )
            )
            wall.caster.preflight = False
            notes = stored["dp1.displays"]["data"][room]
            announced = notes.get("announcement")
            wall.player.load(announced["playlist"]["playlist"] if announced else tides)
            if room == "RIGHT":
                wall.player.handle("moveToArtwork", {"index": 2})
            walls[room] = wall
            names = {"unique_id": f"FF1-{number:08}", "title": room.capitalize()}
            entries.append(entry_of(wall, entry_id=room, **names))
            entries[-1].add_to_hass(hass)
        library.add_to_hass(hass)
        # The others are set up with the first.
        await set_up(hass, entries[0])
        await until(lambda: all(it.state is LOADED for it in entries))
        for wall in walls.values():
            await settle(wall)
        yield Home(hass, stored, walls, library, began)


async def test_what_an_earlier_version_stored(
    home: Home, hass_storage: dict[str, Any]
) -> None:
    """Group, spread, messages, history, lent picture, favorite and key are there, and nothing is sent."""
    together = group_of(home.hass, "MIDDLE")
    assert together is not None
    assert together.members == ["LEFT", "MIDDLE", "RIGHT"]
    assert home.hass.data[GROUPS].spreads == [{"LEFT": 0, "MIDDLE": 1, "RIGHT": 2}]
    kept = home.notes("DOOR").announcement
    assert kept.until == home.began + ENDS["DOOR"]
    assert kept.hung.asked.name == "Tea" and kept.hung.asked.is_personal
    assert kept.before.hung.asked.url == "https://feed.example/tides"
    assert kept.before.hung.start.loop == "one"
    assert not kept.before.asleep
    left = home.hass.config_entries.async_get_entry("LEFT")
    assert left is not None
    history = [entry.title for entry in left.runtime_data.history.entries()]
    assert history == ["Tides", "Dunes"]
    (token,) = home.stored["dp1.media_proxy"]["data"]
    assert home.hass.data[GRANTS].tokens == [token]
    favorites = home.stored["dp1.favorites.LIBRARY"]["data"]["favorites"]
    library = home.library.runtime_data
    children = await library.async_children("favorites")
    assert [str(child.title) for child in children.nodes] == [
        it["node"]["work"]["title"] for it in favorites
    ]
    (key,) = (it["data"] for it in hass_storage.values() if "signing_key" in it["key"])
    assert key == {"signing_key": SEED}
    assert "signing_key" not in home.library.data
    assert library.key.did == DID
    assert [wall.writes for wall in home.walls.values()] == [0, 0, 0, 0]
    assert not [key for key in hass_storage if "damaged" in key]


async def test_a_message_that_an_earlier_version_showed(home: Home) -> None:
    """It ends when its time is over, and the member of the group shows what the others do, at its place."""
    async_fire_time_changed(home.hass, home.began + ENDS["MIDDLE"])
    middle = home.walls["MIDDLE"]
    await until(lambda: middle.state.playlist_title == "Tides")
    await until(lambda: home.notes("MIDDLE").announcement is None)

    def places() -> list[int]:
        """Return the places of the group in the list, as seen from the leader; an hour has passed for it, too."""
        shown = [int(home.walls[it].state.current_title[-1]) for it in ROOMS[:3]]
        return [(place - shown[0]) % 5 for place in shown]

    await until(lambda: places() == [0, 1, 2])
