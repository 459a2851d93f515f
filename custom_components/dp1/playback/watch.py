"""The watch over a display: the only listener that knows the state before, and tells each change once."""

from collections.abc import Callable
from dataclasses import dataclass

from homeassistant.core import callback

from ..coordinator import DisplayCoordinator
from ..display.state import DisplayData


@dataclass(frozen=True, slots=True)
class Seen:
    """A display as it was seen.

    Attributes:
        available: whether it is there.
        data: its state.
        is_announcing: whether what it shows is for a time.
    """

    available: bool
    data: DisplayData
    is_announcing: bool = False


@dataclass(frozen=True, slots=True)
class Change:
    """A change of a display; both sides are equal where something else has changed that concerns it."""

    before: Seen
    after: Seen


type Follower = Callable[[Change], None]


class Watch:
    """The watch over one display, which tells each change to its followers."""

    def __init__(self, coordinator: DisplayCoordinator, *followers: Follower) -> None:
        """Initialize the watch; the present state is no change."""
        self._coordinator = coordinator
        self._followers = followers
        self._seen = self._see()

    @callback
    def async_start(self) -> None:
        """Watch the display until its entry is unloaded."""
        coordinator = self._coordinator
        stop = coordinator.async_add_listener(self._handle_update)
        coordinator.config_entry.async_on_unload(stop)
        self._handle_update()

    def _see(self) -> Seen:
        """Return the display as it is."""
        display = self._coordinator
        is_announcing = display.history.is_announcing
        return Seen(display.last_update_success, display.data, is_announcing)

    @callback
    def _handle_update(self) -> None:
        """Tell the followers."""
        before, self._seen = self._seen, self._see()
        change = Change(before, self._seen)
        for follow in self._followers:
            follow(change)
