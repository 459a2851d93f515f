"""Documents in the form that a feed accepts, the owners of a stored one, and the differences of two.

A strict feed server decodes a signed document into typed fields, writes it anew and verifies what comes out, so what it
fills in, rewrites or drops is settled before. Source: behavior seen of the Go feed server.

Signed intents tell a signed feed to replace or delete a playlist. Source: the interface description of the signed feed,
and vectors made with the library of its authors.
"""

from collections.abc import Collection, Iterable, Iterator, Mapping
from dataclasses import dataclass
from datetime import UTC, datetime
from functools import cache
from itertools import zip_longest
import re
from typing import Any
from uuid import uuid4

from ..errors import MAX_PLACEHOLDER, Dp1Error, Fault, InvalidPlaylistError
from ..playlist.document import check, slugify, timestamp, unsigned
from ..playlist.schema import (
    DP_VERSION,
    MOUSE,
    PLAYLIST,
    SIGNATURE_FIELDS,
    Check,
    Each,
    Object,
    is_date_time,
    path_text,
)
from ..playlist.signing import SigningKey, payload_hash, sign, verify
from ..text import clean
from ..values import doubles, mapping, objects

type Document = dict[str, Any]

# Fields that a replacement keeps.
IDENTITY = ("id", "slug", "created")


_CREATED = re.compile(r"(.{10}T.{8})(?:\.([0-9]+))?(Z|[+-].{5})")
# Fields of playlists that a strict feed server does not store: it drops them before it verifies.
_NOT_STORED = frozenset({*SIGNATURE_FIELDS, "schedule"})
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

# The fields that a strict feed server stores, each with those in it; None for what it stores whole.
type Shape = dict[str, "Shape | None"]


@cache
def _shape(check: Check) -> Shape | None:
    """Return the fields in a value that is checked."""
    match check:
        case Each(part=part, kind=kind) if kind is list:
            return _shape(part)
        case Object(fields=fields, is_open=False):
            return {
                name: _shape(part)
                for name, part in fields.items()
                if name not in NEWER_ITEM_FIELDS and name not in _NOT_STORED
            }
    return None


_PROFILE: Shape = _shape(PLAYLIST) or {}
_MOUSE = _shape(MOUSE)


def _created(value: Any, now: datetime) -> Any:
    """Write a moment as the strict server does: UTC, no zeros at the end of a fraction, not in the future."""
    if value is None:
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


def _as_stored(
    value: Any, shape: Shape, path: tuple[str | int, ...], left_out: list[str]
) -> Any:
    """Return a copy with the fields of a shape that are not empty, and collect the paths of all others."""
    if isinstance(value, list):
        return [
            _as_stored(member, shape, (*path, index), left_out)
            for index, member in enumerate(value)
        ]
    if not isinstance(value, dict):
        return value
    result = {}
    for name, member in value.items():
        if name not in shape:
            left_out.append(path_text((*path, name)))
            continue
        if (inner := shape[name]) is not None:
            member = _as_stored(member, inner, (*path, name), left_out)
        if member is None or (member is False and shape is _MOUSE):
            continue
        if name in _KEPT_EMPTY or member not in ("", [], {}):
            result[name] = member
    return result


def _unique_id(value: Any, taken: set[str]) -> Any:
    """Return a UUID in lower case, a new one if it is missing or used already."""
    if value is None:
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
    newer: Collection[str] = (),
) -> tuple[Document, list[str]]:
    """Prepare a document for publishing: fill in, rewrite and leave out fields as the strict feed server would.

    Ids in lower case and made where missing (items too, each its own), slug as the server computes it,
    ``created`` in UTC, empty values and unknown fields dropped, signatures dropped, integers beyond 2^53 as doubles
    (RFC 8785).  What is wrong stays wrong: `check` the result.

    Args:
        document: a playlist.
        now: the present moment, with a zone; used where ``created`` is missing or in the future.
        curator: who signs, as ``name`` and ``key`` (a DID); added to the curators unless the key is there.
        newer: those of ``NEWER_ITEM_FIELDS`` that the feed takes.

    Returns:
        The document, and the paths of the fields that the server does not know, since it verifies only those it stores.
    """
    left_out: list[str] = []
    items = {**(_PROFILE["items"] or {}), **dict.fromkeys(newer)}
    profile = {**_PROFILE, "items": items}
    result = _as_stored(doubles(unsigned(document)), profile, (), left_out)
    if isinstance(version := result.setdefault("dpVersion", DP_VERSION), str):
        result["dpVersion"] = version.strip()
    result["id"] = _unique_id(result.get("id"), set())
    result["slug"] = _slug(result)
    result["created"] = _created(result.get("created"), now)
    if isinstance(works := result.get("items"), list):
        taken: set[str] = set()
        result["items"] = [_normal_item(work, taken) for work in works]
    curators = result.get("curators", [])
    if curator and isinstance(curators, list):
        if curator["key"] not in [person.get("key") for person in objects(curators)]:
            result["curators"] = [*curators, dict(curator)]
    return result, left_out


