"""Test that scenes restore what was shown, and that playlists have permanent ids."""

from collections.abc import AsyncIterator
from typing import Any

import pytest

from custom_components.dp1.coordinator import DisplayCoordinator
from custom_components.dp1.display.history import History
from homeassistant.core import HomeAssistant
from homeassistant.exceptions import ServiceValidationError
from homeassistant.setup import async_setup_component

from tests.displays import until
from tests.houses import House, series, served, titles

pytestmark = pytest.mark.usefixtures("socket_enabled")

TIDES = series("Tides", 4)
DUNES = series("Dunes", 2)


@pytest.fixture
async def house(hass: HomeAssistant) -> AsyncIterator[House]:
    assert await async_setup_component(hass, "scene", {})
    async with House.of(hass, "wall") as house:
        yield house


async def capture(house: House) -> None:
    entities = [
        state.entity_id
        for state in house.hass.states.async_all(("media_player", "select"))
    ]
    await house.hass.services.async_call(
        "scene",
        "create",
        {"scene_id": "evening", "snapshot_entities": entities},
        blocking=True,
    )


async def recall(house: House) -> None:
    await house.hass.services.async_call(
        "scene", "turn_on", {"entity_id": "scene.evening"}, blocking=True
    )
    await house.hass.async_block_till_done()


def history(house: House) -> History:
    coordinator: DisplayCoordinator = house.entries["wall"].runtime_data
    return coordinator.history


async def scale(house: House, scaling: str) -> None:
    await house.phone("wall", "updateDisplaySettings", isSaved=True, scaling=scaling)


async def test_a_scene_of_an_empty_wall(house: House) -> None:
    """What hangs is taken down by a scene that was taken while nothing hung."""
    await capture(house)
    await house.show("wall", playlist=TIDES)
    await recall(house)
    await until(lambda: house.state("wall").state == "idle")
    assert house.walls["wall"].state.current is None


@pytest.mark.parametrize("by", ["address", "document", "phone"])
async def test_a_scene_brings_everything_back(house: House, by: str) -> None:
    """Playlist, work, order, repeat, volume and scaling are restored."""
    wall = house.walls["wall"]
    async with served(TIDES) as (url,):
        if by == "phone":
            await house.phone_casts("wall", TIDES)
        else:
            what = {"playlist_url": url} if by == "address" else {"playlist": TIDES}
            await house.show("wall", **what)
        await house.do("dp1.show_work", "wall", work=3)
        await house.do("shuffle_set", "wall", shuffle=True)
        await house.do("repeat_set", "wall", repeat="one")
        await house.do("volume_set", "wall", volume_level=0.4)
        await scale(house, "fill")
        await until(
            lambda: [
                state.state
                for state in house.hass.states.async_all("select")
                if state.state == "fill"
            ]
        )
        # A scene has the content type of the work, and restores the playlist.
        assert house.attribute("wall", "media_content_type") == "image"
        await capture(house)
        await house.phone_casts("wall", DUNES)
        await house.do("volume_set", "wall", volume_level=0.8)
        await scale(house, "fit")
        await house.do("turn_off", "wall")
        await recall(house)
    shown = wall.state
    assert not shown.asleep
    assert shown.playlist_url == (url if by == "address" else None)
    assert shown.current_title == "Tides 3"
    assert sorted(titles(shown.items)) == titles(TIDES["items"])
    assert shown.shuffle
    assert shown.loop_mode == "one"
    assert shown.volume == 40
    assert shown.settings["scaling"] == "fill"


async def test_a_scene_of_sleep(house: House) -> None:
    """A display that slept in the scene sleeps."""
    await house.phone_casts("wall", TIDES)
    await house.do("turn_off", "wall")
    await capture(house)
    await house.do("turn_on", "wall")
    await recall(house)
    assert house.walls["wall"].state.asleep


async def test_a_scene_survives_a_restart(house: House) -> None:
    """Playlists without a URL are stored for scenes."""
    await house.phone_casts("wall", TIDES)
    await house.phone("wall", "moveToArtwork", index=1)
    name = house.attribute("wall", "media_content_id")
    await house.phone_casts("wall", DUNES)
    await house.hass.config_entries.async_reload(house.entries["wall"].entry_id)
    await house.play("wall", name, kind="playlist")
    assert house.hanging("wall") == "Tides 2"


