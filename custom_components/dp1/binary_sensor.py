"""What a display tells with yes or no."""

from dataclasses import dataclass
from typing import override

from homeassistant.components.binary_sensor import (
    BinarySensorDeviceClass,
    BinarySensorEntity,
    BinarySensorEntityDescription,
)
from homeassistant.const import EntityCategory
from homeassistant.core import HomeAssistant
from homeassistant.helpers.entity_platform import AddConfigEntryEntitiesCallback

from .coordinator import DisplayConfigEntry
from .display.state import DisplayData
from .entity import ValueDescription, ValueEntity, async_add_as_shown

PARALLEL_UPDATES = 0


@dataclass(frozen=True, kw_only=True)
class DisplayBinarySensorDescription(
    ValueDescription[bool], BinarySensorEntityDescription
):
    """A binary sensor of a display."""


def _internet(data: DisplayData) -> bool | None:
    """Tell whether the display reaches the internet."""
    network = data.device.network if data.device else None
    return network.internet if network else None


def _has_problem(data: DisplayData) -> bool | None:
    """Tell whether something keeps the work off the wall."""
    return None if data.problem is None else bool(data.problem)


BINARY_SENSORS = (
    DisplayBinarySensorDescription(
        key="internet",
        device_class=BinarySensorDeviceClass.CONNECTIVITY,
        entity_category=EntityCategory.DIAGNOSTIC,
        value_fn=_internet,
    ),
    DisplayBinarySensorDescription(
        key="playback_problem",
        device_class=BinarySensorDeviceClass.PROBLEM,
        entity_category=EntityCategory.DIAGNOSTIC,
        value_fn=_has_problem,
    ),
)


async def async_setup_entry(
    hass: HomeAssistant,
    entry: DisplayConfigEntry,
    async_add_entities: AddConfigEntryEntitiesCallback,
) -> None:
    """Add the binary sensors of a display."""
    async_add_as_shown(entry, async_add_entities, BINARY_SENSORS, DisplayBinarySensor)


class DisplayBinarySensor(ValueEntity[bool], BinarySensorEntity):
    """A binary sensor of a display."""

    entity_description: DisplayBinarySensorDescription

    @property
    @override
    def is_on(self) -> bool | None:
        """Show the value."""
        return self._value
