"""Actions on libraries: look for news, search, and their favorites."""

from contextlib import suppress
from dataclasses import replace
from typing import Any

import voluptuous as vol

from homeassistant.const import ATTR_CONFIG_ENTRY_ID
from homeassistant.core import ServiceCall, ServiceResponse
from homeassistant.exceptions import HomeAssistantError
from homeassistant.helpers import config_validation as cv
from homeassistant.util.json import JsonValueType

from ..browse.search import async_search_nodes
from ..client.display.player_status import PlayerStatus, PlaylistItem
from ..client.hosts import same_work
from ..coordinator import DisplayCoordinator
from ..displays import async_displays
from ..errors import invalid_input
from ..fields import list_up_to, media, name, whole_number
from ..grants import LENT
from ..hosts import HOSTS
from ..library.index import place_of_item
from ..library.item import Item
from ..library.libraries import (
    async_libraries,
    async_node,
    async_node_on,
    library_and_node,
    library_of,
    told,
)
from ..library.library import Library
from ..library.node import WORKS, NodeKind, media_id, node_id
from ..permissions import async_check_library, async_check_refresh
from ..playback.cast import async_player_of
from ..playback.queue import async_leave_out
from ..playback.show import async_do
from ..playback.wall import async_lasting
from ..screen.views import async_screens
from .targets import TARGET, async_targets, exactly_one_of

REFRESH_SCHEMA = vol.Schema({vol.Optional(ATTR_CONFIG_ENTRY_ID): cv.string})


async def async_refresh_library(call: ServiceCall) -> None:
    """Look for news on the servers of a library, or of all libraries."""
    hass = call.hass
    libraries = _libraries(call)
    for library in libraries:
        await async_check_refresh(hass, call.context, library.entry)
    for library in libraries:
        await library.async_refresh()


KINDS = (
    NodeKind.ARTIST,
    NodeKind.EXHIBITION,
    NodeKind.SERIES,
    NodeKind.PLAYLIST,
    NodeKind.COLLECTION,
    NodeKind.ALBUM,
    NodeKind.CHANNEL,
    NodeKind.PICTURE,
    *WORKS,
)
SEARCH_SCHEMA = vol.Schema(
    {
        vol.Required("query"): vol.All(name, vol.Length(min=1)),
        vol.Optional(ATTR_CONFIG_ENTRY_ID): cv.string,
        vol.Optional("kinds"): list_up_to(len(KINDS), vol.In(KINDS)),
        vol.Optional("limit", default=20): whole_number(1, 100),
    }
)


def _libraries(call: ServiceCall) -> list[Library]:
    """Return the library that a call names, or all."""
    if (entry_id := call.data.get(ATTR_CONFIG_ENTRY_ID)) is not None:
        return [library_of(call.hass, entry_id)]
    if not (libraries := async_libraries(call.hass)):
        raise invalid_input("no_library")
    return libraries


async def async_search(call: ServiceCall) -> ServiceResponse:
    """Search the libraries, best results first."""
    nodes = await async_search_nodes(
        _libraries(call),
        call.data["query"],
        kinds=call.data.get("kinds") or None,
        limit=call.data["limit"],
    )
    return {
        "results": [
            {
                "title": node.title,
                "kind": str(node.kind),
                "artist": node.artist,
                "artists": [it.to_attributes() for it in node.artists],
                "year": node.year,
                "medium": node.medium,
                "note": node.note,
                "picture": node.small_picture,
                "opens_at": node.opens_at.isoformat() if node.opens_at else None,
                "media_content_id": media_id(library.entry_id, node.id),
            }
            for library, node in nodes
        ]
    }


type Json = dict[str, Any]

FAVORITE_FIELDS = (TARGET, "media_content_id")
FAVORITE_SCHEMA = vol.Schema(
    {**cv.ENTITY_SERVICE_FIELDS, vol.Optional("media_content_id"): media}
)


async def async_add_favorite(call: ServiceCall) -> ServiceResponse:
    """Add works, a series, an exhibition or a playlist to the favorites of their library."""
    favorites: list[dict[str, JsonValueType]] = []
    for library, text in await _async_nodes(call):
        was_favorite = library.favorites.has(text)
        with told(library, text):
            try:
                node = await library.async_add_favorite(text)
            except ValueError as err:
                raise invalid_input("nothing_to_like", name=text) from err
        try:
            await library.favorites.async_save_now()
        except HomeAssistantError:
            if not was_favorite:
                library.favorites.async_remove(node.id)
            raise
        favorites.append(
            {
                "title": node.title,
                "media_content_id": media_id(library.entry_id, node.id),
            }
        )
    if not call.return_response:
        return None
    return {**favorites[0], "favorites": [*favorites]}


async def async_remove_favorite(call: ServiceCall) -> None:
    """Remove nodes from the favorites of their library."""
    for library, text in await _async_nodes(call):
        if (favorite := library.favorites.kept(text)) is None:
            raise invalid_input("not_a_favorite", name=text)
        library.favorites.async_remove(text)
        try:
            await library.favorites.async_save_now()
        except HomeAssistantError:
            library.favorites.async_add(favorite.node, favorite.item)
            raise


