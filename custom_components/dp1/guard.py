"""Requests to addresses that others chose: they reach the internet, and at home only hosts that the owner named."""

from collections import UserDict
from collections.abc import Callable
from contextvars import ContextVar
from dataclasses import dataclass
from itertools import islice
import re
from typing import Final, override

from aiohttp import ClientSession, DummyCookieJar, hdrs
from lru import LRU

from homeassistant.const import EVENT_HOMEASSISTANT_CLOSE
from homeassistant.core import Context, Event, HomeAssistant, callback
from homeassistant.helpers.aiohttp_client import (
    SERVER_SOFTWARE,
    async_create_clientsession,
)
from homeassistant.helpers.network import is_hass_url
from homeassistant.helpers.singleton import singleton
from homeassistant.util.hass_dict import HassKey
from homeassistant.util.ssl import get_default_context

from .client.http import Guard, is_home_name, public_session
from .client.playlist.document import MAX_DOCUMENT
from .client.text import host_of, plain_host, web_url
from .client.values import MAX_ON_LOOP
from .const import CONF_CATALOG_URL, CONF_FEED_URL, DOMAIN
from .permissions import async_is_admin
from .storage import SafeStore

NAMED_HOSTS: Final[HassKey[NamedHosts]] = HassKey(f"{DOMAIN}_named_hosts")
SESSION: Final[HassKey[ClientSession]] = HassKey(f"{DOMAIN}_session")
MAX_HOSTS: Final = 256
# Of a document: more than the works of the longest playlist have.
MAX_PARTS: Final = 50_000
SAVE_DELAY: Final = 10.0
OWN_FILES: Final = (f"/api/{DOMAIN}/media/", "/api/image/serve/", "/local/")
_SERVER: Final = re.compile(r"https?://[^\s\"'<>\\/?#]+", re.IGNORECASE)


# Whether the user for whom this task runs is no administrator.
_IS_GUEST: Final = ContextVar("is_guest", default=False)


@callback
@singleton(SESSION)
def async_session(hass: HomeAssistant) -> ClientSession:
    """Return what reaches hosts at home without cookies: a display could set those of all others there."""
    # It is for all entries, whichever is being set up.
    session = async_create_clientsession(
        hass, auto_cleanup=False, cookie_jar=DummyCookieJar()
    )

    @callback
    def close(_event: Event) -> None:
        """Leave the connections to Home Assistant."""
        session.detach()

    hass.bus.async_listen_once(EVENT_HOMEASSISTANT_CLOSE, close)
    return session


@dataclass(frozen=True, slots=True)
class StoredHosts:
    """The hosts of casts, the latest last, and where hosts were found, as `client.http.Guard` has it."""

    hosts: list[str]
    seen: dict[str, str]


class _Seen(UserDict[str, str]):
    """Where named hosts were found, saved when that changes."""

    def __init__(self, on_change: Callable[[], None]) -> None:
        """Initialize without hosts."""
        super().__init__()
        self._on_change = on_change

    @override
    def __setitem__(self, host: str, address: str) -> None:
        """Note where a host was found."""
        if self.data.get(host) != address:
            self.data[host] = address
            self._on_change()


class NamedHosts:
    """Hosts at home that the owner named: the servers of libraries, and those in what an administrator or an automation casts.

    A cast only names what cannot lead elsewhere later, as `client.http.is_home_name` has it.
    """

    def __init__(self, hass: HomeAssistant) -> None:
        """Initialize without hosts of casts."""
        self._hass = hass
        self._store = SafeStore(hass, "named_hosts", StoredHosts)
        self._hosts: LRU[str, None] = LRU(MAX_HOSTS)
        self._seen = _Seen(self._save)
        self._session = public_session(
            headers={hdrs.USER_AGENT: SERVER_SOFTWARE}, ssl=get_default_context()
        )
        hass.bus.async_listen_once(EVENT_HOMEASSISTANT_CLOSE, self.async_close)

    async def async_load(self) -> None:
        """Load what is known of earlier casts and requests."""
        if stored := await self._store.async_load_parsed():
            self._hosts.update(dict.fromkeys(stored.hosts))
            self._seen.data.update(stored.seen)

    async def async_close(self, _event: Event) -> None:
        """Close the session."""
        await self._session.close()

    async def async_add(self, context: Context | None, what: object) -> None:
        """Allow the hosts in a URL or document, unless a user who is no administrator gave it."""
        is_guest = context is not None and not await async_is_admin(self._hass, context)
        _IS_GUEST.set(is_guest)
        if context is None or is_guest:
            return
        if isinstance(what, str) and len(what) <= MAX_ON_LOOP:
            # Requests of the same moment keep their order.
            found = _servers(what)
        else:
            found = await self._hass.async_add_executor_job(_servers, what)
        for url in found:
            host = host_of(url)
            if (
                host
                and host not in self._hosts
                and is_home_name(plain_host(web_url(url)))
                and not is_hass_url(self._hass, url)
            ):
                self._hosts[host] = None
                self._save()

    @callback
    def async_forget(self, url: str) -> None:
        """Let a server be anywhere, as its owner has just named it again."""
        if host := host_of(url):
            self._seen.pop(host, None)

    @callback
    def _save(self) -> None:
        """Save soon."""
        self._store.async_delay_save(
            lambda: StoredHosts(self._hosts.keys()[::-1], dict(self._seen)), SAVE_DELAY
        )

    @callback
    def async_guard(self, url: str = "") -> Guard:
        """Return what sends requests to addresses that others chose; to Home Assistant if the URL is of a file there."""
        session = async_session(self._hass)
        # What Home Assistant serves without login.
        is_own_file = bool(host_of(url)) and (
            is_hass_url(self._hass, url) and web_url(url).path.startswith(OWN_FILES)
        )
        if is_own_file:
            return Guard(session, self._session).allowing(url)
        return Guard(session, self._session, self, self._seen)

    def __contains__(self, host: object) -> bool:
        """Return whether a host is named, as ``host:port``; what casts have named is not for guests."""
        return (host in self._hosts and not _IS_GUEST.get()) or any(
            host == host_of(url)
            for entry in self._hass.config_entries.async_entries(DOMAIN)
            for key in (CONF_CATALOG_URL, CONF_FEED_URL)
            if (url := entry.data.get(key))
        )


def _servers(value: object) -> set[str]:
    """Return the addresses of the servers in the texts of a document, as many as are kept."""
    found: set[str] = set()
    waiting = [value]
    for _ in range(MAX_PARTS):
        if not waiting or len(found) >= MAX_HOSTS:
            break
        part = waiting.pop()
        if isinstance(part, str):
            matches = _SERVER.finditer(part[:MAX_DOCUMENT])
            found.update(match[0] for match in islice(matches, MAX_PARTS))
        elif (
            isinstance(part, dict | list | tuple)
            and len(waiting) + len(part) <= MAX_PARTS
        ):
            waiting += part.values() if isinstance(part, dict) else part
    return set(islice(found, MAX_HOSTS))
