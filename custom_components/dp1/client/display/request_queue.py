"""Order of the requests to a display: writes one after the other, equal reads shared."""

import asyncio
from collections.abc import Awaitable, Callable, Coroutine, Hashable
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
