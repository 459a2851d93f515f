"""Test publishing, updating and deleting on the signed feed."""

import asyncio
from datetime import UTC, datetime, timedelta
from email.utils import format_datetime
import json
from pathlib import Path
from typing import Any

import pytest

from custom_components.dp1.client.errors import (
    AuthenticationError,
    ConflictError,
    Dp1Error,
    InvalidPlaylistError,
    InvalidRequestError,
    LostAnswerError,
    NotFoundError,
    UnexpectedAnswerError,
)
from custom_components.dp1.client.feed import writer as feed_writer
from custom_components.dp1.client.feed.client import Family
from custom_components.dp1.client.feed.connection import FeedClock, family_of
from custom_components.dp1.client.feed.drafts import delete_body, replace_body
from custom_components.dp1.client.playlist.signing import (
    SigningKey,
    canonical,
    digest,
    sign,
)

from .feeds import API_KEY, ID, KEY, NOW, OTHER_ID, playlist, served

from tests.client.keys import keyed
from tests.client.tables import tables
from tests.simulators.feed import Cut, Fault, FeedSimulator, refusal

pytestmark = pytest.mark.usefixtures("socket_enabled")

VECTORS = json.loads(
    (Path(__file__).parents[2] / "fixtures/vectors/intents.json").read_text()
)
THEN = datetime(2026, 2, 3, 4, 5, 6, tzinfo=UTC)
OTHER = SigningKey.generate()


def writes(simulator: FeedSimulator) -> list[str]:
    return [asked.method for asked in simulator.log if asked.method != "GET"]


def titled(title: str) -> Any:
    return lambda document: {**document, "title": title}


def test_vectors_of_intents() -> None:
    """Intents and signatures are identical to those of the real implementation."""
    replaced = replace_body(VECTORS["put"]["document"], KEY, THEN)
    assert replaced == VECTORS["put"]
    intent = replaced["authorization"]
    assert canonical(intent).decode() == VECTORS["put_intent_canonical"]
    assert digest(intent).hex() == VECTORS["put_intent_digest"]
    deleted = delete_body(VECTORS["post"], KEY, THEN)
    assert deleted == VECTORS["delete"]
    assert canonical(deleted).decode() == VECTORS["delete_intent_canonical"]
    assert digest(deleted).hex() == VECTORS["delete_intent_digest"]
    assert sign(VECTORS["put"]["document"], KEY, now=THEN) == VECTORS["put"]["document"]


@pytest.mark.parametrize(("changes", "family"), tables("feed_signed")["families"])
def test_family(changes: dict[str, Any], family: str) -> None:
    """The signed feed is detected by its response at the base URL."""
    info = {"runtime": "go", "version": "1.2.0", "endpoints": {"playlists": "x"}}
    assert family_of(info | changes) is Family(family)


async def test_publish_change_delete() -> None:
    """A playlist is published, updated and deleted without the API key."""
    async with served(api_key=API_KEY) as (feed, simulator):
        first = await feed.publish(playlist(slug="Night"), key=KEY, prefer_api_key=True)
        assert (first.status, first.signed_by, first.slug) == (
            "published",
            KEY.did,
            "night",
        )
        stored = simulator.documents[first.id]
        assert all("id" in item for item in stored["items"])
        again = await feed.publish(playlist(slug="night", title="Dawn"), key=KEY)
        assert (again.id, again.status, again.left_out) == (first.id, "updated", ())
        held = simulator.documents[first.id]
        assert (held["title"], held["created"]) == ("Dawn", stored["created"])
        assert held["items"] == stored["items"]
        same = await feed.publish(playlist(slug="night", title="Dawn"), key=KEY)
        assert same.status == "published"
        assert writes(simulator) == ["POST", "PUT"]
        told = await feed.update("night", titled("Dusk"), key=KEY)
        assert (told.status, told.document["title"]) == ("updated", "Dusk")
        assert await feed.delete(first.url, key=KEY) == first.id
        assert not simulator.documents
        with pytest.raises(NotFoundError):
            await feed.delete(first.id, key=KEY)
        with pytest.raises(ConflictError, check=keyed("id_deleted")):
            await feed.publish(playlist(id=first.id), key=KEY)
        sent = [asked.headers.get("authorization") for asked in simulator.log]
        assert set(sent) == {None}


