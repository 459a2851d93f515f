"""Sentences that name nothing of ours: they reach a language model, and art in other rooms does not move."""

from pathlib import Path

import pytest

from homeassistant.core import HomeAssistant

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
