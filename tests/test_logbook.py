"""The logbook has one line for each new work, and scenes bring works back without more."""

from typing import Any

from custom_components.dp1.logbook import async_describe_events
from homeassistant.components.logbook.helpers import is_sensor_continuous
from homeassistant.core import Event
from homeassistant.helpers import entity_registry as er
from homeassistant.setup import async_setup_component

from .displays import ENTITY_ID, playlist, until
from .walls import Wall


async def test_lines(bare: Wall) -> None:
    """A line names the display, the work and its artist; a scene makes as many lines as works appear."""
    evening = playlist("Dawn", "Noon")
    metadata = {"artists": [{"name": "Jun Joubert"}]}
    evening["items"][1]["inlineManifest"] = {
        "refVersion": "0.1.0",
        "id": "noon",
        "created": "2026-01-01T00:00:00Z",
        "locale": "en",
        "metadata": metadata,
    }
    bare.display.caster.preflight = False
    bare.display.player.load(evening)
    await bare.set_up()
    await until(lambda: bare.attribute("media_playlist") == "Evening")
    describe: dict[str, Any] = {}
    async_describe_events(
        bare.hass, lambda _, kind, line: describe.update({kind: line})
    )
    lines: list[str] = []

    def note(event: Event) -> None:
        line = describe[event.event_type](event)
        assert line["entity_id"] == ENTITY_ID
        lines.append(f"{line['name']}: {line['message']}")

    bare.hass.bus.async_listen("dp1_work_changed", note)
    assert await async_setup_component(bare.hass, "scene", {})
    # It is registered in the background.
    await until(lambda: bare.hass.services.has_service("scene", "create"))
    bare.display.player.handle("moveToArtwork", {"index": 1})
    await until(lambda: lines)
    assert lines == ["Wall: Noon, Jun Joubert"]
    scene = {"scene_id": "before", "snapshot_entities": [ENTITY_ID]}
    await bare.hass.services.async_call("scene", "create", scene, blocking=True)

    night = playlist("Moon", id="0f9a8a36-4f6c-4f0c-8c7e-4d8f1f3b0000", title="Night")
    night["items"][0]["id"] = "5d0c9d5e-0000-4000-8000-000000000100"
    data = {"entity_id": ENTITY_ID, "playlist": night}
    await bare.hass.services.async_call("dp1", "cast_playlist", data, blocking=True)
    await until(lambda: len(lines) == 2)
    for _ in range(2):
        await bare.hass.services.async_call(
            "scene", "turn_on", {"entity_id": "scene.before"}, blocking=True
        )
        await until(lambda: bare.attribute("media_title") == "Noon")
    await until(lambda: len(lines) == 3)
    assert lines[1:] == ["Wall: Moon", "Wall: Noon, Jun Joubert"]
    # The counters beside it are none of the logbook's.
    registry = er.async_get(bare.hass)
    works = bare.entity_id("sensor", "works")
    assert works and is_sensor_continuous(bare.hass, registry, works)
    for platform, key in (("sensor", "work_number"), ("event", "activity")):
        assert (repeats := bare.entity_id(platform, key))
        assert registry.entities[repeats].disabled
