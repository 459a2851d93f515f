"""Notice of what a feed did not take of a published playlist."""

from homeassistant.components import persistent_notification
from homeassistant.core import HomeAssistant
from homeassistant.helpers.translation import async_get_exception_message

from ..client.feed.client import Published
from ..client.text import markdown_safe
from ..const import DOMAIN
from ..library.library import Library

# Feeds of former years have no place for these.
NEWER_FIELDS = (
    "schedule",
    "displayAt",
    "contentRating",
    "contentReasons",
    "inlineManifest",
)


def notify_left_out(
    hass: HomeAssistant, library: Library, published: Published
) -> None:
    """Notify of fields that the feed did not take, since nobody reads the response."""
    changed = [path for path in published.changed if path.endswith(NEWER_FIELDS)]
    if not (paths := [*published.left_out, *changed]):
        return
    message = async_get_exception_message(
        DOMAIN,
        "published_without",
        {
            "name": library.title,
            "title": markdown_safe(published.document.get("title"), 100),
            "paths": markdown_safe(", ".join(paths), 300),
        },
    )
    persistent_notification.async_create(
        hass, message, notification_id=f"{DOMAIN}_left_out_{published.id}"
    )
