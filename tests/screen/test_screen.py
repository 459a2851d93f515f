"""Test screens: pairing, the interface of a display, and the page's side of it."""

import asyncio
from asyncio.subprocess import PIPE
from datetime import UTC, datetime, timedelta
import errno
from functools import partial
from hashlib import sha256
from io import BytesIO
import json
import logging
import math
import re
from typing import Any
from unittest.mock import patch

from aiohttp import ClientSession, WSMsgType, WSServerHandshakeError, web
from aiohttp.test_utils import TestServer
from freezegun.api import FrozenDateTimeFactory
from playwright._impl._driver import compute_driver_executable
import pytest
from pytest_homeassistant_custom_component.common import MockConfigEntry
from pytest_homeassistant_custom_component.typing import ClientSessionGenerator
import segno

from custom_components.dp1.client.playlist.playlist import Playlist
from custom_components.dp1.screen import socket as socket_module
from custom_components.dp1.screen.page import PATH
from custom_components.dp1.screen.pairing import (
    MAX_CODES,
    SAVE_SECONDS,
    Screens,
    Waiting,
)
from custom_components.dp1.screen.player import Player, State
from custom_components.dp1.screen.screen import Screen
from custom_components.dp1.screen.views import FOLDER, async_screens
from custom_components.dp1.storage import SafeStore
from homeassistant.config_entries import (
    SOURCE_RECONFIGURE,
    SOURCE_USER,
    ConfigEntryState,
)
from homeassistant.const import (
    EVENT_HOMEASSISTANT_FINAL_WRITE,
    EVENT_HOMEASSISTANT_STOP,
)
from homeassistant.core import HomeAssistant
from homeassistant.data_entry_flow import InvalidData
from homeassistant.exceptions import HomeAssistantError
from homeassistant.helpers.storage import Store
from homeassistant.setup import async_setup_component
from homeassistant.util import dt as dt_util

from ..client.timing import worst_stall
from ..displays import name_hosts, playlist, set_up, state_of, until
from ..flows import CREATED, begin, fill, outcome
from .conftest import Page, add

pytestmark = pytest.mark.usefixtures("socket_enabled", "mdns")

ITEMS = playlist("One", "Two", "Three")


def nothing() -> None:
    """Do nothing."""


async def test_pairing(screens: Screens, page: Page) -> None:
    """A code is good once, and only the browser that has shown it becomes a screen."""
    code = (await page.open())["code"]
    assert len(code) == 6
    other = "000000" if code != "000000" else "000001"
    device_id = screens.new_id()
    assert not await screens.async_pair(other, device_id, "Tablet")
    assert await screens.async_pair(f"{code[:3]} {code[3:]}", device_id, "Tablet")
    assert [screen.device_id for screen in screens.screens] == [device_id]
    page.secret = (await page.socket.receive_json())["secret"]
    assert not await screens.async_pair(code, device_id, "Tablet")
    assert (await page.open())["work"] is None


async def test_display(hass: HomeAssistant, screens: Screens, page: Page) -> None:
    """A screen is a display like any other, from its pairing to its end."""
    entry = await add(hass, page)
    assert entry.title == "Tablet"
    await until(lambda: hass.states.get("media_player.tablet") is not None)
    await until(lambda: state_of(hass, "media_player.tablet").state == "idle")
    await until(lambda: entry.state is ConfigEntryState.LOADED)
    assert hass.states.async_entity_ids("update") == []
    assert hass.states.get("button.tablet_restart") is None
    assert hass.states.get("button.tablet_reload_work") is not None
    await hass.services.async_call(
        "dp1",
        "cast_playlist",
        {"entity_id": "media_player.tablet", "playlist": ITEMS},
        blocking=True,
    )
    while not page.state["show"]:
        await page.receive()
    await page.tell(render=2)
    await until(lambda: state_of(hass, "media_player.tablet").state == "playing")
    assert state_of(hass, "media_player.tablet").attributes["media_title"] == "One"
    await hass.config_entries.async_remove(entry.entry_id)
    while (await page.socket.receive()).type is WSMsgType.TEXT:
        pass
    assert screens.screens == []
    assert len((await page.open())["code"]) == 6


