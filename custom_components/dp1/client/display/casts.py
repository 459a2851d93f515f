"""Casts: what a display is asked to show, and what it answers."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from enum import StrEnum
from typing import Any, Self

from .player_status import PlaylistItem


class Dialect(StrEnum):
    """Interface description that a display follows."""

    UNKNOWN = "unknown"
    FF = "ff"
    LEGACY = "legacy"


@dataclass(frozen=True, slots=True)
class Cast:
    """Something to show: a playlist URL, which the display fetches and refreshes, or a DP-1 document."""

    playlist_url: str | None = None
    playlist: Mapping[str, Any] | None = None

    def __post_init__(self) -> None:
        """Check that there is exactly one of both, and what the items are."""
        if (self.playlist_url is None) is (self.playlist is None):
            raise ValueError("a cast is either a URL or a playlist")
        items = (self.playlist or {}).get("items", [])
        if not isinstance(items, list) or not all(isinstance(i, dict) for i in items):
            raise ValueError("the items of a playlist are a list of objects")


@dataclass(frozen=True, slots=True)
class Start:
    """Where and how a cast starts. By default a display starts with the first work, in order, and loops.

    Attributes:
        work_id: id of the first work.
        source: URL of the first work, if it has no id.
        index: place of the first work, counted from 0, if it has neither or is listed twice.
        shuffle: play in random order.
        loop: loop mode: "none", "playlist" or "one".
    """

    work_id: str | None = None
    source: str | None = None
    index: int | None = None
    shuffle: bool | None = None
    loop: str | None = None

    @property
    def names_work(self) -> bool:
        """Return whether the first work has to be looked up in the list."""
        return self.work_id is not None or self.source is not None

    def find(self, items: Sequence[PlaylistItem]) -> int | None:
        """Return the place of the first work, counted from 0; None for wherever the display starts."""
        for name, wanted in (("id", self.work_id), ("source", self.source)):
            places = [
                place
                for place, item in enumerate(items)
                if wanted is not None and getattr(item, name) == wanted
            ]
            if places:
                return self.index if self.index in places else places[0]
        return self.index


@dataclass(frozen=True, slots=True)
class CastResult:
    """Result of a cast. Accepted is not yet visible: the status tells that.

    Attributes:
        deferred: no work of the playlist is due yet; the current work stays.
        cast: what was sent: a newer cast if one replaced this.
    """

    deferred: bool
    cast: Cast | None = field(default=None, compare=False)

    @classmethod
    def parse(cls, cast: Cast, leaf: Mapping[str, Any]) -> Self:
        """Parse the reply to a cast."""
        return cls(
            deferred=leaf.get("deferred") is True,
            cast=cast,
        )


def document(cast: Cast, dialect: Dialect) -> Mapping[str, Any]:
    """Return the playlist argument of ``displayPlaylist``; never a URL and a document at once.

    Feral File firmware reads ``dp1_call`` and ignores ``playlist``; the 2025 description has only ``playlist``. A display
    of unknown dialect gets both.
    """
    if cast.playlist is None:
        return {"playlistUrl": cast.playlist_url}
    names = {Dialect.FF: ["dp1_call"], Dialect.LEGACY: ["playlist"]}
    return dict.fromkeys(names.get(dialect, ["dp1_call", "playlist"]), cast.playlist)
