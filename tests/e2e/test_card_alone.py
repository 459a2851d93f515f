"""The wall label card by itself, in a page with a made-up Home Assistant: what it does with what it is told."""

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
import json
from pathlib import Path
import re
from typing import Any

from playwright.async_api import Browser, Locator, Page, Route, expect
import pytest
import pytest_asyncio
import yaml

from custom_components.dp1.cards import FOLDER

from .boxes import ROW, expect_filled, expect_in_order
from .browser import CHROMIUM, PATIENCE, browser
from .card import expect_accessible

from tests.sources import INTEGRATION

pytestmark = [
    pytest.mark.e2e,
    pytest.mark.asyncio(loop_scope="module"),
    pytest.mark.xdist_group("card"),
    pytest.mark.usefixtures("socket_enabled"),
    pytest.mark.skipif(not CHROMIUM, reason="DP1_CHROMIUM names no browser"),
]

HOME = "http://home.test"
ENTITY_ID = "media_player.wall"
HALL = "media_player.hall"
# Pixels of Home Assistant's bars and of the name of a display above its card.
HEADINGS = 120
EVERYTHING = 4 | 8 | 16 | 32 | 128 | 256 | 32768 | 131072 | 262144 | 524288 | 2097152
TEXTS = json.loads((INTEGRATION / "translations" / "en.json").read_text())
TABLE = yaml.safe_load(Path(__file__).with_name("card.yaml").read_text())
WORK = TABLE["work"]
ATTRIBUTES = TABLE["attributes"] | {"supported_features": EVERYTHING}
PICTURE = '<svg xmlns="http://www.w3.org/2000/svg" width="16" height="16"/>'
# As strict as a proxy in front of Home Assistant may be: no styles or scripts in the markup, nothing of other hosts.
POLICY = (
    "default-src 'none'; script-src 'nonce-page' 'strict-dynamic'; style-src 'self' 'report-sample';"
    " img-src 'self' data:; connect-src 'self'; base-uri 'none'; form-action 'none'"
)
# What Home Assistant gives to a card, as far as the card asks for it.
PAGE = Path(__file__).with_name("card.html").read_text()


@pytest_asyncio.fixture(scope="module", loop_scope="module")
async def chromium() -> AsyncIterator[Browser]:
    """Run one browser for all tests."""
    async with browser() as found:
        yield found


@asynccontextmanager
async def card_page(chromium: Browser) -> AsyncIterator[Page]:
    """Open a page that has the card, and nothing else."""
    page = await chromium.new_page(viewport={"width": 480, "height": 900})
    page.set_default_timeout(PATIENCE)
    complaints: list[str] = []
    page.on("pageerror", lambda error: complaints.append(str(error)))

    async def serve(route: Route) -> None:
        """Serve the page and the cards."""
        if module := re.search(r"/(dp1-\w+\.js)", route.request.url):
            body = (FOLDER / module[1]).read_bytes()
            await route.fulfill(body=body, content_type="text/javascript")
        elif route.request.resource_type == "image":
            await route.fulfill(body=PICTURE, content_type="image/svg+xml")
        else:
            headers = {"Content-Security-Policy": POLICY}
            await route.fulfill(body=PAGE, content_type="text/html", headers=headers)

    await page.route("**/*", serve)
    await page.goto(HOME)
    await page.locator("body[data-ready]").wait_for(state="attached")
    yield page
    assert not complaints
    assert await page.evaluate("window.broken") == []
    await page.close()


@pytest_asyncio.fixture(loop_scope="module")
async def page(chromium: Browser) -> AsyncIterator[Page]:
    """Open such a page."""
    async with card_page(chromium) as page:
        yield page


async def render(
    page: Page,
    state: str | None = "playing",
    config: dict[str, Any] | None = None,
    work: dict[str, Any] | None = None,
    **attributes: Any,
) -> None:
    """Give the card a state of the display."""
    given = {
        "entity_id": ENTITY_ID,
        "state": state,
        "attributes": {**ATTRIBUTES, "dp1": {**WORK, **(work or {})}, **attributes},
    }
    await page.evaluate(
        "([state, config]) => window.render(state, config)",
        [given if state else None, config or {}],
    )
    # Texts come a moment later.
    await expect(page.locator(".upcoming h3")).not_to_be_empty()


async def offer(page: Page, name: str, *titles: str) -> None:
    """Put entries on a page of the media browser of the display."""
    entries = [
        {
            "title": title,
            "media_content_id": f"{name}/w{number}",
            "media_content_type": "image",
            "thumbnail": f"/thumbnail/{number}",
        }
        for number, title in enumerate(titles, 2)
    ]
    await page.evaluate(
        "([name, entries]) => { window.pages = {...window.pages, [name]: entries} }",
        [name, entries],
    )


async def calls(page: Page) -> list[Any]:
    """Return the actions that were called."""
    found: list[Any] = await page.evaluate("window.calls.filter(Array.isArray)")
    return found


def act(action: str, **data: Any) -> list[Any]:
    """Return the call of an action on the display."""
    return [*action.split("."), {"entity_id": ENTITY_ID, **data}]


async def last_call(page: Page) -> Any:
    return (await calls(page))[-1]


async def hold_answers(page: Page) -> None:
    """Let displays answer once ``window.done`` is called."""
    await page.evaluate(
        "() => { window.answer = new Promise((done) => { window.done = done; }) }"
    )


async def eventually(page: Page, condition: str, argument: str = "") -> None:
    """Wait for a condition; the policy keeps the page from evaluating one by itself."""
    async with asyncio.timeout(PATIENCE / 1000):
        while not await page.evaluate(condition, argument):
            await asyncio.sleep(0.05)


async def choosing(page: Page) -> Locator:
    """Open the chooser."""
    await page.locator("[data-do=choose]").click()
    return page.locator("dp1-chooser").get_by_role("dialog")


async def judge(page: Page) -> None:
    """Expect that boxes are in order, and that a checker of accessibility finds nothing."""
    await expect_in_order(page)
    await expect_accessible(page)


async def test_a_stranger_writes_no_markup(page: Page) -> None:
    """Text from outside stays text, and an address of another kind is no link."""
    evil = "<img src=x onerror=alert(1)>"
    await offer(page, "dp1://next", evil)
    await render(
        page,
        work={
            "about_artist": evil,
            "exhibition": evil,
            "note": evil,
            "medium": evil,
            "edition": evil,
            "year": evil,
            "link": "javascript:alert(1)",
            "artists": [{"name": evil, "links": {"website": "javascript:alert(1)"}}],
            "provenance": {"contract": {"chain": evil, "address": evil}},
        },
        media_title=f"{evil}!",
        media_artist=evil,
    )
    await expect(page.locator(".title")).to_have_text(f"{evil}!")
    for selector in (".artist", ".exhibition", ".next li"):
        await expect(page.locator(selector)).to_have_text(evil)
    for note in await page.locator(".note").all():
        await expect(note).to_have_text(evil)
    assert await page.locator("img[src='x']").count() == 0
    assert await page.locator("a[href]").count() == 0


async def speak(page: Page, language: str) -> None:
    """Let the page have the texts of a language."""
    words = (INTEGRATION / "translations" / f"{language}.json").read_text()
    await page.evaluate("words => { window.words = JSON.parse(words) }", words)


LANGUAGES = ("en", "de", "ja")
TITLES = [
    "The Weight of Blue",
    "Twenty Kinds of Weather",
    "Everything Is a Window",
    "Parallel Weather",
    "Ghost Protocols",
    "Tender Machines",
]
# A word that cannot be broken, as an address is, and a title without end.
WORD = "https://art.example/" + "works/" * 40
ENDLESS = "X" * 200


@pytest.mark.parametrize(
    "sources", [TITLES, [ENDLESS], []], ids=["six", "long", "none"]
)
async def test_the_boxes_of_the_row(page: Page, sources: list[str]) -> None:
    """The buttons of the tile stand beside each other and can be read, whatever the exhibitions are called."""
    await page.set_viewport_size({"width": 344, "height": 300})
    await speak(page, "en")
    await offer(page, "dp1://exhibitions", *sources)
    await show_row(page, "playing", sources, sources[0] if sources else "")
    await page.evaluate("document.querySelector('dp1-wall-label-card').remove()")
    await expect(page.locator("dp1-exhibitions button").last).to_have_text("More…")
    await expect_in_order(page, smallest=ROW)


async def test_the_boxes_of_long_words(page: Page) -> None:
    """What is opened shows all of a text in which there is an address, and a menu does not scroll sideways by a title."""
    await page.set_viewport_size({"width": 360, "height": 900})
    await speak(page, "de")
    await offer(page, "dp1://next", ENDLESS, "Ebb")
    work = {"note": WORD, "about_artist": WORD, "exhibition": ENDLESS, "works": 5}
    await render(page, work=work, media_title=ENDLESS, media_artist=ENDLESS)
    await judge(page)
    for summary in await page.locator("summary").all():
        await summary.click()
    await expect(page.locator(".artists .note")).to_be_visible()
    await judge(page)
    await page.locator(".picture").click(button="right")
    await expect(page.locator(".menu")).to_be_visible()
    await judge(page)
    await page.keyboard.press("Escape")
    await page.locator("[data-do=more]").click()
    await judge(page)


