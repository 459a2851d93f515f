"""Validators for single fields of a DP-1 playlist."""

from collections.abc import Callable, Iterable
from datetime import date
from enum import Enum
from itertools import islice
import json
import math
import re
from typing import Any
from urllib.parse import quote

import voluptuous as vol

type Check = Callable[[Any], Any]

_INT64_MAX = 2**63 - 1
_SHOWN_LENGTH = 40
_SHOWN_KEY_LENGTH = 80
# Nobody reads more of them, and a long list of faulty elements stalls.
MAX_FAULTS = 100
_PLAIN_KEY = re.compile(r"[A-Za-z_][A-Za-z0-9_-]*")
_UUID = re.compile(r"[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}", re.IGNORECASE)
_DATE_TIME = re.compile(
    r"([0-9]{4})-([0-9]{2})-([0-9]{2})[Tt]"
    r"(?:[01][0-9]|2[0-3]):[0-5][0-9]:[0-5][0-9](?:\.[0-9]+)?"
    r"(?:[Zz]|[+-](?:[01][0-9]|2[0-3]):[0-5][0-9])"
)
_MARGIN = re.compile(r"[0-9]+(?:\.[0-9]+)?(?:px|%|vw|vh)")
_SCHEME = re.compile(r"[A-Za-z][A-Za-z0-9+.-]*:.", re.DOTALL)
_NOT_IN_URI = re.compile(r"[^!#$%&'()*+,/0-9:;=?@A-Z\[\]._a-z~-]")
_UNRESERVED = r"A-Za-z0-9._~!$&'()*+,;=\-"
_PATH = rf"(?:[{_UNRESERVED}:@/]++|%[0-9A-Fa-f]{{2}})*+"
_TAIL = rf"(?:[{_UNRESERVED}:@/?]++|%[0-9A-Fa-f]{{2}})*+"
# RFC 3986: a scheme, then an authority with a path, or a path alone; no blanks and nothing outside ASCII.
_URI = re.compile(
    r"[A-Za-z][A-Za-z0-9+.-]*+:"
    rf"(?://(?:(?:[{_UNRESERVED}:]++|%[0-9A-Fa-f]{{2}})*+@)?"
    rf"(?:\[[0-9A-Fa-f:.]+\]|(?:[{_UNRESERVED}]++|%[0-9A-Fa-f]{{2}})*+)(?::[0-9]*+)?(?:/{_PATH})?"
    rf"|(?!//){_PATH})"
    rf"(?:\?{_TAIL})?(?:#{_TAIL})?"
)


class Rules(Enum):
    """The sets of rules for documents."""

    CURRENT = "v1.1.0 schemas"
    # What 1.0.x software writes: titles up to 256, hashes with 0x, no items beside dynamicQueries.
    LEGACY = "v1.0.x practice"
    # What the typed decoder of a display requires: JSON types only, nothing required, null is absent.
    TYPES = "JSON types"


def printable(text: str) -> str:
    """Replace characters that cannot be shown or encoded as UTF-8: the text comes from outside."""
    return "".join(char if char.isprintable() else "\ufffd" for char in text)


def path_text(segments: Iterable[Any]) -> str:
    """Return a path in the usual notation: ``items[2].provenance.contract.tokenId``."""
    text = ""
    for segment in segments:
        if isinstance(segment, int):
            text += f"[{segment}]"
            continue
        name = printable(str(segment)[:_SHOWN_KEY_LENGTH])
        if _PLAIN_KEY.fullmatch(name):
            text += f".{name}" if text else name
        else:
            text += f"[{json.dumps(name, ensure_ascii=False)}]"
    return text


def _kind(value: Any) -> str:
    """Return the name of a value's JSON type."""
    match value:
        case None:
            return "null"
        case bool():
            return "true" if value else "false"
        case str() if not value:
            return "empty text"
        case str():
            shown = value[:_SHOWN_LENGTH] + ("…" if value[_SHOWN_LENGTH:] else "")
            return f'"{printable(shown)}"'
        case int() | float():
            return "a number" if abs(value) > 1e15 else f"{value}"
        case list():
            return "a list" if value else "an empty list"
        case dict():
            return "an object"
    return type(value).__name__


def refusal(expected: str, value: Any) -> vol.Invalid:
    """Return the error with the expected and the actual type."""
    return vol.Invalid(f"expected {expected}, not {_kind(value)}")


def is_number(value: Any) -> bool:
    """Return whether a value is a finite JSON number."""
    return (
        isinstance(value, int | float)
        and not isinstance(value, bool)
        and (isinstance(value, int) or math.isfinite(value))
    )


def is_uuid(value: str) -> bool:
    """Return whether a text is a hyphenated UUID of any version, in either case."""
    return bool(_UUID.fullmatch(value))


def is_uri(value: str) -> bool:
    """Return whether a text is an absolute URI by RFC 3986."""
    return bool(_URI.fullmatch(value))


def is_date_time(value: str) -> bool:
    """Return whether a text is an RFC 3339 date and time with a zone."""
    if not (match := _DATE_TIME.fullmatch(value)):
        return False
    try:
        date(*(int(part) for part in match.groups()))
    except ValueError:
        return False
    return True


def raise_all(errors: list[vol.Invalid]) -> None:
    """Raise the collected errors, if any."""
    if errors:
        raise vol.MultipleInvalid(errors)


