"""The program of a display: permanent playlists and announcements, one cast after the other."""

import asyncio
from collections.abc import AsyncIterator, Iterator, Mapping
from contextlib import asynccontextmanager
from dataclasses import dataclass, field, replace
from datetime import datetime, timedelta
from typing import Any, Final

from homeassistant.core import CALLBACK_TYPE, HomeAssistant, callback
from homeassistant.exceptions import HomeAssistantError
from homeassistant.helpers.event import async_call_later
from homeassistant.util import dt as dt_util
from homeassistant.util.hass_dict import HassKey

from ..client.playlist.playlist import Playlist
from ..const import DOMAIN, LOGGER
from ..coordinator import DisplayCoordinator, Refresh
from ..display.hung import Hung
from ..displays import async_displays
from ..errors import invalid_input
from ..storage import PartlyReadError, SafeStore, record_from_json, record_to_json
from .cast import (
    Snapshot,
    async_cast,
    async_response,
    async_restore_snapshot,
    async_take_snapshot,
    async_wake,
)
from .request import Request
from .watch import Change

PROGRAMS: Final[HassKey[Programs]] = HassKey(f"{DOMAIN}_programs")
RETRY_AFTER: Final = timedelta(seconds=10)
# Seconds after the end of an announcement, until a display that cannot be given back what it showed keeps it.
GIVE_UP: Final = 86400.0

type Response = dict[str, Any]


@dataclass(frozen=True, slots=True)
class Announcement:
    """A playlist shown for a limited time, after which the one before returns.

    Attributes:
        hung: what is shown.
        until: when it ends.
        before: what is restored then.
        since: when it began, None if an older version has stored it.
        earlier: what is restored if the display refuses that, None if nothing came too late.
    """

    hung: Hung
    until: datetime
    before: Snapshot
    since: datetime | None = None
    earlier: Snapshot | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class DisplayNotes:
    """Notes about a display, which outlast a restart.

    Attributes:
        announcement: the current announcement.
        daily: URL of the Daily, while that is shown: by its URL, as a document, or its works of today alone.
        leader: config entry of the display that leads its group.
        spread: config entries of the displays that share a playlist, each one work ahead of the one before.
        ignores_times: firmware that ignores when works are due.
    """

    announcement: Announcement | None = None
    daily: str | None = None
    leader: str | None = None
    spread: list[str] = field(default_factory=list)
    ignores_times: str | None = None


def _parse_stored(stored: Mapping[str, Mapping[str, Any]]) -> dict[str, DisplayNotes]:
    """Return the notes by display, or raise PartlyReadError with them if fields of some make no sense."""
    notes: dict[str, DisplayNotes] = {}
    is_damaged = False
    for entry_id, record in stored.items():
        fields = (
            dict(map(_of_today, record.items())) if isinstance(record, dict) else {}
        )
        kept = {
            name: value
            for name, value in fields.items()
            if record_from_json(DisplayNotes, {name: value})
        }
        is_damaged |= kept != (fields or record)
        notes[entry_id] = record_from_json(DisplayNotes, kept) or DisplayNotes()
    if is_damaged:
        raise PartlyReadError(notes)
    return notes


def _of_today(note: tuple[str, Any]) -> tuple[str, Any]:
    """Return a note, also if an earlier version stored it: an announcement with playlists instead of what hangs."""
    match note:
        case "announcement", {"playlist": cast, "until": at, **rest}:
            new = {"hung": {"cast": cast, "cast_at": at}, "until": at}
            return "announcement", new | {
                key: _snapshot_of_today(value, at)
                if key in ("before", "earlier")
                else value
                for key, value in rest.items()
            }
    return note


def _snapshot_of_today(snapshot: Any, at: str) -> Any:
    """Return a snapshot, also if an earlier version stored it."""
    match snapshot:
        case {"asleep": asleep, "playlist": cast, **rest}:
            hung = {"cast": cast, "cast_at": at, "start": rest.get("start", {})}
            return {"hung": hung if cast else None, "asleep": asleep}
    return snapshot


