"""The simulated display as a whole: its parts, its life cycle, and what tests can do to it."""

import asyncio
from collections.abc import Awaitable, Callable
from contextlib import suppress
from dataclasses import dataclass
import socket
from typing import Any, Self

import aiohttp
from aiohttp import web
from zeroconf.asyncio import AsyncZeroconf

from ..serving import stop_serving
from . import answers
from .caster import Caster, LegacyCaster
from .clock import Clock
from .device import Device
from .faults import Fault, FaultKind
from .firmware import Firmware, Profile
from .history import History
from .mdns import Announcer
from .metrics import Counters
from .offline import OfflineCache
from .page import Painter, default_playlist, label
from .player import Page, Player
from .poller import Poller, Sockets, envelope
from .router import Router
from .server import Received, Server
from .sleep import SLEEPING, SleepSchedule
from .tasks import Tasks

type Json = dict[str, Any]

_FETCH_SECONDS = 30
_IDLE_SECONDS = 60.0
_BEFORE_REBOOT = 0.1


@dataclass(frozen=True, slots=True)
class DisplayState:
    """What a display is and shows at one moment.

    Attributes:
        playlist: the document as the player has it.
        items: the works in playing order.
        index: the position as it was set.
        position: position of the current work, from 0.
        current: the current work, visible or not.
    """

    playlist: Json | None
    playlist_url: str | None
    items: list[Json]
    index: int
    position: int
    current: Json | None
    shuffle: bool
    loop_mode: str
    asleep: bool
    volume: int | None
    muted: bool
    orientation: str
    settings: Json
    name: str
    installed_version: str

    @property
    def current_title(self) -> str:
        return str((self.current or {}).get("title", ""))

    @property
    def playlist_title(self) -> str:
        return str((self.playlist or {}).get("title", ""))


