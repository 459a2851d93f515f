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
from homeassistant.core import HomeAssistant
from homeassistant.helpers.entity_platform import AddConfigEntryEntitiesCallback

from .entity import (
    DescribedEntity,
    DisplayDescription,
    LibraryEntity,
    async_add_display_entities,
)
from .library.library import Library

PARALLEL_UPDATES = 0


@dataclass(frozen=True, kw_only=True)
class DisplayBinarySensorDescription(
    DisplayDescription[bool | str], BinarySensorEntityDescription
):
    """Describes a binary sensor of a display; a text is on unless it is empty."""


INTERNET = DisplayBinarySensorDescription(
    key="internet",
    record="device",
    device_class=BinarySensorDeviceClass.CONNECTIVITY,
    entity_category=EntityCategory.DIAGNOSTIC,
    value_fn=lambda device: device.network and device.network.internet,
)
PROBLEM = DisplayBinarySensorDescription(
    key="playback_problem",
    is_common=True,
    device_class=BinarySensorDeviceClass.PROBLEM,
    entity_category=EntityCategory.DIAGNOSTIC,
    value_fn=lambda data: data.problem,
)


async def async_setup_entry(
    hass: HomeAssistant,
    entry: ConfigEntry[Any],
    async_add_entities: AddConfigEntryEntitiesCallback,
) -> None:
    """Set up the binary sensors of a display or of a library."""
    if isinstance(library := entry.runtime_data, Library):
        async_add_entities([LibraryProblemSensor(library, "problem")])
        return
    async_add_display_entities(
        entry, async_add_entities, [INTERNET], DisplayBinarySensor
    )
    async_add_display_entities(entry, async_add_entities, [PROBLEM], ProblemSensor)


class DisplayBinarySensor(DescribedEntity[bool | str], BinarySensorEntity):
    """Binary sensor of a display."""

    entity_description: DisplayBinarySensorDescription

    @property
    @override
    def is_on(self) -> bool | None:
        """Return the state of the sensor."""
        return None if self._value is None else bool(self._value)


class ProblemSensor(DisplayBinarySensor):
    """Binary sensor for a problem of showing the work, with the reason."""

    @property
    @override
    def extra_state_attributes(self) -> dict[str, bool | str | None]:
        """Return the reason."""
        return {"reason": self._value or None}


class LibraryProblemSensor(LibraryEntity, BinarySensorEntity):
    """Binary sensor for a problem of reading a library, with the reason."""

    _attr_translation_key = "library_problem"
    _attr_device_class = BinarySensorDeviceClass.PROBLEM
    _attr_entity_category = EntityCategory.DIAGNOSTIC

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
