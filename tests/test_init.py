"""Test setting up, unloading and removing a display."""

from typing import Any

import pytest
from pytest_homeassistant_custom_component.common import MockConfigEntry

from homeassistant.config_entries import ConfigEntryDisabler, ConfigEntryState
from homeassistant.core import HomeAssistant
from homeassistant.helpers import device_registry as dr, entity_registry as er
from homeassistant.setup import async_setup_component

from .displays import ENTITY_ID, playlist, state_of, until
from .simulators.display import DisplaySimulator

pytestmark = pytest.mark.usefixtures("socket_enabled")


async def test_the_actions_are_there_without_anything_set_up(
    hass: HomeAssistant,
) -> None:
    """Automations with the actions are valid while no display is set up."""
    assert await async_setup_component(hass, "dp1", {})
    assert hass.services.has_service("dp1", "cast_playlist")


@pytest.mark.parametrize("profile", ["A", "B", "legacy"])
async def test_a_display_comes_and_goes(
    hass: HomeAssistant,
    display: DisplaySimulator,
    setup_display: MockConfigEntry,
    entity_registry: er.EntityRegistry,
    device_registry: dr.DeviceRegistry,
) -> None:
    """A display can be set up, reloaded, unloaded and removed, and leaves nothing behind."""
    entry_id = setup_display.entry_id
    assert setup_display.state is ConfigEntryState.LOADED
    assert await hass.config_entries.async_reload(entry_id)
    await hass.async_block_till_done()
    assert state_of(hass).state == "idle"
    assert await hass.config_entries.async_unload(entry_id)
    assert state_of(hass).state == "unavailable"
    await until(lambda: not len(display.sockets))
    assert await hass.config_entries.async_remove(entry_id)
    await hass.async_block_till_done()
    assert hass.states.get(ENTITY_ID) is None
    assert not er.async_entries_for_config_entry(entity_registry, entry_id)
    assert not dr.async_entries_for_config_entry(device_registry, entry_id)


async def test_removing_a_display_that_was_disabled_at_start(
    hass: HomeAssistant,
    hass_storage: dict[str, Any],
    caplog: pytest.LogCaptureFixture,
) -> None:
    """Stored data is removed although the integration was never set up."""
    entry = MockConfigEntry(
        domain="dp1",
        data={"kind": "display", "host": "127.0.0.1", "port": 1111},
        disabled_by=ConfigEntryDisabler.USER,
    )
    entry.add_to_hass(hass)
    key = f"dp1.history.{entry.entry_id}"
    hass_storage[key] = {"version": 1, "minor_version": 1, "key": key, "data": []}
    assert await hass.config_entries.async_remove(entry.entry_id)
    await hass.async_block_till_done()
    assert key not in hass_storage
    assert "Error calling entry remove callback" not in caplog.text


async def test_entities_stay_known_while_a_display_is_off(
    hass: HomeAssistant, display: DisplaySimulator, setup_display: MockConfigEntry
) -> None:
    """After a start without the display, its entities are unavailable."""
    await hass.config_entries.async_unload(setup_display.entry_id)
    await display.power_off()
    await hass.config_entries.async_setup(setup_display.entry_id)
    assert setup_display.state is ConfigEntryState.SETUP_RETRY
    assert state_of(hass).state == "unavailable"


async def test_a_restart_of_home_assistant_is_not_seen_on_the_wall(
    hass: HomeAssistant, display: DisplaySimulator, setup_display: MockConfigEntry
) -> None:
    """A restart does not change what is shown."""
    display.player.load(playlist("Dawn", "Noon"))
    display.player.handle("moveToArtwork", {"index": 1})
    await hass.config_entries.async_reload(setup_display.entry_id)
    await hass.async_block_till_done()
    assert state_of(hass).attributes["media_title"] == "Noon"
    assert not display.writes
