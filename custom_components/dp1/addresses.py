"""Requests to addresses that others chose: they reach the internet, and at home only hosts that the owner named."""

from collections import UserDict
from collections.abc import Callable, Container, Iterable
from contextlib import suppress
from dataclasses import dataclass, field, replace
from datetime import datetime, timedelta
from hashlib import blake2b
from ipaddress import ip_network
from itertools import islice
import re
from typing import Final, override

from aiohttp import ClientSession, DummyCookieJar, hdrs
from lru import LRU

from homeassistant.components.network.util import async_load_adapters
from homeassistant.const import EVENT_HOMEASSISTANT_CLOSE
from homeassistant.core import Context, Event, HomeAssistant, callback
from homeassistant.helpers.aiohttp_client import (
    SERVER_SOFTWARE,
    async_create_clientsession,
)
from homeassistant.helpers.event import async_track_time_interval
from homeassistant.helpers.network import is_hass_url
from homeassistant.helpers.singleton import singleton
from homeassistant.util.hass_dict import HassKey
from homeassistant.util.ssl import get_default_context

from .client.guard import PUBLIC, Guard, is_home_name, know_home, public_session
from .client.playlist.document import MAX_DOCUMENT
from .client.text import host_of, plain_host, web_url
from .client.values import MAX_ON_LOOP
from .const import CONF_CATALOG_URL, CONF_FEED_URL, DOMAIN
from .permissions import STRANGER, Caller, async_caller
from .storage import SafeStore

ADDRESSES: Final[HassKey[HomeAddresses]] = HassKey(f"{DOMAIN}_named_hosts")
SESSION: Final[HassKey[ClientSession]] = HassKey(f"{DOMAIN}_session")
# More than the longest playlist has, so that one does not displace all others.
MAX_ADDRESSES: Final = 4096
# Of a document: more than the works of the longest playlist have.
MAX_PARTS: Final = 50_000
SAVE_DELAY: Final = 10.0
HOME_CHECK: Final = timedelta(minutes=10)
# Of the networks that providers give to a home, in bits.
HOME_PREFIX: Final = 56
OWN_FILES: Final = (f"/api/{DOMAIN}/media/", "/api/image/serve/", "/local/")
_ADDRESS: Final = re.compile(r"https?://[^\s\"'<>\\]+", re.IGNORECASE)


@callback
@singleton(SESSION)
def async_session(hass: HomeAssistant) -> ClientSession:
    """Return a session without cookies: a display could set those of all other hosts at home."""
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
class StoredAddresses:
    """Digests of addresses, the latest last, and the places of hosts, as `client.guard.Guard` has it."""

    casts: list[str] = field(default_factory=list)
    libraries: list[str] = field(default_factory=list)
    seen: dict[str, str] = field(default_factory=dict)


class _Seen(UserDict[str, str]):
    """The places of hosts, saved when they change."""

    def __init__(self, on_change: Callable[[], None]) -> None:
        """Initialize without hosts."""
        super().__init__()
        self._on_change = on_change

    @override
    def __setitem__(self, host: str, address: str) -> None:
        """Note the place of a host."""
        if self.data.get(host) != address:
            self.data[host] = address
            if len(self.data) > MAX_ADDRESSES:
                del self.data[next(iter(self.data))]
            self._on_change()


class _Addresses:
    """Addresses that may be read, each as it is; the latest displace the others."""

    def __init__(self, on_change: Callable[[], None]) -> None:
        """Initialize without addresses."""
        self.digests: LRU[str, None] = LRU(MAX_ADDRESSES)
        self._on_change = on_change

    def allow(self, addresses: Iterable[str]) -> None:
        """Allow addresses."""
        for digest in map(_digest, addresses):
            is_new = digest not in self.digests
            self.digests[digest] = None
            if is_new:
                self._on_change()

    def __contains__(self, address: object) -> bool:
        """Return whether an address may be read."""
        return isinstance(address, str) and _digest(address) in self.digests


