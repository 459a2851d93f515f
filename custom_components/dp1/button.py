"""Buttons of a display and of a library."""

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

from .coordinator import DisplayCoordinator, Refresh
from .display.state import takes_screenshots
from .entity import (
    DescribedEntity,
    DisplayDescription,
    LibraryEntity,
    async_add_display_entities,
    sends,
)
from .library.library import Library
from .permissions import async_check_refresh
from .screen.pairing import is_screen

# Commands queue in the client, one at a time for a display.
PARALLEL_UPDATES = 0


@dataclass(frozen=True, kw_only=True)
class DisplayButtonDescription(DisplayDescription[None], ButtonEntityDescription):
    """Describes a button of a display."""


BUTTONS = (
    DisplayButtonDescription(
        key="refresh_work",
        is_common=True,
        entity_category=EntityCategory.CONFIG,
        set_fn=sends(lambda display: display.refresh()),
    ),
    DisplayButtonDescription(
        key="default_playlist",
        is_common=True,
        entity_category=EntityCategory.CONFIG,
        set_fn=sends(lambda display: display.display_default()),
    ),
    DisplayButtonDescription(
        key="reboot",
        is_common=True,
        device_class=ButtonDeviceClass.RESTART,
        entity_category=EntityCategory.CONFIG,
        set_fn=sends(lambda display: display.reboot(), Refresh.NONE),
    ),
    DisplayButtonDescription(
        key="shut_down",
        is_common=True,
        entity_category=EntityCategory.CONFIG,
        entity_registry_enabled_default=False,
        set_fn=sends(lambda display: display.shutdown(), Refresh.NONE),
    ),
    DisplayButtonDescription(
        key="take_screenshot",
        entity_category=EntityCategory.DIAGNOSTIC,
        entity_registry_enabled_default=False,
        record="device",
        exists_fn=takes_screenshots,
        set_fn=DisplayCoordinator.async_take_screenshot,
    ),
)


async def async_setup_entry(
    hass: HomeAssistant,
    entry: ConfigEntry[Any],
    async_add_entities: AddConfigEntryEntitiesCallback,
) -> None:
    """Set up the buttons of a display or of a library; a screen is no machine."""
    if isinstance(library := entry.runtime_data, Library):
        async_add_entities([RefreshLibraryButton(library)])
        return
    machine = {"reboot", "shut_down"} if is_screen(entry) else ()
    buttons = [it for it in BUTTONS if it.key not in machine]
    async_add_display_entities(entry, async_add_entities, buttons, DisplayButton)


class DisplayButton(DescribedEntity[None], ButtonEntity):
    """Button of a display."""

    entity_description: DisplayButtonDescription

    @override
    async def async_press(self) -> None:
        """Press the button."""
        await self._async_set()


class RefreshLibraryButton(LibraryEntity, ButtonEntity):
    """Button that looks for news in a library."""

    _attr_translation_key = "refresh_library"

    @override
    async def async_press(self) -> None:
        """Look for news."""
        if self._context:
            await async_check_refresh(self.hass, self._context, self.library.entry)
        await self.library.async_refresh()
