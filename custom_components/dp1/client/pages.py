"""Lists of servers, read in pages: at places the last page tells, or at several offsets at a time.

Both give each record once, end where a server never would, and bound what a list costs in all.
"""

import asyncio
from collections.abc import AsyncIterator, Callable, Coroutine, Iterable, Sequence
from dataclasses import dataclass, replace
from hashlib import sha256
from itertools import islice
from math import ceil
from typing import Any, Final

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


type Fetch[T] = Callable[[str | None, int], Coroutine[Any, Any, Page[T]]]


def _new[T](page: Page[T], identity: Callable[[T], str], seen: set[bytes]) -> Page[T]:
    """Return a page without the records that came before; of those only marks are kept, as an id may be long."""
    records = []
    for record in page.records:
        mark = sha256(identity(record).encode()).digest()
        if mark not in seen:
            seen.add(mark)
            records.append(record)
    return replace(page, records=tuple(records))


def _over(most: int) -> TooLargeError:
    """Return the error of a list that is longer than a number of bytes."""
    return TooLargeError(f"the list is over {most} bytes", most)


async def in_turn[T](
    fetch: Fetch[T],
    *,
    size: int,
    identity: Callable[[T], str],
    most_pages: int | None = None,
) -> AsyncIterator[Page[T]]:
    """Yield the pages of a list of which each tells the place of the next.

    It ends at the last page, when a place comes again, and when a page brings nothing new. A page too large is asked for
    in smaller parts: each record may be a whole document.

    Args:
        fetch: reads a page, given its place and the most records; of one record it raises only if the list cannot go on.
        size: most records of a page.
        identity: tells records apart.
        most_pages: by default ``MAX_PAGES``.

    Raises:
        UnexpectedAnswerError: the list has no end, or (TooLargeError) there is too much of it in all.
        Dp1Error: as ``fetch`` has it.
    """
    seen, places = set[bytes](), set[str | None]()
    place, most, left = None, size, MAX_CHAIN
    for _ in range(most_pages or MAX_PAGES):
        if left <= 0:
            raise _over(MAX_CHAIN)
        try:
            page = await fetch(place, size)
        except TooLargeError as err:
            if size == 1:
                raise
            size, left = max(1, size // SHRINK), left - err.limit
            continue
        places.add(place)
        yield (new := _new(page, identity, seen))
        place, size, left = page.following, min(2 * size, most), left - page.size
        if place is None or place in places or not new.received:
            return
    raise UnexpectedAnswerError("the list has no end")


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


def _offsets(
    total: int | None, size: int, limit: int | None
) -> Iterable[tuple[int, int]]:
    """Yield the offsets of the pages of a list after the first, each with the most records to ask for."""
    end = limit or MAX_RECORDS
    if total is not None:
        pages = ceil(end / size)
        if limit and pages * size < total:
            for offset in spread_offsets(total, size, pages)[1:]:
                yield offset, size
            return
        end = total if limit else min(total, end)
    for offset in range(size, end, size):
        yield offset, min(size, end - offset)


async def at_offsets[T](
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
    first = await fetch(None, min(size, limit or MAX_RECORDS))
    total = first.total if (first.total or -1) >= first.received else None
    seen, left = set[bytes](), MAX_SPREAD - first.size
    yield (new := replace(_new(first, identity, seen), total=total))
    count = new.received
    # A server may return fewer records than asked for; its own page size is used from here on.
    size = first.received
    waiting = iter(_offsets(total, size, limit) if size else ())
    failures: list[Dp1Error] = []
    tasks: set[asyncio.Task[Page[T]]] = set()
    try:
        while True:
            for offset, most in islice(waiting, at_once - len(tasks)):
                tasks.add(asyncio.create_task(fetch(str(offset), most)))
            if not tasks:
                break
            done, tasks = await asyncio.wait(tasks, return_when=asyncio.FIRST_COMPLETED)
            for task in done:
                try:
                    page = task.result()
                except Dp1Error as err:
                    failures.append(err)
                    continue
                new = _new(page, identity, seen)
                count, left = count + new.received, left - page.size
                yield replace(new, total=total)
                if page.records and not new.records:
                    failures.append(
                        UnexpectedAnswerError("the server repeats its pages")
                    )
                # The end of a list whose length nobody tells, or of one that is shorter than was told.
                if not page.received or (total is None and page.received < size):
                    waiting = iter(())
            if left <= 0 and (tasks or next(waiting, None)):
                failures.append(_over(MAX_SPREAD))
                break
            if len(failures) >= MAX_FAILED_PAGES:
                waiting = iter(())
    finally:
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)
    if failures:
        raise failures[0]
    if count < min(total or 0, limit or MAX_RECORDS):
        raise UnexpectedAnswerError(
            f"the server announces {total} records and gives {count}"
        )
