"""One feed as the two kinds of real server behave: published once, read back, listed, replaced, deleted."""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
import json
from typing import Any, Literal

import aiohttp
from hypothesis import HealthCheck, assume, example, given, settings
import pytest

from custom_components.dp1.client.errors import (
    AuthenticationError,
    ConflictError,
    Dp1Error,
    InvalidPlaylistError,
    LostAnswerError,
    NotFoundError,
    SignatureRefusedError,
    TemporaryError,
)
from custom_components.dp1.client.feed import connection as feed_connection
from custom_components.dp1.client.feed.client import Family, Feed
from custom_components.dp1.client.playlist.document import build, build_item, normalize
from custom_components.dp1.client.playlist.signing import SigningKey, sign, verify

from .feeds import KEY, NOW, impatient, playlist

from tests.client.playlist.test_document import playlists
from tests.simulators.feed import (
    Cut,
    Fault,
    FeedSimulator,
    Paging,
    bad_gateway,
    both_signatures,
    dynamic_only,
    legacy_signature,
    nanosecond_created,
    too_many_requests,
    unknown_fields,
)

pytestmark = pytest.mark.usefixtures("socket_enabled")

type FamilyName = Literal["v2", "ts"]

BOTH = pytest.mark.parametrize("family", ["v2", "ts"])


@asynccontextmanager
async def served(
    family: FamilyName = "v2", *, key: str | None = None, **options: Any
) -> AsyncIterator[tuple[Feed, FeedSimulator]]:
    """Serve a feed of one family and open it; with its API key unless told otherwise."""
    with impatient():
        async with (
            FeedSimulator(family, **options) as simulator,
            aiohttp.ClientSession() as session,
        ):
            api_key = simulator.api_key if key is None else key
            yield Feed(session, simulator.url, api_key=api_key), simulator


def posts(simulator: FeedSimulator) -> int:
    """Count attempts to publish."""
    return simulator.requests["POST", "/api/v1/playlists"]


@BOTH
async def test_info(family: FamilyName) -> None:
    """What it says of itself tells the family."""
    async with served(family) as (feed, _):
        info = await feed.info()
        assert info.family is Family(family)
        assert info.version
        assert info.extensions is (True if family == "v2" else None)


@BOTH
async def test_check_key(family: FamilyName) -> None:
    """Right and wrong keys are told apart and nothing is published."""
    async with served(family) as (feed, simulator):
        await feed.check_key()
        assert not simulator.documents
    async with served(family, key="wrong") as (feed, simulator):
        with pytest.raises(AuthenticationError):
            await feed.check_key()


async def test_publish_signed_and_read_back() -> None:
    """The strict server takes what we sign, and gives it back unchanged with its own signature added."""
    async with served(key="") as (feed, simulator):
        told = await feed.publish(playlist(), key=KEY, curator="Ada")
        assert (told.status, told.signed_by, told.changed) == (
            "published",
            KEY.did,
            (),
        )
        assert [(v.kid, v.role, v.valid) for v in told.verified] == [
            (KEY.did, "curator", True),
            (simulator.kid, "feed", True),
        ]
        for ref in (told.id, told.slug, told.url, told.id.upper()):
            stored = await feed.playlist(ref)
            assert stored.document == told.document
            assert stored.url == told.url
        assert [each["id"] async for each in feed.playlists()] == [told.id]


async def test_publish_with_key_on_v2() -> None:
    """The server chooses id and time, and says so; a foreign signature does not get in the way."""
    foreign = sign(playlist(id="385f79b6-a45f-4c1c-8080-e93a192adccc"), KEY, now=NOW)
    async with served() as (feed, simulator):
        told = await feed.publish(foreign)
        assert told.id != foreign["id"]
        assert set(told.changed) >= {"id", "created", "slug"}
        assert (told.signed_by, [v.valid for v in told.verified]) == (None, [True])
        assert list(simulator.documents) == [told.id]


