"""Requests and answers, independent of the web server."""

from collections.abc import Mapping
from dataclasses import dataclass, field
import json
from typing import Any, Self

JSON = "application/json"


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
    def json(cls, status: int, value: Any) -> Self:
        return cls(status, compact(value), {"Content-Type": JSON}, value)


class RefusalError(Exception):
    """The feed refuses, in the form of all families: ``{"error", "message"}``."""

    def __init__(self, status: int, code: str, message: str) -> None:
        super().__init__(message)
        self.answer = Answer.json(status, {"error": code, "message": message})
        self.answer.value = None


def compact(value: Any) -> bytes:
    """Return JSON without blanks."""
    return json.dumps(value, ensure_ascii=False, separators=(",", ":")).encode(
        "utf-8", "replace"
    )
