"""Triggers of displays and libraries."""

from collections.abc import Mapping
from functools import partial
from typing import Any, ClassVar, cast, override

import voluptuous as vol

from homeassistant.const import (
    ATTR_CONFIG_ENTRY_ID,
    ATTR_DEVICE_ID,
    ATTR_ENTITY_ID,
    CONF_OPTIONS,
    CONF_TARGET,
)
from homeassistant.core import CALLBACK_TYPE, HomeAssistant, callback
from homeassistant.helpers import (
    config_validation as cv,
    device_registry as dr,
    entity_registry as er,
)
from homeassistant.helpers.dispatcher import async_dispatcher_connect
from homeassistant.helpers.target import (
    TargetSelection,
    async_extract_referenced_entity_ids,
)
from homeassistant.helpers.trigger import (
    NotTriggeredInfo,
    Trigger,
    TriggerActionRunner,
    TriggerConfig,
    TriggerNotTriggeredReporter,
)
from homeassistant.helpers.typing import ConfigType

from .const import CONF_KIND, DOMAIN, EntryKind
from .displays import is_display
from .fields import plain_text
from .library.news import NEWS, NEWS_KINDS, NewsItem
from .playback.activity import (
    ACTIVITY,
    ARTWORK_CHANGED,
    PLAYBACK_FAILED,
    PLAYLIST_STARTED,
    Activity,
    is_wanted,
)


def validate_target(
    hass: HomeAssistant, target: Mapping[str, Any]
) -> Mapping[str, Any]:
    """Validate that entities and devices which are targeted by their ids are displays, unless they are unknown."""
    entities, devices = er.async_get(hass), dr.async_get(hass)
    # Those of a group count.
    selected = async_extract_referenced_entity_ids(hass, TargetSelection({**target}))
    for entity_id in selected.referenced:
        entity = entities.async_get(entity_id)
        exists = entity is not None or hass.states.get(entity_id) is not None
        if exists and (entity is None or not is_display(entity)):
            raise vol.Invalid(f"{entity_id} is not an art display")
    for device_id in target.get(ATTR_DEVICE_ID, ()):
        own = er.async_entries_for_device(entities, device_id, True)
        if devices.async_get(device_id) and not any(map(is_display, own)):
            raise vol.Invalid(f"device {device_id} is not an art display")
    return target


def validate_library(hass: HomeAssistant, value: Any) -> str:
    """Validate the id of the config entry of a library."""
    entry = hass.config_entries.async_get_entry(entry_id := plain_text(value))
    if entry is None or entry.data.get(CONF_KIND) != EntryKind.LIBRARY:
        raise vol.Invalid(f"{entry_id} is not a library")
    return entry_id


class DisplayTrigger(Trigger):
    """Trigger for something that happens on the targeted displays."""

    _options_schema: ClassVar[dict[vol.Marker, Any]] = {}

    @override
    @classmethod
    async def async_validate_config(
        cls, hass: HomeAssistant, config: ConfigType
    ) -> ConfigType:
        """Validate the configuration, and that the targets are displays."""
        schema = vol.Schema(
            {
                vol.Required(CONF_TARGET): vol.All(
                    cv.TARGET_FIELDS,
                    # From 2026.11 on, `exclude` has such fields, too.
                    {str: vol.Any([plain_text], {str: [plain_text]})},
                    partial(validate_target, hass),
                ),
                vol.Required(CONF_OPTIONS, default={}): cls._options_schema,
            }
        )
        return cast("ConfigType", schema(config))

    def __init__(self, hass: HomeAssistant, config: TriggerConfig) -> None:
        """Initialize the trigger."""
        super().__init__(hass, config)
        self._kind = _kind(config)
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
            entity_id = activity.coordinator.entity_id
            if activity.kind != self._kind or not self._is_targeted(entity_id):
                return
            variables = {ATTR_ENTITY_ID: entity_id, **activity.attributes}
            # What is shown only in between is no new work.
            is_interlude = "interlude" in variables
            if not is_interlude and is_wanted(self._options, variables):
                run_action(variables, f"{self._kind} on {entity_id}")
            elif did_not_trigger is not None:
                reason = "interlude" if is_interlude else "other_work"
                did_not_trigger(NotTriggeredInfo(reason, variables))

        return async_dispatcher_connect(self._hass, ACTIVITY, handle_activity)

    def _is_targeted(self, entity_id: str | None) -> bool:
        """Return whether a display is targeted by now."""
        selected = async_extract_referenced_entity_ids(self._hass, self._selection)
        return entity_id in selected.referenced | selected.indirectly_referenced


class WorkChangedTrigger(DisplayTrigger):
    """Trigger for a work that appears, also one of an artist, an exhibition or the favorites."""

    _options_schema: ClassVar = {
        vol.Optional("artist"): plain_text,
        vol.Optional("exhibition"): plain_text,
        vol.Optional("favorite"): cv.boolean,
    }


class NewsTrigger(Trigger):
    """Trigger for news of the libraries, or of one."""

    @override
    @classmethod
    async def async_validate_config(
        cls, hass: HomeAssistant, config: ConfigType
    ) -> ConfigType:
        """Validate the configuration."""
        options = {vol.Optional(ATTR_CONFIG_ENTRY_ID): partial(validate_library, hass)}
        schema = vol.Schema({vol.Required(CONF_OPTIONS, default={}): options})
        return cast("ConfigType", schema(config))

    def __init__(self, hass: HomeAssistant, config: TriggerConfig) -> None:
        """Initialize the trigger."""
        super().__init__(hass, config)
        self._kind = _kind(config)
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
            if news.kind != self._kind:
                return
            variables = {ATTR_CONFIG_ENTRY_ID: news.entry_id, **news.attributes}
            if self._entry_id in (None, news.entry_id):
                run_action(variables, f"{self._kind} in a library")
            elif did_not_trigger is not None:
                did_not_trigger(NotTriggeredInfo("other_library", variables))

        return async_dispatcher_connect(self._hass, NEWS, handle_news)


def _kind(config: TriggerConfig) -> str:
    """Return the event type of a trigger, which has the same name but for a new work."""
    name = config.key.removeprefix(f"{DOMAIN}.")
    return ARTWORK_CHANGED if name == WORK_CHANGED else name


WORK_CHANGED = "work_changed"
TRIGGERS: dict[str, type[Trigger]] = {
    WORK_CHANGED: WorkChangedTrigger,
    **dict.fromkeys((PLAYBACK_FAILED, PLAYLIST_STARTED), DisplayTrigger),
    **dict.fromkeys(NEWS_KINDS, NewsTrigger),
}


async def async_get_triggers(hass: HomeAssistant) -> dict[str, type[Trigger]]:
    """Return the triggers."""
    return TRIGGERS