async def test_without_a_work(page: Page) -> None:
    """A display that shows nothing has its name and its state, and what can be done with it."""
    power, choose = page.locator("[data-do=power]"), page.locator("[data-do=choose]")
    for state in ("idle", "unavailable", None, "off"):
        await render(page, state)
        for selector in (".artist", ".facts", ".exhibition", "details", ".links"):
            assert await page.locator(selector).locator("visible=true").count() == 0
        for name in ("previous", "next", "favorite", "duration"):
            await expect(page.locator(f"[data-do={name}]")).to_be_hidden()
        assert await page.locator("[data-do=more]").is_visible() is bool(state)
        words = {
            "unavailable": "out_of_reach Wall",
            "idle": "idle",
            "off": "asleep",
            None: "entity_not_found",
        }
        await expect(page.locator(".status span")).to_have_text(words[state])
        assert await power.is_visible() is (state == "idle")
        assert await choose.is_visible() is (state in {"off", "idle"})
    wake = page.locator(".status").get_by_role("button", name="wake")
    await wake.click()
    assert await calls(page) == [act("media_player.turn_on")]


async def test_asleep(page: Page) -> None:
    """A display that sleeps shows the last work, dimmed, and no other shows that one."""
    image = page.locator(".picture img")
    await render(page, "off")
    await expect(image).to_have_attribute("src", "/image/work?state=now")
    await expect(image).to_have_css("filter", "grayscale(1) brightness(0.4)")
    await page.evaluate(
        """() => {
          window.hass.states["media_player.hall"].state = "off";
          document.querySelector("dp1-wall-label-card").setConfig({entity: "media_player.hall"});
        }"""
    )
    await expect(image).to_be_hidden()


async def test_texts_come_later(page: Page) -> None:
    """Texts that could not be loaded are asked for again when Home Assistant is back."""
    asked = await page.evaluate(
        """async () => {
          let asked = 0;
          window.render({state: "off", attributes: {}});
          const fail = async () => { asked++; throw new Error("no"); };
          document.querySelector("dp1-wall-label-card").hass = {...window.hass, language: "fr", localize: () => "", loadBackendTranslation: fail};
          await new Promise((done) => setTimeout(done));
          window.render({state: "off", attributes: {}}, {}, "fr");
          return asked;
        }"""
    )
    assert asked == 2
    await expect(page.locator(".status span")).to_have_text("asleep")


async def test_texts_stay_until_others_come(page: Page) -> None:
    """After a switch of the language nothing is without words, on buttons, too, while those of the new one are loaded."""
    await render(page)
    await page.evaluate(
        """() => {
          const card = document.querySelector("dp1-wall-label-card");
          const never = () => new Promise(() => {});
          window.later = {...window.hass, language: "ja", localize: () => "", loadBackendTranslation: never};
          card.hass = window.later;
        }"""
    )
    await expect(page.locator("[data-do=previous]")).to_be_visible()
    following = page.locator("[data-do=next]")
    await expect(following).to_have_attribute("title", "media_next_track")
    await page.evaluate(
        """() => {
          const away = {...window.later.states["media_player.wall"], state: "unavailable"};
          document.querySelector("dp1-wall-label-card").hass = {...window.later, states: {...window.later.states, "media_player.wall": away}};
        }"""
    )
    await expect(page.locator(".status span")).to_contain_text("out_of_reach")


async def test_what_a_display_cannot_do(page: Page) -> None:
    """There is no button for what the display cannot do, nor a heart without a library to keep it in."""
    await render(page, work={"favorite": None}, supported_features=0)
    for name in ("previous", "next", "favorite", "power", "choose"):
        await expect(page.locator(f"[data-do={name}]")).to_be_hidden()
    await page.locator("[data-do=more]").click()
    await expect(page.get_by_role("menuitem")).to_have_text(["never", "details"])
    await page.keyboard.press("Escape")
    # A work that is alone has no place.
    await expect(page.locator(".place")).to_have_text("place 2 3")
    await render(page, work={"works": 1})
    await expect(page.locator(".place")).to_be_hidden()


async def test_actions(page: Page) -> None:
    """Each control calls its action; a refusal is shown by Home Assistant and breaks nothing."""
    await page.evaluate("window.refuse = true")
    await offer(page, "dp1://next", "")
    await render(page, work={"favorite": True})
    await page.locator(".next .show").click()
    await page.locator("[data-do=favorite]").click()
    await page.locator("[data-do=previous]").click()
    await page.locator("[data-do=power]").click()
    assert await calls(page) == [
        act("dp1.show_work", work="w2"),
        act("dp1.remove_favorite"),
        act("media_player.media_previous_track"),
        act("media_player.turn_off"),
    ]
    await page.locator(".picture").press("Enter")
    # Home Assistant opens the details of the entity for a tap of which nothing is set.
    config = {"type": "custom:dp1-wall-label-card", "entity": ENTITY_ID}
    assert (await page.evaluate("window.events"))[-1] == [
        "hass-action",
        {"config": config, "action": "tap"},
    ]


async def test_show_for(page: Page) -> None:
    """A key press in the menu only moves; Enter chooses, and what is shown for a time says until when and can be ended."""
    await render(page)
    button = page.locator("[data-do=duration]")
    await button.focus()
    for key in ("ArrowDown", "ArrowUp", "Enter"):
        await page.keyboard.press(key)
    await expect(page.locator(".menu")).to_be_visible()
    await judge(page)
    for key in ("ArrowDown", "ArrowDown"):
        await page.keyboard.press(key)
    assert await calls(page) == []
    await expect(button).to_have_attribute("aria-expanded", "true")
    focused = page.locator(".menu :focus")
    await expect(focused).to_have_text("30 minutes")
    await page.keyboard.press("Escape")
    await expect(page.locator(".menu")).to_be_hidden()
    await expect(button).to_be_focused()
    await page.keyboard.press("Enter")
    await page.keyboard.press("End")
    await page.keyboard.press("Enter")
    shown = act("dp1.show_work", work="w1", show_for={"minutes": 180})
    assert await calls(page) == [shown]
    await button.click()
    await page.locator(".picture").click(position={"x": 5, "y": 5})
    await expect(page.locator(".menu")).to_be_hidden()
    status = page.locator(".status")
    await expect(status).to_have_text("")
    await render(page, work={"until": "2026-11-22T11:30:00"})
    await expect(status.locator("span")).to_have_text("until 11:30 AM")
    # The display is about what comes back.
    about = "media-source://dp1/one/artwork/a"
    await render(page, work={"favorite": False, "media_content_id": about})
    await page.locator("[data-do=favorite]").click()
    liked = {"entity_id": None, "media_content_id": about}
    assert await last_call(page) == ["dp1", "add_favorite", liked]
    await render(page, work={"until": "2026-11-22T11:30:00"})
    await status.get_by_role("button", name="back").click()
    assert await last_call(page) == act("dp1.show_previous")


async def test_more(page: Page) -> None:
    """The menu has the order, and other displays."""
    state = {"shuffle": True, "repeat": "one"}
    await render(page, **state, group_members=[ENTITY_ID])
    for name, wanted in (
        ("shuffle", act("media_player.shuffle_set", shuffle=False)),
        ("repeat.all", act("media_player.repeat_set", repeat="all")),
        ("repeat.one", act("media_player.repeat_set", repeat="off")),
        ("together Hall", act("media_player.join", group_members=[HALL])),
    ):
        await page.locator("[data-do=more]").click()
        entry = page.locator(".menu").get_by_text(name.rpartition(".")[2], exact=True)
        await entry.click()
        assert await last_call(page) == wanted
    # The state follows while the menu is open again.
    await page.locator("[data-do=more]").click()
    checked = page.locator(".menu [aria-checked=true]")
    await expect(checked).to_have_text(["shuffle", "one"])
    await judge(page)
    # A menu stays at its button when a phone is turned.
    await page.set_viewport_size({"width": 360, "height": 740})
    await judge(page)
    await page.locator(".menu [role=menuitemcheckbox]").last.focus()
    await render(page, **state, group_members=[ENTITY_ID, HALL])
    await expect(checked).to_have_text(["shuffle", "one", "together Hall"])
    await expect(checked.last).to_be_focused()
    await checked.last.click()
    assert await last_call(page) == act("media_player.unjoin", entity_id=HALL)


