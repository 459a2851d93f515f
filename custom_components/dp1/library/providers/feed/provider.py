"""The playlist feed as a provider: channels, playlists and the works in them."""

from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from functools import partial
from itertools import islice
from typing import Any, override
from urllib.parse import unquote
from uuid import uuid4

from homeassistant.config_entries import ConfigEntry
from homeassistant.core import CALLBACK_TYPE, HomeAssistant
from homeassistant.util import dt as dt_util

from ....client.display.player_status import PlayerStatus, PlaylistItem
from ....client.errors import Dp1Error, NotFoundError
from ....client.feed.models import FeedItem, FeedPlaylist, items_of, open_items
from ....client.playlist.document import unsigned
from ....client.playlist.playlist import Playlist
from ....client.values import moment
from ....const import SOURCE_LIMIT
from ...item import Item, labeled
from ...listing import Delta, Lazy, Listing
from ...news import MAX_AGE, PLAYLIST_PUBLISHED, async_tell
from ...node import Inside, NodeKind, key_of, node_id, split_node_id
from ...search import Lines, Query, Scored, line_of
from ..catalog.provider import CatalogProvider
from ..provider import BUILD_PATIENCE, SEARCH_PATIENCE, Provider, Source, source_of
from .items import item_node, publisher_node
from .server import MAX_IN_CHANNEL, FeedServer

# A display keeps a playlist as a whole.
MAX_CHANNEL_WORKS = 500


