"""Test dynamic playlists on a screen: whom it asks for works, how, and what of the answer is shown."""

from collections.abc import AsyncIterator, Callable
from dataclasses import dataclass, field
from datetime import timedelta
import re
from typing import Any

from aiohttp import web
from aiohttp.test_utils import TestServer
import pytest

from custom_components.dp1 import addresses as addresses_module
from custom_components.dp1.client import guard as client_guard
from custom_components.dp1.client.guard import public_session
from custom_components.dp1.screen.casting import Caster
from custom_components.dp1.screen.screen import Screen
from homeassistant.util import dt as dt_util

from ..client.resolver import Names
from ..simulators.display.tls import server_context
from ..simulators.indexer.simulator import IndexerSimulator
from .conftest import answer_of

pytestmark = pytest.mark.usefixtures("socket_enabled", "mdns")

URL = "https://art.example/works?of=me"
MAPPING = {"itemsPath": "data.works", "itemSchema": "dp1/1.1"}


def work(number: int, **fields: Any) -> dict[str, Any]:
    """Return a work as a server lists it."""
    source = f"https://art.example/{number}.png"
    return {"title": f"Work {number}", "source": source, **fields}


@dataclass
class Server:
    """A server in the internet that lists works.

    Attributes:
        works: what it lists.
        answer: makes the answer of a page.
        asked: method, query and body of each request.
        headers: of the last request.
    """

    works: list[Any] = field(default_factory=lambda: [*map(work, range(300))])
    answer: Callable[[list[Any]], Any] = lambda page: {"data": {"works": page}}
    asked: list[tuple[str, str, Any]] = field(default_factory=list)
    headers: dict[str, str] = field(default_factory=dict)
    status: int = 200

    async def serve(self, request: web.Request) -> web.Response:
        """Answer with the page that is asked for, wherever that stands."""
        body = await request.text()
        self.headers = dict(request.headers)
        self.asked.append((request.method, request.query_string, body))
        places = re.findall(r"(limit|offset)\W+(\d+)", request.query_string + body)
        wanted = {"offset": 0, "limit": 9999} | {name: int(at) for name, at in places}
        page = self.works[wanted["offset"] :][: wanted["limit"]]
        return web.json_response(self.answer(page), status=self.status)


@pytest.fixture
async def server(monkeypatch: pytest.MonkeyPatch) -> AsyncIterator[Server]:
    """Serve works at every host of the internet."""
    server = Server()
    app = web.Application()
    app.router.add_route("*", "/works", server.serve)
    running = TestServer(app)
    await running.start_server(ssl=server_context())
    names = Names(running.port or 0)
    monkeypatch.setattr(
        addresses_module, "public_session", lambda **_: public_session(names, ssl=False)
    )
    monkeypatch.setattr(client_guard, "is_public", lambda _: True)
    yield server
    await running.close()


def query(**fields: Any) -> dict[str, Any]:
    """Return a playlist whose works a server lists."""
    return {
        "title": "Mine",
        "items": [work(1000)],
        "dynamicQuery": {
            "profile": "https-json-v1",
            "endpoint": URL,
            "query": "limit={{limit}}&offset={{offset}}",
            "responseMapping": MAPPING,
            **fields,
        },
    }


async def cast(caster: Caster, document: dict[str, Any]) -> Any:
    return await answer_of(caster.port, "displayPlaylist", {"dp1_call": document})


async def titles(caster: Caster) -> list[str]:
    status = await answer_of(caster.port, "checkStatus", {})
    return [item["title"] for item in status["items"]]


async def refresh(screen: Screen) -> None:
    """Let five minutes pass."""
    screen._refreshed -= timedelta(minutes=5)
    await screen.async_tick(dt_util.utcnow())


async def test_works_that_a_server_lists(
    server: Server, caster: Caster, screen: Screen
) -> None:
    """The first 50 works are shown at once in place of those in the document, and after five minutes all, the same one on the wall."""
    assert await cast(caster, query()) == {"ok": True}
    assert await titles(caster) == [f"Work {n}" for n in range(50)]
    assert server.asked == [("GET", "of=me&limit=50&offset=0", "")]
    screen.player.step()
    server.works.insert(0, work(301))
    server.asked.clear()
    await refresh(screen)
    assert [asked[1] for asked in server.asked] == [
        "of=me&limit=255&offset=0",
        "of=me&limit=255&offset=255",
    ]
    assert len(await titles(caster)) == 301
    assert screen.player.current == {**work(1), "duration": 999999999}
    # What it lists is gone for a while: what is shown stays.
    server.status = 503
    await refresh(screen)
    assert len(await titles(caster)) == 301


async def test_a_server_without_an_end(
    server: Server, caster: Caster, screen: Screen
) -> None:
    """A server that answers the same at each place, or always more, is asked a few times, and as many works are kept as of any playlist."""
    assert await cast(caster, query(query="")) == {"ok": True}
    assert len(await titles(caster)) == 300
    server.asked.clear()
    await refresh(screen)
    assert len(server.asked) == 2
    server.works = [*map(work, range(5000))]
    server.asked.clear()
    assert await cast(caster, query()) == {"ok": True}
    await refresh(screen)
    assert len(await titles(caster)) == 1024
    assert len(server.asked) <= 9


