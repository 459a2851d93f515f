"""Test the catalog client with a simulated catalog."""

import asyncio
from collections.abc import AsyncGenerator
from itertools import pairwise
import logging
from typing import Any
from unittest.mock import patch

import aiohttp
from hypothesis import given, strategies as st
import pytest

from custom_components.dp1.client.catalog import client
from custom_components.dp1.client.catalog.artwork import (
    evenly,
    provenance,
    source_url,
    title,
)
from custom_components.dp1.client.catalog.client import (
    MAX_RECORDS,
    Catalog,
    PageReader,
    artwork_place,
    normalize_url,
    series_place,
    spread_offsets,
)
from custom_components.dp1.client.catalog.models import Artwork, ExhibitionKind
from custom_components.dp1.client.errors import (
    BusyError,
    Dp1Error,
    InvalidRequestError,
    NoAnswerError,
    NotFoundError,
    TemporaryError,
    UnexpectedAnswerError,
    UnreachableError,
)
from custom_components.dp1.client.page import Page

from tests.client.keys import keyed
from tests.client.lists import listed
from tests.counting_catalog import CountingCatalog
from tests.simulators.catalog.simulator import CatalogSimulator


@pytest.fixture
async def simulator(socket_enabled: None) -> AsyncGenerator[CountingCatalog]:
    async with CountingCatalog() as running:
        yield running


@pytest.fixture
async def catalog(simulator: CatalogSimulator) -> AsyncGenerator[Catalog]:
    """Return a client with short waits."""
    async with aiohttp.ClientSession() as session:
        with patch.object(client, "RETRY_SECONDS", 0.01):
            yield Catalog(session, simulator.url)


@pytest.mark.parametrize(
    ("text", "url"),
    [
        ("https://feralfile.com", "https://feralfile.com"),
        (" HTTPS://FeralFile.com/ ", "https://feralfile.com"),
        ("feralfile.com", "https://feralfile.com"),
        ("localhost:8780", "http://localhost:8780"),
        ("nas.local/art", "http://nas.local/art"),
        ("192.0.2.7", "http://192.0.2.7"),
        ("http://127.0.0.1:8780/api/llm", "http://127.0.0.1:8780"),
        ("https://feralfile.com/api/llm/", "https://feralfile.com"),
        (
            "https://feralfile.com/api/llm/exhibitions?limit=5#x",
            "https://feralfile.com",
        ),
        ("https://mirror.example/Art//", "https://mirror.example/Art"),
        ("https://mirror.example/art/api/llm", "https://mirror.example/art"),
        ("http://[::1]:8080/", "http://[::1]:8080"),
    ],
)
def test_normalize_url(text: str, url: str) -> None:
    """Different notations of a URL have one normal form."""
    assert normalize_url(text) == url
    assert normalize_url(url) == url


@pytest.mark.parametrize(
    "text",
    [
        "",
        "   ",
        "ftp://feralfile.com",
        "https://",
        "https://a:b@feralfile.com",
        "feral file.com",
        "https://x:port",
        "https://[::1",
    ],
)
def test_no_url(text: str) -> None:
    """An invalid URL raises."""
    with pytest.raises(ValueError):  # noqa: PT011 - its kind is the interface
        normalize_url(text)


async def test_parameters_reach_the_catalog(
    catalog: Catalog, simulator: CatalogSimulator
) -> None:
    """Every given parameter is sent by its name."""
    show = simulator.data.find_exhibition("Net Evil")
    first = simulator.data.series(show["id"])[0]
    await catalog.exhibitions(
        limit=2,
        offset=3,
        sortBy="relevance",
        sortOrder="DESC",
        keyword="weather & rain",
    )
    await catalog.series(
        exhibition_id=show["id"],
        limit=1,
        sortBy="displayIndex",
        sortOrder="ASC",
        keyword="a",
    )
    await catalog.artworks(series_id=first["id"], offset=1)
    assert catalog.url == simulator.url
    assert [(seen.route, seen.query) for seen in simulator.requests] == [
        (
            "exhibitions",
            {
                "limit": "2",
                "offset": "3",
                "sortBy": "relevance",
                "sortOrder": "DESC",
                "keyword": "weather & rain",
            },
        ),
        (
            "series",
            {
                "limit": "1",
                "offset": "0",
                "sortBy": "displayIndex",
                "sortOrder": "ASC",
                "keyword": "a",
                "exhibitionID": show["id"],
            },
        ),
        ("artworks", {"limit": "5", "offset": "1", "seriesID": first["id"]}),
    ]


