"""Many minimal displays in one process, for measurements: each moves on to the next work of its playlist once a second."""

import argparse
import asyncio
from contextlib import suppress
import json
from mmap import mmap
from pathlib import Path
import struct
import sys
import time
from typing import Any

from aiohttp import web

WORKS = 12


class Clock:
    """When each display pushed last, in a file that two processes share."""

    def __init__(self, path: Path, count: int) -> None:
        """Open the file, and make it large enough."""
        with path.open("r+b") as file:
            file.truncate(8 * count)
            self._times = mmap(file.fileno(), 8 * count)

    def set(self, number: int) -> None:
        """Note that a display pushes now."""
        struct.pack_into("d", self._times, 8 * number, time.monotonic())

    def age(self, number: int) -> float:
        """Return the seconds since a display pushed."""
        (pushed,) = struct.unpack_from("d", self._times, 8 * number)
        return time.monotonic() - float(pushed)


class Bare:
    """A minimal display: it answers status reads, accepts casts and pushes."""

    def __init__(self, number: int) -> None:
        """Initialize with an id and a playlist, whose works are named by the number of the display and their own."""
        self.number = number
        self.device_id = f"FF1-BENCH{number:03}"
        self.index = 0
        self.items = [
            {"id": f"i-{n}", "title": f"{number}/{n}", "source": "", "duration": 60}
            for n in range(WORKS)
        ]
        self.sockets: set[web.WebSocketResponse] = set()

    def player(self) -> dict[str, Any]:
        """Return the answer to ``checkStatus``."""
        return {
            "ok": True,
            "castCommand": "displayPlaylist",
            "playlist": {"title": "Swarm", "items": self.items},
            "index": self.index,
            "items": self.items,
            "isPaused": False,
            "loopMode": "playlist",
            "shuffle": False,
            "renderStatus": 2,
        }

    def device(self) -> dict[str, Any]:
        """Return the answer to ``getDeviceStatus``."""
        return {
            "screenRotation": "landscape",
            "installedVersion": "2.0.7",
            "macInfo": {},
            "volume": 50,
            "isMuted": False,
            "contract": "2",
        }

    async def push(self, clock: Clock) -> None:
        """Move on to the next work, and push that to all sockets."""
        self.index = (self.index + 1) % WORKS
        message = {**self.player(), "playlist": {"title": "", "items": None}}
        frame = {
            "message": message,
            "notification_type": "player_status",
            "type": "notification",
        }
        sent = json.dumps(frame)
        clock.set(self.number)
        for socket in tuple(self.sockets):
            with suppress(ConnectionError):
                await socket.send_str(sent)

    async def _cast(self, request: web.Request) -> web.Response:
        """Handle a command."""
        match (await request.json())["command"]:
            case "checkStatus":
                return web.json_response({"message": self.player()})
            case "getDeviceStatus":
                return web.json_response(self.device())
            case "displayPlaylist" | "moveToArtwork":
                return web.json_response({"message": {"ok": True}})
        return web.json_response({"message": {"ok": False}})

    async def _listen(self, request: web.Request) -> web.WebSocketResponse:
        """Serve a socket."""
        socket = web.WebSocketResponse()
        await socket.prepare(request)
        self.sockets.add(socket)
        async for _ in socket:
            pass
        self.sockets.discard(socket)
        return socket

    async def _status(self, request: web.Request) -> web.Response:
        """Return the identity."""
        return web.json_response({"device_id": self.device_id, "contract": "2"})

    async def _metrics(self, request: web.Request) -> web.Response:
        """Return no metrics."""
        return web.Response(text="playback_start_total 0\n")

    async def serve(self) -> int:
        """Start the server and return its port."""
        app = web.Application()
        app.router.add_post("/api/cast", self._cast)
        app.router.add_get("/api/notification", self._listen)
        app.router.add_get("/api/v2/status", self._status)
        app.router.add_get("/metrics", self._metrics)
        runner = web.AppRunner(app, access_log=None)
        await runner.setup()
        await web.TCPSite(runner, "127.0.0.1", 0).start()
        return int(runner.addresses[0][1])


async def _main(count: int, path: Path) -> None:
    """Serve, print the ports, then push at the rates read from standard input until it ends."""
    clock = Clock(path, count)
    displays = [Bare(number) for number in range(count)]
    print(json.dumps([await display.serve() for display in displays]), flush=True)
    loop = asyncio.get_running_loop()
    reader = loop.run_in_executor(None, sys.stdin.readline)
    pushing = False
    while True:
        for display in displays:
            if pushing:
                await display.push(clock)
            await asyncio.sleep(1 / count)
        if reader.done():
            if not (line := reader.result()):
                return
            pushing = line.strip() == "push"
            reader = loop.run_in_executor(None, sys.stdin.readline)


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--count", type=int, default=100)
    parser.add_argument("--clock", type=Path, required=True)
    options = parser.parse_args()
    asyncio.run(_main(options.count, options.clock))
