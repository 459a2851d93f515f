"""What a display can be told to do once."""

from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from typing import override

from homeassistant.components.button import (
    ButtonDeviceClass,
    ButtonEntity,
    ButtonEntityDescription,
)
from homeassistant.const import EntityCategory
from homeassistant.core import HomeAssistant
from homeassistant.helpers.entity_platform import AddConfigEntryEntitiesCallback

from .client.display.client import Display
from .coordinator import (
    DisplayConfigEntry,
    DisplayCoordinator,
    DisplayData,
    Outcome,
    async_take_screenshot,
)
from .display.wake_on_lan import async_wake_on_lan, wired_macs
from .entity import DescribedEntity, DisplayDescription, async_add_as_shown

# Commands queue in the client, one at a time for a display.
PARALLEL_UPDATES = 0


@dataclass(frozen=True, kw_only=True)
class DisplayButtonDescription(DisplayDescription, ButtonEntityDescription):
    """A button of a display.

    Attributes:
        press_fn: does it.
    """

    press_fn: Callable[[DisplayCoordinator], Awaitable[None]]


def _plays(data: DisplayData) -> bool:
    """Tell whether there is a player that takes commands."""
    return data.player is not None


def _is_device(data: DisplayData) -> bool:
    """Tell whether there is a device that takes commands."""
    return data.device is not None


def _sends(
    send: Callable[[Display], Awaitable[None]], outcome: Outcome = Outcome.PUSH
) -> Callable[[DisplayCoordinator], Awaitable[None]]:
    """Make the function that sends a command."""

    async def press(coordinator: DisplayCoordinator) -> None:
        """Send the command."""
        async with coordinator.async_command(outcome) as display:
            await send(display)

    return press


async def _wake_on_lan(coordinator: DisplayCoordinator) -> None:
    """Switch the display on."""
    macs = wired_macs(coordinator.data.device)
    await async_wake_on_lan(coordinator.hass, macs)


BUTTONS = (
    DisplayButtonDescription(
        key="refresh_work",
        exists_fn=_plays,
        press_fn=_sends(Display.refresh),
    ),
    DisplayButtonDescription(
        key="default_playlist",
        exists_fn=_plays,
        press_fn=_sends(Display.display_default),
    ),
    DisplayButtonDescription(
        key="reboot",
        device_class=ButtonDeviceClass.RESTART,
        entity_category=EntityCategory.CONFIG,
        exists_fn=_is_device,
        press_fn=_sends(Display.reboot, Outcome.NOWHERE),
    ),
    DisplayButtonDescription(
        key="shut_down",
        entity_category=EntityCategory.CONFIG,
        exists_fn=_is_device,
        press_fn=_sends(Display.shutdown, Outcome.NOWHERE),
    ),
    DisplayButtonDescription(
        key="show_pairing_code",
        entity_category=EntityCategory.CONFIG,
        exists_fn=_is_device,
        press_fn=_sends(
            lambda display: display.show_pairing_code(True), Outcome.PLAYER
        ),
    ),
    DisplayButtonDescription(
        key="hide_pairing_code",
        entity_category=EntityCategory.CONFIG,
        exists_fn=_is_device,
        press_fn=_sends(
            lambda display: display.show_pairing_code(False), Outcome.PLAYER
        ),
    ),
    DisplayButtonDescription(
        key="take_screenshot",
        entity_category=EntityCategory.DIAGNOSTIC,
        entity_registry_enabled_default=False,
        exists_fn=lambda data: data.screenshots,
        press_fn=async_take_screenshot,
    ),
)
WAKE_ON_LAN = DisplayButtonDescription(
    key="wake_on_lan",
    exists_fn=lambda data: bool(wired_macs(data.device)),
    press_fn=_wake_on_lan,
)


async def async_setup_entry(
    hass: HomeAssistant,
    entry: DisplayConfigEntry,
    async_add_entities: AddConfigEntryEntitiesCallback,
) -> None:
    """Add the buttons of a display."""
    async_add_as_shown(entry, async_add_entities, BUTTONS, DisplayButton)
    async_add_as_shown(entry, async_add_entities, [WAKE_ON_LAN], WakeOnLanButton)


class DisplayButton(DescribedEntity, ButtonEntity):
    """A button of a display."""

    entity_description: DisplayButtonDescription

    @override
    async def async_press(self) -> None:
        """Do it."""
        await self.entity_description.press_fn(self.coordinator)


class WakeOnLanButton(DisplayButton):
    """The button for a display that is off, and so there just when the others are not."""

    @property
    @override
    def available(self) -> bool:
        """Tell whether the display can be switched on from what it last said of itself."""
        return super().available or self.entity_description.exists_fn(
            self.coordinator.data
        )
