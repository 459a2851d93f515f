"""Test that the simulated catalog has the contents and answers of the public one."""

import asyncio
from collections import Counter
from collections.abc import AsyncGenerator
import json
from pathlib import Path
import re
from statistics import median
import sys
from typing import Any

import aiohttp
import pytest

from .catalog.data import CatalogData
from .catalog.faults import FaultKind
from .catalog.simulator import CatalogSimulator

DATA = CatalogData(None)
ROOT = Path(__file__).parents[2]


@pytest.fixture
async def simulator(socket_enabled: None) -> AsyncGenerator[CatalogSimulator]:
    """Run a catalog."""
    async with CatalogSimulator() as running:
        yield running


@pytest.fixture
async def session(socket_enabled: None) -> AsyncGenerator[aiohttp.ClientSession]:
    """Return a client session."""
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


def test_ties_of_the_display_index() -> None:
    """Some series of an exhibition have the same index."""
    series = DATA.series(DATA.find_exhibition("Twenty Kinds of Weather")["id"])
    assert len({record["displayIndex"] for record in series}) < len(series)


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


def test_data_is_the_same_every_time() -> None:
    """Two runs have the same contents."""
    again = CatalogData(None)
    assert again.exhibitions == DATA.exhibitions
    series = DATA.series(DATA.exhibitions[3]["id"])
    assert again.series(DATA.exhibitions[3]["id"]) == series
    assert again.artworks(series[0]["id"]) == DATA.artworks(series[0]["id"])


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


FAULTS: dict[str, tuple[int, Any]] = {
    "html": (200, str),
    "truncated": (200, None),
    "error_200": (200, "error"),
    "null_result": (200, "result"),
    "no_result": (200, "result"),
    "bare_list": (200, list),
    "empty": (200, "result"),
    "bad_records": (200, "result"),
    "no_paging": (200, "paging"),
    "no_total": (200, "paging"),
    "wrong_total": (200, "paging"),
    "offset_ignored": (200, "result"),
    "repeated": (200, "result"),
    "clamp": (200, "result"),
    "short": (200, "result"),
    "status": (500, "error"),
}


@pytest.mark.parametrize("kind", FAULTS)
async def test_faults(
    simulator: CatalogSimulator, session: aiohttp.ClientSession, kind: str
) -> None:
    """Each fault applies to its page, as often as requested, and to nothing else."""
    url = f"{simulator.url}/api/llm/exhibitions"
    _, sound = await get(session, url, offset=5)
    fault = simulator.inject(kind, route="exhibitions", offset=5, times=1)
    assert (await get(session, url, offset=10))[0] == 200
    assert fault.hits == 0
    status, shape = FAULTS[kind]
    async with session.get(url, params={"offset": "5"}) as response:
        text = await response.text()
        assert response.status == status
    assert fault.hits == 1
    if shape is None:
        with pytest.raises(ValueError, match=r"Expecting|Unterminated|Invalid"):
            json.loads(text)
    elif shape is str:
        assert "<h1>" in text
    elif shape is list:
        assert json.loads(text) == sound["result"]
    else:
        assert json.loads(text).get(shape) != sound.get(shape)
    assert (await get(session, url, offset=5))[1] == sound
    simulator.heal()
    assert simulator.faults == ()


def test_every_fault_is_tried() -> None:
    """Every fault is tested here, but cuts and delays, which have tests of their own."""
    assert set(FaultKind) - set(FAULTS) == {FaultKind.DROP, FaultKind.SLOW}


async def test_errors_have_many_shapes(
    simulator: CatalogSimulator, session: aiohttp.ClientSession
) -> None:
    """The body of an error may be anything from an envelope to nothing."""
    bodies = []
    for shape in ("envelope", "flat", "text", "html", "empty"):
        simulator.heal()
        simulator.inject(
            "status", status=429, shape=shape, retry_after="7", message="slow down"
        )
        async with session.get(f"{simulator.url}/api/llm/exhibitions") as response:
            bodies.append(await response.text())
            assert (response.status, response.headers["Retry-After"]) == (429, "7")
    assert json.loads(bodies[0]) == {"error": {"code": 1429, "message": "slow down"}}
    assert json.loads(bodies[1]) == {"code": 1429, "message": "slow down"}
    assert bodies[2] == "slow down"
    assert bodies[3].startswith("<!doctype")
    assert bodies[4] == ""


async def test_cut_and_down(
    simulator: CatalogSimulator, session: aiohttp.ClientSession
) -> None:
    """A connection can be cut; a stopped catalog refuses connections, and returns on the same port."""
    url = f"{simulator.url}/api/llm/exhibitions"
    simulator.inject("drop")
    with pytest.raises(aiohttp.ServerDisconnectedError):
        await get(session, url)
    simulator.heal()
    await simulator.stop()
    with pytest.raises(aiohttp.ClientConnectorError):
        await get(session, url)
    await simulator.start()
    assert (await get(session, url))[0] == 200


