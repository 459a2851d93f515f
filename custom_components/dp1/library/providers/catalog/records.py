"""Works of the catalog: found by id, address or token, and by names of their own."""

from collections.abc import Iterable, Iterator, Sequence, Set as AbstractSet
from dataclasses import dataclass
from datetime import datetime
from math import inf
import re
from typing import Self
from uuid import uuid5

from lru import LRU

from homeassistant.util import dt as dt_util

from ....client.catalog.artwork import (
    ASSETS_URL,
    CAP,
    PROOF_NAMES,
    absolute_url,
    artwork_page,
    credit,
    edition,
    own_name,
    picture_url,
    provenance,
    series_page,
    shown_once,
    source_url,
    title,
    year,
)
from ....client.catalog.client import PAGE_SIZE, Page
from ....client.catalog.models import Alumni, Artwork, Exhibition, Series
from ....client.playlist.manifest import MAX_NOTE, Work, biographies
from ....client.text import clean, shorten
from ....client.values import mapping, text
from ...node import MAX_CREDIT, WORK_IDS, NodeKind, node_id
from ...server import Json, record_from_text, record_to_text
from ...threads import with_pauses

# A series of so many works is read whole, as when it is opened. Of a larger one a page tells whether its works are
# numbered: such works are found by the series. While their names differ in more than numbers, it is read on.
MAX_WHOLE = CAP
MAX_OF_SERIES = 250
MAX_IN_ALL = 10_000
# Works of large series that were asked for by their numbers.
MAX_ASKED_FOR = 100
# A series which was announced larger than it is may still grow; of the others, works move to other addresses.
GROWING_SECONDS = 30 * 86400.0
MAX_AGE_SECONDS = 180 * 86400.0

_FOLDER = re.compile(r"https?://[^?#]*?/[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}/")
_NUMBER = re.compile(r"([0-9]{1,6})(?=[/?#]|$)")
_EDITION = re.compile(r"[?&]edition_number=([0-9]{1,6})(?=[&#]|$)")

type WorkKey = tuple[str, str]


def artist_of(series: Series, exhibition: Exhibition | None) -> str | None:
    """Return the names of who made a series."""
    return shorten(credit(people_of(series, exhibition)), MAX_CREDIT) or None


def people_of(series: Series, exhibition: Exhibition | None) -> tuple[Alumni, ...]:
    """Return the artists of a series, or the only artist of its exhibition, with what the catalog tells of them.

    The record of a series has no biographies.
    """
    shown = exhibition.artists if exhibition else ()
    if not series.artists:
        return shown if len(shown) == 1 else ()
    known = {person.id: person for person in shown if person.id and person.about}
    return tuple(
        person if person.about else known.get(person.id, person)
        for person in series.artists
    )


def item_id(series: Series, artwork: Artwork) -> str:
    """Return the id of the playlist item of a work."""
    return str(uuid5(WORK_IDS, f"{series.id}/{artwork.id}"))


def work_of(artwork: Artwork, series: Series, exhibition: Exhibition | None) -> Work:
    """Return the metadata of a work of the catalog."""
    name = title(artwork, series) or None
    return Work(
        title=name,
        artist=artist_of(series, exhibition),
        series=series.title if series.title and series.title != name else None,
        exhibition=exhibition.title if exhibition else None,
        edition=_edition(artwork, series),
        year=year(artwork, series),
        picture=picture_url(artwork, series, "l"),
        link=artwork_page(artwork) if artwork.id else series_page(series),
        medium=series.medium or None,
        note=clean(series.description, MAX_NOTE) or None,
        about_artist=biographies(
            (person.name, person.about) for person in people_of(series, exhibition)
        ),
        provenance=provenance(artwork),
        node_id=node_id(NodeKind.ARTWORK, series.id, artwork.id)
        if artwork.id
        else node_id(NodeKind.SERIES, series.id),
    )


def _edition(artwork: Artwork, series: Series) -> str | None:
    """Return the edition of a work."""
    if series.single:
        return None
    if artwork.name in PROOF_NAMES:
        return artwork.name
    if (number := edition(artwork)) is None:
        return None
    size = series.max_artwork
    return f"#{number} of {size}" if size and size >= number else f"#{number}"


def folder_of(address: str) -> str | None:
    """Return the folder of an address that is named by a UUID, as those of series are."""
    found = _FOLDER.match(address)
    return found[0] if found else None


