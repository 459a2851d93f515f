"""The Go feed: accepts client signatures or an API key, signs itself, and answers like the real one."""

from collections.abc import Awaitable, Callable, Iterable
import hashlib
import hmac
import re
from typing import Any

from ..go_json import GoDecodeError, dumps, loads
from .exchange import JSON, JSON_UTF8, Answer, RefusalError, Request
from .go_store import Table, database_error
from .go_writer import GoWriter
from .members import MEMBERS, known
from .settings import Settings
from .signing import Document

_KINDS = "playlists|playlist-groups|channels"
_ROUTES: tuple[tuple[str, str, str], ...] = (
    ("GET", r"/api/v1", "info"),
    ("GET", rf"/api/v1/({_KINDS})", "list"),
    ("GET", rf"/api/v1/({_KINDS})/([^/]+)", "get"),
    ("POST", r"/api/v1/playlists", "create"),
    ("PUT", r"/api/v1/playlists/([^/]+)", "replace"),
    ("DELETE", r"/api/v1/playlists/([^/]+)", "delete"),
)
_REQUIRED = ("dpVersion", "title", "items")
_NO_AUTH = "missing authentication: provide API key or signatures"
_NO_KEY = "invalid or missing API key"
_NO_EXTENSIONS = "DP-1 extensions are disabled on this deployment"


def _match(method: str, path: str) -> tuple[str, tuple[str, ...]] | None:
    """Return the handler of a request and the parts of its path."""
    for verb, expression, name in _ROUTES:
        if verb == method and (found := re.fullmatch(expression, path)):
            return name, found.groups()
    return None


def _json(status: int, value: Any) -> Answer:
    """Return an answer with a document or a page."""
    return Answer(status, dumps(value).encode(), {"Content-Type": JSON_UTF8}, value)


def _one(request: Request, document: Document) -> Answer:
    """Return a single document with its ETag, or 304 when the client has it."""
    answer = _json(200, document)
    tag = f'"{hashlib.sha256(answer.body).hexdigest()}"'
    known = (
        entry.strip().removeprefix("W/")
        for entry in request.headers.get("if-none-match", "").split(",")
    )
    if tag in known:
        return Answer(304, headers={"Etag": tag})
    answer.headers["Etag"] = tag
    return answer


def _page(documents: list[Document], cursor: str) -> Answer:
    return _json(
        200,
        {"items": documents}
        | ({"cursor": cursor} if cursor else {})
        | {"hasMore": bool(cursor)},
    )


def _limit(text: str) -> int:
    """Return the size of a page: 100 unless a smaller positive number is given."""
    return min(int(text or 100), 100)


