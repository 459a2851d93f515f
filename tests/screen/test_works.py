"""Test what works may do on a screen, and what they may not, seen in a real browser."""

import asyncio
from base64 import b64decode, b64encode
from collections.abc import AsyncIterator
from contextlib import suppress
from urllib.parse import quote

from aiohttp.test_utils import TestServer
from playwright.async_api import Browser, Page, expect
import pytest
from pytest_homeassistant_custom_component.common import async_mock_service
from yarl import URL

from custom_components.dp1.screen.pairing import Screens
from custom_components.dp1.screen.screen import Screen
from homeassistant.core import HomeAssistant

from ..displays import until
from ..e2e.browser import CHROMIUM, browser
from .pages import (
    bright,
    cast,
    color,
    keep,
    open_page,
    pair,
    pixel,
    until_pixel,
    written,
)
from .works import HOST, SCRIPTS, works_server

pytestmark = [
    pytest.mark.usefixtures("socket_enabled", "mdns"),
    pytest.mark.timeout(240),
    pytest.mark.skipif(not CHROMIUM, reason="DP1_CHROMIUM names no browser"),
]

LIME, RED = (0, 255, 0), (255, 0, 0)
# What needs no origin of one's own, of those that are looked at at a gateway, too: the rest stays blank.
OPAQUE = {"query"}
SHARED = ("module", "fetch", "storage", "canvas", "worker", "query")


@pytest.fixture
async def works() -> AsyncIterator[TestServer]:
    async with works_server() as server:
        yield server


@pytest.fixture
async def chromium(works: TestServer) -> AsyncIterator[Browser]:
    """Run a browser that finds every host of the works."""
    rules = "MAP *.example 127.0.0.1"
    flags = (f"--host-resolver-rules={rules}", "--enable-unsafe-swiftshader")
    async with browser(*flags) as chromium:
        yield chromium


def address(works: TestServer, path: str, host: str = HOST) -> str:
    """Return the address of a work."""
    return f"http://{host}:{works.port}/{path}"


FILM = """async ([seconds, hasPicture]) => {
  const canvas = document.createElement("canvas"), pen = canvas.getContext("2d"), audio = new AudioContext();
  canvas.width = 64; canvas.height = 48;
  const draw = setInterval(() => { pen.fillStyle = `hsl(${Math.random() * 360} 90% 50%)`; for (let n = 0; n < 900; n++) { pen.fillRect(Math.random() * 64, Math.random() * 48, 2, 2); pen.fillStyle = `hsl(${n} 90% 50%)`; } }, 40);
  const sound = audio.createMediaStreamDestination(), tone = audio.createOscillator();
  tone.connect(sound); tone.start();
  const recorder = new MediaRecorder(hasPicture ? canvas.captureStream(25) : sound.stream, { mimeType: hasPicture ? "video/webm" : "audio/webm" }), parts = [];
  recorder.ondataavailable = event => parts.push(event.data);
  recorder.start(200);
  await new Promise(done => setTimeout(done, seconds * 1000));
  await new Promise(done => { recorder.onstop = done; recorder.stop(); });
  clearInterval(draw);
  const bytes = new Uint8Array(await new Blob(parts).arrayBuffer());
  return btoa(Array.from(bytes, it => String.fromCharCode(it)).join(""));
}"""


async def film(chromium: Browser, seconds: int, *, has_picture: bool = True) -> bytes:
    """Record a film in the browser."""
    page = await chromium.new_page()
    data = await page.evaluate(FILM, [seconds, has_picture])
    await page.close()
    return b64decode(data)


async def seen(page: Page, seconds: float) -> object:
    """Return the color that a work has painted."""
    async with asyncio.timeout(seconds):
        while (value := await pixel(page)) not in (LIME, RED):
            await asyncio.sleep(0.1)
    return value


async def test_generative_works(
    chromium: Browser, home: str, screens: Screens, works: TestServer
) -> None:
    """Works at a host of their own do what they do on an FF1; those at a gateway share an origin, and have none."""
    asked = [("works", name) for name in SCRIPTS] + [("ipfs/Qm", it) for it in SHARED]
    done: set[tuple[str, str]] = set()

    async def look(page: Page, screen: Screen) -> None:
        """Look at one work after the other, as long as there are more."""
        while asked:
            path, name = asked.pop()
            await cast(screen, address(works, f"{path}/{quote(name)}.html?seed=7#x"))
            await expect(page.locator(".work")).to_have_count(1)
            await expect(page.locator(".work.on iframe")).to_be_visible()
            with suppress(TimeoutError):
                # What is blank after a while stays so.
                works_alone = path == "works" or name in OPAQUE
                if await seen(page, 60 if works_alone else 2) == LIME:
                    done.add((path, name))
            screen.player.clear()
            await until_pixel(page, (0, 0, 0))

    pages = [await open_page(chromium, home) for _ in range(4)]
    looks = [(page, await pair(page, screens)) for page in pages]
    await asyncio.gather(*(look(*each) for each in looks))
    assert done == {("works", name) for name in SCRIPTS} | {("ipfs/Qm", "query")}


