"""Works of a collection, and the nodes that show them."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from enum import StrEnum
from functools import partial
from math import inf
from pathlib import PurePosixPath
from typing import Final, Self
from urllib.parse import urlsplit

from ....client.indexer.tokens import Token, data_type, item_id, provenance
from ....client.playlist.manifest import MAX_NOTE, Work
from ....client.text import clean, shorten
from ...node import MAX_CREDIT, LazyNodes, Node, NodeKind, node_id

MOVING_SUFFIXES: Final = (".gif", ".m3u8", ".mov", ".mp4", ".webm")
STILL_SUFFIXES: Final = (".avif", ".jpeg", ".jpg", ".png", ".svg", ".webp")


class Medium(StrEnum):
    """How a work behaves."""

    STILL = "still"
    MOVING = "moving"
    INTERACTIVE = "interactive"


# As the catalog names them.
CATALOG_MEDIA: Final = {
    Medium.STILL: "image",
    Medium.MOVING: "video",
    Medium.INTERACTIVE: "software",
}


@dataclass(frozen=True, slots=True)
class OwnedWork:
    """A token of a collection, and the id of its item, which is the same whoever casts it."""

    id: str
    token: Token

    @classmethod
    def of(cls, token: Token) -> Self:
        """Return the work of a token."""
        return cls(item_id(token), token)

    @property
    def artist(self) -> str | None:
        """Return the artists."""
        return shorten(", ".join(self.token.artists), MAX_CREDIT) or None

    @property
    def medium(self) -> Medium:
        """Return how the work behaves, as far as its address and type tell."""
        token = self.token
        kind = data_type(token.source)
        path = "" if kind else urlsplit(token.source or "").path
        suffix, kind = PurePosixPath(path).suffix.lower(), kind or token.mime_type
        if suffix in MOVING_SUFFIXES or kind.startswith(("video/", "image/gif")):
            return Medium.MOVING
        if (
            token.source in (None, token.image)
            or suffix in STILL_SUFFIXES
            or kind.startswith("image/")
        ):
            return Medium.STILL
        return Medium.INTERACTIVE

    def work(self, subentry_id: str) -> Work:
        """Return the metadata of the work."""
        token = self.token
        return Work(
            title=token.name,
            artist=self.artist,
            picture=token.image or token.thumbnail,
            medium=CATALOG_MEDIA[self.medium],
            note=clean(token.description, MAX_NOTE) or None,
            provenance=provenance(token),
            node_id=node_id(NodeKind.OWNED, subentry_id, self.id),
        )


def owned_node(subentry_id: str, title: str, work: OwnedWork) -> Node:
    """Return the node of a work of a collection."""
    return Node(
        id=node_id(NodeKind.OWNED, subentry_id, work.id),
        kind=NodeKind.OWNED,
        title=work.token.name,
        artist=work.artist,
        picture=work.token.thumbnail,
        can_play=work.token.source is not None,
        subtitle=title,
        medium=CATALOG_MEDIA[work.medium],
    )


def owned_nodes(
    subentry_id: str, title: str, works: Sequence[OwnedWork]
) -> LazyNodes[OwnedWork]:
    """Return the nodes of works."""
    return LazyNodes(works, partial(owned_node, subentry_id, title))


def newest_first(works: Iterable[OwnedWork]) -> tuple[OwnedWork, ...]:
    """Return works with those that came last first, and those without a time at the end."""

    def age(work: OwnedWork) -> float:
        """Return the sort key of a work."""
        held_since = work.token.held_since
        return -held_since.timestamp() if held_since else inf

    return tuple(sorted(works, key=age))


def group_node(
    kind: str, keys: tuple[str, ...], title: str, works: Sequence[OwnedWork]
) -> Node:
    """Return the node of some or all works of a collection."""
    first = next((work.token.thumbnail for work in works if work.token.thumbnail), None)
    return Node(
        id=node_id(kind, *keys),
        kind=kind,
        title=title,
        picture=first,
        can_play=any(work.token.source for work in works),
        can_expand=True,
        works=len(works),
    )
