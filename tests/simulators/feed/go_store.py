"""The tables of the Go feed: unique ids and slugs, rows in order of creation, members of groups and channels."""

import base64
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field
import json
from operator import attrgetter
from typing import Any

from .exchange import RefusalError
from .signing import Document, read_base64url
from .text import format_time, parse_time, parse_uuid

_MICRO = 1000


@dataclass(slots=True)
class Row:
    """A stored document; ``slug`` finds it, and is not changed by a later replacement."""

    id: str
    slug: str
    document: Document
    created: int
    members: list[str] = field(default_factory=list)


def database_error(message: str) -> RefusalError:
    return RefusalError(500, "internal_error", message)


def _duplicate(table: str, kind: str, column: str) -> RefusalError:
    """Return the answer to an id or slug that is taken."""
    return database_error(
        f"store: insert {kind}: ERROR: duplicate key value violates unique constraint"
        f' "{table}_{column}" (SQLSTATE 23505)'
    )


class Table:
    """Rows of one kind, found by id or slug."""

    def __init__(self, name: str, kind: str, clock: Callable[[], int]) -> None:
        """Initialize an empty table."""
        self.name = name
        self.kind = kind
        self.rows: dict[str, Row] = {}
        self._clock = clock
        self._last = 0

    def find(self, key: str) -> Row | None:
        """Return the row of an id, in any form of a UUID, or else of a slug."""
        if (identifier := parse_uuid(key)) is not None:
            return self.rows.get(identifier)
        return next((row for row in self.rows.values() if row.slug == key), None)

    def get(self, key: str) -> Row:
        """Return the row, or raise the feed's refusal."""
        if (row := self.find(key)) is None:
            raise RefusalError(404, "not_found", "not found")
        return row

    def insert(
        self, document: Document, members: Sequence[str] = (), slug: str | None = None
    ) -> Row:
        """Store a new document, if its id and slug are free."""
        row = Row(
            document["id"].lower(),
            document["slug"] if slug is None else slug,
            document,
            0,
            list(members),
        )
        if row.id in self.rows:
            raise _duplicate(self.name, self.kind, "pkey")
        if any(other.slug == row.slug for other in self.rows.values()):
            raise _duplicate(self.name, self.kind, "slug_key")
        check_storable(document)
        row.created = self._last = max(self._clock() // _MICRO, self._last + 1)
        self.rows[row.id] = row
        return row

    def page(
        self, rows: Iterable[Row], limit: int, cursor: str, *, descending: bool
    ) -> tuple[list[Document], str]:
        """Return the documents after the cursor in order of creation, and the next cursor."""
        after = None if not cursor else _read_cursor(cursor, "id")
        ordered = _behind(
            sorted(rows, key=attrgetter("created", "id")),
            ("created", "id"),
            after,
            descending,
        )
        documents = [row.document for row in ordered[:limit]]
        if len(ordered) <= limit:
            return documents, ""
        last = ordered[limit - 1]
        return documents, _write_cursor(
            {"t": format_time(last.created * _MICRO), "id": last.id}
        )


def check_storable(document: Document) -> None:
    """Refuse what the database refuses: one item id twice, and NUL in text."""
    identifiers = [item["id"].lower() for item in document.get("items") or ()]
    if len(identifiers) != len(set(identifiers)):
        raise database_error(
            "store: index items: ERROR: duplicate key value violates unique constraint"
            ' "playlist_item_index_pkey" (SQLSTATE 23505)'
        )
    if "\\u0000" in json.dumps(document):
        raise database_error(
            "store: ERROR: unsupported Unicode escape sequence (SQLSTATE 22P05)"
        )


def _behind[T](
    rows: Sequence[T],
    fields: tuple[str, ...],
    after: tuple[Any, ...] | None,
    descending: bool,
) -> list[T]:
    """Return the rows after the cursor, in the given direction."""
    key = attrgetter(*fields)
    ordered = list(reversed(rows)) if descending else list(rows)
    if after is None:
        return ordered
    return [
        row for row in ordered if (key(row) < after if descending else key(row) > after)
    ]


def _write_cursor(place: dict[str, Any]) -> str:
    return (
        base64.urlsafe_b64encode(json.dumps(place, separators=(",", ":")).encode())
        .decode()
        .rstrip("=")
    )


def _read_cursor(
    text: str, identifier: str, position: str | None = None
) -> tuple[Any, ...]:
    """Return the place of a cursor; an invalid one is an internal error of this feed."""
    raw = read_base64url(text)
    if raw is None:
        raise database_error("cursor: illegal base64 data")
    try:
        place = json.loads(raw)
        moment, name = parse_time(place["t"]), parse_uuid(place[identifier])
        middle = () if position is None else (int(place[position]),)
    except (ValueError, KeyError, TypeError) as err:
        raise database_error(f"cursor: {err}") from err
    if moment is None or name is None:
        raise database_error("cursor: invalid place")
    return (moment // _MICRO, *middle, name)
