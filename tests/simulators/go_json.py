"""JSON as Go decodes it into typed fields and encodes it again: unknown and empty fields are lost."""

import json
import math
import re
from typing import Any

_BLANK = " \t\r\n"
_SURROGATE = re.compile("[\ud800-\udfff]")
_HTML = str.maketrans({char: f"\\u{ord(char):04x}" for char in "<>&\u2028\u2029"})
# The types of scalars, by their Go names.
_SCALARS: dict[str, tuple[type, ...]] = {
    "string": (str,),
    "float64": (int, float),
    "int": (int,),
    "bool": (bool,),
}

# An object by the names of its fields, a list of one type, a map by "*", or the name of a scalar; "raw" is anything. A
# field is left out when it is empty, with "?" when it was not given, with "!" never.
type GoType = dict[str, GoType] | list[GoType] | str


class GoDecodeError(Exception):
    """The text is not JSON, or a value does not fit its field."""


def _zero(kind: GoType) -> Any:
    if isinstance(kind, dict) and "*" not in kind:
        return read({}, kind, "")
    return {"string": "", "bool": False}.get(kind) if isinstance(kind, str) else None


def read(value: Any, kind: GoType, path: str) -> Any:
    """Return a value as the type holds it and writes it; raises GoDecodeError if it does not fit."""
    match value, kind:
        case list(), [element]:
            return [
                _zero(element) if each is None else read(each, element, f"{path}.{at}")
                for at, each in enumerate(value)
            ]
        case dict(), {"*": element}:
            return {
                key: _zero(element) if each is None else read(each, element, path)
                for key, each in value.items()
            }
        case dict(), dict():
            return _read_struct(value, kind, path)
        case _, "raw":
            return value
        case ((str() | bool() | int() | float()), str()) if _fits(value, kind):
            return value
    what = {dict: "object", list: "array", str: "string", bool: "bool"}
    name = what.get(type(value), "number")
    raise GoDecodeError(f"json: cannot unmarshal {name} into Go struct field {path}")


def _fits(value: Any, kind: str) -> bool:
    if isinstance(value, bool):
        return kind == "bool"
    is_bounded = not isinstance(value, int | float) or abs(value) < (
        2**63 if kind == "int" else math.inf
    )
    return isinstance(value, _SCALARS[kind]) and is_bounded


def _read_struct(value: dict[str, Any], kind: dict[str, GoType], path: str) -> Any:
    """Return the fields of an object that are written again, in order."""
    folded = {key.lower(): entry for key, entry in value.items()}
    written = {}
    for marked, inner in kind.items():
        name = marked.rstrip("?!")
        entry = value.get(name, folded.get(name.lower()))
        if entry is not None or (inner == "raw" and name in value):
            entry = read(entry, inner, f"{path}.{name}")
        elif not marked.endswith("?"):
            entry = None if inner == "raw" else _zero(inner)
        is_raw = inner == "raw" and name in value
        if (
            entry
            or is_raw
            or marked[-1] == "!"
            or (marked[-1] == "?" and entry is not None)
        ):
            written[name] = entry
    return written


def _refuse_constant(name: str) -> Any:
    """Refuse NaN and Infinity."""
    raise ValueError(name)


def _without_surrogates(value: Any) -> Any:
    """Return text with half surrogate pairs replaced, as Go does."""
    match value:
        case str():
            return _SURROGATE.sub("\ufffd", value)
        case list():
            return [_without_surrogates(entry) for entry in value]
        case dict():
            return {
                _without_surrogates(key): _without_surrogates(entry)
                for key, entry in value.items()
            }
    return value


def loads(body: bytes, *, whole: bool = False) -> Any:
    """Return the first JSON value of a body; ``whole`` refuses text behind it."""
    text = body.decode("utf-8", "replace").lstrip(_BLANK)
    if not text:
        raise GoDecodeError("EOF")
    try:
        value, end = json.JSONDecoder(parse_constant=_refuse_constant).raw_decode(text)
    except (ValueError, RecursionError) as err:
        position = getattr(err, "pos", 0)
        if position >= len(text.rstrip(_BLANK)) or "Unterminated string" in str(err):
            raise GoDecodeError("unexpected EOF") from err
        raise GoDecodeError(
            f"invalid character {text[position]!r} looking for beginning of value"
        ) from err
    if whole and text[end:].strip(_BLANK):
        raise GoDecodeError("invalid character after top-level value")
    return _without_surrogates(value) if "\\ud" in text.lower() else value


def dumps(value: Any) -> str:
    """Return JSON as Go writes it: compact, and escaped for HTML."""
    return json.dumps(value, ensure_ascii=False, separators=(",", ":")).translate(_HTML)
