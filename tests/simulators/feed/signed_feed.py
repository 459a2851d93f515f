"""The Go feed of 2026: no API keys, every write needs signatures, and a deleted id cannot be used again."""

from hashlib import sha256
from typing import Any, override

from .base import INFO, LIMIT, Feed
from .exchange import Answer, RefusalError, Request, compact
from .go_feed import database_error
from .settings import Settings
from .signed_rules import (
    bad_request,
    check_document,
    check_intent,
    check_members,
    check_new_owner,
    check_owner_set,
    check_signatures,
    check_signed_by_owner,
    read_object,
    require_signatures,
)
from .signing import Document
from .store import Row, has_repeated_ids, read_cursor, write_cursor
from .text import format_time, parse_time

MAX_REQUEST_BYTES = 5 * 1024 * 1024
_TAKEN = "a playlist with this {} already exists"
_DEAD = "this id was deleted on this feed and cannot be reused; publish under a new id"


def too_large() -> Answer:
    refused = RefusalError(413, "payload_too_large", "request body too large").answer
    refused.headers["Connection"] = "close"
    return refused


class SignedFeed(Feed):
    """The signed feed."""

    def __init__(self, settings: Settings, version: str = "1.2.0") -> None:
        """Initialize empty tables; version 1.0.0 still reports a registry, and those before 1.2.0 have no content rating."""
        super().__init__(settings)
        self.version = version
        self.dead: set[str] = set()
        self._model = f"playlists {'1.2.0' if version == '1.2.0' else '1.1.0'}"

    def take_over(self, older: Feed) -> None:
        """Take over the tables of the replaced server."""
        self.playlists, self.groups = older.playlists, older.groups
        self.channels = older.channels

    def _info(self, request: Request) -> Answer:
        """Return the server information."""
        endpoints = dict(INFO["v2"]["endpoints"])
        if self.version != "1.0.0":
            del endpoints["registry"]
        told = {"version": self.version, "endpoints": endpoints}
        return Answer.json(200, INFO["v2"] | told)

    # Reading

    @override
    def _refuse_cursor(self) -> None:
        raise bad_request("invalid cursor")

    @override
    def _list(self, request: Request, kind: str) -> Answer:
        """Return a page of a list; the playlists of a channel or group come in its own order, repeated ones repeated."""
        owner, is_named = self._owner(request)
        if kind != "playlists" or not is_named:
            return super()._list(request, kind)
        limit = min(int(request.query.get("limit") or LIMIT), LIMIT)
        members = list(owner.members) if owner else []
        descending = request.query.get("sort") == "desc"
        if descending:
            members.reverse()
        state = sha256(compact([members, descending])).hexdigest()[:16]
        start = 0
        if cursor := request.query.get("cursor"):
            match read_cursor(cursor):
                case [int(place), text] if text == state:
                    start = place
                case _:
                    self._refuse_cursor()
        after = start + limit
        rows = [
            row for key in members[start:after] if (row := self.playlists.rows.get(key))
        ]
        more = after < len(members)
        return self._page(rows, write_cursor(after, state) if more else "")

    @override
    def _tagged(self, row: Row) -> Any:
        """Return what the ETag of a document stands for: that of a channel for its playlists, too."""
        rows = map(self.playlists.rows.get, row.members)
        return [row.document, *(member and member.document for member in rows)]

    # Writing

    def _create(self, request: Request) -> Answer:
        """Create a playlist that an owner signed."""
        document = read_object(request.body)
        require_signatures(document)
        check_members(document, self._model)
        check_document(document, self.settings.now())
        check_signatures(document)
        check_new_owner(document)
        created = format_time(parse_time(document["created"]) or 0, fraction=False)
        signed = self._signed(document, created)
        column = self.playlists.taken(document)
        if document["id"].lower() in self.dead:
            raise RefusalError(409, "conflict", _DEAD)
        if column:
            raise RefusalError(409, "conflict", _TAKEN.format(column))
        self.playlists.put(signed)
        return Answer.json(201, signed)

    def _replace(self, request: Request, key: str) -> Answer:
        """Replace a playlist, as an owner requests in an intent."""
        envelope = read_object(request.body)
        if not envelope.get("signatures"):
            require_signatures(envelope.get("document"))
            require_signatures(envelope.get("authorization"))
        for name in envelope:
            if name not in ("document", "authorization"):
                raise bad_request(f'json: unknown field "{name}"')
        document, intent = envelope["document"], envelope["authorization"]
        check_members(document, self._model)
        check_members(intent, "intent")
        now = self.settings.now()
        check_document(document, now)
        row = self.playlists.get(key)
        for name in ("id", "slug", "created"):
            if document[name] != row.document[name]:
                raise bad_request(
                    f"signed document does not match the stored resource: {name}"
                )
        check_owner_set(row.document, document)
        check_signatures(document)
        check_signed_by_owner(row.document, document)
        check_intent("replace", row.document, intent, now, document)
        row.document = self._signed(document, format_time(now, fraction=False))
        return Answer.json(200, row.document)

    def _delete(self, request: Request, key: str) -> Answer:
        """Delete a playlist permanently, as an owner requests in an intent."""
        intent = read_object(request.body)
        require_signatures(intent)
        check_members(intent, "intent")
        row = self.playlists.get(key)
        check_intent("delete", row.document, intent, self.settings.now(), None)
        del self.playlists.rows[row.id]
        self.dead.add(row.id)
        return Answer(204)

    def _signed(self, document: Document, moment: str) -> Document:
        """Return the document as it was sent with the feed's own signature behind the others."""
        if has_repeated_ids(document):
            raise database_error("store: index items: ERROR: duplicate key")
        entry = self.settings.key.entry(document, "feed", moment)
        others = [
            other for other in document["signatures"] if other["kid"] != entry["kid"]
        ]
        return document | {"signatures": [*others, entry]}
