"""Order and pace of the requests to a display: writes one after the other, equal reads shared, and no more than it admits.

The rates are those of the storm gate in the published source of firmware 2.0: a token bucket per command, shared by
all clients, so that a display never refuses the phone of its owner. Older firmware has no gate and loses nothing by this.
"""

import asyncio
from collections.abc import Awaitable, Callable, Coroutine, Hashable, Mapping
from dataclasses import dataclass
import random
import time
from typing import Any, cast


class _SharedTask[T]:
    """A task that several callers wait for, cancelled when the last of them is."""

    def __init__(
        self, work: Callable[[_SharedTask[T]], Coroutine[Any, Any, T]]
    ) -> None:
        """Start the task."""
        self.newer: _SharedTask[T] | None = None
        self._callers = 0
        self._task = asyncio.create_task(work(self))

    @property
    def finished(self) -> bool:
        """Return whether the task is done or being cancelled."""
        return self._task.done() or self._task.cancelling() > 0

    def add_done_callback(self, callback: Callable[[], None]) -> None:
        """Call back when the task is done, however it ends."""
        self._task.add_done_callback(lambda _: callback())

    async def result(self) -> T:
        """Wait for the result."""
        self._callers += 1
        try:
            # asyncio.shield would log the exception of a task whose callers were cancelled.
            await asyncio.wait([self._task])
            return self._task.result()
        finally:
            self._callers -= 1
            if not self._callers:
                self._task.cancel()


class RequestQueue:
    """Queue of writes, sent one at a time in the order of the calls."""

    def __init__(self) -> None:
        """Initialize an empty queue."""
        self._lock = asyncio.Lock()
        self._waiting: dict[Hashable, _SharedTask[Any]] = {}
        self._queued = 0

    async def run[T](
        self,
        send: Callable[[], Awaitable[T]],
        slot: Hashable | None = None,
        *,
        collect: bool = False,
    ) -> T:
        """Send in turn, at once if nothing else is queued, and return the result.

        Args:
            send: sends the request.
            slot: what is set. A waiting write is not sent when a newer one for the same slot comes; its callers get the
                result of the newer one. None: every write is sent.
            collect: let writes that are called at the same time replace this one even if nothing else is queued.
        """
        if not (collect or self._queued or self._lock.locked()):
            async with self._lock:
                return await send()

        async def send_newest(task: _SharedTask[T]) -> T:
            """Send, unless a newer write has come in the meantime."""
            async with self._lock:
                if task.newer is None or task.newer.finished:
                    self._waiting.pop(slot, None)
                    return await send()
            return await task.newer.result()

        task = _SharedTask(send_newest)
        self._queued += 1
        task.add_done_callback(self._leave)
        if slot is not None:
            if (older := self._waiting.get(slot)) is not None:
                older.newer = task
            self._waiting[slot] = task
        return await task.result()

    def _leave(self) -> None:
        """Count a write that is no longer queued."""
        self._queued -= 1


class SharedRequests:
    """Reads of which simultaneous equal ones are one request."""

    def __init__(self) -> None:
        """Initialize without reads."""
        self._pending: dict[Hashable, _SharedTask[Any]] = {}

    async def run[T](self, key: Hashable, read: Callable[[], Awaitable[T]]) -> T:
        """Read, or share a pending read."""

        async def read_once(task: _SharedTask[T]) -> T:
            """Read, and stop sharing the result when it is there."""
            try:
                return await read()
            finally:
                if self._pending.get(key) is task:
                    del self._pending[key]

        shared = self._pending.get(key)
        if shared is None or shared.finished:
            shared = self._pending[key] = _SharedTask(read_once)
        return cast("T", await shared.result())

    def forget(self, key: Hashable = None) -> None:
        """Stop sharing one pending read, or all; they may be older than the last write or push."""
        if key is None:
            self._pending.clear()
        else:
            self._pending.pop(key, None)


# The rest of each bucket is left to the phone.
_BURST_SHARE = 2 / 3
_RATE_SHARE = 0.8

_BACKOFF = 0.75
_MAX_RETRY_AFTER = 30.0


@dataclass(frozen=True, slots=True, eq=False)
class RateClass:
    """A rate class of the gate.

    Attributes:
        rate: sustained commands per second.
        burst: commands at once after a pause.
        backoff: minimum seconds to wait after a refusal.
        exclusive: use the whole burst and leave nothing of it to others.
    """

    rate: float
    burst: int
    backoff: float = 0.0
    exclusive: bool = False

    @property
    def capacity(self) -> int:
        """Return our share of the burst."""
        return self.burst if self.exclusive else max(1, int(self.burst * _BURST_SHARE))


