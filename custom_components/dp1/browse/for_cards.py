"""Pages that only cards ask for: the works that come next, all exhibitions, and art to begin with."""

from collections import Counter
from collections.abc import Iterator
from contextlib import suppress
from typing import Final

from homeassistant.components.media_player import BrowseMedia, MediaClass
from homeassistant.core import HomeAssistant

from ..client.errors import Dp1Error
from ..const import DOMAIN
from ..coordinator import DisplayCoordinator
from ..display.metadata import picture_of
from ..library.entries import async_libraries
from ..library.library import Library
from ..library.node import Node, NodeKind
from .pages import PictureUrl, node_media, plain_page

# No card shows the title of a page, which is its id.
UP_NEXT: Final = f"{DOMAIN}://next"
EXHIBITIONS: Final = f"{DOMAIN}://exhibitions"
HIGHLIGHTS: Final = f"{DOMAIN}://highlights"
MAX_WORKS = 12
# Of each library.
MAX_NEW = 4
MAX_FAVORITES = 6


async def async_browse_exhibitions(
    hass: HomeAssistant, picture_url: PictureUrl
) -> BrowseMedia:
    """Return the open exhibitions of all libraries, the newest first."""
    return plain_page(
        EXHIBITIONS,
        EXHIBITIONS,
        [
            node_media(library, node, picture_url)
            for library in async_libraries(hass)
            for node in await _async_inside(library, NodeKind.EXHIBITIONS)
        ],
    )


async def async_browse_highlights(
    hass: HomeAssistant, picture_url: PictureUrl
) -> BrowseMedia:
    """Return the Daily, the newest exhibitions, and the favorites that were added last, of each library."""
    found: list[BrowseMedia] = []
    for library in async_libraries(hass):
        new = await _async_inside(library, NodeKind.EXHIBITIONS)
        favorites = await _async_inside(library, NodeKind.FAVORITES)
        daily = [
            node
            for node in await _async_inside(library, NodeKind.ROOT)
            if node.kind == NodeKind.DAILY
        ]
        nodes = [*daily, *new[:MAX_NEW], *favorites[:MAX_FAVORITES]]
        unique = {node.id: node for node in nodes}
        found += [node_media(library, node, picture_url) for node in unique.values()]
    return plain_page(HIGHLIGHTS, HIGHLIGHTS, found)


async def _async_inside(library: Library, folder: NodeKind) -> list[Node]:
    """Return what is in a folder and can be shown; a library without the folder has nothing in it."""
    with suppress(Dp1Error):
        inside = await library.async_children(folder)
        return [node for node in inside.nodes if node.can_play]
    return []


def browse_up_next(
    coordinator: DisplayCoordinator, picture_url: PictureUrl
) -> BrowseMedia:
    """Return the works that come next, in playing order; their ids end with what ``dp1.show_work`` takes."""
    works = [
        BrowseMedia(
            media_class=MediaClass.IMAGE,
            media_content_id=media_id,
            media_content_type=MediaClass.IMAGE,
            title=title or "",
            can_play=False,
            can_expand=False,
            thumbnail=picture_url(media_id) if picture else None,
        )
        for media_id, title, picture in _coming(coordinator)
    ]
    return plain_page(UP_NEXT, UP_NEXT, works)


def up_next_picture(coordinator: DisplayCoordinator, media_id: str) -> str | None:
    """Return the URL of the picture of a work that comes next."""
    pictures = {key: picture for key, _, picture in _coming(coordinator)}
    return pictures.get(media_id)


def next_title(coordinator: DisplayCoordinator) -> str | None:
    """Return the title of the work that comes next."""
    return next((title for _, title, _ in _coming(coordinator)), None)


def _coming(
    coordinator: DisplayCoordinator,
) -> Iterator[tuple[str, str | None, str | None]]:
    """Yield the media id of each work that comes next, and its title and the URL of its picture as far as they are known."""
    player = coordinator.data.player
    if player is None or player.position is None:
        return
    libraries, count = async_libraries(coordinator.hass), len(player.items)
    named = Counter(player.item_ids)
    for place in range(player.position, player.position + count - 1)[:MAX_WORKS]:
        if place >= count and player.loop_mode == "none":
            return
        index = place % count
        item = player.items[index]
        known = (library.known_work(item) for library in libraries)
        work = next(filter(None, known), None)
        # A work is named by its id, or by its place if that is not its own.
        is_own = item.id and named[item.id] == 1
        yield (
            f"{UP_NEXT}/{item.id if is_own else index + 1}",
            item.title or (work.title if work else None),
            picture_of(item, work, player.playlist),
        )
