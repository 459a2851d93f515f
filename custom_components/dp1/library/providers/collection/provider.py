"""The collections of a library as a provider: the works that addresses hold."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, Final, override
from uuid import uuid5

from ....client.display.player_status import PlaylistItem
from ....client.errors import Dp1Error, NotFoundError, NotHeldError, NothingHeldError
from ....client.indexer.tokens import build_items
from ....client.playlist.document import timestamp
from ....client.playlist.manifest import Work
from ....const import SUBENTRY_COLLECTION
from ...node import WORK_IDS, Children, LazyNodes, Node, NodeKind, node_id
from ...server import CachedList
from ...text_index import line
from ..provider import BuiltPlaylist, Context, Lines, Names, Provider, Source, source_of
from .coordinator import CollectionCoordinator
from .records import Medium, OwnedWork, group_node, owned_node, owned_nodes

ARTISTS: Final = "artists"
PART_TITLES: Final = {
    ARTISTS: "Artists",
    Medium.STILL: "Still",
    Medium.MOVING: "Moving",
    Medium.INTERACTIVE: "Interactive",
}
# Every status of the display carries the whole list.
MAX_OWNED: Final = 200


@dataclass(slots=True)
class _View:
    """The works of a collection by what they are found by."""

    records: Sequence[OwnedWork] = ()
    by_id: dict[str, OwnedWork] = field(default_factory=dict)
    by_artist: dict[str, list[OwnedWork]] = field(default_factory=dict)
    by_medium: dict[str, list[OwnedWork]] = field(default_factory=dict)
    groups: tuple[Node, ...] = ()

    @classmethod
    def of(cls, records: Sequence[OwnedWork]) -> _View:
        """Return the view of works, which are the newest first."""
        view = cls(records)
        for work in records:
            view.by_id[work.id] = work
            view.by_medium.setdefault(work.medium, []).append(work)
            for artist in work.token.artists:
                view.by_artist.setdefault(artist, []).append(work)
        return view


class Collections(Provider):
    """The collections of a library; without an indexer they are empty."""

    # The first key of each is that of the collection.
    kinds = {
        NodeKind.COLLECTION: 1,
        NodeKind.COLLECTION_PART: 2,
        NodeKind.COLLECTION_ARTIST: 2,
        NodeKind.OWNED: 2,
    }
    server = "indexer"
    starts_late = True

    def __init__(self, context: Context) -> None:
        """Initialize the collections of a config entry."""
        super().__init__(context)
        url = context.preferences.indexer_url or None
        self._by_id = {
            subentry.subentry_id: CollectionCoordinator(
                self.hass, context.entry, subentry, url
            )
            for subentry in context.entry.subentries.values()
            if subentry.subentry_type == SUBENTRY_COLLECTION
        }
        self.coordinators = tuple(self._by_id.values())
        self._views: dict[str, _View] = {}
        self.lines = [
            lines
            for collection in self
            for lines in (self._lines_of(collection), self._groups_of(collection))
        ]

    def __iter__(self) -> Iterator[CollectionCoordinator]:
        """Iterate over the collections."""
        return iter(self._by_id.values())

    def __bool__(self) -> bool:
        """Return whether there is a collection."""
        return bool(self._by_id)

    @override
    def roots(self) -> list[Node]:
        """Return the nodes of the collections."""
        return [self._node(collection) for collection in self]

    @override
    def describe(self, item: PlaylistItem) -> Work | None:
        """Return what is known of a work by the id of its item."""
        for collection in self:
            if found := self._view(collection).by_id.get(item.id or ""):
                return found.work(collection.subentry_id)
        return None

    @override
    async def async_node(self, kind: str, *keys: str) -> Node:
        """Return a node of a collection, or raise NotFoundError or why it could not be read."""
        collection = self._collection(keys[0])
        listed = await collection.async_list()
        view = self._view(collection)
        match kind:
            case NodeKind.COLLECTION:
                return self._node(collection)
            case NodeKind.OWNED:
                if work := view.by_id.get(keys[1]):
                    return owned_node(keys[0], collection.title, work)
            case NodeKind.COLLECTION_PART if keys[1] == ARTISTS:
                return _folder(collection)
            case _:
                if works := self._group(view, kind, keys[1]):
                    return _group_node(collection, kind, keys[1], works)
        raise listed.reason or NotHeldError(f"no {kind} {keys[1]!r}")

    @override
    async def async_children(self, kind: str, *keys: str, limit: int) -> Children:
        """Return what is inside a node of a collection."""
        collection = self._collection(keys[0])
        listed = await collection.async_list()
        view, problem = self._view(collection), _problem(listed)
        if kind == NodeKind.OWNED:
            raise NotFoundError("a work has nothing inside")
        if kind == NodeKind.COLLECTION_PART and keys[1] == ARTISTS:
            return Children(view.groups[1:], problem=problem, since=listed.read_at)
        if kind != NodeKind.COLLECTION:
            works = self._group(view, kind, keys[1])
            nodes = owned_nodes(keys[0], collection.title, works)
            return Children(nodes, problem=problem, since=listed.read_at)

        def make(record: Node | OwnedWork) -> Node:
            """Return the node of a folder or work."""
            if isinstance(record, Node):
                return record
            return owned_node(keys[0], collection.title, record)

        inside: Sequence[Node | OwnedWork] = (
            *self._folders(collection, view),
            *view.records,
        )
        return Children(LazyNodes(inside, make), problem=problem, since=listed.read_at)

    @override
    async def async_build(
        self, kind: str, *keys: str, limit: int | None, record: Any = None
    ) -> BuiltPlaylist:
        """Build the playlist of works of a collection, the newest; its id stays the same."""
        collection = self._collection(keys[0])
        listed = await collection.async_list()
        view, problem = self._view(collection), _problem(listed)
        named = await self.async_node(kind, *keys)
        works: Sequence[OwnedWork] = view.records
        if kind == NodeKind.OWNED:
            works = [view.by_id[keys[1]]]
        elif kind != NodeKind.COLLECTION:
            works = self._group(view, kind, keys[1])
        playable = [work.token for work in works if work.token.source]
        if not playable:
            raise problem or NotFoundError(f"{named.title!r} has nothing to show")
        node = node_id(kind, *keys)
        built = self.build_items(
            node,
            named.title,
            build_items(
                playable[: limit or MAX_OWNED], self.context.preferences.duration
            ),
            id=str(uuid5(WORK_IDS, node)),
            created=timestamp(collection.changed_at),
        )
        return replace(
            built,
            left_out=len(works) - len(playable),
            problem=problem,
            keep_current=collection.keep_current and kind != NodeKind.OWNED,
        )

    def _lines_of(self, collection: CollectionCoordinator) -> Lines[OwnedWork]:
        """Return the lines of the works of a collection."""
        return Lines(
            self.hass,
            lambda: collection.data.records,
            lambda work: line(work.token.name, *work.token.artists),
            lambda work, _: owned_node(collection.subentry_id, collection.title, work),
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

    def _collection(self, key: str) -> CollectionCoordinator:
        """Return a collection by the id of its subentry."""
        if (found := self._by_id.get(key)) is None:
            raise NotHeldError(f"no collection {key!r}")
        return found

    def _view(self, collection: CollectionCoordinator) -> _View:
        """Return the works of a collection by what they are found by; lists are never changed but replaced."""
        view, records = self._views.get(collection.subentry_id), collection.data.records
        if view is None or view.records is not records:
            view = self._views[collection.subentry_id] = _View.of(records)
            view.groups = (
                self._node(collection),
                *(
                    _group_node(collection, NodeKind.COLLECTION_ARTIST, artist, works)
                    for artist, works in view.by_artist.items()
                ),
            )
        return view

    def _node(self, collection: CollectionCoordinator) -> Node:
        """Return the node of a collection."""
        key = (collection.subentry_id,)
        return group_node(
            NodeKind.COLLECTION, key, collection.title, collection.data.records
        )

    def _folders(
        self, collection: CollectionCoordinator, view: _View
    ) -> Iterator[Node]:
        """Yield the folders within a collection; one with everything tells nothing."""
        if len(view.by_artist) > 1:
            yield _folder(collection)
        if len(view.by_medium) > 1:
            for medium in Medium:
                if works := view.by_medium.get(medium):
                    kind = NodeKind.COLLECTION_PART
                    yield _group_node(collection, kind, medium, works)

    def _group(self, view: _View, kind: str, key: str) -> list[OwnedWork]:
        """Return the works of an artist or a kind."""
        groups = (
            view.by_artist if kind == NodeKind.COLLECTION_ARTIST else view.by_medium
        )
        return groups.get(key, [])


def _folder(collection: CollectionCoordinator) -> Node:
    """Return the node of the artists of a collection."""
    return Node(
        id=node_id(NodeKind.COLLECTION_PART, collection.subentry_id, ARTISTS),
        kind=NodeKind.COLLECTION_PART,
        title=PART_TITLES[ARTISTS],
        subtitle=collection.title,
        can_expand=True,
    )


def _group_node(
    collection: CollectionCoordinator,
    kind: str,
    key: str,
    works: Sequence[OwnedWork],
) -> Node:
    """Return the node of the works of an artist or a kind."""
    title = PART_TITLES[key] if kind == NodeKind.COLLECTION_PART else key
    return group_node(kind, (collection.subentry_id, key), title, works)


def _problem(listed: CachedList[OwnedWork]) -> Dp1Error | None:
    """Return why works are missing: nothing tells an unknown address from one that holds nothing."""
    if listed.reason is None and not listed.records:
        return NothingHeldError("nothing is known of the addresses")
    return listed.reason
