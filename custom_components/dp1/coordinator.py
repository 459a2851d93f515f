"""Coordinator of a display: its state as it is pushed and polled, and the commands that change it."""

import asyncio
from collections.abc import AsyncIterator, Coroutine, Iterable, Mapping
from contextlib import asynccontextmanager
from dataclasses import replace
from datetime import datetime, timedelta
from enum import Enum, auto
from typing import Any, Final, override

from homeassistant.components.media_player import DOMAIN as MEDIA_PLAYER_DOMAIN
from homeassistant.config_entries import ConfigEntry
from homeassistant.core import HomeAssistant, callback
from homeassistant.exceptions import HomeAssistantError
from homeassistant.helpers import (
    device_registry as dr,
    entity_registry as er,
    issue_registry as ir,
)
from homeassistant.helpers.event import async_track_time_interval
from homeassistant.helpers.update_coordinator import DataUpdateCoordinator, UpdateFailed
from homeassistant.util import dt as dt_util

from .client.display.client import Dialect, Display
from .client.display.device_status import DeviceStatus, PanelStatus
from .client.display.notifications import Frame
from .client.display.player_status import PlayerStatus
from .client.errors import (
    BusyError,
    Dp1Error,
    NotReadyError,
    RejectedError,
    TemporaryError,
    UnexpectedAnswerError,
    UnreachableError,
    WantsPairingError,
)
from .client.playlist.playlist import Playlist
from .const import CONF_DIALECT, CONF_FEATURES, CONF_MACS, DOMAIN, LOGGER
from .display.connection import Connection
from .display.discovery import macs_of
from .display.hung import Hung
from .display.metadata import ArtworkMetadata, sent_item, work_of
from .display.power import Power
from .display.reads import DeviceReads, OptionalReads, PlayerReads, Refresh
from .display.state import NO_TROUBLE, DisplayData, Screenshot, work_key
from .display.wall import async_wall
from .errors import retyped, translated, translated_errors

# Seconds between two reads of what is only pushed while a display reaches its vendor's cloud. A display takes each
# read for a person in contact, so it is not polled more often.
POLL_INTERVAL: Final = 60.0
# Seconds for the first refresh of a display.
FIRST_PATIENCE: Final = 2.0
# Seconds that a command has for the state to follow.
STATE_PATIENCE: Final = 1.0
# Seconds that a command has for the push that follows it.
PUSH_PATIENCE: Final = 0.6
# Maximum width and height.
SCREENSHOT_PIXELS: Final = 1920
type DisplayConfigEntry = ConfigEntry[DisplayCoordinator]


class Contact(Enum):
    """The display that answers, by how sure that is."""

    # Nothing has been read yet.
    NEW = auto()
    # The connection was closed since the last check.
    UNCHECKED = auto()
    # As far as its MAC addresses tell, it is the display of the entry.
    PROBABLE = auto()
    # Its device id is that of the entry.
    PROVEN = auto()
    OTHER = auto()


CHECKED: Final = (Contact.PROBABLE, Contact.PROVEN)


