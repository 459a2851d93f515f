"""Playlists for the tests of the client, and strategies that generate more."""

import json
from pathlib import Path
from typing import Any

from hypothesis import strategies as st

from tests.client.tables import tables

TABLES = tables("document")
VECTORS = Path(__file__).parents[2] / "fixtures" / "vectors"
ITEM = {"title": "Tide", "source": "https://art.example/tide.html", "duration": 60}
DID = "did:key:z6MktwupdmLXVVqTzCw4i46r4uGyosGXRnR3XjN4Zq7oMMsw"

# Every field of the specification and the playlists extension, with a valid value.
FULL: dict[str, Any] = TABLES["full"]

# Text that a document can hold; half a surrogate pair cannot be written in UTF-8.
texts = st.text(st.characters(exclude_categories=["Cs"]), max_size=30)
json_values = st.recursive(
    st.none()
    | st.booleans()
    | st.integers()
    | st.floats(allow_nan=False, allow_infinity=False)
    | texts,
    lambda inner: (
        st.lists(inner, max_size=3) | st.dictionaries(texts, inner, max_size=3)
    ),
    max_leaves=8,
)


def vectors(name: str) -> dict[str, Any]:
    loaded: dict[str, Any] = json.loads((VECTORS / f"{name}.json").read_text())
    return loaded


def playlist(**changes: Any) -> dict[str, Any]:
    """Return a small playlist with some fields changed."""
    return {"dpVersion": "1.1.0", "title": "Hall", "items": [dict(ITEM)], **changes}


def one_item(**changes: Any) -> dict[str, Any]:
    return playlist(items=[{**ITEM, **changes}])


def places(value: Any, path: tuple[str | int, ...] = ()) -> list[tuple[str | int, ...]]:
    found = [path] if path else []
    pairs = (
        value.items()
        if isinstance(value, dict)
        else enumerate(value)
        if isinstance(value, list)
        else ()
    )
    for key, inner in pairs:
        found += places(inner, (*path, key))
    return found