class HomeAddresses:
    """Addresses at home that may be read: those that an administrator or an automation casts, and those of the servers of a library.

    A cast only names hosts that cannot lead elsewhere later, as `client.guard.is_home_name` has it.
    """

    def __init__(self, hass: HomeAssistant) -> None:
        """Initialize without addresses."""
        self._hass = hass
        self._store = SafeStore(hass, "named_hosts", StoredAddresses)
        self._of_casts = _Addresses(self._save)
        self._of_libraries = _Addresses(self._save)
        self._seen = _Seen(self._save)
        self._session = public_session(
            headers={hdrs.USER_AGENT: SERVER_SOFTWARE}, ssl=get_default_context()
        )
        hass.bus.async_listen_once(EVENT_HOMEASSISTANT_CLOSE, self.async_close)

    async def async_load(self) -> None:
        """Load the addresses of earlier casts, and the places of hosts."""
        if stored := await self._store.async_load_parsed():
            self._of_casts.digests.update(dict.fromkeys(stored.casts))
            self._of_libraries.digests.update(dict.fromkeys(stored.libraries))
            self._seen.data.update(stored.seen)
        await self._async_learn_home()
        async_track_time_interval(
            self._hass, self._async_learn_home, HOME_CHECK, cancel_on_shutdown=True
        )

    async def _async_learn_home(self, _now: datetime | None = None) -> None:
        """Take the networks of the interfaces for the home, and with IPv6 those beside them: providers change the prefix of a home from time to time."""
        know_home(
            ip_network(
                (it["address"].partition("%")[0], min(it["network_prefix"], most)),
                False,
            )
            for adapter in await async_load_adapters()
            for of_kind, most in ((adapter["ipv4"], 32), (adapter["ipv6"], HOME_PREFIX))
            for it in of_kind
        )

    async def async_close(self, _event: Event) -> None:
        """Close the session."""
        await self._session.close()

    async def async_caller(self, context: Context | None, what: object) -> Caller:
        """Return the caller, and allow the addresses at home that a call names unless its user is no administrator."""
        caller = await async_caller(self._hass, context)
        if not caller.is_owner or what is None:
            return caller
        addresses = await self._async_at_home(what)
        self._of_casts.allow(addresses)
        return replace(caller, hosts=frozenset(map(_host, addresses)))

    async def async_allow_in(self, document: object, hosts: Container[str]) -> None:
        """Allow the addresses in a document that are on some hosts at home."""
        addresses = await self._async_at_home(document)
        self._of_casts.allow(it for it in addresses if _host(it) in hosts)

    @callback
    def async_allow_of_library(self, addresses: Iterable[str | None]) -> None:
        """Allow addresses that a library has, of which those on its own servers may be at home."""
        servers = {
            host
            for entry in self._hass.config_entries.async_entries(DOMAIN)
            for key in (CONF_CATALOG_URL, CONF_FEED_URL)
            if (url := entry.data.get(key))
            and (host := host_of(url))
            and self._seen.get(host) != PUBLIC
        }
        if servers:
            self._of_libraries.allow(
                it for it in addresses if it and host_of(it) in servers
            )

    async def _async_at_home(self, what: object) -> list[str]:
        """Return the addresses at home in a URL or document."""
        if isinstance(what, str) and len(what) <= MAX_ON_LOOP:
            # Requests of the same moment keep their order.
            addresses = _addresses(what)
        else:
            addresses = await self._hass.async_add_executor_job(_addresses, what)
        return [it for it in addresses if not is_hass_url(self._hass, it)]

    @callback
    def async_forget(self, url: str) -> None:
        """Let a server be anywhere, as its owner has just named it again."""
        if host := host_of(url):
            self._seen.pop(host, None)

    @callback
    def _save(self) -> None:
        """Save soon."""
        self._store.async_delay_save(
            lambda: StoredAddresses(
                self._of_casts.digests.keys()[::-1],
                self._of_libraries.digests.keys()[::-1],
                dict(self._seen),
            ),
            SAVE_DELAY,
        )

    @callback
    def async_guard(self, url: str = "", caller: Caller = STRANGER) -> Guard:
        """Return a guard of requests to addresses that others chose; to Home Assistant if the URL is of a file there.

        At home, a call reads the hosts that it names and what libraries have there, and without a call, what was cast from there.
        """
        session = async_session(self._hass)
        # What Home Assistant serves without login.
        is_own_file = bool(host_of(url)) and (
            is_hass_url(self._hass, url) and web_url(url).path.startswith(OWN_FILES)
        )
        if is_own_file:
            return Guard(session, self._session).allowing(url)
        addresses = self if caller is STRANGER else self._of_libraries
        return Guard(session, self._session, caller.hosts, addresses, self._seen)

    @callback
    def async_public_guard(self) -> Guard:
        """Return a guard of requests to the internet alone."""
        return Guard(async_session(self._hass), self._session)

    def __contains__(self, address: object) -> bool:
        """Return whether an address may be read without a call."""
        return address in self._of_casts or address in self._of_libraries


def _host(address: str) -> str:
    """Return the host of an address at home."""
    return host_of(address) or ""


def _digest(address: str) -> str:
    """Return a digest of an address: addresses at home are nobody's business."""
    with suppress(ValueError):
        address = str(web_url(address))
    return blake2b(address.encode(), digest_size=12).hexdigest()


def _addresses(value: object) -> list[str]:
    """Return the addresses at home in the texts of a document, as many as are kept."""
    addresses: dict[str, None] = {}
    waiting = [value]
    for _ in range(MAX_PARTS):
        if not waiting or len(addresses) >= MAX_ADDRESSES:
            break
        part = waiting.pop()
        if isinstance(part, str):
            matches = _ADDRESS.finditer(part[:MAX_DOCUMENT])
            addresses |= {
                it[0]: None for it in islice(matches, MAX_PARTS) if is_at_home(it[0])
            }
        elif (
            isinstance(part, dict | list | tuple)
            and len(waiting) + len(part) <= MAX_PARTS
        ):
            waiting += part.values() if isinstance(part, dict) else part
    return [*islice(addresses, MAX_ADDRESSES)]


def is_at_home(address: str) -> bool:
    """Return whether an address can be nowhere but at home."""
    try:
        return is_home_name(plain_host(web_url(address)))
    except ValueError:
        return False
