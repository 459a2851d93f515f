"""Replies of a display: the content of a successful answer, or the error of any other.

The outcomes are those of published Feral File firmware 0.9 to 2.0.7. Success is status 200 without ``ok: false`` in the
reply, which is wrapped in ``message`` once, twice or not at all.
"""

from collections.abc import Mapping
from typing import Any

from ..errors import (
    AddressNotAcceptedError,
    BusyError,
    Dp1Error,
    NotReadyError,
    PlaylistRefusedError,
    RejectedError,
    TemporaryError,
    UnexpectedAnswerError,
)
from ..http import Answer
from ..values import decode, mapping, text

_MAX_DETAIL = 500


def reply(command: str, answer: Answer) -> Mapping[str, Any] | None:
    """Return the innermost reply to a command; None if it is ``null``.

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
        raise UnexpectedAnswerError("the answer is not JSON") from err
    leaf = accepted(command, value)
    if leaf is None or isinstance(leaf, dict):
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


def unwrap(value: object) -> object:
    """Descend through ``message`` or ``data`` to the object with ``ok``."""
    while isinstance(value, dict) and not isinstance(value.get("ok"), bool):
        inner = next(
            (
                value[key]
                for key in ("message", "data")
                if isinstance(value.get(key), dict)
            ),
            None,
        )
        if inner is None:
            break
        value = inner
    return value


def refusal(command: str, answer: Answer) -> Dp1Error:
    """Return the error of an answer that is not a success."""
    detail = _text_of(answer)
    match answer.status:
        case 204:
            return NotReadyError("the display is not showing its player")
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
            return UnexpectedAnswerError(f"status {status}")


def _reason(leaf: Mapping[str, Any]) -> str:
    """Return the reason that the display gives: a code, a text or both."""
    error = leaf.get("error")
    inner = mapping(error)
    words = (leaf.get("code"), error, inner.get("code"), inner.get("message"))
    given = [word for word in map(text, words) if word]
    return _line(": ".join(given) or text(leaf.get("status")) or "")


def _text_of(answer: Answer) -> str:
    """Return a plain text body; an HTML page comes from something else than the display."""
    if answer.headers.get("Content-Type", "").partition(";")[0].strip() != "text/plain":
        return ""
    return _line(answer.body.decode("utf-8", "replace"))


def _line(words: str) -> str:
    """Return one line of limited length."""
    return " ".join(words[:_MAX_DETAIL].split())
