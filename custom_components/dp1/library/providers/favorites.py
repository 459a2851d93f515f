"""Favorites of a library."""

from collections.abc import Iterator, Sequence
from contextlib import suppress
from typing import Any, override

from homeassistant.config_entries import ConfigEntry
from homeassistant.core import CALLBACK_TYPE, HomeAssistant

from ...client.errors import NotFoundError
from ..item import Item
from ..node import FOLDER_TITLES, WORKS, NodeKind
from ..search import lines_of_nodes
from .kept import Json, Kept
from .pictures import async_item
from .provider import Source, source_of


class Favorites(Kept):
    """The favorites of a library, the newest first, and a folder of the pictures among them."""

    kinds = (NodeKind.FAVORITES, NodeKind.PICTURES)
    name = "favorites"
    nothing = "favorites_without_works"
    surprise = "favorites"

    def __init__(
        self, hass: HomeAssistant, entry: ConfigEntry[Any], on_change: CALLBACK_TYPE
    ) -> None:
        """Initialize without favorites."""
        super().__init__(hass, entry, on_change)
        self.lines = (lines_of_nodes(self.hass, self.nodes),)

    @override
    def roots(self) -> list[Item]:
        """Return the folder of the pictures, once there is something in it, and that of the favorites."""
        kinds = [NodeKind.PICTURES] if self.pictures() else []
        return list(map(self.folder, [*kinds, NodeKind.FAVORITES]))

    @override
    def surprises(self) -> Iterator[str]:
        """Yield the single works and pictures."""
        single = (*WORKS, NodeKind.PICTURE)
        return (node.id for node in self.nodes() if node.kind in single)

    @override
    def inside(self, kind: str) -> Sequence[Item]:
        """Return the favorites, or the pictures among them."""
        return self.pictures() if kind == NodeKind.PICTURES else self.nodes()

    @override
    async def _async_items(self, kind: str, limit: int) -> list[Json]:
        """Return the items of the single works, or of the pictures that Home Assistant still has."""
        if kind != NodeKind.PICTURES:
            return await super()._async_items(kind, limit)
        items, duration = [], self.preferences.duration
        for node in self.pictures()[:limit]:
            with suppress(NotFoundError):
                items.append(await async_item(self.hass, node, duration))
        if not items:
            raise NotFoundError("no picture is kept")
        return items

    def pictures(self) -> list[Item]:
        """Return the pictures of Home Assistant that are kept, the newest first."""
        return [node for node in self.nodes() if node.kind == NodeKind.PICTURE]

    @override
    def folder(self, kind: str) -> Item:
        """Return a folder; single works in it can be played together."""
        if kind == NodeKind.PICTURES:
            return self._folder(NodeKind.PICTURES, self.pictures(), can_play=True)
        can_play = bool(self.items())
        return self._folder(NodeKind.FAVORITES, self.nodes(), can_play=can_play)

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
