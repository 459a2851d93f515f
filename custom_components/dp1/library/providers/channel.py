"""Followed channels as a provider: channels of any feed, whose new playlists are news."""

from collections.abc import (
    AsyncIterator,
    Callable,
    Iterable,
    Iterator,
    Mapping,
    Sequence,
)
from dataclasses import dataclass, field, replace
from datetime import date, timedelta
from itertools import batched, chain
from random import uniform
import re
from typing import Any, Final, Self, override

from yarl import URL

from homeassistant.config_entries import ConfigEntry, ConfigSubentry
from homeassistant.const import CONF_URL
from homeassistant.core import CALLBACK_TYPE, HomeAssistant, callback
from homeassistant.util import dt as dt_util

from ...client.display.player_status import PlayerStatus
from ...client.errors import Dp1Error, NotFoundError
from ...client.feed.client import Feed, normalize_url
from ...client.feed.models import FeedChannel, FeedPlaylist
from ...client.guard import Guard
from ...client.pages import Page
from ...client.playlist.playlist import Playlist
from ...client.text import MAX_TITLE, clean, web_url, with_scheme
from ..item import Item
from ..listing import Delta, Listing, ListKind
from ..news import CHANNEL_PLAYLIST, async_tell
from ..node import Inside, node_id
from ..search import Lines, line_of
from ..shelf import Shelf
from .feed.items import item_node, playlist_node
from .feed.provider import async_build_playlists, playlist_lines
from .feed.server import FOREIGN_CONCURRENCY, MAX_IN_CHANNEL, FeedServer
from .provider import Source, SubentryProvider, cover_of, source_of

# How long a playlist is remembered that is no longer listed.
REMEMBERED: Final = timedelta(days=90)
SUBENTRY_CHANNEL: Final = "channel"
FOLLOWED: Final = "followed"
CHANNEL_PATH: Final = re.compile(
    r"(?P<feed>.*)/(?:channels|playlist-groups)/?(?P<channel>[^/]*)/?"
)
# Within half an hour, and not all homes at the same time.
POLL_SECONDS: Final = (1500.0, 1740.0)
MAX_PLAYLISTS: Final = 1000
MAX_NEWS: Final = 20
MAX_SOURCES: Final = 20


@dataclass(frozen=True, slots=True)
class ChannelAddress:
    """A channel or playlist group of a feed by its id or slug, or all channels of a publisher by name."""

    feed: str
    channel: str = ""
    publisher: str = ""

    @property
    def url(self) -> str:
        """Return the one address that names it."""
        url = URL(f"{self.feed}/channels")
        if self.publisher:
            return str(url.with_query(publisher=self.publisher))
        return str(url / self.channel)

    @classmethod
    def parse(cls, address: str) -> Self:
        """Return the channel or publisher of an address, or raise ValueError: ``…/channels/evenings``, ``…/channels?publisher=Ines``."""
        url = web_url(with_scheme(address.strip()))
        match = CHANNEL_PATH.fullmatch(url.path)
        channel = (match and match["channel"]) or ""
        publisher = clean(url.query.get("publisher"), MAX_TITLE)
        if match is None or bool(channel) == bool(publisher):
            raise ValueError("neither a channel nor a publisher")
        feed = normalize_url(str(url.with_path(match["feed"])))
        return cls(feed, channel, publisher)

    async def async_channels(self, client: Feed) -> list[FeedChannel]:
        """Return the channels, or raise NotFoundError or why they could not be read."""
        if self.channel:
            parsed = FeedChannel.parse(await client.channel(self.channel))
            channels = [parsed] if parsed else []
        else:
            channels = await client.channel_list()
            publisher = self.publisher.casefold()
            channels = [
                each for each in channels if each.publisher.casefold() == publisher
            ]
        if not channels:
            raise NotFoundError("no such channel")
        return channels

    def client(self, guard: Guard) -> Feed:
        """Return the client of the feed."""
        return Feed(guard.allowing(self.feed), self.feed)


@dataclass(slots=True)
class Seen:
    """The playlists that a channel has had. A thread stores it, so that collections are replaced and not changed.

    Attributes:
        days: on which playlists were last listed, by their own ids; None before the first read.
        told: days on which they were told as news.
        unread: addresses that could not be read when nobody had looked yet.
    """

    days: dict[str, date] | None = None
    told: dict[str, date] = field(default_factory=dict)
    unread: frozenset[str] = frozenset()


