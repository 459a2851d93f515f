"""Storage of everything that was read of a catalog and a feed."""

from collections.abc import Mapping
from typing import Any

from lru import LRU

from homeassistant.core import HomeAssistant, callback

from ..client.values import mapping, texts
from ..storage import SafeStore
from .cached_list import Json
from .coordinator import ServerCoordinator

SAVE_SECONDS = 30.0
MAX_CASTS = 100


class LibraryStore:
    """The file of a library, and the node ids of playlists that were built by the library by their id or address."""

    def __init__(
        self, hass: HomeAssistant, entry_id: str, *coordinators: ServerCoordinator[Any]
    ) -> None:
        """Initialize the store."""
        self.casts: LRU[str, str] = LRU(MAX_CASTS)
        self._hass = hass
        self._coordinators = coordinators
        # It is large: read and written outside of the event loop.
        self._store = SafeStore(
            hass,
            f"library.{entry_id}",
            self._restore,
            atomic_writes=True,
            serialize_in_event_loop=False,
        )

    async def async_load(self) -> None:
        """Load the file."""
        await self._store.async_load_parsed()

    def _restore(self, data: Mapping[str, Any]) -> None:
        """Restore what is stored of the same servers."""
        for coordinator in self._coordinators:
            stored = mapping(data.get(coordinator.kind))
            if stored.get("url") == coordinator.url:
                coordinator.restore(stored)
        for name, node in texts(data.get("casts")).items():
            self.casts[name] = node

    @callback
    def async_save_later(self) -> None:
        """Save soon, or when Home Assistant stops."""
        self._store.async_delay_save(self._to_store, SAVE_SECONDS)

    async def async_save(self) -> None:
        """Save now."""
        data = await self._hass.async_add_executor_job(self._to_store)
        await self._store.async_save(data)

    async def async_remove(self) -> None:
        """Remove the file."""
        await self._store.async_remove()

    def _to_store(self) -> Json:
        """Return plain JSON."""
        stored: Json = {
            coordinator.kind: {"url": coordinator.url, **coordinator.to_store()}
            for coordinator in self._coordinators
        }
        # The least recently used first, so that the order is the same after loading.
        return stored | {"casts": dict(reversed(self.casts.items()))}
