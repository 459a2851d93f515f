"""Pages of the libraries in the media browser, for displays and the media source."""

from collections.abc import Callable, Mapping
from typing import Any, Final, override

from homeassistant.components.media_player import (
    BrowseError,
    BrowseMedia,
    MediaClass,
    MediaType,
)
from homeassistant.components.media_source import BrowseMediaSource
from homeassistant.core import HomeAssistant
from homeassistant.util import dt as dt_util

from ..client.text import shorten
from ..const import DOMAIN
from ..errors import raised_as, translated
from ..language import async_load_texts, async_message, async_text
from ..library.item import Item
from ..library.libraries import async_libraries, error_subject, library_and_node, told
from ..library.library import Library
from ..library.node import (
    FOLDER_TITLES,
    MEDIA_PREFIX,
    SINGLE,
    WORKS,
    Inside,
    NodeKind,
    key_of,
    media_id,
    split_node_id,
    split_start,
)
from ..library.providers.kept import KINDS
from ..library.providers.pictures import is_picture

NAME: Final = "DP-1 Art"
MAX_ABOUT: Final = 60
ROOT: Final = MEDIA_PREFIX.removesuffix("/")
DIRECTORY: Final = MediaClass.DIRECTORY.value
CLASSES: Final[Mapping[str, MediaClass]] = {
    NodeKind.EXHIBITION: MediaClass.PLAYLIST,
    NodeKind.PLAYLIST: MediaClass.PLAYLIST,
    NodeKind.ALBUM: MediaClass.PLAYLIST,
    NodeKind.SERIES: MediaClass.ALBUM,
    NodeKind.ARTWORK: MediaClass.IMAGE,
    NodeKind.ITEM: MediaClass.IMAGE,
    NodeKind.CHANNEL: MediaClass.CHANNEL,
    # A playlist without a picture has a note.
    NodeKind.DAILY: MediaClass.IMAGE,
    NodeKind.COLLECTION: MediaClass.PLAYLIST,
    NodeKind.COLLECTION_PART: MediaClass.DIRECTORY,
    NodeKind.COLLECTION_ARTIST: MediaClass.ARTIST,
    NodeKind.OWNED: MediaClass.IMAGE,
    NodeKind.MUSEUM_WORK: MediaClass.IMAGE,
    NodeKind.ARTIST: MediaClass.ARTIST,
    NodeKind.PICTURE: MediaClass.IMAGE,
    NodeKind.PHOTO: MediaClass.IMAGE,
}
# Other players use this to decide whether they can play a work.
CONTENT_TYPES = {"image": "image/jpeg", "video": "video/mp4", "software": "text/html"}
SEARCH_CLASSES: Final[Mapping[str, list[MediaClass]]] = {
    NodeKind.ROOT: [
        MediaClass.ARTIST,
        MediaClass.PLAYLIST,
        MediaClass.ALBUM,
        MediaClass.IMAGE,
    ],
    NodeKind.EXHIBITIONS: [MediaClass.PLAYLIST, MediaClass.ALBUM],
    NodeKind.EXHIBITION: [MediaClass.ALBUM],
    NodeKind.SERIES: [MediaClass.IMAGE],
    NodeKind.CHANNELS: [MediaClass.CHANNEL],
    NodeKind.CHANNEL: [MediaClass.PLAYLIST, MediaClass.IMAGE],
    NodeKind.PLAYLISTS: [MediaClass.PLAYLIST, MediaClass.IMAGE],
    NodeKind.PLAYLIST: [MediaClass.IMAGE],
    NodeKind.FAVORITES: [MediaClass.PLAYLIST, MediaClass.ALBUM, MediaClass.IMAGE],
    NodeKind.COLLECTION: [MediaClass.ARTIST, MediaClass.IMAGE],
    NodeKind.ALBUM: [MediaClass.IMAGE],
    NodeKind.COLLECTION_ARTIST: [MediaClass.IMAGE],
    NodeKind.COLLECTION_PART: [MediaClass.IMAGE],
    NodeKind.ARTIST: [MediaClass.ALBUM],
    NodeKind.MUSEUM: [MediaClass.IMAGE],
}

