"""Sensors of a display and of a library."""

from dataclasses import dataclass
from datetime import datetime, timedelta
from operator import attrgetter
from typing import Any, override

from homeassistant.components.sensor import (
    SensorDeviceClass,
    SensorEntity,
    SensorEntityDescription,
    SensorStateClass,
)
from homeassistant.config_entries import ConfigEntry
from homeassistant.const import PERCENTAGE, EntityCategory, UnitOfTemperature
from homeassistant.core import HomeAssistant
from homeassistant.helpers.entity_platform import AddConfigEntryEntitiesCallback
from homeassistant.helpers.typing import StateType

from .client.display.device_status import Metrics
from .client.display.player_status import PlayerStatus
from .client.playlist.schedule import Due
from .display.metadata import work_of
from .entity import (
    DescribedEntity,
    DisplayDescription,
    LibraryEntity,
    async_add_display_entities,
)
from .library.item import NO_WORK
from .library.library import Library
from .library.node import NodeKind, media_id
from .library.providers.daily import Daily

PARALLEL_UPDATES = 0


@dataclass(frozen=True, kw_only=True)
class DisplaySensorDescription(
    DisplayDescription[StateType | datetime], SensorEntityDescription
):
    """Describes a sensor of a display."""


def _measure(
    key: str,
    *,
    device_class: SensorDeviceClass | None = None,
    unit: str = PERCENTAGE,
) -> DisplaySensorDescription:
    """Return the description of a measurement of the device, disabled by default."""

    return DisplaySensorDescription(
        key=key,
        record="metrics",
        device_class=device_class,
        entity_category=EntityCategory.DIAGNOSTIC,
        entity_registry_enabled_default=False,
        native_unit_of_measurement=unit,
        state_class=SensorStateClass.MEASUREMENT,
        suggested_display_precision=0,
        value_fn=attrgetter(key),
    )


def _temperature(key: str) -> DisplaySensorDescription:
    """Return the description of a temperature."""
    return _measure(
        key,
        device_class=SensorDeviceClass.TEMPERATURE,
        unit=UnitOfTemperature.CELSIUS,
    )


def _next_title(player: PlayerStatus) -> str | None:
    """Return the title of the work that follows by itself."""
    if player.position is None:
        return None
    index = player.position
    if player.loop_mode == "one":
        index -= 1
    elif player.loop_mode == "none" and index == player.count:
        return None
    following = player.items[index % player.count :][:1]
    return following[0].title if following else None


def _started_at(metrics: Metrics) -> datetime | None:
    """Return when the device started."""
    if metrics.uptime is None or metrics.timestamp is None:
        return None
    try:
        return metrics.timestamp - timedelta(seconds=metrics.uptime)
    except OverflowError:
        return None


SENSORS = (
    DisplaySensorDescription(
        key="work_number",
        record="player",
        is_common=True,
        entity_category=EntityCategory.DIAGNOSTIC,
        # The logbook tells each new work by its title; this would repeat it without.
        entity_registry_enabled_default=False,
        value_fn=lambda player: player.position,
    ),
    DisplaySensorDescription(
        key="works",
        record="player",
        is_common=True,
        entity_category=EntityCategory.DIAGNOSTIC,
        # Which keeps it out of the logbook.
        state_class=SensorStateClass.MEASUREMENT,
        value_fn=attrgetter("count"),
    ),
    DisplaySensorDescription(
        key="next_work",
        record="player",
        is_common=True,
        entity_category=EntityCategory.DIAGNOSTIC,
        entity_registry_enabled_default=False,
        value_fn=_next_title,
    ),
    DisplaySensorDescription(
        key="works_offline",
        record="offline",
        state_class=SensorStateClass.MEASUREMENT,
        entity_category=EntityCategory.DIAGNOSTIC,
        value_fn=lambda offline: offline.ready,
    ),
    DisplaySensorDescription(
        key="last_outage",
        record="device",
        device_class=SensorDeviceClass.TIMESTAMP,
        entity_category=EntityCategory.DIAGNOSTIC,
        value_fn=lambda device: device.last_outage,
    ),
    _temperature("cpu_temperature"),
    _temperature("gpu_temperature"),
    _measure("memory_usage"),
    _measure("disk_usage"),
    DisplaySensorDescription(
        key="started",
        record="metrics",
        device_class=SensorDeviceClass.UPTIME,
        entity_category=EntityCategory.DIAGNOSTIC,
        entity_registry_enabled_default=False,
        value_fn=_started_at,
    ),
)


