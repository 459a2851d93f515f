"""A small counterpart of the checks that the TypeScript feed applies to a body, with their messages."""

from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
import re
from typing import Any, override

MISSING: Any = object()

type Path = tuple[str | int, ...]
type Check = Callable[[Any, Path, Issues], Any]


@dataclass(slots=True)
class Issues:
    """Faults with their paths."""

    found: list[tuple[Path, str]] = field(default_factory=list)

    def add(self, path: Path, message: str) -> None:
        """Add a fault."""
        self.found.append((path, message))

    @override
    def __str__(self) -> str:
        """Return all faults in one line."""
        return "; ".join(
            f"{'.'.join(map(str, path))}: {message}" for path, message in self.found
        )


def type_name(value: Any) -> str:
    """Return the JavaScript name of a value's type."""
    match value:
        case None:
            return "null"
        case bool():
            return "boolean"
        case int() | float():
            return "number"
        case str():
            return "string"
        case list():
            return "array"
    return "object"


def _expect(expected: str, value: Any, path: Path, issues: Issues) -> bool:
    """Return whether a value exists and has the type."""
    if value is MISSING:
        issues.add(path, "Required")
    elif type_name(value) != expected:
        issues.add(path, f"Expected {expected}, received {type_name(value)}")
    else:
        return True
    return False


def _utf16(text: str) -> int:
    """Return the length of a text in JavaScript."""
    return len(text.encode("utf-16-le", "surrogatepass")) // 2


def string(longest: int | None = None, pattern: str | None = None) -> Check:
    """Return a check for text."""

    def check(value: Any, path: Path, issues: Issues) -> Any:
        """Check type, pattern and length."""
        if _expect("string", value, path, issues):
            if pattern is not None and not re.fullmatch(pattern, value):
                issues.add(path, "Invalid")
            if longest is not None and _utf16(value) > longest:
                issues.add(path, f"String must contain at most {longest} character(s)")
        return value

    return check


def number(least: int, most: int | None = None) -> Check:
    """Return a check for a number."""

    def check(value: Any, path: Path, issues: Issues) -> Any:
        """Check type and range."""
        if _expect("number", value, path, issues):
            if value < least:
                issues.add(path, f"Number must be greater than or equal to {least}")
            if most is not None and value > most:
                issues.add(path, f"Number must be less than or equal to {most}")
        return value

    return check


def boolean(value: Any, path: Path, issues: Issues) -> Any:
    """Check for a boolean."""
    _expect("boolean", value, path, issues)
    return value


def enum(*values: str) -> Check:
    """Return a check for some words."""
    names = " | ".join(f"'{value}'" for value in values)

    def check(value: Any, path: Path, issues: Issues) -> Any:
        """Look it up."""
        if value is MISSING:
            issues.add(path, "Required")
        elif not isinstance(value, str):
            issues.add(path, f"Expected {names}, received {type_name(value)}")
        elif value not in values:
            issues.add(
                path, f"Invalid enum value. Expected {names}, received '{value}'"
            )
        return value

    return check


def array(element: Check, least: int = 0, most: int | None = None) -> Check:
    """Return a check for a list."""

    def check(value: Any, path: Path, issues: Issues) -> Any:
        """Check the length and every entry."""
        if not _expect("array", value, path, issues):
            return value
        if len(value) < least:
            issues.add(path, f"Array must contain at least {least} element(s)")
        if most is not None and len(value) > most:
            issues.add(path, f"Array must contain at most {most} element(s)")
        return [
            element(entry, (*path, index), issues) for index, entry in enumerate(value)
        ]

    return check


def record(element: Check | None = None) -> Check:
    """Return a check for an object with any keys."""

    def check(value: Any, path: Path, issues: Issues) -> Any:
        """Check every value."""
        if _expect("object", value, path, issues) and element is not None:
            return {
                key: element(entry, (*path, key), issues)
                for key, entry in value.items()
            }
        return value

    return check


def optional(inner: Check) -> Check:
    """Return a check for an optional value."""

    def check(value: Any, path: Path, issues: Issues) -> Any:
        """Check it if it is there."""
        return value if value is MISSING else inner(value, path, issues)

    return check


def either(**options: Check) -> Check:
    """Return a check for one of several types, by their JavaScript names."""

    def check(value: Any, path: Path, issues: Issues) -> Any:
        """Check it as the type that it is."""
        if option := options.get(type_name(value)):
            return option(value, path, issues)
        issues.add(path, "Invalid input")
        return value

    return check


def fields(**checks: Check) -> Check:
    """Return a check for an object; unknown fields are dropped, and the names set the order."""

    def check(value: Any, path: Path, issues: Issues) -> Any:
        """Check every field."""
        if not _expect("object", value, path, issues):
            return value
        kept = {
            key: inner(value.get(key, MISSING), (*path, key), issues)
            for key, inner in checks.items()
        }
        return {key: entry for key, entry in kept.items() if entry is not MISSING}

    return check


def partial(checks: dict[str, Check], names: Iterable[str]) -> dict[str, Check]:
    """Return the same fields, some of them optional."""
    wanted = set(names)
    return {
        key: optional(check) if key in wanted else check
        for key, check in checks.items()
    }


def judged(judge: Check) -> Check:
    """Return a check by another library: the value is kept as a whole, and its path is repeated in messages."""

    def check(value: Any, path: Path, issues: Issues) -> Any:
        """Judge it, but keep what was given."""
        if value is not MISSING:
            inner = Issues()
            judge(value, (), inner)
            for place, message in inner.found:
                issues.add((*path, *path, *place), message)
        return value

    return check
