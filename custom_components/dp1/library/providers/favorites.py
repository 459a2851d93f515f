"""Favorites of a library, stored with enough to show and play them without the servers."""

from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from typing import Any, override

from homeassistant.config_entries import ConfigEntry
from homeassistant.core import CALLBACK_TYPE, HomeAssistant, callback

from ...client.catalog.artwork import CAP
from ...client.errors import NotFoundError
from ...client.playlist.manifest import MAX_NOTE
from ...client.playlist.playlist import Playlist
from ...client.text import MAX_TITLE, one_line
from ...client.values import mapping
from ...language import async_text
from ...storage import PartlyReadError, SafeStore, record_from_json, record_to_json
from ..node import FOLDER_TITLES, WORKS, Children, Node, NodeKind
from ..search import lines_of_nodes
from ..work import labeled
from .pictures import async_item, media_of
from .provider import NodeRef, Provider, Source, source_of

SAVE_SECONDS = 1.0
KINDS = frozenset(
    (*WORKS, NodeKind.EXHIBITION, NodeKind.SERIES, NodeKind.PLAYLIST, NodeKind.PICTURE)
)

# Of a work, where a node had them before.
TEXTS = {**dict.fromkeys(("title", "medium"), MAX_TITLE), "note": MAX_NOTE}

type Json = dict[str, Any]


class NoWorkError(NotFoundError):
    """No single work is among the favorites."""

    translation_key = "favorites_without_works"


@dataclass(frozen=True, slots=True)
class Favorite:
    """A node as it was when it was added, and the playlist item of a single work."""

    node: Node
    item: Json | None = None


def _parse_stored(stored: Any) -> list[Favorite]:
    """Return the stored favorites, or raise PartlyReadError with those that make sense, or any error if none can be read."""
    if not isinstance(favorites := stored["favorites"], list):
        raise TypeError(type(favorites).__name__)
    kept = [
        replace(favorite, node=_bounded(favorite.node))
        for favorite in map(_parse_favorite, favorites)
        if favorite and favorite.node.kind in KINDS
    ]
    if len(kept) < len(favorites):
        raise PartlyReadError(kept)
    return kept


def _parse_favorite(stored: Any) -> Favorite | None:
    """Return a stored favorite, None if it makes no sense; before there were works, a node had their fields, and a work one artist."""
    node = mapping(mapping(stored).get("node"))
    work = mapping(node.get("work", node))
    if artist := work.get("artist"):
        work = {**work, "artists": [{"name": artist}]}
    stored = {**mapping(stored), "node": {**node, "work": work}}
    return record_from_json(Favorite, stored)


def _bounded(node: Node) -> Node:
    """Return a node that another version may have stored with texts of any length."""
    texts: dict[str, Any] = {
        name: one_line(text, limit)
        for name, limit in TEXTS.items()
        if (text := getattr(node.work, name))
    }
    subtitle = one_line(node.subtitle or "", MAX_TITLE) or None
    return replace(node, work=replace(node.work, **texts), subtitle=subtitle)


class _Folder(NodeRef["Favorites"]):
    """The folder of the favorites."""

    size = 0

    @override
    async def node(self) -> Node:
        """Return the folder."""
        return self.provider.folder(self.kind)

    @override
    async def children(self, limit: int) -> Children:
        """Return the favorites."""
        return Children(self.provider.nodes())

    async def _async_items(self, limit: int) -> list[Json]:
        """Return the items of the single works."""
        if not (items := self.provider.items()):
            raise NoWorkError
        return items[:limit]

    @override
    async def build(self, limit: int | None = None) -> Playlist:
        """Build the playlist of all single works."""
        items = await self._async_items(limit or CAP)
        title = async_text(self.provider.hass, f"config_panel.browser.{self.kind}")
        return self.provider.build_items(self.id, title, items)


class _Pictures(_Folder):
    """The folder of the pictures among the favorites."""

    @override
    async def children(self, limit: int) -> Children:
        """Return the pictures."""
        return Children(self.provider.pictures())

    @override
    async def _async_items(self, limit: int) -> list[Json]:
        """Return the items of the pictures that Home Assistant still has."""
        items, duration = [], self.provider.preferences.duration
        for node in self.provider.pictures()[:limit]:
            with suppress(NotFoundError):
                key = media_of(node.id)
                items.append(
                    await async_item(self.provider.hass, node.title, key, duration)
                )
        if not items:
            raise NotFoundError("no picture is kept")
        return items


