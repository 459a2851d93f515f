"""The exhibition catalog as a provider: exhibitions, series, works and artists."""

import asyncio
from collections.abc import Iterable, Iterator, Sequence, Set as AbstractSet
from dataclasses import replace
from datetime import datetime
from itertools import islice
from math import ceil
from typing import Any, Final, override

from lru import LRU

from homeassistant.config_entries import ConfigEntry
from homeassistant.core import CALLBACK_TYPE, HomeAssistant, callback
from homeassistant.helpers.event import async_track_point_in_utc_time
from homeassistant.util import dt as dt_util

from ....addresses import ADDRESSES
from ....client.catalog.artwork import (
    CAP,
    Group,
    absolute_url,
    evenly,
    exhibition_page,
    select_works,
    shares,
    shown_once,
    source_url,
    work_at,
    works_to_read,
)
from ....client.catalog.client import PAGE_SIZE
from ....client.catalog.models import Exhibition, ExhibitionKind, Series
from ....client.display.player_status import PlaylistItem
from ....client.errors import Dp1Error, InvalidRequestError, NotFoundError
from ....client.hosts import same_work
from ....client.http import request_json
from ....client.playlist.playlist import Playlist
from ....const import SOURCE_LIMIT
from ...item import NO_WORK, Item
from ...listing import Lazy
from ...news import EXHIBITION_OPENED, MAX_AGE, async_tell
from ...node import Inside, NodeKind, key_of, node_id, split_node_id
from ...search import Query, Scored
from ..provider import BUILD_PATIENCE, Provider, Source
from .background_reader import BackgroundReader
from .search import CatalogSearch
from .server import CatalogServer

# With four at a time this is five round trips; together with the series of an exhibition, and the display, eight at most.
MAX_REQUESTS = 20
# Seconds after which a work is looked up again that a display shows.
WORK_AGE: Final = 600.0
# The same of one that could not be looked up.
WORK_RETRY: Final = 30.0
MANIFEST_SECONDS = 10.0
# Manifests are advised to have at most 64 KB.
MAX_MANIFEST = 256 * 1024
MAX_LOOK_UPS = 256


