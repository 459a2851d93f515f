"""What a person likes: kept in Home Assistant, with enough of it to be shown and played without the servers."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from homeassistant.core import HomeAssistant, callback
from homeassistant.helpers.storage import Store

from ..client.errors import NotFoundError
from ..client.values import mapping, text, whole
from ..const import DOMAIN
from .tree import Node, NodeKind, split_node_id

VERSION = 1
SAVE_SECONDS = 1.0
# A playlist, or what one is made of.
KINDS = frozenset(
    {
        NodeKind.EXHIBITION,
        NodeKind.SERIES,
        NodeKind.ARTWORK,
        NodeKind.PLAYLIST,
        NodeKind.ITEM,
    }
)

type Json = dict[str, Any]


@dataclass(frozen=True, slots=True)
class Favorite:
    """Something a person likes.

    Attributes:
        node: as it was when it was added.
        item: of a single work: the item of a DP-1 playlist that shows it.
    """

    node: Node
    item: Json | None = None

    @classmethod
    def from_store(cls, data: object) -> Favorite | None:
        """Read what ``to_store`` wrote."""
        data = mapping(data)
        key, title = text(data.get("id")), text(data.get("title"))
        try:
            kind, _ = split_node_id(key or "")
        except NotFoundError:
            return None
        if not key or not title or kind not in KINDS:
            return None
        node = Node(
            id=key,
            kind=kind,
            title=title,
            artist=text(data.get("artist")),
            picture=text(data.get("picture")),
            can_play=True,
            can_expand=data.get("can_expand") is True,
            subtitle=text(data.get("subtitle")),
            year=whole(data.get("year")),
            works=whole(data.get("works")),
            medium=text(data.get("medium")),
        )
        item = data.get("item")
        return cls(node, item if isinstance(item, dict) else None)

    def to_store(self) -> Json:
        """Write plain JSON."""
        node = self.node
        stored = {
            "id": node.id,
            "title": node.title,
            "artist": node.artist,
            "picture": node.picture,
            "can_expand": node.can_expand,
            "subtitle": node.subtitle,
            "year": node.year,
            "works": node.works,
            "medium": node.medium,
            "item": self.item,
        }
        return {name: value for name, value in stored.items() if value is not None}


class Favorites:
    """The favorites of a library, the newest first."""

    def __init__(
        self, hass: HomeAssistant, entry_id: str, changed: Callable[[], None]
    ) -> None:
        """Prepare; ``changed`` is called after every change."""
        self._changed = changed
        self._store = Store[Json](
            hass, VERSION, f"{DOMAIN}.favorites.{entry_id}", atomic_writes=True
        )
        self._favorites: dict[str, Favorite] = {}

    async def async_load(self) -> None:
        """Read what was kept."""
        stored = mapping(await self._store.async_load()).get("favorites")
        for data in stored if isinstance(stored, list) else []:
            if favorite := Favorite.from_store(data):
                self._favorites[favorite.node.id] = favorite

    async def async_save(self) -> None:
        """Write everything now."""
        await self._store.async_save(self._to_store())

    async def async_remove_store(self) -> None:
        """Delete what was kept."""
        await self._store.async_remove()

    def nodes(self) -> list[Node]:
        """List them, the newest first."""
        return [favorite.node for favorite in reversed(self._favorites.values())]

    def items(self) -> list[Json]:
        """List the items of those that are single works, the newest first."""
        return [it.item for it in reversed(self._favorites.values()) if it.item]

    def get(self, node_id: str) -> Favorite | None:
        """Find a favorite."""
        return self._favorites.get(node_id)

    def is_favorite(self, node_id: str) -> bool:
        """Tell whether something is liked."""
        return node_id in self._favorites

    @callback
    def async_add(self, node: Node, item: Json | None = None) -> None:
        """Add something, or bring it to the front.

        Args:
            node: what; an exhibition, a series, a work, a playlist or a work of one.
            item: of a single work: the item of a DP-1 playlist that shows it.

        Raises:
            ValueError: this is nothing to like.
        """
        if node.kind not in KINDS:
            raise ValueError("not a work or a playlist")
        self._favorites.pop(node.id, None)
        self._favorites[node.id] = Favorite(node, item)
        self._save_soon()

    @callback
    def async_remove(self, node_id: str) -> None:
        """Remove something; nothing happens if it is not there."""
        if self._favorites.pop(node_id, None):
            self._save_soon()

    def _save_soon(self) -> None:
        """Keep the change, and tell of it."""
        self._store.async_delay_save(self._to_store, SAVE_SECONDS)
        self._changed()

    def _to_store(self) -> Json:
        """Write plain JSON, the oldest first."""
        return {"favorites": [it.to_store() for it in self._favorites.values()]}
