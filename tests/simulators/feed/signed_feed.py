"""The Go feed of 2026: no API keys, every write needs signatures, and a deleted id cannot be used again."""

import base64
from collections.abc import Mapping
import hashlib
import json
from typing import Any, override

from ..go_json import dumps
from .exchange import JSON, Answer, RefusalError, Request
from .go_feed import GoFeed, _json, _limit, _match, _one, _page
from .go_store import Row, check_storable
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
from .signing import Document, read_base64url
from .text import format_time, parse_time

MAX_REQUEST_BYTES = 5 * 1024 * 1024


def too_large() -> Answer:
    body = dumps({"error": "payload_too_large", "message": "request body too large"})
    return Answer(413, body.encode(), {"Content-Type": JSON, "Connection": "close"})


class SignedFeed(GoFeed):
    """The signed feed."""

    def __init__(self, settings: Settings, version: str = "1.2.0") -> None:
        """Initialize empty tables; version 1.0.0 still reports a registry, and those before 1.2.0 have no content rating."""
        super().__init__(settings)
        self.version = version
        self.dead: set[str] = set()
        self._model = f"playlists {'1.2.0' if version == '1.2.0' else '1.1.0'}"

    def take_over(self, older: GoFeed) -> None:
        """Take over the tables of the replaced server."""
        self.playlists, self.groups = older.playlists, older.groups
        self.channels, self.tables = older.channels, older.tables

    @override
    async def _route(self, request: Request) -> Answer:
        """Return the handler; anything else is not found, whatever the method."""
        found = _match(request.method, request.path)
        if found is None:
            raise RefusalError(404, "not_found", "no such endpoint")
        return await super()._route(request)

    @override
    async def _info(self, request: Request) -> Answer:
        """Return the server information."""
        info: dict[str, Any] = (await super()._info(request)).value
        endpoints = dict(info["endpoints"])
        if self.version != "1.0.0":
            del endpoints["registry"]
        return _json(200, info | {"version": self.version, "endpoints": endpoints})

    # Reading

    @override
    async def _list(self, request: Request, kind: str) -> Answer:
        """Return a page of a list; the playlists of a channel or group come in its own order."""
        query, table = request.query, self.tables[kind]
        limit = _limit(query.get("limit", ""))
        descending = query.get("sort") == "desc"
        container = query.get("channel", "") or query.get("playlist-group", "")
        if kind == "playlists" and container.strip():
            return self._container_page(request, limit, descending)
        try:
            cursor = query.get("cursor", "")
            return _page(
                *table.page(table.rows.values(), limit, cursor, descending=descending)
            )
        except RefusalError as err:
            raise bad_request("invalid cursor") from err

    def _container_page(self, request: Request, limit: int, descending: bool) -> Answer:
        """Return a page of the playlists of a channel or group, repeated members repeated."""
        channel = request.query.get("channel", "").strip()
        group = request.query.get("playlist-group", "").strip()
        owner = self.channels.find(channel) if channel else self.groups.find(group)
        members = list(owner.members) if owner else []
        if descending:
            members.reverse()
        state = hashlib.sha256(dumps([members, descending]).encode()).hexdigest()[:16]
        start = 0
        if cursor := request.query.get("cursor", ""):
            start = _place(cursor, state)
        there = [
            row.document
            for key in members[start : start + limit]
            if (row := self.playlists.rows.get(key))
        ]
        after = start + limit
        more = after < len(members)
        return _page(there, _cursor(after, state) if more else "")

    @override
    async def _get(self, request: Request, kind: str, key: str) -> Answer:
        """Return one document; the ETag of a channel includes its members."""
        row = self.tables[kind].get(key)
        answer = _one(request, row.document)
        if kind != "channels":
            return answer
        members = [
            member.document if (member := self.playlists.rows.get(key)) else None
            for key in row.members
        ]
        text = dumps([row.document, members]).encode()
        tag = f'"{hashlib.sha256(text).hexdigest()}"'
        if request.headers.get("if-none-match") == tag:
            return Answer(304, headers={"Etag": tag})
        answer = _json(200, row.document)
        answer.headers["Etag"] = tag
        return answer

    # Writing

    @override
    async def _create(self, request: Request) -> Answer:
        """Create a playlist that an owner signed."""
        document = read_object(request.body)
        require_signatures(document)
        check_members(document, self._model)
        now = self.settings.now()
        check_document(document, now)
        check_signatures(document)
        check_new_owner(document)
        created = format_time(parse_time(document["created"]) or 0, fraction=False)
        signed = self._signed(document, created)
        check_storable(signed)
        self._check_free(document)
        self.playlists.insert(signed)
        return _json(201, signed)

    def _check_free(self, document: Document) -> None:
        """Refuse an id or slug that is used, or an id that was deleted."""
        identifier, rows = document["id"].lower(), self.playlists.rows
        taken = None
        if identifier in self.dead:
            taken = "this id was deleted on this feed and cannot be reused; publish under a new id"
        elif identifier in rows:
            taken = "a playlist with this id already exists"
        elif any(row.slug == document["slug"] for row in rows.values()):
            taken = "a playlist with this slug already exists"
        if taken:
            raise RefusalError(409, "conflict", taken)

    @override
    async def _replace(self, request: Request, key: str) -> Answer:
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
        _check_same(row, document)
        check_owner_set(row.document, document)
        check_signatures(document)
        check_signed_by_owner(row.document, document)
        check_intent("replace", row.document, intent, now, document)
        signed = self._signed(document, format_time(now, fraction=False))
        check_storable(signed)
        row.document = signed
        return _json(200, signed)

    @override
    async def _delete(self, request: Request, key: str) -> Answer:
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
        entry = self.settings.key.entry(document, "feed", moment)
        others = [
            other for other in document["signatures"] if other["kid"] != entry["kid"]
        ]
        return document | {"signatures": [*others, entry]}


def _check_same(row: Row, document: Mapping[str, Any]) -> None:
    """Refuse a document with another id, slug or time than the stored one."""
    stored = row.document
    for name in ("id", "slug"):
        if document[name] != stored[name]:
            raise bad_request(
                f"signed document does not match the stored resource: {name}"
            )
    if parse_time(document["created"]) != parse_time(stored["created"]):
        raise bad_request("signed document does not match the stored resource: created")


def _cursor(place: int, state: str) -> str:
    text = json.dumps({"p": place, "s": state}).encode()
    return base64.urlsafe_b64encode(text).decode().rstrip("=")


def _place(cursor: str, state: str) -> int:
    """Return the place that a cursor names; one of another container or an older state is refused."""
    try:
        read = json.loads(read_base64url(cursor) or b"")
        if read["s"] == state:
            return int(read["p"])
    except ValueError, KeyError, TypeError:
        pass
    raise bad_request("invalid cursor")
