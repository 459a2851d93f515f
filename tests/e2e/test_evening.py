"""An evening in front of Home Assistant: from the discovered display to art on the wall, in a real browser."""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
import shutil
from typing import Any

from playwright.async_api import Browser, Locator, Page, expect
import pytest
import yaml
from zeroconf import InterfaceChoice, IPVersion
from zeroconf.asyncio import AsyncZeroconf

from custom_components.dp1.const import DEFAULT_CATALOG_URL, DEFAULT_FEED_URL
from scripts.demo_run import find_player

from .boxes import expect_in_order
from .browser import CHROMIUM, browser, signed_in, visit
from .card import CARD, EXHIBITION, Watch, try_the_card
from .dialogs import open_all, picture_folder
from .home import ROOT, Home
from .rooms import live_with_it

from tests.simulators.catalog.simulator import CatalogSimulator
from tests.simulators.display import DisplaySimulator
from tests.simulators.feed import FeedSimulator

# Displays are announced to every test on the network.
pytestmark = [
    pytest.mark.e2e,
    pytest.mark.usefixtures("socket_enabled"),
    pytest.mark.timeout(600),
    pytest.mark.xdist_group("network"),
    pytest.mark.skipif(not CHROMIUM, reason="DP1_CHROMIUM names no browser"),
]

NAME = "Salon"
# From the discovered card to a picture, and to an exhibition that was chosen.
CLICKS_TO_A_PICTURE = 6
CLICKS_TO_AN_EXHIBITION = 5
MEDIA = "ha-media-player-browse"
# Pixels of the smallest button in a dialog of Home Assistant.
SMALLEST = 36
# The folders and the heading of an exhibition in the media browser, in another language.
LANGUAGE = "ja"
WORDS = ("すべての作品", "展覧会", "展覧会")


class Person:
    """Somebody with a browser who counts clicks."""

    def __init__(self, page: Page, home: Home) -> None:
        """Sit down in front of a page."""
        self.page = page
        self.home = home
        self.clicks = 0

    async def click(self, place: Locator) -> None:
        await place.click()
        self.clicks += 1

    async def press(self, name: str) -> None:
        dialog = self.page.locator("dialog-data-entry-flow")
        await self.click(dialog.get_by_role("button", name=name))


def documented_view(player: str) -> dict[str, Any]:
    """Return the dashboard of built-in cards that the documentation shows, as a person pastes it, for a display."""
    text = (ROOT / "docs" / "dashboards.md").read_text()
    _, _, rest = text.partition("## Built-in cards")
    _, _, block = rest.partition("```yaml")
    view = block.partition("```")[0].replace("media_player.living_room", player)
    return {"views": [yaml.safe_load(view)]}


def media(page: Page, title: str) -> Locator:
    """Return a folder or a medium of the media browser by its title."""
    return page.locator(f"{MEDIA} .title").get_by_text(title, exact=True)


async def open_discovered(person: Person) -> None:
    """Open the card of the discovered display."""
    page = person.page
    await page.goto(f"{person.home.url}/config/integrations/dashboard")
    found = page.locator("ha-config-flow-card").filter(has_text=NAME)
    await person.click(found.get_by_role("button", name="Add"))
    await expect(page.get_by_text(f"add {NAME} (FF1, at 127.0.0.1)")).to_be_visible()
    await expect_in_order(page, "ha-", SMALLEST)


async def choose_at_once(person: Person, display: DisplaySimulator) -> None:
    """Add the discovered display with what is offered along, hang an exhibition, and remove all again."""
    page, home = person.page, person.home
    await open_discovered(person)
    await person.press("Submit")
    await person.press("Skip and finish")
    gallery = page.locator("ha-sidebar").get_by_text("Art gallery", exact=True)
    await person.click(gallery)
    picture = page.locator("dp1-highlights-card .exhibitions .show").first
    title = await picture.get_attribute("title")
    await person.click(picture)

    async def hangs() -> bool:
        """Return whether the display shows the exhibition."""
        return display.state.playlist_title == title

    await home.until(hangs, 30, "the exhibition on the display")
    await expect(page.locator(CARD).locator(".exhibition")).to_have_text(title or "")
    assert person.clicks == CLICKS_TO_AN_EXHIBITION
    person.clicks = 0
    player = await find_player(home)
    await home.call("media_player.clear_playlist", {"entity_id": player})
    # Pictures of a display that goes would complain.
    await page.goto(f"{home.url}/config/integrations/dashboard")
    await expect(gallery).to_be_visible()
    for entry in await home.ask("config_entries/get", domain="dp1"):
        await home.delete(f"/api/config/config_entries/entry/{entry['entry_id']}")
    await expect(gallery).to_be_hidden()


