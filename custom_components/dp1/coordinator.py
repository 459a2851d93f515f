"""Coordinators of a display: its state, pushed over a socket, and the details that are polled."""

import asyncio
from collections.abc import AsyncIterator, Coroutine
from contextlib import asynccontextmanager
from dataclasses import replace
from datetime import timedelta
from typing import Any, Final, override

from homeassistant.config_entries import ConfigEntry
from homeassistant.const import CONF_HOST, CONF_PORT
from homeassistant.core import HomeAssistant, callback
from homeassistant.exceptions import HomeAssistantError
from homeassistant.helpers.aiohttp_client import async_get_clientsession
from homeassistant.helpers.update_coordinator import UpdateFailed
from homeassistant.util import dt as dt_util

from .client.display.casts import Cast, Dialect
from .client.display.client import Display
from .client.display.device_status import DeviceStatus, PanelStatus
from .client.display.notifications import Connected, Event
from .client.display.player_status import PlayerStatus, PlaylistItem
from .client.errors import (
    Dp1Error,
    NoAnswerError,
    NotReadyError,
    RejectedError,
    UnexpectedAnswerError,
)
from .const import CONF_DIALECT, CONF_KIND, DOMAIN, LOGGER, EntryKind
from .display.connection import Connection
from .display.details import DetailsCoordinator
from .display.history import History
from .display.identity import EntryMemory, IdentityCheck
from .display.metadata import ArtworkMetadata, with_manifest
from .display.reader import StatusReader
from .display.requests import PendingRequests
from .display.sleep import SleepControl
from .display.state import Detail, DisplayData, Refresh, Screenshot
from .display.updates import PartialUpdateCoordinator
from .errors import retyped, translated, translated_errors

# Volume, mute and the sleep schedule are only pushed while the display reaches its vendor's cloud. A display takes
# each read for a person in contact, so it is not polled more often.
POLL_INTERVAL = timedelta(seconds=60)
PLAYER_EVERY: Final = 2
# Maximum duration of the first refresh.
FIRST_PATIENCE: Final = 2.0
# The same while Home Assistant starts, which tries again as soon as it has started.
START_PATIENCE: Final = 0.5
# How long a command waits for the state to follow.
STATE_PATIENCE: Final = 1.0
# Maximum width and height.
SCREENSHOT_PIXELS: Final = 1920

type DisplayConfigEntry = ConfigEntry[DisplayCoordinator]


