"""Test what is kept of a server: lists shrink only by a reading of the whole, and tell news that are some."""

import asyncio
from collections.abc import AsyncIterator, Iterator
from copy import deepcopy
import gc
import json
from typing import Any

import pytest
from pytest_homeassistant_custom_component.common import MockConfigEntry

from custom_components.dp1.client.catalog.client import Catalog
from custom_components.dp1.client.errors import Dp1Error, UnreachableError
from custom_components.dp1.client.feed import paging
from custom_components.dp1.client.playlist.playlist import Playlist
from custom_components.dp1.library.library import Library
from custom_components.dp1.library.news import NEWS, NewsItem
from custom_components.dp1.library.providers.catalog import server as catalog_module
from custom_components.dp1.library.providers.feed import server as feed_module
from homeassistant.core import HomeAssistant, callback
from homeassistant.helpers.dispatcher import async_dispatcher_connect
from homeassistant.util import dt as dt_util

from .conftest import MakeLibrary
from .shows import search_nodes, show_id
from .test_followed import EVENINGS, NIGHTS, document, following

from tests.client.scripted_server import Reply, Request, ScriptedServer
from tests.displays import name_hosts, until
from tests.libraries import library_entry, playlist, set_up
from tests.simulators.catalog.simulator import CatalogSimulator
from tests.simulators.feed import Fault, FeedSimulator
from tests.timing import FAST, Timing, set_timing

pytestmark = pytest.mark.usefixtures("socket_enabled")


@pytest.fixture
def timing() -> Timing:
    """Try again at once."""
    return dict(FAST, read_retry=0.0, list_retry=0.05)


@pytest.fixture
def news(hass: HomeAssistant) -> Iterator[list[str]]:
    """Note the titles of what is told."""
    told: list[str] = []

    @callback
    def note(item: NewsItem) -> None:
        told.append(item.attributes["title"])

    stop = async_dispatcher_connect(hass, NEWS, note)
    yield told
    stop()


async def test_a_cast_takes_nothing_away(
    catalog: CatalogSimulator, make_library: MakeLibrary
) -> None:
    """After a restart, a few works of a series that was read whole do not replace the others."""
    library = await make_library(catalog)
    show = show_id(catalog, "Longform")
    await library.async_children(f"exhibition/{show}")
    series = catalog.data.series(show)[0]["id"]
    works = library.catalog_server.artworks_of(series)
    await works.async_read()
    assert works.complete and len(works.records) == 1024
    library = await make_library(catalog)
    works = library.catalog_server.artworks_of(series)
    set_timing(catalog_age=0.0)
    catalog.reset_counters()
    await library.async_build_playlist(f"series/{series}", limit=5)
    await until(lambda: not works.is_reading)
    assert catalog.count("artworks") < 12
    assert works.complete and len(works.records) == 1024


@pytest.mark.parametrize("is_interrupted", [False, True])
async def test_a_first_reading_tells_no_news(
    hass: HomeAssistant,
    monkeypatch: pytest.MonkeyPatch,
    news: list[str],
    is_interrupted: bool,
) -> None:
    """What a feed has when it is read for the first time is not new, however long that takes; what comes then is."""
    monkeypatch.setattr(paging, "PAGE_SIZE", 10)
    monkeypatch.setattr(feed_module, "FIRST_PLAYLISTS", 20)
    now = dt_util.utcnow().isoformat()
    async with FeedSimulator("v2", random_seed=1) as feed:
        feed.seed(document(n) | {"created": now} for n in range(60))
        if is_interrupted:
            set_timing(page_pause=0.05)
        entry = await set_up(hass, library_entry(feed.url))
        if is_interrupted:
            records = entry.runtime_data.feed_server.list
            await until(lambda: 20 <= len(records.records) < 60)
            set_timing(page_pause=0.0)
            assert await hass.config_entries.async_reload(entry.entry_id)
            await hass.async_block_till_done()
            await entry.runtime_data.async_refresh()
        await until(lambda: entry.runtime_data.feed_server.list.complete)
        assert not news
        feed.seed([document(99) | {"created": dt_util.utcnow().isoformat()}])
        await entry.runtime_data.async_refresh()
        await until(lambda: news)
        assert news == ["Playlist 99"]


