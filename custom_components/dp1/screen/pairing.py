"""Pairing of screens: the page that browsers open, the codes that they show, and the secrets that they keep."""

import asyncio
from dataclasses import dataclass, field
from hashlib import sha256
from hmac import compare_digest
from ipaddress import ip_address
from pathlib import Path
import secrets
from typing import Any, Final

from aiohttp import web

from homeassistant.components.http import HomeAssistantView
from homeassistant.config_entries import (
    SIGNAL_CONFIG_ENTRY_CHANGED,
    ConfigEntry,
    ConfigEntryChange,
)
from homeassistant.const import CONF_HOST, CONF_PORT, EVENT_HOMEASSISTANT_STOP
from homeassistant.core import Event, HomeAssistant, callback
from homeassistant.exceptions import ConfigEntryNotReady
from homeassistant.helpers.dispatcher import async_dispatcher_connect
from homeassistant.helpers.network import is_cloud_connection
from homeassistant.helpers.singleton import singleton
from homeassistant.loader import async_get_integration
from homeassistant.util.hass_dict import HassKey
from homeassistant.util.json import json_loads_object
from homeassistant.util.network import is_loopback, is_private

from ..client.values import text
from ..const import DOMAIN
from ..grants import internal_url
from ..storage import SafeStore
from .player import State
from .server import LOOPBACK, Server

PREFIX: Final = "SCREEN-"
PATH: Final = f"/{DOMAIN}/screen"
CONF_LET_OTHERS_CAST: Final = "let_others_cast"
MAX_CODES: Final = 5
CODE_SECONDS: Final = 600.0
HEARTBEAT: Final = 15.0
MAX_MESSAGE: Final = 4096
# Until a page says who it is.
HELLO_SECONDS = 10.0
# Each work that is shown changes the state.
SAVE_SECONDS: Final = 60.0
FOLDER: Final = Path(__file__).parent
FILES: Final = {"": "page.html", ".js": "page.js", "/frame": "frame.html"}
# The page is Home Assistant's, and what it shows is anybody's: works run in frames of an origin of their own.
POLICY: Final = (
    "default-src 'none'; script-src 'self'; style-src 'unsafe-inline'; "
    "img-src http: https: data:; media-src http: https: data: blob:; frame-src http: https: data:; "
    "base-uri 'none'; form-action 'none'; frame-ancestors 'none'"
)


@dataclass
class StoredScreen:
    """A screen as it is stored; `secret` is the hash of its browser's."""

    device_id: str
    name: str
    secret: str
    port: int = 0
    state: State = field(default_factory=State)


