"""Test a feed with more playlists than are read at once."""

import threading
from typing import Any

import aiohttp
import pytest

from custom_components.dp1.client.feed import models as feed_models, paging
from custom_components.dp1.client.feed.models import FeedPlaylist, items_of, open_items
from custom_components.dp1.library import library as library_module
from custom_components.dp1.library.item import Item
from custom_components.dp1.library.library import Library
from custom_components.dp1.library.providers.feed import server as library_feed
from homeassistant.util import dt as dt_util

from .conftest import MakeLibrary
from .shows import search_nodes

from tests.displays import until
from tests.simulators.feed import FeedSimulator
from tests.timing import set_timing

COUNT = 55


@pytest.fixture(autouse=True)
def small(monkeypatch: pytest.MonkeyPatch) -> None:
    """Lower the limits to 20 playlists per read and per page."""
    monkeypatch.setattr(paging, "PAGE_SIZE", 10)
    monkeypatch.setattr(library_feed, "FIRST_PLAYLISTS", 20)
    monkeypatch.setattr(library_module, "MAX_CHILDREN", 20)


def evening(number: int, **more: Any) -> dict[str, Any]:
    source = f"https://art.example/{number}.html"
    items = [{"source": source, "title": f"Work {number}"}]
    return {"title": f"Evening {number}", "items": items, **more}


async def delete(feed: FeedSimulator, key: str) -> None:
    headers = {"Authorization": f"Bearer {feed.api_key}"}
    async with aiohttp.ClientSession(headers=headers) as session:
        await session.delete(f"{feed.url}/playlists/{key}")


async def opened(library: Library) -> list[Item]:
    """Return the titles of the playlists on all pages."""
    nodes: list[Item] = []
    waiting = "playlists"
    while waiting:
        page = await library.async_children(waiting)
        assert page.problem is None
        waiting = ""
        for node in page.nodes:
            if node.kind == "more":
                waiting = node.id
            else:
                nodes.append(node)
        assert len(page.nodes) <= 21
    return nodes


def known(library: Library) -> list[str]:
    return [playlist.title for playlist in library.feed_server.list.records]


async def test_all_playlists_are_reached(
    feed: FeedSimulator, make_library: MakeLibrary
) -> None:
    """All playlists are found by browsing and search, after a restart without a request."""
    feed.seed(evening(number) for number in range(COUNT))
    library = await make_library(None, feed)
    assert len(known(library)) >= 20
    await until(lambda: library.feed_server.list.complete)
    titles = [f"Evening {number}" for number in reversed(range(COUNT))]
    assert known(library) == titles
    assert [node.title for node in await opened(library)] == titles
    page = await library.async_children("playlists")
    assert page.nodes[-1].title == "More (35)" and page.not_shown == 0
    for query in ("evening 0", "work 3"):
        found = await search_nodes(library, query)
        assert found[0].title.casefold() == query
    found = await search_nodes(library, "evening 54", within="playlists")
    assert found[0].title == "Evening 54"
    await library.async_stop()
    feed.log.clear()
    library = await make_library(None, feed)
    assert known(library) == titles
    assert not feed.log