def folders_of(series: Series) -> set[str]:
    """Return the folders with the works of a series and nothing else."""
    paths = (
        f"{ASSETS_URL}/previews/{series.id}/",
        *series.previews,
        f"{series.unique_preview_path}/",
    )
    addresses = (absolute_url(path) for path in paths if path.strip("/"))
    return {
        folder for address in addresses if address and (folder := folder_of(address))
    }


def token_key(origin: object) -> WorkKey | None:
    """Return contract and number of a token; addresses on Ethereum are case-insensitive."""
    contract = mapping(mapping(origin).get("contract"))
    address, token = text(contract.get("address")), text(contract.get("tokenId"))
    if not address or not token:
        return None
    if address.startswith(("0x", "0X")):
        address = address.lower()
    return address, token


@dataclass(frozen=True, slots=True)
class ReadAhead:
    """How far the works of a series have been read before anybody opened it.

    `following` is the index of the next work to read, None at the end; `size` is what the series announced, `total`
    what there was.
    """

    works: tuple[Artwork, ...] = ()
    following: int | None = 0
    size: int | None = None
    total: int = 0
    read_at: datetime | None = None

    def is_due(self, series: Series) -> bool:
        """Return whether there may be works that have not been read."""
        if self.following is not None or self.size != series.max_artwork:
            return True
        may_grow = self.total < (series.max_artwork or 0)
        max_age = GROWING_SECONDS if may_grow else MAX_AGE_SECONDS
        return (
            self.read_at is None
            or (dt_util.utcnow() - self.read_at).total_seconds() >= max_age
        )

    def updated(self, series: Series, page: Page[Artwork]) -> Self:
        """Return this after the next page, or the first if everything had been read."""
        end = page.offset + page.received
        is_last = page.received < PAGE_SIZE if page.total is None else False
        total = end if is_last else page.total or series.max_artwork or inf
        names = {own_name(work, series) for work in page.records}
        if len(names) > 1:
            limit = MAX_OF_SERIES
        else:
            limit = MAX_WHOLE if total <= MAX_WHOLE else 0
        named = [work for work in page.records if own_name(work, series)]
        before = self.works if page.offset else ()
        works = {work.id: work for work in (*before, *named) if not work.gone}
        return type(self)(
            works=tuple(works.values()),
            following=end if page.received and end < min(total, limit) else None,
            size=series.max_artwork,
            total=end if total == inf else int(total),
            read_at=dt_util.utcnow(),
        )


class NamedWorks:
    """The works with names of their own: of opened series, and of those that have been read ahead."""

    def __init__(self) -> None:
        """Initialize without works."""
        self._opened: dict[str, tuple[Artwork, ...]] = {}
        self._ahead: dict[str, ReadAhead] = {}
        self._asked_for: LRU[tuple[str, str], Artwork] = LRU(MAX_ASKED_FOR)
        self._records: tuple[tuple[str, Artwork], ...] | None = ()

    @property
    def records(self) -> tuple[tuple[str, Artwork], ...]:
        """Return the works, each with the id of its series; the same tuple until there are others."""
        if self._records is None:
            self._records = tuple(
                (series_id, work)
                for series_id in self._opened | self._ahead
                for work in self._of(series_id).values()
            )
        return self._records

    @property
    def is_full(self) -> bool:
        """Return whether no more are to be read ahead."""
        return sum(len(ahead.works) for ahead in self._ahead.values()) >= MAX_IN_ALL

    def _of(self, series_id: str) -> dict[str, Artwork]:
        """Return the works of a series by id; those that were opened are newer."""
        works = (*self.ahead(series_id).works, *self._opened.get(series_id, ()))
        return {work.id: work for work in works}

    def find(self, series_id: str, key: str) -> Artwork | None:
        """Return a work of a series by its id."""
        found = self._of(series_id).get(key)
        return found or self._asked_for.get((series_id, key))

    def remember(self, series_id: str, work: Artwork) -> None:
        """Remember a work that was asked for by its number."""
        self._asked_for[series_id, work.id] = work

    def add_opened(self, series: Series, works: Sequence[Artwork]) -> None:
        """Add the works of an opened series, instead of those added before."""
        named = [work for work in works if own_name(work, series) and not work.gone]
        self.discard_opened(series.id)
        if named:
            self._opened[series.id] = tuple(named)
            self._records = None

    def discard_opened(self, series_id: str) -> None:
        """Remove the works of an opened series."""
        if self._opened.pop(series_id, None):
            self._records = None

    def ahead(self, series_id: str) -> ReadAhead:
        """Return how far a series has been read ahead."""
        return self._ahead.get(series_id) or ReadAhead()

    def set_ahead(self, series_id: str, ahead: ReadAhead) -> None:
        """Set how far a series has been read ahead."""
        self._ahead[series_id] = ahead
        self._records = None

    def keep(self, series_ids: AbstractSet[str]) -> None:
        """Remove what was read ahead of other series."""
        for gone in self._ahead.keys() - series_ids:
            del self._ahead[gone]
            self._records = None

    @staticmethod
    def from_store(data: object) -> dict[str, ReadAhead]:
        """Return what is stored of what was read ahead; for other threads."""
        return {
            series_id: record_from_text(ReadAhead, stored) or ReadAhead()
            for series_id, stored in with_pauses(mapping(data).items())
        }

    def add_stored(self, ahead: dict[str, ReadAhead]) -> None:
        """Add what is stored, unless it has been read since."""
        self._ahead = ahead | self._ahead
        self._records = None

    def to_store(self) -> Json:
        """Return what was read ahead as plain JSON, each series as a text as in other lists."""
        return {key: record_to_text(ahead) for key, ahead in self._ahead.copy().items()}


