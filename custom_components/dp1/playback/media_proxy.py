"""Media proxy: URLs for local media that displays can load without login, also after a restart.

The playlist of a collection is served likewise, so that displays which follow it read it again by themselves.
"""

import asyncio
from collections.abc import Mapping
from datetime import timedelta
from http import HTTPStatus
from typing import Any, Final, override

from aiohttp import ClientError, ClientTimeout, hdrs, web
from aiohttp.abc import AbstractStreamWriter
from yarl import URL

from homeassistant.components import image, media_source
from homeassistant.components.http import KEY_HASS, HomeAssistantView
from homeassistant.components.http.auth import async_sign_path
from homeassistant.config_entries import ConfigEntry, ConfigEntryState
from homeassistant.const import Platform
from homeassistant.core import HomeAssistant
from homeassistant.exceptions import HomeAssistantError
from homeassistant.helpers.aiohttp_client import async_get_clientsession

from ..const import DOMAIN, PLAYER_ORIGIN
from ..coordinator import DisplayCoordinator
from ..display.hung import Hung
from ..errors import component_errors
from ..grants import (
    GRANTS,
    KEPT,
    LIVE,
    PATH,
    internal_url,
    is_live,
    lent_in,
    media_id_at,
)
from ..library.folder import FOLDER_PREFIX
from ..library.libraries import async_build_playlist, async_libraries
from ..library.node import MEDIA_PREFIX
from .hidden import without_hidden
from .kept_files import kept_file

# For media without a file, which Home Assistant reads from itself at once.
SIGNED_FOR: Final = timedelta(minutes=1)
# Seconds between looks whether what is being sent is still lent.
LENT_CHECK: Final = 1.0
# Of what is read from itself, in bytes.
CHUNK: Final = 64 * 1024
# What a player asks for a part of a film, and what it is answered.
ASKED: Final = (hdrs.RANGE, hdrs.IF_RANGE, hdrs.IF_NONE_MATCH, hdrs.IF_MODIFIED_SINCE)
ANSWERED: Final = (
    hdrs.CONTENT_TYPE,
    hdrs.CONTENT_LENGTH,
    hdrs.CONTENT_RANGE,
    hdrs.ACCEPT_RANGES,
    hdrs.ETAG,
    hdrs.LAST_MODIFIED,
    hdrs.LOCATION,
)
# What a display loads must not run on Home Assistant's origin in a user's browser.
HEADERS: Final[Mapping[str, str]] = {
    hdrs.CONTENT_SECURITY_POLICY: "sandbox",
    hdrs.X_FRAME_OPTIONS: "SAMEORIGIN",
    hdrs.X_CONTENT_TYPE_OPTIONS: "nosniff",
    hdrs.CACHE_CONTROL: "private, no-cache",
}


def tokens_on(entry: ConfigEntry[Any], only_now: bool) -> set[str] | None:
    """Return the tokens of what a display shows, or also of what it can return to; None in doubt."""
    if entry.state is not ConfigEntryState.LOADED:
        return None
    coordinator: DisplayCoordinator = entry.runtime_data
    player, assumed = coordinator.data.player, coordinator.assumed
    if player is None and assumed is None:
        return None
    casts: list[Hung] = [assumed] if assumed else []
    if not only_now:
        casts += coordinator.history.entries()
        casts += (it.hung for it in coordinator.wall.notes.announced)
    sources = [source for hung in casts for source in hung.sources]
    if player is not None:
        sources += [item.source or "" for item in player.items]
        sources.append(player.playlist_url or "")
    return {token for it in sources if PATH in it for _, token in lent_in(it)}


class MediaProxyView(HomeAssistantView):
    """View that serves the medium of a token."""

    url = f"{PATH}/{{key}}/{{name}}"
    name = f"api:{DOMAIN}:media"
    # Displays cannot sign in.
    requires_auth = False

    async def get(
        self, request: web.Request, key: str, name: str
    ) -> web.StreamResponse:
        """Serve a medium from where it is now; a stream of a camera for as long as it is lent."""
        grants = request.app[KEY_HASS].data[GRANTS]
        media_id, token = media_id_at(key), request.query.get("token", "")
        if (entry_id := grants.served(media_id, token)) is None:
            return web.Response(status=HTTPStatus.NOT_FOUND)
        send = _async_send(request, media_id, entry_id)
        if not is_live(media_id):
            return await send
        sending = asyncio.ensure_future(send)
        try:
            while not sending.done():
                await asyncio.wait({sending}, timeout=LENT_CHECK)
                if not sending.done() and grants.served(media_id, token) is None:
                    sending.cancel()
                    await asyncio.wait({sending})
                    # The rest of an answer that has begun is nobody's.
                    if request.transport is not None:
                        request.transport.abort()
                    return web.Response(status=HTTPStatus.NOT_FOUND)
            return await sending
        finally:
            sending.cancel()

    head = get