class DisplayCoordinator(DataUpdateCoordinator[DisplayData]):
    """Coordinator of the state of one display; by itself, it sends only status requests.

    Attributes:
        display: what it asks and tells.
        contact: which display answers.
        cast_only: whether the display takes nothing but casts, and cannot tell what it shows.
        is_stopped: whether its entry is unloaded, or being so.
        wall: what lasts on it.
        requests: those of its wall.
        history: that of its wall.
        connection: the socket, or probes of a display without one.
        metadata: the current work as the libraries have it.
        power: its sleep, and the schedule of that.
    """

    config_entry: DisplayConfigEntry

    def __init__(
        self, hass: HomeAssistant, entry: DisplayConfigEntry, display: Display
    ) -> None:
        """Initialize the coordinator."""
        super().__init__(
            hass,
            LOGGER,
            config_entry=entry,
            name=entry.title,
            always_update=False,
        )
        self.display = display
        self.data = DisplayData()
        self.contact = Contact.NEW
        self.cast_only = self.is_stopped = False
        self.wall = async_wall(hass, entry.entry_id)
        self.wall.async_set_up(self.async_update_listeners)
        self.requests, self.history = self.wall.requests, self.wall.history
        self.connection = Connection(self.display, self)
        self.metadata = ArtworkMetadata(hass, entry, self.display, self._update_work)
        self.power = Power(self)
        self._player = PlayerReads(hass, self.display, self.async_refresh_player)
        self._device = DeviceReads(self.display)
        self._optional = OptionalReads(self.display)

    @property
    def device_id(self) -> str:
        """Return the id of the display and its entities."""
        return self.config_entry.unique_id or self.config_entry.entry_id

    @property
    def entry_id(self) -> str:
        """Return the id of the config entry."""
        return self.config_entry.entry_id

    @property
    def entity_id(self) -> str | None:
        """Return the entity id of its media player, if it is registered."""
        return er.async_get(self.hass).async_get_entity_id(
            MEDIA_PLAYER_DOMAIN, DOMAIN, self.device_id
        )

    @property
    def assumed(self) -> Hung | None:
        """Return what a display is assumed to show that cannot tell."""
        return self.wall.hung if self.cast_only else None

    @property
    def macs(self) -> list[str]:
        """Return the MAC addresses of the display, as last verified."""
        return sorted(self.config_entry.data.get(CONF_MACS, ()))

    @callback
    def async_set(self, **changes: Any) -> None:
        """Change fields of the state, whether they were pushed, read or looked up, and update the listeners if it differs."""
        if self.contact is Contact.OTHER or self.is_stopped:
            return
        if (data := replace(self.data, **changes)) == self.data:
            return
        if self.last_update_success:
            self.async_set_updated_data(data)
        else:
            # What is said of a display that is not there does not bring it back.
            self.data = data
            self.async_update_listeners()

    # Polls

    async def async_first_refresh(self) -> None:
        """Refresh for the first time; one of an earlier start does not keep Home Assistant from starting."""
        await self.wall.async_load()
        # Any other display may turn out to take nothing but casts.
        if self.hass.is_running or self.display.dialect is not Dialect.FF:
            await self.async_config_entry_first_refresh()
        else:
            self.contact = Contact.UNCHECKED
            self.last_update_success = False

    @override
    async def _async_update_data(self) -> DisplayData:
        """Fetch the data that is not pushed; the display stays available after a single lost answer."""
        try:
            if self.contact is Contact.NEW:
                await self._async_read_first()
            else:
                await self._async_poll()
        except Dp1Error as err:
            self.connection.missed(err)
            if self.last_update_success and self.connection.was_seen:
                return self.data
            raise self._update_failed(err) from err
        self.on_seen()
        self._remember()
        return self.data

    async def _async_read_first(self) -> None:
        """Read the state, which shows whether the display supports more than casts."""
        deadline = self.hass.loop.time() + FIRST_PATIENCE
        try:
            async with asyncio.timeout_at(deadline):
                await self._async_check_identity()
                device = self.create_task(self.async_update_device(), "device status")
                try:
                    await self._async_update_player()
                except UnexpectedAnswerError:
                    if self.display.dialect is Dialect.FF:
                        raise
        except TimeoutError as err:
            raise UnreachableError("no answer in time") from err
        patience = min(STATE_PATIENCE, deadline - self.hass.loop.time())
        await asyncio.wait({device}, timeout=patience)
        # A display of the 2025 description has neither status.
        if self.display.dialect is not Dialect.FF and device.done():
            err_types = (NotReadyError, RejectedError, UnexpectedAnswerError)
            if self.data.player is None and isinstance(device.result(), err_types):
                self.cast_only = True

    async def _async_poll(self) -> None:
        """Read the device and the player, which pushes no settings that older firmware does not know."""
        if self.cast_only:
            await self.display.probe()
            return
        await self._async_check_identity()
        if self.connection.connected:
            self.on_seen()
        self.schedule_device_read()
        await self._async_update_player()

    async def _async_poll_again(self, _: datetime) -> None:
        """Read what is only polled, unless a person has turned polling off."""
        if not self.config_entry.pref_disable_polling:
            self._schedule_polled_reads()
            await self.async_refresh()

    # Identity

    async def _async_check_identity(self) -> None:
        """Check which display answers, before any of its data is used or a command is sent to it."""
        if self.contact in CHECKED:
            return
        try:
            identity = await self.display.identify()
        except WantsPairingError:
            raise
        except RejectedError, UnexpectedAnswerError:
            identity = None
        device_id = identity.device_id if identity else ""
        expected = self.config_entry.unique_id
        if device_id and expected:
            same = device_id == expected
            self.contact = Contact.PROVEN if same else Contact.OTHER
        else:
            self.contact = Contact.UNCHECKED
            if self.macs:
                await self.async_read_device()
        if self.contact is Contact.OTHER:
            raise UpdateFailed(
                translation_domain=DOMAIN,
                translation_key="another_display",
                translation_placeholders={
                    "name": self.config_entry.title,
                    "where": self.display.url,
                },
            )
        if self.contact is Contact.UNCHECKED:
            self.contact = Contact.PROBABLE
        self.async_set(identity=identity)

    # What is kept in the entry and the device registry

    @property
    def features(self) -> frozenset[str]:
        """Return the features that were ever detected, by the keys of their entities."""
        return frozenset(self.config_entry.data.get(CONF_FEATURES, ()))

    @callback
    def async_add_features(self, features: Iterable[str]) -> None:
        """Store detected features."""
        self._store({CONF_FEATURES: sorted(self.features.union(features))})

    @callback
    def _remember(self) -> None:
        """Store the dialect, the MAC addresses and the firmware for the next start."""
        changes: dict[str, Any] = {}
        dialect = self.display.dialect
        if not self.display.dialect_is_fixed and dialect is not Dialect.UNKNOWN:
            changes[CONF_DIALECT] = dialect.value
        if device := self.data.device:
            macs = sorted(macs_of(device))
            if macs and self.contact in CHECKED:
                changes[CONF_MACS] = macs
            self._update_firmware(device.installed_version)
        self._store(changes)

    def _update_firmware(self, version: str | None) -> None:
        """Update the firmware version in the device registry."""
        registry = dr.async_get(self.hass)
        device = registry.async_get_device_by_identifier(
            (DOMAIN, self.device_id), self.config_entry.entry_id
        )
        if device is not None and version and version != device.sw_version:
            registry.async_update_device(device.id, sw_version=version)

    def _store(self, changes: Mapping[str, Any]) -> None:
        """Store data in the entry."""
        data = self.config_entry.data
        if not changes.items() <= data.items():
            self.hass.config_entries.async_update_entry(
                self.config_entry, data={**data, **changes}
            )

    # The player

    async def async_read_player(self) -> PlayerStatus | None:
        """Read the player and return its status."""
        if not self.cast_only:
            with translated_errors("display", self.name, self.display.url):
                await self._async_update_player()
        return self.data.player

    async def async_refresh_player(self) -> None:
        """Read the player; an error changes nothing."""
        try:
            await self._async_update_player()
        except UpdateFailed as err:
            self.async_set_update_error(err)
        except Dp1Error as err:
            self.connection.missed(err)
        else:
            self.on_seen()

    async def _async_update_player(self) -> None:
        """Read the player; a push during the read is newer than the answer."""
        await self._async_check_identity()
        try:
            player = await self._player.async_read()
        except NotReadyError:
            self._set_player(None, set_up=True)
        except RejectedError:
            self._set_player(None)
        except BusyError:
            raise
        except TemporaryError, UnexpectedAnswerError:
            # What is pushed meanwhile counts.
            if not self.connection.connected:
                self._set_player(None)
            raise
        else:
            self._set_player(player)

    @callback
    def _handle_player(self, pushed: PlayerStatus, since: float) -> None:
        """Handle a push of the player, unless it was read since; the fields it omits of a new playlist are read."""
        before = self.data.player
        if (player := self._player.push(pushed, since, before)) is None:
            return
        if player.error and (before is None or player.error != before.error):
            # It may show an error page, which is only in the device status.
            self.schedule_device_read()
        self._set_player(player)
        if player.items and player.playlist is None:
            self._player.read_again.async_schedule_call()
        self._player.was_pushed.set()

    async def _async_wait_for_push(self, index: int | None = None) -> None:
        """Wait for a push of the player; read it if none comes, as when nothing has changed.

        A push can have been under way before a command. To an index, wait until one tells of it.
        """
        try:
            async with asyncio.timeout(PUSH_PATIENCE):
                await self._player.was_pushed.wait()
                while index is not None and (
                    self.data.player is None or self.data.player.index != index
                ):
                    self._player.was_pushed.clear()
                    await self._player.was_pushed.wait()
        except TimeoutError:
            await self.async_refresh_player()

    async def async_wait_for_next_push(self) -> None:
        """Wait for a push that is still to come; read the player if none comes."""
        self._player.was_pushed.clear()
        await self._async_wait_for_push()

    def _set_player(self, player: PlayerStatus | None, set_up: bool = False) -> None:
        """Set the player status, noting when the current work changes."""
        if self.contact is Contact.OTHER or self.is_stopped:
            return
        before = self.data.player
        self._follow(player)
        changes = self._art(player)
        if player is None or before is None or work_key(player) != work_key(before):
            appeared = dt_util.utcnow() if player and before else None
            changes |= {"shown_since": appeared} | NO_TROUBLE
        self.async_set(player=player, set_up=set_up, **changes)

    @callback
    def _update_work(self) -> None:
        """Update the current work from the libraries."""
        self._follow(self.data.player)
        self.async_set(**self._art(self.data.player))

    def _follow(self, player: PlayerStatus | None) -> None:
        """Note what a player shows, and look up what is not known of that."""
        # What is cast may be pushed before it is taken, without the works that are left out of it.
        if player is not None and not self.requests.in_steps:
            self.history.note(player)
        self.metadata.follow(player)

    def _shown(self, player: PlayerStatus | None) -> Playlist | None:
        """Return what was cast of what a player shows, if that is known."""
        entry = self.history.current(player) if player else None
        return entry.shown if entry else None

    def _art(self, player: PlayerStatus | None) -> dict[str, Any]:
        """Return the fields of the state about the current work of a player."""
        if player is None:
            return {"work": None}
        playlist = self._shown(player)
        hung = self.wall.hung
        item = sent_item(player, playlist, hung.shown if hung else None)
        work = self.metadata.work
        language = self.hass.config.language
        return {
            "work": item
            and work_of(item, work, player.playlist, language, player.playlist_title),
        }

    # The device

    async def async_read_device(self) -> DeviceStatus | None:
        """Read the device status and return it, or the last one after a timeout."""
        await self._async_wait(self.async_update_device(), "device status")
        return self.data.device

    @callback
    def schedule_device_read(self) -> None:
        """Read the device status in the background."""
        self.create_task(self.async_update_device(), "device status")

    async def async_update_device(self) -> Dp1Error | None:
        """Read the device status, and return the error if that fails."""
        if self._device.is_busy:
            return None
        try:
            device, began = await self._device.async_read()
        except Dp1Error as err:
            LOGGER.debug("%s: reading the device status: %s", self.name, err)
            return err
        if began >= self._device.since:
            self._set_device(device, began)
        elif device != self.data.device:
            # Which is newer, this or what came meanwhile, nobody can tell.
            self.schedule_device_read()
        self._remember()
        return None

    def _set_device(self, device: DeviceStatus, since: float) -> None:
        """Set the device status, unless its MAC addresses are those of another display than the one that gives no id."""
        macs, stored = macs_of(device), self.macs
        if macs and stored and self.contact is not Contact.PROVEN:
            if macs.isdisjoint(stored):
                self.contact = Contact.OTHER
            elif self.contact is Contact.OTHER:
                self.contact = Contact.UNCHECKED
        if self.contact is not Contact.OTHER:
            self._device.since = since
            self.async_set(device=device)

    @callback
    def async_assume_device(self, **changes: Any) -> None:
        """Assume a change that the display has accepted, until it is read: without internet, that takes half a minute."""
        if (device := self.data.device) is not None:
            self._set_device(replace(device, **changes), self.hass.loop.time())

    # What is read only while an entity shows it

    @callback
    def _schedule_polled_reads(self) -> None:
        """Schedule the optional reads in the background."""
        self.create_task(self.async_read_optional(), "details")

    async def async_read_optional(self) -> None:
        """Read optional data: each once, and again while entities show it."""
        async with self._optional.lock:
            if self.cast_only:
                return
            if not self.last_update_success:
                self._optional.forget()
                return
            fields = set(self.async_contexts())
            for name in self._optional.due(self.data.device, fields):
                self.async_set(**await self._optional.async_read(name))

    # Connection

    def async_run(self) -> Coroutine[Any, Any, None]:
        """Keep the connection to the display until canceled, and poll beside it: a push puts off no poll."""
        self._schedule_polled_reads()
        if not self.cast_only:
            self.config_entry.async_on_unload(
                async_track_time_interval(
                    self.hass,
                    self._async_poll_again,
                    timedelta(seconds=POLL_INTERVAL),
                    name=f"{self.name} poll",
                    cancel_on_shutdown=True,
                )
            )
        # Each push would pass through a coroutine of its own.
        return self.connection.async_run(has_socket=not self.cast_only)

    @callback
    def on_connected(self) -> None:
        """Read the state, which a display does not push by itself."""
        self.create_task(self.async_refresh(), "snapshot")

    @callback
    def on_frames(self, frames: Iterable[tuple[Frame, float]]) -> None:
        """Handle pushed frames."""
        if self.contact not in CHECKED:
            LOGGER.debug("%s: skipping a push of nobody knows whom", self.name)
            return
        for frame, since in frames:
            match frame:
                case PlayerStatus():
                    self._handle_player(frame, since)
                case DeviceStatus():
                    if since >= self._device.since:
                        self._set_device(frame, since)
                case PanelStatus():
                    self.async_set(panel=frame)
        if not self.last_update_success and self.contact in CHECKED:
            self.on_seen()

    @callback
    def on_disconnected(self) -> None:
        """Handle a closed connection; the identity has to be checked again."""
        if self.contact is not Contact.OTHER:
            self.contact = Contact.UNCHECKED

    @callback
    def on_lost(self, err: Dp1Error) -> None:
        """Handle the loss of the display; log it once."""
        self.on_disconnected()
        self.last_exception = self._update_failed(err)
        if self.last_update_success:
            self.last_update_success = False
            LOGGER.info("%s is unavailable: %s", self.name, err)
            self.async_update_listeners()

    @callback
    def on_seen(self) -> None:
        """Handle an answer or a push; log once that the display is back."""
        was_seen = self.connection.was_seen
        self.connection.seen()
        if not self.last_update_success:
            self.last_update_success = True
            if was_seen:
                LOGGER.info("%s is back", self.name)
            self._set_wants_pairing(False)
            self.async_update_listeners()
            self._optional.forget()
            self._schedule_polled_reads()

    def _update_failed(self, err: Dp1Error) -> UpdateFailed:
        """Return the translated error of an update."""
        if isinstance(err, WantsPairingError):
            self._set_wants_pairing(True)
        error = translated(err, "display", self.name, self.display.url)
        return retyped(error, UpdateFailed)

    # Commands

    @asynccontextmanager
    async def async_command(
        self, refresh: Refresh = Refresh.PUSH, index: int | None = None
    ) -> AsyncIterator[Display]:
        """Send commands to the display, then wait for the state to be updated, for a step until it is at its index."""
        self._player.was_pushed.clear()
        try:
            with translated_errors("display", self.name, self.display.url):
                await self._async_check_identity()
                yield self.display
        except HomeAssistantError as err:
            if isinstance(err.__cause__, (NotReadyError, RejectedError)):
                # The player may not be running: update the state at once.
                await self._async_wait(self.async_refresh_player(), "player")
            raise
        if not self.cast_only and refresh is not Refresh.NONE:
            update = self.create_task(
                self._async_refresh_after(refresh, index), refresh.name
            )
            # Some commands wait for the device status before they are sent, perhaps in vain.
            if refresh is not Refresh.DEVICE or not self._device.wait_longer_than(
                STATE_PATIENCE
            ):
                await asyncio.wait({update}, timeout=STATE_PATIENCE)

    async def async_show_item(self, index: int) -> None:
        """Show a work of the playlist, counted from 0 in playing order."""
        async with self.async_command(index=index) as display:
            await display.show_item(index)

    async def _async_refresh_after(self, refresh: Refresh, index: int | None) -> None:
        """Update the state that a command has changed."""
        match refresh:
            case Refresh.PUSH:
                await self._async_wait_for_push(index)
            case Refresh.PLAYER:
                await self.async_refresh_player()
            case Refresh.DEVICE:
                await self.async_update_device()
            case Refresh.PANEL | Refresh.POLICY | Refresh.OFFLINE:
                self.async_set(**await self._optional.async_read(refresh))
        if self.data.error_page:
            await self.async_update_device()

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

    @callback
    def async_handle_cast(
        self, hung: Hung, wake: bool = False, *, goes_on: bool = False
    ) -> None:
        """Handle an accepted cast; a display without a status is assumed to show it.

        Args:
            hung: what was accepted.
            wake: whether the display may be woken if it turns out not to show it.
            goes_on: whether the current work goes on in the new list.
        """
        if self.is_stopped:
            return
        self.wall.hung, self.requests.may_wake = hung, wake
        self.history.add(hung)
        if self.cast_only:
            self.async_update_listeners()
        elif (player := self.data.player) is not None:
            # Its cast has what the display omits; what was shown already starts anew, too.
            self.metadata.follow(player)
            starts = {} if goes_on else {"shown_since": dt_util.utcnow()} | NO_TROUBLE
            self.async_set(**self._art(player), **starts)

    @callback
    def _set_wants_pairing(self, is_there: bool) -> None:
        """Create or delete the issue of a display that wants to be paired."""
        issue_id = f"wants_pairing_{self.device_id}"
        if not is_there:
            ir.async_delete_issue(self.hass, DOMAIN, issue_id)
            return
        ir.async_create_issue(
            self.hass,
            DOMAIN,
            issue_id,
            is_fixable=False,
            severity=ir.IssueSeverity.WARNING,
            translation_key="wants_pairing",
            translation_placeholders={"name": self.name},
        )

    async def async_take_screenshot(self) -> None:
        """Take a screenshot."""
        async with self.async_command(Refresh.NONE) as display:
            picture = await display.screenshot(SCREENSHOT_PIXELS)
            if picture is None:
                raise RejectedError("screenshot")
        self.async_set(screenshot=Screenshot(picture, dt_util.utcnow()))

    @override
    async def async_shutdown(self) -> None:
        """Stop reading."""
        self.is_stopped = True
        await super().async_shutdown()
        self._player.read_again.async_shutdown()
        await self.wall.async_save()