async def test_publish_on_ts() -> None:
    """Works without duration and license of their own get the playlist's; the rest is the server's."""
    async with served("ts") as (feed, simulator):
        told = await feed.publish(playlist(note={"text": "hi"}), key=KEY)
        assert told.signed_by is None
        assert {"id", "slug", "created", "note", "items[0].id"} <= set(told.changed)
        assert "items[0].duration" not in told.changed
        assert [v.valid for v in told.verified] == [None]
        known = Feed(
            feed._connection.session,
            feed.url,
            api_key=simulator.api_key,
            legacy_keys=[simulator.kid],
        )
        told = await known.publish(playlist())
        assert [(v.kid, v.valid) for v in told.verified] == [(simulator.kid, True)]
        assert (await feed.playlist(told.slug)).document == told.document


async def test_queued_on_ts() -> None:
    """Success, but not readable at once."""
    async with served("ts", always_async=True, queue_delay=None) as (feed, simulator):
        told = await feed.publish(playlist())
        assert told.status == "queued"
        with pytest.raises(NotFoundError):
            await feed.playlist(told.id)
        await simulator.process_queue()
        assert (await feed.playlist(told.id)).document == told.document
        assert await feed.delete(told.id) == "queued"
        await simulator.process_queue()
        with pytest.raises(NotFoundError):
            await feed.playlist(told.id)


FAULTS = {
    "cut before the body": Fault(method="POST", cut=Cut.BEFORE_BODY),
    "cut after the body": Fault(method="POST", cut=Cut.AFTER_BODY),
    "cut when done": Fault(method="POST", cut=Cut.AFTER_DONE),
    "cut in the answer": Fault(method="POST", cut=Cut.IN_ANSWER),
    "500 not done": Fault(method="POST", status=500, body={"error": "internal_error"}),
    "500 done": Fault(
        method="POST", status=500, body={"error": "internal_error"}, done=True
    ),
    "502 not done": bad_gateway(method="POST"),
    "502 done": Fault(method="POST", status=502, body="<html>", done=True),
    "503 done": Fault(method="POST", status=503, body="<html>", done=True),
    "too late": Fault(method="POST", delay=1.5),
    "201 of rubbish": Fault(method="POST", status=201, body="<html>", done=True),
}


def fresh(name: str) -> Fault:
    """Copy a fault, since each counts how often it struck."""
    fault = FAULTS[name]
    return Fault(
        method=fault.method, cut=fault.cut, status=fault.status, body=fault.body,
        done=fault.done, delay=fault.delay,
    )  # fmt: skip


@pytest.mark.parametrize("name", FAULTS)
async def test_signed_publish_survives(name: str) -> None:
    """Whatever happens to one attempt, the playlist is there in the end, once."""
    async with served(key="") as (feed, simulator):
        simulator.fault(fresh(name))
        told = await feed.publish(playlist(), key=KEY)
        assert list(simulator.documents) == [told.id]
        assert (told.signed_by, told.changed) == (KEY.did, ())
        assert posts(simulator) <= 2


@pytest.mark.parametrize("name", FAULTS)
@BOTH
async def test_publish_with_key_is_tried_once(name: str, family: FamilyName) -> None:
    """In doubt it is told, never tried again."""
    async with served(family) as (feed, simulator):
        simulator.fault(fresh(name))
        with pytest.raises(Dp1Error) as caught:
            await feed.publish(playlist())
        assert isinstance(caught.value, LostAnswerError | TemporaryError) or (
            name == "201 of rubbish"
        )
        assert posts(simulator) == 1
        assert len(simulator.documents) <= 1
        assert simulator.api_key not in str(caught.value)


async def test_feed_that_stays_down() -> None:
    """Two attempts, then the truth."""
    async with served(key="") as (feed, simulator):
        await feed.info()
        simulator.fault(bad_gateway(times=None, method="POST"))
        with pytest.raises(TemporaryError):
            await feed.publish(playlist(), key=KEY)
        assert posts(simulator) == 2


@BOTH
async def test_busy_feed(family: FamilyName) -> None:
    """Waited for as asked; published once."""
    async with served(family) as (feed, simulator):
        simulator.fault(too_many_requests(0, times=2, method="POST"))
        told = await feed.publish(playlist())
        assert list(simulator.documents) == [told.id]
        assert posts(simulator) == 3


