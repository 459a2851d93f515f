"""Test whose works a display is told that a cast has: an operator may hide those of others that nobody has rated."""

import pytest

from homeassistant.exceptions import HomeAssistantError

from tests.displays import playlist, until
from tests.galleries import EVENING, SMALL, Gallery

pytestmark = pytest.mark.usefixtures("impatience", "socket_enabled")

PICTURE = "https://art.example/Fog.png"


@pytest.fixture
async def hiding(gallery: Gallery) -> Gallery:
    """Return a display that hides unrated works of others."""
    gallery.wall.caster.policy.block_unrated = True
    return gallery


async def test_what_is_of_others_is_hidden(hiding: Gallery) -> None:
    """An exhibition and a playlist are curated, and the error says which settings hide them, and where they are."""
    for wanted in (
        {"media_content_id": hiding.media_id(hiding.exhibition(SMALL))},
        {"playlist_id": EVENING},
        {"playlist": playlist("Tide")},
    ):
        with pytest.raises(HomeAssistantError) as caught:
            await hiding.cast(**wanted)
        assert caught.value.translation_key == "playlist_content_blocked"
        assert "app of the display's maker" in str(caught.value)


async def test_what_is_of_the_owner_is_shown(hiding: Gallery) -> None:
    """A link, a list of such, favorites and messages are the owner's own, also once they come back after something else."""
    await hiding.cast(media=[PICTURE, {"media_content_id": PICTURE, "title": "Mist"}])
    assert len(hiding.wall.state.items) == 2
    await hiding.call("show_message", entity_id="all", title="Supper")
    await hiding.call("show_message", entity_id="all", title="Tea", show_for=1)
    await until(lambda: hiding.wall.state.playlist_title == "Supper")
    await hiding.play(PICTURE, "image/png")
    await hiding.player(
        "play_media",
        media_content_id="https://art.example/Rain.png",
        media_content_type="image/png",
        enqueue="add",
    )
    await until(lambda: len(hiding.wall.state.items) == 2)
    show = hiding.exhibition(SMALL)
    (series, *_) = (await hiding.library.async_children(show)).nodes
    (work, *_) = (await hiding.library.async_children(series.id)).nodes
    await hiding.library.async_add_favorite(work.id)
    await hiding.play(hiding.media_id("favorites"))
    assert hiding.attribute("media_title") == work.title
