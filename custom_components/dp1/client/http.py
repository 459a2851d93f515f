"""JSON requests over HTTP, bounded in time and size, with a typed error for every failure."""

import asyncio
from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import UTC, datetime
from email.utils import parsedate_to_datetime
from errno import ECONNREFUSED
from functools import lru_cache
from json import JSONEncoder

import aiohttp
from yarl import URL

from .errors import (
    AuthenticationError,
    BusyError,
    ConflictError,
    Dp1Error,
    InvalidRequestError,
    LostAnswerError,
    NoAnswerError,
    NotFoundError,
    RefusedError,
    TemporaryError,
    TooLargeError,
    UnexpectedAnswerError,
    UnreachableError,
    WebPageError,
)
from .guard import Guard
from .url import web_url
from .values import MAX_ON_LOOP, TooLargeValueError, decode

MAX_BODY = 4 * 1024 * 1024
MAX_CONNECT_SECONDS = 10.0
MAX_RETRY_AFTER = 86400.0
CHUNK = 64 * 1024
# Of a body whose middle is skipped.
HEAD = 256 * 1024
TAIL = 4096
_HEADERS = {"Accept": "application/json"}
_JSON_HEADERS = {**_HEADERS, "Content-Type": "application/json"}
encode = JSONEncoder(separators=(",", ":"), allow_nan=False).encode


