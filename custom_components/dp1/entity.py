"""What all entities of a display share."""

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import Any, override

from homeassistant.core import callback
from homeassistant.helpers.device_registry import CONNECTION_NETWORK_MAC, DeviceInfo
from homeassistant.helpers.entity import EntityDescription
from homeassistant.helpers.entity_platform import AddConfigEntryEntitiesCallback
from homeassistant.helpers.update_coordinator import CoordinatorEntity

from .client.display.casts import Dialect
from .const import DOMAIN
from .coordinator import DisplayConfigEntry, DisplayCoordinator
from .display.state import Detail, DisplayData


@dataclass(frozen=True, kw_only=True)
class DisplayDescription[_DataT = DisplayData](EntityDescription):
    """Description of an entity that not every display has.

    Attributes:
        exists_fn: whether the display has it.
        detail: the detail it shows, if it is not in the display's own data.
    """

    exists_fn: Callable[[_DataT], bool]
    detail: Detail | None = None


@dataclass(frozen=True, kw_only=True)
class ValueDescription[_T, _DataT = DisplayData](EntityDescription):
    """Description of an entity that shows a value, once there is one.

    Attributes:
        value_fn: returns the value.
        detail: the detail it shows, if it is not in the display's own data.
    """

    value_fn: Callable[[_DataT], _T | None]
    detail: Detail | None = None

    def exists_fn(self, data: _DataT) -> bool:
        """Return whether the display has it."""
        return self.value_fn(data) is not None


type AnyDescription = DisplayDescription[Any] | ValueDescription[Any, Any]


class DisplayEntity(CoordinatorEntity[DisplayCoordinator]):
    """An entity of one display."""

    _attr_has_entity_name = True

    def __init__(self, coordinator: DisplayCoordinator, key: str | None = None) -> None:
        """Initialize the entity; without a key, it is the display itself."""
        super().__init__(coordinator)
        display = coordinator.device_id
        self._attr_unique_id = f"{display}_{key}" if key else display
        self._attr_translation_key = key
        device = coordinator.data.device
        known = coordinator.display.dialect is Dialect.FF
        self._attr_device_info = DeviceInfo(
            identifiers={(DOMAIN, display)},
            connections={(CONNECTION_NETWORK_MAC, mac) for mac in coordinator.macs},
            name=coordinator.config_entry.title,
            manufacturer="Feral File" if known else None,
            model="FF1" if known else "DP-1 display",
            serial_number=coordinator.config_entry.unique_id,
            sw_version=device.installed_version if device else None,
        )


class DescribedEntity(DisplayEntity):
    """Base of the described entities of a display, which are written only when they change."""

    entity_description: AnyDescription
    _was_available: bool | None = None

    def __init__(
        self, coordinator: DisplayCoordinator, description: AnyDescription
    ) -> None:
        """Initialize the entity."""
        super().__init__(coordinator, description.key)
        self.entity_description = description

    @override
    async def async_added_to_hass(self) -> None:
        """Listen to the coordinators."""
        await super().async_added_to_hass()
        if (detail := self.entity_description.detail) is not None:
            self.async_on_remove(
                self.coordinator.details.async_add_listener(
                    self._handle_coordinator_update, detail
                )
            )
        self._update()
        self._was_available = self.available

    @callback
    @override
    def _handle_coordinator_update(self) -> None:
        """Write the state if it has changed."""
        changed = self._update()
        available = self.available
        if changed or available is not self._was_available:
            self._was_available = available
            super()._handle_coordinator_update()

    @callback
    def _update(self) -> bool:
        """Update the attributes, and return whether they have changed."""
        return False


class ValueEntity[_T](DescribedEntity):
    """Base of the entities that show a value."""

    entity_description: ValueDescription[_T, Any]

    def __init__(
        self, coordinator: DisplayCoordinator, description: ValueDescription[_T, Any]
    ) -> None:
        """Initialize the entity."""
        super().__init__(coordinator, description)
        self._value: _T | None = None
        self._update()

    @callback
    @override
    def _update(self) -> bool:
        """Update the value."""
        before = self._value
        description = self.entity_description
        self._value = description.value_fn(_data(self.coordinator, description))
        return self._value != before


@callback
def async_add_as_shown[_DescriptionT: AnyDescription](
    entry: DisplayConfigEntry,
    async_add_entities: AddConfigEntryEntitiesCallback,
    descriptions: Iterable[_DescriptionT],
    make: Callable[[DisplayCoordinator, _DescriptionT], DisplayEntity],
) -> None:
    """Add the entities that a display has, some of them when it first shows that it has them."""
    coordinator = entry.runtime_data
    waiting = list(descriptions)

    @callback
    def add() -> None:
        """Add what the display has shown since."""
        found = [new for new in waiting if new.exists_fn(_data(coordinator, new))]
        if found:
            waiting[:] = [other for other in waiting if other not in found]
            async_add_entities(make(coordinator, new) for new in found)

    add()
    entry.async_on_unload(coordinator.async_add_listener(add))
    if any(description.detail for description in waiting):
        entry.async_on_unload(coordinator.details.async_add_listener(add))


def _data(coordinator: DisplayCoordinator, description: AnyDescription) -> Any:
    """Return the data that a description is about."""
    return coordinator.details.data if description.detail else coordinator.data
