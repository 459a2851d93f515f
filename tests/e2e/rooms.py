"""Living with the card: on a tablet and a phone, by keyboard, asleep, and with two displays."""

import re

from playwright.async_api import Browser, Locator, Page, expect

from scripts.demo_run import GALLERY, add_by_address

from .boxes import expect_in_order
from .browser import signed_in, visit
from .card import CARD, EXHIBITION, OTHER, dashboard, violations
from .home import Home

from tests.simulators.display import DisplaySimulator
from tests.simulators.feed import FeedSimulator

PHONE = (390, 844)
TABLET = (1280, 800)
PUBLIC_WORK = "https://art.example/dusk.png"
# Home Assistant itself gives no name to the button around a tile and to the slider in it.
NAMELESS = {"aria-command-name", "aria-input-field-name"}
PUBLISHED = {
    "Dawn": "https://art.example/dawn.png",
    "Noon": "https://art.example/noon.png",
}


DEEPEST_FOCUS = """() => {
  let it = document.activeElement;
  while (it?.shadowRoot?.activeElement) it = it.shadowRoot.activeElement;
  return it && (it.title || it.ariaLabel || it.textContent || it.localName);
}"""


def sources_of(feed: FeedSimulator, document: str) -> list[str]:
    return [item["source"] for item in feed.documents[document]["items"]]


