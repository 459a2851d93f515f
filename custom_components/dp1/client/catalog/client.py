"""Client of the exhibition catalog: paged reads of exhibitions, series and artworks, which need no key.

Paths, parameters and the page limit are those of the catalog's public interface description. What it leaves open
(paging missing, pages cut shorter, errors in several shapes) is tolerated.
"""

import asyncio
from collections.abc import Awaitable, Callable
from dataclasses import replace
from datetime import UTC, datetime
from functools import partial
import logging
from math import inf
from random import uniform
import re
from typing import Any
from urllib.parse import urlsplit

import aiohttp

from ..errors import (
    BusyError,
    Dp1Error,
    LostAnswerError,
    NoAnswerError,
    TemporaryError,
    UnexpectedAnswerError,
    UnreachableError,
)
from ..http import Answer, Guard, request_json, status_error
from ..text import clean, is_technical, with_scheme
from ..values import MAX_ON_LOOP, decode, mapping
from .models import Artwork, Exhibition, Record, Series, as_integer
from .paging import PAGE_SIZE, Listing, Page, PagedReader, Progress

_LOGGER = logging.getLogger(__name__)

CATALOG_URL = "https://feralfile.com"
CONCURRENCY = 4
TIMEOUT_SECONDS = 10.0
MAX_BODY = 4 * 1024 * 1024
# Longer waits are left to the caller.
MAX_WAIT_SECONDS = 8.0
MAX_QUIET_SECONDS = 3600.0
RETRIES = 1
BUSY_RETRIES = 2
RETRY_SECONDS = 0.5
MAX_MESSAGE = 200

_LAST = datetime.max.replace(tzinfo=UTC)


def normalize_url(text: str) -> str:
    """Return the URL of a catalog in its normal form: scheme, host and optional path, without a trailing slash.

    Raises:
        ValueError: not a web address.
    """
    text = text.strip()
    parts = urlsplit(with_scheme(text))
    if parts.scheme not in ("http", "https") or not parts.hostname:
        raise ValueError("not a web address")
    if parts.username is not None or re.search(r"\s", text) or parts.port == 0:
        raise ValueError("not a plain web address")
    path = re.sub(r"/api/llm(/.*)?$", "", parts.path.rstrip("/"))
    return f"{parts.scheme}://{parts.netloc.lower()}{path.rstrip('/')}"


