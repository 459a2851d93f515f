"""Test the unhurried reading of what nobody has opened."""

import asyncio

import pytest

from custom_components.dp1.library.library import Library
from custom_components.dp1.library.providers.catalog import background_reader

from .conftest import MakeLibrary
from .shows import search_nodes

from tests.displays import until
from tests.simulators.catalog.simulator import CatalogSimulator
from tests.timing import FAST, Timing

pytestmark = pytest.mark.usefixtures("socket_enabled")


@pytest.fixture
def timing() -> Timing:
    return dict(FAST, reading_start=0.001, reading_pause=0.001, reading_idle=0.001)


def unread(library: Library) -> int:
    """Return how many open exhibitions have series that were not read."""
    catalog = library.catalog_server
    return sum(
        catalog.is_open(show) and catalog.series_of(show.id).read_at is None
        for show in catalog.list.records
    )


async def test_unopened_exhibitions_are_found(
    catalog: CatalogSimulator, make_library: MakeLibrary
) -> None:
    """All series are read once, one request at a time, and none after a restart."""
    catalog.latency = 0.002
    library = await make_library(catalog)
    catalog.reset_counters()
    await until(lambda: not unread(library))
    assert catalog.max_in_flight == 1
    pages = sum(
        max(1, -(-len(catalog.data.series(show["id"])) // 5))
        for show in catalog.data.exhibitions
    )
    assert catalog.count("exhibitions") == 0
    assert 47 <= catalog.count("series") <= pages
    show = catalog.data.find_exhibition("First Signals")
    title = catalog.data.series(show["id"])[0]["title"]
    catalog.inject("status")
    found = await search_nodes(library, title)
    assert "First Signals" in {node.subtitle for node in found}
    catalog.heal()
    library = await make_library(catalog)
    catalog.reset_counters()
    await asyncio.sleep(0.1)
    assert not unread(library)
    assert catalog.count("series") == catalog.count("exhibitions") == 0


@pytest.mark.parametrize(
    "timing", [dict(FAST, reading_pause=20.0, reading_idle=1000.0)]
)
async def test_errors_slow_the_reading_down(
    catalog: CatalogSimulator,
    make_library: MakeLibrary,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """After an error the next exhibition is read after a long pause, and what failed in the next round."""
    waits: list[float] = []
    later = background_reader.async_call_later

    def call_later(hass, seconds, job):  # type: ignore[no-untyped-def]
        """Remember the pauses, and shorten them."""
        waits.append(seconds)
        return later(hass, 0.001, job)

    monkeypatch.setattr(background_reader, "async_call_later", call_later)
    # No works are read between the rounds.
    monkeypatch.setattr(background_reader, "MAX_IN_ALL", 0)
    catalog.inject("status", route="series")
    library = await make_library(catalog)
    # Before that, the list itself is being read.
    await until(lambda: waits.count(1000.0) > 50)
    first = waits.index(1000.0)
    assert set(waits[first:]) == {1000.0}
    catalog.heal()
    waits.clear()
    await until(lambda: not unread(library))
    assert 20.0 in waits
