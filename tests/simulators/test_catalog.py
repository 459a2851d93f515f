"""Test that the simulated catalog has the contents and answers of the public one."""

from collections import Counter
from collections.abc import AsyncGenerator
import json
import re
from statistics import median
from typing import Any

import aiohttp
import pytest

from .catalog.data import CatalogData
from .catalog.simulator import CatalogSimulator

DATA = CatalogData(None)


@pytest.fixture
async def simulator(socket_enabled: None) -> AsyncGenerator[CatalogSimulator]:
    async with CatalogSimulator() as running:
        yield running


@pytest.fixture
async def session(socket_enabled: None) -> AsyncGenerator[aiohttp.ClientSession]:
    async with aiohttp.ClientSession() as opened:
        yield opened


async def get(
    session: aiohttp.ClientSession, url: str, **query: object
) -> tuple[int, Any]:
    """Request a list."""
    params = {name: str(value) for name, value in query.items()}
    async with session.get(url, params=params) as response:
        text = await response.text()
        return response.status, json.loads(text) if text.startswith(
            ("{", "[")
        ) else text


def test_exhibitions() -> None:
    """There are as many exhibitions of each kind as in the public catalog, of about the same size."""
    shows = DATA.exhibitions
    assert len(shows) == 51
    assert Counter(show["type"] for show in shows) == {"group": 31, "solo": 20}
    assert Counter(show["mintBlockchain"] for show in shows) == {
        "ethereum": 26,
        "bitmark": 18,
        "tezos": 7,
    }
    sizes = [len(json.dumps(show, ensure_ascii=False)) for show in shows]
    assert 20_000 < median(sizes) < 26_000
    assert 55_000 < max(sizes) < 80_000
    assert len({show["slug"] for show in shows}) == 51
    assert DATA.find_exhibition("Net Evil")["slug"] == "net-evil-q7v"
    titles = [show["title"] for show in shows]
    assert titles.count("Still Life") == 2
    assert sum(not title.isascii() for title in titles) >= 3
    opened = [show["exhibitionStartAt"] for show in shows]
    assert opened == sorted(opened, reverse=True)
    assert opened[0].startswith("2031")
    assert (
        sum(
            show["hidden"] or show["isTesting"] or not show["publicViewable"]
            for show in shows
        )
        == 3
    )


def test_people_come_twice() -> None:
    """Artists are in a list of their own and, one level deeper, in another."""
    for show in DATA.exhibitions:
        nested = [artist["alumniAccount"] for artist in show["artists"]]
        assert nested == show["artistsAlumni"]
        if "curator" in show:
            assert show["curator"]["alumniAccount"] == show["curatorAlumni"]
    assert sum("curatorAlumni" in show for show in DATA.exhibitions) < 31
    people = [person for show in DATA.exhibitions for person in show["artistsAlumni"]]
    assert any(person["alias"] == "" for person in people)
    assert any(person["collaborationAlumniAccounts"] == [None] for person in people)


def test_series() -> None:
    """There are about 700 series: a long one, and an exhibition of twenty."""
    everything = [
        record for show in DATA.exhibitions for record in DATA.series(show["id"])
    ]
    assert len(everything) == DATA.series_count == 700
    assert len({record["id"] for record in everything}) == 700
    assert len(DATA.series(DATA.find_exhibition("Twenty Kinds of Weather")["id"])) == 20
    tides = DATA.series(DATA.find_exhibition("Longform")["id"])[0]
    assert len(DATA.artworks(tides["id"])) == 1024
    models = Counter(
        (record["settings"] or {}).get("artworkModel") for record in everything
    )
    assert set(models) == {"single", "multi", "multi_unique", None}
    places = [
        record["displayIndex"] for record in DATA.series(everything[0]["exhibitionID"])
    ]
    assert any(
        "artist" in record and "artistAlumni" not in record for record in everything
    )
    assert any("uniquePreviewPath" in record for record in everything)
    assert len({record["slug"] for record in everything}) < 700
    assert places == sorted(places)


def test_artworks() -> None:
    """There are works of all blockchains and states, with ids beyond 64 bits."""
    works = [
        work
        for show in DATA.exhibitions
        for record in DATA.series(show["id"])
        for work in DATA.artworks(record["id"])
    ]
    assert Counter(work["chain"] for work in works).keys() >= {
        "ethereum",
        "tezos",
        "bitmark",
    }
    assert any(work["burned"] for work in works)
    assert any(isinstance(work["tokenID"], int) for work in works)
    assert any(re.fullmatch(r"[0-9a-f]{64}", str(work["id"])) for work in works)
    assert any(re.fullmatch(r"[0-9]{70,78}", str(work["id"])) for work in works)
    assert {type(work["previewDisplay"]) for work in works} == {dict, type(None)}
    assert len({work["id"] for work in works}) == len(works)


async def test_pages(
    simulator: CatalogSimulator, session: aiohttp.ClientSession
) -> None:
    """A page has five records; a larger limit is reduced, or refused on demand."""
    url = f"{simulator.url}/api/llm/exhibitions"
    _, body = await get(session, url)
    assert len(body["result"]) == 5
    assert body["paging"] == {"offset": 0, "limit": 5, "total": 51}
    _, body = await get(session, url, limit=20, offset=50)
    assert len(body["result"]) == 1
    assert body["paging"] == {"offset": 50, "limit": 5, "total": 51}
    simulator.refuse_large = True
    assert (await get(session, url, limit=20))[0] == 400
    for query in ({"limit": 0}, {"limit": "x"}, {"offset": -1}, {"offset": "x"}):
        status, body = await get(session, url, **query)
        assert (status, body["error"]["code"]) == (400, 1400)


async def test_parameters(
    simulator: CatalogSimulator, session: aiohttp.ClientSession
) -> None:
    """Sorting, searching and parents are supported; unknown values are refused."""
    base = f"{simulator.url}/api/llm"
    _, body = await get(
        session, f"{base}/exhibitions", sortBy="title", sortOrder="DESC"
    )
    titles = [show["title"] for show in body["result"]]
    assert titles == sorted(titles, reverse=True)
    _, body = await get(
        session, f"{base}/exhibitions", sortBy="openAt", sortOrder="ASC"
    )
    assert body["result"][0]["ordinalLabel"] == "001"
    _, body = await get(
        session, f"{base}/exhibitions", keyword="WEATHER", sortBy="relevance"
    )
    assert {"Slow Weather", "Parallel Weather", "Twenty Kinds of Weather"} <= {
        show["title"] for show in body["result"]
    }
    _, body = await get(session, f"{base}/series", exhibitionID="unknown")
    assert body == {"result": [], "paging": {"offset": 0, "limit": 5, "total": 0}}
    for route, query in (
        ("exhibitions", {"sortBy": "color"}),
        ("exhibitions", {"sortOrder": "sideways"}),
        ("series", {"exhibitionID": "x", "sortBy": "relevance"}),
        ("series", {}),
        ("artworks", {}),
    ):
        assert (await get(session, f"{base}/{route}", **query))[0] == 400


async def test_markup_characters_are_escaped(
    simulator: CatalogSimulator, session: aiohttp.ClientSession
) -> None:
    """& and angle brackets are escaped in JSON as the catalog escapes them."""
    async with session.get(f"{simulator.url}/api/llm/exhibitions") as response:
        text = await response.text()
    assert "\\u0026" in text and "\\u003c" in text
    assert not set("&<>") & set(text)
