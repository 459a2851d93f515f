"""How long a sentence asks to show something."""

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime, time, timedelta
from typing import Any, Final

from homeassistant.util import dt as dt_util

UNITS: Final = ("seconds", "minutes", "hours", "days")
CLOCK: Final = ("until_hour", "until_minute", "until_half_day")
HALF_DAY: Final = 12
DAY: Final = 24
MONDAY: Final = 7


@dataclass(frozen=True, slots=True)
class Span:
    """How long something is shown, with the end if that was asked."""

    duration: timedelta
    until: datetime | None = None


def span_of(slots: Mapping[str, Any], bedtime: time | None = None) -> Span | None:
    """Return how long a sentence asks to show something, None for permanently."""
    if given := {unit: float(slots[unit]) for unit in UNITS if unit in slots}:
        return Span(timedelta(**given))
    now = dt_util.now()
    match slots.get("until"):
        case "weekend":
            until = _at(now, (MONDAY - now.weekday()) * DAY)
        case "bedtime" if bedtime:
            hour = bedtime.hour + bedtime.minute / 60
            until = next(end for day in (0, DAY) if (end := _at(now, hour + day)) > now)
        case str() | int() | float() as hours if hours != "bedtime":
            end = _at(now, float(hours))
            # The evening ends at midnight for those who are up late.
            until = end if end > now else _at(now, max(float(hours), DAY))
        case _ if "until_hour" in slots:
            until = _next(now, slots)
        case _:
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