class CatalogProvider(Provider):
    """The exhibitions that can be seen, their series, works and artists."""

    surprise = "exhibitions"
    kinds = (
        NodeKind.EXHIBITIONS,
        NodeKind.EXHIBITION,
        NodeKind.SERIES,
        NodeKind.ARTWORK,
        NodeKind.ARTISTS,
        NodeKind.ARTIST,
    )

    def __init__(
        self,
        hass: HomeAssistant,
        entry: ConfigEntry[Any],
        on_change: CALLBACK_TYPE,
        catalog: CatalogServer,
    ) -> None:
        """Initialize with the catalog of the library, which may have none."""
        super().__init__(hass, entry, on_change)
        self.catalog = catalog
        self.servers = (catalog,)
        self.origin = catalog.url or ""
        self._opening: CALLBACK_TYPE | None = None
        self.background_reader = BackgroundReader(self.hass, catalog)
        # Works that were looked up, or the errors instead, and when they expire.
        self._results: LRU[int, tuple[Item | Dp1Error | None, float]] = LRU(
            MAX_LOOK_UPS
        )
        self.search = CatalogSearch(hass, catalog)
        self.lines = self.search.lines

    # Nodes

    @override
    def roots(self) -> list[Item]:
        """Return the folder of the exhibitions."""
        return [] if self.catalog.client is None else [self.folder()]

    def folder(self) -> Item:
        """Return the folder of the exhibitions."""
        return self._folder(NodeKind.EXHIBITIONS, self.open_nodes())

    @override
    async def async_node(self, node: str, patience: float) -> Item:
        """Return a folder, an exhibition, a series, a work or an artist."""
        catalog = self.catalog
        match split_node_id(node):
            case NodeKind.EXHIBITIONS, []:
                return self.folder()
            case NodeKind.EXHIBITION, [key]:
                return await catalog.async_exhibition(key, patience)
            case NodeKind.SERIES, [key]:
                return catalog.series_item(await catalog.async_find_series(key))
            case NodeKind.ARTWORK, [series, key]:
                await catalog.async_find_series(series)
                return await catalog.async_artwork(series, key, patience)
            case NodeKind.ARTISTS, []:
                # Cards open it.
                return self._folder(NodeKind.ARTISTS, self.artist_nodes())
            case NodeKind.ARTIST, [key]:
                return await catalog.async_artist(key)
        return await super().async_node(node, patience)

    @override
    async def async_pages(self, item: Item, limit: int) -> Inside:
        """Return the exhibitions or artists that can be seen, series, or works spread evenly over a series."""
        catalog = self.catalog
        match item.kind:
            case NodeKind.EXHIBITIONS:
                return (await catalog.async_list()).inside(self.open_nodes())
            case NodeKind.EXHIBITION:
                return (await catalog.async_series(key_of(item))).inside()
            case NodeKind.SERIES:
                series = catalog.series_of_item(item)
                return await self._async_inside_series(series, limit)
            case NodeKind.ARTISTS:
                return (await catalog.async_list()).inside(self.artist_nodes())
            case NodeKind.ARTIST:
                all_series, problem = await catalog.async_series_by(item)
                return Inside([*map(catalog.series_item, all_series)], problem=problem)
        return await super().async_pages(item, limit)

    @override
    async def async_build(self, item: Item, limit: int | None) -> Playlist:
        """Build the playlist of works of an exhibition, a series or an artist, or of a work."""
        catalog = self.catalog
        match item.kind:
            case NodeKind.EXHIBITION:
                return await self._async_build_exhibition(item, limit)
            case NodeKind.SERIES:
                series = catalog.series_of_item(item)
                title = " — ".join(filter(None, (item.subtitle, item.title)))
                return await self._async_build_of(
                    replace(item, title=title or series.id),
                    (series,),
                    limit=limit,
                    within=catalog.exhibition(series.exhibition_id),
                )
            case NodeKind.ARTIST:
                read = await catalog.async_series_by(item, BUILD_PATIENCE)
                artist = replace(item, picture=None, note=None)
                return await self._async_build_of(artist, *read, limit=limit)
        return await super().async_build(item, limit)

    async def _async_inside_series(self, series: Series, limit: int) -> Inside:
        """Return works, spread evenly over a series."""
        once = shown_once(series)
        limit = 1 if once else limit
        artworks = await self.catalog.async_artworks(series.id, limit)
        works = [artwork for artwork in artworks.records if not artwork.gone]
        inside = artworks.inside([*map(artworks.item_of, evenly(works, limit))])
        # Copies of a work are not missing works.
        missing = inside.not_shown + len(works) - len(inside.nodes)
        return replace(inside, not_shown=0 if once else missing)

    def open_nodes(self) -> Sequence[Item]:
        """Return the exhibitions that can be seen."""
        catalog = self.catalog
        shows = [*filter(catalog.is_open, catalog.list.records)]
        return Lazy(shows, catalog.list.item_of)

    def artist_nodes(self) -> Sequence[Item]:
        """Return the artists whose works can be seen, by last name."""
        catalog, now = self.catalog, dt_util.utcnow()
        keys = [
            key
            for key, _ in catalog.artists
            if any(show.viewable(now) for show in catalog.shows_of(key))
        ]
        return Lazy(
            sorted(keys, key=lambda key: key.split()[::-1]), catalog.artist_item
        )

    # Playlists

    async def _async_build_exhibition(self, item: Item, limit: int | None) -> Playlist:
        """Build the playlist of works of all series."""
        key = key_of(item)
        series_list = await self.catalog.async_series(key, BUILD_PATIENCE)
        return await self._async_build_of(
            item,
            series_list.records,
            series_list.missing,
            limit=limit,
            within=self.catalog.exhibition(key),
        )

    async def _async_build_of(
        self,
        item: Item,
        all_series: Sequence[Series],
        reason: Dp1Error | None = None,
        *,
        limit: int | None,
        within: Exhibition | None = None,
    ) -> Playlist:
        """Build the playlist of one or more series."""
        cap = limit or CAP
        groups, unread = await self._async_read_works(all_series, cap)
        kind = within.kind if within else ExhibitionKind.GROUP
        chosen = select_works(kind, groups, cap)
        if not chosen:
            reason = reason or unread
            raise reason or NotFoundError(f"{item.title!r} has no work to show")
        catalog, duration = self.catalog, self.preferences.duration
        works = [catalog.artworks_of(it.id).item_of(work) for it, work in chosen]
        return self.build_items(
            item,
            [work.to_dp1(duration=duration) for work in works],
            cover=item.picture,
            summary=item.note or "",
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

    # Search

    @override
    async def async_ask(self, query: Query, text: str) -> Scored:
        """Return exhibitions that the catalog finds, and works by their numbers."""
        return await self.search.async_ask(query, text)

    @override
    def sources(self) -> Sequence[Sequence[Source]]:
        """Return the exhibitions, if they are wanted."""
        if "exhibitions" not in self.preferences.sources:
            return ()
        visible = (it for it in self.catalog.list.records if it.visible)
        shows = islice(filter(self.catalog.is_open, visible), SOURCE_LIMIT)
        return (
            [
                Source(
                    node_id(NodeKind.EXHIBITION, each.id),
                    each.title,
                    (
                        each.opens_at.year if each.opens_at else None,
                        each.number and f"No. {each.number}",
                    ),
                )
                for each in shows
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
        keys = catalog.series_at_all(sources)
        if (series := catalog.series(next(iter(keys), ""))) is None:
            return
        all_series = catalog.series_of(series.exhibition_id)
        if all_series.complete and _are_all(keys, all_series.records):
            yield node_id(NodeKind.EXHIBITION, series.exhibition_id)
        size = 1 if shown_once(series) else series.max_artwork
        if len(keys) == 1 and len(sources) == size:
            yield node_id(NodeKind.SERIES, series.id)
        if len(sources) == 1 and (place := catalog.works.at(next(iter(sources)))):
            yield node_id(NodeKind.ARTWORK, *place)

    @override
    def find(self, item: PlaylistItem) -> Item | None:
        """Return the work of an item, as far as it has been read or looked up."""
        result, _ = self._results.get(_key(item)) or (None, 0.0)
        looked_up = result if isinstance(result, Item) else None
        return self._indexed(item) or looked_up or self._described_by_series(item)

    @override
    async def async_find(self, item: PlaylistItem) -> Item | None:
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

    def _indexed(self, item: PlaylistItem) -> Item | None:
        """Return a work that has been read from the catalog."""
        return self.catalog.work(self.catalog.works.find(item))

    def _described_by_series(self, item: PlaylistItem) -> Item | None:
        """Return a work as far as its series describes it."""
        if (series := self.catalog.series_at(item.source)) is None:
            return None
        work = self.catalog.parse_work(series.id, work_at(series, item.source or ""))
        title = item.title or work.title
        of_series = series.title if series.title != title else None
        return replace(work, title=title, series=of_series, provenance=item.provenance)

    async def _async_look_up(self, item: PlaylistItem) -> Item | None:
        """Find the series of a work by its folder, and the work by its number."""
        if (series := self.catalog.series_at(item.source)) is None:
            exhibitions = self.catalog.list
            if exhibitions.missing and exhibitions.read_at is None:
                raise exhibitions.missing
            return None
        index = 0 if shown_once(series) else work_at(series, item.source or "").index
        if index is None:
            artworks = await self.catalog.async_artworks(series.id, CAP)
            if (work := self._indexed(item)) is None and artworks.missing:
                raise artworks.missing
            return work
        artwork = await self.catalog.async_artwork_at(series, index)
        source = artwork and source_url(artwork, series)
        if artwork and source and same_work(source) == same_work(item.source or ""):
            return self.catalog.parse_work(series.id, artwork)
        return None

    async def _async_add_manifest(
        self, item: PlaylistItem, work: Item | None
    ) -> Item | None:
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
        work = (work or NO_WORK).completed_by(
            Item.of_manifest(manifest, self.hass.config.language)
        )
        return None if work == NO_WORK else work

    def picture(self, source: str) -> str | None:
        """Return a small picture of the work at an address."""
        work = self.catalog.work(self.catalog.works.at(source))
        return work.small_picture if work else None

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
                node = self.catalog.list.item_of(exhibition)
                link = exhibition_page(exhibition)
                async_tell(
                    self.hass, self.entry.entry_id, EXHIBITION_OPENED, node, link
                )
        if new:
            self.catalog.async_updated()
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


def _key(item: PlaylistItem) -> int:
    """Return the key of a work in the results; its source may be the work itself, of megabytes."""
    return hash((item.id, item.source, item.ref))
