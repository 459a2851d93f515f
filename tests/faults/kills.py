"""A home that is killed at random moments while favorites come and go: ``python -m tests.faults.kills COUNT SEED``."""

import asyncio
from collections.abc import Iterator
from contextlib import suppress
import json
import os
from pathlib import Path
import random
import select
import signal
import sys
from tempfile import TemporaryDirectory
import time
from traceback import print_exc
from typing import Any

import tests.phcc_compat  # isort: skip  # noqa: F401  (the test package imports with both versions)
from pytest_homeassistant_custom_component.common import async_test_home_assistant

import custom_components  # noqa: F401  (before Home Assistant looks for its own test integrations)
from homeassistant import loader
from homeassistant.helpers import frame
from homeassistant.setup import async_setup_component

from ..displays import playlist, set_up
from ..libraries import library_entry
from ..simulators.feed import FeedSimulator

PLAYLISTS = 12
LIBRARY = "library"
# From the first acknowledged change to the kill, in seconds.
LONGEST = 0.3


def node(number: int) -> str:
    return f"playlist/385f79b6-a45f-4c1c-8080-{number:012}"


async def live(folder: Path, told: int, seed: int) -> None:
    """Tell which favorites there are, then like and dislike playlists without end, and tell what is acknowledged."""
    chance = random.Random(seed)
    async with (
        FeedSimulator(random_seed=1) as feed,
        async_test_home_assistant(config_dir=str(folder)) as hass,
    ):
        feed.seed(
            playlist("Tide", id=node(n).partition("/")[2], slug=f"tide-{n}")
            for n in range(PLAYLISTS)
        )
        hass.data.pop(loader.DATA_CUSTOM_COMPONENTS, None)
        frame.async_setup(hass)
        for domain in ("homeassistant", "network"):
            await async_setup_component(hass, domain, {})
        entry = library_entry(feed.url)
        object.__setattr__(entry, "entry_id", LIBRARY)
        await set_up(hass, entry)
        favorites = entry.runtime_data.favorites
        tell(told, ["are", sorted(each.id for each in favorites.nodes())])
        while True:
            wanted = node(chance.randrange(PLAYLISTS))
            liked = favorites.is_favorite(wanted)
            tell(told, ["will", wanted])
            await hass.services.async_call(
                "dp1",
                "remove_favorite" if liked else "add_favorite",
                {"media_content_id": f"media-source://dp1/{LIBRARY}/{wanted}"},
                blocking=True,
            )
            tell(told, ["did", wanted])


def tell(told: int, what: object) -> None:
    os.write(told, json.dumps(what).encode() + b"\n")


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


def kill_once(
    folder: Path, kept: set[str], doubtful: str, seed: int
) -> tuple[set[str], str]:
    """Start a home that has these favorites, kill it, and return the favorites it must have and the one it may have."""
    heard, told = os.pipe()
    if (child := os.fork()) == 0:
        os.close(heard)
        try:
            asyncio.run(live(folder, told, seed))
        except BaseException:  # noqa: BLE001
            print_exc()
        finally:
            os._exit(1)
    os.close(told)
    ear = Ear(heard)
    try:
        first = next(ear.lines(time.monotonic() + 60), None)
        assert first and first[0] == "are", first
        are = set(first[1])
        assert are - {doubtful} == kept - {doubtful}, (are, kept, doubtful)
        kept, doubtful = are, ""
        end = time.monotonic() + random.Random(seed).uniform(0, LONGEST)
        for word, wanted in ear.lines(end):
            if word == "will":
                doubtful = wanted
            else:
                kept ^= {wanted}
                doubtful = ""
    finally:
        with suppress(ProcessLookupError):
            os.kill(child, signal.SIGKILL)
        os.waitpid(child, 0)
        for word, wanted in ear.lines(time.monotonic()):
            doubtful = wanted if word == "will" else ""
            kept ^= {wanted} if word == "did" else set()
        os.close(heard)
    return kept, doubtful


def main(count: int, seed: int) -> None:
    """Kill a home again and again, and print how often, and how many favorites it had at the end."""
    chance = random.Random(seed)
    kept: set[str] = set()
    doubtful = ""
    with TemporaryDirectory() as name:
        folder = Path(name)
        (folder / ".storage").mkdir()
        for _ in range(count):
            kept, doubtful = kill_once(folder, kept, doubtful, chance.randrange(2**32))
            for path in folder.glob(".storage/dp1.*"):
                assert ".damaged" not in path.name, path
                # What was about to be written stays beside the file.
                if "." not in path.name.removeprefix("dp1.favorites."):
                    json.loads(path.read_bytes())
    sys.stdout.write(f"{count} kills, {len(kept)} favorites, none lost\n")


if __name__ == "__main__":
    main(int(sys.argv[1]), int(sys.argv[2]))
