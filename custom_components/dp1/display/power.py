"""The sleep of a display: it is told to sleep or wake until it does, and keeps a schedule by itself."""

from collections.abc import Callable, Mapping
from contextlib import AbstractAsyncContextManager, suppress
from typing import Any, Final, Protocol

from ..client.display.client import Display
from ..client.display.device_status import DAYS, DeviceStatus, SleepSchedule
from ..client.errors import RejectedError
from ..errors import action_failed, invalid_input
from .reads import Refresh
from .requests import REQUEST_NUMBERS
from .state import DisplayData

# How often a display is told to sleep or wake, and how often its state is then checked.
SLEEP_TRIES: Final = 2
SLEEP_CHECKS: Final = 4


class Driver(Protocol):
    """Who sends commands to a display and has its state."""

    name: str
    data: DisplayData

    def async_command(
        self, refresh: Refresh = ...
    ) -> AbstractAsyncContextManager[Display]:
        """Send commands, then wait for the state to be updated."""

    async def async_read_device(self) -> DeviceStatus | None:
        """Read the device status."""

    def schedule_device_read(self) -> None:
        """Read the device status in the background."""

    async def async_wait_for_next_push(self) -> None:
        """Wait for a push that is still to come, or read the player."""


class Power:
    """The sleep of one display.

    Attributes:
        last_request: number of the last request to sleep or wake.
    """

    def __init__(self, driver: Driver) -> None:
        """Initialize without requests."""
        self.last_request = 0
        self._driver = driver
        # What the last request was for.
        self._asleep = False

    async def async_change_schedule(
        self, change: Callable[[SleepSchedule], Mapping[str, Any]]
    ) -> None:
        """Change fields of the sleep schedule and keep the rest of it; a manual sleep or wake lasts."""
        async with self._driver.async_command(Refresh.DEVICE) as display:
            device = await self._driver.async_read_device()
            record = device.sleep_schedule if device else None
            if record is None:
                raise invalid_input("no_schedule", name=self._driver.name)
            changes, since = change(record), self.last_request
            changed = await display.set_sleep_schedule(record.enabled, **changes)
            # The change has ended what a person chose before or while it waited.
            asleep = record.asleep if record.override_state else changed.asleep
            if self.last_request != since:
                asleep = self._asleep
            if changed.asleep is not asleep:
                await (display.sleep() if asleep else display.wake())
            if "days" in changes and changes["days"] != (changed.days or DAYS):
                raise RejectedError("days")

    async def async_set_asleep(self, asleep: bool) -> None:
        """Turn the display off or on."""
        await self._async_set_asleep(asleep)
        self._driver.schedule_device_read()

    async def _async_set_asleep(self, asleep: bool) -> None:
        """Send the command, again if the state does not follow."""
        device = self._driver.data.device
        self.last_request = mine = next(REQUEST_NUMBERS)
        self._asleep = asleep

        def is_done() -> bool:
            """Return whether the state has followed, or a later request has replaced this one."""
            return (
                self._driver.data.asleep in (asleep, None) or self.last_request != mine
            )

        for _ in range(SLEEP_TRIES):
            # Firmware 1.0 stores the state, but returns an error if its player is not visible.
            async with self._driver.async_command() as display:
                with suppress(RejectedError):
                    await _async_send_asleep(display, asleep, device)
            for _ in range(SLEEP_CHECKS):
                if is_done():
                    return
                # The display changes its page a moment after the answer.
                await self._driver.async_wait_for_next_push()
                player = self._driver.data.player
                if player is None or player.asleep is None:
                    await self._driver.async_read_device()
            if is_done():
                return
        raise action_failed(
            "did_not_sleep" if asleep else "did_not_wake", name=self._driver.name
        )


async def _async_send_asleep(
    display: Display, asleep: bool, device: DeviceStatus | None
) -> None:
    """Send the command that the firmware supports: another one since it has a schedule (1.0.15)."""
    if device is None or device.sleep_schedule is not None:
        try:
            await (display.sleep() if asleep else display.wake())
        except RejectedError:
            if device is not None:
                raise
        else:
            return
    await display.set_sleep_mode(asleep)
