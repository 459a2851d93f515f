"""Lists of servers, read in pages: at places the last page tells, or at several offsets at a time.

Both loops give each record once, end where a server never would, and bound what a list costs in all.
"""

import asyncio
from collections import deque
from collections.abc import AsyncIterator, Awaitable, Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from hashlib import sha256
from math import ceil
from typing import Final, NamedTuple, Protocol

from .errors import Dp1Error, TooLargeError, UnexpectedAnswerError

MAX_RECORDS: Final = 5000
MAX_FAILED_PAGES: Final = 3
# Of all pages of a list, in bytes: five thousand works take 20 MB.
MAX_SPREAD: Final = 64 * 1024 * 1024
# The same of one whose pages hold whole documents, also of what is skipped.
MAX_CHAIN: Final = 512 * 1024 * 1024
MAX_PAGES: Final = 1000


class Identified(Protocol):
    """A record with an id."""

    @property
    def id(self) -> str:
        """Return the id."""


@dataclass(frozen=True, slots=True)
class Page[T]:
    """A page of a list.

    Attributes:
        records: the valid records in the order of the list; none that an earlier page of the same reading had.
        total: number of records in the list; None if the server does not tell.
        offset: index of the first record in the list, from 0, where pages may come in another order.
        skipped: number of further records that make no sense or are too large to be read.
        size: of the answer, in bytes; 0 where nobody counts.
        following: place of the next page, for a list that is read page after page; None at the end.
        is_whole: whether all that the server has of these records is in them.
        is_enough: whether what has come so far is enough for those who wait.
        is_all: whether the list has nothing beyond what is read of it.
    """

    records: Sequence[T]
    total: int | None = None
    offset: int = 0
    skipped: int = 0
    size: int = 0
    following: str | None = None
    is_whole: bool = True
    is_enough: bool = False
    is_all: bool = True

    @property
    def received(self) -> int:
        """Return the number of records that the server has sent."""
        return len(self.records) + self.skipped


class _Reading[T]:
    """What one reading of a list has brought."""

    def __init__(self, identity: Callable[[T], str], most: int) -> None:
        """Initialize with what tells records apart, and the most bytes."""
        self._identity = identity
        self._most = self._left = most
        # A page may be one long id, and all of them are kept until the list ends.
        self._seen: set[bytes] = set()

    def new(self, page: Page[T]) -> Page[T]:
        """Return a page without the records that came before."""
        records = []
        for record in page.records:
            mark = sha256(self._identity(record).encode()).digest()
            if mark not in self._seen:
                self._seen.add(mark)
                records.append(record)
        return replace(page, records=tuple(records))

    def spend(self, size: int) -> None:
        """Count bytes, and raise TooLargeError once they are too many."""
        self._left -= size
        if self._left <= 0:
            raise TooLargeError(f"the list is over {self._most} bytes", self._most)


