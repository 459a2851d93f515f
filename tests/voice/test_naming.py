"""What is said with a title and still means it, in seven languages."""

import pytest

from custom_components.dp1.library.search import Query

ARTIST = "Marguerite Osei"
# What is said, the title, and whether it is meant by that, and by nothing else beside it.
CASES: dict[str, list[tuple[str, str, bool]]] = {
    "en": [
        ("Porch Light by Marguerite Osei", "Porch Light", True),
        ("porch lite by margaret osey", "Porch Light", True),
        ("Porch Light by Ren Nul", "Porch Light", False),
        ("Murmuration four", "Murmuration IV", True),
        ("Murmuration 4", "Murmuration IV", True),
        ("Murmuration four", "Murmuration II", False),
        ("um Porch Light please", "Porch Light", True),
        ("Porch Light in the attic", "Porch Light", False),
        ("the weather", "Twenty Kinds of Weather", False),
        ("twenty kinds", "Twenty Kinds of Weather", True),
        ("Slow City", "慢速城市 / Slow City", True),
        ("Slow Hours", "Les Heures lentes — The Slow Hours", True),
        ("House of Salt", "Casa de sal (House of Salt)", True),
        ("Still Life", "Still Life (2024)", True),
        ("Eclipse", "Eclipse #3", True),
        ("Eclipse number 3", "Eclipse #3", True),
        ("weather", "Slow Weather", False),
        ("slow wether", "Slow Weather", True),
        ("7 small suns", "Seven Small Suns", True),
        ("cirrus signed", "Cloud Ledger Cirrus, signed", True),
        ("Long Now", "Long Now: Pixels of a Decade", True),
    ],
    "de": [
        ("Porch Light von Marguerite Osei", "Porch Light", True),
        ("Porch Light von Ren Nul", "Porch Light", False),
        ("Murmuration vier", "Murmuration IV", True),
        ("Murmuration vier", "Murmuration V", False),
        ("ähm Nachtgarten bitte", "Nachtgarten · Night Garden", True),
        ("Nachtgarten im Keller", "Nachtgarten · Night Garden", False),
        ("Night Garden", "Nachtgarten · Night Garden", True),
        ("wetter", "Amber Yard", False),
        ("heute Abend Slow Weather", "Slow Weather", False),
        ("lange Nacht", "Die lange Nacht: Studien", True),
    ],
    "fr": [
        ("Porch Light de Marguerite Osei", "Porch Light", True),
        ("Porch Light d'Marguerite Osei", "Porch Light", True),
        ("Porch Light de Ren Nul", "Porch Light", False),
        ("Murmuration quatre", "Murmuration IV", True),
        ("euh Heures lentes", "Les Heures lentes — The Slow Hours", True),
        ("Heures lentes au grenier", "Les Heures lentes — The Slow Hours", False),
    ],
    "es": [
        ("Porch Light de Marguerite Osei", "Porch Light", True),
        ("Porch Light de Ren Nul", "Porch Light", False),
        ("Murmuration cuatro", "Murmuration IV", True),
        ("eh Casa de sal", "Casa de sal (House of Salt)", True),
        ("Casa de sal en el desván", "Casa de sal (House of Salt)", False),
    ],
    "nl": [
        ("Porch Light van Marguerite Osei", "Porch Light", True),
        ("Porch Light van Ren Nul", "Porch Light", False),
        ("Murmuration vier", "Murmuration IV", True),
        ("eh lange water", "Het lange water: The Long Water", True),
        ("lange water op zolder", "Het lange water: The Long Water", False),
    ],
    "ja": [
        ("Marguerite OseiのPorch Light", "Porch Light", True),
        ("Ren NulのPorch Light", "Porch Light", False),
        ("Murmuration４", "Murmuration IV", True),
        ("えっと、静かな海", "静かな海 / Quiet Sea", True),
        ("庭の記憶", "庭の記憶 / Garden Memory", True),
        ("静かな空", "静かな海 / Quiet Sea", False),
    ],
    "zh": [
        ("Marguerite Osei的Porch Light", "Porch Light", True),
        ("Ren Nul的Porch Light", "Porch Light", False),
        ("Murmuration四", "Murmuration IV", True),
        ("嗯，慢速城市", "慢速城市 / Slow City", True),
        ("慢速城市", "慢速城市 Slow City", True),
        ("天气", "天气预报", False),
        ("夜行列车", "慢速城市 / Slow City", False),
    ],
}


@pytest.mark.parametrize("language", CASES)
def test_what_means_a_title(language: str) -> None:
    """A title is meant by its parts, with its artist, and with numbers in any form, but not if a word is left over."""
    wrong = [
        (said, title, meant)
        for said, title, meant in CASES[language]
        if Query.of(said).means(title, ARTIST) is not meant
    ]
    assert not wrong
