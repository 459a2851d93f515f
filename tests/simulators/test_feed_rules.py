"""Test the rules of both older simulated feeds that the recorded exchanges do not cover."""

from collections.abc import AsyncIterator
import json
from pathlib import Path
from typing import Any
import uuid

import pytest

from .feed import FeedSimulator, SigningKey, digest, verify
from .raw_feed import ask

pytestmark = pytest.mark.usefixtures("socket_enabled")

_VECTORS = Path(__file__).parent.parent / "fixtures" / "vectors"
_ALICE = SigningKey.from_seed(bytes(range(32)))
_WORK = {"source": "https://art.example/1.html", "duration": 60, "license": "open"}
_DRAFT = {"dpVersion": "1.1.0", "title": "Evening Loop", "items": [_WORK]}


def _vectors(name: str) -> dict[str, Any]:
    value: dict[str, Any] = json.loads((_VECTORS / name).read_text("utf-8"))
    return value


def _signed(**changes: Any) -> dict[str, Any]:
    """Return a signed playlist with all fields that the strict feed requires."""
    document = _DRAFT | {
        "id": str(uuid.uuid4()),
        "slug": f"loop-{uuid.uuid4().hex}",
        "created": "2026-01-01T00:00:00Z",
        "curators": [{"name": "Alice", "key": _ALICE.kid}],
        "items": [{"id": str(uuid.uuid4()), **_WORK}],
    }
    document |= changes
    entry = _ALICE.entry(document, "curator", "2026-01-02T03:04:05Z")
    return document | {"signatures": [entry]}


@pytest.fixture
async def ts(socket_enabled: None) -> AsyncIterator[FeedSimulator]:
    async with FeedSimulator("ts", queue_delay=None) as feed:
        yield feed


def test_digest_and_signatures_are_those_of_the_real_libraries() -> None:
    """Keys, digests and signatures are those of other implementations."""
    vectors = _vectors("ed25519.json")
    keys = {
        name: SigningKey.from_seed(bytes.fromhex(key["seed_hex"]))
        for name, key in vectors["keys"].items()
    }
    by_kid = {key.kid: key for key in keys.values()}
    assert by_kid.keys() == {key["did_key"] for key in vectors["keys"].values()}
    for vector in vectors["documents"]:
        document = json.loads(vector["input_text"])
        assert digest(document).hex() == vector["digest_hex"]
        for entry in vector["expected_signatures"]:
            assert verify(document, entry)
            key = by_kid[entry["kid"]]
            assert key.entry(document, entry["role"], entry["ts"]) == entry
        legacy = keys[vector["legacy_key"]].legacy(document)
        assert legacy == vector["expected_legacy_signature_0x"]
    for case in _vectors("negative.json")["still_valid"]:
        document = case["document"]
        assert all(verify(document, entry) for entry in document["signatures"])


async def test_conflicts_are_internal_errors() -> None:
    """Used ids and slugs, and repeated item ids, cause internal errors."""
    taken = _signed()
    async with FeedSimulator("v2") as feed:
        assert (await ask(feed, "POST", "/playlists", taken))[0] == 201
        for changes, hint in (
            ({"id": taken["id"]}, "playlists_pkey"),
            ({"slug": taken["slug"]}, "playlists_slug_key"),
            ({"items": taken["items"] * 2}, "playlist_item_index_pkey"),
        ):
            body = _signed(**changes)
            status, value = await ask(feed, "POST", "/playlists", body)
            assert (status, value["error"]) == (500, "internal_error")
            assert hint in value["message"]


@pytest.mark.parametrize(
    ("family", "sizes", "status"), [("v2", [2, 2], 500), ("ts", [2, 2, 0], 200)]
)
async def test_pages(family: Any, sizes: list[int], status: int) -> None:
    """The list ends with its last page, or with an empty one; a bad cursor is an error, or the first page."""
    async with FeedSimulator(family) as feed:
        stored = feed.seed({"title": f"Loop {n}"} for n in range(4))
        ids: list[str] = []
        read: list[int] = []
        cursor: str | None = ""
        while cursor is not None:
            path = f"/playlists?limit=2&sort=desc&cursor={cursor}"
            _, page = await ask(feed, "GET", path)
            ids += [document["id"] for document in page["items"]]
            read.append(len(page["items"]))
            assert page["hasMore"] == ("cursor" in page)
            cursor = page.get("cursor")
        assert read == sizes
        assert ids == [document["id"] for document in stored[::-1]]
        assert (await ask(feed, "GET", "/playlists?cursor=e30"))[0] == status


async def test_identity_is_the_servers_in_ts(ts: FeedSimulator) -> None:
    """Id, slug and time are the server's, and the signature is in the old form with 0x."""
    document = _signed(note={"text": "n"})
    _, value = await ask(ts, "POST", "/playlists", document, key=True)
    assert not {value[name] for name in ("id", "slug", "created")} & {
        document[name] for name in ("id", "slug", "created")
    }
    assert value.keys() == document.keys() - {"note", "signatures"} | {"signature"}
    raw = bytes.fromhex(value["signature"].removeprefix("ed25519:0x"))
    ts.settings.key.private.public_key().verify(raw, digest(value))
    assert (await ask(ts, "GET", f"/playlists/{value['id'].upper()}"))[0] == 404


async def test_queue_of_ts(ts: FeedSimulator) -> None:
    """A queued write can be read after the queue was processed."""
    _, first = await ask(ts, "POST", "/playlists", _DRAFT, key=True)
    ts.settings.always_async = True
    status, queued = await ask(ts, "POST", "/playlists", _DRAFT, key=True)
    assert status == 202
    path = f"/playlists/{queued['id']}"
    assert (await ask(ts, "GET", path))[0] == 404
    await ts.process_queue()
    assert (await ask(ts, "GET", path))[1] == queued
    path = f"/playlists/{first['slug']}"
    assert (await ask(ts, "DELETE", path, key=True))[0] == 202
    assert (await ask(ts, "GET", path))[1] == first
    await ts.process_queue()
    assert (await ask(ts, "GET", path))[0] == 404
