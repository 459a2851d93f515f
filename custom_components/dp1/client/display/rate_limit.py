"""How often a display is asked to do something, so that it never has to refuse its owner's phone.

The rates are those of the storm gate of firmware 2.0, read in its published source: a token bucket for each command,
shared by everybody who commands the display. Older firmware has no gate and loses nothing by this.
"""

import asyncio
from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass
import random
import time

# The rest of every bucket is the phone's.
_OUR_PART_OF_BURST = 2 / 3
_OUR_PART_OF_RATE = 0.8

_BACKOFF = 0.75
_MAX_RETRY_AFTER = 30.0


@dataclass(frozen=True, slots=True)
class RateClass:
    """What the gate admits.

    Attributes:
        rate: commands a second in the long run.
        burst: commands at once after a rest.
        backoff: seconds to wait after a refusal, at least.
        all_ours: nothing of the burst is left to others.
    """

    rate: float
    burst: int
    backoff: float = 0.0
    all_ours: bool = False

    @property
    def capacity(self) -> int:
        """Our part of the burst."""
        return (
            self.burst
            if self.all_ours
            else max(1, int(self.burst * _OUR_PART_OF_BURST))
        )


_DISRUPTIVE = RateClass(rate=0.2, burst=2, backoff=5.0)
# Disruptive before 2.0. It takes two turns to reach every orientation, and the phone hardly turns meanwhile.
_TURN = RateClass(rate=0.2, burst=2, backoff=5.0, all_ours=True)
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
    "setDeviceName": _DISRUPTIVE,
    "rotate": _TURN,
    "sleepNow": _USER_ACTION,
    "wakeNow": _USER_ACTION,
    "displayPlaylist": _HEAVY,
    "displayDefaultPlaylist": _HEAVY,
    "refreshArtwork": _HEAVY,
    "playRecentlyPlayed": _HEAVY,
    "ddcPanelControl": _SLOW_WRITE,
    "getDeviceStatus": _QUERY,
    "deviceMetrics": _QUERY,
    "ddcPanelStatus": _QUERY,
    "getRecentlyPlayed": _QUERY,
    "getContentPolicy": _QUERY,
    "sendKeyboardEvent": _INPUT,
    "tapGesture": _INPUT,
    "doubleTapGesture": _INPUT,
    "longPressGesture": _INPUT,
    "dragGesture": _INPUT,
    "clickAndDragGesture": _INPUT,
    "zoomGesture": _INPUT,
}


class _Bucket:
    """Tokens that come back with time; a debt is a place in the queue."""

    def __init__(self, rate_class: RateClass, now: float) -> None:
        """Start full."""
        self._rate = rate_class.rate * _OUR_PART_OF_RATE
        self._capacity = rate_class.capacity
        self._tokens = float(self._capacity)
        self._filled_at = now

    def take(self, now: float) -> float:
        """Take one token and return the seconds until it is there."""
        grown = self._tokens + (now - self._filled_at) * self._rate
        self._tokens = min(grown, self._capacity) - 1
        self._filled_at = now
        return max(0.0, -self._tokens / self._rate)

    def give_back(self) -> None:
        """Return a token that was not used."""
        self._tokens += 1


class RateLimit:
    """The part of one display's command rates that is ours."""

    def __init__(
        self,
        clock: Callable[[], float] = time.monotonic,
        sleep: Callable[[float], Awaitable[None]] = asyncio.sleep,
    ) -> None:
        """Start with every bucket full.

        Args:
            clock: seconds, never going back.
            sleep: waits for so many seconds.
        """
        self._clock = clock
        self._sleep = sleep
        self._buckets: dict[str | RateClass, _Bucket] = {}

    async def acquire(self, command: str) -> None:
        """Wait until one such command may be sent; who comes first is served first."""
        rate_class = _CLASSES.get(command, _DEFAULT)
        shared = rate_class in (_INPUT, _DEFAULT)
        now = self._clock()
        bucket = self._buckets.setdefault(
            rate_class if shared else command, _Bucket(rate_class, now)
        )
        if (wait := bucket.take(now)) > 0:
            try:
                await self._sleep(wait)
            except asyncio.CancelledError:
                bucket.give_back()
                raise

    async def back_off(
        self, command: str, attempt: int, retry_after: float | None
    ) -> None:
        """Wait after a refusal, the longer the more there were, and never in step with others.

        Args:
            command: name of the command that was refused.
            attempt: which attempt that was, from 1.
            retry_after: seconds that the display asked for.
        """
        wait = max(
            _BACKOFF * attempt,
            _CLASSES.get(command, _DEFAULT).backoff,
            min(retry_after or 0.0, _MAX_RETRY_AFTER),
        )
        await self._sleep(wait * random.uniform(1.0, 1.25))
