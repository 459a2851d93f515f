"""Test the fields of playlists extension 0.2.0 and content rating 0.1.0."""

from datetime import UTC, datetime
from typing import Any

import pytest

from custom_components.dp1.client.feed.drafts import NEWER_ITEM_FIELDS, normalize
from custom_components.dp1.client.playlist.document import validate

from .documents import one_item, playlist

NOW = datetime(2026, 12, 1, tzinfo=UTC)
ITEM = {
    "displayAt": "2026-12-01T08:00:00Z",
    "contentRating": "mature",
    "contentReasons": ["nudity"],
    "inlineManifest": {
        "refVersion": "1.1.0",
        "locale": "en",
        "metadata": {"title": "Tide"},
    },
}


@pytest.mark.parametrize(
    ("field", "good", "bad"),
    [
        ("displayAt", ["2026-12-01T08:00:00+09:00", "2026-12-01T08:00:00"], ["2026-12-01", "soon", 5, None]),
        ("contentRating", ["general", "mature"], ["Mature", "", None, True]),
        ("contentReasons", [[], ["a", "b"]], [[""], "nudity", [5], None]),
        ("inlineManifest", [{"refVersion": "1.1.0", "locale": "en"}], [{}, {"locale": "en"}, {"refVersion": "1.1.0", "locale": 5}, [], None]),
    ],
)  # fmt: skip
def test_fields_of_items(field: str, good: list[Any], bad: list[Any]) -> None:
    """The format of each field is checked; null is invalid."""
    for value in good:
        assert validate(one_item(**{field: value})) == []
    for value in bad:
        (fault, *_) = validate(one_item(**{field: value}))
        assert fault.path.startswith(f"items[0].{field}"), value


def test_schedule() -> None:
    """The schedule flag is checked."""
    assert validate(playlist(schedule={"byDisplayAt": True})) == []
    (fault,) = validate(playlist(schedule={"byDisplayAt": "yes"}))
    assert fault.path == "schedule.byDisplayAt"


def test_what_feeds_take() -> None:
    """Newer feeds store all fields but the schedule, older feeds none; fields left out are reported."""
    key = "7b1d0a3c-5f7e-4f36-9a55-2a6c0b7d8e90"
    document = {**one_item(id=key, **ITEM), "schedule": {"byDisplayAt": True}}
    kept, left_out = normalize(document, now=NOW, newer=NEWER_ITEM_FIELDS)
    assert kept["items"] == document["items"]
    assert left_out == ["schedule"]
    kept, left_out = normalize(document, now=NOW)
    assert not ITEM.keys() & kept["items"][0].keys()
    assert left_out == [*(f"items[0].{field}" for field in ITEM), "schedule"]
