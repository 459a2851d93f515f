"""The reads of a display, beside which it pushes: the player, the device, and what not every display has."""

import asyncio
from collections.abc import Awaitable, Callable, Mapping, Set as AbstractSet
from enum import StrEnum, auto
from typing import Any, Final

from homeassistant.core import HomeAssistant, callback
from homeassistant.helpers.debounce import Debouncer

from ..client.display.client import Display
from ..client.display.device_status import DeviceStatus
from ..client.display.player_status import PlayerStatus
from ..client.errors import Dp1Error, RejectedError, UnexpectedAnswerError
from ..const import LOGGER

# Seconds between two reads of the player because of pushes.
READ_COOLDOWN: Final = 2.0
# Without internet, each read takes half a minute.
DEVICE_READS_AT_ONCE: Final = 2
# What not every display has, by its field of the state: how it is read, and after how many polls again while an entity
# shows it. The panel is slow.
OPTIONAL: Final[Mapping[str, tuple[Callable[[Display], Awaitable[object]], int]]] = {
    "metrics": (lambda display: display.metrics(), 1),
    "policy": (lambda display: display.content_policy(), 5),
    "offline": (lambda display: display.offline_cache(), 1),
    "panel": (lambda display: display.panel_status(), 5),
}


class Refresh(StrEnum):
    """Extent of the reading after a command."""

    NONE = auto()
    PUSH = auto()
    PLAYER = auto()
    DEVICE = auto()
    PANEL = auto()
    POLICY = auto()
    OFFLINE = auto()


class PlayerReads:
    """The player as it is read and pushed, of which the later counts.

    Attributes:
        was_pushed: set by each push.
        read_again: reads it soon, as pushes ask for it.
    """

    def __init__(
        self,
        hass: HomeAssistant,
        display: Display,
        async_refresh: Callable[[], Awaitable[None]],
    ) -> None:
        """Initialize without a status; `async_refresh` reads the player and handles its status."""
        self.was_pushed = asyncio.Event()
        self.read_again = Debouncer(
            hass,
            LOGGER,
            cooldown=READ_COOLDOWN,
            immediate=True,
            function=async_refresh,
            background=True,
        )
        self._display = display
        # The last push, when it came, and since when the player is as it is.
        self._pushed: PlayerStatus | None = None
        self._pushed_at = self._since = 0.0

    async def async_read(self) -> PlayerStatus:
        """Read the player; a push during the read is newer than the answer."""
        began = asyncio.get_running_loop().time()
        player = await self._display.player_status()
        if self._pushed is not None and self._pushed_at >= began:
            player = self._pushed.completed_by(player)
        self._since = max(self._since, began)
        return player

    @callback
    def push(
        self, pushed: PlayerStatus, since: float, before: PlayerStatus | None
    ) -> PlayerStatus | None:
        """Return a push over the status before, None if the player was read since."""
        if since < self._since:
            return None
        self._pushed, self._pushed_at = pushed, since
        self._since = since
        return pushed.completed_by(before)


class DeviceReads:
    """The reads of the device status.

    Attributes:
        since: when the last status was asked for or pushed.
    """

    def __init__(self, display: Display) -> None:
        """Initialize without a status."""
        self.since = 0.0
        self._display = display
        self._under_way: list[float] = []

    @property
    def is_busy(self) -> bool:
        """Return whether no more reads are sent for now."""
        return len(self._under_way) >= DEVICE_READS_AT_ONCE

    def wait_longer_than(self, seconds: float) -> bool:
        """Return whether one has not been answered for so long."""
        now = asyncio.get_running_loop().time()
        return any(now - began >= seconds for began in self._under_way)

    async def async_read(self) -> tuple[DeviceStatus, float]:
        """Read the device status, and return when that was asked for, too."""
        began = asyncio.get_running_loop().time()
        self._under_way.append(began)
        try:
            return await self._display.device_status(), began
        finally:
            self._under_way.remove(began)


class OptionalReads:
    """The reads of what not every display has: each once, and again while entities show it.

    Attributes:
        lock: held for a round of reads.
    """

    def __init__(self, display: Display) -> None:
        """Initialize; nothing has been read."""
        self.lock = asyncio.Lock()
        self._display = display
        # Those that have succeeded or been refused, with which firmware.
        self._learned: set[str] = set()
        self._firmware: str | None = None
        self._rounds = 0

    @callback
    def forget(self) -> None:
        """Forget what the display has: it may come back with another monitor."""
        self._learned.clear()

    @callback
    def due(self, device: DeviceStatus | None, fields: AbstractSet[Any]) -> list[str]:
        """Return what is read in this round, if entities show fields."""
        if device is not None and device.installed_version != self._firmware:
            # Other firmware may have more.
            self._firmware = device.installed_version
            self.forget()
        missing = set()
        # The content policy came together with signature modes.
        if device is None or device.signature_mode is None:
            missing.add("policy")
        if device is None or device.contract is None:
            missing.add("offline")
        self._rounds += 1
        return [
            name
            for name, (_, every) in OPTIONAL.items()
            if name not in missing
            if name not in self._learned
            or (name in fields and (self._rounds - 1) % every == 0)
        ]

    async def async_read(self, name: str) -> dict[str, object]:
        """Read a field, and return it by its name if the display has it."""
        read, _ = OPTIONAL[name]
        values = {}
        try:
            values[name] = await read(self._display)
        except Dp1Error as err:
            LOGGER.debug("%s: reading %s: %s", self._display.url, name, err)
            if not isinstance(err, (RejectedError, UnexpectedAnswerError)):
                return {}
        # Metrics may be empty at first.
        if name != "metrics" or values.get(name) is not None:
            self._learned.add(name)
        return values