class FeedProvider(Provider):
    """The channels of a feed, and its playlists with their works."""

    kinds = (
        NodeKind.CHANNELS,
        NodeKind.PUBLISHER,
        NodeKind.CHANNEL,
        NodeKind.PLAYLISTS,
        NodeKind.PLAYLIST,
        NodeKind.ITEM,
    )
    error_prefix = "feed"

    def __init__(
        self,
        hass: HomeAssistant,
        entry: ConfigEntry[Any],
        on_change: CALLBACK_TYPE,
        catalog: CatalogProvider,
    ) -> None:
        """Initialize with the catalog, which may have the works of the feed."""
        super().__init__(hass, entry, on_change)
        self.feed = feed = FeedServer(hass, entry, self._tell_published)
        self.catalog = catalog
        self.servers = (feed,)
        self.origin = feed.url or ""
        self.lines = (
            playlist_lines(hass, feed.list, self.item_node, NodeKind.PLAYLISTS),
            Lines(
                self.hass,
                lambda: feed.channels.records,
                lambda channel: [line_of(channel.title, channel.publisher)],
                lambda channel, _: feed.channels.item_of(channel),
                NodeKind.CHANNELS,
            ),
        )

    # Nodes

    @override
    def roots(self) -> list[Item]:
        """Return the folders of the channels and the playlists."""
        if self.feed.client is None:
            return []
        playlists = self.folder(NodeKind.PLAYLISTS)
        if not self.feed.channels.records:
            return [playlists]
        return [self.folder(NodeKind.CHANNELS), playlists]

    @override
    async def async_node(self, node: str, patience: float) -> Item:
        """Return a folder, a publisher, a channel, a playlist by its id or its address on another host, or a work in it."""
        feed = self.feed
        match split_node_id(node):
            case (NodeKind.CHANNELS | NodeKind.PLAYLISTS) as kind, []:
                return self.folder(kind)
            case NodeKind.PUBLISHER, [key]:
                return publisher_node(key)
            case NodeKind.CHANNEL, [key]:
                return feed.channels.item_of(await feed.async_channel(key))
            case NodeKind.PLAYLIST, [key]:
                return await feed.async_item(key, patience)
            case NodeKind.ITEM, [ref, key]:
                playlist = await feed.async_playlist(ref, patience)
                items = {item.key: item for item in playlist.items}
                if key not in items:
                    stored = await feed.async_document(ref, patience)
                    found = await feed.async_made(items_of, stored)
                    items = {it.key: it for it in found}
                item = items.get(key)
                if item is None or item.is_secret(dt_util.now()):
                    raise NotFoundError(f"no work {key!r} in {playlist.title!r}")
                return self.item_node(playlist, item)
        return await super().async_node(node, patience)

    @override
    async def async_pages(self, item: Item, limit: int) -> Inside:
        """Return the channels, also of a publisher, the playlists, also of a channel in its order, or the works of one."""
        feed = self.feed
        match item.kind:
            case NodeKind.PLAYLISTS:
                return (await feed.async_list()).inside()
            case NodeKind.CHANNELS | NodeKind.PUBLISHER:
                listed, channels = await feed.async_list(), feed.channels
                nodes = [it for it in channels.items if it.subtitle == item.title]
                if item.kind == NodeKind.CHANNELS:
                    nodes = [*self.channel_nodes()]
                return Inside(nodes, 0, listed.missing, listed.read_at)
            case NodeKind.CHANNEL:
                urls = feed.urls_in(item)
                playlists, problem = await feed.async_playlists_at(
                    urls[:MAX_IN_CHANNEL]
                )
                return Inside(
                    playlists,
                    len(urls) - len(playlists),
                    feed.list.missing or problem,
                    feed.list.read_at,
                )
            case NodeKind.PLAYLIST:
                return await self._async_inside_playlist(key_of(item))
        return await super().async_pages(item, limit)

    @override
    async def async_build(self, item: Item, limit: int | None) -> Playlist:
        """Build the playlist of all playlists of a channel, of a playlist, or of a work in one."""
        feed = self.feed
        match item.kind:
            case NodeKind.CHANNEL:
                urls = feed.urls_in(item)
                return await async_build_playlists(self, feed, item, urls, limit)
            case NodeKind.PLAYLIST:
                return await self._async_build_playlist(item, limit)
            case NodeKind.ITEM:
                ref, key = split_node_id(item.id)[1]
                stored = await feed.async_document(ref, BUILD_PATIENCE)
                items = await feed.async_made(open_items, stored, dt_util.now())
                if (found := items.get(key)) is None:
                    raise NotFoundError(f"no work {key!r} in the playlist {ref!r}")
                found = {"duration": self.preferences.duration, **found}
                parsed = PlaylistItem.parse(found)
                work = Item.of_item(parsed).completed_by(self.catalog.find(parsed))
                item = replace(item, title=parsed.title or key)
                return self.build_items(item, [labeled(found, work)])
        return await super().async_build(item, limit)

    async def _async_inside_playlist(self, key: str) -> Inside:
        """Return the works of a playlist."""
        feed = self.feed
        problem: Dp1Error | None = None
        try:
            playlist, stored = await feed.async_described(key)
            items = await feed.async_made(items_of, stored)
        except NotFoundError:
            raise
        except Dp1Error as err:
            if (listed := feed.playlist(key)) is None:
                raise
            playlist, items, problem = listed, listed.items, err
        now = dt_util.now()
        return Inside(
            Lazy(
                [item for item in items if not item.is_secret(now)],
                partial(self.item_node, playlist),
            ),
            max(0, playlist.count - len(items)),
            problem,
        )

    async def _async_build_playlist(self, item: Item, limit: int | None) -> Playlist:
        """Use a playlist by its address, or build one of its first works."""
        feed, key = self.feed, key_of(item)
        if limit and (item.works or 0) > limit:
            playlist, stored = await feed.async_described(key, BUILD_PATIENCE)
            if playlist.count > limit:
                # The signatures are for the whole playlist.
                document = {
                    **unsigned(stored.document),
                    "id": str(uuid4()),
                    "items": [*map(labeled, stored.items[:limit])],
                }
                return Playlist(
                    document=document, title=playlist.title, node_id=item.id
                )
        return Playlist(
            feed.url_of(key), title=item.title, count=item.works, node_id=item.id
        )

    def folder(self, kind: str) -> Item:
        """Return the folder of the channels or the playlists."""
        is_of_channels = kind == NodeKind.CHANNELS
        listed = self.feed.channels if is_of_channels else self.feed.list
        return self._folder(NodeKind(kind), listed.items)

    def channel_nodes(self) -> Iterator[Item]:
        """Yield the channels; those of a publisher with several in a folder of their own."""
        channels = self.feed.channels.items
        counts = Counter(channel.subtitle for channel in channels)
        grouped = set()
        for channel in channels:
            publisher = channel.subtitle
            if not publisher or counts[publisher] == 1 or len(counts) == 1:
                yield channel
            elif publisher not in grouped:
                grouped.add(publisher)
                yield publisher_node(publisher)

    def item_node(self, playlist: FeedPlaylist, item: FeedItem) -> Item:
        """Return the node of a work in a playlist."""
        return item_node(playlist, item, self.catalog.picture(item.source))

    # Search and the source list

    @override
    async def async_ask(self, query: Query, text: str) -> Scored:
        """Wait for the list."""
        await self.feed.async_list(SEARCH_PATIENCE)
        return []

    @override
    def lines_inside(self, nodes: Sequence[Item]) -> list[Lines[Any]]:
        """Return the lines of the works in playlists."""
        refs = (split_node_id(n.id)[1] for n in nodes if n.kind == NodeKind.PLAYLIST)
        playlists = tuple(
            playlist for (ref,) in refs if (playlist := self.feed.playlist(ref))
        )
        lines = playlist_lines(self.hass, self.feed.list, self.item_node, of=playlists)
        return [lines] if playlists else []

    @override
    def sources(self) -> list[Sequence[Source]]:
        """Return the playlists and the channels that are wanted."""
        sources = self.preferences.sources
        playlists = self.feed.list.records if "playlists" in sources else ()
        channels = self.feed.channels.items if "channels" in sources else ()
        items = map(self.feed.list.item_of, playlists[:SOURCE_LIMIT])
        nodes = (node for node in channels if node.can_play)
        return [
            [*map(source_of, items)],
            [*map(source_of, islice(nodes, SOURCE_LIMIT))],
        ]

    # News

    def _tell_published(self, delta: Delta[FeedPlaylist]) -> None:
        """Tell which playlists were published."""
        new = self._new(playlist.id for playlist in delta.added)
        oldest = dt_util.utcnow() - MAX_AGE
        for playlist in () if delta.is_first else delta.added:
            made = moment(playlist.created)
            if playlist.id in new and (made is None or made > oldest):
                async_tell(
                    self.hass,
                    self.entry.entry_id,
                    PLAYLIST_PUBLISHED,
                    self.feed.list.item_of(playlist),
                    f"{self.feed.url}/playlists/{playlist.id}",
                )

    # What a display shows

    @override
    def recognize(self, player: PlayerStatus) -> Iterator[str]:
        """Yield the playlist of the feed that a display shows."""
        url = (player.playlist_url or "").partition("?")[0].rstrip("/")
        start = f"{self.feed.url}/playlists/"
        if url.startswith(start):
            if playlist := self.feed.playlist(unquote(url.removeprefix(start))):
                yield node_id(NodeKind.PLAYLIST, playlist.id)


