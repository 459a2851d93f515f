"""Media proxy: URLs for local media that displays can load without login, also after a restart.

The playlist of a collection is served likewise, so that displays which follow it read it again by themselves.
"""

from collections.abc import Mapping
from datetime import timedelta
from http import HTTPStatus
from typing import Final

from aiohttp import hdrs, web
from yarl import URL

from homeassistant.components import image, media_source
from homeassistant.components.http import KEY_HASS, HomeAssistantView
from homeassistant.components.http.auth import async_sign_path
from homeassistant.config_entries import ConfigEntryState
from homeassistant.const import Platform
from homeassistant.core import HomeAssistant
from homeassistant.exceptions import HomeAssistantError

from ..client.playlist.playlist import Playlist
from ..const import DOMAIN
from ..coordinator import DisplayCoordinator
from ..errors import component_errors
from ..grants import GRANTS, LIVE, PATH, tokens_in
from ..library.entries import async_build_playlist
from ..library.node import MEDIA_PREFIX

# For media without a file, which are redirected to. Long enough for a film.
SIGNED_FOR = timedelta(hours=3)
# What a display loads must not run on Home Assistant's origin in a user's browser.
HEADERS: Final[Mapping[str, str]] = {
    "Content-Security-Policy": "sandbox",
    "X-Content-Type-Options": "nosniff",
    hdrs.CACHE_CONTROL: "private, no-cache",
}


def tokens_on(hass: HomeAssistant, entry_id: str, only_now: bool) -> set[str] | None:
    """Return the tokens of what a display shows, or also of what it can return to; None in doubt."""
    entry = hass.config_entries.async_get_entry(entry_id)
    if entry is None:
        return set()
    if entry.state is not ConfigEntryState.LOADED:
        return None
    coordinator: DisplayCoordinator = entry.runtime_data
    data = coordinator.data
    if data.player is None and data.assumed is None:
        return None
    playlists: list[Playlist] = []
    if not only_now:
        playlists += [entry.playlist for entry in coordinator.history.entries()]
    if data.assumed is not None:
        playlists.append(data.assumed)
    sources = [source for playlist in playlists for source in playlist.sources]
    if data.player is not None:
        sources += [item.source or "" for item in data.player.items]
        sources.append(data.player.playlist_url or "")
    return tokens_in(sources)


class MediaProxyView(HomeAssistantView):
    """View that serves the medium of a token."""

    url = f"{PATH}/{{path:.*}}"
    name = f"api:{DOMAIN}:media"
    # Displays cannot sign in, and load films only with permission.
    requires_auth = False
    cors_allowed = True

    async def get(self, request: web.Request, path: str) -> web.StreamResponse:
        """Serve a medium from where it is now."""
        hass = request.app[KEY_HASS]
        media_id = hass.data[GRANTS].served(request.query.get("token", ""))
        if media_id is None:
            return web.Response(status=HTTPStatus.NOT_FOUND)
        try:
            with component_errors(media_id):
                return await _async_serve(hass, request, media_id)
        except HomeAssistantError:
            return web.Response(status=HTTPStatus.NOT_FOUND)

    head = get


async def _async_serve(
    hass: HomeAssistant, request: web.Request, media_id: str
) -> web.StreamResponse:
    """Return the response with a medium."""
    if media_id.startswith(MEDIA_PREFIX):
        playlist = await async_build_playlist(hass, {"media_content_id": media_id})
        return web.json_response(playlist.document, headers=HEADERS)
    entity_id = media_id.removeprefix(LIVE)
    if not media_source.is_media_source_id(entity_id):
        return await _async_serve_entity(
            hass, request, entity_id, entity_id != media_id
        )
    media = await media_source.async_resolve_media(hass, media_id, None)
    if media.path is not None:
        # Uploaded pictures have no suffix that would tell it.
        return web.FileResponse(
            media.path, headers={**HEADERS, hdrs.CONTENT_TYPE: media.mime_type}
        )
    url = media.url
    if url.startswith("/") and not URL(url).query:
        # Displays have no session.
        url = async_sign_path(hass, url, SIGNED_FOR, use_content_user=True)
    return web.Response(
        status=HTTPStatus.FOUND, headers={**HEADERS, hdrs.LOCATION: str(URL(url))}
    )


async def _async_serve_entity(
    hass: HomeAssistant, request: web.Request, entity_id: str, is_live: bool
) -> web.StreamResponse:
    """Return the picture of a camera or image entity now, or stream a camera until the display shows something else."""
    if not is_picture_entity(hass, entity_id):
        raise HomeAssistantError(f"{entity_id} is not there")
    if entity_id.startswith(f"{Platform.IMAGE}."):
        picture = await image.async_get_image(hass, entity_id)
        return web.Response(
            body=picture.content, content_type=picture.content_type, headers=HEADERS
        )
    # Its libraries are only installed where there are cameras.
    from homeassistant.components import camera  # noqa: PLC0415

    if not is_live:
        still = await camera.async_get_image(hass, entity_id)
        return web.Response(
            body=still.content, content_type=still.content_type, headers=HEADERS
        )
    if request.method == hdrs.METH_HEAD:
        return web.Response(content_type="multipart/x-mixed-replace")
    stream = await camera.async_get_mjpeg_stream(hass, request, entity_id)
    return stream or web.Response(status=HTTPStatus.BAD_GATEWAY)


def is_picture_entity(hass: HomeAssistant, media_id: str) -> bool:
    """Return whether a media id is a camera or image entity."""
    return (
        media_id.partition(".")[0] in (Platform.CAMERA, Platform.IMAGE)
        and hass.states.get(media_id) is not None
    )
