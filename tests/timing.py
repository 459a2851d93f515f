"""Shorter delays of the integration, for tests."""

from dataclasses import replace

from custom_components.dp1.timing import TIMING, Timing
from homeassistant.core import HomeAssistant

FAST = Timing(
    pace=50,
    first_patience=10.0,
    first_retry=0.05,
    follow_up=0.5,
    push_patience=2.0,
    read_cooldown=0.1,
    page_pause=0.0,
    jitter=0.0,
    progress_pause=0.01,
)


def set_timing(hass: HomeAssistant, **changes: float) -> None:
    """Change delays from now on."""
    hass.data[TIMING] = replace(hass.data[TIMING], **changes)
