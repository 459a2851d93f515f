"""Sentences that name nothing of ours: they reach a language model, and art in other rooms does not move."""

from pathlib import Path

import pytest

from homeassistant.core import HomeAssistant

from ..simulators.catalog.simulator import CatalogSimulator
from .hearing import TABLES, read, recognize
from .home import Home, table
from .pipeline import RecordingAgent, say

pytestmark = pytest.mark.usefixtures("socket_enabled")


async def test_everyday_sentences_reach_the_model(
    hass: HomeAssistant, tmp_path: Path
) -> None:
    """Ninety-one sentences for other things reach the agent, said before a display and in a kitchen without one."""
    sentences = (TABLES / "others.txt").read_text().splitlines()
    assert len(sentences) >= 91
    agent = await RecordingAgent.of(hass, "en")
    async with Home.of(hass, tmp_path, "en", table("en")["names"]) as home:
        await home.cast("Net Evil", home.here)
        for device_id in (home.speaker, home.kitchen):
            agent.heard.clear()
            for sentence in sentences:
                await say(home, sentence, device_id)
            assert agent.heard == sentences
        assert home.attribute(home.here, "media_playlist") == "Net Evil"
        assert home.here.casts == 1
        # A model that is asked instead of us gets the answer, too.
        agent.heard.clear()
        near = ["show Net Evil of the mountains", "yes", "show it"]
        for sentence in near:
            await say(home, sentence, home.speaker)
        assert agent.heard == near
        assert home.here.casts == 1
        # What names art stays ours, whoever is behind Assist.
        agent.heard.clear()
        await say(home, "show Slow Weather", home.kitchen)
        assert not agent.heard
        assert home.here.casts == 2


async def test_without_a_model(home: Home) -> None:
    """Without a model behind Assist, the honest text is spoken."""
    said, failed = await home.say("show qwertz")
    assert (said, failed) == ("I found nothing called qwertz.", True)
    home.speaker = home.kitchen
    said, failed = await home.say("surprise me")
    assert failed
    assert said.startswith("There is no art display in this room.")


@pytest.mark.xdist_group("languages")
async def test_the_kitchen_keeps_its_own(home: Home) -> None:
    """What is said where no display hangs, without a word for art, moves no art elsewhere."""
    await home.cast("Net Evil", home.here)
    home.speaker = home.kitchen
    before = home.here.casts, home.here.state.position
    for language in ("en", "ja"):
        spoken = read(TABLES / f"{language}.yaml")
        home.language = spoken["names"].get("language", language)
        # One of each kind: as what each is recognized is compared without a home.
        kinds = {recognize(language, text)[0]: text for text in spoken["kitchen"]}
        assert len(kinds) == 4
        for sentence in kinds.values():
            _, failed = await home.say(sentence)
            assert failed, (language, sentence)
    assert (home.here.casts, home.here.state.position) == before
    assert not home.library.favorites.nodes()


@pytest.mark.parametrize(
    ("language", "other", "title"),
    [
        ("en", "have a look at the oven", "Woven"),
        ("en", "I'd like to see the garden camera", "Garden Cameo"),
        ("de", "ich möchte den Ofen sehen", "Woven"),
        ("fr", "je veux voir les fours", "Four"),
        ("es", "quiero ver la cámara del jardín", "Cámaras de jardines"),
        ("nl", "ik wil de tuincamera zien", "Tuincameras"),
        ("ja", "庭のカメラが見たい", "庭のカメラ達"),
        ("zh", "我想看花园的摄像头", "花园摄像头们"),
    ],
)
async def test_what_only_sounds_like_a_title(
    hass: HomeAssistant, tmp_path: Path, language: str, other: str, title: str
) -> None:
    """Who wants to see something sees art if its whole title is said; in doubt it is somebody else's."""
    catalog = CatalogSimulator()
    async with catalog:
        catalog.data.find_exhibition("Foldings")["title"] = title
    names = table(language)["names"]
    async with Home.of(hass, tmp_path, language, names, catalog) as home:
        await home.say(other)
        assert not home.here.casts
        whole = "Net Evil"
        for thing in ("the oven", "the garden camera", "den Ofen", "les fours"):
            if thing in other:
                await home.does(other.replace(thing, whole))
                assert home.here.casts == 1
