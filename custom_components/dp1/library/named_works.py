"""Works of the catalog with names of their own, by which they are searched."""

from collections.abc import Sequence, Set as AbstractSet
from dataclasses import dataclass
from datetime import datetime
from math import inf
from typing import Self

from lru import LRU

from homeassistant.helpers.json import json_dumps
from homeassistant.util import dt as dt_util

from ..client.catalog.artwork import own_name
from ..client.catalog.models import Artwork, Series
from ..client.catalog.paging import PAGE_SIZE, Page
from ..client.catalog.selection import CAP
from ..client.values import mapping, moment, whole
from .servers.cached_list import Json, decoded
from .threads import with_pauses

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


@dataclass(frozen=True, slots=True)
class ReadAhead:
    """How far the works of a series have been read before anybody opened it.

    `following` is the place of the next work to read, None at the end; `size` is what the series announced, `total`
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

    @classmethod
    def from_store(cls, data: object) -> Self:
        """Return what is stored."""
        stored = mapping(data)
        works = stored.get("works")
        return cls(
            works=tuple(
                work
                for work_data in (works if isinstance(works, list) else ())
                if (work := Artwork.from_store(work_data))
            ),
            following=whole(stored.get("following")),
            size=whole(stored.get("size")),
            total=whole(stored.get("total")) or 0,
            read_at=moment(stored.get("read_at")),
        )

    def to_store(self) -> Json:
        """Return plain JSON."""
        return {
            "works": [work.to_store() for work in self.works],
            "following": self.following,
            "size": self.size,
            "total": self.total,
            "read_at": self.read_at and self.read_at.isoformat(),
        }


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
            # Stored works are added in another thread.
            opened = self._opened.copy()
            self._records = tuple(
                (series_id, work)
                for series_id in opened | self._ahead
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

    def restore(self, data: object) -> None:
        """Add what is stored; for other threads."""
        self._ahead = {
            series_id: ReadAhead.from_store(decoded(stored))
            for series_id, stored in with_pauses(mapping(data).items())
        }
        self._records = None

    def to_store(self) -> Json:
        """Return what was read ahead as plain JSON, each series as a text as in other lists."""
        return {
            key: json_dumps(ahead.to_store())
            for key, ahead in self._ahead.copy().items()
        }
