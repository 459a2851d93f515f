"""Which displays a sentence means: floors, names in another form, and those that cannot do what is asked."""

from pathlib import Path

import pytest

from custom_components.dp1.voice.sentences import LOCK, WAITING
from homeassistant.const import STATE_UNAVAILABLE, STATE_UNKNOWN
from homeassistant.core import HomeAssistant
from homeassistant.helpers import entity_registry as er

from ..displays import playlist, until
from ..timing import FAST
from .home import Home, table

from tests.timing import Timing

pytestmark = pytest.mark.usefixtures("socket_enabled")


@pytest.fixture
def timing() -> Timing:
    """Take a display for lost soon."""
    return dict(FAST, loss_patience=0.3)


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
    """A title that ends like the name of a display elsewhere is shown here; only a name has sentences written anew."""
    easel = home.ids[home.there.url]

    def writing() -> bool:
        """Return whether the sentences are written, or are about to be."""
        return hass.data[WAITING] or hass.data[LOCK].locked()

    await until(lambda: not writing())
    er.async_get(hass).async_update_entity(easel, icon="mdi:easel")
    assert not writing()
    for name, title in (("Sun", "Seven Small Suns"), ("Weather", "Slow Weather")):
        er.async_get(hass).async_update_entity(easel, name=name)
        assert writing()
        await until(lambda: not writing())
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
