"""The client of an indexer, against the simulated one."""

import asyncio
from collections.abc import AsyncIterator
from json import dumps
import threading
from typing import Any

import aiohttp
import pytest

from custom_components.dp1.client import retry
from custom_components.dp1.client.errors import (
    Dp1Error,
    InvalidRequestError,
    NotFoundError,
)
from custom_components.dp1.client.indexer import client, links, tokens
from custom_components.dp1.client.indexer.client import Indexer
from custom_components.dp1.client.indexer.links import (
    ContractLink,
    TokenLink,
    parse_link,
)
from custom_components.dp1.client.indexer.tokens import (
    MAX_DATA,
    Token,
    provenance,
    web_source,
)

from tests.client.keys import keyed
from tests.client.tables import tables
from tests.simulators.indexer import Fault, IndexerSimulator

TABLES = tables("indexer_client")

OWNED = "0x23117d0150af2231442De2a8b754Cc204b668540"
WITH_WORKS = "0x9d180d4E1dEC827190A50831A02445c28ac0AA90"
E2 = "0x68B6018dDBE65234FEFd7D8C266A17BcfF96cd23"
AGENT = "home-assistant-dp1/test"
IDS = {
    "9001": "80b6006e-ba88-5d61-9894-9733b7574c06",
    "9002": "083b1191-10d8-58ee-a862-a3973ef60867",
    "9003": "3d7a397d-f085-55a0-9ebd-aa6c93a20584",
    "9004": "4e5be047-3172-5a12-81b3-f4bf5d655c8b",
}


@pytest.fixture
async def simulator(socket_enabled: None) -> AsyncIterator[IndexerSimulator]:
    async with IndexerSimulator() as running:
        yield running


@pytest.fixture
async def indexer(
    simulator: IndexerSimulator, monkeypatch: pytest.MonkeyPatch
) -> AsyncIterator[Indexer]:
    """Read from it, without long pauses."""
    monkeypatch.setattr(client, "JOB_POLL", 0.01)
    monkeypatch.setattr(retry, "FIRST_PAUSE", 0.01)
    monkeypatch.setattr(client, "PAUSE", 0.01)
    async with aiohttp.ClientSession() as session:
        yield Indexer(session, simulator.url, agent=AGENT)


def record(simulator: IndexerSimulator, number: str) -> Any:
    return next(one for one in simulator.records if one["id"] == number)


def token(simulator: IndexerSimulator, number: str) -> Token:
    parsed = Token.parse(record(simulator, number))
    assert parsed is not None
    return parsed


async def test_a_token(simulator: IndexerSimulator, indexer: Indexer) -> None:
    """A work is asked for by contract and number, and tells all that a label needs."""
    link = parse_link(f"{record(simulator, '9001')['contract_address']}:78000042")
    assert isinstance(link, TokenLink)
    (found,) = await indexer.resolve(link, 10)
    assert found == token(simulator, "9001")
    assert found.name == "Tidal Ledger #42"
    assert found.artists == ("Ines Okafor",)
    assert found.source and found.source.startswith("https://generator.example/")
    assert found.thumbnail == "https://imagedelivery.net/sim-account/a1/l"
    (asked,) = simulator.asked
    assert asked.agent == AGENT
    assert not simulator.authorized


async def test_both_standards(simulator: IndexerSimulator, indexer: Indexer) -> None:
    """A link does not tell that a work is an edition."""
    link = parse_link("ethereum:0x934cE2bf6c21d97DF283b491B2E359445CB61320:7")
    assert isinstance(link, TokenLink)
    (found,) = await indexer.resolve(link, 10)
    assert ":erc1155:" in found.cid
    assert found.artists == ("Rui Tanaka", "Lena Voss")


@pytest.mark.parametrize(("kind", "parts", "titles"), TABLES["series"])
async def test_series(
    indexer: Indexer, kind: str, parts: list[str], titles: list[str]
) -> None:
    """A series is all works of a release or a contract."""
    link = getattr(links, kind)(*parts)
    assert [found.name for found in await indexer.resolve(link, 100)] == titles


async def test_pages(simulator: IndexerSimulator, indexer: Indexer) -> None:
    """A collection is read page by page, each work once, also if one arrives meanwhile."""
    owned = simulator.own(E2, 250)
    simulator.arrives = dict(owned[0], id="9999")
    found = await indexer.all_tokens(contract_addresses=[OWNED])
    assert len(found) == len({one.cid for one in found}) == 251
    assert [asked.arguments.get("offset") for asked in simulator.asked] == [
        None,
        "100",
        "200",
    ]
    assert len(await indexer.all_tokens(contract_addresses=[OWNED], most=30)) == 30


async def test_an_offset_that_repeats(
    simulator: IndexerSimulator, indexer: Indexer
) -> None:
    simulator.own(E2, 150)
    simulator.repeat_offset = True
    assert len(await indexer.all_tokens(contract_addresses=[OWNED])) == 100
    assert len(simulator.asked) == 2
    for limit in (0, 256):
        with pytest.raises(ValueError, match="255"):
            await indexer.tokens(limit=limit)


