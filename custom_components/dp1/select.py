"""Selects of a display."""

import asyncio
from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass
from typing import override

from homeassistant.components.select import SelectEntity, SelectEntityDescription
from homeassistant.const import EntityCategory
from homeassistant.core import HomeAssistant
from homeassistant.helpers.entity_platform import AddConfigEntryEntitiesCallback

from .client.display.client import Display
from .client.display.player_status import DeviceSettings
from .coordinator import DisplayConfigEntry, DisplayCoordinator
from .display.state import DisplayData, Refresh
from .entity import ValueDescription, ValueEntity, async_add_display_entities

# Commands queue in the client, one at a time for a display.
PARALLEL_UPDATES = 0

FRAMINGS = ["artwork", "fit", "fill"]
LABELS = ["timed", "on", "off"]
SCALINGS = ["fit", "fill", "stretch", "auto"]
SIGNATURE_MODES = ["silent", "notify", "strict"]
# Values of the display to options, in the order of counter-clockwise turns.
ORIENTATIONS = {
    "landscape": "landscape",
    "portrait": "portrait",
    "landscapeReverse": "landscape_reverse",
    "portraitReverse": "portrait_reverse",
}
TURNS = list(ORIENTATIONS.values())


@dataclass(frozen=True, kw_only=True)
class ChoiceDescription(ValueDescription[str], SelectEntityDescription):
    """Describes a select of a display."""


@dataclass(frozen=True, kw_only=True)
class SettingDescription(ChoiceDescription):
    """Describes a select that one command sets."""

    set_fn: Callable[[Display, str], Awaitable[None]]
    refresh: Refresh


def _setting(
    options: Sequence[str], setting_fn: Callable[[DeviceSettings], str | None]
) -> Callable[[DisplayData], str | None]:
    """Return a value function for a setting of the player, None if its value is not an option."""

    def value(data: DisplayData) -> str | None:
        """Return the value of the setting."""
        settings = data.player.settings if data.player else None
        chosen = setting_fn(settings) if settings else None
        return chosen if chosen in options else None

    return value


def _orientation(data: DisplayData) -> str | None:
    """Return the orientation of the screen."""
    return _named(data.device.screen_rotation if data.device else None)


def _named(rotation: str | None) -> str | None:
    """Return the option for a rotation of the display."""
    return ORIENTATIONS.get(rotation or "")


def _signature_mode(data: DisplayData) -> str | None:
    """Return how the display treats playlists without a valid signature."""
    mode = data.device.signature_mode if data.device else None
    return mode if mode in SIGNATURE_MODES else None


SETTINGS = (
    SettingDescription(
        key="scaling",
        is_common=True,
        entity_category=EntityCategory.CONFIG,
        options=SCALINGS,
        value_fn=_setting(SCALINGS, lambda settings: settings.scaling),
        set_fn=lambda display, option: display.update_settings(True, scaling=option),
        refresh=Refresh.PLAYER,
    ),
    SettingDescription(
        key="framing",
        entity_category=EntityCategory.CONFIG,
        options=FRAMINGS,
        value_fn=_setting(FRAMINGS, lambda settings: settings.framing),
        set_fn=lambda display, option: display.update_settings(True, framing=option),
        refresh=Refresh.PLAYER,
    ),
    SettingDescription(
        key="museum_label",
        entity_category=EntityCategory.CONFIG,
        options=LABELS,
        value_fn=_setting(LABELS, lambda settings: settings.tombstone),
        set_fn=lambda display, option: display.update_settings(True, tombstone=option),
        refresh=Refresh.PLAYER,
    ),
    SettingDescription(
        key="signature_mode",
        entity_category=EntityCategory.CONFIG,
        entity_registry_enabled_default=False,
        options=SIGNATURE_MODES,
        value_fn=_signature_mode,
        set_fn=lambda display, option: display.set_signature_mode(option),
        refresh=Refresh.DEVICE,
    ),
)
ORIENTATION = ChoiceDescription(
    key="orientation",
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
    async_add_display_entities(entry, async_add_entities, SETTINGS, SettingSelect)
    async_add_display_entities(
        entry, async_add_entities, [ORIENTATION], OrientationSelect
    )


class ChoiceSelect(ValueEntity[str], SelectEntity):
    """Select of a display."""

    entity_description: ChoiceDescription

    @property
    @override
    def current_option(self) -> str | None:
        """Return the selected option."""
        return self._value


class SettingSelect(ChoiceSelect):
    """Select that one command sets."""

    entity_description: SettingDescription

    @override
    async def async_select_option(self, option: str) -> None:
        """Change the selected option."""
        description = self.entity_description
        async with self.coordinator.async_command(description.refresh) as display:
            await description.set_fn(display, option)


class OrientationSelect(ChoiceSelect):
    """Orientation of the screen, which the display changes by quarter turns only."""

    def __init__(
        self, coordinator: DisplayCoordinator, description: ChoiceDescription
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
