"""What all entities of a display share."""

from collections.abc import Callable
from typing import override

from homeassistant.core import callback
from homeassistant.helpers.device_registry import CONNECTION_NETWORK_MAC, DeviceInfo
from homeassistant.helpers.update_coordinator import CoordinatorEntity

from .const import DOMAIN
from .coordinator import DisplayCoordinator, DisplayData
from .protocol.display import Dialect


class DisplayEntity(CoordinatorEntity[DisplayCoordinator]):
    """An entity of one display."""

    _attr_has_entity_name = True

    def __init__(self, coordinator: DisplayCoordinator, key: str | None = None) -> None:
        """Belong to a display; without a key, be the display itself."""
        super().__init__(coordinator)
        display = coordinator.device_id
        self._attr_unique_id = f"{display}_{key}" if key else display
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


class ValueEntity[_T](DisplayEntity):
    """An entity that shows one value, and is written only when that changes."""

    _value: _T | None = None
    _was_available: bool | None = None

    def __init__(
        self,
        coordinator: DisplayCoordinator,
        key: str,
        value_fn: Callable[[DisplayData], _T | None],
    ) -> None:
        """Read the value for the first time."""
        super().__init__(coordinator, key)
        self._value_fn = value_fn
        self._value = value_fn(coordinator.data)

    @callback
    @override
    def _handle_coordinator_update(self) -> None:
        """Write the state if there is news for this entity."""
        value = self._value_fn(self.coordinator.data)
        if value == self._value and self.available is self._was_available:
            return
        self._value = value
        self._was_available = self.available
        super()._handle_coordinator_update()
