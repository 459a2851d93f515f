"""One DP-1 feed: read, list, publish, replace and delete playlists, whichever of the two server families it is.

Routes, envelopes and differences between the families ("V2", in Go, and "TS", in TypeScript) are as their servers'
interface descriptions and running servers show them.
"""

from collections.abc import AsyncIterator, Iterable, Mapping
from dataclasses import dataclass, field
from enum import StrEnum
import re
from typing import Any, Literal
from urllib.parse import quote, unquote

import aiohttp

from ..errors import (
    AuthenticationError,
    InvalidRequestError,
    LostAnswerError,
    NoAnswerError,
    NotFoundError,
    UnexpectedAnswerError,
)
from ..guard import Guard
from ..playlist.signing import SigningKey
from ..url import web_url, with_scheme
from .connection import AnswerCache, FeedConnection
from .paging import PAGE_SIZE, Page, pages, records
from .publish import (
    Draft,
    Published,
    draft_as_signed,
    draft_signed,
    draft_with_key,
    send,
)

__all__ = [
    "Family",
    "Feed",
    "Published",
    "StoredPlaylist",
    "normalize_url",
]

API_PATH = re.compile(r"(/api(/v1(/.*)?)?)?/*$")
UUID_FORM = re.compile(r"[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}", re.IGNORECASE)


class Family(StrEnum):
    """Which of the two kinds of server a feed is."""

    V2 = "v2"
    TS = "ts"


@dataclass(frozen=True, slots=True)
class StoredPlaylist:
    """A playlist as a feed, or any other host, keeps it.

    Attributes:
        document: the DP-1 document, nothing added or left out.
        url: where a display finds it; by id where the feed is the one asked.
    """

    document: dict[str, Any] = field(repr=False)
    url: str


def normalize_url(text: str) -> str:
    """Turn a feed's address in any written form into the one form that names it.

    Without a scheme, ``with_scheme`` chooses one; ``/api/v1`` is added, and what follows it goes, as do query and fragment.

    Raises:
        ValueError: not the address of a web server, or one with a user name or password in it.
    """
    text = text.strip()
    url = web_url(with_scheme(text))
    path = API_PATH.sub("", url.raw_path) + "/api/v1"
    return str(url.origin().with_path(path, encoded=True))


