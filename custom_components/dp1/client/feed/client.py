"""One DP-1 feed: read, list, publish, replace and delete playlists, whichever of the two server families it is.

Routes, envelopes and differences between the families ("V2", in Go, and "TS", in TypeScript) are as their servers'
interface descriptions and running servers show them.
"""

import asyncio
from collections.abc import AsyncIterator, Iterable, Mapping
from dataclasses import dataclass, field
from enum import StrEnum
import logging
import re
from typing import Any, Literal
from urllib.parse import quote, unquote

import aiohttp
from yarl import URL

from ..errors import (
    AuthenticationError,
    Dp1Error,
    InvalidRequestError,
    NotFoundError,
    UnexpectedAnswerError,
)
from ..playlist.signing import SigningKey
from .connection import AnswerCache, FeedConnection
from .paging import PAGE_SIZE, records
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
    "FeedInfo",
    "Published",
    "StoredPlaylist",
    "normalize_url",
]

_LOGGER = logging.getLogger(__name__)

MEMBERS_AT_ONCE = 4
# What a feed does not change when a playlist is replaced.
KEPT = ("id", "slug", "created")
HOST = re.compile(r"[a-z0-9_-]+(\.[a-z0-9_-]+)*\.?|[0-9a-f]*:[0-9a-f:.]+(%\w+)?")
API_PATH = re.compile(r"(/api(/v1(/.*)?)?)?/*$")
UUID_FORM = re.compile(r"[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}", re.IGNORECASE)


class Family(StrEnum):
    """Which of the two kinds of server a feed is."""

    V2 = "v2"
    TS = "ts"


@dataclass(frozen=True, slots=True)
class FeedInfo:
    """What a feed says of itself.

    Attributes:
        family: which kind of server it is.
        version: version of the server software; empty if not told.
        extensions: whether it offers channels; None if not told.
    """

    family: Family
    version: str
    extensions: bool | None


@dataclass(frozen=True, slots=True)
class StoredPlaylist:
    """A playlist as a feed, or any other host, keeps it.

    Attributes:
        document: the DP-1 document, nothing added or left out.
        url: where a display finds it; by id where the feed is the one asked.
        etag: the host's mark of this version, if it gave one.
    """

    document: dict[str, Any] = field(repr=False)
    url: str
    etag: str | None = None


def normalize_url(text: str) -> str:
    """Turn a feed's address in any written form into the one form that names it.

    ``https`` is assumed; ``/api/v1`` is added, and what follows it goes, as do query and fragment.

    Raises:
        ValueError: not the address of a web server, or one with a user name or password in it.
    """
    text = text.strip()
    if "://" not in text:
        text = f"https://{text}"
    try:
        url = URL(text)
    except ValueError:
        raise ValueError("not a web address") from None
    if url.scheme not in ("http", "https") or not HOST.fullmatch(url.raw_host or ""):
        raise ValueError("not a web address")
    if url.raw_user is not None or url.raw_password is not None:
        raise ValueError("not a web address without a user name")
    path = API_PATH.sub("", url.raw_path) + "/api/v1"
    return str(url.origin().with_path(path, encoded=True))


