"""Metadata of the work on a display, whoever cast it, and playlists which are whole exhibitions."""

import asyncio
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
import re
from typing import Any

from lru import LRU

from ....client.catalog.artwork import absolute_url, source_url
from ....client.catalog.models import Artwork, Exhibition, Series
from ....client.catalog.selection import CAP, shown_once
from ....client.display.player_status import PlaylistItem
from ....client.errors import Dp1Error, InvalidRequestError, NotFoundError
from ....client.guard import Guard
from ....client.http import request_json
from ....client.playlist.manifest import Work, with_manifest
from ....client.text import clean
from ....client.values import mapping, text
from ..feed.coordinator import FeedCoordinator
from ..feed.records import FeedPlaylist
from .coordinator import CatalogCoordinator
from .records import KnownWorks, work_at, work_of

MANIFEST_SECONDS = 10.0
# Manifests are advised to have at most 64 KB.
MAX_MANIFEST = 256 * 1024
MAX_LOOK_UPS = 256
LOOK_UP_MAX_AGE_SECONDS = 600.0
# A server in trouble may know more soon.
RETRY_SECONDS = 30.0
MAX_EXHIBITIONS = 3
MAX_TITLE = 200

_TITLE = re.compile(
    r"(.+?)\s+[-–—]\s+(?:full collection|highlight reel)", re.IGNORECASE
)


def claimed_exhibition(title: str) -> str | None:
    """Return the name of the exhibition a playlist's title claims to be, as `comparable_name` writes it."""
    found = _TITLE.fullmatch(title.strip())
    return " ".join(found[1].casefold().split()) if found else None


def comparable_name(exhibition: Exhibition) -> str:
    """Return the name of an exhibition without case and extra blanks."""
    return " ".join(exhibition.title.casefold().split())


def playlists_claiming(
    exhibition: Exhibition, playlists: Iterable[FeedPlaylist]
) -> list[FeedPlaylist]:
    """Return the playlists which claim to be an exhibition."""
    name = comparable_name(exhibition)
    return [
        playlist
        for playlist in playlists
        if playlist.title.casefold().startswith(name)
        and claimed_exhibition(playlist.title) == name
    ]


def series_of_items(
    items: Iterable[object], works: KnownWorks
) -> frozenset[str] | None:
    """Return the ids of the series the items are of, None unless all are known."""
    found = set()
    for item in items:
        source = text(mapping(item).get("source"))
        known = works.find(source=source)
        series_id = known[0] if known else works.series_at(source)
        if series_id is None:
            return None
        found.add(series_id)
    return frozenset(found)


def is_whole(series_ids: frozenset[str] | None, all_series: Sequence[Series]) -> bool:
    """Return if the series are exactly those of an exhibition."""
    return bool(series_ids) and series_ids == frozenset(
        series.id for series in all_series
    )


def is_exhibition(
    document: Mapping[str, Any], all_series: Sequence[Series], works: KnownWorks
) -> bool:
    """Return if a playlist has works of all series of an exhibition and nothing else."""
    items = document.get("items")
    return isinstance(items, list) and is_whole(
        series_of_items(items, works), all_series
    )


@dataclass(frozen=True, slots=True)
class _Result:
    """What was found of a work, used until it expires, and why there is not more."""

    expires: float
    work: Work | None
    problem: Dp1Error | None