async def _async_send(
    request: web.Request, media_id: str, entry_id: str
) -> web.StreamResponse:
    """Send a medium to a display, to the end."""
    hass = request.app[KEY_HASS]
    try:
        with component_errors(media_id):
            response = await _async_serve(hass, request, media_id, entry_id)
    except HomeAssistantError:
        response = web.Response(status=HTTPStatus.NOT_FOUND)
    if not response.prepared:
        # A stream of a camera is nothing that a page may read.
        if not media_id.startswith(LIVE):
            response.headers.update(_allowed_origin(hass, request))
        await response.prepare(request)
    await response.write_eof()
    if response.status == HTTPStatus.NOT_FOUND:
        for library in async_libraries(hass):
            for album in library.albums.albums:
                album.missed(media_id)
    return response


def _own_pages(hass: HomeAssistant) -> set[str]:
    """Return the origins of the pages that show what is lent: the player of displays, and our own."""
    own = (internal_url(hass), hass.config.external_url)
    return {PLAYER_ORIGIN, *(str(URL(url).origin()) for url in own if url)}


def _allowed_origin(hass: HomeAssistant, request: web.Request) -> Mapping[str, str]:
    """Return the headers for pages that may read what is lent; a player reads films, and types that no suffix tells."""
    origin = request.headers.get(hdrs.ORIGIN, "")
    named = origin in _own_pages(hass)
    allowed = {"Access-Control-Allow-Origin": origin} if named else {}
    return {"Vary": "Origin", **allowed}


class LentFile(web.FileResponse):
    """A file that is sent once, by the view itself: Home Assistant would add headers by which no page may frame it."""

    @override
    async def prepare(self, request: web.BaseRequest) -> AbstractStreamWriter | None:
        """Send it, unless it was."""
        return None if self.prepared else await super().prepare(request)


async def _async_serve(
    hass: HomeAssistant, request: web.Request, media_id: str, entry_id: str
) -> web.StreamResponse:
    """Return the response with a medium for a display."""
    if media_id.startswith((MEDIA_PREFIX, FOLDER_PREFIX)):
        built = await async_build_playlist(hass, {"media_content_id": media_id})
        playlist = without_hidden(hass, built)
        playlist = await hass.data[GRANTS].async_lent(playlist, entry_id)
        return web.json_response(playlist.document, headers=HEADERS)
    if media_id.startswith(KEPT):
        if (kept := kept_file(hass, media_id.partition("/")[2])) is None:
            raise HomeAssistantError("The file is not kept any more")
        files, file = kept
        headers = {**HEADERS, hdrs.CONTENT_TYPE: file.kind}
        return LentFile(files.path_of(file), headers=headers)
    entity_id = media_id.removeprefix(LIVE)
    if not media_source.is_media_source_id(entity_id):
        return await _async_serve_entity(
            hass, request, entity_id, entity_id != media_id
        )
    media = await media_source.async_resolve_media(hass, media_id, None)
    if media.path is not None:
        # Uploaded pictures have no suffix that would tell it.
        headers = {**HEADERS, hdrs.CONTENT_TYPE: media.mime_type}
        if media.mime_type.startswith("text/html"):
            # A page of one's own runs in the frame of a player, away from Home Assistant.
            del headers[hdrs.X_FRAME_OPTIONS]
            pages = " ".join(["'self'", *sorted(_own_pages(hass))])
            headers[hdrs.CONTENT_SECURITY_POLICY] = (
                f"sandbox allow-scripts; frame-ancestors {pages}"
            )
        return LentFile(media.path, headers=headers)
    if URL(media.url).absolute:
        return web.Response(
            status=HTTPStatus.FOUND,
            headers={**HEADERS, hdrs.LOCATION: str(URL(media.url))},
        )
    return await _async_serve_own(hass, request, media.url)


async def _async_serve_own(
    hass: HomeAssistant, request: web.Request, path: str
) -> web.StreamResponse:
    """Return the response with what another view has: a signed address would be open for longer than the medium is lent."""
    if not URL(path).query:
        # Displays have no session.
        path = async_sign_path(hass, path, SIGNED_FOR, use_content_user=True)
    transport = request.transport
    if transport is None:
        raise HomeAssistantError("The display is gone")
    host, port, *_ = transport.get_extra_info("sockname")
    is_secure = transport.get_extra_info("sslcontext") is not None
    own = URL.build(scheme="https" if is_secure else "http", host=host, port=port)
    # The certificate is of another name.
    session = async_get_clientsession(hass, verify_ssl=False)
    try:
        async with session.request(
            request.method,
            own.join(URL(path)),
            headers={it: request.headers[it] for it in ASKED if it in request.headers},
            allow_redirects=False,
            auto_decompress=False,
            timeout=ClientTimeout(sock_connect=10),
        ) as answer:
            response = web.StreamResponse(status=answer.status, headers=HEADERS)
            for name in filter(answer.headers.__contains__, ANSWERED):
                response.headers[name] = answer.headers[name]
            response.headers.update(_allowed_origin(hass, request))
            await response.prepare(request)
            try:
                async for chunk in answer.content.iter_chunked(CHUNK):
                    await response.write(chunk)
            except ClientError:
                # So that half a film is not taken for a whole one.
                transport.abort()
    except ClientError as err:
        raise HomeAssistantError(str(err)) from err
    return response


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
