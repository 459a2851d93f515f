"""Test which entities each generation of displays has, and that they have values."""

from collections.abc import Set as AbstractSet
import json
from typing import Any

import pytest
from pytest_homeassistant_custom_component.common import MockConfigEntry

from homeassistant.const import EVENT_STATE_CHANGED, EVENT_STATE_REPORTED
from homeassistant.core import Event, HomeAssistant, callback
from homeassistant.helpers import entity_registry as er

from .displays import DEVICE_ID, playlist, set_up, until
from .simulators.display import DisplaySimulator
from .sources import INTEGRATION
from .timing import set_timing

# An entity with a minus is off until somebody switches it on.
FIRST = {
    "binary_sensor playback_problem",
    "button default_playlist",
    "button -hide_pairing_code",
    "button reboot",
    "button refresh_work",
    "button -show_pairing_code",
    "button -shut_down",
    "event -activity",
    "image work",
    "media_player",
    "number panel_brightness",
    "number panel_contrast",
    "number panel_volume",
    "remote remote",
    "select orientation",
    "select scaling",
    "sensor -casts",
    "sensor -cpu_temperature",
    "sensor -disk_usage",
    "sensor -failed_casts",
    "sensor -gpu_temperature",
    "sensor -memory_usage",
    "sensor -started",
    "sensor -work_number",
    "sensor -next_work",
    "sensor playback_time",
    "sensor works",
    "switch panel",
    "switch sleep_schedule",
    "time sleep_time",
    "time wake_time",
    "update firmware",
}
LABELED = {"number seconds_per_work", "select museum_label"}
SECOND = {
    "binary_sensor internet",
    "button -take_screenshot",
    "image -screenshot",
    "number margin",
    "select -signature_mode",
    "select framing",
    "select sleep_days",
    "sensor -wifi_signal",
    "sensor last_outage",
    "switch mature_content",
}
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


async def settled(
    hass: HomeAssistant, profile: str, without: AbstractSet[str] = frozenset()
) -> None:
    """Wait until everything was read."""
    await until(lambda: entities(hass) >= ENTITIES[profile] - without)
    await hass.async_block_till_done()


@pytest.mark.parametrize("profile", ENTITIES)
async def test_entities(
    hass: HomeAssistant,
    display: DisplaySimulator,
    display_entry: MockConfigEntry,
    profile: str,
) -> None:
    """A display has exactly the entities of its features."""
    display.player.load(EVENING)
    display.device.last_outage = OUTAGE
    await set_up(hass, display_entry)
    await settled(hass, profile)
    assert entities(hass) == ENTITIES[profile]


@pytest.mark.usefixtures("entity_registry_enabled_by_default")
@pytest.mark.parametrize("profile", ENTITIES)
async def test_none_is_always_unknown(
    hass: HomeAssistant,
    display: DisplaySimulator,
    display_entry: MockConfigEntry,
    profile: str,
) -> None:
    """Every entity has a value."""
    display.player.load(EVENING)
    display.device.last_outage = OUTAGE
    await set_up(hass, display_entry)
    expected = {entity.replace("-", "") for entity in ENTITIES[profile]}
    await until(lambda: entities(hass) >= expected)
    await until(
        lambda: (
            not [
                state
                for state in hass.states.async_all()
                if state.state in ("unknown", "unavailable")
                and state.domain not in HAPPENINGS
                and "screenshot" not in state.entity_id
            ]
        )
    )
    assert len(hass.states.async_all()) == len(expected)
    names = [state.name for state in hass.states.async_all()]
    assert len(set(names)) == len(names)
    assert all(name == "Wall" or name.startswith("Wall ") for name in names)


async def test_entities_that_appear_later(
    hass: HomeAssistant, display: DisplaySimulator, display_entry: MockConfigEntry
) -> None:
    """Entities are added when a feature is detected."""
    display.device.panel.connected = False
    display.device.mixer = None
    await set_up(hass, display_entry)
    await until(lambda: "switch mature_content" in entities(hass))
    later = {
        "number panel_brightness",
        "number panel_contrast",
        "number panel_volume",
        "sensor last_outage",
        "switch panel",
    }
    assert not entities(hass) & later
    display.device.panel.connected = True
    display.device.last_outage = OUTAGE
    display.player.load(EVENING)
    await until(lambda: entities(hass) >= later)


async def test_unload_and_reload(
    hass: HomeAssistant, display: DisplaySimulator, setup_display: MockConfigEntry
) -> None:
    """An entry can be unloaded and reloaded at any time, also during a read."""
    assert await hass.config_entries.async_unload(setup_display.entry_id)
    await hass.async_block_till_done()
    states = hass.states.async_all()
    assert {state.state for state in states} == {"unavailable"}
    await set_up(hass, setup_display)
    assert hass.states.get("media_player.wall").state != "unavailable"


async def test_nothing_known_while_away(
    hass: HomeAssistant,
    display: DisplaySimulator,
    display_entry: MockConfigEntry,
) -> None:
    """All entities of a lost display are unavailable until it is back."""
    await set_up(hass, display_entry)
    set_timing(loss_patience=0.2)
    await until(lambda: "switch panel" in entities(hass))
    await hass.async_block_till_done()
    await display.power_off()
    await until(
        lambda: {state.state for state in hass.states.async_all()} == {"unavailable"}
    )
    await display.power_on()
    await until(
        lambda: "unavailable" not in {state.state for state in hass.states.async_all()}
    )


async def test_a_push_writes_only_what_changes(
    hass: HomeAssistant, display: DisplaySimulator, display_entry: MockConfigEntry
) -> None:
    """A push of another work does not write the states of unrelated entities."""
    display.player.load(EVENING)
    await set_up(hass, display_entry)
    await settled(hass, "B", without={"sensor last_outage"})
    written: set[str] = set()

    @callback
    def note(event: Event[Any]) -> None:
        """Record every written state."""
        written.add(event.data["entity_id"])

    for kind in (EVENT_STATE_CHANGED, EVENT_STATE_REPORTED):
        hass.bus.async_listen(kind, note, event_filter=callback(lambda data: True))
    display.player.handle("moveToArtwork", {"index": 1})
    await until(lambda: "media_player.wall" in written)
    await hass.async_block_till_done()
    assert written == {
        "media_player.wall",
    }
