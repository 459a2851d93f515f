"""Requests over HTTP, bounded in time and size, with a typed error for every failure."""

import asyncio
from collections.abc import AsyncGenerator, Callable, Mapping
from contextlib import aclosing
from dataclasses import dataclass, field
from datetime import UTC, datetime
from email.utils import parsedate_to_datetime
from errno import ECONNREFUSED
from json import JSONEncoder
import re
from typing import Self
import zlib

import aiohttp
from yarl import URL

from .errors import (
    AuthenticationError,
    BusyError,
    ConflictError,
    Dp1Error,
    InvalidRequestError,
    LostAnswerError,
    NotFoundError,
    TemporaryError,
    TooLargeError,
    UnexpectedAnswerError,
    UnreachableError,
)
from .guard import ENCODING, Guard
from .text import MAX_TITLE, READ_LENGTHS, clean, web_url
from .values import MAX_ON_LOOP, TooLargeValueError, decode

MAX_BODY = 4 * 1024 * 1024
MAX_CONNECT_SECONDS = 5.0
# A server that asks for more is asked again all the same.
MAX_RETRY_AFTER = 3600.0
CHUNK = 64 * 1024
_HEADERS = {"Accept": "application/json", **ENCODING}
_JSON_HEADERS = {**_HEADERS, "Content-Type": "application/json"}
encode = JSONEncoder(separators=(",", ":"), allow_nan=False).encode


@dataclass(slots=True)
class Answer:
    """A whole answer.

    Attributes:
        status: HTTP status code, after redirects.
        headers: the headers, case-insensitive.
        body: the body, decompressed.
        url: the URL, after redirects.
    """

    status: int
    headers: Mapping[str, str] = field(repr=False)
    body: bytes = field(repr=False)
    url: str

    @property
    def ok(self) -> bool:
        """Return whether the status is one of success (2xx)."""
        return 200 <= self.status < 300

    def unexpected(self, message: str) -> UnexpectedAnswerError:
        """Return the error for an answer that does not follow the protocol; a web page is another address or a login."""
        is_web_page = self.body.lstrip()[:1] == b"<"
        return UnexpectedAnswerError(message, key="web_page" if is_web_page else "")

    def decoded(self, *, strict: bool = True, exact: bool = False) -> object:
        """Return the body as JSON; arguments are those of ``decode``.

        Raises:
            UnexpectedAnswerError: it is not JSON, has half a surrogate pair or a number
                that JSON does not allow (NaN, Infinity), or (TooLargeError) has too many values or levels.
        """
        try:
            return decode(self.body, strict=strict, exact=exact)
        except TooLargeValueError as err:
            detail = f"the answer (status {self.status}) has {err}"
            raise TooLargeError(detail) from err
        except ValueError as err:
            message = f"the answer (status {self.status}) is not JSON"
            raise self.unexpected(message) from err

    async def json(self, *, strict: bool = True) -> object:
        """Return the body as ``decoded`` has it, decoded in a thread if it is long."""
        return await self.async_read(lambda answer: answer.decoded(strict=strict))

    async def async_read[T](self, read: Callable[[Self], T]) -> T:
        """Return the result of a function of the answer, called in a thread if it is long."""
        if len(self.body) <= MAX_ON_LOOP:
            return read(self)
        return await asyncio.to_thread(read, self)

    @property
    def retry_after(self) -> float | None:
        """Return the seconds to wait, from either form of ``Retry-After`` (RFC 9110); at most an hour."""
        text = self.headers.get("Retry-After", "").strip()
        if text.isascii() and text.isdigit():
            return min(float(text), MAX_RETRY_AFTER)
        if (until := http_date(text)) is None:
            return None
        wait = (until - datetime.now(UTC)).total_seconds()
        return min(max(wait, 0.0), MAX_RETRY_AFTER)


