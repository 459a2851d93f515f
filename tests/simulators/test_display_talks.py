"""Test that the simulated display says what the firmware says, command by command: its answers are data."""

from dataclasses import dataclass
from datetime import datetime
import json
from pathlib import Path
from typing import Any
from zoneinfo import ZoneInfo

import aiohttp
import pytest

from .display import ManualClock
from .feed import FeedSimulator
from .raw_display import (
    NOW,
    Answer,
    RawClient,
    frames,
    gather,
    playlist,
    talking,
    timed,
    until,
)

pytestmark = pytest.mark.usefixtures("socket_enabled")

type Json = dict[str, Any]

TALKS: list[Json] = json.loads(Path(__file__).with_name("talks.json").read_text())
_ABSENT, _ANY = "<absent>", "<any>"


def check_refusal(answer: Answer, status: int, text: str) -> None:
    """Check the format of an error."""
    assert (answer.status, answer.text) == (status, f"{text}\n")
    assert answer.headers["Content-Type"] == "text/plain; charset=utf-8"
    assert answer.headers["X-Content-Type-Options"] == "nosniff"
    assert not {"Retry-After", "Allow", "Server"} & set(answer.headers)


def check_members(value: Json, members: Json) -> None:
    """Check the members of an object at every depth, and that some are absent."""
    for name, expected in members.items():
        if isinstance(expected, dict):
            check_members(value[name], expected)
        elif expected == _ANY:
            assert name in value
        else:
            assert value.get(name, _ABSENT) == expected, (name, value)


def check_pushed(pushed: list[Json], kind: str, expected: Any) -> None:
    """Check all messages of a kind, with the order of their members, or some members of the last one."""
    messages = [it["message"] for it in pushed if it["notification_type"] == kind]
    if isinstance(expected, list):
        assert list(map(json.dumps, messages)) == list(map(json.dumps, expected))
    else:
        check_members(messages[-1], expected)


def check_answer(answer: Answer, step: Json) -> None:
    """Check what a step says of its answer."""
    if "text" in step:
        check_refusal(answer, step["status"], step["text"])
        return
    assert answer.status == step.get("status", 200), (step, answer.text)
    if "reply" in step:
        assert answer.json == step["reply"]
    check_members(answer.json if "has" in step else {}, step.get("has", {}))
    if "fields" in step:
        assert list(answer.json) == step["fields"]
    if "lines" in step:
        assert set(step["lines"]) <= set(answer.text.splitlines())


async def admitted(client: RawClient, command: str, request: object) -> int:
    """Send a command until it is refused, and return how often it was not."""
    for count in range(200):
        if (await client.send(command, request)).status == 429:
            return count
    raise AssertionError("never refused")


@dataclass
class Talk:
    """What a client and a display say to each other."""

    client: RawClient
    clock: ManualClock
    socket: aiohttp.ClientWebSocketResponse | None = None

    async def follow(self, step: Json) -> None:
        """Do one step."""
        client, simulator = self.client, self.client.simulator
        match step:
            case {"send": command, "admitted": count}:
                assert await admitted(client, command, step["with"]) == count
            case {"send": command, "with": arguments}:
                check_answer(await client.send(command, arguments), step)
            case {"send": command}:
                check_answer(await client.send(command), step)
            case {"post": body}:
                check_answer(await client.post(body.encode()), step)
            case {"get": path}:
                check_answer(await client.get(path, headers=step.get("headers")), step)
            case {"advance": seconds}:
                await self.clock.advance(seconds)
            case {"state": state}:
                shown = simulator.state
                assert state == {name: getattr(shown, name) for name in state}
            case _:
                await self.listen(step)

    async def listen(self, step: Json) -> None:
        """Do one step about what is pushed."""
        simulator = self.client.simulator
        match step:
            case {"listen": _}:
                self.socket = await listen(self.client)
            case {"load": document, "url": url}:
                simulator.player.load(document, url)
            case {"poll": _}:
                simulator.poller.force()
            case {"ready": _}:
                await until(lambda: simulator.player.render_status == 2)
            case {"break": reason}:
                simulator.break_page(reason)
            case {"mend": _}:
                simulator.mend_page()
            case {"kinds": kinds}:
                assert self.socket is not None
                told = {it["notification_type"] for it in await frames(self.socket)}
                assert sorted(told) == kinds
            case {"pushed": messages}:
                assert self.socket is not None
                pushed = await frames(self.socket)
                for kind, expected in messages.items():
                    check_pushed(pushed, kind, expected)
            case _:
                raise AssertionError(step)


async def listen(client: RawClient) -> aiohttp.ClientWebSocketResponse:
    """Open a socket."""
    before = len(client.simulator.sockets)
    url = f"{client.simulator.url}/api/notification"
    socket: aiohttp.ClientWebSocketResponse = await client.session.ws_connect(url)
    await until(lambda: len(client.simulator.sockets) > before)
    return socket


@pytest.mark.parametrize("talk", TALKS, ids=lambda talk: talk["name"])
async def test_talk(talk: Json) -> None:
    """Each answer is that of the firmware, and so is what the display shows then."""
    options = dict(talk.get("options", {}))
    now = datetime.fromisoformat(options.pop("now", "2026-10-05T12:00"))
    clock = ManualClock(now.replace(tzinfo=ZoneInfo("Europe/Berlin")))
    async with timed(talk["profile"], clock=clock, **options) as (client, _):
        parties = Talk(client, clock)
        for step in talk["steps"]:
            await parties.follow(step)
        if parties.socket is not None:
            await parties.socket.close()
        refused = [
            record for record in client.simulator.received if record.status >= 400
        ]
        assert not any(record.applied for record in refused)


async def test_frame() -> None:
    """Each frame is an object and a line feed, with the envelope in alphabetical order."""
    async with talking("A", poll_interval=60) as client:
        socket = await listen(client)
        await client.cast(playlist(1))
        text = await socket.receive_str(timeout=2)
        assert text.endswith("}\n")
        assert list(json.loads(text).items())[1:] == [
            ("notification_type", "player_status"),
            ("persist_record_count", 1),
            ("type", "notification"),
        ]
        await socket.close()


async def test_every_volume() -> None:
    """The mixer has fewer steps than the volume: 75 of 101 values are reported one lower."""
    async with talking("A") as client:
        for percent in range(101):
            await client.ask("setVolume", percent=percent)
            told = (await client.ask("getDeviceStatus"))["volume"]
            assert told == (percent if percent % 4 == 0 else percent - 1)


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


async def test_equal_commands_share() -> None:
    """Equal commands at the same time are carried out once, whatever the order of their keys, and take one token."""
    async with timed("B") as (client, _):
        panel = client.simulator.device.panel
        panel.seconds = 0.3
        requests = [{"a": 1, "b": 2}, {"b": 2, "a": 1}] * 6
        answers = await gather(
            *(client.send("ddcPanelStatus", request) for request in requests)
        )
        assert {answer.status for answer in answers} == {200}
        panel.seconds = 0
        assert await admitted(client, "ddcPanelStatus", {}) == 9


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
