"""The device around the player: sound, rotation, firmware, network and input, with their commands."""

from collections.abc import Awaitable, Callable
from copy import deepcopy
from dataclasses import dataclass, field
from datetime import UTC
import json
from pathlib import Path
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
# Of the system monitor, without its time.
_SAMPLE: Json = json.loads(Path(__file__).with_name("sample.json").read_text("utf-8"))


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
        name: the name given by the owner; empty if there is none.
        hardware: number of the set of network interfaces, which determines their addresses.
        latest_version: the version that an update installs.
        status_seconds: how long the vendor's version server delays each status.
        mixer: value of the sound mixer; None if it does not answer.
        overlay: what is shown over the work.
        signature_mode: what happens to playlists without a valid signature.
        metrics: the latest sample of the system monitor; None before the first.
        on_rename: called when the name has changed.
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
    mixer: int | None = FIRST_MIXER
    muted: bool = False
    orientation: str = ORIENTATIONS[0]
    panel: Panel = field(default_factory=Panel)
    overlay: Json | None = None
    last_outage: Json | None = None
    signature_mode: str = "silent"
    metrics: Json | None = field(default_factory=lambda: deepcopy(_SAMPLE))
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
            "claimed": True,
            "internet": self.internet,
            "setup_state": "online" if self.internet else "offline_retrying",
            "connectivity": "connected",
            "topic_id": f"topic-{self.device_id.lower()}",
            "network": self.network(),
        }

    async def status(self, page: str, sleep: SleepSchedule) -> Json:
        """Return what ``getDeviceStatus`` answers, once the version server has answered or failed."""
        if self.status_seconds:
            await self.clock.sleep(self.status_seconds)
        found: Json = {"screenRotation": self.orientation}
        if not self.wired:
            found["connectedWifi"] = self.ssid
        found["installedVersion"] = self.installed_version
        if self.internet:
            found["latestVersion"] = self.latest_version
        found["macInfo"] = self.network_addresses
        if self.mixer is not None:
            found["volume"] = self.volume
            found["isMuted"] = self.muted
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
