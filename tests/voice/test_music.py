"""The other players of the room: music's commands are theirs, and art's sentences the display's."""

from typing import Any

import pytest
from pytest_homeassistant_custom_component.common import async_capture_events

from homeassistant.components.homeassistant.exposed_entities import (
    async_expose_entity,
    async_should_expose,
)
from homeassistant.components.media_player import MediaPlayerEntityFeature as Feature
from homeassistant.const import EVENT_CALL_SERVICE
from homeassistant.core import HomeAssistant
from homeassistant.helpers import area_registry as ar, entity_registry as er

from ..displays import until
from .home import Home

pytestmark = [pytest.mark.usefixtures("socket_enabled")]

FEATURES = (
    Feature.NEXT_TRACK
    | Feature.PREVIOUS_TRACK
    | Feature.SEARCH_MEDIA
    | Feature.VOLUME_SET
    | Feature.VOLUME_STEP
)
MUSIC = ("next song", "turn the volume down", "turn it down", "play Queen", "pause")
MUSIC += (
    "what's playing",
    "skip this song",
    "previous track",
    "set volume to 80 percent",
)


async def add_players(hass: HomeAssistant) -> None:
    """Let a speaker play and a television be in the living room."""
    registry = er.async_get(hass)
    area = ar.async_get(hass).async_get_area_by_name("Living Room")
    assert area is not None
    for name, state in (("speaker", "playing"), ("television", "on")):
        entity = registry.async_get_or_create(
            "media_player", "test", name, suggested_object_id=name
        )
        registry.async_update_entity(entity.entity_id, area_id=area.id)
        hass.states.async_set(
            entity.entity_id, state, {"supported_features": int(FEATURES)}
        )


async def reload(hass: HomeAssistant, entity_id: str, **options: Any) -> None:
    """Set the options of a display, and set it up again."""
    entity = er.async_get(hass).async_get(entity_id)
    assert entity is not None and entity.config_entry_id
    entry = hass.config_entries.async_get_entry(entity.config_entry_id)
    assert entry is not None
    hass.config_entries.async_update_entry(entry, options=options)
    await hass.config_entries.async_reload(entry.entry_id)


async def test_a_speaker_in_the_room(hass: HomeAssistant, home: Home) -> None:
    """With a speaker and a television in the room, music is theirs, and the display keeps all it can."""
    wall, entity_id = home.here, home.ids[home.here.url]
    await home.cast("Net Evil", wall)
    await home.say("next song")
    await until(lambda: wall.state.position == 1)
    await add_players(hass)
    await reload(hass, entity_id)
    await until(lambda: home.attribute(wall, "media_playlist") == "Net Evil")
    assert not async_should_expose(hass, "conversation", entity_id)
    calls = async_capture_events(hass, EVENT_CALL_SERVICE)
    before = wall.state.position, wall.device.volume, wall.device.muted, wall.casts
    for sentence in MUSIC:
        await home.say(sentence)
    assert before == (
        wall.state.position,
        wall.device.volume,
        wall.device.muted,
        wall.casts,
    )
    assert not [call for call in calls if entity_id in str(call.data["service_data"])]
    # What it can never changes, whatever plays.
    assert Feature(home.attribute(wall, "supported_features")) & FEATURES == FEATURES
    # By action, as cards do.
    target = {"entity_id": entity_id}
    for action, data in (
        ("media_next_track", {}),
        ("media_previous_track", {}),
        ("volume_set", {"volume_level": 0.4}),
    ):
        await hass.services.async_call(
            "media_player", action, target | data, blocking=True
        )
    assert wall.state.position == before[0] and wall.device.volume == 40
    response = await hass.services.async_call(
        "media_player",
        "search_media",
        target | {"search_query": "Slow Weather"},
        blocking=True,
        return_response=True,
    )
    assert response is not None
    # By its own sentences, and by its name.
    await home.does("next artwork")
    await until(lambda: wall.state.position == before[0] + 1)
    await home.does("next on the big wall")
    await until(lambda: wall.state.position == before[0] + 2)
    await home.does("set the volume of the big wall to 24 percent")
    await until(lambda: wall.device.volume == 24)
    await home.does("mute the frame")
    await until(lambda: wall.device.muted)
    await home.does("turn off the big wall")
    await until(lambda: wall.state.asleep)
    await home.does("turn on the big wall")
    await until(lambda: not wall.state.asleep)
    await home.does("show Slow Weather on the big wall")
    assert (wall.state.playlist or {})["title"] == "Slow Weather"
    # What a person decides stays.
    async_expose_entity(hass, "conversation", entity_id, True)
    await reload(hass, entity_id)
    assert async_should_expose(hass, "conversation", entity_id)


async def test_the_owner_decides(hass: HomeAssistant, home: Home) -> None:
    """A display is hidden and shown as its option says, and one that its owner hid is not reached."""
    entity_id = home.ids[home.here.url]
    await home.cast("Net Evil", home.here)
    await reload(hass, entity_id, ignore_music=True)
    assert not async_should_expose(hass, "conversation", entity_id)
    await home.does("next artwork")
    await reload(hass, entity_id, ignore_music=False)
    assert async_should_expose(hass, "conversation", entity_id)
    async_expose_entity(hass, "conversation", entity_id, False)
    await reload(hass, entity_id, ignore_music=True)
    _, failed = await home.say("next artwork on the big wall")
    assert failed
