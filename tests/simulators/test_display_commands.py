"""Test the commands of the simulated device: sound, rotation, sleep, panel, input, and those of newer firmware."""

from datetime import UTC, datetime, timedelta
import re
from typing import Any
from zoneinfo import ZoneInfo

import pytest

from .display import ManualClock, Page
from .raw_display import (
    FIRMWARE,
    NOT_GIVEN,
    NOW,
    RawClient,
    item,
    playlist,
    talking,
    timed,
    until,
)

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


async def test_first_volume() -> None:
    """The default volume is 50."""
    async with talking("B") as client:
        assert (await client.ask("getDeviceStatus"))["volume"] == 50


@pytest.mark.parametrize("body", [b"50.0", b"5e1", b"50"])
async def test_whole_volume(body: bytes) -> None:
    """An integer may have any JSON notation, and its name any case."""
    async with talking("A") as client:
        answer = await client.post(
            b'{"command":"setVolume","request":{"Percent":' + body + b"}}"
        )
        assert answer.json == {"ok": True}
        assert client.simulator.state.volume == 49


async def test_mute() -> None:
    """Muting is a toggle; setting the volume does not unmute."""
    async with talking("B") as client:
        await client.ask("toggleMute")
        await client.ask("setVolume", percent=80)
        assert (await client.ask("getDeviceStatus"))["isMuted"] is True
        await client.ask("toggleMute")
        assert (await client.ask("getDeviceStatus"))["isMuted"] is False
        client.simulator.device.mixer = None
        status = await client.ask("getDeviceStatus")
        assert not {"volume", "isMuted"} & set(status)


async def test_zero_values() -> None:
    """Missing arguments have the zero value of their type."""
    async with talking("A") as client:
        for request in (NOT_GIVEN, None, {}, {"percent": None}):
            client.simulator.device.mixer = 63
            assert (await client.send("setVolume", request)).status == 200
            assert client.simulator.state.volume == 0
        await client.ask("setSleepSchedule", enabled=True)
        await client.send("setSleepSchedule")
        assert client.simulator.sleep.enabled is False
        assert (await client.send("rotate")).json == {"orientation": "portrait"}


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


async def test_device_status_changes() -> None:
    """Versions are only reported with internet, Wi-Fi only without Ethernet."""
    async with talking("B", wired=True) as client:
        await client.simulator.set_internet(False)
        client.simulator.device.last_outage = {"class": "wan-down"}
        status = await client.ask("getDeviceStatus")
        assert status["lastOutage"] == {"class": "wan-down"}
        assert not {"latestVersion", "connectedWifi"} & set(status)
        assert status["network"] == {
            "state": "offline_retrying",
            "link": "ethernet",
            "internet": False,
        }
        client.simulator.device.broken = True
        assert (await client.send("getDeviceStatus")).status == 500


async def test_display_url() -> None:
    """The URL of the page in the browser is reported."""
    async with talking("A", page_delay=0) as client:

        async def page() -> str:
            """Return the reported page."""
            return str((await client.ask("getDeviceStatus"))["displayURL"])

        assert await page() == "http://127.0.0.1:8080/playlist"
        await client.ask("sleepNow")
        await until(lambda: client.simulator.state.asleep)
        assert await page() == "http://127.0.0.1:8080/sleep"
        await client.ask("showPairingQRCode", show=True)
        assert not (await page()).startswith("http")
        assert (await client.send("checkStatus")).status == 204
        await client.ask("showPairingQRCode", show=False)
        assert await page() == "http://127.0.0.1:8080/playlist"


async def test_device_metrics() -> None:
    """The latest sample has its time; there is null before the first one."""
    async with timed("A") as (client, _):
        sample = await client.ask("deviceMetrics")
        assert sample["screen"] == {"width": 3840, "height": 2160, "refresh_rate": 60}
        assert sample["timestamp"] == "2026-10-05T12:00:00.000000000Z"
        assert list(sample) == [
            "cpu",
            "gpu",
            "memory",
            "screen",
            "uptime",
            "disk",
            "timestamp",
        ]
        client.simulator.device.metrics = None
        answer = await client.send("deviceMetrics")
        assert (answer.status, answer.text) == (200, "null\n")


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


