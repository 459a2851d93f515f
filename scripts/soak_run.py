"""Live with many displays for a week, in minutes, and see that nothing grows."""

# ruff: noqa: E402
from scripts import warp

warp.install()

import argparse
import asyncio
from collections import Counter
from collections.abc import Callable
from contextlib import AsyncExitStack, suppress
from dataclasses import dataclass
import gc
import logging
from pathlib import Path
import random
import sys
import tracemalloc

from homeassistant.core import HomeAssistant
from homeassistant.exceptions import HomeAssistantError
from homeassistant.setup import async_setup_component
from scripts.benchmark_run import _home

from tests.displays import entry_of, playlist, until
from tests.libraries import library_entry
from tests.simulators.catalog.simulator import CatalogSimulator
from tests.simulators.display import DisplaySimulator
from tests.simulators.feed import FeedSimulator
from tests.timing import set_timing

OPEN_FILES = Path("/proc/self/fd")
STEP = 1800.0
KEEP_ALIVE = 16.0
ROUNDS = 6
# More of a thing than this from the second quarter to the end is growth; memory in MB.
MORE = 2.0
# The same for each display: documents differ in size.
MORE_KEPT = 0.05
EXHIBITIONS = ("Net Evil", "Everything Is a Window", "Slow Weather")
# Simulators keep the pictures that they have drawn.
NOT_COUNTED = [tracemalloc.Filter(False, f"*/{it}/*") for it in ("scripts", "tests")]


@dataclass(frozen=True, slots=True)
class Sample:
    """What there is at a moment; memory in MB."""

    tasks: int
    sockets: int
    files: int
    listeners: int
    timers: int
    kept: float

    @classmethod
    def take(cls, hass: HomeAssistant) -> Sample:
        """Count everything."""
        gc.collect()
        timers = getattr(hass.loop, "_scheduled", ())
        traces = tracemalloc.take_snapshot().filter_traces(NOT_COUNTED).traces
        return cls(
            len(asyncio.all_tasks()),
            len(_open_files("socket:")),
            len(_open_files()),
            sum(hass.bus.async_listeners().values()),
            sum(not timer.cancelled() for timer in timers),
            sum(trace.size for trace in traces) / 2**20,
        )


def _open_files(kind: str = "") -> list[str]:
    """Return what the open file descriptors of a kind are."""
    links = []
    for path in OPEN_FILES.iterdir():
        with suppress(OSError):
            links.append(str(path.readlink()))
    return [link for link in links if link.startswith(kind)]


