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
from homeassistant.helpers import issue_registry as ir

from .client.errors import Dp1Error
from .client.text import markdown_safe
from .const import LOGGER
from .coordinator import DisplayCoordinator, Refresh
from .displays import async_displays
from .library.entries import library_of
from .library.renewal import async_renew


async def async_create_fix_flow(
    hass: HomeAssistant, issue_id: str, data: dict[str, Any] | None
) -> RepairsFlow:
    """Return the flow that fixes an issue."""
    if data and "entry_id" in data:
        return RenewRepairFlow(data["entry_id"])
    for display in async_displays(hass):
        if data and display.device_id == data["device_id"]:
            return RestartRepairFlow(display)
    return ConfirmRepairFlow()


class RestartRepairFlow(ConfirmRepairFlow):
    """The repair of a display that does not wake: a restart."""

    def __init__(self, display: DisplayCoordinator) -> None:
        """Initialize the flow."""
        self._display = display

    @override
    async def async_step_confirm(
        self, user_input: dict[str, str] | None = None
    ) -> RepairsFlowResult:
        """Restart the display once the user has confirmed."""
        errors: dict[str, str] = {}
        if user_input is not None:
            try:
                async with self._display.async_command(Refresh.NONE) as display:
                    await display.reboot()
            except HomeAssistantError:
                errors["base"] = "cannot_restart"
            else:
                return self.async_create_entry(data={})
        return self.async_show_form(
            step_id="confirm",
            data_schema=vol.Schema({}),
            errors=errors,
            description_placeholders={"name": markdown_safe(self._display.name)},
        )


class RenewRepairFlow(ConfirmRepairFlow):
    """The repair of published playlists whose works have moved: they are published again with the addresses of now."""

    def __init__(self, entry_id: str) -> None:
        """Initialize with the entry of the library."""
        self._entry_id = entry_id

    @override
    async def async_step_confirm(
        self, user_input: dict[str, str] | None = None
    ) -> RepairsFlowResult:
        """Publish the playlists once the user has confirmed."""
        errors: dict[str, str] = {}
        if user_input is not None:
            try:
                await async_renew(library_of(self.hass, self._entry_id))
            except (Dp1Error, HomeAssistantError) as err:
                LOGGER.debug("Published playlists are not renewed: %s", err)
                errors["base"] = "cannot_renew"
            else:
                return self.async_create_entry(data={})
        issue = ir.async_get(self.hass).async_get_issue(self.handler, self.issue_id)
        return self.async_show_form(
            step_id="confirm",
            data_schema=vol.Schema({}),
            errors=errors,
            description_placeholders=issue.translation_placeholders if issue else None,
        )
