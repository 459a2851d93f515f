"""Nodes of the library and their ids."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from enum import StrEnum
from urllib.parse import quote, unquote

from ..client.errors import Dp1Error, NotFoundError
from ..client.text import MAX_URL
from ..const import DOMAIN
from .item import Item

MEDIA_PREFIX = f"media-source://{DOMAIN}/"


class NodeKind(StrEnum):
    """Kinds of nodes, the first part of an id; a provider may have others of its own.

    A search lists what fits equally well in this order.
    """

    ARTIST = "artist"
    COLLECTION = "collection"
    EXHIBITION = "exhibition"
    ALBUM = "album"
    COLLECTION_ARTIST = "collection_artist"
    SERIES = "series"
    PLAYLIST = "playlist"
    CHANNEL = "channel"
    OWNED = "owned"
    ARTWORK = "artwork"
    ITEM = "item"
    COLLECTION_PART = "collection_part"
    PICTURE = "picture"
    MUSEUM_WORK = "museum_work"
    PHOTO = "photo"
    PUBLISHER = "publisher"
    ROOT = ""
    EXHIBITIONS = "exhibitions"
    ARTISTS = "artists"
    CHANNELS = "channels"
    PLAYLISTS = "playlists"
    FAVORITES = "favorites"
    DAILY = "daily"
    PICTURES = "pictures"
    HIDDEN = "hidden"
    SURPRISE = "surprise"
    MUSEUM = "museum"
    MORE = "more"


FOLDER_TITLES = {
    NodeKind.EXHIBITIONS: "Exhibitions",
    NodeKind.ARTISTS: "Artists",
    NodeKind.CHANNELS: "Channels",
    NodeKind.PLAYLISTS: "Playlists",
    NodeKind.FAVORITES: "Favorites",
    NodeKind.DAILY: "The Daily",
    NodeKind.PICTURES: "My pictures",
    NodeKind.HIDDEN: "Hidden",
    NodeKind.SURPRISE: "Surprise",
    NodeKind.MUSEUM: "Art Institute of Chicago",
}


# Kinds of single works.
WORKS = (NodeKind.ARTWORK, NodeKind.ITEM, NodeKind.OWNED, NodeKind.MUSEUM_WORK)
PHOTOS = (NodeKind.PICTURE, NodeKind.PHOTO)
SINGLE = (*WORKS, *PHOTOS)


@dataclass(frozen=True, slots=True)
class Inside:
    """What is inside a node: `not_shown` more are left out, and `problem` is why some are missing or old."""

    nodes: Sequence[Item]
    not_shown: int = 0
    problem: Dp1Error | None = None
    since: datetime | None = None


def node_id(kind: str, *keys: str) -> str:
    """Return the id of a node; keys may contain anything."""
    return "/".join((str(kind), *(quote(key, safe="") for key in keys)))


def split_node_id(text: str) -> tuple[str, list[str]]:
    """Return the kind and the keys of a node's id, or raise NotFoundError if no node can have it."""
    kind, *keys = text.split("/")
    if not all(keys):
        raise NotFoundError(f"nothing is called {text!r}")
    return kind, [unquote(key) for key in keys]


def key_of(item: Item) -> str:
    """Return the last key of the id of an item."""
    return split_node_id(item.id)[1][-1]


def media_id(entry_id: str, node: str = "") -> str:
    """Return the media id of a node."""
    return f"{MEDIA_PREFIX}{entry_id}/{node}".removesuffix("/")


def parse_media_id(text: str) -> tuple[str, str] | None:
    """Return the entry id and the node id of a media id, None if it is not of a library."""
    if not text.startswith(MEDIA_PREFIX) or len(text) > MAX_URL:
        return None
    entry_id, _, node = text.removeprefix(MEDIA_PREFIX).partition("/")
    return (entry_id, node) if entry_id else None


def more_node(inner: str, start: int, *, title: str = "", count: int = 0) -> Item:
    """Return the node of the rest of a long list: of so many works, or as a page with the title of the list."""
    return Item(
        id=f"{inner}+{start}",
        kind=NodeKind.MORE,
        title=title or f"More ({count})",
        can_expand=True,
        works=count,
    )


def split_start(node: str) -> tuple[str, int]:
    """Return the node whose list a page shows and where it starts, which no key has unquoted, or raise NotFoundError."""
    inner, is_rest, start = node.partition("+")
    if is_rest and not (start.isascii() and start.isdecimal() and len(start) < 9):
        raise NotFoundError(f"nothing starts at {start!r}")
    return inner, int(start or 0)