async def test_publish_twice_is_once() -> None:
    """The same document again finds itself."""
    given = normalize(playlist(), now=NOW)
    async with served(key="") as (feed, simulator):
        first = await feed.publish(given, key=KEY)
        second = await feed.publish(given, key=KEY)
        assert (first.id, first.document) == (second.id, second.document)
        assert len(simulator.documents) == 1


async def test_taken_id_and_slug() -> None:
    """Another document by the same name is a conflict, and stays as it was."""
    async with served(key="") as (feed, simulator):
        first = await feed.publish(playlist(slug="evening"), key=KEY)
        with pytest.raises(ConflictError):
            await feed.publish(playlist(slug="evening"), key=KEY)
        with pytest.raises(ConflictError):
            await feed.publish(playlist(id=first.id, title="Other"), key=KEY)
        assert list(simulator.documents.values()) == [first.document]


async def test_refused_signatures() -> None:
    """A document that was changed after signing, and a key nobody named."""
    async with served(key="") as (feed, simulator):
        signed = sign(
            playlist(
                id="385f79b6-a45f-4c1c-8080-e93a192adccc",
                slug="evening",
                created="2026-01-01T00:00:00Z",
                curators=[{"name": "A", "key": KEY.did}],
            ),
            KEY,
            now=NOW,
        )
        for bad in (
            {**signed, "title": "Night"},
            sign({**signed, "curators": []}, KEY, now=NOW),
        ):
            with pytest.raises(SignatureRefusedError):
                await feed.publish(bad)
        assert not simulator.documents
        assert posts(simulator) == 2


async def test_works_a_ts_feed_does_not_take() -> None:
    """The feed's own verdict, with the place."""
    bare = build("Evening", [build_item("https://art.example/1.html")])
    async with served("ts") as (feed, _):
        with pytest.raises(InvalidPlaylistError) as caught:
            await feed.publish(bare)
    assert {fault.path for fault in caught.value.faults} == {
        "items[0].duration",
        "items[0].license",
    }


@BOTH
async def test_wrong_api_key(family: FamilyName) -> None:
    """Told as such for every write."""
    async with served(family, key="wrong-key") as (feed, simulator):
        (held,) = simulator.seed([playlist()])
        for write in (
            feed.publish(playlist()),
            feed.replace(held["id"], playlist()),
            feed.delete(held["id"]),
        ):
            with pytest.raises(AuthenticationError) as caught:
                await write
            assert "wrong-key" not in str(caught.value)
        assert simulator.documents == {held["id"]: held}


async def test_replace_signed() -> None:
    """In its place, by slug or id, with what the feed will not change kept."""
    async with served(key="") as (feed, simulator):
        first = await feed.publish(playlist(), key=KEY)
        told = await feed.replace(first.slug, playlist(title="Night"), key=KEY)
        assert (told.id, told.slug, told.changed) == (first.id, first.slug, ())
        assert told.signed_by == KEY.did
        stored = await feed.playlist(first.slug)
        assert stored.document["title"] == "Night"
        assert len(simulator.documents) == 1


async def test_replace_what_was_made_with_a_key() -> None:
    """A time with nanoseconds survives signing."""
    async with served() as (feed, simulator):
        first = await feed.publish(playlist())
        told = await feed.replace(first.id, playlist(title="Night"), key=KEY)
        assert told.document["created"] == first.document["created"]
        assert (told.signed_by, told.changed) == (KEY.did, ())
        assert len(simulator.documents) == 1


@BOTH
async def test_replace_with_key(family: FamilyName) -> None:
    """The same with an API key."""
    async with served(family) as (feed, _):
        first = await feed.publish(playlist())
        told = await feed.replace(first.id, playlist(title="Night"))
        assert (told.id, told.slug) == (first.id, first.slug)
        assert not {"id", "slug", "created", "title"} & set(told.changed)
        assert (await feed.playlist(first.slug)).document["title"] == "Night"
        with pytest.raises(NotFoundError):
            await feed.replace("385f79b6-a45f-4c1c-8080-e93a192adccc", playlist())


