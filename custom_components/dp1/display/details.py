"""The details of a display, read only while an entity shows them."""

from collections.abc import Awaitable, Callable, Mapping
from dataclasses import replace
from datetime import timedelta
from typing import Any, Final, Protocol, override

from homeassistant.config_entries import ConfigEntry
from homeassistant.core import HomeAssistant, callback
from homeassistant.helpers.update_coordinator import DataUpdateCoordinator

from ..client.display.client import Display
from ..client.display.device_status import DeviceStatus
from ..client.errors import Dp1Error, RejectedError, UnexpectedAnswerError
from ..const import LOGGER
from .state import Detail, DisplayData, DisplayDetails

DETAILS_INTERVAL = timedelta(seconds=60)
# Number of updates between two reads; the panel is slow. Other details never change.
DETAILS_EVERY: Final = {
    Detail.COUNTERS: 1,
    Detail.METRICS: 1,
    Detail.POLICY: 5,
    Detail.PANEL: 5,
}
# The smallest screenshot: it is only a test.
PROBE_PIXELS: Final = 16


class DetailedDisplay(Protocol):
    """Protocol of the coordinator of a display, as far as it is used here."""

    config_entry: ConfigEntry[Any]
    name: str
    display: Display
    data: DisplayData
    cast_only: bool
    last_update_success: bool


async def _has_screenshots(display: Display) -> bool:
    """Return whether a display can take screenshots."""
    return await display.screenshot(PROBE_PIXELS, PROBE_PIXELS) is not None


READS: Final[Mapping[Detail, Callable[[Display], Awaitable[object]]]] = {
    Detail.PANEL: Display.panel_status,
    Detail.METRICS: Display.metrics,
    Detail.COUNTERS: Display.counters,
    Detail.POLICY: Display.content_policy,
    Detail.SCREENSHOTS: _has_screenshots,
}


def _has_policy(device: DeviceStatus | None) -> bool:
    """Return whether the firmware has a content policy, which came together with signature modes."""
    return device is not None and device.signature_mode is not None


class DetailsCoordinator(DataUpdateCoordinator[DisplayDetails]):
    """Coordinator of the details of one display.

    Each is read once to learn whether the display has it, then while an entity shows it.
    """

    config_entry: ConfigEntry[Any]

    def __init__(self, hass: HomeAssistant, display: DetailedDisplay) -> None:
        """Initialize the coordinator."""
        super().__init__(
            hass,
            LOGGER,
            config_entry=display.config_entry,
            name=f"{display.name} details",
            update_interval=DETAILS_INTERVAL,
            always_update=False,
        )
        self.data = DisplayDetails()
        self._display = display
        self._learned: set[Detail] = set()
        self._firmware: str | None = None
        self._updates = 0

    @override
    async def _async_update_data(self) -> DisplayDetails:
        """Read what is not known yet, and what entities show."""
        if self._display.cast_only:
            return self.data
        if not self._display.last_update_success:
            # It may come back with another monitor.
            self._learned.clear()
            return self.data
        device = self._display.data.device
        if device is not None and device.installed_version != self._firmware:
            # Other firmware may have more.
            self._firmware = device.installed_version
            self._learned.clear()
        shown = set(self.async_contexts())
        for detail in (*DETAILS_EVERY, Detail.SCREENSHOTS):
            if detail is Detail.POLICY and not _has_policy(device):
                continue
            every = DETAILS_EVERY.get(detail)
            is_due = every is not None and self._updates % every == 0
            if detail not in self._learned or (is_due and detail in shown):
                await self.async_read(detail)
        self._updates += 1
        return self.data

    async def async_read(self, detail: Detail) -> None:
        """Read one detail, and note whether it is complete."""
        value: object = None
        try:
            value = await READS[detail](self._display.display)
        except (RejectedError, UnexpectedAnswerError) as err:
            LOGGER.debug("%s has no %s: %s", self._display.name, detail, err)
        except Dp1Error as err:
            LOGGER.debug("%s: reading %s: %s", self._display.name, detail, err)
            return
        else:
            self.async_merge_data(**{detail: value})
        if detail is not Detail.METRICS or self.data.metrics is not None:
            self._learned.add(detail)

    @callback
    def async_merge_data(self, **changes: Any) -> None:
        """Update some fields of the data."""
        if (data := replace(self.data, **changes)) != self.data:
            self.data = data
            self.async_update_listeners()

    @callback
    def async_learn_again(self) -> None:
        """Read every detail again."""
        self._learned.clear()
        self.config_entry.async_create_background_task(
            self.hass, self.async_refresh(), self.name
        )
