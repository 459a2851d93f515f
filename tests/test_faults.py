"""Whatever goes wrong outside, a person reads why, and all works again."""

import asyncio
from collections.abc import Callable, Sequence
from contextlib import AbstractAsyncContextManager, AsyncExitStack
import logging
from random import randrange
import sys

import pytest
from pytest_homeassistant_custom_component.common import MockConfigEntry

from homeassistant.config_entries import ConfigEntryState
from homeassistant.core import HomeAssistant
from homeassistant.setup import async_setup_component
from scripts.benchmark_run import _display_entry, _swarm

from .displays import playlist, until
from .faults import displays, hosts, libraries, model, storages
from .faults.crowd import Shape, bare_entry, bare_integration, shape_of
from .faults.model import IS_REAL, Fault, Home, run, shorten
from .faults.watch import Watch, set_apart
from .libraries import library_entry
from .simulators.feed import FeedSimulator
from .sources import ROOT

from tests.timing import Timing

pytestmark = [
    pytest.mark.usefixtures("socket_enabled"),
    pytest.mark.timeout(300),
]

# What the set-up of many entries may add to the stall of as many bare ones, in seconds.
MORE_STALL = 0.1

type Open = Callable[[HomeAssistant], AbstractAsyncContextManager[Home]]

TARGETS: dict[str, tuple[Open, Sequence[Fault]]] = {
    "display": (displays.home, displays.FAULTS),
    "library": (libraries.home, libraries.FAULTS),
    "hosts": (hosts.home, hosts.FAULTS),
}


@pytest.fixture
def timing() -> Timing:
    """Shorten the delays of the integration."""
    return model.TIMING


@pytest.fixture(autouse=True)
def short(monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture) -> None:
    """Wait briefly, and log no more than a person reads."""
    shorten(monkeypatch)
    caplog.set_level(logging.WARNING)


@pytest.mark.parametrize("target", TARGETS)
async def test_faults(
    hass: HomeAssistant,
    target: str,
    caplog: pytest.LogCaptureFixture,
    subtests: pytest.Subtests,
) -> None:
    """A person reads what it is; at most one line is logged, and nothing is sent twice."""
    opened, faults = TARGETS[target]
    async with opened(hass) as home:
        for fault in faults:
            with subtests.test(fault.name):
                await run(fault, home, caplog)


async def test_storage_faults_of_a_running_home(
    caplog: pytest.LogCaptureFixture, subtests: pytest.Subtests
) -> None:
    """A full disk is no loss, and what is acknowledged was written."""
    async with storages.home() as home:
        for fault in storages.FAULTS:
            with subtests.test(fault.name):
                await run(fault, home, caplog)


async def test_kills() -> None:
    """A home that is killed at random moments has all that it acknowledged or that was on the disk, and no file that is damaged."""
    count, seed = ("50", str(randrange(2**32))) if IS_REAL else ("2", "1")
    process = await asyncio.create_subprocess_exec(
        *(sys.executable, "-m", "tests.faults.kills", count, seed),
        cwd=ROOT,
        stdout=asyncio.subprocess.PIPE,
        stderr=asyncio.subprocess.STDOUT,
    )
    told, _ = await process.communicate()
    assert process.returncode == 0, told.decode()


async def test_crowd(hass: HomeAssistant) -> None:
    """Many displays and libraries that are set up at once are all followed; beyond what Home Assistant takes for as many entries and entities, the loop stands still for no longer than a moment."""
    count, libraries = (200, 50) if IS_REAL else (8, 3)
    assert await async_setup_component(hass, "homeassistant", {})
    async with _swarm(count) as (ports, _, _), AsyncExitStack() as stack:
        entries = [_display_entry(number, port) for number, port in enumerate(ports)]
        urls = [f"http://127.0.0.1:{port}/api/v2/status" for port in ports]
        for number in range(libraries):
            feed = await stack.enter_async_context(FeedSimulator(random_seed=number))
            feed.seed([playlist("Tide", "Dune")])
            entries.append(library_entry(feed.url, title=f"Feed {number}"))
            urls.append(feed.url)

        def followed() -> bool:
            """Return whether every display is."""
            states = hass.states.async_all("media_player")
            return len(states) == count and all(it.state == "playing" for it in states)

        # One of each first, so that all is imported, and to see which entities it has.
        shapes = [await _try(hass, entry) for entry in (entries[0], entries[-1])]
        stack.enter_context(bare_integration(hass))
        await _try(hass, bare_entry("first", urls[0], shapes[0]))
        bare = [
            bare_entry(entry.title, url, shapes[number >= count])
            for number, (entry, url) in enumerate(zip(entries, urls, strict=True))
        ]
        own, _ = await _set_up_at_once(hass, bare, lambda: True)
        stall, memory = await _set_up_at_once(hass, entries, followed)
    assert memory / len(entries) < 1 << 20
    # What the machine does beside it, is in both: at night it is asked for less.
    assert not IS_REAL or stall < own + MORE_STALL


async def _try(hass: HomeAssistant, entry: MockConfigEntry) -> Shape:
    """Set an entry up and remove it; return which entities it had."""
    entry.add_to_hass(hass)
    assert await hass.config_entries.async_setup(entry.entry_id)
    await hass.async_block_till_done()
    shape = shape_of(hass, entry)
    await hass.config_entries.async_remove(entry.entry_id)
    return shape


async def _set_up_at_once(
    hass: HomeAssistant, entries: list[MockConfigEntry], done: Callable[[], bool]
) -> tuple[float, int]:
    """Set entries up at once until all is done, and remove them; return the stall and the memory."""
    for entry in entries:
        entry.add_to_hass(hass)
    set_apart()
    async with Watch() as watch:
        set_up = hass.config_entries.async_setup
        await asyncio.gather(*(set_up(it.entry_id) for it in entries))
        await until(done, 60)
    assert {it.state for it in entries} == {ConfigEntryState.LOADED}
    remove = hass.config_entries.async_remove
    await asyncio.gather(*(remove(it.entry_id) for it in entries))
    await hass.async_block_till_done()
    return watch.stall, watch.memory