def http_date(text: str) -> datetime | None:
    """Return the time of a header (RFC 9110); None if it is none."""
    try:
        date = parsedate_to_datetime(text)
    except ValueError:
        return None
    return date.replace(tzinfo=date.tzinfo or UTC)


async def request_json(
    session: aiohttp.ClientSession | Guard,
    method: str,
    url: str | URL,
    *,
    timeout: float,
    headers: Mapping[str, str] | None = None,
    json: object = None,
    params: Mapping[str, str] | None = None,
    max_body: int = MAX_BODY,
) -> Answer:
    """Send a request, with ``json`` as its body unless None, and read the whole answer of any status.

    Redirects are only followed by a guard, which checks each, and only for GET and HEAD: aiohttp would turn a redirected
    POST into a GET. aiohttp repeats an idempotent request, but never a POST or PATCH, by itself when the connection ends
    before an answer begins.

    Args:
        session: used, never closed; a guard for a URL that did not come from the owner.
        method: HTTP method in capitals.
        url: an absolute ``http`` or ``https`` URL; a text is checked.
        timeout: seconds for the whole request; of them, at most half, and no more than five, for connecting.
        headers: additional headers.
        json: the body.
        params: query of the URL.
        max_body: maximum number of bytes to accept, decompressed.

    Raises:
        UnreachableError: no contact in time; nothing was sent.
        UnreachableError: TLS failed; nothing was sent.
        LostAnswerError: sent, but the answer was incomplete or did not come in time.
        UnexpectedAnswerError: not HTTP, endless redirects, or (TooLargeError) a body over the limit.
        InvalidRequestError: not a URL, or one that the guard does not allow.
    """
    if isinstance(url, str):
        try:
            url = web_url(url)
        except ValueError as err:
            raise InvalidRequestError(str(err)) from None
    data, defaults = None, _HEADERS
    if json is not None:
        data, defaults = encode(json).encode(), _JSON_HEADERS
    try:
        async with session.request(
            method,
            url,
            params=params,
            headers={**defaults, **headers} if headers else defaults,
            data=data,
            auto_decompress=False,
            allow_redirects=isinstance(session, Guard) and method in ("GET", "HEAD"),
            # Not "connect": a name look-up that takes longer would be logged with a traceback.
            timeout=aiohttp.ClientTimeout(
                total=timeout, sock_connect=min(MAX_CONNECT_SECONDS, timeout / 2)
            ),
        ) as response:
            body = bytearray()
            async with aclosing(chunks(response, max_body)) as received:
                async for chunk in received:
                    body += chunk
                    if len(body) > max_body:
                        response.close()
                        raise _too_large(max_body)
            url = str(response.url)
            return Answer(response.status, response.headers, bytes(body), url)
    except (aiohttp.ClientError, TimeoutError) as err:
        # Without the cause: some of aiohttp's exceptions hold the request's headers, and with them the key.
        raise transport_error(err) from None


async def chunks(response: aiohttp.ClientResponse, limit: int) -> AsyncGenerator[bytes]:
    """Yield the body of a request without ``auto_decompress``, decompressed, in pieces of up to 64 KB.

    aiohttp 3.14 would decompress all that comes at once on the loop: thousands of empty frames of zstd in a second.

    Raises:
        LostAnswerError: the end is missing.
        UnexpectedAnswerError: not what gzip writes, or (TooLargeError) over the limit before it is decompressed.
    """
    received = response.content.iter_chunked(CHUNK)
    # Nothing else was asked for.
    if response.headers.get("Content-Encoding", "").lower() not in ("gzip", "x-gzip"):
        async for chunk in received:
            yield chunk
        return
    unpack, length = zlib.decompressobj(16 + zlib.MAX_WBITS), 0
    try:
        async for chunk in received:
            if (length := length + len(chunk)) > limit:
                raise _too_large(limit)
            while chunk and not unpack.eof:
                if piece := unpack.decompress(chunk, CHUNK):
                    yield piece
                chunk = unpack.unconsumed_tail
                await asyncio.sleep(0)
        yield unpack.flush()
    except zlib.error:
        raise UnexpectedAnswerError("the answer is not what gzip writes") from None
    if length and not unpack.eof:
        raise LostAnswerError("the answer was cut short")


