"""Test a library whose servers are down, slow or broken."""

import asyncio
from collections.abc import Awaitable, Callable
import logging
from typing import Any

from aiohttp import web
from aiohttp.test_utils import TestServer
import pytest

from custom_components.dp1.client.catalog import client as catalog_client
from custom_components.dp1.client.catalog.models import Model
from custom_components.dp1.client.errors import (
    BusyError,
    NotFoundError,
    TemporaryError,
    UnexpectedAnswerError,
    UnreachableError,
)
from custom_components.dp1.library.library import Library
from custom_components.dp1.library.listing import Listing, Record
from custom_components.dp1.library.providers.feed import server as feed_module

from .conftest import MakeLibrary
from .shows import listed_shows, player, search_nodes, show_node

from tests.client.keys import keyed
from tests.displays import name_hosts
from tests.simulators.catalog.simulator import CatalogSimulator
from tests.simulators.feed import FeedSimulator, Paging
from tests.timing import FAST, Timing, set_timing

LOGGER = "custom_components.dp1"
CHANNEL = "0b0c7f9a-94d3-4f2b-9f37-6f6a35a3a111"


@pytest.fixture
def timing() -> Timing:
    """Try again at once."""
    return dict(FAST, read_retry=0.0, list_retry=0.05)


def lines(caplog: pytest.LogCaptureFixture, level: int = logging.WARNING) -> list[str]:
    """Return the log records of the library above debug level."""
    return [
        record.getMessage()
        for record in caplog.records
        if record.name == LOGGER and record.levelno >= level
    ]


async def test_a_catalog_that_is_down(
    catalog: CatalogSimulator,
    make_library: MakeLibrary,
    caplog: pytest.LogCaptureFixture,
) -> None:
    """Cached data is shown with the reason and time of the outage; its start and end are logged once."""
    library = await make_library(catalog)
    node, unread = (show_node(catalog, it) for it in ("Net Evil", "Slow Weather"))
    await library.async_build_playlist(node)
    before = dict(library.source_list().names)
    assert library.problem is None
    await catalog.stop()
    library = await make_library(catalog, wait=False)
    caplog.clear()
    assert dict(library.source_list().names) == before
    for text in (unread, unread, "series/unknown"):
        children = await library.async_children(text)
        assert not children.nodes and keyed("refused")(children.problem)
    children = await library.async_children("exhibitions")
    assert len(children.nodes) == 47 and children.since == library.since
    assert keyed("refused")(library.problem)
    for _ in range(2):
        assert (await library.async_build_playlist(node)).works > 8
    for reading in (
        library.async_build_playlist(unread),
        library.async_node("series/unknown"),
    ):
        with pytest.raises(UnreachableError, check=keyed("refused")):
            await reading
    assert len(lines(caplog)) == 1 and catalog.url in lines(caplog)[0]
    await catalog.start()
    await library.async_children(unread)
    assert library.problem is None
    with pytest.raises(NotFoundError):
        await library.async_children("series/unknown")
    assert library.problem is None
    assert len(lines(caplog, logging.INFO)) == 2


async def test_a_cold_start_without_a_catalog(
    catalog: CatalogSimulator,
    make_library: MakeLibrary,
    caplog: pytest.LogCaptureFixture,
) -> None:
    """A library without cached data starts, reports the outage, and is filled when the catalog is back."""
    show = show_node(catalog, "Net Evil")
    await catalog.stop()
    library = await make_library(catalog, wait=False)
    children = await library.async_children("exhibitions")
    assert not children.nodes and keyed("refused")(children.problem)
    assert children.since is None and library.since is None
    assert library.source_list().names == {}
    assert library.source_list().of(player()) is None
    assert await search_nodes(library, "net evil") == []
    unread = await library.async_children(show)
    assert keyed("refused")(unread.problem)
    for action in (
        library.async_build_playlist(show),
        library.async_find("exhibition", "Net Evil"),
    ):
        with pytest.raises(UnreachableError, check=keyed("refused")):
            await action
    assert len(lines(caplog)) == 1
    await catalog.start()
    assert len((await library.async_children("exhibitions")).nodes) == 47
    assert library.since is not None


