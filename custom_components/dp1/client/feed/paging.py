"""A feed's lists, page by page, with guards against lists that never end and pages that are too large.

A server family was seen to answer a cursor it does not understand with the first page again, and to send an empty page
at the end. Pages hold whole documents, for which no feed has a limit.
"""

import asyncio
from collections.abc import AsyncIterator, Mapping
from dataclasses import dataclass
from hashlib import sha256
from json import JSONDecoder, dumps, loads
import logging
import re
from sys import maxsize
from types import MappingProxyType
from typing import Any

from ..errors import TooLargeError, UnexpectedAnswerError
from ..http import TAIL, Answer
from ..values import decode, text
from .connection import FeedConnection

_LOGGER = logging.getLogger(__name__)

PAGE_SIZE = 100
MAX_PAGES = 1000
MAX_PAGE_BODY = 1024 * 1024
# What is only read to find what comes after it.
MAX_SKIPPED_BODY = 64 * 1024 * 1024
# The cursor of a page comes after its records.
_FIRST_RECORD = re.compile(r'"items"\s*:\s*\[\s*(?=\{)')
# What comes before the value of a member, and before an item of a list.
_NAME = re.compile(r'[\s,]*"(?:[^"\\]|\\.)*"\s*:\s*')
_COMMA = re.compile(r"[\s,]*+(?=[^\s,\]])")
_LIST_END = re.compile(r"\],(?=\s*\")")
# Members of documents that no item has.
_OF_DOCUMENTS = {"dpVersion", "signature", "signatures"}
_DECODER = JSONDecoder()
_ITEMS = re.compile(r'[\s,]*"items"\s*:\s*\[\s*(?=\{)')
_CURSOR = re.compile(
    rb'"cursor"\s*:\s*("(?:[^"\\]|\\.)+")\s*(?:,\s*"hasMore"\s*:\s*true\s*)?\}\s*$'
)


@dataclass(frozen=True, slots=True)
class Page:
    """A page of a list.

    Attributes:
        records: documents that no earlier page had; none for what is no object.
        heads: documents that are too large to be read with others, as far as their beginning tells.
        skipped: records before these that are too large to be read, and whose beginning tells no id.
        last: whether the list ends here.
    """

    records: list[dict[str, Any]]
    skipped: int
    last: bool
    heads: tuple[dict[str, Any], ...] = ()


async def records(
    connection: FeedConnection,
    url: str,
    params: Mapping[str, str] = MappingProxyType({}),
    limit: int | None = None,
) -> AsyncIterator[dict[str, Any]]:
    """Yield each record of a list once, in the list's order; errors are those of ``pages``.

    Args:
        connection: the feed.
        url: address of the list.
        params: filters and order.
        limit: most records in all; None for all there are.
    """
    left = maxsize if limit is None else limit
    if left <= 0:
        return
    async for page in pages(connection, url, params, min(PAGE_SIZE, left)):
        for record in page.records[:left]:
            yield record
        left -= len(page.records)
        if left <= 0:
            return


