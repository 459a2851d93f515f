"""Any sentence is decided soon, ours or not: Assist's thread is free again, and the search for a place in it has an end."""

from importlib import import_module
from pathlib import Path
from typing import Any
from unittest.mock import patch

from hassil import string_matcher
import pytest

from custom_components.dp1.voice import choice
from custom_components.dp1.voice.sentences import NO_BLANKS
from custom_components.dp1.voice.tail import async_prepare
from homeassistant.core import HomeAssistant

from .hearing import LANGUAGES, recognize
from .home import Home, table

pytestmark = pytest.mark.usefixtures("socket_enabled")

# A beginning, and what is repeated after it: a place, a verb, a connective, and words that mean nothing. The last line of
# each language is what takes longest, of all words of its sentences after all their beginnings.
TEXTS = {
    "en": (
        *("show Net Evil", "on the big wall", "show", "for ten minutes and", "works"),
        *("up", "in all rooms", "on the easel"),
    ),
    "de": (
        *("mach Net Evil", "an der Wand", "zeigen", "bis zehn und", "Werke"),
        *("im ganzen Haus", "auf der Staffelei", "hängen"),
    ),
    "fr": (
        *("mets Net Evil", "sur le mur", "montre", "pendant dix minutes et", "œuvre"),
        *("parle-moi de ça dans le grand mur sur le mur", "ici", "au mur"),
        "et qu'est-ce que c'est que ça dans le grand mur sur le mur",
    ),
    "es": (
        *("pon Net Evil", "en la pared", "muestra", "durante diez minutos y", "obra"),
        *("aquí", "en el caballete", "por toda la casa"),
    ),
    "nl": (
        *("zet Net Evil", "op de muur", "zien", "tot tien uur en", "werk"),
        *("op de ezel", "hangen", "in alle kamers"),
    ),
    "ja": (
        *("Net Evil", "壁に", "見せて", "まで", "の作品を"),
        *("を次の絵に変えて", "見たい", "今夜だけ"),
    ),
    "zh": (
        *("把Net Evil", "在墙上", "显示", "到十点", "的作品"),
        *("挂", "放在墙上", "随机播放"),
    ),
}


def steps_of(language: str, text: str) -> int:
    """Return how often an expression is compared with a text."""
    count, match = 0, string_matcher.match_expression

    def counted(*args: Any) -> Any:
        """Count a comparison."""
        nonlocal count
        count += 1
        return match(*args)

    with (
        patch.object(string_matcher, "match_expression", counted),
        patch.object(import_module("hassil.recognize"), "match_expression", counted),
    ):
        recognize(language, text)
    return count


@pytest.mark.parametrize("language", LANGUAGES)
def test_a_sentence_without_end(language: str) -> None:
    """A text of four times the length takes no more than four times the steps, and few for each character."""
    beginning, *repeated = TEXTS[language]
    assert len(repeated) >= 7
    costly = {}
    for part in repeated:
        # Where there are no blanks between words, none are said.
        for blank in (" ", "")[: 1 + (language in NO_BLANKS)]:
            words = f"{beginning}{blank}{blank.join([part] * 1200)}"
            short, long = (steps_of(language, words[:size]) for size in (300, 1200))
            if long > 4.2 * short or long > 40 * 1200:
                costly[f"{part}{blank}"] = short, long
    assert not costly


# By the name as it was said, and without a place in it.
SEARCHES = 2
FIRST = {"en": "show Net Evil", "zh": "展示Net Evil"}
SENTENCES = {
    "en": (
        "give me a report from the kitchen",
        "give us the temperature from the living room",
        "have a look at the oven in the living room in the living room",
        "put on the kettle for the kitchen in the living room for the kitchen",
    ),
    "zh": ("在这里放点音乐", "在这里挂Polder", "把Polder挂在这里"),
}


@pytest.mark.parametrize("language", SENTENCES)
async def test_a_sentence_that_names_a_place(
    hass: HomeAssistant, tmp_path: Path, language: str
) -> None:
    """A name is looked for once as said and once without the place, however often rooms are in it."""
    searched = 0
    search = choice.async_hits

    async def counted(*args: Any, **kwargs: Any) -> Any:
        nonlocal searched
        searched += 1
        return await search(*args, **kwargs)

    slow = {}
    async with Home.of(hass, tmp_path, language, table(language)["names"]) as home:
        # Assist and the search read their lists at the first sentence; the names of places are read before.
        await async_prepare(hass)
        await home.say(FIRST[language])
        with patch.object(choice, "async_hits", counted):
            for sentence in SENTENCES[language]:
                searched = 0
                await home.say(sentence)
                if searched > SEARCHES:
                    slow[sentence] = searched
    assert not slow
