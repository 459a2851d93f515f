"""Test the simulated player: documents and their fields, intents, order, time, framing."""

from datetime import UTC, datetime
import json
from typing import Any

from aiohttp import web
from aiohttp.test_utils import TestServer
import pytest

from .display import FaultKind, ManualClock
from .feed import SigningKey
from .raw_display import FIRMWARE, NOW, RawClient, item, playlist, talking, timed, until

pytestmark = pytest.mark.usefixtures("socket_enabled")

FOREVER = 999999999
ALWAYS_NEW = ("A1", "B", "C")


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
        """Return the current answer."""
        self.asked += 1
        return web.Response(body=self.body, status=self.status)

    def put(self, document: object) -> None:
        """Set the document."""
        self.body = json.dumps(document).encode()

    @property
    def url(self) -> str:
        """Return the URL of the playlist."""
        return str(self.server.make_url("/playlist"))


async def cast_url(client: RawClient, url: str, **more: Any) -> int:
    """Cast a URL."""
    request = {"playlistUrl": url, "intent": NOW, **more}
    return (await client.send("displayPlaylist", request)).status


# Documents


@pytest.mark.parametrize("profile", FIRMWARE)
async def test_nothing_loaded(profile: str) -> None:
    """An empty player leaves out missing fields."""
    async with talking(profile) as client:
        status = await client.status()
        assert {"castCommand", "playlist", "playlistUrl", "items", "index"}.isdisjoint(
            status
        )
        assert status["ok"] is True
        assert (status["loopMode"], status["shuffle"]) == ("playlist", False)
        assert (status["isPaused"], status["sleepMode"]) == (False, False)
        assert status["deviceSettings"]["scaling"] == "fit"
        assert ("tombstone" in status["deviceSettings"]) == (profile != "A")
        assert await client.leaf("moveToArtwork", index=3) == {"ok": True}
        assert await client.leaf("setShuffle", enabled=True) == {"ok": False}
        assert await client.leaf("setLoop", mode="one") == {"ok": True}
        reply = await client.leaf("refreshArtwork")
        assert (reply["ok"], reply["code"]) == (False, "no_artwork")


@pytest.mark.parametrize("profile", FIRMWARE)
async def test_inline(profile: str) -> None:
    """A document is shown from its beginning, without a URL."""
    async with talking(profile) as client:
        reply = await client.cast(playlist())
        assert reply["ok"] is True
        assert (reply.get("signatureStatus") == "unsigned") == (profile in "BC")
        await until(lambda: client.simulator.player.render_status == 2)
        status = await client.status()
        assert status["playlist"] == playlist()
        assert status["items"] == playlist()["items"]
        assert (status["index"], status["renderStatus"]) == (0, 2)
        assert status["castCommand"] == "displayPlaylist"
        assert "playlistUrl" not in status


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


@pytest.mark.parametrize("profile", FIRMWARE)
@pytest.mark.parametrize(
    "document", [{"title": "No items"}, playlist(items=[]), playlist(items=None)]
)
async def test_no_items(profile: str, document: dict[str, Any]) -> None:
    """The player refuses an empty playlist with an error message."""
    async with talking(profile) as client:
        assert (await client.cast(document))["ok"] is False
        assert client.simulator.state.playlist is None


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


@pytest.mark.parametrize("profile", FIRMWARE)
async def test_by_address(profile: str) -> None:
    """The device fetches the URL itself, and reports it as it was sent."""
    feed = Feed()
    feed.put(playlist(title="Fetched"))
    async with feed.server, talking(profile) as client:
        assert await cast_url(client, feed.url, dp1_call=playlist(), playlist={}) == 200
        assert feed.asked == 1
        status = await client.status()
        assert status["playlistUrl"] == feed.url
        assert status["playlist"]["title"] == "Fetched"


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


async def test_address_without_items() -> None:
    """An object that is no playlist is passed on to the player."""
    feed = Feed()
    feed.put({"hello": "world"})
    async with feed.server, talking("A") as client:
        reply = await client.leaf("displayPlaylist", playlistUrl=feed.url, intent=NOW)
        assert reply == {"ok": False}


