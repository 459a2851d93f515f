"""Test a screen through a night in which the network, the device and Home Assistant fail."""

import asyncio
from collections.abc import AsyncIterator
from contextlib import suppress
from pathlib import Path
import re
from ssl import SSLContext
from typing import Any

from aiohttp import web
from aiohttp.test_utils import TestServer
from PIL import Image
from playwright.async_api import Browser, Page, expect
import pytest
from pytest_homeassistant_custom_component.common import MockConfigEntry
from yarl import URL

from custom_components.dp1.grants import GRANTS
from custom_components.dp1.playback import address, media_proxy
from custom_components.dp1.screen.pairing import Screens
from custom_components.dp1.screen.screen import Screen
from homeassistant.core import HomeAssistant

from ..displays import ENTITY_ID, state_of, until
from ..e2e.browser import CHROMIUM, browser
from ..simulators.display import DisplaySimulator, loading
from ..simulators.display.tls import server_context
from .pages import cast, color, open_page, pair, until_pixel, written

pytestmark = [
    pytest.mark.usefixtures("socket_enabled", "mdns"),
    pytest.mark.timeout(180),
    pytest.mark.skipif(not CHROMIUM, reason="DP1_CHROMIUM names no browser"),
]


class Cable:
    """A way to Home Assistant that can be cut, with or without a word."""

    def __init__(
        self, target: int, context: SSLContext | None = None, host: str = ""
    ) -> None:
        """Initialize with the port of Home Assistant, and what a proxy in front of it encrypts with or tells as its host."""
        self.url, self._host = "", host
        self._target, self._context = target, context
        self._is_dead = False
        self._writers: set[asyncio.StreamWriter] = set()
        self._server: asyncio.Server | None = None
        self._port = 0

    async def plug(self) -> None:
        """Let new connections through."""
        self._server = await asyncio.start_server(
            self._join, "127.0.0.1", self._port, ssl=self._context
        )
        self._port = self._server.sockets[0].getsockname()[1]
        scheme = "https" if self._context else "http"
        self.url = f"{scheme}://127.0.0.1:{self._port}"

    async def _join(
        self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter
    ) -> None:
        """Join a connection with one to Home Assistant."""
        far_reader, far_writer = await asyncio.open_connection(
            "127.0.0.1", self._target
        )
        ways = (reader, far_writer), (far_reader, writer)
        await asyncio.gather(*(self._copy(*way) for way in ways))

    async def _copy(
        self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter
    ) -> None:
        """Copy what comes, unless the cable is dead: then nobody hears anything more."""
        dead = self._dead = getattr(self, "_dead", asyncio.Event())
        self._writers.add(writer)
        with suppress(ConnectionError):
            while (data := await reader.read(65536)) and not dead.is_set():
                if self._host:
                    data = re.sub(rb"(?<=\r\nHost: )\S+", self._host.encode(), data)
                writer.write(data)
                await writer.drain()
            if not dead.is_set():
                writer.close()

    def cut_silently(self) -> None:
        """Let nothing through on what is open, without closing it; what is opened from now on works."""
        self._dead.set()
        self._dead = asyncio.Event()

    async def unplug(self) -> None:
        """Close all, and refuse what is new."""
        assert self._server is not None
        self._server.close()
        for writer in self._writers:
            writer.close()
        self._writers.clear()


@pytest.fixture
async def chromium() -> AsyncIterator[Browser]:
    async with browser() as chromium:
        yield chromium


@pytest.fixture
async def cable(home: str) -> AsyncIterator[Cable]:
    cable = Cable(URL(home).port or 0)
    await cable.plug()
    yield cable
    await cable.unplug()
    await asyncio.sleep(0.1)


async def shown(page: Page, screens: Screens) -> Screen:
    """Pair a page, and show two works."""
    screen = await pair(page, screens)
    await cast(screen, color("lime"), color("blue"))
    await until_pixel(page, (0, 255, 0))
    return screen


async def test_a_connection_that_died_silently(
    chromium: Browser, cable: Cable, screens: Screens
) -> None:
    """A cable that is pulled without a word is noticed and got round; the work stays meanwhile."""
    page = await open_page(chromium, cable.url)
    screen = await shown(page, screens)
    cable.cut_silently()
    (before,) = screen.pages
    await until(lambda: screen.pages - {before}, 60)
    await until_pixel(page, (0, 255, 0))
    screen.player.step()
    await until_pixel(page, (0, 0, 255))


async def test_home_assistant_is_away(
    chromium: Browser, cable: Cable, screens: Screens
) -> None:
    """What is shown stays while Home Assistant is away, for ten minutes too, and then is what is due by then."""
    page = await open_page(chromium, cable.url, has_clock=True)
    screen = await shown(page, screens)
    await page.evaluate("document.querySelector('.work.on').id = 'same'")
    for seconds in (4, 60, 600):
        await cable.unplug()
        await until(lambda: not screen.pages)
        await page.clock.fast_forward(seconds * 1000)
        await until_pixel(page, (0, 255, 0))
        await expect(page.locator("#note")).to_be_hidden()
        if seconds == 600:
            # Half of that is left of the first work.
            screen.player.state.began -= 300
        await cable.plug()
        await page.clock.fast_forward(5000)
        await until(lambda: screen.pages, 20)
        await until(lambda: screen.player.render_status == 2, 20)
        await expect(page.locator("#same")).to_have_count(int(seconds < 600))
    await until_pixel(page, (0, 0, 255))


