"""All orders in which two things can happen: a loop that runs one step at a time, in virtual time, as a schedule says."""

import asyncio
from collections.abc import Awaitable, Callable, Iterator
from heapq import heappop
from typing import Any

# So that a fault cannot make the number of orders endless.
MOST_STEPS, MOST_ORDERS = 400, 20_000


class OrderedLoop(asyncio.SelectorEventLoop):
    """A loop in which each await is a switch: the schedule says which of the steps that are ready is next.

    Attributes:
        choices: how many steps were ready, each time that there was a choice, and which was taken.
    """

    def __init__(self, schedule: list[int]) -> None:
        """Initialize the loop; beyond the schedule, the first step is taken."""
        super().__init__()
        self._schedule = schedule
        self._now = 0.0
        self._steps = 0
        self.choices: list[tuple[int, int]] = []

    def _make_self_pipe(self) -> None:
        """Open no sockets: there is one loop for each order, and no other thread wakes it."""

    def _close_self_pipe(self) -> None:
        """Close none."""

    def time(self) -> float:
        return self._now

    def _run_once(self) -> None:
        """Run one step; time passes when none is ready."""
        loop: Any = self
        ready, timers = loop._ready, loop._scheduled
        for handle in [handle for handle in ready if handle.cancelled()]:
            ready.remove(handle)
        if not ready and timers:
            self._now = max(self._now, timers[0].when())
        while timers and timers[0].when() <= self._now:
            handle = heappop(timers)
            handle._scheduled = False
            if not handle.cancelled():
                ready.append(handle)
        if not ready:
            return
        place = 0
        if len(ready) > 1:
            number = len(self.choices)
            place = self._schedule[number] if number < len(self._schedule) else 0
            self.choices.append((len(ready), place))
        self._steps += 1
        assert self._steps < MOST_STEPS, "it never ends"
        handle = ready[place]
        del ready[place]
        handle._run()


def orders(
    run: Callable[[], Awaitable[None]], most_switches: int = MOST_STEPS
) -> Iterator[list[int]]:
    """Run something in all orders of its steps, and yield the schedule of each; an error is raised with its schedule.

    Where there are too many of them, those come that take another step than the first so many times at most.
    """
    schedule: list[int] = []
    for _ in range(MOST_ORDERS):
        loop = OrderedLoop(schedule)
        try:
            loop.run_until_complete(run())
        except BaseException as err:
            err.add_note(f"in the order {[place for _, place in loop.choices]}")
            raise
        finally:
            loop.close()
        yield schedule
        taken = loop.choices
        switches = sum(place > 0 for _, place in taken)
        while taken and (
            taken[-1][1] == taken[-1][0] - 1
            or (not taken[-1][1] and switches >= most_switches)
        ):
            switches -= taken.pop()[1] > 0
        if not taken:
            return
        schedule = [place for _, place in taken]
        schedule[-1] += 1
    raise AssertionError("there are too many orders")
