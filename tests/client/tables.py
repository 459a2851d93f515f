"""Tables of cases that are plain data, and live beside the tests as JSON."""

import json
from pathlib import Path
from typing import Any

FIXTURES = Path(__file__).parents[1] / "fixtures" / "client"


def tables(name: str) -> dict[str, Any]:
    """Return the tables of a module of tests by their names."""
    read: dict[str, Any] = json.loads((FIXTURES / f"{name}.json").read_text())
    return read