async def test_a_hostile_work(
    chromium: Browser, home: str, screens: Screens, works: TestServer
) -> None:
    """A work leads the page nowhere, opens and downloads nothing, and reads and tells nothing of the page."""
    page = await open_page(chromium, home)
    screen = await pair(page, screens)
    events: list[object] = []

    def note(event: object) -> None:
        """Note what the work has reached."""
        events.append(event)

    page.on("popup", note)
    page.on("download", note)
    page.on("dialog", note)
    await cast(screen, address(works, "works/hostile.html"), color("blue"))
    await until_pixel(page, LIME)
    await page.wait_for_timeout(1000)
    assert await pixel(page) == LIME
    assert events == []
    assert page.url == f"{home}/dp1/screen"
    assert screen.player.state.index == 0
    assert await page.title() == "DP-1"


@pytest.mark.parametrize("path", ["/api/", "/manifest.json"])
async def test_a_way_to_home_assistant(
    chromium: Browser, home: str, screens: Screens, works: TestServer, path: str
) -> None:
    """A work that turns out to be of Home Assistant's origin is taken out at once, and that is said."""
    page = await open_page(chromium, home)
    screen = await pair(page, screens)
    await cast(screen, address(works, f"redirect?to={quote(home + path)}"))
    line = page.locator("#line")
    await expect(line).to_contain_text("leads to Home Assistant itself")
    await expect(page.locator(".work iframe")).to_have_count(0)
    box = await line.bounding_box()
    assert box
    assert box["height"] > 10


async def test_home_assistant_by_another_name(
    chromium: Browser, home: str, screens: Screens, works: TestServer
) -> None:
    """A work that leads to Home Assistant by a name that the page does not have shows nothing of it, and reads none."""
    page = await open_page(chromium, home)
    screen = await pair(page, screens)
    other = f"http://home.example:{URL(home).port}/manifest.json"
    await cast(screen, address(works, f"redirect?to={quote(other)}"))
    await until(lambda: page.frames[-1].url.startswith("chrome-error:"))
    assert len(page.frames) == 2


async def test_origins(
    hass: HomeAssistant,
    chromium: Browser,
    home: str,
    screens: Screens,
    works: TestServer,
) -> None:
    """Only a public host that nobody shares gives its origin; Home Assistant gives none under any of its names."""
    await hass.config.async_update(
        internal_url=home, external_url=f"http://my.example:{works.port}"
    )
    page = await open_page(chromium, home)
    screen = await pair(page, screens)
    for url, wanted in (
        (address(works, "works/query.html?seed=7"), "allow-scripts allow-same-origin"),
        (address(works, "works/query.html?seed=7", "my.example"), "allow-scripts"),
        (address(works, "works/query.html?seed=7", "127.0.0.1"), "allow-scripts"),
        (address(works, "works/query.html?seed=7", "wall.local"), "allow-scripts"),
        (address(works, "ipfs/Qm/query.html?seed=7"), "allow-scripts"),
        (f"{home}/manifest.json", "allow-scripts"),
        (written("<body style='background:lime'>"), "allow-scripts"),
    ):
        await cast(screen, url)
        frame = page.locator(".work iframe").last
        await expect(frame).to_be_attached()
        source = await frame.get_attribute("src")
        assert await frame.get_attribute("sandbox") == wanted, url
        assert await frame.get_attribute("allow") == ""
        assert not url.startswith(home) or source == "/manifest.json"
        screen.player.clear()
        await expect(page.locator(".work")).to_have_count(0)


async def test_two_works_of_one_origin(
    chromium: Browser, home: str, screens: Screens, works: TestServer
) -> None:
    """Two frames with the same origin of their own are never there at once: one could write into the other."""
    page = await open_page(chromium, home)
    screen = await pair(page, screens)
    await page.evaluate(
        """() => { window.most = 0; new MutationObserver(() => {
          window.most = Math.max(most, document.querySelectorAll("iframe").length);
        }).observe(document.getElementById("stage"), {childList: true, subtree: true}); }"""
    )
    first, second = (
        address(works, f"works/{n}.html?seed=7") for n in ("query", "random")
    )
    await cast(screen, first, second)
    await until_pixel(page, LIME)
    screen.player.state.began -= 297
    screen.player.tick()
    await page.wait_for_timeout(2500)
    for _ in range(3):
        screen.player.step()
        await page.wait_for_timeout(400)
        await until_pixel(page, LIME)
    assert await page.evaluate("most") == 1


