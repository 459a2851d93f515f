"""From a node to what a display is told to show: the address of a playlist, or a document made of the catalog's works."""

import asyncio
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from math import ceil
from random import sample
from typing import Any
from uuid import uuid4

from ..client.catalog.artwork import cover_url, item as catalog_item
from ..client.catalog.models import Artwork, Exhibition, ExhibitionKind, Series
from ..client.catalog.paging import PAGE_SIZE
from ..client.catalog.selection import CAP, Group, select_works, shares, works_to_read
from ..client.display.casts import Cast
from ..client.errors import Dp1Error, NotFoundError
from ..client.feed.client import StoredPlaylist
from ..client.playlist.document import build, build_item, for_display, timestamp
from ..client.text import clean, shorten
from .favorites import Favorites
from .feed_records import FeedPlaylist, keyed_items
from .index import Index
from .preferences import Preferences
from .recognition import candidates, is_exhibition
from .tree import FOLDER_TITLES, NodeKind, node_id, split_node_id
from .works import Work, item_id, work_of

# A person waits in front of the wall.
PATIENCE = 25.0
# A ready-made playlist saves time; it must not cost any.
FEED_PATIENCE = 1.0
# With four at a time this is five round trips; together with a show's series, and the display, eight at most.
MOST_REQUESTS = 20
MAX_TITLE = 200
SIGNATURES = ("signature", "signatures")

type Json = dict[str, Any]


@dataclass(frozen=True, slots=True)
class BuiltPlaylist:
    """What to show, and what is known about it.

    Attributes:
        cast: for a display.
        title: of the playlist, plain text.
        works: how many it has.
        left_out: how many have no source that a display could play.
        node_id: names it in the library.
        works_known: what is known of its works, by the ids of their items.
        problem: why works are missing, if some could not be read.
    """

    cast: Cast
    title: str
    works: int
    left_out: int
    node_id: str
    works_known: tuple[tuple[str, Work], ...] = ()
    problem: Dp1Error | None = None


