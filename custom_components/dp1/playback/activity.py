"""Activity of a display, such as a new work or a failed playback: what a change of it is to whoever listens."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any, Final

from homeassistant.const import ATTR_ENTITY_ID
from homeassistant.core import callback
from homeassistant.helpers.dispatcher import async_dispatcher_send
from homeassistant.util.signal_type import SignalType

from ..const import DOMAIN, EVENT_WORK_CHANGED
from ..coordinator import DisplayCoordinator
from ..display.state import DisplayData
from ..grants import without_token
from ..library.libraries import async_source_list
from ..library.words import fold
from .watch import Change, shown_work

# Seconds that an event about a new work waits for what the libraries know of it.
ACTIVITY_PATIENCE: Final = 3.0

ARTWORK_CHANGED: Final = "artwork_changed"
PLAYLIST_STARTED: Final = "playlist_started"
PLAYBACK_FAILED: Final = "playback_failed"
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
            "title": work.title or None,
            "artist": work.artist,
            "exhibition": work.exhibition,
            "work_id": work.item_id,
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


def changes(change: Change) -> Iterator[tuple[str, bool]]:
    """Yield the types of activity in a change, and whether each belongs to an announcement."""
    if change.before is None or not change.after.available:
        return
    before, after = change.before.known, change.after.known
    if before.knows_player:
        if after.playlist is not None and after.playlist != before.playlist:
            yield PLAYLIST_STARTED, False
        if after.work is not None and after.work != before.work:
            # What returns after an announcement has not been away for those who skip announcements.
            returns = before.is_announced and after.work == before.lasting_work
            yield ARTWORK_CHANGED, after.is_announced or returns
    if after.problem and before.problem == "":
        yield PLAYBACK_FAILED, False


class ActivityTracker:
    """Tells the changes of a display as activity to listeners."""

    def __init__(self, coordinator: DisplayCoordinator) -> None:
        """Initialize the tracker."""
        self._coordinator = coordinator
        # What is told once the libraries have its work.
        self._waiting: Activity | None = None

    @callback
    def follow(self, change: Change) -> None:
        """Tell each change, a new work once the libraries have it."""
        coordinator, data = self._coordinator, change.after.data
        for kind, is_announcing in changes(change):
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

    async def _async_tell_known(self, activity: Activity) -> None:
        """Tell of a work once the libraries have its metadata."""
        await self._coordinator.metadata.async_wait(ACTIVITY_PATIENCE)
        if self._waiting is activity:
            self._waiting = None
            before, data = activity.data.player, self._coordinator.data
            # On its way to something else, the display may be at another work by now.
            if before and data.player and shown_work(before) == shown_work(data.player):
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