async def test_works_that_a_server_lists(
    hass: HomeAssistant, screens: Screens, page: Page
) -> None:
    """A playlist whose works a server lists is refused in words, and what is shown stays."""
    entry = await add(hass, page)
    await until(lambda: entry.state is ConfigEntryState.LOADED)
    cast = partial(hass.services.async_call, "dp1", "cast_playlist", blocking=True)
    await cast({"entity_id": "media_player.tablet", "playlist": ITEMS})
    query = {
        "profile": "https-json-v1",
        "endpoint": "https://art.example/works",
        "responseMapping": {"itemsPath": "works", "itemSchema": "dp1/1.1"},
    }
    dynamic = {**playlist("Four"), "dynamicQuery": query}
    with pytest.raises(HomeAssistantError, match="Tablet shows no playlist whose"):
        await cast({"entity_id": "media_player.tablet", "playlist": dynamic})
    await page.until(title="One")


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
    screen = await page.pair(screens)
    await page.open()
    screen.player.cast(ITEMS)
    screen.player.state.sleep.set_schedule(True, None, None, None)
    screen.player.changed()
    began = dt_util.utcnow()

    def told_at(moment: datetime) -> dict[str, Any]:
        freezer.move_to(moment)
        screen.player.tick()
        return screen.player.page()

    for minutes, title in ((4, "One"), (6, "Two"), (14, "Three"), (16, "One")):
        told = told_at(began + timedelta(minutes=minutes))
        assert (told["title"], told["asleep"]) == (title, False)
    assert told_at(began + timedelta(hours=1))["asleep"] is True
    assert told_at(began + timedelta(hours=10.4))["asleep"] is True
    told = told_at(began + timedelta(hours=10.5))
    assert (told["asleep"], told["title"]) == (False, "One")

    await page.socket.close()
    again = Screens(hass, "1")
    await screens._store.async_save_now([*screens._stored.values()])
    await again.async_load()
    (screen,) = again.screens
    freezer.move_to(began + timedelta(hours=10.5, minutes=11))
    screen.player.tick()
    assert screen.player.page()["title"] == "Three"


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
    screen = await page.pair(screens)
    for times, (asleep, awake) in minutes.items():
        sleep_time, wake_time = times.split("-")
        freezer.move_to(began)
        sleep = screen.player.state.sleep
        sleep.set_schedule(True, sleep_time, wake_time, None)
        for minute in range(0, 480, 5):
            freezer.move_to(began + timedelta(minutes=minute))
            for player in (
                screen.player,
                Player(screen.player.state, nothing, nothing),
            ):
                assert player.page()["asleep"] is (asleep <= minute < awake), minute
                following = min((m for m in (asleep, awake) if m > minute), default=480)
                ahead = (player.next_event or 0) - dt_util.utcnow().timestamp()
                assert ahead == (following - minute) * 60 or ahead > 7200, minute
        for is_asleep, lasts in ((False, asleep), (True, awake)):
            freezer.move_to(began)
            sleep.set_override(is_asleep)
            for minute in range(0, lasts, 5):
                freezer.move_to(began + timedelta(minutes=minute))
                assert screen.player.page()["asleep"] is is_asleep, minute


