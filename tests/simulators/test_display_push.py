"""Test what the simulated display pushes, and when."""

import asyncio
import json
from typing import Any

import aiohttp
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


# Transport


async def test_upgrade() -> None:
    """The socket needs GET and an upgrade; nothing is negotiated."""
    async with talking("A") as client:
        answer = await client.request("POST", "/api/notification")
        assert (answer.status, answer.text) == (405, "Method not allowed\n")
        answer = await client.get("/api/notification")
        assert (answer.status, answer.headers["Sec-Websocket-Version"]) == (400, "13")
        assert answer.text == "Bad Request\nFailed to upgrade to websocket\n"
        socket = await listen(
            client, protocols=("dp1",), compress=15, origin="http://x"
        )
        assert (socket.protocol, socket.compress) == (None, 0)
        await socket.close()
        await until(lambda: not client.simulator.sockets)


async def test_pings() -> None:
    """The display answers pings and sends none; messages of a client are ignored."""
    async with talking("A") as client:
        socket = await listen(client, autoping=False)
        await socket.send_str('{"command":"reboot"}')
        await socket.send_bytes(b"\0")
        await socket.ping(b"hello")
        message = await socket.receive(timeout=2)
        assert (message.type, message.data) == (aiohttp.WSMsgType.PONG, b"hello")
        assert client.simulator.received == []
        with pytest.raises(TimeoutError):
            await socket.receive(timeout=0.1)
        await socket.close()


async def test_many_sockets() -> None:
    """There is no limit, and all get the same."""
    async with talking("B", poll_interval=60) as client:
        sockets = [await listen(client) for _ in range(70)]
        client.simulator.poller.force()
        texts = {await socket.receive_str(timeout=5) for socket in sockets}
        assert len(texts) == 1
        assert client.simulator.server.in_flight == 0
        for socket in sockets:
            await socket.close()


async def test_goodbye() -> None:
    """A stopped daemon closes its sockets; a crashed one does not."""
    async with talking("A", boot_seconds=0) as client:
        socket = await listen(client)
        task = asyncio.create_task(client.simulator.reboot())
        message = await socket.receive(timeout=2)
        assert (message.type, message.data) == (aiohttp.WSMsgType.CLOSE, 1000)
        assert not message.extra
        await task
        socket = await listen(client)
        await client.simulator.refuse()
        message = await socket.receive(timeout=2)
        assert socket.close_code == 1006


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