async def test_pictures_of_ones_own(page: Page) -> None:
    """Pictures are uploaded to Home Assistant, and hang with a title, as and as long as is chosen; what it refuses is told."""
    await render(page)
    upload, dialog = page.locator(".file"), page.get_by_role("dialog")
    files = [
        {"name": name, "mimeType": "image/png", "buffer": b"x"}
        for name in ("IMG_2041.png", "Our_cat.png")
    ]
    medium = {"media_content_id": "media-source://image_upload/p1"}
    await upload.set_input_files(files[1])  # type: ignore[arg-type]
    await expect(dialog.get_by_role("textbox")).to_have_value("Our cat")
    await page.keyboard.press("Enter")
    await expect(dialog).to_have_count(0)
    await upload.set_input_files(files)  # type: ignore[arg-type]
    # The name that a camera gives is no title.
    await expect(dialog.get_by_role("textbox")).to_have_value("own_picture")
    await dialog.get_by_role("textbox").fill("Holidays")
    await dialog.get_by_label("picture_fit").select_option("border")
    await dialog.get_by_label("show_for").select_option("30")
    await judge(page)
    await dialog.get_by_role("button", name="show", exact=True).click()
    await eventually(page, "window.calls.filter(Array.isArray).length == 5")
    cat, holidays = ({**medium, "title": title} for title in ("Our cat", "Holidays"))
    border = {"scaling": "fit", "margin": "6%", "background": "#f2efe9"}
    border |= {"title": "Holidays", "show_for": {"minutes": 30}}
    assert await calls(page) == [
        ["/api/image/upload", "Our_cat.png"],
        act("dp1.cast_playlist", media=[cat], title="Our cat", scaling="fit"),
        ["/api/image/upload", "IMG_2041.png"],
        ["/api/image/upload", "Our_cat.png"],
        act("dp1.cast_playlist", media=[holidays, cat], **border),
    ]
    await upload.set_input_files(files[0])  # type: ignore[arg-type]
    await page.keyboard.press("Escape")
    await expect(dialog).to_have_count(0)
    for status, key in ((413, "too_large"), (400, "no_picture")):
        await page.evaluate("status => { window.uploaded = status }", status)
        await upload.set_input_files(files[0])  # type: ignore[arg-type]
        await page.keyboard.press("Enter")
        told = ["hass-notification", {"message": f"{key} IMG_2041.png"}]
        await eventually(
            page,
            "told => JSON.stringify(window.events.at(-1)) === told",
            json.dumps(told, separators=(",", ":")),
        )
    await expect(page.locator("[aria-busy=true]")).to_have_count(0)


async def menu_of(page: Page, title: str) -> Locator:
    """Open the menu of a picture."""
    await page.get_by_role("button", name=f"more_of {title}", exact=True).click()
    return page.locator(".menu")


async def test_adding_to_what_hangs(page: Page) -> None:
    """Works of several sources are added to what hangs, one after the other; a refused one is not said to be added."""
    await offer(page, "dp1://exhibitions", "Tides", "Clouds", "Rain")
    await render(page, media_content_id="dp1://recent/1#2")
    dialog = await choosing(page)
    status = dialog.get_by_role("status")
    for number, title in ((2, "Tides"), (3, "Clouds")):
        menu = await menu_of(page, title)
        await menu.get_by_role("menuitem", name="add").press("Enter")
        await expect(status).to_have_text(f"added {title}")
        added = {"media_content_id": f"dp1://exhibitions/w{number}"}
        added |= {"media_content_type": "image", "enqueue": "add"}
        assert await last_call(page) == act("media_player.play_media", **added)
    await page.evaluate("window.refuse = true")
    await (await menu_of(page, "Rain")).get_by_text("add", exact=True).click()
    await expect(status).to_have_text("no")
    # It is said where the finger is, too.
    toasts = """window.events.filter(([type]) => type === "hass-notification").map(([, {message, action}]) => `${message} ${action.text}`)"""
    assert await page.evaluate(toasts) == ["Rain: no try_again"]
    await page.evaluate("window.refuse = false")
    await page.keyboard.press("Escape")
    await render(page, supported_features=EVERYTHING & ~2097152)
    await page.locator("[data-do=choose]").click()
    menu = await menu_of(page, "Tides")
    entries = [
        "on_display Wall",
        "for_a_time 30 minutes",
        "on_display Hall",
        "on_all",
    ]
    await expect(menu.get_by_role("menuitem")).to_have_text(entries)
    calls = await page.evaluate("window.calls.length")
    await menu.get_by_role("menuitem", name="on_all").click()
    (shown,) = (await page.evaluate("window.calls"))[calls:]
    assert shown[1] == "play_media" and len(shown[2]["entity_id"]) == 2


async def test_never_again(page: Page) -> None:
    """A work is hidden in the menu of the card and in that of its picture, is no favorite then, and is taken back at once or among the hidden ones."""
    await page.evaluate(
        """() => {
          window.pages["dp1://folders"].push(folder("hidden", "hidden"));
          const art = (title, hidden) => work(title, title, {kind: "artwork", title, hidden, favorite: !hidden});
          window.pages["dp1://exhibitions"] = [folder("Tides", "exhibition")];
          window.pages.Tides = [art("Low", false), art("High", true), folder("Foam", "series", "s", {can_play: true})];
          window.pages.hidden = [art("High", true)];
        }"""
    )
    await speak(page, "en")
    tides = {"media_content_id": "dp1://recent/1#2", "media_content_type": "playlist"}
    await render(page, work={"left_out": 1, "works": 23}, **tides)
    status = page.locator(".status")
    await expect(status).to_contain_text("1 of 24 hidden.")
    await judge(page)
    never = page.get_by_role("menuitem", name="Never show this again", exact=True)
    await page.locator("[data-do=more]").click()
    await judge(page)
    await never.click()
    assert await last_call(page) == act("dp1.hide_work")
    await expect(status).to_contain_text("Hidden: Low tide")
    await status.get_by_role("button", name="Undo").click()
    await expect(status).to_contain_text("Shown again: Low tide")
    taken_back = ["dp1", "unhide_work", {"media_content_id": "h1"}]
    put_back = act("media_player.play_media", **tides)
    assert (await calls(page))[-2:] == [taken_back, put_back]
    # Where something else hangs since, it comes later.
    await page.locator("[data-do=more]").click()
    await never.click()
    await render(page, media_playlist="Another", **tides)
    await status.get_by_role("button", name="Undo").click()
    await expect(status).to_contain_text("once a list with it is chosen: Low tide")
    assert await last_call(page) == taken_back
    await render(page, work={"left_out": 1, "works": 23}, **tides)
    await page.locator(".picture").click(button="right")
    await never.click()
    assert await last_call(page) == act("dp1.hide_work")
    # A picture in the chooser.
    dialog = page.get_by_role("dialog")
    menu = page.locator(".menu")
    await page.locator("[data-do=choose]").click()
    await dialog.locator(".show").first.click()
    await expect(dialog.get_by_role("status")).to_have_text("1 of 3 hidden.")
    # One step back, although what was tapped is gone.
    await page.keyboard.press("Escape")
    await expect(dialog.locator("li")).to_have_text(["Shown nowTides"])
    await dialog.locator(".show").first.click()
    await expect(dialog.get_by_role("status")).to_have_text("1 of 3 hidden.")
    low, high, foam = (
        dialog.locator("li", has_text=name) for name in ("Low", "High", "Foam")
    )
    await expect(high.locator(".away")).to_have_text("Hidden")
    await judge(page)
    await foam.locator(".corner").press("Enter")
    await expect(menu).to_be_visible()
    await expect(never).to_have_count(0)
    await page.keyboard.press("Escape")
    await low.locator(".corner").press("Enter")
    await expect(menu.get_by_text("Remove from favorites")).to_be_visible()
    await never.click()
    assert await last_call(page) == ["dp1", "hide_work", {"media_content_id": "Low"}]
    await expect(low.locator(".away")).to_have_text("Hidden")
    await low.locator(".corner").press("Enter")
    favorite = menu.get_by_text("Add to favorites")
    await judge(page)
    # A favorite is not hidden.
    await favorite.click()
    await expect(low.locator(".away")).to_have_count(0)
    await low.locator(".corner").press("Enter")
    await page.evaluate("window.refuse = true")
    await never.click()
    await expect(low.locator(".away")).to_have_count(0)
    await page.evaluate("window.refuse = false")
    await dialog.locator(".folders").get_by_role("button", name="Hidden").click()
    await expect(dialog.locator("li")).to_have_text(["HiddenHigh"])
    await judge(page)
    await high.locator(".corner").press("Enter")
    await menu.get_by_role("menuitem", name="Show again").click()
    assert await last_call(page) == ["dp1", "unhide_work", {"media_content_id": "High"}]
    await expect(high.locator(".away")).to_have_count(0)


