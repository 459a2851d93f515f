"""Commands to a display, in order and at its pace, and its answers.

The outcomes are those of published Feral File firmware 0.9 to 2.0.7. Success is status 200 without ``ok: false`` in the
reply, which is wrapped in ``message`` once, twice or not at all.

Writes are sent one after the other. The rates are those of the storm gate in the published source of firmware 2.0: a
token bucket per command, shared by all clients, so that a display never refuses the phone of its owner. Older firmware
has no gate and loses nothing by this.
"""

import asyncio
from collections import defaultdict
from collections.abc import Awaitable, Callable, Hashable, Mapping
from dataclasses import dataclass, replace
from functools import partial
from itertools import count
import random
import time
from typing import Any

import aiohttp
from yarl import URL

from ..errors import (
    NO_PLAYER,
    BusyError,
    Dp1Error,
    NotReadyError,
    RejectedError,
    TemporaryError,
    UnexpectedAnswerError,
    WantsPairingError,
)
from ..http import MAX_BODY, Answer, request_json
from ..text import clean, one_line
from ..values import mapping

MAX_REPLY = MAX_BODY
_MAX_TEXT = 4000
_REASON_KEYS = ("code", "error", "message", "reason", "detail")
# What a server says to HTTP that only speaks HTTPS.
_HTTPS = b"HTTP request to an HTTPS server"
# The body of every 500 of the firmware.
_NO_REASON = b"Failed to process cast request"


@dataclass(frozen=True, slots=True, eq=False)
class RateClass:
    """Our share of a rate class of the gate: 80 % of its rate and two thirds of its burst, the rest is left to the phone.

    Attributes:
        rate: sustained commands per second.
        burst: commands at once after a pause.
        shared: one bucket for all commands of the class, else one for each.
    """

    rate: float
    burst: int
    shared: bool = False


_DISRUPTIVE = RateClass(rate=0.16, burst=1)
# The whole burst: any orientation is at most two rotations away.
_ROTATION = RateClass(rate=0.16, burst=2)
_HEAVY = RateClass(rate=0.8, burst=2)
_WRITE = RateClass(rate=1.6, burst=3)
_QUERY = RateClass(rate=4, burst=6)
_INPUT = RateClass(rate=40, burst=66, shared=True)
_DEFAULT = RateClass(rate=8, burst=13, shared=True)


@dataclass(frozen=True, slots=True)
class Command:
    """The rate and the queue of a command, and the meaning of its failure.

    Attributes:
        rate: its class.
        queue: in which a write waits, also for its rate; without, one of its own. Queues do not wait for each other.
        needs_player: with valid arguments, it fails without a reason only if the player does not answer.
        is_setting: only the newest value matters.
    """

    rate: RateClass = _DEFAULT
    queue: str = ""
    needs_player: bool = False
    is_setting: bool = False


_TOUCH = Command(_INPUT, "input")
_PLAYER = Command(queue="player", needs_player=True)
_PLAYER_SETTING = replace(_PLAYER, is_setting=True)
_COMMANDS: defaultdict[str, Command] = defaultdict(Command)
_COMMANDS |= {
    "checkStatus": Command(needs_player=True),
    "ddcPanelControl": Command(_WRITE, "panel"),
    "ddcPanelStatus": Command(_QUERY),
    "deviceMetrics": Command(_QUERY),
    "disconnect": _PLAYER,
    "displayDefaultPlaylist": replace(_PLAYER, rate=_HEAVY),
    "displayPlaylist": Command(_HEAVY, "player"),
    "doubleTapGesture": _TOUCH,
    "downloadPlaylist": Command(_HEAVY),
    "getContentPolicy": Command(_QUERY),
    "getDeviceStatus": Command(_QUERY),
    "getOfflineCacheStatus": Command(_QUERY),
    "longPressGesture": _TOUCH,
    "moveToArtwork": _PLAYER_SETTING,
    "reboot": Command(_DISRUPTIVE),
    "refreshArtwork": replace(_PLAYER, rate=_HEAVY),
    "rotate": Command(_ROTATION),
    "sendKeyboardEvent": _TOUCH,
    "setLoop": _PLAYER_SETTING,
    "setShuffle": _PLAYER_SETTING,
    "setSleepMode": Command(_DISRUPTIVE, "sleep", needs_player=True),
    "setSleepSchedule": Command(_DISRUPTIVE, needs_player=True, is_setting=True),
    "setVolume": Command(queue="sound", is_setting=True),
    "shutdown": Command(_DISRUPTIVE),
    "sleepNow": Command(_WRITE, "sleep", needs_player=True),
    "tapGesture": _TOUCH,
    "toggleMute": Command(queue="sound"),
    "updateDefaultDuration": _PLAYER_SETTING,
    "updateDisplaySettings": _PLAYER_SETTING,
    "updateToLatestVersion": Command(_DISRUPTIVE),
    "wakeNow": Command(_WRITE, "sleep", needs_player=True),
}


