"""Actions on displays: cast, show a work, hand over to another display, gestures."""

from dataclasses import replace
from datetime import timedelta
import re

import voluptuous as vol

from homeassistant.const import ATTR_ENTITY_ID
from homeassistant.core import ServiceCall
from homeassistant.exceptions import ServiceValidationError
from homeassistant.helpers import config_validation as cv
from homeassistant.util.json import JsonObjectType

from ..client.display.casts import Cast
from ..client.display.player_status import PlayerStatus
from ..client.text import clean
from ..coordinator import DisplayCoordinator
from ..data import DATA
from ..display.history import cast_of
from ..errors import invalid_input
from ..playback.cast import async_take_snapshot
from ..playback.duties import positive_duration
from ..playback.groups import async_run, async_spread, paused
from ..playback.input import GESTURE_FIELDS, async_send, gesture
from ..playback.queue import async_move, async_move_work, async_remove_work, async_show
from ..playback.resolve import Options, from_document
from .targets import Target, async_for_each_display, async_targets, only

SERVICE_GESTURE = "gesture"
SERVICE_HAND_OVER = "hand_over"
SERVICE_MOVE_WORK = "move_work"
SERVICE_REMOVE_WORK = "remove_work"
SERVICE_SHOW_PREVIOUS = "show_previous"
SERVICE_SHOW_WORK = "show_work"

STEPS = {"next": 1, "previous": -1}
NUMBER = re.compile(r"0*[1-9][0-9]{0,8}")

GESTURE_SCHEMA = cv.make_entity_service_schema(GESTURE_FIELDS)
HAND_OVER_SCHEMA = cv.make_entity_service_schema(
    {
        vol.Required("to"): cv.entity_id,
        vol.Optional("then", default="sleep"): vol.In(("sleep", "clear", "keep")),
    }
)
WORK = vol.Any(vol.All(int, vol.Range(min=1)), vol.All(cv.string, vol.Length(min=1)))
MOVE_WORK_SCHEMA = cv.make_entity_service_schema(
    {vol.Required("work"): WORK, vol.Optional("before"): WORK}
)
REMOVE_WORK_SCHEMA = cv.make_entity_service_schema({vol.Required("work"): WORK})
SHOW_PREVIOUS_SCHEMA = cv.make_entity_service_schema({})
SHOW_WORK_SCHEMA = cv.make_entity_service_schema(
    {vol.Required("work"): WORK, vol.Optional("show_for"): positive_duration}
)


async def async_show_work(call: ServiceCall) -> None:
    """Move to a work of the current playlist, or show only this work for a limited time."""
    work, show_for = call.data["work"], call.data.get("show_for")

    async def jump(coordinator: DisplayCoordinator) -> None:
        """Show the work on one display."""
        if work in STEPS:
            await async_move(coordinator, STEPS[work])
            return
        await coordinator.requests.async_wait_for_casts()
        player = _shown(coordinator.data.player, coordinator.name)
        index = _find(player, work, coordinator.name)
        async with coordinator.async_command() as display:
            await display.show_item(index)

    async def act(coordinator: DisplayCoordinator) -> JsonObjectType:
        """Show the work on the display or its group; for a limited time, only on the display."""
        if show_for is not None:
            return await _async_show_alone(coordinator, work, show_for)
        await async_run(coordinator, call.context, ("show_work", work), jump)
        return {}

    await async_for_each_display(call, await async_targets(call), act)


async def _async_show_alone(
    coordinator: DisplayCoordinator, work: int | str, show_for: timedelta
) -> JsonObjectType:
    """Show only one work of the current playlist for a limited time."""
    await coordinator.requests.async_wait_for_casts()
    player = _shown(await coordinator.async_read_player(), coordinator.name)
    index = _find(player, work, coordinator.name)
    if work in STEPS and player.position is not None:
        index = (player.position - 1 + STEPS[work]) % len(player.items)
    alone = replace(player, playlist_url=None, items=(player.items[index],))
    options = Options(item_duration=show_for.total_seconds())
    return await async_show(
        coordinator,
        from_document(cast_of(alone).playlist or {}, options),
        options,
        show_for,
    )


