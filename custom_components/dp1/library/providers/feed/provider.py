"""The playlist feed as a provider: channels, playlists and the works in them."""

from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from functools import partial
from typing import Any, override
from urllib.parse import unquote
from uuid import uuid4

from homeassistant.core import callback
from homeassistant.util import dt as dt_util

from ....client.display.player_status import PlayerStatus
from ....client.errors import Dp1Error, NotFoundError
from ....client.playlist.document import unsigned
from ....client.playlist.playlist import Playlist
from ....client.text import clean
from ....client.values import moment
from ....const import SOURCE_LIMIT
from ...news import MAX_AGE, PLAYLIST_PUBLISHED
from ...node import Children, Node, NodeKind, node_id, split_node_id
from ...search import Lines, Names, Query, Scored
from ...work import Work
from ..provider import (
    BUILD_PATIENCE,
    MAX_TITLE,
    SEARCH_PATIENCE,
    Context,
    Json,
    Provider,
    Source,
    children_of,
    source_of,
)
from .coordinator import MAX_IN_CHANNEL
from .records import FeedChannel, FeedItem, FeedPlaylist, items_of, open_items

PLAYABLE = ("http://", "https://", "data:")
IMAGE_SUFFIXES = (".avif", ".gif", ".jpeg", ".jpg", ".png", ".webp")
# A display keeps a playlist as a whole.
MAX_CHANNEL_WORKS = 500


