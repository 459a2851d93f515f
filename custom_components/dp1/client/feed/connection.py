"""One feed's kind of server, its clock and addresses, and requests to it: authorization, retries, and typed errors.

Source: the interface descriptions of the servers, and running servers of two of the three kinds.
"""

import asyncio
from collections import OrderedDict
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime, timedelta
from email.utils import parsedate_to_datetime
from enum import StrEnum
import random
import re
from typing import Self
from urllib.parse import quote, unquote

import aiohttp

from ..errors import (
    ApiKeyNeededError,
    AuthenticationError,
    BusyError,
    InvalidRequestError,
    NoAnswerError,
    NotFoundError,
    UnexpectedAnswerError,
)
from ..http import Answer, Guard, request_json
from ..playlist.document import MAX_DOCUMENT
from ..values import mapping
from .errors import feed_error

MAX_ANSWERS = 32
MAX_BYTES = 512 * 1024
# A document and its signatures.
MAX_BODY = MAX_DOCUMENT + 1024 * 1024

READ_TIMEOUT = 12.0
WRITE_TIMEOUT = 15.0
# Each operation ends after that many seconds, including pauses and retries.
DEADLINE = 30.0
TRIES = 3
FIRST_PAUSE = 0.5


class Family(StrEnum):
    """Kind of feed server."""

    V2 = "v2"
    """In Go, until early 2026: takes an API key or signatures."""
    SIGNED = "signed"
    """In Go, from 2026 on: takes signatures only, and signed intents for changes and deletions."""
    TS = "ts"
    """In TypeScript: takes an API key only, and signs by itself."""


def family_of(info: object) -> Family:
    """Return the kind of a server from its response at the base URL.

    Raises:
        UnexpectedAnswerError: this is no feed.
    """
    told = mapping(info)
    endpoints = told.get("endpoints")
    if not isinstance(endpoints, Mapping) or "playlists" not in endpoints:
        raise UnexpectedAnswerError("no DP-1 feed at this address")
    if told.get("runtime") != "go":
        return Family.V2 if "registry" in endpoints else Family.TS
    keyless = "registry" not in endpoints or _major(told.get("version")) >= 1
    return Family.SIGNED if keyless else Family.V2


def _major(version: object) -> int:
    """Read the first number of a version, 0 if there is none."""
    first = version.partition(".")[0] if isinstance(version, str) else ""
    return int(first) if first.isascii() and first.isdigit() else 0


# With a larger offset, intents use our own time: the feed must not choose when an intent is valid.
MAX_FOLLOWED = timedelta(hours=1)
# The feed accepts intents within five minutes of its clock.
NEAR = timedelta(minutes=2)
_NONE = timedelta()


class FeedClock:
    """Offset of a feed's clock from ours."""

    def __init__(self) -> None:
        """Initialize without an offset."""
        self.ahead = _NONE

    def note(self, headers: Mapping[str, str]) -> None:
        """Update the offset from a response; the age of a cached response is added."""
        try:
            date = parsedate_to_datetime(headers.get("Date", ""))
        except ValueError:
            return
        if date.tzinfo is None:
            date = date.replace(tzinfo=UTC)
        age = headers.get("Age", "")
        if age.isascii() and age.isdigit():
            date += timedelta(seconds=min(int(age), 86400))
        self.ahead = date - datetime.now(UTC)

    @property
    def minutes_off(self) -> int:
        """Return by how many minutes the clocks differ, at least 1."""
        return max(1, round(abs(self.ahead.total_seconds()) / 60))

    def for_documents(self) -> datetime:
        """Return the present time, which is not later than it is for the feed."""
        return datetime.now(UTC) + min(self.ahead, _NONE)

    def for_intents(self) -> datetime:
        """Return the present time, by the clock of the feed if ours is off by minutes."""
        now = datetime.now(UTC)
        if abs(self.ahead) <= NEAR:
            return now + min(self.ahead, _NONE)
        return now + self.ahead if abs(self.ahead) <= MAX_FOLLOWED else now


UUID_FORM = re.compile(r"[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}", re.IGNORECASE)


def playlist_url(base: str, ref: str) -> str:
    """Return the address of a playlist of a feed, by its id (which never changes) or slug.

    Raises:
        NotFoundError: no playlist can be called that.
    """
    name = ref.strip()
    if name in ("", ".", ".."):
        raise NotFoundError("no name")
    if UUID_FORM.fullmatch(name):
        name = name.lower()
    return f"{base}/playlists/{quote(name, safe='')}"


def own_url(base: str, ref: str) -> str:
    """Return the address of a playlist of a feed, by id, slug or address; another host's is not ours to change.

    Raises:
        InvalidRequestError: the address of another host.
    """
    name = unquote(ref.strip().removeprefix(f"{base}/playlists/"))
    if "://" in name:
        raise InvalidRequestError("not a playlist of this feed")
    return playlist_url(base, name)


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
        max_body: int | None = None,
        max_skipped: int = 0,
        strict: bool = True,
    ) -> Answer:
        """Get something; with an ``etag`` the answer may be a 304 without a body.

        Args:
            url: where from.
            params: query of the address.
            etag: what is known already.
            max_body: maximum number of bytes, if not those of a document.
            max_skipped: as ``request_json`` has it.
            strict: as ``Answer`` has it.

        Raises:
            Dp1Error: as ``request_json`` and ``feed_error`` have it.
        """
        headers = {"If-None-Match": etag} if etag else None
        return await self._call(
            "GET",
            url,
            params=params,
            headers=headers,
            max_body=max_body,
            max_skipped=max_skipped,
            strict=strict,
        )

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
        max_body: int | None = None,
        max_skipped: int = 0,
        strict: bool = True,
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
                max_body=MAX_BODY if max_body is None else max_body,
                max_skipped=max_skipped,
            )
            self.clock.note(answer.headers)
            answer.strict = strict
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
