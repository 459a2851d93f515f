"""A catalog that answers in rounds, so that tests of speed need no clock."""

import asyncio
from itertools import accumulate
from typing import override

from aiohttp import web

from .simulators.catalog.simulator import CatalogSimulator


class CountingCatalog(CatalogSimulator):
    """Answers the requests of a round once all of them are there, so none of them can wait for another of them."""

    def __init__(self) -> None:
        super().__init__()
        self._ends: list[int] = []
        self._arrived = 0
        self._arrival = asyncio.Condition()

    def expect_rounds(self, *sizes: int) -> None:
        """Answer from now on in rounds of so many requests, and what comes after them at once."""
        self.reset_counters()
        self._ends, self._arrived = [*accumulate(sizes)], 0

    @override
    async def _answer(self, request: web.Request, route: str) -> web.StreamResponse:
        """Answer once the round is full that this request belongs to."""
        self._arrived += 1
        end = next((end for end in self._ends if end >= self._arrived), 0)
        async with self._arrival:
            self._arrival.notify_all()
            await self._arrival.wait_for(lambda: self._arrived >= end)
        return await super()._answer(request, route)
