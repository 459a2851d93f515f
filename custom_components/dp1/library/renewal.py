"""Playlists of ours in a feed whose works have moved since: the owner is told, and renews them."""

from typing import Final

from homeassistant.core import HomeAssistant, callback
from homeassistant.exceptions import HomeAssistantError
from homeassistant.helpers import issue_registry as ir

from ..client.errors import Dp1Error
from ..client.feed.models import FeedPlaylist
from ..client.playlist.document import renewed
from ..client.text import markdown_safe
from ..const import DOMAIN, LOGGER
from ..errors import translated
from .library import Library

ISSUE: Final = "published_moved"
# Titles in the text of an issue.
MAX_TITLES: Final = 5


@callback
def async_watch_moved(library: Library) -> None:
    """Look through the playlists of ours whenever the list of the feed was read."""

    @callback
    def look() -> None:
        """Look through them."""
        library.entry.async_create_background_task(
            library.hass, _async_tell_moved(library), f"{library.title} own playlists"
        )

    library.feed_server.on_read = look


async def _async_tell_moved(library: Library) -> None:
    """Create the issue of a library with playlists whose works have moved, or delete it.

    The registry of issues keeps it over a restart, and remembers that it is ignored.
    """
    try:
        moved = await _async_moved(library)
    except HomeAssistantError as err:
        LOGGER.debug("%s: own playlists are not looked through: %s", library.title, err)
        return
    if not moved:
        async_forget_moved(library.hass, library.entry_id)
        return
    titles = [markdown_safe(each.title, 100) for each in moved[:MAX_TITLES]]
    more = ["…"] if len(moved) > MAX_TITLES else []
    ir.async_create_issue(
        library.hass,
        DOMAIN,
        f"{ISSUE}_{library.entry_id}",
        data={"entry_id": library.entry_id},
        is_fixable=True,
        is_persistent=True,
        severity=ir.IssueSeverity.WARNING,
        translation_key=ISSUE,
        translation_placeholders={
            "name": markdown_safe(library.title),
            "count": str(len(moved)),
            "titles": ", ".join(titles + more),
        },
    )


@callback
def async_forget_moved(hass: HomeAssistant, entry_id: str) -> None:
    """Delete the issue of a library."""
    ir.async_delete_issue(hass, DOMAIN, f"{ISSUE}_{entry_id}")


async def async_renew(library: Library) -> None:
    """Publish our playlists again, each under its id, with the addresses of now.

    Raises:
        HomeAssistantError: the signing key is not on the disk, or why the first could not be published; the others were.
    """
    assert library.feed is not None
    await library.async_confirm_key()
    problem: Dp1Error | None = None
    for playlist in await _async_moved(library):
        try:
            published = await library.feed.update(
                playlist.id,
                renewed,
                key=library.key,
                curator=library.preferences.curator,
            )
        except Dp1Error as err:
            problem = problem or err
        else:
            await library.async_published(published.document)
    if problem is not None:
        raise translated(problem, "feed", library.title, library.feed.url) from problem


async def _async_moved(library: Library) -> list[FeedPlaylist]:
    """Return our playlists with works that have moved, or raise why they could not be read."""
    if not any(each.moved for each in library.feed_server.list.records):
        return []
    return [each for each in await library.async_own_playlists() if each.moved]
