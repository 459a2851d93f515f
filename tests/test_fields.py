"""A value means the same in every field, whatever it was written with."""

from datetime import timedelta
from typing import Any

import pytest
import voluptuous as vol

from custom_components.dp1 import fields
from custom_components.dp1.actions import display, feed, library
from homeassistant.core import HomeAssistant
from homeassistant.helpers.template import Template

from .displays import ENTITY_ID, playlist, set_up, state_of, until
from .simulators.display import DisplaySimulator

IDS = ["one", "two", "three", "four"]
TITLES = ["Dawn", "1984", "3.0", "2001 (study)"]


@pytest.mark.parametrize(
    ("work", "index"),
    [
        (1, 0),
        (3.0, 2),
        ("3", 2),
        ("03", 2),
        (4.0, 3),
        ("3.0", 2),
        ("2.0", 1),
        (1984, 1),
        (1984.0, 1),
        ("1984", 1),
        (" 1984 ", 1),
        (2001, 3),
        ("dawn", 0),
        ("three", 2),
        (0, None),
        (-1, None),
        (5, None),
        (1.5, None),
        (True, None),
        (float("inf"), None),
        (float("nan"), None),
        ("9" * 5000, None),
    ],
)
def test_work(work: Any, index: int | None) -> None:
    """A number is a place if there is one and a title otherwise; a text is a title if there is one."""
    assert fields.find_work(fields.work(work), IDS, TITLES) == index


def test_a_title_wins_over_a_place() -> None:
    """A text that is a title is no place, a number is."""
    titles = ["2", "Dawn"]
    assert fields.find_work("2", ["a", "b"], titles) == 0
    assert fields.find_work(2, ["a", "b"], titles) == 1


PLACES = [
    (display.CAST_SCHEMA, "start_at", {}),
    (display.CAST_SCHEMA, "limit", {}),
    (library.SEARCH_SCHEMA, "limit", {"query": "x"}),
]
DURATIONS = [
    (display.CAST_SCHEMA, "show_for", {}),
    (display.SHOW_WORK_SCHEMA, "show_for", {"work": 1}),
    (display.MESSAGE_SCHEMA, "show_for", {}),
    (display.CAST_SCHEMA, "item_duration", {}),
]
TEXTS = [
    (display.CAST_SCHEMA, "exhibition", {}),
    (display.CAST_SCHEMA, "series", {}),
    (display.CAST_SCHEMA, "playlist_id", {}),
    (display.CAST_SCHEMA, "title", {}),
    (display.MESSAGE_SCHEMA, "text", {}),
    (feed.PUBLISH_SCHEMA, "title", {}),
    (feed.UPDATE_SCHEMA, "summary", {"playlist_id": "a"}),
    (library.SEARCH_SCHEMA, "query", {}),
]


def value_of(schema: Any, field: str, more: dict[str, Any], value: Any) -> Any:
    """Return a value as an action gets it."""
    target = {} if schema is library.SEARCH_SCHEMA else {"entity_id": ENTITY_ID}
    if "playlist_id" in more:
        target = {}
    return schema({**target, **more, field: value})[field]


@pytest.mark.parametrize(("schema", "field", "more"), PLACES)
def test_whole_numbers(schema: Any, field: str, more: dict[str, Any]) -> None:
    """Helpers and templates write whole numbers in several ways."""
    for value in (3, 3.0, "3", "3.0", " 3 "):
        assert value_of(schema, field, more, value) == 3
    for value in (0, -1, "", "three", None, [], float("inf"), float("nan"), "9" * 400):
        with pytest.raises(vol.Invalid):
            value_of(schema, field, more, value)


@pytest.mark.parametrize(("schema", "field", "more"), DURATIONS)
def test_durations(schema: Any, field: str, more: dict[str, Any]) -> None:
    """A duration is written in one of several ways."""
    written = (90, 90.0, "90", "90.0", "00:01:30", "0:01:30", "PT1M30S")
    parts = ({"minutes": 1, "seconds": 30}, {"minutes": "1.5"}, timedelta(seconds=90))
    for value in written + parts:
        validated = value_of(schema, field, more, value)
        if isinstance(validated, timedelta):
            validated = validated.total_seconds()
        assert validated == 90, value
    assert value_of(schema, field, more, str(timedelta(days=1, hours=1)))
    for value in (-1, "-1", "", "soon", None, [], float("inf"), float("nan"), 1e300):
        with pytest.raises(vol.Invalid):
            value_of(schema, field, more, value)


@pytest.mark.parametrize(("schema", "field", "more"), TEXTS)
async def test_texts(
    hass: HomeAssistant, schema: Any, field: str, more: dict[str, Any]
) -> None:
    """A template makes a number of a text that looks like one."""
    for text in ("1984", "007", "True", "[1, 2]", "{'a': 1}", "3.5"):
        rendered = Template(f"{{{{ {text!r} }}}}", hass).async_render()
        assert value_of(schema, field, more, rendered) == text
    # A helper writes it as a fraction.
    assert value_of(schema, field, more, 1984.0) == "1984"


@pytest.mark.usefixtures("socket_enabled")
async def test_a_work_called_after_a_year(
    hass: HomeAssistant, display: DisplaySimulator, display_entry: Any
) -> None:
    """The actions of a work take its title where it is a number, and its place from a helper."""
    display.player.load(playlist("Dawn", "1984", "Dusk"))
    await set_up(hass, display_entry)

    async def act(action: str, **data: Any) -> None:
        target = {"entity_id": ENTITY_ID}
        await hass.services.async_call("dp1", action, target | data, blocking=True)

    for work, title in ((1984, "1984"), (3.0, "Dusk"), ("1.0", "Dawn")):
        await act("show_work", work=work)
        await until(lambda: state_of(hass).attributes["media_title"] == title)  # noqa: B023
    await act("remove_work", work=1984)
    assert [item["title"] for item in display.state.items] == ["Dawn", "Dusk"]
    media = {"media_content_type": "image/png", "extra": {"title": 1984}}
    media["media_content_id"] = "https://art.example.org/a.png"
    await hass.services.async_call(
        "media_player", "play_media", {"entity_id": ENTITY_ID, **media}, blocking=True
    )
    assert display.state.current_title == "1984"
