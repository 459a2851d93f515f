"""What a request is about, as a playlist: one table from art."""

from collections.abc import Awaitable, Callable, Mapping
from dataclasses import replace
import re
from typing import Any
from urllib.parse import parse_qs

from homeassistant.auth.permissions.const import POLICY_READ
from homeassistant.core import HomeAssistant, callback
from homeassistant.exceptions import HomeAssistantError

from ..addresses import ADDRESSES
from ..client.hosts import work_url
from ..client.indexer.links import NOT_HERE, ExhibitionLink, Link, LinkError, parse_link
from ..client.playlist.document import (
    MAX_DOCUMENT,
    check,
    for_display,
    parse,
    unwrapped,
)
from ..client.playlist.playlist import Document, Origin, Playlist
from ..client.text import MAX_URL, is_unicode
from ..client.values import MAX_ON_LOOP
from ..display.history import MEDIA_ID as RECENT
from ..displays import async_displays
from ..errors import invalid_input, translated_errors
from ..grants import GRANTS, LIVE, SVG, picture_page
from ..language import async_message
from ..library.folder import FOLDER_PREFIX, async_opened
from ..library.libraries import (
    DAILY_MEDIA_ID,
    OWN_MEDIA_IDS,
    async_at_feed,
    async_build_playlist,
    async_labeled,
    async_libraries,
    async_playlist,
    daily_url,
    own_media_id,
)
from ..library.node import MEDIA_PREFIX
from ..library.providers.daily import Daily
from ..library.providers.pictures import async_medium, async_upload_name
from ..permissions import STRANGER, Caller
from .address import (
    FRAMED,
    UNFRAMED_SUFFIXES,
    WEB_TYPES,
    async_ask,
    async_at,
    async_judged,
    async_length,
    async_read_playlist,
    check_type,
    is_signed,
    list_at,
    local_path,
    of_work,
    page_playlist,
    parse_url,
    suffix_of,
    title_of,
)
from .links import async_of_link
from .media_proxy import is_picture_entity
from .request import Address, Art, Inline, Listed, Look, Medium, Named, Ready, Request

IMAGES = "media-source://image/"
# A camera or an image, also one that is not there.
PICTURE_ENTITY = re.compile(r"(?:camera|image)\.[a-z0-9_]+")


async def async_resolve(hass: HomeAssistant, request: Request) -> Playlist:
    """Return the playlist of a request as it looks, or raise that it cannot be shown; with its URL, if nothing changes it."""
    found = await async_find(hass, request)
    playlist = await async_apply(hass, found, request)
    if isinstance(request.art, Inline):
        document = async_labeled(hass, playlist.document)
        return replace(playlist, document=document)
    return playlist


async def async_find(hass: HomeAssistant, request: Request) -> Playlist:
    """Return the playlist of a request as it is, or raise if the lent picture of a camera or image is in it that may not be read."""
    playlist = await _async_of(hass, request)
    entity_ids = await hass.data[GRANTS].async_entities_in(playlist)
    request.caller.check(POLICY_READ, *entity_ids)
    return playlist


async def _async_of(hass: HomeAssistant, request: Request) -> Playlist:
    """Return the playlist of art, whoever asks."""
    art: Art = request.art
    match art:
        case Address(ref) | Listed(ref) | Medium(ref) if media_id := async_at_feed(
            hass, ref
        ):
            return await _async_built(hass, {"media_content_id": media_id}, request)
        case Ready(playlist):
            return playlist
        case Address(url):
            return await _async_judged(hass, list_at(hass, url), request)
        case Inline(document):
            return await hass.async_add_executor_job(_of_document, document)
        case Listed(ref) if is_elsewhere(hass, ref):
            return await _async_judged(hass, list_at(hass, ref), request)
        case Listed(ref):
            playlist = await async_playlist(hass, ref)
            hass.data[ADDRESSES].async_allow_of_library([playlist.url])
            return await _async_judged(hass, playlist, request)
        case Named(kind, name):
            return await _async_built(hass, {kind: name}, request)
        case Medium():
            return await _async_of_medium(hass, art, request)
    raise TypeError(f"{type(art).__name__} is no playlist")


