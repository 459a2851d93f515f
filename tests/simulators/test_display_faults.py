"""Test the faults of the simulated display."""

import asyncio
from contextlib import suppress
import errno
import json
import socket
from typing import Any

import aiohttp
import pytest

from .display import FaultKind
from .raw_display import NOW, RawClient, frames, playlist, pushed, talking, until

pytestmark = pytest.mark.usefixtures("socket_enabled")

CAST = {"dp1_call": playlist(), "intent": NOW}


def shown(client: RawClient) -> bool:
    """Return whether the playlist is shown."""
    return client.simulator.state.playlist_title == "Evening"


async def test_reset() -> None:
    """The connection is reset without carrying out the command."""
    async with talking("B") as client:
        client.simulator.inject(FaultKind.RESET, times=1)
        with pytest.raises(aiohttp.ClientOSError) as caught:
            await client.send("displayPlaylist", CAST)
        assert caught.value.errno == errno.ECONNRESET
        assert not shown(client)
        assert (await client.send("displayPlaylist", CAST)).status == 200
        assert client.simulator.casts == 2


async def test_close() -> None:
    """The connection is closed without carrying out the command."""
    async with talking("B") as client:
        client.simulator.inject("close", command="displayPlaylist")
        with pytest.raises(aiohttp.ServerDisconnectedError):
            await client.send("displayPlaylist", CAST)
        assert not shown(client)
        assert (await client.status())["ok"] is True


async def test_cut() -> None:
    """The command is carried out and the answer lost."""
    async with talking("B") as client:
        client.simulator.inject("cut")
        with pytest.raises(aiohttp.ServerDisconnectedError):
            await client.send("displayPlaylist", CAST)
        assert shown(client)
        assert client.simulator.received[0].applied is True


async def test_hang() -> None:
    """The connection is closed after a while without an answer; the client may disconnect earlier."""
    async with talking("B") as client:
        fault = client.simulator.inject("hang", seconds=0.2)
        started = asyncio.get_running_loop().time()
        with pytest.raises(aiohttp.ServerDisconnectedError):
            await client.send("displayPlaylist", CAST)
        assert asyncio.get_running_loop().time() - started >= 0.2
        fault.seconds = 600
        with pytest.raises(TimeoutError):
            async with asyncio.timeout(0.1):
                await client.get("/metrics")
        assert fault.hits == 2
        assert not shown(client)


@pytest.mark.parametrize(("kind", "early"), [("slow", False), ("late", True)])
async def test_slow(kind: str, early: bool) -> None:
    """A delay before or after the command is carried out."""
    async with talking("B") as client:
        client.simulator.inject(kind, seconds=0.6)
        task = asyncio.create_task(client.send("displayPlaylist", CAST))
        await until(lambda: client.simulator.received)
        await asyncio.sleep(0.1)
        assert shown(client) == early
        assert (await task).status == 200
        assert shown(client)


async def test_status() -> None:
    """Any status, with any text."""
    async with talking("B") as client:
        client.simulator.inject(
            "status", route="/api/v2/status", status=503, text="later"
        )
        answer = await client.get("/api/v2/status")
        assert (answer.status, answer.text) == (503, "later\n")
        assert (await client.get("/api/status")).status == 200
        client.simulator.inject("status", command="displayPlaylist")
        answer = await client.send("displayPlaylist", CAST)
        assert (answer.status, answer.text) == (500, "Failed to process cast request\n")
        client.simulator.heal()
        assert (await client.send("displayPlaylist", CAST)).status == 200


async def test_bad_answers() -> None:
    """No content, invalid JSON, or half an answer."""
    async with talking("B") as client:
        client.simulator.inject("empty", times=1)
        answer = await client.send("displayPlaylist", CAST)
        assert (answer.status, answer.body) == (204, b"")
        assert not shown(client)
        client.simulator.inject("garbage", text="<html>", times=1)
        assert (await client.send("ping")).text == "<html>"
        client.simulator.inject("truncated", times=1)
        with pytest.raises(aiohttp.ClientPayloadError):
            await client.send("checkStatus")
        assert (await client.status())["ok"] is True


async def test_refuse() -> None:
    """Connections are refused and sockets dropped without a close frame; afterwards everything is as before, on the same port."""
    async with talking("A", poll_interval=60) as client:
        listener = await client.session.ws_connect(
            f"{client.simulator.url}/api/notification"
        )
        await client.cast(playlist())
        port = client.simulator.port
        await client.simulator.refuse()
        assert client.simulator.running is False
        with pytest.raises(aiohttp.ClientConnectorError) as caught:
            await client.send("ping")
        assert caught.value.errno == errno.ECONNREFUSED
        while not listener.closed:
            await listener.receive(timeout=2)
        assert listener.close_code == 1006
        await client.simulator.accept()
        assert client.simulator.port == port
        assert (await client.status())["playlist"]["title"] == "Evening"