async def test_refresh() -> None:
    """The URL is fetched again every five minutes; the current work stays, wherever it is then."""
    feed = Feed()
    feed.put(playlist(3))
    async with feed.server, timed("A", refresh_interval=300) as (client, clock):
        assert await cast_url(client, feed.url) == 200
        await client.ask("moveToArtwork", index=1)
        feed.put(playlist(items=[item(n, duration=3600) for n in (5, 4, 1)]))
        client.simulator.player.settings.default_duration = 3600
        await client.ask("moveToArtwork", index=1)
        await clock.advance(299)
        assert feed.asked == 1
        await clock.advance(2)
        await until(lambda: client.simulator.state.position == 2)
        assert client.simulator.state.current_title == "Work 1"
        feed.status = 500
        await clock.advance(300)
        await until(lambda: feed.asked == 3)
        assert len(client.simulator.state.items) == 3
        feed.status = 200
        feed.put(playlist(items=[item(7)]))
        await clock.advance(300)
        await until(lambda: client.simulator.state.current_title == "Work 7")


async def test_dynamic_query() -> None:
    """A query to a public server replaces the items."""
    query = {"profile": "x", "endpoint": "https://example.org", "responseMapping": {}}
    document = playlist(dynamicQuery=query)
    async with talking("A") as client:
        client.simulator.caster.dynamic_items = [item(9)]
        assert await client.cast(document) == {"ok": True}
        assert client.simulator.state.current_title == "Work 9"
        query["endpoint"] = "http://example.org"
        answer = await client.send(
            "displayPlaylist", {"dp1_call": document, "intent": NOW}
        )
        assert answer.status == 500


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


@pytest.mark.parametrize("profile", FIRMWARE)
async def test_unknown_intent(profile: str) -> None:
    """An unknown intent shows nothing."""
    async with talking(profile) as client:
        assert (await client.cast(playlist(), intent={"action": "later"}))[
            "ok"
        ] is False
        assert client.simulator.state.playlist is None


async def test_get_current() -> None:
    """This intent returns the current playlist, although a playlist is required."""
    async with talking("A") as client:
        await client.cast(playlist(title="Hanging"))
        reply = await client.cast(playlist(), intent={"action": "get_current_playlist"})
        assert reply["playlist"]["title"] == "Hanging"


async def test_schedule() -> None:
    """A time is local, whatever its offset says."""
    clock = ManualClock(datetime.fromisoformat("2026-10-05T12:00:00+02:00"))
    async with timed("A", clock=clock) as (client, _):
        intent = {"action": "schedule_play", "schedule_time": "2026-10-05T12:01:00Z"}
        assert await client.cast(playlist(), intent=intent) == {"ok": True}
        assert client.simulator.state.playlist is None
        await clock.advance(61)
        assert client.simulator.state.playlist_title == "Evening"
        for when in ("", "soon"):
            intent["schedule_time"] = when
            assert await client.cast(playlist(), intent=intent) == {"ok": False}


async def test_boot_playlist() -> None:
    """A boot playlist is shown now, and after a start without a saved playlist."""
    async with timed("A", boot_seconds=0) as (client, clock):
        assert await client.cast(playlist(), intent={"action": "display_at_boot"}) == {
            "ok": True
        }
        await client.leaf("disconnect")
        assert client.simulator.state.playlist is None
        await client.simulator.reboot()
        await clock.advance(1)
        assert client.simulator.state.playlist_title == "Evening"


async def test_later_items() -> None:
    """Newer firmware shows an item when it is due."""
    clock = ManualClock(datetime(2026, 10, 5, 12, tzinfo=UTC))
    works = [
        item(0, displayAt="2026-10-05T13:00:00Z"),
        item(1, displayAt="2026-10-05T14:00:00+00:00"),
    ]
    async with timed("B", clock=clock) as (client, _):
        reply = await client.cast(playlist(items=works))
        assert reply == {"ok": True, "deferred": True}
        assert client.simulator.state.playlist is None
        await clock.advance(3601)
        assert [entry["id"] for entry in client.simulator.state.items] == ["i-0"]
        await clock.advance(3600)
        assert [entry["id"] for entry in client.simulator.state.items] == ["i-1"]


