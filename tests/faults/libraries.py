"""Faults of what a library reads: its catalog and its feed."""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from functools import partial
from typing import Any
from uuid import uuid4

from homeassistant.core import HomeAssistant

from ..displays import playlist, set_up
from ..libraries import library_entry
from ..simulators.catalog.simulator import CatalogSimulator
from ..simulators.feed import Cut, FeedSimulator, Paging, faults as feed_faults
from . import displays
from .model import Fault, Home, faults_of

CATALOG = "catalog"
FEED = "feed"
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
        return sum(
            count
            for (method, _), count in self.feed.requests.items()
            if method not in ("GET", "HEAD")
        )

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


# The catalog


async def cast(home: LibraryHome) -> str:
    """Cast an exhibition of which nothing is known but its title."""
    return await home.cast(exhibition=EXHIBITION)


async def casts(home: LibraryHome) -> None:
    assert await cast(home) == f"shows {EXHIBITION}"


def catalog(name: str, reads: str, kind: str, **details: Any) -> Fault:
    """Describe a fault in the series of an exhibition."""
    details.setdefault("route", "series")

    def strike(home: LibraryHome) -> None:
        home.catalog.inject(kind, **details)

    return Fault(CATALOG, name, reads, strike, cast, heal, casts, 0)


CATALOG_FAULTS = (
    *faults_of("libraries catalog", catalog=catalog),
    Fault(
        CATALOG,
        "refuses connections",
        "catalog_refused",
        lambda home: home.catalog.stop(),
        cast,
        lambda home: home.catalog.start(),
        casts,
        0,
    ),
)


# The feed


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


async def read(home: LibraryHome) -> str:
    told = await home.library_action("get_playlist", playlist_id=TIDE["id"])
    return f"reads {told['playlist']['title']} {[v['valid'] for v in told['verified']]}"


async def reads(home: LibraryHome) -> None:
    assert (await read(home)).startswith("reads Tide [True")


def feed(
    name: str,
    text: str,
    act: Any = publish,
    works: Any = publishes,
    sends: int = 1,
    cut: str = "",
    change: str = "",
    **details: Any,
) -> Fault:
    """Describe a fault of the feed."""
    if cut:
        details["cut"] = Cut[cut]
    if change:
        details["change"] = getattr(feed_faults, change)
    details.setdefault("times", None)
    if act is publish:
        details.setdefault("method", "POST")

    def strike(home: LibraryHome) -> None:
        home.feed.fault(**details)

    return Fault(FEED, name, text, strike, act, heal, works, sends)


reading = partial(feed, act=read, works=reads, sends=0)

FEED_FAULTS = (
    *faults_of("libraries feed", feed=feed, reading=reading),
    Fault(
        FEED,
        "refuses connections",
        "feed_refused",
        lambda home: home.feed.stop(),
        publish,
        lambda home: home.feed.start(),
        publishes,
    ),
    reading(
        "reads: nests too deep",
        "playlist_invalid",
        status=200,
        body=b"[" * 100_000,
    ),
)


async def browse(home: LibraryHome) -> str:
    found = await home.call(
        "media_player.browse_media",
        entity_id=displays.ENTITY_ID,
        media_content_id=f"media-source://dp1/{home.entry_id}/playlists",
        media_content_type="directory",
    )
    page = found[displays.ENTITY_ID]
    return f"{page.title}: {[child.title for child in page.children or ()]}"


async def browses(home: LibraryHome) -> None:
    assert "Tide" in await browse(home)


PAGING_FAULTS = tuple(
    feed(name, "Playlists", browse, browses, 0, paging=paging, path="playlists")
    for name, paging in (
        ("pages: repeats its first page", Paging.REPEAT),
        ("pages: promises more without end", Paging.EMPTY),
    )
)

FAULTS = (*CATALOG_FAULTS, *FEED_FAULTS, *PAGING_FAULTS)