def test_tokens(simulator: IndexerSimulator) -> None:
    """Tokens have stable ids of their items, https sources, the artists and where they are."""
    found = [token(simulator, number["id"]) for number in simulator.records]
    for number, expected in IDS.items():
        assert token(simulator, number).item_id == expected
    assert sum(one.source is None for one in found) == 1
    by_id = {one.item_id: one for one in found}
    edition = by_id[IDS["9002"]]
    assert provenance(edition)["contract"]["standard"] == "erc1155"
    assert edition.artists == ("Rui Tanaka", "Lena Voss")
    assert "fxhash=ooSimHash88" in (by_id[IDS["9003"]].source or "")
    long = token(simulator, "9009")
    assert long.source == f"https://turbo-gateway.com/{'simArweaveTx':x<43}"
    assert len(provenance(long)["contract"]["tokenId"]) == 78


@pytest.mark.parametrize(("url", "source"), TABLES["sources"])
def test_sources(url: str, source: str | None) -> None:
    """Only what a display can load over https is a source."""
    assert web_source(url) == source


@pytest.mark.parametrize(("shown", "variants", "source"), TABLES["token_sources"])
def test_sources_of_tokens(
    simulator: IndexerSimulator,
    shown: dict[str, Any],
    variants: dict[str, str],
    source: str | None,
) -> None:
    """A work on a chain is its own source up to a limit; where nothing else can be loaded, a large variant is."""
    display = {"image_url": "https://media.example/i.png", "animation_url": None}
    asset = {"source_url": "ipfs:", "variants": variants}
    changes = {"display": display | shown, "media_assets": [asset]}
    parsed = Token.parse(record(simulator, "9001") | changes)
    assert parsed is not None
    assert parsed.source == source
    display["animation_url"] = "data:image/svg+xml;base64," + "A" * MAX_DATA
    parsed = Token.parse(record(simulator, "9001") | {"display": display})
    assert parsed is not None
    assert parsed.source == "https://media.example/i.png"


@pytest.mark.parametrize(
    ("shown", "is_picture"),
    [
        ({"image_url": "https://a.example/i.png"}, True),
        ({"image_url": "https://a.example/i"}, True),
        ({"image_url": "https://a.example/i.mp4"}, False),
        ({"image_url": "https://a.example/i.html?x=.png"}, False),
        ({"image_url": "https://a.example/i.glb"}, False),
        ({"image_url": "https://a.example/i", "mime_type": "video/mp4"}, False),
        ({"image_url": "https://a.example/i", "mime_type": "image/png"}, True),
        (
            {
                "image_url": "https://a.example/i",
                "animation_url": "https://a.example/i.mp4",
                "mime_type": "video/mp4",
            },
            True,
        ),
    ],
)
def test_stills(
    simulator: IndexerSimulator, shown: dict[str, Any], is_picture: bool
) -> None:
    """A film, a page or a model is no still and no thumbnail, but the work all the same."""
    display = {"animation_url": None, "mime_type": None} | shown
    changes = {"display": display, "media_assets": []}
    parsed = Token.parse(record(simulator, "9001") | changes)
    assert parsed is not None
    picture = shown["image_url"] if is_picture else None
    assert (parsed.image, parsed.thumbnail) == (picture, picture)
    assert parsed.source == shown.get("animation_url", shown["image_url"])


async def test_a_record_that_is_too_large(
    simulator: IndexerSimulator, indexer: Indexer
) -> None:
    """It is skipped, and the pages get large again."""
    owned = simulator.own(E2, 250)
    owned[30]["display"]["image_url"] = "data:image/png;base64," + "A" * 5_000_000
    found = await indexer.all_tokens(contract_addresses=[OWNED])
    names = {one.name for one in found}
    assert len(names) == 250
    assert "Owned work 31" not in names
    assert "Gone" in names
    assert len(simulator.asked) < 25


@pytest.mark.parametrize("change", TABLES["odd"])
def test_odd_records(simulator: IndexerSimulator, change: dict[str, Any]) -> None:
    parsed = Token.parse({**record(simulator, "9001"), **change})
    assert parsed is not None and parsed.name


@pytest.mark.parametrize("change", TABLES["nameless"])
def test_nameless_records(simulator: IndexerSimulator, change: dict[str, Any]) -> None:
    assert Token.parse({**record(simulator, "9001"), **change}) is None


