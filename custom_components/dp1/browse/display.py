"""Pages of the media browser of a display: the libraries, its history, and other media it can show."""

from contextlib import suppress
from typing import Final

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
from ..const import DOMAIN
from ..coordinator import DisplayCoordinator
from ..display.history import MEDIA_ID as HISTORY, HistoryEntry
from ..errors import raised_as
from ..library.library import NodeKind
from ..library.tree import MEDIA_PREFIX
from .pages import (
    DIRECTORY,
    NAME,
    ROOT,
    SEARCH_CLASSES,
    PictureUrl,
    async_browse_library,
    async_top_nodes,
)
from .pictures import PICTURES
from .up_next import UP_NEXT, browse_up_next, up_next_picture

HISTORY_FOLDER: Final = HISTORY.removesuffix("/")
# Local media that displays can show.
SUPPORTED_TYPES = ("image/", "video/")


async def async_browse_display(
    coordinator: DisplayCoordinator, text: str, picture_url: PictureUrl
) -> BrowseMedia:
    """Browse what a display can show."""
    hass = coordinator.hass
    if text == UP_NEXT:
        return browse_up_next(coordinator, picture_url)
    if not text:
        return await _async_root(coordinator, picture_url)
    if text == HISTORY_FOLDER:
        folder = _history_folder()
        folder.children = [
            history_media(entry, picture_url) for entry in coordinator.history.entries()
        ]
        return folder
    if text == ROOT or text.startswith(MEDIA_PREFIX):
        return await async_browse_library(hass, text, picture_url)
    if media_source.is_media_source_id(text):
        return await _async_browse_other_media(hass, text)
    raise BrowseError(
        translation_domain=DOMAIN,
        translation_key="nothing_to_open",
        translation_placeholders={"media_id": clean(text, 200)},
    )


async def async_display_picture(
    coordinator: DisplayCoordinator, media_id: str
) -> Image | None:
    """Fetch the picture of what a display can show."""
    pictures = coordinator.hass.data[PICTURES]
    if media_id.startswith(UP_NEXT):
        url = up_next_picture(coordinator, media_id)
    elif (entry := coordinator.history.get(media_id)) is not None:
        url = _cover_of(entry)
    else:
        return await pictures.async_of(media_id)
    return await pictures.async_at(url) if url else None


async def _async_root(
    coordinator: DisplayCoordinator, picture_url: PictureUrl
) -> BrowseMedia:
    """Return the root of what a display can show."""
    hass = coordinator.hass
    children: list[BrowseMedia] = [*await async_top_nodes(hass, picture_url)]
    if coordinator.history.entries():
        children.append(_history_folder())
    # Errors of other media sources do not hide ours.
    with suppress(BrowseError):
        others = (await _async_browse_other_media(hass, None)).children or ()
        children += [media for media in others if media.media_content_id != ROOT]
    return BrowseMedia(
        media_class=MediaClass.DIRECTORY,
        media_content_id="",
        media_content_type=DIRECTORY,
        title=NAME,
        can_play=False,
        can_expand=True,
        children=children,
        children_media_class=MediaClass.DIRECTORY,
        can_search=True,
        search_media_classes=SEARCH_CLASSES[NodeKind.ROOT],
    )


async def _async_browse_other_media(
    hass: HomeAssistant, text: str | None
) -> BrowseMediaSource | media_source.models.RootBrowseMediaSource:
    """Browse other media sources for what displays can show."""
    with raised_as(BrowseError):
        return await media_source.async_browse_media(
            hass, text, content_filter=is_supported
        )


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


def _history_folder() -> BrowseMedia:
    """Return the browse item of the history."""
    return BrowseMedia(
        media_class=MediaClass.DIRECTORY,
        media_content_id=HISTORY_FOLDER,
        media_content_type=DIRECTORY,
        title="Shown lately",
        can_play=False,
        can_expand=True,
        children_media_class=MediaClass.PLAYLIST,
        can_search=True,
    )
