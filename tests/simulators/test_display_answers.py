"""Test the routes and answers of the simulated display: statuses, texts and headers of the firmware."""

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
import hashlib
import io
import json
from typing import Any

import aiohttp
from aiohttp import web
from PIL import Image
import pytest

from .raw_display import (
    FIRMWARE,
    NOT_GIVEN,
    NOW,
    Answer,
    RawClient,
    gather,
    item,
    playlist,
    talking,
    timed,
    until,
)

pytestmark = pytest.mark.usefixtures("socket_enabled")

LEGACY = ("legacy", "legacy-strict")
NOT_JSON = "Invalid JSON payload"
NO_COMMAND = "Command type is required"


def check_refusal(answer: Answer, status: int, text: str) -> None:
    """Check the format of an error."""
    assert (answer.status, answer.text) == (status, f"{text}\n")
    assert answer.headers["Content-Type"] == "text/plain; charset=utf-8"
    assert answer.headers["X-Content-Type-Options"] == "nosniff"
    assert not {"Retry-After", "Allow", "Server"} & set(answer.headers)


@asynccontextmanager
async def serving(*answers: web.Response) -> AsyncIterator[str]:
    """Serve fixed answers at /0, /1 and so on."""
    app = web.Application()

    async def answer(request: web.Request) -> web.Response:
        """Return the answer by its number."""
        chosen = answers[int(request.match_info["number"])]
        return web.Response(
            body=chosen.body, status=chosen.status, headers=chosen.headers
        )

    app.router.add_get("/{number}", answer)
    runner = web.AppRunner(app, access_log=None, shutdown_timeout=0.05)
    await runner.setup()
    await web.TCPSite(runner, "127.0.0.1", 0).start()
    yield f"http://127.0.0.1:{runner.addresses[0][1]}"
    await runner.cleanup()


# Outcomes, in the order of the checks


@pytest.mark.parametrize("profile", ["B", "C"])
async def test_too_many_requests(profile: str) -> None:
    """More than 64 requests over all routes are refused; notification sockets do not count."""
    async with talking(profile) as client:
        server = client.simulator.server
        # Long enough for 64 requests to arrive on a busy machine.
        server.latency = 2.0
        socket = await client.session.ws_connect(
            f"{client.simulator.url}/api/notification"
        )
        waiting = [asyncio.create_task(client.send("checkStatus")) for _ in range(64)]
        await until(lambda: server.in_flight == 64)
        async with aiohttp.ClientSession() as session:
            other = RawClient(client.simulator, session)
            for path in ("/api/cast", "/metrics", "/api/v2/status", "/nowhere"):
                check_refusal(
                    await other.get(path),
                    429,
                    "Too many concurrent requests, slow down",
                )
        await gather(*waiting)
        await socket.close()


@pytest.mark.parametrize(
    ("host", "accepted"),
    [
        ("192.168.1.20:1111", True),
        ("[fe80::1%25eth0]:1111", True),
        ("[::1]", True),
        ("localhost:1111", True),
        ("ff1-ab12cd34", True),
        ("FF1-AB12CD34.local.", True),
        ("wall.lan", True),
        ("wall.home", True),
        ("wall.home.arpa", True),
        ("wall.internal:80", True),
        ("ff1.example.org", False),
        ("local.example", False),
    ],
)
async def test_host(host: str, accepted: bool) -> None:
    """The newest firmware accepts only local hosts, on every route; older ones accept any."""
    for path in ("/metrics", "/nowhere"):
        async with talking("C") as client:
            answer = await client.get(path, headers={"Host": host})
            if not accepted:
                check_refusal(answer, 403, "Host not allowed")
            else:
                assert answer.status == (200 if path == "/metrics" else 404)
    async with talking("B") as client:
        assert (await client.get("/metrics", headers={"Host": host})).status == 200


@pytest.mark.parametrize("header", ["Origin", "Sec-Fetch-Site"])
async def test_origin(header: str) -> None:
    """The newest firmware refuses browsers, before it checks the method."""
    async with talking("C") as client:
        answer = await client.get("/api/cast", headers={header: "http://home.lan"})
        check_refusal(answer, 403, "Browser origins are not allowed")
        with pytest.raises(aiohttp.WSServerHandshakeError) as caught:
            await client.session.ws_connect(
                f"{client.simulator.url}/api/notification", origin="http://home.lan"
            )
        assert caught.value.status == 403
    async with talking("B") as client:
        assert (await client.get("/metrics", headers={header: "x"})).status == 200


