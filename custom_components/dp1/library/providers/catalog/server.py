"""The server of the exhibition catalog; series and artworks are read on demand."""

import asyncio
from collections.abc import AsyncIterator, Iterable, Mapping, Sequence
from functools import partial
from math import ceil
from typing import Any, Final, override

from lru import LRU

from homeassistant.config_entries import ConfigEntry
from homeassistant.core import HomeAssistant, callback
from homeassistant.util import dt as dt_util

from .... import timing
from ....client.catalog.artwork import CAP
from ....client.catalog.client import PAGE_SIZE, Catalog, artwork_place, series_place
from ....client.catalog.models import Artwork, Exhibition, Series
from ....client.errors import Dp1Error, NotFoundError, UnexpectedAnswerError
from ....client.pages import Page
from ....client.values import mapping
from ....const import CONF_CATALOG_URL, LOGGER
from ....guard import ADDRESSES
from ...server import Server
from ...server_list import PATIENCE, Json, Read, ServerList
from ...spoken import fold
from ...work import Work
from .records import Exhibitor, KnownWorks, work_of

# Seconds from which series and artworks, which change rarely, are read again while the old ones serve.
CATALOG_AGE: Final = 3600.0

MAX_WORKS = 20_000
MAX_UNLISTED = 100
# Reading series takes requests, so only those of the newest exhibitions of an artist are read.
MAX_OF_ARTIST = 10
# Only reading the series of all exhibitions finds the exhibition of an unknown series.
FIND_SERIES_SECONDS = 30.0


