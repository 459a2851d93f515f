"""Search in the catalog: the names of its records, what it finds itself, and works by title and number."""

import asyncio
from collections.abc import Iterator
from itertools import chain, islice
import re
from typing import Any

from homeassistant.core import HomeAssistant
from homeassistant.util import dt as dt_util

from ....client.catalog.artwork import edition, shown_once
from ....client.catalog.models import Artwork, Exhibition, Series
from ....client.errors import Dp1Error, NotFoundError
from ...item import Item
from ...node import NodeKind
from ...search import (
    EXACT,
    MAX_QUERY,
    RELEVANT,
    Lines,
    Query,
    Scored,
    line_of,
    the_one_called,
)
from ...words import FILLERS, NUMBER_WORDS, fold, number_of
from ..provider import SEARCH_PATIENCE
from .items import people_of
from .server import CatalogServer

# Reading series takes requests, so only those of the best exhibitions are read.
MAX_OPENED = 3
# A work is looked for by its number in so many series of the same title.
MAX_NAMESAKES = 3
_COUNTED = re.compile(
    r"(?P<title>.+?) ?[の的]? ?第? ?(?P<number>[0-9]+|[一二三四五六七八九十]+) ?(?:番目?|号|號)"
)
_DIGITS = re.compile(r"[0-9]+")


class CatalogSearch:
    """A search in a catalog.

    Attributes:
        lines: the names of its exhibitions, artists, series and works.
    """

    def __init__(self, hass: HomeAssistant, catalog: CatalogServer) -> None:
        """Initialize; nothing is read before a search."""
        self._catalog = catalog
        self._exhibitions = Lines(
            hass,
            lambda: catalog.list.records,
            _lines_of,
            lambda exhibition, _: catalog.exhibition_node(exhibition),
            NodeKind.EXHIBITIONS,
        )
        self._series = Lines(
            hass,
            lambda: catalog.all_series,
            lambda series: [line_of(series.title, *self._context_of(series))],
            lambda series, _: (
                catalog.series_node(series) if self._is_open(series) else None
            ),
            NodeKind.EXHIBITIONS,
        )
        self.lines: tuple[Lines[Any], ...] = (
            self._exhibitions,
            Lines(
                hass,
                lambda: catalog.artists,
                lambda artist: [line_of(artist.name)],
                lambda artist, _: catalog.artist_node(artist),
            ),
            self._series,
            Lines(
                hass,
                lambda: catalog.works.own_names,
                self._lines_of_work,
                self._node_of_work,
                NodeKind.EXHIBITIONS,
            ),
        )

    async def async_exhibition(self, text: str) -> Exhibition:
        """Return the exhibition with an id or slug, else the newest with a title."""
        exhibitions = await self._catalog.async_list()
        records, key, name = exhibitions.records, text.casefold(), fold(text)
        identified = (
            it for it in records if key in (it.id.casefold(), it.slug.casefold())
        )
        titled = (it for it in records if fold(it.title) == name)
        exhibition = next(chain(identified, titled), None) or the_one_called(
            text,
            dict.fromkeys(await self._exhibitions.async_records(Query.of(text))),
            lambda exhibition: exhibition.title,
        )
        if exhibition is None:
            raise exhibitions.missing or NotFoundError(f"no exhibition {text!r}")
        return exhibition

    async def async_series(self, text: str) -> Series:
        """Return the series with a title or id."""
        if not (series := self._series_titled(text)):
            await self.async_ask(Query.of(text), text)
            series = self._series_titled(text) or the_one_called(
                text,
                await self._series.async_records(Query.of(text)),
                lambda series: series.title,
            )
        return series or await self._catalog.async_find_series(text)

    def _series_titled(self, text: str) -> Series | None:
        """Return the series with a title among those that have been read."""
        name, all_series = fold(text), self._catalog.all_series
        return next((it for it in all_series if fold(it.title) == name), None)

    async def async_ask(self, query: Query, text: str) -> Scored:
        """Return exhibitions that the catalog finds, and works by their numbers; read the series of the best exhibitions."""
        catalog = self._catalog
        exhibitions, relevant = await asyncio.gather(
            catalog.async_list(SEARCH_PATIENCE),
            catalog.async_search(text[:MAX_QUERY], SEARCH_PATIENCE),
        )
        fitting = await self._exhibitions.async_records(query)
        # The query may have the title beside something else that is in it.
        titled = [each for each in exhibitions.records if query.names(each.title)]
        now = dt_util.utcnow()
        best = {
            each.id: None
            for each in (*fitting, *relevant, *titled)
            if each.viewable(now)
        }
        await asyncio.gather(
            *(
                catalog.async_series(key, SEARCH_PATIENCE)
                for key in islice(best, MAX_OPENED)
            )
        )
        matches = [
            (float(max(_score(query, each), RELEVANT)), catalog.exhibition_node(each))
            for each in relevant
        ]
        return matches + await self._async_numbered(query)

    async def _async_numbered(self, query: Query) -> Scored:
        """Return the works that the title of a series and a number stand for."""
        matches: Scored = []
        for title, number in _numbers(query.text):
            query_of_title = Query.of(title)
            meant = (
                series
                for series in await self._series.async_records(query_of_title)
                if Query.of(series.title).words == query_of_title.words
                and self._is_open(series)
            )
            for series in islice(meant, MAX_NAMESAKES):
                work = await self._async_work(series, number)
                if work is not None:
                    matches.append((EXACT, self._catalog.work_of(work, series)))
        return matches

    async def _async_work(self, series: Series, number: int) -> Artwork | None:
        """Return the work of a series with a number, by one request if it has not been read."""
        if shown_once(series) or not 0 < number <= (series.max_artwork or number):
            return None
        for artwork in self._catalog.artworks_of(series.id).records:
            if _has_number(artwork, number):
                return artwork
        try:
            work = await self._catalog.async_artwork_at(series, number - 1)
        except Dp1Error:
            return None
        if work is None or not _has_number(work, number):
            return None
        self._catalog.async_remember(series, work)
        return work

    def _is_open(self, series: Series) -> bool:
        """Return whether the exhibition of a series can be seen, or has not been read."""
        exhibition = self._catalog.exhibition(series.exhibition_id)
        return exhibition is None or exhibition.viewable(dt_util.utcnow())

    def _context_of(self, series: Series) -> tuple[str, str]:
        """Return the artist and the exhibition of a series."""
        exhibition = self._catalog.exhibition(series.exhibition_id)
        title = exhibition.title if exhibition else ""
        return ", ".join(it.name for it in people_of(series, exhibition)), title

    def _lines_of_work(self, work_of_series: tuple[str, Artwork]) -> Iterator[str]:
        """Yield the lines of a work: of its own name, and of its title."""
        series_id, artwork = work_of_series
        if series := self._catalog.series(series_id):
            work = self._catalog.work_of(artwork, series)
            for title in dict.fromkeys((artwork.name, work.title or "")):
                yield line_of(title, work.artist, work.exhibition or "")

    def _node_of_work(
        self, work_of_series: tuple[str, Artwork], number: int
    ) -> Item | None:
        """Return the node of a work with a name of its own."""
        series = self._catalog.series(work_of_series[0])
        if series is None or not self._is_open(series):
            return None
        return self._catalog.work_of(work_of_series[1], series)


