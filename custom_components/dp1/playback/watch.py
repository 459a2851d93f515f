"""The watch over a display: the only listener that knows the state before, and tells each change once."""

from collections.abc import Callable, Hashable
from dataclasses import dataclass, field, replace
from typing import Any

from homeassistant.core import callback

from ..client.display.player_status import PlayerStatus
from ..const import LOGGER
from ..coordinator import DisplayCoordinator
from ..display.hung import Hung
from ..display.state import DisplayData


@dataclass(frozen=True, slots=True)
class Known:
    """What a display has told; it stays while the display is away, asleep or at another page.

    Attributes:
        problem: as in its state.
        knows_player: whether it has ever told what it plays.
        work: the identity of its work.
        playlist: that of what hangs for good.
        is_announced: whether the work appeared for a time.
        lasting_work: the work that hangs for good.
    """

    problem: str | None = None
    knows_player: bool = False
    work: Hashable = None
    playlist: Hashable = None
    is_announced: bool = False
    lasting_work: Hashable = None


@dataclass(frozen=True, slots=True)
class Seen:
    """A display as it was seen.

    Attributes:
        available: whether it is there.
        data: its state.
        is_announcing: whether what it shows is for a time.
        hung: what it took last.
        known: what it has told so far.
    """

    available: bool
    data: DisplayData
    is_announcing: bool = False
    hung: Hung | None = None
    known: Known = field(default_factory=Known)


@dataclass(frozen=True, slots=True)
class Change:
    """A change of a display; both sides are alike where something else has changed that concerns it.

    Attributes:
        before: None when the watch begins.
        after: what is seen now.
    """

    before: Seen | None
    after: Seen

    @property
    def has_come(self) -> bool:
        """Return whether the display was not there before."""
        return self.after.available and not (self.before and self.before.available)


type Follower = Callable[[Change], None]


class Watch:
    """The watch over one display, which tells each change to its followers, in any order.

    What is on the way to something else is not told, but what comes of it.
    """

    def __init__(self, coordinator: DisplayCoordinator, *followers: Follower) -> None:
        """Initialize the watch, which has seen nothing yet."""
        self._coordinator = coordinator
        self._followers = followers
        self._seen: Seen | None = None
        self._has_changed = self._is_telling = False

    @callback
    def async_start(self) -> None:
        """Watch the display until its entry is unloaded."""
        coordinator = self._coordinator
        stop = coordinator.async_add_listener(self._handle_update)
        coordinator.config_entry.async_on_unload(stop)
        self._handle_update()

    def _see(self) -> Seen:
        """Return the display as it is."""
        display, before = self._coordinator, self._seen
        available, data = display.last_update_success, display.data
        is_announcing = display.wall.is_announcing
        known = before.known if before else Known()
        if available:
            known = _told(known, data, is_announcing)
        return Seen(available, data, is_announcing, display.wall.hung, known)

    @callback
    def _handle_update(self) -> None:
        """Tell the followers; what they change themselves is told next."""
        self._has_changed = True
        if self._is_telling or self._coordinator.requests.in_steps:
            return
        self._is_telling = True
        try:
            while self._has_changed:
                self._has_changed = False
                before, self._seen = self._seen, self._see()
                self._tell(Change(before, self._seen))
        finally:
            self._is_telling = False

    def _tell(self, change: Change) -> None:
        """Tell each follower, whatever comes of another."""
        for follow in self._followers:
            try:
                follow(change)
            except Exception:  # noqa: BLE001 (a fault of one costs the others nothing)
                LOGGER.exception("Unexpected error following a display")


def _told(known: Known, data: DisplayData, is_announcing: bool) -> Known:
    """Return what a display has told that is there."""
    player, told = data.player, dict[str, Any](problem=data.problem)
    if player is not None and not data.asleep and not data.error_page:
        told |= _told_by_player(known, player, is_announcing)
    news = {name: it for name, it in told.items() if getattr(known, name) != it}
    return replace(known, **news) if news else known


def _told_by_player(
    known: Known, player: PlayerStatus, is_announcing: bool
) -> dict[str, Any]:
    """Return the fields of what a display has told that follow from visible works."""
    told: dict[str, Any] = {"knows_player": True}
    work, is_empty = shown_work(player), player.ok and not player.items
    if work != known.work and (work is not None or is_empty):
        told |= {"work": work, "is_announced": is_announcing}
        if not is_announcing:
            told["lasting_work"] = work
    # Pushes do not carry the playlist's name, which is read a moment later.
    is_whole = player.playlist is not None and not player.hides_works
    if not known.knows_player or is_empty or (is_whole and not is_announcing):
        told["playlist"] = _playlist(player)
    return told


def shown_work(player: PlayerStatus) -> Hashable:
    """Return the identity of the current work; None without a work."""
    if (item := player.current) is None:
        return None
    return item.id or (item.title, player.position)


def _playlist(player: PlayerStatus) -> Hashable:
    """Return the identity of a playlist; the display reads the same URL again by itself."""
    if not player.items:
        return None
    return player.playlist_url or frozenset(player.item_ids)