# Home Assistant has no media class for these, and would head their pages as playlists and albums.
HEADED: Final = (NodeKind.EXHIBITION, NodeKind.SERIES)
KINDS_WITH_NOTE: Final = (NodeKind.ARTIST, NodeKind.PLAYLIST)
LABELED: Final = (NodeKind.SERIES, *WORKS)

# Returns the URL of the picture of a media id.
type PictureUrl = Callable[[str], str]


async def async_browse_library(
    hass: HomeAssistant, text: str, picture_url: PictureUrl
) -> BrowseMediaSource:
    """Browse a node of a library with the reason if it is incomplete or outdated, or the root of all libraries."""
    await async_load_texts(hass)
    if text.rstrip("/") == ROOT:
        return BrowseMediaSource(
            domain=DOMAIN,
            identifier=None,
            media_class=MediaClass.APP,
            media_content_type=MediaType.APP,
            title=NAME,
            can_play=False,
            can_expand=True,
            children=await async_top_nodes(hass, picture_url),
            children_media_class=MediaClass.DIRECTORY,
            can_search=True,
            search_media_classes=SEARCH_CLASSES[NodeKind.ROOT],
        )
    with raised_as(BrowseError):
        library, text = library_and_node(hass, text)
        with told(library, text):
            node = await library.async_node(text)
            inside = await library.async_children(text)
            if inside.problem and not inside.nodes:
                raise inside.problem
    page = node_media(library, node, picture_url)
    page.can_expand = True
    page.title = _title(library, node, inside)
    if node.kind in HEADED:
        page.media_class = MediaClass.DIRECTORY
    page.children = [
        node_media(library, child, picture_url, node) for child in inside.nodes
    ]
    page.not_shown = inside.not_shown
    return page


async def async_top_nodes(
    hass: HomeAssistant, picture_url: PictureUrl
) -> list[BrowseMediaSource]:
    """Return the top nodes of the only library, or all libraries."""
    libraries = async_libraries(hass)
    if len(libraries) == 1:
        root = await libraries[0].async_children(NodeKind.ROOT)
        return [node_media(libraries[0], node, picture_url) for node in root.nodes]
    return [
        node_media(library, await library.async_node(NodeKind.ROOT), picture_url)
        for library in libraries
    ]


def _title(library: Library, node: Item, inside: Inside) -> str:
    """Return the title of a page, with who an artist is or made a playlist, and a note if it is outdated: the browser has no other place for it."""
    hass, title = library.hass, _labeled(library.hass, node)
    if node.kind in HEADED:
        title = browser_text(hass, node.kind, title=title)
    if node.kind in KINDS_WITH_NOTE and node.note:
        # A page shows two lines of its title.
        about = shorten(node.note, MAX_ABOUT)
        title = " · ".join(filter(None, (title, node.subtitle, about)))
    if inside.problem is None:
        return title
    problem = translated(inside.problem, *error_subject(library, node.id), node.title)
    texts = {"title": title, "reason": async_message(hass, problem)}
    if (since := inside.since) is None:
        return browser_text(hass, "incomplete", **texts)
    texts["since"] = f"{dt_util.as_local(since):%Y-%m-%d %H:%M}"
    return browser_text(hass, "as_of", **texts)


def browser_text(hass: HomeAssistant, key: str, **placeholders: str) -> str:
    """Return a text of the media browser, in the language of Home Assistant, as that of the user is unknown."""
    return async_text(hass, f"config_panel.browser.{key}", **placeholders)


def _name(hass: HomeAssistant, node: Item) -> str:
    """Return the title of a node; of a playlist that looks its works up, with whose works these are."""
    if node.query:
        return browser_text(hass, f"playlist_of_{node.query}", title=node.title)
    if node.kind in FOLDER_TITLES:
        return browser_text(hass, node.kind)
    if node.kind == NodeKind.COLLECTION_PART:
        return browser_text(hass, f"collection_{split_node_id(node.id)[1][1]}")
    if node.kind == NodeKind.MORE:
        return _name_of_rest(hass, node)
    return node.title


