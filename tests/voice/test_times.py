"""How long something is shown."""

from datetime import UTC, datetime, time, timedelta
from pathlib import Path
from typing import Any

from freezegun import freeze_time
from freezegun.api import FrozenDateTimeFactory
import pytest
import voluptuous as vol

from custom_components.dp1.voice.request import SpokenIntent, span_of
from homeassistant.core import HomeAssistant

from ..displays import until
from .home import Home, table


@pytest.fixture
def expected_lingering_timers() -> bool:
    """Announcements wait for their end."""
    return True


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
        # The night begins in the evening.
        ("20:00", {"until_hour": 12, "until_half_day": 17}, "00:00"),
        ("00:30", {"until_hour": 1, "until_half_day": 17}, "01:00"),
        ("18:00", {"until_hour": 9, "until_half_day": 17}, "21:00"),
        ("20:00", {"until_hour": 21, "until_minute": 15}, "21:15"),
        ("20:00", {"until": 23}, "23:00"),
        ("23:30", {"until": 23}, "00:00"),
        ("20:00", {"until": 31}, "07:00"),
        # What has just passed is meant the next time.
        ("23:50", {"until_hour": 24, "until_minute": -5}, "23:55"),
        ("23:57", {"until_hour": 24, "until_minute": -5}, "23:55"),
        (
            "23:57",
            {"until_hour": 12, "until_minute": -5, "until_half_day": 17},
            "23:55",
        ),
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


@pytest.mark.parametrize(
    ("now", "clock", "until", "minutes"),
    [
        # From 2 to 3: what the clock skips ends with that.
        ("2026-03-29 00:50", "2:30", "03:00", 10),
        ("2026-03-29 00:50", "3:15", "03:15", 25),
        # From 3 back to 2: what comes twice is meant the next time.
        ("2026-10-25 00:30", "2:45", "02:45", 15),
        ("2026-10-25 00:30", "2:10", "02:10", 40),
        ("2026-10-25 00:30", "3:00", "03:00", 90),
        ("2026-10-25 01:30", "2:45", "02:45", 15),
        ("2026-10-25 01:30", "2:10", "14:10", 700),
    ],
)
async def test_until_when_the_clocks_change(
    hass: HomeAssistant,
    freezer: FrozenDateTimeFactory,
    now: str,
    clock: str,
    until: str,
    minutes: int,
) -> None:
    """It ends when the clock next shows it, also in the night in which the clock changes."""
    await hass.config.async_set_time_zone("Europe/Berlin")
    freezer.move_to(now)
    hour, minute = map(int, clock.split(":"))
    span = span_of({"until_hour": hour, "until_minute": minute})
    assert span is not None and span.until is not None
    assert span.duration == timedelta(minutes=minutes)
    assert span.until.strftime("%H:%M") == until


@pytest.mark.parametrize(
    "slots",
    [
        {"hours": 1e300},
        {"minutes": -5},
        {"until": "xyz"},
        {"until": "inf"},
        {"until_hour": "nan"},
        {"until_hour": -60},
        {"until_minute": 1e300},
        {"minutes": "nan"},
        {"days": "inf"},
        {"days": 61},
    ],
)
def test_no_time(slots: dict[str, Any]) -> None:
    """A model may say anything, which is refused before it is reckoned with."""
    values = {name: {"value": value} for name, value in slots.items()}
    with pytest.raises(vol.Invalid):
        SpokenIntent().async_validate_slots(values)


def test_for() -> None:
    """Durations are added up; without any, something stays."""
    span = span_of({"hours": 1, "minutes": 30, "what": "Net Evil"})
    assert span is not None
    assert span.duration.total_seconds() == 5400
    assert span.until is None
    assert span_of({"what": "Net Evil"}) is None


@pytest.mark.usefixtures("socket_enabled")
async def test_the_end_of_a_cast(hass: HomeAssistant, tmp_path: Path) -> None:
    """What is shown until ten does not end a moment before."""
    # What waits for an answer of a display needs a clock that goes on.
    evening = freeze_time("2026-03-05 20:00:00.600", real_asyncio=True)
    async with Home.of(hass, tmp_path, "en", table("en")["names"]) as home:
        await hass.config.async_set_time_zone("UTC")
        with evening:
            await home.does("show Net Evil until ten")
            await until(lambda: home.attribute(home.here, "dp1")["until"])
        assert home.attribute(home.here, "dp1")["until"] == "2026-03-05T22:00:00+00:00"


async def test_bedtime_and_weekend(
    hass: HomeAssistant, freezer: FrozenDateTimeFactory
) -> None:
    """Bedtime is when the display goes to sleep, and the weekend ends with Sunday."""
    await hass.config.async_set_time_zone("UTC")
    freezer.move_to("2026-03-05 20:00:00")
    weekend = span_of({"until": "weekend"})
    assert weekend is not None
    assert weekend.until == datetime(2026, 3, 9, tzinfo=UTC)
    bedtime = span_of({"until": "bedtime"}, time(22, 30))
    assert bedtime is not None
    assert bedtime.until == datetime(2026, 3, 5, 22, 30, tzinfo=UTC)
    tomorrow = span_of({"until": 42})
    assert tomorrow is not None
    assert tomorrow.until == datetime(2026, 3, 6, 18, tzinfo=UTC)
    days = span_of({"days": 2})
    assert days is not None
    assert days.duration.total_seconds() == 2 * 86400