async def test_sleep_without_schedule() -> None:
    """Without a schedule, sleep does not end, not even by a restart."""
    async with timed("A", boot_seconds=0, page_delay=0.1) as (client, clock):
        record = await schedule(client, "sleepNow")
        assert record == {
            "enabled": False,
            "sleepTime": "22:00",
            "wakeTime": "07:30",
            "currentState": "sleeping",
            "overrideState": "sleeping",
        }
        assert not asleep(client)
        await clock.advance(0.2)
        assert asleep(client)
        assert client.simulator.device.panel.values["power"] == "standby"
        await clock.advance(3 * 86400)
        await client.simulator.reboot()
        await clock.advance(1)
        assert asleep(client)
        record = await schedule(client, "wakeNow")
        assert (record["currentState"], record["overrideState"]) == ("awake", "awake")
        await clock.advance(1)
        assert not asleep(client)
        assert client.simulator.device.panel.values["power"] == "on"


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


async def test_schedule_is_kept() -> None:
    """Missing times stay unchanged; an override ends; invalid times are refused if the schedule is on."""
    async with timed("A") as (client, _):
        await client.ask(
            "setSleepSchedule", enabled=True, sleepTime="9:5", wakeTime="10:00"
        )
        assert client.simulator.sleep.sleep_time == "9:5"
        await client.ask("sleepNow")
        record = await schedule(client, "setSleepSchedule", enabled=True, wakeTime="")
        assert "overrideState" not in record
        assert (record["sleepTime"], record["wakeTime"]) == ("9:5", "10:00")
        for bad in (
            {"sleepTime": "25:00"},
            {"sleepTime": "soon"},
            {"wakeTime": "09:05"},
            {"wakeTime": 7},
        ):
            answer = await client.send("setSleepSchedule", {"enabled": True, **bad})
            assert answer.status == 500
        assert client.simulator.sleep.wake_time == "10:00"
        record = await schedule(
            client, "setSleepSchedule", enabled=False, sleepTime="whenever"
        )
        assert record["sleepTime"] == "whenever"


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


async def test_old_firmware_has_no_days() -> None:
    """Older firmware ignores days."""
    async with timed("A") as (client, _):
        record = await schedule(client, "setSleepSchedule", enabled=True, days=["mon"])
        assert "days" not in record


async def test_sleep_of_a_dead_page() -> None:
    """The record is kept even if the page does not answer."""
    async with talking("B") as client:
        client.simulator.break_page()
        assert (await client.send("sleepNow", {})).status == 500
        assert client.simulator.sleep.record()["currentState"] == "sleeping"


async def test_sleep_before_there_was_a_schedule() -> None:
    """Firmware without sleep commands passes them to the page, which does not know them."""
    async with timed("A", version="1.0.14") as (client, clock):
        assert await client.ask("sleepNow") == {"message": {"ok": False}}
        assert await client.ask("setSleepMode", sleepMode=True) == {
            "message": {"ok": True}
        }
        await clock.advance(1)
        assert client.simulator.state.asleep is True


async def test_sleep_mode_leaves_schedule_and_panel() -> None:
    """Only the page goes dark."""
    async with timed("A") as (client, clock):
        await client.cast(playlist())
        await client.leaf("setSleepMode", sleepMode=True)
        await clock.advance(1)
        status = await client.status()
        assert (status["isPaused"], status["sleepMode"]) == (True, True)
        assert client.simulator.device.panel.values["power"] == "on"
        assert client.simulator.sleep.record()["currentState"] == "awake"


# Panel


