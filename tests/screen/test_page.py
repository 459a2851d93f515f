"""Test what a person sees on the page of a screen, from its code to its first work."""

from collections.abc import AsyncIterator
import re
from typing import Any
from urllib.parse import unquote

from playwright.async_api import Browser, Route, expect
import pytest

from custom_components.dp1.screen.pairing import Screens
from homeassistant.core import HomeAssistant

from ..e2e.browser import CHROMIUM, browser
from .pages import (
    SIZES,
    bright,
    cast,
    color,
    inside,
    keep,
    open_page,
    pair,
    pixel,
    reds,
    until_pixel,
    written,
)

pytestmark = [
    pytest.mark.usefixtures("socket_enabled", "mdns"),
    pytest.mark.timeout(120),
    pytest.mark.skipif(not CHROMIUM, reason="DP1_CHROMIUM names no browser"),
]


@pytest.fixture
async def chromium() -> AsyncIterator[Browser]:
    async with browser() as chromium:
        yield chromium


@pytest.mark.parametrize(
    ("size", "language"), [("tablet", "de"), ("phone", "ja"), ("television", "en")]
)
async def test_the_page_is_seen(
    chromium: Browser, home: str, screens: Screens, size: str, language: str
) -> None:
    """A person reads code, words and QR code on any screen, in the language of its browser, then that it is paired, and what a tap offers; a favorite does not look like an eye that was tapped."""
    page = await open_page(chromium, home, size, language)
    code = page.locator("#code")
    await expect(code).to_have_text(re.compile(r"\d{3} \d{3}"))
    width, height = SIZES[size]
    box: Any = await code.bounding_box()
    assert box["height"] > min(width, height) / 10
    assert await bright(page, code) > box["width"] * box["height"] / 20
    for each in (code, page.locator("#say"), page.locator("#scan svg")):
        assert await bright(page, each) > 0
        await inside(page, each)
    words = {"en": "Enter this code", "de": "Gib diesen Code", "ja": "コード"}
    await expect(page.locator("#say h1")).to_contain_text(words[language])
    assert await page.evaluate("getComputedStyle(document.body).cursor") == "auto"
    await keep(page, f"code-{size}-{language}")
    screen = await pair(page, screens, "Wohnzimmer")
    await expect(page.locator("#say")).to_contain_text("Wohnzimmer")
    assert await bright(page, page.locator("#say h1")) > 0
    await keep(page, f"paired-{size}-{language}")
    await cast(screen, color("lime"))
    await until_pixel(page, (0, 255, 0))
    assert await page.evaluate("getComputedStyle(document.body).cursor") == "none"
    await expect(page.locator("#label")).to_be_visible()
    await keep(page, f"shown-{size}-{language}")
    for count, tombstone in enumerate(("off", "on")):
        await screens.display(screen.device_id).update_settings(tombstone=tombstone)
        await expect(page.locator("#label.on")).to_have_count(count)
    screens.hass.services.async_register("dp1", "add_favorite", lambda call: None)
    await page.mouse.click(width / 2, height / 2)
    heart, eye = page.locator("#favorite"), page.locator("#hide")
    await heart.click()
    await expect(heart).to_have_class("on")
    await eye.click()
    line = page.locator("#line")
    await expect(line).to_contain_text("Work 0")
    assert await bright(page, line) > 0
    assert await reds(page, heart) > 50
    assert await reds(page, eye) == 0
    over, *bar = await inside(page, line, heart, eye, page.locator("#next"))
    assert over["y"] + over["height"] < min(box["y"] for box in bar)
    await keep(page, f"bar-{size}-{language}")
    await page.close()


# Writes into every other frame that it can reach, for as long as it runs.
WRITER = """<script>setInterval(() => {
  for (let n = 0; n < parent.frames.length; n++)
    if (parent.frames[n] !== window) parent.frames[n].postMessage("<h1>stolen</h1>", "*");
}, 5)</script>"""


