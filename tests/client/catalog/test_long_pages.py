"""Test oversized pages of the catalog."""

import asyncio
import json
import threading

import aiohttp
import pytest

from custom_components.dp1.client import http as module
from custom_components.dp1.client.catalog.client import Catalog
from custom_components.dp1.client.errors import UnexpectedAnswerError

from tests.client.scripted_server import Reply, ScriptedServer

pytestmark = pytest.mark.usefixtures("socket_enabled")

TOKEN = 77 * 10**70


def page(filling: int) -> dict[str, object]:
    """Return a page of one work, with unused text."""
    work = {"id": "w", "seriesID": "s", "chain": "ethereum", "contractAddress": "0x1"}
    return {"result": [{**work, "tokenID": TOKEN, "more": "x" * filling}]}


@pytest.mark.parametrize("filling", [0, 300_000])
async def test_numbers_of_tokens_stay_exact(
    monkeypatch: pytest.MonkeyPatch, filling: int
) -> None:
    """A long page is decoded in a thread, a short one in the loop; both keep every digit."""
    threads = []
    decode = module.decode

    def noted(*args: object, **options: object) -> object:
        threads.append(threading.current_thread())
        return decode(*args, **options)  # type: ignore[arg-type]

    monkeypatch.setattr(module, "decode", noted)
    async with (
        ScriptedServer.run(Reply(200, page(filling))) as server,
        aiohttp.ClientSession() as session,
    ):
        read = await Catalog(session, server.url).artworks(series_id="s")
    assert [work.token_id for work in read.records] == [str(TOKEN)]
    assert (threads[0] is threading.main_thread()) is (filling == 0)


@pytest.mark.parametrize(
    "body",
    [
        b'{"result": [' + b"{}," * 1_000_000 + b"{}]}",
        json.dumps(page(5_000_000)).encode(),
    ],
    ids=["too many values", "too many bytes"],
)
async def test_too_much(body: bytes) -> None:
    """A page over the limits is refused without blocking the loop."""
    async with (
        ScriptedServer.run(Reply(200, body)) as server,
        aiohttp.ClientSession() as session,
        asyncio.timeout(20),
    ):
        with pytest.raises(UnexpectedAnswerError):
            await Catalog(session, server.url).artworks(series_id="s")
