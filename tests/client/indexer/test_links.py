"""What links and ids name, and what the markets may answer to a look-up."""

from typing import Any

import aiohttp
import pytest

from custom_components.dp1.client.errors import Dp1Error
from custom_components.dp1.client.indexer import links
from custom_components.dp1.client.indexer.links import (
    SERVICES,
    LinkError,
    LookupLink,
    look_up,
    parse_link,
)

from tests.client.scripted_server import Reply, ScriptedServer
from tests.client.tables import tables

TABLES = tables("indexer_links")


@pytest.mark.parametrize(("text", "kind", "parts"), TABLES["links"])
def test_links(text: str, kind: str, parts: list[str]) -> None:
    """Every form names its work, series or contract."""
    assert parse_link(text) == getattr(links, kind)(*parts)


@pytest.mark.parametrize("text", TABLES["others"])
def test_other_texts(text: str) -> None:
    assert parse_link(text) is None


@pytest.mark.parametrize(("text", "refusal"), TABLES["refused"])
def test_refused_links(text: str, refusal: str) -> None:
    with pytest.raises(LinkError) as caught:
        parse_link(text)
    assert str(caught.value) == refusal


@pytest.mark.parametrize(("status", "answer", "error"), TABLES["answers"])
async def test_answers_without_a_token(
    socket_enabled: None,
    status: int,
    answer: Any,
    error: str,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """An answer of a market that names no valid token is an error."""
    reply = Reply(status, answer)
    async with ScriptedServer.run(reply) as server, aiohttp.ClientSession() as session:
        monkeypatch.setitem(SERVICES, "feralfile", server.url.rstrip("/"))
        with pytest.raises(Dp1Error) as caught:
            await look_up(session, LookupLink("feralfile", "abc"), "test")
    assert type(caught.value).__name__ == error
