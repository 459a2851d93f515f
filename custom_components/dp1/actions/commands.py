"""Websocket commands of cards: the cast that somebody waits for, giving it up, and the playlists that somebody may change."""

from contextlib import suppress
from typing import Any, Final

import voluptuous as vol

from homeassistant.auth.permissions.const import POLICY_CONTROL
from homeassistant.components import websocket_api
from homeassistant.const import ATTR_ENTITY_ID
from homeassistant.core import HomeAssistant, callback
from homeassistant.exceptions import HomeAssistantError, Unauthorized
from homeassistant.helpers import config_validation as cv

from ..const import DOMAIN
from ..coordinator import DisplayCoordinator
from ..displays import find_display, target_of
from ..library.libraries import async_libraries
from ..library.node import NodeKind, media_id, node_id
from ..playback.groups import leader_of
from ..playback.show import async_cancel

TYPE: Final = "type"
# The newest are offered.
MAX_PLAYLISTS: Final = 200
FIELDS: Final = {vol.Required(ATTR_ENTITY_ID): cv.entity_id}


@callback
def async_setup_commands(hass: HomeAssistant) -> None:
    """Register the commands."""
    websocket_api.async_register_command(hass, waits_for)
    websocket_api.async_register_command(hass, cancel)
    websocket_api.async_register_command(hass, playlists)


@websocket_api.websocket_command({vol.Required(TYPE): f"{DOMAIN}/waits_for", **FIELDS})
@callback
def waits_for(
    hass: HomeAssistant,
    connection: websocket_api.ActiveConnection,
    message: dict[str, Any],
) -> None:
    """Tell whether a library still prepares the playlist, or the display has not answered."""
    coordinator = _display(hass, connection, message)
    is_preparing = (
        coordinator is not None and leader_of(coordinator).requests.is_preparing
    )
    connection.send_result(message["id"], "library" if is_preparing else "display")


@websocket_api.websocket_command({vol.Required(TYPE): f"{DOMAIN}/cancel", **FIELDS})
@callback
def cancel(
    hass: HomeAssistant,
    connection: websocket_api.ActiveConnection,
    message: dict[str, Any],
) -> None:
    """Give up the playlist that is being prepared for a display."""
    if coordinator := _display(hass, connection, message):
        async_cancel(coordinator)
    connection.send_result(message["id"])


@websocket_api.require_admin
@websocket_api.websocket_command({vol.Required(TYPE): f"{DOMAIN}/playlists"})
@websocket_api.async_response
async def playlists(
    hass: HomeAssistant,
    connection: websocket_api.ActiveConnection,
    message: dict[str, Any],
) -> None:
    """Tell which feeds take playlists, and which of theirs can be changed, the newest first; none of a feed that cannot be read."""
    feeds = [library for library in async_libraries(hass) if library.feed]
    own: list[dict[str, str]] = []
    for library in feeds:
        with suppress(HomeAssistantError):
            own += [
                {
                    "entry": library.entry_id,
                    "id": playlist.id,
                    "title": playlist.title,
                    "media_content_id": media_id(
                        library.entry_id, node_id(NodeKind.PLAYLIST, playlist.id)
                    ),
                }
                for playlist in await library.async_own_playlists()
            ]
    names = [{"entry": it.entry_id, "name": it.title} for it in feeds]
    connection.send_result(
        message["id"], {"feeds": names, "playlists": own[:MAX_PLAYLISTS]}
    )


def _display(
    hass: HomeAssistant,
    connection: websocket_api.ActiveConnection,
    message: dict[str, Any],
) -> DisplayCoordinator | None:
    """Return the display of a command, if it is set up, or raise unless its user has the right to it."""
    entity_id = message[ATTR_ENTITY_ID]
    if not connection.user.permissions.check_entity(entity_id, POLICY_CONTROL):
        raise Unauthorized(entity_id=entity_id, permission=POLICY_CONTROL)
    find_display(hass, entity_id)
    return target_of(hass, entity_id).loaded()