@pytest.mark.parametrize("remote", ["10.0.0.{}", "fd00::1:{}"])
async def test_codes_of_several_browsers(
    screens: Screens, page: Page, remote: str
) -> None:
    """Two tabs of one machine keep a code each, and whoever opens many takes none of another machine, nor with many addresses of one network."""
    first = (await page.open())["code"]
    other = Page(page._client)
    second = (await other.open())["code"]
    assert screens.is_shown(first)
    assert screens.is_shown(second)
    # A stranger could otherwise flood the home with discoveries.
    assert screens.hass.config_entries.flow.async_progress() == []
    for number in range(100):
        waiting = Waiting(remote.format(number), asyncio.Future())
        if len(screens._codes) >= MAX_CODES:
            screens._make_room()
        screens._codes[f"x{number}"] = waiting
    assert len(screens._codes) == MAX_CODES
    assert screens.is_shown(first)
    assert screens.is_shown(second)
    third = Page(page._client)
    assert len((await third.open())["code"]) == 6
    for each in (other, third):
        await each.close()
    screens._codes.clear()


async def test_a_page_that_was_opened_by_https(
    screens: Screens, screen: Screen, page: Page
) -> None:
    """It is known, as it loads nothing by http."""
    display = screens.display(screen.device_id)
    assert not display.is_secure
    await page.open(page.origin.replace("http:", "https:"))
    assert display.is_secure


