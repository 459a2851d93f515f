"""Test every entrance with every term, on a display alone and in a group: what hangs at once, and after the time.

The entrances differ in nothing: the expectation is a table of term and place alone.
"""

from collections.abc import AsyncIterator
from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest
from pytest_homeassistant_custom_component.common import async_fire_time_changed

from custom_components.dp1.voice.sentences import async_update_sentences
from homeassistant.components import conversation
from homeassistant.core import Context, HomeAssistant
from homeassistant.helpers import intent, llm
from homeassistant.setup import async_setup_component
from homeassistant.util import dt as dt_util

from tests.displays import settle, until
from tests.houses import House, series
from tests.libraries import library_entry, set_up
from tests.simulators.feed import FeedSimulator
from tests.test_blueprints import use

pytestmark = pytest.mark.usefixtures("socket_enabled")

TIDES, DUNES = series("Tides", 2), series("Dunes", 2)
TIDES_ID = "385f79b6-a45f-4c1c-8080-e93a192adccc"
ENTRANCES = {
    "for good": "action, play_media, source, scene, sentence, spoken text, tool, hand over",
    "for a time": "action, play_media, announce, sentence, spoken text, tool, message, blueprint",
    "added": "play_media",
    "next": "play_media",
    "now": "play_media",
}
D, T = ["Dunes 1", "Dunes 2"], ["Tides 1", "Tides 2"]
# By term and place: the works on the left display, which leads a group, and on the right one, at which the request
# is aimed; at once and after the time.
TABLE: dict[tuple[str, str], tuple[list[list[str]], list[list[str]]]] = {
    ("for good", "alone"): ([D, T], [D, T]),
    ("for good", "group"): ([T, T], [T, T]),
    ("for a time", "alone"): ([D, T], [D, D]),
    ("for a time", "group"): ([D, T], [D, D]),
    ("added", "alone"): ([D, D + T], [D, D + T]),
    ("added", "group"): ([D + T, D + T], [D + T, D + T]),
    ("next", "alone"): ([D, [D[0], *T, D[1]]], [D, [D[0], *T, D[1]]]),
    ("next", "group"): ([[D[0], *T, D[1]]] * 2, [[D[0], *T, D[1]]] * 2),
    ("now", "alone"): ([D, [D[0], *T, D[1]]], [D, [D[0], *T, D[1]]]),
    ("now", "group"): ([[D[0], *T, D[1]]] * 2, [[D[0], *T, D[1]]] * 2),
}
ENQUEUE = {"added": "add", "next": "next", "now": "play"}


@pytest.fixture
async def house(
    hass: HomeAssistant,
    feed: FeedSimulator,
    impatience: None,
    tmp_path: Path,
) -> AsyncIterator[House]:
    """Hang the same on two displays, beside a library with another list."""
    hass.config.config_dir = str(tmp_path)
    (tmp_path / "configuration.yaml").touch()
    for component in ("media_source", "scene", "homeassistant", "conversation"):
        assert await async_setup_component(hass, component, {})
    async with House.of(hass, "left", "right") as house:
        feed.seed([{**TIDES, "id": TIDES_ID}])
        library = await set_up(hass, library_entry(feed.url))
        await library.runtime_data.async_children("playlists")
        await until(lambda: "Tides" in (house.attribute("right", "source_list") or ()))
        await house.show("left", playlist=DUNES)
        await house.show("right", playlist=DUNES)
        yield house


