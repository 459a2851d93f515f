"""From a node to what a display is told to show: the address of a playlist, or a document made of works of the catalog."""

import asyncio
from collections.abc import Sequence
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from math import ceil
from typing import Any
from uuid import uuid4, uuid5

from ..client.catalog.artwork import cover_url, item as catalog_item
from ..client.catalog.models import Artwork, Exhibition, ExhibitionKind, Series
from ..client.catalog.paging import PAGE_SIZE
from ..client.catalog.selection import CAP, Group, select_works, shares, works_to_read
from ..client.display.casts import Cast
from ..client.errors import Dp1Error, NotFoundError
from ..client.feed.client import StoredPlaylist
from ..client.indexer.tokens import build_items
from ..client.playlist.document import build, build_item, for_display, timestamp
from ..client.text import clean, shorten
from ..language import async_text
from .artists import Artists
from .catalog.coordinator import CatalogCoordinator
from .collections.nodes import COLLECTION_NODES, Collections
from .favorites import Favorites
from .feed.coordinator import FeedCoordinator
from .feed.records import items_of, keyed_items, open_items
from .preferences import Preferences
from .recognition import is_exhibition, playlists_claiming
from .tree import NodeKind, node_id, split_node_id
from .works import WORK_IDS, item_id, work_of

# A person waits in front of the display.
PATIENCE = 25.0
# A published playlist of an exhibition saves time, so it must not cost any.
FEED_PATIENCE = 1.0
# With four at a time this is five round trips; together with the series of an exhibition, and the display, eight at most.
MAX_REQUESTS = 20
# A display keeps a playlist as a whole.
MAX_CHANNEL_WORKS = 500
# Every status of the display carries the whole list.
MAX_OWNED = 200
MAX_TITLE = 200
SIGNATURES = ("signature", "signatures")

type Json = dict[str, Any]


@dataclass(frozen=True, slots=True)
class BuiltPlaylist:
    """A cast with its title and number of works; `left_out` have no playable source, `problem` is why others are missing."""

    cast: Cast
    title: str
    works: int
    node_id: str
    left_out: int = 0
    problem: Dp1Error | None = None
    # Whether the display is to follow what is in the node.
    keep_current: bool = False