async def test_after_a_choice(page: Page) -> None:
    """What is being hung is told at once, after a while with the reason and a way out, and what hung before can come back."""
    await page.clock.install()
    await offer(page, "dp1://exhibitions", "Clouds")
    await hold_answers(page)
    before = {"media_content_id": "dp1://recent/1#2"}
    await render(page, **before)
    notice, choose = page.locator(".status"), page.locator("[data-do=choose]")
    await (await choosing(page)).get_by_title("Clouds", exact=True).click()
    await expect(notice).to_have_text("hanging Clouds")
    await expect(notice).to_have_attribute("aria-busy", "true")
    await expect(choose).to_have_attribute("aria-busy", "true")
    await page.clock.fast_forward(8000)
    await expect(notice.locator("span")).to_have_text("hanging Clouds library")
    await notice.get_by_role("button", name="cancel").click()
    await expect(notice).to_have_text("")
    asked = "window.calls.filter((call) => call.type?.startsWith('dp1/')).map((call) => call.type)"
    assert await page.evaluate(asked) == ["dp1/waits_for", "dp1/cancel"]
    await page.evaluate("window.done()")
    await expect(choose).not_to_have_attribute("aria-busy", "true")
    # Nothing else hangs.
    assert len(await calls(page)) == 1
    await (await choosing(page)).get_by_title("Clouds", exact=True).click()
    back = notice.get_by_role("button", name="back_to Tides")
    await render(page, **before, media_playlist="Clouds")
    await expect(back).to_be_visible()
    # An action brings it back.
    await render(page, **before)
    await expect(back).to_be_hidden()
    await render(page, **before, media_playlist="Clouds")
    await back.click()
    await expect(notice).to_have_text("")
    shown = act("media_player.play_media", **before, media_content_type="playlist")
    assert await last_call(page) == shown
    await offer(page, "dp1://next", "Ebb")
    await render(page, **before, work={"works": 5})
    await page.locator(".next .corner").press("Enter")
    await page.locator(".menu").get_by_text("take_out").click()
    await expect(notice.locator("span")).to_have_text("removed Ebb")
    await notice.get_by_role("button", name="undo").click()
    assert await last_call(page) == shown


async def test_without_a_library(page: Page) -> None:
    """Without a library, the chooser says so and what can be done, instead of that nothing was found."""
    await page.evaluate("window.pages = {}")
    await render(page)
    dialog = await choosing(page)
    await expect(dialog.get_by_role("status")).to_have_text("no_library")
    actions = dialog.locator(".actions button")
    await expect(actions).to_have_text(["add", "hang_picture"])
    await actions.first.click()
    await expect(dialog).to_have_count(0)
    assert (await page.evaluate("location.pathname + location.search")).endswith(
        "/config/integrations/dashboard/add?domain=dp1"
    )


async def test_folders(page: Page) -> None:
    """The folders of the libraries are a tap away, and what is inside them another; what hangs is marked."""
    await page.set_viewport_size({"width": 360, "height": 740})
    await offer(page, "dp1://exhibitions", "Tides", "Clouds")
    await page.evaluate(
        """() => {
          window.pages["dp1://folders"].push(folder("Favorites", "favorites", "f"), folder("Mine", "collection", "c"));
          window.pages.c = [folder("Artists", "collection_part", "a")];
          const foam = {title: "Foam", artist: "Ana Ruiz", year: 2024, kind: "artwork"};
          window.pages.a = [work("Foam, Ana Ruiz (2024)", "media-source://dp1/e/artwork/s1/w1", foam)];
        }"""
    )
    await render(page)
    dialog = await choosing(page)
    chips = dialog.locator(".chips button")
    await expect(chips).to_have_text(
        ["exhibitions", "favorites", "collection", "surprise"]
    )
    await expect(dialog.locator("[aria-current]")).to_have_attribute("title", "Tides")
    await judge(page)
    boxes = [await item.bounding_box() for item in await dialog.locator("li").all()]
    assert boxes[0] and boxes[1] and boxes[0]["y"] == boxes[1]["y"]
    await chips.nth(2).click()
    await dialog.get_by_title("Artists", exact=True).click()
    words = dialog.locator("li .words span")
    await expect(words).to_have_text(["Foam", "Ana Ruiz · 2024"])
    await page.evaluate(
        """window.found = [...window.pages.a, {title: "Mist", can_play: true, dp1: {kind: "series", artist: "Ana Ruiz", of: "Sea of Foam"}}]"""
    )
    await dialog.get_by_role("searchbox").fill("foam ruiz")
    # A result that is not called so says why it was found.
    reasons = ["Foam", "Ana Ruiz · 2024", "Mist", "Sea of Foam · Ana Ruiz"]
    await expect(words).to_have_text(reasons)
    # The kind of each is said where there are several.
    await expect(dialog.locator("li .kind")).to_have_text(["artwork", "series"])
    await dialog.get_by_role("searchbox").fill("")
    menu = await menu_of(page, "Foam")
    await judge(page)
    await menu.get_by_text("only_series").click()
    series = {
        "media_content_id": "media-source://dp1/e/series/s1",
        "media_content_type": "album",
    }
    assert (await last_call(page))[-1] == {"entity_id": ENTITY_ID, **series}
    await dialog.get_by_role("button", name="back").click()
    await expect(dialog.get_by_title("Artists", exact=True)).to_be_visible()
    close = await dialog.get_by_role("button", name="close").bounding_box()
    title = await dialog.locator("h2").bounding_box()
    assert close and title and close["y"] < title["y"] + title["height"]


async def test_what_is_inside(page: Page) -> None:
    """What one is inside of has its title, what it is, a heart and a button for all of it, on a phone, too; nothing is half empty."""
    await offer(page, "dp1://exhibitions", "Slow weather in the mountains")
    await page.evaluate(
        """() => {
          const [all] = window.pages["dp1://exhibitions"];
          Object.assign(all, {can_play: true, can_expand: true, dp1: {kind: "exhibition", artist: "Ana Ruiz, Bo Lund, Chiara Aoki", favorite: false}});
          window.pages[all.media_content_id] = [{title: "Foam", can_play: true, media_content_id: "m1"}];
        }"""
    )
    await speak(page, "en")
    await render(page)
    dialog = await choosing(page)
    await dialog.locator(".corner").press("Enter")
    await page.locator(".menu").get_by_text("Look inside").click()
    place = dialog.locator(".place")
    for name in ("Back", "Favorite", "Show all"):
        await expect(place.get_by_role("button", name=name)).to_be_visible()
    await expect(place).to_contain_text("Exhibition · Ana Ruiz")
    for width, height in ((360, 740), (1024, 600), (1280, 800)):
        await page.set_viewport_size({"width": width, "height": height})
        await judge(page)
        await expect_filled(page)


# Home Assistant's handler of actions keeps one long press for all elements until the pointer comes down again.
HANDLER = """() => {
  let isHeld = false;
  customElements.define("action-handler", class extends HTMLElement {
    bind(element, options) {
      const isBound = element.actionHandler;
      element.actionHandler = {options};
      if (isBound) return;
      let timer, twice;
      const tell = (action) => element.dispatchEvent(new CustomEvent("action", {detail: {action}}));
      const end = () => {
        clearTimeout(timer);
        if (isHeld || !element.actionHandler.options.hasDoubleClick) return tell(isHeld ? "hold" : "tap");
        clearTimeout(twice);
        if (twice) twice = tell("double_tap") && null;
        else twice = setTimeout(() => { twice = null; tell("tap"); }, 250);
      };
      element.addEventListener("mousedown", () => { isHeld = false; timer = setTimeout(() => { isHeld = true; }, 500); });
      element.addEventListener("click", end);
      element.addEventListener("keydown", (event) => { if (event.key === "Enter") { event.preventDefault(); end(); } });
    }
  });
}"""


async def test_a_long_press(page: Page) -> None:
    """A long press opens the menu of a picture, and taps nothing; a key taps, although Home Assistant still has the press."""
    await page.evaluate(HANDLER)
    await offer(page, "dp1://next", "Ebb")
    await render(page, work={"works": 5})
    picture, menu = page.locator(".next .show"), page.locator(".menu")
    await picture.click(delay=700)
    entries = ["on_display Wall", "for_a_time 30 minutes", "take_out"]
    await expect(menu.get_by_role("menuitem")).to_have_text(entries)
    assert await calls(page) == []
    await page.keyboard.press("Escape")
    shown = act("dp1.show_work", work="w2")
    for number, key in enumerate(("Enter", "Space"), 1):
        await picture.press(key)
        count = "window.calls.filter((call) => call[1] === 'show_work').length"
        await eventually(page, f"() => {count} == {number}")
        assert await last_call(page) == shown
    await picture.click()
    assert await last_call(page) == shown
    await page.locator(".picture").click(button="right")
    await menu.get_by_text("never").click()
    assert (await last_call(page))[1] == "hide_work"


