"""Bringing a playlist to a feed exactly once, and seeing what became of it there."""

import asyncio
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from datetime import UTC, datetime
from itertools import zip_longest
from typing import Any, Literal
from urllib.parse import quote

from ..errors import (
    BusyError,
    ConflictError,
    Dp1Error,
    Fault,
    InvalidPlaylistError,
    LostAnswerError,
    NotFoundError,
    TemporaryError,
    UnexpectedAnswerError,
    UnreachableError,
)
from ..http import Answer
from ..playlist.document import check, for_display, normalize, path_text, signable
from ..playlist.signing import SigningKey, Verification, payload_hash, sign, verify
from ..values import doubles
from .connection import FeedConnection

type Document = dict[str, Any]

_ABSENT = object()
SIGNATURES = ("signature", "signatures")
# After these nobody knows whether the document arrived; a conflict may be with the document itself.
DOUBTFUL = (ConflictError, LostAnswerError, TemporaryError, UnexpectedAnswerError)


@dataclass(frozen=True, slots=True)
class Published:
    """What became of a playlist.

    Attributes:
        document: as the feed holds it.
        id: its id there; a TS feed, and a V2 feed with an API key, choose their own.
        slug: its slug there; empty if it has none.
        url: where a display finds it.
        status: ``queued`` if the feed will store it later: until then it cannot be read.
        signed_by: DID of the curator whose signature went along, if the feed still holds it and it is good.
        left_out: paths of what was not sent, because no signature over it would be accepted.
        changed: paths of what the feed holds otherwise than sent, signatures aside.
        verified: every signature in the feed's document, checked.
    """

    document: Document = field(repr=False)
    id: str
    slug: str
    url: str
    status: Literal["published", "queued"]
    signed_by: str | None
    left_out: tuple[str, ...]
    changed: tuple[str, ...]
    verified: list[Verification]


