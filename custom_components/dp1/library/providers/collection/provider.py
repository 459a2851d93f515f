"""The collections of a library as a provider: the works that addresses hold."""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from enum import StrEnum
from functools import partial
from pathlib import PurePosixPath
from typing import Any, Final, override
from urllib.parse import urlsplit
from uuid import uuid5

from ....client.display.player_status import PlaylistItem
from ....client.errors import Dp1Error, NotFoundError, NotHeldError, NothingHeldError
from ....client.indexer.tokens import Token, build_items, data_type, provenance
from ....client.playlist.document import timestamp
from ....client.playlist.manifest import MAX_NOTE, Work
from ....client.text import clean, shorten
from ....const import SUBENTRY_COLLECTION
from ...news import async_tell
from ...node import MAX_CREDIT, WORK_IDS, Children, LazyNodes, Node, NodeKind, node_id
from ...server import CachedList
from ...text_index import line
from ..provider import (
    BuiltPlaylist,
    Context,
    Lines,
    Names,
    Source,
    SubentryProvider,
    source_of,
)
from .coordinator import CollectionCoordinator

MOVING_SUFFIXES: Final = (".gif", ".m3u8", ".mov", ".mp4", ".webm")
STILL_SUFFIXES: Final = (".avif", ".jpeg", ".jpg", ".png", ".svg", ".webp")
ARTISTS: Final = "artists"
# Every status of the display carries the whole list.
MAX_OWNED: Final = 200


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
PART_TITLES: Final = {
    ARTISTS: "Artists",
    Medium.STILL: "Still",
    Medium.MOVING: "Moving",
    Medium.INTERACTIVE: "Interactive",
}


@dataclass(slots=True)
class _View:
    """The works of a collection by what they are found by."""

    records: Sequence[Token] = ()
    by_id: dict[str, Token] = field(default_factory=dict)
    by_artist: dict[str, list[Token]] = field(default_factory=dict)
    by_medium: dict[str, list[Token]] = field(default_factory=dict)
    groups: tuple[Node, ...] = ()

    @classmethod
    def of(cls, records: Sequence[Token]) -> _View:
        """Return the view of works, which are the newest first."""
        view = cls(records)
        for work in records:
            view.by_id[work.item_id] = work
            view.by_medium.setdefault(medium_of(work), []).append(work)
            for artist in work.artists:
                view.by_artist.setdefault(artist, []).append(work)
        return view

    def works(self, kind: str, key: str) -> list[Token]:
        """Return the works of an artist or a medium, or the work with an id."""
        match kind:
            case NodeKind.OWNED:
                return [self.by_id[key]] if key in self.by_id else []
            case NodeKind.COLLECTION_ARTIST:
                return self.by_artist.get(key, [])
        return self.by_medium.get(key, [])


