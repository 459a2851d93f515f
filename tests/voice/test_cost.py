"""Sentences without end: Assist's thread is free again soon."""

from importlib import import_module
from typing import Any
from unittest.mock import patch

from hassil import string_matcher
import pytest

from custom_components.dp1.voice.sentences import NO_BLANKS

from .hearing import LANGUAGES, recognize

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