class Programs:
    """The programs of all displays, by config entry."""

    def __init__(self, hass: HomeAssistant) -> None:
        """Initialize without displays."""
        self.hass = hass
        self._store = SafeStore(hass, "displays", _parse_stored)
        self._programs: dict[str, Program] = {}

    async def async_load(self) -> None:
        """Load the notes from storage."""
        stored = await self._store.async_load_parsed() or {}
        for entry_id, notes in stored.items():
            self[entry_id].notes = notes

    async def async_save(self) -> None:
        """Save the notes."""
        records = {key: record_to_json(self[key].notes) for key in self._programs}
        await self._store.async_save(
            {key: record for key, record in records.items() if record}
        )

    async def async_save_and_tell(self) -> None:
        """Save the notes, and update the states of all displays."""
        await self.async_save()
        for coordinator in async_displays(self.hass):
            coordinator.async_update_listeners()

    def __getitem__(self, entry_id: str) -> Program:
        """Return the program of a display."""
        if (program := self._programs.get(entry_id)) is None:
            program = self._programs[entry_id] = Program(self)
        return program

    def __iter__(self) -> Iterator[tuple[str, DisplayNotes]]:
        """Yield the displays with their notes."""
        for entry_id, program in self._programs.items():
            yield entry_id, program.notes

    @callback
    def async_start(self, coordinator: DisplayCoordinator) -> None:
        """Run the program of a display until it is unloaded."""
        self[coordinator.entry_id].async_start(coordinator)

    async def async_forget(self, entry_id: str) -> None:
        """Forget a display."""
        self._programs.pop(entry_id, Program(self)).async_stop()
        await self.async_save_and_tell()


