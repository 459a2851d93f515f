"""Screens of a home: the codes of browsers that wait to become one, the secrets that they keep, and what is stored."""

import asyncio
from collections import Counter
from contextlib import suppress
from dataclasses import dataclass, field
from hashlib import sha256
from hmac import compare_digest
from ipaddress import ip_address
import secrets
from typing import Any, Final

from aiohttp import web

from homeassistant.config_entries import (
    SIGNAL_CONFIG_ENTRY_CHANGED,
    ConfigEntry,
    ConfigEntryChange,
)
from homeassistant.const import CONF_HOST, EVENT_HOMEASSISTANT_STOP
from homeassistant.core import Event, HomeAssistant, callback
from homeassistant.exceptions import ConfigEntryNotReady
from homeassistant.helpers.dispatcher import async_dispatcher_connect
from homeassistant.util.json import json_loads_object

from ..client.values import text
from ..const import DOMAIN
from ..grants import internal_url
from ..storage import SafeStore
from .display import ScreenDisplay
from .page import PATH
from .player import State
from .screen import Screen

PREFIX: Final = "SCREEN-"
# Where no network leads: a screen is in this process.
NOWHERE: Final = "127.0.0.1"
# Browsers that wait at the same time; another takes the place of one of the network where most are.
MAX_CODES: Final = 40
CODE_SECONDS: Final = 600.0
# Until a page says who it is.
HELLO_SECONDS = 10.0
SAVE_SECONDS: Final = 1.0
# What a page is told when it has to go: Home Assistant stops.
GOING_AWAY: Final = 1001


@dataclass
class StoredScreen:
    """A screen as it is stored; `secret` is the hash of its browser's."""

    device_id: str
    name: str
    secret: str
    state: State = field(default_factory=State)


@dataclass(eq=False)
class Waiting:
    """A browser that waits to become a screen: its address, and its secret to be."""

    remote: str
    secret: asyncio.Future[str]