def errors_of(check: Check, value: Any, *path: str | int) -> list[vol.Invalid]:
    """Return the errors of a validator, with a path put in front."""
    try:
        check(value)
    except vol.MultipleInvalid as err:
        found = list(err.errors)
    except vol.Invalid as err:
        found = [err]
    else:
        return []
    for error in found:
        error.prepend(list(path))
    return found


class Fields:
    """Validators by one set of rules."""

    def __init__(self, rules: Rules) -> None:
        """Initialize with a set of rules."""
        self._types_only = rules is Rules.TYPES

    def _made(self, test: Callable[[Any], object], expected: str) -> Check:
        """Return a validator for a test."""

        def check(value: Any) -> Any:
            if not (test(value) or (value is None and self._types_only)):
                raise refusal(expected, value)
            return value

        return check

    def text(
        self, expected: str = "text", test: Callable[[str], object] | None = None
    ) -> Check:
        """Return a validator for text that passes a test."""
        if test is None or self._types_only:
            return self._made(lambda value: isinstance(value, str), expected)
        return self._made(
            lambda value: isinstance(value, str) and test(value), expected
        )

    def uri(self) -> Check:
        """Validate a URI; one with a scheme is told which character has to be escaped."""

        def check(value: Any) -> Any:
            if (
                isinstance(value, str)
                and not self._types_only
                and not is_uri(value)
                and _SCHEME.match(value)
                and (wrong := _NOT_IN_URI.search(value))
            ):
                escaped = quote(wrong[0], safe="", errors="replace")
                raise vol.Invalid(
                    f"{wrong[0]!r} has to be written as {escaped} in a URI"
                )
            return within(value)

        within = self.text("a URI like https://art.example/work.html", is_uri)
        return check

    def sized(self, minimum: int, maximum: int) -> Check:
        """Return a validator for text of a length."""

        def check(value: Any) -> Any:
            if isinstance(value, str) and len(value) > maximum and not self._types_only:
                raise vol.Invalid(
                    f"expected at most {maximum} characters, not {len(value)}"
                )
            return within(value)

        within = self.text(
            f"text of {minimum} to {maximum} characters",
            lambda value: len(value) >= minimum,
        )
        return check

    def choice(self, names: tuple[str, ...]) -> Check:
        """Return a validator for some words."""
        return self.text(f"one of {', '.join(names)}", names.__contains__)

    def number(self, expected: str, test: Callable[[float], bool]) -> Check:
        """Return a validator for a number that passes a test."""
        return self._made(
            lambda value: is_number(value) and (self._types_only or test(value)),
            expected,
        )

    def seconds(self) -> Check:
        """Validate a duration."""
        return self.number("a number of seconds, 0 or more", lambda value: value >= 0)

    def index(self) -> Check:
        """Validate an integer of 0 or more; a decoder requires it without a point and within 64 bits."""

        def test(value: Any) -> bool:
            if self._types_only:
                return type(value) is int and -_INT64_MAX <= value <= _INT64_MAX
            return is_number(value) and value >= 0 and value == int(value)

        return self._made(test, "a whole number, 0 or more")

    def flag(self) -> Check:
        """Validate a boolean."""
        return self._made(lambda value: isinstance(value, bool), "true or false")

    def margin(self) -> Check:
        """Validate pixels, or text with a unit; a decoder accepts anything here."""
        return self._made(
            lambda value: (
                self._types_only
                or (is_number(value) and value >= 0)
                or (isinstance(value, str) and _MARGIN.fullmatch(value))
            ),
            "a number of pixels, 0 or more, or text like 5% (units px, %, vw, vh)",
        )

    def each(
        self, check: Check, *, minimum: int = 0, expected: str = "a list"
    ) -> Check:
        """Return a validator for a list of valid elements."""

        def check_all(value: Any) -> Any:
            if value is None and self._types_only:
                return value
            if not isinstance(value, list) or (
                len(value) < minimum and not self._types_only
            ):
                raise refusal(expected, value)
            errors = (
                error
                for position, element in enumerate(value)
                for error in errors_of(check, element, position)
            )
            raise_all(list(islice(errors, MAX_FAULTS)))
            return value

        return check_all

    def table(self, check: Check, expected: str) -> Check:
        """Return a validator for an object of valid values."""

        def check_all(value: Any) -> Any:
            if value is None and self._types_only:
                return value
            if not isinstance(value, dict):
                raise refusal(expected, value)
            errors = (
                error
                for key, element in value.items()
                for error in errors_of(check, element, key)
            )
            raise_all(list(islice(errors, MAX_FAULTS)))
            return value

        return check_all

    def object(
        self,
        fields: dict[str, Check],
        *rules: Callable[[dict[str, Any]], Iterable[vol.Invalid]],
        required: tuple[str, ...] = (),
    ) -> Check:
        """Return a validator for an object with known fields, any unknown ones, and rules that span fields."""
        schema = vol.Schema(
            {
                vol.Required(name, msg="is required")
                if name in required and not self._types_only
                else vol.Optional(name): check
                for name, check in fields.items()
            },
            extra=vol.ALLOW_EXTRA,
        )
        places = {name: place for place, name in enumerate(fields)}

        def check_all(value: Any) -> Any:
            if value is None and self._types_only:
                return value
            if not isinstance(value, dict):
                raise refusal("an object", value)
            # voluptuous names missing fields in a random order.
            found = sorted(
                errors_of(schema, value), key=lambda error: places[str(error.path[0])]
            )
            if not self._types_only:
                found += [error for rule in rules for error in rule(value)]
            raise_all(found)
            return value

        return check_all
