"""The server of the playlist feed; documents are read on demand."""

import asyncio
from collections.abc import AsyncIterator, Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import datetime, timedelta
from functools import partial
from itertools import batched
from typing import Any, Final, override

from lru import LRU

from homeassistant.config_entries import ConfigEntry
from homeassistant.const import CONF_API_KEY
from homeassistant.core import HomeAssistant, callback
from homeassistant.helpers.json import json_bytes
from homeassistant.util import dt as dt_util
from homeassistant.util.async_ import gather_with_limited_concurrency

from ....addresses import ADDRESSES
from ....client.errors import Dp1Error, NotFoundError, UnreachableError
from ....client.feed.client import Feed
from ....client.feed.models import MAX_PLAYLISTS, FeedChannel, FeedPlaylist, open_items
from ....client.pages import Page
from ....client.playlist.playlist import Playlist
from ....client.playlist.schema import UUID
from ....client.values import text
from ....const import CONF_FEED_KEYS, CONF_FEED_URL, LOGGER
from ... import timing
from ...item import Item
from ...listing import PATIENCE, READ_RETRY, Delta, Json, Listing, ListKind
from ...node import NodeKind, key_of, node_id
from ...shelf import Shelf
from ...words import fold, fold_anew
from .items import channel_node, playlist_node

# Seconds from which they are read again, of the playlists of a feed that are not among its newest.
OLDER_AGE: Final = 86400.0

DOCUMENT_MAX_AGE_SECONDS = 60.0
MAX_DOCUMENTS = 16
# Of all of them, as JSON in bytes; decoded they take several times as much.
MAX_DOCUMENT_BYTES = 8 * 1024 * 1024
MAX_FOREIGN = 500
# What is older is read with pauses, and not with every refresh.
FIRST_PLAYLISTS = 500
FOREIGN_CONCURRENCY = 8
# The playlists of a channel may each take a request to another host.
MAX_IN_CHANNEL = 200
NOWHERE: Final = "https://feed.example"


@dataclass(slots=True)
class State:
    """The state of a feed beside its playlists. A thread stores it, so that collections are replaced and not changed.

    Attributes:
        older_read_at: when the playlists after the first ones were read.
        skipped: how many playlists of the feed make no sense.
    """

    older_read_at: datetime | None = None
    skipped: int = 0