async def _async_nodes(call: ServiceCall) -> list[tuple[Library, str]]:
    """Return the node of the media id, or the nodes of the works on the displays, each once."""
    match exactly_one_of(call, FAVORITE_FIELDS):
        case {"media_content_id": str(text)}:
            nodes = [library_and_node(call.hass, text)]
        case _:
            nodes = [
                await _async_node_of(call, await target.async_coordinator())
                for target in await async_targets(call)
            ]
    for library, _ in nodes:
        await async_check_library(call.hass, call.context, library.entry_id)
    return list(dict.fromkeys(nodes))


async def async_hide_work(call: ServiceCall) -> ServiceResponse:
    """Never show works again, and return how they are taken back; a display that shows one goes on to the next."""
    works: list[JsonValueType] = []
    for library, work, item, coordinator in await _async_works(call):
        try:
            library.async_hide(work, item)
        except ValueError as err:
            raise invalid_input("nothing_to_hide", name=work.title) from err
        try:
            await library.hidden.async_save_now()
        except HomeAssistantError:
            library.hidden.async_remove(work.id)
            raise
        place = place_of_item(item)
        if coordinator is not None:
            await async_do(coordinator, call.context, async_leave_out, place)
        for display in async_displays(call.hass):
            # What comes back there is not judged anew.
            if display.wall.is_announcing:
                await async_leave_out(display, place)
        hidden = media_id(library.entry_id, work.id)
        works.append({"title": work.title, "media_content_id": hidden})
    return {"hidden": works} if call.return_response else None


async def async_unhide_work(call: ServiceCall) -> None:
    """Show hidden works again."""
    for library, work, item, _ in await _async_works(call):
        if not (hidden := library.hidden.of_work(item)):
            raise invalid_input("not_hidden", name=work.title)
        for node in hidden:
            library.hidden.async_remove(node)
        await library.hidden.async_save_now()


async def _async_works(
    call: ServiceCall,
) -> list[tuple[Library, Item, Json, DisplayCoordinator | None]]:
    """Return the work of the media id, or those on the displays, with their items and who shows them."""
    works: list[tuple[Library, Item, Json, DisplayCoordinator | None]] = []
    match exactly_one_of(call, FAVORITE_FIELDS):
        case {"media_content_id": str(text)}:
            library, work = await async_node(call.hass, text)
            await async_check_library(call.hass, call.context, library.entry_id)
            with told(library, work.id):
                items = (await library.async_build_playlist(work.id)).items
            if not items:
                raise invalid_input("nothing_to_hide", name=work.title)
            works.append((library, work, items[0], None))
        case _:
            for target in await async_targets(call):
                coordinator = await target.async_coordinator()
                library, work, item = await _async_shown_work(call, coordinator)
                await async_check_library(call.hass, call.context, library.entry_id)
                works.append((library, work, item, coordinator))
    return works


async def _async_shown_work(
    call: ServiceCall, coordinator: DisplayCoordinator
) -> tuple[Library, Item, Json]:
    """Return the node and the item of the work that a display shows; one that is in no library has a node of what its item tells."""
    hass = call.hass
    player, item, shown = await _async_shown(call, coordinator)
    # Of what is kept at home and lent, where it is for others.
    url = hass.data[HOSTS].public_url(item.source or "")
    raw = {**item.raw, "source": url}
    with suppress(HomeAssistantError):
        if found := await async_node_on(hass, player, shown):
            library, text = found
            media = media_id(library.entry_id, text)
            return *await async_node(hass, media), raw
    if not (libraries := async_libraries(hass)):
        raise invalid_input("no_library")
    key = item.id or same_work(url)
    text = node_id(NodeKind.ITEM, key, key)
    node = Item(
        id=text,
        kind=NodeKind.ITEM,
        title=item.title or coordinator.name,
        picture=item.thumbnail,
        can_play=True,
    )
    return libraries[0], node, raw


async def _async_shown(
    call: ServiceCall, coordinator: DisplayCoordinator
) -> tuple[PlayerStatus, PlaylistItem, Item | None]:
    """Return the player, item and work that a display shows, of two photos the one that is tapped, else the first; of what is shown for a time, those that come back."""
    hass = call.hass
    player, shown = coordinator.data.player, coordinator.data.work
    if coordinator.wall.is_announcing:
        lasting = await async_lasting(coordinator)
        player, shown = await async_player_of(hass, lasting), None
    item = player.current if player else None
    if player is None or item is None:
        raise invalid_input("shows_no_work", name=coordinator.name)
    if len(lent := [*LENT.finditer(item.source or "")]) > 1:
        screen = (await async_screens(hass)).screen(coordinator.device_id)
        part = screen.parts.get(call.context.id, 0) if screen else 0
        item = replace(item, source=lent[part][0])
        player, shown = replace(player, items=(item,), index=0, count=1), None
    return player, item, shown


async def _async_node_of(
    call: ServiceCall, coordinator: DisplayCoordinator
) -> tuple[Library, str]:
    """Return the node of the work that a display shows, preferably a favorite; of what is shown for a time, the one that comes back."""
    player, _, shown = await _async_shown(call, coordinator)
    if found := await async_node_on(call.hass, player, shown):
        return found
    raise invalid_input("work_of_no_library", name=coordinator.name)
