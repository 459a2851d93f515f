"""What happens on a display, to automate on."""

from collections.abc import Hashable
from dataclasses import dataclass
from typing import Any, Final, override

from homeassistant.components.event import EventEntity, EventEntityDescription
from homeassistant.core import HomeAssistant, callback
from homeassistant.helpers.entity_platform import AddConfigEntryEntitiesCallback

from .client.display.player_status import PlayerStatus
from .client.text import clean
from .coordinator import DisplayConfigEntry, DisplayCoordinator
from .display.metadata import artist_of
from .display.state import DisplayData
from .entity import DescribedEntity, DisplayDescription, async_add_as_shown
from .library.library import Work

PARALLEL_UPDATES = 0
TITLE_LENGTH: Final = 200

ARTWORK_CHANGED: Final = "artwork_changed"
PLAYLIST_STARTED: Final = "playlist_started"
PLAYBACK_FAILED: Final = "playback_failed"
FELL_ASLEEP: Final = "fell_asleep"
WOKE: Final = "woke"
CAME_BACK: Final = "came_back"


@dataclass(frozen=True, kw_only=True)
class ActivityDescription(DisplayDescription, EventEntityDescription):
    """What happens on a display."""


ACTIVITY = ActivityDescription(
    key="activity",
    event_types=[
        ARTWORK_CHANGED,
        PLAYLIST_STARTED,
        PLAYBACK_FAILED,
        FELL_ASLEEP,
        WOKE,
        CAME_BACK,
    ],
    exists_fn=lambda data: data.player is not None,
)


async def async_setup_entry(
    hass: HomeAssistant,
    entry: DisplayConfigEntry,
    async_add_entities: AddConfigEntryEntitiesCallback,
) -> None:
    """Add what happens on a display."""
    async_add_as_shown(entry, async_add_entities, [ACTIVITY], Activity)


class Changes:
    """What happens, told by how what a display says differs from what it said before."""

    def __init__(self, data: DisplayData, available: bool) -> None:
        """Begin with what is: that it is so is nothing that happens."""
        self._available = available
        self._asleep = data.asleep
        self._problem = data.problem
        self._work = _work(data.player)
        self._list = _list(data.player)

    def take(self, data: DisplayData, available: bool) -> list[str]:
        """Tell what has happened since the last time."""
        came_back = available and not self._available
        self._available = available
        if not available:
            return []
        happened = [CAME_BACK] if came_back else []
        if data.asleep is not None and data.asleep is not self._asleep:
            if self._asleep is not None:
                happened.append(FELL_ASLEEP if data.asleep else WOKE)
            self._asleep = data.asleep
        if data.player is not None and not data.asleep:
            happened += self._on_the_wall(data.player)
        problem = data.problem
        if problem and not self._problem:
            happened.append(PLAYBACK_FAILED)
        self._problem = problem
        return happened

    def _on_the_wall(self, player: PlayerStatus) -> list[str]:
        """Tell what has happened to the works that can be seen."""
        if player.ok and not player.items:
            self._work = self._list = None
        happened = []
        # Pushes do not carry the playlist's name, which is read a moment later.
        if player.playlist is not None and self._list != (started := _list(player)):
            self._list = started
            happened.append(PLAYLIST_STARTED)
        if (work := _work(player)) is not None and work != self._work:
            self._work = work
            happened.append(ARTWORK_CHANGED)
        return happened


class Activity(DescribedEntity, EventEntity):
    """What happens on a display."""

    entity_description: ActivityDescription

    def __init__(
        self, coordinator: DisplayCoordinator, description: ActivityDescription
    ) -> None:
        """Begin with what is: that it is so is nothing that happens."""
        super().__init__(coordinator, description)
        self._changes = Changes(coordinator.data, self.available)

    @callback
    @override
    def _handle_coordinator_update(self) -> None:
        """Let everything that has happened be known, one after the other."""
        data = self.coordinator.data
        for kind in self._changes.take(data, self.available):
            self._trigger_event(kind, _about(kind, data))
            self.async_write_ha_state()
        super()._handle_coordinator_update()


def _work(player: PlayerStatus | None) -> Hashable:
    """Tell one work from another; None without a work."""
    if player is None or (item := player.current) is None:
        return None
    return item.id or (item.title, player.position)


def _list(player: PlayerStatus | None) -> Hashable:
    """Tell one playlist from another; the display looks for news under the same address by itself."""
    if player is None or not player.items:
        return None
    return player.playlist_url or frozenset(player.item_ids)


def _about(kind: str, data: DisplayData) -> dict[str, Any]:
    """Describe what is on the wall when something happens."""
    about: dict[str, Any] = {}
    if (player := data.player) is not None and (item := player.current) is not None:
        work = data.work or Work()
        about = {
            "title": clean(item.title, TITLE_LENGTH) or work.title,
            "artist": artist_of(item) or work.artist,
            "playlist": clean(player.playlist_title, TITLE_LENGTH) or None,
            "position": player.position,
            "works": len(player.items),
        }
    if kind == PLAYBACK_FAILED:
        about["reason"] = data.problem
    return about
