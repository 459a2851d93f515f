"""Documents in the form a feed accepts: signed by us, unsigned for an API key, or signed by others."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from ..errors import Fault, InvalidPlaylistError
from ..playlist.document import (
    check,
    for_display,
    normalize,
    path_text,
    signable,
    slugify,
)
from ..playlist.signing import SigningKey, sign
from ..values import mapping

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
    newer: bool = False,
) -> Draft:
    """Bring a document into the form that a feed in Go leaves as it is, and sign it as one of its curators.

    Args:
        document: the playlist.
        key: who signs.
        curator: name to give the signer, unless the playlist names them.
        now: the present moment on the clock of the feed.
        stored: what it replaces, of which it takes id, slug, time and curators.
        newer: whether the feed takes the fields of 2026.

    Raises:
        InvalidPlaylistError: not a valid playlist.
    """
    signer = {"name": curator or "Curator", "key": key.did}
    kept: Document = {}
    left_out: list[str] = []
    if stored is not None:
        document, kept, left_out = _replacing(document, stored)
    payload, unknown = signable(
        normalize(document, now=now, curator=signer), newer=newer
    )
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
