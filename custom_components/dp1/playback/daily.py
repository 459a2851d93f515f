"""The Daily on displays: by its URL where the display changes works by itself, else each day's work by Home Assistant.

Firmware that does not know `displayAt` would play the whole archive. It is told by what the display reports.
"""

import asyncio
from collections import defaultdict
from collections.abc import Mapping
from dataclasses import asdict, dataclass, replace
from datetime import datetime, timedelta, tzinfo
from typing import Any, Final, Self

import voluptuous as vol

from homeassistant.core import CALLBACK_TYPE, HomeAssistant, callback
from homeassistant.exceptions import HomeAssistantError
from homeassistant.helpers.event import async_track_point_in_utc_time
from homeassistant.util import dt as dt_util

from ..client.display.casts import Cast
from ..client.display.player_status import PlayerStatus
from ..client.errors import Dp1Error
from ..client.playlist.schedule import Due
from ..client.playlist.schema import SIGNATURE_FIELDS
from ..client.values import mapping, text
from ..const import CONF_TIME_ZONE, LOGGER
from ..coordinator import DisplayCoordinator
from ..data import DATA
from ..errors import action_failed, translated
from ..library.daily import Daily
from ..library.entries import async_add_libraries_listener, async_libraries
from ..storage import CAST_SCHEMA, SafeStore
from .cast import async_cast
from .resolve import Options, from_document
from .snapshot import is_showing

RETRY: Final = timedelta(minutes=1)


STORED_SCHEMA = vol.Schema(
    {
        "given": {
            str: {
                vol.Required("url"): str,
                vol.Required("cast"): CAST_SCHEMA,
                vol.Required("display"): dict,
                vol.Required("item_duration"): vol.Any(None, int, float),
            }
        },
        "without": {str: vol.Any(None, str)},
    }
)


@dataclass(frozen=True, slots=True)
class Given:
    """The work of a day that a display was given, and how the next are to be shown.

    Attributes:
        url: the Daily.
        cast: what was cast.
        display: the ``display`` of each item.
        item_duration: seconds.
    """

    url: str
    cast: Cast
    display: Mapping[str, Any]
    item_duration: float | None

    @classmethod
    def from_dict(cls, stored: Mapping[str, Any]) -> Self:
        """Read a stored one."""
        return cls(**{**stored, "cast": Cast(**stored["cast"])})


@dataclass(frozen=True, slots=True)
class Stored:
    """What is kept across restarts: what displays were given, and the firmware of those that do not know `displayAt`."""

    given: dict[str, Given]
    without: dict[str, str | None]


def _parse_stored(stored: Any) -> Stored:
    """Return what is stored."""
    stored = STORED_SCHEMA(stored)
    given = {key: Given.from_dict(record) for key, record in stored["given"].items()}
    return Stored(given, stored["without"])


@callback
def daily_of(hass: HomeAssistant, cast: Cast) -> Daily | None:
    """Return the Daily that a cast shows by its URL."""
    return _daily_at(hass, cast.playlist_url) if cast.playlist_url else None


def _daily_at(hass: HomeAssistant, url: str) -> Daily | None:
    """Return the Daily of a library by its URL."""
    dailies = (library.daily for library in async_libraries(hass))
    return next((daily for daily in dailies if daily.url == url), None)


