"""The wall label card by itself, in a page with a made-up Home Assistant: what it does with what it is told."""

from collections.abc import AsyncIterator
from typing import Any

from playwright.async_api import Page, Route, expect
import pytest

from custom_components.dp1.cards import CARDS_FILE

from .browser import CHROMIUM, browser

pytestmark = [
    pytest.mark.e2e,
    pytest.mark.usefixtures("socket_enabled"),
    pytest.mark.skipif(not CHROMIUM, reason="DP1_CHROMIUM names no browser"),
]

HOME = "http://home.test"
ENTITY_ID = "media_player.wall"
CONTRACT = "0x446dc57d1ca261013c908f695bb4239a3c724ff1"
TEZOS = "KT1RJ6PbjHpwc3M5rw5s2Nbmefwbuwbdxton"
EVERYTHING = 16 | 32 | 128 | 256 | 131072
WORK = {
    "work_id": "w1",
    "works": 3,
    "year": 2024,
    "medium": "software",
    "edition": "#12 of 36",
    "exhibition": "Tides",
    "note": "About the sea.",
    "link": "https://art.example/1",
    "favorite": False,
    "provenance": {
        "type": "onChain",
        "contract": {"chain": "evm", "address": CONTRACT, "tokenId": "7"},
    },
}
EXPLORED = (
    (
        {"chain": "evm", "address": CONTRACT, "tokenId": "7"},
        f"https://etherscan.io/nft/{CONTRACT}/7",
    ),
    (
        {"chain": "tezos", "address": TEZOS, "tokenId": "9"},
        f"https://tzkt.io/{TEZOS}/tokens/9",
    ),
)
UNEXPLORED = (
    {"chain": "evm", "address": f"{CONTRACT}/../x", "tokenId": "7"},
    {"chain": "evm", "address": CONTRACT, "tokenId": "7?x"},
    {"chain": "evm", "address": CONTRACT},
    {"chain": "constructor", "address": CONTRACT, "tokenId": "7"},
    {"chain": "bitmark", "address": "b1"},
)
ATTRIBUTES = {
    "friendly_name": "Wall",
    "media_title": "Low tide",
    "media_artist": "Ana Ruiz",
    "media_playlist": "Tides",
    "media_track": 2,
    "supported_features": EVERYTHING,
}
# What Home Assistant gives to a card, as far as the card asks for it.
PAGE = """<!doctype html><html lang="en"><body style="margin:0"><script type="module">
customElements.define("ha-card", class extends HTMLElement {
  constructor() { super(); this.attachShadow({mode: "open"}).innerHTML = "<slot></slot>"; this.style.display = "block"; }
});
customElements.define("ha-icon", class extends HTMLElement {});
customElements.define("home-assistant", class extends HTMLElement {});
window.calls = [];
window.events = [];
for (const type of ["hass-more-info", "show-dialog", "location-changed"])
  window.addEventListener(type, (event) => window.events.push([type, event.detail]));
window.render = (state, config = {}, language = "en") => {
  const localize = (key, values) => [key.split(".").pop(), ...Object.values(values ?? {})].join(" ");
  window.hass = {
    language, localize,
    states: {...window.hass?.states, "media_player.wall": state},
    entities: {"media_player.wall": {platform: "dp1"}, "media_player.tv": {platform: "cast"}, "light.hall": {platform: "dp1"}},
    hassUrl: (path) => path,
    formatEntityState: (state) => `state ${state.state}`,
    loadBackendTranslation: async () => localize,
    callService: async (...call) => { window.calls.push(call); if (window.refuse) throw new Error("no"); },
    callWS: async (message) => { window.calls.push(message); return {children: window.coming ?? []}; },
  };
  document.querySelector("home-assistant").hass = window.hass;
  let card = document.querySelector("dp1-wall-label-card");
  if (!card) {
    card = document.createElement("dp1-wall-label-card");
    document.body.append(card);
  }
  card.setConfig({type: "custom:dp1-wall-label-card", entity: "media_player.wall", ...config});
  card.hass = window.hass;
};
document.body.append(document.createElement("home-assistant"));
await import("/dp1-cards.js");
await import("/dp1-cards.js?again");
window.ready = true;
</script></body></html>"""