@pytest.mark.parametrize("profile", FIRMWARE)
@pytest.mark.parametrize("method", ["GET", "PUT", "DELETE", "OPTIONS"])
async def test_method(profile: str, method: str) -> None:
    """Commands need POST."""
    async with talking(profile) as client:
        answer = await client.request(method, "/api/cast")
        check_refusal(answer, 405, "Post method is required")


async def test_too_many_commands_at_once() -> None:
    """More than 64 commands are refused before they are read."""
    async with talking("A1") as client:
        server = client.simulator.server
        server.latency = 0.5
        waiting = [asyncio.create_task(client.send("checkStatus")) for _ in range(64)]
        await until(lambda: server.casts_in_flight == 64)
        async with aiohttp.ClientSession() as session:
            other = RawClient(client.simulator, session)
            check_refusal(
                await other.post(b"?"), 429, "Too many concurrent commands, slow down"
            )
            assert (await other.get("/metrics")).status == 200
        await gather(*waiting)
        assert client.simulator.max_in_flight == 64


@pytest.mark.parametrize("profile", FIRMWARE)
async def test_large_body(profile: str) -> None:
    """Newer firmware accepts 4 MiB, older any size."""
    async with talking(profile) as client:
        filler = b" " * (4 * 1024 * 1024)
        answer = await client.post(b'{"command":"ping"}' + filler)
        if profile in "BC":
            check_refusal(answer, 413, "Request body too large")
        else:
            assert answer.status == 200
        exact = b'{"command":"ping"}'.ljust(4 * 1024 * 1024)
        assert (await client.post(exact)).status == 200


@pytest.mark.parametrize("profile", FIRMWARE)
@pytest.mark.parametrize(
    ("body", "text"),
    [
        (b"", NOT_JSON),
        (b"   ", NOT_JSON),
        (b"hello", NOT_JSON),
        (b'{"command":"ping"', NOT_JSON),
        (b"{'command':'ping'}", NOT_JSON),
        (b'{"command":"ping","request":{"n":1e999}}', NOT_JSON),
        (b'{"command":"ping","request":{"n":NaN}}', NOT_JSON),
        (b"[]", NOT_JSON),
        (b'"ping"', NOT_JSON),
        (b"7", NOT_JSON),
        (b"true", NOT_JSON),
        (b'{"command":7}', NOT_JSON),
        (b'{"command":["ping"]}', NOT_JSON),
        (b'{"command":"ping","request":[]}', NOT_JSON),
        (b'{"command":"ping","request":"x"}', NOT_JSON),
        (b'{"command":"ping","request":0}', NOT_JSON),
        (b"null", NO_COMMAND),
        (b"{}", NO_COMMAND),
        (b'{"command":null}', NO_COMMAND),
        (b'{"command":""}', NO_COMMAND),
        (b'{"messageID":"1","message":{"command":"ping"}}', NO_COMMAND),
    ],
)
async def test_malformed(profile: str, body: bytes, text: str) -> None:
    """A body that is not a command is refused."""
    async with talking(profile) as client:
        check_refusal(await client.post(body), 400, text)
        assert client.simulator.received == []


@pytest.mark.parametrize(
    "body",
    [
        b'{"command":"ping"}',
        b'{"COMMAND":"ping","Request":null}',
        b'{"command":"ping","request":{}} and more',
        b'\n{"command":"ping"}{"command":"reboot"}',
        b'{"command":"ping","intent":{},"extra":[1]}',
    ],
)
async def test_well_formed(body: bytes) -> None:
    """Keys are case-insensitive, and text behind the first value is ignored."""
    async with talking("A") as client:
        answer = await client.post(body, headers={"Content-Type": "text/html"})
        assert (answer.status, answer.text) == (200, '{"message":{"ok":true}}\n')
        assert answer.headers["Content-Type"] == "application/json"
        assert "Access-Control-Allow-Origin" not in answer.headers
        assert client.simulator.commands == ["ping"]


