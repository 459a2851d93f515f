"""A server of a library: its list is kept across restarts, read in parts, shared by its readers and refreshed in the background."""

from abc import abstractmethod
import asyncio
from collections.abc import Callable, Collection, Coroutine, Mapping
from dataclasses import dataclass, replace
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any, Final, Protocol, override

from homeassistant.config_entries import ConfigEntry, ConfigSubentry
from homeassistant.core import HomeAssistant, callback
from homeassistant.helpers.json import json_dumps
from homeassistant.helpers.storage import STORAGE_DIR
from homeassistant.helpers.update_coordinator import DataUpdateCoordinator, UpdateFailed
from homeassistant.util import dt as dt_util
from homeassistant.util.json import json_loads

from .. import timing
from ..client.catalog.client import Listing
from ..client.errors import (
    BusyError,
    Dp1Error,
    InvalidRequestError,
    NoAnswerError,
    NotFoundError,
    UnreachableError,
)
from ..client.values import mapping, moment, whole
from ..const import DOMAIN, LOGGER
from ..storage import SafeStore, record_from_json, record_to_json
from .threads import with_pauses

# The most of that.
LAST_LIST_RETRY: Final = 900.0
# Seconds until a list that could not be read is asked for again, whoever wants it.
READ_RETRY: Final = 2.0
# Seconds until what was read of a server is saved, which can be several megabytes on a memory card.
SAVE_DELAY: Final = 900.0

SUBENTRY = "subentry."


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
        """Return what is to be saved; runs in another thread."""
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


_NEVER = datetime.min.replace(tzinfo=UTC)

type Json = dict[str, Any]


class Storable(Protocol):
    """A dataclass that can be stored."""

    @property
    def id(self) -> str:
        """Return the key of the record."""


@dataclass(frozen=True, slots=True)
class CachedList[T: Storable]:
    """A list, where `total` is what the server announced and `asked` the number of records wanted (None for all).

    `read_at` is the time of the last read without an error, `reason` what went wrong since then, `tried_at` the
    time of the last try on the clock of the event loop.
    """

    records: tuple[T, ...] = ()
    total: int | None = None
    complete: bool = False
    asked: int | None = None
    read_at: datetime | None = None
    reason: Dp1Error | None = None
    tried_at: float = 0.0

    @property
    def age(self) -> float:
        """Return the seconds since the last read without an error, also if the clock was ahead then."""
        return abs(dt_util.utcnow() - (self.read_at or _NEVER)).total_seconds()

    @property
    def retry_after(self) -> float:
        """Return the seconds the server asked to wait."""
        match self.reason:
            case BusyError(retry_after=float(seconds)):
                return seconds
        return 0.0

    def updated(
        self, listing: Listing[T], tried_at: float, asked: int | None = None
    ) -> CachedList[T]:
        """Return the list after a read; records which could not be read are kept."""
        records = listing.records
        if listing.reason is not None:
            new = {record.id for record in records}
            records += tuple(old for old in self.records if old.id not in new)
        return CachedList(
            records=records,
            total=self.total if listing.total is None else listing.total,
            complete=listing.complete,
            asked=asked,
            read_at=self.read_at if listing.reason else dt_util.utcnow(),
            reason=listing.reason,
            tried_at=tried_at,
        )

    @classmethod
    def from_store(cls, data: object, record_type: type[T]) -> CachedList[T]:
        """Return the stored list, without the records that make no sense; for other threads."""
        stored = mapping(data)
        records = stored.get("records")
        return CachedList(
            records=tuple(
                record
                for stored_record in with_pauses(
                    records if isinstance(records, list) else ()
                )
                if (record := record_from_text(record_type, stored_record))
            ),
            total=whole(stored.get("total")),
            complete=stored.get("complete") is True,
            asked=whole(stored.get("asked")),
            read_at=moment(stored.get("read_at")),
        )

    def to_store(self) -> Json:
        """Return the list as plain JSON, each record as a text: a whole list would be decoded in one go."""
        return {
            "total": self.total,
            "complete": self.complete,
            "asked": self.asked,
            "read_at": self.read_at and self.read_at.isoformat(),
            "records": list(map(record_to_text, self.records)),
        }


def record_to_text(record: object) -> str:
    """Return a dataclass as JSON in a text."""
    return json_dumps(record_to_json(record))


def record_from_text[T](kind: type[T], stored: object) -> T | None:
    """Return the dataclass in a text, None if it is damaged."""
    try:
        return record_from_json(kind, json_loads(stored))  # type: ignore[arg-type]
    except ValueError:
        return None


# Readers of a list which is known in part wait no longer for the rest.
PARTIAL_PATIENCE = 2.0

type Read[T] = Callable[[], Coroutine[Any, Any, T]]


