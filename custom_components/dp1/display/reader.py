"""Reads of the player and the device status, merged with pushes; the newer one counts."""

import asyncio
from collections.abc import Coroutine
from dataclasses import replace
from datetime import datetime
from typing import Any, Final, Protocol

from homeassistant.core import CALLBACK_TYPE, HomeAssistant, callback
from homeassistant.helpers.debounce import Debouncer
from homeassistant.helpers.event import async_call_later
from homeassistant.util import dt as dt_util

from ..client.display.client import Display
from ..client.display.device_status import DeviceStatus
from ..client.display.player_status import PlayerStatus
from ..client.errors import (
    BusyError,
    Dp1Error,
    NotReadyError,
    RejectedError,
    TemporaryError,
    UnexpectedAnswerError,
)
from ..const import LOGGER
from .identity import IdentityCheck
from .metadata import ArtworkMetadata
from .state import RENDER_PENDING, DisplayData

# How long a command waits for the push that follows it.
PUSH_PATIENCE: Final = 0.6
READ_COOLDOWN: Final = 2.0
# Delay until what is not pushed is read again: that the player is back, or that a work has loaded.
FOLLOW_UP: Final = 7.0
# Without internet, each read takes half a minute.
DEVICE_READS_AT_ONCE: Final = 2


class ReadDisplay(Protocol):
    """Protocol of the coordinator of a display, as far as it is used here."""

    hass: HomeAssistant
    name: str
    data: DisplayData
    display: Display
    check: IdentityCheck
    metadata: ArtworkMetadata
    cast_only: bool
    last_update_success: bool

    def set_data(self, data: DisplayData) -> None:
        """Set the data."""

    def remember(self) -> None:
        """Store what is useful after a restart."""

    async def async_refresh_player(self) -> None:
        """Read the player; an error changes nothing."""

    def create_task(self, target: Coroutine[Any, Any, Any], name: str) -> Any:
        """Create a background task."""


