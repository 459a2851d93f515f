"""What is at an address: a list, a page, a picture, and how long it lasts."""

import asyncio
from codecs import BOM_UTF8
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager, suppress
from dataclasses import dataclass, replace
from http import HTTPStatus
from io import BytesIO
from pathlib import Path, PurePosixPath
import re
from typing import Any, Final
from urllib.parse import unquote

from aiohttp import ClientConnectionError, ClientResponse, ClientTimeout, hdrs
from yarl import URL

from homeassistant.components import media_source
from homeassistant.core import HomeAssistant
from homeassistant.exceptions import HomeAssistantError, ServiceValidationError
from homeassistant.helpers.network import is_hass_url

from ..addresses import ADDRESSES
from ..client.guard import Guard
from ..client.hosts import IMAGE_SUFFIXES, content_of, is_web, work_url
from ..client.http import Answer, chunks, read_title, request_json, status_error
from ..client.playlist.document import (
    MAX_DOCUMENT,
    build,
    build_item,
    check_playable,
    for_display,
    parse,
    unwrapped,
)
from ..client.playlist.playlist import Origin, Playlist
from ..client.text import (
    MAX_TITLE,
    MAX_URL,
    clean,
    host_of,
    read_url,
    unshown_type,
    web_url,
)
from ..client.values import text
from ..const import PLAYER_ORIGIN
from ..errors import invalid_input, translated_errors
from ..grants import SVG, base_url, picture_page
from ..hosts import FAILURES
from ..language import async_message
from ..library import timing
from ..library.item import Item
from ..library.length import length_of_film, length_of_sound
from ..permissions import STRANGER, Caller
from .request import Medium

# Home Assistant serves these to users; with a query, they may be signed.
LOGIN_PATHS = ("/api/", "/media/")
# What is in this folder of the configuration is served at `/local/`.
WWW: Final = "/www/"
# Of a channel of any feed, as DP-1 names it.
CHANNEL_PATH: Final = re.compile(r".*/api/v1/(?:channels|playlist-groups)/[^/]+/?")
# Answers that nothing is there, and will not be.
GONE: Final = (HTTPStatus.NOT_FOUND, HTTPStatus.GONE)
JSON_TYPE: Final = "application/json"
PLAYLIST_TYPES = {"playlist", "dp1", JSON_TYPE}
PAGE_SUFFIXES = {".htm", ".html"}
# Displays tell the type by these, and load nothing of them in a frame.
UNFRAMED_SUFFIXES = {
    *(*IMAGE_SUFFIXES, ".bmp", ".m3u8", ".m4v", ".mov", ".mp4", ".ogv", ".webm"),
    *(".flac", ".m4a", ".mp3", ".ogg", ".wav"),
}
MEDIA_SUFFIXES = UNFRAMED_SUFFIXES | PAGE_SUFFIXES
WEB_TYPES = {"web", "website", "app", "text/html"}
# What a request to a page may raise.
PAGE_FAILURES = (*FAILURES, OSError, ValueError)
SILENT: Final = "page_silent"
# Bytes of speech that are read for its length: half an hour, or three minutes without compression.
MAX_SOUND: Final = 16 * 1024 * 1024
# Media types that displays show in a frame.
FRAMED = ("application/pdf", "text/html")
# In addresses that are signed with all that they ask for, to which displays add in a frame.
SIGNATURES = {"authsig", "key-pair-id", "x-amz-signature", "x-goog-signature"}


