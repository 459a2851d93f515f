"""Helpers for tests of the display client: a client of a scripted server."""

from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from typing import Any

import aiohttp
import pytest
from yarl import URL

from custom_components.dp1.client.display.client import Dialect, Display
from custom_components.dp1.client.display.transport import RateLimit

from tests.client.scripted_server import Reply, Request, ScriptedServer

PLAYLIST = {
    "dpVersion": "1.1.0",
    "title": "Evening",
    "items": [{"id": "i-1", "source": "https://art.example.org/1", "duration": 60}],
}
WRAPPED = Reply(200, {"message": {"ok": True}})
FLAT = Reply(200, {"ok": True})


def by_command(**replies: Reply) -> Callable[[Request], Reply]:
    """Answer each command separately, and any other with the player's error."""
    no = Reply(200, {"message": {"ok": False}})
    return lambda request: replies.get(request.json["command"], no)


class Waits:
    """A replacement for sleep that records the waits."""

    def __init__(self) -> None:
        self.seconds: list[float] = []

    async def __call__(self, seconds: float) -> None:
        self.seconds.append(seconds)


@pytest.fixture
def expected_lingering_timers() -> bool:
    """Return that aiohttp may start its heartbeat again when data arrive after the socket was closed."""
    return True


@asynccontextmanager
async def client(
    url: str, dialect: Dialect = Dialect.UNKNOWN, **options: Any
) -> AsyncIterator[Display]:
    at = URL(url)
    assert at.host is not None
    async with aiohttp.ClientSession() as session:
        options.setdefault("rate_limit", RateLimit(sleep=Waits()))
        yield Display(session, at.host, at.port or 80, dialect=dialect, **options)


@asynccontextmanager
async def scripted(
    *script: Any, dialect: Dialect = Dialect.FF, **options: Any
) -> AsyncIterator[tuple[ScriptedServer, Display]]:
    async with (
        ScriptedServer.run(*script) as server,
        client(server.url, dialect, **options) as display,
    ):
        yield server, display


def commands(server: ScriptedServer) -> list[str]:
    """Return the names of the received commands."""
    return [
        request.json["command"]
        for request in server.requests
        if request.method == "POST"
    ]
