"""Faults of the simulated catalog."""

from asyncio import Event
from dataclasses import dataclass, field
from enum import StrEnum
import json
from typing import Any

type Json = dict[str, Any]


class FaultKind(StrEnum):
    """Kinds of faults."""

    STATUS = "status"
    DROP = "drop"
    SLOW = "slow"
    HOLD = "hold"
    HTML = "html"
    TRUNCATED = "truncated"
    ERROR_200 = "error_200"
    NULL_RESULT = "null_result"
    NO_RESULT = "no_result"
    BARE_LIST = "bare_list"
    EMPTY = "empty"
    BAD_RECORDS = "bad_records"
    NO_PAGING = "no_paging"
    NO_TOTAL = "no_total"
    WRONG_TOTAL = "wrong_total"
    OFFSET_IGNORED = "offset_ignored"
    REPEATED = "repeated"
    CLAMP = "clamp"
    SHORT = "short"


@dataclass(slots=True)
class Fault:
    """A fault, and when it applies.

    Attributes:
        kind: the kind.
        route: only for this list: ``exhibitions``, ``series`` or ``artworks``; empty for all.
        offset: only for the page with this offset.
        times: how often; None for always.
        status: HTTP status of ``status``.
        shape: body of ``status``: ``envelope``, ``flat``, ``text``, ``html`` or ``empty``.
        message: the message in the body.
        retry_after: header of ``status``.
        seconds: delay of ``slow``.
        size: maximum number of records of a page for ``clamp``, the total of ``wrong_total``.
        hits: how often it was applied.
        released: whether ``hold`` has ended.
    """

    kind: FaultKind
    route: str = ""
    offset: int | None = None
    times: int | None = None
    status: int = 500
    shape: str = "envelope"
    message: str = "internal server error"
    retry_after: str | None = None
    seconds: float = 3600
    size: int = 2
    hits: int = 0
    released: Event = field(default_factory=Event)

    def strikes(self, route: str, offset: int) -> bool:
        """Return whether the fault applies to a request, and count it if so."""
        if self.route not in ("", route) or self.offset not in (None, offset):
            return False
        if self.times is not None and self.hits >= self.times:
            return False
        self.hits += 1
        return True

    def body(self) -> tuple[str, str]:
        """Return media type and text of an error."""
        error = {"code": 1000 + self.status, "message": self.message}
        match self.shape:
            case "envelope":
                return "application/json", json.dumps({"error": error})
            case "flat":
                return "application/json", json.dumps(error)
            case "text":
                return "text/plain", self.message
            case "html":
                return "text/html", HTML_PAGE
            case _:
                return "application/octet-stream", ""


HTML_PAGE = "<!doctype html><title>Just a moment</title><h1>Checking your browser</h1>"

BAD_RECORDS: tuple[object, ...] = (
    None,
    "record",
    7,
    [],
    {"title": "No id"},
    {"id": ""},
)


def change_body(fault: Fault, body: Json) -> object:
    """Change a well-formed answer so that it shows the fault."""
    match fault.kind:
        case FaultKind.NULL_RESULT:
            return body | {"result": None}
        case FaultKind.NO_RESULT:
            return {"paging": body["paging"]}
        case FaultKind.BARE_LIST:
            return body["result"]
        case FaultKind.EMPTY:
            return body | {"result": []}
        case FaultKind.SHORT:
            return body | {"result": body["result"][:-1]}
        case FaultKind.BAD_RECORDS:
            place = body["paging"]["offset"] % len(BAD_RECORDS)
            return body | {"result": [*body["result"][:-1], BAD_RECORDS[place]]}
        case FaultKind.NO_PAGING:
            return {"result": body["result"]}
        case FaultKind.NO_TOTAL:
            paging = {name: body["paging"][name] for name in ("offset", "limit")}
            return body | {"paging": paging}
        case FaultKind.WRONG_TOTAL:
            return body | {"paging": body["paging"] | {"total": fault.size}}
        case FaultKind.ERROR_200:
            return {"error": {"code": 1012, "message": fault.message}}
        case _:
            return body
