"""The schedule of a playlist: the `displayAt` of its items.

Source: DP-1 playlists extension 0.2.0, section 3.5, and its reference library. Any `displayAt` makes a schedule, with or
without `schedule.byDisplayAt`.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta, tzinfo
import re
from typing import Any, Final

from ..values import objects

# A date alone was allowed once. Displays read no other letters, and no hour 24.
_FORM: Final = re.compile(
    r"[0-9]{4}-[0-9]{2}-[0-9]{2}"
    r"(?:T(?:[01][0-9]|2[0-3])(?::[0-9]{2}){2}(?:\.[0-9]{1,9})?(?:Z|[+-](?:[01][0-9]|2[0-3]):[0-9]{2})?)?"
)
# Longer than any time is written.
MAX_LENGTH: Final = 64
# The last work of a schedule is today's for so long.
RUNS_OUT_AFTER: Final = timedelta(hours=36)
_QUARTER: Final = timedelta(minutes=15)

type Item = Mapping[str, Any]


@dataclass(frozen=True, slots=True)
class Due:
    """The works that are shown at a time.

    Attributes:
        items: the works to show, in the order of the playlist: those of the latest moment, and those without one.
        timed: those of the latest moment.
        since: when the latest moment was, in UTC; None before the first.
        next_at: when others follow; None after the last.
    """

    items: tuple[Item, ...]
    timed: tuple[Item, ...]
    since: datetime | None
    next_at: datetime | None

    def has_run_out(self, now: datetime) -> bool:
        """Return whether there is no work for today because nothing was added to the schedule."""
        if self.since is None:
            return self.next_at is None
        return self.next_at is None and now - self.since > RUNS_OUT_AFTER


def moment_of(text: object, zone: tzinfo) -> datetime | None:
    """Return the UTC time of a `displayAt`; None if it is no time.

    Args:
        text: local date and time, one with an offset, or a date.
        zone: time zone of the display.
    """
    if not isinstance(text, str) or not _FORM.fullmatch(text):
        return None
    try:
        time = datetime.fromisoformat(text)
        if time.tzinfo is not None:
            return time.astimezone(UTC)
        return utc_of(time, zone)
    except ValueError, OverflowError:
        return None


def is_moment(text: str) -> bool:
    """Return whether a text is a `displayAt` as displays and feeds take it: a date with a time, with or without an offset."""
    return "T" in text and moment_of(text, UTC) is not None


def display_at(item: Item) -> str:
    """Return the `displayAt` of an item as text, empty if there is none."""
    return str(item.get("displayAt") or "")[:MAX_LENGTH]


def is_past(text: str, now: datetime) -> bool:
    """Return whether a `displayAt` lets a work be seen at a time in the zone of the display; one that cannot be read never does."""
    if not text:
        return True
    moment = moment_of(text, now.tzinfo or UTC)
    return moment is not None and moment <= now


def utc_of(local: datetime, zone: tzinfo) -> datetime:
    """Return a local time in UTC; one that the clocks skip is the first one after, and one that comes twice is the earlier."""
    while True:
        time = local.replace(tzinfo=zone).astimezone(UTC)
        if time.astimezone(zone).replace(tzinfo=None) == local:
            return time
        # What clocks skip ends at a quarter of an hour.
        local += _QUARTER - (local - datetime.min) % _QUARTER


def due(document: Mapping[str, Any], now: datetime, zone: tzinfo) -> Due:
    """Return the works of a playlist that are shown at a time.

    A work whose `displayAt` cannot be read is never shown.

    Args:
        document: a playlist.
        now: any time with an offset.
        zone: time zone of the display.
    """
    items = objects(document.get("items"))
    moments = [moment_of(item.get("displayAt"), zone) for item in items]
    times = {moment for moment in moments if moment is not None}
    since = max((moment for moment in times if moment <= now), default=None)
    current = [
        (item, moment is not None)
        for item, moment in zip(items, moments, strict=True)
        if not item.get("displayAt") or (moment is not None and moment == since)
    ]
    return Due(
        tuple(item for item, _ in current),
        tuple(item for item, is_timed in current if is_timed),
        since,
        min((moment for moment in times if moment > now), default=None),
    )
