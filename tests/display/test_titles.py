"""Test what others change of a list that hangs."""

import pytest
from pytest_homeassistant_custom_component.common import MockConfigEntry

from homeassistant.core import HomeAssistant

from ..displays import FIRMWARE, playlist, settle, state_of, until
from ..entities import known, value
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


@pytest.mark.parametrize("profile", ["A1"])
async def test_settings_that_are_not_pushed(
    hass: HomeAssistant, display: DisplaySimulator, setup_display: MockConfigEntry
) -> None:
    """They are read with each poll, not with every second."""
    display.player.load(playlist("Dawn"))
    await until(lambda: state_of(hass).attributes.get("media_playlist"))
    await known(hass, "number", "seconds_per_work")
    coordinator = setup_display.runtime_data
    for seconds in (40, 50, 60):
        display.player.handle("updateDefaultDuration", {"durationSeconds": seconds})
        await settle(display)
        await coordinator.async_refresh()
        assert value(hass, "number", "seconds_per_work") == str(float(seconds))


async def test_more_works_than_are_kept(
    hass: HomeAssistant, display: DisplaySimulator, setup_display: MockConfigEntry
) -> None:
    """All are counted."""
    display.player.load(playlist(*map(str, range(1025))))
    await until(lambda: state_of(hass).attributes["dp1"]["works"] == 1025)
    assert value(hass, "sensor", "works") == "1025"
