"""Base classes of the entities of a display, and of those of a library."""

import asyncio
from collections.abc import Awaitable, Callable, Container, Iterable
from dataclasses import dataclass
from typing import Any, override

from homeassistant.core import Event, HomeAssistant, callback
from homeassistant.helpers import (
    area_registry as ar,
    device_registry as dr,
    entity_registry as er,
)
from homeassistant.helpers.device_registry import (
    CONNECTION_NETWORK_MAC,
    DeviceEntryType,
    DeviceInfo,
    EventDeviceRegistryUpdatedData,
)
from homeassistant.helpers.entity import Entity, EntityDescription
from homeassistant.helpers.entity_platform import (
    AddConfigEntryEntitiesCallback,
    EntityPlatform,
)
from homeassistant.helpers.event import async_track_device_registry_updated_event
from homeassistant.helpers.update_coordinator import CoordinatorEntity
from homeassistant.util import slugify

from .const import DOMAIN
from .coordinator import DisplayConfigEntry, DisplayCoordinator, Refresh
from .display.discovery import is_ff1, model_of
from .display.state import DisplayData
from .library.libraries import async_add_libraries_listener
from .library.library import Library


@dataclass(frozen=True, kw_only=True)
class DisplayDescription[_T](EntityDescription):
    """Describes an entity of a display.

    Attributes:
        record: the field of the state that it shows a value of; without, the whole state.
        value_fn: returns the value in a record, None while that is unknown.
        exists_fn: detects by a record whether the display has it; without, it does if it has ever had a value.
        is_common: every display has it.
        set_fn: sets a value, or does what a button is for.
    """

    record: str | None = None
    value_fn: Callable[[Any], _T | None] | None = None
    exists_fn: Callable[[Any], object] | None = None
    is_common: bool = False
    set_fn: Callable[..., Awaitable[object]] | None = None

    def record_of(self, data: DisplayData) -> Any:
        """Return the record that it shows a value of."""
        return getattr(data, self.record) if self.record else data

    def value(self, record: Any) -> _T | None:
        """Return the value in a record."""
        if record is None or self.value_fn is None:
            return None
        return self.value_fn(record)

    def exists(self, data: DisplayData) -> bool:
        """Return whether a display has it, as far as its state shows."""
        record = self.record_of(data)
        if self.exists_fn is not None:
            return record is not None and bool(self.exists_fn(record))
        return self.value(record) is not None


def sends(
    command: Callable[..., Awaitable[object]], refresh: Refresh = Refresh.PUSH
) -> Callable[..., Awaitable[None]]:
    """Return a set function that sends a command with the value, and refreshes its effects."""

    async def send(coordinator: DisplayCoordinator, *values: Any) -> None:
        """Send the command."""
        async with coordinator.async_command(refresh) as display:
            await command(display, *values)

    return send


def _area_called(hass: HomeAssistant, name: str) -> str | None:
    """Return the name of the area that is called like a display; a suggested area that does not exist would be made."""
    area = ar.async_get(hass).async_get_area_by_name(name)
    return area.name if area else None


class DisplayEntity(CoordinatorEntity[DisplayCoordinator]):
    """Entity of a display."""

    _attr_has_entity_name = True
    _was_available: bool | None = None

    def __init__(
        self,
        coordinator: DisplayCoordinator,
        key: str | None = None,
        record: str | None = None,
    ) -> None:
        """Initialize the entity; without a key, it is the display itself."""
        super().__init__(coordinator, record)
        device_id, dialect = coordinator.device_id, coordinator.display.dialect
        unique_id = coordinator.config_entry.unique_id
        self._attr_unique_id = f"{device_id}_{key}" if key else device_id
        self._attr_translation_key = key
        self._attr_device_info = DeviceInfo(
            identifiers={(DOMAIN, device_id)},
            connections={(CONNECTION_NETWORK_MAC, mac) for mac in coordinator.macs},
            name=coordinator.config_entry.title,
            manufacturer="Feral File" if is_ff1(dialect, unique_id) else None,
            model=model_of(dialect, unique_id),
            serial_number=unique_id,
            suggested_area=_area_called(
                coordinator.hass, coordinator.config_entry.title
            ),
        )
        if coordinator.data.device is not None:
            version = coordinator.data.device.installed_version
            self._attr_device_info["sw_version"] = version

    @callback
    @override
    def add_to_platform_start(
        self,
        hass: HomeAssistant,
        platform: EntityPlatform,
        parallel_updates: asyncio.Semaphore | None,
    ) -> None:
        """Suggest the entity ID."""
        super().add_to_platform_start(hass, platform, parallel_updates)
        if object_id := self._object_id():
            self.entity_id = f"{platform.domain}.{slugify(object_id)}"

    def _object_id(self) -> str | None:
        """Return the object ID for a display that is called like its area, which Home Assistant would name twice."""
        entry = self.coordinator.config_entry
        device = dr.async_get(self.hass).async_get_device_by_identifier(
            (DOMAIN, self.coordinator.device_id), entry.entry_id
        )
        name = (device.name_by_user or device.name) if device else entry.title
        area_id = device.area_id if device else None
        area = ar.async_get(self.hass).async_get_area(area_id) if area_id else None
        area_name = area.name if area else _area_called(self.hass, entry.title)
        if (device and not area) or not name or not area_name:
            return None
        is_same = slugify(name) == slugify(area_name)
        return f"{name} {self.suggested_object_id or ''}" if is_same else None

    @override
    async def async_added_to_hass(self) -> None:
        """Listen to the coordinator, and to the names of the display and its area."""
        await super().async_added_to_hass()
        if self.device_entry is not None:
            self.async_on_remove(
                async_track_device_registry_updated_event(
                    self.hass, self.device_entry.id, self._handle_device_update
                )
            )
        self._update()
        self._was_available = self.coordinator.last_update_success

    @callback
    def _handle_device_update(
        self, event: Event[EventDeviceRegistryUpdatedData]
    ) -> None:
        """Suggest another entity ID, before Home Assistant asks for it when a display gets a name."""
        if event.data["action"] == "update" and self.registry_entry is not None:
            er.async_get(self.hass).async_get_or_create(
                self.registry_entry.domain,
                DOMAIN,
                self.registry_entry.unique_id,
                suggested_object_id=self._object_id(),
            )

    @callback
    @override
    def _handle_coordinator_update(self) -> None:
        """Write the state if it has changed."""
        available = self.coordinator.last_update_success
        if self._update() or available is not self._was_available:
            self._was_available = available
            self.async_write_ha_state()

    @callback
    def _update(self) -> bool:
        """Update the attributes, and return whether they have changed."""
        return False


