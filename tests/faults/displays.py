"""Faults of a display: its commands over HTTP, and its socket."""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Any

from homeassistant.core import HomeAssistant
from homeassistant.setup import async_setup_component

from ..displays import DEVICE_ID, entry_of, playlist, set_up, until
from ..simulators.display import DisplaySimulator
from .model import Fault, Home

DAY = playlist("Dawn", "Noon", "Dusk")
NIGHT = playlist(
    "Moon", "Stars", id="385f79b6-a45f-4c1c-8080-e93a192add00", title="Night"
)


@asynccontextmanager
async def home(hass: HomeAssistant) -> AsyncIterator[Home]:
    assert await async_setup_component(hass, "homeassistant", {})
    async with DisplaySimulator(
        profile="B",
        device_id=DEVICE_ID,
        poll_interval=0.2,
        page_delay=0.02,
        storm_gate=False,
    ) as display:
        display.caster.preflight = False
        await set_up(hass, entry_of(display))
        await until(lambda: display.sockets)

        async def reset() -> None:
            """Show the playlist of the day."""
            display.reset_counters()
            display.player.load(DAY)
            display.poller.force()
            await there.until_shown("playing Dawn")

        there = Home(hass, display, lambda: display.writes, reset)
        yield there


async def cast(home: Home) -> str:
    return await home.cast(playlist=NIGHT)


async def heal(home: Home) -> None:
    """Let the display be well."""
    home.display.heal()
    await home.display.accept()


async def shows(home: Home) -> None:
    """Cast, and see it everywhere."""
    assert await cast(home) == "shows Night"
    await home.until_shown("playing Moon")


def answer(name: str, reads: str, kind: str, **details: Any) -> Fault:
    """Describe a fault in the answer to a cast."""

    def strike(home: Home) -> None:
        home.display.inject(kind, command="displayPlaylist", **details)

    return Fault(f"display: {name}", reads, strike, cast, heal, shows)


async def after_frame(home: Home) -> str:
    """Wait until what was sent is taken in."""
    await home.hass.async_block_till_done()
    return home.shown


async def pushed(home: Home) -> None:
    """See the next work that the owner's phone chooses, without asking for it."""
    for index, title in ((2, "Dusk"), (1, "Noon")):
        home.display.player.handle("moveToArtwork", {"index": index})
        home.display.poller.force()
        await home.until_shown(f"playing {title}")


async def refuse_socket(home: Home) -> None:
    """Drop the socket and take no other."""
    home.display.inject("status", route="/api/notification", status=503)
    await home.display.sockets.close()


def socket(name: str, strike: Any) -> Fault:
    """Describe a fault of the socket, of which nothing is seen."""
    reads = "playing Dawn"
    return Fault(f"socket: {name}", reads, strike, after_frame, heal, pushed, 0)


FAULTS = (
    Fault(
        "display: refuses connections",
        "display_refused",
        lambda home: home.display.refuse(),
        cast,
        heal,
        shows,
        sends=0,
    ),
    answer("never answers", "display_lost_answer", "hang", seconds=30),
    answer("answers HTML", "display_web_page", "garbage", text="<html>"),
    socket("closes and takes no other", refuse_socket),
    socket("is silent", lambda home: home.display.go_half_open()),
    socket("sends no JSON", lambda home: home.display.send_frame("hello")),
)
