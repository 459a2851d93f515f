"""Helpers for tests of the feed client: documents, responses, and a scripted feed."""

from collections.abc import AsyncIterator, Callable, Iterator
from contextlib import asynccontextmanager, contextmanager
from datetime import UTC, datetime
import json
from typing import Any

import aiohttp
import pytest

from custom_components.dp1.client.feed.client import Feed
from custom_components.dp1.client.playlist.document import build, build_item
from custom_components.dp1.client.playlist.signing import SigningKey

from tests.client.scripted_server import (
    Answering,
    Reply,
    Request,
    ScriptedServer,
    replied,
)
from tests.client.tables import tables
from tests.client.timing import impatient as be_impatient
from tests.simulators.feed import FeedSimulator

KEY = SigningKey.parse(
    "9d61b19deffd5a60ba844af492ec2cc44449c5697b326919703bac031cae7f60"
)
API_KEY = "a-secret-api-key"
NOW = datetime(2026, 1, 2, 3, 4, 5, tzinfo=UTC)
ID = "385f79b6-a45f-4c1c-8080-e93a192adccc"
OTHER_ID = "485f79b6-a45f-4c1c-8080-e93a192adccc"
REPLIES = {name: replied(**row) for name, row in tables("feeds").items()}
V2, TS, MISSING = REPLIES["v2"], REPLIES["ts"], REPLIES["missing"]


@contextmanager
def impatient(seconds: float = 5.0) -> Iterator[None]:
    """Shorten timeouts."""
    with pytest.MonkeyPatch.context() as patch:
        be_impatient(patch, seconds)
        yield


def playlist(**more: Any) -> dict[str, Any]:
    items = [
        build_item(f"https://art.example/{n}.html", title=f"Work {n}") for n in (1, 2)
    ]
    defaults = {"duration": 60, "license": "open"}
    return {**build("Evening", items, defaults=defaults), **more}


@asynccontextmanager
async def scripted(
    *script: Answering, **options: Any
) -> AsyncIterator[tuple[Feed, ScriptedServer]]:
    """Serve a script and open a feed on it."""
    with impatient(1.5):
        async with (
            ScriptedServer.run(*script) as server,
            aiohttp.ClientSession() as session,
        ):
            yield Feed(session, server.url, **options), server


@asynccontextmanager
async def served(
    family: Any = "signed", version: str = "1.2.0", **options: Any
) -> AsyncIterator[tuple[Feed, FeedSimulator]]:
    """Simulate a feed and open it."""
    with impatient():
        async with (
            FeedSimulator(family, random_seed=1, version=version) as simulator,
            aiohttp.ClientSession() as session,
        ):
            yield Feed(session, simulator.url, **options), simulator


def echo(status: int = 201, **more: Any) -> Callable[[Request], Reply]:
    """Answer with the document that was sent."""
    return lambda request: Reply(status, {"id": ID, **request.json, **more})


def sent(server: ScriptedServer) -> Any:
    """Return the document that was sent last."""
    writes = [r for r in server.requests if r.method in ("POST", "PUT") and r.body]
    return json.loads(writes[-1].body)
