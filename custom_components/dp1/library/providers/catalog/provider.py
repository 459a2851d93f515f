"""The exhibition catalog as a provider: exhibitions, series, works and artists."""

import asyncio
from collections.abc import Iterable, Iterator, Sequence, Set as AbstractSet
from dataclasses import replace
from datetime import datetime
from itertools import islice
from math import ceil
from typing import Any, override

from homeassistant.config_entries import ConfigEntry
from homeassistant.core import CALLBACK_TYPE, HomeAssistant, callback
from homeassistant.helpers.event import async_track_point_in_utc_time
from homeassistant.util import dt as dt_util

from ....client.catalog.artwork import (
    CAP,
    Group,
    cover_url,
    evenly,
    exhibition_page,
    picture_url,
    select_works,
    shares,
    shown_once,
    works_to_read,
)
from ....client.catalog.client import PAGE_SIZE
from ....client.catalog.models import Artwork, Exhibition, ExhibitionKind, Series
from ....client.display.player_status import PlaylistItem
from ....client.errors import Dp1Error, NotFoundError
from ....client.playlist.playlist import Playlist
from ....client.values import text
from ....const import SOURCE_LIMIT
from ...listing import PATIENCE
from ...news import EXHIBITION_OPENED, MAX_AGE, async_tell
from ...node import Children, Node, NodeKind, node_id
from ...search import Query, Scored
from ...work import Work
from ..feed.server import FeedServer
from ..provider import BUILD_PATIENCE, Json, NodeRef, Provider, Source, children_of
from .background_reader import BackgroundReader
from .look_up import WorkLookUp
from .nodes import artist_node, artist_nodes, artwork_node, exhibition_node, series_node
from .records import claimed_title, comparable
from .search import CatalogSearch
from .server import CatalogServer