class FollowedChannel(Shelf[FeedPlaylist]):
    """The server of a followed channel, or of the channels of a publisher.

    Its playlists are known by their ids if they are of the feed of the library, others by their addresses.

    Attributes:
        item: the channel.
    """

    def __init__(
        self,
        hass: HomeAssistant,
        entry: ConfigEntry[Any],
        subentry: ConfigSubentry,
        feed: FeedServer,
        is_told: Callable[[str], bool],
    ) -> None:
        """Initialize without playlists; `is_told` returns whether another channel has told a playlist."""
        self.address = ChannelAddress.parse(url := subentry.data[CONF_URL])
        playlists = ListKind(
            FeedPlaylist,
            self._pages,
            lambda _, playlist: playlist_node(playlist),
            order=self._ordered,
            follow=self._follow,
            ended=self._handle_list,
        )
        super().__init__(
            hass,
            entry,
            "feed",
            url,
            uniform(*POLL_SECONDS),
            {"list": playlists},
            state=Seen(),
            subentry=subentry,
        )
        self.item = self._parse()
        self._feed = feed
        self._is_told = is_told
        # The ids of the playlists of each channel, in the order of the last reading.
        self._by_channel: dict[str, tuple[FeedChannel, list[str]]] = {}
        self._client = feed.client_at(self.address.feed)

    @property
    def seen(self) -> Seen:
        """Return what it has had."""
        seen: Seen = self.state
        return seen

    async def _pages(
        self, key: str, limit: int | None, pause: float | None
    ) -> AsyncIterator[Page[FeedPlaylist]]:
        """Yield the playlists of each channel in parts, as those of strangers may have gigabytes together."""
        channels = await self.address.async_channels(self._client)
        for channel in channels:
            async for page in self._channel_pages(channel):
                yield page
        for gone in self._by_channel.keys() - {channel.id for channel in channels}:
            del self._by_channel[gone]

    def _ordered(self, records: Iterable[FeedPlaylist]) -> Iterable[FeedPlaylist]:
        """Return playlists in the order of their channels, each once; those of a channel that is read for the first time come last."""
        keys = chain.from_iterable(keys for _, keys in self._by_channel.values())
        places = {key: place for place, key in enumerate(dict.fromkeys(keys))}
        ordered = sorted(records, key=lambda it: places.get(it.id, len(places)))
        # The same may be at several addresses.
        first: dict[str, FeedPlaylist] = {}
        for playlist in ordered:
            first.setdefault(playlist.own_id, playlist)
        return first.values()

    @callback
    def _handle_list(self, read: Listing[FeedPlaylist]) -> None:
        """Tell which playlists are new."""
        if read.problem is None:
            self._tell({playlist.own_id: playlist for playlist in read.records})

    def _follow(
        self, listing: Listing[FeedPlaylist], delta: Delta[FeedPlaylist]
    ) -> None:
        """Make the item of the channel again, which has the picture of its first playlist."""
        self.item = self._parse()

    def _parse(self) -> Item:
        """Return the channel."""
        playlists = self.list.items
        return Item(
            id=node_id(FOLLOWED, self.subentry_id),
            kind=FOLLOWED,
            title=self.title,
            picture=cover_of(playlists),
            can_play=bool(playlists),
            can_expand=True,
        )

    async def _channel_pages(
        self, channel: FeedChannel
    ) -> AsyncIterator[Page[FeedPlaylist]]:
        """Yield the playlists at the addresses of a channel; what the feed of the library has, and what was read since the channel changed, is not read again."""
        before, _ = self._by_channel.get(channel.id, (None, []))
        by_url, others = dict[str, FeedPlaylist](), list[str]()
        for url in channel.playlists[:MAX_PLAYLISTS]:
            if own := self._feed.playlist(self._feed.ref_at(url)):
                by_url[url] = self._placed(own, url)
            elif (known := self.list.get(url)) and before == channel:
                by_url[url] = known
            else:
                others.append(url)
        yield Page([*by_url.values()])
        for some in batched(others[:MAX_IN_CHANNEL], FOREIGN_CONCURRENCY, strict=False):
            read = await self._async_read_others(some)
            by_url |= read
            yield Page([*read.values()])
        keys = [by_url[url].id for url in channel.playlists if url in by_url]
        # At the end, where the next channel follows.
        self._by_channel.pop(channel.id, None)
        self._by_channel[channel.id] = channel, keys

    async def _async_read_others(self, urls: Sequence[str]) -> dict[str, FeedPlaylist]:
        """Return playlists by their addresses, as they were read before if that fails."""
        earlier = {self._feed.url_of(each.id): each for each in self.list.records}
        by_url = {}
        stored = await self._feed.async_described_at(urls)
        for url, read in zip(urls, stored, strict=True):
            if isinstance(read, Dp1Error):
                if self.seen.days is None:
                    self.seen.unread |= {url}
                if url in earlier and not isinstance(read, NotFoundError):
                    by_url[url] = earlier[url]
                continue
            by_url[url] = self._placed(read, url)
            if url in self.seen.unread and self.seen.days is not None:
                # It was listed when nobody had looked yet.
                self.seen.unread -= {url}
                today = dt_util.utcnow().date()
                self.seen.days = {by_url[url].own_id: today} | self.seen.days
        return by_url

    def _placed(self, playlist: FeedPlaylist, url: str) -> FeedPlaylist:
        """Return a playlist at an address: one of the library's own feed by its id, others by their addresses."""
        own_id = playlist.own_id or playlist.id
        is_own = url.startswith(f"{self._feed.url}/playlists/")
        return replace(playlist, id=own_id if is_own else url, own_id=own_id)

    def _tell(self, playlists: Mapping[str, FeedPlaylist]) -> None:
        """Tell of new playlists; one in two channels is news once."""
        today = dt_util.utcnow().date()
        before = self.seen.days
        new, self.seen.days = new_playlists(before, playlists, today)
        if self.seen.days != before:
            self.async_updated(is_changed=True)
        fresh = [key for key in new if not self._is_told(key)]
        if fresh:
            _, self.seen.told = new_playlists(self.seen.told, fresh, today)
        for playlist in [playlists[key] for key in fresh[:MAX_NEWS]]:
            channels = self._by_channel.values()
            async_tell(
                self.hass,
                self.entry.entry_id,
                CHANNEL_PLAYLIST,
                self.list.item_of(playlist),
                self._feed.url_of(playlist.id),
                channel=next(it.title for it, keys in channels if playlist.id in keys),
            )


