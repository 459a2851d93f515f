"""Action that looks for news in the libraries."""

import voluptuous as vol

from homeassistant.const import ATTR_CONFIG_ENTRY_ID
from homeassistant.core import ServiceCall
from homeassistant.helpers import config_validation as cv

from ..errors import invalid_input
from ..library.entries import async_libraries, library_of

SERVICE_REFRESH_LIBRARY = "refresh_library"
REFRESH_SCHEMA = vol.Schema({vol.Optional(ATTR_CONFIG_ENTRY_ID): cv.string})


async def async_refresh_library(call: ServiceCall) -> None:
    """Look for news on the servers of a library, or of all libraries."""
    if (entry_id := call.data.get(ATTR_CONFIG_ENTRY_ID)) is not None:
        libraries = [library_of(call.hass, entry_id)]
    elif not (libraries := async_libraries(call.hass)):
        raise invalid_input("no_library")
    for library in libraries:
        await library.async_refresh()
