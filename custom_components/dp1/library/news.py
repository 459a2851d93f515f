"""News of the libraries: exhibitions that opened, playlists that were published, works that came and went."""

from dataclasses import dataclass
from datetime import timedelta
from typing import Any, Final

from homeassistant.core import HomeAssistant, callback
from homeassistant.helpers.dispatcher import async_dispatcher_send
from homeassistant.util.hass_dict import HassKey
from homeassistant.util.signal_type import SignalType

from ..const import DOMAIN
from .item import Item
from .node import media_id

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
MAX_HELD: Final = 100


@dataclass(frozen=True, slots=True)
class NewsItem:
    """A piece of news of a library: its config entry, kind and attributes."""

    entry_id: str
    kind: str
    attributes: dict[str, Any]


# What is told once automations listen, by the entry of the library.
HELD: Final[HassKey[dict[str, list[NewsItem]]]] = HassKey(f"{DOMAIN}_held_news")
NEWS: Final[SignalType[NewsItem]] = SignalType(f"{DOMAIN}_news")


@callback
def async_hold(hass: HomeAssistant, entry_id: str) -> None:
    """Hold the news of a library that starts."""
    hass.data.setdefault(HELD, {})[entry_id] = []


@callback
def async_tell_held(hass: HomeAssistant, entry_id: str) -> None:
    """Tell the news of a library now, and each from now on."""
    for item in hass.data.get(HELD, {}).pop(entry_id, []):
        async_dispatcher_send(hass, NEWS, item)


@callback
def async_tell(
    hass: HomeAssistant,
    entry_id: str,
    kind: str,
    node: Item,
    link: str | None,
    **details: str,
) -> None:
    """Tell one piece of news of a library."""
    attributes = {
        "title": node.title,
        "artist": node.artist or node.subtitle,
        "picture": node.small_picture,
        "link": link,
        "media_content_id": media_id(entry_id, node.id),
        **details,
    }
    item = NewsItem(entry_id, kind, attributes)
    held = hass.data.get(HELD, {}).get(entry_id)
    if held is None:
        async_dispatcher_send(hass, NEWS, item)
    elif len(held) < MAX_HELD:
        held.append(item)
