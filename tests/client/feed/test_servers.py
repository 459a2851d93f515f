"""Test the feed client with simulated servers of two families."""

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
    NotFoundError,
    NotOwnerError,
)
from custom_components.dp1.client.feed import paging as feed_lists, writer
from custom_components.dp1.client.feed.client import Family, Feed
from custom_components.dp1.client.feed.drafts import normalize
from custom_components.dp1.client.playlist.document import build, build_item
from custom_components.dp1.client.playlist.signing import SigningKey, sign, verify

from .feeds import KEY, NOW, impatient, playlist

from tests.client.keys import keyed
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
    unknown_fields,
)

pytestmark = pytest.mark.usefixtures("socket_enabled")

type FamilyName = Literal["v2", "ts"]

BOTH = pytest.mark.parametrize("family", ["v2", "ts"])


@asynccontextmanager
async def served(
    family: FamilyName = "v2",
    *,
    key: str | None = None,
    seconds: float = 5.0,
    **options: Any,
) -> AsyncIterator[tuple[Feed, FeedSimulator]]:
    """Serve and open a feed of one family, with its API key by default, which is given some time to answer."""
    with impatient(seconds):
        async with (
            FeedSimulator(family, **options) as simulator,
            aiohttp.ClientSession() as session,
        ):
            api_key = simulator.api_key if key is None else key
            yield Feed(session, simulator.url, api_key=api_key), simulator


def posts(simulator: FeedSimulator) -> int:
    """Return the number of attempts to publish."""
    return simulator.requests["POST", "/api/v1/playlists"]


@BOTH
async def test_family(family: FamilyName) -> None:
    """The family is detected by the response at the base URL."""
    async with served(family) as (feed, _):
        assert await feed.family() is Family(family)


@BOTH
async def test_check_key(family: FamilyName) -> None:
    """Valid and invalid API keys are detected, and nothing is published."""
    async with served(family) as (feed, simulator):
        await feed.check_key()
        assert not simulator.documents
    async with served(family, key="wrong") as (feed, simulator):
        with pytest.raises(AuthenticationError):
            await feed.check_key()


async def test_publish_signed_and_read_back() -> None:
    """The strict server stores a signed playlist unchanged and adds its own signature."""
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
        (page,) = [page async for page in feed.playlist_pages()]
        assert [record["id"] for record in page.records] == [told.id]


async def test_publish_with_key_on_v2() -> None:
    """The server chooses id and time, and signatures of others are not sent."""
    foreign = sign(playlist(id="385f79b6-a45f-4c1c-8080-e93a192adccc"), KEY, now=NOW)
    async with served() as (feed, simulator):
        told = await feed.publish(foreign)
        assert told.id != foreign["id"]
        assert told.changed == ("id",)
        assert (told.signed_by, [v.valid for v in told.verified]) == (None, [True])
        assert list(simulator.documents) == [told.id]


async def test_publish_on_ts() -> None:
    """Works without duration and license get those of the playlist."""
    async with served("ts") as (feed, simulator):
        told = await feed.publish(playlist(note={"text": "hi"}), key=KEY)
        assert told.signed_by is None
        assert told.changed == ("note",)
        assert [v.valid for v in told.verified] == [None]
        async with aiohttp.ClientSession() as session:
            known = Feed(
                session,
                feed.url,
                api_key=simulator.api_key,
                legacy_keys=[simulator.kid],
            )
            told = await known.publish(playlist())
        assert [(v.kid, v.valid) for v in told.verified] == [(simulator.kid, True)]
        assert (await feed.playlist(told.slug)).document == told.document


async def test_queued_on_ts() -> None:
    """A queued playlist is published, and cannot be read yet."""
    async with served("ts", always_async=True, queue_delay=None) as (feed, simulator):
        told = await feed.publish(playlist())
        assert told.status == "queued"
        with pytest.raises(NotFoundError):
            await feed.playlist(told.id)
        await simulator.process_queue()
        assert (await feed.playlist(told.id)).document == told.document
        assert await feed.delete(told.id) == told.id
        await simulator.process_queue()
        with pytest.raises(NotFoundError):
            await feed.playlist(told.id)


@pytest.mark.parametrize(("delay", "status"), [(0.05, "published"), (None, "queued")])
async def test_a_queue_that_is_not_told(
    monkeypatch: pytest.MonkeyPatch, delay: float | None, status: str
) -> None:
    """What a feed says it has stored is looked for: with a queue it may come later, or not for long."""
    monkeypatch.setattr(writer, "READ_BACK_PAUSES", (0.0, 0.1, 0.1))
    async with served(
        "ts", always_async=True, queued_status=201, queue_delay=delay
    ) as (feed, simulator):
        told = await feed.publish(playlist())
        assert told.status == status
        assert (told.id in simulator.documents) is (status == "published")
        assert posts(simulator) == 1


