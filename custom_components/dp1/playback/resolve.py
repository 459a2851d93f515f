"""Playlists of media ids, addresses and names."""

from codecs import BOM_UTF8
from collections.abc import AsyncIterator, Awaitable, Callable, Mapping
from contextlib import asynccontextmanager, suppress
from dataclasses import dataclass, field, replace
from functools import partial
from io import SEEK_CUR, BytesIO
from pathlib import Path, PurePosixPath
from struct import calcsize, error as StructError, unpack
from typing import Any, Final, Literal
from urllib.parse import parse_qs, unquote

from aiohttp import ClientError, ClientResponse, ClientTimeout, hdrs
from yarl import URL

from homeassistant.auth.permissions.const import POLICY_READ
from homeassistant.components import media_source
from homeassistant.components.media_player import RepeatMode
from homeassistant.core import HomeAssistant, callback
from homeassistant.helpers.network import is_hass_url

from .. import timing
from ..client.display.client import Start
from ..client.errors import Dp1Error, InvalidPlaylistError
from ..client.hosts import is_web, work_url
from ..client.http import Answer, chunks, read_title, request_json, status_error
from ..client.indexer.links import ExhibitionLink, Link, LinkError, Refusal, parse_link
from ..client.playlist.document import (
    MAX_DOCUMENT,
    build,
    build_item,
    check_playable,
    for_display,
    parse,
    unwrapped,
)
from ..client.playlist.playlist import Document, Origin, Playlist
from ..client.text import (
    MAX_TITLE,
    MAX_URL,
    clean,
    host_of,
    read_url,
    unshown_type,
    web_url,
)
from ..client.values import MAX_ON_LOOP, text
from ..const import PLAYER_ORIGIN
from ..display.history import MEDIA_ID as RECENT
from ..display.metadata import IMAGE_SUFFIXES
from ..display.requests import REQUEST_NUMBERS
from ..displays import async_displays
from ..errors import component_errors, invalid_input, translated
from ..grants import GRANTS, SVG, base_url, picture_page
from ..guard import ADDRESSES
from ..language import async_message
from ..library.entries import (
    DAILY_MEDIA_ID,
    FAVORITES_MEDIA_ID,
    async_build_playlist,
    async_labeled,
    async_libraries,
    async_playlist,
    daily_url,
    favorites_media_id,
)
from ..library.node import MEDIA_PREFIX
from ..library.providers.pictures import async_upload_name
from ..library.work import Work
from ..permissions import STRANGER, Caller
from .links import async_of_link
from .media_proxy import LIVE, is_picture_entity

LOOPS: Mapping[RepeatMode, Literal["none", "playlist", "one"]] = {
    RepeatMode.OFF: "none",
    RepeatMode.ALL: "playlist",
    RepeatMode.ONE: "one",
}
# Home Assistant serves these to users; with a query, they may be signed.
LOGIN_PATHS = ("/api/", "/media/")
IMAGES = "media-source://image/"
PLAYLIST_TYPES = {"playlist", "dp1", "application/json"}
PAGE_SUFFIXES = {".htm", ".html"}
# Displays tell the type by these, and load nothing of them in a frame.
UNFRAMED_SUFFIXES = {
    *(*IMAGE_SUFFIXES, ".bmp", ".m3u8", ".m4v", ".mov", ".mp4", ".ogv", ".webm"),
    *(".flac", ".m4a", ".mp3", ".ogg", ".wav"),
}
MEDIA_SUFFIXES = UNFRAMED_SUFFIXES | PAGE_SUFFIXES
WEB_TYPES = {"web", "website", "app", "text/html"}
# What a request to a page may raise.
FAILURES = (Dp1Error, ClientError, OSError, ValueError)
# Of a film, before that with its length.
MAX_BOXES: Final = 64
# The length of a film that does not tell it.
ENDLESS: Final = 0xFFFFFFFF
# Bytes of speech that are read for its length: half an hour, or three minutes without compression.
MAX_SOUND: Final = 16 * 1024 * 1024
# Media types that displays show in a frame.
FRAMED = ("application/pdf", "text/html")
# In addresses that are signed with all that they ask for, to which displays add in a frame.
SIGNATURES = {"authsig", "key-pair-id", "x-amz-signature", "x-goog-signature"}


