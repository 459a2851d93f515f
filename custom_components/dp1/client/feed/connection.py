"""Requests to a feed: its kind of server, its clock and addresses, retries, and typed errors.

All server families answer ``{"error": code, "message": text}``; whatever stands in front of them may answer HTML or plain
text. What is said about a request is passed on, what is said about the server itself (its database, hosts, users) only
goes to the debug log. Source: the interface descriptions of the servers, and the codes and texts of running servers.
"""

import asyncio
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime, timedelta
from enum import StrEnum
from functools import partial
from http import HTTPStatus
from itertools import zip_longest
import logging
import re
from typing import Any, Self
from urllib.parse import quote, unquote

import aiohttp

from ..errors import (
    AuthenticationError,
    BusyError,
    ConflictError,
    Dp1Error,
    Fault,
    InvalidPlaylistError,
    InvalidRequestError,
    NotFoundError,
    UnexpectedAnswerError,
)
from ..guard import Guard
from ..http import Answer, http_date, request_json, status_error
from ..playlist.document import MAX_DOCUMENT
from ..playlist.schema import UUID
from ..retry import DEADLINE, Manners
from ..text import MAX_URL, clean, is_technical
from ..values import MAX_TEXT, mapping

_LOGGER = logging.getLogger(__name__)

MAX_MESSAGE = 300
# Of what a feed says: its report on a document has a line for each fault.
MAX_WORDS = 16 * 1024
MAX_FAULTS = 50

SIGNATURE_CODES = {"signature_verification_failed", "signature_invalid"}
IDENTIFIER_CODES = {"invalid_id", "invalid_identifier"}
# Texts that tell refusals with the same status apart.
REFUSALS: tuple[tuple[int, str, type[Dp1Error], str, str], ...] = (
    (401, "must carry signatures", Dp1Error, "needs_signature", "it takes signatures"),
    (403, "has no owner", Dp1Error, "no_owner", "the playlist belongs to nobody"),
    (403, "", AuthenticationError, "forbidden", "it does not allow this"),
    (409, "was deleted on this", ConflictError, "id_deleted", "the ID was deleted"),
    (409, "with this slug", ConflictError, "slug_taken", "another has this slug"),
    (409, "since it was", ConflictError, "changed", "it has just been changed"),
    (413, "", InvalidRequestError, "too_large", "the document is too large"),
    (500, "playlist_item_index_pkey", InvalidRequestError, "", "two works have one ID"),
    (500, "_slug_key", ConflictError, "slug_taken", "another has this slug"),
    (500, "SQLSTATE 23505", ConflictError, "", "another playlist has this ID"),
    (500, "SQLSTATE 23503", ConflictError, "in_use", "a channel holds the playlist"),
)

UNKNOWN_FIELD = re.compile(r'^json: unknown field "(\w+)"')
SCHEMA_LINE = re.compile(r"^(?P<indent> *)- at '(?P<pointer>[^']*)': (?P<text>.*)$")
MISSING = re.compile(r"^missing propert(?:y|ies) (?P<names>'.*')$")
BINDING_LINE = re.compile(r"^Key: '\w+\.(?P<field>[^']*)' Error:(?P<text>.*)$")


def feed_error(
    answer: Answer,
    *,
    secret: str | None,
    sent_document: bool,
    reading: bool = False,
) -> Dp1Error:
    """Return the error for a response that is not a success.

    Args:
        answer: the answer.
        secret: what must not be repeated even if the feed does.
        sent_document: whether the request carried a document, so that a complaint is about it.
        reading: whether the request asked for nothing but an answer.
    """
    code, text = _words(answer)
    words = _safe(text, secret)
    message = _safe(_status_text(answer), secret)
    if words:
        _LOGGER.debug("The feed answered %s: %s", answer.status, words)
    for status, part, kind, key, reason in () if reading else REFUSALS:
        if answer.status == status and part in text:
            return kind(reason, key=key)
    if answer.status < 500 and not is_technical(text):
        message = words or message
    if answer.status not in (400, 422):
        return status_error(answer, message)
    if code == "invalid_timestamp":
        return InvalidRequestError(message, placeholders={"field": ""})
    if code in SIGNATURE_CODES:
        return Dp1Error(message, key="signature_refused")
    if sent_document and (unknown := UNKNOWN_FIELD.search(text)):
        return InvalidRequestError(message, placeholders={"field": unknown[1]})
    if not sent_document:
        refused = NotFoundError if code in IDENTIFIER_CODES else InvalidRequestError
        return refused(message)
    faults = [f for f in _faults(code, text) if not is_technical(f.message)]
    if faults:
        return InvalidPlaylistError(
            Fault(_safe(fault.path, secret), _safe(fault.message, secret))
            for fault in faults[:MAX_FAULTS]
        )
    return InvalidRequestError(message)


