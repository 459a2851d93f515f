"""Faults of the hosts of playlists and of pictures."""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass
import gzip
import json
from struct import pack
from typing import Any
from uuid import uuid4
from zlib import compress, crc32

from aiohttp.test_utils import TestClient, TestServer

from homeassistant.core import HomeAssistant

from ..client.scripted_server import Reply, Request, ScriptedServer
from ..displays import state_of
from ..pictures import PNG
from . import displays
from .model import Fault, Home, faults_of

PLAYLIST = "playlist host"
PICTURE = "picture host"


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
        there = HostHome(
            hass,
            shown.display,
            lambda: shown.display.casts,
            shown.reset,
            server.url,
            browser,
        )
        yield there


def heal(home: HostHome) -> None:
    """Let the host be well."""
    home.reply = None


# Playlists


async def cast(home: HostHome) -> str:
    """Cast a playlist that has to be read first."""
    return await home.cast(playlist_url=f"{home.url}/night", limit=1)


async def casts(home: HostHome) -> None:
    assert await cast(home) == "shows Night"


def host(
    name: str,
    reads: str,
    status: int = 200,
    body: Any = displays.NIGHT,
    sends: int = 0,
    **more: Any,
) -> Fault:
    """Describe an answer to whoever reads a playlist, with a text as it is written."""
    body = body.encode() if isinstance(body, str) else body

    def strike(home: HostHome) -> None:
        home.reply = Reply(status, body, **more)

    return Fault(PLAYLIST, name, reads, strike, cast, heal, casts, sends)


PLAYLIST_FAULTS = (
    *faults_of("hosts playlist", host=host),
    host(
        "cuts its compressed answer short",
        "playlist_(lost_answer|unexpected_answer)",
        200,
        gzip.compress(json.dumps(displays.NIGHT).encode())[:-12],
        headers={"Content-Encoding": "gzip"},
    ),
    host(
        "answers bytes",
        "playlist_unexpected_answer|playlist_invalid",
        200,
        b"\xff\xfe\x00",
    ),
    host(
        "nests too deep",
        "playlist_unexpected_answer|playlist_invalid",
        200,
        b"[" * 100_000,
    ),
    host(
        "answers 4 MB of empty works",
        "playlist_invalid .*more than 100000 values",
        200,
        json.dumps({"title": "a", "items": [{}] * 1_000_000}).encode(),
    ),
)


# Pictures


async def see(home: HostHome) -> str:
    """Look at the picture of the current work, as a browser does."""
    path = state_of(home.hass).attributes["entity_picture"]
    async with home.browser.get(path) as response:
        size = len(await response.read())
        return f"{response.status} {response.content_type}, {size} bytes"


async def sees(home: HostHome) -> None:
    assert await see(home) == f"200 image/png, {len(PNG)} bytes"


def picture(name: str, status: int = 200, body: bytes = PNG, **more: Any) -> Fault:
    """Describe an answer to whoever looks at a picture."""

    async def strike(home: HostHome) -> None:
        """Show a work whose picture nobody has seen."""
        source = f"{home.url}/{uuid4()}.png"
        document = displays.playlist("Reef")
        document["items"][0]["source"] = source
        home.reply = Reply(status, body, **more)
        await home.cast(playlist=document)
        await home.until_shown("playing Reef")

    return Fault(
        PICTURE, name, "^(404|500) [^ ]*, 0 bytes$", strike, see, heal, sees, sends=1
    )


def bomb(side: int) -> bytes:
    """Return a black picture in PNG that is a thousandth of its size in memory."""

    def chunk(name: bytes, data: bytes) -> bytes:
        """Return a part of the file."""
        return pack(">I", len(data)) + name + data + pack(">I", crc32(name + data))

    lines = compress(bytes((side // 8 + 1) * side), 9)
    head = chunk(b"IHDR", pack(">2I5B", side, side, 1, 0, 0, 0, 0))
    return PNG[:8] + head + chunk(b"IDAT", lines) + chunk(b"IEND", b"")


PICTURE_FAULTS = (
    *faults_of("hosts picture", picture=picture),
    picture("answers 404", 404, b""),
    picture("answers 403", 403, b""),
    picture("answers 500", 500, b""),
    picture(
        "cuts its compressed answer short",
        body=gzip.compress(PNG)[:-12],
        headers={"Content-Type": "image/png", "Content-Encoding": "gzip"},
    ),
    picture("answers nothing", body=b""),
    picture("answers HTML", body=b"<html><script>alert(1)</script>"),
    picture("answers a drawing with a script", body=b"<svg onload='alert(1)'/>"),
    picture("answers 12 MB", body=PNG + bytes(12 * 1024 * 1024)),
    picture("is a bomb of 400 megapixels", body=bomb(20_000)),
)