@dataclass(frozen=True, slots=True, kw_only=True)
class Options:
    """The options of a cast.

    Attributes:
        start_at: the work to start with, from 1.
        item_duration: seconds for each work.
        display: scaling, background and margin of each work, as DP-1 has them.
        limit: maximum number of works.
        texts: fields of the playlist that count instead of its own: title and note.
        place: where to resume, unless the above says otherwise.
        number: number of the request, which tells newer ones from older ones.
        caller: for whom it is shown.
        warnings: what is said about it in the answer.
    """

    start_at: int | None = None
    shuffle: bool | None = None
    repeat: RepeatMode | None = None
    item_duration: float | None = None
    display: Mapping[str, Any] = field(default_factory=dict)
    limit: int | None = None
    texts: Document = field(default_factory=dict)
    wake: bool = True
    place: Start = field(default_factory=Start)
    number: int = field(default_factory=partial(next, REQUEST_NUMBERS), compare=False)
    caller: Caller = field(default=STRANGER, compare=False)
    warnings: list[str] = field(default_factory=list, compare=False)

    @property
    def start(self) -> Start:
        """How the playlist starts."""
        start = self.place
        if self.start_at is not None:
            start = replace(start, work_id=None, source=None, index=self.start_at - 1)
        if self.shuffle is not None:
            start = replace(start, shuffle=self.shuffle)
        if self.repeat is not None:
            start = replace(start, loop=LOOPS[self.repeat])
        return start

    @property
    def rewrites(self) -> bool:
        """Whether the document has to be changed, so that its URL cannot be cast."""
        return bool(self.display or self.item_duration or self.limit or self.texts)

    def check_start(self, playlist: Playlist) -> None:
        """Raise if there is no such work to start at."""
        if self.start_at and self.start_at > (works := playlist.works or 0):
            raise invalid_input(
                "no_such_work", start_at=str(self.start_at), works=str(works)
            )


async def async_resolve(
    hass: HomeAssistant, what: Mapping[str, Any], options: Options
) -> Playlist:
    """Resolve one of the fields of ``dp1.cast_playlist``."""
    return _checked(hass, await _async_resolve(hass, what, options), options)


async def _async_resolve(
    hass: HomeAssistant, what: Mapping[str, Any], options: Options
) -> Playlist:
    """Resolve a field, whoever asks."""
    match what:
        case {"playlist_url": str(url)}:
            return await _async_from_url(hass, url, options)
        case {"playlist": document}:
            return await _async_from_document(hass, document, options)
        case {"playlist_id": str(ref)} if is_elsewhere(hass, ref):
            return await _async_from_url(hass, ref, options)
        case {"playlist_id": str(ref)}:
            playlist = await async_playlist(hass, ref)
            hass.data[ADDRESSES].async_allow_of_library([playlist.url])
            return await async_apply(hass, playlist, options)
        case {"exhibition": str()} | {"series": str()}:
            return await _async_from_library(hass, what, options)
        case _:
            return await async_from_media(hass, "", what["media_content_id"], options)


async def _async_from_url(hass: HomeAssistant, url: str, options: Options) -> Playlist:
    """Return the playlist at a URL."""
    url = work_url(url)
    if url.startswith("data:"):
        raise invalid_input("not_a_url", url=url)
    return await async_apply(hass, Playlist(reachable_url(hass, url)), options)


async def async_apply(
    hass: HomeAssistant, playlist: Playlist, options: Options
) -> Playlist:
    """Return a playlist by its URL, or as a document if options change it or a stranger gave it; it may be large."""
    is_of_stranger = playlist.url is None and playlist.origin is Origin.STRANGER
    if options.rewrites or is_of_stranger:
        playlist = await async_read(hass, playlist, options.caller)
        if playlist.origin is Origin.OURS:
            return _apply(playlist, options)
        return await hass.async_add_executor_job(_apply, playlist, options)
    if options.start_at and playlist.works is None:
        playlist = await async_read(hass, playlist, options.caller)
    options.check_start(playlist)
    return playlist


