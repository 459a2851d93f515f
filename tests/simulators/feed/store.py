"""What a feed stores: documents by id and slug, in the order in which they came, and the members of channels."""

import base64
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from itertools import count
import json

from .exchange import RefusalError
from .signing import Document, read_base64url


@dataclass(slots=True)
class Row:
    """A stored document; ``slug`` finds it, and is not changed by a later replacement."""

    id: str
    slug: str
    document: Document
    number: int
    members: list[str] = field(default_factory=list)


class Table:
    """Rows of one kind; ``exact`` finds no id in capitals."""

    def __init__(self, *, exact: bool = False) -> None:
        self.rows: dict[str, Row] = {}
        self._exact = exact
        self._numbers = count(1)

    def find(self, key: str) -> Row | None:
        """Return the row of an id or a slug."""
        if row := self.rows.get(key if self._exact else key.lower()):
            return row
        return next((row for row in self.rows.values() if row.slug == key), None)

    def get(self, key: str) -> Row:
        """Return the row, or raise the feed's refusal."""
        if (row := self.find(key)) is None:
            raise RefusalError(404, "not_found", "not found")
        return row

    def taken(self, document: Document) -> str:
        """Return which of id and slug another document has; empty for none."""
        if document["id"].lower() in self.rows:
            return "id"
        slugs = (row.slug for row in self.rows.values())
        return "slug" if document["slug"] in slugs else ""

    def put(self, document: Document, members: Iterable[str] = ()) -> None:
        """Store a new document."""
        key = document["id"].lower()
        number = next(self._numbers)
        self.rows[key] = Row(key, document["slug"], document, number, [*members])


def has_repeated_ids(document: Document) -> bool:
    """Return whether two works of a document have the same id."""
    ids = [item["id"].lower() for item in document.get("items") or ()]
    return len(ids) != len(set(ids))


def behind(rows: Iterable[Row], number: int | None, *, descending: bool) -> list[Row]:
    """Return the rows behind one that was read."""

    def read() -> Iterator[Row]:
        for row in sorted(rows, key=lambda row: row.number, reverse=descending):
            if number is None or (row.number < number) is descending:
                yield row

    return [row for row in read() if row.number != number]


def write_cursor(*place: int | str) -> str:
    text = json.dumps(place).encode()
    return base64.urlsafe_b64encode(text).decode().rstrip("=")


def read_cursor(text: str) -> list[int | str]:
    """Return the place that a cursor names; an empty list for one that is none."""
    try:
        place = json.loads(read_base64url(text) or b"")
    except ValueError:
        return []
    return place if isinstance(place, list) else []
