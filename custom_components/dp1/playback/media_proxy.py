"""Home Assistant's own media, lent to displays under addresses that outlive a restart, as signed addresses do not."""

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
    """What was asked to be shown: who knows the token, which nobody can guess, may load that and nothing else."""

    def __init__(self, hass: HomeAssistant) -> None:
        """Begin with nothing."""
        self._store = Store[dict[str, str]](
            hass, STORAGE_VERSION, f"{DOMAIN}.media_proxy", private=True
        )
        self._tokens: dict[str, str] = {}

    async def async_load(self) -> None:
        """Read what was lent before."""
        self._tokens = await self._store.async_load() or {}

    @callback
    def lend(self, path: str, media_id: str | None = None) -> str:
        """Give the path under which a display can load something for as long as it hangs.

        Args:
            path: where it is now.
            media_id: the media source's name for it, if it has one, as it may move.
        """
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
        """Tell what was lent under a token: a media id, or a path."""
        return next((it for it, known in self._tokens.items() if known == token), None)

    async def async_forget(self) -> None:
        """Take everything back."""
        self._tokens.clear()
        await self._store.async_remove()


class MediaProxyView(HomeAssistantView):
    """Leads a display to what was lent to it."""

    url = f"{PATH}{{token}}/{{path:.*}}"
    name = f"api:{DOMAIN}:media"
    # A display cannot sign in.
    requires_auth = False

    async def get(self, request: web.Request, token: str, path: str) -> web.Response:
        """Lead there; where it is may have changed since."""
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
            # Not with the session of whoever asks: nobody does.
            wanted = async_sign_path(hass, wanted, SIGNED_FOR, use_content_user=True)
        return web.Response(
            status=HTTPStatus.FOUND, headers={"Location": str(URL(wanted))}
        )

    head = get


async def async_setup_media_proxy(hass: HomeAssistant) -> None:
    """Begin to lend."""
    media_proxy = hass.data[MEDIA_PROXY] = MediaProxy(hass)
    await media_proxy.async_load()
    hass.http.register_view(MediaProxyView())