async def async_apply(
    hass: HomeAssistant, playlist: Playlist, request: Request
) -> Playlist:
    """Return a playlist by its URL, or as a document if its look is another or a stranger gave it; it may be large.

    The Daily stays as it is: of which of its works the look is, is decided when it is shown.
    """
    look = request.look
    if daily_of(hass, playlist):
        return playlist
    if playlist.followed and not look.rewrites:
        request.begin.check(playlist)
        url = hass.data[GRANTS].async_url(playlist.followed, "/collection.json")
        return Playlist(url, is_personal=True)
    if playlist.node_id:
        # It was built of so many works.
        look = replace(look, limit=None)
    is_of_stranger = playlist.url is None and playlist.origin is Origin.STRANGER
    if look.rewrites or is_of_stranger:
        playlist = await async_read(hass, playlist, request.caller)
        if playlist.origin is Origin.OURS or _is_small(playlist):
            playlist = _looking(playlist, look)
        else:
            playlist = await hass.async_add_executor_job(_looking, playlist, look)
    elif request.begin.start_at and playlist.works is None:
        playlist = await async_read(hass, playlist, request.caller)
    request.begin.check(playlist)
    return playlist


def _is_small(playlist: Playlist) -> bool:
    """Return whether a playlist is that of one address: what is added to a queue keeps the order in which it was asked for."""
    source = playlist.sources[0] if len(playlist.sources) == 1 else None
    return playlist.is_personal and source is not None and len(source) <= MAX_ON_LOOP


def _looking(playlist: Playlist, look: Look) -> Playlist:
    """Return a playlist as a document with a look, or raise that it cannot be shown."""
    with translated_errors("playlist"):
        return playlist.with_options(
            item_duration=look.item_duration,
            display=look.display,
            limit=look.limit,
            texts=look.texts,
        )


def _of_document(document: str | Document) -> Playlist:
    """Return the playlist of a stranger's document, which may be large, or raise that it is none."""
    with translated_errors("playlist"):
        parsed = unwrapped(parse(document))
        try:
            return Playlist(document=parsed)
        except ValueError:
            check(parsed)
            raise


@callback
def daily_of(hass: HomeAssistant, playlist: Playlist) -> Daily | None:
    """Return the Daily of a library, if a playlist is its URL."""
    if (url := playlist.url) is None:
        return None
    dailies = (library.daily for library in async_libraries(hass))
    return next((daily for daily in dailies if daily.url == url), None)


async def _async_built(
    hass: HomeAssistant, what: Mapping[str, Any], request: Request
) -> Playlist:
    """Return the playlist of an exhibition, a series or another node of a library."""
    playlist = await async_build_playlist(hass, what, limit=request.look.limit)
    hass.data[ADDRESSES].async_allow_of_library([playlist.url])
    return await _async_judged(hass, playlist, request)


async def _async_judged(
    hass: HomeAssistant, playlist: Playlist, request: Request
) -> Playlist:
    """Return a stranger's playlist with its document; what we have made ourselves and the Daily as they are."""
    url, is_ours = playlist.url, playlist.origin is Origin.OURS or playlist.is_personal
    is_lent = url is not None and hass.data[GRANTS].media_id_of(url) is not None
    if is_ours or is_lent or daily_of(hass, playlist):
        return playlist
    return await async_judged(hass, playlist, request.caller)


# Media


