"""Actions on displays: cast, show a work or a message, hand over to another display."""

from dataclasses import replace
from html import escape
from math import sqrt
from typing import Any

import voluptuous as vol

from homeassistant.components.media_player import RepeatMode
from homeassistant.const import ATTR_ENTITY_ID
from homeassistant.core import ServiceCall, ServiceResponse
from homeassistant.helpers import config_validation as cv
from homeassistant.util.json import JsonObjectType

from ..client.display.player_status import PlayerStatus
from ..client.hosts import is_web
from ..client.playlist.schema import SCALINGS
from ..coordinator import DisplayCoordinator, Refresh
from ..displays import Target
from ..errors import invalid_input
from ..fields import (
    color,
    duration,
    find_work,
    media,
    note,
    seconds,
    text_up_to,
    title,
    whole_number,
    work,
)
from ..grants import page_url
from ..playback import queue
from ..playback.address import is_list_address, page_playlist
from ..playback.cast import hung_on
from ..playback.request import ART, Begin, ForTime, Look, Ready, Request, medium_of
from ..playback.resolve import async_read_for_display, async_resolve
from ..playback.show import (
    async_do,
    async_for_caller,
    async_go,
    async_show,
    async_show_on,
)
from ..playback.wall import async_end_announcement, async_lasting
from .targets import async_targets, exactly_one_of, on_each_display, only, response_of

STEPS = {"next": 1, "previous": -1}

NO_FIELDS_SCHEMA = cv.make_entity_service_schema({})
HAND_OVER_SCHEMA = cv.make_entity_service_schema(
    {
        vol.Required("to"): cv.entity_id,
        vol.Optional("then", default="sleep"): vol.In(("sleep", "clear", "keep")),
    }
)
REMOVE_WORK_SCHEMA = cv.make_entity_service_schema({vol.Required("work"): work})
SHOW_WORK_SCHEMA = cv.make_entity_service_schema(
    {vol.Required("work"): work, vol.Optional("show_for"): duration}
)

MAX_MARGIN = 99_999

OPTIONS: dict[vol.Marker, Any] = {
    vol.Optional("start_at"): whole_number(1),
    vol.Optional("shuffle"): cv.boolean,
    # An unquoted off is false in YAML.
    vol.Optional("repeat"): vol.All(
        lambda value: "off" if value is False else value, vol.Coerce(RepeatMode)
    ),
    vol.Optional("item_duration"): seconds(1),
    vol.Optional("limit"): whole_number(1, 1024),
    vol.Optional("wake", default=True): cv.boolean,
}
DISPLAY: dict[vol.Marker, Any] = {
    vol.Optional("scaling"): vol.In(SCALINGS),
    vol.Optional("background"): color,
    vol.Optional("margin"): vol.Any(
        vol.All(vol.Any(int, float), vol.Range(min=0, max=MAX_MARGIN)),
        cv.matches_regex(r"^\d{1,5}(\.\d{1,5})?(px|%|vw|vh)$"),
        vol.All(cv.matches_regex(r"^\d{1,5}(\.\d{1,5})?$"), vol.Coerce(float)),
    ),
}
CAST_SCHEMA = cv.make_entity_service_schema(
    {
        **{vol.Optional(name): validator for name, validator in ART.items()},
        **OPTIONS,
        **DISPLAY,
        vol.Optional("title"): title,
        vol.Optional("note"): note,
        vol.Optional("show_for"): duration,
        vol.Optional("spread"): cv.boolean,
    }
)


async def async_cast_playlist(call: ServiceCall) -> ServiceResponse:
    """Cast to the targeted displays."""
    what = exactly_one_of(call, ART)
    request = Request.from_fields(what, call.data, call.context)
    return await _async_show(call, request, await async_targets(call))