async def test_panel() -> None:
    """Every setting of a monitor can be set."""
    async with talking("A") as client:
        for action, value in (
            ("brightness", 0),
            ("contrast", 100),
            ("volume", None),
            ("mute", "on"),
            ("power", "standby"),
        ):
            reply = await client.ask("ddcPanelControl", action=action, value=value)
            assert reply == {"ok": True}
        assert await client.ask("ddcPanelStatus") == {
            "brightness": 0,
            "contrast": 100,
            "volume": 0,
            "mute": "on",
            "power": "standby",
            "monitor": "ACME:X27",
        }


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


async def test_panel_without_answers() -> None:
    """Some monitors support little or nothing."""
    async with talking("B") as client:
        panel = client.simulator.device.panel
        panel.errors = {"contrast": "read failed"}
        del panel.values["mute"]
        status = await client.ask("ddcPanelStatus")
        assert not {"contrast", "mute"} & set(status)
        assert status["errors"] == {"contrast": "read failed"}
        answer = await client.send("ddcPanelControl", {"action": "mute", "value": "on"})
        assert answer.status == 500
        panel.supported = False
        assert await client.ask("ddcPanelStatus") == {
            "errors": {"panel": "display does not support DDC/CI"}
        }
        panel.connected = False
        assert await client.ask("ddcPanelStatus") == {
            "errors": {"panel": "no display connected"}
        }
    async with talking("A") as client:
        client.simulator.device.panel.connected = False
        errors = (await client.ask("ddcPanelStatus"))["errors"]
        assert "panel" not in errors and "power" in errors


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


@pytest.mark.parametrize("profile", FIRMWARE)
async def test_pairing_code(profile: str) -> None:
    """Older firmware shows a page of its own, newer an overlay, which the newest reports."""
    async with talking(profile) as client:
        assert await client.ask("showPairingQRCode", show=True) == {"ok": True}
        status = (await client.send("checkStatus", {})).status
        assert status == (200 if profile in NEW else 204)
        assert (client.simulator.player.page is Page.PLAYLIST) == (profile in NEW)


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


async def test_signature_mode() -> None:
    """There are exactly three modes."""
    async with talking("B") as client:
        reply = await client.ask("setSignatureVerificationMode", mode="notify")
        assert reply == {"ok": True, "signatureVerificationMode": "notify"}
        status = await client.ask("getDeviceStatus")
        assert status["signatureVerificationMode"] == "notify"
        answer = await client.send("setSignatureVerificationMode", {"mode": "loud"})
        assert answer.status == 500


async def test_content_policy() -> None:
    """The policy takes exactly two flags."""
    async with talking("B") as client:
        policy = {"showMatureContent": False, "strictPersonal": True}
        changed = {"ok": True, "contentPolicy": policy, "active": True}
        assert await client.ask("setContentPolicy", **policy) == changed
        assert await client.ask("getContentPolicy") == changed
        refused = {"ok": False, "error": "invalidRequest"}
        assert await client.ask("getContentPolicy", all=True) == refused
        for wrong in (
            {},
            {"showMatureContent": True},
            {**policy, "more": 1},
            {**policy, "strictPersonal": "no"},
        ):
            assert await client.ask("setContentPolicy", **wrong) == refused


async def test_recently_played() -> None:
    """The recently shown works are listed newest first, with metadata, and can be shown again."""
    async with talking("B", storm_gate=False) as client:
        manifest = {
            "metadata": {
                "artists": [{"name": "Ada"}, {"name": "Ben"}],
                "thumbnails": {"small": {"uri": "https://art.example.org/small"}},
            },
        }
        works = [item(0, inlineManifest=manifest), item(1)]
        await client.cast(playlist(items=works))
        await client.ask("moveToArtwork", index=1)
        told = await client.leaf("getRecentlyPlayed")
        refused = {"ok": False, "status": "error"}
        assert await client.leaf("getRecentlyPlayed", limit=3) == refused
        newest, oldest = told["records"]
        assert (newest["itemId"], newest["isActive"]) == ("i-1", True)
        assert (oldest["artist"], oldest["isActive"]) == ("Ada, Ben", False)
        assert oldest["thumbnailUrl"] == "https://art.example.org/small"
        assert oldest["title"] == "Work 0"
        reply = await client.ask("playRecentlyPlayed", recordId=oldest["recordId"])
        assert reply["recordId"] == oldest["recordId"]
        assert reply["message"]["ok"] is True
        assert client.simulator.state.current_title == "Work 0"
        reply = await client.ask("playRecentlyPlayed", recordId="other")
        assert reply["message"]["ok"] is False