class Feed:
    """One feed, read by anyone, written to with an API key or (V2 family) a curator's signature.

    All methods raise the errors of ``protocol/errors.py``: UnreachableError and LostAnswerError for the way there,
    AuthenticationError, NotFoundError, ConflictError, BusyError, TemporaryError, InvalidRequestError and
    UnexpectedAnswerError for the feed's own answers.
    """

    def __init__(
        self,
        session: aiohttp.ClientSession,
        url: str,
        *,
        api_key: str | None = None,
        legacy_keys: Iterable[str] = (),
    ) -> None:
        """Keep where it is.

        Args:
            session: what to send with.
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

    def playlist_url(self, ref: str) -> str:
        """Tell where a playlist of this feed is, by its id (which never changes) or slug."""
        return self._named("playlists", ref)

    async def info(self) -> FeedInfo:
        """Ask what kind of feed this is.

        Raises:
            UnexpectedAnswerError: whatever is there is no feed.
        """
        try:
            told = (await self._connection.read(self.url)).json()
        except (NotFoundError, InvalidRequestError) as err:
            raise UnexpectedAnswerError(f"no DP-1 feed at this address: {err}") from err
        told = told if isinstance(told, dict) else {}
        endpoints = told.get("endpoints")
        if not isinstance(endpoints, dict) or "playlists" not in endpoints:
            raise UnexpectedAnswerError("no DP-1 feed at this address")
        extensions = told.get("extensionsEnabled")
        v2 = told.get("runtime") == "go" or "registry" in endpoints
        self._family = Family.V2 if v2 else Family.TS
        version = told.get("version")
        return FeedInfo(
            self._family,
            version if isinstance(version, str) else "",
            extensions if isinstance(extensions, bool) else None,
        )

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
        url = self._address("playlists", ref)
        document, etag = await self._document(url)
        if not isinstance(document.get("items"), list) and not (
            "dynamicQuery" in document or "dynamicQueries" in document
        ):
            raise UnexpectedAnswerError("the answer is not a playlist")
        own_id = document.get("id")
        if "://" not in ref and isinstance(own_id, str):
            url = self.playlist_url(own_id)
        return StoredPlaylist(document, url, etag)

    async def channel(self, ref: str) -> dict[str, Any]:
        """Read a channel by id, slug or absolute address."""
        return await self._collection("channels", ref)

    async def group(self, ref: str) -> dict[str, Any]:
        """Read a playlist group by id, slug or absolute address; a TS feed's groups are its channels."""
        return await self._collection("playlist-groups", ref)

    async def playlists(
        self,
        *,
        channel: str | None = None,
        group: str | None = None,
        newest_first: bool = False,
        page_size: int = PAGE_SIZE,
        limit: int | None = None,
    ) -> AsyncIterator[dict[str, Any]]:
        """Yield the documents of all playlists, or of a channel's or group's, in the order they were made in.

        Args:
            channel: id or slug; see ``channel_playlists`` for the channel's own order.
            group: id or slug; not together with a channel.
            newest_first: the other way round.
            page_size: documents a request, 1 to 100.
            limit: most documents in all.
        """
        params = await self._filters(channel, group)
        async for document in self._list(
            "playlists", params, newest_first, page_size, limit
        ):
            yield document

    async def items(
        self,
        *,
        channel: str | None = None,
        group: str | None = None,
        newest_first: bool = False,
        page_size: int = PAGE_SIZE,
        limit: int | None = None,
    ) -> AsyncIterator[dict[str, Any]]:
        """Yield the items of all playlists; arguments as for ``playlists``."""
        params = await self._filters(channel, group)
        async for item in self._list(
            "playlist-items", params, newest_first, page_size, limit
        ):
            yield item

    async def channels(
        self,
        *,
        newest_first: bool = False,
        page_size: int = PAGE_SIZE,
        limit: int | None = None,
    ) -> AsyncIterator[dict[str, Any]]:
        """Yield all channels; none where the feed has no such thing."""
        try:
            async for channel in self._list(
                "channels", {}, newest_first, page_size, limit
            ):
                yield channel
        except NotFoundError:
            return

    async def groups(
        self,
        *,
        newest_first: bool = False,
        page_size: int = PAGE_SIZE,
        limit: int | None = None,
    ) -> AsyncIterator[dict[str, Any]]:
        """Yield all playlist groups; a TS feed's groups are its channels once more."""
        async for group in self._list(
            "playlist-groups", {}, newest_first, page_size, limit
        ):
            yield group

    async def channel_playlists(
        self, channel: Mapping[str, Any] | str
    ) -> list[StoredPlaylist]:
        """Read the playlists of a channel or group in the order its curator chose, a few at a time.

        Those that cannot be read are left out.

        Args:
            channel: the channel's or group's document, or a channel's id or slug.
        """
        if isinstance(channel, str):
            channel = await self.channel(channel)
        slots = asyncio.Semaphore(MEMBERS_AT_ONCE)

        async def read(url: str) -> StoredPlaylist | None:
            async with slots:
                try:
                    return await self.playlist(url)
                except Dp1Error as err:
                    _LOGGER.debug("A playlist of a channel is left out: %s", err)
                    return None

        urls = [url for url in channel["playlists"] if isinstance(url, str)]
        found = await asyncio.gather(*(read(url) for url in urls))
        return [playlist for playlist in found if playlist]

    async def registry(self) -> list[dict[str, Any]]:
        """Read the publishers of the channel registry: ``{name, did, static: [urls], living: [urls]}``; V2 family only."""
        answer = await self._connection.read(f"{self.url}/registry/channels")
        told = answer.json()
        publishers = told.get("publishers") if isinstance(told, dict) else None
        if not isinstance(publishers, list):
            raise UnexpectedAnswerError("the answer is not a channel registry")
        return [entry for entry in publishers if isinstance(entry, dict)]

    async def set_registry(self, publishers: Iterable[Mapping[str, Any]]) -> None:
        """Replace the whole channel registry; needs the API key."""
        await self._connection.write(
            "PUT",
            f"{self.url}/registry/channels",
            {"publishers": [dict(entry) for entry in publishers]},
            with_key=True,
            repeatable=True,
        )

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
        elsewhere a lost answer is an error and nothing is sent again.

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
        draft = await self._draft(document, key, curator, {})
        return await send(
            self._connection, "POST", f"{self.url}/playlists", draft, self._legacy_keys
        )

    async def replace(
        self,
        ref: str,
        document: Mapping[str, Any],
        *,
        key: SigningKey | None = None,
        curator: str = "",
    ) -> Published:
        """Put another document in the place of a playlist, which keeps its id, slug and time of creation.

        Arguments and errors as for ``publish``.

        Raises:
            NotFoundError: there is no such playlist.
        """
        held = (await self.playlist(self._own_address(ref))).document
        fixed: dict[str, Any] = {name: held[name] for name in KEPT if name in held}
        if not isinstance(own_id := held.get("id"), str):
            raise UnexpectedAnswerError("the feed's playlist has no id")
        draft = await self._draft(document, key, curator, fixed)
        return await send(
            self._connection,
            "PUT",
            self.playlist_url(own_id),
            draft,
            self._legacy_keys,
        )

    async def delete(self, ref: str) -> Literal["deleted", "queued"]:
        """Delete a playlist by id, slug or its address on this feed; needs the API key."""
        answer = await self._connection.write(
            "DELETE", self._own_address(ref), with_key=True, repeatable=True
        )
        return "queued" if answer.status == 202 else "deleted"

    async def _draft(
        self,
        document: Mapping[str, Any],
        key: SigningKey | None,
        curator: str,
        fixed: Mapping[str, Any],
    ) -> Draft:
        """Choose by which right to write, and prepare the document for it."""
        family = self._family or (await self.info()).family
        if key and family is Family.V2:
            return draft_signed(document, key, curator, fixed)
        if self._connection.api_key:
            return draft_with_key(document, fixed, complete=family is Family.TS)
        if family is Family.TS:
            raise AuthenticationError(
                "this feed signs by itself and needs an API key to publish"
            )
        if not document.get("signatures"):
            raise AuthenticationError("this feed needs an API key or a signature")
        return draft_as_signed(document)

    async def _document(self, url: str) -> tuple[dict[str, Any], str | None]:
        """Read one JSON object, from the cache if the host says that nothing changed; with its ETag."""
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
        return document, answer.headers.get("ETag")

    async def _collection(self, kind: str, ref: str) -> dict[str, Any]:
        """Read a channel or group."""
        document, _ = await self._document(self._address(kind, ref))
        if not isinstance(document.get("playlists"), list):
            raise UnexpectedAnswerError("the answer is not a list of playlists")
        return document

    def _list(
        self,
        kind: str,
        params: dict[str, str],
        newest_first: bool,
        page_size: int,
        limit: int | None,
    ) -> AsyncIterator[dict[str, Any]]:
        """List one kind of record."""
        if newest_first:
            params = {**params, "sort": "desc"}
        return records(
            self._connection,
            f"{self.url}/{kind}",
            params,
            page_size=page_size,
            limit=limit,
        )

    async def _filters(self, channel: str | None, group: str | None) -> dict[str, str]:
        """Write a filter by channel or group; by id, since a TS feed finds nothing by a slug."""
        if channel is not None and group is not None:
            raise ValueError("a channel or a group, not both")
        if channel is not None:
            return {"channel": await self._id_of("channels", channel)}
        if group is not None:
            return {"playlist-group": await self._id_of("playlist-groups", group)}
        return {}

    async def _id_of(self, kind: str, ref: str) -> str:
        """Find the id of a channel or group."""
        if UUID_FORM.fullmatch(ref):
            return ref.lower()
        found = (await self._collection(kind, ref)).get("id")
        return found if isinstance(found, str) else ref

    def _address(self, kind: str, ref: str) -> str:
        """Tell where a record is; an absolute address stays as it is."""
        return ref.strip() if "://" in ref else self._named(kind, ref.strip())

    def _named(self, kind: str, name: str) -> str:
        """Tell where this feed keeps what goes by a name, whatever the name."""
        if name in ("", ".", ".."):
            raise NotFoundError("no name")
        if UUID_FORM.fullmatch(name):
            name = name.lower()
        return f"{self.url}/{kind}/{quote(name, safe='')}"

    def _own_address(self, ref: str) -> str:
        """Tell where a playlist of this feed is; another host's is not ours to change."""
        name = unquote(ref.strip().removeprefix(f"{self.url}/playlists/"))
        if "://" in name:
            raise InvalidRequestError("not a playlist of this feed")
        return self._named("playlists", name)
