"""Nodes of the libraries as pages of Home Assistant's media browser, for displays and for the media source alike."""

from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from typing import Final

from homeassistant.components import media_source
from homeassistant.components.media_player import (
    BrowseError,
    BrowseMedia,
    MediaClass,
    MediaType,
)
from homeassistant.components.media_source import BrowseMediaSource
from homeassistant.core import HomeAssistant
from homeassistant.exceptions import HomeAssistantError
from homeassistant.util import dt as dt_util

from ..client.text import clean
from ..const import DOMAIN
from ..coordinator import DisplayCoordinator
from ..display.history import MEDIA_ID as RECENT, HistoryEntry
from ..errors import raised_as, translated, translated_errors
from ..library.entries import async_libraries, library_and_node, server_of
from ..library.library import Children, Library, Node, NodeKind
from ..library.tree import MEDIA_PREFIX, media_id

NAME: Final = "DP-1 Art"
ROOT: Final = MEDIA_PREFIX.removesuffix("/")
RECENT_FOLDER: Final = RECENT.removesuffix("/")
DIRECTORY: Final = MediaClass.DIRECTORY.value
# What the displays show of Home Assistant's own media.
SHOWN = ("image/", "video/")
CLASSES: Final = {
    NodeKind.EXHIBITION: MediaClass.PLAYLIST,
    NodeKind.PLAYLIST: MediaClass.PLAYLIST,
    NodeKind.SERIES: MediaClass.ALBUM,
    NodeKind.ARTWORK: MediaClass.IMAGE,
    NodeKind.ITEM: MediaClass.IMAGE,
    NodeKind.CHANNEL: MediaClass.CHANNEL,
}
# Other players look at this to tell whether they can show a work.
TYPES_OF_MEDIA = {"image": "image/jpeg", "video": "video/mp4", "software": "text/html"}
SEARCH_CLASSES: Final = {
    NodeKind.ROOT: [MediaClass.PLAYLIST, MediaClass.ALBUM, MediaClass.IMAGE],
    NodeKind.EXHIBITIONS: [MediaClass.PLAYLIST, MediaClass.ALBUM],
    NodeKind.EXHIBITION: [MediaClass.ALBUM],
    NodeKind.SERIES: [MediaClass.IMAGE],
    NodeKind.CHANNEL: [MediaClass.PLAYLIST, MediaClass.IMAGE],
    NodeKind.PLAYLISTS: [MediaClass.PLAYLIST, MediaClass.IMAGE],
    NodeKind.PLAYLIST: [MediaClass.IMAGE],
    NodeKind.FAVORITES: [MediaClass.PLAYLIST, MediaClass.ALBUM, MediaClass.IMAGE],
}

# From a media id to the address of its picture.
type PictureUrl = Callable[[str], str]


async def async_browse_library(
    hass: HomeAssistant, text: str, picture_url: PictureUrl
) -> BrowseMediaSource:
    """Open a node of a library, or the list of what the libraries have.

    Raises:
        BrowseError: there is no such node, or why nothing of it is known.
    """
    if text.rstrip("/") == ROOT:
        return _page(None, await _async_tops(hass, picture_url))
    with raised_as(BrowseError):
        library, node = library_and_node(hass, text)
    return await _async_open(library, node, picture_url)


async def async_browse_display(
    coordinator: DisplayCoordinator, text: str, picture_url: PictureUrl
) -> BrowseMedia:
    """Open what a display can be given.

    Raises:
        BrowseError: there is no such thing, or why nothing of it is known.
    """
    hass = coordinator.hass
    if not text:
        return await _async_root(coordinator, picture_url)
    if text == RECENT_FOLDER:
        folder = _recent_folder()
        folder.children = [
            recent_media(given, picture_url) for given in coordinator.history.entries()
        ]
        return folder
    if text == ROOT or text.startswith(MEDIA_PREFIX):
        return await async_browse_library(hass, text, picture_url)
    if media_source.is_media_source_id(text):
        return await _async_media_of_others(hass, text)
    raise BrowseError(
        translation_domain=DOMAIN,
        translation_key="nothing_to_open",
        translation_placeholders={"media_id": clean(text, 200)},
    )


async def _async_root(
    coordinator: DisplayCoordinator, picture_url: PictureUrl
) -> BrowseMedia:
    """List all that a display can be given."""
    hass = coordinator.hass
    children: list[BrowseMedia] = [*await _async_tops(hass, picture_url)]
    if coordinator.history.entries():
        children.append(_recent_folder())
    # What is wrong with the media of others is not in the way of ours.
    with suppress(BrowseError):
        others = (await _async_media_of_others(hass, None)).children or ()
        children += [it for it in others if it.media_content_id != ROOT]
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


async def _async_media_of_others(
    hass: HomeAssistant, text: str | None
) -> BrowseMediaSource | media_source.models.RootBrowseMediaSource:
    """Open Home Assistant's own media, as far as displays show it."""
    with raised_as(BrowseError):
        return await media_source.async_browse_media(
            hass, text, content_filter=is_shown
        )


