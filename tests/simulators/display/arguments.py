"""Typed access to the arguments of a device command, as Go decodes them."""

from typing import Any

from .errors import CommandError

type Json = dict[str, Any]


class Arguments:
    """Arguments by name; a missing or null one has the zero value of its type.

    Each accessor raises CommandError if the value has another type.
    """

    def __init__(self, request: Json | None) -> None:
        self._values = request or {}

    def has(self, name: str) -> bool:
        """Return whether the argument was sent, even as null."""
        return name in self._values

    def _typed[T](self, name: str, zero: T) -> T:
        """Return the value if it has the type of its zero."""
        value = self._values.get(name)
        if value is None:
            return zero
        if type(value) is not type(zero):
            raise CommandError(f"{name} has the wrong type")
        typed: T = value
        return typed

    def integer(self, name: str) -> int:
        return self._typed(name, 0)

    def flag(self, name: str) -> bool:
        return self._typed(name, False)

    def text(self, name: str) -> str:
        return self._typed(name, "")

    def texts(self, name: str) -> list[str] | None:
        none: list[Any] = []
        values = self._typed(name, none)
        if not all(isinstance(value, str) for value in values):
            raise CommandError(f"{name} has the wrong type")
        return None if values is none else values