async def test_counters(
    simulator: CatalogSimulator, session: aiohttp.ClientSession
) -> None:
    """Requests are counted, including pending and canceled ones."""
    base = f"{simulator.url}/api/llm"
    simulator.latency = 0.1
    began = asyncio.get_running_loop().time()
    await asyncio.gather(
        *(get(session, f"{base}/exhibitions", offset=place) for place in range(3))
    )
    assert asyncio.get_running_loop().time() - began >= 0.1
    assert (simulator.in_flight, simulator.max_in_flight) == (0, 3)
    assert simulator.count("exhibitions") == 3
    simulator.inject("slow")
    with pytest.raises(TimeoutError):
        await asyncio.wait_for(get(session, f"{base}/series", exhibitionID="x"), 0.3)
    await asyncio.sleep(0.1)
    assert simulator.in_flight == 0
    _, told = await get(session, f"{simulator.url}/simulator")
    assert told == {
        "requests": 4,
        "in_flight": 0,
        "max_in_flight": 3,
        "by_route": {"exhibitions": 3, "series": 1},
    }
    simulator.reset_counters()
    assert (len(simulator.requests), simulator.max_in_flight) == (0, 0)


async def test_pictures_and_works_can_be_looked_at(
    simulator: CatalogSimulator, session: aiohttp.ClientSession
) -> None:
    """Every URL of a picture or work can be loaded, and different works look different."""
    show = simulator.data.find_exhibition("Twenty Kinds of Weather")
    addresses = {
        show["coverURI"]: "image/png",
        f"{show['coverDisplay']}/m": "image/png",
    }
    for series in simulator.data.series(show["id"])[:6]:
        addresses[series["thumbnailURI"]] = "image/png"
        for work in simulator.data.artworks(series["id"])[:2]:
            kind = "image/png" if series["medium"] == "image" else "text/html"
            addresses[work["previewURI"]] = kind
    bodies: dict[str, bytes] = {}
    for address, kind in addresses.items():
        async with session.get(address) as response:
            assert (response.status, response.content_type) == (200, kind), address
            bodies[address] = await response.read()
    assert all(
        body.startswith((b"\x89PNG", b"<!doctype html>")) for body in bodies.values()
    )
    tides = simulator.data.series(simulator.data.find_exhibition("Longform")["id"])[0]
    works = simulator.data.artworks(tides["id"])[:9]
    pages = set()
    for work in works:
        async with session.get(work["previewURI"]) as response:
            pages.add(await response.text())
    assert len(pages) == 9


async def test_sizes_of_pictures(
    simulator: CatalogSimulator, session: aiohttp.ClientSession
) -> None:
    """A larger variant is a larger picture."""
    cover = simulator.data.exhibitions[0]["coverDisplay"]
    sizes = {}
    for variant in ("m", "l"):
        async with session.get(f"{cover}/{variant}") as response:
            body = await response.read()
            sizes[variant] = int.from_bytes(body[16:20])
    assert sizes == {"m": 480, "l": 960}


async def test_media_elsewhere(socket_enabled: None) -> None:
    """URLs of pictures and works can point to another server, or stay relative as in the public catalog."""
    async with CatalogSimulator(media_base="http://art.example/x") as simulator:
        show = simulator.data.exhibitions[0]
        assert show["coverURI"].startswith(
            "http://art.example/x/exhibition-thumbnails/"
        )
    show = DATA.exhibitions[0]
    assert show["coverURI"].startswith("exhibition-thumbnails/")
    assert re.fullmatch(r"https://imagedelivery\.net/[^/]+/[^/]+", show["coverDisplay"])


def test_data_needs_a_start() -> None:
    """Before the start there are no URLs, and so no data."""
    with pytest.raises(RuntimeError, match="not started"):
        _ = CatalogSimulator().data


async def test_runs_by_itself(session: aiohttp.ClientSession) -> None:
    """The command prints its URL, and applies the requested fault."""
    process = await asyncio.create_subprocess_exec(
        *(
            sys.executable,
            "-m",
            "tests.simulators.catalog",
            "--port",
            "0",
            "--fault",
            "clamp",
        ),
        stdout=asyncio.subprocess.PIPE,
        cwd=ROOT,
    )
    try:
        assert process.stdout is not None
        line = (await asyncio.wait_for(process.stdout.readline(), 20)).decode()
        url = line.removeprefix("Catalog at ").strip()
        _, body = await get(session, f"{url}/api/llm/exhibitions")
        assert len(body["result"]) == 2
    finally:
        process.terminate()
        await process.wait()