async def test_identical_again() -> None:
    """A document signed by others is published unchanged, and again with the same result."""
    given = VECTORS["post"]
    async with served() as (feed, simulator):
        for _ in range(2):
            told = await feed.publish(given)
            assert (told.id, told.status) == (ID, "published")
        await feed.publish(
            {k: v for k, v in given.items() if k != "signatures"}, key=KEY
        )
        assert len(simulator.documents) == 1
        with pytest.raises(ConflictError):
            await feed.publish(sign({**given, "title": "Else"}, KEY, now=NOW))
        with pytest.raises(Dp1Error, check=keyed("needs_signature")):
            await feed.publish(playlist())


async def test_whose_it_is() -> None:
    """Playlists of others, or without an owner, raise without a write."""
    async with served() as (feed, simulator):
        theirs = await feed.publish(playlist(slug="theirs"), key=OTHER)
        (old,) = simulator.seed([playlist(slug="old")])
        sent = len(writes(simulator))
        for attempt in (
            feed.delete(theirs.id, key=KEY),
            feed.update("theirs", titled("Ours"), key=KEY),
            feed.publish(playlist(id=theirs.id), key=KEY),
        ):
            with pytest.raises(Dp1Error, check=keyed("not_owner")) as caught:
                await attempt
            assert caught.value.placeholders == {"owner": OTHER.did, "ours": KEY.did}
        with pytest.raises(Dp1Error, check=keyed("no_owner")):
            await feed.delete("old", key=KEY)
        for slug, key in (("theirs", "slug_taken"), ("old", "no_owner")):
            with pytest.raises(Dp1Error, check=keyed(key)):
                await feed.publish(playlist(slug=slug), key=KEY)
        assert len(writes(simulator)) == sent
        assert simulator.documents.keys() == {theirs.id, old["id"]}


async def test_a_second_owner() -> None:
    """A curator who has not signed can delete by id, and replace the whole playlist."""
    both = [{"name": name, "key": key.did} for name, key in (("A", OTHER), ("B", KEY))]
    async with served() as (feed, simulator):
        one = await feed.publish(playlist(slug="one", curators=both), key=OTHER)
        two = await feed.publish(playlist(slug="two", curators=both), key=OTHER)
        for attempt in (
            feed.update(one.id, titled("Ours"), key=KEY),
            feed.delete("one", key=KEY),
            feed.publish(playlist(id=one.id), key=KEY),
        ):
            with pytest.raises(Dp1Error, check=keyed("unsigned")):
                await attempt
        told = await feed.publish(playlist(id=one.id, curators=both), key=KEY)
        assert told.document["curators"] == both
        assert await feed.delete(two.id, key=KEY) == two.id
        # Another curator cannot be added without their signature, and is left out.
        more = [*both, {"name": "C", "key": SigningKey.generate().did}]
        told = await feed.publish(
            playlist(slug="one", title="x", curators=more), key=KEY
        )
        assert told.left_out == ("curators[2]",)
        assert simulator.documents[one.id]["curators"] == both


@pytest.mark.parametrize("family", ["signed", "v2"])
@pytest.mark.parametrize("ref", ["night", ID])
async def test_nothing_is_signed_that_only_the_feed_names(
    ref: str, family: Any
) -> None:
    """Nothing is signed, and nothing sent by its id, if the feed answers with another playlist of ours."""

    def other(document: dict[str, Any], _: object) -> dict[str, Any]:
        """Return another playlist."""
        return {**document, "id": OTHER_ID}

    def slug(document: dict[str, Any], _: object) -> dict[str, Any]:
        """Return the playlist with another slug."""
        return {**document, "slug": "other"}

    async with served(family, api_key=API_KEY) as (feed, simulator):
        await feed.publish(playlist(id=ID, slug="night"), key=KEY)
        simulator.settings.api_key = API_KEY
        simulator.requests.clear()
        simulator.log.clear()
        for change in (other, slug):
            for write in (
                lambda: feed.delete(ref, key=KEY),
                lambda: feed.update(ref, titled("x"), key=KEY),
            ):
                if change is slug and ref == ID:
                    continue
                if change is other and ref != ID and family == "v2":
                    # The key of the feed goes along, and no signature of ours.
                    continue
                simulator.fault(path="/playlists/", change=change)
                with pytest.raises(
                    Dp1Error,
                    check=lambda err: (
                        isinstance(err, UnexpectedAnswerError) or err.key == "unsigned"
                    ),
                ):
                    await write()
        assert not writes(simulator)