def _apply(playlist: Playlist, options: Options) -> Playlist:
    """Return a playlist as a document with options, or raise that it cannot be shown."""
    try:
        playlist = playlist.with_options(
            item_duration=options.item_duration,
            display=options.display,
            limit=options.limit,
            texts=options.texts,
        )
    except InvalidPlaylistError as err:
        raise translated(err, "playlist") from err
    options.check_start(playlist)
    return playlist


async def _async_from_library(
    hass: HomeAssistant, what: Mapping[str, Any], options: Options
) -> Playlist:
    """Return the playlist of an exhibition, a series or another node of a library."""
    playlist = await async_build_playlist(hass, what, limit=options.limit)
    hass.data[ADDRESSES].async_allow_of_library([playlist.url])
    if playlist.followed and not options.rewrites:
        options.check_start(playlist)
        url = hass.data[GRANTS].async_url(playlist.followed, "/collection.json")
        return Playlist(url, is_personal=True)
    return await async_apply(hass, playlist, replace(options, limit=None))


async def _async_from_document(
    hass: HomeAssistant, document: str | Document, options: Options
) -> Playlist:
    """Return the playlist of a stranger's document, with labels of what libraries know; it may be large."""

    def read() -> Playlist:
        """Return the playlist, or raise that it cannot be shown."""
        try:
            parsed = unwrapped(parse(document))
        except InvalidPlaylistError as err:
            raise translated(err, "playlist") from err
        return _apply(Playlist(document=parsed), options)

    playlist = await hass.async_add_executor_job(read)
    return replace(playlist, document=async_labeled(hass, playlist.document))


@dataclass(frozen=True, slots=True)
class MediaRequest:
    """A media content id, and how it is to be shown.

    Attributes:
        kind: content type, empty if unknown.
        title: of a single work; empty for its own.
    """

    media_id: str
    kind: str
    title: str
    options: Options


async def async_from_media(
    hass: HomeAssistant,
    media_type: str,
    media_id: str,
    options: Options,
    title: str | None = None,
) -> Playlist:
    """Return the playlist of a media content id."""
    media_id = media_id.strip()
    limit = MAX_DOCUMENT if media_id.startswith(("{", "data:")) else MAX_URL
    if len(media_id) > limit:
        raise invalid_input("not_a_url", url=media_id)
    request = MediaRequest(media_id, media_type.lower(), title or "", options)
    return _checked(hass, await _async_of_kind(hass, request), options)


def _checked(hass: HomeAssistant, playlist: Playlist, options: Options) -> Playlist:
    """Return a playlist, or raise if the lent picture of a camera or image is in it that may not be read."""
    entity_ids = hass.data[GRANTS].entities_in(playlist.sources)
    options.caller.check(POLICY_READ, *entity_ids)
    return playlist


async def _async_of_kind(hass: HomeAssistant, request: MediaRequest) -> Playlist:
    """Return the playlist of a media content id by what it looks like, whoever asks."""
    media_id = request.media_id
    for prefix, resolve in RESOLVERS.items():
        if media_id.startswith(prefix):
            return await resolve(hass, request)
    if is_picture_entity(hass, media_id):
        return await _async_from_entity(hass, request)
    try:
        link = parse_link(media_id)
    except LinkError as err:
        if err.refusal is not Refusal.NO_WORK or request.kind not in WEB_TYPES:
            raise invalid_input(err.refusal, link=media_id) from err
        link = None
    if link is not None:
        return await _async_from_link(hass, request, link)
    return await _async_from_address(hass, request)


async def _async_from_history(hass: HomeAssistant, request: MediaRequest) -> Playlist:
    """Return the playlist of an entry of a display's history."""
    caller = request.options.caller
    for coordinator in async_displays(hass):
        if (entry := coordinator.history.get(request.media_id)) is not None:
            caller.check(POLICY_READ, coordinator.entity_id or "")
            return await async_apply(hass, entry.asked, request.options)
    raise invalid_input("forgotten", media_id=request.media_id)