class Collections(SubentryProvider[CollectionCoordinator]):
    """The collections of a library; without an indexer they are empty."""

    # The first key of each is that of the collection.
    kinds = {
        NodeKind.COLLECTION: 1,
        NodeKind.COLLECTION_PART: 2,
        NodeKind.COLLECTION_ARTIST: 2,
        NodeKind.OWNED: 2,
    }
    server = "indexer"
    missing = NotHeldError

    def __init__(self, context: Context) -> None:
        """Initialize the collections of a config entry."""
        url = context.preferences.indexer_url or None
        super().__init__(
            context,
            SUBENTRY_COLLECTION,
            lambda subentry: CollectionCoordinator(
                context.hass, context.entry, subentry, url, self._tell
            ),
        )
        self._views: dict[str, _View] = {}
        self.lines = [
            lines
            for collection in self.coordinators
            for lines in (self._lines_of(collection), self._groups_of(collection))
        ]

    def _tell(self, collection: CollectionCoordinator, kind: str, work: Token) -> None:
        """Tell of a work that came into a collection or left it."""
        node = _owned_node(collection, work)
        entry_id = self.context.entry.entry_id
        async_tell(self.hass, entry_id, kind, node, None, collection=collection.title)

    @override
    def roots(self) -> list[Node]:
        """Return the nodes of the collections."""
        return list(map(_collection_node, self.coordinators))

    @override
    def describe(self, item: PlaylistItem) -> Work | None:
        """Return what is known of a work by the id of its item."""
        for collection in self.coordinators:
            if work := self._view(collection).by_id.get(item.id or ""):
                return Work(
                    title=work.name,
                    artist=_artist_of(work),
                    picture=work.image or work.thumbnail,
                    medium=CATALOG_MEDIA[medium_of(work)],
                    note=clean(work.description, MAX_NOTE) or None,
                    provenance=provenance(work),
                    node_id=_owned_node(collection, work).id,
                )
        return None

    @override
    async def async_node(self, kind: str, *keys: str) -> Node:
        """Return a node of a collection, or raise NotFoundError or why it could not be read."""
        collection = self._of(keys[0])
        listed = await collection.async_list()
        if kind == NodeKind.COLLECTION:
            return _collection_node(collection)
        if keys[1] == ARTISTS and kind == NodeKind.COLLECTION_PART:
            return _artists_node(collection)
        if not (works := self._view(collection).works(kind, keys[1])):
            raise listed.reason or NotHeldError(f"no {kind} {keys[1]!r}")
        if kind == NodeKind.OWNED:
            return _owned_node(collection, works[0])
        return _group_node(collection, kind, keys[1], works)

    @override
    async def async_children(self, kind: str, *keys: str, limit: int) -> Children:
        """Return what is inside a node of a collection."""
        collection = self._of(keys[0])
        listed = await collection.async_list()
        view = self._view(collection)
        nodes: Sequence[Node]
        if kind == NodeKind.OWNED:
            raise NotFoundError("a work has nothing inside")
        if kind == NodeKind.COLLECTION:
            inside: Sequence[Node | Token] = (
                *self._folders(collection, view),
                *view.records,
            )
            nodes = LazyNodes(inside, partial(_node_inside, collection))
        elif kind == NodeKind.COLLECTION_PART and keys[1] == ARTISTS:
            nodes = view.groups[1:]
        else:
            works = view.works(kind, keys[1])
            nodes = LazyNodes(works, partial(_owned_node, collection))
        return Children(nodes, problem=_problem(listed), since=listed.read_at)

    @override
    async def async_build(
        self, kind: str, *keys: str, limit: int | None, record: Any = None
    ) -> BuiltPlaylist:
        """Build the playlist of works of a collection, the newest; its id stays the same."""
        collection = self._of(keys[0])
        problem = _problem(await collection.async_list())
        named, view = await self.async_node(kind, *keys), self._view(collection)
        works = (
            view.records if kind == NodeKind.COLLECTION else view.works(kind, keys[1])
        )
        playable = [work for work in works if work.source]
        if not playable:
            raise problem or NotFoundError(f"{named.title!r} has nothing to show")
        built = self.build_items(
            named.id,
            named.title,
            build_items(
                playable[: limit or MAX_OWNED], self.context.preferences.duration
            ),
            id=str(uuid5(WORK_IDS, named.id)),
            created=timestamp(collection.changed_at),
        )
        return replace(
            built,
            left_out=len(works) - len(playable),
            problem=problem,
            keep_current=collection.keep_current and kind != NodeKind.OWNED,
        )

    def _lines_of(self, collection: CollectionCoordinator) -> Lines[Token]:
        """Return the lines of the works of a collection."""
        return Lines(
            self.hass,
            lambda: collection.data.records,
            lambda work: line(work.name, *work.artists),
            lambda work, _: _owned_node(collection, work),
        )

    def _groups_of(self, collection: CollectionCoordinator) -> Lines[Node]:
        """Return the lines of a collection and its artists, who are found by their names but are no titles."""

        def names_of(node: Node, number: int, found: Node) -> Iterator[Names]:
            """Yield the title of the collection, or the name of an artist."""
            if node.kind == NodeKind.COLLECTION:
                yield node.title, "", ""
            else:
                yield "", node.title, ""

        return Lines(
            self.hass,
            lambda: self._view(collection).groups,
            lambda node: line(node.title),
            lambda node, _: node,
            names_of,
        )

    @override
    def sources(self) -> Sequence[Sequence[Source]]:
        """Return the collections."""
        return [(source_of(node),) for node in self.roots()]

    def _view(self, collection: CollectionCoordinator) -> _View:
        """Return the works of a collection by what they are found by; lists are never changed but replaced."""
        view, records = self._views.get(collection.subentry_id), collection.data.records
        if view is None or view.records is not records:
            view = self._views[collection.subentry_id] = _View.of(records)
            view.groups = (
                _collection_node(collection),
                *(
                    _group_node(collection, NodeKind.COLLECTION_ARTIST, artist, works)
                    for artist, works in view.by_artist.items()
                ),
            )
        return view

    def _folders(
        self, collection: CollectionCoordinator, view: _View
    ) -> Iterator[Node]:
        """Yield the folders within a collection; one with everything tells nothing."""
        if len(view.by_artist) > 1:
            yield _artists_node(collection)
        if len(view.by_medium) > 1:
            for medium in Medium:
                if works := view.by_medium.get(medium):
                    kind = NodeKind.COLLECTION_PART
                    yield _group_node(collection, kind, medium, works)