@pytest.mark.parametrize(
    ("fields", "method", "asked", "body"),
    [
        (
            {"profile": "graphql-v1", "query": "{works(limit:{{limit}})}"},
            *("POST", "of=me", '{"query":"{works(limit:50)}"}'),
        ),
        (
            {"method": "POST", "query": '{"limit": {{limit}}, "seed": "{{ö}}"}'},
            *("POST", "of=me", '{"limit":50,"seed":"{{\\u00f6}}"}'),
        ),
        ({"method": "POST", "query": ""}, "POST", "of=me", ""),
        ({"query": "a=b%20c&d="}, "GET", "of=me&a=b c&d=", ""),
    ],
)
async def test_how_it_asks(
    server: Server,
    caster: Caster,
    fields: dict[str, Any],
    method: str,
    asked: str,
    body: str,
) -> None:
    """A query goes as its profile and its method say, with the headers that it names."""
    fields["headers"] = {"X-Of": "me", "Authorization": "Bearer 1"}
    assert await cast(caster, query(**fields)) == {"ok": True}
    assert server.asked == [(method, asked, body)]
    assert server.headers["X-Of"] == "me"
    assert server.headers["Authorization"] == "Bearer 1"


async def test_names_of_a_server(server: Server, caster: Caster) -> None:
    """What a server calls otherwise is renamed, and what DP-1 does not know is left out."""
    server.works = [{"name": "Other", "file": "https://art.example/1", "price": 9}]
    names = {"title": "name", "source": "file", "license": "nothing"}
    document = query(responseMapping={**MAPPING, "itemMap": names})
    assert await cast(caster, document) == {"ok": True}
    status = await answer_of(caster.port, "checkStatus", {})
    (item,) = status["items"]
    assert item.pop("duration") == 999999999
    assert item == {"title": "Other", "source": "https://art.example/1"}


@pytest.mark.parametrize(
    "fields",
    [
        {"endpoint": "http://art.example/works"},
        {"endpoint": "https://me@art.example/works"},
        {"endpoint": "https://art.example/works#x"},
        {"endpoint": "ftp://art.example/works"},
        {"endpoint": "nowhere"},
        {"profile": "sql"},
        {"profile": "graphql-v1", "method": "GET"},
        {"query": "of={{viewer_address}}"},
        {"query": "x" * 8193},
        {"method": "POST", "query": "limit=1"},
        {"method": "PUT"},
        {"headers": {"Host": "a.example"}},
        {"headers": {"Content-Length": "1"}},
        {"headers": {"X-A": "1\r\nX-B: 2"}},
        {"headers": {"X A": "1"}},
        {"headers": ["X-A"]},
        {"responseMapping": {"itemsPath": "data"}},
        {"responseMapping": None},
    ],
)
async def test_what_is_no_query(
    server: Server, caster: Caster, screen: Screen, fields: dict[str, Any]
) -> None:
    """Who is looking is told nobody, and what would ask otherwise than a display does asks nobody; what is shown stays."""
    await cast(caster, {"items": [work(7)]})
    assert await cast(caster, query(**fields)) == {"status": 500}
    assert server.asked == []
    assert await titles(caster) == ["Work 7"]


@pytest.mark.parametrize(
    "answer",
    [
        lambda page: page,
        lambda page: {"data": {"works": {}}},
        lambda page: {"data": {"works": []}},
        lambda page: {"data": {"works": [*page, {"title": "No source"}]}},
        lambda page: {"data": {"works": [*page, 5]}},
        lambda page: {"data": {"works": [work(1, duration="long")]}},
        lambda page: {"data": {"works": [work(1, source="ipfs://Qm")]}},
        lambda page: {"data": {"works": page}, "x": "y" * 6_000_000},
        lambda page: {"data": {"works": page}, "errors": [{"message": "no"}]},
    ],
)
async def test_what_is_no_answer(
    server: Server, caster: Caster, answer: Callable[[list[Any]], Any]
) -> None:
    """One thing that is no work spoils all, as on a display, and what is shown stays."""
    await cast(caster, {"items": [work(7)]})
    server.answer = answer
    document = query(profile="graphql-v1", query="{works}")
    assert await cast(caster, document) != {"ok": True}
    assert len(server.asked) == 1
    assert await titles(caster) == ["Work 7"]


async def test_nobody_at_home_is_asked(
    server: Server, caster: Caster, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A server is asked in the internet only, whatever its name leads to."""
    monkeypatch.undo()
    for host in ("art.example", "127.0.0.1", "nas.local"):
        document = query(endpoint=f"https://{host}/works")
        assert await cast(caster, document) == {"status": 500}
    assert server.asked == []


async def test_the_older_form(
    caster: Caster, screen: Screen, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Works that an indexer lists are shown, as the command line of the vendor casts them; no other server is asked."""
    async with IndexerSimulator() as indexer:
        monkeypatch.setattr(
            "custom_components.dp1.screen.dynamic.ENDPOINT", indexer.url
        )
        owned = indexer.own("0xab", 60)
        params = {"owners": "0xab"}
        queries = [{"endpoint": indexer.url, "params": params}]
        document = {"title": "Mine", "items": [], "dynamicQueries": queries}
        assert await cast(caster, document) == {"ok": True}
        shown = await titles(caster)
        assert len(shown) == 50
        assert {*shown} <= {one["display"]["name"] for one in owned}
        await refresh(screen)
        assert len(await titles(caster)) == 60
        asked = len(indexer.asked)
        for wrong in (
            [{"endpoint": "https://evil.example/graphql", "params": params}],
            [{"endpoint": indexer.url, "params": {"limit": "9"}}],
            [{"endpoint": indexer.url, "params": {"owners": ["0xab"]}}],
            [{"endpoint": indexer.url}],
            queries * 2,
            {"a": 1},
        ):
            refused = {**document, "dynamicQueries": wrong}
            assert await cast(caster, refused) == {"status": 500}, wrong
        assert len(indexer.asked) == asked
