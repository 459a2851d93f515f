"""Test screens: pairing, the interface of a display, and the page's side of it."""

import asyncio
from datetime import UTC, datetime, timedelta
import errno
import logging
from typing import Any

from aiohttp import ClientSession, WSMsgType, WSServerHandshakeError, web
from aiohttp.test_utils import TestServer
from freezegun.api import FrozenDateTimeFactory
import pytest
from pytest_homeassistant_custom_component.common import MockConfigEntry
from pytest_homeassistant_custom_component.typing import ClientSessionGenerator

from custom_components.dp1.screen.pairing import PATH, Screens
from custom_components.dp1.screen.player import Player, State
from custom_components.dp1.screen.server import SERVICE_TYPE, Server
from custom_components.dp1.storage import SafeStore
from homeassistant.components.zeroconf.models import HaAsyncZeroconf
from homeassistant.config_entries import (
    SOURCE_RECONFIGURE,
    SOURCE_USER,
    ConfigEntryState,
)
from homeassistant.core import HomeAssistant
from homeassistant.helpers.storage import Store
from homeassistant.util import dt as dt_util

from ..displays import name_hosts, playlist, set_up, state_of, until
from .conftest import Page, add, answer_of

pytestmark = pytest.mark.usefixtures("socket_enabled", "mdns")

ITEMS = playlist("One", "Two", "Three")


async def send(server: Server, command: str, **request: Any) -> Any:
    return await answer_of(server.port, command, request)


async def test_pairing(screens: Screens, page: Page) -> None:
    """A code is good once, and only the browser that has shown it becomes a screen."""
    code = (await page.open())["code"]
    assert len(code) == 6
    assert (
        await screens.async_pair("000000" if code != "000000" else "1", "Tablet")
        is None
    )
    server = await screens.async_pair(f"{code[:3]} {code[3:]}", "Tablet")
    assert server is not None
    assert server.device_id in screens
    page.secret = (await page.socket.receive_json())["secret"]
    assert await screens.async_pair(code, "Tablet") is None
    assert (await page.open())["work"] is None


async def test_display(hass: HomeAssistant, screens: Screens, page: Page) -> None:
    """A screen is a display like any other, from its pairing to its end."""
    entry = await add(hass, page)
    assert entry.title == "Tablet"
    await until(lambda: hass.states.get("media_player.tablet") is not None)
    await until(lambda: state_of(hass, "media_player.tablet").state == "idle")
    await hass.services.async_call(
        "dp1",
        "cast_playlist",
        {"entity_id": "media_player.tablet", "playlist": ITEMS},
        blocking=True,
    )
    message = await page.socket.receive_json()
    while not message["source"]:
        message = await page.socket.receive_json()
    await page.socket.send_json({"work": message["work"], "render": 2})
    await until(lambda: state_of(hass, "media_player.tablet").state == "playing")
    assert state_of(hass, "media_player.tablet").attributes["media_title"] == "One"
    await hass.config_entries.async_remove(entry.entry_id)
    while (await page.socket.receive()).type is WSMsgType.TEXT:
        pass
    assert entry.unique_id not in screens
    assert len((await page.open())["code"]) == 6


