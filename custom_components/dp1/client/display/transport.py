"""Transport to a display: its routes and commands, within its rate limit and in order."""

from collections.abc import AsyncGenerator, Awaitable, Callable, Hashable, Mapping
from typing import Any

import aiohttp
from yarl import URL

from ..http import Answer, request_json
from .notifications import Event, listen
from .replies import MAX_REPLY, PLAYER_COMMANDS, reply
from .request_queue import RateLimit, RequestQueue, SharedRequests

_ATTEMPTS = 3
_TIMEOUT = 10.0
_CONNECT_TIMEOUT = 5.0
# The display itself waits up to 30 s for a playlist, the version server or the panel.
_TIMEOUTS: Mapping[str, float] = {
    "displayPlaylist": 35.0,
    "getDeviceStatus": 35.0,
    "updateToLatestVersion": 35.0,
    "ddcPanelControl": 20.0,
    "ddcPanelStatus": 20.0,
}
_SCREENSHOT_TIMEOUT = 15.0
_MAX_SCREENSHOT = 32 * 1024 * 1024
# Settings of which only the newest value matters.
_REPLACEABLE = frozenset(
    {
        "ddcPanelControl",
        "moveToArtwork",
        "setLoop",
        "setShuffle",
        "setSleepSchedule",
        "setVolume",
        "updateDefaultDuration",
        "updateDisplaySettings",
    }
)


class Transport:
    """Transport to one display."""

    def __init__(
        self,
        session: aiohttp.ClientSession,
        host: str,
        port: int,
        rate_limit: RateLimit,
    ) -> None:
        """Initialize the transport; see :class:`.client.Display`."""
        self._session = session
        self._base = URL.build(scheme="http", host=host, port=port)
        self._cast_url = self._base / "api/cast"
        self._rate_limit = rate_limit
        # The display takes commands of these kinds at the same time.
        self._player_queue = RequestQueue()
        self._panel_queue = RequestQueue()
        self._device_queue = RequestQueue()
        self._reads = SharedRequests()

    def url(self, path: str) -> str:
        """Return the URL of a route."""
        return str(self._base / path)

    def get(
        self,
        path: str,
        timeout: float = _TIMEOUT,
        params: Mapping[str, int] | None = None,
    ) -> Awaitable[Answer]:
        """Get a route that is not a command."""
        return request_json(
            self._session,
            "GET",
            self._base / path,
            timeout=timeout,
            connect=_CONNECT_TIMEOUT,
            max_body=MAX_REPLY if timeout != _SCREENSHOT_TIMEOUT else _MAX_SCREENSHOT,
            params={key: str(value) for key, value in (params or {}).items()},
        )

    async def picture(self, path: str, params: Mapping[str, int]) -> Answer:
        """Get a route that serves one request at a time."""
        return await self._retry_busy(
            path, lambda: self.get(path, _SCREENSHOT_TIMEOUT, params)
        )

    def listen(self, path: str, heartbeat: float) -> AsyncGenerator[Event]:
        """Yield the notifications of a socket; see :func:`.notifications.listen`."""
        return listen(self._session, self.url(path), heartbeat)

    def post(self, command: str, request: Mapping[str, Any]) -> Awaitable[Answer]:
        """Post a command at once. The display reads missing arguments as zeros, so they are always sent."""
        return self._retry_busy(
            command,
            lambda: request_json(
                self._session,
                "POST",
                self._cast_url,
                timeout=_TIMEOUTS.get(command, _TIMEOUT),
                connect=_CONNECT_TIMEOUT,
                max_body=MAX_REPLY,
                json={"command": command, "request": request},
            ),
        )

    async def query(self, command: str) -> Answer:
        """Post a command that only reads; simultaneous equal ones share an answer."""
        return await self._reads.run(command, lambda: self.post(command, {}))

    def forget(self, command: str) -> None:
        """Let nobody share the answer to a query that is under way."""
        self._reads.forget(command)

    async def send(
        self,
        command: str,
        request: Mapping[str, Any] | None = None,
        *uses: str,
        slot: str | None = None,
    ) -> Mapping[str, Any]:
        """Queue a command that changes something, and return its reply.

        Args:
            command: name of the command.
            request: its arguments.
            uses: what else, beside the names of the arguments, tells this use of the command from others.
            slot: what is set, if several commands set the same.
        """
        request = request or {}

        async def post() -> Mapping[str, Any]:
            """Post the command and read the reply."""
            return reply(command, await self.post(command, request))

        key: Hashable = slot
        if command in _REPLACEABLE:
            key = (command, frozenset(request), *uses)
        return await self.enqueue(command, post, key)

    async def enqueue[T](
        self,
        command: str,
        send: Callable[[], Awaitable[T]],
        slot: Hashable | None = None,
        *,
        collect: bool = False,
    ) -> T:
        """Run a write in its turn among the player's, the panel's or the device's.

        See :meth:`.request_queue.RequestQueue.run`.
        """

        try:
            return await self._queue(command).run(send, slot, collect=collect)
        finally:
            # Reads that began before are old now.
            self._reads.forget()

    def use_contract(self, contract: str | None) -> None:
        """Limit the commands as the firmware does; see :meth:`.request_queue.RateLimit.use_contract`."""
        self._rate_limit.use_contract(contract)

    def _queue(self, command: str) -> RequestQueue:
        """Return the queue of a command."""
        if command in PLAYER_COMMANDS:
            return self._player_queue
        return self._panel_queue if command == "ddcPanelControl" else self._device_queue

    async def back_off(
        self, command: str, attempt: int, retry_after: float | None = None
    ) -> None:
        """Wait before the next attempt; see :meth:`.request_queue.RateLimit.back_off`."""
        await self._rate_limit.back_off(command, attempt, retry_after)

    async def _retry_busy(
        self, command: str, send: Callable[[], Awaitable[Answer]]
    ) -> Answer:
        """Send within the rate limit, and again while the display is busy (429), which means that nothing was done."""
        for attempt in range(1, _ATTEMPTS):
            await self._rate_limit.acquire(command)
            answer = await send()
            if answer.status != 429:
                return answer
            await self.back_off(command, attempt, answer.retry_after)
        await self._rate_limit.acquire(command)
        return await send()
