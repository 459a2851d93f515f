"""Pages of the media browser of a display: the libraries, its history, and other media it can show.

Only cards open others: the works that come next, all exhibitions, and art to begin with.
"""

from collections import Counter
from collections.abc import Iterator
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

from ..client.display.player_status import PlaylistItem
from ..client.hosts import loaded_url
from ..const import DOMAIN
from ..coordinator import DisplayCoordinator
from ..display.history import MEDIA_ID as HISTORY, HistoryEntry
from ..display.metadata import work_of
from ..errors import action_failed, component_errors, raised_as, retyped
from ..grants import public_media_id
from ..language import async_load_texts
from ..library.folder import ENTITIES
from ..library.libraries import LibraryNode, async_exhibitions, async_libraries
from ..library.node import MEDIA_PREFIX, NodeKind
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
from .pictures import PICTURES

SEARCHED: Final[dict[str, Any]] = {
    "can_search": True,
    "search_media_classes": SEARCH_CLASSES[NodeKind.ROOT],
}
# Ends with the id of a record of the display.
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
FOLDERS: Final = f"{DOMAIN}://folders"
MAX_WORKS = 12
MAX_NEW = 12


async def async_browse_display(
    coordinator: DisplayCoordinator, text: str, picture_url: PictureUrl
) -> BrowseMedia:
    """Return a page of the media browser of a display."""
    hass = coordinator.hass
    await async_load_texts(hass)
    if text == UP_NEXT:
        return browse_up_next(coordinator, picture_url)
    if text == FOLDERS:
        return await _async_folders(coordinator, picture_url)
    if text in (EXHIBITIONS, HIGHLIGHTS):
        return await async_browse_for_cards(hass, text, picture_url)
    if not text:
        return await _async_root(coordinator, picture_url)
    if text.rstrip("/") == ROOT:
        folder = await _async_all_art(hass, picture_url)
        folder.children = await async_top_nodes(hass, picture_url)
        return folder
    if text == HISTORY_FOLDER:
        folder = _history_folder(coordinator, picture_url)
        folder.children = [
            history_media(coordinator.hass, entry, picture_url)
            for entry in coordinator.history.entries()
        ]
        return folder
    if text.startswith(MEDIA_PREFIX):
        return await async_browse_library(hass, text, picture_url)
    if media_source.is_media_source_id(text):
        return await _async_browse_other_media(hass, text)
    error = action_failed("nothing_to_open", media_id=text)
    raise retyped(error, BrowseError)


async def async_display_picture(
    coordinator: DisplayCoordinator, media_id: str
) -> Image | None:
    """Fetch the picture of an item in the media browser of a display."""
    pictures = coordinator.hass.data[PICTURES]
    if media_id.startswith(UP_NEXT):
        url = up_next_picture(coordinator, media_id)
    elif media_id == HISTORY_FOLDER:
        url = _cover_of_history(coordinator)
    elif (entry := coordinator.history.get(media_id)) is not None:
        url = _cover_of(coordinator.hass, entry)
    else:
        return await pictures.async_of(media_id, tile=True)
    return await pictures.async_tile(url) if url else None


async def _async_root(
    coordinator: DisplayCoordinator, picture_url: PictureUrl
) -> BrowseMedia:
    """Return the root of the media browser of a display."""
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
    """Return a page of another media source, with pictures and films."""
    with raised_as(BrowseError), component_errors(text or "media-source://"):
        page = await media_source.async_browse_media(
            hass, text, content_filter=is_supported
        )
    if text and not text.startswith(ENTITIES):
        for media in (page, *(page.children or ())):
            media.can_play = media.can_play or media.can_expand
    return page


async def _async_is_offered(hass: HomeAssistant, media: BrowseMedia) -> bool:
    """Return whether another media source may have something that displays can show."""
    media_id = media.media_content_id
    if media_id == CAMERAS:
        return bool((await _async_browse_other_media(hass, media_id)).children)
    return media_id not in NOT_OFFERED


def is_supported(media: BrowseMedia) -> bool:
    """Return whether displays can show local media."""
    return media.media_content_type.startswith(SUPPORTED_TYPES)