class SharedReads:
    """The reads of a server in progress."""

    def __init__(self, hass: HomeAssistant, entry: ConfigEntry[Any]) -> None:
        """Initialize without reads."""
        self._hass = hass
        self._entry = entry
        self._tasks: dict[str, asyncio.Task[Any]] = {}
        self._partial: dict[str, Callable[[], CachedList[Any]]] = {}

    @property
    def is_idle(self) -> bool:
        """Return whether nothing is read."""
        return not self._tasks

    def is_reading(self, name: str) -> bool:
        """Return whether something is read now."""
        return name in self._tasks

    def partial(self, name: str) -> CachedList[Any] | None:
        """Return the part of a list that has been read, if that is told."""
        part = self._partial.get(name)
        return part() if part else None

    def stop(self) -> None:
        """Cancel all reads."""
        for task in self._tasks.values():
            task.cancel()

    def set_progress(self, name: str, partial: Callable[[], CachedList[Any]]) -> None:
        """Set what returns the part of a list that has been read, for readers which run out of patience."""
        if name in self._tasks:
            self._partial[name] = partial

    async def share[T](
        self, name: str, read: Read[T], patience: float | None = None
    ) -> T:
        """Wait for a read together with others; after `patience` seconds the read goes on without this reader."""
        task = self.start(name, read)
        done, _ = await asyncio.wait({task}, timeout=patience)
        if not done or task.cancelled():
            raise NoAnswerError("this takes its time; it goes on in the background")
        return task.result()

    async def cached[T: Storable](
        self,
        name: str,
        cache: Callable[[], CachedList[T]],
        read: Read[None],
        *,
        max_age: float,
        patience: float,
    ) -> CachedList[T]:
        """Return the cached list and refresh an old one in the background; wait for a list that was never read."""
        found = cache()
        if found.read_at is not None:
            if (found.reason or found.age >= max_age) and self._may_try(name, found):
                self.start(name, read)
            return found
        if not self._may_try(name, found):
            return found
        if found.records:
            patience = min(patience, PARTIAL_PATIENCE)
        try:
            await self.share(name, read, patience)
        except NoAnswerError as err:
            return replace(self._partial.get(name, cache)(), reason=err)
        return cache()

    def start[T](self, name: str, read: Read[T]) -> asyncio.Task[T]:
        """Start a read unless it is in progress."""
        if (task := self._tasks.get(name)) is None:
            task = self._entry.async_create_background_task(
                self._hass, read(), f"{self._entry.title} {name}", eager_start=False
            )
            self._tasks[name] = task
            task.add_done_callback(lambda task: self._finish(name, task))
        return task

    def _may_try(self, name: str, found: CachedList[Any]) -> bool:
        """Return if a list is being read, or its last try was long enough ago."""
        pause = max(READ_RETRY, found.retry_after)
        waited = self._hass.loop.time() - found.tried_at
        return name in self._tasks or not found.tried_at or waited >= pause

    def _finish(self, name: str, task: asyncio.Task[Any]) -> None:
        """Remove a finished read; whoever wanted to know why it failed may have left."""
        del self._tasks[name]
        self._partial.pop(name, None)
        err = None if task.cancelled() else task.exception()
        if err is not None and not isinstance(err, Dp1Error):
            raise err


# How long a reader waits.
PATIENCE = 10.0
LIST = "list"


class ServerCoordinator[T: Storable](DataUpdateCoordinator[CachedList[T]]):
    """Read the list of a catalog or a feed; a library without that server has an empty one."""

    config_entry: ConfigEntry[Any]
    data: CachedList[T]

    def __init__(
        self,
        hass: HomeAssistant,
        entry: ConfigEntry[Any],
        kind: str,
        url: str | None,
        refresh_seconds: float,
        subentry: ConfigSubentry | None = None,
    ) -> None:
        """Initialize without data; what is read for a subentry has its id and title, and a file of its own."""
        super().__init__(
            hass, LOGGER, config_entry=entry, name=f"{entry.title} {kind} {url}"
        )
        self.data = CachedList()
        self.kind = kind
        self.url = url
        self.reads = SharedReads(hass, entry)
        self._refresh_seconds = refresh_seconds
        self._retry = timing.LIST_RETRY
        self._store = ServerStore(
            hass,
            entry.entry_id,
            f"{SUBENTRY}{subentry.subentry_id}" if subentry else kind,
            self._restore_same_server,
            self._to_store_with_url,
        )
        self._contact_error: Dp1Error | None = None
        self.subentry_id = subentry.subentry_id if subentry else ""
        self.title = subentry.title if subentry else entry.title

    @property
    def problem(self) -> Dp1Error | None:
        """Return why the list is old or incomplete, or why the server was out of reach at the last try."""
        return self.data.reason or self._contact_error

    @property
    def is_listing(self) -> bool:
        """Return whether the list is read now."""
        return self.reads.is_reading(LIST)

    @property
    def progress(self) -> tuple[int, int | None]:
        """Return how many records are known while the list is read, and of how many if the server has told."""
        listed = self.reads.partial(LIST) or self.data
        return len(listed.records), listed.total

    async def async_load(self) -> None:
        """Load what is stored of this server."""
        await self._store.async_load_parsed()

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
            await self._store.async_save_all()

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
            self._retry = timing.LIST_RETRY
            return self.data
        wait = max(self._retry, self.data.retry_after)
        self._retry = min(2 * self._retry, LAST_LIST_RETRY)
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

    async def _async_read_parts[R: Storable](
        self,
        name: str,
        cache: Callable[[], CachedList[R]],
        read: Callable[..., Coroutine[Any, Any, Listing[R]]],
        use: Callable[[CachedList[R]], CachedList[R]] = lambda listed: listed,
        asked: int | None = None,
    ) -> CachedList[R]:
        """Read a list; `use` gets what is known so far before a reader does who runs out of patience."""

        def updated(listing: Listing[R]) -> CachedList[R]:
            """Return the list after a read; others may have read meanwhile."""
            return cache().updated(listing, self.hass.loop.time(), asked)

        def told(known: Callable[[], Listing[R]]) -> None:
            """Tell what is known so far."""
            reason = NoAnswerError("the rest is being read")
            self.reads.set_progress(
                name, lambda: use(updated(replace(known(), reason=reason)))
            )

        return updated(await read(progress=told))
