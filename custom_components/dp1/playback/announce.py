"""Announcements: something shown for a limited time, after which the previous playlist returns."""

import asyncio
from collections import Counter, defaultdict
from collections.abc import Mapping
from dataclasses import asdict, dataclass, replace
from datetime import datetime, timedelta
from functools import partial
from typing import Any, Self

import voluptuous as vol

from homeassistant.core import CALLBACK_TYPE, HomeAssistant, callback
from homeassistant.exceptions import HomeAssistantError
from homeassistant.helpers import config_validation as cv
from homeassistant.helpers.event import async_track_point_in_utc_time
from homeassistant.util import dt as dt_util

from ..client.display.client import Cast
from ..client.text import clean
from ..const import LOGGER
from ..coordinator import DisplayCoordinator
from ..errors import invalid_input
from ..storage import CAST_SCHEMA, SafeStore, parse_stored_time
from .cast import async_cast
from .resolve import Options
from .snapshot import Snapshot, async_restore_snapshot, async_take_snapshot, is_showing

DEFAULT_DURATION = timedelta(seconds=30)
RETRY_INTERVAL = timedelta(seconds=10)
# After so long without contact, the announcement stays.
GIVE_UP_AFTER = timedelta(hours=24)


@dataclass(frozen=True, slots=True)
class Announcement:
    """An announcement on one display.

    Attributes:
        cast: what is shown.
        until: when it ends.
        before: what is restored then.
    """

    cast: Cast
    until: datetime
    before: Snapshot

    def as_dict(self) -> dict[str, Any]:
        """Return the announcement as JSON."""
        return {
            "cast": asdict(self.cast),
            "until": self.until.isoformat(),
            "before": self.before.as_dict(),
        }

    @classmethod
    def from_dict(cls, stored: Mapping[str, Any]) -> Self:
        """Read the output of `as_dict`."""
        return cls(
            Cast(**CAST_SCHEMA(stored["cast"])),
            parse_stored_time(stored["until"]),
            Snapshot.from_dict(stored["before"]),
        )


def _parse_stored(stored: dict[str, Any]) -> dict[str, Announcement]:
    """Return the stored announcements."""
    return {
        entry_id: Announcement.from_dict(announcement)
        for entry_id, announcement in stored.items()
    }


