"""Coordinators of a display: its state, pushed over a socket, and the details that are polled."""

import asyncio
from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager, contextmanager, suppress
from dataclasses import replace
from datetime import timedelta
from enum import Enum, auto
from typing import Any, Final, override

from homeassistant.config_entries import ConfigEntry
from homeassistant.const import CONF_HOST, CONF_PORT
from homeassistant.core import HomeAssistant, callback
from homeassistant.exceptions import HomeAssistantError
from homeassistant.helpers import device_registry as dr
from homeassistant.helpers.aiohttp_client import async_get_clientsession
from homeassistant.helpers.debounce import Debouncer
from homeassistant.helpers.update_coordinator import DataUpdateCoordinator, UpdateFailed
from homeassistant.util import dt as dt_util

from .client.display.casts import Cast, Dialect
from .client.display.client import Display
from .client.display.device_status import DeviceStatus, Identity, PanelStatus
from .client.display.notifications import Connected, Event
from .client.display.player_status import PlayerStatus, PlaylistItem
from .client.errors import (
    BusyError,
    Dp1Error,
    NoAnswerError,
    NotReadyError,
    RejectedError,
    TemporaryError,
    UnexpectedAnswerError,
)
from .const import CONF_DIALECT, CONF_KIND, CONF_MACS, DOMAIN, LOGGER, EntryKind
from .display.connection import Connection
from .display.details import DetailsCoordinator
from .display.history import History
from .display.metadata import ArtworkMetadata, with_manifest
from .display.sleep import SleepControl
from .display.state import Detail, DisplayData, Screenshot
from .errors import translated, translated_errors

# Volume, mute and the sleep record are only pushed while the display reaches its maker's
# cloud; and a display takes each read for a person in contact, so not more often.
POLL_INTERVAL = timedelta(seconds=60)
PLAYER_EVERY: Final = 2
START_PATIENCE: Final = 2.0
PUSH_PATIENCE: Final = 1.0
READ_COOLDOWN: Final = 2.0

# On either side at most: enough to see a work, and not tens of megabytes.
SCREENSHOT_PIXELS: Final = 1920

type DisplayConfigEntry = ConfigEntry[DisplayCoordinator]


class Refresh(Enum):
    """What to read again after a command."""

    NONE = auto()
    PUSH = auto()
    PLAYER = auto()
    DEVICE = auto()
    PANEL = auto()
    POLICY = auto()