async def test_parents_are_named(catalog: Catalog, simulator: CatalogSimulator) -> None:
    """Invalid parameters raise without a request."""
    with pytest.raises(ValueError, match="exhibitionID"):
        await catalog.series(exhibition_id="")
    with pytest.raises(ValueError, match="seriesID"):
        await catalog.artworks(series_id="")
    assert not simulator.requests


async def test_page(catalog: Catalog) -> None:
    """A page has its offset in the list."""
    page = await catalog.exhibitions(offset=48)
    assert len(page.records) == page.received == 3
    assert (page.total, page.offset) == (51, 48)
    assert page.records[-1].number == "001"


async def test_search_by_relevance(catalog: Catalog) -> None:
    """The exhibition with the title comes first."""
    page = await catalog.exhibitions(keyword="net evil", sortBy="relevance")
    assert page.records[0].title == "Net Evil"
    assert page.records[0].slug == "net-evil-q7v"


async def test_cold_catalog_is_read_in_few_round_trips(
    catalog: Catalog, simulator: CountingCatalog
) -> None:
    """All exhibitions are read in four rounds of at most four requests."""
    simulator.latency = 0.05
    listing = await listed(catalog.all_exhibitions())
    assert listing.problem is None and listing.total == 51
    assert [show.id for show in listing.records] == [
        show["id"] for show in simulator.data.exhibitions
    ]
    assert len(simulator.requests) == 11
    assert simulator.max_in_flight == 4
    # One after the other would be eleven.
    assert simulator.round_trips < 8


async def test_requests_in_flight_are_bounded_over_all_calls(
    catalog: Catalog, simulator: CatalogSimulator
) -> None:
    """At most four requests are sent at the same time, over all lists."""
    simulator.latency = 0.01
    listing = await listed(catalog.all_exhibitions())
    read = await asyncio.gather(
        *(listed(catalog.all_series(show.id)) for show in listing.records)
    )
    assert sum(len(series.records) for series in read) == 700
    assert all(series.problem is None for series in read)
    assert simulator.max_in_flight == 4


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


async def test_empty_list(catalog: Catalog) -> None:
    """A list may be empty."""
    listing = await listed(catalog.all_series("no-such-exhibition"))
    assert listing == ([], 0, None)


@pytest.mark.parametrize(
    "kind", ["no_total", "no_paging", "bare_list", "clamp", "wrong_total"]
)
async def test_all_is_read_without_help(
    catalog: Catalog, simulator: CatalogSimulator, kind: str
) -> None:
    """Everything is read without a total, with a wrong one, or with smaller pages."""
    simulator.inject(kind)
    listing = await listed(catalog.all_exhibitions())
    assert len({show.id for show in listing.records}) == 51
    assert listing.problem is None
    assert simulator.max_in_flight <= 4


async def test_smaller_pages_without_total(
    catalog: Catalog, simulator: CatalogSimulator
) -> None:
    """A short first page does not end the list."""
    simulator.inject("clamp")
    simulator.inject("no_paging")
    listing = await listed(catalog.all_exhibitions())
    assert len(listing.records) == 51


async def test_short_page_in_the_middle_is_filled_up(
    catalog: Catalog, simulator: CatalogSimulator
) -> None:
    """The missing records of a page are requested again."""
    simulator.inject("short", offset=20, times=1)
    listing = await listed(catalog.all_exhibitions())
    assert len(listing.records) == 51
    assert len(simulator.requests) == 12


async def test_bad_records_cost_only_themselves(
    catalog: Catalog, simulator: CatalogSimulator
) -> None:
    """An invalid record does not affect the others."""
    simulator.inject("bad_records")
    page = await catalog.exhibitions()
    assert (len(page.records), page.received) == (4, 5)
    listing = await listed(catalog.all_exhibitions())
    assert len(listing.records) == 40


@pytest.mark.parametrize(("kind", "most"), [("offset_ignored", 8), ("repeated", 14)])
@pytest.mark.parametrize("paging", [True, False])
async def test_repeated_pages_do_not_go_on_for_ever(
    catalog: Catalog, simulator: CatalogSimulator, kind: str, most: int, paging: bool
) -> None:
    """A repeated page ends the list, and its records are kept."""
    simulator.inject(kind)
    if not paging:
        simulator.inject("no_paging")
    listing = await listed(catalog.all_exhibitions())
    assert len(listing.records) >= 5
    assert isinstance(listing.problem, UnexpectedAnswerError)
    assert len(simulator.requests) <= most


