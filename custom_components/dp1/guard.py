"""Requests to addresses that others chose: they reach the internet, and at home only hosts that the owner named."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
import re
from typing import Final

from aiohttp import hdrs
from lru import LRU

from homeassistant.const import EVENT_HOMEASSISTANT_CLOSE
from homeassistant.core import Context, Event, HomeAssistant, callback
from homeassistant.helpers.aiohttp_client import (
    SERVER_SOFTWARE,
    async_get_clientsession,
)
from homeassistant.helpers.network import is_hass_url
from homeassistant.util.ssl import get_default_context

from .client.guard import Guard, public_session
from .client.url import host_of, web_url
from .const import CONF_CATALOG_URL, CONF_FEED_URL, DOMAIN
from .storage import SafeStore

MAX_HOSTS: Final = 256
SAVE_DELAY: Final = 10.0
# What Home Assistant serves without login.
OWN_FILES: Final = (f"/api/{DOMAIN}/media/", "/local/")
_URL: Final = re.compile(r"https?://[^\s\"'<>\\]+", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class StoredHosts:
    """The hosts of casts, the latest last."""

    hosts: list[str]


class NamedHosts:
    """Hosts that the owner named: those of the libraries, and in what an administrator or an automation casts or reads."""

    def __init__(self, hass: HomeAssistant) -> None:
        """Initialize without hosts of casts."""
        self._hass = hass
        self._store = SafeStore(hass, "named_hosts", StoredHosts)
        self._hosts: LRU[str, None] = LRU(MAX_HOSTS)
        self._was_public: set[str] = set()
        self._session = public_session(
            headers={hdrs.USER_AGENT: SERVER_SOFTWARE}, ssl=get_default_context()
        )
        hass.bus.async_listen_once(EVENT_HOMEASSISTANT_CLOSE, self.async_close)

    async def async_load(self) -> None:
        """Load the hosts of earlier casts."""
        if stored := await self._store.async_load_parsed():
            self._hosts.update(dict.fromkeys(stored.hosts))

    async def async_close(self, _event: Event) -> None:
        """Close the session."""
        await self._session.close()

    async def async_add(self, context: Context | None, what: object) -> None:
        """Allow the hosts in a URL or document, unless a user who is no administrator gave it."""
        if context is None:
            return
        if context.user_id is not None:
            user = await self._hass.auth.async_get_user(context.user_id)
            if user is None or not user.is_admin:
                return
        for url in _urls(what):
            if (host := host_of(url)) and not is_hass_url(self._hass, url):
                self._hosts[host] = None
        self._store.async_delay_save(
            lambda: StoredHosts(self._hosts.keys()[::-1]), SAVE_DELAY
        )

    @callback
    def async_guard(self, url: str = "") -> Guard:
        """Return what sends requests to addresses that others chose; to Home Assistant if the URL is of a file there."""
        session = async_get_clientsession(self._hass)
        guard = Guard(session, self._session, self, self._was_public)
        return guard.allowing(url) if self._is_own_file(url) else guard

    def __contains__(self, host: object) -> bool:
        """Return whether a host is named, as ``host:port``."""
        return host in self._hosts or any(
            host == host_of(url)
            for entry in self._hass.config_entries.async_entries(DOMAIN)
            for key in (CONF_CATALOG_URL, CONF_FEED_URL)
            if (url := entry.data.get(key))
        )

    def _is_own_file(self, url: str) -> bool:
        """Return whether a URL is one of a file that Home Assistant serves without login."""
        return bool(host_of(url)) and (
            is_hass_url(self._hass, url) and web_url(url).path.startswith(OWN_FILES)
        )


def _urls(value: object) -> Iterator[str]:
    """Yield the web addresses in all texts of a document."""
    match value:
        case str():
            yield from _URL.findall(value)
        case Mapping():
            for part in value.values():
                yield from _urls(part)
        case list() | tuple():
            for part in value:
                yield from _urls(part)
