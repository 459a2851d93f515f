"""The exhibition catalog as a provider: exhibitions, series, works and artists."""

import asyncio
from collections.abc import Iterable, Iterator, Sequence, Set as AbstractSet
from dataclasses import dataclass, replace
from datetime import datetime
from itertools import chain, islice
from math import ceil
import re
from typing import Any, Final, override

from lru import LRU
from yarl import URL

from homeassistant.config_entries import ConfigEntry
from homeassistant.core import CALLBACK_TYPE, HomeAssistant, callback
from homeassistant.helpers.event import async_track_point_in_utc_time
from homeassistant.util import dt as dt_util

from ....client.catalog.artwork import (
    CAP,
    Group,
    absolute_url,
    cover_url,
    edition,
    evenly,
    exhibition_page,
    picture_url,
    select_works,
    shares,
    shown_once,
    source_url,
    works_to_read,
)
from ....client.catalog.client import PAGE_SIZE
from ....client.catalog.models import Artwork, Exhibition, ExhibitionKind, Series
from ....client.display.player_status import PlaylistItem
from ....client.errors import Dp1Error, InvalidRequestError, NotFoundError
from ....client.feed.models import FeedPlaylist
from ....client.http import request_json
from ....client.playlist.playlist import Playlist
from ....client.values import text
from ....const import SOURCE_LIMIT
from ....guard import ADDRESSES
from ...news import EXHIBITION_OPENED, MAX_AGE, async_tell
from ...node import Children, Node, NodeKind, node_id
from ...search import (
    EXACT,
    MAX_QUERY,
    RELEVANT,
    Lines,
    Names,
    Query,
    Scored,
    the_one_called,
)
from ...server_list import PATIENCE
from ...spoken import FILLERS, NUMBER_WORDS, fold, number_of
from ...work import NO_WORK, Work
from ..feed.server import FeedServer
from ..provider import (
    BUILD_PATIENCE,
    SEARCH_PATIENCE,
    Json,
    NodeRef,
    Provider,
    Source,
    children_of,
)
from . import records
from .background_reader import BackgroundReader
from .records import artists_of, people_of, work_at
from .server import CatalogServer

# Seconds after which a work is looked up again that a display shows.
WORK_AGE: Final = 600.0
# The same of one that could not be looked up.
WORK_RETRY: Final = 30.0

MANIFEST_SECONDS = 10.0
# Manifests are advised to have at most 64 KB.
MAX_MANIFEST = 256 * 1024
MAX_LOOK_UPS = 256
MAX_EXHIBITIONS = 3
# A published playlist of an exhibition saves time, so it must not cost any.
FEED_PATIENCE = 1.0
# With four at a time this is five round trips; together with the series of an exhibition, and the display, eight at most.
MAX_REQUESTS = 20
# Reading series takes requests, so only those of the best exhibitions, or the newest of an artist, are read.
MAX_OPENED = 3
MAX_OF_ARTIST = 10
# A work is looked for by its number in so many series of the same title.
MAX_NAMESAKES = 3
_COUNTED = re.compile(
    r"(?P<title>.+?) ?[の的]? ?第? ?(?P<number>[0-9]+|[一二三四五六七八九十]+) ?(?:番目?|号|號)"
)
_CLAIM = re.compile(
    r"(.+?)\s+[-–—]\s+(?:full collection|highlight reel)", re.IGNORECASE
)
_DIGITS = re.compile(r"[0-9]+")


def claimed_exhibition(playlist: FeedPlaylist) -> str | None:
    """Return the name of the exhibition that a playlist's title claims to be, as `comparable` writes it."""
    match = _CLAIM.fullmatch(playlist.title.strip())
    return comparable(match[1]) if match else None


def comparable(name: str) -> str:
    """Return a name without case and extra blanks."""
    return " ".join(name.casefold().split())


@dataclass(frozen=True, slots=True)
class Artist:
    """An artist with the exhibitions with their works, the newest first."""

    name: str
    exhibitions: list[Exhibition]

    def viewable(self) -> list[Exhibition]:
        """Return the exhibitions that can be seen."""
        now = dt_util.utcnow()
        return [each for each in self.exhibitions if each.viewable(now)]


class _Exhibitions(NodeRef["CatalogProvider"]):
    """The folder of the exhibitions."""

    size = 0

    @override
    async def node(self) -> Node:
        """Return the folder."""
        return self.provider.folder()

    @override
    async def children(self, limit: int) -> Children[Any]:
        """Return the exhibitions that can be seen."""
        exhibitions = await self.provider.catalog.async_list()
        return children_of(self.provider.open_nodes(), exhibitions)


