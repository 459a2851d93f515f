"""The time as the simulated display knows it: real, or moved by a test."""

import asyncio
from datetime import UTC, datetime, timedelta, tzinfo
import heapq
from itertools import count
import time
from typing import Protocol

_ROUNDS = 20


class Clock(Protocol):
    """What the simulator needs of a clock."""

    def monotonic(self) -> float:
        """Seconds since some moment."""

    def now(self) -> datetime:
        """The device's local time, with its offset."""

    async def sleep(self, seconds: float) -> None:
        """Wait."""


class SystemClock:
    """The real time."""

    def __init__(self, zone: tzinfo | None = None) -> None:
        """Show the time of a zone, of this machine's by default."""
        self._zone = zone

    def monotonic(self) -> float:
        """Seconds since some moment."""
        return time.monotonic()

    def now(self) -> datetime:
        """The device's local time, with its offset."""
        return datetime.now(UTC).astimezone(self._zone)

    async def sleep(self, seconds: float) -> None:
        """Wait."""
        await asyncio.sleep(seconds)


class ManualClock:
    """Time that passes only when it is told to."""

    def __init__(self, start: datetime = datetime(2026, 10, 5, 12, tzinfo=UTC)) -> None:
        """Begin at a local time, which has an offset or a zone."""
        self._zone = start.tzinfo
        self._start = start.astimezone(UTC)
        self._passed = 0.0
        self._number = count()
        self._waiting: list[tuple[float, int, asyncio.Future[None]]] = []

    def monotonic(self) -> float:
        """Seconds since the beginning."""
        return self._passed

    def now(self) -> datetime:
        """The device's local time, with its offset."""
        return (self._start + timedelta(seconds=self._passed)).astimezone(self._zone)

    async def sleep(self, seconds: float) -> None:
        """Wait until the time has been moved far enough."""
        if seconds <= 0:
            await asyncio.sleep(0)
            return
        future = asyncio.get_running_loop().create_future()
        due = self._passed + seconds
        heapq.heappush(self._waiting, (due, next(self._number), future))
        await future

    async def advance(self, seconds: float) -> None:
        """Let time pass; whatever waits for it happens in order."""
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
        """Let everything run that can."""
        for _ in range(_ROUNDS):
            await asyncio.sleep(0)
