"""How few round trips it takes."""

import time

from homeassistant.core import HomeAssistant

from .conftest import MakeLibrary

from tests.simulators.catalog import CatalogSimulator
from tests.simulators.feed import FeedSimulator

LATENCY = 0.1
TWENTY = "Twenty Kinds of Weather"


async def test_a_cold_exhibition_is_ready_in_six_round_trips(
    hass: HomeAssistant, catalog: CatalogSimulator, make_library: MakeLibrary
) -> None:
    """An exhibition of 20 series takes six round trips to be ready, four at a time; the second time none."""
    library = await make_library(catalog)
    node = library.sources()[TWENTY]
    assert catalog.data.series_count == 700  # made now, not while the clock runs
    catalog.latency = LATENCY
    catalog.reset_counters()
    started = time.monotonic()
    hanging = await library.async_cast(node)
    took = time.monotonic() - started
    assert catalog.max_in_flight <= 4
    assert catalog.count("series") == 4
    assert catalog.count("artworks") == 20
    assert took < 7.5 * LATENCY
    assert hanging.works == 48
    catalog.reset_counters()
    again = await library.async_cast(node)
    assert not catalog.requests
    assert again.works == 48


async def test_a_cold_catalog_is_read_in_five_round_trips(
    hass: HomeAssistant, catalog: CatalogSimulator, make_library: MakeLibrary
) -> None:
    """The list of 51 exhibitions takes at most five round trips."""
    catalog.latency = LATENCY
    started = time.monotonic()
    library = await make_library(catalog, wait=False)
    children = await library.async_children("exhibitions")
    took = time.monotonic() - started
    assert len(library.sources()) == len(children.nodes) == 47
    assert took < 5 * LATENCY
    assert catalog.max_in_flight <= 4
    assert len(catalog.requests) == 11


async def test_a_warm_start_sends_nothing(
    hass: HomeAssistant,
    catalog: CatalogSimulator,
    feed: FeedSimulator,
    make_library: MakeLibrary,
) -> None:
    """After a restart the sources are there without a request, and a show that hung before can hang again."""
    library = await make_library(catalog, feed)
    before = dict(library.sources())
    await library.async_cast(before[TWENTY])
    catalog.reset_counters()
    asked = feed.request_count
    library = await make_library(catalog, feed, wait=False)
    assert dict(library.sources()) == before
    assert (await library.async_cast(before[TWENTY])).works == 48
    assert not catalog.requests
    assert feed.request_count == asked
