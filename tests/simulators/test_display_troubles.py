"""Test troubles of real displays: no internet, error and launcher pages, slow hosts, players of several generations."""

import asyncio

import aiohttp
import pytest

from .display import FaultKind, Page
from .raw_display import (
    FIRMWARE,
    NOW,
    frames,
    item,
    playlist,
    pushed,
    talking,
    timed,
    until,
)

from tests.simulators.display.__main__ import _arguments, _display, _go_to

pytestmark = pytest.mark.usefixtures("socket_enabled")


async def test_device_status_that_hangs() -> None:
    """Only the device status waits for the version server, each time."""
    async with timed("A1", status_seconds=10, internet=False) as (client, clock):
        for _ in range(2):
            waiting = asyncio.create_task(client.ask("getDeviceStatus"))
            await until(lambda: client.simulator.commands[-1:] == ["getDeviceStatus"])
            assert (await client.status())["ok"] is True
            assert await client.ask("setVolume", percent=8) == {"ok": True}
            await clock.advance(9)
            assert not waiting.done()
            await clock.advance(1)
            assert "latestVersion" not in await waiting


async def test_device_status_that_is_cut() -> None:
    """After the write timeout the connection is closed; other commands answer."""
    async with talking("B", status_seconds=0.1) as client:
        client.simulator.server.write_timeout = 0.05
        with pytest.raises(aiohttp.ServerDisconnectedError):
            await client.send("getDeviceStatus", {})
        assert (await client.get("/api/v2/status")).status == 200
        assert (await client.status())["ok"] is True


@pytest.mark.parametrize("profile", FIRMWARE)
async def test_error_page(profile: str) -> None:
    """Casts are accepted and change nothing; waking returns to the playlist."""
    async with talking(profile, page_delay=0) as client:
        await client.cast(playlist())
        client.simulator.show_page(Page.ERROR, "service_failed")
        status = await client.ask("getDeviceStatus")
        url = "http://127.0.0.1:8080/error?error=service_failed"
        assert status["displayURL"] == url
        assert (await client.status())["ok"] is True
        assert (await client.cast(playlist(title="Morning")))["ok"] is True
        assert client.simulator.player.page is Page.ERROR
        assert (await client.status())["renderStatus"] == 0
        await client.ask("wakeNow")
        await until(lambda: client.simulator.player.page is Page.PLAYLIST)
        assert client.simulator.state.playlist_title == "Morning"


async def test_overheating_outlives_a_cast() -> None:
    """A cast clears the error in the status, but not the page."""
    async with talking("A1", page_delay=0) as client:
        client.simulator.overheat()
        assert await client.status() == {"ok": False, "error": "overheating"}
        await client.cast(playlist())
        assert (await client.status())["ok"] is True
        status = await client.ask("getDeviceStatus")
        assert status["displayURL"].endswith("/error?error=overheating")
        await client.leaf("setSleepMode", sleepMode=False)
        await until(lambda: client.simulator.player.page is Page.PLAYLIST)


@pytest.mark.parametrize("profile", FIRMWARE)
async def test_absent_player(profile: str) -> None:
    """A page without the player answers 500 without a reason, and nothing is pushed."""
    async with talking(profile, poll_interval=60) as client:
        socket = await client.session.ws_connect(
            f"{client.simulator.url}/api/notification"
        )
        client.simulator.show_page(Page.BLANK)
        answer = await client.send(
            "displayPlaylist", {"dp1_call": playlist(), "intent": NOW}
        )
        assert (answer.status, answer.text) == (500, "Failed to process cast request\n")
        assert pushed(await frames(socket), "player_status") == []
        await socket.close()


async def test_leaving_the_launcher_pushes_nothing() -> None:
    """The status equals the one before, so it is not pushed."""
    async with talking("A1", poll_interval=60) as client:
        await client.cast(playlist())
        socket = await client.session.ws_connect(
            f"{client.simulator.url}/api/notification"
        )
        client.simulator.show_setup_page()
        await frames(socket)
        client.simulator.show_setup_page(False)
        assert pushed(await frames(socket), "player_status") == []
        await socket.close()


async def test_slow_host() -> None:
    """A cast by URL waits for its host; the device's own commands do not."""
    async with talking("B", fetch_seconds=60) as client:
        request = {"playlistUrl": f"{client.simulator.url}/none", "intent": NOW}
        casting = asyncio.create_task(client.send("displayPlaylist", request))
        await until(lambda: client.simulator.casts)
        await client.ask("sleepNow")
        await client.ask("setVolume", percent=8)
        assert not casting.done()
        casting.cancel()


