"""What each version of the Go feed has a place for in a document: other members are lost, or refused."""

from collections.abc import Iterator
import json
from pathlib import Path
from typing import Any

_FILE = Path(__file__).parents[2] / "fixtures" / "feed" / "members.json"
_KEPT_EMPTY = {"name", "key", "text", "source"}
MEMBERS: dict[str, dict[str, Any]] = json.loads(_FILE.read_text("utf-8"))


def known(value: Any, members: Any) -> Any:
    """Return a value without unknown and empty members at any depth."""
    match value, members:
        case dict(), dict():
            kept = {
                name: known(entry, members[name])
                for name, entry in value.items()
                if name in members
            }
            return {
                name: entry
                for name, entry in kept.items()
                if entry not in (None, "", []) or (entry == "" and name in _KEPT_EMPTY)
            }
        case list(), [inner]:
            return [known(entry, inner) for entry in value]
    return value


def unknown(value: Any, members: Any) -> Iterator[str]:
    match value, members:
        case dict(), dict():
            for name, entry in value.items():
                if name in members:
                    yield from unknown(entry, members[name])
                else:
                    yield name
        case list(), [inner]:
            for entry in value:
                yield from unknown(entry, inner)