@pytest.mark.parametrize("profile", ["A1", "B", "C"])
async def test_storm(profile: str) -> None:
    """The rate limit has a status of its own; the oldest firmware has none."""
    async with timed(profile) as (client, _):
        answers = [await client.send("setVolume", {"percent": 8}) for _ in range(21)]
        assert [answer.status for answer in answers] == [200] * 20 + [429]
        check_refusal(answers[-1], 429, "Too many commands, slow down")
    async with timed("A") as (client, _):
        answers = [await client.send("setVolume", {"percent": 8}) for _ in range(25)]
        assert {answer.status for answer in answers} == {200}


async def test_dead_sources() -> None:
    """A playlist of dead links is refused, with ten reasons at most; one good link is enough."""
    missing, gone, good = (web.Response(status=status) for status in (404, 410, 200))
    async with serving(missing, gone, good) as base, talking("B") as client:
        dead = [
            item(0, source=f"{base}/0"),
            item(1, source="data:image/png;base64,?"),
            item(2, source=f"{base}/1"),
        ]
        arguments: dict[str, Any] = {"intent": NOW}
        answer = await client.send(
            "displayPlaylist", {**arguments, "dp1_call": playlist(items=dead)}
        )
        check_refusal(
            answer,
            422,
            "sourceUnreachable: no playlist item source is loadable"
            " (item 0: HTTP 404; item 1: unusable data: URI; item 2: HTTP 410)",
        )
        many = playlist(items=[item(n, source=f"{base}/0") for n in range(12)])
        answer = await client.send("displayPlaylist", {**arguments, "dp1_call": many})
        assert answer.status == 422
        assert answer.text.endswith("item 9: HTTP 404; and 2 more)\n")
        mixed = playlist(items=[*dead[::2], item(3, source=f"{base}/2")])
        assert (await client.cast(mixed))["ok"] is True
        assert client.simulator.state.items[0]["source"] == f"{base}/0"
    async with serving(missing) as base, talking("A1") as client:
        assert (await client.cast(playlist(items=[item(0, source=f"{base}/0")]))) == {
            "ok": True
        }


async def test_strict_signatures() -> None:
    """In strict mode, playlists without a valid signature are refused with the reason."""
    async with talking("B") as client:
        await client.ask("setSignatureVerificationMode", mode="strict")
        answer = await client.send(
            "displayPlaylist", {"dp1_call": playlist(), "intent": NOW}
        )
        check_refusal(
            answer,
            422,
            "sigInvalid: playlist rejected by strict signature verification (unsigned)",
        )
        assert client.simulator.state.playlist is None


async def test_content() -> None:
    """Works that the owner does not allow are removed; an invalid rating is refused."""
    async with talking("B", storm_gate=False) as client:
        await client.ask(
            "setContentPolicy", showMatureContent=False, strictPersonal=False
        )
        mature = item(1, contentRating="mature")
        document = playlist(items=[item(0), mature])
        assert (await client.cast(document))["ok"] is True
        assert [entry["id"] for entry in client.simulator.state.items] == ["i-0"]
        hidden = {"dp1_call": playlist(items=[mature]), "intent": NOW}
        answer = await client.send("displayPlaylist", hidden)
        assert (answer.status, answer.text.split(":")[0]) == (422, "contentBlocked")
        reply = await client.leaf(
            "displayPlaylist", **hidden, contentContext="personal"
        )
        assert reply["ok"] is True
        broken = {"dp1_call": playlist(contentRating=7), "intent": NOW}
        answer = await client.send("displayPlaylist", broken)
        assert (answer.status, answer.text.split(":")[0]) == (422, "playlistInvalid")
        client.simulator.caster.policy.block_unrated = True
        unrated = {"dp1_call": playlist(items=[item(2)]), "intent": NOW}
        answer = await client.send("displayPlaylist", unrated)
        assert (answer.status, answer.text.split(":")[0]) == (422, "contentBlocked")
        reply = await client.leaf(
            "displayPlaylist", **unrated, contentContext="personal"
        )
        assert reply["ok"] is True
        empty = {"dp1_call": playlist(), "intent": NOW, "contentContext": None}
        assert (await client.send("displayPlaylist", empty)).status == 500


