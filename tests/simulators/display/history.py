"""The recently shown works."""

from dataclasses import dataclass
from typing import Any, NamedTuple

from .clock import Clock
from .player import Player

type Json = dict[str, Any]

_MOST = 50


class Shown(NamedTuple):
    """One showing of a work."""

    record: Json
    item: Json


@dataclass(eq=False)
class History:
    """The recently shown works, newest first."""

    _clock: Clock
    _player: Player

    def __post_init__(self) -> None:
        self._shown: list[Shown] = []
        self._number = 0
        # What the player has read of works at the addresses of their manifests, by the ids of the items.
        self.manifests: dict[str, Json] = {}

    def note(self, item: Json) -> None:
        """Record that a work was shown."""
        self._number += 1
        manifest = self.manifests.get(item.get("id", "")) or item.get("inlineManifest")
        metadata = manifest.get("metadata") if isinstance(manifest, dict) else None
        metadata = metadata if isinstance(metadata, dict) else {}
        record: Json = {
            "recordId": f"record-{self._number}",
            "playedAtMs": int(self._clock.now().timestamp() * 1000),
            "isActive": False,
        }
        optional = {
            "itemId": item.get("id"),
            "title": item.get("title"),
            "artist": artists_of(metadata),
            "thumbnailUrl": _thumbnail(metadata),
        }
        record |= {name: value for name, value in optional.items() if value}
        self._shown.insert(0, Shown(record, item))
        del self._shown[_MOST:]

    def records(self) -> Json:
        """Return what ``getRecentlyPlayed`` answers."""
        active = self._player.current is not None and not self._player.asleep
        return {
            "ok": True,
            "status": "ok",
            "activeOccurrenceKnown": True,
            "incomplete": False,
            "records": [
                shown.record | {"isActive": active and place == 0}
                for place, shown in enumerate(self._shown)
            ],
        }

    def play(self, request: Json | None) -> Json:
        """Show a recorded work again, by itself."""
        wanted = (request or {}).get("recordId")
        reply: Json = {"ok": False, "status": "notFound", "error": "no such record"}
        for shown in list(self._shown):
            if shown.record["recordId"] == wanted:
                item = shown.item
                title = item.get("title", "")
                self._player.load({"dpVersion": "", "title": title, "items": [item]})
                reply = {"ok": True, "status": "ok"}
                break
        return {"recordId": wanted, "message": reply}


def artists_of(metadata: Json) -> str:
    artists = metadata.get("artists")
    names = [
        artist["name"]
        for artist in (artists if isinstance(artists, list) else [])
        if isinstance(artist, dict) and isinstance(artist.get("name"), str)
    ]
    return ", ".join(names)


def _thumbnail(metadata: Json) -> str | None:
    """Return the URL of a thumbnail in a manifest."""
    thumbnails = metadata.get("thumbnails")
    for size in ("small", "default", "large", "xlarge"):
        entry = thumbnails.get(size) if isinstance(thumbnails, dict) else None
        if isinstance(entry, dict) and isinstance(entry.get("uri"), str):
            return str(entry["uri"])
    return None
