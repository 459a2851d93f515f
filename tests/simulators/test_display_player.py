"""Test the simulated player: documents and their fields, intents, order, time, framing."""

from datetime import UTC, datetime

import pytest

from .display.policy import due_items
from .feed import FeedSimulator
from .raw_display import NOW, RawClient, item, playlist, talking, until

pytestmark = pytest.mark.usefixtures("socket_enabled")


# Documents


@pytest.mark.parametrize(
    ("status", "body", "expected"),
    [
        (200, b"<!doctype html>", 500),
        (200, b"null", 500),
        (200, b'{"items":7}', 500),
        (404, b'{"items":[{"source":"x"}]}', 500),
        (206, b'{"items":[{"source":"x"}]}', 200),
    ],
)
async def test_bad_addresses(status: int, body: bytes, expected: int) -> None:
    """Any answer but a document is a failure without a reason."""
    async with FeedSimulator() as feed, talking("A") as client:
        feed.fault(status=status, body=body)
        request = {"playlistUrl": f"{feed.url}/playlists/x", "intent": NOW}
        assert (await client.send("displayPlaylist", request)).status == expected


# Order and time


async def test_shuffle() -> None:
    """The current work comes first and the status has the shuffled order; turning it off restores the order."""

    async def told(client: RawClient) -> tuple[int, bool, list[str]]:
        status = await client.status()
        order = [entry["id"] for entry in status["items"]]
        return status["index"], status["shuffle"], order

    async with talking("A") as client:
        await client.cast(playlist(12))
        natural = (await told(client))[2]
        await client.ask("moveToArtwork", index=5)
        await client.ask("setShuffle", enabled=True)
        index, shuffle, order = await told(client)
        assert (index, shuffle, order[0]) == (0, True, "i-5")
        assert order != natural and sorted(order) == sorted(natural)
        await client.ask("setShuffle", enabled=True)
        assert (await told(client))[2] not in (order, natural)
        await client.ask("setShuffle", enabled=False)
        assert await told(client) == (5, False, natural)


# What newer firmware hides

HIDDEN = {"show_mature": False}
UNRATED = {"block_unrated": True}
PERSONAL = {"contentContext": "personal"}


@pytest.mark.parametrize(
    ("policy", "rating", "more", "is_shown"),
    [
        ({}, "mature", {}, True),
        (HIDDEN, "mature", {}, False),
        (HIDDEN, "general", {}, True),
        (HIDDEN, "mature", PERSONAL, True),
        ({**HIDDEN, "strict_personal": True}, "mature", PERSONAL, False),
        (UNRATED, None, {}, False),
        (UNRATED, "general", {}, True),
        (UNRATED, None, PERSONAL, True),
    ],
)
async def test_content_policy(
    policy: dict[str, bool], rating: str | None, more: dict[str, str], is_shown: bool
) -> None:
    """Works are hidden by their rating, and by whose they are."""
    async with talking("B") as client:
        for name, value in policy.items():
            setattr(client.simulator.caster.policy, name, value)
        works = [item(0, contentRating=rating), item(1, contentRating="general")]
        await client.cast(playlist(items=works), **more)
        shown = [entry["id"] for entry in client.simulator.state.items]
        assert ("i-0" in shown) is is_shown


@pytest.mark.parametrize(
    ("moments", "due", "following"),
    [
        ((None, None), "01", None),
        (("2026-10-05T00:00:00Z", "2026-10-06T00:00:00Z"), "0", 6),
        (("2026-10-04T00:00:00Z", "2026-10-05T12:00:00Z"), "1", None),
        (("2026-10-05T00:00:00Z", "2026-10-05T00:00:00Z"), "01", None),
        (("2026-10-05T00:00:00Z", None), "01", None),
        (("2026-10-05T14:00:00+02:00", "someday"), "0", None),
    ],
)
def test_due_works(
    moments: tuple[str | None, ...], due: str, following: int | None
) -> None:
    """Works of the latest moment are shown, and those without one; what is no time is never due."""
    now = datetime(2026, 10, 5, 12, tzinfo=UTC)
    works = [item(n, displayAt=moment) for n, moment in enumerate(moments)]
    shown, later = due_items(works, now)
    assert "".join(work["id"][-1] for work in shown) == due
    assert (later.day if later else None) == following


async def test_offline_cache() -> None:
    """Works are downloaded one by one, and only where that is switched on."""
    async with FeedSimulator() as feed, talking("B") as client:
        works = [item(0, source=feed.url), item(1, source=f"{feed.url}/none")]
        request = {"dp1_call": playlist(items=works)}
        reply = await client.ask("downloadPlaylist", **request)
        assert reply["error"]["code"] == "disabled"
        offline = client.simulator.offline
        offline.enabled = True
        reply = await client.ask("downloadPlaylist", **request)
        assert (reply["total"], reply["queuedCount"]) == (2, 2)
        await until(lambda: offline.ready == {feed.url})
        broken = works[1]["source"]
        await until(lambda: offline.entries[broken]["state"] == "broken_online")
        reply = await client.ask("getOfflineCacheStatus")
        assert reply["totals"] == {"items": 2, "ready": 1}


# Framing


async def test_composition() -> None:
    """The newest players count revisions, have a key for each showing, and support framing."""
    async with talking("B") as client:
        await client.cast(playlist())
        before = (await client.status())["deviceSettings"]
        changes = {"framing": "fill", "margin": "2%", "background": "#fff"}
        reply = await client.leaf("updateDisplaySettings", isSaved=True, **changes)
        revision = before["compositionRevision"] + 1
        assert reply == {"ok": True, "acceptedCompositionRevision": revision}
        settings = (await client.status())["deviceSettings"]
        assert settings.items() >= changes.items()
        key = settings["showingKey"]
        assert key == before["showingKey"]
        for temporary, is_taken in (
            ({"framing": "fit"}, False),
            ({"margin": 5, "showingKey": "other"}, False),
            ({"margin": 5, "showingKey": key}, True),
            ({"margin": 7}, True),
        ):
            request = {"isSaved": False, **temporary}
            reply = await client.leaf("updateDisplaySettings", **request)
            assert reply["ok"] is is_taken
        assert (await client.status())["deviceSettings"]["margin"] == 7
        await client.ask("moveToArtwork", index=1)
        settings = (await client.status())["deviceSettings"]
        assert settings["margin"] == "2%" and settings["showingKey"] != key
