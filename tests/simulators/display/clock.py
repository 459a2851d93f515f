"""Clocks of the simulated display: the real time, or one that a test moves."""

import asyncio
from contextlib import suppress
from datetime import UTC, datetime, timedelta, tzinfo
import heapq
from itertools import count
import time
from typing import override

_ROUNDS = 20


class Clock:
    """The real time."""

    def __init__(self, zone: tzinfo | None = None) -> None:
        """Initialize with a time zone, that of this machine by default."""
        self._zone = zone

    def monotonic(self) -> float:
        """Return the seconds since some moment."""
        return time.monotonic()

    def now(self) -> datetime:
        """Return the local time of the display, with its offset."""
        return datetime.now(UTC).astimezone(self._zone)

    async def sleep(self, seconds: float) -> None:
        await asyncio.sleep(seconds)


class ManualClock(Clock):
    """A clock that only moves when a test advances it."""

    def __init__(self, start: datetime = datetime(2026, 10, 5, 12, tzinfo=UTC)) -> None:
        """Initialize with a local time, which has an offset or a zone."""
        super().__init__(start.tzinfo)
        self._start = start.astimezone(UTC)
        self._passed = 0.0
        self._number = count()
        self._waiting: list[tuple[float, int, asyncio.Future[None]]] = []

    @override
    def monotonic(self) -> float:
        return self._passed

    @override
    def now(self) -> datetime:
        return (self._start + timedelta(seconds=self._passed)).astimezone(self._zone)

    @override
    async def sleep(self, seconds: float) -> None:
        """Wait until the clock has been advanced far enough."""
        if seconds <= 0:
            await asyncio.sleep(0)
            return
        future = asyncio.get_running_loop().create_future()
        due = self._passed + seconds
        heapq.heappush(self._waiting, (due, next(self._number), future))
        await future

    async def advance(self, seconds: float) -> None:
        """Advance the clock, waking the sleepers in order."""
        end = self._passed + seconds
        await self._settle()
        while self._waiting and self._waiting[0][0] <= end:
            due, _, future = heapq.heappop(self._waiting)
            if not future.done():
                self._passed = due
                future.set_result(None)
                await self._settle()
        self._passed = end
        await self._settle()

    async def _settle(self) -> None:
        """Run everything that is ready."""
        for _ in range(_ROUNDS):
            await asyncio.sleep(0)


class ShiftedClock(Clock):
    """The real time with an offset that a test changes."""

    def __init__(self, zone: tzinfo | None = None) -> None:
        """Initialize with the real time."""
        super().__init__(zone)
        self._offset = timedelta()
        self._shifted = asyncio.Event()

    @override
    def now(self) -> datetime:
        return (datetime.now(UTC) + self._offset).astimezone(self._zone)

    @override
    async def sleep(self, seconds: float) -> None:
        """Wait for some seconds, fewer if the time is shifted meanwhile."""
        end = time.time() + self._offset.total_seconds() + seconds
        while (left := end - time.time() - self._offset.total_seconds()) > 0:
            with suppress(TimeoutError):
                async with asyncio.timeout(left):
                    await self._shifted.wait()

    def shift(self, offset: timedelta) -> None:
        """Set by how much this clock is ahead of the real time."""
        self._offset = offset
        self._shifted.set()
        self._shifted = asyncio.Event()
