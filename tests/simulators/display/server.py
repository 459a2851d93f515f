"""The HTTP server of the display: its routes, and every outcome of a command."""

import asyncio
from collections.abc import Awaitable, Callable
from dataclasses import dataclass
import json
from typing import Any

from aiohttp import WSMsgType, web

from . import answers, screenshot
from .caster import LegacyCaster
from .clock import Clock
from .device import Device
from .errors import BusyError, CommandError, NoResultError, NotPlayableError
from .faults import Fault, FaultKind
from .firmware import Firmware
from .gate import StormGate
from .metrics import Counters
from .player import Player
from .poller import Sockets
from .router import QUERIES, Router

type Json = dict[str, Any]
type Handler = Callable[[web.Request], Awaitable[web.StreamResponse]]

CAST = "/api/cast"
MOST_IN_FLIGHT = 64
MOST_BODY = 4 * 1024 * 1024
_WRITE_TIMEOUT = 30.0
_GOODBYE_SECONDS = 0.5


@dataclass(slots=True)
class Received:
    """A received command.

    Attributes:
        time: when, by the simulator's clock, in seconds.
        status: HTTP status of the answer; 0 if there was none.
        applied: whether it was carried out.
    """

    command: str
    request: Json | None
    time: float
    status: int = 0
    applied: bool = False
    reply: Any = None

    @property
    def is_query(self) -> bool:
        """Return whether it only reads."""
        return self.command in QUERIES


@dataclass(slots=True)
class Screen:
    """The source of screenshots."""

    broken: bool = False


class _Malformed(Exception):
    """The body is not a command."""


