"""Test the catalog client with a simulated catalog."""

import asyncio
from collections.abc import AsyncGenerator
from itertools import pairwise
import logging
from math import ceil
from typing import Any
from unittest.mock import patch
from urllib.parse import parse_qs

import aiohttp
from hypothesis import given, strategies as st
import pytest

from custom_components.dp1.client import pages, retry
from custom_components.dp1.client.catalog import client
from custom_components.dp1.client.catalog.artwork import evenly
from custom_components.dp1.client.catalog.client import (
    Catalog,
    artwork_place,
    normalize_url,
    series_place,
)
from custom_components.dp1.client.catalog.models import Artwork
from custom_components.dp1.client.errors import (
    BusyError,
    Dp1Error,
    InvalidRequestError,
    TemporaryError,
    TooLargeError,
    UnexpectedAnswerError,
    UnreachableError,
)
from custom_components.dp1.client.pages import (
    MAX_RECORDS,
    Page,
    at_offsets,
    spread_offsets,
)

from tests.client.lists import Listed, listed
from tests.client.scripted_server import Reply, Request, ScriptedServer
from tests.client.tables import tables
from tests.counting_catalog import CountingCatalog
from tests.simulators.catalog.simulator import CatalogSimulator

TABLES = tables("catalog_client")
TOKEN = 77 * 10**70


@pytest.fixture
async def simulator(socket_enabled: None) -> AsyncGenerator[CountingCatalog]:
    async with CountingCatalog() as running:
        yield running


@pytest.fixture
async def catalog(simulator: CatalogSimulator) -> AsyncGenerator[Catalog]:
    """Return a client with short waits."""
    async with aiohttp.ClientSession() as session:
        with patch.object(retry, "FIRST_PAUSE", 0.01):
            yield Catalog(session, simulator.url)


@pytest.mark.parametrize(("text", "url"), TABLES["addresses"])
def test_normalize_url(text: str, url: str) -> None:
    """Different notations of a URL have one normal form."""
    assert normalize_url(text) == url
    assert normalize_url(url) == url


@pytest.mark.parametrize("text", TABLES["no_addresses"])
def test_no_url(text: str) -> None:
    with pytest.raises(ValueError):  # noqa: PT011 - its kind is the interface
        normalize_url(text)


async def test_parameters_reach_the_catalog(
    catalog: Catalog, simulator: CatalogSimulator
) -> None:
    """Every given parameter is sent by its name; without a parent nothing is."""
    show = simulator.data.find_exhibition("Net Evil")
    first = simulator.data.series(show["id"])[0]
    newest = {"sortBy": "relevance", "sortOrder": "DESC", "keyword": "weather & rain"}
    ordered = {"sortBy": "displayIndex", "sortOrder": "ASC", "keyword": "a"}
    await catalog.exhibitions(limit=2, offset=3, **newest)
    await catalog.series(exhibition_id=show["id"], limit=1, **ordered)
    await catalog.artworks(series_id=first["id"], offset=1)
    assert catalog.url == simulator.url
    series = {"limit": "1", "offset": "0", "exhibitionID": show["id"], **ordered}
    works = {"limit": "5", "offset": "1", "seriesID": first["id"]}
    assert [(seen.route, seen.query) for seen in simulator.requests] == [
        ("exhibitions", {"limit": "2", "offset": "3", **newest}),
        ("series", series),
        ("artworks", works),
    ]
    with pytest.raises(ValueError, match="exhibitionID"):
        await catalog.series(exhibition_id="")
    with pytest.raises(ValueError, match="seriesID"):
        await catalog.artworks(series_id="")
    assert len(simulator.requests) == 3


async def test_page(catalog: Catalog) -> None:
    """A page has its offset in the list."""
    page = await catalog.exhibitions(offset=48)
    assert len(page.records) == page.received == 3
    assert (page.total, page.offset) == (51, 48)
    assert page.records[-1].number == "001"


async def test_cold_catalog_is_read_in_few_round_trips(
    catalog: Catalog, simulator: CountingCatalog
) -> None:
    """All exhibitions are read in four rounds of at most four requests."""
    simulator.expect_rounds(1, 4, 4, 2)
    listing = await listed(catalog.all_exhibitions())
    assert listing.problem is None and listing.total == 51
    assert [show.id for show in listing.records] == [
        show["id"] for show in simulator.data.exhibitions
    ]
    assert len(simulator.requests) == 11
    assert simulator.max_in_flight == 4


