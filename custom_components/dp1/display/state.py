"""The state of a display, as the coordinator and the details coordinator hold it."""

from dataclasses import dataclass
from datetime import datetime
from enum import Enum, StrEnum, auto
from functools import lru_cache
from itertools import count
from typing import Final
from urllib.parse import parse_qs

from ..client.display.casts import Cast
from ..client.display.device_status import ContentPolicy, DeviceStatus, PanelStatus
from ..client.display.metrics import Metrics, PlaybackCounters
from ..client.display.player_status import PlayerStatus
from ..client.text import clean
from ..library.works import Work

# Unknown, pending or loading.
RENDER_PENDING: Final = (None, 0, 1)
RENDER_FAILED: Final = 3
REASON_LENGTH: Final = 200


class Refresh(Enum):
    """What to read again after a command."""

    NONE = auto()
    PUSH = auto()
    PLAYER = auto()
    DEVICE = auto()
    PANEL = auto()
    POLICY = auto()


# Numbers requests in the order they were made, as some take longer than others to prepare.
REQUEST_NUMBERS = count(1)


@dataclass(frozen=True, slots=True)
class DisplayData:
    """State of a display.

    Attributes:
        player: what it plays, None while its player shows another page.
        device: the device behind the player.
        work: what the libraries know of the current work.
        shown_since: when the current work was seen to appear, None if it was there before.
        set_up: whether the display shows its set-up screen instead of art.
        assumed: the last successful cast to a display that cannot tell what it shows.
    """

    player: PlayerStatus | None = None
    device: DeviceStatus | None = None
    work: Work | None = None
    shown_since: datetime | None = None
    set_up: bool = False
    assumed: Cast | None = None

    def differs_only_in_work(self, other: DisplayData) -> bool:
        """Return whether both are the same but for which work of the same playlist is shown."""
        player, before = self.player, other.player
        return (
            player is not None
            and before is not None
            and self.device is other.device
            and player.is_same_but_for_work(before)
        )

    @property
    def asleep(self) -> bool | None:
        """Return whether the display sleeps, preferably as the player reports it."""
        if self.player is not None and self.player.asleep is not None:
            return self.player.asleep
        if self.device is not None and (record := self.device.sleep_schedule):
            return record.asleep
        return None

    @property
    def error_page(self) -> str | None:
        """Return the reason on the error page if that is shown; only a wake command leaves it."""
        return _error_of_page((self.device.display_url if self.device else None) or "")

    @property
    def problem(self) -> str | None:
        """Return why the work is not shown; empty if it is, None if that is unknown."""
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
            return clean(player.error, REASON_LENGTH) or "not_ok"
        return ""


@lru_cache
def _error_of_page(url: str) -> str | None:
    """Return the reason on the error page; None for any other page."""
    path, _, query = url.partition("?")
    if not path.rstrip("/").endswith("/error"):
        return None
    reason = parse_qs(query).get("error", [""])[0]
    return clean(reason, REASON_LENGTH) or "error"


@dataclass(frozen=True, slots=True)
class Screenshot:
    """A screenshot of a display, as PNG."""

    picture: bytes
    taken_at: datetime


class Detail(StrEnum):
    """A part of the details, by its name in the data."""

    PANEL = "panel"
    METRICS = "metrics"
    COUNTERS = "counters"
    POLICY = "policy"
    SCREENSHOTS = "screenshots"


@dataclass(frozen=True, slots=True)
class DisplayDetails:
    """State of a display that is read only while an entity shows it; None until it was read.

    Attributes:
        panel: the monitor.
        metrics: load and temperatures.
        counters: playback counters, also None if the display does not count.
        policy: which works its owner lets through.
        screenshots: whether it can take screenshots.
        screenshot: the last one.
    """

    panel: PanelStatus | None = None
    metrics: Metrics | None = None
    counters: PlaybackCounters | None = None
    policy: ContentPolicy | None = None
    screenshots: bool = False
    screenshot: Screenshot | None = None
