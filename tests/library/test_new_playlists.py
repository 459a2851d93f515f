"""Test which playlists of a channel are new."""

from datetime import date, timedelta

from custom_components.dp1.library.providers.channel import new_playlists

TODAY = date(2026, 11, 22)


def test_first_look_is_silent() -> None:
    """What is there at first is not new, and everything after it is, even in a channel that was empty."""
    new, seen = new_playlists(None, ["a", "b"], TODAY)
    assert (new, seen) == ([], {"a": TODAY, "b": TODAY})
    assert new_playlists({}, ["a"], TODAY)[0] == ["a"]


def test_by_identity_and_not_by_place() -> None:
    """Another order is no news, two new ones are two, and each is told once."""
    _, seen = new_playlists(None, ["a", "b"], TODAY)
    assert new_playlists(seen, ["b", "a"], TODAY)[0] == []
    new, seen = new_playlists(seen, ["d", "a", "c", "b", "d"], TODAY)
    assert new == ["d", "c"]
    assert new_playlists(seen, ["d", "a", "c", "b"], TODAY)[0] == []


def test_removed_and_restored() -> None:
    """A playlist that comes back is no news, unless it was away for very long."""
    _, seen = new_playlists(None, ["a", "b"], TODAY)
    for day in range(1, 90):
        _, seen = new_playlists(seen, ["a"], TODAY + timedelta(days=day))
    back = TODAY + timedelta(days=90)
    assert new_playlists(seen, ["a", "b"], back)[0] == []
    _, seen = new_playlists(seen, ["a"], back + timedelta(days=1))
    new, seen = new_playlists(seen, ["a", "b"], back + timedelta(days=1))
    assert new == ["b"] and seen["b"] == back + timedelta(days=1)


def test_many() -> None:
    """A thousand playlists are remembered, and one more is found."""
    ids = [str(number) for number in range(1000)]
    _, seen = new_playlists(None, ids, TODAY)
    new, seen = new_playlists(seen, ["x", *reversed(ids)], TODAY)
    assert new == ["x"] and len(seen) == 1001
