"""The DP-1 playlist document: read, check, build, and prepare for a feed or a display.

A document is a plain JSON object (`dict[str, Any]`).  Functions never change the document they are given.
All durations are seconds.  Sources: DP-1 specification 1.1.0, its JSON schemas, and what feed servers and
display firmware were seen to do.
"""

from base64 import b64decode
import binascii
from collections.abc import Iterable, Mapping, Sequence
from datetime import UTC, datetime
import json
import math
import re
from typing import Any
from urllib.parse import quote, unquote
from uuid import uuid4

import voluptuous as vol

from .errors import Fault, InvalidPlaylistError
from .playlist_schema import Check, Rules, is_date_time, is_number, playlist_schema

DP_VERSION = "1.1.0"

_MAX_DEPTH = 64
_SHOWN_KEY_LENGTH = 80
_PLAIN_KEY = re.compile(r"[A-Za-z_][A-Za-z0-9_-]*")
_NO_SLUG = re.compile(r"[^a-z0-9]+")
_LEGACY_VERSION = re.compile(r"1\.0\.[0-9]+")
_CREATED = re.compile(r"(.{10}T.{8})(?:\.([0-9]+))?(Z|[+-].{5})")
_URI_SAFE = "!#$%&'()*+,/:;=?@[]-._~"
_SIGNATURE_FIELDS = ("signature", "signatures")

_CHECKS: dict[Rules, Check] = {}

type Shape = dict[str, "Shape | None"]

_MOUSE: Shape = {"click": None, "scroll": None, "drag": None, "hover": None}
_DISPLAY: Shape = {
    "scaling": None,
    "margin": None,
    "background": None,
    "autoplay": None,
    "loop": None,
    "interaction": {
        "keyboard": None,
        "mouse": _MOUSE,
    },
    "userOverrides": None,
}
_ORIGIN: Shape = {"chain": None, "standard": None, "uri": None}
_NOTE: Shape = {"text": None, "duration": None}
# The fields that the strict feed server has a place for; it drops all others before it verifies.
_PROFILE: Shape = {
    "dpVersion": None,
    "id": None,
    "slug": None,
    "title": None,
    "created": None,
    "summary": None,
    "coverImage": None,
    "curators": {"name": None, "key": None, "url": None},
    "defaults": {"display": _DISPLAY, "license": None, "duration": None},
    "note": _NOTE,
    "dynamicQuery": {
        "profile": None,
        "endpoint": None,
        "method": None,
        "headers": None,
        "query": None,
        "responseMapping": {"itemsPath": None, "itemSchema": None, "itemMap": None},
    },
    "items": {
        "id": None,
        "slug": None,
        "title": None,
        "source": None,
        "duration": None,
        "license": None,
        "ref": None,
        "refHash": None,
        "override": None,
        "display": _DISPLAY,
        "repro": {
            "engineVersion": None,
            "seed": None,
            "assetsSHA256": None,
            "frameHash": {"sha256": None, "phash": None},
        },
        "provenance": {
            "type": None,
            "contract": {
                **_ORIGIN,
                "address": None,
                "seriesId": None,
                "tokenId": None,
                "metaHash": None,
            },
            "dependencies": _ORIGIN,
        },
        "note": _NOTE,
    },
}
# Fields that stay when they are empty: required ones, and objects that the server keeps as they are.
_KEPT_EMPTY = frozenset(
    {
        "dpVersion", "items", "source", "name", "key", "text", "type", "contract", "override",
        "profile", "endpoint", "responseMapping", "itemsPath", "itemSchema",
    }
)  # fmt: skip


def path_text(segments: Iterable[Any]) -> str:
    """Write a path the way people do: ``items[2].provenance.contract.tokenId``."""
    text = ""
    for segment in segments:
        if isinstance(segment, int):
            text += f"[{segment}]"
            continue
        name = str(segment)[:_SHOWN_KEY_LENGTH]
        if _PLAIN_KEY.fullmatch(name):
            text += f".{name}" if text else name
        else:
            text += f"[{json.dumps(name, ensure_ascii=False)}]"
    return text


def _invalid(message: str, *path: Any) -> InvalidPlaylistError:
    """Make the error for a single fault."""
    return InvalidPlaylistError([Fault(path_text(path), message)])


def _plain(value: Any, path: tuple[Any, ...]) -> Any:
    """Copy a value as plain JSON, or say where it is not JSON."""
    if len(path) > _MAX_DEPTH:
        raise _invalid(f"is nested deeper than {_MAX_DEPTH} levels", *path[:8])
    match value:
        case None | bool() | int():
            return value
        case str():
            return str(value)
        case float():
            if math.isfinite(value):
                return value
            raise _invalid("expected a number that JSON can hold", *path)
        case Mapping():
            if wrong := next((key for key in value if not isinstance(key, str)), None):
                raise _invalid("expected text as the name of a field", *path, wrong)
            return {str(key): _plain(each, (*path, key)) for key, each in value.items()}
        case list() | tuple():
            return [_plain(each, (*path, index)) for index, each in enumerate(value)]
    raise _invalid(f"expected a JSON value, not {type(value).__name__}", *path)