class _Exhibition(NodeRef["CatalogProvider"]):
    """An exhibition, which may have been read to find it."""

    record: Exhibition | None = None

    async def _async_read(self, patience: float = PATIENCE) -> Exhibition:
        """Return the record."""
        return self.record or await self.provider.catalog.async_exhibition(
            self.key, patience
        )

    @override
    async def node(self) -> Node:
        """Return the exhibition."""
        return self.provider.exhibition_node(await self._async_read())

    @override
    async def children(self, limit: int) -> Children[Any]:
        """Return the series."""
        await self._async_read()
        series_list = await self.provider.catalog.async_series(self.key)
        return children_of(
            map(self.provider.series_node, series_list.records), series_list
        )

    @override
    async def build(self, limit: int | None = None) -> Playlist:
        """Build the playlist of works of all series, or use the one the feed has."""
        catalog = self.provider.catalog
        exhibition = await self._async_read(BUILD_PATIENCE)
        series_list, published = await asyncio.gather(
            catalog.async_series(exhibition.id, BUILD_PATIENCE),
            self.provider.async_published(exhibition),
        )
        if series_list.complete and published:
            items = published.items
            sources = [text(item.get("source")) for item in items]
            keys = catalog.works.series_of(sources)
            if (limit is None or len(items) <= limit) and _are_all(
                keys, series_list.records
            ):
                return replace(published, title=exhibition.title, node_id=self.id)
        return await self.provider.async_build_of(
            self.id,
            exhibition.title,
            series_list.records,
            series_list.missing,
            limit=limit,
            kind=exhibition.kind,
            cover=cover_url(exhibition, "l"),
            summary=exhibition.note,
        )


class _Series(NodeRef["CatalogProvider"]):
    """A series, which may have been read to find it."""

    record: Series | None = None

    async def _async_read(self) -> Series:
        """Return the record."""
        return self.record or await self.provider.catalog.async_find_series(self.key)

    @override
    async def node(self) -> Node:
        """Return the series."""
        return self.provider.series_node(await self._async_read())

    @override
    async def children(self, limit: int) -> Children[Any]:
        """Return works, spread evenly over the series."""
        series = await self._async_read()
        once = shown_once(series)
        limit = 1 if once else limit
        artworks = await self.provider.catalog.async_artworks(self.key, limit)
        works = [artwork for artwork in artworks.records if not artwork.gone]
        nodes = [
            self.provider.artwork_node(artwork, series)
            for artwork in evenly(works, limit)
        ]
        children = children_of(nodes, artworks)
        # Copies of a work are not missing works.
        missing = children.not_shown + len(works) - len(nodes)
        return replace(children, not_shown=0 if once else missing)

    @override
    async def build(self, limit: int | None = None) -> Playlist:
        """Build the playlist of works of the series."""
        series = await self._async_read()
        exhibition = self.provider.catalog.exhibition(series.exhibition_id)
        titles = (exhibition.title if exhibition else "", series.title)
        return await self.provider.async_build_of(
            self.id,
            " — ".join(filter(None, titles)) or series.id,
            (series,),
            limit=limit,
            kind=exhibition.kind if exhibition else ExhibitionKind.GROUP,
            cover=cover_url(series, "l"),
            summary=series.description,
        )


class _Artwork(NodeRef["CatalogProvider"]):
    """A work of a series."""

    size = 2

    async def _async_read(self, patience: float = PATIENCE) -> tuple[Artwork, Series]:
        """Return the record, and that of the series."""
        catalog, (series_id, key) = self.provider.catalog, self.keys
        series = await catalog.async_find_series(series_id)
        return await catalog.async_artwork(series_id, key, patience), series

    @override
    async def node(self) -> Node:
        """Return the work."""
        return self.provider.artwork_node(*await self._async_read())

    @override
    async def build(self, limit: int | None = None) -> Playlist:
        """Build the playlist of the work."""
        artwork, series = await self._async_read(BUILD_PATIENCE)
        work = self.provider.work_of(artwork, series)
        title = work.title or self.key
        if (item := self.provider.item(artwork, series)) is None:
            raise NotFoundError(f"{title!r} has nothing to show")
        return self.provider.build_items(self.id, title, [item], cover=work.picture)


class _Artists(NodeRef["CatalogProvider"]):
    """The folder of the artists, which cards open."""

    size = 0

    @override
    async def node(self) -> Node:
        """Return the folder."""
        return self.provider.artists_folder()

    @override
    async def children(self, limit: int) -> Children[Any]:
        """Return the artists whose works can be seen."""
        exhibitions = await self.provider.catalog.async_list()
        return children_of(self.provider.artist_nodes(), exhibitions)


