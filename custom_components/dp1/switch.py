"""Switches of a display."""

from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from typing import Any, override

from homeassistant.components.switch import SwitchEntity, SwitchEntityDescription
from homeassistant.const import EntityCategory
from homeassistant.core import HomeAssistant
from homeassistant.helpers.entity_platform import AddConfigEntryEntitiesCallback

from .client.display.client import Display
from .coordinator import DisplayConfigEntry
from .display.state import Detail, DisplayData, DisplayDetails, Refresh
from .entity import ValueDescription, ValueEntity, async_add_display_entities

# Commands queue in the client, one at a time for a display.
PARALLEL_UPDATES = 0


@dataclass(frozen=True, kw_only=True)
class DisplaySwitchDescription[_DataT = DisplayData](
    ValueDescription[bool, _DataT], SwitchEntityDescription
):
    """Describes a switch of a display."""

    set_fn: Callable[[Display, bool], Awaitable[object]]
    refresh: Refresh


def _panel_is_on(details: DisplayDetails) -> bool | None:
    """Return whether the panel is on."""
    power = details.panel.power if details.panel else None
    return power == "on" if power else None


def _schedule_is_on(data: DisplayData) -> bool | None:
    """Return whether the sleep schedule is enabled."""
    record = data.device.sleep_schedule if data.device else None
    return record.enabled if record else None


def _shows_mature_content(details: DisplayDetails) -> bool | None:
    """Return whether works rated mature are shown."""
    policy = details.policy
    return policy.show_mature_content if policy and policy.active else None


async def _show_mature_content(display: Display, show: bool) -> None:
    """Show or hide works rated mature and keep the rest of the policy."""
    policy = await display.content_policy()
    await display.set_content_policy(show, bool(policy.strict_personal))


SWITCHES: tuple[DisplaySwitchDescription[Any], ...] = (
    DisplaySwitchDescription[DisplayDetails](
        key="panel",
        value_fn=_panel_is_on,
        set_fn=lambda display, on: display.panel_control(
            "power", "on" if on else "standby"
        ),
        refresh=Refresh.PANEL,
        detail=Detail.PANEL,
    ),
    DisplaySwitchDescription(
        key="sleep_schedule",
        entity_category=EntityCategory.CONFIG,
        value_fn=_schedule_is_on,
        set_fn=lambda display, on: display.set_sleep_schedule(on),
        refresh=Refresh.DEVICE,
    ),
    DisplaySwitchDescription[DisplayDetails](
        key="mature_content",
        entity_category=EntityCategory.CONFIG,
        value_fn=_shows_mature_content,
        set_fn=_show_mature_content,
        refresh=Refresh.POLICY,
        detail=Detail.POLICY,
    ),
)


async def async_setup_entry(
    hass: HomeAssistant,
    entry: DisplayConfigEntry,
    async_add_entities: AddConfigEntryEntitiesCallback,
) -> None:
    """Set up the switches of a display."""
    async_add_display_entities(entry, async_add_entities, SWITCHES, DisplaySwitch)


class DisplaySwitch(ValueEntity[bool], SwitchEntity):
    """Switch of a display."""

    entity_description: DisplaySwitchDescription[Any]

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

    async def _async_set(self, on: bool) -> None:
        """Send the command of the switch."""
        description = self.entity_description
        async with self.coordinator.async_command(description.refresh) as display:
            await description.set_fn(display, on)