@pytest.mark.parametrize("moment", ["2026-12-24", "soon"])
async def test_an_unreadable_time(moment: str) -> None:
    """One that newer firmware cannot read fails the whole cast, and older firmware drops all of them."""
    works = [item(0), item(1, displayAt=moment)]
    async with talking("B", storm_gate=False) as client:
        assert (
            await client.send("displayPlaylist", {"dp1_call": playlist(items=works)})
        ).status == 500
    async with talking("A", storm_gate=False) as client:
        await client.cast(playlist(items=works))
        assert len(client.simulator.state.items) == 2


async def test_signatures() -> None:
    """Newer firmware reports the result for each signature."""
    key = SigningKey.from_seed(bytes(range(32)))
    document = playlist()
    entry = key.entry(document, "curator", "2026-10-05T12:00:00Z")
    async with talking("B", storm_gate=False) as client:
        await client.ask("setSignatureVerificationMode", mode="strict")
        reply = await client.cast({**document, "signatures": [entry]})
        assert reply["signatureStatus"] == "valid"
        assert reply["signers"] == [
            {"alg": "ed25519", "kid": key.kid, "role": "curator", "ok": True}
        ]
        assert (await client.status())["signatureStatus"] == "valid"
        await client.ask("setSignatureVerificationMode", mode="notify")
        reply = await client.cast({**document, "title": "Other", "signatures": [entry]})
        assert (reply["ok"], reply["signatureStatus"]) == (True, "invalid")
        assert reply["signers"][0]["ok"] is False
        reply = await client.cast({**document, "signature": "ed25519:0x00"})
        assert reply["legacySignature"] is True


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


async def test_no_duration() -> None:
    """A work without a duration stays, and is reported with a large number; a default of the playlist is ignored."""
    work = {key: value for key, value in item(0).items() if key != "duration"}
    async with timed("A") as (client, clock):
        await client.cast(playlist(items=[work, item(1)], defaults={"duration": 5}))
        assert (await client.status())["items"][0]["duration"] == FOREVER
        await clock.advance(86400)
        assert client.simulator.state.position == 0


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


async def test_shuffle_without_ids() -> None:
    """Without ids, the original position of a work is unknown."""
    works = [{"source": f"https://art.example.org/{n}"} for n in range(4)]
    async with talking("A") as client:
        await client.cast(playlist(items=works))
        await client.ask("moveToArtwork", index=2)
        await client.ask("setShuffle", enabled=True)
        await client.ask("setShuffle", enabled=False)
        assert (await client.status())["index"] == 0


async def test_choices_are_lost() -> None:
    """Each cast resets the loop mode and the order."""
    async with talking("B") as client:
        await client.cast(playlist())
        await client.ask("setShuffle", enabled=True)
        await client.ask("setLoop", mode="one")
        await client.cast(playlist())
        status = await client.status()
        assert (status["shuffle"], status["loopMode"], status["index"]) == (
            False,
            "playlist",
            0,
        )


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


# Sleep, start, default playlist


async def test_cast_while_asleep() -> None:
    """The playlist is loaded, the page stays dark and no time passes; waking shows it."""
    async with timed("A") as (client, clock):
        await client.ask("sleepNow")
        await clock.advance(1)
        assert await client.cast(playlist()) == {"ok": True}
        await clock.advance(600)
        state = client.simulator.state
        assert (state.asleep, state.position, state.current_title) == (
            True,
            0,
            "Work 0",
        )
        reply = await client.leaf("refreshArtwork")
        assert (reply["ok"], reply["code"]) == (False, "handler_pending")
        await client.ask("wakeNow")
        await clock.advance(61)
        assert client.simulator.state.asleep is False
        assert client.simulator.state.position == 1