@dataclass(frozen=True, slots=True)
class Stored:
    """A feed's answer to a write."""

    document: Document
    queued: bool = False


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
    """Check a document by the rules, and for what no feed of the V2 family can store.

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
            for name, each in value.items():
                yield from _nuls(name, (*path, name))
                yield from _nuls(each, (*path, name))
        case list():
            for place, each in enumerate(value):
                yield from _nuls(each, (*path, place))


def draft_signed(
    document: Mapping[str, Any],
    key: SigningKey,
    curator: str,
) -> Draft:
    """Bring a document into the form that a V2 feed leaves as it is, and sign it as one of its curators.

    Args:
        document: the playlist.
        key: who signs.
        curator: name to give the signer, unless the playlist names them.

    Raises:
        InvalidPlaylistError: not a valid playlist.
    """
    now = datetime.now(UTC)
    signer = {"name": curator or "Curator", "key": key.did}
    payload, left_out = signable(normalize(document, now=now, curator=signer))
    _check(payload)
    return Draft(sign(payload, key, now=now), signed=True, left_out=tuple(left_out))


def draft_with_key(document: Mapping[str, Any], *, complete: bool) -> Draft:
    """Leave the signatures off: a V2 feed would check them although there is a key, a TS feed drops them.

    Args:
        document: the playlist.
        complete: whether every work needs a duration and a license of its own, as a TS feed has it.

    Raises:
        InvalidPlaylistError: not a valid playlist.
    """
    unsigned = {name: part for name, part in document.items() if name not in SIGNATURES}
    _check(unsigned)
    if complete:
        unsigned = for_display(unsigned)
        if license_ := unsigned.get("defaults", {}).get("license"):
            unsigned["items"] = [
                {"license": license_, **item} for item in unsigned["items"]
            ]
    return Draft(unsigned, signed=False)


def draft_as_signed(document: Mapping[str, Any]) -> Draft:
    """Take a document as its curators signed it.

    Raises:
        InvalidPlaylistError: not a valid playlist, or one without an id, which a V2 feed wants here.
    """
    _check(dict(document))
    if "id" not in document:
        raise InvalidPlaylistError([Fault("id", "is required")])
    return Draft(dict(document), signed=True)


async def send(
    connection: FeedConnection,
    method: str,
    url: str,
    draft: Draft,
    legacy_keys: Iterable[str],
) -> Published:
    """Send a draft, and compare and verify what the feed made of it."""
    deliver = _send_signed if draft.signed else _send_with_key
    stored = await deliver(connection, method, url, draft.document)
    held = stored.document
    verified = await asyncio.to_thread(verify, held, legacy_keys=legacy_keys)
    slug = held.get("slug")
    return Published(
        document=held,
        id=held["id"],
        slug=slug if isinstance(slug, str) else "",
        url=f"{connection.url}/playlists/{quote(held['id'], safe='')}",
        status="queued" if stored.queued else "published",
        signed_by=_signed_by(draft.document, verified),
        left_out=draft.left_out,
        changed=tuple(changes(draft.document, held)),
        verified=verified,
    )


async def _send_with_key(
    connection: FeedConnection, method: str, url: str, document: Document
) -> Stored:
    """Send a document with the API key, once: every arrival makes a new playlist."""
    return _stored(
        await connection.write(method, url, document, with_key=True, document=True)
    )


async def _send_signed(
    connection: FeedConnection, method: str, url: str, document: Document
) -> Stored:
    """Send a signed document, and when the outcome is in doubt look for it under its id, then send it once more.

    A V2 feed holds one document by an id, so a second arrival is refused and never a second playlist.

    Raises:
        ConflictError: the feed holds another document by this id or slug.
        LostAnswerError: in doubt even after looking.
    """

    async def attempt() -> Stored:
        return _stored(
            await connection.write(
                method, url, document, with_key=False, document=True, repeatable=True
            )
        )

    try:
        return await attempt()
    except BusyError:
        raise
    except DOUBTFUL as err:
        doubt: Dp1Error = err
    if found := await _find(connection, document, doubt):
        return found
    if isinstance(doubt, ConflictError):
        raise doubt
    try:
        return await attempt()
    except UnreachableError, BusyError:
        raise doubt from None
    except DOUBTFUL as err:
        if found := await _find(connection, document, err):
            return found
        raise


async def _find(
    connection: FeedConnection, document: Document, doubt: Dp1Error
) -> Stored | None:
    """Look whether the feed holds exactly this document.

    Raises:
        Dp1Error: the doubt itself, if looking was not possible.
    """
    try:
        answer = await connection.read(f"{connection.url}/playlists/{document['id']}")
        held = _stored(answer)
        same = payload_hash(held.document) == payload_hash(document)
    except NotFoundError:
        return None
    except Dp1Error:
        raise doubt from None
    return held if same else None


def _stored(answer: Answer) -> Stored:
    """Read the document out of an answer."""
    document = answer.json()
    if not isinstance(document, dict) or not isinstance(document.get("id"), str):
        raise UnexpectedAnswerError(
            f"the feed answered {answer.status} without a document"
        )
    return Stored(document, answer.status == 202)


def _signed_by(sent: Mapping[str, Any], verified: list[Verification]) -> str | None:
    """Name the first signer of what was sent whose signature is good in what the feed holds."""
    kids = {entry.get("kid") for entry in sent.get("signatures", [])}
    return next((v.kid for v in verified if v.valid and v.kid in kids), None)


def changes(sent: object, held: object, path: str = "") -> Iterator[str]:
    """Yield the paths at which two documents differ, like ``items[2].title``; signatures are no part of it."""
    if isinstance(sent, dict) and isinstance(held, dict):
        for name in {**sent, **held}:
            if path or name not in SIGNATURES:
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
    elif not _same(sent, held):
        yield path


def _same(sent: object, held: object) -> bool:
    """Tell whether two values are the same in JSON, where every number is a double."""
    if isinstance(sent, bool) or isinstance(held, bool):
        return sent is held
    if isinstance(sent, int | float) and isinstance(held, int | float):
        return bool(doubles(sent) == doubles(held))
    return sent == held
