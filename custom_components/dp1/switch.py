"""Switches of a display."""

from dataclasses import dataclass
from typing import Any, override

from homeassistant.components.switch import SwitchEntity, SwitchEntityDescription
from homeassistant.const import EntityCategory
from homeassistant.core import HomeAssistant
from homeassistant.helpers.entity_platform import AddConfigEntryEntitiesCallback

from .client.display.client import Display
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


async def _show_mature_content(display: Display, show: bool) -> None:
    """Show or hide works rated mature and keep the rest of the policy."""
    policy = await display.content_policy()
    await display.set_content_policy(show, bool(policy.strict_personal))


SWITCHES = (
    DisplaySwitchDescription(
        key="panel",
        record="panel",
        value_fn=lambda panel: panel.power == "on" if panel.power else None,
        set_fn=sends(
            lambda display, is_on: display.panel_control(
                "power", "on" if is_on else "standby"
            ),
            Refresh.PANEL,
        ),
    ),
    DisplaySwitchDescription(
        key="sleep_schedule",
        record="device",
        entity_category=EntityCategory.CONFIG,
        value_fn=lambda device: device.sleep_schedule and device.sleep_schedule.enabled,
        set_fn=sends(
            lambda display, is_on: display.set_sleep_schedule(is_on), Refresh.DEVICE
        ),
    ),
    DisplaySwitchDescription(
        key="mature_content",
        record="policy",
        entity_category=EntityCategory.CONFIG,
        value_fn=lambda policy: policy.show_mature_content if policy.active else None,
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