# A published playlist of an exhibition saves time, so it must not cost any.
FEED_PATIENCE = 1.0
# With four at a time this is five round trips; together with the series of an exhibition, and the display, eight at most.
MAX_REQUESTS = 20


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
        return exhibition_node(self.provider.catalog, await self._async_read())

    @override
    async def children(self, limit: int) -> Children[Any]:
        """Return the series."""
        await self._async_read()
        catalog = self.provider.catalog
        series_list = await catalog.async_series(self.key)
        nodes = (series_node(catalog, series) for series in series_list.records)
        return children_of(nodes, series_list)

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
        return series_node(self.provider.catalog, await self._async_read())

    @override
    async def children(self, limit: int) -> Children[Any]:
        """Return works, spread evenly over the series."""
        series = await self._async_read()
        once = shown_once(series)
        limit = 1 if once else limit
        artworks = await self.provider.catalog.async_artworks(self.key, limit)
        works = [artwork for artwork in artworks.records if not artwork.gone]
        nodes = [
            artwork_node(self.provider.catalog, artwork, series)
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
        return artwork_node(self.provider.catalog, *await self._async_read())

    @override
    async def build(self, limit: int | None = None) -> Playlist:
        """Build the playlist of the work."""
        artwork, series = await self._async_read(BUILD_PATIENCE)
        work = self.provider.catalog.work_of(artwork, series)
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
        return children_of(artist_nodes(self.provider.catalog), exhibitions)


class _Artist(NodeRef["CatalogProvider"]):
    """An artist by name."""

    @override
    async def node(self) -> Node:
        """Return the artist."""
        return artist_node(
            self.provider.catalog, await self.provider.catalog.async_artist(self.key)
        )

    @override
    async def children(self, limit: int) -> Children[Any]:
        """Return the series."""
        catalog = self.provider.catalog
        artist = await catalog.async_artist(self.key)
        all_series, problem = await catalog.async_series_by(artist)
        nodes = tuple(series_node(catalog, series) for series in all_series)
        return Children(nodes, problem=problem)

    @override
    async def build(self, limit: int | None = None) -> Playlist:
        """Build the playlist of works of all series."""
        catalog = self.provider.catalog
        artist = await catalog.async_artist(self.key)
        all_series, problem = await catalog.async_series_by(artist, BUILD_PATIENCE)
        node = node_id(self.kind, artist.name)
        return await self.provider.async_build_of(
            node, artist.name, all_series, problem, limit=limit
        )


class CatalogProvider(Provider):
    """The exhibitions that can be seen, their series, works and artists."""

    surprise = "exhibitions"
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
        self._opening: CALLBACK_TYPE | None = None
        self.background_reader = BackgroundReader(self.hass, catalog)
        self._look_up = WorkLookUp(hass, catalog, feed)
        self._search = CatalogSearch(hass, catalog)
        self.lines = self._search.lines

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
        nodes = (exhibition_node(self.catalog, it) for it in self.catalog.list.records)
        return (node for node in nodes if node.can_expand)

    def artists_folder(self) -> Node:
        """Return the folder of the artists."""
        return self._folder(NodeKind.ARTISTS, artist_nodes(self.catalog))

    # By name

    async def async_find(self, kind: str, text: str) -> NodeRef[Any]:
        """Return an exhibition by id, slug or title, or a series by title or id."""
        if kind == NodeKind.EXHIBITION:
            exhibition = await self._search.async_exhibition(text)
            ref: _Exhibition | _Series = _Exhibition(self, kind, exhibition.id)
            ref.record = exhibition
        else:
            series = await self._search.async_series(text)
            ref = _Series(self, kind, series.id)
            ref.record = series
        return ref

    # Playlists

    async def async_published(self, exhibition: Exhibition) -> Playlist | None:
        """Return the only playlist of the feed which claims to be an exhibition."""
        name = comparable(exhibition.title)
        playlists = [
            playlist
            for playlist in self._feed.list.records
            if playlist.title.casefold().startswith(name)
            and claimed_title(playlist.title) == name
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
        least = sum(1 for count in pages if count)
        pages = shares(pages, max(MAX_REQUESTS, least, ceil(cap / PAGE_SIZE)))
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
        work = self.catalog.work_of(artwork, series)
        if artwork.gone or work.source is None:
            return None
        return work.item(duration=self.preferences.duration)

    # Search

    @override
    async def async_ask(self, query: Query, text: str) -> Scored:
        """Return exhibitions that the catalog finds, and works by their numbers."""
        return await self._search.async_ask(query, text)

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

    @override
    def surprises(self) -> Iterator[str]:
        """Yield the exhibitions that are open."""
        return (
            node_id(NodeKind.EXHIBITION, each.id)
            for each in self.catalog.list.records
            if each.visible and self.catalog.is_open(each)
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
            record := catalog.find_work(None, next(iter(sources)))
        ):
            yield node_id(NodeKind.ARTWORK, series.id, record[0].id)

    @override
    def work(self, item: PlaylistItem) -> Work | None:
        """Return the work of an item, as far as it has been read or looked up."""
        return self._look_up.work(item)

    @override
    async def async_work(self, item: PlaylistItem) -> Work | None:
        """Return the work of an item, which is looked up, or raise why it could not be."""
        return await self._look_up.async_work(item)

    def picture(self, source: str) -> str | None:
        """Return a small picture of the work at an address."""
        record = self.catalog.find_work(None, source)
        return picture_url(*record) if record else None

    # Life

    @override
    @callback
    def async_start(self) -> None:
        """Read old lists, and then those that nobody has opened yet; tell which exhibitions open."""
        super().async_start()
        self.background_reader.async_start()
        self.catalog.async_add_listener(self._handle_list)
        self._handle_list()

    @override
    async def async_load(self) -> None:
        """Load the stored lists; exhibitions that have opened since then are news."""
        await super().async_load()
        if (read_at := self.catalog.list.read_at) is not None:
            self._new(each.id for each in self._opened_by(read_at))

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
                node = exhibition_node(self.catalog, exhibition)
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
