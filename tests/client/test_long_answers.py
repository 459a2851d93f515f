"""Long answers are read outside of the loop, whoever asked, and no more of them than was asked for."""

from collections.abc import Awaitable, Callable
from contextlib import suppress
import json
import threading
from typing import Any
from unittest.mock import patch

import aiohttp
import pytest

from custom_components.dp1.client import values
from custom_components.dp1.client.catalog import models
from custom_components.dp1.client.catalog.client import MAX_RECORDS, Catalog
from custom_components.dp1.client.display.client import Dialect, Display
from custom_components.dp1.client.errors import (
    Dp1Error,
    InvalidPlaylistError,
    NotFoundError,
    TooLargeError,
)
from custom_components.dp1.client.feed import connection
from custom_components.dp1.client.feed.client import Feed
from custom_components.dp1.client.http import Answer
from custom_components.dp1.client.indexer import tokens
from custom_components.dp1.client.indexer.client import PAGE, Indexer
from custom_components.dp1.client.indexer.links import (
    SERVICES,
    LookupLink,
    look_up,
    look_up_name,
)
from custom_components.dp1.client.playlist.playlist import Playlist
from custom_components.dp1.client.values import MAX_ON_LOOP

from .lists import listed
from .scripted_server import Reply, Request, ScriptedServer
from .timing import most_memory

pytestmark = pytest.mark.usefixtures("socket_enabled")

LONG = "x" * 5 * MAX_ON_LOOP
TOKEN = {
    "id": "1",
    "display": {"name": "Dawn"},
}

type Door = Callable[[aiohttp.ClientSession, str], Awaitable[Any]]


def display(act: Callable[[Display], Awaitable[Any]], **options: Any) -> Door:
    def door(session: aiohttp.ClientSession, url: str) -> Awaitable[Any]:
        port = int(url.rstrip("/").rpartition(":")[2])
        return act(Display(session, "127.0.0.1", port, **options))

    return door


def market(vendor: str) -> Door:
    async def door(session: aiohttp.ClientSession, url: str) -> Any:
        with patch.dict(SERVICES, {vendor: url}):
            return await look_up(session, LookupLink(vendor, "x"), "test")

    return door


def name(name: str) -> Door:
    async def door(session: aiohttp.ClientSession, url: str) -> Any:
        with patch.dict(SERVICES, eth=url, tez=url):
            return await look_up_name(session, name, "test")

    return door


def indexer(session: aiohttp.ClientSession, url: str) -> Indexer:
    return Indexer(session, url, agent="test")


PLAYLIST = {"dpVersion": "1.1.0", "title": "x", "items": []}
DOORS: dict[str, Door] = {
    "catalog": lambda session, url: Catalog(session, url).exhibitions(),
    "feed": lambda session, url: Feed(session, url).playlist("x"),
    "indexer": lambda session, url: indexer(session, url).tokens(),
    "objkt": market("objkt"),
    "fxhash": market("fxhash"),
    "feralfile": market("feralfile"),
    "eth": name("a.eth"),
    "tez": name("a.tez"),
    "identity": display(Display.identify),
    "player": display(Display.player_status),
    "device": display(Display.device_status),
    "panel": display(Display.panel_status),
    "metrics": display(Display.metrics),
    "policy": display(Display.content_policy),
    "cache": display(Display.offline_cache),
    "cast": display(
        lambda display: display.cast(Playlist(document=PLAYLIST)), dialect=Dialect.FF
    ),
    "cast, 2025": display(lambda display: display.cast(Playlist(document=PLAYLIST))),
    "volume": display(lambda display: display.set_volume(5)),
}