class Recognition:
    """Look up the metadata of works."""

    def __init__(
        self,
        catalog: CatalogCoordinator,
        feed: FeedCoordinator,
        guard: Callable[[], Guard],
    ) -> None:
        """Initialize without results; `guard` returns what sends requests to addresses in manifests."""
        self._catalog = catalog
        self._feed = feed
        self._guard = guard
        self._results: LRU[str, _Result] = LRU(MAX_LOOK_UPS)

    def known_work(self, item: PlaylistItem) -> Work | None:
        """Return what is known of a work without a request."""
        result = self._results.get(_key(item))
        looked_up = result.work if result else None
        return self._indexed(item) or looked_up or self._described_by_series(item)

    async def async_find_work(self, item: PlaylistItem) -> Work | None:
        """Return what is known or can be looked up of a work, or raise why nothing could be."""
        if known := self._indexed(item):
            return known
        key, now = _key(item), asyncio.get_running_loop().time()
        result = self._results.get(key)
        if result is None or now >= result.expires:
            found, problem = None, None
            try:
                found = await self._async_look_up(item)
            except Dp1Error as err:
                if not isinstance(err, NotFoundError | InvalidRequestError):
                    problem = err
            found = found or self._described_by_series(item)
            found = await self._async_add_manifest(item, found)
            max_age = RETRY_SECONDS if problem else LOOK_UP_MAX_AGE_SECONDS
            result = self._results[key] = _Result(now + max_age, found, problem)
        if result.work is None and result.problem is not None:
            raise result.problem
        return result.work

    def _indexed(self, item: PlaylistItem) -> Work | None:
        """Return a work that has been read from the catalog."""
        found = self._catalog.works.find(item.id, item.source, item.provenance)
        series = self._catalog.series(found[0]) if found else None
        return self._described(series, found[1]) if found and series else None

    def _described(self, series: Series, artwork: Artwork) -> Work:
        """Return the metadata of a work of a series."""
        exhibition = self._catalog.exhibition(series.exhibition_id)
        return work_of(artwork, series, exhibition)

    def _series(self, item: PlaylistItem) -> Series | None:
        """Return the series in whose folder a work lies."""
        return self._catalog.series(self._catalog.works.series_at(item.source) or "")

    def _described_by_series(self, item: PlaylistItem) -> Work | None:
        """Return what the series of a work tells of it."""
        if (series := self._series(item)) is None:
            return None
        work = self._described(series, work_at(series, item.source or ""))
        title = clean(item.title, MAX_TITLE) or work.title
        of_series = series.title if series.title != title else None
        return replace(work, title=title, series=of_series, provenance=item.provenance)

    async def _async_look_up(self, item: PlaylistItem) -> Work | None:
        """Find the exhibition of a work by the feed's playlists, the series by its folder, the work by its number."""
        for exhibition in self._claimed_exhibitions(item):
            series_list = await self._catalog.async_series(exhibition.id)
            if series_list.reason and self._series(item) is None:
                raise series_list.reason
        if (series := self._series(item)) is None:
            never_read = [
                coordinator.data.reason
                for coordinator in (self._catalog, self._feed)
                if coordinator.data.reason and coordinator.data.read_at is None
            ]
            if never_read:
                raise never_read[0]
            return None
        place = 0 if shown_once(series) else work_at(series, item.source or "").index
        if place is None:
            artworks = await self._catalog.async_artworks(series.id, CAP)
            if (work := self._indexed(item)) is None and artworks.reason:
                raise artworks.reason
            return work
        artwork = await self._catalog.async_artwork_at(series, place)
        if artwork and source_url(artwork, series) == item.source:
            return self._described(series, artwork)
        return None

    def _claimed_exhibitions(self, item: PlaylistItem) -> list[Exhibition]:
        """Return the exhibitions that playlists of the feed with this work claim to be."""
        names = {
            name
            for playlist in self._feed.data.records
            if playlist.shows(item.source)
            and (name := claimed_exhibition(playlist.title))
        }
        return [
            exhibition
            for exhibition in self._catalog.data.records
            if comparable_name(exhibition) in names
        ][:MAX_EXHIBITIONS]

    async def _async_add_manifest(
        self, item: PlaylistItem, known: Work | None
    ) -> Work | None:
        """Add what the manifest of a work says."""
        address = absolute_url(item.ref or "") if "://" in (item.ref or "") else None
        if address is None:
            return known
        try:
            answer = await request_json(
                self._guard(),
                "GET",
                address,
                timeout=MANIFEST_SECONDS,
                max_body=MAX_MANIFEST,
            )
            manifest = answer.json() if answer.ok else None
        except Dp1Error:
            return known
        found = with_manifest(known, manifest)
        return None if found == Work() else found


def _key(item: PlaylistItem) -> str:
    """Return the key of a work in the results."""
    return f"{item.id} {item.source} {item.ref}"
