"""Actions of the integration."""

from homeassistant.core import HomeAssistant, SupportsResponse, callback

from .actions import display, feed, library
from .actions.commands import async_setup_commands
from .const import DOMAIN

NONE, OPTIONAL, ONLY = (
    SupportsResponse.NONE,
    SupportsResponse.OPTIONAL,
    SupportsResponse.ONLY,
)
ACTIONS = (
    ("cast_playlist", display.async_cast_playlist, display.CAST_SCHEMA, OPTIONAL),
    ("show_message", display.async_show_message, display.MESSAGE_SCHEMA, OPTIONAL),
    ("show_work", display.async_show_work, display.SHOW_WORK_SCHEMA, NONE),
    ("hand_over", display.async_hand_over, display.HAND_OVER_SCHEMA, NONE),
    ("remove_work", display.async_remove_work, display.REMOVE_WORK_SCHEMA, NONE),
    ("keep_offline", display.async_keep_offline, display.NO_FIELDS_SCHEMA, OPTIONAL),
    ("show_previous", display.async_show_previous, display.NO_FIELDS_SCHEMA, NONE),
    ("publish_playlist", feed.async_publish_playlist, feed.PUBLISH_SCHEMA, OPTIONAL),
    ("get_playlist", feed.async_get_playlist, feed.GET_SCHEMA, ONLY),
    ("validate_playlist", feed.async_validate_playlist, feed.VALIDATE_SCHEMA, ONLY),
    ("update_playlist", feed.async_update_playlist, feed.UPDATE_SCHEMA, OPTIONAL),
    ("delete_playlist", feed.async_delete_playlist, feed.DELETE_SCHEMA, NONE),
    ("refresh_library", library.async_refresh_library, library.REFRESH_SCHEMA, NONE),
    ("search", library.async_search, library.SEARCH_SCHEMA, ONLY),
    ("add_favorite", library.async_add_favorite, library.FAVORITE_SCHEMA, OPTIONAL),
    ("remove_favorite", library.async_remove_favorite, library.FAVORITE_SCHEMA, NONE),
    ("hide_work", library.async_hide_work, library.FAVORITE_SCHEMA, OPTIONAL),
    ("unhide_work", library.async_unhide_work, library.FAVORITE_SCHEMA, NONE),
)


@callback
def async_setup_services(hass: HomeAssistant) -> None:
    """Register the actions."""
    for name, action, schema, response in ACTIONS:
        hass.services.async_register(DOMAIN, name, action, schema, response)
    async_setup_commands(hass)
