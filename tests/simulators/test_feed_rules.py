"""Test the rules of both simulated feeds that the recorded exchanges do not cover."""

import asyncio
from collections.abc import AsyncIterator
import json
from pathlib import Path
import sys
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


def _item(**changes: Any) -> list[dict[str, Any]]:
    """Return one item with changes."""
    return [{"id": str(uuid.uuid4()), **_WORK, **changes}]


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


@pytest.mark.parametrize("family", ["v2", "ts"])
async def test_verdicts_on_documents(
    family: str, session: aiohttp.ClientSession
) -> None:
    """Each document of the vectors has the recorded status and message of the real server."""
    async with FeedSimulator("v2" if family == "v2" else "ts") as feed:
        client = _Client(feed, session)
        for case in _vectors("validation.json")["cases"]:
            status, value = await client.ask("POST", "/playlists", case["document"])
            wanted = case[f"{family}_feed_api_key"]
            told = {"status": status}
            if status != 201:
                told |= {
                    "error": value["error"],
                    "message": value["message"].partition("\n")[0],
                }
                wanted = wanted | {"message": wanted["message"].partition("\n")[0]}
            assert told == wanted, case["name"]


@pytest.mark.parametrize(
    ("changes", "error"),
    [
        ({}, None),
        ({"created": "2026-01-01T00:00:00.123Z"}, None),
        ({"created": "2026-01-01T00:00:00.000Z"}, "signature_verification_failed"),
        ({"created": "2026-01-01T01:00:00+01:00"}, "signature_verification_failed"),
        ({"created": "2999-01-01T00:00:00Z"}, "invalid_timestamp"),
        ({"created": "2026-01-01"}, "invalid_timestamp"),
        ({"created": None}, "invalid_timestamp"),
        ({"id": None}, "invalid_id"),
        ({"id": "loop-1"}, "invalid_id"),
        ({"slug": None}, "signature_verification_failed"),
        ({"slug": "Evening_Loop"}, "signature_verification_failed"),
        ({"items": [_WORK]}, "signature_verification_failed"),
        (
            {"items": _item(created="2026-01-01T00:00:00Z")},
            "signature_verification_failed",
        ),
        ({"items": _item(duration=None)}, "signature_verification_failed"),
        (
            {"items": _item(display={"interaction": {"mouse": {"scroll": False}}})},
            "signature_verification_failed",
        ),
        ({"items": _item(display={"interaction": {"mouse": {"scroll": True}}})}, None),
        (
            {"items": _item(display={"userOverrides": {}})},
            "signature_verification_failed",
        ),
        (
            {
                "items": _item(
                    display={
                        "userOverrides": {"scaling": False},
                        "autoplay": False,
                        "loop": False,
                    }
                )
            },
            None,
        ),
        (
            {
                "items": _item(
                    display={"margin": 0},
                    override={"a": [1.0, None, {"b": False}]},
                    refHash="x",
                )
            },
            None,
        ),
        ({"items": _item(title="Café <b>&</b> 😀")}, None),
        ({"defaults": {}}, None),
        ({"title": "  M  "}, None),
        ({"dpVersion": " 1.1.0 "}, "signature_verification_failed"),
        ({"coverImage": ""}, "signature_verification_failed"),
        (
            {"curators": [*_CURATORS, {"name": "B", "key": "did:key:zB", "url": ""}]},
            "signature_verification_failed",
        ),
        ({"curators": None}, "signature_verification_failed"),
        ({"season": "winter"}, "signature_verification_failed"),
    ],
)
async def test_what_survives_being_rebuilt(
    go: _Client, changes: dict[str, Any], error: str | None
) -> None:
    """A valid signature is accepted only if the typed fields of the server keep the whole document."""
    document = _signed(_whole(**changes))
    status, value = await go.ask("POST", "/playlists", document, key=False)
    assert (status, value.get("error")) == ((400, error) if error else (201, None))
    if error is None:
        assert value["signatures"][0] == document["signatures"][0]
        assert [entry["role"] for entry in value["signatures"]] == ["curator", "feed"]
        assert {entry["payload_hash"] for entry in value["signatures"]} == {
            document["signatures"][0]["payload_hash"]
        }
        assert verify(value, value["signatures"][1])


