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

from .client.timing import most_memory
from .displays import playlist, until
from .faults import displays, hosts, libraries, model
from .faults.model import IS_REAL, Fault, Home, run, shorten
from .libraries import library_entry
from .simulators.feed import FeedSimulator
from .sources import ROOT

from tests.timing import Timing

pytestmark = [
    pytest.mark.usefixtures("socket_enabled"),
    pytest.mark.timeout(300),
]

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
    """Many displays and libraries that are set up at once are all followed, and take little memory."""
    count, libraries = (200, 50) if IS_REAL else (8, 3)
    assert await async_setup_component(hass, "homeassistant", {})
    async with _swarm(count) as (ports, _, _), AsyncExitStack() as stack:
        entries = [_display_entry(number, port) for number, port in enumerate(ports)]
        for number in range(libraries):
            feed = await stack.enter_async_context(FeedSimulator(random_seed=number))
            feed.seed([playlist("Tide", "Dune")])
            entries.append(library_entry(feed.url, title=f"Feed {number}"))

        def followed() -> bool:
            """Return whether every display is."""
            states = hass.states.async_all("media_player")
            return len(states) == count and all(it.state == "playing" for it in states)

        async def set_up(entries: list[MockConfigEntry]) -> None:
            for entry in entries:
                entry.add_to_hass(hass)
            setup = hass.config_entries.async_setup
            await asyncio.gather(*(setup(it.entry_id) for it in entries))
            assert {it.state for it in entries} == {ConfigEntryState.LOADED}

        # One of each first, so that all is imported.
        await set_up([entries[0], entries[-1]])

        async def crowd() -> None:
            await set_up(entries[1:-1])
            await until(followed, 60)

        assert await most_memory(crowd) / len(entries) < 1 << 20
        remove = hass.config_entries.async_remove
        await asyncio.gather(*(remove(it.entry_id) for it in entries))
        await hass.async_block_till_done()
