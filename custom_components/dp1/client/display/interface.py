"""What a display is asked and told, wherever it is: a device on the network or a page of our own."""

from abc import ABC, abstractmethod
from collections.abc import AsyncGenerator, Callable, Container, Sequence
from dataclasses import dataclass
from enum import StrEnum
from typing import Any

from ..errors import RejectedError
from ..hosts import same_work
from ..playlist.playlist import Playlist
from .device_status import (
    ContentPolicy,
    DeviceStatus,
    Identity,
    Metrics,
    OfflineCache,
    PanelStatus,
    PlaybackCounters,
    SleepSchedule,
)
from .notifications import Event
from .player_status import PlayerStatus, PlaylistItem
from .recent import RecentWork

# Seconds of silence before a display is asked whether it is still there.
HEARTBEAT = 30.0


class Dialect(StrEnum):
    """Interface description that a display follows."""

    UNKNOWN = "unknown"
    FF = "ff"
    LEGACY = "legacy"


@dataclass(frozen=True, slots=True)
class Start:
    """Where and how a cast starts. By default a display starts with the first work, in order, and loops.

    Attributes:
        work_id: id of the first work.
        source: URL of the first work, if it has no id.
        index: index of the first work, counted from 0, if it has neither or is listed twice.
        shuffle: play in random order.
        loop: loop mode: "none", "playlist" or "one".
    """

    work_id: str | None = None
    source: str | None = None
    index: int | None = None
    shuffle: bool | None = None
    loop: str | None = None

    def find(self, items: Sequence[PlaylistItem]) -> int | None:
        """Return the index of the first work, counted from 0; None for wherever the display starts."""
        source = same_work(self.source or "")
        for is_it in (
            lambda item: self.work_id is not None and item.id == self.work_id,
            lambda item: bool(source) and same_work(item.source or "") == source,
        ):
            if indexes := [at for at, item in enumerate(items) if is_it(item)]:
                return self.index if self.index in indexes else indexes[0]
        return self.index


