"""Wishes that every language understands: one table, and no language has fewer words."""

import re
from typing import Any

import pytest

from custom_components.dp1.voice import sentences
from custom_components.dp1.voice.sentences import spellings

from .hearing import LANGUAGES, TABLES, names_of, read, recognize

# A wish with its slots, and how it is said in each language.
WISHES: dict[str, dict[str, Any]] = read(TABLES / "even.yaml")

# Rules that are read for the beginning and the end of a name.
TAIL = ("anything", "before_place", "front", "front_part", "look", "part")


@pytest.mark.parametrize("language", LANGUAGES)
def test_every_language_has_words(language: str) -> None:
    """A language has sentences for each question and action, and no words that the skeleton has no place for."""
    meanings = sentences._read(sentences.SKELETON)["intents"]
    words = sentences._read(sentences.SOURCES / f"{language}.yaml")["intents"]
    assert set(words) == set(meanings)
    for name, said in words.items():
        known = {value for values in meanings[name].values() for value in values}
        assert set(said) <= known
        assert name == "Dp1Show" or set(said) == known


@pytest.mark.parametrize("language", LANGUAGES)
def test_no_words_are_left_over(language: str) -> None:
    """Each list and rule of a language is part of a sentence, or of the tail of one."""
    words = sentences._read(sentences.SOURCES / f"{language}.yaml")
    said = f"{words}{sentences._read(sentences.SKELETON)}"
    used = set(re.findall(r"[{<](dp1_\w+)", said))
    of_tails = {f"dp1_{name}" for name in TAIL}
    assert words["lists"].keys() | words["expansion_rules"].keys() <= used | of_tails


@pytest.mark.parametrize("wish", WISHES)
def test_every_language_understands(wish: str) -> None:
    """A wish is understood in each language."""
    words = dict(WISHES[wish])
    slots = words.pop("slots")
    assert sorted(words) == LANGUAGES
    wrong = []
    for language, said in words.items():
        names = names_of(language)
        expected = {slot: names.get(value, value) for slot, value in slots.items()}
        _, heard = recognize(language, said)
        if not expected.items() <= heard.items():
            wrong.append((said, heard))
    assert not wrong


def test_spanish_without_accents() -> None:
    """Spanish is typed without accents."""
    _, slots = recognize("es", "muestrame Net Evil en el estudio")
    assert (slots["what"], slots["area"]) == ("Net Evil", "Estudio")


@pytest.mark.parametrize(
    ("name", "said"),
    [
        ("Kids' Room", "kids room"),
        ("Home-Office", "home office"),
        ("Café", "cafe"),
        ("Living room 2", "living room two"),
        ("The Den", "den"),
        ("Die Küche", "Küche"),
    ],
)
def test_rooms_as_they_are_said(name: str, said: str) -> None:
    """A room is understood as it is said."""
    assert said in spellings([name], "en")
