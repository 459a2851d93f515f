"""Test the simulated player: documents and their fields, intents, order, time, framing."""

from datetime import UTC, datetime
import json
from typing import Any

from aiohttp import web
from aiohttp.test_utils import TestServer
import pytest

from .display.policy import due_items
from .raw_display import FIRMWARE, NOW, RawClient, item, playlist, talking, timed, until

pytestmark = pytest.mark.usefixtures("socket_enabled")


class Feed:
    """A server of one playlist, which can be changed."""

    def __init__(self) -> None:
        """Initialize without a playlist."""
        self.body = b""
        self.status = 200
        self.asked = 0
        app = web.Application()
        app.router.add_get("/playlist", self._answer)
        self.server = TestServer(app)

    async def _answer(self, _: web.Request) -> web.Response:
        self.asked += 1
        return web.Response(body=self.body, status=self.status)

    def put(self, document: object) -> None:
        self.body = json.dumps(document).encode()

    @property
    def url(self) -> str:
        return str(self.server.make_url("/playlist"))


async def cast_url(client: RawClient, url: str, **more: Any) -> int:
    request = {"playlistUrl": url, "intent": NOW, **more}
    return (await client.send("displayPlaylist", request)).status


# Documents


async def test_unknown_fields_are_dropped() -> None:
    """Only known fields reach the player; newer firmware knows two more."""
    manifest = {"metadata": {"artists": [{"name": "Ada"}]}}
    work = item(
        0,
        metadata={"artist": "Ada"},
        note="n",
        inlineManifest=manifest,
        displayAt="2026-01-01T00:00:00Z",
        display={
            "scaling": "fill",
            "autoPlay": True,
            "margin": "5%",
            "interaction": {"mouse": {"click": True, "drag": False}},
        },
        provenance={
            "type": "onChain",
            "contract": {"tokenId": "7", "chain": "evm", "x": 1},
        },
        license="",
    )
    document = playlist(
        items=[work], curator="Eve", curators=[{"name": "Eve", "key": "k"}]
    )
    old = {
        **item(0),
        "display": {
            "scaling": "fill",
            "margin": "5%",
            "autoplay": True,
            "interaction": {"mouse": {"click": True}},
        },
        "provenance": {"type": "onChain", "contract": {"chain": "evm", "tokenId": "7"}},
    }
    new = {**old, "inlineManifest": manifest, "displayAt": "2026-01-01T00:00:00Z"}
    for profile, version, expected in (
        ("A", None, old),
        ("A1", None, old),
        ("B", "2.0.0", old),
        ("B", "2.0.3", new),
        ("C", None, new),
    ):
        async with talking(profile, version=version) as client:
            await client.cast(document)
            shown = (await client.status())["playlist"]
            assert shown["items"] == [expected]
            assert "curator" not in shown
            assert shown["curators"] == [{"name": "Eve", "key": "k"}]


async def test_empty_fields() -> None:
    """Titles and versions are always present afterwards, empty texts are not; null counts as missing."""
    async with talking("A") as client:
        await client.cast(
            {
                "Items": [
                    {"SOURCE": "https://art.example.org/1", "title": "", "id": None}
                ],
                "slug": "",
                "defaults": None,
            }
        )
        assert (await client.status())["playlist"] == {
            "dpVersion": "",
            "title": "",
            "items": [{"source": "https://art.example.org/1"}],
        }


@pytest.mark.parametrize(
    "document",
    [
        playlist(items={}),
        playlist(items=[1]),
        playlist(items="none"),
        playlist(title=7),
        playlist(defaults=[]),
        playlist(items=[item(0, duration="60")]),
        playlist(items=[item(0, license={"id": "open"})]),
        playlist(items=[item(0, display={"userOverrides": False})]),
        playlist(
            items=[item(0, provenance={"type": "x", "contract": {"seriesId": "7"}})]
        ),
        playlist(dynamicQuery={"endpoint": "https://example.org", "profile": "x"}),
        playlist(dynamicQueries=[{"endpoint": "https://example.org"}]),
    ],
)
async def test_wrong_types(document: dict[str, Any]) -> None:
    """A field of the wrong type fails the whole cast, and the current playlist stays."""
    async with talking("A") as client:
        await client.cast(playlist(title="Before"))
        answer = await client.send(
            "displayPlaylist", {"dp1_call": document, "intent": NOW}
        )
        assert answer.status == 500
        assert client.simulator.state.playlist_title == "Before"