async def test_requests_in_flight_are_bounded_over_all_calls(
    catalog: Catalog, simulator: CatalogSimulator
) -> None:
    """At most four requests are sent at the same time, over all lists, and each page is asked for once."""
    simulator.latency = 0.01
    listing = await listed(catalog.all_exhibitions())
    read = await asyncio.gather(
        *(listed(catalog.all_series(show.id)) for show in listing.records)
    )
    assert sum(len(series.records) for series in read) == 700
    assert all(series.problem is None for series in read)
    assert simulator.max_in_flight == 4
    count = sum(max(1, ceil(len(series.records) / 5)) for series in read)
    assert len(simulator.requests) == 11 + count


async def test_order(catalog: Catalog, simulator: CatalogSimulator) -> None:
    """Series are sorted by their index and age, works by their index; those without come last."""
    show = simulator.data.find_exhibition("Twenty Kinds of Weather")
    read = (await listed(catalog.all_series(show["id"]))).records
    series = sorted(read, key=series_place)
    places = [(record.display_index, record.created_at) for record in series]
    assert len(places) == 20 and places == sorted(places)
    odd = simulator.data.find_exhibition("Loose Ends")
    names = next(
        record
        for record in simulator.data.series(odd["id"])
        if record["title"] == "Every Kind of Name"
    )
    read_works = (await listed(catalog.all_artworks(names["id"]))).records
    works = sorted(read_works, key=artwork_place)
    assert [work.index for work in works] == [*range(10), 11, None]


async def test_long_series_whole_and_limited(
    catalog: Catalog, simulator: CatalogSimulator
) -> None:
    """A thousand works can be read, or some evenly spread."""
    show = simulator.data.find_exhibition("Longform")
    tides = simulator.data.series(show["id"])[0]["id"]
    whole = await listed(catalog.all_artworks(tides))
    assert [work.index for work in whole.records] == list(range(1024))
    assert whole.problem is None
    simulator.reset_counters()
    spread = await listed(catalog.all_artworks(tides, limit=50))
    assert (spread.problem, spread.total) == (None, 1024)
    places = [work.index or 0 for work in spread.records]
    assert len(set(places)) == 50 and places[0] == 0 and places[-1] == 1023
    assert max(b - a for a, b in pairwise(places)) < 120
    assert len(simulator.requests) == 10
    simulator.reset_counters()
    one = await listed(catalog.all_artworks(tides, limit=1))
    assert [work.index for work in one.records] == [0]
    assert [seen.query["limit"] for seen in simulator.requests] == ["1"]


@pytest.mark.parametrize("case", TABLES["lists"], ids=lambda case: case["name"])
async def test_lists(
    catalog: Catalog, simulator: CatalogSimulator, case: dict[str, Any]
) -> None:
    """All that can be read is read with few requests, and what is missing has its reason; a bad record or page costs only itself."""
    for kind, details in case["faults"]:
        simulator.inject(kind, **details)
    listing = await listed(catalog.all_exhibitions())
    numbers = [show.number for show in listing.records]
    assert numbers == sorted(numbers, reverse=True)
    assert len({show.id for show in listing.records}) == len(numbers)
    assert case["least"] <= len(numbers) <= case["most"]
    assert len(simulator.requests) <= case["requests"]
    assert simulator.max_in_flight <= 4
    problem = listing.problem and type(listing.problem).__name__
    assert problem == case["problem"]
    assert case.get("says", "") in str(listing.problem)


@pytest.mark.parametrize(
    "kind", ["html", "truncated", "null_result", "no_result", "error_200"]
)
async def test_answers_that_are_no_list(
    catalog: Catalog, simulator: CatalogSimulator, kind: str
) -> None:
    simulator.inject(kind, message="a word of its own")
    with pytest.raises(UnexpectedAnswerError) as caught:
        await catalog.exhibitions()
    assert ("a word of its own" in str(caught.value)) is (kind == "error_200")
    assert len(simulator.requests) == 1


async def test_catalog_that_fails_later_is_left_alone(
    catalog: Catalog, simulator: CatalogSimulator
) -> None:
    """After some failed pages no more are requested."""
    for offset in range(5, 1024, 5):
        simulator.inject("status", offset=offset)
    show = simulator.data.find_exhibition("Longform")
    listing = await listed(
        catalog.all_artworks(simulator.data.series(show["id"])[0]["id"])
    )
    assert len(listing.records) == 5
    assert isinstance(listing.problem, TemporaryError)
    assert len(simulator.requests) <= 1 + 2 * 7


