"""Requests to addresses that others chose: they reach the internet, and at home only hosts that the owner named."""

from collections.abc import Iterator, Mapping
from typing import Final

from lru import LRU
import voluptuous as vol

from homeassistant.const import EVENT_HOMEASSISTANT_CLOSE
from homeassistant.core import Context, Event, HomeAssistant, callback
from homeassistant.helpers.aiohttp_client import async_get_clientsession
from homeassistant.util.hass_dict import HassKey

from .client.display.casts import Cast
from .client.guard import Guard, public_session
from .client.url import plain_host, web_url
from .const import CONF_CATALOG_URL, CONF_FEED_URL, DOMAIN
from .storage import SafeStore

MAX_HOSTS: Final = 256
SAVE_DELAY: Final = 10.0

NAMED_HOSTS: Final[HassKey[NamedHosts]] = HassKey(f"{DOMAIN}_named_hosts")


class NamedHosts:
    """Hosts that the owner named: those of the libraries, and of what an administrator or an automation casts."""

    def __init__(self, hass: HomeAssistant) -> None:
        """Initialize without hosts of casts."""
        self._hass = hass
        self._store = SafeStore(hass, "named_hosts", vol.Schema([str]), private=True)
        self._hosts: LRU[str, None] = LRU(MAX_HOSTS)
        self._session = public_session()

    async def async_load(self) -> None:
        """Load the hosts of earlier casts."""
        for host in await self._store.async_load_parsed() or ():
            self._hosts[host] = None

    async def async_close(self, _event: Event) -> None:
        """Close the session."""
        await self._session.close()

    async def async_add(self, context: Context | None, cast: Cast) -> None:
        """Allow the hosts of a cast, unless it was requested by a user who is no administrator."""
        if context is None:
            return
        if context.user_id is not None:
            user = await self._hass.auth.async_get_user(context.user_id)
            if user is None or not user.is_admin:
                return
        for host in _hosts(cast):
            self._hosts[host] = None
        self._store.async_delay_save(lambda: self._hosts.keys()[::-1], SAVE_DELAY)

    @callback
    def async_guard(self) -> Guard:
        """Return what sends requests to addresses that others chose."""
        servers = {
            host
            for entry in self._hass.config_entries.async_entries(DOMAIN)
            for key in (CONF_CATALOG_URL, CONF_FEED_URL)
            if (url := entry.data.get(key)) and (host := _host(url))
        }
        session = async_get_clientsession(self._hass)
        return Guard(session, self._session, servers.union(self._hosts.keys()))


async def async_setup_guard(hass: HomeAssistant) -> None:
    """Set up guarded requests."""
    hosts = hass.data[NAMED_HOSTS] = NamedHosts(hass)
    await hosts.async_load()
    hass.bus.async_listen_once(EVENT_HOMEASSISTANT_CLOSE, hosts.async_close)


def _hosts(cast: Cast) -> set[str]:
    """Return the hosts in a cast."""
    texts = (cast.playlist_url, *_texts(cast.playlist or {}))
    return {host for text in texts if text and (host := _host(text))}


def _texts(value: object) -> Iterator[str]:
    """Yield all texts in a document."""
    match value:
        case str():
            yield value
        case Mapping():
            for part in value.values():
                yield from _texts(part)
        case list() | tuple():
            for part in value:
                yield from _texts(part)


def _host(text: str) -> str | None:
    """Return host and port of a web address, None of any other text."""
    if not text.startswith(("http://", "https://")):
        return None
    try:
        url = web_url(text)
    except ValueError:
        return None
    return f"{plain_host(url)}:{url.port}"