async def _async_from_node(hass: HomeAssistant, request: MediaRequest) -> Playlist:
    """Return the playlist of something of a library: by its media id, or by a name in the first library that has it."""
    media_id = request.media_id
    if media_id == FAVORITES_MEDIA_ID:
        media_id = favorites_media_id(hass)
    if (url := daily_url(hass, media_id)) is not None:
        hass.data[ADDRESSES].async_allow_of_library([url])
        return Playlist(url)
    what = {"media_content_id": media_id}
    return await _async_from_library(hass, what, request.options)


async def _async_from_entity(hass: HomeAssistant, request: MediaRequest) -> Playlist:
    """Return the playlist of the current picture of a camera or image entity, or of a camera of the media browser live.

    Displays show a stream only within a page, and that of an image entity not at all.
    """
    entity_id = request.media_id.removeprefix(LIVE).removeprefix(IMAGES)
    is_picture = is_picture_entity(hass, entity_id)
    if is_picture:
        request.options.caller.check(POLICY_READ, entity_id)
    state = hass.states.get(entity_id)
    if state is None or not is_picture:
        raise invalid_input("no_such_media", media_id=request.media_id)
    title = request.title or state.name
    async_url = hass.data[GRANTS].async_url
    if request.media_id.startswith(LIVE):
        source = async_url(request.media_id, f"/{entity_id}.mjpeg")
        return page_playlist(title, picture_page(source))
    source = async_url(entity_id, f"/{entity_id}.jpg")
    return await async_apply(hass, _of_work(source, title), request.options)


async def _async_from_media_source(
    hass: HomeAssistant, request: MediaRequest
) -> Playlist:
    """Return the playlist of a medium of another media source."""
    with component_errors(request.media_id):
        media = await media_source.async_resolve_media(hass, request.media_id, None)
    source = media.url
    if (local := _local_path(hass, source)) is not None:
        source = hass.data[GRANTS].async_url(request.media_id, local.path)
    _check_type(request.media_id, media.mime_type)
    title = request.title or _spoken_text(request.media_id)
    if not title and (name := await async_upload_name(hass, request.media_id)):
        # The address ends alike for all.
        title = name.rpartition(".")[0] or name
    elif not title and media.path is not None:
        title = media.path.stem
    if media.mime_type == SVG:
        source = picture_page(source)
    elif media.mime_type.startswith(FRAMED):
        await _async_ask_page(hass, source, request.options)
    if _is_signed(source) and _suffix(source) not in UNFRAMED_SUFFIXES:
        path = _parse_url(source).path
        source = hass.data[GRANTS].async_url(request.media_id, path)
    playlist = _of_work(source, title or _title_of(media.url))
    if media.mime_type.startswith(("audio/", "video/")):
        length = await _async_length(hass, media, request.options)
        playlist = replace(playlist, length=length)
    return await async_apply(hass, playlist, request.options)


async def _async_length(
    hass: HomeAssistant, media: media_source.PlayMedia, options: Options
) -> float | None:
    """Return how many seconds a sound or a film lasts, None if that is unknown."""
    sound: Path | BytesIO | None = media.path
    with suppress(*FAILURES):
        if sound is None and (local := _local_path(hass, media.url)) is not None:
            sound = BytesIO()
            url = f"{base_url(hass)}{local}"
            async with _async_request(hass, url, options) as response:
                async for chunk in chunks(response, MAX_SOUND):
                    sound.write(chunk)
                    if sound.tell() > MAX_SOUND:
                        return None
            sound.seek(0)
        is_film = media.mime_type.startswith("video/")
        length_of = _length_of_film if is_film else _length_of
        return await hass.async_add_executor_job(length_of, sound)
    return None


def _length_of(sound: Path | BytesIO | None) -> float | None:
    """Return how many seconds a sound lasts, None if that is unknown."""
    try:
        # A requirement of Home Assistant's text-to-speech, which not everybody has.
        from mutagen import File, MutagenError  # noqa: PLC0415
    except ImportError:
        return None
    with suppress(MutagenError):
        # Without tags a file counts as false.
        if sound is not None and (file := File(sound)) is not None:
            return float(file.info.length) or None
    return None


