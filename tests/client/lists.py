"""What a list of the client brings, page by page, for tests."""

from collections.abc import AsyncIterator
from typing import NamedTuple

from custom_components.dp1.client.errors import Dp1Error
from custom_components.dp1.client.pages import Page


class Listed[T](NamedTuple):
    """A list in its order, and the error that ended its reading."""

    records: list[T]
    total: int | None
    problem: Dp1Error | None


async def listed[T](pages: AsyncIterator[Page[T]]) -> Listed[T]:
    """Read a list to its end."""
    read, problem = list[Page[T]](), None
    try:
        async for page in pages:
            read.append(page)
    except Dp1Error as err:
        problem = err
    read.sort(key=lambda page: page.offset)
    records = [record for page in read for record in page.records]
    return Listed(records, read[-1].total if read else None, problem)
