"""A feed's lists, page by page, with guards against lists that never end.

A server family was seen to answer a cursor it does not understand with the first page again, and to send an empty page
at the end.
"""

from collections.abc import AsyncIterator
from json import dumps
from typing import Any

from ..errors import UnexpectedAnswerError
from .connection import FeedConnection

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

    Ends at the last page, when a cursor comes again, when a page brings nothing new, and after ``MAX_PAGES``. Records
    that are no objects are left out.

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
        items, cursor = _page((await connection.read(url, params=params)).json())
        fresh = 0
        for record in items:
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