class DisplaySimulator:
    """A display on loopback."""

    def __init__(
        self,
        profile: Profile | str = Profile.B,
        device_id: str = "FF1-SIM00001",
        name: str = "",
        *,
        version: str | None = None,
        port: int = 0,
        poll_interval: float = 5.0,
        refresh_interval: float = 300.0,
        boot_seconds: float = 1.0,
        page_delay: float = 0.1,
        status_seconds: float = 0.0,
        fetch_seconds: float = 0.0,
        takes_refresh: bool = True,
        internet: bool = True,
        clock: Clock | None = None,
        storm_gate: bool = True,
        mdns: bool = False,
        zeroconf: AsyncZeroconf | None = None,
    ) -> None:
        """Initialize; nothing listens before ``start``.

        Args:
            profile: generation of the firmware.
            device_id: serial number.
            name: the name given by the owner; only newer firmware has one.
            version: of the firmware; the last of the profile by default.
            port: port to listen on; 0 for any.
            poll_interval: seconds between two polls.
            refresh_interval: seconds between two fetches of a playlist that was cast by URL.
            boot_seconds: how long a start takes.
            page_delay: how long sleeping or waking takes, in seconds.
            status_seconds: how long ``getDeviceStatus`` takes; after 30 s its answer is cut.
            fetch_seconds: how long the host of a playlist takes.
            takes_refresh: whether ``displayPlaylist`` supports ``refresh``.
            internet: whether the internet can be reached at first.
            clock: the clock for all timers.
            storm_gate: whether the rate is limited, in firmware that supports it.
            mdns: whether to announce the display.
            zeroconf: responder to announce it with; a new one by default.
        """
        self.firmware = Firmware.of(Profile(profile), version)
        self.clock = clock or Clock()
        self.boot_seconds = boot_seconds
        self._host = "127.0.0.1"
        self._port = port
        self._refresh_interval = refresh_interval
        self._mdns = mdns or zeroconf is not None
        self._runner: web.AppRunner | None = None
        self._session: aiohttp.ClientSession | None = None
        self._tasks = Tasks()
        self._life = Tasks()
        self._build(device_id, name, poll_interval, page_delay)
        if not storm_gate:
            self.server.gate = None
        self.device.status_seconds = status_seconds
        self.device.internet = self.poller.relayer_connected = internet
        self.caster.fetch_seconds = fetch_seconds
        self.player.takes_refresh = takes_refresh
        self._announcer = Announcer(self.firmware, self.device, zeroconf)
        self._relay_refuses = self._waits_for_relay = False

    def _build(
        self, device_id: str, name: str, poll_interval: float, page_delay: float
    ) -> None:
        """Create the parts."""
        firmware, clock, tasks = self.firmware, self.clock, self._tasks
        self.device = Device(firmware, device_id, clock, name)
        self.player = Player(
            firmware, clock, tasks, lambda: default_playlist(self.url), page_delay
        )
        self.sleep = SleepSchedule(firmware, clock, self.player, tasks)
        self.offline = OfflineCache(tasks)
        self.history = History(clock, self.player)
        self.counters = Counters()
        self.caster = Caster(
            firmware,
            clock,
            self.device,
            self.player,
            self.counters,
            self.offline,
            tasks,
        )
        router = Router(
            firmware,
            self.device,
            self.player,
            self.sleep,
            self.caster,
            self.history,
            self.offline,
        )
        self.sockets = Sockets()
        self.poller = Poller(
            firmware,
            clock,
            self.device,
            self.player,
            self.sleep,
            self.sockets,
            poll_interval,
        )
        self._painter = Painter(self.device, self.player, tasks)
        strict = firmware.profile is Profile.LEGACY_STRICT
        self.server = Server(
            firmware,
            clock,
            self.device,
            self.player,
            router,
            self.sockets,
            self.counters,
            LegacyCaster(self.caster, self.player, strict),
            self._painter.handle,
        )
        self._connect(router)

    def _connect(self, router: Router) -> None:
        """Connect the callbacks of the parts."""
        router.on_player_command = self.poller.force
        self.player.orientation = lambda: self.device.orientation
        self.player.on_show = self._on_show
        self.player.on_change = self._painter.change
        self.sleep.on_change = self._on_change
        self.sleep.switch_panel = self.device.panel.switch
        self.device.on_change = self._on_change
        self.device.on_reboot = self._later(self.reboot)
        self.device.on_update = self._later(self._update)
        self.device.on_shutdown = self._later(self.power_off)
        self.device.on_rename = lambda: self._background(self._announce)
        self.offline.on_entry = self._on_offline_entry

    # What it is

    @property
    def host(self) -> str:
        return self._host

    @property
    def port(self) -> int:
        """Return the port it listens on, or last did."""
        return self._port

    @property
    def url(self) -> str:
        """Return the URL, without a slash at the end."""
        return f"http://{self._host}:{self._port}"

    @property
    def announced(self) -> bool:
        return self._announcer.announced

    @property
    def running(self) -> bool:
        return self._runner is not None

    @property
    def state(self) -> DisplayState:
        player, device = self.player, self.device
        return DisplayState(
            playlist=player.document,
            playlist_url=player.playlist_url,
            items=list(player.items),
            index=player.index,
            position=player.position,
            current=player.current,
            shuffle=player.shuffle,
            loop_mode=player.loop_mode,
            asleep=player.asleep,
            volume=device.volume,
            muted=device.muted,
            orientation=device.orientation,
            settings=player.settings.report(
                device.orientation, player.document or {}, player.current or {}
            ),
            name=device.name,
            installed_version=device.installed_version,
        )

    @property
    def sees(self) -> str:
        """Return as what somebody in front of it sees the current work: ``image``, ``video``, ``audio`` or ``web``; empty for nothing."""
        return self._painter.sees

    @property
    def label(self) -> tuple[str, str]:
        shown = label(self.player.current or {})
        return shown["title"], shown["artist"]

    # What was received

    @property
    def received(self) -> list[Received]:
        return self.server.received

    @property
    def commands(self) -> list[str]:
        """Return the names of the received commands, in order."""
        return [record.command for record in self.received]

    @property
    def writes(self) -> int:
        """Return how many commands changed something."""
        return sum(not record.is_query for record in self.received)

    @property
    def casts(self) -> int:
        return self.commands.count("displayPlaylist")

    @property
    def max_in_flight(self) -> int:
        """Return the highest number of commands at the same time."""
        return self.server.max_in_flight

    def reset_counters(self) -> None:
        """Forget the received commands."""
        self.received.clear()
        self.server.max_in_flight = self.server.casts_in_flight

    # Its life

    async def start(self) -> None:
        """Start for the first time, without a playlist."""
        timeout = aiohttp.ClientTimeout(total=_FETCH_SECONDS)
        self._session = aiohttp.ClientSession(timeout=timeout)
        self.caster.session = self._session
        self.offline.session = self._session
        self._painter.session = self._session
        await self._come_up()

    async def stop(self) -> None:
        """Stop everything."""
        await self._life.cancel()
        await self._go_down()
        await self._announcer.close()
        if self._session is not None:
            await self._session.close()
            self._session = None

    async def __aenter__(self) -> Self:
        await self.start()
        return self

    async def __aexit__(self, *_: object) -> None:
        await self.stop()

    async def _come_up(self) -> None:
        """Listen, and start the background tasks."""
        await self.accept()
        if not self.firmware.legacy:
            self._tasks.start(self.poller.run())
            self._tasks.start(self.caster.refresh(self._refresh_interval))
            self.sleep.restart()
        await self._announce()

    async def _go_down(self) -> None:
        """Close the sockets, refuse connections and stop the background tasks."""
        await self._announcer.withdraw()
        await self.sockets.close()
        await self.refuse()
        self.player.halt()
        await self._tasks.cancel()

    async def accept(self) -> None:
        """Accept connections; after ``refuse`` again on the same port."""
        if self._runner is not None:
            return
        app = web.Application(client_max_size=0)
        app.router.add_route("*", "/{path:.*}", self.server.handle)
        app.on_response_prepare.append(answers.hide_software)
        runner = web.AppRunner(
            app,
            access_log=None,
            shutdown_timeout=0.05,
            keepalive_timeout=_IDLE_SECONDS,
        )
        await runner.setup()
        await web.TCPSite(runner, self._host, self._port).start()
        self._port = runner.addresses[0][1]
        self._runner = runner

    async def refuse(self) -> None:
        """Refuse connections and drop the current ones, like a daemon that crashed; ``accept`` ends it."""
        runner = self._runner
        if runner is not None:
            await stop_serving(runner)
            self._runner = None
        await self.server.cancel()

    async def demand_pairing(self, how: str) -> None:
        """Serve nobody who has not been paired, until ``stop_pairing``.

        Args:
            how: "401" or "426" as the status, or "https" as an HTTPS server says it to HTTP.
        """
        status = 400 if how == "https" else int(how)
        text = "Client sent an HTTP request to an HTTPS server.\n"
        self.inject(FaultKind.STATUS, status=status, text=text)
        await self.sockets.close()

    async def stop_pairing(self) -> None:
        """Serve everybody again."""
        self.heal()

    async def _announce(self) -> None:
        """Announce the display, if mDNS is enabled and possible."""
        if not self._mdns:
            return
        online = self.device.internet and not self._waits_for_relay
        if self.running and (online or self.firmware.second):
            await self._announcer.announce(self._port)
        else:
            await self._announcer.withdraw()

    async def reboot(self) -> None:
        """Reboot, and restore the playlist."""
        await self._go_down()
        await asyncio.sleep(self.boot_seconds)
        await self.power_on()

    async def power_off(self) -> None:
        await self._go_down()

    async def power_on(self) -> None:
        """Start with the saved playlist, in the state that the sleep schedule says."""
        if self.running:
            return
        self.counters.playing_seconds = 0.0
        self.counters.starts = self.counters.failures = 0
        self.poller.forget()
        await self._come_up()
        if not self.firmware.legacy:
            self.player.start(asleep=self.sleep.state == SLEEPING)

    async def _update(self) -> None:
        await self._go_down()
        self.device.installed_version = self.device.latest_version
        await self.reboot()

    async def move(self, host: str | None = None, port: int = 0) -> None:
        """Move to another address of the same machine; by default to another port."""
        self._host = host or self._host
        with socket.create_server((self._host, port)) as free:
            port = free.getsockname()[1]
        await self._announcer.withdraw()
        await self.sockets.close()
        await self.refuse()
        self._port = port
        await self.accept()
        await self._announce()

    # What can happen to it

    def inject(self, kind: FaultKind | str, **details: Any) -> Fault:
        """Add a fault to the answers from now on; the details are those of ``Fault``."""
        fault = Fault(FaultKind(kind), **details)
        self.server.faults.append(fault)
        return fault

    def heal(self) -> None:
        self.server.faults.clear()

    def show_page(self, page: Page, failure: str = "service_failed") -> None:
        """Show a page.

        SETUP answers 204. BLANK has no player: 500 without a reason, and nothing is pushed. ERROR accepts casts but stays
        with its ``failure`` until ``wakeNow``.
        """
        self.player.page = page
        self.player.failure = failure
        self._on_change()

    def show_setup_page(self, shown: bool = True) -> None:
        """Switch between the player and the set-up page, where no command is carried out (204)."""
        self.show_page(Page.SETUP if shown else Page.PLAYLIST)

    def overheat(self) -> None:
        """Stop the player because of heat; a cast clears the error in the status, but the page stays."""
        self.player.overheating = True
        self.show_page(Page.ERROR, "overheating")

    def break_page(self, reason: str = "cdp evaluate failed: timeout") -> None:
        """Crash the page: its commands fail, and the sockets are told."""
        self.player.dead = reason
        self._on_change()

    def mend_page(self) -> None:
        """Restore the crashed page."""
        self.player.dead = ""
        self._on_change()

    async def set_internet(self, there: bool) -> None:
        self.device.internet = there
        self._waits_for_relay = not there or self._relay_refuses
        await self._connect_relay()

    async def block_cloud(self, blocked: bool = True) -> None:
        """Let the relay of the vendor refuse; 1.x announces itself after an outage only once it has reached it."""
        self._relay_refuses = blocked
        self._waits_for_relay = self._waits_for_relay and blocked
        await self._connect_relay()

    async def _connect_relay(self) -> None:
        """Reach the relay of the vendor, if that is possible."""
        there = self.device.internet and not self._relay_refuses
        self.poller.relayer_connected = there
        if not self.firmware.second:
            await self._announce()

    def go_half_open(self) -> None:
        """Send and answer nothing on the current sockets, while TCP stays open."""
        self.sockets.freeze()

    async def send_frame(self, frame: str | bytes) -> None:
        await self.sockets.send(frame)

    async def notify(self, kind: str, message: Json) -> None:
        """Send a notification of any type to all sockets."""
        await self.sockets.send(envelope(kind, message))

    # Inside

    def _on_show(self) -> None:
        """Handle a work that is shown."""
        if self.player.current is not None:
            self.history.note(self.player.current)
        self._painter.show()

    def _on_change(self) -> None:
        """Handle another change."""
        self._painter.change()
        self.poller.force()

    def _on_offline_entry(self, entry: Json) -> None:
        """Push the state of a downloaded work."""
        self._tasks.start(self.notify("offline_cache_status", entry))

    def _background(self, action: Callable[[], Awaitable[None]]) -> None:
        """Start a background task, which outlives a restart."""

        async def run() -> None:
            with suppress(asyncio.CancelledError):
                await action()

        self._life.start(run())

    def _later(self, action: Callable[[], Awaitable[None]]) -> Callable[[], None]:
        """Return an action to run after the answer has been sent."""

        async def run() -> None:
            """Wait a moment, then run the action."""
            await self.clock.sleep(_BEFORE_REBOOT)
            await action()

        return lambda: self._background(run)
