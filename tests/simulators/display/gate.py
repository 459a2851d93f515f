"""The storm gate: the rate limit of the firmware."""

import asyncio
from collections.abc import Awaitable, Callable
from dataclasses import dataclass
import json
from pathlib import Path
from typing import Any

from .clock import Clock
from .errors import BusyError
from .firmware import Firmware

CAPACITY = 16
_ROUNDING = 1e-9


@dataclass(frozen=True, slots=True)
class RateClass:
    """The limits of a class of commands.

    Attributes:
        commands: their names.
        rate: commands per second.
        burst: commands at once.
        weight: share of the capacity while it is carried out.
        dedupe: whether equal commands at the same time share one execution.
        bucket: name of the bucket that its commands share; otherwise each has its own.
    """

    commands: str
    rate: float
    burst: float
    weight: int = 1
    dedupe: bool = False
    bucket: str | None = None


DEFAULT = RateClass("", 10, 20, bucket="default")
_CLASSES = json.loads(Path(__file__).with_suffix(".json").read_text("utf-8"))


@dataclass(slots=True)
class Bucket:
    """Tokens, and when they were last counted."""

    tokens: float
    at: float


class StormGate:
    """Admits commands, or refuses them when there are too many."""

    def __init__(self, firmware: Firmware, clock: Clock) -> None:
        """Initialize with full buckets."""
        rows = _CLASSES["both"] + _CLASSES["from 2" if firmware.second else "before 2"]
        self._classes = {
            command: kind
            for kind in (RateClass(**row) for row in rows)
            for command in kind.commands.split()
        }
        self._clock = clock
        self.buckets: dict[str, Bucket] = {}
        self._weight = 0
        self._under_way: dict[str, asyncio.Future[Any]] = {}

    def class_of(self, command: str) -> RateClass:
        """Return the limits of a command."""
        return self._classes.get(command, DEFAULT)

    async def run(
        self, command: str, request: object, execute: Callable[[], Awaitable[Any]]
    ) -> Any:
        """Carry out a command, or share the outcome of an equal one at the same time.

        Raises:
            BusyError: there are too many commands.
        """
        kind = self.class_of(command)
        key = f"{command} {json.dumps(request, sort_keys=True)}"
        if kind.dedupe and (leader := self._under_way.get(key)) is not None:
            return await asyncio.shield(leader)
        self._take(command, kind)
        self._weight += kind.weight
        outcome = asyncio.ensure_future(execute())
        if kind.dedupe:
            self._under_way[key] = outcome
        try:
            return await outcome
        finally:
            self._weight -= kind.weight
            if self._under_way.get(key) is outcome:
                del self._under_way[key]

    def _take(self, command: str, kind: RateClass) -> None:
        """Take a token and reserve capacity."""
        now = self._clock.monotonic()
        bucket = self.buckets.setdefault(
            kind.bucket or command, Bucket(kind.burst, now)
        )
        earned = (now - bucket.at) * kind.rate
        bucket.tokens, bucket.at = min(kind.burst, bucket.tokens + earned), now
        if bucket.tokens < 1 - _ROUNDING:
            raise BusyError("no token left")
        bucket.tokens -= 1
        if self._weight + min(kind.weight, CAPACITY) > CAPACITY:
            raise BusyError("no room")
