"""The Daily: a playlist with a work for each day, at an address of the owner of a library, or of its vendor's app."""

from collections.abc import AsyncIterator, Callable, Iterator
from dataclasses import dataclass, replace
from datetime import datetime, timedelta
from typing import Any, Final, override

from homeassistant.config_entries import ConfigEntry
from homeassistant.core import CALLBACK_TYPE, HomeAssistant, callback
from homeassistant.helpers.event import async_track_point_in_utc_time
from homeassistant.util import dt as dt_util

from ...addresses import ADDRESSES
from ...client.display.player_status import PlayerStatus, PlaylistItem
from ...client.errors import Dp1Error, NotFoundError
from ...client.feed.client import Feed
from ...client.hosts import image_at, loaded_url, work_url
from ...client.http import request_json
from ...client.pages import Page
from ...client.playlist.document import has_items
from ...client.playlist.playlist import Playlist
from ...client.playlist.schedule import Due, due
from ...client.text import web_url
from ...client.values import mapping, text
from ...const import CONF_DAILY_URL, LOGGER
from ...errors import translated_errors
from .. import timing
from ..item import Item
from ..listing import Json, Listing, ListKind
from ..node import FOLDER_TITLES, NodeKind
from ..shelf import Shelf
from .provider import Provider, Source

KIND: Final = "daily"
# Others show the new work at the same moment.
AFTER_CHANGE: Final = 60.0
READ_EVERY: Final = timedelta(hours=6)
# Where the vendor's app reads its configuration, and where it did before.
VENDOR_CONFIGS: Final = (
    "https://ff-app-docs.pages.dev/ff-app.json",
    "https://feralfile-remote-configs.pages.dev/ff-app.json",
)


@dataclass(frozen=True, slots=True)
class DailyDocument:
    """The Daily as it was read; the id is its address."""

    id: str
    document: Json

    def __post_init__(self) -> None:
        """Raise ValueError if it can be no playlist."""
        if not has_items(self.document):
            raise ValueError("not a playlist")


DAILY: Final = Item(
    id=NodeKind.DAILY.value,
    kind=NodeKind.DAILY,
    title=FOLDER_TITLES[NodeKind.DAILY],
    can_play=True,
)


