"""A large collection: what the first picture, the whole list, the next start, search and memory cost."""

import asyncio
from functools import partial
import gc
import time
import tracemalloc
from typing import Any

from pytest_homeassistant_custom_component.common import MockConfigEntry

from custom_components.dp1 import async_setup_data
from custom_components.dp1.const import DOMAIN
from custom_components.dp1.library.libraries import async_tell_changed
from custom_components.dp1.library.library import Library
from homeassistant.config_entries import ConfigEntryState, ConfigSubentryData
from homeassistant.core import HomeAssistant
from scripts.benchmark_large import Numbers, Stalls

from tests.faults.watch import set_apart
from tests.simulators.indexer import IndexerSimulator

# Nobody known owns it.
OWNER = "0xBD0E21fdc68Ac573d109D5CB7EA5cEAf6c246045"
SUBENTRY = "collection"
NODE = f"collection/{SUBENTRY}"
QUERIES = "owned", "work 700", "ines okafor", "no such thing", "plane squar"


def _entry(indexer_url: str, signing_key: str) -> MockConfigEntry:
    """Return the config entry of a library with a collection."""
    return MockConfigEntry(
        domain=DOMAIN,
        title="Gallery",
        entry_id="library",
        state=ConfigEntryState.LOADED,
        data={
            "kind": "library",
            "catalog_url": None,
            "feed_url": None,
            "api_key": None,
            "signing_key": signing_key,
        },
        options={"indexer_url": indexer_url},
        subentries_data=[
            ConfigSubentryData(
                data={"addresses": [OWNER]},
                subentry_id=SUBENTRY,
                subentry_type="collection",
                title="My collection",
                unique_id=None,
            )
        ],
    )


async def _started(hass: HomeAssistant, entry: Any) -> tuple[Library, float]:
    """Start a library, and return it with the seconds until its collection can be shown."""
    library = Library(hass, entry, partial(async_tell_changed, hass))
    started = time.monotonic()
    await library.async_start()
    built = await library.async_build_playlist(NODE)
    assert built.works
    return library, time.monotonic() - started


async def measure(
    hass: HomeAssistant, signing_key: str, works: int, rounds: int
) -> list[Numbers]:
    """Read, keep, search and start with a collection; times on the clock include the pauses between requests."""
    async_setup_data(hass)
    async with IndexerSimulator() as indexer:
        # Some are there already.
        indexer.own(OWNER, works - 3)
        entry = _entry(indexer.url, signing_key)
        # Its key moves out of it.
        entry.add_to_hass(hass)
        set_apart()
        stalls, started = Stalls(), time.monotonic()
        library, first = await _started(hass, entry)
        first_requests = len(indexer.asked)
        (collection,) = library.collections.servers
        while collection.list.problem or len(collection.list.records) < works:
            await asyncio.sleep(0.01)
        complete, requests = time.monotonic() - started, len(indexer.asked)
        stall = stalls.end()
        await library.async_stop()
        del library, collection
        gc.collect()
        tracemalloc.start()
        library, _ = await _started(hass, entry)
        await library.async_hits("owned")
        gc.collect()
        memory = tracemalloc.get_traced_memory()[0] / 1e6
        tracemalloc.stop()
        await library.async_stop()
        indexer.asked.clear()
        library, again = await _started(hass, entry)
        again_requests = len(indexer.asked)
        found: list[float] = []
        for _ in range(rounds):
            for query in QUERIES:
                began = time.process_time()
                await library.async_hits(query)
                found.append(1000 * (time.process_time() - began))
        began = time.process_time()
        await library.async_children(NODE)
        browsed = 1000 * (time.process_time() - began)
        await library.async_stop()
    of = f"{works:,} works"
    return [
        (f"first picture of a collection of {of}", first, "s", None, 5),
        ("requests until then", first_requests, "", None, 2),
        ("all of them", complete, "s", None, 30),
        ("requests until then, once", requests, "", None, works / 50),
        ("longest stall meanwhile", stall, "ms", None, 50),
        ("first picture at the next start", again, "s", None, 1),
        ("requests until then, at the next start", again_requests, "", None, 0),
        (f"a page of {of}", browsed, "ms", None, 50),
        (f"search in {of}, slowest", max(found), "ms", None, 50),
        ("memory of the library with them", memory, "MB", None, 10),
    ]