class Catalog:
    """Client of one catalog.

    Every read raises, besides ``ValueError`` for a parameter out of range:

    - ``NotFoundError``: no such list (404).
    - ``InvalidRequestError``: the catalog refused the request (400, 422), with its own message.
    - ``BusyError``: too many requests (429), also after waiting as long as it asked for; without a request while the
      catalog asked for a pause of more than 8 s.
    - ``TemporaryError``: the catalog failed (5xx), also on the second try.
    - ``RefusedError``, ``NoAnswerError``, ``UnreachableError``: no contact, or no whole answer in 10 s, twice.
    - ``UnexpectedAnswerError``: something else is at this address.

    The reads of whole lists (``all_...``) never raise these but return what could be read, and the reason.
    """

    def __init__(
        self,
        session: aiohttp.ClientSession | Guard,
        url: str = CATALOG_URL,
        *,
        concurrency: int = CONCURRENCY,
    ) -> None:
        """Initialize the client without a request.

        Args:
            session: used, never closed; a guard keeps the server from choosing what else is requested.
            url: URL of the catalog as a person writes it.
            concurrency: maximum number of requests at the same time, over all calls.

        Raises:
            ValueError: ``url`` is not a web address.
        """
        self._session = session
        self._url = normalize_url(url)
        self._concurrency = concurrency
        self._slots = asyncio.Semaphore(concurrency)
        self._quiet_until = 0.0

    @property
    def url(self) -> str:
        """Return the URL of the catalog in its normal form."""
        return self._url

    async def exhibitions(
        self,
        *,
        limit: int = PAGE_SIZE,
        offset: int = 0,
        sort_by: str | None = None,
        sort_order: str | None = None,
        keyword: str | None = None,
    ) -> Page[Exhibition]:
        """Read one page of exhibitions.

        Args:
            limit: maximum number of records, 1 to 5.
            offset: index of the first record in the list, from 0.
            sort_by: ``openAt``, ``createdAt``, ``title`` or, with a keyword, ``relevance``.
            sort_order: ``ASC`` or ``DESC``.
            keyword: words to search for.
        """
        parameters = _parameters(sort_by, sort_order, keyword)
        return await self._page(
            "exhibitions", Exhibition.parse, parameters, offset, limit
        )

    async def series(
        self,
        *,
        exhibition_id: str,
        limit: int = PAGE_SIZE,
        offset: int = 0,
        sort_by: str | None = None,
        sort_order: str | None = None,
        keyword: str | None = None,
    ) -> Page[Series]:
        """Read one page of the series of an exhibition; parameters as for ``exhibitions``."""
        parameters = _parameters(sort_by, sort_order, keyword) | _parent(
            "exhibitionID", exhibition_id
        )
        return await self._page("series", Series.parse, parameters, offset, limit)

    async def artworks(
        self,
        *,
        series_id: str,
        limit: int = PAGE_SIZE,
        offset: int = 0,
        sort_by: str | None = None,
        sort_order: str | None = None,
        keyword: str | None = None,
    ) -> Page[Artwork]:
        """Read one page of the artworks of a series; parameters as for ``exhibitions``."""
        parameters = _parameters(sort_by, sort_order, keyword) | _parent(
            "seriesID", series_id
        )
        return await self._page("artworks", Artwork.parse, parameters, offset, limit)

    async def all_exhibitions(
        self, *, progress: Progress[Exhibition] | None = None
    ) -> Listing[Exhibition]:
        """Read every exhibition, in the catalog's own order.

        Args:
            progress: called at the beginning with a function that returns what was read so far.
        """
        return await self._all(self.exhibitions, progress=progress)

    async def all_series(
        self, exhibition_id: str, *, progress: Progress[Series] | None = None
    ) -> Listing[Series]:
        """Read every series of an exhibition, in display order; ``progress`` as for ``all_exhibitions``."""
        listing = await self._all(
            partial(self.series, exhibition_id=exhibition_id), progress=progress
        )
        return in_order(listing, series_place)

    async def all_artworks(
        self,
        series_id: str,
        *,
        cap: int | None = None,
        spread: bool = False,
        progress: Progress[Artwork] | None = None,
    ) -> Listing[Artwork]:
        """Read every artwork of a series, in the order of their index.

        Args:
            series_id: id of the series.
            cap: maximum number of works to return, and about as many to read; None for all.
            spread: if there are more, take them evenly from the whole series instead of from its start.
            progress: as for ``all_exhibitions``.
        """
        listing = await self._all(
            partial(self.artworks, series_id=series_id),
            cap=cap,
            spread=spread,
            progress=progress,
        )
        return in_order(listing, _artwork_place)

    async def _all[T: Record](
        self,
        read: Callable[..., Awaitable[Page[T]]],
        *,
        cap: int | None = None,
        spread: bool = False,
        progress: Progress[T] | None = None,
    ) -> Listing[T]:
        """Read a whole list."""
        reader = PagedReader(
            lambda offset, limit: read(offset=offset, limit=limit),
            concurrency=self._concurrency,
            cap=cap,
            spread=spread,
        )
        if progress is not None:
            progress(reader.so_far)
        return await reader.read()

    async def _page[T: Record](
        self,
        operation: str,
        parse: Callable[[object], T | None],
        parameters: dict[str, str],
        offset: int,
        limit: int,
    ) -> Page[T]:
        """Read one page; invalid records are left out and counted."""
        if not 1 <= limit <= PAGE_SIZE or offset < 0:
            raise ValueError(
                f"limit must be 1 to {PAGE_SIZE}, offset must not be negative"
            )
        answer = await self._get(
            operation, {"limit": str(limit), "offset": str(offset), **parameters}
        )
        body = await _async_decode(answer)
        found = body if isinstance(body, list) else mapping(body).get("result")
        if not isinstance(found, list):
            raise UnexpectedAnswerError(
                _say(f"no list of {operation} in the answer", answer)
            )
        records = tuple(record for data in found if (record := parse(data)))
        total = as_integer(mapping(mapping(body).get("paging")).get("total"))
        return Page(
            records=records,
            total=total if total is not None and total >= 0 else None,
            offset=offset,
            received=len(found),
            skipped=len(found) - len(records),
        )

    async def _get(self, operation: str, parameters: dict[str, str]) -> Answer:
        """Send a request, and retry it where that may help."""
        failures = 0
        async with self._slots:
            while True:
                await self._wait_until_welcome()
                try:
                    return await self._get_once(operation, parameters)
                except (UnreachableError, TemporaryError) as err:
                    failures += 1
                    wait = _wait_before_retry(err, failures)
                    if isinstance(err, BusyError):
                        self._leave_alone(err.retry_after or wait or 0.0)
                    if wait is None:
                        raise
                await asyncio.sleep(wait)

    def _leave_alone(self, seconds: float) -> None:
        """Send nothing for as long as the catalog asked, up to a limit."""
        end = _now() + min(seconds, MAX_QUIET_SECONDS)
        self._quiet_until = max(self._quiet_until, end)

    async def _wait_until_welcome(self) -> None:
        """Wait as long as the catalog has asked for, unless that is too long."""
        while (wait := self._quiet_until - _now()) > 0:
            if wait > MAX_WAIT_SECONDS:
                raise BusyError("the catalog asked to be left alone", wait)
            await asyncio.sleep(wait)

    async def _get_once(self, operation: str, parameters: dict[str, str]) -> Answer:
        """Send a request once."""
        try:
            answer = await request_json(
                self._session,
                "GET",
                f"{self._url}/api/llm/{operation}",
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


def _parameters(
    sort_by: str | None, sort_order: str | None, keyword: str | None
) -> dict[str, str]:
    """Return the parameters that are not None."""
    given = {"sortBy": sort_by, "sortOrder": sort_order, "keyword": keyword}
    return {name: value for name, value in given.items() if value}


def _parent(name: str, key: str) -> dict[str, str]:
    """Return the parameter for the parent of a list; without a value the catalog might list everything."""
    if not key:
        raise ValueError(f"{name} must not be empty")
    return {name: key}


def _wait_before_retry(err: Dp1Error, failures: int) -> float | None:
    """Return the seconds to wait before a retry; None for no retry."""
    wait = RETRY_SECONDS * failures * uniform(1, 2)
    if isinstance(err, BusyError):
        asked = wait if err.retry_after is None else err.retry_after
        return asked if failures <= BUSY_RETRIES and asked <= MAX_WAIT_SECONDS else None
    return wait if failures <= RETRIES else None


async def _async_decode(answer: Answer) -> object:
    """Decode the body as JSON; token ids stay exact, and a long body is decoded in a thread."""
    read = partial(decode, answer.body, exact=True)
    try:
        if len(answer.body) > MAX_ON_LOOP:
            return await asyncio.to_thread(read)
        return read()
    except ValueError as err:
        raise UnexpectedAnswerError(
            f"the answer (status {answer.status}) is not JSON"
        ) from err


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


def in_order[T](listing: Listing[T], key: Callable[[T], Any]) -> Listing[T]:
    """Return the records in order; equal ones stay as they are."""
    return replace(listing, records=tuple(sorted(listing.records, key=key)))


def series_place(series: Series) -> tuple[float, datetime]:
    """Return the sort key of a series in its exhibition; series without an index come last."""
    place = inf if series.display_index is None else series.display_index
    return place, series.created_at or _LAST


def _artwork_place(artwork: Artwork) -> float:
    """Return the sort key of a work in its series; works without an index come last."""
    return inf if artwork.index is None else artwork.index
