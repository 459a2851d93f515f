"""A real browser, signed in to Home Assistant."""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
import os

from playwright.async_api import Browser, Page, async_playwright

from .home import Home

CHROMIUM = os.environ.get("DP1_CHROMIUM")
FLAGS = (
    "--no-sandbox",
    "--disable-gpu",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
)
# On two cores the first page takes its time.
PATIENCE = 20_000


@asynccontextmanager
async def browser(*flags: str) -> AsyncIterator[Browser]:
    """Run a browser, with flags beside those of all tests."""
    async with async_playwright() as playwright:
        chromium = await playwright.chromium.launch(
            executable_path=CHROMIUM, args=[*FLAGS, *flags]
        )
        try:
            yield chromium
        finally:
            await chromium.close()


async def signed_in(
    chromium: Browser,
    home: Home,
    width: int = 1280,
    height: int = 800,
    *,
    sidebar: str = "docked",
) -> Page:
    """Open a page that is signed in to Home Assistant."""
    context = await chromium.new_context(
        viewport={"width": width, "height": height},
        device_scale_factor=1,
        # What moves on a page is drawn for as long as it is open.
        reduced_motion="reduce",
    )
    await context.add_init_script(
        f"localStorage.setItem('hassTokens', {home.browser_tokens()!r});"
        f"localStorage.setItem('dockedSidebar', '\"{sidebar}\"');"
    )
    page = await context.new_page()
    page.set_default_timeout(PATIENCE)
    return page


async def visit(page: Page, path: str) -> None:
    """Go to another page of Home Assistant, as a link does: without loading everything again."""
    await page.evaluate(
        """path => {
          history.pushState(null, "", path);
          window.dispatchEvent(new CustomEvent("location-changed", {detail: {replace: false}}));
        }""",
        path,
    )
