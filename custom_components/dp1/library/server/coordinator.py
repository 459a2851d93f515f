"""Coordinator of a server of a library: its list is kept across restarts and refreshed in the background."""

from abc import abstractmethod
from collections.abc import Mapping
from dataclasses import replace
from datetime import timedelta
from typing import Any, override

from homeassistant.config_entries import ConfigEntry
from homeassistant.core import HomeAssistant, callback
from homeassistant.helpers.update_coordinator import DataUpdateCoordinator, UpdateFailed

from ...client.catalog.paging import Listing
from ...client.errors import (
    BusyError,
    Dp1Error,
    InvalidRequestError,
    NoAnswerError,
    NotFoundError,
    UnreachableError,
)
from ...const import LOGGER
from .cache import ServerStore
from .cached_list import CachedList, Json, Storable
from .shared_reads import SharedReads

# How long a reader waits.
PATIENCE = 10.0
FIRST_RETRY = timedelta(minutes=1)
LAST_RETRY = timedelta(minutes=15)
LIST = "list"


class ServerCoordinator[T: Storable](DataUpdateCoordinator[CachedList[T]]):
    """Read the list of a catalog or a feed; a library without that server has an empty one."""

    config_entry: ConfigEntry[Any]

    def __init__(
        self,
        hass: HomeAssistant,
        entry: ConfigEntry[Any],
        kind: str,
        url: str | None,
        refresh_seconds: float,
        store: str | None = None,
    ) -> None:
        """Initialize without data; `store` names the file if it is not called as the kind of server."""
        super().__init__(
            hass, LOGGER, config_entry=entry, name=f"{entry.title} {kind} {url}"
        )
        self.data = CachedList()
        self.kind = kind
        self.url = url
        self.reads = SharedReads(hass, entry)
        self._refresh_seconds = refresh_seconds
        self._retry = FIRST_RETRY
        self._store = ServerStore(
            hass,
            entry.entry_id,
            store or kind,
            self._restore_same_server,
            self._to_store_with_url,
        )
        self._contact_error: Dp1Error | None = None

    @property
    def problem(self) -> Dp1Error | None:
        """Return why the list is old or incomplete, or why the server was out of reach at the last try."""
        return self.data.reason or self._contact_error

    async def async_load(self) -> None:
        """Load what is stored of this server."""
        await self._store.async_load()

    @callback
    def async_start(self) -> None:
        """Refresh the list now, or once it gets old."""
        if self.url is None:
            return
        wait = self._refresh_seconds - self.data.age
        if wait <= 0:
            self.reads.start(LIST, self.async_refresh)
        else:
            self.update_interval = timedelta(seconds=wait)

    @override
    async def async_shutdown(self) -> None:
        """Stop refreshing, cancel all reads and save."""
        self.reads.stop()
        await super().async_shutdown()
        if self.url is not None:
            await self._store.async_save()

    async def async_look_now(self) -> Dp1Error | None:
        """Read the list now, and return why that failed; a long read goes on in the background."""
        if self.url is None:
            return None
        try:
            await self.reads.share(LIST, self.async_refresh, PATIENCE)
        except NoAnswerError:
            return None
        return self.data.reason

    async def async_list(self, patience: float = PATIENCE) -> CachedList[T]:
        """Return the list, and wait for it if it was never read."""
        if self.url is None:
            return self.data
        return await self.reads.cached(
            LIST,
            lambda: self.data,
            self.async_refresh,
            max_age=self._refresh_seconds,
            patience=patience,
        )

    @override
    async def _async_update_data(self) -> CachedList[T]:
        """Read the list; what could be read of it is kept if the rest fails."""
        self.update_interval = timedelta(seconds=self._refresh_seconds)
        self.data = await self._async_read_list()
        self.async_updated()
        if self.data.reason is None:
            self._contact_error = None
            self._retry = FIRST_RETRY
            return self.data
        wait = max(self._retry.total_seconds(), self.data.retry_after)
        self._retry = min(2 * self._retry, LAST_RETRY)
        raise UpdateFailed(
            f"{type(self.data.reason).__name__}: {self.data.reason}", retry_after=wait
        ) from self.data.reason

    @abstractmethod
    async def _async_read_list(self) -> CachedList[T]:
        """Read the list."""

    @abstractmethod
    def to_store(self) -> Json:
        """Return everything that was read as plain JSON; may run in another thread."""

    @abstractmethod
    def restore(self, data: Mapping[str, Any]) -> None:
        """Load what `to_store` returned; runs in another thread before anything else."""

    def _restore_same_server(self, data: Mapping[str, Any]) -> None:
        """Load what is stored, unless it is of another server."""
        if data.get("url") == self.url:
            self.restore(data)

    def _to_store_with_url(self) -> Json:
        """Return everything that was read, and of which server."""
        return {"url": self.url, **self.to_store()}

    @callback
    def async_updated(self) -> None:
        """Store what has been read and update the listeners."""
        self._store.async_save_later()
        self.async_update_listeners()

    @callback
    def async_read_done(self, reason: Dp1Error | None) -> None:
        """Handle the outcome of a read of something else than the list."""
        if isinstance(reason, UnreachableError | BusyError):
            self._contact_error = reason
            self.async_set_update_error(reason)
        elif reason is None or isinstance(reason, NotFoundError | InvalidRequestError):
            self._contact_error = None
            if not self.last_update_success and self.data.reason is None:
                self.last_update_success = True
                LOGGER.info("Fetching %s data recovered", self.name)

    def _partial[R: Storable](
        self, before: CachedList[R], listing: Listing[R]
    ) -> CachedList[R]:
        """Return a list of which a part has been read."""
        reason = NoAnswerError("the rest is being read")
        return before.updated(replace(listing, reason=reason), self.hass.loop.time())
