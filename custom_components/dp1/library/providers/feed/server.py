"""The server of the playlist feed; documents are read on demand."""

import asyncio
from collections.abc import AsyncIterator, Iterable, Iterator, Mapping, Sequence
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
from ....client.errors import Dp1Error, NoAnswerError, NotFoundError
from ....client.feed.client import Feed
from ....client.feed.models import MAX_PLAYLISTS, FeedChannel, FeedPlaylist
from ....client.pages import Page
from ....client.playlist.document import slugify
from ....client.playlist.playlist import Playlist
from ....client.playlist.schema import UUID
from ....client.values import text
from ....const import CONF_FEED_KEYS, CONF_FEED_URL, LOGGER
from ....guard import ADDRESSES
from ....storage import record_from_json, record_to_json
from ...server import Server
from ...server_list import PATIENCE, Json, ServerList
from ...spoken import fold

# Seconds from which they are read again, of the playlists of a feed that are not among its newest.
OLDER_AGE: Final = 86400.0

DOCUMENT_MAX_AGE_SECONDS = 60.0
MAX_DOCUMENTS = 16
MAX_FOREIGN = 500
# Beyond that, in bytes, only the playlists are read, and their works when they are opened: some 60,000 works.
MAX_SIZE = 32 * 1024 * 1024
# What is older is read with pauses, and not with every refresh.
FIRST_PLAYLISTS = 500
FOREIGN_CONCURRENCY = 8
# The playlists of a channel may each take a request to another host.
MAX_IN_CHANNEL = 200