class Program:
    """The program of one display.

    Its casts are sent one at a time, the newest of those that wait first. Older ones are not sent any more once a newer
    one was taken, but are if it was refused.

    Attributes:
        notes: what lasts on the display, and what is remembered of it.
    """

    def __init__(self, programs: Programs) -> None:
        """Initialize without notes."""
        self.notes = DisplayNotes()
        self._programs = programs
        self._display: DisplayCoordinator | None = None
        self._lock = asyncio.Lock()
        self._waiting: list[int] = []
        # The number of the newest cast that was taken; what lasts on the display is a part of it.
        self._newest = 0
        # That of the newest permanent one, which may hang after an announcement.
        self._newest_permanent = 0
        self._cancel_end: CALLBACK_TYPE | None = None

    @property
    def is_announcing(self) -> bool:
        """Return whether an announcement is on the display."""
        return self.notes.announcement is not None

    @property
    def until(self) -> datetime | None:
        """Return when the announcement ends, if there is one."""
        announcement = self.notes.announcement
        return announcement.until if announcement else None

    @callback
    def async_start(self, coordinator: DisplayCoordinator) -> None:
        """Run until the display is unloaded."""
        self._display = coordinator
        coordinator.config_entry.async_on_unload(self.async_stop)
        self._apply()

    @callback
    def async_stop(self) -> None:
        """Stop the timers until the display is set up again."""
        self._display = None
        self._apply()

    @asynccontextmanager
    async def turn(self, number: int | None = None) -> AsyncIterator[bool]:
        """Wait for the turn of a cast, and yield whether no newer one was taken; without a number, it is part of the newest."""
        if number is None:
            number = self._newest
        self._waiting.append(number)
        try:
            await self._lock.acquire()
            while number < max(self._waiting):
                self._lock.release()
                await self._lock.acquire()
        finally:
            self._waiting.remove(number)
        try:
            yield number >= self._newest
        finally:
            self._lock.release()

    @callback
    def note(self, **changes: Any) -> None:
        """Change the notes, without saving them."""
        self.notes = replace(self.notes, **changes)
        self._apply()

    async def async_note(self, **changes: Any) -> None:
        """Change the notes, and save them."""
        self.note(**changes)
        if self._display is not None:
            self._display.async_update_listeners()
        await self._programs.async_save()

    @callback
    def _apply(self, end_at: datetime | None = None) -> None:
        """Apply the announcement to the display: its history, and the time at which it ends."""
        if self._cancel_end is not None:
            self._cancel_end()
            self._cancel_end = None
        if (display := self._display) is None:
            return
        display.history.is_announcing = self.is_announcing
        if (end_at := end_at or self.until) is None:
            return

        @callback
        def end(now: datetime) -> None:
            """Handle the end."""
            self._cancel_end = None
            # In the background: a display that does not answer holds up no reload.
            display.create_task(self._async_end(display), "announcement")

        # A duration, as the clock may be set back meanwhile, also over a restart.
        announcement, now = self.notes.announcement, dt_util.utcnow()
        began = announcement.since if announcement else None
        rest = (end_at - max(now, began or now)).total_seconds()
        self._cancel_end = async_call_later(display.hass, max(rest, 0.0), end)

    # Permanently

    async def async_show(
        self,
        coordinator: DisplayCoordinator,
        playlist: Playlist,
        request: Request,
        daily: str | None = None,
    ) -> Response:
        """Show a playlist permanently, which ends announcement and Daily, and return the response of ``dp1.cast_playlist``."""
        async with self.turn(request.number) as is_newest:
            announcement = self.notes.announcement
            is_older = (
                request.number < self._newest_permanent
                or coordinator.requests.is_canceled(request.number)
            )
            if is_older or (announcement and not is_newest):
                if announcement and not is_older:
                    # It is what hangs after the newer announcement.
                    self._newest_permanent = request.number
                    asleep = announcement.before.asleep and not request.wake
                    announcement = replace(
                        announcement,
                        before=Snapshot(
                            Hung(asked=playlist, start=request.start), asleep
                        ),
                        earlier=announcement.earlier or announcement.before,
                    )
                    await self.async_note(announcement=announcement, daily=daily)
                return await _async_superseded(coordinator, playlist)
            async with self._lasting(request, daily):
                hung = await async_cast(coordinator, playlist, request)
        await async_wake(coordinator, request)
        return await async_response(coordinator, hung)

    async def async_show_again(
        self, coordinator: DisplayCoordinator, record_id: str, request: Request
    ) -> None:
        """Show a work that the display remembers permanently, as :meth:`async_show` does."""
        async with self.turn(request.number) as is_newest:
            if not is_newest or coordinator.requests.is_canceled(request.number):
                return
            async with (
                self._lasting(request),
                coordinator.async_command(Refresh.PLAYER) as display,
            ):
                await display.show_again(record_id)
        await async_wake(coordinator, request)

    @asynccontextmanager
    async def _lasting(
        self, request: Request, daily: str | None = None
    ) -> AsyncIterator[None]:
        """End what lasted until then, unless the cast that is sent meanwhile is refused or canceled."""
        lasting = self.notes
        # Before it is sent, as it belongs to no announcement.
        self.note(announcement=None, daily=None)
        try:
            yield
            self._newest_permanent = request.number
            self._newest = max(self._newest, request.number)
            self.note(daily=daily)
        except BaseException:
            self.note(announcement=lasting.announcement, daily=lasting.daily)
            if self._display is not None:
                self._display.async_update_listeners()
            raise
        finally:
            if self.notes != lasting:
                await self.async_note()

    # For a limited time

    async def async_announce(
        self,
        coordinator: DisplayCoordinator,
        playlist: Playlist,
        request: Request,
        duration: timedelta,
    ) -> Response:
        """Show a playlist for a limited time; after overlapping announcements, the one before the first returns."""
        async with self.turn(request.number) as is_newest:
            if not is_newest or coordinator.requests.is_canceled(request.number):
                return await _async_superseded(coordinator, playlist)
            with coordinator.requests.steps():
                active = self.notes.announcement
                if active and not await _async_is_shown(coordinator, active):
                    active = None
                before = active.before if active else await _async_before(coordinator)
                hung = Hung(asked=playlist, start=request.start)
                announcement = Announcement(
                    hung, _end(duration, active), before, dt_util.utcnow()
                )
                if active:
                    announcement = replace(announcement, earlier=active.earlier)
                # Saved before it is sent, so that a restart in between ends it.
                await self.async_note(announcement=announcement)
                try:
                    hung = await async_cast(coordinator, playlist, request)
                except BaseException:
                    await self.async_note(announcement=active)
                    raise
                self._newest = request.number
                await async_wake(coordinator, request)
                # The duration counts from when it is visible.
                until = _end(duration, active)
                announcement = replace(announcement, hung=hung, until=until)
                await self.async_note(announcement=announcement)
        return await async_response(coordinator, hung)

    async def async_end_announcement(self, coordinator: DisplayCoordinator) -> None:
        """Show the playlist from before an announcement again, or raise if there is none."""
        async with self.turn():
            if (announcement := self.notes.announcement) is None:
                raise invalid_input("nothing_shown_for_a_time", name=coordinator.name)
            await self._async_restore(coordinator, announcement)

    async def async_lasting(self, coordinator: DisplayCoordinator) -> Snapshot:
        """Return what hangs; during an announcement, what comes back, or raise if nothing does."""
        if (announcement := await self.async_announced(coordinator)) is None:
            return await async_take_snapshot(coordinator)
        if announcement.before.hung is None:
            raise invalid_input("nothing_comes_back", name=coordinator.name)
        return announcement.before

    async def async_announced(
        self, coordinator: DisplayCoordinator
    ) -> Announcement | None:
        """Return the announcement that a display shows; what is changed meanwhile is what comes back after it."""
        announcement = self.notes.announcement
        if announcement is None or not await _async_is_shown(coordinator, announcement):
            return None
        return announcement

    async def async_change_lasting(self, **changes: Any) -> None:
        """Change what comes back after the announcement: the playlist, its place and order, or whether the display sleeps then."""
        async with self.turn():
            if (announcement := self.notes.announcement) is None:
                return
            before = replace(announcement.before, **changes)
            daily = self.notes.daily
            if before.hung is None or before.hung.asked.url not in (None, daily):
                daily = None
            announcement = replace(announcement, before=before)
            await self.async_note(announcement=announcement, daily=daily)

    async def async_order(
        self,
        coordinator: DisplayCoordinator,
        shuffle: bool | None = None,
        loop: str | None = None,
    ) -> None:
        """Set the order of a display, and that of what comes back after an announcement."""
        async with coordinator.async_command() as display:
            if shuffle is not None:
                await display.set_shuffle(shuffle)
            if loop is not None:
                await display.set_loop(loop)
        announcement = await self.async_announced(coordinator)
        if announcement and (hung := announcement.before.hung):
            start = hung.start
            start = replace(
                start,
                shuffle=start.shuffle if shuffle is None else shuffle,
                loop=loop or start.loop,
            )
            await self.async_change_lasting(hung=replace(hung, start=start))

    @callback
    def follow(self, change: Change) -> None:
        """Take an announcement for over once somebody has cast something else over it."""
        announcement, display = self.notes.announcement, self._display
        player = change.after.data.player
        if announcement is None or display is None or player is None:
            return
        if display.requests.in_steps or display.requests.pending or self._lock.locked():
            return
        # A push does not carry the list, which is read a moment later.
        if player is change.before.data.player or not change.after.available:
            return
        if player.playlist is None or player.hides_works or not player.items:
            return
        if not announcement.hung.is_shown_by(player):
            display.create_task(self._async_note_over(announcement), "announcement")

    async def _async_note_over(self, announcement: Announcement) -> None:
        """Note that an announcement is over, unless there is another by now."""
        if self.notes.announcement is announcement:
            await self.async_note(announcement=None)

    async def async_extend(self, duration: timedelta) -> datetime | None:
        """Show an announcement for longer; return until when, None if there is none."""
        async with self.turn():
            if (announcement := self.notes.announcement) is None:
                return None
            until = announcement.until + duration
            await self.async_note(announcement=replace(announcement, until=until))
            return until

    async def _async_end(self, coordinator: DisplayCoordinator) -> None:
        """End an announcement whose time is over, and try again later if that fails."""
        async with self.turn():
            if (announcement := self.notes.announcement) is None or self._cancel_end:
                # It was extended meanwhile.
                return
            try:
                await self._async_restore(coordinator, announcement)
            except HomeAssistantError as err:
                LOGGER.debug("%s: an announcement ends late: %s", coordinator.name, err)
                patience = timedelta(seconds=GIVE_UP)
                if (now := dt_util.utcnow()) < announcement.until + patience:
                    self._apply(now + RETRY_AFTER)
                else:
                    await self.async_note(announcement=None)

    async def _async_restore(
        self, coordinator: DisplayCoordinator, announcement: Announcement
    ) -> None:
        """Show the playlist from before an announcement, unless something else is shown by now."""
        with coordinator.requests.steps():
            if await _async_is_shown(coordinator, announcement):
                try:
                    await async_restore_snapshot(coordinator, announcement.before)
                except HomeAssistantError:
                    if announcement.earlier is None:
                        raise
                    await async_restore_snapshot(coordinator, announcement.earlier)
            await self.async_note(announcement=None)


async def _async_superseded(
    coordinator: DisplayCoordinator, playlist: Playlist
) -> Response:
    """Return the response to a cast in whose place a newer one is shown."""
    newer = coordinator.hung or Hung(asked=playlist)
    return {**await async_response(coordinator, newer), "superseded": True}


async def _async_is_shown(
    coordinator: DisplayCoordinator, announcement: Announcement
) -> bool:
    """Ask whether a display still shows an announcement."""
    if coordinator.hung not in (None, announcement.hung):
        return False
    player = await coordinator.async_read_player()
    if player is None or player.hides_works:
        return True
    return announcement.hung.is_shown_by(player)


async def _async_before(coordinator: DisplayCoordinator) -> Snapshot:
    """Return the snapshot to show after an announcement, or raise if the display cannot tell."""
    if coordinator.cast_only and coordinator.assumed is None:
        raise invalid_input("display_cannot", name=coordinator.name, what="show_for")
    return await async_take_snapshot(coordinator)


def _end(duration: timedelta, active: Announcement | None) -> datetime:
    """Return when an announcement ends that starts now, not before the active one."""
    until = dt_util.utcnow() + duration
    return until if active is None else max(until, active.until)
