"""A feed's lists, page by page, with guards against lists that never end and pages that are too large.

A server family was seen to answer a cursor it does not understand with the first page again, and to send an empty page
at the end. Pages hold whole documents, for which no feed has a limit.
"""

from collections.abc import AsyncIterator
from json import dumps
import logging
from typing import Any

from ..errors import TooLargeError, UnexpectedAnswerError
from .connection import FeedConnection

_LOGGER = logging.getLogger(__name__)

PAGE_SIZE = 100
MAX_PAGES = 1000


async def records(
    connection: FeedConnection,
    url: str,
    params: dict[str, str],
    *,
    page_size: int,
    limit: int | None = None,
) -> AsyncIterator[dict[str, Any]]:
    """Yield each record of a list once, in the list's order.

    Ends at the last page, when a cursor comes again, when a page brings nothing new, at a record too large to be read,
    and after ``MAX_PAGES``. A page too large is asked for again in halves. Records that are no objects are left out.

    Args:
        connection: the feed.
        url: address of the list.
        params: filters and order.
        page_size: records a page; both server families take 1 to 100.
        limit: most records in all; None for all there are.

    Raises:
        UnexpectedAnswerError: a page is not a list's page.
        Dp1Error: as ``FeedConnection.read`` has it.
    """
    if limit is not None:
        page_size = min(page_size, limit)
    params = {**params, "limit": str(max(1, min(page_size, PAGE_SIZE)))}
    seen: set[int] = set()
    cursors: set[str] = set()
    for _ in range(MAX_PAGES):
        if len(seen) == limit:
            return
        try:
            answer = await connection.read(url, params=params)
        except TooLargeError:
            if params["limit"] == "1":
                _LOGGER.debug("A record of %s is too large, the list ends there", url)
                return
            params["limit"] = str(int(params["limit"]) // 2)
            continue
        items, cursor = _page(answer.json())
        fresh = 0
        for record in items[:PAGE_SIZE]:
            if not isinstance(record, dict) or (mark := hash(dumps(record))) in seen:
                continue
            if len(seen) == limit:
                return
            seen.add(mark)
            fresh += 1
            yield record
        if cursor is None or not fresh or cursor in cursors:
            return
        cursors.add(cursor)
        params["cursor"] = cursor


def _page(page: object) -> tuple[list[Any], str | None]:
    """Take the records of a page and the cursor of the next, None if there is none."""
    if not isinstance(page, dict) or not isinstance(items := page.get("items"), list):
        raise UnexpectedAnswerError("the answer is not a page of a feed's list")
    cursor = page.get("cursor") if page.get("hasMore") else None
    return items, cursor if isinstance(cursor, str) and cursor else None
