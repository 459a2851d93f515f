"""The Daily: a playlist with a work for each day, at an address that the owner of a library named."""

from collections.abc import Awaitable, Callable, Mapping
from datetime import datetime, timedelta, tzinfo
from typing import Any, Final

from homeassistant.config_entries import ConfigEntry
from homeassistant.core import CALLBACK_TYPE, HomeAssistant, callback
from homeassistant.helpers.event import async_track_point_in_utc_time
from homeassistant.util import dt as dt_util

from ..client.display.player_status import PlayerStatus, PlaylistItem
from ..client.errors import Dp1Error
from ..client.feed.client import Feed
from ..client.guard import Guard
from ..client.playlist.schedule import Due, due
from ..client.text import shorten
from ..client.values import mapping, moment, text
from ..const import LOGGER
from .collections.indexers import async_indexer
from .preferences import Preferences
from .servers.cache import ServerStore
from .servers.cached_list import Json
from .servers.coordinator import PATIENCE
from .servers.shared_reads import SharedReads
from .works import Work

KIND: Final = "daily"
DESCRIBE: Final = "work of today"
MAX_ARTIST: Final = 120
READ_EVERY: Final = timedelta(hours=6)
RETRY: Final = timedelta(minutes=15)
# Others show the new work at the same moment.
AFTER_CHANGE: Final = timedelta(seconds=60)


