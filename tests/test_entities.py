"""Test which entities each generation of displays has, and that they have values."""

import json
from typing import Any

import pytest

from homeassistant.const import EVENT_STATE_CHANGED, EVENT_STATE_REPORTED
from homeassistant.core import Event, HomeAssistant, callback
from homeassistant.helpers import (
    area_registry as ar,
    device_registry as dr,
    entity_registry as er,
)

from .displays import DEVICE_ID, ENTITY_ID, playlist, until
from .sources import INTEGRATION
from .timing import set_timing
from .walls import Wall


def named(**keys: str) -> set[str]:
    """Return entities by platform and key; one with a minus is off until somebody switches it on."""
    return {f"{name} {key}" for name, each in keys.items() for key in each.split()}


FIRST = {"media_player"} | named(
    binary_sensor="playback_problem",
    button="default_playlist reboot refresh_work -shut_down",
    event="-activity",
    image="work",
    number="panel_brightness panel_contrast panel_volume",
    remote="remote",
    select="orientation scaling",
    sensor="-cpu_temperature -disk_usage -gpu_temperature -memory_usage -started -work_number -next_work works",
    switch="panel sleep_schedule",
    time="sleep_time wake_time",
    update="firmware",
)
LABELED = named(number="seconds_per_work", select="museum_label")
SECOND = named(
    binary_sensor="internet",
    button="-take_screenshot",
    image="-screenshot",
    number="margin",
    select="sleep_days",
    sensor="last_outage",
    switch="mature_content",
)
ENTITIES = {
    "A": FIRST,
    "A1": FIRST | LABELED,
    "B": FIRST | LABELED | SECOND,
    "C": FIRST | LABELED | SECOND,
    "legacy": {"media_player"},
    "legacy-strict": {"media_player"},
}
# What has happened is only known once it has.
HAPPENINGS = {"button", "event"}
EVENING = playlist("Dawn", "Noon", coverImage="https://art.example.org/cover.png")
OUTAGE = {
    "start": "2026-10-01T20:00:00Z",
    "end": "2026-10-01T20:05:00Z",
    "class": "wan-down",
    "count24h": 2,
}


def test_what_is_off_is_marked() -> None:
    """The documentation marks with a star what is off until somebody switches it on, and nothing else."""
    names = json.loads((INTEGRATION / "translations" / "en.json").read_text())["entity"]
    told = (INTEGRATION.parents[1] / "docs" / "entities.md").read_text()
    off, on = set(), set()
    for entity in set().union(*ENTITIES.values()):
        platform, _, key = entity.partition(" ")
        if "name" in (named := names.get(platform, {}).get(key.removeprefix("-"), {})):
            (off if key.startswith("-") else on).add(named["name"])
    assert len(off) > 10
    marked = {name for name in off | on if f"{name}*" in told}
    assert marked == off


def entities(hass: HomeAssistant) -> set[str]:
    """Return all entities of the display by platform and key."""
    return {
        " ".join(
            (
                entity.domain,
                ("-" if entity.disabled_by else "")
                + entity.unique_id.removeprefix(f"{DEVICE_ID}_"),
            )
        ).removesuffix(f" {DEVICE_ID}")
        for entity in er.async_get(hass).entities.values()
        if entity.platform == "dp1"
    }


async def show_all(wall: Wall) -> None:
    """Set up a display that has a value for everything."""
    wall.display.player.load(EVENING)
    wall.display.device.last_outage = OUTAGE
    await wall.set_up()


async def test_what_is_done_in_a_room(bare: Wall) -> None:
    """Home Assistant's own overview of a room has what a person does there, and nothing that is set or looked up."""
    await show_all(bare)
    primary = {
        entity.unique_id.removeprefix(f"{DEVICE_ID}_")
        for entity in er.async_get(bare.hass).entities.values()
        if entity.platform == "dp1"
        and not (entity.entity_category or entity.disabled_by or entity.hidden_by)
    }
    assert primary - {"panel", "panel_brightness"} == {DEVICE_ID, "museum_label"}


@pytest.mark.parametrize("profile", ENTITIES)
async def test_entities(bare: Wall, profile: str) -> None:
    """A display has exactly the entities of its features."""
    await show_all(bare)
    await until(lambda: entities(bare.hass) >= ENTITIES[profile])
    await bare.hass.async_block_till_done()
    assert entities(bare.hass) == ENTITIES[profile]


async def test_a_name_an_icon_and_a_row(bare: Wall) -> None:
    """Each entity has what a person reads and sees of it: whoever adds one is told what is missing."""
    names = json.loads((INTEGRATION / "translations" / "en.json").read_text())["entity"]
    icons = json.loads((INTEGRATION / "icons.json").read_text())["entity"]
    told = (INTEGRATION.parents[1] / "docs" / "entities.md").read_text()
    rows = "".join(line for line in told.splitlines() if line.startswith("|"))
    await show_all(bare)
    await until(lambda: entities(bare.hass) >= ENTITIES["B"])
    missing = []
    for entity in er.async_get(bare.hass).entities.values():
        platform, key = entity.domain, entity.translation_key
        if key is None:
            assert platform in ("media_player", "remote") or entity.original_name
            continue
        name = names.get(platform, {}).get(key, {}).get("name", entity.original_name)
        if platform == "media_player":
            continue
        if not name or name == key:
            missing.append(f"translations/en.json: entity.{platform}.{key}.name")
        elif name not in (rows if platform == "sensor" else told):
            missing.append(f"docs/entities.md: a row for {name}")
        if key not in icons.get(platform, {}) and not entity.original_device_class:
            missing.append(f"icons.json: entity.{platform}.{key}")
    assert missing == []