@pytest.mark.parametrize("cut", [Cut.AFTER_BODY, Cut.AFTER_DONE, Cut.IN_ANSWER])
async def test_replace_survives_a_cut(cut: Cut) -> None:
    """Replaced in the end."""
    async with served(key="") as (feed, simulator):
        first = await feed.publish(playlist(), key=KEY)
        simulator.fault(method="PUT", cut=cut, times=2)
        told = await feed.replace(first.id, playlist(title="Night"), key=KEY)
        assert simulator.documents[first.id]["title"] == "Night"
        assert told.document["title"] == "Night"


@BOTH
async def test_delete(family: FamilyName) -> None:
    """Gone, and gone only once."""
    async with served(family) as (feed, simulator):
        told = await feed.publish(playlist())
        assert await feed.delete(told.slug) == "deleted"
        assert not simulator.documents
        with pytest.raises(NotFoundError):
            await feed.delete(told.slug)


async def test_delete_what_a_channel_shows() -> None:
    """The feed holds on to it."""
    async with served() as (feed, simulator):
        (held,) = simulator.seed([playlist()])
        simulator.seed(channels=[{"title": "C", "playlists": [held["id"]]}])
        with pytest.raises(ConflictError):
            await feed.delete(held["id"])
        assert held["id"] in simulator.documents


@BOTH
async def test_lists(family: FamilyName) -> None:
    """Every playlist once and in order, also where a last page is empty."""
    async with served(family) as (feed, simulator):
        made = [
            playlist(title=f"P{n}", created=f"2026-01-01T00:00:{n:02}Z")
            for n in range(20)
        ]
        simulator.seed(made)
        titles = [each["title"] async for each in feed.playlists(page_size=5)]
        assert titles == [f"P{n}" for n in range(20)]
        newest = feed.playlists(newest_first=True, page_size=5, limit=7)
        assert [each["title"] async for each in newest] == [
            f"P{n}" for n in range(19, 12, -1)
        ]


@BOTH
async def test_items(family: FamilyName) -> None:
    """The works of all playlists."""
    async with served(family) as (feed, _):
        for title in ("A", "B", "C"):
            await feed.publish(playlist(title=title))
        titles = [each["title"] async for each in feed.items(page_size=4)]
        assert titles == ["Work 1", "Work 2"] * 3


@BOTH
@pytest.mark.parametrize("paging", Paging)
async def test_lists_that_never_end(family: FamilyName, paging: Paging) -> None:
    """They do."""
    async with served(family) as (feed, simulator):
        simulator.seed([playlist(title=f"P{n}") for n in range(6)])
        simulator.fault(method="GET", paging=paging, times=None)
        titles = [each["title"] async for each in feed.playlists(page_size=3)]
        assert len(titles) == len(set(titles)) == (3 if paging is Paging.REPEAT else 0)
        assert simulator.request_count <= 2


@BOTH
async def test_channels(family: FamilyName) -> None:
    """In the curator's order, with what was deleted or is broken left out."""
    async with served(family) as (feed, simulator):
        seeded = simulator.seed([playlist(title=f"P{n}") for n in range(6)])
        ids = [each["id"] for each in seeded]
        order = [ids[n] for n in (4, 0, 5, 1, 3)]
        (channel,) = simulator.seed(channels=[{"title": "Hall", "playlists": order}])
        simulator.fault(path=ids[5], status=502, body="<html>")
        simulator.latency = 0.02
        found = await feed.channel_playlists(channel["slug"])
        assert [each.document["title"] for each in found] == ["P4", "P0", "P1", "P3"]
        assert simulator.most_in_flight == 4
        listed = [each["id"] async for each in feed.channels()]
        assert listed == [channel["id"]]
        assert await feed.channel(channel["id"]) == channel
        filtered = feed.playlists(channel=channel["slug"])
        assert {each["id"] async for each in filtered} == set(order)


