"""Test the commands of the simulated device: sound, rotation, sleep, and the limits of arguments."""

from datetime import datetime
from typing import Any
from zoneinfo import ZoneInfo

import pytest

from .display import ManualClock
from .raw_display import RawClient, talking, timed

pytestmark = pytest.mark.usefixtures("socket_enabled")

BERLIN = ZoneInfo("Europe/Berlin")


async def test_every_volume() -> None:
    """The mixer has fewer steps than the volume: 75 of 101 values are reported one lower."""
    async with talking("A") as client:
        for percent in range(101):
            await client.ask("setVolume", percent=percent)
            told = (await client.ask("getDeviceStatus"))["volume"]
            assert told == (percent if percent % 4 == 0 else percent - 1)


async def test_rotation() -> None:
    """The screen is rotated by 90 degrees; the page is only told landscape or portrait."""
    async with talking("A") as client:
        for clockwise, expected in (
            (False, "portrait"),
            (False, "landscapeReverse"),
            (False, "portraitReverse"),
            (True, "landscapeReverse"),
        ):
            reply = await client.ask("rotate", clockwise=clockwise)
            assert reply == {"orientation": expected}
            settings = (await client.status())["deviceSettings"]
            assert settings["orientation"] == expected.removesuffix("Reverse")


@pytest.mark.parametrize(
    ("profile", "version", "more"),
    [
        ("A", "1.0.13", []),
        ("A1", None, ["sleepSchedule"]),
        (
            "B",
            None,
            [
                "sleepSchedule",
                "contract",
                "deviceName",
                "network",
                "signatureVerificationMode",
            ],
        ),
    ],
)
async def test_device_status(
    profile: str, version: str | None, more: list[str]
) -> None:
    """Each generation reports its fields, in order."""
    first = ["screenRotation", "connectedWifi", "installedVersion", "latestVersion"]
    later = ["macInfo", "volume", "isMuted", "displayURL"]
    async with talking(profile, version=version) as client:
        status = await client.ask("getDeviceStatus")
        assert list(status) == [*first, *later, *more]
        assert status["installedVersion"] == client.simulator.firmware.version


async def schedule(client: RawClient, command: str, **arguments: Any) -> Any:
    """Send a sleep command and return the record."""
    reply = await client.ask(command, **arguments)
    assert reply["ok"] is True
    status = await client.ask("getDeviceStatus")
    assert status["sleepSchedule"] == reply["sleepSchedule"]
    return reply["sleepSchedule"]


async def test_sleep() -> None:
    """An override lasts until the schedule begins the other state; times are local, with the offset of their day."""
    clock = ManualClock(datetime(2026, 10, 24, 12, tzinfo=BERLIN))
    async with timed("B", clock=clock, page_delay=0) as (client, _):
        times = {"sleepTime": "23:00", "wakeTime": "07:00"}
        record = await schedule(client, "setSleepSchedule", enabled=True, **times)
        assert record == {
            "enabled": True,
            **times,
            "currentState": "awake",
            "nextTransitionAt": "2026-10-24T23:00:00+02:00",
        }
        record = await schedule(client, "sleepNow")
        assert record["overrideUntil"] == "2026-10-25T07:00:00+01:00"
        assert record["nextTransitionAt"] == record["overrideUntil"]
        await clock.advance(14 * 3600)
        record = await schedule(client, "wakeNow")
        assert record["overrideUntil"] == "2026-10-25T23:00:00+01:00"
        await clock.advance(22 * 3600 + 1)
        assert client.simulator.state.asleep is True
        record = (await client.ask("getDeviceStatus"))["sleepSchedule"]
        assert (record["currentState"], "overrideState" in record) == (
            "sleeping",
            False,
        )
        await clock.advance(8 * 3600)
        assert client.simulator.state.asleep is False


async def test_days() -> None:
    """Newer firmware supports days."""
    clock = ManualClock(datetime(2026, 10, 9, 12, tzinfo=BERLIN))
    async with timed("B", clock=clock, storm_gate=False) as (client, _):
        days = ["tue", "sun", "mon"]
        record = await schedule(client, "setSleepSchedule", enabled=True, days=days)
        assert record["days"] == ["sun", "mon", "tue"]
        assert record["nextTransitionAt"] == "2026-10-11T22:00:00+02:00"
        record = await schedule(client, "setSleepSchedule", enabled=True, days=None)
        assert record["days"] == ["sun", "mon", "tue"]
        for bad in ([], ["someday"], "mon"):
            request = {"enabled": True, "days": bad}
            assert (await client.send("setSleepSchedule", request)).status == 500
        days += ["wed", "thu", "fri", "sat"]
        record = await schedule(client, "setSleepSchedule", enabled=True, days=days)
        assert "days" not in record


@pytest.mark.parametrize(
    ("command", "request_", "status"),
    [
        ("sendKeyboardEvent", {"code": 8}, 200),
        ("sendKeyboardEvent", {"code": 126}, 200),
        ("sendKeyboardEvent", {"code": 127}, 500),
        ("sendKeyboardEvent", {}, 500),
        ("tapGesture", {}, 200),
        ("longPressGesture", {"button": "middle"}, 200),
        ("tapGesture", {"button": "fire"}, 500),
        ("ddcPanelControl", {"action": "mute", "value": "on"}, 200),
        ("ddcPanelControl", {"action": "mute", "value": True}, 500),
        ("ddcPanelControl", {"action": "brightness"}, 500),
        ("ddcPanelControl", {"action": "brightness", "value": 101}, 500),
        ("ddcPanelControl", {"action": "brightness", "value": "50"}, 500),
        ("ddcPanelControl", {"action": "power", "value": "away"}, 500),
        ("ddcPanelControl", {"action": "color", "value": 5}, 500),
    ],
)
async def test_arguments(command: str, request_: dict[str, Any], status: int) -> None:
    """Arguments are accepted within their limits."""
    async with talking("A") as client:
        assert (await client.send(command, request_)).status == status
