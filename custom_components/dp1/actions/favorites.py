"""Actions on the favorites of a library."""

from collections.abc import Iterator
from contextlib import contextmanager, suppress

import voluptuous as vol

from homeassistant.const import ATTR_ENTITY_ID
from homeassistant.core import HomeAssistant, ServiceCall, ServiceResponse
from homeassistant.helpers import config_validation as cv

from ..client.errors import Dp1Error
from ..client.text import clean
from ..coordinator import DisplayCoordinator
from ..errors import exactly_one_of, invalid_input, translated_errors
from ..library.entries import async_libraries, library_and_node, server_of
from ..library.library import Library, NodeKind
from ..library.tree import media_id, node_id
from .targets import async_targets

SERVICE_ADD_FAVORITE = "add_favorite"
SERVICE_REMOVE_FAVORITE = "remove_favorite"

FAVORITE_FIELDS = (ATTR_ENTITY_ID, "media_content_id")
FAVORITE_SCHEMA = vol.Schema(
    {
        vol.Optional(ATTR_ENTITY_ID): cv.entity_id,
        vol.Optional("media_content_id"): cv.string,
    }
)


async def async_add_favorite(call: ServiceCall) -> ServiceResponse:
    """Add a work, a series, an exhibition or a playlist to the favorites of its library."""
    library, text = await _async_node(call)
    with _library_errors(library, text):
        try:
            node = await library.async_add_favorite(text)
        except ValueError as err:
            raise invalid_input("nothing_to_like", name=clean(text, 100)) from err
    response: ServiceResponse = {
        "title": node.title,
        "media_content_id": media_id(library.entry_id, node.id),
    }
    return response if call.return_response else None


async def async_remove_favorite(call: ServiceCall) -> None:
    """Remove a node from the favorites of its library."""
    library, text = await _async_node(call)
    if not library.favorites.is_favorite(text):
        raise invalid_input("not_a_favorite", name=clean(text, 100))
    library.favorites.async_remove(text)


async def _async_node(call: ServiceCall) -> tuple[Library, str]:
    """Return the node given by media id or by what a display shows."""
    match exactly_one_of(call.data, FAVORITE_FIELDS):
        case {"media_content_id": str(text)}:
            return library_and_node(call.hass, text)
    (target,) = await async_targets(call)
    return await _async_shown(call.hass, await target.async_coordinator())


async def _async_shown(
    hass: HomeAssistant, coordinator: DisplayCoordinator
) -> tuple[Library, str]:
    """Return the node of the work that a display shows, preferably a favorite."""
    player = coordinator.data.player
    item = player.current if player else None
    if player is None or item is None:
        raise invalid_input("shows_no_work", name=coordinator.name)
    for library in async_libraries(hass):
        if favorite := library.favorite_of(player, coordinator.data.work):
            return library, favorite
    for library in async_libraries(hass):
        with suppress(Dp1Error):
            work = await library.async_find_work(item)
            if work is not None and work.node_id:
                return library, work.node_id
    for library in async_libraries(hass):
        if library.feed and player.playlist_id and item.id:
            text = node_id(NodeKind.ITEM, player.playlist_id, item.id)
            try:
                await library.async_node(text)
            except Dp1Error:
                continue
            return library, text
    raise invalid_input("work_of_no_library", name=coordinator.name)


@contextmanager
def _library_errors(library: Library, text: str) -> Iterator[None]:
    """Translate errors of a library."""
    with translated_errors(server_of(text), library.title, clean(text, 100)):
        yield
