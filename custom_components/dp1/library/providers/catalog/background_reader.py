"""The background reader of a catalog: series that nobody has opened, for the search, one request at a time."""

from datetime import datetime
from random import uniform
from typing import Final

from homeassistant.core import CALLBACK_TYPE, HassJob, HomeAssistant, callback
from homeassistant.helpers.event import async_call_later
from homeassistant.util import dt as dt_util

from ....client.catalog.models import Exhibition
from ....client.errors import BusyError, UnreachableError
from ... import timing
from .server import CatalogServer

# Seconds until the background reads on after a start.
READING_START: Final = 300.0
# Seconds between two lists that it reads.
READING_PAUSE: Final = 20.0
# Seconds until it goes on after a failure, and until it looks whether there is anything new to read.
READING_IDLE: Final = 3600.0
# The share by which its pauses differ.
JITTER: Final = 0.3

# Series change rarely, and whoever opens them refreshes them.
MAX_AGE_SECONDS = 90 * 86400.0


class BackgroundReader:
    """The reading of series that were never read or have changed, while nothing else is read."""

    def __init__(self, hass: HomeAssistant, catalog: CatalogServer) -> None:
        """Initialize; nothing is read before `async_start`."""
        self._hass = hass
        self._catalog = catalog
        self._job = HassJob(self._handle_time, cancel_on_shutdown=True)
        self._cancel: CALLBACK_TYPE | None = None
        self._failed: set[str] = set()

    @callback
    def async_start(self) -> None:
        """Go on after a while."""
        if self._catalog.client is not None:
            self._schedule(READING_START)

    @callback
    def async_stop(self) -> None:
        """Read no more."""
        if self._cancel is not None:
            self._cancel()
            self._cancel = None

    @callback
    def _schedule(self, seconds: float) -> None:
        """Go on after about so many seconds."""
        wait = seconds * uniform(1 - JITTER, 1 + JITTER)
        self._cancel = async_call_later(self._hass, wait, self._job)

    @callback
    def _handle_time(self, now: datetime) -> None:
        """Read on if nothing else is read and the catalog can be reached."""
        self._cancel = None
        is_gone = isinstance(self._catalog.list.problem, UnreachableError)
        if is_gone or not self._catalog.is_idle:
            self._schedule(READING_PAUSE)
        elif key := self._next():
            self._catalog.create_task("the background", self._async_read(key))
        else:
            self._failed.clear()
            self._schedule(READING_IDLE)

    def _next(self) -> str | None:
        """Return the next exhibition whose series to read, the newest first."""
        now = dt_util.utcnow()
        for exhibition in self._catalog.list.records:
            if (
                exhibition.viewable(now)
                and exhibition.id not in self._failed
                and self._is_due(exhibition, now)
            ):
                return exhibition.id
        return None

    def _is_due(self, exhibition: Exhibition, now: datetime) -> bool:
        """Return whether the series of an exhibition were never read, are old or have changed."""
        series_list = self._catalog.series_of(exhibition.id)
        if series_list.read_at is None or series_list.age >= MAX_AGE_SECONDS:
            return True
        changed_at = exhibition.updated_at
        return changed_at is not None and series_list.read_at < changed_at <= now

    async def _async_read(self, exhibition_id: str) -> None:
        """Read the series of an exhibition; after an error go on much later, with another unless the catalog is only busy."""
        series = self._catalog.series_of(exhibition_id)
        await series.async_read(pause=timing.PAGE_PAUSE)
        if series.problem is None:
            self._schedule(READING_PAUSE)
            return
        if not isinstance(series.problem, BusyError):
            self._failed.add(exhibition_id)
        self._schedule(READING_IDLE)
