"""The collections of a library as a provider: their artists, media and works."""

from collections.abc import Iterator, Sequence
from dataclasses import replace
from functools import partial
from typing import Any, Final, override
from uuid import uuid5

from homeassistant.config_entries import ConfigEntry
from homeassistant.core import CALLBACK_TYPE, HomeAssistant

from ....client.display.player_status import PlaylistItem
from ....client.errors import Dp1Error, NotFoundError
from ....client.indexer.tokens import Token
from ....client.playlist.document import timestamp
from ....client.playlist.playlist import Playlist
from ....const import SUBENTRY_COLLECTION
from ...index import place_of
from ...item import WORK_IDS, Item
from ...listing import Lazy, Listing
from ...node import Inside, NodeKind, key_of, media_id, node_id, split_node_id
from ...search import Lines, line_of
from ..provider import Source, SubentryProvider, source_of
from .server import ARTISTS, MEDIA, CollectionServer, items_of

# Every status of the display carries the whole list.
MAX_OWNED: Final = 200


class Collections(SubentryProvider[CollectionServer]):
    """The collections of a library; without an indexer they are empty."""

    # The first key of each is that of the collection.
    kinds = (
        NodeKind.COLLECTION,
        NodeKind.COLLECTION_PART,
        NodeKind.COLLECTION_ARTIST,
        NodeKind.OWNED,
    )
    error_prefix = "indexer"
    is_personal = True
    surprise = "collections"
    missing = "not_in_collection"

    def __init__(
        self, hass: HomeAssistant, entry: ConfigEntry[Any], on_change: CALLBACK_TYPE
    ) -> None:
        """Initialize the collections of a config entry."""
        super().__init__(
            hass,
            entry,
            on_change,
            SUBENTRY_COLLECTION,
            partial(CollectionServer, hass, entry),
        )
        self.lines = [
            lines
            for collection in self.servers
            for lines in (self._lines_of(collection), self._groups_of(collection))
        ]

    @override
    async def async_node(self, node: str, patience: float) -> Item:
        """Return a collection, a folder in it, or a work."""
        collection = self.server(node)
        listed = await collection.async_list(patience)
        kind, (*_, key) = split_node_id(node)
        if (works := collection.works.get((kind, key))) is None:
            raise listed.missing or NotFoundError(
                f"no {kind} {key!r}", translation_key=self.missing
            )
        if kind == NodeKind.OWNED:
            return listed.item_of(works[0])
        return collection.folder(kind, key, works)

    @override
    async def async_pages(self, item: Item, limit: int) -> Inside:
        """Return the works, all artists, or of a collection its folders and then all works."""
        collection, place = self.server(item.id), (item.kind, key_of(item))
        listed = collection.list
        inside: Sequence[Item | Token] = collection.works.get(place, ())
        match item.kind:
            case NodeKind.OWNED:
                return await super().async_pages(item, limit)
            case NodeKind.COLLECTION:
                inside = [*_folders(collection), *listed.records]
            case NodeKind.COLLECTION_PART if place == ARTISTS:
                inside = collection.folders[1:]
        item_of = listed.item_of
        nodes = Lazy(inside, lambda it: it if isinstance(it, Item) else item_of(it))
        return Inside(nodes, problem=_problem(listed), since=listed.read_at)

    @override
    async def async_build(self, item: Item, limit: int | None) -> Playlist:
        """Build the playlist of the newest works; its id stays the same."""
        collection = self.server(item.id)
        works = collection.works.get((item.kind, key_of(item)), ())
        playable = [work for work in works if work.source]
        if not playable:
            raise _problem(collection.list) or NotFoundError(
                f"{item.title!r} has nothing to show"
            )
        built = self.build_items(
            item,
            items_of(
                map(collection.list.item_of, playable[: limit or MAX_OWNED]),
                self.preferences.duration,
                collection.changed_at,
            ),
            id=str(uuid5(WORK_IDS, item.id)),
            created=timestamp(collection.changed_at),
        )
        if not collection.keep_current or item.kind == NodeKind.OWNED:
            return built
        return replace(built, followed=media_id(self.entry.entry_id, item.id))

    @override
    def roots(self) -> list[Item]:
        """Return the nodes of the collections."""
        return [collection.folders[0] for collection in self.servers]

    @override
    def find(self, item: PlaylistItem) -> Item | None:
        """Return the work of an item by its id, if that is where the work is."""
        for collection in self.servers:
            tokens = collection.works.get((NodeKind.OWNED, item.id or ""))
            if tokens and place_of(tokens[0].source) == place_of(item.source):
                return collection.list.item_of(tokens[0])
        return None

    def _lines_of(self, collection: CollectionServer) -> Lines[Token]:
        """Return the lines of the works of a collection."""
        return Lines(
            self.hass,
            lambda: collection.list.records,
            lambda work: [line_of(work.name, ", ".join(work.artists))],
            lambda work, _: collection.list.item_of(work),
        )

    def _groups_of(self, collection: CollectionServer) -> Lines[Item]:
        """Return the lines of a collection and its artists, whose names are no titles."""

        def lines_of(node: Item) -> list[str]:
            """Return the line of the collection, or of an artist."""
            names = (
                [node.title] if node.kind == NodeKind.COLLECTION else ["", node.title]
            )
            return [line_of(*names)]

        return Lines(
            self.hass,
            lambda: collection.folders,
            lines_of,
            lambda node, _: node,
        )

    @override
    def sources(self) -> Sequence[Sequence[Source]]:
        """Return the collections."""
        return [(source_of(node),) for node in self.roots()]

    @override
    def surprises(self) -> Iterator[str]:
        """Yield the works that a display can load."""
        return (
            node_id(NodeKind.OWNED, each.subentry_id, work.item_id)
            for each in self.servers
            for work in each.list.records
            if work.source is not None
        )


def _folders(collection: CollectionServer) -> Iterator[Item]:
    """Yield the folders within a collection; one with everything tells nothing."""
    if len(collection.folders) > 2:
        yield collection.folder(*ARTISTS, ())
    kind = NodeKind.COLLECTION_PART
    media = [key for key in MEDIA if (kind, key) in collection.works]
    if len(media) > 1:
        for key in media:
            yield collection.folder(kind, key, collection.works[kind, key])


def _problem(listed: Listing[Token]) -> Dp1Error | None:
    """Return why works are missing: nothing tells an unknown address from one that holds nothing."""
    if listed.missing is None and not listed.records:
        return NotFoundError(
            "nothing is known of the addresses", translation_key="collection_empty"
        )
    return listed.missing
