"""The arguments of a device's command, as Go decodes them into typed fields."""

from typing import Any

from .errors import CommandError

type Json = dict[str, Any]


class Arguments:
    """Arguments by name, in any case; what is missing or null is the zero value of its type.

    Every reading raises CommandError if the value has another type.
    """

    def __init__(self, request: Json | None) -> None:
        """Take them as they came."""
        self._values = {name.lower(): value for name, value in (request or {}).items()}

    def has(self, name: str) -> bool:
        """Whether it was sent, if only as null."""
        return name.lower() in self._values

    def given(self, name: str) -> bool:
        """Whether there is a value."""
        return self._values.get(name.lower()) is not None

    def _typed(self, name: str, zero: Any, *kinds: type) -> Any:
        """The value of a name, of one of the types."""
        value = self._values.get(name.lower())
        if value is None:
            return zero
        if not isinstance(value, kinds) or (
            isinstance(value, bool) and bool not in kinds
        ):
            raise CommandError(f"{name} has the wrong type")
        return value

    def integer(self, name: str) -> int:
        """A whole number."""
        number: int = self._typed(name, 0, int)
        return number

    def flag(self, name: str) -> bool:
        """Yes or no."""
        flag: bool = self._typed(name, False, bool)
        return flag

    def text(self, name: str) -> str:
        """A text."""
        text: str = self._typed(name, "", str)
        return text

    def mapping(self, name: str) -> Json:
        """An object."""
        mapping: Json = self._typed(name, {}, dict)
        return mapping

    def numbers(self, name: str) -> list[float]:
        """Numbers in a list."""
        values: list[Any] = self._typed(name, [], list)
        if not all(type(value) in (int, float) for value in values):
            raise CommandError(f"{name} has the wrong type")
        return values

    def texts(self, name: str) -> list[str] | None:
        """Texts in a list; None if there is no list."""
        values: list[Any] | None = self._typed(name, None, list)
        if values is not None and not all(isinstance(value, str) for value in values):
            raise CommandError(f"{name} has the wrong type")
        return values

    def points(self, name: str) -> list[tuple[float, float]]:
        """Steps in a list."""
        steps = self._typed(name, [], list)
        points = []
        for step in steps:
            if not isinstance(step, dict):
                raise CommandError(f"{name} has the wrong type")
            x, y = step.get("dx", 0), step.get("dy", 0)
            if type(x) not in (int, float) or type(y) not in (int, float):
                raise CommandError(f"{name} has the wrong type")
            points.append((x, y))
        return points