async def test_what_is_older_is_read_once_a_day(
    feed: FeedSimulator, make_library: MakeLibrary, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Older playlists are read once a day, and newer ones at every refresh."""
    feed.seed(evening(number) for number in range(COUNT))
    library = await make_library(None, feed)
    coordinator = library.feed_server
    await until(lambda: coordinator.list.complete)
    by_title = {entry["title"]: key for key, entry in feed.documents.items()}
    for title in ("Evening 50", "Evening 1"):
        await delete(feed, by_title[title])
    feed.seed([evening(99)])
    feed.log.clear()
    await coordinator.async_refresh()
    assert len([asked for asked in feed.log if asked.path.endswith("/playlists")]) == 2
    titles = known(library)
    assert titles[0] == "Evening 99" and len(titles) == COUNT
    assert "Evening 50" not in titles and "Evening 1" in titles
    assert coordinator.list.complete
    set_timing(older_age=0.0)
    await coordinator.async_refresh()
    await until(lambda: "Evening 1" not in known(library))
    assert len(known(library)) == COUNT - 1


async def test_a_playlist_too_large_for_a_page(
    feed: FeedSimulator, make_library: MakeLibrary, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A large playlist is listed alone, found by its first works, and read as a whole to open or hang it."""
    monkeypatch.setattr(paging, "MAX_PAGE_BODY", 20_000)
    monkeypatch.setattr(library_module, "MAX_CHILDREN", 2000)
    works = [
        {"source": f"https://art.example/{n}.html", "title": f"Great work {n}"}
        for n in range(12_000)
    ]
    (large,) = feed.seed([{"title": "The great evening", "items": works}])
    assert len(str(large)) > 1024 * 1024
    feed.seed(evening(number) for number in range(COUNT))
    library = await make_library(None, feed)
    await until(lambda: library.feed_server.list.complete)
    page = await library.async_children("playlists")
    assert (page.not_shown, page.problem, library.problem) == (0, None, None)
    node = page.nodes[-1]
    assert (node.title, node.works, node.can_expand) == (
        "The great evening",
        12_000,
        True,
    )
    found = await search_nodes(library, "great work 50")
    assert found[0].title == "Great work 50"
    # DP-1 allows no more in a playlist, and displays keep no more.
    children = await library.async_children(node.id)
    assert (len(children.nodes), children.not_shown) == (1024, 12_000 - 1024)
    assert children.problem is None
    built = await library.async_build_playlist(node.id)
    assert built.url == f"{feed.url}/playlists/{large['id']}"
    built = await library.async_build_playlist(node.id, limit=3)
    assert built.document and len(built.document["items"]) == 3


def test_no_more_works_are_looked_at_than_a_playlist_may_have() -> None:
    """However many a stranger puts in, the loop is not held up by them."""
    works = [{"source": f"https://art.example/{n}"} for n in range(5000)]
    document = {"id": "x", "title": "Evening", "items": works}
    playlist = FeedPlaylist.parse(document)
    assert playlist and playlist.count == 5000
    assert len(items_of(document)) == len(open_items(document, dt_util.now())) == 1024


async def test_a_playlist_too_large_for_any_reader(
    feed: FeedSimulator, make_library: MakeLibrary, monkeypatch: pytest.MonkeyPatch
) -> None:
    """What comes before one that cannot be read is there, and the reason is told."""
    monkeypatch.setattr(paging, "MAX_PAGE_BODY", 20_000)
    monkeypatch.setattr(paging, "MAX_BODY", 20_000)
    feed.seed([evening(0)])
    feed.seed([{"summary": "x" * 300_000, **evening(1)}])
    feed.seed([evening(2)])
    library = await make_library(None, feed)
    await until(lambda: library.feed_server.list.problem)
    page = await library.async_children("playlists")
    assert [node.title for node in page.nodes] == ["Evening 2"]
    assert page.problem and library.problem


async def test_older_playlists_stay_when_they_cannot_be_read(
    feed: FeedSimulator, make_library: MakeLibrary, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A partly failed read removes no playlists."""
    feed.seed(evening(number) for number in range(COUNT))
    library = await make_library(None, feed)
    coordinator = library.feed_server
    await until(lambda: coordinator.list.complete)
    set_timing(older_age=0.0)
    feed.seed([evening(99)])
    feed.fault(path=r"/playlists\?", times=2)
    feed.fault(path=r"/playlists\?", status=500, times=None)
    await coordinator.async_refresh()
    await until(lambda: not coordinator.list.complete)
    assert known(library)[0] == "Evening 99"
    assert len(known(library)) == COUNT + 1


@pytest.mark.parametrize("slow", [r"/channels", "offset=40|cursor="])
async def test_what_is_written_while_the_list_is_read(
    feed: FeedSimulator, make_library: MakeLibrary, slow: str
) -> None:
    """A playlist that is published, changed or deleted while the list is read for the first time stays so."""
    feed.seed(evening(number) for number in range(COUNT))
    changed, *_, gone = feed.documents.values()
    fault = feed.fault(path=slow, delay=0.5)
    library = await make_library(None, feed, wait=False)
    coordinator = library.feed_server
    await until(lambda: fault.times == 0)
    (published,) = feed.seed([evening(99)])
    await coordinator.async_put(published)
    feed.documents[changed["id"]]["title"] = "Morning"
    await coordinator.async_put({**changed, "title": "Morning"})
    await delete(feed, gone["id"])
    coordinator.async_drop(gone["id"])
    await until(lambda: coordinator.list.complete)
    titles = known(library)
    assert len(titles) == COUNT
    assert titles[0] == "Evening 99" and "Morning" in titles
    assert "Evening 0" not in titles
    assert f"Evening {COUNT - 1}" not in titles
    # What was deleted may be published again.
    feed.seed([gone], verbatim=True)
    await coordinator.async_put(gone)
    await coordinator.async_refresh()
    assert gone["title"] in known(library)


async def test_works_of_many_are_read_in_a_thread(
    feed: FeedSimulator, make_library: MakeLibrary, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A list of a thousand works stalls the loop neither when it is published nor opened nor cast; its first works are found."""
    works = [
        {
            "id": f"w{n}",
            "source": f"https://art.example/{n}",
            "title": f"Wave {n} of the sea",
            "inlineManifest": {"metadata": {"artists": [{"name": "Ada"}]}},
        }
        for n in range(1024)
    ]
    read = feed_models.artists_in

    def noted(manifest: object) -> Any:
        threads.add(threading.current_thread())
        return read(manifest)

    threads = set[threading.Thread]()
    monkeypatch.setattr(feed_models, "artists_in", noted)
    (large,) = feed.seed([{"title": "The sea", "items": works}])
    urls = [f"{feed.url}/playlists/{large['id']}"]
    feed.seed(channels=[{"title": "Shore", "playlists": urls}])
    library = await make_library(None, feed)
    server, node = library.feed_server, f"playlist/{large['id']}"
    await server.async_put(large)
    await server.async_described(large["id"])
    assert (await library.async_children(node)).problem is None
    assert (await library.async_node(f"item/{large['id']}/w1023")).title
    for hanging, count in (
        (f"item/{large['id']}/w1023", 1),
        (f"channel/{next(iter(feed.channels))}", 500),
    ):
        built = await library.async_build_playlist(hanging)
        assert len(built.items) == count
    assert threads and threading.main_thread() not in threads
    (first, *_) = await search_nodes(library, "Wave 99 of the sea")
    assert first.title == "Wave 99 of the sea"
    assert len(server.list.records[0].items) == 100


async def test_namesakes_tell_their_years(
    feed: FeedSimulator, make_library: MakeLibrary
) -> None:
    """A playlist that another one of the same name joins is listed with its year."""
    feed.seed(evening(number) for number in range(2))
    library = await make_library(None, feed)
    await until(lambda: library.feed_server.list.complete)
    assert library.source_list().names["Evening 0"]
    feed.seed([evening(0)])
    await library.feed_server.async_refresh()
    assert "Evening 0 (2026)" in library.source_list().names
