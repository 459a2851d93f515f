"""Shows something for a moment, then what hung before, also when Home Assistant restarts meanwhile."""

import asyncio
from collections import Counter, defaultdict
from collections.abc import Mapping
from dataclasses import dataclass, replace
from datetime import datetime, timedelta
from functools import partial
from typing import Any

import voluptuous as vol

from homeassistant.core import CALLBACK_TYPE, HomeAssistant, callback
from homeassistant.exceptions import HomeAssistantError
from homeassistant.helpers import config_validation as cv
from homeassistant.helpers.event import async_track_point_in_utc_time
from homeassistant.helpers.storage import Store
from homeassistant.util import dt as dt_util
from homeassistant.util.hass_dict import HassKey

from ..client.display.casts import Cast
from ..client.text import clean
from ..const import DOMAIN, LOGGER
from ..coordinator import DisplayCoordinator
from ..errors import invalid_input
from .cast import async_cast
from .resolve import Options
from .snapshot import Snapshot, async_restore_snapshot, async_take_snapshot, is_showing

STORAGE_VERSION = 1
DEFAULT_LENGTH = timedelta(seconds=30)
TRY_AGAIN = timedelta(seconds=10)
# After so long, what hangs is what people have got used to.
PATIENCE = timedelta(hours=24)

ANNOUNCEMENTS: HassKey[Announcements] = HassKey(f"{DOMAIN}_announcements")


@dataclass(frozen=True, slots=True)
class Announcement:
    """What a display shows for a moment.

    Attributes:
        shown: what was put there.
        until: when it ends.
        before: what comes back then.
    """

    shown: Cast
    until: datetime
    before: Snapshot


class Announcements:
    """What the displays show for a moment, by config entry."""

    def __init__(self, hass: HomeAssistant) -> None:
        """Start with none."""
        self._hass = hass
        self._store: Store[dict[str, dict[str, Any]]] = Store(
            hass, STORAGE_VERSION, f"{DOMAIN}.announcements", private=True
        )
        self._running: dict[str, Announcement] = {}
        self._timers: dict[str, CALLBACK_TYPE] = {}
        self._coming: Counter[str] = Counter()
        self._locks: defaultdict[str, asyncio.Lock] = defaultdict(asyncio.Lock)

    async def async_load(self) -> None:
        """Read which ones were under way."""
        for entry_id, kept in (await self._store.async_load() or {}).items():
            self._running[entry_id] = Announcement(
                Cast(**kept["shown"]),
                datetime.fromisoformat(kept["until"]),
                Snapshot.from_dict(kept["before"]),
            )

    def running(self, entry_id: str) -> bool:
        """Tell whether a display shows something for a moment."""
        return entry_id in self._running

    async def async_show(
        self,
        coordinator: DisplayCoordinator,
        cast: Cast,
        options: Options,
        length: timedelta,
    ) -> dict[str, Any]:
        """Show something for a while. Several at once return to what hung before the first, when the last is over."""
        entry_id = coordinator.config_entry.entry_id
        async with self._locks[entry_id]:
            earlier = await self._async_earlier(coordinator)
            before = earlier.before if earlier else await _async_before(coordinator)
            mine = Announcement(cast, _end(length, earlier), before)
            await self._async_begin(coordinator, mine)
        self._coming[entry_id] += 1
        try:
            response = await async_cast(coordinator, cast, options)
        except HomeAssistantError:
            await self._async_swap(coordinator, mine, earlier)
            raise
        finally:
            self._coming[entry_id] -= 1
        # The while begins when it hangs.
        hanging = replace(mine, until=_end(length, earlier))
        await self._async_swap(coordinator, mine, hanging)
        return response

    async def async_show_permanently(
        self, coordinator: DisplayCoordinator, cast: Cast, options: Options
    ) -> dict[str, Any]:
        """Show something, which then stays, whatever was to come back."""
        entry_id = coordinator.config_entry.entry_id
        async with self._locks[entry_id]:
            earlier = self._running.get(entry_id)
            await self._async_over(coordinator)
        try:
            return await async_cast(coordinator, cast, options)
        except HomeAssistantError:
            await self._async_swap(coordinator, None, earlier)
            raise

    @callback
    def async_resume(self, coordinator: DisplayCoordinator) -> CALLBACK_TYPE:
        """End what was under way when Home Assistant stopped; returns what to do when the display goes."""
        entry_id = coordinator.config_entry.entry_id
        if (running := self._running.get(entry_id)) is not None:
            coordinator.history.paused = True
            self._schedule(coordinator, running.until)
        return partial(self._cancel, entry_id)

    async def async_forget(self, entry_id: str) -> None:
        """Let what hangs stay."""
        self._cancel(entry_id)
        if self._running.pop(entry_id, None) is not None:
            await self._async_save()

    async def _async_begin(
        self, coordinator: DisplayCoordinator, announcement: Announcement
    ) -> None:
        """Note it, before anything is shown."""
        coordinator.history.paused = True
        self._running[coordinator.config_entry.entry_id] = announcement
        self._schedule(coordinator, announcement.until)
        await self._async_save()

    async def _async_earlier(
        self, coordinator: DisplayCoordinator
    ) -> Announcement | None:
        """Find the one that is under way, if nothing else was shown since."""
        entry_id = coordinator.config_entry.entry_id
        earlier = self._running.get(entry_id)
        if earlier is None or self._coming[entry_id]:
            return earlier
        return earlier if await _async_still_hangs(coordinator, earlier) else None

    async def _async_swap(
        self,
        coordinator: DisplayCoordinator,
        mine: Announcement | None,
        other: Announcement | None,
    ) -> None:
        """Put another in the place of this one, if that is still the one under way."""
        entry_id = coordinator.config_entry.entry_id
        async with self._locks[entry_id]:
            if self._running.get(entry_id) is not mine:
                return
            if other is None:
                await self._async_over(coordinator)
            else:
                await self._async_begin(coordinator, other)

    async def _async_over(self, coordinator: DisplayCoordinator) -> None:
        """Note that it is over."""
        coordinator.history.paused = False
        await self.async_forget(coordinator.config_entry.entry_id)

    @callback
    def _schedule(self, coordinator: DisplayCoordinator, when: datetime) -> None:
        """Come back at a time, at once if that has passed."""
        entry = coordinator.config_entry
        self._cancel(entry.entry_id)

        @callback
        def end(now: datetime) -> None:
            """Return to what hung before."""
            self._timers.pop(entry.entry_id, None)
            entry.async_create_task(
                self._hass, self._async_end(coordinator), f"{entry.title} return"
            )

        self._timers[entry.entry_id] = async_track_point_in_utc_time(
            self._hass, end, when
        )

    @callback
    def _cancel(self, entry_id: str) -> None:
        """Stop waiting."""
        if (cancel := self._timers.pop(entry_id, None)) is not None:
            cancel()

    async def _async_end(self, coordinator: DisplayCoordinator) -> None:
        """Return to what hung before, unless somebody has shown something else; a display out of reach is waited for."""
        entry_id = coordinator.config_entry.entry_id
        async with self._locks[entry_id]:
            running = self._running.get(entry_id)
            if running is None or entry_id in self._timers or self._coming[entry_id]:
                return
            try:
                if await _async_still_hangs(coordinator, running):
                    await async_restore_snapshot(coordinator, running.before)
            except HomeAssistantError as err:
                LOGGER.debug("%s does not return yet: %s", coordinator.name, err)
                now = dt_util.utcnow()
                if now < running.until + PATIENCE:
                    self._schedule(coordinator, now + TRY_AGAIN)
                    return
            await self._async_over(coordinator)

    async def _async_save(self) -> None:
        """Keep it for the case that Home Assistant restarts."""
        await self._store.async_save(
            {
                entry_id: {
                    "shown": {
                        "playlist_url": running.shown.playlist_url,
                        "playlist": running.shown.playlist,
                    },
                    "until": running.until.isoformat(),
                    "before": running.before.as_dict(),
                }
                for entry_id, running in self._running.items()
            }
        )


