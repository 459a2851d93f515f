"""JSON as Go decodes it into typed fields and encodes it again: unknown and empty fields are lost."""

from collections.abc import Iterator
from dataclasses import dataclass
from enum import Enum, StrEnum
import json
import math
import re
from typing import Any

_BLANK = " \t\r\n"
_SURROGATE = re.compile("[\ud800-\udfff]")
_HTML = str.maketrans({char: f"\\u{ord(char):04x}" for char in "<>&\u2028\u2029"})


class GoDecodeError(Exception):
    """The text is not JSON, or a value does not fit its field."""


class Mode(Enum):
    """When a field is encoded."""

    OMIT_EMPTY = "omitempty"
    POINTER = "pointer"
    ALWAYS = "always"


class Scalar(StrEnum):
    """Scalar types, by their Go names."""

    TEXT = "string"
    NUMBER = "float64"
    INTEGER = "int"
    FLAG = "bool"
    RAW = "json.RawMessage"


@dataclass(frozen=True, slots=True)
class ListOf:
    """A slice."""

    element: GoType


@dataclass(frozen=True, slots=True)
class MapOf:
    """A map with text keys."""

    element: Scalar


@dataclass(frozen=True, slots=True)
class Field:
    """One field of a struct."""

    name: str
    kind: GoType
    mode: Mode = Mode.OMIT_EMPTY


@dataclass(frozen=True, slots=True)
class Struct:
    """A struct: its Go name and its fields in order."""

    name: str
    fields: tuple[Field, ...]


type GoType = Scalar | ListOf | MapOf | Struct


def _type_name(kind: GoType) -> str:
    """Return the Go name of a type."""
    match kind:
        case ListOf(element):
            return f"[]{_type_name(element)}"
        case MapOf(element):
            return f"map[string]{_type_name(element)}"
        case Struct(name):
            return name
    return kind.value


def _json_name(value: Any) -> str:
    """Return the name that Go has for a JSON value."""
    match value:
        case bool():
            return "bool"
        case int() | float():
            return "number"
        case str():
            return "string"
        case list():
            return "array"
    return "object"


def _misfit(value: Any, kind: GoType, path: str) -> GoDecodeError:
    """Return the error of a value that does not fit."""
    target = f"Go struct field {path}" if "." in path else "Go value"
    return GoDecodeError(
        f"json: cannot unmarshal {_json_name(value)} into {target} of type {_type_name(kind)}"
    )


def _zero(kind: GoType) -> Any:
    """Return the zero value of a type."""
    match kind:
        case Scalar.TEXT:
            return ""
        case Scalar.FLAG:
            return False
        case Struct():
            return read({}, kind, kind.name)
    return None


def _fits(value: Any, kind: Scalar) -> bool:
    """Return whether a JSON value fits a scalar."""
    match kind:
        case Scalar.TEXT:
            return isinstance(value, str)
        case Scalar.FLAG:
            return isinstance(value, bool)
        case Scalar.INTEGER:
            return (
                isinstance(value, int)
                and not isinstance(value, bool)
                and abs(value) < 2**63
            )
        case Scalar.NUMBER:
            return (
                isinstance(value, int | float)
                and not isinstance(value, bool)
                and abs(value) < math.inf
            )
    return True


def read(value: Any, kind: GoType, path: str) -> Any:
    """Return the value as the type holds it and writes it; raises GoDecodeError if it does not fit."""
    match kind:
        case Struct():
            if not isinstance(value, dict):
                raise _misfit(value, kind, path)
            return dict(_written(decode(value, kind, path), kind))
        case ListOf(element):
            if not isinstance(value, list):
                raise _misfit(value, kind, path)
            return [
                _zero(element)
                if entry is None
                else read(entry, element, f"{path}.{index}")
                for index, entry in enumerate(value)
            ]
        case MapOf(element):
            if not isinstance(value, dict):
                raise _misfit(value, kind, path)
            return {
                key: _zero(element)
                if entry is None
                else read(entry, element, f"{path}.{key}")
                for key, entry in value.items()
            }
    if not _fits(value, kind):
        raise _misfit(value, kind, path)
    return value


def decode(value: Any, kind: Struct, path: str) -> dict[str, Any]:
    """Return every field of a struct, missing ones with their zero value (None for pointers)."""
    if not isinstance(value, dict):
        raise _misfit(value, kind, path)
    exact = {field.name: field for field in kind.fields}
    folded = {field.name.lower(): field for field in kind.fields}
    found: dict[str, Any] = {
        field.name: None if field.mode is Mode.POINTER else _zero(field.kind)
        for field in kind.fields
        if field.kind is not Scalar.RAW
    }
    for key, entry in value.items():
        field = exact.get(key) or folded.get(key.lower())
        if field is not None and (entry is not None or field.kind is Scalar.RAW):
            found[field.name] = read(entry, field.kind, f"{path}.{field.name}")
    return found


def _written(found: dict[str, Any], kind: Struct) -> Iterator[tuple[str, Any]]:
    """Return the fields that are written again, in order."""
    for field in kind.fields:
        if field.name not in found:
            continue
        value = found[field.name]
        match field.mode:
            case Mode.POINTER if value is None:
                continue
            case Mode.OMIT_EMPTY if field.kind is not Scalar.RAW and not value:
                continue
        yield field.name, value


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
