"""The DP-1 playlist document: read, check, build, and prepare for a feed or a display.

A document is a plain JSON object (`dict[str, Any]`).  Functions never change the document they are given.
All durations are seconds.  Sources: DP-1 specification 1.1.0, its JSON schemas, and what feed servers and
display firmware were seen to do.
"""

from collections.abc import Iterable, Mapping, Sequence
import json
import re
import sys
from typing import Any
from urllib.parse import quote, unquote

import voluptuous as vol

from ..errors import Fault, InvalidPlaylistError
from ..values import common
from .fields import Rules, is_number, path_text
from .profile import normalize, signable, slugify, timestamp, without_nothing
from .schema import DP_VERSION, SIGNATURE_FIELDS, playlist_schema

__all__ = [
    "build",
    "build_item",
    "check",
    "check_playable",
    "effective_duration",
    "for_display",
    "normalize",
    "parse",
    "signable",
    "slugify",
    "timestamp",
    "validate",
]

_MAX_DEPTH = 64
_LEGACY_VERSION = re.compile(r"1\.0\.[0-9]+")
_SURROGATE = re.compile("[\ud800-\udfff]")
_BASE64 = re.compile(r"[A-Za-z0-9+/]+={0,2}")
_BARE_PERCENT = re.compile(r"%(?![0-9A-Fa-f]{2})")
_IP_LITERAL = re.compile(r"[A-Za-z][A-Za-z0-9+.-]*://\[[0-9A-Fa-f:.]+\]")
_URI_SAFE = "!$%&'()*+,/:;=?@-._~"


def _invalid(message: str, *path: Any) -> InvalidPlaylistError:
    """Make the error for a single fault."""
    return InvalidPlaylistError([Fault(path_text(path), message)])


def _text(value: str) -> str:
    """Copy text; half of a surrogate pair, which UTF-8 has no place for, becomes U+FFFD as in Go."""
    return str(value) if value.isascii() else _SURROGATE.sub("\ufffd", value)


def _plain(value: Any, path: tuple[Any, ...]) -> Any:
    """Copy a value as plain JSON, or say where it is not JSON."""
    if len(path) > _MAX_DEPTH:
        raise _invalid(f"is nested deeper than {_MAX_DEPTH} levels", *path[:8])
    match value:
        case None | bool():
            return value
        case str():
            return _text(value)
        case int() | float():
            if abs(value) <= sys.float_info.max:
                return common(value) if isinstance(value, int) else value
            raise _invalid("expected a number that fits into a double", *path)
        case Mapping():
            for key in value:
                if not isinstance(key, str):
                    raise _invalid("expected text as the name of a field", *path, key)
            return {
                _text(key): _plain(each, (*path, key)) for key, each in value.items()
            }
        case list() | tuple():
            return [_plain(each, (*path, index)) for index, each in enumerate(value)]
    raise _invalid(f"expected a JSON value, not {type(value).__name__}", *path)


def parse(value: str | Mapping[str, Any]) -> dict[str, Any]:
    """Read a document from JSON text, or copy it from an object.

    Of a name given twice the last value counts.  Nothing is checked beyond being a JSON object, and nothing
    is changed but text that UTF-8 cannot hold, and integers of more than 64 bits, which are doubles to others.

    Raises:
        InvalidPlaylistError: not a JSON object, a number JSON cannot hold, or nested more than 64 levels deep.
    """
    if isinstance(value, str):
        try:
            value = json.loads(value.removeprefix("\ufeff"))
        except json.JSONDecodeError as err:
            raise _invalid(
                f"is not valid JSON, line {err.lineno} column {err.colno}: {err.msg}"
            ) from None
        except ValueError, RecursionError:
            raise _invalid(
                "is not JSON that can be read: nested too deep or a number too long"
            ) from None
    if not isinstance(value, Mapping):
        raise _invalid("expected a JSON object")
    document: dict[str, Any] = _plain(value, ())
    return document


def _faults(document: Any, rules: Rules) -> list[Fault]:
    """Check by one set of rules."""
    try:
        playlist_schema(rules)(document)
    except vol.MultipleInvalid as err:
        return [Fault(path_text(each.path), each.error_message) for each in err.errors]
    except vol.Invalid as err:
        return [Fault(path_text(err.path), err.error_message)]
    return []


