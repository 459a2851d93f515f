"""Test the page of the next works, which cards use."""

from typing import Any

import pytest

from custom_components.dp1.browse.display import MAX_WORKS, UP_NEXT

from tests.displays import ENTITY_ID, playlist
from tests.galleries import LARGE, Gallery, titles

pytestmark = pytest.mark.usefixtures("impatience")


async def show_work(gallery: Gallery, media_id: str) -> None:
    work = media_id.removeprefix(f"{UP_NEXT}/")
    await gallery.hass.services.async_call(
        "dp1", "show_work", {"entity_id": ENTITY_ID, "work": work}, blocking=True
    )


async def up_next(gallery: Gallery) -> list[Any]:
    """Return the works that come next."""
    return list((await gallery.browse(UP_NEXT)).children)


async def test_works_in_playing_order(gallery: Gallery) -> None:
    """The next works come first, across the end if the playlist repeats, and each can be shown."""
    assert await up_next(gallery) == []
    await gallery.cast(playlist=playlist("Dawn", "<i>Noon</i>", "Dusk", "Night"))
    await gallery.player("media_next_track")
    assert titles(await up_next(gallery)) == ["Dusk", "Night", "Dawn"]
    await gallery.player("repeat_set", repeat="off")
    works = await up_next(gallery)
    assert titles(works) == ["Dusk", "Night"]
    await show_work(gallery, works[1].media_content_id)
    assert gallery.attribute("media_title") == "Night"
    assert await up_next(gallery) == []
    await gallery.player("repeat_set", repeat="all")
    assert titles(await up_next(gallery)) == ["Dawn", "Noon", "Dusk"]


async def test_works_that_share_an_id(gallery: Gallery) -> None:
    """A work whose id is not unique is named by its position."""
    document = playlist("Dawn", "Noon", "Dusk")
    for item in document["items"][1:]:
        item["id"] = document["items"][0]["id"]
    await gallery.cast(playlist=document)
    works = await up_next(gallery)
    await show_work(gallery, works[1].media_content_id)
    assert gallery.wall.state.current_title == "Dusk"


async def test_a_few_with_pictures(gallery: Gallery, hass_client: Any) -> None:
    """The page is limited, with titles and pictures served by Home Assistant."""
    await gallery.cast(exhibition=LARGE)
    works = await up_next(gallery)
    assert len(works) == MAX_WORKS
    assert all(work.title and work.thumbnail for work in works)
    client = await hass_client()
    answer = await client.get(works[0].thumbnail)
    assert (answer.status, answer.content_type) == (200, "image/webp")
    await gallery.cast(playlist=playlist("Reef"))
    assert (await client.get(works[0].thumbnail)).status != 200