def length_of(extra: Mapping[str, Any], announce: bool) -> timedelta | None:
    """Read for how long something is shown; None for good."""
    wanted = extra.get("show_for")
    if announce and wanted is None:
        wanted = extra.get("duration", DEFAULT_LENGTH)
    if wanted is None:
        return None
    try:
        length: timedelta = cv.positive_time_period(wanted)
    except vol.Invalid as err:
        raise invalid_input("not_a_duration", given=clean(str(wanted), 100)) from err
    return length


async def async_show(
    coordinator: DisplayCoordinator,
    cast: Cast,
    options: Options,
    length: timedelta | None = None,
) -> dict[str, Any]:
    """Show something, for a while if that is said."""
    announcements = coordinator.hass.data[ANNOUNCEMENTS]
    if length is None:
        return await announcements.async_show_permanently(coordinator, cast, options)
    return await announcements.async_show(coordinator, cast, options, length)


def _end(length: timedelta, earlier: Announcement | None) -> datetime:
    """Tell when something ends that hangs from now on; not before what was promised already."""
    until = dt_util.utcnow() + length
    return until if earlier is None else max(until, earlier.until)


async def _async_before(coordinator: DisplayCoordinator) -> Snapshot:
    """See what is to come back."""
    if coordinator.cast_only and coordinator.data.assumed is None:
        raise invalid_input("display_cannot", name=coordinator.name, what="show_for")
    return await async_take_snapshot(coordinator)


async def _async_still_hangs(
    coordinator: DisplayCoordinator, announcement: Announcement
) -> bool:
    """Ask whether a display still shows what was put there."""
    if coordinator.last_cast not in (None, announcement.shown):
        return False
    player = await coordinator.async_read_player()
    return player is None or is_showing(announcement.shown, player)
