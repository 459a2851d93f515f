"""Picture and artist of a work, where what the display holds tells of them."""

from collections.abc import Mapping
from pathlib import PurePosixPath
from typing import Any

from yarl import URL

from .library import Work
from .protocol.status import PlayerStatus, PlaylistItem
from .protocol.text import clean, shorten

IMAGE_SUFFIXES = {".avif", ".gif", ".jpeg", ".jpg", ".png", ".svg", ".webp"}
SIZES = ("large", "default", "xlarge", "small")
NAMES_LENGTH = 200


def picture_of(
    player: PlayerStatus | None, item: PlaylistItem | None, work: Work | None = None
) -> str | None:
    """Choose the picture of a work: its own thumbnail, the library's, itself if it is one, or the playlist's cover."""
    if player is None or item is None:
        return None
    playlist: Mapping[str, Any] = player.playlist or {}
    for candidate in (
        *_thumbnails(item.raw.get("inlineManifest")),
        work.picture if work else None,
        item.source if _is_image(item.source) else None,
        playlist.get("coverImage"),
    ):
        if isinstance(candidate, str) and candidate.startswith(("http://", "https://")):
            return candidate
    return None


def artist_of(item: PlaylistItem | None) -> str | None:
    """Name those who made a work."""
    match item.raw.get("inlineManifest") if item else None:
        case {"metadata": {"artists": [*artists]}}:
            names = [clean(one.get("name")) for one in artists if isinstance(one, dict)]
            return shorten(", ".join(filter(None, names)), NAMES_LENGTH) or None
    return None


def _thumbnails(manifest: object) -> list[object]:
    """List the thumbnails of a work's manifest, best for a card first."""
    match manifest:
        case {"metadata": {"thumbnails": Mapping() as sizes}}:
            found = [sizes.get(size) for size in SIZES]
            return [one.get("uri") for one in found if isinstance(one, Mapping)]
    return []


def _is_image(source: str | None) -> bool:
    """Tell an image by the ending of its address; asking for each work would cost somebody's server."""
    if not source or not source.startswith("http"):
        return False
    try:
        return PurePosixPath(URL(source).path).suffix.lower() in IMAGE_SUFFIXES
    except ValueError:
        return False
