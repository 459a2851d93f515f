"""Trying the wall label card: in its three sizes, its editor, light and dark, on a tablet and on a phone."""

import json
import re
from typing import Any

from axe_playwright_python.async_playwright import Axe
from playwright.async_api import (
    Browser,
    FilePayload,
    Locator,
    Page,
    Request,
    Route,
    expect,
)

from scripts.demo_run import GALLERY

from .boxes import expect_filled, expect_in_order
from .browser import PATIENCE, signed_in, visit
from .home import Home

from tests.pictures import flat
from tests.simulators.display import DisplaySimulator
from tests.sources import INTEGRATION

EXHIBITION = "Twenty Kinds of Weather"
OTHER = "Net Evil"
CARD = "dp1-wall-label-card"
expect.set_options(timeout=PATIENCE)
BUNDLE_SECONDS = 1.5
SIZES = ((360, 740), (1024, 600), (1280, 800))
PHONE = 360
# English is what all else is seen in.
LANGUAGES = ("de", "ja")
# Speaks another language, as the profile of a user does.
SPEAK = """language => document.querySelector("home-assistant")._selectLanguage(language, false)"""
# Landmarks are the page's, and a list of everything that is right takes long to make.
CHECKS = {"rules": {"region": {"enabled": False}}, "resultTypes": ["violations"]}
# Icons of Home Assistant's own integrations come from the internet. What was next may have changed before a slow browser
# asks for its picture, or its display may be gone.
EXPECTED = re.compile(r"/api/brands/|40[14].*/picture/dp1://next/")


def dashboard(player: str) -> dict[str, Any]:
    """Lay out the card in its sizes."""
    card = {"type": f"custom:{CARD}", "entity": player}
    small = {**card, "grid_options": {"columns": 4}}
    low = {**card, "grid_options": {"columns": 4, "rows": 3}}
    column = {"type": "grid", "cards": [card]}
    tiles = {"type": "grid", "cards": [small, low]}
    return {
        "views": [
            {
                "title": "Card",
                "path": "card",
                "type": "sections",
                "sections": [column, tiles],
            },
            {"title": "Wall", "path": "wall", "type": "panel", "cards": [card]},
        ]
    }


class Watch:
    """What a page asks other hosts for, and what it complains of."""

    def __init__(self, page: Page, home: Home) -> None:
        """Start watching."""
        self._home = home
        self.requests: list[str] = []
        self.complaints: list[str] = []
        page.on("request", self._request)
        page.on("pageerror", lambda error: self.complaints.append(str(error)))
        page.on("console", lambda message: self._console(message))

    def _request(self, request: Request) -> None:
        """Note a request to another host."""
        if not request.url.startswith((self._home.url, "data:", "blob:")):
            self.requests.append(request.url)

    def _console(self, message: Any) -> None:
        text = f"{message.text} {message.location.get('url', '')}"
        if message.type in {"error", "warning"} and not EXPECTED.search(text):
            self.complaints.append(text)


async def violations(page: Page, own: str = "dp1-") -> list[str]:
    """Return what a checker of accessibility finds in the card, or in other elements."""
    results = await Axe().run(page, options=CHECKS)
    return [
        f"{violation['id']}: {node['html']} {node['failureSummary']}"
        for violation in results.response["violations"]
        for node in violation["nodes"]
        if own in str(node["target"])
    ]


async def expect_accessible(page: Page) -> None:
    """Expect that the checker finds nothing in the card."""
    found = await violations(page)
    assert not found, found


async def hang(home: Home, player: str) -> str:
    await home.call(
        "dp1.cast_playlist",
        {
            "entity_id": player,
            "exhibition": EXHIBITION,
            "start_at": 3,
            "item_duration": 3600,
        },
    )
    return await home.dashboard("wall-labels", "Labels", dashboard(player))


