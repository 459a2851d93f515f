"""The offline cache, which is disabled by default."""

from collections.abc import Awaitable, Callable
from typing import Any

import aiohttp

from .errors import CommandError
from .sources import look
from .tasks import Tasks

type Json = dict[str, Any]
type Resolve = Callable[[Json], Awaitable[Json]]

_PAGE = 1000


def _error(code: str, message: str, *, retryable: bool = False) -> Json:
    return {
        "ok": False,
        "error": {"code": code, "message": message, "retryable": retryable},
    }


DISABLED = _error("disabled", "this is switched off")


class OfflineCache:
    """Works that were downloaded.

    Attributes:
        enabled: whether the cache is enabled.
        playlists: documents that were downloaded, by URL.
        entries: state of each work, by source.
        on_entry: called when a state has changed.
    """

    def __init__(self, tasks: Tasks) -> None:
        """Initialize an empty cache."""
        self._tasks = tasks
        self.session: aiohttp.ClientSession | None = None
        self.enabled = False
        self.playlists: dict[str, Json] = {}
        self.entries: dict[str, Json] = {}
        self.on_entry: Callable[[Json], None] = lambda entry: None

    @property
    def ready(self) -> set[str]:
        """Return the sources that can be shown without a network."""
        return {
            source
            for source, entry in self.entries.items()
            if entry["state"] == "ready"
        }

    async def download(self, request: Json | None, resolve: Resolve) -> Json:
        """Download all works of a playlist (``downloadPlaylist``)."""
        request = request or {}
        if not self.enabled:
            return dict(DISABLED)
        try:
            document = await resolve(request)
        except CommandError:
            return _error("resolve_failed", "no playlist", retryable=True)
        items = document.get("items") or []
        sources = [item["source"] for item in items if isinstance(item, dict)]
        queued = [source for source in sources if source not in self.ready]
        for source in queued:
            self._set(source, "queued", 0)
            self._tasks.start(self._load(source))
        if isinstance(request.get("playlistUrl"), str):
            self.playlists[request["playlistUrl"]] = document
        return {
            "ok": True,
            "status": "queued",
            "total": len(sources),
            "queuedCount": len(queued),
        }

    async def _load(self, source: str) -> None:
        self._set(source, "downloading", 50)
        status = (await look(self.session, source))[0] if self.session else 0
        if 200 <= status < 300:
            self._set(source, "ready", 100)
        else:
            self._set(source, "broken_online" if status >= 400 else "failed", 0)

    def _set(self, source: str, state: str, percent: int) -> None:
        """Set and announce the state of a work."""
        entry = {"source": source, "state": state, "percent": percent}
        self.entries[source] = entry
        self.on_entry(entry)

    def status(self, request: Json | None) -> Json:
        """Return a page of the states of all works (``getOfflineCacheStatus``)."""
        if not self.enabled:
            return dict(DISABLED)
        start = int((request or {}).get("cursor", 0))
        end = start + _PAGE
        entries = list(self.entries.values())
        totals = {"items": len(entries), "ready": len(self.ready)}
        found: Json = {"ok": True, "items": entries[start:end], "totals": totals}
        if end < len(entries):
            found |= {"truncated": True, "nextCursor": str(end)}
        return found