@dataclass(slots=True)
class Answer:
    """A whole answer.

    Attributes:
        status: HTTP status code, after redirects.
        headers: the headers, case-insensitive.
        body: the body, decompressed; the beginning of one that is longer than wanted.
        tail: the end of such a body, of which the middle was skipped; else empty.
        url: the URL, after redirects.
        strict: whether ``json`` raises for what no other program would read, instead of leaving it out.
    """

    status: int
    headers: Mapping[str, str] = field(repr=False)
    body: bytes = field(repr=False)
    url: str
    tail: bytes = field(default=b"", repr=False)
    strict: bool = True
    _decoded: list[object] = field(default_factory=list, init=False, repr=False)

    @property
    def ok(self) -> bool:
        """Return whether the status is one of success (2xx)."""
        return 200 <= self.status < 300

    @property
    def is_web_page(self) -> bool:
        """Return whether the body is HTML, whatever the headers say."""
        return self.body.lstrip()[:1] == b"<"

    def json(self) -> object:
        """Return the body as JSON.

        Raises:
            UnexpectedAnswerError: it is not JSON (a WebPageError if it is HTML), has half a surrogate pair or a number
                that JSON does not allow (NaN, Infinity), or (TooLargeError) has too many values or levels.
        """
        if self._decoded:
            # Returned once: the caller may change it.
            if isinstance(value := self._decoded.pop(), UnexpectedAnswerError):
                raise value
            return value
        try:
            return decode(self.body, strict=self.strict)
        except TooLargeValueError as err:
            detail = f"the answer (status {self.status}) has {err}"
            raise TooLargeError(detail) from err
        except ValueError as err:
            kind = WebPageError if self.is_web_page else UnexpectedAnswerError
            raise kind(f"the answer (status {self.status}) is not JSON") from err

    async def async_decode(self) -> None:
        """Decode a long body in a thread, so that ``json`` has the result ready."""
        if len(self.body) <= MAX_ON_LOOP:
            return
        try:
            self._decoded.append(await asyncio.to_thread(self.json))
        except UnexpectedAnswerError as err:
            self._decoded.append(err)

    @property
    def retry_after(self) -> float | None:
        """Return the seconds to wait, from either form of ``Retry-After`` (RFC 9110); at most a day."""
        text = self.headers.get("Retry-After", "").strip()
        if text.isascii() and text.isdigit():
            return min(float(text), MAX_RETRY_AFTER)
        try:
            until = parsedate_to_datetime(text)
        except ValueError:
            return None
        if until.tzinfo is None:
            until = until.replace(tzinfo=UTC)
        wait = (until - datetime.now(UTC)).total_seconds()
        return min(max(wait, 0.0), MAX_RETRY_AFTER)


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
    max_skipped: int = 0,
    connect: float = MAX_CONNECT_SECONDS,
) -> Answer:
    """Send a request, with ``json`` as its body unless None, and read the whole answer whatever its status.

    Redirects are only followed by a guard, which checks each, and only for GET and HEAD: aiohttp would turn a redirected
    POST into a GET. aiohttp repeats an idempotent request, but never a POST or PATCH, by itself when the connection ends
    before an answer begins.

    Args:
        session: used, never closed; a guard for a URL that did not come from the owner.
        method: HTTP method in capitals.
        url: an absolute ``http`` or ``https`` URL; a text is checked.
        timeout: seconds for the whole request.
        headers: additional headers.
        json: the body.
        params: query of the URL.
        max_body: maximum number of bytes to accept, decompressed.
        max_skipped: of a longer body, up to so many bytes, keep the first ``HEAD`` and the last ``TAIL`` bytes.
        connect: seconds for connecting, but at most half of ``timeout``.

    Raises:
        RefusedError: the connection was refused; nothing was sent.
        NoAnswerError: no contact in time; nothing was sent.
        UnreachableError: TLS failed; nothing was sent.
        LostAnswerError: sent, but the answer was incomplete or did not come in time.
        UnexpectedAnswerError: not HTTP, endless redirects, or (TooLargeError) a body over both limits.
        InvalidRequestError: not a URL, or (BlockedAddressError) one that the guard does not allow.
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
            allow_redirects=isinstance(session, Guard) and method in ("GET", "HEAD"),
            timeout=_timeout(timeout, min(connect, timeout / 2)),
        ) as response:
            body, tail = await _read(response, max_body, max_skipped)
            url = str(response.url)
            return Answer(response.status, response.headers, body, url, tail)
    except (aiohttp.ClientError, TimeoutError) as err:
        # Without the cause: some of aiohttp's exceptions hold the request's headers, and with them the key.
        raise transport_error(err) from None


@lru_cache
def _timeout(total: float, connect: float) -> aiohttp.ClientTimeout:
    """Return the limits of a request in seconds."""
    # Not "connect": a name look-up that takes longer would be logged with a traceback.
    return aiohttp.ClientTimeout(total=total, sock_connect=connect)


async def _read(
    response: aiohttp.ClientResponse, max_body: int, max_skipped: int
) -> tuple[bytes, bytes]:
    """Read the body up to the limit, and return it, or its two ends."""
    length = response.content_length
    if (
        length is not None
        and length <= min(CHUNK, max_body)
        and "Content-Encoding" not in response.headers
    ):
        return await response.read(), b""
    body, tail, length = bytearray(), bytearray(), 0
    async for chunk in response.content.iter_chunked(CHUNK):
        length += len(chunk)
        if length <= max_body:
            body += chunk
        elif length <= max_skipped:
            if tail:
                tail += chunk
            else:
                body += chunk
                tail = body[-TAIL:]
            del tail[:-TAIL], body[HEAD:]
        else:
            response.close()
            limit = max(max_body, max_skipped)
            raise TooLargeError(f"the answer is longer than {limit} bytes", limit)
    return bytes(body), bytes(tail)


def transport_error(err: aiohttp.ClientError | TimeoutError) -> Dp1Error:
    """Map an exception of aiohttp, depending on whether the request can have reached the other side."""
    match err:
        case aiohttp.ClientSSLError():
            return UnreachableError(f"no secure connection to {err.host}: {err}")
        case aiohttp.ClientConnectorError():
            where = f"{err.host}:{err.port}"
            if _is_refusal(err.os_error):
                return RefusedError(f"{where} refuses the connection")
            return NoAnswerError(f"no contact with {where}: {err.os_error}")
        case aiohttp.ConnectionTimeoutError():
            return NoAnswerError("no connection in time")
        case aiohttp.RedirectClientError() | aiohttp.ClientResponseError():
            return UnexpectedAnswerError(f"not a proper HTTP answer ({_name(err)})")
        case aiohttp.InvalidURL():
            return InvalidRequestError("not a web address (http or https)")
        case TimeoutError():
            return LostAnswerError("no answer in time")
        case _:
            return LostAnswerError(f"the connection was cut ({_name(err)})")


def _is_refusal(err: OSError) -> bool:
    """Return whether the connection was refused; of several failed attempts only the text of the error tells."""
    return isinstance(err, ConnectionRefusedError) or (
        err.errno is None and f"[Errno {ECONNREFUSED}]" in str(err)
    )


def _name(err: Exception) -> str:
    """Return the type of an exception; its text may hold headers or credentials."""
    return type(err).__name__


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
