"""Test the commands of the simulated device: sound, rotation, sleep, panel, input, and those of newer firmware."""

from datetime import UTC, datetime
import re
from typing import Any
from zoneinfo import ZoneInfo

import pytest

from .display import ManualClock
from .raw_display import RawClient, talking, timed

pytestmark = pytest.mark.usefixtures("socket_enabled")

NEW = ("B", "C")

# Volumes that are reported as they were set; every other one is reported one lower.
EXACT = range(0, 101, 4)


async def test_every_volume() -> None:
    """The mixer has fewer steps than the volume: 75 of 101 values are reported one lower."""
    async with talking("A") as client:
        found = []
        for percent in range(101):
            await client.ask("setVolume", percent=percent)
            found.append((await client.ask("getDeviceStatus"))["volume"])
        expected = [
            percent if percent in EXACT else percent - 1 for percent in range(101)
        ]
        assert found == expected
        assert sum(a != b for a, b in enumerate(found)) == 75
        assert (found[50], found[1], found[52], found[100]) == (49, 0, 52, 100)


async def test_rotation() -> None:
    """The screen is rotated by 90 degrees, in both directions; the page is only told landscape or portrait."""
    async with talking("A") as client:
        circle = ["portrait", "landscapeReverse", "portraitReverse", "landscape"]
        for expected in circle:
            reply = await client.ask("rotate", clockwise=False)
            assert reply == {"orientation": expected}
            settings = (await client.status())["deviceSettings"]
            assert settings["orientation"] == re.sub("Reverse$", "", expected)
        for expected in [*circle[2::-1], "landscape"]:
            reply = await client.ask("rotate", clockwise=True)
            assert reply == {"orientation": expected}
        reply = await client.ask("rotate", angle=90)
        assert reply == {"orientation": "portrait"}


# Status


async def test_device_status() -> None:
    """Each generation reports its fields, in order."""
    first = ["screenRotation", "connectedWifi", "installedVersion", "latestVersion"]
    later = ["macInfo", "volume", "isMuted", "displayURL", "sleepSchedule"]
    second = ["contract", "deviceName", "network", "signatureVerificationMode"]
    for profile, version, expected in (
        ("A", "1.0.5", first),
        ("A", "1.0.12", [*first, *later[:3]]),
        ("A", "1.0.17", [*first, *later]),
        ("A1", None, [*first, *later]),
        ("B", "2.0.3", [*first, *later, *second[:3]]),
        ("B", None, [*first, *later, *second]),
    ):
        async with talking(profile, version=version) as client:
            status = await client.ask("getDeviceStatus")
            assert list(status) == expected
            assert status["installedVersion"] == client.simulator.firmware.version


# Sleep

BERLIN = ZoneInfo("Europe/Berlin")


def berlin(day: int) -> ManualClock:
    """Return a clock in a zone with an offset, at noon of a day in October."""
    return ManualClock(datetime(2026, 10, day, 12, tzinfo=BERLIN))


async def schedule(client: RawClient, command: str, **arguments: Any) -> Any:
    """Send a sleep command and return the record."""
    reply = await client.ask(command, **arguments)
    assert reply["ok"] is True
    status = await client.ask("getDeviceStatus")
    assert status["sleepSchedule"] == reply["sleepSchedule"]
    return reply["sleepSchedule"]


def asleep(client: RawClient) -> bool:
    """Return whether the page is dark."""
    return client.simulator.state.asleep


async def test_sleep_with_schedule() -> None:
    """An override lasts until the schedule begins the other state; times are local, with offset."""
    clock = berlin(5)
    async with timed("B", clock=clock, page_delay=0) as (client, _):
        record = await schedule(
            client,
            "setSleepSchedule",
            enabled=True,
            sleepTime="23:00",
            wakeTime="07:00",
        )
        assert record == {
            "enabled": True,
            "sleepTime": "23:00",
            "wakeTime": "07:00",
            "currentState": "awake",
            "nextTransitionAt": "2026-10-05T23:00:00+02:00",
        }
        record = await schedule(client, "sleepNow")
        assert record["overrideUntil"] == "2026-10-06T07:00:00+02:00"
        assert record["nextTransitionAt"] == record["overrideUntil"]
        await clock.advance(12 * 3600)
        record = await schedule(client, "wakeNow")
        assert record["overrideUntil"] == "2026-10-06T23:00:00+02:00"
        await clock.advance(23 * 3600 + 1)
        assert client.simulator.state.asleep is True
        record = (await client.ask("getDeviceStatus"))["sleepSchedule"]
        assert record["currentState"] == "sleeping"
        assert "overrideState" not in record
        assert record["nextTransitionAt"] == "2026-10-07T07:00:00+02:00"
        await clock.advance(8 * 3600)
        assert client.simulator.state.asleep is False


