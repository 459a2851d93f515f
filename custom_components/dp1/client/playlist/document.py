"""DP-1 playlist documents: parse, validate, build, and prepare for a feed or a display.

A document is a plain JSON object (`dict[str, Any]`).  Functions never change the document they are given.
All durations are seconds.  Sources: DP-1 specification 1.1.0, its JSON schemas, and behavior seen of feed servers
and display firmware.
"""

from collections.abc import Callable, Iterable, Mapping, Sequence
from datetime import UTC, datetime
import json
import re
from typing import Any
from urllib.parse import unquote

from ..errors import Fault, InvalidPlaylistError
from ..hosts import work_url
from ..text import escaped_url
from ..values import MAX_TEXT, TooLargeValueError, decode, mapping
from .schedule import is_moment
from .schema import (
    DP_VERSION,
    MAX_FAULTS,
    PLAYLIST,
    SIGNATURE_FIELDS,
    faults_of,
    is_number,
    path_text,
)

# In bytes of JSON, as read and as given: what the signed feed takes. Displays take 4 MiB inline, and say so.
MAX_DOCUMENT = 5 * 1024 * 1024
_NO_SLUG = re.compile(r"[^a-z0-9]+")
# Base64 with blanks, each of them perhaps escaped; and what ends it.
_BASE64 = re.compile(
    r"(?:[A-Za-z0-9+/\s]++|(?:%(?:2[0BbFf]|3[0-9]|0[9A-Da-d]|[46][1-9A-Fa-f]|[57][0-9Aa]))++)++"
)
_PADDING = re.compile(r"(?:(?:=|%3[Dd])\s*+(?:%(?:20|0[9A-Da-d])\s*+){0,8}){0,2}")
# A search holds the interpreter.
_AT_ONCE = 64 * 1024


def _invalid(message: str, *path: Any) -> InvalidPlaylistError:
    """Return the error for a single fault."""
    return InvalidPlaylistError([Fault(path_text(path), message)])


def parse(value: str | bytes | Mapping[str, Any]) -> dict[str, Any]:
    """Parse a document from JSON text, or copy it from an object; a long one takes up to a second.

    The last value of a repeated name counts. Only checked to be a JSON object of limited size, and integers of more than
    64 bits become doubles, and those beyond doubles null.

    Raises:
        InvalidPlaylistError: not a JSON object, text that UTF-8 cannot encode, over 5 MB, over 500,000 values, or nested
            more than 32 levels deep.
    """
    try:
        body = _encoded(value)
        document = decode(body, strict=True)
    except json.JSONDecodeError as err:
        raise _invalid(
            f"is not valid JSON, line {err.lineno} column {err.colno}: {err.msg}"
        ) from None
    except UnicodeError:
        raise _invalid("is not JSON: it is not in UTF-8") from None
    except TooLargeValueError as err:
        raise _invalid(f"has {err}") from None
    except (TypeError, ValueError, RecursionError) as err:
        raise _invalid(f"is not JSON: {err}") from None
    if not isinstance(document, dict):
        raise _invalid("expected a JSON object")
    return document


_ENCODER = json.JSONEncoder(ensure_ascii=False, allow_nan=False, separators=(",", ":"))


def _encoded(value: object) -> bytes:
    """Return a document as bytes; piece by piece, as a whole would hold the interpreter."""
    is_text = isinstance(value, str | bytes)
    body = bytearray()
    for part in [value] if is_text else _ENCODER.iterencode(value):
        body += part if isinstance(part, bytes) else str(part).encode()
        if len(body) > MAX_DOCUMENT:
            raise _invalid(f"is longer than {MAX_DOCUMENT >> 20} MB")
    return bytes(body)


def unwrapped(document: dict[str, Any]) -> dict[str, Any]:
    """Return a playlist out of an object that has nothing else, as servers answer with it: ``{"playlist": {…}}``."""
    inner = document.get("playlist")
    if "items" in document or not isinstance(inner, dict):
        return document
    return inner


def has_items(document: Mapping[str, Any]) -> bool:
    """Return whether an object can be a playlist: it has a list of items, or queries and no items of another type."""
    items = document.get("items")
    if items is None:
        return "dynamicQuery" in document or "dynamicQueries" in document
    return isinstance(items, list)


def without_nothing(fields: Mapping[str, Any]) -> dict[str, Any]:
    """Return a mapping without None, empty texts, lists and objects."""
    return {
        name: value
        for name, value in fields.items()
        if value is not None and value not in ("", [], {})
    }


def unsigned(document: Mapping[str, Any]) -> dict[str, Any]:
    """Return a document without its signatures."""
    return {
        name: value for name, value in document.items() if name not in SIGNATURE_FIELDS
    }