class DisplayCoordinator(DataUpdateCoordinator[DisplayData]):
    """Coordinator of the state of one display; it sends nothing but status reads."""

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
        self.display.on_dialect = lambda _: self._remember()
        self.data = DisplayData()
        self.cast_only = False
        self.connection = Connection(
            self.display, self._on_event, self._on_seen, self._on_lost
        )
        self.details = DetailsCoordinator(hass, self)
        self.sleep = SleepControl(self)
        self.history = History(hass, entry.entry_id)
        self.metadata = ArtworkMetadata(
            hass, entry, lambda work: self.async_merge_data(work=work)
        )
        self.last_cast: Cast | None = None
        # Of the casts that were requested at the same time, the last counts.
        self.cast_asked = 0
        self._pending_casts: dict[int, asyncio.Event] = {}
        # Each "next" counts from where the one before led, and waits for it.
        self.step_lock = asyncio.Lock()
        self._dialect_is_chosen = fixed
        self._is_other = False
        self._polls = 0
        self._device_since = 0.0
        self._pushed: PlayerStatus | None = None
        self._player_news = asyncio.Event()
        self._player_debouncer = Debouncer(
            hass,
            LOGGER,
            cooldown=READ_COOLDOWN,
            immediate=True,
            function=self._async_read_player,
            background=True,
        )

    @property
    def device_id(self) -> str:
        """Return the id of the display and its entities."""
        return self.config_entry.unique_id or self.config_entry.entry_id

    @property
    def macs(self) -> list[str]:
        """Return the hardware addresses of the display, as last reported."""
        return list(self.config_entry.data.get(CONF_MACS, ()))

    # Reading

    @override
    async def _async_setup(self) -> None:
        """Load the history, and identify the display before anything of it is used."""
        await self.history.async_load()
        # A display that does not answer must not keep Home Assistant from starting.
        patience = None if self.hass.is_running else START_PATIENCE
        try:
            async with asyncio.timeout(patience):
                identity = await self._async_identify()
        except Dp1Error as err:
            raise self._update_failed(err) from err
        except TimeoutError as err:
            raise self._update_failed(NoAnswerError("no answer in time")) from err
        if identity is not None and (expected := self.config_entry.unique_id):
            if identity.device_id and identity.device_id != expected:
                raise self._another_display(UpdateFailed)
        self.data = replace(self.data, identity=identity)

    async def _async_identify(self) -> Identity | None:
        """Ask for the identity, which firmware before 2.0 does not have."""
        try:
            return await self.display.identify()
        except RejectedError, UnexpectedAnswerError:
            return None

    @override
    async def _async_update_data(self) -> DisplayData:
        """Read what may have changed without a push; one lost answer is not a lost display."""
        try:
            await self._async_poll()
        except Dp1Error as err:
            if self.connection.was_seen:
                self.connection.missed(err)
                if self.last_update_success:
                    return self.data
            raise self._update_failed(err) from err
        self._seen()
        self._remember()
        self._update_device()
        return self.data

    async def _async_poll(self) -> None:
        """Read the device, and at every second poll the player, as pushes tell the rest."""
        if self.cast_only:
            await self.display.probe()
            return
        try:
            device = await self._async_device()
        except (NotReadyError, RejectedError, UnexpectedAnswerError) as err:
            if self.connection.was_seen or not await self._async_only_takes_playlists():
                raise
            LOGGER.debug("%s only takes playlists: %s", self.name, err)
            self.cast_only = True
            self.update_interval = None
            return
        self._check_macs(device)
        self._set_data(replace(self.data, device=device))
        self._polls += 1
        if self._polls % PLAYER_EVERY == 1 or self.data.player is None:
            self._set_data(await self._async_with_player())

    async def _async_device(self) -> DeviceStatus:
        """Read the device status; what was asked for or pushed later is newer than the answer."""
        began = self.hass.loop.time()
        device = await self.display.device_status()
        if self.data.device is not None and began < self._device_since:
            return self.data.device
        self._device_since = began
        return device

    async def _async_only_takes_playlists(self) -> bool:
        """Tell a display of the 2025 description, which has no status, from one out of order."""
        if self.display.dialect is not Dialect.FF:
            with suppress(NotReadyError, RejectedError, UnexpectedAnswerError):
                await self.display.player_status()
        return self.display.dialect is not Dialect.FF

    def _check_macs(self, device: DeviceStatus) -> None:
        """Raise if another display has been given this address meanwhile."""
        macs = set(map(dr.format_mac, device.mac_info.values()))
        self._is_other = bool(macs and self.macs) and macs.isdisjoint(self.macs)
        if self._is_other:
            raise self._another_display(UpdateFailed)

    def _another_display[_E: HomeAssistantError](self, kind: type[_E]) -> _E:
        """Return the error for a display that is not the one of the entry."""
        return kind(
            translation_domain=DOMAIN,
            translation_key="another_display",
            translation_placeholders={"name": self.name, "where": self.display.url},
        )

    async def _async_with_player(self) -> DisplayData:
        """Read the player; a push that came meanwhile is newer than the answer."""
        pushed = self._pushed
        try:
            player = await self.display.player_status()
        except NotReadyError:
            return replace(self.data, player=None, set_up=True)
        except BusyError:
            return self.data
        except RejectedError, TemporaryError, UnexpectedAnswerError:
            return replace(self.data, player=None, set_up=False)
        if self._pushed is not None and self._pushed is not pushed:
            player = self._pushed.over(player)
        return self._with_player(player)

    def _with_player(self, player: PlayerStatus) -> DisplayData:
        """Return the data with a player status, noting when the current work changes."""
        since = self.data.shown_since
        if self.data.player is not None and _work(self.data.player) != _work(player):
            since = dt_util.utcnow()
        return replace(
            self.data,
            player=player,
            work=self.metadata.work(player.current),
            shown_since=since,
            set_up=False,
        )

    async def async_read_player(self) -> PlayerStatus | None:
        """Read the player now, and return its status."""
        if not self.cast_only:
            with translated_errors("display", self.name, self.display.url):
                self._publish(await self._async_with_player())
        return self.data.player

    async def _async_read_player(self) -> None:
        """Read the player, or leave it as it is."""
        try:
            self._publish(await self._async_with_player())
        except Dp1Error as err:
            LOGGER.debug("%s: reading the player: %s", self.name, err)

    async def async_read_device(self) -> None:
        """Read the device status, or leave it as it is."""
        try:
            device = await self._async_device()
        except Dp1Error as err:
            LOGGER.debug("%s: reading the device status: %s", self.name, err)
        else:
            self.async_merge_data(device=device)

    @callback
    def async_merge_data(self, **changes: Any) -> None:
        """Update some fields of the data."""
        self._publish(replace(self.data, **changes))

    @callback
    def _publish(self, data: DisplayData) -> None:
        """Set the data and update the listeners, without delaying the next poll."""
        if self._is_other:
            return
        returned = not self.last_update_success
        self._seen()
        if not self._set_data(data) and returned:
            self.async_update_listeners()

    def _set_data(self, data: DisplayData) -> bool:
        """Set the data, and update the listeners if it has changed."""
        if data == self.data:
            return False
        self.data = data
        self.async_update_listeners()
        return True

    @callback
    def async_handle_cast(self, cast: Cast) -> None:
        """Handle a cast that the display accepted; one that cannot tell is assumed to show it."""
        self.last_cast = cast
        self.history.add(cast)
        if self.cast_only:
            self._publish(replace(self.data, assumed=cast))

    # Connection

    async def async_run(self) -> None:
        """Keep in touch with the display until canceled."""
        self.config_entry.async_create_background_task(
            self.hass, self.details.async_refresh(), f"{self.name} details"
        )
        await self.connection.async_run(has_socket=not self.cast_only)

    @callback
    def _on_event(self, event: Event) -> None:
        """Handle a push."""
        match event:
            case _ if self._is_other and not isinstance(event, Connected):
                LOGGER.debug("%s: skipping what another display says", self.name)
            case Connected():
                # There is no snapshot on connecting: what changed before has to be asked for.
                self._polls = 0
                self.config_entry.async_create_background_task(
                    self.hass, self.async_refresh(), f"{self.name} snapshot"
                )
            case PlayerStatus():
                self._on_player(event)
            case DeviceStatus():
                self._device_since = self.hass.loop.time()
                self._publish(replace(self.data, device=event))
            case PanelStatus():
                self._seen()
                self.details.async_merge_data(panel=event)

    @callback
    def _on_player(self, push: PlayerStatus) -> None:
        """Handle a push of the player, and ask for what pushes leave out of another playlist."""
        self._pushed = push
        player = push.over(self.data.player)
        self._publish(self._with_player(player))
        self._player_news.set()
        if player.items and player.playlist is None:
            self._player_debouncer.async_schedule_call()

    @callback
    def _on_seen(self) -> None:
        """Handle a successful probe."""
        self._publish(self.data)

    @callback
    def _on_lost(self, err: Dp1Error) -> None:
        """Handle the loss of the display; log it once."""
        if self.last_update_success:
            self.last_update_success = False
            self.last_exception = self._update_failed(err)
            LOGGER.info("%s is unavailable: %s", self.name, err)
            self.async_update_listeners()

    @callback
    def _seen(self) -> None:
        """Note a sign of life; log once that the display is back."""
        self.connection.seen()
        if not self.last_update_success:
            self.last_update_success = True
            LOGGER.info("%s is back", self.name)
            self.details.async_learn_again()

    def _update_failed(self, err: Dp1Error) -> UpdateFailed:
        """Translate an error for the base class and its users."""
        reason = translated(err, "display", self.name, self.display.url)
        return UpdateFailed(
            translation_domain=DOMAIN,
            translation_key=reason.translation_key,
            translation_placeholders=reason.translation_placeholders,
        )

    # Commands

    @contextmanager
    def pending_cast(self, asked: int | None) -> Iterator[None]:
        """Let later requests that concern the current playlist wait for a cast that is being prepared."""
        if asked is None or asked in self._pending_casts:
            yield
            return
        self._pending_casts[asked] = done = asyncio.Event()
        try:
            yield
        finally:
            del self._pending_casts[asked]
            done.set()

    async def async_wait_for_casts(self) -> None:
        """Wait for the casts that were requested before now."""
        for done in list(self._pending_casts.values()):
            await done.wait()

    @asynccontextmanager
    async def async_command(
        self, refresh: Refresh = Refresh.PUSH
    ) -> AsyncIterator[Display]:
        """Send commands to the display, then read again what they change."""
        if self._is_other:
            raise self._another_display(HomeAssistantError)
        self._player_news.clear()
        with translated_errors("display", self.name, self.display.url):
            yield self.display
        if self.cast_only:
            return
        match refresh:
            case Refresh.PUSH:
                await self._async_wait_for_push()
            case Refresh.PLAYER:
                await self._async_read_player()
            case Refresh.DEVICE:
                await self.async_read_device()
            case Refresh.PANEL:
                await self.details.async_read(Detail.PANEL)
            case Refresh.POLICY:
                await self.details.async_read(Detail.POLICY)

    async def _async_wait_for_push(self) -> None:
        """Wait for the push that follows a command; read the player if none comes, as when nothing changed."""
        try:
            async with asyncio.timeout(PUSH_PATIENCE):
                await self._player_news.wait()
        except TimeoutError:
            await self._async_read_player()

    async def async_wait_for_player(self) -> None:
        """Wait for news of the player."""
        self._player_news.clear()
        await self._async_wait_for_push()

    @property
    def current_item(self) -> PlaylistItem | None:
        """Return the current work, with what it was cast with where the display leaves that out."""
        if (player := self.data.player) is None or player.current is None:
            return None
        entry = self.history.current(player)
        return with_manifest(
            player.current, entry.cast if entry else None, self.last_cast
        )

    async def async_set_asleep(self, asleep: bool) -> None:
        """Turn the display off or on."""
        await self.sleep.async_set(asleep)

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
        await self.history.async_save()
        self._player_debouncer.async_shutdown()
        await super().async_shutdown()

    # Registries

    @callback
    def _remember(self) -> None:
        """Store in the entry what was learned and helps after a restart."""
        learned: dict[str, object] = {}
        if self.display.dialect is not Dialect.UNKNOWN and not self._dialect_is_chosen:
            learned[CONF_DIALECT] = self.display.dialect.value
        if (device := self.data.device) and device.mac_info:
            learned[CONF_MACS] = sorted(map(dr.format_mac, device.mac_info.values()))
        if not learned.items() <= self.config_entry.data.items():
            self.hass.config_entries.async_update_entry(
                self.config_entry, data={**self.config_entry.data, **learned}
            )

    @callback
    def _update_device(self) -> None:
        """Update the firmware version in the device registry."""
        registry = dr.async_get(self.hass)
        device = registry.async_get_device_by_identifier(
            (DOMAIN, self.device_id), self.config_entry.entry_id
        )
        if device is not None and self.data.device is not None:
            version = self.data.device.installed_version
            if version and version != device.sw_version:
                registry.async_update_device(device.id, sw_version=version)


@callback
def async_displays(hass: HomeAssistant) -> list[DisplayCoordinator]:
    """Return the displays that are set up."""
    return [
        entry.runtime_data
        for entry in hass.config_entries.async_loaded_entries(DOMAIN)
        if entry.data[CONF_KIND] == EntryKind.DISPLAY
    ]


def _work(player: PlayerStatus) -> tuple[str | None, str | None, str | None]:
    """Return what tells one work from another."""
    if (item := player.current) is None:
        return (None, None, None)
    return (player.playlist_url, item.id, item.title)
