"""Wishes that every language understands: one table, and no language has fewer words."""

from typing import Any

import pytest

from custom_components.dp1.voice import sentences
from custom_components.dp1.voice.sentences import spellings

from .hearing import LANGUAGES, TABLES, read, recognize

# A wish with its slots, and how it is said in each language.
WISHES: dict[str, dict[str, Any]] = read(TABLES / "even.yaml")


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


@pytest.mark.parametrize("wish", WISHES)
def test_every_language_understands(wish: str) -> None:
    """A wish is understood in each language."""
    words = dict(WISHES[wish])
    slots = words.pop("slots")
    assert sorted(words) == LANGUAGES
    wrong = []
    for language, said in words.items():
        _, heard = recognize(language, said)
        if not slots.items() <= heard.items():
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
