"""Repairs of a display and of a library."""

from typing import Any, override

import voluptuous as vol

from homeassistant.components.repairs import (
    ConfirmRepairFlow,
    RepairsFlow,
    RepairsFlowResult,
)
from homeassistant.core import HomeAssistant
from homeassistant.exceptions import HomeAssistantError

from .client.text import markdown_safe
from .const import LOGGER
from .coordinator import DisplayCoordinator, Refresh
from .displays import async_displays


async def async_create_fix_flow(
    hass: HomeAssistant, issue_id: str, data: dict[str, Any] | None
) -> RepairsFlow:
    """Return the flow that fixes an issue."""
    for display in async_displays(hass):
        if data and display.device_id == data["device_id"]:
            return RestartFlow(display)
    return ConfirmRepairFlow()


class RestartFlow(ConfirmRepairFlow):
    """A restart of a display that does not wake, once the user has confirmed."""

    def __init__(self, display: DisplayCoordinator) -> None:
        """Initialize with the display."""
        self._display = display

    @override
    async def async_step_confirm(
        self, user_input: dict[str, str] | None = None
    ) -> RepairsFlowResult:
        """Restart the display once the user has confirmed."""
        errors: dict[str, str] = {}
        if user_input is not None:
            try:
                async with self._display.async_command(Refresh.NONE) as client:
                    await client.reboot()
            except HomeAssistantError as err:
                LOGGER.debug("%s: %s", self._display.name, err)
                errors["base"] = "cannot_restart"
            else:
                return self.async_create_entry(data={})
        return self.async_show_form(
            step_id="confirm",
            data_schema=vol.Schema({}),
            errors=errors,
            description_placeholders={"name": markdown_safe(self._display.name)},
        )
