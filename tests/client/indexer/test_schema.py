"""Every query of the client fits the indexer's schema, and the simulated indexer refuses what does not."""

from typing import Any

import aiohttp
import pytest

from custom_components.dp1.client.errors import InvalidRequestError, NotFoundError
from custom_components.dp1.client.indexer import client
from custom_components.dp1.client.indexer.client import HIDDEN, Indexer
from custom_components.dp1.client.indexer.links import (
    ContractLink,
    SeriesLink,
    TokenLink,
)

from tests.client.keys import keyed
from tests.client.tables import tables
from tests.simulators.indexer import IndexerSimulator

pytestmark = pytest.mark.usefixtures("socket_enabled")

TABLES = tables("indexer_queries")
OWNER = "0xBD0E21fdc68Ac573d109D5CB7EA5cEAf6c246045"
CONTRACT = "0x23117d0150af2231442De2a8b754Cc204b668540"
# What the indexer is asked: each query that the client can build.
QUERIES = 8


async def test_every_query_fits(monkeypatch: pytest.MonkeyPatch) -> None:
    """Its members, arguments and the types of its variables are those of the schema."""
    monkeypatch.setattr(client, "JOB_POLL", 0.01)
    monkeypatch.setattr(client, "PAUSE", 0.01)
    async with (
        IndexerSimulator() as simulator,
        aiohttp.ClientSession() as session,
    ):
        simulator.own(OWNER, 300)
        indexer = Indexer(session, simulator.url, agent="test")
        # All works of addresses, the newest, and some of them by name.
        assert [page async for page in indexer.pages(owners=[OWNER])][1].records
        assert (await indexer.tokens(owners=[OWNER], newest=True)).records
        named = await indexer.tokens(owners=[OWNER], token_ids=["9007"], **HIDDEN)
        assert [token.id for token in named.records] == ["9007"]
        # Links.
        assert await indexer.resolve(ContractLink(CONTRACT), 5)
        assert await indexer.resolve(SeriesLink("fxhash", "lattice-bloom"), 5)
        unknown = TokenLink(CONTRACT, "999999")
        assert await indexer.resolve(unknown, 1) == []
        with pytest.raises(NotFoundError, check=keyed("indexer_not_indexed")):
            await indexer.index(unknown)
        assert not simulator.refused
        assert len(simulator.queries) == QUERIES
        # Nothing else is sent, and no argument is without a test.
        sent = {name for asked in simulator.asked for name in asked.arguments}
        assert set(client._ARGUMENTS) <= sent


@pytest.mark.parametrize(("query", "variables"), TABLES["refused"])
async def test_what_does_not_fit(query: str, variables: dict[str, Any]) -> None:
    """It is refused before anything runs, and is an error of ours."""
    simulator = IndexerSimulator()
    await simulator.start()
    try:
        async with aiohttp.ClientSession() as session:
            indexer = Indexer(session, simulator.url, agent="test")
            with pytest.raises(InvalidRequestError):
                await indexer._ask(query, variables)
    finally:
        await simulator.stop()
    assert len(simulator.refused) == 1
    assert not simulator.asked
