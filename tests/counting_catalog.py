"""A catalog that counts round trips, so that tests of speed need no clock."""

from typing import override

from aiohttp import web

from .simulators.catalog.simulator import CatalogSimulator


class CountingCatalog(CatalogSimulator):
    """Counts the requests that waited for one another.

    Attributes:
        round_trips: length of the longest chain of requests in which each began after the one before was answered.
    """

    round_trips = 0

    @override
    async def _list(self, request: web.Request) -> web.StreamResponse:
        """Answer, and record which requests were answered before."""
        place = self.round_trips + 1
        answer = await super()._list(request)
        self.round_trips = max(self.round_trips, place)
        return answer