async def test_waking_with_nothing() -> None:
    """Waking an empty display shows the default playlist."""
    async with timed("A") as (client, clock):
        await client.leaf("setSleepMode", sleepMode=True)
        await clock.advance(1)
        await client.leaf("setSleepMode", sleepMode=False)
        await clock.advance(1)
        assert client.simulator.state.playlist_title == "Default exhibition"


@pytest.mark.parametrize("profile", FIRMWARE)
async def test_default(profile: str) -> None:
    """The default playlist wakes the display and is shown after the reply; newer players can keep a loaded playlist."""
    async with timed(profile, storm_gate=False) as (client, clock):
        await client.leaf("setSleepMode", sleepMode=True)
        await clock.advance(1)
        await client.cast(playlist())
        reply = await client.leaf("displayDefaultPlaylist", onlyIfNoPlaylist=True)
        assert reply == {"ok": True}
        await clock.advance(1)
        kept = client.simulator.state.playlist_title == "Evening"
        assert kept == (profile in ALWAYS_NEW)
        await client.leaf("displayDefaultPlaylist")
        await clock.advance(1)
        assert client.simulator.state.playlist_title == "Default exhibition"
        assert client.simulator.state.asleep is False
        source = client.simulator.state.items[0]["source"]
        async with client.session.get(source) as response:
            assert response.status == 200


async def test_start_restores() -> None:
    """A start restores the playlist and its position."""
    async with timed("B", boot_seconds=0) as (client, clock):
        await client.cast(playlist())
        await client.ask("moveToArtwork", index=2)
        await client.ask("setVolume", percent=80)
        await client.simulator.reboot()
        await clock.advance(1)
        status = await client.status()
        assert (status["playlist"]["title"], status["index"]) == ("Evening", 2)
        assert client.simulator.state.volume == 80
        assert client.simulator.counters.starts == 0


async def test_overheating() -> None:
    """An overheated player reports an error until a cast."""
    async with talking("A") as client:
        await client.cast(playlist())
        client.simulator.overheat()
        assert await client.status() == {"ok": False, "error": "overheating"}
        await client.cast(playlist())
        assert (await client.status())["ok"] is True


@pytest.mark.parametrize("profile", FIRMWARE)
async def test_dead_page(profile: str) -> None:
    """Every command of a crashed page fails; newer firmware can reload it."""
    async with talking(profile) as client:
        await client.cast(playlist())
        client.simulator.break_page()
        assert (await client.send("checkStatus", {})).status == 500
        answer = await client.send("refreshArtwork", {})
        if profile in "BC":
            assert answer.json == {"ok": True, "recovered": "navigate"}
            assert (await client.status())["ok"] is True
        else:
            assert answer.status == 500
            client.simulator.mend_page()
            assert (await client.status())["ok"] is True


async def test_render_status() -> None:
    """The render status follows a little later."""
    async with talking("B") as source, talking("B") as client:
        client.simulator.caster.preflight = False
        source.simulator.inject(FaultKind.STATUS, status=404, route="/metrics")
        works = [item(0, source=f"{source.simulator.url}/metrics")]
        await client.cast(playlist(items=works))
        await until(lambda: client.simulator.player.render_status == 3)
        source.simulator.heal()
        await client.ask("refreshArtwork")
        await until(lambda: client.simulator.player.render_status == 2)


# Framing


async def test_framing() -> None:
    """Fit and fill apply to all works; anything else is fit."""
    async with talking("A") as client:
        for value, expected in ((1, "fill"), (0, "fit"), (1, "fill"), (7, "fit")):
            assert await client.leaf("updateArtFraming", frameConfig=value) == {
                "ok": True
            }
            assert (await client.status())["deviceSettings"]["scaling"] == expected


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


async def test_disconnect() -> None:
    """The playlist is removed."""
    async with talking("A") as client:
        await client.cast(playlist())
        assert await client.leaf("disconnect") == {"ok": True}
        assert "playlist" not in await client.status()