@pytest.mark.parametrize("profile", FIRMWARE)
@pytest.mark.parametrize(
    ("command", "request_"),
    [
        ("displayPlaylist", NOT_GIVEN),
        ("displayPlaylist", {}),
        ("displayPlaylist", {"playlist": playlist(), "intent": NOW}),
        ("displayPlaylist", {"playlistUrl": "", "intent": NOW}),
        ("displayPlaylist", {"playlistUrl": 7, "intent": NOW}),
        ("displayPlaylist", {"playlistUrl": "ftp://example.org/x", "intent": NOW}),
        ("displayPlaylist", {"playlistUrl": "http://[bad/", "intent": NOW}),
        ("displayPlaylist", {"playlistUrl": "http://127.0.0.1:1/", "intent": NOW}),
        ("displayPlaylist", {"dp1_call": [], "intent": NOW}),
        ("displayPlaylist", {"dp1_call": "x", "intent": NOW}),
        ("setVolume", {"percent": 50.5}),
        ("setVolume", {"percent": "50"}),
        ("setVolume", {"percent": 101}),
        ("setVolume", {"percent": -1}),
        ("rotate", {"clockwise": "yes"}),
    ],
)
async def test_failure(profile: str, command: str, request_: object) -> None:
    """Any other failure has no reason."""
    async with talking(profile) as client:
        answer = await client.send(command, request_)
        check_refusal(answer, 500, "Failed to process cast request")
        assert not client.simulator.received[0].applied


@pytest.mark.parametrize("profile", FIRMWARE)
async def test_setup_page(profile: str) -> None:
    """On the set-up page the player's commands do nothing, with an empty answer; the device's commands work."""
    async with talking(profile) as client:
        client.simulator.show_setup_page()
        for command in ("checkStatus", "displayDefaultPlaylist", "anything"):
            answer = await client.send(command, {})
            assert (answer.status, answer.body) == (204, b"")
            assert "Content-Type" not in answer.headers
        answer = await client.send(
            "displayPlaylist", {"dp1_call": playlist(), "intent": NOW}
        )
        assert answer.status == 204
        assert client.simulator.state.playlist is None
        assert await client.ask("setVolume", percent=8) == {"ok": True}
        client.simulator.show_setup_page(False)
        assert (await client.status())["ok"] is True


async def test_success_is_escaped() -> None:
    """Text is escaped to be safe inside HTML."""
    async with talking("A") as client:
        await client.cast(playlist(title="<b>Sun & moon</b>\u2028"))
        answer = await client.send("checkStatus", {})
        assert r"\u003cb\u003eSun \u0026 moon\u003c/b\u003e\u2028" in answer.text
        assert answer.text.endswith("}\n")
        assert answer.json["message"]["playlist"]["title"] == "<b>Sun & moon</b>\u2028"


async def test_lost_answer() -> None:
    """An answer that takes too long is lost, although the command was carried out."""
    async with talking("A") as client:
        client.simulator.server.write_timeout = 0.05
        client.simulator.server.latency = 0.1
        with pytest.raises(aiohttp.ClientError):
            await client.send("setVolume", {"percent": 100})
        assert client.simulator.state.volume == 100


# Shapes


@pytest.mark.parametrize("profile", FIRMWARE)
async def test_shapes(profile: str) -> None:
    """The device replies flat, the player inside a message."""
    async with talking(profile) as client:
        assert await client.ask("setVolume", percent=4) == {"ok": True}
        assert await client.ask("rotate", clockwise=False) == {
            "orientation": "portrait"
        }
        assert (await client.ask("getDeviceStatus"))["screenRotation"] == "portrait"
        assert await client.ask("setLoop", mode="one") == {"message": {"ok": True}}
        assert await client.ask("setShuffle", enabled=True) == {
            "message": {"ok": False}
        }
        for unknown in (
            "updateIndex",
            "refreshPlaylist",
            "nextArtwork",
            "pauseCasting",
        ):
            assert await client.ask(unknown) == {"message": {"ok": False}}


@pytest.mark.parametrize("profile", ["A1", "B", "C"])
async def test_pairing_is_off(profile: str) -> None:
    """An error with a type is flat too."""
    async with talking(profile) as client:
        reply = await client.ask("startMintPairingSession")
        assert reply["ok"] is False
        assert reply["error"]["code"] == "disabled"
        assert reply["error"]["retryable"] is False
    async with talking("A") as old:
        assert await old.ask("startMintPairingSession") == {"message": {"ok": False}}


# Routes

STATUS = ("/api/status", "/api/v2/status")