def parse(value: str | Mapping[str, Any]) -> dict[str, Any]:
    """Read a document from JSON text, or copy it from an object.

    Of a name given twice the last value counts.  Nothing is checked beyond being a JSON object.

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
    if rules not in _CHECKS:
        _CHECKS[rules] = playlist_schema(rules)
    try:
        _CHECKS[rules](document)
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
        and not any(name in document for name in _SIGNATURE_FIELDS)
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


def _is_playable(source: str) -> bool:
    """Tell whether the player of a display takes a source."""
    scheme, _, rest = source.partition(":")
    match scheme.lower():
        case "http" | "https":
            return rest.startswith("//") and rest.strip("/") != ""
        case "data":
            head, _, payload = rest.partition(",")
            if head.lower().rstrip().endswith(";base64"):
                try:
                    payload = b64decode(unquote(payload), validate=True)  # type: ignore[assignment]
                except binascii.Error, ValueError:
                    return False
            return bool(payload)
    return False


def check_playable(document: Any) -> None:
    """Check what a display insists on before a document is cast inline; it would refuse without a reason.

    That is: at least one item (or a dynamic query), every source http, https or data with a payload, and for
    each known field the JSON type that its decoder expects.  Null counts as absent.  From firmware behaviour.

    Raises:
        InvalidPlaylistError: with all faults.
    """
    faults = _faults(document, Rules.TYPES)
    items = document.get("items") if isinstance(document, dict) else None
    if isinstance(document, dict) and not items:
        if not (document.get("dynamicQuery") or document.get("dynamicQueries")):
            faults.append(Fault("items", "expected at least one item"))
    for index, item in enumerate(items if isinstance(items, list) else []):
        if not isinstance(item, dict):
            continue
        source = item.get("source")
        if source is None or (isinstance(source, str) and not _is_playable(source)):
            message = "expected an address that a display can open: http, https or data"
            faults.append(Fault(f"items[{index}].source", message))
    if faults:
        raise InvalidPlaylistError(faults)


def _without_nothing(fields: Mapping[str, Any]) -> dict[str, Any]:
    """Leave out what is not there: None, empty text, empty lists and objects."""
    return {
        name: value
        for name, value in fields.items()
        if value is not None and value not in ("", [], {})
    }


def _uri(text: str) -> str:
    """Write an address with only characters that a URI may have: blanks and umlauts become %XX."""
    return quote(re.sub(r"%(?![0-9A-Fa-f]{2})", "%25", text.strip()), safe=_URI_SAFE)


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
    return _without_nothing(
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
    optional = _without_nothing(
        {
            "id": id,
            "slug": slugify(slug or ""),
            "created": created,
            "summary": summary,
            "coverImage": _uri(cover_image or ""),
            "curators": [_without_nothing(curator) for curator in curators or ()],
            "defaults": _without_nothing(defaults or {}),
        }
    )
    return {
        "dpVersion": DP_VERSION,
        "title": title,
        **optional,
        "items": [dict(item) for item in items],
    }


def slugify(text: str) -> str:
    """Turn text into lower-case ASCII words joined by ``-``, as the strict feed server does; may be empty."""
    return _NO_SLUG.sub("-", text.lower()).strip("-")


def timestamp(moment: datetime) -> str:
    """Write a moment in UTC with whole seconds: ``2026-01-02T03:04:05Z``."""
    return moment.astimezone(UTC).strftime("%Y-%m-%dT%H:%M:%SZ")


def _created(value: Any, now: datetime) -> Any:
    """Write a moment as the strict server does: UTC, no zeros at the end of a fraction, not in the future."""
    if value is None or value == "":
        return timestamp(now)
    if not isinstance(value, str) or not is_date_time(value):
        return value
    match = _CREATED.fullmatch(value.upper())
    assert match
    fraction = (match[2] or "").rstrip("0")
    try:
        moment = datetime.fromisoformat(match[1] + match[3]).astimezone(UTC)
    except OverflowError:
        return value
    if moment > now:
        return timestamp(now)
    return (
        moment.strftime("%Y-%m-%dT%H:%M:%S") + (f".{fraction}" if fraction else "")
    ) + "Z"


def _stripped(value: Any, shape: Shape) -> Any:
    """Copy without empty values of known fields, at any depth."""
    if isinstance(value, list):
        return [_stripped(each, shape) for each in value]
    if not isinstance(value, dict):
        return value
    result = {}
    for name, each in value.items():
        if name in shape:
            if (inner := shape[name]) is not None:
                each = _stripped(each, inner)
            if each is None or (each is False and shape is _MOUSE):
                continue
            if name not in _KEPT_EMPTY and each in ("", [], {}):
                continue
        result[name] = each
    return result


def _unique_id(value: Any, taken: set[str]) -> Any:
    """Write a UUID in lower case; make one where it is missing or used already."""
    if value is None or value == "":
        return str(uuid4())
    if not isinstance(value, str):
        return value
    lower = value.lower()
    return str(uuid4()) if lower in taken else lower


def _normal_item(item: Any, taken: set[str]) -> Any:
    """Give an item an id of its own, and a whole number where decoders want one."""
    if not isinstance(item, dict):
        return item
    item_id = _unique_id(item.get("id"), taken)
    if isinstance(item_id, str):
        taken.add(item_id)
    match item:
        case {"provenance": {"contract": {"seriesId": float() as series}}} if (
            series.is_integer()
        ):
            provenance = item["provenance"]
            contract = {**provenance["contract"], "seriesId": int(series)}
            item = {**item, "provenance": {**provenance, "contract": contract}}
    return {"id": item_id, **item} | {"id": item_id}


def normalise(
    document: Mapping[str, Any],
    *,
    now: datetime,
    curator: Mapping[str, str] | None = None,
) -> dict[str, Any]:
    """Prepare a document for publishing: what the strict feed server would fill in or rewrite is done here.

    Ids in lower case and made where missing (items too, each its own), slug as the server computes it,
    ``created`` in UTC, empty values of known fields dropped, signatures dropped.  Unknown fields stay; see
    `signable`.  What is wrong stays wrong: `check` the result.

    Args:
        document: a playlist.
        now: the present moment, with a zone; used where ``created`` is missing or in the future.
        curator: who signs, as ``name`` and ``key`` (a DID); added to the curators unless the key is there.
    """
    result: dict[str, Any] = _stripped(dict(document), _PROFILE)
    for name in _SIGNATURE_FIELDS:
        result.pop(name, None)
    if isinstance(version := result.setdefault("dpVersion", DP_VERSION), str):
        result["dpVersion"] = version.strip()
    result["id"] = _unique_id(result.get("id"), set())
    result["slug"] = _slug(result)
    result["created"] = _created(result.get("created"), now)
    if isinstance(items := result.get("items"), list):
        taken: set[str] = set()
        result["items"] = [_normal_item(item, taken) for item in items]
    if curator:
        known = result.get("curators", [])
        if isinstance(known, list) and not any(
            isinstance(each, dict) and each.get("key") == curator["key"]
            for each in known
        ):
            result["curators"] = [*known, _without_nothing(curator)]
    return result


def _slug(document: Mapping[str, Any]) -> Any:
    """Compute the slug as the strict server does: the given one, or the title and 8 digits of the id."""
    given = document.get("slug", "")
    if not isinstance(given, str):
        return given
    if slug := slugify(given):
        return slug
    title = document.get("title")
    stem = slugify(title) if isinstance(title, str) else ""
    return f"{stem or 'playlist'}-{slugify(str(document['id']))[:8]}"


def signable(document: Mapping[str, Any]) -> tuple[dict[str, Any], list[str]]:
    """Keep only what survives the strict feed server's own types, because it verifies what is left of them.

    Returns:
        The document without the fields that the server does not know, and the paths of those fields.
    """
    left_out: list[str] = []
    return _pruned(document, _PROFILE, (), left_out), left_out


def _pruned(
    value: Any, shape: Shape, path: tuple[str | int, ...], left_out: list[str]
) -> Any:
    """Copy the known fields and note the others."""
    if isinstance(value, list):
        return [
            _pruned(each, shape, (*path, index), left_out)
            for index, each in enumerate(value)
        ]
    if not isinstance(value, Mapping):
        return value
    result = {}
    for name, each in value.items():
        if name not in shape:
            left_out.append(path_text((*path, name)))
        elif (inner := shape[name]) is not None:
            result[name] = _pruned(each, inner, (*path, name), left_out)
        else:
            result[name] = each
    return result


def effective_duration(
    item: Mapping[str, Any], defaults: Mapping[str, Any] | None = None
) -> float | None:
    """Tell how many seconds an item shows: its own, else its override's, else the playlist's default."""
    for source in (item, item.get("override"), defaults):
        if isinstance(source, Mapping) and is_number(value := source.get("duration")):
            return float(value) if isinstance(value, float) else value
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
        name: value for name, value in document.items() if name not in _SIGNATURE_FIELDS
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
