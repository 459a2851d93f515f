"""Reads the catalog and the feed as far as is needed, keeps what was read and serves that while it is new enough."""

import asyncio
from collections.abc import Callable
from dataclasses import replace
from functools import partial
from typing import Any

from homeassistant.config_entries import ConfigEntry
from homeassistant.core import CALLBACK_TYPE, HomeAssistant, callback
from homeassistant.util import dt as dt_util

from ..client.catalog.client import Catalog
from ..client.catalog.models import Artwork, Exhibition, Series
from ..client.catalog.paging import PAGE_SIZE, Listing
from ..client.errors import (
    Dp1Error,
    NoAnswerError,
    NotFoundError,
    UnexpectedAnswerError,
)
from ..client.feed.client import Feed, StoredPlaylist
from ..const import LOGGER
from .cache import CacheStore, LibraryCache
from .cached_list import CachedList, Storable
from .feed_records import FeedChannel, FeedPlaylist
from .shared_reads import Health, SharedReads
from .works import KnownWorks, RecentlyUsed

# How long a reader waits; the read itself goes on, and serves the next one.
PATIENCE = 10.0
# Series and works change rarely: what is older is still shown at once, and read again behind the scenes.
FRESH_SECONDS = 3600.0
DOCUMENT_FRESH_SECONDS = 60.0
# Displays are told of many changes at once.
TELL_SECONDS = 0.1
EXHIBITIONS = "exhibitions"
PLAYLISTS = "playlists"
MAX_WORKS = 3000
MAX_DOCUMENTS = 16
MAX_PLAYLISTS = 500
FEED_PAGE = 50
# Reading every exhibition's series is the only way to a series that nothing is known of.
FIND_SERIES_SECONDS = 30.0


