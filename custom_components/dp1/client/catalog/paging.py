"""Read a whole list by small pages, some at the same time, in bounded time whatever the server does with its pages."""

import asyncio
from collections.abc import Awaitable, Callable, Iterator, Sequence
from dataclasses import dataclass
from math import ceil

from ..errors import Dp1Error, UnexpectedAnswerError
from .models import Record

PAGE_SIZE = 5
MAX_RECORDS = 5000
MAX_FAILED_PAGES = 3


@dataclass(frozen=True, slots=True)
class Page[T]:
    """A page of a list.

    Attributes:
        records: the valid records.
        total: number of records of the list; None if the server did not tell.
        offset: index of the first record in the list, from 0.
        received: number of records, including invalid ones.
        skipped: number of invalid records.
    """

    records: tuple[T, ...]
    total: int | None
    offset: int
    received: int
    skipped: int


@dataclass(frozen=True, slots=True)
class Listing[T]:
    """A list as far as it could be read.

    Attributes:
        records: the records, in order.
        total: number of records of the list; None if the server did not tell.
        complete: whether ``records`` is the whole list.
        reason: the error if it is not; None if no more was asked for.
    """

    records: tuple[T, ...]
    total: int | None
    complete: bool
    reason: Dp1Error | None


type Progress[T] = Callable[[Callable[[], Listing[T]]], None]


def evenly[T](things: Sequence[T], count: int) -> list[T]:
    """Return ``count`` of some values, evenly spread over all of them, in order."""
    if count >= len(things):
        return list(things)
    return [things[place * len(things) // count] for place in range(max(count, 0))]


def spread_offsets(total: int, size: int, pages: int) -> list[int]:
    """Return offsets of pages spread evenly over a list, from its first record to its last.

    Args:
        total: records in the list.
        size: records of a page.
        pages: number of pages; they must fit in without overlap.
    """
    if pages < 2:
        return [0]
    return [place * (total - size) // (pages - 1) for place in range(pages)]


class PagedReader[T: Record]:
    """Reads a list to its end: the first page, then several at a time."""

    def __init__(
        self,
        fetch: Callable[[int, int], Awaitable[Page[T]]],
        *,
        concurrency: int,
        cap: int | None = None,
        spread: bool = False,
    ) -> None:
        """Initialize the reader.

        Args:
            fetch: reads a page, given its offset and the maximum number of records.
            concurrency: maximum number of pages at the same time.
            cap: maximum number of records to return; None for all.
            spread: whether records over the cap are left out evenly instead of at the end.
        """
        self._fetch = fetch
        self._concurrency = concurrency
        self._cap = MAX_RECORDS if cap is None else cap
        self._spread = spread
        self._found: dict[str, tuple[int, T]] = {}
        self._skipped = 0
        self._page_size = PAGE_SIZE
        self._total: int | None = None
        self._failures: list[Dp1Error] = []
        self._stopped = False

    async def read(self) -> Listing[T]:
        """Read as much as possible; errors are returned as the reason and never raised."""
        if self._cap < 1:
            return Listing((), None, False, None)
        asked = min(PAGE_SIZE, self._cap)
        try:
            first = await self._fetch(0, asked)
        except Dp1Error as err:
            return Listing((), None, False, err)
        if first.total is not None and first.total >= first.received:
            self._total = first.total
        self._keep(first)
        if first.received:
            # A server may return fewer records than asked for; its own page size is used from here on.
            self._page_size = first.received
            await self._read_spans(self._spans())
        return self.so_far()

    def _spans(self) -> Iterator[tuple[int, int]]:
        """Return the spans (start, end) into which the rest of the list is divided, to be read independently."""
        size = self._page_size
        if self._total is None:
            yield size, self._cap
            return
        pages = ceil(self._cap / size)
        if self._spread and pages * size < self._total:
            for offset in spread_offsets(self._total, size, pages)[1:]:
                yield offset, offset + size
            return
        end = self._total if self._spread else min(self._total, self._cap)
        for offset in range(size, end, size):
            yield offset, min(offset + size, end)

    async def _read_spans(self, spans: Iterator[tuple[int, int]]) -> None:
        """Read all spans, several at a time."""

        async def work() -> None:
            for start, end in spans:
                if self._stopped:
                    return
                try:
                    await self._read_span(start, end)
                except Dp1Error as err:
                    self._failures.append(err)
                    if len(self._failures) >= MAX_FAILED_PAGES:
                        self._stopped = True

        async with asyncio.TaskGroup() as group:
            for _ in range(self._concurrency):
                group.create_task(work())

    async def _read_span(self, start: int, end: int) -> None:
        """Read a span, by as many pages as the server makes of it."""
        offset = start
        while offset < end and not self._stopped:
            asked = min(PAGE_SIZE, end - offset)
            page = await self._fetch(offset, asked)
            new = self._keep(page)
            if not page.received:
                # No records where a span begins: this is the end of the list.
                self._stopped |= offset == start
                return
            if page.records and not new:
                if offset == start and page.received >= asked:
                    raise UnexpectedAnswerError("the catalog repeats its pages")
                return
            offset += page.received
            if self._total is None and page.received < self._page_size:
                return

    def _keep(self, page: Page[T]) -> int:
        """Add the new records of a page, and return their number."""
        before = len(self._found)
        for place, record in enumerate(page.records, page.offset):
            self._found.setdefault(record.id, (place, record))
        self._skipped += page.skipped
        return len(self._found) - before

    def so_far(self) -> Listing[T]:
        """Return what was read until now, and whether it is the whole list."""
        in_order = sorted(self._found.values(), key=lambda found: found[0])
        records = [record for _, record in in_order]
        reason: Dp1Error | None = None
        if self._failures:
            reason = self._failures[0]
        elif len(records) + self._skipped < min(self._total or 0, self._cap):
            reason = UnexpectedAnswerError(
                f"the catalog announces {self._total} records and gives {len(records)}"
            )
        if self._total is None:
            capped = len(records) >= self._cap
        else:
            capped = self._total > self._cap
        complete = not capped and reason is None
        kept = evenly(records, self._cap) if self._spread else records[: self._cap]
        return Listing(tuple(kept), self._total, complete, reason)
