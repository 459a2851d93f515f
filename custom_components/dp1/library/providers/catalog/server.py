"""The server of the exhibition catalog; series and artworks are read on demand."""

import asyncio
from collections.abc import AsyncIterator, Iterator
from contextlib import suppress
from functools import partial
from itertools import chain
from math import ceil
from typing import Any, Final

from lru import LRU
from yarl import URL

from homeassistant.config_entries import ConfigEntry
from homeassistant.core import HomeAssistant, callback
from homeassistant.util import dt as dt_util

from .... import timing
from ....addresses import ADDRESSES
from ....client.catalog.artwork import CAP, cover_url, shown_once, source_url
from ....client.catalog.client import PAGE_SIZE, Catalog, artwork_place, series_place
from ....client.catalog.models import Artwork, Exhibition, Series
from ....client.errors import Dp1Error, NotFoundError, UnexpectedAnswerError
from ....client.pages import Page
from ....const import CONF_CATALOG_URL, LOGGER
from ...item import Item
from ...listing import PATIENCE, Delta, Listing, ListKind
from ...node import NodeKind, node_id
from ...shelf import Read, Shelf
from ...words import fold
from .index import WorkIndex
from .items import Exhibitor, artists_of, people_of, work_of

# Seconds from which series and artworks, which change rarely, are read again while the old ones serve.
CATALOG_AGE: Final = 3600.0

EXHIBITIONS: Final = "exhibitions"
SERIES: Final = "series"
ARTWORKS: Final = "artworks"
MAX_WORKS = 20_000
MAX_UNLISTED = 100
# Reading series takes requests, so only those of the newest exhibitions of an artist are read.
MAX_OF_ARTIST = 10
# Only reading the series of all exhibitions finds the exhibition of an unknown series.
FIND_SERIES_SECONDS = 30.0


