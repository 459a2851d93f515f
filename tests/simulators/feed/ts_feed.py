"""The TypeScript feed, as far as it is read; its identities and signatures are always its own."""

import re
from typing import override

from .base import INFO, Feed
from .exchange import Answer, RefusalError, Request
from .settings import Settings
from .store import Row


class TsFeed(Feed):
    """The TypeScript feed."""

    def __init__(self, settings: Settings) -> None:
        """Initialize empty tables; groups are channels here."""
        super().__init__(settings, exact=True)
        self.groups = self.channels

    def _info(self, request: Request) -> Answer:
        return Answer.json(200, INFO["ts"])

    @override
    def _has_more(self, rows: list[Row], limit: int) -> bool:
        """Return whether a page is full, even if nothing comes after it."""
        return len(rows) >= limit

    @override
    def _owner(self, request: Request) -> tuple[Row | None, bool]:
        """Return the channel of an id."""
        query = request.query
        key = query.get("channel") or query.get("playlist-group") or ""
        return self.channels.rows.get(key), bool(key)

    @override
    def _get(self, request: Request, kind: str, key: str) -> Answer:
        """Return one document, without an ETag."""
        if not re.fullmatch("[a-zA-Z0-9-]+", key):
            raise RefusalError(400, "invalid_id", "must be a valid UUID or slug")
        return Answer.json(200, self.table(kind).get(key).document)
