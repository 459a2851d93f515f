"""A list of a server as it was last read, complete or in part."""

from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Any, Protocol, Self

from homeassistant.helpers.json import json_dumps
from homeassistant.util import dt as dt_util
from homeassistant.util.json import json_loads

from ...client.catalog.paging import Listing
from ...client.errors import BusyError, Dp1Error
from ...client.values import mapping, moment, whole
from ..threads import with_pauses

MAX_WAIT_SECONDS = 3600.0
_NEVER = datetime.min.replace(tzinfo=UTC)

type Json = dict[str, Any]


class Storable(Protocol):
    """A record that can be stored."""

    @property
    def id(self) -> str:
        """Return the key of the record."""

    @classmethod
    def from_store(cls, data: object) -> Self | None:
        """Return the stored record, None if it makes no sense."""

    def to_store(self) -> Json | list[Any]:
        """Return the record as plain JSON."""


@dataclass(frozen=True, slots=True)
class CachedList[T: Storable]:
    """A list, where `total` is what the server announced and `asked` the number of records wanted (None for all).

    `read_at` is the time of the last read without an error, `reason` what went wrong since then, `tried_at` the
    time of the last try on the clock of the event loop.
    """

    records: tuple[T, ...] = ()
    total: int | None = None
    complete: bool = False
    asked: int | None = None
    read_at: datetime | None = None
    reason: Dp1Error | None = None
    tried_at: float = 0.0

    @property
    def age(self) -> float:
        """Return the seconds since the last read without an error."""
        return (dt_util.utcnow() - (self.read_at or _NEVER)).total_seconds()

    @property
    def retry_after(self) -> float:
        """Return the seconds the server asked to wait, within limits."""
        match self.reason:
            case BusyError(retry_after=float(seconds)):
                return min(seconds, MAX_WAIT_SECONDS)
        return 0.0

    def updated(
        self, listing: Listing[T], tried_at: float, asked: int | None = None
    ) -> CachedList[T]:
        """Return the list after a read; records which could not be read are kept."""
        records = listing.records
        if listing.reason is not None:
            new = {record.id for record in records}
            records += tuple(old for old in self.records if old.id not in new)
        return CachedList(
            records=records,
            total=self.total if listing.total is None else listing.total,
            complete=listing.complete,
            asked=asked,
            read_at=self.read_at if listing.reason else dt_util.utcnow(),
            reason=listing.reason,
            tried_at=tried_at,
        )

    @classmethod
    def from_store(cls, data: object, record_type: type[T]) -> CachedList[T]:
        """Return the stored list, without the records that make no sense; for other threads."""
        stored = mapping(data)
        records = stored.get("records")
        return CachedList(
            records=tuple(
                record
                for stored_record in with_pauses(
                    records if isinstance(records, list) else ()
                )
                if (record := record_type.from_store(decoded(stored_record)))
            ),
            total=whole(stored.get("total")),
            complete=stored.get("complete") is True,
            asked=whole(stored.get("asked")),
            read_at=moment(stored.get("read_at")),
        )

    def to_store(self) -> Json:
        """Return the list as plain JSON, each record as a text: a whole list would be decoded in one go."""
        return {
            "total": self.total,
            "complete": self.complete,
            "asked": self.asked,
            "read_at": self.read_at and self.read_at.isoformat(),
            "records": [json_dumps(record.to_store()) for record in self.records],
        }


def decoded(stored: object) -> object:
    """Return the JSON of a stored record, None if it is damaged; earlier versions stored it as it is."""
    if not isinstance(stored, str):
        return stored
    try:
        return json_loads(stored)
    except ValueError:
        return None
