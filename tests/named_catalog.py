"""A small catalog of works with names of their own, for tests of what is read ahead and what is found."""

from functools import cached_property
from itertools import product
from typing import Any, override

from .simulators.catalog.data import CatalogData
from .simulators.catalog.simulator import OWN_MEDIA, CatalogSimulator
from .simulators.catalog.titles import ADJECTIVES, NOUNS

UNIQUE, SINGLE, COPIES = "multi_unique", "single", "multi"
PLANTS = [f"{noun}, {adjective}" for noun, adjective in product(NOUNS, ADJECTIVES)]
# The places of the exhibitions in the large catalog, each with its series: title, model, size, and names by place.
SHOWS: dict[int, list[tuple[str, str, int, dict[int, str]]]] = {
    51: [("Embargo", UNIQUE, 4, {0: "Nobody Yet"})],
    49: [
        ("Cloud Ledger", UNIQUE, 24, {21: "Cirrus, signed"}),
        ("A Thousand Tides", UNIQUE, 1000, {}),
        ("Herbarium", UNIQUE, 60, dict(enumerate(PLANTS[:60]))),
        ("Portfolio", UNIQUE, 80, {place: f"Plate {place + 1}" for place in range(80)}),
    ],
    47: [
        ("Alone", SINGLE, 1, {}),
        ("Copies", COPIES, 40, {}),
        (
            "Sitters",
            UNIQUE,
            7,
            {place: f"Sitter {'abcdefg'[place]}" for place in range(7)},
        ),
    ],
}


class NamedData(CatalogData):
    """The records of the small catalog."""

    @cached_property
    @override
    def exhibitions(self) -> list[dict[str, Any]]:
        """Return every exhibition, newest first."""
        return [self._exhibition(number) for number in SHOWS]

    @override
    def _series_of(self, show: dict[str, Any], number: int) -> list[dict[str, Any]]:
        return [
            self.make_series(show, number, place, *plan[:3])
            for place, plan in enumerate(SHOWS.get(number, ()))
        ]

    def make_series(
        self, show: dict[str, Any], number: int, place: int, *plan: Any
    ) -> dict[str, Any]:
        """Return the record of a series with a title, a model and a size."""
        title, model, size = plan
        settings = {"maxArtwork": size, "artworkModel": model}
        series = self._make_series(show, number, place)
        return series | {"title": title, "settings": settings}

    def find_series(self, title: str) -> dict[str, Any]:
        return next(it for it in self._series.values() if it["title"] == title)

    def title_of(self, series_id: str) -> str:
        return str(self._series[series_id]["title"])

    @override
    def _make_artworks(self, series_id: str) -> list[dict[str, Any]]:
        """Return the works of a series."""
        works = super()._make_artworks(series_id)
        title = self._series[series_id]["title"]
        names = {name: plan for plans in SHOWS.values() for name, *_, plan in plans}
        for place, name in names.get(title, {}).items():
            works[place] |= {"name": name, "burned": False}
        return works


class NamedCatalog(CatalogSimulator):
    """The small catalog."""

    _data: NamedData | None

    @property
    @override
    def data(self) -> NamedData:
        assert self._data is not None
        return self._data

    @override
    async def start(self) -> None:
        await super().start()
        if not isinstance(self._data, NamedData):
            own = self._media_base == OWN_MEDIA
            self._data = NamedData(f"{self.url}/media" if own else self._media_base)

    def pages(self) -> list[tuple[str, int]]:
        return [
            (self.data.title_of(seen.query["seriesID"]), int(seen.query["offset"]))
            for seen in self.requests
            if seen.route == "artworks"
        ]
