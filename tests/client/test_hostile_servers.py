"""What a feed or an indexer answers, by intent or not, costs whoever asks little, and ends."""

from collections.abc import AsyncIterator, Callable
from contextlib import suppress
import gzip
import json
from typing import Any

import aiohttp
import pytest

from custom_components.dp1.client import pages, retry
from custom_components.dp1.client.errors import Dp1Error
from custom_components.dp1.client.feed import connection
from custom_components.dp1.client.feed.client import Feed
from custom_components.dp1.client.indexer import client
from custom_components.dp1.client.indexer.client import Indexer
from custom_components.dp1.client.values import MAX_DEPTH

from .scripted_server import Reply, Request, ScriptedServer
from .timing import most_memory, worst_stall

pytestmark = pytest.mark.usefixtures("socket_enabled")

# Of a list: as many pages as are read here.
MOST_PAGES = 30
MOST_STALL = 0.1
MOST_MEMORY = 64 * 1024 * 1024


def body(items: list[Any], following: int | None) -> dict[str, Any]:
    """Return the page of a feed and of tokens, each with the place of the next."""
    after = None if following is None else str(following)
    return {
        "items": items,
        "hasMore": after is not None,
        "cursor": after,
        "data": {
            "tokens": {"items": items, "offset": after},
        },
    }


def record(number: int, **more: Any) -> dict[str, Any]:
    """Return a record that is a playlist and a token."""
    token = {"token_cid": f"eip155:1:erc721:0x1:{number}", "display": {"name": "a"}}
    return {"id": str(number), "title": "a", **token, **more}


def numbered(page: Callable[[int], Any]) -> Callable[[Request], Reply]:
    """Return what answers with one page after the other."""
    count = 0

    def answer(_: Request) -> Reply:
        """Return the next page."""
        nonlocal count
        count += 1
        return Reply(200, page(count))

    return answer


def nested(levels: int) -> bytes:
    """Return a page with a record of so many levels."""
    deep = b"[" * levels + b"]" * levels
    return (
        json.dumps(body([record(1, more="DEEP")], None))
        .encode()
        .replace(b'"DEEP"', deep)
    )


GZIP = {"Content-Encoding": "gzip"}
ATTACKS: dict[str, Callable[[], Reply | Callable[[Request], Reply]]] = {
    "a bomb of zeros": lambda: Reply(200, gzip.compress(bytes(80 << 20)), GZIP),
    "a bomb in a bomb": lambda: Reply(
        200, gzip.compress(gzip.compress(bytes(80 << 20))), GZIP
    ),
    "a bomb of blanks": lambda: Reply(
        200, gzip.compress(b'{"items": [' + b" " * (64 << 20)), GZIP
    ),
    "too deep": lambda: Reply(200, b'{"items": ' + b"[" * 200_000),
    "a deep record": lambda: Reply(200, nested(10 * MAX_DEPTH)),
    "many values": lambda: Reply(200, b'{"items": [' + b"{}," * 1_200_000 + b"{}]}"),
    "halves of pairs": lambda: Reply(200, b"[" + rb'{"id":"\ud800"},' * 350_000 + b"1]"),
    "a long number": lambda: Reply(200, b'{"items": [' + b"9" * 3_000_000 + b"]}"),
    "a byte a second": lambda: Reply(200, body([], None), fault="drip"),
    "no answer": lambda: Reply(fault="never"),
    "busy": lambda: Reply(429, headers={"Retry-After": "0"}),
    "busy for long": lambda: Reply(429, headers={"Retry-After": "9" * 400}),
    "the same page": lambda: Reply(200, body([record(1)], 1)),
    "new pages": lambda: numbered(lambda n: body([record(n)] * 300, n)),
    "empty pages": lambda: numbered(lambda n: body([], n)),
    "pages that are too large": lambda: numbered(
        lambda n: {"more": "x" * 7_000_000, **body([record(n)], n)}
    ),
    "pages of nothing": lambda: numbered(lambda n: body([None, 7, "x", []], n)),
}  # fmt: skip
ENDLESS = ("a byte a second", "no answer")

type Door = Callable[[aiohttp.ClientSession, str], AsyncIterator[Any]]


def indexer(session: aiohttp.ClientSession, url: str) -> Indexer:
    """Return a client of an indexer."""
    return Indexer(session, url, agent="test")


async def playlist(session: aiohttp.ClientSession, url: str) -> AsyncIterator[Any]:
    """Yield the one playlist."""
    yield await Feed(session, url).playlist("x")


DOORS: dict[str, Door] = {
    "playlists of a feed": lambda session, url: Feed(session, url).playlist_pages(),
    "a playlist": playlist,
    "tokens": lambda session, url: indexer(session, url).pages(owners=["0x1"]),
}


@pytest.fixture(autouse=True)
def impatient(monkeypatch: pytest.MonkeyPatch, attack: str) -> None:
    """Wait briefly for what never comes; on a busy machine, all else takes a while."""
    seconds = 0.4 if attack in ENDLESS else 30.0
    monkeypatch.setattr(connection, "READ_TIMEOUT", seconds)
    monkeypatch.setattr(retry, "FIRST_PAUSE", 0.01)
    monkeypatch.setattr(pages, "MAX_PAGES", MOST_PAGES)
    monkeypatch.setattr(client, "MAX_PAGES", MOST_PAGES)
    monkeypatch.setattr(client, "TIMEOUT", seconds)
    monkeypatch.setattr(client, "PAUSE", 0.0)


@pytest.mark.parametrize("attack", ATTACKS)
@pytest.mark.parametrize("door", DOORS)
async def test_attacks(door: str, attack: str) -> None:
    """It ends after so many requests, stalls nothing, fills no memory, and is a page or an error."""
    sent, reply = 0, ATTACKS[attack]()

    async def read() -> None:
        """Read to the end."""
        nonlocal sent
        async with (
            ScriptedServer.run(reply) as server,
            aiohttp.ClientSession() as session,
        ):
            with suppress(Dp1Error):
                async for _ in DOORS[door](session, server.url):
                    assert len(server.requests) <= MOST_PAGES
            sent = len(server.requests)

    assert await worst_stall(read, MOST_STALL) < MOST_STALL
    assert (sent > 0 or attack in ENDLESS) and sent <= MOST_PAGES
    if "bomb" in attack:
        assert await most_memory(read) < MOST_MEMORY
