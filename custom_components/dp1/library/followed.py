"""Channels and publishers that somebody follows: their new playlists are news."""

import asyncio
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from datetime import date, datetime, timedelta
import random
from typing import Any, Final, Literal

import voluptuous as vol

from homeassistant.core import CALLBACK_TYPE, HomeAssistant, callback
from homeassistant.helpers.event import async_call_later
from homeassistant.helpers.start import async_at_started
from homeassistant.util import dt as dt_util

from ..client.errors import Dp1Error, NotFoundError
from ..client.feed.client import StoredPlaylist
from ..client.feed.followed import new_playlists
from ..client.values import text
from ..const import LOGGER
from ..data import DATA
from ..storage import SafeStore
from .library import Library
from .news import CHANNEL_PLAYLIST, async_tell
from .providers.feed.coordinator import MAX_IN_CHANNEL
from .providers.feed.provider import playlist_node
from .providers.feed.records import FeedChannel, FeedPlaylist

# Within half an hour, and not all homes at the same time.
LOOK_EVERY: Final = timedelta(minutes=25)
JITTER: Final = timedelta(minutes=4)
AFTER_START: Final = timedelta(seconds=20)
# What costs many requests is done only every so many looks, unless the channel itself has changed.
WHOLE_EVERY: Final = 4
MAX_PLAYLISTS: Final = 1000
MAX_TOLD: Final = 20


type Kind = Literal["channel", "publisher"]

STORED_SCHEMA = vol.Schema(
    {
        "url": vol.Any(None, str),
        "told": {str: str},
        "follows": [
            {
                vol.Required("kind"): vol.In(("channel", "publisher")),
                vol.Required("key"): str,
                vol.Required("title"): str,
                vol.Required("seen"): vol.Any(None, {str: str}),
                vol.Required("ids"): {str: str},
            }
        ],
    }
)


@dataclass(slots=True)
class Follow:
    """A channel or a publisher that is followed.

    Attributes:
        kind: which of both.
        key: id of the channel, or name of the publisher.
        title: title of the channel, or name of the publisher.
        seen: days on which playlists were last listed, by id; None before the first look.
        ids: ids of playlists by addresses that the feed does not list; "" while it is unknown.
    """

    kind: Kind
    key: str
    title: str
    seen: dict[str, date] | None = None
    ids: dict[str, str] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Listed:
    """A playlist in a channel; known in the library by its id or, on another host, its address."""

    channel: str
    playlist: FeedPlaylist | None = None
    url: str = ""


def _parse_stored(stored: Any) -> tuple[str | None, dict[str, date], list[Follow]]:
    """Return the address of the feed, what was told, and what is followed."""
    stored = STORED_SCHEMA(stored)
    follows = [
        Follow(
            **{**given, "seen": None if given["seen"] is None else _days(given["seen"])}
        )
        for given in stored["follows"]
    ]
    return stored["url"], _days(stored["told"]), follows


def _days(stored: Mapping[str, str]) -> dict[str, date]:
    """Return stored days."""
    return {key: date.fromisoformat(day) for key, day in stored.items()}


def _stored_days(days: Mapping[str, date]) -> dict[str, str]:
    """Return days as they are stored."""
    return {key: day.isoformat() for key, day in days.items()}


def _store_of(hass: HomeAssistant, entry_id: str) -> SafeStore[Any]:
    """Return the file of what a library follows."""
    return SafeStore(hass, f"followed.{entry_id}", _parse_stored, atomic_writes=True)


