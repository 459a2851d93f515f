"""A feed with many playlists, and a catalog, served from a process of their own."""

import asyncio
from collections.abc import Iterator
from random import Random
import sys
from typing import Any
from uuid import UUID

from tests.simulators.catalog.simulator import CatalogSimulator
from tests.simulators.catalog.titles import ADJECTIVES, FIRST_NAMES, LAST_NAMES, NOUNS
from tests.simulators.feed import FeedSimulator

WORKS_PER_PLAYLIST = 5


def make_id(random: Random) -> str:
    """Make an id."""
    return str(UUID(int=random.getrandbits(128), version=4))


def make_title(random: Random) -> str:
    """Make a title of a few words."""
    return (
        f"{random.choice(ADJECTIVES)} {random.choice(NOUNS)} of {random.choice(NOUNS)}"
    )


def playlists(count: int) -> Iterator[dict[str, Any]]:
    """Make the documents of a feed, the oldest first."""
    random = Random(count)
    for number in range(count):
        key = make_id(random)
        name = f"{random.choice(FIRST_NAMES)} {random.choice(LAST_NAMES)}"
        yield {
            "dpVersion": "1.1.0",
            "id": key,
            "slug": f"playlist-{number}",
            "title": f"{make_title(random)} number {number}",
            "created": f"2026-01-01T00:00:{number % 60:02}Z",
            "curators": [{"name": name, "key": "did:key:z6Mk"}],
            "signatures": [],
            "items": [
                {
                    "id": make_id(random),
                    "title": f"{make_title(random)} {place}",
                    "source": f"https://art.example/works/{key}/{place}/index.html",
                    "duration": 300,
                    "license": "open",
                }
                for place in range(WORKS_PER_PLAYLIST)
            ],
        }


async def _serve(count: int) -> None:
    """Serve both until the process is ended."""
    feed, catalog = FeedSimulator("v2"), CatalogSimulator()
    await feed.start()
    await catalog.start()
    feed.seed(playlists(count), verbatim=True)
    print(feed.url, catalog.url, flush=True)
    await asyncio.Event().wait()


if __name__ == "__main__":
    asyncio.run(_serve(int(sys.argv[1])))
