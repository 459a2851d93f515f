"""Dispatch of commands to the parts of the display, and the format of their replies."""

from collections.abc import Callable
from dataclasses import dataclass
from inspect import isawaitable
from typing import Any

from . import device as executor
from .arguments import Arguments
from .caster import Caster
from .device import Command, Device
from .firmware import Firmware
from .history import History
from .offline import OfflineCache
from .player import Page, Player
from .sleep import SleepSchedule

type Json = dict[str, Any]
type Raw = Callable[[Json | None], Any]

QUERIES = frozenset(
    {
        "checkStatus",
        "ddcPanelStatus",
        "deviceMetrics",
        "getContentPolicy",
        "getDeviceStatus",
        "getOfflineCacheStatus",
        "getRecentlyPlayed",
    }
)


@dataclass(eq=False)
class Router:
    """Dispatches commands."""

    _firmware: Firmware
    _device: Device
    _player: Player
    _sleep: SleepSchedule
    _caster: Caster
    _history: History
    _offline: OfflineCache

    def __post_init__(self) -> None:
        self._executor = self._device_commands()
        self._raw = self._second_commands()
        self.on_player_command: Callable[[], None] = lambda: None

    async def execute(self, command: str, request: Json | None) -> Any:
        """Carry out a command and return the reply as it is sent."""
        since, method = self._executor.get(command, ("", None))
        if method is not None and self._firmware.since(since):
            return await _finished(method(Arguments(request)))
        since, raw = self._raw.get(command, ("", None))
        if raw is not None and self._firmware.since(since):
            return await _finished(raw(request))
        try:
            return await self._to_player(command, request)
        finally:
            self.on_player_command()

    async def _to_player(self, command: str, request: Json | None) -> Json:
        """Carry out a command of the page."""
        if command == "displayPlaylist":
            return {"message": await self._caster.cast(request)}
        if command == "refreshArtwork" and self._firmware.second and self._player.dead:
            self._player.dead = ""
            self._player.page = Page.PLAYLIST
            return {"ok": True, "recovered": "navigate"}
        reply = self._player.handle(command, request)
        if command == "checkStatus" and reply.get("ok") is True:
            reply |= self._overlay()
        return {"message": reply}

    def _overlay(self) -> Json:
        """Return what is shown over the work, in firmware that reports it."""
        overlay = self._device.overlay
        told = overlay is not None and self._firmware.since("2.0.8")
        return {"overlay": overlay} if told else {}

    def _device_commands(self) -> dict[str, tuple[str, Command]]:
        device, sleep, panel = self._device, self._sleep, self._device.panel
        return {
            "ddcPanelControl": ("1.0.11", panel.control),
            "ddcPanelStatus": (
                "1.0.11",
                lambda _: panel.status(explains=self._firmware.second),
            ),
            "deviceMetrics": ("0.9.0", device.device_metrics),
            "doubleTapGesture": ("1.0.17", executor.tap),
            "getDeviceStatus": (
                "0.9.0",
                lambda _: device.status(self._player.url, sleep),
            ),
            "longPressGesture": ("1.0.17", executor.tap),
            "reboot": ("0.9.0", device.reboot),
            "rotate": ("0.9.0", device.rotate),
            "sendKeyboardEvent": ("0.9.0", executor.press_key),
            "setSleepSchedule": ("1.0.15", sleep.set_schedule),
            "setVolume": ("1.0.7", device.set_volume),
            "showPairingQRCode": (
                "0.9.0",
                lambda arguments: device.show_pairing_code(self._player, arguments),
            ),
            "shutdown": ("0.9.0", device.shutdown),
            "sleepNow": ("1.0.15", sleep.sleep_now),
            "tapGesture": ("0.9.0", executor.tap),
            "toggleMute": ("1.0.7", device.toggle_mute),
            "updateToLatestVersion": ("0.9.0", device.update),
            "wakeNow": ("1.0.15", sleep.wake_now),
            "setDeviceName": ("2.0.0", device.set_name),
            "setSignatureVerificationMode": ("2.0.7", device.set_signature_mode),
        }

    def _second_commands(self) -> dict[str, tuple[str, Raw]]:
        """Return the commands that newer firmware adds."""
        policy, offline = self._caster.policy, self._offline
        resolve = self._caster.resolve
        return {
            "downloadPlaylist": (
                "2.0.0",
                lambda request: offline.download(request, resolve),
            ),
            "getContentPolicy": ("2.0.7", policy.get),
            "getOfflineCacheStatus": ("2.0.0", offline.status),
            "getRecentlyPlayed": (
                "2.0.7",
                lambda _: {"message": self._history.records()},
            ),
            "playRecentlyPlayed": ("2.0.7", self._history.play),
            "setContentPolicy": ("2.0.7", policy.set),
        }


async def _finished(reply: Any) -> Any:
    """Return the reply, once it is complete."""
    return await reply if isawaitable(reply) else reply
