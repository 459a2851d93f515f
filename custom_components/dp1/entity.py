"""Base classes of the entities of a display."""

from collections.abc import Callable, Iterable
from dataclasses import dataclass
import re
from typing import Any, override

from homeassistant.components.media_player import DOMAIN as MEDIA_PLAYER_DOMAIN
from homeassistant.core import callback, split_entity_id
from homeassistant.helpers import entity_platform, entity_registry as er
from homeassistant.helpers.device_registry import CONNECTION_NETWORK_MAC, DeviceInfo
from homeassistant.helpers.entity import EntityDescription
from homeassistant.helpers.entity_platform import (
    AddConfigEntryEntitiesCallback,
    EntityPlatform,
)
from homeassistant.helpers.update_coordinator import CoordinatorEntity
from homeassistant.util import slugify

from .client.display.casts import Dialect
from .const import DOMAIN
from .coordinator import DisplayConfigEntry, DisplayCoordinator
from .display.discovery import model_of
from .display.state import Detail, DisplayData
from .display.updates import NOT_THE_WORK

BRACKET = re.compile(r" ?[(（]")


@dataclass(frozen=True, kw_only=True)
class DisplayDescription[_DataT = DisplayData](EntityDescription):
    """Description of an entity that not every display has.

    Attributes:
        exists_fn: detects the feature; None if every display has it.
        detail: the detail that the entity shows, if any.
        shows_work: whether the entity shows something of the current work.
    """

    exists_fn: Callable[[_DataT], bool] | None = None
    detail: Detail | None = None
    shows_work: bool = False


@dataclass(frozen=True, kw_only=True)
class ValueDescription[_T, _DataT = DisplayData](EntityDescription):
    """Description of an entity with a value, which also shows that the display has the feature.

    Attributes:
        value_fn: returns the value.
        is_common: whether every display has it, even while there is no value.
        detail: the detail that the entity shows, if any.
        shows_work: whether the value is about the current work.
    """

    value_fn: Callable[[_DataT], _T | None]
    is_common: bool = False
    detail: Detail | None = None
    shows_work: bool = False

    @property
    def exists_fn(self) -> Callable[[_DataT], bool] | None:
        """Return the function that detects the feature; None if every display has it."""
        return None if self.is_common else self.has_value

    def has_value(self, data: _DataT) -> bool:
        """Return whether there is a value."""
        return self.value_fn(data) is not None


type AnyDescription = DisplayDescription[Any] | ValueDescription[Any, Any]


class DisplayEntity(CoordinatorEntity[DisplayCoordinator]):
    """An entity of one display."""

    _attr_has_entity_name = True

    def __init__(
        self,
        coordinator: DisplayCoordinator,
        key: str | None = None,
        context: str | None = None,
    ) -> None:
        """Initialize the entity; without a key, it is the display itself."""
        super().__init__(coordinator, context)
        display = coordinator.device_id
        self._attr_unique_id = f"{display}_{key}" if key else display
        self._attr_translation_key = key
        known = coordinator.display.dialect is Dialect.FF
        self._attr_device_info = DeviceInfo(
            identifiers={(DOMAIN, display)},
            connections={(CONNECTION_NETWORK_MAC, mac) for mac in coordinator.macs},
            name=coordinator.config_entry.title,
            manufacturer="Feral File" if known else None,
            model=model_of(coordinator.display.dialect),
            serial_number=coordinator.config_entry.unique_id,
        )
        if coordinator.data.device is not None:
            version = coordinator.data.device.installed_version
            self._attr_device_info["sw_version"] = version


class DescribedEntity(DisplayEntity):
    """Base of the entities with a description, whose state is only written when it changes."""

    entity_description: AnyDescription
    _was_available: bool | None = None

    def __init__(
        self, coordinator: DisplayCoordinator, description: AnyDescription
    ) -> None:
        """Initialize the entity."""
        context = None if description.shows_work else NOT_THE_WORK
        super().__init__(coordinator, description.key, context)
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
        self._source = coordinator.details if description.detail else coordinator
        self._value: _T | None = None
        self._update()

    @callback
    @override
    def _update(self) -> bool:
        """Update the value."""
        before = self._value
        self._value = self.entity_description.value_fn(self._source.data)
        return self._value != before


@callback
def async_add_display_entities[_DescriptionT: AnyDescription](
    entry: DisplayConfigEntry,
    async_add_entities: AddConfigEntryEntitiesCallback,
    descriptions: Iterable[_DescriptionT],
    make: Callable[[DisplayCoordinator, _DescriptionT], DescribedEntity],
) -> None:
    """Add the entities of a display: the common ones, those of detected features, and others when they are detected."""
    coordinator = entry.runtime_data
    if coordinator.cast_only:
        return
    platform = entity_platform.async_get_current_platform()
    waiting = list(descriptions)

    @callback
    def add() -> None:
        """Add entities of newly detected features."""
        features = coordinator.memory.features
        found = [
            new
            for new in waiting
            if (exists_fn := new.exists_fn) is None
            or new.key in features
            or exists_fn(_data(coordinator, new))
        ]
        if found:
            waiting[:] = [other for other in waiting if other not in found]
            coordinator.memory.add_features(new.key for new in found)
            entities = [make(coordinator, new) for new in found]
            for entity in entities:
                _suggest_entity_id(platform, entity)
            async_add_entities(entities)

    add()
    if not waiting:
        return
    # Features are not detected by the work.
    entry.async_on_unload(coordinator.async_add_listener(add, NOT_THE_WORK))
    if any(description.detail for description in waiting):
        entry.async_on_unload(coordinator.details.async_add_listener(add))


def _suggest_entity_id(platform: EntityPlatform, entity: DescribedEntity) -> None:
    """Let the entity id begin like that of the media player, even if the display has been moved to an area since."""
    display = er.async_get(platform.hass).async_get_entity_id(
        MEDIA_PLAYER_DOMAIN, DOMAIN, entity.coordinator.device_id
    )
    names = platform.platform_data.object_id_platform_translations
    key = f"component.{DOMAIN}.entity.{platform.domain}.{entity.translation_key}.name"
    if display is not None and (name := names.get(key)):
        # Some names end in an explanation in brackets, which Chinese and Japanese write in full width.
        own = BRACKET.split(name)[0]
        object_id = slugify(f"{split_entity_id(display)[1]} {own}")
        entity.entity_id = f"{platform.domain}.{object_id}"


def _data(coordinator: DisplayCoordinator, description: AnyDescription) -> Any:
    """Return the data that a description is about."""
    return coordinator.details.data if description.detail else coordinator.data
