"""A list of a server, as far as it was read: only its shelf and itself write it.

A list never becomes smaller but by a reading of the whole.
"""

import asyncio
from collections.abc import (
    AsyncIterator,
    Callable,
    Coroutine,
    Iterable,
    Iterator,
    Sequence,
)
from contextlib import suppress
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from itertools import batched, chain
from math import inf
import time
from typing import Any, Final, Protocol, overload, override

from homeassistant.core import HomeAssistant, callback
from homeassistant.helpers.json import json_dumps
from homeassistant.util import dt as dt_util
from homeassistant.util.json import json_loads

from ..client.errors import (
    BusyError,
    Dp1Error,
    NotFoundError,
    UnexpectedAnswerError,
    UnreachableError,
)
from ..client.pages import Page
from ..client.values import mapping, moment, whole
from ..const import LOGGER
from ..storage import record_from_json, record_to_json
from .item import NO_WORK, Item
from .node import Inside

# How long a reader waits, and for the rest of a list of which some is there.
PATIENCE = 10.0
PARTIAL_PATIENCE = 2.0
# Seconds until a list that could not be read is read again, whoever wants it.
READ_RETRY: Final = 2.0
BATCH: Final = 50

_NEVER = datetime.min.replace(tzinfo=UTC)

type Json = dict[str, Any]
type Pages[T] = Callable[[str, int | None, float | None], AsyncIterator[Page[T]]]


class Record(Protocol):
    """A dataclass that a list has."""

    @property
    def id(self) -> str:
        """Return the key of the record."""


@dataclass(frozen=True, slots=True)
class Delta[T]:
    """What has changed in a list, in its order; `is_first` until it was once read whole: that is no news."""

    added: tuple[T, ...]
    changed: tuple[T, ...]
    removed: tuple[T, ...]
    is_first: bool


class Lazy[T](Sequence[Item]):
    """Items that are made when somebody looks, of which a page shows a part: thousands are inside some."""

    def __init__(self, records: Sequence[T], make: Callable[[T], Item]) -> None:
        """Initialize with what the items are made of."""
        self._records = records
        self._make = make

    @override
    def __len__(self) -> int:
        """Return how many there are."""
        return len(self._records)

    @overload
    def __getitem__(self, place: int) -> Item: ...
    @overload
    def __getitem__(self, place: slice) -> list[Item]: ...
    @override
    def __getitem__(self, place: int | slice) -> Item | list[Item]:
        """Return one or some."""
        if isinstance(place, slice):
            return [*map(self._make, self._records[place])]
        return self._make(self._records[place])


@dataclass(frozen=True, slots=True)
class ListKind[T: Record]:
    """A kind of lists of a server.

    Attributes:
        record: type of the records.
        parse: makes the item of a record in the list with a key.
        pages: yields the pages of about so many records of the list with a key, with a pause in seconds before each if nobody waits.
        order: sorts the records, or leaves some out.
        follow: called with the list and what has changed in it; after loading in another thread.
        ended: called with the list after each reading.
        is_keyed: whether there are several such lists.
    """

    record: type[T]
    pages: Pages[T]
    parse: Callable[[str, T], Item] = lambda key, record: NO_WORK
    order: Callable[[Iterable[T]], Iterable[T]] = tuple
    follow: Callable[[Listing[T], Delta[T]], None] = lambda listing, delta: None
    ended: Callable[[Listing[T]], None] = lambda listing: None
    is_keyed: bool = False


