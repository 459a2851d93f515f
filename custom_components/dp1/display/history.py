"""The history of a display: the playlists that were cast to it, to name them and to show them again."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from hashlib import sha256
from typing import Final

from homeassistant.core import CALLBACK_TYPE, callback
from homeassistant.helpers.json import json_bytes
from homeassistant.util import dt as dt_util

from ..client.display.client import Start
from ..client.display.player_status import PlayerStatus
from ..client.hosts import same_work
from ..client.playlist.playlist import Playlist
from ..const import DOMAIN
from .hung import Hung

MEDIA_ID: Final = f"{DOMAIN}://recent/"
MAX_LISTS = 30
# The largest document that a display accepts.
MAX_SIZE = 4 * 1024 * 1024


@dataclass(frozen=True, kw_only=True)
class HistoryEntry(Hung):
    """A playlist that was cast to a display, as it last hung.

    Attributes:
        media_id: its URL, or an id that only Home Assistant understands.
        title: title of the playlist.
        size: size of the document as JSON.
    """

    media_id: str
    title: str | None
    size: int

    @property
    def hung(self) -> Hung:
        """Return what hung."""
        return Hung(asked=self.asked, sent=self.sent, start=self.start, at=self.at)


class History:
    """The playlists that were cast to one display, by Home Assistant or by anybody else."""

    def __init__(
        self,
        on_change: CALLBACK_TYPE,
        find: Callable[[str], str],
        is_announcing: Callable[[], bool],
    ) -> None:
        """Initialize an empty history: `find` returns the address of a work as it is kept."""
        self._on_change, self._find = on_change, find
        self._is_announcing = is_announcing
        self._entries: dict[str, HistoryEntry] = {}
        self._player: PlayerStatus | None = None
        self._seen: tuple[object, ...] | None = None
        self._current: HistoryEntry | None = None
        # What was looked at last, whether or not it was added.
        self._noted: tuple[object, ...] = ()

    def load(self, entries: Sequence[HistoryEntry]) -> None:
        """Load what was stored, the oldest first."""
        self._entries = {entry.media_id: entry for entry in entries}

    def entries(self) -> list[HistoryEntry]:
        """Return the history, the latest first."""
        return list(reversed(self._entries.values()))

    def get(self, media_id: str) -> HistoryEntry | None:
        """Return the entry with this media id."""
        return self._entries.get(media_id)

    @callback
    def add(self, hung: Hung) -> None:
        """Add what was cast with its whole document; the display reports only a part of it."""
        if self._is_announcing() or (media_id := self._id_of(hung.asked)) is None:
            return
        entry = self._entries.get(media_id)
        self._add(media_id, hung.asked.name or (entry.title if entry else None), hung)

    def place(self, media_id: str) -> Start:
        """Return where a playlist is, or was when it hung last."""
        entry = self._entries.get(media_id)
        start = entry.start if entry else Start()
        is_current = self._current is not None and self._current.media_id == media_id
        work = self._player.current if self._player and is_current else None
        return replace(start, work_id=work.id, index=None) if work else start

    def media_id_of(self, hung: Hung) -> str | None:
        """Return the media id of what hangs, if it is in the history or could be."""
        return self._id_of(hung.asked)

    def current(self, player: PlayerStatus) -> HistoryEntry | None:
        """Return the entry of the current playlist, None until that is in the history."""
        if player is not self._player:
            # Pushes of another work keep the playlist.
            seen = (
                *(player.playlist_url, player.item_ids, player.shuffle),
                *(id(player.playlist), id(player.items)),
            )
            if seen != self._seen:
                shown = (it for it in self.entries() if it.is_shown_by(player))
                self._current, self._seen = next(shown, None), seen
            # Kept, so that no other playlist gets its id.
            self._player = player
        return self._current

    @callback
    def note(self, player: PlayerStatus) -> None:
        """Add the current playlist if it was cast by another client, once the fields are there that a push leaves out."""
        if player.playlist is None or self._is_announcing():
            return
        entry = self.current(player)
        latest = next(reversed(self._entries.values()), None)
        # Pushes of another work of the same playlist bring nothing new.
        noted = self._seen, player.playlist_title, latest
        if noted == self._noted:
            return
        self._noted = noted
        title = player.playlist_title or (entry.title if entry else None)
        if entry is not None and entry is latest and entry.title == title:
            return
        if entry is None and not (player.is_whole or player.playlist_url):
            return
        playlist = self.playlist_of(player)
        media_id = entry.media_id if entry else self._id_of(playlist)
        if media_id is not None:
            hung = replace(entry, at=dt_util.utcnow()) if entry else None
            self._add(media_id, title, hung or Hung(asked=playlist))

    def playlist_of(self, player: PlayerStatus) -> Playlist:
        """Return the current playlist as far as it is reported, with no address at the gateway of the owner."""
        return player.as_playlist(self._find)

    def _add(self, media_id: str, title: str | None, hung: Hung) -> None:
        """Add the latest entry, and remove entries over the limits."""
        playlist = hung.asked
        if (last := self._current) is not None and last.media_id in self._entries:
            kept = replace(last, start=self.place(last.media_id))
            self._entries[last.media_id] = kept
        before = self._entries.pop(media_id, None)
        if before is not None and before.asked is playlist:
            size = before.size
        else:
            size = len(json_bytes(playlist.document)) if playlist.document else 0
        new = HistoryEntry(
            media_id=media_id,
            title=title,
            asked=playlist,
            sent=hung.sent,
            start=hung.start,
            at=hung.at,
            size=size,
        )
        self._entries[media_id] = new
        # What is current is looked for again.
        self._player = self._seen = None
        total = 0
        for index, entry in enumerate(self.entries()):
            total += entry.size
            if index and (index >= MAX_LISTS or total > MAX_SIZE):
                del self._entries[entry.media_id]
        self._on_change()

    def _id_of(self, playlist: Playlist) -> str | None:
        """Return the media id of a playlist: its URL, or one of its title and its works in their order; None if some have no source."""
        if playlist.url is not None:
            return playlist.url
        parts, works = [playlist.name], playlist.items
        for work in works:
            if not isinstance(source := work.get("source"), str) or not source:
                return None
            parts += (
                same_work(source),
                str([work.get(it) for it in ("title", "duration")]),
            )
        digest = sha256("\n".join(parts).encode()).hexdigest()[:16]
        return MEDIA_ID + digest if works else None