async def test_sleep_across_the_end_of_summer() -> None:
    """A night ends at the local time, with the offset of its morning."""
    async with timed("B", clock=berlin(24)) as (client, _):
        times = {"sleepTime": "23:00", "wakeTime": "07:00"}
        await schedule(client, "setSleepSchedule", enabled=True, **times)
        record = await schedule(client, "sleepNow")
        assert record["overrideUntil"] == "2026-10-25T07:00:00+01:00"


@pytest.mark.parametrize("profile", NEW)
async def test_days(profile: str) -> None:
    """Newer firmware supports days."""
    clock = ManualClock(datetime(2026, 10, 9, 12, tzinfo=UTC))
    async with timed(profile, clock=clock, storm_gate=False) as (client, _):
        record = await schedule(
            client, "setSleepSchedule", enabled=True, days=["tue", "sun", "mon"]
        )
        assert record["days"] == ["sun", "mon", "tue"]
        assert record["nextTransitionAt"] == "2026-10-11T22:00:00Z"
        record = await schedule(client, "setSleepSchedule", enabled=True, days=None)
        assert record["days"] == ["sun", "mon", "tue"]
        for bad in ([], ["someday"], "mon"):
            answer = await client.send(
                "setSleepSchedule", {"enabled": True, "days": bad}
            )
            assert answer.status == 500
        week = ["sun", "mon", "tue", "wed", "thu", "fri", "sat"]
        record = await schedule(client, "setSleepSchedule", enabled=True, days=week)
        assert "days" not in record


# Panel


@pytest.mark.parametrize(
    "request_",
    [
        {},
        {"action": "brightness"},
        {"action": "brightness", "value": 101},
        {"action": "brightness", "value": "50"},
        {"action": "brightness", "value": 5.5},
        {"action": "mute", "value": True},
        {"action": "mute", "value": None},
        {"action": "power", "value": "away"},
        {"action": "color", "value": 5},
    ],
)
async def test_panel_refuses(request_: dict[str, Any]) -> None:
    """Invalid settings of a monitor are refused."""
    async with talking("A") as client:
        assert (await client.send("ddcPanelControl", request_)).status == 500


# Input and others


@pytest.mark.parametrize(
    ("command", "request_", "status"),
    [
        *(
            ("sendKeyboardEvent", {"code": code}, 200)
            for code in (8, 9, 13, 27, 32, 126)
        ),
        *(
            ("sendKeyboardEvent", {"code": code}, 500)
            for code in (0, 10, 31, 127, 37.5)
        ),
        ("sendKeyboardEvent", {}, 500),
        ("tapGesture", {}, 200),
        ("doubleTapGesture", {"button": "right"}, 200),
        ("longPressGesture", {"button": "middle"}, 200),
        ("tapGesture", {"button": "fire"}, 500),
        ("ping", {"any": "thing"}, 200),
    ],
)
async def test_accepted(command: str, request_: dict[str, Any], status: int) -> None:
    """Arguments are accepted within their limits."""
    async with talking("A") as client:
        assert (await client.send(command, request_)).status == status


# Newer firmware


@pytest.mark.parametrize(
    "command",
    [
        "setSignatureVerificationMode",
        "getContentPolicy",
        "setContentPolicy",
        "getRecentlyPlayed",
        "playRecentlyPlayed",
        "downloadPlaylist",
        "getOfflineCacheStatus",
    ],
)
@pytest.mark.parametrize("profile", ["A", "A1"])
async def test_older_firmware_knows_none_of_it(profile: str, command: str) -> None:
    """Older firmware passes these commands to the page, which does not know them."""
    async with talking(profile) as client:
        assert await client.ask(command, name="x") == {"message": {"ok": False}}
