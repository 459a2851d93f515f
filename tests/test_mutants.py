"""The places that `scripts/mutants` breaks are still there, and so are the tests that have to notice."""

import ast
from collections import Counter

import pytest

from scripts.mutants_places import PLACES, SOURCE, Place

from .sources import ROOT


def test_there_are_enough() -> None:
    """Many places, each another, spread over all rooms."""
    assert len(PLACES) >= 40
    assert max(Counter((place.file, place.old) for place in PLACES).values()) == 1
    assert len({place.file.split("/")[0] for place in PLACES}) >= 9


@pytest.mark.parametrize("place", PLACES, ids=lambda place: place.what)
def test_place(place: Place) -> None:
    """What is broken occurs exactly once, and what is left is Python."""
    source = (ROOT / SOURCE / place.file).read_text()
    assert source.count(place.old) == 1
    broken = place.broken(source)
    assert broken != source
    ast.parse(broken)


@pytest.mark.parametrize("test", sorted({t for p in PLACES for t in p.tests}))
def test_tests(test: str) -> None:
    """The tests exist."""
    path, _, name = test.partition("::")
    source = (ROOT / path).read_text()
    assert not name or f"def {name}(" in source
