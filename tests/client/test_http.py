"""Test JSON requests: every failure, and the limits."""

import asyncio
from collections.abc import Awaitable, Callable
from compression import zstd
from contextlib import suppress
from datetime import UTC, datetime, timedelta
from email.utils import format_datetime
from functools import partial
import gzip
import json
import ssl
import threading
import zlib

import aiohttp
from aiohttp import web
from aiohttp.test_utils import TestServer
import pytest

from custom_components.dp1.client import museum, values
from custom_components.dp1.client.catalog.client import Catalog
from custom_components.dp1.client.display.client import Display
from custom_components.dp1.client.errors import (
    BusyError,
    Dp1Error,
    LostAnswerError,
    UnexpectedAnswerError,
    UnreachableError,
)
from custom_components.dp1.client.feed.client import Feed
from custom_components.dp1.client.guard import Guard, public_session
from custom_components.dp1.client.http import (
    Answer,
    read_title,
    request_json,
    status_error,
    transport_error,
)
from custom_components.dp1.client.indexer import client as indexer
from custom_components.dp1.client.indexer.links import (
    SERVICES,
    LookupLink,
    look_up,
    look_up_name,
)
from custom_components.dp1.client.playlist.playlist import Playlist
from custom_components.dp1.client.values import MAX_ON_LOOP

from .resolver import Names
from .scripted_server import Reply, ScriptedServer
from .timing import most_memory, worst_stall

from tests.client.keys import keyed
from tests.client.tables import tables

TABLES = tables("http")

pytestmark = pytest.mark.usefixtures("socket_enabled")


async def ask(url: str, method: str = "GET", **options: object) -> Answer:
    async with aiohttp.ClientSession() as session:
        return await request_json(session, method, url, **{"timeout": 2, **options})


async def test_exchange() -> None:
    """Method, query, headers and body are sent; status, headers and body are returned."""
    async with ScriptedServer.run(
        Reply(201, {"a": [1, "ü"]}, {"X-Thing": "x"})
    ) as server:
        answer = await ask(
            f"{server.url}/p",
            "POST",
            json={"title": "Träume"},
            headers={"Authorization": "Bearer k"},
            params={"q": "a+b"},
        )
    (request,) = server.requests
    assert (request.method, request.path) == ("POST", "/p?q=a%2Bb")
    assert request.json == {"title": "Träume"}
    assert request.headers["Content-Type"] == "application/json"
    assert request.headers["Authorization"] == "Bearer k"
    assert (answer.status, answer.ok) == (201, True)
    assert answer.headers["x-thing"] == "x"
    assert answer.decoded() == {"a": [1, "ü"]}
    assert "Träume" not in repr(answer)


@pytest.mark.parametrize(("fault", "error"), TABLES["faults"])
async def test_faults_after_connecting(fault: str, error: str) -> None:
    """A request that was sent may have taken effect."""
    async with ScriptedServer.run(Reply(body={}, fault=fault)) as server:
        with pytest.raises(Dp1Error) as caught:
            await ask(server.url, "POST", json={"a": "b" * 100000}, timeout=2)
    assert type(caught.value).__name__ == error
    assert len(server.requests) == 1


async def test_refused(unused_tcp_port: int) -> None:
    with pytest.raises(
        UnreachableError, check=keyed("refused"), match=f"127.0.0.1:{unused_tcp_port}"
    ):
        await ask(f"http://127.0.0.1:{unused_tcp_port}/")


@pytest.mark.parametrize("order", [1, -1])
async def test_one_of_several_addresses_refused(
    unused_tcp_port: int, order: int
) -> None:
    """A refusal of one of several addresses is a refusal."""

    connector = aiohttp.TCPConnector(resolver=Names(*(0, unused_tcp_port)[::order]))
    async with aiohttp.ClientSession(connector=connector) as session:
        with pytest.raises(UnreachableError, check=keyed("refused")):
            await request_json(session, "GET", "http://wall.example/", timeout=2)


async def test_unknown_name() -> None:
    with pytest.raises(UnreachableError):
        await ask("http://nobody.invalid/")


async def test_no_secure_connection() -> None:
    async with ScriptedServer.run(Reply()) as server:
        with pytest.raises(UnreachableError):
            await ask(server.url.replace("http:", "https:"), timeout=0.4)


def test_other_transport_errors() -> None:
    """Errors that cannot occur on loopback."""
    key = aiohttp.client_reqrep.ConnectionKey(
        "a.example", 443, True, True, None, None, None
    )
    secure = aiohttp.ClientConnectorSSLError(key, ssl.SSLError("bad certificate"))
    assert type(transport_error(secure)) is UnreachableError
    slow = aiohttp.ConnectionTimeoutError("Connection timeout to host http://u:p@h")
    assert str(transport_error(slow)) == "no connection in time"


