"""Nodes of the library and their ids."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from datetime import datetime
from enum import StrEnum
from typing import overload, override
from urllib.parse import quote, unquote

from ..client.catalog.artwork import (
    cover_url,
    credit,
    edition,
    picture_url,
    title,
    year,
)
from ..client.catalog.models import Artwork, Exhibition, Series
from ..client.catalog.selection import shown_once
from ..client.errors import Dp1Error, NotFoundError
from ..client.text import shorten
from ..const import DOMAIN
from .feed.records import FeedChannel, FeedItem, FeedPlaylist

MEDIA_PREFIX = f"media-source://{DOMAIN}/"
MAX_CREDIT = 120
PLAYABLE = ("http://", "https://", "data:")


class NodeKind(StrEnum):
    """Kind of a node, the first part of its id."""

    ROOT = ""
    EXHIBITIONS = "exhibitions"
    EXHIBITION = "exhibition"
    SERIES = "series"
    ARTWORK = "artwork"
    CHANNELS = "channels"
    CHANNEL = "channel"
    PLAYLISTS = "playlists"
    PLAYLIST = "playlist"
    ITEM = "item"
    FAVORITES = "favorites"
    PUBLISHER = "publisher"
    COLLECTION = "collection"
    COLLECTION_PART = "collection_part"
    COLLECTION_ARTIST = "collection_artist"
    OWNED = "owned"
    ARTIST = "artist"
    MORE = "more"
    DAILY = "daily"


# Number of keys after the kind in an id.
KEYS = {
    NodeKind.EXHIBITION: 1,
    NodeKind.SERIES: 1,
    NodeKind.ARTWORK: 2,
    NodeKind.CHANNEL: 1,
    NodeKind.PLAYLIST: 1,
    NodeKind.ITEM: 2,
    NodeKind.PUBLISHER: 1,
    # The first key of what is in a collection is that of the collection.
    NodeKind.COLLECTION: 1,
    NodeKind.COLLECTION_PART: 2,
    NodeKind.COLLECTION_ARTIST: 2,
    NodeKind.OWNED: 2,
    NodeKind.ARTIST: 1,
    # A node with a long list, and how many of it come before.
    NodeKind.MORE: 2,
}
FOLDER_TITLES = {
    NodeKind.EXHIBITIONS: "Exhibitions",
    NodeKind.CHANNELS: "Channels",
    NodeKind.PLAYLISTS: "Playlists",
    NodeKind.FAVORITES: "Favorites",
    NodeKind.DAILY: "The Daily",
}


@dataclass(frozen=True, slots=True, kw_only=True)
class Node:
    """A node with its texts in plain form; `picture` is a small public one, and `opens_at` is set until it opens.

    `query` tells whose works a playlist looks up when it is shown, as that of `FeedPlaylist`.
    """

    id: str
    kind: NodeKind
    title: str
    artist: str | None = None
    picture: str | None = None
    can_play: bool = False
    can_expand: bool = False
    subtitle: str | None = None
    year: int | None = None
    works: int | None = None
    medium: str | None = None
    opens_at: datetime | None = None
    query: str = ""


class LazyNodes[T](Sequence[Node]):
    """The nodes of a long list of which only a part is shown."""

    def __init__(self, records: Sequence[T], make: Callable[[T], Node]) -> None:
        """Initialize with the records and what makes their nodes."""
        self._records = records
        self._make = make

    @override
    def __len__(self) -> int:
        """Return the number of nodes."""
        return len(self._records)

    @overload
    def __getitem__(self, index: int) -> Node: ...
    @overload
    def __getitem__(self, index: slice) -> tuple[Node, ...]: ...
    @override
    def __getitem__(self, index: int | slice) -> Node | tuple[Node, ...]:
        """Return a node, or some."""
        if isinstance(index, slice):
            return tuple(map(self._make, self._records[index]))
        return self._make(self._records[index])


@dataclass(frozen=True, slots=True)
class Children:
    """What is inside a node: `not_shown` more are left out, and `problem` is why some are missing or old."""

    nodes: Sequence[Node]
    not_shown: int = 0
    problem: Dp1Error | None = None
    since: datetime | None = None


def node_id(kind: NodeKind, *keys: str) -> str:
    """Return the id of a node; keys may contain anything."""
    return "/".join((kind.value, *(quote(key, safe="") for key in keys)))


def split_node_id(text: str) -> tuple[NodeKind, list[str]]:
    """Return the kind and the keys of a node's id, or raise NotFoundError if no node can have it."""
    kind, *keys = text.split("/")
    known = kind in tuple(NodeKind) and len(keys) == KEYS.get(NodeKind(kind), 0)
    if not known or not all(keys):
        raise NotFoundError(f"nothing is called {text!r}")
    return NodeKind(kind), [unquote(key) for key in keys]


def media_id(entry_id: str, node: str = "") -> str:
    """Return the media id of a node."""
    return f"{MEDIA_PREFIX}{entry_id}/{node}".removesuffix("/")


def parse_media_id(text: str) -> tuple[str, str] | None:
    """Return the entry id and the node id of a media id, None if it is not of a library."""
    if not text.startswith(MEDIA_PREFIX):
        return None
    entry_id, _, node = text.removeprefix(MEDIA_PREFIX).partition("/")
    return (entry_id, node) if entry_id else None


