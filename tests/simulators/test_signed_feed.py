"""Test the rules and responses of the simulated signed feed."""

from collections.abc import AsyncIterator
from copy import deepcopy
from datetime import UTC, datetime, timedelta
import json
from pathlib import Path
from typing import Any

import pytest

from .feed import FeedSimulator, SigningKey, digest, verify
from .raw_feed import ask

type Document = dict[str, Any]

VECTORS: Document = json.loads(
    (Path(__file__).parent.parent / "fixtures" / "vectors" / "intents.json").read_text()
)
ADA = SigningKey.from_seed(bytes.fromhex(VECTORS["seed"]))
BEA = SigningKey.from_seed(b"b" * 32)
ID = VECTORS["post"]["id"]
PLAYLIST = {k: v for k, v in VECTORS["post"].items() if k != "signatures"}
CURATORS = PLAYLIST["curators"]
BOTH = [*CURATORS, {"name": "Bea", "key": BEA.kid}]
THEN = "2026-01-02T03:04:05Z"
ALREADY = "a playlist with this {} already exists"
DEAD = "this id was deleted on this feed and cannot be reused; publish under a new id"
NO_SIGNATURES = "missing authentication: request body must carry signatures"
NOT_AN_OWNER = "request is not signed by an owner of the resource"

READ_AT = datetime.now(UTC)


def signed(document: Document, *keys: SigningKey, role: str = "curator") -> Document:
    entries = [key.entry(document, role, THEN) for key in keys or (ADA,)]
    return document | {"signatures": entries}


def playlist(**changes: Any) -> Document:
    """Return the playlist with changes; None removes a member."""
    changed = PLAYLIST | changes
    return {name: value for name, value in changed.items() if value is not None}


def item(**changes: Any) -> list[Document]:
    return [PLAYLIST["items"][0] | changes]


def now(minutes: float = 0) -> str:
    moment = datetime.now(UTC) + timedelta(minutes=minutes)
    return f"{moment:%Y-%m-%dT%H:%M:%SZ}"


def intent(
    action: str, document: Document | None = None, /, **changes: Any
) -> Document:
    """Return an intent for the playlist."""
    target = {"type": "playlist", "id": ID, "slug": "evening-loop"}
    made = {"action": action, "target": target, "created": now()}
    if document is not None:
        made["payloadHash"] = f"sha256:{digest(document).hex()}"
    return made | changes


def envelope(document: Document, *keys: SigningKey, **changes: Any) -> Document:
    """Return the body that replaces the playlist."""
    return {
        "document": signed(document, *keys),
        "authorization": signed(intent("replace", document, **changes), *keys),
    }


async def refused(
    feed: FeedSimulator, method: str, path: str, body: Any = None
) -> tuple[int, str, str]:
    """Send a request that is refused and return status, code and message."""
    status, answer = await ask(feed, method, path, body)
    assert answer.keys() == {"error", "message"}, (status, answer)
    return status, answer["error"], answer["message"]


@pytest.fixture
async def feed(socket_enabled: None) -> AsyncIterator[FeedSimulator]:
    async with FeedSimulator("signed") as simulator:
        yield simulator


async def test_vectors(feed: FeedSimulator) -> None:
    """Requests of the real implementation are accepted for publishing, replacing and deleting."""
    then = datetime.fromisoformat(VECTORS["delete"]["created"])
    feed.clock_offset = (then - datetime.now(UTC)).total_seconds() + 60
    status, stored = await ask(feed, "POST", "/playlists", VECTORS["post"])
    assert status == 201
    assert {**stored, "signatures": stored["signatures"][:1]} == VECTORS["post"]
    assert stored["signatures"][1]["role"] == "feed"
    assert all(verify(stored, entry) for entry in stored["signatures"])
    status, stored = await ask(feed, "PUT", f"/playlists/{ID}", VECTORS["put"])
    assert (status, stored["title"]) == (200, "Evening Loop II")
    # The same envelope once more within the window.
    assert (await ask(feed, "PUT", f"/playlists/{ID}", VECTORS["put"]))[0] == 200
    assert await ask(feed, "DELETE", f"/playlists/{ID}", VECTORS["delete"]) == (
        204,
        None,
    )
    assert (await ask(feed, "GET", f"/playlists/{ID}"))[0] == 404


