"""Automations against the ways in which entities come and go: a table of states, and of what each makes happen."""

from datetime import timedelta
from typing import Any, Final

import pytest
from pytest_homeassistant_custom_component.common import async_mock_service

from homeassistant.core import HomeAssistant, SupportsResponse
from homeassistant.helpers import entity_registry as er
from homeassistant.setup import async_setup_component
from homeassistant.util import dt as dt_util, yaml as yaml_util

from .displays import ENTITY_ID
from .test_blueprints import FOLDER, later, set_noon, stop, use
from .test_examples import AUTOMATIONS

WALLS: Final = {"displays": [ENTITY_ID]}
BELL: Final = {**WALLS, "camera": "camera.door"}
HOURS: Final = {**WALLS, "presence": "person.ana", "opens": "09:00:00"}
WEATHER: Final = {"query": "rain", "circumstances": ["weather.home"]}
(EXAMPLE,) = (
    name for name in AUTOMATIONS if "event.doorbell" in str(AUTOMATIONS[name])
)
# The types of events of an entity that has one of them.
TYPES: Final = {
    "ring": ["motion", "ring"],
    "motion": ["motion", "ring"],
    "pressed": ["motion", "pressed"],
    "moved": ["moved", "pressed"],
    "single": ["single", "double"],
    "double": ["single", "double"],
}
# What an entity does, one after the other, and after an arrow what is to follow it: a state, "+" and an attribute, the
# type of an event and after how many seconds it is, "removed", or minutes that pass. The first comes before the automation.
EVENTS: Final = {
    "first ring": "unknown; ring 0 > cast",
    "first motion": "unknown; motion 0",
    "rings": "ring -900; ring 0 > cast; motion 1; ring 2 > cast",
    "old ring": "ring -900; unavailable; ring -900",
    "old motion": "motion -900; unavailable; motion -900",
    "battery": "ring -900; unavailable; ring 0 > cast; unavailable; ring 9 > cast",
    "battery, first ring": "unavailable; ring 0 > cast",
    "battery, motion": "unavailable; motion 0",
    "gone": "ring 0; unavailable; unknown",
    "attribute": "ring 0; ring 0 +battery",
    "start": "removed; ring -900",
    "removed": "ring 0; removed",
}
BELLS: Final = {
    "the same ring": "ring -900; ring 0 > cast; unavailable; ring 0",
    "pressed": "unknown; pressed 0 > cast; motion 1; moved 2",
    "one button": "unknown; single 0 > cast; double 1 > cast",
}
SENSORS: Final = {
    "first ring": "unknown; on > cast",
    "rings": "off; on > cast; off; on > cast",
    "battery": "off; unavailable; on > cast; unavailable; off",
    "attribute": "on; on +battery",
    "start": "removed; on",
    "removed": "on; removed",
}
PRESENCE: Final = {
    "new person": "unknown; home > turn_on; home +gps; Work; home > turn_on",
    "person lost": "away; unavailable; home > turn_on",
    "new sensor": "unknown; on > turn_on; on +battery; unavailable; off; on > turn_on",
    "sensor lost": "off; unavailable; on > turn_on",
    "zone": "0; 1 > turn_on; 2; 0; 1 > turn_on",
    "start": "removed; home > turn_on",
}
ABSENCE: Final = {
    "away": "home; Work; 11 minutes > turn_off",
    "lost": "home; unavailable; 11 minutes; unknown; 11 minutes; home",
    "back": "home; Work; unavailable; 11 minutes; Work; 11 minutes > turn_off",
    "removed": "home; removed; 11 minutes",
    "zone": "1; 0; 11 minutes > turn_off",
}
DAY_AND_NIGHT: Final = {"open": "home; 1300 minutes; away; home"}
ALARMS: Final = {
    "for a moment": "off; on > message; off > back",
    "for long": "off; on > message; 11 minutes; on +battery; off > back",
    "new": "unknown; on > message",
    "lost": "on; unavailable; on > message; unavailable; unknown; off > back",
    "start": "removed; on > message",
    "panel": "armed_away; triggered > message; disarmed > back",
}
CHANGES: Final = {
    "change": "sunny; rainy > cast; rainy +wind",
    "lost": "sunny; unavailable; sunny; unknown; sunny",
    "start": "removed; sunny",
    "removed": "sunny; removed",
}
CONTACT: Final = {
    "gone": "playing; unavailable; 11 minutes > phone; playing",
    "gone for a moment": "playing; unavailable; playing; 11 minutes",
    "start": "removed; unavailable; 11 minutes > phone",
    "removed": "playing; unavailable; removed; 11 minutes",
}
# An automation, its inputs, the entity that comes and goes, the state of the display meanwhile, and the rows.
TABLE: Final[list[tuple[str, dict[str, Any], str, str, dict[str, str]]]] = [
    (EXAMPLE, {}, "event.doorbell", "playing", EVENTS),
    ("doorbell", {**BELL, "doorbell": "event.bell"}, "event.bell", "playing", EVENTS | BELLS),
    ("doorbell", {**BELL, "doorbell": "binary_sensor.bell"}, "binary_sensor.bell", "playing", SENSORS),
    ("gallery_hours", {**HOURS, "closes": "18:00:00"}, "person.ana", "off", PRESENCE),
    ("gallery_hours", {**HOURS, "closes": "09:00:00"}, "person.ana", "off", PRESENCE),
    ("gallery_hours", {**HOURS, "closes": "18:00:00"}, "person.ana", "playing", ABSENCE),
    ("gallery_hours", {**HOURS, "closes": "09:00:00"}, "person.ana", "playing", DAY_AND_NIGHT),
    ("alarm_message", {**WALLS, "alarm": "binary_sensor.water"}, "binary_sensor.water", "playing", ALARMS),
    ("curator", {**WEATHER, "display": ENTITY_ID}, "weather.home", "playing", CHANGES),
    ("display_in_trouble", {**WALLS, "notify": "notify.phone"}, ENTITY_ID, "playing", CONTACT),
]  # fmt: skip
ACTIONS: Final = {
    "back": "dp1.show_previous",
    "cast": "dp1.cast_playlist",
    "message": "dp1.show_message",
    "phone": "notify.phone",
    "turn_off": "media_player.turn_off",
    "turn_on": "media_player.turn_on",
}


