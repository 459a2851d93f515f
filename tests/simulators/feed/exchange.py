"""Requests and answers, independent of the web server."""

from collections.abc import Mapping
from dataclasses import dataclass, field
import json
from typing import Any, Self

JSON = "application/json"
JSON_UTF8 = "application/json; charset=utf-8"


@dataclass(frozen=True, slots=True)
class Request:
    """What a client asked.

    Attributes:
        path: decoded, without the query.
        raw_query: as it was sent, without the question mark.
        query: the first value of each parameter.
        headers: names in lower case.
    """

    method: str
    path: str
    raw_query: str
    query: Mapping[str, str]
    headers: Mapping[str, str]
    body: bytes


@dataclass(slots=True)
class Answer:
    """What the feed answers; ``value`` is the document or page inside the body, for faults that change it."""

    status: int
    body: bytes = b""
    headers: dict[str, str] = field(default_factory=dict)
    value: Any = None

    @classmethod
    def text(cls, status: int, text: str, content_type: str = "text/plain") -> Self:
        return cls(status, text.encode(), {"Content-Type": content_type})


class RefusalError(Exception):
    """The feed refuses, in the form both families share: ``{"error", "message"}``."""

    def __init__(
        self,
        status: int,
        code: str,
        message: str,
        *,
        early: bool = False,
    ) -> None:
        """Keep what is answered; ``early`` marks what the Go feed refuses before its handlers."""
        super().__init__(message)
        self.status = status
        self.code = code
        self.early = early
        self.body = {"error": code, "message": message}


def compact(value: Any) -> bytes:
    """Return JSON as JavaScript writes it."""
    return json.dumps(value, ensure_ascii=False, separators=(",", ":")).encode(
        "utf-8", "replace"
    )