class Soak:
    """Displays, a library, and a person who now and then does something."""

    def __init__(self, hass: HomeAssistant, seed: int) -> None:
        """Begin with nothing."""
        self._hass = hass
        self._random = random.Random(seed)
        self._actions: list[Callable[[], object]] = [
            self._cast,
            self._cast,
            self._interlude,
            self._outage,
            self._silence,
            self._reload,
            self._refresh,
            self._set_clock,
        ]
        self.displays: list[DisplaySimulator] = []
        self.entries: list[str] = []
        self.catalog = CatalogSimulator()
        self.feed = FeedSimulator(random_seed=1)
        self.done: Counter[str] = Counter()
        self._fewest = 0

    async def start(self, stack: AsyncExitStack, count: int) -> None:
        """Set everything up."""
        hass = self._hass
        await async_setup_component(hass, "homeassistant", {})
        await stack.enter_async_context(self.catalog)
        await stack.enter_async_context(self.feed)
        self.feed.seed([playlist("Tide", "Dune")])
        entries = [library_entry(self.feed.url, self.catalog.url, title="Gallery")]
        for number in range(count):
            device_id = f"FF1-{number:08}"
            display = DisplaySimulator(
                profile="B", device_id=device_id, storm_gate=False
            )
            display.caster.preflight = False
            await stack.enter_async_context(display)
            display.player.load(playlist("Dawn", "Noon", "Dusk"))
            self.displays.append(display)
            entries.append(
                entry_of(display, unique_id=device_id, title=f"Wall {number}")
            )
        # One after the other: all at once, on a busy machine, some would not answer in time.
        for entry in entries:
            entry.add_to_hass(hass)
            await hass.config_entries.async_setup(entry.entry_id)
        await hass.async_block_till_done()
        self.entries = [entry.entry_id for entry in entries]
        players = hass.states.async_entity_ids
        await until(lambda: len(players("media_player")) == count, 60)
        await self._fill_up()

    async def _fill_up(self) -> None:
        """Let everything be kept at once that is kept in days, which would look like growth."""
        for show in EXHIBITIONS:
            players = self._hass.states.async_entity_ids("media_player")
            await self._act("cast_playlist", entity_id=players, exhibition=show)
        set_timing(reading_start=0.0, reading_pause=0.0, page_pause=0.0)
        for entry_id in self.entries:
            await self._hass.config_entries.async_reload(entry_id)
        before = -1
        while before < (asked := sum(map(self.catalog.count, ("series", "artworks")))):
            before = asked
            # On a busy machine, more than a second can go by between two pages.
            await asyncio.sleep(3)

    async def live(self, seconds: float) -> None:
        """Let time go by, with something happening in every step of it."""
        for _ in range(round(seconds / STEP)):
            warp.Clock.skipped += STEP
            for display in self.displays:
                display.player.handle(
                    "moveToArtwork", {"index": self._random.randrange(3)}
                )
                display.poller.force()
            action = self._random.choice(self._actions)
            self.done[action.__name__.strip("_")] += 1
            with suppress(HomeAssistantError):
                await action()
            await self._settle()
        for _ in range(3):
            warp.Clock.skipped += 60
            await self._settle()
        await self._rest()

    async def _rest(self) -> None:
        """Wait until connections that wait for their next use are closed; reading in the background opens some again."""
        counts: list[int] = []
        while len(counts) < ROUNDS:
            warp.Clock.skipped += KEEP_ALIVE
            await asyncio.sleep(0.5)
            counts.append(len(_open_files("socket:")))
            if counts[-1] <= self._fewest:
                break
        self._fewest = min(counts)

    async def _settle(self) -> None:
        """Wait until every display is followed and has answered, and forget what the simulators were asked."""
        with suppress(TimeoutError):
            await until(lambda: all(display.sockets for display in self.displays), 10)
        quiet = 0
        while quiet < 5:
            await asyncio.sleep(0.01)
            quiet = 0 if any(d.server.in_flight for d in self.displays) else quiet + 1
        for display in self.displays:
            display.reset_counters()
        self.catalog.reset_counters()
        self.feed.log.clear()

    @property
    def lost(self) -> list[str]:
        """The displays that are not followed."""
        return [
            state.entity_id
            for state in self._hass.states.async_all("media_player")
            if state.state == "unavailable"
        ]

    async def _act(self, action: str, **data: object) -> None:
        """Call an action of the integration."""
        await self._hass.services.async_call("dp1", action, data, blocking=True)

    def _players(self) -> list[str]:
        """Return a few media players."""
        states = self._hass.states.async_entity_ids("media_player")
        return self._random.sample(states, min(3, len(states)))

    async def _cast(self) -> None:
        """Cast an exhibition."""
        show = self._random.choice(EXHIBITIONS)
        await self._act("cast_playlist", entity_id=self._players(), exhibition=show)

    async def _interlude(self) -> None:
        """Show something for a minute."""
        await self._act(
            "cast_playlist",
            entity_id=self._players(),
            playlist=playlist(f"Note {self._random.random()}", title="Note"),
            show_for={"minutes": 1},
        )

    async def _outage(self) -> None:
        """Cut the power of a display for an hour."""
        display = self._random.choice(self.displays)
        await display.power_off()
        for _ in range(4):
            warp.Clock.skipped += STEP / 2
            await asyncio.sleep(0.1)
        await display.power_on()
        warp.Clock.skipped += 60

    async def _silence(self) -> None:
        """Let sockets hang."""
        for display in self._random.sample(self.displays, 2):
            display.go_half_open()
        for _ in range(4):
            warp.Clock.skipped += 60
            await asyncio.sleep(0.1)

    async def _reload(self) -> None:
        """Reload an entry."""
        await self._hass.config_entries.async_reload(self._random.choice(self.entries))

    async def _refresh(self) -> None:
        """Look for news in the library."""
        await self._act("refresh_library", config_entry_id=self.entries[0])

    async def _set_clock(self) -> None:
        """Set the clock by hours, as a computer without a battery does, and change the time zone."""
        warp.Clock.set_by = self._random.choice((-6, -3, 0, 3, 6)) * 3600
        zones = ("Europe/Zurich", "Pacific/Kiritimati", "America/Los_Angeles", "UTC")
        await self._hass.config.async_update(time_zone=self._random.choice(zones))


def _compare(middle: Sample, end: Sample, displays: int, quick: bool) -> list[str]:
    """Return what grew; in a short run the caches are still filling."""
    # Connections that wait for their next use, and their timers, come and go.
    more = MORE + displays // 2
    limits = dict.fromkeys(("tasks", "sockets", "files", "listeners"), more)
    # A display has a timer while it is asked, and one while the end of a work is awaited, or neither.
    limits["timers"] = MORE + 2 * displays
    if not quick:
        limits |= {"kept": MORE + MORE_KEPT * displays}
    return [
        f"{name} grew from {before:.1f} to {after:.1f}"
        for name, more in limits.items()
        if (after := getattr(end, name)) > (before := getattr(middle, name)) + more
    ]


async def _soak(days: float, displays: int, seed: int, quick: bool) -> int:
    """Live through it, and compare the second quarter with the end."""
    async with _home() as hass, AsyncExitStack() as stack:
        soak = Soak(hass, seed)
        await soak.start(stack, displays)
        print(f"seed {seed}, {displays} displays, {days:g} days", flush=True)
        samples = []
        for quarter in range(1, 5):
            await soak.live(days * 86400 / 4)
            samples.append(Sample.take(hass))
            print(quarter, samples[-1], flush=True)
        print(dict(soak.done))
        problems = _compare(samples[1], samples[3], displays, quick)
        if soak.lost:
            problems.append(f"not followed any more: {', '.join(soak.lost)}")
        print("; ".join(problems) or "OK: flat from the second quarter to the end")
        return 1 if problems else 0


def main() -> int:
    """Run it in a loop whose time is moved."""
    parser = argparse.ArgumentParser(prog="scripts/soak", description=__doc__)
    parser.add_argument("--days", type=float, default=7.0)
    parser.add_argument("--displays", type=int, default=20)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--quick", action="store_true", help="a few hours of two")
    options = parser.parse_args()
    if not OPEN_FILES.exists():
        print(f"{OPEN_FILES} is missing, by which open files are counted: use Linux")
        return 2
    if options.quick:
        options.days, options.displays = 1 / 12, 2
    logging.disable(logging.CRITICAL)
    tracemalloc.start()
    with asyncio.Runner(loop_factory=warp.MovedLoop) as runner:
        return runner.run(
            _soak(options.days, options.displays, options.seed, options.quick)
        )


if __name__ == "__main__":
    sys.exit(main())