@pytest.fixture
async def page() -> AsyncIterator[Page]:
    """Open a page that has the card, and nothing else."""
    async with browser() as chromium:
        page = await chromium.new_page(viewport={"width": 480, "height": 900})
        page.set_default_timeout(5000)
        complaints: list[str] = []
        page.on("pageerror", lambda error: complaints.append(str(error)))

        async def serve(route: Route) -> None:
            """Serve the page and the cards."""
            if "dp1-cards.js" in route.request.url:
                await route.fulfill(path=CARDS_FILE, content_type="text/javascript")
            else:
                await route.fulfill(body=PAGE, content_type="text/html")

        await page.route("**/*", serve)
        await page.goto(HOME)
        await page.wait_for_function("window.ready")
        yield page
        assert not complaints


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
    await expect(page.locator(".showFor select")).to_have_attribute(
        "aria-label", "show_for"
    )


async def calls(page: Page) -> list[Any]:
    """Return the actions that were called."""
    found: list[Any] = await page.evaluate("window.calls.filter(Array.isArray)")
    return found


async def test_a_stranger_writes_no_markup(page: Page) -> None:
    """Text from outside stays text, and an address of another kind is no link."""
    evil = "<img src=x onerror=alert(1)>"
    await page.evaluate(
        "evil => { window.coming = [{title: evil, media_content_id: 'dp1://next/w2'}] }",
        evil,
    )
    await render(
        page,
        work={
            "exhibition": evil,
            "note": evil,
            "medium": evil,
            "edition": evil,
            "year": evil,
            "link": "javascript:alert(1)",
            "provenance": {"contract": {"chain": evil, "address": evil}},
        },
        media_title=f"{evil}!",
        media_artist=evil,
    )
    await expect(page.locator(".title")).to_have_text(f"{evil}!")
    for selector in (".artist", ".exhibition", ".note", ".next li"):
        await expect(page.locator(selector)).to_have_text(evil)
    assert await page.locator("img[src='x']").count() == 0
    assert await page.locator("a[href]").count() == 0


async def test_provenance(page: Page) -> None:
    """A token has a link to the explorer of its chain, if there is one."""
    link = page.locator(".provenance")
    for contract, address in EXPLORED:
        await render(page, work={"provenance": {"contract": contract}})
        await expect(link).to_have_attribute("href", address)
        await expect(link).to_have_attribute("rel", "noopener noreferrer")
    for contract in UNEXPLORED:
        await render(page, work={"provenance": {"contract": contract}})
        await expect(link).to_be_hidden()
        await expect(page.locator(".chain")).to_be_visible()


async def test_edition(page: Page) -> None:
    """The edition is told as on a label."""
    for edition, text in (
        ("#12 of 36", "software · edition_of 12 36"),
        ("#12", "software · edition 12"),
        ("AP", "software · AP"),
        (None, "software"),
    ):
        await render(page, work={"edition": edition})
        await expect(page.locator(".facts")).to_have_text(text)


async def test_without_a_work(page: Page) -> None:
    """A display that shows nothing has its name and its state, and what can be done with it."""
    power, choose = page.locator("[data-do=power]"), page.locator("[data-do=browse]")
    for state in ("idle", "unavailable", None, "off"):
        await render(page, state)
        for selector in (".artist", ".facts", ".exhibition", "details", ".links"):
            await expect(page.locator(selector)).to_be_hidden()
        for name in ("previous", "next", "favorite"):
            await expect(page.locator(f"[data-do={name}]")).to_be_hidden()
        words = f"state {state}" if state else "entity_not_found"
        await expect(page.locator(".state")).to_have_text(words)
        assert await power.is_visible() is (state in {"off", "idle"})
        assert await choose.is_visible() is (state == "idle")
    await power.click()
    assert await calls(page) == [["media_player", "turn_on", {"entity_id": ENTITY_ID}]]


