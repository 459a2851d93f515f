"""Search of series and single works of the catalog, without those of exhibitions that are not open."""

from collections.abc import Iterator
from itertools import islice
import re

from homeassistant.util import dt as dt_util

from ..client.catalog.artwork import edition
from ..client.catalog.models import Artwork, Series
from ..client.catalog.selection import shown_once
from ..client.errors import Dp1Error
from .branches import Branches
from .catalog.coordinator import CatalogCoordinator
from .indexes import Indexes
from .matching.query import EXACT, Query
from .matching.spoken_words import FILLERS, number_of
from .tree import Node

# A work is looked for by its number in so many series of the same title.
MAX_NAMESAKES = 3
# Words before the number of a work.
_NUMBER_WORDS = frozenset(
    {"edition", "n", "no", "nr", "number", "numero", "nummer", "num"}
)
_COUNTED = re.compile(
    r"(?P<title>.+?) ?[の的]? ?第?(?P<number>[0-9]+|[一二三四五六七八九十]+)(?:番目?|号|號)"
)
_DIGITS = re.compile(r"[0-9]+")


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
        return found + await self._async_numbered(query, limit)

    async def _async_numbered(
        self, query: Query, limit: int
    ) -> list[tuple[float, Node]]:
        """Return works that are asked for by the title of their series and their number."""
        found: list[tuple[float, Node]] = []
        for title, number in _numbers(query.text):
            named = Query.of(title)
            index = await self._indexes.async_series()
            meant = (
                series
                for series, _ in index.find(named, limit)
                if Query.of(series.title).words == named.words and self._is_open(series)
            )
            for series in islice(meant, MAX_NAMESAKES):
                if work := await self._async_work(series, number):
                    node = self._branches.artwork_node(work, series)
                    found.append((EXACT, node))
        return found

    async def _async_work(self, series: Series, number: int) -> Artwork | None:
        """Return the work of a series with a number, by one request if it has not been read."""
        if shown_once(series) or not 0 < number <= (series.max_artwork or number):
            return None
        for known in self._catalog.artworks_of(series.id).records:
            if _has_number(known, number):
                return known
        if self._catalog.client is None:
            return None
        try:
            work = await self._catalog.async_artwork_at(series, number - 1)
        except Dp1Error:
            return None
        if work is None or not _has_number(work, number):
            return None
        self._catalog.works.named.remember(series.id, work)
        return work


def _numbers(text: str) -> Iterator[tuple[str, int]]:
    """Yield the titles and the numbers that a folded text may consist of: "Tides number 17", "number 17 of Tides"."""
    if counted := _COUNTED.fullmatch(text):
        text = f"{counted['title']} {counted['number']}"
    words = text.split()
    while words and words[0] in _NUMBER_WORDS | FILLERS:
        del words[0]
    for count in (1, 2):
        first, rest = words[:count], words[count:]
        number = number_of(" ".join(first))
        # "Seven Suns" is a name.
        if number is not None and rest and rest[0] in FILLERS:
            yield " ".join(rest), number
        title, last = words[:-count], words[-count:]
        if title and title[-1] in _NUMBER_WORDS:
            title.pop()
        if title and (number := number_of(" ".join(last))) is not None:
            yield " ".join(title), number


def _has_number(work: Artwork, number: int) -> bool:
    """Return whether a work has a number, by its name or else by its place."""
    digits = _DIGITS.findall(work.name)
    return int(digits[0]) == number if len(digits) == 1 else edition(work) == number
