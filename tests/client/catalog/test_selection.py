"""Test which works of an exhibition go into a playlist."""

from hypothesis import given, settings, strategies as st
import pytest

from custom_components.dp1.client.catalog.artwork import (
    playable,
    select_works,
    shares,
    shown_once,
    works_to_read,
)
from custom_components.dp1.client.catalog.models import (
    Artwork,
    ExhibitionKind,
    Model,
    Series,
)

from tests.client.tables import tables

TABLES = tables("selection")


def series(
    name: str, model: Model | None = Model.MULTI_UNIQUE, size: int | None = None
) -> Series:
    return Series(id=name, exhibition_id="e", title=name, model=model, max_artwork=size)


def works(name: str, count: int) -> list[Artwork]:
    """Return the works of a series, the last one first."""
    return [
        Artwork(id=f"{name}{index}", index=index, sources=("previews/a/",))
        for index in reversed(range(count))
    ]


@pytest.mark.parametrize(("model", "size", "once"), TABLES["once"])
def test_shown_once(model: str | None, size: int | None, once: bool) -> None:
    """Copies and single works are included once, different works all."""
    assert shown_once(series("a", model and Model(model), size)) is once


def test_copies_give_the_first() -> None:
    """Of copies, the playable one with the lowest index is included."""
    first, second, third = works("a", 3)[::-1]
    burned = Artwork(id="b", index=0, sources=("x",), gone=True)
    silent = Artwork(id="s", index=0)
    copies = series("a", Model.MULTI)
    assert playable(copies, [third, second, first]) == [first]
    assert playable(copies, [third, burned, second]) == [second]
    assert playable(copies, [silent, third]) == [third]
    assert playable(copies, [silent]) == []
    assert playable(copies, [burned]) == []


def test_unique_works_give_all() -> None:
    """Different works with a source are all included in order."""
    silent = Artwork(id="s", index=1)
    lost = Artwork(id="l", sources=("x",))
    found = playable(series("a"), [lost, *works("a", 3), silent])
    assert [work.id for work in found] == ["a0", "a1", "a2", "l"]


@pytest.mark.parametrize(("kind", "groups", "cap", "selected"), TABLES["selected"])
def test_selection(
    kind: str, groups: list[tuple[str, str, int]], cap: int, selected: list[str]
) -> None:
    """A group show takes one work of each series after the other; a solo show starts with the single works; over the cap each series has a fair share, evenly spread, and with few places they are spread over the exhibition."""
    chosen = select_works(
        ExhibitionKind(kind),
        [
            (series(name, Model(model)), works(name, size))
            for name, model, size in groups
        ],
        cap,
    )
    assert [work.id for _, work in chosen] == selected


def test_works_to_read() -> None:
    """The number of works to read of each series is known before any is read."""
    show = [
        series("a", Model.MULTI, 40),
        series("b", Model.MULTI_UNIQUE, 40),
        series("c", None),
        series("d", Model.SINGLE, 1),
        series("e", Model.MULTI_UNIQUE, 3),
    ]
    assert works_to_read(show, 50) == [1, 23, 22, 1, 3]
    assert works_to_read(show, 5) == [1, 1, 1, 1, 1]
    assert works_to_read([], 50) == []


@given(st.lists(st.integers(0, 60), max_size=30), st.integers(0, 100))
def test_shares_are_fair(counts: list[int], cap: int) -> None:
    """All places are used, none gets more than its count, and shares differ by at most one."""
    given_places = shares(counts, cap)
    assert sum(given_places) == min(cap, sum(counts))
    for count, places in zip(counts, given_places, strict=True):
        assert 0 <= places <= count
        if places < count:
            assert max(given_places) <= places + 1


@settings(deadline=None)
@given(
    st.sampled_from(ExhibitionKind),
    st.lists(st.tuples(st.sampled_from(Model), st.integers(0, 12)), max_size=12),
    st.integers(1, 60),
)
def test_any_show(
    kind: ExhibitionKind, sizes: list[tuple[Model, int]], cap: int
) -> None:
    """No work is included twice or lost, and each series keeps its order."""
    groups = [
        (series(f"{place}-", model), works(f"{place}-", size))
        for place, (model, size) in enumerate(sizes)
    ]
    chosen = select_works(kind, groups, cap)
    names = [work.id for _, work in chosen]
    assert len(names) == len(set(names)) <= cap
    available = sum(
        min(size, 1) if shown_once(one) else size
        for (one, _), (_, size) in zip(groups, sizes, strict=True)
    )
    assert len(names) == min(cap, available)
    for one, _ in groups:
        order = [work.index for its, work in chosen if its is one]
        assert order == sorted(order, key=lambda index: index or 0)
