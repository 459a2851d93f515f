"""Test the client of a display: its requests, and its handling of every answer."""

import asyncio
import socket
from typing import Any

import aiohttp
import pytest

from custom_components.dp1.client.display.client import Dialect, Display
from custom_components.dp1.client.display.device_status import (
    ContentPolicy,
    SleepSchedule,
)
from custom_components.dp1.client.display.transport import RateLimit
from custom_components.dp1.client.errors import (
    BusyError,
    Dp1Error,
    LostAnswerError,
    RejectedError,
    UnreachableError,
)
from custom_components.dp1.client.playlist.playlist import Playlist

from .displays import FLAT, PLAYLIST, WRAPPED, Waits, by_command, client, scripted

from tests.client.keys import keyed
from tests.client.scripted_server import Reply, plain, replied
from tests.client.tables import tables

pytestmark = pytest.mark.usefixtures("socket_enabled")

URL = "https://feed.example.org/api/v1/playlists/aa11"
BY_URL = Playlist(url=URL)
TABLES = tables("display_client")


@pytest.mark.parametrize(("reply", "error", "attributes"), TABLES["outcomes"])
async def test_every_way_to_fail(
    reply: dict[str, Any], error: str, attributes: dict[str, Any]
) -> None:
    """Each failure is an error of its own, in the order of the firmware's checks, and only a busy display gets a retry."""
    async with scripted(replied(**reply)) as (server, display):
        with pytest.raises(Dp1Error) as caught:
            await display.cast(BY_URL)
    assert type(caught.value).__name__ == error
    told = {name: getattr(caught.value, name) for name in attributes}
    assert told == attributes
    casts = [sent for sent in server.requests if b"displayPlaylist" in sent.body]
    assert len(casts) == (3 if error == "BusyError" else 1)


@pytest.mark.parametrize("body", TABLES["successes"])
async def test_every_way_to_succeed(body: object) -> None:
    """A reply may be wrapped once, twice or not at all, with or without ``ok``."""
    async with scripted(Reply(200, body)) as (server, display):
        await display.toggle_mute()
    assert server.requests[0].json == {"command": "toggleMute", "request": {}}


async def test_nobody_listens() -> None:
    with socket.socket() as closed:
        closed.bind(("127.0.0.1", 0))
        port = closed.getsockname()[1]
    async with client(f"http://127.0.0.1:{port}") as display:
        for call in (display.cast(BY_URL), display.probe(), display.identify()):
            with pytest.raises(UnreachableError, check=keyed("refused")):
                await call
        with pytest.raises(UnreachableError, check=keyed("refused")):
            await anext(display.listen())


async def test_nobody_is_there() -> None:
    async with client("http://ff1-nowhere.invalid:1111") as display:
        with pytest.raises(UnreachableError):
            await display.cast(BY_URL)
        with pytest.raises(UnreachableError):
            await anext(display.listen())


async def test_a_display_that_hangs(monkeypatch: pytest.MonkeyPatch) -> None:
    """A command may have taken effect; a probe is just not answered."""
    monkeypatch.setattr("custom_components.dp1.client.display.transport._TIMEOUT", 0.2)
    monkeypatch.setattr(
        "custom_components.dp1.client.display.transport._TIMEOUTS",
        {"displayPlaylist": 0.1},
    )
    async with scripted(Reply(fault="never")) as (server, display):
        with pytest.raises(LostAnswerError):
            await display.cast(BY_URL)
        assert len(server.requests) == 1
        with pytest.raises(LostAnswerError):
            await display.toggle_mute()


async def test_a_cut_network_is_told_soon(monkeypatch: pytest.MonkeyPatch) -> None:
    """A cast that takes long is waited for no longer than the display answers anything at all."""
    for name in ("_CAST_PATIENCE", "_PROBE_TIMEOUT"):
        monkeypatch.setattr(f"custom_components.dp1.client.display.client.{name}", 0.2)
    async with scripted(Reply(fault="never")) as (server, display):
        with pytest.raises(LostAnswerError):
            await display.cast(BY_URL)
        assert [it.path for it in server.requests] == ["/api/cast", "/metrics"]