def _is_legacy(document: Any) -> bool:
    """Tell whether a document says that it is of version 1.0.x."""
    version = document.get("dpVersion") if isinstance(document, dict) else None
    return isinstance(version, str) and bool(_LEGACY_VERSION.fullmatch(version))


def validate(document: Any, *, unsigned: bool = True) -> list[Fault]:
    """Find every fault of a document, by the rules of the version that it names.

    The verdict is that of the v1.1.0 JSON schemas with the playlists extension, except that a legacy
    ``signature`` may carry ``0x``, and that a 1.0.x document may have what 1.0.x software writes: a title of
    up to 256 characters, hashes with ``0x``, and no items beside ``dynamicQueries``.

    Args:
        document: any JSON value.
        unsigned: do not ask for a signature; signatures that are there are checked for their form.
    """
    faults = _faults(document, Rules.LEGACY if _is_legacy(document) else Rules.CURRENT)
    if (
        not unsigned
        and isinstance(document, dict)
        and not any(name in document for name in SIGNATURE_FIELDS)
    ):
        faults.append(Fault("signatures", "is required"))
    return faults


def check(document: Any, *, unsigned: bool = True) -> None:
    """Raise what `validate` finds.

    Raises:
        InvalidPlaylistError: with all faults.
    """
    if faults := validate(document, unsigned=unsigned):
        raise InvalidPlaylistError(faults)


def _is_playable(source: Any) -> bool:
    """Tell whether the player of a display takes a source; of another type it is a fault already."""
    if not isinstance(source, str):
        return True
    scheme, _, rest = source.partition(":")
    match scheme.lower():
        case "http" | "https":
            return rest.startswith("//") and rest.strip("/") != ""
        case "data":
            head, _, payload = rest.partition(",")
            if head.lower().endswith(";base64"):
                return bool(_BASE64.fullmatch("".join(unquote(payload).split())))
            return bool(payload)
    return False


def check_playable(document: Any) -> None:
    """Check what a display insists on before a document is cast inline; it would refuse without a reason.

    That is: at least one item (or a dynamic query), every source http, https or data with a payload, and for
    each known field the JSON type that its decoder expects.  Null counts as absent.  From firmware behavior.

    Raises:
        InvalidPlaylistError: with all faults.
    """
    if not isinstance(document, dict):
        raise _invalid("expected a JSON object")
    faults = _faults(document, Rules.TYPES)
    items = document.get("items")
    dynamic = document.get("dynamicQuery") or document.get("dynamicQueries")
    if items in (None, []) and not dynamic:
        faults.append(Fault("items", "expected at least one item"))
    for index, item in enumerate(items if isinstance(items, list) else []):
        source = item.get("source") if isinstance(item, dict) else item
        if source is None or (isinstance(item, dict) and not _is_playable(source)):
            message = "expected an address that a display can open: http, https or data"
            faults.append(Fault(f"items[{index}].source", message))
    if faults:
        raise InvalidPlaylistError(faults)


def _escaped(text: str) -> str:
    """Write %XX for what a URI may not have, and %25 for a % that escapes nothing."""
    return quote(_BARE_PERCENT.sub("%25", text), safe=_URI_SAFE, errors="replace")


def _uri(text: str) -> str:
    """Write an address with only characters that a URI may have: blanks and umlauts become %XX."""
    text = text.strip()
    start = match.end() if (match := _IP_LITERAL.match(text)) else 0
    address, mark, fragment = text[start:].partition("#")
    return text[:start] + _escaped(address) + mark + _escaped(fragment)


