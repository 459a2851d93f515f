"""What real feeds refused, word by word: by family, method, path, type and body of the request."""

from functools import cache
from hashlib import sha256
import json
from pathlib import Path
from typing import Any

from .exchange import Answer, Request

_FOLDER = Path(__file__).parents[2] / "fixtures" / "captures"
# What depends on nothing but the document.
_CODES = ("bad_request", "validation_error", "invalid_json", "protected_fields")


@cache
def _refusals(family: str) -> dict[tuple[str, str, str], dict[str, Any]]:
    lines = (_FOLDER / f"{family}.jsonl").read_text("utf-8").splitlines()
    found = {}
    for exchange in map(json.loads, lines):
        answer = exchange.get("answer")
        if isinstance(answer, dict) and answer.get("error") in _CODES:
            body = exchange.get("body") or ""
            found[exchange["method"], exchange["path"], _hash(body)] = exchange
    return found


def _hash(body: str) -> str:
    return sha256(body.encode()).hexdigest()


def recorded(family: str, asked: Request) -> Answer | None:
    """Return the recorded refusal of a request."""
    body = _hash(asked.body.decode("utf-8", "replace"))
    path = f"{asked.path}?{asked.raw_query}" if asked.raw_query else asked.path
    exchange = _refusals(family).get((asked.method, path, body))
    if exchange is None:
        return None
    return Answer.json(exchange["status"], exchange["answer"])