@pytest.fixture
def folder(hass: HomeAssistant, tmp_path: Path) -> str:
    """Return the media id of a picture in a folder of the home."""
    Image.new("RGB", (4, 3), "lime").save(tmp_path / "lime.png")
    hass.config.media_dirs = {"local": str(tmp_path)}
    return "media-source://media_source/local/lime.png"


async def test_pictures_of_the_home_by_https(
    hass: HomeAssistant, folder: str, home: str, screens: Screens
) -> None:
    """Pictures of the home come from the origin of the page, also in a page that is written around them: by https where it was opened so."""
    proxy = Cable(URL(home).port or 0, server_context())
    await proxy.plug()
    # By a name: browsers take what comes from this machine for encrypted.
    http, https = (
        url.replace("127.0.0.1", "home.example") for url in (home, proxy.url)
    )
    await hass.config.async_update(internal_url=http)
    lent = hass.data[GRANTS].async_url(folder, "/lime.png")
    assert lent.startswith(http)
    flags = (
        "--ignore-certificate-errors",
        "--host-resolver-rules=MAP *.example 127.0.0.1",
    )
    async with browser(*flags) as chromium:
        page = await open_page(chromium, https)
        screen = await pair(page, screens)
        for source in (lent, written(f"<body style='background:url({lent})'>")):
            await cast(screen, source)
            await until_pixel(page, (0, 255, 0))
            screen.player.clear()
            await until_pixel(page, (0, 0, 0))
        await page.close()
        await until(lambda: not screen.pages)
    await proxy.unplug()


async def test_a_proxy_with_a_host_of_its_own(chromium: Browser, home: str) -> None:
    """Behind a proxy that tells its own host the page says so, instead of staying black."""
    proxy = Cable(URL(home).port or 0, host="inside.example")
    await proxy.plug()
    page = await open_page(chromium, proxy.url)
    await expect(page.locator("#note")).to_contain_text("proxy in front of")
    await page.close()
    await proxy.unplug()


# Its own script runs; Home Assistant, whose origin it comes from, is another's.
OWN_PAGE = """<!doctype html><body style="margin:0;height:100vh;background:red"><script>
let mine = 0;
for (const look of [() => localStorage.length, () => parent.document.body, () => document.cookie.length])
  try { look(); } catch { mine++; }
if (mine === 3) document.body.style.background = "lime";
</script>"""


