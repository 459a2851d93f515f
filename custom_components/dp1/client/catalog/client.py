"""Client of the exhibition catalog: paged reads of exhibitions, series and artworks, which need no key.

Paths, parameters and the page limit are those of the catalog's public interface description. What it leaves open
(paging missing, pages cut shorter, errors in several shapes) is tolerated.
"""

import asyncio
from collections import deque
from collections.abc import AsyncIterator, Awaitable, Callable, Iterator
from dataclasses import replace
from datetime import UTC, datetime
from functools import partial
import logging
from math import ceil, inf
from random import uniform
import re
from typing import Any, NamedTuple

import aiohttp

from ..errors import (
    BusyError,
    Dp1Error,
    LostAnswerError,
    NoAnswerError,
    TemporaryError,
    TooLargeError,
    UnexpectedAnswerError,
    UnreachableError,
)
from ..guard import Guard
from ..http import Answer, request_json, status_error
from ..page import Page
from ..text import clean, is_technical, server_url
from ..values import MAX_ON_LOOP, decode, mapping
from .models import Artwork, Exhibition, Record, Series, as_integer

PAGE_SIZE = 5
MAX_RECORDS = 5000
MAX_FAILED_PAGES = 3
# Of all pages of a list, in bytes: five thousand works take 20 MB.
MAX_LIST = 64 * 1024 * 1024


type Fetch[T] = Callable[[int, int], Awaitable[Page[T]]]