def folder_node(kind: NodeKind, title: str = "", picture: str | None = None) -> Node:
    """Return the node of a fixed list."""
    return Node(
        id=kind.value,
        kind=kind,
        title=title or FOLDER_TITLES[kind],
        picture=picture,
        can_expand=True,
    )


def daily_node(title: str | None, picture: str | None) -> Node:
    """Return the node of the playlist with a work for each day; works to come are not laid open."""
    return Node(
        id=NodeKind.DAILY.value,
        kind=NodeKind.DAILY,
        title=FOLDER_TITLES[NodeKind.DAILY],
        picture=picture,
        can_play=True,
        subtitle=title,
    )


def more_node(inner: str, start: int, *, title: str = "", count: int = 0) -> Node:
    """Return the node of the rest of a long list: of so many works, or as a page with the title of the list."""
    return Node(
        id=node_id(NodeKind.MORE, inner, str(start)),
        kind=NodeKind.MORE,
        title=title or f"More ({count})",
        can_expand=True,
        works=count,
    )


def split_more(keys: list[str]) -> tuple[str, int]:
    """Return the node whose list goes on and where, or raise NotFoundError."""
    inner, start = keys
    if not (start.isascii() and start.isdecimal() and len(start) < 9):
        raise NotFoundError(f"nothing starts at {start!r}")
    if split_node_id(inner)[0] is NodeKind.MORE:
        raise NotFoundError(f"nothing is called {inner!r}")
    return inner, int(start)


def exhibition_node(exhibition: Exhibition, *, open_now: bool) -> Node:
    """Return the node of an exhibition, which can be expanded and played while it is open."""
    opens = exhibition.opens_at
    return Node(
        id=node_id(NodeKind.EXHIBITION, exhibition.id),
        kind=NodeKind.EXHIBITION,
        title=exhibition.title,
        artist=shorten(credit(exhibition.artists), MAX_CREDIT) or None,
        picture=cover_url(exhibition),
        can_play=open_now,
        can_expand=open_now,
        subtitle=exhibition.curator.name if exhibition.curator else None,
        year=opens.year if opens else None,
        opens_at=opens if opens and not open_now else None,
    )


def series_node(
    series: Series, exhibition: Exhibition | None, *, can_play: bool = True
) -> Node:
    """Return the node of a series, which can be expanded if it has different works."""
    return Node(
        id=node_id(NodeKind.SERIES, series.id),
        kind=NodeKind.SERIES,
        title=series.title,
        artist=artist_of(series, exhibition),
        picture=cover_url(series),
        can_play=can_play,
        can_expand=can_play and not shown_once(series),
        subtitle=exhibition.title if exhibition else None,
        year=series.minted_at.year if series.minted_at else None,
        works=1 if shown_once(series) else series.max_artwork,
        medium=series.medium or None,
    )


def artwork_node(
    artwork: Artwork,
    series: Series,
    exhibition: Exhibition | None,
    *,
    can_play: bool = True,
) -> Node:
    """Return the node of a work."""
    number = edition(artwork)
    return Node(
        id=node_id(NodeKind.ARTWORK, series.id, artwork.id),
        kind=NodeKind.ARTWORK,
        title=title(artwork, series) or (f"#{number}" if number else artwork.id),
        artist=artist_of(series, exhibition),
        picture=picture_url(artwork, series),
        can_play=can_play,
        subtitle=exhibition.title if exhibition else None,
        year=year(artwork, series),
        medium=series.medium or None,
    )


def artist_of(series: Series, exhibition: Exhibition | None) -> str | None:
    """Return the artists of a series, or the only artist of its exhibition."""
    people = series.artists
    if not people and exhibition and len(exhibition.artists) == 1:
        people = exhibition.artists
    return shorten(credit(people), MAX_CREDIT) or None


def channel_node(channel: FeedChannel) -> Node:
    """Return the node of a channel."""
    return Node(
        id=node_id(NodeKind.CHANNEL, channel.id),
        kind=NodeKind.CHANNEL,
        title=channel.title,
        picture=channel.cover or None,
        can_play=bool(channel.playlists),
        can_expand=True,
        artist=channel.publisher or None,
        subtitle=channel.publisher or None,
    )


def publisher_node(publisher: str) -> Node:
    """Return the node of the channels of a publisher."""
    return Node(
        id=node_id(NodeKind.PUBLISHER, publisher),
        kind=NodeKind.PUBLISHER,
        title=publisher,
        can_expand=True,
    )


def playlist_node(playlist: FeedPlaylist) -> Node:
    """Return the node of a playlist."""
    return Node(
        id=node_id(NodeKind.PLAYLIST, playlist.id),
        kind=NodeKind.PLAYLIST,
        title=playlist.title,
        picture=playlist.cover or None,
        can_play=True,
        can_expand=playlist.count > 0,
        subtitle=", ".join(playlist.curators) or None,
        year=playlist.year,
        works=playlist.count,
        query=playlist.query,
    )


def item_node(playlist: FeedPlaylist, item: FeedItem, picture: str | None) -> Node:
    """Return the node of a work in a playlist."""
    return Node(
        id=node_id(NodeKind.ITEM, playlist.id, item.key),
        kind=NodeKind.ITEM,
        title=item.title,
        picture=picture or playlist.cover or None,
        can_play=item.source.startswith(PLAYABLE),
        artist=item.artist or None,
        subtitle=playlist.title,
    )
