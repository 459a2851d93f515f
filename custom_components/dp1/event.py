"""Event entities of a display and of a library."""

from typing import Any, override

from homeassistant.components.event import EventEntity
from homeassistant.config_entries import ConfigEntry
from homeassistant.core import HomeAssistant, callback
from homeassistant.helpers.dispatcher import async_dispatcher_connect
from homeassistant.helpers.entity_platform import AddConfigEntryEntitiesCallback

from .entity import DisplayEntity, LibraryEntity
from .library.library import Library
from .library.news import NEWS, NEWS_KINDS, PLAYLIST_PUBLISHED, NewsItem
from .playback.activity import (
    ACTIVITY,
    ARTWORK_CHANGED,
    PLAYBACK_FAILED,
    PLAYLIST_STARTED,
    Activity,
)

PARALLEL_UPDATES = 0


async def async_setup_entry(
    hass: HomeAssistant,
    entry: ConfigEntry[Any],
    async_add_entities: AddConfigEntryEntitiesCallback,
) -> None:
    """Set up the event entity of a display or of a library."""
    if isinstance(library := entry.runtime_data, Library):
        async_add_entities([NewsEvent(library)])
    elif not entry.runtime_data.cast_only:
        async_add_entities([ActivityEvent(entry.runtime_data, "activity")])


class ActivityEvent(DisplayEntity, EventEntity):
    """Event entity for the activity of a display."""

    # The logbook tells each new work by its title; this entity would repeat it without.
    _attr_entity_registry_enabled_default = False
    _attr_event_types = [
        ARTWORK_CHANGED,
        PLAYLIST_STARTED,
        PLAYBACK_FAILED,
    ]

    @override
    async def async_added_to_hass(self) -> None:
        """Listen for activity."""
        await super().async_added_to_hass()
        self.async_on_remove(
            async_dispatcher_connect(self.hass, ACTIVITY, self._handle_activity)
        )

    @callback
    def _handle_activity(self, activity: Activity) -> None:
        """Trigger an event."""
        if activity.coordinator is self.coordinator:
            self._trigger_event(activity.kind, dict(activity.attributes))
            self.async_write_ha_state()


class NewsEvent(LibraryEntity, EventEntity):
    """Event entity for the news of a library."""

    _attr_translation_key = "news"

    def __init__(self, library: Library) -> None:
        """Initialize the entity with the kinds that the library can have."""
        super().__init__(library)
        self._attr_event_types = [
            kind for kind in NEWS_KINDS if library.feed or kind != PLAYLIST_PUBLISHED
        ]

    @override
    async def async_added_to_hass(self) -> None:
        """Listen for news."""
        await super().async_added_to_hass()
        self.async_on_remove(
            async_dispatcher_connect(self.hass, NEWS, self._handle_news)
        )

    @callback
    def _handle_news(self, news: NewsItem) -> None:
        """Trigger an event."""
        if news.entry_id == self.library.entry_id:
            self._trigger_event(news.kind, news.attributes)
            self.async_write_ha_state()
