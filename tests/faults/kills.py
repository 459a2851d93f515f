"""A home that is killed at random moments while favorites, casts and works of a collection come and go: ``python -m tests.faults.kills COUNT SEED``."""

import asyncio
from collections.abc import Iterable, Iterator
from contextlib import suppress
from dataclasses import dataclass, field
import json
import os
from pathlib import Path
import random
import select
import signal
import socket
import sys
from tempfile import TemporaryDirectory
import time
from traceback import print_exc
from typing import Any

import tests.phcc_compat  # isort: skip  # noqa: F401  (the test package imports with both versions)
from pytest_homeassistant_custom_component.common import (
    MockConfigEntry,
    async_test_home_assistant,
)

import custom_components  # noqa: F401  (before Home Assistant looks for its own test integrations)
from custom_components.dp1.client import retry
from custom_components.dp1.client.indexer import client as indexer_client
from custom_components.dp1.display import wall as stored_wall
from homeassistant import loader
from homeassistant.config_entries import ConfigEntryState
from homeassistant.core import HomeAssistant
from homeassistant.helpers import frame
from homeassistant.setup import async_setup_component

from ..collections import COLLECTOR, E1, collection_entry
from ..displays import DEVICE_ID, ENTITY_ID, entry_of, playlist, set_up, until
from ..simulators.display import DisplaySimulator
from ..simulators.feed import FeedSimulator
from ..simulators.indexer import IndexerSimulator

# Works, playlists and casts that come and go.
COUNT = 12
ACQUIRED = "2026-02-01T00:00:00Z"
LIBRARY = "library"
WALL = "wall"
# From the first acknowledged change to the kill, in seconds.
LONGEST = 0.3


def node(number: int) -> str:
    return f"playlist/385f79b6-a45f-4c1c-8080-{number:012}"


@dataclass
class Living:
    """A home that lives, and tells what it does."""

    hass: HomeAssistant
    library: MockConfigEntry
    wall: MockConfigEntry
    indexer: IndexerSimulator
    chance: random.Random
    told: int

    def tell(self, activity: str, word: str, names: Iterable[str]) -> None:
        """Tell the names that ``are`` there, that one ``will`` be there or not, or all after that is done (``did``)."""
        line = json.dumps([activity, word, [*names]])
        os.write(self.told, line.encode() + b"\n")

    def stored(self, key: str) -> Any:
        """Return what is on the disk."""
        path = Path(self.hass.config.path(".storage", f"dp1.{key}"))
        return json.loads(path.read_bytes())["data"] if path.exists() else {}

    async def act(self, action: str, **data: Any) -> None:
        await self.hass.services.async_call("dp1", action, data, blocking=True)


async def like(home: Living) -> None:
    """Like and dislike playlists without end."""
    favorites = home.library.runtime_data.favorites
    home.tell("like", "are", [each.id for each in favorites.nodes()])
    while True:
        wanted = node(home.chance.randrange(COUNT))
        action = "remove" if favorites.has(wanted) else "add"
        home.tell("like", "will", [wanted])
        media_id = f"media-source://dp1/{LIBRARY}/{wanted}"
        await home.act(f"{action}_favorite", media_content_id=media_id)
        home.tell("like", "did", [each.id for each in favorites.nodes()])


async def cast(home: Living) -> None:
    """Cast without end, and wait until each cast is in the history on the disk."""
    entries = home.wall.runtime_data.history.entries()
    home.tell("cast", "are", [entry.title for entry in entries])

    def titles() -> list[str]:
        entries = home.stored(f"display.{WALL}").get("history", ())
        return [each["title"] for each in entries]

    while True:
        number = home.chance.randrange(COUNT)
        document = playlist("Moon", title=f"Night {number}")
        document["items"][0]["source"] += f"/{number}"
        home.tell("cast", "will", [document["title"]])
        await home.act("cast_playlist", entity_id=ENTITY_ID, playlist=document)
        last = [document["title"]]
        await until(lambda last=last: titles()[-1:] == last)
        home.tell("cast", "did", titles())


async def collect(home: Living) -> None:
    """Read a collection whose works come and go without end, and save it."""
    (collection,) = home.library.runtime_data.collections.servers

    def ids() -> list[str]:
        return [work.id for work in collection.list.records]

    home.tell("collect", "are", ids())
    # Not before, so that what was on the disk is not read again.
    works = {each["id"]: each for each in home.indexer.own(COLLECTOR, COUNT)}
    for wanted in ids():
        home.indexer.release(COLLECTOR, works[wanted])
        home.indexer.acquire(E1, works[wanted], ACQUIRED)
    await home.indexer.start()
    while True:
        wanted = home.chance.choice([*works])
        was_there = wanted in ids()
        home.tell("collect", "will", [wanted])
        if was_there:
            home.indexer.release(E1, works[wanted])
        else:
            home.indexer.acquire(E1, works[wanted], ACQUIRED)
        async with asyncio.timeout(30):
            while (wanted in ids()) is was_there:
                await collection.async_refresh()
        await collection._store.async_save_now(collection.to_store())
        home.tell("collect", "did", ids())


ACTIVITIES = (like, cast, collect)


