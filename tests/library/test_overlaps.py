"""Test reads that overlap: what one of them found is not lost by another that ends later."""

import asyncio
import gc

import pytest

from custom_components.dp1.client.errors import UnreachableError
from custom_components.dp1.library.providers.catalog import server as catalog_module
from homeassistant.core import HomeAssistant

from .conftest import MakeLibrary
from .shows import show_id

from tests.displays import until
from tests.libraries import library_entry, playlist, set_up
from tests.simulators.catalog.simulator import CatalogSimulator
from tests.simulators.feed import Fault, FeedSimulator

pytestmark = pytest.mark.usefixtures("socket_enabled")


async def test_fewer_works_do_not_replace_more(
    catalog: CatalogSimulator, make_library: MakeLibrary
) -> None:
    """Who wants few works of a series and waits for them takes none from who wanted more."""
    library = await make_library(catalog)
    show = show_id(catalog, "Longform")
    await library.async_children(f"exhibition/{show}")
    node = f"series/{catalog.data.series(show)[0]['id']}"
    item = await library.async_node(node)
    held = catalog.inject("hold", route="artworks", offset=0, times=1)
    pages = library.catalog_provider.async_pages
    few = asyncio.create_task(pages(item, 3))
    await until(lambda: held.hits)
    many = await pages(item, 20)
    held.released.set()
    assert len((await few).nodes) == 3
    catalog.reset_counters()
    assert await pages(item, 20) == many
    assert not catalog.requests


async def test_a_failure_takes_nothing_away(
    catalog: CatalogSimulator, make_library: MakeLibrary
) -> None:
    """A read that fails after another has succeeded takes away nothing of what that found."""
    library = await make_library(catalog)
    longform = show_id(catalog, "Longform")
    await library.async_children(f"exhibition/{longform}")
    series = catalog.data.series(longform)[0]["id"]
    works = library.catalog_server.artworks_of(series)

    def ids() -> set[str]:
        return {record.id for record in works.records}

    item = await library.async_node(f"series/{series}")
    held = catalog.inject("hold", route="artworks", offset=5, times=1)
    catalog.inject("status", route="artworks", offset=5, times=1, status=404)
    slow = asyncio.create_task(works.async_read(pause=0.0))
    await until(lambda: held.hits)
    await library.catalog_provider.async_pages(item, 20)
    assert len(found := ids()) == 20
    held.released.set()
    await slow
    assert found <= ids()


@pytest.mark.parametrize("what", ["work", "search"])
async def test_who_leaves_tells_of_no_problem(
    catalog: CatalogSimulator,
    make_library: MakeLibrary,
    monkeypatch: pytest.MonkeyPatch,
    what: str,
) -> None:
    """A catalog that takes longer than somebody waits is no problem of the library."""
    monkeypatch.setattr(catalog_module, "PATIENCE", 0.01)
    library = await make_library(catalog)
    server = library.catalog_server
    key = catalog.data.series(show := show_id(catalog, "Longform"))[0]["id"]
    await server.async_series(show)
    series = server.series(key)
    assert series is not None
    held = catalog.inject(
        "hold", route="artworks" if what == "work" else "exhibitions", times=1
    )
    if what == "work":
        with pytest.raises(UnreachableError):
            await server.async_artwork_at(series, 3)
    else:
        assert await server.async_search("weather", 0.01) == []
    assert library.problem is None
    held.released.set()
    await until(lambda: server.is_idle)
    assert library.problem is None


async def test_nobody_waits_for_a_failure(
    hass: HomeAssistant,
    catalog: CatalogSimulator,
    monkeypatch: pytest.MonkeyPatch,
    caplog: pytest.LogCaptureFixture,
) -> None:
    """A read that fails once nobody waits any more is no error in the log, but a problem of the library."""
    monkeypatch.setattr(catalog_module, "PATIENCE", 0.01)
    entry = await set_up(hass, library_entry(None, catalog.url))
    server = entry.runtime_data.catalog_server
    key = catalog.data.series(show := show_id(catalog, "Longform"))[0]["id"]
    await server.async_series(show)
    held = catalog.inject("hold", route="artworks", offset=3, times=1)
    catalog.inject("status", route="artworks", offset=3, times=1, status=404)
    leaving = server.async_artwork_at(server.series(key), 3)
    assert await asyncio.gather(leaving, return_exceptions=True)
    del leaving
    held.released.set()
    await until(lambda: server.is_idle)
    gc.collect()
    await hass.async_block_till_done()
    assert "never retrieved" not in caplog.text


async def test_what_is_written_meanwhile(
    feed: FeedSimulator, make_library: MakeLibrary
) -> None:
    """A document that was being read when it was changed is read again."""
    (old,) = feed.seed([playlist()])
    library = await make_library(None, feed)
    server = library.feed_server
    asked = feed.request_count
    feed.fault(Fault(path=old["id"], delay=0.2))
    reading = asyncio.create_task(server.async_document(old["id"]))
    await until(lambda: feed.request_count > asked)
    feed.documents[old["id"]]["title"] = "Dawn"
    await server.async_put({**old, "title": "Dawn"})
    await reading
    asked = feed.request_count
    found = await server.async_document(old["id"])
    assert found.document["title"] == "Dawn"
    assert feed.request_count > asked