@pytest.mark.parametrize(
    ("body", "refusal"),
    [
        (b"", (401, "unauthorized", NO_SIGNATURES)),
        ({**playlist(), "signatures": []}, (401, "unauthorized", NO_SIGNATURES)),
        (b'{"a', (400, "bad_request", "unexpected EOF")),
        (signed(playlist(mood="calm")), (400, "bad_request", 'json: unknown field "mood"')),
        (signed(playlist(items=item(created=THEN))), (400, "bad_request", 'json: unknown field "created"')),
        (signed(playlist(title=None)), (400, "bad_request", "Key: 'CreateRequest.Title'")),
        (signed(playlist(slug=None)), (400, "bad_request", "slug is required")),
        (signed(playlist(items=item(id=None))), (400, "bad_request", "every playlist item requires a UUID id: items[0]")),
        (signed(playlist(id=None)), (400, "invalid_id", "invalid id")),
        (signed(playlist(created=None)), (400, "invalid_timestamp", "invalid timestamp")),
        (signed(playlist(created=now(60))), (400, "invalid_timestamp", "invalid timestamp: cannot be in the future")),
        (signed(playlist()) | {"title": "Else"}, (400, "signature_verification_failed", f"signature verification failed: failed signatures: [{ADA.kid}]")),
        (signed(playlist(), BEA), (400, "signature_verification_failed", "no valid curator signature found")),
        (signed(playlist(), role="agent"), (400, "signature_verification_failed", "no valid curator signature found: an owner has to sign in the curator role")),
        (signed(playlist(curators=None), ADA, BEA), (400, "bad_request", "exactly one owner-role signature")),
        (signed(playlist(items=PLAYLIST["items"] * 2)), (500, "internal_error", "store: index items: ERROR: duplicate key")),
    ],
)  # fmt: skip
async def test_refused_documents(
    feed: FeedSimulator, body: Any, refusal: tuple[int, str, str]
) -> None:
    """Each fault has the message of the real feed, in its order of checks."""
    status, code, message = await refused(feed, "POST", "/playlists", body)
    assert (status, code, message[: len(refusal[2])]) == refusal
    assert not feed.documents


async def test_kept_as_sent(feed: FeedSimulator) -> None:
    """Empty values, false, other time formats and newer members are stored as signed."""
    work = {
        "displayAt": "2026-12-24T18:00:00",
        "contentRating": "mature",
        "contentReasons": ["nudity"],
        "inlineManifest": {
            "refVersion": "1.1.0",
            "id": "tide",
            "created": "2026-12-01T08:00:00Z",
            "locale": "en",
            "anything": [1],
        },
        "display": {"interaction": {"mouse": {"scroll": False}}, "margin": 0},
    }
    given = signed(
        playlist(
            items=item(**work), summary="Two", created="2026-01-01T01:00:00.100+01:00"
        )
    )
    _, stored = await ask(feed, "POST", "/playlists", given)
    assert {**stored, "signatures": stored["signatures"][:1]} == given


async def test_conflicts(feed: FeedSimulator) -> None:
    """Ids and slugs are unique, and only the slug of a deleted playlist can be used again."""
    assert (await ask(feed, "POST", "/playlists", signed(playlist())))[0] == 201
    conflict = (409, "conflict")
    assert await refused(feed, "POST", "/playlists", signed(playlist())) == (
        *conflict,
        ALREADY.format("id"),
    )
    other = signed(playlist(id="485f79b6-a45f-4c1c-8080-e93a192adccc"))
    assert await refused(feed, "POST", "/playlists", other) == (
        *conflict,
        ALREADY.format("slug"),
    )
    gone = signed(intent("delete"))
    assert (await ask(feed, "DELETE", "/playlists/evening-loop", gone))[0] == 204
    assert (await ask(feed, "DELETE", f"/playlists/{ID}", gone))[0] == 404
    assert await refused(feed, "POST", "/playlists", signed(playlist())) == (
        *conflict,
        DEAD,
    )
    assert (await ask(feed, "POST", "/playlists", other))[0] == 201


NEW_TITLE = playlist(title="Night")


