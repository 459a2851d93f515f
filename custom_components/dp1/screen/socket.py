"""Sockets that are told of changes: one frame waits at most, and whoever does not read is sent away."""

import asyncio
from collections.abc import Callable, Iterable
from contextlib import suppress
import json
from socket import SHUT_RDWR
from typing import Final

from aiohttp import web

from homeassistant.core import callback
from homeassistant.helpers.json import json_dumps

SEND_SECONDS: Final = 10.0
# Between two questions whether somebody is still there.
HEARTBEAT: Final = 15.0


def encoded(message: object) -> str:
    """Return a message as JSON: works in megabytes are told to many pages."""
    try:
        return json_dumps(message)
    except TypeError:
        # Numbers without end, and halves of letters.
        return json.dumps(message)


class Teller:
    """What is told over one socket."""

    def __init__(
        self, socket: web.WebSocketResponse, frames: Callable[[], Iterable[str]]
    ) -> None:
        """Initialize with a function that returns what is to be told by now."""
        self._socket, self._frames = socket, frames
        self._has_changed = asyncio.Event()

    @callback
    def changed(self) -> None:
        """Tell what is to be told, once what is being told has been read."""
        self._has_changed.set()

    async def async_run(self) -> None:
        """Tell changes until the socket is closed."""
        try:
            while not self._socket.closed:
                await self._has_changed.wait()
                self._has_changed.clear()
                for frame in self._frames():
                    async with asyncio.timeout(SEND_SECONDS):
                        await self._socket.send_str(frame)
        except ConnectionError:
            await self._socket.close()
        except TimeoutError:
            # To close it would be one more message that is not read, and keep what waits.
            with suppress(OSError):
                self._socket.get_extra_info("socket").shutdown(SHUT_RDWR)