@pytest.mark.parametrize(
    ("profile", "switch", "there"),
    [("A1", None, False), ("B", None, True), ("B", False, False)],
)
async def test_pushed_render_status(
    profile: str, switch: bool | None, there: bool
) -> None:
    """Notifications of 1.x have none; the status has it, pending at first."""
    options = {"push_render_status": switch, "load_seconds": 0.5, "poll_interval": 60}
    async with talking(profile, **options) as client:
        socket = await client.session.ws_connect(
            f"{client.simulator.url}/api/notification"
        )
        await client.cast(playlist(items=[item(1, source="data:text/html,x")]))
        assert (await client.status())["renderStatus"] in (0, 1)
        (message, *_) = pushed(await frames(socket), "player_status")
        assert ("renderStatus" in message) is there
        await until(lambda: client.simulator.player.render_status == 2)
        await socket.close()


@pytest.mark.parametrize("profile", FIRMWARE)
async def test_extending_a_list(profile: str) -> None:
    """``refresh`` replaces the playlist and keeps the current work, its position and modes."""
    async with talking(profile) as client:
        await client.cast(playlist(2))
        await client.ask("moveToArtwork", index=1)
        await client.ask("setLoop", mode="one")
        key = client.simulator.player.settings.showing_key
        longer = {"dp1_call": playlist(4), "refresh": True}
        assert (await client.leaf("displayPlaylist", **longer))["ok"] is True
        status = await client.status()
        assert [work["id"] for work in status["items"]] == ["i-0", "i-1", "i-2", "i-3"]
        assert (status["index"], status["loopMode"]) == (1, "one")
        assert client.simulator.player.settings.showing_key == key


async def test_player_without_refresh() -> None:
    """Older players load it as a new playlist, if at all."""
    async with talking("A1", takes_refresh=False) as client:
        await client.cast(playlist(2))
        longer = {"dp1_call": playlist(4), "refresh": True}
        assert await client.leaf("displayPlaylist", **longer) == {"ok": False}
        assert (await client.leaf("displayPlaylist", **longer, intent=NOW))["ok"]
        assert client.simulator.state.index == 0


@pytest.mark.parametrize(
    ("version", "kept"), [("1.0.21", False), ("2.0.0", False), ("2.0.7", True)]
)
async def test_inline_manifest(version: str, kept: bool) -> None:
    """Firmware below 2.0.3 drops the manifest."""
    profile = "A1" if version.startswith("1") else "B"
    async with talking(profile, version=version) as client:
        work = item(1, inlineManifest={"metadata": {"artists": [{"name": "A"}]}})
        await client.cast(playlist(items=[work]))
        assert ("inlineManifest" in (await client.status())["items"][0]) is kept


@pytest.mark.parametrize(("profile", "admitted"), [("A1", 2), ("B", 5)])
async def test_rotation_limit(profile: str, admitted: int) -> None:
    """Rotation is disruptive in 1.x, and a slow write from 2.0 on."""
    async with timed(profile) as (client, _):
        answers = [await client.send("rotate", {"clockwise": True}) for _ in range(6)]
        assert [answer.status for answer in answers] == [200] * admitted + [429] * (
            6 - admitted
        )


async def test_switches_of_the_command_line(monkeypatch: pytest.MonkeyPatch) -> None:
    """Each trouble has an option."""
    line = (
        "display --profile B --port 0 --no-mdns --no-internet --page service_failed --fetch-seconds 8"
        " --load-seconds 2 --no-render-status --no-refresh --fault late:getDeviceStatus:10"
        " --fault status:/metrics"
    )
    monkeypatch.setattr("sys.argv", line.split())
    arguments = _arguments()
    display = _display(arguments)
    async with display:
        _go_to(display, arguments.page)
        assert (display.player.page, display.player.failure) == (
            Page.ERROR,
            "service_failed",
        )
    assert (display.device.internet, display.device.status_seconds) == (False, 30)
    assert (display.caster.fetch_seconds, display.player.load_seconds) == (8, 2)
    assert not display.poller.push_render_status
    assert not display.player.takes_refresh
    late, status = display.server.faults
    assert (late.kind, late.command, late.seconds) == (
        FaultKind.LATE,
        "getDeviceStatus",
        10,
    )
    assert (status.kind, status.route) == (FaultKind.STATUS, "/metrics")
