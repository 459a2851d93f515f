"""What a wall tells of a work, and the works of a server by that."""

from collections.abc import Callable, Iterable, Iterator, Mapping
from typing import Any

from ..client.display.player_status import PlaylistItem
from ..client.hosts import same_work
from ..client.values import mapping, text
from ..grants import lent_in
from .listing import Delta, Listing, Record

type Mark = tuple[str, str]


def place_of(source: object) -> str:
    """Return what the address of a work means, of what is lent its media id: each display has an address of its own."""
    return " ".join(places_of(source))


def places_of(source: object) -> list[str]:
    """Return what the addresses of the works mean that are shown as one, which are two photos at most."""
    if not isinstance(source, str):
        return []
    return [media_id for media_id, _ in lent_in(source)] or [same_work(source)]


def place_of_item(item: Mapping[str, Any] | None) -> str:
    """Return by what the work of the item of a playlist is recognized: whatever else it says, others may say, too."""
    return place_of((item or {}).get("source"))


def marks_of(key: object, source: object, provenance: object) -> Iterator[Mark]:
    """Yield what tells a work from others at its address: its token, the id of its item, nothing."""
    if place := place_of(source):
        if token := token_mark(provenance):
            yield " ".join(token), place
        if isinstance(key, str) and key:
            yield key, place
        yield "", place


def token_mark(provenance: object) -> tuple[str, str] | None:
    """Return contract and number of a token; addresses on Ethereum are case-insensitive."""
    contract = mapping(mapping(provenance).get("contract"))
    address, token = text(contract.get("address")), text(contract.get("tokenId"))
    if not address or not token:
        return None
    if address.startswith(("0x", "0X")):
        address = address.lower()
    return address, token


class Marks[T: Record]:
    """The works of lists by what a wall tells of them; copies share an address, which then stands for the first."""

    def __init__(self, marks_of: Callable[[str, T], Iterable[Mark]]) -> None:
        """Initialize without works; `marks_of` gets the key of a list, too."""
        self._marks_of = marks_of
        # The list and the id in it as texts: a garbage collection looks at each tuple with a work.
        self._places: dict[Mark, tuple[str, str]] = {}
        self._by_list: dict[str, list[Mark]] = {}

    def follow(self, listing: Listing[T], delta: Delta[T]) -> None:
        """Note which works came; where some have changed or are gone, others may have the same address."""
        records: Iterable[T] = delta.added
        if delta.changed or delta.removed:
            self.discard(listing.key)
            records = listing.records
        marks = self._by_list.setdefault(listing.key, [])
        for record in records:
            place = listing.key, record.id
            for mark in self._marks_of(listing.key, record):
                if self._places.setdefault(mark, place) is place:
                    marks.append(mark)

    def discard(self, key: str) -> None:
        """Forget the works of a list."""
        for mark in self._by_list.pop(key, ()):
            self._places.pop(mark, None)

    def at(self, source: str) -> tuple[str, str] | None:
        """Return the same of the work at an address."""
        return self._places.get(("", place_of(source)))

    def find(self, item: PlaylistItem) -> tuple[str, str] | None:
        """Return the key of the list with a work, and its id there."""
        marks = marks_of(item.id, item.source, item.provenance)
        return next(filter(None, map(self._places.get, marks)), None)
