"""Search of series and single works of the catalog, without those of exhibitions that are not open."""

from homeassistant.util import dt as dt_util

from ..client.catalog.models import Artwork, Series
from .branches import Branches
from .catalog.coordinator import CatalogCoordinator
from .indexes import Indexes
from .matching.query import Query
from .tree import Node


class OpenWorks:
    """Series, and works with names of their own, that can be seen."""

    def __init__(
        self, catalog: CatalogCoordinator, branches: Branches, indexes: Indexes
    ) -> None:
        """Initialize with what is searched."""
        self._catalog = catalog
        self._branches = branches
        self._indexes = indexes

    def series_node(self, series: Series) -> Node | None:
        """Return the node of a series."""
        return self._branches.series_node(series) if self._is_open(series) else None

    def work_node(self, series_id: str, work: Artwork) -> Node | None:
        """Return the node of a work."""
        series = self._catalog.series(series_id)
        if series is None or not self._is_open(series):
            return None
        return self._branches.artwork_node(work, series)

    def _is_open(self, series: Series) -> bool:
        """Return whether the exhibition of a series can be seen, or is not known."""
        show = self._catalog.exhibition(series.exhibition_id)
        return show is None or show.viewable(dt_util.utcnow())

    async def async_find(self, query: Query, limit: int) -> list[tuple[float, Node]]:
        """Return series and works that have the words."""
        found: list[tuple[float, Node]] = []
        for series, _ in (await self._indexes.async_series()).find(query, limit):
            if node := self.series_node(series):
                show = node.subtitle or ""
                found.append((query.score(series.title, node.artist, show), node))
        for known, _ in (await self._indexes.async_works()).find(query, limit):
            if node := self.work_node(*known):
                context = node.artist, node.subtitle or ""
                titles = known[1].name, node.title
                score = max(query.score(title, *context) for title in titles)
                found.append((score, node))
        return found
