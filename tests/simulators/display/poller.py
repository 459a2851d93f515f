"""The status poller: pushes to the notification sockets."""

import asyncio
from contextlib import suppress
from copy import deepcopy
from dataclasses import dataclass
import json
from typing import Any

from aiohttp import web

from .clock import Clock
from .device import Device
from .document import pushed_items
from .firmware import Firmware
from .player import Player
from .sleep import SleepSchedule

type Json = dict[str, Any]

_QUEUE = 10
_STUB: Json = {"dpVersion": "", "title": "", "items": None}
_OLD_SETTINGS = ("scaling", "orientation")


class Sockets:
    """The connected notification clients."""

    def __init__(self) -> None:
        self._open: set[web.WebSocketResponse] = set()
        self._frozen: set[web.WebSocketResponse] = set()

    def __len__(self) -> int:
        """Return the number of clients."""
        return len(self._open)

    def add(self, socket: web.WebSocketResponse) -> None:
        self._open.add(socket)

    def remove(self, socket: web.WebSocketResponse) -> None:
        self._open.discard(socket)
        self._frozen.discard(socket)

    def freeze(self) -> None:
        """Send and answer nothing to the current clients, but leave their sockets open."""
        self._frozen |= self._open

    def is_frozen(self, socket: web.WebSocketResponse) -> bool:
        return socket in self._frozen

    async def send(self, frame: str | bytes) -> bool:
        """Send a frame to all clients; return False if one was closed because it could not be written to."""
        good = True
        for socket in self._open - self._frozen:
            try:
                if isinstance(frame, str):
                    await socket.send_str(frame)
                else:
                    await socket.send_bytes(frame)
            except ConnectionError:
                good = False
                self.remove(socket)
        return good

    async def close(self) -> None:
        for socket in self._open - self._frozen:
            with suppress(ConnectionError):
                await socket.close(code=1000)


@dataclass(eq=False)
class Poller:
    """Periodically checks player, device and panel, and pushes what has changed.

    Attributes:
        relayer_connected: whether the cloud is connected; without it only the player is pushed.
        muted: whether nothing of the player is pushed, because it is being recovered.
        may_tell: not set while what has been read of the player is kept from being pushed.
    """

    _firmware: Firmware
    _clock: Clock
    _device: Device
    _player: Player
    _sleep: SleepSchedule
    _sockets: Sockets
    _interval: float

    def __post_init__(self) -> None:
        self._told: dict[str, Json] = {}
        self._items: list[Json] = []
        self._pushed_items: list[Json] = []
        self._forced: asyncio.Queue[None] = asyncio.Queue(_QUEUE)
        self._was_dead = False
        self.relayer_connected = True
        self.muted = False
        self.may_tell = asyncio.Event()
        self.may_tell.set()

    def force(self) -> None:
        """Poll now."""
        with suppress(asyncio.QueueFull):
            self._forced.put_nowait(None)

    def forget(self) -> None:
        """Push everything again with the next poll."""
        self._told.clear()

    async def run(self) -> None:
        """Poll until canceled."""
        while True:
            await self._wait()
            await self.poll()

    async def _wait(self) -> None:
        """Wait for the next poll, or until it is forced."""
        pause = asyncio.ensure_future(self._clock.sleep(self._interval))
        forced = asyncio.ensure_future(self._forced.get())
        try:
            await asyncio.wait((pause, forced), return_when=asyncio.FIRST_COMPLETED)
        finally:
            pause.cancel()
            forced.cancel()

    async def poll(self) -> None:
        """Poll once."""
        if self._was_dead and not self._player.dead and self._firmware.second:
            self.forget()
        self._was_dead = bool(self._player.dead)
        status = self._player_status()
        await self.may_tell.wait()
        await self._tell("player_status", status)
        if not self.relayer_connected:
            return
        device = await self._device.status(self._player.url, self._sleep)
        await self._tell("device_status", device)
        panel = await self._device.panel.status(explains=self._firmware.second)
        await self._tell("ddc_status", panel)

    async def _tell(self, kind: str, message: Json | None) -> None:
        """Push a message unless it equals the last one."""
        if message is None or message == self._told.get(kind):
            return
        message = deepcopy(message)
        if await self._sockets.send(envelope(kind, message)):
            self._told[kind] = message

    def _player_status(self) -> Json | None:
        """Return the pushed player status; None if there is none."""
        player = self._player
        if self.muted or not player.page.is_player:
            return None
        if player.dead:
            if self._firmware.second:
                return None
            return {"error": player.dead, "ok": False}
        status = player.status()
        told: Json = {"ok": True} if status["ok"] else {}
        if "error" in status:
            told |= {"error": status["error"]}
        renamed = {"castCommand": "castCommand", "playlistUrl": "playlistURL"}
        told |= {name: status[key] for key, name in renamed.items() if key in status}
        told["playlist"] = _STUB
        told["index"] = status.get("index")
        if (items := status.get("items", [])) != self._items:
            self._items = deepcopy(items)
            self._pushed_items = pushed_items(items, self._firmware)
        told["items"] = self._pushed_items
        if "isPaused" in status:
            told["isPaused"] = status["isPaused"]
            told["deviceSettings"] = self._settings(status["deviceSettings"])
            told["loopMode"] = status["loopMode"]
            told["shuffle"] = status["shuffle"]
        if self._firmware.second:
            names = "renderStatus", "signatureStatus"
            told |= {name: status[name] for name in names if name in status}
        if self._firmware.since("2.0.8") and self._device.overlay is not None:
            told["overlay"] = self._device.overlay
        return told

    def _settings(self, settings: Json) -> Json:
        """Return the settings that are pushed: no firmware tells the seconds per work."""
        if self._firmware.second:
            return {k: v for k, v in settings.items() if k != "defaultDuration"}
        return {name: settings[name] for name in _OLD_SETTINGS}


def envelope(kind: str, message: Json) -> str:
    body = {
        "message": message,
        "notification_type": kind,
        "persist_record_count": 1,
        "type": "notification",
    }
    return f"{json.dumps(body)}\n"