async def async_setup_entry(
    hass: HomeAssistant,
    entry: ConfigEntry[Any],
    async_add_entities: AddConfigEntryEntitiesCallback,
) -> None:
    """Set up the sensors of a display or of a library."""
    if isinstance(library := entry.runtime_data, Library):
        async_add_entities([LastRefreshSensor(library)])
        if library.files.is_on:
            async_add_entities([FilesSensor(library)])
        if library.daily.url:
            async_add_entities([DailySensor(library)])
        return
    async_add_display_entities(entry, async_add_entities, SENSORS, DisplaySensor)


class DisplaySensor(DescribedEntity[StateType | datetime], SensorEntity):
    """Sensor of a display."""

    entity_description: DisplaySensorDescription

    @property
    @override
    def native_value(self) -> StateType | datetime:
        """Return the value of the sensor."""
        return self._value


class LastRefreshSensor(LibraryEntity, SensorEntity):
    """Sensor for when a library was last read whole."""

    _attr_translation_key = "last_refresh"
    # Nothing tells of the progress of a long read.
    _attr_should_poll = True
    _attr_device_class = SensorDeviceClass.TIMESTAMP
    _attr_entity_category = EntityCategory.DIAGNOSTIC

    @property
    @override
    def native_value(self) -> datetime | None:
        """Return when the older of its lists was last read."""
        return self.library.since

    @property
    @override
    def extra_state_attributes(self) -> dict[str, Any]:
        """Return the number of records, and whether more is being read."""
        return {"known": self.library.records_read, "reading": self.library.is_reading}


class FilesSensor(LibraryEntity, SensorEntity):
    """Sensor for how many works are kept at home."""

    _attr_translation_key = "kept_files"
    # Nothing tells of each file that is read at night.
    _attr_should_poll = True
    _attr_entity_category = EntityCategory.DIAGNOSTIC
    _attr_state_class = SensorStateClass.MEASUREMENT

    @property
    @override
    def native_value(self) -> int:
        """Return how many are kept."""
        return self.library.files.count

    @property
    @override
    def extra_state_attributes(self) -> dict[str, Any]:
        """Return how many are missing, and their size in bytes."""
        files = self.library.files
        return {"missing": files.missing, "size": files.size}


class DailySensor(LibraryEntity, SensorEntity):
    """Sensor for the work of today, unknown if there is none."""

    _attr_translation_key = "daily"

    @property
    @override
    def native_value(self) -> str | None:
        """Return the title of the work."""
        item = self.library.daily.item
        return item.title if item else None

    @property
    @override
    def extra_state_attributes(self) -> dict[str, Any]:
        """Return the rest of the work, when the next follows, and why there is none."""
        daily, item = self.library.daily, self.library.daily.item
        work, due = NO_WORK, daily.due()
        if item is not None:
            work = work_of(item, self.library.work(item), daily.document)
        return {
            "artist": work.artist,
            "picture": work.picture,
            "since": due.since,
            "next_at": due.next_at,
            "last_at": daily.last_at,
            "status": _daily_status(daily, due),
            "media_content_id": media_id(self.library.entry_id, NodeKind.DAILY),
        }


def _daily_status(daily: Daily, due: Due) -> str:
    """Return whether there is a work of today, and why not."""
    if daily.document is None:
        return "unreadable" if daily.problem else "not_read"
    if daily.item is not None:
        return "today"
    return "not_started" if due.next_at else "ran_out"
