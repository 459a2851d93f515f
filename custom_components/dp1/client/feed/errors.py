"""Typed errors from the responses of a feed.

Both server families answer ``{"error": code, "message": text}``; whatever stands in front of them may answer HTML or
plain text. The codes and texts are those seen on running servers. What is said about a request is passed on, what is
said about the server itself (its database, hosts, users) only goes to the debug log.
"""

from http import HTTPStatus
from itertools import zip_longest
import logging
import re

from ..errors import (
    ChangedMeanwhileError,
    ConflictError,
    DocumentTooLargeError,
    Dp1Error,
    Fault,
    ForbiddenError,
    IdDeletedError,
    InUseError,
    InvalidPlaylistError,
    InvalidRequestError,
    NoOwnerError,
    NotFoundError,
    SignatureNeededError,
    SignatureRefusedError,
    SlugTakenError,
    TimestampRefusedError,
    UnexpectedAnswerError,
    UnknownFieldError,
)
from ..http import Answer, status_error
from ..text import clean, is_technical

_LOGGER = logging.getLogger(__name__)

MAX_MESSAGE = 300
MAX_FAULTS = 50

SIGNATURE_CODES = {"signature_verification_failed", "signature_invalid"}
IDENTIFIER_CODES = {"invalid_id", "invalid_identifier"}
# Texts that tell refusals with the same status apart.
REFUSALS: tuple[tuple[int, str, type[Dp1Error], str], ...] = (
    (401, "must carry signatures", SignatureNeededError, "it takes signatures only"),
    (403, "has no owner", NoOwnerError, "the playlist belongs to nobody"),
    (403, "", ForbiddenError, "it does not allow this"),
    (409, "was deleted on this feed", IdDeletedError, "the ID was deleted"),
    (409, "with this slug", SlugTakenError, "another playlist has this slug"),
    (409, "since it was authorized", ChangedMeanwhileError, "it has just been changed"),
    (413, "", DocumentTooLargeError, "the document is too large"),
    (500, "playlist_item_index_pkey", InvalidRequestError, "two works have one ID"),
    (500, "_slug_key", SlugTakenError, "another playlist has this slug"),
    (500, "SQLSTATE 23505", ConflictError, "another playlist has this ID"),
    (500, "SQLSTATE 23503", InUseError, "a group or channel holds the playlist"),
)

UNKNOWN_FIELD = re.compile(r'^json: unknown field "(\w+)"')
SCHEMA_LINE = re.compile(r"^(?P<indent> *)- at '(?P<pointer>[^']*)': (?P<text>.*)$")
MISSING = re.compile(r"^missing propert(?:y|ies) (?P<names>'.*')$")
BINDING_LINE = re.compile(r"^Key: '\w+\.(?P<field>[^']*)' Error:(?P<text>.*)$")
INPUT_PREFIX = re.compile(r"^Invalid \w+ data: ")
INPUT_FAULT = re.compile(r"^(?P<path>[\w.-]*): (?P<text>.*)$", re.DOTALL)


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
    for status, part, kind, told in () if reading else REFUSALS:
        if answer.status == status and part in text:
            return kind(told)
    if answer.status < 500 and not is_technical(text):
        message = words or message
    if answer.status not in (400, 422):
        return status_error(answer, message)
    if code == "invalid_timestamp":
        return TimestampRefusedError(message)
    if code in SIGNATURE_CODES:
        return SignatureRefusedError(message)
    if sent_document and (unknown := UNKNOWN_FIELD.search(text)):
        return UnknownFieldError(message, unknown[1])
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
        body = answer.json()
    except UnexpectedAnswerError:
        kind = answer.headers.get("Content-Type", "")
        plain = kind.partition(";")[0].strip().lower() == "text/plain"
        return "", answer.body.decode(errors="replace") if plain else ""
    if not isinstance(body, dict):
        return "", ""
    code, message = body.get("error"), body.get("message")
    code = code if isinstance(code, str) else ""
    return code, message if isinstance(message, str) else code


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
    faults = _schema_faults(text) or _binding_faults(text)
    if not faults and code == "validation_error":
        faults = _input_faults(text)
    return list(dict.fromkeys(faults))


def _schema_faults(text: str) -> list[Fault]:
    """Return the faults in a V2 feed's schema report, an indented tree whose leaves are the messages."""
    lines = [found for line in text.splitlines() if (found := SCHEMA_LINE.match(line))]
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
        Fault(".".join(map(_json_name, found["field"].split("."))), found["text"])
        for line in text.splitlines()
        if (found := BINDING_LINE.match(line))
    ]


def _json_name(name: str) -> str:
    """Return the JSON name for a field name of the server: ``DPVersion`` is ``dpVersion``."""
    capitals = re.match(r"[A-Z]+(?=[A-Z][a-z]|$|\[)|[A-Z]", name)
    return name[: capitals.end()].lower() + name[capitals.end() :] if capitals else name


def _input_faults(text: str) -> list[Fault]:
    """Return the faults in a TS feed's report: ``Invalid playlist data: path: text; path: text``."""
    faults: list[Fault] = []
    for part in INPUT_PREFIX.sub("", text).split("; "):
        if found := INPUT_FAULT.match(part):
            path = _path(_undoubled([p for p in found["path"].split(".") if p]))
            faults.append(Fault(path, found["text"]))
        elif faults:
            last = faults.pop()
            faults.append(Fault(last.path, f"{last.message}; {part}"))
        else:
            faults.append(Fault("", part))
    return faults


def _undoubled(parts: list[str]) -> list[str]:
    """Remove a repeated beginning: this family writes ``items.0.display.items.0.display.margin``."""
    for size in range(1, len(parts) // 2 + 1):
        if parts[:size] == parts[size : 2 * size]:
            return parts[size:]
    return parts


def _path(parts: list[str]) -> str:
    """Write a path as everywhere here: ``items[2].source``."""
    return "".join(
        f"[{part}]" if part.isdecimal() else f".{part}" for part in parts
    ).removeprefix(".")
