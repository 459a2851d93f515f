"""Test which works of a schedule are due."""

from datetime import UTC, datetime, timedelta, tzinfo
from typing import Any
from zoneinfo import ZoneInfo

import pytest

from custom_components.dp1.client.playlist.schedule import due, moment_of

from tests.client.tables import tables

TABLES = tables("schedule")

BERLIN = ZoneInfo("Europe/Berlin")
HAVANA = ZoneInfo("America/Havana")
KIRITIMATI = ZoneInfo("Pacific/Kiritimati")
LORD_HOWE = ZoneInfo("Australia/Lord_Howe")


def playlist(*days: tuple[str, str | None], **more: Any) -> dict[str, Any]:
    """Return a playlist of works with their times."""
    items = [
        {"title": title, "source": f"https://art.example/{title}", "displayAt": at}
        if at is not None
        else {"title": title, "source": f"https://art.example/{title}"}
        for title, at in days
    ]
    return {"items": items, **more}


DAYS = playlist(
    ("One", "2026-08-01T00:00:00"),
    ("Two", "2026-08-02T00:00:00"),
    ("Three", "2026-08-03T00:00:00"),
)


def at(text: str) -> datetime:
    return datetime.fromisoformat(text).astimezone(UTC)


@pytest.mark.parametrize(
    ("text", "zone", "expected"),
    [
        ("2026-08-01T00:00:00", UTC, "2026-08-01T00:00:00+00:00"),
        ("2026-08-01T00:00:00", BERLIN, "2026-07-31T22:00:00+00:00"),
        ("2026-08-01T00:00:00", KIRITIMATI, "2026-07-31T10:00:00+00:00"),
        ("2026-08-01", BERLIN, "2026-07-31T22:00:00+00:00"),
        ("2026-08-01T00:00:00Z", BERLIN, "2026-08-01T00:00:00+00:00"),
        ("2026-08-01T00:00:00+09:00", BERLIN, "2026-07-31T15:00:00+00:00"),
        ("2026-08-01T00:00:00.250", UTC, "2026-08-01T00:00:00.250000+00:00"),
        # The clocks skip midnight, or some of the time after it.
        ("2026-03-08T00:00:00", HAVANA, "2026-03-08T05:00:00+00:00"),
        ("2026-03-08T00:30:00", HAVANA, "2026-03-08T05:00:00+00:00"),
        ("2026-03-08T00:59:59", HAVANA, "2026-03-08T05:00:00+00:00"),
        ("2026-03-08T01:00:00", HAVANA, "2026-03-08T05:00:00+00:00"),
        ("2026-03-29T02:30:00", BERLIN, "2026-03-29T01:00:00+00:00"),
        ("2026-10-04T02:15:00", LORD_HOWE, "2026-10-03T15:30:00+00:00"),
        # They come twice.
        ("2026-11-01T00:30:00", HAVANA, "2026-11-01T04:30:00+00:00"),
        ("2026-10-25T02:30:00", BERLIN, "2026-10-25T00:30:00+00:00"),
    ],
)
def test_moments(text: str, zone: tzinfo, expected: str) -> None:
    """A time is that of the display, unless it has an offset."""
    moment = moment_of(text, zone)
    assert moment is not None and moment.isoformat() == expected


@pytest.mark.parametrize("text", TABLES["no_times"])
def test_what_is_no_time(text: object) -> None:
    """What cannot be read is no time."""
    assert moment_of(text, BERLIN) is None


@pytest.mark.parametrize(
    ("now", "zone", "shown", "since", "next_at"),
    [
        ("2026-07-31T23:59:59+00:00", UTC, [], None, "2026-08-01T00:00:00+00:00"),
        ("2026-08-01T00:00:00+00:00", UTC, ["One"], "2026-08-01T00:00:00+00:00", "2026-08-02T00:00:00+00:00"),
        ("2026-08-02T21:59:59+00:00", UTC, ["Two"], "2026-08-02T00:00:00+00:00", "2026-08-03T00:00:00+00:00"),
        ("2026-08-02T22:00:00+00:00", BERLIN, ["Three"], "2026-08-02T22:00:00+00:00", None),
        ("2026-08-02T22:00:00+00:00", KIRITIMATI, ["Three"], "2026-08-02T10:00:00+00:00", None),
        ("2026-12-24T00:00:00+00:00", UTC, ["Three"], "2026-08-03T00:00:00+00:00", None),
    ],
)  # fmt: skip
def test_days(
    now: str, zone: tzinfo, shown: list[str], since: str | None, next_at: str | None
) -> None:
    """Each day has its work, by the clock of the display; the last one stays."""
    found = due(DAYS, at(now), zone)
    assert [item["title"] for item in found.items] == shown
    assert found.since == (since and at(since))
    assert found.next_at == (next_at and at(next_at))


def test_two_at_one_moment_and_works_without_one() -> None:
    """All works of a moment are shown in order, among those without a time; unreadable times are never shown."""
    document = playlist(
        ("Always", None),
        ("A", "2026-08-01T00:00:00"),
        ("Odd", "tomorrow"),
        ("B", "2026-07-31T22:00:00Z"),
        ("Empty", ""),
        ("C", "2026-08-02"),
    )
    found = due(document, at("2026-08-01T12:00:00+02:00"), BERLIN)
    assert [item["title"] for item in found.items] == ["Always", "A", "B", "Empty"]
    assert [item["title"] for item in found.timed] == ["A", "B"]
    assert found.next_at == at("2026-08-02T00:00:00+02:00")
    before = due(document, at("2026-07-31T12:00:00+02:00"), BERLIN)
    assert [item["title"] for item in before.items] == ["Always", "Empty"]
    assert before.timed == () and before.since is None


def test_schedule_makes_no_difference() -> None:
    """A playlist is a schedule with and without the member that once was needed."""
    now = at("2026-08-02T12:00:00+00:00")
    told = {**DAYS, "schedule": {"byDisplayAt": True}}
    assert due(told, now, UTC) == due(DAYS, now, UTC)


def test_it_runs_out() -> None:
    """The last work is today's for a day and a half, and afterwards there is none."""
    last = at("2026-08-03T00:00:00+00:00")
    assert not due(DAYS, last - timedelta(days=1), UTC).has_run_out(last)
    for hours, expected in ((0, False), (36, False), (36.1, True), (900, True)):
        now = last + timedelta(hours=hours)
        assert due(DAYS, now, UTC).has_run_out(now) is expected
    first = due(DAYS, last - timedelta(days=9), UTC)
    assert not first.has_run_out(last - timedelta(days=9))
    assert due(playlist(("Always", None)), last, UTC).has_run_out(last)


@pytest.mark.parametrize("items", [None, "x", [], [1, None, "x"], {}])
def test_odd_documents(items: object) -> None:
    """A document without works shows none."""
    found = due({"items": items}, at("2026-08-02T12:00:00+00:00"), UTC)
    assert found.items == () and found.next_at is None