class KnownWorks:
    """Index of the works that have been read from the catalog."""

    def __init__(self) -> None:
        """Initialize without works."""
        self.named = NamedWorks()
        self._work_keys: dict[WorkKey, tuple[str, Artwork]] = {}
        self._by_series: dict[str, list[WorkKey]] = {}
        self._folders: dict[str, str | None] = {}

    def add_series(self, series: Series) -> None:
        """Add the folders of a series; one of two series is ambiguous."""
        for folder in folders_of(series):
            known = self._folders.setdefault(folder, series.id)
            if known != series.id:
                self._folders[folder] = None

    def add(self, series: Series, artworks: Sequence[Artwork]) -> None:
        """Add the works of a series, instead of those added before."""
        self.discard(series.id)
        self.named.add_opened(series, artworks)
        self.add_more(series, artworks)

    def add_more(self, series: Series, artworks: Sequence[Artwork]) -> None:
        """Add works of a series to those added before."""
        marks = {
            mark: (series.id, artwork)
            for artwork in reversed(artworks)
            for mark in _work_keys(series, artwork)
            if mark not in self._work_keys
        }
        self._work_keys |= marks
        self._by_series.setdefault(series.id, []).extend(marks)

    def discard(self, series_id: str) -> None:
        """Remove the works of a series."""
        self.named.discard_opened(series_id)
        for mark in self._by_series.pop(series_id, ()):
            del self._work_keys[mark]

    def find(
        self,
        key: str | None = None,
        source: str | None = None,
        origin: object = None,
    ) -> tuple[str, Artwork] | None:
        """Return a work and the id of its series by the id of its item, its token, or its address."""
        marks = (("id", key or ""), token_key(origin), ("source", source or ""))
        return next(
            (found for mark in marks if mark and (found := self._work_keys.get(mark))),
            None,
        )

    def series_of(self, sources: Iterable[str | None]) -> frozenset[str]:
        """Return the ids of the series that the works at some addresses are of, none unless all are known."""
        found = set()
        for source in sources:
            known = self.find(source=source)
            series_id = known[0] if known else self.series_at(source)
            if series_id is None:
                return frozenset()
            found.add(series_id)
        return frozenset(found)

    def series_at(self, source: str | None) -> str | None:
        """Return the id of the series in whose folder an address lies."""
        folder = folder_of(source or "")
        return self._folders.get(folder) if folder else None


def _work_keys(series: Series, artwork: Artwork) -> Iterator[WorkKey]:
    """Yield the keys of a work; copies share an address, which then stands for the first of them."""
    yield "id", item_id(series, artwork)
    if mark := token_key(provenance(artwork)):
        yield mark
    if source := source_url(artwork, series):
        yield "source", source


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
        found = _NUMBER.match(source.removeprefix(f"{folder}/"))
    else:
        found = _EDITION.search(source)
    return int(found[1]) if found else None
