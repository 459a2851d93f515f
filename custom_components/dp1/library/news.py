"""News of the libraries: exhibitions that opened, playlists that were published, works that came and went."""

from dataclasses import dataclass
from datetime import timedelta
from typing import Any, Final

from homeassistant.core import HomeAssistant, callback
from homeassistant.helpers.dispatcher import async_dispatcher_send
from homeassistant.util.signal_type import SignalType

from ..const import DOMAIN
from .node import Node, media_id

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
    """A piece of news of a library: its config entry, kind and attributes."""

    entry_id: str
    kind: str
    attributes: dict[str, Any]


NEWS: Final[SignalType[NewsItem]] = SignalType(f"{DOMAIN}_news")


@callback
def async_tell(
    hass: HomeAssistant,
    entry_id: str,
    kind: str,
    node: Node,
    link: str | None,
    **details: str,
) -> None:
    """Tell one piece of news of a library."""
    attributes = {
        "title": node.title,
        "artist": node.work.artist or node.subtitle,
        "picture": node.work.picture,
        "link": link,
        "media_content_id": media_id(entry_id, node.id),
        **details,
    }
    async_dispatcher_send(hass, NEWS, NewsItem(entry_id, kind, attributes))