async def async_at(hass: HomeAssistant, medium: Medium, caller: Caller) -> Playlist:
    """Return the playlist at an address, or that of the picture, the film or the page there."""
    address, kind, title = work_url(medium.media_id), medium.kind, medium.title
    family = kind.partition("/")[0]
    is_media = family in ("image", "video")
    if kind in PLAYLIST_TYPES:
        return list_at(hass, address)
    if not (is_media or kind in WEB_TYPES) and (
        playlist := await _async_list_at(hass, address, caller)
    ):
        return playlist
    source = reachable_url(hass, address)
    check_type(source)
    suffix, has_signature = suffix_of(source), is_signed(source)
    is_framed, is_drawing = suffix not in UNFRAMED_SUFFIXES, suffix == ".svg"
    if has_signature and is_framed and family != "image":
        raise invalid_input("signed_page", where=host_of(source) or "")
    is_page = is_framed and not is_media
    found = await async_ask(hass, source, caller, is_page=is_page)
    title = title or found.title or title_of(source)
    # Displays ask for the type of what is in a frame or an object, with more than the address.
    if (has_signature and (is_framed or is_drawing)) or (
        is_drawing and not found.is_embedded
    ):
        source = picture_page(source)
    warning = async_message(hass, found.problem) if found.problem else ""
    playlist = of_work(source, title)
    return replace(playlist, origin=Origin.STRANGER, warning=warning)


def is_list_address(url: str) -> bool:
    """Return whether an address is one of a playlist, as far as it can be told without asking."""
    path = parse_url(url).path
    return path.endswith(".json") or "/playlists/" in path


def list_at(hass: HomeAssistant, url: str) -> Playlist:
    """Return the playlist at an address, which is not asked."""
    url = work_url(url)
    if url.startswith("data:"):
        raise invalid_input("not_a_url", url=url)
    if CHANNEL_PATH.fullmatch(parse_url(url).path):
        raise invalid_input("is_channel", url=url)
    return Playlist(reachable_url(hass, url))


async def _async_list_at(
    hass: HomeAssistant, url: str, caller: Caller
) -> Playlist | None:
    """Return the playlist at a URL, None for anything but JSON; if it cannot be read, the URL decides."""
    if url.startswith("data:") or suffix_of(url) in MEDIA_SUFFIXES:
        return None
    list_at(hass, url)
    url = reachable_url(hass, url)
    try:
        answer = await _async_get(hass, url, caller)
    except HomeAssistantError:
        return Playlist(url) if is_list_address(url) else None
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

    with translated_errors("playlist", url):
        playlist = await answer.async_read(read)
    if caller.hosts:
        await hass.data[ADDRESSES].async_allow_in(playlist.document, caller.hosts)
    return playlist


async def async_read_playlist(
    hass: HomeAssistant, url: str, caller: Caller = STRANGER
) -> dict[str, Any]:
    """Read the playlist at a URL, for a call or for nobody."""
    return await _async_document_in(
        hass, await _async_get(hass, url, caller), url, caller
    )


async def _async_document_in(
    hass: HomeAssistant, answer: Answer, url: str, caller: Caller
) -> dict[str, Any]:
    """Return the document in the answer at a URL, whose hosts a call may vouch for."""
    with translated_errors("playlist", url):
        document = await answer.async_read(lambda it: unwrapped(parse(it.body)))
    if caller.hosts:
        await hass.data[ADDRESSES].async_allow_in(document, caller.hosts)
    return document


async def _async_get(hass: HomeAssistant, url: str, caller: Caller) -> Answer:
    """Return the answer at a URL, for a call."""
    answer = await _async_answer(hass, url, caller)
    if not answer.ok:
        with translated_errors("playlist", url):
            raise status_error(answer, f"HTTP {answer.status}")
    return answer


async def _async_answer(hass: HomeAssistant, url: str, caller: Caller) -> Answer:
    """Return the answer at a URL, whatever its status."""
    guard = hass.data[ADDRESSES].async_guard(url, caller)
    with translated_errors("playlist", url):
        return await request_json(
            guard,
            "GET",
            url,
            timeout=timing.DOCUMENT_TIMEOUT,
            max_body=MAX_DOCUMENT,
        )


