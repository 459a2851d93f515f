"""How the Go feed creates, checks and signs documents."""

from collections.abc import Mapping
from typing import Any

from .exchange import RefusalError
from .go_store import Row, Table, check_storable, database_error
from .settings import Settings
from .signing import Document, plain_numbers, verify
from .text import format_time, make_slug, parse_time, parse_uuid

_BEHIND_SIGNATURES = ("note", "curators", "summary", "coverImage", "dynamicQuery")
_ORDER = (
    *("dpVersion", "id", "title", "slug", "created", "defaults", "items"),
    *_BEHIND_SIGNATURES,
)
_KEPT_EMPTY = ("title", "defaults", "note", "dynamicQuery")


def _verify(document: Document, fields: Mapping[str, Any]) -> None:
    """Refuse invalid signatures, or none by a curator."""
    failed = [
        entry["kid"] for entry in fields["signatures"] if not verify(document, entry)
    ]
    owners = {curator.get("key") for curator in fields["curators"] or ()} - {None}
    reason = ""
    if failed:
        reason = (
            f"signature verification failed: failed signatures: [{' '.join(failed)}]"
        )
    elif not any(entry["kid"] in owners for entry in fields["signatures"]):
        reason = "no valid curator signature found"
    if reason:
        raise RefusalError(
            400,
            "signature_verification_failed",
            f"curator signature verification: {reason}",
        )


class GoWriter:
    """Writes to the tables of a Go feed."""

    def __init__(self, settings: Settings, playlists: Table) -> None:
        self._settings = settings
        self._playlists = playlists

    def create(self, fields: dict[str, Any]) -> Document:
        """Create a playlist, with the client's identity if it signed, otherwise with a new one."""
        if fields["signatures"]:
            identifier, created = _client_identity(fields, self._settings.now())
        else:
            identifier, created = self._settings.new_id(), self._settings.now()
        document = self._build(fields, identifier, format_time(created))
        signed = self._sign(document, fields, created)
        self._playlists.insert(signed)
        return signed

    def replace(self, row: Row, fields: dict[str, Any]) -> Document:
        """Replace a playlist; id and created stay."""
        created = parse_time(row.document["created"]) or 0
        document = self._build(fields, row.id, format_time(created))
        signed = self._sign(document, fields, self._settings.now())
        check_storable(signed)
        row.document = signed
        return signed

    def _build(
        self, fields: Mapping[str, Any], identifier: str, created: str
    ) -> Document:
        """Return the document to store, from its typed fields only."""
        given = dict(fields)
        given |= {
            "id": identifier,
            "created": created,
            "slug": make_slug(
                fields["slug"] or "",
                fields["title"] or "",
                identifier,
                "playlist",
            ),
            "title": fields["title"] or "",
        }
        given["dpVersion"] = (fields["dpVersion"] or "").strip() or "1.1.0"
        given["items"] = [self._with_id(item) for item in fields["items"] or ()] or None
        document: Document = {}
        for key in _ORDER:
            value = given[key]
            if value or key == "items" or (value is not None and key in _KEPT_EMPTY):
                document[key] = value
        return document

    def _with_id(self, item: Document) -> Document:
        return (
            item
            if item.get("id", "").strip()
            else {"id": self._settings.new_id()} | item
        )

    def _sign(
        self, document: Document, fields: Mapping[str, Any], moment: int
    ) -> Document:
        """Return the checked document with the feed's own signature after the client's."""
        try:
            if fields["signatures"]:
                _verify(document, fields)
            entry = self._settings.key.entry(
                document, "feed", format_time(moment, fraction=False)
            )
        except ValueError as err:
            raise database_error(f"feed sign: {err}") from err
        others = [
            other
            for other in fields["signatures"] or ()
            if other["kid"] != entry["kid"]
        ]
        signed: Document = plain_numbers(document) | {"signatures": [*others, entry]}
        for key in _BEHIND_SIGNATURES:
            if key in signed:
                signed[key] = signed.pop(key)
        return signed


def _client_identity(fields: Mapping[str, Any], now: int) -> tuple[str, int]:
    """Return id and time of a document that its author signed."""
    identifier = parse_uuid(fields["id"] or "")
    if identifier is None:
        reason = (
            f"invalid UUID length: {len(fields['id'])}"
            if fields["id"]
            else "id is required"
        )
        raise RefusalError(
            400, "invalid_id", f"invalid id: must be a valid UUID: {reason}"
        )
    return identifier, _client_time(fields["created"] or "", now)


def _client_time(text: str, now: int) -> int:
    """Return the time in a document."""
    problem = "invalid timestamp: cannot be in the future"
    if not text:
        reason = f"{problem}: created is required for signature-based authentication"
        raise RefusalError(400, "invalid_timestamp", reason)
    created = parse_time(text)
    if created is None:
        reason = f'{problem}: must be RFC3339 format: parsing time "{text}" as "2006-01-02T15:04:05Z07:00"'
        raise RefusalError(400, "invalid_timestamp", reason)
    if created > now:
        raise RefusalError(400, "invalid_timestamp", problem)
    return created
