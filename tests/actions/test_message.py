"""Test show_message and the values of the editor's selectors."""

from typing import Any
from urllib.parse import unquote

import pytest
import voluptuous as vol

from custom_components.dp1.fields import note
from homeassistant.core import HomeAssistant
from homeassistant.exceptions import ServiceValidationError

from .calls import call, failure

from tests.displays import ENTITY_ID, until
from tests.galleries import SMALL, Gallery
from tests.simulators.display import DisplaySimulator
from tests.test_fuzz import unsafe

pytestmark = pytest.mark.usefixtures("socket_enabled")


def page(wall: DisplaySimulator) -> str:
    """Return the page a display shows."""
    source = wall.player.items[0]["source"]
    kind, _, data = source.partition(",")
    assert kind == "data:text/html;charset=utf-8"
    return unquote(data)


async def test_a_message(gallery: Gallery) -> None:
    """Its text is escaped, and what the pickers of forms give is taken."""
    told = await gallery.call(
        "show_message",
        entity_id=ENTITY_ID,
        title="<b>Water</b>",
        text="Line 1\n& line 2 " * 20,
        image="https://art.example.org/drop.png?a=1&b=2",
        background=[122, 16, 16],
        show_for="00:05:00",
    )
    assert told[ENTITY_ID]["title"] == "Water"
    html = page(gallery.wall)
    assert "&lt;b&gt;Water&lt;/b&gt;" in html and "<b>" not in html
    assert "&amp; line 2" in html and "drop.png?a=1&amp;b=2" in html
    assert "background:#7a1010" in html
    await until(lambda: gallery.attribute("media_title"))
    short = await gallery.call("show_message", entity_id=ENTITY_ID, text="Hello")
    assert short[ENTITY_ID]["title"] == "Hello"
    assert "font-size:8.0vmin" in page(gallery.wall)
    refused = await failure(gallery.hass, "show_message", entity_id=ENTITY_ID)
    assert refused[0] == "nothing_to_show"


async def test_pickers_favorites_and_names(gallery: Gallery) -> None:
    """Values of the selectors are accepted, what hangs is a favorite, and a name that is not exact is answered with a similar one."""
    chosen = {
        "media_content_id": gallery.media_id(gallery.exhibition(SMALL)),
        "media_content_type": "playlist",
        "metadata": {"title": SMALL},
    }
    shown = await gallery.cast(media_content_id=chosen, background=[16, 32, 255])
    assert shown["title"] == SMALL
    assert gallery.wall.player.items[0]["display"]["background"] == "#1020ff"
    await until(lambda: gallery.attribute("media_title"))
    title = gallery.attribute("media_title")
    area: Any = {"entity_id": [ENTITY_ID]}
    added = await gallery.call("add_favorite", **area)
    assert [favorite["title"] for favorite in added["favorites"]] == [title]
    kept = await gallery.cast(media_content_id="dp1://favorites")
    assert (kept["title"], kept["items"]) == ("Favorites", 1)
    await call(gallery.hass, "remove_favorite", **area)
    assert not gallery.library.favorites.nodes()

    casts = gallery.wall.casts
    for names, key, words in (
        ({"exhibition": "Everything Is a Windwo"}, "exhibition_not_found", SMALL),
        ({"exhibition": "e"}, "exhibition_not_found", ""),
        ({"series": "no such series at all"}, "series_not_found", ""),
        ({"exhibition": "a", "series": "b"}, "exactly_one_of", "Exhibition, Series"),
    ):
        aim = {"entity_id": ENTITY_ID, "of": ServiceValidationError}
        found, told = await failure(gallery.hass, "cast_playlist", **aim, **names)
        assert (found or "").startswith(key)
        assert words in str(told)
    assert gallery.wall.casts == casts
    found = await gallery.call("search", query=SMALL, limit=1)
    result = found["results"][0]
    assert result["picture"] and result["year"] and result["opens_at"]


@pytest.mark.parametrize(
    ("odd", "shown"),
    [
        ("<b>", "&lt;b&gt;" * 60),
        ("\ud800", ""),
        ("\u202e", ""),
        ("\x1b[", "[" * 90),
        ("\x00", ""),
        ("é", "é" * 180),
    ],
)
async def test_odd_texts(hass: HomeAssistant, odd: str, shown: str) -> None:
    """What a message or a label says reaches the display as plain text, a longer one not at all."""
    title, text = (odd * (most // len(odd)) for most in (180, 2000))
    async with Gallery.of(hass, load=False) as gallery:
        wall = gallery.wall
        told = {"title": title, "text": f"Line\n{text[:1900]}"}
        await gallery.call("show_message", entity_id=ENTITY_ID, **told)
        html = page(wall)
        assert f"<title>{shown}</title>" in html
        assert "<p>Line\n" in html
        assert unsafe(html.replace("\n", "")) is None
        assert 0 < len(wall.state.playlist_title or "") <= 200
        label = note(told["text"][:480])
        assert label.startswith("Line\n") and unsafe(label.replace("\n", "")) is None
        casts = wall.casts
        for more in ({"title": "x" * 201}, {"text": "x" * 2001}):
            with pytest.raises(vol.Invalid):
                await gallery.call("show_message", entity_id=ENTITY_ID, **more)
        assert wall.casts == casts
