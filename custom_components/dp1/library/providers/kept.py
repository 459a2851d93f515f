"""Nodes that a person has put aside in a library, stored with enough to show and play them without the servers."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, ClassVar, override

from homeassistant.config_entries import ConfigEntry
from homeassistant.core import CALLBACK_TYPE, HomeAssistant, callback

from ...client.catalog.artwork import CAP
from ...client.errors import NotFoundError
from ...client.playlist.playlist import Playlist
from ...language import async_text
from ...storage import PartlyReadError, SafeStore, record_from_json, record_to_json
from ..index import place_of_item
from ..item import Item, labeled
from ..node import WORKS, Inside, NodeKind
from .provider import Provider

SAVE_SECONDS = 1.0
# What can be kept; a folder of others is not one thing.
KINDS = frozenset(
    (
        *WORKS,
        NodeKind.EXHIBITION,
        NodeKind.SERIES,
        NodeKind.PLAYLIST,
        NodeKind.ALBUM,
        NodeKind.PICTURE,
    )
)

type Json = dict[str, Any]


@dataclass(frozen=True, slots=True)
class KeptNode:
    """A node as it was when it was added, and the playlist item of a single work."""

    node: Item
    item: Json | None = None


class Kept(Provider):
    """Nodes that were added by hand, the newest first.

    Attributes:
        name: of the file, and of the list in it.
        nothing: key of the text if no single work is kept.
    """

    name: ClassVar[str]
    nothing: ClassVar[str] = ""
    is_personal = True

    def __init__(
        self, hass: HomeAssistant, entry: ConfigEntry[Any], on_change: CALLBACK_TYPE
    ) -> None:
        """Initialize without nodes."""
        super().__init__(hass, entry, on_change)
        self._store = self.store_of(hass, entry.entry_id)
        self._kept: dict[str, KeptNode] = {}
        self._nodes: tuple[Item, ...] | None = None

    @classmethod
    def store_of(cls, hass: HomeAssistant, entry_id: str) -> SafeStore[list[KeptNode]]:
        """Return the file of a library."""
        return SafeStore(hass, f"{cls.name}.{entry_id}", cls._parse_stored)

    @classmethod
    def _parse_stored(cls, stored: Any) -> list[KeptNode]:
        """Return the stored nodes, or raise PartlyReadError with those that make sense, or any error if none can be read."""
        if not isinstance(nodes := stored[cls.name], list):
            raise TypeError(type(nodes).__name__)
        kept = [
            each
            for each in (record_from_json(KeptNode, node) for node in nodes)
            if each and each.node.kind in KINDS
        ]
        if len(kept) < len(nodes):
            raise PartlyReadError(kept)
        return kept

    def folder(self, kind: str) -> Item:
        """Return a folder."""
        raise NotImplementedError

    @override
    async def async_node(self, node: str, patience: float) -> Item:
        """Return a folder."""
        if node not in self.kinds:
            return await super().async_node(node, patience)
        return self.folder(node)

    @override
    async def async_pages(self, item: Item, limit: int) -> Inside:
        """Return the nodes in a folder."""
        return Inside(self.inside(item.kind))

    @override
    async def async_build(self, item: Item, limit: int | None) -> Playlist:
        """Build the playlist of all single works in a folder."""
        items = await self._async_items(item.kind, limit or CAP)
        title = async_text(self.hass, f"config_panel.browser.{item.kind}")
        return self.build_items(replace(item, title=title), items)

    def inside(self, kind: str) -> Sequence[Item]:
        """Return the nodes in a folder."""
        return self.nodes()

    async def _async_items(self, kind: str, limit: int) -> list[Json]:
        """Return the items of the single works in a folder, or raise NotFoundError."""
        if not (items := self.items()):
            raise NotFoundError("no single work is kept", translation_key=self.nothing)
        return items[:limit]

    def nodes(self) -> tuple[Item, ...]:
        """Return the nodes, the newest first; the same tuple until there are others."""
        if self._nodes is None:
            self._nodes = tuple(each.node for each in reversed(self._kept.values()))
        return self._nodes

    def items(self) -> list[Json]:
        """Return the playlist items of single works, the newest first."""
        return [
            labeled(each.item, each.node)
            for each in reversed(self._kept.values())
            if each.item
        ]

    def kept(self, node_id: str) -> KeptNode | None:
        """Return what is kept of a node."""
        return self._kept.get(of_photo(node_id))

    def has(self, node_id: str) -> bool:
        """Return whether a node is kept; a photo is in all albums, and alone."""
        return of_photo(node_id) in self._kept

    def of_work(self, item: Mapping[str, Any] | None) -> list[str]:
        """Return the ids under which the work of a playlist item is kept, wherever it is served."""
        place = place_of_item(item)
        return [
            node_id
            for node_id, each in self._kept.items()
            if place and place_of_item(each.item) == place
        ]

    def build_kept(self, node_id: str) -> Playlist | None:
        """Build the playlist of a single work from its kept item."""
        kept = self._kept.get(node_id)
        if kept is None or kept.item is None:
            return None
        return self.build_items(kept.node, [labeled(kept.item, kept.node)])

    @override
    async def async_load(self) -> None:
        """Load what is stored."""
        for kept in await self._store.async_load_parsed() or ():
            self._kept[kept.node.id] = kept
        self._forget_nodes()

    @override
    async def async_stop(self) -> None:
        """Save now."""
        await self._store.async_save(self._to_store())

    async def async_save_now(self) -> None:
        """Save, or raise HomeAssistantError if it is not on the disk."""
        await self._store.async_save_now(self._to_store())

    @callback
    def async_add(self, node: Item, item: Json | None = None) -> None:
        """Add a node or move it to the front; raises ValueError for a folder."""
        if (key := of_photo(node.id)) != node.id:
            node = replace(node, id=key, kind=NodeKind.PICTURE)
        if node.kind not in KINDS:
            raise ValueError("not a work or a playlist")
        self._kept.pop(node.id, None)
        self._kept[node.id] = KeptNode(node, item)
        self._save_soon()

    @callback
    def async_update(self, node: Item) -> None:
        """Update a node if it is kept."""
        # It may have been removed while it was read.
        if (kept := self._kept.get(node.id)) is not None:
            self._kept[node.id] = replace(kept, node=node)
            self._save_soon()

    @callback
    def async_remove(self, node_id: str) -> None:
        """Remove a node if it is kept."""
        if self._kept.pop(of_photo(node_id), None):
            self._save_soon()

    def _forget_nodes(self) -> None:
        """Forget what was made of the nodes, of which there are others."""
        self._nodes = None

    def _save_soon(self) -> None:
        """Save a change and tell of it."""
        self._forget_nodes()
        self._store.async_delay_save(self._to_store, SAVE_SECONDS)
        self._on_change()

    def _to_store(self) -> Json:
        """Return the nodes as plain JSON, the oldest first."""
        return {self.name: list(map(record_to_json, self._kept.values()))}


def of_photo(node_id: str) -> str:
    """Return the id of a photo of an album as the picture that it is, and any other as it is."""
    kind, _, keys = node_id.partition("/")
    picture = f"{NodeKind.PICTURE}/{keys.partition('/')[2]}"
    return picture if kind == NodeKind.PHOTO else node_id
