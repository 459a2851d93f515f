"""How the Go feed creates, checks and signs documents."""

from collections.abc import Mapping
from typing import Any

from .exchange import RefusalError
from .go_store import Row, Table, check_storable, database_error
from .members import MEMBERS, known
from .settings import Settings
from .signing import Document, plain_numbers, verify
from .text import format_time, make_slug, parse_time, parse_uuid

_DEFAULT_NAME = {
    "playlists": "playlist",
    "playlist-groups": "group",
    "channels": "channel",
}
_SIGNER = {
    "playlists": "curator",
    "playlist-groups": "curator",
    "channels": "publisher",
}
_BEHIND_SIGNATURES = ("note", "curators", "summary", "coverImage", "dynamicQuery")
_ORDER = {
    "playlists": (
        "dpVersion",
        "id",
        "title",
        "slug",
        "created",
        "defaults",
        "items",
        *_BEHIND_SIGNATURES,
    ),
    "playlist-groups": (
        "id",
        "slug",
        "title",
        "curator",
        "summary",
        "playlists",
        "created",
        "coverImage",
    ),
    "channels": (
        "id",
        "slug",
        "title",
        "version",
        "created",
        "playlists",
        "curators",
        "publisher",
        "summary",
        "coverImage",
    ),
}
_KEPT_EMPTY = ("title", "defaults", "note", "publisher", "dynamicQuery")


def _owners(kind: str, fields: Mapping[str, Any]) -> set[str]:
    """Return the keys of which one must have signed."""
    match kind:
        case "playlists":
            return {curator.get("key") for curator in fields["curators"] or ()} - {None}
        case "playlist-groups":
            return {fields["curator"]}
    publisher = fields["publisher"]
    if not publisher or not publisher.get("key"):
        raise database_error(
            "publisher signature verification: document has no publisher"
        )
    return {publisher["key"]}


def _verify(kind: str, document: Document, fields: Mapping[str, Any]) -> None:
    """Refuse invalid signatures, or none by the required signer."""
    failed = [
        entry["kid"] for entry in fields["signatures"] if not verify(document, entry)
    ]
    prefix = f"{_SIGNER[kind]} signature verification"
    if failed:
        reason = (
            f"signature verification failed: failed signatures: [{' '.join(failed)}]"
        )
        raise RefusalError(400, "signature_verification_failed", f"{prefix}: {reason}")
    owners = _owners(kind, fields)
    if not any(entry["kid"] in owners for entry in fields["signatures"]):
        reason = f"no valid {_SIGNER[kind]} signature found"
        raise RefusalError(400, "signature_verification_failed", f"{prefix}: {reason}")


