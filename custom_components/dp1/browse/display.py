"""Pages of the media browser of a display: the libraries, its history, other media it can show, and what only cards ask for."""

from collections import Counter
from contextlib import suppress
from typing import Any, Final

from homeassistant.components import media_source
from homeassistant.components.image import Image
from homeassistant.components.media_player import (
    BrowseError,
    BrowseMedia,
    MediaClass,
    MediaType,
)
from homeassistant.components.media_source import BrowseMediaSource
from homeassistant.core import HomeAssistant
from homeassistant.util import dt as dt_util

from ..client.display.player_status import PlayerStatus, PlaylistItem
from ..client.errors import Dp1Error
from ..client.playlist.manifest import Work
from ..client.text import clean
from ..const import DOMAIN
from ..coordinator import DisplayCoordinator
from ..data import DATA
from ..display.history import MEDIA_ID as HISTORY, HistoryEntry
from ..display.metadata import picture_of
from ..errors import action_failed, raised_as, retyped
from ..library.entries import async_libraries
from ..library.library import Library
from ..library.node import MEDIA_PREFIX, Node, NodeKind
from .pages import (
    DIRECTORY,
    NAME,
    ROOT,
    SEARCH_CLASSES,
    PictureUrl,
    async_browse_library,
    async_top_nodes,
    browser_text,
    node_media,
    plain_page,
)

SEARCHED: Final[dict[str, Any]] = {
    "can_search": True,
    "search_media_classes": SEARCH_CLASSES[NodeKind.ROOT],
}
HISTORY_FOLDER: Final = HISTORY.removesuffix("/")
# Local media that displays can show.
SUPPORTED_TYPES = ("image/", "video/")
CAMERAS: Final = "media-source://camera"
# Sources of nothing but sound; ours are in the root already.
NOT_OFFERED: Final = (
    ROOT,
    "media-source://radio_browser",
    "media-source://tts",
)
# No card shows the title of a page, which is its id.
UP_NEXT: Final = f"{DOMAIN}://next"
EXHIBITIONS: Final = f"{DOMAIN}://exhibitions"
HIGHLIGHTS: Final = f"{DOMAIN}://highlights"
MAX_WORKS = 12
# Of each library.
MAX_NEW = 4
MAX_FAVORITES = 6


async def async_browse_display(
    coordinator: DisplayCoordinator, text: str, picture_url: PictureUrl
) -> BrowseMedia:
    """Browse what a display can show."""
    hass = coordinator.hass
    if text == UP_NEXT:
        return browse_up_next(coordinator, picture_url)
    if text == EXHIBITIONS:
        return await async_browse_exhibitions(hass, picture_url)
    if text == HIGHLIGHTS:
        return await async_browse_highlights(hass, picture_url)
    if not text:
        return await _async_root(coordinator, picture_url)
    if text.rstrip("/") == ROOT:
        folder = await _async_all_art(hass, picture_url)
        folder.children = await async_top_nodes(hass, picture_url)
        return folder
    if text == HISTORY_FOLDER:
        folder = _history_folder(coordinator, picture_url)
        folder.children = [
            history_media(entry, picture_url) for entry in coordinator.history.entries()
        ]
        return folder
    if text.startswith(MEDIA_PREFIX):
        return await async_browse_library(hass, text, picture_url)
    if media_source.is_media_source_id(text):
        return await _async_browse_other_media(hass, text)
    error = action_failed("nothing_to_open", media_id=clean(text, 200))
    raise retyped(error, BrowseError)


async def async_display_picture(
    coordinator: DisplayCoordinator, media_id: str
) -> Image | None:
    """Fetch the picture of what a display can show."""
    pictures = coordinator.hass.data[DATA].pictures
    if media_id.startswith(UP_NEXT):
        url = up_next_picture(coordinator, media_id)
    elif media_id == HISTORY_FOLDER:
        url = _cover_of_history(coordinator)
    elif (entry := coordinator.history.get(media_id)) is not None:
        url = _cover_of(entry)
    else:
        return await pictures.async_of(media_id, tile=True)
    return await pictures.async_tile(url) if url else None


