"""What all entities of a library share."""

from typing import override

from homeassistant.helpers.device_registry import DeviceEntryType, DeviceInfo
from homeassistant.helpers.entity import Entity

from ..const import DOMAIN
from .library import Library


class LibraryEntity(Entity):
    """An entity of one library, which is a service."""

    _attr_has_entity_name = True
    _attr_should_poll = False

    def __init__(self, library: Library, key: str) -> None:
        """Initialize the entity."""
        self.library = library
        self._attr_unique_id = f"{library.entry_id}_{key}"
        self._attr_device_info = DeviceInfo(
            identifiers={(DOMAIN, library.entry_id)},
            entry_type=DeviceEntryType.SERVICE,
            name=library.title,
        )

    @override
    async def async_added_to_hass(self) -> None:
        """Listen to the library."""
        await super().async_added_to_hass()
        self.async_on_remove(self.library.async_add_listener(self.async_write_ha_state))