async def discover(person: Person, display: DisplaySimulator) -> None:
    """Add the discovered display, and hang what it brings along."""
    page = person.page
    await open_discovered(person)
    for switch in await page.locator("dialog-data-entry-flow ha-switch").all():
        if await switch.evaluate("it => it.checked"):
            await person.click(switch)
    await person.press("Submit")
    await person.press("Skip and finish")
    button = page.locator("hui-button-entity-row")
    button = button.filter(has_text="Show default playlist")
    await person.click(button.get_by_text("Press", exact=True))
    # What is out of sight is not drawn.
    await page.get_by_role("link", name="Show more").scroll_into_view_if_needed()
    await expect(page.get_by_text("Tide", exact=True).first).to_be_visible()

    async def shows() -> bool:
        """Return whether the display shows the work."""
        return display.state.current_title == "Tide"

    await person.home.until(shows, 10, "the work on the display")
    assert person.clicks == CLICKS_TO_A_PICTURE


async def add_library(person: Person, catalog: str, feed: str) -> None:
    """Add the library that is offered; an address that is wrong can be corrected."""
    page = person.page
    await page.go_back()
    found = page.locator("ha-config-flow-card").filter(has_text="Feral File")
    await person.click(found.get_by_role("button", name="Add"))
    form = page.locator("dialog-data-entry-flow")
    await form.get_by_text("Advanced", exact=True).click()
    fields = form.locator("input:not([type=checkbox])")
    await expect(fields).to_have_count(4)
    await expect_in_order(page, "ha-", SMALLEST)
    name, catalog_url, feed_url, _ = await fields.all()
    await name.fill("Museum")
    await catalog_url.fill(catalog)
    await feed_url.fill("127.0.0.1:9")
    await form.get_by_role("button", name="Add").click()
    await expect(form.get_by_text("The server refused the connection")).to_be_visible()
    *_, feed_url, _ = await fields.all()
    await feed_url.fill(feed)
    await person.press("Submit")
    await person.press("Skip and finish")


async def hang_an_exhibition(person: Person, display: DisplaySimulator) -> None:
    """Find the exhibition, and hang it."""
    page = person.page

    async def hangs() -> bool:
        """Return whether the display shows the exhibition."""
        return display.state.playlist_title == EXHIBITION

    await person.click(page.locator("ha-sidebar").get_by_text("Media", exact=True))
    bar = page.locator("ha-bar-media-player")
    await person.click(bar.get_by_text("Web browser"))
    await person.click(bar.get_by_text(NAME, exact=True))
    for folder in ("Exhibitions", EXHIBITION):
        await person.click(media(page, folder))
    heading = page.locator(f"{MEDIA} h1")
    await expect(heading).to_have_text(f"Exhibition: {EXHIBITION}")
    await person.click(page.locator(MEDIA).get_by_role("button", name="Play").first)
    await person.home.until(hangs, 30, "the exhibition on the display")
    work = display.state.current_title or "?"
    await expect(bar.get_by_text(work, exact=True)).to_be_visible()


async def search_and_play(page: Page, home: Home, player: str) -> None:
    """Search everything for a work, and hang it."""
    await visit(page, "/home")
    await visit(page, f"/media-browser/{player}")
    titles = page.locator(f"{MEDIA} .title")
    await expect(media(page, "All art")).to_be_visible()
    for sound in ("Radio Browser", "Text-to-speech", "Camera"):
        assert sound not in await titles.all_inner_texts()
    await media(page, "All art").click()
    field = page.locator(f"{MEDIA} input").first
    await field.fill("net evil")
    await field.press("Enter")
    await media(page, "Net Evil").click()
    heading = page.locator(f"{MEDIA} h1")
    await expect(heading).to_have_text("Exhibition: Net Evil")
    work = page.locator(f"{MEDIA} .child").first
    label = await work.locator(".title").inner_text()
    await work.hover()
    await work.get_by_role("button").first.click()
    bar = page.locator("ha-bar-media-player")
    await expect(bar.get_by_text(label.partition(", ")[0], exact=True)).to_be_visible()


