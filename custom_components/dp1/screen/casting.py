"""Casting by others: the interface of an FF1 on the network, over the player of a screen whose owner lets others cast."""

import asyncio
from collections.abc import Awaitable, Iterator
from contextlib import AbstractAsyncContextManager, nullcontext, suppress
from typing import Any, Final

from aiohttp import hdrs, web
from aiohttp.typedefs import Handler
from zeroconf.asyncio import AsyncServiceInfo

from homeassistant.components import network, zeroconf
from homeassistant.core import CALLBACK_TYPE, HomeAssistant
from homeassistant.util.network import is_ip_address

from ..client.guard import is_public
from ..client.playlist.document import MAX_DOCUMENT
from ..client.values import MAX_ON_LOOP, decode, mapping, text
from .player import CommandError, Json
from .screen import Screen
from .socket import HEARTBEAT, Teller, encoded
from .sources import is_ours

SERVICE_TYPE: Final = "_ff1._tcp.local."
CONTRACT: Final = "2"
MAX_LISTENERS: Final = 8
# Seconds between two changes that a listener is told.
PAUSE: Final = 0.5
# Casts that are read at the same time, and that are fetched, each as long as a document.
MAX_CASTS: Final = 2
# As many at once after a pause, and how many a second.
COMMANDS: Final = (40, 4.0)
CASTS: Final = (8, 1.0)
# A command other than a cast is short.
SHORT: Final = 16 * 1024


class Rate:
    """A rate of requests, with a burst after a pause."""

    def __init__(self, burst: int, per_second: float) -> None:
        """Initialize with the whole burst."""
        self._burst, self._gap = burst, 1 / per_second
        self._full_at = 0.0

    def passes(self) -> bool:
        """Return whether one more request is within the rate."""
        now = asyncio.get_running_loop().time()
        full_at = max(self._full_at, now) + self._gap
        if full_at - now > self._burst * self._gap:
            return False
        self._full_at = full_at
        return True


