"""Coordinator of a display: its state as it is pushed and polled, and the commands that change it."""

import asyncio
from collections.abc import (
    AsyncIterator,
    Awaitable,
    Callable,
    Coroutine,
    Iterable,
    Iterator,
    Mapping,
)
from contextlib import asynccontextmanager, contextmanager, suppress
from dataclasses import dataclass, replace
from datetime import datetime, timedelta
from enum import Enum, StrEnum, auto
from itertools import count
import re
from typing import Any, Final, override

from homeassistant.components.media_player import DOMAIN as MEDIA_PLAYER_DOMAIN
from homeassistant.config_entries import ConfigEntry, ConfigEntryState
from homeassistant.const import CONF_HOST, CONF_PORT
from homeassistant.core import CALLBACK_TYPE, HomeAssistant, callback
from homeassistant.exceptions import ConfigEntryNotReady, HomeAssistantError
from homeassistant.helpers import (
    device_registry as dr,
    entity_registry as er,
    issue_registry as ir,
)
from homeassistant.helpers.debounce import Debouncer
from homeassistant.helpers.event import async_call_later
from homeassistant.helpers.update_coordinator import DataUpdateCoordinator, UpdateFailed
from homeassistant.util import dt as dt_util

from .client.display.client import Dialect, Display
from .client.display.device_status import (
    DAYS,
    ContentPolicy,
    DeviceStatus,
    Identity,
    Metrics,
    OfflineCache,
    PanelStatus,
    PlaybackCounters,
    SleepSchedule,
)
from .client.display.notifications import Frame
from .client.display.player_status import DeviceSettings, PlayerStatus, PlaylistItem
from .client.display.recent import RecentWork
from .client.display.transport import RateLimit
from .client.errors import (
    BusyError,
    Dp1Error,
    NoAnswerError,
    NotReadyError,
    RejectedError,
    TemporaryError,
    UnexpectedAnswerError,
    UnreachableError,
    WantsPairingError,
)
from .client.playlist.manifest import Artist
from .client.playlist.playlist import Playlist
from .const import (
    CONF_DIALECT,
    CONF_FEATURES,
    CONF_IGNORE_MUSIC,
    CONF_KIND,
    CONF_MACS,
    DOMAIN,
    LOGGER,
    EntryKind,
)
from .display.connection import SILENCE, Connection
from .display.discovery import macs_of
from .display.history import History
from .display.metadata import ArtworkMetadata, sent_item, work_of
from .errors import action_failed, invalid_input, retyped, translated, translated_errors
from .guard import async_session
from .library.work import Work

# How many times as many commands are sent as a real display admits; only a simulator takes more.
PACE: Final = 1.0
# Seconds between two reads of what is only pushed while a display reaches its vendor's cloud. A display takes each
# read for a person in contact, so it is not polled more often.
POLL_INTERVAL: Final = 60.0
# Seconds for the first refresh of a display.
FIRST_PATIENCE: Final = 2.0
# The same while Home Assistant starts, which tries again as soon as it has started.
START_PATIENCE: Final = 0.5
# Seconds that a command has for the state to follow.
STATE_PATIENCE: Final = 1.0
# Seconds that a command has for the push that follows it.
PUSH_PATIENCE: Final = 0.6
# Seconds between two reads of the player.
READ_COOLDOWN: Final = 2.0
# Seconds until what is not pushed is read again: that the player is back, or that a work has loaded.
FOLLOW_UP: Final = 7.0
# Seconds until a work that is shown beyond its end is taken to be shown again or to stay.
END_PATIENCE: Final = 5.0

PLAYER_EVERY: Final = 2
# How often a work that loads is looked at, until it is taken for one that never does.
LOOKS: Final = 4
# Without internet, each read takes half a minute.
DEVICE_READS_AT_ONCE: Final = 2
# How often a display is told to sleep or wake, and how often its state is then checked.
SLEEP_TRIES: Final = 2
SLEEP_CHECKS: Final = 4
WAKES_TO_ISSUE: Final = 3
# Maximum width and height.
SCREENSHOT_PIXELS: Final = 1920
RENDER_LOADING: Final = (0, 1)
RENDER_PENDING: Final = (None, *RENDER_LOADING)
RENDER_FAILED: Final = 3
# A reason that is a word rather than a message.
SLUG: Final = re.compile("[a-z_]+")

# Numbers requests in the order they were made, as some take longer than others to prepare.
REQUEST_NUMBERS = count(1)

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


class Refresh(StrEnum):
    """Extent of the reading after a command."""

    NONE = auto()
    PUSH = auto()
    PLAYER = auto()
    DEVICE = auto()
    PANEL = auto()
    POLICY = auto()
    OFFLINE = auto()


@dataclass(frozen=True, slots=True)
class Screenshot:
    """A screenshot of a display, as PNG."""

    picture: bytes
    taken_at: datetime