async def async_rearrange(call: ServiceCall) -> None:
    """Move a work of the current playlist in front of another or to the end, or take it out."""

    async def act(coordinator: DisplayCoordinator) -> JsonObjectType:
        """Change the playlist of one display."""
        await coordinator.requests.async_wait_for_casts()
        player = _shown(await coordinator.async_read_player(), coordinator.name)
        work = _find(player, call.data["work"], coordinator.name)
        before = call.data.get("before")
        if call.service == SERVICE_REMOVE_WORK:
            await async_remove_work(coordinator, work)
        else:
            at = None if before is None else _find(player, before, coordinator.name)
            await async_move_work(coordinator, work, at)
        return {}

    await async_for_each_display(call, await async_targets(call), act)


async def async_show_previous(call: ServiceCall) -> None:
    """End what is shown for a limited time now."""

    async def act(coordinator: DisplayCoordinator) -> JsonObjectType:
        """End it on one display."""
        duties = call.hass.data[DATA].duties
        await duties.async_end_announcement(coordinator)
        return {}

    await async_for_each_display(call, await async_targets(call), act)


def _shown(player: PlayerStatus | None, name: str) -> PlayerStatus:
    """Return a player that shows something."""
    if player is None or not player.items:
        raise invalid_input("nothing_shown", name=name)
    return player


def _find(player: PlayerStatus, work: int | str, name: str) -> int:
    """Return the place of a work given by id, title or number, counted from 0."""
    if isinstance(work, int):
        index = work - 1
        if index < len(player.items):
            return index
        raise _work_not_found(player, work, name)
    wanted = work.casefold().strip()
    titles = [(item.title or "").casefold() for item in player.items]
    ids = [item.id for item in player.items]
    if work in ids:
        return ids.index(work)
    if wanted in titles:
        return titles.index(wanted)
    if NUMBER.fullmatch(wanted):
        return _find(player, int(wanted), name)
    if len(places := [at for at, title in enumerate(titles) if wanted in title]) == 1:
        return places[0]
    raise _work_not_found(player, work, name)


def _work_not_found(
    player: PlayerStatus, work: int | str, name: str
) -> ServiceValidationError:
    """Return the error for no such work, or several."""
    return invalid_input(
        "work_not_found",
        name=name,
        work=clean(str(work), 100),
        works=str(len(player.items)),
    )


async def async_hand_over(call: ServiceCall) -> None:
    """Show on another display what this display shows, at the same place."""
    source = only(await async_targets(call))
    to = {ATTR_ENTITY_ID: [call.data["to"]]}
    there = ServiceCall(call.hass, call.domain, call.service, to, call.context)
    target = only(await async_targets(there))
    if source.entity_id == target.entity_id:
        raise invalid_input("hand_over_to_itself")
    giver = await source.async_coordinator()
    taker = await target.async_coordinator()
    snapshot = await async_take_snapshot(giver)
    if snapshot.cast is None:
        raise invalid_input("nothing_shown", name=giver.name)
    await async_show(taker, snapshot.cast, Options(place=snapshot.start))
    match call.data["then"]:
        case "sleep" if giver.data.asleep is not None:
            await giver.async_set_asleep(True)
        case "clear":
            async with giver.async_command() as display:
                await display.clear()


async def async_gesture(call: ServiceCall) -> None:
    """Tap, drag or zoom on the current work."""
    send = gesture(call.data)

    async def act(coordinator: DisplayCoordinator) -> JsonObjectType:
        """Send the gesture to one display."""
        await async_send(coordinator, send)
        return {}

    await async_for_each_display(call, await async_targets(call), act)


async def async_cast_to(
    call: ServiceCall, targets: list[Target], cast: Cast, options: Options
) -> JsonObjectType | None:
    """Cast to displays, for a limited time or spread over them if requested."""
    spread = call.data.get("spread", False)
    entry_ids = [target.entry.entry_id for target in _in_order(call, targets)]

    async def show(coordinator: DisplayCoordinator) -> JsonObjectType:
        """Cast to one display."""
        own = options
        if spread:
            place = entry_ids.index(coordinator.config_entry.entry_id)
            own = replace(options, start_at=(options.start_at or 1) + place)
        return await async_show(coordinator, cast, own, call.data.get("show_for"))

    if len(targets) > 1 and "show_for" not in call.data:
        await async_spread(call.hass, entry_ids, spread)
    with paused(call.hass, entry_ids):
        return await async_for_each_display(call, targets, show)


def _in_order(call: ServiceCall, targets: list[Target]) -> list[Target]:
    """Return the displays in the order of the call's entity ids."""
    named = call.data.get(ATTR_ENTITY_ID)
    order = named if isinstance(named, list) else []
    return sorted(
        targets,
        key=lambda target: (
            order.index(target.entity_id) if target.entity_id in order else len(order)
        ),
    )
