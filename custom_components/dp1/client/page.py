"""A page of a list of a server; every list of the client is read in pages."""

from collections.abc import Sequence
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Page[T]:
    """A page of a list.

    Attributes:
        records: the valid records in the order of the list; none that an earlier page of the same reading had.
        total: number of records in the list; None if the server does not tell.
        offset: index of the first record in the list, from 0, where pages may come in another order.
        skipped: number of further records that make no sense or are too large to be read.
        size: of the answer, in bytes; 0 where nobody counts.
        following: offset of the next page, for a list that is read by offsets; None at the end.
        is_whole: whether all that the server has of these records is in them.
    """

    records: Sequence[T]
    total: int | None = None
    offset: int = 0
    skipped: int = 0
    size: int = 0
    following: int | None = None
    is_whole: bool = True

    @property
    def received(self) -> int:
        """Return the number of records that the server has sent."""
        return len(self.records) + self.skipped
