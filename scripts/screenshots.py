"""Take the screenshots of the documentation: the demo in a real browser."""

import asyncio
from io import BytesIO
from pathlib import Path
import re
import tempfile

from PIL import Image
from playwright.async_api import Browser, Locator, Page

from scripts.demo_run import (
    DASHBOARD,
    EXHIBITION,
    GALLERY,
    NAME,
    add_favorites,
    add_screen,
    device_id,
    find_player,
    seed_feed,
)

from tests.e2e.browser import browser, signed_in
from tests.e2e.card import CARD, dashboard as card_dashboard
from tests.e2e.home import Home
from tests.e2e.test_evening import with_servers
from tests.simulators.catalog.simulator import CatalogSimulator
from tests.simulators.display import DisplaySimulator
from tests.simulators.feed import FeedSimulator

FOLDER = Path(__file__).parents[1] / "docs"
# Of the film: its size, what is behind, and where the phone and the wall are.
FILM_SIZE = (1200, 640)
PLASTER, SHADOW = (236, 233, 228), (200, 196, 190)
PHONE = (16, 16, 297, 608)
WALL = (337, 80, 848, 477)
# The exhibitions that are chosen: by the picture, and by a search.
SEEN = "The Weight of Blue"
SEARCHED = "Parallel Weather"
DRAW_FINGER = """([x, y]) => {
  const finger = Object.assign(document.createElement("div"), {popover: "manual"});
  finger.style.cssText = `position: fixed; inset: auto; left: ${x - 22}px; top: ${y - 22}px; width: 44px; height: 44px;
    margin: 0; padding: 0; box-sizing: border-box; border: 3px solid #ff5722; border-radius: 50%; background: #ff572266`;
  document.body.append(finger);
  finger.showPopover();
  return finger;
}"""


async def _settle(page: Page, seconds: float = 3) -> None:
    """Wait for pictures that load one after the other."""
    await page.wait_for_timeout(seconds * 1000)


async def _save(page: Page, name: str) -> None:
    """Save a screenshot without a pointer over it."""
    await page.mouse.move(0, 0)
    _write(await page.screenshot(), name)


def _write(shot: bytes, name: str) -> None:
    """Write a screenshot in a quarter of its bytes, in colors that nobody tells from its own."""
    image = Image.open(BytesIO(shot)).convert("RGB")
    image = image.quantize(method=Image.Quantize.MAXCOVERAGE, kmeans=4)
    image.save(FOLDER / f"{name}.png", optimize=True)
    print(name)


async def _pages(home: Home, chromium: Browser, player: str) -> None:
    """Take screenshots of the media browser and a search."""
    page = await signed_in(chromium, home, 1100, 720)
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
    page = await signed_in(chromium, home, 1280, 900, sidebar="always_hidden")
    cards = page.locator(CARD)
    for color, name in (("dark", "label-dark"), ("light", "label")):
        await page.emulate_media(color_scheme=color)
        await page.goto(f"{url}/card")
        await cards.first.wait_for()
        await _settle(page, 5)
        _write(await cards.first.screenshot(), name)
        tile = name.replace("label", "label-tile")
        _write(await cards.nth(1).screenshot(), tile)
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


async def _screen(home: Home, chromium: Browser) -> None:
    """Take a screenshot of a tablet that is a display."""
    page = await chromium.new_page(viewport={"width": 1024, "height": 640})
    await page.goto(await add_screen(home))
    player = "media_player.tablet"

    async def is_there() -> bool:
        """Return whether the screen is available."""
        state = await home.state(player)
        return state is not None and state["state"] == "idle"

    await home.until(is_there, 30, "the screen")
    label = {"entity_id": "select.tablet_museum_label", "option": "on"}
    await home.call(
        "dp1.cast_playlist", {"entity_id": player, "exhibition": EXHIBITION}
    )
    await home.call("select.select_option", label)
    await _settle(page)
    await _save(page, "screen")


async def _gallery(home: Home, chromium: Browser) -> str:
    """Take a screenshot of the gallery dashboard, and return its address."""
    url = await home.dashboard(DASHBOARD, "Art gallery", GALLERY)
    page = await signed_in(chromium, home, 1280, 900, sidebar="always_hidden")
    await page.goto(url)
    await page.locator(CARD).first.wait_for()
    # The pictures of the rows are made one after the other.
    await _settle(page, 20)
    await _save(page, "gallery")
    return url


