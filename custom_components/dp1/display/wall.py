"""The wall of a display: the only owner of what lasts on it, kept in one file. Reloads leave it as it is."""

import asyncio
from collections.abc import AsyncIterator, Callable, Mapping
from contextlib import asynccontextmanager
from dataclasses import dataclass, fields as dataclass_fields, replace
from datetime import datetime
from functools import partial
from typing import Any, Final

from homeassistant.core import CALLBACK_TYPE, HomeAssistant, callback
from homeassistant.helpers.event import async_call_later
from homeassistant.util import dt as dt_util
from homeassistant.util.hass_dict import HassKey

from ..const import DOMAIN
from ..hosts import HOSTS
from ..storage import PartlyReadError, SafeStore, record_from_json, record_to_json
from .history import History, HistoryEntry
from .hung import Hung
from .requests import Requests

WALLS: Final[HassKey[dict[str, Wall]]] = HassKey(f"{DOMAIN}_walls")
# Seconds until a change of the history is saved.
SAVE_DELAY: Final = 10.0
# The same until what could not be shown again, or did not sleep, is told so once more.
RETRY_AFTER: Final = 10.0


@dataclass(frozen=True, slots=True)
class Announcement:
    """A playlist shown for a limited time.

    Attributes:
        hung: what is shown; once another is shown over it, with its place.
        until: when it ends.
        since: when it began.
    """

    hung: Hung
    until: datetime
    since: datetime

    @property
    def rest(self) -> float:
        """Return the seconds that are left, as of a duration: the clock may be set back meanwhile, also over a restart."""
        return (self.until - max(dt_util.utcnow(), self.since)).total_seconds()


@dataclass(frozen=True, slots=True, kw_only=True)
class Notes:
    """What outlasts a restart, beside the history.

    Attributes:
        announced: what is shown for a time, each over the one before.
        lasting: what hangs for good below, and behind what came there meanwhile, what hung for good before it.
        sleeps: whether the display is to sleep once nothing is shown for a time.
        daily: URL of the Daily, while that is shown: by its URL, as a document, or its works of today alone.
        ignores_times: firmware that ignores when works are due.
    """

    announced: tuple[Announcement, ...] = ()
    lasting: tuple[Hung | None, ...] = ()
    sleeps: bool = False
    daily: str | None = None
    ignores_times: str | None = None

    @property
    def announcement(self) -> Announcement | None:
        """Return the uppermost of what is shown for a time."""
        return self.announced[-1] if self.announced else None


@dataclass(frozen=True, slots=True)
class Stored:
    """What is stored of a wall: its notes, and its history, the oldest first."""

    notes: Notes
    history: list[HistoryEntry]


