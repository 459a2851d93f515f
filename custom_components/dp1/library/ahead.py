"""Asking for what will be needed before it is known to be."""

import asyncio
from typing import Any, override

from custom_components.dp1.protocol.catalog import CONCURRENCY, Catalog
from custom_components.dp1.protocol.catalog_paging import (
    PAGE_SIZE,
    Listing,
    Page,
    Progress,
)
from custom_components.dp1.protocol.catalog_records import Series


class EagerCatalog(Catalog):
    """Asks for the first pages of a show's series all at once.

    How many there are is known only after the first one, and with pages of five few shows have but one: asking for as many
    as may be under way saves everybody in front of a wall a round trip, and costs a small show an empty page or two.
    """

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        """Prepare as ``Catalog`` does."""
        super().__init__(*args, **kwargs)
        self._ahead: dict[tuple[str, int], asyncio.Task[Page[Series]]] = {}

    @override
    async def all_series(
        self, exhibition_id: str, *, progress: Progress[Series] | None = None
    ) -> Listing[Series]:
        """Read every series of an exhibition, in the order they are shown in."""
        keys = [(exhibition_id, page * PAGE_SIZE) for page in range(CONCURRENCY)]
        read = super().series
        for key in keys:
            self._ahead[key] = asyncio.create_task(
                read(exhibition_id=exhibition_id, offset=key[1])
            )
        try:
            return await super().all_series(exhibition_id, progress=progress)
        finally:
            unused = [task for key in keys if (task := self._ahead.pop(key, None))]
            for task in unused:
                task.cancel()
            await asyncio.gather(*unused, return_exceptions=True)

    @override
    async def series(
        self, *, exhibition_id: str, offset: int = 0, **others: Any
    ) -> Page[Series]:
        """Read one page of the series of an exhibition, unless that has been asked for already."""
        if task := self._ahead.pop((exhibition_id, offset), None):
            return await task
        return await super().series(
            exhibition_id=exhibition_id, offset=offset, **others
        )
