"""Event entity of a display."""

from collections.abc import Hashable, Iterator
from dataclasses import dataclass
from typing import Any, Final, override

from homeassistant.components.event import EventEntity, EventEntityDescription
from homeassistant.core import HomeAssistant, callback
from homeassistant.helpers.entity_platform import AddConfigEntryEntitiesCallback

from .client.display.player_status import PlayerStatus
from .client.text import clean
from .coordinator import DisplayConfigEntry, DisplayCoordinator
from .display.metadata import artist_of, picture_of
from .display.state import DisplayData
from .entity import DescribedEntity, DisplayDescription, async_add_display_entities
from .library.library import Work
from .playback.announce import ANNOUNCEMENTS
from .playback.media_proxy import without_token

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
    """Description of the event entity."""


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
)


async def async_setup_entry(
    hass: HomeAssistant,
    entry: DisplayConfigEntry,
    async_add_entities: AddConfigEntryEntitiesCallback,
) -> None:
    """Set up the event entity of a display."""
    async_add_display_entities(entry, async_add_entities, [ACTIVITY], Activity)


class Changes:
    """Finds what happens by comparing what a display says with what it said before."""

    def __init__(self) -> None:
        """Initialize without knowing anything, so that what is said first is no event."""
        self._was_available = False
        self._is_available = False
        self._knows_player = False
        self._asleep: bool | None = None
        self._problem: str | None = None
        self._work: Hashable = None
        self._playlist: Hashable = None
        self._before_interlude: Hashable = None
        self._interlude: Hashable = None

    def update(
        self, data: DisplayData, available: bool, in_interlude: bool
    ) -> Iterator[tuple[str, bool]]:
        """Yield the types of what has happened since the last time, and whether it belongs to an interlude."""
        came_back = available and self._was_available and not self._is_available
        self._is_available = available
        self._was_available |= available
        if not available:
            return
        if came_back:
            yield CAME_BACK, False
        if data.asleep is not None and data.asleep is not self._asleep:
            if self._asleep is not None:
                yield FELL_ASLEEP if data.asleep else WOKE, False
            self._asleep = data.asleep
        if data.player is not None and not data.asleep and not data.error_page:
            yield from self._update_player(data.player, in_interlude)
        if data.problem and self._problem == "":
            yield PLAYBACK_FAILED, False
        self._problem = data.problem

    def _update_player(
        self, player: PlayerStatus, in_interlude: bool
    ) -> Iterator[tuple[str, bool]]:
        """Yield what has happened to the works that are visible."""
        work, playlist = _work(player), _playlist(player)
        if not self._knows_player:
            self._knows_player = True
            self._work, self._playlist = work, playlist
            return
        if player.ok and not player.items:
            self._work = self._playlist = None
        is_interlude = in_interlude and work != self._work
        if is_interlude and self._interlude is None:
            self._before_interlude = self._work
        elif self._interlude is not None and work != self._interlude:
            # What returns after an interlude has not been away for those who skip interludes.
            is_interlude = in_interlude or work == self._before_interlude
            self._interlude = None
        if is_interlude and in_interlude:
            self._interlude = work
        # Pushes do not carry the playlist's name, which is read a moment later.
        if player.playlist is not None and not in_interlude:
            if self._playlist != playlist:
                self._playlist = playlist
                yield PLAYLIST_STARTED, False
        if work is not None and work != self._work:
            self._work = work
            yield ARTWORK_CHANGED, is_interlude


class Activity(DescribedEntity, EventEntity):
    """Event entity for what happens on a display."""

    entity_description: ActivityDescription

    def __init__(
        self, coordinator: DisplayCoordinator, description: ActivityDescription
    ) -> None:
        """Initialize the entity; what is already so is no event."""
        super().__init__(coordinator, description)
        self._changes = Changes()
        self._handle_changes()

    @callback
    @override
    def _handle_coordinator_update(self) -> None:
        """Trigger an event for each thing that has happened."""
        for event_type, attributes in self._handle_changes():
            self._trigger_event(event_type, attributes)
            self.async_write_ha_state()
        super()._handle_coordinator_update()

    def _handle_changes(self) -> list[tuple[str, dict[str, Any]]]:
        """Return what has happened, but nothing while the display is on its way to something else."""
        coordinator = self.coordinator
        if coordinator.requests.in_steps:
            return []
        in_interlude = coordinator.hass.data[ANNOUNCEMENTS].is_active(
            coordinator.config_entry.entry_id
        )
        return [
            (event_type, _attributes(event_type, coordinator, is_interlude))
            for event_type, is_interlude in self._changes.update(
                coordinator.data, self.available, in_interlude
            )
        ]


def _work(player: PlayerStatus | None) -> Hashable:
    """Return what tells one work from another; None without a work."""
    if player is None or (item := player.current) is None:
        return None
    return item.id or (item.title, player.position)


def _playlist(player: PlayerStatus | None) -> Hashable:
    """Return what tells one playlist from another; the display reads the same URL again by itself."""
    if player is None or not player.items:
        return None
    return player.playlist_url or frozenset(player.item_ids)


def _attributes(
    event_type: str, coordinator: DisplayCoordinator, is_interlude: bool
) -> dict[str, Any]:
    """Return the attributes of an event: what the display shows meanwhile."""
    attributes: dict[str, Any] = {}
    data, item = coordinator.data, coordinator.current_item
    if (player := data.player) is not None and item is not None:
        work = data.work or Work()
        attributes = {
            "title": clean(item.title, TITLE_LENGTH) or work.title,
            "artist": artist_of(item) or work.artist,
            "exhibition": work.exhibition,
            "work_id": item.id,
            "link": work.link,
            "picture": without_token(picture_of(player, item, data.work)),
            "playlist": clean(player.playlist_title, TITLE_LENGTH) or None,
            "position": player.position,
            "works": len(player.items),
        }
    if event_type == PLAYBACK_FAILED:
        attributes["reason"] = data.problem
    if is_interlude:
        attributes["interlude"] = True
    return attributes
