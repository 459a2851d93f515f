"""How the TypeScript feed creates, signs, stores and queues documents."""

from collections import deque
from collections.abc import Iterable, Mapping
import re
from typing import Any

from .exchange import RefusalError, compact
from .settings import Settings
from .signing import Document
from .ts_store import Store, iso

FIELDS = (
    *("dpVersion", "id", "slug", "title", "curators", "summary", "coverImage"),
    *("created", "defaults", "items", "dynamicQueries"),
)
ITEM_FIELDS = (
    *("title", "source", "duration", "license", "ref", "override", "display"),
    *("repro", "provenance"),
)
_IDENTITY = ("id", "slug", "created")
_MOST_STORED = 1_500_000


def in_order(value: Mapping[str, Any], names: Iterable[str]) -> Document:
    """Return the existing members, in this order."""
    return {name: value[name] for name in names if name in value}


class TsWriter:
    """Writes to the store of a TypeScript feed."""

    def __init__(self, settings: Settings, store: Store) -> None:
        self._settings = settings
        self._store = store
        self.queued: deque[tuple[str, Document]] = deque()

    def create(self, fields: Mapping[str, Any]) -> Document:
        identity = {
            "id": self._settings.new_id(),
            "slug": self._slug(fields["title"]),
            "created": self._store.now(),
        }
        return self._signed({**fields, **identity, **self._works(fields)})

    def replace(self, old: Document, fields: Mapping[str, Any]) -> Document:
        """Replace a playlist; only its identity stays."""
        return self._signed(
            {**fields, **in_order(old, _IDENTITY), **self._works(fields)}
        )

    def _works(self, fields: Mapping[str, Any]) -> Document:
        base = self._store.milliseconds()
        return {
            "items": [
                {**item, "id": self._settings.new_id(), "created": iso(base + index)}
                for index, item in enumerate(fields["items"])
            ]
        }

    def _slug(self, title: str) -> str:
        stem = re.sub("-+", "-", re.sub("[^a-z0-9]", "-", title.lower()))
        stem = stem.removeprefix("-").removesuffix("-")[:59]
        return f"{stem}-{self._settings.random.randint(1000, 9999)}"

    def _signed(self, values: Document) -> Document:
        """Return the document in its order, signed in the old form."""
        document = in_order(values, FIELDS)
        return document | {"signature": self._settings.key.legacy(document)}

    def save(self, document: Document) -> None:
        """Store a playlist, unless it is too large."""
        if len(compact(document)) > _MOST_STORED:
            raise RefusalError(500, "storage_error", "Failed to save playlist")
        self._store.documents["playlist"][document["id"]] = document

    def queue(self, verb: str, document: Document) -> None:
        self.queued.append((verb, document))

    def process(self, verb: str, document: Document) -> None:
        """Process a message of the queue."""
        if verb != "delete":
            self.save(document)
        elif document["id"] in self._store.documents["playlist"]:
            self._store.delete(document["id"])
