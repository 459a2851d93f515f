"""Parsers of values from outside, which return None for one of another type, and never raise."""

from codecs import BOM_UTF8
from collections.abc import Callable, Mapping
from contextlib import suppress
from dataclasses import field, fields
from datetime import UTC, datetime, tzinfo
from functools import cache
from itertools import islice
import json
import math
import re
import sys
from typing import Any, NoReturn, Self

fast_loads: Callable[[bytes], Any] | None = None
try:
    import orjson
except ImportError:
    pass
else:
    fast_loads = orjson.loads

_EXACT_INTEGER = 2**53 - 1
# Integers that Home Assistant's storage can hold; longer ones become doubles.
_INTEGERS = range(-(2**63), 2**64)
_LONGEST_TOKEN = 100
_CONTAINERS = (dict, list)
# What is decoded: nothing that is read is deeper (Home Assistant itself encodes 254 levels), and few things are larger.
MAX_DEPTH = 32
MAX_VALUES = 500_000
# A longer body, in bytes, is decoded in a thread: it would block the loop.
MAX_ON_LOOP = 64 * 1024
# Ids and addresses, in bytes of UTF-8.
MAX_TEXT = 2048
MAX_NAMES = 64
MAX_WORD = 64
_SURROGATE = re.compile("[\ud800-\udfff]")
# Also what changes the direction of other text.
_CONTROL = re.compile("[\x00-\x1f\x7f-\x9f\u2028-\u202e\u2066-\u2069\ud800-\udfff]")
_PUNCTUATION = (b",", b":", b"[", b"{")
_SURROGATE_ESCAPE = re.compile(rb"\\u[dD][89a-fA-F]")


def _finite(number: str) -> float | None:
    """Parse a number with a fraction or an exponent; None beyond the range of doubles."""
    value = float(number)
    return value if math.isfinite(value) else None


def _integer(digits: str) -> int | float | None:
    """Parse an integer."""
    return common(int(digits)) if len(digits) < 300 else _finite(digits)


def _exact_integer(digits: str) -> int | None:
    """Parse an integer that may be a token id; None if it is longer than that."""
    return int(digits) if len(digits) <= _LONGEST_TOKEN else None


def common(number: int) -> int | float:
    """Return an integer as other programs read it: a double if it has more than 64 bits.

    Raises:
        OverflowError: it is beyond the range of doubles.
    """
    return number if number in _INTEGERS else float(number)


def doubles(value: Any) -> Any:
    """Return JSON with integers that a double cannot hold as doubles, as others read all numbers (RFC 7493, 2.2)."""
    match value:
        case bool():
            return value
        case int() if _EXACT_INTEGER < abs(value) <= sys.float_info.max:
            return float(value)
        case Mapping():
            return {name: doubles(member) for name, member in value.items()}
        case list() | tuple():
            return [doubles(member) for member in value]
    return value


def _nothing(_name: str) -> None:
    """Return None for a number that JSON does not have."""


def _refuse(name: str) -> NoReturn:
    """Raise for a number that JSON does not have."""
    raise ValueError(name)


_EXACT = json.JSONDecoder(
    parse_float=_finite, parse_int=_exact_integer, parse_constant=_nothing
)
_DECODERS = {
    strict: json.JSONDecoder(
        parse_float=_finite, parse_int=_integer, parse_constant=constant
    )
    for strict, constant in ((False, _nothing), (True, _refuse))
}


class TooLargeValueError(ValueError):
    """JSON with more values or levels than are read."""


def decode(
    body: bytes,
    *,
    strict: bool = False,
    exact: bool = False,
) -> object:
    """Decode JSON so that the result can be encoded again.

    Half surrogate pairs become U+FFFD, integers of more than 64 bits doubles, and None numbers beyond those and what is
    nested deeper than 32 levels: one of many authors must not hide the others.

    Args:
        body: JSON in UTF-8.
        strict: raise for levels beyond those, half surrogate pairs, and NaN and Infinity, which JSON does not have.
        exact: keep integers exact, up to 100 digits: some are token ids; not for strict ones.

    Raises:
        ValueError: not JSON, or (TooLargeValueError) nested too deep, or too many values.
    """
    if exceeds(body, MAX_VALUES):
        raise TooLargeValueError(f"more than {MAX_VALUES} values")
    try:
        value = _decoded(body, strict, exact)
    except RecursionError:
        raise TooLargeValueError("far too many levels") from None
    # Most bodies have too few brackets for that.
    if body.count(b"[") + body.count(b"{") > MAX_DEPTH and _cut_depths(value):
        if strict:
            raise TooLargeValueError(f"more than {MAX_DEPTH} levels")
    return value


def _decoded(body: bytes, strict: bool, exact: bool) -> object:
    """Decode JSON of any shape, or raise RecursionError if it is nested thousands of levels deep."""
    if fast_loads is not None and not exact:
        # It decodes common JSON to the same values, and raises for what needs the care below.
        with suppress(ValueError):
            return fast_loads(body)
    decoder = _EXACT if exact else _DECODERS[strict]
    value: object = decoder.decode(body.removeprefix(BOM_UTF8).decode())
    if _SURROGATE_ESCAPE.search(body):
        whole_pairs = json.dumps(value, ensure_ascii=False)
        if strict and _SURROGATE.search(whole_pairs):
            raise ValueError("half of a surrogate pair")
        value = json.loads(_SURROGATE.sub("\ufffd", whole_pairs))
    return value


