"""Helpers for tests of collections: owners, and the config entry of a library that has some."""

from datetime import UTC, datetime, timedelta
from typing import Any

from pytest_homeassistant_custom_component.common import MockConfigEntry

from custom_components.dp1.library.library import Library
from custom_components.dp1.library.providers.collection.server import CollectionServer
from homeassistant.config_entries import ConfigSubentryData
from homeassistant.core import HomeAssistant

from .libraries import library_entry, set_up

NOWHERE = "http://127.0.0.1:9/api/v1"
E1 = "0xBD0E21fdc68Ac573d109D5CB7EA5cEAf6c246045"
E2 = "0x68B6018dDBE65234FEFd7D8C266A17BcfF96cd23"
T1 = "tz1XCrrfhQNC3M35fs1fi1BgDMSF77Psad5L"
# Nobody known owns it.
COLLECTOR = "0x8a1c1De0bD5E9F5c6E2A8E1f27D4B6dBd0a9F3c7".lower()
SUBENTRY = "01JCOLLECTION0000000000000"


def now(**ahead: float) -> str:
    """Return the time from now as the indexer writes it."""
    return (datetime.now(UTC) + timedelta(**ahead)).isoformat().replace("+00:00", "Z")


def collection_entry(
    feed_url: str,
    indexer_url: str,
    *addresses: str,
    keep_current: bool = False,
    title: str = "My collection",
    **options: Any,
) -> MockConfigEntry:
    """Return the entry of a library with a collection."""
    subentry = ConfigSubentryData(
        data={"addresses": list(addresses), "keep_current": keep_current},
        subentry_id=SUBENTRY,
        subentry_type="collection",
        title=title,
        unique_id="one",
    )
    plain = library_entry(feed_url, options={"indexer_url": indexer_url, **options})
    return MockConfigEntry(
        domain="dp1",
        title=plain.title,
        unique_id=plain.unique_id,
        data=dict(plain.data),
        options=dict(plain.options),
        subentries_data=[subentry],
    )


async def set_up_collection(
    hass: HomeAssistant, indexer_url: str, *addresses: str, **more: Any
) -> MockConfigEntry:
    """Set up a library with a collection."""
    entry = collection_entry(NOWHERE, indexer_url, *addresses, **more)
    return await set_up(hass, entry)


def collection_of(entry: MockConfigEntry) -> CollectionServer:
    library: Library = entry.runtime_data
    (collection,) = library.collections.servers
    return collection
