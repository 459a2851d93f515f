"""Actions that follow a channel or a publisher of a feed."""

from functools import partial
from typing import Literal

import voluptuous as vol

from homeassistant.const import ATTR_CONFIG_ENTRY_ID
from homeassistant.core import HomeAssistant, ServiceCall, ServiceResponse
from homeassistant.helpers import config_validation as cv
from homeassistant.util.json import JsonValueType

from ..client.errors import NotFoundError
from ..client.playlist.signing import verify
from ..client.text import clean
from ..data import DATA
from ..errors import invalid_input, translated_errors
from ..library.entries import async_libraries, library_and_node, library_of
from ..library.followed import FollowedChannels, channels_named
from ..library.library import Library, NodeKind
from ..library.node import split_node_id
from .feed import verdict_of
from .targets import exactly_one_of, media

FOLLOW_FIELDS = ("channel", "publisher", "media_content_id")
FOLLOW_SCHEMA = vol.Schema(
    {
        vol.Optional(ATTR_CONFIG_ENTRY_ID): cv.string,
        vol.Optional("channel"): vol.All(cv.string, vol.Length(min=1)),
        vol.Optional("publisher"): vol.All(cv.string, vol.Length(min=1)),
        vol.Optional("media_content_id"): media,
    }
)

type Kind = Literal["channel", "publisher"]


async def async_follow_channel(call: ServiceCall) -> ServiceResponse:
    """Follow a channel or all channels of a publisher."""
    library, kind, key, title = await _async_named(call)
    with translated_errors("feed", library.title, title):
        follow = await _followed(call.hass, library).async_follow(kind, key, title)
        if not call.return_response:
            return None
        feed = library.feed
        document = await feed.channel(key) if feed and kind == "channel" else {}
    verified = await call.hass.async_add_executor_job(
        partial(verify, document, legacy_keys=library.feed_keys)
    )
    return {
        "title": follow.title,
        "kind": follow.kind,
        "playlists": len(follow.seen or ()),
        "verified": [
            verdict_of(call.hass, verdict, library.feed_keys) for verdict in verified
        ],
        "following": _titles(call.hass, library),
    }


async def async_unfollow_channel(call: ServiceCall) -> ServiceResponse:
    """Follow a channel or a publisher no more."""
    library, kind, key, title = await _async_named(call, is_followed=True)
    if not await _followed(call.hass, library).async_unfollow(kind, key):
        raise invalid_input("not_followed", name=title)
    if not call.return_response:
        return None
    return {"following": _titles(call.hass, library)}


def _followed(hass: HomeAssistant, library: Library) -> FollowedChannels:
    """Return what a library follows."""
    return hass.data[DATA].followed[library.entry_id]


def _titles(hass: HomeAssistant, library: Library) -> list[JsonValueType]:
    """Return the titles of what a library follows."""
    return [follow.title for follow in _followed(hass, library).follows]


async def _async_named(
    call: ServiceCall, *, is_followed: bool = False
) -> tuple[Library, Kind, str, str]:
    """Return the library, the id and the title of the channel or publisher that a call names."""
    match exactly_one_of(call, FOLLOW_FIELDS):
        case {"media_content_id": str(text)}:
            library, node = library_and_node(call.hass, text)
            with translated_errors("feed", library.title, clean(text, 100)):
                kind, keys = split_node_id(node)
            libraries = [library]
            if kind not in (NodeKind.CHANNEL, NodeKind.PUBLISHER):
                raise invalid_input("no_channel", name=clean(text, 100))
            wanted: tuple[Kind, str] = (
                "channel" if kind == NodeKind.CHANNEL else "publisher",
                keys[0],
            )
        case {"channel": str(text)}:
            libraries, wanted = _libraries(call), ("channel", text)
        case {"publisher": str(text)}:
            libraries, wanted = _libraries(call), ("publisher", text)
    for library in libraries:
        if found := await _async_find(call.hass, library, *wanted, is_followed):
            return library, wanted[0], *found
    raise invalid_input(f"{wanted[0]}_not_found", name=clean(wanted[1], 100))


def _libraries(call: ServiceCall) -> list[Library]:
    """Return the library that a call names, or all that have a feed."""
    if (entry_id := call.data.get(ATTR_CONFIG_ENTRY_ID)) is not None:
        library = library_of(call.hass, entry_id)
        if library.feed is None:
            raise invalid_input("no_feed", name=library.title)
        return [library]
    libraries = [library for library in async_libraries(call.hass) if library.feed]
    if not libraries:
        raise invalid_input("no_library")
    return libraries


async def _async_find(
    hass: HomeAssistant, library: Library, kind: Kind, name: str, is_followed: bool
) -> tuple[str, str] | None:
    """Return the id and the title of a channel or publisher, also of one that is followed and gone."""
    wanted = name.casefold().strip()
    if is_followed:
        for follow in _followed(hass, library).follows:
            names = (follow.key.casefold(), follow.title.casefold())
            if follow.kind == kind and wanted in names:
                return follow.key, follow.title
    with translated_errors("feed", library.title, clean(name, 100)):
        playlists = await library.feed_coordinator.async_list()
        if playlists.read_at is None:
            raise playlists.reason or NotFoundError("the feed was never read")
    channels = library.feed_coordinator.channels
    if kind == "publisher":
        publishers = {channel.publisher for channel in channels if channel.publisher}
        found = [own for own in publishers if own.casefold() == wanted]
        return (found[0], found[0]) if found else None
    if channel := next(iter(channels_named(channels, name)), None):
        return channel.id, channel.title
    return None