class Caster:
    """The interface of one screen for others.

    Attributes:
        port: TCP port, 0 until there is one.
    """

    def __init__(self, hass: HomeAssistant, screen: Screen, port: int) -> None:
        """Initialize; nothing listens yet."""
        self.port = port
        self._hass, self._screen = hass, screen
        self._listeners: dict[web.WebSocketResponse, Teller] = {}
        self._runner: web.AppRunner | None = None
        self._announced: AsyncServiceInfo | None = None
        self._announcing: Awaitable[None] | None = None
        self._commands, self._casts = Rate(*COMMANDS), Rate(*CASTS)
        self._reads, self._fetches = (asyncio.Semaphore(MAX_CASTS) for _ in range(2))
        # What the listeners are told by now: the same for all.
        self._told: list[str] | None = None

    @property
    def addresses(self) -> list[Any]:
        """Return where it listens."""
        return self._runner.addresses if self._runner else []

    # Life

    async def _async_start(self) -> None:
        """Listen on IPv4 and IPv6, at the port of before if that is free, and announce the screen as an FF1 announces itself."""
        app = web.Application(client_max_size=MAX_DOCUMENT, middlewares=[self._guard])
        app.router.add_get("/api/status", self._status)
        app.router.add_get("/api/v2/status", self._status)
        app.router.add_get("/api/notification", self._notify)
        app.router.add_get("/metrics", self._metrics)
        app.router.add_post("/api/cast", self._cast)
        runner = self._runner = web.AppRunner(
            app, access_log=None, shutdown_timeout=0.1
        )
        await runner.setup()
        # Its owner chose that.
        host = "0.0.0.0"  # noqa: S104
        try:
            await web.TCPSite(runner, host, self.port).start()
        except OSError:
            await web.TCPSite(runner, host, 0).start()
        self.port = runner.addresses[0][1]
        with suppress(OSError):
            await web.TCPSite(runner, "::", self.port).start()
        mdns = await zeroconf.async_get_async_instance(self._hass)
        hosts = await network.async_get_enabled_source_ips(self._hass)
        device_id, name = self._screen.device_id, self._screen.name
        texts = {"id": device_id, "name": name, "claimed": "true", "api": CONTRACT}
        self._announced = AsyncServiceInfo(
            SERVICE_TYPE,
            f"{device_id}.{SERVICE_TYPE}",
            port=self.port,
            properties=texts,
            server=f"{device_id.lower()}.local.",
            addresses=[host.packed for host in hosts if not host.is_loopback],
        )
        self._announcing = await mdns.async_register_service(self._announced)

    async def async_run(self, on_port: CALLBACK_TYPE) -> None:
        """Listen as long as a page shows the screen, until canceled; a function is called once there is a port."""
        changed = asyncio.Event()
        changed.set()
        with self._screen.watched(changed.set):
            try:
                while True:
                    await changed.wait()
                    changed.clear()
                    if self._screen.is_there is (self._runner is not None):
                        self._handle_change()
                    elif self._screen.is_there:
                        await self._async_start()
                        on_port()
                    else:
                        await self._async_stop()
            finally:
                await self._async_stop()

    async def _async_stop(self) -> None:
        """Stop listening; whoever is connected notices."""
        runner, self._runner = self._runner, None
        if announced := self._announced:
            self._announced = None
            if self._announcing is not None:
                # It is said three times.
                await self._announcing
            mdns = await zeroconf.async_get_async_instance(self._hass)
            await (await mdns.async_unregister_service(announced))
        for socket in list(self._listeners):
            with suppress(TimeoutError):
                async with asyncio.timeout(1):
                    await socket.close()
        if runner is not None:
            await runner.cleanup()

    def _handle_change(self) -> None:
        """Tell the listeners."""
        self._told = None
        for teller in self._listeners.values():
            teller.changed()

    def _frames(self) -> Iterator[str]:
        """Return what listeners are told: without the playlist and the addresses of works."""
        if self._told is None:
            status = self._screen.player.notification()
            kinds = {"player_status": status, "device_status": self._device()}
            self._told = [
                encoded(
                    {
                        "message": message,
                        "notification_type": kind,
                        "persist_record_count": 1,
                        "type": "notification",
                    }
                )
                for kind, message in kinds.items()
            ]
        yield from self._told

    def _device(self) -> Json:
        """Return the status of the device, as one of this contract reports it."""
        return {**self._screen.device(), "contract": CONTRACT}

    # Requests

    @web.middleware
    async def _guard(
        self, request: web.Request, handler: Handler
    ) -> web.StreamResponse:
        """Hear only who is at home, and no page of another site: one could otherwise cast to whoever visits it, or by a name that leads here."""
        if is_public(request.remote or "::"):
            raise web.HTTPForbidden(text="Only from within the home\n")
        try:
            host = (request.url.host or "").lower()
        except ValueError as err:
            raise web.HTTPBadRequest from err
        origin = request.headers.get(hdrs.ORIGIN)
        own = (f"{self._screen.device_id}.local".lower(), "localhost")
        if not is_ip_address(host.partition("%")[0]) and host not in own:
            raise web.HTTPForbidden(text="Host not allowed\n")
        if origin is not None and not is_ours(self._hass, origin):
            raise web.HTTPForbidden(text="Browser origins are not allowed\n")
        if not self._commands.passes():
            raise web.HTTPTooManyRequests(text="Too many commands, slow down\n")
        return await handler(request)

    async def _status(self, _request: web.Request) -> web.Response:
        """Answer which display this is."""
        return web.json_response(
            {
                "device_id": self._screen.device_id,
                "version": self._screen.version,
                "contract": CONTRACT,
                "claimed": True,
                "internet": True,
                "setup_state": "online",
                "connectivity": "connected",
            }
        )

    async def _metrics(self, _request: web.Request) -> web.Response:
        """Answer the counters."""
        player = self._screen.player
        return web.Response(
            text=f"playback_start_total {player.plays}\n"
            f"playback_start_failures_total {player.refusals}\n"
        )

    async def _notify(self, request: web.Request) -> web.WebSocketResponse:
        """Push changes until the listener leaves; there is no snapshot."""
        if len(self._listeners) >= MAX_LISTENERS:
            raise web.HTTPTooManyRequests
        socket = web.WebSocketResponse(heartbeat=HEARTBEAT, max_msg_size=SHORT)
        teller = self._listeners[socket] = Teller(socket, self._frames, PAUSE)
        await socket.prepare(request)
        telling = asyncio.create_task(teller.async_run())
        try:
            async for _ in socket:
                pass
        finally:
            telling.cancel()
            del self._listeners[socket]
        return socket

    def _place(
        self, places: asyncio.Semaphore, is_needed: bool
    ) -> AbstractAsyncContextManager[Any]:
        """Return one of few places for a long cast, or tell it to come later."""
        if not is_needed:
            return nullcontext()
        if places.locked() or not self._casts.passes():
            raise web.HTTPTooManyRequests(text="Too many commands, slow down\n")
        return places

    async def _cast(self, request: web.Request) -> web.Response:
        """Handle a command; errors have no reason, like those of a display."""
        is_long = (request.content_length or MAX_DOCUMENT) > SHORT
        async with self._place(self._reads, is_long):
            body = await _async_decode(await request.read())
            try:
                return await self._answer(body)
            except CommandError:
                return web.Response(status=500, text="Failed to process cast request\n")

    async def _answer(self, body: object) -> web.Response:
        """Return the answer to a command."""
        if not isinstance(body, dict):
            return web.Response(status=400, text="Invalid JSON payload\n")
        answer: Json | None
        command = text(body.get("command"))
        arguments = dict(mapping(body.get("request")))
        if not command:
            return web.Response(status=400, text="Command type is required\n")
        if command == "displayPlaylist":
            async with self._place(self._fetches, "playlistUrl" in arguments):
                answer = {"message": await self._screen.async_show(arguments)}
        elif command == "getDeviceStatus":
            answer = self._device()
        elif command == "deviceMetrics":
            answer = {"screen": {}}
        else:
            answer = self._screen.player.handle(command, arguments)
        # What it shows can be megabytes.
        answer = answer or {"message": {"ok": False}}
        content = await asyncio.to_thread(encoded, answer)
        return web.Response(text=content, content_type="application/json")


async def _async_decode(content: bytes) -> object:
    """Return the JSON of a body, None if it is none or too much; decoded in a thread if it is long."""
    is_long = len(content) > MAX_ON_LOOP
    return await asyncio.to_thread(_decode, content) if is_long else _decode(content)


def _decode(content: bytes) -> object:
    """Return the JSON of a body, None if it is none or too much."""
    with suppress(ValueError):
        return decode(content, strict=True)
    return None