@pytest.mark.parametrize("door", DOORS)
async def test_long_answers(door: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """Nobody decodes a long answer on the loop, also not where a short one is usual."""
    sizes = {True: [0], False: [0]}
    decoded = values._decoded

    def noted(body: bytes, strict: bool, exact: bool) -> object:
        on_loop = threading.current_thread() is threading.main_thread()
        sizes[on_loop].append(len(body))
        return decoded(body, strict, exact)

    monkeypatch.setattr(values, "_decoded", noted)
    body = {"ok": True, "result": [], "message": {"ok": True, "more": LONG}}
    async with (
        ScriptedServer.run(Reply(200, body)) as server,
        aiohttp.ClientSession() as session,
    ):
        with suppress(Dp1Error):
            await DOORS[door](session, server.url)
    assert max(sizes[True]) <= MAX_ON_LOOP < max(sizes[False])


async def ask(reply: Reply | Callable[[Request], Reply], door: Door) -> Any:
    async with (
        ScriptedServer.run(reply) as server,
        aiohttp.ClientSession() as session,
    ):
        return await door(session, server.url)


def on_loop(monkeypatch: pytest.MonkeyPatch, module: Any, name: str) -> list[bool]:
    """Note for each call of a function whether it is on the loop."""
    calls = []
    real = getattr(module, name)

    def noted(*args: Any) -> Any:
        calls.append(threading.current_thread() is threading.main_thread())
        return real(*args)

    monkeypatch.setattr(module, name, noted)
    return calls


@pytest.mark.parametrize("door", DOORS)
async def test_nobody_is_sent_elsewhere(door: str) -> None:
    """A server that redirects sends nobody to another one."""
    async with (
        ScriptedServer.run(Reply(200, {})) as other,
        ScriptedServer.run(
            Reply(302, headers={"Location": f"{other.url}/secret"})
        ) as server,
        aiohttp.ClientSession() as session,
    ):
        with suppress(Dp1Error):
            await DOORS[door](session, server.url)
        assert server.requests
        assert not other.requests


async def test_records_of_a_catalog(monkeypatch: pytest.MonkeyPatch) -> None:
    """Of five records that were asked for, and a hundred thousand that come, only so many are parsed as a list may have; 1 s before."""
    calls = on_loop(monkeypatch, models, "_key_and_title")
    body = {"result": [{"id": number} for number in range(100_000)]}
    page = await ask(Reply(200, body), DOORS["catalog"])
    assert len(page.records) == page.received == MAX_RECORDS
    assert len(calls) == MAX_RECORDS and not any(calls)


async def test_list_of_a_catalog_without_end() -> None:
    """A list of billions of records whose pages are as large as they may be is not read on: 4 GB before."""
    count = 0

    def answer(request: Request) -> Reply:
        """Return five new records."""
        nonlocal count
        count += 5
        records = [{"id": count + n, "slug": LONG[:8000]} for n in range(5)]
        total = {"total": 5_000_000_000}
        return Reply(200, {"result": records, "paging": total, "more": "x" * 4_000_000})

    async with (
        ScriptedServer.run(answer) as server,
        aiohttp.ClientSession() as session,
    ):
        listing = await listed(Catalog(session, server.url).all_exhibitions())
        assert isinstance(listing.problem, TooLargeError)
        assert listing.records
        assert len(server.requests) < 25


async def test_records_of_an_indexer(monkeypatch: pytest.MonkeyPatch) -> None:
    """Of a page no more tokens are parsed than were asked for, and of changes no more than a page has."""
    calls = on_loop(monkeypatch, tokens, "web_source")
    items = [
        {**TOKEN, "token_cid": f"eip155:1:erc721:0x1:{number}"}
        for number in range(5000)
    ]
    body = {"data": {"tokens": {"items": items}}}
    page = await ask(Reply(200, body), DOORS["indexer"])
    assert len(page.records) == PAGE
    assert calls and not any(calls)


def page(**more: Any) -> Callable[[Request], Reply]:
    """Return what answers with one page after the other, of a record without an id."""
    count = 0

    def answer(request: Request) -> Reply:
        """Return the next page."""
        nonlocal count
        count += 1
        items = [{"n": count, "more": "x" * 500_000}]
        return Reply(
            200, {"items": items, "hasMore": count < 60, "cursor": str(count), **more}
        )

    return answer


async def pages_of(session: aiohttp.ClientSession, url: str) -> int:
    return len(
        [len(page.records) async for page in Feed(session, url).playlist_pages()]
    )


async def test_records_without_ids() -> None:
    """What has been read of a list is known again by few bytes, also where records have no id: 30 MB before."""

    async def read() -> None:
        assert await ask(page(), pages_of) == 60

    assert await most_memory(read) < 20 * 1024 * 1024


async def test_endless_cursor() -> None:
    """A cursor that is no word ends the list: it would be kept, and sent back."""
    assert await ask(page(cursor="c" * 100_000), pages_of) == 1


async def test_name_without_end() -> None:
    """No playlist has a name of 100 KB: no request is sent."""
    async with (
        ScriptedServer.run(Reply(200, {"items": []})) as server,
        aiohttp.ClientSession() as session,
    ):
        with pytest.raises(NotFoundError):
            await Feed(session, server.url).playlist("x" * 100_000)
        assert server.requests == []


async def test_what_a_feed_says(monkeypatch: pytest.MonkeyPatch) -> None:
    """Only the beginning of what a feed says of a document is looked through."""
    found = on_loop(monkeypatch, connection, "Fault")
    lines = "".join(f"- at '/items/{n}/source': is no address\n" for n in range(50_000))
    said = {"error": "validation_error", "message": lines}
    answer = Answer(400, {}, json.dumps(said).encode(), "")
    error = connection.feed_error(answer, secret=None, sent_document=True)
    assert "items[0].source" in str(error)
    assert isinstance(error, InvalidPlaylistError) and len(error.faults) == 50
    assert len(found) < connection.MAX_WORDS / 20