async def test_taps_and_hold(page: Page) -> None:
    """What a tap and a long press on the picture do can be chosen."""
    await page.evaluate(HANDLER)
    tap, hold = {"action": "toggle"}, {"action": "navigate", "navigation_path": "/x"}
    config = {"tap_action": tap, "hold_action": hold}
    await render(page, config=config)
    picture = page.locator(".picture")
    await picture.dblclick()
    await picture.click(delay=700)
    await picture.press("Enter")
    performed = """window.events.filter(([type]) => type === "hass-action").map(([, {config, action}]) => config[`${action}_action`])"""
    await eventually(page, f"() => {performed}.length >= 4")
    assert await page.evaluate(performed) == [tap, tap, hold, tap]


async def test_works_to_come_that_could_not_be_read(page: Page) -> None:
    """The works to come are asked for again if they could not be read."""
    await page.evaluate(
        """window.pages = {get "dp1://next"() { window.failed = true; throw new Error("no"); }}"""
    )
    await render(page, work={"works": 3})
    await eventually(page, "window.failed")
    # What comes next is drawn by the module of the chooser, which may still load.
    drawn = "customElements.whenDefined('dp1-menu').then(() => new Promise((done) => setTimeout(done)))"
    await page.evaluate(drawn)
    await page.evaluate("window.pages = {}")
    await offer(page, "dp1://next", "Ebb", "Flood")
    await render(page, work={"works": 3}, volume_level=0.4)
    await expect(page.locator(".next li")).to_have_count(2)


async def test_configuration(page: Page) -> None:
    """The card finds a display by itself, is suggested for displays only, and refuses what is none."""
    await render(page)
    card, highlights = await page.evaluate("window.customCards")
    assert highlights["type"] == "dp1-highlights-card"
    assert card["type"] == "dp1-wall-label-card" and card["preview"]
    stub = "customElements.get('dp1-wall-label-card').getStubConfig(window.hass)"
    assert await page.evaluate(stub) == {"entity": ENTITY_ID}
    suggestion = "id => window.customCards[0].getEntitySuggestion(window.hass, id)"
    found = await page.evaluate(suggestion, ENTITY_ID)
    assert found["config"]["entity"] == ENTITY_ID
    for other in ("media_player.tv", "light.hall", "media_player.none"):
        assert await page.evaluate(suggestion, other) is None
    for entity in (None, "light.hall"):
        refusal = await page.evaluate(
            """entity => {
              try { document.querySelector("dp1-wall-label-card").setConfig({entity}); }
              catch (error) { return error.message; }
            }""",
            entity,
        )
        assert "media_player" in refusal


async def test_sizes(page: Page) -> None:
    """The size follows the place that the card has."""
    await render(page)
    card = page.locator("dp1-wall-label-card")
    await expect(card).to_have_attribute("size", "label")
    await page.set_viewport_size({"width": 200, "height": 600})
    await expect(card).to_have_attribute("size", "tile")
    await expect(page.locator(".controls")).to_be_hidden()
    await page.set_viewport_size({"width": 1200, "height": 800})
    await expect(card).to_have_attribute("size", "label")
    await card.evaluate("card => { card.layout = 'panel' }")
    await expect(card).to_have_attribute("size", "wall")
    await expect(page.locator(".about .note")).to_be_visible()
    await expect(card).not_to_have_attribute("stacked", "")
    await page.set_viewport_size({"width": 800, "height": 1280})
    await card.evaluate("card => { card.style.height = '1280px' }")
    await expect(card).to_have_attribute("stacked", "")
    picture = await page.locator(".picture").bounding_box()
    assert picture and picture["width"] == 800 and picture["height"] > 640
    await card.evaluate("card => { card.style.height = '2160px' }")
    await page.set_viewport_size({"width": 3840, "height": 2160})
    await render(page, entity_picture="/player/now?cache=1")
    image = page.locator(".picture img")
    await expect(image).to_have_attribute("src", "/image/work?state=now")
    # The image of a work comes after its title.
    await page.evaluate(
        """() => {
          const states = {...window.hass.states, "image.work": {state: "new", attributes: {entity_picture: "/image/work"}}};
          document.querySelector("dp1-wall-label-card").hass = {...window.hass, states};
        }"""
    )
    await expect(image).to_have_attribute("src", "/image/work?state=new")
    size = "element => parseFloat(getComputedStyle(element).fontSize)"
    assert await page.locator(".title").evaluate(size) > 48
    await page.set_viewport_size({"width": 1200, "height": 800})
    await card.evaluate("card => { card.layout = undefined; card.style.height = '' }")
    await render(page, config={"grid_options": {"rows": 3}})
    await expect(card).to_have_attribute("size", "tile")


async def test_rows_that_are_too_few(page: Page) -> None:
    """What has no place in the rows that somebody gave the card is scrolled to, in both forms of the label."""
    words = {"note": "It is.", "about_artist": "Ana draws.", "works": 5}
    await offer(page, "dp1://next", "Ebb and flood", "Neap", "Spring")
    for width, height in ((464, 900), (1024, 600)):
        await page.set_viewport_size({"width": width, "height": height})
        await render(page, work=words, config={"grid_options": {"rows": 6}})
        card = page.locator("dp1-wall-label-card")
        await expect(card).to_have_attribute("size", "label")
        await card.evaluate("card => { card.style.height = '374px' }")
        await expect(page.locator(".next li").first).to_be_visible()
        await expect_in_order(page)
        for part in (".upcoming", ".artist"):
            await page.locator(part).evaluate("part => part.scrollIntoView(false)")
            box = await page.locator(part).bounding_box()
            assert box and box["y"] >= 0 and box["y"] + box["height"] <= 375


async def test_right_to_left_and_still(page: Page) -> None:
    """From right to left the label begins at the right, the way on stays at the right, and nothing moves for whom it should not."""
    await page.emulate_media(reduced_motion="reduce")
    await page.evaluate("document.documentElement.dir = 'rtl'")
    await render(page)
    boxes = {
        name: await page.locator(selector).bounding_box()
        for name, selector in {
            "previous": "[data-do=previous]",
            "next": "[data-do=next]",
            "heart": "[data-do=favorite]",
        }.items()
    }
    assert boxes["heart"]["x"] < boxes["previous"]["x"] < boxes["next"]["x"]  # type: ignore[index]
    assert (
        await page.locator(".label").evaluate(
            "label => getComputedStyle(label).direction"
        )
        == "rtl"
    )
    await render(page, entity_picture="/player/now")
    image = page.locator(".picture img")
    await expect(image).to_be_visible()
    assert await image.evaluate("image => image.getAnimations().length") == 0


async def test_a_link_says_where_it_leads(page: Page) -> None:
    """A link to an artist tells its host, whatever the artist is called."""
    links = {"website": "https://evil.example/a"}
    await render(page, work={"artists": [{"name": "feralfile.com", "links": links}]})
    link = page.locator(".maker")
    await expect(link).to_be_visible()
    await expect(link).to_have_attribute("href", links["website"])
    await expect(link).to_have_attribute("title", "feralfile.com · evil.example")


async def test_a_text_that_is_cut_leads_on(page: Page) -> None:
    """Where a text is cut a link leads to the rest: to the page of the work, or of the artist."""
    links = {"website": "https://art.example/ana"}
    work = {"artists": [{"name": "Ana", "links": links}], "about_artist": "Ana draws…"}
    await render(page, work={**work, "note": "It is."})
    about = page.locator(".artists")
    await about.locator("summary").click()
    rest = about.locator(".rest")
    await expect(rest).to_have_attribute("href", links["website"])
    await expect(rest).to_have_text("read_more")
    await expect(rest).to_have_attribute("aria-label", "read_more · Ana · art.example")
    await judge(page)
    await page.locator(".about summary").click()
    await expect(page.locator(".about .rest")).to_be_hidden()
    await render(page, work={"about_artist": "Ana draws…", "artists": []})
    await about.locator("summary").click()
    await expect(rest).to_be_hidden()


async def test_everything_is_in_view(page: Page) -> None:
    """On a small tablet, beside the rows of the gallery and below its headings, nothing of the card is below the window."""
    await page.set_viewport_size({"width": 1024, "height": 600})
    await offer(page, "dp1://next", "Ebb and flood", "Neap", "Spring", "Storm")
    await page.evaluate("words => { window.words = words }", TEXTS)
    await render(page, work={"works": 5, "about_artist": "Ana draws."})
    card = page.locator("dp1-wall-label-card")
    await expect(page.locator(".next img").first).to_be_visible()
    for width in (300, 464):
        await card.evaluate(
            "(card, width) => { card.style.width = `${width}px`; }", width
        )
        await judge(page)
    box = await page.locator(".upcoming").bounding_box()
    picture = await page.locator(".picture").bounding_box()
    assert box and picture and picture["width"] > 150 and picture["height"] > 120
    assert box["y"] + box["height"] <= 600 - HEADINGS


