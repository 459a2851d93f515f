"""Pages of the media browser of a display: the libraries, its history, and other media it can show."""

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

from ..client.text import clean
from ..coordinator import DisplayCoordinator
from ..data import DATA
from ..display.history import MEDIA_ID as HISTORY, HistoryEntry
from ..errors import action_failed, raised_as, retyped
from ..library.entries import async_libraries
from ..library.node import MEDIA_PREFIX, NodeKind
from .for_cards import (
    EXHIBITIONS,
    HIGHLIGHTS,
    UP_NEXT,
    async_browse_exhibitions,
    async_browse_highlights,
    browse_up_next,
    up_next_picture,
)
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
