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
from .model import Fault, Home

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


SHOWS = f"shows {EXHIBITION}"
EITHER = f"{SHOWS}|catalog_unexpected_answer|catalog_temporary"

CATALOG_FAULTS = (
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
    catalog("closes without an answer", "catalog_(lost|no)_answer", "drop"),
    catalog("never answers", "catalog_no_answer", "slow", seconds=30),
    catalog("answers late", SHOWS, "slow", seconds=0.3),
    catalog("answers 500", "catalog_temporary", "status", status=500),
    catalog(
        "answers 502 in HTML", "catalog_temporary", "status", status=502, shape="html"
    ),
    catalog("is busy", "catalog_busy", "status", status=429, retry_after="1"),
    catalog("is busy once", SHOWS, "status", status=429, retry_after="0", times=1),
    catalog(
        "answers 401",
        "catalog_(unexpected_answer|authentication)",
        "status",
        status=401,
    ),
    catalog("answers 404", "catalog_not_found|nothing", "status", status=404),
    catalog("answers HTML", "catalog_web_page", "html"),
    catalog("cuts its answer short", "catalog_(unexpected|lost|no)", "truncated"),
    catalog("answers 200 with an error", "catalog_", "error_200"),
    catalog("has null in place of records", EITHER, "null_result"),
    catalog("has no records field", "catalog_unexpected_answer", "no_result"),
    catalog("answers a bare list", EITHER, "bare_list"),
    catalog("has records that are none", EITHER, "bad_records", route="artworks"),
    catalog("has no paging", SHOWS, "no_paging"),
    catalog("has no total", SHOWS, "no_total"),
    catalog("has a wrong total", EITHER, "wrong_total", size=999),
    catalog("repeats its first page", EITHER, "offset_ignored", route="artworks"),
    catalog("gives less than asked for", SHOWS, "clamp"),
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
    **details: Any,
) -> Fault:
    """Describe a fault of the feed."""
    details.setdefault("times", None)
    if act is publish:
        details.setdefault("method", "POST")

    def strike(home: LibraryHome) -> None:
        home.feed.fault(**details)

    return Fault(FEED, name, text, strike, act, heal, works, sends)


reading = partial(feed, act=read, works=reads, sends=0)
LOST = "feed_lost_answer"

FEED_FAULTS = (
    Fault(
        FEED,
        "refuses connections",
        "feed_refused",
        lambda home: home.feed.stop(),
        publish,
        lambda home: home.feed.start(),
        publishes,
    ),
    feed("closes before it reads", LOST, cut=Cut.BEFORE_BODY, sends=2),
    feed("closes without an answer", LOST, cut=Cut.AFTER_BODY, sends=2),
    feed("carries out, answer lost", "published", cut=Cut.AFTER_DONE),
    feed("cuts its answer short", "published", cut=Cut.IN_ANSWER),
    feed("never answers", f"published|{LOST}", delay=1.5, sends=2),
    feed(
        "answers 502 in HTML",
        "feed_temporary",
        status=502,
        body=feed_faults.HTML_502,
        sends=2,
    ),
    feed(
        "carries out, answers 502",
        "published",
        status=502,
        body="<html>",
        done=True,
    ),
    feed("is busy", "feed_busy", status=429, headers={"Retry-After": "0"}, sends=3),
    feed(
        "is busy once",
        "published",
        status=429,
        headers={"Retry-After": "0"},
        times=1,
        sends=2,
    ),
    feed(
        "wants a key",
        "feed_authentication",
        status=401,
        body={"error": "unauthorized", "message": "no"},
    ),
    feed(
        "has it already",
        "feed_conflict",
        status=409,
        body={"error": "conflict", "message": "slug"},
    ),
    feed(
        "finds fault",
        "playlist_invalid|feed_invalid_request",
        status=400,
        body={"error": "validation_error", "message": "title"},
    ),
    feed(
        "answers HTML",
        "feed_web_page",
        status=200,
        body="<html>",
        sends=2,
    ),
    reading("reads: answers HTML", "feed_web_page", status=200, body="<html>"),
    reading("reads: 500", "feed_temporary", status=500),
    reading("reads: 404", "feed_not_found", status=404),
    reading("reads: never answers", "feed_lost_answer", delay=1.5),
    reading(
        "reads: cuts its answer short",
        "feed_lost_answer|feed_unexpected_answer",
        cut=Cut.IN_ANSWER,
    ),
    reading(
        "reads: changed after it was signed",
        r"\(tampered\) \[False",
        change=feed_faults.tampered,
    ),
    reading(
        "reads: fields nobody knows",
        r"reads Tide \[True",
        change=feed_faults.unknown_fields,
    ),
    reading("reads: answers a list", "feed_unexpected_answer", status=200, body=[1]),
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