async def test_offline_is_off() -> None:
    """Nothing is downloaded unless the cache is enabled."""
    async with talking("B", storm_gate=False) as client:
        for command in (
            "downloadPlaylist",
            "getOfflineCacheStatus",
        ):
            reply = await client.ask(command, dp1_call=playlist())
            assert reply["error"]["code"] == "disabled"


async def test_offline() -> None:
    """Works are downloaded; a downloaded playlist can be shown without its server."""
    async with (
        talking("B", storm_gate=False) as source,
        talking("B", storm_gate=False) as client,
    ):
        client.simulator.offline.enabled = True
        good = f"{source.simulator.url}/simulator/works/One"
        works = [
            item(0, source=good),
            item(1, source=f"{source.simulator.url}/nothing"),
        ]
        document = playlist(items=works)
        reply = await client.ask("downloadPlaylist", dp1_call=document)
        assert reply == {"ok": True, "status": "queued", "total": 2, "queuedCount": 2}
        entries = client.simulator.offline.entries
        await until(
            lambda: {e["state"] for e in entries.values()} == {"ready", "broken_online"}
        )
        status = await client.ask("getOfflineCacheStatus", sources=[good])
        assert status["items"] == [{"source": good, "state": "ready", "percent": 100}]
        page = await client.ask("getOfflineCacheStatus", limit=1)
        assert (page["truncated"], page["nextCursor"]) == (True, "1")
        rest = await client.ask("getOfflineCacheStatus", limit=1, cursor="1")
        assert "truncated" not in rest and len(rest["items"]) == 1
        assert (await client.ask("getOfflineCacheStatus", totalsOnly=True))[
            "items"
        ] == []
        bad = await client.ask("getOfflineCacheStatus", cursor="x")
        assert bad["error"]["code"] == "invalid_request"
        gone = await client.ask("downloadPlaylist", playlistUrl=good)
        assert gone["error"]["code"] == "resolve_failed"


async def test_offline_copy() -> None:
    """A playlist whose URL does not answer is shown from its copy."""
    async with talking("B", storm_gate=False) as client:
        client.simulator.offline.enabled = True
        url = "https://feed.example.org/gone"
        client.simulator.offline.playlists[url] = playlist()
        reply = await client.leaf("displayPlaylist", playlistUrl=url, intent=NOW)
        assert reply["ok"] is True
        assert client.simulator.state.playlist_url == url


async def test_update() -> None:
    """An update changes the version after a restart."""
    async with talking("A", boot_seconds=0) as client:
        client.simulator.device.latest_version = "1.0.21"
        assert await client.ask("updateToLatestVersion") == {"ok": True}
        device = client.simulator.device
        await until(
            lambda: device.installed_version == "1.0.21" and client.simulator.running
        )
        status = await client.ask("getDeviceStatus")
        assert status["installedVersion"] == status["latestVersion"] == "1.0.21"


async def test_clock_is_local() -> None:
    """Times have the offset of the device's zone, also across a change to daylight saving time."""
    clock = berlin(24)
    async with timed("A", clock=clock) as (client, _):
        await client.ask(
            "setSleepSchedule", enabled=True, sleepTime="23:00", wakeTime="07:00"
        )
        record = await schedule(client, "sleepNow")
        assert record["overrideUntil"] == "2026-10-25T07:00:00+01:00"
        end = datetime.fromisoformat(record["overrideUntil"])
        assert end - clock.now() == timedelta(hours=20)
        await clock.advance(20 * 3600 - 1)
        assert client.simulator.state.asleep is True
        await clock.advance(2)
        assert client.simulator.state.asleep is False