async def test_another_site_has_nothing_to_do_here(
    screens: Screens, page: Page, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A page of another site, or of another home, gets no socket, nor does anybody from outside."""
    for origin in ("https://evil.example", "http://homeassistant.local:8123"):
        # Or a proxy tells another host, which is said.
        assert await page.open(origin) == {"problem": "proxy"}
        assert (await page.socket.receive(timeout=30)).type is WSMsgType.CLOSE
    for origin in ("null", ""):
        with pytest.raises(WSServerHandshakeError) as refused:
            await page.open(origin)
        assert refused.value.status == 403
    for name, value in (("is_local", False), ("is_cloud_connection", True)):
        with monkeypatch.context() as outside:
            outside.setattr(
                f"custom_components.dp1.screen.views.{name}",
                lambda _, is_so=value: is_so,
            )
            with pytest.raises(WSServerHandshakeError) as refused:
                await page.open()
        assert refused.value.status == 403


@pytest.fixture
async def proxied(hass: HomeAssistant, aiohttp_client: Any) -> Page:
    """Return a browser that reaches Home Assistant by a proxy, which tells who asks, and for what."""
    http = {"use_x_forwarded_for": True, "trusted_proxies": ["127.0.0.1"]}
    assert await async_setup_component(hass, "http", {"http": http})
    assert await async_setup_component(hass, "dp1", {})
    await async_screens(hass)
    return Page(await aiohttp_client(hass.http.app))


@pytest.mark.parametrize(
    ("remote", "status"),
    [
        ("192.168.1.9", 200),
        ("fe80::1", 200),
        ("fe80::1%eth0", 200),
        ("fd00::1", 200),
        ("198.41.0.4", 403),
        ("2606:4700::1111", 403),
    ],
)
async def test_who_is_at_home(proxied: Page, remote: str, status: int) -> None:
    """Whoever is at home opens the page, also by an address of the link, and nobody else."""
    headers = {"X-Forwarded-For": remote}
    assert (await proxied._client.get(PATH, headers=headers)).status == status


async def test_behind_a_proxy(proxied: Page) -> None:
    """Behind a proxy the page is of the origin that the proxy tells."""
    for named, first in (
        ({"X-Forwarded-Host": "wall.example"}, "code"),
        ({"Host": "wall.example"}, "code"),
        ({"X-Forwarded-Host": "other.example"}, "problem"),
        ({}, "problem"),
    ):
        headers = {
            "Origin": "https://wall.example",
            "X-Forwarded-For": "192.168.1.9",
            "X-Forwarded-Proto": "https",
            **named,
        }
        socket = await proxied._client.ws_connect(f"{PATH}/socket", headers=headers)
        await socket.send_json({"secret": None})
        assert first in await socket.receive_json(timeout=30)
        await socket.close()


async def test_what_anybody_says_of_a_proxy(page: Page) -> None:
    """Whoever is no proxy of the owner tells no host of the page."""
    named = {"Origin": "https://wall.example", "X-Forwarded-Host": "wall.example"}
    socket = await page._client.ws_connect(f"{PATH}/socket", headers=named)
    assert await socket.receive_json(timeout=30) == {"problem": "proxy"}
    await socket.close()


async def test_a_secret_of_nobody(screens: Screens, page: Page) -> None:
    """Who guesses a secret, or sends something else, is asked to be paired or is left."""
    await page.pair(screens)
    page.secret = page.secret and page.secret[:-1]
    assert "code" in await page.open()
    page.secret = None
    await page.open()
    await page.socket.send_str("[" * 5000)
    assert (await page.socket.receive(timeout=30)).type is not WSMsgType.TEXT
    assert len(screens.screens) == 1


async def test_a_text_in_the_corner(hass: HomeAssistant, page: Page) -> None:
    """What the owner's template says is told when it changes, once a second at most, as a line of text; one that fails is said in the dialog."""
    hass.states.async_set("sensor.porch", "-3.50")
    entry = await add(hass, page)
    form = await hass.config_entries.options.async_init(entry.entry_id)
    for wrong in ("{{ 1 / 0 }}", "{{ no_such_thing }}"):
        form = await fill(hass, form, corner="top_left", corner_text=wrong)
        assert form["errors"] == {"base": "template_fails"}
    with pytest.raises(InvalidData, match="corner_text"):
        await fill(hass, form, corner="top_left", corner_text="{{ states( }}")
    said = "{{ states('sensor.porch') }} °C <i>{{ 'far ' * 40 }}</i>"
    assert page.state["corner"] is page.state["text"] is None
    await fill(hass, form, corner="top_left", corner_text=said)
    assert entry.options["corner_text"] == said
    await page.until(corner="top_left")
    assert page.state["text"].startswith("-3.50 °C <i>far far")
    assert len(page.state["text"]) == 80
    told = []
    for value in range(50):
        hass.states.async_set("sensor.porch", f"{value}")
    while not page.state["text"].startswith("49 "):
        told.append((await page.receive())["text"].partition(" ")[0])
    assert told == ["0", "49"]
    options = {
        "corner": "top_left",
        "corner_text": "{{ 1 / states('sensor.porch')|int }}",
    }
    hass.config_entries.async_update_entry(entry, options=options)
    hass.states.async_set("sensor.porch", "0")
    await page.until(text="")
    hass.states.async_set("sensor.porch", "4")
    await page.until(text="0.25")
    hass.config_entries.async_update_entry(entry, options={"corner": "top_left"})
    await page.until(text=None)


async def test_works_follow_each_other(screen: Screen, page: Page) -> None:
    """The next work is shown by itself, each for a second at least, and a film that ends is followed at once."""
    short = {**ITEMS, "items": [{**item, "duration": 0.1} for item in ITEMS["items"]]}
    screen.player.cast(short)
    began = asyncio.get_running_loop().time()
    for title in ("One", "Two", "Three"):
        await page.until(title=title)
    assert asyncio.get_running_loop().time() - began > 1.9
    film = {**ITEMS["items"][0], "display": {"loop": False}}
    screen.player.cast({"items": [film, ITEMS["items"][1]]})
    await page.until(title="One", loop=False)
    await page.tell(render=2, ended=True)
    await page.until(title="Two")


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
        assert (await socket.receive(timeout=30)).type is WSMsgType.CLOSE


@pytest.mark.parametrize(
    ("suffix", "headers", "status"),
    [
        ("/socket", {}, 403),
        ("/socket", {"Origin": "http://a:99999"}, 400),
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
    player = Player(State(duration=seconds), nothing, nothing)
    works = [
        {"source": "https://a.example", "duration": at} for at in (seconds, seconds, 5)
    ]
    player.cast({"items": works})
    assert player.due is None or player.due - player.state.began >= 0.99
    player.state.index, player.state.began = 2, 0.0
    player.tick()
    assert player.state.began >= 0


async def test_files(page: Page) -> None:
    """The page and its script are served without login, each with a policy, in the language of the browser."""
    for suffix, kind in (("", "text/html"), (".js", "text/javascript")):
        answer = await page._client.get(f"{PATH}{suffix}")
        assert (answer.status, answer.content_type) == (200, kind)
        assert "script-src 'self'" in answer.headers["Content-Security-Policy"]
        assert answer.headers["X-Content-Type-Options"] == "nosniff"
        assert await answer.text()
    for accepted, word in (
        ("de-CH,de;q=0.9", "Kunst"),
        ("zh-CN", "艺术"),
        ("xx", "art"),
    ):
        headers = {"Accept-Language": accepted}
        answer = await page._client.get(PATH, headers=headers)
        assert word in await answer.text()
    # A phone that reads the code adds this integration, in the Home Assistant that served the page.
    answer = await page._client.get(PATH, headers={"Host": "home.example:8123"})
    where = "http://home.example:8123/_my_redirect/config_flow_start?domain=dp1"
    code = segno.make(where, error="m", micro=False)
    seen = BytesIO()
    code.save(seen, kind="svg", scale=8, border=3, light="#fff", omitsize=True)
    path = re.findall(r'd="(M[^"]+)"', seen.getvalue().decode())[-1]
    assert path in await answer.text()


def test_words() -> None:
    """Every language has all words of the page, with the same placeholders."""
    words = json.loads((FOLDER / "words.json").read_text())
    translations = {file.stem for file in FOLDER.parent.glob("translations/*.json")}
    assert words.keys() == translations
    for language in words.values():
        assert language.keys() == words["en"].keys()
        for key, text in language.items():
            names = re.findall(r"{\w+}", text)
            assert names == re.findall(r"{\w+}", words["en"][key])


# The parser that Node has for itself, told the version of the language.
PARSE = """const {parse} = require("internal/deps/acorn/acorn/dist/acorn");
parse(require("fs").readFileSync(0, "utf8"), {ecmaVersion: 5});"""


@pytest.mark.parametrize("newer", ["", "let a;", "f(a,);", "var a = {b, c() {}};"])
async def test_old_browsers_read_the_script(newer: str) -> None:
    """The script of the page is ES5, which browsers of televisions know; anything newer would be noticed."""
    node, _ = compute_driver_executable()
    process = await asyncio.create_subprocess_exec(
        node, "--expose-internals", "-e", PARSE, stdin=PIPE, stderr=PIPE
    )
    script = (FOLDER / "page.js").read_text() + newer
    _, errors = await process.communicate(script.encode())
    assert (process.returncode == 0) is (not newer), errors.decode()
    assert not newer or b"SyntaxError: " in errors


async def test_a_list_that_stays_as_it_is(hass: HomeAssistant, screen: Screen) -> None:
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
        await screen.async_show(Playlist(url))
        screen.player.set_shuffle(True)
        before = [*screen.player.state.items]
        for _ in range(2):
            screen._refreshed -= timedelta(minutes=6)
            await screen.async_tick(dt_util.utcnow())
            assert screen.player.state.items == before
    assert documents == []


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
    await hass.async_block_till_done()


async def test_the_page_that_is_seen_counts(
    screens: Screens, screen: Screen, page: Page
) -> None:
    """Of two tabs the visible one counts; hidden is told as long as all are, and ends with the tab."""
    screen.player.cast(ITEMS)
    await page.until(title="One")
    other = Page(page._client)
    other.secret = page.secret
    await other.open()
    await page.tell(render=2, visible=True)
    await until(lambda: screen.player.render_status == 2)
    await other.tell(render=1, visible=False)
    await other.tell(beat=1, visible=False)
    await other.until(beat=1)
    assert (screen.player.render_status, screen.player.error) == (2, "")
    await page.tell(render=2, visible=False)
    await until(lambda: screen.player.error == "hidden")
    screen.player.step()
    assert screen.player.status()["error"] == "hidden"
    await page.close()
    assert screen.player.error == "hidden"
    await other.close()
    await until(lambda: screen.player.error == "")


async def test_what_is_saved(
    hass_storage: dict[str, Any], screen: Screen, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A cast is saved soon after, though works follow each other all the time, and what follows by the clock is not."""
    short = {**ITEMS, "items": [{**item, "duration": 1} for item in ITEMS["items"]]}
    saves, save = list[float](), SafeStore.async_delay_save

    def note(store: SafeStore, data: Any, delay: float) -> None:
        saves.append(delay)
        save(store, data, delay)

    monkeypatch.setattr(SafeStore, "async_delay_save", note)
    screen.player.cast(short)
    (first,) = saves
    assert first == SAVE_SECONDS
    await until(lambda: screen.player.current != short["items"][0])
    await until(
        lambda: len(hass_storage["dp1.screens"]["data"][0]["state"]["items"]) == 3
    )
    assert saves == [first]


async def test_what_is_saved_at_the_end(
    hass: HomeAssistant,
    hass_storage: dict[str, Any],
    screens: Screens,
    screen: Screen,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """What was changed in the last moment before Home Assistant stops is kept."""
    monkeypatch.setattr("custom_components.dp1.screen.pairing.SAVE_SECONDS", 600)
    await screens.display(screen.device_id).set_volume(7)
    hass.bus.async_fire(EVENT_HOMEASSISTANT_FINAL_WRITE)
    await until(lambda: hass_storage["dp1.screens"]["data"][0]["state"]["volume"] == 7)


async def test_a_screen_without_entry(
    hass: HomeAssistant, hass_storage: dict[str, Any], page: Page
) -> None:
    """Screens, their secrets and what they show are those of the file, without any that has no entry."""
    secret = "s" * 43
    state = {
        "playlist": ITEMS,
        "url": None,
        "items": ITEMS["items"],
        "index": 1,
        "began": dt_util.utcnow().timestamp(),
        "loop": "none",
        "shuffle": False,
        "duration": None,
        "rotation": "portrait",
        "volume": 50,
        "muted": True,
        "settings": {"scaling": "fit", "tombstone": "off"},
        "sleep": {
            "enabled": False,
            "sleep_time": "22:00",
            "wake_time": "07:30",
            "days": ["mon"],
            "override": None,
            "until": None,
        },
    }
    stored = {"secret": sha256(secret.encode()).hexdigest()}
    hass_storage["dp1.screens"] = {
        "version": 1,
        "minor_version": 1,
        "key": "dp1.screens",
        "data": [
            {**stored, "device_id": "SCREEN-1", "name": "Tablet", "state": state},
            {**stored, "device_id": "SCREEN-2", "name": "Lost", "state": state},
        ],
    }
    data = {"kind": "display", "host": "127.0.0.1", "port": 40123, "dialect": "ff"}
    entry = MockConfigEntry(
        domain="dp1", unique_id="SCREEN-1", title="Tablet", data={**data, "macs": []}
    )
    page.secret = secret
    entry.add_to_hass(hass)
    told = await page.open()
    assert (told["title"], told["orientation"]) == ("Two", "portrait")
    await set_up(hass, entry)
    await until(lambda: entry.state is ConfigEntryState.LOADED)
    await until(lambda: state_of(hass, "media_player.tablet").state == "playing")
    assert entry.data["port"] == 40123
    screens = await async_screens(hass)
    assert [screen.device_id for screen in screens.screens] == ["SCREEN-1"]
    await hass.config_entries.async_unload(entry.entry_id)


async def test_many_pages_and_megabytes(hass: HomeAssistant, page: Page) -> None:
    """A playlist of 4.5 MB on twenty pages: what is told is what has changed, nobody else waits for long, and the entity knows it."""
    entry = await add(hass, page)
    await until(lambda: entry.state is ConfigEntryState.LOADED)
    screens = await async_screens(hass)
    (screen,) = screens.screens
    works = [f"data:image/png;base64,{n:04}{'A' * 150_000}" for n in range(30)]
    items = [{"id": str(n), "title": "X", "source": it} for n, it in enumerate(works)]
    pages = [Page(page._client) for _ in range(20)]
    for each in pages:
        each.secret = page.secret
        await each.open()

    async def show() -> None:
        """Show the first work on all pages, and then change only the volume."""
        screen.player.cast({"items": items})
        for each in pages:
            while not each.state["show"]:
                await each.receive()
            assert each.state["show"]["url"] == works[0]
        await screens.display(screen.device_id).set_volume(30)
        message = await pages[0].socket.receive(timeout=30)
        assert len(message.data) < 1000

    # Not again: the works are there then.
    assert await worst_stall(show, math.inf) < 0.2
    await pages[0].tell(render=2)
    await until(lambda: state_of(hass, "media_player.tablet").state == "playing")
    assert state_of(hass, "media_player.tablet").attributes["media_title"] == "X"
    for each in pages:
        await each.close()


async def test_what_can_hardly_be_told(screen: Screen, page: Page) -> None:
    """A number without end, or half a letter, keeps no page from being told what is shown."""
    work = {**ITEMS["items"][0], "display": {"margin": 10**40}}
    screen.player.cast({"items": [work]})
    await page.until(title="One")
    work["source"] = "https://a.example/\ud800"
    screen.player.cast({"items": [work]})
    while page.state["show"]["url"] != work["source"]:
        await page.receive()


async def test_home_assistant_stops(
    hass: HomeAssistant, screens: Screens, screen: Screen, page: Page
) -> None:
    """All pages, shown and waiting, are sent away."""
    pages = [Page(page._client) for _ in range(20)]
    for number, each in enumerate(pages):
        each.secret = page.secret if number % 2 else None
        await each.open()
    hass.bus.async_fire(EVENT_HOMEASSISTANT_STOP)
    await hass.async_block_till_done()
    await until(lambda: not screens._sockets)
    for each in pages:
        while (message := await each.socket.receive(timeout=30)).type is WSMsgType.TEXT:
            pass
        assert message.type in (WSMsgType.CLOSE, WSMsgType.CLOSING, WSMsgType.CLOSED)


async def test_who_does_not_read_is_sent_away(monkeypatch: pytest.MonkeyPatch) -> None:
    """A page that reads nothing any more ends after a while, and nothing is kept for it."""
    monkeypatch.setattr(socket_module, "SEND_SECONDS", 0.2)
    is_over = asyncio.Event()

    async def tell(request: web.Request) -> web.WebSocketResponse:
        """Tell more than fits between the two."""
        page = web.WebSocketResponse()
        await page.prepare(request)
        teller = socket_module.Teller(page, lambda: ["x" * 16_000_000] * 2)
        teller.changed()
        await teller.async_run()
        is_over.set()
        return page

    app = web.Application()
    app.router.add_get("/", tell)
    async with TestServer(app) as server, asyncio.timeout(20):
        # More than this is not taken out of the connection.
        _, asks = await asyncio.open_connection(server.host, server.port, limit=1)
        asks.write(
            b"GET / HTTP/1.1\r\nHost: x\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n"
            b"Sec-WebSocket-Version: 13\r\nSec-WebSocket-Key: AAAAAAAAAAAAAAAAAAAAAA==\r\n\r\n"
        )
        await is_over.wait()
        asks.close()


async def test_the_code_is_not_used_up(hass: HomeAssistant, page: Page) -> None:
    """The dialog says that the disk is full, and the same code is taken once it is not."""
    code = (await page.open())["code"]
    flow = await begin(hass, "screen")
    answers = {"code": code, "name": "Tablet"}
    full = patch.object(SafeStore, "async_save_now", side_effect=HomeAssistantError)
    with full:
        flow = await fill(hass, flow, **answers)
    assert outcome(flow) == {"base": "not_saved"}
    assert outcome(await fill(hass, flow, **answers)) == CREATED
