"""The shelf of the exhibition catalog: series and works are read on demand, and items made of all that was read."""

import asyncio
from collections.abc import AsyncIterator, Callable, Iterable, Iterator
from contextlib import suppress
from functools import partial
from itertools import chain
from math import ceil
import re
from typing import Any, Final
from uuid import uuid5

from lru import LRU
from yarl import URL

from homeassistant.config_entries import ConfigEntry
from homeassistant.core import HomeAssistant, callback
from homeassistant.util import dt as dt_util

from ....addresses import ADDRESSES
from ....client.catalog.artwork import (
    CAP,
    PROOF_NAMES,
    absolute_url,
    artwork_page,
    cover_url,
    edition,
    picture_url,
    provenance,
    series_page,
    shown_once,
    source_url,
    title,
    year,
)
from ....client.catalog.client import PAGE_SIZE, Catalog, artwork_place, series_place
from ....client.catalog.models import Alumni, Artwork, Exhibition, Series
from ....client.errors import Dp1Error, NotFoundError, UnexpectedAnswerError
from ....client.hosts import work_url
from ....client.pages import Page
from ....client.playlist.manifest import MAX_NOTE, Artist
from ....client.text import shorten
from ....const import CONF_CATALOG_URL, LOGGER
from ... import timing
from ...index import Mark, Marks, marks_of
from ...item import WORK_IDS, Item
from ...listing import PATIENCE, Delta, Listing, ListKind
from ...node import NodeKind, key_of, node_id
from ...shelf import Read, Shelf
from ...words import fold

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

_FOLDER = re.compile(r"https?://[^?#]*?/[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}/")


