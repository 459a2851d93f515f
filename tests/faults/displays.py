"""Faults of a display: its commands over HTTP, and its socket."""

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
import json
from typing import Any

from homeassistant.core import HomeAssistant
from homeassistant.setup import async_setup_component

from ..displays import DEVICE_ID, ENTITY_ID, entry_of, playlist, set_up, until
from ..simulators.display import DisplaySimulator
from .model import Fault, Home, faults_of

HTTP = "display HTTP"
SOCKET = "display socket"
DAY = playlist("Dawn", "Noon", "Dusk")
NIGHT = playlist(
    "Moon", "Stars", id="385f79b6-a45f-4c1c-8080-e93a192add00", title="Night"
)
CAST = "displayPlaylist"
FOREIGN = "display_unexpected_answer"
NESTED = "[" * 100_000


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


# Over HTTP


async def cast(home: Home) -> str:
    return await home.cast(playlist=NIGHT)


async def heal(home: Home) -> None:
    """Let the display be well."""
    home.display.heal()
    await home.display.accept()


async def shows(home: Home) -> None:
    """Cast, and see it everywhere."""
    assert await home.cast(playlist=NIGHT) == "shows Night"
    await home.until_shown("playing Moon", 2)


def fault(
    name: str, reads: str, kind: str, act: Any = cast, sends: int = 1, **details: Any
) -> Fault:
    """Describe a fault in the answer to a command, by default a cast."""

    def strike(home: Home) -> None:
        home.display.inject(kind, **{"command": CAST, **details})

    return Fault(HTTP, name, reads, strike, act, heal, shows, sends)


def garbage(name: str, text: str, reads: str = "") -> Fault:
    """Describe an answer that is no answer."""
    reads = reads or FOREIGN
    return fault(name, reads, "garbage", text=text)


def page(name: str, reads: str, strike: Any, mend: Any, sends: int = 1) -> Fault:
    """Describe a display on another page, or out of reach."""
    return Fault(HTTP, name, reads, strike, cast, mend, shows, sends)


async def next_work(home: Home) -> str:
    await home.call(
        "media_player.media_next_track", response=False, entity_id=ENTITY_ID
    )
    return await home.until_shown("playing Noon", 2)


async def update(home: Home) -> str:
    """Wait for a refresh that somebody asks for."""
    await home.call(
        "homeassistant.update_entity", response=False, entity_id=[ENTITY_ID]
    )
    return home.shown


HTTP_FAULTS = (
    *faults_of("displays http", fault=fault, garbage=garbage),
    page(
        "refuses connections",
        "display_refused",
        lambda home: home.display.refuse(),
        heal,
        0,
    ),
    garbage("nests too deep", NESTED),
    garbage(
        "answers half a character", '{"message": {"ok": true}}\udc80'[:-1] + "\x00"
    ),
    garbage(
        "answers 5 MB of one string",
        json.dumps({"message": {"ok": False, "error": "x" * 5_000_000}}),
        "answer_too_large",
    ),
    page(
        "is on its set-up screen",
        "display_not_ready",
        lambda home: home.display.show_setup_page(),
        lambda home: home.display.show_setup_page(False),
    ),
    page(
        "lost its page",
        "display_player_not_running",
        lambda home: home.display.break_page(),
        lambda home: home.display.mend_page(),
    ),
    fault(
        "hides its device status",
        "playing Noon",
        "hang",
        next_work,
        command="getDeviceStatus",
        seconds=30,
    ),
    fault(
        "answers its device status with garbage",
        "playing Dawn",
        "garbage",
        update,
        command="getDeviceStatus",
        text="[",
    ),
    fault(
        "answers everything with HTML",
        "playing Dawn|unavailable",
        "garbage",
        update,
        command="",
        text="<html>",
    ),
    Fault(
        HTTP,
        "loses its power",
        "unavailable",
        lambda home: home.display.power_off(),
        lambda home: home.until_shown("unavailable"),
        lambda home: home.display.power_on(),
        lambda home: home.until_shown("playing Dawn", 1),
        0,
    ),
)


# On the socket


def status_of(home: Home, **changes: Any) -> str:
    """Write the frame of a player that shows a work."""
    item = {**DAY["items"][1], **changes.pop("item", {})}
    message = {
        "ok": True,
        "castCommand": CAST,
        "playlist": {"title": "Evening", "items": None},
        "index": 1,
        "items": [item],
        "isPaused": False,
        **changes,
    }
    return json.dumps(
        {
            "type": "notification",
            "notification_type": "player_status",
            "message": message,
        }
    )


async def after_frame(home: Home) -> str:
    """Wait until a frame that follows is taken in."""
    await asyncio.sleep(0.05)
    await home.hass.async_block_till_done()
    return home.shown


async def pushed(home: Home) -> None:
    """See the next work that the owner's phone chooses, without asking for it."""
    for index, title in ((2, "Dusk"), (1, "Noon")):
        home.display.player.handle("moveToArtwork", {"index": index})
        home.display.poller.force()
        await home.until_shown(f"playing {title}", 2)


def frame(name: str, *frames: str | bytes, reads: str = "playing Dawn") -> Fault:
    """Describe frames that are not what they should be."""

    async def strike(home: Home) -> None:
        for text in frames:
            await home.display.send_frame(text)

    return Fault(SOCKET, name, reads, strike, after_frame, heal, pushed, 0)


def status(name: str, reads: str, **changes: Any) -> Fault:
    """Describe a player status that is not what it should be."""

    async def strike(home: Home) -> None:
        await home.display.send_frame(status_of(home, **changes))

    async def act(home: Home) -> str:
        """Wait until it is taken in."""
        await asyncio.sleep(0.3)
        return home.shown

    return Fault(SOCKET, name, reads, strike, act, heal, pushed, 0)


EMPTY_ITEMS = (
    '{"type":"notification","notification_type":"player_status","message":{"ok":true,"items":['
    + ",".join(["{}"] * 1_300_000)
    + "]}}"
)


async def refuse_socket(home: Home) -> None:
    """Drop the socket and take no other."""
    home.display.inject("status", route="/api/notification", status=503)
    await home.display.sockets.close()


async def storm(home: Home) -> None:
    """Push three hundred times at once."""
    for number in range(300):
        await home.display.send_frame(
            status_of(home, item={"title": f"Storm {number}"})
        )


SOCKET_FAULTS = (
    *faults_of("displays socket", frame=frame, status=status),
    frame("sends bytes", b"\x00\xff\xfe"),
    frame("nests too deep", NESTED),
    frame("sends 4 MB of empty works", EMPTY_ITEMS, reads="playing|idle"),
    frame("sends 8 MB of one word", json.dumps("x" * 8_000_000)),
    status("counts to 10**30", "playing|idle", index=10**30),
    status("has half a character in a title", "playing", item={"title": "a\ud800b"}),
    status(
        "has escapes in a title",
        r"^playing [^\x1b]*$",
        item={"title": "\x1b[31mred\x07"},
    ),
    status("has a title of 1 MB", "^playing.{0,300}$", item={"title": "x" * 1_000_000}),
    Fault(
        SOCKET,
        "closes it and takes no other",
        "playing Dawn",
        refuse_socket,
        after_frame,
        heal,
        pushed,
        0,
    ),
    Fault(
        SOCKET,
        "pushes 300 times at once",
        "playing Storm|playing Dawn",
        storm,
        after_frame,
        heal,
        pushed,
        0,
    ),
)

FAULTS = (*HTTP_FAULTS, *SOCKET_FAULTS)