class Announcements:
    """The announcements on all displays, by config entry."""

    def __init__(self, hass: HomeAssistant) -> None:
        """Initialize without announcements."""
        self._hass = hass
        self._store = SafeStore(hass, "announcements", _parse_stored, private=True)
        self._active: dict[str, Announcement] = {}
        self._timers: dict[str, CALLBACK_TYPE] = {}
        # How many announcements are being sent to a display.
        self._sending: Counter[str] = Counter()
        self._locks: defaultdict[str, asyncio.Lock] = defaultdict(asyncio.Lock)

    async def async_load(self) -> None:
        """Load the active announcements from storage."""
        self._active = await self._store.async_load_parsed() or {}

    def is_active(self, entry_id: str) -> bool:
        """Return whether a display shows an announcement."""
        return entry_id in self._active

    async def async_announce(
        self,
        coordinator: DisplayCoordinator,
        cast: Cast,
        options: Options,
        duration: timedelta,
    ) -> dict[str, Any]:
        """Show something for a limited time; after overlapping announcements, what was shown before the first returns."""
        entry_id = coordinator.config_entry.entry_id
        with coordinator.requests.steps():
            async with self._locks[entry_id]:
                active = await self._async_active(coordinator)
                before = active.before if active else await _async_snapshot(coordinator)
                sent = Announcement(cast, _end(duration, active), before)
                # Saved before it is sent, so that a restart in between ends it.
                await self._async_start(coordinator, sent)
            self._sending[entry_id] += 1
            try:
                response = await async_cast(coordinator, cast, options)
            except HomeAssistantError:
                await self._async_replace(coordinator, sent, active)
                raise
            finally:
                self._sending[entry_id] -= 1
            # The duration counts from when it is visible.
            shown = replace(sent, until=_end(duration, active))
            await self._async_replace(coordinator, sent, shown)
            return response

    async def async_show(
        self, coordinator: DisplayCoordinator, cast: Cast, options: Options
    ) -> dict[str, Any]:
        """Show something permanently, which ends an announcement."""
        entry_id = coordinator.config_entry.entry_id
        async with self._locks[entry_id]:
            active = self._active.get(entry_id)
            await self._async_clear(coordinator)
        try:
            return await async_cast(coordinator, cast, options)
        except HomeAssistantError:
            await self._async_replace(coordinator, None, active)
            raise

    @callback
    def async_resume(self, coordinator: DisplayCoordinator) -> CALLBACK_TYPE:
        """Schedule the end of a loaded announcement, and return a callback that cancels it."""
        entry_id = coordinator.config_entry.entry_id
        if (active := self._active.get(entry_id)) is not None:
            coordinator.history.paused = True
            self._schedule(coordinator, active.until)
        return partial(self._cancel, entry_id)

    async def async_forget(self, entry_id: str) -> None:
        """Forget the announcement on a display, which then stays."""
        self._cancel(entry_id)
        if self._active.pop(entry_id, None) is not None:
            await self._async_save()

    async def _async_start(
        self, coordinator: DisplayCoordinator, announcement: Announcement
    ) -> None:
        """Save an announcement and schedule its end."""
        coordinator.history.paused = True
        self._active[coordinator.config_entry.entry_id] = announcement
        self._schedule(coordinator, announcement.until)
        await self._async_save()

    async def _async_active(
        self, coordinator: DisplayCoordinator
    ) -> Announcement | None:
        """Return the active announcement unless something else has been shown since."""
        entry_id = coordinator.config_entry.entry_id
        active = self._active.get(entry_id)
        if active is None or self._sending[entry_id]:
            return active
        return active if await _async_is_shown(coordinator, active) else None

    async def _async_replace(
        self,
        coordinator: DisplayCoordinator,
        old: Announcement | None,
        new: Announcement | None,
    ) -> None:
        """Replace an announcement if it is still the active one."""
        entry_id = coordinator.config_entry.entry_id
        async with self._locks[entry_id]:
            if self._active.get(entry_id) is not old:
                return
            if new is None:
                await self._async_clear(coordinator)
            else:
                await self._async_start(coordinator, new)

    async def _async_clear(self, coordinator: DisplayCoordinator) -> None:
        """Forget the announcement and record what the display shows again."""
        coordinator.history.paused = False
        await self.async_forget(coordinator.config_entry.entry_id)

    @callback
    def _schedule(self, coordinator: DisplayCoordinator, when: datetime) -> None:
        """Schedule the end of an announcement."""
        entry = coordinator.config_entry
        self._cancel(entry.entry_id)

        @callback
        def end(now: datetime) -> None:
            """Handle the end of the announcement."""
            self._timers.pop(entry.entry_id, None)
            entry.async_create_task(
                self._hass, self._async_end(coordinator), f"{entry.title} restore"
            )

        self._timers[entry.entry_id] = async_track_point_in_utc_time(
            self._hass, end, when
        )

    @callback
    def _cancel(self, entry_id: str) -> None:
        """Cancel the scheduled end of an announcement."""
        if (cancel := self._timers.pop(entry_id, None)) is not None:
            cancel()

    async def _async_end(self, coordinator: DisplayCoordinator) -> None:
        """Restore what was shown before, unless something else is shown by now; retry while there is no contact."""
        entry_id = coordinator.config_entry.entry_id
        with coordinator.requests.steps():
            async with self._locks[entry_id]:
                active = self._active.get(entry_id)
                if (
                    active is None
                    or entry_id in self._timers
                    or self._sending[entry_id]
                ):
                    return
                try:
                    if await _async_is_shown(coordinator, active):
                        await async_restore_snapshot(coordinator, active.before)
                except HomeAssistantError as err:
                    LOGGER.debug("Restoring %s failed: %s", coordinator.name, err)
                    now = dt_util.utcnow()
                    if now < active.until + GIVE_UP_AFTER:
                        self._schedule(coordinator, now + RETRY_INTERVAL)
                        return
                await self._async_clear(coordinator)

    async def _async_save(self) -> None:
        """Save the active announcements."""
        await self._store.async_save(
            {entry_id: active.as_dict() for entry_id, active in self._active.items()}
        )


def positive_duration(value: Any) -> timedelta:
    """Validate a duration, also one that is longer than Python can express."""
    try:
        duration: timedelta = cv.positive_time_period(value)
    except OverflowError as err:
        raise vol.Invalid("the duration is too long") from err
    return duration


def duration_of(extra: Mapping[str, Any], announce: bool) -> timedelta | None:
    """Return how long something is to be shown; None for permanently."""
    given = extra.get("show_for")
    if announce and given is None:
        given = extra.get("duration", DEFAULT_DURATION)
    if given is None:
        return None
    try:
        return positive_duration(given)
    except vol.Invalid as err:
        raise invalid_input("not_a_duration", given=clean(str(given), 100)) from err


def _end(duration: timedelta, active: Announcement | None) -> datetime:
    """Return when an announcement ends that starts now, not before the active one."""
    until = dt_util.utcnow() + duration
    return until if active is None else max(until, active.until)


async def _async_snapshot(coordinator: DisplayCoordinator) -> Snapshot:
    """Take a snapshot of a display, if that can be done."""
    if coordinator.cast_only and coordinator.data.assumed is None:
        raise invalid_input("display_cannot", name=coordinator.name, what="show_for")
    return await async_take_snapshot(coordinator)


async def _async_is_shown(
    coordinator: DisplayCoordinator, announcement: Announcement
) -> bool:
    """Ask whether a display still shows an announcement."""
    if coordinator.last_cast not in (None, announcement.cast):
        return False
    player = await coordinator.async_read_player()
    return player is None or is_showing(announcement.cast, player)