class _Artist(NodeRef["CatalogProvider"]):
    """An artist by name."""

    @override
    async def node(self) -> Node:
        """Return the artist."""
        return self.provider.artist_node(await self.provider.async_artist(self.key))

    @override
    async def children(self, limit: int) -> Children[Any]:
        """Return the series."""
        artist = await self.provider.async_artist(self.key)
        all_series, problem = await self.provider.async_series_of(artist)
        nodes = tuple(map(self.provider.series_node, all_series))
        return Children(nodes, problem=problem)

    @override
    async def build(self, limit: int | None = None) -> Playlist:
        """Build the playlist of works of all series."""
        artist = await self.provider.async_artist(self.key)
        all_series, problem = await self.provider.async_series_of(
            artist, BUILD_PATIENCE
        )
        node = node_id(self.kind, artist.name)
        return await self.provider.async_build_of(
            node, artist.name, all_series, problem, limit=limit
        )


class CatalogProvider(Provider):
    """The exhibitions that can be seen, their series, works and artists."""

    kinds = {
        NodeKind.EXHIBITIONS: _Exhibitions,
        NodeKind.EXHIBITION: _Exhibition,
        NodeKind.SERIES: _Series,
        NodeKind.ARTWORK: _Artwork,
        NodeKind.ARTISTS: _Artists,
        NodeKind.ARTIST: _Artist,
    }

    def __init__(
        self,
        hass: HomeAssistant,
        entry: ConfigEntry[Any],
        on_change: CALLBACK_TYPE,
        catalog: CatalogServer,
        feed: FeedServer,
    ) -> None:
        """Initialize with the catalog and the feed of the library, which may have none."""
        super().__init__(hass, entry, on_change)
        self.catalog = catalog
        self._feed = feed
        self.servers = (catalog,)
        # Works that were looked up, or the errors instead, and when they expire.
        self._results: LRU[str, tuple[Work | Dp1Error | None, float]] = LRU(
            MAX_LOOK_UPS
        )
        self._opening: CALLBACK_TYPE | None = None
        self.background_reader = BackgroundReader(self.hass, catalog)
        self._artists: tuple[Artist, ...] = ()
        self._artists_of: Sequence[Exhibition] = ()
        self._exhibition_lines = Lines(
            self.hass,
            lambda: catalog.list.records,
            _names_of,
            lambda exhibition, _: self.exhibition_node(exhibition),
            NodeKind.EXHIBITIONS,
        )
        self._series_lines = Lines(
            self.hass,
            lambda: catalog.all_series,
            lambda series: ((series.title, *self._context_of(series)),),
            lambda series, _: (
                self.series_node(series) if self._is_open(series) else None
            ),
            NodeKind.EXHIBITIONS,
        )
        self.lines = (
            self._exhibition_lines,
            Lines(
                self.hass,
                self._all_artists,
                lambda artist: ((artist.name, None, ""),),
                lambda artist, _: self.artist_node(artist),
            ),
            self._series_lines,
            Lines(
                self.hass,
                lambda: catalog.works.named,
                self._names_of_work,
                self._node_of_work,
                NodeKind.EXHIBITIONS,
            ),
        )

    # Nodes

    @override
    def roots(self) -> list[Node]:
        """Return the folder of the exhibitions."""
        return [] if self.catalog.client is None else [self.folder()]

    def folder(self) -> Node:
        """Return the folder of the exhibitions."""
        return self._folder(NodeKind.EXHIBITIONS, self.open_nodes())

    def open_nodes(self) -> Iterator[Node]:
        """Yield the nodes of the exhibitions that can be seen."""
        nodes = map(self.exhibition_node, self.catalog.list.records)
        return (node for node in nodes if node.can_expand)

    def exhibition_node(self, exhibition: Exhibition) -> Node:
        """Return the node of an exhibition, which can be expanded and played while it is open."""
        opens, is_open = exhibition.opens_at, self.catalog.is_open(exhibition)
        return Node(
            id=node_id(NodeKind.EXHIBITION, exhibition.id),
            kind=NodeKind.EXHIBITION,
            work=Work(
                title=exhibition.title,
                artists=artists_of(exhibition.artists),
                year=opens.year if opens else None,
                note=exhibition.note or None,
                picture=cover_url(exhibition),
            ),
            can_play=is_open,
            can_expand=is_open,
            subtitle=exhibition.curator.name if exhibition.curator else None,
            opens_at=None if is_open else opens,
        )

    def series_node(self, series: Series) -> Node:
        """Return the node of a series, which can be expanded if it has different works; one without a playable work is not offered."""
        artworks = self.catalog.artworks_of(series.id)
        can_play = artworks.read_at is None or any(
            not artwork.gone and source_url(artwork, series)
            for artwork in artworks.records
        )
        exhibition = self.catalog.exhibition(series.exhibition_id)
        once = shown_once(series)
        return Node(
            id=node_id(NodeKind.SERIES, series.id),
            kind=NodeKind.SERIES,
            work=Work(
                title=series.title,
                artists=artists_of(people_of(series, exhibition)),
                year=series.minted_at.year if series.minted_at else None,
                medium=series.medium or None,
                note=series.description or None,
                picture=cover_url(series),
            ),
            can_play=can_play,
            can_expand=can_play and not once,
            subtitle=exhibition.title if exhibition else None,
            works=1 if once else series.max_artwork,
        )

    def artwork_node(self, artwork: Artwork, series: Series) -> Node:
        """Return the node of a work."""
        work = self.work_of(artwork, series)
        return Node(
            id=node_id(NodeKind.ARTWORK, series.id, artwork.id),
            kind=NodeKind.ARTWORK,
            work=replace(work, picture=picture_url(artwork, series)),
            can_play=not artwork.gone and work.source is not None,
            subtitle=work.exhibition,
        )

    # Artists

    def _all_artists(self) -> tuple[Artist, ...]:
        """Return the artists of all exhibitions; the same tuple until there are other exhibitions."""
        exhibitions = self.catalog.list.records
        if self._artists_of is not exhibitions:
            artists: dict[str, Artist] = {}
            for exhibition in exhibitions:
                for person in exhibition.artists:
                    artist = Artist(person.name, [])
                    earlier = artists.setdefault(fold(person.name), artist)
                    earlier.exhibitions.append(exhibition)
            self._artists_of, self._artists = exhibitions, tuple(artists.values())
        return self._artists

    async def async_artist(self, name: str) -> Artist:
        """Return an artist by name, or raise NotFoundError or why the catalog could not be read."""
        exhibitions = await self.catalog.async_list()
        for artist in self._all_artists():
            if fold(artist.name) == fold(name):
                return artist
        raise exhibitions.missing or NotFoundError(f"no artist {name!r}")

    async def async_series_of(
        self, artist: Artist, patience: float = PATIENCE
    ) -> tuple[list[Series], Dp1Error | None]:
        """Return the series of an artist, and why others may be missing."""
        exhibitions = artist.viewable()[:MAX_OF_ARTIST]
        lists = await asyncio.gather(
            *(self.catalog.async_series(each.id, patience) for each in exhibitions)
        )
        all_series = [
            series
            for exhibition, series_list in zip(exhibitions, lists, strict=True)
            for series in series_list.records
            if fold(artist.name)
            in {fold(person.name) for person in people_of(series, exhibition)}
        ]
        reasons = (series_list.missing for series_list in lists if series_list.missing)
        return all_series, next(reasons, None)

    def artists_folder(self) -> Node:
        """Return the folder of the artists."""
        return self._folder(NodeKind.ARTISTS, self.artist_nodes())

    def artist_nodes(self) -> list[Node]:
        """Return the artists whose works can be seen, by name."""
        nodes = map(self.artist_node, self._all_artists())
        return sorted(
            (node for node in nodes if node.can_play), key=lambda node: fold(node.title)
        )

    def _series_read_of(self, artist: Artist) -> Iterator[Series]:
        """Yield the series of an artist that were read."""
        name = fold(artist.name)
        for exhibition in artist.viewable():
            for series in self.catalog.series_of(exhibition.id).records:
                if name in {fold(it.name) for it in people_of(series, exhibition)}:
                    yield series

    def artist_node(self, artist: Artist) -> Node:
        """Return the node of an artist, with biography, website and portrait."""
        exhibitions = artist.viewable()
        is_open = bool(exhibitions)
        people = (person for each in exhibitions for person in each.artists)
        records = [person for person in people if person.name == artist.name]
        texts = (" ".join(filter(None, (it.about, it.website))) for it in records)
        # A work says more than a portrait, which is often gone.
        pictures = chain(
            map(cover_url, self._series_read_of(artist)),
            map(cover_url, exhibitions),
            map(cover_url, records),
        )
        return Node(
            id=node_id(NodeKind.ARTIST, artist.name),
            kind=NodeKind.ARTIST,
            work=Work(
                title=artist.name,
                note=next(filter(None, texts), None),
                picture=next(filter(None, pictures), None),
            ),
            can_play=is_open,
            can_expand=is_open,
            subtitle=next(
                (host for it in records if (host := URL(it.website).host)), None
            ),
        )

    # By name

    async def async_find(self, kind: str, text: str) -> NodeRef[Any]:
        """Return an exhibition by id, slug or title, or a series by title or id."""
        if kind == NodeKind.EXHIBITION:
            return await self._async_find_exhibition(text)
        if not (series := self._series_titled(text)):
            await self.async_ask(Query.of(text), text)
            series = self._series_titled(text) or the_one_called(
                text,
                await self._series_lines.async_records(Query.of(text)),
                lambda series: series.title,
            )
        series = series or await self.catalog.async_find_series(text)
        ref = _Series(self, kind, series.id)
        ref.record = series
        return ref

    async def _async_find_exhibition(self, text: str) -> NodeRef[Any]:
        """Return the exhibition with an id or slug, else the newest with a title."""
        exhibitions = await self.catalog.async_list()
        records, key, name = exhibitions.records, text.casefold(), fold(text)
        identified = (
            it for it in records if key in (it.id.casefold(), it.slug.casefold())
        )
        titled = (it for it in records if fold(it.title) == name)
        exhibition = next(chain(identified, titled), None) or the_one_called(
            text,
            dict.fromkeys(await self._exhibition_lines.async_records(Query.of(text))),
            lambda exhibition: exhibition.title,
        )
        if exhibition is None:
            raise exhibitions.missing or NotFoundError(f"no exhibition {text!r}")
        ref = _Exhibition(self, NodeKind.EXHIBITION, exhibition.id)
        ref.record = exhibition
        return ref

    def _series_titled(self, text: str) -> Series | None:
        """Return the series with a title among those that have been read."""
        name = fold(text)
        all_series = self.catalog.all_series
        return next(
            (series for series in all_series if fold(series.title) == name), None
        )

    # Playlists

    async def async_published(self, exhibition: Exhibition) -> Playlist | None:
        """Return the only playlist of the feed which claims to be an exhibition."""
        name = comparable(exhibition.title)
        playlists = [
            playlist
            for playlist in self._feed.list.records
            if playlist.title.casefold().startswith(name)
            and claimed_exhibition(playlist) == name
        ]
        if len(playlists) != 1:
            return None
        try:
            return await self._feed.async_document(playlists[0].id, FEED_PATIENCE)
        except Dp1Error:
            return None

    async def async_build_of(
        self,
        node: str,
        title: str,
        all_series: Sequence[Series],
        reason: Dp1Error | None = None,
        *,
        limit: int | None,
        kind: ExhibitionKind = ExhibitionKind.GROUP,
        **document: Any,
    ) -> Playlist:
        """Build the playlist of one or more series."""
        cap = limit or CAP
        groups, unread = await self._async_read_works(all_series, cap)
        reason = reason or unread
        works, _ = select_works(kind, groups, cap)
        if not works:
            raise reason or NotFoundError(f"{title!r} has no work to show")
        items = [self.item(artwork, series) for series, artwork in works]
        return self.build_items(
            node, title, [item for item in items if item], **document
        )

    async def _async_read_works(
        self, all_series: Sequence[Series], cap: int
    ) -> tuple[list[Group], Dp1Error | None]:
        """Read as many works of each series as are needed, or as there is time for."""
        pages = [ceil(count / PAGE_SIZE) for count in works_to_read(all_series, cap)]
        wanted = sum(1 for count in pages if count)
        pages = shares(pages, max(MAX_REQUESTS, wanted, ceil(cap / PAGE_SIZE)))
        chosen = [
            (series, count * PAGE_SIZE)
            for series, count in zip(all_series, pages, strict=True)
            if count
        ]
        lists = await asyncio.gather(
            *(
                self.catalog.async_artworks(series.id, count, BUILD_PATIENCE)
                for series, count in chosen
            )
        )
        groups: list[Group] = [
            (series, artworks.records)
            for (series, _), artworks in zip(chosen, lists, strict=True)
        ]
        reasons = (artworks.missing for artworks in lists if artworks.missing)
        return groups, next(reasons, None)

    def item(self, artwork: Artwork, series: Series) -> Json | None:
        """Return the playlist item of a work, None if it has nothing to show."""
        work = self.work_of(artwork, series)
        if artwork.gone or work.source is None:
            return None
        return work.item(duration=self.preferences.duration)

    # Search

    @override
    async def async_ask(self, query: Query, text: str) -> Scored:
        """Return exhibitions that the catalog finds, and works by their numbers; read the series of the best exhibitions."""
        exhibitions, relevant = await asyncio.gather(
            self.catalog.async_list(SEARCH_PATIENCE),
            self.catalog.async_search(text[:MAX_QUERY], SEARCH_PATIENCE),
        )
        fitting = await self._exhibition_lines.async_records(query)
        # The query may have the title beside something else that is in it.
        titled = [each for each in exhibitions.records if query.names(each.title)]
        now = dt_util.utcnow()
        best = {
            each.id: None
            for each in (*fitting, *relevant, *titled)
            if each.viewable(now)
        }
        await asyncio.gather(
            *(
                self.catalog.async_series(key, SEARCH_PATIENCE)
                for key in islice(best, MAX_OPENED)
            )
        )
        matches = [
            (float(max(_score(query, each), RELEVANT)), self.exhibition_node(each))
            for each in relevant
        ]
        return matches + await self._async_numbered(query)

    async def _async_numbered(self, query: Query) -> Scored:
        """Return the works that the title of a series and a number stand for."""
        matches: Scored = []
        for title, number in _numbers(query.text):
            wanted = Query.of(title)
            meant = (
                series
                for series in await self._series_lines.async_records(wanted)
                if Query.of(series.title).words == wanted.words
                and self._is_open(series)
            )
            for series in islice(meant, MAX_NAMESAKES):
                work = await self._async_work(series, number)
                if work is not None:
                    matches.append((EXACT, self.artwork_node(work, series)))
        return matches

    async def _async_work(self, series: Series, number: int) -> Artwork | None:
        """Return the work of a series with a number, by one request if it has not been read."""
        if shown_once(series) or not 0 < number <= (series.max_artwork or number):
            return None
        for artwork in self.catalog.artworks_of(series.id).records:
            if _has_number(artwork, number):
                return artwork
        try:
            work = await self.catalog.async_artwork_at(series, number - 1)
        except Dp1Error:
            return None
        if work is None or not _has_number(work, number):
            return None
        self.catalog.async_remember(series, work)
        return work

    def _is_open(self, series: Series) -> bool:
        """Return whether the exhibition of a series can be seen, or has not been read."""
        exhibition = self.catalog.exhibition(series.exhibition_id)
        return exhibition is None or exhibition.viewable(dt_util.utcnow())

    def _context_of(self, series: Series) -> tuple[str, str]:
        """Return the artist and the exhibition of a series."""
        exhibition = self.catalog.exhibition(series.exhibition_id)
        title = exhibition.title if exhibition else ""
        return ", ".join(it.name for it in people_of(series, exhibition)), title

    def _names_of_work(self, work_of_series: tuple[str, Artwork]) -> Iterator[Names]:
        """Yield the names of a work: its own, and its title."""
        series_id, artwork = work_of_series
        if series := self.catalog.series(series_id):
            work = self.work_of(artwork, series)
            for title in dict.fromkeys((artwork.name, work.title or "")):
                yield title, work.artist, work.exhibition or ""

    def _node_of_work(
        self, work_of_series: tuple[str, Artwork], number: int
    ) -> Node | None:
        """Return the node of a work with a name of its own."""
        series = self.catalog.series(work_of_series[0])
        if series is None or not self._is_open(series):
            return None
        return self.artwork_node(work_of_series[1], series)

    @override
    def sources(self) -> Sequence[Sequence[Source]]:
        """Return the exhibitions, if they are wanted."""
        if "exhibitions" not in self.preferences.sources:
            return ()
        visible = [each for each in self.catalog.list.records if each.visible]
        first = islice(filter(self.catalog.is_open, visible), SOURCE_LIMIT)
        listed = {each.id for each in first}
        return (
            [
                Source(
                    node_id(NodeKind.EXHIBITION, each.id),
                    each.title,
                    (
                        each.opens_at.year if each.opens_at else None,
                        each.number and f"No. {each.number}",
                    ),
                    each.id in listed,
                )
                for each in visible
            ],
        )

    # What a display shows

    def recognize_works(self, sources: AbstractSet[str]) -> Iterator[str]:
        """Yield the exhibition, series or work of which these are all addresses."""
        catalog = self.catalog
        keys = catalog.works.series_of(sources)
        if (series := catalog.series(next(iter(keys), ""))) is None:
            return
        all_series = catalog.series_of(series.exhibition_id)
        if all_series.complete and _are_all(keys, all_series.records):
            yield node_id(NodeKind.EXHIBITION, series.exhibition_id)
        size = 1 if shown_once(series) else series.max_artwork
        if len(keys) == 1 and len(sources) == size:
            yield node_id(NodeKind.SERIES, series.id)
        if len(sources) == 1 and (
            work_of_series := catalog.works.find(source=next(iter(sources)))
        ):
            yield node_id(NodeKind.ARTWORK, series.id, work_of_series[1].id)

    @override
    def work(self, item: PlaylistItem) -> Work | None:
        """Return the work of an item, as far as it has been read or looked up."""
        result, _ = self._results.get(_key(item)) or (None, 0.0)
        looked_up = result if isinstance(result, Work) else None
        return self._indexed(item) or looked_up or self._described_by_series(item)

    @override
    async def async_work(self, item: PlaylistItem) -> Work | None:
        """Return the work of an item, which is looked up, or raise why it could not be."""
        if work := self._indexed(item):
            return work
        key, now = _key(item), asyncio.get_running_loop().time()
        result, expires = self._results.get(key) or (None, 0.0)
        if now >= expires:
            work, problem = None, None
            try:
                work = await self._async_look_up(item)
            except NotFoundError, InvalidRequestError:
                pass
            except Dp1Error as err:
                problem = err
            work = work or self._described_by_series(item)
            result = await self._async_add_manifest(item, work) or problem
            max_age = WORK_RETRY if problem else WORK_AGE
            self._results[key] = result, now + max_age
        if isinstance(result, Dp1Error):
            raise result
        return result

    def _indexed(self, item: PlaylistItem) -> Work | None:
        """Return a work that has been read from the catalog."""
        work_of_series = self.catalog.works.find(item.id, item.source, item.provenance)
        series = self.catalog.series(work_of_series[0]) if work_of_series else None
        return (
            self.work_of(work_of_series[1], series)
            if work_of_series and series
            else None
        )

    def work_of(self, artwork: Artwork, series: Series) -> Work:
        """Return a work of a series."""
        exhibition = self.catalog.exhibition(series.exhibition_id)
        return records.work_of(artwork, series, exhibition)

    def _series(self, item: PlaylistItem) -> Series | None:
        """Return the series in whose folder a work lies."""
        return self.catalog.series(self.catalog.works.series_at(item.source) or "")

    def _described_by_series(self, item: PlaylistItem) -> Work | None:
        """Return a work as far as its series describes it."""
        if (series := self._series(item)) is None:
            return None
        work = self.work_of(work_at(series, item.source or ""), series)
        title = item.title or work.title
        of_series = series.title if series.title != title else None
        return replace(work, title=title, series=of_series, provenance=item.provenance)

    async def _async_look_up(self, item: PlaylistItem) -> Work | None:
        """Find the exhibition of a work by the feed's playlists, the series by its folder, the work by its number."""
        for exhibition in self._claimed_exhibitions(item):
            series_list = await self.catalog.async_series(exhibition.id)
            if series_list.missing and self._series(item) is None:
                raise series_list.missing
        if (series := self._series(item)) is None:
            for server in (self.catalog.list, self._feed.list):
                if server.missing and server.read_at is None:
                    raise server.missing
            return None
        index = 0 if shown_once(series) else work_at(series, item.source or "").index
        if index is None:
            artworks = await self.catalog.async_artworks(series.id, CAP)
            if (work := self._indexed(item)) is None and artworks.missing:
                raise artworks.missing
            return work
        artwork = await self.catalog.async_artwork_at(series, index)
        if artwork and source_url(artwork, series) == item.source:
            return self.work_of(artwork, series)
        return None

    def _claimed_exhibitions(self, item: PlaylistItem) -> list[Exhibition]:
        """Return the exhibitions that playlists of the feed with this work claim to be."""
        names = {
            name
            for playlist in self._feed.list.records
            if playlist.shows(item.source) and (name := claimed_exhibition(playlist))
        }
        return [
            exhibition
            for exhibition in self.catalog.list.records
            if comparable(exhibition.title) in names
        ][:MAX_EXHIBITIONS]

    async def _async_add_manifest(
        self, item: PlaylistItem, work: Work | None
    ) -> Work | None:
        """Return a work completed by its manifest."""
        address = absolute_url(item.ref or "") if "://" in (item.ref or "") else None
        if address is None:
            return work
        try:
            answer = await request_json(
                self.hass.data[ADDRESSES].async_guard(),
                "GET",
                address,
                timeout=MANIFEST_SECONDS,
                max_body=MAX_MANIFEST,
            )
            manifest = await answer.json(strict=False) if answer.ok else None
        except Dp1Error:
            return work
        work = (work or NO_WORK).over(
            Work.of_manifest(manifest, self.hass.config.language)
        )
        return None if work == NO_WORK else work

    def picture(self, source: str) -> str | None:
        """Return a small picture of the work at an address."""
        work_of_series = self.catalog.works.find(source=source)
        series = self.catalog.series(work_of_series[0]) if work_of_series else None
        return (
            picture_url(work_of_series[1], series)
            if work_of_series and series
            else None
        )

    # Life

    @override
    @callback
    def async_start(self) -> None:
        """Read old lists, and then those that nobody has opened yet."""
        super().async_start()
        self.background_reader.async_start()

    @override
    async def async_load(self) -> None:
        """Load the stored lists; exhibitions that have opened since then are news."""
        await super().async_load()
        if (read_at := self.catalog.list.read_at) is not None:
            self._new(each.id for each in self._opened_by(read_at))

    @override
    @callback
    def async_start_late(self) -> None:
        """Tell which exhibitions have opened meanwhile, and which will."""
        self.catalog.async_add_listener(self._handle_list)
        self._handle_list()

    @override
    async def async_stop(self) -> None:
        """Stop reading, and save."""
        self._stop_waiting()
        self.background_reader.async_stop()
        await super().async_stop()

    # News

    @callback
    def _handle_list(self) -> None:
        """Tell which exhibitions have opened, unless the list is being read."""
        if self.catalog.list.read_at and self.catalog.list.problem is None:
            self._tell_opened(dt_util.utcnow())

    @callback
    def _tell_opened(self, now: datetime) -> None:
        """Tell which exhibitions have opened, and wait for the next."""
        opened = self._opened_by(now)
        new = self._new(exhibition.id for exhibition in opened)
        for exhibition in opened:
            opens = exhibition.viewable_from
            if exhibition.id in new and (opens is None or now - opens < MAX_AGE):
                node = self.exhibition_node(exhibition)
                link = exhibition_page(exhibition)
                async_tell(
                    self.hass, self.entry.entry_id, EXHIBITION_OPENED, node, link
                )
        self._stop_waiting()
        upcoming = [
            opens
            for exhibition in self.catalog.list.records
            if exhibition.visible and (opens := exhibition.viewable_from)
            if opens > now
        ]
        if upcoming:
            self._opening = async_track_point_in_utc_time(
                self.hass, self._tell_opened, min(upcoming)
            )

    def _opened_by(self, when: datetime) -> list[Exhibition]:
        """Return the exhibitions that are open at a time."""
        return [each for each in self.catalog.list.records if each.viewable(when)]

    def _stop_waiting(self) -> None:
        """Wait for no opening."""
        if self._opening is not None:
            self._opening()
            self._opening = None