@pytest.mark.usefixtures("entity_registry_enabled_by_default")
@pytest.mark.parametrize("profile", ["A", "B"])
async def test_none_is_always_unknown(bare: Wall, profile: str) -> None:
    """Every entity has a value."""
    await show_all(bare)
    states = bare.hass.states

    def unknown() -> list[str]:
        """Return the entities without a value; what has happened is only known once it has."""
        return [
            state.entity_id
            for state in states.async_all()
            if state.state in ("unknown", "unavailable")
            and state.domain not in HAPPENINGS
            and "screenshot" not in state.entity_id
        ]

    expected = {entity.replace("-", "") for entity in ENTITIES[profile]}
    await until(lambda: entities(bare.hass) >= expected and not unknown())
    names = [state.name for state in states.async_all()]
    assert len(set(names)) == len(names) == len(expected)
    assert all(name == "Wall" or name.startswith("Wall ") for name in names)


async def test_entities_that_appear_later(bare: Wall) -> None:
    """Entities are added when a feature is detected."""
    bare.display.device.panel.connected = False
    bare.display.device.mixer = None
    await bare.set_up()
    await until(lambda: "switch mature_content" in entities(bare.hass))
    later = {
        "number panel_brightness",
        "number panel_contrast",
        "number panel_volume",
        "sensor last_outage",
        "switch panel",
    }
    assert not entities(bare.hass) & later
    bare.display.device.panel.connected = True
    bare.display.device.last_outage = OUTAGE
    bare.display.player.load(EVENING)
    await until(lambda: entities(bare.hass) >= later)


async def test_nothing_known_while_away(wall: Wall) -> None:
    """All entities of a lost display are unavailable until it is back, and so are those of one that is unloaded."""

    def states() -> set[str]:
        return {state.state for state in wall.hass.states.async_all()}

    set_timing(loss_patience=0.2)
    await until(lambda: "switch panel" in entities(wall.hass))
    await wall.hass.async_block_till_done()
    await wall.display.power_off()
    await until(lambda: states() == {"unavailable"})
    await wall.display.power_on()
    await until(lambda: "unavailable" not in states())
    assert await wall.hass.config_entries.async_unload(wall.entry.entry_id)
    await wall.hass.async_block_till_done()
    assert states() == {"unavailable"}


async def test_a_push_writes_only_what_changes(bare: Wall) -> None:
    """A push of another work does not write the states of unrelated entities."""
    bare.display.player.load(EVENING)
    await bare.set_up()
    await until(lambda: entities(bare.hass) >= ENTITIES["B"] - {"sensor last_outage"})
    await bare.hass.async_block_till_done()
    written: set[str] = set()

    @callback
    def note(event: Event[Any]) -> None:
        """Record every written state."""
        written.add(event.data["entity_id"])

    for kind in (EVENT_STATE_CHANGED, EVENT_STATE_REPORTED):
        bare.hass.bus.async_listen(kind, note, event_filter=callback(lambda data: True))
    bare.display.player.handle("moveToArtwork", {"index": 1})
    await until(lambda: "media_player.wall" in written)
    await bare.hass.async_block_till_done()
    assert written == {"media_player.wall"}


# A display that is called like its area

SCALING = "select.wall_scaling"


async def test_a_display_that_announces_the_name_of_an_area(bare: Wall) -> None:
    """Its name is in its entity IDs once."""
    ar.async_get(bare.hass).async_create("Wall")
    await bare.set_up()
    assert bare.hass.states.get(ENTITY_ID)
    assert bare.hass.states.get(SCALING)


async def test_a_display_that_is_named_like_its_area(wall: Wall) -> None:
    """Home Assistant, which asks for a name and an area, is told IDs with the name once, and others when it changes."""
    registry, devices = er.async_get(wall.hass), dr.async_get(wall.hass)
    kitchen = ar.async_get(wall.hass).async_create("Kitchen")
    entry = registry.async_get(ENTITY_ID)
    assert entry and entry.device_id
    for name, expected in (
        (
            "Kitchen",
            {ENTITY_ID: "media_player.kitchen", SCALING: "select.kitchen_scaling"},
        ),
        ("Big wall", {ENTITY_ID: "media_player.kitchen_big_wall"}),
        ("kitchen", {ENTITY_ID: "media_player.kitchen"}),
    ):
        devices.async_update_device(
            entry.device_id, area_id=kitchen.id, name_by_user=name
        )
        ids = {
            entity_id: registry.async_regenerate_entity_id(registry.entities[entity_id])
            for entity_id in expected
        }
        assert ids == expected
