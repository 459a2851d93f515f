"""Compare the integration with a naive implementation, in one run."""

import argparse
import asyncio
from collections.abc import AsyncIterator, Awaitable, Callable, Coroutine, Iterator
from concurrent.futures import ProcessPoolExecutor
from contextlib import ExitStack, asynccontextmanager, contextmanager
from dataclasses import asdict, dataclass
from functools import partial
import gc
from inspect import iscoroutinefunction
import json
import logging
import math
from multiprocessing import get_context
import os
from pathlib import Path
import socket
import statistics
import sys
import tempfile
import time
import tracemalloc
from typing import Any

from custom_components.dp1.library.libraries import async_tell_changed

import homeassistant  # isort: skip  # noqa: F401  (puts its own voluptuous in place before anybody imports it)
import aiohttp

import tests.phcc_compat  # isort: skip  # noqa: F401  (the test package imports with both versions)
from pytest_homeassistant_custom_component.common import (
    MockConfigEntry,
    async_test_home_assistant,
)

import custom_components  # noqa: F401  (before Home Assistant looks for its own test integrations)
from custom_components.dp1 import async_setup_data
from custom_components.dp1.client.catalog.client import Catalog
from custom_components.dp1.client.display.client import Dialect, Display
from custom_components.dp1.const import DOMAIN
from custom_components.dp1.library.library import Library
from homeassistant import loader
from homeassistant.config_entries import ConfigEntryState
from homeassistant.const import EVENT_STATE_CHANGED
from homeassistant.core import (
    CoreState,
    Event,
    EventStateChangedData,
    HomeAssistant,
    callback,
)
from homeassistant.helpers import frame
from homeassistant.setup import async_setup_component
from scripts import benchmark_large as large
from scripts.benchmark_swarm import WORKS, Clock

from tests.simulators.catalog.simulator import CatalogSimulator

SHOW = "Twenty Kinds of Weather"
# A measurement is divided into these, of which the one that is disturbed least counts.
PARTS = 4


@dataclass(frozen=True, slots=True)
class Size:
    """The size of a measurement; times in seconds."""

    displays: int = 100
    # Longer than a display needs to show all its works once.
    settle: float = WORKS + 3
    push: float = 10
    commands: int = 80
    latency: float = 0.1
    playlists: int = 10_000
    rounds: int = 10


# Enough to see that every measurement works; the numbers mean nothing.
QUICK = Size(4, 0.2, 0.2, 3, 0.01, 600, 1)


@dataclass(frozen=True, slots=True)
class Row:
    """A number with its naive counterpart and its goal; None where there is none."""

    what: str
    ours: float
    unit: str
    naive: float | None = None
    goal: float | None = None

    @property
    def fits(self) -> bool:
        """Return whether the goal is reached."""
        return self.goal is None or self.ours <= self.goal


@asynccontextmanager
async def _home(
    state: CoreState = CoreState.running,
) -> AsyncIterator[HomeAssistant]:
    """Run the core of Home Assistant alone."""
    # A thread that is not waited for may still write its sentences.
    with tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as folder:
        async with async_test_home_assistant(
            config_dir=folder, initial_state=state
        ) as hass:
            hass.data.pop(loader.DATA_CUSTOM_COMPONENTS, None)
            frame.async_setup(hass)
            # Sessions look names up over multicast DNS, which wants to know the network.
            await async_setup_component(hass, "network", {})
            try:
                yield hass
            finally:
                await hass.async_stop(force=True)


@asynccontextmanager
async def _swarm(
    count: int,
) -> AsyncIterator[tuple[list[int], Callable[[str], None], Clock]]:
    """Run bare displays in another process; yields their ports, what starts and stops the pushes, and when they pushed."""
    with tempfile.NamedTemporaryFile() as file:
        path = Path(file.name)
        process = await asyncio.create_subprocess_exec(
            sys.executable,
            *("-m", "scripts.benchmark_swarm"),
            *("--count", str(count), "--clock", str(path)),
            stdin=asyncio.subprocess.PIPE,
            stdout=asyncio.subprocess.PIPE,
        )
        # On one core, they would take the cache from each other; only Linux lets a process choose.
        cores = sorted(os.sched_getaffinity(0)) if sys.platform == "linux" else []
        if len(cores) > 1:
            os.sched_setaffinity(process.pid, cores[:1])
            os.sched_setaffinity(0, cores[1:])
        assert process.stdin and process.stdout
        ports = json.loads(await process.stdout.readline())
        stdin = process.stdin
        try:
            yield (
                ports,
                lambda word: stdin.write(f"{word}\n".encode()),
                Clock(path, count),
            )
        finally:
            process.kill()
            await process.wait()


