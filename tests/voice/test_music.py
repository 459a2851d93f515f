"""The other players of the room: music's commands are theirs, and art's sentences the display's."""

from pathlib import Path

import pytest
from pytest_homeassistant_custom_component.common import async_capture_events

from homeassistant.components.media_player import MediaPlayerEntityFeature as Feature
from homeassistant.const import EVENT_CALL_SERVICE
from homeassistant.core import HomeAssistant
from homeassistant.helpers import area_registry as ar, entity_registry as er

from ..displays import until
from .home import Home, table

pytestmark = [pytest.mark.usefixtures("socket_enabled")]

MUSIC = Feature.NEXT_TRACK | Feature.PREVIOUS_TRACK | Feature.SEARCH_MEDIA


VOLUME = Feature.VOLUME_SET | Feature.VOLUME_STEP


def volume(home: Home) -> Feature:
    """Return what the display offers of its volume."""
    return Feature(home.attribute(home.here, "supported_features")) & VOLUME


def features(home: Home) -> Feature:
    """Return what the display offers of what music asks for."""
    return Feature(home.attribute(home.here, "supported_features")) & MUSIC


async def test_a_speaker_in_the_room(hass: HomeAssistant, tmp_path: Path) -> None:
    """With a speaker in the room, "next song" leaves the art alone; the owner decides otherwise."""
    async with Home.of(hass, tmp_path, "en", table("en")["names"]) as home:
        await home.cast("Net Evil", home.here)
        assert features(home) == MUSIC
        await home.say("next song")
        await until(lambda: home.here.state.position == 1)
        registry = er.async_get(hass)
        speaker = registry.async_get_or_create("media_player", "test", "speaker")
        area = ar.async_get(hass).async_get_area_by_name("Living Room")
        assert area is not None
        registry.async_update_entity(speaker.entity_id, area_id=area.id)
        entity = registry.async_get(home.ids[home.here.url])
        assert entity is not None
        assert entity.config_entry_id
        await hass.config_entries.async_reload(entity.config_entry_id)
        await until(lambda: home.attribute(home.here, "media_playlist") == "Net Evil")
        assert not features(home)
        # While the speaker plays, its volume is meant; by its own name, a display goes on to be asked for.
        hass.states.async_set(speaker.entity_id, "playing")
        await until(lambda: not volume(home))
        hass.states.async_set(speaker.entity_id, "idle")
        await until(lambda: volume(home) == VOLUME)
        hass.states.async_set(speaker.entity_id, "playing")
        await until(lambda: not volume(home))
        loud = home.here.device.volume
        await home.say("turn the volume down")
        assert home.here.device.volume == loud
        muted = async_capture_events(hass, EVENT_CALL_SERVICE)
        await home.does("mute the frame")
        await until(lambda: home.here.device.muted)
        await home.does("unmute the art")
        await until(lambda: not home.here.device.muted)
        # The speaker keeps its sound.
        assert {event.data["service"] for event in muted} == {"volume_mute"}
        assert [event.data["service_data"]["entity_id"] for event in muted] == [
            home.ids[home.here.url]
        ] * 2
        before = home.here.state.position
        await home.say("next song")
        await home.say("play Queen")
        assert home.here.state.position == before
        await home.does("next artwork")
        assert home.here.state.position == before + 1
        await home.does("previous artwork")
        assert home.here.state.position == before
        await home.does("show Slow Weather")
        assert (home.here.state.playlist or {})["title"] == "Slow Weather"
        entry = hass.config_entries.async_get_entry(entity.config_entry_id)
        assert entry is not None
        hass.config_entries.async_update_entry(entry, options={"ignore_music": False})
        await hass.config_entries.async_reload(entry.entry_id)
        await until(lambda: features(home) == MUSIC)