class CatalogServer(Shelf[Exhibition]):
    """Exhibitions, the newest first, with their series and artworks as far as they have been read.

    Attributes:
        works: by what a wall tells of them.
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
                lambda _, exhibition: self._parse_exhibition(exhibition),
                order=partial(sorted, key=_opening, reverse=True),
                follow=self._follow_exhibitions,
                ended=self._handle_list,
            ),
            SERIES: ListKind(
                Series,
                self._series_pages,
                lambda _, series: self._parse_series(series),
                order=partial(sorted, key=series_place),
                follow=self._follow_series,
                is_keyed=True,
            ),
            ARTWORKS: ListKind(
                Artwork,
                self._artwork_pages,
                self.parse_work,
                order=partial(sorted, key=artwork_place),
                follow=self._follow_artworks,
                is_keyed=True,
            ),
        }
        super().__init__(hass, entry, "catalog", url, timing.REFRESH, kinds)
        self.works = Marks[Artwork](self._marks)
        # Found by the catalog, and not in its list.
        self._unlisted: LRU[str, Exhibition] = LRU(MAX_UNLISTED)
        # Of which the catalog has no work, until its list is read again.
        self._unknown: LRU[str, bool] = LRU(MAX_UNLISTED)
        self._series: dict[str, Series] = {}
        # The series in folders of their own; none if two share one.
        self._folders: dict[str, str | None] = {}
        self.works_count = 0
        # By the folded names of artists: the exhibitions with their works, and their names there.
        self._shows_of: dict[str, dict[str, str]] = {}
        # Of all lists of a kind, the same tuple until there are others.
        self._tuples: dict[str, tuple[Any, ...]] = {}

    # Records

    def exhibition(self, key: str) -> Exhibition | None:
        """Return an exhibition that has been read."""
        return self.list.get(key) or self._unlisted.get(key)

    def series(self, key: str) -> Series | None:
        """Return a series that has been read."""
        return self._series.get(key)

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

    def _tuple[T](self, kind: str, items: Callable[[], Iterable[T]]) -> tuple[T, ...]:
        """Return items, the same tuple until there are others."""
        if kind not in self._tuples:
            self._tuples[kind] = tuple(items())
        return self._tuples[kind]

    @property
    def all_series(self) -> tuple[tuple[Series, Exhibition | None], ...]:
        """Return all series that have been read, each with its exhibition."""
        lists = self.listings(SERIES)
        return self._tuple(
            SERIES,
            lambda: (
                (series, self.exhibition(key))
                for key, listing in lists.items()
                for series in listing.records
            ),
        )

    @property
    def named_works(self) -> tuple[tuple[str, Artwork], ...]:
        """Return the works that have been read and are named by more than their series and a number, with its id."""

        def named() -> Iterator[tuple[str, Artwork]]:
            """Yield them."""
            for key, works in self.listings(ARTWORKS).items():
                title = (
                    self._series[key].title.casefold() if key in self._series else ""
                )
                for work in works.records:
                    rest = work.name.casefold().replace(title, "")
                    if not work.gone and work.name not in PROOF_NAMES:
                        if any(map(str.isalpha, rest)):
                            yield key, work

        return self._tuple(ARTWORKS, named)

    @property
    def artists(self) -> tuple[tuple[str, str], ...]:
        """Return the folded names of the artists, each with a name as it is written."""

        def names() -> Iterator[tuple[str, str]]:
            """Yield them."""
            for key, shows in self._shows_of.items():
                yield key, next(iter(shows.values()))

        return self._tuple(EXHIBITIONS, names)

    def exhibition_item(self, key: str) -> Item | None:
        """Return an exhibition that has been read."""
        exhibition = self.exhibition(key)
        return self._parse_exhibition(exhibition) if exhibition else None

    def series_item(self, series: Series) -> Item:
        """Return a series, also one of which nothing is known."""
        listed = self.series_of(series.exhibition_id).item(series.id)
        return listed or self._parse_series(series)

    def work(self, place: tuple[str, str] | None) -> Item | None:
        """Return a work that has been read, by its series and its id."""
        return self.artworks_of(place[0]).item(place[1]) if place else None

    def _parse_exhibition(self, exhibition: Exhibition) -> Item:
        """Return an exhibition, which can be expanded and played while it is open."""
        opens, is_open = exhibition.opens_at, self.is_open(exhibition)
        return Item(
            id=node_id(NodeKind.EXHIBITION, exhibition.id),
            kind=NodeKind.EXHIBITION,
            title=exhibition.title,
            artists=_artists(exhibition.artists),
            year=opens.year if opens else None,
            note=exhibition.note or None,
            picture=cover_url(exhibition, "l"),
            small=cover_url(exhibition),
            can_play=is_open,
            can_expand=is_open,
            subtitle=exhibition.curator.name if exhibition.curator else None,
            opens_at=opens,
        )

    def _parse_series(self, series: Series) -> Item:
        """Return a series, which can be expanded if it has different works; one without a playable work is not offered."""
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
            artists=_artists(people_of(series, exhibition)),
            year=series.minted_at.year if series.minted_at else None,
            medium=series.medium or None,
            note=series.description or None,
            picture=cover_url(series, "l"),
            small=cover_url(series),
            can_play=can_play,
            can_expand=can_play and not once,
            subtitle=exhibition.title if exhibition else None,
            works=1 if once else series.max_artwork,
        )

    def parse_work(self, series_id: str, artwork: Artwork) -> Item:
        """Return a work, as far as its record and those of its series and its exhibition tell."""
        series = self.series(series_id) or Series(series_id, "", "")
        exhibition = self.exhibition(series.exhibition_id)
        return work_of(artwork, series, exhibition)

    def series_of_item(self, item: Item) -> Series:
        """Return the series of an item, also one of which nothing is known."""
        key = key_of(item)
        return self.series(key) or Series(key, "", "")

    def artist(self, name: str) -> Item | None:
        """Return an artist by their name."""
        key = fold(name)
        return self.artist_item(key) if key in self._shows_of else None

    def shows_of(self, key: str) -> list[Exhibition]:
        """Return the exhibitions of an artist by their folded name, the newest first."""
        shows = filter(None, map(self.list.get, self._shows_of[key]))
        return sorted(shows, key=_opening, reverse=True)

    def series_by(self, key: str, exhibition: Exhibition) -> Iterator[Series]:
        """Yield the series in an exhibition by an artist, as far as they have been read."""
        for series in self.series_of(exhibition.id).records:
            if any(fold(it.name) == key for it in people_of(series, exhibition)):
                yield series

    def artist_item(self, key: str) -> Item:
        """Return an artist by their folded name, with biography, website and portrait."""
        shows, now = self.shows_of(key), dt_util.utcnow()
        name = self._shows_of[key][shows[0].id]
        shows = [show for show in shows if show.viewable(now)]
        records = [it for show in shows for it in show.artists if it.name == name]
        texts = (" ".join(filter(None, (it.about, it.website))) for it in records)
        # A work says more than a portrait, which is often gone.
        all_series = (series for show in shows for series in self.series_by(key, show))
        pictures = map(cover_url, chain[Any](all_series, shows, records))
        return Item(
            id=node_id(NodeKind.ARTIST, name),
            kind=NodeKind.ARTIST,
            title=name,
            note=next(filter(None, texts), None),
            picture=next(filter(None, pictures), None),
            can_play=bool(shows),
            can_expand=bool(shows),
            subtitle=next(
                (host for it in records if (host := URL(it.website).host)), None
            ),
        )

    # Reads

    async def async_exhibition(self, key: str, patience: float = PATIENCE) -> Item:
        """Return an exhibition, or raise NotFoundError or why it could not be read."""
        if (exhibition := self.exhibition_item(key)) is not None:
            return exhibition
        exhibitions = await self.async_list(patience)
        if (exhibition := self.exhibition_item(key)) is None:
            raise exhibitions.missing or NotFoundError(f"no exhibition {key!r}")
        return exhibition

    async def async_series(
        self, exhibition_id: str, patience: float = PATIENCE
    ) -> Listing[Series]:
        """Return the series of an exhibition."""
        series = self.series_of(exhibition_id)
        return await series.async_get(max_age=CATALOG_AGE, patience=patience)

    async def async_artist(self, name: str) -> Item:
        """Return an artist by name, or raise NotFoundError or why the catalog could not be read."""
        exhibitions = await self.async_list()
        if (artist := self.artist(name)) is None:
            raise exhibitions.missing or NotFoundError(f"no artist {name!r}")
        return artist

    async def async_series_by(
        self, artist: Item, patience: float = PATIENCE
    ) -> tuple[list[Series], Dp1Error | None]:
        """Return the series of an artist, and why others may be missing."""
        key, now = fold(artist.title), dt_util.utcnow()
        shows = [it for it in self.shows_of(key) if it.viewable(now)][:MAX_OF_ARTIST]
        lists = await asyncio.gather(
            *(self.async_series(show.id, patience) for show in shows)
        )
        all_series = [series for show in shows for series in self.series_by(key, show)]
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
    ) -> Item:
        """Return a work of a series, or raise NotFoundError or why it could not be read."""
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
        if (work := artworks.item(key)) is None:
            raise artworks.missing or NotFoundError(
                f"no work {key!r} in series {series_id!r}"
            )
        return work

    async def async_artwork_at(self, series: Series, index: int) -> Artwork | None:
        """Return the artwork at an index of a series, None if there is none; raises why it could not be read."""
        assert self.client is not None
        read = partial(self.client.artworks, series_id=series.id, offset=index, limit=1)
        page = await self._async_page(f"work {series.id} {index}", read, PATIENCE)
        return next(iter(page.records), None)

    async def async_find_series(self, key: str) -> Series:
        """Return a series, which is looked for, or raise NotFoundError or why it could not be read."""
        if (series := self.series(key)) is not None:
            return series
        if self.client is None:
            raise NotFoundError(f"no series {key!r}")
        missing = NotFoundError(f"no series {key!r}")
        if key in self._unknown:
            raise missing
        artworks = await self.async_artworks(key, 1)
        if not artworks.records:
            problem = artworks.missing
            self.async_discard(ARTWORKS, key)
            if problem is None:
                self._unknown[key] = True
            raise problem or missing
        await self.async_share(
            f"exhibition of {key}",
            partial(self._async_find_exhibition_of, key),
            FIND_SERIES_SECONDS,
        )
        return self.series(key) or Series(id=key, exhibition_id="", title="")

    async def async_search(self, words: str, patience: float) -> list[Exhibition]:
        """Return the exhibitions the catalog finds by words, none if it does not answer."""
        if self.client is None:
            return []
        read = partial(self.client.exhibitions, keyword=words, sortBy="relevance")
        try:
            page = await self._async_page(f"search {words}", read, patience)
        except Dp1Error as err:
            LOGGER.debug("The catalog finds nothing: %s", err)
            return []
        for each in page.records:
            self._unlisted[each.id] = each
        return [self.exhibition(each.id) or each for each in page.records]

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

    # What follows

    def _follow_exhibitions(
        self, listing: Listing[Exhibition], delta: Delta[Exhibition]
    ) -> None:
        """Collect the artists of exhibitions, and forget the series of those that are gone."""
        self._shows_of = {}
        for exhibition in listing.records:
            for person in exhibition.artists:
                shows = self._shows_of.setdefault(fold(person.name), {})
                shows.setdefault(exhibition.id, person.name)
        self._tuples.clear()
        for exhibition in delta.removed:
            self.async_discard(SERIES, exhibition.id)

    @callback
    def _handle_list(self, read: Listing[Exhibition]) -> None:
        """Forget the series that were stored of exhibitions which are gone, and which there are none."""
        self._unknown.clear()
        if read.complete:
            for gone in self.listings(SERIES).keys() - {it.id for it in read.records}:
                self.async_discard(SERIES, gone)

    def _follow_series(self, listing: Listing[Series], delta: Delta[Series]) -> None:
        """Index series, and their works again; those of one that has grown are to be read again, those of one that is gone are forgotten."""
        for series in (*delta.added, *delta.changed):
            if earlier := self._series.get(series.id):
                if earlier.max_artwork != series.max_artwork:
                    self.artworks_of(series.id).async_expire()
                self._discard_folders(earlier)
            for folder in folders_of(series):
                # One of two series is ambiguous.
                if self._folders.setdefault(folder, series.id) != series.id:
                    self._folders[folder] = None
            self._series[series.id] = series
            if works := self.listings(ARTWORKS).get(series.id):
                self.works.follow(works, Delta((), works.records, (), True))
        for series in delta.removed:
            if self._series.get(series.id) is series:
                del self._series[series.id]
                self._discard_folders(series)
                self.async_discard(ARTWORKS, series.id)
        self._tuples.pop(SERIES, None)

    def _discard_folders(self, series: Series) -> None:
        """Forget the folders of a series that is gone or has others by now."""
        for folder in folders_of(series):
            if self._folders.get(folder) == series.id:
                del self._folders[folder]

    def _follow_artworks(
        self, listing: Listing[Artwork], delta: Delta[Artwork]
    ) -> None:
        """Index artworks, and discard those that were not used for the longest time."""
        self.works_count += len(delta.added) - len(delta.removed)
        lists, key = self.listings(ARTWORKS), listing.key
        self._tuples.pop(ARTWORKS, None)
        if key not in lists:
            self.works.discard(key)
            return
        self.works.follow(listing, delta)
        while self.works_count > MAX_WORKS:
            if (least_used := next(iter(lists))) == key:
                break
            self.async_discard(ARTWORKS, least_used)

    # What a wall shows

    def _marks(self, series_id: str, artwork: Artwork) -> Iterable[Mark]:
        """Return by what a work is recognized, once its series is known."""
        if (series := self._series.get(series_id)) is None:
            return ()
        source = source_url(artwork, series)
        return marks_of(item_id(series, artwork), source, provenance(artwork))

    def series_at(self, source: str | None) -> Series | None:
        """Return the series in whose folder an address lies."""
        folder = folder_of(work_url(source or ""))
        return self._series.get(self._folders.get(folder or "") or "")

    def series_at_all(self, sources: Iterable[str | None]) -> frozenset[str]:
        """Return the ids of the series that the works at some addresses are of, none unless all have been read."""
        keys = set[str]()
        for source in sources:
            if place := self.works.at(source or ""):
                keys.add(place[0])
            elif series := self.series_at(source):
                keys.add(series.id)
            else:
                return frozenset()
        return frozenset(keys)


def _opening(exhibition: Exhibition) -> tuple[float, str]:
    """Return the sort key of an exhibition; those without an opening come last."""
    opens = exhibition.opens_at
    return opens.timestamp() if opens else float("-inf"), exhibition.number


def folder_of(address: str) -> str | None:
    """Return the folder of an address whose name is a UUID, as those of series are."""
    match = _FOLDER.match(address)
    return match[0] if match else None


def folders_of(series: Series) -> set[str]:
    """Return the folders with the works of a series and nothing else."""
    paths = (
        f"previews/{series.id}/index.html",
        *series.previews,
        f"{series.unique_preview_path}/index.html",
    )
    addresses = (absolute_url(path) for path in paths if path.strip("/"))
    return {
        folder for address in addresses if address and (folder := folder_of(address))
    }


def work_of(artwork: Artwork, series: Series, exhibition: Exhibition | None) -> Item:
    """Return the metadata of a work of the catalog."""
    number = edition(artwork)
    name = title(artwork, series) or (f"#{number}" if number else artwork.id)
    source = source_url(artwork, series)
    within = exhibition.title if exhibition else None
    return Item(
        id=node_id(NodeKind.ARTWORK, series.id, artwork.id)
        if artwork.id
        else node_id(NodeKind.SERIES, series.id),
        kind=NodeKind.ARTWORK,
        item_id=item_id(series, artwork) if artwork.id else None,
        title=name,
        artists=_artists(people_of(series, exhibition)),
        series=series.title if series.title and series.title != name else None,
        exhibition=within,
        edition=_edition(artwork, series),
        year=year(artwork, series),
        picture=picture_url(artwork, series, "l"),
        small=picture_url(artwork, series),
        link=artwork_page(artwork) if artwork.id else series_page(series),
        medium=series.medium or None,
        note=shorten(series.description, MAX_NOTE) or None,
        source=source,
        provenance=provenance(artwork),
        can_play=not artwork.gone and source is not None,
        subtitle=within,
    )


def _edition(artwork: Artwork, series: Series) -> str | None:
    """Return the edition of a work."""
    if series.single:
        return None
    if artwork.name in PROOF_NAMES:
        return artwork.name
    if (number := edition(artwork)) is None:
        return None
    size = series.max_artwork
    return f"#{number} of {size}" if size and size >= number else f"#{number}"


def item_id(series: Series, artwork: Artwork) -> str:
    """Return the id of the playlist item of a work."""
    return str(uuid5(WORK_IDS, f"{series.id}/{artwork.id}"))


def _artists(people: Iterable[Alumni]) -> tuple[Artist, ...]:
    """Return the artists of a work."""
    return tuple(
        Artist(
            person.name,
            person.about,
            cover_url(person),
            {"website": person.website} if person.website else {},
        )
        for person in people
    )


def people_of(series: Series, exhibition: Exhibition | None) -> tuple[Alumni, ...]:
    """Return the artists of a series, or the only artist of its exhibition, with their biographies.

    The record of a series has no biographies.
    """
    artists = exhibition.artists if exhibition else ()
    if not series.artists:
        return artists if len(artists) == 1 else ()
    with_biography = {
        person.id: person for person in artists if person.id and person.about
    }
    return tuple(
        person if person.about else with_biography.get(person.id, person)
        for person in series.artists
    )