@pytest.mark.parametrize(
    ("profile", "found"),
    [
        ("A", {"/api/cast", "/api/notification", "/metrics"}),
        ("A1", {"/api/cast", "/api/notification", "/metrics"}),
        (
            "B",
            {"/api/cast", "/api/notification", "/metrics", *STATUS, "/api/screenshot"},
        ),
        (
            "C",
            {"/api/cast", "/api/notification", "/metrics", *STATUS, "/api/screenshot"},
        ),
        ("legacy", {"/api/cast"}),
        ("legacy-strict", {"/api/cast"}),
    ],
)
async def test_routes(profile: str, found: set[str]) -> None:
    """Each generation has its routes; the rest is not found."""
    paths = ["/api/cast", "/api/notification", "/metrics", *STATUS, "/api/screenshot"]
    async with talking(profile) as client:
        for path in [*paths, "/api", "/api/cast/", "/index.html"]:
            answer = await client.get(path)
            if path in found:
                assert answer.status != 404
            else:
                check_refusal(answer, 404, "404 page not found")


async def test_versions_have_their_routes() -> None:
    """Within a generation, a later route is missing before its version."""
    async with talking("A", version="1.0.8") as client:
        assert (await client.get("/metrics")).status == 404
    async with talking("B", version="2.0.2") as client:
        assert (await client.get("/api/screenshot")).status == 404
        assert (await client.get("/api/v2/status")).status == 200


async def test_identity() -> None:
    """The status routes differ only in the contract, and only support GET."""
    async with talking("B", device_id="FF1-AB12CD34") as client:
        first, second = [await client.get(path) for path in STATUS]
        assert first.json == {**second.json, "contract": "1"}
        assert second.json == {
            "device_id": "FF1-AB12CD34",
            "version": "2.0.7",
            "branch": "release",
            "contract": "2",
            "claimed": True,
            "internet": True,
            "setup_state": "online",
            "connectivity": "connected",
            "topic_id": second.json["topic_id"],
            "network": {
                "state": "online",
                "ssid": "HomeNet",
                "link": "wifi",
                "internet": True,
            },
        }
        answer = await client.request("POST", "/api/v2/status")
        check_refusal(answer, 405, "Method not allowed")


@pytest.mark.parametrize("profile", ["A", "B"])
async def test_metrics(profile: str) -> None:
    """Casts are counted, tried and failed; newer firmware reports the network."""
    async with timed(profile, poll_interval=5) as (client, clock):
        await client.cast(playlist())
        await client.send("displayPlaylist", {"intent": NOW})
        await client.cast({"items": []})
        await clock.advance(30)
        answer = await client.get("/metrics")
        assert answer.headers["Content-Type"].startswith("text/plain; version=0.0.4")
        numbers = dict(
            line.rsplit(" ", 1)
            for line in answer.text.splitlines()
            if not line.startswith("#")
        )
        assert numbers["playback_start_total"] == "3"
        assert numbers["playback_start_failures_total"] == "2"
        assert 25 <= float(numbers["art_playback_duration_seconds_total"]) <= 30
        network = {
            'net_link_state{type="ethernet"}': "0",
            'net_link_state{type="wifi"}': "1",
            "net_wifi_signal_percent": "71",
            "relayer_connected": "1",
            "relayer_disconnects_total": "0",
        }
        assert (network.items() <= numbers.items()) is (profile == "B")
        assert "relayer_last_close_code" not in numbers


# Pictures


def read_png(body: bytes) -> tuple[int, int, Any]:
    """Return width, height and color of a PNG."""
    picture = Image.open(io.BytesIO(body))
    return *picture.size, picture.getpixel((0, 0))


async def test_screenshot() -> None:
    """A screenshot shows the work, in the shape of the screen; it is black when asleep."""
    async with talking("B", page_delay=0) as client:
        await client.cast(playlist())
        answer = await client.get("/api/screenshot?width=320")
        assert answer.headers["Content-Type"] == "image/png"
        assert answer.headers["Cache-Control"] == "no-store"
        assert answer.headers["X-FF1-Capture-Source"] == "chromium-cdp"
        digest = hashlib.sha256(answer.body).hexdigest()
        assert answer.headers["X-FF1-Capture-SHA256"] == digest
        assert answer.headers["X-FF1-Captured-At"].endswith("Z")
        width, height, pixels = read_png(answer.body)
        assert (width, height) == (320, 180)
        assert answer.headers["X-FF1-Screenshot-Width"] == "320"
        assert answer.headers["X-FF1-Screenshot-Height"] == "180"
        assert any(pixels)
        await client.ask("moveToArtwork", index=1)
        other = await client.get("/api/screenshot?width=320")
        assert other.body != answer.body
        await client.ask("sleepNow")
        await until(lambda: client.simulator.state.asleep)
        dark = read_png((await client.get("/api/screenshot?height=90")).body)
        assert dark[:2] == (160, 90)
        assert not any(dark[2])
        await client.ask("rotate", clockwise=False)
        upright = await client.get("/api/screenshot?width=400&height=400")
        assert read_png(upright.body)[:2] == (225, 400)
        whole = await client.get("/api/screenshot")
        assert whole.headers["X-FF1-Screenshot-Height"] == "3840"


