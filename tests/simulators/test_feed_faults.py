"""Test the faults of the simulated feed."""

import asyncio
from collections.abc import AsyncIterator
import json
import time
from typing import Any

import aiohttp
import pytest

from .feed import (
    Cut,
    FeedSimulator,
    Paging,
    bad_gateway,
    bare_items,
    both_signatures,
    dynamic_only,
    legacy_signature,
    nanosecond_created,
    refusal,
    tampered,
    too_many_requests,
    unknown_fields,
    verify,
)
from .feed.faults import Change, Fault

_DRAFT: dict[str, Any] = {
    "dpVersion": "1.1.0",
    "title": "Evening Loop",
    "items": [
        {
            "title": "Work 1",
            "source": "https://art.example/1.html",
            "duration": 60,
            "license": "open",
        }
    ],
}


@pytest.fixture
async def feed(socket_enabled: None) -> AsyncIterator[FeedSimulator]:
    """Serve a feed with one playlist."""
    async with FeedSimulator() as simulator:
        simulator.seed([_DRAFT])
        yield simulator


@pytest.fixture
async def session(socket_enabled: None) -> AsyncIterator[aiohttp.ClientSession]:
    """Return a client session without retries."""
    connector = aiohttp.TCPConnector(force_close=True)
    async with aiohttp.ClientSession(connector=connector) as client:
        yield client


async def _read(session: aiohttp.ClientSession, url: str) -> Any:
    """Return the response of a URL."""
    async with session.get(url) as response:
        return await response.json()


async def _publish(feed: FeedSimulator, session: aiohttp.ClientSession) -> int:
    """Publish a playlist and return the status."""
    headers = {"Authorization": f"Bearer {feed.api_key}"}
    async with session.post(
        f"{feed.url}/playlists", json=_DRAFT, headers=headers
    ) as response:
        await response.read()
        return response.status


async def test_answers_of_others(
    feed: FeedSimulator, session: aiohttp.ClientSession
) -> None:
    """Queued responses are sent in order, as often as set, to matching requests only."""
    feed.fault(too_many_requests(1.5, method="POST"))
    feed.fault(bad_gateway(times=2))
    feed.fault(refusal(409, "conflict"))
    async with session.get(f"{feed.url}/playlists") as response:
        assert (response.status, response.content_type) == (502, "text/html")
    headers = {"Authorization": f"Bearer {feed.api_key}"}
    async with session.post(
        f"{feed.url}/playlists", json=_DRAFT, headers=headers
    ) as response:
        assert (response.status, response.headers["Retry-After"]) == (429, "1.5")
    assert await _publish(feed, session) == 502
    assert (await _read(session, f"{feed.url}/playlists"))["error"] == "conflict"
    assert await _publish(feed, session) == 201
    assert feed.requests["POST", "/api/v1/playlists"] == 3
    assert [asked.method for asked in feed.log] == [
        "GET",
        "POST",
        "POST",
        "GET",
        "POST",
    ]


async def test_faults_of_one_path(
    feed: FeedSimulator, session: aiohttp.ClientSession
) -> None:
    """A fault can be permanent, limited to a path and query, and removed."""
    fault = feed.fault(
        path=r"/playlists\?limit=1$", times=None, status=503, body={"error": "x"}
    )
    for _ in range(3):
        assert await _read(session, f"{feed.url}/playlists?limit=1") == {"error": "x"}
    assert "items" in await _read(session, f"{feed.url}/playlists?limit=2")
    feed.faults.remove(fault)
    assert "items" in await _read(session, f"{feed.url}/playlists?limit=1")


@pytest.mark.parametrize(
    ("cut", "stored"),
    [
        (Cut.BEFORE_BODY, 0),
        (Cut.AFTER_BODY, 0),
        (Cut.AFTER_DONE, 1),
        (Cut.IN_ANSWER, 1),
    ],
)
async def test_cuts(
    feed: FeedSimulator, session: aiohttp.ClientSession, cut: Cut, stored: int
) -> None:
    """The connection is closed before or after the request is carried out."""
    before = len(feed.documents)
    feed.fault(method="POST", cut=cut)
    with pytest.raises(aiohttp.ClientError):
        await _publish(feed, session)
    assert len(feed.documents) == before + stored
    assert feed.request_count == 1
    assert bool(feed.log[0].body) is (cut is not Cut.BEFORE_BODY)
    assert await _publish(feed, session) == 201


async def test_done_but_denied(
    feed: FeedSimulator, session: aiohttp.ClientSession
) -> None:
    """An error is returned although the request was carried out."""
    feed.fault(status=500, body={"error": "internal_error"}, done=True)
    assert await _publish(feed, session) == 500
    assert len(feed.documents) == 2


