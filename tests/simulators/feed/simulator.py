"""A DP-1 feed of any family as a server on loopback, with faults on demand."""

import asyncio
from collections import Counter
from collections.abc import Iterable
from dataclasses import replace
from email.utils import formatdate
import logging
import random
import time
from types import TracebackType
from typing import Any, Literal, Self

from aiohttp import web

from ..serving import stop_serving
from .base import Feed
from .exchange import Answer, Request
from .faults import Cut, Fault, Paging, resigned
from .go_feed import GoFeed
from .recorded import recorded
from .settings import Settings
from .signed_feed import MAX_REQUEST_BYTES, SignedFeed, too_large
from .signing import Document, SigningKey
from .text import slugify
from .ts_feed import TsFeed

type Family = Literal["v2", "signed", "ts"]

_LOGGER = logging.getLogger(__name__)
_DEFAULT_KEYS = {"v2": "test-api-key", "signed": "", "ts": "test-api-secret"}
_DEFAULT_SEED = bytes.fromhex("00112233445566778899aabbccddeeff" * 2)


class FeedSimulator:
    """A feed that a test can reach, watch and disturb.

    Attributes:
        faults: what happens to the next requests that match; the first match counts.
        requests: how many requests came, by method and path.
        log: every request in order.
        latency: seconds every answer takes.
        clock_offset: seconds by which the feed's clock is ahead.
        date_offset: seconds by which the ``Date`` of its answers is ahead of that, as of a proxy's.
    """

    def __init__(
        self,
        family: Family = "v2",
        api_key: str | None = None,
        host: str = "127.0.0.1",
        port: int = 0,
        *,
        extensions: bool = True,
        signing_seed: bytes = _DEFAULT_SEED,
        random_seed: int = 2,
        latency: float = 0.0,
        version: str = "1.2.0",
    ) -> None:
        """Initialize a feed; ``version`` is that of a signed feed."""
        self.family: Family = family
        self.host = host
        self.latency = latency
        self.clock_offset = 0.0
        self.date_offset = 0.0
        self.faults: list[Fault] = []
        self.requests: Counter[tuple[str, str]] = Counter()
        self.log: list[Request] = []
        self._port = port
        self._runner: web.AppRunner | None = None
        self._workers: set[asyncio.Task[Any]] = set()
        self.settings = Settings(
            api_key=api_key or _DEFAULT_KEYS[family],
            key=SigningKey.from_seed(signing_seed),
            extensions=extensions,
            random=random.Random(random_seed),
            now=self._now,
        )
        self._feed: Feed
        match family:
            case "v2":
                self._feed = GoFeed(self.settings)
            case "signed":
                self._feed = SignedFeed(self.settings, version)
            case "ts":
                self._feed = TsFeed(self.settings)

    def _now(self) -> int:
        """Return the feed's clock, in nanoseconds since 1970."""
        return time.time_ns() + int(self.clock_offset * 10**9)

    def upgrade(self) -> None:
        """Replace the Go feed with API keys by the signed feed of 2026; stored documents stay."""
        signed = SignedFeed(self.settings)
        signed.take_over(self._feed)
        self.family, self._feed = "signed", signed

    @property
    def origin(self) -> str:
        if not self._port:
            raise RuntimeError("the feed has not been started")
        return f"http://{self.host}:{self._port}"

    @property
    def url(self) -> str:
        """Return the base URL that clients are given."""
        return f"{self.origin}/api/v1"

    @property
    def api_key(self) -> str:
        return self.settings.api_key

    @property
    def kid(self) -> str:
        """Return the DID of the feed's own key."""
        return self.settings.key.kid

    @property
    def request_count(self) -> int:
        return len(self.log)

    @property
    def documents(self) -> dict[str, Document]:
        """Return the stored playlists by id, as they are served; changes take effect at once."""
        return self._stored("playlists")

    @property
    def channels(self) -> dict[str, Document]:
        return self._stored("channels")

    @property
    def groups(self) -> dict[str, Document]:
        """Return the stored playlist groups by id; the TypeScript family stores them as channels."""
        return self._stored("playlist-groups")

    def _stored(self, kind: str) -> dict[str, Document]:
        return {row.id: row.document for row in self._feed.table(kind).rows.values()}

    async def start(self) -> None:
        """Listen."""
        app = web.Application(client_max_size=1 << 30)
        app.router.add_route("*", "/{tail:.*}", self._serve)
        self._runner = web.AppRunner(
            app, access_log=None, shutdown_timeout=1, lingering_time=0
        )
        await self._runner.setup()
        site = web.TCPSite(self._runner, self.host, self._port)
        await site.start()
        self._port = self._runner.addresses[0][1]

    async def stop(self) -> None:
        """Stop listening; stored documents and the port are kept for the next start."""
        if self._runner is not None:
            await stop_serving(self._runner)
        # Answers are also made for who has left, which the runner does not wait for.
        for worker in tuple(self._workers):
            worker.cancel()
        self._runner = None

    async def __aenter__(self) -> Self:
        await self.start()
        return self

    async def __aexit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        await self.stop()

    def fault(self, fault: Fault | None = None, **options: Any) -> Fault:
        fault = fault or Fault(**options)
        self.faults.append(fault)
        return fault

    def seed(
        self,
        playlists: Iterable[Document] = (),
        channels: Iterable[Document] = (),
        groups: Iterable[Document] = (),
        *,
        verbatim: bool = False,
    ) -> list[Document]:
        """Store documents and return them as stored.

        Missing fields (id, slug, created, item ids) are added and the feed signs the documents, unless they are to be stored
        ``verbatim``. Channels and groups may contain ids of playlists, which are replaced by their URLs.
        """
        kinds = {
            "playlists": playlists,
            "channels": channels,
            "playlist-groups": groups,
        }
        return [
            self._seed(kind, document, verbatim)
            for kind, documents in kinds.items()
            for document in documents
        ]

    def replace_channel(self, document: Document) -> None:
        self._feed.channels.rows.pop(document["id"], None)
        self.seed([], [document])

    def _seed(self, kind: str, given: Document, verbatim: bool) -> Document:
        """Store one document."""
        document = dict(given) if verbatim else self._completed(kind, given)
        table = self._feed.table(kind)
        if column := table.taken(document):
            raise ValueError(f"{column} is taken")
        table.put(document, map(self._member, document.get("playlists", ())))
        return document

    def _completed(self, kind: str, given: Document) -> Document:
        """Return a document with everything that a feed would add."""
        identifier = given.get("id") or self.settings.new_id()
        title = given.get("title", "Untitled")
        base: Document = {"dpVersion": "1.1.0"} if kind == "playlists" else {}
        base |= {
            "id": identifier,
            "slug": f"{slugify(title) or kind.removesuffix('s')}-{identifier[:8]}",
            "title": title,
            "created": "2026-01-01T00:00:00Z",
        }
        if kind == "channels" and self.family != "ts":
            base["version"] = "1.0.0"
        document = base | given
        if "items" in document:
            document["items"] = [
                {"id": self.settings.new_id()} | item for item in document["items"]
            ]
        if "playlists" in document:
            document["playlists"] = [
                url if "://" in url else f"{self.url}/playlists/{url}"
                for url in document["playlists"]
            ]
        if "signatures" in document or "signature" in document:
            return document
        return resigned(
            document | ({"signature": ""} if self.family == "ts" else {}),
            self.settings.key,
        )

    def _member(self, url: str) -> str:
        """Return the id of a playlist that a channel names."""
        key = url.removeprefix(f"{self.url}/playlists/")
        row = self._feed.playlists.find(key)
        return row.id if row else key

    async def _serve(self, request: web.Request) -> web.StreamResponse:
        """Answer a request, which goes on if the client leaves."""
        if (worker := asyncio.current_task()) is not None:
            self._workers.add(worker)
            worker.add_done_callback(self._workers.discard)
        return await self._answer(request)

    async def _answer(self, request: web.Request) -> web.StreamResponse:
        """Answer a request, or apply a fault."""
        asked = Request(
            request.method,
            request.path,
            request.rel_url.raw_query_string,
            {key: request.query[key] for key in request.query},
            {name.lower(): value for name, value in request.headers.items()},
            b"",
        )
        fault = next((entry for entry in self.faults if entry.matches(asked)), None)
        if fault is not None and fault.times is not None:
            fault.times -= 1
        limited = isinstance(self._feed, SignedFeed)
        if limited and (request.content_length or 0) > MAX_REQUEST_BYTES:
            self.log.append(asked)
            return self._response(asked, too_large())
        if fault is None or fault.cut is not Cut.BEFORE_BODY:
            asked = replace(asked, body=await request.read())
        self.requests[asked.method, asked.path] += 1
        self.log.append(asked)
        if self.latency or (fault and fault.delay):
            await asyncio.sleep(self.latency + (fault.delay if fault else 0))
        if fault is not None and fault.cut in (Cut.BEFORE_BODY, Cut.AFTER_BODY):
            return _cut(request)
        answer = await self._do(asked, fault)
        match fault.cut if fault else None:
            case Cut.AFTER_DONE:
                return _cut(request)
            case Cut.IN_ANSWER:
                return await _cut_short(request, answer)
        return self._response(asked, answer)

    def _response(self, asked: Request, answer: Answer) -> web.Response:
        """Return an answer as HTTP, with the time of the feed's clock."""
        body = b"" if answer.status in (204, 304) else answer.body
        date = formatdate(self._now() / 10**9 + self.date_offset, usegmt=True)
        headers = {"Date": date} | answer.headers
        return web.Response(status=answer.status, body=body, headers=headers)

    async def _do(self, asked: Request, fault: Fault | None) -> Answer:
        """Process a request, unless a fault answers instead."""
        if fault is None:
            return await self._handle(asked)
        if fault.status is not None:
            if fault.done:
                await self._handle(asked)
            return fault.answer()
        wanted = asked
        if fault.paging is Paging.REPEAT or (
            fault.paging is Paging.EMPTY and "cursor" in asked.query
        ):
            query = {
                key: value for key, value in asked.query.items() if key != "cursor"
            }
            wanted = replace(asked, query=query)
        return fault.changed(await self._handle(wanted), asked, self.settings.key)

    async def _handle(self, asked: Request) -> Answer:
        """Process a request."""
        if self.family == "v2" and (refused := recorded(asked)):
            return refused
        answer = self._feed.handle(asked)
        _LOGGER.debug("%s %s: %s", asked.method, asked.path, answer.status)
        return answer


def _cut(request: web.Request) -> web.StreamResponse:
    """Close the connection."""
    if request.transport is not None:
        request.transport.abort()
    return web.Response()


async def _cut_short(request: web.Request, answer: Answer) -> web.StreamResponse:
    """Send the beginning of an answer and close the connection."""
    headers = answer.headers | {"Content-Length": str(len(answer.body))}
    response = web.StreamResponse(status=answer.status, headers=headers)
    await response.prepare(request)
    await response.write(answer.body[: len(answer.body) // 2])
    if request.transport is not None:
        request.transport.close()
    return response
