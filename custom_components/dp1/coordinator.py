"""Coordinators of a display: its state, pushed over a socket, and the details that are polled."""

import asyncio
from collections.abc import AsyncIterator, Coroutine, Iterable, Iterator
from contextlib import asynccontextmanager, contextmanager
from dataclasses import replace
from datetime import datetime, timedelta
from enum import Enum, auto
from typing import Any, Final, override

from homeassistant.config_entries import ConfigEntry
from homeassistant.const import CONF_HOST, CONF_PORT
from homeassistant.core import CALLBACK_TYPE, HomeAssistant, callback
from homeassistant.exceptions import HomeAssistantError
from homeassistant.helpers import device_registry as dr
from homeassistant.helpers.aiohttp_client import async_get_clientsession
from homeassistant.helpers.debounce import Debouncer
from homeassistant.helpers.event import async_call_later
from homeassistant.helpers.update_coordinator import DataUpdateCoordinator, UpdateFailed
from homeassistant.util import dt as dt_util

from .client.display.casts import Cast, Dialect
from .client.display.client import Display
from .client.display.device_status import DeviceStatus, PanelStatus
from .client.display.notifications import Connected, Event
from .client.display.player_status import PlayerStatus
from .client.errors import (
    BusyError,
    Dp1Error,
    NoAnswerError,
    NotReadyError,
    RejectedError,
    TemporaryError,
    UnexpectedAnswerError,
)
from .const import CONF_DIALECT, CONF_FEATURES, CONF_KIND, DOMAIN, LOGGER, EntryKind
from .display.connection import Connection
from .display.details import DetailsCoordinator
from .display.history import History
from .display.identity import IdentityCheck
from .display.metadata import ArtworkMetadata
from .display.sleep import SleepControl
from .display.state import RENDER_PENDING, Detail, DisplayData, Screenshot
from .errors import translated, translated_errors

