"""What the tests of the display client share: a client of a server that answers from a script."""

from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from typing import Any

import aiohttp
from yarl import URL

from custom_components.dp1.client.display.casts import Dialect
from custom_components.dp1.client.display.client import Display
from custom_components.dp1.client.display.rate_limit import RateLimit

from tests.client.scripted_server import Reply, Request, ScriptedServer

PLAYLIST = {
    "dpVersion": "1.1.0",
    "title": "Evening",
    "items": [{"id": "i-1", "source": "https://art.example.org/1", "duration": 60}],
}
WRAPPED = Reply(200, {"message": {"ok": True}})
FLAT = Reply(200, {"ok": True})


def plain(status: int, text: str = "", **headers: str) -> Reply:
    """Answer as the firmware does when something is wrong."""
    kind = {"Content-Type": "text/plain; charset=utf-8"}
    return Reply(status, f"{text}\n".encode() if text else b"", {**kind, **headers})


def by_command(**replies: Reply) -> Callable[[Request], Reply]:
    """Answer each command in its own way, and any other with the player's no."""
    no = Reply(200, {"message": {"ok": False}})
    return lambda request: replies.get(request.json["command"], no)


class Waits:
    """Waits that are noted and take no time."""

    def __init__(self) -> None:
        """Start with none."""
        self.seconds: list[float] = []

    async def __call__(self, seconds: float) -> None:
        """Note a wait."""
        self.seconds.append(seconds)


@asynccontextmanager
async def client(
    url: str, dialect: Dialect = Dialect.UNKNOWN, **options: Any
) -> AsyncIterator[Display]:
    """Make a client that never has to wait for its rate limit."""
    at = URL(url)
    assert at.host is not None
    async with aiohttp.ClientSession() as session:
        options.setdefault("rate_limit", RateLimit(sleep=Waits()))
        yield Display(session, at.host, at.port or 80, dialect=dialect, **options)


@asynccontextmanager
async def scripted(
    *script: Any, dialect: Dialect = Dialect.FF, **options: Any
) -> AsyncIterator[tuple[ScriptedServer, Display]]:
    """Serve a script to a client."""
    async with (
        ScriptedServer.run(*script) as server,
        client(server.url, dialect, **options) as display,
    ):
        yield server, display


def commands(server: ScriptedServer) -> list[str]:
    """Names of the commands that came."""
    return [
        request.json["command"]
        for request in server.requests
        if request.method == "POST"
    ]