_DISRUPTIVE = RateClass(rate=0.2, burst=2, backoff=5.0)
# Any orientation is at most two rotations away.
_ROTATE_1 = RateClass(rate=0.2, burst=2, backoff=5.0, exclusive=True)
_USER_ACTION = RateClass(rate=2, burst=5)
_HEAVY = RateClass(rate=1, burst=3)
_SLOW_WRITE = RateClass(rate=2, burst=5)
_QUERY = RateClass(rate=5, burst=10)
_INPUT = RateClass(rate=50, burst=100)
_DEFAULT = RateClass(rate=10, burst=20)

_CLASSES: Mapping[str, RateClass] = {
    "reboot": _DISRUPTIVE,
    "shutdown": _DISRUPTIVE,
    "updateToLatestVersion": _DISRUPTIVE,
    "setSleepSchedule": _DISRUPTIVE,
    "setSleepMode": _DISRUPTIVE,
    "rotate": _ROTATE_1,
    "sleepNow": _USER_ACTION,
    "wakeNow": _USER_ACTION,
    "displayPlaylist": _HEAVY,
    "displayDefaultPlaylist": _HEAVY,
    "refreshArtwork": _HEAVY,
    "downloadPlaylist": _HEAVY,
    "ddcPanelControl": _SLOW_WRITE,
    "getDeviceStatus": _QUERY,
    "deviceMetrics": _QUERY,
    "ddcPanelStatus": _QUERY,
    "getContentPolicy": _QUERY,
    "getOfflineCacheStatus": _QUERY,
    "sendKeyboardEvent": _INPUT,
    "tapGesture": _INPUT,
    "doubleTapGesture": _INPUT,
    "longPressGesture": _INPUT,
    "dragGesture": _INPUT,
    "clickAndDragGesture": _INPUT,
    "zoomGesture": _INPUT,
}


# Of firmware with contract 2, from 2.0.
_CLASSES_2: Mapping[str, RateClass] = {"rotate": _SLOW_WRITE}


class _Bucket:
    """Token bucket; a negative number of tokens is a queue."""

    def __init__(self, rate_class: RateClass, now: float, pace: float) -> None:
        """Initialize a full bucket."""
        self._rate = rate_class.rate * _RATE_SHARE * pace
        self._capacity = rate_class.capacity
        self._tokens = float(self._capacity)
        self._filled_at = now

    def take(self, now: float) -> float:
        """Take a token and return the seconds until it is available."""
        grown = self._tokens + (now - self._filled_at) * self._rate
        self._tokens = min(grown, self._capacity) - 1
        self._filled_at = now
        return max(0.0, -self._tokens / self._rate)

    def give_back(self) -> None:
        """Return an unused token."""
        self._tokens += 1


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
        self._buckets: dict[str | RateClass, _Bucket] = {}
        self._classes: Mapping[str, RateClass] = _CLASSES

    def use_contract(self, contract: str | None) -> None:
        """Use the limits of the contract that the display reports; None is firmware 1.x."""
        classes = {**_CLASSES, **_CLASSES_2} if contract else _CLASSES
        if classes != self._classes:
            self._classes = classes
            for command in _CLASSES_2:
                self._buckets.pop(command, None)

    async def acquire(self, command: str) -> None:
        """Wait until the command may be sent, first come first served."""
        rate_class = self._classes.get(command, _DEFAULT)
        shared = rate_class in (_INPUT, _DEFAULT)
        key = rate_class if shared else command
        now = self._clock()
        if (bucket := self._buckets.get(key)) is None:
            bucket = self._buckets[key] = _Bucket(rate_class, now, self._pace)
        if (wait := bucket.take(now)) > 0:
            try:
                await self._sleep(wait)
            except asyncio.CancelledError:
                bucket.give_back()
                raise

    async def back_off(
        self, command: str, attempt: int, retry_after: float | None
    ) -> None:
        """Wait after a refusal, longer with each attempt and with some jitter.

        Args:
            command: name of the refused command.
            attempt: number of the refused attempt, from 1.
            retry_after: seconds the display asked to wait.
        """
        wait = max(
            _BACKOFF * attempt,
            self._classes.get(command, _DEFAULT).backoff,
            min(retry_after or 0.0, _MAX_RETRY_AFTER),
        )
        await self._sleep(wait * random.uniform(1.0, 1.25) / self._pace)