@dataclass(frozen=True, slots=True, kw_only=True)
class DisplayData:
    """State of a display.

    Attributes:
        player: what it plays, None while its player shows another page.
        work: the current work, as the display, its cast and the libraries have it.
        shown_since: when the current work was seen to appear, None if it was there before.
        stalled: whether the current work has not loaded for long.
        set_up: whether the display shows its set-up screen instead of art.
        assumed: the last successful cast to a display that cannot tell what it shows.
        device: the device behind the player.
        panel: the monitor; this and what follows is only read while an entity shows it, and None until then.
        metrics: load and temperatures.
        counters: playback counters, also None if the display does not count.
        policy: which works its owner lets through.
        offline: the works it keeps.
        screenshot: the last one.
    """

    player: PlayerStatus | None = None
    work: Work | None = None
    shown_since: datetime | None = None
    stalled: bool = False
    set_up: bool = False
    assumed: Playlist | None = None
    device: DeviceStatus | None = None
    panel: PanelStatus | None = None
    metrics: Metrics | None = None
    counters: PlaybackCounters | None = None
    policy: ContentPolicy | None = None
    offline: OfflineCache | None = None
    screenshot: Screenshot | None = None

    @property
    def settings(self) -> DeviceSettings | None:
        """Return the settings of the player."""
        return self.player.settings if self.player else None

    @property
    def error_page(self) -> str | None:
        """Return the reason on the error page, if there is one; only a wake command leaves it."""
        return self.device.error_page if self.device else None

    @property
    def asleep(self) -> bool | None:
        """Return whether the display sleeps, preferably as the player reports it."""
        if self.player is not None and self.player.asleep is not None:
            return self.player.asleep
        if self.device is not None and (record := self.device.sleep_schedule):
            return record.asleep
        return None

    @property
    def problem(self) -> str | None:
        """Return why the work does not hang; empty if it does, None if that is unknown."""
        player = self.player
        if self.error_page:
            return self.error_page
        if self.set_up:
            return None
        if player is None:
            return "no_player"
        if player.render_status == RENDER_FAILED:
            return "render_failed"
        if player.error or not player.ok:
            error = player.error or "not_ok"
            # What the daemon says when the player does not answer is for its makers.
            return error if player.items or SLUG.fullmatch(error) else "no_player"
        return "not_loading" if self.stalled and self.is_loading else ""

    @property
    def is_loading(self) -> bool:
        """Return whether the current work is said to be loading."""
        player = self.player
        return (
            player is not None
            and player.current is not None
            and player.render_status in RENDER_LOADING
            and not self.asleep
        )


# What not every display has, by its field of the state: how it is read, and after how many polls again while an entity
# shows it. The panel is slow, and each new value of the counters is a row in the database.
OPTIONAL: Final[Mapping[str, tuple[Callable[[Display], Awaitable[object]], int]]] = {
    "counters": (Display.counters, 15),
    "metrics": (Display.metrics, 1),
    "policy": (Display.content_policy, 5),
    "offline": (Display.offline_cache, 1),
    "panel": (Display.panel_status, 5),
}


class PendingRequests:
    """The requests to one display, in the order they were made.

    Attributes:
        step_lock: held for a step in the queue, which counts from where the one before led.
    """

    def __init__(self, on_steps_done: Callable[[], None]) -> None:
        """Initialize without requests."""
        self.step_lock = asyncio.Lock()
        self._on_steps_done = on_steps_done
        self._casts: dict[int, asyncio.Event] = {}
        self._steps = 0

    @contextmanager
    def pending_cast(self, number: int) -> Iterator[None]:
        """Let later requests that concern the current playlist wait for a cast that is being prepared."""
        if number in self._casts:
            yield
            return
        self._casts[number] = done = asyncio.Event()
        try:
            yield
        finally:
            del self._casts[number]
            done.set()

    async def async_wait_for_casts(self) -> None:
        """Wait for the casts that were requested before now."""
        for done in list(self._casts.values()):
            await done.wait()

    @contextmanager
    def steps(self) -> Iterator[None]:
        """Mark the works shown meanwhile as steps on the way to something else."""
        self._steps += 1
        try:
            yield
        finally:
            self._steps -= 1
            self._on_steps_done()

    @property
    def is_preparing(self) -> bool:
        """Return whether a cast is being prepared, of which nothing was sent yet."""
        return bool(self._casts) and not self._steps

    @property
    def in_steps(self) -> bool:
        """Return whether the work on the display is a step on the way to something else."""
        return self._steps > 0