async def in_turn[T](
    fetch: Callable[[str | None, int], Awaitable[Page[T]]],
    *,
    size: int,
    identity: Callable[[T], str],
    shrink: int = 2,
    most_pages: int | None = None,
) -> AsyncIterator[Page[T]]:
    """Yield the pages of a list of which each tells the place of the next.

    Ends at the last page, when a place comes again (the page before has one all the same), and when a page brings nothing
    new. A page too large is asked for again in smaller parts, down to one record.

    Args:
        fetch: reads a page, given its place and the most records; of one record it raises only if the list cannot go on.
        size: most records of a page.
        identity: tells records apart.
        shrink: by which a page too large is made smaller.
        most_pages: by default ``MAX_PAGES``.

    Raises:
        UnexpectedAnswerError: the list has no end, or (TooLargeError) there is too much of it in all.
        Dp1Error: as ``fetch`` has it.
    """
    reading = _Reading(identity, MAX_CHAIN)
    now, place = size, None
    places: set[str | None] = set()
    for _ in range(most_pages or MAX_PAGES):
        try:
            page = await fetch(place, now)
        except TooLargeError as err:
            reading.spend(err.limit)
            if now == 1:
                raise
            now = max(1, now // shrink)
            continue
        now = min(2 * now, size)
        places.add(place)
        place = page.following
        new = reading.new(page)
        is_last = place is None or place in places
        yield new
        if is_last or not new.received:
            return
        reading.spend(page.size)
    raise UnexpectedAnswerError("the list has no end")


type Fetch[T] = Callable[[int, int], Awaitable[Page[T]]]


def spread_offsets(total: int, size: int, pages: int) -> list[int]:
    """Return offsets of pages spread evenly over a list, from its first record to its last.

    Args:
        total: records in the list.
        size: records of a page.
        pages: number of pages; they must fit in without overlap.
    """
    if pages < 2:
        return [0]
    return [index * (total - size) // (pages - 1) for index in range(pages)]


class Span(NamedTuple):
    """A part of a list, from an index to another; `is_rest` if a shorter page left it out."""

    start: int
    end: int
    is_rest: bool = False


class PageReader[T: Identified]:
    """The reading of one list: the first page, then several at a time.

    Args:
        fetch: reads a page, given its offset and the maximum number of records.
        size: the most records that the server gives in a page.
        concurrency: maximum number of pages at the same time.
        limit: about how many records to read, evenly spread over the list; None for all, up to ``MAX_RECORDS``.
    """

    def __init__(
        self,
        fetch: Fetch[T],
        *,
        size: int,
        concurrency: int,
        limit: int | None = None,
    ) -> None:
        """Initialize the reading without a request."""
        self._fetch = fetch
        self._most = size
        self._concurrency = concurrency
        self._limit = limit
        self._cap = limit or MAX_RECORDS
        self._reading = _Reading[T](lambda record: record.id, MAX_SPREAD)
        self._received = 0
        self._page_size = size
        self._total: int | None = None
        self._failures: list[Dp1Error] = []
        self._is_over = False

    async def pages(self) -> AsyncIterator[Page[T]]:
        """Yield the pages as they come, and raise the first error at the end: a broken page costs only itself."""
        first = await self._fetch(0, min(self._most, self._cap))
        if first.total is not None and first.total >= first.received:
            self._total = first.total
        yield self._new(first)
        if first.received:
            # A server may return fewer records than asked for; its own page size is used from here on.
            self._page_size = first.received
            async for page in self._following():
                yield page
        if self._failures:
            raise self._failures[0]
        if self._received < min(self._total or 0, self._cap):
            raise UnexpectedAnswerError(
                f"the server announces {self._total} records and gives {self._received}"
            )

    async def _following(self) -> AsyncIterator[Page[T]]:
        """Yield the pages after the first as they come, several read at a time."""
        spans = deque(self._spans())
        tasks = set[asyncio.Task[tuple[Page[T], Span | None]]]()
        try:
            while True:
                while spans and not self._is_over and len(tasks) < self._concurrency:
                    tasks.add(asyncio.create_task(self._read(spans.popleft())))
                if not tasks:
                    return
                done, tasks = await asyncio.wait(
                    tasks, return_when=asyncio.FIRST_COMPLETED
                )
                for task in done:
                    try:
                        page, rest = task.result()
                    except Dp1Error as err:
                        self._failures.append(err)
                        self._is_over |= len(self._failures) >= MAX_FAILED_PAGES
                        continue
                    yield page
                    if rest is not None:
                        spans.appendleft(rest)
        finally:
            for task in tasks:
                task.cancel()

    def _spans(self) -> Iterator[Span]:
        """Yield the spans into which the rest of the list is divided, to be read independently."""
        size = self._page_size
        if self._total is None:
            if size < self._cap:
                yield Span(size, self._cap)
            return
        pages = ceil(self._cap / size)
        if self._limit and pages * size < self._total:
            for offset in spread_offsets(self._total, size, pages)[1:]:
                yield Span(offset, offset + size)
            return
        end = self._total if self._limit else min(self._total, self._cap)
        for offset in range(size, end, size):
            yield Span(offset, min(offset + size, end))

    async def _read(self, span: Span) -> tuple[Page[T], Span | None]:
        """Return the first page of a span, and the span that a shorter page leaves out."""
        limit = min(self._most, span.end - span.start)
        page = await self._fetch(span.start, limit)
        new = self._new(page)
        if not page.received:
            # No records where a span begins: this is the end of the list.
            self._is_over |= not span.is_rest
            return new, None
        if page.records and not new.records:
            if not span.is_rest and page.received >= limit:
                raise UnexpectedAnswerError("the server repeats its pages")
            return new, None
        start = span.start + page.received
        is_last = self._total is None and page.received < self._page_size
        return new, None if is_last or start >= span.end else Span(
            start, span.end, True
        )

    def _new(self, page: Page[T]) -> Page[T]:
        """Return a page without the records that came before."""
        new = self._reading.new(page)
        self._received += new.received
        try:
            self._reading.spend(page.size)
        except TooLargeError as err:
            if not self._is_over:
                self._failures.append(err)
            self._is_over = True
        return replace(new, total=self._total)
