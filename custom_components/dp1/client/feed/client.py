"""One DP-1 feed: read, list, publish, replace and delete playlists, whichever of the server families it is.

Routes, envelopes and differences between the families are as their servers' interface descriptions and running
servers show them.
"""

import asyncio
from collections.abc import AsyncIterator, Awaitable, Callable, Iterable, Mapping
import re
from typing import Any

import aiohttp

from ..errors import (
    AuthenticationError,
    Dp1Error,
    Fault,
    InvalidPlaylistError,
    InvalidRequestError,
    LostAnswerError,
    NotFoundError,
    TooLargeError,
    UnexpectedAnswerError,
    UnreachableError,
)
from ..guard import Guard
from ..http import Answer
from ..pages import Page
from ..playlist.document import has_items
from ..playlist.playlist import Playlist
from ..playlist.signing import SigningKey
from ..text import server_url
from ..values import text
from .connection import Family, FeedConnection, family_of
from .models import MAX_PLAYLISTS, FeedChannel
from .paging import pages, records
from .writer import Change, Published, Writer

MAX_ANSWERS = 32
MAX_BYTES = 512 * 1024
API_PATH = re.compile(r"(/api(/v1(/.*)?)?)?/*$")


def normalize_url(text: str) -> str:
    """Turn a feed's address in any written form into the one that names it, which ends in ``/api/v1``.

    Raises:
        ValueError: as ``server_url`` has it.
    """
    return f"{server_url(text, API_PATH)}/api/v1"