FAULTS = {
    "cut after the body": Fault(method="POST", cut=Cut.AFTER_BODY),
    "cut when done": Fault(method="POST", cut=Cut.AFTER_DONE),
    "cut in the answer": Fault(method="POST", cut=Cut.IN_ANSWER),
    "502 not done": bad_gateway(method="POST"),
    "502 done": Fault(method="POST", status=502, body="<html>", done=True),
    "too late": Fault(method="POST", delay=2.5),
}


def fresh(name: str) -> Fault:
    """Return a copy of a fault, which counts its uses."""
    fault = FAULTS[name]
    return Fault(
        method=fault.method, cut=fault.cut, status=fault.status, body=fault.body,
        done=fault.done, delay=fault.delay,
    )  # fmt: skip


@pytest.mark.parametrize("name", FAULTS)
async def test_signed_publish_survives(name: str) -> None:
    """After any single fault the playlist is stored once."""
    async with served(key="", seconds=1.5) as (feed, simulator):
        simulator.fault(fresh(name))
        told = await feed.publish(playlist(), key=KEY)
        assert list(simulator.documents) == [told.id]
        assert (told.signed_by, told.changed) == (KEY.did, ())
        assert posts(simulator) <= 2


async def test_publish_twice_is_once() -> None:
    """Publishing the same document again finds it."""
    given, _ = normalize(playlist(), now=NOW)
    async with served(key="") as (feed, simulator):
        first = await feed.publish(given, key=KEY)
        second = await feed.publish(given, key=KEY)
        assert (first.id, first.document) == (second.id, second.document)
        assert len(simulator.documents) == 1


async def test_named_again() -> None:
    """The id or slug of our playlist replaces it, and that of another one raises."""
    other = SigningKey.generate()
    async with served(key="") as (feed, simulator):
        first = await feed.publish(playlist(slug="evening"), key=KEY)
        second = await feed.publish(playlist(slug="evening", title="Night"), key=KEY)
        third = await feed.publish(playlist(id=first.id, title="Dawn"), key=KEY)
        assert {first.id, second.id, third.id} == simulator.documents.keys()
        assert (second.status, third.status) == ("updated", "updated")
        assert third.slug == "evening"
        with pytest.raises(ConflictError, check=keyed("slug_taken")):
            await feed.publish(playlist(slug="evening"), key=other)
        with pytest.raises(NotOwnerError):
            await feed.publish(playlist(id=first.id), key=other)
        assert list(simulator.documents.values()) == [third.document]


async def test_refused_signatures() -> None:
    """A document changed after signing, or signed by an unknown key, is refused."""
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
            with pytest.raises(Dp1Error, check=keyed("signature_refused")):
                await feed.publish(bad)
        assert not simulator.documents
        assert posts(simulator) == 2


async def test_works_a_ts_feed_does_not_take() -> None:
    """The feed's fault is raised with its path."""
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
    """A wrong API key raises for every write."""
    async with served(family, key="wrong-key") as (feed, simulator):
        (held,) = simulator.seed([playlist()])
        for write in (
            feed.publish(playlist()),
            feed.delete(held["id"]),
        ):
            with pytest.raises(AuthenticationError) as caught:
                await write
            assert "wrong-key" not in str(caught.value)
        assert simulator.documents == {held["id"]: held}


@BOTH
async def test_delete(family: FamilyName) -> None:
    """A playlist is deleted once, and not found after that."""
    async with served(family) as (feed, simulator):
        told = await feed.publish(playlist())
        assert await feed.delete(told.slug) == told.id
        assert not simulator.documents
        with pytest.raises(NotFoundError):
            await feed.delete(told.slug)


async def test_delete_what_a_channel_shows() -> None:
    """A playlist of a channel cannot be deleted."""
    async with served() as (feed, simulator):
        (held,) = simulator.seed([playlist()])
        simulator.seed(channels=[{"title": "C", "playlists": [held["id"]]}])
        with pytest.raises(ConflictError):
            await feed.delete(held["id"])
        assert held["id"] in simulator.documents


@BOTH
async def test_lists(family: FamilyName, monkeypatch: pytest.MonkeyPatch) -> None:
    """Every playlist is listed once and in order, also if the last page is empty."""
    monkeypatch.setattr(feed_lists, "PAGE_SIZE", 5)
    async with served(family) as (feed, simulator):
        made = [
            playlist(title=f"P{n}", created=f"2026-01-01T00:00:{n:02}Z")
            for n in range(20)
        ]
        simulator.seed(made)
        assert [
            record["title"]
            async for page in feed.playlist_pages()
            for record in page.records
        ] == [f"P{n}" for n in range(19, -1, -1)]