def _are_all(keys: AbstractSet[str], all_series: Iterable[Series]) -> bool:
    """Return whether series are exactly those of an exhibition."""
    return bool(keys) and keys == {series.id for series in all_series}


def _people(exhibition: Exhibition) -> list[str]:
    """Return the names of those who made an exhibition."""
    people = (*exhibition.artists, exhibition.curator)
    return [person.name for person in people if person]


def _names_of(exhibition: Exhibition) -> Iterator[Names]:
    """Yield the names of an exhibition, one with each of its people."""
    artists = ", ".join(artist.name for artist in exhibition.artists)
    for person in _people(exhibition) or [""]:
        yield exhibition.title, person, artists


def _score(query: Query, exhibition: Exhibition) -> int:
    """Return how well an exhibition fits the words of a query."""
    return max(query.score(*names) for names in _names_of(exhibition))


def _numbers(text: str) -> Iterator[tuple[str, int]]:
    """Yield the titles and the numbers that a folded text may consist of: "Tides number 17", "number 17 of Tides"."""
    if counted := _COUNTED.fullmatch(text):
        text = f"{counted['title']} {counted['number']}"
    words = text.split()
    while words and words[0] in NUMBER_WORDS | FILLERS:
        del words[0]
    for count in (1, 2):
        first, rest = words[:count], words[count:]
        number = number_of(" ".join(first))
        # "Seven Suns" is a name.
        if number is not None and rest and rest[0] in FILLERS:
            yield " ".join(rest), number
        title, last = words[:-count], words[-count:]
        if title and title[-1] in NUMBER_WORDS:
            title.pop()
        if title and (number := number_of(" ".join(last))) is not None:
            yield " ".join(title), number


def _has_number(work: Artwork, number: int) -> bool:
    """Return whether a work has a number, by its name or else by its index."""
    digits = _DIGITS.findall(work.name)
    return int(digits[0]) == number if len(digits) == 1 else edition(work) == number


def _key(item: PlaylistItem) -> str:
    """Return the key of a work in the results."""
    return f"{item.id} {item.source} {item.ref}"
