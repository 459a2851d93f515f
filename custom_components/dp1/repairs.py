"""Repairs of a display and of a library."""

from collections.abc import Awaitable, Callable
from functools import partial
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

from .client.text import markdown_safe
from .const import DOMAIN, LOGGER
from .coordinator import DisplayCoordinator, Refresh
from .displays import async_displays
from .library.libraries import library_of
from .library.renewal import async_renew


async def async_create_fix_flow(
    hass: HomeAssistant, issue_id: str, data: dict[str, Any] | None
) -> RepairsFlow:
    """Return the flow that fixes an issue."""
    if data and (entry_id := data.get("entry_id")):
        issue = ir.async_get(hass).async_get_issue(DOMAIN, issue_id)
        told = (issue and issue.translation_placeholders) or {}
        return RepairFlow(partial(_async_renew, hass, entry_id), "cannot_renew", told)
    for display in async_displays(hass):
        if data and display.device_id == data["device_id"]:
            told = {"name": markdown_safe(display.name)}
            return RepairFlow(partial(_async_restart, display), "cannot_restart", told)
    return ConfirmRepairFlow()


async def _async_restart(display: DisplayCoordinator) -> None:
    """Restart a display that does not wake."""
    async with display.async_command(Refresh.NONE) as client:
        await client.reboot()


async def _async_renew(hass: HomeAssistant, entry_id: str) -> None:
    """Publish the playlists of a library whose works have moved again."""
    await async_renew(library_of(hass, entry_id))


class RepairFlow(ConfirmRepairFlow):
    """A repair that does something once the user has confirmed, and says that it failed."""

    def __init__(
        self,
        repair: Callable[[], Awaitable[None]],
        error: str,
        placeholders: dict[str, str],
    ) -> None:
        """Initialize with what repairs, the error if that fails, and what is said of the issue."""
        self._repair = repair
        self._error = error
        self._placeholders = placeholders

    @override
    async def async_step_confirm(
        self, user_input: dict[str, str] | None = None
    ) -> RepairsFlowResult:
        """Repair once the user has confirmed."""
        errors: dict[str, str] = {}
        if user_input is not None:
            try:
                await self._repair()
            except HomeAssistantError as err:
                LOGGER.debug("%s: %s", self._error, err)
                errors["base"] = self._error
            else:
                return self.async_create_entry(data={})
        return self.async_show_form(
            step_id="confirm",
            data_schema=vol.Schema({}),
            errors=errors,
            description_placeholders=self._placeholders,
        )