async def live(folder: Path, told: int, seed: int, port: int) -> None:
    """Do everything without end, and tell what is acknowledged, or on the disk."""
    indexer_client.PAUSE = retry.FIRST_PAUSE = 0.01
    stored_wall.SAVE_DELAY = 0.02
    indexer = IndexerSimulator(port=port)
    indexer.records.clear()
    async with (
        FeedSimulator(random_seed=1) as feed,
        DisplaySimulator(profile="B", device_id=DEVICE_ID, storm_gate=False) as display,
        async_test_home_assistant(config_dir=str(folder)) as hass,
    ):
        feed.seed(
            playlist("Tide", id=node(n).partition("/")[2], slug=f"tide-{n}")
            for n in range(COUNT)
        )
        hass.data.pop(loader.DATA_CUSTOM_COMPONENTS, None)
        frame.async_setup(hass)
        for domain in ("homeassistant", "network"):
            await async_setup_component(hass, domain, {})
        library = collection_entry(feed.url, indexer.url, E1)
        wall = entry_of(display)
        for entry, entry_id in ((library, LIBRARY), (wall, WALL)):
            object.__setattr__(entry, "entry_id", entry_id)
            await set_up(hass, entry)
            assert entry.state is ConfigEntryState.LOADED, entry.state
        home = Living(hass, library, wall, indexer, random.Random(seed), told)
        async with asyncio.TaskGroup() as tasks:
            for activity in ACTIVITIES:
                tasks.create_task(activity(home))


class Ear:
    """Hears what is told, line by line."""

    def __init__(self, heard: int) -> None:
        """Initialize with the end of a pipe."""
        self._heard = heard
        self._rest = b""

    def lines(self, until: float) -> Iterator[list[Any]]:
        """Yield what is told up to a moment, on the monotonic clock."""
        while True:
            while b"\n" in self._rest:
                line, _, self._rest = self._rest.partition(b"\n")
                yield json.loads(line)
            left = max(0.0, until - time.monotonic())
            if not select.select([self._heard], [], [], left)[0]:
                return
            if not (more := os.read(self._heard, 65536)):
                return
            self._rest += more


@dataclass
class Names:
    """The names of an activity that must be there, and those that may be there or not."""

    kept: set[str] = field(default_factory=set)
    doubtful: set[str] = field(default_factory=set)
    changes: int = 0

    def hear(self, word: str, names: list[str]) -> None:
        """Hear of a change, or what is there after a restart."""
        if word == "will":
            self.doubtful = {*names}
            return
        if word == "are":
            lost = (self.kept ^ {*names}) - self.doubtful
            assert not lost, (lost, names, self)
        self.kept, self.doubtful = {*names}, set()
        self.changes += word == "did"


def kill_once(folder: Path, names: dict[str, Names], seed: int, port: int) -> None:
    """Start a home that has these names, and kill it once it has changed some of each activity."""
    heard, told = os.pipe()
    if (child := os.fork()) == 0:
        os.close(heard)
        try:
            asyncio.run(live(folder, told, seed, port))
        except BaseException:  # noqa: BLE001
            print_exc()
        finally:
            os._exit(1)
    os.close(told)
    ear = Ear(heard)
    before = {name: each.changes for name, each in names.items()}

    def waits() -> bool:
        """Return whether an activity has changed nothing yet."""
        return any(each.changes == before[name] for name, each in names.items())

    try:
        for activity, word, told_names in ear.lines(time.monotonic() + 60):
            names[activity].hear(word, told_names)
            if not waits():
                break
        assert not waits(), names
        end = time.monotonic() + random.Random(seed).uniform(0, LONGEST)
        for activity, word, told_names in ear.lines(end):
            names[activity].hear(word, told_names)
    finally:
        with suppress(ProcessLookupError):
            os.kill(child, signal.SIGKILL)
        os.waitpid(child, 0)
        for activity, word, told_names in ear.lines(time.monotonic()):
            names[activity].hear(word, told_names)
        os.close(heard)


def main(count: int, seed: int) -> None:
    """Kill a home again and again, and print how often, and what it had at the end."""
    chance = random.Random(seed)
    names = {activity.__name__: Names() for activity in ACTIVITIES}
    with socket.create_server(("127.0.0.1", 0)) as free:
        port = free.getsockname()[1]
    with TemporaryDirectory() as name:
        folder = Path(name)
        (folder / ".storage").mkdir()
        for _ in range(count):
            kill_once(folder, names, chance.randrange(2**32), port)
            for path in folder.glob(".storage/dp1.*"):
                assert ".damaged" not in path.name, path
                json.loads(path.read_bytes())
        rubbish = len([*folder.glob(".storage/tmp*")])
        # What Home Assistant was about to write at a kill stays beside the files.
        assert rubbish <= len(ACTIVITIES) * count, rubbish
    kept = ", ".join(
        f"{len(each.kept)} of {n} ({each.changes} changes)" for n, each in names.items()
    )
    sys.stdout.write(f"{count} kills, {kept}, none lost, {rubbish} unfinished files\n")


if __name__ == "__main__":
    main(int(sys.argv[1]), int(sys.argv[2]))