async def test_list_that_ends_before_its_total(
    catalog: Catalog, simulator: CatalogSimulator
) -> None:
    """A list with fewer records than its total is incomplete."""
    simulator.inject("empty", offset=10)
    listing = await listed(catalog.all_exhibitions())
    assert 10 <= len(listing.records) <= 46
    assert isinstance(listing.problem, UnexpectedAnswerError)
    assert "51" in str(listing.problem)


@pytest.mark.parametrize(
    "kind", ["html", "truncated", "null_result", "no_result", "error_200"]
)
async def test_answers_that_are_no_list(
    catalog: Catalog, simulator: CatalogSimulator, kind: str
) -> None:
    """An invalid answer is never an empty list."""
    simulator.inject(kind, message="a word of its own")
    with pytest.raises(UnexpectedAnswerError) as caught:
        await catalog.exhibitions()
    assert ("a word of its own" in str(caught.value)) is (kind == "error_200")
    assert len(simulator.requests) == 1


@pytest.mark.parametrize("kind", ["html", "truncated", "null_result", "status", "drop"])
async def test_one_broken_page_costs_only_itself(
    catalog: Catalog, simulator: CatalogSimulator, kind: str
) -> None:
    """The other pages are returned, with the reason for the missing one."""
    simulator.inject(kind, offset=15)
    listing = await listed(catalog.all_exhibitions())
    assert len(listing.records) == 46
    assert listing.problem is not None
    places = [show.number for show in listing.records]
    assert places == sorted(places, reverse=True)


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


@pytest.mark.parametrize("shape", ["envelope", "flat", "text", "html", "empty"])
@pytest.mark.parametrize(
    ("status", "error", "requests"),
    [
        (400, InvalidRequestError, 1),
        (401, UnexpectedAnswerError, 1),
        (403, UnexpectedAnswerError, 1),
        (404, NotFoundError, 1),
        (409, UnexpectedAnswerError, 1),
        (422, InvalidRequestError, 1),
        (429, BusyError, 3),
        (500, TemporaryError, 2),
        (502, TemporaryError, 2),
        (503, TemporaryError, 2),
    ],
)
async def test_statuses(
    catalog: Catalog,
    simulator: CatalogSimulator,
    status: int,
    error: type[Dp1Error],
    requests: int,
    shape: str,
) -> None:
    """Each status has its error, with the message of the catalog in any shape."""
    simulator.inject(
        "status", status=status, shape=shape, message="artwork <b>not</b> found"
    )
    with pytest.raises(error) as caught:
        await catalog.exhibitions()
    assert type(caught.value) is error
    assert str(status) in str(caught.value)
    if shape in ("envelope", "flat"):
        assert ("artwork not found" in str(caught.value)) is (status < 500)
    assert "<" not in str(caught.value)
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


async def test_message_of_the_catalog_is_short(
    catalog: Catalog, simulator: CatalogSimulator
) -> None:
    """The message of the catalog is shortened."""
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
        while len(simulator.requests) < 2:
            await asyncio.sleep(0.01)
        await asyncio.sleep(0.1)
        third = group.create_task(listed(catalog.all_artworks("none")))
        await asyncio.sleep(0.1)
        assert len(simulator.requests) == 2
    assert first.result().problem is None and second.result().problem is None
    assert third.result().problem is None
    assert clock() - began >= 1
    assert len(simulator.requests) == 2 + 13


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
        pytest.raises(NoAnswerError, match="time"),
    ):
        await catalog.exhibitions()
    assert (await catalog.exhibitions(offset=5)).total == 51
    assert len(simulator.requests) == 3


async def test_catalog_that_is_down(
    catalog: Catalog, simulator: CatalogSimulator
) -> None:
    """A refused connection raises; later requests work again."""
    await simulator.stop()
    with pytest.raises(UnreachableError, check=keyed("refused")):
        await catalog.exhibitions()
    listing = await listed(catalog.all_exhibitions())
    assert keyed("refused")(listing.problem)
    assert (listing.records, listing.total) == ([], None)
    await simulator.start()
    assert (await listed(catalog.all_exhibitions())).problem is None


