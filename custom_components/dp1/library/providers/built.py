"""What the library has built: a display that shows it shows a node."""

from collections.abc import Iterator, Mapping
from typing import Any, Final, override

from lru import LRU

from homeassistant.core import callback

from ...client.display.player_status import PlayerStatus
from ...client.values import texts
from ...storage import SafeStore
from .provider import BuiltPlaylist, Context, Provider

MAX_CASTS: Final = 100
SAVE_SECONDS: Final = 30.0


class BuiltPlaylists(Provider):
    """The node ids of playlists that the library has built, by their id or address."""

    def __init__(self, context: Context) -> None:
        """Initialize without any."""
        super().__init__(context)
        self._nodes: LRU[str, str] = LRU(MAX_CASTS)
        entry_id = context.entry.entry_id
        self._store = SafeStore(self.hass, f"library.{entry_id}.built", self._restore)

    @callback
    def async_remember(self, built: BuiltPlaylist) -> None:
        """Remember the node of a playlist."""
        name = built.cast.playlist_url or (built.cast.playlist or {}).get("id")
        if name and self._nodes.get(name) != built.node_id:
            self._nodes[name] = built.node_id
            self._store.async_delay_save(self._to_store, SAVE_SECONDS)
            self.context.async_update()

    @override
    def recognize(self, player: PlayerStatus) -> Iterator[str]:
        """Yield the node for which the playlist of a display was built."""
        for name in (player.playlist_url, player.playlist_id):
            if node := self._nodes.get(name or ""):
                yield node

    @override
    async def async_load(self) -> None:
        """Load the file."""
        await self._store.async_load_parsed()

    @override
    async def async_stop(self) -> None:
        """Save now."""
        await self._store.async_save(self._to_store())

    def _restore(self, data: Mapping[str, Any]) -> None:
        """Restore what is stored."""
        for name, node in texts({**data}).items():
            self._nodes[name] = node

    def _to_store(self) -> dict[str, str]:
        """Return plain JSON; the least recently used first, so that the order is the same after loading."""
        return dict(reversed(self._nodes.items()))
