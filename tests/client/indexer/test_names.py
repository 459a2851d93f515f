"""Names of addresses, looked up at two services."""

from typing import Any
from unittest.mock import patch

import aiohttp
from aiohttp import web
from aiohttp.test_utils import TestServer
import pytest

from custom_components.dp1.client.errors import (
    BusyError,
    Dp1Error,
    NotFoundError,
    TemporaryError,
)
from custom_components.dp1.client.indexer.links import (
    SERVICES,
    checked_address,
    look_up_name,
    name_of,
)

E1 = "0xBD0E21fdc68Ac573d109D5CB7EA5cEAf6c246045"
T1 = "tz1XCrrfhQNC3M35fs1fi1BgDMSF77Psad5L"
ZERO = f"0x{'0' * 40}"


@pytest.mark.parametrize(
    ("given", "kept"),
    [
        (E1, E1),
        (E1.lower(), E1),
        (f"0X{E1[2:].upper()}", E1),
        (f" {T1} ", T1),
        (E1.replace("B", "b", 1), None),
        (T1.lower(), None),
        (T1.replace("C", "D", 1), None),
        (E1[:-1], None),
        ("alice", None),
    ],
)
def test_addresses(given: str, kept: str | None) -> None:
    """An address is kept in one form; one with a typing error is refused."""
    if kept is None:
        with pytest.raises(ValueError, match=r"address|checksum"):
            checked_address(given)
    else:
        assert checked_address(given) == kept


def test_names() -> None:
    """Names are of plain letters, since others have look-alikes, and have an end."""
    assert name_of("Alice.ETH") == "alice.eth"
    assert name_of("art.bob-2.tez") == "art.bob-2.tez"
    assert name_of(E1) is None
    for name in (
        "аlice.eth",
        "🌊.eth",
        ".eth",
        "a b.tez",
        "a/../b.eth",
        "a." * 130 + "eth",
    ):
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


@pytest.mark.parametrize(
    ("name", "status", "answer", "error"),
    [
        ("alice.eth", 404, {"message": "no"}, NotFoundError),
        ("alice.eth", 200, {"resolved_address": {"hash": ZERO}}, NotFoundError),
        ("alice.eth", 200, {"resolved_address": None}, NotFoundError),
        ("alice.eth", 200, {"resolved_address": {"hash": T1}}, NotFoundError),
        ("alice.eth", 503, {}, TemporaryError),
        ("bob.tez", 200, {"data": {"domain": None}}, NotFoundError),
        (
            "bob.tez",
            200,
            {"data": {"domain": {"address": None, "owner": T1}}},
            NotFoundError,
        ),
        ("bob.tez", 200, {"data": {"domain": {"address": E1}}}, NotFoundError),
        ("bob.tez", 429, {}, BusyError),
        ("bob.tez", 200, [], NotFoundError),
    ],
)
async def test_not_found(
    socket_enabled: None, name: str, status: int, answer: Any, error: type[Dp1Error]
) -> None:
    """A name without a right address is not found, also if it has an owner."""
    with pytest.raises(error):
        await look_up(name, status, answer)
