"""Sentences that name nothing of ours: they reach a language model, and art in other rooms does not move."""

from pathlib import Path

import pytest

from homeassistant.core import HomeAssistant

from .hearing import LANGUAGES, TABLES, read, recognize
from .home import Home, table
from .pipeline import RecordingAgent, say

pytestmark = pytest.mark.usefixtures("socket_enabled")

EVERYDAY = """
show me the weather
show my photos on the tv
display the time
bring up Netflix
show something calm
show me art from 1951
show me the news
show my calendar
show me the front door
show the doorbell camera on the tv
show me a recipe for pancakes
show me the shopping list
put on some jazz
put on the radio
hang up the phone
hang up
let me see the baby monitor
show the map of Vienna
display the football scores
show me something funny
put Spotify on the living room speaker
switch to channel five
change the channel
bring up the garage camera
show me how to tie a bow tie
show the temperature in the study
show me my emails
look at the traffic
show the battery of my phone
see who is at the door
let us see the score of the game
"""
OTHERS = """
start the vacuum
write a haiku about rain
what happened in the last episode
put the kettle on
turn on the heating
order two pizzas
call my sister
what is the capital of Peru
who wrote Hamlet
who painted the Mona Lisa
when was the Eiffel Tower built
how old is the universe
what year did the Berlin Wall fall
what comes after Tuesday
what is on television tonight
what is playing at the cinema
tell me a joke
tell me about black holes
describe the rules of chess
what should I cook tonight
how do I poach an egg
remind me tomorrow evening to call Ada
wake me up at seven
good night
good night everyone
good morning
I am going to bed
I am tired
I love this song
I like pizza
I do not like this song any more
remember that I parked on level two
save the recipe
translate thank you into Japanese
keep the door locked
leave the lights on for one more hour
stay on the line
hold my calls
repeat that
say that again
shuffle my playlist
mix a cocktail
skip the intro
skip the recap
next paragraph please
go back to the main menu
another round
something else happened
surprise party ideas
change the bed
rotate the tires
turn the page
make the room brighter
dim the reading lamp
it is too dark in here
make it cosy in here
mute the television
yes
yes please
no thanks
what else should I know
"""


async def test_everyday_sentences_reach_the_model(
    hass: HomeAssistant, tmp_path: Path
) -> None:
    """Ninety-one sentences for other things reach the agent, said before a display and in a kitchen without one."""
    sentences = (EVERYDAY + OTHERS).strip().splitlines()
    assert len(EVERYDAY.split("\n")) - 2 == 31
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


async def test_without_a_model(hass: HomeAssistant, tmp_path: Path) -> None:
    """Without a model behind Assist, the honest text is spoken."""
    async with Home.of(hass, tmp_path, "en", table("en")["names"]) as home:
        said, failed = await home.say("show qwertz")
        assert (said, failed) == ("I found nothing called qwertz.", True)
        home.speaker = home.kitchen
        said, failed = await home.say("surprise me")
        assert failed
        assert said.startswith("There is no art display in this room.")


@pytest.mark.xdist_group("languages")
async def test_the_kitchen_keeps_its_own(hass: HomeAssistant, tmp_path: Path) -> None:
    """What is said in seven languages where no display hangs, without a word for art, moves no art elsewhere."""
    async with Home.of(hass, tmp_path, "en", table("en")["names"]) as home:
        await home.cast("Net Evil", home.here)
        home.speaker = home.kitchen
        before = home.here.casts, home.here.state.position
        for language in LANGUAGES:
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
