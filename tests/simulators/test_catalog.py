"""Test that the simulated catalog has the contents and answers of the public one."""

from collections import Counter
from collections.abc import AsyncGenerator
import json
from typing import Any

import aiohttp
import pytest

from .catalog.data import CatalogData
from .catalog.simulator import CatalogSimulator

pytestmark = pytest.mark.usefixtures("socket_enabled")


@pytest.fixture
async def simulator(socket_enabled: None) -> AsyncGenerator[CatalogSimulator]:
    async with CatalogSimulator() as running:
        yield running


async def get(
    simulator: CatalogSimulator, route: str, **query: object
) -> tuple[int, Any]:
    """Request a list, and check that markup is escaped in its JSON."""
    params = {name: str(value) for name, value in query.items()}
    async with (
        aiohttp.ClientSession() as session,
        session.get(f"{simulator.url}/api/llm/{route}", params=params) as response,
    ):
        text = await response.text()
    assert not set("&<>") & set(text)
    return response.status, json.loads(text)


def test_contents() -> None:
    """There are as many records as in the public catalog, people come twice, and ids are far beyond 64 bits."""
    data = CatalogData(None)
    shows = data.exhibitions
    assert Counter(show["type"] for show in shows) == {"group": 31, "solo": 20}
    chains = Counter(show["mintBlockchain"] for show in shows)
    assert chains == {"ethereum": 26, "bitmark": 18, "tezos": 7}
    assert max(len(json.dumps(show)) for show in shows) > 55_000
    assert len({show["slug"] for show in shows}) == 51
    opened = [show["exhibitionStartAt"] for show in shows]
    assert opened == sorted(opened, reverse=True) and opened[0].startswith("2031")
    for show in shows:
        nested = [artist["alumniAccount"] for artist in show["artists"]]
        assert nested == show["artistsAlumni"]
    assert data.series_count == 700
    assert len(data.series(data.find_exhibition("Twenty Kinds of Weather")["id"])) == 20
    (tides,) = {
        record["id"]
        for show in shows
        for record in data.series(show["id"])
        if record["title"] == "A Thousand Tides"
    }
    works = data.artworks(tides)
    assert len({work["id"] for work in works}) == len(works) == 1024
    assert all(int(work["id"]) > 2**64 for work in works[:9])


@pytest.mark.parametrize(
    ("offset", "limit", "records"), [(0, 5, 5), (50, 20, 1), (60, 1, 0)]
)
async def test_pages(
    simulator: CatalogSimulator, offset: int, limit: int, records: int
) -> None:
    """A page has five records at most."""
    _, body = await get(simulator, "exhibitions", offset=offset, limit=limit)
    assert len(body["result"]) == records
    paging = {"offset": offset, "limit": min(limit, 5), "total": 51}
    assert body["paging"] == paging


async def test_order(simulator: CatalogSimulator) -> None:
    """Lists are sorted and searched as one asks for it."""
    query = {"sortBy": "title", "sortOrder": "DESC"}
    _, body = await get(simulator, "exhibitions", **query)
    titles = [show["title"] for show in body["result"]]
    assert titles == sorted(titles, reverse=True)
    query = {"keyword": "WEATHER", "sortBy": "relevance"}
    _, body = await get(simulator, "exhibitions", **query)
    assert all("Weather" in show["title"] for show in body["result"][:3])
    _, body = await get(simulator, "series", exhibitionID="unknown")
    assert body == {"result": [], "paging": {"offset": 0, "limit": 5, "total": 0}}


@pytest.mark.parametrize(
    ("route", "query"),
    [
        ("exhibitions", {"limit": 0}),
        ("exhibitions", {"offset": "x"}),
        ("exhibitions", {"sortBy": "color"}),
        ("exhibitions", {"sortOrder": "sideways"}),
        ("series", {}),
    ],
)
async def test_refusals(
    simulator: CatalogSimulator, route: str, query: dict[str, object]
) -> None:
    """What the interface does not know is refused."""
    status, body = await get(simulator, route, **query)
    assert (status, body["error"]["code"]) == (400, 1400)