async def test_what_a_display_cannot_do(page: Page) -> None:
    """There is no button for what the display cannot do, nor a heart without a library to keep it in."""
    await render(page, work={"favorite": None}, supported_features=0)
    for name in ("previous", "next", "favorite", "power", "browse"):
        await expect(page.locator(f"[data-do={name}]")).to_be_hidden()


async def test_the_label_alone(page: Page) -> None:
    """Somebody who only wants the label has no controls."""
    await render(page, config={"hide_controls": True})
    await expect(page.locator(".title")).to_be_visible()
    for selector in (".controls", ".choose", ".upcoming"):
        await expect(page.locator(selector)).to_be_hidden()


async def test_actions(page: Page) -> None:
    """Each control calls its action; a refusal is shown by Home Assistant and breaks nothing."""
    await page.evaluate("window.refuse = true")
    await page.evaluate(
        "window.coming = [{title: '', media_content_id: 'dp1://next/w2'}]"
    )
    await render(page, work={"favorite": True})
    await page.locator(".next button").click()
    await page.locator("[data-do=favorite]").click()
    await page.locator("[data-do=previous]").click()
    await page.locator("select").select_option("30")
    await page.locator("[data-do=power]").click()
    data = {"entity_id": ENTITY_ID}
    assert await calls(page) == [
        ["dp1", "show_work", {**data, "work": "w2"}],
        ["dp1", "remove_favorite", data],
        ["media_player", "media_previous_track", data],
        ["dp1", "show_work", {**data, "work": "w1", "show_for": {"minutes": 30}}],
        ["media_player", "turn_off", data],
    ]
    assert await page.locator("select").input_value() == ""
    await page.locator(".picture").press("Enter")
    assert ["hass-more-info", {"entityId": ENTITY_ID}] in await page.evaluate(
        "window.events"
    )


async def test_without_home_assistants_dialog(page: Page) -> None:
    """Where the media dialog cannot be had, the media browser opens as a page."""
    await render(page)
    await page.locator("[data-do=browse]").click()
    await page.wait_for_url(f"**/media-browser/{ENTITY_ID}")
    assert ["location-changed", {"replace": False}] in await page.evaluate(
        "window.events"
    )


async def test_other_entities_change_nothing(page: Page) -> None:
    """Only its own entity makes the card draw, and the works to come are asked for once."""
    await render(page)
    changed = await page.evaluate(
        """async () => {
          const card = document.querySelector("dp1-wall-label-card");
          let changes = 0;
          new MutationObserver((records) => (changes += records.length))
            .observe(card.shadowRoot, {subtree: true, childList: true, attributes: true, characterData: true});
          card.hass = {...window.hass, states: {...window.hass.states, "light.hall": {state: "on"}}};
          await new Promise(requestAnimationFrame);
          return changes;
        }"""
    )
    assert changed == 0
    asked = "window.calls.filter((call) => call.type).length"
    assert await page.evaluate(asked) == 1
    await render(page, media_title="Ebb", media_track=3)
    assert await page.evaluate(asked) == 2


async def test_configuration(page: Page) -> None:
    """The card finds a display by itself, is suggested for displays only, and refuses what is none."""
    await render(page)
    (card,) = await page.evaluate("window.customCards")
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
    await expect(page.locator(".note")).to_be_visible()
    await card.evaluate("card => { card.layout = undefined }")
    await render(page, config={"grid_options": {"rows": 3}})
    await expect(card).to_have_attribute("size", "tile")


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
    animation = "image => { image.classList.add('fresh'); return getComputedStyle(image).animationName }"
    assert await page.locator(".picture img").evaluate(animation) == "none"
