"""The collections of a library as nodes of its tree."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any, Final

from homeassistant.config_entries import ConfigEntry
from homeassistant.core import HomeAssistant

from ...client.errors import Dp1Error, NotFoundError, NotHeldError, NothingHeldError
from ...const import SUBENTRY_COLLECTION
from ..matching.fuzzy import Heard
from ..matching.list_index import ListIndex
from ..matching.text_index import TextIndex, Words, line
from ..servers.cached_list import CachedList
from ..tree import Children, LazyNodes, Node, NodeKind, node_id
from ..works import Work
from .coordinator import CollectionCoordinator
from .works import Medium, OwnedWork, group_node, owned_node, owned_nodes

ARTISTS: Final = "artists"
PART_TITLES: Final = {
    ARTISTS: "Artists",
    Medium.STILL: "Still",
    Medium.MOVING: "Moving",
    Medium.INTERACTIVE: "Interactive",
}
COLLECTION_NODES: Final = (
    NodeKind.COLLECTION,
    NodeKind.COLLECTION_PART,
    NodeKind.COLLECTION_ARTIST,
    NodeKind.OWNED,
)
MAX_LINES: Final = 100
# What a search finds: how well the title and the artist of a node fit.
type Found = tuple[str, str, Node]


@dataclass(frozen=True, slots=True)
class OwnedWorks:
    """Works to show together, and when the collection changed last."""

    title: str
    works: Sequence[OwnedWork]
    changed_at: datetime
    problem: Dp1Error | None = None
    keep_current: bool = False


@dataclass(slots=True)
class _View:
    """The works of a collection by what they are found by."""

    records: Sequence[OwnedWork] = ()
    by_id: dict[str, OwnedWork] = field(default_factory=dict)
    by_artist: dict[str, list[OwnedWork]] = field(default_factory=dict)
    by_medium: dict[str, list[OwnedWork]] = field(default_factory=dict)

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


class Collections:
    """The collections of a library."""

    def __init__(
        self,
        hass: HomeAssistant,
        entry: ConfigEntry[Any],
        url: str,
    ) -> None:
        """Initialize the collections of a config entry; without an indexer they are empty."""
        self._by_id = {
            subentry.subentry_id: CollectionCoordinator(
                hass, entry, subentry, url or None
            )
            for subentry in entry.subentries.values()
            if subentry.subentry_type == SUBENTRY_COLLECTION
        }
        self._views: dict[str, _View] = {}
        self._hass = hass
        self._indexes = {key: ListIndex(hass, _text_of) for key in self._by_id}

    def __iter__(self) -> Iterator[CollectionCoordinator]:
        """Iterate over the collections."""
        return iter(self._by_id.values())

    def __bool__(self) -> bool:
        """Return whether there is a collection."""
        return bool(self._by_id)

    def nodes(self) -> list[Node]:
        """Return the nodes of the collections."""
        return [self._node(collection) for collection in self]

    def work(self, item_id: str | None) -> Work | None:
        """Return the metadata of a work by the id of its item."""
        for collection in self:
            if found := self._view(collection).by_id.get(item_id or ""):
                return found.work(collection.subentry_id)
        return None

    async def async_node(self, kind: NodeKind, keys: list[str]) -> Node:
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

    async def async_children(self, kind: NodeKind, keys: list[str]) -> Children:
        """Return what is inside a node of a collection."""
        collection = self._collection(keys[0])
        listed = await collection.async_list()
        view, problem = self._view(collection), _problem(listed)
        if kind is NodeKind.OWNED:
            raise NotFoundError("a work has nothing inside")
        if kind is NodeKind.COLLECTION_PART and keys[1] == ARTISTS:
            nodes: Sequence[Node] = [
                _group_node(collection, NodeKind.COLLECTION_ARTIST, artist, works)
                for artist, works in view.by_artist.items()
            ]
            return Children(nodes, problem=problem, since=listed.read_at)
        if kind is not NodeKind.COLLECTION:
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

    async def async_works(self, kind: NodeKind, keys: list[str]) -> OwnedWorks:
        """Return the works of a node to show, or raise why there are none."""
        collection = self._collection(keys[0])
        listed = await collection.async_list()
        view, problem = self._view(collection), _problem(listed)
        node = await self.async_node(kind, keys)
        match kind:
            case NodeKind.COLLECTION:
                works: Sequence[OwnedWork] = view.records
            case NodeKind.OWNED:
                works = [view.by_id[keys[1]]]
            case _:
                works = self._group(view, kind, keys[1])
        if not any(work.token.source for work in works):
            raise problem or NotFoundError(f"{node.title!r} has nothing to show")
        return OwnedWorks(
            node.title,
            works,
            collection.changed_at,
            problem,
            collection.keep_current and kind is not NodeKind.OWNED,
        )

    async def async_search(self, words: Words) -> list[Found]:
        """Return nodes that may fit words, with the title and the artist by which they are found."""
        found: list[Found] = []
        for collection in self:
            found.append((collection.title, "", self._node(collection)))
            for artist, works in self._view(collection).by_artist.items():
                kind = NodeKind.COLLECTION_ARTIST
                # The artist is found by name, but is not a title.
                found.append(("", artist, _group_node(collection, kind, artist, works)))
            index = await self._async_index(collection)
            found += [
                (
                    work.token.name,
                    work.artist or "",
                    owned_node(collection.subentry_id, collection.title, work),
                )
                for work, _ in index.find(words, MAX_LINES)
            ]
        return found

    async def async_find_alike(
        self, heard: Heard, least: float
    ) -> list[tuple[float, Node]]:
        """Return works that may have been misheard, with how well they fit."""
        found: list[tuple[float, Node]] = []
        for collection in self:
            index = await self._async_index(collection)
            hits = await self._hass.async_add_executor_job(
                index.find_alike, heard, least
            )
            found += [
                (fit, owned_node(collection.subentry_id, collection.title, work))
                for fit, work, _ in hits
            ]
        return found

    async def _async_index(
        self, collection: CollectionCoordinator
    ) -> TextIndex[OwnedWork]:
        """Return the index of the works of a collection."""
        index = self._indexes[collection.subentry_id]
        return await index.async_of(collection.data.records)

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

    def _group(self, view: _View, kind: NodeKind, key: str) -> list[OwnedWork]:
        """Return the works of an artist or a kind."""
        groups = (
            view.by_artist if kind is NodeKind.COLLECTION_ARTIST else view.by_medium
        )
        return groups.get(key, [])


def _text_of(work: OwnedWork) -> str:
    """Return the line of a work in the index."""
    return line(work.token.name, *work.token.artists)


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
    kind: NodeKind,
    key: str,
    works: Sequence[OwnedWork],
) -> Node:
    """Return the node of the works of an artist or a kind."""
    title = PART_TITLES[key] if kind is NodeKind.COLLECTION_PART else key
    return group_node(kind, (collection.subentry_id, key), title, works)


def _problem(listed: CachedList[OwnedWork]) -> Dp1Error | None:
    """Return why works are missing: nothing tells an unknown address from one that holds nothing."""
    if listed.reason is None and not listed.records:
        return NothingHeldError("nothing is known of the addresses")
    return listed.reason
