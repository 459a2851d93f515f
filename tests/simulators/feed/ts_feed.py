"""The TypeScript feed: a secret admits a client, identity and signature are always the feed's own."""

import base64
from binascii import Error as Base64Error
from collections.abc import Awaitable, Callable, Sequence
import json
import math
import re
from typing import Any

from .exchange import Answer, RefusalError, Request, compact
from .settings import Settings
from .signing import Document
from .text import is_uuid
from .ts_store import Store
from .ts_writer import FIELDS, ITEM_FIELDS, TsWriter, in_order

_ROUTES: tuple[tuple[str, str, str], ...] = (
    ("GET", "/api/v1", "info"),
    ("GET", "/api/v1/health", "health"),
    ("GET", "/api/v1/(playlists|channels|playlist-groups)", "list"),
    ("POST", "/api/v1/(playlists|channels|playlist-groups)", "create"),
    ("GET", "/api/v1/(playlists|channels|playlist-groups)/([^/]+)", "get"),
    ("PUT", "/api/v1/(playlists|channels|playlist-groups)/([^/]+)", "replace"),
    ("PATCH", "/api/v1/(playlists|channels|playlist-groups)/([^/]+)", "update"),
    ("DELETE", "/api/v1/(playlists|channels|playlist-groups)/([^/]+)", "delete"),
    ("GET", "/api/v1/playlist-items", "list_items"),
    ("GET", "/api/v1/playlist-items/([^/]+)", "get_item"),
)
_ENDPOINTS = [
    *(f"GET /api/v1{path}" for path in ("", "/health")),
    *(
        f"{method} /api/v1/{kind}{tail}"
        for kind in ("playlists", "channels")
        for method, tail in (
            ("GET", ""),
            ("POST", ""),
            ("GET", "/:id"),
            ("PUT", "/:id"),
            ("PATCH", "/:id"),
            ("DELETE", "/:id"),
        )
    ),
    "GET /api/v1/playlist-items",
    "GET /api/v1/playlist-items/:id",
    "POST /queues/process-message",
    "POST /queues/process-batch",
]
_CORS = {
    "access-control-allow-headers": "Authorization, Content-Type",
    "access-control-allow-methods": "GET, POST, PUT, PATCH, DELETE, OPTIONS",
    "access-control-allow-origin": "*",
}
_REQUIRED = {
    "playlist": ("dpVersion", "title", "items"),
    "channel": ("title", "playlists"),
}
_PROTECTED = ("id", "slug", "created", "signature")


def is_identifier(text: str) -> bool:
    """Return whether a text has the form of an id or a slug."""
    return re.fullmatch("[a-zA-Z0-9-]+", text) is not None


def _missing(kind: str, fields: Document) -> list[str]:
    """Return what a new document, or an item of it, lacks."""
    faults = [f"{name}: Required" for name in _REQUIRED[kind] if name not in fields]
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
    """Return an answer of JSON."""
    return Answer(status, compact(value), {"content-type": "application/json"}, value)


def _limit(text: str) -> float:
    """Return the size of a page as JavaScript's parseInt parses it; an invalid number sets no limit."""
    found = re.match(r"\s*([+-]?[0-9]+)", text or "100")
    if found is None:
        return math.inf
    limit = int(found[1])
    if not 1 <= limit <= 100:
        raise RefusalError(400, "invalid_limit", "Limit must be between 1 and 100")
    return limit


def _page(
    name: str, entries: Sequence[tuple[str, Document]], request: Request
) -> Answer:
    """Return a page of entries with their sort keys; an invalid cursor starts at the beginning."""
    limit = _limit(request.query.get("limit", ""))
    direction = "desc" if request.query.get("sort", "").lower() == "desc" else "asc"
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
    page = ordered[: len(ordered) if limit == math.inf else int(limit)]
    value: Document = {"items": [document for _, document in page]}
    if more := len(page) == limit:
        value["cursor"] = base64.b64encode(f"{prefix}{page[-1][0]}".encode()).decode()
    return _json(200, value | {"hasMore": more})


