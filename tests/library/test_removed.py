"""Test media ids of libraries that were removed."""

import pytest

from custom_components.dp1.library.libraries import daily_url
from homeassistant.exceptions import ServiceValidationError

from tests.galleries import EVENING, LARGE, Gallery
from tests.libraries import library_entry, set_up

pytestmark = pytest.mark.usefixtures("impatience")


async def refused(gallery: Gallery, media_id: str) -> None:
    with pytest.raises(ServiceValidationError) as caught:
        await gallery.play(media_id)
    assert caught.value.translation_key == "library_removed"
    assert "Pick it again" in str(caught.value)


async def test_a_media_id_survives_its_library(gallery: Gallery) -> None:
    """An automation goes on when its library was removed and added again."""
    hass = gallery.hass
    show, evening, favorites = map(
        gallery.media_id,
        (gallery.exhibition(LARGE), f"playlist/{EVENING}", "favorites"),
    )
    assert await hass.config_entries.async_remove(gallery.entry.entry_id)
    for media_id in (show, evening, favorites):
        await refused(gallery, media_id)
    # Only the feed is back.
    feed = await set_up(hass, library_entry(gallery.feed.url, title="Feed"))
    await gallery.play(evening)
    assert gallery.wall.state.playlist_title == "Evening"
    await refused(gallery, show)
    assert await hass.config_entries.async_remove(feed.entry_id)
    entry = library_entry(gallery.feed.url, gallery.catalog.url, title="Again")
    gallery.entry = await set_up(hass, entry)
    await gallery.library.async_children("exhibitions")
    await gallery.play(show)
    assert gallery.wall.state.playlist_title == LARGE
    page = await gallery.browse(show)
    assert page.media_content_id == gallery.media_id(gallery.exhibition(LARGE))
    await gallery.call("add_favorite", media_content_id=show)
    assert len((await gallery.browse(favorites)).children) == 1
    # Of two with a catalog, nobody knows which it was.
    await set_up(hass, library_entry(None, gallery.catalog.url, title="Other"))
    await refused(gallery, show)
    await gallery.play(evening)


async def test_the_daily_of_a_library_that_was_removed(gallery: Gallery) -> None:
    """The Daily is that of the library that took the place of its own."""
    hass, daily = gallery.hass, gallery.media_id("daily")
    assert await hass.config_entries.async_remove(gallery.entry.entry_id)
    await refused(gallery, daily)
    url = f"{gallery.feed.url}/playlists/{EVENING}"
    entry = library_entry(None, gallery.catalog.url, options={"daily_url": url})
    await set_up(hass, entry)
    assert daily_url(hass, daily) == url
