"""Send a playlist to a feed exactly once, and check what was stored."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any, Literal
from urllib.parse import quote

from ..errors import (
    BusyError,
    ClockError,
    ConflictError,
    DocumentTooLargeError,
    Dp1Error,
    IdDeletedError,
    LostAnswerError,
    NotFoundError,
    SlugTakenError,
    TemporaryError,
    TimestampRefusedError,
    UnexpectedAnswerError,
    UnreachableError,
)
from ..http import Answer, encode
from ..playlist.signing import Verification, payload_hash, verify
from .changes import changes
from .connection import FeedConnection
from .drafts import Document, Draft

# Size limit of the signed feed for a request.
MAX_BODY = 5 * 1024 * 1024
# After these nobody knows whether the document arrived; a conflict may be with the document itself.
DOUBTFUL = (ConflictError, LostAnswerError, TemporaryError, UnexpectedAnswerError)
CERTAIN = (BusyError, IdDeletedError, SlugTakenError)

type Status = Literal["published", "updated", "queued"]


@dataclass(frozen=True, slots=True)
class Published:
    """Result of publishing a playlist.

    Attributes:
        document: as the feed holds it.
        id: its id there; a TS feed, and a V2 feed with an API key, choose their own.
        slug: its slug there; empty if it has none.
        url: where a display finds it.
        status: ``updated`` if it replaced another; ``queued`` if the feed will store it later: until then it cannot
            be read.
        signed_by: DID of the curator whose signature went along, if the feed still holds it and it is good.
        left_out: paths of what was not sent, because no signature over it would be accepted.
        changed: paths of what the feed holds otherwise than sent, but for what it fills in.
        verified: every signature in the feed's document, checked.
    """

    document: Document = field(repr=False)
    id: str
    slug: str
    url: str
    status: Status
    signed_by: str | None
    left_out: tuple[str, ...]
    changed: tuple[str, ...]
    verified: list[Verification]


@dataclass(frozen=True, slots=True)
class Stored:
    """A feed's answer to a write."""

    document: Document
    queued: bool = False


def published(
    connection: FeedConnection,
    draft: Draft,
    stored: Stored,
    status: Status,
    legacy_keys: Iterable[str],
) -> Published:
    """Compare and verify the stored document of a draft."""
    held = stored.document
    verified = verify(held, legacy_keys=legacy_keys)
    slug = held.get("slug")
    return Published(
        document=held,
        id=held["id"],
        slug=slug if isinstance(slug, str) else "",
        url=f"{connection.url}/playlists/{quote(held['id'], safe='')}",
        status="queued" if stored.queued else status,
        signed_by=_signed_by(draft.document, verified),
        left_out=draft.left_out,
        changed=tuple(changes(draft.document, held)),
        verified=verified,
    )


def check_size(body: object) -> None:
    """Check that a body is not too large for the signed feed.

    Raises:
        DocumentTooLargeError: it is one.
    """
    if len(encode(body)) > MAX_BODY:
        raise DocumentTooLargeError("the document is larger than 5 MiB")


def refused_time(connection: FeedConnection, err: TimestampRefusedError) -> Dp1Error:
    """Return the error for a time that was refused twice."""
    error = ClockError(connection.clock.minutes_off)
    error.__cause__ = err
    return error


async def send_with_key(
    connection: FeedConnection, method: str, url: str, document: Document
) -> Stored:
    """Send a document with the API key, once: every arrival may make a new playlist."""
    return _stored(
        await connection.write(method, url, document, with_key=True, document=True)
    )


async def send_signed(
    connection: FeedConnection,
    method: str,
    url: str,
    document: Document,
    body: Mapping[str, Any] | None = None,
) -> Stored:
    """Send a signed document, and if the outcome is in doubt look for it by its id, then send it once more.

    A feed in Go holds one document by an id, so a second arrival changes nothing and is never a second playlist.

    Args:
        connection: the feed.
        method: HTTP method.
        url: where to.
        document: what the feed is to hold.
        body: what is sent, if not the document alone.

    Raises:
        ConflictError: the feed holds another document by this id or slug.
        LostAnswerError: in doubt even after looking.
    """

    async def attempt() -> Stored:
        return _stored(
            await connection.write(
                method,
                url,
                document if body is None else body,
                with_key=False,
                document=True,
                repeatable=True,
            )
        )

    try:
        return await attempt()
    except CERTAIN:
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
    """Return the stored document if it is exactly this one.

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
    """Return the document in a response."""
    document = answer.json()
    if not isinstance(document, dict) or not isinstance(document.get("id"), str):
        raise UnexpectedAnswerError(
            f"the feed answered {answer.status} without a document"
        )
    return Stored(document, answer.status == 202)


def _signed_by(sent: Mapping[str, Any], verified: list[Verification]) -> str | None:
    """Return the first signer of the sent document whose signature is valid in the stored one."""
    kids = {entry.get("kid") for entry in sent.get("signatures", [])}
    return next((v.kid for v in verified if v.valid and v.kid in kids), None)