class FollowedChannels:
    """What one library follows; it is looked at about every 25 minutes."""

    def __init__(self, library: Library) -> None:
        """Initialize without anything."""
        self._library = library
        self._hass = library.hass
        self._feed = library.feed_coordinator
        self._store = _store_of(library.hass, library.entry_id)
        self._follows: dict[tuple[Kind, str], Follow] = {}
        self._told: dict[str, date] = {}
        self._looks = 0
        self._addresses: dict[str, tuple[str, ...]] = {}
        self._lock = asyncio.Lock()
        self._timer: CALLBACK_TYPE | None = None

    @property
    def follows(self) -> list[Follow]:
        """Return what is followed."""
        return list(self._follows.values())

    async def async_start(self) -> CALLBACK_TYPE:
        """Load what is followed, and look at it once Home Assistant has started; return a callback that ends it."""
        if (stored := await self._store.async_load_parsed()) is not None:
            url, self._told, follows = stored
            for follow in follows:
                if url != self._feed.url:
                    # Whatever another feed has is not news.
                    follow.seen = None
                self._follows[follow.kind, follow.key] = follow
        followed = self._hass.data[DATA].followed
        followed[self._library.entry_id] = self

        @callback
        def start(hass: HomeAssistant) -> None:
            """Wait for the first look."""
            self._wait(AFTER_START)

        stop_waiting = async_at_started(self._hass, start)

        @callback
        def stop() -> None:
            """Look no more."""
            stop_waiting()
            self._cancel()
            del followed[self._library.entry_id]

        return stop

    async def async_follow(self, kind: Kind, key: str, title: str) -> Follow:
        """Follow a channel or a publisher; what it has now is not news. Raises why it cannot be read."""
        async with self._lock:
            if (known := self._follows.get((kind, key))) is not None:
                return known
            follow = Follow(kind, key, title)
            await self._async_look(follow)
            self._follows[kind, key] = follow
            await self._async_save()
        if self._timer is None:
            self._wait(LOOK_EVERY)
        return follow

    async def async_unfollow(self, kind: Kind, key: str) -> bool:
        """Follow a channel or a publisher no more; return whether it was followed."""
        async with self._lock:
            if self._follows.pop((kind, key), None) is None:
                return False
            await self._async_save()
        return True

    async def async_look(self) -> None:
        """Look at everything that is followed; what cannot be read is tried again at the next look."""
        async with self._lock:
            before = self._to_store()
            for follow in self.follows:
                try:
                    await self._async_look(follow)
                except Dp1Error as err:
                    LOGGER.debug("%s cannot be looked at: %s", follow.title, err)
            self._looks += 1
            if self._to_store() != before:
                await self._async_save()

    async def _async_look(self, follow: Follow) -> None:
        """Look at a channel or the channels of a publisher, and tell what is new."""
        listed: dict[str, Listed] = {}
        for channel in await self._async_channels(follow):
            for key, found in (await self._async_listed(follow, channel)).items():
                if key not in listed or listed[key].playlist is None:
                    listed[key] = found
        today = dt_util.utcnow().date()
        new, follow.seen = new_playlists(follow.seen, listed, today)
        # A playlist in two channels is news once.
        fresh = [key for key in new if key not in self._told]
        if fresh:
            _, self._told = new_playlists(self._told, fresh, today)
        for key in fresh[:MAX_TOLD]:
            self._tell(listed[key])

    def _tell(self, listed: Listed) -> None:
        """Tell of a new playlist."""
        if listed.playlist is not None:
            node = playlist_node(listed.playlist)
            async_tell(
                self._library,
                CHANNEL_PLAYLIST,
                node,
                listed.url,
                channel=listed.channel,
            )

    async def _async_channels(self, follow: Follow) -> list[FeedChannel]:
        """Return the channel that is followed, or those of the publisher."""
        if (client := self._feed.client) is None:
            raise NotFoundError("the library has no feed")
        if follow.kind == "channel":
            channels = [FeedChannel.parse(await client.channel(follow.key))]
        else:
            documents = [document async for document in client.channels()]
            channels = [FeedChannel.parse(document) for document in documents]
        return [
            channel
            for channel in channels
            if channel and (follow.kind == "channel" or channel.publisher == follow.key)
        ]

    async def _async_listed(
        self, follow: Follow, channel: FeedChannel
    ) -> dict[str, Listed]:
        """Return the playlists of a channel by id; the feed's own come with few requests, others one by one."""
        assert self._feed.client is not None
        before = self._addresses.get(channel.id)
        same = before == channel.playlists
        is_whole = not same or self._looks % WHOLE_EVERY == 0
        if len(channel.playlists) > MAX_IN_CHANNEL and not is_whole:
            return {key: Listed(channel.title) for key in follow.seen or ()}
        found: dict[str, Listed] = {}
        names: set[str] = set()
        async for document in self._feed.client.channel_playlists(
            channel.id, limit=MAX_PLAYLISTS
        ):
            if (playlist := FeedPlaylist.parse(document)) is not None:
                url = self._feed.client.playlist_url(playlist.id)
                found[playlist.id] = Listed(channel.title, playlist, url)
                names |= {playlist.id.lower(), playlist.slug.lower()}
        others = [
            url
            for url in dict.fromkeys(channel.playlists)
            if url.rpartition("/")[2].lower() not in names
        ]
        others_found = await self._async_others(follow, channel, others, is_whole)
        self._addresses[channel.id] = channel.playlists
        return others_found | found

    async def _async_others(
        self, follow: Follow, channel: FeedChannel, urls: list[str], is_whole: bool
    ) -> dict[str, Listed]:
        """Return playlists by their addresses; those that are known are read again only now and then."""
        found = {
            follow.ids[url]: Listed(channel.title)
            for url in urls
            if follow.ids.get(url)
        }
        unread = [url for url in urls if is_whole or url not in follow.ids]
        stored = await self._feed.async_documents_at(unread)
        for url, playlist in zip(unread, stored, strict=False):
            if not isinstance(playlist, StoredPlaylist):
                if follow.seen is None:
                    follow.ids[url] = ""
                continue
            key = text(playlist.document.get("id")) or url
            is_known = follow.ids.get(url) == ""
            follow.ids[url] = key
            if is_known and follow.seen is not None:
                # It was listed when nobody had looked yet.
                follow.seen.setdefault(key, dt_util.utcnow().date())
            parsed = FeedPlaylist.parse(playlist.document, url)
            found[key] = Listed(channel.title, parsed, url)
        return found

    @callback
    def _wait(self, delay: timedelta) -> None:
        """Look again later, if anything is followed by then."""
        self._cancel()

        @callback
        def look(now: datetime) -> None:
            """Look in the background."""
            self._timer = None
            if self._follows:
                self._library.entry.async_create_background_task(
                    self._hass, self._async_look_again(), "followed channels"
                )

        jitter = random.uniform(0, JITTER.total_seconds())
        self._timer = async_call_later(self._hass, delay.total_seconds() + jitter, look)

    async def _async_look_again(self) -> None:
        """Look, and once more later."""
        try:
            await self.async_look()
        finally:
            self._wait(LOOK_EVERY)

    @callback
    def _cancel(self) -> None:
        """Wait for no look."""
        if self._timer is not None:
            self._timer()
            self._timer = None

    def _to_store(self) -> dict[str, Any]:
        """Return what is followed as plain JSON."""
        return {
            "url": self._feed.url,
            "told": _stored_days(self._told),
            "follows": [
                {
                    "kind": follow.kind,
                    "key": follow.key,
                    "title": follow.title,
                    "seen": None if follow.seen is None else _stored_days(follow.seen),
                    "ids": dict(follow.ids),
                }
                for follow in self._follows.values()
            ],
        }

    async def _async_save(self) -> None:
        """Save what is followed."""
        await self._store.async_save(self._to_store())


@callback
def channels_named(channels: Iterable[FeedChannel], name: str) -> list[FeedChannel]:
    """Return the channels with an id or a title."""
    folded = name.casefold().strip()
    return [
        channel
        for channel in channels
        if folded in (channel.id.casefold(), channel.title.casefold())
    ]


async def async_remove_followed(hass: HomeAssistant, entry_id: str) -> None:
    """Remove what a removed library followed."""
    await _store_of(hass, entry_id).async_remove()
