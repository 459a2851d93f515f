"""How the TypeScript feed creates, signs, stores and queues documents."""

from collections import deque
from collections.abc import Iterable, Mapping
import re
from typing import Any

from .exchange import RefusalError, compact
from .settings import Settings
from .signing import Document
from .ts_store import Store, iso

FIELDS = {
    "playlist": (
        "dpVersion",
        "id",
        "slug",
        "title",
        "curators",
        "summary",
        "coverImage",
        "created",
        "defaults",
        "items",
        "dynamicQueries",
    ),
    "channel": (
        "id",
        "slug",
        "title",
        "curator",
        "curators",
        "publisher",
        "summary",
        "playlists",
        "created",
        "coverImage",
    ),
}
ITEM_FIELDS = (
    *("title", "source", "duration", "license", "ref", "override", "display"),
    *("repro", "provenance"),
)
_IDENTITY = ("id", "slug", "created")
_MOST_STORED = 1_500_000
_MOST_QUEUED = 1_048_576


def in_order(value: Mapping[str, Any], names: Iterable[str]) -> Document:
    """Return the existing members, in this order."""
    return {name: value[name] for name in names if name in value}


class TsWriter:
    """Writes to the store of a TypeScript feed."""

    def __init__(self, settings: Settings, store: Store) -> None:
        """Initialize with the store."""
        self._settings = settings
        self._store = store
        self.queued: deque[Document] = deque()

    def create(self, kind: str, fields: Mapping[str, Any]) -> Document:
        """Create a document with a new identity."""
        identifier = self._settings.new_id()
        identity = {
            "id": identifier,
            "slug": self._slug(fields["title"] or identifier),
            "created": self._store.now(),
        }
        return self._signed(kind, {**fields, **identity, **self._works(fields)})

    def replace(self, kind: str, old: Document, fields: Mapping[str, Any]) -> Document:
        """Replace a document; only its identity stays."""
        return self._signed(
            kind, {**fields, **in_order(old, _IDENTITY), **self._works(fields)}
        )

    def update(self, kind: str, old: Document, fields: Mapping[str, Any]) -> Document:
        """Change some fields; empty ones count as missing, except for defaults and works."""
        given = {
            name: value
            for name, value in fields.items()
            if value or name in ("defaults", "items")
        }
        return self._signed(kind, {**old, **given, **self._works(fields)})

    def _works(self, fields: Mapping[str, Any]) -> Document:
        """Return the items, each with a new id and a time of its own."""
        if "items" not in fields:
            return {}
        base = self._store.milliseconds()
        return {
            "items": [
                {**item, "id": self._settings.new_id(), "created": iso(base + index)}
                for index, item in enumerate(fields["items"])
            ]
        }

    def _slug(self, title: str) -> str:
        """Return the title and a number."""
        stem = re.sub("-+", "-", re.sub("[^a-z0-9]", "-", title.lower()))
        stem = stem.removeprefix("-").removesuffix("-")[:59]
        return f"{stem}-{self._settings.random.randint(1000, 9999)}"

    def _signed(self, kind: str, values: Document) -> Document:
        """Return the document in its order, signed in the old form."""
        document = in_order(values, FIELDS[kind])
        return document | {"signature": self._settings.key.legacy(document)}

    async def save(self, kind: str, document: Document) -> None:
        """Store a document, unless it is too large."""
        failure = RefusalError(500, "storage_error", f"Failed to save {kind}")
        if len(compact(document)) > _MOST_STORED:
            raise failure
        if kind == "playlist":
            self._store.documents[kind][document["id"]] = document
            return
        try:
            members = [await self._resolve(url) for url in document["playlists"]]
        except (OSError, ValueError, KeyError) as err:
            raise failure from err
        self._store.documents[kind][document["id"]] = document
        if len(members) != len(set(members)):
            raise failure
        known = self._store.members.setdefault(document["id"], {})
        known |= dict.fromkeys(members)

    async def _resolve(self, url: str) -> str:
        """Return the id of a playlist of a channel; one from elsewhere is stored."""
        if (key := self._settings.own_key(url, "/api/v1/playlists/")) is not None:
            if (document := self._store.find("playlist", key)) is None:
                raise KeyError(key)
            return str(document["id"])
        value = await self._settings.fetch(url)
        if not isinstance(value, dict) or not isinstance(value.get("items"), list):
            raise KeyError(url)
        identifier = str(value["id"])
        self._store.documents["playlist"].setdefault(identifier, value)
        return identifier

    def queue(self, operation: str, data: Document) -> None:
        """Queue a write."""
        now = self._store.milliseconds()
        message = {
            "id": f"{operation}-{now}-{self._settings.random.getrandbits(32):08x}",
            "timestamp": iso(now),
            "operation": operation,
            "data": data,
        }
        if len(compact(message)) > _MOST_QUEUED:
            kind = operation.partition("_")[2]
            raise RefusalError(
                500, "queue_error", f"Failed to queue {kind} for processing"
            )
        self.queued.append(message)

    async def process(self, message: Document) -> None:
        """Process a message of the queue."""
        verb, _, kind = message["operation"].partition("_")
        data = message.get("data") or {}
        if kind not in FIELDS or verb not in ("create", "update", "delete"):
            raise KeyError(f"Unknown message operation: {message['operation']}")
        if verb == "delete":
            if data.get(f"{kind}Id") in self._store.documents[kind]:
                self._store.delete(kind, data[f"{kind}Id"])
        else:
            await self.save(kind, data[kind])
