"""Writes to a feed: publish, update and delete playlists, exactly once, and check the stored copy."""

import asyncio
from collections.abc import Awaitable, Callable, Mapping
from contextlib import suppress
from dataclasses import dataclass, field
from typing import Any, Literal

from ..errors import (
    AuthenticationError,
    BusyError,
    ConflictError,
    Dp1Error,
    Fault,
    InvalidPlaylistError,
    InvalidRequestError,
    LostAnswerError,
    NotFoundError,
    TemporaryError,
    UnexpectedAnswerError,
    UnreachableError,
)
from ..http import Answer, encode
from ..playlist.document import MAX_DOCUMENT, slugify, unsigned
from ..playlist.signing import SigningKey, Verification, payload_hash, verify
from .connection import FeedConnection
from .drafts import (
    NEWER_ITEM_FIELDS,
    Document,
    Draft,
    changes,
    check_owner,
    curator_keys,
    delete_body,
    draft_as_signed,
    draft_signed,
    draft_with_key,
    is_signed_by,
    not_owner,
    owners,
    replace_body,
)

# After these nobody knows whether the document arrived; a conflict may be with the document itself.
DOUBTFUL = (ConflictError, LostAnswerError, TemporaryError, UnexpectedAnswerError)


@dataclass(frozen=True, slots=True)
class Published:
    """Result of publishing a playlist.

    Attributes:
        document: as the feed holds it.
        id: its id there; a feed with an API key chooses its own.
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
    status: Literal["published", "updated", "queued"]
    signed_by: str | None
    left_out: tuple[str, ...]
    changed: tuple[str, ...]
    verified: list[Verification]


@dataclass(frozen=True, slots=True)
class Stored:
    """A feed's answer to a write."""

    document: Document
    queued: bool = False


type Change = Callable[[Document], Document]


@dataclass(frozen=True, slots=True)
class Existing:
    """A playlist that a feed holds, and whether it was found by its id, else by its slug."""

    document: Document
    by_id: bool


