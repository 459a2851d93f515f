"""The Go feed: accepts client signatures or an API key, signs itself, and answers like the real one."""

from collections.abc import Mapping
import json
from typing import Any, override

from .base import INFO, REQUIRED, Feed
from .exchange import Answer, RefusalError, Request
from .members import MEMBERS, known
from .signing import Document, plain_numbers, verify
from .store import Row, has_repeated_ids
from .text import format_time, is_uuid, make_slug, parse_time

_BEHIND_SIGNATURES = ("note", "curators", "summary", "coverImage", "dynamicQuery")
_ORDER = (
    *("dpVersion", "id", "title", "slug", "created", "defaults", "items"),
    *_BEHIND_SIGNATURES,
)
_KEPT_EMPTY = ("title", "defaults", "note", "dynamicQuery", "items")
_NO_AUTH = "missing authentication: provide API key or signatures"
_NO_KEY = "invalid or missing API key"
_NO_EXTENSIONS = "DP-1 extensions are disabled on this deployment"


def database_error(message: str) -> RefusalError:
    return RefusalError(500, "internal_error", message)


def duplicate(constraint: str) -> RefusalError:
    return database_error(
        "store: ERROR: duplicate key value violates unique constraint"
        f' "{constraint}" (SQLSTATE 23505)'
    )


class GoFeed(Feed):
    """The Go feed."""

    def _info(self, request: Request) -> Answer:
        extensions = {"extensionsEnabled": self.settings.extensions}
        return Answer.json(200, INFO["v2"] | extensions)

    @override
    def _elsewhere(self) -> Answer:
        return Answer(404, b"404 page not found", {"Content-Type": "text/plain"})

    @override
    def _list(self, request: Request, kind: str) -> Answer:
        self._check_extensions(kind == "channels" or "channel" in request.query)
        return super()._list(request, kind)

    @override
    def _get(self, request: Request, kind: str, key: str) -> Answer:
        self._check_extensions(kind == "channels")
        return super()._get(request, kind, key)

    def _check_extensions(self, is_needed: bool) -> None:
        if is_needed and not self.settings.extensions:
            raise RefusalError(404, "extensions_disabled", _NO_EXTENSIONS)

    @override
    def _refuse_cursor(self) -> None:
        """Fail, as this feed does."""
        raise database_error("cursor: illegal base64 data")

    def _has_key(self, request: Request) -> bool:
        """Return whether the key was given; a wrong one is refused."""
        key = request.headers.get("authorization", "")
        if key not in ("", f"Bearer {self.settings.api_key}"):
            raise RefusalError(401, "unauthorized", _NO_KEY)
        return bool(key)

    def _fields(self, request: Request) -> dict[str, Any]:
        """Return the members of a body that this feed has a place for, if it may write."""
        has_key = self._has_key(request)
        try:
            body = json.loads(request.body)
        except ValueError as err:
            raise RefusalError(400, "bad_request", "unexpected EOF") from err
        if not has_key and not body.get("signatures"):
            raise RefusalError(401, "unauthorized", _NO_AUTH)
        members = MEMBERS["playlists"]
        fields: Document = dict.fromkeys(members) | {
            name: known(body[name], inner)
            for name, inner in members.items()
            if name in body
        }
        if missing := [name for name in REQUIRED if fields[name] in (None, "")]:
            raise RefusalError(400, "bad_request", f"Key: '{missing[0]}' is required")
        return fields

    def _create(self, request: Request) -> Answer:
        """Create a playlist, with the client's identity if it signed, otherwise with a new one."""
        fields = self._fields(request)
        created = self.settings.now()
        key = self.settings.new_id()
        if fields["signatures"]:
            key, created = _client_identity(fields, created)
        document = self._signed(self._built(fields, key, created), fields, created)
        if column := self.playlists.taken(document):
            raise duplicate(f"playlists_{'pkey' if column == 'id' else 'slug_key'}")
        self.playlists.put(document)
        return Answer.json(201, document)

    def _replace(self, request: Request, key: str) -> Answer:
        """Replace a playlist; id and created stay."""
        fields = self._fields(request)
        row = self.playlists.get(key)
        created = parse_time(row.document["created"]) or 0
        built = self._built(fields, row.id, created)
        row.document = self._signed(built, fields, self.settings.now())
        return Answer.json(200, row.document)

    def _built(self, fields: Document, key: str, created: int) -> Document:
        """Return the document to store, from its typed fields only."""
        values = fields | {
            "id": key,
            "created": format_time(created),
            "slug": make_slug(fields["slug"] or "", fields["title"], key),
            "dpVersion": fields["dpVersion"].strip(),
            "items": [
                item if item.get("id") else {"id": self.settings.new_id()} | item
                for item in fields["items"]
            ],
        }
        return {
            name: values[name]
            for name in _ORDER
            if values[name] or (values[name] is not None and name in _KEPT_EMPTY)
        }

    def _signed(self, document: Document, fields: Document, moment: int) -> Document:
        """Return the checked document with the feed's own signature after the client's."""
        entries = fields["signatures"] or ()
        try:
            if entries:
                _verify(document, fields)
            ts = format_time(moment, fraction=False)
            entry = self.settings.key.entry(document, "feed", ts)
        except ValueError as err:
            raise database_error(f"feed sign: {err}") from err
        if has_repeated_ids(document):
            raise duplicate("playlist_item_index_pkey")
        others = [other for other in entries if other["kid"] != entry["kid"]]
        signed: Document = plain_numbers(document) | {"signatures": [*others, entry]}
        for name in _BEHIND_SIGNATURES:
            if name in signed:
                signed[name] = signed.pop(name)
        return signed

    def _delete(self, request: Request, key: str) -> Answer:
        """Delete a playlist that no group or channel has."""
        if not self._has_key(request):
            raise RefusalError(401, "unauthorized", _NO_KEY)
        row = self.playlists.get(key)
        owners: tuple[Row, ...] = (
            *self.groups.rows.values(),
            *self.channels.rows.values(),
        )
        if any(row.id in owner.members for owner in owners):
            raise database_error(
                'delete playlist: ERROR: update or delete on table "playlists" violates'
                ' foreign key constraint "channel_members_playlist_id_fkey" (SQLSTATE 23503)'
            )
        del self.playlists.rows[row.id]
        return Answer(204)


def _verify(document: Document, fields: Mapping[str, Any]) -> None:
    """Refuse invalid signatures, or none by a curator."""
    entries = fields["signatures"]
    failed = [entry["kid"] for entry in entries if not verify(document, entry)]
    owners = {curator.get("key") for curator in fields["curators"] or ()}
    reason = ""
    if failed:
        reason = f"failed signatures: [{' '.join(failed)}]"
    elif not any(entry["kid"] in owners for entry in entries):
        reason = "no valid curator signature found"
    if reason:
        raise RefusalError(400, "signature_verification_failed", reason)


def _client_identity(fields: Document, now: int) -> tuple[str, int]:
    """Return id and time of a document that its author signed."""
    key = fields["id"] or ""
    if not is_uuid(key):
        raise RefusalError(400, "invalid_id", "invalid id: must be a valid UUID")
    created = parse_time(fields["created"] or "")
    if created is None or created > now:
        problem = "invalid timestamp: cannot be in the future"
        raise RefusalError(400, "invalid_timestamp", problem)
    return key.lower(), created