class FeedServer(Shelf[FeedPlaylist]):
    """Playlists, the newest first, and channels."""

    def __init__(
        self,
        hass: HomeAssistant,
        entry: ConfigEntry[Any],
        on_change: Callable[[Delta[FeedPlaylist]], None],
    ) -> None:
        """Initialize the feed, which tells what changes in its list; a library may have none."""
        url = entry.data.get(CONF_FEED_URL)
        self.client: Feed | None = None
        # By the start of their addresses, which may be in the local network.
        self._feeds: dict[str, Feed] = {}
        self._guard, self._on_change = hass.data[ADDRESSES].async_guard(), on_change
        if url:
            guard = self._guard.allowing(url)
            key, keys = entry.data.get(CONF_API_KEY), entry.options.get(CONF_FEED_KEYS)
            self.client = Feed(guard, url, api_key=key, legacy_keys=keys or ())
            url = self.client.url
            self._feeds[f"{url}/"] = self.client
        playlists = ListKind(
            FeedPlaylist,
            self._pages,
            lambda _, playlist: playlist_node(playlist),
            follow=self._follow,
            ended=self._handle_list,
        )
        channels = ListKind(
            FeedChannel,
            self._channel_pages,
            lambda _, channel: channel_node(channel),
        )
        super().__init__(
            hass,
            entry,
            "feed",
            url,
            timing.REFRESH,
            {"playlists": playlists, "channels": channels},
            state=State(),
        )
        self.channels: Listing[FeedChannel] = self.listing("channels")
        # Whatever is at no feed that the owner has named is nowhere at home.
        self._anywhere = Feed(self._guard, NOWHERE)
        self._by_slug: dict[str, FeedPlaylist] = {}
        # Folded, of thousands of playlists.
        self._titles: dict[str, str] = {}
        self._foreign: LRU[str, Item] = LRU(MAX_FOREIGN)
        # When each was read, and its size.
        self._documents: LRU[str, tuple[float, Playlist, int]] = LRU(MAX_DOCUMENTS)
        self._writes = 0

    @override
    @callback
    def async_start(self) -> None:
        """Refresh the list now, or once it gets old; one that was read in part soon."""
        super().async_start()
        is_whole = self.list.is_known and self.channels.is_known
        if self.next_read is not None and not is_whole:
            self.async_schedule(timing.LIST_RETRY)

    @override
    async def async_refresh(self) -> Dp1Error | None:
        """Read the list now; documents are read again when they are needed."""
        self._documents.clear()
        return await super().async_refresh()

    async def async_put(self, document: Mapping[str, Any]) -> None:
        """Update the list with a playlist that has just been written."""
        self._forget_documents(document["id"])
        if playlist := await self._async_parsed(document):
            self.list.async_put(playlist)

    @callback
    def async_drop(self, key: str) -> None:
        """Remove a playlist that has just been deleted from the list."""
        self._forget_documents(key)
        self.list.async_drop(key)

    def _forget_documents(self, key: str) -> None:
        """Forget the documents of a playlist that has changed, and keep none that is being read."""
        self._writes += 1
        for ref, (_, stored, _) in list(self._documents.items()):
            if stored.document.get("id") == key:
                del self._documents[ref]

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
        name, titles = fold(title), self._titles
        return [it for it in self.list.records if name and titles[it.id] == name]

    def ref(self, name: str) -> str:
        """Return the id of the only playlist with a title, else the name, which may be an id or a slug."""
        playlists = () if self.playlist(name) else self.titled(name)
        return playlists[0].id if len(playlists) == 1 else name

    def node_at(self, ref: str) -> str | None:
        """Return the node of a channel by its id or address, or of a playlist by its address, with or without a slash at the end."""
        name = ref.strip().rstrip("/")
        key = name.removeprefix(f"{self.url}/")
        for kind in ("channels/", "playlist-groups/"):
            key = key.removeprefix(kind)
        if channel := self.channels.item(key):
            return channel.id
        if "://" in name and (playlist := self.playlist(name)):
            return node_id(NodeKind.PLAYLIST, playlist.id)
        return None

    async def async_playlist(
        self, ref: str, patience: float = PATIENCE
    ) -> FeedPlaylist:
        """Return a playlist by id, slug or address, or raise NotFoundError or why it could not be read."""
        if playlist := self.playlist(ref):
            return playlist
        return (await self.async_described(ref, patience))[0]

    async def async_described(
        self, ref: str, patience: float = PATIENCE
    ) -> tuple[FeedPlaylist, Playlist]:
        """Return the document of a playlist by id, slug or address, and its description."""
        stored = await self.async_document(ref, patience)
        url = ref if "://" in ref else None
        if (playlist := await self._async_parsed(stored.document, url)) is None:
            raise NotFoundError(f"the playlist {ref!r} has no id")
        return playlist, stored

    async def async_document(self, ref: str, patience: float = PATIENCE) -> Playlist:
        """Return the document of a playlist by id, slug or address, or raise NotFoundError or why it could not be read."""
        client = self._client_of(ref)
        cached = self._documents.get(ref)
        if cached and self.hass.loop.time() - cached[0] < DOCUMENT_MAX_AGE_SECONDS:
            return cached[1]
        try:
            read = partial(self._async_read_document, client, ref)
            return await self.async_share(f"document {ref}", read, patience)
        except NotFoundError:
            raise
        except Dp1Error as err:
            if cached is None:
                raise
            LOGGER.debug("An older copy of a playlist is used: %s", err)
            read_at = self.hass.loop.time() - DOCUMENT_MAX_AGE_SECONDS + READ_RETRY
            self._keep(ref, (read_at, *cached[1:]))
            return cached[1]

    async def async_made[R](
        self, make: Callable[..., R], stored: Playlist, *more: Any
    ) -> R:
        """Return what is made of a document, which may be of a thousand works: in a thread."""
        return await self.hass.async_add_executor_job(make, stored.document, *more)

    async def _async_parsed(
        self, document: Mapping[str, Any], url: str | None = None
    ) -> FeedPlaylist | None:
        """Return the description of a document."""
        return await self.hass.async_add_executor_job(FeedPlaylist.parse, document, url)

    async def async_item(self, ref: str, patience: float = PATIENCE) -> Item:
        """Return a playlist by id, slug or address as an item, or raise NotFoundError or why it could not be read."""
        return self._item_of(await self.async_playlist(ref, patience))

    def _item_of(self, playlist: FeedPlaylist) -> Item:
        """Return the item of a playlist, which is kept if that is in the list."""
        if self.list.get(playlist.id) is playlist:
            return self.list.item_of(playlist)
        return playlist_node(playlist)

    async def async_playlists_at(
        self, urls: Sequence[str]
    ) -> tuple[list[Item], Dp1Error | None]:
        """Return the playlists at some addresses in order, and why some are missing; a few are read from other hosts at a time."""

        async def read(url: str) -> Dp1Error | None:
            """Read a playlist of another host, or return why it could not be read."""
            try:
                self._foreign[url] = await self.async_item(url)
            except Dp1Error as err:
                return err
            return None

        missing = [url for url in dict.fromkeys(urls) if self._item_at(url) is None]
        try:
            async with asyncio.timeout(PATIENCE):
                problems = await gather_with_limited_concurrency(
                    FOREIGN_CONCURRENCY, *map(read, missing)
                )
        except TimeoutError:
            problems = [UnreachableError("not all playlists answer in time")]
        items = [*filter(None, map(self._item_at, urls))]
        return items, next(filter(None, problems), None)

    def _own_at(self, url: str) -> FeedPlaylist | None:
        """Return a playlist of this feed that has been read at an address, also where the feed has another name, by its id."""
        key = url.rpartition("/playlists/")[2]
        return self.playlist(key if UUID.fullmatch(key) else url)

    def _item_at(self, url: str) -> Item | None:
        """Return a playlist that has been read at an address."""
        if own := self._own_at(url):
            return self.list.item_of(own)
        item: Item | None = self._foreign.get(url)
        return item

    def ref_at(self, url: str) -> str:
        """Return by what the playlist at an address is read: of this feed its id."""
        return own.id if (own := self._own_at(url)) else url

    def url_of(self, key: str) -> str:
        """Return the address of a playlist by its id, or by its address on another host."""
        if "://" in key or self.client is None:
            return key
        return self.client.playlist_url(key)

    async def async_channel(self, key: str) -> FeedChannel:
        """Return a channel, or raise NotFoundError or why it could not be read."""
        playlists = await self.async_list()
        if (channel := self.channels.get(key)) is None:
            raise playlists.missing or NotFoundError(f"no channel {key!r}")
        return channel

    def urls_in(self, item: Item) -> Sequence[str]:
        """Return the addresses of the playlists in a channel."""
        channel = self.channels.get(key_of(item))
        return channel.playlists if channel else ()

    async def async_items_at(
        self, urls: Sequence[str], limit: int
    ) -> tuple[list[Json], Dp1Error | None]:
        """Return at most so many works of the playlists at some addresses in order, and why others are missing.

        A few are read at a time, and of each its works are kept: those of a stranger may have gigabytes together.
        """
        now = dt_util.now()

        async def read(url: str) -> list[Json] | Dp1Error:
            """Read the works of a playlist."""
            try:
                stored = await self.async_document(self.ref_at(url))
            except Dp1Error as err:
                return err
            items = await self.async_made(open_items, stored, now)
            return [*items.values()][:limit]

        items: list[Json] = []
        problem: Dp1Error | None = None
        for some in batched(urls[:MAX_IN_CHANNEL], FOREIGN_CONCURRENCY, strict=False):
            for each in await asyncio.gather(*map(read, some)):
                if isinstance(each, Dp1Error):
                    problem = problem or each
                else:
                    items += each
            if len(items) >= limit:
                break
        return items[:limit], problem

    async def async_described_at(
        self, urls: Sequence[str]
    ) -> list[FeedPlaylist | Dp1Error]:
        """Return the playlists at a few addresses in order, or why one is missing.

        No document is kept: those of a stranger may have gigabytes together.
        """

        async def read(url: str) -> FeedPlaylist | Dp1Error:
            """Read a playlist."""
            ref = self.ref_at(url)
            try:
                stored = await self._client_of(ref).playlist(ref)
            except Dp1Error as err:
                return err
            parsed = await self._async_parsed(stored.document, url)
            return parsed or NotFoundError(f"the playlist {url!r} has no id")

        return await asyncio.gather(*map(read, urls))

    async def _channel_pages(
        self, key: str, limit: int | None, pause: float | None
    ) -> AsyncIterator[Page[FeedChannel]]:
        """Yield the channels, of which there are few."""
        assert self.client is not None
        yield Page(await self.client.channel_list())

    async def _async_read_channels(self) -> None:
        """Read the channels, or raise why they could not be read."""
        if problem := (await self.channels.async_read()).problem:
            raise problem

    async def _pages(
        self, key: str, limit: int | None, pause: float | None
    ) -> AsyncIterator[Page[FeedPlaylist]]:
        """Yield the newest playlists, read the channels, and yield older playlists: once a day as they are, with a pause before each page."""
        assert self.client is not None
        state, before = self.state, self.list.records
        older_age = timedelta(seconds=OLDER_AGE)
        is_recent = state.older_read_at and (
            abs(dt_util.utcnow() - state.older_read_at) < older_age
        )
        pages, count = self.client.playlist_pages(), 0
        newest, skipped = set[str](), 0
        async for documents in pages:
            page = await self.async_parse(documents)
            newest |= {playlist.id for playlist in page.records}
            is_first = len(newest) >= FIRST_PLAYLISTS
            if not is_first:
                yield page
                continue
            await self._async_read_channels()
            if is_recent:
                yield page
                places = [n for n, each in enumerate(before) if each.id in newest]
                rest = before[places[-1] + 1 :] if places else ()
                yield Page(rest, skipped=state.skipped)
                return
            yield replace(page, is_enough=True)
            count = len(newest)
            break
        else:
            await self._async_read_channels()
        async for documents in pages:
            await asyncio.sleep(timing.PAGE_PAUSE)
            page = await self.async_parse(documents)
            skipped += page.skipped
            count += len(page.records)
            yield page
            if count >= MAX_PLAYLISTS:
                break
        state.skipped, state.older_read_at = skipped, dt_util.utcnow()

    async def async_parse(self, documents: Page[Json]) -> Page[FeedPlaylist]:
        """Return the playlists of a page."""

        def parse() -> list[FeedPlaylist]:
            """Parse them."""
            return [*filter(None, map(FeedPlaylist.parse, documents.records))]

        records = await self.hass.async_add_executor_job(parse)
        skipped = documents.received - len(records)
        return Page(records, skipped=skipped)

    def _follow(
        self, listing: Listing[FeedPlaylist], delta: Delta[FeedPlaylist]
    ) -> None:
        """Index the playlists by their slugs, of which the newest of one counts, and fold their titles."""
        records = reversed(self.list.records)
        self._by_slug = {
            playlist.slug: playlist for playlist in records if playlist.slug
        }
        for playlist in (*delta.added, *delta.changed):
            self._titles[playlist.id] = fold_anew(playlist.title)
        for playlist in delta.removed:
            del self._titles[playlist.id]
        self._on_change(delta)

    @callback
    def _handle_list(self, read: Listing[FeedPlaylist]) -> None:
        """Store the channels."""
        if read.problem is None:
            self.async_updated(is_changed=True)

    def client_at(self, url: str) -> Feed:
        """Return the client of a feed that the owner has named, with which its playlists are read, too."""
        new = Feed(self._guard.allowing(url), url)
        return self._feeds.setdefault(f"{url}/", new)

    def _client_of(self, ref: str) -> Feed:
        """Return the client of a playlist by id, slug or address, or raise NotFoundError; a foreign address has no rights of a feed."""
        if "://" in ref:
            feeds = (self._feeds[url] for url in self._feeds if ref.startswith(url))
            return next(feeds, self._anywhere)
        if self.client is None:
            raise NotFoundError(f"no playlist {ref!r}: the library has no feed")
        return self.client

    async def _async_read_document(self, client: Feed, ref: str) -> Playlist:
        """Read the document of a playlist; one that is written meanwhile is not kept."""
        began, writes = self.hass.loop.time(), self._writes
        try:
            stored = await client.playlist(ref)
        except NotFoundError as err:
            raise NotFoundError(f"no playlist {ref!r}") from err
        size = await self.hass.async_add_executor_job(_size_of, stored.document)
        if self._writes == writes and size <= MAX_DOCUMENT_BYTES:
            kept = self._documents
            self._keep(ref, (began, stored, size))
            while sum(each[-1] for each in kept.values()) > MAX_DOCUMENT_BYTES:
                # Its `popitem` never lets go of the value.
                del kept[kept.keys()[-1]]
        return stored

    def _keep(self, ref: str, read: tuple[float, Playlist, int]) -> None:
        """Keep a document; whoever asked by a slug goes on with the id."""
        key = text(read[1].document.get("id")) or ref
        for name in {ref} if "://" in ref + key else {ref, key}:
            self._documents[name] = read


def _size_of(document: Json) -> int:
    """Return the size of a document as JSON, in bytes."""
    return len(json_bytes(document))
