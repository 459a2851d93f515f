"""Test which works of a schedule are due."""

from datetime import UTC, datetime, timedelta
from typing import Any
from zoneinfo import ZoneInfo

import pytest

from custom_components.dp1.client.feed.models import items_of, open_items
from custom_components.dp1.client.playlist.schedule import due, is_moment, moment_of

from tests.client.tables import tables

TABLES = tables("schedule")

BERLIN = ZoneInfo("Europe/Berlin")


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


@pytest.mark.parametrize(("text", "zone", "expected"), TABLES["moments"])
def test_moments(text: str, zone: str, expected: str) -> None:
    """A time is that of the display, unless it has an offset; where the clocks skip it, it is the next one, and where it comes twice, the first."""
    moment = moment_of(text, ZoneInfo(zone))
    assert moment is not None and moment.isoformat() == expected
    # A date alone is read, and never written.
    assert is_moment(text) is ("T" in text)


@pytest.mark.parametrize("text", TABLES["no_times"])
def test_what_is_no_time(text: object) -> None:
    assert moment_of(text, BERLIN) is None
    assert not is_moment(str(text))


@pytest.mark.parametrize(("now", "zone", "shown", "since", "next_at"), TABLES["days"])
def test_days(
    now: str, zone: str, shown: list[str], since: str | None, next_at: str | None
) -> None:
    """Each day has its work, by the clock of the display; the last one stays."""
    found = due(DAYS, at(now), ZoneInfo(zone))
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


@pytest.mark.parametrize("text", [*TABLES["no_times"], 5, ["x"], {"a": 1}])
def test_one_answer_for_all_ways(text: Any) -> None:
    """A work whose time cannot be read is shown by no way: not in its turn, not when it is browsed, not by itself."""
    document = playlist(("Odd", text), ("Always", None))
    (odd, _) = items_of(document)
    late = datetime(2090, 1, 1, tzinfo=UTC)
    shown = {item["title"] for item in due(document, late, UTC).items}
    assert ("Odd" in shown) is (text in ("", None))
    assert odd.is_secret(late) is ("Odd" not in shown)
    assert len(open_items(document, late)) == len(shown)


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
    found = due({"items": items}, at("2026-08-02T12:00:00+00:00"), UTC)
    assert found.items == () and found.next_at is None