class Dailies:
    """The displays that show the Daily, by config entry."""

    def __init__(self, hass: HomeAssistant) -> None:
        """Initialize without displays."""
        self._hass = hass
        self._store = SafeStore(hass, "daily", _parse_stored, private=True)
        self._given: dict[str, Given] = {}
        self._without: dict[str, str | None] = {}
        self._zones: dict[str, tzinfo] = {}
        # Displays that were given the URL and have not reported its works yet.
        self._unchecked: dict[str, str] = {}
        self._timers: dict[str, CALLBACK_TYPE] = {}
        # Displays that could not be given the next work at its moment.
        self._late: set[str] = set()
        self._locks: defaultdict[str, asyncio.Lock] = defaultdict(asyncio.Lock)

    async def async_load(self) -> None:
        """Load what was stored."""
        if stored := await self._store.async_load_parsed():
            self._given, self._without = stored.given, stored.without

    async def async_track(self, coordinator: DisplayCoordinator) -> CALLBACK_TYPE:
        """Follow a display; nothing is sent before the next moment. Return a callback that ends it."""
        entry = coordinator.config_entry
        if name := entry.options.get(CONF_TIME_ZONE):
            if zone := await dt_util.async_get_time_zone(name):
                self._zones[entry.entry_id] = zone

        @callback
        def handle_libraries() -> None:
            """Handle another document."""
            self._schedule(coordinator)

        @callback
        def handle_update() -> None:
            """Handle what the display reports."""
            self._check_later(coordinator)

        stops = [
            async_add_libraries_listener(self._hass, handle_libraries),
            coordinator.async_add_listener(handle_update),
        ]
        self._schedule(coordinator)

        @callback
        def stop() -> None:
            """Stop following."""
            for end in stops:
                end()
            self._cancel(entry.entry_id)
            self._zones.pop(entry.entry_id, None)
            self._unchecked.pop(entry.entry_id, None)
            self._late.discard(entry.entry_id)

        return stop

    async def async_forget(self, entry_id: str) -> None:
        """Forget a display."""
        self._without.pop(entry_id, None)
        self._given.pop(entry_id, None)
        await self._async_save()

    async def async_work_of_today(
        self, coordinator: DisplayCoordinator, daily: Daily, options: Options
    ) -> Cast:
        """Return a cast of nothing but the work of today."""
        found = await self._async_due(coordinator, daily)
        return _alone(daily, found, options.display, options.item_duration)

    async def async_show(
        self,
        coordinator: DisplayCoordinator,
        daily: Daily,
        cast: Cast,
        options: Options,
    ) -> dict[str, Any]:
        """Show the Daily: by its URL, and alone if the display turns out not to know when works are due."""
        entry_id = coordinator.config_entry.entry_id
        announcements = self._hass.data[DATA].announcements
        found = await self._async_due(coordinator, daily)
        async with self._locks[entry_id]:
            if not (self._needs_us(coordinator) or options.rewrites):
                response = await announcements.async_show(coordinator, cast, options)
                if response.get("superseded"):
                    return response
                self._unchecked[entry_id] = daily.url or ""
                if not self._plays_all(coordinator, found):
                    await self._async_drop(entry_id)
                    return response
                self._unchecked.pop(entry_id, None)
                self._without[entry_id] = _firmware(coordinator)
            cast = _alone(daily, found, options.display, options.item_duration)
            response = await announcements.async_show(coordinator, cast, options)
            if not response.get("superseded"):
                given = Given(
                    daily.url or "", cast, options.display, options.item_duration
                )
                await self._async_keep(coordinator, given)
            return response

    async def _async_due(self, coordinator: DisplayCoordinator, daily: Daily) -> Due:
        """Return what is due on a display, or raise that there is no work for today."""
        try:
            await daily.async_document()
        except Dp1Error as err:
            raise translated(err, "playlist", daily.url or "") from err
        zone = self._zone(coordinator)
        found = daily.due(zone)
        if found.timed and not found.has_run_out(dt_util.utcnow()):
            return found
        if found.next_at is not None:
            day = found.next_at.astimezone(zone).date().isoformat()
            raise action_failed("daily_not_yet", since=day)
        if found.since is not None:
            day = found.since.astimezone(zone).date().isoformat()
            raise action_failed("daily_ran_out", since=day)
        raise action_failed("daily_without_days", name=daily.url or "")

    def _zone(self, coordinator: DisplayCoordinator) -> tzinfo:
        """Return the time zone of a display, which it does not report."""
        entry_id = coordinator.config_entry.entry_id
        return self._zones.get(entry_id) or dt_util.get_default_time_zone()

    def _needs_us(self, coordinator: DisplayCoordinator) -> bool:
        """Return whether a display is known to ignore when works are due."""
        entry_id = coordinator.config_entry.entry_id
        return coordinator.cast_only or (
            entry_id in self._without
            and self._without[entry_id] == _firmware(coordinator)
        )

    def _plays_all(self, coordinator: DisplayCoordinator, found: Due) -> bool | None:
        """Return whether a display plays works of several moments; None while it does not report them."""
        entry_id = coordinator.config_entry.entry_id
        url, player = self._unchecked.get(entry_id), coordinator.data.player
        daily = _daily_at(self._hass, url) if url else None
        if daily is None or player is None or player.playlist_url != url:
            return None
        if not player.items:
            return None
        self._unchecked.pop(entry_id)
        return _plays_all(player, daily, found)

    @callback
    def _check_later(self, coordinator: DisplayCoordinator) -> None:
        """Check a display that has reported its works only now."""
        entry_id = coordinator.config_entry.entry_id
        if (url := self._unchecked.get(entry_id)) is None:
            return
        if self._locks[entry_id].locked() or coordinator.requests.in_steps:
            return
        if (daily := _daily_at(self._hass, url)) is None:
            return
        if self._plays_all(coordinator, daily.due(self._zone(coordinator))):
            self._without[entry_id] = _firmware(coordinator)
            given = Given(url, Cast(playlist_url=url), {}, None)
            self._given[entry_id] = given
            coordinator.create_task(self._async_follow(coordinator, given), "daily")

    @callback
    def _schedule(self, coordinator: DisplayCoordinator) -> None:
        """Wait for the moment of the next work, by the clock of the display."""
        entry_id = coordinator.config_entry.entry_id
        if entry_id in self._late:
            return
        self._cancel(entry_id)
        if (given := self._given.get(entry_id)) is None:
            return
        if (daily := _daily_at(self._hass, given.url)) is None:
            return
        if next_at := daily.due(self._zone(coordinator)).next_at:
            self._track(coordinator, next_at)

    def _track(self, coordinator: DisplayCoordinator, when: datetime) -> None:
        """Give a display the next work at a time."""
        entry = coordinator.config_entry
        self._cancel(entry.entry_id)

        @callback
        def follow(now: datetime) -> None:
            """Handle the moment."""
            self._timers.pop(entry.entry_id, None)
            self._late.add(entry.entry_id)
            if given := self._given.get(entry.entry_id):
                coordinator.create_task(self._async_follow(coordinator, given), "daily")

        self._timers[entry.entry_id] = async_track_point_in_utc_time(
            self._hass, follow, when
        )

    def _cancel(self, entry_id: str) -> None:
        """Wait for no moment."""
        if (cancel := self._timers.pop(entry_id, None)) is not None:
            cancel()

    async def _async_follow(
        self, coordinator: DisplayCoordinator, given: Given
    ) -> None:
        """Give a display the work that is due, unless it shows something else by now; try again while it cannot be reached."""
        entry_id = coordinator.config_entry.entry_id
        async with self._locks[entry_id]:
            if self._given.get(entry_id) is not given:
                return
            daily = _daily_at(self._hass, given.url)
            if (
                daily is None
                or not coordinator.last_update_success
                or self._hass.data[DATA].announcements.is_active(entry_id)
            ):
                self._track(coordinator, dt_util.utcnow() + RETRY)
                return
            found = daily.due(self._zone(coordinator))
            try:
                if not await _async_is_shown(coordinator, given.cast):
                    await self._async_drop(entry_id)
                    return
                if found.timed:
                    cast = _alone(daily, found, given.display, given.item_duration)
                    if cast != given.cast:
                        options = Options(wake=False, asked=None)
                        await async_cast(coordinator, cast, options)
                        given = replace(given, cast=cast)
            except HomeAssistantError as err:
                LOGGER.debug("%s was not given its work: %s", coordinator.name, err)
                self._track(coordinator, dt_util.utcnow() + RETRY)
                return
            await self._async_keep(coordinator, given)

    async def _async_keep(self, coordinator: DisplayCoordinator, given: Given) -> None:
        """Remember what a display was given, and wait for the next moment."""
        entry_id = coordinator.config_entry.entry_id
        self._given[entry_id] = given
        self._late.discard(entry_id)
        self._schedule(coordinator)
        await self._async_save()

    async def _async_drop(self, entry_id: str) -> None:
        """Give a display no more works."""
        self._cancel(entry_id)
        self._late.discard(entry_id)
        if self._given.pop(entry_id, None) is not None:
            await self._async_save()

    async def _async_save(self) -> None:
        """Save what is kept across restarts."""
        await self._store.async_save(
            {
                "given": {key: asdict(given) for key, given in self._given.items()},
                "without": dict(self._without),
            }
        )


