"""Whatever goes wrong outside, a person reads why, and all works again soon. ``scripts/faults`` prints the table."""

import asyncio
from collections.abc import Callable, Sequence
from contextlib import AbstractAsyncContextManager, AsyncExitStack
from dataclasses import asdict
import logging
from random import randrange
import sys
import time
from typing import Any

import pytest

from custom_components.dp1.timing import Timing
from homeassistant.config_entries import ConfigEntryState
from homeassistant.core import HomeAssistant
from homeassistant.setup import async_setup_component
from scripts.benchmark_run import _display_entry, _swarm

from .displays import playlist, until
from .faults import displays, hosts, libraries, model, storages
from .faults.model import IS_REAL, Fault, Home, Row, run, shorten
from .faults.watch import Watch, frozen
from .libraries import library_entry
from .simulators.feed import FeedSimulator
from .sources import ROOT

pytestmark = [
    pytest.mark.usefixtures("socket_enabled", "short"),
    pytest.mark.timeout(300),
]

type Open = Callable[[HomeAssistant], AbstractAsyncContextManager[Home]]

TARGETS: dict[str, tuple[Open, Sequence[Fault]]] = {
    displays.HTTP: (displays.home, displays.HTTP_FAULTS),
    displays.SOCKET: (displays.home, displays.SOCKET_FAULTS),
    libraries.CATALOG: (libraries.home, libraries.CATALOG_FAULTS),
    libraries.FEED: (libraries.home, libraries.FEED_FAULTS),
    hosts.PLAYLIST: (hosts.home, hosts.PLAYLIST_FAULTS),
    hosts.PICTURE: (hosts.home, hosts.PICTURE_FAULTS),
}


@pytest.fixture
def timing() -> Timing:
    """Shorten the delays of the integration."""
    return model.timing()


@pytest.fixture
def short(monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture) -> None:
    """Wait briefly, and log no more than a person reads."""
    shorten(monkeypatch)
    caplog.set_level(logging.WARNING)


@pytest.fixture
def check(
    caplog: pytest.LogCaptureFixture, subtests: pytest.Subtests, record_property: Any
) -> Any:
    """Return what lets faults strike one after the other."""

    async def check_all(home: Home, faults: Sequence[Fault]) -> None:
        """Compare what comes of each with the goals."""
        with frozen():
            for fault in faults:
                with subtests.test(fault.name):
                    row = await run(fault, home, caplog)
                    record_property("row", asdict(row))
                    assert row.misses == []

    return check_all


@pytest.mark.parametrize("target", TARGETS)
async def test_faults(hass: HomeAssistant, target: str, check: Any) -> None:
    """A person reads what it is; at most one line, 200 ms, 64 MB and 5 s are lost, and nothing is sent twice."""
    opened, faults = TARGETS[target]
    async with opened(hass) as home:
        await check(home, faults)


async def test_storage_faults(check: Any) -> None:
    """A file that is spoiled keeps no display from starting."""
    async with storages.home() as home:
        await check(home, storages.FAULTS)


async def test_storage_faults_of_a_running_home(check: Any) -> None:
    """Neither a full disk nor a file that is spoiled is a loss, and what is acknowledged was written."""
    async with storages.home(with_library=True) as home:
        await check(home, storages.RUNNING_FAULTS)


async def test_kills(record_property: Any) -> None:
    """A home that is killed at random moments has all favorites that it acknowledged, and no file that is damaged."""
    started, seed = time.monotonic(), str(randrange(2**32))
    count = "50" if IS_REAL else "3"
    process = await asyncio.create_subprocess_exec(
        *(sys.executable, "-m", "tests.faults.kills", count, seed),
        cwd=ROOT,
        stdout=asyncio.subprocess.PIPE,
        stderr=asyncio.subprocess.STDOUT,
    )
    told, _ = await process.communicate()
    assert process.returncode == 0, told.decode()
    reads, seconds = told.decode().splitlines()[-1], time.monotonic() - started
    name = f"killed at random moments (seed {seed})"
    row = Row(storages.STORAGE, name, "", reads, [], 0.0, 0, seconds, 0, [])
    record_property("row", asdict(row))


async def test_crowd(hass: HomeAssistant, record_property: Any) -> None:
    """Many displays and libraries that are set up at once are all followed; none costs much, and none stays."""
    count, libraries = (200, 50) if IS_REAL else (8, 3)
    assert await async_setup_component(hass, "homeassistant", {})
    async with _swarm(count) as (ports, _), AsyncExitStack() as stack:
        entries = [_display_entry(number, port) for number, port in enumerate(ports)]
        for number in range(libraries):
            feed = await stack.enter_async_context(FeedSimulator(random_seed=number))
            feed.seed([playlist("Tide", "Dune")])
            entries.append(library_entry(feed.url, title=f"Feed {number}"))
        for entry in entries:
            entry.add_to_hass(hass)
        started = time.monotonic()

        def followed() -> bool:
            """Return whether every display is."""
            states = hass.states.async_all("media_player")
            return len(states) == count and all(it.state == "playing" for it in states)

        with frozen():
            async with Watch() as watch:
                set_up = hass.config_entries.async_setup
                await asyncio.gather(*(set_up(it.entry_id) for it in entries))
                await until(followed, 250)
        seconds = time.monotonic() - started
        assert {it.state for it in entries} == {ConfigEntryState.LOADED}
        each = watch.memory / len(entries)
        unload = hass.config_entries.async_unload
        await asyncio.gather(*(unload(it.entry_id) for it in entries))
        await hass.async_block_till_done()
    reads = f"all are followed; {each / 1024:.0f} KB each"
    misses = [] if each < 1024 * 1024 else [reads]
    name = f"{count} displays and {libraries} libraries at once"
    row = Row(
        "home", name, "", reads, [], watch.stall, watch.memory, seconds, 0, misses
    )
    record_property("row", asdict(row))
    assert row.misses == []