@pytest.mark.parametrize("fault", ["before", "after", "half"])
@pytest.mark.parametrize("dialect", Dialect)
async def test_a_cast_is_never_sent_twice(dialect: Dialect, fault: str) -> None:
    """However the connection is cut, also one that was open: it may have delivered the request."""
    cut = Reply(200, FLAT.body, fault=fault)
    for sent, script in enumerate(([cut, FLAT], [WRAPPED, cut, FLAT])):
        async with scripted(*script, dialect=dialect) as (server, display):
            for _ in range(sent):
                await display.cast(BY_URL)
            with pytest.raises(LostAnswerError):
                await display.cast(Playlist(document=PLAYLIST))
        casts = [it for it in server.requests if b"displayPlaylist" in it.body]
        assert len(casts) == sent + (fault != "before")
        assert len(server.requests) == sent + 1


@pytest.mark.parametrize("fault", ["before", "after", "half"])
async def test_restarting_and_switching_off_may_go_unanswered(fault: str) -> None:
    """A display that is gone has restarted."""
    async with scripted(Reply(200, FLAT.body, fault=fault)) as (server, display):
        await display.reboot()
        await display.shutdown()
    assert server.calls() == ["POST /api/cast"] * 2


async def test_restarting_may_be_refused() -> None:
    async with scripted(plain(500, "Failed to process cast request")) as (_, display):
        with pytest.raises(RejectedError):
            await display.reboot()


# A busy display


async def test_a_busy_display_is_asked_again() -> None:
    """There are at most two retries, with growing waits."""
    waits = Waits()
    busy = plain(429, "Too many commands, slow down")
    async with scripted(busy, busy, WRAPPED, rate_limit=RateLimit(sleep=waits)) as (
        server,
        display,
    ):
        await display.set_volume(50)
    assert len(server.requests) == 3
    first, second = waits.seconds
    assert 0.75 <= first <= 0.95
    assert 1.5 <= second <= 1.9


async def test_a_busy_display_says_when() -> None:
    """The waits and the error include the time that the display asks for."""
    waits = Waits()
    busy = plain(429, "busy", **{"Retry-After": "7"})
    async with scripted(busy, rate_limit=RateLimit(sleep=waits)) as (_, display):
        with pytest.raises(BusyError) as caught:
            await display.screenshot(640)
    assert caught.value.retry_after == 7
    assert [wait for wait in waits.seconds if wait > 1] == [
        pytest.approx(7.9, abs=0.9)
    ] * 2


# What is sent

SCHEDULE = {
    "ok": True,
    "sleepSchedule": {"enabled": True, "sleepTime": "22:00", "currentState": "awake"},
}


@pytest.mark.parametrize(
    ("method", "values", "options", "command", "request_"), TABLES["commands"]
)
async def test_commands(
    method: str,
    values: list[Any],
    options: dict[str, Any],
    command: str,
    request_: dict[str, Any],
) -> None:
    """Each command is sent completely, as JSON, without an Origin; a change of the schedule returns it."""
    async with scripted(Reply(200, SCHEDULE)) as (server, display):
        answer = await getattr(display, method)(*values, **options)
    is_change = command == "setSleepSchedule"
    schedule = SleepSchedule.parse(SCHEDULE["sleepSchedule"]) if is_change else None
    assert answer == schedule
    (request,) = server.requests
    assert (request.method, request.path) == ("POST", "/api/cast")
    assert request.json == {"command": command, "request": request_}
    assert request.headers["Content-Type"] == "application/json"
    assert not {"Origin", "Sec-Fetch-Site"} & set(request.headers)


async def test_commands_with_an_answer() -> None:
    """The orientation is returned, and the policy can be read."""
    policy = {"showMatureContent": True, "strictPersonal": False}
    async with scripted(
        Reply(200, {"orientation": "portrait"}),
        Reply(200, {"ok": True, "contentPolicy": policy, "active": True}),
    ) as (server, display):
        assert await display.rotate(clockwise=True) == "portrait"
        await display.set_content_policy(True, False)
        assert await display.content_policy() == ContentPolicy(True, False, True)
    assert [request.json["request"] for request in server.requests] == [
        {"clockwise": True},
        policy,
        {},
    ]


# What is read


async def test_the_address() -> None:
    """IPv6 addresses have brackets, and there is no trailing slash."""
    async with aiohttp.ClientSession() as session:
        assert Display(session, "192.0.2.7").url == "http://192.0.2.7:1111"
        assert Display(session, "fe80::1", 80).url == "http://[fe80::1]"
        assert Display(session, "ff1-ab.local", 8080).url == "http://ff1-ab.local:8080"


def fields(value: Any, result: object) -> Any:
    """Return the fields of a record that a result has, and anything else as it is."""
    names = result if isinstance(result, dict) else {}
    return {name: getattr(value, name) for name in names} or value


