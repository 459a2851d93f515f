"""The background reader of a catalog: series and works that nobody has opened, for the search, one request at a time."""

from collections.abc import Callable, Coroutine
from datetime import datetime
from functools import partial
from math import inf
from random import uniform
from typing import Any, Final

from homeassistant.core import CALLBACK_TYPE, HassJob, HomeAssistant, callback
from homeassistant.helpers.event import async_call_later
from homeassistant.util import dt as dt_util

from .... import timing
from ....client.catalog.artwork import CAP, own_name, shown_once
from ....client.catalog.client import PAGE_SIZE
from ....client.catalog.models import Exhibition, Series
from ....client.errors import BusyError, UnreachableError
from ...listing import Listing
from .server import CatalogServer

# Seconds until the background reads on after a start.
READING_START: Final = 300.0
# Seconds between two lists that it reads, and between two pages of works.
READING_PAUSE: Final = 20.0
# Seconds until it goes on after a failure, and until it looks whether there is anything new to read.
READING_IDLE: Final = 3600.0
# The share by which its pauses differ.
JITTER: Final = 0.3

# Series and works change rarely, and whoever opens them refreshes them.
MAX_AGE_SECONDS = 90 * 86400.0
# A series of up to `CAP` works is read whole, as when it is opened. Of a larger one a page tells whether its works are
# numbered: such works are found by the series. If their names differ in more than numbers, so many are read.
MAX_OF_SERIES = 250
MAX_IN_ALL = 10_000


class BackgroundReader:
    """The reading of series, and then of works, that were never read or have changed, while nothing else is read."""

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
        elif read := self._next():
            self._catalog.create_task("the background", read())
        else:
            self._failed.clear()
            self._schedule(READING_IDLE)

    def _next(self) -> Callable[[], Coroutine[Any, Any, None]] | None:
        """Return the next reading: all series, the newest first, and then the works in them."""
        now = dt_util.utcnow()
        exhibitions = [
            exhibition
            for exhibition in self._catalog.list.records
            if exhibition.viewable(now)
        ]
        for exhibition in exhibitions:
            if exhibition.id not in self._failed and self._is_due(exhibition, now):
                return partial(self._async_read_series, exhibition.id)
        if self._catalog.works_count < MAX_IN_ALL:
            for exhibition in exhibitions:
                for series in self._catalog.series_of(exhibition.id).records:
                    count = self._unread(series)
                    if count and series.id not in self._failed:
                        return partial(self._async_read_works, series.id, count)
        return None

    def _is_due(self, exhibition: Exhibition, now: datetime) -> bool:
        """Return whether the series of an exhibition were never read, are old or have changed."""
        series_list = self._catalog.series_of(exhibition.id)
        if series_list.read_at is None or series_list.age >= MAX_AGE_SECONDS:
            return True
        changed_at = exhibition.updated_at
        return changed_at is not None and series_list.read_at < changed_at <= now

    def _unread(self, series: Series) -> int:
        """Return how many works of a series to read, 0 if enough of them have been read."""
        works = self._catalog.artworks_of(series.id)
        is_new = works.read_at is None or works.age >= MAX_AGE_SECONDS
        if shown_once(series) or (works.complete and not is_new):
            return 0
        count = PAGE_SIZE
        if (works.total or series.max_artwork or inf) <= CAP:
            count = CAP
        elif len({own_name(work, series) for work in works.records}) > 1:
            count = MAX_OF_SERIES
        if is_new:
            return max(count, len(works.records))
        return count if works.limit is not None and works.limit < count else 0

    async def _async_read_series(self, exhibition_id: str) -> None:
        """Read the series of an exhibition."""
        series = self._catalog.series_of(exhibition_id)
        await series.async_read(pause=timing.PAGE_PAUSE)
        self._handle_read(exhibition_id, series)

    async def _async_read_works(self, series_id: str, count: int) -> None:
        """Read works of a series, of which the pages are as far apart as the lists."""
        works = self._catalog.artworks_of(series_id)
        await works.async_read(count, READING_PAUSE)
        self._handle_read(series_id, works)

    def _handle_read(self, key: str, read: Listing[Any]) -> None:
        """Go on; after an error much later, with something else unless the catalog is only busy."""
        if read.problem is None:
            self._schedule(READING_PAUSE)
            return
        if not isinstance(read.problem, BusyError):
            self._failed.add(key)
        self._schedule(READING_IDLE)