async def test_screens_that_cannot_be_read(
    hass: HomeAssistant,
    hass_storage: dict[str, Any],
    display_entry: MockConfigEntry,
    hass_client_no_auth: ClientSessionGenerator,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """Screens that cannot be read for a moment take no display along, and are there once they can be."""
    load = Store.async_load

    async def fail(store: Store[Any]) -> Any:
        """Fail to read the screens."""
        if store.key == "dp1.screens":
            raise OSError(errno.EIO, "Input/output error")
        return await load(store)

    monkeypatch.setattr(Store, "async_load", fail)
    screen = MockConfigEntry(
        domain="dp1",
        unique_id="SCREEN-1",
        data={**display_entry.data, "host": "127.0.0.1", "port": 9, "dialect": "ff"},
    )
    await set_up(hass, display_entry)
    await set_up(hass, screen)
    assert display_entry.state is ConfigEntryState.LOADED
    assert screen.state is ConfigEntryState.SETUP_RETRY
    flows = hass.config_entries.flow
    flow = await flows.async_init("dp1", context={"source": SOURCE_USER})
    flow = await flows.async_configure(flow["flow_id"], {"next_step_id": "screen"})
    assert flow["reason"] == "screens_not_readable"
    page = Page(await hass_client_no_auth())
    with pytest.raises(TypeError):
        await page.open()
    monkeypatch.setattr(Store, "async_load", load)
    assert len((await page.open())["code"]) == 6
    await page.close()
    await hass.config_entries.async_unload(display_entry.entry_id)


async def test_screens_are_gone_with_the_last(
    hass: HomeAssistant,
    screens: Screens,
    page: Page,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """The last entry takes the screens along, and nothing saves them again afterwards."""
    entry = await add(hass, page)
    order: list[str] = []
    for name in ("async_delay_save", "async_remove"):
        method = getattr(SafeStore, name)

        def note(store: Any, *args: Any, _name: str = name, _do: Any = method) -> Any:
            """Note what is done with the file."""
            if store.key == "dp1.screens":
                order.append(_name)
            return _do(store, *args)

        monkeypatch.setattr(SafeStore, name, note)
    await hass.config_entries.async_remove(entry.entry_id)
    await hass.async_block_till_done()
    assert order[-1] == "async_remove"


async def test_a_night(
    hass: HomeAssistant, screens: Screens, page: Page, freezer: FrozenDateTimeFactory
) -> None:
    """Works follow each other by the clock, also through a night and a restart in which nothing was shown."""
    freezer.move_to(datetime(2026, 11, 25, 21, tzinfo=dt_util.get_default_time_zone()))
    server = await page.pair(screens)
    await page.open()
    await send(server, "displayPlaylist", dp1_call=ITEMS)
    await send(server, "setSleepSchedule", enabled=True)
    began = dt_util.utcnow()

    def told_at(moment: datetime) -> dict[str, Any]:
        freezer.move_to(moment)
        server.player.tick()
        return server.player.page()

    for minutes, title in ((4, "One"), (6, "Two"), (14, "Three"), (16, "One")):
        told = told_at(began + timedelta(minutes=minutes))
        assert (told["title"], told["asleep"]) == (title, False)
    assert told_at(began + timedelta(hours=1))["asleep"] is True
    assert told_at(began + timedelta(hours=10.4))["asleep"] is True
    told = told_at(began + timedelta(hours=10.5))
    assert (told["asleep"], told["title"]) == (False, "One")

    await page.socket.close()
    await server.async_close()
    again = Screens(hass, "1")
    hass.data["dp1_screens"] = again
    await screens._store.async_save_now([*screens._screens.values()])
    await again.async_load()
    (server,) = again.servers
    freezer.move_to(began + timedelta(hours=10.5, minutes=11))
    server.player.tick()
    assert server.player.page()["title"] == "Three"


@pytest.mark.parametrize(
    ("night", "minutes"),
    [
        # The clocks go from 2 to 3 after an hour: at once it is later than when the screen falls asleep or wakes.
        ("2027-03-28 00:00", {"23:00-02:30": (0, 60), "02:30-07:30": (60, 330)}),
        # From 3 back to 2 after two hours: the same times come again, and change nothing.
        ("2026-10-24 23:00", {"23:00-02:30": (0, 90), "02:30-07:30": (90, 450)}),
    ],
)
async def test_a_night_in_which_the_clocks_change(
    hass: HomeAssistant,
    screens: Screens,
    page: Page,
    freezer: FrozenDateTimeFactory,
    night: str,
    minutes: dict[str, tuple[int, int]],
) -> None:
    """A screen sleeps and wakes once, also over a restart, and what comes next is ahead."""
    await hass.config.async_set_time_zone("Europe/Berlin")
    began = datetime.fromisoformat(night).replace(tzinfo=UTC)
    freezer.move_to(began)
    server = await page.pair(screens)
    for times, (asleep, awake) in minutes.items():
        sleep_time, wake_time = times.split("-")
        freezer.move_to(began)
        await send(
            server,
            "setSleepSchedule",
            enabled=True,
            sleepTime=sleep_time,
            wakeTime=wake_time,
        )
        for minute in range(0, 480, 5):
            freezer.move_to(began + timedelta(minutes=minute))
            for player in (server.player, Player(server.player.state, lambda: None)):
                assert player.page()["asleep"] is (asleep <= minute < awake), minute
                following = min((m for m in (asleep, awake) if m > minute), default=480)
                ahead = (player.next_event or 0) - dt_util.utcnow().timestamp()
                assert ahead == (following - minute) * 60 or ahead > 7200, minute
        for command, lasts in (("wakeNow", asleep), ("sleepNow", awake)):
            freezer.move_to(began)
            await send(server, command)
            for minute in range(0, lasts, 5):
                freezer.move_to(began + timedelta(minutes=minute))
                assert server.player.page()["asleep"] is (command == "sleepNow"), minute


async def test_codes_are_bounded(screens: Screens, page: Page) -> None:
    """A browser waits with one code, and no more than five browsers wait."""
    first = (await page.open())["code"]
    assert await screens.async_pair("12345", "X") is None
    second = (await page.open())["code"]
    assert await screens.async_pair(first, "X") is None
    for number in range(4):
        screens._codes[str(number)] = f"10.0.0.{number}", asyncio.Future()
    assert len((await page.open())["code"]) == 6
    screens._codes["4"] = "10.0.0.4", asyncio.Future()
    screens._codes = {k: v for k, v in screens._codes.items() if len(k) == 1}
    assert (await page.open())["code"] == ""
    assert await screens.async_pair(second, "X") is None


async def test_another_site_has_nothing_to_do_here(
    screens: Screens, page: Page, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A page of another site, or of another home, gets no socket, nor does anybody from outside."""
    for origin in (
        "https://evil.example",
        "http://homeassistant.local:8123",
        "null",
        "",
    ):
        with pytest.raises(WSServerHandshakeError) as refused:
            await page.open(origin)
        assert refused.value.status == 403
    monkeypatch.setattr(
        "custom_components.dp1.screen.pairing.is_loopback", lambda _: False
    )
    monkeypatch.setattr(
        "custom_components.dp1.screen.pairing.is_private", lambda _: False
    )
    with pytest.raises(WSServerHandshakeError) as refused:
        await page.open()
    assert refused.value.status == 403


async def test_a_secret_of_nobody(screens: Screens, page: Page) -> None:
    """Who guesses a secret, or sends something else, is asked to be paired or is left."""
    server = await page.pair(screens)
    page.secret = page.secret and page.secret[:-1]
    assert "code" in await page.open()
    page.secret = None
    await page.open()
    await page.socket.send_str("[" * 5000)
    assert (await page.socket.receive(timeout=5)).type is not WSMsgType.TEXT
    assert server.device_id in screens


async def test_works_follow_each_other(server: Server, page: Page) -> None:
    """The next work is shown by itself, and a film that ends is followed at once."""
    short = {**ITEMS, "items": [{**item, "duration": 0.3} for item in ITEMS["items"]]}
    await send(server, "displayPlaylist", dp1_call=short)
    titles = [(await page.socket.receive_json(timeout=5))["title"] for _ in range(4)]
    assert titles == ["One", "Two", "Three", "One"]
    film = {**ITEMS["items"][0], "display": {"loop": False}}
    await send(server, "displayPlaylist", dp1_call={"items": [film, ITEMS["items"][1]]})
    while (message := await page.socket.receive_json(timeout=5))["loop"]:
        pass
    await page.socket.send_json({"work": message["work"], "ended": True})
    assert (await page.socket.receive_json(timeout=5))["title"] == "Two"


async def test_who_says_nothing_is_left(
    screens: Screens, page: Page, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Browsers that never say who they are keep no connection."""
    monkeypatch.setattr("custom_components.dp1.screen.pairing.HELLO_SECONDS", 0.05)
    own = {"Origin": str(page._client.make_url("")).rstrip("/")}
    sockets = [
        await page._client.ws_connect(f"{PATH}/socket", headers=own) for _ in range(50)
    ]
    for socket in sockets:
        assert (await socket.receive(timeout=5)).type is WSMsgType.CLOSE


@pytest.mark.parametrize(
    ("suffix", "headers", "status"),
    [
        ("/socket", {"Origin": "http://["}, 403),
        ("/socket", {"Origin": "http://a:99999"}, 403),
        ("/socket", {"Host": "a:99999", "Origin": "http://a:99999"}, 400),
        ("", {"Host": "a:99999"}, 400),
    ],
)
async def test_odd_requests(
    page: Page,
    caplog: pytest.LogCaptureFixture,
    suffix: str,
    headers: dict[str, str],
    status: int,
) -> None:
    """What no browser sends is refused without a line in the log."""
    url = page._client.make_url("").with_path(f"{PATH}{suffix}", encoded=True)
    async with ClientSession() as session, session.get(url, headers=headers) as answer:
        assert answer.status == status
    assert [each for each in caplog.records if each.levelno >= logging.ERROR] == []


@pytest.mark.parametrize("seconds", [-1, 1e-9, 1.7e308])
def test_the_clock_always_goes_on(seconds: float) -> None:
    """Works that last no time follow each other no faster than a person sees, whoever says how long they last."""
    player = Player(State(duration=seconds), lambda: None)
    works = [
        {"source": "https://a.example", "duration": at} for at in (seconds, seconds, 5)
    ]
    player.cast({"items": works}, None, {})
    assert player.due is None or player.due - player.state.began >= 0.09
    player.state.index, player.state.began = 2, 0.0
    player.tick()
    assert player.state.began >= 0


async def test_odd_commands(server: Server, caplog: pytest.LogCaptureFixture) -> None:
    """Commands with too much, or of other types, are refused as a display refuses, without a line in the log."""
    url = f"http://127.0.0.1:{server.port}/api/cast"
    deep = b'{"command":"ping","request":' + b'{"a":' * 40 + b"1" + b"}" * 41
    wide = b'{"command":"ping","request":{"a":[' + b"1," * 600_000 + b"1]}}"
    async with ClientSession() as session:
        for body in (deep, wide, b"[]", b'{"command":"\\ud800"}'):
            assert (await session.post(url, data=body)).status == 400
    for days in ([[]], [{}], ["mon"] * 8, [], "mon"):
        refused = await send(server, "setSleepSchedule", days=days)
        assert refused == {"status": 500}
    assert [each for each in caplog.records if each.levelno >= logging.ERROR] == []


async def test_others_may_cast(
    hass: HomeAssistant, screens: Screens, page: Page, mdns: HaAsyncZeroconf
) -> None:
    """Only once its owner lets others cast is a screen announced, and reached from elsewhere."""
    entry = await add(hass, page)
    (server,) = screens.servers
    assert {host for host, _ in server.addresses} == {"127.0.0.1"}
    hass.config_entries.async_update_entry(entry, options={"let_others_cast": True})
    await until(lambda: not server.addresses)
    await page.open()
    await until(lambda: server.addresses)
    assert {host for host, _ in server.addresses} == {"0.0.0.0"}
    name = f"{server.device_id}.{SERVICE_TYPE}".lower()
    announced = mdns.zeroconf.registry.async_get_info_name
    await until(lambda: announced(name))
    assert (info := announced(name)) is not None
    assert info.decoded_properties["id"] == server.device_id
    assert info.port == server.port == entry.data["port"]
    secret = "http://127.0.0.1:9/playlist.json"
    assert await send(server, "displayPlaylist", playlistUrl=secret) == {"status": 500}
    # It is announced three times.
    await asyncio.sleep(1)
    hass.config_entries.async_update_entry(entry, options={})
    await until(lambda: not server.addresses)
    assert announced(name) is None


async def test_files(page: Page) -> None:
    """The page, its script and the frame for pages in addresses are served without login, each with a policy."""
    for suffix, kind in (
        ("", "text/html"),
        (".js", "text/javascript"),
        ("/frame", "text/html"),
    ):
        answer = await page._client.get(f"{PATH}{suffix}")
        assert (answer.status, answer.content_type) == (200, kind)
        policy = answer.headers["Content-Security-Policy"]
        assert ("sandbox allow-scripts" in policy) is (suffix == "/frame")
        assert await answer.text()


async def test_interface(hass: HomeAssistant, server: Server, page: Page) -> None:
    """Statuses, pushes and errors are those of a display; a playlist is read again by its address."""
    items = [*ITEMS["items"][:2]]
    app = web.Application()
    app.router.add_get("/list", lambda _: _answer({"title": "Far", "items": items}))
    app.router.add_get("/none", lambda _: _answer([]))
    async with (
        TestServer(app) as far,
        ClientSession(f"http://127.0.0.1:{server.port}") as session,
    ):
        assert (await (await session.get("/api/v2/status")).json())[
            "device_id"
        ] == server.device_id
        assert "playback_start_total" in await (await session.get("/metrics")).text()
        for body in (b"no", b"{}"):
            assert (await session.post("/api/cast", data=body)).status == 400
        assert (await send(server, "getDeviceStatus"))["contract"] == "2"
        assert "screen" in await send(server, "deviceMetrics")
        assert await send(server, "setVolume", percent=101) == {"status": 500}
        socket = await session.ws_connect("/api/notification")
        url = str(far.make_url("/list"))
        await name_hosts(hass, url, str(far.make_url("/none")))
        none = str(far.make_url("/none"))
        assert await send(server, "displayPlaylist", playlistUrl=none) == {
            "status": 500
        }
        assert await send(server, "displayPlaylist", playlistUrl=url) == {"ok": True}
        push = await socket.receive_json(timeout=5)
        assert push["notification_type"] in ("player_status", "device_status")
        items.append(ITEMS["items"][2])
        server._refreshed -= timedelta(minutes=6)
        await server._tick(dt_util.utcnow())
        assert (await send(server, "checkStatus"))["items"][2]["title"] == "Three"
        await socket.close()


async def test_a_list_that_stays_as_it_is(hass: HomeAssistant, server: Server) -> None:
    """A playlist that is read again unchanged, or is none any more, leaves order and counters alone."""
    titles = [f"Work {number}" for number in range(12)]
    works = [
        {k: v for k, v in it.items() if k != "duration"}
        for it in playlist(*titles)["items"]
    ]
    documents: list[Any] = [{"items": works}, {"items": works}, {"title": "None"}]
    app = web.Application()
    app.router.add_get("/list", lambda _: _answer(documents.pop(0)))
    async with TestServer(app) as far:
        url = str(far.make_url("/list"))
        await name_hosts(hass, url)
        assert await send(server, "displayPlaylist", playlistUrl=url) == {"ok": True}
        await send(server, "setShuffle", enabled=True)
        before = (await send(server, "checkStatus"))["items"]
        for _ in range(2):
            server._refreshed -= timedelta(minutes=6)
            await server._tick(dt_util.utcnow())
            assert (await send(server, "checkStatus"))["items"] == before
    assert (documents, server.player.plays, server.player.refusals) == ([], 1, 0)


async def _answer(value: Any) -> web.Response:
    return web.json_response(value)


async def test_another_browser(
    hass: HomeAssistant, screens: Screens, page: Page
) -> None:
    """A browser that has forgotten its secret is paired again, under the same entry."""
    entry = await add(hass, page)
    page.secret = None
    code = (await page.open())["code"]
    flows = hass.config_entries.flow
    context = {"source": SOURCE_RECONFIGURE, "entry_id": entry.entry_id}
    flow = await flows.async_init("dp1", context=context)
    assert flow["step_id"] == "screen"
    result = await flows.async_configure(flow["flow_id"], {"code": code})
    assert result["reason"] == "reconfigure_successful"
    page.secret = (await page.socket.receive_json())["secret"]
    assert "work" in await page.open()
    (server,) = screens.servers
    taken = server.port + 1 if server.port < 65000 else server.port - 1
    server.port = taken
    screens._save()
    assert entry.data["port"] == taken
    await hass.async_block_till_done()