async def test_who_may_sign(go: _Client) -> None:
    """Every signature must be valid, one must be a curator's, and that of the feed is replaced."""
    bob = SigningKey.from_seed(b"b" * 32)
    status, value = await go.ask(
        "POST", "/playlists", _signed(_whole(), bob), key=False
    )
    assert (status, value["error"]) == (400, "signature_verification_failed")
    status, value = await go.ask(
        "POST", "/playlists", _signed(_whole(), _ALICE, bob, role="agent"), key=False
    )
    assert (status, len(value["signatures"])) == (201, 3)
    status, again = await go.ask("PUT", f"/playlists/{value['id']}", value, key=False)
    assert (status, len(again["signatures"])) == (200, 3)
    status, value = await go.ask("POST", "/playlists", _signed(_whole()))
    assert status == 201, "a key beside signatures does not hurt"
    for name, wrong in (("alg", "ED25519"), ("ts", "yesterday"), ("role", "publisher")):
        document = _signed(_whole())
        document["signatures"][0][name] = wrong
        status, value = await go.ask("POST", "/playlists", document, key=False)
        assert (status, value["error"]) == (400, "validation_error"), name


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


@pytest.mark.parametrize(
    ("body", "with_key", "without"),
    [
        (b"", "bad_request", "unauthorized"),
        (b'{"title":', "bad_request", "unauthorized"),
        (b"null", "bad_request", "unauthorized"),
        (b"\xef\xbb\xbf{}", "bad_request", "unauthorized"),
        (b'{"signatures":[{}]} x', "bad_request", "unauthorized"),
        (
            b'{"dpVersion":"1.1.0","title":NaN,"items":[]}',
            "bad_request",
            "unauthorized",
        ),
        (
            b'{"dpVersion":"1.1.0","title":"t","items":[],"signatures":[]}',
            "validation_error",
            "unauthorized",
        ),
    ],
)
async def test_bodies_that_are_none(
    go: _Client, body: bytes, with_key: str, without: str
) -> None:
    """An invalid body is a bad request with the API key, and unauthorized without."""
    assert (await go.ask("POST", "/playlists", raw=body))[1]["error"] == with_key
    assert (await go.ask("POST", "/playlists", raw=body, key=False))[1][
        "error"
    ] == without


async def test_reading_is_lenient(go: _Client) -> None:
    """Names in any case, repeated names, trailing text, lone surrogates and any content type are accepted."""
    body = b'{"DPVERSION":"1.1.0","title":"one","Title":"tw\\ud83d","items":[{"SOURCE":"https://a.example/"}]} etc'
    status, value = await go.ask(
        "POST", "/playlists", raw=body, Content_Type="text/plain"
    )
    assert (status, value["title"], value["items"][0]["source"]) == (
        201,
        "tw\ufffd",
        "https://a.example/",
    )
    assert value["slug"] == f"tw-{value['id'][:8]}"
    assert (await go.create(title="★"))["slug"].startswith("playlist-")


async def test_addresses(go: _Client) -> None:
    """Trailing slashes are removed, HEAD is unknown, ids are accepted in any form, and unknown names not found."""
    stored = await go.create()
    assert (await go.ask("HEAD", "/playlists"))[0] == 404
    assert (await go.ask("GET", "/playlists/?limit=1"))[0] == 301
    assert (await go.ask("DELETE", f"/playlists/{stored['id']}/"))[0] == 307
    assert await go.ask("PUT", "/playlists", _DRAFT) == (404, "404 page not found")
    compact = stored["id"].replace("-", "")
    for name in (
        stored["slug"],
        compact,
        f"urn:uuid:{stored['id']}",
        f"%7B{stored['id']}%7D",
    ):
        assert (await go.ask("GET", f"/playlists/{name}"))[1] == stored
    assert (await go.ask("GET", "/playlists/a_b"))[0] == 404
    assert (await go.ask("GET", f"/playlist-items/{stored['items'][0]['id']}"))[
        1
    ] == stored["items"][0]
    assert (await go.ask("GET", f"/playlist-items/{stored['id']}"))[0] == 404


async def test_tags(go: _Client) -> None:
    """Single documents have an ETag, and a matching list gives 304; a star does not match."""
    stored = await go.create()
    async with aiohttp.ClientSession() as session:
        async with session.get(f"{go.feed.url}/playlists/{stored['id']}") as response:
            tag = response.headers["ETag"]
        async with session.get(f"{go.feed.url}/playlists") as response:
            assert "ETag" not in response.headers
    path = f"/playlists/{stored['id']}"
    assert await go.ask("GET", path, If_None_Match=f'"x", W/{tag}') == (304, "")
    assert (await go.ask("GET", path, If_None_Match="*"))[0] == 200


async def test_pages_of_go(go: _Client) -> None:
    """Pages have no gaps in either direction, an exact end, and at most 100 records."""
    for n in range(105):
        await go.create(title=f"Loop {n}", items=_item())
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


