"""Test the entity IDs of a display that is called like its area."""

from pytest_homeassistant_custom_component.common import MockConfigEntry

from homeassistant.core import HomeAssistant
from homeassistant.helpers import (
    area_registry as ar,
    device_registry as dr,
    entity_registry as er,
)

from .displays import ENTITY_ID, set_up
from .simulators.display import DisplaySimulator

SCALING = "select.wall_scaling"


async def test_a_display_that_announces_the_name_of_an_area(
    hass: HomeAssistant, display: DisplaySimulator, display_entry: MockConfigEntry
) -> None:
    """Its name is in its entity IDs once."""
    ar.async_get(hass).async_create("Wall")
    await set_up(hass, display_entry)
    assert hass.states.get(ENTITY_ID)
    assert hass.states.get(SCALING)


async def test_a_display_that_is_named_like_its_area(
    hass: HomeAssistant, setup_display: MockConfigEntry
) -> None:
    """Home Assistant, which asks for a name and an area, is told IDs with the name once, and others when it changes."""
    registry, devices = er.async_get(hass), dr.async_get(hass)
    kitchen = ar.async_get(hass).async_create("Kitchen")
    entry = registry.async_get(ENTITY_ID)
    assert entry and entry.device_id
    for name, expected in (
        (
            "Kitchen",
            {ENTITY_ID: "media_player.kitchen", SCALING: "select.kitchen_scaling"},
        ),
        ("Big wall", {ENTITY_ID: "media_player.kitchen_big_wall"}),
        ("kitchen", {ENTITY_ID: "media_player.kitchen"}),
    ):
        devices.async_update_device(
            entry.device_id, area_id=kitchen.id, name_by_user=name
        )
        ids = {
            entity_id: registry.async_regenerate_entity_id(registry.entities[entity_id])
            for entity_id in expected
        }
        assert ids == expected
