"""Sources of works: which the player supports, and which cannot be loaded."""

import asyncio
import base64
from binascii import Error as Base64Error
import re
from typing import Any
from urllib.parse import unquote_to_bytes, urlsplit

import aiohttp

type Json = dict[str, Any]

# Reserved names and documentation addresses, which are never requested.
_RESERVED = ("example.com", "example.net", "example.org", "example", "invalid", "test")
_SCHEME = re.compile(r"([a-z][a-z0-9+.-]*):", re.ASCII | re.IGNORECASE)
_MOST_ITEMS = 2048
_MOST_REASONS = 10
_PREFLIGHT_SECONDS = 10.0
# Refusals that say nothing about the work; nor does a failure of the server, or no answer.
_NOT_SURE = (401, 403, 406, 407, 408, 416, 429)
UNUSABLE_DATA = "unusable data: URI"


def is_reserved(url: str) -> bool:
    """Return whether the host of a URL is reserved for examples, so that it cannot be reached."""
    try:
        host = (urlsplit(url).hostname or "").rstrip(".")
    except ValueError:
        return False
    return any(host == name or host.endswith(f".{name}") for name in _RESERVED)


def read_data(url: str) -> tuple[str, bytes] | None:
    """Return the media type and content of a ``data:`` URL; None if it is malformed or empty."""
    head, comma, payload = url[len("data:") :].partition(",")
    if not comma or not payload:
        return None
    kind, _, option = head.rpartition(";") if ";" in head else (head, "", "")
    content = unquote_to_bytes(payload)
    if option.strip().lower() == "base64":
        try:
            content = base64.b64decode(content, validate=True)
        except Base64Error, ValueError:
            return None
    return (kind.split(";")[0] or "text/plain").lower(), content


def is_supported(source: object) -> bool:
    """Return whether the player supports a source: http, https, relative, or well-formed ``data:``."""
    if not isinstance(source, str) or not source.strip():
        return False
    match = _SCHEME.match(source.strip())
    if match is None:
        return True
    scheme = match[1].lower()
    if scheme == "data":
        return read_data(source) is not None
    return scheme in ("http", "https")


async def why_dead(session: aiohttp.ClientSession, source: str) -> str | None:
    """Return why a work certainly cannot be loaded; None if it can, or that is unknown."""
    scheme = source.partition(":")[0].lower()
    if scheme == "data":
        return None if read_data(source) else UNUSABLE_DATA
    if scheme not in ("http", "https"):
        return None
    status, _ = await look(session, source)
    is_dead = 400 <= status < 500 and status not in _NOT_SURE
    return f"HTTP {status}" if is_dead else None


async def look(session: aiohttp.ClientSession, source: str) -> tuple[int, str]:
    """Return status and media type of a URL; status 0 if there is no answer."""
    try:
        if is_reserved(source):
            return 0, ""
        async with session.get(source) as response:
            return response.status, response.content_type
    except aiohttp.ClientError, TimeoutError, ValueError, OSError:
        return 0, ""


async def preflight(
    session: aiohttp.ClientSession, items: list[Json], cached: set[str]
) -> str | None:
    """Return the text of the refusal if none of the works can be loaded."""
    if (
        not items
        or len(items) > _MOST_ITEMS
        or any(item.get("displayAt") for item in items)
        or any(item["source"] in cached for item in items)
    ):
        return None
    try:
        async with asyncio.timeout(_PREFLIGHT_SECONDS):
            reasons = await asyncio.gather(
                *(why_dead(session, item["source"]) for item in items)
            )
    except TimeoutError:
        return None
    if not all(reasons):
        return None
    told = [f"item {n}: {reason}" for n, reason in enumerate(reasons[:_MOST_REASONS])]
    if len(reasons) > _MOST_REASONS:
        told.append(f"and {len(reasons) - _MOST_REASONS} more")
    return f"sourceUnreachable: no playlist item source is loadable ({'; '.join(told)})"
