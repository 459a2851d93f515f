"""Storage of what was read of the servers of a library, a file each, and of what it built."""

from collections.abc import Callable, Collection, Mapping
from pathlib import Path
from typing import Any

from lru import LRU

from homeassistant.core import HomeAssistant, callback
from homeassistant.helpers.storage import STORAGE_DIR

from ...client.values import texts
from ...const import DOMAIN
from ...storage import SafeStore

SAVE_SECONDS = 30.0
MAX_CASTS = 100
COLLECTION = "collection."


class ServerStore:
    """The file of a server of a library. It is large: read and written outside of the event loop."""

    def __init__(
        self,
        hass: HomeAssistant,
        entry_id: str,
        kind: str,
        restore: Callable[[Mapping[str, Any]], None],
        to_store: Callable[[], Mapping[str, Any]],
    ) -> None:
        """Initialize; both functions run in another thread."""
        self._hass = hass
        self._to_store = to_store
        self._store = SafeStore(
            hass,
            f"library.{entry_id}.{kind}",
            restore,
            atomic_writes=True,
            serialize_in_event_loop=False,
        )

    async def async_load(self) -> None:
        """Load the file."""
        await self._store.async_load_parsed()

    @callback
    def async_save_later(self, seconds: float | None = None) -> None:
        """Save soon, or when Home Assistant stops."""
        self._store.async_delay_save(self._to_store, seconds or SAVE_SECONDS)

    async def async_save(self) -> None:
        """Save now."""
        data = await self._hass.async_add_executor_job(self._to_store)
        await self._store.async_save(data)


class BuiltPlaylists:
    """The node ids of playlists that the library has built, by their id or address."""

    def __init__(self, hass: HomeAssistant, entry_id: str) -> None:
        """Initialize without any."""
        self._nodes: LRU[str, str] = LRU(MAX_CASTS)
        self._store = SafeStore(hass, f"library.{entry_id}.built", self._restore)

    def node_of(self, name: str | None) -> str | None:
        """Return the node of a playlist by its id or address."""
        return self._nodes.get(name) if name else None

    @callback
    def async_remember(self, name: str, node: str) -> None:
        """Remember the node of a playlist."""
        self._nodes[name] = node
        self._store.async_delay_save(self._to_store, SAVE_SECONDS)

    async def async_load(self) -> None:
        """Load the file."""
        await self._store.async_load_parsed()

    async def async_save(self) -> None:
        """Save now."""
        await self._store.async_save(self._to_store())

    def _restore(self, data: Mapping[str, Any]) -> None:
        """Restore what is stored."""
        for name, node in texts({**data}).items():
            self._nodes[name] = node

    def _to_store(self) -> dict[str, str]:
        """Return plain JSON; the least recently used first, so that the order is the same after loading."""
        return dict(reversed(self._nodes.items()))


def collection_file(subentry_id: str) -> str:
    """Return the kind of the file of a collection."""
    return f"{COLLECTION}{subentry_id}"


async def async_remove_files(hass: HomeAssistant, entry_id: str) -> None:
    """Remove the files of a library."""
    for kind in ("catalog", "works", "feed", "daily", "built"):
        await SafeStore(hass, f"library.{entry_id}.{kind}", dict).async_remove()
    await async_remove_collections(hass, entry_id, ())


async def async_remove_collections(
    hass: HomeAssistant, entry_id: str, kept: Collection[str]
) -> None:
    """Remove the files of all collections of a library but some; they may have been removed while it was not loaded."""
    folder = Path(hass.config.path(STORAGE_DIR))
    start = f"{DOMAIN}.library.{entry_id}.{COLLECTION}"

    def remove() -> None:
        """Remove the files."""
        for path in folder.glob(f"{start}*"):
            if path.name.removeprefix(start).partition(".")[0] not in kept:
                path.unlink()

    await hass.async_add_executor_job(remove)