class PlaylistBuilder:
    """Makes playlists of nodes."""

    def __init__(
        self, index: Index, favorites: Favorites, preferences: Preferences
    ) -> None:
        """Keep what playlists are made of."""
        self._index = index
        self._favorites = favorites
        self._preferences = preferences

    async def async_build(
        self, node: str, *, limit: int | None = None, shuffle: bool = False
    ) -> BuiltPlaylist:
        """Make what a display is to show for a node.

        Args:
            node: id of the node.
            limit: most works; None for a feed's playlist as it is, and 50 works of the catalog.
            shuffle: whether in random order; a display shuffles by itself what it loads from a feed.

        Raises:
            NotFoundError: there is no such thing, or nothing of it can be played.
            Dp1Error: why it could not be read.
        """
        try:
            playlist = await self._hang(node, limit, shuffle)
        except Dp1Error:
            favorite = self._favorites.get(node)
            if favorite is None or favorite.item is None:
                raise
            playlist = self._one(node, favorite.node.title, favorite.item)
        self._remember(playlist)
        return playlist

    async def _hang(self, node: str, limit: int | None, shuffle: bool) -> BuiltPlaylist:
        """Make what a display is to show for a node."""
        kind, keys = split_node_id(node)
        match kind:
            case NodeKind.EXHIBITION:
                return await self._exhibition(keys[0], limit, shuffle)
            case NodeKind.SERIES:
                return await self._series(keys[0], limit or CAP, shuffle)
            case NodeKind.ARTWORK:
                return await self._artwork(*keys)
            case NodeKind.PLAYLIST:
                return await self._playlist(keys[0], limit)
            case NodeKind.ITEM:
                return await self._item(*keys)
            case NodeKind.FAVORITES:
                return self._all_favorites(limit or CAP, shuffle)
            case _:
                raise NotFoundError(f"{node or 'the library'} is not one thing to show")

    async def async_item(self, node: str) -> Json | None:
        """Make the item that shows a single work; None for anything else."""
        kind, _ = split_node_id(node)
        if kind not in (NodeKind.ARTWORK, NodeKind.ITEM):
            return None
        document = (await self.async_build(node)).cast.playlist or {}
        item: Json = document["items"][0]
        return item

    def _remember(self, playlist: BuiltPlaylist) -> None:
        """Remember what the playlist is, to know it again on the wall."""
        document = playlist.cast.playlist or {}
        if name := playlist.cast.playlist_url or document.get("id"):
            self._index.remember_cast(name, playlist.node_id)

    # Of the catalog

    async def _exhibition(
        self, key: str, limit: int | None, shuffle: bool
    ) -> BuiltPlaylist:
        """Show an exhibition: as the feed has it, or made of its series."""
        exhibition = await self._index.async_exhibition(key, PATIENCE)
        ready = asyncio.ensure_future(self._ready_made(exhibition))
        try:
            all_series = await self._index.async_series(key, PATIENCE)
            if all_series.complete and (stored := await ready):
                works = len(stored.document["items"])
                whole = is_exhibition(
                    stored.document, all_series.records, self._index.works
                )
                if whole and (limit is None or works <= limit):
                    return self._by_url(exhibition, stored)
        finally:
            ready.cancel()
        return await self._of_series(
            NodeKind.EXHIBITION,
            exhibition,
            all_series.records,
            limit or CAP,
            shuffle,
            all_series.reason,
        )

    async def _ready_made(self, exhibition: Exhibition) -> StoredPlaylist | None:
        """Read the one playlist of the feed that claims to be an exhibition."""
        found = candidates(exhibition, self._index.playlists.records)
        if len(found) != 1:
            return None
        try:
            return await self._index.async_document(found[0].id, FEED_PATIENCE)
        except Dp1Error:
            return None

    def _by_url(self, exhibition: Exhibition, stored: StoredPlaylist) -> BuiltPlaylist:
        """Show an exhibition as the feed has it."""
        items = stored.document["items"]
        return BuiltPlaylist(
            cast=Cast(playlist_url=stored.url),
            title=exhibition.title,
            works=len(items),
            left_out=0,
            node_id=node_id(NodeKind.EXHIBITION, exhibition.id),
            works_known=tuple(self._known(items)),
        )

    def _known(self, items: Sequence[Mapping[str, Any]]) -> list[tuple[str, Work]]:
        """List what is known of a feed's items."""
        known = []
        for item in items:
            found = self._index.works.find(
                source=item.get("source"), origin=item.get("provenance")
            )
            series = self._index.series(found[0]) if found else None
            if found and series and isinstance(key := item.get("id"), str):
                exhibition = self._index.exhibition(series.exhibition_id)
                known.append((key, work_of(found[1], series, exhibition)))
        return known

    async def _series(self, key: str, cap: int, shuffle: bool) -> BuiltPlaylist:
        """Show a series."""
        series = await self._index.async_find_series(key)
        exhibition = self._index.exhibition(series.exhibition_id)
        return await self._of_series(
            NodeKind.SERIES, exhibition, (series,), cap, shuffle
        )

    async def _of_series(
        self,
        kind: NodeKind,
        exhibition: Exhibition | None,
        all_series: Sequence[Series],
        cap: int,
        shuffle: bool,
        reason: Dp1Error | None = None,
    ) -> BuiltPlaylist:
        """Make a playlist of one or all series of an exhibition."""
        groups, left_unread = await self._read_works(all_series, cap)
        reason = reason or left_unread
        show = exhibition.kind if exhibition else ExhibitionKind.GROUP
        selection = select_works(show, groups, cap)
        series = all_series[0] if kind is NodeKind.SERIES else None
        title = " — ".join(it.title for it in (exhibition, series) if it and it.title)
        if not selection.works:
            raise reason or NotFoundError(f"{title!r} has no work that can be shown")
        works = list(selection.works)
        named: Series | Exhibition | None = series or exhibition
        assert named is not None
        return self._made(
            node_id(kind, named.id),
            title or named.id,
            sample(works, len(works)) if shuffle else works,
            exhibition,
            left_out=selection.left_out,
            problem=reason,
            cover=cover_url(named, "l"),
            summary=series.description
            if series
            else exhibition.note
            if exhibition
            else "",
        )

    async def _read_works(
        self, all_series: Sequence[Series], cap: int
    ) -> tuple[list[Group], Dp1Error | None]:
        """Read as many works of each series as are needed, or as there is time for."""
        pages = [ceil(count / PAGE_SIZE) for count in works_to_read(all_series, cap)]
        wanted = sum(1 for count in pages if count)
        pages = shares(pages, max(MOST_REQUESTS, wanted, ceil(cap / PAGE_SIZE)))
        chosen = [
            (series, count * PAGE_SIZE)
            for series, count in zip(all_series, pages, strict=True)
            if count
        ]
        found = await asyncio.gather(
            *(
                self._index.async_artworks(series.id, count, PATIENCE)
                for series, count in chosen
            )
        )
        groups: list[Group] = [
            (series, kept.records)
            for (series, _), kept in zip(chosen, found, strict=True)
        ]
        return groups, next((kept.reason for kept in found if kept.reason), None)

    async def _artwork(self, series_id: str, key: str) -> BuiltPlaylist:
        """Show one work."""
        series = await self._index.async_find_series(series_id)
        artwork = await self.async_artwork(series_id, key)
        exhibition = self._index.exhibition(series.exhibition_id)
        node = node_id(NodeKind.ARTWORK, series_id, key)
        work = work_of(artwork, series, exhibition)
        if catalog_item(artwork, series) is None:
            raise NotFoundError(f"{work.title or key!r} has nothing that can be shown")
        return self._made(
            node, work.title or key, [(series, artwork)], exhibition, cover=work.picture
        )

    async def async_artwork(self, series_id: str, key: str) -> Artwork:
        """Find a work of a series, if need be by reading all of them.

        Raises:
            NotFoundError: there is none.
            Dp1Error: why that cannot be told.
        """
        kept = self._index.artworks_of(series_id)
        for count in (CAP, None):
            if found := next((it for it in kept.records if it.id == key), None):
                return found
            if kept.complete:
                break
            kept = await self._index.async_artworks(series_id, count, PATIENCE)
        if found := next((it for it in kept.records if it.id == key), None):
            return found
        raise kept.reason or NotFoundError(f"no work {key!r} in series {series_id!r}")

    def _made(
        self,
        node: str,
        title: str,
        works: Sequence[tuple[Series, Artwork]],
        exhibition: Exhibition | None,
        *,
        left_out: int = 0,
        problem: Dp1Error | None = None,
        cover: str | None = None,
        summary: str = "",
    ) -> BuiltPlaylist:
        """Make a playlist of works of the catalog."""
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
            works_known=tuple(
                (item_id(series, artwork), work_of(artwork, series, exhibition))
                for series, artwork in works
            ),
            problem=problem,
        )

    def _document(
        self,
        title: str,
        items: Sequence[Json],
        cover: str | None = None,
        summary: str = "",
    ) -> Json:
        """Make a playlist."""
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

    # Of the feed, and of favorites

    async def _playlist(self, ref: str, limit: int | None) -> BuiltPlaylist:
        """Show a playlist of the feed by its address, or the beginning of it."""
        known = self._index.playlist(ref)
        if known is None or (limit and known.count > limit):
            stored = await self._index.async_document(ref, PATIENCE)
            known = FeedPlaylist.parse(stored.document, ref if "://" in ref else None)
            if known is None:
                raise NotFoundError(f"the playlist {ref!r} has no id")
            if limit and known.count > limit:
                return self._beginning(stored, known, limit)
        assert self._index.feed is not None
        url = known.id if "://" in known.id else self._index.feed.playlist_url(known.id)
        return BuiltPlaylist(
            cast=Cast(playlist_url=url),
            title=known.title,
            works=known.count,
            left_out=0,
            node_id=node_id(NodeKind.PLAYLIST, known.id),
        )

    def _beginning(
        self, stored: StoredPlaylist, known: FeedPlaylist, limit: int
    ) -> BuiltPlaylist:
        """Show the first works of a playlist; what it was signed for is another one."""
        items = stored.document["items"][:limit]
        kept = {
            name: value
            for name, value in stored.document.items()
            if name not in SIGNATURES
        }
        return BuiltPlaylist(
            cast=Cast(playlist={**kept, "id": str(uuid4()), "items": items}),
            title=known.title,
            works=len(items),
            left_out=0,
            node_id=node_id(NodeKind.PLAYLIST, known.id),
            works_known=tuple(self._known(items)),
        )

    async def _item(self, ref: str, key: str) -> BuiltPlaylist:
        """Show one work of a feed's playlist."""
        document = (await self._index.async_document(ref, PATIENCE)).document
        given = next(
            (it for name, _, it in keyed_items(document.get("items")) if name == key),
            None,
        )
        if given is None:
            raise NotFoundError(f"no work {key!r} in the playlist {ref!r}")
        alone = for_display({"defaults": document.get("defaults"), "items": [given]})
        item = {"duration": self._preferences.duration, **alone["items"][0]}
        node = node_id(NodeKind.ITEM, ref, key)
        return self._one(node, clean(given.get("title"), MAX_TITLE) or key, item)

    def _one(self, node: str, title: str, item: Json) -> BuiltPlaylist:
        """Show one item."""
        return BuiltPlaylist(
            cast=Cast(playlist=self._document(title, [item])),
            title=title,
            works=1,
            left_out=0,
            node_id=node,
            works_known=tuple(self._known([item])),
        )

    def _all_favorites(self, cap: int, shuffle: bool) -> BuiltPlaylist:
        """Show all works a person likes."""
        items = self._favorites.items()[:cap]
        if not items:
            raise NotFoundError("no work is among the favorites")
        if shuffle:
            items = sample(items, len(items))
        title = FOLDER_TITLES[NodeKind.FAVORITES]
        return BuiltPlaylist(
            cast=Cast(playlist=self._document(title, items)),
            title=title,
            works=len(items),
            left_out=0,
            node_id=NodeKind.FAVORITES.value,
            works_known=tuple(self._known(items)),
        )
