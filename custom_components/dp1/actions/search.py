"""Action that searches the libraries."""

import voluptuous as vol

from homeassistant.const import ATTR_CONFIG_ENTRY_ID
from homeassistant.core import ServiceCall, ServiceResponse
from homeassistant.helpers import config_validation as cv

from ..browse.search import async_search_nodes
from ..errors import invalid_input
from ..library.entries import async_libraries, library_of
from ..library.library import NodeKind
from ..library.node import media_id

SERVICE_SEARCH = "search"
KINDS = (
    NodeKind.ARTIST,
    NodeKind.EXHIBITION,
    NodeKind.SERIES,
    NodeKind.ARTWORK,
    NodeKind.PLAYLIST,
    NodeKind.ITEM,
    NodeKind.COLLECTION,
    NodeKind.OWNED,
)
SEARCH_SCHEMA = vol.Schema(
    {
        vol.Required("query"): vol.All(cv.string, vol.Length(min=1)),
        vol.Optional(ATTR_CONFIG_ENTRY_ID): cv.string,
        vol.Optional("kinds"): vol.All(
            cv.ensure_list, [vol.All(vol.In(KINDS), vol.Coerce(NodeKind))]
        ),
        vol.Optional("limit", default=20): vol.All(
            vol.Coerce(int), vol.Range(min=1, max=100)
        ),
    }
)


async def async_search(call: ServiceCall) -> ServiceResponse:
    """Search the libraries, best results first."""
    hass = call.hass
    if (entry_id := call.data.get(ATTR_CONFIG_ENTRY_ID)) is not None:
        libraries = [library_of(hass, entry_id)]
    elif not (libraries := async_libraries(hass)):
        raise invalid_input("no_library")
    found = await async_search_nodes(
        libraries,
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
                "year": node.year,
                "picture": node.picture,
                "opens_at": node.opens_at.isoformat() if node.opens_at else None,
                "media_content_id": media_id(library.entry_id, node.id),
            }
            for library, node in found
        ]
    }
