"""The storage of the TypeScript feed: documents by id and slug, and the playlists that a channel ever listed."""

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

    def delete(self, identifier: str) -> None:
        del self.documents["playlist"][identifier]