class Screens:
    """The screens of a home, and the browsers that wait to become one."""

    def __init__(self, hass: HomeAssistant, version: str) -> None:
        """Initialize without screens."""
        self.hass = hass
        self._version = version
        self._store = SafeStore(hass, "screens", list[StoredScreen])
        self._screens: dict[str, StoredScreen] = {}
        self._servers: dict[str, Server] = {}
        # Waiting browsers by their codes: their addresses, and their secrets to be.
        self._codes: dict[str, tuple[str, asyncio.Future[str]]] = {}
        self._loading = asyncio.Lock()
        self._is_loaded = False
        async_dispatcher_connect(hass, SIGNAL_CONFIG_ENTRY_CHANGED, self._handle_entry)
        hass.bus.async_listen_once(EVENT_HOMEASSISTANT_STOP, self._async_stop)

    async def async_load(self) -> None:
        """Load the screens once, or raise ConfigEntryNotReady as long as they cannot be read."""
        async with self._loading:
            if self._is_loaded:
                return
            for screen in await self._store.async_load_parsed() or ():
                self._add(screen)
            self._is_loaded = True

    def __contains__(self, device_id: object) -> bool:
        """Return whether a display is a screen."""
        return device_id in self._screens

    @property
    def servers(self) -> list[Server]:
        """Return the screens as displays."""
        return [*self._servers.values()]

    @property
    def url(self) -> str:
        """Return the address of the page."""
        # The path alone says it, too.
        return f"{internal_url(self.hass) or ''}{PATH}"

    def _add(self, screen: StoredScreen) -> Server:
        """Add a screen."""
        server = Server(
            self.hass,
            screen.device_id,
            screen.name,
            screen.state,
            self._save,
            self._version,
        )
        server.port = screen.port
        entry = self._entry(screen.device_id)
        server.is_open = bool(entry and entry.options.get(CONF_LET_OTHERS_CAST))
        self._screens[screen.device_id] = screen
        self._servers[screen.device_id] = server
        return server

    def _entry(self, device_id: str) -> ConfigEntry | None:
        """Return the entry of a screen."""
        entries = self.hass.config_entries
        return entries.async_entry_for_domain_unique_id(DOMAIN, device_id)

    @callback
    def _save(self) -> None:
        """Save soon."""
        for device_id, server in self._servers.items():
            self._screens[device_id].port = server.port
            entry = self._entry(device_id)
            if entry is not None and entry.data[CONF_PORT] != server.port != 0:
                # What was free before is another's now.
                data = {**entry.data, CONF_PORT: server.port}
                self.hass.config_entries.async_update_entry(entry, data=data)
                self.hass.config_entries.async_schedule_reload(entry.entry_id)
        self._store.async_delay_save(lambda: [*self._screens.values()], SAVE_SECONDS)

    @callback
    def _handle_entry(self, change: ConfigEntryChange, entry: ConfigEntry) -> None:
        """Open or close a screen whose options have changed."""
        if (
            change is ConfigEntryChange.REMOVED
            or entry.domain != DOMAIN
            or (server := self._servers.get(entry.unique_id or "")) is None
        ):
            return
        is_open = bool(entry.options.get(CONF_LET_OTHERS_CAST))
        if is_open is not server.is_open:
            server.is_open = is_open
            self.hass.async_create_task(server.async_end())

    async def async_forget(self, device_id: str) -> None:
        """End the screen of an entry that is removed."""
        if self._screens.pop(device_id, None) is not None:
            await self._servers.pop(device_id).async_end()
            self._save()

    async def _async_stop(self, _event: Event) -> None:
        """Close all."""
        for server in self._servers.values():
            await server.async_close()

    async def async_pair(
        self, code: str, name: str, device_id: str | None = None
    ) -> Server | None:
        """Make the browser that shows a code a screen, or another browser of one; None without such a browser."""
        _, waiting = self._codes.pop(code.strip().replace(" ", ""), (None, None))
        if waiting is None or waiting.done():
            return None
        secret = secrets.token_urlsafe(32)
        if device_id is None:
            device_id = f"{PREFIX}{secrets.token_hex(4).upper()}"
            self._add(StoredScreen(device_id, name, ""))
        self._screens[device_id].secret = _hash(secret)
        server = self._servers[device_id]
        await server.async_end()
        await server.async_listen()
        await self._store.async_save_now([*self._screens.values()])
        waiting.set_result(secret)
        return server

    async def async_serve(self, page: web.WebSocketResponse, remote: str) -> None:
        """Serve a browser: a screen by its secret, another by a code until somebody has entered that."""
        hello = await page.receive_str(timeout=HELLO_SECONDS)
        secret = text(json_loads_object(hello).get("secret"))
        await self.async_load()
        server = self._server_of(secret) if secret else None
        if server is not None:
            return await server.async_serve_page(page)
        taken = [code for code, (where, _) in self._codes.items() if where == remote]
        for code in taken:
            self._codes.pop(code)[1].cancel()
        if len(self._codes) >= MAX_CODES:
            return await page.send_json({"code": ""})
        code = f"{secrets.randbelow(10**6):06}"
        waiting: asyncio.Future[str] = self.hass.loop.create_future()
        self._codes[code] = remote, waiting
        reader: asyncio.Future[Any] = asyncio.ensure_future(page.receive())
        try:
            await page.send_json({"code": code})
            await asyncio.wait(
                {waiting, reader},
                timeout=CODE_SECONDS,
                return_when=asyncio.FIRST_COMPLETED,
            )
            if waiting.done() and not waiting.cancelled():
                await page.send_json({"secret": waiting.result()})
        finally:
            reader.cancel()
            self._codes.pop(code, None)
            waiting.cancel()

    def _server_of(self, secret: str) -> Server | None:
        """Return the screen whose browser keeps a secret."""
        hashed = _hash(secret)
        for device_id, screen in self._screens.items():
            if compare_digest(screen.secret, hashed):
                return self._servers[device_id]
        return None


