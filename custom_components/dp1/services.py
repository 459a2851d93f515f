"""Actions of the integration."""

from contextlib import ExitStack
from dataclasses import replace
from typing import Any

import voluptuous as vol

from homeassistant.components.media_player import RepeatMode
from homeassistant.core import (
    HomeAssistant,
    ServiceCall,
    ServiceResponse,
    SupportsResponse,
    callback,
)
from homeassistant.exceptions import Unauthorized
from homeassistant.helpers import config_validation as cv

from .actions.display import (
    GESTURE_SCHEMA,
    HAND_OVER_SCHEMA,
    MOVE_WORK_SCHEMA,
    REMOVE_WORK_SCHEMA,
    SERVICE_GESTURE,
    SERVICE_HAND_OVER,
    SERVICE_MOVE_WORK,
    SERVICE_REMOVE_WORK,
    SERVICE_SHOW_PREVIOUS,
    SERVICE_SHOW_WORK,
    SHOW_PREVIOUS_SCHEMA,
    SHOW_WORK_SCHEMA,
    async_cast_to,
    async_gesture,
    async_hand_over,
    async_rearrange,
    async_show_previous,
    async_show_work,
)
from .actions.favorites import (
    FAVORITE_SCHEMA,
    SERVICE_ADD_FAVORITE,
    SERVICE_REMOVE_FAVORITE,
    async_add_favorite,
    async_remove_favorite,
)
from .actions.feed import (
    DELETE_SCHEMA,
    GET_SCHEMA,
    PUBLISH_SCHEMA,
    SERVICE_DELETE_PLAYLIST,
    SERVICE_GET_PLAYLIST,
    SERVICE_PUBLISH_PLAYLIST,
    SERVICE_VALIDATE_PLAYLIST,
    VALIDATE_SCHEMA,
    async_delete_playlist,
    async_get_playlist,
    async_publish_playlist,
    async_validate_playlist,
)
from .actions.fields import color, media
from .actions.follow import (
    FOLLOW_SCHEMA,
    SERVICE_FOLLOW_CHANNEL,
    SERVICE_UNFOLLOW_CHANNEL,
    async_follow_channel,
    async_unfollow_channel,
)
from .actions.library import (
    REFRESH_SCHEMA,
    SERVICE_REFRESH_LIBRARY,
    async_refresh_library,
)
from .actions.message import MESSAGE_SCHEMA, SERVICE_SHOW_MESSAGE, async_show_message
from .actions.search import SEARCH_SCHEMA, SERVICE_SEARCH, async_search
from .actions.targets import async_targets
from .actions.update import (
    SERVICE_UPDATE_PLAYLIST,
    UPDATE_SCHEMA,
    async_update_playlist,
)
from .const import DOMAIN
from .data import DATA
from .errors import exactly_one_of
from .playback.duties import positive_duration
from .playback.resolve import Options, async_resolve, is_in_history, split_media_id
from .voice.sentences import Wish, async_update_sentences

SERVICE_CAST_PLAYLIST = "cast_playlist"
MAX_MARGIN = 99_999
SERVICE_WRITE_SENTENCES = "write_sentences"
NONE, OPTIONAL, ONLY = (
    SupportsResponse.NONE,
    SupportsResponse.OPTIONAL,
    SupportsResponse.ONLY,
)

CAST_FIELDS = (
    "playlist_url",
    "playlist",
    "playlist_id",
    "exhibition",
    "series",
    "media_content_id",
)

OPTIONS: dict[vol.Marker, Any] = {
    vol.Optional("start_at"): vol.All(vol.Coerce(int), vol.Range(min=1)),
    vol.Optional("shuffle"): cv.boolean,
    # An unquoted off is false in YAML.
    vol.Optional("repeat"): vol.All(
        lambda value: "off" if value is False else value, vol.Coerce(RepeatMode)
    ),
    vol.Optional("item_duration"): vol.All(
        vol.Coerce(float), vol.Range(min=1, max=31_536_000)
    ),
    vol.Optional("scaling"): vol.In(("fit", "fill", "stretch", "auto")),
    vol.Optional("background"): color,
    vol.Optional("margin"): vol.Any(
        vol.All(vol.Any(int, float), vol.Range(min=0, max=MAX_MARGIN)),
        cv.matches_regex(r"^\d{1,5}(\.\d{1,5})?(px|%|vw|vh)$"),
        vol.All(cv.matches_regex(r"^\d{1,5}(\.\d{1,5})?$"), vol.Coerce(float)),
    ),
    vol.Optional("limit"): vol.All(vol.Coerce(int), vol.Range(min=1, max=1024)),
    vol.Optional("wake", default=True): cv.boolean,
}
CAST_SCHEMA = cv.make_entity_service_schema(
    {
        vol.Optional("playlist_url"): cv.string,
        vol.Optional("playlist"): vol.Any(dict, cv.string),
        vol.Optional("playlist_id"): cv.string,
        vol.Optional("exhibition"): cv.string,
        vol.Optional("series"): cv.string,
        vol.Optional("media_content_id"): media,
        **OPTIONS,
        vol.Optional("show_for"): positive_duration,
        vol.Optional("spread"): cv.boolean,
    }
)