async def test_a_page_of_ones_own(
    hass: HomeAssistant,
    folder: str,
    tmp_path: Path,
    home: str,
    chromium: Browser,
    screens: Screens,
    display: DisplaySimulator,
    setup_display: MockConfigEntry,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """A page in a folder of the home hangs on a display and on a screen, and runs away from Home Assistant; nobody else frames it."""
    (tmp_path / "own.html").write_text(OWN_PAGE)
    # The page of the simulated player stands for that of a display, which is at another port.
    player = str(URL(display.url).origin())
    for module in (address, media_proxy):
        monkeypatch.setattr(module, "PLAYER_ORIGIN", player)
    monkeypatch.setattr(loading, "ORIGIN", player)
    await hass.config.async_update(internal_url=home)
    page = await open_page(chromium, home)
    screen = await pair(page, screens)
    entries = hass.config_entries
    entry = entries.async_entry_for_domain_unique_id("dp1", screen.device_id)
    assert entry is not None
    await entries.async_setup(entry.entry_id)
    wall = await chromium.new_page()
    await wall.goto(f"{display.url}/simulator/")
    display.caster.preflight = False
    players = {"media_player.tablet": page, ENTITY_ID: wall}
    for entity_id, shows in players.items():
        await until(lambda it=entity_id: state_of(hass, it).state == "idle")
        await hass.services.async_call(
            "media_player",
            "play_media",
            {
                "entity_id": entity_id,
                "media_content_id": folder.replace("lime.png", "own.html"),
                "media_content_type": "text/html",
            },
            blocking=True,
        )
        await until_pixel(shows, (0, 255, 0))
    stranger = await chromium.new_page()
    async with TestServer(web.Application()) as elsewhere:
        await stranger.goto(str(elsewhere.make_url("/")))
        source = (screen.player.current or {})["source"]
        await stranger.set_content(f"<iframe src='{source}'></iframe>")
        async with asyncio.timeout(60):
            while not stranger.frames[-1].url.startswith("chrome-error:"):
                await asyncio.sleep(0.05)
    for each in (stranger, wall, page):
        await each.close()
    await until(lambda: not screen.pages)
    await entries.async_unload(entry.entry_id)


HIDE = """is_hidden => {
  Object.defineProperty(document, "hidden", {value: is_hidden, configurable: true});
  document.dispatchEvent(new Event("visibilitychange"));
}"""


def doze(screen: Screen, asleep: bool) -> None:
    """Let a screen sleep or wake."""
    screen.player.state.sleep.set_override(asleep)
    screen.player.changed()


async def test_one_wake_lock(chromium: Browser, home: str, screens: Screens) -> None:
    """One lock is held while art is shown, and none while it sleeps, however slow the device is."""
    page = await chromium.new_page()
    await page.add_init_script(
        """window.asking = window.held = 0; Object.defineProperty(navigator, "wakeLock", {value: {request: () => new Promise(done => {
          asking++; setTimeout(() => {
            asking--; held++; done({released: false, release() { held--; this.released = true; return Promise.resolve(); }});
          }, 700);
        })}});"""
    )
    await page.goto(f"{home}/dp1/screen")
    screen = await shown(page, screens)

    async def until_held(held: int) -> None:
        """Wait until so many locks are held, and no other is asked for: the page lets nobody evaluate a text as a condition."""
        async with asyncio.timeout(60):
            while await page.evaluate("[asking, held]") != [0, held]:
                await asyncio.sleep(0.05)

    await until_held(1)
    for _ in range(4):
        doze(screen, True)
        await asyncio.sleep(0.1)
        doze(screen, False)
        await asyncio.sleep(0.1)
    doze(screen, True)
    await until_held(0)
    doze(screen, False)
    # Nor while nobody sees it, which is told for as long as it lasts.
    for is_hidden, held in ((False, 1), (True, 0), (False, 1)):
        await page.evaluate(HIDE, is_hidden)
        await until_held(held)
        error = "hidden" if is_hidden else ""
        await until(lambda wanted=error: screen.player.error == wanted)


async def test_a_browser_that_keeps_nothing(
    chromium: Browser, home: str, screens: Screens
) -> None:
    """A browser without storage is a screen for as long as its page is open, and says so; a link gives it no other secret."""
    page = await chromium.new_page()
    await page.add_init_script(
        "Object.defineProperty(window, 'localStorage', {get() { throw new Error('off'); }})"
    )
    await page.goto(f"{home}/dp1/screen")
    screen = await pair(page, screens)
    await expect(page.locator("#say")).to_contain_text("This browser keeps nothing")
    await cast(screen, color("lime"))
    await until_pixel(page, (0, 255, 0))
    # A reload forgets it; another browser keeps what it has, whatever link it is given.
    await page.reload()
    await expect(page.locator("#code")).to_be_visible()
    keeps = await open_page(chromium, home)
    other = await pair(keeps, screens, "Other")
    await keeps.goto(f"{home}/dp1/screen#{'x' * 43}")
    await keeps.reload()
    await expect(keeps.locator("#say")).to_contain_text("Choose art for Other")
    assert other.pages


async def test_as_the_device_is_held(
    chromium: Browser, home: str, screens: Screens
) -> None:
    """The picture follows a turn of the device, and what its owner has chosen until that is how it is held."""
    page = await open_page(chromium, home)
    screen = await shown(page, screens)
    stage = page.locator("#stage")

    async def turned() -> Any:
        return await stage.evaluate("e => e.style.transform")

    assert "rotate(0deg)" in await turned()
    assert screen.player.orientation == "landscape"
    await page.set_viewport_size({"width": 768, "height": 1024})
    await until(lambda: screen.player.orientation == "portrait")
    assert "rotate(0deg)" in await turned()
    screen.player.rotate(-1)
    async with asyncio.timeout(60):
        while "rotate(90deg)" not in await turned():
            await asyncio.sleep(0.05)
    assert screen.player.orientation == "landscape"
    screen.player.rotate(1)
    async with asyncio.timeout(60):
        while "rotate(0deg)" not in await turned():
            await asyncio.sleep(0.05)
    assert screen.player.state.rotation == ""


async def test_a_page_from_before_an_update(
    chromium: Browser, home: str, screens: Screens
) -> None:
    """Of two tabs the one with the page of an earlier version loads it anew, once, and shows its work whatever it gets."""
    context = await chromium.new_context()
    tab, old = await context.new_page(), await context.new_page()
    await tab.goto(f"{home}/dp1/screen")
    screen = await shown(tab, screens)
    await tab.evaluate("document.body.id = 'same'")
    # As a cache may have it more than once.
    await old.add_init_script(
        """document.addEventListener("DOMContentLoaded", () => document.body.setAttribute("data-version", "earlier"))"""
    )
    loads: list[Page] = []
    old.on("domcontentloaded", lambda page: loads.append(page))
    await old.goto(f"{home}/dp1/screen")
    await until(lambda: len(loads) == 2)
    await until_pixel(old, (0, 255, 0))
    screen.player.step()
    for each in (tab, old):
        await until_pixel(each, (0, 0, 255))
    assert len(loads) == 2
    await expect(tab.locator("#same")).to_have_count(1)
    await context.close()
