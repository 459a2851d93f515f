"""Faults between a feed and its clients."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from enum import StrEnum
import re
from typing import Any

from .exchange import Answer, Request, compact
from .signing import Document, SigningKey
from .text import format_time

type Change = Callable[[Document, SigningKey], Document]

HTML_502 = "<html><head><title>502 Bad Gateway</title></head><body><center><h1>502 Bad Gateway</h1></center></body></html>"


class Cut(StrEnum):
    """When the connection is cut."""

    BEFORE_BODY = "before_body"
    """After the headers of the request, before its body is read: nothing was done."""
    AFTER_BODY = "after_body"
    """After the whole request was read: nothing was done, but the client cannot know."""
    AFTER_DONE = "after_done"
    """After the request was done: the answer is lost."""
    IN_ANSWER = "in_answer"
    """In the middle of the answer."""


class Paging(StrEnum):
    """Faults of a list."""

    REPEAT = "repeat"
    """Every page is the first one, with one and the same cursor."""
    EMPTY = "empty"
    """Every page is empty and promises more behind another cursor."""


@dataclass(slots=True)
class Fault:
    """What happens to the next requests that match.

    Attributes:
        method: of the request; None matches any.
        path: an expression searched in the path and query; None matches any.
        times: how many requests are hit; None for all.
        delay: seconds before anything is done.
        status: answered instead of the feed's own answer.
        body: of that answer; objects are sent as JSON.
        done: the request is done all the same before that answer is sent.
        change: applied to each document of the feed's own answer.
    """

    method: str | None = None
    path: str | None = None
    times: int | None = 1
    delay: float = 0.0
    status: int | None = None
    body: Any = b""
    headers: Mapping[str, str] = field(default_factory=dict)
    done: bool = False
    cut: Cut | None = None
    paging: Paging | None = None
    change: Change | None = None

    def matches(self, request: Request) -> bool:
        """Return whether the fault applies to a request."""
        address = f"{request.path}?{request.raw_query}"
        return (
            self.times != 0
            and self.method in (None, request.method)
            and (self.path is None or re.search(self.path, address) is not None)
        )

    def answer(self) -> Answer:
        """Return the answer that is sent instead."""
        headers = dict(self.headers)
        match self.body:
            case bytes():
                body = self.body
            case str():
                body = self.body.encode()
                headers.setdefault("Content-Type", "text/html")
            case _:
                body = compact(self.body)
                headers.setdefault("Content-Type", "application/json")
        return Answer(self.status or 500, body, headers)

    def changed(self, answer: Answer, request: Request, key: SigningKey) -> Answer:
        """Return the feed's own answer with changed documents or page."""
        if not isinstance(answer.value, dict):
            return answer
        value = answer.value
        if self.change is not None:
            if "items" in value and "hasMore" in value:
                value = value | {
                    "items": [self.change(entry, key) for entry in value["items"]]
                }
            else:
                value = self.change(value, key)
        match self.paging:
            case Paging.REPEAT:
                value = value | {"cursor": "c3R1Y2s", "hasMore": True}
            case Paging.EMPTY:
                turn = f"{request.query.get('cursor', '')}x"
                value = {"items": [], "cursor": turn, "hasMore": True}
        headers = {
            name: text
            for name, text in answer.headers.items()
            if name.lower() != "etag"
        }
        return Answer(answer.status, compact(value), headers, value)


def _bare(document: Document) -> Document:
    """Return a document without its signatures."""
    return {name: document[name] for name in document if "signature" not in name}


def resigned(document: Document, key: SigningKey) -> Document:
    """Return the document signed by the feed alone, in the form it had."""
    bare = _bare(document)
    if "signature" in document and "signatures" not in document:
        return bare | {"signature": key.legacy(bare)}
    moment = document.get("created", "2026-01-01T00:00:00Z")[:19]
    return bare | {"signatures": [key.entry(bare, "feed", f"{moment}Z")]}


def tampered(document: Document, key: SigningKey) -> Document:
    """Return a document changed after it was signed."""
    return document | {"title": f"{document.get('title', '')} (tampered)"}


def legacy_signature(document: Document, key: SigningKey) -> Document:
    """Return a document with only the signature of version 1.0, with ``0x``."""
    return _bare(document) | {"signature": key.legacy(document)}


def both_signatures(document: Document, key: SigningKey) -> Document:
    entry = key.entry(document, "feed", "2026-01-01T00:00:00Z")
    signatures = document.get("signatures", [entry])
    return document | {"signatures": signatures, "signature": key.legacy(document)}


def nanosecond_created(document: Document, key: SigningKey) -> Document:
    """Return a document with nine digits of a second in its time."""
    moment = format_time(1_793_161_385_634_250_947)
    return resigned(document | {"created": moment}, key)


def unknown_fields(document: Document, key: SigningKey) -> Document:
    """Return a document with unknown fields, at the top and in every work."""
    items = [item | {"mood": "calm"} for item in document.get("items") or ()]
    return resigned(
        document | {"items": items, "season": {"name": "winter", "year": 2026}}, key
    )


def dynamic_only(document: Document, key: SigningKey) -> Document:
    query = {
        "profile": "https-json-v1",
        "endpoint": "https://index.example/works",
        "responseMapping": {"itemsPath": "works", "itemSchema": "dp1/1.1"},
    }
    return resigned(document | {"items": [], "dynamicQuery": query}, key)


def bad_gateway(*, times: int | None = 1, method: str | None = None) -> Fault:
    """Return the fault of a proxy that does not reach the feed."""
    return Fault(method=method, times=times, status=502, body=HTML_502)


def refusal(
    status: int, code: str, message: str = "refused", *, times: int | None = 1
) -> Fault:
    """Return an error in the feed's own format."""
    return Fault(times=times, status=status, body={"error": code, "message": message})
