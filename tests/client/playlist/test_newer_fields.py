"""Test the fields of playlists extension 0.2.0 and content rating 0.1.0."""

from datetime import UTC, datetime
from typing import Any

import pytest

from custom_components.dp1.client.feed.drafts import NEWER_ITEM_FIELDS, normalize
from custom_components.dp1.client.playlist.document import validate

from .documents import one_item, playlist

NOW = datetime(2026, 12, 1, tzinfo=UTC)
ITEM: dict[str, Any] = {
    "displayAt": "2026-12-01T08:00:00Z",
    "contentRating": "mature",
    "contentReasons": ["nudity"],
    "inlineManifest": {
        "refVersion": "1.1.0",
        "id": "tide",
        "created": "2026-12-01T08:00:00Z",
        "locale": "en",
        "metadata": {"title": "Tide"},
    },
}
MANIFEST = ITEM["inlineManifest"]
LABELED = [
    # Version 1.0 and 1.1.
    {"thumbnails": {"small": {"uri": "https://a.example/1.png", "w": 1, "h": 1}}},
    {
        "artists": [
            {
                "name": "Ada",
                "id": "ada",
                "addresses": ["0x01"],
                "avatar": {"uri": "https://a.example/ada.png"},
                "biographies": [{"text": "Born.", "sourceUrl": "https://a.example"}],
                "links": [{"type": "website", "url": "https://a.example"}],
            }
        ],
        "thumbnails": {"default": {"uri": "https://a.example/1.png"}},
        "tags": ["generative"],
    },
]
UNLABELED = [
    {"title": 5},
    {"artists": [{"name": None}]},
    {"artists": [{"name": "Ada", "biographies": ["Born."]}]},
    {"artists": [{"links": [{"type": "blog", "url": "https://a.example"}]}]},
    {"thumbnails": {"default": {}}},
]


@pytest.mark.parametrize(
    ("field", "good", "bad"),
    [
        ("displayAt", ["2026-12-01T08:00:00+09:00", "2026-12-01T08:00:00"], ["2026-12-01", "soon", 5, None]),
        ("contentRating", ["general", "mature", "teen", "Mature", ""], [None, True, 5]),
        ("contentReasons", [[], ["a", "b"]], [[""], "nudity", [5], None]),
        ("inlineManifest", [MANIFEST, *(MANIFEST | {"metadata": data} for data in LABELED)], [{}, [], None, *(MANIFEST | {"metadata": data} for data in UNLABELED)]),
        ("inlineManifest", [MANIFEST | {"refVersion": "1.0.0", "locale": "pt-BR", "controls": {}, "i18n": {}}], [MANIFEST | {name: value} for name in ("refVersion", "id", "created", "locale") for value in (None, 5, "")]),
    ],
)  # fmt: skip
def test_fields_of_items(field: str, good: list[Any], bad: list[Any]) -> None:
    """The format of each field is checked; null is invalid."""
    for value in good:
        assert validate(one_item(**{field: value})) == []
    for value in bad:
        (fault, *_) = validate(one_item(**{field: value}))
        assert fault.path.startswith(f"items[0].{field}"), value


@pytest.mark.parametrize("name", ["refVersion", "id", "created", "locale"])
def test_what_a_manifest_needs(name: str) -> None:
    """A feed that checks extensions refuses the whole playlist where one of these is missing."""
    manifest = {key: value for key, value in MANIFEST.items() if key != name}
    (fault,) = validate(one_item(inlineManifest=manifest))
    assert fault.path == f"items[0].inlineManifest.{name}"


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
