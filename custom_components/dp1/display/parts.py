"""The parts of a display's state that are asked for one by one."""

from collections.abc import Awaitable, Callable, Mapping
from enum import StrEnum
from typing import Final

from ..client.display.client import Display

# Just large enough to be a picture: it is not looked at.
PROBE_PIXELS: Final = 16


class Part(StrEnum):
    """One part, named as it is kept."""

    DEVICE = "device"
    PANEL = "panel"
    METRICS = "metrics"
    COUNTERS = "counters"
    POLICY = "policy"
    SCREENSHOTS = "screenshots"


async def _takes_screenshots(display: Display) -> bool:
    """Find out whether the display takes pictures of what it shows."""
    return await display.screenshot(PROBE_PIXELS, PROBE_PIXELS) is not None


READS: Final[Mapping[Part, Callable[[Display], Awaitable[object]]]] = {
    Part.DEVICE: Display.device_status,
    Part.PANEL: Display.panel_status,
    Part.METRICS: Display.metrics,
    Part.COUNTERS: Display.counters,
    Part.POLICY: Display.content_policy,
    Part.SCREENSHOTS: _takes_screenshots,
}
