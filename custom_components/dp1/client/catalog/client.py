"""Client of the exhibition catalog: paged reads of exhibitions, series and artworks, which need no key.

Paths, parameters and the page limit are those of the catalog's public interface description. What it leaves open
(paging missing, pages cut shorter, errors in several shapes) is tolerated.
"""

import asyncio
from collections.abc import AsyncIterator, Awaitable, Callable
from datetime import UTC, datetime
from functools import partial
import logging
from math import inf
import re
from typing import Any
from urllib.parse import quote

import aiohttp

from ..errors import (
    LostAnswerError,
    NotFoundError,
    TemporaryError,
    UnexpectedAnswerError,
    UnreachableError,
)
from ..guard import Guard
from ..http import Answer, request_json, status_error
from ..pages import MAX_RECORDS, Page, at_offsets
from ..retry import Manners
from ..text import clean, is_technical, server_url
from ..values import MAX_ON_LOOP, decode, mapping
from .models import Artwork, Exhibition, Record, Series, as_integer

PAGE_SIZE = 5

_LOGGER = logging.getLogger(__name__)

CATALOG_URL = "https://feralfile.com"
CONCURRENCY = 4
TIMEOUT_SECONDS = 10.0
MAX_BODY = 4 * 1024 * 1024
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
    - ``UnreachableError``: no contact, or no whole answer in 10 s, twice.
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
        self._manners = Manners(UnreachableError, TemporaryError, at_once=CONCURRENCY)

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

    async def artwork(self, key: str, *, series_id: str) -> Artwork:
        """Read one work of a series by its id, at an address that not every catalog has.

        Seen in the public catalog: an object with the record as ``result``, and the id of its series as ``seriesID``.

        Raises:
            NotFoundError: there is none in that series.
        """
        answer = await self._get(f"artworks/{quote(key, safe='')}", {})
        body = await answer.async_read(
            lambda answer: answer.decoded(strict=False, exact=True)
        )
        record = mapping(mapping(body).get("result"))
        if (work := Artwork.parse(record)) is None:
            raise UnexpectedAnswerError("no work in the answer")
        if work.id != key or record.get("seriesID") != series_id:
            raise NotFoundError(f"no work {key!r} in series {series_id!r}")
        return work

    def all_exhibitions(self) -> AsyncIterator[Page[Exhibition]]:
        """Yield the pages of all exhibitions, in the catalog's own order."""
        return self._all(self.exhibitions)

    def all_series(
        self, exhibition_id: str, *, pause: float | None = None
    ) -> AsyncIterator[Page[Series]]:
        """Yield the pages of all series of an exhibition; ``series_place`` sorts them.

        Args:
            exhibition_id: id of the exhibition.
            pause: seconds before each further page, which are then requested one by one.
        """
        read = partial(self.series, exhibition_id=exhibition_id)
        return self._all(read, pause=pause)

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

        async def fetch(place: str | None, size: int) -> Page[T]:
            """Return a page, after a pause unless it is the first."""
            if pause is not None and place is not None:
                await asyncio.sleep(pause)
            return await read(offset=int(place or 0), limit=size)

        return at_offsets(
            fetch,
            size=PAGE_SIZE,
            identity=lambda record: record.id,
            limit=limit,
            at_once=CONCURRENCY if pause is None else 1,
        )

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
            f"llm/{kind.path}",
            {"limit": str(limit), "offset": str(offset), **parameters},
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
        """Send a request, and repeat it where that may help."""
        return await self._manners.ask(
            lambda left: self._get_once(path, parameters, min(TIMEOUT_SECONDS, left))
        )

    async def _get_once(
        self, path: str, parameters: dict[str, str], timeout: float
    ) -> Answer:
        """Send a request once."""
        try:
            answer = await request_json(
                self._session,
                "GET",
                f"{self.url}/api/{path}",
                params=parameters,
                timeout=timeout,
                max_body=MAX_BODY,
            )
        except LostAnswerError as err:
            # A read has no side effects, so a lost answer counts as none.
            raise UnreachableError(str(err)) from err
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


def series_place(series: Series) -> tuple[float, datetime]:
    """Return the sort key of a series in its exhibition; series without an index come last."""
    index = inf if series.display_index is None else series.display_index
    return index, series.created_at or _LAST


def artwork_place(artwork: Artwork) -> float:
    """Return the sort key of a work in its series; works without an index come last."""
    return inf if artwork.index is None else artwork.index
