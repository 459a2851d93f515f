"""The live state of one display: its socket first, a slow poll behind it."""

import asyncio
from collections.abc import AsyncIterator, Callable, Iterator
from contextlib import aclosing, asynccontextmanager, contextmanager, suppress
from dataclasses import dataclass, replace
from datetime import datetime, timedelta
from enum import Enum, auto
from itertools import count
from random import uniform
from typing import Any, Final, override

from homeassistant.config_entries import ConfigEntry
from homeassistant.const import CONF_HOST, CONF_PORT
from homeassistant.core import HomeAssistant, callback
from homeassistant.exceptions import HomeAssistantError
from homeassistant.helpers import device_registry as dr, issue_registry as ir
from homeassistant.helpers.aiohttp_client import async_get_clientsession
from homeassistant.helpers.debounce import Debouncer
from homeassistant.helpers.update_coordinator import DataUpdateCoordinator, UpdateFailed
from homeassistant.util import dt as dt_util

from .client.display.casts import Cast, Dialect
from .client.display.client import Display
from .client.display.device_status import (
    ContentPolicy,
    DeviceStatus,
    Identity,
    PanelStatus,
)
from .client.display.metrics import Metrics, PlaybackCounters
from .client.display.notifications import Connected, Event
from .client.display.player_status import PlayerStatus
from .client.errors import (
    BusyError,
    Dp1Error,
    LostAnswerError,
    NoAnswerError,
    NotReadyError,
    RejectedError,
    TemporaryError,
    UnexpectedAnswerError,
    UnreachableError,
)
from .client.text import clean
from .const import CONF_DIALECT, CONF_KIND, CONF_MACS, DOMAIN, LOGGER, EntryKind
from .display.history import History
from .display.metadata import ArtworkMetadata
from .display.parts import READS, Part
from .errors import translated, translated_errors
from .library.library import Work

# Volume, mute and the sleep record are only pushed while the display reaches its maker's
# cloud; and a display takes each read for a person in contact, so not more often.
POLL_INTERVAL = timedelta(seconds=60)
PLAYER_EVERY = 2
START_PATIENCE = 2.0
FIRST_RETRY = 0.5
LAST_RETRY = 4.0
# A socket that lasted so long is no longer a failed try.
STEADY = 10.0
HEARTBEAT = 30.0
# A display restarts its player now and then and refuses connections meanwhile.
PROBES_TO_LOSS = 3
PATIENCE = 30.0
PROBE_INTERVAL = 20.0
PUSH_PATIENCE = 1.0
READ_COOLDOWN = 2.0

SILENCE = (UnreachableError, LostAnswerError)
SLEEP_TRIES = 2
SLEEP_CHECKS = 4

# Numbers what is asked for, as some of it takes longer than others to prepare.
ASKED = count(1)

type DisplayConfigEntry = ConfigEntry[DisplayCoordinator]


class Refresh(Enum):
    """What to read again after a command."""

    NONE = auto()
    PUSH = auto()
    PLAYER = auto()
    DEVICE = Part.DEVICE
    PANEL = Part.PANEL
    POLICY = Part.POLICY


@dataclass(frozen=True, slots=True)
class Screenshot:
    """A picture of what a display showed.

    Attributes:
        picture: PNG.
        taken_at: when.
    """

    picture: bytes
    taken_at: datetime


@dataclass(frozen=True, slots=True)
class DisplayData:
    """What a display has said of itself.

    Attributes:
        player: what it plays, None while its player shows another page.
        device: the device behind the player.
        panel: the monitor, None until it was asked for.
        metrics: load and temperatures, None until they were asked for.
        counters: what it counts, None until asked for, or if it does not count.
        policy: which works its owner lets through, None until asked for.
        screenshots: whether it is known to take pictures of what it shows.
        screenshot: the last such picture.
        identity: who it is, None with firmware that does not tell.
        work: what the libraries know of the work on the wall.
        shown_since: when the present work was seen to appear, None if it hung there before.
        set_up: whether the display shows its set-up screen instead of art.
        assumed: the last successful cast to a display that cannot tell what it shows.
    """

    player: PlayerStatus | None = None
    device: DeviceStatus | None = None
    panel: PanelStatus | None = None
    metrics: Metrics | None = None
    counters: PlaybackCounters | None = None
    policy: ContentPolicy | None = None
    screenshots: bool = False
    screenshot: Screenshot | None = None
    identity: Identity | None = None
    work: Work | None = None
    shown_since: datetime | None = None
    set_up: bool = False
    assumed: Cast | None = None

    @property
    def asleep(self) -> bool | None:
        """Whether the display sleeps: the player knows first, the schedule's record next."""
        if self.player is not None and self.player.asleep is not None:
            return self.player.asleep
        if self.device is not None and (record := self.device.sleep_schedule):
            return record.asleep
        return None