def _safe(text: str, secret: str | None) -> str:
    """Clean up text from a server, and remove the secret if it is repeated."""
    return clean(text.replace(secret, "***") if secret else text, MAX_MESSAGE)


def _words(answer: Answer) -> tuple[str, str]:
    """Return code and message of a body; a page of HTML has neither."""
    try:
        body = answer.decoded()
    except UnexpectedAnswerError:
        kind = answer.headers.get("Content-Type", "")
        plain = kind.partition(";")[0].strip().lower() == "text/plain"
        return "", answer.body[:MAX_WORDS].decode(errors="replace") if plain else ""
    if not isinstance(body, dict):
        return "", ""
    code, message = (
        text[:MAX_WORDS] if isinstance(text := body.get(name), str) else ""
        for name in ("error", "message")
    )
    return code, message or code


def _status_text(answer: Answer) -> str:
    """Return a text for a status, for responses without a message."""
    try:
        text = f"HTTP {answer.status} {HTTPStatus(answer.status).phrase}"
    except ValueError:
        text = f"HTTP {answer.status}"
    if answer.status < 400 and (place := answer.headers.get("Location")):
        text += f", to {clean(place, MAX_MESSAGE)}"
    return text


def _faults(code: str, text: str) -> list[Fault]:
    """Return the faults of a document that a message names."""
    if code == "invalid_id":
        return [Fault("id", text)]
    return list(dict.fromkeys(_schema_faults(text) or _binding_faults(text)))


def _schema_faults(text: str) -> list[Fault]:
    """Return the faults in a V2 feed's schema report, an indented tree whose leaves are the messages."""
    lines = [match for line in text.splitlines() if (match := SCHEMA_LINE.match(line))]
    faults = []
    for line, after in zip_longest(lines, lines[1:]):
        if after and len(after["indent"]) > len(line["indent"]):
            continue
        parts = [
            part.replace("~1", "/").replace("~0", "~")
            for part in line["pointer"].split("/")[1:]
        ]
        if missing := MISSING.match(line["text"]):
            faults += [
                Fault(_path([*parts, name]), "is missing")
                for name in re.findall(r"'([^']+)'", missing["names"])
            ]
        else:
            faults.append(Fault(_path(parts), line["text"]))
    return faults


def _binding_faults(text: str) -> list[Fault]:
    """Return the faults in a V2 feed's report on the fields of a request, one line per field."""
    return [
        Fault(".".join(map(_json_name, match["field"].split("."))), match["text"])
        for line in text.splitlines()
        if (match := BINDING_LINE.match(line))
    ]


def _json_name(name: str) -> str:
    """Return the JSON name for a field name of the server: ``DPVersion`` is ``dpVersion``."""
    capitals = re.match(r"[A-Z]+(?=[A-Z][a-z]|$|\[)|[A-Z]", name)
    return name[: capitals.end()].lower() + name[capitals.end() :] if capitals else name


def _path(parts: Iterable[str]) -> str:
    """Write a path as everywhere here: ``items[2].source``."""
    return "".join(
        f"[{part}]" if part.isdecimal() else f".{part}" for part in parts
    ).removeprefix(".")


# A document and its signatures.
MAX_BODY = MAX_DOCUMENT + 1024 * 1024

READ_TIMEOUT = 12.0
WRITE_TIMEOUT = 15.0


class Family(StrEnum):
    """Kind of feed server."""

    V2 = "v2"
    """In Go, until early 2026: takes an API key or signatures."""
    SIGNED = "signed"
    """In Go, from 2026 on: takes signatures only, and signed intents for changes and deletions."""
    TS = "ts"
    """In TypeScript: only read."""


def family_of(info: object) -> Family:
    """Return the kind of a server from its response at the base URL.

    Raises:
        UnexpectedAnswerError: this is no feed.
    """
    server = mapping(info)
    endpoints = server.get("endpoints")
    if not isinstance(endpoints, Mapping) or "playlists" not in endpoints:
        raise UnexpectedAnswerError("no DP-1 feed at this address")
    if server.get("runtime") != "go":
        return Family.V2 if "registry" in endpoints else Family.TS
    is_released = re.match("[1-9]", str(server.get("version")))
    keyless = "registry" not in endpoints or is_released
    return Family.SIGNED if keyless else Family.V2


# With a larger offset, intents use our own time: the feed must not choose when an intent is valid.
MAX_FOLLOWED = timedelta(hours=1)