@dataclass(eq=False)
class Server:
    """The HTTP server.

    Attributes:
        in_flight: number of requests not answered yet.
        casts_in_flight: number of commands not answered yet.
        max_in_flight: highest number of commands at the same time.
        latency: seconds before a command is carried out.
        screen: the source of screenshots.
        gate: the rate limit; None if there is none.
        legacy_reply: answer to a playlist by the 2025 description.
    """

    _firmware: Firmware
    _clock: Clock
    _device: Device
    _player: Player
    _router: Router
    _sockets: Sockets
    _counters: Counters
    _legacy: LegacyCaster
    _page: Handler

    def __post_init__(self) -> None:
        self._routes = self._known_routes()
        self._answering: set[asyncio.Task[Any]] = set()
        self.received: list[Received] = []
        self.faults: list[Fault] = []
        self.in_flight = 0
        self.casts_in_flight = 0
        self.max_in_flight = 0
        self.latency = 0.0
        self.screen = Screen()
        firmware, clock = self._firmware, self._clock
        self.gate = StormGate(firmware, clock) if firmware.guarded else None
        self.legacy_reply: bytes = b'{"ok":true}\n'

    def _known_routes(self) -> dict[str, Handler]:
        """Return the routes of the firmware."""
        routes: dict[str, Handler] = {CAST: self._cast}
        if self._firmware.legacy:
            return routes
        routes["/api/notification"] = self._notification
        if self._firmware.since("1.0.9"):
            routes["/metrics"] = self._metrics
        if self._firmware.second:
            routes["/api/status"] = self._status
            routes["/api/v2/status"] = self._status
        if self._firmware.since("2.0.3"):
            routes["/api/screenshot"] = self._screenshot
        return routes

    async def handle(self, request: web.Request) -> web.StreamResponse:
        """Answer a request; it is completed even if the client disconnects."""
        task = asyncio.current_task()
        assert task is not None
        self._answering.add(task)
        try:
            return await self._handle(request)
        finally:
            self._answering.discard(task)

    async def cancel(self) -> None:
        tasks = list(self._answering)
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)

    async def _handle(self, request: web.Request) -> web.StreamResponse:
        """Answer a request unless there are too many."""
        if request.path == "/" or request.path.startswith("/simulator/"):
            return await self._page(request)
        if self._firmware.second and self.in_flight >= MOST_IN_FLIGHT:
            return answers.refusal(429, "Too many concurrent requests, slow down")
        self.in_flight += 1
        request["counted"] = True
        try:
            return self._guard(request) or await self._route(request)
        finally:
            self._leave(request)

    def _leave(self, request: web.Request) -> None:
        if request.pop("counted", False):
            self.in_flight -= 1

    def _guard(self, request: web.Request) -> web.Response | None:
        """Refuse what the newest firmware takes for a request of a browser."""
        if not self._firmware.since("2.0.8"):
            return None
        if not answers.is_local_host(request.headers.get("Host", "")):
            return answers.refusal(403, "Host not allowed")
        return _refuse_browsers(request)

    async def _route(self, request: web.Request) -> web.StreamResponse:
        """Pass a request to its route."""
        handler = self._routes.get(request.path)
        if handler is None:
            return answers.refusal(404, "404 page not found")
        if handler == self._cast:
            return await handler(request)
        fault = self._fault(request.path, "")
        if fault is None:
            return await handler(request)
        return await self._strike(request, fault, lambda: handler(request))

    def _fault(self, route: str, command: str) -> Fault | None:
        return next(
            (fault for fault in self.faults if fault.strikes(route, command)), None
        )

    async def _strike(
        self,
        request: web.Request,
        fault: Fault,
        apply: Callable[[], Awaitable[web.StreamResponse]],
    ) -> web.StreamResponse:
        """Answer as the fault describes."""
        if fault.kind is FaultKind.SLOW:
            await asyncio.sleep(fault.seconds)
        response = await apply() if fault.applied else answers.nothing()
        match fault.kind:
            case FaultKind.RESET:
                return answers.close(request, reset=True)
            case FaultKind.CLOSE | FaultKind.CUT:
                return answers.close(request)
            case FaultKind.HANG:
                await asyncio.sleep(fault.seconds)
                return answers.close(request)
            case FaultKind.LATE:
                await asyncio.sleep(fault.seconds)
            case FaultKind.STATUS:
                return answers.refusal(fault.status, fault.text)
            case FaultKind.GARBAGE:
                return web.Response(text=fault.text, content_type="application/json")
            case FaultKind.TRUNCATED if isinstance(response, web.Response):
                return await answers.truncate(request, response)
        return response

    # Commands

    async def _cast(self, request: web.Request) -> web.StreamResponse:
        """Answer a command."""
        if request.method != "POST":
            return answers.refusal(405, "Post method is required")
        if (
            self._firmware.guarded
            and not self._firmware.second
            and self.casts_in_flight >= MOST_IN_FLIGHT
        ):
            return answers.refusal(429, "Too many concurrent commands, slow down")
        started = asyncio.get_running_loop().time()
        self.casts_in_flight += 1
        self.max_in_flight = max(self.max_in_flight, self.casts_in_flight)
        try:
            response = await self._command(request)
        finally:
            self.casts_in_flight -= 1
        if asyncio.get_running_loop().time() - started > _WRITE_TIMEOUT:
            return answers.close(request)
        return response

    async def _command(self, request: web.Request) -> web.StreamResponse:
        """Parse a command and carry it out."""
        body = await self._read(request)
        if body is None:
            return answers.refusal(413, "Request body too large")
        try:
            command, arguments = _parse(body)
        except _Malformed:
            return answers.refusal(400, "Invalid JSON payload")
        if not command:
            return answers.refusal(400, "Command type is required")
        record = Received(command, arguments, self._clock.monotonic())
        self.received.append(record)
        fault = self._fault(CAST, command)
        if fault is None:
            return await self._answer(record)
        return await self._strike(request, fault, lambda: self._answer(record))

    async def _read(self, request: web.Request) -> bytes | None:
        """Return the body; None if it is too large."""
        chunks = []
        size = 0
        async for chunk in request.content.iter_any():
            size += len(chunk)
            if self._firmware.second and size > MOST_BODY:
                return None
            chunks.append(chunk)
        return b"".join(chunks)

    async def _answer(self, record: Received) -> web.Response:
        """Carry out a command and record the outcome."""
        await asyncio.sleep(self.latency)
        response = await self._outcome(record)
        record.status = response.status
        return response

    async def _outcome(self, record: Received) -> web.Response:
        """Carry out a command and return its answer, whatever happens."""
        if self._firmware.legacy:
            return await self._legacy_outcome(record)
        try:
            record.reply = await self._execute(record)
        except BusyError:
            return answers.refusal(429, "Too many commands, slow down")
        except NotPlayableError as err:
            return answers.refusal(422, str(err))
        except CommandError:
            return answers.refusal(500, "Failed to process cast request")
        except NoResultError:
            return answers.nothing()
        record.applied = True
        return answers.success(record.reply)

    async def _execute(self, record: Received) -> Any:
        """Carry out a command if the rate limit admits it."""
        command, arguments = record.command, record.request
        if self.gate is None:
            return await self._router.execute(command, arguments)
        return await self.gate.run(
            command, arguments, lambda: self._router.execute(command, arguments)
        )

    async def _legacy_outcome(self, record: Received) -> web.Response:
        """Carry out the only command of the 2025 description."""
        if record.command != "displayPlaylist":
            return answers.refusal(400, "Unknown command")
        try:
            await self._legacy.cast(record.request)
        except NotPlayableError as err:
            return answers.refusal(400, str(err))
        record.applied = True
        return web.Response(body=self.legacy_reply, content_type="application/json")

    # Status

    async def _status(self, request: web.Request) -> web.Response:
        if request.method != "GET":
            return answers.refusal(405, "Method not allowed")
        contract = "2" if request.path == "/api/v2/status" else "1"
        return answers.success(self._device.identity(contract))

    async def _metrics(self, request: web.Request) -> web.Response:
        return web.Response(text=self._counters.write(self._device))

    async def _notification(self, request: web.Request) -> web.StreamResponse:
        """Serve a notification socket."""
        if request.method != "GET":
            return answers.refusal(405, "Method not allowed")
        socket = web.WebSocketResponse(
            timeout=_GOODBYE_SECONDS, autoping=False, autoclose=False, compress=False
        )
        if not socket.can_prepare(request).ok:
            text = "Bad Request\nFailed to upgrade to websocket"
            return answers.refusal(400, text, Sec_Websocket_Version="13")
        await socket.prepare(request)
        self._leave(request)
        self._sockets.add(socket)
        try:
            await self._listen(socket)
        finally:
            self._sockets.remove(socket)
        return socket

    async def _listen(self, socket: web.WebSocketResponse) -> None:
        """Answer pings, and ignore messages of the client."""
        while not socket.closed:
            message = await socket.receive()
            if message.type in (WSMsgType.CLOSED, WSMsgType.CLOSING, WSMsgType.ERROR):
                return
            if self._sockets.is_frozen(socket):
                continue
            if message.type is WSMsgType.PING:
                await socket.pong(message.data)
            elif message.type is WSMsgType.CLOSE:
                await socket.close()

    # Pictures

    async def _screenshot(self, request: web.Request) -> web.StreamResponse:
        refused = _refuse_browsers(request)
        if refused is not None:
            return refused
        if self._player.dead:
            return answers.refusal(503, "No single page to capture")
        if self.screen.broken:
            return answers.refusal(502, "Capture failed")
        size = screenshot.requested_size(request.query, self._device.screen_size)
        work = None if self._player.asleep else self._player.current
        picture = await asyncio.to_thread(screenshot.draw, *size, work)
        return web.Response(body=picture, content_type="image/png")


def _refuse_browsers(request: web.Request) -> web.Response | None:
    """Refuse the requests that a browser sends for a page."""
    if "Origin" in request.headers or "Sec-Fetch-Site" in request.headers:
        return answers.refusal(403, "Browser origins are not allowed")
    return None


def _parse(body: bytes) -> tuple[str, Json | None]:
    """Return command and arguments of a body; raises _Malformed."""
    try:
        value = json.loads(body) or {}
        command, arguments = value.get("command") or "", value.get("request")
    except (AttributeError, RecursionError, ValueError) as err:
        raise _Malformed from err
    if not isinstance(command, str) or not isinstance(arguments, dict | None):
        raise _Malformed
    return command, arguments
