"""Readers for values from outside: the value if it is what it should be, else nothing. None of them raises."""

from collections.abc import Mapping
from datetime import UTC, datetime, timedelta
import json
import math
import re
from typing import Any

_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)
_SURROGATE_ESCAPE = re.compile(rb"\\u[dD][89a-fA-F]")


def _finite(number: str) -> float | None:
    """Read a number with a fraction or an exponent, unless it is beyond all numbers."""
    value = float(number)
    return value if math.isfinite(value) else None


def _nothing(_name: str) -> None:
    """Stand in for a number that JSON does not have."""


_DECODER = json.JSONDecoder(parse_float=_finite, parse_constant=_nothing)


def decode(body: bytes) -> object:
    """Decode JSON; what nothing later could encode again is replaced: half surrogate pairs, NaN and the infinities.

    Raises:
        ValueError: this is not JSON, or nested deeper than can be read.
    """
    try:
        value: object = _DECODER.decode(body.decode("utf-8-sig"))
        if _SURROGATE_ESCAPE.search(body):
            whole_pairs = json.dumps(value, ensure_ascii=False)
            value = json.loads(whole_pairs.encode("utf-8", "replace"))
    except RecursionError as err:
        raise ValueError("nested too deeply") from err
    return value


def mapping(value: object) -> Mapping[str, Any]:
    """Return an object's members; of anything else, none."""
    return value if isinstance(value, dict) else {}


def text(value: object) -> str | None:
    """Return a text that is not empty."""
    return value if isinstance(value, str) and value else None


def flag(value: object) -> bool | None:
    """Return true or false."""
    return value if isinstance(value, bool) else None


def number(value: object) -> float | None:
    """Return a finite number."""
    if isinstance(value, bool) or not isinstance(value, int | float):
        return None
    try:
        return float(value) if math.isfinite(value) else None
    except OverflowError:
        return None


def whole(value: object) -> int | None:
    """Return a whole number, however it is written."""
    if (found := number(value)) is None or not found.is_integer():
        return None
    return value if isinstance(value, int) else int(found)


def percent(value: object) -> int | None:
    """Return a whole number from 0 to 100."""
    found = whole(value)
    return found if found is not None and 0 <= found <= 100 else None


def texts(value: object) -> Mapping[str, str]:
    """Return those members of an object that are text."""
    return {
        key: entry for key, entry in mapping(value).items() if isinstance(entry, str)
    }


def moment(value: object) -> datetime | None:
    """Return a point in time that is written as RFC 3339, with its offset."""
    if not isinstance(value, str):
        return None
    try:
        found = datetime.fromisoformat(value)
    except ValueError:
        return None
    return found if found.tzinfo else None


def moment_ms(value: object) -> datetime | None:
    """Return a point in time that is given in milliseconds since 1970."""
    if (found := number(value)) is None:
        return None
    try:
        return _EPOCH + timedelta(milliseconds=found)
    except OverflowError:
        return None
