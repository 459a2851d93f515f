"""Test reads that overlap: what one of them found is not lost by another that ends later."""

import asyncio
import gc
from typing import override

from aiohttp import web
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


class OverlappingCatalog(CatalogSimulator):
    """A catalog that keeps the first request for a page waiting.

    Attributes:
        held: list and offset of the page; None once it waits.
        status: with which it is answered in the end; None as any other.
        released: whether it is answered.
    """

    def __init__(self, route: str, offset: int, status: int | None = None) -> None:
        """Initialize with the page."""
        super().__init__()
        self.held: tuple[str, int] | None = route, offset
        self.status = status
        self.released = asyncio.Event()

    @override
    async def _list(self, request: web.Request) -> web.StreamResponse:
        """Answer, the page only once it is released."""
        page = request.match_info["route"], int(request.query["offset"])
        if page != self.held:
            return await super()._list(request)
        self.held = None
        await self.released.wait()
        if self.status is not None:
            return web.Response(status=self.status)
        return await super()._list(request)


async def test_fewer_works_do_not_replace_more(make_library: MakeLibrary) -> None:
    """Who wants few works of a series and waits for them takes none from who wanted more."""
    async with OverlappingCatalog("artworks", 0) as catalog:
        library = await make_library(catalog)
        show = show_id(catalog, "Longform")
        await library.async_children(f"exhibition/{show}")
        node = f"series/{catalog.data.series(show)[0]['id']}"
        item = await library.async_node(node)
        pages = library.catalog_provider.async_pages
        few = asyncio.create_task(pages(item, 3))
        await until(lambda: catalog.held is None)
        many = await pages(item, 20)
        catalog.released.set()
        assert len((await few).nodes) == 3
        catalog.reset_counters()
        assert await pages(item, 20) == many
        assert not catalog.requests


async def test_a_failure_takes_nothing_away(make_library: MakeLibrary) -> None:
    """A read that fails after another has succeeded takes away nothing of what that found."""
    async with OverlappingCatalog("artworks", 5, 404) as catalog:
        library = await make_library(catalog)
        longform = show_id(catalog, "Longform")
        await library.async_children(f"exhibition/{longform}")
        series = catalog.data.series(longform)[0]["id"]
        works = library.catalog_server.artworks_of(series)

        def ids() -> set[str]:
            return {record.id for record in works.records}

        item = await library.async_node(f"series/{series}")
        slow = asyncio.create_task(works.async_read(pause=0.0))
        await until(lambda: catalog.held is None)
        await library.catalog_provider.async_pages(item, 20)
        assert len(found := ids()) == 20
        catalog.released.set()
        await slow
        assert found <= ids()


@pytest.mark.parametrize("what", ["work", "search"])
async def test_who_leaves_tells_of_no_problem(
    make_library: MakeLibrary, monkeypatch: pytest.MonkeyPatch, what: str
) -> None:
    """A catalog that takes longer than somebody waits is no problem of the library."""
    monkeypatch.setattr(catalog_module, "PATIENCE", 0.01)
    route = "artworks" if what == "work" else "exhibitions"
    async with OverlappingCatalog("artworks", 3) as catalog:
        library = await make_library(catalog)
        server = library.catalog_server
        key = catalog.data.series(show := show_id(catalog, "Longform"))[0]["id"]
        await server.async_series(show)
        series = server.series(key)
        assert series is not None
        if what == "work":
            with pytest.raises(UnreachableError):
                await server.async_artwork_at(series, 3)
        else:
            catalog.held = route, 0
            assert await server.async_search("weather", 0.01) == []
        assert library.problem is None
        catalog.released.set()
        await until(lambda: server.is_idle)
        assert library.problem is None


async def test_nobody_waits_for_a_failure(
    hass: HomeAssistant,
    monkeypatch: pytest.MonkeyPatch,
    caplog: pytest.LogCaptureFixture,
) -> None:
    """A read that fails once nobody waits any more is no error in the log, but a problem of the library."""
    monkeypatch.setattr(catalog_module, "PATIENCE", 0.01)
    async with OverlappingCatalog("artworks", 3, 404) as catalog:
        entry = await set_up(hass, library_entry(None, catalog.url))
        server = entry.runtime_data.catalog_server
        key = catalog.data.series(show := show_id(catalog, "Longform"))[0]["id"]
        await server.async_series(show)
        leaving = server.async_artwork_at(server.series(key), 3)
        assert await asyncio.gather(leaving, return_exceptions=True)
        del leaving
        catalog.released.set()
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