class DisplayCoordinator(DataUpdateCoordinator[DisplayData]):
    """Coordinator of the state of one display; by itself, it sends only status requests.

    Attributes:
        display: the client.
        contact: which display answers.
        cast_only: whether the display takes nothing but casts, and cannot tell what it shows.
        identity: as the display gives it, None with firmware that does not.
        requests: the casts and steps that are under way.
        last_cast: the last accepted one.
        last_sleep_request: number of the last request to sleep or wake.
    """

    config_entry: DisplayConfigEntry

    def __init__(self, hass: HomeAssistant, entry: DisplayConfigEntry) -> None:
        """Initialize the coordinator."""
        super().__init__(
            hass,
            LOGGER,
            config_entry=entry,
            name=entry.title,
            update_interval=timedelta(seconds=POLL_INTERVAL),
            always_update=False,
        )
        chosen = Dialect(entry.options.get(CONF_DIALECT, Dialect.UNKNOWN))
        stored = Dialect(entry.data.get(CONF_DIALECT, Dialect.UNKNOWN))
        fixed = chosen is not Dialect.UNKNOWN
        self.display = Display(
            async_session(hass),
            entry.data[CONF_HOST],
            entry.data[CONF_PORT],
            dialect=chosen if fixed else stored,
            dialect_is_fixed=fixed,
            rate_limit=RateLimit(pace=PACE),
        )
        self.display.on_dialect = lambda _: self._remember()
        self.data = DisplayData()
        self.cast_only = False
        self.identity: Identity | None = None
        self.requests = PendingRequests(self.async_update_listeners)
        self.last_cast: Playlist | None = None
        self.last_sleep_request = 0
        self.connection = Connection(
            self.display,
            self._on_connected,
            self._on_frames,
            self._on_disconnected,
            self._seen,
            self._on_lost,
            self._on_flood,
        )
        self.history = History(hass, entry.entry_id)
        self.metadata = ArtworkMetadata(
            hass,
            entry,
            self._async_ask_for_work,
            self._update_work,
            self.async_update_listeners,
        )
        self._remembers_works = True
        self.contact = Contact.NEW
        self._failed_wakes = 0
        self._polls = 0
        # The last push of the player, when it came, and since when the player is as it is.
        self._pushed: PlayerStatus | None = None
        self._pushed_at = self._player_since = 0.0
        self._was_pushed = asyncio.Event()
        self._followed_up: tuple[object, ...] | None = None
        self._looks = 0
        # Whether a cast may wake the display if it turns out to stand on its error page.
        self._wakes_for_cast = False
        self._cancel_follow_up: CALLBACK_TYPE | None = None
        self._end: asyncio.TimerHandle | None = None
        self._player_reads = Debouncer(
            hass,
            LOGGER,
            cooldown=READ_COOLDOWN,
            immediate=True,
            function=self.async_refresh_player,
            background=True,
        )
        # The last device status that was read, not pushed; when that or a push was asked for, and the reads under way.
        self._device_reply: DeviceStatus | None = None
        self._device_since = 0.0
        self._device_reads: list[float] = []
        # Which optional reads have succeeded or been refused, with which firmware.
        self._learned: set[str] = set()
        self._firmware: str | None = None
        self._rounds = 0
        self._optional_lock = asyncio.Lock()

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
    def macs(self) -> list[str]:
        """Return the MAC addresses of the display, as last verified."""
        return sorted(self.config_entry.data.get(CONF_MACS, ()))

    @property
    def signed_by(self) -> str | None:
        """Return the signer of the current playlist, if the signature is good."""
        player = self.data.player
        entry = self.history.current(player) if player else None
        return self.metadata.signer.name(player, entry.playlist if entry else None)

    @callback
    def async_set(self, **changes: Any) -> None:
        """Change fields of the state, and update the listeners if it differs.

        A push puts off no poll, which reads what is not pushed.
        """
        if self.contact is Contact.OTHER or self._shutdown_requested:
            return
        before, self.data = self.data, replace(self.data, **changes)
        if self.data != before:
            self.async_update_listeners()
        self._follow_up()
        if self._end is None and self.data.shown_since is not None:
            self._watch_end()

    # Polls

    async def async_first_refresh(self) -> None:
        """Refresh for the first time; one of an earlier start does not keep Home Assistant from starting."""
        await self.history.async_load()
        # Any other display may turn out to take nothing but casts.
        if self.hass.is_running or self.display.dialect is not Dialect.FF:
            try:
                await self.async_config_entry_first_refresh()
            except ConfigEntryNotReady as err:
                if err.__cause__ and isinstance(err.__cause__.__cause__, SILENCE):
                    self._set_up_on_answer()
                raise
        else:
            self.contact = Contact.UNCHECKED
            self.last_update_success = False

    @callback
    def _set_up_on_answer(self) -> None:
        """Set the display up once it answers: Home Assistant waits for minutes, and so may the record in mDNS."""
        entry, entries = self.config_entry, self.hass.config_entries

        async def wait() -> None:
            """Wait for the display."""
            try:
                await self.connection.async_wait_for_answer()
            finally:
                stop()
            entries.async_schedule_reload(entry.entry_id)

        @callback
        def handle_state() -> None:
            """Wait no more once the entry is set up again, or removed."""
            if entry.state is not ConfigEntryState.SETUP_RETRY:
                waiting.cancel()

        stop = entry.async_on_state_change(handle_state)
        waiting = self.hass.async_create_background_task(wait(), f"{self.name} answer")

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
        self._seen()
        self._remember()
        return self.data

    async def _async_read_first(self) -> None:
        """Read the state, which shows whether the display supports more than casts."""
        patience = FIRST_PATIENCE if self.hass.is_running else START_PATIENCE
        deadline = self.hass.loop.time() + patience
        try:
            async with asyncio.timeout_at(deadline):
                await self._async_check_identity()
                device = self.create_task(self._async_update_device(), "device status")
                try:
                    await self._async_update_player()
                except UnexpectedAnswerError:
                    if self.display.dialect is Dialect.FF:
                        raise
        except TimeoutError as err:
            raise NoAnswerError("no answer in time") from err
        patience = min(STATE_PATIENCE, deadline - self.hass.loop.time())
        await asyncio.wait({device}, timeout=patience)
        # A display of the 2025 description has neither status.
        if self.display.dialect is not Dialect.FF and device.done():
            err_types = (NotReadyError, RejectedError, UnexpectedAnswerError)
            if self.data.player is None and isinstance(device.result(), err_types):
                self.cast_only = True
                self.update_interval = None

    async def _async_poll(self) -> None:
        """Read the device, and the player with every second poll while it is also pushed."""
        if self.cast_only:
            await self.display.probe()
            return
        await self._async_check_identity()
        if self.connection.connected:
            self._seen()
        self.create_task(self._async_update_device(), "device status")
        if self._polls:
            self._schedule_polled_reads()
        is_due = self._polls % PLAYER_EVERY == 0 or self._pushes_lack_settings()
        self._polls += 1
        if is_due or self.data.player is None or not self.connection.connected:
            await self._async_update_player()

    def _pushes_lack_settings(self) -> bool:
        """Return whether settings of the player are not pushed, as by firmware 1.x."""
        pushed, settings = self._pushed, self.data.settings
        offered = pushed.settings.offered if pushed and pushed.settings else frozenset()
        return settings is not None and not settings.offered <= offered

    # Identity

    async def _async_check_identity(self) -> None:
        """Check which display answers, before any of its data is used or a command is sent to it."""
        if self.contact in CHECKED:
            return
        try:
            self.identity = await self.display.identify()
        except WantsPairingError:
            raise
        except RejectedError, UnexpectedAnswerError:
            self.identity = None
        device_id = self.identity.device_id if self.identity else ""
        expected = self.config_entry.unique_id
        if device_id and expected:
            same = device_id == expected
            self.contact = Contact.PROVEN if same else Contact.OTHER
        else:
            self.contact = Contact.UNCHECKED
            if self.macs:
                await self.async_read_device()
        if self._is_other:
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

    def _is_ours(self, device: DeviceStatus) -> bool:
        """Return whether a device status can be that of the display, by its MAC addresses if it gives no id."""
        macs, stored = macs_of(device), self.macs
        if macs and stored and self.contact is not Contact.PROVEN:
            if macs.isdisjoint(stored):
                self.contact = Contact.OTHER
            elif self.contact is Contact.OTHER:
                self.contact = Contact.UNCHECKED
        return not self._is_other

    @property
    def _is_other(self) -> bool:
        """Return whether another display answers than that of the entry."""
        return self.contact is Contact.OTHER

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
        if device := self._device_reply:
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
            self._seen()

    async def _async_update_player(self) -> None:
        """Read the player; a push during the read is newer than the answer."""
        await self._async_check_identity()
        began = self.hass.loop.time()
        try:
            player = await self.display.player_status()
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
            if self._pushed is not None and self._pushed_at >= began:
                player = self._pushed.over(player)
            self._player_since = max(self._player_since, began)
            self._set_player(player)

    @callback
    def _handle_player(self, player: PlayerStatus, since: float) -> None:
        """Handle a push of the player, unless it was read since; the fields it omits of a new playlist are read."""
        if since < self._player_since:
            return
        before, self._pushed = self.data.player, player
        self._pushed_at = self._player_since = since
        player = player.over(before)
        if player.error and (before is None or player.error != before.error):
            # It may show an error page, which is only in the device status.
            self.create_task(self._async_update_device(), "device status")
        self._set_player(player)
        if player.items and player.playlist is None:
            self._player_reads.async_schedule_call()
        self._was_pushed.set()

    async def _async_wait_for_push(self, index: int | None = None) -> None:
        """Wait for a push of the player; read it if none comes, as when nothing has changed.

        A push can have been under way before a command. To an index, wait until one tells of it.
        """
        try:
            async with asyncio.timeout(PUSH_PATIENCE):
                await self._was_pushed.wait()
                while index is not None and not self._is_at(index):
                    self._was_pushed.clear()
                    await self._was_pushed.wait()
        except TimeoutError:
            await self.async_refresh_player()

    def _is_at(self, index: int) -> bool:
        """Return whether the player is at the work with an index."""
        return self.data.player is not None and self.data.player.index == index

    def _set_player(self, player: PlayerStatus) -> None:
        """Set the player status, noting when the current work changes."""
        if self.contact is Contact.OTHER or self._shutdown_requested:
            return
        before, changes = self.data.player, {}
        if before is not None and _work_key(player) != _work_key(before):
            changes = {"shown_since": dt_util.utcnow(), "stalled": False}
        work = self._work(player)
        self.async_set(player=player, work=work, set_up=False, **changes)

    @callback
    def _update_work(self) -> None:
        """Update the current work from the libraries."""
        if (player := self.data.player) is not None:
            self.async_set(work=self._work(player))

    def _work(self, player: PlayerStatus) -> Work | None:
        """Return the current work of a player."""
        entry = self.history.current(player)
        item = sent_item(player, entry.playlist if entry else None, self.last_cast)
        work = self.metadata.work(player.current)
        language = self.hass.config.language
        return work_of(item, work, player.playlist, language) if item else None

    async def async_recently_shown(self) -> tuple[RecentWork, ...]:
        """Return the works that the display itself remembers; one that refused once gets no second request."""
        if not self._remembers_works or self.cast_only:
            return ()
        try:
            return await self.display.recently_shown()
        except RejectedError:
            self._remembers_works = False
        except Dp1Error as err:
            LOGGER.debug("%s does not tell what it has shown: %s", self.name, err)
        return ()

    async def _async_ask_for_work(self, item: PlaylistItem) -> Work | None:
        """Return the current work as the display remembers it: whoever cast it may have named the artist."""
        for record in await self.async_recently_shown():
            if record.is_active and record.work_id == item.id:
                artists = (Artist(record.artist),) if record.artist else ()
                return Work(artists=artists, picture=record.picture)
        return None

    def _set_no_player(self, set_up: bool) -> None:
        """Set that there is no player."""
        self.async_set(
            player=None, work=None, shown_since=None, stalled=False, set_up=set_up
        )

    @callback
    def _follow_up(self) -> None:
        """Schedule a read of facts that are not pushed: that a page was left, or that a work has loaded."""
        data, player = self.data, self.data.player
        if player is None or data.error_page:
            waits = not self.cast_only
        elif player.current is not None and _work_key(player) != self._followed_up:
            self._followed_up, self._looks = _work_key(player), 0
            waits = player.render_status in RENDER_PENDING
        else:
            waits = 0 < self._looks < LOOKS and data.is_loading
        if waits and self._cancel_follow_up is None:
            self._cancel_follow_up = async_call_later(
                self.hass, FOLLOW_UP, self._on_follow_up
            )

    @callback
    def _on_follow_up(self, _: datetime) -> None:
        """Read again."""
        self._cancel_follow_up = None
        if not self.last_update_success:
            self._follow_up()
            return
        player = self.data.player
        if (
            player is None
            or self.data.error_page
            or player.render_status in RENDER_PENDING
        ):
            self.create_task(self._async_look_again(), "player")

    async def _async_look_again(self) -> None:
        """Read the player again, and look why a work has not loaded.

        A display that stands on its error page says of a cast that it is loading; only the device status tells.
        """
        await self.async_refresh_player()
        if self.data.error_page or self.data.is_loading:
            await self._async_update_device()
        if not self.data.is_loading:
            return
        if self.data.error_page and self._wakes_for_cast:
            self._wakes_for_cast = False
            with suppress(HomeAssistantError):
                async with self.async_command(Refresh.DEVICE) as display:
                    await display.wake()
            return
        self._looks += 1
        if self._looks >= LOOKS:
            self.async_set(stalled=True)
        else:
            self._follow_up()

    @callback
    def _watch_end(self) -> None:
        """Count anew when the duration of a work is over and it is shown again, which displays do not push."""
        self._end = None
        player, since = self.data.player, self.data.shown_since
        item = player.current if player else None
        if player is None or item is None or not item.duration or since is None:
            return
        over = (dt_util.utcnow() - since).total_seconds() - item.duration
        if over < END_PATIENCE:
            self._end = self.hass.loop.call_later(END_PATIENCE - over, self._watch_end)
        elif player.loop_mode == "one" or (
            player.loop_mode == "playlist" and len(player.items) == 1
        ):
            rounds = 1 + over // item.duration
            since += timedelta(seconds=rounds * item.duration)
            self.async_set(shown_since=since)
        else:
            # It is held, or it ends in another way that cannot be known.
            self.async_set(shown_since=None)

    # The device

    async def async_read_device(self) -> DeviceStatus | None:
        """Read the device status and return it, or the last one after a timeout."""
        await self._async_wait(self._async_update_device(), "device status")
        return self.data.device

    async def _async_update_device(self) -> Dp1Error | None:
        """Read the device status, and return the error if that fails."""
        if len(self._device_reads) >= DEVICE_READS_AT_ONCE:
            return None
        began = self.hass.loop.time()
        self._device_reads.append(began)
        try:
            device = await self.display.device_status()
        except Dp1Error as err:
            LOGGER.debug("%s: reading the device status: %s", self.name, err)
            return err
        finally:
            self._device_reads.remove(began)
        if began >= self._device_since:
            self._set_device(device, began)
        elif device != self.data.device:
            # Which is newer, this or what came meanwhile, nobody can tell.
            self.create_task(self._async_update_device(), "device status")
        self._device_reply = device
        self._remember()
        return None

    def _set_device(self, device: DeviceStatus, since: float) -> None:
        """Set the device status, and since when it is so."""
        if self._is_ours(device):
            self._device_since = since
            self.async_set(device=device)

    @callback
    def async_assume_device(self, **changes: Any) -> None:
        """Assume a change that the display has accepted, until it is read: without internet, that takes half a minute."""
        if (device := self.data.device) is not None:
            self._device_since = self.hass.loop.time()
            self.async_set(device=replace(device, **changes))

    # What is read only while an entity shows it

    @callback
    def _schedule_polled_reads(self) -> None:
        """Schedule the optional reads in the background."""
        self.create_task(self.async_read_optional(), "details")

    async def async_read_optional(self) -> None:
        """Read optional data: each once, and again while entities show it."""
        async with self._optional_lock:
            if self.cast_only:
                return
            if not self.last_update_success:
                # It may come back with another monitor.
                self._learned.clear()
                return
            device = self.data.device
            if device is not None and device.installed_version != self._firmware:
                # Other firmware may have more.
                self._firmware = device.installed_version
                self._learned.clear()
            missing = set()
            # The content policy came together with signature modes.
            if device is None or device.signature_mode is None:
                missing.add("policy")
            if device is None or device.contract is None:
                missing.add("offline")
            fields = set(self.async_contexts())
            for name, (_, every) in OPTIONAL.items():
                is_due = name in fields and self._rounds % every == 0
                if name not in missing and (is_due or name not in self._learned):
                    await self._async_read_field(name)
            self._rounds += 1

    async def _async_read_field(self, name: str) -> None:
        """Read one field, and note whether it is complete."""
        read, _ = OPTIONAL[name]
        try:
            value = await read(self.display)
        except (RejectedError, UnexpectedAnswerError) as err:
            LOGGER.debug("%s has no %s: %s", self.name, name, err)
        except Dp1Error as err:
            LOGGER.debug("%s: reading %s: %s", self.name, name, err)
            return
        else:
            self.async_set(**{name: value})
        if name != "metrics" or self.data.metrics is not None:
            self._learned.add(name)

    @callback
    def async_learn_again(self) -> None:
        """Forget the optional data of the display, and read it again."""
        self._learned.clear()
        self._schedule_polled_reads()

    # Connection

    def async_run(self) -> Coroutine[Any, Any, None]:
        """Keep the connection to the display until canceled."""
        self._schedule_polled_reads()
        # Each push would pass through a coroutine of its own.
        return self.connection.async_run(has_socket=not self.cast_only)

    @callback
    def _on_connected(self) -> None:
        """Read the state, which a display does not push by itself."""
        self._polls = 0
        self.create_task(self.async_refresh(), "snapshot")

    @callback
    def _on_frames(self, frames: Iterable[tuple[Frame, float]]) -> None:
        """Handle pushed frames."""
        if self.contact not in CHECKED:
            LOGGER.debug("%s: skipping a push of nobody knows whom", self.name)
            return
        for frame, since in frames:
            match frame:
                case PlayerStatus():
                    self._handle_player(frame, since)
                case DeviceStatus():
                    if since >= self._device_since:
                        self._set_device(frame, since)
                case PanelStatus():
                    self.async_set(panel=frame)
        if not self.last_update_success and not self._is_other:
            self._seen()

    @callback
    def _on_flood(self, is_flooded: bool) -> None:
        """Handle a display that starts or ends to push without end; log it once."""
        if is_flooded:
            LOGGER.warning(
                "%s pushes its state without end; only two changes a second are shown",
                self.name,
            )
        self._set_issue("floods", is_flooded)

    @callback
    def _on_disconnected(self) -> None:
        """Handle a closed connection; the identity has to be checked again."""
        if not self._is_other:
            self.contact = Contact.UNCHECKED

    @callback
    def _on_lost(self, err: Dp1Error) -> None:
        """Handle the loss of the display; log it once."""
        self._on_disconnected()
        self.last_exception = self._update_failed(err)
        if self.last_update_success:
            self.last_update_success = False
            LOGGER.info("%s is unavailable: %s", self.name, err)
            self.async_update_listeners()

    @callback
    def _seen(self) -> None:
        """Handle an answer or a push; log once that the display is back."""
        was_seen = self.connection.was_seen
        self.connection.seen()
        if not self.last_update_success:
            self.last_update_success = True
            if was_seen:
                LOGGER.info("%s is back", self.name)
            self._set_issue("wants_pairing", False)
            self.async_update_listeners()
            self.async_learn_again()

    def _update_failed(self, err: Dp1Error) -> UpdateFailed:
        """Return the translated error of an update."""
        if isinstance(err, WantsPairingError):
            self._set_issue("wants_pairing", True)
        error = translated(err, "display", self.name, self.display.url)
        return retyped(error, UpdateFailed)

    # Commands

    @asynccontextmanager
    async def async_command(
        self, refresh: Refresh = Refresh.PUSH, index: int | None = None
    ) -> AsyncIterator[Display]:
        """Send commands to the display, then wait for the state to be updated, for a step until it is at its index."""
        self._was_pushed.clear()
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
            if refresh is not Refresh.DEVICE or not self._waits_for_device():
                await asyncio.wait({update}, timeout=STATE_PATIENCE)

    async def async_show_item(self, index: int) -> None:
        """Show a work of the playlist, counted from 0 in playing order."""
        async with self.async_command(index=index) as display:
            await display.show_item(index)

    def _waits_for_device(self) -> bool:
        """Return whether a device status is being read for longer than a command waits for it."""
        now = self.hass.loop.time()
        return any(now - began >= STATE_PATIENCE for began in self._device_reads)

    async def _async_refresh_after(self, refresh: Refresh, index: int | None) -> None:
        """Update the state that a command has changed."""
        match refresh:
            case Refresh.PUSH:
                await self._async_wait_for_push(index)
            case Refresh.PLAYER:
                await self.async_refresh_player()
            case Refresh.DEVICE:
                await self._async_update_device()
            case Refresh.PANEL | Refresh.POLICY | Refresh.OFFLINE:
                await self._async_read_field(refresh)
        if self.data.error_page:
            await self._async_update_device()

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
    def async_handle_cast(self, playlist: Playlist, wake: bool = False) -> None:
        """Handle an accepted cast; a display without a status is assumed to show it.

        Args:
            playlist: what was accepted.
            wake: whether the display may be woken if it turns out not to show it.
        """
        if self._shutdown_requested:
            return
        if playlist.url is not None:
            # What is at the URL may change.
            playlist = replace(playlist, document={})
        self.last_cast = playlist
        self._followed_up, self._wakes_for_cast = None, wake
        self.history.add(playlist)
        if self.cast_only:
            self.async_set(assumed=playlist)
        elif (player := self.data.player) is not None:
            # It starts anew, also what was shown already, and its cast has what the display omits.
            self.async_set(
                work=self._work(player), shown_since=dt_util.utcnow(), stalled=False
            )

    async def async_change_schedule(
        self, change: Callable[[SleepSchedule], Mapping[str, Any]]
    ) -> None:
        """Change fields of the sleep schedule and keep the rest of it; a manual sleep or wake lasts."""
        async with self.async_command(Refresh.DEVICE) as display:
            device = await self.async_read_device()
            record = device.sleep_schedule if device else None
            if record is None:
                raise invalid_input("no_schedule", name=self.name)
            changes = change(record)
            changed = await display.set_sleep_schedule(record.enabled, **changes)
            # The change has ended it.
            if record.override_state and changed.asleep is not record.asleep:
                await (display.sleep() if record.asleep else display.wake())
            if "days" in changes and changes["days"] != (changed.days or DAYS):
                raise RejectedError("days")

    async def async_take_screenshot(self) -> None:
        """Take a screenshot."""
        async with self.async_command(Refresh.NONE) as display:
            picture = await display.screenshot(SCREENSHOT_PIXELS)
            if picture is None:
                raise RejectedError("screenshot")
        self.async_set(screenshot=Screenshot(picture, dt_util.utcnow()))

    async def async_set_asleep(self, asleep: bool) -> None:
        """Turn the display off or on; an issue is created if it repeatedly does not wake."""
        try:
            await self._async_set_asleep(asleep)
        except HomeAssistantError as err:
            if not asleep and not isinstance(err.__cause__, UnreachableError):
                self._set_failed_wakes(self._failed_wakes + 1)
            raise
        if not asleep:
            self._set_failed_wakes(0)
        self.create_task(self._async_update_device(), "device status")

    async def _async_set_asleep(self, asleep: bool) -> None:
        """Send the command, again if the state does not follow."""
        device = self.data.device
        self.last_sleep_request = mine = next(REQUEST_NUMBERS)

        def is_done() -> bool:
            """Return whether the state has followed, or a later request has replaced this one."""
            return self.data.asleep in (asleep, None) or self.last_sleep_request != mine

        for _ in range(SLEEP_TRIES):
            # Firmware 1.0 stores the state, but returns an error if its player is not visible.
            async with self.async_command() as display:
                with suppress(RejectedError):
                    await _async_send_asleep(display, asleep, device)
            if await self._async_reached(is_done):
                return
        raise action_failed(
            "did_not_sleep" if asleep else "did_not_wake", name=self.name
        )

    async def _async_reached(self, reached: Callable[[], bool]) -> bool:
        """Wait for the state; the display changes its page a moment after the answer."""
        for _ in range(SLEEP_CHECKS):
            if reached():
                return True
            self._was_pushed.clear()
            await self._async_wait_for_push()
            player = self.data.player
            if player is None or player.asleep is None:
                await self.async_read_device()
        return reached()

    @callback
    def _set_failed_wakes(self, failures: int) -> None:
        """Set the number of failed wakes in a row, and create or delete the issue."""
        self._failed_wakes = failures
        if failures >= WAKES_TO_ISSUE or not failures:
            self._set_issue("wakes_not", failures > 0, is_fixable=True)

    @callback
    def _set_issue(self, key: str, is_there: bool, is_fixable: bool = False) -> None:
        """Create or delete an issue of the display."""
        issue_id = f"{key}_{self.device_id}"
        if not is_there:
            ir.async_delete_issue(self.hass, DOMAIN, issue_id)
            return
        ir.async_create_issue(
            self.hass,
            DOMAIN,
            issue_id,
            data={"device_id": self.device_id},
            is_fixable=is_fixable,
            severity=ir.IssueSeverity.WARNING,
            translation_key=key,
            translation_placeholders={"name": self.name},
        )

    @override
    async def async_shutdown(self) -> None:
        """Stop reading."""
        await super().async_shutdown()
        self._set_failed_wakes(0)
        self._set_issue("floods", False)
        self._player_reads.async_shutdown()
        if self._cancel_follow_up:
            self._cancel_follow_up()
        if self._end is not None:
            self._end.cancel()
        await self.history.async_save()


