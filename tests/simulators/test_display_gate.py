"""Test the storm gate of the simulated display: its rates, and which commands share them."""

from typing import Any

import pytest

from .raw_display import NOW, RawClient, gather, playlist, timed

pytestmark = pytest.mark.usefixtures("socket_enabled")


async def admitted(client: RawClient, command: str, request: object) -> int:
    """Send a command until it is refused, and return how often it was not."""
    for count in range(200):
        if (await client.send(command, request)).status == 429:
            return count
    raise AssertionError("never refused")


@pytest.mark.parametrize(
    ("profile", "command", "request_", "per_second", "burst"),
    [
        ("A1", "setSleepSchedule", {"enabled": False}, 0.2, 2),
        ("A1", "rotate", {"clockwise": True}, 0.2, 2),
        ("B", "rotate", {"clockwise": True}, 2, 5),
        ("A1", "sleepNow", {}, 2, 5),
        ("A1", "displayPlaylist", {"dp1_call": playlist(), "intent": NOW}, 1, 3),
        ("B", "playRecentlyPlayed", {"recordId": "record-1"}, 1, 3),
        ("B", "getDeviceStatus", {}, 5, 10),
        ("A1", "checkStatus", {}, 10, 20),
    ],
)
async def test_rates(
    profile: str,
    command: str,
    request_: dict[str, Any],
    per_second: float,
    burst: int,
) -> None:
    """A burst is admitted at once, then a number per second."""
    async with timed(profile) as (client, clock):
        assert await admitted(client, command, request_) == burst
        await clock.advance(1 / per_second - 0.001)
        assert await admitted(client, command, request_) == 0
        await clock.advance(0.002)
        assert await admitted(client, command, request_) == 1


async def test_buckets() -> None:
    """Listed commands have a bucket each; gestures share one, and so do all other commands."""
    async with timed("B") as (client, _):
        assert await admitted(client, "sleepNow", {}) == 5
        assert await admitted(client, "wakeNow", {}) == 5
        assert await admitted(client, "tapGesture", {}) == 100
        assert await admitted(client, "sendKeyboardEvent", {"code": 65}) == 0
        assert await admitted(client, "setVolume", {"percent": 8}) == 20
        assert await admitted(client, "checkStatus", {}) == 0


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
