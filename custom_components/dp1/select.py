"""Selects of a display."""

import asyncio
from dataclasses import dataclass
from operator import attrgetter
from typing import override

from homeassistant.components.select import SelectEntity, SelectEntityDescription
from homeassistant.const import EntityCategory
from homeassistant.core import HomeAssistant
from homeassistant.helpers.entity_platform import AddConfigEntryEntitiesCallback

from .client.display.client import Display
from .client.display.device_status import DAYS, DeviceStatus, SleepSchedule
from .client.playlist.schema import SCALINGS
from .coordinator import DisplayConfigEntry, DisplayCoordinator, Refresh
from .entity import (
    DescribedEntity,
    DisplayDescription,
    async_add_display_entities,
    sends,
)

# Commands queue in the client, one at a time for a display.
PARALLEL_UPDATES = 0

# Values of the display to options, in the order of counter-clockwise turns.
ORIENTATIONS = {
    "landscape": "landscape",
    "portrait": "portrait",
    "landscapeReverse": "landscape_reverse",
    "portraitReverse": "portrait_reverse",
}
TURNS = list(ORIENTATIONS.values())
WEEKEND = frozenset(("sat", "sun"))
DAY_GROUPS = {
    "every_day": DAYS,
    "working_days": DAYS - WEEKEND,
    "weekend": WEEKEND,
}


@dataclass(frozen=True, kw_only=True)
class DisplaySelectDescription(DisplayDescription[str], SelectEntityDescription):
    """Describes a select of a display; the state of a value that is none of the options is unknown."""


def _setting(
    name: str, options: list[str], *, key: str | None = None, is_common: bool = False
) -> DisplaySelectDescription:
    """Return the description of a setting of how works are shown."""

    async def set_value(display: Display, option: str) -> None:
        """Change the setting."""
        await display.update_settings(**{name: option})

    return DisplaySelectDescription(
        key=key or name,
        record="settings",
        is_common=is_common,
        # A label is turned on and off while somebody looks.
        entity_category=None if name == "tombstone" else EntityCategory.CONFIG,
        options=options,
        value_fn=attrgetter(name),
        set_fn=sends(set_value, Refresh.PLAYER),
    )


def _orientation(device: DeviceStatus | None) -> str | None:
    """Return the orientation of the screen of a device."""
    return ORIENTATIONS.get(device.screen_rotation or "") if device else None


def _schedule(device: DeviceStatus) -> SleepSchedule | None:
    """Return the sleep schedule if it may have days, which only other firmware reports while it is every day."""
    schedule = device.sleep_schedule
    has_days = schedule and (device.contract or schedule.days)
    return schedule if has_days else None


def _days(device: DeviceStatus) -> str | None:
    """Return the days of the sleep schedule, None if they have no name."""
    if (schedule := _schedule(device)) is None:
        return None
    days = schedule.days or DAYS
    return next((name for name, each in DAY_GROUPS.items() if each == days), None)


async def _set_days(coordinator: DisplayCoordinator, option: str) -> None:
    """Set the days of the sleep schedule."""
    await coordinator.power.async_change_schedule(
        lambda _: {"days": DAY_GROUPS[option]}
    )


SELECTS = (
    _setting("scaling", [*SCALINGS], is_common=True),
    _setting("tombstone", ["timed", "on", "off"], key="museum_label"),
    DisplaySelectDescription(
        key="sleep_days",
        record="device",
        entity_category=EntityCategory.CONFIG,
        options=list(DAY_GROUPS),
        value_fn=_days,
        exists_fn=_schedule,
        set_fn=_set_days,
    ),
)
ORIENTATION = DisplaySelectDescription(
    key="orientation",
    record="device",
    is_common=True,
    entity_category=EntityCategory.CONFIG,
    options=TURNS,
    value_fn=_orientation,
)


async def async_setup_entry(
    hass: HomeAssistant,
    entry: DisplayConfigEntry,
    async_add_entities: AddConfigEntryEntitiesCallback,
) -> None:
    """Set up the selects of a display."""
    async_add_display_entities(entry, async_add_entities, SELECTS, DisplaySelect)
    async_add_display_entities(
        entry, async_add_entities, [ORIENTATION], OrientationSelect
    )


class DisplaySelect(DescribedEntity[str], SelectEntity):
    """Select of a display."""

    entity_description: DisplaySelectDescription

    @property
    @override
    def current_option(self) -> str | None:
        """Return the selected option."""
        return self._value

    @override
    async def async_select_option(self, option: str) -> None:
        """Change the selected option."""
        await self._async_set(option)


class OrientationSelect(DisplaySelect):
    """Orientation of the screen, which the display changes by quarter turns only."""

    def __init__(
        self, coordinator: DisplayCoordinator, description: DisplaySelectDescription
    ) -> None:
        """Initialize the select."""
        super().__init__(coordinator, description)
        self._turning = asyncio.Lock()
        self._target: str | None = None

    @override
    async def async_select_option(self, option: str) -> None:
        """Rotate the shorter way from the current orientation; a later selection replaces this one."""
        self._target = option
        async with self._turning:
            if option != self._target:
                return
            async with self.coordinator.async_command(Refresh.DEVICE) as display:
                now = _orientation(await self.coordinator.async_read_device())
                for _ in TURNS:
                    if now is None or now == self._target:
                        break
                    turns = (TURNS.index(self._target) - TURNS.index(now)) % len(TURNS)
                    is_clockwise = turns == len(TURNS) - 1
                    turned = await display.rotate(
                        is_clockwise, 1 if is_clockwise else turns
                    )
                    now = ORIENTATIONS.get(turned or "")
