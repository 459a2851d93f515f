"""The dialogs of options and of what is in a library, everything in them can be read and tapped, and none is half empty."""

from collections.abc import AsyncIterator
import json
from pathlib import Path
from typing import Any

from playwright.async_api import Browser, Locator, Page, expect

from .boxes import expect_filled, expect_in_order
from .browser import signed_in, visit
from .card import PHONE, SIZES, SPEAK
from .home import Home

from tests.pictures import flat
from tests.sources import INTEGRATION

PAGE = "/config/integrations/integration/dp1"
DISPLAY, LIBRARY = "Salon", "Museum"
# Pixels of the smallest button in a dialog of Home Assistant.
SMALLEST = 32


def texts_of(language: str) -> Any:
    """Return the texts in a language."""
    return json.loads((INTEGRATION / "translations" / f"{language}.json").read_text())


class Dialogs:
    """Dialogs that are opened one after the other, in a language."""

    def __init__(self, page: Page, language: str) -> None:
        """Initialize with a page that is signed in."""
        self.page = page
        self.dialog = page.locator("dialog-data-entry-flow")
        self.texts = texts_of(language)
        self._language = language

    async def all(self) -> AsyncIterator[str]:
        """Open each dialog, and yield what it is called."""
        # The page asks for its texts when it is opened.
        await self.page.evaluate(SPEAK, self._language)
        await visit(self.page, PAGE)
        options = self.texts["options"]["step"]
        await self._gear(DISPLAY).click()
        await self._is_open(options["init"]["title"])
        yield "options of a display"
        await self._close()
        for step, name in options["library"]["menu_options"].items():
            await self._gear(LIBRARY).click()
            await self._is_open(options["library"]["title"])
            if step == next(iter(options["library"]["menu_options"])):
                yield "options of a library"
            await self._text(name).click()
            await self._is_open(options[step]["title"])
            yield f"options: {step}"
            await self._close()
        for kind, own in self.texts["config_subentries"].items():
            button = self.page.get_by_role(
                "button", name=own["initiate_flow"]["user"], exact=True
            )
            await button.click()
            await self._is_open(own["step"]["user"]["title"])
            yield kind
            await self._close()

    def _text(self, name: str) -> Locator:
        """Return what has a text in the dialog."""
        return self.dialog.get_by_text(name, exact=True).first

    def _gear(self, title: str) -> Locator:
        """Return the button that opens the options of an entry, after the one that folds it."""
        row = self.page.locator("ha-config-entry-row").filter(has_text=title)
        return row.locator("ha-icon-button").nth(1)

    async def _is_open(self, title: str) -> None:
        """Wait for a step, and open its sections."""
        await expect(self._text(title)).to_be_visible()
        for section in await self.dialog.locator("ha-expansion-panel").all():
            await section.locator("#summary").click()

    async def _close(self) -> None:
        """Close the dialog, by the button before its title."""
        await self.dialog.locator("ha-icon-button").first.click()
        await expect(self.dialog.locator("dialog[open]")).to_have_count(0)


def picture_folder(folder: Path) -> None:
    """Write a folder of pictures that an album can be made of."""
    holidays = folder / "media" / "Holidays"
    holidays.mkdir(parents=True)
    (holidays / "sea.png").write_bytes(flat("PNG"))


async def open_all(home: Home, chromium: Browser) -> None:
    """Nothing lies over something else, is cut or too small in any dialog, in the language with the longest words."""
    page = await signed_in(chromium, home, sidebar="always_hidden")
    await page.goto(f"{home.url}/config/integrations/dashboard")
    await page.locator("ha-integration-card").first.wait_for()
    count = 0
    async for _ in Dialogs(page, "de").all():
        count += 1
        for width, height in SIZES:
            await page.set_viewport_size({"width": width, "height": height})
            await expect_in_order(page, "ha-", SMALLEST)
            if width > PHONE:
                await expect_filled(page)
    assert count == 12
    await page.context.close()