class DisplayCoordinator(DataUpdateCoordinator[DisplayData]):
    """Follows one display; nothing but status reads is ever sent from here."""

    config_entry: DisplayConfigEntry

    def __init__(self, hass: HomeAssistant, entry: DisplayConfigEntry) -> None:
        """Prepare to follow the display of an entry."""
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
        self.history = History(hass, entry.entry_id)
        self.metadata = ArtworkMetadata(
            hass, entry, lambda work: self.async_merge_data(work=work)
        )
        self.last_cast: Cast | None = None
        # Of what was asked for at the same time, the last counts.
        self.cast_asked = 0
        self.sleep_asked = 0
        self._coming: dict[int, asyncio.Event] = {}
        # Next after next: each counts from where the one before led, and waits for it.
        self.step_lock = asyncio.Lock()
        self._dialect_is_chosen = fixed
        self._is_other = False
        self._polls = 0
        self._misses = 0
        self._failed_wakes = 0
        self._seen_at = 0.0
        self._pushed: PlayerStatus | None = None
        self._player_news = asyncio.Event()
        self._retry_now = asyncio.Event()
        self._reread = Debouncer(
            hass,
            LOGGER,
            cooldown=READ_COOLDOWN,
            immediate=True,
            function=self._async_read_player,
            background=True,
        )

    @property
    def device_id(self) -> str:
        """What identifies the display, and its entities."""
        return self.config_entry.unique_id or self.config_entry.entry_id

    @property
    def macs(self) -> list[str]:
        """Hardware addresses of the display, as last reported."""
        return list(self.config_entry.data.get(CONF_MACS, ()))

    # Reading

    @override
    async def _async_setup(self) -> None:
        """See who answers, before anything is believed."""
        await self.history.async_load()
        # Whoever does not answer must not keep Home Assistant from starting.
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
        """Ask who the display is; firmware before 2.0 does not know the question."""
        try:
            return await self.display.identify()
        except RejectedError, UnexpectedAnswerError:
            return None

    @override
    async def _async_update_data(self) -> DisplayData:
        """Read what may have changed without a push; one lost probe is not a lost display."""
        try:
            await self._async_snapshot()
        except Dp1Error as err:
            if self._seen_at:
                self._missed(err)
            if self._seen_at and self.last_update_success:
                return self.data
            raise self._update_failed(err) from err
        self._seen()
        self._remember()
        self._update_device()
        return self.data

    async def _async_snapshot(self) -> None:
        """Read the device, and at every second poll the player, as pushes tell the rest."""
        if self.cast_only:
            await self.display.probe()
            return
        try:
            device = await self.display.device_status()
        except (NotReadyError, RejectedError, UnexpectedAnswerError) as err:
            if self._seen_at or not await self._async_only_takes_playlists():
                raise
            LOGGER.debug("%s only takes playlists: %s", self.name, err)
            self.cast_only = True
            self.update_interval = None
            return
        self._check_who(device)
        self.data = replace(self.data, device=device)
        self._polls += 1
        if self._polls % PLAYER_EVERY == 1 or self.data.player is None:
            self.data = await self._async_with_player()

    async def _async_only_takes_playlists(self) -> bool:
        """Tell a display of the 2025 description, which has no word for its status, from one out of order."""
        if self.display.dialect is not Dialect.FF:
            with suppress(NotReadyError, RejectedError, UnexpectedAnswerError):
                await self.display.player_status()
        return self.display.dialect is not Dialect.FF

    def _check_who(self, device: DeviceStatus) -> None:
        """Leave alone another display that has been given this address meanwhile."""
        macs = set(map(dr.format_mac, device.mac_info.values()))
        self._is_other = bool(macs and self.macs) and macs.isdisjoint(self.macs)
        if self._is_other:
            raise self._another_display(UpdateFailed)

    def _another_display[_E: HomeAssistantError](self, kind: type[_E]) -> _E:
        """Make the error for a display that is not the one meant."""
        return kind(
            translation_domain=DOMAIN,
            translation_key="another_display",
            translation_placeholders={"name": self.name, "where": self.display.url},
        )

    async def _async_with_player(self) -> DisplayData:
        """Read the player; a push that came meanwhile is newer than the reading."""
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
        """Take over what the player says, noting when the work on the wall changes."""
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
        """Ask the player what it shows this moment; what is known otherwise may be seconds old."""
        if not self.cast_only:
            with translated_errors("display", self.name, self.display.url):
                self._publish(await self._async_with_player())
        return self.data.player

    async def _async_read_player(self) -> None:
        """Ask the player for what pushes leave out: the playlist's title, id and sources."""
        try:
            self._publish(await self._async_with_player())
        except Dp1Error as err:
            LOGGER.debug("%s: reading the player: %s", self.name, err)

    async def async_read(self, part: Part) -> None:
        """Ask for one part of the state.

        Raises:
            Dp1Error: there was no answer, or none that tells.
        """
        news = await READS[part](self.display)
        self.async_merge_data(**{part: news})

    async def _async_reread(self, part: Part) -> None:
        """Ask for a part that a command has changed; if that fails, it shows later."""
        try:
            await self.async_read(part)
        except Dp1Error as err:
            LOGGER.debug("%s: reading the %s: %s", self.name, part, err)

    @callback
    def async_merge_data(self, **parts: Any) -> None:
        """Show what was learned of some parts."""
        self._publish(replace(self.data, **parts))

    @callback
    def _publish(self, data: DisplayData) -> None:
        """Let everybody know, without touching the rhythm of the poll as the base class would."""
        if self._is_other:
            return
        returned = not self.last_update_success
        changed = data != self.data
        self.data = data
        self._seen()
        if changed or returned:
            self.async_update_listeners()

    @callback
    def async_handle_cast(self, cast: Cast) -> None:
        """Note what the display took; if it cannot tell, assume that it shows it."""
        self.last_cast = cast
        self.history.add(cast)
        if self.cast_only:
            self._publish(replace(self.data, assumed=cast))

    # Following

    async def async_follow(self) -> None:
        """Stay in touch with the display for as long as the entry is loaded."""
        stay = self._async_probe if self.cast_only else self._async_listen
        tries = 0
        while True:
            began = self.hass.loop.time()
            wait = min(LAST_RETRY, FIRST_RETRY * 2 ** min(tries, 8))
            try:
                await stay()
            except Dp1Error as err:
                self._missed(err)
                if not isinstance(err, (*SILENCE, TemporaryError)):
                    # It answers, if not with a socket: the poll goes on, and a try now and then.
                    wait = POLL_INTERVAL.total_seconds()
            lasted = self.hass.loop.time() - began
            tries = 0 if lasted > STEADY else tries + 1
            await self._async_wait(max(FIRST_RETRY, wait - lasted))

    async def _async_listen(self) -> None:
        """Take over what the display pushes, until the connection ends."""
        async with aclosing(self.display.listen(HEARTBEAT)) as events:
            async for event in events:
                self._on_event(event)

    async def _async_probe(self) -> None:
        """See that a display without a socket is there."""
        await self.display.probe()
        self._publish(self.data)
        await asyncio.sleep(PROBE_INTERVAL)

    async def _async_wait(self, seconds: float) -> None:
        """Wait before the next try, unless the display announces itself."""
        with suppress(TimeoutError):
            async with asyncio.timeout(seconds * uniform(0.75, 1.0)):
                await self._retry_now.wait()
        self._retry_now.clear()

    @callback
    def async_announced(self) -> None:
        """Try again at once: the display has just announced itself."""
        self._retry_now.set()

    @callback
    def _on_event(self, event: Event) -> None:
        """Take over one push."""
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
                self._publish(replace(self.data, device=event))
            case PanelStatus():
                self._publish(replace(self.data, panel=event))

    @callback
    def _on_player(self, push: PlayerStatus) -> None:
        """Take over what the player pushes, and ask for the rest if it is another playlist."""
        self._pushed = push
        player = push.over(self.data.player)
        self._publish(self._with_player(player))
        self._player_news.set()
        if player.items and player.playlist is None:
            self._reread.async_schedule_call()

    @callback
    def _seen(self) -> None:
        """Note a sign of life; say once that the display is back."""
        self._misses = 0
        self._seen_at = self.hass.loop.time()
        if not self.last_update_success:
            self.last_update_success = True
            LOGGER.info("%s is back", self.name)

    @callback
    def _missed(self, err: Dp1Error) -> None:
        """Note a missing sign of life; say once that the display is lost."""
        LOGGER.debug("%s: %s", self.name, err)
        if not isinstance(err, (*SILENCE, UnexpectedAnswerError)):
            return
        self._misses += 1
        if self.last_update_success and self._is_lost():
            self.last_update_success = False
            self.last_exception = self._update_failed(err)
            LOGGER.info("%s is unavailable: %s", self.name, err)
            self.async_update_listeners()

    def _is_lost(self) -> bool:
        """Whether enough probes failed for long enough."""
        silence = self.hass.loop.time() - self._seen_at
        return self._misses >= PROBES_TO_LOSS and silence >= PATIENCE

    def _update_failed(self, err: Dp1Error) -> UpdateFailed:
        """Turn an error into the one the base class and its users understand."""
        reason = translated(err, "display", self.name, self.display.url)
        return UpdateFailed(
            translation_domain=DOMAIN,
            translation_key=reason.translation_key,
            translation_placeholders=reason.translation_placeholders,
        )

    # Commanding

    @contextmanager
    def pending_cast(self, asked: int | None) -> Iterator[None]:
        """Let what is asked for later about the list that hangs wait for the one that comes."""
        if asked is None or asked in self._coming:
            yield
            return
        self._coming[asked] = over = asyncio.Event()
        try:
            yield
        finally:
            del self._coming[asked]
            over.set()

    async def async_wait_for_casts(self) -> None:
        """Wait for the lists that were asked for before now."""
        for over in list(self._coming.values()):
            await over.wait()

    @asynccontextmanager
    async def async_command(
        self, refresh: Refresh = Refresh.PUSH
    ) -> AsyncIterator[Display]:
        """Send commands to the display, then read again what they change.

        Args:
            refresh: what to read again after the command.
        """
        if self._is_other:
            raise self._another_display(HomeAssistantError)
        self._player_news.clear()
        with translated_errors("display", self.name, self.display.url):
            yield self.display
        if self.cast_only:
            return
        match refresh:
            case Refresh.PUSH:
                await self._async_await_player()
            case Refresh.PLAYER:
                await self._async_read_player()
            case Refresh.DEVICE | Refresh.PANEL | Refresh.POLICY:
                await self._async_reread(refresh.value)

    async def _async_await_player(self) -> None:
        """Wait for the push that follows a command; ask if none comes, as when nothing changed."""
        try:
            async with asyncio.timeout(PUSH_PATIENCE):
                await self._player_news.wait()
        except TimeoutError:
            await self._async_read_player()

    async def async_set_asleep(self, asleep: bool) -> None:
        """Put the display to sleep or wake it, and note how often in a row it did not wake."""
        try:
            await self._async_set_asleep(asleep)
        except HomeAssistantError as err:
            if not asleep and not isinstance(err.__cause__, UnreachableError):
                self._note_wakes(self._failed_wakes + 1)
            raise
        if not asleep:
            self._note_wakes(0)

    @callback
    def _note_wakes(self, failures: int) -> None:
        """Keep the count, and tell the owner when it is high."""
        self._failed_wakes = failures
        async_manage_wakes(self.hass, self.device_id, self.name, failures)

    async def _async_set_asleep(self, asleep: bool) -> None:
        """Put the display to sleep or wake it, and see that it really happens."""
        record = self.data.device.sleep_schedule if self.data.device else None
        self.sleep_asked = mine = next(ASKED)
        for _ in range(SLEEP_TRIES):
            # Firmware 1.0 keeps what it was told and says no if its player is not on screen.
            async with self.async_command() as display:
                with suppress(RejectedError):
                    if record is None:
                        await display.set_sleep_mode(asleep)
                    else:
                        await (display.sleep() if asleep else display.wake())
            if await self._async_reach(
                lambda data: data.asleep is asleep or self.sleep_asked != mine
            ):
                await self._async_reread(Part.DEVICE)
                return
        raise HomeAssistantError(
            translation_domain=DOMAIN,
            translation_key="did_not_sleep" if asleep else "did_not_wake",
            translation_placeholders={"name": self.name},
        )

    async def _async_reach(self, reached: Callable[[DisplayData], bool]) -> bool:
        """Wait until the display says so; its page changes a moment after the answer."""
        for _ in range(SLEEP_CHECKS):
            if reached(self.data):
                return True
            self._player_news.clear()
            await self._async_await_player()
            if self.data.player is None or self.data.player.asleep is None:
                await self._async_reread(Part.DEVICE)
        return reached(self.data)

    @override
    async def async_shutdown(self) -> None:
        """Stop reading."""
        self._note_wakes(0)
        self._reread.async_shutdown()
        await super().async_shutdown()

    # Remembering

    @callback
    def _remember(self) -> None:
        """Keep in the entry what was learned and helps after a restart."""
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
        """Let the device page show the firmware that the display runs by now."""
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
    """List the displays that are set up."""
    return [
        entry.runtime_data
        for entry in hass.config_entries.async_loaded_entries(DOMAIN)
        if entry.data[CONF_KIND] == EntryKind.DISPLAY
    ]