def _too_large(limit: int) -> TooLargeError:
    """Return the error of a body that is longer than a number of bytes."""
    return TooLargeError(f"the answer is longer than {limit} bytes", limit)


def transport_error(err: aiohttp.ClientError | TimeoutError) -> Dp1Error:
    """Map an exception of aiohttp, depending on whether the request can have reached the other side."""
    # Its text may hold headers or credentials.
    name = type(err).__name__
    match err:
        case aiohttp.ClientSSLError():
            return UnreachableError(f"no secure connection to {err.host}: {err}")
        case aiohttp.ClientConnectorError():
            where = f"{err.host}:{err.port}"
            if _is_refusal(err.os_error):
                return UnreachableError(
                    f"{where} refuses the connection", key="refused"
                )
            return UnreachableError(f"no contact with {where}: {err.os_error}")
        case aiohttp.ConnectionTimeoutError():
            return UnreachableError("no connection in time")
        case aiohttp.RedirectClientError() | aiohttp.ClientResponseError():
            return UnexpectedAnswerError(f"not a proper HTTP answer ({name})")
        case aiohttp.InvalidURL():
            return InvalidRequestError("not a web address (http or https)")
        case TimeoutError():
            return LostAnswerError("no answer in time")
        case _:
            return LostAnswerError(f"the connection was cut ({name})")


def _is_refusal(err: OSError) -> bool:
    """Return whether the connection was refused; of several failed attempts only the text of the error tells."""
    return isinstance(err, ConnectionRefusedError) or (
        err.errno is None and f"[Errno {ECONNREFUSED}]" in str(err)
    )


def status_error(answer: Answer, message: str) -> Dp1Error:
    """Return the error for an unsuccessful answer, by its status alone.

    Args:
        answer: the answer.
        message: the other side's message, safe to show.
    """
    match answer.status:
        case 401 | 403:
            return AuthenticationError(message)
        case 404 | 410:
            return NotFoundError(message)
        case 409:
            return ConflictError(message)
        case 429:
            return BusyError(message, answer.retry_after)
        case 503 if (wait := answer.retry_after) is not None:
            return BusyError(message, wait)
        case status if status >= 500:
            return TemporaryError(message)
        case status if status >= 400:
            return InvalidRequestError(message)
        case _:
            return UnexpectedAnswerError(message)


MAX_PAGE = 64 * 1024
_CHARSET = re.compile(rb"charset=[\"']?([\w-]+)", re.IGNORECASE)
_CHARSET_WITHIN = 1024
_TITLE = re.compile(rb"<title(?:\s[^<>]*+)?>([^<]*+)", re.IGNORECASE)


async def read_title(response: aiohttp.ClientResponse) -> str:
    """Return the title within the first 64 KB of a page, cleaned; empty if there is none, or if it is no page.

    Raises:
        UnexpectedAnswerError: compressed, but not by gzip.
        aiohttp.ClientError: the connection ended early.
        TimeoutError: it took too long.
    """
    if not response.ok or response.content_type != "text/html":
        return ""
    head = bytearray()
    async with aclosing(chunks(response, MAX_PAGE)) as received:
        async for chunk in received:
            head += chunk
            if len(head) >= MAX_PAGE:
                break
    if (match := _TITLE.search(head[:MAX_PAGE])) is None:
        return ""
    title = match[1][: READ_LENGTHS * MAX_TITLE]
    encoding = _CHARSET.search(head[:_CHARSET_WITHIN])
    charset = response.charset or (
        encoding[1].decode("ascii", "ignore") if encoding else ""
    )
    try:
        text = title.decode(charset or "utf-8", "replace")
    except LookupError, ValueError:
        text = title.decode(errors="replace")
    return clean(text, MAX_TITLE)
