"""Every name that is shown can be said back wherever a name is taken."""

import pytest

from custom_components.dp1.library import entries
from custom_components.dp1.library.search import the_one_called
from homeassistant.core import HomeAssistant
from homeassistant.exceptions import ServiceValidationError

from tests.galleries import Gallery
from tests.libraries import library_entry, set_up

pytestmark = pytest.mark.usefixtures("socket_enabled")


async def test_names_of_the_source_list(hass: HomeAssistant) -> None:
    """Each source is found by its name, and an exhibition is cast by it, also one that is called like another."""
    async with Gallery.of(hass) as gallery:
        library = gallery.library
        sources = library.source_list().names
        assert "Still Life (2024)" in sources
        for name in [name for name in sources if name.startswith("Still Life (")]:
            (first, *_) = await gallery.search(name)
            assert first.media_content_id == gallery.media_id(sources[name]), name
            _, ref = await entries._async_find(hass, "exhibition", name)
            assert (await ref.node()).id == sources[name]
        other = "Still Life (1999)"
        with pytest.raises(ServiceValidationError):
            await gallery.cast(exhibition=other)


async def test_names_with_the_library(hass: HomeAssistant) -> None:
    """Of two libraries with the same, the name with the title of the library means that one."""
    async with Gallery.of(hass) as gallery:
        entry = library_entry(None, gallery.catalog.url, title="Attic")
        await set_up(hass, entry)
        await entry.runtime_data.async_inside("exhibitions")
        await hass.async_block_till_done()
        name = "Net Evil (Attic)"
        await gallery.cast(exhibition=name)
        found = await gallery.call("search", query=name)
        assert found["results"][0]["media_content_id"].startswith(
            f"media-source://dp1/{entry.entry_id}/exhibition/"
        )


@pytest.mark.parametrize(
    ("text", "title"),
    [
        ("慢速城市", "慢速城市 / Slow City"),
        ("slow city", "慢速城市 / Slow City"),
        ("庭の記憶", "庭の記憶 / Garden Memory"),
        ("Slow Hours", "Les Heures lentes — The Slow Hours"),
        ("heures lentes", "Les Heures lentes — The Slow Hours"),
        ("House of Salt", "Casa de sal (House of Salt)"),
        ("Eclipse", "Eclipse #3"),
        ("tides", "Tides No. 17"),
        ("Porch Light", None),
        ("Slow", None),
    ],
)
def test_parts_of_titles(text: str, title: str | None) -> None:
    """A part of a title, without article or number, names it where nothing else is called so."""
    things = (
        *("慢速城市 / Slow City", "庭の記憶 / Garden Memory"),
        "Les Heures lentes — The Slow Hours",
        *("Casa de sal (House of Salt)", "Eclipse #3", "Tides No. 17"),
        *("Porch Light: Morning", "Porch Light: Evening"),
    )
    assert the_one_called(text, things, str) == title
