"""A feed's lists, page by page, with guards against lists that never end and pages that are too large.

A server family was seen to answer a cursor it does not understand with the first page again, and to send an empty page
at the end. Pages hold whole documents, for which no feed has a limit.
"""

from collections.abc import AsyncIterator
from dataclasses import dataclass
from json import dumps, loads
import logging
import re
from typing import Any

from ..errors import TooLargeError, UnexpectedAnswerError
from .connection import FeedConnection

_LOGGER = logging.getLogger(__name__)

PAGE_SIZE = 100
MAX_PAGES = 1000
# The end of a page: its cursor comes after its records.
_TAIL = 4096
_CURSOR = re.compile(
    rb'"cursor"\s*:\s*("(?:[^"\\]|\\.)+")\s*(?:,\s*"hasMore"\s*:\s*true\s*)?\}\s*$'
)


@dataclass(frozen=True, slots=True)
class Page:
    """A page of a list.

    Attributes:
        records: documents that no earlier page had; none for what is no object.
        skipped: records before these that are too large to be read.
        last: whether the list ends here.
    """

    records: list[dict[str, Any]]
    skipped: int
    last: bool


async def records(
    connection: FeedConnection,
    url: str,
    params: dict[str, str],
    *,
    page_size: int,
    limit: int | None = None,
) -> AsyncIterator[dict[str, Any]]:
    """Yield each record of a list once, in the list's order; arguments and errors are those of ``pages``.

    Args:
        connection: the feed.
        url: address of the list.
        params: filters and order.
        page_size: records a page.
        limit: most records in all; None for all there are.
    """
    count = 0
    if limit is not None:
        if limit <= 0:
            return
        page_size = min(page_size, limit)
    async for page in pages(connection, url, params, page_size=page_size):
        for record in page.records:
            if count == limit:
                return
            count += 1
            yield record
        if count == limit:
            return


async def pages(
    connection: FeedConnection, url: str, params: dict[str, str], *, page_size: int
) -> AsyncIterator[Page]:
    """Yield the pages of a list.

    Ends at the last page, when a cursor comes again, when a page brings nothing new, and after ``MAX_PAGES``. A page
    too large is asked for again in halves, and a record too large is skipped.

    Args:
        connection: the feed.
        url: address of the list.
        params: filters and order.
        page_size: records a page; both server families take 1 to 100.

    Raises:
        UnexpectedAnswerError: a page is not a list's page.
        Dp1Error: as ``FeedConnection.read`` has it.
    """
    most = size = max(1, min(page_size, PAGE_SIZE))
    cursor: str | None = None
    seen: set[str] = set()
    cursors: set[str] = set()
    skipped = 0
    for _ in range(MAX_PAGES):
        asked = {**params, "limit": str(size)}
        if cursor is not None:
            asked["cursor"] = cursor
        try:
            answer = await connection.read(url, params=asked)
        except TooLargeError:
            if size > 1:
                size //= 2
                continue
            skipped += 1
            cursor = await _cursor_behind(connection, url, asked)
            fresh: list[dict[str, Any]] = []
        else:
            items, cursor = _page(answer.json())
            fresh = _unseen(items[:PAGE_SIZE], seen)
            size = min(2 * size, most)
            if not fresh:
                cursor = None
        last = cursor is None or cursor in cursors
        if fresh or last:
            yield Page(fresh, skipped, last)
            skipped = 0
        if last or cursor is None:
            return
        cursors.add(cursor)


async def _cursor_behind(
    connection: FeedConnection, url: str, params: dict[str, str]
) -> str | None:
    """Return the cursor behind a record that is too large to be read, None if the list ends there.

    Raises:
        Dp1Error: as ``FeedConnection.read`` has it.
    """
    try:
        answer = await connection.read(url, params=params, tail=_TAIL)
    except TooLargeError:
        found = None
    else:
        found = _CURSOR.search(answer.body)
    _LOGGER.debug("A record of %s is too large and is skipped", url)
    try:
        cursor = loads(found[1]) if found else None
    except ValueError:
        return None
    return cursor if isinstance(cursor, str) else None


def _unseen(items: list[Any], seen: set[str]) -> list[dict[str, Any]]:
    """Return the records that come for the first time, by their id or, without one, by all they have."""
    fresh = []
    for record in items:
        if not isinstance(record, dict):
            continue
        key = record.get("id")
        mark = key if isinstance(key, str) else dumps(record)
        if mark not in seen:
            seen.add(mark)
            fresh.append(record)
    return fresh


def _page(page: object) -> tuple[list[Any], str | None]:
    """Return the records of a page and the cursor of the next, None if there is none."""
    if not isinstance(page, dict) or not isinstance(items := page.get("items"), list):
        raise UnexpectedAnswerError("the answer is not a page of a feed's list")
    cursor = page.get("cursor") if page.get("hasMore") else None
    return items, cursor if isinstance(cursor, str) and cursor else None
