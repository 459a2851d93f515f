"""Test the feed client with simulated servers of two families."""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
import json
from typing import Any, Literal

import aiohttp
from hypothesis import HealthCheck, assume, example, given, settings
import pytest

from custom_components.dp1.client.errors import ConflictError, Dp1Error, NotFoundError
from custom_components.dp1.client.feed.client import Feed
from custom_components.dp1.client.playlist.signing import SigningKey, verify

from .feeds import KEY, impatient, playlist

from tests.client.keys import keyed
from tests.client.playlist.test_document import playlists
from tests.simulators.feed import (
    FeedSimulator,
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
        with pytest.raises(Dp1Error, check=keyed("not_owner")):
            await feed.publish(playlist(id=first.id), key=other)
        assert list(simulator.documents.values()) == [third.document]


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