class Favorites(Provider):
    """The favorites of a library, the newest first, and a folder of the pictures among them."""

    kinds = {NodeKind.FAVORITES: _Folder, NodeKind.PICTURES: _Pictures}
    is_personal = True

    def __init__(
        self, hass: HomeAssistant, entry: ConfigEntry[Any], on_change: CALLBACK_TYPE
    ) -> None:
        """Initialize without favorites."""
        super().__init__(hass, entry, on_change)
        self._store = store_of(hass, entry.entry_id)
        self._favorites: dict[str, Favorite] = {}
        self._nodes: tuple[Node, ...] | None = None
        self.lines = (lines_of_nodes(self.hass, self.nodes),)

    def nodes(self) -> tuple[Node, ...]:
        """Return the nodes, the newest first; the same tuple until there are others."""
        if self._nodes is None:
            favorites = reversed(self._favorites.values())
            self._nodes = tuple(favorite.node for favorite in favorites)
        return self._nodes

    @override
    def roots(self) -> list[Node]:
        """Return the folder of the pictures, once there is something in it, and that of the favorites."""
        kinds = [NodeKind.PICTURES] if self.pictures() else []
        return list(map(self.folder, [*kinds, NodeKind.FAVORITES]))

    def pictures(self) -> list[Node]:
        """Return the pictures of Home Assistant that are kept, the newest first."""
        return [node for node in self.nodes() if node.kind == NodeKind.PICTURE]

    def folder(self, kind: str) -> Node:
        """Return a folder; single works in it can be played together."""
        if kind == NodeKind.PICTURES:
            return self._folder(NodeKind.PICTURES, self.pictures(), can_play=True)
        can_play = bool(self.items())
        return self._folder(NodeKind.FAVORITES, self.nodes(), can_play=can_play)

    def build_kept(self, node_id: str) -> Playlist | None:
        """Build the playlist of a single work from its kept item."""
        favorite = self._favorites.get(node_id)
        if favorite is None or favorite.item is None:
            return None
        return self.build_items(
            node_id, favorite.node.title, [labeled(favorite.item, favorite.node.work)]
        )

    @override
    def sources(self) -> Sequence[Sequence[Source]]:
        """Return all pictures as one, and the favorites if they are wanted."""
        pictures, favorites = NodeKind.PICTURES, self.nodes()
        lists_them = "favorites" in self.preferences.sources
        return [
            [Source(pictures.value, FOLDER_TITLES[pictures])]
            if self.pictures()
            else [],
            [source_of(node) for node in favorites] if lists_them else [],
        ]

    @override
    async def async_load(self) -> None:
        """Load the stored favorites."""
        for favorite in await self._store.async_load_parsed() or ():
            self._favorites[favorite.node.id] = favorite
        self._nodes = None

    @override
    async def async_stop(self) -> None:
        """Save the favorites now."""
        await self._store.async_save(self._to_store())

    async def async_save_now(self) -> None:
        """Save the favorites, or raise HomeAssistantError if they are not on the disk."""
        await self._store.async_save_now(self._to_store())

    def items(self) -> list[Json]:
        """Return the playlist items of single works, the newest first."""
        return [
            labeled(favorite.item, favorite.node.work)
            for favorite in reversed(self._favorites.values())
            if favorite.item
        ]

    def favorite(self, node_id: str) -> Favorite | None:
        """Return a favorite."""
        return self._favorites.get(node_id)

    def is_favorite(self, node_id: str) -> bool:
        """Return if a node is a favorite."""
        return node_id in self._favorites

    @callback
    def async_add(self, node: Node, item: Json | None = None) -> None:
        """Add a node or move it to the front; raises ValueError for a folder."""
        if node.kind not in KINDS:
            raise ValueError("not a work or a playlist")
        self._favorites.pop(node.id, None)
        self._favorites[node.id] = Favorite(node, item)
        self._save_soon()

    @callback
    def async_update(self, node: Node) -> None:
        """Update a node if it is a favorite."""
        # It may have been removed while it was read.
        if (favorite := self._favorites.get(node.id)) is not None:
            self._favorites[node.id] = replace(favorite, node=node)
            self._save_soon()

    @callback
    def async_remove(self, node_id: str) -> None:
        """Remove a node if it is a favorite."""
        if self._favorites.pop(node_id, None):
            self._save_soon()

    def _save_soon(self) -> None:
        """Save a change and tell of it."""
        self._nodes = None
        self._store.async_delay_save(self._to_store, SAVE_SECONDS)
        self._on_change()

    def _to_store(self) -> Json:
        """Return the favorites as plain JSON, the oldest first."""
        return {"favorites": list(map(record_to_json, self._favorites.values()))}


def store_of(hass: HomeAssistant, entry_id: str) -> SafeStore[list[Favorite]]:
    """Return the file of the favorites of a library."""
    return SafeStore(hass, f"favorites.{entry_id}", _parse_stored)
