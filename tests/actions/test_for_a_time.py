"""Test that what is shown for a time goes no further: what comes back counts."""

import json
from typing import Any

import pytest

from homeassistant.core import HomeAssistant

from .calls import call, failure

from tests.displays import ENTITY_ID, until
from tests.galleries import SMALL, Gallery
from tests.houses import House, series, served, titles

pytestmark = pytest.mark.usefixtures("socket_enabled")

SECRET = "The code is 1234"
MOMENT: dict[str, Any] = {"show_for": {"seconds": 60}}
WALL: dict[str, Any] = {"entity_id": ENTITY_ID}
ART = series("Tides", 3)


async def tell(gallery: Gallery) -> None:
    """Show a message for a time."""
    await gallery.call("show_message", **WALL, text=SECRET, **MOMENT)
    await until(lambda: gallery.attribute("media_playlist") == SECRET)


def published(gallery: Gallery) -> str:
    """Return all that the feed was sent."""
    return json.dumps([*gallery.feed.documents.values()])


async def test_a_message_is_not_published(gallery: Gallery) -> None:
    """The document that comes back is published, as it was cast."""
    await gallery.cast(playlist=ART)
    await tell(gallery)
    told = await gallery.call("publish_playlist", **WALL)
    assert titles(gallery.feed.documents[told["id"]]["items"]) == titles(ART["items"])
    assert SECRET not in published(gallery)


async def test_a_message_over_an_address_is_not_published(gallery: Gallery) -> None:
    """What comes back by its address is read, and a work that is shown alone is not published either."""
    async with served(ART) as (url,):
        await gallery.cast(playlist_url=url, start_at=2)
        await tell(gallery)
        await call(gallery.hass, "show_work", **WALL, work=1, **MOMENT)
        told = await gallery.call("publish_playlist", **WALL)
    assert titles(gallery.feed.documents[told["id"]]["items"]) == titles(ART["items"])


async def test_there_is_nothing_but_a_message(gallery: Gallery) -> None:
    """Where nothing comes back, the actions say so."""
    await gallery.player("clear_playlist")
    await tell(gallery)
    before = published(gallery)
    for action in ("publish_playlist", "add_favorite", "remove_favorite"):
        key, texts = await failure(gallery.hass, action, **WALL)
        assert (key, texts["name"]) == ("nothing_comes_back", "Wall")
    assert published(gallery) == before


@pytest.mark.usefixtures("impatience")
async def test_a_message_on_a_display_that_tells_nothing(hass: HomeAssistant) -> None:
    """What was cast before counts where a display does not tell what it shows."""
    async with Gallery.of(hass, profile="legacy") as gallery:
        await gallery.cast(playlist=ART)
        await gallery.call("show_message", **WALL, text=SECRET, **MOMENT)
        told = await gallery.call("publish_playlist", **WALL)
        items = gallery.feed.documents[told["id"]]["items"]
        assert titles(items) == titles(ART["items"])


async def test_a_favorite_during_a_message(gallery: Gallery) -> None:
    """The work that comes back becomes a favorite; the heart tells of the work of a library that is shown meanwhile, by its id."""
    await gallery.cast(exhibition=SMALL, start_at=2)
    await until(lambda: gallery.attribute("media_track") == 2)
    title = gallery.attribute("media_title")
    await until(lambda: gallery.attribute("dp1")["favorite"] is False)
    await gallery.cast(playlist_id="evening", **MOMENT)
    await until(lambda: gallery.attribute("media_title") == "Tide")
    assert gallery.attribute("dp1")["favorite"] is None
    added = await gallery.call("add_favorite", **WALL)
    assert [favorite["title"] for favorite in added["favorites"]] == [title]
    assert gallery.attribute("dp1")["favorite"] is None
    await call(gallery.hass, "remove_favorite", **WALL)
    assert not gallery.library.favorites.nodes()
    await gallery.cast(exhibition=SMALL, **MOMENT)
    await until(lambda: gallery.attribute("dp1")["media_content_id"])
    shown = gallery.attribute("dp1")["media_content_id"]
    assert gallery.attribute("dp1")["favorite"] is False
    await call(gallery.hass, "add_favorite", media_content_id=shown)
    await until(lambda: gallery.attribute("dp1")["favorite"] is True)
    kept = [node.title for node in gallery.library.favorites.nodes()]
    assert kept == [gallery.attribute("media_title")]


async def test_a_message_is_not_added(gallery: Gallery) -> None:
    """Nothing names a message, so that no template can add it to a published playlist."""
    await gallery.cast(playlist=ART)
    await until(lambda: gallery.attribute("media_content_id"))
    await tell(gallery)
    assert gallery.attribute("media_content_id") is None
    recent = await gallery.browse("dp1://recent")
    assert [entry.title for entry in recent.children] == ["Tides"]


async def test_hand_over_during_a_message(hass: HomeAssistant) -> None:
    """The playlist that comes back moves to the other display, and the message stays where it is."""
    async with House.of(hass, "left", "right") as house:
        await house.show("left", playlist=ART, start_at=2)
        await house.do("dp1.show_message", "left", text=SECRET, **MOMENT)
        await house.do("dp1.hand_over", "left", to=house.entity("right"))
        assert house.hanging("right") == "Tides 2"
        assert titles(house.walls["right"].state.items) == titles(ART["items"])
