"""Which displays a sentence means: floors, names in another form, and those that cannot do what is asked."""

from pathlib import Path

import pytest

from custom_components.dp1.voice.answers import async_answers
from custom_components.dp1.voice.displays import _floors
from homeassistant.const import STATE_UNAVAILABLE, STATE_UNKNOWN
from homeassistant.core import HomeAssistant
from homeassistant.helpers import (
    area_registry as ar,
    entity_registry as er,
    floor_registry as fr,
)

from ..displays import playlist, until
from ..timing import FAST
from .hearing import recognize
from .home import Home, table

from tests.timing import Timing

pytestmark = pytest.mark.usefixtures("socket_enabled")


@pytest.fixture
def timing() -> Timing:
    """Take a display for lost soon."""
    return dict(FAST, loss_patience=0.3)


def move(hass: HomeAssistant, room: str, floor: str, level: int) -> None:
    """Put a room on a floor."""
    floors = fr.async_get(hass)
    found = floors.async_get_floor_by_name(floor) or floors.async_create(floor)
    floors.async_update(found.floor_id, level=level)
    area = ar.async_get(hass).async_get_area_by_name(room)
    assert area is not None
    ar.async_get(hass).async_update(area.id, floor_id=found.floor_id)


async def test_floors(hass: HomeAssistant, home: Home) -> None:
    """Upstairs and downstairs are counted from the speaker, who may name the own floor so, too."""
    move(hass, "Living Room", "Ground floor", 0)
    move(hass, "Study", "Upper floor", 1)
    assert "Easel" in await home.does("show Net Evil upstairs")
    assert "Big Wall" in await home.does("show Slow Weather on this floor")
    assert "Big Wall" in await home.does("turn on the art downstairs")
    # A speaker in a room without a floor is at the bottom of the stairs.
    home.speaker = home.kitchen
    assert "Big Wall" in await home.does("show Net Evil downstairs")
    assert "Easel" in await home.does("show Slow Weather upstairs")
    move(hass, "Kitchen", "Upper floor", 1)
    assert "Easel" in await home.does("show Net Evil upstairs")
    assert "Big Wall" in await home.does("show Slow Weather downstairs")
    move(hass, "Study", "Ground floor", 0)
    for sentence in ("show Net Evil upstairs", "show Net Evil on this floor"):
        said, failed = await home.say(sentence)
        assert (said, failed) == ("There is no art display on this floor.", True)


# What is said of the floor above with its name, and of the one below.
FLOORS = {
    "en": ("show Net Evil upstairs", "Upper floor", "show Net Evil downstairs"),
    "de": ("zeig Net Evil oben", "Obergeschoss", "zeig Net Evil unten"),
    "fr": ("montre Net Evil à l'étage", "Étage", "montre Net Evil en bas"),
    "es": ("muestra Net Evil arriba", "Planta alta", "muestra Net Evil abajo"),
    "nl": ("toon Net Evil boven", "Bovenverdieping", "toon Net Evil beneden"),
    "ja": ("上の階にNet Evilを見せて", "二階", "下の階にNet Evilを見せて"),
    "zh": ("在楼上显示Net Evil", "二楼", "在楼下显示Net Evil"),
}


@pytest.mark.parametrize("language", FLOORS)
async def test_names_of_floors(hass: HomeAssistant, language: str) -> None:
    """A floor of which no level is known is found by a name that says it, in each language."""
    floors = fr.async_get(hass)
    above, name, below = FLOORS[language]
    upper = floors.async_create(name)
    ground = floors.async_create(table(language)["names"]["floor"])
    for sentence, where, floor in ((above, "up", upper), (below, "down", ground)):
        assert recognize(language, sentence)[1]["scope"] == where
        assert _floors([upper, ground], ground, where) == {floor.floor_id}


