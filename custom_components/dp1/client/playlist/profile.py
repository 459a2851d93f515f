"""Prepare a playlist for publishing: what a strict feed server fills in, rewrites or drops is settled first.

Such a server decodes a signed document into typed fields, writes it anew and verifies what comes out, so a
signed document has to come through that unchanged.  Source: behavior seen of the Go feed server.
"""

from collections.abc import Collection, Mapping
from datetime import UTC, datetime
import re
from typing import Any
from uuid import uuid4

from ..values import doubles
from .fields import is_date_time, path_text
from .schema import DP_VERSION, SIGNATURE_FIELDS

_NO_SLUG = re.compile(r"[^a-z0-9]+")
_CREATED = re.compile(r"(.{10}T.{8})(?:\.([0-9]+))?(Z|[+-].{5})")

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
# Fields that the strict feed server stores; it drops all others before it verifies.
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
# Fields of items that feeds store since 2026: playlists extension 0.2.0, content rating 0.1.0.
NEWER_ITEM_FIELDS = frozenset(
    {"displayAt", "inlineManifest", "contentRating", "contentReasons"}
)
# Fields that stay when they are empty: required ones, and objects that the server stores unchanged.
_KEPT_EMPTY = frozenset(
    {
        "dpVersion", "items", "source", "name", "key", "text", "type", "contract", "override",
        "profile", "endpoint", "responseMapping", "itemsPath", "itemSchema",
    }
)  # fmt: skip


def without_nothing(fields: Mapping[str, Any]) -> dict[str, Any]:
    """Return a mapping without None, empty texts, lists and objects."""
    return {
        name: value
        for name, value in fields.items()
        if value is not None and value not in ("", [], {})
    }


def slugify(text: str) -> str:
    """Turn text into lower-case ASCII words joined by ``-``, as the strict feed server does; may be empty."""
    return _NO_SLUG.sub("-", text.lower()).strip("-")


def timestamp(moment: datetime) -> str:
    """Write a moment in UTC with whole seconds: ``2026-01-02T03:04:05Z``."""
    utc = moment.astimezone(UTC).replace(microsecond=0, tzinfo=None)
    return f"{utc.isoformat()}Z"


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
    return timestamp(moment).replace("Z", f".{fraction}Z" if fraction else "Z")


def _stripped(value: Any, shape: Shape) -> Any:
    """Return a copy without empty values of known fields, at any depth."""
    if isinstance(value, list):
        return [_stripped(member, shape) for member in value]
    if not isinstance(value, dict):
        return value
    result = {}
    for name, member in value.items():
        if name in shape:
            if (inner := shape[name]) is not None:
                member = _stripped(member, inner)
            if member is None or (member is False and shape is _MOUSE):
                continue
            if name not in _KEPT_EMPTY and member in ("", [], {}):
                continue
        result[name] = member
    return result


def _unique_id(value: Any, taken: set[str]) -> Any:
    """Return a UUID in lower case, a new one if it is missing or used already."""
    if value is None or value == "":
        return str(uuid4())
    if not isinstance(value, str):
        return value
    lower = value.lower()
    return str(uuid4()) if lower in taken else lower


def _normal_item(item: Any, taken: set[str]) -> Any:
    """Return an item with an id of its own, and whole numbers where decoders require them."""
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


def normalize(
    document: Mapping[str, Any],
    *,
    now: datetime,
    curator: Mapping[str, str] | None = None,
) -> dict[str, Any]:
    """Prepare a document for publishing: what the strict feed server would fill in or rewrite is done here.

    Ids in lower case and made where missing (items too, each its own), slug as the server computes it,
    ``created`` in UTC, empty values of known fields dropped, signatures dropped, integers beyond 2^53 as doubles (RFC 8785).  Unknown fields stay; see
    `signable`.  What is wrong stays wrong: `check` the result.

    Args:
        document: a playlist.
        now: the present moment, with a zone; used where ``created`` is missing or in the future.
        curator: who signs, as ``name`` and ``key`` (a DID); added to the curators unless the key is there.
    """
    result: dict[str, Any] = _stripped(doubles(document), _PROFILE)
    for name in SIGNATURE_FIELDS:
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
            isinstance(known_curator, dict)
            and known_curator.get("key") == curator["key"]
            for known_curator in known
        ):
            result["curators"] = [*known, without_nothing(curator)]
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


def signable(
    document: Mapping[str, Any], newer: Collection[str] = ()
) -> tuple[dict[str, Any], list[str]]:
    """Return a document with only the fields that the strict feed server stores, since it verifies those.

    Args:
        document: a playlist.
        newer: those of ``NEWER_ITEM_FIELDS`` that the feed takes.

    Returns:
        The document without the fields that the server does not know, and the paths of those fields.
    """
    left_out: list[str] = []
    items = {**(_PROFILE["items"] or {}), **dict.fromkeys(newer)}
    profile = {**_PROFILE, "items": items}
    return _pruned(document, profile, (), left_out), left_out


def _pruned(
    value: Any, shape: Shape, path: tuple[str | int, ...], left_out: list[str]
) -> Any:
    """Return a copy with the known fields, and collect the paths of the others."""
    if isinstance(value, list):
        return [
            _pruned(member, shape, (*path, index), left_out)
            for index, member in enumerate(value)
        ]
    if not isinstance(value, Mapping):
        return value
    result = {}
    for name, member in value.items():
        if name not in shape:
            left_out.append(path_text((*path, name)))
        elif (inner := shape[name]) is not None:
            result[name] = _pruned(member, inner, (*path, name), left_out)
        else:
            result[name] = member
    return result
