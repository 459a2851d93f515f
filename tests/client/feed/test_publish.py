"""Test publishing on one feed with scripted responses."""

import aiohttp
import pytest

from custom_components.dp1.client.errors import (
    AuthenticationError,
    BusyError,
    Dp1Error,
    InvalidPlaylistError,
    LostAnswerError,
    UnreachableError,
)
from custom_components.dp1.client.feed import connection as feed_connection
from custom_components.dp1.client.feed.client import Feed
from custom_components.dp1.client.playlist.signing import SigningKey, digest, sign

from .feeds import (
    API_KEY,
    ID,
    KEY,
    MISSING,
    NOW,
    OTHER_ID,
    TS,
    V2,
    echo,
    playlist,
    scripted,
    sent,
)

from tests.client.keys import keyed
from tests.client.scripted_server import Reply, Request, replied
from tests.client.tables import tables

TABLES = tables("publish")

pytestmark = pytest.mark.usefixtures("socket_enabled")


async def test_publish_signed() -> None:
    """A playlist is signed in the form of the strict server, without the API key, and fields left out are reported."""
    given = playlist(signature="ed25519:00", extra=1, curators=[])
    given["items"][1]["created"] = "2026-01-01T00:00:00Z"
    async with scripted(V2, echo(), api_key=API_KEY) as (feed, server):
        told = await feed.publish(given, key=KEY, curator="Ada")
        sent = server.requests[1].json
    assert server.calls() == ["GET /api/v1", "POST /api/v1/playlists"]
    assert "Authorization" not in server.requests[1].headers
    assert sent["curators"] == [{"name": "Ada", "key": KEY.did}]
    assert [entry["kid"] for entry in sent["signatures"]] == [KEY.did]
    assert "signature" not in sent
    assert (told.id, told.slug) == (sent["id"], sent["slug"])
    assert told.url == f"{feed.url}/playlists/{told.id}"
    assert (told.status, told.signed_by) == ("published", KEY.did)
    assert (sorted(told.left_out), told.changed) == (["extra", "items[1].created"], ())
    assert [
        (verification.kid, verification.valid) for verification in told.verified
    ] == [(KEY.did, True)]


async def test_publish_reports_what_the_feed_changed() -> None:
    """Every difference is reported, and a broken signature not claimed."""

    def meddle(request: Request) -> Reply:
        document = request.json
        document["title"] = "Else"
        document["items"][0]["duration"] = True
        document["items"].append({"source": "x:y"})
        del document["defaults"]
        document["note"] = {"text": "hi"}
        return Reply(201, document)

    given = playlist()
    given["items"][0]["duration"] = 1
    async with scripted(V2, meddle) as (feed, _):
        told = await feed.publish(given, key=KEY)
    assert sorted(told.changed) == [
        "defaults",
        "items[0].duration",
        "items[2]",
        "note",
        "title",
    ]
    assert told.signed_by is None
    assert [verification.valid for verification in told.verified] == [False]


async def test_numbers_are_compared_by_value() -> None:
    async with scripted(V2, echo(defaults={"duration": 60.0, "license": "open"})) as (
        feed,
        _,
    ):
        told = await feed.publish(playlist(), key=KEY)
    assert told.changed == ()
    assert told.signed_by == KEY.did


async def test_publish_with_api_key() -> None:
    """Signatures are not sent to a V2 feed with an API key, since it would check them; it chooses the id."""
    foreign = sign(playlist(id=ID), SigningKey.generate(), now=NOW)
    script = (V2, MISSING, echo(id=OTHER_ID, slug=5))
    async with scripted(*script, api_key=API_KEY) as (feed, server):
        told = await feed.publish({**foreign, "signature": "ed25519:00"})
        sent = server.requests[2]
    assert "signatures" not in sent.json and "signature" not in sent.json
    assert sent.headers["Authorization"] == f"Bearer {API_KEY}"
    assert (told.id, told.slug, told.signed_by) == (OTHER_ID, "", None)
    assert told.changed == ("id",)


async def test_publish_as_signed_by_others() -> None:
    """Without a signing key and an API key the document is sent unchanged."""
    other = SigningKey.generate()
    given = sign(playlist(id=ID, slug="x"), other, now=NOW)
    async with scripted(V2, echo(), V2) as (feed, server):
        told = await feed.publish(given)
        assert server.requests[1].json == given
        assert told.signed_by == other.did
        with pytest.raises(InvalidPlaylistError, match="id: is required"):
            await feed.publish(sign(playlist(), other, now=NOW))
        with pytest.raises(AuthenticationError):
            await feed.publish(playlist())
        # Only the family is asked.
        assert set(server.calls()[2:]) == {"GET /api/v1"}


async def test_legacy_signature_is_checked_with_configured_keys() -> None:
    def store(request: Request) -> Reply:
        document = {**request.json, "id": ID}
        return Reply(
            201,
            {**document, "signature": f"ed25519:{KEY.sign(digest(document)).hex()}"},
        )

    async with scripted(V2, store, api_key=API_KEY, legacy_keys=[KEY.did]) as (feed, _):
        told = await feed.publish(playlist())
    assert [
        (verification.kid, verification.valid) for verification in told.verified
    ] == [(KEY.did, True)]