class Daily(Provider):
    """The playlist with a work for each day; a library without its address has none.

    Attributes:
        former: the address before the vendor's app used another.
    """

    kinds = (NodeKind.DAILY,)
    error_prefix = "feed"

    def __init__(
        self,
        hass: HomeAssistant,
        entry: ConfigEntry[Any],
        on_change: CALLBACK_TYPE,
        work: Callable[[PlaylistItem], Item | None],
    ) -> None:
        """Initialize without a document; `work` is that of the library."""
        super().__init__(hass, entry, on_change)
        self._work_of = work
        self.origin = self.url = self.preferences.daily_url
        self.is_used = bool(self.url)
        self.former: str | None = None
        documents = ListKind(
            DailyDocument,
            self._pages,
            ended=self._handle_read,
        )
        self._shelf: Shelf[DailyDocument] = Shelf(
            hass,
            entry,
            KIND,
            self.url or None,
            READ_EVERY.total_seconds(),
            {"document": documents},
        )
        self._cancel: CALLBACK_TYPE | None = None
        self._node = DAILY

    @override
    async def async_node(self, node: str, patience: float) -> Item:
        """Return the Daily."""
        if node not in self.kinds or not self.url:
            raise NotFoundError("no Daily")
        return self._node

    @override
    async def async_build(self, item: Item, limit: int | None) -> Playlist:
        """Return the playlist by its address."""
        return Playlist(self.url, node_id=item.id)

    @override
    def roots(self) -> list[Item]:
        """Return the Daily."""
        return [self._node] if self.url else []

    def _parse(self) -> Item:
        """Return the Daily, with the title and the picture of today's work; works to come are not laid open."""
        if (item := self.item) is None:
            return DAILY
        work = self._work_of(item)
        picture = (
            item.thumbnail
            or (work and work.picture)
            or image_at(work_url(item.source or ""))
            or loaded_url(mapping(self.document).get("coverImage"))
        )
        return replace(DAILY, picture=picture, subtitle=item.title)

    def source(self) -> Source:
        """Return the Daily for the source list."""
        return Source(NodeKind.DAILY.value, FOLDER_TITLES[NodeKind.DAILY])

    @override
    def recognize(self, player: PlayerStatus) -> Iterator[str]:
        """Yield the Daily while a display shows the playlist, or one work of it."""
        if player.playlist_url:
            is_shown = player.playlist_url == self.url
        else:
            key = text((self.document or {}).get("id"))
            is_shown = key is not None and player.playlist_id == key
        if is_shown:
            yield NodeKind.DAILY.value

    @property
    def document(self) -> Json | None:
        """Return the last document that could be read."""
        records = self._shelf.list.records
        return records[-1].document if records else None

    @property
    def problem(self) -> Dp1Error | None:
        """Return why the last read failed."""
        return self._shelf.list.problem

    @override
    async def async_load(self) -> None:
        """Load the stored document."""
        await self._shelf.async_load()

    @override
    @callback
    def async_start(self) -> None:
        """Read the playlist now or once it gets old."""
        self._shelf.async_start()
        if self._shelf.next_read is not None:
            self._handle_work()

    @override
    async def async_stop(self) -> None:
        """Stop reading and save."""
        if self._cancel:
            self._cancel()
        await self._shelf.async_stop()

    async def async_document(self) -> Json:
        """Return the playlist, and read it if it never was; raises why it could not be read."""
        with translated_errors("playlist", "", self.url):
            if self.url and self.document is None:
                await self._shelf.async_list()
            if self.document is None:
                raise self._shelf.list.missing or Dp1Error("no address")
        return self.document

    async def async_refresh(self) -> None:
        """Read the playlist now; a long read goes on in the background."""
        await self._shelf.async_refresh()

    def due(self, now: datetime | None = None) -> Due:
        """Return the works due now or at another time, by the clocks of Home Assistant."""
        return _due(self.document or {}, now)

    @property
    def item(self) -> PlaylistItem | None:
        """Return the item of today, None if there is none."""
        return None if self.document is None else _item_of(self.document)

    @property
    def last_at(self) -> datetime | None:
        """Return when the last work of the playlist begins."""
        return self.due(datetime.max.replace(tzinfo=dt_util.UTC)).since

    async def _pages(
        self, key: str, limit: int | None, pause: float | None
    ) -> AsyncIterator[Page[DailyDocument]]:
        """Yield the playlist; one of the vendor that has run out or is gone goes on where the vendor's app says."""
        is_of_vendor = self.preferences.daily_from_vendor
        # What the vendor names is never at home.
        guard = self.hass.data[ADDRESSES].async_guard()
        guard = guard if is_of_vendor else guard.allowing(self.url)
        document, problem = self.document, None
        try:
            document = (await Feed(guard, self.url).playlist(self.url)).document
        except Dp1Error as err:
            problem = err
            LOGGER.debug("The Daily cannot be read: %s", err)
        if is_of_vendor and (
            document is None or _due(document).has_run_out(dt_util.utcnow())
        ):
            moved = await async_daily_of_vendor(self.hass)
            if moved is not None and moved[0] != self.url:
                self.former, (self.url, document) = self.url, moved
                problem = None
        if problem is not None:
            raise problem
        if document is not None:
            yield Page([DailyDocument(self.url, document)])

    @callback
    def _handle_read(self, read: Listing[DailyDocument]) -> None:
        """Keep the address at which the vendor's app goes on as the setting, and note the work of today."""
        if self.url != self._shelf.url:
            self._shelf.url = self.url
            entry = self.entry
            options = {**entry.options, CONF_DAILY_URL: self.url}
            self.hass.config_entries.async_update_entry(entry, options=options)
        self._handle_work()

    @callback
    def _handle_work(self, now: datetime | None = None) -> None:
        """Note that another work is today's, and wait for the moment of the next."""
        self._node = self._parse()
        if self._cancel:
            self._cancel()
            self._cancel = None
        if next_at := self.due().next_at:
            self._cancel = async_track_point_in_utc_time(
                self.hass, self._handle_next, next_at
            )
        self._on_change()

    @callback
    def _handle_next(self, now: datetime) -> None:
        """Handle the moment of the next work, with a look whether others follow."""
        self._cancel = None
        self._handle_work()
        self._shelf.async_schedule(AFTER_CHANGE)


def _item_of(document: Json) -> PlaylistItem | None:
    """Return the item of today in a document."""
    due = _due(document)
    if not due.timed or due.has_run_out(dt_util.utcnow()):
        return None
    return PlaylistItem.parse(due.timed[0])


def _due(document: Json, now: datetime | None = None) -> Due:
    """Return the works of a document due now or at another time, by the clocks of Home Assistant."""
    zone = dt_util.get_default_time_zone()
    return due(document, now or dt_util.utcnow(), zone)


async def async_daily_of_vendor(hass: HomeAssistant) -> tuple[str, Json] | None:
    """Return the address and the document of the Daily that the vendor's app uses, None if they cannot be read now.

    Nothing else in the configuration of the app is looked at, and nothing is requested at home.
    """
    guard = hass.data[ADDRESSES].async_guard()
    timeout = timing.DOCUMENT_TIMEOUT
    for config in VENDOR_CONFIGS:
        try:
            answer = await request_json(guard, "GET", config, timeout=timeout)
            daily = mapping(mapping(await answer.json()).get("daily"))
            url = str(web_url(text(daily.get("playlist_url")) or ""))
            return url, (await Feed(guard, url).playlist(url)).document
        except (Dp1Error, ValueError) as err:
            LOGGER.debug("%s tells of no Daily: %s", config, err)
    return None
