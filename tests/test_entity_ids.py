"""Test the entity IDs of a display that is called like its area."""

from homeassistant.helpers import (
    area_registry as ar,
    device_registry as dr,
    entity_registry as er,
)

from .displays import ENTITY_ID
from .walls import Wall

SCALING = "select.wall_scaling"


async def test_a_display_that_announces_the_name_of_an_area(bare: Wall) -> None:
    """Its name is in its entity IDs once."""
    ar.async_get(bare.hass).async_create("Wall")
    await bare.set_up()
    assert bare.hass.states.get(ENTITY_ID)
    assert bare.hass.states.get(SCALING)


async def test_a_display_that_is_named_like_its_area(wall: Wall) -> None:
    """Home Assistant, which asks for a name and an area, is told IDs with the name once, and others when it changes."""
    registry, devices = er.async_get(wall.hass), dr.async_get(wall.hass)
    kitchen = ar.async_get(wall.hass).async_create("Kitchen")
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