async def use(page: Page, card: Locator, display: DisplaySimulator) -> None:
    """Do with the card what a person does, and see it on the display."""
    title = card.locator(".title")
    await expect(title).to_have_text(display.state.current_title or "")
    await expect(card.locator(".artist")).not_to_be_empty()
    await expect(card.locator(".facts")).to_have_text(
        re.compile(r"^\w+ · Edition \d+ of \d+$")
    )
    await expect(card.locator(".exhibition")).to_have_text(EXHIBITION)
    await expect(card.locator(".place")).to_have_text("3 of 48")
    await expect(card.locator(".chain")).to_have_text("Ethereum")
    note = card.locator(".about .note")
    await expect(note).not_to_be_visible()
    await card.get_by_text("About this work").click()
    await expect(note).to_be_visible()
    await card.get_by_text("About this work").click()
    await card.get_by_role("button", name="Next track").click()
    await expect(card.locator(".place")).to_have_text("4 of 48")
    await expect(title).to_have_text(display.state.current_title or "")
    heart = card.get_by_role("button", name="Favorite")
    await expect(heart).to_have_attribute("aria-pressed", "false")
    await heart.click()
    await expect(heart).to_have_attribute("aria-pressed", "true")
    await heart.press("Enter")
    await expect(heart).to_have_attribute("aria-pressed", "false")
    coming = card.get_by_role("listitem").nth(2)
    wanted = display.state.items[6]["title"]
    await expect(coming.locator(".show")).to_have_text(wanted)
    await expect(coming.locator("img")).to_have_js_property("complete", True)
    await coming.locator(".show").click()
    await expect(title).to_have_text(wanted)
    await expect(card.locator(".place")).to_have_text("7 of 48")
    await card.get_by_role("button", name="Show for…").click()
    await card.get_by_role("menuitem", name="15 minutes").click()
    await expect(card.locator(".place")).to_be_hidden()
    await expect(card.get_by_role("button", name="Next track")).to_be_hidden()
    await expect(title).to_have_text(wanted)
    await card.get_by_role("button", name="Sleep").click()
    await expect(card.locator(".status span")).to_have_text("Asleep")
    assert display.state.asleep
    await card.get_by_role("button", name="Wake").click()
    await expect(title).to_have_text(wanted)


async def edit(page: Page, url: str, player: str) -> None:
    """Add the card as a person does: by the display's name, with a preview, and its few options."""
    await page.goto(f"{url}?edit=1")
    await page.locator("hui-grid-section .add").first.click()
    picker = page.locator("hui-dialog-create-card")
    await picker.get_by_placeholder("Search entities").fill(player)
    await picker.get_by_text("Media player", exact=True).click()
    await expect(picker.locator(CARD)).to_be_visible()
    await picker.get_by_text("Wall label").first.click()
    await expect(page.locator(CARD)).to_have_count(4)
    await page.locator("hui-card-edit-mode").first.click()
    editor = page.locator("hui-dialog-edit-card")
    await expect(editor.locator(f"{CARD} .controls")).to_be_visible()
    await expect(editor.get_by_text("Hold behavior").first).to_be_visible()


async def hang_own_pictures(
    page: Page, card: Locator, display: DisplaySimulator
) -> None:
    """Hang two pictures at once, the one of a camera under the title that is typed, with a border."""
    files: list[FilePayload] = [
        {"name": name, "mimeType": "image/png", "buffer": flat("PNG", 40, 30)}
        for name in ("IMG_2041.png", "Our_cat.png")
    ]
    async with page.expect_file_chooser() as chooser:
        await card.get_by_role("button", name="Show a picture…").click()
    await (await chooser.value).set_files(files)
    dialog = page.get_by_role("dialog")
    await dialog.get_by_label("Title").fill("Holidays")
    await dialog.get_by_label("How it fills the display").select_option("With a mat")
    preview = dialog.locator("canvas")
    inner, outer = (
        await preview.bounding_box(),
        await dialog.locator(".preview").bounding_box(),
    )
    assert inner and outer and 0 < inner["width"] < outer["width"]
    await dialog.get_by_role("button", name="Show", exact=True).click()
    await expect(card.locator(".title")).to_have_text("Holidays")
    pictures = [(it["title"], it["display"]["margin"]) for it in display.state.items]
    assert pictures == [("Holidays", "6%"), ("Our cat", "6%")]