def _work_key(player: PlayerStatus) -> tuple[str | None, str | None, str | None]:
    """Return the address of the playlist, and the id and title that identify the current work."""
    item = player.current
    return (player.playlist_url, item.id, item.title) if item else (None, None, None)


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


def takes_screenshots(device: DeviceStatus) -> bool:
    """Return whether a display may take screenshots, which came soon after its contract."""
    return device.contract is not None


@callback
def async_displays(hass: HomeAssistant) -> list[DisplayCoordinator]:
    """Return the displays that are set up."""
    return [
        entry.runtime_data
        for entry in hass.config_entries.async_loaded_entries(DOMAIN)
        if entry.data[CONF_KIND] == EntryKind.DISPLAY
    ]


@callback
def async_display(hass: HomeAssistant, entry_id: str) -> DisplayCoordinator | None:
    """Return a display that is set up."""
    displays = async_displays(hass)
    return next((d for d in displays if d.entry_id == entry_id), None)


def is_display(entity: er.RegistryEntry) -> bool:
    """Return whether an entity is the media player of a display, also if it is disabled."""
    return (entity.domain, entity.platform) == (MEDIA_PLAYER_DOMAIN, DOMAIN)


def is_enabled_display(entity: er.RegistryEntry) -> bool:
    """Return whether an entity is the media player of a display, and not disabled."""
    return is_display(entity) and entity.disabled_by is None


@callback
def async_display_entities(hass: HomeAssistant) -> list[er.RegistryEntry]:
    """Return the media players of displays, also of those that are not there."""
    return [*filter(is_enabled_display, er.async_get(hass).entities.values())]


def ignores_music(entity: er.RegistryEntry) -> bool:
    """Return whether a display was hidden from Assist's own sentences, as they are about music."""
    options: Mapping[str, Any] = entity.options.get(DOMAIN) or {}
    return bool(options.get(CONF_IGNORE_MUSIC))


@callback
def async_other_players(hass: HomeAssistant) -> list[er.RegistryEntry]:
    """Return the media players of other integrations."""
    return [
        entity
        for entity in er.async_get(hass).entities.values()
        if entity.domain == MEDIA_PLAYER_DOMAIN
        and entity.platform != DOMAIN
        and entity.disabled_by is None
    ]