@pytest.mark.parametrize(
    ("method", "arguments", "reply", "result", "dialect"), TABLES["readings"]
)
async def test_readings(
    method: str,
    arguments: list[Any],
    reply: dict[str, Any],
    result: dict[str, Any] | str | None,
    dialect: str,
) -> None:
    """What a display tells shows its firmware, what older firmware does not have is none, and what is no answer of a display an error."""
    async with scripted(replied(**reply), dialect=Dialect.UNKNOWN) as (_, display):
        read: Any = None
        try:
            read = await getattr(display, method)(*arguments)
        except Dp1Error as err:
            read = type(err).__name__
        assert display.dialect == dialect
    assert fields(read, result) == result


async def test_an_address_that_is_not_accepted() -> None:
    """Newer firmware takes only local names, whatever is asked; that it answers is enough for a probe."""
    async with scripted(plain(403, "Host not allowed")) as (_, display):
        for call in (
            display.identify(),
            display.device_status(),
            anext(display.listen()),
        ):
            with pytest.raises(Dp1Error, check=keyed("address_not_accepted")):
                await call
        await display.probe()


async def test_a_player_with_an_error() -> None:
    """It has a status, too, if the firmware is known; a no has none."""
    hot = {"message": {"ok": False, "error": "overheating"}}
    no = Reply(200, {"message": {"ok": False}})
    async with scripted(Reply(200, hot), no) as (_, display):
        status = await display.player_status()
        assert (status.ok, status.error) == (False, "overheating")
        with pytest.raises(RejectedError):
            await display.player_status()


async def test_where_readings_are_sent() -> None:
    """Each reading has its place; a screenshot is a PNG of the size that was asked for."""
    png = b"\x89PNG\r\n\x1a\nrest"
    async with scripted(Reply(200, {"uptime": 5}), Reply(200, png)) as (
        server,
        display,
    ):
        await display.metrics()
        assert await display.screenshot(640) == png
        await display.probe()
        with pytest.raises(Dp1Error):
            await display.panel_status()
        with pytest.raises(Dp1Error):
            await display.identify()
    assert server.calls() == [
        "POST /api/cast",
        "GET /api/screenshot?width=640&height=640",
        "GET /metrics",
        "POST /api/cast",
        "GET /api/v2/status",
    ]
    readings = [request.json for request in server.requests if request.body]
    assert [it["command"] for it in readings] == ["deviceMetrics", "ddcPanelStatus"]


# Together


async def test_a_storm_of_settings() -> None:
    """Only the last waiting value of each setting is sent; player, panel and device keep their order."""
    async with scripted(WRAPPED) as (server, display):
        calls = [display.cast(BY_URL)]
        calls += [display.set_volume(number) for number in range(10)]
        calls += [display.panel_control("brightness", number) for number in range(10)]
        calls += [display.panel_control("contrast", number) for number in range(10)]
        calls += [display.update_settings(scaling=word) for word in ("fit", "fill")]
        calls += [display.toggle_mute(), display.toggle_mute()]
        calls += [display.set_default_duration(number) for number in (30, 60)]
        calls += [display.set_loop(mode) for mode in ("one", "none")]
        await asyncio.gather(*calls)
    queues = {"ddcPanelControl": "panel", "setVolume": "device", "toggleMute": "device"}
    sent: dict[str, list[Any]] = {"player": [], "panel": [], "device": []}
    for request in server.requests:
        command = request.json["command"]
        row = [command, request.json["request"]]
        sent[queues.get(command, "player")].append(row)
    assert sent == TABLES["storm"]


async def test_a_slow_cast_delays_only_the_player() -> None:
    """Sleep and panel commands and readings do not wait for a cast; the next work does."""
    by = by_command(
        displayPlaylist=Reply(fault="never"),
        sleepNow=Reply(200, SCHEDULE),
        ddcPanelControl=FLAT,
        getDeviceStatus=Reply(200, {"installedVersion": "2.0.7"}),
    )
    async with scripted(by) as (server, display):
        casting = asyncio.create_task(display.cast(BY_URL))
        skipping = asyncio.create_task(display.show_item(1))
        while not server.requests:
            await asyncio.sleep(0.01)
        await display.sleep()
        await display.panel_control("brightness", 9)
        await display.device_status()
        assert not casting.done()
        casting.cancel()
        skipping.cancel()
        await asyncio.gather(casting, skipping, return_exceptions=True)
    assert [request.json["command"] for request in server.requests] == [
        "displayPlaylist",
        "sleepNow",
        "ddcPanelControl",
        "getDeviceStatus",
    ]
