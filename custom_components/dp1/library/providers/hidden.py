"""Works that are never to be shown again, whatever they are in."""

from dataclasses import replace
from typing import override

from ..index import place_of_item
from ..item import Item
from ..node import NodeKind
from .kept import Json, Kept


class Hidden(Kept):
    """The works of which a person said: never again."""

    kinds = (NodeKind.HIDDEN,)
    name = "hidden"
    _keys: frozenset[str] | None = None

    @override
    def roots(self) -> list[Item]:
        """Return the folder, once there is something in it."""
        return [self.folder()] if self.nodes() else []

    @override
    def folder(self, kind: str = NodeKind.HIDDEN) -> Item:
        """Return the folder, of which no work is a cover."""
        return self._folder(NodeKind.HIDDEN, ())

    @override
    def has(self, node_id: str) -> bool:
        """Return whether a node is kept; a photo is hidden in all albums, and alone."""
        return super().has(of_photo(node_id))

    @override
    def async_add(self, node: Item, item: Json | None = None) -> None:
        """Add a node or move it to the front; raises ValueError for a folder."""
        if of_photo(node.id) != node.id:
            node = replace(node, id=of_photo(node.id), kind=NodeKind.PICTURE)
        super().async_add(node, item)

    @override
    def async_remove(self, node_id: str) -> None:
        """Remove a node if it is kept."""
        super().async_remove(of_photo(node_id))

    @property
    def keys(self) -> frozenset[str]:
        """Return by what the works are recognized, in whichever list they are."""
        if self._keys is None:
            kept = self._kept.values()
            self._keys = frozenset(place_of_item(each.item) for each in kept) - {""}
        return self._keys

    @override
    def _forget_nodes(self) -> None:
        """Forget by what the works are recognized, too."""
        super()._forget_nodes()
        self._keys = None


def of_photo(node_id: str) -> str:
    """Return the id of a photo of an album as the picture that it is, and any other as it is."""
    kind, _, keys = node_id.partition("/")
    picture = f"{NodeKind.PICTURE}/{keys.partition('/')[2]}"
    return picture if kind == NodeKind.PHOTO else node_id