class Feed:
    """One feed, read by anyone, written to with an API key or (in Go) a curator's signature.

    All methods raise the errors of ``client/errors.py``: UnreachableError and LostAnswerError for the way there,
    AuthenticationError, NotFoundError, ConflictError, BusyError, TemporaryError, InvalidRequestError and
    UnexpectedAnswerError for the feed's own answers.
    """

    def __init__(
        self,
        session: aiohttp.ClientSession | Guard,
        url: str,
        *,
        api_key: str | None = None,
        legacy_keys: Iterable[str] = (),
    ) -> None:
        """Initialize the feed.

        Args:
            session: what to send with; a guard where the server must not choose what else is asked.
            url: address in any written form.
            api_key: the feed's API key; sent with writes only.
            legacy_keys: ``did:key`` of the signers that a v1.0.x ``signature`` may come from.

        Raises:
            ValueError: the address is none.
        """
        self.url = normalize_url(url)
        self._connection = FeedConnection(
            session, self.url, (api_key or "").strip() or None
        )
        self._legacy_keys = tuple(legacy_keys)
        # The last few that carried an ETag, by address; as bytes, so that no reader can change them.
        self._answers: dict[str, Answer] = {}
        self._refused: set[str] = set()
        # What is changed was read before: without turns, the last change would undo the others.
        self._turns = asyncio.Lock()

    async def family(self, connection: FeedConnection | None = None) -> Family:
        """Ask the server for its kind.

        Raises:
            UnexpectedAnswerError: whatever is there is no feed.
        """
        try:
            answer = await (connection or self._connection).read(self.url)
            document = await answer.json()
        except (NotFoundError, InvalidRequestError) as err:
            raise UnexpectedAnswerError(f"no DP-1 feed at this address: {err}") from err
        return family_of(document)

    async def check_key(self) -> None:
        """Check whether the API key is accepted, with a request that changes nothing.

        Servers that take a key look at it first; past that, an object without any field is no playlist to them. A
        signed feed takes none and must not be asked.

        Raises:
            AuthenticationError: it is not, or there is none.
        """
        try:
            await self._connection.send(
                "POST", f"{self.url}/playlists", {}, with_key=True
            )
        except InvalidRequestError:
            return

    async def playlist(self, ref: str) -> Playlist:
        """Read a playlist by id, by slug, or by absolute address on this or any other host.

        Its URL is by id where the feed is the one asked; nothing is added to its document or left out.

        Raises:
            NotFoundError: there is none.
        """
        url = ref.strip() if "://" in ref else self.playlist_url(ref)
        document = await self._document(url)
        if isinstance(document.get("playlists"), list):
            raise UnexpectedAnswerError(
                "the answer is a channel",
                translation_key="is_channel",
                placeholders={"url": url},
            )
        if not has_items(document):
            raise UnexpectedAnswerError("the answer is not a playlist")
        own_id = document.get("id")
        if "://" not in ref and isinstance(own_id, str):
            url = self.playlist_url(own_id)
        return Playlist(url, document)

    def playlist_pages(self) -> AsyncIterator[Page[dict[str, Any]]]:
        """Yield the documents of all playlists page by page, those made last first."""
        return pages(self._connection, f"{self.url}/playlists", {"sort": "desc"})

    async def channels(self) -> AsyncIterator[dict[str, Any]]:
        """Yield all channels and playlist groups; none if the feed does not support them."""
        seen: set[object] = set()
        for kind in ("channels", "playlist-groups"):
            try:
                async for channel in records(self._connection, f"{self.url}/{kind}"):
                    # One family has the same documents under both names.
                    if channel.get("id") not in seen:
                        seen.add(channel.get("id"))
                        yield channel
            except NotFoundError:
                continue

    async def channel_list(self) -> list[FeedChannel]:
        """Return the channels, up to so many that they and the addresses in them are bounded in all."""
        channels, room = [], MAX_PLAYLISTS
        async for document in self.channels():
            if (channel := FeedChannel.parse(document)) is not None:
                channels.append(channel)
                room -= 1 + len(channel.playlists)
            if room < 0:
                break
        return channels

    async def channel(self, ref: str) -> dict[str, Any]:
        """Read a channel or a playlist group by id or slug.

        Raises:
            NotFoundError: there is none.
        """
        name = self.playlist_url(ref).removeprefix(f"{self.url}/playlists/")
        try:
            return await self._document(f"{self.url}/channels/{name}")
        except NotFoundError:
            return await self._document(f"{self.url}/playlist-groups/{name}")

    async def publish(
        self,
        document: Mapping[str, Any],
        *,
        key: SigningKey | None = None,
        curator: str = "",
        prefer_api_key: bool = False,
    ) -> Published:
        """Publish a playlist: signed with ``key``, else with the API key, else with the signatures it has.

        A playlist of ours that the document names by its id or slug is replaced. A signed feed takes no API key. Of what
        is signed, an answer that got lost is looked for and the document never stored twice; with an API key a lost
        answer is an error and nothing is sent again. It ends within 30 s.

        Args:
            document: a playlist; what it lacks is filled in, signatures of others go when there is a new one.
            key: who signs.
            curator: name to give the signer, unless the playlist names them.
            prefer_api_key: do not sign where the feed takes the API key that there is.

        Raises:
            InvalidPlaylistError: not a valid playlist; nothing was sent, or nothing was stored.
            Dp1Error: the playlist that the document names belongs to others (``not_owner``), or the feed is in TypeScript
                (``read_only``).
            ConflictError: the feed holds another document with this id or slug.
            LostAnswerError: it may or may not have been published.
        """
        return await self._write(
            lambda writer: writer.publish(document), key, curator, prefer_api_key
        )

    async def update(
        self,
        ref: str,
        change: Change,
        *,
        key: SigningKey | None = None,
        curator: str = "",
    ) -> Published:
        """Change a playlist of ours by id, slug or its address on this feed.

        Args:
            ref: which.
            change: makes the new document of the stored one, in a thread; may be called twice.
            key: who signs; the API key counts where the feed takes the one that there is.
            curator: name to give the signer, unless the playlist names them.

        Raises:
            Dp1Error: as ``publish`` has it.
        """
        return await self._write(
            lambda writer: writer.update(ref, change), key, curator, True
        )

    async def delete(self, ref: str, *, key: SigningKey | None = None) -> str:
        """Delete a playlist by id, slug or its address on this feed: by signature, or with the API key; return its id.

        Raises:
            NotFoundError: there is none.
            Dp1Error: it belongs to others (``not_owner``).
            AuthenticationError: the feed needs an API key for that.
            Dp1Error: as ``publish`` has it.
        """
        return await self._write(lambda writer: writer.delete(ref), key)

    async def _write[T](
        self,
        write: Callable[[Writer], Awaitable[T]],
        key: SigningKey | None,
        curator: str = "",
        prefer_api_key: bool = False,
    ) -> T:
        """Write when it is our turn, with the credentials that the feed requires now: a server may have been upgraded."""
        async with self._turns:
            connection = self._connection.with_deadline()
            try:
                family = await self.family(connection)
            except LostAnswerError as err:
                raise UnreachableError(f"{err}; nothing was sent") from err
            if family is Family.TS:
                raise Dp1Error("feeds of this kind are only read", key="read_only")
            is_signed = family is Family.SIGNED
            has_key = not is_signed and bool(connection.api_key)
            writer = Writer(
                connection,
                takes_intents=is_signed,
                with_key=has_key and (key is None or prefer_api_key),
                key=key,
                curator=curator,
                legacy_keys=self._legacy_keys,
                refused=self._refused,
            )
            try:
                return await write(writer)
            except AuthenticationError as err:
                if is_signed and err.key != "forbidden":
                    raise Dp1Error(str(err), key="signature_refused") from err
                raise

    async def _document(self, url: str) -> dict[str, Any]:
        """Read one JSON object, from the cache if the host says that nothing changed."""
        kept = self._answers.get(url)
        headers = {"If-None-Match": kept.headers["ETag"]} if kept else None
        answer = await self._connection.read(url, headers=headers)
        if kept and answer.status == 304:
            answer = kept
        try:
            document = await answer.json()
        except TooLargeError as err:
            raise InvalidPlaylistError([Fault("", str(err))]) from err
        if not isinstance(document, dict):
            raise UnexpectedAnswerError("the answer is not a document")
        self._answers.pop(url, None)
        if text(answer.headers.get("ETag")) and len(answer.body) <= MAX_BYTES:
            self._answers[url] = answer
            if len(self._answers) > MAX_ANSWERS:
                del self._answers[next(iter(self._answers))]
        return document

    def playlist_url(self, ref: str) -> str:
        """Return the address of a playlist of this feed, by its id (which never changes) or slug.

        Raises:
            NotFoundError: no playlist can be called that.
        """
        return self._connection.playlist_url(ref)