def _length_of_film(film: Path | BytesIO | None) -> float | None:
    """Return how many seconds a film lasts by its header (ISO 14496-12, as MP4 and MOV), None if that is unknown."""
    if film is None:
        return None
    with (
        suppress(ArithmeticError, OSError, StructError, ValueError),
        film.open("rb") if isinstance(film, Path) else film as file,
    ):
        for _ in range(MAX_BOXES):
            size, kind = unpack(">I4s", file.read(8))
            if size == 1:
                size = unpack(">Q", file.read(8))[0] - 8
            if kind == b"mvhd":
                times = ">3xQQIQ" if file.read(1) == b"\1" else ">3xIIII"
                *_, scale, length = unpack(times, file.read(calcsize(times)))
                return length / scale if 0 < length < ENDLESS else None
            if kind != b"moov":
                file.seek(size - 8, SEEK_CUR)
    return None


async def _async_from_link(
    hass: HomeAssistant, request: MediaRequest, link: Link
) -> Playlist:
    """Return the playlist of the works that a link of a marketplace names, or the exhibition of one to a catalog."""
    if isinstance(link, ExhibitionLink):
        return await _async_from_library(hass, {link.kind: link.slug}, request.options)
    playlist = await async_of_link(hass, link, request.media_id, request.options.limit)
    return await async_apply(hass, playlist, request.options)


async def _async_from_address(hass: HomeAssistant, request: MediaRequest) -> Playlist:
    """Return the playlist at a URL, or that of the picture, the film or the page there."""
    request = replace(request, media_id=work_url(request.media_id))
    kind = request.kind
    family = kind.partition("/")[0]
    is_media = family in ("image", "video")
    if kind in PLAYLIST_TYPES:
        return await _async_from_url(hass, request.media_id, request.options)
    if not (is_media or kind in WEB_TYPES):
        playlist = await _async_playlist_at(hass, request)
        if playlist is not None:
            return await async_apply(hass, playlist, request.options)
    source = reachable_url(hass, request.media_id)
    _check_type(source)
    suffix, is_signed = _suffix(source), _is_signed(source)
    is_framed, is_drawing = suffix not in UNFRAMED_SUFFIXES, suffix == ".svg"
    if is_signed and is_framed and family != "image":
        raise invalid_input("signed_page", where=host_of(source) or "")
    if is_framed and not is_media:
        page_title = await _async_ask_page(hass, source, request.options)
        request = replace(request, title=request.title or page_title)
    title = request.title or _title_of(source)
    # Displays ask for the type of what is in a frame or an object, with more than the address.
    if (is_signed and (is_framed or is_drawing)) or (
        is_drawing and not await _async_embeds(hass, source, request.options)
    ):
        source = picture_page(source)
    playlist = replace(_of_work(source, title), origin=Origin.STRANGER)
    if len(source) <= MAX_ON_LOOP:
        # What is added to a playlist keeps the order in which it was asked for.
        return _apply(playlist, request.options)
    return await async_apply(hass, playlist, request.options)


# By what a media content id starts with; the first counts.
RESOLVERS: Mapping[
    str, Callable[[HomeAssistant, MediaRequest], Awaitable[Playlist]]
] = {
    "{": lambda hass, request: _async_from_document(
        hass, request.media_id, request.options
    ),
    RECENT: _async_from_history,
    DAILY_MEDIA_ID: _async_from_node,
    FAVORITES_MEDIA_ID: _async_from_node,
    MEDIA_PREFIX: _async_from_node,
    LIVE: _async_from_entity,
    IMAGES: _async_from_entity,
    "media-source://": _async_from_media_source,
}


