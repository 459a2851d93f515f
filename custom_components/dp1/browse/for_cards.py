"""Pages that only cards ask for: the works that come next, all exhibitions, and art to begin with."""

from collections import Counter
from contextlib import suppress
from typing import Final

from homeassistant.components.media_player import BrowseMedia, MediaClass
from homeassistant.core import HomeAssistant

from ..client.display.player_status import PlayerStatus, PlaylistItem
from ..client.errors import Dp1Error
from ..client.playlist.manifest import Work
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
    if (player := coordinator.data.player) is None:
        return plain_page(UP_NEXT, UP_NEXT, [])
    works = [
        _media(coordinator, player, index, picture_url)
        for index in _next_indexes(player)
    ]
    return plain_page(UP_NEXT, UP_NEXT, works)


def up_next_picture(coordinator: DisplayCoordinator, media_id: str) -> str | None:
    """Return the URL of the picture of a work that comes next."""
    player = coordinator.data.player
    for index in _next_indexes(player) if player else ():
        if player and media_id == _media_id(player, index):
            return _picture(coordinator, player, player.items[index])
    return None


def _next_indexes(player: PlayerStatus) -> list[int]:
    """Return the indexes of the works that come next, counted from 0."""
    if player.position is None:
        return []
    indexes = range(player.position, player.position + len(player.items) - 1)
    if player.loop_mode == "none":
        return [index for index in indexes if index < len(player.items)][:MAX_WORKS]
    return [index % len(player.items) for index in indexes][:MAX_WORKS]


def _media(
    coordinator: DisplayCoordinator,
    player: PlayerStatus,
    index: int,
    picture_url: PictureUrl,
) -> BrowseMedia:
    """Return a work as an entry of the page."""
    item, media_id = player.items[index], _media_id(player, index)
    return BrowseMedia(
        media_class=MediaClass.IMAGE,
        media_content_id=media_id,
        media_content_type=MediaClass.IMAGE,
        title=_title(coordinator, item) or "",
        can_play=False,
        can_expand=False,
        thumbnail=picture_url(media_id)
        if _picture(coordinator, player, item)
        else None,
    )


def _title(coordinator: DisplayCoordinator, item: PlaylistItem) -> str | None:
    """Return the title of a work, as the display or else a library has it."""
    work = _work(coordinator, item)
    return item.title or (work.title if work else None)


def _media_id(player: PlayerStatus, index: int) -> str:
    """Name a work by its id, or by its index if that is not its own."""
    item_id = player.items[index].id
    is_own = item_id and Counter(player.item_ids)[item_id] == 1
    return f"{UP_NEXT}/{item_id if is_own else index + 1}"


def _picture(
    coordinator: DisplayCoordinator, player: PlayerStatus, item: PlaylistItem
) -> str | None:
    """Return the URL of the picture of a work."""
    return picture_of(item, _work(coordinator, item), player.playlist)


def _work(coordinator: DisplayCoordinator, item: PlaylistItem) -> Work | None:
    """Return what a library knows of a work without asking a server."""
    found = (library.known_work(item) for library in async_libraries(coordinator.hass))
    return next((work for work in found if work), None)


def next_title(coordinator: DisplayCoordinator) -> str | None:
    """Return the title of the work that comes next."""
    player = coordinator.data.player
    indexes = _next_indexes(player) if player else []
    return _title(coordinator, player.items[indexes[0]]) if player and indexes else None
