"""Test the rules of both simulated feeds that the recorded exchanges do not cover."""

import asyncio
from collections.abc import AsyncIterator
import json
from pathlib import Path
import time
from typing import Any
import uuid

import aiohttp
import pytest

from .feed import FeedSimulator, SigningKey, digest, verify

type Answer = tuple[int, Any]

_VECTORS = Path(__file__).parent.parent / "fixtures" / "vectors"
_ALICE = SigningKey.from_seed(bytes(range(32)))
_CURATORS = [{"name": "Alice", "key": _ALICE.kid}]
_WORK = {"source": "https://art.example/1.html", "duration": 60, "license": "open"}
_DRAFT: dict[str, Any] = {
    "dpVersion": "1.1.0",
    "title": "Evening Loop",
    "items": [_WORK],
}


def _vectors(name: str) -> dict[str, Any]:
    value: dict[str, Any] = json.loads((_VECTORS / name).read_text("utf-8"))
    return value


def _signed(
    document: dict[str, Any], *keys: SigningKey, role: str = "curator"
) -> dict[str, Any]:
    entries = [
        key.entry(document, role, "2026-01-02T03:04:05Z") for key in keys or (_ALICE,)
    ]
    return document | {"signatures": entries}


def _whole(**changes: Any) -> dict[str, Any]:
    """Return a playlist with all fields that the strict feed requires, and changes; None removes a field."""
    document = {
        "dpVersion": "1.1.0",
        "id": str(uuid.uuid4()),
        "slug": f"loop-{uuid.uuid4().hex}",
        "title": "Evening Loop",
        "created": "2026-01-01T00:00:00Z",
        "curators": _CURATORS,
        "items": [{"id": str(uuid.uuid4()), **_WORK}],
    } | changes
    return {key: value for key, value in document.items() if value is not None}


class _Client:
    """Client of one feed."""

    def __init__(self, feed: FeedSimulator, session: aiohttp.ClientSession) -> None:
        self.feed = feed
        self._session = session

    async def ask(
        self,
        method: str,
        path: str,
        body: Any = None,
        *,
        key: bool = True,
        raw: bytes | None = None,
        **headers: str,
    ) -> Answer:
        """Send a request below the base URL and return status and body."""
        if key:
            headers.setdefault("Authorization", f"Bearer {self.feed.api_key}")
        headers = {name.replace("_", "-"): value for name, value in headers.items()}
        if body is not None:
            raw = json.dumps(body).encode()
        if raw is not None:
            headers.setdefault("Content-Type", "application/json")
        url = aiohttp.client.URL(self.feed.url + path, encoded=True)
        async with self._session.request(
            method, url, data=raw, headers=headers, allow_redirects=False
        ) as response:
            text = await response.text()
            return response.status, json.loads(text) if text.startswith(
                ("{", "[")
            ) else text

    async def create(self, **changes: Any) -> dict[str, Any]:
        """Create a playlist with the API key."""
        status, value = await self.ask("POST", "/playlists", _DRAFT | changes)
        assert status == 201, value
        created: dict[str, Any] = value
        return created


@pytest.fixture
async def session(socket_enabled: None) -> AsyncIterator[aiohttp.ClientSession]:
    async with aiohttp.ClientSession() as client:
        yield client


@pytest.fixture
async def go(session: aiohttp.ClientSession) -> AsyncIterator[_Client]:
    async with FeedSimulator("v2") as feed:
        yield _Client(feed, session)


@pytest.fixture
async def ts(session: aiohttp.ClientSession) -> AsyncIterator[_Client]:
    """Return a client of a TypeScript feed."""
    async with FeedSimulator("ts", queue_delay=None) as feed:
        yield _Client(feed, session)


def test_digest_and_signatures_are_those_of_the_real_libraries() -> None:
    """Keys, digests and signatures are those of other implementations."""
    vectors = _vectors("ed25519.json")
    keys = {
        key["did_key"]: SigningKey.from_seed(bytes.fromhex(key["seed_hex"]))
        for key in vectors["keys"].values()
    }
    assert all(kid == key.kid for kid, key in keys.items())
    for vector in vectors["documents"]:
        document = json.loads(vector["input_text"])
        assert digest(document).hex() == vector["digest_hex"]
        for entry in vector["expected_signatures"]:
            assert verify(document, entry)
            assert (
                keys[entry["kid"]].entry(document, entry["role"], entry["ts"]) == entry
            )
        key = SigningKey.from_seed(
            bytes.fromhex(vectors["keys"][vector["legacy_key"]]["seed_hex"])
        )
        assert key.legacy(document) == vector["expected_legacy_signature_0x"]
    for case in _vectors("negative.json")["still_valid"]:
        assert all(
            verify(case["document"], entry) for entry in case["document"]["signatures"]
        )