class FeedProvider(Provider):
    """The channels of a feed, and its playlists with their works."""

    kinds = {
        NodeKind.CHANNELS: 0,
        NodeKind.PUBLISHER: 1,
        NodeKind.CHANNEL: 1,
        NodeKind.PLAYLISTS: 0,
        NodeKind.PLAYLIST: 1,
        NodeKind.ITEM: 2,
    }
    server = "feed"

    def __init__(self, context: Context) -> None:
        """Initialize with the feed of the library, if it has one."""
        super().__init__(context)
        self._feed = feed = context.feed_coordinator
        self.coordinators = (feed,)
        self.lines = (
            playlist_lines(context, lambda: feed.data.records, NodeKind.PLAYLISTS),
            Lines(
                self.hass,
                lambda: feed.channels,
                lambda channel: ((channel.title, channel.publisher, ""),),
                lambda channel, _: channel_node(channel),
                NodeKind.CHANNELS,
            ),
        )

    # Nodes

    @override
    def roots(self) -> list[Node]:
        """Return the folders of the channels and the playlists."""
        if self._feed.client is None:
            return []
        playlists = self._list_node(NodeKind.PLAYLISTS)
        if not self._feed.channels:
            return [playlists]
        return [self._list_node(NodeKind.CHANNELS), playlists]

    def _list_node(self, kind: str) -> Node:
        """Return the folder of the channels or the playlists."""
        nodes = map(playlist_node, self._feed.data.records)
        if kind == NodeKind.CHANNELS:
            nodes = map(channel_node, self._feed.channels)
        return self._folder(NodeKind(kind), nodes)

    @override
    async def async_node(self, kind: str, *keys: str) -> Node:
        """Return a node of the feed."""
        match kind:
            case NodeKind.PLAYLIST:
                return playlist_node(await self._feed.async_playlist(*keys))
            case NodeKind.ITEM:
                return await self._async_item(*keys)
            case NodeKind.CHANNEL:
                return channel_node(await self._feed.async_channel(*keys))
            case NodeKind.PUBLISHER:
                await self._feed.async_list()
                return publisher_node(*keys)
        return self._list_node(kind)

    async def _async_item(self, ref: str, key: str) -> Node:
        """Return the node of a work in a playlist."""
        playlist = await self._feed.async_playlist(ref)
        found = [item for item in playlist.items if item.key == key]
        if not found:
            document = (await self._feed.async_document(ref)).document
            found = [item for item in items_of(document) if item.key == key]
        if not found or found[0].is_secret:
            raise NotFoundError(f"no work {key!r} in the playlist {playlist.title!r}")
        return item_node(self.context, playlist, found[0])

    @override
    async def async_children(self, kind: str, *keys: str, limit: int) -> Children[Any]:
        """Return what is inside a node of the feed."""
        if kind == NodeKind.PLAYLIST:
            return await self._async_items(*keys)
        playlists = await self._feed.async_list()
        match kind:
            case NodeKind.CHANNELS:
                return children_of(self._channel_nodes(), playlists)
            case NodeKind.PUBLISHER:
                channels = self._feed.channels
                of_publisher = (each for each in channels if each.publisher == keys[0])
                return children_of(map(channel_node, of_publisher), playlists)
            case NodeKind.CHANNEL:
                channel = await self._feed.async_channel(*keys)
                found, problem = await self._feed.async_playlists_at(
                    channel.playlists[:MAX_IN_CHANNEL]
                )
                return Children(
                    tuple(map(playlist_node, found)),
                    len(channel.playlists) - len(found),
                    playlists.reason or problem,
                    playlists.read_at,
                )
            case NodeKind.PLAYLISTS:
                return children_of(playlists.records, playlists, playlist_node)
        return await super().async_children(kind, *keys, limit=limit)

    def _channel_nodes(self) -> Iterator[Node]:
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

    async def _async_items(self, ref: str) -> Children[FeedItem]:
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
        shown = [item for item in items if not item.is_secret]
        missing = max(0, known.count - len(items))
        make = partial(item_node, self.context, known)
        return Children(shown, missing, problem, make=make)

    # Playlists

    @override
    async def async_build(
        self, kind: str, *keys: str, limit: int | None, record: Any = None
    ) -> Playlist:
        """Return what a display is to show for a node of the feed, by default all of it."""
        match kind:
            case NodeKind.PLAYLIST:
                return await self._async_build_playlist(keys[0], limit)
            case NodeKind.ITEM:
                return await self._async_build_item(*keys)
            case NodeKind.CHANNEL:
                return await self._async_build_channel(keys[0], limit)
        return await super().async_build(kind, *keys, limit=limit)

    async def _async_build_playlist(self, ref: str, limit: int | None) -> Playlist:
        """Use a playlist by its address, or build one of its first works."""
        known = self._feed.playlist(ref)
        if known is None or (limit and known.count > limit):
            known, stored = await self._feed.async_described(ref, BUILD_PATIENCE)
            if limit and known.count > limit:
                # The signatures are for the whole playlist.
                document = {
                    **unsigned(stored.document),
                    "id": str(uuid4()),
                    "items": stored.items[:limit],
                }
                node = node_id(NodeKind.PLAYLIST, known.id)
                return Playlist(document=document, title=known.title, node_id=node)
        url = known.id
        if "://" not in url:
            assert self._feed.client is not None
            url = self._feed.client.playlist_url(url)
        node = node_id(NodeKind.PLAYLIST, known.id)
        return Playlist(url, title=known.title, count=known.count, node_id=node)

    async def _async_build_item(self, ref: str, key: str) -> Playlist:
        """Build the playlist of a work of a playlist."""
        document = (await self._feed.async_document(ref, BUILD_PATIENCE)).document
        if (item := open_items(document).get(key)) is None:
            raise NotFoundError(f"no work {key!r} in the playlist {ref!r}")
        return self.build_items(
            node_id(NodeKind.ITEM, ref, key),
            clean(item.get("title"), MAX_TITLE) or key,
            [{"duration": self.context.preferences.duration, **item}],
        )

    async def _async_build_channel(self, key: str, limit: int | None) -> Playlist:
        """Build the playlist of all playlists of a channel, in its order."""
        channel = await self._feed.async_channel(key)
        node = node_id(NodeKind.CHANNEL, channel.id)
        return await async_build_playlists(
            self, node, channel.title, channel.playlists, limit
        )

    # Search and the source list

    @override
    async def async_ask(self, query: Query, text: str) -> Scored:
        """Wait for the list."""
        await self._feed.async_list(SEARCH_PATIENCE)
        return []

    @override
    def lines_inside(self, nodes: Sequence[Node]) -> list[Lines[Any]]:
        """Return the lines of the works in playlists."""
        refs = (split_node_id(n.id)[1] for n in nodes if n.kind == NodeKind.PLAYLIST)
        known = tuple(found for (ref,) in refs if (found := self._feed.playlist(ref)))
        return [playlist_lines(self.context, lambda: known)] if known else []

    @override
    def sources(self) -> list[Sequence[Source]]:
        """Return the playlists and the channels that are wanted."""
        wanted = self.context.preferences.sources
        playlists = self._feed.data.records if "playlists" in wanted else ()
        channels = self._feed.channels if "channels" in wanted else ()
        return [
            [source_of(node, index < SOURCE_LIMIT) for index, node in enumerate(nodes)]
            for nodes in (
                map(playlist_node, playlists),
                (channel_node(each) for each in channels if each.playlists),
            )
        ]

    # News

    @override
    async def async_load(self) -> None:
        """Load what is stored; what was published since then is news."""
        await super().async_load()
        if self._feed.data.read_at is not None:
            self._new(playlist.id for playlist in self._feed.data.records)

    @override
    @callback
    def async_start_late(self) -> None:
        """Tell which playlists were published meanwhile, and which will be."""
        self._feed.async_add_listener(self._tell_published)
        self._tell_published()

    @callback
    def _tell_published(self) -> None:
        """Tell which playlists were published, unless the list is being read."""
        if self._feed.data.read_at is None or self._feed.data.reason is not None:
            return
        records = self._feed.data.records
        new = self._new(playlist.id for playlist in records)
        oldest = dt_util.utcnow() - MAX_AGE
        for playlist in records if new else ():
            made = moment(playlist.created)
            if playlist.id in new and (made is None or made > oldest):
                link = f"{self._feed.url}/playlists/{playlist.id}"
                self.context.async_tell(
                    PLAYLIST_PUBLISHED, playlist_node(playlist), link
                )

    # What a display shows

    @override
    def recognize(self, player: PlayerStatus) -> Iterator[str]:
        """Yield the playlist of the feed that a display shows."""
        url = (player.playlist_url or "").partition("?")[0].rstrip("/")
        start = f"{self._feed.url}/playlists/"
        if url.startswith(start):
            if playlist := self._feed.playlist(unquote(url.removeprefix(start))):
                yield node_id(NodeKind.PLAYLIST, playlist.id)

    @override
    def picture(self, source: str) -> str | None:
        """Return the address of a work that is a picture itself."""
        path = source.partition("?")[0].lower()
        is_picture = path.startswith("http") and path.endswith(IMAGE_SUFFIXES)
        return source if is_picture else None