async def test_the_name_of_what_hangs(house: House) -> None:
    """The id of a playlist with a URL is the URL; the position is only added if it is not the default."""
    async with served(TIDES) as (url,):
        await house.show("wall", playlist_url=url)
        assert house.attribute("wall", "media_content_id") == f"{url}#dp1&"
        await house.do("media_next_track", "wall")
        work = TIDES["items"][1]["id"]
        name = f"{url}#dp1&work={work}&at=1"
        assert house.attribute("wall", "media_content_id") == name
        await house.show("wall", media_content_id=name, repeat="off")
    assert house.hanging("wall") == "Tides 2"
    assert house.walls["wall"].state.playlist_url == url
    assert house.attribute("wall", "media_content_id") == f"{name}&loop=none"


async def test_a_name_that_was_tampered_with(house: House) -> None:
    """An invalid position is ignored."""
    async with served(TIDES) as (url,):
        await house.play("wall", f"{url}#dp1&at=x&loop=wild&work=nobody")
    assert house.hanging("wall") == "Tides 1"
    assert house.walls["wall"].state.loop_mode == "playlist"


async def test_a_list_can_be_shown_on_another_display(hass: HomeAssistant) -> None:
    """A playlist of one display can be played on another, with other options."""
    async with House.of(hass, "wall", "hall") as house:
        await house.phone_casts("wall", TIDES)
        name = house.attribute("wall", "media_content_id")
        await house.show("hall", media_content_id=name, limit=2, start_at=2)
        assert house.hanging("hall") == "Tides 2"
        assert len(house.walls["hall"].state.items) == 2


async def test_a_forgotten_list(house: House) -> None:
    """An unknown id is an error."""
    with pytest.raises(ServiceValidationError) as raised:
        await house.play("wall", "dp1://recent/0123456789abcdef")
    assert raised.value.translation_key == "forgotten"


async def test_what_a_display_was_given(house: House) -> None:
    """The history has each playlist once, the latest first, by any client, with its metadata."""
    rich = series("Rich", 2)
    rich["items"][0]["note"] = {"text": "By heart"}
    async with served(DUNES) as (url,):
        await house.show("wall", playlist=rich)
        await house.phone_casts("wall", TIDES)
        await house.show("wall", playlist_url=url)
        await house.phone_casts("wall", rich)
    given = history(house).entries()
    assert [entry.title for entry in given] == ["Rich", "Dunes", "Tides"]
    assert given[0].asked.document
    assert given[0].asked.document["items"][0]["note"] == {"text": "By heart"}
    assert given[1].media_id == url
    assert given[1].asked.url == url
    assert given[2].asked.document
    assert titles(given[2].asked.document["items"]) == titles(TIDES["items"])
    assert history(house).get(given[2].media_id) == given[2]


async def test_works_that_stay_bring_no_duration(house: House) -> None:
    """The number for an unlimited duration is not used as a duration."""
    still = series("Still", 1)
    del still["items"][0]["duration"]
    await house.phone_casts("wall", still)
    (given,) = history(house).entries()
    assert given.asked.document
    assert "duration" not in given.asked.document["items"][0]


async def test_a_display_without_status(
    hass: HomeAssistant, hass_storage: dict[str, Any]
) -> None:
    """The history also works for a display without a status."""
    async with House.of(hass, "wall", profile="legacy") as house:
        await house.show("wall", playlist=TIDES)
        name = house.attribute("wall", "media_content_id")
        assert name.startswith("dp1://recent/")
        await house.show("wall", playlist=DUNES)
        await house.play("wall", name)
        assert house.hanging("wall") == "Tides 1"


@pytest.mark.parametrize("restarted", [False, True])
async def test_the_artist_that_the_firmware_drops(
    house: House, restarted: bool
) -> None:
    """The artist of a document is kept where the display omits it."""
    document = series("Shores", 2)
    for item, name in zip(document["items"], ("Ada", "Grace"), strict=True):
        item["inlineManifest"] = {"metadata": {"artists": [{"name": name}]}}
    await house.show("wall", playlist=document)
    wall = house.walls["wall"]
    wall.player.items = [
        {key: value for key, value in item.items() if key != "inlineManifest"}
        for item in wall.player.items
    ]
    if restarted:
        await house.hass.config_entries.async_reload(house.entries["wall"].entry_id)
    await house.do("media_next_track", "wall")
    await until(lambda: house.attribute("wall", "media_title") == "Shores 2")
    assert house.attribute("wall", "media_artist") == "Grace"