async def test_ts_feed_is_only_read() -> None:
    async with scripted(TS, api_key=API_KEY) as (feed, server):
        for key in (KEY, None):
            with pytest.raises(Dp1Error, check=keyed("read_only")):
                await feed.publish(playlist(), key=key)
        assert set(server.calls()) == {"GET /api/v1"}


@pytest.mark.parametrize("key", [KEY, None])
async def test_invalid_playlist_is_not_sent(key: SigningKey | None) -> None:
    """An invalid playlist, or one with NUL characters, raises with all faults, without a request."""
    bad = playlist(title="")
    bad["items"][1]["source"] = "nowhere"
    nul = playlist(title="a\0b")
    nul["items"][1]["override"] = {"x": [1, "\0"], "\0": 1}
    inside = "items[1].override"
    wanted = {"title", f"{inside}.x[1]", f'{inside}["\N{REPLACEMENT CHARACTER}"]'}
    async with scripted(V2, api_key=API_KEY) as (feed, server):
        for document, paths in ((bad, {"title", "items[1].source"}), (nul, wanted)):
            with pytest.raises(InvalidPlaylistError) as caught:
                await feed.publish(document, key=key)
            assert {fault.path for fault in caught.value.faults} >= paths
    assert set(server.calls()) == {"GET /api/v1"}


@pytest.mark.parametrize(
    ("how", "script", "outcome", "calls"),
    TABLES["cases"],
    ids=lambda value: ", ".join(value) if isinstance(value, list) else None,
)
async def test_outcomes(how: str, script: list[str], outcome: str, calls: str) -> None:
    """A refusal is one attempt; a doubtful document that is signed is looked for, and sent once more if it has not arrived; with an API key nothing is repeated; a busy feed is waited for."""
    key = KEY if how == "signed" else None
    async with scripted(V2, api_key=API_KEY) as (feed, server):
        words = {"held": lambda _: Reply(200, sent(server)), "echo": echo()}
        replies = {name: replied(**row) for name, row in TABLES["replies"].items()}
        server.script = [V2, *((replies | words)[name] for name in script)]
        try:
            told = await feed.publish(playlist(), key=key)
        except Dp1Error as err:
            names, words = (type(err).__name__, err.key), str(err)
        else:
            names, words = (told.status,), ""
            assert (told.changed, told.signed_by) == ((), key and KEY.did)
            found = {request.path for request in server.requests[2:]}
            assert found <= {f"/api/v1/playlists{end}" for end in ("", f"/{told.id}")}
    assert outcome in names
    assert API_KEY not in words
    first, *rest = server.requests
    assert first.path == "/api/v1"
    assert " ".join(request.method for request in rest) == calls
    assert len({request.body for request in rest if request.body}) <= 1


SILENT = Reply(fault="never")


@pytest.mark.parametrize(
    ("script", "error", "posts"),
    [
        ([SILENT], UnreachableError, 0),
        ([V2, SILENT], LostAnswerError, 1),
        ([V2, SILENT, MISSING, SILENT], LostAnswerError, 2),
        ([V2, Reply(429, headers={"Retry-After": "1000000"})], BusyError, 1),
        ([Reply(429, headers={"Retry-After": "1000000"})], BusyError, 0),
        ([V2, Reply(429, headers={"Retry-After": "1"})], BusyError, 2),
    ],
)
async def test_publishing_ends_in_time_with_the_truth(
    script: list[Reply],
    error: type[Dp1Error],
    posts: int,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """Publishing ends at the deadline, and a sent document is reported as doubtful."""
    assert (
        feed_connection.READ_TIMEOUT + feed_connection.WRITE_TIMEOUT
        < feed_connection.DEADLINE
        <= 30
    )
    async with scripted(*script) as (feed, server):
        monkeypatch.setattr(feed_connection, "READ_TIMEOUT", 0.6)
        monkeypatch.setattr(feed_connection, "WRITE_TIMEOUT", 0.8)
        monkeypatch.setattr(feed_connection, "DEADLINE", 1.8)
        with pytest.raises(error) as caught:
            await feed.publish(playlist(), key=KEY)
        assert type(caught.value) is error
        assert sum(r.method == "POST" for r in server.requests) == posts


async def test_nobody_there(unused_tcp_port: int) -> None:
    async with aiohttp.ClientSession() as session:
        feed = Feed(session, f"http://127.0.0.1:{unused_tcp_port}", api_key=API_KEY)
        for ask in (
            feed.family(),
            feed.check_key(),
            feed.playlist("x"),
            feed.publish(playlist()),
            feed.publish(playlist(), key=KEY),
            feed.delete("x"),
        ):
            with pytest.raises(UnreachableError, check=keyed("refused")):
                await ask