@pytest.mark.parametrize("family", ["signed", "v2"])
async def test_a_stored_playlist_of_an_odd_form(family: Any) -> None:
    """What a feed tells of a playlist of ours, and cannot be, is no obstacle, or is the error of the feed."""

    def without_slug(document: dict[str, Any], _: object) -> dict[str, Any]:
        return {name: document[name] for name in document if name != "slug"}

    async with served(family, api_key=API_KEY) as (feed, simulator):
        first = await feed.publish(playlist(slug="night"), key=KEY)
        simulator.fault(
            path="/playlists/", change=lambda document, _: {**document, "curators": 5}
        )
        told = await feed.publish(playlist(id=first.id, title="Late"), key=KEY)
        assert (told.status, told.document["title"]) == ("updated", "Late")
        works = [{"id": [1], "source": "https://art.example/1.html"}]
        with pytest.raises(InvalidPlaylistError, match=r"items\[0\].id"):
            await feed.publish(playlist(id=first.id, items=works), key=KEY)
        simulator.fault(path="/playlists/", change=without_slug)
        with pytest.raises((InvalidRequestError, AuthenticationError)):
            await feed.delete(first.id, key=KEY)
        assert first.id in simulator.documents


async def test_clocks() -> None:
    """Times follow the clock of the feed up to a limit, beyond which the offset is raised."""
    async with served() as (feed, simulator):
        for minutes in (-40, 40, -7):
            simulator.clock_offset = minutes * 60
            told = await feed.publish(
                playlist(slug="night", summary=str(minutes)), key=KEY
            )
            assert told.status in ("published", "updated")
            await feed.delete("night", key=KEY)
        simulator.clock_offset = -3 * 3600
        told = await feed.publish(playlist(slug="evening"), key=KEY)
        with pytest.raises(Dp1Error, check=keyed("clock")) as caught:
            await feed.delete("evening", key=KEY)
        assert caught.value.placeholders == {"minutes": "180"}
        # A proxy replaces the Date header.
        simulator.clock_offset, simulator.date_offset = -600, 600
        await feed.publish(playlist(), key=KEY)
        with pytest.raises(Dp1Error, check=keyed("clock")):
            await feed.publish(playlist(), key=KEY)


@pytest.mark.parametrize("family", ["signed", "v2"])
async def test_changes_at_the_same_time(family: Any) -> None:
    """Each change is made to what the one before has left; a slug that is published twice at once is one playlist."""

    def adding(number: int) -> Any:
        work = {"source": f"https://art.example/added-{number}.html"}
        return lambda document: {**document, "items": [*document["items"], work]}

    async with served(family) as (feed, simulator):
        told = await asyncio.gather(
            *(
                feed.publish(playlist(slug="night", summary=text), key=KEY)
                for text in ("one", "two")
            )
        )
        assert [each.status for each in told] == ["published", "updated"]
        simulator.latency = 0.01
        await asyncio.gather(
            *(feed.update("night", adding(number), key=KEY) for number in range(3))
        )
        (stored,) = simulator.documents.values()
        sources = [item["source"] for item in stored["items"][2:]]
        assert sources == [f"https://art.example/added-{n}.html" for n in range(3)]


async def test_a_copy_of_the_base_address() -> None:
    """A proxy that keeps what is read, and does not say since when, does not set the clock."""
    async with served() as (feed, simulator):
        first = await feed.publish(playlist(slug="night"), key=KEY)
        then = format_datetime(datetime.now(UTC) - timedelta(minutes=20), usegmt=True)
        info = {"runtime": "go", "version": "1.2.0", "endpoints": {"playlists": "x"}}
        kept = {r"/api/v1\?": info, "/playlists/": first.document}
        for path, body in kept.items():
            simulator.fault(
                Fault("GET", path, None, status=200, body=body, headers={"Date": then})
            )
        told = await feed.update(first.id, titled("Late"), key=KEY)
        assert told.status == "updated"
        assert writes(simulator) == ["POST", "PUT"]