async def test_slow_answers(
    feed: FeedSimulator, session: aiohttp.ClientSession
) -> None:
    """One or all responses are delayed, and requests in flight counted."""
    feed.fault(delay=0.2)
    started = time.monotonic()
    await _read(session, f"{feed.url}/playlists")
    assert time.monotonic() - started >= 0.2
    feed.latency = 0.05
    await asyncio.gather(*(_read(session, f"{feed.url}/playlists") for _ in range(5)))
    assert (feed.most_in_flight, feed.in_flight) == (5, 0)


async def test_lists_without_end(
    feed: FeedSimulator, session: aiohttp.ClientSession
) -> None:
    """A list repeats itself, or has empty further pages."""
    feed.fault(paging=Paging.REPEAT, times=2)
    first = await _read(session, f"{feed.url}/playlists")
    assert (
        await _read(session, f"{feed.url}/playlists?cursor={first['cursor']}") == first
    )
    assert first["hasMore"] is True and len(first["items"]) == 1
    feed.fault(paging=Paging.EMPTY, times=2)
    page = await _read(session, f"{feed.url}/playlists")
    other = await _read(session, f"{feed.url}/playlists?cursor={page['cursor']}")
    assert (page["items"], page["hasMore"], other["items"]) == ([], True, [])
    assert other["cursor"] != page["cursor"]


@pytest.mark.parametrize(
    ("change", "holds"),
    [
        (tampered, False),
        (both_signatures, True),
        (nanosecond_created, True),
        (unknown_fields, True),
        (bare_items, True),
        (dynamic_only, True),
    ],
)
async def test_odd_documents(
    feed: FeedSimulator, session: aiohttp.ClientSession, change: Change, holds: bool
) -> None:
    """Documents are changed in responses and lists, with a valid or invalid signature."""
    identifier, stored = next(iter(feed.documents.items()))
    feed.faults += [Fault(change=change, times=2)]
    single = await _read(session, f"{feed.url}/playlists/{identifier}")
    page = await _read(session, f"{feed.url}/playlists")
    assert single == page["items"][0] != stored
    assert verify(single, single["signatures"][-1]) is holds
    assert await _read(session, f"{feed.url}/playlists/{identifier}") == stored


async def test_old_signatures(
    feed: FeedSimulator, session: aiohttp.ClientSession
) -> None:
    """A document can have the old signature only."""
    feed.fault(change=legacy_signature)
    document = (await _read(session, f"{feed.url}/playlists"))["items"][0]
    assert document["signature"].startswith("ed25519:0x")
    assert "signatures" not in document


async def test_stored_documents(
    feed: FeedSimulator, session: aiohttp.ClientSession
) -> None:
    """Stored documents can be read and changed, and are kept over a restart."""
    identifier = next(iter(feed.documents))
    url = f"{feed.url}/playlists/{identifier}"
    feed.documents[identifier]["title"] = "Forged"
    await feed.stop()
    with pytest.raises(aiohttp.ClientConnectionError):
        await _read(session, url)
    await feed.start()
    assert (await _read(session, url))["title"] == "Forged"


@pytest.mark.parametrize("family", ["v2", "ts"])
async def test_seeds(family: str, session: aiohttp.ClientSession) -> None:
    """Playlists, channels and groups can be stored at the start."""
    async with FeedSimulator("v2" if family == "v2" else "ts") as simulator:
        one, two = simulator.seed(
            [
                _DRAFT,
                _DRAFT | {"id": "385f79b6-a45f-4c1c-8080-e93a192adccc", "slug": "two"},
            ]
        )
        members = {"title": "House", "playlists": [two["id"], one["slug"]]}
        channel, group = simulator.seed(channels=[members], groups=[members])
        assert channel["playlists"][0] == f"{simulator.url}/playlists/{two['id']}"
        assert simulator.channels[channel["id"]] == channel
        assert simulator.groups[group["id"]] == group
        assert await _read(session, f"{simulator.url}/playlists/two") == two
        assert (
            await _read(session, f"{simulator.url}/channels/{channel['slug']}")
            == channel
        )
        for query in (f"channel={channel['id']}", f"playlist-group={group['id']}"):
            page = await _read(session, f"{simulator.url}/playlists?{query}")
            assert {document["id"] for document in page["items"]} == {
                one["id"],
                two["id"],
            }
        assert ("signatures" in one) is (family == "v2")
        if family == "v2":
            assert all(
                verify(document, document["signatures"][0])
                for document in (one, two, channel, group)
            )
        odd = {
            "id": "485f79b6-a45f-4c1c-8080-e93a192adccc",
            "slug": "odd",
            "created": "2026-01-01T00:00:00Z",
            "items": [],
        }
        simulator.seed([odd], verbatim=True)
        assert await _read(session, f"{simulator.url}/playlists/odd") == odd


async def test_the_same_seed_gives_the_same_ids(socket_enabled: None) -> None:
    """The same seed gives the same ids."""
    stored = []
    for _ in range(2):
        async with FeedSimulator(random_seed=7) as simulator:
            stored.append(json.dumps(simulator.seed([_DRAFT])))
    assert stored[0] == stored[1]
