"""Typed access to the arguments of a device command, as Go decodes them."""

from typing import Any

from .errors import CommandError

type Json = dict[str, Any]


class Arguments:
    """Arguments by case-insensitive name; a missing or null one has the zero value of its type.

    Each accessor raises CommandError if the value has another type.
    """

    def __init__(self, request: Json | None) -> None:
        self._values = {name.lower(): value for name, value in (request or {}).items()}

    def has(self, name: str) -> bool:
        """Return whether the argument was sent, even as null."""
        return name.lower() in self._values

    def _typed(self, name: str, zero: Any, *kinds: type) -> Any:
        """Return the value if it has one of the types."""
        value = self._values.get(name.lower())
        if value is None:
            return zero
        if not isinstance(value, kinds) or (
            isinstance(value, bool) and bool not in kinds
        ):
            raise CommandError(f"{name} has the wrong type")
        return value

    def integer(self, name: str) -> int:
        number: int = self._typed(name, 0, int)
        return number

    def flag(self, name: str) -> bool:
        flag: bool = self._typed(name, False, bool)
        return flag

    def text(self, name: str) -> str:
        text: str = self._typed(name, "", str)
        return text

    def texts(self, name: str) -> list[str] | None:
        values: list[Any] | None = self._typed(name, None, list)
        if values is not None and not all(isinstance(value, str) for value in values):
            raise CommandError(f"{name} has the wrong type")
        return values