async def test_floors_without_levels(hass: HomeAssistant, home: Home) -> None:
    """Who is upstairs says so, too, and a floor without a level or a name that says it is never guessed."""
    floors, areas = fr.async_get(hass), ar.async_get(hass)
    (ground,) = floors.async_list_floors()
    upper = floors.async_create("Upper floor")
    study = areas.async_get_area_by_name("Study")
    assert study is not None
    areas.async_update(study.id, floor_id=upper.floor_id)
    above, _, below = FLOORS["en"]
    assert "Easel" in await home.does(above)
    assert "Big Wall" in await home.does(below)
    floors.async_update(upper.floor_id, name="B")
    assert "Big Wall" in await home.does(below)
    floors.async_update(ground.floor_id, name="A")
    for sentence in (above, below):
        said, failed = await home.say(sentence)
        assert failed
        assert said == (await async_answers(hass, "en")).say("which_floor")


async def test_names_in_another_form(hass: HomeAssistant, tmp_path: Path) -> None:
    """A name is inflected, or is that of a television in the room."""
    async with Home.of(hass, tmp_path, "de", table("de")["names"]) as home:
        for sentence in (
            "zeig die neueste Ausstellung auf der großen Wand",
            "zeig Net Evil auf der großen Wand",
            "häng bitte Slow Weather an die grosse Wand",
        ):
            assert "Große Wand" in await home.does(sentence)
        hass.states.async_set("media_player.tv", "on", {"friendly_name": "Büro"})
        assert "Staffelei" in await home.does("zeig Net Evil auf Büro")
        said, failed = await home.say("was hängt an der Litfaßsäule")
        assert failed
        assert "Litfaßsäule" in said


async def test_a_title_with_the_name_of_a_display(
    hass: HomeAssistant, home: Home
) -> None:
    """A title that ends like the name of a display elsewhere is shown here."""
    easel = home.ids[home.there.url]
    for name, title in (("Sun", "Seven Small Suns"), ("Weather", "Slow Weather")):
        er.async_get(hass).async_update_entity(easel, name=name)
        await hass.async_block_till_done()
        said = await home.does(f"show {title}")
        assert said.startswith(title)
        assert said.endswith("Big Wall.")
        said = await home.does(f"show Net Evil on {name}s")
        assert said.endswith(f"{name}.")


async def test_what_a_display_cannot_do(hass: HomeAssistant, home: Home) -> None:
    """What is not known of a display or a work is said."""
    # Nothing is shown yet, nobody has spoken to a display, and the kitchen has none.
    home.speaker, speaker = home.kitchen, home.speaker
    assert "Big Wall" in await home.does("show Net Evil")
    home.speaker = speaker
    here = home.ids[home.here.url]
    await hass.services.async_call(
        "dp1",
        "cast_playlist",
        {"entity_id": here, "playlist": playlist("Tide", "Ebb")},
        blocking=True,
    )
    await home.sees(home.here, "media_title", "Tide")
    assert await home.does("when was this made?") == (
        "I do not know when Tide was made."
    )
    assert await home.does("which exhibition is this from?") == (
        "I do not know which exhibition Tide is from. It is in the playlist Evening."
    )
    assert await home.does("what else did this artist make") == (
        "Tide: artist unknown."
    )
    await home.does("pause the art")
    said = await home.does("keep this picture up for one more hour")
    assert said.startswith("What Big Wall shows has no end.")
    # It is shown alone, although no library knows it.
    said = await home.does("leave this picture up until tomorrow evening")
    assert said.startswith("Tide, artist unknown: on Big Wall until ")
    assert [item["title"] for item in home.here.state.items] == ["Tide"]
    registry = er.async_get(hass)
    bedtime, brighter = "show Net Evil until bedtime", "make the display brighter"
    for domain, key, state, sentence, answer in (
        ("time", "sleep_time", STATE_UNAVAILABLE, bedtime, "bedtime"),
        ("number", "panel_brightness", STATE_UNAVAILABLE, brighter, "cannot"),
        ("number", "panel_brightness", STATE_UNKNOWN, brighter, "cannot"),
    ):
        entity_id = registry.async_get_entity_id(domain, "dp1", f"FF1-00000001_{key}")
        assert entity_id is not None
        hass.states.async_set(entity_id, state)
        said, failed = await home.say(sentence)
        assert failed
        assert answer in said
    await home.cast("Net Evil", home.there)
    await home.there.power_off()
    await until(lambda: home.attribute(home.there, "media_title") is None)
    said = await home.does("what's hanging on the easel?")
    assert said == "Easel cannot be reached."
