"""Test parsing the records of the catalog."""

from dataclasses import fields
from datetime import UTC, datetime
from typing import Any

import pytest

from custom_components.dp1.client.catalog.models import Artwork, Exhibition, Series

from tests.client.tables import plain, tables

TABLES = tables("catalog_models")
RECORDS = TABLES["records"]

type Record = Exhibition | Series | Artwork
KINDS: dict[str, type[Record]] = {
    kind.__name__: kind for kind in (Exhibition, Series, Artwork)
}
FIELDS = [
    (kind, name) for kind in KINDS for name in RECORDS[kind]["sent"] if name != "id"
]
WRONG = (None, 7, 1.5, "", "text", [], [None, 7], {}, {"ID": []}, True)


def parsed(kind: str, data: Any) -> Record:
    record = KINDS[kind].parse(data)
    assert record is not None
    return record


@pytest.mark.parametrize("kind", KINDS)
def test_records(kind: str) -> None:
    """Every used field is parsed, with the sources in order."""
    assert plain(parsed(kind, RECORDS[kind]["sent"])) == RECORDS[kind]["read"]


@pytest.mark.parametrize(("kind", "sent", "read"), TABLES["fields"])
def test_fields(kind: str, sent: dict[str, Any], read: dict[str, Any]) -> None:
    """Each field is read in every form that it has, and left out where it says nothing."""
    record = parsed(kind, {"id": "1", **sent})
    assert {name: plain(getattr(record, name)) for name in read} == read


@pytest.mark.parametrize(("kind", "name"), FIELDS)
def test_any_field_may_be_missing_or_wrong(kind: str, name: str) -> None:
    """An invalid field does not affect the others."""
    data = RECORDS[kind]["sent"]
    whole = parsed(kind, data)
    missing = {key: value for key, value in data.items() if key != name}
    for changed in (missing, *({**data, name: value} for value in WRONG)):
        record = parsed(kind, changed)
        assert record.id == whole.id
        touched = sum(
            getattr(record, field.name) != getattr(whole, field.name)
            for field in fields(record)
        )
        assert touched <= 3


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize(
    "data", [None, "text", 7, [], {}, {"title": "No id"}, {"id": " "}, {"id": []}]
)
def test_without_id_there_is_no_record(kind: str, data: object) -> None:
    assert KINDS[kind].parse(data) is None


def test_a_show_is_open_before_its_opening() -> None:
    """An exhibition can be seen from its preview on; without an opening it is open."""
    show = Exhibition.parse(RECORDS["Exhibition"]["sent"])
    bare = Exhibition.parse({"id": "1"})
    assert show is not None and bare is not None
    assert show.viewable(datetime(2026, 3, 4, tzinfo=UTC))
    assert not show.viewable(datetime(2026, 3, 3, tzinfo=UTC))
    assert bare.viewable(datetime(2026, 1, 1, tzinfo=UTC))
    hidden = Exhibition.parse({"id": "1", "hidden": True})
    assert hidden is not None
    assert not hidden.viewable(datetime(2027, 1, 1, tzinfo=UTC))


def test_texts_that_no_file_can_hold_are_left_out() -> None:
    work = Artwork.parse({"id": "1", "seriesID": "\ud83d", "previewURI": "a\udc00"})
    assert work == Artwork(id="1")
    assert Artwork.parse({"id": "\ud83d"}) is None