@pytest.mark.parametrize(
    ("source", "shown"),
    [
        ("https://art.example.org/1", True),
        ("HTTP://art.example.org/1", True),
        ("works/1.html", True),
        ("/works/1:2", True),
        ("data:,x", True),
        ("data:text/html;base64,PGI+", True),
        ("data:text/html;base64,***", False),
        ("data:text/html", False),
        ("data:,", False),
        ("ipfs://x", False),
        ("ar://x", False),
        ("web+art:x", False),
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


# URLs


@pytest.mark.parametrize(
    ("status", "body", "expected"),
    [
        (200, b"<!doctype html>", 500),
        (200, b"", 500),
        (200, b"[]", 500),
        (200, b"null", 500),
        (200, b'{"items":7}', 500),
        (200, b'{"items":[{"source":"x"}]} and more', 500),
        (404, b'{"items":[{"source":"x"}]}', 500),
        (500, b"", 500),
        (206, b'{"items":[{"source":"x"}]}', 200),
    ],
)
async def test_bad_addresses(status: int, body: bytes, expected: int) -> None:
    """Any answer but a document is a failure without a reason."""
    feed = Feed()
    feed.status, feed.body = status, body
    async with feed.server, talking("A") as client:
        assert await cast_url(client, feed.url) == expected


# Intents


@pytest.mark.parametrize("profile", FIRMWARE)
@pytest.mark.parametrize("intent", [None, {}, {"action": ""}, "now_display"])
async def test_no_intent(profile: str, intent: object) -> None:
    """Newer firmware adds a missing intent; older refuses the cast."""
    async with talking(profile) as client:
        request: dict[str, Any] = {"dp1_call": playlist(), "intent": intent}
        if intent is None:
            del request["intent"]
        body = {"command": "displayPlaylist", "request": request, "intent": NOW}
        answer = await client.post(json.dumps(body).encode())
        expected = profile in "BC" and intent != "now_display"
        assert (answer.status, answer.json["message"]["ok"]) == (200, expected)


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
        await client.ask("setLoop", mode="one")
        await clock.advance(150)
        assert client.simulator.state.position == 0
        await client.ask("setLoop", mode="none")
        await clock.advance(600)
        assert client.simulator.state.position == 1
        await client.ask("setLoop", mode="sometimes")
        assert (await client.status())["loopMode"] == "playlist"
        await clock.advance(60)
        assert client.simulator.state.position == 0


async def test_shuffle() -> None:
    """The current work comes first and the status has the shuffled order; turning it off restores the order."""
    async with talking("A") as client:
        await client.cast(playlist(12))
        await client.ask("moveToArtwork", index=5)
        assert await client.leaf("setShuffle", enabled=True) == {"ok": True}
        status = await client.status()
        order = [entry["id"] for entry in status["items"]]
        natural = [f"i-{n}" for n in range(12)]
        assert (status["index"], order[0], status["shuffle"]) == (0, "i-5", True)
        assert order != natural and sorted(order) == sorted(natural)
        await client.ask("setShuffle", enabled=True)
        again = [entry["id"] for entry in (await client.status())["items"]]
        assert again[0] == "i-5" and again != order
        await client.ask("setShuffle", enabled=False)
        status = await client.status()
        assert [entry["id"] for entry in status["items"]] == natural
        assert (status["index"], status["shuffle"]) == (5, False)


async def test_default_duration() -> None:
    """A default duration applies at once to all works but those that forbid it; older players do not have it."""
    works = [item(0), item(1), item(2, display={"loop": False}), item(3)]
    async with timed("A1") as (client, clock):
        await client.cast(playlist(items=works))
        await clock.advance(50)
        assert await client.leaf("updateDefaultDuration", durationSeconds=100) == {
            "ok": True
        }
        assert (await client.status())["deviceSettings"]["defaultDuration"] == 100
        await clock.advance(99)
        assert client.simulator.state.position == 0
        await clock.advance(101)
        assert client.simulator.state.position == 2
        await clock.advance(60)
        assert client.simulator.state.position == 3
        for bad in (0, -1, "60", True):
            reply = await client.leaf("updateDefaultDuration", durationSeconds=bad)
            assert reply == {"ok": False}
        await client.ask("updateDefaultDuration", durationSeconds=None)
        assert "defaultDuration" not in (await client.status())["deviceSettings"]
    async with timed("A") as (client, _):
        assert await client.leaf("updateDefaultDuration", durationSeconds=5) == {
            "ok": False
        }


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
        works = [
            item(0),
            item(1, contentRating=rating),
            item(2, contentRating="general"),
        ]
        await client.cast(playlist(items=works), **more)
        shown = [entry["id"] for entry in client.simulator.state.items]
        assert ("i-1" in shown) is is_shown


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
    feed = Feed()
    async with feed.server, talking("B") as client:
        works = [item(0, source=feed.url), item(1, source=f"{feed.url}/none")]
        request = {"dp1_call": playlist(items=works)}
        reply = await client.ask("downloadPlaylist", **request)
        assert reply["error"]["code"] == "disabled"
        offline = client.simulator.offline
        offline.enabled = True
        reply = await client.ask("downloadPlaylist", **request)
        assert (reply["total"], reply["queuedCount"]) == (2, 2)
        await until(lambda: offline.ready == {feed.url})
        reply = await client.ask("getOfflineCacheStatus")
        await until(
            lambda: offline.entries[works[1]["source"]]["state"] == "broken_online"
        )
        assert reply["totals"] == {"items": 2, "ready": 1}


# Framing


async def test_settings() -> None:
    """Saved settings stay, others last until the next work."""
    async with talking("A1") as client:
        await client.cast(playlist())
        await client.leaf(
            "updateDisplaySettings", isSaved=True, scaling="fill", tombstone="on"
        )
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
        reply = await client.leaf(
            "updateDisplaySettings",
            isSaved=True,
            framing="fill",
            margin="2%",
            background="#fff",
        )
        assert reply == {
            "ok": True,
            "acceptedCompositionRevision": before["compositionRevision"] + 1,
        }
        settings = (await client.status())["deviceSettings"]
        assert (settings["framing"], settings["margin"]) == ("fill", "2%")
        assert settings["background"] == "#fff"
        key = settings["showingKey"]
        assert key == before["showingKey"]

        async def temporary(**changes: Any) -> bool:
            """Change a setting until the next work."""
            reply = await client.leaf("updateDisplaySettings", isSaved=False, **changes)
            return bool(reply["ok"])

        assert await temporary(framing="fit") is False
        assert await temporary(margin=5, showingKey="other") is False
        assert await temporary(margin=5, showingKey=key) is True
        assert await temporary(margin=7) is True
        assert (await client.status())["deviceSettings"]["margin"] == 7
        await client.ask("moveToArtwork", index=1)
        settings = (await client.status())["deviceSettings"]
        assert settings["margin"] == "2%" and settings["showingKey"] != key