async def test_oddities(socket_enabled: None) -> None:
    """Every unusual record of the simulated catalog is parsed, with paths as in the public catalog."""
    async with (
        CatalogSimulator(media_base=None) as simulator,
        aiohttp.ClientSession() as session,
    ):
        catalog = Catalog(session, simulator.url)
        show = simulator.data.find_exhibition("Loose Ends")
        found: dict[str, Any] = {}
        for series in (await listed(catalog.all_series(show["id"]))).records:
            read = await listed(catalog.all_artworks(series.id))
            works = tuple(sorted(read.records, key=artwork_place))
            found[series.title] = series, works
    series, works = found["Every Kind of Source"]
    cdn, image = (
        "https://cdn.feralfileassets.com/previews",
        "https://imagedelivery.net/Qp3nPz0aH1mB5kQ7xW2v9A",
    )
    picture = f"{image}/0b1c2d3e-4f50-4a61-9b72-c8d9e0f10200"
    fallback = f"{cdn}/{series.id}/1730458737/"
    assert [source_url(work, series) for work in works[:10]] == [
        f"{cdn}/odd/1/index.html",
        f"{cdn}/odd/2/",
        "https://ipfs.io/ipfs/bafyoddoddodd/index.html?seed=3",
        f"{picture}/raw",
        f"{picture}/public",
        fallback,
        "https://customer-5sim.cloudflarestream.com/0123abcd/manifest/video.m3u8",
        "https://works.example/8?x=1&y=2",
        f"{picture}/raw",
        f"{cdn}/odd/10/?a=%C3%BC%20b&c=%20",
    ]
    assert works[11].gone
    series, works = found["Every Kind of Name"]
    assert [
        title(work, series).removeprefix("Every Kind of Name") for work in works
    ] == [
        *(
            " #1",
            " AE",
            " AP",
            " PP",
            " #5",
            ", the sixth",
            " Cirrus, signed",
            " Plate #8",
        ),
        *(" Bold & bright", " 第十番", " #12", ""),
    ]
    _, works = found["Every Kind of Token"]
    token = (
        "92419109143972345096969611651362597777388673613154609693448331487805624917924"
    )
    contracts = [(provenance(work) or {}).get("contract", {}) for work in works]
    assert [
        (contract.get("chain"), contract.get("tokenId")) for contract in contracts
    ] == [
        ("evm", token),
        ("evm", token),
        ("tezos", "1000000"),
        (None, None),
        ("evm", "7"),
        ("other", "8"),
        ("tezos", "1000000"),
        ("evm", str(int("ab" * 32, 16))),
        *[(None, None)] * 4,
    ]
    assert found["No Settings"][0].model is None and len(found["No Settings"][1]) == 3
    series, works = found["No Source at All"]
    assert source_url(works[0], series) is None
    series, works = found["Source of the Series"]
    assert source_url(works[0], series) == f"{cdn}/{series.id}/1730458737/"
    series, works = found["Overwritten"]
    assert (
        source_url(works[0], series)
        == "https://cdn.feralfileassets.com/previews/overwritten/1/"
    )
    assert found["No Works"][1] == ()
    assert found["Unsigned"][0].artists == ()
    assert found["Markup & Entities"][0].description.startswith("5 < 6 long")


async def test_hidden_and_future_shows(catalog: Catalog) -> None:
    """Hidden exhibitions are marked, and future ones have their date."""
    shows = {
        show.title: show for show in (await listed(catalog.all_exhibitions())).records
    }
    invisible = {name for name, show in shows.items() if not show.visible}
    assert invisible == {"Closed Test", "Held Back", "Members Only"}
    coming = shows["Before the Opening"]
    assert coming.opens_at is not None and coming.opens_at.year == 2031
    assert (
        coming.viewable_from is not None
        and (coming.opens_at - coming.viewable_from).days == 7
    )
    assert (
        sum(show.kind is ExhibitionKind.SOLO for show in shows.values()) + 1 == 20
    )  # two are called alike


class Wild:
    """A list behind an unreliable server."""

    def __init__(
        self, ids: list[int], total: int | None, sizes: list[int], *, broken: set[int]
    ) -> None:
        """Initialize with records and faults."""
        self.ids, self.total, self.sizes, self.broken = ids, total, sizes, broken
        self.calls = 0
        self.asked: set[int] = set()

    async def fetch(self, offset: int, limit: int) -> Page[Artwork]:
        self.calls += 1
        assert 1 <= limit <= 5 and offset >= 0
        await asyncio.sleep(0)
        if offset in self.broken:
            raise TemporaryError("broken")
        size = min(limit, self.sizes[offset % len(self.sizes)])
        ids = self.ids[offset : offset + size]
        records = tuple(Artwork(id=str(key)) for key in ids)
        return Page(records, self.total, offset)


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
    reader = PageReader(server.fetch, concurrency=4, limit=limit)
    listing = asyncio.run(listed(reader.pages()))
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
    reader = PageReader(server.fetch, concurrency=4, limit=limit)
    listing = asyncio.run(listed(reader.pages()))
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
