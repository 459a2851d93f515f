"""Selects of a display."""

import asyncio
from collections.abc import Callable
from dataclasses import dataclass
from typing import override

from homeassistant.components.select import SelectEntity, SelectEntityDescription
from homeassistant.const import EntityCategory
from homeassistant.core import HomeAssistant
from homeassistant.helpers.entity_platform import AddConfigEntryEntitiesCallback

from .client.display.client import Display
from .client.display.device_status import DAYS
from .coordinator import (
    DisplayConfigEntry,
    DisplayCoordinator,
    DisplayData,
    Part,
    Refresh,
)
from .entity import (
    DescribedEntity,
    DisplayDescription,
    async_add_display_entities,
    sends,
    sends_setting,
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
WEEKEND = frozenset(("sat", "sun"))
DAY_GROUPS = {
    "every_day": DAYS,
    "working_days": DAYS - WEEKEND,
    "weekend": WEEKEND,
}
TURNS = list(ORIENTATIONS.values())


@dataclass(frozen=True, kw_only=True)
class DisplaySelectDescription(DisplayDescription[str], SelectEntityDescription):
    """Describes a select of a display."""

    @override
    def exists(self, data: DisplayData) -> bool:
        """Return whether the display has it: a value that is one of the options, unless that is detected otherwise."""
        if self.exists_fn is not None:
            return self.exists_fn(data)
        return self.is_common or (
            self.value_fn is not None and self.value_fn(data) in (self.options or ())
        )


def _setting(name: str) -> Callable[[DisplayData], str | None]:
    """Return a value function for a setting of the player."""

    def value(data: DisplayData) -> str | None:
        """Return the value of the setting."""
        settings = data.player.settings if data.player else None
        return getattr(settings, name) if settings else None

    return value


def _orientation(data: DisplayData) -> str | None:
    """Return the orientation of the screen."""
    return _named(data.device.screen_rotation if data.device else None)


def _named(rotation: str | None) -> str | None:
    """Return the option for a rotation of the display."""
    return ORIENTATIONS.get(rotation or "")


def _takes_days(data: DisplayData) -> bool:
    """Return whether the sleep schedule of a display may have days, which only other firmware reports while it is every day."""
    device = data.device
    record = device.sleep_schedule if device else None
    return bool(device and record and (device.contract or record.days))


def _days(data: DisplayData) -> str | None:
    """Return the days of the sleep schedule."""
    if not _takes_days(data) or not data.device or not data.device.sleep_schedule:
        return None
    days = data.device.sleep_schedule.days or DAYS
    return next((name for name, each in DAY_GROUPS.items() if each == days), "other")


async def _set_days(coordinator: DisplayCoordinator, option: str) -> None:
    """Set the days of the sleep schedule."""
    await coordinator.async_change_schedule(lambda _: {"days": DAY_GROUPS[option]})


SELECTS = (
    DisplaySelectDescription(
        key="scaling",
        parts=(Part.PLAYER,),
        is_common=True,
        entity_category=EntityCategory.CONFIG,
        options=["fit", "fill", "stretch", "auto"],
        value_fn=_setting("scaling"),
        set_fn=sends_setting("scaling"),
    ),
    DisplaySelectDescription(
        key="framing",
        parts=(Part.PLAYER,),
        entity_category=EntityCategory.CONFIG,
        options=["artwork", "fit", "fill"],
        value_fn=_setting("framing"),
        set_fn=sends_setting("framing"),
    ),
    DisplaySelectDescription(
        key="museum_label",
        parts=(Part.PLAYER,),
        entity_category=EntityCategory.CONFIG,
        options=["timed", "on", "off"],
        value_fn=_setting("tombstone"),
        set_fn=sends_setting("tombstone"),
    ),
    DisplaySelectDescription(
        key="signature_mode",
        parts=(Part.DEVICE,),
        entity_category=EntityCategory.CONFIG,
        entity_registry_enabled_default=False,
        options=["silent", "notify", "strict"],
        value_fn=lambda data: data.device.signature_mode if data.device else None,
        set_fn=sends(Display.set_signature_mode, Refresh.DEVICE),
    ),
    DisplaySelectDescription(
        key="sleep_days",
        parts=(Part.DEVICE,),
        entity_category=EntityCategory.CONFIG,
        options=list(DAY_GROUPS),
        value_fn=_days,
        exists_fn=_takes_days,
        set_fn=_set_days,
    ),
)
ORIENTATION = DisplaySelectDescription(
    key="orientation",
    parts=(Part.DEVICE,),
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
        """Return the selected option, None if the display has a value of another kind."""
        return self._value if self._value in self.options else None

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
        self._wanted: str | None = None

    @override
    async def async_select_option(self, option: str) -> None:
        """Rotate the shorter way from the current orientation; a later selection replaces this one."""
        self._wanted = option
        async with self._turning:
            if option != self._wanted:
                return
            async with self.coordinator.async_command(Refresh.DEVICE) as display:
                device = await self.coordinator.async_read_device()
                now = _named(device.screen_rotation if device else None)
                for _ in TURNS:
                    if now is None or now == self._wanted:
                        break
                    now = _named(await display.rotate(_is_clockwise(now, self._wanted)))


def _is_clockwise(now: str, wanted: str) -> bool:
    """Return whether the shorter way is clockwise."""
    return (TURNS.index(wanted) - TURNS.index(now)) % len(TURNS) == len(TURNS) - 1
