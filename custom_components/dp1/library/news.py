"""News of the libraries: exhibitions that opened, playlists that were published, works that came and went."""

from dataclasses import dataclass
from datetime import timedelta
from typing import Any, Final

from homeassistant.util.signal_type import SignalType

from ..const import DOMAIN

EXHIBITION_OPENED: Final = "exhibition_opened"
PLAYLIST_PUBLISHED: Final = "playlist_published"
CHANNEL_PLAYLIST: Final = "channel_playlist"
ACQUIRED: Final = "acquired"
LEFT_COLLECTION: Final = "left_collection"
NEWS_KINDS: Final = (
    EXHIBITION_OPENED,
    PLAYLIST_PUBLISHED,
    CHANNEL_PLAYLIST,
    ACQUIRED,
    LEFT_COLLECTION,
)
# What appears in a list later than this was left out before.
MAX_AGE: Final = timedelta(days=30)


@dataclass(frozen=True, slots=True)
class NewsItem:
    """Something new in a library: its config entry, what happened, and what it is about."""

    entry_id: str
    kind: str
    attributes: dict[str, Any]


NEWS: Final[SignalType[NewsItem]] = SignalType(f"{DOMAIN}_news")
