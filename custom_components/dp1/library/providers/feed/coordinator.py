"""Coordinator of the playlist feed; documents are read on demand."""

import asyncio
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import datetime, timedelta
from functools import partial
from typing import Any, Final, override

from lru import LRU

from homeassistant.config_entries import ConfigEntry
from homeassistant.const import CONF_API_KEY
from homeassistant.core import HomeAssistant, callback
from homeassistant.util import dt as dt_util
from homeassistant.util.async_ import gather_with_limited_concurrency

from .... import timing
from ....client.catalog.client import Listing
from ....client.errors import Dp1Error, NoAnswerError, NotFoundError
from ....client.feed.client import Feed
from ....client.feed.paging import Page
from ....client.playlist.document import slugify
from ....client.playlist.playlist import Playlist
from ....client.values import text
from ....const import CONF_FEED_KEYS, CONF_FEED_URL, LOGGER
from ....guard import NAMED_HOSTS
from ....storage import record_from_json, record_to_json
from ...server import LIST, PATIENCE, CachedList, Json, ServerCoordinator
from .records import MAX_PLAYLISTS, FeedChannel, FeedPlaylist, async_channels

# Seconds from which they are read again, of the playlists of a feed that are not among its newest.
OLDER_AGE: Final = 86400.0

DOCUMENT_MAX_AGE_SECONDS = 60.0
MAX_DOCUMENTS = 16
MAX_FOREIGN = 500
# Beyond that, in bytes, only the playlists are known, and their works when they are opened: some 60,000 works.
MAX_SIZE = 32 * 1024 * 1024
# What is older is read with pauses, and not with every refresh.
FIRST_PLAYLISTS = 500
FOREIGN_CONCURRENCY = 8
# The playlists of a channel may be on hosts that have to be asked for each.
MAX_IN_CHANNEL = 200


@dataclass(slots=True)
class State:
    """What is stored of a feed beside its playlists. A thread stores it, so what may grow is replaced and not changed.

    Attributes:
        channels: in the order of the feed.
        older_read_at: when the playlists after the first ones were read.
        skipped: how many playlists of the feed make no sense.
        ids_by_slug: playlists that were published under slugs which the feed has not kept.
    """

    channels: tuple[FeedChannel, ...] = ()
    older_read_at: datetime | None = None
    skipped: int = 0
    ids_by_slug: dict[str, str] = field(default_factory=dict)


