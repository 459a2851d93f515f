"""What the authors of a feed and the owners of tokens write reaches nobody as more than a short plain text."""

from typing import Any
from unicodedata import category

import pytest

from custom_components.dp1.browse.pages import async_browse_library
from custom_components.dp1.client.indexer import client
from custom_components.dp1.client.indexer.tokens import Token
from custom_components.dp1.client.text import MAX_TITLE
from custom_components.dp1.language import async_load_texts
from custom_components.dp1.library.node import media_id
from homeassistant.core import HomeAssistant
from homeassistant.helpers.template import Template

from .conftest import MakeLibrary

from tests.collections import E1, SUBENTRY, collection_of, set_up_collection
from tests.displays import until
from tests.simulators.feed import FeedSimulator
from tests.simulators.indexer import IndexerSimulator

TEXTS = {
    "right to left": "Dawn\u202egnp.exe\u2066\u200f\u061c",
    "a megabyte": "Dawn " * 200_000,
    "HTML": "Dawn <img src=x onerror=alert(1)><script>alert(2)</script><svg/onload=a>",
    "a template": "Dawn {{ states | list }} {% for a in range(9999999) %}{{ a }}{% endfor %}",
    "half a character": "Dawn \ud800",
    "an object": {"toString": "Dawn"},
}


def check(text: object) -> None:
    """Fail unless a text is short, on one line, and has neither tags nor what is hidden."""
    assert isinstance(text, str) and len(text) <= MAX_TITLE
    assert {category(char) for char in text}.isdisjoint({"Cc", "Cf", "Cs", "Zl", "Zp"})
    assert "<script" not in text and "alert(2)" not in text and "<svg" not in text
    text.encode()


@pytest.mark.parametrize("name", ["HTML", "a template", "an object"])
async def test_texts_of_a_feed(
    hass: HomeAssistant, feed: FeedSimulator, make_library: MakeLibrary, name: str
) -> None:
    """Of a playlist and its works, in folders, the list of sources and the search."""
    text: Any = TEXTS[name]
    document = {
        "id": "385f79b6-a45f-4c1c-8080-e93a192adccc",
        "slug": "dawn",
        "dpVersion": "1.1.0",
        "created": "2026-01-01T00:00:00Z",
        "title": text,
        "summary": text,
        "curators": [{"name": text, "url": "javascript:alert(1)"}],
        "items": [
            {
                "id": "385f79b6-a45f-4c1c-8080-e93a192adcc1",
                "source": "https://art.example/1.html",
                "title": text,
            }
        ],
    }
    feed.seed([document], verbatim=True)
    library = await make_library(None, feed)
    (node,) = (await library.async_children("playlists")).nodes
    (work,) = (await library.async_children(node.id)).nodes
    for each in (node, work):
        for part in (each.title, each.subtitle, each.artist, each.title):
            check(part or "")
    for source in library.source_list().names:
        check(source)
    if isinstance(text, str):
        assert node.title.startswith("Dawn")
    hass.states.async_set("sensor.dawn", "on", {"title": node.title})
    shown = Template("{{ state_attr('sensor.dawn', 'title') }}", hass)
    assert shown.async_render(parse_result=False) == node.title.strip()


def test_texts_of_a_token() -> None:
    """Of an endless description and any number of artists there are as many as a card shows, without tags."""
    artists = [{"name": f"{number}{TEXTS['HTML']}"} for number in range(50)]
    text = f"{TEXTS['HTML']}{TEXTS['a megabyte']}"
    display = {"description": text, "artists": artists, "mime_type": text}
    token = Token.parse(
        {"id": "1", "token_cid": "eip155:1:erc721:0x1:1", "display": display}
    )
    assert token is not None
    for part in (*token.artists, token.mime_type):
        check(part)
    assert len(token.artists) == 20 and 0 < len(token.description) <= 2000
    assert "<" not in token.description


async def test_cards_of_a_hostile_indexer(
    hass: HomeAssistant, monkeypatch: pytest.MonkeyPatch, socket_enabled: None
) -> None:
    """What cards get of a collection is short plain text, and no address but those of pictures."""
    monkeypatch.setattr(client, "PAUSE", 0.01)
    async with IndexerSimulator() as indexer:
        texts = [it for it in TEXTS.values() if it != TEXTS["half a character"]]
        for record, text in zip(indexer.own(E1, len(texts)), texts, strict=True):
            record["display"] |= {
                "name": text,
                "description": text,
                "artists": [{"name": text, "did": text}],
                "image_url": "javascript:alert(1)",
                "animation_url": "data:text/html,<script>alert(1)</script>",
            }
        entry = await set_up_collection(hass, indexer.url, E1)
        await until(lambda: len(collection_of(entry).list.records) >= len(texts))
        await async_load_texts(hass)
        waiting, seen = [f"collection/{SUBENTRY}"], set[str]()
        while waiting:
            seen.add(node := waiting.pop())
            page = await async_browse_library(
                hass, media_id(entry.entry_id, node), lambda it: f"/picture/{it}"
            )
            for child in page.children or ():
                # Title, artist and year.
                assert len(child.title) < 2.5 * MAX_TITLE
                check(child.title[:MAX_TITLE])
                shown = child.as_dict(parent=False)
                for part in (shown.get("dp1") or {}).values():
                    if isinstance(part, str):
                        check(part[:MAX_TITLE])
                assert "javascript:" not in str(shown)
                inner = child.media_content_id.partition(f"{entry.entry_id}/")[2]
                if child.can_expand and inner not in seen:
                    waiting.append(inner)
        assert len(seen) > 2
