"""What a person sees of screens: pages in a real browser, their pixels and boxes."""

import asyncio
from io import BytesIO
import os
from pathlib import Path
import re
from typing import Any
from urllib.parse import quote

from PIL import Image
from playwright.async_api import Browser, Locator, Page, expect
from pytest_homeassistant_custom_component.common import MockConfigEntry

from custom_components.dp1.screen.page import PATH
from custom_components.dp1.screen.pairing import Screens
from custom_components.dp1.screen.screen import Screen

from ..displays import until
from ..e2e.browser import PATIENCE

SIZES = {"tablet": (1024, 768), "phone": (390, 844), "television": (3840, 2160)}


async def open_page(
    chromium: Browser,
    home: str,
    size: str = "tablet",
    language: str = "en",
    *,
    has_clock: bool = False,
) -> Page:
    """Open the page of screens, with a clock that can be moved or that of the machine."""
    width, height = SIZES[size]
    page = await chromium.new_page(
        viewport={"width": width, "height": height}, locale=language
    )
    page.set_default_timeout(PATIENCE)
    if has_clock:
        await page.clock.install()
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


async def reds(page: Page, of: Locator) -> int:
    """Return how many pixels of the box of an element are red."""
    box: Any = await of.bounding_box()
    picture = Image.open(BytesIO(await page.screenshot(clip=box))).convert("RGB")
    red, green, blue = (part.tobytes() for part in picture.split())
    return sum(
        r > 200 and g < 120 and b < 120
        for r, g, b in zip(red, green, blue, strict=True)
    )


async def inside(page: Page, *elements: Locator) -> list[Any]:
    """Return the boxes of elements, which all are on the page."""
    size = page.viewport_size
    assert size
    boxes: list[Any] = [await each.bounding_box() for each in elements]
    for box in boxes:
        assert min(box["x"], box["y"]) >= 0
        assert box["x"] + box["width"] <= size["width"]
        assert box["y"] + box["height"] <= size["height"]
    return boxes


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
    screen.player.cast({"items": items, **more})


def color(name: str, width: int = 4, height: int = 3) -> str:
    """Return a picture of one color."""
    svg = f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width} {height}"><rect width="{width}" height="{height}" fill="{name}"/></svg>'
    return f"data:image/svg+xml,{quote(svg)}"


def written(html: str) -> str:
    """Return a page as an address."""
    return f"data:text/html,{quote(html)}"


async def pixel(page: Page, *at: int) -> tuple[int, ...]:
    """Return the color at a place of a page, else in its middle."""
    picture = Image.open(BytesIO(await page.screenshot())).convert("RGB")
    value = picture.getpixel(at or (picture.width // 2, picture.height // 2))
    assert isinstance(value, tuple)
    return value


async def until_pixel(page: Page, wanted: tuple[int, ...], *at: int) -> None:
    """Wait until a place of a page, else its middle, has a color."""
    async with asyncio.timeout(60):
        while await pixel(page, *at) != wanted:
            await asyncio.sleep(0.1)