def reachable_url(hass: HomeAssistant, url: str) -> str:
    """Return a URL that displays can load: paths of Home Assistant are made absolute, if they need no login."""
    if (local := local_path(hass, url)) is None:
        return url
    if (mark := local.path.find(WWW)) >= 0 and local.path[:mark] in ("", "/config"):
        hint = f"/local/{local.path[mark + len(WWW) :]}"
        raise invalid_input("path_of_a_file", url=url, hint=hint)
    if local.path.startswith(LOGIN_PATHS) and not local.query:
        raise invalid_input("needs_login", url=url)
    return f"{base_url(hass)}{local}"


def local_path(hass: HomeAssistant, url: str) -> URL | None:
    """Return the path and query of a URL of Home Assistant."""
    parsed = parse_url(url)
    if parsed.scheme == "data" or (parsed.host and not is_hass_url(hass, url)):
        return None
    return parsed.relative() if parsed.host else parsed


@dataclass(slots=True)
class Found:
    """What a work answered.

    Attributes:
        title: of a page, empty if unknown.
        refusal: why no display can show it, None for all others.
        problem: why a display may not show it, None if there is nothing to say.
        is_framed: whether displays can show it in a frame, also if that is unknown.
        is_embedded: the same for an SVG, which may have programs, as an object.
    """

    title: str = ""
    refusal: ServiceValidationError | None = None
    problem: ServiceValidationError | None = None
    is_framed: bool = True
    is_embedded: bool = True


async def async_ask(
    hass: HomeAssistant, url: str, caller: Caller, *, is_page: bool
) -> Found:
    """Ask for a work once, and return what is found; raise if no display can show it, or if it is a page of Home Assistant that forbids frames."""
    found = Found()
    if not is_web(url):
        return found
    guard = hass.data[ADDRESSES].async_guard(url, caller)
    if is_own := is_hass_url(hass, url):
        guard = guard.allowing(url)
    try:
        async with _async_request(guard, url) as response:
            _note_status(found, url, response.status)
            if is_page and response.ok:
                kind = unshown_type(url, response.content_type)
                found.refusal = _type_refusal(url, kind) if kind else None
            if not (found.refusal or found.problem):
                _judge(response, found)
            if is_page:
                with suppress(*FAILURES):
                    found.title = await read_title(response)
    except ClientConnectionError, TimeoutError:
        found.problem = invalid_input(SILENT, url=url)
    except FAILURES:
        # What our own guard does not ask for, a display may show.
        pass
    if found.refusal:
        raise found.refusal
    if is_page and not found.is_framed:
        if is_own:
            raise invalid_input("own_page_not_framed", url=url)
        # A display reports it as shown.
        found.problem = found.problem or invalid_input("page_not_framed", url=url)
    return found


def _note_status(found: Found, url: str, status: int) -> None:
    """Note what the status of an answer says of what is there."""
    if status in GONE and not content_of(url):
        found.refusal = invalid_input("page_gone", url=url, status=str(status))
    elif status in GONE or status >= HTTPStatus.INTERNAL_SERVER_ERROR:
        # Another gateway may have what is in a network of content.
        found.problem = invalid_input("page_fails", url=url, status=str(status))


async def async_judged(
    hass: HomeAssistant, playlist: Playlist, caller: Caller
) -> Playlist:
    """Return a stranger's playlist with the document at its address, or with a warning why it cannot be read; raise if nothing is there.

    What cannot be read here is left to the display.
    """
    url = playlist.url
    if url is None or playlist.document:
        return playlist
    found = Found()
    document = await _async_document_at(hass, url, caller, found)
    if found.refusal:
        raise found.refusal
    warning = async_message(hass, found.problem) if found.problem else ""
    return replace(playlist, document=document, warning=warning)


