"""Documents as a feed accepts them, whose a stored one is, and how the two differ.

Signed intents tell a signed feed to replace or delete a playlist. Source: the interface description of the signed feed,
and vectors made with the library of its authors.
"""

from collections.abc import Collection, Iterator, Mapping
from dataclasses import dataclass
from datetime import datetime
from itertools import zip_longest
import re
from typing import Any

from ..errors import Fault, InvalidPlaylistError, NoOwnerError, NotOwnerError
from ..playlist.document import (
    check,
    for_display,
    normalize,
    path_text,
    signable,
    slugify,
    timestamp,
)
from ..playlist.signing import SigningKey, payload_hash, sign, verify
from ..values import doubles, mapping

type Document = dict[str, Any]

SIGNATURES = ("signature", "signatures")
# Fields that a replacement keeps.
IDENTITY = ("id", "slug", "created")


@dataclass(frozen=True, slots=True)
class Draft:
    """A document ready to be sent.

    Attributes:
        document: what to send.
        signed: whether it is let in by its signatures, else by the API key.
        left_out: paths of what had to be left out, because no signature over it would be accepted.
    """

    document: Document
    signed: bool
    left_out: tuple[str, ...] = ()


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
            for place, member in enumerate(value):
                yield from _nuls(member, (*path, place))


def unsigned(document: Mapping[str, Any]) -> Document:
    """Return a document without its signatures."""
    return {name: part for name, part in document.items() if name not in SIGNATURES}


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
    payload, unknown = signable(normalize(document, now=now, curator=signer), newer)
    payload |= kept
    _check(payload)
    signed = sign(payload, key, now=now)
    return Draft(signed, signed=True, left_out=(*left_out, *unknown))


def _replacing(
    document: Mapping[str, Any], stored: Mapping[str, Any]
) -> tuple[Document, Document, list[str]]:
    """Return a document that replaces a stored one, what of that stays word for word, and what cannot be changed."""
    kept: Document = {name: stored[name] for name in IDENTITY if name in stored}
    left_out = []
    slug = document.get("slug")
    if isinstance(slug, str) and slugify(slug) not in ("", kept.get("slug")):
        left_out.append("slug")
    if curators := stored.get("curators"):
        kept["curators"] = curators
        known = [mapping(person).get("key") for person in curators]
        given = document.get("curators")
        left_out += [
            f"curators[{place}]"
            for place, person in enumerate(given if isinstance(given, list) else ())
            if mapping(person).get("key") not in known
        ]
    replacing = {**unsigned(document), **kept}
    return with_known_ids(replacing, stored), kept, left_out


def with_known_ids(document: Mapping[str, Any], stored: Mapping[str, Any]) -> Document:
    """Give works without an id the stored id of the same source."""
    items, before = document.get("items"), stored.get("items")
    if not isinstance(items, list) or not isinstance(before, list):
        return dict(document)
    used = {mapping(item).get("id") for item in items}
    known: dict[object, list[str]] = {}
    for item in map(mapping, before):
        if isinstance(key := item.get("id"), str) and key not in used:
            known.setdefault(str(item.get("source")), []).append(key)
    result = []
    for item in items:
        if isinstance(item, dict) and not item.get("id"):
            if ids := known.get(str(item.get("source"))):
                item = {**item, "id": ids.pop(0)}
        result.append(item)
    return {**document, "items": result}


def draft_with_key(
    document: Mapping[str, Any],
    *,
    complete: bool,
    stored: Mapping[str, Any] | None = None,
) -> Draft:
    """Leave the signatures off: a V2 feed would check them although there is a key, a TS feed drops them.

    Args:
        document: the playlist.
        complete: whether every work needs a duration and a license of its own, as a TS feed has it.
        stored: what it replaces, of which it takes the slug.

    Raises:
        InvalidPlaylistError: not a valid playlist.
    """
    bare = unsigned(document)
    if stored is not None:
        bare = with_known_ids(bare, stored)
        bare |= {name: stored[name] for name in IDENTITY if name in stored}
    _check(bare)
    if complete:
        bare = for_display(bare)
        if license_ := bare.get("defaults", {}).get("license"):
            bare["items"] = [{"license": license_, **item} for item in bare["items"]]
    return Draft(bare, signed=False)


def draft_as_signed(document: Mapping[str, Any]) -> Draft:
    """Return a document with the signatures that it has.

    Raises:
        InvalidPlaylistError: not a valid playlist, or one without an id, which a feed in Go wants here.
    """
    _check(dict(document))
    if "id" not in document:
        raise InvalidPlaylistError([Fault("id", "is required")])
    return Draft(dict(document), signed=True)


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
        "slug": document["slug"],
    }


ROLE = "curator"


def curator_keys(document: Mapping[str, Any]) -> tuple[str, ...]:
    """Return the keys of the curators that a document names."""
    return tuple(dict.fromkeys(_texts(document.get("curators"), "key")))


def owners(document: Mapping[str, Any]) -> tuple[str, ...]:
    """Return the keys that a stored playlist belongs to; none if it was published with an API key."""
    signatures = document.get("signatures")
    signers = [
        entry
        for entry in (signatures if isinstance(signatures, list) else ())
        if mapping(entry).get("role") == ROLE
    ]
    return curator_keys(document) or tuple(dict.fromkeys(_texts(signers, "kid")))


def check_owner(document: Mapping[str, Any], key: SigningKey) -> None:
    """Check that a stored playlist belongs to a key.

    Raises:
        NoOwnerError: it belongs to nobody.
        NotOwnerError: it belongs to others.
    """
    if not (known := owners(document)):
        raise NoOwnerError("the playlist belongs to nobody")
    if key.did not in known:
        raise NotOwnerError(known, key.did)


def is_signed_by(document: Mapping[str, Any], key: SigningKey) -> bool:
    """Return whether a document has a valid signature of a key."""
    return any(entry.valid and entry.kid == key.did for entry in verify(document))


def _texts(entries: object, name: str) -> Iterator[str]:
    """Yield a member of each object of a list that is text."""
    for entry in entries if isinstance(entries, list) else ():
        value = mapping(entry).get(name)
        if isinstance(value, str) and value:
            yield value


_ABSENT = object()
# Feeds number and date the works and name what has no name; these are not reported as changes.
_OF_WORKS = re.compile(r"items\[[0-9]+\]\.(?:id|created)")


def changes(sent: object, held: object, path: str = "") -> Iterator[str]:
    """Yield the paths at which two documents differ, like ``items[2].title``, except what a feed fills in."""
    if isinstance(sent, dict) and isinstance(held, dict):
        for name in {**sent, **held}:
            if not path and (
                name in SIGNATURES or (name in IDENTITY and name not in sent)
            ):
                continue
            yield from changes(
                sent.get(name, _ABSENT),
                held.get(name, _ABSENT),
                f"{path}.{name}" if path else name,
            )
    elif isinstance(sent, list) and isinstance(held, list):
        for place, (one, other) in enumerate(
            zip_longest(sent, held, fillvalue=_ABSENT)
        ):
            yield from changes(one, other, f"{path}[{place}]")
    elif not _same(sent, held) and not _OF_WORKS.fullmatch(path):
        yield path


def _same(sent: object, held: object) -> bool:
    """Return whether two values are the same in JSON, where every number is a double."""
    if isinstance(sent, bool) or isinstance(held, bool):
        return sent is held
    if isinstance(sent, int | float) and isinstance(held, int | float):
        return bool(doubles(sent) == doubles(held))
    return sent == held