@pytest.mark.parametrize(
    ("body", "refusal"),
    [
        ({"document": signed(NEW_TITLE)}, (401, "unauthorized", NO_SIGNATURES)),
        (signed(NEW_TITLE), (400, "bad_request", 'json: unknown field "dpVersion"')),
        (envelope(NEW_TITLE, note="x"), (400, "bad_request", 'json: unknown field "note"')),
        (envelope(playlist(slug="night")), (400, "bad_request", "signed document does not match the stored resource: slug")),
        (envelope(playlist(created=THEN)), (400, "bad_request", "signed document does not match the stored resource: created")),
        (envelope(playlist(curators=BOTH[1:]), BEA), (403, "forbidden", f"owners cannot be removed from a resource: {ADA.kid}")),
        (envelope(playlist(curators=BOTH)), (403, "forbidden", f"a new owner must sign the document in the owner role: {BEA.kid}")),
        (envelope(NEW_TITLE, BEA), (403, "forbidden", NOT_AN_OWNER)),
        (envelope(NEW_TITLE, action="delete"), (400, "bad_request", "invalid mutation intent: action")),
        (envelope(NEW_TITLE, target={"type": "channel", "id": ID, "slug": "evening-loop"}), (400, "bad_request", "invalid mutation intent: target type")),
        (envelope(NEW_TITLE, payloadHash="sha256:00"), (400, "bad_request", "invalid mutation intent: payloadHash")),
        (envelope(NEW_TITLE, created=now(-60)), (400, "invalid_timestamp", "invalid timestamp: mutation intent")),
        (envelope(NEW_TITLE, created="2026-01-01"), (400, "invalid_timestamp", "invalid timestamp: mutation intent")),
        ({"document": signed(NEW_TITLE), "authorization": signed(intent("replace", NEW_TITLE), BEA)}, (403, "forbidden", NOT_AN_OWNER)),
        ({"document": signed(NEW_TITLE), "authorization": signed(intent("replace", NEW_TITLE), role="agent")}, (403, "forbidden", f"{NOT_AN_OWNER}: the curator role is needed")),
        ({"document": signed(NEW_TITLE), "authorization": signed(intent("replace", NEW_TITLE)) | {"created": now(1)}}, (400, "signature_verification_failed", "signature verification failed")),
    ],
)  # fmt: skip
async def test_refused_replacements(
    feed: FeedSimulator, body: Any, refusal: tuple[int, str, str]
) -> None:
    """Only an owner can replace a playlist, and only with a matching intent."""
    # The intents were written when this module was read, which may be minutes ago.
    feed.clock_offset = (READ_AT - datetime.now(UTC)).total_seconds()
    await ask(feed, "POST", "/playlists", signed(playlist()))
    stored = deepcopy(feed.documents[ID])
    status, code, message = await refused(feed, "PUT", f"/playlists/{ID}", body)
    assert (status, code, message[: len(refusal[2])]) == refusal
    assert feed.documents[ID] == stored


@pytest.mark.parametrize(
    ("kind", "name"), [("channels", "channel"), ("groups", "playlist-group")]
)
async def test_containers(feed: FeedSimulator, kind: str, name: str) -> None:
    """The playlists of a channel or group come in its own order; a cursor ends with it."""
    ids = [document["id"] for document in feed.seed([{"title": t} for t in "abc"])]
    order = [ids[2], ids[0], ids[2]]
    wall: dict[str, Any] = {kind: [{"title": "Wall", "playlists": order}]}
    (held,) = feed.seed(**wall)
    url = f"/playlists?{name}={held['id']}&limit=2"
    _, first = await ask(feed, "GET", url)
    assert [document["id"] for document in first["items"]] == order[:2]
    _, rest = await ask(feed, "GET", f"{url}&cursor={first['cursor']}")
    assert [document["id"] for document in rest["items"]] == order[2:]
    assert not rest["hasMore"]
    other = f"/playlists?{name}={held['slug']}&sort=desc&cursor={first['cursor']}"
    refusal = (400, "bad_request", "invalid cursor")
    assert await refused(feed, "GET", other) == refusal


async def test_owners_may_be_added(feed: FeedSimulator) -> None:
    """An added owner who has signed can replace and delete."""
    await ask(feed, "POST", "/playlists", signed(playlist()))
    both = envelope(playlist(curators=BOTH), ADA, BEA)
    assert (await ask(feed, "PUT", "/playlists/evening-loop", both))[0] == 200
    change = envelope(playlist(curators=BOTH, title="Bea's"), BEA)
    assert (await ask(feed, "PUT", f"/playlists/{ID}", change))[0] == 200
    gone = signed(intent("delete"), BEA)
    assert (await ask(feed, "DELETE", f"/playlists/{ID}", gone))[0] == 204


async def test_refused_deletes(feed: FeedSimulator) -> None:
    """Intents for a replacement, of others, or for a playlist without an owner are refused."""
    await ask(feed, "POST", "/playlists", signed(playlist()))
    for body, refusal in (
        ({}, (401, "unauthorized", NO_SIGNATURES)),
        (signed(intent("delete"), BEA), (403, "forbidden", NOT_AN_OWNER)),
        (
            signed(intent("delete", payloadHash=None)),
            (400, "bad_request", "invalid mutation intent: payloadHash must be absent"),
        ),
    ):
        assert await refused(feed, "DELETE", f"/playlists/{ID}", body) == refusal
    (old,) = feed.seed([playlist(id=None, slug="old", curators=None)])
    target = {"type": "playlist", "id": old["id"], "slug": "old"}
    body = signed(intent("delete", target=target))
    assert await refused(feed, "DELETE", "/playlists/old", body) == (
        403,
        "forbidden",
        f"{NOT_AN_OWNER}: the resource has no owner",
    )