async def test_a_frame_is_written_by_nobody(
    chromium: Browser, home: str, screens: Screens
) -> None:
    """The work before writes nothing into the frame of the next, whose address holds once, and nobody's page is at ours."""
    page = await open_page(chromium, home)
    screen = await pair(page, screens)
    await cast(screen, written(WRITER), written("<h1>mine</h1>"))
    await expect(page.locator(".work.on iframe")).to_be_attached()
    screen.player.step()
    frame = page.frame_locator(".work.on iframe").last
    await expect(frame.locator("h1")).to_have_text("mine")
    await page.wait_for_timeout(500)
    await expect(frame.locator("h1")).to_have_text("mine")
    source = await page.locator(".work.on iframe").last.get_attribute("src")
    other = await chromium.new_page()
    answer = await other.goto(f"{home}{source}")
    assert answer is not None
    assert answer.status == 404
    await page.close()
    await other.close()


CORNERS = ("top_left", "top_right", "bottom_left", "bottom_right")


@pytest.mark.parametrize("size", SIZES)
async def test_the_hour_in_the_corner(
    hass: HomeAssistant, chromium: Browser, home: str, screens: Screens, size: str
) -> None:
    """The time, or what the owner wrote, is read on white and on black, in no corner over anything else, and without a work not at all; its text is text."""
    page = await open_page(chromium, home, size, "en-US", has_clock=True)
    await page.clock.set_fixed_time("2026-11-29T19:30:59")
    screen = await pair(page, screens)
    entries = hass.config_entries
    entry = entries.async_entry_for_domain_unique_id("dp1", screen.device_id)
    assert entry is not None
    screen.has_qr = True
    hour, seen = page.locator("#hour"), [page.locator(it) for it in ("#label", "#qr")]
    for corner, work in zip(CORNERS, ("white", "black") * 2, strict=True):
        entries.async_update_entry(entry, options={"corner": corner, "qr": True})
        await cast(screen, color(work))
        screen.async_link("https://art.example/works/0", "0")
        await expect(page.locator(".work.on")).to_have_count(1)
        await expect(page.locator(f"#{corner} #hour")).to_have_text("7:30 PM")
        await expect(hour).to_have_css("opacity", "1")
        await expect(seen[1]).to_be_visible()
        for each in seen:
            over, under = await inside(page, hour, each)
            assert (
                over["x"] + over["width"] <= under["x"]
                or under["x"] + under["width"] <= over["x"]
                or over["y"] + over["height"] <= under["y"]
                or under["y"] + under["height"] <= over["y"]
            )
        await keep(page, f"hour-{corner}-{size}")
    await page.clock.set_fixed_time("2026-11-29T19:31:00")
    await expect(hour).to_have_text("7:31 PM")
    hass.states.async_set("sensor.porch", "21.40", {"who": "<b>Ada</b> & Eve"})
    said = "{{ states('sensor.porch') }} °C\n{{ state_attr('sensor.porch', 'who') }}"
    options = {"corner": "top_right", "corner_text": said}
    entries.async_update_entry(entry, options=options)
    await expect(hour).to_have_text("21.40 °C <b>Ada</b> & Eve")
    await inside(page, hour)
    await keep(page, f"text-{size}")
    screen.player.clear()
    await expect(hour).to_have_css("opacity", "0")
    await page.close()


