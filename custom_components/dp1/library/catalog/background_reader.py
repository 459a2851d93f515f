"""Reads what nobody has opened yet, so that search finds it: unhurried, and one request at a time."""

from datetime import datetime
from functools import partial
from random import uniform

from homeassistant.core import CALLBACK_TYPE, HassJob, HomeAssistant, callback
from homeassistant.helpers.event import async_call_later
from homeassistant.util import dt as dt_util

from ...client.catalog.models import Exhibition
from .coordinator import CatalogCoordinator
from .prefetching import PrefetchingCatalog

START_SECONDS = 300.0
PAUSE_SECONDS = 20.0
MAX_PAUSE_SECONDS = 6 * 3600.0
ROUND_SECONDS = 12 * 3600.0
# Series change rarely, and opening their exhibition refreshes them.
MAX_AGE_SECONDS = 30 * 86400.0
JITTER = 0.3


class BackgroundReader:
    """Read the series of exhibitions that were never read or are old, while nothing else is read."""

    def __init__(self, hass: HomeAssistant, catalog: CatalogCoordinator) -> None:
        """Initialize; nothing is read before `async_start`."""
        self._hass = hass
        self._catalog = catalog
        self._job = HassJob(self._handle_time, cancel_on_shutdown=True)
        self._cancel: CALLBACK_TYPE | None = None
        self._pause = PAUSE_SECONDS
        self._failed: set[str] = set()

    @callback
    def async_start(self) -> None:
        """Begin after a while."""
        if self._catalog.client is not None:
            self._schedule(START_SECONDS)

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
        """Read the next exhibition if nothing else is read."""
        self._cancel = None
        if not self._catalog.reads.is_idle:
            self._schedule(PAUSE_SECONDS)
        elif show := self._next():
            read = partial(self._async_read, show)
            self._catalog.reads.start("series in the background", read)
        else:
            self._failed.clear()
            self._schedule(ROUND_SECONDS)

    def _next(self) -> Exhibition | None:
        """Return the newest exhibition that can be seen and whose series are due."""
        now = dt_util.utcnow()
        for show in self._catalog.data.records:
            due = self._catalog.series_of(show.id).age >= MAX_AGE_SECONDS
            if due and show.id not in self._failed and show.viewable(now):
                return show
        return None

    async def _async_read(self, show: Exhibition) -> None:
        """Read the series of an exhibition; after an error, the next is read much later."""
        client = self._catalog.client
        assert isinstance(client, PrefetchingCatalog)
        await self._catalog.async_read_series(show.id, client.unhurried_series)
        if self._catalog.series_of(show.id).reason is None:
            self._pause = PAUSE_SECONDS
        else:
            self._failed.add(show.id)
            self._pause = min(4 * self._pause, MAX_PAUSE_SECONDS)
        self._schedule(self._pause)
