"""Faults of what a library reads: its catalog and its feed."""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from typing import Any
from uuid import uuid4

from homeassistant.core import HomeAssistant

from ..displays import playlist, set_up
from ..libraries import library_entry
from ..simulators.catalog.simulator import CatalogSimulator
from ..simulators.feed import FeedSimulator
from . import displays
from .model import Fault, Home

EXHIBITION = "Everything Is a Window"
TIDE = playlist("Tide", "Dune", title="Tide")
NIGHT = playlist("Moon", "Stars", title="Night")


@dataclass
class LibraryHome(Home):
    """A Home Assistant with a library."""

    catalog: CatalogSimulator = field(kw_only=True)
    feed: FeedSimulator = field(kw_only=True)
    entry_id: str = ""
    # Of the playlist to publish.
    new_id: str = ""

    @property
    def written(self) -> int:
        """How many requests the feed got that change something."""
        requests = self.feed.requests.items()
        return sum(n for (method, _), n in requests if method not in ("GET", "HEAD"))

    async def library_action(self, name: str, **data: Any) -> Any:
        return await self.call(f"dp1.{name}", config_entry_id=self.entry_id, **data)


@asynccontextmanager
async def home(hass: HomeAssistant) -> AsyncIterator[LibraryHome]:
    async with (
        displays.home(hass) as shown,
        CatalogSimulator() as catalog,
        FeedSimulator(random_seed=1) as feed,
    ):
        feed.seed([TIDE])

        async def reset() -> None:
            """Set up a library that has read the list of exhibitions and nothing of what they hold."""
            if there.entry_id:
                await hass.config_entries.async_remove(there.entry_id)
            entry = library_entry(feed.url, catalog.url, title="Gallery")
            await set_up(hass, entry)
            await entry.runtime_data.async_children("exhibitions")
            there.entry_id, there.new_id = entry.entry_id, str(uuid4())

        there = LibraryHome(
            hass,
            shown.display,
            lambda: there.written,
            reset,
            catalog=catalog,
            feed=feed,
        )
        yield there


async def heal(home: LibraryHome) -> None:
    """Let both servers be well."""
    home.catalog.heal()
    home.feed.faults.clear()


async def cast(home: LibraryHome) -> str:
    """Cast an exhibition of which nothing is known but its title."""
    return await home.cast(exhibition=EXHIBITION)


async def casts(home: LibraryHome) -> None:
    assert await cast(home) == f"shows {EXHIBITION}"


def catalog(name: str, reads: str, kind: str, **details: Any) -> Fault:
    """Describe a fault in the series of an exhibition."""

    def strike(home: LibraryHome) -> None:
        home.catalog.inject(kind, route="series", **details)

    return Fault(f"catalog: {name}", reads, strike, cast, heal, casts, 0)


async def publish(home: LibraryHome) -> str:
    told = await home.library_action(
        "publish_playlist", playlist={**NIGHT, "id": home.new_id}
    )
    assert told["id"] == home.new_id
    return str(told["status"])


async def publishes(home: LibraryHome) -> None:
    """Publish another, and find it."""
    home.new_id = str(uuid4())
    assert await publish(home)
    told = await home.library_action("get_playlist", playlist_id=home.new_id)
    assert told["playlist"]["title"] == NIGHT["title"]


def feed(name: str, reads: str, sends: int, **details: Any) -> Fault:
    """Describe a fault in the answer to who publishes."""

    def strike(home: LibraryHome) -> None:
        home.feed.fault(method="POST", times=None, **details)

    return Fault(f"feed: {name}", reads, strike, publish, heal, publishes, sends)


FAULTS = (
    Fault(
        "catalog: refuses connections",
        "catalog_refused",
        lambda home: home.catalog.stop(),
        cast,
        lambda home: home.catalog.start(),
        casts,
        0,
    ),
    catalog("never answers", "catalog_no_answer", "slow", seconds=30),
    catalog("answers HTML", "catalog_web_page", "html"),
    Fault(
        "feed: refuses connections",
        "feed_refused",
        lambda home: home.feed.stop(),
        publish,
        lambda home: home.feed.start(),
        publishes,
    ),
    feed("never answers", "published|feed_lost_answer", 2, delay=1.5),
    feed("answers HTML", "feed_web_page", 2, status=200, body="<html>"),
)