async def pages(
    connection: FeedConnection, url: str, params: Mapping[str, str], page_size: int
) -> AsyncIterator[Page]:
    """Yield the pages of a list.

    Ends at the last page, when a cursor comes again, when a page brings nothing new, and after ``MAX_PAGES``. A page
    too large is asked for again in halves, and of a record too large the head is read. What is nested too deep in a
    record is left out.

    Args:
        connection: the feed.
        url: address of the list.
        params: filters and order.
        page_size: records a page, 1 to 100.

    Raises:
        UnexpectedAnswerError: a page is not a list's page.
        Dp1Error: as ``FeedConnection.read`` has it.
    """
    size = page_size
    cursor: str | None = None
    seen: set[bytes] = set()
    cursors: set[str] = set()
    skipped = 0
    for _ in range(MAX_PAGES):
        asked = {**params, "limit": str(size)}
        if cursor is not None:
            asked["cursor"] = cursor
        alone = size == 1
        answer = None
        try:
            answer = await connection.read(
                url,
                params=asked,
                max_body=MAX_PAGE_BODY,
                max_skipped=MAX_SKIPPED_BODY if alone else 0,
            )
            page = None if answer.tail else _page(await answer.json(strict=False))
        except TooLargeError:
            if not alone:
                size //= 2
                continue
            if answer is None:
                _LOGGER.debug("A record of %s is too large, and what follows, too", url)
                yield Page([], skipped + 1, last=True)
                return
            page = None
        fresh: list[dict[str, Any]] = []
        heads: list[dict[str, Any]] = []
        if page is None:
            cursor = _cursor_in(answer.tail or answer.body[-TAIL:])
            head = await asyncio.to_thread(_head_of, answer) if answer.tail else None
            heads = _unseen([head], seen)
            skipped += not heads
        else:
            items, cursor = page
            fresh = _unseen(items[:PAGE_SIZE], seen)
            size = min(2 * size, page_size)
            if not fresh:
                cursor = None
        last = cursor is None or cursor in cursors
        if fresh or heads or last:
            yield Page(fresh, skipped, last, tuple(heads))
            skipped = 0
        if last or cursor is None:
            return
        cursors.add(cursor)


def _cursor_in(tail: bytes) -> str | None:
    """Return the cursor at the end of a page, None if the list ends there."""
    try:
        cursor = loads(found[1]) if (found := _CURSOR.search(tail)) else None
    except ValueError:
        return None
    return text(cursor)


def _head_of(answer: Answer) -> dict[str, Any] | None:
    """Return what the two ends of a page tell of its only record: whole members, and of its items those that are whole.

    None if that is no object with an id.
    """
    head = answer.body.decode(errors="ignore")
    start = _FIRST_RECORD.search(head)
    if start is None:
        return None
    end = _end_of_values(head, start.end() + 1, _NAME)
    closed = head[start.end() : end]
    if items := _ITEMS.match(head, end):
        closed = head[start.end() : _end_of_values(head, items.end(), _COMMA)] + "]"
    try:
        record = decode(f"{closed}}}".encode())
    except ValueError:
        return None
    if not isinstance(record, dict):
        return None
    record = _members_behind_items(answer.tail) | record
    return record if record.get("id") else None


def _members_behind_items(tail: bytes) -> dict[str, Any]:
    """Return the members that come after the items of a record, from the end of its page."""
    end = tail.decode(errors="ignore")
    for list_end in _LIST_END.finditer(end):
        try:
            members, _ = _DECODER.raw_decode(f"{{{end[list_end.end() :]}")
        except ValueError, RecursionError:
            continue
        if isinstance(members, dict) and members.keys() & _OF_DOCUMENTS:
            return dict(members)
    return {}


def _end_of_values(part: str, end: int, before: re.Pattern[str]) -> int:
    """Return where the last whole value of an object or a list ends, of which the part may be cut off."""
    while found := before.match(part, end):
        try:
            _, end = _DECODER.raw_decode(part, found.end())
        except ValueError, RecursionError:
            break
    return end


def _unseen(items: list[Any], seen: set[bytes]) -> list[dict[str, Any]]:
    """Return the records that come for the first time, by their id or, without one, by all they have."""
    fresh = []
    for record in items:
        if not isinstance(record, dict):
            continue
        key = record.get("id")
        told = key if isinstance(key, str) else dumps(record)
        # A page may be one long id, and all of them are kept until the list ends.
        mark = sha256(told.encode()).digest()
        if mark not in seen:
            seen.add(mark)
            fresh.append(record)
    return fresh


def _page(page: object) -> tuple[list[Any], str | None]:
    """Return the records of a page and the cursor of the next, None if there is none."""
    if not isinstance(page, dict) or not isinstance(items := page.get("items"), list):
        raise UnexpectedAnswerError("the answer is not a page of a feed's list")
    return items, text(page.get("cursor")) if page.get("hasMore") else None
