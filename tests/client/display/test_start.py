"""Test the start of a cast: the commands that follow it, and newer casts."""

import asyncio
from typing import Any

import pytest

from custom_components.dp1.client.display.client import Start
from custom_components.dp1.client.display.player_status import PlaylistItem
from custom_components.dp1.client.playlist.playlist import Playlist

from .displays import FLAT, WRAPPED, by_command, commands, scripted

from tests.client.scripted_server import Reply
from tests.client.tables import tables

pytestmark = pytest.mark.usefixtures("socket_enabled")

TABLES = tables("start")
URL = Playlist(url="https://feed.example.org/api/v1/playlists/aa11")
ITEMS = [
    {"id": "i-1", "source": "https://art.example.org/1"},
    {"id": "i-2", "source": "https://art.example.org/2"},
    {"id": "i-1", "source": "https://art.example.org/1"},
    {"source": "https://art.example.org/4"},
]
STATUS = Reply(
    200, {"message": {"ok": True, "items": ITEMS, "index": 0, "isPaused": False}}
)
YES = by_command(
    displayPlaylist=WRAPPED,
    checkStatus=STATUS,
    moveToArtwork=WRAPPED,
    setShuffle=WRAPPED,
    setLoop=WRAPPED,
    setVolume=FLAT,
    sleepNow=FLAT,
    wakeNow=FLAT,
)


@pytest.mark.parametrize(("start", "place"), TABLES["places"])
def test_the_work_to_begin_with(start: dict[str, Any], place: int | None) -> None:
    """The first work is found by its id, else its URL, else its position."""
    assert Start(**start).find([PlaylistItem.parse(item) for item in ITEMS]) == place


@pytest.mark.parametrize(("start", "sent"), TABLES["commands"])
async def test_a_cast_begins_as_asked(
    start: dict[str, Any] | None, sent: list[Any]
) -> None:
    """Only the requested commands follow the cast, in the order that keeps the work."""
    async with scripted(YES) as (server, display):
        await display.cast(URL, None if start is None else Start(**start))
    (cast, _), *rest = (
        [request.json["command"], request.json["request"]]
        for request in server.requests
    )
    assert cast == "displayPlaylist"
    assert rest == sent


async def test_nothing_comes_between_a_cast_and_its_beginning() -> None:
    async with scripted(YES) as (server, display):
        await asyncio.gather(
            display.cast(URL, Start(index=1, shuffle=True)), display.set_loop("one")
        )
    assert commands(server) == [
        "displayPlaylist",
        "moveToArtwork",
        "setShuffle",
        "setLoop",
    ]


async def test_a_cast_that_is_not_due_yet_begins_nothing() -> None:
    """The current playlist is not changed."""
    later = Reply(200, {"message": {"ok": True, "deferred": True}})
    async with scripted(by_command(displayPlaylist=later)) as (server, display):
        await display.cast(URL, Start(index=1))
    assert commands(server) == ["displayPlaylist"]


async def test_a_newer_cast_overtakes() -> None:
    """Of waiting casts only the newest is sent, with its own start, and all callers get it."""
    casts = [Playlist(url=f"https://feed.example.org/{n}") for n in range(4)]
    async with scripted(YES) as (server, display):
        results = await asyncio.gather(
            *(display.cast(cast, Start(index=n)) for n, cast in enumerate(casts))
        )
    assert all(result is casts[3] for result in results[1:])
    assert commands(server)[-2:] == ["displayPlaylist", "moveToArtwork"]
    assert commands(server).count("displayPlaylist") <= 2
    assert server.requests[-1].json["request"] == {"index": 3}


async def test_waking_overtakes_sleeping() -> None:
    async with scripted(YES) as (server, display):
        await asyncio.gather(
            display.set_volume(8), display.sleep(), display.wake(), display.sleep()
        )
    assert commands(server) == ["setVolume", "sleepNow"]
