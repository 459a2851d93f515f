"""Binary sensors of a display and of a library."""

from dataclasses import dataclass
from typing import Any, override

from homeassistant.components.binary_sensor import (
    BinarySensorDeviceClass,
    BinarySensorEntity,
    BinarySensorEntityDescription,
)
from homeassistant.config_entries import ConfigEntry
from homeassistant.const import EntityCategory
from homeassistant.core import HomeAssistant, callback
from homeassistant.helpers.entity_platform import AddConfigEntryEntitiesCallback

from .display.state import DisplayData
from .entity import ValueDescription, ValueEntity, async_add_display_entities
from .library.entity import LibraryEntity
from .library.library import Library

PARALLEL_UPDATES = 0


@dataclass(frozen=True, kw_only=True)
class DisplayBinarySensorDescription(
    ValueDescription[bool], BinarySensorEntityDescription
):
    """Description of a binary sensor of a display."""


def _internet(data: DisplayData) -> bool | None:
    """Return whether the display reaches the internet."""
    network = data.device.network if data.device else None
    return network.internet if network else None


def _has_problem(data: DisplayData) -> bool | None:
    """Return whether something keeps the work from being shown."""
    return None if data.problem is None else bool(data.problem)


BINARY_SENSORS = (
    DisplayBinarySensorDescription(
        key="internet",
        device_class=BinarySensorDeviceClass.CONNECTIVITY,
        entity_category=EntityCategory.DIAGNOSTIC,
        value_fn=_internet,
    ),
)
PROBLEM = DisplayBinarySensorDescription(
    key="playback_problem",
    is_common=True,
    shows_work=True,
    device_class=BinarySensorDeviceClass.PROBLEM,
    entity_category=EntityCategory.DIAGNOSTIC,
    value_fn=_has_problem,
)


async def async_setup_entry(
    hass: HomeAssistant,
    entry: ConfigEntry[Any],
    async_add_entities: AddConfigEntryEntitiesCallback,
) -> None:
    """Set up the binary sensors of a display or of a library."""
    if isinstance(entry.runtime_data, Library):
        async_add_entities([LibraryProblemSensor(entry.runtime_data)])
        return
    async_add_display_entities(
        entry, async_add_entities, BINARY_SENSORS, DisplayBinarySensor
    )
    async_add_display_entities(entry, async_add_entities, [PROBLEM], ProblemSensor)


class DisplayBinarySensor(ValueEntity[bool], BinarySensorEntity):
    """Binary sensor of a display."""

    entity_description: DisplayBinarySensorDescription

    @property
    @override
    def is_on(self) -> bool | None:
        """Return the state of the sensor."""
        return self._value


class ProblemSensor(DisplayBinarySensor):
    """Binary sensor for what keeps the work from being shown, with the reason."""

    _reason: str | None = None

    @callback
    @override
    def _update(self) -> bool:
        """Update the state and the reason."""
        before, self._reason = self._reason, self.coordinator.data.problem or None
        return super()._update() or self._reason != before

    @property
    @override
    def extra_state_attributes(self) -> dict[str, str | None]:
        """Return the reason."""
        return {"reason": self._reason}


class LibraryProblemSensor(LibraryEntity, BinarySensorEntity):
    """Binary sensor for what keeps a library from being read, with the reason."""

    _attr_translation_key = "library_problem"
    _attr_device_class = BinarySensorDeviceClass.PROBLEM
    _attr_entity_category = EntityCategory.DIAGNOSTIC

    def __init__(self, library: Library) -> None:
        """Initialize the sensor."""
        super().__init__(library, "problem")

    @property
    @override
    def is_on(self) -> bool:
        """Return whether something could not be read."""
        return self.library.problem is not None

    @property
    @override
    def extra_state_attributes(self) -> dict[str, str | None]:
        """Return the reason."""
        return {"reason": self.library.problem_text}
