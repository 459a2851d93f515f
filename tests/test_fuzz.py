"""A short run of ``scripts/fuzz``: whatever strangers send, nothing breaks and nothing takes long."""

from random import randrange

import pytest
import voluptuous as vol

from custom_components.dp1.playback.duties import positive_duration

from .fuzzing import TARGETS, fuzz

CASES = 200


@pytest.mark.parametrize("name", TARGETS)
def test_nothing_breaks(name: str) -> None:
    """Other cases each time; the seed of a finding is told."""
    seed = randrange(2**32)
    assert list(fuzz(name, CASES, seed)) == []


@pytest.mark.parametrize("seconds", [1e308, 10**30, "99999999999999:00:00"])
def test_endless_duration(seconds: object) -> None:
    """Found by the fuzzer: Python has no duration that long."""
    with pytest.raises(vol.Invalid):
        positive_duration(seconds)
