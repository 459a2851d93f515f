"""The clock of a feed, as the ``Date`` of its answers tells it."""

from collections.abc import Mapping
from datetime import UTC, datetime, timedelta
from email.utils import parsedate_to_datetime

# An intent is not dated by a clock that is further off: it would be good at a time that only the feed has named.
MAX_FOLLOWED = timedelta(hours=1)
# The feed takes intents within five minutes of its clock.
NEAR = timedelta(minutes=2)
_NONE = timedelta()


class FeedClock:
    """How far the clock of a feed is from ours."""

    def __init__(self) -> None:
        """Start with the same time."""
        self.ahead = _NONE

    def note(self, headers: Mapping[str, str]) -> None:
        """Compare the time of an answer with ours; an answer out of a cache is as old as it says."""
        try:
            date = parsedate_to_datetime(headers.get("Date", ""))
        except ValueError:
            return
        if date.tzinfo is None:
            date = date.replace(tzinfo=UTC)
        age = headers.get("Age", "")
        if age.isascii() and age.isdigit():
            date += timedelta(seconds=min(int(age), 86400))
        self.ahead = date - datetime.now(UTC)

    @property
    def minutes_off(self) -> int:
        """Return by how many minutes the clocks differ, at least 1."""
        return max(1, round(abs(self.ahead.total_seconds()) / 60))

    def for_documents(self) -> datetime:
        """Return the present time, which is not later than it is for the feed."""
        return datetime.now(UTC) + min(self.ahead, _NONE)

    def for_intents(self) -> datetime:
        """Return the present time, by the clock of the feed if ours is off by minutes."""
        now = datetime.now(UTC)
        if abs(self.ahead) <= NEAR:
            return now + min(self.ahead, _NONE)
        return now + self.ahead if abs(self.ahead) <= MAX_FOLLOWED else now
