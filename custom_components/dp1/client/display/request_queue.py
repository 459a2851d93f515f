"""Who may speak to a display, and when: writes one after the other, equal reads together."""

import asyncio
from collections.abc import Awaitable, Callable, Coroutine, Hashable
from typing import Any, cast


class _Shared[T]:
    """One piece of work that several callers wait for; it is dropped when none of them is left."""

    def __init__(self, work: Callable[[_Shared[T]], Coroutine[Any, Any, T]]) -> None:
        """Start the work."""
        self.newer: _Shared[T] | None = None
        self._callers = 0
        self._task = asyncio.create_task(work(self))

    @property
    def over(self) -> bool:
        """Whether there is an outcome, or nobody left who wants one."""
        return self._task.done() or self._task.cancelling() > 0

    def on_end(self, act: Callable[[], None]) -> None:
        """Do something when it is over, however it ends."""
        self._task.add_done_callback(lambda _: act())

    async def outcome(self) -> T:
        """Wait for it together with the others."""
        self._callers += 1
        try:
            # Not a shield: that logs what a caller who has gone no longer hears.
            await asyncio.wait([self._task])
            return self._task.result()
        finally:
            self._callers -= 1
            if not self._callers:
                self._task.cancel()


class RequestQueue:
    """One write at a time, in the order they came; of repeats that wait, only the newest is sent."""

    def __init__(self) -> None:
        """Start with nobody waiting."""
        self._lock = asyncio.Lock()
        self._waiting: dict[Hashable, _Shared[Any]] = {}
        self._queued = 0

    async def run[T](
        self, send: Callable[[], Awaitable[T]], slot: Hashable | None = None
    ) -> T:
        """Send when it is our turn.

        Args:
            send: sends it, and returns the outcome.
            slot: what is set. A value that still waits when a newer one for the same slot comes is not sent; whoever
                wanted it gets the outcome of the newer one. None: every one is sent.
        """

        if slot is None and not self._queued and not self._lock.locked():
            async with self._lock:
                return await send()

        async def take(mine: _Shared[T]) -> T:
            """Send, unless something newer has come by the time it is our turn."""
            async with self._lock:
                if mine.newer is None or mine.newer.over:
                    self._waiting.pop(slot, None)
                    return await send()
            return await mine.newer.outcome()

        mine = _Shared(take)
        self._queued += 1
        mine.on_end(self._leave)
        if slot is not None:
            if (older := self._waiting.get(slot)) is not None:
                older.newer = mine
            self._waiting[slot] = mine
        return await mine.outcome()

    def _leave(self) -> None:
        """Note that one is no longer in the queue, sent or not."""
        self._queued -= 1


class SharedRequests:
    """Equal reads at the same time are one."""

    def __init__(self) -> None:
        """Start with none under way."""
        self._under_way: dict[Hashable, _Shared[Any]] = {}

    async def run[T](self, key: Hashable, read: Callable[[], Awaitable[T]]) -> T:
        """Read, or share what is being read."""

        async def take(mine: _Shared[T]) -> T:
            """Read, and let the next one read anew."""
            try:
                return await read()
            finally:
                if self._under_way.get(key) is mine:
                    del self._under_way[key]

        shared = self._under_way.get(key)
        if shared is None or shared.over:
            shared = self._under_way[key] = _Shared(take)
        return cast("T", await shared.outcome())

    def forget(self) -> None:
        """Let nobody share what is under way: it may be older than what was just written."""
        self._under_way.clear()
