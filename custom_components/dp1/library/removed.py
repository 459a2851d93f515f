"""Libraries that were removed: media ids in automations find the library that took the place of theirs."""

from dataclasses import dataclass
from typing import Any, Final

from homeassistant.config_entries import ConfigEntry
from homeassistant.core import HomeAssistant

from ..const import CONF_CATALOG_URL, CONF_FEED_URL
from ..storage import SafeStore

SERVERS: Final = {"catalog": CONF_CATALOG_URL, "feed": CONF_FEED_URL}
MAX_REMOVED = 50


@dataclass(frozen=True, slots=True)
class StoredLibraries:
    """URLs of the servers of removed libraries by entry id and kind of server."""

    urls: dict[str, dict[str, str]]


class RemovedLibraries:
    """The URLs of removed libraries by entry id, the latest last."""

    def __init__(self, hass: HomeAssistant) -> None:
        """Initialize without any."""
        self._store = SafeStore(hass, "removed_libraries", StoredLibraries)
        self._urls: dict[str, dict[str, str]] = {}

    async def async_load(self) -> None:
        """Load what is stored."""
        if stored := await self._store.async_load_parsed():
            self._urls = stored.urls

    async def async_add(self, entry: ConfigEntry[Any]) -> None:
        """Remember the URLs of a library that is removed."""
        urls = {kind: entry.data.get(key) for kind, key in SERVERS.items()}
        self._urls[entry.entry_id] = {kind: url for kind, url in urls.items() if url}
        for entry_id in list(self._urls)[:-MAX_REMOVED]:
            del self._urls[entry_id]
        await self._store.async_save_now(StoredLibraries(self._urls))

    def is_successor(
        self, entry_id: str, entry: ConfigEntry[Any], kind: str | None
    ) -> bool:
        """Return whether a library has the catalog or the feed of a removed one; without a kind, either."""
        urls = self._urls.get(entry_id, {})
        return any(
            entry.data.get(SERVERS[server]) == url
            for server, url in urls.items()
            if kind in (None, server)
        )
