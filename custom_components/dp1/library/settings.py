"""The settings of a library: its servers, asked before they are stored, and the preferences of its owner."""

from collections.abc import AsyncIterator, Mapping
from contextlib import asynccontextmanager
from dataclasses import dataclass
from itertools import chain, count
from typing import Any, Self, override

import voluptuous as vol
from yarl import URL

from homeassistant.const import CONF_API_KEY, CONF_NAME
from homeassistant.core import HomeAssistant
from homeassistant.data_entry_flow import section
from homeassistant.helpers.selector import (
    BooleanSelector,
    TextSelector,
    TextSelectorConfig,
    TextSelectorType,
)
from homeassistant.util.network import is_ip_address

from ..addresses import async_session
from ..client.catalog import client as catalog
from ..client.errors import AuthenticationError, Dp1Error
from ..client.feed import client as feed
from ..client.feed.connection import Family
from ..client.guard import Guard, public_session
from ..client.text import clean, web_url
from ..const import (
    CONF_BACKGROUND,
    CONF_CATALOG_URL,
    CONF_CURATOR,
    CONF_DAILY_FROM_VENDOR,
    CONF_DAILY_URL,
    CONF_DURATION,
    CONF_FEED_URL,
    CONF_INDEXER_URL,
    CONF_MARGIN,
    CONF_MUSEUM,
    CONF_SCALING,
    CONF_SOURCES,
    CONF_SURPRISE,
    CONF_VOICE_SENTENCES,
    DEFAULT_CATALOG_URL,
    DEFAULT_DURATION,
    DEFAULT_FEED_URL,
    DEFAULT_INDEXER_URL,
    DEFAULT_SOURCES,
    DOMAIN,
    NAME_LENGTH,
)
from ..language import async_text

URL_LENGTH = 2000
# Catalogs do not tell their names.
NAMES = {DEFAULT_CATALOG_URL: "Feral File"}
DEFAULT_SERVERS = {
    CONF_CATALOG_URL: DEFAULT_CATALOG_URL,
    CONF_FEED_URL: DEFAULT_FEED_URL,
}
CONF_REMOVE_API_KEY = "remove_api_key"
CONF_ADVANCED = "advanced"


class NameSelector(TextSelector):
    """A field for a name, of which plain text is kept."""

    @override
    def __call__(self, data: Any) -> str:
        """Return the name."""
        return clean(data, NAME_LENGTH)


NAME_FIELD = NameSelector()
URL_FIELD = TextSelector(TextSelectorConfig(type=TextSelectorType.URL))
KEY_FIELD = TextSelector(TextSelectorConfig(type=TextSelectorType.PASSWORD))
KEY_SCHEMA = vol.Schema({vol.Required(CONF_API_KEY): KEY_FIELD})
SERVERS = {
    vol.Optional(CONF_CATALOG_URL): URL_FIELD,
    vol.Optional(CONF_FEED_URL): URL_FIELD,
    vol.Optional(CONF_API_KEY): KEY_FIELD,
}
# Asked at once, and under the options.
SWITCHES = {
    vol.Optional(CONF_MUSEUM): BooleanSelector(),
    vol.Optional(CONF_VOICE_SENTENCES): BooleanSelector(),
}
LIBRARY_SCHEMA = vol.Schema(
    {vol.Optional(CONF_NAME): NAME_FIELD, **SWITCHES, **SERVERS}
)
OFFER_SCHEMA = vol.Schema(
    {
        vol.Optional(CONF_NAME): NAME_FIELD,
        **SWITCHES,
        vol.Required(CONF_ADVANCED): section(vol.Schema(SERVERS), {"collapsed": True}),
    }
)
RECONFIGURE_LIBRARY_SCHEMA = vol.Schema(
    {
        **SERVERS,
        vol.Optional(CONF_REMOVE_API_KEY, default=False): BooleanSelector(),
    }
)


def free_title(hass: HomeAssistant, servers: Mapping[str, Any]) -> str:
    """Return a name that no entry has: that of a server if it has one in words, else "Library"."""
    taken = {entry.title for entry in hass.config_entries.async_entries(DOMAIN)}
    url = servers[CONF_CATALOG_URL] or servers[CONF_FEED_URL]
    host = URL(url).host or ""
    is_name = "." in host and not is_ip_address(host)
    title = NAMES.get(url) or (
        host
        if is_name
        else async_text(hass, "config_panel.card.library", default="Library")
    )
    numbered = (f"{title} {number}" for number in count(2))
    return next(name for name in chain([title], numbered) if name not in taken)


