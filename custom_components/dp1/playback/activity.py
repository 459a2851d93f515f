"""Activity of a display, such as a new work or a failed playback: differences of two states in a row."""

from collections.abc import Hashable, Iterator, Mapping
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any, Final

from homeassistant.const import ATTR_ENTITY_ID
from homeassistant.core import callback
from homeassistant.helpers.dispatcher import async_dispatcher_send
from homeassistant.util.signal_type import SignalType

from ..client.display.player_status import PlayerStatus
from ..const import DOMAIN, EVENT_WORK_CHANGED
from ..coordinator import DisplayCoordinator
from ..display.state import DisplayData
from ..grants import without_token
from ..library.entries import async_source_list
from ..library.spoken import fold
from .watch import Change, Seen

# Seconds that an event about a new work waits for what the libraries know of it.
ACTIVITY_PATIENCE: Final = 3.0

ARTWORK_CHANGED: Final = "artwork_changed"
PLAYLIST_STARTED: Final = "playlist_started"
PLAYBACK_FAILED: Final = "playback_failed"
FELL_ASLEEP: Final = "fell_asleep"
WOKE: Final = "woke"
CAME_BACK: Final = "came_back"
# The options that name what is shown, and the attributes that may have the name.
NAMES: Final = {
    "work": ("title", "work_id"),
    "exhibition": ("exhibition",),
    "playlist": ("playlist", "playlist_id"),
}


@dataclass(repr=False)
class Activity:
    """Something that happened on a display.

    Attributes:
        coordinator: of the display.
        kind: what happened.
        is_announcing: whether it belongs to an announcement.
        data: what the display shows while this is told.
    """

    coordinator: DisplayCoordinator
    kind: str
    is_announcing: bool
    data: DisplayData

    @property
    def names(self) -> dict[str, Any]:
        """Return the names of the current work; empty without one."""
        if (work := self.data.work) is None:
            return {}
        return {
            "title": work.title,
            "artist": work.artist,
            "exhibition": work.exhibition,
            "work_id": work.id,
        }

    @cached_property
    def attributes(self) -> Mapping[str, Any]:
        """Return the attributes of the current work, which are put together only when somebody reads them."""
        attributes = self.names
        player, work = self.data.player, self.data.work
        if player is not None and work is not None:
            attributes |= {
                "link": work.link,
                "picture": without_token(work.picture),
                "playlist": player.playlist_title,
                "position": player.position,
                "works": player.count,
                "favorite": any(
                    library.favorite_of(player, work)
                    for library in async_source_list(self.coordinator.hass).libraries
                ),
            }
        if self.kind == PLAYBACK_FAILED:
            attributes["reason"] = self.data.problem
        if self.is_announcing:
            attributes["interlude"] = True
        return attributes


ACTIVITY: Final[SignalType[Activity]] = SignalType(f"{DOMAIN}_activity")


