"""Client of the exhibition catalog: paged reads of exhibitions, series and artworks, which need no key.

Paths, parameters and the page limit are those of the catalog's public interface description. What it leaves open
(paging missing, pages cut shorter, errors in several shapes) is tolerated.
"""

import asyncio
from collections.abc import Awaitable, Callable, Iterator
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from functools import partial
import logging
from math import ceil, inf
from random import uniform
import re
from typing import Any

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
from ..http import Answer, Guard, request_json, status_error
from ..text import clean, is_technical, server_url
from ..values import MAX_ON_LOOP, decode, mapping
from .artwork import evenly
from .models import Artwork, Exhibition, Record, Series, as_integer

PAGE_SIZE = 5
MAX_RECORDS = 5000
MAX_FAILED_PAGES = 3
# Of all pages of a list, in bytes: five thousand works take 20 MB.
MAX_LIST = 64 * 1024 * 1024


@dataclass(frozen=True, slots=True)
class Page[T]:
    """A page of a list.

    Attributes:
        records: the valid records.
        total: number of records of the list; None if the server did not tell.
        offset: index of the first record in the list, from 0.
        received: number of records, including invalid ones.
        size: of the answer, in bytes.
    """

    records: tuple[T, ...]
    total: int | None
    offset: int
    received: int
    size: int = 0


@dataclass(frozen=True, slots=True)
class Listing[T]:
    """A list as far as it could be read.

    Attributes:
        records: the records, in order.
        total: number of records of the list; None if the server did not tell.
        complete: whether ``records`` is the whole list.
        reason: the error if it is not; None if no more was asked for.
    """

    records: tuple[T, ...]
    total: int | None
    complete: bool
    reason: Dp1Error | None


type Progress[T] = Callable[[Callable[[], Listing[T]]], None]


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


