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
    """Return a file of vectors."""
    value: dict[str, Any] = json.loads((_VECTORS / name).read_text("utf-8"))
    return value


def _signed(
    document: dict[str, Any], *keys: SigningKey, role: str = "curator"
) -> dict[str, Any]:
    """Return a document with signatures of its content."""
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
        """Initialize the client."""
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
    """Return a client session."""
    async with aiohttp.ClientSession() as client:
        yield client


@pytest.fixture
async def go(session: aiohttp.ClientSession) -> AsyncIterator[_Client]:
    """Return a client of a Go feed."""
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


async def test_pages_of_go(go: _Client) -> None:
    """Pages have no gaps in either direction, an exact end, and at most 100 records."""
    for n in range(105):
        await go.create(title=f"Loop {n}", items=[{"id": str(uuid.uuid4()), **_WORK}])
    everything = list(go.feed.documents)
    for sort, wanted in (("ASC", everything), ("desc", everything[::-1])):
        seen: list[str] = []
        cursor: str | None = ""
        while cursor is not None:
            _, page = await go.ask(
                "GET", f"/playlists?limit=35&sort={sort}&cursor={cursor}&offset=7"
            )
            seen += [document["id"] for document in page["items"]]
            assert page["hasMore"] == ("cursor" in page)
            cursor = page.get("cursor")
        assert seen == wanted
    for limit in ("0", "-3", "101", "100", "", "+100"):
        assert (
            len((await go.ask("GET", f"/playlists?limit={limit}"))[1]["items"]) == 100
        )
    _, page = await go.ask("GET", "/playlist-items?limit=100")
    _, rest = await go.ask("GET", f"/playlist-items?cursor={page['cursor']}")
    assert (len(page["items"]), len(rest["items"]), rest["hasMore"]) == (100, 5, False)
    for query, status in (
        ("limit=2.5", 400),
        ("limit=1e2", 400),
        (f"limit={'9' * 30}", 400),
        ("cursor=e30", 500),
    ):
        assert (await go.ask("GET", f"/playlists?{query}"))[0] == status


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
    """A queued playlist can be read after the queue was processed."""
    _, first = await ts.ask("POST", "/playlists", _DRAFT)
    status, queued = await ts.ask(
        "POST", "/playlists", _DRAFT, Prefer="wait=5, Respond-Async; x=1"
    )
    assert status == 202
    assert (await ts.ask("GET", f"/playlists/{queued['id']}"))[0] == 404
    path = f"/playlists/{first['slug']}"
    assert (await ts.ask("PATCH", path, {"title": "Later"}, Prefer="respond-async"))[
        0
    ] == 202
    assert (await ts.ask("GET", path))[1] == first
    await ts.feed.process_queue()
    assert (await ts.ask("GET", f"/playlists/{queued['id']}"))[1] == queued
    assert (await ts.ask("GET", path))[1]["title"] == "Later"
    status, value = await ts.ask("DELETE", path, Prefer="respond-async")
    assert (status, list(value)) == (202, ["message"])
    status, value = await ts.ask(
        "POST",
        "/playlists",
        _DRAFT | {"items": [_WORK | {"override": {"x": "y" * 1_100_000}}]},
    )
    assert status == 201
    body = _DRAFT | {"items": [_WORK | {"override": {"x": "y" * 1_100_000}}]}
    assert (await ts.ask("POST", "/playlists", body, Prefer="respond-async"))[1][
        "error"
    ] == "queue_error"
    await ts.feed.process_queue()
    assert (await ts.ask("GET", path))[0] == 404


async def test_pages_of_ts(ts: _Client) -> None:
    """A full last page is followed by an empty one, and an invalid cursor gives the first page."""
    for n in range(4):
        await ts.create(title=f"Loop {n}")
        await asyncio.sleep(0.002)
    order = list(ts.feed.documents)
    _, first = await ts.ask("GET", "/playlists?limit=2&sort=DESC")
    assert [document["id"] for document in first["items"]] == order[:1:-1]
    _, second = await ts.ask(
        "GET",
        f"/playlists?limit=2&sort=desc&cursor={first['cursor'].replace('=', '%3D')}",
    )
    assert [document["id"] for document in second["items"]] == order[1::-1]
    _, last = await ts.ask(
        "GET",
        f"/playlists?limit=2&sort=desc&cursor={second['cursor'].replace('=', '%3D')}",
    )
    assert last == {"items": [], "hasMore": False}
    for query in (
        "limit=2&cursor=!!!",
        "limit=2&cursor=bm9uZQ==",
        "limit=2.9&sort=-created&offset=1",
    ):
        _, page = await ts.ask("GET", f"/playlists?{query}")
        assert [document["id"] for document in page["items"]] == order[:2]
    assert len((await ts.ask("GET", "/playlists?limit=many"))[1]["items"]) == 4
    assert (await ts.ask("GET", "/playlists?limit=101"))[1]["error"] == "invalid_limit"