async def ask(house: House, entrance: str, term: str) -> None:
    """Ask for the other list on the right display."""
    hass, right = house.hass, house.entity("right")
    minute = {"show_for": {"seconds": 60}} if term == "for a time" else {}
    match entrance:
        case "action":
            await house.show("right", playlist_id="Tides", **minute)
        case "play_media":
            data: dict[str, Any] = {"extra": {"show_for": 60}} if minute else {}
            if term in ENQUEUE:
                data = {"enqueue": ENQUEUE[term]}
            await house.play("right", media_id(house), **data)
        case "announce":
            data = {"announce": True, "extra": {"duration": 60}}
            await house.play("right", media_id(house), **data)
        case "source":
            await house.do("select_source", "right", source="Tides")
        case "scene":
            state = {
                "state": "playing",
                "media_content_id": media_id(house),
                "media_content_type": "playlist",
            }
            await hass.services.async_call(
                "scene", "apply", {"entities": {right: state}}, blocking=True
            )
        case "sentence":
            slots = {"what": "Tides", "name": "Right", "art": "yes"}
            if minute:
                slots["minutes"] = "1"
            await intent.async_handle(
                hass,
                "test",
                "Dp1Show",
                {key: {"value": value} for key, value in slots.items()},
                context=Context(),
                assistant="conversation",
            )
        case "spoken text":
            await async_update_sentences(hass, enable=True)
            said = "show Tides on Right" + (" for one minute" if minute else "")
            result = await conversation.async_converse(
                hass, said, None, Context(), language="en"
            )
            assert result.response.error_code is None
        case "blueprint":
            inputs = {
                "displays": [right],
                "alarm": "binary_sensor.door",
                "title": "Dinner",
                "show_for": {"seconds": 60},
            }
            await use(hass, alarm_message=inputs)
            hass.states.async_set("binary_sensor.door", "on")
        case "tool":
            context = llm.LLMContext("test", Context(), "en", "conversation", None)
            api = await llm.async_get_api(hass, "assist", context)
            arguments: dict[str, Any] = {"what": "Tides", "display": "Right"}
            if minute:
                arguments["minutes"] = 1
            tool = llm.ToolInput("dp1__show_art", arguments)
            result = await api.async_call_tool(tool)
            assert "error" not in str(getattr(result, "data", result))
        case "hand over":
            # From a display that is in no group.
            await house.do("unjoin", "left")
            await house.show("left", playlist=TIDES)
            await house.do("dp1.hand_over", "left", to=right, then="keep")
            await house.show("left", playlist=DUNES)
        case "message":
            await house.do("dp1.show_message", "right", text="Dinner", **minute)


def media_id(house: House) -> str:
    """Return the media id of the other list."""
    (entry,) = (
        entry
        for entry in house.hass.config_entries.async_entries("dp1")
        if entry.data["kind"] == "library"
    )
    return f"media-source://dp1/{entry.entry_id}/playlist/{TIDES_ID}"


def works(house: House) -> list[list[str]]:
    """Return the titles of the works on both displays, of a message its text."""
    return [
        [item.get("title") or wall.state.playlist_title for item in wall.state.items]
        for wall in house.walls.values()
    ]


ROWS = [
    (entrance, term, place)
    for term, entrances in ENTRANCES.items()
    for entrance in entrances.split(", ")
    for place in ("alone", "group")
    # Behind its entrance, each goes the same way to the group.
    if place == "alone" or entrances.startswith(entrance)
]


@pytest.mark.parametrize(("entrance", "term", "place"), ROWS)
async def test_row(
    house: House,
    entrance: str,
    term: str,
    place: str,
) -> None:
    """What hangs follows from the term and the place, whoever asks."""
    if place == "group":
        await house.do("join", "left", group_members=[house.entity("right")])
    now, after = TABLE[term, place]
    if entrance in ("message", "blueprint"):
        now = [["Dinner"] if each == T else each for each in now]
    await ask(house, entrance, term)
    await until(lambda: works(house) == now)
    for wall in house.walls.values():
        await settle(wall)
    async_fire_time_changed(house.hass, dt_util.utcnow() + timedelta(seconds=61))
    await until(lambda: works(house) == after)
    for wall in house.walls.values():
        await settle(wall)
    assert works(house) == after
    # The work that is seen: what is shown now, or what was before.
    first = "Tides 1" if term == "now" else after[1][0]
    assert house.hanging("right") == first


@pytest.mark.parametrize("kind", ["newest", "daily", "playlist"])
async def test_what_cannot_be_read(
    hass: HomeAssistant, feed: FeedSimulator, kind: str
) -> None:
    """A sentence and a tool tell in words why something of a library cannot be shown."""
    for component in ("media_source", "homeassistant", "conversation"):
        assert await async_setup_component(hass, component, {})
    options = {"daily_url": "http://127.0.0.1:9/daily.json"}
    async with House.of(hass, "right"):
        library = await set_up(hass, library_entry(feed.url, options=options))
        await feed.stop()
        slots: dict[str, Any] = {"choice": kind, "name": "Right", "art": "yes"}
        if kind == "playlist":
            node = f"media-source://dp1/{library.entry_id}/playlist/{TIDES_ID}"
            slots = {"media": [node], "name": "Right", "art": "yes"}
        answer = await intent.async_handle(
            hass,
            "test",
            "Dp1Show",
            {key: {"value": value} for key, value in slots.items()},
            context=Context(),
            assistant="conversation",
        )
        assert answer.error_code is not None
        assert answer.speech["plain"]["speech"]