def _display_entry(number: int, port: int) -> MockConfigEntry:
    """Return the config entry of a display."""
    return MockConfigEntry(
        domain=DOMAIN,
        title=f"Display {number}",
        unique_id=f"FF1-BENCH{number:03}",
        data={
            "kind": "display",
            "host": "127.0.0.1",
            "port": port,
            "dialect": "ff",
            "macs": [],
        },
    )


def _library_entry(catalog: str, feed: str | None = None) -> MockConfigEntry:
    """Return the config entry of a library."""
    return MockConfigEntry(
        domain=DOMAIN,
        title="Gallery",
        entry_id="library",
        state=ConfigEntryState.LOADED,
        data={
            "kind": "library",
            "catalog_url": catalog,
            "feed_url": feed,
            "api_key": None,
        },
    )


# What is measured


async def measure_command(size: Size) -> list[Row]:
    """Time a command, and a bare POST to the same display."""
    async with _swarm(1) as (ports, _, _), aiohttp.ClientSession() as session:
        display = Display(session, "127.0.0.1", ports[0], dialect=Dialect.FF)
        url = f"http://127.0.0.1:{ports[0]}/api/cast"
        body = {"command": "moveToArtwork", "request": {"index": 0}}

        async def bare() -> None:
            """Send the command without the integration."""
            async with session.post(url, json=body) as answer:
                await answer.json()

        async def ours() -> None:
            """Send the command with the integration."""
            await display.show_item(0)

        took: dict[str, list[list[float]]] = {"ours": [[], []], "bare": [[], []]}
        ways = [("bare", bare), ("ours", ours)]
        for _ in range(size.commands):
            ways.reverse()
            for place, (name, send) in enumerate(ways):
                started = time.perf_counter()
                await send()
                took[name][place].append((time.perf_counter() - started) * 1000)
            # Within the rate limit of the display
            await asyncio.sleep(0.15)
        # The first command after a pause takes longer than the second: half of each are of either kind.
        mean, naive = (
            statistics.mean(map(statistics.median, took[name]))
            for name in ("ours", "bare")
        )
        return [Row("command to the display and back", mean, "ms", naive, 1.15 * naive)]


class Frames:
    """Notes the frames of displays that are written as a state: how late each is, and the time of the processor."""

    def __init__(self, hass: HomeAssistant, clock: Clock) -> None:
        """Initialize without frames."""
        self._hass = hass
        self._clock = clock
        self.late: list[float] = []

    @callback
    def _written(self, event: Event[EventStateChangedData]) -> None:
        """Compare the time at which the display pushed with now; its number is in the title of the work."""
        state = event.data["new_state"]
        title = state.attributes.get("media_title") if state else None
        if title and state.domain == "media_player":
            self.late.append(self._clock.age(int(title.split("/")[0])) * 1000)

    async def measure(self, seconds: float) -> tuple[float, float]:
        """Return the share of one core in percent, and the least time of the processor for one frame in microseconds."""
        remove = self._hass.bus.async_listen(EVENT_STATE_CHANGED, self._written)
        self.late.clear()
        cpu, started = time.process_time(), time.monotonic()
        least = math.inf
        for _ in range(PARTS):
            before, written = time.process_time(), len(self.late)
            await asyncio.sleep(seconds / PARTS)
            # On a machine that is busy with something else, none may have come.
            while len(self.late) == written:
                await asyncio.sleep(0.05)
            took = time.process_time() - before
            least = min(least, took / (len(self.late) - written))
        load = (time.process_time() - cpu) / (time.monotonic() - started) * 100
        remove()
        self.late.sort()
        return load, least * 1e6


