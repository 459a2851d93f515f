"""Test what others change of a list that hangs."""

from typing import Any

import pytest
from pytest_homeassistant_custom_component.common import MockConfigEntry

from homeassistant.core import HomeAssistant

from ..displays import FIRMWARE, playlist, settle, state_of, until
from ..entities import value
from ..simulators.display import DisplaySimulator


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


async def test_more_works_than_are_kept(
    hass: HomeAssistant, display: DisplaySimulator, setup_display: MockConfigEntry
) -> None:
    """All are counted."""
    display.player.load(playlist(*map(str, range(1025))))
    await until(lambda: state_of(hass).attributes["dp1"]["works"] == 1025)
    assert value(hass, "sensor", "works") == "1025"
