"""The server of a screen: the interface of a display, as long as a page shows it."""

import asyncio
from contextlib import suppress
from datetime import datetime, timedelta
import json
from typing import Any, Final

from aiohttp import web
from zeroconf.asyncio import AsyncServiceInfo

from homeassistant.components import network, zeroconf
from homeassistant.core import CALLBACK_TYPE, HassJob, HomeAssistant, callback
from homeassistant.helpers.event import async_call_later, async_track_point_in_utc_time
from homeassistant.util import dt as dt_util
from homeassistant.util.json import json_loads_object

from ..client.errors import Dp1Error
from ..client.http import request_json
from ..client.playlist.document import MAX_DOCUMENT
from ..client.values import MAX_ON_LOOP, decode, mapping, text
from ..guard import ADDRESSES
from .player import CommandError, Player, State

type Json = dict[str, Any]

SERVICE_TYPE: Final = "_ff1._tcp.local."
LOOPBACK: Final = "127.0.0.1"
FETCH_SECONDS: Final = 20.0
SEND_SECONDS: Final = 10.0
MAX_LISTENERS: Final = 16
# A display fetches a playlist again by itself, in seconds.
REFRESH: Final = timedelta(minutes=5)
# A page that is loaded anew is no loss, in seconds.
GRACE: Final = 10.0
CONTRACT: Final = "2"


