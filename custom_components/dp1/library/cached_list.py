"""A list as it was read last, or as far as it could be read."""

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import Any, Protocol, Self

from ..client.catalog.paging import Listing
from ..client.errors import Dp1Error
from ..client.values import mapping, moment, whole

type Json = dict[str, Any]


class Storable(Protocol):
    """A record that can be kept across restarts."""

    @property
    def id(self) -> str:
        """Key of the record."""

    @classmethod
    def from_store(cls, data: object) -> Self | None:
        """Read what ``to_store`` wrote; None if it makes no sense."""

    def to_store(self) -> Json:
        """Write plain JSON."""


@dataclass(frozen=True, slots=True)
class CachedList[T: Storable]:
    """A list.

    Attributes:
        records: what there is of it.
        total: how many there are in all, if the server said so.
        complete: whether ``records`` is all there is.
        asked: how many were asked for; None if all.
        read_at: when all that was asked for could be read the last time.
        reason: why not since then.
        tried_at: when it was tried last, on the clock of the event loop.
    """

    records: tuple[T, ...] = ()
    total: int | None = None
    complete: bool = False
    asked: int | None = None
    read_at: datetime | None = None
    reason: Dp1Error | None = None
    tried_at: float = 0.0

    def followed_by(
        self,
        listing: Listing[T],
        *,
        asked: int | None = None,
        now: datetime,
        tried_at: float,
    ) -> CachedList[T]:
        """Take over what was read; if that is not all that was asked for, what it lacks stays as it was."""
        whole_list = listing.reason is None
        records = listing.records
        if not whole_list:
            fresh = {record.id for record in records}
            records += tuple(it for it in self.records if it.id not in fresh)
        return CachedList(
            records=records,
            total=self.total if listing.total is None else listing.total,
            complete=listing.complete,
            asked=asked,
            read_at=now if whole_list else self.read_at,
            reason=listing.reason,
            tried_at=tried_at,
        )

    @classmethod
    def from_store(cls, data: object, record: type[T]) -> CachedList[T]:
        """Read what ``to_store`` wrote."""
        data = mapping(data)
        records = data.get("records")
        return CachedList(
            records=tuple(
                found
                for it in (records if isinstance(records, list) else ())
                if (found := record.from_store(it))
            ),
            total=whole(data.get("total")),
            complete=data.get("complete") is True,
            asked=whole(data.get("asked")),
            read_at=moment(data.get("read_at")),
        )

    def to_store(self) -> Json:
        """Write plain JSON."""
        stored: Mapping[str, Any] = {
            "total": self.total,
            "complete": self.complete,
            "asked": self.asked,
            "read_at": self.read_at and self.read_at.isoformat(),
            "records": [record.to_store() for record in self.records],
        }
        return {name: value for name, value in stored.items() if value is not None}
