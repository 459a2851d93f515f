"""Times of the sleep schedule of a display."""

from dataclasses import dataclass
from datetime import time
from typing import override

from homeassistant.components.time import TimeEntity, TimeEntityDescription
from homeassistant.const import EntityCategory
from homeassistant.core import HomeAssistant
from homeassistant.helpers.entity_platform import AddConfigEntryEntitiesCallback
from homeassistant.util import dt as dt_util

from .client.display.device_status import DeviceStatus, SleepSchedule
from .coordinator import DisplayConfigEntry, DisplayCoordinator
from .entity import DescribedEntity, DisplayDescription, async_add_display_entities
from .errors import invalid_input

# Commands queue in the client, one at a time for a display.
PARALLEL_UPDATES = 0


@dataclass(frozen=True, kw_only=True)
class DisplayTimeDescription(DisplayDescription[time], TimeEntityDescription):
    """Describes a time of the sleep schedule, with the name of its field as the key."""


def _description(field: str) -> DisplayTimeDescription:
    """Return the description of a time of the schedule."""

    def value(device: DeviceStatus) -> time | None:
        """Return the time."""
        schedule = device.sleep_schedule
        return dt_util.parse_time(getattr(schedule, field) or "") if schedule else None

    async def set_value(coordinator: DisplayCoordinator, value: time) -> None:
        """Set the time, of which a display takes the minutes."""
        value = value.replace(second=0, microsecond=0)

        def change(record: SleepSchedule) -> dict[str, str]:
            """Return the changed field, or raise if both times would be the same."""
            other = record.wake_time if field == "sleep_time" else record.sleep_time
            if dt_util.parse_time(other or "") == value:
                raise invalid_input("same_times")
            return {field: value.strftime("%H:%M")}

        await coordinator.power.async_change_schedule(change)

    return DisplayTimeDescription(
        key=field,
        record="device",
        entity_category=EntityCategory.CONFIG,
        value_fn=value,
        set_fn=set_value,
    )


TIMES = [*map(_description, ("sleep_time", "wake_time"))]


async def async_setup_entry(
    hass: HomeAssistant,
    entry: DisplayConfigEntry,
    async_add_entities: AddConfigEntryEntitiesCallback,
) -> None:
    """Set up the times of the sleep schedule."""
    async_add_display_entities(entry, async_add_entities, TIMES, DisplayTime)


class DisplayTime(DescribedEntity[time], TimeEntity):
    """Time of the sleep schedule, in the time zone of the display."""

    entity_description: DisplayTimeDescription

    @property
    @override
    def native_value(self) -> time | None:
        """Return the time."""
        return self._value

    @override
    async def async_set_value(self, value: time) -> None:
        """Set the time."""
        await self._async_set(value)