async def test_redirects() -> None:
    """No redirect is followed without a guard, which checks where it leads."""
    moved = Reply(301, headers={"Location": "/there"})
    for method in ("GET", "POST"):
        async with ScriptedServer.run(moved) as server:
            assert (await ask(f"{server.url}/here", method)).status == 301
            assert server.calls() == [f"{method} /here"]


DOORS: dict[str, Callable[[aiohttp.ClientSession, str], Awaitable[object]]] = {
    "catalog": lambda session, url: Catalog(session, url).exhibitions(),
    "feed": lambda session, url: Feed(session, url).playlist("x"),
    "indexer": lambda *at: indexer.Indexer(*at, agent="test").tokens(),
    "market": lambda session, _: look_up(session, LookupLink("objkt", "x"), "test"),
    "name": lambda session, _: look_up_name(session, "a.eth", "test"),
    "display": lambda session, url: Display(session, *place(url)).metrics(),
    "cast": lambda session, url: Display(session, *place(url)).cast(PLAYLIST),
}
PLAYLIST = Playlist(document={"dpVersion": "1.1.0", "title": "x", "items": []})


def place(url: str) -> tuple[str, int]:
    """Return host and port of a server."""
    return "127.0.0.1", int(url.rpartition(":")[2])


@pytest.mark.parametrize("door", DOORS)
async def test_every_client(door: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """Nobody decodes a long answer on the loop, nor is sent elsewhere by a server that redirects."""
    sizes, decoded = {True: [0], False: [0]}, values._decoded

    def noted(body: bytes, strict: bool, exact: bool) -> object:
        on_loop = threading.current_thread() is threading.main_thread()
        sizes[on_loop].append(len(body))
        return decoded(body, strict, exact)

    monkeypatch.setattr(values, "_decoded", noted)
    more = {"ok": True, "more": "x" * 5 * MAX_ON_LOOP}
    long = Reply(200, {"ok": True, "result": [], "message": more})
    async with ScriptedServer.run(long) as other, aiohttp.ClientSession() as session:
        for name in ("objkt", "eth"):
            monkeypatch.setitem(SERVICES, name, other.url)
        with suppress(Dp1Error):
            await DOORS[door](session, other.url)
        assert max(sizes[True]) <= MAX_ON_LOOP < max(sizes[False])
        asked, moved = len(other.requests), {"Location": f"{other.url}/secret"}
        async with ScriptedServer.run(Reply(302, headers=moved)) as server:
            for name in ("objkt", "eth"):
                monkeypatch.setitem(SERVICES, name, server.url)
            with suppress(Dp1Error):
                await DOORS[door](session, server.url)
        assert server.requests and len(other.requests) == asked


async def test_body_is_bounded() -> None:
    async with ScriptedServer.run(Reply(body=b"x" * 5000)) as server:
        assert len((await ask(server.url, max_body=5000)).body) == 5000
        with pytest.raises(UnexpectedAnswerError, match="4999"):
            await ask(server.url, max_body=4999)


async def test_compressed() -> None:
    """Only gzip is asked for, and read, however it is asked."""
    body = {"text": "x" * 300_000}
    packed = gzip.compress(json.dumps(body).encode())
    page = gzip.compress(b"<title>Dawn</title>" + bytes(100_000))
    encoding = {"Content-Encoding": "gzip"}
    async with (
        ScriptedServer.run(
            Reply(200, packed, encoding),
            Reply(302, b"", {"Location": "/page"}),
            Reply(200, page, {**encoding, "Content-Type": "text/html"}),
            Reply(200, packed[100:], encoding),
            Reply(200, packed[:-100], encoding),
            Reply(200, packed[:-4], encoding),
        ) as server,
        aiohttp.ClientSession() as session,
        public_session() as public,
    ):
        assert await (await ask(server.url)).json() == body
        guard = Guard(session, public).allowing(server.url)
        timeout = aiohttp.ClientTimeout(total=2)
        async with guard.request("GET", server.url, timeout=timeout) as response:
            assert await read_title(response) == "Dawn"
        with pytest.raises(UnexpectedAnswerError):
            await ask(server.url)
        for _ in range(2):
            with pytest.raises(LostAnswerError, match="cut short"):
                await ask(server.url)
    asked = {request.headers["Accept-Encoding"] for request in server.requests}
    assert asked == {"gzip"}


async def test_a_page_without_end() -> None:
    """Of a page only the start is read: what would follow does not matter."""
    page = b"<title>Dawn</title>" + bytes(500_000)
    kind = {"Content-Type": "text/html"}
    async with (
        ScriptedServer.run(Reply(200, page, kind, fault="half")) as server,
        aiohttp.ClientSession(auto_decompress=False) as session,
        session.get(server.url) as response,
    ):
        assert await read_title(response) == "Dawn"


def chunk(data: bytes) -> bytes:
    return b"%x\r\n%b\r\n" % (len(data), data)


@pytest.mark.parametrize(
    ("encoding", "start", "unit"),
    [
        ("zstd", b"", chunk(zstd.compress(b"") * 1000) * 30),
        ("gzip", b"", chunk(gzip.compress(b"") * 1000) * 15),
        ("gzip", gzip.compress(b"")[:10], chunk(b"\0\0\0\xff\xff" * 10_000) * 5),
        ("gzip", b"", chunk(zlib.compress(bytes(50_000_000), wbits=31))),
        ("identity", b"", chunk(bytes(1_000_000))),
    ],
    ids=["frames", "members", "blocks", "zeros", "plain"],
)
async def test_endless_compression(encoding: str, start: bytes, unit: bytes) -> None:
    """What has no end holds nobody up, 0.6 s before, and is bounded, before it is decompressed, 3 GB before."""
    sent = [0]

    async def serve(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        """Answer without end."""
        with suppress(ConnectionError):
            writer.write(
                b"HTTP/1.1 200 X\r\nTransfer-Encoding: chunked\r\n"
                + f"Content-Encoding: {encoding}\r\n\r\n".encode()
                + (chunk(start) if start else b"")
            )
            while True:
                writer.write(unit)
                await writer.drain()
                sent[-1] += len(unit)
                await asyncio.sleep(0)

    async def read() -> None:
        sent.append(0)
        with pytest.raises(UnexpectedAnswerError):
            await (await ask(url)).json()

    async with await asyncio.start_server(serve, "127.0.0.1", 0) as server:
        url = f"http://127.0.0.1:{server.sockets[0].getsockname()[1]}"
        assert await worst_stall(read, 0.1) < 0.1
        assert await most_memory(read) < 16 * 1024 * 1024
        server.close_clients()
    assert max(sent) < 32 * 1024 * 1024


@pytest.mark.parametrize(
    "body", [b"", b"<html>", b"{", b'{"a": NaN}', b"[" * 200_000, b"\xff\xfe{"]
)
def test_no_json(body: bytes) -> None:
    with pytest.raises(UnexpectedAnswerError, match="200"):
        Answer(200, {}, body, "").decoded()


@pytest.mark.parametrize(("text", "seconds"), TABLES["pauses"])
def test_retry_after(text: str, seconds: float | None) -> None:
    """Seconds or a date; anything else is None."""
    assert Answer(429, {"Retry-After": text}, b"", "").retry_after == seconds


def test_retry_after_date() -> None:
    text = format_datetime(datetime.now(UTC) + timedelta(seconds=60), usegmt=True)
    wait = Answer(429, {"Retry-After": text}, b"", "").retry_after
    assert wait == pytest.approx(60, abs=2)


@pytest.mark.parametrize(("status", "error"), TABLES["statuses"])
def test_status_errors(status: int, error: str) -> None:
    err = status_error(Answer(status, {}, b"", ""), "why")
    assert (type(err).__name__, str(err)) == (error, "why")


@pytest.mark.parametrize("status", [429, 503])
def test_busy(status: int) -> None:
    """The error has the time to wait, also for a 503."""
    err = status_error(Answer(status, {"Retry-After": "5"}, b"", ""), "why")
    assert isinstance(err, BusyError)
    assert err.retry_after == 5


@pytest.mark.parametrize(
    ("client", "at_once", "apart"),
    [
        (lambda session, url: Catalog(session, url).exhibitions, 4, 0.0),
        (lambda *at: indexer.Indexer(*at, agent="test").tokens, 1, 0.05),
        (lambda *at: partial(museum.Museum(*at, agent="test").search, "x"), 1, 0.05),
    ],
)
async def test_how_many_at_once(
    monkeypatch: pytest.MonkeyPatch,
    client: Callable[[aiohttp.ClientSession, str], Callable[[], Awaitable[object]]],
    at_once: int,
    apart: float,
) -> None:
    """No server is asked more at a time, nor sooner after its last answer, than it should be, whoever asks."""
    monkeypatch.setattr(indexer, "PAUSE", 0.05)
    monkeypatch.setattr(museum, "APART", 0.05)
    loop, times = asyncio.get_running_loop(), list[tuple[float, float]]()

    async def answer(request: web.Request) -> web.Response:
        """Answer after a moment, and note when."""
        began = loop.time()
        await asyncio.sleep(0.02)
        times.append((began, loop.time()))
        return web.Response(status=404)

    app = web.Application()
    app.router.add_route("*", "/{path:.*}", answer)
    async with TestServer(app) as server, aiohttp.ClientSession() as session:
        read = client(session, str(server.make_url("")).rstrip("/"))
        tasks = (read() for _ in range(6))
        errors = await asyncio.gather(*tasks, return_exceptions=True)
    assert all(isinstance(error, Dp1Error) for error in errors)
    begun = sorted(began for began, _ in times)
    ended = sorted(end for _, end in times)
    assert len(times) == 6
    # Each begins after so many before it have ended.
    for end, began in zip(ended, begun[at_once:], strict=False):
        assert began - end >= 0.9 * apart
