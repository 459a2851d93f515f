"""Media source of the libraries."""

from typing import Any, override

from homeassistant.components.media_player import (
    BrowseError,
    MediaClass,
    SearchMedia,
    SearchMediaQuery,
)
from homeassistant.components.media_source import (
    BrowseMediaSource,
    MediaSource,
    MediaSourceItem,
    PlayMedia,
    Unresolvable,
)
from homeassistant.core import HomeAssistant

from .browse.pages import CONTENT_TYPES, NAME, async_browse_library, node_media
from .browse.pictures import PICTURES, picture_path, tile_path
from .browse.search import async_search_libraries
from .client.text import PAGE, media_type
from .const import DOMAIN
from .errors import action_failed, raised_as, retyped
from .library.libraries import library_and_node, told
from .library.node import PHOTOS, WORKS, NodeKind, key_of, media_id
from .library.providers.pictures import async_medium

# Most works are programs that run in a page.


async def async_get_media_source(hass: HomeAssistant) -> MediaSource:
    """Set up the media source."""
    return LibraryMediaSource(hass)


class LibraryMediaSource(MediaSource):
    """Media source of all libraries."""

    name = NAME

    def __init__(self, hass: HomeAssistant) -> None:
        """Initialize the media source."""
        super().__init__(DOMAIN)
        self.hass = hass

    @override
    async def async_browse_media(self, item: MediaSourceItem) -> BrowseMediaSource:
        """Browse a node."""
        page = await async_browse_library(self.hass, item.media_source_id, tile_path)
        if (item.identifier or "").split("/")[1:2] == [NodeKind.EXHIBITION]:
            # Image entities of collections pick among images: a series of several works resolves to its still.
            for child in page.children or ():
                if child.can_expand and child.thumbnail:
                    child.media_class = MediaClass.IMAGE
        return page

    @override
    async def async_search_media(
        self, item: MediaSourceItem, query: SearchMediaQuery
    ) -> SearchMedia:
        """Search the libraries."""
        with raised_as(BrowseError):
            nodes = await async_search_libraries(self.hass, query, item.media_source_id)
        return SearchMedia(
            result=[node_media(library, node, tile_path) for library, node in nodes]
        )

    @override
    async def async_resolve_media(self, item: MediaSourceItem) -> PlayMedia:
        """Resolve a single work, or a series to its still; anything else can only be cast to a display."""
        with raised_as(Unresolvable):
            library, text = library_and_node(self.hass, item.media_source_id)
            with told(library, text):
                node = await library.async_node(text)
                if node.kind in PHOTOS:
                    return await async_medium(self.hass, key_of(node))
                items: list[dict[str, Any]] = []
                if node.kind in WORKS or (
                    node.kind == NodeKind.SERIES and node.works == 1
                ):
                    items = (await library.async_build_playlist(text)).items
        name = media_id(library.entry_id, text)
        if not items:
            if node.kind == NodeKind.SERIES and (
                picture := await self._async_still(name)
            ):
                return picture
            error = action_failed("only_on_displays", title=node.title)
            raise retyped(error, Unresolvable)
        source: str = items[0]["source"]
        kind = _type_of(source, node.medium)
        if kind == PAGE and node.small_picture:
            # Browsers and other players show no programs: a still of the work instead.
            if still := await self._async_still(name):
                return still
        return PlayMedia(source, kind)

    async def _async_still(self, name: str) -> PlayMedia | None:
        """Return the picture of a node as media, if it has one."""
        picture = await self.hass.data[PICTURES].async_of(name)
        return PlayMedia(picture_path(name), picture.content_type) if picture else None

    # Without @override and its own type: sources have it since 2026.11, and are not asked before.
    async def async_get_media_image(self, item: MediaSourceItem) -> Any:
        """Return the picture of a work or a folder, for those who take no address."""
        from homeassistant.components.media_source import MediaImage  # type: ignore[attr-defined]  # noqa: PLC0415

        picture = await self.hass.data[PICTURES].async_of(item.media_source_id)
        return MediaImage(picture.content, picture.content_type) if picture else None


def _type_of(source: str, medium: str | None) -> str:
    """Guess the media type of a work without a request."""
    return media_type(source) or CONTENT_TYPES.get(medium or "", PAGE)
