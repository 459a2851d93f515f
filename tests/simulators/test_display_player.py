"""Test the simulated player: documents and their fields, intents, order, time, framing."""

from datetime import UTC, datetime
from typing import Any

import pytest

from .display.policy import due_items
from .feed import FeedSimulator
from .raw_display import FIRMWARE, NOW, RawClient, item, playlist, talking, timed, until

pytestmark = pytest.mark.usefixtures("socket_enabled")

MANIFEST = {"metadata": {"artists": [{"name": "Ada"}]}}
CONTRACT = {"chain": "evm", "tokenId": "7"}

# Documents


@pytest.mark.parametrize(
    ("profile", "version", "is_new"),
    [("A1", None, False), ("B", "2.0.0", False), ("B", None, True)],
)
async def test_unknown_fields_are_dropped(
    profile: str, version: str | None, is_new: bool
) -> None:
    """Only known fields reach the player, and no empty ones; newer firmware knows two more."""
    new = {"inlineManifest": MANIFEST, "displayAt": "2026-01-01T00:00:00Z"}
    mouse = {"click": True, "drag": False}
    work = item(
        0,
        note="n",
        **new,
        display={"margin": "5%", "autoPlay": True, "interaction": {"mouse": mouse}},
        provenance={"type": "onChain", "contract": {**CONTRACT, "x": 1}},
        license="",
    )
    kept = item(
        0,
        display={"margin": "5%", "interaction": {"mouse": {"click": True}}},
        provenance={"type": "onChain", "contract": CONTRACT},
    )
    async with talking(profile, version=version) as client:
        bare = {"source": "https://art.example.org/1", "title": "", "id": None}
        await client.cast({"items": [work, bare], "curator": "Eve", "defaults": None})
        assert (await client.status())["playlist"] == {
            "dpVersion": "",
            "title": "",
            "items": [kept | (new if is_new else {}), {"source": bare["source"]}],
        }


@pytest.mark.parametrize(
    "document",
    [
        playlist(items={}),
        playlist(items=[1]),
        playlist(title=7),
        playlist(items=[item(0, duration="60")]),
        playlist(items=[item(0, display={"userOverrides": False})]),
        playlist(items=[item(0, provenance={"contract": {"seriesId": "7"}})]),
        playlist(dynamicQuery={"endpoint": "https://example.org", "profile": "x"}),
        playlist(dynamicQueries=[{"endpoint": "https://example.org"}]),
    ],
)
async def test_wrong_types(document: dict[str, Any]) -> None:
    """A field of the wrong type fails the whole cast, and the current playlist stays."""
    async with talking("A") as client:
        await client.cast(playlist(title="Before"))
        request = {"dp1_call": document, "intent": NOW}
        assert (await client.send("displayPlaylist", request)).status == 500
        assert client.simulator.state.playlist_title == "Before"


@pytest.mark.parametrize(
    ("source", "shown"),
    [
        ("HTTP://art.example.org/1", True),
        ("/works/1:2", True),
        ("data:,x", True),
        ("data:text/html;base64,***", False),
        ("data:text/html", False),
        ("ipfs://x", False),
        ("", False),
    ],
)
async def test_sources(source: str, shown: bool) -> None:
    """One unsupported source fails the whole cast; older players accept it."""
    document = playlist(items=[item(0), item(1, source=source)])
    async with talking("A1") as client:
        assert await client.cast(document) == {"ok": shown}
        assert (client.simulator.state.playlist is not None) == shown
    async with talking("A") as client:
        assert await client.cast(document) == {"ok": True}


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


@pytest.mark.parametrize("profile", FIRMWARE)
@pytest.mark.parametrize("intent", [None, {}, {"action": ""}, "now_display"])
async def test_no_intent(profile: str, intent: object) -> None:
    """Newer firmware adds a missing intent; older refuses the cast."""
    async with talking(profile) as client:
        request = {"dp1_call": playlist(), "intent": intent}
        reply = await client.leaf("displayPlaylist", **request)
        assert reply["ok"] is (profile == "B" and intent != "now_display")


# Order and time


async def test_raw_index() -> None:
    """The index is kept as it was sent; the next work follows the current one."""
    async with timed("A") as (client, clock):
        await client.cast(playlist(3))
        assert await client.leaf("moveToArtwork", index=7) == {"ok": True}
        assert (await client.status())["index"] == 7
        assert client.simulator.state.current_title == "Work 1"
        for bad in (-1, "2", None, 1.5, True):
            assert await client.leaf("moveToArtwork", index=bad) == {"ok": False}
        await clock.advance(60)
        assert (await client.status())["index"] == 2


async def test_advance() -> None:
    """Works change after their durations, and the playlist repeats; a jump restarts the duration."""
    works = [item(0, duration=10), item(1, duration=20), item(2, duration=30)]
    async with timed("A") as (client, clock):
        await client.cast(playlist(items=works))
        seen = []
        for _ in range(7):
            seen.append(client.simulator.state.position)
            await clock.advance(10)
        assert seen == [0, 1, 1, 2, 2, 2, 0]
        await client.ask("moveToArtwork", index=1)
        await clock.advance(19)
        assert client.simulator.state.position == 1
        await clock.advance(1)
        assert client.simulator.state.position == 2


async def test_loop() -> None:
    """The mode "none" stops at the last work until the mode changes, "one" repeats it, anything else repeats the playlist."""
    async with timed("A") as (client, clock):
        await client.cast(playlist(2))
        for mode, seconds, position in (
            ("one", 150, 0),
            ("none", 600, 1),
            ("sometimes", 60, 0),
        ):
            await client.ask("setLoop", mode=mode)
            await clock.advance(seconds)
            assert client.simulator.state.position == position
        assert (await client.status())["loopMode"] == "playlist"


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


async def test_default_duration() -> None:
    """A default duration applies at once to all works but those that forbid it; older players do not have it."""
    works = [item(0), item(1), item(2, display={"loop": False}), item(3)]
    async with timed("A1") as (client, clock):
        await client.cast(playlist(items=works))
        await clock.advance(50)
        await client.ask("updateDefaultDuration", durationSeconds=100)
        for seconds, position in ((99, 0), (101, 2), (60, 3)):
            await clock.advance(seconds)
            assert client.simulator.state.position == position
        for bad in (0, "60", True):
            reply = await client.leaf("updateDefaultDuration", durationSeconds=bad)
            assert reply == {"ok": False}
        assert (await client.status())["deviceSettings"]["defaultDuration"] == 100
        await client.ask("updateDefaultDuration", durationSeconds=None)
        assert "defaultDuration" not in (await client.status())["deviceSettings"]
    async with timed("A") as (client, _):
        reply = await client.leaf("updateDefaultDuration", durationSeconds=5)
        assert reply == {"ok": False}


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


async def test_settings() -> None:
    """Saved settings stay, others last until the next work."""
    async with talking("A1") as client:
        await client.cast(playlist())
        saved = {"scaling": "fill", "tombstone": "on"}
        await client.leaf("updateDisplaySettings", isSaved=True, **saved)
        await client.leaf("updateDisplaySettings", isSaved=False, scaling="stretch")
        settings = (await client.status())["deviceSettings"]
        assert (settings["scaling"], settings["tombstone"]) == ("stretch", "on")
        assert not {"margin", "framing", "showingKey"} & set(settings)
        await client.ask("moveToArtwork", index=1)
        assert (await client.status())["deviceSettings"]["scaling"] == "fill"
        for bad in ({"scaling": "contain"}, {"tombstone": "maybe"}):
            reply = await client.leaf("updateDisplaySettings", isSaved=True, **bad)
            assert reply == {"ok": False}


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
