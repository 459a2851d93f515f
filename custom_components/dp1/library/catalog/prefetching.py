"""Catalog client that requests the first pages of series at once, or one after the other."""

import asyncio
from typing import Any, override

from ...client.catalog.client import CONCURRENCY, Catalog, in_order, series_place
from ...client.catalog.models import Series
from ...client.catalog.paging import PAGE_SIZE, Listing, Page, PagedReader, Progress

PAGE_PAUSE = 2.0


class PrefetchingCatalog(Catalog):
    """Save a round trip per exhibition: its number of series is known only after the first page, and few have but one."""

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        """Initialize the client."""
        super().__init__(*args, **kwargs)
        self._pages: dict[tuple[str, int], asyncio.Task[Page[Series]]] = {}

    @override
    async def all_series(
        self, exhibition_id: str, *, progress: Progress[Series] | None = None
    ) -> Listing[Series]:
        """Read all series of an exhibition in order."""
        keys = [(exhibition_id, page * PAGE_SIZE) for page in range(CONCURRENCY)]
        read = super().series
        for key in keys:
            self._pages[key] = asyncio.create_task(
                read(exhibition_id=exhibition_id, offset=key[1])
            )
        try:
            return await super().all_series(exhibition_id, progress=progress)
        finally:
            unused = [task for key in keys if (task := self._pages.pop(key, None))]
            for task in unused:
                task.cancel()
            await asyncio.gather(*unused, return_exceptions=True)

    async def unhurried_series(
        self, exhibition_id: str, *, progress: Progress[Series] | None = None
    ) -> Listing[Series]:
        """Read all series of an exhibition in order, with a pause before each further page."""

        async def fetch(offset: int, limit: int) -> Page[Series]:
            """Read a page."""
            if offset:
                await asyncio.sleep(PAGE_PAUSE)
            return await self.series(
                exhibition_id=exhibition_id, offset=offset, limit=limit
            )

        listing = await PagedReader(fetch, concurrency=1).read()
        return in_order(listing, series_place)

    @override
    async def series(
        self, *, exhibition_id: str, offset: int = 0, **others: Any
    ) -> Page[Series]:
        """Return a page of series, requested in advance or now."""
        if task := self._pages.pop((exhibition_id, offset), None):
            return await task
        return await super().series(
            exhibition_id=exhibition_id, offset=offset, **others
        )
