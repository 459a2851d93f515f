"""The device around the player: sound, rotation, firmware, network and input, with their commands."""

from collections.abc import Awaitable, Callable
from dataclasses import dataclass, field
from datetime import UTC
from typing import Any

from .arguments import Arguments
from .clock import Clock
from .errors import CommandError
from .firmware import Firmware
from .panel import Panel
from .player import Page, Player
from .sleep import SleepSchedule

type Json = dict[str, Any]
type Command = Callable[[Arguments], Any | Awaitable[Any]]

OK: Json = {"ok": True}
ORIENTATIONS = ("landscape", "portrait", "landscapeReverse", "portraitReverse")
FIRST_MIXER = 63
_KEYS = frozenset({*range(32, 127), 8, 9, 13, 27})
_BUTTONS = ("", "left", "right", "middle")
_MODES = ("silent", "notify", "strict")


def mixer_of(percent: int) -> int:
    """Return the mixer value for a volume."""
    return 0 if percent == 0 else 25 + percent * 75 // 100


def percent_of(mixer: int) -> int:
    """Return the volume reported for a mixer value."""
    return 0 if mixer <= 25 else (mixer - 25) * 100 // 75


@dataclass(slots=True)
class Device:
    """The device around the player.

    Attributes:
        firmware: the installed firmware.
        device_id: serial number.
        clock: the clock of the display.
        name: the name given by the owner; empty if there is none.
        hardware: number of the set of network interfaces, which determines their addresses.
        wired: whether it is connected by Ethernet instead of Wi-Fi.
        ssid: name of the Wi-Fi.
        installed_version: the reported version; changed by an update.
        latest_version: the version that an update installs.
        internet: whether the internet can be reached.
        status_seconds: how long the vendor's version server delays each status.
        claimed: whether it has an owner.
        link: whether the network is connected.
        mixer: value of the sound mixer; None if it does not answer.
        muted: whether the sound is off.
        orientation: rotation of the screen.
        panel: the monitor.
        overlay: what is shown over the work.
        last_outage: the last network outage.
        signature_mode: what happens to playlists without a valid signature.
        metrics: the latest sample of the system monitor; None before the first.
        broken: whether the configuration cannot be read.
        wifi_signal: percent; None when not associated.
        on_reboot: called to reboot.
        on_shutdown: called to shut down.
        on_update: called to install the latest version.
        on_rename: called when the name or owner has changed.
        on_change: called when the next status should be pushed at once.
    """

    firmware: Firmware
    device_id: str
    clock: Clock
    name: str = ""
    hardware: int = 0
    wired: bool = False
    ssid: str = "HomeNet"
    installed_version: str = ""
    latest_version: str = ""
    internet: bool = True
    status_seconds: float = 0.0
    claimed: bool = True
    link: bool = True
    mixer: int | None = FIRST_MIXER
    muted: bool = False
    orientation: str = ORIENTATIONS[0]
    panel: Panel = field(default_factory=Panel)
    overlay: Json | None = None
    last_outage: Json | None = None
    signature_mode: str = "silent"
    metrics: Json | None = field(default_factory=lambda: first_sample())
    broken: bool = False
    wifi_signal: int | None = 71
    on_reboot: Callable[[], None] = lambda: None
    on_shutdown: Callable[[], None] = lambda: None
    on_update: Callable[[], None] = lambda: None
    on_rename: Callable[[], None] = lambda: None
    on_change: Callable[[], None] = lambda: None

    def __post_init__(self) -> None:
        self.installed_version = self.installed_version or self.firmware.version
        self.latest_version = self.latest_version or self.installed_version

    @property
    def volume(self) -> int | None:
        return None if self.mixer is None else percent_of(self.mixer)

    @property
    def screen_size(self) -> tuple[int, int]:
        """Return width and height after rotation."""
        return (2160, 3840) if self.orientation.startswith("portrait") else (3840, 2160)

    def network(self) -> Json:
        """Return the network as newer firmware reports it."""
        found: Json = {"state": "online" if self.internet else "offline_retrying"}
        if not self.wired:
            found["ssid"] = self.ssid
        found["link"] = "ethernet" if self.wired else "wifi"
        found["internet"] = self.internet
        return found

    def identity(self, contract: str) -> Json:
        """Return the answer of the status routes."""
        return {
            "device_id": self.device_id,
            "version": self.installed_version,
            "branch": "release",
            "contract": contract,
            "claimed": self.claimed,
            "internet": self.internet,
            "setup_state": self._setup_state(),
            "connectivity": "connected" if self.link else "disconnected",
            "topic_id": f"topic-{self.device_id.lower()}",
            "network": self.network(),
        }

    def _setup_state(self) -> str:
        if not self.claimed:
            return "unprovisioned"
        return "online" if self.internet else "offline_retrying"

    async def status(self, page: str, sleep: SleepSchedule) -> Json:
        """Return what ``getDeviceStatus`` answers, once the version server has answered or failed."""
        if self.status_seconds:
            await self.clock.sleep(self.status_seconds)
        if self.broken:
            raise CommandError("the configuration cannot be read")
        found: Json = {"screenRotation": self.orientation}
        if not self.wired:
            found["connectedWifi"] = self.ssid
        found["installedVersion"] = self.installed_version
        if self.internet:
            found["latestVersion"] = self.latest_version
        if self.firmware.since("1.0.6"):
            found["macInfo"] = self.network_addresses
        if self.firmware.since("1.0.7") and self.mixer is not None:
            found["volume"] = self.volume
            found["isMuted"] = self.muted
        if self.firmware.since("1.0.13"):
            found["displayURL"] = page
        if self.firmware.since("1.0.15"):
            found["sleepSchedule"] = sleep.record()
        return found | self._second_status()

    def _second_status(self) -> Json:
        """Return what newer firmware adds to the status."""
        if not self.firmware.second:
            return {}
        found: Json = {
            "contract": "2",
            "deviceName": self.name,
            "network": self.network(),
        }
        if self.last_outage is not None and self.firmware.since("2.0.3"):
            found["lastOutage"] = self.last_outage
        if self.firmware.since("2.0.7"):
            found["signatureVerificationMode"] = self.signature_mode
        return found

    @property
    def network_addresses(self) -> dict[str, str]:
        """Return the MAC addresses, derived from the serial so that no two displays have the same."""
        tail = sum(ord(char) * (n + 1) for n, char in enumerate(self.device_id)) % 65536
        base = f"02:00:{self.hardware:02x}:{tail >> 8:02x}:{tail & 255:02x}"
        return {"enp1s0": f"{base}:01", "wlp2s0": f"{base}:02"}

    # Commands

    def set_volume(self, arguments: Arguments) -> Json:
        percent = arguments.integer("percent")
        if not 0 <= percent <= 100 or self.mixer is None:
            raise CommandError("out of range")
        self.mixer = mixer_of(percent)
        return OK

    def toggle_mute(self, _: Arguments) -> Json:
        self.muted = not self.muted
        return OK

    def rotate(self, arguments: Arguments) -> Json:
        """Rotate the screen by 90 degrees."""
        step = -1 if arguments.flag("clockwise") else 1
        place = ORIENTATIONS.index(self.orientation) + step
        self.orientation = ORIENTATIONS[place % len(ORIENTATIONS)]
        self.on_change()
        return {"orientation": self.orientation}

    def device_metrics(self, _: Arguments) -> Json | None:
        """Return the latest metrics."""
        if self.metrics is None:
            return None
        stamp = f"{self.clock.now().astimezone(UTC):%Y-%m-%dT%H:%M:%S.%f}000Z"
        width, height = self.screen_size
        screen = self.metrics["screen"] | {"width": width, "height": height}
        return self.metrics | {"screen": screen, "timestamp": stamp}

    def reboot(self, _: Arguments) -> Json:
        self.on_reboot()
        return OK

    def shutdown(self, _: Arguments) -> Json:
        """Shut down."""
        self.on_shutdown()
        return OK

    def update(self, _: Arguments) -> Json:
        """Install the latest version, then reboot."""
        self.on_update()
        return OK

    def set_name(self, arguments: Arguments) -> Json:
        self.name = arguments.text("name")
        self.on_rename()
        return {"deviceName": self.name}

    def set_signature_mode(self, arguments: Arguments) -> Json:
        """Set what happens to playlists without a valid signature."""
        mode = arguments.text("mode")
        if mode not in _MODES:
            raise CommandError("unknown mode")
        self.signature_mode = mode
        return {"ok": True, "signatureVerificationMode": mode}

    def show_pairing_code(self, player: Player, arguments: Arguments) -> Json:
        """Show the pairing code: on a page of its own, or over the work."""
        show = arguments.flag("show")
        if self.firmware.second:
            self.overlay = (
                {"owner": "setup", "state": "pairing_code", "pairingCode": "4711-0815"}
                if show
                else None
            )
        elif show:
            player.page = Page.SETUP
        elif player.page is Page.SETUP:
            player.page = Page.PLAYLIST
        self.on_change()
        return OK


def press_key(arguments: Arguments) -> Json:
    if arguments.integer("code") not in _KEYS:
        raise CommandError("not a key")
    return OK


def tap(arguments: Arguments) -> Json:
    """Press a mouse button."""
    if arguments.text("button") not in _BUTTONS:
        raise CommandError("not a button")
    return OK


def first_sample() -> Json:
    """Return a sample of the system monitor without its time."""
    return {
        "cpu": {
            "max_frequency": 4500,
            "current_frequency": 1800,
            "max_temperature": 100,
            "current_temperature": 52,
        },
        "gpu": {
            "max_frequency": 2600,
            "current_frequency": 800,
            "current_temperature": 50,
            "max_temperature": 100,
            "gpu_busy": 7.5,
        },
        "memory": {"max_capacity": 15700, "used_capacity": 5200},
        "screen": {"width": 3840, "height": 2160, "refresh_rate": 60},
        "uptime": 86400.5,
        "disk": {
            "total_capacity": 240000000,
            "used_capacity": 31000000,
            "available_capacity": 196000000,
        },
    }
