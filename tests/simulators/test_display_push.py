"""Test what the simulated display pushes, and when."""

import json
from typing import Any

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


async def listen(client: RawClient, **options: Any) -> ClientWebSocketResponse:
    """Open a socket."""
    before = len(client.simulator.sockets)
    socket: ClientWebSocketResponse = await client.session.ws_connect(
        f"{client.simulator.url}/api/notification", **options
    )
    await until(lambda: len(client.simulator.sockets) > before)
    return socket


# Frames


async def test_frame() -> None:
    """Each frame is an object and a line feed, with the envelope in alphabetical order."""
    async with talking("A", poll_interval=60) as client:
        socket = await listen(client)
        await client.cast(playlist(1, title="<Evening>"))
        text = await socket.receive_str(timeout=2)
        assert text.endswith("}\n")
        frame = json.loads(text)
        assert list(frame) == [
            "message",
            "notification_type",
            "persist_record_count",
            "type",
        ]
        assert (frame["notification_type"], frame["type"]) == (
            "player_status",
            "notification",
        )
        assert frame["persist_record_count"] == 1
        await socket.close()


async def test_player_status_of_the_first_generation() -> None:
    """The playlist is a stub, sources are empty, and unsupported fields are missing."""
    async with talking("A", poll_interval=60) as client:
        socket = await listen(client)
        work = item(0, display={"scaling": "fill"}, provenance={"type": "onChain"})
        await client.cast(playlist(items=[work]))
        (message,) = pushed(await frames(socket), "player_status")
        assert list(message) == [
            "ok",
            "castCommand",
            "playlist",
            "index",
            "items",
            "isPaused",
            "deviceSettings",
            "loopMode",
            "shuffle",
        ]
        assert message["playlist"] == STUB
        assert message["items"] == [{**work, "source": ""}]
        assert message["deviceSettings"] == {
            "scaling": "fit",
            "orientation": "landscape",
        }
        await socket.close()


async def test_player_status_of_the_second_generation() -> None:
    """Newer firmware has more fields."""
    async with talking("B", poll_interval=60) as client:
        socket = await listen(client)
        await client.ask("displayDefaultPlaylist")
        await until(lambda: client.simulator.player.render_status == 2)
        await client.status()
        message = pushed(await frames(socket), "player_status")[-1]
        assert message["renderStatus"] == 2
        assert message["deviceSettings"]["tombstone"] == "timed"
        assert {"showingKey", "compositionRevision"} <= set(message["deviceSettings"])
        assert "overlay" not in message and "signatureStatus" not in message
        await client.cast(playlist())
        message = pushed(await frames(socket), "player_status")[-1]
        assert message["signatureStatus"] == "unsigned"
        await socket.close()


async def test_address_in_capitals() -> None:
    """The key of the URL has another case than in the status."""
    async with talking("A", poll_interval=60) as client:
        socket = await listen(client)
        url = "https://feed.example.org/1"
        client.simulator.player.load(playlist(), url)
        client.simulator.poller.force()
        (message,) = pushed(await frames(socket), "player_status")
        assert message["playlistURL"] == url
        assert "playlistUrl" not in message
        assert (await client.status())["playlistUrl"] == url
        await socket.close()


async def test_nothing_loaded() -> None:
    """An empty display has null as its index."""
    async with talking("A", poll_interval=60) as client:
        socket = await listen(client)
        client.simulator.poller.force()
        (message,) = pushed(await frames(socket), "player_status")
        assert message == {
            "ok": True,
            "playlist": STUB,
            "index": None,
            "items": [],
            "isPaused": False,
            "deviceSettings": {"scaling": "fit", "orientation": "landscape"},
            "loopMode": "playlist",
            "shuffle": False,
        }
        await socket.close()


@pytest.mark.parametrize("profile", FIRMWARE)
async def test_dead_page(profile: str) -> None:
    """Older firmware pushes a crash, newer pushes nothing, and everything again when the page is back."""
    async with talking(profile, poll_interval=60) as client:
        client.simulator.poller.force()
        socket = await listen(client)
        await frames(socket)
        client.simulator.break_page("cdp evaluate failed: timeout")
        found = pushed(await frames(socket), "player_status")
        client.simulator.mend_page()
        back = await frames(socket)
        if profile in "BC":
            assert found == []
            kinds = {frame["notification_type"] for frame in back}
            assert kinds == {"player_status", "device_status", "ddc_status"}
        else:
            assert found == [{"error": "cdp evaluate failed: timeout", "ok": False}]
            assert pushed(back, "device_status") == []
        await socket.close()


# Timing


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
        await client.ask("toggleMute")
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
        assert (
            pushed(found, "player_status")[0]["deviceSettings"]["orientation"]
            == "portrait"
        )
        await socket.close()