class Feed:
    """One feed, read by anyone, written to with an API key or (V2 family) a curator's signature.

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
        """Keep where it is.

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
        self._cache = AnswerCache()
        self._family: Family | None = None

    async def family(self) -> Family:
        """Ask what kind of feed this is.

        Raises:
            UnexpectedAnswerError: whatever is there is no feed.
        """
        return await self._ask_family(self._connection)

    async def _ask_family(self, connection: FeedConnection) -> Family:
        """Ask what kind of feed this is, and remember it."""
        try:
            told = (await connection.read(self.url)).json()
        except (NotFoundError, InvalidRequestError) as err:
            raise UnexpectedAnswerError(f"no DP-1 feed at this address: {err}") from err
        told = told if isinstance(told, dict) else {}
        endpoints = told.get("endpoints")
        if not isinstance(endpoints, dict) or "playlists" not in endpoints:
            raise UnexpectedAnswerError("no DP-1 feed at this address")
        v2 = told.get("runtime") == "go" or "registry" in endpoints
        self._family = Family.V2 if v2 else Family.TS
        return self._family

    async def check_key(self) -> None:
        """Find out whether the API key is accepted, by a request that can change nothing.

        Both families look at the key first; past that, an object without any field is no playlist to them.

        Raises:
            AuthenticationError: it is not, or there is none.
        """
        try:
            await self._connection.write(
                "POST", f"{self.url}/playlists", {}, with_key=True
            )
        except InvalidRequestError:
            return

    async def playlist(self, ref: str) -> StoredPlaylist:
        """Read a playlist by id, by slug, or by absolute address on this or any other host.

        Raises:
            NotFoundError: there is none.
        """
        url = ref.strip() if "://" in ref else self.playlist_url(ref)
        document = await self._document(url)
        if not isinstance(document.get("items"), list) and not (
            "dynamicQuery" in document or "dynamicQueries" in document
        ):
            raise UnexpectedAnswerError("the answer is not a playlist")
        own_id = document.get("id")
        if "://" not in ref and isinstance(own_id, str):
            url = self.playlist_url(own_id)
        return StoredPlaylist(document, url)

    def playlists(
        self,
        *,
        newest_first: bool = False,
        page_size: int = PAGE_SIZE,
        limit: int | None = None,
    ) -> AsyncIterator[dict[str, Any]]:
        """Yield the documents of all playlists, in the order they were made in.

        Args:
            newest_first: the other way round.
            page_size: documents a request, 1 to 100.
            limit: most documents in all.
        """
        return records(
            self._connection,
            f"{self.url}/playlists",
            {"sort": "desc"} if newest_first else {},
            page_size=page_size,
            limit=limit,
        )

    def playlist_pages(self, *, page_size: int = PAGE_SIZE) -> AsyncIterator[Page]:
        """Yield the documents of all playlists page by page, those made last first.

        Args:
            page_size: documents a request, 1 to 100.
        """
        return pages(
            self._connection,
            f"{self.url}/playlists",
            {"sort": "desc"},
            page_size=page_size,
        )

    async def channels(self) -> AsyncIterator[dict[str, Any]]:
        """Yield all channels; none where the feed has no such thing."""
        try:
            async for channel in records(
                self._connection, f"{self.url}/channels", {}, page_size=PAGE_SIZE
            ):
                yield channel
        except NotFoundError:
            return

    async def publish(
        self,
        document: Mapping[str, Any],
        *,
        key: SigningKey | None = None,
        curator: str = "",
    ) -> Published:
        """Publish a playlist: signed with ``key``, else with the API key, else with the signatures it has.

        A TS feed signs by itself and drops ours, so there the API key counts alone. Where the feed is told apart by
        the document's id (signed, V2), an answer that got lost is looked for and the document never stored twice;
        elsewhere a lost answer is an error and nothing is sent again. It ends within 30 s.

        Args:
            document: a playlist; what it lacks is filled in, signatures of others go when there is a new one.
            key: who signs.
            curator: name to give the signer, unless the playlist names them.

        Raises:
            InvalidPlaylistError: not a valid playlist; nothing was sent, or nothing was stored.
            SignatureRefusedError: the feed does not accept the signatures.
            ConflictError: the feed holds another document with this id or slug.
            LostAnswerError: it may or may not have been published.
        """
        connection = self._connection.with_deadline()
        try:
            family = self._family or await self._ask_family(connection)
        except LostAnswerError as err:
            raise NoAnswerError(f"{err}; nothing was sent") from err
        draft = self._draft(document, key, curator, family)
        return await send(
            connection, "POST", f"{self.url}/playlists", draft, self._legacy_keys
        )

    async def delete(self, ref: str) -> Literal["deleted", "queued"]:
        """Delete a playlist by id, slug or its address on this feed; needs the API key."""
        answer = await self._connection.write(
            "DELETE", self._own_address(ref), with_key=True, repeatable=True
        )
        return "queued" if answer.status == 202 else "deleted"

    def _draft(
        self,
        document: Mapping[str, Any],
        key: SigningKey | None,
        curator: str,
        family: Family,
    ) -> Draft:
        """Choose by which right to write, and prepare the document for it."""
        if key and family is Family.V2:
            return draft_signed(document, key, curator)
        if self._connection.api_key:
            return draft_with_key(document, complete=family is Family.TS)
        if family is Family.TS:
            raise AuthenticationError(
                "this feed signs by itself and needs an API key to publish"
            )
        if not document.get("signatures"):
            raise AuthenticationError("this feed needs an API key or a signature")
        return draft_as_signed(document)

    async def _document(self, url: str) -> dict[str, Any]:
        """Read one JSON object, from the cache if the host says that nothing changed."""
        kept = self._cache.get(url)
        answer = await self._connection.read(
            url, etag=kept.headers["ETag"] if kept else None
        )
        if kept and answer.status == 304:
            answer = kept
        document = answer.json()
        if not isinstance(document, dict):
            raise UnexpectedAnswerError("the answer is not a document")
        self._cache.keep(url, answer)
        return document

    def playlist_url(self, ref: str) -> str:
        """Return the address of a playlist of this feed, by its id (which never changes) or slug.

        Raises:
            NotFoundError: no playlist can be called that.
        """
        name = ref.strip()
        if name in ("", ".", ".."):
            raise NotFoundError("no name")
        if UUID_FORM.fullmatch(name):
            name = name.lower()
        return f"{self.url}/playlists/{quote(name, safe='')}"

    def _own_address(self, ref: str) -> str:
        """Return the address of a playlist of this feed; another host's is not ours to change."""
        name = unquote(ref.strip().removeprefix(f"{self.url}/playlists/"))
        if "://" in name:
            raise InvalidRequestError("not a playlist of this feed")
        return self.playlist_url(name)