async def async_check_library(
    hass: HomeAssistant,
    values: Mapping[str, Any],
    stored: Mapping[str, Any] | None = None,
) -> tuple[dict[str, Any], dict[str, str]]:
    """Return the entry data for the values of a form, and the errors by field.

    An API key that is left empty is taken from the stored data if the feed is the same.
    """
    data: dict[str, Any] = {}
    errors: dict[str, str] = {}
    for field, normalize, ask in (
        (CONF_CATALOG_URL, catalog.normalize_url, _async_ask_catalog),
        (CONF_FEED_URL, feed.normalize_url, _async_ask_feed),
    ):
        if not (text := (values.get(field) or "").strip()):
            data[field] = None
            continue
        try:
            data[field] = url = _checked(normalize(text))
            async with _guard(hass, url) as guard:
                await ask(guard, url)
        except ValueError:
            errors[field] = "invalid_url"
        except Dp1Error as err:
            errors[field] = f"server_{err.key}"
    if not errors and not any(data.values()):
        errors["base"] = "no_server"
    key = (values.get(CONF_API_KEY) or "").strip() or None
    if not errors and key:
        errors = await async_check_key(hass, data[CONF_FEED_URL], key)
    if stored and not key and data.get(CONF_FEED_URL) == stored[CONF_FEED_URL]:
        key = stored[CONF_API_KEY]
    return {**data, CONF_API_KEY: key}, errors


async def async_check_key(
    hass: HomeAssistant, url: str | None, key: str
) -> dict[str, str]:
    """Return the errors by field for an API key of the feed at a normalized URL."""
    if not url:
        return {CONF_API_KEY: "key_without_feed"}
    try:
        async with _guard(hass, url) as guard:
            client = feed.Feed(guard, url, api_key=key)
            if await client.family() is not Family.SIGNED:
                await client.check_key()
    except AuthenticationError:
        return {CONF_API_KEY: "invalid_auth"}
    except Dp1Error as err:
        return {CONF_API_KEY: f"server_{err.key}"}
    return {}


async def async_takes_no_key(hass: HomeAssistant, url: str) -> bool:
    """Return whether the feed at a normalized URL answers that it takes no API key."""
    try:
        async with _guard(hass, url) as guard:
            return await feed.Feed(guard, url).family() is Family.SIGNED
    except Dp1Error:
        return False


async def _async_ask_catalog(guard: Guard, url: str) -> None:
    """Raise unless a catalog answers at a URL."""
    await catalog.Catalog(guard, url).exhibitions(limit=1)


async def _async_ask_feed(guard: Guard, url: str) -> None:
    """Raise unless a feed answers at a URL."""
    await feed.Feed(guard, url).family()


@asynccontextmanager
async def _guard(hass: HomeAssistant, url: str) -> AsyncIterator[Guard]:
    """Return the guard for a server of the owner, which follows it to no others at home."""
    async with public_session() as public:
        yield Guard(async_session(hass), public).allowing(url)


def _checked(url: str) -> str:
    """Return a normalized URL, or raise ValueError if no server can have it."""
    if len(url) > URL_LENGTH:
        raise ValueError("too long")
    web_url(url)
    return url


def default_sources(data: Mapping[str, Any]) -> tuple[str, ...]:
    """Return the groups in the source list unless the owner chose others; a library without a catalog has playlists."""
    if data.get(CONF_CATALOG_URL):
        return DEFAULT_SOURCES
    return ("playlists", *DEFAULT_SOURCES[1:])


@dataclass(frozen=True, slots=True)
class Preferences:
    """Options of a library; `display` has scaling, background and margin of new playlists as far as they are set, `surprise` the weights."""

    sources: frozenset[str]
    duration: float
    display: Mapping[str, Any]
    curator: str
    indexer_url: str
    daily_url: str
    daily_from_vendor: bool
    surprise: Mapping[str, float]
    museum: bool

    @classmethod
    def of(cls, options: Mapping[str, Any], data: Mapping[str, Any]) -> Self:
        """Return the preferences in the options and data of an entry."""
        display = {
            key: options[key]
            for key in (CONF_SCALING, CONF_BACKGROUND)
            if options.get(key)
        }
        if margin := str(options.get(CONF_MARGIN) or ""):
            display[CONF_MARGIN] = int(margin) if margin.isdecimal() else margin
        duration = float(options.get(CONF_DURATION, DEFAULT_DURATION))
        return cls(
            sources=frozenset(options.get(CONF_SOURCES, default_sources(data))),
            duration=int(duration) if duration.is_integer() else duration,
            display=display,
            curator=options.get(CONF_CURATOR, ""),
            indexer_url=options.get(CONF_INDEXER_URL, DEFAULT_INDEXER_URL),
            daily_url=options.get(CONF_DAILY_URL, ""),
            daily_from_vendor=options.get(CONF_DAILY_FROM_VENDOR, False),
            surprise=options.get(CONF_SURPRISE, {}),
            museum=options.get(CONF_MUSEUM, False),
        )
