"""Displays targeted by an action, including unavailable ones, and fields that several actions share."""

from collections.abc import Awaitable, Callable, Collection, Coroutine, Sequence
from functools import partial
from typing import Any

from homeassistant.auth.permissions.const import POLICY_CONTROL
from homeassistant.components.media_player import DOMAIN as MEDIA_PLAYER_DOMAIN
from homeassistant.const import ATTR_ENTITY_ID, ENTITY_MATCH_ALL
from homeassistant.core import HomeAssistant, ServiceCall
from homeassistant.exceptions import HomeAssistantError
from homeassistant.helpers import config_validation as cv, target as helper
from homeassistant.helpers.target import (
    TargetSelection,
    async_extract_referenced_entity_ids,
)
from homeassistant.util.json import JsonObjectType

from ..const import LOGGER
from ..coordinator import DisplayCoordinator
from ..displays import (
    Target,
    async_display_entities,
    find_display,
    find_entry,
    target_of,
)
from ..errors import async_gather_failures, displays_failed, invalid_input
from ..language import async_message, async_text
from ..permissions import async_caller

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


async def async_targets(call: ServiceCall) -> list[Target]:
    """Return the displays that a call targets and its user may control.

    An entity action would silently skip unavailable displays.
    """
    hass = call.hass
    explicit, chosen = _selected(hass, call)
    caller = await async_caller(hass, call.context)
    targets = []
    for entity_id in sorted(chosen):
        target = target_of(hass, entity_id)
        if entity_id in explicit:
            if target.entry is not None:
                caller.check(POLICY_CONTROL, entity_id)
            targets.append(target)
        elif target.entry is not None and caller.may(POLICY_CONTROL, entity_id):
            targets.append(target)
    if not targets:
        raise invalid_input("no_display_meant")
    if not any(target.entry for target in targets):
        find_display(hass, targets[0].entity_id)
    return targets


def _selected(hass: HomeAssistant, call: ServiceCall) -> tuple[set[str], set[str]]:
    """Return the entities of a call by their ids, and all that it targets."""
    selection = TargetSelection(call.data)
    if call.data.get(ATTR_ENTITY_ID) == ENTITY_MATCH_ALL:
        # From 2026.11 on.
        excluded_of = getattr(helper, "async_extract_excluded_entity_ids", None)
        excluded: set[str] = excluded_of(hass, selection) if excluded_of else set()
        every = {entity.entity_id for entity in async_display_entities(hass)}
        return set(), every - excluded
    selected = async_extract_referenced_entity_ids(hass, selection)
    explicit = _members(hass, selected.referenced)
    return explicit, explicit | selected.indirectly_referenced


def _members(hass: HomeAssistant, entity_ids: set[str]) -> set[str]:
    """Return entities, and instead of each group those that are in it."""
    members: set[str] = set()
    waiting, seen = [*entity_ids], set[str]()
    while waiting:
        if (entity_id := waiting.pop()) in seen:
            continue
        seen.add(entity_id)
        state = hass.states.get(entity_id)
        inside = state.attributes.get(ATTR_ENTITY_ID) if state else None
        if isinstance(inside, list | tuple) and not find_entry(hass, entity_id):
            waiting += [it for it in inside if isinstance(it, str)]
        else:
            members.add(entity_id)
    return members


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
    return response_of(call, targets, results)


def response_of(
    call: ServiceCall,
    targets: Sequence[Target],
    results: Sequence[JsonObjectType | HomeAssistantError],
) -> Response:
    """Return the response of an action by display, or raise the failures: of all, or of some that nobody would read.

    What is no display, such as one that was removed, is named in the response or the log, as the others are enough.
    """
    failed: list[HomeAssistantError] = []
    response: JsonObjectType = {}
    text_of = partial(async_message, call.hass)
    is_told = call.return_response
    for target, result in zip(targets, results, strict=True):
        if not isinstance(result, HomeAssistantError):
            response[target.entity_id] = result
            continue
        failed.append(result)
        response[target.entity_id] = {"error": text_of(result)}
        if target.entry is None and not is_told:
            LOGGER.warning("%s: %s", call.service, text_of(result))
    there = [target.entry is not None for target in targets]
    is_whole = is_told or all(
        not (is_there and isinstance(result, HomeAssistantError))
        for is_there, result in zip(there, results, strict=True)
    )
    if failed and (len(failed) == len(targets) or not is_whole):
        raise displays_failed(failed, len(targets), text_of)
    return response if is_told else None