async def measure_push(size: Size) -> list[Row]:
    """Measure many displays that push once a second, and the memory of an idle one."""
    async with _swarm(size.displays) as (ports, tell, clock), _home() as hass:
        entries = [_display_entry(n, port) for n, port in enumerate(ports)]
        first, *rest = entries
        first.add_to_hass(hass)
        await hass.config_entries.async_setup(first.entry_id)
        await hass.async_block_till_done()
        gc.collect()
        tracemalloc.start()
        before, _ = tracemalloc.get_traced_memory()
        for entry in rest:
            entry.add_to_hass(hass)
        await asyncio.gather(
            *(hass.config_entries.async_setup(entry.entry_id) for entry in rest)
        )
        await hass.async_block_till_done()
        await asyncio.sleep(3)
        gc.collect()
        after, _ = tracemalloc.get_traced_memory()
        tracemalloc.stop()
        weight = (after - before) / max(1, len(rest)) / 1000
        frames = Frames(hass, clock)
        tell("push")
        # Each display is read once more after its first work, and what it pushes of a work is parsed once.
        await asyncio.sleep(size.settle)
        load, frame = await frames.measure(size.push)
        late = frames.late
        return [
            Row(
                f"frame to written state, {size.displays} displays, p99",
                late[int(len(late) * 0.99)],
                "ms",
                None,
                5,
            ),
            Row("the same, median", statistics.median(late), "ms"),
            Row("share of one core meanwhile", load, "%", None, 6),
            Row("memory of an idle display, its entities included", weight, "kB"),
            Row("a pushed frame", frame, "µs"),
        ]


@contextmanager
def _black_hole() -> Iterator[int]:
    """Reserve a port where connections are neither accepted nor refused, like a display without power."""
    with ExitStack() as stack:
        full = stack.enter_context(socket.create_server(("127.0.0.1", 0), backlog=0))
        for _ in range(4):
            waiting = stack.enter_context(socket.socket())
            waiting.setblocking(False)
            waiting.connect_ex(full.getsockname())
        yield full.getsockname()[1]


