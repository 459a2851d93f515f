"""Take the screenshots of the documentation: the demo in a real browser."""

import asyncio
from io import BytesIO
from pathlib import Path
import tempfile

from PIL import Image
from playwright.async_api import Browser, Page

from scripts.demo_run import (
    DASHBOARD,
    EXHIBITION,
    GALLERY,
    NAME,
    add_display,
    add_favorites,
    add_library,
    device_id,
    find_player,
    seed_feed,
)

from tests.e2e.browser import browser, signed_in
from tests.e2e.card import CARD, OTHER, dashboard as card_dashboard
from tests.e2e.home import Home
from tests.e2e.test_evening import documented_view
from tests.simulators.catalog.simulator import CatalogSimulator
from tests.simulators.display import DisplaySimulator
from tests.simulators.feed import FeedSimulator

FOLDER = Path(__file__).parents[1] / "docs"


async def _settle(page: Page, seconds: float = 3) -> None:
    """Wait for pictures that load one after the other."""
    await page.wait_for_timeout(seconds * 1000)


async def _save(page: Page, name: str) -> None:
    """Save a screenshot."""
    await page.screenshot(path=FOLDER / f"{name}.png")
    print(name)


async def _pages(home: Home, chromium: Browser, player: str) -> None:
    """Take screenshots of the dashboard, the media browser and a search."""
    page = await signed_in(chromium, home, 1100, 720)
    await page.goto(f"{home.url}/{DASHBOARD}")
    await page.get_by_text("On the wall").wait_for()
    await _settle(page, 5)
    await page.locator("hui-media-player-source-card-feature").click()
    await _settle(page)
    await _save(page, "sources")
    await page.goto(f"{home.url}/media-browser/{player}")
    titles = page.locator("ha-media-player-browse .title")
    await titles.get_by_text("All art", exact=True).wait_for()
    await _settle(page, 6)
    await _save(page, "browse")
    await titles.get_by_text("All art", exact=True).click()
    await _settle(page)
    await page.locator("ha-media-player-browse input").first.fill("weather")
    await page.keyboard.press("Enter")
    await _settle(page, 6)
    await _save(page, "search")
    await page.goto(f"{home.url}/media-browser/{player}")
    await titles.get_by_text("Exhibitions", exact=True).click()
    await titles.get_by_text(EXHIBITION, exact=True).click()
    await _settle(page, 6)
    await _save(page, "series")


async def _label(home: Home, chromium: Browser, player: str) -> None:
    """Take screenshots of the wall label card in its sizes, light and dark."""
    url = await home.dashboard("wall-labels", "Labels", card_dashboard(player))
    page = await signed_in(chromium, home, 1280, 900)
    cards = page.locator(CARD)
    for color, name in (("dark", "label-dark.png"), ("light", "label.png")):
        await page.emulate_media(color_scheme=color)
        await page.goto(f"{url}/card")
        await cards.first.wait_for()
        await _settle(page, 5)
        await cards.first.screenshot(path=FOLDER / name)
        print(name)
        await cards.nth(1).screenshot(path=FOLDER / name.replace("label", "label-tile"))
    for color, name in (("dark", "label-wall-dark"), ("light", "label-wall")):
        await page.emulate_media(color_scheme=color)
        await page.goto(f"{url}/wall")
        await cards.first.wait_for()
        await _settle(page, 5)
        await _save(page, name)
    await page.set_viewport_size({"width": 390, "height": 844})
    await page.goto(f"{url}/card")
    await cards.first.wait_for()
    await _settle(page, 5)
    await _save(page, "label-phone")


async def _gallery(home: Home, chromium: Browser) -> str:
    """Take a screenshot of the gallery dashboard, and return its address."""
    url = await home.dashboard(DASHBOARD, "Art gallery", GALLERY)
    page = await signed_in(chromium, home, 1280, 900)
    await page.goto(url)
    await page.locator(CARD).first.wait_for()
    await _settle(page, 5)
    await _save(page, "gallery")
    return url


class Film:
    """A short film of single pictures: from the discovered display to a chosen exhibition."""

    def __init__(self, page: Page) -> None:
        """Initialize without pictures."""
        self._page = page
        self._frames: list[Image.Image] = []
        self._milliseconds: list[int] = []

    async def take(self, seconds: float = 2.0) -> None:
        """Take a picture that is shown for some seconds."""
        shot = Image.open(BytesIO(await self._page.screenshot()))
        self._frames.append(shot.convert("RGB").resize((960, 600)))
        self._milliseconds.append(int(seconds * 1000))

    async def discovered(self, url: str) -> None:
        """Show the display that was discovered."""
        await self._page.goto(f"{url}/config/integrations/dashboard")
        card = self._page.locator("ha-config-flow-card")
        await card.filter(has_text=NAME).wait_for()
        await _settle(self._page)
        await self.take(4)

    async def choose(self, url: str) -> None:
        """Choose exhibitions by picture and by search, and see them hang."""
        page = self._page
        await page.goto(url)
        card = page.locator(CARD).first
        await card.wait_for()
        await _settle(page, 5)
        await self.take(4)
        for query in ("", "weather"):
            await card.get_by_role("button", name="Choose an exhibition").click()
            dialog = page.locator("dp1-chooser")
            await dialog.get_by_role("button", name=OTHER, exact=True).wait_for()
            await _settle(page)
            await self.take(3)
            for end in range(1, len(query) + 1):
                await dialog.get_by_role("searchbox").fill(query[:end])
                await self.take(0.2)
            await _settle(page)
            await self.take()
            wanted = EXHIBITION if query else OTHER
            await dialog.get_by_role("button", name=wanted, exact=True).first.click()
            await card.locator(".exhibition").get_by_text(wanted, exact=True).wait_for()
            await _settle(page)
            await self.take(4)
        for _ in range(4):
            await card.get_by_role("button", name="Next track").click()
            await _settle(page)
            await self.take(3)
        first, *others = self._frames
        first.save(
            FOLDER / "film.webp",
            save_all=True,
            append_images=others,
            duration=self._milliseconds,
            loop=0,
            quality=70,
        )
        print(f"film, {sum(self._milliseconds) / 1000:.0f} s")


async def _main() -> None:
    """Cast an exhibition and take all screenshots."""
    FOLDER.mkdir(exist_ok=True)
    with tempfile.TemporaryDirectory() as folder:
        async with (
            CatalogSimulator() as catalog,
            FeedSimulator() as feed,
            DisplaySimulator(
                profile="B", device_id=device_id(Path(folder)), name=NAME, mdns=True
            ) as display,
            Home(Path(folder)) as home,
            browser() as chromium,
        ):
            seed_feed(catalog, feed)
            page = await signed_in(chromium, home, 1280, 800)
            film = Film(page)
            await film.discovered(home.url)
            await add_library(
                home, await add_display(home, display), catalog.url, feed.url
            )
            player = await find_player(home)
            await home.dashboard(DASHBOARD, "Art gallery", documented_view())
            await home.call(
                "dp1.cast_playlist", {"entity_id": player, "exhibition": EXHIBITION}
            )
            await add_favorites(home)
            wall = await chromium.new_page(viewport={"width": 1280, "height": 720})
            await wall.goto(display.url)
            await _settle(wall)
            await _save(wall, "wall")
            await _pages(home, chromium, player)
            await film.choose(await _gallery(home, chromium))
            await _label(home, chromium, player)


if __name__ == "__main__":
    asyncio.run(_main())
