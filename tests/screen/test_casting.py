"""Test that others cast to a screen: the interface of an FF1, and who is not heard."""

import asyncio
from contextlib import suppress
from ipaddress import ip_address
import logging
from socket import AF_INET, SO_RCVBUF, SOL_SOCKET, socket
from typing import Any

from aiohttp import (
    ClientConnectionError,
    ClientSession,
    ClientWebSocketResponse,
    WSMsgType,
    WSServerHandshakeError,
    web,
)
from aiohttp.test_utils import TestServer
import pytest

from custom_components.dp1.screen.casting import (
    MAX_LISTENERS,
    SERVICE_TYPE,
    Caster,
    Rate,
)
from custom_components.dp1.screen.pairing import Screens
from custom_components.dp1.screen.screen import Screen
from homeassistant.components.zeroconf.models import HaAsyncZeroconf
from homeassistant.config_entries import SOURCE_ZEROCONF
from homeassistant.core import HomeAssistant
from homeassistant.helpers.service_info.zeroconf import ZeroconfServiceInfo

from ..displays import name_hosts, playlist, until
from .conftest import Page, add, answer_of, stalls

pytestmark = pytest.mark.usefixtures("socket_enabled", "mdns")

ITEMS = playlist("One", "Two", "Three")
JOIN = (
    b"GET /api/notification HTTP/1.1\r\nHost: 127.0.0.1\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n"
    b"Sec-WebSocket-Version: 13\r\nSec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n\r\n"
)


async def send(caster: Caster, command: str, **request: Any) -> Any:
    """Send a command over the network, and return its answer."""
    return await answer_of(caster.port, command, request)


async def test_others_may_cast(
    hass: HomeAssistant, screens: Screens, page: Page, mdns: HaAsyncZeroconf
) -> None:
    """Only once its owner lets others cast is a screen announced, and reached, by IPv4 and by IPv6."""
    entry = await add(hass, page)
    (screen,) = screens.screens
    assert screens.caster(screen.device_id) is None
    hass.config_entries.async_update_entry(entry, options={"let_others_cast": True})
    caster = screens.caster(screen.device_id)
    assert caster is not None
    await until(lambda: len(caster.addresses) == 2)
    assert {address[0] for address in caster.addresses} == {"0.0.0.0", "::"}
    assert {address[1] for address in caster.addresses} == {caster.port}
    name = f"{screen.device_id}.{SERVICE_TYPE}".lower()
    announced = mdns.zeroconf.registry.async_get_info_name
    await until(lambda: announced(name))
    assert (info := announced(name)) is not None
    assert info.decoded_properties["id"] == screen.device_id
    assert info.port == caster.port
    secret = "http://127.0.0.1:9/playlist.json"
    assert await send(caster, "displayPlaylist", playlistUrl=secret) == {"status": 500}
    # It is announced three times.
    await asyncio.sleep(1)
    hass.config_entries.async_update_entry(entry, options={})
    await until(lambda: announced(name) is None)
    assert caster.addresses == []
    await asyncio.sleep(0.5)
    assert screens.caster(screen.device_id) is None


async def test_interface(
    hass: HomeAssistant, screen: Screen, caster: Caster, page: Page
) -> None:
    """Statuses, pushes and errors are those of a display."""

    async def answer(request: web.Request) -> web.Response:
        """Answer with a playlist, or with none."""
        far = {"title": "Far", "items": ITEMS["items"]}
        return web.json_response(far if request.path == "/list" else [])

    app = web.Application()
    app.router.add_get("/{path}", answer)
    async with (
        TestServer(app) as far,
        ClientSession(f"http://127.0.0.1:{caster.port}") as session,
    ):
        status = await (await session.get("/api/v2/status")).json()
        assert status["device_id"] == screen.device_id
        assert "playback_start_total" in await (await session.get("/metrics")).text()
        for body in (b"no", b"{}"):
            assert (await session.post("/api/cast", data=body)).status == 400
        assert (await send(caster, "getDeviceStatus"))["contract"] == "2"
        assert "screen" in await send(caster, "deviceMetrics")
        assert await send(caster, "setVolume", percent=101) == {"status": 500}
        socket = await session.ws_connect("/api/notification")
        url, none = str(far.make_url("/list")), str(far.make_url("/none"))
        await name_hosts(hass, url, none)
        refused = await send(caster, "displayPlaylist", playlistUrl=none)
        assert refused == {"status": 500}
        assert await send(caster, "displayPlaylist", playlistUrl=url) == {"ok": True}
        push = await socket.receive_json(timeout=5)
        assert push["notification_type"] in ("player_status", "device_status")
        await page.until(title="One")
        await socket.close()