async def test_edition(page: Page) -> None:
    """The edition is told as on a label."""
    for edition, text in TABLE["editions"].items():
        await render(page, work={"edition": edition})
        await expect(page.locator(".facts")).to_have_text(text)


async def test_a_display_that_hangs(page: Page) -> None:
    """A button shows that something happens from the click until the display answers."""
    await hold_answers(page)
    await render(page)
    button = page.locator("[data-do=next]")
    await button.click()
    await expect(button).to_have_attribute("aria-busy", "true")
    await page.evaluate("window.done()")
    await expect(button).not_to_have_attribute("aria-busy", "true")


async def test_trouble(page: Page) -> None:
    """What keeps a display from showing art, or a work from loading, is a sentence, with a button for what helps."""
    status = page.locator(".status")
    for state, work, sentence, helps in TABLE["troubles"]:
        await add_entities(page, playback_problem=work.get("problem", "off"))
        await render(page, state, work=work)
        await expect(status.locator("span")).to_have_text(sentence)
        await expect(status.get_by_role("button")).to_have_text([*helps])
        for label, call in helps.items():
            await status.get_by_role("button", name=label).click()
            assert await last_call(page) == call
    await add_entities(page)
    await render(page)
    await expect(status).to_have_text("")


async def add_entities(page: Page, **states: str) -> None:
    """Give the display the buttons and sensors that a real one has, by their keys."""
    entities = {
        f"{platform}.{key}": states.get(key, "off")
        for platform in ("button", "binary_sensor", "select")
        for key in TEXTS["entity"][platform]
    }
    await page.evaluate(
        """entities => {
          window.more = Object.fromEntries(Object.keys(entities).map((id) => [id, entity(id, id.split(".")[1])]));
          window.others = Object.fromEntries(Object.entries(entities).map(([id, state]) => [id, {state, attributes: {}}]));
        }""",
        entities,
    )


async def test_the_line_stands_still(page: Page) -> None:
    """Nothing moves under the finger while something is on its way to the display."""
    await speak(page, "de")
    await offer(page, "dp1://exhibitions", "Clouds")
    await render(page, media_content_id="dp1://recent/1#2", state="playing")
    following = page.locator("[data-do=next]")
    before = await following.bounding_box()
    await hold_answers(page)
    await (await choosing(page)).get_by_title("Clouds", exact=True).click()
    await expect(page.locator(".status[aria-busy]")).to_be_visible()
    assert await following.bounding_box() == before
    await page.evaluate("window.done()")
    await render(page, media_playlist="Clouds")
    await expect(page.locator(".status button")).to_be_visible()
    assert await following.bounding_box() == before


async def test_a_choice_that_failed(page: Page) -> None:
    """What could not be shown is told until it is dismissed, and can be tried again."""
    await offer(page, "dp1://exhibitions", "Clouds")
    await render(page)
    await page.evaluate("window.refuse = true")
    await (await choosing(page)).get_by_title("Clouds", exact=True).click()
    status = page.locator(".status")
    await expect(status.locator("span")).to_have_text("no")
    await status.get_by_role("button", name="try_again").click()
    await eventually(page, "() => window.calls.filter(Array.isArray).length == 2")
    first, second = await calls(page)
    assert first == second
    await status.get_by_role("button", name="dismiss").click()
    await expect(status).to_have_text("")


async def test_a_menu_goes_with_the_work(page: Page) -> None:
    """A menu about the work closes when the display sleeps or goes; that of the display has what it can do then."""
    menu = page.locator(".menu")
    for state in ("off", "unavailable"):
        await render(page)
        await page.locator("[data-do=duration]").click()
        await expect(menu).to_be_visible()
        await render(page, state)
        await expect(menu).to_be_hidden()
    await render(page)
    await page.locator("[data-do=more]").click()
    for state, entries in (
        ("off", ["together Hall", "write", "details"]),
        ("unavailable", ["details"]),
    ):
        await render(page, state, group_members=None)
        await expect(menu.locator("[role^=menuitem]")).to_have_text(entries)


async def test_publishing(page: Page) -> None:
    """The dashboard has one tile for all displays and libraries, and its question names what becomes public, and where."""
    await offer(page, "dp1://next", "Ebb", "Flood")
    await page.evaluate(
        """() => {
          window.more = {"event.a": entity("event.a", "news", "a"), "event.b": entity("event.b", "news", "b"), "button.a": entity("button.a", "refresh_library", "a")};
          window.others = Object.fromEntries(["event.a", "event.b"].map((id) => [id, {attributes: {event_types: ["playlist_published"]}}]));
        }"""
    )
    views = await page.evaluate(
        """() => {
          const library = (name, entry) => ({name, primary_config_entry: entry});
          return window.views({devices: {d1: {name: "Wall"}, d2: {name: "Hall"}, a: library("Museum", "e1"), b: library("House", "e2")}});
        }"""
    )
    heading, tile, refresh = views[1]["sections"][-1]["cards"]
    assert heading["heading"] == "library"
    assert refresh["entity"] == "button.a"
    assert tile["tap_action"] == tile["icon_tap_action"]
    await render(page, works=3)
    tap = "detail => window.dispatchEvent(new CustomEvent('ll-custom', {detail}))"
    await page.evaluate(tap, tile["tap_action"])
    dialog = page.get_by_role("dialog")
    await expect(dialog.locator(".thumb img")).to_have_count(2)
    await expect(dialog.get_by_text("publishing Hall 1 Museum")).to_be_visible()
    await dialog.get_by_label("publish").select_option("Wall")
    await expect(dialog.get_by_label("picture_title")).to_have_value("Tides")
    await dialog.get_by_label("feed").select_option("House")
    await expect(dialog.get_by_text("publishing Wall 3 House")).to_be_visible()
    await judge(page)
    assert await calls(page) == []
    at_home = {"message": "all at home", "translation_key": "works_at_home"}
    for_one = at_home | {"translation_placeholders": {"count": "1", "works": "3"}}
    await page.evaluate("refuse => { window.refuse = refuse; }", for_one)
    await dialog.get_by_role("button", name="publish_now").click()
    await expect(dialog.get_by_text("only_at_home 1 3")).to_be_visible()
    await judge(page)
    await page.evaluate("window.refuse = false")
    await dialog.get_by_role("button", name="leave_out_now").click()
    # What is left is at an address that can be shared.
    address = dialog.get_by_label("share")
    await expect(address).to_have_value("https://feed.example/p1")
    await judge(page)
    await dialog.get_by_role("button", name="close").click()
    await expect(dialog).to_have_count(0)
    data = {"config_entry_id": "e2", "entity_id": ENTITY_ID, "title": "Tides"}
    assert await calls(page) == [
        ["dp1", "publish_playlist", data],
        ["dp1", "publish_playlist", {**data, "only_public": True}],
    ]
    # Of nothing but works of the home, nothing is left.
    for_all = at_home | {"translation_placeholders": {"count": "3", "works": "3"}}
    await page.evaluate("refuse => { window.refuse = refuse; }", for_all)
    await page.evaluate(tap, tile["tap_action"])
    await dialog.get_by_role("button", name="publish_now").click()
    await eventually(
        page,
        "() => window.events.some(([, detail]) => detail?.message === 'all at home')",
    )
    await expect(dialog).to_have_count(0)


async def test_a_display_called_gallery(page: Page) -> None:
    """Each view of the dashboard has an address of its own, whatever the displays are called."""
    names = ["gallery", "settings", "wall"]
    views = await page.evaluate(
        """names => {
          const ids = names.map((name) => `media_player.${name}`);
          return window.views({entities: Object.fromEntries(ids.map((id) => [id, {entity_id: id, platform: "dp1", device_id: id}]))});
        }""",
        names,
    )
    displays = ["gallery-display", "settings-display", "wall"]
    assert [view["path"] for view in views] == [*names[:2], *displays]


async def test_choosing(page: Page) -> None:
    """The exhibitions are there at once, a search finds other art, also before them, and a tap hangs it."""
    await page.evaluate(
        """() => {
          window.browsing = new Promise((done) => window.browse = done);
          window.found = [{...work("Foam", "m1"), media_content_type: "x"}];
        }"""
    )
    await offer(page, "dp1://exhibitions", "Tides", "Clouds")
    await render(page, "off")
    choose, dialog = page.locator("[data-do=choose]"), page.get_by_role("dialog")
    field, items = dialog.get_by_role("searchbox"), dialog.locator("li")
    await choose.click()
    await field.fill("foam")
    await expect(items).to_have_text(["Foam"])
    await page.evaluate("window.browse()")
    await expect(dialog.locator(".chips button")).to_have_count(2)
    await expect(field).to_have_value("foam")
    await expect(items).to_have_text(["Foam"])
    await field.fill("")
    await expect(items).to_have_text(["Tides", "Clouds"])
    await expect(dialog.get_by_role("status")).to_be_hidden()
    await field.fill("foam")
    await expect(items).to_have_text(["Foam"])
    await items.locator(".show").click()
    await expect(dialog).to_have_count(0)
    hung = {"media_content_id": "m1", "media_content_type": "x"}
    assert (await last_call(page))[-1] == {"entity_id": ENTITY_ID, **hung}
    await choose.click()
    await page.evaluate("window.found = []")
    await field.fill("nothing")
    await expect(dialog.get_by_role("status")).to_have_text("nothing_found")
    # The first empties the field.
    await page.keyboard.press("Escape")
    await page.keyboard.press("Escape")
    await expect(dialog).to_have_count(0)