async def test_a_work_that_fails_at_first(
    chromium: Browser, home: str, screens: Screens, works: TestServer
) -> None:
    """What cannot be loaded is said with its title, and is shown by itself once it can be."""
    page = await open_page(chromium, home)
    screen = await pair(page, screens)
    await cast(screen, address(works, "flaky.svg?times=1"), color("blue"))
    line = page.locator("#line")
    await expect(line).to_have_text("Work 0 cannot be loaded.")
    await until(lambda: screen.player.render_status == 3)
    assert screen.player.error == "not_loading"
    await until_pixel(page, LIME)
    await expect(line).to_have_text("")
    await until(lambda: screen.player.render_status == 2)
    # A preload that failed does not count: the work is loaded anew when it is due.
    await cast(screen, color("blue"), address(works, "flaky.svg?times=1&b"))
    await until_pixel(page, (0, 0, 255))
    await page.wait_for_timeout(3000)
    screen.player.step()
    await until_pixel(page, LIME)


async def test_how_often_a_work_is_tried(
    chromium: Browser, home: str, screens: Screens, works: TestServer
) -> None:
    """What does not load is tried again after 5, 15 and 60 seconds, and where nothing else is there every five minutes."""
    asked: list[str] = []
    failed: list[str] = []

    def note(frame: str | bytes) -> None:
        """Note what the page tells by itself of a work that it cannot show."""
        if '"render":3' in str(frame) and "beat" not in str(frame):
            failed.append(str(frame))

    page = await open_page(chromium, home, has_clock=True)
    screen = await pair(page, screens)
    page.on("websocket", lambda socket: socket.on("framesent", note))
    page.on("request", lambda it: asked.append(it.url) if "flaky" in it.url else None)
    await page.reload()
    await until(lambda: screen.pages)
    await cast(screen, address(works, "flaky.svg?times=4"))
    for number, seconds in enumerate((5, 15, 60, 300), 1):
        await until(lambda it=number: len(failed) == it)
        assert len(asked) == number
        await page.clock.fast_forward((seconds - 1) * 1000)
        await page.wait_for_timeout(200)
        assert len(asked) == number
        await page.clock.fast_forward(2000)
        await until(lambda it=number: len(asked) == it + 1)
    await until_pixel(page, LIME)
    # What never answers has failed after half a minute, and the next work comes in the end.
    await cast(screen, address(works, "never/a.html"), color("blue"))
    await expect(page.locator(".work iframe")).to_be_attached()
    await page.clock.fast_forward(29_000)
    await expect(page.locator("#line")).to_have_text("")
    await page.clock.fast_forward(2000)
    await expect(page.locator("#line")).to_have_text("Work 0 cannot be loaded.")


@pytest.mark.parametrize("then", ["dies", "hangs"])
async def test_a_film_that_stops(
    chromium: Browser, home: str, screens: Screens, works: TestServer, then: str
) -> None:
    """A film whose host is gone in its middle, or silent for half a minute, does not load, and the next work comes."""
    works.app["films"]["a.webm"] = await film(chromium, 6)
    page = await open_page(chromium, home, has_clock=True)
    screen = await pair(page, screens)
    await cast(screen, address(works, f"films/a.webm?then={then}"), color("lime"))
    await until(lambda: screen.player.render_status == 2)
    if then == "hangs":
        at = "document.querySelector('video').currentTime"
        before = -1.0
        while (now := await page.evaluate(at)) == 0 or now > before:
            before = now
            await page.wait_for_timeout(700)
        await page.clock.fast_forward(31_000)
    await until(lambda: screen.player.render_status == 3)
    assert screen.player.error == "not_loading"
    await expect(page.locator("#line")).to_have_text("Work 0 cannot be loaded.")
    for seconds in (6, 16, 61) if then == "dies" else ():
        await until(lambda: screen.player.render_status == 3)
        await page.clock.fast_forward(seconds * 1000)
    if then == "dies":
        await until_pixel(page, LIME)


async def test_a_film_without_a_picture(
    chromium: Browser, home: str, screens: Screens, works: TestServer
) -> None:
    """A film of which the browser knows only the sound does not load."""
    sound = await film(chromium, 1, has_picture=False)
    page = await open_page(chromium, home)
    screen = await pair(page, screens)
    await cast(screen, f"data:video/webm;base64,{b64encode(sound).decode()}")
    await expect(page.locator("#line")).to_have_text("Work 0 cannot be loaded.")
    await until(lambda: screen.player.error == "not_loading")


