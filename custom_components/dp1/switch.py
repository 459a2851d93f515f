"""Switches of a display."""

from dataclasses import dataclass
from typing import Any, override

from homeassistant.components.switch import SwitchEntity, SwitchEntityDescription
from homeassistant.const import EntityCategory
from homeassistant.core import HomeAssistant
from homeassistant.helpers.entity_platform import AddConfigEntryEntitiesCallback

from .client.display.client import Display
from .client.display.device_status import ContentPolicy, DeviceStatus, PanelStatus
from .coordinator import DisplayConfigEntry, Refresh
from .entity import (
    DescribedEntity,
    DisplayDescription,
    async_add_display_entities,
    sends,
)

# Commands queue in the client, one at a time for a display.
PARALLEL_UPDATES = 0


@dataclass(frozen=True, kw_only=True)
class DisplaySwitchDescription(DisplayDescription[bool], SwitchEntityDescription):
    """Describes a switch of a display."""


def _panel_is_on(panel: PanelStatus) -> bool | None:
    """Return whether the panel is on."""
    return panel.power == "on" if panel.power else None


async def _switch_panel(display: Display, on: bool) -> None:
    """Turn the panel on or off."""
    await display.panel_control("power", "on" if on else "standby")


def _schedule_is_on(device: DeviceStatus) -> bool | None:
    """Return whether the sleep schedule is enabled."""
    return device.sleep_schedule.enabled if device.sleep_schedule else None


def _shows_mature_content(policy: ContentPolicy) -> bool | None:
    """Return whether works rated mature are shown."""
    return policy.show_mature_content if policy.active else None


async def _show_mature_content(display: Display, show: bool) -> None:
    """Show or hide works rated mature and keep the rest of the policy."""
    policy = await display.content_policy()
    await display.set_content_policy(show, bool(policy.strict_personal))


SWITCHES = (
    DisplaySwitchDescription(
        key="panel",
        record="panel",
        value_fn=_panel_is_on,
        set_fn=sends(_switch_panel, Refresh.PANEL),
    ),
    DisplaySwitchDescription(
        key="sleep_schedule",
        record="device",
        entity_category=EntityCategory.CONFIG,
        value_fn=_schedule_is_on,
        set_fn=sends(Display.set_sleep_schedule, Refresh.DEVICE),
    ),
    DisplaySwitchDescription(
        key="mature_content",
        record="policy",
        entity_category=EntityCategory.CONFIG,
        value_fn=_shows_mature_content,
        set_fn=sends(_show_mature_content, Refresh.POLICY),
    ),
)


async def async_setup_entry(
    hass: HomeAssistant,
    entry: DisplayConfigEntry,
    async_add_entities: AddConfigEntryEntitiesCallback,
) -> None:
    """Set up the switches of a display."""
    async_add_display_entities(entry, async_add_entities, SWITCHES, DisplaySwitch)


class DisplaySwitch(DescribedEntity[bool], SwitchEntity):
    """Switch of a display."""

    entity_description: DisplaySwitchDescription

    @property
    @override
    def is_on(self) -> bool | None:
        """Return the state of the switch."""
        return self._value

    @override
    async def async_turn_on(self, **kwargs: Any) -> None:
        """Turn the switch on."""
        await self._async_set(True)

    @override
    async def async_turn_off(self, **kwargs: Any) -> None:
        """Turn the switch off."""
        await self._async_set(False)
