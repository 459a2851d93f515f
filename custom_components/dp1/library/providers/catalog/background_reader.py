"""Reads what nobody has opened yet, so that search finds it: unhurried, and one request at a time."""

import asyncio
from collections.abc import Callable, Coroutine, Mapping
from datetime import datetime
from functools import partial
from random import uniform
from typing import Any

from homeassistant.config_entries import ConfigEntry
from homeassistant.core import CALLBACK_TYPE, HassJob, HomeAssistant, callback
from homeassistant.helpers.event import async_call_later
from homeassistant.util import dt as dt_util

from ....client.catalog.artwork import shown_once
from ....client.catalog.models import Exhibition, Series
from ....client.errors import BusyError, Dp1Error, UnreachableError
from ....timing import Timing
from ...server import ServerStore
from .coordinator import CatalogCoordinator
from .records import ReadAhead

# Series change rarely, and opening their exhibition refreshes them.
MAX_AGE_SECONDS = 30 * 86400.0
# So many pages are stored together.
SAVE_SECONDS = 900.0


class BackgroundReader:
    """Read series, and then works, that were never read or have changed, while nothing else is read."""

    def __init__(
        self, hass: HomeAssistant, entry: ConfigEntry[Any], catalog: CatalogCoordinator
    ) -> None:
        """Initialize; nothing is read before `async_start`."""
        self._hass = hass
        self._entry = entry
        self._catalog = catalog
        self._named = catalog.works.named
        self._store = ServerStore(
            hass, entry.entry_id, "works", self._restore, self._to_store
        )
        self._is_unsaved = False
        self._job = HassJob(self._handle_time, cancel_on_shutdown=True)
        self._loading: asyncio.Task[None] | None = None
        self._cancel: CALLBACK_TYPE | None = None
        self._pause = self._timing.reading_pause
        self._failed: set[str] = set()

    @property
    def _timing(self) -> Timing:
        """Return the delays of the integration."""
        return self._catalog.timing

    @callback
    def async_start(self) -> None:
        """Go on after a while."""
        if self._catalog.client is not None:
            self._loading = self._entry.async_create_background_task(
                self._hass, self._async_load(), f"{self._entry.title} works"
            )

    async def _async_load(self) -> None:
        """Load what has been read, for which no start waits."""
        self._named.add_stored(await self._store.async_load_parsed() or {})
        self._schedule(self._timing.reading_start)

    async def async_stop(self) -> None:
        """Read no more."""
        if self._loading is not None:
            self._loading.cancel()
        if self._cancel is not None:
            self._cancel()
            self._cancel = None
        if self._is_unsaved:
            await self._store.async_save_all()

    @callback
    def _schedule(self, seconds: float, at_least: float = 0) -> None:
        """Go on after about so many seconds."""
        jitter = self._timing.jitter
        wait = seconds * uniform(1 - jitter, 1 + jitter)
        self._cancel = async_call_later(self._hass, max(wait, at_least), self._job)

    @callback
    def _handle_time(self, now: datetime) -> None:
        """Read on if nothing else is read and the catalog can be reached."""
        self._cancel = None
        is_gone = isinstance(self._catalog.data.reason, UnreachableError)
        if is_gone or not self._catalog.reads.is_idle:
            self._schedule(self._timing.reading_pause)
        elif read := self._next():
            self._catalog.reads.start("the background", read)
        else:
            timing = self._timing
            self._schedule(
                timing.reading_round if self._failed else timing.reading_idle
            )
            self._failed.clear()
            self._forget_gone()

    def _forget_gone(self) -> None:
        """Forget the works of series that are no longer in the catalog."""
        if self._catalog.data.complete:
            self._named.keep({series.id for series in self._catalog.all_series})

    def _next(self) -> Callable[[], Coroutine[Any, Any, None]] | None:
        """Return what to read next: all series, the newest first, and then the works in them."""
        now = dt_util.utcnow()
        exhibitions = [
            exhibition
            for exhibition in self._catalog.data.records
            if exhibition.viewable(now)
        ]
        for exhibition in exhibitions:
            if exhibition.id not in self._failed and self._is_due(exhibition, now):
                return partial(self._async_read_series, exhibition)
        if not self._named.is_full:
            for exhibition in exhibitions:
                for series in self._catalog.series_of(exhibition.id).records:
                    if series.id not in self._failed and self._has_unread(series):
                        return partial(self._async_read_works, series)
        return None

    def _is_due(self, exhibition: Exhibition, now: datetime) -> bool:
        """Return whether the series of an exhibition were never read, are old or have changed."""
        series_list = self._catalog.series_of(exhibition.id)
        if series_list.read_at is None or series_list.age >= MAX_AGE_SECONDS:
            return True
        changed_at = exhibition.updated_at
        return changed_at is not None and series_list.read_at < changed_at <= now

    def _has_unread(self, series: Series) -> bool:
        """Return whether there may be works with names of their own that have not been read."""
        if shown_once(series) or self._catalog.artworks_of(series.id).complete:
            return False
        return self._named.ahead(series.id).is_due(series)

    async def _async_read_series(self, exhibition: Exhibition) -> None:
        """Read the series of an exhibition."""
        await self._catalog.async_read_series(exhibition.id, self._timing.page_pause)
        self._handle_read(exhibition.id, self._catalog.series_of(exhibition.id).reason)

    async def _async_read_works(self, series: Series) -> None:
        """Read the next page of works of a series."""
        assert self._catalog.client is not None
        ahead, reason = self._named.ahead(series.id), None
        try:
            page = await self._catalog.client.artworks(
                series_id=series.id, offset=ahead.following or 0
            )
        except Dp1Error as err:
            reason = err
        else:
            self._named.set_ahead(series.id, ahead.updated(series, page))
            if not self._is_unsaved:
                self._is_unsaved = True
                self._store.async_save_later(SAVE_SECONDS)
        if not isinstance(reason, BusyError):
            # A catalog that is busy for the background is no problem of the library yet.
            self._catalog.async_read_done(reason)
        self._handle_read(series.id, reason)

    def _handle_read(self, key: str, reason: Dp1Error | None) -> None:
        """Go on; after an error much later, with something else unless the catalog is only busy."""
        if reason is None:
            self._pause = self._timing.reading_pause
            self._schedule(self._pause)
            return
        most = self._timing.last_reading_pause
        self._pause = min(4 * self._pause, most)
        asked = 0.0
        if isinstance(reason, BusyError):
            asked = min(reason.retry_after or 0.0, most)
        else:
            self._failed.add(key)
        self._schedule(self._pause, asked)

    def _restore(self, data: Mapping[str, Any]) -> dict[str, ReadAhead]:
        """Return what is stored of this catalog; runs in another thread."""
        is_same = data.get("url") == self._catalog.url
        return self._named.from_store(data.get("series") if is_same else None)

    def _to_store(self) -> dict[str, Any]:
        """Return what has been read as plain JSON; runs in another thread."""
        self._is_unsaved = False
        return {"url": self._catalog.url, "series": self._named.to_store()}
