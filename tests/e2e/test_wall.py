"""What hangs on the wall, as the page of the simulated player shows it in a real browser."""

from base64 import b64decode
from pathlib import Path
from typing import Any

from playwright.async_api import Browser, FrameLocator, Page, expect
import pytest

from scripts.demo_run import add_by_address, device_id, find_player

from .browser import CHROMIUM, browser
from .home import Home

from tests.client.scripted_server import Reply, ScriptedServer
from tests.simulators.display import DisplaySimulator

# Displays are announced to every test on the network.
pytestmark = [
    pytest.mark.e2e,
    pytest.mark.usefixtures("socket_enabled"),
    pytest.mark.timeout(240),
    pytest.mark.xdist_group("network"),
    pytest.mark.skipif(not CHROMIUM, reason="DP1_CHROMIUM names no browser"),
]

FILM = Path(__file__).with_name("film.js").read_text()
DOOR = "<body style='background:#865;color:#fd8;font:9vw sans-serif'>Front door &#9679;"
PAGE = b"<!doctype html><body style='background:#123;color:#fff;font:9vw serif'>Low tide at noon"


async def film(chromium: Browser) -> bytes:
    page = await chromium.new_page()
    return b64decode(await page.evaluate(FILM))


async def add_camera(home: Home, picture: Path) -> str:
    """Add a camera that gives one picture, and return its entity."""
    flow = await home.flow("local_file")
    result = await home.step(flow["flow_id"], {"file_path": str(picture)})
    assert result["type"] == "create_entry", result

    async def found() -> str | None:
        states = await home.states("camera")
        return states[0]["entity_id"] if states else None

    return str(await home.until(found, 30, "the camera"))


class Wall:
    """A display with its page, and what Home Assistant plays on it."""

    def __init__(self, home: Home, page: Page, player: str, shots: Path) -> None:
        """Initialize for a display."""
        self.home = home
        self.page = page
        self.player = player
        self.shots = shots

    async def play(self, media_id: str, kind: str) -> None:
        """Play a medium, and wait until the player has a work of a kind."""
        data = {
            "entity_id": self.player,
            "media_content_id": media_id,
            "media_content_type": kind,
        }
        await self.home.call("media_player.play_media", data)

    async def save(self, name: str) -> None:
        """Keep a picture of the wall."""
        await self.page.wait_for_timeout(500)
        await self.page.screenshot(path=self.shots / f"{name}.png")

    def frame(self) -> FrameLocator:
        return self.page.frame_locator("iframe#work")


async def test_a_film_a_camera_and_a_page(tmp_path: Path) -> None:
    """A film of the home plays, a camera shows its stream, and a page of elsewhere stands in its frame."""
    folder = tmp_path / "config"
    media = folder / "media"
    media.mkdir(parents=True)
    async with (
        browser() as chromium,
        ScriptedServer.run(Reply(200, PAGE)) as elsewhere,
        DisplaySimulator(device_id=device_id(folder), name="Salon") as display,
    ):
        (media / "rings.webm").write_bytes(await film(chromium))
        async with Home(folder) as home:
            await add_by_address(home, display)
            page = await chromium.new_page(viewport={"width": 960, "height": 540})
            door = media / "door.png"
            await page.set_content(DOOR)
            await page.screenshot(path=door)
            await page.goto(f"{display.url}/simulator/")
            camera = await add_camera(home, door)
            wall = Wall(home, page, await find_player(home), tmp_path)

            local = "media-source://media_source/local"
            await wall.play(f"{local}/rings.webm", "video/webm")
            video = page.locator("video#work")
            await expect(video).to_have_js_property("readyState", 4)
            await wall.save("film")
            played: Any = await video.evaluate("video => [video.paused, video.error]")
            assert played == [False, None]
            assert display.sees == "video"

            await wall.play(f"media-source://camera/{camera}", "image/jpeg")
            still = wall.frame().locator("img")
            await expect(still).to_have_js_property("naturalWidth", 960)
            await wall.save("camera")

            await wall.play(f"{elsewhere.url}/tide", "web")
            await expect(wall.frame().locator("body")).to_have_text("Low tide at noon")
            await wall.save("page")
            assert display.sees == "web"
