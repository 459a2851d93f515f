"""Actions on the playlists of a library's feed: publish, read, check, delete."""

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from typing import Any

import voluptuous as vol

from homeassistant.const import ATTR_CONFIG_ENTRY_ID, ATTR_ENTITY_ID, CONF_API_KEY
from homeassistant.core import HomeAssistant, ServiceCall, ServiceResponse
from homeassistant.exceptions import HomeAssistantError
from homeassistant.helpers import config_validation as cv
from homeassistant.util.json import JsonValueType

from ..client.display.casts import Cast
from ..client.display.player_status import PlaylistItem
from ..client.errors import AuthenticationError, Dp1Error, Fault, InvalidPlaylistError
from ..client.feed.client import Feed, Published
from ..client.playlist.document import parse, validate
from ..client.playlist.signing import Verification, verify
from ..const import CONF_FEED_KEYS, DOMAIN
from ..coordinator import DisplayCoordinator
from ..errors import exactly_one_of, invalid_input, invalid_playlist, translated
from ..library.entries import async_build_playlist, async_feed, async_libraries
from ..library.library import Library, LibraryConfigEntry
from ..playback.media_proxy import PATH as LENT_PATH
from ..playback.resolve import async_read_playlist
from .targets import async_targets

SERVICE_PUBLISH_PLAYLIST = "publish_playlist"
SERVICE_GET_PLAYLIST = "get_playlist"
SERVICE_VALIDATE_PLAYLIST = "validate_playlist"
SERVICE_DELETE_PLAYLIST = "delete_playlist"

WORDS = ("title", "summary", "slug")
# What makes a playlist this one and no other; a copy gets its own.
IDENTITY = ("id", "slug", "created")
PUBLISH_FIELDS = (
    "playlist",
    "playlist_url",
    "exhibition",
    "series",
    "media_content_id",
    ATTR_ENTITY_ID,
)
# What an address has that opens something of this Home Assistant to whoever knows it.
PASSES = ("authSig=", LENT_PATH)
READ_FIELDS = ("playlist_id", "playlist_url")

PUBLISH_SCHEMA = vol.Schema(
    {
        vol.Optional(ATTR_CONFIG_ENTRY_ID): cv.string,
        vol.Optional("playlist"): vol.Any(dict, cv.string),
        vol.Optional("playlist_url"): cv.string,
        vol.Optional("exhibition"): cv.string,
        vol.Optional("series"): cv.string,
        vol.Optional("media_content_id"): cv.string,
        vol.Optional(ATTR_ENTITY_ID): cv.entity_id,
        **{vol.Optional(word): cv.string for word in WORDS},
        vol.Optional("sign"): cv.boolean,
    }
)
GET_SCHEMA = vol.Schema(
    {
        vol.Optional(ATTR_CONFIG_ENTRY_ID): cv.string,
        **{vol.Optional(field): cv.string for field in READ_FIELDS},
    }
)
VALIDATE_SCHEMA = vol.Schema({vol.Required("playlist"): object})
DELETE_SCHEMA = vol.Schema(
    {
        vol.Optional(ATTR_CONFIG_ENTRY_ID): cv.string,
        vol.Required("playlist_id"): cv.string,
    }
)


async def async_publish_playlist(call: ServiceCall) -> ServiceResponse:
    """Publish a playlist in the feed of a library."""
    entry, feed = async_feed(call.hass, call.data.get(ATTR_CONFIG_ENTRY_ID))
    what = exactly_one_of(call.data, PUBLISH_FIELDS)
    library = entry.runtime_data
    key = library.key if _signs(call, entry) else None
    document = await _async_document(call, what)
    if key is None and not entry.data.get(CONF_API_KEY):
        _check_signed(call, entry, document)
    else:
        if "playlist" not in what:
            document = {k: v for k, v in document.items() if k not in IDENTITY}
        document = _completed(call, library, document)
    _check_sources(document)
    with _feed_errors(call.hass, entry, feed, writing=True):
        published = await feed.publish(
            document, key=key, curator=library.preferences.curator
        )
    _note_feed_key(library, published)
    return _told(published, library.feed_keys) if call.return_response else None