async def _async_show(
    call: ServiceCall, request: Request, targets: list[Target]
) -> ServiceResponse:
    """Show something on displays, of which the order counts if it is spread over them, and return the response."""
    # It may also be "all", which is in no order.
    entity_ids = call.data.get(ATTR_ENTITY_ID) or ()

    def place(target: Target) -> int:
        """Return the place of a display in the call."""
        is_named = target.entity_id in entity_ids
        return entity_ids.index(target.entity_id) if is_named else len(entity_ids)

    targets = sorted(targets, key=place)
    answers = await async_show(call.hass, request, targets)
    return response_of(call, targets, [answers[it.entity_id] for it in targets])


@on_each_display
async def async_show_work(call: ServiceCall, coordinator: DisplayCoordinator) -> None:
    """Move a display or its group to a work of the current playlist, or show only this work there for a limited time."""
    work = call.data["work"]
    if (show_for := call.data.get("show_for")) is None:
        await async_go(coordinator, call.context, _async_jump, work)
        return
    player = await _async_player(coordinator)
    item = player.items[_find(player, work, coordinator.name)]
    alone = coordinator.history.playlist_of(
        replace(player, playlist_url=None, items=(item,))
    )
    hung = hung_on(player, coordinator.history)
    is_personal = hung is not None and hung.asked.is_personal
    request = Request(
        art=Ready(replace(alone, is_personal=is_personal)),
        look=Look(item_duration=show_for.total_seconds()),
        term=ForTime(show_for),
        context=call.context,
    )
    await async_show_on(coordinator, request)


async def _async_jump(coordinator: DisplayCoordinator, work: float | str) -> None:
    """Move to a work of the current playlist."""
    await queue.async_jump(coordinator, lambda it: _find(it, work, coordinator.name))


@on_each_display
async def async_remove_work(call: ServiceCall, coordinator: DisplayCoordinator) -> None:
    """Take a work out of the current playlist of a display or its group."""
    await async_do(coordinator, call.context, _async_remove_work, call)


async def _async_remove_work(
    coordinator: DisplayCoordinator, call: ServiceCall
) -> None:
    """Take a work out of the current playlist."""
    _, player = await queue.async_works(coordinator)
    if player is None or not player.items:
        raise invalid_input("nothing_shown", name=coordinator.name)
    work = _find(player, call.data["work"], coordinator.name)
    await queue.async_remove(coordinator, work)


@on_each_display
async def async_keep_offline(
    call: ServiceCall, coordinator: DisplayCoordinator
) -> JsonObjectType:
    """Let a display download its works, and return their number."""
    player = await _async_player(coordinator)
    async with coordinator.async_command(Refresh.OFFLINE) as display:
        return {"works": await display.keep_offline(player.as_playlist())}


@on_each_display
async def async_show_previous(
    call: ServiceCall, coordinator: DisplayCoordinator
) -> None:
    """End an announcement now."""
    await async_end_announcement(coordinator)


async def _async_player(coordinator: DisplayCoordinator) -> PlayerStatus:
    """Return the player of a display after the casts requested before, or raise that it shows nothing."""
    await coordinator.requests.async_wait_for_casts()
    player = await coordinator.async_read_player()
    if player is None or not player.items:
        raise invalid_input("nothing_shown", name=coordinator.name)
    return player


def _find(player: PlayerStatus, work: float | str, name: str) -> int:
    """Return the place of a work by id, title, number or step, counted from 0; raise for no such work, or several."""
    if work in STEPS and player.position is not None:
        return (player.position - 1 + STEPS[work]) % player.count
    ids = [item.id for item in player.items]
    titles = [item.title or "" for item in player.items]
    if (index := find_work(work, ids, titles)) is not None:
        return index
    raise invalid_input(
        "work_not_found",
        name=name,
        work=str(work),
        works=str(len(player.items)),
    )


async def async_hand_over(call: ServiceCall) -> None:
    """Show the playlist of this display on another, at the same place."""
    source = only(await async_targets(call))
    to = {ATTR_ENTITY_ID: [call.data["to"]]}
    there = ServiceCall(call.hass, call.domain, call.service, to, call.context)
    target = only(await async_targets(there))
    if source.entity_id == target.entity_id:
        raise invalid_input("hand_over_to_itself")
    giver = await source.async_coordinator()
    taker = await target.async_coordinator()
    if (hung := await async_lasting(giver)) is None:
        raise invalid_input("nothing_shown", name=giver.name)
    begin = Begin(place=hung.start)
    request = Request(art=Ready(hung.asked), begin=begin, context=call.context)
    await async_show_on(taker, request)
    match call.data["then"]:
        case "sleep" if giver.data.asleep is not None:
            await giver.power.async_set_asleep(True)
        case "clear":
            await queue.async_clear(giver)