class CatalogServer(Shelf[Exhibition]):
    """Exhibitions, the newest first, with their series and artworks as far as they have been read.

    Attributes:
        works_count: how many artworks have been read.
    """

    def __init__(self, hass: HomeAssistant, entry: ConfigEntry[Any]) -> None:
        """Initialize the catalog; a library may have none."""
        url = entry.data.get(CONF_CATALOG_URL)
        self.client: Catalog | None = None
        if url:
            guard = hass.data[ADDRESSES].async_guard().allowing(url)
            self.client = Catalog(guard, url)
            url = self.client.url
        kinds: dict[str, ListKind[Any]] = {
            EXHIBITIONS: ListKind(
                Exhibition,
                self._pages,
                order=partial(sorted, key=_opening, reverse=True),
                follow=self._follow_exhibitions,
                ended=self._handle_list,
            ),
            SERIES: ListKind(
                Series,
                self._series_pages,
                order=partial(sorted, key=series_place),
                follow=self._follow_series,
                is_keyed=True,
            ),
            ARTWORKS: ListKind(
                Artwork,
                self._artwork_pages,
                order=partial(sorted, key=artwork_place),
                follow=self._follow_artworks,
                is_keyed=True,
            ),
        }
        super().__init__(hass, entry, "catalog", url, timing.REFRESH, kinds)
        self.works = WorkIndex()
        # Found by the catalog, and not in its list.
        self._unlisted: LRU[str, Exhibition] = LRU(MAX_UNLISTED)
        self._series: dict[str, Series] = {}
        self._all_series: tuple[Series, ...] | None = ()
        self.works_count = 0
        # The same tuple until there are others.
        self.artists: tuple[Exhibitor, ...] = ()

    # Records

    @property
    def all_series(self) -> tuple[Series, ...]:
        """Return all series that have been read; the same tuple until there are others."""
        if self._all_series is None:
            self._all_series = tuple(self._series.values())
        return self._all_series

    def exhibition(self, key: str) -> Exhibition | None:
        """Return an exhibition that has been read."""
        return self.list.get(key) or self._unlisted.get(key)

    def series(self, key: str) -> Series | None:
        """Return a series that has been read."""
        return self._series.get(key)

    def find_work(
        self, key: str | None, source: str | None, origin: object = None
    ) -> tuple[Artwork, Series] | None:
        """Return an artwork that has been read, and its series, by the id of its item, its token, or its address."""
        series_id, work_id = self.works.find(key, source, origin) or ("", "")
        series = self.series(series_id)
        artwork = self.artworks_of(series_id).get(work_id) if series else None
        return (artwork, series) if artwork and series else None

    def work_of(self, artwork: Artwork, series: Series) -> Item:
        """Return the work of an artwork in a series."""
        return work_of(artwork, series, self.exhibition(series.exhibition_id))

    def series_of(self, exhibition_id: str) -> Listing[Series]:
        """Return the series of an exhibition as far as they have been read."""
        return self.listing(SERIES, exhibition_id)

    def artworks_of(self, series_id: str) -> Listing[Artwork]:
        """Return the artworks of a series as far as they have been read."""
        return self.listing(ARTWORKS, series_id)

    def is_open(self, exhibition: Exhibition) -> bool:
        """Return if an exhibition can be seen now and is not empty as far as it has been read."""
        series = self.series_of(exhibition.id)
        empty = series.complete and not series.records
        return exhibition.viewable(dt_util.utcnow()) and not empty

    # Items

    def exhibition_node(self, exhibition: Exhibition) -> Item:
        """Return the node of an exhibition, which can be expanded and played while it is open."""
        opens, is_open = exhibition.opens_at, self.is_open(exhibition)
        return Item(
            id=node_id(NodeKind.EXHIBITION, exhibition.id),
            kind=NodeKind.EXHIBITION,
            title=exhibition.title,
            artists=artists_of(exhibition.artists),
            year=opens.year if opens else None,
            note=exhibition.note or None,
            picture=cover_url(exhibition),
            can_play=is_open,
            can_expand=is_open,
            subtitle=exhibition.curator.name if exhibition.curator else None,
            opens_at=opens,
        )

    def series_node(self, series: Series) -> Item:
        """Return the node of a series, which can be expanded if it has different works; one without a playable work is not offered."""
        artworks = self.artworks_of(series.id)
        can_play = artworks.read_at is None or any(
            not artwork.gone and source_url(artwork, series)
            for artwork in artworks.records
        )
        exhibition = self.exhibition(series.exhibition_id)
        once = shown_once(series)
        return Item(
            id=node_id(NodeKind.SERIES, series.id),
            kind=NodeKind.SERIES,
            title=series.title,
            artists=artists_of(people_of(series, exhibition)),
            year=series.minted_at.year if series.minted_at else None,
            medium=series.medium or None,
            note=series.description or None,
            picture=cover_url(series),
            can_play=can_play,
            can_expand=can_play and not once,
            subtitle=exhibition.title if exhibition else None,
            works=1 if once else series.max_artwork,
        )

    def artist_node(self, artist: Exhibitor) -> Item:
        """Return the node of an artist, with biography, website and portrait."""
        exhibitions = artist.viewable()
        is_open = bool(exhibitions)
        people = (person for each in exhibitions for person in each.artists)
        records = [person for person in people if person.name == artist.name]
        texts = (" ".join(filter(None, (it.about, it.website))) for it in records)
        # A work says more than a portrait, which is often gone.
        pictures = chain(
            map(cover_url, self._series_of(artist)),
            map(cover_url, exhibitions),
            map(cover_url, records),
        )
        return Item(
            id=node_id(NodeKind.ARTIST, artist.name),
            kind=NodeKind.ARTIST,
            title=artist.name,
            note=next(filter(None, texts), None),
            picture=next(filter(None, pictures), None),
            can_play=is_open,
            can_expand=is_open,
            subtitle=next(
                (host for it in records if (host := URL(it.website).host)), None
            ),
        )

    def artist_nodes(self) -> list[Item]:
        """Return the artists whose works can be seen, by name."""
        nodes = (self.artist_node(artist) for artist in self.artists)
        return sorted(
            (node for node in nodes if node.can_play), key=lambda node: fold(node.title)
        )

    def _series_of(self, artist: Exhibitor) -> Iterator[Series]:
        """Yield the series of an artist that have been read."""
        for exhibition in artist.viewable():
            for series in self.series_of(exhibition.id).records:
                if artist.made(series, exhibition):
                    yield series

    # Reads

    async def async_exhibition(
        self, key: str, patience: float = PATIENCE
    ) -> Exhibition:
        """Return an exhibition, or raise NotFoundError or why it could not be read."""
        if (exhibition := self.exhibition(key)) is not None:
            return exhibition
        exhibitions = await self.async_list(patience)
        if (exhibition := self.exhibition(key)) is None:
            raise exhibitions.missing or NotFoundError(f"no exhibition {key!r}")
        return exhibition

    async def async_series(
        self, exhibition_id: str, patience: float = PATIENCE
    ) -> Listing[Series]:
        """Return the series of an exhibition."""
        series = self.series_of(exhibition_id)
        return await series.async_get(max_age=CATALOG_AGE, patience=patience)

    async def async_artist(self, name: str) -> Exhibitor:
        """Return an artist by name, or raise NotFoundError or why the catalog could not be read."""
        exhibitions = await self.async_list()
        for artist in self.artists:
            if fold(artist.name) == fold(name):
                return artist
        raise exhibitions.missing or NotFoundError(f"no artist {name!r}")

    async def async_series_by(
        self, artist: Exhibitor, patience: float = PATIENCE
    ) -> tuple[list[Series], Dp1Error | None]:
        """Return the series of an artist, and why others may be missing."""
        exhibitions = artist.viewable()[:MAX_OF_ARTIST]
        lists = await asyncio.gather(
            *(self.async_series(each.id, patience) for each in exhibitions)
        )
        all_series = [
            series
            for exhibition, series_list in zip(exhibitions, lists, strict=True)
            for series in series_list.records
            if artist.made(series, exhibition)
        ]
        reasons = (series_list.missing for series_list in lists if series_list.missing)
        return all_series, next(reasons, None)

    async def async_artworks(
        self, series_id: str, count: int | None, patience: float = PATIENCE
    ) -> Listing[Artwork]:
        """Return at least `count` artworks of a series, spread evenly over it; None for all."""
        artworks: Listing[Artwork] = self.async_use(ARTWORKS, series_id)
        return await artworks.async_get(
            max_age=CATALOG_AGE,
            patience=patience,
            limit=count and PAGE_SIZE * ceil(count / PAGE_SIZE),
        )

    async def async_artwork(
        self, series_id: str, key: str, patience: float = PATIENCE
    ) -> Artwork:
        """Return an artwork of a series, or raise NotFoundError or why it could not be read."""
        artworks = self.artworks_of(series_id)
        if self.client and not (artworks.complete or artworks.get(key)):
            read = partial(self.client.artwork, key, series_id=series_id)
            with suppress(Dp1Error):
                artworks.async_add(
                    await self.async_share(f"work {key}", read, patience)
                )
        for count in (CAP, None):
            if artworks.complete or artworks.get(key):
                break
            await self.async_artworks(series_id, count, patience)
        if (artwork := artworks.get(key)) is None:
            raise artworks.missing or NotFoundError(
                f"no work {key!r} in series {series_id!r}"
            )
        return artwork

    async def async_artwork_at(self, series: Series, index: int) -> Artwork | None:
        """Return the artwork at an index of a series, None if there is none; raises why it could not be read."""
        assert self.client is not None
        read = partial(self.client.artworks, series_id=series.id, offset=index, limit=1)
        page = await self._async_page(f"work {series.id} {index}", read, PATIENCE)
        return next(iter(page.records), None)

    @callback
    def async_remember(self, series: Series, artwork: Artwork) -> None:
        """Remember an artwork of a series of which others may not have been read."""
        self.artworks_of(series.id).async_add(artwork)

    async def async_find_series(self, key: str) -> Series:
        """Return a series, which is looked for, or raise NotFoundError or why it could not be read."""
        if (series := self.series(key)) is not None:
            return series
        if self.client is None:
            raise NotFoundError(f"no series {key!r}")
        artworks = await self.async_artworks(key, 1)
        if not artworks.records:
            raise artworks.missing or NotFoundError(f"no series {key!r}")
        await self.async_share(
            f"exhibition of {key}",
            partial(self._async_find_exhibition_of, key),
            FIND_SERIES_SECONDS,
        )
        return self.series(key) or Series(id=key, exhibition_id="", title="")

    async def async_search(self, words: str, patience: float) -> tuple[Exhibition, ...]:
        """Return the exhibitions the catalog finds by words, none if it does not answer."""
        if self.client is None:
            return ()
        read = partial(self.client.exhibitions, keyword=words, sortBy="relevance")
        try:
            page = await self._async_page(f"search {words}", read, patience)
        except Dp1Error as err:
            LOGGER.debug("The catalog finds nothing: %s", err)
            return ()
        for exhibition in page.records:
            self._unlisted[exhibition.id] = exhibition
        return tuple(page.records)

    async def _async_page[T](
        self, name: str, read: Read[Page[T]], patience: float
    ) -> Page[T]:
        """Return a page that is read by itself, or raise why it could not be read."""

        async def read_and_note() -> Page[T]:
            """Read it, also if nobody waits any more."""
            try:
                page = await read()
            except Dp1Error as err:
                self.async_contacted(err)
                raise
            self.async_contacted(None)
            return page

        return await self.async_share(name, read_and_note, patience)

    async def _async_find_exhibition_of(self, series_id: str) -> None:
        """Read the series of one exhibition after the other until one has the series."""
        for exhibition in (await self.async_list()).records:
            if series_id in self._series:
                return
            await self.async_series(exhibition.id)

    # Lists

    async def _pages(
        self, key: str, limit: int | None, pause: float | None
    ) -> AsyncIterator[Page[Exhibition]]:
        """Yield the pages of all exhibitions."""
        assert self.client is not None
        is_empty = True
        async for page in self.client.all_exhibitions():
            is_empty = is_empty and not page.records
            yield page
        if is_empty and self.list.records:
            # An empty answer would take all sources away.
            raise UnexpectedAnswerError("the catalog has no exhibitions any more")

    def _series_pages(
        self, exhibition_id: str, limit: int | None, pause: float | None
    ) -> AsyncIterator[Page[Series]]:
        """Yield the pages of the series of an exhibition."""
        assert self.client is not None
        return self.client.all_series(exhibition_id, pause=pause)

    def _artwork_pages(
        self, series_id: str, limit: int | None, pause: float | None
    ) -> AsyncIterator[Page[Artwork]]:
        """Yield the pages of artworks of a series."""
        assert self.client is not None
        return self.client.all_artworks(series_id, limit=limit, pause=pause)

    # Indexes

    def _follow_exhibitions(
        self, listing: Listing[Exhibition], delta: Delta[Exhibition]
    ) -> None:
        """Collect the artists of the exhibitions; forget the series of exhibitions that are gone."""
        artists: dict[str, Exhibitor] = {}
        for exhibition in self.list.records:
            for person in exhibition.artists:
                artist = Exhibitor(person.name, [])
                earlier = artists.setdefault(fold(person.name), artist)
                earlier.exhibitions.append(exhibition)
        self.artists = tuple(artists.values())
        for exhibition in delta.removed:
            self.async_discard(SERIES, exhibition.id)

    @callback
    def _handle_list(self, read: Listing[Exhibition]) -> None:
        """Forget the series that were stored of exhibitions which are gone."""
        if read.complete:
            for gone in self.listings(SERIES).keys() - {it.id for it in read.records}:
                self.async_discard(SERIES, gone)

    def _follow_series(self, listing: Listing[Series], delta: Delta[Series]) -> None:
        """Index series; artworks of one that has grown are to be read again, and those of one that is gone are forgotten."""
        for series in (*delta.added, *delta.changed):
            if earlier := self._series.get(series.id):
                if earlier.max_artwork != series.max_artwork:
                    self.artworks_of(series.id).async_expire()
                self.works.discard_series(earlier)
            self.works.add_series(series)
            self._series[series.id] = series
            if works := self.listings(ARTWORKS).get(series.id):
                self.works.add(series, works.records)
        for series in delta.removed:
            if self._series.get(series.id) is series:
                del self._series[series.id]
                self.works.discard_series(series)
                self.async_discard(ARTWORKS, series.id)
        self._all_series = None

    def _follow_artworks(
        self, listing: Listing[Artwork], delta: Delta[Artwork]
    ) -> None:
        """Index artworks, and discard those that were not used for the longest time."""
        series_id = listing.key
        self.works_count += len(delta.added) - len(delta.removed)
        lists = self.listings(ARTWORKS)
        if series_id not in lists:
            self.works.discard(series_id)
            return
        if series := self._series.get(series_id):
            self.works.add(series, lists[series_id].records)
        while self.works_count > MAX_WORKS:
            if (least_used := next(iter(lists))) == series_id:
                break
            self.async_discard(ARTWORKS, least_used)


def _opening(exhibition: Exhibition) -> tuple[float, str]:
    """Return the sort key of an exhibition; those without an opening come last."""
    opens = exhibition.opens_at
    return opens.timestamp() if opens else float("-inf"), exhibition.number