async def _async_document_at(
    hass: HomeAssistant, url: str, caller: Caller, found: Found
) -> dict[str, Any]:
    """Return the document at an address, empty if it cannot be read, and note why."""
    try:
        async with asyncio.timeout(timing.TITLE_TIMEOUT):
            answer = await _async_answer(hass, url, caller)
    except TimeoutError:
        found.problem = invalid_input(SILENT, url=url)
        return {}
    except HomeAssistantError as err:
        # What our own guard does not ask for, a display may read.
        if err.translation_key in ("playlist_no_answer", "playlist_lost_answer"):
            found.problem = invalid_input(SILENT, url=url)
        return {}
    _note_status(found, url, answer.status)
    if not answer.ok:
        return {}
    try:
        return await _async_document_in(hass, answer, url, caller)
    except HomeAssistantError:
        kind = answer.headers.get(hdrs.CONTENT_TYPE, "")
        if not kind.startswith(JSON_TYPE) and (kind := unshown_type(url, kind)):
            found.refusal = _type_refusal(url, kind)
        return {}


def _judge(response: ClientResponse, found: Found) -> None:
    """Note how displays can show an answer."""
    origin = response.headers.get(hdrs.ACCESS_CONTROL_ALLOW_ORIGIN)
    found.is_framed = _allows_frames(response)
    found.is_embedded = found.is_framed and origin in ("*", PLAYER_ORIGIN)


@asynccontextmanager
async def _async_request(guard: Guard, url: str) -> AsyncIterator[ClientResponse]:
    """Ask for a URL as displays do."""
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


async def async_length(
    hass: HomeAssistant, media: media_source.PlayMedia, caller: Caller
) -> float | None:
    """Return how many seconds a sound or a film lasts, None if that is unknown."""
    sound: Path | BytesIO | None = media.path
    with suppress(*PAGE_FAILURES):
        if sound is None:
            if (local := local_path(hass, media.url)) is None:
                return None
            sound = BytesIO()
            url = f"{base_url(hass)}{local}"
            guard = hass.data[ADDRESSES].async_guard(url, caller).allowing(url)
            async with _async_request(guard, url) as response:
                async for chunk in chunks(response, MAX_SOUND):
                    sound.write(chunk)
                    if sound.tell() > MAX_SOUND:
                        return None
            sound.seek(0)
        is_film = media.mime_type.startswith("video/")
        length_of = length_of_film if is_film else length_of_sound
        return await hass.async_add_executor_job(length_of, sound)
    return None


def of_work(source: str, title: str) -> Playlist:
    """Return the playlist of a single image, video or web page."""
    title = clean(title, MAX_TITLE)
    item = Item(title=title, source=source).to_dp1()
    return Playlist(document=build(title, [item]), origin=Origin.OURS, is_personal=True)


def page_playlist(title: str, url: str) -> Playlist:
    """Return the playlist of a page; only the playlist has the title, as displays lay that of a work over it."""
    item = build_item(url, license="open")
    document = build(clean(title, MAX_TITLE) or "Message", [item])
    return Playlist(document=document, origin=Origin.OURS, is_personal=True)


def title_of(url: str) -> str:
    """Return the last part of a URL without extension as title."""
    if url.startswith("data:"):
        kind = url[:MAX_TITLE].partition(",")[0].partition(";")[0]
        return kind.rpartition("/")[2].partition("+")[0].upper() or "data"
    parsed = parse_url(url)
    name = unquote(parsed.path.rstrip("/").rpartition("/")[2])
    return PurePosixPath(name).stem or parsed.host or url[:MAX_TITLE]


def parse_url(url: str) -> URL:
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


def suffix_of(url: str) -> str:
    """Return the suffix of the path of a URL."""
    return PurePosixPath(parse_url(url).path).suffix.lower()


def is_signed(url: str) -> bool:
    """Return whether a URL is signed with all that it asks for."""
    return not SIGNATURES.isdisjoint(map(str.lower, parse_url(url).query))


def check_type(url: str, kind: str = "") -> None:
    """Raise for a file that no display shows."""
    if kind := unshown_type(url, kind):
        raise _type_refusal(url, kind)


def _type_refusal(url: str, kind: str) -> ServiceValidationError:
    """Return the error about a file of a type that no display shows."""
    return invalid_input("type_not_shown", url=url, kind=kind)
