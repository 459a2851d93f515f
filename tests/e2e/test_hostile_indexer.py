"""The cards in a browser, fed by an indexer whose tokens carry markup, scripts and false addresses: texts stay texts."""

from typing import Any

from playwright.async_api import expect
import pytest

from custom_components.dp1.client.indexer import client
from homeassistant.core import HomeAssistant

from .browser import CHROMIUM, browser
from .test_card_alone import card_page, render

from tests.collections import COLLECTOR, SUBENTRY, collection_of, set_up_collection
from tests.displays import DEVICE_ID, ENTITY_ID, entry_of, set_up, state_of, until
from tests.simulators.display import DisplaySimulator
from tests.simulators.indexer import IndexerSimulator

pytestmark = [
    pytest.mark.e2e,
    pytest.mark.usefixtures("socket_enabled"),
    pytest.mark.skipif(not CHROMIUM, reason="DP1_CHROMIUM names no browser"),
]

# Markup that is there only once entities are resolved.
TAG = "&lt;img src=x onerror=alert(1)&gt;"
BREAK = "\"'>`${alert(1)}{{ states }}</div><svg/onload=alert(1)>"
LINK = "[here](javascript:alert(1)) javascript:alert(1)"
# An address that tries to leave the attribute that it is in.
ESCAPES = (
    "https://art.example/1.png?a=\"'><script>alert(1)</script>&#x22; onerror=alert(1)"
)
TEXTS = (TAG, BREAK, LINK)
HOSTILE: list[dict[str, Any]] = [
    {
        "display": {
            "name": f"Dawn {text}",
            "description": text,
            "mime_type": text,
            "image_url": image,
            "animation_url": work,
            "artists": [{"name": f"Ana {text}", "did": text, "url": "javascript:alert(1)"}],
            "publisher": {"name": text, "url": "javascript:alert(1)"},
        },
        "id": f"1{text}",
    }
    for text, image, work in (
        (TAG, "javascript:alert(1)", "https://art.example/1.html#\"><script>alert(1)</script>"),
        (BREAK, ESCAPES, ESCAPES),
        (LINK, "data:image/svg+xml,<svg onload=alert(1)>", "data:text/html,<script>parent.alert(1)</script>"),
    )
]  # fmt: skip


async def children(hass: HomeAssistant, media_id: str) -> list[dict[str, Any]]:
    """Return a page of the media browser of the display, as the frontend gets it."""
    found: Any = await hass.services.async_call(
        "media_player",
        "browse_media",
        {
            "entity_id": ENTITY_ID,
            "media_content_id": media_id,
            "media_content_type": "directory",
        },
        blocking=True,
        return_response=True,
    )
    shown = found[ENTITY_ID].as_dict()["children"]
    assert isinstance(shown, list)
    return shown


async def test_cards_of_a_hostile_indexer(
    hass: HomeAssistant, monkeypatch: pytest.MonkeyPatch
) -> None:
    """What a label and a chooser show of its works is text, nothing runs, and no link leads where a script is."""
    monkeypatch.setattr(client, "PAUSE", 0.01)
    async with (
        IndexerSimulator() as indexer,
        DisplaySimulator(
            profile="B",
            device_id=DEVICE_ID,
            poll_interval=0.1,
            page_delay=0.02,
            storm_gate=False,
        ) as wall,
    ):
        wall.caster.preflight = False
        for record, changed in zip(indexer.own(COLLECTOR, 3), HOSTILE, strict=True):
            record["display"] |= changed["display"]
            record["id"] = changed["id"]
        await set_up(hass, entry_of(wall))
        entry = await set_up_collection(hass, indexer.url, COLLECTOR)
        await until(lambda: len(collection_of(entry).list.records) == len(HOSTILE))
        folder = f"media-source://dp1/{entry.entry_id}/collection/{SUBENTRY}"
        # Its artists, and its works.
        entries = await children(hass, folder)
        works = [it for it in entries if not it["can_expand"]]
        assert len(works) == len(HOSTILE)
        async with browser() as chromium, card_page(chromium) as page:
            dialogs: list[str] = []
            page.on("dialog", lambda dialog: dialogs.append(dialog.message))
            offered = {"dp1://next": works, "dp1://exhibitions": entries}
            await page.evaluate("pages => Object.assign(window.pages, pages)", offered)
            for work in works:
                await hass.services.async_call(
                    "media_player",
                    "play_media",
                    {
                        "entity_id": ENTITY_ID,
                        "media_content_id": work["media_content_id"],
                        "media_content_type": "image",
                    },
                    blocking=True,
                )
                await until(lambda: bool(state_of(hass).attributes.get("media_title")))
                shown = state_of(hass).as_dict()["attributes"]
                await render(
                    page,
                    work=dict(shown["dp1"]),
                    **{
                        name: shown.get(name)
                        for name in ("media_title", "media_artist", "media_playlist")
                    },
                )
                title = page.locator(".title")
                await expect(title).to_contain_text("Dawn")
                await expect(title.locator("*")).to_have_count(0)
                await page.locator("[data-do=choose]").click()
                chooser = page.get_by_role("dialog")
                await chooser.get_by_role("button", name="exhibitions").click()
                await expect(chooser.locator("li")).to_have_count(len(entries))
                await page.keyboard.press("Escape")
                await page.keyboard.press("Escape")
                await expect(chooser).to_have_count(0)
                found = """() => [...document.querySelectorAll("*")].flatMap(function inside(it) {
                  return [it, ...[...(it.shadowRoot?.querySelectorAll("*") ?? [])].flatMap(inside)];
                })"""
                assert not await page.evaluate(
                    f"""() => ({found})().flatMap(it => [...it.attributes]).filter(
                      ({{name, value}}) => name.startsWith("on") || /^\\s*(javascript|data:text)/i.test(value)
                    ).map(it => it.value)"""
                )
                assert not await page.evaluate(
                    f"""() => ({found})().filter(it => it.matches("img[src='x'], svg[onload], script:not([nonce])")).length"""
                )
            assert dialogs == []