def measure_start(size: Size) -> list[Row]:
    """Measure the set-up of many displays of which half are off."""
    alive, half = (apart(time_start, size, dead) for dead in (0, size.displays // 2))
    what = f"start with {size.displays} displays, half of them dead (naive: none dead)"
    return [Row(what, half, "s", alive, 1.1 * alive + 0.2)]


async def time_start(size: Size, dead: int) -> float:
    """Set up displays at the same time; return the seconds until all are done."""
    async with (
        _swarm(size.displays - dead) as (ports, _, _),
        _home(CoreState.not_running) as hass,
    ):
        with _black_hole() as dead_port:
            places = [*ports, *[dead_port] * dead]
            entries = [_display_entry(n, port) for n, port in enumerate(places)]
            for entry in entries:
                entry.add_to_hass(hass)
            started = time.monotonic()
            # The first brings up the integration, and that all of its entries.
            await hass.config_entries.async_setup(entries[0].entry_id)
            await hass.async_block_till_done()
            return time.monotonic() - started


async def _sequential(
    page: Callable[..., Awaitable[Any]], **arguments: Any
) -> list[Any]:
    """Read a list page after page."""
    records: list[Any] = []
    while True:
        got = await page(offset=len(records), **arguments)
        records.extend(got.records)
        if not got.received or len(records) >= (got.total or 0):
            return records


async def measure_library(size: Size) -> list[Row]:
    """Measure reading the catalog and casting an exhibition, cold and warm, with a slow catalog."""
    async with CatalogSimulator() as catalog, _home() as hass:
        assert catalog.data.series_count
        async with aiohttp.ClientSession() as session:
            naive = Catalog(session, catalog.url)
            catalog.latency = latency = size.latency
            started = time.monotonic()
            shows = await _sequential(naive.exhibitions)
            naive_list = time.monotonic() - started
            show = next(s for s in shows if s.title == SHOW)
            started = time.monotonic()
            for series in await _sequential(naive.series, exhibition_id=show.id):
                await _sequential(naive.artworks, series_id=series.id)
            naive_show = time.monotonic() - started
        entry = _library_entry(catalog.url)
        entry.add_to_hass(hass)
        async_setup_data(hass)
        library = Library(hass, entry, partial(async_tell_changed, hass))
        catalog.reset_counters()
        started = time.monotonic()
        await library.async_start()
        await library.async_children("exhibitions")
        cold = time.monotonic() - started
        node = library.source_list().names[SHOW]
        started = time.monotonic()
        await library.async_build_playlist(node)
        cold_show = time.monotonic() - started
        most = catalog.max_in_flight
        started = time.monotonic()
        await library.async_build_playlist(node)
        warm_show = time.monotonic() - started
        await library.async_stop()
        catalog.reset_counters()
        again = Library(hass, entry, partial(async_tell_changed, hass))
        started = time.monotonic()
        await again.async_start()
        warm = time.monotonic() - started
        assert again.source_list().names
        requests = len(catalog.requests)
        await again.async_stop()
        return [
            Row("cold catalog of 51 exhibitions", cold, "s", naive_list, 5 * latency),
            Row(
                "cold exhibition of 20 series, ready to cast",
                cold_show,
                "s",
                naive_show,
                8 * latency,
            ),
            Row("the same, second time", warm_show, "s", naive_show, latency),
            Row("most catalog requests in flight", most, "", None, 4),
            Row("warm start until sources are there", warm, "s", naive_list, latency),
            Row("requests at a warm start", requests, "", None, 0),
        ]


async def measure_large(size: Size) -> list[Row]:
    """Read, keep and search a large library."""
    async with _home() as hass:
        rows = await large.measure(hass, _library_entry, size.playlists, size.rounds)
        return [Row(*row) for row in rows]


MEASURES: dict[str, Callable[[Size], Any]] = {
    "command": measure_command,
    "push": measure_push,
    "start": measure_start,
    "library": measure_library,
    "large": measure_large,
}


def apart[**P, T](measure: Callable[P, Coroutine[Any, Any, T]], *args: P.args) -> T:
    """Measure in a separate process, as Home Assistant cannot start twice in one."""
    with ProcessPoolExecutor(1, mp_context=get_context("fork")) as pool:
        return pool.submit(_run, measure, args).result()


def _run[T](measure: Callable[..., Coroutine[Any, Any, T]], args: Any) -> T:
    """Run a measurement in this process."""
    return asyncio.run(measure(*args))


def _measure(name: str, size: Size) -> list[Row]:
    """Return the rows of a measurement by its name."""
    measure = MEASURES[name]
    if iscoroutinefunction(measure):
        return apart(measure, size)
    rows: list[Row] = measure(size)
    return rows


def _table(rows: list[Row]) -> str:
    """Format the rows as a table."""
    lines = [f"{'':58} {'ours':>9} {'naive':>9} {'goal':>9}", ""]
    for row in rows:
        naive = f"{row.naive:9.2f}" if row.naive is not None else f"{'':9}"
        goal = f"{row.goal:9.2f}" if row.goal is not None else f"{'':9}"
        note = "" if row.fits else "  over the goal"
        if row.naive and row.ours:
            note = f"  {row.naive / row.ours:.1f} times as fast{note}"
        lines.append(f"{row.what:58} {row.ours:9.2f} {naive} {goal} {row.unit:2}{note}")
    return "\n".join(lines)


def main() -> int:
    """Run the selected measurements; return 1 if a goal is missed."""
    parser = argparse.ArgumentParser(prog="scripts/benchmark", description=__doc__)
    parser.add_argument("--json", type=Path, metavar="FILE")
    parser.add_argument("--only", nargs="+", choices=sorted(MEASURES))
    parser.add_argument(
        "--quick",
        action="store_true",
        help="see that every measurement works; the numbers and goals mean nothing",
    )
    options = parser.parse_args()
    logging.disable(logging.WARNING)
    size = QUICK if options.quick else Size()
    rows = [row for name in options.only or MEASURES for row in _measure(name, size)]
    print(_table(rows))
    if options.json:
        numbers = [{**asdict(row), "fits": row.fits} for row in rows]
        options.json.write_text(json.dumps(numbers, indent=2) + "\n")
    return 0 if options.quick or all(row.fits for row in rows) else 1


if __name__ == "__main__":
    sys.exit(main())