async def test_conflicts_are_internal_errors(go: _Client) -> None:
    """Used ids and slugs, repeated item ids and NUL characters cause internal errors."""
    taken = _whole()
    assert (await go.ask("POST", "/playlists", _signed(taken), key=False))[0] == 201
    twice = {"items": [{"id": taken["id"], **_WORK}] * 2}
    for changes, hint in (
        ({"id": taken["id"]}, "playlists_pkey"),
        ({"slug": taken["slug"]}, "playlists_slug_key"),
        (twice, "playlist_item_index_pkey"),
        ({"title": "a\0b"}, "22P05"),
    ):
        status, value = await go.ask(
            "POST", "/playlists", _signed(_whole(**changes)), key=False
        )
        assert (status, value["error"]) == (500, "internal_error")
        assert hint in value["message"]


async def _newest_first(client: _Client, count: int, limit: int) -> list[int]:
    """Read all pages of the playlists made last first, and return the sizes of the pages."""
    for n in range(count):
        await client.create(title=f"Loop {n}")
        await asyncio.sleep(0.002)
    ids: list[str] = []
    sizes: list[int] = []
    cursor: str | None = ""
    while cursor is not None:
        quoted = cursor.replace("=", "%3D")
        path = f"/playlists?limit={limit}&sort=desc&cursor={quoted}"
        _, page = await client.ask("GET", path)
        ids += [document["id"] for document in page["items"]]
        sizes.append(len(page["items"]))
        assert page["hasMore"] == ("cursor" in page)
        cursor = page.get("cursor")
    assert ids == list(client.feed.documents)[::-1]
    return sizes


async def test_pages_of_go(go: _Client) -> None:
    """The last page has an exact end, and an invalid cursor is an internal error."""
    assert await _newest_first(go, 4, 2) == [2, 2]
    assert (await go.ask("GET", "/playlists?cursor=e30"))[0] == 500


async def test_identity_is_the_servers_in_ts(ts: _Client) -> None:
    """Id, slug and time are the server's, and the signature is in the old form with 0x."""
    moment = time.time_ns()
    ts.feed.settings.now = lambda: moment
    given = _signed(_whole(note={"text": "n"}))
    _, value = await ts.ask("POST", "/playlists", given)
    assert (
        value["id"] != given["id"]
        and value["slug"] != given["slug"]
        and value["created"] != given["created"]
    )
    assert value.keys() == {
        "dpVersion",
        "id",
        "slug",
        "title",
        "curators",
        "created",
        "items",
        "signature",
    }
    raw = bytes.fromhex(value["signature"].removeprefix("ed25519:0x"))
    ts.feed.settings.key.private.public_key().verify(raw, digest(value))
    assert value["items"][0]["created"] == value["created"]
    assert (await ts.ask("GET", f"/playlists/{value['id'].upper()}"))[0] == 404


async def test_queue_of_ts(ts: _Client) -> None:
    """A queued write can be read after the queue was processed."""
    first = await ts.create()
    ts.feed.settings.always_async = True
    status, queued = await ts.ask("POST", "/playlists", _DRAFT)
    assert status == 202
    assert (await ts.ask("GET", f"/playlists/{queued['id']}"))[0] == 404
    await ts.feed.process_queue()
    assert (await ts.ask("GET", f"/playlists/{queued['id']}"))[1] == queued
    path = f"/playlists/{first['slug']}"
    assert (await ts.ask("DELETE", path))[0] == 202
    assert (await ts.ask("GET", path))[1] == first
    await ts.feed.process_queue()
    assert (await ts.ask("GET", path))[0] == 404


async def test_pages_of_ts(ts: _Client) -> None:
    """A full last page is followed by an empty one, and an invalid cursor gives the first page."""
    assert await _newest_first(ts, 4, 2) == [2, 2, 0]
    for cursor in ("!!!", "bm9uZQ=="):
        _, page = await ts.ask("GET", f"/playlists?limit=2&cursor={cursor}")
        ids = [document["id"] for document in page["items"]]
        assert ids == list(ts.feed.documents)[:2]