def build_item(
    source: str,
    *,
    title: str | None = None,
    duration: float | None = None,
    license: str | None = None,
    display: Mapping[str, Any] | None = None,
    provenance: Mapping[str, Any] | None = None,
    ref: str | None = None,
    id: str | None = None,
) -> dict[str, Any]:
    """Build one work of a playlist; what is empty is left out.

    Args:
        source: address of the work; characters that a URI may not have are escaped.
        title: name of the work.
        duration: seconds.
        license: ``open``, ``token`` or ``subscription``.
        display: scaling, margin, background and so on.
        provenance: where the work comes from.
        ref: address of a reference manifest.
        id: UUID.
    """
    return without_nothing(
        {
            "id": id,
            "title": title,
            "source": _uri(source),
            "duration": duration,
            "license": license,
            "ref": ref,
            "display": dict(display or {}),
            "provenance": dict(provenance or {}),
        }
    )


def build(
    title: str,
    items: Iterable[Mapping[str, Any]],
    *,
    defaults: Mapping[str, Any] | None = None,
    curators: Sequence[Mapping[str, str]] | None = None,
    summary: str | None = None,
    slug: str | None = None,
    cover_image: str | None = None,
    id: str | None = None,
    created: str | None = None,
) -> dict[str, Any]:
    """Build a v1.1.0 playlist; what is empty is left out.

    Args:
        title: 1 to 200 characters.
        items: works, see `build_item`.
        defaults: ``display``, ``license`` and ``duration`` (seconds) for all works.
        curators: objects of ``name``, ``key`` (a DID) and ``url``.
        summary: up to 2,000 characters.
        slug: name in addresses; turned into lower-case words joined by ``-``.
        cover_image: address of a picture.
        id: UUID.
        created: RFC 3339 date and time.
    """
    optional = without_nothing(
        {
            "id": id,
            "slug": slugify(slug or ""),
            "created": created,
            "summary": summary,
            "coverImage": _uri(cover_image or ""),
            "curators": [without_nothing(curator) for curator in curators or ()],
            "defaults": without_nothing(defaults or {}),
        }
    )
    return {
        "dpVersion": DP_VERSION,
        "title": title,
        **optional,
        "items": [dict(item) for item in items],
    }


def effective_duration(
    item: Mapping[str, Any], defaults: Mapping[str, Any] | None = None
) -> float | None:
    """Tell how many seconds an item shows: its own, else its override's, else the playlist's default."""
    for source in (item, item.get("override"), defaults):
        if isinstance(source, Mapping) and is_number(source.get("duration")):
            seconds: float = source["duration"]
            return seconds
    return None


def for_display(
    document: Mapping[str, Any],
    *,
    item_duration: float | None = None,
    display: Mapping[str, Any] | None = None,
) -> dict[str, Any]:
    """Prepare a document for an inline cast.

    Players ignore ``defaults.duration``, so it is copied into the items that lack one.  Signatures go only
    when something had to be changed, since they would no longer hold.  Unknown fields stay.

    Args:
        document: a playlist.
        item_duration: seconds for every item, whatever it says itself.
        display: scaling, background, margin for every item, whatever it says itself.
    """
    defaults = document.get("defaults")
    defaults = defaults if isinstance(defaults, Mapping) else {}
    changes: dict[str, Any] = {}
    if isinstance(items := document.get("items"), list):
        shown = [_shown_item(item, defaults, item_duration, display) for item in items]
        if shown != items:
            changes["items"] = shown
    wanted = _overridden(defaults, item_duration, display)
    if wanted != defaults:
        changes["defaults"] = wanted
    if not changes:
        return dict(document)
    kept = {
        name: value for name, value in document.items() if name not in SIGNATURE_FIELDS
    }
    return kept | changes


def _overridden(
    fields: Mapping[str, Any],
    duration: float | None,
    display: Mapping[str, Any] | None,
) -> dict[str, Any]:
    """Put a duration and display preferences over an item or the defaults."""
    result = dict(fields)
    if duration is not None:
        result["duration"] = duration
    if display:
        own = fields.get("display")
        result["display"] = {**(own if isinstance(own, Mapping) else {}), **display}
    return result


def _shown_item(
    item: Any,
    defaults: Mapping[str, Any],
    duration: float | None,
    display: Mapping[str, Any] | None,
) -> Any:
    """Give an item its duration and preferences."""
    if not isinstance(item, Mapping):
        return item
    if duration is None and item.get("duration") is None:
        duration = effective_duration(item, defaults)
    return _overridden(item, duration, display)
