"""Triggers of displays and libraries."""

from collections.abc import Mapping
from typing import Any, ClassVar, cast, override

import voluptuous as vol

from homeassistant.const import (
    ATTR_CONFIG_ENTRY_ID,
    ATTR_ENTITY_ID,
    CONF_OPTIONS,
    CONF_TARGET,
)
from homeassistant.core import CALLBACK_TYPE, HomeAssistant, callback
from homeassistant.helpers import config_validation as cv
from homeassistant.helpers.target import (
    TargetSelection,
    async_extract_referenced_entity_ids,
)
from homeassistant.helpers.trigger import (
    Trigger,
    TriggerActionRunner,
    TriggerConfig,
    TriggerNotTriggeredReporter,
)
from homeassistant.helpers.typing import ConfigType

from .library.news import (
    CHANNEL_PLAYLIST,
    EXHIBITION_OPENED,
    PLAYLIST_PUBLISHED,
    NewsItem,
    async_add_news_listener,
)
from .playback.activity import (
    ARTWORK_CHANGED,
    PLAYBACK_FAILED,
    PLAYLIST_STARTED,
    Activity,
    async_add_activity_listener,
    is_wanted,
)


class DisplayTrigger(Trigger):
    """Trigger for something that happens on the targeted displays."""

    _kind: ClassVar[str]
    _options_schema: ClassVar[dict[vol.Marker, Any]] = {}

    @override
    @classmethod
    async def async_validate_config(
        cls, hass: HomeAssistant, config: ConfigType
    ) -> ConfigType:
        """Validate the configuration."""
        schema = vol.Schema(
            {
                vol.Required(CONF_TARGET): cv.TARGET_FIELDS,
                vol.Required(CONF_OPTIONS, default={}): cls._options_schema,
            }
        )
        return cast("ConfigType", schema(config))

    def __init__(self, hass: HomeAssistant, config: TriggerConfig) -> None:
        """Initialize the trigger."""
        super().__init__(hass, config)
        self._selection = TargetSelection(config.target or {})
        self._options = config.options or {}

    @override
    async def async_attach_runner(
        self,
        run_action: TriggerActionRunner,
        did_not_trigger: TriggerNotTriggeredReporter | None = None,
    ) -> CALLBACK_TYPE:
        """Run the action whenever it happens."""

        @callback
        def handle_activity(activity: Activity) -> None:
            """Run the action if a targeted display is meant."""
            if (
                activity.kind == self._kind
                and self._is_targeted(activity.entity_id)
                and self._is_wanted(activity.attributes)
            ):
                run_action(
                    {ATTR_ENTITY_ID: activity.entity_id, **activity.attributes},
                    f"{self._kind} on {activity.entity_id}",
                )

        return async_add_activity_listener(self._hass, handle_activity)

    def _is_targeted(self, entity_id: str | None) -> bool:
        """Return whether a display is targeted by now."""
        found = async_extract_referenced_entity_ids(self._hass, self._selection)
        return entity_id in found.referenced | found.indirectly_referenced

    def _is_wanted(self, attributes: Mapping[str, Any]) -> bool:
        """Return whether it is what the options ask for."""
        return True


class WorkChangedTrigger(DisplayTrigger):
    """Trigger for a work that appears, also one of an artist, an exhibition or the favorites."""

    _kind = ARTWORK_CHANGED
    _options_schema: ClassVar = {
        vol.Optional("artist"): cv.string,
        vol.Optional("exhibition"): cv.string,
        vol.Optional("favorite"): cv.boolean,
    }

    @override
    def _is_wanted(self, attributes: Mapping[str, Any]) -> bool:
        """Return whether it is such a work, and not shown only in between."""
        return "interlude" not in attributes and is_wanted(self._options, attributes)


class PlaylistStartedTrigger(DisplayTrigger):
    """Trigger for a playlist that begins."""

    _kind = PLAYLIST_STARTED


class PlaybackFailedTrigger(DisplayTrigger):
    """Trigger for a work that cannot be shown."""

    _kind = PLAYBACK_FAILED


class NewsTrigger(Trigger):
    """Trigger for news of the libraries, or of one."""

    _kind: ClassVar[str]

    @override
    @classmethod
    async def async_validate_config(
        cls, hass: HomeAssistant, config: ConfigType
    ) -> ConfigType:
        """Validate the configuration."""
        options = {vol.Optional(ATTR_CONFIG_ENTRY_ID): cv.string}
        schema = vol.Schema({vol.Required(CONF_OPTIONS, default={}): options})
        return cast("ConfigType", schema(config))

    def __init__(self, hass: HomeAssistant, config: TriggerConfig) -> None:
        """Initialize the trigger."""
        super().__init__(hass, config)
        self._entry_id = (config.options or {}).get(ATTR_CONFIG_ENTRY_ID)

    @override
    async def async_attach_runner(
        self,
        run_action: TriggerActionRunner,
        did_not_trigger: TriggerNotTriggeredReporter | None = None,
    ) -> CALLBACK_TYPE:
        """Run the action for each piece of news."""

        @callback
        def handle_news(news: NewsItem) -> None:
            """Run the action if the library is meant."""
            if news.kind == self._kind and self._entry_id in (None, news.entry_id):
                run_action(
                    {ATTR_CONFIG_ENTRY_ID: news.entry_id, **news.attributes},
                    f"{self._kind} in a library",
                )

        return async_add_news_listener(self._hass, handle_news)


class ExhibitionOpenedTrigger(NewsTrigger):
    """Trigger for an exhibition that opens."""

    _kind = EXHIBITION_OPENED


class PlaylistPublishedTrigger(NewsTrigger):
    """Trigger for a playlist that is published."""

    _kind = PLAYLIST_PUBLISHED


class ChannelPlaylistTrigger(NewsTrigger):
    """Trigger for a new playlist in a followed channel."""

    _kind = CHANNEL_PLAYLIST


TRIGGERS: dict[str, type[Trigger]] = {
    "channel_playlist": ChannelPlaylistTrigger,
    "exhibition_opened": ExhibitionOpenedTrigger,
    "playback_failed": PlaybackFailedTrigger,
    "playlist_published": PlaylistPublishedTrigger,
    "playlist_started": PlaylistStartedTrigger,
    "work_changed": WorkChangedTrigger,
}


async def async_get_triggers(hass: HomeAssistant) -> dict[str, type[Trigger]]:
    """Return the triggers."""
    return TRIGGERS
