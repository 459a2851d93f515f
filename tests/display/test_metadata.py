"""Test the metadata of the shown work."""

import asyncio
from collections.abc import AsyncIterator
from typing import Any

import pytest

from custom_components.dp1.client.display.player_status import PlayerStatus
from custom_components.dp1.client.errors import UnreachableError
from custom_components.dp1.client.playlist.manifest import Artist
from custom_components.dp1.display import metadata
from custom_components.dp1.display.metadata import work_of
from custom_components.dp1.displays import async_displays
from custom_components.dp1.library.item import Item
from homeassistant.core import HomeAssistant
from homeassistant.exceptions import HomeAssistantError

from tests.client.scripted_server import Reply, ScriptedServer
from tests.client.tables import tables
from tests.client.timing import impatient
from tests.displays import ENTITY_ID, playlist, state_of, until
from tests.galleries import LARGE, Gallery
from tests.simulators.display import DisplaySimulator
from tests.timing import set_timing


@pytest.fixture(autouse=True)
def _impatient(monkeypatch: pytest.MonkeyPatch) -> None:
    """Shorten timeouts."""
    impatient(monkeypatch)


@pytest.fixture
async def gallery(hass: HomeAssistant, socket_enabled: None) -> AsyncIterator[Gallery]:
    """Set up a display and a library."""
    async with Gallery.of(hass) as found:
        yield found


def details(gallery: Gallery) -> dict[str, Any]:
    """Return the metadata attributes of the shown work."""
    found: dict[str, Any] = gallery.attribute("dp1")
    return found


def elsewhere(*items: dict[str, Any]) -> dict[str, Any]:
    """Return a playlist as a phone casts it, without metadata."""
    return {
        **playlist(),
        "items": [
            {
                "id": f"5d0c9d5e-0000-4000-8000-{number:012}",
                "source": item["source"],
                "duration": 300,
                "license": "open",
            }
            for number, item in enumerate(items)
        ],
    }


async def test_what_was_cast_from_here(gallery: Gallery) -> None:
    """A work cast by Home Assistant has its metadata at once."""
    await gallery.cast(exhibition=LARGE)
    told = details(gallery)
    assert told["exhibition"] == gallery.attribute("media_album_name") == LARGE
    assert told["link"].startswith("https://feralfile.com/")
    assert told["medium"] and told["year"]
    assert told["provenance"]["contract"]["tokenId"]
    assert len(told["note"]) <= 500 and "<" not in told["note"]
    assert gallery.attribute("media_artist")
    assert gallery.attribute("media_title") == gallery.wall.state.current_title
    assert "media_player_proxy" in gallery.attribute("entity_picture")
    seen = set()
    for _ in range(3):
        await gallery.player("media_next_track")
        seen.add(gallery.attribute("media_artist"))
    assert len(seen) > 1


async def test_it_is_known_after_a_restart(gallery: Gallery) -> None:
    """A work cast before a restart has its metadata without a request, also while the catalog is down."""
    await gallery.cast(exhibition=LARGE)
    before = details(gallery)
    hass = gallery.hass
    await hass.config_entries.async_unload(gallery.entry.entry_id)
    await hass.async_block_till_done()
    assert details(gallery)["playlist_id"] == before["playlist_id"]
    await gallery.catalog.stop()
    await gallery.feed.stop()
    for entry in hass.config_entries.async_entries("dp1"):
        if entry.data["kind"] == "display":
            await hass.config_entries.async_reload(entry.entry_id)
    await hass.async_block_till_done()
    assert details(gallery)["link"] is None
    await hass.config_entries.async_setup(gallery.entry.entry_id)
    await until(lambda: details(gallery) == before)


async def test_what_has_to_be_looked_up(gallery: Gallery) -> None:
    """Unknown works are looked up in the background."""
    manifest = {
        "refVersion": "0.1.0",
        "metadata": {
            "title": "Tide <b>table</b>",
            "artists": [{"name": "Ana Ruiz"}],
            "thumbnails": {"default": {"uri": "https://art.example/t.png"}},
            "description": "x" * 900,
        },
    }
    async with ScriptedServer.run(Reply(200, manifest)) as server:
        document = elsewhere({"source": "https://art.example/tide.html"})
        document["items"][0]["ref"] = f"{server.url}/manifest.json"
        await gallery.cast(playlist=document)
        await until(lambda: gallery.attribute("media_artist") == "Ana Ruiz")
        assert gallery.attribute("media_title") == "Tide table"
        assert len(details(gallery)["note"]) <= 500
        await gallery.player("media_next_track")
        assert len(server.requests) == 1


