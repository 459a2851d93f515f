"""Faults of the hosts of playlists and of pictures."""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass
from typing import Any
from uuid import uuid4

from aiohttp.test_utils import TestClient, TestServer

from homeassistant.core import HomeAssistant

from ..client.scripted_server import Reply, Request, ScriptedServer
from ..displays import state_of
from ..pictures import PNG
from . import displays
from .model import Fault, Home


@dataclass
class HostHome(Home):
    """A Home Assistant, and a host that answers as it is told."""

    url: str
    browser: TestClient[Any, Any]
    reply: Reply | None = None


@asynccontextmanager
async def home(hass: HomeAssistant) -> AsyncIterator[HostHome]:
    def answer(request: Request) -> Reply:
        """Answer as the fault wants."""
        if there.reply is not None:
            return there.reply
        if request.path.endswith(".png"):
            return Reply(200, PNG, {"Content-Type": "image/png"})
        return Reply(200, displays.NIGHT)

    async with (
        displays.home(hass) as shown,
        ScriptedServer.run(answer) as server,
        TestClient(TestServer(hass.http.app)) as browser,
    ):
        sent = lambda: shown.display.casts  # noqa: E731
        there = HostHome(hass, shown.display, sent, shown.reset, server.url, browser)
        yield there


def heal(home: HostHome) -> None:
    """Let the host be well."""
    home.reply = None


async def cast(home: HostHome) -> str:
    """Cast a playlist that has to be read first."""
    return await home.cast(playlist_url=f"{home.url}/night", limit=1)


async def casts(home: HostHome) -> None:
    assert await cast(home) == "shows Night"


def host(name: str, reads: str, reply: Reply) -> Fault:
    """Describe an answer to whoever reads a playlist."""

    def strike(home: HostHome) -> None:
        home.reply = reply

    return Fault(f"playlist host: {name}", reads, strike, cast, heal, casts, 0)


async def see(home: HostHome) -> str:
    """Look at the picture of the current work, as a browser does."""
    path = state_of(home.hass).attributes["entity_picture"]
    async with home.browser.get(path) as response:
        size = len(await response.read())
        return f"{response.status} {response.content_type}, {size} bytes"


async def sees(home: HostHome) -> None:
    assert await see(home) == f"200 image/png, {len(PNG)} bytes"


def picture(name: str, reply: Reply) -> Fault:
    """Describe an answer to whoever looks at a picture that nobody has seen."""

    async def strike(home: HostHome) -> None:
        document = displays.playlist("Reef")
        document["items"][0]["source"] = f"{home.url}/{uuid4()}.png"
        home.reply = reply
        await home.cast(playlist=document)
        await home.until_shown("playing Reef")

    reads = "^(404|500) [^ ]*, 0 bytes$"
    return Fault(f"picture host: {name}", reads, strike, see, heal, sees)


FAULTS = (
    host("closes without an answer", "playlist_lost_answer", Reply(200, fault="after")),
    host("never answers", "playlist_(lost|no)_answer", Reply(200, fault="never")),
    host("answers HTML", "playlist_(unexpected|invalid)", Reply(200, b"<html>")),
    picture("answers 404", Reply(404, b"")),
    picture("never answers", Reply(200, PNG, fault="never")),
    picture("answers HTML", Reply(200, b"<html><script>alert(1)</script>")),
)