class GoWriter:
    """Writes to the tables of a Go feed."""

    def __init__(self, settings: Settings, tables: dict[str, Table]) -> None:
        """Initialize with the tables."""
        self._settings = settings
        self._tables = tables
        self._playlists = tables["playlists"]

    async def create(self, kind: str, fields: dict[str, Any]) -> Document:
        """Create a document, with the client's identity if it signed, otherwise with a new one."""
        members = await self._members(
            kind, fields["playlists"] if kind != "playlists" else None
        )
        if fields["signatures"]:
            identifier, created = _client_identity(fields, self._settings.now())
        else:
            identifier, created = self._settings.new_id(), self._settings.now()
        document = self._build(kind, fields, identifier, format_time(created))
        signed = self._sign(kind, document, fields, created)
        self._store_remote(members)
        self._tables[kind].insert(signed, list(members))
        return signed

    async def replace(self, kind: str, row: Row, fields: dict[str, Any]) -> Document:
        """Replace a document; id and created stay."""
        members = await self._members(
            kind, fields["playlists"] if kind != "playlists" else None
        )
        created = parse_time(row.document["created"]) or 0
        document = self._build(kind, fields, row.id, format_time(created))
        signed = self._sign(kind, document, fields, self._settings.now())
        check_storable(signed)
        self._store_remote(members)
        row.document = signed
        row.members = list(members)
        return signed

    async def update(self, kind: str, row: Row, fields: dict[str, Any]) -> Document:
        """Change some fields; the client's old signatures are removed, as they are no longer valid."""
        merged = {
            key: row.document.get(key) if value is None else value
            for key, value in fields.items()
        }
        merged["signatures"] = fields["signatures"]
        return await self.replace(kind, row, merged)

    def delete(self, kind: str, row: Row) -> None:
        """Delete a document that no group or channel contains."""
        if kind == "playlists":
            for owners, table in (
                ("playlist-groups", "playlist_group_members"),
                ("channels", "channel_members"),
            ):
                if any(
                    row.id in owner.members
                    for owner in self._tables[owners].rows.values()
                ):
                    raise database_error(
                        'delete playlist: ERROR: update or delete on table "playlists" violates foreign key'
                        f' constraint "{table}_playlist_id_fkey" on table "{table}" (SQLSTATE 23503)'
                    )
        del self._tables[kind].rows[row.id]

    def _build(
        self, kind: str, fields: Mapping[str, Any], identifier: str, created: str
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
                _DEFAULT_NAME[kind],
            ),
            "title": fields["title"] or "",
        }
        match kind:
            case "playlists":
                given["dpVersion"] = (fields["dpVersion"] or "").strip() or "1.1.0"
                given["items"] = [
                    self._with_id(item) for item in fields["items"] or ()
                ] or None
            case "channels":
                given["version"] = (fields["version"] or "").strip() or "1.0.0"
        document: Document = {}
        for key in _ORDER[kind]:
            value = given[key]
            if value or key == "items" or (value is not None and key in _KEPT_EMPTY):
                document[key] = value
        return document

    def _with_id(self, item: Document) -> Document:
        """Return an item with an id."""
        return (
            item
            if item.get("id", "").strip()
            else {"id": self._settings.new_id()} | item
        )

    def _sign(
        self, kind: str, document: Document, fields: Mapping[str, Any], moment: int
    ) -> Document:
        """Return the checked document with the feed's own signature after the client's."""
        try:
            if fields["signatures"]:
                _verify(kind, document, fields)
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
        if kind == "playlists":
            for key in _BEHIND_SIGNATURES:
                if key in signed:
                    signed[key] = signed.pop(key)
        return signed

    async def _members(
        self, kind: str, urls: list[str] | None
    ) -> dict[str, Document | None]:
        """Return the ids of the playlists with these URLs, each with its document if it was fetched."""
        if kind == "playlists":
            return {}
        if not urls:
            raise database_error("playlists must be non-empty")
        return dict([await self._resolve(url.strip()) for url in urls])

    async def _resolve(self, url: str) -> tuple[str, Document | None]:
        """Return one playlist of a group or channel."""
        if (key := self._settings.own_key(url, "/api/v1/playlists/")) is not None:
            if (row := self._playlists.find(key)) is None:
                raise RefusalError(
                    404, "not_found", f'local playlist "{url}": not found'
                )
            return row.id, None
        try:
            value = await self._settings.fetch(url)
        except OSError as err:
            raise database_error(f'fetch "{url}": get: {err}') from err
        except ValueError as err:
            raise RefusalError(
                400, "validation_error", f'playlist "{url}": {err}'
            ) from err
        document = self._accept_remote(url, value)
        return document["id"], document

    def _accept_remote(self, url: str, value: Any) -> Document:
        """Return a fetched playlist, if it follows the schema."""
        if not isinstance(value, dict) or not isinstance(value.get("items"), list):
            raise RefusalError(400, "validation_error", f'playlist "{url}": invalid')
        document: Document = known(value, MEMBERS["playlists"])
        if isinstance(value.get("signature"), str):
            document["signature"] = value["signature"]
        document.setdefault("title", "")
        identifier = parse_uuid(document.get("id", ""))
        if identifier is None:
            raise database_error(f'playlist "{url}": id: invalid UUID length: 0')
        slug = make_slug(
            document.get("slug", ""), document["title"], identifier, "playlist"
        )
        document["items"] = [self._with_id(item) for item in document["items"]]
        return document | {"id": identifier, "slug": slug}

    def _store_remote(self, members: Mapping[str, Document | None]) -> None:
        """Store the fetched playlists."""
        for identifier, document in members.items():
            if document is None:
                continue
            if row := self._playlists.rows.get(identifier):
                row.document = document
            else:
                self._playlists.insert(document)


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