def is_screen(entry: ConfigEntry[Any]) -> bool:
    """Return whether an entry is of a screen, which is known before the screens can be read."""
    of_here = entry.data.get(CONF_HOST) == LOOPBACK
    return of_here and (entry.unique_id or "").startswith(PREFIX)


def _hash(secret: str) -> str:
    """Return the hash of a secret, which is random and long."""
    return sha256(secret.encode()).hexdigest()


SCREENS: Final[HassKey[Screens]] = HassKey(f"{DOMAIN}_screens")


@singleton(SCREENS, async_=True)
async def async_screens(hass: HomeAssistant) -> Screens:
    """Return the screens, and serve their page from the first time on."""
    integration = await async_get_integration(hass, DOMAIN)
    screens = Screens(hass, str(integration.version))
    for suffix, file in FILES.items():
        body = await hass.async_add_executor_job((FOLDER / file).read_bytes)
        hass.http.register_view(FileView(PATH + suffix, body))
    hass.http.register_view(SocketView(screens))
    return screens


def _check_home(request: web.Request) -> str:
    """Return the host that a browser at home asks for, or raise for any other."""
    address = ip_address(request.remote or "::")
    if not (is_private(address) or is_loopback(address)) or is_cloud_connection(
        request.app["hass"]
    ):
        raise web.HTTPForbidden
    try:
        return request.url.authority
    except ValueError as err:
        raise web.HTTPBadRequest from err


class FileView(HomeAssistantView):
    """The page, which has no secrets, or its script."""

    requires_auth = False

    def __init__(self, url: str, body: bytes) -> None:
        """Initialize with a file."""
        self.url, self.name = url, url.strip("/").replace("/", ":")
        self._body = body

    async def get(self, request: web.Request) -> web.Response:
        """Answer with the file."""
        host = _check_home(request)
        kind = "text/javascript" if request.path.endswith(".js") else "text/html"
        # Older browsers do not count sockets as their own origin's.
        policy = f"{POLICY}; connect-src ws://{host} wss://{host}"
        if request.path.endswith("/frame"):
            policy = "sandbox allow-scripts; frame-ancestors 'self'"
        headers = {
            "Content-Security-Policy": policy,
            "Cache-Control": "no-cache",
            "Referrer-Policy": "no-referrer",
        }
        return web.Response(
            body=self._body, content_type=kind, charset="utf-8", headers=headers
        )


class SocketView(HomeAssistantView):
    """The socket of the page."""

    requires_auth = False
    url = f"{PATH}/socket"
    name = f"{DOMAIN}:screen:socket"

    def __init__(self, screens: Screens) -> None:
        """Initialize with the screens."""
        self._screens = screens

    async def get(self, request: web.Request) -> web.WebSocketResponse:
        """Serve a page until it is closed; a page of another site has nothing to do here."""
        _check_home(request)
        _, _, origin = request.headers.get("Origin", "").partition("://")
        if not origin or origin != request.host:
            raise web.HTTPForbidden
        page = web.WebSocketResponse(heartbeat=HEARTBEAT, max_msg_size=MAX_MESSAGE)
        await page.prepare(request)
        try:
            await self._screens.async_serve(page, request.remote or "")
        except ConfigEntryNotReady, TimeoutError, TypeError, ValueError:
            # The screens cannot be read for now, or it is not what the page sends.
            pass
        finally:
            await page.close()
        return page
