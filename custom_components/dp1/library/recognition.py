"""What is known of the work that hangs on a wall, whoever put it there."""

import asyncio
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
import re
from typing import Any

import aiohttp

from ..client.catalog.artwork import absolute_url, source_url
from ..client.catalog.models import Artwork, Exhibition, Series
from ..client.catalog.selection import CAP, shown_once
from ..client.display.player_status import PlaylistItem
from ..client.errors import Dp1Error
from ..client.http import request_json
from ..client.text import clean
from ..client.values import mapping, text
from .feed_records import FeedPlaylist
from .index import Index
from .works import (
    MAX_TITLE,
    KnownWorks,
    RecentlyUsed,
    Work,
    with_manifest,
    work_at,
    work_of,
)

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


MANIFEST_SECONDS = 10.0
# Manifests are advised to have at most 64 KB.
MAX_MANIFEST = 256 * 1024
MAX_FOUND_OUT = 256
ASK_AGAIN_SECONDS = 600.0
# A server that was in trouble may know more when it is well.
TROUBLE_SECONDS = 30.0
MAX_SHOWS = 3


class Recognition:
    """Tells what is known of works."""

    def __init__(self, index: Index, session: aiohttp.ClientSession) -> None:
        """Keep where to look."""
        self._index = index
        self._session = session
        self._found_out: RecentlyUsed[tuple[float, Work | None]] = RecentlyUsed(
            MAX_FOUND_OUT
        )

    def known_work(self, item: PlaylistItem) -> Work | None:
        """Tell what is known, without asking anybody."""
        _, found_out = self._found_out.get(_mark(item)) or (0.0, None)
        return self._read(item) or found_out or self._lies_in_series(item)

    async def async_find_work(self, item: PlaylistItem) -> Work | None:
        """Tell what is known or can be found out; for some time nobody is asked the same again."""
        if known := self._read(item):
            return known
        mark, now = _mark(item), asyncio.get_running_loop().time()
        asked = self._found_out.get(mark)
        if asked is None or now >= asked[0]:
            found = await self._find_out(item) or self._lies_in_series(item)
            pause = TROUBLE_SECONDS if self._index.problem else ASK_AGAIN_SECONDS
            asked = now + pause, await self._with_manifest(item, found)
            self._found_out.keep(mark, asked)
        return asked[1]

    def _read(self, item: PlaylistItem) -> Work | None:
        """Describe a work that was read."""
        found = self._index.works.find(item.id, item.source, item.provenance)
        series = self._index.series(found[0]) if found else None
        if found is None or series is None:
            return None
        return self._described(series, found[1])

    def _described(self, series: Series, artwork: Artwork) -> Work:
        """Describe a work of a series."""
        show = self._index.exhibition(series.exhibition_id)
        return work_of(artwork, series, show)

    def _series(self, item: PlaylistItem) -> Series | None:
        """Find the series in whose folder a work lies."""
        return self._index.series(self._index.works.series_at(item.source) or "")

    def _lies_in_series(self, item: PlaylistItem) -> Work | None:
        """Describe a work by the series that it is of."""
        if (series := self._series(item)) is None:
            return None
        work = self._described(series, work_at(series, item.source or ""))
        title = clean(item.title, MAX_TITLE) or work.title
        of_series = series.title if series.title != title else None
        return replace(work, title=title, series=of_series, provenance=item.provenance)

    async def _find_out(self, item: PlaylistItem) -> Work | None:
        """Find a work in the catalog: the show by the feed's playlists, the series by its folder, the work by its number."""
        for exhibition in self._shows(item):
            await self._index.async_series(exhibition.id)
        if (series := self._series(item)) is None:
            return None
        place = 0 if shown_once(series) else work_at(series, item.source or "").index
        if place is None:
            await self._index.async_artworks(series.id, CAP)
            return self._read(item)
        artwork = await self._index.async_work_at(series, place)
        if artwork and source_url(artwork, series) == item.source:
            return self._described(series, artwork)
        return None

    def _shows(self, item: PlaylistItem) -> list[Exhibition]:
        """List the shows that the feed's playlists with this work claim to be."""
        names = {
            show
            for playlist in self._index.playlists.records
            if any(it.source == item.source for it in playlist.items)
            and (show := show_of(playlist.title))
        }
        shows = self._index.exhibitions.records
        return [it for it in shows if show_name(it) in names][:MAX_SHOWS]

    async def _with_manifest(
        self, item: PlaylistItem, known: Work | None
    ) -> Work | None:
        """Add what the work's own manifest says."""
        address = absolute_url(item.ref or "") if "://" in (item.ref or "") else None
        if address is None:
            return known
        try:
            answer = await request_json(
                self._session,
                "GET",
                address,
                timeout=MANIFEST_SECONDS,
                max_body=MAX_MANIFEST,
            )
            told = answer.json() if answer.ok else None
        except Dp1Error:
            return known
        found = with_manifest(known, told)
        return None if found == Work() else found


def _mark(item: PlaylistItem) -> str:
    """Name a work on the wall."""
    return f"{item.id} {item.source} {item.ref}"