@pytest.mark.parametrize(
    ("automation", "inputs", "entity_id", "display", "row"),
    [
        pytest.param(*rest, row, id=f"{rest[0]} {number} {name}")
        for number, (*rest, rows) in enumerate(TABLE)
        for name, row in rows.items()
    ],
)
async def test_comings_and_goings(
    hass: HomeAssistant,
    automation: str,
    inputs: dict[str, Any],
    entity_id: str,
    display: str,
    row: str,
) -> None:
    """Only what happens makes something happen, also the first time and after a loss of contact."""
    await set_noon(hass)
    start = dt_util.utcnow()
    calls = {
        name: async_mock_service(hass, *action.split("."))
        for name, action in ACTIONS.items()
    }
    async_mock_service(hass, "camera", "snapshot")
    async_mock_service(
        hass,
        "dp1",
        "search",
        response={"results": [{"title": "Rain", "media_content_id": "rain"}]},
        supports_response=SupportsResponse.ONLY,
    )
    er.async_get(hass).async_get_or_create(
        "media_player", "dp1", "wall", suggested_object_id="wall"
    )
    hass.states.async_set(ENTITY_ID, display, {"media_playlist": "Alarm"})

    async def change(what: str) -> None:
        """Change the entity, or let time pass."""
        what, _, attribute = what.partition(" +")
        attributes: dict[str, Any] = {attribute: 9} if attribute else {}
        match what.split():
            case [minutes, "minutes"]:
                await later(hass, minutes=int(minutes), seconds=1)
            case ["removed"]:
                hass.states.async_remove(entity_id)
            case [kind, seconds]:
                attributes |= {"event_type": kind, "event_types": TYPES[kind]}
                at = start + timedelta(seconds=int(seconds))
                state = at.isoformat(timespec="milliseconds")
                hass.states.async_set(entity_id, state, attributes)
            case [state]:
                hass.states.async_set(entity_id, state, attributes)
        await hass.async_block_till_done()

    first, *steps = row.split("; ")
    await change(first)
    if automation in AUTOMATIONS:
        example = {"alias": "Example", "id": "1", **AUTOMATIONS[automation]}
        assert await async_setup_component(hass, "automation", {"automation": example})
        await hass.async_block_till_done()
    else:
        await use(hass, **{automation: inputs})
    for step in steps:
        what, _, expected = step.partition(" > ")
        await change(what)
        done = [name for name, each in calls.items() for _ in each]
        assert " ".join(done) == expected, step
        for each in calls.values():
            each.clear()
    await stop(hass)


def test_nothing_is_left_out() -> None:
    """Whatever is triggered by states is in the table."""
    blueprints = {
        path.stem: yaml_util.load_yaml_dict(path) for path in FOLDER.glob("*.yaml")
    }
    waiting = {
        name
        for name, automation in (AUTOMATIONS | blueprints).items()
        if {"state", "template"} & {each["trigger"] for each in automation["triggers"]}
    }
    assert waiting == {name for name, *_ in TABLE}
