"""Duties of displays: what lasts on one until its time has come, or until something else is shown there.

Each kind of duty says what is wanted, until when, and what is to be done then. One table has the duties of all displays.
"""

import asyncio
from collections import defaultdict
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from datetime import datetime, timedelta
from typing import Any, ClassVar, Final, Literal, Self, override

from mashumaro import DataClassDictMixin, field_options, pass_through
from mashumaro.config import BaseConfig
from mashumaro.types import Discriminator
import voluptuous as vol

from homeassistant.core import CALLBACK_TYPE, HomeAssistant, callback
from homeassistant.exceptions import HomeAssistantError
from homeassistant.helpers.event import async_track_point_in_utc_time
from homeassistant.util import dt as dt_util
from homeassistant.util.hass_dict import HassKey

from ..client.playlist.playlist import Playlist
from ..const import DOMAIN, LOGGER
from ..coordinator import DisplayCoordinator, async_displays
from ..errors import invalid_input
from ..fields import duration as validate_duration
from ..library.entries import async_add_libraries_listener
from ..storage import SafeStore, StoredDialect
from .cast import (
    Snapshot,
    async_cast,
    async_restore_snapshot,
    async_take_snapshot,
    is_showing,
)
from .resolve import Options

# Seconds after the end of what is shown for a time, until a display that cannot be given back what it showed keeps
# it.
GIVE_UP: Final = 86400.0

DUTIES: Final[HassKey[Duties]] = HassKey(f"{DOMAIN}_duties")
DEFAULT_DURATION: Final = timedelta(seconds=30)
# A field of a duty that ends with Home Assistant.
NOT_STORED: Final[Mapping[str, Any]] = {
    "serialize": "omit",
    "deserialize": pass_through,
}


@dataclass(kw_only=True)
class Duty(DataClassDictMixin):
    """Something that lasts on a display; each subclass has a `kind`, of which a display has one.

    Attributes:
        ends_with_cast: whether it ends as soon as something else is to be shown permanently.
        retry_after: when to try again after `async_end` has failed.
    """

    ends_with_cast: ClassVar[bool] = False
    retry_after: ClassVar[timedelta] = timedelta(minutes=1)

    class Config(BaseConfig):
        """Configuration of the serialization."""

        dialect = StoredDialect
        discriminator = Discriminator(field="kind", include_subtypes=True)

    def due(self, hass: HomeAssistant) -> datetime | None:
        """Return when `async_end` is to be called."""
        return None

    async def async_end(self, coordinator: DisplayCoordinator) -> Self | None:
        """Do what is due, and return what lasts from then on; may raise HomeAssistantError."""
        return None

    @callback
    def handle_start(self, coordinator: DisplayCoordinator) -> None:
        """Handle that the display was set up."""

    @callback
    def handle_update(self, coordinator: DisplayCoordinator) -> None:
        """Handle what the display reports."""

    @callback
    def handle_removal(self, hass: HomeAssistant, entry_id: str) -> None:
        """Handle the removal of the display."""


@dataclass(kw_only=True)
class Announcement(Duty):
    """Something shown for a limited time, after which what was shown before returns.

    Attributes:
        playlist: what is shown.
        until: when it ends.
        before: what is restored then.
        sending: whether it is being sent to the display.
    """

    ends_with_cast = True
    retry_after = timedelta(seconds=10)

    kind: Literal["announcement"] = "announcement"
    playlist: Playlist = field(metadata=field_options(alias="cast"))
    until: datetime
    before: Snapshot
    sending: bool = field(default=False, compare=False, metadata=NOT_STORED)

    @override
    def due(self, hass: HomeAssistant) -> datetime | None:
        """Return when it ends."""
        return self.until

    @override
    async def async_end(self, coordinator: DisplayCoordinator) -> Self | None:
        """Restore what was shown before, unless something else is shown by now."""
        if self.sending:
            raise HomeAssistantError("it is still being sent")
        try:
            with coordinator.requests.steps():
                if await self.async_is_shown(coordinator):
                    await async_restore_snapshot(coordinator, self.before)
        except HomeAssistantError:
            patience = timedelta(seconds=GIVE_UP)
            if dt_util.utcnow() < self.until + patience:
                raise
        return None

    async def async_is_shown(self, coordinator: DisplayCoordinator) -> bool:
        """Ask whether the display still shows it."""
        if coordinator.last_cast not in (None, self.playlist):
            return False
        player = await coordinator.async_read_player()
        if player is None or player.hides_works:
            return True
        return is_showing(self.playlist, player)