@BOTH
@pytest.mark.parametrize("paging", Paging)
async def test_lists_that_never_end(
    family: FamilyName, paging: Paging, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Endless lists end."""
    monkeypatch.setattr(feed_lists, "PAGE_SIZE", 3)
    async with served(family) as (feed, simulator):
        simulator.seed([playlist(title=f"P{n}") for n in range(6)])
        simulator.fault(method="GET", paging=paging, times=None)
        titles = [
            record["title"]
            async for page in feed.playlist_pages()
            for record in page.records
        ]
        assert len(titles) == len(set(titles)) == (3 if paging is Paging.REPEAT else 0)
        assert simulator.request_count <= 2


@BOTH
async def test_channels(family: FamilyName) -> None:
    """Channels have their playlists in the curator's order."""
    async with served(family) as (feed, simulator):
        ids = [
            record["id"] for record in simulator.seed([playlist(title=t) for t in "AB"])
        ]
        simulator.seed(channels=[{"title": "Hall", "playlists": ids[::-1]}])
        (channel,) = [channel async for channel in feed.channels()]
        assert channel["title"] == "Hall"
        found = [await feed.playlist(url) for url in channel["playlists"]]
        assert [stored.document["title"] for stored in found] == ["B", "A"]


@BOTH
async def test_playlist_groups(family: FamilyName) -> None:
    """Playlist groups are read like channels, each once, and their playlists, too."""
    async with served(family) as (feed, simulator):
        (held,) = simulator.seed([playlist(title="A")])
        for kind in ("channels", "groups"):
            given = {"title": kind, "playlists": [held["id"]], "curator": "Ada"}
            simulator.seed(**{kind: [given]})
        found = [one async for one in feed.channels()]
        assert sorted(one["title"] for one in found) == ["channels", "groups"]
        for one in found:
            assert (await feed.channel(one["id"]))["title"] == one["title"]
            members = [member async for member in feed.channel_playlists(one["id"])]
            assert [member["title"] for member in members] == ["A"]


async def test_without_channels() -> None:
    """A feed without the extension has no channels, but playlist groups."""
    async with served(extensions=False) as (feed, simulator):
        assert [channel async for channel in feed.channels()] == []
        (held,) = simulator.seed([playlist()])
        simulator.seed(groups=[{"title": "Hall", "playlists": [held["id"]]}])
        assert [one["title"] async for one in feed.channels()] == ["Hall"]


async def test_etag() -> None:
    """A playlist is read again only after a change."""
    async with served() as (feed, simulator):
        told = await feed.publish(playlist())
        first = await feed.playlist(told.id)
        again = await feed.playlist(told.id)
        assert first == again
        assert simulator.log[-1].headers["if-none-match"]


@BOTH
@pytest.mark.parametrize(
    "change",
    [unknown_fields, both_signatures, legacy_signature, nanosecond_created, dynamic_only],
)  # fmt: skip
async def test_odd_documents_are_read(family: FamilyName, change: Any) -> None:
    """Unusual documents are read unchanged, and their signatures verified."""
    async with served(family) as (feed, simulator):
        (held,) = simulator.seed([playlist()])
        simulator.fault(method="GET", change=change)
        document = (await feed.playlist(held["id"])).document
        assert document == change(held, simulator.settings.key)
        checked = verify(document, legacy_keys=[simulator.kid])
        assert checked and all(verification.valid for verification in checked)
        with pytest.raises(NotFoundError):
            await feed.playlist("has_underscore")


async def test_signer_is_another_curator() -> None:
    """A signer that the playlist names as a curator keeps that name."""
    curators = [{"name": "Ada", "key": KEY.did}]
    async with served(key="") as (feed, _):
        mine = await feed.publish(playlist(curators=curators), key=KEY, curator="Bob")
        assert mine.document["curators"] == curators
        other = SigningKey.generate()
        theirs = await feed.publish(playlist(curators=curators), key=other)
        assert [curator["key"] for curator in theirs.document["curators"]] == [
            KEY.did,
            other.did,
        ]


@settings(
    max_examples=30,
    deadline=None,
    suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.too_slow],
)
@example(playlist(defaults={"duration": 2**63 + 2049}))
@given(playlists)
async def test_whatever_is_built_is_accepted(document: dict[str, Any]) -> None:
    """The strict server stores any valid playlist as signed."""
    assume("\\u0000" not in json.dumps(document))
    async with served(key="") as (feed, simulator):
        told = await feed.publish(document, key=KEY)
        assert (told.status, told.changed, told.signed_by) == ("published", (), KEY.did)
        assert list(simulator.documents) == [told.id]
        assert (await feed.playlist(told.slug)).document == told.document
