"""All that is known of one server: its lists, read page by page, shared by their readers, kept across restarts in one file.

A shelf alone writes its lists, and tells who follows them what has changed. A list never becomes smaller but by a reading
of the whole.
"""

import asyncio
from collections.abc import (
    AsyncIterator,
    Callable,
    Collection,
    Coroutine,
    Iterable,
    Iterator,
    Mapping,
)
from contextlib import suppress
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from itertools import batched, chain
from math import inf
from pathlib import Path
import time
from types import MappingProxyType
from typing import Any, Final, Protocol, Self, runtime_checkable
from weakref import WeakSet

from homeassistant.config_entries import ConfigEntry, ConfigSubentry
from homeassistant.core import CALLBACK_TYPE, HassJob, HomeAssistant, callback
from homeassistant.helpers.event import async_call_later
from homeassistant.helpers.json import json_dumps
from homeassistant.helpers.storage import STORAGE_DIR
from homeassistant.util import dt as dt_util
from homeassistant.util.hass_dict import HassKey
from homeassistant.util.json import json_loads

from .. import timing
from ..client.errors import (
    BusyError,
    Dp1Error,
    InvalidRequestError,
    NoAnswerError,
    NotFoundError,
    UnexpectedAnswerError,
    UnreachableError,
)
from ..client.pages import Page
from ..client.values import mapping, moment, whole
from ..const import DOMAIN, LOGGER
from ..storage import SafeStore, record_from_json, record_to_json

# How long a reader waits, and for the rest of a list of which some is there.
PATIENCE = 10.0
PARTIAL_PATIENCE = 2.0
# Seconds until a list that could not be read is read again, whoever wants it.
READ_RETRY: Final = 2.0
# The most seconds until a look at the main list that failed is tried again.
LAST_LIST_RETRY: Final = 900.0
# Seconds until what was read is saved, which can be several megabytes on a memory card.
SAVE_DELAY: Final = 900.0
# Of the texts of records on all shelves of a library, in bytes: some 60,000 works of playlists.
MAX_BYTES = 32 * 1024 * 1024
# Of the shape of what is stored; another one is read again from the server.
VERSION: Final = 1
SUBENTRY: Final = "subentry."
BATCH: Final = 50
SHELVES: Final[HassKey[dict[str, WeakSet[Shelf[Any]]]]] = HassKey(f"{DOMAIN}_shelves")

_NEVER = datetime.min.replace(tzinfo=UTC)
_NONE: Final[Mapping[str, Any]] = MappingProxyType({})

type Json = dict[str, Any]
type Read[T] = Callable[[], Coroutine[Any, Any, T]]
type Pages[T] = Callable[[str, int | None, float | None], AsyncIterator[Page[T]]]


class Record(Protocol):
    """A dataclass that a list has."""

    @property
    def id(self) -> str:
        """Return the key of the record."""


@runtime_checkable
class Sized(Record, Protocol):
    """A record with texts of any length."""

    @property
    def size(self) -> int:
        """Return about how many bytes its texts take."""

    def lightened(self) -> Self:
        """Return the record without what can be read again when it is opened."""


@dataclass(frozen=True, slots=True)
class Delta[T]:
    """What has changed in a list, in its order; `is_first` until it was once read whole: that is no news."""

    added: tuple[T, ...]
    changed: tuple[T, ...]
    removed: tuple[T, ...]
    is_first: bool


@dataclass(frozen=True, slots=True)
class ListKind[T: Record]:
    """A kind of lists of a server.

    Attributes:
        record: type of the records.
        pages: yields the pages of about so many records of the list with a key, with a pause in seconds before each if nobody waits.
        order: sorts the records, or leaves some out.
        follow: called with the key and what has changed; after loading in another thread.
        ended: called with the list after each reading.
        is_keyed: whether there are several such lists.
    """

    record: type[T]
    pages: Pages[T]
    order: Callable[[Iterable[T]], Iterable[T]] = tuple
    follow: Callable[[str, Delta[T]], None] = lambda key, delta: None
    ended: Callable[[Listing[T]], None] = lambda listing: None
    is_keyed: bool = False