class DisplayCoordinator(PartialUpdateCoordinator):
    """Coordinator of the state of one display; it sends only status requests."""

    config_entry: DisplayConfigEntry

    def __init__(self, hass: HomeAssistant, entry: DisplayConfigEntry) -> None:
        """Initialize the coordinator."""
        super().__init__(
            hass,
            LOGGER,
            config_entry=entry,
            name=entry.title,
            update_interval=POLL_INTERVAL,
            always_update=False,
        )
        chosen = Dialect(entry.options.get(CONF_DIALECT, Dialect.UNKNOWN))
        known = Dialect(entry.data.get(CONF_DIALECT, Dialect.UNKNOWN))
        fixed = chosen is not Dialect.UNKNOWN
        self.display = Display(
            async_get_clientsession(hass),
            entry.data[CONF_HOST],
            entry.data[CONF_PORT],
            dialect=chosen if fixed else known,
            dialect_is_fixed=fixed,
        )
        self.data = DisplayData()
        self.cast_only = False
        self.memory = EntryMemory(hass, entry, self.display, learns_dialect=not fixed)
        self.display.on_dialect = lambda _: self.memory.remember()
        self.check = IdentityCheck(entry, self.display)
        self.connection = Connection(
            self.display,
            self._on_event,
            self._on_disconnected,
            self._seen,
            self._on_lost,
        )
        self.reader = StatusReader(self)
        self.details = DetailsCoordinator(hass, self)
        self.sleep = SleepControl(self)
        self.history = History(hass, entry.entry_id)
        self.metadata = ArtworkMetadata(
            hass, entry, lambda work: self.async_merge_data(work=work)
        )
        self.last_cast: Cast | None = None
        self.requests = PendingRequests(self.async_update_listeners)
        self._is_fresh = self._was_lost = False
        self._polls = 0

    @property
    def device_id(self) -> str:
        """Return the id of the display and its entities."""
        return self.config_entry.unique_id or self.config_entry.entry_id

    @property
    def macs(self) -> list[str]:
        """Return the MAC addresses of the display, as last verified."""
        return sorted(self.check.macs)

    # Reading

    async def async_first_refresh(self) -> None:
        """Refresh for the first time; a display that is known does not keep Home Assistant from starting."""
        # Any other display may turn out to take nothing but casts.
        if self.hass.is_running or self.display.dialect is not Dialect.FF:
            await self.async_config_entry_first_refresh()
        else:
            await self.history.async_load()
            self.last_update_success = False

    @override
    async def _async_setup(self) -> None:
        """Load the history and read the state, which shows whether the display supports more than casts."""
        await self.history.async_load()
        patience = FIRST_PATIENCE if self.hass.is_running else START_PATIENCE
        deadline = self.hass.loop.time() + patience
        try:
            async with asyncio.timeout_at(deadline):
                await self._async_check_identity()
                device = self.create_task(
                    self.reader.async_update_device(), "device status"
                )
                try:
                    await self.reader.async_update_player()
                except UnexpectedAnswerError:
                    if self.display.dialect is Dialect.FF:
                        raise
        except Dp1Error as err:
            raise self._update_failed(err) from err
        except TimeoutError as err:
            raise self._update_failed(NoAnswerError("no answer in time")) from err
        patience = min(STATE_PATIENCE, deadline - self.hass.loop.time())
        await asyncio.wait({device}, timeout=patience)
        # A display of the 2025 description has neither status.
        if self.display.dialect is not Dialect.FF and device.done():
            err_types = (NotReadyError, RejectedError, UnexpectedAnswerError)
            if self.data.player is None and isinstance(device.result(), err_types):
                self.cast_only = True
                self.update_interval = None
        self._is_fresh = True

    async def _async_check_identity(self) -> None:
        """Check which display answers, before any of its data is used."""
        await self.check.async_ask()
        if not self.check.is_proven and not self.check.is_other and self.check.macs:
            await self.async_read_device()
        self.check.raise_if_other(UpdateFailed)
        self.check.done = True

    @override
    async def _async_update_data(self) -> DisplayData:
        """Fetch what is not pushed; the display stays available after a single lost answer."""
        try:
            await self._async_poll()
        except Dp1Error as err:
            self.connection.missed(err)
            if self.last_update_success and self.connection.was_seen:
                return self.data
            raise self._update_failed(err) from err
        self._seen()
        self.remember()
        return self.data

    async def _async_poll(self) -> None:
        """Read the device, and the player with every second poll while it is also pushed."""
        if self._is_fresh:
            self._is_fresh = False
            return
        if self.cast_only:
            await self.display.probe()
            return
        if not self.check.done:
            await self._async_check_identity()
        if self.connection.connected:
            self._seen()
        self.create_task(self.reader.async_update_device(), "device status")
        is_due = self._polls % PLAYER_EVERY == 0
        self._polls += 1
        if is_due or self.data.player is None or not self.connection.connected:
            await self.reader.async_update_player()

    async def async_read_player(self) -> PlayerStatus | None:
        """Read the player and return its status."""
        if not self.cast_only:
            with translated_errors("display", self.name, self.display.url):
                await self.reader.async_update_player()
        return self.data.player

    async def async_refresh_player(self) -> None:
        """Read the player; an error changes nothing."""
        try:
            await self.reader.async_update_player()
        except Dp1Error as err:
            self.connection.missed(err)
        else:
            self._seen()

    async def async_read_device(self) -> DeviceStatus | None:
        """Read the device status and return it, or the last known one after a timeout."""
        await self._async_wait(self.reader.async_update_device(), "device status")
        return self.data.device

    @callback
    def remember(self) -> None:
        """Store what is useful after a restart."""
        if device := self.reader.device_reply:
            self.memory.remember(self.check.learned(device))
            self.memory.update_device(self.device_id, device)
        else:
            self.memory.remember()

    @callback
    def async_merge_data(self, **changes: Any) -> None:
        """Update some fields of the data."""
        self.set_data(replace(self.data, **changes))

    @callback
    def set_data(self, data: DisplayData) -> None:
        """Set the data, and update the listeners if it has changed."""
        if self.check.is_other:
            return
        if data != self.data:
            before, self.data = self.data, data
            self.async_update_listeners(data.differs_only_in_work(before))
        self.reader.async_follow_up()

    @callback
    def async_handle_cast(self, cast: Cast) -> None:
        """Handle an accepted cast; a display without a status is assumed to show it."""
        self.last_cast = cast
        self.history.add(cast)
        if self.cast_only:
            self.async_merge_data(assumed=cast)

    # Connection

    async def async_run(self) -> None:
        """Keep the connection to the display until canceled."""
        self.create_task(self.details.async_refresh(), "details")
        await self.connection.async_run(has_socket=not self.cast_only)

    @callback
    def _on_event(self, event: Event) -> None:
        """Handle a push; after connecting, the state is read because the display does not push it."""
        if isinstance(event, Connected):
            self._polls = 0
            self.create_task(self.async_refresh(), "snapshot")
            return
        if not self.check.done:
            LOGGER.debug("%s: skipping a push before it is known of whom", self.name)
            return
        match event:
            case PlayerStatus():
                self.reader.async_handle_player(event)
            case DeviceStatus():
                self.reader.async_handle_device(event)
            case PanelStatus():
                self.details.async_merge_data(panel=event)
        if not self.check.is_other:
            self._seen()

    @callback
    def _on_disconnected(self) -> None:
        """Handle a closed connection; the identity has to be checked again."""
        self.check.done = False

    @callback
    def _on_lost(self, err: Dp1Error) -> None:
        """Handle the loss of the display; log it once."""
        self.last_exception = self._update_failed(err)
        if self.last_update_success:
            self.last_update_success = False
            self._was_lost = True
            LOGGER.info("%s is unavailable: %s", self.name, err)
            self.async_update_listeners()

    @callback
    def _seen(self) -> None:
        """Handle an answer or a push; log once that the display is back."""
        self.connection.seen()
        if not self.last_update_success:
            self.last_update_success = True
            if self._was_lost:
                LOGGER.info("%s is back", self.name)
            self.async_update_listeners()
            self.details.async_learn_again()

    def _update_failed(self, err: Dp1Error) -> UpdateFailed:
        """Return the translated error of an update."""
        error = translated(err, "display", self.name, self.display.url)
        return retyped(error, UpdateFailed)

    # Commands

    @asynccontextmanager
    async def async_command(
        self, refresh: Refresh = Refresh.PUSH
    ) -> AsyncIterator[Display]:
        """Send commands to the display, then wait for the state to be updated."""
        self.check.raise_if_other(HomeAssistantError)
        self.reader.player_news.clear()
        try:
            with translated_errors("display", self.name, self.display.url):
                yield self.display
        except HomeAssistantError as err:
            if isinstance(err.__cause__, (NotReadyError, RejectedError)):
                # The player may not be running: update the state at once.
                await self._async_wait(self.async_refresh_player(), "player")
            raise
        if not self.cast_only and refresh is not Refresh.NONE:
            update = self.create_task(self._async_refresh_after(refresh), refresh.name)
            # Some commands wait for the device status before they are sent, perhaps in vain.
            if refresh is not Refresh.DEVICE or not self.reader.is_late(STATE_PATIENCE):
                await asyncio.wait({update}, timeout=STATE_PATIENCE)

    async def _async_refresh_after(self, refresh: Refresh) -> None:
        """Update the state that a command has changed."""
        match refresh:
            case Refresh.PUSH:
                await self.reader.async_wait_for_push()
            case Refresh.PLAYER:
                await self.async_refresh_player()
            case Refresh.DEVICE:
                await self.reader.async_update_device()
            case Refresh.PANEL | Refresh.POLICY:
                await self.details.async_read(Detail[refresh.name])
        if self.data.error_page:
            await self.reader.async_update_device()

    async def _async_wait(self, read: Coroutine[Any, Any, object], name: str) -> None:
        """Wait for a read until a timeout; it then continues in the background."""
        await asyncio.wait({self.create_task(read, name)}, timeout=STATE_PATIENCE)

    def create_task[_T](
        self, target: Coroutine[Any, Any, _T], name: str
    ) -> asyncio.Task[_T]:
        """Create a background task that ends with the entry."""
        return self.config_entry.async_create_background_task(
            self.hass, target, f"{self.name} {name}"
        )

    @property
    def current_item(self) -> PlaylistItem | None:
        """Return the current work, with the metadata that it was cast with if the display omits it."""
        if (player := self.data.player) is None or player.current is None:
            return None
        entry = self.history.current(player)
        return with_manifest(
            player.current, entry.cast if entry else None, self.last_cast
        )

    async def async_set_asleep(self, asleep: bool) -> None:
        """Turn the display off or on."""
        await self.sleep.async_set(asleep)
        self.create_task(self.reader.async_update_device(), "device status")

    async def async_take_screenshot(self) -> None:
        """Take a screenshot."""
        async with self.async_command(Refresh.NONE) as display:
            picture = await display.screenshot(SCREENSHOT_PIXELS, SCREENSHOT_PIXELS)
            if picture is None:
                raise RejectedError("screenshot")
        self.details.async_merge_data(screenshot=Screenshot(picture, dt_util.utcnow()))

    @override
    async def async_shutdown(self) -> None:
        """Stop reading."""
        self.sleep.async_shutdown()
        self.reader.async_shutdown()
        await self.history.async_save()
        await super().async_shutdown()


@callback
def async_displays(hass: HomeAssistant) -> list[DisplayCoordinator]:
    """Return the displays that are set up."""
    return [
        entry.runtime_data
        for entry in hass.config_entries.async_loaded_entries(DOMAIN)
        if entry.data[CONF_KIND] == EntryKind.DISPLAY
    ]