class ActivityTracker:
    """The differences of each state of a display from the one before, which are activity to listeners."""

    def __init__(self, coordinator: DisplayCoordinator) -> None:
        """Initialize the tracker; the present state is no news."""
        self._coordinator = coordinator
        self._waiting: Activity | None = None
        # None until the display is there for the first time.
        self._available: bool | None = None
        self._knows_player = False
        self._asleep: bool | None = None
        self._problem: str | None = None
        self._work: Hashable = None
        self._playlist: Hashable = None
        self._before_announcement: Hashable = None
        self._announced: Hashable = None
        seen = Seen(coordinator.last_update_success, coordinator.data)
        for _ in self._changes(seen):
            pass

    @callback
    def follow(self, change: Change) -> None:
        """Tell each change, a new work once the libraries have it; nothing while the display is on its way to something else."""
        coordinator = self._coordinator
        if coordinator.requests.in_steps:
            return
        # All are looked up before the first event, which may change more.
        data = change.after.data
        for kind, is_announcing in list(self._changes(change.after)):
            activity = Activity(coordinator, kind, is_announcing, data)
            if (waiting := self._waiting) is not None:
                # Something else has happened since.
                self._waiting = None
                self._tell(waiting)
            if kind == ARTWORK_CHANGED and coordinator.metadata.is_looking_up:
                self._waiting = activity
                coordinator.create_task(self._async_tell_known(activity), "new work")
            else:
                self._tell(activity)

    def _changes(self, seen: Seen) -> Iterator[tuple[str, bool]]:
        """Yield the types of activity since the last time, and whether each belongs to an announcement."""
        available, data = seen.available, seen.data
        came_back = available and self._available is False
        if available or self._available is not None:
            self._available = available
        if not available:
            return
        if came_back:
            yield CAME_BACK, False
        if (asleep := data.asleep) is not None and asleep is not self._asleep:
            if self._asleep is not None:
                yield FELL_ASLEEP if asleep else WOKE, False
            self._asleep = asleep
        if data.player is not None and not asleep and not data.error_page:
            yield from self._changes_of_player(data.player)
        if (problem := data.problem) and self._problem == "":
            yield PLAYBACK_FAILED, False
        self._problem = problem

    def _changes_of_player(self, player: PlayerStatus) -> Iterator[tuple[str, bool]]:
        """Yield the types of activity of the visible works."""
        in_announcement = self._coordinator.history.is_announcing
        work = _work(player)
        if not self._knows_player:
            self._knows_player = True
            self._work, self._playlist = work, _playlist(player)
            return
        if player.ok and not player.items:
            self._work = self._playlist = None
        is_announcing = in_announcement and work != self._work
        if is_announcing and self._announced is None:
            self._before_announcement = self._work
        elif self._announced is not None and work != self._announced:
            # What returns after an announcement has not been away for those who skip announcements.
            is_announcing = in_announcement or work == self._before_announcement
            self._announced = None
        if is_announcing and in_announcement:
            self._announced = work
        # Pushes do not carry the playlist's name, which is read a moment later.
        if player.playlist is not None and not in_announcement:
            if (playlist := _playlist(player)) != self._playlist:
                self._playlist = playlist
                yield PLAYLIST_STARTED, False
        if work is not None and work != self._work:
            self._work = work
            yield ARTWORK_CHANGED, is_announcing

    async def _async_tell_known(self, activity: Activity) -> None:
        """Tell of a work once the libraries have its metadata."""
        await self._coordinator.metadata.async_wait(ACTIVITY_PATIENCE)
        if self._waiting is activity:
            self._waiting = None
            before, data = activity.data.player, self._coordinator.data
            # On its way to something else, the display may be at another work by now.
            if before and data.player and _work(before) == _work(data.player):
                activity = replace(activity, data=data)
            self._tell(activity)

    def _tell(self, activity: Activity) -> None:
        """Tell whoever listens, and the logbook of a new work."""
        hass = self._coordinator.hass
        async_dispatcher_send(hass, ACTIVITY, activity)
        if activity.kind == ARTWORK_CHANGED and not activity.is_announcing:
            hass.bus.async_fire(
                EVENT_WORK_CHANGED,
                {ATTR_ENTITY_ID: self._coordinator.entity_id, **activity.names},
            )


def _work(player: PlayerStatus) -> Hashable:
    """Return the identity of the current work; None without a work."""
    if (item := player.current) is None:
        return None
    return item.id or (item.title, player.position)


def _playlist(player: PlayerStatus) -> Hashable:
    """Return the identity of a playlist; the display reads the same URL again by itself."""
    if not player.items:
        return None
    return player.playlist_url or frozenset(player.item_ids)


def is_wanted(options: Mapping[str, Any], attributes: Mapping[str, Any]) -> bool:
    """Return whether the attributes of a display match the options of a trigger or a condition."""
    if options.get("favorite") and not attributes.get("favorite"):
        return False
    # Of several artists, or by the last name.
    artist = _folded(options.get("artist"))
    if artist and f" {artist} " not in f" {_folded(attributes.get('artist'))} ":
        return False
    return all(
        _folded(options[name]) in {_folded(attributes.get(key)) for key in keys}
        for name, keys in NAMES.items()
        if options.get(name)
    )


def _folded(name: str | None) -> str:
    """Return a name without case, accents and punctuation, unless it has nothing else."""
    return fold(name or "") or name or ""
