"""The indexers that the libraries ask."""

from homeassistant.core import HomeAssistant
from homeassistant.helpers.aiohttp_client import async_get_clientsession
from homeassistant.loader import async_get_integration

from ....client.indexer.client import Indexer
from ....const import DOMAIN
from ....data import DATA


async def async_user_agent(hass: HomeAssistant) -> str:
    """Return the user agent by which the operator of a server knows the integration."""
    integration = await async_get_integration(hass, DOMAIN)
    return f"home-assistant-dp1/{integration.version} (+{integration.documentation})"


async def async_indexer(hass: HomeAssistant, url: str) -> Indexer:
    """Return the client of an indexer."""
    indexers = hass.data[DATA].indexers
    if url not in indexers:
        agent = await async_user_agent(hass)
        indexers.setdefault(
            url, Indexer(async_get_clientsession(hass), url, agent=agent)
        )
    return indexers[url]