def _lines_of(exhibition: Exhibition) -> Iterator[str]:
    """Yield the lines of an exhibition, one with each of its people."""
    artists = ", ".join(artist.name for artist in exhibition.artists)
    people = (*exhibition.artists, exhibition.curator)
    for name in [person.name for person in people if person] or [""]:
        yield line_of(exhibition.title, name, artists)


def _score(query: Query, exhibition: Exhibition) -> int:
    """Return how well an exhibition fits the words of a query."""
    return max(map(query.score_line, _lines_of(exhibition)))


def _numbers(text: str) -> Iterator[tuple[str, int]]:
    """Yield the titles and the numbers that a folded text may consist of: "Tides number 17", "number 17 of Tides"."""
    if counted := _COUNTED.fullmatch(text):
        text = f"{counted['title']} {counted['number']}"
    words = text.split()
    while words and words[0] in NUMBER_WORDS | FILLERS:
        del words[0]
    for count in (1, 2):
        first, rest = words[:count], words[count:]
        number = number_of(" ".join(first))
        # "Seven Suns" is a name.
        if number is not None and rest and rest[0] in FILLERS:
            yield " ".join(rest), number
        title, last = words[:-count], words[-count:]
        if title and title[-1] in NUMBER_WORDS:
            title.pop()
        if title and (number := number_of(" ".join(last))) is not None:
            yield " ".join(title), number


def _has_number(work: Artwork, number: int) -> bool:
    """Return whether a work has a number, by its name or else by its index."""
    digits = _DIGITS.findall(work.name)
    return int(digits[0]) == number if len(digits) == 1 else edition(work) == number