async def test_more_than_was_asked_for(
    simulator: IndexerSimulator, indexer: Indexer, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Of a page no more tokens are parsed than were asked for, and none on the loop."""
    threads = list[threading.Thread]()

    def seen(url: str) -> str | None:
        threads.append(threading.current_thread())
        return web_source(url)

    monkeypatch.setattr(tokens, "web_source", seen)
    items = simulator.own(E2, 300)
    simulator.faults.append(Fault(200, dumps({"data": {"tokens": {"items": items}}})))
    assert len((await indexer.tokens(limit=5)).records) == 5
    assert threads and threading.main_thread() not in threads


def unindexed(simulator: IndexerSimulator) -> Any:
    """Take a work out of the index, and return it."""
    edition = record(simulator, "9002")
    simulator.records.remove(edition)
    simulator.unindexed[edition["token_cid"]] = edition
    return edition


async def test_a_token_that_is_not_indexed(
    simulator: IndexerSimulator, indexer: Indexer
) -> None:
    """It is asked for once under both standards, and waited for until it has media; nothing is asked for again."""
    edition = unindexed(simulator)
    link = parse_link("ethereum:0x934cE2bf6c21d97DF283b491B2E359445CB61320:7")
    assert isinstance(link, TokenLink)
    assert await indexer.resolve(link, 1) == []
    (found,) = await indexer.index(link)
    assert found.cid == edition["token_cid"]
    assert found.source
    assert triggered(simulator) == ["eip155:1:erc721", "eip155:1:erc1155"]
    assert simulator.open_jobs == 0
    simulator.asked.clear()
    unknown = TokenLink("KT19BPuJS6RVe7JQ4gk5efXBGsCGRQYPTZ42", "6")
    for _ in range(3):
        with pytest.raises(NotFoundError, check=keyed("indexer_not_indexed")):
            await indexer.index(unknown)
    assert triggered(simulator) == ["tezos:mainnet:fa2"]


def triggered(simulator: IndexerSimulator) -> list[str]:
    """Return the chains and standards of the tokens that were asked for."""
    return [
        ":".join(cid.split(":")[:3])
        for asked in simulator.asked
        if asked.field == "triggerTokenIndexing"
        for cid in asked.arguments["token_cids"]
    ]


@pytest.mark.parametrize(("number", "change", "key"), TABLES["hidden"])
async def test_a_hidden_token(
    simulator: IndexerSimulator,
    indexer: Indexer,
    number: str,
    change: dict[str, Any],
    key: str,
) -> None:
    """A token that the indexer hides is asked for once, said why, and not asked to be indexed."""
    hidden = record(simulator, number)
    hidden |= change
    link = parse_link(f"{hidden['contract_address']}:{hidden['token_number']}")
    assert isinstance(link, TokenLink)
    with pytest.raises(NotFoundError, check=keyed(key)):
        await indexer.resolve(link, 1)
    assert [asked.field for asked in simulator.asked] == ["tokens"]


async def test_a_job_that_never_ends(
    simulator: IndexerSimulator, indexer: Indexer
) -> None:
    """Waiting ends, and goes on the next time without another job."""
    simulator.job_outcome = ""
    edition = unindexed(simulator)
    link = TokenLink(edition["contract_address"], "7")
    for looks in (1, 2):
        waiting = asyncio.create_task(indexer.index(link))
        while [asked.field for asked in simulator.asked].count("jobStatus") < looks:
            await asyncio.sleep(0.01)
        assert not waiting.done()
        waiting.cancel()
    assert triggered(simulator) == ["eip155:1:erc721"]
    simulator.job_outcome = "succeeded"
    assert await indexer.index(link)
    assert triggered(simulator) == ["eip155:1:erc721", "eip155:1:erc1155"]


async def test_a_contract_that_is_not_taken(
    simulator: IndexerSimulator, indexer: Indexer
) -> None:
    """The operator's choice is told and not tried again."""
    contract = "0x495f947276749Ce646f68AC8c248420045cb7b5e"
    simulator.blacklist.add(contract)
    with pytest.raises(InvalidRequestError):
        await indexer.index(TokenLink(contract, "1"))
    assert len(simulator.asked) == 1


@pytest.mark.parametrize(
    ("fault", "times"),
    [(Fault(429, headers={"Retry-After": "0"}), 2), (Fault(502, "<html>"), 1)],
)
async def test_a_short_illness(
    simulator: IndexerSimulator, indexer: Indexer, fault: Fault, times: int
) -> None:
    """The indexer is asked again, with a pause."""
    simulator.faults.append(fault)
    fault.times = times
    assert await indexer.all_tokens(contract_addresses=[WITH_WORKS])
    assert len(simulator.asked) == times + 1


@pytest.mark.parametrize(("fault", "error"), TABLES["faults"])
async def test_faults(
    simulator: IndexerSimulator, indexer: Indexer, fault: dict[str, Any], error: str
) -> None:
    """Each fault has its error, without the server's words."""
    simulator.faults.append(Fault(**fault, times=None))
    with pytest.raises(Dp1Error) as caught:
        await indexer.tokens(contract_addresses=[OWNED])
    assert type(caught.value).__name__ == error
    assert "pq" not in str(caught.value)


async def test_errors_beside_data(
    simulator: IndexerSimulator, indexer: Indexer
) -> None:
    """Data with an error beside it is asked for once more, and then used as what it is: not the whole answer."""
    link = ContractLink(record(simulator, "9001")["contract_address"])
    simulator.faults.append(
        Fault(200, '{"data":{"tokens":{"items":[],"offset":null}},"errors":[{}]}')
    )
    assert len(await indexer.resolve(link, 9)) == 1
    assert len(simulator.asked) == 2
    simulator.errors = [{"message": "a resolver failed"}]
    page = await indexer.tokens(contract_addresses=[link.contract])
    assert page.records and not page.is_whole
    assert len(simulator.asked) == 4