def _name_of_rest(hass: HomeAssistant, node: Item) -> str:
    """Return the title of the rest of a list: how much it is, or as a page where it starts."""
    if node.works:
        return browser_text(hass, "more", count=str(node.works))
    inner, start = split_start(node.id)
    kind, _ = split_node_id(inner)
    title = browser_text(hass, kind) if kind in FOLDER_TITLES else node.title
    return f"{title} ({start + 1}–)"


def _labeled(hass: HomeAssistant, node: Item, page: Item | None = None) -> str:
    """Return the title of a node; that of works with artist and year as on a label, unless their page says these."""
    if node.kind not in LABELED:
        return _name(hass, node)
    said: set[str | int | None] = {page.title} if page else set()
    if page and page.kind in LABELED:
        said |= {page.artist, page.year}
    artist = None if node.artist in said else node.artist
    label = ", ".join(filter(None, (node.title, artist)))
    return f"{label} ({node.year})" if node.year and node.year not in said else label


class ArtMedia(BrowseMediaSource):
    """A browse item with details of a node for cards, for which Home Assistant has no place."""

    details: Mapping[str, Any]

    @override
    def as_dict(self, *, parent: bool = True) -> dict[str, Any]:
        """Return the item as it is sent."""
        return {**super().as_dict(parent=parent), DOMAIN: self.details}


def node_media(
    library: Library, node: Item, picture_url: PictureUrl, page: Item | None = None
) -> BrowseMediaSource:
    """Return the browse item of a node, on the page of another."""
    media_class = CLASSES.get(node.kind, MediaClass.DIRECTORY)
    name = media_id(library.entry_id, node.id)
    thumbnail = picture_url(name) if node.any_picture or node.thumbnail else None
    media = ArtMedia(
        domain=DOMAIN,
        identifier=name.removeprefix(MEDIA_PREFIX),
        media_class=media_class,
        media_content_type=CONTENT_TYPES.get(node.medium or "", media_class.value)
        if media_class is MediaClass.IMAGE
        else media_class.value,
        title=_labeled(library.hass, node, page),
        can_play=node.can_play,
        can_expand=node.can_expand,
        thumbnail=node.thumbnail if node.thumbnail.startswith("/") else thumbnail,
        can_search=node.can_expand and node.kind in SEARCH_CLASSES,
        search_media_classes=SEARCH_CLASSES.get(node.kind) if node.can_expand else None,
    )
    is_photo = node.kind == NodeKind.PHOTO and is_picture(key_of(node))
    media.details = {
        "kind": node.kind,
        "title": _name(library.hass, node),
        "artist": node.artist,
        "year": node.year,
        "series": node.series,
        "of": node.subtitle,
        "favorite": library.favorites.has(node.id)
        if is_photo or node.kind in KINDS
        else None,
        "hidden": library.hidden.has(node.id) if node.kind in SINGLE else None,
    }
    return media


class PlainPage(BrowseMedia):
    """A page that is no node of a library, with its kind for cards."""

    kind: str | None = None

    @override
    def as_dict(self, *, parent: bool = True) -> dict[str, Any]:
        """Return the page as it is sent."""
        return {**super().as_dict(parent=parent), DOMAIN: {"kind": self.kind}}


def plain_page(
    media_id: str,
    title: str,
    children: list[BrowseMedia] | None = None,
    **options: Any,
) -> PlainPage:
    """Return a page that is no node of a library, with other fields of a browse item."""
    return PlainPage(
        media_class=MediaClass.DIRECTORY,
        media_content_id=media_id,
        media_content_type=DIRECTORY,
        title=title,
        can_play=False,
        can_expand=True,
        children=children,
        **options,
    )