async def test_what_is_not_shown(
    chromium: Browser, home: str, screens: Screens, works: TestServer
) -> None:
    """A 3D model is said not to be shown, and the next work comes."""
    page = await open_page(chromium, home)
    screen = await pair(page, screens)
    await cast(screen, address(works, "works/cube.glb"), color("lime"))
    await expect(page.locator("#line")).to_contain_text("Work 0 is a 3D model")
    await until_pixel(page, LIME)


async def test_works_that_never_answer(
    chromium: Browser, home: str, screens: Screens, works: TestServer
) -> None:
    """Works that never answer do not stay in the page."""
    page = await open_page(chromium, home)
    screen = await pair(page, screens)
    urls = [address(works, f"never/{n}.html", f"h{n}.example") for n in range(8)]
    await cast(screen, *urls)
    for _ in range(12):
        screen.player.step()
        await page.wait_for_timeout(250)
        assert await page.locator(".work").count() <= 3
    await cast(screen, color("lime"))
    await until_pixel(page, LIME)


async def test_a_tap(
    chromium: Browser, home: str, screens: Screens, works: TestServer
) -> None:
    """A tap offers the next work, a heart and to hide the work; one on a web work belongs to the work, but for its edge."""
    # The action to hide a work is not there.
    asked = async_mock_service(screens.hass, "dp1", "add_favorite")
    page = await open_page(chromium, home)
    screen = await pair(page, screens)
    await cast(screen, color("blue"), address(works, "works/query.html?seed=7"))
    await until_pixel(page, (0, 0, 255))
    bar = page.locator("#bar")
    await expect(bar).to_be_hidden()
    await page.mouse.click(500, 300)
    await expect(bar).to_be_visible()
    await page.locator("#favorite").click()
    await expect(page.locator("#favorite")).to_have_class("on")
    # For good only with a second tap, of which the line tells; one that hides nothing says so.
    line, hide = page.locator("#line"), page.locator("#hide")
    await hide.click()
    await expect(line).to_have_text("Tap again, and Work 0 is never shown again.")
    assert await bright(page, line) > 0
    over, under = await line.bounding_box(), await page.locator("#label").bounding_box()
    assert over and under and over["y"] + over["height"] < under["y"]
    await keep(page, "bar")
    assert len(asked) == 1
    await hide.click()
    await expect(line).to_contain_text("This cannot be done with Work 0")
    await hide.click()
    # A person takes longer than this test for so many taps, of which two a second count.
    screen._taps.extend((-1.0, -1.0))
    await page.locator("#next").click()
    await expect(line).to_have_text("")
    await until_pixel(page, LIME)
    await expect(bar).to_be_hidden(timeout=15_000)
    await page.mouse.click(500, 300)
    await page.wait_for_timeout(300)
    await expect(bar).to_be_hidden()
    await page.mouse.click(500, 5)
    await expect(bar).to_be_visible()
    screen.has_touch = False
    for each in screen.pages:
        each.changed()
    await page.locator("#next").click()
    await page.wait_for_timeout(300)
    assert screen.player.state.index == 1


async def test_a_way_to_the_page_of_the_work(
    chromium: Browser, home: str, screens: Screens
) -> None:
    """A small code leads to the page of the work that is shown, where its owner wants that, and to that of no other."""
    page = await open_page(chromium, home)
    screen = await pair(page, screens)
    await cast(screen, color("blue"), color("lime"))
    await until_pixel(page, (0, 0, 255))
    code = page.locator("#qr")
    screen.async_link("https://art.example/works/0", "0")
    await page.wait_for_timeout(300)
    await expect(code).to_be_hidden()
    screen.has_qr = True
    screen.async_link("https://art.example/work/0", "0")
    await expect(code).to_be_visible()
    box = await code.bounding_box()
    assert box
    assert box["width"] == box["height"] >= 90
    assert await bright(page, code) > box["width"] * box["height"] / 3
    await keep(page, "qr")
    # A code of more would be too fine to be read.
    screen.async_link(f"https://art.example/{'x' * 600}", "0")
    await expect(code).to_be_hidden()
    screen.async_link("https://art.example/work/0", "0")
    await expect(code).to_be_visible()
    screen.player.step()
    await until_pixel(page, LIME)
    await expect(code).to_be_hidden()


def test_scripts_are_listed() -> None:
    """Twenty works and more are seen."""
    assert len(SCRIPTS) >= 20
    assert set(SCRIPTS) >= {*SHARED}
