"""Requests to one feed: authorization, retries, and typed errors."""

import asyncio
from collections import OrderedDict
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
import random
from typing import Self

import aiohttp

from ..errors import ApiKeyNeededError, AuthenticationError, BusyError, NoAnswerError
from ..guard import Guard
from ..http import Answer, request_json
from .clock import FeedClock
from .errors import feed_error

MAX_ANSWERS = 32
MAX_BYTES = 512 * 1024
MAX_BODY = 1024 * 1024
# What is only read to find what comes after it.
MAX_SKIPPED_BODY = 64 * 1024 * 1024

READ_TIMEOUT = 12.0
WRITE_TIMEOUT = 15.0
# Each operation ends after that many seconds, including pauses and retries.
DEADLINE = 30.0
TRIES = 3
FIRST_PAUSE = 0.5


class AnswerCache:
    """The last few answers that carried an ETag, by address; kept as bytes, so that no reader can change them."""

    def __init__(self) -> None:
        """Start empty."""
        self._answers: OrderedDict[str, Answer] = OrderedDict()

    def get(self, url: str) -> Answer | None:
        """Return the last response from a URL."""
        return self._answers.get(url)

    def keep(self, url: str, answer: Answer) -> None:
        """Cache a response if it has an ETag and is not too large, else remove the URL from the cache."""
        self._answers.pop(url, None)
        if "ETag" in answer.headers and len(answer.body) <= MAX_BYTES:
            self._answers[url] = answer
            if len(self._answers) > MAX_ANSWERS:
                self._answers.popitem(last=False)


@dataclass(frozen=True, slots=True)
class FeedConnection:
    """URL and credentials of a feed.

    Attributes:
        session: what to send with.
        url: normalized base address of the feed.
        api_key: the feed's API key, if there is one.
        clock: the clock of the feed.
        end: when the last request has to be over, on the clock of the event loop; None for each its own deadline.
    """

    session: aiohttp.ClientSession | Guard = field(repr=False)
    url: str
    api_key: str | None = field(default=None, repr=False)
    clock: FeedClock = field(default_factory=FeedClock, repr=False)
    end: float | None = None

    def with_deadline(self) -> Self:
        """Return the same connection for several requests that share one deadline."""
        return replace(self, end=_now() + DEADLINE)

    async def read(
        self,
        url: str,
        *,
        params: Mapping[str, str] | None = None,
        etag: str | None = None,
        tail: int | None = None,
    ) -> Answer:
        """Get something; with an ``etag`` the answer may be a 304 without a body.

        Args:
            url: where from.
            params: query of the address.
            etag: what is known already.
            tail: read a body that is much larger, and keep only so many bytes of its end.

        Raises:
            Dp1Error: as ``request_json`` and ``feed_error`` have it.
        """
        headers = {"If-None-Match": etag} if etag else None
        return await self._call("GET", url, params=params, headers=headers, tail=tail)

    async def write(
        self,
        method: str,
        url: str,
        body: object = None,
        *,
        with_key: bool,
        document: bool = False,
        repeatable: bool = False,
    ) -> Answer:
        """Change something.

        Args:
            method: HTTP method.
            url: where to.
            body: what to send as JSON, unless None.
            with_key: whether the API key goes along.
            document: whether the body is a document, so that a complaint is about its faults.
            repeatable: whether a second arrival would do no harm, so that a 503 may be waited out too.

        Raises:
            AuthenticationError: no key, or the feed does not accept it.
            Dp1Error: as ``request_json`` and ``feed_error`` have it.
        """
        return await self._call(
            method,
            url,
            json=body,
            headers={"Authorization": self._authorization()} if with_key else None,
            document=document,
            repeatable=repeatable,
        )

    def _authorization(self) -> str:
        """Return the header as the strictest server expects it, with exactly one blank."""
        if not self.api_key:
            raise ApiKeyNeededError("this feed needs an API key for that")
        if not (self.api_key.isascii() and self.api_key.isprintable()):
            raise AuthenticationError("the API key has characters that no key has")
        return f"Bearer {self.api_key}"

    async def _call(
        self,
        method: str,
        url: str,
        *,
        params: Mapping[str, str] | None = None,
        headers: Mapping[str, str] | None = None,
        json: object = None,
        document: bool = False,
        repeatable: bool = False,
        tail: int | None = None,
    ) -> Answer:
        """Send a request, and repeat it after a pause if the feed refused it without effect."""
        reading = method == "GET"
        end = self.end or _now() + DEADLINE
        attempt = 0
        while (left := end - _now()) > 0:
            attempt += 1
            answer = await request_json(
                self.session,
                method,
                url,
                params=params,
                headers=headers,
                json=json,
                timeout=min(READ_TIMEOUT if reading else WRITE_TIMEOUT, left),
                max_body=MAX_BODY if tail is None else MAX_SKIPPED_BODY,
                tail=tail,
            )
            self.clock.note(answer.headers)
            await answer.async_decode()
            if answer.ok or (answer.status == 304 and headers):
                return answer
            error = feed_error(
                answer,
                secret=self.api_key,
                sent_document=document,
                reading=reading,
            )
            if not isinstance(error, BusyError) or attempt == TRIES:
                raise error
            if answer.status != 429 and not (reading or repeatable):
                raise error
            pause = _pause(error, attempt)
            pause += random.uniform(0, max(0.2, pause / 5))
            if _now() + pause >= end:
                raise error
            await asyncio.sleep(pause)
        raise NoAnswerError("no time is left for another request")


def _pause(error: BusyError, attempt: int) -> float:
    """Return the seconds to wait: those the feed asks for, else doubling."""
    if error.retry_after is not None:
        return error.retry_after
    return FIRST_PAUSE * (1 << (attempt - 1))


def _now() -> float:
    """Return the time on the clock of the event loop."""
    return asyncio.get_running_loop().time()
