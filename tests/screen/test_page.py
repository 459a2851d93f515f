"""Test what a person sees on the page of a screen, and what works may not: pixels and boxes in a real browser."""

import asyncio
from collections.abc import AsyncIterator
from io import BytesIO
import os
from pathlib import Path
import re
from typing import Any
from urllib.parse import quote

from PIL import Image
from playwright.async_api import Browser, Locator, Page, expect
import pytest
from pytest_homeassistant_custom_component.common import MockConfigEntry
from pytest_homeassistant_custom_component.typing import ClientSessionGenerator

from custom_components.dp1.screen.page import PATH
from custom_components.dp1.screen.pairing import Screens
from custom_components.dp1.screen.screen import Screen

from ..displays import until
from ..e2e.browser import CHROMIUM, PATIENCE, browser

pytestmark = [
    pytest.mark.usefixtures("socket_enabled", "mdns"),
    pytest.mark.timeout(120),
    pytest.mark.skipif(not CHROMIUM, reason="DP1_CHROMIUM names no browser"),
]

SIZES = {"tablet": (1024, 768), "phone": (390, 844), "television": (3840, 2160)}


@pytest.fixture
async def chromium() -> AsyncIterator[Browser]:
    async with browser() as chromium:
        yield chromium


@pytest.fixture
async def home(screens: Screens, hass_client_no_auth: ClientSessionGenerator) -> str:
    """Return the address of Home Assistant."""
    client = await hass_client_no_auth()
    return str(client.make_url("")).rstrip("/")


async def open_page(
    chromium: Browser, home: str, size: str = "tablet", language: str = "en"
) -> Page:
    """Open the page of screens."""
    width, height = SIZES[size]
    page = await chromium.new_page(
        viewport={"width": width, "height": height}, locale=language
    )
    page.set_default_timeout(PATIENCE)
    await page.goto(f"{home}{PATH}")
    return page


async def keep(page: Page, name: str) -> None:
    """Keep a picture of a page, if somebody wants to look at it."""
    if folder := os.environ.get("DP1_PICTURES"):
        await page.screenshot(path=Path(folder) / f"{name}.png")


async def bright(page: Page, of: Locator | None = None) -> int:
    """Return how many pixels of a page, or of the box of an element, are bright."""
    box: Any = await of.bounding_box() if of else None
    assert of is None or (box and box["width"] > 0 and box["height"] > 0), box
    png = await page.screenshot(clip=box)
    counts = Image.open(BytesIO(png)).convert("L").histogram()
    return sum(counts[128:])


async def pair(page: Page, screens: Screens, name: str = "Tablet") -> Screen:
    """Enter the code that is seen on a page."""
    code = page.locator("#code")
    await expect(code).to_have_text(re.compile(r"\d{3} \d{3}"))
    device_id = screens.new_id()
    data = {"kind": "display", "host": "127.0.0.1", "port": 0, "dialect": "ff"}
    MockConfigEntry(
        domain="dp1", unique_id=device_id, title=name, data={**data, "macs": []}
    ).add_to_hass(screens.hass)
    assert await screens.async_pair(await code.inner_text(), device_id, name)
    screen = screens.screens[-1]
    await until(lambda: screen.pages)
    return screen


async def cast(screen: Screen, *sources: str, **more: Any) -> None:
    """Show works."""
    items = [
        {"id": str(n), "title": f"Work {n}", "source": source, "duration": 300}
        for n, source in enumerate(sources)
    ]
    await screen.async_show({"dp1_call": {"items": items, **more}})


def color(name: str) -> str:
    """Return a picture of one color."""
    svg = f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 4 3"><rect width="4" height="3" fill="{name}"/></svg>'
    return f"data:image/svg+xml,{quote(svg)}"


def written(html: str) -> str:
    """Return a page as an address."""
    return f"data:text/html,{quote(html)}"


async def pixel(page: Page) -> tuple[int, ...]:
    """Return the color in the middle of a page."""
    picture = Image.open(BytesIO(await page.screenshot())).convert("RGB")
    value = picture.getpixel((picture.width // 2, picture.height // 2))
    assert isinstance(value, tuple)
    return value


async def until_pixel(page: Page, wanted: tuple[int, ...]) -> None:
    """Wait until the middle of a page has a color."""
    async with asyncio.timeout(20):
        while await pixel(page) != wanted:
            await asyncio.sleep(0.1)


@pytest.mark.parametrize("size", SIZES)
@pytest.mark.parametrize("language", ["en", "de", "ja"])
async def test_pairing_is_seen(
    chromium: Browser, home: str, screens: Screens, size: str, language: str
) -> None:
    """A person reads code, words and QR code on any screen, in the language of its browser, and then that it is paired."""
    page = await open_page(chromium, home, size, language)
    code = page.locator("#code")
    await expect(code).to_have_text(re.compile(r"\d{3} \d{3}"))
    width, height = SIZES[size]
    box: Any = await code.bounding_box()
    assert box["height"] > min(width, height) / 10
    assert await bright(page, code) > box["width"] * box["height"] / 20
    for each in (code, page.locator("#say"), page.locator("#scan svg")):
        assert await bright(page, each) > 0
        inside: Any = await each.bounding_box()
        assert inside["x"] >= 0
        assert inside["y"] >= 0
        assert inside["x"] + inside["width"] <= width
        assert inside["y"] + inside["height"] <= height
    words = {"en": "Enter this code", "de": "Gib diesen Code", "ja": "コード"}
    await expect(page.locator("#say h1")).to_contain_text(words[language])
    assert await page.evaluate("getComputedStyle(document.body).cursor") == "auto"
    await keep(page, f"code-{size}-{language}")
    screen = await pair(page, screens, "Wohnzimmer")
    await expect(page.locator("#say")).to_contain_text("Wohnzimmer")
    assert await bright(page, page.locator("#say h1")) > 0
    await keep(page, f"paired-{size}-{language}")
    await cast(screen, color("lime"))
    await until_pixel(page, (0, 255, 0))
    assert await page.evaluate("getComputedStyle(document.body).cursor") == "none"
    await expect(page.locator("#label")).to_be_visible()
    await keep(page, f"shown-{size}-{language}")
    await page.close()


# Writes into every other frame that it can reach, for as long as it runs.
WRITER = """<script>setInterval(() => {
  for (let n = 0; n < parent.frames.length; n++)
    if (parent.frames[n] !== window) parent.frames[n].postMessage("<h1>stolen</h1>", "*");
}, 5)</script>"""


async def test_a_frame_is_written_by_nobody(
    chromium: Browser, home: str, screens: Screens
) -> None:
    """The work before writes nothing into the frame of the next, whose address holds once, and nobody's page is at ours."""
    page = await open_page(chromium, home)
    screen = await pair(page, screens)
    await cast(screen, written(WRITER), written("<h1>mine</h1>"))
    await expect(page.locator(".work.on iframe")).to_be_attached()
    screen.player.step()
    frame = page.frame_locator(".work.on iframe").last
    await expect(frame.locator("h1")).to_have_text("mine")
    await page.wait_for_timeout(500)
    await expect(frame.locator("h1")).to_have_text("mine")
    source = await page.locator(".work.on iframe").last.get_attribute("src")
    other = await chromium.new_page()
    answer = await other.goto(f"{home}{source}")
    assert answer is not None
    assert answer.status == 404
    await page.close()
    await other.close()
