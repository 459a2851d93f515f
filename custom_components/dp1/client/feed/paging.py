"""A feed's lists, page by page, with guards against lists that never end and pages that are too large.

A server family was seen to answer a cursor it does not understand with the first page again, and to send an empty page
at the end. Pages hold whole documents, for which no feed has a limit.
"""

from collections.abc import AsyncIterator, Mapping
from json import dumps
from types import MappingProxyType
from typing import Any

from ..errors import UnexpectedAnswerError
from ..pages import Page, in_turn
from ..values import text
from .connection import MAX_BODY, FeedConnection

PAGE_SIZE = 100
MAX_PAGE_BODY = 1024 * 1024


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


def pages(
    connection: FeedConnection, url: str, params: Mapping[str, str]
) -> AsyncIterator[Page[dict[str, Any]]]:
    """Yield the pages of a list.

    A record alone may be as large as any document; what is nested too deep in it is left out.

    Args:
        connection: the feed.
        url: address of the list.
        params: filters and order.

    Raises:
        UnexpectedAnswerError: a page is not a list's page, or (TooLargeError) there is too much of it.
        Dp1Error: as ``FeedConnection.read`` has it.
    """

    async def fetch(cursor: str | None, size: int) -> Page[dict[str, Any]]:
        """Read a page."""
        query = {**params, "limit": str(size)}
        if cursor is not None:
            query["cursor"] = cursor
        limit = MAX_PAGE_BODY if size > 1 else MAX_BODY
        answer = await connection.read(url, params=query, max_body=limit)
        size = len(answer.body)
        return _page(await answer.json(strict=False), size=size, most=PAGE_SIZE)

    return in_turn(fetch, size=PAGE_SIZE, identity=_identity)


def _identity(record: dict[str, Any]) -> str:
    """Return what tells a record from others: its id or, without one, all it has."""
    key = record.get("id")
    return key if isinstance(key, str) else dumps(record)


def _page(page: object, *, size: int, most: int) -> Page[dict[str, Any]]:
    """Return the records of a page and the cursor of the next, None if there is none."""
    if not isinstance(page, dict) or not isinstance(items := page.get("items"), list):
        raise UnexpectedAnswerError("the answer is not a page of a feed's list")
    records = [record for record in items[:most] if isinstance(record, dict)]
    cursor = text(page.get("cursor")) if page.get("hasMore") else None
    return Page(records, size=size, following=cursor)