def is_signed(document: Mapping[str, Any]) -> bool:
    """Return whether a document has a signature, good or not."""
    return any(document.get(name) for name in SIGNATURE_FIELDS)


def slugify(text: str) -> str:
    """Turn text into lower-case ASCII words joined by ``-``, as the strict feed server does; may be empty."""
    return _NO_SLUG.sub("-", text[:MAX_TEXT].lower()).strip("-")


def timestamp(moment: datetime) -> str:
    """Write a moment in UTC with whole seconds: ``2026-01-02T03:04:05Z``."""
    utc = moment.astimezone(UTC).replace(microsecond=0, tzinfo=None)
    return f"{utc.isoformat()}Z"


def validate(document: Any) -> list[Fault]:
    """Return the faults of a document, a hundred at most.

    It takes up to a second for a long one: what a stranger made is validated in a thread.

    The result is that of the v1.1.0 JSON schemas with the playlists extension, except that a legacy ``signature`` may
    have ``0x``.

    A signature is not required, and one that is there is checked for its form.

    Args:
        document: any JSON value.
    """
    return faults_of(PLAYLIST, document)


def faults_in(
    value: str | bytes | Mapping[str, Any],
) -> tuple[dict[str, Any], Sequence[Fault]]:
    """Return a document as ``parse`` has it, empty if there is none, and its faults."""
    try:
        document = parse(value)
    except InvalidPlaylistError as err:
        return {}, err.faults
    return document, validate(document)


def check(document: Any) -> None:
    """Raise if a document is not valid.

    Raises:
        InvalidPlaylistError: with all faults.
    """
    if faults := validate(document):
        raise InvalidPlaylistError(faults)


def _is_playable(source: Any) -> bool:
    """Return whether the player of a display supports a source."""
    if not isinstance(source, str):
        return False
    scheme, _, rest = source.partition(":")
    match scheme.lower():
        case "http" | "https":
            return rest.startswith("//") and rest.strip("/") != ""
        case "data":
            head, _, payload = rest.partition(",")
            if head.lower().endswith(";base64"):
                return _is_base64(payload)
            return bool(payload)
    return False


def _is_base64(payload: str) -> bool:
    """Return whether the payload of a data URL is in base64, and there is any."""
    at = 0
    while match := _BASE64.match(payload, at, at + _AT_ONCE):
        at = match.end()
    some = unquote(payload[: min(at, _AT_ONCE)]).strip()
    return bool(some and _PADDING.fullmatch(payload, at))


def check_playable(document: Any) -> None:
    """Raise if a document is ``unplayable``.

    Raises:
        InvalidPlaylistError: with all faults.
    """
    if faults := unplayable(document):
        raise InvalidPlaylistError(faults)


def unplayable(document: Any) -> list[Fault]:
    """Return the faults that a display refuses without a reason, before a document is cast inline.

    It needs at least one item (or a dynamic query), http, https or data sources with a payload, and dates that can be
    read.  What else it refuses, it says itself.  Source: firmware behavior.
    """
    if not isinstance(document, dict):
        return [Fault("", "expected a JSON object")]
    faults: list[Fault] = []
    items = document.get("items")
    works = items if isinstance(items, list) else []
    if not (works or document.get("dynamicQuery") or document.get("dynamicQueries")):
        faults.append(Fault("items", "expected at least one item"))
    for index, item in enumerate(map(mapping, works)):
        if not _is_playable(item.get("source")):
            message = "expected an address that a display can open: http, https or data"
            faults.append(Fault(f"items[{index}].source", message))
        moment = item.get("displayAt")
        if isinstance(moment, str) and moment and not is_moment(moment):
            faults.append(
                Fault(f"items[{index}].displayAt", "expected a date with a time")
            )
        if len(faults) >= MAX_FAULTS:
            break
    return faults


def build_item(source: str, **fields: Any) -> dict[str, Any]:
    """Build an item of a playlist; empty fields are left out.

    Args:
        source: URL of the work; characters that a URI may not have are escaped.
        fields: others as DP-1 names them, like ``title``, ``duration`` (seconds), ``license`` or ``provenance``.
    """
    return without_nothing({"source": escaped_url(source), **fields})


def build(
    title: str, items: Iterable[Mapping[str, Any]], **fields: Any
) -> dict[str, Any]:
    """Build a v1.1.0 playlist; empty fields are left out.

    Args:
        title: 1 to 200 characters.
        items: items, see `build_item`.
        fields: others as DP-1 names them, like ``id``, ``created``, ``summary`` or ``defaults``.
    """
    return {
        "dpVersion": DP_VERSION,
        "title": title,
        **without_nothing(fields),
        "items": [dict(item) for item in items],
    }


