"""What is said with a title and still means it, in seven languages."""

import pytest

from custom_components.dp1.library.search import Query

from .hearing import TABLES, read

ARTIST = "Marguerite Osei"
CASES: dict[str, list[tuple[str, str, bool]]] = read(TABLES / "naming.yaml")


@pytest.mark.parametrize("language", CASES)
def test_what_means_a_title(language: str) -> None:
    """A title is meant by its parts, with its artist, and with numbers in any form, but not if a word is left over."""
    wrong = [
        (said, title, meant)
        for said, title, meant in CASES[language]
        if Query.of(said).means(title, ARTIST) is not meant
    ]
    assert not wrong
