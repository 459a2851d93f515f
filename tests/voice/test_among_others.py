"""Among lights, players, a list, weather and a calendar: what Home Assistant does by itself, it goes on to do."""

from pathlib import Path
from typing import Any

import pytest

from custom_components.dp1.voice.sentences import async_update_sentences
from homeassistant.core import HomeAssistant
from homeassistant.setup import async_setup_component

from ..displays import until
from .home import Home, seen, table

pytestmark = pytest.mark.usefixtures("socket_enabled")

THINGS = (
    "light.bed_light",
    "media_player.lounge_room",
    "calendar.calendar_1",
    "weather.demo_weather_south",
)
# What is said in front of a display.
OTHERS = {
    "en": (
        "turn off the ceiling lights; turn on the bed light; "
        "set the ceiling lights to 30 percent; what's the weather; "
        "add frames for the wall to my shopping list; "
        "set lounge room volume to 50 percent; what time is it; "
        "set a timer for ten minutes; close the kitchen window; "
        "put the kettle on in the kitchen; show me the front door camera; "
        "what's next on my calendar; play some jazz in the study; "
        "is the garage door open; show me the recipe for paella; "
        "set the heating to twenty degrees upstairs; put the milk on the table; "
        "put the bed light on; have a look at the oven; "
        "I'd like to see the garden camera"
    ),
    "de": (
        "schalte Bed Light ein; mach die Heizung im Bad an; "
        "was steht morgen im Kalender; zeig mir die Kamera im Garten; "
        "häng die Wäsche auf"
    ),
    "fr": (
        "allume Bed Light; mets la table; affiche la caméra du jardin; "
        "montre-moi la météo de demain"
    ),
    "es": "enciende Bed Light; pon la mesa en el comedor; muestra la cámara",
    "nl": "doe Bed Light aan; laat de camera van de tuin zien; zet muziek op",
    "ja": "Bed Lightをつけて; 庭のカメラを見せて; 明日の予定を教えて",
    "zh-Hans": "打开Bed Light; 给我看花园的摄像头; 把衣服挂在阳台",
}


async def heard(home: Home) -> dict[str, Any]:
    """Say everything to the agent of Home Assistant; return who took each sentence, and whether it was done."""
    outcomes: dict[str, Any] = {}
    for language, sentences in OTHERS.items():
        home.language = language
        for sentence in sentences.split("; "):
            name, _ = await home.recognized(sentence)
            _, failed = await home.say(sentence)
            outcomes[sentence] = name, failed
    return outcomes


@pytest.mark.timeout(300)
async def test_others_are_done_as_before(hass: HomeAssistant, tmp_path: Path) -> None:
    """Forty sentences for other things have the same outcome with our sentences as without, and no art moves."""
    assert sum(said.count("; ") + 1 for said in OTHERS.values()) >= 40
    async with Home.of(hass, tmp_path, "en", table("en")["names"]) as home:
        assert await async_setup_component(hass, "demo", {})
        await until(lambda: all(map(hass.states.get, THINGS)))
        await home.cast("Net Evil", home.here, home.there)
        hanging = [seen(home.here), seen(home.there)]
        await async_update_sentences(hass, enable=False)
        before = await heard(home)
        await async_update_sentences(hass, enable=True)
        after = await heard(home)
        assert hanging == [seen(home.here), seen(home.there)]
    done = {said: name for said, (name, failed) in before.items() if not failed}
    assert len(done) >= 12
    assert {said: name for said, (name, failed) in after.items() if not failed} == done