class FeedCoordinator(ServerCoordinator[FeedPlaylist]):
    """Playlists, the newest first, and channels."""

    def __init__(self, hass: HomeAssistant, entry: ConfigEntry[Any]) -> None:
        """Initialize the coordinator; a library may have no feed."""
        url = entry.data.get(CONF_FEED_URL)
        self.client: Feed | None = None
        if url:
            guard = hass.data[NAMED_HOSTS].async_guard().allowing(url)
            key, keys = entry.data.get(CONF_API_KEY), entry.options.get(CONF_FEED_KEYS)
            self.client = Feed(guard, url, api_key=key, legacy_keys=keys or ())
            url = self.client.url
        super().__init__(hass, entry, "feed", url, timing.REFRESH)
        # Other feeds by the start of their addresses, which may be in the local network.
        self.others: dict[str, Feed] = {}
        self._state = State()
        self._playlists: dict[str, FeedPlaylist] = {}
        self._deleted: set[str] = set()
        # What was written last, and when.
        self._written: LRU[str, tuple[float, FeedPlaylist]] = LRU(MAX_DOCUMENTS)
        self._foreign: LRU[str, FeedPlaylist] = LRU(MAX_FOREIGN)
        self._documents: LRU[str, tuple[float, Playlist]] = LRU(MAX_DOCUMENTS)

    @override
    def restore(self, data: Mapping[str, Any]) -> None:
        """Load what is stored of this feed, and index it."""
        self._state = record_from_json(State, data.get("state")) or State()
        self._set_list(CachedList.from_store(data.get("playlists"), FeedPlaylist))

    @override
    def to_store(self) -> Json:
        """Return everything that was read as plain JSON."""
        return {
            "playlists": self.data.to_store(),
            "state": record_to_json(self._state),
        }

    @override
    @callback
    def async_start(self) -> None:
        """Refresh the list now, or once it gets old; one that was read in part soon."""
        super().async_start()
        if self.update_interval is not None and not self.data.complete:
            soon = timedelta(seconds=timing.LIST_RETRY)
            self.update_interval = min(self.update_interval, soon)

    @override
    async def async_look_now(self) -> Dp1Error | None:
        """Read the list now; documents are read again when they are needed."""
        self._documents.clear()
        return await super().async_look_now()

    @callback
    def async_remember_slug(self, slug: object, document: Mapping[str, Any]) -> None:
        """Remember which playlist was published under a slug, on a feed that chooses its slugs itself."""
        name = slugify(str(slug or ""))
        if name and document.get("slug") != name:
            named = {name: document["id"]}
            self._state.ids_by_slug = self._state.ids_by_slug | named

    def id_of_slug(self, slug: object) -> str | None:
        """Return the playlist that was published under a slug which the feed has not kept."""
        return self._state.ids_by_slug.get(slugify(str(slug or "")))

    @callback
    def async_put(self, document: Mapping[str, Any]) -> None:
        """Update the list with a playlist that has just been written."""
        if (playlist := FeedPlaylist.parse(document)) is None:
            return
        records = [
            playlist if old.id == playlist.id else old for old in self.data.records
        ]
        if playlist.id not in self._playlists:
            records.insert(0, playlist)
        self._deleted.discard(playlist.id)
        self._written[playlist.id] = self.hass.loop.time(), playlist
        self._set_records(playlist.id, records)

    @callback
    def async_drop(self, key: str) -> None:
        """Remove a playlist that has just been deleted from the list."""
        self._deleted.add(key)
        records = [old for old in self.data.records if old.id != key]
        self._set_records(key, records)

    def _set_records(self, key: str, records: Sequence[FeedPlaylist]) -> None:
        """Replace the list, of which one playlist has changed."""
        for ref, (_, stored) in list(self._documents.items()):
            if stored.document.get("id") == key:
                del self._documents[ref]
        total = len(records) + self._state.skipped
        self._set_list(replace(self.data, records=tuple(records), total=total))
        self.async_updated()

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
    ) -> tuple[FeedPlaylist, Playlist]:
        """Return the document of a playlist by id, slug or address, and what it says of itself."""
        stored = await self.async_document(ref, patience)
        url = ref if "://" in ref else None
        if (found := FeedPlaylist.parse(stored.document, url)) is None:
            raise NotFoundError(f"the playlist {ref!r} has no id")
        return found, stored

    async def async_document(self, ref: str, patience: float = PATIENCE) -> Playlist:
        """Return the document of a playlist by id, slug or address, or raise NotFoundError or why it could not be read."""
        if (client := self._client_of(ref)) is None:
            raise NotFoundError(f"no playlist {ref!r}: the library has no feed")
        if ref in self._deleted:
            raise NotFoundError(f"the playlist {ref!r} was deleted", key="deleted")
        cached = self._documents.get(ref)
        if cached and self.hass.loop.time() - cached[0] < DOCUMENT_MAX_AGE_SECONDS:
            return cached[1]
        try:
            read = partial(self._async_read_document, client, ref)
            return await self.reads.share(f"document {ref}", read, patience)
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

        async def read(url: str) -> Dp1Error | None:
            """Read a playlist of another host, or return why it could not be read."""
            try:
                self._foreign[url] = await self.async_playlist(url)
            except Dp1Error as err:
                return err
            return None

        missing = [url for url in dict.fromkeys(urls) if self._known_at(url) is None]
        try:
            async with asyncio.timeout(PATIENCE):
                problems = await gather_with_limited_concurrency(
                    FOREIGN_CONCURRENCY, *map(read, missing)
                )
        except TimeoutError:
            problems = [NoAnswerError("not all playlists answer in time")]
        playlists = [known for url in urls if (known := self._known_at(url))]
        return playlists, next(filter(None, problems), None)

    def _known_at(self, url: str) -> FeedPlaylist | None:
        """Return a known playlist at an address, where the feed may have another name."""
        known = self.playlist(url.rpartition("/playlists/")[2])
        return known or self._foreign.get(url)

    async def async_channel(self, key: str) -> FeedChannel:
        """Return a channel, or raise NotFoundError or why it could not be read."""
        playlists = await self.async_list()
        for channel in self.channels:
            if channel.id == key:
                return channel
        raise playlists.reason or NotFoundError(f"no channel {key!r}")

    async def async_documents_at(
        self, urls: Sequence[str]
    ) -> list[Playlist | Dp1Error]:
        """Return the playlists at some addresses in order, or why one is missing; a few are asked for at a time."""

        async def read(url: str) -> Playlist | Dp1Error:
            """Read a playlist, of this feed by its id."""
            known = self.playlist(url.rpartition("/playlists/")[2])
            try:
                return await self.async_document(known.id if known else url)
            except Dp1Error as err:
                return err

        found: list[Playlist | Dp1Error] = await gather_with_limited_concurrency(
            FOREIGN_CONCURRENCY, *map(read, urls[:MAX_IN_CHANNEL])
        )
        return found

    @property
    def channels(self) -> tuple[FeedChannel, ...]:
        """Return the channels."""
        return self._state.channels

    @override
    async def _async_read_list(self) -> CachedList[FeedPlaylist]:
        """Read the newest playlists and the channels, and once a day what is older, with a pause before each page."""
        assert self.client is not None
        began, found = self.hass.loop.time(), dict[str, FeedPlaylist]()
        pages = self.client.playlist_pages()
        older_age = timedelta(seconds=OLDER_AGE)
        older_read_at = self._state.older_read_at
        is_recent = older_read_at and abs(dt_util.utcnow() - older_read_at) < older_age
        skipped, more, reason = self._state.skipped, True, None
        reading = NoAnswerError("the rest is being read")

        def known() -> CachedList[FeedPlaylist]:
            """Return what is known so far; feeds do not tell how many there are."""
            return replace(self._listed(found, began, more, reading), total=None)

        self.reads.set_progress(LIST, known)
        try:
            async for page in pages:
                await self._async_add(found, page)
                skipped, more = page.skipped, not page.last
                if len(found) >= FIRST_PLAYLISTS:
                    break
            self._state.channels = tuple(await async_channels(self.client))
            if more and not is_recent:
                self._set_list(self._listed(found, began, more, None))
                self.async_updated()
                async for page in pages:
                    await asyncio.sleep(timing.PAGE_PAUSE)
                    await self._async_add(found, page)
                    skipped, more = page.skipped, not page.last
                    if len(found) >= MAX_PLAYLISTS:
                        more = False
                        break
        except Dp1Error as err:
            reason = err
        if not more and not reason:
            self._state.skipped = skipped
            self._state.older_read_at = dt_util.utcnow()
        listed = self._listed(found, began, more, reason)
        if is_recent and not reason:
            listed = replace(listed, complete=True)
        self._set_list(listed)
        return self.data

    def _listed(
        self,
        found: Mapping[str, FeedPlaylist],
        began: float,
        more: bool,
        reason: Dp1Error | None,
    ) -> CachedList[FeedPlaylist]:
        """Return the list with what was found since a read began, followed by what was known to be older."""
        known = self.data.records
        indexes = [n for n, playlist in enumerate(known) if playlist.id in found]
        older = known[indexes[-1] + 1 :] if more and indexes else ()
        records = self._with_written((*found.values(), *older), began)
        total = len(records) + self._state.skipped
        listing = Listing(records, total, not more and reason is None, reason)
        return self.data.updated(listing, self.hass.loop.time())

    def _set_list(self, listed: CachedList[FeedPlaylist]) -> None:
        """Replace the list, and index it."""
        self.data = listed
        records = listed.records
        self._playlists = {
            playlist.slug: playlist for playlist in reversed(records) if playlist.slug
        }
        self._playlists |= {playlist.id: playlist for playlist in records}

    def _with_written(
        self, records: Sequence[FeedPlaylist], began: float
    ) -> tuple[FeedPlaylist, ...]:
        """Return a list that was read with what was written or deleted meanwhile, of which its pages may be older."""
        written = {
            key: playlist
            for key, (at, playlist) in self._written.items()
            if at >= began
        }
        known = {playlist.id for playlist in records}
        new = [playlist for key, playlist in written.items() if key not in known]
        read = [written.get(playlist.id, playlist) for playlist in records]
        return tuple(each for each in (*new, *read) if each.id not in self._deleted)

    async def _async_add(self, found: dict[str, FeedPlaylist], page: Page) -> None:
        """Add the playlists of a page, beyond the limit with only what names them."""

        def parse() -> tuple[list[FeedPlaylist | None], int]:
            """Return the playlists, and the size of those before them."""
            size = sum(playlist.size for playlist in found.values())
            return list(map(FeedPlaylist.parse, page.records)), size

        playlists, size = await self.hass.async_add_executor_job(parse)
        for playlist in playlists:
            if playlist is None or playlist.id in found or playlist.id in self._deleted:
                continue
            size += playlist.size
            if size > MAX_SIZE:
                playlist = replace(playlist, cover="", fields=())
            found[playlist.id] = playlist

    def _client_of(self, ref: str) -> Feed | None:
        """Return what reads a playlist by id, slug or address."""
        others = (self.others[url] for url in self.others if ref.startswith(url))
        if "://" in ref and self.client is None:
            return next(others, next(iter(self.others.values()), None))
        return next(others, self.client)

    async def _async_read_document(self, client: Feed, ref: str) -> Playlist:
        """Read the document of a playlist; one that is written meanwhile is not kept."""
        began = self.hass.loop.time()
        try:
            stored = await client.playlist(ref)
        except NotFoundError as err:
            raise NotFoundError(f"no playlist {ref!r}") from err
        key = text(stored.document.get("id")) or ""
        written_at, _ = self._written.get(key, (0.0, None))
        if written_at < began:
            self._documents[ref] = began, stored
        return stored
