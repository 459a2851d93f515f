"""Websocket commands of cards: the cast that somebody waits for, and giving it up."""

from typing import Any, Final

import voluptuous as vol

from homeassistant.auth.permissions.const import POLICY_CONTROL
from homeassistant.components import websocket_api
from homeassistant.const import ATTR_ENTITY_ID
from homeassistant.core import HomeAssistant, callback
from homeassistant.exceptions import Unauthorized
from homeassistant.helpers import config_validation as cv

from ..const import DOMAIN
from ..coordinator import DisplayCoordinator
from ..displays import find_display, target_of
from ..playback.groups import leader_of
from ..playback.show import async_cancel

TYPE: Final = "type"
FIELDS: Final = {vol.Required(ATTR_ENTITY_ID): cv.entity_id}


@callback
def async_setup_commands(hass: HomeAssistant) -> None:
    """Register the commands."""
    websocket_api.async_register_command(hass, waits_for)
    websocket_api.async_register_command(hass, cancel)


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


def _display(
    hass: HomeAssistant,
    connection: websocket_api.ActiveConnection,
    message: dict[str, Any],
) -> DisplayCoordinator | None:
    """Return the display of a command, if it is set up, or raise unless its user may control it."""
    entity_id = message[ATTR_ENTITY_ID]
    if not connection.user.permissions.check_entity(entity_id, POLICY_CONTROL):
        raise Unauthorized(entity_id=entity_id, permission=POLICY_CONTROL)
    find_display(hass, entity_id)
    return target_of(hass, entity_id).loaded()