class PlaylistBuilder:
    """Build playlists of nodes."""

    def __init__(
        self,
        catalog: CatalogCoordinator,
        feed: FeedCoordinator,
        favorites: Favorites,
        collections: Collections,
        preferences: Preferences,
        artists: Artists,
    ) -> None:
        """Initialize with the sources of works."""
        self._collections = collections
        self._catalog = catalog
        self._feed = feed
        self._favorites = favorites
        self._preferences = preferences
        self._artists = artists

    async def async_build(self, node: str, limit: int | None = None) -> BuiltPlaylist:
        """Build the playlist of a node, with at most `limit` works; by default 50 of the catalog and all of the feed.

        Raises NotFoundError if there is nothing to play, or another Dp1Error if it could not be read.
        """
        try:
            return await self._build(node, limit)
        except Dp1Error:
            favorite = self._favorites.get(node)
            if favorite is None or favorite.item is None:
                raise
            return self._of_items(node, favorite.node.title, [favorite.item])

    async def _build(self, node: str, limit: int | None) -> BuiltPlaylist:
        """Build the playlist of a node by its kind."""
        kind, keys = split_node_id(node)
        if kind in COLLECTION_NODES:
            return await self._owned(kind, keys, limit or MAX_OWNED)
        match kind:
            case NodeKind.EXHIBITION:
                return await self._exhibition(keys[0], limit)
            case NodeKind.SERIES:
                return await self._series(keys[0], limit or CAP)
            case NodeKind.ARTIST:
                return await self._artist(keys[0], limit or CAP)
            case NodeKind.ARTWORK:
                return await self._artwork(*keys)
            case NodeKind.PLAYLIST:
                return await self._playlist(keys[0], limit)
            case NodeKind.ITEM:
                return await self._item(*keys)
            case NodeKind.CHANNEL:
                return await self._channel(keys[0], limit or MAX_CHANNEL_WORKS)
            case NodeKind.FAVORITES:
                return self._all_favorites(limit or CAP)
            case _:
                raise NotFoundError(f"{node or 'the library'} is not one thing to show")

    async def async_item(self, node: str) -> Json | None:
        """Return the playlist item of a single work, None for anything else."""
        kind, _ = split_node_id(node)
        if kind not in (NodeKind.ARTWORK, NodeKind.ITEM, NodeKind.OWNED):
            return None
        document = (await self.async_build(node)).cast.playlist or {}
        item: Json = document["items"][0]
        return item

    # Works of the catalog

    async def _exhibition(self, key: str, limit: int | None) -> BuiltPlaylist:
        """Build the playlist of an exhibition, or use the one the feed has."""
        exhibition = await self._catalog.async_exhibition(key, PATIENCE)
        node = node_id(NodeKind.EXHIBITION, exhibition.id)
        published = asyncio.ensure_future(self._published(exhibition))
        try:
            series_list = await self._catalog.async_series(key, PATIENCE)
            if series_list.complete and (stored := await published):
                works = len(stored.document["items"])
                if (limit is None or works <= limit) and is_exhibition(
                    stored.document, series_list.records, self._catalog.works
                ):
                    cast = Cast(playlist_url=stored.url)
                    return BuiltPlaylist(cast, exhibition.title, works, node)
        finally:
            published.cancel()
        return await self._of_series(
            node,
            exhibition,
            exhibition,
            series_list.records,
            limit or CAP,
            series_list.reason,
        )

    async def _published(self, exhibition: Exhibition) -> StoredPlaylist | None:
        """Return the only playlist of the feed which claims to be an exhibition."""
        found = playlists_claiming(exhibition, self._feed.data.records)
        if len(found) != 1:
            return None
        try:
            return await self._feed.async_document(found[0].id, FEED_PATIENCE)
        except Dp1Error:
            return None

    async def _series(self, key: str, cap: int) -> BuiltPlaylist:
        """Build the playlist of a series."""
        series = await self._catalog.async_find_series(key)
        exhibition = self._catalog.exhibition(series.exhibition_id)
        node = node_id(NodeKind.SERIES, series.id)
        return await self._of_series(node, series, exhibition, (series,), cap)

    async def _artist(self, name: str, cap: int) -> BuiltPlaylist:
        """Build the playlist of all series of an artist."""
        artist = await self._artists.async_artist(name)
        series, reason = await self._artists.async_series(artist, PATIENCE)
        node = node_id(NodeKind.ARTIST, artist.name)
        return await self._of_series(
            node, None, None, series, cap, reason, title=artist.name
        )

    async def _of_series(
        self,
        node: str,
        named: Exhibition | Series | None,
        exhibition: Exhibition | None,
        all_series: Sequence[Series],
        cap: int,
        reason: Dp1Error | None = None,
        title: str = "",
    ) -> BuiltPlaylist:
        """Build the playlist of one or more series, with the name of the node."""
        groups, unread = await self._read_works(all_series, cap)
        reason = reason or unread
        kind = exhibition.kind if exhibition else ExhibitionKind.GROUP
        selection = select_works(kind, groups, cap)
        parts = (exhibition, None if named is exhibition else named)
        titles = [part.title for part in parts if part and part.title]
        title = title or " — ".join(titles)
        if not selection.works:
            raise reason or NotFoundError(f"{title!r} has no work that can be shown")
        return self._of_works(
            node,
            title or all_series[0].id,
            selection.works,
            left_out=selection.left_out,
            problem=reason,
            cover=cover_url(named, "l") if named else None,
            summary=getattr(named, "note", getattr(named, "description", "")),
        )

    async def _read_works(
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
        found = await asyncio.gather(
            *(
                self._catalog.async_artworks(series.id, count, PATIENCE)
                for series, count in chosen
            )
        )
        groups: list[Group] = [
            (series, artworks.records)
            for (series, _), artworks in zip(chosen, found, strict=True)
        ]
        reasons = (artworks.reason for artworks in found if artworks.reason)
        return groups, next(reasons, None)

    async def _artwork(self, series_id: str, key: str) -> BuiltPlaylist:
        """Build the playlist of a work of the catalog."""
        series = await self._catalog.async_find_series(series_id)
        artwork = await self._catalog.async_artwork(series_id, key, PATIENCE)
        exhibition = self._catalog.exhibition(series.exhibition_id)
        work = work_of(artwork, series, exhibition)
        if catalog_item(artwork, series) is None:
            raise NotFoundError(f"{work.title or key!r} has nothing that can be shown")
        return self._of_works(
            node_id(NodeKind.ARTWORK, series_id, key),
            work.title or key,
            [(series, artwork)],
            cover=work.picture,
        )

    def _of_works(
        self,
        node: str,
        title: str,
        works: Sequence[tuple[Series, Artwork]],
        *,
        left_out: int = 0,
        problem: Dp1Error | None = None,
        cover: str | None = None,
        summary: str = "",
    ) -> BuiltPlaylist:
        """Build a playlist of works of the catalog."""
        items = []
        for series, artwork in works:
            parts = catalog_item(artwork, series)
            assert parts is not None
            items.append(
                build_item(
                    **{**parts, "license": self._preferences.license},
                    id=item_id(series, artwork),
                    duration=self._preferences.duration,
                )
            )
        return BuiltPlaylist(
            cast=Cast(playlist=self._document(title, items, cover, summary)),
            title=shorten(title, MAX_TITLE),
            works=len(items),
            left_out=left_out,
            node_id=node,
            problem=problem,
        )

    def _document(
        self,
        title: str,
        items: Sequence[Json],
        cover: str | None = None,
        summary: str = "",
    ) -> Json:
        """Build a document with the preferences as defaults."""
        preferences = self._preferences
        return build(
            shorten(title, MAX_TITLE),
            items,
            id=str(uuid4()),
            created=timestamp(datetime.now(UTC)),
            defaults={
                "display": dict(preferences.display),
                "license": preferences.license,
                "duration": preferences.duration,
            },
            cover_image=cover,
            summary=summary,
        )

    # Playlists of the feed, and favorites

    async def _playlist(self, ref: str, limit: int | None) -> BuiltPlaylist:
        """Use a playlist of the feed by its address, or build one of its first works."""
        known = self._feed.playlist(ref)
        if known is None or (limit and known.count > limit):
            known, stored = await self._feed.async_described(ref, PATIENCE)
            if limit and known.count > limit:
                # The signatures are for the whole playlist.
                document = {
                    name: value
                    for name, value in stored.document.items()
                    if name not in SIGNATURES
                } | {"id": str(uuid4()), "items": stored.document["items"][:limit]}
                node = node_id(NodeKind.PLAYLIST, known.id)
                return BuiltPlaylist(Cast(playlist=document), known.title, limit, node)
        assert self._feed.client is not None
        url = (
            known.id if "://" in known.id else self._feed.client.playlist_url(known.id)
        )
        node = node_id(NodeKind.PLAYLIST, known.id)
        return BuiltPlaylist(Cast(playlist_url=url), known.title, known.count, node)

    async def _item(self, ref: str, key: str) -> BuiltPlaylist:
        """Build the playlist of a work of a feed's playlist."""
        document = (await self._feed.async_document(ref, PATIENCE)).document
        items = {name: item for name, _, item in keyed_items(document.get("items"))}
        secret = any(item.key == key and item.is_secret for item in items_of(document))
        if (item := items.get(key)) is None or secret:
            raise NotFoundError(f"no work {key!r} in the playlist {ref!r}")
        alone = for_display({"defaults": document.get("defaults"), "items": [item]})
        return self._of_items(
            node_id(NodeKind.ITEM, ref, key),
            clean(item.get("title"), MAX_TITLE) or key,
            [{"duration": self._preferences.duration, **alone["items"][0]}],
        )

    async def _channel(self, key: str, cap: int) -> BuiltPlaylist:
        """Build the playlist of all playlists of a channel, in its order."""
        channel = await self._feed.async_channel(key)
        node = node_id(NodeKind.CHANNEL, channel.id)
        items: list[Json] = []
        left_out, problem = 0, None
        seen: set[object] = set()
        for found in await self._feed.async_documents_at(channel.playlists):
            if isinstance(found, Dp1Error):
                problem = problem or found
                continue
            for item in open_items(found.document):
                if len(items) == cap:
                    left_out += 1
                    continue
                # The same work may be in several playlists.
                if item.get("id") in seen:
                    item = {name: item[name] for name in item if name != "id"}
                seen.add(item.get("id"))
                items.append(item)
        if not items:
            raise problem or NotFoundError(f"nothing is in the channel {key!r}")
        built = self._of_items(node, channel.title, items)
        return replace(built, left_out=left_out, problem=problem)

    def _all_favorites(self, cap: int) -> BuiltPlaylist:
        """Build the playlist of all single works among the favorites."""
        if not (items := self._favorites.items()[:cap]):
            raise NotFoundError("no work is among the favorites")
        title = async_text(self._catalog.hass, "config_panel.browser.favorites")
        return self._of_items(NodeKind.FAVORITES.value, title, items)

    async def _owned(self, kind: NodeKind, keys: list[str], cap: int) -> BuiltPlaylist:
        """Build the playlist of works of a collection, the newest; its id stays the same."""
        found = await self._collections.async_works(kind, keys)
        playable = [work.token for work in found.works if work.token.source]
        items = build_items(playable[:cap], self._preferences.duration)
        node = node_id(kind, *keys)
        built = self._of_items(node, found.title, items)
        document = {
            **(built.cast.playlist or {}),
            "id": str(uuid5(WORK_IDS, node)),
            "created": timestamp(found.changed_at),
        }
        return replace(
            built,
            cast=Cast(playlist=document),
            left_out=len(found.works) - len(playable),
            problem=found.problem,
            keep_current=found.keep_current,
        )

    def _of_items(self, node: str, title: str, items: Sequence[Json]) -> BuiltPlaylist:
        """Build a playlist of items."""
        cast = Cast(playlist=self._document(title, items))
        return BuiltPlaylist(cast, title, len(items), node)
