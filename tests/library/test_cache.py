"""Test the cache of the library in memory and on disk."""

import asyncio
from datetime import UTC, datetime
import json
from typing import Any

import pytest

from custom_components.dp1.client.errors import NotFoundError, TemporaryError
from custom_components.dp1.client.feed.models import FeedChannel, FeedPlaylist
from custom_components.dp1.library.library import Library, async_remove_stored
from custom_components.dp1.library.providers.catalog import server as catalog_module
from custom_components.dp1.library.providers.catalog.server import folders_of
from custom_components.dp1.storage import record_from_json, record_to_json
from homeassistant.core import HomeAssistant

from .conftest import MakeLibrary
from .shows import on_wall, search_nodes, show_id, show_node

from tests.displays import until
from tests.simulators.catalog.simulator import CatalogSimulator
from tests.simulators.feed import FeedSimulator
from tests.timing import FAST, set_timing

PLAYLIST = {
    "title": "Evening",
    "items": [{"source": "https://art.example/1.html", "title": "One"}],
}


async def wait_until_quiet(catalog: CatalogSimulator) -> None:
    """Wait for background reads."""
    seen = -1
    while len(catalog.requests) != seen or catalog.in_flight:
        seen = len(catalog.requests)
        await asyncio.sleep(0.1)