async def test_a_list_that_goes_while_it_is_read(
    catalog: CatalogSimulator, make_library: MakeLibrary
) -> None:
    """Who waits for the series of an exhibition that is taken down is told so at once."""
    library = await make_library(catalog)
    show = show_id(catalog, "Longform")
    held = catalog.inject("hold", route="series")
    reader = asyncio.create_task(library.async_children(f"exhibition/{show}"))
    await until(lambda: held.hits)
    before = catalog.data.exhibitions[:]
    catalog.data.exhibitions[:] = [it for it in before if it["id"] != show]
    try:
        await library.catalog_server.async_refresh()
        # The series is held until the end.
        inside = await reader
        assert inside.problem is not None and not inside.nodes
        # It comes back, and is read anew.
        waited = held.hits
        again = asyncio.create_task(library.catalog_server.async_series(show))
        await until(lambda: held.hits > waited)
    finally:
        catalog.data.exhibitions[:] = before
        held.released.set()
    series = await again
    assert series.records and series.missing is None


async def test_an_error_of_ours_ends_no_reading_for_ever(
    catalog: CatalogSimulator,
    make_library: MakeLibrary,
    monkeypatch: pytest.MonkeyPatch,
    caplog: pytest.LogCaptureFixture,
) -> None:
    """A reading that fails by an error nobody has thought of is logged, and tried again."""
    ask, failures = Catalog.exhibitions, [1, 2]

    async def fail(self: Catalog, **options: Any) -> Any:
        if failures:
            raise KeyError(failures.pop())
        return await ask(self, **options)

    monkeypatch.setattr(Catalog, "exhibitions", fail)
    library = await make_library(catalog, wait=False)
    exhibitions = library.catalog_server.list
    await until(lambda: exhibitions.problem is not None)
    assert library.problem is not None
    await until(lambda: exhibitions.records and library.problem is None)
    assert "KeyError" in caplog.text


async def test_stopping_ends_every_reading(
    catalog: CatalogSimulator, make_library: MakeLibrary
) -> None:
    """No task of a library is left once it has stopped."""
    library = await make_library(catalog)
    shows = [show["id"] for show in catalog.data.exhibitions[:5]]
    held = catalog.inject("hold", route="series")
    for show in shows:
        library.catalog_server.series_of(show).async_start()
    readers = [
        asyncio.create_task(library.async_children(f"exhibition/{show}"))
        for show in shows
    ]
    ended = asyncio.Event()

    async def slow_to_end() -> None:
        """Read until it is canceled, and then a moment longer."""
        try:
            await asyncio.Event().wait()
        finally:
            await asyncio.sleep(0.5)
            ended.set()

    library.catalog_server.create_task("series that ends slowly", slow_to_end())
    await until(lambda: held.hits)
    await library.async_stop()
    left = [it.get_name() for it in asyncio.all_tasks() if " series " in it.get_name()]
    assert not left and ended.is_set()
    held.released.set()
    for reader in readers:
        reader.cancel()