@BOTH
async def test_groups(family: FamilyName) -> None:
    """The same for groups."""
    async with served(family) as (feed, simulator):
        ids = [each["id"] for each in simulator.seed([playlist(), playlist(title="B")])]
        (group,) = simulator.seed(groups=[{"title": "G", "playlists": ids[::-1]}])
        assert [each["id"] async for each in feed.groups()] == [group["id"]]
        document = await feed.group(group["slug"])
        found = await feed.channel_playlists(document)
        assert [each.document["id"] for each in found] == ids[::-1]
        filtered = feed.playlists(group=group["slug"])
        assert {each["id"] async for each in filtered} == set(ids)


async def test_without_channels() -> None:
    """A feed that has the extension off has none, and says so of a single one."""
    async with served(extensions=False) as (feed, _):
        assert (await feed.info()).extensions is False
        assert [each async for each in feed.channels()] == []
        with pytest.raises(NotFoundError):
            await feed.channel("hall")


async def test_registry() -> None:
    """Written and read back; a TS feed has none."""
    async with served() as (feed, simulator):
        (held,) = simulator.seed([playlist()])
        (channel,) = simulator.seed(
            channels=[{"title": "C", "playlists": [held["id"]]}]
        )
        url = f"{simulator.url}/channels/{channel['id']}"
        publishers = [{"name": "Home", "static": [url], "living": []}]
        await feed.set_registry(publishers)
        assert await feed.registry() == publishers
    async with served("ts") as (feed, _):
        with pytest.raises(NotFoundError):
            await feed.registry()


async def test_etag() -> None:
    """Read again only when it changed."""
    async with served() as (feed, simulator):
        told = await feed.publish(playlist())
        first = await feed.playlist(told.id)
        again = await feed.playlist(told.id)
        assert first == again
        assert simulator.log[-1].headers["if-none-match"] == first.etag
        await feed.replace(told.id, playlist(title="Night"))
        newer = await feed.playlist(told.id)
        assert newer.document["title"] == "Night"
        assert newer.etag != first.etag


@BOTH
@pytest.mark.parametrize(
    "change",
    [unknown_fields, both_signatures, legacy_signature, nanosecond_created, dynamic_only],
)  # fmt: skip
async def test_odd_documents_are_read(family: FamilyName, change: Any) -> None:
    """Whatever a feed holds comes through untouched, and its signatures can be checked."""
    async with served(family) as (feed, simulator):
        (held,) = simulator.seed([playlist()])
        simulator.fault(method="GET", change=change)
        document = (await feed.playlist(held["id"])).document
        assert document == change(held, simulator.settings.key)
        checked = verify(document, legacy_keys=[simulator.kid])
        assert checked and all(each.valid for each in checked)
        with pytest.raises(NotFoundError):
            await feed.playlist("has_underscore")


async def test_slow_feed(monkeypatch: pytest.MonkeyPatch) -> None:
    """A read that takes too long ends."""
    async with served() as (feed, simulator):
        monkeypatch.setattr(feed_connection, "READ_TIMEOUT", 0.2)
        simulator.fault(delay=1.0)
        with pytest.raises(LostAnswerError):
            await feed.info()


async def test_signer_is_another_curator() -> None:
    """Whom the playlist names keeps the name."""
    curators = [{"name": "Ada", "key": KEY.did}]
    async with served(key="") as (feed, _):
        mine = await feed.publish(playlist(curators=curators), key=KEY, curator="Bob")
        assert mine.document["curators"] == curators
        other = SigningKey.generate()
        theirs = await feed.publish(playlist(curators=curators), key=other)
        assert [each["key"] for each in theirs.document["curators"]] == [
            KEY.did,
            other.did,
        ]


@settings(
    max_examples=60,
    deadline=None,
    suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.too_slow],
)
@example(playlist(defaults={"duration": 2**63 + 2049}))
@given(playlists)
async def test_whatever_is_built_is_accepted(document: dict[str, Any]) -> None:
    """The strict server stores any playlist of ours exactly as we signed it."""
    assume("\\u0000" not in json.dumps(document))
    async with served(key="") as (feed, simulator):
        told = await feed.publish(document, key=KEY)
        assert (told.status, told.changed, told.signed_by) == ("published", (), KEY.did)
        assert list(simulator.documents) == [told.id]
        assert (await feed.playlist(told.slug)).document == told.document