async def _async_of_medium(
    hass: HomeAssistant, medium: Medium, request: Request
) -> Playlist:
    """Return the playlist of a medium by what its id looks like."""
    media_id = medium.media_id
    limit = MAX_DOCUMENT if media_id.startswith(("{", "data:")) else MAX_URL
    if len(media_id) > limit or not is_unicode(media_id):
        raise invalid_input("not_a_url", url=media_id)
    for prefix, find in RESOLVERS.items():
        if media_id.startswith(prefix):
            return await find(hass, medium, request)
    if is_picture_entity(hass, media_id) or PICTURE_ENTITY.fullmatch(media_id):
        return await _async_from_entity(hass, medium, request)
    try:
        link = parse_link(media_id)
    except LinkError as err:
        if str(err) != NOT_HERE or medium.kind not in WEB_TYPES:
            raise invalid_input(str(err), link=media_id) from err
        link = None
    if link is not None:
        return await _async_from_link(hass, medium, request, link)
    playlist = await async_at(hass, medium, request.caller)
    return await _async_judged(hass, playlist, request)


async def _async_from_text(
    hass: HomeAssistant, medium: Medium, request: Request
) -> Playlist:
    """Return the playlist of a document."""
    return await _async_of(hass, replace(request, art=Inline(medium.media_id)))


async def _async_from_history(
    hass: HomeAssistant, medium: Medium, request: Request
) -> Playlist:
    """Return the playlist of an entry of a display's history."""
    may = request.caller.may
    # Those that may be read come first.
    for coordinator in sorted(
        async_displays(hass), key=lambda it: not may(POLICY_READ, it.entity_id or "")
    ):
        if (entry := coordinator.history.get(medium.media_id)) is not None:
            request.caller.check(POLICY_READ, coordinator.entity_id or "")
            playlist = replace(entry.asked, warning="")
            return await _async_judged(hass, playlist, request)
    raise invalid_input("forgotten", media_id=medium.media_id)


async def _async_from_node(
    hass: HomeAssistant, medium: Medium, request: Request
) -> Playlist:
    """Return the playlist of something of a library: by its media id, or by a name in the first library that has it."""
    media_id = medium.media_id
    if media_id in OWN_MEDIA_IDS:
        media_id = own_media_id(hass, media_id)
    if (url := daily_url(hass, media_id)) is not None:
        hass.data[ADDRESSES].async_allow_of_library([url])
        return Playlist(url)
    return await _async_built(hass, {"media_content_id": media_id}, request)


async def _async_from_entity(
    hass: HomeAssistant, medium: Medium, request: Request
) -> Playlist:
    """Return the playlist of the current picture of a camera or image entity, or of a camera of the media browser live.

    Displays show a stream only within a page, and that of an image entity not at all.
    """
    entity_id = medium.media_id.removeprefix(LIVE).removeprefix(IMAGES)
    is_picture = is_picture_entity(hass, entity_id)
    if is_picture:
        request.caller.check(POLICY_READ, entity_id)
    state = hass.states.get(entity_id)
    if state is None or not is_picture:
        raise invalid_input("no_such_media", media_id=medium.media_id)
    title = medium.title or state.name
    async_url = hass.data[GRANTS].async_url
    if medium.media_id.startswith(LIVE):
        source = async_url(medium.media_id, f"/{entity_id}.mjpeg")
        return page_playlist(title, picture_page(source))
    source = async_url(entity_id, f"/{entity_id}.jpg")
    return of_work(source, title)