async def test_a_page_that_hangs(
    catalog: CatalogSimulator,
    make_library: MakeLibrary,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """After a timeout the pages read so far are shown, and the rest follows."""
    monkeypatch.setattr(catalog_client, "TIMEOUT_SECONDS", 30.0)

    async def so_far[T: Record](
        count: int, read: Callable[[], Awaitable[Listing[T]]]
    ) -> Listing[T]:
        """Browse until there is a number of exhibitions."""
        async with asyncio.timeout(60):
            while len((kept := await read()).records) < count:
                pass
        assert len(kept.records) == count and kept.read_at is None
        assert isinstance(kept.missing, UnreachableError)
        return kept

    held = catalog.inject("hold", route="exhibitions", offset=10)
    library = await make_library(catalog, wait=False)
    server = library.catalog_server
    shows = (await so_far(46, lambda: server.async_list(0.05))).records
    openings = [record.opens_at for record in shows if record.opens_at]
    assert openings == sorted(openings, reverse=True)
    assert len(listed_shows(library)) == 44
    show = next(record for record in shows if record.title == "Twenty Kinds of Weather")
    assert (await library.async_node(f"exhibition/{show.id}")).can_play
    held.released.set()
    held = catalog.inject("hold", route="series", offset=15)
    part = (await so_far(15, lambda: server.async_series(show.id, 0.05))).records
    key, size = next(
        (series.id, series.max_artwork)
        for series in part
        if series.model is Model.MULTI_UNIQUE and (series.max_artwork or 0) > 10
    )
    held.released.set()
    held = catalog.inject("hold", route="artworks", offset=(size or 0) - 5)
    await so_far(5, lambda: server.async_artworks(key, 10, 0.05))
    held.released.set()
    assert (await library.async_build_playlist(f"series/{key}", limit=10)).works == 10
    assert len((await library.async_children(f"exhibition/{show.id}")).nodes) == 20
    assert len((await library.async_children("exhibitions")).nodes) == 47
    assert library.problem is None and len(listed_shows(library)) == 47


async def test_a_catalog_that_asks_to_be_left_alone(
    catalog: CatalogSimulator,
    make_library: MakeLibrary,
    caplog: pytest.LogCaptureFixture,
) -> None:
    """During a long Retry-After no request is sent, and the reason is shown at once."""
    library = await make_library(catalog)
    catalog.inject("status", status=429, retry_after="60", times=1)
    unread = await library.async_children(show_node(catalog, "Net Evil"))
    assert isinstance(unread.problem, BusyError)
    catalog.reset_counters()
    show = show_node(catalog, "Twenty Kinds of Weather")
    problem = (await library.async_children(show)).problem
    assert isinstance(problem, BusyError) and 50 < (problem.retry_after or 0) <= 60
    with pytest.raises(BusyError):
        await library.async_build_playlist(show)
    assert len((await library.async_children("exhibitions")).nodes) == 47
    assert not catalog.requests
    assert len(lines(caplog)) == 1


@pytest.mark.parametrize(
    ("fault", "shown", "reason"),
    [
        ({"kind": "status", "offset": 5, "status": 500}, 46, TemporaryError),
        ({"kind": "offset_ignored"}, 5, UnexpectedAnswerError),
        (
            {"kind": "status", "offset": 5, "status": 429, "retry_after": "3600"},
            20,  # Requests that were sent at the same time; there are none after them.
            BusyError,
        ),
    ],
)
async def test_broken_pages(
    fault: dict[str, Any],
    shown: int,
    reason: type[Exception],
    catalog: CatalogSimulator,
    make_library: MakeLibrary,
    caplog: pytest.LogCaptureFixture,
) -> None:
    """Readable pages are shown with the error of the others, and all of them after the catalog has recovered."""
    catalog.inject(**fault, route="exhibitions")
    library = await make_library(catalog)
    children = await library.async_children("exhibitions")
    hidden = 51 - 47
    assert shown - hidden <= len(children.nodes) <= shown
    assert isinstance(children.problem, reason)
    assert children.since is None
    assert children.not_shown == 51 - shown
    assert len(lines(caplog)) == 1
    catalog.heal()
    catalog.reset_counters()
    children = await library.async_children("exhibitions")
    if reason is BusyError:
        assert not catalog.requests  # The Retry-After was an hour.
    else:
        assert len(children.nodes) == 47 and children.problem is None


async def test_an_old_copy_stays_when_a_page_breaks(
    catalog: CatalogSimulator,
    make_library: MakeLibrary,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """Cached data is kept for pages that a refresh cannot read."""
    library = await make_library(catalog)
    show = show_node(catalog, "Twenty Kinds of Weather")
    whole = await library.async_children(show)
    catalog.inject("status", offset=5)
    await library.catalog_server.async_refresh()
    set_timing(catalog_age=0.0)
    await library.async_children(show)
    children = await library.async_children("exhibitions")
    assert len(children.nodes) == 47
    assert isinstance(children.problem, TemporaryError)
    assert children.since is not None
    again = await library.async_children(show)
    assert {node.id for node in again.nodes} == {node.id for node in whole.nodes}


async def test_a_catalog_that_is_suddenly_empty(
    catalog: CatalogSimulator, library: Library
) -> None:
    """An empty list does not replace the cached exhibitions."""
    catalog.inject("empty")
    catalog.inject("wrong_total", size=0)
    await library.catalog_server.async_refresh()
    assert len(listed_shows(library)) == 47
    assert isinstance(library.problem, UnexpectedAnswerError)


async def test_a_series_that_broke_on_the_way(
    catalog: CatalogSimulator,
    make_library: MakeLibrary,
    caplog: pytest.LogCaptureFixture,
) -> None:
    """An incomplete exhibition is shown with the reason, is no outage of the catalog, and is complete the next time."""
    library = await make_library(catalog)
    show = show_node(catalog, "Twenty Kinds of Weather")
    catalog.inject("status", route="series", offset=10, status=503)
    part = await library.async_children(show)
    assert len(part.nodes) == 15 and part.not_shown == 5
    assert isinstance(part.problem, TemporaryError)
    assert library.problem is None and not lines(caplog)
    catalog.heal()
    whole = await library.async_children(show)
    assert len(whole.nodes) == 20 and whole.problem is None and whole.not_shown == 0


async def test_a_feed_in_trouble(
    feed: FeedSimulator,
    make_library: MakeLibrary,
    caplog: pytest.LogCaptureFixture,
) -> None:
    """A feed that is down or repeats pages does not remove cached playlists."""
    items = [{"source": "https://art.example/1.html"}]
    feed.seed([{"title": f"Evening {n}", "items": items} for n in range(110)])
    library = await make_library(feed=feed)
    assert len((await library.async_children("playlists")).nodes) == 110
    await feed.stop()
    for _ in range(2):
        await library.feed_server.async_refresh()
    children = await library.async_children("playlists")
    assert len(children.nodes) == 110 and keyed("refused")(children.problem)
    assert keyed("refused")(library.problem)
    assert len(lines(caplog)) == 1
    await feed.start()
    await library.feed_server.async_refresh()
    assert library.problem is None
    feed.fault(paging=Paging.REPEAT, times=None)
    await library.feed_server.async_refresh()
    # The repeated page is used once.
    assert len((await library.async_children("playlists")).nodes) == 100


async def test_nobody_hammers_a_server_in_trouble(
    catalog: CatalogSimulator,
    make_library: MakeLibrary,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """For some seconds after a failure the same error is returned without a request."""
    library = await make_library(catalog)
    set_timing(read_retry=60.0)
    catalog.inject("status", route="series")
    show = show_node(catalog, "Net Evil")
    first = await library.async_children(show)
    catalog.reset_counters()
    second = await library.async_children(show)
    assert first.problem is second.problem is not None
    assert not catalog.requests


async def test_a_channel_of_slow_hosts(
    feed: FeedSimulator, make_library: MakeLibrary, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Playlists of other hosts are read with limited concurrency, and slow ones are left out."""
    open_requests, most = 0, 0
    full, stuck = asyncio.Event(), asyncio.Event()

    async def answer(request: web.Request) -> web.Response:
        """Answer once so many ask at a time, or not at all."""
        nonlocal open_requests, most
        open_requests += 1
        most = max(most, open_requests)
        name = request.match_info["name"]
        try:
            if most == feed_module.FOREIGN_CONCURRENCY:
                full.set()
            await full.wait()
            if name.startswith("stuck"):
                await stuck.wait()
        finally:
            open_requests -= 1
        items = [{"source": f"https://art.example/{name}"}]
        return web.json_response({"id": name, "title": name, "items": items})

    app = web.Application()
    app.router.add_get("/{name}", answer)
    async with TestServer(app) as host:
        names = [f"{number}.json" for number in range(40)]
        names[10] = "stuck.json"
        urls = [str(host.make_url(f"/{name}")) for name in names]
        feed.seed([], [{"id": CHANNEL, "title": "Elsewhere", "playlists": urls}])
        library = await make_library(feed=feed)
        await name_hosts(library.hass, *urls)
        monkeypatch.setattr(feed_module, "PATIENCE", 4.0)
        children = await library.async_children(f"channel/{CHANNEL}")
        assert most == feed_module.FOREIGN_CONCURRENCY
        answered = [name for name in names if name != "stuck.json"]
        assert [node.title for node in children.nodes] == answered
        assert children.not_shown == 1
        assert isinstance(children.problem, UnreachableError)
        stuck.set()
        again = await library.async_children(f"channel/{CHANNEL}")
        assert [node.title for node in again.nodes] == names
        assert again.problem is None
