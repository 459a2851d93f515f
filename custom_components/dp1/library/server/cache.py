"""Storage of what was read of the servers of a library, a file each."""

from collections.abc import Callable, Collection, Mapping
from pathlib import Path
from typing import Any

from homeassistant.core import HomeAssistant, callback
from homeassistant.helpers.storage import STORAGE_DIR

from ...const import DOMAIN
from ...data import DATA
from ...storage import SafeStore

SUBENTRY = "subentry."


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
        delay = seconds or self._hass.data[DATA].timing.save_delay
        self._store.async_delay_save(self._to_store, delay)

    async def async_save(self) -> None:
        """Save now."""
        data = await self._hass.async_add_executor_job(self._to_store)
        await self._store.async_save(data)


def subentry_file(subentry_id: str) -> str:
    """Return the kind of the file of a subentry."""
    return f"{SUBENTRY}{subentry_id}"


async def async_remove_files(hass: HomeAssistant, entry_id: str) -> None:
    """Remove the files of a library."""
    for kind in ("catalog", "works", "feed", "daily", "built"):
        await SafeStore(hass, f"library.{entry_id}.{kind}", dict).async_remove()
    await async_remove_subentries(hass, entry_id, ())


async def async_remove_subentries(
    hass: HomeAssistant, entry_id: str, kept: Collection[str]
) -> None:
    """Remove the files of all subentries of a library but some; they may have been removed while it was not loaded."""
    folder = Path(hass.config.path(STORAGE_DIR))
    start = f"{DOMAIN}.library.{entry_id}.{SUBENTRY}"

    def remove() -> None:
        """Remove the files."""
        for path in folder.glob(f"{start}*"):
            if path.name.removeprefix(start).partition(".")[0] not in kept:
                path.unlink()

    await hass.async_add_executor_job(remove)