async def test_a_slow_look_up_keeps_nobody_waiting(
    gallery: Gallery, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The result of a slow look-up is not applied to the next work."""
    monkeypatch.setattr(metadata, "LOOK_UPS_AT_ONCE", 1)
    async with ScriptedServer.run(Reply(fault="never")) as server:
        document = elsewhere({"source": "https://art.example/tide.html"})
        document["items"][0] |= {"ref": f"{server.url}/manifest.json", "title": "Tide"}
        await gallery.cast(playlist=document)
        assert async_displays(gallery.hass)[0].metadata.is_looking_up
        assert gallery.attribute("media_title") == "Tide"
        await until(lambda: server.requests)
        await gallery.library.async_add_favorite(gallery.exhibition(LARGE))
        await gallery.cast(exhibition=LARGE)
        assert details(gallery)["exhibition"] == LARGE
        assert gallery.attribute("media_title") != "Tide"


async def test_found_while_another_display_answers(
    gallery: Gallery, monkeypatch: pytest.MonkeyPatch
) -> None:
    """What was found of the work is told once the right display is back with it."""
    found = asyncio.Event()

    async def find(_: Any) -> Item:
        await found.wait()
        return Item(artists=(Artist("Ana Ruiz"),), link="https://art.example/tide")

    monkeypatch.setattr(gallery.library, "async_work", find)
    wall = gallery.wall
    await gallery.cast(playlist=playlist("Tide"))
    port = wall.port
    await wall.power_off()
    async with DisplaySimulator(profile="B", device_id="FF1-ZZ99ZZ99", port=port):
        await until(lambda: state_of(gallery.hass).state == "unavailable")
        found.set()
        await gallery.hass.async_block_till_done(wait_background_tasks=False)
    await wall.power_on()
    await until(lambda: state_of(gallery.hass).state == "playing")
    await until(lambda: gallery.attribute("media_artist") == "Ana Ruiz")


async def test_nothing_is_known(gallery: Gallery) -> None:
    """A work in no library has only the metadata of the display, and cannot be a favorite."""
    await gallery.cast(
        playlist=playlist("Reef", id="5d0c9d5e-0000-4000-8000-000000000000")
    )
    told = details(gallery)
    assert gallery.attribute("media_title") == "Reef"
    assert told["source"] == "https://art.example.org/1"
    # There is no heart for what could not be kept.
    for name in (
        "favorite",
        "series",
        "exhibition",
        "edition",
        "year",
        "medium",
        "link",
        "note",
    ):
        assert told[name] is None
    with pytest.raises(HomeAssistantError) as caught:
        await gallery.call("add_favorite", entity_id=ENTITY_ID)
    assert caught.value.translation_key == "work_of_no_library"


# Favorites


async def test_like_what_hangs(gallery: Gallery) -> None:
    """The shown work can be added to the favorites and removed."""
    await gallery.cast(exhibition=LARGE)
    title = gallery.attribute("media_title")
    await until(lambda: details(gallery)["favorite"] is False)
    told = await gallery.call("add_favorite", entity_id=ENTITY_ID)
    assert told["title"] == title
    await until(lambda: details(gallery)["favorite"])
    await gallery.player("media_next_track")
    await until(lambda: details(gallery)["favorite"] is False)
    folder = await gallery.browse(gallery.media_id("favorites"))
    assert [child.media_content_id for child in folder.children] == [
        told["media_content_id"]
    ]
    assert folder.can_play
    await gallery.play(folder.media_content_id)
    assert [item["title"] for item in gallery.wall.state.items] == [title]
    await gallery.hass.services.async_call(
        "dp1", "remove_favorite", {"entity_id": ENTITY_ID}, blocking=True
    )
    assert not gallery.library.favorites.nodes()
    await until(lambda: details(gallery)["favorite"] is False)


async def test_like_a_work_of_the_feed(gallery: Gallery) -> None:
    """A work of a feed's playlist is a favorite by its position in the playlist."""
    await gallery.cast(playlist_id="385f79b6-a45f-4c1c-8080-e93a192adccc")
    assert (await gallery.call("add_favorite", entity_id=ENTITY_ID))["title"] == "Tide"
    (node,) = gallery.library.favorites.nodes()
    assert node.id.startswith("item/385f79b6")
    await until(lambda: details(gallery)["favorite"])
    await gallery.feed.stop()
    await gallery.play(gallery.media_id(node.id))
    assert gallery.wall.state.current_title == "Tide"


async def test_what_cannot_be_liked(gallery: Gallery) -> None:
    """Works that cannot be a favorite, or are none, are refused."""
    for action, what, key in tables("metadata", "display")["not_liked"]:
        fields = {
            field: it.format(media=gallery.media_id()) for field, it in what.items()
        }
        with pytest.raises(HomeAssistantError) as caught:
            await gallery.hass.services.async_call("dp1", action, fields, blocking=True)
        assert caught.value.translation_key == key


async def test_a_failed_look_up_is_retried_when_the_library_is_back(
    gallery: Gallery, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A look-up that waits after many failures is tried at once when a library has changed."""
    set_timing(look_up_retry=3600.0)
    failed = asyncio.Event()
    work = Item(artists=(Artist("Ana Ruiz"),), link="https://art.example/tide")

    async def find(_: Any) -> Item:
        """Fail the first time."""
        if failed.is_set():
            return work
        failed.set()
        raise UnreachableError("silence")

    monkeypatch.setattr(gallery.library, "async_work", find)
    await gallery.cast(playlist=playlist("Tide"))
    await failed.wait()
    await gallery.library.async_add_favorite(gallery.exhibition(LARGE))
    await until(lambda: gallery.attribute("media_artist") == "Ana Ruiz")


@pytest.mark.parametrize(
    ("item", "cover", "picture"), tables("picture", "display")["pictures"]
)
def test_the_best_picture_is_chosen(
    item: dict[str, object], cover: str | None, picture: str | None
) -> None:
    """The thumbnail comes first, then the work if it is an image, then the cover; unsupported URLs are skipped."""
    playlist = {"title": "Evening", "coverImage": cover, "items": [item]}
    status = {"ok": True, "index": 0, "items": [item], "playlist": playlist}
    player = PlayerStatus.parse(status)
    assert player.current is not None
    assert work_of(player.current, None, player.playlist).picture == picture
