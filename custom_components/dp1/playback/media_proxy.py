"""Media proxy: URLs for local media that displays can load without login, also after a restart."""

from datetime import timedelta
from http import HTTPStatus
from secrets import token_urlsafe
from typing import Final

from aiohttp import web
from yarl import URL

from homeassistant.components import media_source
from homeassistant.components.http import KEY_HASS, HomeAssistantView
from homeassistant.components.http.auth import async_sign_path
from homeassistant.core import HomeAssistant, callback
from homeassistant.exceptions import HomeAssistantError
from homeassistant.helpers.storage import Store
from homeassistant.util.hass_dict import HassKey

from ..const import DOMAIN

MEDIA_PROXY: Final[HassKey[MediaProxy]] = HassKey(f"{DOMAIN}_media_proxy")
PATH: Final = f"/api/{DOMAIN}/media/"
STORAGE_VERSION = 1
SAVE_DELAY = 1
MAX_LENT = 256
# Long enough for a film.
SIGNED_FOR = timedelta(hours=24)
SIGNED_PATHS = ("/media/", "/api/")


class MediaProxy:
    """Media that displays may load, each by a secret token."""

    def __init__(self, hass: HomeAssistant) -> None:
        """Initialize without media."""
        self._store = Store[dict[str, str]](
            hass, STORAGE_VERSION, f"{DOMAIN}.media_proxy", private=True
        )
        self._tokens: dict[str, str] = {}

    async def async_load(self) -> None:
        """Load the tokens from storage."""
        self._tokens = await self._store.async_load() or {}

    @callback
    def lend(self, path: str, media_id: str | None = None) -> str:
        """Return the path under which a display can load a local path or what a media id resolves to."""
        if path.startswith(PATH):
            return path
        wanted = media_id or path
        token = self._tokens.pop(wanted, None) or token_urlsafe(32)
        self._tokens[wanted] = token
        while len(self._tokens) > MAX_LENT:
            del self._tokens[next(iter(self._tokens))]
        self._store.async_delay_save(lambda: dict(self._tokens), SAVE_DELAY)
        return f"{PATH}{token}{path}"

    def lent(self, token: str) -> str | None:
        """Return the media id or path of a token."""
        return next(
            (media for media, known in self._tokens.items() if known == token), None
        )

    async def async_forget(self) -> None:
        """Remove all media."""
        self._tokens.clear()
        await self._store.async_remove()


class MediaProxyView(HomeAssistantView):
    """View that redirects displays to the media of a token."""

    url = f"{PATH}{{token}}/{{path:.*}}"
    name = f"api:{DOMAIN}:media"
    # A display cannot sign in.
    requires_auth = False

    async def get(self, request: web.Request, token: str, path: str) -> web.Response:
        """Redirect to where the media is now."""
        hass = request.app[KEY_HASS]
        if (wanted := hass.data[MEDIA_PROXY].lent(token)) is None:
            return web.Response(status=HTTPStatus.NOT_FOUND)
        if media_source.is_media_source_id(wanted):
            try:
                media = await media_source.async_resolve_media(hass, wanted, None)
            except HomeAssistantError:
                return web.Response(status=HTTPStatus.NOT_FOUND)
            wanted = media.url
        if wanted.startswith(SIGNED_PATHS) and not URL(wanted).query:
            # Displays have no session.
            wanted = async_sign_path(hass, wanted, SIGNED_FOR, use_content_user=True)
        return web.Response(
            status=HTTPStatus.FOUND, headers={"Location": str(URL(wanted))}
        )

    head = get


async def async_setup_media_proxy(hass: HomeAssistant) -> None:
    """Set up the media proxy."""
    media_proxy = hass.data[MEDIA_PROXY] = MediaProxy(hass)
    await media_proxy.async_load()
    hass.http.register_view(MediaProxyView())
