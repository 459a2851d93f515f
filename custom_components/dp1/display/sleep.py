"""Turn a display off and on, and verify the state."""

from collections.abc import Callable
from contextlib import AbstractAsyncContextManager, suppress
from typing import Final, Protocol

from homeassistant.core import HomeAssistant, callback
from homeassistant.exceptions import HomeAssistantError
from homeassistant.helpers import issue_registry as ir

from ..client.display.client import Display
from ..client.display.device_status import DeviceStatus
from ..client.errors import RejectedError, UnreachableError
from ..const import DOMAIN
from ..errors import action_failed
from .reader import StatusReader
from .state import REQUEST_NUMBERS, DisplayData

TRIES: Final = 2
CHECKS: Final = 4
WAKES_TO_ISSUE: Final = 3


class SleepingDisplay(Protocol):
    """Protocol of the coordinator of a display, as far as it is used here."""

    hass: HomeAssistant
    name: str
    data: DisplayData
    reader: StatusReader

    @property
    def device_id(self) -> str:
        """Return the id of the display."""

    def async_command(self) -> AbstractAsyncContextManager[Display]:
        """Send commands to the display."""

    async def async_read_device(self) -> DeviceStatus | None:
        """Read the device status and return it, or the last known one after a timeout."""


class SleepControl:
    """Turns one display off and on, and creates an issue if it repeatedly does not wake.

    Attributes:
        last_request: number of the last request.
    """

    def __init__(self, display: SleepingDisplay) -> None:
        """Initialize the control."""
        self.last_request = 0
        self._display = display
        self._failed_wakes = 0

    async def async_set(self, asleep: bool) -> None:
        """Turn the display off or on."""
        try:
            await self._async_set(asleep)
        except HomeAssistantError as err:
            if not asleep and not isinstance(err.__cause__, UnreachableError):
                self._set_failed_wakes(self._failed_wakes + 1)
            raise
        if not asleep:
            self._set_failed_wakes(0)

    @callback
    def async_shutdown(self) -> None:
        """Delete the issue."""
        self._set_failed_wakes(0)

    async def _async_set(self, asleep: bool) -> None:
        """Send the command, again if the state does not follow."""
        display = self._display
        device = display.data.device
        self.last_request = mine = next(REQUEST_NUMBERS)
        for _ in range(TRIES):
            # Firmware 1.0 stores the state, but returns an error if its player is not visible.
            async with display.async_command() as commands:
                with suppress(RejectedError):
                    await _async_send(commands, asleep, device)
            if await self._async_reached(
                lambda: (
                    display.data.asleep in (asleep, None) or self.last_request != mine
                )
            ):
                return
        raise action_failed(
            "did_not_sleep" if asleep else "did_not_wake", name=display.name
        )

    async def _async_reached(self, reached: Callable[[], bool]) -> bool:
        """Wait for the state; the display changes its page a moment after the answer."""
        display = self._display
        for _ in range(CHECKS):
            if reached():
                return True
            display.reader.player_news.clear()
            await display.reader.async_wait_for_push()
            player = display.data.player
            if player is None or player.asleep is None:
                await display.async_read_device()
        return reached()

    @callback
    def _set_failed_wakes(self, failures: int) -> None:
        """Set the number of failed wakes in a row, and create or delete the issue."""
        self._failed_wakes = failures
        issue_id = f"wakes_not_{self._display.device_id}"
        if failures >= WAKES_TO_ISSUE:
            ir.async_create_issue(
                self._display.hass,
                DOMAIN,
                issue_id,
                data={"device_id": self._display.device_id},
                is_fixable=True,
                severity=ir.IssueSeverity.WARNING,
                translation_key="wakes_not",
                translation_placeholders={"name": self._display.name},
            )
        elif not failures:
            ir.async_delete_issue(self._display.hass, DOMAIN, issue_id)


async def _async_send(
    commands: Display, asleep: bool, device: DeviceStatus | None
) -> None:
    """Send the command that the firmware supports: another one since it has a schedule (1.0.15)."""
    if device is None or device.sleep_schedule is not None:
        try:
            await (commands.sleep() if asleep else commands.wake())
        except RejectedError:
            if device is not None:
                raise
        else:
            return
    await commands.set_sleep_mode(asleep)
