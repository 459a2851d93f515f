"""Times of the sleep schedule of a display."""

from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from datetime import time
from typing import override

from homeassistant.components.time import TimeEntity, TimeEntityDescription
from homeassistant.const import EntityCategory
from homeassistant.core import HomeAssistant
from homeassistant.helpers.entity_platform import AddConfigEntryEntitiesCallback

from .client.display.device_status import SleepSchedule
from .coordinator import DisplayConfigEntry, DisplayCoordinator, DisplayData, Outcome
from .entity import ValueDescription, ValueEntity, async_add_as_shown
from .errors import invalid_input


def parse_time(text: str | None) -> time | None:
    """Parse a time of the schedule, which the display keeps as it was sent."""
    hours, _, minutes = (text or "").partition(":")
    try:
        return time(int(hours), int(minutes))
    except ValueError:
        return None


async def async_set_times(
    coordinator: DisplayCoordinator,
    *,
    sleep_time: time | None = None,
    wake_time: time | None = None,
) -> None:
    """Set one of the times and keep the rest of the schedule."""
    async with coordinator.async_command(Outcome.DEVICE) as display:
        record = (await display.device_status()).sleep_schedule
        if record is None:
            raise invalid_input("no_schedule", name=coordinator.name)
        if (sleep_time or parse_time(record.sleep_time)) == (
            wake_time or parse_time(record.wake_time)
        ):
            raise invalid_input("same_times")
        changed = await display.set_sleep_schedule(
            record.enabled,
            sleep_time=sleep_time.strftime("%H:%M") if sleep_time else None,
            wake_time=wake_time.strftime("%H:%M") if wake_time else None,
        )
        # Setting a time ends a manual sleep or wake, so that is restored.
        if record.override_state and changed.asleep is not record.asleep:
            await (display.sleep() if record.asleep else display.wake())


# Commands queue in the client, one at a time for a display.
PARALLEL_UPDATES = 0


@dataclass(frozen=True, kw_only=True)
class DisplayTimeDescription(ValueDescription[time], TimeEntityDescription):
    """Describes a time of the sleep schedule."""

    set_fn: Callable[[DisplayCoordinator, time], Awaitable[None]]


def _time(
    time_fn: Callable[[SleepSchedule], str | None],
) -> Callable[[DisplayData], time | None]:
    """Return a value function for a time of the schedule."""

    def value(data: DisplayData) -> time | None:
        """Return the time."""
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
    """Set up the times of the sleep schedule."""
    async_add_as_shown(entry, async_add_entities, TIMES, DisplayTime)


class DisplayTime(ValueEntity[time], TimeEntity):
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
        await self.entity_description.set_fn(self.coordinator, value)