class Listing[T: Record]:
    """A list of a server, as far as it was read; only its shelf writes it.

    Attributes:
        key: tells it from others of its kind.
        records: in the order of the list; the same tuple until there are others.
        limit: number of records that were wanted; None for all.
        complete: whether all that the server has is here.
        is_known: whether it was once read whole.
        read_at: time of the last reading without an error; None if there was none, or more is wanted by now.
        problem: the error that ended the last reading.
        began_at: start of the last reading, on the clock of the event loop.
        tried_at: end of the last reading; 0 if there was none.
        skipped: number of records that make no sense or are too large.
    """

    def __init__(
        self, shelf: Shelf[Any], name: str, kind: ListKind[T], key: str
    ) -> None:
        """Initialize without records; `name` is that of the kind."""
        self.name = name
        self.key = key
        self.records: tuple[T, ...] = ()
        self.limit: int | None = 0
        self.complete = self.is_known = False
        self.read_at: datetime | None = None
        self.problem: Dp1Error | None = None
        self.began_at = self.tried_at = 0.0
        self.skipped = 0
        self.sizes = _NONE
        self._told_total: int | None = None
        self._by_id: dict[str, T] = {}
        self._shelf = shelf
        self._kind = kind
        self._task: asyncio.Task[None] | None = None
        self._extent = 0.0, 0.0
        self._released: asyncio.Event | None = None
        # What was written last, and when; deleted records are None.
        self._written: Mapping[str, tuple[float, T | None]] = _NONE

    @property
    def total(self) -> int | None:
        """Return the number of records that the server has, as far as it tells or all were read."""
        if self._told_total is not None or not self.is_known:
            return self._told_total
        return len(self.records) + self.skipped

    @property
    def age(self) -> float:
        """Return the seconds since the last reading without an error, also if the clock was ahead then."""
        return abs(dt_util.utcnow() - (self.read_at or _NEVER)).total_seconds()

    @property
    def is_reading(self) -> bool:
        """Return whether the list is read now."""
        return self._task is not None and not self._task.done()

    @property
    def missing(self) -> Dp1Error | None:
        """Return why records are missing or old: the problem, or that the first reading goes on."""
        if self.is_reading and self.read_at is None:
            return NoAnswerError("the rest is being read")
        return self.problem

    @property
    def retry_after(self) -> float:
        """Return the seconds for which the server wants no request."""
        match self.problem:
            case BusyError(retry_after=float(seconds)):
                return seconds
        return 0.0

    def get(self, key: str) -> T | None:
        """Return a record by its id."""
        return self._by_id.get(key)

    async def async_get(
        self, *, max_age: float, patience: float = PATIENCE, limit: int | None = None
    ) -> Listing[T]:
        """Return the list, after waiting for its first reading; an old list is read again in the background."""
        is_read = self.read_at is not None and self._has(limit)
        if is_read and self.problem is None and self.age < max_age:
            return self
        pause = max(READ_RETRY, self.retry_after)
        waited = self._shelf.hass.loop.time() - self.tried_at
        has_tried = self.tried_at and self._has(limit)
        if self.is_reading or not has_tried or waited >= pause:
            if self.records and not is_read and has_tried:
                patience = min(patience, PARTIAL_PATIENCE)
            released = self.async_start(limit)
            if not is_read:
                with suppress(TimeoutError):
                    async with asyncio.timeout(patience):
                        await released.wait()
        return self

    async def async_read(
        self, limit: int | None = None, pause: float | None = None
    ) -> Listing[T]:
        """Read the list now, and return it."""
        self.async_start(limit, pause)
        await self.async_wait()
        return self

    async def async_wait(self, patience: float | None = None) -> None:
        """Wait for the end of the reading in progress, which after some seconds goes on without this reader."""
        with suppress(TimeoutError):
            async with asyncio.timeout(patience):
                while self._task is not None and self.is_reading:
                    await asyncio.wait({self._task})

    @callback
    def async_start(
        self, limit: int | None = None, pause: float | None = None
    ) -> asyncio.Event:
        """Start a reading, in place of one in progress that brings less or later; returns what tells that enough is there."""
        extent = limit or inf, inf if pause is None else -pause
        # Made when it is needed: a garbage collection looks at all that thousands of lists have.
        released = self._released = self._released or asyncio.Event()
        if self._task is not None and not self._task.done():
            if all(now >= new for now, new in zip(self._extent, extent, strict=True)):
                return released
            self._task.cancel()
        if not self._has(limit):
            self.read_at = None
        self._extent = extent
        released.clear()
        self._task = self._shelf.create_task(
            f"{self.name} {self.key}", self._async_read(limit, pause, released)
        )
        return released

    @callback
    def async_expire(self) -> None:
        """Let the next reader wait for a new reading."""
        self.read_at = None

    @callback
    def async_close(self) -> None:
        """End a list that is gone: whoever waits is told at once."""
        if self._task is not None:
            self._task.cancel()
            self._task = None
        self.problem = NotFoundError("it is gone meanwhile")
        if self._released is not None:
            self._released.set()
        self._set(())

    # What is written

    @callback
    def async_put(self, record: T) -> None:
        """Add or replace a record that has just been written; a reading that began before brings an older one."""
        self._note_write(record.id, self._shelf.hass.loop.time(), record)
        new = () if record.id in self._by_id else (record,)
        self._set(
            (*new, *(record if it.id == record.id else it for it in self.records))
        )

    @callback
    def async_drop(self, key: str) -> None:
        """Remove a record that has just been deleted."""
        self._note_write(key, inf, None)
        self._set(self.records)

    def _note_write(self, key: str, at: float, record: T | None) -> None:
        """Note what was written last."""
        others = {name: it for name, it in self._written.items() if name != key}
        self._written = {**others, key: (at, record)}

    def is_dropped(self, key: str) -> bool:
        """Return whether a record was deleted."""
        return self._written.get(key, (0.0, self))[1] is None

    def written_at(self, key: str) -> float:
        """Return when a record was written last, on the clock of the event loop; 0 if it was not."""
        return self._written.get(key, (0.0, None))[0]

    @callback
    def async_add(self, record: T) -> None:
        """Add a record that was read by itself."""
        if record.id not in self._by_id:
            self._set((*self.records, record))

    # Reading

    def _has(self, limit: int | None) -> bool:
        """Return whether as many records were wanted before."""
        size = inf if self.limit is None else self.limit
        return self.complete or size >= (limit or inf)

    async def _async_read(
        self, limit: int | None, pause: float | None, released: asyncio.Event
    ) -> None:
        """Read the list; a reading that ends with an error, or of a part, keeps the earlier records as well."""
        self.began_at = self._shelf.hass.loop.time()
        pages: list[Page[T]] = []
        problem: Dp1Error | None = None
        try:
            async for page in self._kind.pages(self.key, limit, pause):
                if page.total is not None:
                    self._told_total = page.total
                page = await self._shelf.async_fitted(self, page, is_first=not pages)
                pages.append(page)
                self._merge(pages, self.records)
                if page.is_enough:
                    # The rest follows unhurried.
                    self.read_at = dt_util.utcnow()
                    released.set()
            self._handle_end(limit, pages)
        except Dp1Error as err:
            problem = err
        except Exception:  # noqa: BLE001 (whatever it is, the list is read again)
            LOGGER.exception(
                "The reading of %s %s failed", self._shelf.title, self.name
            )
            problem = UnexpectedAnswerError("the answer cannot be read")
        finally:
            if self._task is asyncio.current_task():
                self._task = None
                self.problem = problem
                if self.limit is not None:
                    self.limit = None if limit is None else max(limit, self.limit)
                if problem is not None and limit is None:
                    self.complete = False
                self._forget_writes()
                self.tried_at = self._shelf.hass.loop.time()
                released.set()
                self._shelf.async_handle_end(self)

    def _forget_writes(self) -> None:
        """Forget what was written before the reading began; what was deleted stays deleted."""
        kept = (it for it in self._written.items() if it[1][0] >= self.began_at)
        self._written = dict(kept) or _NONE

    def _handle_end(self, limit: int | None, pages: list[Page[T]]) -> None:
        """Note that a reading came to its end."""
        received = sum(page.received for page in pages)
        # Without a total, a list of just as many records may go on.
        is_whole = limit is None or (
            received < limit
            if self._told_total is None
            else received >= self._told_total
        )
        if is_whole:
            self.skipped = sum(page.skipped for page in pages)
            self._merge(pages, ())
            self.complete = all(page.is_all for page in pages)
            self.is_known = True
        else:
            known = len(self.records) + self.skipped
            self.complete = self.complete and self._told_total in (None, known)
        self.read_at = dt_util.utcnow()

    def _merge(self, pages: list[Page[T]], earlier: Iterable[T]) -> None:
        """Set the records of pages, and the earlier records beyond them."""
        pages.sort(key=lambda page: page.offset)
        by_id: dict[str, T] = {}
        for record in chain.from_iterable((*(page.records for page in pages), earlier)):
            by_id.setdefault(record.id, record)
        self._set(by_id.values())

    def same(self, record: T) -> T:
        """Return the earlier record if it is the same, so that lists are compared quickly."""
        earlier = self._by_id.get(record.id)
        return record if earlier is None or earlier != record else earlier

    def _set(self, records: Iterable[T]) -> None:
        """Replace the records, and tell what has changed."""
        records = self._kind.order(self._with_writes(records))
        by_id = {record.id: record for record in records}
        if self.records == (new := tuple(by_id.values())):
            return
        before, self.records, self._by_id = self._by_id, new, by_id
        self._shelf.async_handle_delta(
            self,
            Delta(
                tuple(it for key, it in by_id.items() if key not in before),
                tuple(
                    it
                    for key, it in by_id.items()
                    if (old := before.get(key)) is not None and old is not it
                ),
                tuple(it for key, it in before.items() if key not in by_id),
                not self.is_known,
            ),
        )

    def _with_writes(self, records: Iterable[T]) -> Iterable[T]:
        """Return records with those written or deleted since the reading began, as its pages may be older."""
        if not self._written:
            return records
        read = {record.id: record for record in records}
        written = {
            key: record
            for key, (at, record) in self._written.items()
            if at >= self.began_at
        }
        new = {key: it for key, it in written.items() if key not in read}
        merged = (new | read | written).values()
        return [record for record in merged if record is not None]

    # Storage

    def restore(self, data: object) -> None:
        """Load a stored list, without the records that make no sense; for other threads."""
        stored = mapping(data)
        records = stored.get("records")
        texts = with_pauses(records if isinstance(records, list) else ())
        read = (record_from_text(self._kind.record, each) for each in texts)
        by_id = {record.id: record for record in read if record is not None}
        self._by_id, self.records = by_id, tuple(by_id.values())
        self._told_total = whole(stored.get("total"))
        is_whole = isinstance(records, list) and len(by_id) == len(records)
        self.complete = stored.get("complete") is True and is_whole
        self.is_known = stored.get("known", stored.get("complete")) is True
        self.limit = whole(stored.get("asked"))
        self.read_at = moment(stored.get("read_at")) if is_whole else None
        sizes = {it.id: it.size for it in self.records if isinstance(it, Sized)}
        self.sizes = sizes or _NONE
        self._kind.follow(self.key, Delta(self.records, (), (), True))

    def to_store(self) -> Json:
        """Return the list as plain JSON, each record as a text: a whole list would be decoded in one go."""
        return {
            "total": self._told_total,
            "complete": self.complete,
            "known": self.is_known,
            "asked": self.limit,
            "read_at": self.read_at and self.read_at.isoformat(),
            "records": [*map(record_to_text, self.records)],
        }