async def test_documents_together_have_a_limit(
    feed: FeedSimulator, make_library: MakeLibrary, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Large playlists that are opened one after the other do not add up."""
    monkeypatch.setattr(feed_module, "MAX_DOCUMENT_BYTES", 100_000)
    works = [{"source": f"https://a.b/{n}", "title": f"Work {n}"} for n in range(300)]
    feed.seed(document(number) | {"items": works} for number in range(8))
    (huge,) = feed.seed([document(99) | {"items": 5 * works}])
    library = await make_library(feed=feed)
    refs = [it.id for it in library.feed_server.list.records if it.id != huge["id"]]
    for ref in refs:
        await library.feed_server.async_document(ref)
    vars(library.entry)["tasks"].clear()
    gc.collect()
    held = [
        it
        for it in gc.get_objects()
        if isinstance(it, Playlist) and it.url and feed.url in it.url
    ]
    sizes = [len(json.dumps(it.document)) for it in held]
    assert held and sum(sizes) < 110_000
    feed.log.clear()
    await library.feed_server.async_document(refs[-1])
    assert not feed.log
    assert (await library.feed_server.async_document(huge["id"])).items
    await library.feed_server.async_document(refs[-1])
    assert len(feed.log) == 1


async def test_a_record_that_is_cut(
    feed: FeedSimulator,
    make_library: MakeLibrary,
    hass_storage: dict[str, Any],
) -> None:
    """A stored playlist that is cut is read again; the search goes on."""
    feed.seed(document(number) for number in range(1, 4))
    library = await make_library(feed=feed)
    await library.async_stop()
    file = deepcopy(hass_storage["dp1.library.library.feed"])
    stored = file["data"]["playlists"]
    record = json.loads(stored["records"][0])
    record["fields"] = record["fields"][:-2]
    stored["records"][0] = json.dumps(record)
    stored["records"][1] = stored["records"][1][:-9]
    hass_storage["dp1.library.other.feed"] = file | {"key": "dp1.library.other.feed"}
    feed.fault(status=500, times=None)
    library = await make_library(feed=feed, entry_id="other", wait=False)
    assert len(library.feed_server.list.records) == 1
    assert len(await search_nodes(library, "Playlist")) == 1
    feed.faults.clear()
    await library.feed_server.async_refresh()
    await until(lambda: len(library.feed_server.list.records) == 3)
    assert len(await search_nodes(library, "Playlist")) == 3


@pytest.fixture
async def secret() -> AsyncIterator[ScriptedServer]:
    """Run a server at home that the owner has named as the feed of a channel, with more than a feed."""

    def answer(request: Request) -> Reply:
        if request.path.startswith("/api/v1/channels/x"):
            return Reply(200, {"id": EVENINGS, "title": "Evenings", "playlists": []})
        if request.path.startswith("/api/v1/playlists"):
            return Reply(200, {"items": [], "hasMore": False})
        return Reply(200, {"id": "admin", "title": "Admin", "items": []})

    async with ScriptedServer.run(answer) as server:
        yield server


async def test_a_foreign_address_has_no_rights_of_a_feed(
    hass: HomeAssistant, secret: ScriptedServer
) -> None:
    """What a channel of a stranger lists is read as anybody may, not with the rights of the first channel."""
    async with FeedSimulator("v2", random_seed=1) as stranger:
        publisher = {"name": "Ines", "key": "did:key:z6Mk"}
        stranger.seed(
            channels=[
                {
                    "id": NIGHTS,
                    "title": "Nights",
                    "publisher": publisher,
                    "playlists": [f"{secret.url}/admin/secret.json"],
                }
            ]
        )
        entry = MockConfigEntry(
            domain="dp1",
            title="Library",
            data=dict(library_entry(None).data),
            subentries_data=[
                {
                    "data": {"url": url},
                    "subentry_type": "channel",
                    "title": title,
                    "unique_id": title,
                }
                for title, url in (
                    ("Home", f"{secret.url}/api/v1/channels/x"),
                    ("Stranger", f"{stranger.url}/channels/{NIGHTS}"),
                )
            ],
        )
        await set_up(hass, entry)
        library: Library = entry.runtime_data
        for channel in library.channels.servers:
            await channel.async_refresh()
        assert not [it.path for it in secret.requests if it.path.startswith("/admin")]
        with pytest.raises(Dp1Error):
            await library.feed_server.async_document(f"{secret.url}/admin/secret.json")
        assert not [it.path for it in secret.requests if it.path.startswith("/admin")]


async def test_documents_of_strangers_are_not_kept(hass: HomeAssistant) -> None:
    """Of the playlists of a channel at other hosts nothing stays but what is listed of them."""
    reply = Reply(200, document(11))
    async with (
        following(hass) as house,
        ScriptedServer.run(lambda request: reply) as server,
    ):
        await name_hosts(hass, server.url)
        house.put(EVENINGS, 1, f"{server.url}/playlist.json")
        await house.follow(f"/{EVENINGS}")
        await house.look()
        assert house.listed() == ["Playlist 1", "Playlist 11"]
        assert not house.library.feed_server._documents


async def test_a_look_that_fails_is_repeated_sooner(
    feed: FeedSimulator,
    make_library: MakeLibrary,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """The next reading is scheduled whatever the last one ended with, each time after longer where nobody answers."""
    library = await make_library(feed=feed)
    server = library.feed_server
    assert server.next_read is not None
    await feed.stop()
    await server.async_refresh()
    assert server.problem is not None and server.next_read is not None
    waits: list[float] = []
    schedule = server.async_schedule

    def note(seconds: float) -> None:
        waits.append(seconds)
        schedule(seconds)

    monkeypatch.setattr(server, "async_schedule", note)
    # Nobody asks for these.
    await until(lambda: len(waits) >= 3)
    assert waits[0] < waits[1] < waits[2]
    await feed.start()
    await until(lambda: server.problem is None)


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
