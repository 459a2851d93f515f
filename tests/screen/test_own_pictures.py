"""Test five hundred own pictures on a screen, seen in a real browser."""

from collections.abc import AsyncIterator
import os
from pathlib import Path
from shutil import rmtree

from playwright.async_api import expect
import pytest
from pytest_homeassistant_custom_component.typing import ClientSessionGenerator

from custom_components.dp1.screen.pairing import Screens
from homeassistant.const import EVENT_HOMEASSISTANT_STOP
from homeassistant.core import HomeAssistant

from ..displays import state_of, until
from ..e2e.browser import CHROMIUM, browser
from ..photos import FOLDER, Photos, PhotosView
from ..playback.test_albums import KEY, MANY, album, jpeg, many
from .pages import open_page, pair, until_pixel

pytestmark = [
    pytest.mark.usefixtures("socket_enabled", "mdns"),
    pytest.mark.timeout(240),
    pytest.mark.skipif(not CHROMIUM, reason="DP1_CHROMIUM names no browser"),
]

PLAYER = "media_player.tablet"
# As JPEG has them.
LIME, BLUE = (0, 255, 1), (0, 0, 254)


@pytest.fixture
async def home(
    screens: Screens, hass_client_no_auth: ClientSessionGenerator
) -> AsyncIterator[str]:
    """Return the address of Home Assistant, which sends pictures of another source, too."""
    screens.hass.http.register_view(PhotosView())
    client = await hass_client_no_auth()
    yield str(client.make_url("")).rstrip("/")
    screens.hass.bus.async_fire(EVENT_HOMEASSISTANT_STOP)
    await screens.hass.async_block_till_done()


@pytest.mark.parametrize("is_local", [True, False])
async def test_on_a_screen(
    hass: HomeAssistant, screens: Screens, home: str, tmp_path: Path, is_local: bool
) -> None:
    """The newest is seen first and then the next, also after a restart; a new one comes before them."""
    # The source has this mapping.
    hass.config.media_dirs["local"] = str(tmp_path)
    await hass.config.async_update(internal_url=home)
    own = {"IMG_1.jpg": jpeg("blue", 40, 30), **many()}
    Photos(hass, own)
    folder = tmp_path / "Holiday"
    folder.mkdir()
    for age, name in enumerate(own):
        (folder / name).write_bytes(own[name])
        os.utime(folder / name, (1e9 - age, 1e9 - age))
    async with browser() as chromium:
        page = await open_page(chromium, home)
        screen = await pair(page, screens)
        entries = hass.config_entries
        entry = entries.async_entry_for_domain_unique_id("dp1", screen.device_id)
        assert entry is not None
        await entries.async_setup(entry.entry_id)
        source = "media-source://media_source/local/Holiday" if is_local else FOLDER

        async def show() -> None:
            data = {"media_content_id": source, "media_content_type": ""}
            await hass.services.async_call(
                "media_player", "play_media", {"entity_id": PLAYER, **data}, True
            )

        await show()
        await until_pixel(page, BLUE)
        works = state_of(hass, PLAYER).attributes["dp1"]["works"]
        # Another source serves its HEIC as JPEG.
        assert works == 1 + (4 * MANY // 5 if is_local else MANY)
        for _ in range(2):
            screen.player.step()
        await until_pixel(page, LIME)
        await entries.async_reload(entry.entry_id)
        await page.reload()
        await until_pixel(page, LIME)
        # The list is read again.
        rmtree(folder)
        folder.mkdir()
        for name in ("IMG_1.jpg", "Walk 1.jpg"):
            content = own[name]
            (folder / name).write_bytes(content)
        for name in [*own]:
            if name not in ("IMG_1.jpg", "Walk 1.jpg"):
                del own[name]
        os.utime(folder / "IMG_1.jpg", (1, 1))
        own["IMG_1.jpg"] = own.pop("IMG_1.jpg")
        await show()
        await until(
            lambda: state_of(hass, PLAYER).attributes["dp1"]["works"] == len(own)
        )
        await until_pixel(page, LIME)
        screen.player.step()
        await until_pixel(page, BLUE)
        await page.close()
        await until(lambda: not screen.pages)
        await entries.async_unload(entry.entry_id)


@pytest.mark.parametrize("is_wide", [True, False])
async def test_two_at_a_time(
    hass: HomeAssistant, screens: Screens, home: str, tmp_path: Path, is_wide: bool
) -> None:
    """Of two photos in one page a tap is about the one that is tapped; what is hidden takes no other along."""
    hass.config.media_dirs["local"] = str(tmp_path)
    await hass.config.async_update(internal_url=home)
    (tmp_path / "Holiday").mkdir()
    for name, color in (("Alder", "blue"), ("Birch", "lime"), ("Cedar", "blue")):
        (tmp_path / "Holiday" / f"{name}.jpg").write_bytes(jpeg(color, 30, 40))
    library = (await album(hass, pairs=True)).runtime_data
    async with browser() as chromium:
        page = await open_page(chromium, home)
        wide, high = (1000, 600) if is_wide else (600, 1000)
        await page.set_viewport_size({"width": wide, "height": high})
        screen = await pair(page, screens)
        entries = hass.config_entries
        entry = entries.async_entry_for_domain_unique_id("dp1", screen.device_id)
        assert entry is not None
        await entries.async_setup(entry.entry_id)
        data = {
            "media_content_id": f"media-source://dp1/{library.entry_id}/album/{KEY}"
        }
        data |= {"entity_id": PLAYER, "media_content_type": ""}
        await hass.services.async_call("media_player", "play_media", data, True)
        first, second = (wide // 4, high // 2), (wide * 3 // 4, high // 2)
        if not is_wide:
            first, second = (wide // 2, high // 4), (wide // 2, high * 3 // 4)
        await until_pixel(page, BLUE, *first)
        await until_pixel(page, LIME, *second)
        await expect(page.locator("#label b")).to_have_text("Alder · Birch")
        heart, eye = page.locator("#favorite"), page.locator("#hide")
        await page.mouse.click(*second)
        await heart.click()
        await expect(heart).to_have_class("on")
        await page.mouse.click(*first)
        await expect(heart).to_have_class("")
        await page.mouse.click(*second)
        screen._taps.extend((-1.0, -1.0))
        await eye.click()
        line = page.locator("#line")
        await expect(line).to_have_text("Tap again, and Birch is never shown again.")
        liked = (await library.async_children("favorites")).nodes
        assert [it.title for it in liked] == ["Birch"]
        await eye.click()
        await expect(page.locator("#label b")).to_have_text("Alder · Cedar")
        hidden = (await library.async_children("hidden")).nodes
        assert [it.title for it in hidden] == ["Birch"]
        assert not (await library.async_children("favorites")).nodes