async def test_replace_and_update_in_go(go: _Client) -> None:
    """Id and creation time are kept, the slug changes in the document only, and old signatures are removed."""
    stored = await go.create()
    old_slug = stored["slug"]
    path = f"/playlists/{old_slug}"
    _, value = await go.ask(
        "PUT",
        path,
        _DRAFT | {"title": "Morning", "id": str(uuid.uuid4()), "summary": "S"},
    )
    assert (value["id"], value["created"]) == (stored["id"], stored["created"])
    assert value["slug"] == f"morning-{stored['id'][:8]}"
    assert (await go.ask("GET", f"/playlists/{value['slug']}"))[0] == 404
    assert (await go.ask("GET", path))[1] == value
    _, patched = await go.ask(
        "PATCH", path, {"title": "Noon", "summary": None, "curators": _CURATORS}
    )
    assert (patched["title"], patched["summary"], patched["slug"]) == (
        "Noon",
        "S",
        value["slug"],
    )
    assert "signatures" in patched and verify(patched, patched["signatures"][0])
    bare = {key: entry for key, entry in patched.items() if key != "signatures"} | {
        "title": "Night"
    }
    entries = _signed(bare)["signatures"]
    status, signed = await go.ask(
        "PATCH", path, {"title": "Night", "signatures": entries}, key=False
    )
    assert (status, [entry["role"] for entry in signed["signatures"]]) == (
        200,
        ["curator", "feed"],
    )
    assert (await go.ask("PATCH", path, {"items": []}))[1][
        "error"
    ] == "validation_error"
    assert (await go.ask("PATCH", "/playlists/none", {}))[0] == 404
    assert (await go.ask("DELETE", path))[0] == 204
    assert go.feed.documents == {}


async def test_members_of_groups_and_channels_of_go(
    go: _Client, session: aiohttp.ClientSession
) -> None:
    """Members of groups and channels are looked up, or fetched and stored."""
    here = await go.create()
    base = f"{go.feed.url}/playlists"
    async with (
        FeedSimulator("v2", signing_seed=b"o" * 32) as other,
        FeedSimulator("ts") as old,
    ):
        far = other.seed([_DRAFT])[0]
        unfit = old.seed([_DRAFT])[0]
        urls = [f"{other.url}/playlists/{far['id']}", f"{base}/{here['slug']}"]
        status, group = await go.ask(
            "POST", "/playlist-groups", {"title": "Show", "playlists": urls}
        )
        assert (status, group["playlists"]) == (201, urls)
        assert go.feed.documents[far["id"]] == far
        url = f"{old.url}/playlists/{unfit['id']}"
        status, value = await go.ask(
            "POST", "/playlist-groups", {"title": "Show", "playlists": [url]}
        )
        assert (status, value["error"]) == (400, "validation_error")
    for members, wanted in (
        ([f"{base}/none"], 404),
        ([], 500),
        (["http://127.0.0.1:9/x"], 500),
        ([""], 500),
    ):
        assert (
            await go.ask("POST", "/channels", {"title": "C", "playlists": members})
        )[0] == wanted
    members = [
        document["id"]
        for document in (
            await go.ask("GET", "/playlists?playlist-group=" + group["slug"])
        )[1]["items"]
    ]
    assert members == [here["id"], far["id"]], "in the order they came here"
    assert (await go.ask("GET", "/playlists?channel=none"))[1] == {
        "items": [],
        "hasMore": False,
    }


async def test_owners_of_groups_and_channels_of_go(go: _Client) -> None:
    """A publisher or curator signs, and a listed playlist cannot be deleted."""
    here = await go.create()
    signed = {
        "id": str(uuid.uuid4()),
        "slug": "a-channel",
        "title": "C",
        "version": "1.0.0",
        "created": "2026-01-01T00:00:00Z",
        "playlists": [f"{go.feed.url}/playlists/{here['id']}"],
    }
    owner = {"publisher": {"name": "Home", "key": _ALICE.kid}}
    assert (await go.ask("POST", "/channels", _signed(signed), key=False))[0] == 500
    other_owner = {"publisher": {"name": "Home", "key": go.feed.kid}}
    status, value = await go.ask(
        "POST", "/channels", _signed(signed | other_owner), key=False
    )
    assert (status, value["error"]) == (400, "signature_verification_failed")
    assert (await go.ask("POST", "/channels", _signed(signed | owner), key=False))[
        0
    ] == 201
    group = {key: value for key, value in signed.items() if key != "version"} | {
        "curator": _ALICE.kid
    }
    assert (await go.ask("POST", "/playlist-groups", _signed(group), key=False))[
        0
    ] == 201
    assert (await go.ask("DELETE", f"/playlists/{here['id']}"))[0] == 500
    assert (await go.ask("DELETE", "/channels/a-channel", key=False))[0] == 401
    assert (await go.ask("DELETE", "/channels/a-channel"))[0] == 204
    assert (await go.ask("GET", "/channels"))[1] == {"items": [], "hasMore": False}


