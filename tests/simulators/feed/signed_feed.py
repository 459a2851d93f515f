"""The Go feed of 2026: no API keys, every write needs signatures, and a deleted id cannot be used again."""

import base64
from collections.abc import Mapping
import hashlib
import ipaddress
import json
from typing import Any, override
from urllib.parse import urlsplit

from ..go_json import dumps
from .exchange import JSON, Answer, RefusalError, Request
from .go_feed import GoFeed, _descending, _json, _limit, _match, _one, _page
from .go_store import Row, check_storable
from .settings import Settings
from .signed_rules import (
    SINGULAR,
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
_MOST_MEMBERS, _LONGEST_URI = 1000, 2048


def too_large() -> Answer:
    """Return the answer to a body that is not read."""
    body = dumps({"error": "payload_too_large", "message": "request body too large"})
    return Answer(413, body.encode(), {"Content-Type": JSON, "Connection": "close"})


class SignedFeed(GoFeed):
    """The signed feed."""

    def __init__(self, settings: Settings, version: str = "1.2.0") -> None:
        """Initialize empty tables; version 1.0.0 still reports a registry, and those before 1.2.0 have no content rating."""
        super().__init__(settings)
        self.version = version
        self.dead: dict[str, set[str]] = {kind: set() for kind in SINGULAR}

    def _model(self, kind: str) -> str:
        """Return what the server has a place for in a document."""
        if kind != "playlists":
            return kind
        return "playlists 1.2.0" if self.version == "1.2.0" else "playlists 1.1.0"

    def take_over(self, older: GoFeed) -> None:
        """Take over the tables of the replaced server."""
        self.playlists, self.groups = older.playlists, older.groups
        self.channels, self.tables = older.channels, older.tables

    @override
    async def _route(self, request: Request) -> Answer:
        """Return the handler; anything else is not found, whatever the method."""
        found = _match(request.method, request.path)
        if found is None or found[0] == "update":
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
        descending = _descending(query.get("sort", ""))
        container = query.get("channel", "") or query.get("playlist-group", "")
        curator, publisher = query.get("curator", ""), query.get("publisher", "")
        if kind == "playlists" and container.strip():
            if curator:
                raise bad_request("curator cannot be used with a container filter")
            self._members(request)
            return self._container_page(request, limit, descending)
        rows = [
            row
            for row in table.rows.values()
            if (not curator or curator in _names(row.document))
            and (not publisher or publisher in _publisher(row.document))
        ]
        try:
            cursor = query.get("cursor", "")
            return _page(*table.page(rows, limit, cursor, descending=descending))
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
    async def _create(self, request: Request, kind: str) -> Answer:
        """Create a document that an owner signed."""
        document = read_object(request.body)
        require_signatures(document)
        check_members(document, self._model(kind))
        now = self.settings.now()
        check_document(kind, document, now)
        check_signatures(document)
        check_new_owner(kind, document)
        members = await self._references(kind, document)
        created = format_time(parse_time(document["created"]) or 0, fraction=False)
        signed = self._signed(kind, document, created)
        check_storable(signed)
        self._check_free(kind, document)
        self.tables[kind].insert(signed, members)
        return _json(201, signed)

    def _check_free(self, kind: str, document: Document) -> None:
        """Refuse an id or slug that is used, or an id that was deleted."""
        table, what = self.tables[kind], SINGULAR[kind]
        identifier = document["id"].lower()
        taken = None
        if identifier in self.dead[kind]:
            taken = "this id was deleted on this feed and cannot be reused; publish under a new id"
        elif identifier in table.rows:
            taken = f"a {what} with this id already exists"
        elif any(row.slug == document["slug"] for row in table.rows.values()):
            taken = f"a {what} with this slug already exists"
        if taken:
            raise RefusalError(409, "conflict", taken)

    @override
    async def _replace(self, request: Request, kind: str, key: str) -> Answer:
        """Replace a document, as an owner requests in an intent."""
        envelope = read_object(request.body)
        if not envelope.get("signatures"):
            require_signatures(envelope.get("document"))
            require_signatures(envelope.get("authorization"))
        for name in envelope:
            if name not in ("document", "authorization"):
                raise bad_request(f'json: unknown field "{name}"')
        document, intent = envelope["document"], envelope["authorization"]
        check_members(document, self._model(kind))
        check_members(intent, "intent")
        now = self.settings.now()
        check_document(kind, document, now)
        row = self.tables[kind].get(key)
        _check_same(row, document)
        check_owner_set(kind, row.document, document)
        check_signatures(document)
        check_signed_by_owner(kind, row.document, document)
        check_intent(kind, "replace", row.document, intent, now, document)
        members = await self._references(kind, document)
        signed = self._signed(kind, document, format_time(now, fraction=False))
        check_storable(signed)
        row.document, row.members = signed, members
        return _json(200, signed)

    @override
    async def _delete(self, request: Request, kind: str, key: str) -> Answer:
        """Delete a document permanently, as an owner requests in an intent."""
        intent = read_object(request.body)
        require_signatures(intent)
        check_members(intent, "intent")
        row = self.tables[kind].get(key)
        check_intent(kind, "delete", row.document, intent, self.settings.now(), None)
        del self.tables[kind].rows[row.id]
        self.dead[kind].add(row.id)
        return Answer(204)

    def _signed(self, kind: str, document: Document, moment: str) -> Document:
        """Return the document as it was sent with the feed's own signature behind the others."""
        entry = self.settings.key.entry(document, "feed", moment)
        others = [
            other for other in document["signatures"] if other["kid"] != entry["kid"]
        ]
        return document | {"signatures": [*others, entry]}

    async def _references(self, kind: str, document: Document) -> list[str]:
        """Return the ids of the playlists that a channel or group names."""
        if kind == "playlists":
            return []
        urls = document["playlists"]
        if not 1 <= len(urls) <= _MOST_MEMBERS:
            raise bad_request("playlists must hold 1 to 1000 references")
        if any(len(url) > _LONGEST_URI for url in urls):
            raise bad_request("a reference is too long")
        return [await self._reference(url.strip()) for url in urls]

    async def _reference(self, url: str) -> str:
        """Return the id of a playlist of a channel or group; one from elsewhere is fetched once and stored."""
        key = self.settings.own_key(url, "/api/v1/playlists/")
        if key is not None:
            if (row := self.playlists.find(key)) is None:
                raise RefusalError(
                    404, "not_found", f'local playlist "{url}": not found'
                )
            return row.id
        if _is_private(urlsplit(url).hostname or ""):
            raise bad_request("reference to a private address")
        try:
            document: Document = await self.settings.fetch(url)
        except (OSError, ValueError) as err:
            raise bad_request(f'reference "{url}": {err}') from err
        if not document.get("signatures"):
            raise bad_request(f'reference "{url}": not signed')
        check_signatures(document)
        row = self.playlists.find(document["id"]) or self.playlists.insert(document)
        return row.id


def _names(document: Document) -> set[str]:
    """Return the names and keys by which the filter for curators finds a document."""
    found = {document.get("curator")}
    for person in document.get("curators") or ():
        found |= {person.get("name"), person.get("key")}
    return {name for name in found if name}


def _publisher(document: Document) -> set[str]:
    """Return the name and key of a publisher."""
    return set((document.get("publisher") or {}).values())


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
    """Return a place in a container."""
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


def _is_private(host: str) -> bool:
    """Return whether a host is in a private network."""
    try:
        return not ipaddress.ip_address(host).is_global
    except ValueError:
        return "." not in host or host.endswith((".local", ".internal"))
