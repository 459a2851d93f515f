"""Test the routes and answers of the simulated display: statuses, texts and headers of the firmware."""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
import json
from typing import Any

import aiohttp
from aiohttp import web
import pytest

from .raw_display import (
    FIRMWARE,
    NOT_GIVEN,
    NOW,
    Answer,
    gather,
    playlist,
    talking,
    timed,
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


async def test_too_much() -> None:
    """A body is limited, and so are the requests at the same time."""
    async with talking("B", fetch_seconds=1, storm_gate=False) as client:
        large = b'{"command":"ping","request":{"x":"%b"}}'
        answer = await client.post(large % (b"x" * 4 * 1024 * 1024))
        check_refusal(answer, 413, "Request body too large")
        slow = {"playlistUrl": "https://art.example.org/", "intent": NOW}
        answers = await gather(
            *(client.send("displayPlaylist", {**slow, "n": n}) for n in range(65))
        )
        assert sorted(answer.status for answer in answers) == [429, *[500] * 64]


async def test_success_is_escaped() -> None:
    """Text is escaped to be safe inside HTML."""
    async with talking("A") as client:
        await client.cast(playlist(title="<b>Sun & moon</b>\u2028"))
        answer = await client.send("checkStatus", {})
        assert r"\u003cb\u003eSun \u0026 moon\u003c/b\u003e\u2028" in answer.text
        assert answer.text.endswith("}\n")
        assert answer.json["message"]["playlist"]["title"] == "<b>Sun & moon</b>\u2028"


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


# The 2025 description


@pytest.mark.parametrize("profile", LEGACY)
async def test_legacy(profile: str) -> None:
    """Either a URL or a document is shown; both, none, an invalid document or another command is refused."""
    document = json.dumps(playlist()).encode()
    async with serving(web.Response(body=document)) as base, talking(profile) as client:
        url = f"{base}/0"

        async def status(**request: Any) -> int:
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
