"""The requests to a display that are under way, and the last ones."""

import asyncio
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from itertools import count

# Numbers requests in the order they were made, as some take longer than others to prepare.
REQUEST_NUMBERS = count(1)


class Requests:
    """The requests to one display, in the order they were made.

    Attributes:
        step_lock: held for a step in the queue, which counts from where the one before led.
        may_wake: whether the display may be woken if it turns out to show its error page instead of the last cast.
    """

    def __init__(self, on_steps_done: Callable[[], None]) -> None:
        """Initialize without requests."""
        self.step_lock = asyncio.Lock()
        self.may_wake = False
        self._on_steps_done = on_steps_done
        self._casts: dict[int, asyncio.Event] = {}
        self._canceled: set[int] = set()
        self._steps = 0

    @contextmanager
    def pending_cast(self, number: int) -> Iterator[None]:
        """Let later requests that concern the current playlist wait for a cast that is being prepared."""
        if number in self._casts:
            yield
            return
        self._casts[number] = done = asyncio.Event()
        try:
            yield
        finally:
            del self._casts[number]
            self._canceled.discard(number)
            done.set()

    @property
    def pending(self) -> set[int]:
        """Return the numbers of the casts that are being prepared."""
        return set(self._casts)

    def cancel(self, numbers: set[int]) -> None:
        """Give up casts of which nothing was sent yet."""
        self._canceled |= numbers & self.pending

    def is_canceled(self, number: int) -> bool:
        """Return whether a cast was given up."""
        return number in self._canceled

    async def async_wait_for_casts(self) -> None:
        """Wait for the casts that were requested before now."""
        for done in list(self._casts.values()):
            await done.wait()

    @contextmanager
    def steps(self) -> Iterator[None]:
        """Mark the works shown meanwhile as steps on the way to something else."""
        self._steps += 1
        try:
            yield
        finally:
            self._steps -= 1
            self._on_steps_done()

    @property
    def is_preparing(self) -> bool:
        """Return whether a cast is being prepared, of which nothing was sent yet."""
        return bool(self._casts) and not self._steps

    @property
    def in_steps(self) -> bool:
        """Return whether the work on the display is a step on the way to something else."""
        return self._steps > 0
