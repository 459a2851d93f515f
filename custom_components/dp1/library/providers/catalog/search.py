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
from ...node import NodeKind, split_node_id
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
from .server import CatalogServer, people_of

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
            lambda exhibition, _: catalog.list.item_of(exhibition),
            NodeKind.EXHIBITIONS,
        )
        self._series = Lines(
            hass,
            lambda: catalog.all_series,
            _lines_of_series,
            lambda found, _: self._if_open(catalog.series_item(found[0])),
            NodeKind.EXHIBITIONS,
        )
        self.lines: tuple[Lines[Any], ...] = (
            self._exhibitions,
            Lines(
                hass,
                lambda: catalog.artists,
                lambda names: [line_of(names[1])],
                lambda names, _: catalog.artist(names[1]),
            ),
            self._series,
            Lines(
                hass,
                lambda: catalog.named_works,
                self._lines_of_work,
                lambda work, _: self._if_open(catalog.parse_work(*work)),
                NodeKind.EXHIBITIONS,
            ),
        )

    async def async_exhibition(self, text: str) -> Item:
        """Return the exhibition with an id or slug, else the newest with a title."""
        exhibitions = await self._catalog.async_list()
        records, key, name = exhibitions.records, text.casefold(), fold(text)
        identified = (
            it for it in records if key in (it.id.casefold(), it.slug.casefold())
        )
        titled = (it for it in records if fold(it.title) == name)
        if record := next(chain(identified, titled), None):
            return exhibitions.item_of(record)
        called = await self._exhibitions.async_records(Query.of(text))
        different = {it.id: it for it in called}.values()
        if record := the_one_called(text, different, lambda it: it.title):
            return exhibitions.item_of(record)
        raise exhibitions.missing or NotFoundError(f"no exhibition {text!r}")

    async def async_series(self, text: str) -> Item:
        """Return the series with a title or id."""
        catalog = self._catalog
        if not (series := self._series_titled(text)):
            await self.async_ask(Query.of(text), text)
            called = [it for it, _ in await self._series.async_records(Query.of(text))]
            series = self._series_titled(text) or the_one_called(
                text, called, lambda it: it.title
            )
        return catalog.series_item(series or await catalog.async_find_series(text))

    def _series_titled(self, text: str) -> Series | None:
        """Return the series with a title among those that have been read."""
        name, all_series = fold(text), self._catalog.all_series
        return next((it for it, _ in all_series if fold(it.title) == name), None)

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
        best = dict.fromkeys(
            it.id for it in (*fitting, *relevant, *titled) if catalog.is_open(it)
        )
        await asyncio.gather(
            *(
                catalog.async_series(key, SEARCH_PATIENCE)
                for key in islice(best, MAX_OPENED)
            )
        )
        matches = [
            (float(max(*map(query.score_line, _lines_of(it)), RELEVANT)), item)
            for it in relevant
            if (item := catalog.exhibition_item(it.id)) is not None
        ]
        return matches + await self._async_numbered(query)

    async def _async_numbered(self, query: Query) -> Scored:
        """Return the works that the title of a series and a number stand for."""
        matches: Scored = []
        for title, number in _numbers(query.text):
            query_of_title = Query.of(title)
            meant = (
                series
                for series, _ in await self._series.async_records(query_of_title)
                if Query.of(series.title).words == query_of_title.words
                and self._if_open(self._catalog.series_item(series))
            )
            for series in islice(meant, MAX_NAMESAKES):
                if (work := await self._async_work(series.id, number)) is not None:
                    matches.append((EXACT, work))
        return matches

    async def _async_work(self, key: str, number: int) -> Item | None:
        """Return the work of a series with a number, by one request if it has not been read."""
        if (series := self._catalog.series(key)) is None or shown_once(series):
            return None
        if not 0 < number <= (series.max_artwork or number):
            return None
        works = self._catalog.artworks_of(key)
        for artwork in works.records:
            if _has_number(artwork, number):
                return works.item_of(artwork)
        try:
            work = await self._catalog.async_artwork_at(series, number - 1)
        except Dp1Error:
            return None
        if work is None or not _has_number(work, number):
            return None
        works.async_add(work)
        return works.item(work.id)

    def _lines_of_work(self, work: tuple[str, Artwork]) -> list[str]:
        """Return the line of a work, by its own name and by its title."""
        item = self._catalog.parse_work(*work)
        titles = dict.fromkeys((work[1].name, item.title))
        return [line_of(" | ".join(titles), item.artist, item.exhibition or "")]

    def _if_open(self, item: Item) -> Item | None:
        """Return a series or a work if its exhibition can be seen, or has not been read."""
        series = self._catalog.series(split_node_id(item.id)[1][0])
        exhibition = self._catalog.exhibition(series.exhibition_id) if series else None
        is_open = exhibition is None or exhibition.viewable(dt_util.utcnow())
        return item if is_open else None


def _lines_of(exhibition: Exhibition) -> Iterator[str]:
    """Yield the lines of an exhibition, one with each of its people."""
    names = [it.name for it in exhibition.artists]
    curator = exhibition.curator.name if exhibition.curator else ""
    for name in [*filter(None, (*names, curator))] or [""]:
        yield line_of(exhibition.title, name, ", ".join(names))


def _lines_of_series(found: tuple[Series, Exhibition | None]) -> Iterator[str]:
    """Yield the line of a series."""
    series, exhibition = found
    artists = ", ".join(it.name for it in people_of(series, exhibition))
    yield line_of(series.title, artists, exhibition.title if exhibition else "")


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
