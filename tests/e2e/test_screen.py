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
from .card import EXHIBITION
from .home import Home
from .test_wall import film

from tests.client.scripted_server import Reply, ScriptedServer
from tests.displays import until
from tests.simulators.catalog.simulator import CatalogSimulator

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


async def test_evenings(tmp_path: Path) -> None:
    """The evenings in front of a display are the same in front of a screen."""
    folder = tmp_path / "config"
    async with (
        browser() as chromium,
        CatalogSimulator() as catalog,
        Home(folder) as home,
    ):
        flow = await home.flow("dp1")
        await home.step(flow["flow_id"], {"next_step_id": "screen"})
        page = await open_screen(chromium, home)
        await pair(home, page)
        await state_is(home, "idle")
        flow = await home.flow("dp1")
        await home.step(flow["flow_id"], {"next_step_id": "library"})
        values = {"catalog_url": catalog.url, "voice_sentences": True}
        result = await home.step(flow["flow_id"], {"name": "Gallery", **values})
        assert result["type"] == "create_entry"

        async def say(text: str) -> str:
            """Say something to Assist, and return its answer."""
            answer = await home.ask("conversation/process", text=text, language="en")
            return str(answer["response"]["speech"]["plain"]["speech"])

        async def attribute(name: str) -> Any:
            state = await home.state(TABLET)
            return state and state["attributes"].get(name)

        async def hangs() -> bool:
            return await attribute("media_album_name") == EXHIBITION

        async def offered() -> bool:
            """Return whether the exhibition is known."""
            return EXHIBITION in (await attribute("source_list") or ())

        await home.until(offered, 60, "the source list")

        # Asked for by voice; who made it is known to the label, too.
        async def shown() -> bool:
            """Ask for the exhibition, as the sentences may not be read yet."""
            return EXHIBITION in await say(f"show {EXHIBITION} on the tablet")

        await home.until(shown, 60, "the sentences")
        await home.until(hangs, 30, "the exhibition")
        artist = await attribute("media_artist")
        assert artist
        assert artist.split(",")[0] in await say("who made this on the tablet")
        selects = await home.states("select")
        label = next(
            s["entity_id"] for s in selects if "on" in s["attributes"]["options"]
        )
        await home.call("select.select_option", {"entity_id": label, "option": "on"})
        await expect(page.locator("#label.on")).to_contain_text(
            await attribute("media_title")
        )
        await page.screenshot(path=tmp_path / "label.png")

        # A picture for a moment, and back to the same work, still shuffled.
        await home.call(
            "media_player.shuffle_set", {"entity_id": TABLET, "shuffle": True}
        )
        await home.call("media_player.media_next_track", {"entity_id": TABLET})
        before = await attribute("media_title")
        door = picture("#fd8")
        await cast(home, work("Front door", door), show_for={"seconds": 3})
        await expect(page.locator(f".work.on img[src='{door}']")).to_be_visible()

        async def is_back() -> bool:
            return (await attribute("media_title"), await attribute("shuffle")) == (
                before,
                True,
            )

        await home.until(is_back, 30, "the work before")

        # Good night, whatever is cast meanwhile; ten minutes without a network are no night.
        await home.call("media_player.turn_off", {"entity_id": TABLET})
        await expect(page.locator(".work")).to_have_count(0)
        await home.call("media_player.turn_on", {"entity_id": TABLET})
        await expect(page.locator(".work.on")).to_have_count(1)
        await page.context.set_offline(True)
        await expect(page.locator(".work.on")).to_have_count(1)
        await page.context.set_offline(False)

        # Three screens show three works of one playlist, and next moves all of them.
        pages = {TABLET: page}
        for name in ("Hall", "Attic"):
            pages[f"media_player.{name.lower()}"] = await open_screen(chromium, home)
            await pair(home, pages[f"media_player.{name.lower()}"], name)
            await state_is(home, "idle", f"media_player.{name.lower()}")
        colors = ["#a41", "#483", "#448"]
        works = [work(color, picture(color)) for color in colors]
        await cast(home, *works, entity_id=[*pages], spread=True)
        members = {"entity_id": TABLET, "group_members": [*pages][1:]}
        await home.call("media_player.join", members)
        for step in range(2):
            for place, screen in enumerate(pages.values(), step):
                source = picture(colors[place % 3])
                # During the soft cut there are two.
                of_screen = screen.locator(f".work.on img[src='{source}']").last
                await expect(of_screen).to_be_visible(timeout=20_000)
            await home.call("media_player.media_next_track", {"entity_id": TABLET})
        await home.call("media_player.unjoin", {"entity_id": TABLET})
