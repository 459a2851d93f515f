"""Helpers for tests of the entities of a display."""

from typing import Any

from homeassistant.core import HomeAssistant, State
from homeassistant.helpers import entity_registry as er

from .displays import DEVICE_ID, state_of, until


def entity_id(hass: HomeAssistant, platform: str, key: str) -> str | None:
    registry = er.async_get(hass)
    return registry.async_get_entity_id(platform, "dp1", f"{DEVICE_ID}_{key}")


def shown(hass: HomeAssistant, platform: str, key: str) -> State:
    found = entity_id(hass, platform, key)
    assert found is not None, f"{platform}.{key}"
    return state_of(hass, found)


def value(hass: HomeAssistant, platform: str, key: str) -> str | None:
    found = entity_id(hass, platform, key)
    state = hass.states.get(found) if found else None
    return state.state if state else None


async def known(hass: HomeAssistant, platform: str, key: str) -> str:
    """Wait for an entity that is added after the display was read, and return its value."""
    await until(
        lambda: value(hass, platform, key) not in (None, "unknown", "unavailable")
    )
    return shown(hass, platform, key).state


async def act(
    hass: HomeAssistant, platform: str, key: str, action: str, **data: Any
) -> None:
    target = {"entity_id": entity_id(hass, platform, key)}
    await hass.services.async_call(platform, action, target | data, blocking=True)
