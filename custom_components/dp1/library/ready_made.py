"""Telling for certain that a feed's playlist is an exhibition.

Anybody may publish to a feed under any title, and any name may stand as its curator, so neither is proof. What cannot be
forged is where a work lies. A playlist counts as an exhibition if

- its title is the show's with "Full Collection" or "Highlight Reel" behind it, as the catalog's own playlists have it,
- every one of its works lies where a work of the show lies: at the same address, or in a folder that holds nothing but the
  works of one of the show's series, and
- every series of the show is in it.

A playlist that holds anything else, or not all, is never taken for the show.
"""

from collections.abc import Iterable, Mapping, Sequence
import re
from typing import Any

from custom_components.dp1.protocol.catalog_records import Exhibition, Series
from custom_components.dp1.protocol.values import mapping, text

from .feed_records import FeedPlaylist
from .works import KnownWorks

_TITLE = re.compile(
    r"(.+?)\s+[-–—]\s+(?:full collection|highlight reel)", re.IGNORECASE
)


def show_of(title: str) -> str | None:
    """Name the show that a playlist's title claims to be, as ``show_name`` does."""
    found = _TITLE.fullmatch(title.strip())
    return " ".join(found[1].casefold().split()) if found else None


def show_name(exhibition: Exhibition) -> str:
    """Name an exhibition so that it can be compared."""
    return " ".join(exhibition.title.casefold().split())


def candidates(
    exhibition: Exhibition, playlists: Iterable[FeedPlaylist]
) -> list[FeedPlaylist]:
    """List the playlists that claim to be an exhibition."""
    name = show_name(exhibition)
    return [it for it in playlists if show_of(it.title) == name]


def series_shown(items: Iterable[object], works: KnownWorks) -> frozenset[str] | None:
    """Tell of which series the works of a playlist are; None unless that is known of each of them."""
    found = set()
    for data in items:
        source = text(mapping(data).get("source"))
        known = works.find(source=source)
        series_id = known[0] if known else works.series_at(source)
        if series_id is None:
            return None
        found.add(series_id)
    return frozenset(found)


def is_whole(shown: frozenset[str] | None, all_series: Sequence[Series]) -> bool:
    """Tell whether the series shown are those of an exhibition: all, and no other."""
    return bool(shown) and shown == frozenset(it.id for it in all_series)


def is_exhibition(
    document: Mapping[str, Any], all_series: Sequence[Series], works: KnownWorks
) -> bool:
    """Tell whether a playlist that claims to be an exhibition is that.

    Args:
        document: of the playlist.
        all_series: of the exhibition, every one.
        works: what is known of works.
    """
    items = document.get("items")
    if not isinstance(items, list):
        return False
    return is_whole(series_shown(items, works), all_series)
