"""Works that are never to be shown again, whatever they are in."""

from typing import override

from ..index import place_of_item
from ..item import Item
from ..node import NodeKind
from .kept import Kept


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
