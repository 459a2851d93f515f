"""Displays targeted by an action, including unavailable ones, and fields that several actions share."""

from collections.abc import (
    Awaitable,
    Callable,
    Collection,
    Coroutine,
    Mapping,
    Sequence,
)
from dataclasses import dataclass
from functools import partial
from typing import Any

import voluptuous as vol

from homeassistant.auth.permissions.const import POLICY_CONTROL
from homeassistant.components.media_player import DOMAIN as MEDIA_PLAYER_DOMAIN
from homeassistant.config_entries import ConfigEntryState
from homeassistant.const import ATTR_ENTITY_ID, ENTITY_MATCH_ALL
from homeassistant.core import HomeAssistant, ServiceCall
from homeassistant.exceptions import HomeAssistantError
from homeassistant.helpers import config_validation as cv, entity_registry as er
from homeassistant.helpers.target import (
    TargetSelection,
    async_extract_referenced_entity_ids,
)
from homeassistant.util.json import JsonObjectType

from ..coordinator import DisplayConfigEntry, DisplayCoordinator
from ..display.discovery import async_display_of
from ..displays import async_display_entities, is_enabled_display
from ..errors import (
    action_failed,
    async_gather_failures,
    displays_failed,
    invalid_input,
    translated_errors,
)
from ..fields import media, name
from ..language import async_message, async_text
from ..permissions import async_caller
from ..playback.compose import MEDIA

TARGET = "target"


def exactly_one_of(call: ServiceCall, fields: Collection[str]) -> dict[str, Any]:
    """Return the only field of a call, or raise if there is not exactly one; all fields of the target are one."""
    has_target = any(str(field) in call.data for field in cv.ENTITY_SERVICE_FIELDS)
    data = {**call.data, TARGET: True} if has_target else call.data
    values = {key: data[key] for key in fields if key in data}
    if len(values) != 1:
        names, said = (
            ", ".join(_field_name(call, key) for key in keys)
            for keys in (fields, values)
        )
        raise invalid_input("exactly_one_of", fields=names, given=said or "-")
    return values


def _field_name(call: ServiceCall, key: str) -> str:
    """Return the name of a field as people see it; the target is a media player."""
    if key == TARGET:
        return async_text(
            call.hass, "title", component=MEDIA_PLAYER_DOMAIN, default=key
        )
    path = f"services.{call.service}.fields.{key}.name"
    return async_text(call.hass, path, default=key)


@dataclass(frozen=True, slots=True)
class Target:
    """A display that an action targets."""

    hass: HomeAssistant
    entity_id: str
    entry: DisplayConfigEntry

    def loaded(self) -> DisplayCoordinator | None:
        """Return the coordinator of the display, if it is set up."""
        is_loaded = self.entry.state is ConfigEntryState.LOADED
        return self.entry.runtime_data if is_loaded else None

    async def async_coordinator(self) -> DisplayCoordinator:
        """Return the coordinator; set the display up if necessary, or raise why that is not possible."""
        if (coordinator := self.loaded()) is not None:
            return coordinator
        display = await async_display_of(self.hass, self.entry)
        with translated_errors("display", self.entry.title, display.url):
            await display.probe()
        if self.entry.state is ConfigEntryState.SETUP_RETRY:
            await self.hass.config_entries.async_reload(self.entry.entry_id)
        if (coordinator := self.loaded()) is not None:
            return coordinator
        raise action_failed("display_not_set_up", name=self.entry.title)


async def async_targets(call: ServiceCall) -> list[Target]:
    """Return the displays that a call targets and its user may control.

    An entity action would silently skip unavailable displays.
    """
    hass = call.hass
    explicit, chosen = _selected(hass, call)
    caller = await async_caller(hass, call.context)
    targets = []
    for entity_id in sorted(chosen):
        if (target := _target(hass, entity_id)) is None:
            if entity_id in explicit:
                raise invalid_input("not_a_display", entity_id=entity_id)
        elif entity_id in explicit or caller.may(POLICY_CONTROL, entity_id):
            caller.check(POLICY_CONTROL, entity_id)
            targets.append(target)
    if not targets:
        raise invalid_input("no_display_meant")
    return targets


def _selected(hass: HomeAssistant, call: ServiceCall) -> tuple[set[str], set[str]]:
    """Return the entities of a call by their ids, and all that it targets."""
    if call.data.get(ATTR_ENTITY_ID) == ENTITY_MATCH_ALL:
        return set(), {entity.entity_id for entity in async_display_entities(hass)}
    selected = async_extract_referenced_entity_ids(hass, TargetSelection(call.data))
    return selected.referenced, selected.referenced | selected.indirectly_referenced


def find_display(hass: HomeAssistant, entity_id: str) -> Target:
    """Return the display of an entity, or raise if it is none."""
    if (target := _target(hass, entity_id)) is None:
        raise invalid_input("not_a_display", entity_id=entity_id)
    return target


def _target(hass: HomeAssistant, entity_id: str) -> Target | None:
    """Return the display of an entity."""
    entity = er.async_get(hass).async_get(entity_id)
    if entity is None or not is_enabled_display(entity) or not entity.config_entry_id:
        return None
    entry = hass.config_entries.async_get_entry(entity.config_entry_id)
    return Target(hass, entity_id, entry) if entry else None


def only(targets: Sequence[Target]) -> Target:
    """Return the only target."""
    if len(targets) != 1:
        raise invalid_input("one_display", meant=str(len(targets)))
    return targets[0]


type Response = JsonObjectType | None


def on_each_display(
    act: Callable[[ServiceCall, DisplayCoordinator], Awaitable[Response]],
) -> Callable[[ServiceCall], Coroutine[Any, Any, Response]]:
    """Return an action on all targeted displays, made of the action on one."""

    async def act_on_targets(call: ServiceCall) -> Response:
        """Run the action on the targeted displays."""
        targets = await async_targets(call)
        return await async_for_each_display(call, targets, partial(act, call))

    return act_on_targets


async def async_for_each_display(
    call: ServiceCall,
    targets: list[Target],
    act: Callable[[DisplayCoordinator], Awaitable[Response]],
) -> Response:
    """Run an action on each display, and report failures by display."""

    async def act_on(target: Target) -> JsonObjectType:
        """Run the action on one display."""
        return await act(await target.async_coordinator()) or {}

    results = await async_gather_failures(map(act_on, targets))
    failed: list[HomeAssistantError] = []
    response: JsonObjectType = {}
    text_of = partial(async_message, call.hass)
    for target, result in zip(targets, results, strict=True):
        if isinstance(result, HomeAssistantError):
            failed.append(result)
            response[target.entity_id] = {"error": text_of(result)}
        else:
            response[target.entity_id] = result
    if failed and (len(failed) == len(targets) or not call.return_response):
        raise displays_failed(failed, len(targets), text_of)
    return response if call.return_response else None


# The fields that name art to be cast or published.
ART: Mapping[str, Any] = {
    "playlist_url": cv.string,
    "playlist": vol.Any(dict, cv.string),
    "playlist_id": name,
    "exhibition": name,
    "series": name,
    "media_content_id": media,
    "media": MEDIA,
}