@pytest.mark.parametrize("command", ["reboot", "shutdown"])
async def test_restart(command: str) -> None:
    """The answer is still sent; a rebooted display comes back by itself, one that was shut down does not."""
    async with talking("B", boot_seconds=0.3) as client:
        listener = await client.session.ws_connect(
            f"{client.simulator.url}/api/notification"
        )
        await client.cast(playlist())
        assert await client.ask(command) == {"ok": True}
        while not listener.closed:
            with suppress(TypeError):
                await listener.receive_str()
        assert listener.close_code == 1000
        await until(lambda: not client.simulator.running)
        with pytest.raises(aiohttp.ClientConnectorError):
            await client.send("ping")
        if command == "shutdown":
            await asyncio.sleep(0.5)
            assert client.simulator.running is False
            await client.simulator.power_on()
        await until(lambda: client.simulator.running)
        assert (await client.status())["playlist"]["title"] == "Evening"


async def test_move() -> None:
    """The display moves to another port, then to a given one."""
    async with talking("B") as client:
        await client.cast(playlist())
        old = client.simulator.url
        await client.simulator.move()
        assert client.simulator.url != old
        assert (await client.status())["playlist"]["title"] == "Evening"
        with pytest.raises(aiohttp.ClientConnectorError):
            await client.session.get(old)
        with socket.create_server(("127.0.0.1", 0)) as free:
            port = free.getsockname()[1]
        await client.simulator.move("127.0.0.1", port)
        assert client.simulator.url == f"http://127.0.0.1:{port}"
        assert (await client.status())["ok"] is True


async def test_half_open() -> None:
    """A socket receives nothing, not even a pong, while its TCP connection is open; a new one works."""
    async with talking("A", poll_interval=60) as client:
        url = f"{client.simulator.url}/api/notification"
        silent = await client.session.ws_connect(
            url, autoping=False, timeout=aiohttp.ClientWSTimeout(ws_close=0.1)
        )
        await until(lambda: client.simulator.sockets)
        client.simulator.go_half_open()
        await silent.ping()
        await client.cast(playlist())
        with pytest.raises(TimeoutError):
            await silent.receive(timeout=0.3)
        assert not silent.closed
        fresh = await client.session.ws_connect(url)
        await until(lambda: len(client.simulator.sockets) == 2)
        await client.ask("setLoop", mode="one")
        assert len(pushed(await frames(fresh), "player_status")) == 1
        await fresh.close()
        await silent.close()
        assert silent.close_code == 1006


async def test_odd_frames() -> None:
    """Any frame can be sent."""
    async with talking("A", poll_interval=60) as client:
        listener = await client.session.ws_connect(
            f"{client.simulator.url}/api/notification"
        )
        await until(lambda: client.simulator.sockets)
        await client.simulator.send_frame("{")
        await client.simulator.send_frame(b"\0\1")
        await client.simulator.notify("weather_status", {"sun": True})
        assert await listener.receive_str() == "{"
        assert await listener.receive_bytes() == b"\0\1"
        frame: dict[str, Any] = json.loads(await listener.receive_str())
        assert frame["notification_type"] == "weather_status"
        await listener.close()


async def test_counters() -> None:
    """Every request is counted."""
    async with talking("B") as client:
        client.simulator.server.latency = 0.1
        await asyncio.gather(
            client.send("checkStatus"),
            client.send("displayPlaylist", CAST),
            client.send("setVolume", {"percent": 5}),
        )
        simulator = client.simulator
        assert sorted(simulator.commands) == [
            "checkStatus",
            "displayPlaylist",
            "setVolume",
        ]
        assert (simulator.queries, simulator.writes, simulator.casts) == (1, 2, 1)
        assert simulator.max_in_flight == 3
        record = next(r for r in simulator.received if r.command == "setVolume")
        assert record.request == {"percent": 5}
        assert (record.status, record.reply, record.applied) == (
            200,
            {"ok": True},
            True,
        )
        simulator.reset_counters()
        assert (simulator.received, simulator.max_in_flight) == ([], 0)


async def test_stop_leaves_nothing() -> None:
    """A hanging request ends with the display."""
    async with talking("A") as client:
        client.simulator.inject("hang", seconds=600)
        task = asyncio.create_task(client.send("ping"))
        await until(lambda: client.simulator.received)
    with pytest.raises(aiohttp.ClientError):
        await task