async def test_registry(go: _Client) -> None:
    """The registry is replaced as a whole by the owner, with URLs of channels."""
    url = f"https://elsewhere.example/api/v1/channels/{uuid.uuid4()}"
    status, value = await go.ask(
        "PUT", "/registry/channels", {"publishers": [{"name": "A", "living": [url]}]}
    )
    assert (status, value["items_count"], value["total_channels"]) == (200, 1, 1)
    assert (await go.ask("GET", "/registry/channels", key=False))[1] == {
        "publishers": [{"name": "A", "static": [], "living": [url]}]
    }
    for publishers in (
        [],
        None,
        [{"name": "", "static": [url]}],
        [{"name": "A", "static": ["https://a.example/"]}],
    ):
        status, value = await go.ask(
            "PUT", "/registry/channels", {"publishers": publishers}
        )
        assert (status, value["error"]) == (400, "bad_request")


async def test_without_extensions(session: aiohttp.ClientSession) -> None:
    """Without the extension there are no channels, and its fields are not checked."""
    async with FeedSimulator("v2", extensions=False) as feed:
        client = _Client(feed, session)
        for method, path in (
            ("POST", "/channels"),
            ("DELETE", "/channels/x"),
            ("GET", "/playlist-items?channel=x"),
        ):
            status, value = await client.ask(method, path, {})
            assert (status, value["error"]) == (404, "extensions_disabled")
        assert (await client.create(summary="s" * 2001))["summary"] == "s" * 2001


async def test_access_to_ts(ts: _Client) -> None:
    """The API key is accepted with or without Bearer, HEAD is like GET, and extra slashes are refused."""
    for given, wanted in (
        (ts.feed.api_key, 201),
        (f"Bearer  {ts.feed.api_key}", 201),
        (f"bearer {ts.feed.api_key}", 401),
    ):
        assert (await ts.ask("POST", "/playlists", _DRAFT, Authorization=given))[
            0
        ] == wanted
    assert (await ts.ask("POST", "/nowhere", _DRAFT, key=False))[0] == 401
    assert (await ts.ask("HEAD", "/playlists"))[0] == 200
    status, value = await ts.ask("GET", "/playlists/")
    assert (status, value["error"]) == (404, "not_found")
    assert "GET /api/v1/playlists" in value["available_endpoints"]
    assert (await ts.ask("GET", f"/playlist-items/{uuid.uuid4()}x"))[1][
        "error"
    ] == "invalid_id"


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


async def test_queue_works_by_itself(session: aiohttp.ClientSession) -> None:
    """The queue is processed after a delay, and every write can be queued."""
    async with FeedSimulator("ts", queue_delay=0.01, always_async=True) as feed:
        client = _Client(feed, session)
        status, queued = await client.ask("POST", "/playlists", _DRAFT)
        assert status == 202
        async with asyncio.timeout(5):
            while (await client.ask("GET", f"/playlists/{queued['id']}"))[0] != 200:
                await asyncio.sleep(0.01)


async def test_worker_of_ts(ts: _Client, session: aiohttp.ClientSession) -> None:
    """A worker returns the messages of the queue to the server."""
    _, stored = await ts.ask("POST", "/playlists", _DRAFT)
    head = {"id": "m-1", "timestamp": "2026-01-01T00:00:00.000Z"}
    rename = head | {
        "operation": "update_playlist",
        "data": {"playlist": stored | {"title": "Renamed"}},
    }
    unknown = head | {"operation": "paint_playlist"}
    headers = {"Authorization": ts.feed.api_key}
    url = f"{ts.feed.origin}/queues"
    async with session.post(
        f"{url}/process-message", json=rename, headers=headers
    ) as response:
        assert await response.json() == {
            "success": True,
            "messageId": "m-1",
            "operation": "update_playlist",
            "processedCount": 1,
        }
    assert ts.feed.documents[stored["id"]]["title"] == "Renamed"
    async with session.post(
        f"{url}/process-batch", json={"messages": [rename, unknown]}, headers=headers
    ) as response:
        value = await response.json()
        assert (value["success"], value["processedCount"], len(value["errors"])) == (
            False,
            1,
            1,
        )
    for path, body, wanted in (
        ("process-message", {}, "invalid_message"),
        ("process-batch", {"messages": []}, "invalid_batch"),
        ("process-batch", {"messages": [{}]}, "invalid_message"),
    ):
        async with session.post(
            f"{url}/{path}", json=body, headers=headers
        ) as response:
            assert (await response.json())["error"] == wanted


