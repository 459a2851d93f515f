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
from homeassistant.config_entries import ConfigEntryState, ConfigSubentryData
from homeassistant.core import HomeAssistant
from homeassistant.util import dt as dt_util

from .collections import COLLECTOR
from .displays import entry_of, playlist, set_up, settle, until
from .houses import series
from .libraries import DID, SEED, library_entry
from .simulators.catalog.simulator import CatalogSimulator
from .simulators.display import DisplaySimulator
from .simulators.feed import FeedSimulator
from .simulators.indexer import IndexerSimulator

pytestmark = pytest.mark.usefixtures("socket_enabled")

# Written by 0.1.0: a group of three with a spread playlist, messages on two displays, a list by its URL, a lent
# picture, two favorites, a collection and a followed channel.
# What a version after it, with a file for each display, made of them, with a hidden work.
STORED = ("stored.json", "stored_later.json")
FIXTURES = Path(__file__).parent / "fixtures"
ROOMS = ("LEFT", "MIDDLE", "RIGHT", "DOOR")
LOADED = ConfigEntryState.LOADED
OPTIONS = {"duration": 77, "sources": ["exhibitions", "channels"]}
EVENINGS = "0b0c7f9a-94d3-4f2b-9f37-6f6a35a3a111"
PLAYLISTS = [f"0f9a8a36-4f6c-4f0c-8c7e-{number:012}" for number in (1, 2)]
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

    def titles(self, kind: str) -> list[str]:
        """Return the titles of stored favorites or hidden works, the newest first."""
        data = self.stored.get(f"dp1.{kind}.LIBRARY", {}).get("data", {kind: []})
        nodes = [it["node"] for it in reversed(data[kind])]
        return [node.get("work", node)["title"] for node in nodes]

    def notes(self, room: str) -> Any:
        return async_wall(self.hass, room).notes


@pytest.fixture(params=STORED)
async def home(
    hass: HomeAssistant, hass_storage: dict[str, Any], request: pytest.FixtureRequest
) -> AsyncIterator[Home]:
    """Start a home whose displays show what they did when the files were written."""
    began = dt_util.utcnow()
    tides = series("Tides", 5)
    async with AsyncExitStack() as stack:
        catalog = await stack.enter_async_context(CatalogSimulator())
        indexer = await stack.enter_async_context(IndexerSimulator())
        indexer.own(COLLECTOR, 4)
        feed = await stack.enter_async_context(FeedSimulator())
        feed.seed(
            playlist("Tide", id=key, title=f"Playlist {key[-1]}") for key in PLAYLISTS
        )
        urls = [f"{feed.url}/playlists/{key}" for key in PLAYLISTS]
        feed.replace_channel({"id": EVENINGS, "title": "Evenings", "playlists": urls})
        text = (FIXTURES / request.param).read_text()
        text = text.replace("https://channels.example", feed.url)
        stored = json.loads(
            text.replace("https://indexer.example/graphql", indexer.url)
        )
        own = {room: stored.get(f"dp1.display.{room}") for room in ROOMS}
        displays = {room: file["data"] for room, file in own.items() if file}
        displays = displays or stored["dp1.displays"]["data"]
        for room, lasts in ENDS.items():
            announcement = displays[room]["announcement"]
            announcement["since"] = began.isoformat()
            announcement["until"] = (began + lasts).isoformat()
        hass_storage.update(stored)
        plain = library_entry(None, catalog.url)
        data = dict(plain.data)
        if "dp1.signing_key.LIBRARY" in stored:
            del data["signing_key"]
        library = MockConfigEntry(
            domain="dp1",
            title=plain.title,
            unique_id=plain.unique_id,
            entry_id="LIBRARY",
            data=data,
            options={"indexer_url": indexer.url, **OPTIONS},
            subentries_data=[
                ConfigSubentryData(
                    data={"addresses": [COLLECTOR], "keep_current": False},
                    subentry_id="COLLECTION",
                    subentry_type="collection",
                    title="Our works",
                    unique_id="one",
                ),
                ConfigSubentryData(
                    data={"url": f"{feed.url}/channels/{EVENINGS}"},
                    subentry_id="CHANNEL",
                    subentry_type="channel",
                    title="Evenings",
                    unique_id=None,
                ),
            ],
        )
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
            announced = displays[room].get("announcement")
            if announced:
                cast = announced.get("playlist") or announced["hung"]["cast"]
                wall.player.load(cast["playlist"])
            else:
                wall.player.load(tides)
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
    library = home.library.runtime_data
    for kind in ("favorites", "hidden"):
        children = await library.async_children(kind)
        assert [child.title for child in children.nodes] == home.titles(kind)
    (key,) = (it["data"] for it in hass_storage.values() if "signing_key" in it["key"])
    assert key == {"signing_key": SEED}
    assert "signing_key" not in home.library.data
    assert library.key.did == DID
    assert [wall.writes for wall in home.walls.values()] == [0, 0, 0, 0]
    assert not [key for key in hass_storage if "damaged" in key]


async def test_a_library_that_an_earlier_version_stored(
    home: Home, hass_storage: dict[str, Any]
) -> None:
    """Options, collection and channel are there, at once and after they were read again."""
    library = home.library.runtime_data
    assert {name: home.library.options[name] for name in OPTIONS} == OPTIONS
    assert library.preferences.duration == OPTIONS["duration"]
    servers = (*library.collections.servers, *library.channels.servers)
    assert [it.title for it in servers] == ["Our works", "Evenings"]
    works = [f"Owned work {number}" for number in (4, 3, 2, 1)]
    lists = ("Playlist 1", "Playlist 2")

    async def inside(node: str) -> list[str]:
        """Return the titles inside a node."""
        return [it.title for it in (await library.async_children(node)).nodes]

    assert await inside("collection/COLLECTION") == works
    await library.async_refresh()
    await until(lambda: not library.is_reading)
    assert await inside("collection/COLLECTION") == works
    assert sorted(await inside("followed/CHANNEL")) == [*lists]
    owned = await library.async_children("favorites")
    built = await library.async_build_playlist(owned.nodes[0].id)
    assert built.title == "Owned work 4"


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