class Daily:
    """The playlist with a work for each day; a library without its address has none.

    Attributes:
        document: the last one that could be read.
        problem: why the last read failed.
    """

    def __init__(
        self,
        hass: HomeAssistant,
        entry: ConfigEntry[Any],
        guard: Callable[[], Guard],
        preferences: Preferences,
        find_work: Callable[[PlaylistItem], Awaitable[Work | None]],
        changed: Callable[[], None],
    ) -> None:
        """Initialize without a document; `changed` is called when there is a new one, or it is time for another work."""
        self.url = url = preferences.daily_url or None
        self.document: Json | None = None
        self.problem: Dp1Error | None = None
        self._hass = hass
        self._reads = SharedReads(hass, entry)
        self._feed = Feed(guard().allowing(url), url) if url else None
        self._indexer_url = preferences.indexer_url
        self._find_work = find_work
        self._known: tuple[PlaylistItem, Work] | None = None
        self._changed = changed
        self._store = ServerStore(
            hass, entry.entry_id, KIND, self._restore, self._to_store
        )
        self._read_at: datetime | None = None
        self._cancel: list[CALLBACK_TYPE] = []

    def _restore(self, data: Mapping[str, Any]) -> None:
        """Load what is stored of this address."""
        if data.get("url") != self.url:
            return
        self.document = dict(mapping(data.get("document"))) or None
        self._read_at = moment(data.get("read_at"))

    def _to_store(self) -> Json:
        """Return the last document as plain JSON."""
        read_at = self._read_at
        return {
            "url": self.url,
            "document": self.document,
            "read_at": read_at and read_at.isoformat(),
        }

    async def async_start(self) -> None:
        """Load what is stored, and read the playlist now or once it gets old."""
        if self.url is None:
            return
        await self._store.async_load()
        now = dt_util.utcnow()
        if self.document and self._read_at and now - self._read_at < READ_EVERY:
            self._schedule(self._read_at + READ_EVERY)
            self._reads.start(DESCRIBE, self._async_describe)
        else:
            self._start_read(now)

    async def async_stop(self) -> None:
        """Stop reading and save."""
        self._stop_waiting()
        self._reads.stop()
        if self.url is not None:
            await self._store.async_save()

    def _stop_waiting(self) -> None:
        """Wait for nothing any more."""
        for cancel in self._cancel:
            cancel()
        self._cancel.clear()

    async def async_document(self) -> Json:
        """Return the playlist, and read it if it never was; raises why it could not be read."""
        if self.document is None and self.url is not None:
            await self._reads.share(KIND, self._async_read, PATIENCE)
        if self.document is None:
            raise self.problem or Dp1Error("no address")
        return self.document

    async def async_look_now(self) -> None:
        """Read the playlist now."""
        if self.url is not None:
            await self._reads.share(KIND, self._async_read, PATIENCE)

    def due(self, zone: tzinfo | None = None) -> Due:
        """Return what is due, where the clocks are those of Home Assistant unless a zone is given."""
        zone = zone or dt_util.get_default_time_zone()
        return due(self.document or {}, dt_util.utcnow(), zone)

    @property
    def work(self) -> PlaylistItem | None:
        """Return the work of today, None if there is none."""
        found = self.due()
        if not found.timed or found.has_run_out(dt_util.utcnow()):
            return None
        return PlaylistItem.parse(found.timed[0])

    @property
    def last_at(self) -> datetime | None:
        """Return when the last work of the playlist begins."""
        last = due(
            self.document or {},
            datetime.max.replace(tzinfo=dt_util.UTC),
            dt_util.get_default_time_zone(),
        )
        return last.since

    def is_shown(self, player: PlayerStatus) -> bool:
        """Return whether a display shows the playlist, or one work of it."""
        if self.url is None:
            return False
        if player.playlist_url:
            return player.playlist_url == self.url
        key = text((self.document or {}).get("id"))
        return key is not None and player.playlist_id == key

    async def _async_read(self) -> None:
        """Read the playlist; the last one is kept if that fails."""
        assert self._feed is not None and self.url is not None
        try:
            stored = await self._feed.playlist(self.url)
        except Dp1Error as err:
            self.problem = err
            LOGGER.debug("The Daily at %s cannot be read: %s", self.url, err)
        else:
            self.problem = None
            self.document = stored.document
            self._read_at = dt_util.utcnow()
            self._store.async_save_later()
        await self._async_describe()
        self._schedule(dt_util.utcnow() + (RETRY if self.problem else READ_EVERY))
        self._changed()

    def known_work(self, item: PlaylistItem) -> Work | None:
        """Return what the indexer knows of the work of today."""
        if self._known is None:
            return None
        known, work = self._known
        same = item.source == known.source if item.source else item.id == known.id
        return work if same else None

    async def _async_describe(self) -> None:
        """Look up what is known of the work of today, of which the playlist has no artist."""
        item = self.work
        if item is None or item.raw.get("inlineManifest") or self.known_work(item):
            return
        try:
            if (found := await self._find_work(item)) is None or not found.artist:
                await self._async_ask_indexer(item)
        except Dp1Error as err:
            LOGGER.debug("Nothing is known of the work of today: %s", err)
        self._changed()

    async def _async_ask_indexer(self, item: PlaylistItem) -> None:
        """Look the token of a work up at the indexer."""
        match item.provenance:
            case {"contract": {"address": str(contract), "tokenId": str(number)}}:
                pass
            case _:
                return
        if not self._indexer_url:
            return
        indexer = await async_indexer(self._hass, self._indexer_url)
        page = await indexer.tokens(
            limit=1, contract_addresses=[contract], token_numbers=[number]
        )
        for token in page.tokens:
            artist = shorten(", ".join(token.artists), MAX_ARTIST) or None
            work = Work(title=token.name, artist=artist, picture=token.thumbnail)
            self._known = item, work

    def _schedule(self, read_at: datetime) -> None:
        """Wait for the next read, and for the moment of the next work."""
        self._stop_waiting()
        if next_at := self.due().next_at:
            self._track(self._handle_next, next_at)
            read_at = min(read_at, next_at + AFTER_CHANGE)
        self._track(self._start_read, read_at)

    def _track(self, action: Callable[[datetime], None], when: datetime) -> None:
        """Call something at a time."""
        self._cancel.append(async_track_point_in_utc_time(self._hass, action, when))

    @callback
    def _handle_next(self, now: datetime) -> None:
        """Handle the moment of the next work."""
        self._changed()
        self._reads.start(DESCRIBE, self._async_describe)

    @callback
    def _start_read(self, now: datetime) -> None:
        """Read the playlist in the background."""
        self._reads.start(KIND, self._async_read)
