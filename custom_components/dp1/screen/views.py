"""What browsers ask for: the page of screens, its script, its socket, and works that are written in addresses."""

from hashlib import blake2b
from html import escape
from ipaddress import ip_address
import json
from pathlib import Path
from typing import Final, NamedTuple

from aiohttp import hdrs, web
from yarl import URL

from homeassistant.components.http import KEY_HASS, HomeAssistantView
from homeassistant.core import HomeAssistant
from homeassistant.exceptions import ConfigEntryNotReady
from homeassistant.helpers.network import is_cloud_connection
from homeassistant.helpers.singleton import singleton
from homeassistant.loader import async_get_integration
from homeassistant.util.hass_dict import HassKey
from homeassistant.util.language import matches
from homeassistant.util.network import is_local

from ..const import DOMAIN
from ..grants import internal_url, is_loopback
from .page import PATH
from .pairing import Screens
from .qr import qr_code
from .socket import HEARTBEAT
from .sources import is_ours, written_page

FOLDER: Final = Path(__file__).parent
MAX_MESSAGE: Final = 4096
# Where Home Assistant's frontend begins to add this integration.
ADD: Final = f"/_my_redirect/config_flow_start?domain={DOMAIN}"
# The page is Home Assistant's, and what it shows is anybody's: works run in frames of an origin that is not this one.
POLICY: Final = (
    "default-src 'none'; script-src 'self'; style-src 'unsafe-inline'; "
    "img-src http: https: data:; media-src http: https: data: blob:; frame-src http: https: data:; "
    # Of a proxy with a host of its own the socket tells; what the page may not open tells nobody.
    "connect-src ws: wss:; base-uri 'none'; form-action 'none'; frame-ancestors 'none'"
)
WORK_POLICY: Final = "sandbox allow-scripts; frame-ancestors 'self'"
HEADERS: Final = {
    "Referrer-Policy": "no-referrer",
    hdrs.X_CONTENT_TYPE_OPTIONS: "nosniff",
}

SCREENS: Final[HassKey[Screens]] = HassKey(f"{DOMAIN}_screens")


class Files(NamedTuple):
    """The files of the page, its words by language, and what names all that."""

    page: str
    script: str
    words: dict[str, dict[str, str]]
    version: str


def _read_files() -> Files:
    """Read the files."""
    names = ("page.html", "page.js", "words.json")
    page, script, words = ((FOLDER / name).read_text() for name in names)
    version = blake2b(f"{page}{script}{words}".encode(), digest_size=9).hexdigest()
    return Files(page, script, json.loads(words), version)


@singleton(SCREENS, async_=True)
async def async_screens(hass: HomeAssistant) -> Screens:
    """Return the screens, and serve their page from the first time on; they are loaded with the first of their entries."""
    integration = await async_get_integration(hass, DOMAIN)
    files = await hass.async_add_executor_job(_read_files)
    screens = Screens(hass, str(integration.version), files.version)
    hass.http.register_view(PageView(files))
    hass.http.register_view(ScriptView(files))
    hass.http.register_view(SocketView(screens))
    hass.http.register_view(WorkView(screens))
    return screens


def _check_home(request: web.Request) -> URL:
    """Return the address that a browser at home asks for, or raise for any other."""
    if not is_local(ip_address(request.remote or "::")) or is_cloud_connection(
        request.app[KEY_HASS]
    ):
        raise web.HTTPForbidden
    try:
        return request.url
    except ValueError as err:
        raise web.HTTPBadRequest from err


