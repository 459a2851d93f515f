"""Test setting up, unloading and removing a display."""

from typing import Any

import pytest
from pytest_homeassistant_custom_component.common import MockConfigEntry

from homeassistant.config_entries import ConfigEntryDisabler, ConfigEntryState
from homeassistant.core import HomeAssistant
from homeassistant.helpers import device_registry as dr, entity_registry as er
from homeassistant.setup import async_setup_component

from .displays import ENTITY_ID, until
from .walls import Wall

pytestmark = pytest.mark.usefixtures("socket_enabled")


async def test_the_actions_are_there_without_anything_set_up(
    hass: HomeAssistant,
) -> None:
    """Automations with the actions are valid while no display is set up."""
    assert await async_setup_component(hass, "dp1", {})
    assert hass.services.has_service("dp1", "cast_playlist")


@pytest.mark.parametrize("profile", ["A", "B", "legacy"])
async def test_a_display_comes_and_goes(
    wall: Wall, entity_registry: er.EntityRegistry, device_registry: dr.DeviceRegistry
) -> None:
    """A display can be set up, reloaded, unloaded, started while it is off, and removed, and leaves nothing behind."""
    entries, entry_id = wall.hass.config_entries, wall.entry.entry_id
    assert wall.entry.state is ConfigEntryState.LOADED
    await wall.reload()
    assert wall.state == "idle"
    assert await entries.async_unload(entry_id)
    assert wall.state == "unavailable"
    await until(lambda: not len(wall.display.sockets))
    before = len(wall.display.commands)
    await wall.hass.async_block_till_done()
    assert len(wall.display.commands) == before
    await wall.display.power_off()
    await entries.async_setup(entry_id)
    assert wall.entry.state is ConfigEntryState.SETUP_RETRY
    assert wall.state == "unavailable"
    assert await entries.async_remove(entry_id)
    await wall.hass.async_block_till_done()
    assert wall.hass.states.get(ENTITY_ID) is None
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
    key = f"dp1.display.{entry.entry_id}"
    hass_storage[key] = {"version": 1, "minor_version": 1, "key": key, "data": []}
    assert await hass.config_entries.async_remove(entry.entry_id)
    await hass.async_block_till_done()
    assert key not in hass_storage
    assert "Error calling entry remove callback" not in caplog.text
