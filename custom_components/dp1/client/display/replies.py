"""Replies of a display: the content of a successful answer, or the error of any other.

The outcomes are those of published Feral File firmware 0.9 to 2.0.7. Success is status 200 without ``ok: false`` in the
reply, which is wrapped in ``message`` once, twice or not at all.
"""

import asyncio
from collections.abc import Callable, Mapping
from typing import Any

from ..errors import (
    AddressNotAcceptedError,
    BusyError,
    Dp1Error,
    NotReadyError,
    PlayerNotRunningError,
    PlaylistRefusedError,
    RejectedError,
    TemporaryError,
    UnexpectedAnswerError,
    WebPageError,
)
from ..http import Answer
from ..text import clean, one_line
from ..values import MAX_ON_LOOP, decode, mapping

MAX_REPLY = 4 * 1024 * 1024
_MAX_TEXT = 4000
_REASON_KEYS = ("code", "error", "message", "reason", "detail")
# The body of every 500 of the firmware.
_NO_REASON = b"Failed to process cast request"
PLAYER_COMMANDS = frozenset(
    {
        "disconnect",
        "displayDefaultPlaylist",
        "displayPlaylist",
        "moveToArtwork",
        "refreshArtwork",
        "setLoop",
        "setShuffle",
        "updateDefaultDuration",
        "updateDisplaySettings",
    }
)
# With valid arguments, these fail without a reason only if the player does not answer.
_NEED_PLAYER = (PLAYER_COMMANDS - {"displayPlaylist"}) | {
    "checkStatus",
    "setSleepMode",
    "setSleepSchedule",
    "sleepNow",
    "wakeNow",
}


def reply(command: str, answer: Answer) -> Mapping[str, Any]:
    """Return the innermost reply to a command.

    Raises:
        Dp1Error: the answer is no success; see :class:`.client.Display`.
    """
    if answer.status != 200:
        raise refusal(command, answer)
    if not answer.body.strip():
        raise NotReadyError("an empty answer")
    try:
        value = decode(answer.body)
    except ValueError as err:
        kind = WebPageError if answer.is_web_page else UnexpectedAnswerError
        raise kind("the answer is not JSON") from err
    leaf = accepted(command, value)
    if isinstance(leaf, dict) and leaf.get("message", leaf) is not None:
        return leaf
    raise UnexpectedAnswerError("the reply is not an object")


def accepted(command: str, value: object) -> object:
    """Return the innermost reply.

    Raises:
        RejectedError: the reply is ``ok: false``.
    """
    leaf = unwrap(value)
    if isinstance(leaf, dict) and leaf.get("ok") is False:
        raise RejectedError(command, _reason(leaf))
    return leaf


async def parse_reply[T](
    command: str, answer: Answer, parse: Callable[[Mapping[str, Any]], T]
) -> T:
    """Parse the innermost reply to a command, in a thread if it is large."""
    if len(answer.body) <= MAX_ON_LOOP:
        return parse(reply(command, answer))
    return await asyncio.to_thread(lambda: parse(reply(command, answer)))


def unwrap(value: object) -> object:
    """Descend through ``message`` or ``data`` to the object with ``ok``."""
    while isinstance(value, dict) and not isinstance(value.get("ok"), bool):
        if isinstance(inner := value.get("message"), dict) or isinstance(
            inner := value.get("data"), dict
        ):
            value = inner
        else:
            break
    return value


def refusal(command: str, answer: Answer) -> Dp1Error:
    """Return the error of an answer that is not a success."""
    detail = _text_of(answer)
    match answer.status:
        case 204:
            return NotReadyError("the display is not showing its player")
        case 500 if answer.body.strip() in (b"", _NO_REASON):
            if command in _NEED_PLAYER:
                return PlayerNotRunningError(command)
            return RejectedError(command)
        case 400 | 413 | 500:
            return RejectedError(command, detail)
        case 403:
            return AddressNotAcceptedError(detail)
        case 422:
            code, _, words = detail.partition(":")
            return PlaylistRefusedError(command, code.strip(), words.strip())
        case 429:
            return BusyError(detail, answer.retry_after)
        case status if status > 500:
            return TemporaryError(f"status {status}")
        case status:
            kind = WebPageError if answer.is_web_page else UnexpectedAnswerError
            return kind(f"status {status}")


def _reason(leaf: Mapping[str, Any]) -> str:
    """Return the reason that the display gives: a code, a text or both."""
    given = []
    for place in (leaf, mapping(leaf.get("error")), mapping(leaf.get("message"))):
        given += [word for key in _REASON_KEYS if (word := clean(place.get(key)))]
    return ": ".join(given) or clean(leaf.get("status"))


def _text_of(answer: Answer) -> str:
    """Return a plain text body; an HTML page comes from something else than the display."""
    if answer.headers.get("Content-Type", "").partition(";")[0].strip() != "text/plain":
        return ""
    return one_line(answer.body[:_MAX_TEXT].decode("utf-8", "replace"))