class Channels(SubentryProvider[FollowedChannel]):
    """The channels of a library that somebody follows."""

    kinds = (FOLLOWED,)
    error_prefix = "feed"

    def __init__(
        self,
        hass: HomeAssistant,
        entry: ConfigEntry[Any],
        on_change: CALLBACK_TYPE,
        feed: FeedServer,
    ) -> None:
        """Initialize the channels of a config entry; `feed` reads playlists of other hosts, too."""
        super().__init__(
            hass,
            entry,
            on_change,
            SUBENTRY_CHANNEL,
            lambda subentry: FollowedChannel(
                hass, entry, subentry, feed, self._is_told
            ),
        )
        self.feed = feed
        self.lines = [
            Lines(
                hass,
                lambda: self.servers,
                lambda channel: [line_of(channel.title)],
                lambda channel, _: channel.item,
            ),
            *(
                playlist_lines(hass, channel.list, item_node)
                for channel in self.servers
            ),
        ]

    @override
    async def async_node(self, node: str, patience: float) -> Item:
        """Return a channel, whose list is read."""
        channel = self.server(node)
        await channel.async_list(patience)
        return channel.item

    @override
    async def async_pages(self, item: Item, limit: int) -> Inside:
        """Return the playlists of a channel in its own order."""
        return self.server(item.id).list.inside()

    @override
    async def async_build(self, item: Item, limit: int | None) -> Playlist:
        """Build the playlist of all playlists of a channel."""
        listed = self.server(item.id).list
        if not listed.records and listed.missing:
            raise listed.missing
        urls = [self.feed.url_of(each.id) for each in listed.records]
        return await async_build_playlists(self, self.feed, item, urls, limit)

    def _is_told(self, key: str) -> bool:
        """Return whether a playlist has been news."""
        return any(key in channel.seen.told for channel in self.servers)

    @override
    def roots(self) -> list[Item]:
        """Return the channels."""
        return [channel.item for channel in self.servers]

    @override
    def sources(self) -> Sequence[Sequence[Source]]:
        """Return the channels, each with its first playlists."""
        return [
            [*map(source_of, (channel.item, *channel.list.items[:MAX_SOURCES]))]
            for channel in self.servers
        ]

    @override
    def recognize(self, player: PlayerStatus) -> Iterator[str]:
        """Yield the playlist that a display shows by its address."""
        for channel in self.servers:
            if playlist := channel.list.item(player.playlist_url or ""):
                yield playlist.id


def new_playlists(
    seen: Mapping[str, date] | None, listed: Iterable[str], today: date
) -> tuple[list[str], dict[str, date]]:
    """Return the ids that are new, in the order they are listed, and all ids by now.

    New are those never seen there: neither place, slug nor title make a playlist another one, and one that was removed
    and comes back is not new.

    Args:
        seen: ids with the day they were last listed on; None at the first look, when nothing is new.
        listed: ids of the playlists as they are listed now, any of them more than once.
        today: the day.
    """
    ids = list(dict.fromkeys(listed))
    days = seen or {}
    new = [] if seen is None else [key for key in ids if key not in days]
    kept = {key: day for key, day in days.items() if today - day <= REMEMBERED}
    return new, kept | dict.fromkeys(ids, today)
