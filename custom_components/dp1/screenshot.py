"""Pictures of what a display shows."""

from typing import Final

from homeassistant.util import dt as dt_util

from .coordinator import DisplayCoordinator, Outcome, Screenshot
from .protocol.errors import RejectedError

# On either side at most: enough to see a work, and not tens of megabytes.
PIXELS: Final = 1920


async def async_take_screenshot(coordinator: DisplayCoordinator) -> None:
    """Take a picture of what the display shows."""
    async with coordinator.async_command(Outcome.NOWHERE) as display:
        if (picture := await display.screenshot(PIXELS, PIXELS)) is None:
            raise RejectedError("screenshot")
    coordinator.async_take_over(screenshot=Screenshot(picture, dt_util.utcnow()))