def medium_of(work: Token) -> Medium:
    """Return how a work behaves, as far as its address and type tell."""
    kind = data_type(work.source)
    path = "" if kind else urlsplit(work.source or "").path
    suffix, kind = PurePosixPath(path).suffix.lower(), kind or work.mime_type
    if suffix in MOVING_SUFFIXES or kind.startswith(("video/", "image/gif")):
        return Medium.MOVING
    if (
        work.source in (None, work.image)
        or suffix in STILL_SUFFIXES
        or kind.startswith("image/")
    ):
        return Medium.STILL
    return Medium.INTERACTIVE


def _artist_of(work: Token) -> str | None:
    """Return the artists of a work."""
    return shorten(", ".join(work.artists), MAX_CREDIT) or None


def _owned_node(collection: CollectionCoordinator, work: Token) -> Node:
    """Return the node of a work of a collection."""
    return Node(
        id=node_id(NodeKind.OWNED, collection.subentry_id, work.item_id),
        kind=NodeKind.OWNED,
        title=work.name,
        artist=_artist_of(work),
        picture=work.thumbnail,
        can_play=work.source is not None,
        subtitle=collection.title,
        medium=CATALOG_MEDIA[medium_of(work)],
    )


def _node_inside(collection: CollectionCoordinator, inside: Node | Token) -> Node:
    """Return the node of a folder or a work of a collection."""
    return inside if isinstance(inside, Node) else _owned_node(collection, inside)


def _artists_node(collection: CollectionCoordinator) -> Node:
    """Return the node of the artists of a collection."""
    return Node(
        id=node_id(NodeKind.COLLECTION_PART, collection.subentry_id, ARTISTS),
        kind=NodeKind.COLLECTION_PART,
        title=PART_TITLES[ARTISTS],
        subtitle=collection.title,
        can_expand=True,
    )


def _collection_node(collection: CollectionCoordinator) -> Node:
    """Return the node of a collection."""
    key, works = collection.subentry_id, collection.data.records
    return _node_of(NodeKind.COLLECTION, (key,), collection.title, works)


def _group_node(
    collection: CollectionCoordinator,
    kind: str,
    key: str,
    works: Sequence[Token],
) -> Node:
    """Return the node of the works of an artist or a medium."""
    title = PART_TITLES[key] if kind == NodeKind.COLLECTION_PART else key
    return _node_of(kind, (collection.subentry_id, key), title, works)


def _node_of(
    kind: str, keys: Iterable[str], title: str, works: Sequence[Token]
) -> Node:
    """Return the node of some or all works of a collection."""
    return Node(
        id=node_id(kind, *keys),
        kind=kind,
        title=title,
        picture=next((work.thumbnail for work in works if work.thumbnail), None),
        can_play=any(work.source for work in works),
        can_expand=True,
        works=len(works),
    )


def _problem(listed: CachedList[Token]) -> Dp1Error | None:
    """Return why works are missing: nothing tells an unknown address from one that holds nothing."""
    if listed.reason is None and not listed.records:
        return NothingHeldError("nothing is known of the addresses")
    return listed.reason
