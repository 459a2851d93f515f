"""The state of a display: an immutable record that its coordinator replaces."""

from dataclasses import dataclass
from datetime import datetime
import re
from typing import Any, Final

from ..client.display.device_status import (
    ContentPolicy,
    DeviceStatus,
    Identity,
    Metrics,
    OfflineCache,
    PanelStatus,
)
from ..client.display.player_status import DeviceSettings, PlayerStatus
from ..library.item import Item

RENDER_LOADING: Final = (0, 1)
RENDER_FAILED: Final = 3
# Of a work that has just appeared.
NO_TROUBLE: Final[dict[str, Any]] = {"stalled": False, "silent_host": None}
# A reason that is a word rather than a message.
SLUG: Final = re.compile("[a-z_]+")


@dataclass(frozen=True, slots=True)
class Screenshot:
    """A screenshot of a display, as PNG."""

    picture: bytes
    taken_at: datetime


@dataclass(frozen=True, slots=True, kw_only=True)
class DisplayData:
    """State of a display.

    Attributes:
        identity: as the display gives it, None with firmware that does not.
        player: what it plays, None while its player shows another page.
        work: the current work, as the display, its cast and the libraries have it.
        shown_since: when the current work was seen to appear, None if it was there before.
        stalled: whether the current work has not loaded for long.
        silent_host: the host of the current work that does not answer, of which a display says nothing; None if none is known.
        set_up: whether the display shows its set-up screen instead of art.
        device: the device behind the player.
        panel: the monitor; this and what follows is only read while an entity shows it, and None until then.
        metrics: load and temperatures.
        policy: which works its owner lets through.
        offline: the works it keeps.
        screenshot: the last one.
    """

    identity: Identity | None = None
    player: PlayerStatus | None = None
    work: Item | None = None
    shown_since: datetime | None = None
    stalled: bool = False
    silent_host: str | None = None
    set_up: bool = False
    device: DeviceStatus | None = None
    panel: PanelStatus | None = None
    metrics: Metrics | None = None
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
        if self.silent_host:
            return "host_silent"
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


def work_key(player: PlayerStatus) -> tuple[str | None, ...]:
    """Return the address of the playlist, and what identifies the current work in it: its id, else title and source."""
    if (item := player.current) is None:
        return (None,)
    if item.id:
        return player.playlist_url, item.id
    return player.playlist_url, None, item.title, item.source


def takes_screenshots(device: DeviceStatus) -> bool:
    """Return whether a display may take screenshots, which came soon after its contract."""
    return device.contract is not None