@dataclass(slots=True)
class State:
    """The state of a feed beside its playlists. A thread stores it, so that collections are replaced and not changed.

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


class FeedServer(Server[FeedPlaylist]):
    """Playlists, the newest first, and channels."""

    def __init__(self, hass: HomeAssistant, entry: ConfigEntry[Any]) -> None:
        """Initialize the feed; a library may have none."""
        url = entry.data.get(CONF_FEED_URL)
        self.client: Feed | None = None
        if url:
            guard = hass.data[ADDRESSES].async_guard().allowing(url)
            key, keys = entry.data.get(CONF_API_KEY), entry.options.get(CONF_FEED_KEYS)
            self.client = Feed(guard, url, api_key=key, legacy_keys=keys or ())
            url = self.client.url
        super().__init__(hass, entry, "feed", url, timing.REFRESH)
        # Other feeds by the start of their addresses, which may be in the local network.
        self.others: dict[str, Feed] = {}
        self._state = State()
        self._by_slug: dict[str, FeedPlaylist] = {}
        self._deleted: set[str] = set()
        # What was written last, and when.
        self._written: LRU[str, tuple[float, FeedPlaylist]] = LRU(MAX_DOCUMENTS)
        self._foreign: LRU[str, FeedPlaylist] = LRU(MAX_FOREIGN)
        self._documents: LRU[str, tuple[float, Playlist]] = LRU(MAX_DOCUMENTS)

    @override
    def restore(self, data: Mapping[str, Any]) -> None:
        """Load and index the stored playlists of this feed."""
        self._state = record_from_json(State, data.get("state")) or State()
        self.list.restore(data.get("playlists"), FeedPlaylist)
        self._index()

    @override
    def to_store(self) -> Json:
        """Return everything that was read as plain JSON."""
        return {
            "playlists": self.list.to_store(),
            "state": record_to_json(self._state),
        }

    @override
    @callback
    def async_start(self) -> None:
        """Refresh the list now, or once it gets old; one that was read in part soon."""
        super().async_start()
        if self.next_read is not None and not self.list.complete:
            self._schedule(timing.LIST_RETRY)

    @override
    async def async_refresh(self) -> Dp1Error | None:
        """Read the list now; documents are read again when they are needed."""
        self._documents.clear()
        return await super().async_refresh()

    @callback
    def async_remember_slug(self, slug: object, document: Mapping[str, Any]) -> None:
        """Remember which playlist was published under a slug, on a feed that chooses its slugs itself."""
        name = slugify(str(slug or ""))
        if name and document.get("slug") != name:
            ids = {name: document["id"]}
            self._state.ids_by_slug = self._state.ids_by_slug | ids

    def id_of_slug(self, slug: object) -> str | None:
        """Return the playlist that was published under a slug which the feed has not kept."""
        return self._state.ids_by_slug.get(slugify(str(slug or "")))

    @callback
    def async_put(self, document: Mapping[str, Any]) -> None:
        """Update the list with a playlist that has just been written."""
        if (playlist := FeedPlaylist.parse(document)) is None:
            return
        self._deleted.discard(playlist.id)
        self._written[playlist.id] = self.hass.loop.time(), playlist
        records = self.list.records
        if self.list.get(playlist.id) is None:
            records = playlist, *records
        self._set_records(playlist.id, records)

    @callback
    def async_drop(self, key: str) -> None:
        """Remove a playlist that has just been deleted from the list."""
        self._deleted.add(key)
        self._set_records(key, self.list.records)

    def _set_records(self, key: str, records: Iterable[FeedPlaylist]) -> None:
        """Replace the list, of which one playlist has changed."""
        for ref, (_, stored) in list(self._documents.items()):
            if stored.document.get("id") == key:
                del self._documents[ref]
        self.list.async_set(records)
        self.list.total = len(self.list.records) + self._state.skipped

    def playlist(self, ref: str) -> FeedPlaylist | None:
        """Return a playlist that has been read by id, slug or address."""
        if self.url is not None:
            ref = ref.removeprefix(f"{self.url}/playlists/")
        for name in (ref, ref.lower()):
            if playlist := self.list.get(name) or self._by_slug.get(name):
                return playlist
        return None

    def titled(self, title: str) -> list[FeedPlaylist]:
        """Return the playlists with a title, the newest first."""
        name = fold(title)
        return [each for each in self.list.records if name and fold(each.title) == name]

    def ref(self, name: str) -> str:
        """Return the id of the only playlist with a title, else the name, which may be an id or a slug."""
        playlists = () if self.playlist(name) else self.titled(name)
        return playlists[0].id if len(playlists) == 1 else name

    async def async_playlist(self, ref: str) -> FeedPlaylist:
        """Return a playlist by id, slug or address, or raise NotFoundError or why it could not be read."""
        if playlist := self.playlist(ref):
            return playlist
        return (await self.async_described(ref))[0]

    async def async_described(
        self, ref: str, patience: float = PATIENCE
    ) -> tuple[FeedPlaylist, Playlist]:
        """Return the document of a playlist by id, slug or address, and its description."""
        stored = await self.async_document(ref, patience)
        url = ref if "://" in ref else None
        if (playlist := FeedPlaylist.parse(stored.document, url)) is None:
            raise NotFoundError(f"the playlist {ref!r} has no id")
        return playlist, stored

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
            return await self.tasks.share(f"document {ref}", read, patience)
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
        """Return the playlists at some addresses in order, and why some are missing; a few are read from other hosts at a time."""

        async def read(url: str) -> Dp1Error | None:
            """Read a playlist of another host, or return why it could not be read."""
            try:
                self._foreign[url] = await self.async_playlist(url)
            except Dp1Error as err:
                return err
            return None

        missing = [url for url in dict.fromkeys(urls) if self._playlist_at(url) is None]
        try:
            async with asyncio.timeout(PATIENCE):
                problems = await gather_with_limited_concurrency(
                    FOREIGN_CONCURRENCY, *map(read, missing)
                )
        except TimeoutError:
            problems = [NoAnswerError("not all playlists answer in time")]
        playlists = [playlist for url in urls if (playlist := self._playlist_at(url))]
        return playlists, next(filter(None, problems), None)

    def _playlist_at(self, url: str) -> FeedPlaylist | None:
        """Return a playlist that has been read at an address: one of this feed also where the feed has another name, by its id."""
        key = url.rpartition("/playlists/")[2]
        own = self.playlist(key if UUID.fullmatch(key) else url)
        return own or self._foreign.get(url)

    async def async_channel(self, key: str) -> FeedChannel:
        """Return a channel, or raise NotFoundError or why it could not be read."""
        playlists = await self.async_list()
        for channel in self.channels:
            if channel.id == key:
                return channel
        raise playlists.missing or NotFoundError(f"no channel {key!r}")

    async def async_documents_at(
        self, urls: Sequence[str]
    ) -> list[Playlist | Dp1Error]:
        """Return the playlists at some addresses in order, or why one is missing; a few are read at a time."""

        async def read(url: str) -> Playlist | Dp1Error:
            """Read a playlist, of this feed by its id."""
            playlist = self._playlist_at(url)
            try:
                return await self.async_document(playlist.id if playlist else url)
            except Dp1Error as err:
                return err

        playlists: list[Playlist | Dp1Error] = await gather_with_limited_concurrency(
            FOREIGN_CONCURRENCY, *map(read, urls[:MAX_IN_CHANNEL])
        )
        return playlists

    @property
    def channels(self) -> tuple[FeedChannel, ...]:
        """Return the channels."""
        return self._state.channels

    @override
    async def _pages(
        self, limit: int | None, pause: float | None
    ) -> AsyncIterator[Page[FeedPlaylist]]:
        """Yield the newest playlists, read the channels, and yield older playlists: once a day as they are, with a pause before each page."""
        assert self.client is not None
        state, before = self._state, self.list.records
        older_age = timedelta(seconds=OLDER_AGE)
        is_recent = state.older_read_at and (
            abs(dt_util.utcnow() - state.older_read_at) < older_age
        )
        pages, size = self.client.playlist_pages(), 0
        newest, skipped = set[str](), 0
        async for documents in pages:
            page, size = await self._async_parse(documents, size)
            newest |= {playlist.id for playlist in page.records}
            skipped += page.skipped
            yield page
            if len(newest) >= FIRST_PLAYLISTS:
                break
        state.channels = tuple(await self.client.channel_list())
        if len(newest) >= FIRST_PLAYLISTS and is_recent:
            indexes = [n for n, playlist in enumerate(before) if playlist.id in newest]
            yield Page(before[indexes[-1] + 1 :] if indexes else ())
            return
        self.list.read_at = dt_util.utcnow()
        self.list.async_release()
        count = len(newest)
        async for documents in pages:
            await asyncio.sleep(timing.PAGE_PAUSE)
            page, size = await self._async_parse(documents, size)
            skipped += page.skipped
            count += len(page.records)
            yield page
            if count >= MAX_PLAYLISTS:
                break
        state.skipped, state.older_read_at = skipped, dt_util.utcnow()

    async def _async_parse(
        self, documents: Page[Json], size: int
    ) -> tuple[Page[FeedPlaylist], int]:
        """Return the playlists of a page, without cover and fields beyond a total size, and the size of all so far."""

        def parse() -> tuple[Page[FeedPlaylist], int]:
            """Parse them."""
            records, total = [], size
            for playlist in filter(None, map(FeedPlaylist.parse, documents.records)):
                total += playlist.size
                if total > MAX_SIZE:
                    playlist = replace(playlist, cover="", fields=())
                records.append(playlist)
            return Page(records, skipped=documents.skipped), total

        return await self.hass.async_add_executor_job(parse)

    @override
    def _ordered(self, records: Iterable[FeedPlaylist]) -> Iterator[FeedPlaylist]:
        """Yield playlists with those written or deleted since the reading began, as its pages may be older."""
        written = {
            key: playlist
            for key, (at, playlist) in self._written.items()
            if at >= self.list.began_at
        }
        read = {playlist.id: playlist for playlist in records}
        new = {key: it for key, it in written.items() if key not in read}
        for key, playlist in (new | read | written).items():
            if key not in self._deleted:
                yield playlist

    @override
    @callback
    def _handle_records(self, changed: ServerList[Any]) -> None:
        """Index the playlists."""
        self._index()
        super()._handle_records(changed)

    @override
    @callback
    def _handle_list(self, read: ServerList[FeedPlaylist]) -> None:
        """Count playlists that make no sense."""
        if read.problem is None:
            read.total = len(read.records) + self._state.skipped
        super()._handle_list(read)

    def _index(self) -> None:
        """Index the playlists by their slugs; the newest of one counts."""
        records = reversed(self.list.records)
        self._by_slug = {
            playlist.slug: playlist for playlist in records if playlist.slug
        }

    def _client_of(self, ref: str) -> Feed | None:
        """Return the client of a playlist by id, slug or address."""
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
