"""The history of a display: the playlists that were cast to it, to name them and to show them again."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from datetime import datetime
from hashlib import sha256
from typing import Any, Final

from homeassistant.core import HomeAssistant, callback
from homeassistant.helpers.json import json_bytes
from homeassistant.util import dt as dt_util

from ..client.display.client import Cast
from ..client.display.player_status import PlayerStatus
from ..client.text import MAX_TITLE, clean, one_line
from ..const import DOMAIN
from ..storage import SafeStore

SAVE_DELAY: Final = 10.0
MEDIA_ID: Final = f"{DOMAIN}://recent/"
MAX_LISTS = 30
# The largest document that a display accepts.
MAX_SIZE = 4 * 1024 * 1024
# Reported for a work of unlimited duration.
STAYS_SECONDS: Final = 999_999_999


@dataclass(frozen=True, slots=True)
class HistoryEntry:
    """A playlist that was cast to a display.

    Attributes:
        media_id: its URL, or an id that only Home Assistant understands.
        title: title of the playlist.
        cast: what shows it again.
        cast_at: when it was last given.
        size: size of the document as JSON.
    """

    media_id: str
    title: str | None
    cast: Cast
    cast_at: datetime
    size: int


@dataclass(frozen=True, slots=True)
class StoredHistory:
    """The history of a display, the oldest first."""

    entries: list[HistoryEntry]


class History:
    """The playlists that one display was given, by Home Assistant or by anybody else.

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
                entry.media_id: replace(entry, title=_shown(entry.title))
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
    def add(self, cast: Cast) -> None:
        """Add a cast with its whole document; the display reports only a part of it."""
        media_id = media_id_of(cast)
        if media_id is None or self.is_announcing:
            return
        known = self._entries.get(media_id)
        title = (cast.playlist or {}).get("title") or (known.title if known else None)
        self._add(media_id, title, cast)

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
        """Find or add the current playlist. Pushes leave out what is needed to add it."""
        media_id = player.playlist_url or _media_id(i.source for i in player.items)
        if media_id is None:
            return None
        known = self._entries.get(media_id)
        if player.playlist is None or self.is_announcing:
            return known
        title = player.playlist_title or (known.title if known else None)
        latest = next(reversed(self._entries.values()), None)
        if known is None or known is not latest or known.title != _title(title):
            return self._add(media_id, title, known.cast if known else cast_of(player))
        return known

    def _add(self, media_id: str, title: object, cast: Cast) -> HistoryEntry:
        """Add the latest entry, and remove entries over the limits."""
        known = self._entries.pop(media_id, None)
        if known is not None and known.cast is cast:
            size = known.size
        else:
            size = len(json_bytes(cast.playlist)) if cast.playlist else 0
        new = HistoryEntry(media_id, _title(title), cast, dt_util.utcnow(), size)
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


def _shown(title: str | None) -> str | None:
    """Return a title that is plain already, in one short line."""
    return one_line(title, MAX_TITLE) if title else None


def _title(title: object) -> str | None:
    """Return a title without markup."""
    return clean(title, MAX_TITLE) or None if title else None


def cast_of(player: PlayerStatus) -> Cast:
    """Return a cast of the current playlist, from what the display reports of it."""
    if player.playlist_url:
        return Cast(playlist_url=player.playlist_url)
    kept = {
        key: value
        for key, value in (player.playlist or {}).items()
        if key not in ("signature", "signatures", "dynamicQuery", "dynamicQueries")
    }
    return Cast(playlist={**kept, "items": [_item(item.raw) for item in player.items]})


def _item(raw: Mapping[str, Any]) -> dict[str, Any]:
    """Return an item without the duration that means unlimited."""
    item = dict(raw)
    duration = item.get("duration")
    if isinstance(duration, int | float) and duration >= STAYS_SECONDS:
        del item["duration"]
    return item


def media_id_of(cast: Cast) -> str | None:
    """Return the media id of a cast."""
    items = (cast.playlist or {}).get("items") or ()
    return cast.playlist_url or _media_id(item.get("source") for item in items)


def _media_id(sources: Iterable[object]) -> str | None:
    """Return the media id of works in any order; None if not all of them are known."""
    given = list(sources)
    known = sorted(source for source in given if isinstance(source, str) and source)
    if not known or len(known) < len(given):
        return None
    return MEDIA_ID + sha256("\n".join(known).encode()).hexdigest()[:16]
