"""A judge of boxes: what can be seen and tapped of our elements, and what lies in the way."""

import asyncio
from pathlib import Path

from playwright.async_api import Page

# Pixels of the smallest thing to tap; Home Assistant itself gives 42 to a row in a tile.
TAP = 44
ROW = 42
JUDGE = Path(__file__).with_name("boxes.js").read_text()
# The largest part of a page without anything, in cells of a coarse grid.
EMPTY = Path(__file__).with_name("empty.js").read_text()
HALF = 0.5


async def faults(page: Page, own: str = "dp1-", smallest: int = TAP) -> list[str]:
    """Return what overlaps, is cut without a tooltip, is too small to tap, or has no size."""
    found: list[str] = await page.evaluate(JUDGE, [own, smallest])
    return found


async def expect_in_order(page: Page, own: str = "dp1-", smallest: int = TAP) -> None:
    """Expect that the judge finds nothing, once what opens is open."""
    for _ in range(30):
        if not (found := await faults(page, own, smallest)):
            return
        await asyncio.sleep(0.1)
    assert not found, "\n".join(found)


async def expect_filled(page: Page) -> None:
    """Expect that not half of the page is empty."""
    empty = await page.evaluate(EMPTY)
    assert empty < HALF, f"{empty:.0%} of the page is empty"