class Shelf[T: Record]:
    """All that is known of one server; a library without that server has an empty one.

    Attributes:
        list: what it is read for, of the first of its kinds.
        state: what else is stored; a thread stores it, so that its collections are replaced and not changed.
        next_read: cancels the next reading of the list.
    """

    def __init__(
        self,
        hass: HomeAssistant,
        entry: ConfigEntry[Any],
        kind: str,
        url: str | None,
        refresh_seconds: float,
        kinds: Mapping[str, ListKind[Any]],
        *,
        state: object = None,
        subentry: ConfigSubentry | None = None,
    ) -> None:
        """Initialize without records; one of a subentry has its id and title, and a file of its own."""
        self.hass = hass
        self.entry = entry
        self.kind = kind
        self.url = url
        self.refresh_seconds = refresh_seconds
        self.state: Any = state
        self.next_read: CALLBACK_TYPE | None = None
        self.subentry_id = subentry.subentry_id if subentry else ""
        self.title = subentry.title if subentry else entry.title
        self._kinds = kinds
        self._lists: dict[str, dict[str, Listing[Any]]] = {name: {} for name in kinds}
        self._tasks: set[asyncio.Task[Any]] = set()
        self._shared: dict[str, asyncio.Task[Any]] = {}
        self._retry = timing.LIST_RETRY
        self._contact_error: Dp1Error | None = None
        self._is_logged = self._is_stopped = False
        self._is_changed = False
        self._listeners: list[CALLBACK_TYPE] = []
        file = f"{SUBENTRY}{subentry.subentry_id}" if subentry else kind
        self._store = SafeStore(
            hass,
            f"library.{entry.entry_id}.{file}",
            self.restore,
            serialize_in_event_loop=False,
        )
        self._main = next(iter(kinds))
        self.list: Listing[T] = self.listing(self._main)
        shelves = hass.data.setdefault(SHELVES, {})
        self._all = shelves.setdefault(entry.entry_id, WeakSet())
        self._all.add(self)

    # Lists

    def listing(self, kind: str, key: str = "") -> Listing[Any]:
        """Return a list of a kind, as far as it was read."""
        lists = self._lists[kind]
        if key not in lists:
            lists[key] = Listing(self, kind, self._kinds[kind], key)
        return lists[key]

    def listings(self, kind: str) -> Mapping[str, Listing[Any]]:
        """Return all lists of a kind by their keys, those used last at the end."""
        return self._lists[kind]

    @callback
    def async_use(self, kind: str, key: str) -> Listing[Any]:
        """Return a list, which is the last to be discarded from now on."""
        listing = self.listing(kind, key)
        self._lists[kind][key] = self._lists[kind].pop(key)
        return listing

    @callback
    def async_discard(self, kind: str, key: str) -> None:
        """Discard a list; a reader of it is told."""
        if listing := self._lists[kind].pop(key, None):
            listing.async_close()

    @property
    def size(self) -> int:
        """Return about how many bytes the texts of all records take."""
        return sum(
            sum(listing.sizes.values())
            for lists in self._lists.values()
            for listing in lists.values()
        )

    async def async_fitted(
        self, listing: Listing[Any], page: Page[Any], *, is_first: bool
    ) -> Page[Any]:
        """Return a page with the records that are there already, and those without what would be too much in all."""
        before = listing.sizes
        if is_first:
            listing.sizes = _NONE
        if not (page.records and isinstance(page.records[0], Sized)):
            return replace(page, records=[*map(listing.same, page.records)])
        left = MAX_BYTES - sum(shelf.size for shelf in [*self._all])

        def fit() -> tuple[list[Any], dict[str, int]]:
            """Return the records and their sizes."""
            records: list[Any] = []
            sizes: dict[str, int] = {}
            room = left
            for given in page.records:
                record = listing.same(given)
                size = before.get(record.id) if record is given else None
                size = record.size if size is None else size
                if size > room:
                    record = listing.same(record.lightened())
                    size = record.size
                room -= size
                sizes[record.id] = size
                records.append(record)
            return records, sizes

        records, sizes = await self.hass.async_add_executor_job(fit)
        listing.sizes = {**listing.sizes, **sizes}
        return replace(page, records=records)

    @callback
    def async_handle_delta(self, listing: Listing[Any], delta: Delta[Any]) -> None:
        """Tell who follows a list what has changed in it."""
        self._is_changed = True
        self._kinds[listing.name].follow(listing.key, delta)
        self.async_updated()

    @callback
    def async_handle_end(self, listing: Listing[Any]) -> None:
        """Handle the end of a reading; of the main list, schedule the next."""
        if self._is_stopped:
            return
        self.async_contacted(listing.problem)
        try:
            self._kinds[listing.name].ended(listing)
        finally:
            if listing is self.list:
                self._schedule_next()
            self.async_updated()

    def _schedule_next(self) -> None:
        """Schedule the next reading of the main list, after a failure sooner."""
        wait = self.refresh_seconds
        if self.list.problem is None:
            self._retry = timing.LIST_RETRY
        else:
            wait = max(self._retry, self.list.retry_after)
            self._retry = min(2 * self._retry, LAST_LIST_RETRY)
        self.async_schedule(wait)

    async def async_refresh(self) -> Dp1Error | None:
        """Read the list now, and return why that failed; a long reading goes on in the background."""
        if self.url is None:
            return None
        self.list.async_start()
        await self.list.async_wait(PATIENCE)
        return None if self.list.is_reading else self.list.problem

    async def async_list(self, patience: float = PATIENCE) -> Listing[T]:
        """Return the list, after waiting for one that was never read."""
        if self.url is not None:
            await self.list.async_get(max_age=self.refresh_seconds, patience=patience)
        return self.list

    # Tasks

    @property
    def is_idle(self) -> bool:
        """Return whether nothing is read."""
        return not self._tasks

    def create_task[R](
        self, name: str, read: Coroutine[Any, Any, R]
    ) -> asyncio.Task[R]:
        """Start a reading, which ends with the shelf."""
        task = self.entry.async_create_background_task(
            self.hass, read, f"{self.title} {name}", eager_start=False
        )
        self._tasks.add(task)
        task.add_done_callback(self._tasks.discard)
        return task

    async def async_share[R](self, name: str, read: Read[R], patience: float) -> R:
        """Return the result of a reading that others may wait for too.

        Raises:
            NoAnswerError: it takes longer than `patience` seconds, and goes on in the background.
        """
        task = self._shared.get(name)
        # A reading that is over is removed a moment later.
        if task is None or task.done():
            task = self._shared[name] = self.create_task(name, read())
            task.add_done_callback(lambda task: self._handle_shared(name, task))
        done, _ = await asyncio.wait({task}, timeout=patience)
        if not done or task.cancelled():
            raise NoAnswerError("this takes its time; it goes on in the background")
        result: R = task.result()
        return result

    def _handle_shared(self, name: str, task: asyncio.Task[Any]) -> None:
        """Remove a reading that is over; who wanted to know why it failed may have left."""
        if self._shared.get(name) is task:
            del self._shared[name]
        error = None if task.cancelled() else task.exception()
        if error is not None and not isinstance(error, Dp1Error):
            LOGGER.error("The reading of %s failed", name, exc_info=error)

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
                self.async_schedule(wait)

    async def async_stop(self) -> None:
        """Stop refreshing, cancel all readings, wait for them and save."""
        self._is_stopped = True
        self._unschedule()
        for task in (tasks := [*self._tasks]):
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)
        if self.url is not None:
            data = await self.hass.async_add_executor_job(self.to_store)
            await self._store.async_save(data)

    @callback
    def async_schedule(self, seconds: float) -> None:
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

    # Who follows

    @property
    def problem(self) -> Dp1Error | None:
        """Return why the list is old or incomplete, or why the server was out of reach at the last try."""
        return self.list.problem or self._contact_error

    @callback
    def async_add_listener(self, listener: CALLBACK_TYPE) -> None:
        """Call a function whenever something was read."""
        self._listeners.append(listener)

    @callback
    def async_updated(self, *, is_changed: bool = False) -> None:
        """Call the listeners, and store what has changed: records, or the state, as who calls knows."""
        if self._is_changed or is_changed:
            self._is_changed = False
            self._save_later()
        for listener in self._listeners:
            listener()

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

    @callback
    def _save_later(self) -> None:
        """Save after a while, or when Home Assistant stops."""
        self._store.async_delay_save(self.to_store, SAVE_DELAY)

    def to_store(self) -> Json:
        """Return the content of the file as plain JSON; runs in another thread."""
        data: Json = {"version": VERSION, "url": self.url}
        for name, kind in self._kinds.items():
            stored = {
                key: listing.to_store()
                for key, listing in {**self._lists[name]}.items()
                if listing.records or listing.read_at
            }
            data[name] = stored if kind.is_keyed else stored.get("")
        if self.state is not None:
            data["state"] = record_to_json(self.state)
        return data

    def restore(self, data: Mapping[str, Any]) -> None:
        """Load the file, unless it is of another server; runs in another thread before anything else."""
        if data.get("url") != self.url:
            return
        if self.state is not None:
            state = record_from_json(type(self.state), data.get("state"))
            if state is not None and not self._is_usable(state):
                return
            self.state = state or self.state
        if data.get("version", VERSION) != VERSION:
            return
        for name, kind in self._kinds.items():
            stored = data.get(name)
            for key, each in (
                mapping(stored) if kind.is_keyed else {"": stored}
            ).items():
                self.listing(name, key).restore(each)

    def _is_usable(self, state: Any) -> bool:
        """Return whether what is stored is still of the same things."""
        return True


def with_pauses[R](things: Iterable[R]) -> Iterator[R]:
    """Yield things in another thread, and let the event loop run now and then.

    The loop would otherwise wait 5 ms for the lock of the interpreter whenever it comes back from the network.
    """
    for batch in batched(things, BATCH, strict=False):
        yield from batch
        time.sleep(0)


def record_to_text(record: object) -> str:
    """Return a dataclass as JSON in a text."""
    return json_dumps(record_to_json(record))


def record_from_text[R](kind: type[R], stored: object) -> R | None:
    """Return the dataclass in a text, None if it is damaged."""
    try:
        return record_from_json(kind, json_loads(stored))  # type: ignore[arg-type]
    except ValueError:
        return None


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