def reply(command: str, answer: Answer) -> Mapping[str, Any]:
    """Return the innermost reply to a command.

    Raises:
        Dp1Error: the answer is no success; see :class:`.client.Display`.
    """
    if answer.status != 200:
        raise refusal(command, answer)
    if not answer.body.strip():
        raise NotReadyError("an empty answer")
    leaf = accepted(command, answer.decoded(strict=False))
    if isinstance(leaf, dict) and leaf.get("message", leaf) is not None:
        return leaf
    raise UnexpectedAnswerError("the reply is not an object")


def accepted(command: str, value: object) -> object:
    """Return the innermost reply: through ``message`` or ``data`` to the object with ``ok``.

    Raises:
        RejectedError: the reply is ``ok: false``.
    """
    while isinstance(value, dict) and not isinstance(value.get("ok"), bool):
        if isinstance(inner := value.get("message"), dict) or isinstance(
            inner := value.get("data"), dict
        ):
            value = inner
        else:
            break
    if isinstance(value, dict) and value.get("ok") is False:
        raise RejectedError(command, _reason(value))
    return value


async def parse_reply[T](
    command: str, answer: Answer, parse: Callable[[Mapping[str, Any]], T]
) -> T:
    """Parse the innermost reply to a command, in a thread if it is large."""
    return await answer.async_read(lambda answer: parse(reply(command, answer)))


def refusal(command: str, answer: Answer) -> Dp1Error:
    """Return the error of an answer that is not a success."""
    detail = _text_of(answer)
    match answer.status:
        case 204:
            return NotReadyError("the display is not showing its player")
        case 500 if answer.body.strip() in (b"", _NO_REASON):
            if _COMMANDS[command].needs_player:
                return RejectedError(command, code=NO_PLAYER)
            return RejectedError(command)
        case 401 | 426:
            return WantsPairingError(f"status {answer.status}")
        case 400 if _HTTPS in answer.body:
            return WantsPairingError("only HTTPS is spoken")
        case 400 | 413 | 500:
            return RejectedError(command, detail)
        case 403:
            return Dp1Error(detail, key="address_not_accepted")
        case 422:
            code, _, words = detail.partition(":")
            return RejectedError(command, words.strip(), code.strip())
        case 429:
            return BusyError(detail, answer.retry_after)
        case status if status > 500:
            return TemporaryError(f"status {status}")
        case status:
            return answer.unexpected(f"status {status}")


def _reason(leaf: Mapping[str, Any]) -> str:
    """Return the reason that the display gives: a code, a text or both."""
    reasons = []
    for place in (leaf, mapping(leaf.get("error")), mapping(leaf.get("message"))):
        reasons += [word for key in _REASON_KEYS if (word := clean(place.get(key)))]
    return ": ".join(reasons) or clean(leaf.get("status"))


def _text_of(answer: Answer) -> str:
    """Return a plain text body; an HTML page comes from something else than the display."""
    if answer.headers.get("Content-Type", "").partition(";")[0].strip() != "text/plain":
        return ""
    return one_line(answer.body[:_MAX_TEXT].decode("utf-8", "replace"))


