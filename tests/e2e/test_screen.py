"""A browser as a display: paired, cast to, asleep, and back after its own reload and a restart of Home Assistant."""

from base64 import b64encode
from pathlib import Path
import re
import signal
from typing import Any
from uuid import uuid4

from playwright.async_api import Browser, Page, expect
import pytest

from .browser import CHROMIUM, browser
from .home import Home
from .test_wall import film

from tests.client.scripted_server import Reply, ScriptedServer
from tests.displays import until

pytestmark = [
    pytest.mark.e2e,
    pytest.mark.usefixtures("socket_enabled"),
    pytest.mark.timeout(480),
    pytest.mark.xdist_group("network"),
    pytest.mark.skipif(not CHROMIUM, reason="DP1_CHROMIUM names no browser"),
]

TABLET = "media_player.tablet"
# Reads its parent, and its own storage, and says on its page what it got.
INTRUDER = b"""<!doctype html><body><p id="loot">nothing</p><script>
const loot = [];
for (const look of [() => parent.document.body.innerHTML, () => parent.localStorage["dp1-screen"],
  () => localStorage.length, () => document.cookie, () => top.location.href])
  try { loot.push(String(look())); } catch { loot.push("refused"); }
document.getElementById("loot").textContent = loot.join();
</script>"""


def picture(color: str) -> str:
    svg = f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 4 3"><rect width="4" height="3" fill="{color}"/></svg>'
    return f"data:image/svg+xml;base64,{b64encode(svg.encode()).decode()}"


def work(title: str, source: str, **more: Any) -> dict[str, Any]:
    manifest = {"metadata": {"title": title, "artists": [{"name": "Marguerite Osei"}]}}
    return {"title": title, "source": source, "inlineManifest": manifest, **more}


async def open_screen(chromium: Browser, home: Home) -> Page:
    """Open the page in a browser of tablet size."""
    page = await chromium.new_page(viewport={"width": 1024, "height": 768})
    await page.goto(f"{home.url}/dp1/screen")
    return page


async def pair(home: Home, page: Page, name: str = "Tablet") -> None:
    """Add the browser as a display, as a person does."""
    shown = page.locator("#code")
    await expect(shown).to_have_text(re.compile(r"\d{3} \d{3}"))
    code = await shown.inner_text()
    flow = await home.flow("dp1")
    await home.step(flow["flow_id"], {"next_step_id": "screen"})
    result = await home.step(flow["flow_id"], {"code": code, "name": name})
    assert result["type"] == "create_entry", result


async def state_is(home: Home, wanted: str, entity_id: str = TABLET) -> None:
    async def reached() -> bool:
        state = await home.state(entity_id)
        return state is not None and state["state"] == wanted

    await home.until(reached, 45, f"{entity_id} to be {wanted}")


async def cast(home: Home, *items: dict[str, Any], **more: Any) -> None:
    """Cast works."""
    works = [{"id": str(uuid4()), **item} for item in items]
    playlist = {"dpVersion": "1.1.0", "title": "Evening", "items": works}
    data = {"entity_id": TABLET, "playlist": playlist, **more}
    await home.call("dp1.cast_playlist", data)


async def test_a_tablet(tmp_path: Path) -> None:
    """A tablet shows pictures, films and pages, and goes on where it was."""
    folder = tmp_path / "config"
    async with (
        browser() as chromium,
        ScriptedServer.run(Reply(200, INTRUDER)) as elsewhere,
    ):
        rings = f"data:video/webm;base64,{b64encode(await film(chromium)).decode()}"
        async with Home(folder) as home:
            # As somebody who has no display yet: the page is there once the dialog is.
            flow = await home.flow("dp1")
            await home.step(flow["flow_id"], {"next_step_id": "screen"})
            page = await open_screen(chromium, home)
            await pair(home, page)
            await state_is(home, "idle")

            red, green = work("Red", picture("#c22")), work("Green", picture("#2a4"))
            await cast(home, red, green)
            shown = page.locator(".work.on")
            await expect(shown.locator("img")).to_have_attribute("src", red["source"])
            await state_is(home, "playing")
            state = await home.state(TABLET)
            assert state is not None
            assert state["attributes"]["media_title"] == "Red"
            assert state["attributes"]["media_artist"] == "Marguerite Osei"
            await page.screenshot(path=tmp_path / "red.png")

            await home.call("media_player.media_next_track", {"entity_id": TABLET})
            await expect(
                page.locator(f".work.on img[src='{green['source']}']")
            ).to_be_visible()

            await page.reload()
            await expect(shown.locator("img")).to_have_attribute("src", green["source"])

            await home.call("media_player.turn_off", {"entity_id": TABLET})
            await expect(page.locator(".work")).to_have_count(0)
            await state_is(home, "off")
            await home.call("media_player.turn_on", {"entity_id": TABLET})
            await expect(shown.locator("img")).to_have_attribute("src", green["source"])

            await cast(
                home, work("Rings", rings), work("Page", f"{elsewhere.url}/page.html")
            )
            video = shown.locator("video")
            await expect(video).to_have_js_property("readyState", 4)
            assert await video.evaluate("video => [video.paused, video.muted]") == [
                False,
                True,
            ]

            await home.call("media_player.media_next_track", {"entity_id": TABLET})
            frame = page.frame_locator(".work.on iframe")
            await expect(frame.locator("#loot")).to_have_text(
                "refused,refused,refused,refused,refused"
            )

            # Killed once a cast is saved, it goes on with that.
            blue = work("Blue", picture("#36c"))
            await cast(home, red, blue, start_at=2)
            saved = home.folder / ".storage/dp1.screens"
            await until(lambda: "Blue" in saved.read_text())
            await expect(shown.locator("img")).to_have_attribute("src", blue["source"])
            await home.stop(signal.SIGKILL)
            # The work before may be there while it fades.
            await page.evaluate(
                "document.querySelector('.work.on:has(img)').id = 'same'"
            )
            await home.start()
            await state_is(home, "playing")
            state = await home.state(TABLET)
            assert state is not None
            assert state["attributes"]["media_title"] == "Blue"
            image = page.locator("#same img")
            await expect(image).to_have_attribute("src", blue["source"])
            await page.close()
            await state_is(home, "unavailable")