async def _async_cast_playlist(call: ServiceCall) -> ServiceResponse:
    """Cast to the targeted displays."""
    what = exactly_one_of(call.data, CAST_FIELDS)
    options = Options(
        **{str(key): call.data[key] for key in OPTIONS if key in call.data}
    )
    if "media_content_id" in what:
        what["media_content_id"], place = split_media_id(what["media_content_id"])
        options = replace(options, place=place)
    targets = await async_targets(call)
    with ExitStack() as stack:
        for target in targets:
            if (coordinator := target.loaded) is not None:
                stack.enter_context(coordinator.requests.pending_cast(options.asked))
        is_known = is_in_history(call.hass, what.get("media_content_id"))
        await call.hass.data[DATA].named_hosts.async_add(
            call.context, None if is_known else what
        )
        cast = await async_resolve(call.hass, what, options)
        return await async_cast_to(call, targets, cast, options)


async def _async_write_sentences(call: ServiceCall) -> ServiceResponse:
    """Write the sentences for Assist, and tell which files were changed or are left alone."""
    user_id = call.context.user_id
    user = await call.hass.auth.async_get_user(user_id) if user_id else None
    if user is not None and not user.is_admin:
        raise Unauthorized(context=call.context)
    changes = await async_update_sentences(call.hass, Wish.INSTALL)
    response: ServiceResponse = {
        "written": list(changes.changed),
        "edited": list(changes.edited),
    }
    return response if call.return_response else None


ACTIONS = (
    (SERVICE_CAST_PLAYLIST, _async_cast_playlist, CAST_SCHEMA, OPTIONAL),
    (SERVICE_PUBLISH_PLAYLIST, async_publish_playlist, PUBLISH_SCHEMA, OPTIONAL),
    (SERVICE_GET_PLAYLIST, async_get_playlist, GET_SCHEMA, ONLY),
    (SERVICE_VALIDATE_PLAYLIST, async_validate_playlist, VALIDATE_SCHEMA, ONLY),
    (SERVICE_UPDATE_PLAYLIST, async_update_playlist, UPDATE_SCHEMA, OPTIONAL),
    (SERVICE_DELETE_PLAYLIST, async_delete_playlist, DELETE_SCHEMA, NONE),
    (SERVICE_REFRESH_LIBRARY, async_refresh_library, REFRESH_SCHEMA, NONE),
    (SERVICE_SHOW_MESSAGE, async_show_message, MESSAGE_SCHEMA, OPTIONAL),
    (SERVICE_SHOW_WORK, async_show_work, SHOW_WORK_SCHEMA, NONE),
    (SERVICE_MOVE_WORK, async_rearrange, MOVE_WORK_SCHEMA, NONE),
    (SERVICE_REMOVE_WORK, async_rearrange, REMOVE_WORK_SCHEMA, NONE),
    (SERVICE_SHOW_PREVIOUS, async_show_previous, SHOW_PREVIOUS_SCHEMA, NONE),
    (SERVICE_HAND_OVER, async_hand_over, HAND_OVER_SCHEMA, NONE),
    (SERVICE_GESTURE, async_gesture, GESTURE_SCHEMA, NONE),
    (SERVICE_SEARCH, async_search, SEARCH_SCHEMA, ONLY),
    (SERVICE_ADD_FAVORITE, async_add_favorite, FAVORITE_SCHEMA, OPTIONAL),
    (SERVICE_REMOVE_FAVORITE, async_remove_favorite, FAVORITE_SCHEMA, NONE),
    (SERVICE_FOLLOW_CHANNEL, async_follow_channel, FOLLOW_SCHEMA, OPTIONAL),
    (SERVICE_UNFOLLOW_CHANNEL, async_unfollow_channel, FOLLOW_SCHEMA, OPTIONAL),
    (SERVICE_WRITE_SENTENCES, _async_write_sentences, vol.Schema({}), OPTIONAL),
)


@callback
def async_setup_services(hass: HomeAssistant) -> None:
    """Register the actions."""
    for name, action, schema, response in ACTIONS:
        hass.services.async_register(DOMAIN, name, action, schema, response)
