"""News of a library since it was last read: exhibitions that opened, playlists that were published, works that came and went."""

from collections.abc import Callable, Iterator
from datetime import datetime, timedelta
from functools import partial
from typing import Final

from homeassistant.core import CALLBACK_TYPE, HomeAssistant, callback
from homeassistant.helpers.dispatcher import async_dispatcher_connect
from homeassistant.helpers.event import async_track_point_in_utc_time
from homeassistant.helpers.start import async_at_started
from homeassistant.util import dt as dt_util

from ..client.catalog.artwork import exhibition_page
from ..client.values import moment
from .library import Library
from .node import Node
from .providers.catalog.provider import exhibition_node
from .providers.collection.coordinator import CollectionCoordinator
from .providers.collection.records import OwnedWork, owned_node
from .providers.feed.provider import playlist_node
from .providers.feed.records import FeedPlaylist
from .providers.provider import NEWS, NewsItem, async_tell

EXHIBITION_OPENED: Final = "exhibition_opened"
PLAYLIST_PUBLISHED: Final = "playlist_published"
# What appears in a list later than this was left out before.
MAX_AGE: Final = timedelta(days=30)


@callback
def async_add_news_listener(
    hass: HomeAssistant, action: Callable[[NewsItem], None]
) -> CALLBACK_TYPE:
    """Listen for news of libraries."""
    return async_dispatcher_connect(hass, NEWS, action)


class News:
    """Tells the news of a library, each once; what was there when a list was first read is none."""

    def __init__(self, library: Library) -> None:
        """Initialize with what is stored of the library."""
        self._library = library
        self._hass = library.hass
        self._catalog = library.catalog_coordinator
        self._feed = library.feed_coordinator
        self._open: set[str] | None = None
        self._playlists: set[str] | None = None
        if (read_at := self._catalog.data.read_at) is not None:
            self._open = self._opened_by(read_at)
        if self._feed.data.read_at is not None:
            self._playlists = {playlist.id for playlist in self._feed.data.records}
        self._timer: CALLBACK_TYPE | None = None
        self._stops: list[CALLBACK_TYPE] = []

    @callback
    def async_start(self) -> CALLBACK_TYPE:
        """Follow the library once Home Assistant has started, and return a callback that ends it."""
        for collection in self._library.collections:
            tell = partial(self._handle_collection, collection)
            self._stops.append(collection.async_add_news_listener(tell))

        @callback
        def start(hass: HomeAssistant) -> None:
            """Tell what happened meanwhile, and what will."""
            for coordinator in (self._catalog, self._feed):
                self._stops.append(coordinator.async_add_listener(self._handle_update))
            self._handle_update()

        self._stops.append(async_at_started(self._hass, start))
        return self._stop

    @callback
    def _stop(self) -> None:
        """Stop following."""
        for stop in self._stops:
            stop()
        self._cancel_timer()

    @callback
    def _handle_update(self) -> None:
        """Tell what is new in the lists, unless they are being read."""
        if self._catalog.data.read_at and self._catalog.data.reason is None:
            self._handle_exhibitions(dt_util.utcnow())
        if self._feed.data.read_at and self._feed.data.reason is None:
            self._handle_playlists()

    def _handle_exhibitions(self, now: datetime) -> None:
        """Tell which exhibitions have opened."""
        opened = self._opened_by(now)
        known, self._open = self._open, opened | (self._open or set())
        for exhibition in self._catalog.data.records:
            opens = exhibition.viewable_from
            is_new = known is not None and exhibition.id in opened - known
            if is_new and (opens is None or now - opens < MAX_AGE):
                node = exhibition_node(exhibition, open_now=True)
                self._tell(EXHIBITION_OPENED, node, exhibition_page(exhibition))
        self._cancel_timer()
        if upcoming := [opens for opens in self._openings() if opens > now]:
            self._timer = async_track_point_in_utc_time(
                self._hass, self._handle_opening, min(upcoming)
            )

    @callback
    def _handle_opening(self, now: datetime) -> None:
        """Handle the time at which an exhibition opens."""
        self._timer = None
        self._handle_exhibitions(now)

    def _handle_playlists(self) -> None:
        """Tell which playlists were published."""
        records = self._feed.data.records
        known = self._playlists
        self._playlists = {playlist.id for playlist in records}
        if known is None:
            return
        self._playlists |= known
        oldest = dt_util.utcnow() - MAX_AGE
        for playlist in records:
            if playlist.id in known:
                continue
            made = moment(playlist.created)
            if made is None or made > oldest:
                self._tell(
                    PLAYLIST_PUBLISHED, playlist_node(playlist), self._url(playlist)
                )

    @callback
    def _handle_collection(
        self, collection: CollectionCoordinator, kind: str, work: OwnedWork
    ) -> None:
        """Tell of a work that came into a collection or left it."""
        title = collection.title
        node = owned_node(collection.subentry_id, title, work)
        self._tell(kind, node, None, collection=title)

    def _tell(self, kind: str, node: Node, link: str | None, **more: str) -> None:
        """Tell one piece of news."""
        async_tell(self._hass, self._library.entry_id, kind, node, link, **more)

    def _url(self, playlist: FeedPlaylist) -> str:
        """Return the URL of a playlist."""
        return f"{self._feed.url}/playlists/{playlist.id}"

    def _opened_by(self, when: datetime) -> set[str]:
        """Return the ids of the exhibitions that are open at a time."""
        return {
            exhibition.id
            for exhibition in self._catalog.data.records
            if exhibition.viewable(when)
        }

    def _openings(self) -> Iterator[datetime]:
        """Yield when exhibitions open that are announced."""
        for exhibition in self._catalog.data.records:
            if exhibition.visible and (opens := exhibition.viewable_from) is not None:
                yield opens

    def _cancel_timer(self) -> None:
        """Do not wait for an opening."""
        if self._timer is not None:
            self._timer()
            self._timer = None
