"""How the player loads a work: as a page at ``http://127.0.0.1:8080``, to which everything else is cross-origin."""

from collections.abc import Mapping
from pathlib import PurePosixPath
from types import MappingProxyType
from typing import NamedTuple
from urllib.parse import urlsplit

import aiohttp
from aiohttp import hdrs
from yarl import URL

from .player import RenderStatus
from .sources import is_reserved, read_data

ORIGIN = "http://127.0.0.1:8080"
IMAGE, VIDEO, AUDIO, FRAME, OBJECT = "image", "video", "audio", "web", "svg"
_SUFFIXES: Mapping[str, str] = MappingProxyType(
    dict.fromkeys((".avif", ".bmp", ".gif", ".jpeg", ".jpg", ".png", ".webp"), IMAGE)
    | {".svg": OBJECT}
    | dict.fromkeys((".m3u8", ".m4v", ".mov", ".mp4", ".ogv", ".webm"), VIDEO)
    | dict.fromkeys((".flac", ".m4a", ".mp3", ".ogg", ".wav"), AUDIO)
    | dict.fromkeys((".htm", ".html"), FRAME)
)
_STREAM = "multipart/x-mixed-replace"
_MOST_REDIRECTS = 20


class Loaded(NamedTuple):
    """What became of a work.

    Attributes:
        kind: as what it is loaded.
        status: what the player reports.
        visible: whether anything of it can be seen, which the player does not report.
    """

    kind: str
    status: RenderStatus
    visible: bool


async def load(
    session: aiohttp.ClientSession, source: str, mode: str = "fit"
) -> Loaded:
    """Load a work; one in a frame is told the mode in its address, which one that is signed in whole does not bear."""
    if source.lower().startswith("data:"):
        data = read_data(source)
        return _done(_kind_of(data[0])) if data else _failed(FRAME)
    kind = _SUFFIXES.get(PurePosixPath(urlsplit(source).path).suffix.lower(), "")
    if is_reserved(source):
        return _done(kind or FRAME)
    if kind == OBJECT and await _ask_kind(session, source) != OBJECT:
        # It waits for an answer that may be used.
        return Loaded(kind, RenderStatus.LOADING, visible=False)
    kind = kind or await _ask_kind(session, source)
    if kind == FRAME:
        url = URL(source, encoded=True).update_query(display_mode=mode)
        source = str(url)
    # Only films and sounds are requested with `crossOrigin`.
    answer = await _request(session, "GET", source, cors=kind in (VIDEO, AUDIO))
    if kind == FRAME and (answer is None or answer.status >= 400):
        # The page of the error in its frame, or black: it is not told.
        return _done(kind, visible=False)
    if answer is None or answer.status >= 400:
        return _failed(kind)
    if kind == FRAME and answer.content_type == _STREAM:
        # It is never done, and black.
        return Loaded(kind, RenderStatus.LOADING, visible=False)
    if kind == OBJECT and not _allows_frames(answer.headers):
        return Loaded(kind, RenderStatus.LOADING, visible=False)
    if kind == FRAME:
        return _done(kind, visible=_allows_frames(answer.headers))
    return _failed(kind) if answer.content_type.startswith("text/") else _done(kind)


def _done(kind: str, *, visible: bool = True) -> Loaded:
    """Return that a work was loaded; a page that forbids to be framed is reported likewise."""
    return Loaded(kind, RenderStatus.READY, visible)


def _failed(kind: str) -> Loaded:
    """Return that a work cannot be loaded."""
    return Loaded(kind, RenderStatus.FAILED, visible=False)


async def _ask_kind(session: aiohttp.ClientSession, source: str) -> str:
    """Ask for the type of a work whose extension does not tell; a server that refuses leaves a frame."""
    url = str(URL(source, encoded=True).update_query({"v": "1", "x-request": "xhr"}))
    answer = await _request(session, "HEAD", url, cors=True)
    if answer is None or answer.status >= 400:
        return FRAME
    return _kind_of(answer.content_type)


def _kind_of(content_type: str) -> str:
    if content_type == "image/svg+xml":
        return OBJECT
    family = content_type.partition("/")[0]
    return family if family in (IMAGE, VIDEO, AUDIO) else FRAME


async def _request(
    session: aiohttp.ClientSession, method: str, url: str, *, cors: bool
) -> aiohttp.ClientResponse | None:
    """Return the head of an answer as a browser gets it; None without one, or if it may not be used."""
    origin = ORIGIN
    headers = {hdrs.ORIGIN: origin} if cors else {}
    try:
        for _ in range(_MOST_REDIRECTS):
            async with session.request(
                method, url, allow_redirects=False, headers=headers
            ) as answer:
                allowed = answer.headers.get(hdrs.ACCESS_CONTROL_ALLOW_ORIGIN)
                if cors and allowed not in ("*", origin):
                    return None
                location = answer.headers.get(hdrs.LOCATION)
                if location is None or not 300 <= answer.status < 400:
                    return answer
            there = URL(url).join(URL(location))
            if cors and there.origin() != URL(url).origin():
                headers = {hdrs.ORIGIN: (origin := "null")}
            url = str(there)
    except aiohttp.ClientError, TimeoutError, ValueError, OSError:
        return None
    return None


def _allows_frames(headers: Mapping[str, str]) -> bool:
    """Return whether a page may be framed by the player."""
    for policy in headers.get(hdrs.CONTENT_SECURITY_POLICY, "").split(";"):
        match policy.split():
            case ["frame-ancestors", *sources]:
                return "*" in sources or ORIGIN in sources
    return headers.get(hdrs.X_FRAME_OPTIONS, "").upper() not in ("DENY", "SAMEORIGIN")
