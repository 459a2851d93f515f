"""Many minimal displays in one process, for measurements: each pushes a work per second, named by the time it was sent."""

import argparse
import asyncio
from contextlib import suppress
import json
import sys
import time
from typing import Any

from aiohttp import web


class Bare:
    """A minimal display: it answers status reads, accepts casts and pushes."""

    def __init__(self, number: int) -> None:
        """Initialize with an id and without a work."""
        self.device_id = f"FF1-BENCH{number:03}"
        self.item: dict[str, Any] = {"id": "i", "title": "still", "duration": 60}
        self.sockets: set[web.WebSocketResponse] = set()

    def player(self) -> dict[str, Any]:
        """Return the answer to ``checkStatus``."""
        return {
            "ok": True,
            "castCommand": "displayPlaylist",
            "playlist": {"title": "Swarm", "items": [self.item]},
            "index": 0,
            "items": [self.item],
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

    async def push(self) -> None:
        """Name the work by the current time and push it to all sockets."""
        self.item = {**self.item, "title": repr(time.monotonic())}
        message = {**self.player(), "playlist": {"title": "", "items": None}}
        frame = {
            "message": message,
            "notification_type": "player_status",
            "type": "notification",
        }
        for socket in tuple(self.sockets):
            with suppress(ConnectionError):
                await socket.send_str(json.dumps(frame))

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


async def _main(count: int) -> None:
    """Serve, print the ports, then push at the rates read from standard input until it ends."""
    displays = [Bare(number) for number in range(count)]
    print(json.dumps([await display.serve() for display in displays]), flush=True)
    loop = asyncio.get_running_loop()
    reader = loop.run_in_executor(None, sys.stdin.readline)
    pushing = False
    while True:
        for display in displays:
            if pushing:
                await display.push()
            await asyncio.sleep(1 / count)
        if reader.done():
            if not (line := reader.result()):
                return
            pushing = line.strip() == "push"
            reader = loop.run_in_executor(None, sys.stdin.readline)


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--count", type=int, default=100)
    asyncio.run(_main(parser.parse_args().count))