@pytest.mark.parametrize(("status", "shape", "error", "requests"), TABLES["statuses"])
async def test_statuses(
    catalog: Catalog,
    simulator: CatalogSimulator,
    status: int,
    shape: str,
    error: str,
    requests: int,
) -> None:
    """Each status has its error, with the message of the catalog in any shape."""
    words = "artwork <b>not</b> found"
    simulator.inject("status", status=status, shape=shape, message=words)
    with pytest.raises(Dp1Error) as caught:
        await catalog.exhibitions()
    assert type(caught.value).__name__ == error
    message = str(caught.value)
    told = "artwork not found" in message
    assert told is (status < 500 and shape in ("envelope", "flat"))
    assert str(status) in message and "<" not in message
    assert len(simulator.requests) == requests


@pytest.mark.parametrize(
    ("status", "words"),
    [
        (500, "the answer to everything is elsewhere"),
        (422, 'pq: dial tcp 10.0.0.7:5432: password=secret user="root"'),
    ],
)
async def test_what_a_catalog_says_of_itself(
    catalog: Catalog,
    simulator: CatalogSimulator,
    caplog: pytest.LogCaptureFixture,
    status: int,
    words: str,
) -> None:
    """The inside of a server goes to the debug log, plain and in one line, not to a person."""
    caplog.set_level(logging.DEBUG, "custom_components.dp1")
    simulator.inject("status", status=status, message=f"\x1b[31m{words}\n")
    with pytest.raises(Dp1Error) as caught:
        await catalog.exhibitions()
    assert str(caught.value) == f"the catalog answers {status}"
    assert f"the catalog answers {status}: {words}" in caplog.text
    assert "\x1b[31m" not in caplog.text
    simulator.heal()
    simulator.inject("status", status=422, message="word " * 1000)
    with pytest.raises(InvalidRequestError) as caught:
        await catalog.exhibitions()
    assert len(str(caught.value)) < 250


@pytest.mark.parametrize("kind", ["status", "drop"])
async def test_passing_trouble_is_survived(
    catalog: Catalog, simulator: CatalogSimulator, kind: str
) -> None:
    """A failure is retried once."""
    simulator.inject(kind, times=1)
    assert (await catalog.exhibitions()).total == 51


async def test_busy_catalog_is_obeyed(
    catalog: Catalog, simulator: CatalogSimulator
) -> None:
    """After 429 no call sends anything until the requested time."""
    simulator.inject("status", status=429, retry_after="1", times=2)
    clock = asyncio.get_running_loop().time
    began = clock()
    async with asyncio.TaskGroup() as group:
        first = group.create_task(listed(catalog.all_exhibitions()))
        second = group.create_task(listed(catalog.all_artworks("none")))
    assert first.result().problem is None and second.result().problem is None
    assert clock() - began >= 1
    assert len(simulator.requests) == 2 + 12


async def test_busy_catalog_is_not_waited_for_too_long(
    catalog: Catalog, simulator: CatalogSimulator
) -> None:
    """A long wait raises."""
    simulator.inject("status", status=429, retry_after="3600")
    with pytest.raises(BusyError) as caught:
        await catalog.exhibitions()
    assert caught.value.retry_after == 3600
    assert len(simulator.requests) == 1
    listing = await listed(catalog.all_exhibitions())
    assert isinstance(listing.problem, BusyError) and not listing.records


async def test_slow_catalog(catalog: Catalog, simulator: CatalogSimulator) -> None:
    """A slow request is no answer; the others continue."""
    simulator.inject("slow", offset=0)
    with (
        patch.object(client, "TIMEOUT_SECONDS", 0.5),
        pytest.raises(UnreachableError, match="time"),
    ):
        await catalog.exhibitions()
    assert (await catalog.exhibitions(offset=5)).total == 51
    assert len(simulator.requests) == 3


async def test_a_page_too_large(socket_enabled: None) -> None:
    """A page of more than 4 MB costs only itself, and the list is not whole."""

    def answer(request: Request) -> Reply:
        """Return a page."""
        query = parse_qs(request.path.partition("?")[2])
        start, size = int(query["offset"][0]), int(query["limit"][0])
        ids = range(23)[start : start + size]
        records = [{"id": n, "x": "x" * (n == 11) * 4_200_000} for n in ids]
        return Reply(200, {"result": records, "paging": {"total": 23}})

    async with (
        ScriptedServer.run(answer) as server,
        aiohttp.ClientSession() as session,
    ):
        read = await listed(Catalog(session, server.url).all_exhibitions())
    assert sorted(int(show.id) for show in read.records) == [*range(10), *range(15, 23)]
    assert isinstance(read.problem, TooLargeError)
    assert len(server.requests) == 5