async def look_around(page: Page, home: Home, player: str) -> None:
    """Open the dashboard that makes itself, and hang an exhibition with a tap on a tile."""
    url = await home.dashboard("all-displays", "Art gallery", GALLERY)
    await page.goto(f"{url}/gallery")
    card = page.locator(CARD)
    await expect(card).to_have_count(1)
    rows = page.locator("dp1-highlights-card")
    new = rows.locator(".exhibitions .show").nth(1)
    title = await new.get_attribute("title")
    await new.click()
    await expect(card.locator(".exhibition")).to_have_text(title or "")
    await expect(rows.locator(".shown_lately .show").first).to_be_visible()
    await expect_accessible(page)
    for language in LANGUAGES:
        await page.evaluate(SPEAK, language)
        texts = (INTEGRATION / "translations" / f"{language}.json").read_text()
        words = json.loads(texts)["config_panel"]["card"]
        await expect(card.locator(".choose span")).to_have_text(words["choose"])
        await expect(rows.locator("h3").first).to_have_text(words["new"])
        for width, height in SIZES:
            await page.set_viewport_size({"width": width, "height": height})
            await expect_in_order(page)
            if width > PHONE:
                await expect_filled(page)
    await page.evaluate(SPEAK, "en")
    await visit(page, "/all-displays/settings")
    for text in ("Salon", "Scaling", "Check for new art"):
        await expect(page.get_by_text(text).first).to_be_visible()
    await expect_filled(page)
    await visit(page, f"/all-displays/{player.partition('.')[2]}")
    await expect(card).to_have_attribute("size", "wall")


async def try_the_card(
    home: Home, chromium: Browser, display: DisplaySimulator, player: str
) -> None:
    """See the work and change it, in each size; nothing complains."""
    url = await hang(home, player)
    page = await signed_in(chromium, home, 1280, 900)
    watch = Watch(page, home)

    async def hold(route: Route) -> None:
        """Let the card come before Home Assistant's own elements do."""
        await page.wait_for_timeout(BUNDLE_SECONDS * 1000)
        await route.continue_()

    await page.route("**/frontend_latest/app.*.js", hold)
    await page.goto(f"{url}/card")
    cards = page.locator(CARD)
    await expect(cards).to_have_count(3)
    sizes = [await card.get_attribute("size") for card in await cards.all()]
    assert sizes == ["label", "tile", "tile"]
    await use(page, cards.first, display)
    await expect_accessible(page)
    await page.emulate_media(color_scheme="dark")
    frame = cards.first.locator("ha-card")
    await expect(frame).not_to_have_css("background-color", "rgb(255, 255, 255)")
    await frame.evaluate(
        "card => Promise.all(card.getRootNode().getAnimations().map(it => it.finished))"
    )
    await expect_accessible(page)
    await hang_own_pictures(page, cards.first, display)
    show = {"entity_id": player, "exhibition": OTHER}
    await home.call("dp1.cast_playlist", show)
    await page.goto(f"{url}/wall")
    await expect(cards).to_have_attribute("size", "wall")
    await expect(cards.locator(".about .note")).to_be_visible()
    picture = await cards.locator(".picture").bounding_box()
    assert picture and picture["width"] > 600 and picture["height"] > 800
    await expect_accessible(page)
    await page.set_viewport_size({"width": 390, "height": 844})
    await expect(cards).to_have_attribute("size", "label")
    # Suggestions of Home Assistant's own complain, so nobody watches here.
    unwatched = await page.context.new_page()
    await look_around(unwatched, home, player)
    await edit(unwatched, f"{url}/card", player)
    assert not watch.complaints
    assert not watch.requests
    assert CARD not in home.log and "dp1-cards" not in home.log
    # What moves on a page is drawn for as long as it is open.
    await page.context.close()