@pytest.mark.parametrize("size", SIZES)
async def test_a_picture_that_moves(
    hass: HomeAssistant, chromium: Browser, home: str, screens: Screens, size: str
) -> None:
    """A still picture comes closer in its own bounds, as slowly as its time allows, where its owner wants that and the browser does not refuse; a page stays as it is."""
    page = await open_page(chromium, home, size)
    screen = await pair(page, screens)
    entries = hass.config_entries
    entry = entries.async_entry_for_domain_unique_id("dp1", screen.device_id)
    assert entry is not None
    picture = page.locator(".work.on img")
    await cast(screen, color("lime", 3, 4), written("<img src='x.png'>"))
    await expect(picture).to_have_css("animation-name", "none")
    before = await picture.bounding_box()
    entries.async_update_entry(entry, options={"motion": True})
    await expect(picture).to_have_css("animation-name", "live")
    # There in a half of its time, and back in the other.
    length = await picture.evaluate(
        "it => it.getAnimations()[0].effect.getComputedTiming().duration"
    )
    assert 60_000 < length <= 150_000
    width, height = SIZES[size]
    wide = min(width, height * 3 / 4)
    bounds: Any = await page.locator(".work.on > div").bounding_box()
    assert before == {"x": 0, "y": 0, "width": width, "height": height}
    assert bounds["width"] == pytest.approx(wide, rel=0.01)
    assert bounds["height"] == pytest.approx(wide * 4 / 3, rel=0.01)
    await keep(page, f"moves-0-{size}")
    await picture.evaluate(
        "(it, at) => { const move = it.getAnimations()[0]; move.pause(); move.currentTime = at; }",
        length,
    )
    there: Any = await picture.bounding_box()
    assert there["width"] == pytest.approx(bounds["width"] * 1.08, abs=2)
    assert there["x"] <= bounds["x"]
    assert there["y"] <= bounds["y"]
    await keep(page, f"moves-1-{size}")
    await page.emulate_media(reduced_motion="reduce")
    await expect(picture).to_have_css("animation-name", "none")
    await page.emulate_media(reduced_motion="no-preference")
    screen.player.step()
    await expect(page.locator(".work.on iframe")).to_be_attached()
    await expect(picture).to_have_count(0)
    assert (
        await page.evaluate(
            "document.getAnimations().filter(it => it.animationName).length"
        )
        == 0
    )
    await page.close()


@pytest.mark.parametrize("size", SIZES)
async def test_what_stands_behind(
    hass: HomeAssistant, chromium: Browser, home: str, screens: Screens, size: str
) -> None:
    """Beside wide bars a picture of one's own stands before itself, blurred and darker; any other where the owner wants that, and none with a background."""
    await hass.config.async_update(internal_url=home)
    page = await open_page(chromium, home, size)
    screen = await pair(page, screens)
    entries = hass.config_entries
    entry = entries.async_entry_for_domain_unique_id("dp1", screen.device_id)
    assert entry is not None
    width, height = SIZES[size]
    other = color("lime", 3, 4) if width > height else color("lime", 4, 3)
    body = unquote(other.partition(",")[2])

    async def answer(route: Route) -> None:
        """Serve the picture as Home Assistant does with one's own."""
        await route.fulfill(body=body, content_type="image/svg+xml")

    await page.route("**/own.svg", answer)
    own, blue = f"{home}/own.svg", {"display": {"background": "#0000ff"}}
    for number, (source, backdrop, defaults, wanted) in enumerate(
        (
            (other, "own", {}, (0, 0, 0)),
            (own, "own", {}, (0, 153, 0)),
            (own, "none", {}, (0, 0, 0)),
            (other, "all", {}, (0, 153, 0)),
            (other, "all", blue, (0, 0, 255)),
            (color("lime", width, height), "all", {}, (0, 255, 0)),
        )
    ):
        entries.async_update_entry(entry, options={"backdrop": backdrop})
        screen.player.clear()
        await expect(page.locator(".work")).to_have_count(0)
        await cast(screen, source, defaults=defaults)
        await expect(page.locator(".work.on")).to_have_css("opacity", "1")
        assert await pixel(page, 12, 12) == pytest.approx(wanted, abs=3), number
        await keep(page, f"behind-{number}-{size}")
    await page.close()


async def test_the_way_to_the_bar(
    chromium: Browser, home: str, screens: Screens
) -> None:
    """After its pairing a screen says once, for three seconds, where a web work is tapped."""
    page = await open_page(chromium, home, has_clock=True)
    screen = await pair(page, screens)
    line, frame = page.locator("#line"), page.frame_locator(".work.on iframe")
    await cast(screen, written("<h1>one</h1>"), written("<h1>two</h1>"))
    await expect(line).to_have_text(re.compile("^Tap the edge"))
    await keep(page, "edge")
    await page.clock.fast_forward(3000)
    await expect(line).to_have_text("")
    screen.player.step()
    await expect(frame.last.locator("h1")).to_have_text("two")
    await expect(line).to_have_text("")
    await page.close()
