"""Test the fields of playlists extension 0.2.0 and content rating 0.1.0."""

from datetime import UTC, datetime
from typing import Any

import pytest

from custom_components.dp1.client.feed.drafts import NEWER_ITEM_FIELDS, normalize
from custom_components.dp1.client.playlist.document import validate

from .documents import one_item, playlist

from tests.client.tables import tables

NOW = datetime(2026, 12, 1, tzinfo=UTC)
TABLES = tables("newer_fields")
ITEM: dict[str, Any] = TABLES["item"]


@pytest.mark.parametrize(("field", "value", "valid"), TABLES["fields"])
def test_fields_of_items(field: str, value: Any, valid: bool) -> None:
    """The format of each field is checked; null is invalid."""
    paths = [fault.path for fault in validate(one_item(**{field: value}))]
    assert (not paths) is valid
    assert all(path.startswith(f"items[0].{field}") for path in paths)


@pytest.mark.parametrize("name", ["refVersion", "id", "created", "locale"])
def test_what_a_manifest_needs(name: str) -> None:
    """A feed that checks extensions refuses the whole playlist where one of these is missing."""
    manifest = {
        key: value for key, value in ITEM["inlineManifest"].items() if key != name
    }
    (fault,) = validate(one_item(inlineManifest=manifest))
    assert fault.path == f"items[0].inlineManifest.{name}"


def test_schedule() -> None:
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
