"""A large library: what it holds, a feed that serves it, and what reading, keeping and searching it costs."""

import asyncio
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from functools import partial
import gc
from itertools import pairwise
import json
from random import Random
import statistics
import sys
import time
import tracemalloc
from typing import Any

from custom_components.dp1 import async_setup_data
from custom_components.dp1.client.catalog.models import (
    Alumni,
    Artwork,
    Exhibition,
    Series,
)
from custom_components.dp1.client.feed.models import FeedPlaylist
from custom_components.dp1.library.libraries import async_tell_changed
from custom_components.dp1.library.library import Library
from custom_components.dp1.library.listing import record_to_text
from custom_components.dp1.library.search import Query
from homeassistant.config_entries import ConfigEntry
from homeassistant.core import HomeAssistant
from homeassistant.util import dt as dt_util
from scripts.benchmark_feed import make_id, make_title, playlists

from tests.simulators.catalog.titles import FIRST_NAMES, LAST_NAMES
from tests.timing import set_timing

SERIES_PER_SHOW, WORKS_PER_SERIES = 2, 10
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


def catalog(count: int) -> dict[str, Any]:
    """Make what is stored of a catalog of so many exhibitions."""
    random, series_lists, artwork_lists, shows = Random(count), {}, {}, []
    now = dt_util.utcnow()

    def listed(records: list[Any]) -> dict[str, Any]:
        """Return a stored list."""
        return {
            "complete": True,
            "total": len(records),
            "read_at": now.isoformat(),
            "records": list(map(record_to_text, records)),
        }

    for number in range(count):
        people = tuple(
            Alumni(
                make_id(random),
                f"{random.choice(FIRST_NAMES)} {random.choice(LAST_NAMES)}",
            )
            for _ in range(5)
        )
        show = Exhibition(
            id=make_id(random),
            title=f"{make_title(random)} {number}",
            slug=f"show-{number}",
            opens_at=now,
            artists=people,
            pictures=(f"https://pictures.example/{number}",),
        )
        shows.append(show)
        all_series = [
            Series(
                id=make_id(random),
                exhibition_id=show.id,
                title=make_title(random),
                max_artwork=WORKS_PER_SERIES,
                artists=people[:1],
                unique_preview_path=f"previews/{number}",
            )
            for _ in range(SERIES_PER_SHOW)
        ]
        series_lists[show.id] = listed(all_series)
        for series in all_series:
            artwork_lists[series.id] = listed(
                [
                    Artwork(
                        id=str(random.getrandbits(256)),
                        index=place,
                        name=f"#{place}",
                        sources=(f"previews/{series.id}/{place}/index.html",),
                        chain="ethereum",
                        contract=f"0x{random.getrandbits(160):040x}",
                        token_id=str(random.getrandbits(256)),
                    )
                    for place in range(WORKS_PER_SERIES)
                ]
            )
    return {
        "exhibitions": listed(shows),
        "series": series_lists,
        "artworks": artwork_lists,
    }


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


async def _async_artworks_loaded(library: Library) -> None:
    """Wait for the works of the catalog, which are loaded last."""
    last = library.catalog_server.all_series[-1][0].id
    while not library.catalog_server.artworks_of(last).records:
        await asyncio.sleep(0.05)


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
        library = Library(
            hass, entry_of(catalog_url, feed_url), partial(async_tell_changed, hass)
        )
        of_feed, of_catalog = library.feed_server, library.catalog_server
        stored = await asyncio.to_thread(catalog, max(1, count // 10))
        await asyncio.to_thread(of_catalog.restore, stored | {"url": of_catalog.url})
        stalls = Stalls()
        await library.async_start()
        await of_feed.async_refresh()
        while len(of_feed.list.records) < count:
            await asyncio.sleep(0.05)
        stall_reading = stalls.end()
        await library.async_stop()
        del library, of_feed, of_catalog, stored
        gc.collect()
        tracemalloc.start()
        library = Library(
            hass, entry_of(catalog_url, feed_url), partial(async_tell_changed, hass)
        )
        await library.async_start()
        await library.async_hits("tide")
        await _async_artworks_loaded(library)
        gc.collect()
        memory = tracemalloc.get_traced_memory()[0] / 1e6
        tracemalloc.stop()
        await library.async_stop()
        del library
        gc.collect()
        library = Library(
            hass, entry_of(catalog_url, feed_url), partial(async_tell_changed, hass)
        )
        stalls = Stalls()
        started = time.process_time()
        await library.async_start()
        assert library.source_list().names
        warm = time.process_time() - started
        await _async_artworks_loaded(library)
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