async def _async_ask_page(hass: HomeAssistant, url: str, options: Options) -> str:
    """Return the title of a page, empty if unknown; raise if it is of Home Assistant and forbids frames, else warn.

    Displays show pages in frames, and report one that forbids it as shown.
    """
    if not is_web(url):
        return ""
    is_framed, title = True, ""
    with suppress(*FAILURES):
        async with _async_request(hass, url, options) as response:
            is_framed = _allows_frames(response)
            title = await read_title(response)
    if not is_framed:
        if is_hass_url(hass, url):
            raise invalid_input("own_page_not_framed", url=url)
        warning = invalid_input("page_not_framed", url=url)
        options.warnings.append(async_message(hass, warning))
    return title


async def _async_embeds(hass: HomeAssistant, url: str, options: Options) -> bool:
    """Return whether displays can embed the SVG at a URL, also if that is unknown: as an object it may have programs."""
    with suppress(*FAILURES):
        async with _async_request(hass, url, options) as response:
            origin = response.headers.get(hdrs.ACCESS_CONTROL_ALLOW_ORIGIN)
            return origin in ("*", PLAYER_ORIGIN) and _allows_frames(response)
    return True


@asynccontextmanager
async def _async_request(
    hass: HomeAssistant, url: str, options: Options
) -> AsyncIterator[ClientResponse]:
    """Ask for a URL as displays do."""
    guard = hass.data[ADDRESSES].async_guard(url, options.caller)
    if is_hass_url(hass, url):
        guard = guard.allowing(url)
    timeout = ClientTimeout(total=timing.TITLE_TIMEOUT)
    async with guard.request(
        "GET", url, timeout=timeout, headers={hdrs.ORIGIN: PLAYER_ORIGIN}
    ) as response:
        yield response


def _allows_frames(response: ClientResponse) -> bool:
    """Return whether an answer may be shown in a frame of another site."""
    kind = response.content_type
    if kind.startswith(("image/", "video/", "audio/")) and kind != SVG:
        return True
    for policy in response.headers.getall(hdrs.CONTENT_SECURITY_POLICY, ()):
        for directive in policy.lower().split(";"):
            match directive.split():
                case ["frame-ancestors", *sources]:
                    return bool({"*", "http:", PLAYER_ORIGIN} & set(sources))
    return hdrs.X_FRAME_OPTIONS not in response.headers


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


def _of_work(source: str, title: str) -> Playlist:
    """Return the playlist of a single image, video or web page."""
    title = clean(title, MAX_TITLE)
    item = Work(title=title, source=source).item()
    return Playlist(document=build(title, [item]), origin=Origin.OURS, is_personal=True)


def page_playlist(title: str, url: str) -> Playlist:
    """Return the playlist of a page; only the playlist has the title, as displays lay that of a work over it."""
    item = build_item(url, license="open")
    document = build(clean(title, MAX_TITLE) or "Message", [item])
    return Playlist(document=document, origin=Origin.OURS, is_personal=True)


def _spoken_text(media_id: str) -> str:
    """Return the text of speech, empty for anything else."""
    if not media_id.startswith("media-source://tts/"):
        return ""
    return parse_qs(media_id.partition("?")[2]).get("message", [""])[0]


def _title_of(url: str) -> str:
    """Return the last part of a URL without extension as title."""
    if url.startswith("data:"):
        kind = url[:MAX_TITLE].partition(",")[0].partition(";")[0]
        return kind.rpartition("/")[2].partition("+")[0].upper() or "data"
    parsed = _parse_url(url)
    name = unquote(parsed.path.rstrip("/").rpartition("/")[2])
    return PurePosixPath(name).stem or parsed.host or url[:MAX_TITLE]


def _parse_url(url: str) -> URL:
    """Parse a URL or path, or raise that it is none."""
    try:
        if url.startswith("data:"):
            # The work itself, without a request.
            return URL("data:,")
        parsed = read_url(text(url, MAX_URL) or "")
        if is_web := parsed.scheme in ("http", "https"):
            # Whoever casts an address may give it a password.
            web_url(str(parsed.with_user(None)))
    except ValueError as err:
        raise invalid_input("not_a_url", url=url) from err
    if not is_web and (not url.startswith("/") or url.startswith("//")):
        raise invalid_input("not_a_url", url=url)
    return parsed


