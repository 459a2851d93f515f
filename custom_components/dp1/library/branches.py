"""The library as a tree: what a node is, and what is inside it."""

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

from ..client.catalog.artwork import source_url
from ..client.catalog.models import Exhibition, Series
from ..client.catalog.paging import evenly
from ..client.catalog.selection import CAP, shown_once
from ..client.errors import Dp1Error, NotFoundError
from .cached_list import CachedList
from .favorites import Favorites
from .feed_records import FeedItem, FeedPlaylist, items_of
from .index import Index
from .playlists import PlaylistBuilder
from .tree import (
    Children,
    Node,
    NodeKind,
    artwork_node,
    channel_node,
    exhibition_node,
    folder_node,
    item_node,
    playlist_node,
    series_node,
    split_node_id,
)

# A page of a browser that is longer is of no use; the search is.
MOST_SHOWN = 200
IMAGE_SUFFIXES = (".avif", ".gif", ".jpeg", ".jpg", ".png", ".webp")


class Branches:
    """Opens nodes."""

    def __init__(
        self, title: str, index: Index, favorites: Favorites, builder: PlaylistBuilder
    ) -> None:
        """Keep what the tree is made of; the title is the root's."""
        self._title = title
        self._index = index
        self._favorites = favorites
        self._builder = builder

    # One node

    async def async_node(self, text: str) -> Node:
        """Find a node.

        Raises:
            NotFoundError: there is none of this id.
            Dp1Error: why that cannot be told.
        """
        kind, keys = split_node_id(text)
        if kind not in (NodeKind.ROOT, NodeKind.FAVORITES) and (
            favorite := self._favorites.get(text)
        ):
            try:
                return await self._node(kind, keys)
            except Dp1Error:
                return favorite.node
        return await self._node(kind, keys)

    async def _node(self, kind: NodeKind, keys: list[str]) -> Node:
        """Find a node by the parts of its id."""
        index = self._index
        match kind:
            case NodeKind.EXHIBITION:
                found = await index.async_exhibition(keys[0])
                return self.exhibition_node(found)
            case NodeKind.SERIES:
                return self.series_node(await index.async_find_series(keys[0]))
            case NodeKind.ARTWORK:
                series = await index.async_find_series(keys[0])
                artwork = await self._builder.async_artwork(*keys)
                return artwork_node(
                    artwork,
                    series,
                    index.exhibition(series.exhibition_id),
                    can_play=not artwork.gone and bool(source_url(artwork, series)),
                )
            case NodeKind.PLAYLIST:
                return playlist_node(await self.async_playlist(keys[0]))
            case NodeKind.ITEM:
                return await self._item(*keys)
            case NodeKind.CHANNEL:
                await index.async_playlists()
                for channel in index.channels:
                    if channel.id == keys[0]:
                        return channel_node(channel)
                raise NotFoundError(f"no channel {keys[0]!r}")
            case NodeKind.FAVORITES:
                return self._favorites_node()
            case NodeKind.ROOT:
                return folder_node(kind, self._title)
        return folder_node(kind)

    def exhibition_node(self, exhibition: Exhibition) -> Node:
        """Make the node of an exhibition."""
        return exhibition_node(exhibition, open_now=self._index.is_open(exhibition))

    def series_node(self, series: Series) -> Node:
        """Make the node of a series; one that was read and holds nothing to play is not offered."""
        works = self._index.artworks_of(series.id)
        playable = any(not it.gone and source_url(it, series) for it in works.records)
        return series_node(
            series,
            self._index.exhibition(series.exhibition_id),
            can_play=playable or works.read_at is None,
        )

    async def async_playlist(self, ref: str) -> FeedPlaylist:
        """Find a playlist by id, slug or address.

        Raises:
            NotFoundError: there is none.
            Dp1Error: why that cannot be told.
        """
        if found := self._index.playlist(ref):
            return found
        document = (await self._index.async_document(ref)).document
        if found := FeedPlaylist.parse(document, ref if "://" in ref else None):
            return found
        raise NotFoundError(f"the playlist {ref!r} has no id")

    async def _item(self, ref: str, key: str) -> Node:
        """Find a work of a playlist."""
        playlist = await self.async_playlist(ref)
        found = [it for it in playlist.items if it.key == key]
        if not found:
            document = (await self._index.async_document(ref)).document
            found = [it for it in items_of(document.get("items")) if it.key == key]
        if not found:
            raise NotFoundError(f"no work {key!r} in the playlist {playlist.title!r}")
        return self.item_node(playlist, found[0])

    def item_node(self, playlist: FeedPlaylist, item: FeedItem) -> Node:
        """Make the node of a work in a playlist, with its picture if that is known or it is one."""
        picture: str | None = None
        if known := self._index.works.find(source=item.source):
            if series := self._index.series(known[0]):
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
        """Make the node of the favorites; single works among them can be shown together."""
        can_play = bool(self._favorites.items())
        return folder_node(NodeKind.FAVORITES, can_play=can_play)

    # What is inside

    async def async_children(self, text: str, *, limit: int | None = None) -> Children:
        """Open a node.

        What cannot be read does not raise: what there is comes with the reason.

        Args:
            text: id of the node.
            limit: most nodes to show.

        Raises:
            NotFoundError: there is none of this id, or it cannot be opened.
        """
        kind, keys = split_node_id(text)
        match kind:
            case NodeKind.ROOT:
                children = await self._root()
            case NodeKind.EXHIBITIONS:
                children = await self._exhibitions()
            case NodeKind.EXHIBITION:
                children = await self._series(keys[0])
            case NodeKind.SERIES:
                children = await self._artworks(keys[0], limit or CAP)
            case NodeKind.CHANNELS:
                kept = await self._index.async_playlists()
                children = _children(
                    [channel_node(it) for it in self._index.channels], kept
                )
            case NodeKind.CHANNEL:
                children = await self._channel(keys[0])
            case NodeKind.PLAYLISTS:
                kept = await self._index.async_playlists()
                children = _children([playlist_node(it) for it in kept.records], kept)
            case NodeKind.PLAYLIST:
                children = await self._items(keys[0])
            case NodeKind.FAVORITES:
                children = Children(tuple(self._favorites.nodes()))
            case _:
                raise NotFoundError(f"{text!r} has nothing inside")
        return _cut(children, limit or MOST_SHOWN)

    async def _root(self) -> Children:
        """List what the library has."""
        nodes = []
        if self._index.catalog is not None:
            nodes.append(folder_node(NodeKind.EXHIBITIONS))
        if self._index.feed is not None:
            if self._index.channels:
                nodes.append(folder_node(NodeKind.CHANNELS))
            nodes.append(folder_node(NodeKind.PLAYLISTS))
        nodes.append(self._favorites_node())
        return Children(tuple(nodes))

    async def _exhibitions(self) -> Children:
        """List the exhibitions that can be seen."""
        kept = await self._index.async_exhibitions()
        nodes = [self.exhibition_node(it) for it in kept.records]
        return _children([it for it in nodes if it.can_expand], kept)

    async def _series(self, key: str) -> Children:
        """List the series of an exhibition."""
        try:
            await self._index.async_exhibition(key)
        except NotFoundError:
            raise
        except Dp1Error as err:
            return Children((), problem=err)
        kept = await self._index.async_series(key)
        return _children([self.series_node(it) for it in kept.records], kept)

    async def _artworks(self, key: str, count: int) -> Children:
        """List works of a series, evenly from its whole length."""
        try:
            series = await self._index.async_find_series(key)
        except NotFoundError:
            raise
        except Dp1Error as err:
            return Children((), problem=err)
        once = shown_once(series)
        count = 1 if once else count
        kept = await self._index.async_artworks(key, count)
        exhibition = self._index.exhibition(series.exhibition_id)
        works = [it for it in kept.records if not it.gone]
        shown = evenly(works, count)
        nodes = [
            artwork_node(it, series, exhibition, can_play=bool(source_url(it, series)))
            for it in shown
        ]
        children = _children(nodes, kept)
        # Copies of a work are not works that are missing.
        missing = children.not_shown + len(works) - len(shown)
        return replace(children, not_shown=0 if once else missing)

    async def _channel(self, key: str) -> Children:
        """List the playlists of a channel in its own order."""
        kept = await self._index.async_playlists()
        channel = next((it for it in self._index.channels if it.id == key), None)
        if channel is None:
            if kept.reason is not None:
                return _children((), kept)
            raise NotFoundError(f"no channel {key!r}")
        nodes, problem = [], kept.reason
        for url in channel.playlists[:MOST_SHOWN]:
            try:
                nodes.append(playlist_node(await self._member(url)))
            except Dp1Error as err:
                problem = problem or err
        missing = len(channel.playlists) - len(nodes)
        return Children(tuple(nodes), missing, problem, kept.read_at)

    async def _member(self, url: str) -> FeedPlaylist:
        """Find a playlist that a channel names; the feed may be known by another name there."""
        known = self._index.playlist(url.rpartition("/playlists/")[2])
        return known or await self.async_playlist(url)

    async def _items(self, ref: str) -> Children:
        """List the works of a playlist."""
        problem: Dp1Error | None = None
        try:
            document = (await self._index.async_document(ref)).document
        except NotFoundError:
            raise
        except Dp1Error as err:
            problem, document = err, None
        known = self._index.playlist(ref)
        if document is not None:
            known = FeedPlaylist.parse(document, ref if "://" in ref else None) or known
        if known is None:
            return Children((), problem=problem)
        items = known.items if document is None else items_of(document.get("items"))
        nodes = tuple(self.item_node(known, item) for item in items)
        return Children(nodes, max(0, known.count - len(nodes)), problem)


def _children(nodes: Sequence[Node], kept: CachedList[Any]) -> Children:
    """Show what there is of a list, and why the rest is missing."""
    missing = max(0, (kept.total or 0) - len(kept.records))
    return Children(tuple(nodes), missing, kept.reason, kept.read_at)


def _cut(children: Children, limit: int) -> Children:
    """Show no more than so many."""
    more = max(0, len(children.nodes) - limit)
    return replace(
        children, nodes=children.nodes[:limit], not_shown=children.not_shown + more
    )