class RequestQueue:
    """Queue of writes, sent one at a time in the order of the calls."""

    def __init__(self) -> None:
        """Initialize an empty queue."""
        self._lock = asyncio.Lock()
        # By what is set, the newest last; a future is canceled with its caller.
        self._waiting: defaultdict[Hashable, list[asyncio.Future[Any]]]
        self._waiting = defaultdict(list)

    async def run[T](
        self,
        send: Callable[[], Awaitable[T]],
        slot: Hashable = None,
        falls_back: bool = False,
    ) -> T:
        """Send in turn, and return the result.

        Args:
            send: sends the request.
            slot: what is set. A waiting write is not sent when a newer one for the same slot comes, also one that is called
                at the same time; its caller gets the result of the newer one. None: every write is sent.
            falls_back: it is sent after all if the newer one fails.
        """
        if slot is None:
            async with self._lock:
                return await send()
        mine: asyncio.Future[T] = asyncio.get_running_loop().create_future()
        writes = self._waiting[slot]
        writes.append(mine)
        try:
            mine.set_result(await self._send_newest(send, mine, writes, falls_back))
        except Exception as err:  # noqa: BLE001 (it is raised for each caller)
            mine.set_exception(err)
        finally:
            writes.remove(mine)
            mine.cancel()
        return mine.result()

    async def _send_newest[T](
        self,
        send: Callable[[], Awaitable[T]],
        mine: asyncio.Future[T],
        writes: list[asyncio.Future[T]],
        falls_back: bool,
    ) -> T:
        """Send in turn, or return the result of the newest of the writes."""
        while True:
            async with self._lock:
                # Let others be called that are called at the same time.
                await asyncio.sleep(0)
                newest = writes[-1]
                if newest is mine:
                    return await send()
            await asyncio.wait([newest])
            if newest.cancelled() or (falls_back and newest.exception()):
                continue
            return newest.result()


_BACKOFF = 0.75
_MAX_RETRY_AFTER = 30.0


class RateLimit:
    """Our share of the command rates of one display."""

    def __init__(
        self,
        clock: Callable[[], float] = time.monotonic,
        sleep: Callable[[float], Awaitable[None]] = asyncio.sleep,
        pace: float = 1.0,
    ) -> None:
        """Initialize full buckets.

        Args:
            clock: returns monotonic seconds.
            sleep: waits for the given seconds.
            pace: how many times as many commands are sent as a real display admits; only a simulator takes more.
        """
        self._clock = clock
        self._pace = pace
        self._sleep = sleep
        # When the bucket of a command or a class is full again; beyond its burst, that is a queue.
        self._full_at: dict[str | RateClass, float] = {}
        self._rotation = _ROTATION

    def use_contract(self, contract: str | None) -> None:
        """Use the limits of the contract that the display reports; None is firmware 1.x."""
        rotation = _WRITE if contract else _ROTATION
        if rotation is not self._rotation:
            self._rotation = rotation
            self._full_at.pop("rotate", None)

    def _class_of(self, command: str) -> RateClass:
        """Return the rate class of a command."""
        return self._rotation if command == "rotate" else _COMMANDS[command].rate

    def delay(self, command: str, times: int = 1) -> float:
        """Return the seconds until a command may have been sent some times."""
        rate_class = self._class_of(command)
        key = rate_class if rate_class.shared else command
        now, gap = self._clock(), 1 / (rate_class.rate * self._pace)
        full_at = max(self._full_at.get(key, now), now)
        return max(0.0, full_at + (times - rate_class.burst) * gap - now)

    async def acquire(self, command: str) -> None:
        """Wait until the command may be sent, first come first served."""
        rate_class = self._class_of(command)
        key = rate_class if rate_class.shared else command
        now, gap = self._clock(), 1 / (rate_class.rate * self._pace)
        wait = self.delay(command)
        self._full_at[key] = max(self._full_at.get(key, now), now) + gap
        if wait > 0:
            try:
                await self._sleep(wait)
            except asyncio.CancelledError:
                # Other limits may have come meanwhile.
                if key in self._full_at:
                    self._full_at[key] -= gap
                raise

    async def back_off(
        self, command: str, attempt: int, retry_after: float | None = None
    ) -> None:
        """Wait after a refusal, longer with each attempt and with some jitter.

        Args:
            command: name of the refused command.
            attempt: number of the refused attempt, from 1.
            retry_after: seconds the display asked to wait.
        """
        wait = max(
            _BACKOFF * attempt,
            1 / self._class_of(command).rate,
            min(retry_after or 0.0, _MAX_RETRY_AFTER),
        )
        await self._sleep(wait * random.uniform(1.0, 1.25) / self._pace)


