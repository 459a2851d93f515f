"""Seeing that the servers of a library are what they are taken for, before they are kept."""

from collections.abc import Mapping
from typing import Any

from homeassistant.const import CONF_API_KEY
from homeassistant.core import HomeAssistant
from homeassistant.helpers.aiohttp_client import async_get_clientsession

from .const import CONF_CATALOG_URL, CONF_FEED_URL
from .errors import suffix
from .protocol import catalog, feed
from .protocol.errors import AuthenticationError, Dp1Error


async def async_check_library(
    hass: HomeAssistant,
    values: Mapping[str, Any],
    known: Mapping[str, Any] | None = None,
) -> tuple[dict[str, Any], dict[str, str]]:
    """Ask both servers; return what to keep, and what is wrong by field.

    Args:
        hass: Home Assistant.
        values: ``catalog_url``, ``feed_url`` and ``api_key`` as typed; the URLs may be empty, but not both.
        known: what was kept before; its API key goes on for the same feed, and to no other.
    """
    data: dict[str, Any] = {}
    errors: dict[str, str] = {}
    for field, normalise, ask in (
        (CONF_CATALOG_URL, catalog.normalise_url, _async_ask_catalog),
        (CONF_FEED_URL, feed.normalise_url, _async_ask_feed),
    ):
        if not (text := (values.get(field) or "").strip()):
            data[field] = None
            continue
        try:
            data[field] = normalise(text)
            await ask(hass, data[field])
        except ValueError:
            errors[field] = "invalid_url"
        except Dp1Error as err:
            errors[field] = f"server_{suffix(err)}"
    key = (values.get(CONF_API_KEY) or "").strip() or None
    if not errors and not data[CONF_CATALOG_URL] and not data[CONF_FEED_URL]:
        errors["base"] = "no_server"
    if (
        not errors
        and key
        and (wrong := await async_check_key(hass, data[CONF_FEED_URL], key))
    ):
        errors[CONF_API_KEY] = wrong
    if known and not key and data.get(CONF_FEED_URL) == known[CONF_FEED_URL]:
        key = known[CONF_API_KEY]
    return {**data, CONF_API_KEY: key}, errors


async def async_check_key(hass: HomeAssistant, url: str | None, key: str) -> str | None:
    """Say what is wrong with an API key for the feed at a normalised address."""
    if not url:
        return "key_without_feed"
    try:
        await feed.Feed(async_get_clientsession(hass), url, api_key=key).check_key()
    except AuthenticationError:
        return "invalid_auth"
    except Dp1Error as err:
        return f"server_{suffix(err)}"
    return None


async def _async_ask_catalog(hass: HomeAssistant, url: str) -> None:
    """See that a catalog answers there."""
    await catalog.Catalog(async_get_clientsession(hass), url).exhibitions(limit=1)


async def _async_ask_feed(hass: HomeAssistant, url: str) -> None:
    """See that a feed answers there."""
    await feed.Feed(async_get_clientsession(hass), url).info()