class Room:
    """A browser in front of the card."""

    def __init__(
        self, page: Page, home: Home, display: DisplaySimulator, player: str
    ) -> None:
        """Enter the room."""
        self.page = page
        self.home = home
        self.display = display
        self.player = player
        self.card = page.locator(CARD).first

    def button(self, name: str) -> Locator:
        return self.card.get_by_role("button", name=name, exact=True)

    async def look(self, size: tuple[int, int], path: str) -> None:
        """Open a page in a window of this size, and see the work there."""
        width, height = size
        await self.page.set_viewport_size({"width": width, "height": height})
        await visit(self.page, path)
        await expect(self.card.locator(".picture img")).to_be_visible()

    async def hang(self) -> None:
        """Hang the exhibition, and wait until the card shows it."""
        show = {"entity_id": self.player, "exhibition": EXHIBITION}
        await self.home.call("dp1.cast_playlist", show)
        await expect(self.card.locator(".exhibition")).to_have_text(EXHIBITION)
        await expect(self.card.locator(".place")).to_have_text("1 of 48")

    async def phone(self) -> None:
        """On a phone, everything can be tapped, and the exhibitions fill the screen."""
        await self.look(PHONE, "/wall-labels/card")
        await expect(self.card).to_have_attribute("size", "label")
        await expect_in_order(self.page)
        # By Home Assistant's own handler of actions.
        await self.card.locator(".picture").click(delay=700)
        await expect(self.card.locator(".menu")).to_be_visible()
        await self.page.keyboard.press("Escape")
        await self.button("Choose art").click()
        dialog = self.page.locator("dp1-chooser dialog")
        await expect(dialog.get_by_role("listitem").nth(3)).to_be_visible()
        box = await dialog.bounding_box()
        assert box and box["x"] >= 0 and box["x"] + box["width"] <= PHONE[0]
        await expect_in_order(self.page)
        await self.page.keyboard.press("Escape")

    async def tab_to(self, wanted: Locator) -> None:
        """Press the Tab key until something has the focus."""
        visited = []
        for _ in range(60):
            if await wanted.evaluate("it => it.matches(':focus')"):
                return
            await self.page.keyboard.press("Tab")
            visited.append(await self.page.evaluate(DEEPEST_FOCUS))
        raise AssertionError(f"the Tab key does not lead to {wanted}: {visited}")

    async def keyboard(self) -> None:
        """With a keyboard alone, also after a long press, choose what is found by a search."""
        press = self.page.keyboard.press
        await self.look(TABLET, "/wall-labels/card")
        await self.hang()
        choose = self.button("Choose art")
        await self.tab_to(choose)
        await press("Enter")
        dialog = self.page.locator("dp1-chooser")
        await expect(dialog.get_by_role("searchbox")).to_be_focused()
        # What is offered before the search could have the focus when it is replaced.
        offered = dialog.get_by_title(EXHIBITION, exact=True)
        await expect(offered).to_have_count(1)
        await self.page.keyboard.insert_text("neat evil")
        await expect(offered).to_have_count(0)
        found = dialog.get_by_title(OTHER, exact=True).first
        await expect(found).to_be_visible()
        await self.tab_to(found)
        await press("Enter")
        await expect(self.card.locator(".exhibition")).to_have_text(OTHER)
        await expect(choose).to_be_focused()

    async def asleep(self) -> None:
        """Asleep, the last work is dimmed, also on a page that is opened now; an exhibition can be chosen."""
        await self.look(TABLET, "/wall-labels/wall")
        await self.button("Sleep").click()
        await expect(self.card.locator(".status span")).to_have_text("Asleep")
        await self.page.reload()
        image = self.card.locator(".picture img")
        await expect(image).to_be_visible()
        await expect(image).to_have_css("filter", re.compile("brightness"))
        await expect(self.button("Wake")).to_be_visible()
        await expect_in_order(self.page)
        await self.button("Choose art").click()
        dialog = self.page.locator("dp1-chooser")
        await dialog.get_by_title(EXHIBITION, exact=True).click()
        await expect(self.card.locator(".exhibition")).to_have_text(EXHIBITION)
        assert not self.display.state.asleep

    async def two(self) -> None:
        """Two displays have a section each, and one shows what the other does."""
        async with DisplaySimulator(
            profile="B", device_id="FF1-E2E00002", name="Studio"
        ) as studio:
            studio.caster.preflight = False
            await add_by_address(self.home, studio)
            await self.look(TABLET, "/wall-labels/card")
            await self.home.dashboard("all-displays", "Art gallery", GALLERY)
            await self.page.goto(f"{self.home.url}/all-displays/gallery")
            # Above them is the strip in which one is chosen.
            await expect(self.page.locator(f"{CARD}[size=strip]")).to_have_count(2)
            labels = self.page.locator(f"{CARD}[size=label]")
            await expect(labels).to_have_count(2)
            headings = self.page.locator("hui-heading-card")
            await expect(headings).to_have_text(["Salon", "Studio"])
            more = labels.first.get_by_role("button", name="More", exact=True)
            await more.click()
            together = labels.first.get_by_role(
                "menuitemcheckbox", name="Together with Studio"
            )
            await expect_in_order(self.page)
            await together.click()
            other = labels.nth(1)
            await expect(other.locator(".exhibition")).to_have_text(EXHIBITION)
            assert studio.state.playlist_title == EXHIBITION
            await more.click()
            await expect(together).to_have_attribute("aria-checked", "true")
            await together.click()
            await more.click()
            await expect(together).to_have_attribute("aria-checked", "false")
            await self.page.keyboard.press("Escape")
            for entry in await self.home.ask("config_entries/get", domain="dp1"):
                if entry["title"] == "Studio":
                    path = f"/api/config/config_entries/entry/{entry['entry_id']}"
                    await self.home.delete(path)

    async def publish(self, feed: FeedSimulator) -> None:
        """What hangs, with two works added from elsewhere, is published once that is confirmed, and can be removed."""
        before = set(feed.documents)
        for title, source in PUBLISHED.items():
            playlist = {"title": title, "media": [source]}
            await self.home.call("dp1.publish_playlist", playlist)
        # The works of the exhibition have addresses of this home, which are not published.
        show = {"media_content_id": PUBLIC_WORK, "media_content_type": "image/png"}
        await self.home.call(
            "media_player.play_media", {"entity_id": self.player, **show}
        )
        await visit(self.page, "/wall-labels/card")
        await self.button("Choose art").click()
        chooser = self.page.locator("dp1-chooser")
        for title in PUBLISHED:
            await chooser.get_by_role("searchbox").fill(title)
            name = f"More about {title}"
            await chooser.get_by_role("button", name=name, exact=True).first.click()
            add = chooser.get_by_role("menuitem", name="Add to what is shown")
            await add.click()
            status = chooser.get_by_role("status")
            await expect(status).to_have_text(f"Added: {title}")
        await chooser.get_by_role("button", name="Close").click()
        await expect(self.card.locator(".place")).to_have_text("1 of 3")
        await visit(self.page, "/all-displays/settings")
        tile = self.page.locator("hui-tile-card").filter(has_text="Publish what is")
        found = await violations(self.page, "hui-")
        assert {line.partition(":")[0] for line in found} <= NAMELESS
        dialog = self.page.get_by_role("dialog")
        known = set(feed.documents)
        await tile.click()
        await expect(dialog.locator(".thumb")).to_have_count(3)
        await dialog.get_by_role("button", name="Publish", exact=True).click()
        address = dialog.get_by_label("Share its address")
        await expect(address).to_have_value(re.compile(re.escape(feed.url)))
        await dialog.get_by_role("button", name="Close").click()

        async def published() -> set[str]:
            return set(feed.documents) - known

        (document,) = await self.home.until(published, 20, "the published playlist")
        assert sources_of(feed, document) == [PUBLIC_WORK, *PUBLISHED.values()]
        for playlist_id in set(feed.documents) - before:
            await self.home.call("dp1.delete_playlist", {"playlist_id": playlist_id})


async def live_with_it(
    home: Home,
    chromium: Browser,
    display: DisplaySimulator,
    player: str,
    feed: FeedSimulator,
) -> None:
    """See the card in each room, with one page for all."""
    page = await signed_in(chromium, home, *TABLET, sidebar="always_hidden")
    url = await home.dashboard("wall-labels", "Labels", dashboard(player))
    await page.goto(f"{url}/card")
    room = Room(page, home, display, player)
    await room.hang()
    await room.phone()
    await room.keyboard()
    await room.asleep()
    await room.two()
    await room.publish(feed)