class Index:
    """What is known of a catalog and a feed.

    Reads never raise for what could not be read: what there is of it comes with the reason. Equal reads at the same
    time are one, and a reader that does not wait for the end leaves it to the others.
    """

    def __init__(
        self,
        hass: HomeAssistant,
        entry: ConfigEntry[Any],
        catalog: Catalog | None,
        feed: Feed | None,
        refresh_seconds: float,
    ) -> None:
        """Prepare; nothing is sent before ``async_start``."""
        self._hass = hass
        self._entry = entry
        self._refresh_seconds = refresh_seconds
        self.catalog = catalog
        self.feed = feed
        self.catalog_health = Health(f"The catalog {catalog.url if catalog else ''}")
        self.feed_health = Health(f"The feed {feed.url if feed else ''}")
        self.works = KnownWorks()
        self.generation = 0
        self._shelf = LibraryCache()
        self._store = CacheStore(
            hass,
            entry.entry_id,
            catalog.url if catalog else None,
            feed.url if feed else None,
        )
        self._series: dict[str, Series] = {}
        self._exhibitions: dict[str, Exhibition] = {}
        self._playlists: dict[str, FeedPlaylist] = {}
        self._documents: RecentlyUsed[tuple[float, StoredPlaylist]] = RecentlyUsed(
            MAX_DOCUMENTS
        )
        self._reads = SharedReads(hass, entry)
        self._stopped = False
        self._listeners: list[CALLBACK_TYPE] = []
        self._telling: asyncio.TimerHandle | None = None

    # Coming and going

    async def async_start(self) -> None:
        """Put up what was kept, and keep it fresh from now on."""
        self._shelf = await self._store.async_load()
        self._learn_exhibitions()
        self._learn_playlists()
        await self._hass.async_add_executor_job(self._learn_works)
        for server, name, kept, read in (
            (
                self.catalog,
                EXHIBITIONS,
                lambda: self.exhibitions,
                self._read_exhibitions,
            ),
            (self.feed, PLAYLISTS, lambda: self.playlists, self._read_feed),
        ):
            if server is not None:
                self._reads.keep_fresh(name, kept, read, self._refresh_seconds)

    async def async_stop(self) -> None:
        """Write the copy on disk, read no more, and tell nobody any more."""
        self._reads.stop()
        self._stopped = True
        if self._telling:
            self._telling.cancel()
        await self._store.async_save(self._shelf)

    @callback
    def async_add_listener(self, listener: CALLBACK_TYPE) -> CALLBACK_TYPE:
        """Tell of every change; returns how to stop that."""
        self._listeners.append(listener)
        return lambda: self._listeners.remove(listener)

    @callback
    def changed(self) -> None:
        """Tell soon that something is different now."""
        self.generation += 1
        if self._telling is None and not self._stopped:
            self._telling = self._hass.loop.call_later(TELL_SECONDS, self._tell)

    @callback
    def _tell(self) -> None:
        """Tell that something is different now."""
        self._telling = None
        for listener in list(self._listeners):
            listener()

    # What is there

    @property
    def exhibitions(self) -> CachedList[Exhibition]:
        """Every exhibition, newest first."""
        return self._shelf.exhibitions

    @property
    def playlists(self) -> CachedList[FeedPlaylist]:
        """The feed's playlists, newest first."""
        return self._shelf.playlists

    @property
    def channels(self) -> tuple[FeedChannel, ...]:
        """The feed's channels."""
        return self._shelf.channels

    @property
    def problem(self) -> Dp1Error | None:
        """Why not all can be read at present; None if nothing is wrong."""
        return self.catalog_health.problem or self.feed_health.problem

    @property
    def all_series(self) -> list[Series]:
        """Every series that was read."""
        return list(self._series.values())

    @property
    def casts(self) -> RecentlyUsed[str]:
        """Node id by id or address of a playlist that was made or handed out here."""
        return self._shelf.casts

    def exhibition(self, key: str) -> Exhibition | None:
        """Find an exhibition."""
        return self._exhibitions.get(key)

    def is_open(self, exhibition: Exhibition) -> bool:
        """Tell whether an exhibition can be seen now, and is not known to be empty."""
        series = self.series_of(exhibition.id)
        empty = series.complete and not series.records
        return exhibition.viewable(dt_util.utcnow()) and not empty

    def series(self, key: str) -> Series | None:
        """Find a series that was read."""
        return self._series.get(key)

    def series_of(self, exhibition_id: str) -> CachedList[Series]:
        """List the series of an exhibition as far as they were read."""
        return self._shelf.series.get(exhibition_id, CachedList())

    def artworks_of(self, series_id: str) -> CachedList[Artwork]:
        """List the works of a series as far as they were read."""
        return self._shelf.artworks.get(series_id, CachedList())

    def playlist(self, ref: str) -> FeedPlaylist | None:
        """Find a playlist of the feed by id, slug or address."""
        if self.feed is not None:
            ref = ref.removeprefix(f"{self.feed.url}/playlists/")
        return self._playlists.get(ref) or self._playlists.get(ref.lower())

    @callback
    def remember_cast(self, name: str, node: str) -> None:
        """Remember what a playlist, by its id or address, was made for."""
        if self.casts.get(name) != node:
            self.casts.keep(name, node)
            self._store.async_save_later(self._shelf)
            self.changed()

    # Reading

    async def async_exhibitions(
        self, patience: float = PATIENCE
    ) -> CachedList[Exhibition]:
        """List the exhibitions; waits only where they were never read."""
        if self.catalog is None:
            return self.exhibitions
        return await self._reads.fresh(
            EXHIBITIONS,
            lambda: self.exhibitions,
            self._read_exhibitions,
            fresh_seconds=self._refresh_seconds,
            patience=patience,
        )

    async def async_playlists(
        self, patience: float = PATIENCE
    ) -> CachedList[FeedPlaylist]:
        """List the feed's playlists; waits only where they were never read."""
        if self.feed is None:
            return self.playlists
        return await self._reads.fresh(
            PLAYLISTS,
            lambda: self.playlists,
            self._read_feed,
            fresh_seconds=self._refresh_seconds,
            patience=patience,
        )

    async def async_exhibition(
        self, key: str, patience: float = PATIENCE
    ) -> Exhibition:
        """Find an exhibition.

        Raises:
            NotFoundError: there is none.
            Dp1Error: why that cannot be told.
        """
        if (found := self.exhibition(key)) is None:
            kept = await self.async_exhibitions(patience)
            if (found := self.exhibition(key)) is None:
                raise kept.reason or NotFoundError(f"no exhibition {key!r}")
        return found

    async def async_series(
        self, exhibition_id: str, patience: float = PATIENCE
    ) -> CachedList[Series]:
        """List the series of an exhibition."""
        if self.catalog is None:
            return self.series_of(exhibition_id)
        return await self._reads.fresh(
            f"series {exhibition_id}",
            lambda: self.series_of(exhibition_id),
            partial(self._read_series, exhibition_id),
            fresh_seconds=FRESH_SECONDS,
            patience=patience,
        )

    async def async_artworks(
        self, series_id: str, count: int | None, patience: float = PATIENCE
    ) -> CachedList[Artwork]:
        """List works of a series, evenly from its whole length.

        Args:
            series_id: key of the series.
            count: how many will do; None for all. Whole pages are read.
            patience: seconds to wait.
        """
        if self.catalog is None:
            return self.artworks_of(series_id)
        wanted = _wanted(self.artworks_of(series_id), count)

        def enough() -> CachedList[Artwork]:
            """Find works, unless there should be more of them."""
            kept = self.artworks_of(series_id)
            if kept.complete or kept.asked == wanted:
                return kept
            return replace(kept, read_at=None, tried_at=0.0)

        kept = await self._reads.fresh(
            f"artworks {series_id} {wanted}",
            enough,
            partial(self._read_artworks, series_id, wanted),
            fresh_seconds=FRESH_SECONDS,
            patience=patience,
        )
        if series_id in self._shelf.artworks:
            self._shelf.artworks[series_id] = self._shelf.artworks.pop(series_id)
        return kept

    async def async_relevant(
        self, words: str, count: int, patience: float
    ) -> tuple[Exhibition, ...]:
        """Ask the catalog which exhibitions fit some words best; none if it does not say."""
        if self.catalog is None:
            return ()
        read = partial(self._read_relevant, words, count)
        try:
            return await self._reads.share(f"words {words}", read, patience)
        except Dp1Error as err:
            LOGGER.debug("The catalog finds nothing: %s", err)
            return ()

    async def async_work_at(self, series: Series, place: int) -> Artwork | None:
        """Read the work at a place of a series; None if there is none, or the catalog does not say."""
        if self.catalog is None:
            return None
        read = partial(
            self.catalog.artworks, series_id=series.id, offset=place, limit=1
        )
        try:
            page = await self._reads.share(f"work {series.id} {place}", read, PATIENCE)
        except Dp1Error as err:
            self.catalog_health.report(f"work {series.id}", err, by_key=True)
            return None
        self.catalog_health.report(f"work {series.id}", None)
        return next(iter(page.records), None)

    async def async_find_series(self, key: str) -> Series:
        """Find a series, also one that nothing is known of, whose exhibition only reading can tell.

        Raises:
            NotFoundError: there is none.
            Dp1Error: why that cannot be told.
        """
        if (found := self.series(key)) is not None:
            return found
        if self.catalog is None:
            raise NotFoundError(f"no series {key!r}")
        works = await self.async_artworks(key, 1)
        if not works.records:
            raise works.reason or NotFoundError(f"no series {key!r}")
        await self._reads.share(
            f"hunt {key}", partial(self._hunt, key), FIND_SERIES_SECONDS
        )
        return self.series(key) or Series(id=key, exhibition_id="", title="")

    async def async_document(
        self, ref: str, patience: float = PATIENCE
    ) -> StoredPlaylist:
        """Read the document of a playlist by id, slug or address.

        Raises:
            NotFoundError: there is none.
            Dp1Error: why it could not be read.
        """
        if self.feed is None:
            raise NotFoundError(f"no playlist {ref!r}: the library has no feed")
        kept = self._documents.get(ref)
        if kept and self._hass.loop.time() - kept[0] < DOCUMENT_FRESH_SECONDS:
            return kept[1]
        try:
            return await self._reads.share(
                f"document {ref}", partial(self._read_document, ref), patience
            )
        except NotFoundError:
            raise
        except Dp1Error as err:
            if kept is None:
                raise
            LOGGER.debug("An older copy of a playlist is used: %s", err)
            return kept[1]

    async def _read_exhibitions(self) -> None:
        """Read every exhibition."""
        assert self.catalog is not None
        before = self.exhibitions

        def so_far(read: Callable[[], Listing[Exhibition]]) -> CachedList[Exhibition]:
            """Show what is there to those who have waited for long enough."""
            kept = _newest_first(self._partly(before, read()))
            self._exhibitions |= {it.id: it for it in kept.records}
            return kept

        listing = await self.catalog.all_exhibitions(
            progress=lambda read: self._reads.note(EXHIBITIONS, partial(so_far, read))
        )
        if not listing.records and before.records and listing.reason is None:
            # An empty answer to everybody would take all sources away.
            reason = UnexpectedAnswerError("the catalog has no exhibitions any more")
            listing = Listing((), None, False, reason)
        kept = _newest_first(before.followed_by(listing, **self._stamp()))
        self._shelf.exhibitions = kept
        self.catalog_health.report(EXHIBITIONS, kept.reason)
        self._learn_exhibitions()
        if kept.complete:
            for gone in self._shelf.series.keys() - self._exhibitions.keys():
                del self._shelf.series[gone]
            self._learn_series(())
        self._store_soon()

    async def _read_series(self, exhibition_id: str) -> None:
        """Read the series of an exhibition."""
        assert self.catalog is not None
        name, before = f"series {exhibition_id}", self.series_of(exhibition_id)

        def so_far(read: Callable[[], Listing[Series]]) -> CachedList[Series]:
            """Show what is there to those who have waited for long enough."""
            kept = self._partly(before, read())
            self._series |= {it.id: it for it in kept.records}
            return kept

        listing = await self.catalog.all_series(
            exhibition_id,
            progress=lambda read: self._reads.note(name, partial(so_far, read)),
        )
        kept = before.followed_by(listing, **self._stamp())
        self._shelf.series[exhibition_id] = kept
        self.catalog_health.report(name, kept.reason, by_key=True)
        self._learn_series(kept.records)
        self._store_soon()

    async def _read_artworks(self, series_id: str, count: int | None) -> None:
        """Read works of a series."""
        assert self.catalog is not None
        name, before = f"artworks {series_id}", self.artworks_of(series_id)

        listing = await self.catalog.all_artworks(
            series_id,
            cap=count,
            spread=True,
            progress=lambda read: self._reads.note(
                f"{name} {count}", lambda: self._partly(before, read())
            ),
        )
        kept = before.followed_by(listing, asked=count, **self._stamp())
        self._shelf.artworks.pop(series_id, None)
        self._shelf.artworks[series_id] = kept
        self.catalog_health.report(name, kept.reason, by_key=True)
        if series_id in self._series:
            self.works.know(self._series[series_id], kept.records)
        self._make_room(series_id)
        self._store_soon()

    def _make_room(self, newest: str) -> None:
        """Let go of the works that were not used for the longest time."""
        shelf = self._shelf.artworks
        count = sum(len(kept.records) for kept in shelf.values())
        for key in [key for key in shelf if key != newest]:
            if count <= MAX_WORKS:
                return
            count -= len(shelf.pop(key).records)
            self.works.forget(key)

    async def _read_feed(self) -> None:
        """Read the feed's playlists and channels."""
        assert self.feed is not None
        found: dict[str, FeedPlaylist] = {}
        reason: Dp1Error | None = None
        try:
            async for document in self.feed.playlists(
                newest_first=True, page_size=FEED_PAGE, limit=MAX_PLAYLISTS
            ):
                if playlist := FeedPlaylist.parse(document):
                    found.setdefault(playlist.id, playlist)
            channels = [
                FeedChannel.parse(document) async for document in self.feed.channels()
            ]
            self._shelf.channels = tuple(it for it in channels if it)
        except Dp1Error as err:
            reason = err
        listing = Listing(tuple(found.values()), None, reason is None, reason)
        self._shelf.playlists = self.playlists.followed_by(listing, **self._stamp())
        self.feed_health.report(PLAYLISTS, reason)
        self._learn_playlists()
        self._store_soon()

    async def _read_document(self, ref: str) -> StoredPlaylist:
        """Read the document of a playlist."""
        assert self.feed is not None
        try:
            stored = await self.feed.playlist(ref)
        except NotFoundError as err:
            raise NotFoundError(f"no playlist {ref!r}") from err
        self._documents.keep(ref, (self._hass.loop.time(), stored))
        return stored

    async def _read_relevant(self, words: str, count: int) -> tuple[Exhibition, ...]:
        """Read the exhibitions that fit some words best."""
        assert self.catalog is not None
        page = await self.catalog.exhibitions(
            keyword=words, sort_by="relevance", limit=count
        )
        for exhibition in page.records:
            self._exhibitions.setdefault(exhibition.id, exhibition)
        return page.records

    async def _hunt(self, series_id: str) -> None:
        """Read the series of one exhibition after the other, until one has it."""
        kept = await self.async_exhibitions()
        for exhibition in kept.records:
            if series_id in self._series:
                return
            await self.async_series(exhibition.id)

    def _partly[T: Storable](
        self, before: CachedList[T], listing: Listing[T]
    ) -> CachedList[T]:
        """Take over what was read of a list so far."""
        unfinished = replace(listing, reason=NoAnswerError("the rest is being read"))
        return before.followed_by(unfinished, **self._stamp())

    def _stamp(self) -> dict[str, Any]:
        """Note the time."""
        return {"now": dt_util.utcnow(), "tried_at": self._hass.loop.time()}

    def _store_soon(self) -> None:
        """Keep what was read, and tell of it."""
        self._store.async_save_later(self._shelf)
        self.changed()

    def _learn_exhibitions(self) -> None:
        """Make the exhibitions findable."""
        self._exhibitions = {it.id: it for it in self.exhibitions.records}

    def _learn_works(self) -> None:
        """Make all series and works findable."""
        for kept in self._shelf.series.values():
            self._learn_series(kept.records)
        for key, works in self._shelf.artworks.items():
            if key in self._series:
                self.works.know(self._series[key], works.records)

    def _learn_series(self, all_series: tuple[Series, ...]) -> None:
        """Make series findable, and forget those that are gone."""
        for series in all_series:
            self.works.know_series(series)
        self._series = {
            series.id: series
            for kept in self._shelf.series.values()
            for series in kept.records
        }

    def _learn_playlists(self) -> None:
        """Make playlists findable by id and slug."""
        records = self.playlists.records
        self._playlists = {it.slug: it for it in reversed(records) if it.slug}
        self._playlists |= {it.id: it for it in records}


def _wanted(kept: CachedList[Artwork], count: int | None) -> int | None:
    """Tell how many works to ask for: whole pages, and never fewer than are known."""
    if count is None or (kept.read_at and kept.asked is None):
        return None
    pages = max(1, -(-count // PAGE_SIZE))
    return max(pages * PAGE_SIZE, kept.asked or 0)


def _newest_first(kept: CachedList[Exhibition]) -> CachedList[Exhibition]:
    """Put exhibitions in order, the newest first."""
    order = sorted(kept.records, key=_opening, reverse=True)
    return replace(kept, records=tuple(order))


def _opening(exhibition: Exhibition) -> tuple[bool, float, str]:
    """Put exhibitions in order of their opening."""
    opens = exhibition.opens_at
    return opens is not None, opens.timestamp() if opens else 0.0, exhibition.number
