"""Nodes of the tree: what they are, and what is inside."""

from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import replace
from functools import partial
from itertools import islice
from typing import Any

from ..client.catalog.artwork import source_url
from ..client.catalog.models import Artwork, Exhibition, Series
from ..client.catalog.paging import evenly
from ..client.catalog.selection import CAP, shown_once
from ..client.errors import Dp1Error, NotFoundError
from .artists import Artists
from .catalog.coordinator import CatalogCoordinator
from .collections.nodes import COLLECTION_NODES, Collections
from .daily import Daily
from .favorites import Favorites
from .feed.coordinator import MAX_IN_CHANNEL, FeedCoordinator
from .feed.records import FeedChannel, FeedItem, FeedPlaylist, items_of
from .servers.cached_list import CachedList
from .tree import (
    Children,
    LazyNodes,
    Node,
    NodeKind,
    artwork_node,
    channel_node,
    daily_node,
    exhibition_node,
    folder_node,
    item_node,
    more_node,
    playlist_node,
    publisher_node,
    series_node,
    split_more,
    split_node_id,
)

# A longer page of a browser is of no use; what does not fit is on the next.
MAX_CHILDREN = 200
# The cover of a folder is looked for among the first.
MAX_FOR_COVER = 20
IMAGE_SUFFIXES = (".avif", ".gif", ".jpeg", ".jpg", ".png", ".webp")


