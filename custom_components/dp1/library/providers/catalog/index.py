"""Index of the works of a catalog: by id, address, token or a name of their own."""

from collections.abc import Iterable, Iterator, Sequence
import re

from ....client.catalog.artwork import (
    absolute_url,
    own_name,
    provenance,
    shown_once,
    source_url,
)
from ....client.catalog.models import Artwork, Series
from ....client.hosts import same_work, work_url
from ...index import token_mark
from .items import item_id

_CLAIM = re.compile(
    r"(.+?)\s+[-–—]\s+(?:full collection|highlight reel)", re.IGNORECASE
)
_FOLDER = re.compile(r"https?://[^?#]*?/[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}/")
_NUMBER = re.compile(r"([0-9]{1,6})(?=[/?#]|$)")
_EDITION = re.compile(r"[?&]edition_number=([0-9]{1,6})(?=[&#]|$)")

type WorkKey = tuple[str, str]


class WorkIndex:
    """Index of the works that have been read from the catalog."""

    def __init__(self) -> None:
        """Initialize without works."""
        self._own_names: dict[str, list[Artwork]] = {}
        self._all_own_names: tuple[tuple[str, Artwork], ...] | None = ()
        # Ids: a garbage collection looks at each tuple with a work.
        self._work_keys: dict[WorkKey, tuple[str, str]] = {}
        self._by_series: dict[str, list[WorkKey]] = {}
        self._folders: dict[str, str | None] = {}

    @property
    def own_names(self) -> tuple[tuple[str, Artwork], ...]:
        """Return the works with names of their own, each with the id of its series; the same tuple until there are others."""
        if self._all_own_names is None:
            self._all_own_names = tuple(
                (key, work) for key, works in self._own_names.items() for work in works
            )
        return self._all_own_names

    def add_series(self, series: Series) -> None:
        """Add the folders of a series; one of two series is ambiguous."""
        for folder in folders_of(series):
            series_id = self._folders.setdefault(folder, series.id)
            if series_id != series.id:
                self._folders[folder] = None

    def discard_series(self, series: Series) -> None:
        """Forget the folders of a series that is gone or has others by now."""
        for folder in folders_of(series):
            if self._folders.get(folder) == series.id:
                del self._folders[folder]

    def add(self, series: Series, artworks: Sequence[Artwork]) -> None:
        """Add the works of a series, instead of those added before."""
        self.discard(series.id)
        works = [work for work in artworks if own_name(work, series) and not work.gone]
        if works:
            self._own_names[series.id] = works
            self._all_own_names = None
        marks: dict[WorkKey, tuple[str, str]] = {}
        for artwork in artworks:
            work_of_series = series.id, artwork.id
            for mark in _work_keys(series, artwork):
                if mark not in self._work_keys:
                    marks.setdefault(mark, work_of_series)
        self._work_keys |= marks
        self._by_series[series.id] = list(marks)

    def discard(self, series_id: str) -> None:
        """Remove the works of a series."""
        if self._own_names.pop(series_id, None):
            self._all_own_names = None
        for mark in self._by_series.pop(series_id, ()):
            del self._work_keys[mark]

    def find(
        self,
        key: str | None = None,
        source: str | None = None,
        origin: object = None,
    ) -> tuple[str, str] | None:
        """Return the ids of the series of a work and of the work by the id of its item, its token, or its address."""
        marks = (
            ("id", key or ""),
            token_mark(origin),
            ("source", same_work(source or "")),
        )
        return next(
            (work for mark in marks if mark and (work := self._work_keys.get(mark))),
            None,
        )

    def series_of(self, sources: Iterable[str | None]) -> frozenset[str]:
        """Return the ids of the series that the works at some addresses are of, none unless all have been read."""
        keys = set()
        for source in sources:
            work_of_series = self.find(source=source)
            series_id = work_of_series[0] if work_of_series else self.series_at(source)
            if series_id is None:
                return frozenset()
            keys.add(series_id)
        return frozenset(keys)

    def series_at(self, source: str | None) -> str | None:
        """Return the id of the series in whose folder an address lies."""
        folder = folder_of(work_url(source or ""))
        return self._folders.get(folder) if folder else None


def _work_keys(series: Series, artwork: Artwork) -> Iterator[WorkKey]:
    """Yield the keys of a work; copies share an address, which then stands for the first of them."""
    yield "id", item_id(series, artwork)
    if mark := token_mark(provenance(artwork)):
        yield mark
    if source := source_url(artwork, series):
        yield "source", same_work(source)


def folder_of(address: str) -> str | None:
    """Return the folder of an address whose name is a UUID, as those of series are."""
    match = _FOLDER.match(address)
    return match[0] if match else None


def folders_of(series: Series) -> set[str]:
    """Return the folders with the works of a series and nothing else."""
    paths = (
        f"previews/{series.id}/",
        *series.previews,
        f"{series.unique_preview_path}/",
    )
    addresses = (absolute_url(path) for path in paths if path.strip("/"))
    return {
        folder for address in addresses if address and (folder := folder_of(address))
    }


def work_at(series: Series, source: str) -> Artwork:
    """Return a work that has not been read, as far as its address and series tell."""
    return Artwork(
        id="",
        index=None if shown_once(series) else _index_of(series, source),
        sources=(source,),
    )


def _index_of(series: Series, source: str) -> int | None:
    """Return the index of a work in its series, from 0, as its address has it."""
    folder = absolute_url(series.unique_preview_path)
    if folder and source.startswith(f"{folder}/"):
        match = _NUMBER.match(source.removeprefix(f"{folder}/"))
    else:
        match = _EDITION.search(source)
    return int(match[1]) if match else None


def claimed_title(title: str) -> str | None:
    """Return the name of the exhibition that the title of a playlist claims, as `comparable` writes it."""
    match = _CLAIM.fullmatch(title.strip())
    return comparable(match[1]) if match else None


def comparable(name: str) -> str:
    """Return a name without case and extra blanks."""
    return " ".join(name.casefold().split())
