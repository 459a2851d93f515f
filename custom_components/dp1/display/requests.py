"""What was requested of a display and is not done yet."""

import asyncio
from collections.abc import Callable, Iterator
from contextlib import contextmanager


class PendingRequests:
    """Keeps the requests to one display in the order they were made.

    Attributes:
        newest_cast: number of the newest cast that was sent; older ones are superseded.
        step_lock: held for a step in the queue, which counts from where the one before led.
    """

    def __init__(self, on_steps_done: Callable[[], None]) -> None:
        """Initialize without requests."""
        self.newest_cast = 0
        self.step_lock = asyncio.Lock()
        self._on_steps_done = on_steps_done
        self._casts: dict[int, asyncio.Event] = {}
        self._steps = 0

    @contextmanager
    def pending_cast(self, number: int | None) -> Iterator[None]:
        """Let later requests that concern the current playlist wait for a cast that is being prepared."""
        if number is None or number in self._casts:
            yield
            return
        self._casts[number] = done = asyncio.Event()
        try:
            yield
        finally:
            del self._casts[number]
            done.set()

    async def async_wait_for_casts(self) -> None:
        """Wait for the casts that were requested before now."""
        for done in list(self._casts.values()):
            await done.wait()

    @contextmanager
    def steps(self) -> Iterator[None]:
        """Mark what the display shows meanwhile as steps on the way to something else."""
        self._steps += 1
        try:
            yield
        finally:
            self._steps -= 1
            self._on_steps_done()

    @property
    def in_steps(self) -> bool:
        """Return whether what the display shows is a step on the way to something else."""
        return self._steps > 0
