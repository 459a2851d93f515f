"""When a display sleeps and wakes by its own schedule."""

from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from datetime import time
from typing import override

from homeassistant.components.time import TimeEntity, TimeEntityDescription
from homeassistant.const import EntityCategory
from homeassistant.core import HomeAssistant
from homeassistant.helpers.entity_platform import AddConfigEntryEntitiesCallback

from .coordinator import DisplayConfigEntry, DisplayCoordinator, DisplayData
from .entity import ValueDescription, ValueEntity, async_add_as_shown
from .protocol.status import SleepSchedule
from .schedule import async_set_times, parse_time

# Commands queue in the client, one at a time for a display.
PARALLEL_UPDATES = 0


@dataclass(frozen=True, kw_only=True)
class DisplayTimeDescription(ValueDescription[time], TimeEntityDescription):
    """A time of a display's schedule.

    Attributes:
        set_fn: sets it.
    """

    set_fn: Callable[[DisplayCoordinator, time], Awaitable[None]]


def _time(
    time_fn: Callable[[SleepSchedule], str | None],
) -> Callable[[DisplayData], time | None]:
    """Make the function that tells a time of the schedule."""

    def value(data: DisplayData) -> time | None:
        """Tell the time."""
        record = data.device.sleep_schedule if data.device else None
        return parse_time(time_fn(record)) if record else None

    return value


TIMES = (
    DisplayTimeDescription(
        key="sleep_time",
        entity_category=EntityCategory.CONFIG,
        value_fn=_time(lambda record: record.sleep_time),
        set_fn=lambda coordinator, value: async_set_times(
            coordinator, sleep_time=value
        ),
    ),
    DisplayTimeDescription(
        key="wake_time",
        entity_category=EntityCategory.CONFIG,
        value_fn=_time(lambda record: record.wake_time),
        set_fn=lambda coordinator, value: async_set_times(coordinator, wake_time=value),
    ),
)


async def async_setup_entry(
    hass: HomeAssistant,
    entry: DisplayConfigEntry,
    async_add_entities: AddConfigEntryEntitiesCallback,
) -> None:
    """Add the times of a display's schedule."""
    async_add_as_shown(entry, async_add_entities, TIMES, DisplayTime)


class DisplayTime(ValueEntity[time], TimeEntity):
    """A time of a display's schedule, in the display's own time zone."""

    entity_description: DisplayTimeDescription

    @property
    @override
    def native_value(self) -> time | None:
        """Show the value."""
        return self._value

    @override
    async def async_set_value(self, value: time) -> None:
        """Set the time."""
        await self.entity_description.set_fn(self.coordinator, value)
