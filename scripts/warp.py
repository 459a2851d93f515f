"""Time that can be moved. Import this, and call ``install``, before anything that keeps a clock."""

import asyncio
from datetime import UTC, datetime, timedelta
import time
from typing import override

_monotonic, _time = time.monotonic, time.time


class Clock:
    """The time that was skipped, and by how much the clock on the wall was set forward or back, in seconds."""

    skipped = 0.0
    set_by = 0.0


class MovedLoop(asyncio.SelectorEventLoop):
    """A loop by whose clock the skipped time has passed: what was due meanwhile runs at once."""

    @override
    def time(self) -> float:
        """Return the time of the loop."""
        return _monotonic() + Clock.skipped


def install() -> None:
    """Let everything that is imported from now on know of the skipped time."""
    time.monotonic = lambda: _monotonic() + Clock.skipped
    time.time = lambda: _time() + Clock.skipped + Clock.set_by
    from homeassistant.util import dt as dt_util  # noqa: PLC0415

    dt_util.utcnow = lambda: (
        datetime.now(UTC) + timedelta(seconds=Clock.skipped + Clock.set_by)
    )