class CatalogServer(Server[Exhibition]):
    """Exhibitions, the newest first, with their series and artworks as far as they have been read."""

    def __init__(self, hass: HomeAssistant, entry: ConfigEntry[Any]) -> None:
        """Initialize the catalog; a library may have none."""
        url = entry.data.get(CONF_CATALOG_URL)
        self.client: Catalog | None = None
        if url:
            guard = hass.data[ADDRESSES].async_guard().allowing(url)
            self.client = Catalog(guard, url)
            url = self.client.url
        super().__init__(hass, entry, "catalog", url, timing.REFRESH)
        self.works = KnownWorks()
        self._series_lists: dict[str, ServerList[Series]] = {}
        # The lists used last are at the end.
        self._artwork_lists: dict[str, ServerList[Artwork]] = {}
        # Found by the catalog, and not in its list.
        self._unlisted: LRU[str, Exhibition] = LRU(MAX_UNLISTED)
        self._series: dict[str, Series] = {}
        self._all_series: tuple[Series, ...] = ()
        self._artists: tuple[Exhibitor, ...] = ()
        self._artists_of: Sequence[Exhibition] = ()

    # Storage

    @override
    def restore(self, data: Mapping[str, Any]) -> None:
        """Load and index the stored lists of this catalog."""
        self.list.restore(data.get("exhibitions"), Exhibition)
        for key, stored in mapping(data.get("series")).items():
            self.series_of(key).restore(stored, Series)
            self._add_series(self.series_of(key))
        for key, stored in mapping(data.get("artworks")).items():
            self.artworks_of(key).restore(stored, Artwork)
            self._index_artworks(key)

    @override
    def to_store(self) -> Json:
        """Return everything that was read as plain JSON."""
        return {
            "exhibitions": self.list.to_store(),
            "series": _stored(self._series_lists),
            "artworks": _stored(self._artwork_lists),
        }

    # Records

    @property
    def all_series(self) -> tuple[Series, ...]:
        """Return all series that have been read; the same tuple until there are others."""
        if len(self._all_series) != len(self._series):
            self._all_series = tuple(self._series.values())
        return self._all_series

    @property
    def artists(self) -> tuple[Exhibitor, ...]:
        """Return the artists of all exhibitions; the same tuple until there are other exhibitions."""
        exhibitions = self.list.records
        if self._artists_of is not exhibitions:
            artists: dict[str, Exhibitor] = {}
            for exhibition in exhibitions:
                for person in exhibition.artists:
                    artist = Exhibitor(person.name, [])
                    earlier = artists.setdefault(fold(person.name), artist)
                    earlier.exhibitions.append(exhibition)
            self._artists_of, self._artists = exhibitions, tuple(artists.values())
        return self._artists

    @property
    def works_count(self) -> int:
        """Return how many artworks have been read."""
        return sum(len(artworks.records) for artworks in self._artwork_lists.values())

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
        series_id, artwork = self.works.find(key, source, origin) or ("", None)
        series = self.series(series_id)
        return (artwork, series) if artwork and series else None

    def work_of(self, artwork: Artwork, series: Series) -> Work:
        """Return the work of an artwork in a series."""
        return work_of(artwork, series, self.exhibition(series.exhibition_id))

    def series_of(self, exhibition_id: str) -> ServerList[Series]:
        """Return the series of an exhibition as far as they have been read."""
        if exhibition_id not in self._series_lists:
            self._series_lists[exhibition_id] = ServerList(
                self.tasks,
                f"series {exhibition_id}",
                partial(self._series_pages, exhibition_id),
                order=partial(sorted, key=series_place),
                records_changed=self._handle_series,
                read_ended=self._handle_series_read,
            )
        return self._series_lists[exhibition_id]

    def artworks_of(self, series_id: str) -> ServerList[Artwork]:
        """Return the artworks of a series as far as they have been read."""
        if series_id not in self._artwork_lists:
            self._artwork_lists[series_id] = ServerList(
                self.tasks,
                f"artworks {series_id}",
                partial(self._artwork_pages, series_id),
                order=partial(sorted, key=artwork_place),
                records_changed=partial(self._handle_artworks, series_id),
                read_ended=self._handle_read,
            )
        return self._artwork_lists[series_id]

    def is_open(self, exhibition: Exhibition) -> bool:
        """Return if an exhibition can be seen now and is not empty as far as it has been read."""
        series = self.series_of(exhibition.id)
        empty = series.complete and not series.records
        return exhibition.viewable(dt_util.utcnow()) and not empty

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
    ) -> ServerList[Series]:
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
    ) -> ServerList[Artwork]:
        """Return at least `count` artworks of a series, spread evenly over it; None for all."""
        artworks = self.artworks_of(series_id)
        self._artwork_lists[series_id] = self._artwork_lists.pop(series_id)
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
        artworks = self.artworks_of(series.id)
        if artworks.get(artwork.id) is None:
            artworks.async_set((*artworks.records, artwork))

    async def async_find_series(self, key: str) -> Series:
        """Return a series, which is looked for, or raise NotFoundError or why it could not be read."""
        if (series := self.series(key)) is not None:
            return series
        if self.client is None:
            raise NotFoundError(f"no series {key!r}")
        artworks = await self.async_artworks(key, 1)
        if not artworks.records:
            raise artworks.missing or NotFoundError(f"no series {key!r}")
        await self.tasks.share(
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

        return await self.tasks.share(name, read_and_note, patience)

    async def _async_find_exhibition_of(self, series_id: str) -> None:
        """Read the series of one exhibition after the other until one has the series."""
        for exhibition in (await self.async_list()).records:
            if series_id in self._series:
                return
            await self.async_series(exhibition.id)

    # Lists

    @override
    async def _pages(
        self, limit: int | None, pause: float | None
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

    @override
    def _ordered(self, records: Iterable[Exhibition]) -> list[Exhibition]:
        """Return the exhibitions with the newest first."""
        return sorted(records, key=_opening, reverse=True)

    @override
    @callback
    def _handle_list(self, read: ServerList[Exhibition]) -> None:
        """Forget the series and artworks of exhibitions that are gone."""
        if read.complete:
            for gone in self._series_lists.keys() - {it.id for it in self.list.records}:
                del self._series_lists[gone]
            self._index_series()
            for gone in self._artwork_lists.keys() - self._series.keys():
                self._discard_artworks(gone)
        super()._handle_list(read)

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

    @callback
    def _handle_series(self, series_list: ServerList[Series]) -> None:
        """Index series; artworks of one that has grown are to be read again."""
        for series in series_list.records:
            earlier = self._series.get(series.id, series)
            if earlier.max_artwork != series.max_artwork:
                self.artworks_of(series.id).read_at = None
        self._add_series(series_list)
        self.async_updated()

    @callback
    def _handle_series_read(self, series_list: ServerList[Series]) -> None:
        """Forget series that are gone."""
        before = self._series.keys()
        self._index_series()
        for gone in self._artwork_lists.keys() & (before - self._series.keys()):
            self._discard_artworks(gone)
        self._handle_read(series_list)

    @callback
    def _handle_artworks(self, series_id: str, artworks: ServerList[Artwork]) -> None:
        """Index artworks, and discard those that were not used for the longest time."""
        self._artwork_lists[series_id] = artworks
        self._index_artworks(series_id)
        for least_used in list(self._artwork_lists):
            if self.works_count <= MAX_WORKS or least_used == series_id:
                break
            self._discard_artworks(least_used)
        self.async_updated()

    # Indexes

    def _index_artworks(self, series_id: str) -> None:
        """Index the artworks of a series that has been read."""
        if series := self._series.get(series_id):
            self.works.add(series, self._artwork_lists[series_id].records)

    def _add_series(self, series_list: ServerList[Series]) -> None:
        """Index the series of an exhibition."""
        for series in series_list.records:
            self.works.add_series(series)
            self._series[series.id] = series
        self._all_series = ()

    def _index_series(self) -> None:
        """Index the series of all exhibitions."""
        self._series = {
            series.id: series
            for series_list in self._series_lists.values()
            for series in series_list.records
        }
        self._all_series = ()

    def _discard_artworks(self, series_id: str) -> None:
        """Discard the artworks of a series."""
        del self._artwork_lists[series_id]
        self.works.discard(series_id)


def _stored(lists: Mapping[str, ServerList[Any]]) -> Json:
    """Return the lists of which something was read as plain JSON."""
    return {
        key: each.to_store()
        for key, each in {**lists}.items()
        if each.records or each.read_at
    }


def _opening(exhibition: Exhibition) -> tuple[float, str]:
    """Return the sort key of an exhibition; those without an opening come last."""
    opens = exhibition.opens_at
    return opens.timestamp() if opens else float("-inf"), exhibition.number
