"""A server of a library: its lists are kept across restarts and refreshed in the background."""

from abc import abstractmethod
from collections.abc import AsyncIterator, Callable, Collection, Iterable, Mapping
from datetime import datetime
from pathlib import Path
from typing import Any, Final

from homeassistant.config_entries import ConfigEntry, ConfigSubentry
from homeassistant.core import CALLBACK_TYPE, HassJob, HomeAssistant, callback
from homeassistant.helpers.event import async_call_later
from homeassistant.helpers.storage import STORAGE_DIR

from .. import timing
from ..client.errors import (
    BusyError,
    Dp1Error,
    InvalidRequestError,
    NotFoundError,
    UnreachableError,
)
from ..client.pages import Page
from ..const import DOMAIN, LOGGER
from ..storage import SafeStore
from .server_list import PATIENCE, Json, ServerList, Storable, Tasks

SUBENTRY = "subentry."
LIST = "list"
# The most seconds until a look at the list that failed is tried again.
LAST_LIST_RETRY: Final = 900.0
# Seconds until what was read of a server is saved, which can be several megabytes on a memory card.
SAVE_DELAY: Final = 900.0


class ServerStore[T](SafeStore[T]):
    """The file of a server of a library. It is large: read and written outside of the event loop."""

    def __init__(
        self,
        hass: HomeAssistant,
        entry_id: str,
        kind: str,
        restore: Callable[[Mapping[str, Any]], T],
        to_store: Callable[[], Mapping[str, Any]],
    ) -> None:
        """Initialize; both functions run in another thread."""
        key = f"library.{entry_id}.{kind}"
        super().__init__(hass, key, restore, serialize_in_event_loop=False)
        self._to_store = to_store
        self._is_waiting = False

    @callback
    def async_save_later(self) -> None:
        """Save after a while, however much is read meanwhile, or when Home Assistant stops."""
        if not self._is_waiting:
            self._is_waiting = True
            self.async_delay_save(self._data_to_save, SAVE_DELAY)

    async def async_save_all(self) -> None:
        """Save now."""
        data = await self.hass.async_add_executor_job(self._data_to_save)
        await self.async_save(data)

    def _data_to_save(self) -> Mapping[str, Any]:
        """Return the content of the file; runs in another thread."""
        self._is_waiting = False
        return self._to_store()


async def async_remove_files(hass: HomeAssistant, entry_id: str) -> None:
    """Remove the files of a library."""
    for kind in ("catalog", "feed", "daily", "built"):
        await SafeStore(hass, f"library.{entry_id}.{kind}", dict).async_remove()
    await async_remove_subentries(hass, entry_id, ())


async def async_remove_subentries(
    hass: HomeAssistant, entry_id: str, kept: Collection[str]
) -> None:
    """Remove the files of all subentries of a library but some; they may have been removed while it was not loaded."""
    folder = Path(hass.config.path(STORAGE_DIR))
    start = f"{DOMAIN}.library.{entry_id}.{SUBENTRY}"

    def remove() -> None:
        """Remove the files."""
        for path in folder.glob(f"{start}*"):
            if path.name.removeprefix(start).partition(".")[0] not in kept:
                path.unlink()

    await hass.async_add_executor_job(remove)


