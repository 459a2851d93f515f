"""Test the source list of a display."""

from datetime import timedelta

import pytest
from pytest_homeassistant_custom_component.common import async_fire_time_changed

from custom_components.dp1 import async_setup_data
from custom_components.dp1.library.libraries import (
    UPDATE_SECONDS,
    async_add_libraries_listener,
    async_source_list,
    async_tell_changed,
)
from homeassistant.components.media_player import MediaPlayerEntityFeature
from homeassistant.core import HomeAssistant, callback
from homeassistant.exceptions import ServiceValidationError
from homeassistant.util import dt as dt_util

from tests.displays import playlist, state_of, until
from tests.galleries import LARGE, Gallery
from tests.libraries import library_entry, set_up
from tests.simulators.catalog.simulator import CatalogSimulator

pytestmark = pytest.mark.usefixtures("impatience")


def offers(hass: HomeAssistant) -> bool:
    """Return whether the display supports sources."""
    features = state_of(hass).attributes["supported_features"]
    return bool(features & MediaPlayerEntityFeature.SELECT_SOURCE)


async def test_no_library_no_sources(hass: HomeAssistant, socket_enabled: None) -> None:
    """There are no sources without a loaded library."""
    async with Gallery.of(hass, load=False) as gallery:
        assert not offers(hass)
        await gallery.load()
        assert offers(hass)
        assert gallery.source_list[1] == gallery.catalog.data.exhibitions[1]["title"]
        assert await hass.config_entries.async_unload(gallery.entry.entry_id)
        await until(lambda: not offers(hass))
        assert gallery.source_list == []


async def test_libraries_that_change_together(hass: HomeAssistant) -> None:
    """However many libraries change together, displays are told once of all."""
    async_setup_data(hass)
    told: list[bool] = []
    async_add_libraries_listener(hass, callback(lambda: told.append(True)))
    for times in (1, 2):
        for _ in range(30):
            async_tell_changed(hass)
        assert len(told) == times - 1
        soon = dt_util.utcnow() + timedelta(seconds=UPDATE_SECONDS)
        async_fire_time_changed(hass, soon)
        assert len(told) == times


async def test_select_a_source(gallery: Gallery) -> None:
    """A selected source wakes the display, is cast to it without questions, and becomes the current source."""
    assert gallery.attribute("source") is None
    await gallery.player("turn_off")
    before = len(gallery.wall.commands)
    await gallery.player("select_source", source=LARGE)
    assert gallery.wall.commands[before:].index("displayPlaylist") <= 1
    assert gallery.wall.state.playlist_title == LARGE
    assert gallery.attribute("source") == LARGE
    await until(lambda: state_of(gallery.hass).state == "playing")
    await gallery.cast(playlist=playlist("Reef"))
    assert gallery.attribute("source") is None


async def test_an_unknown_source(gallery: Gallery) -> None:
    """The error names the unknown source."""
    with pytest.raises(ServiceValidationError) as caught:
        await gallery.player("select_source", source="Nowhere")
    assert caught.value.translation_key == "unknown_source"
    assert caught.value.translation_placeholders == {
        "name": "Wall",
        "source": "Nowhere",
    }
    assert not gallery.wall.casts


async def test_favorites_are_sources(hass: HomeAssistant, socket_enabled: None) -> None:
    """A favorite is in the list until it is removed."""
    async with Gallery.of(hass, options={"sources": ["favorites"]}) as gallery:
        assert not offers(hass)
        media_id = gallery.media_id(gallery.exhibition(LARGE))
        await gallery.call("add_favorite", media_content_id=media_id)
        await until(lambda: gallery.source_list == [LARGE])
        await gallery.player("select_source", source=LARGE)
        assert gallery.attribute("source") == LARGE
        await hass.services.async_call(
            "dp1", "remove_favorite", {"media_content_id": media_id}, blocking=True
        )
        await until(lambda: not offers(hass))


async def test_names_are_unique_over_libraries(gallery: Gallery) -> None:
    """Two libraries with the same exhibitions have unique names."""
    before = gallery.source_list
    async with CatalogSimulator() as other:
        annex = library_entry(None, other.url, title="Annex")
        await set_up(gallery.hass, annex)
        await until(lambda: len(gallery.source_list) == 2 * len(before))
        names = gallery.source_list
        assert names[: len(before)] == before
        assert len({it.casefold() for it in names}) == len(names)
        assert f"{LARGE} (Annex)" in names
        await gallery.player("select_source", source=f"{LARGE} (Annex)")
        assert gallery.attribute("source") in (LARGE, f"{LARGE} (Annex)")
        third = library_entry(None, f"{other.url}/", title="Annex")
        await set_up(gallery.hass, third)
        await third.runtime_data.async_inside("exhibitions")
        await gallery.hass.async_block_till_done()
        # One catalog is listed once, and each library found by its own name.
        sources = async_source_list(gallery.hass)
        assert sum(it.startswith(LARGE) for it in gallery.source_list) == 2
        named = sources.media_id(f"{LARGE} (Annex 2)")
        assert (named or "").startswith(f"media-source://dp1/{third.entry_id}/")


async def test_a_display_that_cannot_tell_what_it_shows(
    hass: HomeAssistant, socket_enabled: None
) -> None:
    """For a display without a status, the source is the last selected one."""
    options = {"sources": ["exhibitions", "playlists"]}
    async with Gallery.of(hass, profile="legacy", options=options) as gallery:
        assert gallery.attribute("source") is None
        for name in (LARGE, "Evening"):
            await gallery.player("select_source", source=name)
            assert gallery.attribute("source") == name