def _signs(call: ServiceCall, entry: LibraryConfigEntry) -> bool:
    """Tell whether to sign: as asked, else where there is no API key to publish by."""
    signs: bool = call.data.get("sign", not entry.data.get(CONF_API_KEY))
    return signs


def _check_signed(
    call: ServiceCall, entry: LibraryConfigEntry, document: Mapping[str, Any]
) -> None:
    """See that a playlist can go to the feed by the signatures it has, which hold for it as it is."""
    if not document.get("signatures"):
        raise invalid_input("feed_needs_key", name=entry.title)
    if given := [word for word in WORDS if word in call.data]:
        raise invalid_input("signed_as_it_is", given=", ".join(given))


def _check_sources(document: Mapping[str, Any]) -> None:
    """Refuse works that only open with a pass to this Home Assistant, which is nobody else's business."""
    items = document.get("items")
    if faults := [
        Fault(f"items[{place}].source", "is a private address of this Home Assistant")
        for place, item in enumerate(items if isinstance(items, list) else [])
        if isinstance(item, dict)
        and any(word in str(item.get("source")) for word in PASSES)
    ]:
        raise invalid_playlist(InvalidPlaylistError(faults))


def _completed(
    call: ServiceCall, library: Library, document: Mapping[str, Any]
) -> dict[str, Any]:
    """Put in what the call says, and what the library's options say where the document says nothing."""
    result = {
        **document,
        **{word: call.data[word] for word in WORDS if word in call.data},
    }
    preferences = library.preferences
    own = document.get("defaults") or {}
    if isinstance(own, dict):
        defaults = {
            "duration": preferences.duration,
            "license": preferences.license,
            **{name: value for name, value in own.items() if value is not None},
        }
        display = defaults.get("display") or {}
        if preferences.display and isinstance(display, dict):
            defaults["display"] = {**preferences.display, **display}
        result["defaults"] = defaults
    if preferences.curator and library.key and not document.get("curators"):
        curator = {"name": preferences.curator, "key": library.key.did}
        result["curators"] = [curator]
    return result


async def _async_document(call: ServiceCall, what: Mapping[str, Any]) -> dict[str, Any]:
    """Get hold of the playlist that is meant."""
    match what:
        case {"playlist": given}:
            try:
                return parse(given)
            except InvalidPlaylistError as err:
                raise invalid_playlist(err) from err
        case {"playlist_url": str(url)}:
            return await async_read_playlist(call.hass, url)
        case {"entity_id": _}:
            (target,) = await async_targets(call)
            return await _async_shown(call.hass, await target.async_coordinator())
        case _:
            built = await async_build_playlist(call.hass, what)
            return await _async_cast_document(call.hass, built.cast)


async def _async_shown(
    hass: HomeAssistant, coordinator: DisplayCoordinator
) -> dict[str, Any]:
    """Take what a display shows: as it says itself, or as it was cast to one that cannot tell."""
    player = coordinator.data.player
    playlist = (player.playlist if player else None) or {}
    if isinstance(items := playlist.get("items"), list) and items:
        return {**playlist, "items": [_shown_item(item) for item in items]}
    if coordinator.data.assumed is not None:
        return await _async_cast_document(hass, coordinator.data.assumed)
    raise HomeAssistantError(
        translation_domain=DOMAIN,
        translation_key="shows_no_playlist",
        translation_placeholders={"name": coordinator.name},
    )


def _shown_item(item: Any) -> Any:
    """Leave out the duration that a display puts in where there is none."""
    if isinstance(item, dict) and PlaylistItem.parse(item).duration is None:
        return {name: value for name, value in item.items() if name != "duration"}
    return item


async def _async_cast_document(hass: HomeAssistant, cast: Cast) -> dict[str, Any]:
    """Take the document of a cast, reading it where it is cast by its URL."""
    if cast.playlist_url is not None:
        return await async_read_playlist(hass, cast.playlist_url)
    return dict(cast.playlist or {})


