"""Test publishing on one feed with scripted responses."""

import time

import aiohttp
import pytest

from custom_components.dp1.client.errors import (
    AuthenticationError,
    BusyError,
    ConflictError,
    Dp1Error,
    ForbiddenError,
    InvalidPlaylistError,
    InvalidRequestError,
    LostAnswerError,
    NoAnswerError,
    NotFoundError,
    TemporaryError,
    UnexpectedAnswerError,
    UnreachableError,
)
from custom_components.dp1.client.feed import connection as feed_connection
from custom_components.dp1.client.feed.client import Feed
from custom_components.dp1.client.playlist.signing import SigningKey, digest, sign

from .feeds import (
    API_KEY,
    CUT,
    DUPLICATE,
    HTML,
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
from tests.client.scripted_server import Reply, Request

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
    """300 and 300.0 are equal."""
    async with scripted(V2, echo(defaults={"duration": 60.0, "license": "open"})) as (
        feed,
        _,
    ):
        told = await feed.publish(playlist(), key=KEY)
    assert told.changed == ()
    assert told.signed_by == KEY.did


async def test_publish_with_api_key() -> None:
    """Signatures are not sent to a V2 feed with an API key, since it would check them."""
    foreign = sign(playlist(), SigningKey.generate(), now=NOW)
    async with scripted(V2, echo(id=OTHER_ID, slug=5), api_key=API_KEY) as (
        feed,
        server,
    ):
        told = await feed.publish({**foreign, "signature": "ed25519:00"})
        sent = server.requests[1]
    assert "signatures" not in sent.json and "signature" not in sent.json
    assert sent.headers["Authorization"] == f"Bearer {API_KEY}"
    assert (told.id, told.slug, told.signed_by) == (OTHER_ID, "", None)
    assert told.changed == ()


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


async def test_publish_to_ts_feed() -> None:
    """Works for a TS feed get duration and license, and the playlist may be queued."""

    def store(request: Request) -> Reply:
        document = request.json
        return Reply(
            202,
            {
                **document,
                "id": ID,
                "slug": "evening-1234",
                "signature": "ed25519:0x" + "00" * 64,
            },
        )

    async with scripted(TS, store, api_key=API_KEY) as (feed, server):
        told = await feed.publish(playlist(), key=KEY)
        items = server.requests[1].json["items"]
    assert [(item["duration"], item["license"]) for item in items] == [(60, "open")] * 2
    assert "signatures" not in server.requests[1].json
    assert (told.status, told.id, told.slug) == ("queued", ID, "evening-1234")
    assert told.signed_by is None
    assert told.changed == ()
    assert [verification.valid for verification in told.verified] == [None]


async def test_legacy_signature_is_checked_with_configured_keys() -> None:
    """A v1.0.x signature is verified with a configured key."""

    def store(request: Request) -> Reply:
        document = {**request.json, "id": ID}
        return Reply(
            201,
            {**document, "signature": f"ed25519:{KEY.sign(digest(document)).hex()}"},
        )

    async with scripted(TS, store, api_key=API_KEY, legacy_keys=[KEY.did]) as (feed, _):
        told = await feed.publish(playlist())
    assert [
        (verification.kid, verification.valid) for verification in told.verified
    ] == [(KEY.did, True)]


async def test_ts_feed_needs_an_api_key() -> None:
    """A TS feed without an API key raises without a request."""
    async with scripted(TS) as (feed, server):
        with pytest.raises(AuthenticationError, match="API key"):
            await feed.publish(playlist(), key=KEY)
        assert server.calls() == ["GET /api/v1"]


@pytest.mark.parametrize("family", [V2, TS])
@pytest.mark.parametrize("key", [KEY, None])
async def test_invalid_playlist_is_not_sent(
    family: Reply, key: SigningKey | None
) -> None:
    """An invalid playlist, or one with NUL characters, raises with all faults, without a request."""
    bad = playlist(title="")
    bad["items"][1]["source"] = "nowhere"
    nul = playlist(title="a\0b")
    nul["items"][1]["override"] = {"x": [1, "\0"], "\0": 1}
    inside = "items[1].override"
    wanted = {"title", f"{inside}.x[1]", f'{inside}["\N{REPLACEMENT CHARACTER}"]'}
    async with scripted(family, api_key=API_KEY) as (feed, server):
        for document, paths in ((bad, {"title", "items[1].source"}), (nul, wanted)):
            with pytest.raises(InvalidPlaylistError) as caught:
                await feed.publish(document, key=key)
            assert {fault.path for fault in caught.value.faults} >= paths
    assert set(server.calls()) == {"GET /api/v1"}


REFUSALS = [
    (401, "unauthorized", "invalid or missing API key", AuthenticationError),
    (403, "", "", ForbiddenError),
    (400, "bad_request", "unexpected EOF", InvalidRequestError),
    (400, "validation_error", "Invalid playlist data: title: Required", InvalidPlaylistError),
    (400, "validation_error", "failed\n- at '/items/0/id': bad", InvalidPlaylistError),
    (400, "invalid_id", "id is required", InvalidPlaylistError),
    (400, "signature_verification_failed", "failed signatures", "signature_refused"),
    (400, "signature_invalid", "no", "signature_refused"),
    (404, "not_found", "not found", NotFoundError),
    (413, "", "", "too_large"),
]  # fmt: skip
IN_DOUBT = [
    Reply(500, {"error": "internal_error", "message": "no database"}),
    Reply(500, {"error": "storage_error", "message": "Failed to save playlist"}),
    HTML,
    Reply(503, b"<html>"),
    Reply(504, b"<html>"),
    CUT,
    Reply(fault="before"),
    Reply(fault="half", body={"id": ID}),
    Reply(fault="never"),
    Reply(fault="garbage"),
    Reply(201, b"<html>done</html>"),
    Reply(201, {"success": True}),
]


def doubt_id(reply: Reply) -> str:
    """Return the test id of a doubtful response."""
    return reply.fault or f"{reply.status}-{str(reply.body)[:20]}"


@pytest.mark.parametrize(("status", "code", "message", "error"), REFUSALS)
@pytest.mark.parametrize("signed", [True, False])
async def test_refused_for_certain(
    status: int, code: str, message: str, error: type[Dp1Error] | str, signed: bool
) -> None:
    """A refusal raises its error after one attempt."""
    reply = Reply(status, {"error": code, "message": message} if code else b"<html>")
    async with scripted(V2, reply, api_key=API_KEY) as (feed, server):
        with pytest.raises(Dp1Error) as caught:
            await feed.publish(playlist(), key=KEY if signed else None)
    assert error in (type(caught.value), caught.value.key)
    assert server.calls() == ["GET /api/v1", "POST /api/v1/playlists"]
    assert API_KEY not in str(caught.value)
    if error is not InvalidPlaylistError and message:
        assert str(caught.value) == message


@pytest.mark.parametrize("reply", IN_DOUBT, ids=doubt_id)
@pytest.mark.parametrize("family", [V2, TS], ids=["v2", "ts"])
async def test_no_second_attempt_with_an_api_key(family: Reply, reply: Reply) -> None:
    """A doubtful attempt with an API key is not repeated."""
    async with scripted(family, reply, api_key=API_KEY) as (feed, server):
        with pytest.raises((TemporaryError, LostAnswerError, UnexpectedAnswerError)):
            await feed.publish(playlist())
    assert server.calls() == ["GET /api/v1", "POST /api/v1/playlists"]


@pytest.mark.parametrize(
    "reply", [doubt for doubt in IN_DOUBT if doubt.fault != "before"], ids=doubt_id
)
async def test_doubtful_signed_publish_finds_its_document(reply: Reply) -> None:
    """A doubtful signed document is found by its id, and not sent again."""
    async with scripted(V2) as (feed, server):
        server.script = [V2, reply, lambda _: Reply(200, sent(server))]
        told = await feed.publish(playlist(), key=KEY)
        assert server.calls()[1:] == [
            "POST /api/v1/playlists",
            f"GET /api/v1/playlists/{told.id}",
        ]
    assert (told.status, told.signed_by, told.changed) == ("published", KEY.did, ())


@pytest.mark.parametrize("reply", IN_DOUBT, ids=doubt_id)
async def test_doubtful_signed_publish_is_sent_once_more(reply: Reply) -> None:
    """A signed document that did not arrive is sent once more."""
    async with scripted(V2, reply, MISSING, echo()) as (feed, server):
        told = await feed.publish(playlist(), key=KEY)
    assert [call.split()[0] for call in server.calls()[1:]] == ["POST", "GET", "POST"]
    assert told.signed_by == KEY.did
    if reply.fault != "before":
        assert server.requests[1].body == server.requests[3].body


@pytest.mark.parametrize("reply", IN_DOUBT, ids=doubt_id)
async def test_doubt_that_remains(reply: Reply) -> None:
    """After two attempts the last error is raised."""
    async with scripted(V2, reply, MISSING, reply, MISSING) as (feed, server):
        with pytest.raises((TemporaryError, LostAnswerError, UnexpectedAnswerError)):
            await feed.publish(playlist(), key=KEY)
    methods = [call.split()[0] for call in server.calls()[1:]]
    assert methods == ["POST", "GET", "POST", "GET"]


@pytest.mark.parametrize(
    "script",
    [
        # Also the second attempt is looked for.
        [CUT, MISSING, CUT],
        # The first has arrived after all.
        [CUT, MISSING, DUPLICATE],
        # A conflict with itself.
        [DUPLICATE],
    ],
)
async def test_held_after_all(script: list[Reply]) -> None:
    """A document that the feed holds is published, however that was learned."""
    async with scripted(V2) as (feed, server):
        server.script = [V2, *script, lambda _: Reply(200, sent(server))]
        told = await feed.publish(playlist(), key=KEY)
    assert (told.status, told.signed_by) == ("published", KEY.did)
    assert len(server.requests) == 2 + len(script)


@pytest.mark.parametrize(
    "looking",
    [
        HTML,
        Reply(fault="half", body={"a": 1}),
        Reply(401, b""),
        Reply(200, b"<html>"),
        Reply(200, {}),
    ],
)
async def test_cannot_look(looking: Reply) -> None:
    """If the look-up fails, nothing is sent again and the first error raised."""
    async with scripted(V2, CUT, looking) as (feed, server):
        with pytest.raises(LostAnswerError):
            await feed.publish(playlist(), key=KEY)
    assert [call.split()[0] for call in server.calls()[1:]] == ["POST", "GET"]


async def test_feed_goes_down_in_between() -> None:
    """The first attempt stays in doubt if the second reaches nobody."""
    async with scripted(V2, CUT, MISSING, Reply(429, b"", {"Retry-After": "99"})) as (
        feed,
        server,
    ):
        with pytest.raises(LostAnswerError):
            await feed.publish(playlist(), key=KEY)
    assert len(server.requests) == 4


@pytest.mark.parametrize("other", [MISSING, Reply(200, {"id": ID, "title": "Theirs"})])
@pytest.mark.parametrize("refusal", [DUPLICATE, Reply(409, b"<html>")])
async def test_conflict(refusal: Reply, other: Reply) -> None:
    """Another document with the slug or id raises, without a second attempt."""
    async with scripted(V2, refusal, other) as (feed, server):
        with pytest.raises(ConflictError):
            await feed.publish(playlist(), key=KEY)
    assert [call.split()[0] for call in server.calls()[1:]] == ["POST", "GET"]


@pytest.mark.parametrize("signed", [True, False])
async def test_busy_feed_is_waited_for(signed: bool) -> None:
    """A busy feed is tried three times with either credentials."""
    busy = Reply(429, b"<html>", {"Retry-After": "0"})
    key = KEY if signed else None
    async with scripted(V2, busy, busy, echo(), api_key=API_KEY) as (feed, server):
        assert (await feed.publish(playlist(), key=key)).status == "published"
        assert len(server.requests) == 4
    async with scripted(V2, busy, api_key=API_KEY) as (feed, server):
        with pytest.raises(BusyError) as caught:
            await feed.publish(playlist(), key=key)
        assert caught.value.retry_after == 0
        assert len(server.requests) == 4


async def test_long_pause_is_told_and_not_waited_for() -> None:
    """A long Retry-After raises at once."""
    async with scripted(Reply(429, b"", {"Retry-After": "31"})) as (feed, server):
        with pytest.raises(BusyError) as caught:
            await feed.family()
    assert caught.value.retry_after == 31
    assert len(server.requests) == 1


SILENT = Reply(fault="never")


@pytest.mark.parametrize(
    ("script", "error", "posts"),
    [
        ([SILENT], NoAnswerError, 0),
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
        began = time.monotonic()
        with pytest.raises(error) as caught:
            await feed.publish(playlist(), key=KEY)
        assert type(caught.value) is error
        assert time.monotonic() - began < 1.8 + 1
        assert sum(r.method == "POST" for r in server.requests) == posts


@pytest.mark.parametrize("signed", [True, False])
async def test_503_with_a_date(signed: bool) -> None:
    """A 503 is retried if repeating is safe, else raised."""
    closed = Reply(503, b"<html>", {"Retry-After": "0"})
    async with scripted(V2, closed, echo(), api_key=API_KEY) as (feed, server):
        if signed:
            await feed.publish(playlist(), key=KEY)
        else:
            with pytest.raises(BusyError):
                await feed.publish(playlist())
    assert len(server.requests) == (3 if signed else 2)


async def test_nobody_there(unused_tcp_port: int) -> None:
    """A refused connection raises for every operation."""
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
