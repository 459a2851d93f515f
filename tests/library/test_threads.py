"""Tests for long work in other threads."""

import time

import pytest

from custom_components.dp1.library.threads import BATCH, with_pauses


def test_the_loop_runs_in_between(monkeypatch: pytest.MonkeyPatch) -> None:
    """All things come in their order, with a pause after each batch and none before there is work."""
    pauses: list[float] = []
    monkeypatch.setattr(time, "sleep", pauses.append)
    things = iter(with_pauses(range(2 * BATCH + 1)))
    assert [next(things) for _ in range(BATCH)] == list(range(BATCH))
    assert pauses == []
    assert list(things) == list(range(BATCH, 2 * BATCH + 1))
    assert pauses == [0, 0, 0]
    assert list(with_pauses([])) == []