class GoFeed:
    """The Go feed."""

    def __init__(self, settings: Settings) -> None:
        """Initialize empty tables."""
        self.settings = settings
        self.playlists = Table("playlists", "playlist", settings.now)
        self.groups = Table("playlist_groups", "playlist-group", settings.now)
        self.channels = Table("channels", "channel", settings.now)
        self.tables = {
            "playlists": self.playlists,
            "playlist-groups": self.groups,
            "channels": self.channels,
        }
        self.writer = GoWriter(settings, self.playlists)

    async def handle(self, request: Request) -> Answer:
        try:
            return await self._route(request)
        except RefusalError as err:
            body, kind = (
                (dumps(err.body), JSON_UTF8)
                if err.early
                else (dumps(err.body) + "\n", JSON)
            )
            return Answer(err.status, body.encode(), {"Content-Type": kind})

    async def _route(self, request: Request) -> Answer:
        """Return the handler; anything else is not found."""
        found = _match(request.method, request.path)
        if found is None:
            return Answer.text(404, "404 page not found")
        name, parts = found
        if parts and parts[0] == "channels" and not self.settings.extensions:
            raise RefusalError(404, "extensions_disabled", _NO_EXTENSIONS, early=True)
        handler: Callable[..., Awaitable[Answer]] = getattr(self, f"_{name}")
        return await handler(request, *parts)

    def _check_key(self, request: Request) -> bool:
        """Return whether the key was given; a wrong one is refused."""
        given = request.headers.get("authorization", "")
        if not given:
            return False
        if not hmac.compare_digest(
            given.encode(), f"Bearer {self.settings.api_key}".encode()
        ):
            raise RefusalError(401, "unauthorized", _NO_KEY, early=True)
        return True

    def _require_key(self, request: Request) -> None:
        if not self._check_key(request):
            raise RefusalError(401, "unauthorized", _NO_KEY, early=True)

    def _read_body(self, request: Request) -> dict[str, Any]:
        """Return the members of a body, with the required ones."""
        try:
            value = loads(request.body)
        except GoDecodeError as err:
            raise RefusalError(400, "bad_request", str(err)) from err
        if not isinstance(value, dict):
            raise RefusalError(400, "bad_request", "json: cannot unmarshal")
        fields: dict[str, Any] = dict.fromkeys(MEMBERS["playlists"])
        fields |= {
            name: known(entry, MEMBERS["playlists"][name])
            for name, entry in value.items()
            if name in MEMBERS["playlists"]
        }
        missing = [key for key in _REQUIRED if fields[key] in (None, "")]
        if missing:
            titled = [
                "DPVersion" if key == "dpVersion" else key.title() for key in missing
            ]
            lines = [
                f"Key: '{key}' Error:Field validation for '{key}' failed on the 'required' tag"
                for key in titled
            ]
            raise RefusalError(400, "bad_request", "\n".join(lines))
        return fields

    def _authorise(self, request: Request) -> None:
        """Admit a write with the key, or with signatures in the body."""
        if self._check_key(request):
            return
        try:
            signatures = loads(request.body, whole=True).get("signatures")
        except AttributeError, GoDecodeError:
            signatures = None
        if not signatures:
            raise RefusalError(401, "unauthorized", _NO_AUTH, early=True)

    async def _info(self, request: Request) -> Answer:
        """Return the server information."""
        return _json(
            200,
            {
                "deployment": "self-hosted",
                "description": "REST API for DP-1 playlists, playlist-groups, and channels",
                "documentation": "https://github.com/display-protocol/dp1",
                "endpoints": {
                    "channels": "/api/v1/channels",
                    "health": "/api/v1/health",
                    "playlistGroups": "/api/v1/playlist-groups",
                    "playlistItems": "/api/v1/playlist-items",
                    "playlists": "/api/v1/playlists",
                    "registry": "/api/v1/registry/channels",
                },
                "extensionsEnabled": self.settings.extensions,
                "name": "DP-1 Feed Operator API",
                "openapi": "3.1.0",
                "runtime": "go",
                "specification": "DP-1 v1.1.0+",
                "version": "0.1.0",
            },
        )

    async def _list(self, request: Request, kind: str) -> Answer:
        """Return a page of playlists, groups or channels."""
        limit = _limit(request.query.get("limit", ""))
        descending = request.query.get("sort") == "desc"
        rows = (
            self._members(request)
            if kind == "playlists"
            else self.tables[kind].rows.values()
        )
        cursor = request.query.get("cursor", "")
        return _page(
            *self.tables[kind].page(rows, limit, cursor, descending=descending)
        )

    def _members(self, request: Request) -> Iterable[Any]:
        """Return the playlists that the filters let through."""
        channel = request.query.get("channel", "").strip()
        group = request.query.get("playlist-group", "").strip()
        if channel and not self.settings.extensions:
            raise RefusalError(404, "extensions_disabled", _NO_EXTENSIONS)
        if not channel and not group:
            return self.playlists.rows.values()
        owner = self.channels.find(channel) if channel else self.groups.find(group)
        members = set(owner.members) if owner else set()
        return [row for row in self.playlists.rows.values() if row.id in members]

    async def _get(self, request: Request, kind: str, key: str) -> Answer:
        return _one(request, self.tables[kind].get(key).document)

    async def _create(self, request: Request) -> Answer:
        self._authorise(request)
        return _json(201, self.writer.create(self._read_body(request)))

    async def _replace(self, request: Request, key: str) -> Answer:
        self._authorise(request)
        fields = self._read_body(request)
        return _json(200, self.writer.replace(self.playlists.get(key), fields))

    async def _delete(self, request: Request, key: str) -> Answer:
        """Delete a playlist."""
        self._require_key(request)
        row = self.playlists.get(key)
        for owners, table in (
            (self.groups, "playlist_group_members"),
            (self.channels, "channel_members"),
        ):
            if any(row.id in owner.members for owner in owners.rows.values()):
                raise database_error(
                    'delete playlist: ERROR: update or delete on table "playlists" violates foreign key'
                    f' constraint "{table}_playlist_id_fkey" on table "{table}" (SQLSTATE 23503)'
                )
        del self.playlists.rows[row.id]
        return Answer(204)