class Screens:
    """The screens of a home, and the browsers that wait to become one.

    Attributes:
        written: pages that are written in addresses, by the tokens at which each is served once.
    """

    def __init__(self, hass: HomeAssistant, version: str, page: str = "") -> None:
        """Initialize without screens, of a version of the integration and of the page that is served."""
        self.hass = hass
        self.written: dict[str, str] = {}
        self._version, self._page = version, page
        self._store = SafeStore(hass, "screens", list[StoredScreen])
        self._stored: dict[str, StoredScreen] = {}
        self._screens: dict[str, Screen] = {}
        self._codes: dict[str, Waiting] = {}
        self._sockets: set[web.WebSocketResponse] = set()
        self._loading = asyncio.Lock()
        self._is_loaded = False
        async_dispatcher_connect(hass, SIGNAL_CONFIG_ENTRY_CHANGED, self._handle_entry)
        hass.bus.async_listen_once(EVENT_HOMEASSISTANT_STOP, self._async_stop)

    async def async_load(self) -> None:
        """Load the screens once, or raise ConfigEntryNotReady as long as they cannot be read; those without an entry are gone."""
        async with self._loading:
            if self._is_loaded:
                return
            for stored in await self._store.async_load_parsed() or ():
                if self._entry(stored.device_id) is not None:
                    self._add(stored)
            self._is_loaded = True

    @property
    def screens(self) -> list[Screen]:
        """Return the screens."""
        return [*self._screens.values()]

    @property
    def url(self) -> str:
        """Return the address of the page."""
        # The path alone says it, too.
        return f"{internal_url(self.hass) or ''}{PATH}"

    def screen(self, device_id: str) -> Screen | None:
        """Return a screen."""
        return self._screens.get(device_id)

    def display(self, device_id: str) -> ScreenDisplay:
        """Return the display that a screen is; the one of an entry whose screen was lost waits to be paired again."""
        if (screen := self._screens.get(device_id)) is None:
            entry = self._entry(device_id)
            name = entry.title if entry else device_id
            screen = self._add(StoredScreen(device_id, name, ""))
        return ScreenDisplay(screen, self.url)

    def _add(self, stored: StoredScreen) -> Screen:
        """Add a screen."""
        device_id = stored.device_id
        screen = Screen(
            self.hass, device_id, stored.name, stored.state, self._save, self._version
        )
        self._stored[device_id], self._screens[device_id] = stored, screen
        if (entry := self._entry(device_id)) is not None:
            screen.async_follow(entry)
        return screen

    def _entry(self, device_id: str) -> ConfigEntry[Any] | None:
        """Return the entry of a screen."""
        entries = self.hass.config_entries
        return entries.async_entry_for_domain_unique_id(DOMAIN, device_id)

    @callback
    def _save(self) -> None:
        """Save soon."""
        self._store.async_delay_save(lambda: [*self._stored.values()], SAVE_SECONDS)

    @callback
    def _handle_entry(self, change: ConfigEntryChange, entry: ConfigEntry) -> None:
        """Follow the options of a screen."""
        screen = self._screens.get(entry.unique_id or "")
        if (
            change is not ConfigEntryChange.REMOVED
            and entry.domain == DOMAIN
            and screen is not None
        ):
            screen.async_follow(entry)

    async def async_forget(self, device_id: str) -> None:
        """End the screen of an entry that is removed."""
        with suppress(ConfigEntryNotReady):
            await self.async_load()
        if self._stored.pop(device_id, None) is not None:
            await self._screens.pop(device_id).async_end()
        if self._is_loaded:
            self._save()

    async def _async_stop(self, _event: Event) -> None:
        """Close all: Home Assistant waits for what is open."""
        await asyncio.gather(*(_async_close(socket) for socket in self._sockets))

    # Pairing

    @staticmethod
    def new_id() -> str:
        """Return an id for a new screen."""
        return f"{PREFIX}{secrets.token_hex(4).upper()}"

    def is_shown(self, code: str) -> bool:
        """Return whether a browser shows a code."""
        return _digits(code) in self._codes

    async def async_pair(self, code: str, device_id: str, name: str = "") -> bool:
        """Make the browser that shows a code a screen, a new one with a name, and return whether there is one.

        Raises:
            HomeAssistantError: it cannot be stored, and nothing was done: the code is still good.
        """
        if (waiting := self._codes.get(_digits(code))) is None:
            return False
        secret = secrets.token_urlsafe(32)
        stored = self._stored.get(device_id) or StoredScreen(device_id, name, "")
        before, stored.secret = stored.secret, _hash(secret)
        others = {k: v for k, v in self._stored.items() if k != device_id}
        try:
            await self._store.async_save_now([*others.values(), stored])
        except BaseException:
            stored.secret = before
            raise
        self._codes.pop(_digits(code), None)
        if device_id in self._screens:
            await self._screens[device_id].async_end()
        else:
            self._add(stored)
        if not waiting.secret.done():
            waiting.secret.set_result(secret)
        return True

    async def async_serve(
        self, socket: web.WebSocketResponse, remote: str, *, is_secure: bool = False
    ) -> None:
        """Serve a browser: a screen by its secret, another by a code until somebody has entered that."""
        self._sockets.add(socket)
        try:
            hello = json_loads_object(await socket.receive_str(timeout=HELLO_SECONDS))
            secret = text(hello.get("secret"))
            if text(hello.get("version")) not in (None, self._page):
                await socket.send_json({"renew": self._page})
            await self.async_load()
            if secret and (screen := self._screen_of(secret)) is not None:
                await screen.async_serve(socket, self.written, is_secure=is_secure)
            else:
                await self._async_serve_code(socket, remote)
        finally:
            self._sockets.discard(socket)

    async def _async_serve_code(
        self, socket: web.WebSocketResponse, remote: str
    ) -> None:
        """Show a code until somebody has entered it."""
        while (code := f"{secrets.randbelow(10**6):06}") in self._codes:
            pass
        if len(self._codes) >= MAX_CODES:
            self._make_room()
        waiting = Waiting(remote, self.hass.loop.create_future())
        self._codes[code] = waiting
        reader: asyncio.Future[Any] = asyncio.ensure_future(_async_beat(socket))
        try:
            await socket.send_json({"code": code})
            await asyncio.wait(
                {waiting.secret, reader},
                timeout=CODE_SECONDS,
                return_when=asyncio.FIRST_COMPLETED,
            )
            if waiting.secret.done() and not waiting.secret.cancelled():
                await socket.send_json({"secret": waiting.secret.result()})
            elif waiting.secret.cancelled():
                await socket.send_json({"code": ""})
        finally:
            reader.cancel()
            if self._codes.get(code) is waiting:
                del self._codes[code]
            waiting.secret.cancel()

    @callback
    def _make_room(self) -> None:
        """Send away the browser that has waited longest in the network, and there at the address, at which most wait."""
        remotes = {code: waiting.remote for code, waiting in self._codes.items()}
        networks = Counter(map(_network, remotes.values()))
        addresses = Counter(remotes.values())
        code = max(
            remotes,
            key=lambda it: (networks[_network(remotes[it])], addresses[remotes[it]]),
        )
        self._codes.pop(code).secret.cancel()

    def _screen_of(self, secret: str) -> Screen | None:
        """Return the screen whose browser keeps a secret."""
        hashed = _hash(secret)
        for device_id, stored in self._stored.items():
            if compare_digest(stored.secret, hashed):
                return self._screens[device_id]
        return None


async def _async_beat(socket: web.WebSocketResponse) -> None:
    """Answer a waiting browser that asks whether anybody is there, until it leaves."""
    with suppress(TypeError, ValueError):
        async for message in socket:
            if (beat := json_loads_object(message.data).get("beat")) is not None:
                await socket.send_json({"beat": beat})


async def _async_close(socket: web.WebSocketResponse) -> None:
    """Close a socket, whose browser may not answer."""
    with suppress(TimeoutError):
        async with asyncio.timeout(1):
            await socket.close(code=GOING_AWAY)


def is_screen(entry: ConfigEntry[Any]) -> bool:
    """Return whether an entry is of a screen, which is known before the screens can be read."""
    of_here = entry.data.get(CONF_HOST) == NOWHERE
    return of_here and (entry.unique_id or "").startswith(PREFIX)


def _network(remote: str) -> str:
    """Return the network of an address, in which a machine has as many as it likes."""
    address = ip_address(remote or "::").exploded
    return address[:19] if ":" in address else address.rpartition(".")[0]


def _digits(code: str) -> str:
    """Return the digits of a code as somebody has typed them."""
    return "".join(filter(str.isdecimal, code))


def _hash(secret: str) -> str:
    """Return the hash of a secret, which is random and long."""
    return sha256(secret.encode()).hexdigest()
