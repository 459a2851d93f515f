"""The TypeScript feed: a secret admits a client, identity and signature are always the feed's own."""

import base64
from binascii import Error as Base64Error
from collections.abc import Awaitable, Callable, Sequence
import json
import re
from typing import Any

from .exchange import Answer, RefusalError, Request, compact
from .settings import Settings
from .signing import Document
from .ts_store import Store
from .ts_writer import FIELDS, ITEM_FIELDS, TsWriter, in_order

_ROUTES: tuple[tuple[str, str, str], ...] = (
    ("GET", "/api/v1", "info"),
    ("GET", "/api/v1/(playlists|channels|playlist-groups)", "list"),
    ("POST", "/api/v1/playlists", "create"),
    ("GET", "/api/v1/(playlists|channels|playlist-groups)/([^/]+)", "get"),
    ("PUT", "/api/v1/playlists/([^/]+)", "replace"),
    ("DELETE", "/api/v1/playlists/([^/]+)", "delete"),
)
_REQUIRED = ("dpVersion", "title", "items")


def is_identifier(text: str) -> bool:
    """Return whether a text has the form of an id or a slug."""
    return re.fullmatch("[a-zA-Z0-9-]+", text) is not None


def _missing(fields: Document) -> list[str]:
    faults = [f"{name}: Required" for name in _REQUIRED if name not in fields]
    for index, item in enumerate(fields.get("items", ())):
        faults += [
            f"items.{index}.{name}: Required"
            for name in ("source", "duration", "license")
            if name not in item
        ]
    return faults


def _kind(segment: str) -> str:
    """Return the kind of documents of a path; groups are channels here."""
    return "playlist" if segment == "playlists" else "channel"


def _json(status: int, value: Any) -> Answer:
    return Answer(status, compact(value), {"content-type": "application/json"}, value)


def _page(
    name: str, entries: Sequence[tuple[str, Document]], request: Request
) -> Answer:
    """Return a page of entries with their sort keys; an invalid cursor starts at the beginning."""
    limit = int(request.query.get("limit", "100"))
    direction = "desc" if request.query.get("sort") == "desc" else "asc"
    prefix = f"dp1/{name}:created:{direction}:"
    ordered = sorted(entries, key=lambda entry: entry[0], reverse=direction == "desc")
    try:
        after = base64.b64decode(
            request.query.get("cursor", ""), validate=True
        ).decode()
    except Base64Error, ValueError:
        after = ""
    if after.startswith(prefix):
        place = after.removeprefix(prefix)
        ordered = [
            entry
            for entry in ordered
            if (entry[0] < place if direction == "desc" else entry[0] > place)
        ]
    page = ordered[:limit]
    value: Document = {"items": [document for _, document in page]}
    if more := len(page) == limit:
        value["cursor"] = base64.b64encode(f"{prefix}{page[-1][0]}".encode()).decode()
    return _json(200, value | {"hasMore": more})


