"""Works of collections: the work, the item and the node of a token."""

from collections.abc import Iterable
from datetime import datetime
from typing import Final

from ....client.indexer.tokens import MAX_ALL_DATA, Token, data_type, provenance
from ....client.playlist.manifest import MAX_NOTE, Artist
from ....client.text import HLS, media_type, shorten
from ...item import Item
from ...listing import Json
from ...node import NodeKind, node_id
from ...shelf import Shelf

# How a work behaves, and how the catalog names that.
MEDIA: Final = {"still": "image", "moving": "video", "interactive": "software"}


def medium_of(work: Token) -> str:
    """Return how a work behaves, as far as its address and type tell."""
    kind = media_type(work.source or "") or work.mime_type
    if kind == HLS or kind.startswith(("video/", "image/gif")):
        return "moving"
    if work.source in (None, work.image) or kind.startswith("image/"):
        return "still"
    return "interactive"


def work_of(token: Token, collection: Shelf[Token] | None = None) -> Item:
    """Return the work of a token, which may be of a collection."""
    return Item(
        id=node_id(NodeKind.OWNED, collection.subentry_id, token.item_id)
        if collection
        else "",
        kind=NodeKind.OWNED if collection else "",
        item_id=token.item_id,
        title=token.name,
        artists=tuple(map(Artist, token.artists)),
        picture=token.image or token.thumbnail,
        thumbnail=token.thumbnail,
        medium=MEDIA[medium_of(token)],
        note=shorten(token.description, MAX_NOTE) or None,
        source=token.source,
        provenance=provenance(token),
        can_play=token.source is not None,
        subtitle=collection.title if collection else None,
    )


def items_of(
    tokens: Iterable[Token], duration: float, created: datetime | None = None
) -> list[Json]:
    """Return the items of tokens, except of those that have nothing that a display can load.

    Of works that are their own source, as many are taken as have `MAX_ALL_DATA` characters together. Each has a
    duration: players never go on from a work without one.
    """
    items, left = [], MAX_ALL_DATA
    for token in tokens:
        size = len(token.source or "") if data_type(token.source) else 0
        if token.source is not None and size <= left:
            left -= size
            items.append(work_of(token).to_dp1(created=created, duration=duration))
    return items