async def test_replace_and_update_in_ts(ts: _Client) -> None:
    """Identity is kept, items are replaced, empty values ignored, and fixed fields refused."""
    _, stored = await ts.ask(
        "POST", "/playlists", _DRAFT | {"summary": "S", "defaults": {"duration": 5}}
    )
    path = f"/playlists/{stored['id']}"
    _, value = await ts.ask("PUT", path, _DRAFT | {"title": "New", "id": "x"})
    assert [value[key] for key in ("id", "slug", "created")] == [
        stored[key] for key in ("id", "slug", "created")
    ]
    assert (
        "summary" not in value and value["items"][0]["id"] != stored["items"][0]["id"]
    )
    _, value = await ts.ask(
        "PATCH", path, {"title": "", "defaults": {}, "summary": "T"}
    )
    assert (value["title"], value["defaults"], value["summary"]) == ("New", {}, "T")
    for body, wanted in (
        ({"slug": "s", "created": "c"}, "protected_fields"),
        ({"items": []}, "validation_error"),
        (None, "invalid_json"),
        ("x", "invalid_json"),
        ([], "validation_error"),
    ):
        status, value = await ts.ask("PATCH", path, raw=json.dumps(body).encode())
        assert (status, value["error"]) == (400, wanted)
    assert (await ts.ask("PUT", path, {"title": "New"}))[1][
        "error"
    ] == "validation_error"


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


async def test_channels_of_ts(ts: _Client, session: aiohttp.ClientSession) -> None:
    """Groups are channels, lists by channel become outdated, and deleted playlists are removed without signing."""
    one, two = await ts.create(title="One"), await ts.create(title="Two")
    base = f"{ts.feed.url}/playlists"
    async with FeedSimulator("v2") as other:
        far = other.seed([_DRAFT])[0]
        urls = [f"{base}/{one['id']}", f"{other.url}/playlists/{far['id']}"]
        status, channel = await ts.ask(
            "POST", "/playlist-groups", {"title": "C", "playlists": urls}
        )
    assert (status, (await ts.ask("GET", f"/channels/{channel['slug']}"))[1]) == (
        201,
        channel,
    )
    path = f"/channels/{channel['id']}"
    _, channel = await ts.ask(
        "PUT", path, {"title": "C", "playlists": [f"{base}/{two['slug']}"]}
    )
    _, page = await ts.ask("GET", f"/playlists?playlist-group={channel['id']}")
    assert {document["id"] for document in page["items"]} == {
        one["id"],
        two["id"],
        far["id"],
    }
    assert (await ts.ask("DELETE", f"/playlists/{two['id']}"))[0] == 204
    _, value = await ts.ask("GET", path)
    assert (value["playlists"], value["signature"]) == ([], channel["signature"])
    for urls, wanted in (
        ([f"{base}/none"], (500, "storage_error")),
        ([], (400, "validation_error")),
        (["ftp://a.example/"], (400, "validation_error")),
    ):
        status, value = await ts.ask(
            "POST", "/channels", {"title": "C", "playlists": urls}
        )
        assert (status, value["error"]) == wanted
    status, value = await ts.ask("DELETE", path, Prefer="respond-async")
    assert (status, value["status"]) == (202, "queued")
    assert (await ts.ask("DELETE", path))[0] == 204
    assert ts.feed.channels == {}


async def test_runs_by_itself(socket_enabled: None, tmp_path: Path) -> None:
    """The command serves the given documents."""
    seed = tmp_path / "seed.json"
    seed.write_text(
        json.dumps(
            {"playlists": [_DRAFT | {"id": "385f79b6-a45f-4c1c-8080-e93a192adccc"}]}
        )
    )
    process = await asyncio.create_subprocess_exec(
        sys.executable,
        *(
            "-m",
            "tests.simulators.feed",
            "--family",
            "ts",
            "--port",
            "0",
            "--seed",
            str(seed),
        ),
        stdout=asyncio.subprocess.PIPE,
    )
    try:
        assert process.stdout is not None
        line = (await asyncio.wait_for(process.stdout.readline(), 20)).decode()
        async with (
            aiohttp.ClientSession() as session,
            session.get(f"{line.split()[-1]}/playlists") as response,
        ):
            assert [
                document["title"] for document in (await response.json())["items"]
            ] == ["Evening Loop"]
    finally:
        process.terminate()
        await process.wait()