def _slug(document: Mapping[str, Any]) -> Any:
    """Compute the slug as the strict server does: its own, or the title and 8 digits of the id."""
    written = document.get("slug", "")
    if not isinstance(written, str):
        return written
    if slug := slugify(written):
        return slug
    title = document.get("title")
    stem = slugify(title) if isinstance(title, str) else ""
    return f"{stem or 'playlist'}-{slugify(str(document['id']))[:8]}"


@dataclass(frozen=True, slots=True)
class Draft:
    """A document ready to be sent.

    Attributes:
        document: what to send.
        left_out: paths of what had to be left out, because no signature over it would be accepted.
    """

    document: Document
    left_out: tuple[str, ...] = ()

    @property
    def signed(self) -> bool:
        """Return whether it is let in by its signatures, else by the API key."""
        return "signatures" in self.document


def _check(document: Document) -> None:
    """Check that a document is valid and that a feed in Go can store it.

    Raises:
        InvalidPlaylistError: not a valid playlist, or one with NUL characters.
    """
    check(document)
    if faults := [Fault(path, "holds a NUL character") for path in _nuls(document)]:
        raise InvalidPlaylistError(faults)


def _nuls(value: object, path: tuple[str | int, ...] = ()) -> Iterator[str]:
    """Yield the paths of text, and of names, with NUL characters."""
    match value:
        case str() if "\0" in value:
            yield path_text(path)
        case dict():
            for name, member in value.items():
                yield from _nuls(name, (*path, name))
                yield from _nuls(member, (*path, name))
        case list():
            for index, member in enumerate(value):
                yield from _nuls(member, (*path, index))


def draft_signed(
    document: Mapping[str, Any],
    key: SigningKey,
    curator: str,
    now: datetime,
    stored: Mapping[str, Any] | None = None,
    *,
    newer: Collection[str] = (),
) -> Draft:
    """Bring a document into the form that a feed in Go leaves as it is, and sign it as one of its curators.

    Args:
        document: the playlist.
        key: who signs.
        curator: name to give the signer, unless the playlist names them.
        now: the present moment on the clock of the feed.
        stored: what it replaces, of which it takes id, slug, time and curators.
        newer: the fields of items of 2026 that the feed takes.

    Raises:
        InvalidPlaylistError: not a valid playlist.
    """
    signer = {"name": curator or "Curator", "key": key.did}
    kept: Document = {}
    left_out: list[str] = []
    if stored is not None:
        document, kept, left_out = _replacing(document, stored)
    payload, unknown = normalize(document, now=now, curator=signer, newer=newer)
    payload |= kept
    _check(payload)
    return Draft(sign(payload, key, now=now), (*left_out, *unknown))


def _replacing(
    document: Mapping[str, Any], stored: Mapping[str, Any]
) -> tuple[Document, Document, list[str]]:
    """Return a document that replaces a stored one, the fields kept word for word, and the names of those that cannot be changed."""
    kept: Document = {name: stored[name] for name in IDENTITY if name in stored}
    left_out = []
    slug = document.get("slug")
    if isinstance(slug, str) and slugify(slug) not in ("", kept.get("slug")):
        left_out.append("slug")
    if curators := objects(stored.get("curators")):
        kept["curators"] = curators
        keys = [person.get("key") for person in curators]
        others = document.get("curators")
        left_out += [
            f"curators[{index}]"
            for index, person in enumerate(others if isinstance(others, list) else ())
            if mapping(person).get("key") not in keys
        ]
    replacing = {**unsigned(document), **kept}
    return with_known_ids(replacing, stored), kept, left_out


def with_known_ids(document: Mapping[str, Any], stored: Mapping[str, Any]) -> Document:
    """Give works without an id the stored id of the same source."""
    items, before = document.get("items"), stored.get("items")
    if not isinstance(items, list) or not isinstance(before, list):
        return dict(document)
    used = {*_texts(items, "id")}
    ids_of: dict[object, list[str]] = {}
    for item in map(mapping, before):
        if isinstance(key := item.get("id"), str) and key not in used:
            ids_of.setdefault(str(item.get("source")), []).append(key)
    result = []
    for item in items:
        if isinstance(item, dict) and not item.get("id"):
            if ids := ids_of.get(str(item.get("source"))):
                item = {**item, "id": ids.pop(0)}
        result.append(item)
    return {**document, "items": result}


