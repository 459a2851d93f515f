"""What is read slowly: once to learn what a display offers, and from then on while an entity shows it."""

import asyncio
from typing import Final

from .client.display.device_status import DeviceStatus
from .client.errors import Dp1Error, RejectedError, UnexpectedAnswerError
from .const import LOGGER
from .coordinator import DisplayCoordinator
from .display.parts import Part

TICK: Final = 60.0
# Ticks between two readings; the wire to the panel is slow. What is not listed never changes.
TICKS: Final = {Part.PANEL: 5, Part.METRICS: 1, Part.COUNTERS: 1, Part.POLICY: 5}
LEARNED: Final = (*TICKS, Part.SCREENSHOTS)


class SlowReads:
    """Reads the slow parts of one display's state."""

    def __init__(self, coordinator: DisplayCoordinator) -> None:
        """Know nothing yet."""
        self._coordinator = coordinator
        self._learned: set[Part] = set()
        self._firmware: str | None = None
        self._ticks = 0

    async def async_follow(self) -> None:
        """Read for as long as the entry is loaded."""
        while not self._coordinator.cast_only:
            if self._coordinator.last_update_success:
                await self._async_read_due()
            else:
                # It may return with another monitor.
                self._learned.clear()
            self._ticks += 1
            await asyncio.sleep(TICK)

    async def _async_read_due(self) -> None:
        """Read what is not known yet, and what somebody looks at."""
        device = self._coordinator.data.device
        if device is not None and device.installed_version != self._firmware:
            # Other firmware may offer more.
            self._firmware = device.installed_version
            self._learned.clear()
        shown = set(self._coordinator.async_contexts())
        for part in LEARNED:
            if part is Part.POLICY and not _judges_works(device):
                continue
            due = part in TICKS and self._ticks % TICKS[part] == 0
            if part not in self._learned or (due and part in shown):
                await self._async_read(part)

    async def _async_read(self, part: Part) -> None:
        """Read one part, and note whether the display has told all about it."""
        try:
            await self._coordinator.async_read(part)
        except (RejectedError, UnexpectedAnswerError) as err:
            LOGGER.debug("%s has no %s: %s", self._coordinator.name, part, err)
        except Dp1Error as err:
            LOGGER.debug("%s: reading the %s: %s", self._coordinator.name, part, err)
            return
        if part is not Part.METRICS or self._coordinator.data.metrics is not None:
            self._learned.add(part)


def _judges_works(device: DeviceStatus | None) -> bool:
    """Tell whether the firmware judges works, by what it says of their signatures; the policy came together with that."""
    return device is not None and device.signature_mode is not None
