"""A feed's lists, page by page, with guards against lists that never end and pages that are too large.

A server family was seen to answer a cursor it does not understand with the first page again, and to send an empty page
at the end. Pages hold whole documents, for which no feed has a limit.
"""

from collections.abc import AsyncIterator, Mapping
from hashlib import sha256
from json import dumps, loads
import re
from types import MappingProxyType
from typing import Any

from ..errors import TooLargeError, UnexpectedAnswerError
from ..http import TAIL
from ..page import Page
from ..values import text
from .connection import MAX_BODY, FeedConnection

PAGE_SIZE = 100
MAX_PAGES = 1000
MAX_PAGE_BODY = 1024 * 1024
# What is only read to find what comes after it.
MAX_SKIPPED_BODY = 64 * 1024 * 1024
# Of all pages of one reading, also of what is skipped.
MAX_READ = 512 * 1024 * 1024
# The cursor of a page comes after its records.
_CURSOR = re.compile(
    rb'"cursor"\s*:\s*("(?:[^"\\]|\\.)+")\s*(?:,\s*"hasMore"\s*:\s*true\s*)?\}\s*$'
)


async def records(
    connection: FeedConnection,
    url: str,
    params: Mapping[str, str] = MappingProxyType({}),
) -> AsyncIterator[dict[str, Any]]:
    """Yield each record of a list once, in the list's order; errors are those of ``pages``.

    Args:
        connection: the feed.
        url: address of the list.
        params: filters and order.
    """
    async for page in pages(connection, url, params):
        for record in page.records:
            yield record


async def pages(
    connection: FeedConnection, url: str, params: Mapping[str, str]
) -> AsyncIterator[Page[dict[str, Any]]]:
    """Yield the pages of a list.

    Ends at the last page, when a cursor comes again, when a page brings nothing new, and after ``MAX_PAGES``. A page
    too large is asked for again in halves, down to one record, which may be as large as any document. What is nested too
    deep in a record is left out.

    Args:
        connection: the feed.
        url: address of the list.
        params: filters and order.

    Raises:
        UnexpectedAnswerError: a page is not a list's page, or (TooLargeError) there is too much of them in all.
        Dp1Error: as ``FeedConnection.read`` has it.
    """
    size, left = PAGE_SIZE, MAX_READ
    cursor: str | None = None
    seen: set[bytes] = set()
    cursors: set[str] = set()
    for _ in range(MAX_PAGES):
        if left <= 0:
            raise TooLargeError(f"the list is over {MAX_READ} bytes", MAX_READ)
        query = {**params, "limit": str(size)}
        if cursor is not None:
            query["cursor"] = cursor
        alone = size == 1
        end = b""
        try:
            answer = await connection.read(
                url,
                params=query,
                max_body=MAX_BODY if alone else MAX_PAGE_BODY,
                max_skipped=min(MAX_SKIPPED_BODY, left) if alone else 0,
            )
            left -= answer.size
            end = answer.tail or answer.body[-TAIL:]
            page = None if answer.tail else _page(await answer.json(strict=False))
        except TooLargeError as err:
            left -= err.limit
            if not alone or left <= 0:
                size = max(1, size // 2)
                continue
            page = None
        fresh: list[dict[str, Any]] = []
        if page is None:
            cursor = _cursor_in(end)
        else:
            items, cursor = page
            fresh = _unseen(items[:PAGE_SIZE], seen)
            size = min(2 * size, PAGE_SIZE)
            if not fresh:
                cursor = None
        last = cursor is None or cursor in cursors
        yield Page(fresh, skipped=int(page is None))
        if last or cursor is None:
            return
        cursors.add(cursor)


def _cursor_in(tail: bytes) -> str | None:
    """Return the cursor at the end of a page, None if the list ends there."""
    try:
        cursor = loads(match[1]) if (match := _CURSOR.search(tail)) else None
    except ValueError:
        return None
    return text(cursor)


def _unseen(items: list[Any], seen: set[bytes]) -> list[dict[str, Any]]:
    """Return the records that come for the first time, by their id or, without one, by all they have."""
    fresh = []
    for record in items:
        if not isinstance(record, dict):
            continue
        key = record.get("id")
        identity = key if isinstance(key, str) else dumps(record)
        # A page may be one long id, and all of them are kept until the list ends.
        mark = sha256(identity.encode()).digest()
        if mark not in seen:
            seen.add(mark)
            fresh.append(record)
    return fresh


def _page(page: object) -> tuple[list[Any], str | None]:
    """Return the records of a page and the cursor of the next, None if there is none."""
    if not isinstance(page, dict) or not isinstance(items := page.get("items"), list):
        raise UnexpectedAnswerError("the answer is not a page of a feed's list")
    return items, text(page.get("cursor")) if page.get("hasMore") else None
