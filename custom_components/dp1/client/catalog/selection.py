"""The works of a series or an exhibition that go into a playlist, and their order.

Copies of one work are included once. The order is that of the catalog's own published playlists: a group exhibition takes
one work of each series in turn, a solo exhibition the single works first and then one series after the other.
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from itertools import chain, zip_longest

from .artwork import source_url
from .models import Artwork, ExhibitionKind, Model, Series
from .paging import evenly

CAP = 50

type Group = tuple[Series, Sequence[Artwork]]


@dataclass(frozen=True, slots=True)
class Selection:
    """Works in the order to show them.

    Attributes:
        works: each with its series.
        left_out: how many could not be played, for want of a source.
    """

    works: tuple[tuple[Series, Artwork], ...]
    left_out: int


def shown_once(series: Series) -> bool:
    """Return whether one work stands for the whole series: there is only one, or they are copies."""
    return series.single or series.model is Model.MULTI


def shares(counts: Sequence[int], cap: int = CAP) -> list[int]:
    """Divide ``cap`` places as equally as the counts allow.

    Args:
        counts: how many places each can fill.
        cap: number of places.
    """
    given = [0] * len(counts)
    hungry = [who for who, count in enumerate(counts) if count > 0]
    while hungry and cap > 0:
        served = evenly(hungry, cap)
        for who in served:
            given[who] += 1
        cap -= len(served)
        hungry = [who for who in hungry if given[who] < counts[who]]
    return given


def works_to_read(all_series: Iterable[Series], cap: int = CAP) -> list[int]:
    """Return how many works of each series a playlist of an exhibition needs, before any is read.

    Args:
        all_series: series of the exhibition.
        cap: maximum number of works of the playlist.
    """
    return shares(
        [
            1
            if shown_once(series)
            else cap
            if series.max_artwork is None
            else series.max_artwork
            for series in all_series
        ],
        cap,
    )


def playable(series: Series, artworks: Iterable[Artwork]) -> tuple[list[Artwork], int]:
    """Return the works of a series to show, and the number of those without a source.

    Burned and archived works are ignored and not counted.
    """
    works = sorted(
        (work for work in artworks if not work.gone),
        key=lambda work: (work.index is None, work.index or 0),
    )
    found = [work for work in works if source_url(work, series)]
    if shown_once(series):
        return found[:1], int(bool(works) and not found)
    return found, len(works) - len(found)


def select_works(
    kind: ExhibitionKind, groups: Iterable[Group], cap: int = CAP
) -> Selection:
    """Return the works of an exhibition, or of a part of it, in order.

    Args:
        kind: of the exhibition.
        groups: its series in display order, each with its works.
        cap: maximum number of works; every series gets a fair share, and gives works evenly from its whole length.
    """
    chosen: list[tuple[Series, list[Artwork]]] = []
    left_out = 0
    for series, artworks in groups:
        works, missing = playable(series, artworks)
        chosen.append((series, works))
        left_out += missing
    given = shares([len(works) for _, works in chosen], cap)
    runs = [
        [(series, work) for work in evenly(works, share)]
        for (series, works), share in zip(chosen, given, strict=True)
    ]
    if kind is ExhibitionKind.SOLO:
        runs.sort(key=lambda run: not (run and shown_once(run[0][0])))
        works_in_order = list(chain.from_iterable(runs))
    else:
        rounds = zip_longest(*runs)
        works_in_order = [work for turn in rounds for work in turn if work is not None]
    return Selection(tuple(works_in_order), left_out)