async def _async_root(
    coordinator: DisplayCoordinator, picture_url: PictureUrl
) -> BrowseMedia:
    """Return the root of what a display can show."""
    hass = coordinator.hass
    children: list[BrowseMedia] = [*await async_top_nodes(hass, picture_url)]
    if children:
        children.insert(0, await _async_all_art(hass, picture_url))
    if coordinator.history.entries():
        children.append(_history_folder(coordinator, picture_url))
    # Errors of other media sources do not hide ours.
    with suppress(BrowseError):
        others = (await _async_browse_other_media(hass, None)).children or ()
        children += [media for media in others if await _async_is_offered(hass, media)]
    return plain_page("", NAME, children, children_media_class=DIRECTORY, **SEARCHED)


async def _async_browse_other_media(
    hass: HomeAssistant, text: str | None
) -> BrowseMediaSource | media_source.models.RootBrowseMediaSource:
    """Browse other media sources for what displays can show."""
    with raised_as(BrowseError):
        return await media_source.async_browse_media(
            hass, text, content_filter=is_supported
        )


async def _async_is_offered(hass: HomeAssistant, media: BrowseMedia) -> bool:
    """Return whether another media source may have something that displays can show."""
    media_id = media.media_content_id
    if media_id == CAMERAS:
        return bool((await _async_browse_other_media(hass, media_id)).children)
    return media_id not in NOT_OFFERED


def is_supported(media: BrowseMedia) -> bool:
    """Return whether displays can show local media."""
    return media.media_content_type.startswith(SUPPORTED_TYPES)


def history_media(entry: HistoryEntry, picture_url: PictureUrl) -> BrowseMedia:
    """Return the browse item of a history entry."""
    when = f"{dt_util.as_local(entry.cast_at):%Y-%m-%d %H:%M}"
    return BrowseMedia(
        media_class=MediaClass.PLAYLIST,
        media_content_id=entry.media_id,
        media_content_type=MediaType.PLAYLIST,
        title=entry.title or when,
        can_play=True,
        can_expand=False,
        thumbnail=picture_url(entry.media_id) if _cover_of(entry) else None,
    )


def _cover_of(entry: HistoryEntry) -> str | None:
    """Return the URL of the cover of a history entry."""
    cover = (entry.cast.playlist or {}).get("coverImage")
    if isinstance(cover, str) and cover.startswith(("http://", "https://")):
        return cover
    return None


def _cover_of_history(coordinator: DisplayCoordinator) -> str | None:
    """Return the URL of the cover of the latest history entry that has one."""
    covers = map(_cover_of, coordinator.history.entries())
    return next(filter(None, covers), None)


async def _async_all_art(hass: HomeAssistant, picture_url: PictureUrl) -> BrowseMedia:
    """Return the browse item of all libraries: Home Assistant offers no search at the root itself."""
    tops = [
        node_media(library, await library.async_node(NodeKind.ROOT), picture_url)
        for library in async_libraries(hass)
    ]
    thumbnails = (top.thumbnail for top in tops)
    return plain_page(
        ROOT,
        browser_text(hass, "all_art"),
        thumbnail=next(filter(None, thumbnails), None),
        children_media_class=DIRECTORY,
        **SEARCHED,
    )


def _history_folder(
    coordinator: DisplayCoordinator, picture_url: PictureUrl
) -> BrowseMedia:
    """Return the browse item of the history."""
    has_cover = _cover_of_history(coordinator) is not None
    return plain_page(
        HISTORY_FOLDER,
        browser_text(coordinator.hass, "shown_lately"),
        thumbnail=picture_url(HISTORY_FOLDER) if has_cover else None,
        children_media_class=MediaClass.PLAYLIST,
        can_search=True,
    )


# Pages that only cards ask for: the works that come next, all exhibitions, and art to begin with


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