def spread_offsets(total: int, size: int, pages: int) -> list[int]:
    """Return offsets of pages spread evenly over a list, from its first record to its last.

    Args:
        total: records in the list.
        size: records of a page.
        pages: number of pages; they must fit in without overlap.
    """
    if pages < 2:
        return [0]
    return [index * (total - size) // (pages - 1) for index in range(pages)]


class Span(NamedTuple):
    """A part of a list, from an index to another; `is_rest` if a shorter page left it out."""

    start: int
    end: int
    is_rest: bool = False


class PageReader[T: Record]:
    """The reading of one list: the first page, then several at a time.

    Args:
        fetch: reads a page, given its offset and the maximum number of records.
        concurrency: maximum number of pages at the same time.
        limit: about how many records to read, evenly spread over the list; None for all, up to ``MAX_RECORDS``.
    """

    def __init__(
        self, fetch: Fetch[T], *, concurrency: int, limit: int | None = None
    ) -> None:
        """Initialize the reading without a request."""
        self._fetch = fetch
        self._concurrency = concurrency
        self._limit = limit
        self._cap = limit or MAX_RECORDS
        self._ids: set[str] = set()
        self._received = 0
        self._size = 0
        self._page_size = PAGE_SIZE
        self._total: int | None = None
        self._failures: list[Dp1Error] = []
        self._is_over = False

    async def pages(self) -> AsyncIterator[Page[T]]:
        """Yield the pages as they come, and raise the first error at the end: a broken page costs only itself."""
        first = await self._fetch(0, min(PAGE_SIZE, self._cap))
        if first.total is not None and first.total >= first.received:
            self._total = first.total
        yield self._new(first)
        if first.received:
            # A server may return fewer records than asked for; its own page size is used from here on.
            self._page_size = first.received
            async for page in self._following():
                yield page
        if self._failures:
            raise self._failures[0]
        if self._received < min(self._total or 0, self._cap):
            raise UnexpectedAnswerError(
                f"the catalog announces {self._total} records and gives {self._received}"
            )

    async def _following(self) -> AsyncIterator[Page[T]]:
        """Yield the pages after the first as they come, several read at a time."""
        spans = deque(self._spans())
        tasks = set[asyncio.Task[tuple[Page[T], Span | None]]]()
        try:
            while True:
                while spans and not self._is_over and len(tasks) < self._concurrency:
                    tasks.add(asyncio.create_task(self._read(spans.popleft())))
                if not tasks:
                    return
                done, tasks = await asyncio.wait(
                    tasks, return_when=asyncio.FIRST_COMPLETED
                )
                for task in done:
                    try:
                        page, rest = task.result()
                    except Dp1Error as err:
                        self._failures.append(err)
                        self._is_over |= len(self._failures) >= MAX_FAILED_PAGES
                        continue
                    yield page
                    if rest is not None:
                        spans.appendleft(rest)
        finally:
            for task in tasks:
                task.cancel()

    def _spans(self) -> Iterator[Span]:
        """Yield the spans into which the rest of the list is divided, to be read independently."""
        size = self._page_size
        if self._total is None:
            if size < self._cap:
                yield Span(size, self._cap)
            return
        pages = ceil(self._cap / size)
        if self._limit and pages * size < self._total:
            for offset in spread_offsets(self._total, size, pages)[1:]:
                yield Span(offset, offset + size)
            return
        end = self._total if self._limit else min(self._total, self._cap)
        for offset in range(size, end, size):
            yield Span(offset, min(offset + size, end))

    async def _read(self, span: Span) -> tuple[Page[T], Span | None]:
        """Return the first page of a span, and the span that a shorter page leaves out."""
        limit = min(PAGE_SIZE, span.end - span.start)
        page = await self._fetch(span.start, limit)
        new = self._new(page)
        if not page.received:
            # No records where a span begins: this is the end of the list.
            self._is_over |= not span.is_rest
            return new, None
        if page.records and not new.records:
            if not span.is_rest and page.received >= limit:
                raise UnexpectedAnswerError("the catalog repeats its pages")
            return new, None
        start = span.start + page.received
        is_last = self._total is None and page.received < self._page_size
        return new, None if is_last or start >= span.end else Span(
            start, span.end, True
        )

    def _new(self, page: Page[T]) -> Page[T]:
        """Return a page without the records that came before."""
        new = {it.id: it for it in page.records if it.id not in self._ids}
        self._ids |= new.keys()
        self._received += len(new) + page.skipped
        self._size += page.size
        if self._size > MAX_LIST and not self._is_over:
            error = TooLargeError(f"the list is over {MAX_LIST} bytes")
            self._failures.append(error)
            self._is_over = True
        return replace(page, records=tuple(new.values()), total=self._total)


_LOGGER = logging.getLogger(__name__)

CATALOG_URL = "https://feralfile.com"
CONCURRENCY = 4
TIMEOUT_SECONDS = 10.0
MAX_BODY = 4 * 1024 * 1024
# Longer waits are left to the caller.
MAX_WAIT_SECONDS = 8.0
RETRIES = 1
BUSY_RETRIES = 2
RETRY_SECONDS = 0.5
MAX_MESSAGE = 200

_LAST = datetime.max.replace(tzinfo=UTC)


_API_PATH = re.compile(r"/*(/api/llm(/.*)?)?/*$")


def normalize_url(text: str) -> str:
    """Return the URL of a catalog in its normal form: scheme, host and optional path, without a trailing slash.

    Raises:
        ValueError: as ``server_url`` has it.
    """
    return str(server_url(text, _API_PATH))


class Catalog:
    """Client of one catalog.

    Attributes:
        url: URL of the catalog in its normal form.

    Every read raises, besides ``ValueError`` for an empty parameter:

    - ``NotFoundError``: no such list (404).
    - ``InvalidRequestError``: the catalog refused the request (400, 422), with its own message.
    - ``BusyError``: too many requests (429), also after waiting as long as it asked for; without a request while the
      catalog asked for a pause of more than 8 s.
    - ``TemporaryError``: the catalog failed (5xx), also on the second try.
    - ``NoAnswerError``, ``UnreachableError``: no contact, or no whole answer in 10 s, twice.
    - ``UnexpectedAnswerError``: something else is at this address.

    The lists (``all_...``) yield all pages that can be read, and raise the first of these at the end.
    """

    def __init__(
        self,
        session: aiohttp.ClientSession | Guard,
        url: str = CATALOG_URL,
    ) -> None:
        """Initialize the client without a request.

        Args:
            session: used, never closed; a guard keeps the server from choosing what else is requested.
            url: URL of the catalog as a person writes it.

        Raises:
            ValueError: ``url`` is not a web address.
        """
        self._session = session
        self.url = normalize_url(url)
        self._slots = asyncio.Semaphore(CONCURRENCY)
        self._quiet_until = 0.0

    async def exhibitions(self, **options: Any) -> Page[Exhibition]:
        """Read one page of exhibitions.

        Args:
            options: ``limit`` (maximum number of records, 1 to 5), ``offset`` (index of the first record in the list, from
                0), and by the names of the interface ``keyword`` (words to search for), ``sortBy`` (``openAt``,
                ``createdAt``, ``title`` or, with a keyword, ``relevance``) and ``sortOrder`` (``ASC`` or ``DESC``).
        """
        return await self._page(Exhibition, **options)

    async def series(self, *, exhibition_id: str, **options: Any) -> Page[Series]:
        """Read one page of the series of an exhibition; options as for ``exhibitions``."""
        return await self._page(Series, exhibitionID=exhibition_id, **options)

    async def artworks(self, *, series_id: str, **options: Any) -> Page[Artwork]:
        """Read one page of the artworks of a series; options as for ``exhibitions``."""
        return await self._page(Artwork, seriesID=series_id, **options)

    def all_exhibitions(self) -> AsyncIterator[Page[Exhibition]]:
        """Yield the pages of all exhibitions, in the catalog's own order."""
        return self._all(self.exhibitions)

    async def all_series(
        self, exhibition_id: str, *, pause: float | None = None
    ) -> AsyncIterator[Page[Series]]:
        """Yield the pages of all series of an exhibition; ``series_place`` sorts them.

        How many there are is known only after the first page: to save a round trip, the next are requested with it.

        Args:
            exhibition_id: id of the exhibition.
            pause: seconds before each further page, which are then requested one by one.
        """
        read = partial(self.series, exhibition_id=exhibition_id)
        early = {
            index * PAGE_SIZE: asyncio.create_task(read(offset=index * PAGE_SIZE))
            for index in range(CONCURRENCY if pause is None else 0)
        }

        async def fetch(*, offset: int, limit: int) -> Page[Series]:
            """Return a page, requested in advance or now."""
            if task := early.pop(offset, None):
                return await task
            return await read(offset=offset, limit=limit)

        try:
            async for page in self._all(fetch, pause=pause):
                yield page
        finally:
            for task in early.values():
                task.cancel()
            await asyncio.gather(*early.values(), return_exceptions=True)

    def all_artworks(
        self, series_id: str, *, limit: int | None = None, pause: float | None = None
    ) -> AsyncIterator[Page[Artwork]]:
        """Yield the pages of all artworks of a series; ``artwork_place`` sorts them.

        Args:
            series_id: id of the series.
            limit: about how many works to read, in whole pages evenly from the series; None for all.
            pause: as for ``all_series``.
        """
        read = partial(self.artworks, series_id=series_id)
        return self._all(read, limit=limit, pause=pause)

    def _all[T: Record](
        self,
        read: Callable[..., Awaitable[Page[T]]],
        *,
        limit: int | None = None,
        pause: float | None = None,
    ) -> AsyncIterator[Page[T]]:
        """Yield the pages of a list."""

        async def fetch(offset: int, size: int) -> Page[T]:
            """Return a page, after a pause unless it is the first."""
            if pause is not None and offset:
                await asyncio.sleep(pause)
            return await read(offset=offset, limit=size)

        concurrency = CONCURRENCY if pause is None else 1
        return PageReader(fetch, concurrency=concurrency, limit=limit).pages()

    async def _page[T: (Exhibition, Series, Artwork)](
        self,
        kind: type[T],
        *,
        limit: int = PAGE_SIZE,
        offset: int = 0,
        **parameters: str,
    ) -> Page[T]:
        """Read one page of the records of a kind; invalid ones are left out."""
        # Without the value of a parent the catalog might list everything.
        if not all(parameters.values()):
            raise ValueError(f"empty parameters: {parameters}")
        answer = await self._get(
            kind.path, {"limit": str(limit), "offset": str(offset), **parameters}
        )

        def read(answer: Answer) -> Page[T]:
            """Read the page."""
            # Token ids stay exact.
            body = answer.decoded(strict=False, exact=True)
            items = body if isinstance(body, list) else mapping(body).get("result")
            if not isinstance(items, list):
                raise UnexpectedAnswerError(
                    _say(f"no list of {kind.path} in the answer", answer)
                )
            del items[MAX_RECORDS:]
            records = tuple(it for data in items if (it := kind.parse(data)))
            total = as_integer(mapping(mapping(body).get("paging")).get("total"))
            return Page(
                records=records,
                total=total if total is not None and total >= 0 else None,
                offset=offset,
                skipped=len(items) - len(records),
                size=len(answer.body),
            )

        return await answer.async_read(read)

    async def _get(self, path: str, parameters: dict[str, str]) -> Answer:
        """Send a request, and retry it where that may help."""
        failures = 0
        async with self._slots:
            while True:
                await self._wait_until_welcome()
                try:
                    return await self._get_once(path, parameters)
                except (UnreachableError, TemporaryError) as err:
                    failures += 1
                    wait, retries = RETRY_SECONDS * failures * uniform(1, 2), RETRIES
                    if isinstance(err, BusyError):
                        retries = BUSY_RETRIES
                        if err.retry_after is not None:
                            wait = err.retry_after
                        end = _now() + wait
                        self._quiet_until = max(self._quiet_until, end)
                    if failures > retries or wait > MAX_WAIT_SECONDS:
                        raise
                await asyncio.sleep(wait)

    async def _wait_until_welcome(self) -> None:
        """Wait as long as the catalog has asked for, unless that is too long."""
        while (wait := self._quiet_until - _now()) > 0:
            if wait > MAX_WAIT_SECONDS:
                raise BusyError("the catalog asked to be left alone", wait)
            await asyncio.sleep(wait)

    async def _get_once(self, path: str, parameters: dict[str, str]) -> Answer:
        """Send a request once."""
        try:
            answer = await request_json(
                self._session,
                "GET",
                f"{self.url}/api/llm/{path}",
                params=parameters,
                timeout=TIMEOUT_SECONDS,
                max_body=MAX_BODY,
            )
        except LostAnswerError as err:
            # A read has no side effects, so a lost answer counts as none.
            raise NoAnswerError(str(err)) from err
        if answer.ok:
            return answer
        message = _say(f"the catalog answers {answer.status}", answer)
        if answer.status in (401, 403, 409):
            # It has neither keys nor conflicts, so a proxy or something else answers.
            raise UnexpectedAnswerError(message)
        raise status_error(answer, message)


def _message(answer: Answer) -> str:
    """Return the error message of a body as plain short text; the catalog has several shapes for it."""
    if len(answer.body) > MAX_ON_LOOP:
        return ""
    try:
        body = decode(answer.body)
    except ValueError:
        text = answer.body.decode(errors="replace")
        return "" if "<" in text else clean(text, MAX_MESSAGE)
    body = mapping(body)
    error = body.get("error")
    return clean(
        mapping(error).get("message") or error or body.get("message"), MAX_MESSAGE
    )


def _say(what: str, answer: Answer) -> str:
    """Return a text with the catalog's message about the request; one about itself only goes to the debug log."""
    if not (words := _message(answer)):
        return what
    _LOGGER.debug("%s: %s", what, words)
    inside = answer.status >= 500 or is_technical(words)
    return what if inside else f"{what}: {words}"


def _now() -> float:
    """Return the time of the event loop in seconds."""
    return asyncio.get_running_loop().time()


def series_place(series: Series) -> tuple[float, datetime]:
    """Return the sort key of a series in its exhibition; series without an index come last."""
    index = inf if series.display_index is None else series.display_index
    return index, series.created_at or _LAST


def artwork_place(artwork: Artwork) -> float:
    """Return the sort key of a work in its series; works without an index come last."""
    return inf if artwork.index is None else artwork.index