class Keeper(Protocol):
    """What keeps lists: a shelf."""

    hass: HomeAssistant
    title: str

    def create_task[R](
        self, name: str, read: Coroutine[Any, Any, R]
    ) -> asyncio.Task[R]:
        """Start a reading."""

    def async_handle_delta(self, listing: Listing[Any], delta: Delta[Any]) -> None:
        """Handle what has changed in a list."""

    def async_handle_end(self, listing: Listing[Any]) -> None:
        """Handle the end of a reading."""


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

    def __init__(self, shelf: Keeper, name: str, kind: ListKind[T], key: str) -> None:
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
        self._told_total: int | None = None
        self._by_id: dict[str, T] = {}
        self._shelf = shelf
        self._kind = kind
        self._task: asyncio.Task[None] | None = None
        # Of the last reading: how much, and with which pauses.
        self._wanted: tuple[int | None, float | None] = None, None
        self._released: asyncio.Event | None = None

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
            return UnreachableError("the rest is being read")
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

    # Items

    def inside(self, nodes: Sequence[Item] | None = None) -> Inside:
        """Return what is inside the node of the list, by default all items, and why the rest is missing."""
        rest = max(0, (self.total or 0) - len(self.records))
        nodes = self.items if nodes is None else nodes
        return Inside(nodes, rest, self.missing, self.read_at)

    @property
    def items(self) -> Sequence[Item]:
        """Return the items of the records, in their order."""
        return Lazy(self.records, self.item_of)

    def item(self, key: str) -> Item | None:
        """Return the item of a record by its id."""
        record = self._by_id.get(key)
        return None if record is None else self.item_of(record)

    def item_of(self, record: T) -> Item:
        """Return the item of a record of the list."""
        return self._kind.parse(self.key, record)

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
        # Made when it is needed: a garbage collection looks at all that thousands of lists have.
        released = self._released = self._released or asyncio.Event()
        if self._task is not None and not self._task.done():
            last, last_pause = self._wanted
            if (last or inf) >= (limit or inf) and (
                last_pause is None or (pause is not None and last_pause <= pause)
            ):
                return released
            self._task.cancel()
        if not self._has(limit):
            self.read_at = None
        self._wanted = limit, pause
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
        """Add or replace a record that has just been written."""
        new = () if record.id in self._by_id else (record,)
        self._async_write(
            (*new, *(record if it.id == record.id else it for it in self.records))
        )

    @callback
    def async_drop(self, key: str) -> None:
        """Remove a record that has just been deleted."""
        self._async_write([it for it in self.records if it.id != key])

    @callback
    def _async_write(self, records: Iterable[T]) -> None:
        """Set the records; a reading under way, which may bring older ones, begins anew."""
        self._set(records)
        if self._task is not None and self.is_reading:
            self._task.cancel()
            self._task = None
            self.async_start(*self._wanted)

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
                pages.append(replace(page, records=[*map(self._same, page.records)]))
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
                self.tried_at = self._shelf.hass.loop.time()
                released.set()
                self._shelf.async_handle_end(self)

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
            self.complete = all(page.is_whole for page in pages)
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

    def _same(self, record: T) -> T:
        """Return the earlier record if it is the same, so that lists are compared quickly."""
        earlier = self._by_id.get(record.id)
        return record if earlier is None or earlier != record else earlier

    def _set(self, records: Iterable[T]) -> None:
        """Replace the records, and tell what has changed."""
        records = self._kind.order(records)
        by_id = {record.id: record for record in records}
        if self.records == (new := tuple(by_id.values())):
            return
        before, self.records, self._by_id = self._by_id, new, by_id
        delta = Delta(
            tuple(it for key, it in by_id.items() if key not in before),
            tuple(
                it
                for key, it in by_id.items()
                if (old := before.get(key)) is not None and old is not it
            ),
            tuple(it for key, it in before.items() if key not in by_id),
            not self.is_known,
        )
        self._shelf.async_handle_delta(self, delta)

    # Storage

    def restore(self, data: object) -> None:
        """Load a stored list, without the records that make no sense; for other threads."""
        stored = mapping(data)
        records = stored.get("records")
        by_id = dict[str, T]()
        for text in with_pauses(records if isinstance(records, list) else ()):
            if (record := record_from_text(self._kind.record, text)) is not None:
                by_id[record.id] = record
        self._by_id, self.records = by_id, tuple(by_id.values())
        self._told_total = whole(stored.get("total"))
        is_whole = isinstance(records, list) and len(by_id) == len(records)
        self.complete = stored.get("complete") is True and is_whole
        self.is_known = stored.get("known") is True
        self.limit = whole(stored.get("asked"))
        self.read_at = moment(stored.get("read_at")) if is_whole else None
        self._kind.follow(self, Delta(self.records, (), (), True))

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


def with_pauses[R](things: Iterable[R], count: int = BATCH) -> Iterator[R]:
    """Yield things in another thread, and let the event loop run now and then.

    The loop would otherwise wait 5 ms for the lock of the interpreter whenever it comes back from the network.
    """
    for batch in batched(things, count, strict=False):
        yield from batch
        if len(batch) == count:
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