async def test_odd_commands(caster: Caster, caplog: pytest.LogCaptureFixture) -> None:
    """Commands with too much, or of other types, are refused as a display refuses, without a line in the log."""
    url = f"http://127.0.0.1:{caster.port}/api/cast"
    deep = b'{"command":"ping","request":' + b'{"a":' * 40 + b"1" + b"}" * 41
    wide = b'{"command":"ping","request":{"a":[' + b"1," * 600_000 + b"1]}}"
    async with ClientSession() as session:
        for body in (deep, wide, b"[]", b'{"command":"\\ud800"}'):
            assert (await session.post(url, data=body)).status == 400
    for days in ([[]], [{}], ["mon"] * 8, [], "mon"):
        request: dict[str, Any] = {"days": days}
        assert await send(caster, "setSleepSchedule", **request) == {"status": 500}
    assert [each for each in caplog.records if each.levelno >= logging.ERROR] == []


@pytest.mark.parametrize(
    ("headers", "status"),
    [
        ({"Origin": "https://evil.example"}, 403),
        ({"Origin": "null"}, 403),
        ({"Origin": "http://[", "Host": "127.0.0.1"}, 403),
        ({"Host": "evil.example"}, 403),
        ({"Host": "evil.example", "Origin": "http://evil.example"}, 403),
        ({"Host": "127.0.0.1:99999"}, 400),
    ],
)
async def test_pages_of_others_are_not_heard(
    caster: Caster, headers: dict[str, str], status: int
) -> None:
    """Neither a page that somebody at home visits nor a work in its frame casts or reads what is shown, by whatever name."""
    body = {"command": "displayPlaylist", "request": {"dp1_call": ITEMS}}
    async with ClientSession(f"http://127.0.0.1:{caster.port}") as session:
        async with session.post("/api/cast", json=body, headers=headers) as answer:
            assert answer.status == status
        with pytest.raises(WSServerHandshakeError) as refused:
            await session.ws_connect("/api/notification", headers=headers)
    assert refused.value.status == status
    assert (await send(caster, "checkStatus")).get("items") == []


