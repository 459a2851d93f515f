"""The sleep schedule of the display, and its overrides."""

import asyncio
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass
from datetime import UTC, date, datetime, time, timedelta
import re
from typing import Any

from .arguments import Arguments
from .clock import Clock
from .errors import CommandError, NoResultError
from .firmware import Firmware
from .player import Player
from .tasks import Tasks

type Json = dict[str, Any]

AWAKE = "awake"
SLEEPING = "sleeping"
DAYS = ("sun", "mon", "tue", "wed", "thu", "fri", "sat")
_TIME = re.compile(r"\s*(\d{1,2}):(\d{1,2})\s*", re.ASCII)
_HORIZON = 9


def parse_time(text: str) -> time:
    """Parse a time of day, with or without leading zeros; raises CommandError."""
    match = _TIME.fullmatch(text)
    if match is None:
        raise CommandError("invalid time")
    try:
        return time(int(match[1]), int(match[2]))
    except ValueError as err:
        raise CommandError("invalid time") from err


@dataclass(eq=False)
class SleepSchedule:
    """The schedule and its overrides, applied to page and panel.

    Attributes:
        enabled: whether the schedule is on.
        sleep_time: when the display goes to sleep, local time.
        wake_time: when it wakes.
        days: the days on which it goes to sleep; None for every day.
        takes_days: whether it knows of days, as some of the newer firmware does not.
        override: a state that holds in spite of the schedule.
        override_until: when the override ends; None if it does not.
        on_change: called when the state may have changed.
        switch_panel: called to switch the panel off (True) or on.
    """

    _firmware: Firmware
    _clock: Clock
    _player: Player
    _tasks: Tasks

    def __post_init__(self) -> None:
        self._loop: asyncio.Task[None] | None = None
        self.enabled = False
        self.sleep_time = "22:00"
        self.wake_time = "07:30"
        self.days: list[str] | None = None
        self.takes_days = self._firmware.second
        self.override: str | None = None
        self.override_until: datetime | None = None
        self.on_change: Callable[[], None] = lambda: None
        self.switch_panel: Callable[[bool], None] = lambda asleep: None

    @property
    def state(self) -> str:
        """Return the state that the display should have now."""
        self._expire()
        return self.override or self._scheduled(self._clock.now())

    def _expire(self) -> None:
        """Drop an override that has ended."""
        if self.override_until is not None and self._clock.now() >= self.override_until:
            self.override = None
            self.override_until = None

    def _nights(self, now: datetime) -> list[tuple[datetime, datetime]]:
        """Return the nights around now, each from one local time to another."""
        if not self.enabled:
            return []
        sleep, wake = parse_time(self.sleep_time), parse_time(self.wake_time)
        nights = []
        for offset in range(-1, _HORIZON):
            day = now.date() + timedelta(days=offset)
            if self.days is not None and DAYS[day.isoweekday() % 7] not in self.days:
                continue
            begin = self._local(day, sleep, now)
            end = self._local(day + timedelta(days=wake < sleep), wake, now)
            nights.append((begin, end))
        return nights

    @staticmethod
    def _local(day: date, moment: time, now: datetime) -> datetime:
        # In UTC, as of two local times the earlier one may come later.
        return datetime.combine(day, moment, now.tzinfo).astimezone(UTC)

    def _scheduled(self, now: datetime) -> str:
        """Return the state that the schedule says."""
        inside = any(begin <= now < end for begin, end in self._nights(now))
        return SLEEPING if inside else AWAKE

    def _next(self, now: datetime, state: str) -> datetime | None:
        place = 0 if state == SLEEPING else 1
        moments = [night[place] for night in self._nights(now)]
        return min((moment for moment in moments if moment > now), default=None)

    def record(self) -> Json:
        """Return the schedule as it is reported."""
        state = self.state
        now = self._clock.now()
        found: Json = {
            "enabled": self.enabled,
            "sleepTime": self.sleep_time,
            "wakeTime": self.wake_time,
        }
        if self.days is not None and self.takes_days:
            found["days"] = self.days
        found["currentState"] = state
        upcoming = self._next(now, AWAKE if state == SLEEPING else SLEEPING)
        if self.override is not None:
            found["overrideState"] = self.override
            upcoming = self.override_until
            if upcoming is not None:
                found["overrideUntil"] = _rfc3339(upcoming.astimezone(now.tzinfo))
        if upcoming is not None:
            found["nextTransitionAt"] = _rfc3339(upcoming.astimezone(now.tzinfo))
        return found

    def sleep_now(self, _: Arguments) -> Json:
        """Sleep until the schedule would wake the display."""
        return self._override(SLEEPING, AWAKE)

    def wake_now(self, _: Arguments) -> Json:
        """Wake until the schedule would put the display to sleep."""
        return self._override(AWAKE, SLEEPING)

    def _override(self, state: str, end: str) -> Json:
        """Hold a state until the schedule begins the other."""
        self.override = state
        self.override_until = self._next(self._clock.now(), end)
        return self._applied()

    def set_schedule(self, arguments: Arguments) -> Json:
        """Set the schedule; an invalid one changes nothing."""
        sleep_time = arguments.text("sleepTime") or self.sleep_time
        wake_time = arguments.text("wakeTime") or self.wake_time
        enabled = arguments.flag("enabled")
        days = self._days(arguments)
        if enabled and parse_time(sleep_time) == parse_time(wake_time):
            raise CommandError("the times must differ")
        self.enabled = enabled
        self.sleep_time, self.wake_time = sleep_time, wake_time
        self.days = days
        self.override = None
        self.override_until = None
        return self._applied()

    def _days(self, arguments: Arguments) -> list[str] | None:
        days = arguments.texts("days") if self.takes_days else None
        if days is None:
            return self.days
        if not days or not set(days) <= set(DAYS):
            raise CommandError("invalid days")
        chosen = [day for day in DAYS if day in days]
        return None if len(chosen) == len(DAYS) else chosen

    def _applied(self) -> Json:
        """Apply and push the state; a page that does not answer is an error although the record is kept."""
        self.restart()
        try:
            self.apply()
        except (CommandError, NoResultError) as err:
            raise CommandError("the page does not answer") from err
        return {"ok": True, "sleepSchedule": self.record()}

    def apply(self) -> None:
        asleep = self.state == SLEEPING
        try:
            self._player.turn_page(asleep=asleep)
        finally:
            self.switch_panel(asleep)
            self.on_change()

    def restart(self) -> None:
        self.halt()
        self._loop = self._tasks.start(self._follow())

    def halt(self) -> None:
        """Stop to follow the schedule."""
        if self._loop is not None:
            self._loop.cancel()

    async def _follow(self) -> None:
        while True:
            now = self._clock.now()
            state = self.state
            until = (
                self._next(now, AWAKE if state == SLEEPING else SLEEPING)
                if self.override is None
                else self.override_until
            )
            if until is None:
                return
            await self._clock.sleep(max(0.001, until.timestamp() - now.timestamp()))
            if self.state != state:
                with suppress(CommandError, NoResultError):
                    self.apply()


def _rfc3339(moment: datetime) -> str:
    """Format a moment with its offset, to the second."""
    text = moment.isoformat(timespec="seconds")
    return f"{text[:-6]}Z" if text.endswith("+00:00") else text