def is_shown(media: BrowseMedia) -> bool:
    """Tell whether displays show a medium of Home Assistant's own."""
    return media.media_content_type.startswith(SHOWN)


async def _async_tops(
    hass: HomeAssistant, picture_url: PictureUrl
) -> list[BrowseMediaSource]:
    """List what is on top of the only library, or the libraries."""
    libraries = async_libraries(hass)
    if len(libraries) == 1:
        found = await libraries[0].async_children(NodeKind.ROOT)
        return [node_media(libraries[0], node, picture_url) for node in found.nodes]
    return [
        node_media(it, await it.async_node(NodeKind.ROOT), picture_url)
        for it in libraries
    ]


async def _async_open(
    library: Library, text: str, picture_url: PictureUrl
) -> BrowseMediaSource:
    """Open a node: what there is of it, with the reason if that is not all, or not new."""
    with _browse_errors(library, text):
        node = await library.async_node(text)
        inside = await library.async_children(text)
        if inside.problem and not inside.nodes:
            raise inside.problem
    page = node_media(library, node, picture_url)
    page.can_expand = True
    page.title = _title(library, node, inside)
    page.children = [node_media(library, it, picture_url) for it in inside.nodes]
    page.not_shown = inside.not_shown
    return page


@contextmanager
def _browse_errors(library: Library, text: str) -> Iterator[None]:
    """Say in the browser why something cannot be opened."""
    with (
        raised_as(BrowseError),
        translated_errors(server_of(text), library.title, clean(text, 100)),
    ):
        yield


def _title(library: Library, node: Node, inside: Children) -> str:
    """Name a page, and say how old it is if it could not be read anew: a browser has no other place for that."""
    if inside.problem is None:
        return node.title
    reason = translated(inside.problem, server_of(node.id), library.title, node.title)
    since = inside.since and dt_util.as_local(inside.since)
    if since is None:
        note = HomeAssistantError(
            translation_domain=DOMAIN,
            translation_key="page_incomplete",
            translation_placeholders={"title": node.title, "reason": str(reason)},
        )
    else:
        note = HomeAssistantError(
            translation_domain=DOMAIN,
            translation_key="page_as_of",
            translation_placeholders={
                "title": node.title,
                "since": f"{since:%Y-%m-%d %H:%M}",
                "reason": str(reason),
            },
        )
    return str(note)


def node_media(
    library: Library, node: Node, picture_url: PictureUrl
) -> BrowseMediaSource:
    """Show a node in the browser."""
    media_class = CLASSES.get(node.kind, MediaClass.DIRECTORY)
    name = media_id(library.entry_id, node.id)
    return BrowseMediaSource(
        domain=DOMAIN,
        identifier=name.removeprefix(MEDIA_PREFIX),
        media_class=media_class,
        media_content_type=TYPES_OF_MEDIA.get(node.medium or "", media_class.value)
        if media_class is MediaClass.IMAGE
        else media_class.value,
        title=node.title,
        can_play=node.can_play,
        can_expand=node.can_expand,
        thumbnail=picture_url(name) if node.picture else None,
        can_search=node.can_expand and node.kind in SEARCH_CLASSES,
        search_media_classes=SEARCH_CLASSES.get(node.kind) if node.can_expand else None,
    )


def recent_media(given: HistoryEntry, picture_url: PictureUrl) -> BrowseMedia:
    """Show in the browser what a display was given lately."""
    when = f"{dt_util.as_local(given.cast_at):%Y-%m-%d %H:%M}"
    return BrowseMedia(
        media_class=MediaClass.PLAYLIST,
        media_content_id=given.media_id,
        media_content_type=MediaType.PLAYLIST,
        title=given.title or when,
        can_play=True,
        can_expand=False,
        thumbnail=picture_url(given.media_id) if cover_of(given) else None,
    )


def cover_of(given: HistoryEntry) -> str | None:
    """Tell where the picture of a list is that a display was given."""
    cover = (given.cast.playlist or {}).get("coverImage")
    if isinstance(cover, str) and cover.startswith(("http://", "https://")):
        return cover
    return None


def _recent_folder() -> BrowseMedia:
    """Show in the browser that a display was given something lately."""
    return BrowseMedia(
        media_class=MediaClass.DIRECTORY,
        media_content_id=RECENT_FOLDER,
        media_content_type=DIRECTORY,
        title="Shown lately",
        can_play=False,
        can_expand=True,
        children_media_class=MediaClass.PLAYLIST,
        can_search=True,
    )


def _page(
    identifier: str | None, children: list[BrowseMediaSource]
) -> BrowseMediaSource:
    """Put the top of the media source together."""
    return BrowseMediaSource(
        domain=DOMAIN,
        identifier=identifier,
        media_class=MediaClass.APP,
        media_content_type=MediaType.APP,
        title=NAME,
        can_play=False,
        can_expand=True,
        children=children,
        children_media_class=MediaClass.DIRECTORY,
        can_search=True,
        search_media_classes=SEARCH_CLASSES[NodeKind.ROOT],
    )