async def test_clock_turns_while_it_is_known() -> None:
    """A time that is refused is mended by the time of the refusal, and each write tells it anew."""
    async with served() as (feed, simulator):
        for minutes in (0, -30):
            simulator.clock_offset = minutes * 60
            assert (await feed.publish(playlist(), key=KEY)).status == "published"
        assert writes(simulator) == ["POST", "POST", "POST"]


def test_dates() -> None:
    clock = FeedClock()
    for text in ("", "yesterday"):
        clock.note({"Date": text})
        assert clock.minutes_off == 1
    clock.note({"Date": "Sat, 03 Jan 2026 04:05:06 -0000"})
    assert clock.for_documents().year == 2026
    clock.note({"Date": "Fri, 01 Jan 2100 00:00:00 GMT"})
    assert clock.for_documents() <= datetime.now(UTC)
    assert (clock.for_intents() - datetime.now(UTC)).total_seconds() < 1


async def test_too_large(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(feed_writer, "MAX_DOCUMENT", 5000)
    async with served() as (feed, simulator):
        await feed.publish(playlist(slug="night"), key=KEY)
        for slug in ("night", "day"):
            large = playlist(slug=slug, note={"text": "x"}, summary="x" * 2000)
            large["items"] = large["items"] * 20
            with pytest.raises(InvalidRequestError, check=keyed("too_large")):
                await feed.publish(large, key=KEY)
        assert writes(simulator) == ["POST"]


async def test_doubtful_writes() -> None:
    """After a lost answer the playlist is looked up, and replaced or deleted once."""
    async with served() as (feed, simulator):
        for cut in (Cut.AFTER_DONE, Cut.AFTER_BODY):
            await feed.publish(playlist(slug="night", summary=cut), key=KEY)
            simulator.fault(method="PUT", cut=cut)
            told = await feed.update("night", titled(cut), key=KEY)
            assert (told.status, told.document["title"]) == ("updated", cut)
            simulator.fault(method="DELETE", cut=cut)
            assert await feed.delete("night", key=KEY) == told.id
            assert not simulator.documents
        await feed.publish(playlist(slug="night"), key=KEY)
        simulator.fault(method="DELETE", cut=Cut.AFTER_BODY, times=None)
        with pytest.raises(LostAnswerError):
            await feed.delete("night", key=KEY)


async def test_changed_in_between() -> None:
    """A conflicting change is retried once, then raised."""
    conflict = (
        409,
        "conflict",
        "the resource changed since it was authorized; re-read and retry",
    )
    async with served() as (feed, simulator):
        await feed.publish(playlist(slug="night"), key=KEY)
        simulator.fault(refusal(*conflict)).method = "PUT"
        assert (await feed.update("night", titled("x"), key=KEY)).status == "updated"
        simulator.fault(refusal(*conflict, times=None)).method = "PUT"
        with pytest.raises(ConflictError):
            await feed.update("night", titled("y"), key=KEY)


@pytest.mark.parametrize("api_key", [None, API_KEY])
async def test_upgraded_server(api_key: str | None) -> None:
    """A feed that starts to require signatures is used with the same configuration."""
    async with served("v2", api_key=api_key) as (feed, simulator):
        simulator.settings.api_key = API_KEY
        first = await feed.publish(playlist(slug="night"), key=KEY)
        again = await feed.publish(playlist(slug="night", title="z"), key=KEY)
        assert again.id == first.id
        simulator.upgrade()
        keyed = [asked for asked in simulator.log if "authorization" in asked.headers]
        for write in (
            feed.update("night", titled("y"), key=KEY),
            feed.publish(playlist(slug="day"), key=KEY, prefer_api_key=True),
            feed.delete("night", key=KEY),
        ):
            await write
        (kept,) = simulator.documents.values()
        assert kept["slug"] == "day"
        after = [asked for asked in simulator.log if "authorization" in asked.headers]
        assert len(after) - len(keyed) <= 1


async def test_what_an_api_key_has_published() -> None:
    """After an upgrade a playlist published with an API key can only be replaced by its id."""
    curators = [{"name": "Ada", "key": KEY.did}]
    async with served("v2", api_key=API_KEY) as (feed, simulator):
        simulator.settings.api_key = API_KEY
        given = playlist(slug="night", curators=curators)
        first = await feed.publish(given, key=KEY, prefer_api_key=True)
        same = await feed.publish(given, key=KEY, prefer_api_key=True)
        told = await feed.update("night", titled("x"), key=KEY)
        assert {first.id, same.id, told.id} == simulator.documents.keys()
        assert (same.status, told.status) == ("updated", "updated")
        assert simulator.documents[told.id]["title"] == "x"
        with pytest.raises(ConflictError, check=keyed("slug_taken")):
            await feed.publish(given, key=OTHER, prefer_api_key=True)
        # What names no owner belongs to the API key as long as the feed takes one.
        (bare,) = simulator.seed([playlist(slug="bare")])
        with pytest.raises(Dp1Error, check=keyed("key_owned")):
            await feed.publish(playlist(slug="bare"), key=KEY)
        await feed.publish(playlist(slug="bare"), key=KEY, prefer_api_key=True)
        await feed.delete(bare["id"], key=KEY)
        simulator.upgrade()
        for attempt in (
            feed.publish(given, key=KEY),
            feed.update(first.id, titled("y"), key=KEY),
        ):
            with pytest.raises(Dp1Error, check=keyed("unsigned")):
                await attempt
        told = await feed.publish({**given, "id": first.id}, key=KEY)
        assert (told.id, told.status, told.signed_by) == (first.id, "updated", KEY.did)
        await feed.publish({**given, "title": "z"}, key=KEY)
        assert simulator.documents[first.id]["title"] == "z"


async def test_refusals_of_a_signed_feed() -> None:
    """401 and 403 of a signed feed are no authentication errors."""
    async with served() as (feed, simulator):
        for status, key in ((401, "signature_refused"), (403, "forbidden")):
            simulator.fault(refusal(status, "x")).method = "POST"
            with pytest.raises(Dp1Error, check=keyed(key)):
                await feed.publish(playlist(), key=KEY)


async def test_a_feed_without_content_rating() -> None:
    """What an older feed has no place for is left out and named, also before anything is refused the next time."""
    rated = playlist(schedule={"byDisplayAt": True})
    rated["items"][1] |= {
        "contentRating": "mature",
        "contentReasons": ["nudity"],
        "displayAt": "2026-01-01T00:00:00Z",
    }
    paths = ("items[1].contentRating", "items[1].contentReasons")
    async with served(version="1.1.0") as (feed, simulator):
        told = await feed.publish(rated, key=KEY)
        assert set(told.left_out) == {"schedule", *paths}
        assert not told.changed or told.changed == told.left_out
        (held,) = simulator.documents.values()
        assert held["items"][1]["displayAt"] == "2026-01-01T00:00:00Z"
        assert "contentRating" not in held["items"][1]
        count = len(writes(simulator))
        told = await feed.update(
            told.id, lambda old: {**rated, "title": "Else"}, key=KEY
        )
        assert set(told.left_out) == {"schedule", *paths}
        assert len(writes(simulator)) == count + 1
    async with served() as (feed, simulator):
        told = await feed.publish(rated, key=KEY)
        assert told.left_out == ("schedule",)
        (held,) = simulator.documents.values()
        assert held["items"][1]["contentRating"] == "mature"


async def test_a_feed_without_deletion() -> None:
    """An answer that nothing is there does not count as deleted while the playlist can be read."""
    async with served() as (feed, simulator):
        told = await feed.publish(playlist(), key=KEY)
        missing = refusal(404, "not_found", "no such endpoint", times=None)
        missing.method = "DELETE"
        simulator.fault(missing)
        with pytest.raises(Dp1Error, check=keyed("cannot_delete")):
            await feed.delete(told.id, key=KEY)
        assert told.id in simulator.documents
        reads = [asked for asked in simulator.log if asked.method == "GET"]
        assert reads[-1].path.endswith(told.id)


async def test_older_feeds_hold_on_to_what_a_channel_shows() -> None:
    """A playlist of a channel has its own error, without the text of a database."""
    async with served("v2", api_key=API_KEY) as (feed, simulator):
        simulator.settings.api_key = API_KEY
        (held,) = simulator.seed([playlist()])
        simulator.seed(channels=[{"title": "Hall", "playlists": [held["id"]]}])
        with pytest.raises(
            ConflictError, check=keyed("in_use"), match="holds the playlist"
        ):
            await feed.delete(held["id"], key=KEY)