class Server:
    """The display that one screen is.

    Attributes:
        player: the player.
        port: TCP port, 0 until there is one.
        is_open: whether others may cast.
    """

    def __init__(
        self,
        hass: HomeAssistant,
        device_id: str,
        name: str,
        state: State,
        on_change: CALLBACK_TYPE,
        version: str,
    ) -> None:
        """Initialize; nothing listens before a page shows the screen."""
        self.hass = hass
        self.device_id, self.name, self.port = device_id, name, 0
        self.is_open = False
        self.player = Player(state, self._handle_change)
        self._on_change, self._version = on_change, version
        self._pages: set[web.WebSocketResponse] = set()
        self._listeners: set[web.WebSocketResponse] = set()
        self._runner: web.AppRunner | None = None
        self._announced: AsyncServiceInfo | None = None
        self._lock = asyncio.Lock()
        self._timers: dict[str, CALLBACK_TYPE] = {}
        self._refreshed = dt_util.utcnow()
        self._size: Json = {}
        self._last: dict[str, str] = {}

    @property
    def address(self) -> str:
        """Return where Home Assistant reaches it."""
        return f"{LOOPBACK}:{self.port}"

    @property
    def addresses(self) -> list[Any]:
        """Return where it listens."""
        return self._runner.addresses if self._runner else []

    # The page

    async def async_serve_page(self, page: web.WebSocketResponse) -> None:
        """Keep a page up to date until it is closed, and take over its messages."""
        self._pages.add(page)
        await self.async_listen()
        self.player.tick()
        try:
            async for message in page:
                with suppress(ValueError):
                    self._handle_page(json_loads_object(message.data))
        finally:
            self._pages.discard(page)
            if not self._pages:
                self._stop_later()

    @callback
    def _handle_page(self, message: Json) -> None:
        """Take over how the work on a page loads, and the size of the screen."""
        player = self.player
        if message.get("work") == player.page()["work"]:
            render, error = message.get("render"), text(message.get("error"), 60) or ""
            if render in (1, 2, 3) and (render, error) != (
                player.render_status,
                player.error,
            ):
                player.render_status, player.error = render, error
                self._handle_change()
            if message.get("ended"):
                player.handle_end()
        self._size = {
            k: message[k]
            for k in ("width", "height")
            if isinstance(message.get(k), int)
        }

    @callback
    def _stop_later(self) -> None:
        """Stop listening unless a page comes back."""

        async def stop(_now: datetime) -> None:
            """Stop listening when none has come back."""
            if not self._pages:
                await self.async_close()

        self._cancel("leave")
        self._timers["leave"] = async_call_later(
            self.hass, GRACE, HassJob(stop, cancel_on_shutdown=True)
        )

    def _cancel(self, name: str) -> None:
        """Cancel a timer."""
        if cancel := self._timers.pop(name, None):
            cancel()

    # Life

    async def async_listen(self) -> None:
        """Listen, on loopback unless others may cast, at the port of before if that is free."""
        async with self._lock:
            if self._runner is not None:
                return
            app = web.Application(client_max_size=MAX_DOCUMENT)
            app.router.add_get("/api/status", self._status)
            app.router.add_get("/api/v2/status", self._status)
            app.router.add_get("/api/notification", self._notify)
            app.router.add_get("/metrics", self._metrics)
            app.router.add_post("/api/cast", self._cast)
            runner = web.AppRunner(app, access_log=None, shutdown_timeout=1)
            await runner.setup()
            # Only where its owner chose that.
            host = "0.0.0.0" if self.is_open else LOOPBACK  # noqa: S104
            try:
                await web.TCPSite(runner, host, self.port).start()
            except OSError:
                await web.TCPSite(runner, host, 0).start()
            self.port = runner.addresses[0][1]
            self._runner = runner
            if self.is_open:
                await self._async_announce()
        self._on_change()

    async def _async_announce(self) -> None:
        """Announce the screen as an FF1 announces itself."""
        mdns = await zeroconf.async_get_async_instance(self.hass)
        hosts = await network.async_get_enabled_source_ips(self.hass)
        texts = {"id": self.device_id, "name": self.name, "claimed": "true", "api": "2"}
        self._announced = AsyncServiceInfo(
            SERVICE_TYPE,
            f"{self.device_id}.{SERVICE_TYPE}",
            port=self.port,
            properties=texts,
            server=f"{self.device_id.lower()}.local.",
            addresses=[host.packed for host in hosts if not host.is_loopback],
        )
        await mdns.async_register_service(self._announced)

    async def async_close(self) -> None:
        """Stop listening; whoever is connected notices."""
        self._cancel("tick")
        self._cancel("leave")
        async with self._lock:
            runner, self._runner = self._runner, None
            if announced := self._announced:
                self._announced = None
                mdns = await zeroconf.async_get_async_instance(self.hass)
                await (await mdns.async_unregister_service(announced))
            for socket in list(self._listeners):
                await socket.close()
            if runner is not None:
                await runner.cleanup()

    async def async_end(self) -> None:
        """Send the pages away, and stop."""
        for page in list(self._pages):
            await page.close(code=4001)
        await self.async_close()

    @callback
    def _handle_change(self) -> None:
        """Tell pages and listeners, and wait for the next change."""
        self._send(self._pages, "page", self.player.page())
        for kind, message in (
            ("player_status", self.player.notification()),
            ("device_status", self._device()),
        ):
            frame = {
                "message": message,
                "notification_type": kind,
                "persist_record_count": 1,
                "type": "notification",
            }
            self._send(self._listeners, kind, frame)
        self._cancel("tick")
        times = [self.player.next_event]
        if self.player.state.url is not None:
            times.append((self._refreshed + REFRESH).timestamp())
        due = min((at for at in times if at is not None), default=None)
        if due is not None and self._pages:
            when = dt_util.utc_from_timestamp(due)
            job = HassJob(self._tick, cancel_on_shutdown=True)
            self._timers["tick"] = async_track_point_in_utc_time(self.hass, job, when)
        self._on_change()

    async def _tick(self, _now: datetime) -> None:
        """Show the work that is due, and fetch the playlist again."""
        self._timers.pop("tick", None)
        url = self.player.state.url
        if url is not None and dt_util.utcnow() >= self._refreshed + REFRESH:
            self._refreshed = dt_util.utcnow()
            with suppress(CommandError):
                document = await self._async_fetch(url)
                if url == self.player.state.url:
                    self.player.cast(document, url, {"refresh": True})
        self.player.tick()

    def _send(
        self, sockets: set[web.WebSocketResponse], kind: str, message: Json
    ) -> None:
        """Send a message to sockets unless it was the last of its kind."""
        frame = json.dumps(message)
        if kind != "page" and self._last.get(kind) == frame:
            return
        self._last[kind] = frame
        for socket in list(sockets):
            self.hass.async_create_background_task(
                _async_send(socket, frame), f"{self.name} {kind}"
            )

    # The interface of a display

    async def _status(self, _request: web.Request) -> web.Response:
        """Answer which display this is."""
        return web.json_response(
            {
                "device_id": self.device_id,
                "version": self._version,
                "contract": CONTRACT,
                "claimed": True,
                "internet": True,
                "setup_state": "online",
                "connectivity": "connected",
            }
        )

    async def _metrics(self, _request: web.Request) -> web.Response:
        """Answer the counters."""
        return web.Response(
            text=f"playback_start_total {self.player.plays}\n"
            f"playback_start_failures_total {self.player.refusals}\n"
        )

    async def _notify(self, request: web.Request) -> web.WebSocketResponse:
        """Push changes until the listener leaves; there is no snapshot."""
        if len(self._listeners) >= MAX_LISTENERS:
            raise web.HTTPTooManyRequests
        socket = web.WebSocketResponse()
        await socket.prepare(request)
        self._listeners.add(socket)
        try:
            async for _ in socket:
                pass
        finally:
            self._listeners.discard(socket)
        return socket

    async def _cast(self, request: web.Request) -> web.Response:
        """Handle a command; errors have no reason, like those of a display."""
        body = await _async_decode(await request.read())
        if not isinstance(body, dict):
            return web.Response(status=400, text="Invalid JSON payload\n")
        command, arguments = (
            text(body.get("command")),
            dict(mapping(body.get("request"))),
        )
        if not command:
            return web.Response(status=400, text="Command type is required\n")
        try:
            if command == "displayPlaylist":
                return web.json_response({"message": await self._async_show(arguments)})
            if command == "getDeviceStatus":
                return web.json_response(self._device())
            if command == "deviceMetrics":
                return web.json_response({"screen": self._size})
            answer = self.player.handle(command, arguments)
        except CommandError:
            return web.Response(status=500, text="Failed to process cast request\n")
        return web.json_response(answer or {"message": {"ok": False}})

    async def _async_show(self, request: Json) -> Json:
        """Show a document, or the playlist at an address."""
        url, document = text(request.get("playlistUrl")), request.get("dp1_call")
        if url:
            document = await self._async_fetch(url)
            self._refreshed = dt_util.utcnow()
        if not isinstance(document, dict):
            raise CommandError("no playlist")
        return self.player.cast(document, url, request)

    async def _async_fetch(self, url: str) -> Json:
        """Fetch a playlist; at home only one that the owner has cast."""
        guard = self.hass.data[ADDRESSES].async_guard(url)
        try:
            answer = await request_json(
                guard, "GET", url, timeout=FETCH_SECONDS, max_body=MAX_DOCUMENT
            )
            document = await answer.json()
        except (Dp1Error, ValueError) as err:
            raise CommandError("no playlist there") from err
        if not answer.ok or not isinstance(document, dict):
            raise CommandError("no playlist there")
        return document

    def _device(self) -> Json:
        """Return the status of the device."""
        state = self.player.state
        page = "sleep" if state.sleep.is_asleep() else "playlist"
        return {
            "screenRotation": state.orientation,
            "installedVersion": self._version,
            "volume": state.volume,
            "isMuted": state.muted,
            "displayURL": f"http://127.0.0.1:8080/{page}",
            "sleepSchedule": state.sleep.status(),
            "contract": CONTRACT,
            "deviceName": self.name,
        }


async def _async_decode(content: bytes) -> object:
    """Return the JSON of a body, None if it is none or too much; decoded in a thread if it is long."""
    is_long = len(content) > MAX_ON_LOOP
    return await asyncio.to_thread(_decode, content) if is_long else _decode(content)


def _decode(content: bytes) -> object:
    """Return the JSON of a body, None if it is none or too much."""
    with suppress(ValueError):
        return decode(content, strict=True)
    return None


async def _async_send(socket: web.WebSocketResponse, frame: str) -> None:
    """Send a frame; who does not read it is sent away."""
    try:
        async with asyncio.timeout(SEND_SECONDS):
            await socket.send_str(frame)
    except ConnectionError, TimeoutError:
        await socket.close()