def effective_duration(
    item: Mapping[str, Any], defaults: Mapping[str, Any] | None = None
) -> float | None:
    """Return the duration of an item in seconds: its own, else its override's, else the playlist's default."""
    for source in (item, mapping(item.get("override")), defaults or {}):
        if is_number(source.get("duration")):
            seconds: float = source["duration"]
            return seconds
    return None


def for_display(
    document: Mapping[str, Any],
    *,
    item_duration: float | None = None,
    display: Mapping[str, Any] | None = None,
    find: Callable[[str], str] = work_url,
) -> dict[str, Any]:
    """Return a document for an inline cast.

    Players ignore ``defaults.duration``, so it is copied into the items without one, and neither look for what moved nor
    open ``ipfs`` and ``ar``, so sources are as ``work_url`` has them.  Signatures are removed only if something had to be
    changed, since they would no longer be valid.  Unknown fields stay.

    Args:
        document: a playlist.
        item_duration: seconds for every item, instead of its own.
        display: scaling, background, margin for every item, instead of its own.
        find: returns where a display loads what an address means.
    """
    defaults = mapping(document.get("defaults"))
    changes: dict[str, Any] = {}
    if isinstance(items := document.get("items"), list):
        changed = [
            _overridden_item(item, defaults, item_duration, display, find)
            for item in items
        ]
        if changed != items:
            changes["items"] = changed
    overridden = _overridden(defaults, item_duration, display)
    if overridden != defaults:
        changes["defaults"] = overridden
    if not changes and any(map(document.get, SIGNATURE_FIELDS)):
        return dict(document)
    # Pictures and manifests, too, but they are not worth a signature.
    return _found({**(unsigned(document) if changes else document), **changes})


def renewed(document: Mapping[str, Any], find: Callable[[str], str]) -> dict[str, Any]:
    """Return a document whose addresses that name nothing any more are those of now: of works, pictures and manifests."""
    found = _found(document, find)
    if isinstance(items := found.get("items"), list):
        found["items"] = [
            {**item, "source": find(source)}
            if isinstance(item, dict) and isinstance(source := item.get("source"), str)
            else item
            for item in items
        ]
    return found


def _found(
    document: Mapping[str, Any], find: Callable[[str], str] = work_url
) -> dict[str, Any]:
    """Return a document with its cover and the manifests of its items at the addresses where they are now."""
    found = dict(document)
    if isinstance(cover := found.get("coverImage"), str):
        found["coverImage"] = find(cover)
    if isinstance(items := found.get("items"), list):
        found["items"] = [
            _found_item(item, find) if isinstance(item, dict) else item
            for item in items
        ]
    return found


def _found_item(item: dict[str, Any], find: Callable[[str], str]) -> dict[str, Any]:
    """Return an item with its manifest, or the pictures within it, at the addresses where they are now."""
    changes: dict[str, Any] = {}
    if isinstance(ref := item.get("ref"), str):
        changes["ref"] = find(ref)
    manifest = mapping(item.get("inlineManifest"))
    metadata = mapping(manifest.get("metadata"))
    pictures: dict[str, Any] = {}
    if isinstance(sizes := metadata.get("thumbnails"), dict):
        pictures["thumbnails"] = {
            size: _found_uri(it, find) for size, it in sizes.items()
        }
    if isinstance(artists := metadata.get("artists"), list):
        pictures["artists"] = [
            it | {"avatar": _found_uri(it["avatar"], find)}
            if isinstance(it, dict) and "avatar" in it
            else it
            for it in artists
        ]
    if pictures:
        changes["inlineManifest"] = {**manifest, "metadata": {**metadata, **pictures}}
    return item | changes


def _found_uri(picture: Any, find: Callable[[str], str]) -> Any:
    """Return a picture of a manifest at the address where it is now."""
    uri = mapping(picture).get("uri")
    return {**picture, "uri": find(uri)} if isinstance(uri, str) else picture


def _overridden(
    fields: Mapping[str, Any],
    duration: float | None,
    display: Mapping[str, Any] | None,
) -> dict[str, Any]:
    """Return an item or the defaults with another duration and display preferences."""
    result = dict(fields)
    if duration is not None:
        result["duration"] = duration
    if display:
        result["display"] = {**mapping(fields.get("display")), **display}
    return result


def _overridden_item(
    item: Any,
    defaults: Mapping[str, Any],
    duration: float | None,
    display: Mapping[str, Any] | None,
    find: Callable[[str], str],
) -> Any:
    """Return an item with its duration, its preferences, and where it is now."""
    if not isinstance(item, Mapping):
        return item
    if duration is None and item.get("duration") is None:
        duration = effective_duration(item, defaults)
    changed = _overridden(item, duration, display)
    if isinstance(source := changed.get("source"), str):
        changed["source"] = find(source)
    return changed