class TsFeed:
    """The TypeScript feed."""

    def __init__(self, settings: Settings) -> None:
        self.settings = settings
        self.store = Store(settings)
        self.writer = TsWriter(settings, self.store)

    async def handle(self, request: Request) -> Answer:
        try:
            self._authorise(request)
            return await self._route(request)
        except RefusalError as err:
            answer = _json(err.status, err.body)
            answer.value = None
            return answer

    async def _route(self, request: Request) -> Answer:
        for verb, expression, name in _ROUTES:
            if verb == request.method and (
                found := re.fullmatch(expression, request.path)
            ):
                handler: Callable[..., Awaitable[Answer]] = getattr(self, f"_{name}")
                return await handler(request, *found.groups())
        raise RefusalError(404, "not_found", "The requested resource was not found")

    def _authorise(self, request: Request) -> None:
        """Admit a write with the secret, and with JSON as its type."""
        if request.method == "GET":
            return
        given = request.headers.get("authorization", "")
        if not given:
            raise RefusalError(
                401,
                "unauthorized",
                "Authorization header is required for write operations",
            )
        token = re.sub(r"^Bearer\s+", "", given)
        if token != self.settings.api_key:
            raise RefusalError(401, "unauthorized", "Invalid credentials")
        if request.method != "DELETE" and "application/json" not in request.headers.get(
            "content-type", ""
        ):
            raise RefusalError(500, "internal_error", "An unexpected error occurred")

    async def _info(self, request: Request) -> Answer:
        """Return the server information."""
        return _json(
            200,
            {
                "name": "DP-1 Feed Operator API",
                "version": "1.0.0",
                "description": "REST interface for creating, updating, and retrieving DP-1 playlists and channels",
                "specification": "DP-1 v1.1.0",
                "openapi": "3.1.0",
                "deployment": "self-hosted",
                "runtime": "node.js",
                "endpoints": {
                    "playlists": "/api/v1/playlists",
                    "channels": "/api/v1/channels",
                    "playlistItems": "/api/v1/playlist-items",
                    "health": "/api/v1/health",
                    "queues": "/queues",
                },
                "documentation": "https://github.com/display-protocol/dp1/blob/main/docs/spec.md",
            },
        )

    async def _list(self, request: Request, segment: str) -> Answer:
        if _kind(segment) == "channel":
            return _page(
                "playlist-groups/playlist-group", self.store.entries("channel"), request
            )
        channel = request.query.get("channel") or request.query.get("playlist-group")
        return _page(
            "playlists/playlist", self.store.entries("playlist", channel), request
        )

    async def _get(self, request: Request, segment: str, key: str) -> Answer:
        return _json(200, self._find(_kind(segment), key))

    def _find(self, kind: str, key: str) -> Document:
        self._check_identifier(kind, key)
        if (document := self.store.find(kind, key)) is None:
            raise RefusalError(404, "not_found", f"{kind.title()} not found")
        return document

    def _check_identifier(self, kind: str, key: str) -> None:
        """Refuse what has the form of neither an id nor a slug."""
        if not is_identifier(key):
            what = f"{kind.title()} ID must be a valid UUID or slug (alphanumeric with hyphens)"
            raise RefusalError(400, "invalid_id", what)

    def _read_body(self, request: Request) -> Document:
        """Return the fields of a body."""
        try:
            body = json.loads(request.body)
        except (ValueError, RecursionError) as err:
            raise RefusalError(
                400, "invalid_json", "Request body must be valid JSON"
            ) from err
        kept = in_order(body, FIELDS) if isinstance(body, dict) else {}
        if "items" in kept:
            kept["items"] = [in_order(item, ITEM_FIELDS) for item in kept["items"]]
        faults = _missing(kept)
        if len(kept.get("items", ())) > 1024:
            faults = ["items: Array must contain at most 1024 element(s)"]
        if faults:
            raise RefusalError(
                400, "validation_error", f"Invalid playlist data: {'; '.join(faults)}"
            )
        return kept

    async def _create(self, request: Request) -> Answer:
        """Store or queue a new playlist."""
        return self._save(self.writer.create(self._read_body(request)), "create")

    async def _replace(self, request: Request, key: str) -> Answer:
        """Replace a playlist."""
        self._check_identifier("playlist", key)
        fields = self._read_body(request)
        old = self._find("playlist", key)
        return self._save(self.writer.replace(old, fields), "update")

    def _save(self, document: Document, verb: str) -> Answer:
        """Store now, or queue and answer 202."""
        if self.settings.always_async:
            self.writer.queue(verb, document)
            return _json(self.settings.queued_status, document)
        self.writer.save(document)
        return _json(201 if verb == "create" else 200, document)

    async def _delete(self, request: Request, key: str) -> Answer:
        """Delete a playlist now, or queue that."""
        document = self._find("playlist", key)
        if not self.settings.always_async:
            self.store.delete(document["id"])
            return Answer(204, headers={"content-type": "text/plain; charset=UTF-8"})
        self.writer.queue("delete", document)
        return _json(202, {"message": "Playlist deletion queued for processing"})