def channel_node(channel: FeedChannel) -> Node:
    """Return the node of a channel."""
    return Node(
        id=node_id(NodeKind.CHANNEL, channel.id),
        kind=NodeKind.CHANNEL,
        work=Work(
            title=channel.title,
            artist=channel.publisher or None,
            picture=channel.cover or None,
        ),
        can_play=bool(channel.playlists),
        can_expand=True,
        subtitle=channel.publisher or None,
    )


def publisher_node(publisher: str) -> Node:
    """Return the node of the channels of a publisher."""
    return Node(
        id=node_id(NodeKind.PUBLISHER, publisher),
        kind=NodeKind.PUBLISHER,
        work=Work(title=publisher),
        can_expand=True,
    )


def playlist_node(playlist: FeedPlaylist) -> Node:
    """Return the node of a playlist."""
    return Node(
        id=node_id(NodeKind.PLAYLIST, playlist.id),
        kind=NodeKind.PLAYLIST,
        work=Work(
            title=playlist.title, picture=playlist.cover or None, year=playlist.year
        ),
        can_play=True,
        can_expand=playlist.count != 0,
        subtitle=", ".join(playlist.curators) or None,
        works=playlist.count,
        query=playlist.query,
    )


def item_node(context: Context, playlist: FeedPlaylist, item: FeedItem) -> Node:
    """Return the node of a work in a playlist."""
    return Node(
        id=node_id(NodeKind.ITEM, playlist.id, item.key),
        kind=NodeKind.ITEM,
        work=Work(
            title=item.title,
            artist=item.artist or None,
            picture=context.picture(item.source) or playlist.cover or None,
            source=item.source,
        ),
        can_play=item.source.startswith(PLAYABLE),
        subtitle=playlist.title,
    )


async def async_build_playlists(
    provider: Provider, node: str, title: str, urls: Sequence[str], limit: int | None
) -> Playlist:
    """Build one playlist of those at some addresses, in their order."""
    items: list[Json] = []
    problem = None
    seen: set[object] = set()
    for found in await provider.context.feed_coordinator.async_documents_at(urls):
        if isinstance(found, Dp1Error):
            problem = problem or found
            continue
        for item in open_items(found.document).values():
            if len(items) == (limit or MAX_CHANNEL_WORKS):
                break
            # The same work may be in several playlists.
            if item.get("id") in seen:
                item = {name: item[name] for name in item if name != "id"}
            seen.add(item.get("id"))
            items.append(item)
    if not items:
        raise problem or NotFoundError(f"nothing is in {title!r}")
    return provider.build_items(node, title, items)


def playlist_lines(
    context: Context, playlists: Callable[[], Sequence[FeedPlaylist]], folder: str = ""
) -> Lines[FeedPlaylist]:
    """Return the lines of playlists and of the works in them."""

    def node_of(playlist: FeedPlaylist, number: int) -> Node | None:
        """Return the node of a playlist, or of one of its works."""
        if not number:
            return playlist_node(playlist)
        item = playlist.items[number - 1]
        return None if item.is_secret else item_node(context, playlist, item)

    return Lines(context.hass, playlists, _names_of, node_of, folder)


def _names_of(playlist: FeedPlaylist) -> Iterator[Names]:
    """Yield the names of a playlist, and of its works."""
    yield playlist.title, ", ".join(playlist.curators), ""
    for item in playlist.items:
        yield item.title, item.artist, playlist.title
