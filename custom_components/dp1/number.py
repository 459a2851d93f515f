"""Numbers of a display."""

from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from typing import Any, override

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
from .coordinator import DisplayConfigEntry
from .display.state import Detail, DisplayData, DisplayDetails, Refresh
from .entity import ValueDescription, ValueEntity, async_add_display_entities

# Commands queue in the client, one at a time for a display.
PARALLEL_UPDATES = 0
# Players send these settings only once they are set. Each came with another setting that is always sent.
DURATION_SIGNS = {"defaultDuration", "tombstone"}
MARGIN_SIGNS = {"margin", "compositionRevision"}


@dataclass(frozen=True, kw_only=True)
class DisplayNumberDescription[_DataT = DisplayData](
    ValueDescription[float, _DataT], NumberEntityDescription
):
    """Describes a number of a display."""

    set_fn: Callable[[Display, float], Awaitable[None]]
    refresh: Refresh


def _seconds_per_work(data: DisplayData) -> float | None:
    """Return the default duration of works in seconds, 0 if they stay until changed."""
    settings = data.player.settings if data.player else None
    if settings is None or settings.offered.isdisjoint(DURATION_SIGNS):
        return None
    return settings.default_duration or 0


def _margin(data: DisplayData) -> float | None:
    """Return the margin in pixels, None if it has another unit."""
    settings = data.player.settings if data.player else None
    if settings is None or settings.offered.isdisjoint(MARGIN_SIGNS):
        return None
    try:
        return float(str(settings.margin or 0).removesuffix("px"))
    except ValueError:
        return None


NUMBERS: tuple[DisplayNumberDescription[Any], ...] = (
    DisplayNumberDescription(
        key="seconds_per_work",
        device_class=NumberDeviceClass.DURATION,
        entity_category=EntityCategory.CONFIG,
        native_unit_of_measurement=UnitOfTime.SECONDS,
        native_min_value=0,
        native_max_value=86400,
        mode=NumberMode.BOX,
        value_fn=_seconds_per_work,
        set_fn=lambda display, value: display.set_default_duration(value or None),
        refresh=Refresh.PLAYER,
    ),
    DisplayNumberDescription(
        key="margin",
        entity_category=EntityCategory.CONFIG,
        native_unit_of_measurement="px",
        native_min_value=0,
        native_max_value=1000,
        mode=NumberMode.BOX,
        value_fn=_margin,
        set_fn=lambda display, value: display.update_settings(True, margin=int(value)),
        refresh=Refresh.PLAYER,
    ),
    DisplayNumberDescription[DisplayDetails](
        key="panel_brightness",
        native_unit_of_measurement=PERCENTAGE,
        value_fn=lambda details: details.panel.brightness if details.panel else None,
        set_fn=lambda display, value: display.panel_control("brightness", int(value)),
        refresh=Refresh.PANEL,
        detail=Detail.PANEL,
    ),
    DisplayNumberDescription[DisplayDetails](
        key="panel_contrast",
        entity_category=EntityCategory.CONFIG,
        native_unit_of_measurement=PERCENTAGE,
        value_fn=lambda details: details.panel.contrast if details.panel else None,
        set_fn=lambda display, value: display.panel_control("contrast", int(value)),
        refresh=Refresh.PANEL,
        detail=Detail.PANEL,
    ),
    DisplayNumberDescription[DisplayDetails](
        key="panel_volume",
        entity_category=EntityCategory.CONFIG,
        native_unit_of_measurement=PERCENTAGE,
        value_fn=lambda details: details.panel.volume if details.panel else None,
        set_fn=lambda display, value: display.panel_control("volume", int(value)),
        refresh=Refresh.PANEL,
        detail=Detail.PANEL,
    ),
)


async def async_setup_entry(
    hass: HomeAssistant,
    entry: DisplayConfigEntry,
    async_add_entities: AddConfigEntryEntitiesCallback,
) -> None:
    """Set up the numbers of a display."""
    async_add_display_entities(entry, async_add_entities, NUMBERS, DisplayNumber)


class DisplayNumber(ValueEntity[float], NumberEntity):
    """Number of a display."""

    entity_description: DisplayNumberDescription[Any]

    @property
    @override
    def native_value(self) -> float | None:
        """Return the value of the number."""
        return self._value

    @override
    async def async_set_native_value(self, value: float) -> None:
        """Set the value."""
        description = self.entity_description
        async with self.coordinator.async_command(description.refresh) as display:
            await description.set_fn(display, value)