async def use_built_in_cards(
    chromium: Browser, page: Page, home: Home, display: DisplaySimulator, player: str
) -> None:
    """See on the documented dashboard what the wall shows, and go on to the next work."""
    show = {"entity_id": player, "exhibition": EXHIBITION}
    await home.call("dp1.cast_playlist", show)
    wall = await chromium.new_page(viewport={"width": 960, "height": 540})
    await wall.goto(display.url)
    url = await home.dashboard("art-gallery", "Art gallery", documented_view(player))
    await page.goto(url)
    card = page.locator("hui-media-control-card")
    for _ in range(2):
        work = display.state.current_title
        await expect(card.get_by_text(work, exact=True)).to_be_visible()
        await wall.wait_for_function("work => document.title.includes(work)", arg=work)
        style = await card.locator(".image").get_attribute("style")
        assert style and "/api/media_player_proxy/" in style
        await home.call("media_player.media_next_track", {"entity_id": player})
        assert display.state.current_title != work
    await wall.close()


async def speak(page: Page, home: Home, player: str) -> None:
    """Use the media browser in another language, of Home Assistant and of the user."""
    everything, folder, heading = WORDS
    await home.ask("config/core/update", language=LANGUAGE)
    data = {"language": LANGUAGE, "number_format": "language"}
    await home.ask("frontend/set_user_data", key="language", value=data)
    await page.evaluate("delete localStorage.selectedLanguage")
    await page.goto(f"{home.url}/media-browser/{player}")
    await expect(media(page, everything)).to_be_visible()
    await media(page, folder).click()
    await media(page, EXHIBITION).click()
    await expect(page.locator(f"{MEDIA} h1")).to_have_text(f"{heading}: {EXHIBITION}")


@asynccontextmanager
async def announcer() -> AsyncIterator[AsyncZeroconf]:
    """Announce on the machine's network: Home Assistant does not listen on loopback."""
    zeroconf = AsyncZeroconf(
        interfaces=InterfaceChoice.Default, ip_version=IPVersion.V4Only
    )
    yield zeroconf
    await zeroconf.async_close()


def with_servers(folder: Path, catalog: str, feed: str) -> Path:
    """Copy the integration into a configuration, with other servers than the vendor's."""
    copy = folder / "custom_components"
    shutil.copytree(ROOT / copy.name, copy)
    const = copy / "dp1" / "const.py"
    text = const.read_text()
    for before, after in ((DEFAULT_CATALOG_URL, catalog), (DEFAULT_FEED_URL, feed)):
        assert f'"{before}"' in text
        text = text.replace(f'"{before}"', f'"{after}"')
    const.write_text(text)
    picture_folder(folder)
    return folder


@asynccontextmanager
async def house(
    folder: Path,
) -> AsyncIterator[
    tuple[Home, Browser, DisplaySimulator, CatalogSimulator, FeedSimulator]
]:
    """Run everything: one Home Assistant and one browser for the whole evening."""
    async with (
        CatalogSimulator() as catalog,
        FeedSimulator("signed") as feed,
        announcer() as zeroconf,
        DisplaySimulator(
            profile="B", device_id="FF1-E2E00001", name=NAME, zeroconf=zeroconf
        ) as display,
        Home(with_servers(folder, catalog.url, feed.url)) as home,
        browser() as chromium,
    ):
        # A display checks every work before it shows them, and the simulator would have to draw each one.
        display.caster.preflight = False
        assert catalog.data.series_count  # Drawn now instead of during a click
        yield home, chromium, display, catalog, feed


@pytest.mark.usefixtures("expected_lingering_timers")
@pytest.mark.parametrize("expected_lingering_timers", [True])
async def test_an_evening(tmp_path: Path) -> None:
    """A person adds a display and a library, hangs art in every way, lives with the card and opens all dialogs; nothing of ours complains."""
    async with house(tmp_path) as (home, chromium, display, catalog, feed):
        page = await signed_in(chromium, home)
        watch = Watch(page, home)
        person = Person(page, home)
        await choose_at_once(person, display)
        await discover(person, display)
        await add_library(person, catalog.url, feed.url)
        await hang_an_exhibition(person, display)
        player = await find_player(home)
        await search_and_play(page, home, player)
        await use_built_in_cards(chromium, page, home, display, player)
        await page.goto(f"{home.url}/profile")
        await try_the_card(home, chromium, display, player)
        await live_with_it(home, chromium, display, player, feed)
        await open_all(home, chromium)
        await speak(page, home, player)
        assert not [text for text in watch.complaints if "dp1" in text]
        assert not [
            line for line in home.log.splitlines() if "ERROR" in line and "dp1" in line
        ]
