"""Favorites of a library, stored with enough to show and play them without the servers."""

from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from typing import Any, override

from homeassistant.core import HomeAssistant, callback

from ...client.catalog.artwork import CAP
from ...client.errors import NotFoundError
from ...client.playlist.manifest import MAX_NOTE
from ...client.playlist.playlist import Playlist
from ...client.text import MAX_TITLE, one_line
from ...client.values import mapping
from ...language import async_text
from ...storage import SafeStore, record_from_json, record_to_json
from ..node import FOLDER_TITLES, WORKS, Children, Node, NodeKind
from ..search import lines_of_nodes
from .pictures import async_item, media_of
from .provider import Context, Provider, Source, source_of

SAVE_SECONDS = 1.0
KINDS = frozenset(
    (*WORKS, NodeKind.EXHIBITION, NodeKind.SERIES, NodeKind.PLAYLIST, NodeKind.PICTURE)
)

# Of a work, where a node had them before.
TEXTS = {**dict.fromkeys(("title", "artist", "medium"), MAX_TITLE), "note": MAX_NOTE}

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
    """Return the stored favorites that make sense, or raise whatever if none can be read."""
    if not isinstance(favorites := stored["favorites"], list):
        raise TypeError(type(favorites).__name__)
    found = map(_parse_favorite, favorites)
    return [
        replace(favorite, node=_bounded(favorite.node))
        for favorite in found
        if favorite and favorite.node.kind in KINDS
    ]


def _parse_favorite(stored: Any) -> Favorite | None:
    """Return a stored favorite, None if it makes no sense; before there were works, a node had their fields."""
    node = mapping(mapping(stored).get("node"))
    if "work" not in node:
        stored = {**mapping(stored), "node": {**node, "work": node}}
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


class Favorites(Provider):
    """The favorites of a library, the newest first, and a folder of the pictures among them."""

    kinds = {NodeKind.FAVORITES: 0, NodeKind.PICTURES: 0}

    def __init__(self, context: Context) -> None:
        """Initialize without favorites."""
        super().__init__(context)
        self._store = store_of(self.hass, context.entry.entry_id)
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
        kinds = [NodeKind.PICTURES] if self._pictures() else []
        return list(map(self._folder_of, [*kinds, NodeKind.FAVORITES]))

    def _pictures(self) -> list[Node]:
        """Return the pictures of Home Assistant that are kept, the newest first."""
        return [node for node in self.nodes() if node.kind == NodeKind.PICTURE]

    def _folder_of(self, kind: str) -> Node:
        """Return a folder; single works in it can be played together."""
        if kind == NodeKind.PICTURES:
            return self._folder(NodeKind.PICTURES, self._pictures(), can_play=True)
        can_play = bool(self.items())
        return self._folder(NodeKind.FAVORITES, self.nodes(), can_play=can_play)

    @override
    async def async_node(self, kind: str, *keys: str) -> Node:
        """Return a folder."""
        return self._folder_of(kind)

    @override
    async def async_children(self, kind: str, *keys: str, limit: int) -> Children:
        """Return what is in a folder."""
        return Children(self._pictures() if kind == NodeKind.PICTURES else self.nodes())

    @override
    async def async_build(
        self, kind: str, *keys: str, limit: int | None, record: Any = None
    ) -> Playlist:
        """Build the playlist of all single works among the favorites, or of all pictures that Home Assistant still has."""
        items, most = self.items(), limit or CAP
        if kind == NodeKind.PICTURES:
            items = []
            for node in self._pictures()[:most]:
                with suppress(NotFoundError):
                    key = media_of(node.id)
                    items.append(await async_item(self.hass, node.title, key))
            if not items:
                raise NotFoundError("no picture is kept")
        if not items:
            raise NoWorkError
        title = async_text(self.hass, f"config_panel.browser.{kind}")
        return self.build_items(kind, title, items[:most])

    def build_kept(self, node_id: str) -> Playlist | None:
        """Build the playlist of a single work from what was kept of it."""
        favorite = self._favorites.get(node_id)
        if favorite is None or favorite.item is None:
            return None
        return self.build_items(node_id, favorite.node.title, [favorite.item])

    @override
    def sources(self) -> Sequence[Sequence[Source]]:
        """Return all pictures as one, and the favorites if they are wanted."""
        pictures, favorites = NodeKind.PICTURES, self.nodes()
        wanted = "favorites" in self.context.preferences.sources
        return [
            [Source(pictures.value, FOLDER_TITLES[pictures])]
            if self._pictures()
            else [],
            [source_of(node) for node in favorites] if wanted else [],
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
            favorite.item
            for favorite in reversed(self._favorites.values())
            if favorite.item
        ]

    def get(self, node_id: str) -> Favorite | None:
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
        """Update a node that is a favorite."""
        favorite = self._favorites[node.id]
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
        self.context.async_update()

    def _to_store(self) -> Json:
        """Return the favorites as plain JSON, the oldest first."""
        return {"favorites": list(map(record_to_json, self._favorites.values()))}


def store_of(hass: HomeAssistant, entry_id: str) -> SafeStore[list[Favorite]]:
    """Return the file of the favorites of a library."""
    return SafeStore(hass, f"favorites.{entry_id}", _parse_stored)