class PageView(HomeAssistantView):
    """The page, which has no secrets, in the language of the browser."""

    requires_auth = False
    url, name = PATH, f"{DOMAIN}:screen"

    def __init__(self, files: Files) -> None:
        """Initialize with the files."""
        self._files = files

    async def get(self, request: web.Request) -> web.Response:
        """Answer with the page."""
        url = _check_home(request)
        language = _language(
            request.headers.get(hdrs.ACCEPT_LANGUAGE, ""), [*self._files.words]
        )
        words = {**self._files.words["en"], **self._files.words[language]}
        # A phone reaches Home Assistant where this browser does, unless that is on the same machine.
        base = str(url.origin())
        if is_loopback(base):
            base = internal_url(request.app[KEY_HASS]) or base
        body = (
            self._files.page.replace("{language}", language)
            .replace("{version}", self._files.version)
            .replace("{words}", escape(json.dumps(words, ensure_ascii=False)))
            .replace("{code}", qr_code(f"{base.rstrip('/')}{ADD}"))
        )
        return _answer(body, "text/html", POLICY)


class ScriptView(HomeAssistantView):
    """The script of the page."""

    requires_auth = False
    url, name = f"{PATH}.js", f"{DOMAIN}:screen:script"

    def __init__(self, files: Files) -> None:
        """Initialize with the files."""
        self._files = files

    async def get(self, request: web.Request) -> web.Response:
        """Answer with the script."""
        _check_home(request)
        return _answer(self._files.script, "text/javascript", POLICY)


class WorkView(HomeAssistantView):
    """A work that is written in an address: served once, to the page that it was told, without an origin."""

    requires_auth = False
    url, name = f"{PATH}/work/{{token}}", f"{DOMAIN}:screen:work"

    def __init__(self, screens: Screens) -> None:
        """Initialize with the screens."""
        self._screens = screens

    async def get(self, request: web.Request, token: str) -> web.Response:
        """Answer with the work."""
        _check_home(request)
        if (source := self._screens.written.pop(token, None)) is None:
            raise web.HTTPNotFound
        hass = request.app[KEY_HASS]
        page = await hass.async_add_executor_job(written_page, source)
        return _answer(page.decode("utf-8", "replace"), "text/html", WORK_POLICY)


class SocketView(HomeAssistantView):
    """The socket of the page."""

    requires_auth = False
    url, name = f"{PATH}/socket", f"{DOMAIN}:screen:socket"

    def __init__(self, screens: Screens) -> None:
        """Initialize with the screens."""
        self._screens = screens

    async def get(self, request: web.Request) -> web.WebSocketResponse:
        """Serve a page until it is closed; a page of another site has nothing to do here."""
        url = _check_home(request)
        origin = request.headers.get(hdrs.ORIGIN, "")
        _, _, host = origin.partition("://")
        is_own = host in (url.authority, request.host) or is_ours(
            request.app[KEY_HASS], origin
        )
        if not host:
            raise web.HTTPForbidden
        page = web.WebSocketResponse(heartbeat=HEARTBEAT, max_msg_size=MAX_MESSAGE)
        await page.prepare(request)
        try:
            if is_own:
                await self._screens.async_serve(
                    page, request.remote or "", is_secure=origin.startswith("https:")
                )
            else:
                # A proxy that tells another host is for the owner to mend, and a page of another site learns nothing by it.
                await page.send_json({"problem": "proxy"})
        except (
            ConfigEntryNotReady,
            ConnectionError,
            TimeoutError,
            TypeError,
            ValueError,
        ):
            # The screens cannot be read for now, or it is not what the page sends.
            pass
        finally:
            await page.close()
        return page


def _answer(body: str, kind: str, policy: str) -> web.Response:
    """Return an answer that is not kept."""
    headers = {
        **HEADERS,
        hdrs.CONTENT_SECURITY_POLICY: policy,
        hdrs.CACHE_CONTROL: "no-cache",
    }
    return web.Response(text=body, content_type=kind, charset="utf-8", headers=headers)


def _language(accepted: str, languages: list[str]) -> str:
    """Return the language of a browser of those that there are."""
    for part in accepted.split(",")[:10]:
        if found := matches(part.partition(";")[0].strip(), languages):
            return found[0]
    return "en"