class TsFeed:
    """The TypeScript feed."""

    def __init__(self, settings: Settings) -> None:
        """Initialize an empty store."""
        self.settings = settings
        self.store = Store(settings)
        self.writer = TsWriter(settings, self.store)
        self._answered = 0

    async def handle(self, request: Request) -> Answer:
        """Answer one request."""
        method = "GET" if request.method == "HEAD" else request.method
        if method == "OPTIONS":
            answer = Answer(204, headers={"content-type": "text/plain; charset=UTF-8"})
        else:
            try:
                self._authorise(request)
                answer = await self._route(method, request)
            except RefusalError as err:
                answer = _json(err.status, err.body)
                answer.value = None
            answer.headers |= _CORS
        self._answered += 1
        answer.headers["x-request-id"] = self.settings.new_id()
        answer.headers["x-response-time"] = f"{self._answered % 10}.00ms"
        return answer

    async def _route(self, method: str, request: Request) -> Answer:
        """Return the handler."""
        for verb, expression, name in _ROUTES:
            if verb == method and (found := re.fullmatch(expression, request.path)):
                handler: Callable[..., Awaitable[Answer]] = getattr(self, f"_{name}")
                return await handler(request, *found.groups())
        raise RefusalError(
            404,
            "not_found",
            "The requested resource was not found",
            extra={"available_endpoints": _ENDPOINTS},
        )

    def _authorise(self, request: Request) -> None:
        """Admit a write with the secret, and with JSON as its type."""
        if request.method not in ("POST", "PUT", "PATCH", "DELETE"):
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

    def _is_async(self, request: Request) -> bool:
        """Return whether the write is to be queued."""
        wishes = request.headers.get("prefer", "").lower().split(",")
        return self.settings.always_async or any(
            wish.strip().startswith("respond-async") for wish in wishes
        )

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

    async def _health(self, request: Request) -> Answer:
        """Return the health."""
        return _json(
            200,
            {
                "status": "healthy",
                "timestamp": self.store.now(),
                "version": "1.0.0",
                "environment": "development",
                "runtime": "node.js",
            },
        )

    async def _list(self, request: Request, segment: str) -> Answer:
        """Return a page of playlists or channels."""
        if _kind(segment) == "channel":
            return _page(
                "playlist-groups/playlist-group", self.store.entries("channel"), request
            )
        channel = request.query.get("channel") or request.query.get("playlist-group")
        return _page(
            "playlists/playlist", self.store.entries("playlist", channel), request
        )

    async def _list_items(self, request: Request) -> Answer:
        """Return a page of playlist items."""
        _limit(request.query.get("limit", ""))
        channel = request.query.get("channel") or request.query.get("playlist-group")
        if channel and not is_identifier(channel):
            raise RefusalError(
                400, "invalid_channel_id", "Channel ID must be a valid UUID or slug"
            )
        return _page(
            "playlist-items/playlist-item", self.store.item_entries(channel), request
        )

    async def _get(self, request: Request, segment: str, key: str) -> Answer:
        """Return one document."""
        return _json(200, self._find(_kind(segment), key))

    async def _get_item(self, request: Request, key: str) -> Answer:
        """Return one playlist item."""
        if not is_uuid(key):
            raise RefusalError(
                400, "invalid_id", "Playlist item ID must be a valid UUID"
            )
        for _, item in self.store.item_entries(None):
            if item["id"] == key:
                return _json(200, item)
        raise RefusalError(404, "not_found", "Playlist item not found")

    def _find(self, kind: str, key: str) -> Document:
        """Return a stored document, or the refusal."""
        self._check_identifier(kind, key)
        if (document := self.store.find(kind, key)) is None:
            raise RefusalError(404, "not_found", f"{kind.title()} not found")
        return document

    def _check_identifier(self, kind: str, key: str) -> None:
        """Refuse what has the form of neither an id nor a slug."""
        if not is_identifier(key):
            what = f"{kind.title()} ID must be a valid UUID or slug (alphanumeric with hyphens)"
            raise RefusalError(400, "invalid_id", what)

    def _read_body(
        self, request: Request, kind: str, *, update: bool = False
    ) -> Document:
        """Return the fields of a body."""
        try:
            body = json.loads(request.body)
        except (ValueError, RecursionError) as err:
            raise RefusalError(
                400, "invalid_json", "Request body must be valid JSON"
            ) from err
        if update:
            if not isinstance(body, dict | list):
                raise RefusalError(
                    400, "invalid_json", "Request body must be valid JSON"
                )
            if touched := [
                name for name in _PROTECTED if name in body and isinstance(body, dict)
            ]:
                what = f"Cannot update protected fields: {', '.join(touched)}. Protected fields are read-only."
                raise RefusalError(400, "protected_fields", what)
        if len(body.get("items", ()) if isinstance(body, dict) else ()) > 1024:
            what = "items: Array must contain at most 1024 element(s)"
            raise RefusalError(400, "validation_error", f"Invalid {kind} data: {what}")
        kept = in_order(body, FIELDS[kind]) if isinstance(body, dict) else {}
        if "items" in kept:
            kept["items"] = [in_order(item, ITEM_FIELDS) for item in kept["items"]]
        faults = [] if update else _missing(kind, kept)
        if faults:
            raise RefusalError(
                400, "validation_error", f"Invalid {kind} data: {'; '.join(faults)}"
            )
        return kept

    async def _create(self, request: Request, segment: str) -> Answer:
        """Store or queue a new document."""
        kind = _kind(segment)
        document = self.writer.create(kind, self._read_body(request, kind))
        return await self._save(request, kind, document, 201)

    async def _replace(self, request: Request, segment: str, key: str) -> Answer:
        """Replace a document."""
        kind = _kind(segment)
        self._check_identifier(kind, key)
        fields = self._read_body(request, kind)
        return await self._save(
            request, kind, self.writer.replace(kind, self._find(kind, key), fields), 200
        )

    async def _update(self, request: Request, segment: str, key: str) -> Answer:
        """Change some fields of a document."""
        kind = _kind(segment)
        self._check_identifier(kind, key)
        fields = self._read_body(request, kind, update=True)
        return await self._save(
            request, kind, self.writer.update(kind, self._find(kind, key), fields), 200
        )

    async def _save(
        self, request: Request, kind: str, document: Document, status: int
    ) -> Answer:
        """Store now, or queue and answer 202."""
        if self._is_async(request):
            verb = "create" if status == 201 else "update"
            self.writer.queue(
                f"{verb}_{kind}", {f"{kind}Id": document["id"], kind: document}
            )
            return _json(self.settings.queued_status, document)
        await self.writer.save(kind, document)
        return _json(status, document)

    async def _delete(self, request: Request, segment: str, key: str) -> Answer:
        """Delete a document now, or queue that."""
        kind = _kind(segment)
        if kind == "channel" and not is_identifier(key):
            raise RefusalError(
                400,
                "invalid_identifier",
                "Channel identifier must be a valid UUID or slug",
            )
        identifier = self._find(kind, key)["id"]
        if not self._is_async(request):
            self.store.delete(kind, identifier)
            return Answer(204, headers={"content-type": "text/plain; charset=UTF-8"})
        self.writer.queue(f"delete_{kind}", {f"{kind}Id": identifier})
        if kind == "playlist":
            return _json(202, {"message": "Playlist deletion queued for processing"})
        return _json(
            202,
            {
                "message": "Channel deletion queued successfully",
                "channelId": identifier,
                "status": "queued",
            },
        )