class PagedReader[T: Record]:
    """Reads a list to its end: the first page, then several at a time."""

    def __init__(
        self,
        fetch: Callable[[int, int], Awaitable[Page[T]]],
        *,
        concurrency: int,
        cap: int | None = None,
    ) -> None:
        """Initialize the reader.

        Args:
            fetch: reads a page, given its offset and the maximum number of records.
            concurrency: maximum number of pages at the same time.
            cap: maximum number of records to return, evenly spread over the list; None for all.
        """
        self._fetch = fetch
        self._concurrency = concurrency
        self._cap = MAX_RECORDS if cap is None else cap
        self._spread = cap is not None
        self._found: dict[str, tuple[int, T]] = {}
        self._skipped = 0
        self._size = 0
        self._page_size = PAGE_SIZE
        self._total: int | None = None
        self._failures: list[Dp1Error] = []
        self._stopped = False

    async def read(self) -> Listing[T]:
        """Read as much as possible; errors are returned as the reason and never raised."""
        if self._cap < 1:
            return Listing((), None, False, None)
        asked = min(PAGE_SIZE, self._cap)
        try:
            first = await self._fetch(0, asked)
        except Dp1Error as err:
            return Listing((), None, False, err)
        if first.total is not None and first.total >= first.received:
            self._total = first.total
        self._keep(first)
        if first.received:
            # A server may return fewer records than asked for; its own page size is used from here on.
            self._page_size = first.received
            await self._read_spans(self._spans())
        return self.so_far()

    def _spans(self) -> Iterator[tuple[int, int]]:
        """Return the spans (start, end) into which the rest of the list is divided, to be read independently."""
        size = self._page_size
        if self._total is None:
            yield size, self._cap
            return
        pages = ceil(self._cap / size)
        if self._spread and pages * size < self._total:
            for offset in spread_offsets(self._total, size, pages)[1:]:
                yield offset, offset + size
            return
        end = self._total if self._spread else min(self._total, self._cap)
        for offset in range(size, end, size):
            yield offset, min(offset + size, end)

    async def _read_spans(self, spans: Iterator[tuple[int, int]]) -> None:
        """Read all spans, several at a time."""

        async def work() -> None:
            for start, end in spans:
                if self._stopped:
                    return
                try:
                    await self._read_span(start, end)
                except Dp1Error as err:
                    self._failures.append(err)
                    if len(self._failures) >= MAX_FAILED_PAGES:
                        self._stopped = True

        async with asyncio.TaskGroup() as group:
            for _ in range(self._concurrency):
                group.create_task(work())

    async def _read_span(self, start: int, end: int) -> None:
        """Read a span, by as many pages as the server makes of it."""
        offset = start
        while offset < end and not self._stopped:
            asked = min(PAGE_SIZE, end - offset)
            page = await self._fetch(offset, asked)
            new = self._keep(page)
            if not page.received:
                # No records where a span begins: this is the end of the list.
                self._stopped |= offset == start
                return
            if page.records and not new:
                if offset == start and page.received >= asked:
                    raise UnexpectedAnswerError("the catalog repeats its pages")
                return
            offset += page.received
            if self._total is None and page.received < self._page_size:
                return

    def _keep(self, page: Page[T]) -> int:
        """Add the new records of a page, and return their number."""
        before = len(self._found)
        for index, record in enumerate(page.records, page.offset):
            self._found.setdefault(record.id, (index, record))
        self._skipped += page.received - len(page.records)
        self._size += page.size
        if self._size > MAX_LIST and not self._stopped:
            self._failures.append(TooLargeError(f"the list is over {MAX_LIST} bytes"))
            self._stopped = True
        return len(self._found) - before

    def so_far(self) -> Listing[T]:
        """Return what was read until now, and whether it is the whole list."""
        in_order = sorted(self._found.values(), key=lambda found: found[0])
        records = [record for _, record in in_order]
        reason: Dp1Error | None = None
        if self._failures:
            reason = self._failures[0]
        elif len(records) + self._skipped < min(self._total or 0, self._cap):
            reason = UnexpectedAnswerError(
                f"the catalog announces {self._total} records and gives {len(records)}"
            )
        if self._total is None:
            capped = len(records) >= self._cap
        else:
            capped = self._total > self._cap
        complete = not capped and reason is None
        kept = evenly(records, self._cap) if self._spread else records[: self._cap]
        return Listing(tuple(kept), self._total, complete, reason)


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

    The reads of whole lists (``all_...``) never raise these but return what could be read, and the reason.
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

    async def all_exhibitions(
        self, *, progress: Progress[Exhibition] | None = None
    ) -> Listing[Exhibition]:
        """Read every exhibition, in the catalog's own order.

        Args:
            progress: called at the beginning with a function that returns what was read so far.
        """
        return await self._all(self.exhibitions, progress=progress)

    async def all_series(
        self,
        exhibition_id: str,
        *,
        pause: float | None = None,
        progress: Progress[Series] | None = None,
    ) -> Listing[Series]:
        """Read every series of an exhibition, in display order.

        How many there are is known only after the first page: to save a round trip, the next are requested with it.

        Args:
            exhibition_id: id of the exhibition.
            pause: seconds before each further page, which are then requested one by one.
            progress: as for ``all_exhibitions``.
        """
        read = partial(self.series, exhibition_id=exhibition_id)
        early = {
            index * PAGE_SIZE: asyncio.create_task(read(offset=index * PAGE_SIZE))
            for index in range(CONCURRENCY if pause is None else 0)
        }

        async def fetch(offset: int, limit: int) -> Page[Series]:
            """Return a page, requested in advance or now."""
            if task := early.pop(offset, None):
                return await task
            return await read(offset=offset, limit=limit)

        try:
            listing = await self._all(fetch, pause=pause, progress=progress)
        finally:
            for task in early.values():
                task.cancel()
            await asyncio.gather(*early.values(), return_exceptions=True)
        return _in_order(listing, _series_place)

    async def all_artworks(
        self,
        series_id: str,
        *,
        cap: int | None = None,
        pause: float | None = None,
        progress: Progress[Artwork] | None = None,
    ) -> Listing[Artwork]:
        """Read every artwork of a series, in the order of their index.

        Args:
            series_id: id of the series.
            cap: maximum number of works to return, and about as many to read, evenly from the whole series; None for all.
            pause: as for ``all_series``.
            progress: as for ``all_exhibitions``.
        """
        listing = await self._all(
            partial(self.artworks, series_id=series_id),
            cap=cap,
            pause=pause,
            progress=progress,
        )
        return _in_order(listing, _artwork_place)

    async def _all[T: Record](
        self,
        read: Callable[..., Awaitable[Page[T]]],
        *,
        cap: int | None = None,
        pause: float | None = None,
        progress: Progress[T] | None = None,
    ) -> Listing[T]:
        """Read a whole list."""

        async def fetch(offset: int, limit: int) -> Page[T]:
            """Return a page, after a pause unless it is the first."""
            if pause is not None and offset:
                await asyncio.sleep(pause)
            return await read(offset=offset, limit=limit)

        concurrency = CONCURRENCY if pause is None else 1
        reader = PagedReader(fetch, concurrency=concurrency, cap=cap)
        if progress is not None:
            progress(reader.so_far)
        return await reader.read()

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
            found = body if isinstance(body, list) else mapping(body).get("result")
            if not isinstance(found, list):
                raise UnexpectedAnswerError(
                    _say(f"no list of {kind.path} in the answer", answer)
                )
            del found[MAX_RECORDS:]
            records = tuple(it for data in found if (it := kind.parse(data)))
            total = as_integer(mapping(mapping(body).get("paging")).get("total"))
            return Page(
                records=records,
                total=total if total is not None and total >= 0 else None,
                offset=offset,
                received=len(found),
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


def _in_order[T](listing: Listing[T], key: Callable[[T], Any]) -> Listing[T]:
    """Return the records in order; equal ones stay as they are."""
    return replace(listing, records=tuple(sorted(listing.records, key=key)))


def _series_place(series: Series) -> tuple[float, datetime]:
    """Return the sort key of a series in its exhibition; series without an index come last."""
    index = inf if series.display_index is None else series.display_index
    return index, series.created_at or _LAST


def _artwork_place(artwork: Artwork) -> float:
    """Return the sort key of a work in its series; works without an index come last."""
    return inf if artwork.index is None else artwork.index
