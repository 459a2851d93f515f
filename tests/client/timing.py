"""Timeouts of the client in tests, and measurements of time and memory."""

import asyncio
from collections.abc import Awaitable, Callable
import gc
from itertools import pairwise
import os
import time
import tracemalloc

from hypothesis import settings
import pytest

from custom_components.dp1.client import retry
from custom_components.dp1.client.catalog import client as catalog
from custom_components.dp1.client.feed import connection as feed_connection

# Nobody knows how busy the machine is. In the suite random inputs are the same each time; at night they are others.
settings.register_profile("suite", deadline=None, derandomize=True)
settings.register_profile("night", deadline=None, max_examples=2000)
settings.load_profile("suite")
# No clock judges the suite.
TIMED = "DP1_TIMED" in os.environ


def impatient(monkeypatch: pytest.MonkeyPatch, seconds: float = 10.0) -> None:
    """Shorten the timeouts for servers.

    Args:
        monkeypatch: restores them.
        seconds: for a request; on a busy machine, an answer takes a while.
    """
    monkeypatch.setattr(retry, "FIRST_PAUSE", 0.01)
    monkeypatch.setattr(catalog, "TIMEOUT_SECONDS", seconds)
    monkeypatch.setattr(feed_connection, "READ_TIMEOUT", seconds)
    monkeypatch.setattr(feed_connection, "WRITE_TIMEOUT", seconds)


def seconds(action: Callable[[], object]) -> float:
    """Return the processor time that something takes at night, in seconds; the suite only does it."""
    before = time.process_time()
    action()
    return time.process_time() - before if TIMED else 0.0


async def worst_stall(
    action: Callable[[], Awaitable[object]], most_seconds: float
) -> float:
    """Return the longest time in seconds for which this process blocked the loop, in the best of up to three runs; the suite only runs it."""
    if not TIMED:
        await action()
        return 0.0

    async def beat() -> None:
        while True:
            beats.append(time.process_time())
            await asyncio.sleep(0.001)

    stalls: list[float] = []
    while len(stalls) < 3 and (not stalls or stalls[-1] >= most_seconds):
        beats = [time.process_time()]
        task = asyncio.create_task(beat())
        await action()
        beats.append(time.process_time())
        task.cancel()
        stalls.append(max(later - sooner for sooner, later in pairwise(beats)))
    return min(stalls)


async def most_memory(action: Callable[[], Awaitable[object]]) -> int:
    """Return the peak of additional memory in bytes."""
    gc.collect()
    tracemalloc.start()
    try:
        before, _ = tracemalloc.get_traced_memory()
        await action()
        return tracemalloc.get_traced_memory()[1] - before
    finally:
        tracemalloc.stop()
