"""Names of addresses, looked up at two services."""

from typing import Any
from unittest.mock import patch

import aiohttp
from aiohttp import web
from aiohttp.test_utils import TestServer
import pytest

from custom_components.dp1.client.errors import Dp1Error
from custom_components.dp1.client.indexer.links import (
    SERVICES,
    checked_address,
    look_up_name,
    name_of,
)

from tests.client.tables import tables

TABLES = tables("indexer_names")

E1 = "0xBD0E21fdc68Ac573d109D5CB7EA5cEAf6c246045"
T1 = "tz1XCrrfhQNC3M35fs1fi1BgDMSF77Psad5L"
ZERO = f"0x{'0' * 40}"


@pytest.mark.parametrize(("given", "kept"), TABLES["addresses"])
def test_addresses(given: str, kept: str | None) -> None:
    """An address is kept in one form; one with a typing error is refused."""
    if kept is None:
        with pytest.raises(ValueError, match=r"address|checksum"):
            checked_address(given)
    else:
        assert checked_address(given) == kept


@pytest.mark.parametrize(("text", "name"), TABLES["names"])
def test_names(text: str, name: str | None) -> None:
    assert name_of(text) == name


@pytest.mark.parametrize("name", TABLES["no_names"])
def test_no_names(name: str) -> None:
    """Names are of plain letters, since others have look-alikes, and have an end."""
    with pytest.raises(ValueError, match="plain letters"):
        name_of(name)


async def look_up(name: str, status: int, answer: Any) -> tuple[str, list[Any]]:
    """Look a name up at a service with an answer; return the address, and what was asked."""
    asked: list[Any] = []

    async def serve(request: web.Request) -> web.Response:
        body = await request.json() if request.can_read_body else None
        asked.append((request.path, body, request.headers.get("User-Agent")))
        return web.json_response(answer, status=status)

    app = web.Application()
    app.router.add_route("*", "/{path:.*}", serve)
    async with TestServer(app) as server, aiohttp.ClientSession() as session:
        base = str(server.make_url("")).rstrip("/")
        with patch.dict(SERVICES, eth=f"{base}/eth", tez=f"{base}/tez"):
            return await look_up_name(session, name, "agent"), asked


async def test_found(socket_enabled: None) -> None:
    """Each service is asked once, in its own way."""
    eth = {"resolved_address": {"hash": E1.lower()}, "owner": {"hash": ZERO}}
    assert await look_up("alice.eth", 200, eth) == (
        E1,
        [("/eth/alice.eth", None, "agent")],
    )
    address, asked = await look_up(
        "bob.tez", 200, {"data": {"domain": {"address": T1}}}
    )
    assert address == T1
    assert asked[0][1]["variables"] == {"n": "bob.tez"}


@pytest.mark.parametrize(("name", "status", "answer", "error"), TABLES["missing"])
async def test_not_found(
    socket_enabled: None, name: str, status: int, answer: Any, error: str
) -> None:
    """A name without a right address is not found, also if it has an owner."""
    with pytest.raises(Dp1Error) as caught:
        await look_up(name, status, answer)
    assert type(caught.value).__name__ == error
