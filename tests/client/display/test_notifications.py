"""Test the notifications of a display."""

import asyncio
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import aclosing, asynccontextmanager, suppress
import json
import logging
from typing import Any

from aiohttp import WSCloseCode, web
from aiohttp.test_utils import TestServer
import pytest

from custom_components.dp1.client.display.client import Dialect, Display
from custom_components.dp1.client.display.device_status import DeviceStatus, PanelStatus
from custom_components.dp1.client.display.notifications import Connected
from custom_components.dp1.client.display.player_status import PlayerStatus
from custom_components.dp1.client.errors import (
    BusyError,
    Dp1Error,
    LostAnswerError,
    TemporaryError,
    UnexpectedAnswerError,
    UnreachableError,
)

from .displays import client, expected_lingering_timers, scripted  # noqa: F401

from tests.client.scripted_server import Reply, plain
from tests.client.tables import tables
from tests.client.timing import worst_stall

pytestmark = pytest.mark.usefixtures("socket_enabled")

TABLES = tables("notifications")

type Handler = Callable[[web.WebSocketResponse, web.Request], Awaitable[None]]


def frame(kind: str, **message: Any) -> str:
    """Return a notification as the firmware writes it."""
    return json.dumps(
        {
            "message": message,
            "notification_type": kind,
            "persist_record_count": 1,
            "type": "notification",
        }
    )


@asynccontextmanager
async def pushing(handler: Handler, **options: Any) -> AsyncIterator[Display]:
    """Run a server with a socket."""

    async def serve(request: web.Request) -> web.WebSocketResponse:
        """Accept whoever comes."""
        assert "Origin" not in request.headers
        socket = web.WebSocketResponse(**options)
        await socket.prepare(request)
        await handler(socket, request)
        return socket

    app = web.Application()
    app.router.add_get("/api/notification", serve)
    async with TestServer(app) as server, client(str(server.make_url("/"))) as display:
        yield display


def says(*frames: str | bytes) -> Handler:
    """Return what sends texts, and bytes as if they were one, and leaves."""

    async def serve(socket: web.WebSocketResponse, request: web.Request) -> None:
        for data in frames:
            if isinstance(data, str):
                await socket.send_str(data)
            else:
                await socket.send_bytes(data)
                await socket.send_frame(data, web.WSMsgType.TEXT)
        await socket.close()

    return serve


async def test_events_in_their_order(caplog: pytest.LogCaptureFixture) -> None:
    """Unknown and invalid frames are skipped, and noted without their content, which may be a pairing code; a close frame ends the notifications."""
    skipped = [
        *TABLES["skipped"],
        "[" * 50000,
        frame("offline_cache_status", source="x", pairingCode="SECRET-CODE"),
        b"\xff\xfe",
    ]
    caplog.set_level(logging.DEBUG, "custom_components.dp1")
    async with pushing(
        says(
            frame("player_status", ok=True, index=1),
            *skipped,
            frame("device_status", volume=49) + "\n",
            frame("ddc_status", brightness=65),
            '{"message":{"error":"\\ud83d"},"notification_type":"player_status"}',
        )
    ) as display:
        events = [event async for event in display.listen()]
    assert events == [
        Connected(),
        PlayerStatus.parse({"ok": True, "index": 1}),
        DeviceStatus.parse({"volume": 49}),
        PanelStatus.parse({"brightness": 65}),
        PlayerStatus.parse({"error": "\ufffd"}),
    ]
    assert caplog.text.count("Skipping") >= len(skipped)
    assert "SECRET" not in caplog.text


async def abort(socket: web.WebSocketResponse, request: web.Request) -> None:
    """Reset the connection like a crash."""
    assert request.transport is not None
    request.transport.abort()


async def hang_up(socket: web.WebSocketResponse, request: web.Request) -> None:
    """Close the connection without a close frame."""
    assert request.transport is not None
    request.transport.close()


async def go_away(socket: web.WebSocketResponse, request: web.Request) -> None:
    await socket.close(code=WSCloseCode.GOING_AWAY)


async def fail(socket: web.WebSocketResponse, request: web.Request) -> None:
    await socket.close(code=WSCloseCode.INTERNAL_ERROR)


async def break_rules(socket: web.WebSocketResponse, request: web.Request) -> None:
    """Send an invalid frame."""
    assert request.transport is not None
    request.transport.write(b"\xff\xff\xff\xff")
    await socket.receive()


@pytest.mark.parametrize("handler", [abort, hang_up, fail, break_rules])
async def test_a_loss(handler: Handler) -> None:
    """Anything but a regular close is a lost connection."""
    async with pushing(handler) as display, aclosing(display.listen()) as events:
        assert await anext(events) == Connected()
        with pytest.raises(LostAnswerError):
            await anext(events)


async def test_a_goodbye() -> None:
    """A display whose daemon stops closes the socket, which is no loss."""
    async with pushing(go_away) as display:
        assert [event async for event in display.listen()] == [Connected()]


async def test_a_half_open_socket_is_noticed() -> None:
    noticed = asyncio.Event()

    async def serve(socket: web.WebSocketResponse, request: web.Request) -> None:
        """Read nothing any more, so pings go unanswered."""
        await socket.send_str(frame("player_status", ok=True))
        await noticed.wait()

    async with pushing(serve, autoping=False) as display:
        async with aclosing(display.listen(heartbeat=0.2)) as events:
            assert await anext(events) == Connected()
            assert isinstance(await anext(events), PlayerStatus)
            with pytest.raises(LostAnswerError):
                await anext(events)
        noticed.set()