async def test_artists(page: Page) -> None:
    """A letter leads to the first of the artists, who come in the order of their last names; what is left is last."""
    await page.evaluate(
        """() => {
          window.pages["dp1://folders"].push(folder("All", "artists"));
          const names = [..."ABCDEFGHIJKLMNOPQRSTUVWXYZ"].map((letter, index) => `${"ZYXWVUTSRQPONMLKJIHGFEDCBA"[index]}da ${letter}oe`);
          window.pages.All = [...names.map((name) => folder(name, "artist")), folder("More (9)", "more")];
        }"""
    )
    await speak(page, "en")
    await render(page)
    dialog = await choosing(page)
    await dialog.get_by_role("button", name="Artists", exact=True).click()
    names = dialog.locator("li .show")
    await expect(names).to_have_count(27)
    titles = [await name.get_attribute("title") for name in await names.all()]
    assert [(titles[0], titles[25]), titles[26]] == [("Zda Aoe", "Ada Zoe"), "More (9)"]
    letters = dialog.locator(".letters button")
    await expect(letters).to_have_count(26)
    await expect(names.nth(25)).not_to_be_in_viewport()
    await letters.last.click()
    await expect(names.nth(25)).to_be_in_viewport()
    await judge(page)


async def test_a_library_that_is_empty(page: Page) -> None:
    """It is being read only while it is: one that was read and has nothing says so."""
    await page.clock.install()
    await render(page)
    reads = "reading => { document.querySelector('home-assistant').hass.states['sensor.last_refresh'] = {state: 'unknown', attributes: {reading}}; }"
    await page.evaluate(reads, True)
    await page.locator("[data-do=choose]").click()
    status = page.get_by_role("dialog").get_by_role("status")
    await expect(status).to_have_text("still_reading")
    await page.evaluate(reads, False)
    await page.keyboard.press("Escape")
    await page.locator("[data-do=choose]").click()
    await expect(status).to_have_text("empty")
    # Nor does the row of the gallery wait for ever.
    await page.evaluate("window.row('dp1-highlights-card')")
    row = page.locator("dp1-highlights-card .exhibitions p")
    await expect(row).to_have_text("empty")
    calls = await page.evaluate("window.calls.length")
    await page.clock.run_for(20_000)
    assert await page.evaluate("window.calls.length") == calls


async def test_a_connection_that_comes_back(page: Page) -> None:
    """What was asked while the connection was lost is asked again once it is back."""
    await page.clock.install()
    await offer(page, "dp1://exhibitions", "Tides")
    await render(page)
    await page.evaluate(
        "window.lost = [3, {code: 3}, {type: 'result', error: {code: 3}}]"
    )
    dialog = await choosing(page)
    await expect(dialog.get_by_role("status")).to_have_text("reading")
    for _ in range(4):
        await page.clock.run_for(2000)
    await expect(dialog.get_by_title("Tides", exact=True)).to_be_visible()
    assert await page.evaluate("window.lost") == []
    await page.evaluate("window.lost = [{code: 'unknown_error', message: 'broken'}]")
    await dialog.get_by_role("searchbox").fill("foam")
    await page.clock.run_for(400)
    await expect(dialog.get_by_role("status")).to_have_text("broken")


async def test_adding_to_a_playlist(page: Page) -> None:
    """A work is added to a playlist of one's own, or begins a new one in a feed, after it is said that these are public."""
    await page.evaluate(
        """() => {
          window.found = [work("Foam", "media-source://dp1/e1/artwork/s/w")];
          window.own = {
            feeds: [{entry: "e1", name: "Museum"}],
            playlists: [{entry: "e1", id: "p1", title: "Evening", media_content_id: "media-source://dp1/e1/playlist/p1"}],
          };
        }"""
    )
    await render(page)
    await page.evaluate("window.hass.user = {is_admin: true}")
    chooser = await choosing(page)
    await chooser.get_by_role("searchbox").fill("foam")
    dialog = page.locator("dp1-form").get_by_role("dialog")
    work = ["media-source://dp1/e1/artwork/s/w"]
    before = {"config_entry_id": "e1", "playlist_id": "p1"}
    added = [
        ["dp1", "get_playlist", before],
        ["dp1", "update_playlist", {**before, "add": work}],
    ]
    new = {"config_entry_id": "e1", "title": "Foam", "media": work}
    for choice, wanted in (
        ("Evening", added),
        ("new_playlist Museum", [["dp1", "publish_playlist", new]]),
    ):
        menu = await menu_of(page, "Foam")
        await menu.get_by_text("to_playlist").click()
        await expect(dialog.get_by_text("playlists_are_public")).to_be_visible()
        await dialog.get_by_label("playlist").select_option(choice)
        await judge(page)
        await page.evaluate("window.calls.length = 0")
        await dialog.get_by_role("button", name="add", exact=True).click()
        if choice != "Evening":
            await expect(dialog.get_by_label("share")).to_be_focused()
            await dialog.get_by_role("button", name="close").click()
        await expect(dialog).to_have_count(0)
        await eventually(
            page,
            f"() => window.calls.filter(Array.isArray).length == {len(wanted)}",
        )
        assert await calls(page) == wanted
    # What it was comes back.
    toasts = """window.events.filter(([type]) => type === "hass-notification").map(([, {action}]) => action?.action)"""
    await page.evaluate(f"() => {toasts}[0]()")
    document = {"title": "Evening", "id": "p1"}
    undone = {"config_entry_id": "e1", "playlist": document}
    assert await last_call(page) == ["dp1", "publish_playlist", undone]


OWN = "media-source://dp1/e1/playlist/p1"
PLAYLIST = {"config_entry_id": "e1", "playlist_id": "p1"}


async def test_changing_a_playlist(page: Page) -> None:
    """Inside a playlist of one's own works change places and go by a menu; it gets another title, and can be deleted."""
    await offer(page, "dp1://folders")
    await page.evaluate(
        """(own) => {
          const works = ["Ebb", "Flood", "Neap"].map((title) => work(title, `${own}/${title}%201`));
          const evening = folder("Evening", undefined, own, {can_play: true});
          window.pages = {"dp1://folders": [folder("Playlists", "playlists", "f")], f: [evening], [own]: works};
          window.own = {feeds: [], playlists: [{entry: "e1", id: "p1", title: "Evening", media_content_id: own}]};
        }""",
        OWN,
    )
    await render(page)
    await page.evaluate("window.hass.user = {is_admin: true}")
    chooser = await choosing(page)
    await chooser.get_by_role("button", name="playlists", exact=True).click()
    menu = await menu_of(page, "Evening")
    await menu.get_by_text("look_inside").click()
    items = chooser.locator(".body li")
    await expect(items).to_have_count(3)
    undo = chooser.get_by_role("status").get_by_role("button", name="undo")

    async def changed(action: str, **data: Any) -> None:
        """Expect that the playlist was read and changed, and that an undo publishes what it was."""
        await expect(undo).to_be_visible()
        assert await calls(page) == [
            ["dp1", "get_playlist", PLAYLIST],
            ["dp1", action, {**PLAYLIST, **data}],
        ]
        await undo.click()
        document = {"title": "Evening"}
        if action != "delete_playlist":
            document["id"] = "p1"
        before = {"config_entry_id": "e1", "playlist": document}
        assert await last_call(page) == ["dp1", "publish_playlist", before]
        await expect(undo).to_have_count(0)
        await page.evaluate("window.calls.length = 0")

    ebb, flood, neap = "Ebb 1", "Flood 1", "Neap 1"
    await page.evaluate("window.calls.length = 0")
    await (await menu_of(page, "Neap")).get_by_text("move_up").click()
    await expect(items.nth(1).locator(".show")).to_be_focused()
    await changed("update_playlist", order=[ebb, neap, flood])
    await (await menu_of(page, "Flood")).get_by_text("take_out").click()
    await changed("update_playlist", remove=[flood])
    await judge(page)
    await chooser.get_by_role("button", name="rename").click()
    form = page.locator("dp1-form").get_by_role("dialog")
    await judge(page)
    await form.get_by_role("textbox").fill("Night")
    await form.get_by_role("button", name="save").click()
    await changed("update_playlist", title="Night")
    await (await menu_of(page, "Evening")).get_by_text("look_inside").click()
    await chooser.get_by_role("button", name="delete").click()
    # There is nothing left to be in.
    await expect(chooser.get_by_title("Evening", exact=True)).to_be_visible()
    await changed("delete_playlist")