def draft_with_key(
    document: Mapping[str, Any], stored: Mapping[str, Any] | None = None
) -> Draft:
    """Leave the signatures off: a feed would check them although there is a key.

    Args:
        document: the playlist.
        stored: what it replaces, of which it takes the slug.

    Raises:
        InvalidPlaylistError: not a valid playlist.
    """
    bare = unsigned(document)
    if stored is not None:
        bare = with_known_ids(bare, stored)
        bare |= {name: stored[name] for name in IDENTITY if name in stored}
    _check(bare)
    return Draft(bare)


def draft_as_signed(document: Mapping[str, Any]) -> Draft:
    """Return a document with the signatures that it has.

    Raises:
        InvalidPlaylistError: not a valid playlist, or one without an id, which a feed in Go wants here.
    """
    _check(dict(document))
    if "id" not in document:
        raise InvalidPlaylistError([Fault("id", "is required")])
    return Draft(dict(document))


def replace_body(
    document: Mapping[str, Any], key: SigningKey, now: datetime
) -> Document:
    """Build the body that replaces a stored playlist by a signed document of the same id, slug and time."""
    intent = {
        "action": "replace",
        "target": _target(document),
        "created": timestamp(now),
        "payloadHash": payload_hash(document),
    }
    return {"document": dict(document), "authorization": sign(intent, key, now=now)}


def delete_body(stored: Mapping[str, Any], key: SigningKey, now: datetime) -> Document:
    """Build the body that deletes a stored playlist."""
    intent = {
        "action": "delete",
        "target": _target(stored),
        "created": timestamp(now),
    }
    return sign(intent, key, now=now)


def _target(document: Mapping[str, Any]) -> Document:
    """Name a playlist."""
    return {
        "type": "playlist",
        "id": document["id"].lower(),
        "slug": document.get("slug"),
    }


ROLE = "curator"


def curator_keys(document: Mapping[str, Any]) -> tuple[str, ...]:
    """Return the keys of the curators that a document names."""
    return tuple(dict.fromkeys(_texts(document.get("curators"), "key")))


def owners(document: Mapping[str, Any]) -> tuple[str, ...]:
    """Return the keys that a stored playlist belongs to; none if it was published with an API key."""
    signatures = objects(document.get("signatures"))
    signers = [entry for entry in signatures if entry.get("role") == ROLE]
    return curator_keys(document) or tuple(dict.fromkeys(_texts(signers, "kid")))


def check_owner(document: Mapping[str, Any], key: SigningKey) -> None:
    """Check that a stored playlist belongs to a key.

    Raises:
        Dp1Error: it belongs to others (``not_owner``), or to nobody (``no_owner``).
    """
    if not (dids := owners(document)):
        raise Dp1Error("the playlist belongs to nobody", key="no_owner")
    if key.did not in dids:
        raise not_owner(dids, key.did)


def not_owner(dids: Iterable[str], ours: str) -> Dp1Error:
    """Return the error that a playlist belongs to others by the DIDs of its owners and our own."""
    names = clean(", ".join(dids), MAX_PLACEHOLDER)
    return Dp1Error(
        f"the playlist belongs to {names}",
        key="not_owner",
        placeholders={"owner": names, "ours": ours},
    )


def is_signed_by(document: Mapping[str, Any], key: SigningKey) -> bool:
    """Return whether a document has a valid signature of a key."""
    return any(entry.valid and entry.kid == key.did for entry in verify(document))


def _texts(entries: object, name: str) -> Iterator[str]:
    """Yield a member of each object of a list that is text."""
    for entry in objects(entries):
        if isinstance(value := entry.get(name), str) and value:
            yield value


_ABSENT = object()
# Feeds number and date the works and name what has no name; these are not reported as changes.
_OF_WORKS = re.compile(r"items\[[0-9]+\]\.(?:id|created)")


def changes(sent: object, held: object, path: str = "") -> Iterator[str]:
    """Yield the paths at which two documents differ, like ``items[2].title``, except fields that a feed fills in."""
    if isinstance(sent, dict) and isinstance(held, dict):
        for name in {**sent, **held}:
            if not path and (
                name in SIGNATURE_FIELDS or (name in IDENTITY and name not in sent)
            ):
                continue
            yield from changes(
                sent.get(name, _ABSENT),
                held.get(name, _ABSENT),
                f"{path}.{name}" if path else name,
            )
    elif isinstance(sent, list) and isinstance(held, list):
        for index, (one, other) in enumerate(
            zip_longest(sent, held, fillvalue=_ABSENT)
        ):
            yield from changes(one, other, f"{path}[{index}]")
    elif not _same(sent, held) and not _OF_WORKS.fullmatch(path):
        yield path


def _same(sent: object, held: object) -> bool:
    """Return whether two values are the same in JSON, where every number is a double."""
    if isinstance(sent, bool) or isinstance(held, bool):
        return sent is held
    if isinstance(sent, int | float) and isinstance(held, int | float):
        return bool(doubles(sent) == doubles(held))
    return sent == held