def _cut_depths(value: object) -> bool:
    """Put None in place of lists and objects that are nested in more than 32 levels, and return whether there are any."""
    level: list[Any] = [[value]]
    for _ in range(MAX_DEPTH):
        level = [part for whole in level for _, part in _inside(whole)]
    deep = [(whole, place) for whole in level for place, _ in _inside(whole)]
    for whole, place in deep:
        whole[place] = None
    return bool(deep)


def _inside(whole: Any) -> list[tuple[Any, Any]]:
    """Return the lists and objects in another one, with their places."""
    places = whole.items() if isinstance(whole, dict) else enumerate(whole)
    return [(place, part) for place, part in places if isinstance(part, _CONTAINERS)]


def exceeds(body: bytes, max_values: int) -> bool:
    """Return whether JSON may have more values than allowed, by its commas, colons and opening brackets, which bounds the memory."""
    return len(body) > max_values < sum(map(body.count, _PUNCTUATION))


def mapping(value: object) -> Mapping[str, Any]:
    """Return the members of an object; empty for anything else."""
    return value if isinstance(value, dict) else {}


def objects(value: object, most: int | None = None) -> list[Mapping[str, Any]]:
    """Return the objects in a list, or among its first ``most``; empty for anything else."""
    parts = value[:most] if isinstance(value, list) else []
    return [part for part in parts if isinstance(part, dict)]


def text(value: object, limit: int = MAX_TEXT) -> str | None:
    """Return a word, an id or an address: a text of up to ``limit`` bytes of UTF-8 without control characters."""
    if not isinstance(value, str) or not 0 < len(value) <= limit:
        return None
    if value.isascii() and value.isprintable():
        return value
    if _CONTROL.search(value) or len(value.encode()) > limit:
        return None
    return value


def address(value: object) -> str | None:
    """Return an address, without the blanks and line breaks around it."""
    return text(value.strip()) if isinstance(value, str) else None


def flag(value: object) -> bool | None:
    """Return a boolean."""
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
    """Return an integer, also if it is written as a float; None over 64 bits, which no store accepts."""
    if type(value) is float and value.is_integer():
        value = int(value)
    return value if type(value) is int and value in _INTEGERS else None


def yes(value: object) -> bool:
    """Return whether it is true."""
    return value is True


def word(value: object) -> str | None:
    """Return a text as ``text`` has it, of up to 64 bytes."""
    return text(value, MAX_WORD)


def percent(value: object) -> int | None:
    """Return an integer from 0 to 100."""
    number = whole(value)
    return number if number is not None and 0 <= number <= 100 else None


def texts(value: object, most: int = MAX_NAMES) -> Mapping[str, str]:
    """Return the members of an object that are texts as ``text`` has it, among the first ``most``."""
    return {
        key: entry
        for key, entry in islice(mapping(value).items(), most)
        if text(key) and text(entry)
    }


def moment(value: object, zone: tzinfo | None = None) -> datetime | None:
    """Return a moment that is written as RFC 3339, in UTC; without an offset it needs a zone. The year 1 is none."""
    if not isinstance(value, str):
        return None
    try:
        time = datetime.fromisoformat(value)
        time = time.replace(tzinfo=time.tzinfo or zone)
        return time.astimezone(UTC) if time.tzinfo and time.year > 1 else None
    except ValueError, OverflowError:
        return None


def json_field(read: Callable[[Any], object], *path: str, **options: Any) -> Any:
    """Return a field of a ``Message``.

    Args:
        read: returns its value from what was sent, None if that makes no sense.
        path: the key under which it is sent, after that of the object it is in, if any.
        options: of the field; without a default it is None if nothing is sent.
    """
    options = (
        {"default": None} | options if "default_factory" not in options else options
    )
    return field(metadata={"read": read, "path": path}, **options)


# Name of a field, its key in the object that is sent under the outer key, if any, and what reads it.
type _Reader = tuple[str, str | None, Callable[[Any], object]]


class Message:
    """Base class of messages of a display; ``parse`` accepts any JSON value and never raises."""

    __slots__ = ()

    @classmethod
    def parse(cls, data: object) -> Self:
        """Parse the fields that were sent."""
        return cls(**json_fields(cls, mapping(data)))


@cache
def _readers(kind: type[Any]) -> dict[str, list[_Reader]]:
    """Return how the fields that are sent are read, by their outer keys."""
    readers: dict[str, list[_Reader]] = {}
    for each in fields(kind):
        if path := each.metadata.get("path"):
            outer, inner = path if len(path) > 1 else (*path, None)
            row = each.name, inner, each.metadata["read"]
            readers.setdefault(outer, []).append(row)
    return readers


def json_fields(kind: type[Any], data: Mapping[str, Any]) -> dict[str, Any]:
    """Return the fields of a message that were sent and make sense; the others have their defaults."""
    hashable: Any = kind
    readers, fields = _readers(hashable), {}
    for key, rows in readers.items():
        if (outer := data.get(key)) not in (None, ""):
            for name, inner, read in rows:
                value = outer if inner is None else mapping(outer).get(inner)
                if value is not None and (value := read(value)) is not None:
                    fields[name] = value
    return fields
