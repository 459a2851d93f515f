"""Coordinator of the exhibition catalog; series and artworks are read on demand."""

from collections.abc import Iterable, Mapping
from dataclasses import replace
from functools import partial
from typing import Any, Final, override

from homeassistant.config_entries import ConfigEntry
from homeassistant.core import HomeAssistant, callback
from homeassistant.util import dt as dt_util

from .... import timing
from ....client.catalog.artwork import CAP
from ....client.catalog.client import PAGE_SIZE, Catalog, Listing, Page
from ....client.catalog.models import Artwork, Exhibition, Series
from ....client.errors import Dp1Error, NotFoundError, UnexpectedAnswerError
from ....client.values import mapping
from ....const import CONF_CATALOG_URL, LOGGER
from ....guard import NAMED_HOSTS
from ...server import LIST, PATIENCE, CachedList, Json, Read, ServerCoordinator
from .records import KnownWorks

# Seconds from which series and artworks, which change rarely, are shown, but read again meanwhile.
CATALOG_AGE: Final = 3600.0

MAX_WORKS = 20_000
# Only reading the series of all exhibitions finds the exhibition of an unknown series.
FIND_SERIES_SECONDS = 30.0


class CatalogCoordinator(ServerCoordinator[Exhibition]):
    """Exhibitions, the newest first, with their series and artworks as far as they have been read."""

    def __init__(self, hass: HomeAssistant, entry: ConfigEntry[Any]) -> None:
        """Initialize the coordinator; a library may have no catalog."""
        url = entry.data.get(CONF_CATALOG_URL)
        self.client: Catalog | None = None
        if url:
            guard = hass.data[NAMED_HOSTS].async_guard().allowing(url)
            self.client = Catalog(guard, url)
            url = self.client.url
        super().__init__(hass, entry, "catalog", url, timing.REFRESH)
        self.works = KnownWorks()
        self._series_lists: dict[str, CachedList[Series]] = {}
        # The lists used last are at the end.
        self._artwork_lists: dict[str, CachedList[Artwork]] = {}
        self._exhibitions: dict[str, Exhibition] = {}
        self._series: dict[str, Series] = {}
        self._all_series: tuple[Series, ...] = ()

    # Storage

    @override
    def restore(self, data: Mapping[str, Any]) -> None:
        """Load what is stored of this catalog, and index it."""
        self.data = CachedList.from_store(data.get("exhibitions"), Exhibition)
        self._series_lists = {
            key: CachedList.from_store(stored, Series)
            for key, stored in mapping(data.get("series")).items()
        }
        self._index_exhibitions()
        self._index_series(
            series
            for series_list in self._series_lists.values()
            for series in series_list.records
        )
        self._artwork_lists = {
            key: CachedList.from_store(stored, Artwork)
            for key, stored in mapping(data.get("artworks")).items()
        }
        for key, artworks in self._artwork_lists.items():
            if series := self._series.get(key):
                self.works.add(series, artworks.records)

    @override
    def to_store(self) -> Json:
        """Return everything that was read as plain JSON."""
        return {
            "exhibitions": self.data.to_store(),
            "series": {
                key: series_list.to_store()
                for key, series_list in self._series_lists.copy().items()
            },
            "artworks": {
                key: artworks.to_store()
                for key, artworks in self._artwork_lists.copy().items()
            },
        }

    # What is known

    @property
    def all_series(self) -> tuple[Series, ...]:
        """Return all series that have been read; the same tuple until there are others."""
        if len(self._all_series) != len(self._series):
            self._all_series = tuple(self._series.values())
        return self._all_series

    @property
    def works_count(self) -> int:
        """Return how many artworks have been read."""
        return sum(len(artworks.records) for artworks in self._artwork_lists.values())

    def exhibition(self, key: str) -> Exhibition | None:
        """Return a known exhibition."""
        return self._exhibitions.get(key)

    def series(self, key: str) -> Series | None:
        """Return a known series."""
        return self._series.get(key)

    def series_of(self, exhibition_id: str) -> CachedList[Series]:
        """Return the series of an exhibition as far as they have been read."""
        return self._series_lists.get(exhibition_id, CachedList())

    def artworks_of(self, series_id: str) -> CachedList[Artwork]:
        """Return the artworks of a series as far as they have been read."""
        return self._artwork_lists.get(series_id, CachedList())

    def is_open(self, exhibition: Exhibition) -> bool:
        """Return if an exhibition can be seen now and is not known to be empty."""
        series = self.series_of(exhibition.id)
        empty = series.complete and not series.records
        return exhibition.viewable(dt_util.utcnow()) and not empty

    # Reads

    async def async_exhibition(
        self, key: str, patience: float = PATIENCE
    ) -> Exhibition:
        """Return an exhibition, or raise NotFoundError or why it could not be read."""
        if (found := self.exhibition(key)) is None:
            exhibitions = await self.async_list(patience)
            if (found := self.exhibition(key)) is None:
                raise exhibitions.reason or NotFoundError(f"no exhibition {key!r}")
        return found

    async def async_series(
        self, exhibition_id: str, patience: float = PATIENCE
    ) -> CachedList[Series]:
        """Return the series of an exhibition."""
        return await self.reads.cached(
            f"series {exhibition_id}",
            lambda: self.series_of(exhibition_id),
            partial(self.async_read_series, exhibition_id),
            max_age=CATALOG_AGE,
            patience=patience,
        )

    async def async_artworks(
        self, series_id: str, count: int | None, patience: float = PATIENCE
    ) -> CachedList[Artwork]:
        """Return at least `count` artworks of a series, spread evenly over it; None for all."""
        wanted = _wanted(self.artworks_of(series_id), count)

        def enough() -> CachedList[Artwork]:
            """Return the artworks, or none if more are wanted."""
            artworks = self.artworks_of(series_id)
            return artworks if _is_enough(artworks, count) else CachedList()

        artworks = await self.reads.cached(
            f"artworks {series_id} {wanted}",
            enough,
            partial(self.async_read_artworks, series_id, wanted),
            max_age=CATALOG_AGE,
            patience=patience,
        )
        if series_id in self._artwork_lists:
            self._artwork_lists[series_id] = self._artwork_lists.pop(series_id)
        return artworks

    async def async_artwork(
        self, series_id: str, key: str, patience: float = PATIENCE
    ) -> Artwork:
        """Return an artwork of a series, or raise NotFoundError or why it could not be read."""
        artworks = self.artworks_of(series_id)
        for count in (CAP, None):
            if found := _by_id(artworks, key):
                return found
            if artworks.complete:
                break
            artworks = await self.async_artworks(series_id, count, patience)
        if found := _by_id(artworks, key):
            return found
        raise artworks.reason or NotFoundError(
            f"no work {key!r} in series {series_id!r}"
        )

    async def async_artwork_at(self, series: Series, index: int) -> Artwork | None:
        """Return the artwork at an index of a series, None if there is none; raises why it could not be read."""
        assert self.client is not None
        read = partial(self.client.artworks, series_id=series.id, offset=index, limit=1)
        name = f"work {series.id} {index}"
        records = await self.reads.share(
            name, partial(self._async_page, read), PATIENCE
        )
        return next(iter(records), None)

    @callback
    def async_remember(self, series: Series, artwork: Artwork) -> None:
        """Remember an artwork of a series of which others may not have been read."""
        known = self.artworks_of(series.id)
        if _by_id(known, artwork.id) is None:
            known = replace(known, records=(*known.records, artwork))
            self._set_artworks(series.id, known)

    async def async_find_series(self, key: str) -> Series:
        """Return a series, known or not, or raise NotFoundError or why it could not be read."""
        if (found := self.series(key)) is not None:
            return found
        if self.client is None:
            raise NotFoundError(f"no series {key!r}")
        artworks = await self.async_artworks(key, 1)
        if not artworks.records:
            raise artworks.reason or NotFoundError(f"no series {key!r}")
        await self.reads.share(
            f"exhibition of {key}",
            partial(self._async_find_exhibition_of, key),
            FIND_SERIES_SECONDS,
        )
        return self.series(key) or Series(id=key, exhibition_id="", title="")

    async def async_search(self, words: str, patience: float) -> tuple[Exhibition, ...]:
        """Return the exhibitions the catalog finds by words, none if it cannot be asked."""
        if self.client is None:
            return ()
        read = partial(self.client.exhibitions, keyword=words, sortBy="relevance")
        try:
            found = await self.reads.share(
                f"search {words}", partial(self._async_page, read), patience
            )
        except Dp1Error as err:
            LOGGER.debug("The catalog finds nothing: %s", err)
            return ()
        for exhibition in found:
            self._exhibitions.setdefault(exhibition.id, exhibition)
        return found

    async def _async_page[T](self, read: Read[Page[T]]) -> tuple[T, ...]:
        """Return the records of a page that is read by itself, or raise why it could not be read."""
        try:
            page = await read()
        except Dp1Error as err:
            self.async_read_done(err)
            raise
        self.async_read_done(None)
        return page.records

    @override
    async def _async_read_list(self) -> CachedList[Exhibition]:
        """Read all exhibitions."""
        assert self.client is not None
        before = self.data

        def use(listed: CachedList[Exhibition]) -> CachedList[Exhibition]:
            """Let the exhibitions that have been read be opened already."""
            self._exhibitions |= {each.id: each for each in listed.records}
            return _newest_first(listed)

        exhibitions = await self._async_read_parts(
            LIST, lambda: self.data, self.client.all_exhibitions, use
        )
        if not exhibitions.records and before.records:
            # An empty answer would take all sources away.
            reason = UnexpectedAnswerError("the catalog has no exhibitions any more")
            exhibitions = before.updated(
                Listing((), None, False, reason), exhibitions.tried_at
            )
        self.data = exhibitions = _newest_first(exhibitions)
        self._index_exhibitions()
        if exhibitions.complete:
            for gone in self._series_lists.keys() - self._exhibitions.keys():
                del self._series_lists[gone]
            self._index_series(())
            for gone in self._artwork_lists.keys() - self._series.keys():
                self._discard_artworks(gone)
        return exhibitions

    async def async_read_series(
        self, exhibition_id: str, pause: float | None = None
    ) -> None:
        """Read the series of an exhibition as fast as possible, or with a pause in seconds before each further page."""
        assert self.client is not None
        known = self.series_of(exhibition_id).records
        sizes = {series.id: series.max_artwork for series in known}

        def use(listed: CachedList[Series]) -> CachedList[Series]:
            """Let the series that have been read be opened already."""
            self._series |= {series.id: series for series in listed.records}
            return listed

        series_list = await self._async_read_parts(
            f"series {exhibition_id}",
            lambda: self.series_of(exhibition_id),
            partial(self.client.all_series, exhibition_id, pause=pause),
            use,
        )
        self._series_lists[exhibition_id] = series_list
        for series in series_list.records:
            artworks = self.artworks_of(series.id)
            if sizes.get(series.id, series.max_artwork) != series.max_artwork:
                self._artwork_lists[series.id] = replace(artworks, read_at=None)
        self._index_series(series_list.records)
        for gone in self._artwork_lists.keys() & (sizes.keys() - self._series.keys()):
            self._discard_artworks(gone)
        self.async_read_done(series_list.reason)
        self.async_updated()

    async def async_read_artworks(
        self, series_id: str, count: int | None, pause: float | None = None
    ) -> None:
        """Read artworks of a series, as fast as `async_read_series` does."""
        assert self.client is not None
        before = self.artworks_of(series_id)
        artworks = await self._async_read_parts(
            f"artworks {series_id} {count}",
            lambda: self.artworks_of(series_id),
            partial(self.client.all_artworks, series_id, cap=count, pause=pause),
            asked=count,
        )
        known = self.artworks_of(series_id)
        is_new = known.read_at not in (None, before.read_at)
        # Whoever wanted as many may have been faster.
        if not (is_new and _is_enough(known, count)):
            self._set_artworks(series_id, artworks)
        self.async_read_done(artworks.reason)
        self.async_updated()

    async def _async_find_exhibition_of(self, series_id: str) -> None:
        """Read the series of one exhibition after the other until the series is found."""
        for exhibition in (await self.async_list()).records:
            if series_id in self._series:
                return
            await self.async_series(exhibition.id)

    # Indexes

    def _set_artworks(self, series_id: str, artworks: CachedList[Artwork]) -> None:
        """Set and index the artworks of a series, and discard those that were not used for the longest time."""
        self._artwork_lists.pop(series_id, None)
        self._artwork_lists[series_id] = artworks
        if series := self._series.get(series_id):
            self.works.add(series, artworks.records)
        for least_used in list(self._artwork_lists):
            if self.works_count <= MAX_WORKS or least_used == series_id:
                break
            self._discard_artworks(least_used)

    def _discard_artworks(self, series_id: str) -> None:
        """Discard the artworks of a series."""
        del self._artwork_lists[series_id]
        self.works.discard(series_id)

    def _index_exhibitions(self) -> None:
        """Index the exhibitions by id."""
        self._exhibitions = {
            exhibition.id: exhibition for exhibition in self.data.records
        }

    def _index_series(self, new: Iterable[Series]) -> None:
        """Index new series, and remove those that are gone."""
        for series in new:
            self.works.add_series(series)
        self._series = {
            series.id: series
            for series_list in self._series_lists.values()
            for series in series_list.records
        }
        self._all_series = ()


def _wanted(artworks: CachedList[Artwork], count: int | None) -> int | None:
    """Return how many artworks to read: whole pages, and never fewer than are known."""
    if count is None or (artworks.read_at and artworks.asked is None):
        return None
    pages = max(1, -(-count // PAGE_SIZE))
    return max(pages * PAGE_SIZE, artworks.asked or 0)


def _is_enough(artworks: CachedList[Artwork], count: int | None) -> bool:
    """Return whether as many artworks were asked for."""
    return artworks.complete or artworks.asked == _wanted(artworks, count)


def _by_id(artworks: CachedList[Artwork], key: str) -> Artwork | None:
    """Return the artwork with an id."""
    return next((artwork for artwork in artworks.records if artwork.id == key), None)


def _newest_first(exhibitions: CachedList[Exhibition]) -> CachedList[Exhibition]:
    """Return the exhibitions sorted by their opening."""
    order = sorted(exhibitions.records, key=_opening, reverse=True)
    return replace(exhibitions, records=tuple(order))


def _opening(exhibition: Exhibition) -> tuple[float, str]:
    """Return the sort key of an exhibition; those without an opening come last."""
    opens = exhibition.opens_at
    return opens.timestamp() if opens else float("-inf"), exhibition.number
