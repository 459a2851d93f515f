"""A short run of ``scripts/fuzz``: whatever strangers send, nothing breaks and nothing takes long."""

from random import randrange

import pytest
import voluptuous as vol

from custom_components.dp1.displays import async_displays
from custom_components.dp1.fields import duration
from homeassistant.core import HomeAssistant

from .displays import until
from .fuzzing import TARGETS, FuzzedDisplay, fuzz, fuzz_states

CASES = 40


@pytest.mark.parametrize("name", TARGETS)
def test_nothing_breaks(name: str) -> None:
    """Other cases each time; the seed of a finding is told."""
    seed = randrange(2**32)
    assert list(fuzz(name, CASES, seed)) == []


@pytest.mark.parametrize("seconds", [1e308, 10**30, "99999999999999:00:00"])
def test_endless_duration(seconds: object) -> None:
    """Found by the fuzzer: Python has no duration that long."""
    with pytest.raises(vol.Invalid):
        duration(seconds)


@pytest.mark.usefixtures("entity_registry_enabled_by_default", "setup_display")
async def test_no_state_breaks(hass: HomeAssistant) -> None:
    """Whatever a display pushes, every state can be encoded and is short, and the loop goes on."""
    (display,) = async_displays(hass)
    await until(lambda: display.data.player)
    fuzzed = FuzzedDisplay(hass, display)
    assert list(fuzz_states(fuzzed, CASES, randrange(2**32))) == []
    await hass.async_block_till_done()
