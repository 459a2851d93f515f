"""The TypeScript feed: a secret admits a client, identity and signature are always the feed's own."""

from collections import deque
from collections.abc import Iterable, Mapping
import json
import re
from typing import Any, override

from .base import INFO, REQUIRED, Feed
from .exchange import Answer, RefusalError, Request
from .settings import Settings
from .signing import Document
from .store import Row
from .text import format_time

_MILLI = 1_000_000
_FIELDS = (
    *("dpVersion", "id", "slug", "title", "curators", "summary", "coverImage"),
    *("created", "defaults", "items", "dynamicQueries"),
)
_ITEM_FIELDS = (
    *("title", "source", "duration", "license", "ref", "override", "display"),
    *("repro", "provenance"),
)
_IDENTITY = ("id", "slug", "created")


def _in_order(value: Mapping[str, Any], names: Iterable[str]) -> Document:
    """Return the existing members, in this order."""
    return {name: value[name] for name in names if name in value}


def _missing(fields: Document) -> list[str]:
    missing = [name for name in REQUIRED if name not in fields]
    for index, item in enumerate(fields.get("items", ())):
        missing += [
            f"items.{index}.{name}"
            for name in ("source", "duration", "license")
            if name not in item
        ]
    return [f"{name}: Required" for name in missing]


class TsFeed(Feed):
    """The TypeScript feed."""

    def __init__(self, settings: Settings) -> None:
        """Initialize empty tables; groups are channels here."""
        super().__init__(settings, exact=True)
        self.groups = self.channels
        self.queued: deque[tuple[str, Document]] = deque()

    def _info(self, request: Request) -> Answer:
        return Answer.json(200, INFO["ts"])

    @override
    def _has_more(self, rows: list[Row], limit: int) -> bool:
        """Return whether a page is full, even if nothing comes after it."""
        return len(rows) >= limit

    @override
    def _owner(self, request: Request) -> tuple[Row | None, bool]:
        """Return the channel of an id."""
        query = request.query
        key = query.get("channel") or query.get("playlist-group") or ""
        return self.channels.rows.get(key), bool(key)

    @override
    def _get(self, request: Request, kind: str, key: str) -> Answer:
        """Return one document, without an ETag."""
        return Answer.json(200, self._row(kind, key).document)

    def _row(self, kind: str, key: str) -> Row:
        if not re.fullmatch("[a-zA-Z0-9-]+", key):
            raise RefusalError(400, "invalid_id", "must be a valid UUID or slug")
        return self.table(kind).get(key)

    def _authorize(self, request: Request) -> None:
        """Admit a write with the secret, and with JSON as its type."""
        token = re.sub(r"^Bearer\s+", "", request.headers.get("authorization", ""))
        if token != self.settings.api_key:
            raise RefusalError(401, "unauthorized", "Invalid credentials")
        kind = request.headers.get("content-type", "")
        if request.method != "DELETE" and "application/json" not in kind:
            raise RefusalError(500, "internal_error", "An unexpected error occurred")

    def _fields(self, request: Request) -> Document:
        """Return the fields of a body."""
        self._authorize(request)
        try:
            body = json.loads(request.body)
        except ValueError as err:
            message = "Request body must be valid JSON"
            raise RefusalError(400, "invalid_json", message) from err
        fields = _in_order(body, _FIELDS)
        if faults := _missing(fields):
            message = f"Invalid playlist data: {'; '.join(faults)}"
            raise RefusalError(400, "validation_error", message)
        return fields

    def _create(self, request: Request) -> Answer:
        """Store or queue a new playlist."""
        fields = self._fields(request)
        stem = re.sub("-+", "-", re.sub("[^a-z0-9]", "-", fields["title"].lower()))
        identity = {
            "id": self.settings.new_id(),
            "slug": f"{stem.strip('-')[:59]}-{self.settings.random.randint(1000, 9999)}",
            "created": self._time(0),
        }
        return self._save(fields | identity, "create", 201)

    def _replace(self, request: Request, key: str) -> Answer:
        """Replace a playlist; only its identity stays."""
        fields = self._fields(request)
        old = self._row("playlists", key).document
        return self._save(fields | _in_order(old, _IDENTITY), "update", 200)

    def _save(self, fields: Document, verb: str, status: int) -> Answer:
        """Store now, or queue and answer 202; signed in the old form."""
        made: Document = {
            "items": [
                _in_order(item, _ITEM_FIELDS)
                | {"id": self.settings.new_id(), "created": self._time(index)}
                for index, item in enumerate(fields["items"])
            ]
        }
        document = _in_order(fields | made, _FIELDS)
        document["signature"] = self.settings.key.legacy(document)
        if self.settings.always_async:
            self.queued.append((verb, document))
            return Answer.json(self.settings.queued_status, document)
        self._store(verb, document)
        return Answer.json(status, document)

    def _time(self, milliseconds: int) -> str:
        """Return the time in some milliseconds, to which it is rounded."""
        now = self.settings.now() // _MILLI + milliseconds
        seconds = format_time(now * _MILLI, fraction=False).removesuffix("Z")
        return f"{seconds}.{now % 1000:03}Z"

    def _store(self, verb: str, document: Document) -> None:
        """Create, update or delete a playlist."""
        rows = self.playlists.rows
        if verb == "delete":
            rows.pop(document["id"], None)
        elif row := rows.get(document["id"]):
            row.document = document
        else:
            self.playlists.put(document)

    def process_queue(self) -> None:
        """Do all that was queued."""
        while self.queued:
            self._store(*self.queued.popleft())

    def _delete(self, request: Request, key: str) -> Answer:
        """Delete a playlist now, or queue that."""
        self._authorize(request)
        document = self._row("playlists", key).document
        if self.settings.always_async:
            self.queued.append(("delete", document))
            return Answer.json(202, {"message": "queued"})
        self._store("delete", document)
        return Answer(204)
