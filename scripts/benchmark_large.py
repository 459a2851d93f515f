"""A large library: what it holds, a feed that serves it, and what reading, keeping and searching it costs."""

import asyncio
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from functools import partial
import gc
from itertools import pairwise
import json
import statistics
import sys
import time
import tracemalloc
from typing import Any

from custom_components.dp1 import async_setup_data
from custom_components.dp1.client.feed.models import FeedPlaylist
from custom_components.dp1.library.libraries import async_tell_changed
from custom_components.dp1.library.library import Library
from custom_components.dp1.library.search import Query
from homeassistant.config_entries import ConfigEntry
from homeassistant.core import HomeAssistant
from scripts.benchmark_feed import playlists

from tests.timing import set_timing

QUERIES = (
    "tide",
    "of",
    "a",
    "work 17",
    "red river",
    "no such thing",
    "number 9000",
    "number",
    "quiet",
    "é",
    "quite rivver",
    "jaged prizm of the tied number nine",
    "everything by ines hadad",
)

type Numbers = tuple[str, float, str, float | None, float | None]


@asynccontextmanager
async def _served(count: int) -> AsyncIterator[tuple[str, str]]:
    """Serve a feed and a catalog from another process; yields their URLs."""
    process = await asyncio.create_subprocess_exec(
        *(sys.executable, "-m", "scripts.benchmark_feed", str(count)),
        stdout=asyncio.subprocess.PIPE,
    )
    assert process.stdout
    try:
        feed_url, catalog_url = (await process.stdout.readline()).decode().split()
        yield feed_url, catalog_url
    finally:
        process.kill()
        await process.wait()


class Stalls:
    """Watch for how long the event loop does nothing else, in milliseconds of this process's processor time.

    Other threads stop the loop as well while they hold the lock of the interpreter.
    """

    def __init__(self) -> None:
        """Begin."""
        self._beats = [time.process_time()]
        self._task = asyncio.create_task(self._beat())

    async def _beat(self) -> None:
        """Note the time at every turn of the loop."""
        while True:
            self._beats.append(time.process_time())
            await asyncio.sleep(0.001)

    def end(self) -> float:
        """Return the longest stall."""
        self._task.cancel()
        self._beats.append(time.process_time())
        return max(1000 * (later - one) for one, later in pairwise(self._beats))


def _linear(library: Library, text: str) -> int:
    """Search as one would at first: every title, one after the other."""
    query, found = Query.of(text), 0
    for show in library.catalog_server.list.records:
        found += any(query.score(show.title, person.name) for person in show.artists)
    for series, _ in library.catalog_server.all_series:
        found += bool(query.score(series.title))
    for playlist in library.feed_server.list.records:
        found += bool(query.score(playlist.title, ", ".join(playlist.curators)))
        for item in playlist.items:
            found += bool(query.score(item.title, context=playlist.title))
    return found


async def measure(
    hass: HomeAssistant,
    entry_of: Callable[[str, str], ConfigEntry[Any]],
    count: int,
    rounds: int,
) -> list[Numbers]:
    """Read a large library, keep it, start with it again and search it; returns text, ours, unit, naive, goal.

    Times are those of the processor, which other work on the machine does not change.
    """
    async_setup_data(hass)
    set_timing(page_pause=0)
    documents = await asyncio.to_thread(lambda: list(playlists(count)))
    text = json.dumps(documents)
    started = time.process_time()
    parsed = [FeedPlaylist.parse(document) for document in json.loads(text)]
    naive_parse = 1000 * (time.process_time() - started)
    assert len(parsed) == count
    queries = *QUERIES, documents[count // 2]["title"]
    del documents, text, parsed
    # Collections would take longer than what is measured.
    gc.collect()
    gc.freeze()
    async with _served(count) as (feed_url, catalog_url):
        entry = entry_of(catalog_url, feed_url)
        made = partial(Library, hass, entry, partial(async_tell_changed, hass))
        library = made()
        of_feed = library.feed_server
        stalls = Stalls()
        await library.async_start()
        await of_feed.async_refresh()
        while len(of_feed.list.records) < count:
            await asyncio.sleep(0.05)
        stall_reading = stalls.end()
        await library.async_stop()
        del library, of_feed
        gc.collect()
        tracemalloc.start()
        library = made()
        await library.async_start()
        await library.async_hits("tide")
        gc.collect()
        memory = tracemalloc.get_traced_memory()[0] / 1e6
        tracemalloc.stop()
        await library.async_stop()
        del library
        gc.collect()
        library = made()
        stalls = Stalls()
        started = time.process_time()
        await library.async_start()
        assert library.source_list().names
        warm = time.process_time() - started
        stall_start = stalls.end()
        assert len(library.feed_server.list.records) == count
        await library.async_hits("tide")
        found: list[float] = []
        naive: list[float] = []
        stalls = Stalls()
        for _ in range(rounds):
            for query in queries:
                started = time.process_time()
                await library.async_hits(query)
                found.append(1000 * (time.process_time() - started))
        stall_search = stalls.end()
        for query in QUERIES:
            started = time.process_time()
            _linear(library, query)
            naive.append(1000 * (time.process_time() - started))
        await library.async_stop()
    return [
        (f"search in {count:,} playlists, p99", sorted(found)[int(len(found) * 0.99)], "ms", max(naive), 50),
        ("the same, median", statistics.median(found), "ms", statistics.median(naive), None),
        ("longest stall of the loop meanwhile", stall_search, "ms", max(naive), 50),
        (f"longest stall while {count:,} playlists are read", stall_reading, "ms", naive_parse, 50),
        ("warm start with them until sources are there", warm, "s", naive_parse / 1000, 1),
        ("longest stall meanwhile", stall_start, "ms", None, 50),
        ("memory of the library", memory, "MB", None, 100),
    ]  # fmt: skip