async def test_what_is_old_is_shown_and_read_again(
    catalog: CatalogSimulator,
    make_library: MakeLibrary,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """An outdated exhibition is returned at once, and refreshed in the background."""
    library = await make_library(catalog)
    show = show_node(catalog, "Net Evil")
    before = await library.async_children(show)
    series = before.nodes[0].id
    await library.async_children(series)
    catalog.reset_counters()
    set_timing(catalog_age=0.0, read_retry=0.0)
    renamed = catalog.data.series(show_id(catalog, "Net Evil"))[0]
    title, renamed["title"] = renamed["title"], "Another Name"
    try:
        assert await library.async_children(show) == before
        await library.async_children(series)
        await wait_until_quiet(catalog)
        assert catalog.count("series") and catalog.count("artworks")
        after = await library.async_children(show)
        assert after.nodes[0].title == "Another Name"
    finally:
        renamed["title"] = title


async def test_equal_reads_are_one(
    catalog: CatalogSimulator, make_library: MakeLibrary
) -> None:
    """Concurrent reads share one request, also if one of them is canceled."""
    catalog.latency = 0.05
    library = await make_library(catalog, wait=False)
    show = show_node(catalog, "Longform")
    leaving = asyncio.create_task(library.async_children(show))
    looking = [library.async_children(show) for _ in range(10)]
    casting = [library.async_build_playlist(show) for _ in range(10)]
    asyncio.get_running_loop().call_later(0.02, leaving.cancel)
    results: list[Any] = await asyncio.gather(*looking, *casting)
    assert len({result.nodes for result in results[:10]}) == 1
    assert len({result.works for result in results[10:]}) == 1
    assert catalog.count("exhibitions") == 11
    asked = [(request.route, str(request.query)) for request in catalog.requests]
    assert len(asked) == len({*asked})
    assert catalog.max_in_flight <= 4
    with pytest.raises(asyncio.CancelledError):
        await leaving


async def test_equal_searches_are_one(
    catalog: CatalogSimulator, library: Library
) -> None:
    """Concurrent searches for the same words share one request."""
    catalog.reset_counters()
    await asyncio.gather(*(search_nodes(library, "blorp") for _ in range(5)))
    assert catalog.count("exhibitions") == 1


async def test_what_does_not_exist_is_asked_for_once(
    catalog: CatalogSimulator,
    make_library: MakeLibrary,
    hass_storage: dict[str, Any],
) -> None:
    """Names of series that nobody made leave neither requests nor lists, until the catalog is read again."""
    library = await make_library(catalog)
    catalog.reset_counters()
    for name in ("series/nothing", "artwork/nothing/1", "series/nothing"):
        with pytest.raises(NotFoundError):
            await library.async_node(name)
    assert [request.route for request in catalog.requests] == ["artworks"]
    catalog.inject("status", route="artworks", status=503)
    with pytest.raises(TemporaryError):
        await library.async_node("series/other")
    catalog.heal()
    await library.catalog_server.async_refresh()
    catalog.reset_counters()
    with pytest.raises(NotFoundError):
        await library.async_node("series/nothing")
    assert catalog.count("artworks") == 1
    assert not library.catalog_server.listings("artworks")
    await library.async_stop()
    stored = json.dumps(hass_storage["dp1.library.library.catalog"])
    assert "nothing" not in stored


async def test_more_works_are_read_when_more_are_wanted(
    catalog: CatalogSimulator, library: Library
) -> None:
    """More works are read if fewer than requested are cached."""
    series = catalog.data.series(show_id(catalog, "Longform"))[0]["id"]
    item = await library.async_node(f"series/{series}")
    pages = library.catalog_provider.async_pages
    for count, least, asked in ((3, 3, 1), (20, 16, 5), (4, 4, 5)):
        assert least <= len((await pages(item, count)).nodes) <= count
        assert catalog.count("artworks") == asked


async def test_memory_is_bounded(
    catalog: CatalogSimulator,
    make_library: MakeLibrary,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """The least recently used works are removed from memory."""
    monkeypatch.setattr(catalog_module, "MAX_WORKS", 60)
    library = await make_library(catalog)
    show = show_node(catalog, "Twenty Kinds of Weather")
    long = catalog.data.series(show_id(catalog, "Longform"))[0]["id"]
    work = (await library.async_children(f"series/{long}")).nodes[5]
    await library.async_build_playlist(show)
    kept = library.catalog_server.to_store()["artworks"]
    assert sum(len(artworks["records"]) for artworks in kept.values()) <= 60
    assert long not in kept
    # A removed series is read again when requested.
    assert (await library.async_build_playlist(work.id)).title == work.title


async def test_the_copy_on_disk(
    hass: HomeAssistant,
    hass_storage: dict[str, Any],
    catalog: CatalogSimulator,
    feed: FeedSimulator,
    make_library: MakeLibrary,
) -> None:
    """The file has a version, the cached data and no secrets, and is removed with the library."""
    feed.seed([PLAYLIST | {"id": ID}], [{"title": "Hall", "playlists": [ID]}])
    library = await make_library(catalog, feed)
    show = show_node(catalog, "Net Evil")
    await library.async_build_playlist(show)
    await library.async_add_favorite(show)
    await library.async_stop()
    names = [f"dp1.library.library.{kind}" for kind in ("catalog", "feed", "built")]
    stored = [hass_storage[name] for name in names]
    assert [file["version"] for file in stored] == [1, 1, 1]
    of_catalog, of_feed, built = data = [file["data"] for file in stored]
    assert list(built.values()) == [show]
    assert len(of_catalog["exhibitions"]["records"]) == 51
    titles = [json.loads(record)["title"] for record in of_feed["playlists"]["records"]]
    assert titles == ["Evening"]
    assert len(of_catalog["series"]) == 1 and len(of_catalog["artworks"]) == 8
    before = library.catalog_server.list.records
    library = await make_library(catalog, feed, wait=False)
    assert library.catalog_server.list.records == before
    await library.async_stop()
    assert [hass_storage[name]["data"] for name in names] == data
    assert len(hass_storage["dp1.favorites.library"]["data"]["favorites"]) == 1
    await async_remove_stored(hass, "library")
    assert not [key for key in hass_storage if key.startswith("dp1.")]


ID = "385f79b6-a45f-4c1c-8080-e93a192adccc"


async def test_another_server_has_another_copy(
    catalog: CatalogSimulator, feed: FeedSimulator, make_library: MakeLibrary
) -> None:
    """The cache of one server is not used for another."""
    feed.seed([PLAYLIST])
    await make_library(catalog, feed)
    async with CatalogSimulator() as other:
        other.inject("status")
        library = await make_library(other, feed, wait=False)
        assert library.source_list().names == {}
        assert len((await library.async_children("playlists")).nodes) == 1
        await library.async_stop()
    async with FeedSimulator() as other_feed:
        library = await make_library(catalog, other_feed)
        assert not (await library.async_children("playlists")).nodes
        await library.async_stop()


@pytest.mark.parametrize("timing", [dict(FAST, save_delay=0.2)])
async def test_the_copy_is_written_while_more_is_read(
    hass_storage: dict[str, Any],
    catalog: CatalogSimulator,
    library: Library,
) -> None:
    """The cache is saved a while after the first page, whatever is read meanwhile."""
    async with asyncio.timeout(30):
        while "dp1.library.library.catalog" not in hass_storage:
            library.catalog_server.async_updated()
            await asyncio.sleep(0.02)
    data = hass_storage["dp1.library.library.catalog"]["data"]
    assert data["exhibitions"]["records"]


async def test_series_of_shows_that_are_gone_go_too(
    catalog: CatalogSimulator, library: Library
) -> None:
    """Series of removed exhibitions are removed from the cache, and nothing is recognized by where their works were."""
    show = show_id(catalog, "Net Evil")
    await library.async_children(f"exhibition/{show}")
    assert library.catalog_server.all_series
    server, folders = library.catalog_server, set[str]()
    for series in server.series_of(show).records:
        folders |= folders_of(series)
    assert folders and all(server.series_at(f"{folder}1") for folder in folders)
    catalog.data.exhibitions.remove(catalog.data.find_exhibition("Net Evil"))
    await library.catalog_server.async_refresh()
    assert "Net Evil" not in library.source_list().names
    assert not library.catalog_server.all_series
    assert not any(server.series_at(f"{folder}1") for folder in folders)
    # Nor is anything of another series there ambiguous.
    assert not folders & server._folders.keys()


def test_feed_records_survive_anything() -> None:
    """Playlists and channels with unusual values are read."""
    assert FeedPlaylist.parse({}) is None
    odd = FeedPlaylist.parse(
        {
            "id": "x",
            "title": "<b>Bold</b>\u202e &amp; bright",
            "coverImage": "javascript:alert(1)",
            "curators": [None, {"name": ""}, {"name": "<i>Ines</i>"}],
            "created": "soon",
            "items": [
                None,
                {"source": "https://a.example/1", "id": "k"},
                {"source": "https://a.example/2", "id": "k", "title": "Two"},
                {"source": ""},
            ],
        }
    )
    assert odd is not None
    assert odd.title == "Bold & bright" and odd.cover == "" and odd.year is None
    assert odd.curators == ("Ines",)
    assert [(item.key, item.title) for item in odd.items] == [("k", "#2"), ("2", "Two")]
    assert odd.count == 4
    assert record_from_json(FeedPlaylist, record_to_json(odd)) == odd
    assert FeedChannel.parse({"title": "no id"}) is None
    channel = FeedChannel.parse({"id": "c", "playlists": "none", "publisher": []})
    assert channel == FeedChannel("c", "c", "", ())
    assert record_from_json(FeedChannel, record_to_json(channel)) == channel


async def test_a_copy_of_the_future(
    catalog: CatalogSimulator, feed: FeedSimulator, make_library: MakeLibrary
) -> None:
    """What was read when the clock was ahead is old, however far."""
    library = await make_library(catalog, feed)
    future = datetime(2100, 1, 1, tzinfo=UTC)
    library.feed_server.state.older_read_at = future
    for server in library.servers:
        server.list.read_at = future
    asked = len(catalog.requests), feed.request_count
    library = await make_library(catalog, feed)
    await until(lambda: all(each.list.age < 60 for each in library.servers))
    assert library.since is not None and library.since < future
    assert feed.request_count > asked[1] and len(catalog.requests) > asked[0]
    older_read_at = library.feed_server.state.older_read_at
    assert older_read_at is not None and older_read_at < future


async def test_a_series_with_another_id(
    catalog: CatalogSimulator, library: Library
) -> None:
    """The works of a series that the catalog has under another id by now are recognized there."""
    show = show_id(catalog, "Net Evil")
    await library.async_build_playlist(f"exhibition/{show}")
    before = catalog.data.series(show)[0]
    after = {**before, "id": "11111111-aaaa-4aaa-8aaa-111111111111"}
    works = catalog.data.artworks(before["id"])
    catalog.data._by_exhibition[show][0] = catalog.data._made[after["id"]] = after
    catalog.data._works[after["id"]] = works
    try:
        await library.catalog_server.series_of(show).async_read()
        await library.async_children(f"series/{after['id']}")
        work = library.work(on_wall({"source": works[0]["previewURI"]}))
        assert work is not None
        assert work.id.startswith(f"artwork/{after['id']}/")
    finally:
        catalog.data._by_exhibition[show][0] = before
