"""Answers that say why something cannot be done, and whom a sentence means."""

from pathlib import Path
import re

import pytest

from custom_components.dp1.voice.answers import async_answers
from homeassistant.components.homeassistant.exposed_entities import async_expose_entity
from homeassistant.core import HomeAssistant
from homeassistant.helpers import area_registry as ar, floor_registry as fr

from ..displays import playlist
from .hearing import LANGUAGES
from .home import Home, table

pytestmark = [pytest.mark.usefixtures("socket_enabled")]


async def test_failures_are_told(hass: HomeAssistant, home: Home) -> None:
    """What cannot be done is refused with the reason, and nothing else happens."""

    async def refused(sentence: str) -> str:
        said, failed = await home.say(sentence)
        assert failed, said
        return said

    assert "There are no favorites yet" in await refused("show my favorites")
    assert "shows nothing" in await refused("next artwork")
    assert "Big Wall shows nothing." in await home.does("what is this")
    assert "no work" in await refused("add this to my favorites")
    await home.cast("Net Evil", home.here)
    assert "qwertz" in await refused("show qwertz")
    ar.async_get(hass).async_create("Attic")
    assert "Attic" in await refused("show Net Evil in the attic")
    await home.does("put the display to sleep")
    assert "asleep" in await home.does("who made this")
    assert "asleep" in await refused("next artwork")
    await home.does("wake up the display")
    both = await home.does("show Net Evil on all displays for one minute")
    assert "Big Wall and Easel" in both
    assert "a minute" in both
    home.here.device.panel.connected = False
    await home.there.stop()
    partly = await home.does("show Slow Weather everywhere")
    assert "Slow Weather" in partly
    assert "Easel" in partly
    area = ar.async_get(hass).async_get_area_by_name("Living Room")
    assert area is not None
    ar.async_get(hass).async_update(area.id, floor_id=None)
    first = fr.async_get(hass).async_create("First")
    ar.async_get(hass).async_update(area.id, floor_id=first.floor_id)
    assert "Big Wall" in await home.does("show Net Evil on the first floor")
    for entity_id in home.ids.values():
        async_expose_entity(hass, "conversation", entity_id, False)
    assert "no art display" in await refused("show Net Evil")


async def test_who_is_meant_elsewhere(home: Home) -> None:
    """From a room without a display, the display that was last spoken to is meant."""
    home.speaker = home.kitchen
    await home.cast("Net Evil", home.here, home.there)
    _, failed = await home.say("what is this")
    assert failed
    said = await home.does("what is this artwork")
    assert "Big Wall" in said
    assert "Easel" in said
    await home.does("next artwork on easel")
    assert "Easel" in await home.does("next artwork")
    assert (home.here.state.position, home.there.state.position) == (0, 2)


async def test_what_is_said_of_time_and_place(home: Home) -> None:
    """The end of a time, a place in another form and everything by an artist are told."""
    assert "on Big Wall until " in await home.does("show Net Evil until ten")
    some = await home.does("show something by Jun Joubert")
    assert " by Jun Joubert" in some
    assert "Everything" not in some
    said = await home.does("show everything by Jun Joubert")
    assert said == "Everything I know by Jun Joubert: now on Big Wall."
    said = await home.does("show everything by Jun Joubert for an hour")
    assert said == "Everything I know by Jun Joubert: on Big Wall for an hour."
    said, failed = await home.say("show not Net Evil")
    assert failed
    assert "Did you mean Net Evil" in said
    assert "Net Evil" in await home.does("show Net Evil for an hour")
    longer = await home.does("keep this exhibition up for one more hour")
    assert "until" in longer
    # Tomorrow, late in the evening.
    assert "10:00 PM" in await home.does("show Net Evil until bedtime")
    assert "Big Wall" in await home.does(
        "set the brightness of the big wall to 30 percent"
    )
    assert home.here.device.panel.values["brightness"] == 30
    assert home.here.state.volume != 30
    # "The frames" are those of the room, unless another place is said.
    here = await home.does("put the frames to sleep")
    assert "Big Wall" in here and "Easel" not in here
    assert not home.there.state.asleep
    both = await home.does("put all the frames to sleep")
    assert "Big Wall and Easel" in both


async def test_the_artist_is_told(home: Home) -> None:
    """What is known of the artist is told in two sentences, after the note of the work or alone."""
    await home.cast("Net Evil", home.here)
    work = home.attribute(home.here, "media_title")
    details = home.attribute(home.here, "dp1")
    note, about = details["note"], details["about_artist"]
    first = note[: note.index(".") + 1]
    two = ".".join(about.split(".")[:2]) + "."
    said = await home.does("tell me about this artwork")
    assert said.startswith(f"This is {work} (")
    assert said.endswith(f" by Jun Joubert. {first} {two}")
    said = await home.does("tell me about the artist")
    assert said == f"{work} is by Jun Joubert. {two}"


async def test_names_fit_into_french(hass: HomeAssistant) -> None:
    """No name follows a word that would be shortened before a vowel."""
    answers = await async_answers(hass, "fr")
    for template in answers.templates.values():
        said = re.sub("{[a-z]+}", "Inès", template.replace("{year}", "2021"))
        assert not re.search(r"\b([dq]u?e|le|la|se) Inès", said, re.IGNORECASE), said


async def test_a_work_without_title(hass: HomeAssistant, tmp_path: Path) -> None:
    """It is named in the middle of a sentence as at its beginning."""
    async with Home.of(hass, tmp_path, "en", table("en")["names"]) as home:
        shown = playlist("Dawn")
        del shown["items"][0]["title"], shown["title"]
        await hass.services.async_call(
            "dp1",
            "cast_playlist",
            {"entity_id": home.ids[home.here.url], "playlist": shown},
            blocking=True,
        )
        await home.sees(home.here, "media_track", 1)
        assert await home.does("what is this") == "This is Untitled, artist unknown."
    for language in LANGUAGES:
        untitled = (await async_answers(hass, language)).templates["untitled"]
        assert len(untitled.split()) <= 2