class Branches:
    """Open nodes."""

    def __init__(
        self,
        title: str,
        catalog: CatalogCoordinator,
        feed: FeedCoordinator,
        favorites: Favorites,
        collections: Collections,
        daily: Daily,
        artists: Artists,
    ) -> None:
        """Initialize with the sources of nodes and the title of the root."""
        self._title = title
        self._collections = collections
        self._catalog = catalog
        self._feed = feed
        self._favorites = favorites
        self._daily = daily
        self._artists = artists

    # One node

    async def async_node(self, text: str) -> Node:
        """Return a node by its id, or raise NotFoundError or why it could not be read."""
        kind, keys = split_node_id(text)
        try:
            return await self._node(kind, keys)
        except Dp1Error:
            if favorite := self._favorites.get(text):
                return favorite.node
            raise

    async def _node(self, kind: NodeKind, keys: list[str]) -> Node:
        """Return a node by the parts of its id."""
        if kind in COLLECTION_NODES:
            return await self._collections.async_node(kind, keys)
        match kind:
            case NodeKind.EXHIBITION:
                return self.exhibition_node(
                    await self._catalog.async_exhibition(keys[0])
                )
            case NodeKind.SERIES:
                return self.series_node(await self._catalog.async_find_series(keys[0]))
            case NodeKind.ARTWORK:
                return await self._artwork(*keys)
            case NodeKind.PLAYLIST:
                return playlist_node(await self._feed.async_playlist(keys[0]))
            case NodeKind.ITEM:
                return await self._item(*keys)
            case NodeKind.CHANNEL:
                return channel_node(await self._feed.async_channel(keys[0]))
            case NodeKind.ARTIST:
                return self._artists.node(await self._artists.async_artist(keys[0]))
            case NodeKind.FAVORITES:
                return self._favorites_node()
            case NodeKind.DAILY if self._daily.url:
                return self._daily_node()
            case NodeKind.DAILY:
                raise NotFoundError("the library has no Daily")
            case NodeKind.ROOT:
                return self._folder(kind, self._title)
            case NodeKind.PUBLISHER:
                await self._feed.async_list()
                return publisher_node(keys[0])
            case NodeKind.MORE:
                inner, start = split_more(keys)
                node = await self.async_node(inner)
                return more_node(inner, start, title=node.title)
        return self._folder(kind)

    def exhibition_node(self, exhibition: Exhibition) -> Node:
        """Return the node of an exhibition."""
        return exhibition_node(exhibition, open_now=self._catalog.is_open(exhibition))

    def series_node(self, series: Series) -> Node:
        """Return the node of a series; one without a playable work is not offered."""
        artworks = self._catalog.artworks_of(series.id)
        playable = any(
            not artwork.gone and source_url(artwork, series)
            for artwork in artworks.records
        )
        return series_node(
            series,
            self._catalog.exhibition(series.exhibition_id),
            can_play=playable or artworks.read_at is None,
        )

    async def _artwork(self, series_id: str, key: str) -> Node:
        """Return the node of a work of the catalog."""
        series = await self._catalog.async_find_series(series_id)
        artwork = await self._catalog.async_artwork(series_id, key)
        return self.artwork_node(artwork, series)

    def artwork_node(self, artwork: Artwork, series: Series) -> Node:
        """Return the node of a work of the catalog that has been read."""
        return artwork_node(
            artwork,
            series,
            self._catalog.exhibition(series.exhibition_id),
            can_play=not artwork.gone and bool(source_url(artwork, series)),
        )

    async def _item(self, ref: str, key: str) -> Node:
        """Return the node of a work in a playlist."""
        playlist = await self._feed.async_playlist(ref)
        found = [item for item in playlist.items if item.key == key]
        if not found:
            document = (await self._feed.async_document(ref)).document
            found = [item for item in items_of(document) if item.key == key]
        if not found or found[0].is_secret:
            raise NotFoundError(f"no work {key!r} in the playlist {playlist.title!r}")
        return self.item_node(playlist, found[0])

    def item_node(self, playlist: FeedPlaylist, item: FeedItem) -> Node:
        """Return the node of a work in a playlist, with its picture if that is known or the work is one."""
        picture: str | None = None
        if known := self._catalog.works.find(source=item.source):
            if series := self._catalog.series(known[0]):
                picture = artwork_node(known[1], series, None).picture
        path = item.source.partition("?")[0].lower()
        if (
            picture is None
            and path.startswith("http")
            and path.endswith(IMAGE_SUFFIXES)
        ):
            picture = item.source
        return item_node(playlist, item, picture)

    def _favorites_node(self) -> Node:
        """Return the node of the favorites; single works among them can be played together."""
        can_play = bool(self._favorites.items())
        return replace(self._folder(NodeKind.FAVORITES), can_play=can_play)

    def _folder(self, kind: NodeKind, title: str = "") -> Node:
        """Return the node of a fixed list, with a picture of what is known to be in it."""
        nodes = islice(self._known(kind), MAX_FOR_COVER)
        pictures = [node.picture for node in nodes if node.picture]
        if kind is NodeKind.ROOT:
            # Another cover than that of its first folder.
            pictures.reverse()
        return folder_node(kind, title, next(iter(pictures), None))

    def _known(self, kind: NodeKind) -> Iterator[Node]:
        """Yield what is known to be in a fixed list, without a request."""
        if kind in (NodeKind.ROOT, NodeKind.EXHIBITIONS):
            nodes = map(self.exhibition_node, self._catalog.data.records)
            yield from (node for node in nodes if node.can_expand)
        if kind is NodeKind.CHANNELS:
            yield from map(channel_node, self._feed.channels)
        if kind in (NodeKind.ROOT, NodeKind.PLAYLISTS):
            yield from map(playlist_node, self._feed.data.records)
        if kind is NodeKind.FAVORITES:
            yield from self._favorites.nodes()

    def _daily_node(self) -> Node:
        """Return the node of the Daily, with the title and the picture of today's work."""
        work = self._daily.work
        known = FeedPlaylist.parse(self._daily.document or {})
        if work is None or known is None:
            return daily_node(None, None)
        (item,) = items_of({"items": [work.raw]}) or (None,)
        picture = self.item_node(known, item).picture if item else None
        return daily_node(item.title if item else None, picture)

    # Children

    async def async_children(self, text: str, *, limit: int | None = None) -> Children:
        """Return what is inside a node, with the reason if some of it could not be read.

        Raises NotFoundError if there is no such node or it cannot be opened.
        """
        kind, keys = split_node_id(text)
        start = 0
        if kind is NodeKind.MORE:
            text, start = split_more(keys)
            kind, keys = split_node_id(text)
        try:
            children = await self._children(kind, keys, limit or CAP)
        except NotFoundError:
            raise
        except Dp1Error as err:
            children = Children((), problem=err)
        end = start + (limit or MAX_CHILDREN)
        nodes = tuple(children.nodes[start:end])
        more = max(0, len(children.nodes) - end)
        if more and limit is None:
            nodes, more = (*nodes, more_node(text, end, count=more)), 0
        return replace(children, nodes=nodes, not_shown=children.not_shown + more)

    async def _children(
        self, kind: NodeKind, keys: list[str], artworks: int
    ) -> Children:
        """Return what is inside a node by the parts of its id."""
        if kind in COLLECTION_NODES:
            return await self._collections.async_children(kind, keys)
        match kind:
            case NodeKind.ROOT:
                return self._root()
            case NodeKind.EXHIBITIONS:
                return await self._exhibitions()
            case NodeKind.EXHIBITION:
                return await self._series(keys[0])
            case NodeKind.SERIES:
                return await self._artworks(keys[0], artworks)
            case NodeKind.CHANNELS:
                playlists = await self._feed.async_list()
                return _children(self._channels(), playlists)
            case NodeKind.PUBLISHER:
                playlists = await self._feed.async_list()
                nodes = map(channel_node, self._channels_of(keys[0]))
                return _children(nodes, playlists)
            case NodeKind.CHANNEL:
                return await self._playlists_of(keys[0])
            case NodeKind.PLAYLISTS:
                playlists = await self._feed.async_list()
                return replace(
                    _children((), playlists),
                    nodes=LazyNodes(playlists.records, playlist_node),
                )
            case NodeKind.PLAYLIST:
                return await self._items(keys[0])
            case NodeKind.ARTIST:
                artist = await self._artists.async_artist(keys[0])
                series, problem = await self._artists.async_series(artist)
                return Children(tuple(map(self.series_node, series)), problem=problem)
            case NodeKind.FAVORITES:
                return Children(tuple(self._favorites.nodes()))
            case _:
                raise NotFoundError(f"a node of kind {kind} has nothing inside")

    def _root(self) -> Children:
        """Return the folders of the library."""
        nodes = [self._daily_node()] if self._daily.url else []
        nodes += self._collections.nodes()
        if self._catalog.client is not None:
            nodes.append(self._folder(NodeKind.EXHIBITIONS))
        if self._feed.client is not None:
            if self._feed.channels:
                nodes.append(self._folder(NodeKind.CHANNELS))
            nodes.append(self._folder(NodeKind.PLAYLISTS))
        return Children((*nodes, self._favorites_node()))

    async def _exhibitions(self) -> Children:
        """Return the exhibitions that can be seen."""
        exhibitions = await self._catalog.async_list()
        nodes = map(self.exhibition_node, exhibitions.records)
        return _children((node for node in nodes if node.can_expand), exhibitions)

    async def _series(self, key: str) -> Children:
        """Return the series of an exhibition."""
        await self._catalog.async_exhibition(key)
        series_list = await self._catalog.async_series(key)
        return _children(map(self.series_node, series_list.records), series_list)

    async def _artworks(self, key: str, count: int) -> Children:
        """Return works of a series, spread evenly over it."""
        series = await self._catalog.async_find_series(key)
        once = shown_once(series)
        count = 1 if once else count
        artworks = await self._catalog.async_artworks(key, count)
        exhibition = self._catalog.exhibition(series.exhibition_id)
        works = [artwork for artwork in artworks.records if not artwork.gone]
        shown = evenly(works, count)
        children = _children(
            (
                artwork_node(
                    artwork,
                    series,
                    exhibition,
                    can_play=bool(source_url(artwork, series)),
                )
                for artwork in shown
            ),
            artworks,
        )
        # Copies of a work are not missing works.
        missing = children.not_shown + len(works) - len(shown)
        return replace(children, not_shown=0 if once else missing)

    def _channels_of(self, publisher: str) -> list[FeedChannel]:
        """Return the channels of a publisher."""
        return [
            channel for channel in self._feed.channels if channel.publisher == publisher
        ]

    def _channels(self) -> Iterator[Node]:
        """Yield the channels; those of a publisher with several in a folder of their own."""
        counts = Counter(channel.publisher for channel in self._feed.channels)
        grouped = set()
        for channel in self._feed.channels:
            publisher = channel.publisher
            if not publisher or counts[publisher] == 1 or len(counts) == 1:
                yield channel_node(channel)
            elif publisher not in grouped:
                grouped.add(publisher)
                yield publisher_node(publisher)

    async def _playlists_of(self, key: str) -> Children:
        """Return the playlists of a channel in its own order."""
        playlists = await self._feed.async_list()
        channel = await self._feed.async_channel(key)
        found, problem = await self._feed.async_playlists_at(
            channel.playlists[:MAX_IN_CHANNEL]
        )
        return Children(
            tuple(map(playlist_node, found)),
            len(channel.playlists) - len(found),
            playlists.reason or problem,
            playlists.read_at,
        )

    async def _items(self, ref: str) -> Children:
        """Return the works of a playlist."""
        problem: Dp1Error | None = None
        try:
            known, stored = await self._feed.async_described(ref)
            items = items_of(stored.document)
        except NotFoundError:
            raise
        except Dp1Error as err:
            if (listed := self._feed.playlist(ref)) is None:
                raise
            known, items, problem = listed, listed.items, err
        open_items = [item for item in items if not item.is_secret]
        nodes = LazyNodes(open_items, partial(self.item_node, known))
        return Children(nodes, max(0, known.count - len(items)), problem)


def _children(nodes: Iterable[Node], cached: CachedList[Any]) -> Children:
    """Return the nodes of a list, and why the rest is missing."""
    missing = max(0, (cached.total or 0) - len(cached.records))
    return Children(tuple(nodes), missing, cached.reason, cached.read_at)