def _work(player: PlayerStatus) -> tuple[str | None, str | None, str | None]:
    """Tell one work on the wall from another."""
    if (item := player.current) is None:
        return (None, None, None)
    return (player.playlist_url, item.id, item.title)


RENDER_FAILED = 3
REASON_LENGTH = 200


def problem_of(data: DisplayData) -> str | None:
    """Name what keeps the work from being shown; empty if nothing does, None if that cannot be told."""
    player = data.player
    if data.device is None or data.set_up:
        return None
    if player is None:
        return "no_player"
    if player.render_status == RENDER_FAILED:
        return "render_failed"
    if player.error or not player.ok:
        return clean(player.error, REASON_LENGTH) or "not_ok"
    return ""


WAKES_TO_ISSUE: Final = 3


@callback
def async_manage_wakes(
    hass: HomeAssistant, display_id: str, name: str, failures: int
) -> None:
    """Tell the owner of a display that did not wake several times in a row, until it does.

    Args:
        hass: Home Assistant.
        display_id: id of the display.
        name: what its owner calls it.
        failures: how often in a row it did not wake.
    """
    issue_id = f"wakes_not_{display_id}"
    if failures >= WAKES_TO_ISSUE:
        ir.async_create_issue(
            hass,
            DOMAIN,
            issue_id,
            is_fixable=False,
            severity=ir.IssueSeverity.WARNING,
            translation_key="wakes_not",
            translation_placeholders={"name": name},
        )
    elif not failures:
        ir.async_delete_issue(hass, DOMAIN, issue_id)


# On either side at most: enough to see a work, and not tens of megabytes.
PIXELS: Final = 1920


async def async_take_screenshot(coordinator: DisplayCoordinator) -> None:
    """Take a picture of what the display shows."""
    async with coordinator.async_command(Refresh.NONE) as display:
        if (picture := await display.screenshot(PIXELS, PIXELS)) is None:
            raise RejectedError("screenshot")
    coordinator.async_merge_data(screenshot=Screenshot(picture, dt_util.utcnow()))
