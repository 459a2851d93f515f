"""Tables of cases that are plain data, and live beside the tests as JSON."""

from dataclasses import asdict, is_dataclass
import json
from pathlib import Path
from typing import Any

FIXTURES = Path(__file__).parents[1] / "fixtures"


def tables(name: str, room: str = "client") -> dict[str, Any]:
    """Return the tables of a module of tests of a room by their names."""
    read: dict[str, Any] = json.loads((FIXTURES / room / f"{name}.json").read_text())
    return read


def plain(value: object) -> Any:
    """Return a value as a table has it."""
    return json.loads(json.dumps(value, default=_plain))


def _plain(value: Any) -> Any:
    """Return what is not plain in a plainer form."""
    if is_dataclass(value) and not isinstance(value, type):
        return asdict(value)
    return sorted(value) if isinstance(value, frozenset) else str(value)
