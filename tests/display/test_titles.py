"""Test what others change of a list that hangs."""

from typing import Any

import pytest
from pytest_homeassistant_custom_component.common import MockConfigEntry

from homeassistant.core import HomeAssistant
from homeassistant.exceptions import HomeAssistantError

from ..displays import FIRMWARE, playlist, settle, state_of, until
from ..entities import value
from ..simulators.display import DisplaySimulator
from ..walls import Wall


@pytest.mark.parametrize("profile", FIRMWARE)
async def test_the_same_works_with_other_titles(
    hass: HomeAssistant, display: DisplaySimulator, setup_display: MockConfigEntry
) -> None:
    """They have the new titles, sources and title of the playlist at once."""
    display.player.load(playlist("Dawn", "Noon"))
    await until(lambda: state_of(hass).attributes.get("media_playlist"))
    await settle(display)
    again = playlist("Dusk", "Night", title="Later")
    for item in again["items"]:
        item["source"] += "/new"
    display.player.load(again)
    await until(lambda: state_of(hass).attributes["media_title"] == "Dusk")
    await until(lambda: state_of(hass).attributes.get("media_playlist") == "Later")
    source = "https://art.example.org/1/new"
    await until(lambda: state_of(hass).attributes["dp1"]["source"] == source)


@pytest.mark.parametrize("profile", FIRMWARE)
async def test_other_works_without_id_and_title(
    hass: HomeAssistant, display: DisplaySimulator, setup_display: MockConfigEntry
) -> None:
    """They are told from those before, which a push does not tell: the document and its works are read."""

    def untitled(name: str) -> dict[str, Any]:
        """Return a playlist of works without id and title."""
        works = playlist("Dawn", "Noon", title=name)
        items = [
            {"source": f"https://art.example.org/{name}/{place}", "duration": 300}
            for place in range(2)
        ]
        return {**works, "items": items}

    display.player.load(untitled("first"))
    await until(lambda: state_of(hass).attributes.get("media_playlist") == "first")
    display.player.handle("moveToArtwork", {"index": 1})
    await until(lambda: state_of(hass).attributes["media_track"] == 2)
    await settle(display)
    display.player.load(untitled("second"))
    await until(lambda: state_of(hass).attributes["media_playlist"] == "second")
    await until(lambda: setup_display.runtime_data.data.player.playlist)
    status = setup_display.runtime_data.data.player
    assert status.playlist["title"] == "second"
    assert status.items[0].source == "https://art.example.org/second/0"


async def test_a_list_like_the_one_before_but_for_its_sources(wall: Wall) -> None:
    """A push does not tell it from the first, whose title and time it has no longer than a read takes."""

    def untold(name: str, **more: Any) -> dict[str, Any]:
        """Return a playlist of works without an id, which a push does not tell from others."""
        works = playlist("Dawn", "Noon", title=name)
        for number, work in enumerate(works["items"]):
            del work["id"]
            work["source"] = f"https://art.example.org/{name}/{number}"
        return {**works, **more}

    await wall.load(untold("first"))
    wall.move(1)
    await until(lambda: wall.attribute("media_track") == 2)
    wall.move(0)
    await until(lambda: wall.attribute("media_track") == 1)
    await settle(wall.display)
    since = wall.attribute("media_position_updated_at")
    wall.display.player.load(untold("second", title=""))
    wall.move(1)
    source = "https://art.example.org/second/1"
    await until(lambda: wall.attribute("dp1")["source"] == source)
    assert wall.attribute("media_playlist") is None
    assert wall.attribute("media_position_updated_at") > since


@pytest.mark.parametrize("source", ["https://art.example.org/1", "data:text/html,1"])
async def test_a_work_without_a_title(wall: Wall, source: str) -> None:
    """It is called like the playlist, wherever its page is."""
    document = playlist("Dawn", title="Tides")
    document["items"][0] |= {"title": "", "source": source}
    await wall.load(document)
    await until(lambda: wall.attribute("media_title") == "Tides")


async def test_more_works_than_are_kept(
    hass: HomeAssistant, wall: Wall, display: DisplaySimulator
) -> None:
    """All are counted, and those that are not kept are stepped over like the others, without their titles."""
    display.player.load(playlist(*map(str, range(1100))))
    await until(lambda: state_of(hass).attributes["dp1"]["works"] == 1100)
    assert value(hass, "sensor", "works") == "1100"
    wall.move(1060)
    await until(lambda: wall.attribute("media_track") == 1061)
    assert (wall.state, wall.attribute("media_title")) == ("playing", None)
    for action, track in (("media_next_track", 1062), ("media_previous_track", 1061)):
        await wall.do(action)
        await until(lambda track=track: wall.attribute("media_track") == track)


@pytest.mark.parametrize(
    ("action", "data"),
    [
        ("dp1.show_message", {"title": "Tea", "show_for": 60}),
        ("dp1.cast_playlist", {"playlist": playlist("Dusk"), "show_for": 60}),
        (
            "play_media",
            {
                "media_content_type": "",
                "media_content_id": "https://art.example.org/x.png",
                "enqueue": "add",
            },
        ),
    ],
)
async def test_what_cannot_be_kept_whole_is_not_replaced(
    wall: Wall, action: str, data: dict[str, Any]
) -> None:
    """Nothing is shown over a list of which a part could not be shown again, and nothing is added to it."""
    wall.display.player.load(playlist(*map(str, range(1100)), id=None))
    await until(lambda: wall.attribute("dp1")["works"] == 1100)
    await settle(wall.display)
    with pytest.raises(HomeAssistantError) as caught:
        await wall.do(action, **data)
    assert caught.value.translation_key == "too_many_works"
    assert len(wall.display.state.items) == 1100
