"""Media proxy: URLs for local media that displays can load without login, also after a restart.

The playlist of a collection is served likewise, so that displays which follow it read it again by themselves.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import timedelta
from http import HTTPStatus
import re
from secrets import token_urlsafe
from typing import Final
from urllib.parse import quote

from aiohttp import hdrs, web
from yarl import URL

from homeassistant.components import image, media_source
from homeassistant.components.http import KEY_HASS, HomeAssistantView
from homeassistant.components.http.auth import async_sign_path
from homeassistant.config_entries import ConfigEntryState
from homeassistant.const import Platform
from homeassistant.core import HomeAssistant, callback
from homeassistant.exceptions import HomeAssistantError
from homeassistant.helpers.network import NoURLAvailableError, get_url

from ..client.display.client import Cast
from ..const import DOMAIN
from ..coordinator import DisplayCoordinator
from ..data import DATA
from ..errors import action_failed
from ..library.entries import async_build_playlist
from ..library.node import MEDIA_PREFIX
from ..storage import SafeStore

PATH: Final = f"/api/{DOMAIN}/media"
# Media ids of cameras in the media browser.
LIVE: Final = "media-source://camera/"
# The token of a medium, by itself or within a page.
TOKEN: Final = re.compile(rf"(?<={re.escape(PATH)})([^?\"'<>\s]*)\?token=([\w-]+)")
SAVE_DELAY = 1
# For media without a file, which are redirected to. Long enough for a film.
SIGNED_FOR = timedelta(hours=3)
# What a display loads must not run on Home Assistant's origin in a user's browser.
HEADERS: Final[Mapping[str, str]] = {
    "Content-Security-Policy": "sandbox",
    "X-Content-Type-Options": "nosniff",
    hdrs.CACHE_CONTROL: "private, no-cache",
}


@dataclass(slots=True)
class Grant:
    """Permission to load one medium.

    Attributes:
        media_id: id of the media source, a camera or image entity, or a collection of a library.
        entry_ids: config entries of the displays that it was cast to.
        fresh_until: until when a display may be about to show it, on the clock of the event loop.
    """

    media_id: str
    entry_ids: list[str] = field(default_factory=list)
    fresh_until: float = field(default=0.0, metadata={"serialize": "omit"})


class MediaProxy:
    """Media that displays may load, each by a secret token, for as long as a display shows it or can return to it."""

    def __init__(self, hass: HomeAssistant) -> None:
        """Initialize without media."""
        self._hass = hass
        self._store = SafeStore(hass, "media_proxy", dict[str, Grant])
        self._grants: dict[str, Grant] = {}

    async def async_load(self) -> None:
        """Load the tokens from storage."""
        self._grants = await self._store.async_load_parsed() or {}

    @callback
    def async_url(self, media_id: str, path: str) -> str:
        """Return the URL at which displays can load a medium that is at a local path now, or raise that there is none."""
        base = base_url(self._hass)
        self._grants = {
            token: grant
            for token, grant in self._grants.items()
            if self._is_used(token, grant)
        }
        known = (
            token for token, grant in self._grants.items() if grant.media_id == media_id
        )
        if not (token := next(known, "")):
            token = token_urlsafe(32)
            self._grants[token] = Grant(media_id)
            self._save()
        self._refresh(self._grants[token])
        return f"{base}{PATH}{quote(path)}?token={token}"

    @callback
    def async_use(self, cast: Cast, entry_id: str) -> None:
        """Note that media are cast to a display."""
        for _, token in TOKEN.findall("\n".join(sources_of(cast))):
            if (grant := self._grants.get(token)) is not None:
                self._refresh(grant)
                if entry_id not in grant.entry_ids:
                    grant.entry_ids.append(entry_id)
                    self._save()

    def media_id_of(self, source: str) -> str | None:
        """Return the medium at a URL, if it is one of ours."""
        match = TOKEN.search(source)
        return self.media_id(match[2]) if match else None

    def media_id(self, token: str) -> str | None:
        """Return the medium of a token, if it is valid."""
        grant = self._grants.get(token)
        return grant.media_id if grant and self._is_used(token, grant) else None

    @callback
    def async_forget(self, entry_id: str) -> None:
        """End the access of a display that is removed."""
        for token, grant in list(self._grants.items()):
            if entry_id in grant.entry_ids:
                grant.entry_ids.remove(entry_id)
                if not grant.entry_ids:
                    del self._grants[token]
        self._save()

    def _is_used(self, token: str, grant: Grant) -> bool:
        """Return whether a display shows a medium, can return to it, or is about to show it."""
        return self._hass.loop.time() < grant.fresh_until or any(
            self._is_used_by(token, entry_id) for entry_id in grant.entry_ids
        )

    def _is_used_by(self, token: str, entry_id: str) -> bool:
        """Return whether a display uses a medium; unless that is known, it does."""
        entry = self._hass.config_entries.async_get_entry(entry_id)
        if entry is None:
            return False
        if entry.state is not ConfigEntryState.LOADED:
            return True
        coordinator: DisplayCoordinator = entry.runtime_data
        data = coordinator.data
        if data.player is None and data.assumed is None:
            return True
        given = [entry.cast for entry in coordinator.history.entries()]
        if data.assumed is not None:
            given.append(data.assumed)
        sources = [source for cast in given for source in sources_of(cast)]
        if data.player is not None:
            sources += [item.source or "" for item in data.player.items]
            sources.append(data.player.playlist_url or "")
        return any(token in source for source in sources)

    def _refresh(self, grant: Grant) -> None:
        """Keep a medium open until the display has reported that it shows it."""
        grace = self._hass.data[DATA].timing.proxy_grace
        grant.fresh_until = self._hass.loop.time() + grace

    def _save(self) -> None:
        """Save the tokens."""
        self._store.async_delay_save(lambda: self._grants, SAVE_DELAY)


def sources_of(cast: Cast) -> list[str]:
    """Return the sources of the works of a cast, and its URL."""
    items = (cast.playlist or {}).get("items") or ()
    sources = (item.get("source") for item in items)
    return [url for url in (cast.playlist_url, *sources) if isinstance(url, str)]


def base_url(hass: HomeAssistant) -> str:
    """Return the URL of Home Assistant in the local network."""
    try:
        return get_url(hass, allow_external=False, allow_cloud=False)
    except NoURLAvailableError as err:
        raise action_failed("no_internal_url") from err


def page_url(html: str) -> str:
    """Return a page as a URL, in which the URLs of media stay readable."""
    return f"data:text/html;charset=utf-8,{quote(html, safe='/:?=')}"


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
        media_id = hass.data[DATA].media_proxy.media_id(request.query.get("token", ""))
        if media_id is None:
            return web.Response(status=HTTPStatus.NOT_FOUND)
        try:
            return await _async_serve(hass, request, media_id)
        except HomeAssistantError:
            return web.Response(status=HTTPStatus.NOT_FOUND)

    head = get


async def _async_serve(
    hass: HomeAssistant, request: web.Request, media_id: str
) -> web.StreamResponse:
    """Return the response with a medium."""
    if media_id.startswith(MEDIA_PREFIX):
        built = await async_build_playlist(hass, {"media_content_id": media_id})
        return web.json_response(built.cast.playlist, headers=HEADERS)
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


def without_token(source: str | None) -> str | None:
    """Return the source of a work without what lets anybody load it."""
    return TOKEN.sub(r"\1", source) if source else source


def public_media_id(hass: HomeAssistant, media_id: str | None) -> str | None:
    """Return the media id of what a display shows; of a playlist that is served here, what it is of."""
    if media_id is None or PATH not in media_id:
        return media_id
    url, mark, place = media_id.partition("#")
    known = hass.data[DATA].media_proxy.media_id(URL(url).query.get("token", ""))
    return f"{known or without_token(url)}{mark}{place}"