def history_media(
    hass: HomeAssistant, entry: HistoryEntry, picture_url: PictureUrl
) -> BrowseMedia:
    """Return the browse item of a history entry; a list that we serve is that of its folder or collection."""
    media_id = public_media_id(hass, entry.media_id) or ""
    has_cover = media_id.startswith(MEDIA_PREFIX) or _cover_of(hass, entry)
    when = f"{dt_util.as_local(entry.at):%Y-%m-%d %H:%M}"
    return BrowseMedia(
        media_class=MediaClass.PLAYLIST,
        media_content_id=media_id,
        media_content_type=MediaType.PLAYLIST,
        title=entry.title or when,
        can_play=True,
        can_expand=False,
        thumbnail=picture_url(media_id) if has_cover else None,
    )


def _cover_of(hass: HomeAssistant, entry: HistoryEntry) -> str | None:
    """Return the URL of the cover of a history entry, or of the picture of its first work."""
    if cover := loaded_url(entry.asked.document.get("coverImage")):
        return cover
    if not entry.asked.items:
        return None
    item = PlaylistItem.parse(entry.asked.items[0])
    works = (library.work(item) for library in async_libraries(hass))
    return work_of(item, next(filter(None, works), None)).picture


def _cover_of_history(coordinator: DisplayCoordinator) -> str | None:
    """Return the URL of the cover of the latest history entry that has one."""
    entries = coordinator.history.entries()
    covers = (_cover_of(coordinator.hass, entry) for entry in entries)
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
    folder = plain_page(
        HISTORY_FOLDER,
        browser_text(coordinator.hass, "shown_lately"),
        thumbnail=picture_url(HISTORY_FOLDER) if has_cover else None,
        children_media_class=MediaClass.PLAYLIST,
        can_search=True,
    )
    folder.kind = "shown_lately"
    return folder


# Pages that only cards ask for


async def async_browse_for_cards(
    hass: HomeAssistant, page: str, picture_url: PictureUrl
) -> BrowseMedia:
    """Return the open exhibitions of all libraries, the newest first, or highlights: each Daily and the newest of them."""
    libraries, nodes = async_libraries(hass), list[LibraryNode]()
    newest = await async_exhibitions(libraries)
    if page == HIGHLIGHTS:
        nodes = [(one, node) for one in libraries for node in one.daily.roots()]
        newest = newest[:MAX_NEW]
    items: list[BrowseMedia] = [
        node_media(*each, picture_url) for each in (*nodes, *newest)
    ]
    return plain_page(page, page, items)


async def _async_folders(
    coordinator: DisplayCoordinator, picture_url: PictureUrl
) -> BrowseMedia:
    """Return the folders of all libraries, and the history if there is one."""
    folders: list[BrowseMedia] = []
    catalogs: set[str] = set()
    for library in async_libraries(coordinator.hass):
        nodes = [*(await library.async_children(NodeKind.ROOT)).nodes]
        if library.catalog and library.catalog.url in catalogs:
            nodes = [node for node in nodes if node.kind != NodeKind.EXHIBITIONS]
        elif library.catalog:
            catalogs.add(library.catalog.url)
            nodes.insert(1, await library.async_node(NodeKind.ARTISTS))
        folders += [
            node_media(library, node, picture_url) for node in nodes if node.can_expand
        ]
    if folders and coordinator.history.entries():
        folders.append(_history_folder(coordinator, picture_url))
    return plain_page(FOLDERS, FOLDERS, folders)


def browse_up_next(
    coordinator: DisplayCoordinator, picture_url: PictureUrl
) -> BrowseMedia:
    """Return the works that come next, in playing order; their ids end with values for ``dp1.show_work``."""
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
    """Yield the media id of each work that comes next, and its title and the URL of its picture as far as there are any."""
    player = coordinator.data.player
    if player is None or player.position is None:
        return
    libraries, count = async_libraries(coordinator.hass), player.count
    counts = Counter(player.item_ids)
    for place in range(player.position, player.position + count - 1)[:MAX_WORKS]:
        if place >= count and player.loop_mode == "none":
            return
        if (index := place % count) >= len(player.items):
            continue
        item = player.items[index]
        works = (library.work(item) for library in libraries)
        work = work_of(item, next(filter(None, works), None), player.playlist)
        # The id of a work stands for it, or its place if others have the same.
        is_own = item.id and counts[item.id] == 1
        yield (
            f"{UP_NEXT}/{item.id if is_own else index + 1}",
            work.title,
            work.picture,
        )