async def test_more_than_was_asked_for(
    socket_enabled: None, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Of a page only so many records are read as a list may have, each digit of them, and of a list so many bytes."""
    monkeypatch.setattr(pages, "MAX_SPREAD", 6_000_000)
    count = 0

    def answer(_: Request) -> Reply:
        """Return five new records, of a list of billions."""
        nonlocal count
        count += 5
        records = [{"id": count + n, "more": "x" * 100_000} for n in range(5)]
        return Reply(200, {"result": records, "paging": {"total": 5_000_000_000}})

    token = {"chain": "ethereum", "contractAddress": "0x1", "tokenID": TOKEN}
    many = Reply(200, {"result": [{"id": n, **token} for n in range(6000)]})
    async with (
        ScriptedServer.run(many, answer) as server,
        aiohttp.ClientSession() as session,
    ):
        catalog = Catalog(session, server.url)
        page = await catalog.artworks(series_id="s")
        assert len(page.records) == page.received == MAX_RECORDS
        assert page.records[0].token_id == str(TOKEN)
        read = await listed(catalog.all_artworks("s"))
        assert isinstance(read.problem, TooLargeError) and read.records
        assert len(server.requests) < 25


class Wild:
    """A list behind an unreliable server."""

    def __init__(
        self, ids: list[int], total: int | None, sizes: list[int], *, broken: set[int]
    ) -> None:
        """Initialize with records and faults."""
        self.ids, self.total, self.sizes, self.broken = ids, total, sizes, broken
        self.calls = 0
        self.asked: set[int] = set()

    async def fetch(self, place: str | None, limit: int) -> Page[Artwork]:
        self.calls += 1
        offset = int(place or 0)
        assert 1 <= limit <= 5 and offset >= 0
        await asyncio.sleep(0)
        if offset in self.broken:
            raise TemporaryError("broken")
        size = min(limit, self.sizes[offset % len(self.sizes)])
        ids = self.ids[offset : offset + size]
        records = tuple(Artwork(id=str(key)) for key in ids)
        return Page(records, self.total, offset)

    async def listed(self, limit: int | None) -> Listed[Artwork]:
        """Read the list."""
        return await listed(
            at_offsets(
                self.fetch,
                size=5,
                identity=lambda work: work.id,
                limit=limit,
                at_once=4,
            )
        )


@given(
    ids=st.lists(st.integers(0, 60), max_size=60),
    total=st.none() | st.integers(0, 10**9),
    sizes=st.lists(st.integers(0, 5), min_size=1, max_size=4),
    broken=st.sets(st.integers(0, 60), max_size=3),
    limit=st.none() | st.integers(1, 70),
)
def test_no_server_keeps_us_busy(
    ids: list[int],
    total: int | None,
    sizes: list[int],
    broken: set[int],
    limit: int | None,
) -> None:
    """With any pages, reading ends soon, returns each record once and never claims to be complete wrongly."""
    server = Wild(ids, total, sizes, broken=broken)
    listing = asyncio.run(server.listed(limit))
    names = [record.id for record in listing.records]
    assert len(names) == len(set(names)) < (limit or MAX_RECORDS) + 5
    assert server.calls <= 2 * len(ids) + 10
    if listing.problem is None:
        assert len(names) >= min(listing.total or 0, limit or MAX_RECORDS)


@given(
    count=st.integers(0, 60),
    size=st.integers(1, 5),
    told=st.booleans(),
    limit=st.none() | st.integers(1, 70),
)
def test_proper_server_gives_everything(
    count: int, size: int, told: bool, limit: int | None
) -> None:
    """From a server with minimal answers, everything is read in order with few requests."""
    server = Wild(list(range(count)), count if told else None, [size], broken=set())
    listing = asyncio.run(server.listed(limit))
    names = [int(record.id) for record in listing.records]
    assert names == sorted(set(names)) and listing.problem is None
    most = count if limit is None else limit
    assert min(most, count) <= len(names) <= min(most + 4, count)
    if told and limit is None:
        assert server.calls == max(-(-count // size), 1)


@given(st.integers(1, 3000), st.integers(1, 5), st.integers(1, 60))
def test_spread_pages_do_not_overlap(total: int, size: int, pages: int) -> None:
    """Pages do not overlap, from the start to the end of the list."""
    if pages * size > total:
        return
    offsets = spread_offsets(total, size, pages)
    assert len(offsets) == pages and offsets[0] == 0
    assert all(b - a >= size for a, b in pairwise(offsets))
    assert pages == 1 or offsets[-1] == total - size


@given(st.lists(st.integers(), max_size=100), st.integers(0, 120))
def test_evenly(things: list[int], count: int) -> None:
    """The requested number is returned, in order, without duplicates."""
    chosen = evenly(list(enumerate(things)), count)
    assert len(chosen) == min(count, len(things))
    assert chosen == sorted(set(chosen))