async def test_screenshot_refused() -> None:
    """Every failure of a screenshot has its status."""
    async with talking("B") as client:
        screen = client.simulator.server.screen
        for query in ("width=0", "width=4097", "width=a", "width=1&width=2"):
            assert (await client.get(f"/api/screenshot?{query}")).status == 400
        answer = await client.request("POST", "/api/screenshot")
        check_refusal(answer, 405, "GET method is required")
        answer = await client.get("/api/screenshot", headers={"Origin": "null"})
        assert answer.status == 403
        screen.seconds = 0.2
        answers = await gather(
            *(client.get("/api/screenshot?width=8") for _ in range(2))
        )
        assert sorted(answer.status for answer in answers) == [200, 429]
        busy = next(answer for answer in answers if answer.status == 429)
        assert busy.headers["Retry-After"] == "1"
        screen.seconds = 0
        screen.broken = True
        assert (await client.get("/api/screenshot")).status == 502
        screen.targets = 2
        assert (await client.get("/api/screenshot")).status == 503


async def test_slow_screenshot(monkeypatch: pytest.MonkeyPatch) -> None:
    """A screenshot that takes too long fails."""
    monkeypatch.setattr("tests.simulators.display.server._CAPTURE_SECONDS", 0.05)
    async with talking("B") as client:
        client.simulator.server.screen.seconds = 5
        assert (await client.get("/api/screenshot")).status == 504


# The 2025 description


@pytest.mark.parametrize("profile", LEGACY)
async def test_legacy(profile: str) -> None:
    """Either a URL or a document is shown; both, none, an invalid document or another command is refused."""
    document = json.dumps(playlist()).encode()
    async with serving(web.Response(body=document)) as base, talking(profile) as client:
        url = f"{base}/0"

        async def status(**request: Any) -> int:
            """Cast, and return the status."""
            return (await client.send("displayPlaylist", request)).status

        assert await status(playlistUrl=url, intent=NOW) == 200
        assert client.simulator.state.playlist_url == url
        assert await status(playlist=playlist(title="Mine"), intent=NOW) == 200
        assert client.simulator.state.playlist_title == "Mine"
        assert await status(playlist=playlist(), playlistUrl=url, intent=NOW) == 400
        assert await status(intent=NOW) == 400
        assert await status(dp1_call=playlist(), intent=NOW) == 400
        assert await status(playlist={"title": "Nothing"}, intent=NOW) == 400
        assert await status(playlistUrl=f"{base}/9", intent=NOW) == 400
        for command in ("checkStatus", "getDeviceStatus", "setVolume"):
            assert (await client.send(command, {})).status == 400
        assert client.simulator.state.playlist_title == "Mine"


async def test_legacy_strictness() -> None:
    """A strict display refuses unknown keys, the other one ignores them."""
    both = {"playlist": playlist(), "dp1_call": playlist(), "intent": NOW}
    async with talking("legacy") as client:
        assert (await client.send("displayPlaylist", both)).status == 200
    async with talking("legacy-strict") as client:
        assert (await client.send("displayPlaylist", both)).status == 400


@pytest.mark.parametrize("reply", [b"", b'{"ok":true}', b'{"message":{"ok":true}}'])
async def test_legacy_reply(reply: bytes) -> None:
    """The description defines no reply, so any is possible."""
    async with talking("legacy") as client:
        client.simulator.server.legacy_reply = reply
        answer = await client.send(
            "displayPlaylist", {"playlist": playlist(), "intent": NOW}
        )
        assert (answer.status, answer.body) == (200, reply)
