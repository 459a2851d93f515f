"""Numbers of a display."""

from dataclasses import dataclass
from operator import attrgetter
from typing import override

from homeassistant.components.number import (
    NumberDeviceClass,
    NumberEntity,
    NumberEntityDescription,
    NumberMode,
)
from homeassistant.const import PERCENTAGE, EntityCategory, UnitOfTime
from homeassistant.core import HomeAssistant
from homeassistant.helpers.entity_platform import AddConfigEntryEntitiesCallback

from .client.display.client import Display
from .client.display.player_status import DeviceSettings
from .coordinator import DisplayConfigEntry, Refresh
from .entity import (
    DescribedEntity,
    DisplayDescription,
    async_add_display_entities,
    sends,
)

# Commands queue in the client, one at a time for a display.
PARALLEL_UPDATES = 0
# Players send these settings only once they are set. Each came with another setting that is always sent.
DURATION_SIGNS = {"defaultDuration", "tombstone"}
MARGIN_SIGNS = {"margin", "compositionRevision"}


@dataclass(frozen=True, kw_only=True)
class DisplayNumberDescription(DisplayDescription[float], NumberEntityDescription):
    """Describes a number of a display."""


def _seconds_per_work(settings: DeviceSettings) -> float | None:
    """Return the default duration of works in seconds, 0 if they stay until changed, None until that is sent."""
    if settings.offered.isdisjoint(DURATION_SIGNS):
        return None
    return settings.default_duration or 0


def _margin(settings: DeviceSettings) -> float | None:
    """Return the margin in pixels, None if it has another unit or until it is sent."""
    if settings.offered.isdisjoint(MARGIN_SIGNS):
        return None
    try:
        return float(str(settings.margin or 0).removesuffix("px"))
    except ValueError:
        return None


def _panel_value(name: str) -> DisplayNumberDescription:
    """Return the description of a value of the panel."""

    async def set_value(display: Display, value: float) -> None:
        """Set the value."""
        await display.panel_control(name, int(value))

    return DisplayNumberDescription(
        key=f"panel_{name}",
        record="panel",
        entity_category=None if name == "brightness" else EntityCategory.CONFIG,
        native_unit_of_measurement=PERCENTAGE,
        value_fn=attrgetter(name),
        set_fn=sends(set_value, Refresh.PANEL),
    )


NUMBERS = (
    DisplayNumberDescription(
        key="seconds_per_work",
        record="settings",
        device_class=NumberDeviceClass.DURATION,
        entity_category=EntityCategory.CONFIG,
        native_unit_of_measurement=UnitOfTime.SECONDS,
        native_min_value=0,
        native_max_value=86400,
        mode=NumberMode.BOX,
        value_fn=_seconds_per_work,
        set_fn=sends(
            lambda display, value: display.set_default_duration(value or None),
            Refresh.PLAYER,
        ),
    ),
    DisplayNumberDescription(
        key="margin",
        record="settings",
        entity_category=EntityCategory.CONFIG,
        native_unit_of_measurement="px",
        native_min_value=0,
        native_max_value=1000,
        mode=NumberMode.BOX,
        value_fn=_margin,
        set_fn=sends(
            lambda display, value: display.update_settings(margin=int(value)),
            Refresh.PLAYER,
        ),
    ),
    *map(_panel_value, ("brightness", "contrast", "volume")),
)


async def async_setup_entry(
    hass: HomeAssistant,
    entry: DisplayConfigEntry,
    async_add_entities: AddConfigEntryEntitiesCallback,
) -> None:
    """Set up the numbers of a display."""
    async_add_display_entities(entry, async_add_entities, NUMBERS, DisplayNumber)


class DisplayNumber(DescribedEntity[float], NumberEntity):
    """Number of a display."""

    entity_description: DisplayNumberDescription

    @property
    @override
    def native_value(self) -> float | None:
        """Return the value of the number."""
        return self._value

    @override
    async def async_set_native_value(self, value: float) -> None:
        """Set the value."""
        await self._async_set(value)
