"""Test the routes and answers of the simulated display: statuses, texts and headers of the firmware."""

import json
from typing import Any

import pytest

from .feed import FeedSimulator
from .raw_display import FIRMWARE, NOT_GIVEN, NOW, Answer, gather, playlist, talking

pytestmark = pytest.mark.usefixtures("socket_enabled")

NOT_JSON = "Invalid JSON payload"
NO_COMMAND = "Command type is required"
FIRST = {"/api/cast", "/api/notification", "/metrics"}
SECOND = FIRST | {"/api/status", "/api/v2/status", "/api/screenshot"}


def check_refusal(answer: Answer, status: int, text: str) -> None:
    """Check the format of an error."""
    assert (answer.status, answer.text) == (status, f"{text}\n")
    assert answer.headers["Content-Type"] == "text/plain; charset=utf-8"
    assert answer.headers["X-Content-Type-Options"] == "nosniff"
    assert not {"Retry-After", "Allow", "Server"} & set(answer.headers)


@pytest.mark.parametrize(
    ("headers", "text"),
    [
        ({"Host": "192.168.1.20:1111"}, ""),
        ({"Host": "[::1]"}, ""),
        ({"Host": "FF1-AB12CD34.local."}, ""),
        ({"Host": "ff1.example.org"}, "Host not allowed"),
        ({"Origin": "http://home.lan"}, "Browser origins are not allowed"),
    ],
)
async def test_guard(headers: dict[str, str], text: str) -> None:
    """The newest firmware accepts only local hosts and no browsers, on every route; older ones accept any."""
    async with talking("C") as client:
        answer = await client.get("/nowhere", headers=headers)
        check_refusal(answer, 403 if text else 404, text or "404 page not found")
    async with talking("B") as client:
        assert (await client.get("/metrics", headers=headers)).status == 200


@pytest.mark.parametrize(
    ("body", "text"),
    [
        (b"", NOT_JSON),
        (b"{'command':'checkStatus'}", NOT_JSON),
        (b'"checkStatus"', NOT_JSON),
        (b'{"command":7}', NOT_JSON),
        (b'{"command":"checkStatus","request":[]}', NOT_JSON),
        (b"null", NO_COMMAND),
        (b'{"command":""}', NO_COMMAND),
        (b'{"messageID":"1","message":{"command":"checkStatus"}}', NO_COMMAND),
    ],
)
async def test_malformed(body: bytes, text: str) -> None:
    """A body that is not a command is refused."""
    async with talking("A") as client:
        check_refusal(await client.post(body), 400, text)
        assert client.simulator.received == []


@pytest.mark.parametrize("profile", FIRMWARE)
@pytest.mark.parametrize(
    ("command", "request_"),
    [
        ("displayPlaylist", NOT_GIVEN),
        ("displayPlaylist", {"playlistUrl": 7, "intent": NOW}),
        ("displayPlaylist", {"playlistUrl": "http://127.0.0.1:1/", "intent": NOW}),
        ("displayPlaylist", {"dp1_call": [], "intent": NOW}),
        ("setVolume", {"percent": 50.5}),
        ("setVolume", {"percent": 101}),
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
        large = b'{"command":"setLoop","request":{"x":"%b"}}'
        answer = await client.post(large % (b"x" * 4 * 1024 * 1024))
        check_refusal(answer, 413, "Request body too large")
        slow = {"playlistUrl": "https://art.example.org/", "intent": NOW}
        answers = await gather(
            *(client.send("displayPlaylist", {**slow, "n": n}) for n in range(65))
        )
        assert sorted(answer.status for answer in answers) == [429, *[500] * 64]


async def test_shapes() -> None:
    """The device replies flat, the player inside a message, also to what it does not know."""
    async with talking("A") as client:
        assert await client.ask("setVolume", percent=4) == {"ok": True}
        assert await client.ask("setLoop", mode="one") == {"message": {"ok": True}}
        for unknown in ("nextArtwork", "getContentPolicy", "downloadPlaylist"):
            assert await client.ask(unknown) == {"message": {"ok": False}}


@pytest.mark.parametrize(
    ("profile", "version", "routes"),
    [
        ("A", "1.0.8", FIRST - {"/metrics"}),
        ("A1", None, FIRST),
        ("B", "2.0.2", SECOND - {"/api/screenshot"}),
        ("B", None, SECOND),
        ("legacy", None, {"/api/cast"}),
    ],
)
async def test_routes(profile: str, version: str | None, routes: set[str]) -> None:
    """Each version has its routes; the rest is not found."""
    async with talking(profile, version=version) as client:
        for path in SECOND | {"/api", "/index.html"}:
            answer = await client.get(path)
            if path in routes:
                assert answer.status != 404
            else:
                check_refusal(answer, 404, "404 page not found")


async def test_identity() -> None:
    """The status routes differ only in the contract."""
    async with talking("B", device_id="FF1-AB12CD34") as client:
        first = (await client.get("/api/status")).json
        second = (await client.get("/api/v2/status")).json
        assert first == {**second, "contract": "1"}
        assert (
            second.items()
            >= {
                "device_id": "FF1-AB12CD34",
                "version": "2.0.7",
                "contract": "2",
                "setup_state": "online",
            }.items()
        )


async def test_metrics() -> None:
    """Casts are counted, tried and failed."""
    async with talking("B") as client:
        await client.cast(playlist())
        await client.send("displayPlaylist", {"intent": NOW})
        await client.cast({"items": []})
        lines = (await client.get("/metrics")).text.splitlines()
        assert "playback_start_total 3" in lines
        assert "playback_start_failures_total 2" in lines
        assert "net_wifi_signal_percent 71" in lines


@pytest.mark.parametrize("profile", ["legacy", "legacy-strict"])
@pytest.mark.parametrize(
    ("request_", "status"),
    [
        ({"playlistUrl": "{url}"}, 200),
        ({"playlist": playlist()}, 200),
        ({"playlist": playlist(), "playlistUrl": "{url}"}, 400),
        ({}, 400),
        ({"dp1_call": playlist()}, 400),
        ({"playlist": {"title": "Nothing"}}, 400),
        ({"playlistUrl": "{url}/none"}, 400),
    ],
)
async def test_legacy(profile: str, request_: dict[str, Any], status: int) -> None:
    """By the 2025 description either a URL or a document is shown, and there is no other command."""
    async with FeedSimulator() as feed, talking(profile) as client:
        (held,) = feed.seed([playlist()])
        url = f"{feed.url}/playlists/{held['id']}"
        request = json.loads(json.dumps(request_).replace("{url}", url))
        answer = await client.send("displayPlaylist", {**request, "intent": NOW})
        assert answer.status == status
        assert (client.simulator.state.playlist is not None) is (status == 200)
        assert (await client.send("checkStatus", {})).status == 400
