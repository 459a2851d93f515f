"""The history of a display: the playlists that were cast to it, to name them and to show them again."""

from collections.abc import Iterable
from dataclasses import dataclass, field, replace
from datetime import datetime
from hashlib import sha256
from typing import Final

from mashumaro import field_options

from homeassistant.core import HomeAssistant, callback
from homeassistant.helpers.json import json_bytes
from homeassistant.util import dt as dt_util

from ..client.display.player_status import PlayerStatus
from ..client.playlist.playlist import Playlist
from ..client.text import MAX_TITLE, one_line
from ..const import DOMAIN
from ..storage import SafeStore

SAVE_DELAY: Final = 10.0
MEDIA_ID: Final = f"{DOMAIN}://recent/"
MAX_LISTS = 30
# The largest document that a display accepts.
MAX_SIZE = 4 * 1024 * 1024


@dataclass(frozen=True, slots=True)
class HistoryEntry:
    """A playlist that was cast to a display.

    Attributes:
        media_id: its URL, or an id that only Home Assistant understands.
        title: title of the playlist.
        playlist: what shows it again.
        cast_at: when it was last cast.
        size: size of the document as JSON.
    """

    media_id: str
    title: str | None
    playlist: Playlist = field(metadata=field_options(alias="cast"))
    cast_at: datetime
    size: int


@dataclass(frozen=True, slots=True)
class StoredHistory:
    """The history of a display, the oldest first."""

    entries: list[HistoryEntry]


class History:
    """The playlists that were cast to one display, by Home Assistant or by anybody else.

    Attributes:
        is_announcing: whether the display shows something for a moment, which is not kept.
    """

    def __init__(self, hass: HomeAssistant, entry_id: str) -> None:
        """Initialize an empty history."""
        self._store = SafeStore(
            hass,
            f"history.{entry_id}",
            StoredHistory,
            serialize_in_event_loop=False,
        )
        self._entries: dict[str, HistoryEntry] = {}
        self._player: PlayerStatus | None = None
        self._seen: tuple[object, ...] | None = None
        self._current: HistoryEntry | None = None
        self._changed = False
        self.is_announcing = False

    async def async_load(self) -> None:
        """Load the stored history."""
        if stored := await self._store.async_load_parsed():
            # Another version may have stored longer titles.
            self._entries = {
                entry.media_id: replace(
                    entry, title=one_line(entry.title or "", MAX_TITLE) or None
                )
                for entry in stored.entries
            }

    async def async_save(self) -> None:
        """Save pending changes."""
        if self._changed:
            self._changed = False
            await self._store.async_save(StoredHistory([*self._entries.values()]))

    async def async_remove(self) -> None:
        """Remove the stored history."""
        await self._store.async_remove()

    def entries(self) -> list[HistoryEntry]:
        """Return the history, the latest first."""
        return list(reversed(self._entries.values()))

    def get(self, media_id: str) -> HistoryEntry | None:
        """Return the entry with this media id."""
        return self._entries.get(media_id)

    @callback
    def add(self, playlist: Playlist) -> None:
        """Add a playlist with its whole document; the display reports only a part of it."""
        media_id = media_id_of(playlist)
        if media_id is None or self.is_announcing:
            return
        entry = self._entries.get(media_id)
        title = playlist.name or (entry.title if entry else None)
        self._add(media_id, title, playlist)

    @callback
    def current(self, player: PlayerStatus) -> HistoryEntry | None:
        """Return the entry of the current playlist, which is added if it was cast by another client."""
        if player is not self._player:
            # Pushes of another work keep the playlist.
            seen = (player.playlist_url, player.item_ids, id(player.playlist))
            if seen != self._seen:
                self._current = self._find(player)
                self._seen = seen
            # Kept, so that no other playlist gets its id.
            self._player = player
        return self._current

    def _find(self, player: PlayerStatus) -> HistoryEntry | None:
        """Find or add the current playlist. Pushes leave out fields that are needed to add it."""
        media_id = player.playlist_url or _media_id(i.source for i in player.items)
        if media_id is None:
            return None
        entry = self._entries.get(media_id)
        if player.playlist is None or self.is_announcing:
            return entry
        title = player.playlist_title or (entry.title if entry else None)
        latest = next(reversed(self._entries.values()), None)
        if entry is None or entry is not latest or entry.title != title:
            return self._add(
                media_id, title, entry.playlist if entry else player.as_playlist()
            )
        return entry

    def _add(
        self, media_id: str, title: str | None, playlist: Playlist
    ) -> HistoryEntry:
        """Add the latest entry, and remove entries over the limits."""
        before = self._entries.pop(media_id, None)
        if before is not None and before.playlist is playlist:
            size = before.size
        else:
            size = len(json_bytes(playlist.document)) if playlist.document else 0
        new = HistoryEntry(media_id, title, playlist, dt_util.utcnow(), size)
        self._entries[media_id] = new
        self._player = self._seen = None
        total = 0
        for index, entry in enumerate(self.entries()):
            total += entry.size
            if index and (index >= MAX_LISTS or total > MAX_SIZE):
                del self._entries[entry.media_id]
        self._changed = True
        stored = StoredHistory([*self._entries.values()])
        self._store.async_delay_save(lambda: stored, SAVE_DELAY)
        return new


def media_id_of(playlist: Playlist) -> str | None:
    """Return the media id of a playlist."""
    return playlist.url or _media_id(item.get("source") for item in playlist.items)


def _media_id(sources: Iterable[object]) -> str | None:
    """Return the media id of works in any order; None if some have no source."""
    values = list(sources)
    texts = sorted(source for source in values if isinstance(source, str) and source)
    if not texts or len(texts) < len(values):
        return None
    return MEDIA_ID + sha256("\n".join(texts).encode()).hexdigest()[:16]