class DescribedEntity[_T](DisplayEntity):
    """Entity with a description."""

    entity_description: DisplayDescription[_T]
    _record: Any = None
    _value: _T | None = None

    def __init__(
        self, coordinator: DisplayCoordinator, description: DisplayDescription[_T]
    ) -> None:
        """Initialize the entity."""
        super().__init__(coordinator, description.key, description.record)
        self.entity_description = description
        self._update()

    @callback
    @override
    def _update(self) -> bool:
        """Update the value, and return whether that has changed, which it has not while its record is the same."""
        record = self.entity_description.record_of(self.coordinator.data)
        if record is self._record:
            return False
        before, self._record = self._value, record
        self._value = self.entity_description.value(record)
        return self._value != before

    @callback
    @override
    def _handle_coordinator_update(self) -> None:
        """Write the state if it has changed; most updates leave the records of most entities as they are."""
        coordinator = self.coordinator
        if (
            self.entity_description.record_of(coordinator.data) is not self._record
            or coordinator.last_update_success is not self._was_available
        ):
            super()._handle_coordinator_update()

    async def _async_set(self, *values: Any) -> None:
        """Set a value."""
        if (set_fn := self.entity_description.set_fn) is not None:
            await set_fn(self.coordinator, *values)


@callback
def async_add_display_entities[_T](
    entry: DisplayConfigEntry,
    async_add_entities: AddConfigEntryEntitiesCallback,
    descriptions: Iterable[DisplayDescription[_T]],
    make: Callable[[DisplayCoordinator, Any], DescribedEntity[_T]],
) -> None:
    """Add the entities of a display: the common ones, those of detected features, and others when they are detected."""
    coordinator = entry.runtime_data
    if coordinator.cast_only:
        return
    waiting = list(descriptions)
    data = DisplayData()

    @callback
    def add(keys: Container[str] = ()) -> None:
        """Add entities by their keys, and of those that have just been detected."""
        nonlocal data
        before, data = data, coordinator.data
        # Most updates are of another work, and most of what is waited for is of the device.
        detected = [
            new
            for new in waiting
            if new.is_common
            or new.key in keys
            or (new.record_of(data) is not new.record_of(before) and new.exists(data))
        ]
        if detected:
            waiting[:] = [other for other in waiting if other not in detected]
            coordinator.async_add_features(
                new.key for new in detected if not new.is_common
            )
            async_add_entities([make(coordinator, new) for new in detected])

    add(coordinator.features)
    if waiting:
        entry.async_on_unload(coordinator.async_add_listener(add))


class LibraryEntity(Entity):
    """Entity of a library, which is a service."""

    _attr_has_entity_name = True
    _attr_should_poll = False

    def __init__(self, library: Library, key: str | None = None) -> None:
        """Initialize the entity; its translation key is also the key of its unique id, unless there is another."""
        self.library = library
        self._attr_unique_id = f"{library.entry_id}_{key or self.translation_key}"
        self._attr_device_info = DeviceInfo(
            identifiers={(DOMAIN, library.entry_id)},
            entry_type=DeviceEntryType.SERVICE,
            name=library.title,
        )

    @override
    async def async_added_to_hass(self) -> None:
        """Listen to the library."""
        await super().async_added_to_hass()
        self.async_on_remove(
            async_add_libraries_listener(self.hass, self.async_write_ha_state)
        )
