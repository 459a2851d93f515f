"""The list of a server: read page by page, shared by its readers, and kept across restarts."""

import asyncio
from collections.abc import AsyncIterator, Callable, Coroutine, Iterable
from contextlib import suppress
from dataclasses import replace
from datetime import UTC, datetime
from functools import partial
from itertools import chain
from math import inf
from typing import Any, Final, Protocol

from homeassistant.config_entries import ConfigEntry
from homeassistant.core import HomeAssistant, callback
from homeassistant.helpers.json import json_dumps
from homeassistant.util import dt as dt_util
from homeassistant.util.json import json_loads

from ..client.errors import BusyError, Dp1Error, NoAnswerError
from ..client.pages import Page
from ..client.values import mapping, moment, whole
from ..storage import record_from_json, record_to_json
from .threads import with_pauses

# How long a reader waits, and for the rest of a list of which some is there.
PATIENCE = 10.0
PARTIAL_PATIENCE = 2.0
# Seconds until a list that could not be read is read again, whoever wants it.
READ_RETRY: Final = 2.0

_NEVER = datetime.min.replace(tzinfo=UTC)

type Json = dict[str, Any]


class Storable(Protocol):
    """A dataclass that can be stored."""

    @property
    def id(self) -> str:
        """Return the key of the record."""


type Read[T] = Callable[[], Coroutine[Any, Any, T]]


class Tasks:
    """The readings of a server in progress; equal ones are one."""

    def __init__(self, hass: HomeAssistant, entry: ConfigEntry[Any]) -> None:
        """Initialize without tasks."""
        self.hass = hass
        self.entry = entry
        self._tasks: dict[str, asyncio.Task[Any]] = {}

    @property
    def is_idle(self) -> bool:
        """Return whether nothing is read."""
        return not self._tasks

    def stop(self) -> None:
        """Cancel all readings."""
        for task in self._tasks.values():
            task.cancel()

    def cancel(self, name: str) -> None:
        """Cancel a reading, in whose place another may be started at once."""
        if task := self._tasks.pop(name, None):
            task.cancel()

    def start[T](self, name: str, read: Read[T]) -> asyncio.Task[T]:
        """Start a reading unless it is in progress."""
        task = self._tasks.get(name)
        # A reading that is over is removed a moment later.
        if task is None or task.done():
            task = self.entry.async_create_background_task(
                self.hass, read(), f"{self.entry.title} {name}", eager_start=False
            )
            self._tasks[name] = task
            task.add_done_callback(lambda task: self._finish(name, task))
        return task

    async def share[T](self, name: str, read: Read[T], patience: float) -> T:
        """Return the result of a reading that others may wait for too.

        Raises:
            NoAnswerError: it takes longer than `patience` seconds, and goes on in the background.
        """
        task = self.start(name, read)
        done, _ = await asyncio.wait({task}, timeout=patience)
        if not done or task.cancelled():
            raise NoAnswerError("this takes its time; it goes on in the background")
        return task.result()

    def _finish(self, name: str, task: asyncio.Task[Any]) -> None:
        """Remove a reading that is over; who wanted to know why it failed may have left."""
        if self._tasks.get(name) is task:
            del self._tasks[name]
        error = None if task.cancelled() else task.exception()
        if error is not None and not isinstance(error, Dp1Error):
            raise error


type Pages[T] = Callable[[int | None, float | None], AsyncIterator[Page[T]]]