ATTEMPTS = 3
_TIMEOUT = 10.0
# The display itself waits up to 30 s for a playlist or the version server, and long for the panel.
_TIMEOUTS: Mapping[str, float] = {
    "displayPlaylist": 35.0,
    "getDeviceStatus": 35.0,
    "updateToLatestVersion": 35.0,
    "ddcPanelControl": 20.0,
    "ddcPanelStatus": 20.0,
}


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
        self.session = session
        self.base = URL.build(scheme="http", host=host, port=port)
        self.rate_limit = rate_limit
        self._cast_url = self.base / "api/cast"
        self._queues: defaultdict[str, RequestQueue] = defaultdict(RequestQueue)

    def get(
        self, path: str, timeout: float = _TIMEOUT, attempts: int = 1, **options: Any
    ) -> Awaitable[Answer]:
        """Get a route that is not a command."""
        return self._request(
            path, "GET", self.base / path, timeout, attempts, **options
        )

    def post(
        self, command: str, request: Mapping[str, Any] | None = None
    ) -> Awaitable[Answer]:
        """Post a command at once. The display reads missing arguments as zeros, so they are always sent."""
        timeout = _TIMEOUTS.get(command, _TIMEOUT)
        body = {"command": command, "request": request or {}}
        return self._request(command, "POST", self._cast_url, timeout, json=body)

    async def _request(
        self,
        name: str,
        method: str,
        url: URL,
        timeout: float,
        attempts: int = ATTEMPTS,
        **options: Any,
    ) -> Answer:
        """Send within the rate limit, and again while the display is busy (429), which means that nothing was done."""
        for attempt in count(1):
            await self.rate_limit.acquire(name)
            answer = await request_json(
                self.session,
                method,
                url,
                timeout=timeout,
                **options,
            )
            if answer.status != 429 or attempt == attempts:
                break
            await self.rate_limit.back_off(name, attempt, answer.retry_after)
        return answer

    async def ask[T](
        self,
        command: str,
        parse: Callable[[Mapping[str, Any]], T],
        request: Mapping[str, Any] | None = None,
    ) -> T:
        """Post a command at once and parse its reply."""
        answer = await self.post(command, request)
        return await parse_reply(command, answer, parse)

    async def send(
        self,
        command: str,
        request: Mapping[str, Any] | None = None,
        slot: Hashable = None,
    ) -> Mapping[str, Any]:
        """Queue a command that changes something, and return its reply.

        Args:
            command: name of the command.
            request: its arguments.
            slot: what is set, where command and names of the arguments do not tell.
        """
        if _COMMANDS[command].is_setting:
            slot = command, *(request or ())
        ask = partial(self.ask, command, mapping, request)
        return await self.enqueue(command, ask, slot)

    def enqueue[T](
        self,
        command: str,
        send: Callable[[], Awaitable[T]],
        slot: Hashable = None,
        falls_back: bool = False,
    ) -> Awaitable[T]:
        """Run a write in its turn among those of its queue, as ``RequestQueue.run`` has it."""
        queue = self._queues[_COMMANDS[command].queue or command]
        return queue.run(send, slot, falls_back)