async def test_nobody_outside_is_heard(
    caster: Caster, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Whoever asks from the internet, as by IPv6 without a firewall, casts and reads nothing."""
    monkeypatch.setattr(
        "custom_components.dp1.screen.casting.is_public",
        lambda address: address == "127.0.0.1",
    )
    refused = await send(caster, "displayPlaylist", dp1_call=ITEMS)
    assert refused == {"status": 403}


async def test_a_flood_of_works(caster: Caster, page: Page) -> None:
    """Works without duration in megabytes are told slowly, and stop nothing."""
    note = "x" * 3000
    items = [
        {"id": str(n), "source": f"https://a.example/{n}.png", "duration": 0.1}
        for n in range(1024)
    ]
    document = {"title": "Flood", "items": [{**item, "note": note} for item in items]}
    async with ClientSession(f"http://127.0.0.1:{caster.port}") as session:
        sockets = [await session.ws_connect("/api/notification") for _ in range(8)]
        with pytest.raises(WSServerHandshakeError):
            await session.ws_connect("/api/notification")
        assert await send(caster, "displayPlaylist", dp1_call=document) == {"ok": True}
        async with stalls() as noted:
            for _ in range(6):
                assert (await sockets[0].receive()).type is WSMsgType.TEXT
        for socket in sockets:
            await socket.close()
    assert max(noted) < 0.5, max(noted)


async def test_changes_are_told_twice_a_second(caster: Caster, screen: Screen) -> None:
    """However often a person goes on, who listens is told twice a second, and at last how it ended."""
    assert await send(caster, "displayPlaylist", dp1_call=ITEMS) == {"ok": True}
    told: list[int | None] = []

    async def read(socket: ClientWebSocketResponse) -> None:
        """Note which work each message tells of, None for one on the device."""
        async for message in socket:
            status = message.json()["message"]
            told.append(status.get("index"))

    loop = asyncio.get_running_loop()
    async with ClientSession(f"http://127.0.0.1:{caster.port}") as session:
        socket = await session.ws_connect("/api/notification")
        reading = asyncio.create_task(read(socket))
        began = loop.time()
        for number in range(120):
            screen.player.handle("moveToArtwork", {"index": number % 2})
            await asyncio.sleep(0.01)
        screen.player.handle("moveToArtwork", {"index": 2})
        await until(lambda: 2 in told)
        seconds = loop.time() - began
        await socket.close()
        await reading
    works = [it for it in told if it is not None]
    assert 2 <= len(works) <= 2 * seconds + 2


async def slow_listener(caster: Caster) -> socket:
    """Return a listener that has not read anything by now, of a system that keeps little for it."""
    listener = socket(AF_INET)
    listener.setsockopt(SOL_SOCKET, SO_RCVBUF, 4096)
    listener.setblocking(False)
    loop = asyncio.get_running_loop()
    await loop.sock_connect(listener, ("127.0.0.1", caster.port))
    await loop.sock_sendall(listener, JOIN)
    assert (await loop.sock_recv(listener, 1024)).startswith(b"HTTP/1.1 101")
    return listener


async def read_all(listener: socket, seconds: float) -> bytes:
    """Return what a listener is told until nothing comes any more, or its connection ends."""
    loop, told = asyncio.get_running_loop(), b""
    listener.setsockopt(SOL_SOCKET, SO_RCVBUF, 1 << 20)
    with suppress(TimeoutError, ConnectionError):
        while got := await asyncio.wait_for(loop.sock_recv(listener, 1 << 20), seconds):
            told += got
    return told


async def test_who_does_not_read_keeps_one_frame_waiting(
    screens: Screens, caster: Caster, screen: Screen, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Of many changes in megabytes, one who does not read is kept what was on its way, and the latest."""
    monkeypatch.setattr("custom_components.dp1.screen.casting.PAUSE", 0)
    notes = [{**item, "note": "x" * 500_000} for item in ITEMS["items"]]
    # It is announced before changes are told.
    await until(lambda: screens._stored[screen.device_id].port)
    listeners = [await slow_listener(caster) for _ in range(MAX_LISTENERS)]
    screen.player.cast({"items": notes}, None, {})
    for number in range(20):
        screen.player.handle("setVolume", {"percent": number})
        await asyncio.sleep(0.01)
    for told in await asyncio.gather(*(read_all(each, 2) for each in listeners)):
        assert 1 <= told.count(b'"player_status"') <= 3
        assert b'"volume":19' in told
    for each in listeners:
        each.close()


async def test_who_does_not_read_is_sent_away(
    caster: Caster, screen: Screen, monkeypatch: pytest.MonkeyPatch
) -> None:
    """One who does not read makes room for another after a while, and nothing is kept for it."""
    monkeypatch.setattr("custom_components.dp1.screen.socket.SEND_SECONDS", 0.2)
    notes = [{**item, "note": "x" * 1_000_000} for item in ITEMS["items"]]
    listeners = [await slow_listener(caster) for _ in range(MAX_LISTENERS)]
    screen.player.cast({"items": notes}, None, {})
    await until(lambda: not caster._listeners, 20)
    for each in listeners:
        assert len(await read_all(each, 5)) < 3_000_000
        each.close()
    (await slow_listener(caster)).close()


async def test_who_is_gone_without_a_word(
    caster: Caster, monkeypatch: pytest.MonkeyPatch
) -> None:
    """One who answers nothing any more takes no place from others, although nothing is told."""
    monkeypatch.setattr("custom_components.dp1.screen.casting.HEARTBEAT", 0.2)
    listener = await slow_listener(caster)
    await until(lambda: caster._listeners)
    await until(lambda: not caster._listeners)
    listener.close()


async def test_a_flood_of_casts(caster: Caster) -> None:
    """Casts in megabytes are read a few at a time, and the rest is told to come later."""
    body = b'{"command":"displayPlaylist","request":{"dp1_call":{"items":[{"source":"%s"}]}}}'
    long = body % (b"x" * 1_700_000)
    async with ClientSession(f"http://127.0.0.1:{caster.port}") as session:

        async def cast() -> int:
            """Cast what is no work, and return the status."""
            async with session.post("/api/cast", data=long) as answer:
                return answer.status

        answers = await asyncio.gather(
            *(cast() for _ in range(40)), return_exceptions=True
        )
        # What is told to come later before it was read may see its connection closed.
        statuses = [each for each in answers if isinstance(each, int)]
        assert set(statuses) <= {200, 429}
        assert 1 <= statuses.count(200) <= 8
        # The rate is of all, so that many hosts are no way around it.
        caster._casts._full_at = asyncio.get_running_loop().time() + 10
        assert await cast() == 429


async def test_a_flood_of_addresses(
    hass: HomeAssistant, caster: Caster, page: Page
) -> None:
    """Playlists at addresses are fetched a few at a time, however many are asked for at once; other commands go on meanwhile."""
    fetched = asyncio.Event()
    asked: list[str] = []

    async def answer(request: web.Request) -> web.Response:
        """Answer with a playlist once somebody wants that."""
        asked.append(request.path)
        await fetched.wait()
        return web.json_response(ITEMS)

    app = web.Application()
    app.router.add_get("/{path}", answer)
    async with TestServer(app) as far:
        urls = [str(far.make_url(f"/{n}")) for n in range(5)]
        await name_hosts(hass, *urls)
        casts = [
            asyncio.ensure_future(send(caster, "displayPlaylist", playlistUrl=url))
            for url in urls
        ]
        await until(lambda: sum(cast.done() for cast in casts) == 3)
        assert await send(caster, "setVolume", percent=30) == {"ok": True}
        await until(lambda: len(asked) == 2)
        fetched.set()
        answers = await asyncio.gather(*casts)
        # What is fetched can be as long as what is sent.
        caster._casts._full_at = asyncio.get_running_loop().time() + 10
        late = await send(caster, "displayPlaylist", playlistUrl=urls[0])
        assert late == {"status": 429}
    assert answers.count({"ok": True}) == 2
    assert answers.count({"status": 429}) == 3
    assert len(asked) == 2
    await page.until(title="One")


async def test_a_flood_of_commands(caster: Caster) -> None:
    """Forty commands at once are carried out, and more are told to come later, until some time has passed."""
    answers: list[Any] = []
    async with asyncio.timeout(60):
        while {"status": 429} not in answers:
            answers += await asyncio.gather(*(send(caster, "ping") for _ in range(20)))
    assert answers[:40] == [{"ok": True}] * 40
    async with asyncio.timeout(30):
        while await send(caster, "ping") != {"ok": True}:
            await asyncio.sleep(0.1)


async def test_the_page_leaves(
    hass: HomeAssistant,
    screen: Screen,
    caster: Caster,
    page: Page,
    mdns: HaAsyncZeroconf,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """Without a page nobody listens, whoever was told of changes notices, and the next page brings it back: elsewhere if its port is taken by then."""
    monkeypatch.setattr("custom_components.dp1.screen.screen.GRACE", 0)
    before = caster.port
    name = f"{screen.device_id}.{SERVICE_TYPE}".lower()
    announced = mdns.zeroconf.registry.async_get_info_name
    async with ClientSession(f"http://127.0.0.1:{before}") as session:
        listener = await session.ws_connect("/api/notification")
        await listener.send_str("Is anybody there?")
        await page.close()
        # What it is still told is that.
        while (await listener.receive(timeout=30)).type is WSMsgType.TEXT:
            pass
        assert listener.closed
        await until(lambda: announced(name) is None)
        with pytest.raises(ClientConnectionError):
            await session.get("/api/status")
    other = await asyncio.start_server(lambda *_: None, "0.0.0.0", before)
    await page.open()
    await until(lambda: caster.addresses)
    assert caster.port != before
    assert await send(caster, "ping") == {"ok": True}
    await until(lambda: announced(name))
    assert (info := announced(name)) is not None
    assert info.port == caster.port
    other.close()
    await other.wait_closed()


async def test_rates() -> None:
    """A burst passes, then as many as are allowed a second."""
    rate = Rate(3, 20.0)
    assert [rate.passes() for _ in range(5)] == [True, True, True, False, False]
    await asyncio.sleep(0.12)
    assert rate.passes()


async def test_a_screen_follows_nobody(
    hass: HomeAssistant, screens: Screens, page: Page
) -> None:
    """A device that announces the id of a screen takes its entry away neither while a browser shows it nor while none does."""
    entry = await add(hass, page)
    before = dict(entry.data)
    await page.close()
    info = ZeroconfServiceInfo(
        ip_address=ip_address("192.168.1.66"),
        ip_addresses=[ip_address("192.168.1.66")],
        hostname="evil.local.",
        name=f"{entry.unique_id}.{SERVICE_TYPE}",
        port=1111,
        properties={"id": entry.unique_id, "name": "Evil"},
        type=SERVICE_TYPE,
    )
    context = {"source": SOURCE_ZEROCONF}
    result = await hass.config_entries.flow.async_init(
        "dp1", context=context, data=info
    )
    assert result["reason"] == "already_configured"
    assert dict(entry.data) == before