class FeedClock:
    """Offset of a feed's clock from ours."""

    def __init__(self) -> None:
        """Initialize without an offset."""
        self.ahead = timedelta()

    def note(self, headers: Mapping[str, str]) -> None:
        """Update the offset from a response."""
        if date := http_date(headers.get("Date", "")):
            self.ahead = date - datetime.now(UTC)

    @property
    def minutes_off(self) -> int:
        """Return by how many minutes the clocks differ, at least 1."""
        return max(1, round(abs(self.ahead.total_seconds()) / 60))

    def for_documents(self) -> datetime:
        """Return the present time, which is not later than it is for the feed."""
        return datetime.now(UTC) + min(self.ahead, timedelta())

    def for_intents(self) -> datetime:
        """Return the present time by the clock of the feed, unless that is off by more than an hour."""
        ahead = self.ahead if abs(self.ahead) <= MAX_FOLLOWED else timedelta()
        return datetime.now(UTC) + ahead


@dataclass(frozen=True, slots=True)
class FeedConnection:
    """URL and credentials of a feed.

    Attributes:
        session: what to send with.
        url: normalized base address of the feed.
        api_key: the feed's API key, if there is one.
        clock: the clock of the feed.
        manners: how it and the other hosts are asked.
        end: when the last request has to be over, on the clock of the event loop; None for each its own deadline.
    """

    session: aiohttp.ClientSession | Guard = field(repr=False)
    url: str
    api_key: str | None = field(default=None, repr=False)
    clock: FeedClock = field(default_factory=FeedClock, repr=False)
    manners: Manners = field(default_factory=lambda: Manners(BusyError), repr=False)
    end: float | None = None

    def with_deadline(self) -> Self:
        """Return the same connection for several requests that share one deadline."""
        return replace(self, end=_now() + DEADLINE)

    def playlist_url(self, ref: str) -> str:
        """Return the address of a playlist, by its id (which never changes) or slug.

        Raises:
            NotFoundError: no playlist can be called that.
        """
        name = ref.strip()
        if name in ("", ".", "..") or len(name) > MAX_TEXT:
            raise NotFoundError("no name")
        if UUID.fullmatch(name):
            name = name.lower()
        return f"{self.url}/playlists/{quote(name, safe='')}"

    def own_url(self, ref: str) -> str:
        """Return the address of a playlist, by id, slug or address; another host's is not ours to change.

        Raises:
            NotFoundError: no playlist can be called that.
            InvalidRequestError: the address of another host.
        """
        name = unquote(ref.strip().removeprefix(f"{self.url}/playlists/")[:MAX_URL])
        if "://" in name:
            raise InvalidRequestError("not a playlist of this feed")
        return self.playlist_url(name)

    async def read(self, url: str, **options: Any) -> Answer:
        """Get an answer; with ``headers`` that name a kept copy, it may be a 304 without a body.

        Args:
            url: where from.
            options: as ``request_json`` has them.

        Raises:
            Dp1Error: as ``send`` has it.
        """
        return await self.send("GET", url, **options)

    def _authorization(self) -> str:
        """Return the header as the strictest server expects it, with exactly one blank."""
        if not self.api_key:
            raise AuthenticationError(
                "this feed needs an API key for that", key="needs_key"
            )
        if not (self.api_key.isascii() and self.api_key.isprintable()):
            raise AuthenticationError("the API key has characters that no key has")
        return f"Bearer {self.api_key}"

    async def send(
        self,
        method: str,
        url: str,
        body: object = None,
        *,
        with_key: bool = False,
        document: bool = False,
        repeatable: bool = False,
        **options: Any,
    ) -> Answer:
        """Send a request, and repeat it after a pause if it was refused without effect.

        Args:
            method: HTTP method.
            url: where to.
            body: what to send as JSON, unless None.
            with_key: whether the API key goes along.
            document: whether the body is a document, so that a complaint is about its faults.
            repeatable: whether a second arrival would do no harm, so that a 503 may be waited out too.
            options: as ``request_json`` has them.

        Raises:
            AuthenticationError: no key, or the feed does not accept it.
            Dp1Error: as ``request_json`` and ``feed_error`` have it.
        """
        reading = method == "GET"
        sent = {"max_body": MAX_BODY, "json": body, **options}
        if with_key:
            sent["headers"] = {"Authorization": self._authorization()}
        is_refused = False

        async def once(left: float) -> Answer:
            """Send it once."""
            nonlocal is_refused
            timeout = min(READ_TIMEOUT if reading else WRITE_TIMEOUT, left)
            answer = await request_json(
                self.session, method, url, timeout=timeout, **sent
            )
            if not reading:
                # What is read may be a copy that a proxy has kept for hours.
                self.clock.note(answer.headers)
            if answer.ok or (answer.status == 304 and options.get("headers")):
                return answer
            is_refused = answer.status == 429
            raise await answer.async_read(
                partial(
                    feed_error,
                    secret=self.api_key,
                    sent_document=document,
                    reading=reading,
                )
            )

        return await self.manners.ask(
            once,
            server=url.partition("://")[2].partition("/")[0],
            end=self.end,
            may_repeat=lambda error: is_refused or reading or repeatable,
        )


def _now() -> float:
    """Return the time on the clock of the event loop."""
    return asyncio.get_running_loop().time()
