"""Lists of servers, read in pages: at places the last page tells, or at several offsets at a time.

One loop gives each record once, ends where a server never would, and bounds what a list costs in all.
"""

from abc import ABC, abstractmethod
import asyncio
from collections import deque
from collections.abc import AsyncIterator, Awaitable, Callable, Iterable, Sequence
from dataclasses import dataclass, replace
from hashlib import sha256
from math import ceil
from typing import Final, NamedTuple, Protocol, override

from .errors import Dp1Error, TooLargeError, UnexpectedAnswerError

MAX_RECORDS: Final = 5000
MAX_FAILED_PAGES: Final = 3
# Of all pages of a list, in bytes: five thousand works take 20 MB.
MAX_SPREAD: Final = 64 * 1024 * 1024
# The same of one whose pages hold whole documents, also of what is skipped.
MAX_CHAIN: Final = 512 * 1024 * 1024
MAX_PAGES: Final = 1000
# By which a page too large is made smaller.
SHRINK: Final = 4


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
        is_whole: whether nothing that the server has there is missing.
        is_enough: whether what has come so far is enough for those who wait.
    """

    records: Sequence[T]
    total: int | None = None
    offset: int = 0
    skipped: int = 0
    size: int = 0
    following: str | None = None
    is_whole: bool = True
    is_enough: bool = False

    @property
    def received(self) -> int:
        """Return the number of records that the server has sent."""
        return len(self.records) + self.skipped


type Fetch[T] = Callable[[str | None, int], Awaitable[Page[T]]]


class _Part(NamedTuple):
    """A part of a list that is asked for.

    Attributes:
        place: where it begins, as the server calls it; None for the start.
        size: most records to ask for.
        left: number of records in it, where offsets tell.
        is_rest: whether a shorter page left it out.
    """

    place: str | None
    size: int
    left: int = 0
    is_rest: bool = False


class _Reading[T](ABC):
    """One reading of a list.

    Args:
        fetch: reads a page.
        size: most records of a page.
        identity: tells records apart.
        most_bytes: of all pages.
        most_pages: most requests for pages.
        at_once: most requests at the same time.
    """

    def __init__(
        self,
        fetch: Fetch[T],
        size: int,
        identity: Callable[[T], str],
        most_bytes: int,
        most_pages: int,
        at_once: int = 1,
    ) -> None:
        """Initialize a reading from the start."""
        self._fetch = fetch
        self._size = size
        self._identity = identity
        self._most_bytes = self._bytes_left = most_bytes
        self._pages_left = most_pages
        self._at_once = at_once
        # A page may be one long id, and all of them are kept until the list ends.
        self._seen: set[bytes] = set()
        self._failures: list[Dp1Error] = []
        self._parts = deque([_Part(None, size)])
        self._is_over = False

    async def pages(self) -> AsyncIterator[Page[T]]:
        """Yield the pages as they come, and raise the first error at the end: a broken page costs only itself."""
        tasks: set[asyncio.Task[Page[T] | None]] = set()
        try:
            while True:
                while self._parts and len(tasks) < self._at_once:
                    if not self._pages_left:
                        self._end(UnexpectedAnswerError("the list has no end"))
                        break
                    self._pages_left -= 1
                    tasks.add(asyncio.create_task(self._read(self._parts.popleft())))
                if not tasks:
                    break
                done, tasks = await asyncio.wait(
                    tasks, return_when=asyncio.FIRST_COMPLETED
                )
                for task in done:
                    if (page := task.result()) is not None:
                        yield page
                if self._bytes_left <= 0 and (tasks or self._parts):
                    most = self._most_bytes
                    self._end(TooLargeError(f"the list is over {most} bytes", most))
        finally:
            for task in tasks:
                task.cancel()
            await asyncio.gather(*tasks, return_exceptions=True)
        if (problem := self._problem) is not None:
            raise problem

    @property
    def _problem(self) -> Dp1Error | None:
        """Return why the list was not read whole."""
        return self._failures[0] if self._failures else None

    async def _read(self, part: _Part) -> Page[T] | None:
        """Read the first page of a part, and note what is to be asked for after it; None if none came."""
        try:
            page = await self._fetch(part.place, part.size)
        except Dp1Error as err:
            if not isinstance(err, TooLargeError) or part.size == 1:
                self._fail(err)
                return None
            self._bytes_left -= err.limit
            self._add(part._replace(size=max(1, part.size // SHRINK)))
            return None
        self._bytes_left -= page.size
        new = self._new(part, page)
        self._add(*self._following(part, page, new))
        return new

    def _fail(self, error: Dp1Error) -> None:
        """Note that a part cannot be read; others may be."""
        self._failures.append(error)
        if len(self._failures) >= MAX_FAILED_PAGES:
            self._end()

    def _end(self, error: Dp1Error | None = None) -> None:
        """Ask for nothing more."""
        if error is not None and not self._is_over:
            self._failures.append(error)
        self._is_over = True
        self._parts.clear()

    def _add(self, *parts: _Part) -> None:
        """Ask for parts before all others."""
        if not self._is_over:
            self._parts.extendleft(reversed(parts))

    def _new(self, part: _Part, page: Page[T]) -> Page[T]:
        """Return a page without the records that came before."""
        records = []
        for record in page.records:
            mark = sha256(self._identity(record).encode()).digest()
            if mark not in self._seen:
                self._seen.add(mark)
                records.append(record)
        return replace(page, records=tuple(records))

    @abstractmethod
    def _following(self, part: _Part, page: Page[T], new: Page[T]) -> Iterable[_Part]:
        """Return what is asked for after a page, which is given as it came and without what came before."""


class _InTurn[T](_Reading[T]):
    """The reading of a list of which each page tells the place of the next.

    It ends at the last page, when a place comes again (the page before has one all the same), and when a page brings
    nothing new.
    """

    def __init__(
        self, fetch: Fetch[T], size: int, identity: Callable[[T], str], most_pages: int
    ) -> None:
        """Initialize a reading from the start."""
        super().__init__(fetch, size, identity, MAX_CHAIN, most_pages)
        self._places: set[str | None] = set()

    @override
    def _following(self, part: _Part, page: Page[T], new: Page[T]) -> Iterable[_Part]:
        """Return the next page, larger again after a page too large."""
        self._places.add(part.place)
        place = page.following
        if place is not None and place not in self._places and new.received:
            yield _Part(place, min(2 * part.size, self._size))


def in_turn[T](
    fetch: Fetch[T],
    *,
    size: int,
    identity: Callable[[T], str],
    most_pages: int | None = None,
) -> AsyncIterator[Page[T]]:
    """Yield the pages of a list of which each tells the place of the next.

    Args:
        fetch: reads a page, given its place and the most records; of one record it raises only if the list cannot go on.
        size: most records of a page.
        identity: tells records apart.
        most_pages: by default ``MAX_PAGES``.

    Raises:
        UnexpectedAnswerError: the list has no end, or (TooLargeError) there is too much of it in all.
        Dp1Error: as ``fetch`` has it.
    """
    return _InTurn(fetch, size, identity, most_pages or MAX_PAGES).pages()


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


class _AtOffsets[T](_Reading[T]):
    """The reading of a list whose first page tells how long it is: then several at a time."""

    def __init__(
        self,
        fetch: Fetch[T],
        size: int,
        identity: Callable[[T], str],
        limit: int | None,
        at_once: int,
    ) -> None:
        """Initialize a reading of about so many records, evenly spread over the list."""
        self._limit = limit
        self._cap = limit or MAX_RECORDS
        self._page_size = min(size, self._cap)
        super().__init__(
            fetch, self._page_size, identity, MAX_SPREAD, MAX_RECORDS, at_once
        )
        self._total: int | None = None
        self._count = 0

    @override
    def _new(self, part: _Part, page: Page[T]) -> Page[T]:
        """Return a page without the records that came before, with the total of the first."""
        if part.place is None and (page.total or -1) >= page.received:
            self._total = page.total
        new = super()._new(part, page)
        self._count += new.received
        return replace(new, total=self._total)

    @property
    @override
    def _problem(self) -> Dp1Error | None:
        """Return why the list was not read whole: the server may have announced more than it gives."""
        if self._failures or self._count >= min(self._total or 0, self._cap):
            return super()._problem
        return UnexpectedAnswerError(
            f"the server announces {self._total} records and gives {self._count}"
        )

    @override
    def _following(self, part: _Part, page: Page[T], new: Page[T]) -> Iterable[_Part]:
        """Return what is left of a part and, after the first page, the others."""
        start, received = int(part.place or 0), page.received
        if not received:
            # No records where a part begins: this is the end of the list.
            if not part.is_rest:
                self._end()
            return
        if part.place is None:
            if part.size == self._size:
                # A server may return fewer records than asked for; its own page size is used from here on.
                self._page_size = received
            elif received < self._page_size:
                yield self._part(received, self._page_size, is_rest=True)
            yield from self._others()
            return
        if page.records and not new.records:
            if not part.is_rest and received >= part.size:
                self._fail(UnexpectedAnswerError("the server repeats its pages"))
            return
        is_last = self._total is None and received < min(part.size, self._page_size)
        if received < part.left and not is_last:
            rest = self._part(start + received, start + part.left, is_rest=True)
            yield rest._replace(size=min(2 * part.size, rest.size))

    def _part(self, start: int, end: int, *, is_rest: bool = False) -> _Part:
        """Return the part between two offsets."""
        return _Part(str(start), min(self._size, end - start), end - start, is_rest)

    def _others(self) -> Iterable[_Part]:
        """Yield the parts into which the list is divided after its first page, to be read independently."""
        size, total = self._page_size, self._total
        if total is None:
            if size < self._cap:
                yield self._part(size, self._cap)
            return
        pages = ceil(self._cap / size)
        if self._limit and pages * size < total:
            for offset in spread_offsets(total, size, pages)[1:]:
                yield self._part(offset, offset + size)
            return
        end = total if self._limit else min(total, self._cap)
        for offset in range(size, end, size):
            yield self._part(offset, min(offset + size, end))


def at_offsets[T](
    fetch: Fetch[T],
    *,
    size: int,
    identity: Callable[[T], str],
    limit: int | None = None,
    at_once: int = 1,
) -> AsyncIterator[Page[T]]:
    """Yield the pages of a list that can be asked for anywhere: the first, then several at a time.

    Args:
        fetch: reads a page, given its offset as text (None for 0) and the most records.
        size: the most records that the server gives in a page.
        identity: tells records apart.
        limit: about how many records to read, evenly spread over the list; None for all, up to ``MAX_RECORDS``.
        at_once: maximum number of pages at the same time.

    Raises:
        UnexpectedAnswerError: the list is not as announced, or (TooLargeError) there is too much of it in all.
        Dp1Error: as ``fetch`` has it, the first.
    """
    return _AtOffsets(fetch, size, identity, limit, at_once).pages()
