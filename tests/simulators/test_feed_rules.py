"""Test the rules of both older simulated feeds that the recorded exchanges do not cover."""

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
    ("family", "sizes", "bad", "capitals"),
    [("v2", [2, 2], 500, 200), ("ts", [2, 2, 0], 200, 404)],
)
async def test_pages(family: Any, sizes: list[int], bad: int, capitals: int) -> None:
    """The list ends with its last page, or with an empty one; a bad cursor is an error, or the first page, and an id in capitals the same, or none."""
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
        assert (await ask(feed, "GET", "/playlists?cursor=e30"))[0] == bad
        assert (await ask(feed, "GET", f"/playlists/{ids[0].upper()}"))[0] == capitals