async def test_a_quiet_display_is_not_lost() -> None:
    """Pongs are enough if nothing changes for hours."""

    async def serve(socket: web.WebSocketResponse, request: web.Request) -> None:
        """Answer pings, and say something at last."""
        for _ in range(8):
            ping = await socket.receive()
            assert ping.type is web.WSMsgType.PING
            await socket.pong(ping.data)
        await socket.send_str(frame("player_status", ok=True))
        await socket.receive()

    async with (
        pushing(serve, autoping=False) as display,
        aclosing(display.listen(heartbeat=0.1)) as events,
    ):
        assert await anext(events) == Connected()
        assert isinstance(await anext(events), PlayerStatus)


async def test_a_display_that_pings() -> None:
    pongs: list[bytes] = []

    async def serve(socket: web.WebSocketResponse, request: web.Request) -> None:
        """Ping, and leave once there is a pong."""
        await socket.ping(b"hello")
        pongs.append((await socket.receive()).data)
        await socket.close()

    async with pushing(serve, autoping=False) as display:
        assert [event async for event in display.listen()] == [Connected()]
    assert pongs == [b"hello"]


async def test_the_connection_ends_while_nobody_reads() -> None:
    """A slow consumer gets the loss with its next read."""

    async with (
        pushing(abort) as display,
        aclosing(display.listen(heartbeat=0.05)) as events,
    ):
        assert await anext(events) == Connected()
        await asyncio.sleep(0.2)
        with pytest.raises(LostAnswerError):
            await anext(events)


@pytest.mark.parametrize(
    ("reply", "error"),
    [
        (plain(404, "404 page not found"), UnexpectedAnswerError),
        (plain(400, "Bad Request"), UnexpectedAnswerError),
        (plain(405, "Method not allowed"), UnexpectedAnswerError),
        (plain(200, "hello"), UnexpectedAnswerError),
        (plain(500), UnexpectedAnswerError),
        (plain(403, "Browser origins are not allowed"), Dp1Error),
        (plain(429, "Too many concurrent requests, slow down"), BusyError),
        (plain(503), TemporaryError),
        (Reply(fault="garbage"), UnexpectedAnswerError),
        (Reply(fault="after"), LostAnswerError),
    ],
)
async def test_no_socket(reply: Reply, error: type[Dp1Error]) -> None:
    """A display of the 2025 description has no socket; others may refuse it temporarily."""
    async with scripted(reply, dialect=Dialect.UNKNOWN) as (_, display):
        with pytest.raises(Dp1Error) as caught:
            await anext(display.listen())
    assert type(caught.value) is error


async def test_a_socket_that_does_not_open(monkeypatch: pytest.MonkeyPatch) -> None:
    module = "custom_components.dp1.client.display.notifications"
    monkeypatch.setattr(f"{module}._HANDSHAKE_TIMEOUT", 0.1)
    async with scripted(Reply(fault="never")) as (_, display):
        with pytest.raises(UnreachableError):
            await anext(display.listen())


async def test_leaving_is_quick() -> None:
    left = asyncio.Event()

    async def serve(socket: web.WebSocketResponse, request: web.Request) -> None:
        """Ignore the goodbye."""
        await left.wait()

    async with pushing(serve) as display:
        events = display.listen()
        assert await anext(events) == Connected()
        await events.aclose()
        assert not left.is_set()
        left.set()


@pytest.mark.parametrize("unit", ["8900", "8a00", "8200", "81027b7d"])
async def test_a_flood_of_small_frames(unit: str) -> None:
    """Frames of two bytes, 128,000 at once, neither hold the loop, 1.4 s before, nor those who leave, for ever before."""
    frames = (bytes.fromhex(unit) * 131_072)[: 1 << 18]

    async def serve(socket: web.WebSocketResponse, request: web.Request) -> None:
        """Send them without end."""
        assert request.transport
        while not request.transport.is_closing():
            request.transport.write(frames)
            await asyncio.sleep(0.01)

    async with pushing(serve) as display:

        async def follow() -> None:
            """Follow them for a while, and leave."""
            with suppress(TimeoutError):
                async with asyncio.timeout(1):
                    async for _ in display.listen():
                        pass

        async with asyncio.timeout(60):
            assert await worst_stall(follow, 0.1) < 0.1


async def test_large_frames() -> None:
    """A playlist of maximum length fits."""
    works = [{"id": f"i-{number}", "title": "x" * 3500} for number in range(1024)]
    text = frame("player_status", ok=True, index=1023, items=works)
    async with pushing(says(text)) as display:
        events = [event async for event in display.listen()]
    assert isinstance(events[1], PlayerStatus)
    assert events[1].position == 1024


@pytest.mark.parametrize("status", [301, 302, 303, 307, 308])
async def test_a_display_does_not_choose_what_is_requested(status: int) -> None:
    """A redirect of the socket is no socket, and nothing else in the house is requested, however often it is tried."""
    async with scripted(Reply(200)) as (router, _):
        moved = Reply(status, headers={"Location": f"{router.url}/reboot?now=1"})
        async with scripted(moved) as (server, display):
            for _ in range(2):
                with pytest.raises(UnexpectedAnswerError):
                    await anext(display.listen())
                await display.probe()
            assert len(server.requests) == 4
        assert not router.requests