def _firmware(coordinator: DisplayCoordinator) -> str | None:
    """Return the installed firmware of a display."""
    device = coordinator.data.device
    return device.installed_version if device else None


def _alone(
    daily: Daily, found: Due, display: Mapping[str, Any], duration: float | None
) -> Cast:
    """Return a cast of what is due, without times and signatures."""
    document = {
        **(daily.document or {}),
        "items": [
            {key: value for key, value in item.items() if key != "displayAt"}
            for item in found.items
        ],
    }
    for name in (*SIGNATURE_FIELDS, "schedule"):
        document.pop(name, None)
    options = Options(item_duration=duration, asked=None, **display)
    return from_document(document, options)


def _plays_all(player: PlayerStatus, daily: Daily, found: Due) -> bool:
    """Return whether a display reports works of several moments."""
    items = map(mapping, (daily.document or {}).get("items") or ())
    moments = {text(item.get("id")): text(item.get("displayAt")) for item in items}
    shown = {moments.get(item.id) for item in player.items if item.id} - {None}
    return len(shown) > 1 if shown else len(player.items) > len(found.items)


async def _async_is_shown(coordinator: DisplayCoordinator, cast: Cast) -> bool:
    """Ask whether a display still shows what it was given."""
    if coordinator.cast_only:
        return coordinator.data.assumed == cast
    if (player := await coordinator.async_read_player()) is None:
        return False
    key = text((cast.playlist or {}).get("id"))
    return is_showing(cast, player) and (
        key is None or player.playlist_id in (None, key)
    )
