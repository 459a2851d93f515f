"""The storage of the TypeScript feed: documents by id and slug, and the playlists that a channel ever listed."""

from collections.abc import Iterator
from datetime import UTC, datetime

from .settings import Settings
from .signing import Document
from .text import is_uuid, parse_time

_MILLI = 1_000_000


def iso(milliseconds: int) -> str:
    """Return a time as JavaScript writes it."""
    moment = datetime.fromtimestamp(milliseconds // 1000, UTC)
    return f"{moment:%Y-%m-%dT%H:%M:%S}.{milliseconds % 1000:03d}Z"


def _place(document: Document) -> str:
    """Return the sort key of a document."""
    return f"{(parse_time(document['created']) or 0) // _MILLI:013d}:{document['id']}"


class Store:
    """Documents by kind."""

    def __init__(self, settings: Settings) -> None:
        """Initialize an empty store."""
        self.documents: dict[str, dict[str, Document]] = {"playlist": {}, "channel": {}}
        self.members: dict[str, dict[str, None]] = {}
        self._settings = settings

    def milliseconds(self) -> int:
        """Return the time in milliseconds since 1970."""
        return self._settings.now() // _MILLI

    def now(self) -> str:
        """Return the time as text."""
        return iso(self.milliseconds())

    def find(self, kind: str, key: str) -> Document | None:
        """Return a document by its id, letter by letter, or by its slug."""
        documents = self.documents[kind]
        if is_uuid(key):
            return documents.get(key)
        return next(
            (document for document in documents.values() if document["slug"] == key),
            None,
        )

    def entries(
        self, kind: str, channel: str | None = None
    ) -> list[tuple[str, Document]]:
        """Return all documents with the keys they are sorted by, or those that a channel ever listed."""
        if not channel:
            return [
                (_place(document), document)
                for document in self.documents[kind].values()
            ]
        stored = self.documents[kind]
        return [
            (_place(stored[key]), stored[key])
            for key in self.members.get(channel, ())
            if key in stored
        ]

    def item_entries(self, channel: str | None) -> list[tuple[str, Document]]:
        """Return the same for the works of the playlists."""
        return [
            (_place(item), item)
            for _, playlist in self.entries("playlist", channel)
            for item in playlist["items"]
        ]

    def delete(self, kind: str, identifier: str) -> None:
        """Delete a document; channels lose a playlist without being signed again."""
        document = self.documents[kind].pop(identifier)
        if kind == "channel":
            self.members.pop(identifier, None)
            return
        for channel, members in self.members.items():
            if identifier in members:
                del members[identifier]
                self._forget(self.documents["channel"][channel], document)

    def _forget(self, channel: Document, playlist: Document) -> None:
        """Remove the URLs of a playlist from a channel."""
        own = set(self._addresses(playlist))
        channel["playlists"] = [url for url in channel["playlists"] if url not in own]

    def _addresses(self, playlist: Document) -> Iterator[str]:
        """Return every address of a playlist here."""
        for origin in self._settings.origins:
            yield f"{origin}/api/v1/playlists/{playlist['id']}"
            yield f"{origin}/api/v1/playlists/{playlist['slug']}"
