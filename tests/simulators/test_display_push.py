"""Test what the simulated display pushes, and when."""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
import json

from aiohttp import ClientWebSocketResponse
import pytest

from .raw_display import (
    FIRMWARE,
    RawClient,
    frames,
    item,
    playlist,
    pushed,
    talking,
    timed,
    until,
)

pytestmark = pytest.mark.usefixtures("socket_enabled")

STUB = {"dpVersion": "", "title": "", "items": None}
SETTINGS = {"scaling": "fit", "orientation": "landscape"}


async def listen(client: RawClient) -> ClientWebSocketResponse:
    """Open a socket."""
    before = len(client.simulator.sockets)
    socket: ClientWebSocketResponse = await client.session.ws_connect(
        f"{client.simulator.url}/api/notification"
    )
    await until(lambda: len(client.simulator.sockets) > before)
    return socket


@asynccontextmanager
async def listening(
    profile: str,
) -> AsyncIterator[tuple[RawClient, ClientWebSocketResponse]]:
    """Run a display that pushes what it is made to, and listen to it."""
    async with talking(profile, poll_interval=60) as client:
        socket = await listen(client)
        yield client, socket
        await socket.close()


async def test_frame() -> None:
    """Each frame is an object and a line feed, with the envelope in alphabetical order."""
    async with listening("A") as (client, socket):
        await client.cast(playlist(1))
        text = await socket.receive_str(timeout=2)
        assert text.endswith("}\n")
        frame = json.loads(text)
        assert list(frame.items())[1:] == [
            ("notification_type", "player_status"),
            ("persist_record_count", 1),
            ("type", "notification"),
        ]


async def test_player_status_of_the_first_generation() -> None:
    """The playlist is a stub, sources are empty, fields are missing, and the key of the address has another case."""
    async with listening("A") as (client, socket):
        work = item(0, display={"scaling": "fill"}, provenance={"type": "onChain"})
        url = "https://feed.example.org/1"
        client.simulator.player.load(playlist(items=[work]), url)
        client.simulator.poller.force()
        (message,) = pushed(await frames(socket), "player_status")
        assert list(message.items()) == [
            ("ok", True),
            ("castCommand", "displayPlaylist"),
            ("playlistURL", url),
            ("playlist", STUB),
            ("index", 0),
            ("items", [{**work, "source": ""}]),
            ("isPaused", False),
            ("deviceSettings", SETTINGS),
            ("loopMode", "playlist"),
            ("shuffle", False),
        ]
        assert (await client.status())["playlistUrl"] == url


async def test_player_status_of_the_second_generation() -> None:
    """Newer firmware has more fields."""
    async with listening("B") as (client, socket):
        await client.cast(playlist())
        await until(lambda: client.simulator.player.render_status == 2)
        await client.status()
        message = pushed(await frames(socket), "player_status")[-1]
        assert (message["renderStatus"], message["signatureStatus"]) == (2, "unsigned")
        assert message["deviceSettings"]["tombstone"] == "timed"
        assert {"showingKey", "compositionRevision"} <= set(message["deviceSettings"])
        assert "overlay" not in message


async def test_nothing_loaded() -> None:
    """An empty display has null as its index."""
    async with listening("A") as (client, socket):
        client.simulator.poller.force()
        (message,) = pushed(await frames(socket), "player_status")
        assert message == {
            "ok": True,
            "playlist": STUB,
            "index": None,
            "items": [],
            "isPaused": False,
            "deviceSettings": SETTINGS,
            "loopMode": "playlist",
            "shuffle": False,
        }


@pytest.mark.parametrize("profile", FIRMWARE)
async def test_dead_page(profile: str) -> None:
    """Older firmware pushes a crash, newer pushes nothing, and everything again when the page is back."""
    async with listening(profile) as (client, socket):
        client.simulator.poller.force()
        await frames(socket)
        client.simulator.break_page("cdp evaluate failed: timeout")
        crash = pushed(await frames(socket), "player_status")
        client.simulator.mend_page()
        kinds = {frame["notification_type"] for frame in await frames(socket)}
        if profile == "B":
            assert crash == []
            assert kinds == {"player_status", "device_status", "ddc_status"}
        else:
            assert crash == [{"error": "cdp evaluate failed: timeout", "ok": False}]
            assert kinds == {"player_status"}


async def test_no_snapshot() -> None:
    """A new client does not get what was pushed before, even if nobody was connected."""
    async with timed("B", poll_interval=5) as (client, clock):
        await client.cast(playlist(items=[item(0, duration=None)]))
        await until(lambda: client.simulator.player.render_status == 2)
        await clock.advance(20)
        socket = await listen(client)
        await clock.advance(60)
        assert await frames(socket) == []
        await client.ask("setLoop", mode="one")
        assert len(await frames(socket)) == 1
        await socket.close()


async def test_rhythm() -> None:
    """Sound and panel are pushed at the next poll, commands of the page and rotation at once."""
    async with timed("A", poll_interval=5, storm_gate=False) as (client, clock):
        socket = await listen(client)
        await clock.advance(5)
        await frames(socket)
        await client.ask("setVolume", percent=80)
        await client.ask("ddcPanelControl", action="brightness", value=5)
        assert await frames(socket) == []
        await clock.advance(5)
        found = await frames(socket)
        assert pushed(found, "device_status")[0]["volume"] == 80
        assert pushed(found, "ddc_status")[0]["brightness"] == 5
        await client.cast(playlist())
        assert len(pushed(await frames(socket), "player_status")) == 1
        await client.ask("rotate", clockwise=True)
        found = await frames(socket)
        assert pushed(found, "device_status")[0]["screenRotation"] == "portraitReverse"
        (told,) = pushed(found, "player_status")
        assert told["deviceSettings"]["orientation"] == "portrait"
        await socket.close()