MAX_TEXT = 2000
MESSAGE_SCHEMA = cv.make_entity_service_schema(
    {
        vol.Optional("title"): title,
        vol.Optional("text"): text_up_to(MAX_TEXT),
        vol.Optional("image"): media,
        vol.Optional("background", default="#101010"): color,
        vol.Optional("color", default="#f5f5f5"): color,
        vol.Optional("show_for"): duration,
    }
)
# The font shrinks with the length of the text, so that everything is on the screen.
PAGE = """<!doctype html>
<html><head><meta charset="utf-8"><title>{title}</title><style>
html,body{{margin:0;height:100%;background:{background};color:{color};overflow:hidden}}
body{{display:flex;flex-direction:column;align-items:center;justify-content:center;gap:3vmin;
padding:5vmin;box-sizing:border-box;text-align:center;font-family:system-ui,sans-serif}}
h1{{margin:0;font-size:{title_size:.1f}vmin;overflow-wrap:anywhere}}
p{{margin:0;font-size:{text_size:.1f}vmin;line-height:1.3;white-space:pre-line;overflow-wrap:anywhere}}
img{{flex:1 1 0;min-height:0;max-width:100%;object-fit:contain}}
</style></head><body>{body}</body></html>
"""


async def async_show_message(call: ServiceCall) -> JsonObjectType | None:
    """Show a message on the targeted displays."""
    title, text = call.data.get("title", ""), call.data.get("text", "")
    source = ""
    if not (title or text or "image" in call.data):
        raise invalid_input("nothing_to_show")
    targets = await async_targets(call)
    if "image" in call.data:
        source = await _async_picture(call)
    page = _page(title, text, source, call.data["background"], call.data["color"])
    playlist = page_playlist(title or text.partition("\n")[0], page_url(page))
    show_for = call.data.get("show_for")
    request = Request(
        art=Ready(playlist),
        term=None if show_for is None else ForTime(show_for),
        context=call.context,
    )
    return await _async_show(call, request, targets)


async def _async_picture(call: ServiceCall) -> str:
    """Return the address of the picture of a message: that of the first work, also of a playlist at an address."""
    image = call.data["image"]
    is_list = is_web(image) and is_list_address(image)
    art, _ = medium_of(image, "" if is_list else "image/*")
    request = Request(art=art, context=call.context)
    request = await async_for_caller(call.hass, request)
    found = await async_resolve(call.hass, request)
    read = await async_read_for_display(call.hass, found, request.caller)
    if not read.items or not (source := read.items[0].get("source")):
        raise invalid_input("nothing_to_show")
    return str(source)


def _page(title: str, text: str, source: str, background: str, ink: str) -> str:
    """Return the page of a message with the picture at a source, with everything in it escaped."""
    parts = []
    if source:
        parts.append(f'<img src="{escape(source)}" alt="">')
    if title:
        parts.append(f"<h1>{escape(title)}</h1>")
    if text:
        parts.append(f"<p>{escape(text)}</p>")
    room = 0.5 if source else 1.0
    return PAGE.format(
        title=escape(title),
        background=background,
        color=ink,
        title_size=_size(title, 14 * room),
        text_size=_size(text, 8 * room),
        body="".join(parts),
    )


def _size(text: str, largest: float) -> float:
    """Return the font size at which a text takes at most half of the screen, in hundredths of its shorter side."""
    # A letter is about half as wide as high, and lines are 1.3 letters high.
    lines = text.count("\n") + 1
    fitting = sqrt(40 * 90 / (0.65 * max(len(text), 1)))
    return min(largest, fitting, 40 / (1.3 * lines))