@dataclass(frozen=True)
class Writer:
    """Writes to one feed, by signatures or with its API key.

    Attributes:
        connection: the feed.
        takes_intents: whether it takes signatures only, which also say what is replaced and deleted, as from 2026 on.
        with_key: whether the API key is used.
        key: who signs; None to publish a document as others have signed it, or with the API key.
        curator: name to give the signer.
        legacy_keys: ``did:key`` of the signers that a v1.0.x ``signature`` may come from.
        refused: fields that the feed has no place for, as far as it has told.
    """

    connection: FeedConnection
    takes_intents: bool
    with_key: bool
    key: SigningKey | None
    curator: str
    legacy_keys: tuple[str, ...]
    refused: set[str]

    async def publish(self, document: Mapping[str, Any]) -> Published:
        """Publish a playlist, or replace ours with the same id or slug; without a key as others have signed it."""
        if self.with_key or self.key is not None:
            return await self._again(lambda: self._publish(document))
        if not document.get("signatures"):
            if self.takes_intents:
                raise _needs_signature()
            raise AuthenticationError(
                "this feed needs an API key or a signature", key="needs_key"
            )
        try:
            draft = await asyncio.to_thread(draft_as_signed, document)
            return await self._create(draft)
        except InvalidRequestError as err:
            if err.field != "":
                raise
            raise InvalidPlaylistError([Fault("created", str(err))]) from err

    async def _publish(self, document: Mapping[str, Any]) -> Published:
        """Publish a playlist, or replace the one that it names."""
        if (existing := await self._find(document)) is None:
            return await self._create(await self._draft(document))
        return await self._replace(document, existing)

    async def update(self, ref: str, change: Change) -> Published:
        """Change a playlist of ours, by its id, slug or address on this feed."""
        url = self.connection.own_url(ref)

        async def update() -> Published:
            """Read the playlist and send the changed one."""
            existing = await self._read(url)
            await self._check_owned(existing, {})
            if not self.with_key and not await self._is_signed_by_us(existing):
                raise Dp1Error(
                    "the works are known from the feed alone", key="unsigned"
                )
            changed = await asyncio.to_thread(change, unsigned(existing.document))
            return await self._replace(changed, existing)

        return await self._again(update)

    async def delete(self, ref: str) -> str:
        """Delete a playlist of ours, by its id, slug or address on this feed, and return its id."""
        if not (self.takes_intents or self.connection.api_key):
            raise AuthenticationError(
                "this feed needs an API key to delete", key="needs_key"
            )
        existing = await self._read(self.connection.own_url(ref))
        if not self.takes_intents:
            return await self._send_delete(existing.document, None)
        return await self._again(lambda: self._delete(existing))

    async def _delete(self, existing: Existing) -> str:
        """Delete a playlist that has been read by a signed intent."""
        stored, key = existing.document, self._signer()
        check_owner(stored, key)
        if not existing.by_id and not await self._is_signed_by_us(existing):
            raise Dp1Error("its id is known from the feed alone", key="unsigned")
        now = self.connection.clock.for_intents()
        return await self._send_delete(stored, delete_body(stored, key, now))

    async def _send_delete(
        self, stored: Document, body: Mapping[str, Any] | None
    ) -> str:
        """Delete a playlist; one that is gone on a second attempt was deleted by the first."""
        url = self.connection.playlist_url(stored["id"])
        for last in (False, True):
            try:
                await self.connection.send(
                    "DELETE", url, body, with_key=body is None, repeatable=True
                )
            except BusyError:
                raise
            except NotFoundError as err:
                # A feed without deletion answers as one that does not have the playlist.
                if not await self._is_gone(url, LostAnswerError(str(err))):
                    raise Dp1Error(
                        "the playlist is still there", key="cannot_delete"
                    ) from err
                break
            except (LostAnswerError, UnexpectedAnswerError, TemporaryError) as err:
                if await self._is_gone(url, err):
                    break
                if last or body is None:
                    raise
            else:
                break
        key: str = stored["id"]
        return key

    async def _is_gone(self, url: str, doubt: Dp1Error) -> bool:
        """Return whether a playlist is gone, or raise the original error if that cannot be checked."""
        try:
            await self.connection.read(url)
        except NotFoundError:
            return True
        except Dp1Error:
            raise doubt from None
        return False

    # Steps

    async def _again[T](self, attempt: Callable[[], Awaitable[T]]) -> T:
        """Retry once after a conflicting change or a refused time, and without the fields that are refused."""
        is_first = True
        while True:
            try:
                return await attempt()
            except ConflictError as err:
                if not is_first or err.key != "changed":
                    raise
            except InvalidRequestError as err:
                if err.field in NEWER_ITEM_FIELDS - self.refused:
                    self.refused.add(err.field)
                    continue
                if err.field != "":
                    raise
                # The refusal itself tells the time of the feed.
                if not is_first:
                    minutes = str(self.connection.clock.minutes_off)
                    raise Dp1Error(
                        f"the clocks differ by {minutes} minutes",
                        key="clock",
                        placeholders={"minutes": minutes},
                    ) from err
            is_first = False

    async def _find(self, document: Mapping[str, Any]) -> Existing | None:
        """Find our playlist with the id or slug of a document."""
        key, slug = document.get("id"), document.get("slug")
        names = (key, slugify(slug) if isinstance(slug, str) else "")
        for name in names:
            if not isinstance(name, str) or not name:
                continue
            with suppress(NotFoundError):
                existing = await self._read(self.connection.playlist_url(name))
                try:
                    await self._check_owned(existing, document)
                except Dp1Error as err:
                    if name == key or err.key != "not_owner":
                        raise
                    raise ConflictError(
                        "another playlist has this slug", key="slug_taken"
                    ) from err
                return existing
        return None

    async def _read(self, url: str) -> Existing:
        """Read a playlist and check that it is the requested one."""
        document = await (await self.connection.read(url)).json()
        if not isinstance(document, dict) or not isinstance(document.get("id"), str):
            raise UnexpectedAnswerError("the answer is not a playlist")
        by_id = self.connection.playlist_url(document["id"]) == url
        slug = str(document.get("slug"))
        if not by_id and self.connection.playlist_url(slug) != url:
            raise UnexpectedAnswerError("the answer is another playlist")
        return Existing(document, by_id)

    def _signer(self) -> SigningKey:
        """Return the key that signs."""
        if self.key is None:
            raise _needs_signature()
        return self.key

    async def _is_signed_by_us(self, existing: Existing) -> bool:
        """Return whether a playlist carries our signature, which takes long to find out of a large one."""
        return await asyncio.to_thread(is_signed_by, existing.document, self._signer())

    async def _check_owned(
        self, existing: Existing, document: Mapping[str, Any]
    ) -> None:
        """Check that a playlist is ours to replace, and that nothing is signed that only the feed names.

        With the API key that of nobody is ours, too; without it, one of nobody was published with it.
        """
        stored = existing.document
        if self.with_key:
            ours = self.key.did if self.key else "-"
            if (dids := owners(stored)) and ours not in dids:
                raise not_owner(dids, ours)
            return
        key = self._signer()
        if not self.takes_intents and not owners(stored):
            raise Dp1Error("it was published with an API key", key="key_owned")
        check_owner(stored, key)
        if await self._is_signed_by_us(existing):
            return
        keys = {*curator_keys(document), key.did}
        if not existing.by_id or not set(curator_keys(stored)) <= keys:
            raise Dp1Error("the playlist does not carry our signature", key="unsigned")

    async def _draft(
        self, document: Mapping[str, Any], stored: Mapping[str, Any] | None = None
    ) -> Draft:
        """Prepare a document, which may be large, for the credentials that are used."""
        if self.with_key:
            return await asyncio.to_thread(draft_with_key, document, stored)
        key, now = self._signer(), self.connection.clock.for_documents()
        newer = NEWER_ITEM_FIELDS - self.refused if self.takes_intents else ()
        return await asyncio.to_thread(
            draft_signed, document, key, self.curator, now, stored, newer=newer
        )

    async def _body(self, draft: Draft) -> Mapping[str, Any]:
        """Return what is sent to replace a playlist: the document, within a signed intent where the feed wants one."""
        if not self.takes_intents:
            return draft.document
        now = self.connection.clock.for_intents()
        return await asyncio.to_thread(
            replace_body, draft.document, self._signer(), now
        )

    async def _create(self, draft: Draft) -> Published:
        """Send a new playlist."""
        url = f"{self.connection.url}/playlists"
        stored = await self._send("POST", url, draft, draft.document)
        return await self._published(draft, stored, "published")

    async def _replace(
        self, document: Mapping[str, Any], existing: Existing
    ) -> Published:
        """Replace a playlist; an identical one is not sent."""
        held = existing.document
        draft = await self._draft(document, held)
        if self.key and draft.signed:
            if await asyncio.to_thread(_is_same, draft.document, held, self.key):
                return await self._published(draft, Stored(held), "published")
        url = self.connection.playlist_url(held["id"])
        stored = await self._send("PUT", url, draft, await self._body(draft))
        return await self._published(draft, stored, "updated")

    async def _send(
        self,
        method: str,
        url: str,
        draft: Draft,
        body: Mapping[str, Any],
    ) -> Stored:
        """Send a document, and if the outcome is in doubt look for a signed one by its id, then send it once more.

        A feed in Go holds one signed document by an id, so a second arrival changes nothing and is never a second
        playlist. With the API key every arrival may make a new one.

        Args:
            method: HTTP method.
            url: where to.
            draft: what the feed is to hold.
            body: what is sent.

        Raises:
            ConflictError: the feed holds another document by this id or slug.
            LostAnswerError: in doubt even after looking.
        """
        if len(await asyncio.to_thread(encode, body)) > MAX_DOCUMENT:
            raise InvalidRequestError(
                "the document is larger than 5 MiB", key="too_large"
            )
        doubt: Dp1Error | None = None
        while True:
            try:
                answer = await self.connection.send(
                    method,
                    url,
                    body,
                    with_key=not draft.signed,
                    document=True,
                    repeatable=draft.signed,
                )
                return await _stored(answer)
            except (UnreachableError, BusyError) as err:
                # It was not sent, or not this time.
                raise doubt or err from None
            except DOUBTFUL as err:
                if not draft.signed:
                    raise
                if held := await self._look_for(draft.document, err):
                    return held
                if doubt is not None or isinstance(err, ConflictError):
                    raise
                doubt = err

    async def _look_for(self, document: Document, doubt: Dp1Error) -> Stored | None:
        """Return the stored document if it is exactly this one; raise the doubt if looking is not possible."""
        url = self.connection.playlist_url(document["id"])
        try:
            held = await _stored(await self.connection.read(url))
            same = await asyncio.to_thread(
                lambda: payload_hash(held.document) == payload_hash(document)
            )
        except NotFoundError:
            return None
        except Dp1Error:
            raise doubt from None
        return held if same else None

    async def _published(
        self, draft: Draft, stored: Stored, status: Literal["published", "updated"]
    ) -> Published:
        """Compare and verify the stored document of a draft, in a thread."""
        held = stored.document
        slug = held.get("slug")
        kids = {entry.get("kid") for entry in draft.document.get("signatures", [])}

        def compare() -> Published:
            """Make the result."""
            verified = verify(held, legacy_keys=self.legacy_keys)
            signers = (v.kid for v in verified if v.valid and v.kid in kids)
            return Published(
                document=held,
                id=held["id"],
                slug=slug if isinstance(slug, str) else "",
                url=self.connection.playlist_url(held["id"]),
                status="queued" if stored.queued else status,
                signed_by=next(signers, None),
                left_out=draft.left_out,
                changed=tuple(changes(draft.document, held)),
                verified=verified,
            )

        return await asyncio.to_thread(compare)


def _needs_signature() -> Dp1Error:
    """Return the error for what has neither a key nor a signature."""
    return Dp1Error("this feed takes signatures only", key="needs_signature")


async def _stored(answer: Answer) -> Stored:
    """Return the document in a response."""
    document = await answer.json()
    if not isinstance(document, dict) or not isinstance(document.get("id"), str):
        raise UnexpectedAnswerError(
            f"the feed answered {answer.status} without a document"
        )
    return Stored(document, answer.status == 202)


def _is_same(document: Document, held: Document, key: SigningKey) -> bool:
    """Return whether a feed holds exactly this document with our signature."""
    return payload_hash(document) == payload_hash(held) and is_signed_by(held, key)
