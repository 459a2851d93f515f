"""Everything that was read of a catalog and a feed, and its copy on disk."""

from collections.abc import Mapping
from dataclasses import dataclass, field
import sys
from typing import Any, Self, override

from homeassistant.core import HomeAssistant
from homeassistant.helpers.storage import Store

from ..client.catalog.models import Artwork, Exhibition, Series
from ..client.values import mapping, texts
from ..const import DOMAIN
from .cached_list import CachedList, Json
from .feed_records import FeedChannel, FeedPlaylist
from .works import RecentlyUsed

VERSION = 1
SAVE_SECONDS = 30.0
MAX_CASTS = 100


def _channels(data: object) -> tuple[FeedChannel, ...]:
    """Read stored channels."""
    given = data if isinstance(data, list) else []
    return tuple(found for it in given if (found := FeedChannel.parse(it)))


@dataclass(slots=True)
class LibraryCache:
    """What was read.

    Attributes:
        exhibitions: of the catalog.
        series: by exhibition id.
        artworks: by series id, those used last at the end.
        playlists: of the feed.
        channels: of the feed.
        casts: node id by id or address of a playlist that was made or handed out here.
    """

    exhibitions: CachedList[Exhibition] = field(default_factory=CachedList)
    series: dict[str, CachedList[Series]] = field(default_factory=dict)
    artworks: dict[str, CachedList[Artwork]] = field(default_factory=dict)
    playlists: CachedList[FeedPlaylist] = field(default_factory=CachedList)
    channels: tuple[FeedChannel, ...] = ()
    casts: RecentlyUsed[str] = field(default_factory=lambda: RecentlyUsed(MAX_CASTS))

    @classmethod
    def from_store(
        cls, data: Mapping[str, Any], catalog_url: str | None, feed_url: str | None
    ) -> Self:
        """Read what ``to_store`` wrote; what came from other servers than these is left out."""
        shelf = cls()
        if data.get("catalog_url") == catalog_url:
            shelf.exhibitions = CachedList.from_store(
                data.get("exhibitions"), Exhibition
            )
            for key, kept in mapping(data.get("series")).items():
                shelf.series[key] = CachedList.from_store(kept, Series)
            for key, kept in mapping(data.get("artworks")).items():
                shelf.artworks[key] = CachedList.from_store(kept, Artwork)
        if data.get("feed_url") == feed_url:
            shelf.playlists = CachedList.from_store(data.get("playlists"), FeedPlaylist)
            shelf.channels = _channels(data.get("channels"))
        for key, node in texts(data.get("casts")).items():
            shelf.casts.keep(key, node)
        return shelf

    def to_store(self, catalog_url: str | None, feed_url: str | None) -> Json:
        """Write plain JSON; may be called from another thread, so it works on copies."""
        return {
            "catalog_url": catalog_url,
            "feed_url": feed_url,
            "exhibitions": self.exhibitions.to_store(),
            "series": {key: it.to_store() for key, it in self.series.copy().items()},
            "artworks": {
                key: it.to_store() for key, it in self.artworks.copy().items()
            },
            "playlists": self.playlists.to_store(),
            "channels": [channel.to_store() for channel in self.channels],
            "casts": dict(self.casts.items()),
        }


class CopyStore(Store[Json]):
    """A file that can be made anew: one of another version is as good as none."""

    @override
    async def _async_migrate_func(
        self, old_major_version: int, old_minor_version: int, old_data: Any
    ) -> Json:
        """Begin with nothing."""
        return {}


class CacheStore:
    """The copy on disk. It is written and read by threads of their own, as there is a lot of it."""

    def __init__(
        self,
        hass: HomeAssistant,
        entry_id: str,
        catalog_url: str | None,
        feed_url: str | None,
    ) -> None:
        """Name the file, and the servers that its contents must come from."""
        self._hass = hass
        self._servers = (catalog_url, feed_url)
        self._store = CopyStore(
            hass,
            VERSION,
            f"{DOMAIN}.library.{entry_id}",
            atomic_writes=True,
            max_readable_version=sys.maxsize,
            serialize_in_event_loop=False,
        )

    async def async_load(self) -> LibraryCache:
        """Read the copy; an empty shelf if there is none."""
        data = await self._store.async_load()
        return await self._hass.async_add_executor_job(
            LibraryCache.from_store, mapping(data), *self._servers
        )

    def async_save_later(self, shelf: LibraryCache) -> None:
        """Write the copy soon, or when Home Assistant stops."""
        self._store.async_delay_save(
            lambda: shelf.to_store(*self._servers), SAVE_SECONDS
        )

    async def async_save(self, shelf: LibraryCache) -> None:
        """Write the copy now."""
        stored = await self._hass.async_add_executor_job(shelf.to_store, *self._servers)
        await self._store.async_save(stored)

    async def async_remove(self) -> None:
        """Delete the copy."""
        await self._store.async_remove()