async def _async_from_media_source(
    hass: HomeAssistant, medium: Medium, request: Request
) -> Playlist:
    """Return the playlist of a medium of another media source."""
    try:
        media = await async_medium(hass, medium.media_id)
    except HomeAssistantError:
        if await async_opened(hass, medium.media_id) is None:
            raise
        folder = replace(medium, media_id=f"{FOLDER_PREFIX}{medium.media_id}")
        return await _async_from_node(hass, folder, request)
    source = media.url
    if (local := local_path(hass, source)) is not None:
        source = hass.data[GRANTS].async_url(medium.media_id, local.path)
    check_type(medium.media_id, media.mime_type)
    title = medium.title or _spoken_text(medium.media_id)
    if not title and (name := await async_upload_name(hass, medium.media_id)):
        # The address ends alike for all.
        title = name.rpartition(".")[0] or name
    elif not title and media.path is not None:
        title = media.path.stem
    warning = ""
    if media.mime_type == SVG:
        source = picture_page(source)
    elif media.mime_type.startswith(FRAMED):
        found = await async_ask(hass, source, request.caller, is_page=True)
        warning = async_message(hass, found.problem) if found.problem else ""
    if is_signed(source) and suffix_of(source) not in UNFRAMED_SUFFIXES:
        path = parse_url(source).path
        source = hass.data[GRANTS].async_url(medium.media_id, path)
    playlist = replace(of_work(source, title or title_of(media.url)), warning=warning)
    if media.mime_type.startswith(("audio/", "video/")):
        length = await async_length(hass, media, request.caller)
        playlist = replace(playlist, length=length)
    return playlist


async def _async_from_link(
    hass: HomeAssistant, medium: Medium, request: Request, link: Link
) -> Playlist:
    """Return the playlist of the works that a link of a marketplace names, or the exhibition of one to a catalog."""
    if isinstance(link, ExhibitionLink):
        return await _async_built(hass, {link.kind: link.slug}, request)
    return await async_of_link(hass, link, medium.media_id, request.look.limit)


# By what a media content id starts with; the first counts.
RESOLVERS: Mapping[
    str, Callable[[HomeAssistant, Medium, Request], Awaitable[Playlist]]
] = {
    "{": _async_from_text,
    RECENT: _async_from_history,
    DAILY_MEDIA_ID: _async_from_node,
    **dict.fromkeys(OWN_MEDIA_IDS, _async_from_node),
    MEDIA_PREFIX: _async_from_node,
    FOLDER_PREFIX: _async_from_node,
    LIVE: _async_from_entity,
    IMAGES: _async_from_entity,
    "media-source://": _async_from_media_source,
}


async def async_read(
    hass: HomeAssistant, playlist: Playlist, caller: Caller = STRANGER
) -> Playlist:
    """Return a playlist with its document, which is read if there is only its URL, for a call or for nobody."""
    if (url := playlist.url) is None or playlist.document:
        return playlist
    node = hass.data[GRANTS].media_id_of(url)
    if node and node.startswith((MEDIA_PREFIX, FOLDER_PREFIX)):
        # Home Assistant itself may not reach the address that displays use.
        built = await async_build_playlist(hass, {"media_content_id": node})
        return replace(built, url=url)
    return replace(playlist, document=await async_read_playlist(hass, url, caller))


async def async_read_for_display(
    hass: HomeAssistant, playlist: Playlist, caller: Caller = STRANGER
) -> Playlist:
    """Return a playlist as displays show it, which is read if there is only its URL."""
    if playlist.url is None:
        return playlist
    read = await async_read(hass, playlist, caller)
    document = await hass.async_add_executor_job(for_display, read.document)
    return replace(playlist, document=document)


@callback
def is_elsewhere(hass: HomeAssistant, ref: str) -> bool:
    """Return whether a playlist has an address that is none of a library's feed."""
    feeds = (library.feed for library in async_libraries(hass))
    return "://" in work_url(ref) and not any(
        feed and ref.startswith(f"{feed.url}/") for feed in feeds
    )


@callback
def is_in_history(hass: HomeAssistant, media_id: str | None) -> bool:
    """Return whether a media id is in the history of a display, which also has casts by others."""
    return media_id is not None and any(
        coordinator.history.get(media_id) for coordinator in async_displays(hass)
    )


def _spoken_text(media_id: str) -> str:
    """Return the text of speech, empty for anything else."""
    if not media_id.startswith("media-source://tts/"):
        return ""
    return parse_qs(media_id.partition("?")[2]).get("message", [""])[0]