type Table = dict[str, dict[type[Duty], Duty]]


def _parse_stored(stored: Any) -> Table:
    """Return the stored duties."""
    return {
        entry_id: {type(duty): duty for duty in map(Duty.from_dict, records)}
        for entry_id, records in stored.items()
    }


class Duties:
    """The duties of all displays, by config entry."""

    def __init__(self, hass: HomeAssistant) -> None:
        """Initialize without duties."""
        self.hass = hass
        self._store = SafeStore(hass, "duties", _parse_stored)
        self._table: Table = {}
        # The displays that are set up, by config entry.
        self._displays: dict[str, DisplayCoordinator] = {}
        self._timers: dict[tuple[str, type[Duty]], CALLBACK_TYPE] = {}
        # Duties that could not be done at their time.
        self._late: set[tuple[str, type[Duty]]] = set()
        self._locks: defaultdict[tuple[str, type[Duty]], asyncio.Lock] = defaultdict(
            asyncio.Lock
        )

    async def async_load(self) -> None:
        """Load the duties from storage."""
        self._table = await self._store.async_load_parsed() or {}

    def get[T: Duty](self, entry_id: str, kind: type[T]) -> T | None:
        """Return the duty of a kind that a display has."""
        duty = self._table.get(entry_id, {}).get(kind)
        return duty if isinstance(duty, kind) else None

    def all[T: Duty](self, kind: type[T]) -> dict[str, T]:
        """Return the duties of a kind, by config entry."""
        found = {entry_id: self.get(entry_id, kind) for entry_id in self._table}
        return {entry_id: duty for entry_id, duty in found.items() if duty is not None}

    def is_announcing(self, entry_id: str) -> bool:
        """Return whether a display shows an announcement."""
        return self.get(entry_id, Announcement) is not None

    def announced_until(self, entry_id: str) -> str | None:
        """Return when an announcement on a display ends, as ISO 8601."""
        active = self.get(entry_id, Announcement)
        return active.until.isoformat(timespec="seconds") if active else None

    @callback
    def async_start(self, coordinator: DisplayCoordinator) -> None:
        """Do what lasts on a display until it is unloaded."""
        entry_id = coordinator.entry_id
        self._displays[entry_id] = coordinator

        @callback
        def handle_libraries() -> None:
            """Handle other documents."""
            for kind in self._table.get(entry_id, ()):
                if (entry_id, kind) not in self._late:
                    self._schedule(entry_id, kind)

        @callback
        def handle_update() -> None:
            """Handle what the display reports."""
            for duty in list(self._table.get(entry_id, {}).values()):
                duty.handle_update(coordinator)

        @callback
        def stop() -> None:
            """Leave what is due until the display is set up again."""
            self._cancel(entry_id)
            del self._displays[entry_id]

        for duty in self._table.get(entry_id, {}).values():
            duty.handle_start(coordinator)
        handle_libraries()
        coordinator.history.is_announcing = self.is_announcing(entry_id)
        for end in (
            async_add_libraries_listener(self.hass, handle_libraries),
            coordinator.async_add_listener(handle_update),
            stop,
        ):
            coordinator.config_entry.async_on_unload(end)

    async def async_forget(self, entry_id: str) -> None:
        """Forget a display."""
        self._cancel(entry_id)
        for duty in list(self._table.get(entry_id, {}).values()):
            duty.handle_removal(self.hass, entry_id)
        self._table.pop(entry_id, None)
        for key in [key for key in self._locks if key[0] == entry_id]:
            del self._locks[key]
        await self.async_save_and_tell()

    @callback
    def set(self, entry_id: str, duty: Duty) -> None:
        """Set a duty without saving it, in place of the one of the same kind."""
        self._table.setdefault(entry_id, {})[type(duty)] = duty

    @callback
    def drop(self, entry_id: str, kind: type[Duty]) -> None:
        """Drop a duty without saving that."""
        self._cancel(entry_id, kind)
        self._table.get(entry_id, {}).pop(kind, None)

    async def async_put(self, coordinator: DisplayCoordinator, duty: Duty) -> None:
        """Give a display a duty, in place of the one of the same kind."""
        entry_id = coordinator.entry_id
        if self.hass.config_entries.async_get_entry(entry_id) is None:
            # It was removed meanwhile.
            return
        self.set(entry_id, duty)
        self._schedule(entry_id, type(duty))
        await self._async_changed(entry_id)

    async def async_take(
        self, coordinator: DisplayCoordinator, *kinds: type[Duty]
    ) -> None:
        """Take duties from a display."""
        entry_id = coordinator.entry_id
        known = [kind for kind in kinds if self.get(entry_id, kind)]
        for kind in known:
            self.drop(entry_id, kind)
        if known:
            await self._async_changed(entry_id)

    async def _async_changed(self, entry_id: str) -> None:
        """Update a display that has other duties, and save them."""
        if (display := self._displays.get(entry_id)) is not None:
            display.history.is_announcing = self.is_announcing(entry_id)
            display.async_update_listeners()
        await self.async_save()

    async def async_save(self) -> None:
        """Save the duties."""
        await self._store.async_save(
            {
                entry_id: [duty.to_dict() for duty in duties.values()]
                for entry_id, duties in self._table.items()
                if duties
            }
        )

    async def async_save_and_tell(self) -> None:
        """Save the duties, and update the states of all displays."""
        await self.async_save()
        for coordinator in async_displays(self.hass):
            coordinator.async_update_listeners()

    # Time

    @callback
    def _schedule(
        self, entry_id: str, kind: type[Duty], when: datetime | None = None
    ) -> None:
        """Call for what is due at its time, or at another, on a display that is set up."""
        key = entry_id, kind
        self._cancel(*key)
        display, duty = self._displays.get(entry_id), self.get(*key)
        if display is None or duty is None:
            return
        if (when := when or duty.due(self.hass)) is None:
            return

        @callback
        def act(now: datetime) -> None:
            """Handle the moment."""
            self._timers.pop(key, None)
            self.async_act(display, kind)

        self._timers[key] = async_track_point_in_utc_time(self.hass, act, when)

    @callback
    def _cancel(self, entry_id: str, *kinds: type[Duty]) -> None:
        """Cancel what is scheduled for a display."""
        for kind in kinds or tuple(self._table.get(entry_id, ())):
            self._late.discard((entry_id, kind))
            if (cancel := self._timers.pop((entry_id, kind), None)) is not None:
                cancel()

    @callback
    def async_act(self, coordinator: DisplayCoordinator, kind: type[Duty]) -> None:
        """Do what is due on a display."""
        entry = coordinator.config_entry
        entry.async_create_task(
            self.hass, self._async_act(coordinator, kind), f"{entry.title} duty"
        )

    async def _async_act(
        self, coordinator: DisplayCoordinator, kind: type[Duty]
    ) -> None:
        """Do what is due, and try again later if that fails."""
        key = coordinator.entry_id, kind
        async with self._locks[key]:
            if (duty := self.get(*key)) is None or key in self._timers:
                return
            try:
                rest = await duty.async_end(coordinator)
            except HomeAssistantError as err:
                LOGGER.debug("%s: %s is late: %s", coordinator.name, kind, err)
                if self.get(*key) is duty:
                    retry_at = dt_util.utcnow() + duty.retry_after
                    self._schedule(*key, retry_at)
                    self._late.add(key)
                return
            if self.get(*key) is not duty:
                return
            if rest is None:
                await self.async_take(coordinator, kind)
            else:
                await self.async_put(coordinator, rest)

    # Showing

    async def async_show(
        self, coordinator: DisplayCoordinator, playlist: Playlist, options: Options
    ) -> dict[str, Any]:
        """Show something permanently, which ends what lasted until then."""
        entry_id = coordinator.entry_id
        lock = self._locks[entry_id, Announcement]
        async with lock:
            duties = self._table.get(entry_id, {}).values()
            ended = [duty for duty in duties if duty.ends_with_cast]
            await self.async_take(coordinator, *map(type, ended))
        try:
            return await async_cast(coordinator, playlist, options)
        except HomeAssistantError:
            async with lock:
                for duty in ended:
                    if self.get(entry_id, type(duty)) is None:
                        await self.async_put(coordinator, duty)
            raise

    async def async_announce(
        self,
        coordinator: DisplayCoordinator,
        playlist: Playlist,
        options: Options,
        duration: timedelta,
    ) -> dict[str, Any]:
        """Show something for a limited time; after overlapping announcements, what was shown before the first returns."""
        lock = self._locks[coordinator.entry_id, Announcement]
        with coordinator.requests.steps():
            async with lock:
                active = self.get(coordinator.entry_id, Announcement)
                if active and not active.sending:
                    if not await active.async_is_shown(coordinator):
                        active = None
                before = active.before if active else await _async_snapshot(coordinator)
                sent = Announcement(
                    playlist=playlist,
                    until=_end(duration, active),
                    before=before,
                    sending=True,
                )
                # Saved before it is sent, so that a restart in between ends it.
                await self.async_put(coordinator, sent)
            try:
                response = await async_cast(coordinator, playlist, options)
            except HomeAssistantError:
                await self._async_replace(coordinator, sent, active)
                raise
            finally:
                sent.sending = False
            # The duration counts from when it is visible.
            shown = replace(sent, until=_end(duration, active))
            await self._async_replace(coordinator, sent, shown)
            return response

    async def async_end_announcement(self, coordinator: DisplayCoordinator) -> None:
        """Show again what was shown before an announcement, or raise if there is none."""
        async with self._locks[coordinator.entry_id, Announcement]:
            active = self.get(coordinator.entry_id, Announcement)
            if active is None or active.sending:
                raise invalid_input("nothing_shown_for_a_time", name=coordinator.name)
            await active.async_end(coordinator)
            await self.async_take(coordinator, Announcement)

    async def async_extend(
        self, coordinator: DisplayCoordinator, duration: timedelta
    ) -> datetime | None:
        """Show an announcement for longer; return until when, None if there is none."""
        async with self._locks[coordinator.entry_id, Announcement]:
            if (active := self.get(coordinator.entry_id, Announcement)) is None:
                return None
            longer = replace(active, until=active.until + duration)
            await self.async_put(coordinator, longer)
            return longer.until

    async def _async_replace(
        self,
        coordinator: DisplayCoordinator,
        old: Announcement,
        new: Announcement | None,
    ) -> None:
        """Replace an announcement if it is still the one of the display."""
        async with self._locks[coordinator.entry_id, Announcement]:
            if self.get(coordinator.entry_id, Announcement) is not old:
                return
            if new is None:
                await self.async_take(coordinator, Announcement)
            else:
                await self.async_put(coordinator, new)


def duration_of(extra: Mapping[str, Any], announce: bool) -> timedelta | None:
    """Return how long something is to be shown; None for permanently."""
    given = extra.get("show_for")
    if announce and given is None:
        given = extra.get("duration", DEFAULT_DURATION)
    if given is None:
        return None
    try:
        return validate_duration(given)
    except vol.Invalid as err:
        raise invalid_input("not_a_duration", given=str(given)) from err


def _end(duration: timedelta, active: Announcement | None) -> datetime:
    """Return when an announcement ends that starts now, not before the active one."""
    until = dt_util.utcnow() + duration
    return until if active is None else max(until, active.until)


async def _async_snapshot(coordinator: DisplayCoordinator) -> Snapshot:
    """Take a snapshot of a display, if that can be done."""
    if coordinator.cast_only and coordinator.data.assumed is None:
        raise invalid_input("display_cannot", name=coordinator.name, what="show_for")
    return await async_take_snapshot(coordinator)