class Server[T: Storable]:
    """A catalog, a feed or an indexer with its list; a library without that server has an empty one.

    Attributes:
        list: what it is read for.
        tasks: all that is read of it.
        next_read: cancels the next reading of the list.
    """

    def __init__(
        self,
        hass: HomeAssistant,
        entry: ConfigEntry[Any],
        kind: str,
        url: str | None,
        refresh_seconds: float,
        subentry: ConfigSubentry | None = None,
    ) -> None:
        """Initialize without records; a server of a subentry has its id and title, and a file of its own."""
        self.hass = hass
        self.kind = kind
        self.url = url
        self.tasks = Tasks(hass, entry)
        self.list: ServerList[T] = ServerList(
            self.tasks,
            LIST,
            self._pages,
            order=self._ordered,
            records_changed=self._handle_records,
            read_ended=self._handle_list,
        )
        self.refresh_seconds = refresh_seconds
        self.next_read: CALLBACK_TYPE | None = None
        self.subentry_id = subentry.subentry_id if subentry else ""
        self.title = subentry.title if subentry else entry.title
        self._retry = timing.LIST_RETRY
        self._store = ServerStore(
            hass,
            entry.entry_id,
            f"{SUBENTRY}{subentry.subentry_id}" if subentry else kind,
            self._restore_same_server,
            self._to_store_with_url,
        )
        self._contact_error: Dp1Error | None = None
        self._is_logged = False
        self._listeners: list[CALLBACK_TYPE] = []

    @property
    def problem(self) -> Dp1Error | None:
        """Return why the list is old or incomplete, or why the server was out of reach at the last try."""
        return self.list.problem or self._contact_error

    # Life

    async def async_load(self) -> None:
        """Load the file of this server."""
        await self._store.async_load_parsed()

    @callback
    def async_start(self) -> None:
        """Refresh the list now, or once it gets old."""
        if self.url is not None:
            if (wait := self.refresh_seconds - self.list.age) <= 0:
                self.list.async_start()
            else:
                self._schedule(wait)

    async def async_stop(self) -> None:
        """Stop refreshing, cancel all readings and save."""
        self._unschedule()
        self.tasks.stop()
        if self.url is not None:
            await self._store.async_save_all()

    @callback
    def async_add_listener(self, listener: CALLBACK_TYPE) -> None:
        """Call a function whenever something was read."""
        self._listeners.append(listener)

    @callback
    def async_updated(self) -> None:
        """Store the lists, and call the listeners."""
        self._store.async_save_later()
        self.async_update_listeners()

    @callback
    def async_update_listeners(self) -> None:
        """Call the listeners."""
        for listener in self._listeners:
            listener()

    @callback
    def _schedule(self, seconds: float) -> None:
        """Read the list after some seconds."""
        self._unschedule()
        job = HassJob(self._handle_time, cancel_on_shutdown=True)
        self.next_read = async_call_later(self.hass, seconds, job)

    @callback
    def _unschedule(self) -> None:
        """Read the list no more."""
        if self.next_read is not None:
            self.next_read()
            self.next_read = None

    @callback
    def _handle_time(self, now: datetime) -> None:
        """Read the list."""
        self.next_read = None
        self.list.async_start()

    # The list

    async def async_refresh(self) -> Dp1Error | None:
        """Read the list now, and return why that failed; a long reading goes on in the background."""
        if self.url is None:
            return None
        self.list.async_start()
        await self.list.async_wait(PATIENCE)
        return None if self.list.is_reading else self.list.problem

    async def async_list(self, patience: float = PATIENCE) -> ServerList[T]:
        """Return the list, after waiting for one that was never read."""
        if self.url is not None:
            await self.list.async_get(max_age=self.refresh_seconds, patience=patience)
        return self.list

    @abstractmethod
    def _pages(self, limit: int | None, pause: float | None) -> AsyncIterator[Page[T]]:
        """Yield the pages of the list."""

    def _ordered(self, records: Iterable[T]) -> Iterable[T]:
        """Return the records of the list in their order."""
        return records

    @callback
    def _handle_records(self, changed: ServerList[Any]) -> None:
        """Handle other records of a list."""
        self.async_updated()

    @callback
    def _handle_list(self, read: ServerList[T]) -> None:
        """Handle the end of a reading of the list, and schedule the next."""
        self._handle_read(read)
        wait = self.refresh_seconds
        if self.list.problem is None:
            self._retry = timing.LIST_RETRY
        else:
            wait = max(self._retry, self.list.retry_after)
            self._retry = min(2 * self._retry, LAST_LIST_RETRY)
        self._schedule(wait)

    @callback
    def _handle_read(self, read: ServerList[Any]) -> None:
        """Handle the end of a reading of any list."""
        self.async_contacted(read.problem)
        self.async_updated()

    @callback
    def async_contacted(self, problem: Dp1Error | None) -> None:
        """Note the outcome of a request, and log when the server gets out of reach and is back."""
        if isinstance(problem, UnreachableError | BusyError):
            self._contact_error = problem
        elif problem is None or isinstance(
            problem, NotFoundError | InvalidRequestError
        ):
            self._contact_error = None
        if (self.problem is not None) is self._is_logged:
            return
        self._is_logged = not self._is_logged
        name, error = f"{self.title} {self.kind} {self.url}", self.problem
        if error is None:
            LOGGER.info("Fetching %s data recovered", name)
        else:
            LOGGER.warning(
                "Error fetching %s data: %s: %s", name, type(error).__name__, error
            )

    # Storage

    @abstractmethod
    def to_store(self) -> Json:
        """Return everything that was read as plain JSON; may run in another thread."""

    @abstractmethod
    def restore(self, data: Mapping[str, Any]) -> None:
        """Load the result of `to_store`; runs in another thread before anything else."""

    def _restore_same_server(self, data: Mapping[str, Any]) -> None:
        """Load the file, unless it is of another server."""
        if data.get("url") == self.url:
            self.restore(data)

    def _to_store_with_url(self) -> Json:
        """Return everything that was read, and of which server."""
        return {"url": self.url, **self.to_store()}
