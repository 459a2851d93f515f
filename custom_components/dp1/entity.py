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
from .coordinator import DisplayConfigEntry, DisplayCoordinator, DisplayData
from .display.parts import Part


@dataclass(frozen=True, kw_only=True)
class DisplayDescription(EntityDescription):
    """Something that not every display offers.

    Attributes:
        exists_fn: whether the display has shown that it offers it.
        part: what has to be read regularly for it, beside what every display is asked.
    """

    exists_fn: Callable[[DisplayData], bool]
    part: Part | None = None


@dataclass(frozen=True, kw_only=True)
class ValueDescription[_T](EntityDescription):
    """A value that not every display has: it is offered once there is one.

    Attributes:
        value_fn: the value.
        part: what has to be read regularly for it, beside what every display is asked.
    """

    value_fn: Callable[[DisplayData], _T | None]
    part: Part | None = None

    def exists_fn(self, data: DisplayData) -> bool:
        """Tell whether the display has shown that it offers it."""
        return self.value_fn(data) is not None


class DisplayEntity(CoordinatorEntity[DisplayCoordinator]):
    """An entity of one display."""

    _attr_has_entity_name = True

    def __init__(
        self,
        coordinator: DisplayCoordinator,
        key: str | None = None,
        part: Part | None = None,
    ) -> None:
        """Belong to a display; without a key, be the display itself."""
        super().__init__(coordinator, part)
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
    """An entity of one display, as described, that is written only when there is news for it."""

    _was_available: bool | None = None

    def __init__(
        self,
        coordinator: DisplayCoordinator,
        description: DisplayDescription | ValueDescription[Any],
    ) -> None:
        """Belong to a display."""
        super().__init__(coordinator, description.key, description.part)
        self.entity_description = description

    @override
    async def async_added_to_hass(self) -> None:
        """Follow the display, from what it said meanwhile."""
        await super().async_added_to_hass()
        self._take_over()
        self._was_available = self.available

    @callback
    @override
    def _handle_coordinator_update(self) -> None:
        """Write the state if there is news for this entity."""
        is_news = self._take_over()
        available = self.available
        if is_news or available is not self._was_available:
            self._was_available = available
            super()._handle_coordinator_update()

    @callback
    def _take_over(self) -> bool:
        """Take over what the display said last, and tell whether that is news."""
        return False


class ValueEntity[_T](DescribedEntity):
    """An entity that shows one value."""

    def __init__(
        self, coordinator: DisplayCoordinator, description: ValueDescription[_T]
    ) -> None:
        """Read the value for the first time."""
        super().__init__(coordinator, description)
        self._value_fn = description.value_fn
        self._value = self._value_fn(coordinator.data)

    @callback
    @override
    def _take_over(self) -> bool:
        """Read the value."""
        before, self._value = self._value, self._value_fn(self.coordinator.data)
        return self._value != before


@callback
def async_add_as_shown[_D: DisplayDescription | ValueDescription[Any]](
    entry: DisplayConfigEntry,
    async_add_entities: AddConfigEntryEntitiesCallback,
    descriptions: Iterable[_D],
    make: Callable[[DisplayCoordinator, _D], DisplayEntity],
) -> None:
    """Add what a display offers, some of it later, when the display first shows that it does."""
    coordinator = entry.runtime_data
    waiting = list(descriptions)

    @callback
    def add() -> None:
        """Add what has shown since."""
        data = coordinator.data
        if shown := [entity for entity in waiting if entity.exists_fn(data)]:
            waiting[:] = [entity for entity in waiting if entity not in shown]
            async_add_entities(make(coordinator, entity) for entity in shown)

    add()
    entry.async_on_unload(coordinator.async_add_listener(add))
