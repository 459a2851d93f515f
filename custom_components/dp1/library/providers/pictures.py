"""Pictures of Home Assistant: uploads, and files in its media folders."""

from dataclasses import replace
from mimetypes import guess_file_type
from typing import Final, override

from yarl import URL

from homeassistant.components import media_source
from homeassistant.components.media_source import PlayMedia
from homeassistant.core import HomeAssistant
from homeassistant.exceptions import HomeAssistantError

from ...client.display.player_status import PlaylistItem
from ...client.errors import NotFoundError
from ...client.playlist.playlist import Playlist
from ...client.text import MAX_TITLE, clean
from ...errors import component_errors, invalid_input
from ...grants import GRANTS, SVG, internal_url, picture_page
from ..folder import FILES
from ..item import Item
from ..node import NodeKind, key_of, node_id, split_node_id
from .provider import Json, Provider

UPLOADS: Final = "media-source://image_upload"


class Pictures(Provider):
    """Pictures of Home Assistant, kept as favorites or not."""

    kinds = (NodeKind.PICTURE,)
    is_personal = True

    @override
    async def async_node(self, node: str, patience: float) -> Item:
        """Return a picture; the key is its media id."""
        match split_node_id(node):
            case NodeKind.PICTURE, [key] if is_picture(key):
                title = await _async_title(self.hass, key)
                return replace(_work(self.hass, key), title=title)
        raise NotFoundError("not a picture of Home Assistant")

    @override
    async def async_build(self, item: Item, limit: int | None) -> Playlist:
        """Build the playlist of a picture."""
        work = await async_item(self.hass, item, self.preferences.duration)
        return self.build_items(item, [work])

    @override
    def find(self, item: PlaylistItem) -> Item | None:
        """Return the picture that a display shows, so that it can be kept."""
        media_id = self.hass.data[GRANTS].media_id_of(item.source or "")
        if media_id is None or not is_picture(media_id):
            return None
        return _work(self.hass, media_id)


def _work(hass: HomeAssistant, media_id: str) -> Item:
    """Return the work of a picture, without a title."""
    return Item(
        id=node_id(NodeKind.PICTURE, media_id),
        kind=NodeKind.PICTURE,
        picture=_thumbnail(hass, media_id),
        medium="image",
        can_play=True,
    )


async def _async_title(hass: HomeAssistant, media_id: str) -> str:
    """Return the name of the file without its suffix; the address of an upload does not tell it."""
    file = await async_upload_name(hass, media_id) or media_id.rpartition("/")[2]
    name = clean(file, MAX_TITLE)
    return name.rpartition(".")[0] or name


async def async_item(hass: HomeAssistant, picture: Item, duration: float) -> Json:
    """Return the playlist item of a picture, at an address that displays can load; raises NotFoundError."""
    media_id = key_of(picture)
    try:
        media = await async_medium(hass, media_id)
    except HomeAssistantError as err:
        raise NotFoundError(str(err)) from err
    source = hass.data[GRANTS].async_url(media_id, URL(media.url).path)
    if media.mime_type == SVG:
        source = picture_page(source)
    return Item(title=picture.title, source=source).to_dp1(duration=duration)


async def async_medium(hass: HomeAssistant, media_id: str) -> PlayMedia:
    """Return a medium of Home Assistant, or raise HomeAssistantError if there is none, or its file is not there."""
    with component_errors(media_id):
        media = await media_source.async_resolve_media(hass, media_id, None)
    if media.path and not await hass.async_add_executor_job(media.path.is_file):
        raise invalid_input("no_such_media", media_id=media_id)
    return media


def is_picture(media_id: str) -> bool:
    """Return whether a media id is that of an uploaded picture, or of one in a media folder."""
    if media_id.startswith(f"{UPLOADS}/"):
        return True
    kind, _ = guess_file_type(media_id)
    return media_id.startswith(FILES) and (kind or "").startswith("image/")


async def async_upload_name(hass: HomeAssistant, media_id: str) -> str | None:
    """Return the name of the file that was uploaded, None if it was not."""
    if not media_id.startswith(UPLOADS):
        return None
    with component_errors(media_id):
        uploads = await media_source.async_browse_media(hass, UPLOADS)
    names = {it.media_content_id: it.title for it in uploads.children or ()}
    return names.get(media_id)


def _thumbnail(hass: HomeAssistant, media_id: str) -> str | None:
    """Return the address at which Home Assistant serves an uploaded picture in small."""
    if not media_id.startswith(f"{UPLOADS}/"):
        return None
    base = internal_url(hass)
    return base and f"{base}/api/image/serve/{URL(media_id).name}/512x512"
