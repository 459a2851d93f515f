"""Coordinator of the playlist feed; documents are read on demand."""

import asyncio
from collections.abc import Callable, Mapping, Sequence
from functools import partial
from typing import Any, override

from lru import LRU

from homeassistant.config_entries import ConfigEntry
from homeassistant.core import HomeAssistant

from ..client.catalog.paging import Listing
from ..client.errors import Dp1Error, NoAnswerError, NotFoundError
from ..client.feed.client import Feed, StoredPlaylist
from ..const import LOGGER
from .cached_list import CachedList, Json
from .coordinator import PATIENCE, ServerCoordinator
from .feed_records import FeedChannel, FeedPlaylist

DOCUMENT_MAX_AGE_SECONDS = 60.0
MAX_DOCUMENTS = 16
MAX_FOREIGN = 500
MAX_PLAYLISTS = 500
FEED_PAGE = 50
FOREIGN_CONCURRENCY = 8


class FeedCoordinator(ServerCoordinator[FeedPlaylist]):
    """Playlists, the newest first, and channels."""

    def __init__(
        self,
        hass: HomeAssistant,
        entry: ConfigEntry[Any],
        client: Feed | None,
        refresh_seconds: float,
        save: Callable[[], None],
    ) -> None:
        """Initialize the coordinator; a library may have no feed."""
        url = client.url if client else None
        super().__init__(hass, entry, "feed", url, refresh_seconds, save)
        self.client = client
        self.channels: tuple[FeedChannel, ...] = ()
        self._playlists: dict[str, FeedPlaylist] = {}
        self._foreign: LRU[str, FeedPlaylist] = LRU(MAX_FOREIGN)
        self._documents: LRU[str, tuple[float, StoredPlaylist]] = LRU(MAX_DOCUMENTS)

    @override
    def restore(self, data: Mapping[str, Any]) -> None:
        """Load what is stored of this feed, and index it."""
        self.data = CachedList.from_store(data.get("playlists"), FeedPlaylist)
        channels = data.get("channels")
        self.channels = tuple(
            channel
            for stored in (channels if isinstance(channels, list) else ())
            if (channel := FeedChannel.parse(stored))
        )
        self._index_playlists()

    @override
    def to_store(self) -> Json:
        """Return everything that was read as plain JSON."""
        return {
            "playlists": self.data.to_store(),
            "channels": [channel.to_store() for channel in self.channels],
        }

    @override
    async def async_look_now(self) -> Dp1Error | None:
        """Read the list now; documents are read again when they are needed."""
        self._documents.clear()
        return await super().async_look_now()

    def playlist(self, ref: str) -> FeedPlaylist | None:
        """Return a known playlist by id, slug or address."""
        if self.url is not None:
            ref = ref.removeprefix(f"{self.url}/playlists/")
        return self._playlists.get(ref) or self._playlists.get(ref.lower())

    async def async_playlist(self, ref: str) -> FeedPlaylist:
        """Return a playlist by id, slug or address, or raise NotFoundError or why it could not be read."""
        if found := self.playlist(ref):
            return found
        return (await self.async_described(ref))[0]

    async def async_described(
        self, ref: str, patience: float = PATIENCE
    ) -> tuple[FeedPlaylist, StoredPlaylist]:
        """Return the document of a playlist by id, slug or address, and what it says of itself."""
        stored = await self.async_document(ref, patience)
        url = ref if "://" in ref else None
        if (found := FeedPlaylist.parse(stored.document, url)) is None:
            raise NotFoundError(f"the playlist {ref!r} has no id")
        return found, stored

    async def async_document(
        self, ref: str, patience: float = PATIENCE
    ) -> StoredPlaylist:
        """Return the document of a playlist by id, slug or address, or raise NotFoundError or why it could not be read."""
        if self.client is None:
            raise NotFoundError(f"no playlist {ref!r}: the library has no feed")
        cached = self._documents.get(ref)
        if cached and self.hass.loop.time() - cached[0] < DOCUMENT_MAX_AGE_SECONDS:
            return cached[1]
        try:
            return await self.reads.share(
                f"document {ref}", partial(self._async_read_document, ref), patience
            )
        except NotFoundError:
            raise
        except Dp1Error as err:
            if cached is None:
                raise
            LOGGER.debug("An older copy of a playlist is used: %s", err)
            return cached[1]

    async def async_playlists_at(
        self, urls: Sequence[str]
    ) -> tuple[list[FeedPlaylist], Dp1Error | None]:
        """Return the playlists at some addresses in order, and why some are missing; other hosts are asked a few at a time."""
        found: dict[str, FeedPlaylist] = {}
        problems: list[Dp1Error] = []
        slots = asyncio.Semaphore(FOREIGN_CONCURRENCY)

        async def read(url: str) -> None:
            """Read a playlist of another host."""
            async with slots:
                try:
                    found[url] = self._foreign[url] = await self.async_playlist(url)
                except Dp1Error as err:
                    problems.append(err)

        missing = []
        for url in urls:
            # The feed may be known by another name there.
            known = self.playlist(url.rpartition("/playlists/")[2])
            if known := known or self._foreign.get(url):
                found[url] = known
            else:
                missing.append(url)
        try:
            async with asyncio.timeout(PATIENCE):
                await asyncio.gather(*map(read, dict.fromkeys(missing)))
        except TimeoutError:
            problems.append(NoAnswerError("not all playlists answer in time"))
        playlists = [found[url] for url in urls if url in found]
        return playlists, next(iter(problems), None)

    @override
    async def _async_read_list(self) -> CachedList[FeedPlaylist]:
        """Read playlists and channels."""
        assert self.client is not None
        found: dict[str, FeedPlaylist] = {}
        reason: Dp1Error | None = None
        try:
            async for document in self.client.playlists(
                newest_first=True, page_size=FEED_PAGE, limit=MAX_PLAYLISTS
            ):
                if playlist := FeedPlaylist.parse(document):
                    found.setdefault(playlist.id, playlist)
            channels = [
                FeedChannel.parse(document) async for document in self.client.channels()
            ]
            self.channels = tuple(channel for channel in channels if channel)
        except Dp1Error as err:
            reason = err
        listing = Listing(tuple(found.values()), None, reason is None, reason)
        self.data = self.data.updated(listing, self.hass.loop.time())
        self._index_playlists()
        return self.data

    async def _async_read_document(self, ref: str) -> StoredPlaylist:
        """Read the document of a playlist."""
        assert self.client is not None
        try:
            stored = await self.client.playlist(ref)
        except NotFoundError as err:
            raise NotFoundError(f"no playlist {ref!r}") from err
        self._documents[ref] = self.hass.loop.time(), stored
        return stored

    def _index_playlists(self) -> None:
        """Index the playlists by id and slug."""
        records = self.data.records
        self._playlists = {
            playlist.slug: playlist for playlist in reversed(records) if playlist.slug
        }
        self._playlists |= {playlist.id: playlist for playlist in records}