async def async_build_playlists(
    provider: Provider,
    feed: FeedServer,
    item: Item,
    urls: Sequence[str],
    limit: int | None,
) -> Playlist:
    """Build one playlist of those at some addresses, in their order."""
    items, problem = await feed.async_items_at(urls, limit or MAX_CHANNEL_WORKS)
    seen: set[object] = set()
    for place, work in enumerate(items):
        # The same work may be in several playlists.
        if work.get("id") in seen:
            items[place] = {name: work[name] for name in work if name != "id"}
        seen.add(work.get("id"))
    if not items:
        raise problem or NotFoundError(f"nothing is in {item.title!r}")
    return provider.build_items(item, items)


def playlist_lines(
    hass: HomeAssistant,
    listing: Listing[FeedPlaylist],
    item_node: Callable[[FeedPlaylist, FeedItem], Item],
    folder: str = "",
    of: Sequence[FeedPlaylist] | None = None,
) -> Lines[FeedPlaylist]:
    """Return the lines of the playlists of a list, by default all, and of the works in them, which stay packed."""

    def node_of(playlist: FeedPlaylist, number: int) -> Item | None:
        """Return the node of a playlist, or of one of its works."""
        if not number:
            return listing.item_of(playlist)
        item = playlist.items[number - 1]
        return None if item.is_secret(dt_util.now()) else item_node(playlist, item)

    return Lines(
        hass,
        lambda: listing.records if of is None else of,
        _lines_of,
        node_of,
        folder,
    )


def _lines_of(playlist: FeedPlaylist) -> Iterator[str]:
    """Yield the lines of a playlist, and of its works."""
    yield line_of(playlist.title, ", ".join(playlist.curators))
    for item in playlist.items:
        yield line_of(item.title, item.artists, playlist.title)
