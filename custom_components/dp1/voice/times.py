"""How long a sentence asks to show something."""

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any, Final

from homeassistant.util import dt as dt_util

UNITS: Final = ("seconds", "minutes", "hours")
CLOCK: Final = ("until", "until_hour", "until_minute", "until_half_day")
HALF_DAY: Final = 12
DAY: Final = 24


@dataclass(frozen=True, slots=True)
class Span:
    """How long something is shown, with the end if that was asked."""

    duration: timedelta
    until: datetime | None = None


def span_of(slots: Mapping[str, Any]) -> Span | None:
    """Return how long a sentence asks to show something, None for permanently."""
    if given := {unit: float(slots[unit]) for unit in UNITS if unit in slots}:
        return Span(timedelta(**given))
    now = dt_util.now()
    if "until" in slots:
        hour = float(slots["until"])
        end = _at(now, hour)
        # The evening ends at midnight for those who are up late.
        until = end if end > now else _at(now, max(hour, DAY))
    elif "until_hour" in slots:
        until = _next(now, slots)
    else:
        return None
    return Span(dt_util.as_utc(until) - dt_util.as_utc(now), until)


def _next(now: datetime, slots: Mapping[str, Any]) -> datetime:
    """Return when the clock next shows a time, of which people seldom say the half of the day."""
    hour = float(slots["until_hour"])
    minutes = float(slots.get("until_minute", 0))
    if (half := slots.get("until_half_day")) is not None:
        hours = [hour % HALF_DAY + float(half)]
    elif hour <= HALF_DAY:
        hours = [hour % HALF_DAY, hour % HALF_DAY + HALF_DAY]
    else:
        hours = [hour]
    times = (_at(now, h + day + minutes / 60) for day in (0, DAY) for h in hours)
    return next(time for time in times if time > now)


def _at(now: datetime, hours: float) -> datetime:
    """Return the time of day that many hours after the start of the day."""
    midnight = now.replace(hour=0, minute=0, second=0, microsecond=0)
    return midnight + timedelta(hours=hours)
