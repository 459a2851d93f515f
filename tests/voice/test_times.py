"""How long something is shown, and what words turn a wish round."""

from datetime import UTC, datetime
from typing import Any

from freezegun.api import FrozenDateTimeFactory
import pytest

from custom_components.dp1.voice.times import span_of
from custom_components.dp1.voice.wording import is_declined, is_in_full, is_other
from homeassistant.core import HomeAssistant


@pytest.mark.parametrize(
    ("now", "slots", "until"),
    [
        ("09:00", {"until_hour": 10}, "10:00"),
        ("20:00", {"until_hour": 10}, "22:00"),
        ("23:00", {"until_hour": 10}, "10:00"),
        ("20:00", {"until_hour": 12}, "00:00"),
        ("20:00", {"until_hour": 10, "until_minute": 30}, "22:30"),
        ("20:00", {"until_hour": 11, "until_minute": -30}, "22:30"),
        ("09:00", {"until_hour": 10, "until_half_day": 12}, "22:00"),
        ("20:00", {"until_hour": 7, "until_half_day": 0}, "07:00"),
        ("20:00", {"until_hour": 21, "until_minute": 15}, "21:15"),
        ("20:00", {"until": 23}, "23:00"),
        ("23:30", {"until": 23}, "00:00"),
        ("20:00", {"until": 31}, "07:00"),
    ],
)
async def test_until(
    hass: HomeAssistant,
    freezer: FrozenDateTimeFactory,
    now: str,
    slots: dict[str, Any],
    until: str,
) -> None:
    """What is shown until a time ends when the clock next shows it."""
    await hass.config.async_set_time_zone("UTC")
    freezer.move_to(f"2026-03-01 {now}:00")
    span = span_of(slots)
    assert span is not None
    assert span.until is not None
    assert span.until.strftime("%H:%M") == until
    assert span.until == datetime.now(UTC) + span.duration


def test_for() -> None:
    """Durations are added up; without any, something stays."""
    span = span_of({"hours": 1, "minutes": 30, "what": "Net Evil"})
    assert span is not None
    assert span.duration.total_seconds() == 5400
    assert span.until is None
    assert span_of({"what": "Net Evil"}) is None


@pytest.mark.parametrize(
    ("what", "title", "language", "declined"),
    [
        ("Net Evil nicht", "Net Evil", "de", True),
        ("niets", "", "nl-NL", True),
        ("Net Evilは表示しないで", "Net Evil", "ja", True),
        ("不要Net Evil", "Net Evil", "zh-Hans", True),
        ("No Works", "No Works", "es", False),
        ("Net Evil", "Net Evil", "en", False),
    ],
)
def test_declined(what: str, title: str, language: str, *, declined: bool) -> None:
    """Words that are no part of the title turn a wish round."""
    assert is_declined(what, title, language) is declined


def test_named_in_full() -> None:
    """The weather is not an exhibition with that word, which is found by its title."""
    assert is_other("weather") and is_other("the Wetter") and not is_other("Net Evil")
    assert not is_in_full("weather", "Slow Weather")
    assert not is_in_full("wetter", "Amber Yard")
    assert is_in_full("slow wether", "Slow Weather")
    assert is_in_full("7 small suns", "Seven Small Suns")
