"""Test what a person sees on the page of a screen, and what works may not: pixels and boxes in a real browser."""

from collections.abc import AsyncIterator
from io import BytesIO
from typing import Any

from PIL import Image
from playwright.async_api import Browser, Locator, Page
import pytest
from pytest_homeassistant_custom_component.typing import ClientSessionGenerator

from custom_components.dp1.screen.pairing import PATH, Screens

from ..e2e.browser import CHROMIUM, browser

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


async def open_page(chromium: Browser, url: str, size: str = "tablet") -> Page:
    width, height = SIZES[size]
    page = await chromium.new_page(viewport={"width": width, "height": height})
    await page.goto(url)
    return page


async def bright(page: Page, of: Locator | None = None) -> int:
    """Return how many pixels of a page, or of the box of an element, are bright."""
    box: Any = await of.bounding_box() if of else None
    assert of is None or (box and box["width"] > 0 and box["height"] > 0), box
    png = await page.screenshot(clip=box)
    counts = Image.open(BytesIO(png)).convert("L").histogram()
    return sum(counts[128:])


@pytest.mark.parametrize("size", SIZES)
async def test_the_code_is_seen(chromium: Browser, home: str, size: str) -> None:
    """The code of a new screen is on the page, in pixels that can be read from where one stands."""
    page = await open_page(chromium, f"{home}{PATH}", size)
    await page.wait_for_function("/\\d{3}.?\\d{3}/.test(document.body.innerText)")
    note = page.locator("#note")
    assert await note.is_visible()
    box: Any = await note.bounding_box()
    width, height = SIZES[size]
    assert box["width"] > width / 3
    assert await bright(page) > width * height / 2000


@pytest.mark.parametrize("how", ["sibling", "opener"])
async def test_a_frame_is_written_by_the_page_alone(
    chromium: Browser, home: str, how: str
) -> None:
    """Neither the work in another frame nor a site that opens the frame writes what is in it."""
    page = await open_page(chromium, f"{home}{PATH}")
    evil = "<h1 id=evil>Sign in to Home Assistant</h1>"
    if how == "sibling":
        post = f"""<script>setInterval(() => {{
          for (let n = 0; n < parent.frames.length; n++) parent.frames[n].postMessage("{evil}", "*");
        }}, 5)</script>"""
        await page.evaluate(
            """async ([path, post]) => {
              const add = source => { const frame = document.createElement("iframe"); frame.sandbox = "allow-scripts";
                document.body.append(frame); frame[source[0]] = source[1]; return frame; };
              add(["src", path]).onload = event => event.target.contentWindow.postMessage(post, "*");
              await new Promise(done => setTimeout(done, 500));
              add(["src", path]);
              await new Promise(done => setTimeout(done, 1000));
            }""",
            [f"{PATH}/frame", post],
        )
        frames = page.frames[2:]
    else:
        await page.goto("about:blank")
        async with page.expect_popup() as opened:
            await page.evaluate(
                """([url, evil]) => { const other = open(url);
                  setInterval(() => other.postMessage(evil, "*"), 20); }""",
                [f"{home}{PATH}/frame", evil],
            )
        other = await opened.value
        await other.wait_for_timeout(1000)
        frames = [other.main_frame]
    assert frames
    for frame in frames:
        assert "Sign in" not in await frame.content()