class Wall:
    """The wall of one display: what hangs, what is shown for a time, and what hung before.

    Casts are sent one at a time, the newest of those that wait first. Older ones are not sent any more once a newer one
    was taken, but are if it was refused.

    Attributes:
        notes: what outlasts a restart.
        history: the playlists that were cast to it.
        requests: those that are under way, and the last ones.
        hung: what the display took last, None since it was set up.
        home: the address of Home Assistant at which what is lent was looked at last.
        newest: the number of the newest cast that was taken; what lasts is a part of it.
        newest_permanent: that of the newest permanent one, which may hang after an announcement.
    """

    def __init__(self, hass: HomeAssistant, entry_id: str) -> None:
        """Initialize an empty wall."""
        self.notes = Notes()
        self.history = History(
            self._save_soon, self._public_url, lambda: self.is_announcing
        )
        self.requests = Requests(self.tell)
        self.hung: Hung | None = None
        self.home: str | None = None
        self.newest = self.newest_permanent = 0
        self._hass = hass
        self._store = SafeStore(
            hass, f"display.{entry_id}", _parse, serialize_in_event_loop=False
        )
        self._is_loaded = self._is_removed = self._has_changed = False
        self._lock = asyncio.Lock()
        self._waiting: list[int] = []
        self._on_change: CALLBACK_TYPE | None = None
        self._on_end: Callable[[], object] | None = None
        self._cancel_end: CALLBACK_TYPE | None = None

    def _public_url(self, url: str) -> str:
        """Return the address of a work as it is kept: not at the gateway of the owner."""
        return self._hass.data[HOSTS].public_url(url)

    # File

    async def async_load(self) -> None:
        """Load what is stored, once."""
        if self._is_loaded:
            return
        if stored := await self._store.async_load_parsed():
            self.notes = stored.notes
            self.history.load(stored.history)
        self._is_loaded = True

    def _stored(self) -> Stored:
        """Return what is to be stored."""
        return Stored(self.notes, self.history.entries()[::-1])

    @callback
    def _save_soon(self) -> None:
        """Save a change of the history soon."""
        self._has_changed, stored = True, self._stored()
        if not self._is_removed:
            self._store.async_delay_save(partial(_to_json, stored), SAVE_DELAY)

    async def async_save(self) -> None:
        """Save changes that wait."""
        if self._has_changed and not self._is_removed:
            self._has_changed = False
            await self._store.async_save(_to_json(self._stored()))

    async def async_remove(self) -> None:
        """Remove what is stored; whoever still casts stores nothing."""
        self._is_removed = True
        self.async_stop()
        await self._store.async_remove()

    # Life

    @callback
    def async_set_up(self, on_change: CALLBACK_TYPE) -> None:
        """Begin with a display of which nothing is known yet."""
        self.hung, self._on_change = None, on_change

    @callback
    def async_start(self, on_end: Callable[[], object]) -> None:
        """Keep the time of an announcement until the display is unloaded."""
        self._on_end = on_end
        self.apply()

    @callback
    def async_stop(self) -> None:
        """Stop the timers until the display is set up again."""
        self._on_end = self._on_change = None
        self.apply()

    @callback
    def tell(self) -> None:
        """Tell that something has changed which is no state of the display."""
        if self._on_change is not None:
            self._on_change()

    # What lasts

    @property
    def is_announcing(self) -> bool:
        """Return whether an announcement is on the display."""
        return self.notes.announcement is not None

    @property
    def until(self) -> datetime | None:
        """Return when the announcement ends, if there is one."""
        announcement = self.notes.announcement
        return announcement.until if announcement else None

    @property
    def is_busy(self) -> bool:
        """Return whether somebody changes it at the moment."""
        return self._lock.locked()

    @property
    def has_timer(self) -> bool:
        """Return whether the end of an announcement is still to come."""
        return self._cancel_end is not None

    @asynccontextmanager
    async def turn(self, number: int | None = None) -> AsyncIterator[bool]:
        """Wait for the turn of a cast, and yield whether no newer one was taken; without a number, it is part of the newest."""
        if number is None:
            number = self.newest
        self._waiting.append(number)
        try:
            await self._lock.acquire()
            while number < max(self._waiting):
                self._lock.release()
                await self._lock.acquire()
        finally:
            self._waiting.remove(number)
        try:
            yield number >= self.newest
        finally:
            self._lock.release()

    @callback
    def note(self, **changes: Any) -> None:
        """Change the notes, without saving them."""
        self.notes = replace(self.notes, **changes)
        self.apply()

    async def async_note(self, **changes: Any) -> None:
        """Change the notes, and save them."""
        self.note(**changes)
        self._has_changed = True
        self.tell()
        await self.async_save()

    @callback
    def apply(self, pause: float = 0.0) -> None:
        """Apply the notes: to the history, and the time at which an announcement ends, not before a pause, or a display is told again to sleep."""
        if self._cancel_end is not None:
            self._cancel_end()
            self._cancel_end = None
        if self._on_end is None:
            return
        announcement = self.notes.announcement
        if announcement is None and not self.notes.sleeps:
            return

        @callback
        def end(now: datetime) -> None:
            """Handle the end."""
            self._cancel_end = None
            if self._on_end is not None:
                self._on_end()

        rest = max(announcement.rest, pause) if announcement else RETRY_AFTER
        self._cancel_end = async_call_later(self._hass, rest, end)


@callback
def async_wall(hass: HomeAssistant, entry_id: str) -> Wall:
    """Return the wall of a display, which is there as long as its entry."""
    walls = hass.data.setdefault(WALLS, {})
    if (wall := walls.get(entry_id)) is None:
        wall = walls[entry_id] = Wall(hass, entry_id)
    return wall


async def async_remove_wall(hass: HomeAssistant, entry_id: str) -> None:
    """Remove the wall of a display that is removed."""
    await async_wall(hass, entry_id).async_remove()
    del hass.data[WALLS][entry_id]


def _to_json(stored: Stored) -> dict[str, Any]:
    """Return a wall as JSON."""
    history = [record_to_json(entry) for entry in stored.history]
    return {**record_to_json(stored.notes), "history": history}


def _parse(stored: Mapping[str, Any]) -> Stored:
    """Return what is stored of a wall, or raise PartlyReadError with what of it makes sense."""
    notes = {
        field.name: value
        for field in dataclass_fields(Notes)
        if (value := stored.get(field.name)) is not None
        and record_from_json(Notes, {field.name: value}) is not None
    }
    if ("announced" in notes) is not ("lasting" in notes):
        # Neither makes sense without the other.
        notes = {it: notes[it] for it in notes.keys() - {"announced", "lasting"}}
    entries = stored.get("history", [])
    read = [record_from_json(HistoryEntry, entry) for entry in entries]
    history = [entry for entry in read if entry is not None]
    value = Stored(record_from_json(Notes, notes) or Notes(), history)
    if len(history) < len(read) or len(notes) + ("history" in stored) < len(stored):
        raise PartlyReadError(value)
    return value
