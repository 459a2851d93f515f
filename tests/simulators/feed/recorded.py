"""What the real Go feed refused, word by word: by method, path and body of the request."""

from functools import cache
from hashlib import sha256
import json
from pathlib import Path
from typing import Any

from .exchange import Answer, Request

_FILE = Path(__file__).parents[2] / "fixtures/captures/v2.jsonl"
# What depends on nothing but the document.
_CODES = ("bad_request", "validation_error")


@cache
def _refusals() -> dict[tuple[str, str, str], dict[str, Any]]:
    found = {}
    for exchange in map(json.loads, _FILE.read_text("utf-8").splitlines()):
        answer = exchange.get("answer")
        if isinstance(answer, dict) and answer.get("error") in _CODES:
            body = exchange.get("body") or ""
            found[exchange["method"], exchange["path"], _hash(body)] = exchange
    return found


def _hash(body: str) -> str:
    return sha256(body.encode()).hexdigest()


def recorded(asked: Request) -> Answer | None:
    """Return the recorded refusal of a request."""
    body = _hash(asked.body.decode("utf-8", "replace"))
    path = f"{asked.path}?{asked.raw_query}" if asked.raw_query else asked.path
    exchange = _refusals().get((asked.method, path, body))
    if exchange is None:
        return None
    return Answer.json(exchange["status"], exchange["answer"])