def _suffix(url: str) -> str:
    """Return the suffix of the path of a URL."""
    return PurePosixPath(_parse_url(url).path).suffix.lower()


def _is_signed(url: str) -> bool:
    """Return whether a URL is signed with all that it asks for."""
    return not SIGNATURES.isdisjoint(map(str.lower, _parse_url(url).query))


def _local_path(hass: HomeAssistant, url: str) -> URL | None:
    """Return the path and query of a URL of Home Assistant."""
    parsed = _parse_url(url)
    if parsed.scheme == "data" or (parsed.host and not is_hass_url(hass, url)):
        return None
    return parsed.relative() if parsed.host else parsed


def reachable_url(hass: HomeAssistant, url: str) -> str:
    """Return a URL that displays can load: paths of Home Assistant are made absolute, if they need no login."""
    if (local := _local_path(hass, url)) is None:
        return url
    if local.path.startswith(LOGIN_PATHS) and not local.query:
        raise invalid_input("needs_login", url=url)
    return f"{base_url(hass)}{local}"


async def _async_get(hass: HomeAssistant, url: str, caller: Caller) -> Answer:
    """Return the answer at a URL, for a call."""
    answer = await request_json(
        hass.data[ADDRESSES].async_guard(url, caller),
        "GET",
        url,
        timeout=timing.DOCUMENT_TIMEOUT,
        max_body=MAX_DOCUMENT,
    )
    if not answer.ok:
        raise status_error(answer, f"HTTP {answer.status}")
    return answer


async def async_read_playlist(
    hass: HomeAssistant, url: str, caller: Caller = STRANGER
) -> dict[str, Any]:
    """Read the playlist at a URL, for a call or for nobody."""
    try:
        answer = await _async_get(hass, url, caller)
        document = await answer.async_read(lambda answer: unwrapped(parse(answer.body)))
    except Dp1Error as err:
        raise translated(err, "playlist", url) from err
    if caller.hosts:
        await hass.data[ADDRESSES].async_allow_in(document, caller.hosts)
    return document


async def async_read(
    hass: HomeAssistant, playlist: Playlist, caller: Caller = STRANGER
) -> Playlist:
    """Return a playlist with its document, which is read if there is only its URL, for a call or for nobody."""
    if (url := playlist.url) is None or playlist.document:
        return playlist
    node = hass.data[GRANTS].media_id_of(url)
    if node and node.startswith(MEDIA_PREFIX):
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


async def _async_playlist_at(
    hass: HomeAssistant, request: MediaRequest
) -> Playlist | None:
    """Return the playlist at a URL, None for anything but JSON; if it cannot be read, the URL decides."""
    url, caller = request.media_id, request.options.caller
    if url.startswith("data:") or _suffix(url) in MEDIA_SUFFIXES:
        return None
    url = reachable_url(hass, url)
    try:
        answer = await _async_get(hass, url, caller)
    except Dp1Error:
        path = _parse_url(url).path
        return (
            Playlist(url) if path.endswith(".json") or "/playlists/" in path else None
        )
    # Displays cannot read a list with a byte order mark, and take it as a document.
    has_mark = answer.body.startswith(BOM_UTF8)
    if not answer.body.removeprefix(BOM_UTF8).lstrip().startswith((b"{", b"[")):
        return None

    def read(answer: Answer) -> Playlist:
        """Return the playlist, with no URL where displays could not read it there, or raise that it is none."""
        document = parse(answer.body)
        inner = unwrapped(document)
        check_playable(for_display(inner))
        is_readable = inner is document and not has_mark
        return Playlist(url if is_readable else None, inner)

    try:
        playlist = await answer.async_read(read)
    except InvalidPlaylistError as err:
        raise translated(err, "playlist", url) from err
    if caller.hosts:
        await hass.data[ADDRESSES].async_allow_in(playlist.document, caller.hosts)
    return playlist if playlist.url is None else Playlist(url)


def _check_type(url: str, kind: str = "") -> None:
    """Raise for a file that no display shows."""
    if kind := unshown_type(url, kind):
        raise invalid_input("type_not_shown", url=url, kind=kind)
