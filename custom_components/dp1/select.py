"""What can be chosen on a display."""

import asyncio
from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass
from typing import override

from homeassistant.components.media_player import RepeatMode
from homeassistant.components.select import SelectEntity, SelectEntityDescription
from homeassistant.const import EntityCategory
from homeassistant.core import HomeAssistant
from homeassistant.helpers.entity_platform import AddConfigEntryEntitiesCallback

from .client.display.client import Display
from .client.display.player_status import DeviceSettings
from .coordinator import DisplayConfigEntry, DisplayCoordinator, DisplayData, Outcome
from .entity import ValueDescription, ValueEntity, async_add_as_shown
from .playback.resolve import LOOPS

# Commands queue in the client, one at a time for a display.
PARALLEL_UPDATES = 0

FRAMINGS = ["artwork", "fit", "fill"]
LABELS = ["timed", "on", "off"]
REPEATS = {loop: mode.value for mode, loop in LOOPS.items()}
SCALINGS = ["fit", "fill", "stretch", "auto"]
SIGNATURE_MODES = ["silent", "notify", "strict"]
# In the order of turns counter-clockwise: the wire's name to ours.
ORIENTATIONS = {
    "landscape": "landscape",
    "portrait": "portrait",
    "landscapeReverse": "landscape_reverse",
    "portraitReverse": "portrait_reverse",
}
TURNS = list(ORIENTATIONS.values())


@dataclass(frozen=True, kw_only=True)
class ChoiceDescription(ValueDescription[str], SelectEntityDescription):
    """A choice of a display."""


@dataclass(frozen=True, kw_only=True)
class SettingDescription(ChoiceDescription):
    """A choice that one command makes.

    Attributes:
        set_fn: sends the command.
        outcome: where the display shows what came of it.
    """

    set_fn: Callable[[Display, str], Awaitable[None]]
    outcome: Outcome


def _setting(
    options: Sequence[str], setting_fn: Callable[[DeviceSettings], str | None]
) -> Callable[[DisplayData], str | None]:
    """Make the function that tells a setting of the player, if it is one of the known."""

    def value(data: DisplayData) -> str | None:
        """Tell the setting."""
        settings = data.player.settings if data.player else None
        chosen = setting_fn(settings) if settings else None
        return chosen if chosen in options else None

    return value


def _orientation(data: DisplayData) -> str | None:
    """Tell how the picture is turned."""
    return _named(data.device.screen_rotation if data.device else None)


def _named(rotation: str | None) -> str | None:
    """Give our name of an orientation."""
    return ORIENTATIONS.get(rotation or "")


def _signature_mode(data: DisplayData) -> str | None:
    """Tell what happens to playlists without a valid signature."""
    mode = data.device.signature_mode if data.device else None
    return mode if mode in SIGNATURE_MODES else None


def _repeat(data: DisplayData) -> str | None:
    """Tell what happens at the end of the playlist."""
    loop = data.player.loop_mode if data.player else None
    return next((name for mode, name in REPEATS.items() if mode == loop), None)


SETTINGS = (
    SettingDescription(
        key="scaling",
        entity_category=EntityCategory.CONFIG,
        options=SCALINGS,
        value_fn=_setting(SCALINGS, lambda settings: settings.scaling),
        set_fn=lambda display, option: display.update_settings(True, scaling=option),
        outcome=Outcome.PLAYER,
    ),
    SettingDescription(
        key="framing",
        entity_category=EntityCategory.CONFIG,
        options=FRAMINGS,
        value_fn=_setting(FRAMINGS, lambda settings: settings.framing),
        set_fn=lambda display, option: display.update_settings(True, framing=option),
        outcome=Outcome.PLAYER,
    ),
    SettingDescription(
        key="museum_label",
        entity_category=EntityCategory.CONFIG,
        options=LABELS,
        value_fn=_setting(LABELS, lambda settings: settings.tombstone),
        set_fn=lambda display, option: display.update_settings(True, tombstone=option),
        outcome=Outcome.PLAYER,
    ),
    SettingDescription(
        key="repeat",
        options=list(REPEATS.values()),
        value_fn=_repeat,
        set_fn=lambda display, option: display.set_loop(LOOPS[RepeatMode(option)]),
        outcome=Outcome.PUSH,
    ),
    SettingDescription(
        key="signature_mode",
        entity_category=EntityCategory.CONFIG,
        options=SIGNATURE_MODES,
        value_fn=_signature_mode,
        set_fn=lambda display, option: display.set_signature_mode(option),
        outcome=Outcome.DEVICE,
    ),
)
ORIENTATION = ChoiceDescription(
    key="orientation",
    entity_category=EntityCategory.CONFIG,
    options=TURNS,
    value_fn=_orientation,
)


async def async_setup_entry(
    hass: HomeAssistant,
    entry: DisplayConfigEntry,
    async_add_entities: AddConfigEntryEntitiesCallback,
) -> None:
    """Add the choices of a display."""
    async_add_as_shown(entry, async_add_entities, SETTINGS, SettingSelect)
    async_add_as_shown(entry, async_add_entities, [ORIENTATION], OrientationSelect)


class ChoiceSelect(ValueEntity[str], SelectEntity):
    """A choice of a display."""

    entity_description: ChoiceDescription

    @property
    @override
    def current_option(self) -> str | None:
        """Show what is chosen."""
        return self._value


class SettingSelect(ChoiceSelect):
    """A choice that one command makes."""

    entity_description: SettingDescription

    @override
    async def async_select_option(self, option: str) -> None:
        """Choose."""
        description = self.entity_description
        async with self.coordinator.async_command(description.outcome) as display:
            await description.set_fn(display, option)


class OrientationSelect(ChoiceSelect):
    """How the picture is turned; a display only knows quarter turns, and few of them in a row."""

    def __init__(
        self, coordinator: DisplayCoordinator, description: ChoiceDescription
    ) -> None:
        """Want nothing yet."""
        super().__init__(coordinator, description)
        self._turning = asyncio.Lock()
        self._wanted: str | None = None

    @override
    async def async_select_option(self, option: str) -> None:
        """Turn the picture the short way, from where it really is; who chooses last decides."""
        self._wanted = option
        async with self._turning:
            if option != self._wanted:
                return
            async with self.coordinator.async_command(Outcome.DEVICE) as display:
                now = _named((await display.device_status()).screen_rotation)
                for _ in TURNS:
                    if now is None or now == self._wanted:
                        break
                    now = _named(await display.rotate(_is_clockwise(now, self._wanted)))


def _is_clockwise(now: str, wanted: str) -> bool:
    """Tell the direction of the shorter way."""
    return (TURNS.index(wanted) - TURNS.index(now)) % len(TURNS) == len(TURNS) - 1