class Film:
    """A short film of single pictures: a phone, and the wall that it changes."""

    def __init__(self, phone: Page, wall: Page) -> None:
        """Initialize without pictures."""
        self.phone = phone
        self._wall = wall
        self._frames: list[Image.Image] = []
        self._milliseconds: list[int] = []

    async def take(self, seconds: float = 2.0) -> None:
        """Take a picture of both that is shown for some seconds."""
        frame = Image.new("RGB", FILM_SIZE, PLASTER)
        for page, (left, top, width, height) in (
            (self.phone, PHONE),
            (self._wall, WALL),
        ):
            shot = Image.open(BytesIO(await page.screenshot())).convert("RGB")
            frame.paste(SHADOW, (left - 2, top - 2, left + width + 2, top + height + 2))
            frame.paste(shot.resize((width, height)), (left, top))
        self._frames.append(frame)
        self._milliseconds.append(int(seconds * 1000))

    async def tap(self, place: Locator, seconds: float = 1.5) -> None:
        """Tap on something, and show where."""
        await place.scroll_into_view_if_needed()
        await _settle(self.phone, 1)
        box = await place.bounding_box()
        assert box
        at = [box["x"] + box["width"] / 2, box["y"] + box["height"] / 2]
        finger = await self.phone.evaluate_handle(DRAW_FINGER, at)
        await self.take(seconds)
        await finger.evaluate("finger => finger.remove()")
        await place.click()
        await _settle(self.phone)

    async def discover(self, url: str) -> None:
        """Add the display that was discovered, and the library with it."""
        phone = self.phone
        await phone.goto(f"{url}/config/integrations/dashboard")
        found = phone.locator("ha-config-flow-card").filter(has_text=NAME)
        await found.wait_for()
        await _settle(phone)
        await self.take(3)
        await self.tap(found.get_by_role("button", name="Add"))
        dialog = phone.locator("dialog-data-entry-flow")
        await self.tap(dialog.get_by_role("button", name="Submit"))
        # The room of this name is filled in, so that there is nothing to skip.
        finish = dialog.get_by_role("button", name=re.compile("finish", re.IGNORECASE))
        await finish.wait_for()
        await self.tap(finish)

    async def choose(self, url: str) -> None:
        """Choose exhibitions by picture and by search, and see them hang."""
        phone = self.phone
        await phone.goto(url)
        card = phone.locator(CARD).first
        await card.wait_for()
        await _settle(phone, 5)
        await self.take(3)
        for query, wanted in (("", SEEN), ("weather", SEARCHED)):
            await self.tap(card.get_by_role("button", name="Choose art"))
            dialog = phone.locator("dp1-chooser")
            found = dialog.get_by_title(wanted, exact=True).first
            await found.wait_for()
            for end in range(1, len(query) + 1):
                await dialog.get_by_role("searchbox").fill(query[:end])
                await self.take(0.25)
            await _settle(phone)
            await self.take()
            await self.tap(found)
            await card.locator(".exhibition").get_by_text(wanted, exact=True).wait_for()
            await phone.evaluate("scrollTo(0, 0)")
            await _settle(phone)
            await self.take(4)
        for _ in range(3):
            await self.tap(card.get_by_role("button", name="Next track"), 1)
            await self.take(3)
        await self.tap(card.get_by_role("button", name="Sleep"), 1)
        await self.take(3)

    def save(self) -> None:
        """Save what was taken."""
        first, *others = self._frames
        first.save(
            FOLDER / "film.webp",
            save_all=True,
            append_images=others,
            duration=self._milliseconds,
            loop=0,
            quality=70,
            method=6,
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
            Home(with_servers(Path(folder), catalog.url, feed.url)) as home,
            browser() as chromium,
        ):
            seed_feed(catalog, feed)
            wall = await chromium.new_page(viewport={"width": 1280, "height": 720})
            await wall.goto(display.url)
            phone = await signed_in(chromium, home, 390, 800, sidebar="always_hidden")
            film = Film(phone, wall)
            await film.discover(home.url)
            player = await find_player(home)
            await home.call(
                "dp1.cast_playlist", {"entity_id": player, "exhibition": EXHIBITION}
            )
            await add_favorites(home)
            gallery = await _gallery(home, chromium)
            await _label(home, chromium, player)
            await film.choose(gallery)
            film.save()
            await _screen(home, chromium)
            await _pages(home, chromium, player)


if __name__ == "__main__":
    asyncio.run(_main())
