"""Works that are never to be shown again, whatever they are in."""

from typing import override

from ...client.catalog.artwork import CAP
from ...client.playlist.playlist import Playlist
from ..node import Children, Node, NodeKind
from .catalog.records import WorkKey
from .kept import Kept, work_keys
from .provider import NodeRef


class _Folder(NodeRef["Hidden"]):
    """The folder of the hidden works."""

    size = 0

    @override
    async def node(self) -> Node:
        """Return the folder."""
        return self.provider.folder()

    @override
    async def children(self, limit: int) -> Children:
        """Return the works."""
        return Children(self.provider.nodes())

    @override
    async def build(self, limit: int | None = None) -> Playlist:
        """Build the playlist of all, for who asks for exactly them."""
        items = self.provider.items()[: limit or CAP]
        return self.provider.build_items(self.id, self.kind.title(), items)


class Hidden(Kept):
    """The works of which a person said: never again."""

    kinds = {NodeKind.HIDDEN: _Folder}
    name = "hidden"
    _keys: frozenset[WorkKey] | None = None

    @override
    def roots(self) -> list[Node]:
        """Return the folder, once there is something in it."""
        return [self.folder()] if self.nodes() else []

    def folder(self) -> Node:
        """Return the folder."""
        return self._folder(NodeKind.HIDDEN, ())

    @property
    def keys(self) -> frozenset[WorkKey]:
        """Return by what the works are recognized, in whichever list they are."""
        if self._keys is None:
            kept = self._kept.values()
            self._keys = frozenset(key for each in kept for key in work_keys(each.item))
        return self._keys

    @override
    def _forget_nodes(self) -> None:
        """Forget by what the works are recognized, too."""
        super()._forget_nodes()
        self._keys = None