class StatusReader:
    """Reads the player and the device of one display.

    Attributes:
        device_reply: the last device status that was read, not pushed.
        player_news: set by each push of the player.
    """

    def __init__(self, coordinator: ReadDisplay) -> None:
        """Initialize the reader."""
        self.device_reply: DeviceStatus | None = None
        self.player_news = asyncio.Event()
        self._coordinator = coordinator
        self._device_since = 0.0
        # When the reads began that are not done yet.
        self._device_reads: list[float] = []
        self._pushed: PlayerStatus | None = None
        self._pushes_render_status = False
        self._followed_up: object = None
        self._cancel_follow_up: CALLBACK_TYPE | None = None
        self._debouncer = Debouncer(
            coordinator.hass,
            LOGGER,
            cooldown=READ_COOLDOWN,
            immediate=True,
            function=coordinator.async_refresh_player,
            background=True,
        )

    async def async_update_player(self) -> None:
        """Read the player; a push during the read is newer than the answer."""
        coordinator = self._coordinator
        pushed = self._pushed
        try:
            player = await coordinator.display.player_status()
        except NotReadyError:
            self._set_no_player(set_up=True)
        except RejectedError:
            self._set_no_player(set_up=False)
        except BusyError:
            raise
        except TemporaryError, UnexpectedAnswerError:
            self._set_no_player(set_up=False)
            raise
        else:
            if self._pushed is not None and self._pushed is not pushed:
                player = self._pushed.over(player)
            self._set_player(player)

    async def async_update_device(self) -> Dp1Error | None:
        """Read the device status, and return the error if that fails."""
        coordinator = self._coordinator
        if len(self._device_reads) >= DEVICE_READS_AT_ONCE:
            return None
        began = coordinator.hass.loop.time()
        self._device_reads.append(began)
        try:
            device = await coordinator.display.device_status()
        except Dp1Error as err:
            LOGGER.debug("%s: reading the device status: %s", coordinator.name, err)
            return err
        finally:
            self._device_reads.remove(began)
        self._set_device(device, began)
        self.device_reply = device
        coordinator.remember()
        return None

    def is_late(self, patience: float) -> bool:
        """Return whether a device status takes longer than a number of seconds."""
        now = self._coordinator.hass.loop.time()
        return any(now - began >= patience for began in self._device_reads)

    @callback
    def async_handle_player(self, push: PlayerStatus) -> None:
        """Handle a push of the player; what it omits of a new playlist is read."""
        coordinator = self._coordinator
        before = coordinator.data.player
        self._pushed = push
        self._pushes_render_status |= push.render_status is not None
        player = push.over(before)
        if player.error and (before is None or player.error != before.error):
            # It may show an error page, which is only in the device status.
            coordinator.create_task(self.async_update_device(), "device status")
        self._set_player(player)
        if player.items and player.playlist is None:
            self._debouncer.async_schedule_call()
        self.player_news.set()

    async def async_wait_for_push(self) -> None:
        """Wait for a push of the player; read it if none comes, as when nothing has changed."""
        try:
            async with asyncio.timeout(PUSH_PATIENCE):
                await self.player_news.wait()
        except TimeoutError:
            await self._coordinator.async_refresh_player()

    @callback
    def async_handle_device(self, push: DeviceStatus) -> None:
        """Handle a push of the device."""
        self._set_device(push, self._coordinator.hass.loop.time())

    @callback
    def async_follow_up(self) -> None:
        """Schedule a read of what is not pushed: that a page was left, or that a work has loaded."""
        data = self._coordinator.data
        player = data.player
        waits = not self._coordinator.cast_only and (
            player is None or bool(data.error_page)
        )
        if player is not None and player.current is not None and not waits:
            work = (player.playlist_url, player.current.id or player.current.title)
            if work != self._followed_up and not self._pushes_render_status:
                self._followed_up = work
                waits = player.render_status in RENDER_PENDING
        if waits and self._cancel_follow_up is None:
            self._cancel_follow_up = async_call_later(
                self._coordinator.hass, FOLLOW_UP, self._on_follow_up
            )

    @callback
    def async_shutdown(self) -> None:
        """Stop reading."""
        self._debouncer.async_shutdown()
        if self._cancel_follow_up:
            self._cancel_follow_up()

    @callback
    def _on_follow_up(self, _: datetime) -> None:
        """Read again."""
        self._cancel_follow_up = None
        coordinator = self._coordinator
        if not coordinator.last_update_success:
            self.async_follow_up()
            return
        coordinator.create_task(coordinator.async_refresh_player(), "player")
        if coordinator.data.error_page:
            coordinator.create_task(self.async_update_device(), "device status")

    def _set_player(self, player: PlayerStatus) -> None:
        """Set the player status, noting when the current work changes."""
        coordinator = self._coordinator
        data = coordinator.data
        since = data.shown_since
        if data.player is not None and _work(data.player) != _work(player):
            since = dt_util.utcnow()
        coordinator.set_data(
            DisplayData(
                player=player,
                device=data.device,
                work=coordinator.metadata.work(player.current),
                shown_since=since,
                assumed=data.assumed,
            )
        )

    def _set_no_player(self, set_up: bool) -> None:
        """Set that there is no player."""
        coordinator = self._coordinator
        coordinator.set_data(replace(coordinator.data, player=None, set_up=set_up))

    def _set_device(self, device: DeviceStatus, since: float) -> None:
        """Set the device status, unless a newer one is known."""
        coordinator = self._coordinator
        if coordinator.check.check(device) and since >= self._device_since:
            self._device_since = since
            coordinator.set_data(replace(coordinator.data, device=device))


def _work(player: PlayerStatus) -> tuple[str | None, str | None, str | None]:
    """Return what identifies a work."""
    if (item := player.current) is None:
        return (None, None, None)
    return (player.playlist_url, item.id, item.title)