async def show_row(page: Page, state: str, sources: list[str], source: str) -> None:
    """Show the row of exhibitions of a display."""
    await page.evaluate(
        """([state, source_list, source]) => {
          window.render({state, attributes: {source_list, source, supported_features: 131072}}, {}, "nl");
          window.row("dp1-exhibitions");
        }""",
        [state, sources, source],
    )


async def test_the_row_of_exhibitions(page: Page) -> None:
    """The chosen one comes first, a dozen are there, one is in the order of the Tab key, and none works where the display does not."""
    sources = [f"Show {number}" for number in range(40)]
    await show_row(page, "unavailable", [], "")
    buttons = page.locator("dp1-exhibitions button")
    await expect(buttons).to_have_text(["more_art"])
    await offer(page, "dp1://exhibitions", *sources[:20])
    await show_row(page, "playing", sources, "Show 30")
    await expect(buttons).to_have_text(["Show 30", *sources[:11], "more_art"])
    await expect(page.locator("dp1-exhibitions [tabindex='0']")).to_have_count(1)
    await buttons.first.focus()
    for key in ("ArrowRight", "ArrowRight", "Enter"):
        await page.keyboard.press(key)
    chosen = act("media_player.select_source", source="Show 1")
    assert await calls(page) == [chosen]
    await page.keyboard.press("End")
    await page.keyboard.press("Enter")
    await expect(page.get_by_role("dialog").locator("li")).to_have_count(20)
    await page.keyboard.press("Escape")
    await show_row(page, "unavailable", sources, "Show 30")
    await expect(buttons.first).to_be_disabled()


async def test_rows_come_late(page: Page) -> None:
    """An answer that is overtaken by a newer one changes nothing."""
    await render(page)
    await page.evaluate(
        """async () => {
          window.row("dp1-highlights-card");
          const row = document.querySelector("dp1-highlights-card");
          const answers = [];
          const wait = () => new Promise((done) => setTimeout(done, 50));
          const folders = {children: [{title: "x", media_content_id: "x", dp1: {kind: "exhibitions"}}]};
          await wait();
          for (const source of ["Old", "New"]) {
            const wall = {state: "playing", attributes: {source_list: [source]}};
            const callWS = ({media_content_id: page}) => page === "dp1://highlights" ? new Promise((done) => answers.push(done)) : folders;
            row.hass = {...window.hass, states: {"media_player.wall": wall}, callWS: async (message) => callWS(message)};
            await wait();
          }
          answers[1]({children: [{title: "New"}]});
          await wait();
          answers[0]({children: [{title: "Old"}]});
          await wait();
        }"""
    )
    new = page.locator("dp1-highlights-card .exhibitions li")
    await expect(new).to_have_text(["New"])


async def test_rows_that_could_not_be_read(page: Page) -> None:
    """The gallery says that it reads, and that it could not, with a button to try again."""
    await offer(page, "dp1://highlights", "Today")
    await speak(page, "en")
    await render(page)
    await page.evaluate("window.lost = Array.from({length: 9}, () => Error('gone'))")
    await page.evaluate("window.row('dp1-highlights-card')")
    row = page.locator("dp1-highlights-card")
    await expect(row).to_have_text(
        "This could not be read. Try again in a momentTry again"
    )
    await judge(page)
    hold = "() => { window.lost = []; window.browsing = new Promise((done) => window.browse = done); }"
    await page.evaluate(hold)
    await row.get_by_role("button", name="Try again").click()
    await page.evaluate("document.querySelector('dp1-highlights-card').remove()")
    await page.evaluate("window.row('dp1-highlights-card')")
    await expect(row).to_have_text("Reading…")
    await page.evaluate("window.browse()")
    await expect(row.locator(".exhibitions li")).to_have_text(["Today"])


async def test_rows(page: Page) -> None:
    """New and favorite art is shown with a tap, on the display that is set in the editor since; an empty row says how it is filled."""
    await offer(page, "dp1://highlights", "Today", "New")
    await page.evaluate(
        """() => {
          window.pages["dp1://folders"].push(folder("f1", "favorites"), folder("f2", "favorites"), folder("a", "artists"), folder("Mine", ""));
          Object.assign(window.pages, {f1: [work("Foam")], f2: [work("Mist")], a: [folder("Ana Ruiz", "artist")], "Ana Ruiz": [work("Waves")]});
        }"""
    )
    await speak(page, "en")
    await render(page)
    await page.evaluate("window.row('dp1-highlights-card')")
    row = page.locator("dp1-highlights-card")
    # One row for each kind, also of several libraries.
    await expect(row.locator("h3:visible")).to_have_text(
        ["New", "Library", "Favorites"]
    )
    await expect(row.locator(".exhibitions li")).to_have_text(["Today", "New"])
    await expect(row.locator(".favorites li")).to_have_text(["Foam", "Mist"])
    await expect(row.locator(".pictures p")).to_contain_text("it is kept here")
    await expect(row.get_by_role("button", name="Show a picture…")).to_be_visible()
    await judge(page)
    # What is not there has the one button that helps.
    await page.evaluate(
        "window.kept = {...window.pages}; window.pages.f1 = window.pages.f2 = []"
    )
    await render(page, media_playlist="Another")
    await page.evaluate("window.row('dp1-highlights-card')")
    dialog = page.get_by_role("dialog")
    await expect(row.locator(".favorites p")).to_contain_text("Tap the heart")
    await judge(page)
    await row.locator(".favorites").get_by_role("button", name="Choose art").click()
    await expect(dialog.get_by_role("heading", name="Choose art")).to_be_visible()
    await page.keyboard.press("Escape")
    await page.evaluate("window.pages = window.kept")
    await render(page)
    await page.evaluate("window.row('dp1-highlights-card')")
    await expect(row.locator(".favorites li")).to_have_text(["Foam", "Mist"])
    medium = {"media_content_id": "dp1://highlights/w2", "media_content_type": "image"}
    for name in ("wall", "hall"):
        hung = {"entity_id": f"media_player.{name}", **medium}
        # The art of both is the same.
        await page.evaluate(
            """entity => {
              window.hass.states["media_player.hall"] = window.hass.states["media_player.wall"];
              document.querySelector("dp1-highlights-card").setConfig({entity});
              return new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done)));
            }""",
            hung["entity_id"],
        )
        await row.locator(".exhibitions .show").first.click()
        assert await last_call(page) == ["media_player", "play_media", hung]
    # Where there are several displays, a tap shows on the chosen one.
    names = [{"entity": ENTITY_ID, "name": "Wall"}, {"entity": HALL, "name": "Hall"}]
    several = {"entity": ENTITY_ID, "displays": names}
    await row.evaluate("(row, config) => row.setConfig(config)", several)
    strip = row.locator(".strip dp1-wall-label-card")
    await expect(strip.locator(".artist")).to_have_text(["Wall", "Hall"])
    await strip.first.get_by_role("button", name="media_next_track").click()
    assert await last_call(page) == act("media_player.media_next_track")
    await strip.last.locator(".picture").click()
    chosen = strip.locator("[aria-pressed=true].picture")
    await expect(chosen).to_have_attribute("aria-label", re.compile("Hall|Low tide"))
    await judge(page)
    await row.locator(".favorites .show").first.click()
    assert (await last_call(page))[2]["entity_id"] == HALL
    await row.get_by_title("Surprise me", exact=True).click()
    assert (await last_call(page))[2] == {
        "entity_id": HALL,
        "media_content_id": "dp1://surprise",
        "media_content_type": "playlist",
    }
    await row.get_by_title("Artists", exact=True).click()
    await dialog.locator(".body .show").first.click()
    await expect(dialog.get_by_role("heading", name="Ana Ruiz")).to_be_visible()
    await expect(dialog.locator("li")).to_have_text(["Waves"])
    # Escape goes one step back.
    await page.keyboard.press("Escape")
    await expect(dialog.locator("li")).to_have_text(["Ana Ruiz"])
    await page.keyboard.press("Escape")
    await expect(dialog).to_have_count(0)
    await row.get_by_role("button", name="Show all: Favorites").click()
    await expect(dialog.locator("li")).to_have_text(["Foam", "Mist"])
    await page.keyboard.press("Escape")
    # They stay and cannot be tapped while the display is out of reach, also where the page is opened only then.
    await page.evaluate(
        """() => {
          window.hass = {...window.hass, states: {"media_player.wall": {state: "unavailable", attributes: {}}}};
          window.row("dp1-highlights-card");
          window.row("dp1-highlights-card", "media_player.wall", false);
        }"""
    )
    lists = page.locator("dp1-highlights-card .exhibitions ul[inert]")
    await expect(lists).to_have_count(2)