class ServerList[T: Storable]:
    """A list of a server, as far as it was read.

    Attributes:
        records: in the order of the list; the same tuple until there are others.
        total: number of records that the server announces.
        limit: number of records that were wanted; None for all.
        complete: whether the last reading brought the whole list.
        read_at: time of the last reading without an error; None if there was none, or more is wanted by now.
        problem: the error that ended the last reading.
        began_at: start of the last reading, on the clock of the event loop.
        tried_at: end of the last reading; 0 if there was none.
    """

    def __init__(
        self,
        tasks: Tasks,
        name: str,
        pages: Pages[T],
        *,
        order: Callable[[Iterable[T]], Iterable[T]] = tuple,
        records_changed: Callable[[ServerList[T]], None],
        read_ended: Callable[[ServerList[T]], None],
    ) -> None:
        """Initialize without records.

        Args:
            tasks: what its server reads.
            name: of the list among all of the server.
            pages: yields the pages of about so many records, with a pause in seconds before each if nobody waits.
            order: sorts the records, or adds and removes some.
            records_changed: called with the list after its records have changed.
            read_ended: called with it after a reading.
        """
        self.records: tuple[T, ...] = ()
        self.total: int | None = None
        self.limit: int | None = 0
        self.complete = False
        self.read_at: datetime | None = None
        self.problem: Dp1Error | None = None
        self.began_at = self.tried_at = 0.0
        self._by_id: dict[str, T] = {}
        self._tasks = tasks
        self._name = name
        self._pages = pages
        self._order = order
        self._records_changed = records_changed
        self._read_ended = read_ended
        self._task: asyncio.Task[None] | None = None
        self._extent = 0.0, 0.0
        self._released = asyncio.Event()

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
    ) -> ServerList[T]:
        """Return the list, after waiting for its first reading; an old list is read again in the background."""
        is_read = self.read_at is not None and self._has(limit)
        if is_read and self.problem is None and self.age < max_age:
            return self
        pause = max(READ_RETRY, self.retry_after)
        waited = self._tasks.hass.loop.time() - self.tried_at
        has_tried = self.tried_at and self._has(limit)
        if self.is_reading or not has_tried or waited >= pause:
            if self.records and not is_read and has_tried:
                patience = min(patience, PARTIAL_PATIENCE)
            self.async_start(self.limit if has_tried else limit)
            if not is_read:
                with suppress(TimeoutError):
                    async with asyncio.timeout(patience):
                        await self._released.wait()
        return self

    async def async_read(
        self, limit: int | None = None, pause: float | None = None
    ) -> ServerList[T]:
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
    def async_start(self, limit: int | None = None, pause: float | None = None) -> None:
        """Start a reading, in place of one in progress that brings less or later."""
        extent = limit or inf, inf if pause is None else -pause
        if self.is_reading:
            if all(now >= new for now, new in zip(self._extent, extent, strict=True)):
                return
            self._tasks.cancel(self._name)
        if not self._has(limit):
            self.read_at = None
        self._extent = extent
        self._released.clear()
        read = partial(self._async_read, limit, pause)
        self._task = self._tasks.start(self._name, read)

    @callback
    def async_release(self) -> None:
        """Release the readers that wait, with the records so far; the rest follows unhurried."""
        self._released.set()

    @callback
    def async_set(self, records: Iterable[T]) -> None:
        """Replace the records."""
        by_id = {record.id: record for record in self._order(records)}
        if self.records != (new := tuple(by_id.values())):
            self.records, self._by_id = new, by_id
            self._records_changed(self)

    def _has(self, limit: int | None) -> bool:
        """Return whether as many records were wanted before."""
        size = inf if self.limit is None else self.limit
        return self.complete or size >= (limit or inf)

    async def _async_read(self, limit: int | None, pause: float | None) -> None:
        """Read the list; a reading that ends with an error keeps the earlier records as well."""
        self.began_at = self._tasks.hass.loop.time()
        pages: list[Page[T]] = []
        try:
            async for page in self._pages(limit, pause):
                self.total = page.total
                pages.append(replace(page, records=list(map(self._same, page.records))))
                self._add(pages, self.records)
            self._add(pages, ())
        except Dp1Error as err:
            self.problem, self.complete = err, False
        else:
            self.problem, self.read_at = None, dt_util.utcnow()
            # Without a total, a list of just as many records may go on.
            size = len(self.records) + 1 if self.total is None else self.total
            self.complete = limit is None or size <= limit
        finally:
            if self._task is asyncio.current_task():
                self._task = None
                self.limit, self.tried_at = limit, self._tasks.hass.loop.time()
                self._released.set()
        self._read_ended(self)

    def _same(self, record: T) -> T:
        """Return the earlier record if it is the same, so that lists are compared quickly."""
        earlier = self._by_id.get(record.id)
        return record if earlier is None or earlier != record else earlier

    def _add(self, pages: list[Page[T]], earlier: Iterable[T]) -> None:
        """Set the records of pages, and the earlier records beyond them."""
        pages.sort(key=lambda page: page.offset)
        by_id: dict[str, T] = {}
        for record in chain.from_iterable((*(page.records for page in pages), earlier)):
            by_id.setdefault(record.id, record)
        self.async_set(by_id.values())

    # Storage

    def restore(self, data: object, record_type: type[T]) -> None:
        """Load a stored list, without the records that make no sense; for other threads."""
        stored = mapping(data)
        records = stored.get("records")
        texts = with_pauses(records if isinstance(records, list) else ())
        read = (record_from_text(record_type, each) for each in texts)
        self._by_id = {record.id: record for record in read if record is not None}
        self.records = tuple(self._by_id.values())
        self.total = whole(stored.get("total"))
        self.complete = stored.get("complete") is True
        self.limit = whole(stored.get("asked"))
        self.read_at = moment(stored.get("read_at"))

    def to_store(self) -> Json:
        """Return the list as plain JSON, each record as a text: a whole list would be decoded in one go."""
        return {
            "total": self.total,
            "complete": self.complete,
            "asked": self.limit,
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
