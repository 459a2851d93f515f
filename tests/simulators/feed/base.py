"""What all families of feeds have in common: their routes, and how they are read."""

from collections.abc import Callable, Iterable
import hashlib
import json
from pathlib import Path
import re
from typing import Any

from .exchange import Answer, RefusalError, Request, compact
from .settings import Settings
from .signing import Document
from .store import Row, Table, behind, read_cursor, write_cursor

INFO: dict[str, Document] = json.loads(
    Path(__file__).with_name("info.json").read_text("utf-8")
)
_KINDS = "playlists|playlist-groups|channels"
_ROUTES: tuple[tuple[str, str, str], ...] = (
    ("GET", r"/api/v1", "info"),
    ("GET", rf"/api/v1/({_KINDS})", "list"),
    ("GET", rf"/api/v1/({_KINDS})/([^/]+)", "get"),
    ("POST", r"/api/v1/playlists", "create"),
    ("PUT", r"/api/v1/playlists/([^/]+)", "replace"),
    ("DELETE", r"/api/v1/playlists/([^/]+)", "delete"),
)
REQUIRED = ("dpVersion", "title", "items")
LIMIT = 100


class Feed:
    """A feed."""

    def __init__(self, settings: Settings, *, exact: bool = False) -> None:
        """Initialize empty tables."""
        self.settings = settings
        self.playlists = Table(exact=exact)
        self.channels = Table(exact=exact)
        self.groups = Table(exact=exact)

    def table(self, kind: str) -> Table:
        """Return the table of a kind of documents, as it is named in a path."""
        return {"playlists": self.playlists, "channels": self.channels}.get(
            kind, self.groups
        )

    def handle(self, request: Request) -> Answer:
        """Answer a request; whatever is not on a route is not found."""
        try:
            for verb, expression, name in _ROUTES:
                match = re.fullmatch(expression, request.path)
                handler: Callable[..., Answer] | None = getattr(self, f"_{name}", None)
                if match and verb == request.method and handler:
                    return handler(request, *match.groups())
            return self._elsewhere()
        except RefusalError as err:
            return err.answer

    def _elsewhere(self) -> Answer:
        raise RefusalError(404, "not_found", "no such endpoint")

    def _list(self, request: Request, kind: str) -> Answer:
        """Return a page of playlists, groups or channels."""
        limit = min(int(request.query.get("limit") or LIMIT), LIMIT)
        descending = request.query.get("sort") == "desc"
        number: int | None = None
        if cursor := request.query.get("cursor"):
            match read_cursor(cursor):
                case [int(place)]:
                    number = place
                case _:
                    self._refuse_cursor()
        rows = behind(self._rows(request, kind), number, descending=descending)
        page = rows[:limit]
        more = self._has_more(rows, limit)
        return self._page(page, write_cursor(page[-1].number) if more else "")

    def _refuse_cursor(self) -> None:
        """Refuse what is no cursor of this feed."""

    def _has_more(self, rows: list[Row], limit: int) -> bool:
        return len(rows) > limit

    def _page(self, rows: Iterable[Row], cursor: str) -> Answer:
        value: Document = {"items": [row.document for row in rows]}
        if cursor:
            value["cursor"] = cursor
        return Answer.json(200, value | {"hasMore": bool(cursor)})

    def _rows(self, request: Request, kind: str) -> Iterable[Row]:
        """Return the rows of a list: all, or the members of what the query names."""
        rows = self.table(kind).rows
        owner, is_named = self._owner(request)
        if kind != "playlists" or not is_named:
            return rows.values()
        members = dict.fromkeys(owner.members if owner else ())
        return [rows[key] for key in members if key in rows]

    def _owner(self, request: Request) -> tuple[Row | None, bool]:
        """Return the channel or group that a query names, and whether it names any."""
        channel = request.query.get("channel", "").strip()
        group = request.query.get("playlist-group", "").strip()
        owner = self.channels.find(channel) if channel else self.groups.find(group)
        return owner, bool(channel or group)

    def _get(self, request: Request, kind: str, key: str) -> Answer:
        """Return one document with its ETag, or 304 when the client has it."""
        row = self.table(kind).get(key)
        answer = Answer.json(200, row.document)
        tag = f'"{hashlib.sha256(compact(self._tagged(row))).hexdigest()}"'
        if request.headers.get("if-none-match", "").removeprefix("W/") == tag:
            answer = Answer(304)
        answer.headers["Etag"] = tag
        return answer

    def _tagged(self, row: Row) -> Any:
        """Return what the ETag of a document stands for."""
        return row.document