# Volume, mute and the sleep record are only pushed while the display reaches its maker's
# cloud; and a display takes each read for a person in contact, so not more often.
POLL_INTERVAL = timedelta(seconds=60)
PLAYER_EVERY: Final = 2
# The first refresh takes no longer.
FIRST_PATIENCE: Final = 2.0
# After a command: how long to wait for a push, and for the state to follow in any way.
PUSH_PATIENCE: Final = 0.6
STATE_PATIENCE: Final = 1.0
READ_COOLDOWN: Final = 2.0
# Until what no push tells is read again: that the player is back, or that a work has loaded.
FOLLOW_UP: Final = 7.0
# Without internet, each takes half a minute.
DEVICE_READS_AT_ONCE: Final = 2
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
        self.check = IdentityCheck(entry, self.display)
        self.connection = Connection(
            self.display,
            self._on_event,
            self._on_disconnected,
            self._seen,
            self._on_lost,
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
        self._is_fresh = False
        self._was_lost = False
        self._steps = 0
        self._polls = 0
        self._device_since = 0.0
        self._device_reads = 0
        self._device_reply: DeviceStatus | None = None
        self._pushed: PlayerStatus | None = None
        self._pushes_render_status = False
        self._followed_up: object = None
        self._cancel_follow_up: CALLBACK_TYPE | None = None
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
        """Return the MAC addresses of the display, as last verified."""
        return sorted(self.check.macs)

    @property
    def features(self) -> frozenset[str]:
        """Return what the display has ever shown to have, by the keys of its entities."""
        return frozenset(self.config_entry.data.get(CONF_FEATURES, ()))

    # Reading

    async def async_first_refresh(self) -> None:
        """Refresh for the first time; a display that is known does not keep Home Assistant from starting."""
        if self.hass.is_running or not self.features:
            await self.async_config_entry_first_refresh()
        else:
            await self.history.async_load()
            self.last_update_success = False

    @override
    async def _async_setup(self) -> None:
        """Load the history, and read for the first time, which shows whether the display has more than casts."""
        await self.history.async_load()
        deadline = self.hass.loop.time() + FIRST_PATIENCE
        try:
            async with asyncio.timeout_at(deadline):
                await self._async_check_identity()
                device = self._create_task(self._async_read_device(), "device status")
                try:
                    await self._async_update_player()
                except UnexpectedAnswerError:
                    if self.display.dialect is Dialect.FF:
                        raise
        except Dp1Error as err:
            raise self._update_failed(err) from err
        except TimeoutError as err:
            raise self._update_failed(NoAnswerError("no answer in time")) from err
        patience = min(STATE_PATIENCE, deadline - self.hass.loop.time())
        await asyncio.wait({device}, timeout=patience)
        # A display of the 2025 description has no word for either status.
        if self.display.dialect is not Dialect.FF and device.done():
            err_types = (NotReadyError, RejectedError, UnexpectedAnswerError)
            if self.data.player is None and isinstance(device.result(), err_types):
                self.cast_only = True
                self.update_interval = None
        self._is_fresh = True

    async def _async_check_identity(self) -> None:
        """Check who answers, before anything of it is used."""
        await self.check.async_ask()
        if not self.check.is_proven and not self.check.is_other and self.check.macs:
            await self.async_read_device()
        if self.check.is_other:
            raise self._another_display(UpdateFailed)
        self.check.done = True

    def _another_display[_E: HomeAssistantError](self, kind: type[_E]) -> _E:
        """Return the error for a display that is not the one of the entry."""
        return kind(
            translation_domain=DOMAIN,
            translation_key="another_display",
            translation_placeholders={"name": self.name, "where": self.display.url},
        )

    @override
    async def _async_update_data(self) -> DisplayData:
        """Read what may have changed without a push; one lost answer is not a lost display."""
        try:
            await self._async_poll()
        except Dp1Error as err:
            self.connection.missed(err)
            if self.last_update_success and self.connection.was_seen:
                return self.data
            raise self._update_failed(err) from err
        self._seen()
        self._remember()
        return self.data

    async def _async_poll(self) -> None:
        """Read the device, and at every second poll the player, as pushes tell the rest."""
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
        self._create_task(self._async_read_device(), "device status")
        is_due = self._polls % PLAYER_EVERY == 0
        self._polls += 1
        if is_due or self.data.player is None or not self.connection.connected:
            await self._async_update_player()

    async def _async_update_player(self) -> None:
        """Read the player; a push that came meanwhile is newer than the answer."""
        pushed = self._pushed
        try:
            player = await self.display.player_status()
        except NotReadyError:
            self._set_data(replace(self.data, player=None, set_up=True))
        except RejectedError:
            self._set_data(replace(self.data, player=None, set_up=False))
        except BusyError:
            raise
        except TemporaryError, UnexpectedAnswerError:
            self._set_data(replace(self.data, player=None, set_up=False))
            raise
        else:
            if self._pushed is not None and self._pushed is not pushed:
                player = self._pushed.over(player)
            self._set_data(self._with_player(player))

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
                await self._async_update_player()
        return self.data.player

    async def _async_read_player(self) -> None:
        """Read the player, or leave it as it is."""
        try:
            await self._async_update_player()
        except Dp1Error as err:
            self.connection.missed(err)
        else:
            self._seen()

    async def async_read_device(self) -> DeviceStatus | None:
        """Read the device status, and return the last one known if it does not come in time."""
        await self._async_wait(self._async_read_device(), "device status")
        return self.data.device

    async def _async_read_device(self) -> Dp1Error | None:
        """Read the device status, which nothing waits for: without internet, it takes half a minute."""
        if self._device_reads >= DEVICE_READS_AT_ONCE:
            return None
        began = self.hass.loop.time()
        self._device_reads += 1
        try:
            device = await self.display.device_status()
        except Dp1Error as err:
            LOGGER.debug("%s: reading the device status: %s", self.name, err)
            return err
        finally:
            self._device_reads -= 1
        self._on_device(device, began)
        self._device_reply = device
        self._remember()
        return None

    @callback
    def _on_device(self, device: DeviceStatus, since: float) -> None:
        """Handle a device status, unless a newer one is known."""
        if self.check.check(device) and since >= self._device_since:
            self._device_since = since
            self._set_data(replace(self.data, device=device))

    @callback
    def async_merge_data(self, **changes: Any) -> None:
        """Update some fields of the data."""
        self._set_data(replace(self.data, **changes))

    @callback
    def _set_data(self, data: DisplayData) -> None:
        """Set the data, and update the listeners if it has changed."""
        if self.check.is_other:
            return
        if data != self.data:
            self.data = data
            self.async_update_listeners()
        self._follow_up()

    @callback
    def _follow_up(self) -> None:
        """Read again a little later what is not pushed: that a page was left, or that a work has loaded."""
        player = self.data.player
        waits = not self.cast_only and (player is None or bool(self.data.error_page))
        if player is not None and player.current is not None and not waits:
            work = _work(player)
            if work != self._followed_up and not self._pushes_render_status:
                self._followed_up = work
                waits = player.render_status in RENDER_PENDING
        if waits and self._cancel_follow_up is None:
            self._cancel_follow_up = async_call_later(
                self.hass, FOLLOW_UP, self._on_follow_up
            )

    @callback
    def _on_follow_up(self, _: datetime) -> None:
        """Handle the time to read again."""
        self._cancel_follow_up = None
        if self.last_update_success:
            self._create_task(self._async_read_player(), "player")
            if self.data.error_page:
                self._create_task(self._async_read_device(), "device status")
        else:
            self._follow_up()

    @callback
    def async_handle_cast(self, cast: Cast) -> None:
        """Handle a cast that the display accepted; one that cannot tell is assumed to show it."""
        self.last_cast = cast
        self.history.add(cast)
        if self.cast_only:
            self.async_merge_data(assumed=cast)

    # Connection

    async def async_run(self) -> None:
        """Keep in touch with the display until canceled."""
        self._create_task(self.details.async_refresh(), "details")
        await self.connection.async_run(has_socket=not self.cast_only)

    @callback
    def _on_event(self, event: Event) -> None:
        """Handle a push. There is none on connecting, so what changed before has to be read."""
        if isinstance(event, Connected):
            self._polls = 0
            self._create_task(self.async_refresh(), "snapshot")
            return
        if not self.check.done:
            LOGGER.debug("%s: skipping a push before it is known of whom", self.name)
            return
        match event:
            case PlayerStatus():
                self._on_player(event)
            case DeviceStatus():
                self._on_device(event, self.hass.loop.time())
            case PanelStatus():
                self.details.async_merge_data(panel=event)
        if not self.check.is_other:
            self._seen()

    @callback
    def _on_disconnected(self) -> None:
        """Handle the end of the connection: who answers next has to be checked."""
        self.check.done = False

    @callback
    def _on_player(self, push: PlayerStatus) -> None:
        """Handle a push of the player, and ask for what pushes leave out of another playlist."""
        self._pushed = push
        self._pushes_render_status |= push.render_status is not None
        player = push.over(self.data.player)
        if player.error and player.error != (self.data.player or player).error:
            # It may stand on an error page, which only the device status tells.
            self._create_task(self._async_read_device(), "device status")
        self._set_data(self._with_player(player))
        self._player_news.set()
        if player.items and player.playlist is None:
            self._player_debouncer.async_schedule_call()

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
        """Note a sign of life; log once that the display is back."""
        self.connection.seen()
        if not self.last_update_success:
            self.last_update_success = True
            if self._was_lost:
                LOGGER.info("%s is back", self.name)
            self.async_update_listeners()
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

    @contextmanager
    def steps(self) -> Iterator[None]:
        """Mark what the display shows meanwhile as steps on the way to something else."""
        self._steps += 1
        try:
            yield
        finally:
            self._steps -= 1
            self.async_update_listeners()

    @property
    def in_steps(self) -> bool:
        """Return whether what the display shows is a step on the way to something else."""
        return self._steps > 0

    @asynccontextmanager
    async def async_command(
        self, refresh: Refresh = Refresh.PUSH
    ) -> AsyncIterator[Display]:
        """Send commands to the display, then wait a moment for the state to follow."""
        if self.check.is_other:
            raise self._another_display(HomeAssistantError)
        self._player_news.clear()
        try:
            with translated_errors("display", self.name, self.display.url):
                yield self.display
        except HomeAssistantError as err:
            if isinstance(err.__cause__, (NotReadyError, RejectedError)):
                # Its player may be gone: show that at once.
                await self._async_wait(self._async_read_player(), "player")
            raise
        if not self.cast_only and refresh is not Refresh.NONE:
            await self._async_wait(self._async_refresh_after(refresh), refresh.name)

    async def _async_refresh_after(self, refresh: Refresh) -> None:
        """Read what a command has changed."""
        match refresh:
            case Refresh.PUSH:
                await self._async_wait_for_push()
            case Refresh.PLAYER:
                await self._async_read_player()
            case Refresh.DEVICE:
                await self._async_read_device()
            case Refresh.PANEL:
                await self.details.async_read(Detail.PANEL)
            case Refresh.POLICY:
                await self.details.async_read(Detail.POLICY)
        if self.data.error_page:
            await self._async_read_device()

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

    async def _async_wait(self, read: Coroutine[Any, Any, object], name: str) -> None:
        """Wait a moment for something that is read, which otherwise goes on in the background."""
        await asyncio.wait({self._create_task(read, name)}, timeout=STATE_PATIENCE)

    def _create_task[_T](
        self, target: Coroutine[Any, Any, _T], name: str
    ) -> asyncio.Task[_T]:
        """Create a background task that ends with the entry."""
        return self.config_entry.async_create_background_task(
            self.hass, target, f"{self.name} {name}"
        )

    async def async_set_asleep(self, asleep: bool) -> None:
        """Turn the display off or on."""
        await self.sleep.async_set(asleep)
        self._create_task(self._async_read_device(), "device status")

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
        if self._cancel_follow_up:
            self._cancel_follow_up()
        await self.history.async_save()
        self._player_debouncer.async_shutdown()
        await super().async_shutdown()

    # Registries

    @callback
    def async_add_features(self, features: Iterable[str]) -> None:
        """Remember what the display has shown to have."""
        if new := self.features.union(features) - self.features:
            self._store({CONF_FEATURES: sorted(self.features | new)})

    @callback
    def _remember(self) -> None:
        """Remember what was learned and helps after a restart."""
        learned: dict[str, Any] = {}
        if self.display.dialect is not Dialect.UNKNOWN and not self._dialect_is_chosen:
            learned[CONF_DIALECT] = self.display.dialect.value
        if device := self._device_reply:
            learned |= self.check.learned(device)
            self._update_device(device)
        self._store(learned)

    def _store(self, data: dict[str, Any]) -> None:
        """Store data in the entry."""
        if not data.items() <= self.config_entry.data.items():
            self.hass.config_entries.async_update_entry(
                self.config_entry, data={**self.config_entry.data, **data}
            )

    def _update_device(self, status: DeviceStatus) -> None:
        """Update the firmware version in the device registry."""
        registry = dr.async_get(self.hass)
        device = registry.async_get_device_by_identifier(
            (DOMAIN, self.device_id), self.config_entry.entry_id
        )
        version = status.installed_version
        if device is not None and version and version != device.sw_version:
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
