"""Test the works that a display remembers, whoever cast them."""

from typing import Any

import aiohttp
import pytest

from custom_components.dp1.display.requests import REQUEST_NUMBERS
from custom_components.dp1.display.wall import async_wall
from custom_components.dp1.displays import async_displays
from homeassistant.core import HomeAssistant
from homeassistant.exceptions import HomeAssistantError

from tests.displays import playlist, until
from tests.galleries import Gallery

pytestmark = pytest.mark.usefixtures("impatience", "socket_enabled")

FOLDER = "dp1://remembered/"
MANIFEST: dict[str, Any] = {
    "metadata": {
        "title": "Harbor",
        "artists": [{"name": "Ines Haddad"}],
        "thumbnails": {"small": {"uri": "https://art.example/harbor.png"}},
    }
}


async def cast_from_a_phone(gallery: Gallery, *works: dict[str, Any]) -> None:
    """Show works that no library knows."""
    document = {"dpVersion": "1.1.0", "title": "Phone", "items": list(works)}
    request = {"dp1_call": document, "intent": {"action": "now_display"}}
    async with (
        aiohttp.ClientSession() as session,
        session.post(
            f"{gallery.wall.url}/api/cast",
            json={"command": "displayPlaylist", "request": request},
        ) as answer,
    ):
        assert answer.status == 200


def wall_id(gallery: Gallery) -> str:
    return next(c.entry_id for c in async_displays(gallery.hass))


WORK: dict[str, Any] = {
    "id": "385f79b6-a45f-4c1c-8080-e93a192ad001",
    "title": "Harbor",
    "source": "https://art.example/harbor.html",
    "inlineManifest": MANIFEST,
}


async def test_the_folder(gallery: Gallery) -> None:
    """It has the works that the display has shown, with artist and picture, and shows one again."""
    await cast_from_a_phone(gallery, WORK)
    await cast_from_a_phone(
        gallery, {**WORK, "id": WORK["id"][:-1] + "2", "title": "Ebb"}
    )
    await until(lambda: gallery.attribute("media_title") == "Ebb")
    root = await gallery.browse("")
    assert "Recently shown on the display" in [child.title for child in root.children]
    page = await gallery.browse(FOLDER)
    assert [child.title for child in page.children] == [
        "Ebb, Ines Haddad",
        "Harbor, Ines Haddad",
    ]
    harbor = page.children[1]
    assert harbor.thumbnail
    await gallery.play(harbor.media_content_id)
    assert gallery.wall.state.current_title == "Harbor"
    with pytest.raises(HomeAssistantError):
        await gallery.play(f"{FOLDER}record-99")


async def test_it_ends_an_announcement(gallery: Gallery) -> None:
    """What is shown again lasts like any cast: an announcement does not come back over it, and one that is refused ends none."""
    await cast_from_a_phone(gallery, WORK)
    await until(lambda: gallery.attribute("media_title") == "Harbor")
    (harbor,) = (await gallery.browse(FOLDER)).children
    lasting = async_wall(gallery.hass, wall_id(gallery))
    await gallery.cast(playlist=playlist("Tide"), show_for={"minutes": 5})
    with pytest.raises(HomeAssistantError):
        await gallery.play(f"{FOLDER}record-99")
    assert lasting.is_announcing
    await gallery.play(harbor.media_content_id)
    assert gallery.wall.state.current_title == "Harbor"
    assert not lasting.is_announcing


async def test_a_newer_cast_counts(gallery: Gallery) -> None:
    """What is shown again waits for its turn, and is not shown if something newer was taken meanwhile."""
    await cast_from_a_phone(gallery, WORK)
    await until(lambda: gallery.attribute("media_title") == "Harbor")
    (harbor,) = (await gallery.browse(FOLDER)).children
    lasting = async_wall(gallery.hass, wall_id(gallery))
    async with lasting.turn():
        task = gallery.hass.async_create_task(gallery.play(harbor.media_content_id))
        await until(lambda: lasting._waiting)
        lasting.newest = next(REQUEST_NUMBERS)
    await task
    assert "playRecentlyPlayed" not in gallery.wall.commands


async def test_a_display_that_remembers_nothing(
    hass: HomeAssistant, socket_enabled: None
) -> None:
    """An older display is not asked again, and has no folder."""
    async with Gallery.of(hass, profile="A") as gallery:
        await cast_from_a_phone(gallery, {**WORK, "inlineManifest": None})
        await until(lambda: gallery.attribute("media_title") == "Harbor")
        asked = []
        for _ in range(3):
            root = await gallery.browse("")
            assert FOLDER not in [child.media_content_id for child in root.children]
            asked.append(gallery.wall.commands.count("getRecentlyPlayed"))
        assert asked[0] == asked[-1]


async def test_the_artist_of_what_no_library_has(gallery: Gallery) -> None:
    """The display is asked once for a work, of which its player has read the manifest."""
    gallery.wall.history.manifests[str(WORK["id"])] = MANIFEST
    work = {name: value for name, value in WORK.items() if name != "inlineManifest"}
    await cast_from_a_phone(gallery, work)
    await until(lambda: gallery.attribute("media_title") == "Harbor")
    await until(lambda: gallery.attribute("media_artist") == "Ines Haddad")
    assert gallery.attribute("entity_picture")
    assert gallery.wall.commands.count("getRecentlyPlayed") == 1
