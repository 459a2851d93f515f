"""Faults of the hosts of playlists."""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass

from homeassistant.core import HomeAssistant

from ..client.scripted_server import Reply, Request, ScriptedServer
from . import displays
from .model import Fault, Home


@dataclass
class HostHome(Home):
    """A Home Assistant, and a host that answers as it is told."""

    url: str
    reply: Reply | None = None


@asynccontextmanager
async def home(hass: HomeAssistant) -> AsyncIterator[HostHome]:
    def answer(request: Request) -> Reply:
        """Answer as the fault wants."""
        return there.reply or Reply(200, displays.NIGHT)

    async with (
        displays.home(hass) as shown,
        ScriptedServer.run(answer) as server,
    ):
        sent = lambda: shown.display.casts  # noqa: E731
        there = HostHome(hass, shown.display, sent, shown.reset, server.url)
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


FAULTS = (
    host("closes without an answer", "playlist_lost_answer", Reply(200, fault="after")),
    host("never answers", "playlist_(lost|no)_answer", Reply(200, fault="never")),
    host("answers HTML", "playlist_(unexpected|invalid)", Reply(200, b"<html>")),
)