async def test_overheating() -> None:
    """An error is pushed without ``ok``."""
    async with talking("A", poll_interval=60) as client:
        socket = await listen(client)
        client.simulator.overheat()
        (message,) = pushed(await frames(socket), "player_status")
        assert message == {
            "error": "overheating",
            "playlist": STUB,
            "index": None,
            "items": [],
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


async def test_device_status() -> None:
    """The push equals the answer over HTTP."""
    async with timed("B") as (client, _):
        socket = await listen(client)
        client.simulator.poller.force()
        found = await frames(socket)
        assert pushed(found, "device_status") == [await client.ask("getDeviceStatus")]
        assert pushed(found, "ddc_status") == [await client.ask("ddcPanelStatus")]
        kinds = [frame["notification_type"] for frame in found]
        assert kinds == ["player_status", "device_status", "ddc_status"]
        await socket.close()


async def test_overlay() -> None:
    """The newest firmware pushes what is shown over the work."""
    async with talking("C", poll_interval=60) as client:
        socket = await listen(client)
        await client.ask("showPairingQRCode", show=True)
        message = pushed(await frames(socket), "player_status")[-1]
        assert message["overlay"]["owner"] == "setup"
        assert "pairingCode" in message["overlay"]
        await client.ask("showPairingQRCode", show=False)
        assert "overlay" not in pushed(await frames(socket), "player_status")[-1]
        await socket.close()


async def test_offline_entries() -> None:
    """The progress of a download is pushed."""
    async with talking("B", poll_interval=60) as client:
        client.simulator.offline.enabled = True
        socket = await listen(client)
        source = f"{client.simulator.url}/simulator/works/One"
        await client.ask(
            "downloadPlaylist", dp1_call=playlist(items=[item(0, source=source)])
        )
        await until(lambda: client.simulator.offline.ready)
        states = {
            entry["state"]
            for entry in pushed(await frames(socket), "offline_cache_status")
        }
        assert states == {"queued", "downloading", "ready"}
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


async def test_nothing_new_is_not_told() -> None:
    """A poll without changes pushes nothing."""
    async with timed("A", poll_interval=5) as (client, clock):
        socket = await listen(client)
        await clock.advance(5)
        assert len(await frames(socket)) == 3
        await clock.advance(100)
        assert await frames(socket) == []
        await client.ask("checkStatus")
        assert await frames(socket) == []
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


async def test_asking_makes_it_look() -> None:
    """A status request over HTTP pushes earlier changes at once."""
    async with timed("A") as (client, _):
        socket = await listen(client)
        await client.ask("setVolume", percent=80)
        assert await frames(socket) == []
        await client.ask("checkStatus")
        assert pushed(await frames(socket), "device_status")[0]["volume"] == 80
        await socket.close()


async def test_advance_is_told_late() -> None:
    """A work that changes by itself is pushed at the next poll."""
    async with timed("A", poll_interval=5) as (client, clock):
        await client.cast(playlist(items=[item(0, duration=7), item(1)]))
        socket = await listen(client)
        await clock.advance(5)
        await frames(socket)
        await clock.advance(4)
        assert client.simulator.state.position == 1
        assert await frames(socket) == []
        await clock.advance(2)
        assert pushed(await frames(socket), "player_status")[0]["index"] == 1
        await socket.close()


async def test_slow_panel_delays() -> None:
    """A slow panel delays the next poll."""
    async with talking("A", poll_interval=0.05) as client:
        client.simulator.device.panel.seconds = 0.5
        socket = await listen(client)
        await asyncio.sleep(0.1)
        client.simulator.player.load(playlist())
        assert pushed(await frames(socket, 0.3), "player_status")[-1]["items"] == []
        assert pushed(await frames(socket, 0.6), "player_status")[-1]["index"] == 0
        await socket.close()


async def test_without_cloud() -> None:
    """Without the cloud only the player is pushed."""
    async with talking("A", poll_interval=60) as client:
        await client.simulator.set_internet(False)
        socket = await listen(client)
        await client.ask("rotate", clockwise=True)
        await client.cast(playlist())
        kinds = {frame["notification_type"] for frame in await frames(socket)}
        assert kinds == {"player_status"}
        await client.simulator.set_internet(True)
        client.simulator.poller.force()
        kinds = {frame["notification_type"] for frame in await frames(socket)}
        assert kinds == {"device_status", "ddc_status"}
        assert client.simulator.counters.disconnects == 1
        await socket.close()


async def test_other_pages() -> None:
    """On another page nothing is pushed of the player."""
    async with talking("A", poll_interval=60) as client:
        socket = await listen(client)
        client.simulator.show_setup_page()
        found = await frames(socket)
        assert pushed(found, "player_status") == []
        assert not pushed(found, "device_status")[0]["displayURL"].startswith("http")
        await socket.close()


async def test_out_of_memory() -> None:
    """Another playlist is shown afterwards, and nothing is pushed in between."""
    async with timed("A") as (client, clock):
        await client.cast(playlist())
        socket = await listen(client)
        await frames(socket)
        task = asyncio.create_task(client.simulator.run_out_of_memory())
        await clock.advance(0.1)
        await client.status()
        assert pushed(await frames(socket), "player_status") == []
        await clock.advance(1)
        await task
        (message,) = pushed(await frames(socket), "player_status")
        assert message["items"][0]["title"] == "Tide"
        await socket.close()


async def test_order_of_play() -> None:
    """Works are pushed in playing order."""
    async with talking("A", poll_interval=60) as client:
        socket = await listen(client)
        await client.cast(playlist(9))
        await client.ask("moveToArtwork", index=4)
        await client.ask("setShuffle", enabled=True)
        message = pushed(await frames(socket), "player_status")[-1]
        assert message["items"][0]["id"] == "i-4"
        assert (message["index"], message["shuffle"]) == (0, True)
        await socket.close()
