"""Every name that is shown can be said back wherever a name is taken."""

from itertools import islice
from typing import Any
from uuid import uuid4

import pytest

from custom_components.dp1.library import libraries
from custom_components.dp1.library.search import the_one_called
from homeassistant.core import HomeAssistant
from homeassistant.exceptions import HomeAssistantError, ServiceValidationError
from homeassistant.util import dt as dt_util

from tests.displays import playlist
from tests.galleries import SMALL, Gallery
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
            _, node = await libraries._async_find(hass, "exhibition", name)
            assert node == sources[name]
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
    ("field", "options"), [("playlist_id", {"sources": []}), ("exhibition", {})]
)
async def test_names_of_playlists(
    hass: HomeAssistant, field: str, options: dict[str, Any]
) -> None:
    """Each playlist of the browse tree and each source is cast by the name shown, whichever field has it."""
    async with Gallery.of(hass, options=options) as gallery:
        children = await gallery.library.async_children("playlists")
        names = {node.title: node.id for node in children.nodes}
        assert len(names) == 2
        sources = gallery.library.source_list().names
        for name, node in {**dict(islice(sources.items(), 4)), **names}.items():
            response = await gallery.cast(**{field: name.upper()})
            url = f"{gallery.feed.url}/{node.replace('playlist/', 'playlists/')}"
            assert node not in names.values() or response["playlist_url"] == url, name
            assert response["items"], name


async def test_ids_of_what_was_built(hass: HomeAssistant) -> None:
    """The id that a display reports of a playlist that was built casts it again; one of a stranger names the next step."""
    async with Gallery.of(hass) as gallery:
        for what in ({"exhibition": SMALL}, {"playlist_id": "evening", "limit": 1}):
            built = await gallery.cast(**what)
            again = await gallery.cast(playlist_id=built["playlist_id"])
            assert again["title"] == built["title"]
        with pytest.raises(HomeAssistantError, match=r"dp1\.publish_playlist"):
            await gallery.cast(playlist_id=str(uuid4()))


async def test_names_in_actions_of_a_feed(hass: HomeAssistant) -> None:
    """A playlist of a feed is named by its title, unless several are called so."""
    async with Gallery.of(hass) as gallery:
        read = await gallery.call("get_playlist", playlist_id="EVENING")
        assert read["playlist"]["title"] == "Evening"
        gallery.feed.seed(
            [playlist("A", id=str(uuid4()), slug="night", title="Évening")]
        )
        assert await gallery.library.feed_server.async_refresh() is None
        with pytest.raises(HomeAssistantError, match="does not have this"):
            await gallery.call("get_playlist", playlist_id="EVENING")


async def test_the_daily_by_its_name(hass: HomeAssistant) -> None:
    """The Daily of the source list is cast by its name, and followed."""
    async with Gallery.of(hass) as gallery:
        day = playlist("Today", id=str(uuid4()), title="Days", slug="days")
        day["items"][0]["displayAt"] = dt_util.utcnow().isoformat()
        gallery.feed.seed([day])
        url = f"{gallery.feed.url}/playlists/{day['id']}"
        options = {"daily_url": url}
        hass.config_entries.async_update_entry(gallery.entry, options=options)
        await hass.config_entries.async_reload(gallery.entry.entry_id)
        for field in ("playlist_id", "exhibition", "series"):
            response = await gallery.cast(**{field: "the daily"})
            assert response["playlist_url"] == url


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