class DisplayApi(ABC):
    """A display. What it may lack is refused, or None, unless it says otherwise.

    Attributes:
        dialect: which interface description it follows, unknown until it has answered.
        dialect_is_fixed: whether what it answers never changes that.
        on_dialect: called when the dialect becomes known.

    Raises:
        Dp1Error: each method may, as :class:`.client.Display` describes.
    """

    dialect: Dialect = Dialect.FF
    dialect_is_fixed: bool = True
    on_dialect: Callable[[Dialect], None] | None = None

    @property
    @abstractmethod
    def url(self) -> str:
        """Return where the display is, for error texts: its base URL without a trailing slash."""

    @property
    def is_secure(self) -> bool:
        """Return whether it loads nothing but what is secure, as a page that was opened by https."""
        return False

    @abstractmethod
    async def identify(self) -> Identity | None:
        """Return the identity; None if the display cannot tell."""

    @abstractmethod
    async def player_status(self) -> PlayerStatus:
        """Return the player status."""

    @abstractmethod
    async def device_status(self) -> DeviceStatus:
        """Return the device status; it may take half a minute."""

    async def panel_status(self) -> PanelStatus:
        """Return the panel status; takes seconds."""
        raise RejectedError("panel_status")

    async def metrics(self) -> Metrics | None:
        """Return the latest sample; None before the first."""
        return None

    async def content_policy(self) -> ContentPolicy:
        """Return which works may be shown."""
        raise RejectedError("content_policy")

    async def recently_shown(self) -> tuple[RecentWork, ...]:
        """Return the works that the display has shown, the newest first."""
        raise RejectedError("recently_shown")

    async def show_again(self, record_id: str) -> None:
        """Show a work that the display remembers."""
        raise RejectedError("show_again")

    async def offline_cache(self) -> OfflineCache:
        """Return how many works the display keeps."""
        raise RejectedError("offline_cache")

    @abstractmethod
    async def counters(self) -> PlaybackCounters | None:
        """Return the playback counters; None if the display does not count."""

    async def screenshot(self, side: int) -> bytes | None:
        """Return a PNG of the page on the display; None if not offered."""
        return None

    @abstractmethod
    async def probe(self) -> None:
        """Check that the display answers, at the least cost to it."""

    @abstractmethod
    def listen(self, heartbeat: float = HEARTBEAT) -> AsyncGenerator[Event]:
        """Yield ``Connected`` once, then what changes, until the connection ends."""

    @abstractmethod
    async def show_item(self, index: int) -> None:
        """Show a work of the playlist, counted from 0 in the order of the status."""

    @abstractmethod
    async def set_shuffle(self, enabled: bool) -> None:
        """Turn shuffle on or off; the current work stays."""

    @abstractmethod
    async def set_loop(self, mode: str) -> None:
        """Set the loop mode: "none", "playlist" or "one"."""

    @abstractmethod
    async def set_default_duration(self, seconds: float | None) -> None:
        """Set the seconds for works without a duration of their own, more than 0; None clears it."""

    @abstractmethod
    async def update_settings(self, **settings: Any) -> None:
        """Set how works are shown, beyond the current one."""

    async def display_default(self) -> None:
        """Show the vendor's playlist, which also wakes the display."""
        raise RejectedError("display_default")

    @abstractmethod
    async def refresh(self) -> None:
        """Reload the current work."""

    @abstractmethod
    async def clear(self) -> None:
        """Remove the playlist and empty the screen."""

    @abstractmethod
    async def sleep(self) -> None:
        """Put the display to sleep."""

    @abstractmethod
    async def wake(self) -> None:
        """Wake the display."""

    async def set_sleep_mode(self, asleep: bool) -> None:
        """Put the player to sleep or wake it, without schedule and panel."""
        raise RejectedError("set_sleep_mode")

    @abstractmethod
    async def set_sleep_schedule(
        self,
        enabled: bool,
        *,
        sleep_time: str | None = None,
        wake_time: str | None = None,
        days: Container[str] | None = None,
    ) -> SleepSchedule:
        """Set the sleep schedule and return it; this clears the override of ``sleep`` and ``wake``."""

    async def reboot(self) -> None:
        """Restart the device."""
        raise RejectedError("reboot")

    async def shutdown(self) -> None:
        """Turn the device off."""
        raise RejectedError("shutdown")

    async def install_update(self) -> None:
        """Start installing the latest firmware; the device restarts some minutes later."""
        raise RejectedError("install_update")

    @abstractmethod
    async def set_volume(self, percent: int) -> None:
        """Set the volume, 0 to 100; the status may report one less. Does not unmute."""

    @abstractmethod
    async def toggle_mute(self) -> None:
        """Mute or unmute, whichever the display is not; there is no absolute command."""

    @abstractmethod
    async def rotate(self, clockwise: bool, turns: int = 1) -> str | None:
        """Rotate the picture by 90° some times and return the new orientation."""

    async def panel_control(self, action: str, value: int | str) -> None:
        """Set the panel over DDC/CI; takes seconds."""
        raise RejectedError("panel_control")

    async def send_key(self, code: int) -> None:
        """Press a key: a printable ASCII code, or 8, 9, 13 or 27."""
        raise RejectedError("send_key")

    async def tap(self) -> None:
        """Tap at the cursor."""
        raise RejectedError("tap")

    async def double_tap(self) -> None:
        """Tap twice at the cursor."""
        raise RejectedError("double_tap")

    async def long_press(self) -> None:
        """Press for 1 s at the cursor."""
        raise RejectedError("long_press")

    async def show_pairing_code(self, show: bool) -> None:
        """Show or hide the code to pair a phone."""
        raise RejectedError("show_pairing_code")

    async def set_signature_mode(self, mode: str) -> None:
        """Set how playlists without a valid signature are treated: "silent", "notify" or "strict"."""
        raise RejectedError("set_signature_mode")

    async def set_content_policy(
        self, show_mature_content: bool, strict_personal: bool
    ) -> None:
        """Set which works may be shown."""
        raise RejectedError("set_content_policy")

    @abstractmethod
    async def cast(self, playlist: Playlist, start: Start | None = None) -> Playlist:
        """Show a playlist. A sleeping display keeps it and goes on sleeping."""

    @abstractmethod
    async def extend(self, playlist: Playlist) -> bool:
        """Replace the works of a playlist that was cast as a document, without reloading the current work."""

    async def keep_offline(self, playlist: Playlist) -> int:
        """Let the display download the works of a playlist, and return how many these are."""
        raise RejectedError("keep_offline")
