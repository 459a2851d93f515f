"""Buttons of a display and of a library."""

from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from typing import Any, override

from homeassistant.components.button import (
    ButtonDeviceClass,
    ButtonEntity,
    ButtonEntityDescription,
)
from homeassistant.config_entries import ConfigEntry
from homeassistant.const import EntityCategory
from homeassistant.core import HomeAssistant
from homeassistant.helpers.entity_platform import AddConfigEntryEntitiesCallback

from .client.display.client import Display
from .coordinator import DisplayCoordinator
from .display.state import Detail, DisplayData, DisplayDetails, Refresh
from .display.wake_on_lan import async_wake_on_lan, wired_macs
from .entity import DescribedEntity, DisplayDescription, async_add_display_entities
from .library.entity import LibraryEntity
from .library.library import Library

# Commands queue in the client, one at a time for a display.
PARALLEL_UPDATES = 0


@dataclass(frozen=True, kw_only=True)
class DisplayButtonDescription[_DataT = DisplayData](
    DisplayDescription[_DataT], ButtonEntityDescription
):
    """Describes a button of a display."""

    press_fn: Callable[[DisplayCoordinator], Awaitable[None]]


def _sends(
    send: Callable[[Display], Awaitable[None]], refresh: Refresh = Refresh.PUSH
) -> Callable[[DisplayCoordinator], Awaitable[None]]:
    """Return a press function that sends a command."""

    async def press(coordinator: DisplayCoordinator) -> None:
        """Send the command."""
        async with coordinator.async_command(refresh) as display:
            await send(display)

    return press


async def _wake_on_lan(coordinator: DisplayCoordinator) -> None:
    """Send wake-up packets to the display."""
    macs = wired_macs(coordinator.data.device)
    await async_wake_on_lan(coordinator.hass, macs)


BUTTONS = (
    DisplayButtonDescription(
        key="refresh_work",
        press_fn=_sends(Display.refresh),
    ),
    DisplayButtonDescription(
        key="default_playlist",
        press_fn=_sends(Display.display_default),
    ),
    DisplayButtonDescription(
        key="reboot",
        device_class=ButtonDeviceClass.RESTART,
        entity_category=EntityCategory.CONFIG,
        press_fn=_sends(Display.reboot, Refresh.NONE),
    ),
    DisplayButtonDescription(
        key="shut_down",
        entity_category=EntityCategory.CONFIG,
        entity_registry_enabled_default=False,
        press_fn=_sends(Display.shutdown, Refresh.NONE),
    ),
    DisplayButtonDescription(
        key="show_pairing_code",
        entity_category=EntityCategory.CONFIG,
        entity_registry_enabled_default=False,
        press_fn=_sends(
            lambda display: display.show_pairing_code(True), Refresh.PLAYER
        ),
    ),
    DisplayButtonDescription(
        key="hide_pairing_code",
        entity_category=EntityCategory.CONFIG,
        entity_registry_enabled_default=False,
        press_fn=_sends(
            lambda display: display.show_pairing_code(False), Refresh.PLAYER
        ),
    ),
    DisplayButtonDescription[DisplayDetails](
        key="take_screenshot",
        entity_category=EntityCategory.DIAGNOSTIC,
        entity_registry_enabled_default=False,
        exists_fn=lambda details: details.screenshots,
        press_fn=DisplayCoordinator.async_take_screenshot,
        detail=Detail.SCREENSHOTS,
    ),
)
WAKE_ON_LAN = DisplayButtonDescription(
    key="wake_on_lan",
    exists_fn=lambda data: bool(wired_macs(data.device)),
    press_fn=_wake_on_lan,
)


async def async_setup_entry(
    hass: HomeAssistant,
    entry: ConfigEntry[Any],
    async_add_entities: AddConfigEntryEntitiesCallback,
) -> None:
    """Set up the buttons of a display or of a library."""
    if isinstance(entry.runtime_data, Library):
        async_add_entities([RefreshLibraryButton(entry.runtime_data)])
        return
    async_add_display_entities(entry, async_add_entities, BUTTONS, DisplayButton)
    async_add_display_entities(
        entry, async_add_entities, [WAKE_ON_LAN], WakeOnLanButton
    )


class DisplayButton(DescribedEntity, ButtonEntity):
    """A button of a display."""

    entity_description: DisplayButtonDescription[Any]

    @override
    async def async_press(self) -> None:
        """Press the button."""
        await self.entity_description.press_fn(self.coordinator)


class WakeOnLanButton(DisplayButton):
    """Button that wakes a display from the network, available while the display is off."""

    @property
    @override
    def available(self) -> bool:
        """Return whether the hardware addresses to wake are known."""
        return super().available or bool(wired_macs(self.coordinator.data.device))


class RefreshLibraryButton(LibraryEntity, ButtonEntity):
    """Button that looks for news in a library."""

    _attr_translation_key = "refresh_library"

    def __init__(self, library: Library) -> None:
        """Initialize the button."""
        super().__init__(library, "refresh_library")

    @override
    async def async_press(self) -> None:
        """Look for news."""
        await self.library.async_refresh()
