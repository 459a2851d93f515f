"""Offset of a feed's clock, from the ``Date`` header of its responses."""

from collections.abc import Mapping
from datetime import UTC, datetime, timedelta
from email.utils import parsedate_to_datetime

# With a larger offset, intents use our own time: the feed must not choose when an intent is valid.
MAX_FOLLOWED = timedelta(hours=1)
# The feed accepts intents within five minutes of its clock.
NEAR = timedelta(minutes=2)
_NONE = timedelta()


class FeedClock:
    """Offset of a feed's clock from ours."""

    def __init__(self) -> None:
        """Initialize without an offset."""
        self.ahead = _NONE

    def note(self, headers: Mapping[str, str]) -> None:
        """Update the offset from a response; the age of a cached response is added."""
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