def _note_feed_key(library: Library, published: Published) -> None:
    """Remember what a feed signs with when it does so for the first time."""
    kids = [v.kid for v in published.verified if v.valid and v.role == "feed"]
    if len(kids) == 1 and not library.feed_keys:
        options = {**library.entry.options, CONF_FEED_KEYS: kids}
        library.hass.config_entries.async_update_entry(library.entry, options=options)


def _told(published: Published, feed_keys: tuple[str, ...]) -> dict[str, Any]:
    """Tell what became of a playlist."""
    response: dict[str, Any] = {
        "id": published.id,
        "slug": published.slug,
        "url": published.url,
        "status": published.status,
        "signed_by": published.signed_by,
        "verified": [_verdict(each, feed_keys) for each in published.verified],
    }
    for name, paths in (
        ("changed", published.changed),
        ("left_out", published.left_out),
    ):
        if paths:
            response[name] = list(paths)
    return response


async def async_get_playlist(call: ServiceCall) -> ServiceResponse:
    """Read a playlist from the feed of a library, or from anywhere, and check who signed it."""
    feed_keys: tuple[str, ...] = ()
    match exactly_one_of(call.data, READ_FIELDS):
        case {"playlist_id": str(ref)}:
            entry, feed = async_feed(call.hass, call.data.get(ATTR_CONFIG_ENTRY_ID))
            with _feed_errors(call.hass, entry, feed):
                stored = await feed.playlist(ref)
                document = parse(stored.document)
            legacy_keys = entry.runtime_data.feed_keys
            if stored.url.startswith(f"{feed.url}/"):
                feed_keys = legacy_keys
        case what:
            document = await async_read_playlist(call.hass, what["playlist_url"])
            libraries = async_libraries(call.hass)
            legacy_keys = tuple(key for it in libraries for key in it.feed_keys)
    verified = verify(document, legacy_keys=legacy_keys)
    return {
        "playlist": document,
        "verified": [_verdict(each, feed_keys) for each in verified],
    }


def _verdict(each: Verification, feed_keys: tuple[str, ...]) -> JsonValueType:
    """Tell what became of a signature, and whether a feed used another key than the one that is known."""
    verdict: dict[str, JsonValueType] = {
        "kid": each.kid,
        "role": each.role,
        "valid": each.valid,
    }
    reason = each.reason
    if each.valid and each.role == "feed" and feed_keys and each.kid not in feed_keys:
        reason = "another key than this feed is known to sign with"
    if reason:
        verdict["reason"] = reason
    return verdict


async def async_validate_playlist(call: ServiceCall) -> ServiceResponse:
    """Find every fault of a playlist."""
    try:
        faults = validate(parse(call.data["playlist"]))
    except InvalidPlaylistError as err:
        faults = list(err.faults)
    errors: list[JsonValueType] = [
        {"path": fault.path, "message": fault.message} for fault in faults
    ]
    return {"valid": not errors, "errors": errors}


async def async_delete_playlist(call: ServiceCall) -> None:
    """Delete a playlist from the feed of a library."""
    entry, feed = async_feed(call.hass, call.data.get(ATTR_CONFIG_ENTRY_ID))
    if not entry.data.get(CONF_API_KEY):
        raise invalid_input("feed_needs_key", name=entry.title)
    with _feed_errors(call.hass, entry, feed, writing=True):
        await feed.delete(call.data["playlist_id"])


@contextmanager
def _feed_errors(
    hass: HomeAssistant,
    entry: LibraryConfigEntry,
    feed: Feed,
    *,
    writing: bool = False,
) -> Iterator[None]:
    """Translate what a feed refuses; when it does not let us write, ask for another API key."""
    try:
        yield
    except Dp1Error as err:
        if writing and isinstance(err, AuthenticationError):
            entry.async_start_reauth(hass)
        raise translated(err, "feed", entry.title, feed.url) from err
